/* SPDX-License-Identifier: MIT */
/*
 * frame.h - the length in front of every message: a base-128 varint of at most 3 bytes.
 *
 * Plain C without dependencies, since the daemon, the command line and the client
 * library must agree on it. Pure: no state, no allocation, no I/O.
 */
#ifndef GOVERNOR_V1_FRAME_H
#define GOVERNOR_V1_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* The longest messages, without their length, in bytes. */
#define GOVERNOR_REQUEST_MAX 4096u
#define GOVERNOR_REPLY_MAX   65536u

/* The longest length prefix in bytes: 3 * 7 bits hold GOVERNOR_REPLY_MAX. */
#define GOVERNOR_PREFIX_MAX 3u

/* What governor_frame_parse() found at the start of the buffer. */
enum governor_frame {
        GOVERNOR_FRAME_INVALID = -1, /* no length, or one above the limit */
        GOVERNOR_FRAME_PARTIAL = 0,  /* more bytes are needed             */
        GOVERNOR_FRAME_COMPLETE = 1  /* a whole message                   */
};

/*
 * Looks for one message of at most `longest` bytes (GOVERNOR_REQUEST_MAX or
 * GOVERNOR_REPLY_MAX) at the start of `data`. When it is complete, *ret_begin and *ret_end
 * are set to the offsets of its payload; the next message starts at *ret_end. A length is
 * refused as soon as it is seen, before its message has arrived.
 */
static inline enum governor_frame governor_frame_parse(const uint8_t *data, size_t size,
                                                       uint32_t longest, size_t *ret_begin,
                                                       size_t *ret_end) {
        uint32_t length = 0;
        size_t i;

        for (i = 0; i < size && i < GOVERNOR_PREFIX_MAX; i++) {
                length |= (uint32_t)(data[i] & 0x7f) << (7 * i);
                if ((data[i] & 0x80) != 0)
                        continue;
                if (length > longest)
                        return GOVERNOR_FRAME_INVALID;
                if (size - (i + 1) < length)
                        return GOVERNOR_FRAME_PARTIAL;
                *ret_begin = i + 1;
                *ret_end = i + 1 + length;
                return GOVERNOR_FRAME_COMPLETE;
        }
        return i == GOVERNOR_PREFIX_MAX ? GOVERNOR_FRAME_INVALID : GOVERNOR_FRAME_PARTIAL;
}

/*
 * Writes the prefix of a message of `length` <= GOVERNOR_REPLY_MAX bytes to `prefix`,
 * which has room for GOVERNOR_PREFIX_MAX bytes. Returns the bytes written.
 */
static inline size_t governor_frame_prefix(size_t length, uint8_t *prefix) {
        size_t n = 0;

        for (; length >= 0x80; length >>= 7)
                prefix[n++] = (uint8_t)(length | 0x80);
        prefix[n++] = (uint8_t)length;
        return n;
}

#endif /* GOVERNOR_V1_FRAME_H */
