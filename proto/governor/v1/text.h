/* SPDX-License-Identifier: MIT */
/*
 * text.h - what of a text that somebody else wrote may be shown.
 *
 * Plain C without dependencies, since the daemon, the command line and the client library show
 * labels, paths and each other's sentences. Pure: no state, no allocation, no locale.
 */
#ifndef GOVERNOR_V1_TEXT_H
#define GOVERNOR_V1_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of the UTF-8 character that `text`, of `size` > 0 bytes, starts with, which is
 * *ret_point; 0: it starts with none (a stray byte, an overlong form, a surrogate), or the text
 * ends inside of it.
 */
static inline size_t governor_text_character(const char *text, size_t size, uint32_t *ret_point) {
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        const unsigned char first = (unsigned char)text[0];
        const size_t length = first < 0x80             ? 1
                              : (first & 0xe0) == 0xc0 ? 2
                              : (first & 0xf0) == 0xe0 ? 3
                              : (first & 0xf8) == 0xf0 ? 4
                                                       : 0;
        uint32_t point = length < 2 ? first : first & (0xffu >> (length + 1));
        size_t i;

        if (length == 0 || length > size)
                return 0;
        for (i = 1; i < length; i++) {
                const unsigned char next = (unsigned char)text[i];
                if ((next & 0xc0) != 0x80)
                        return 0;
                point = point << 6 | (next & 0x3fu);
        }
        if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
                return 0;
        *ret_point = point;
        return length;
}

/*
 * Does the character steer a terminal, end a line, or change the order of what stands around it?
 * C0, DEL and C1; line and paragraph separators; marks, embeddings, overrides and isolates of
 * writing from right to left.
 */
static inline int governor_text_steers(uint32_t point) {
        return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
               point == 0x200e || point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
               (point >= 0x2066 && point <= 0x2069);
}

/*
 * Copies `size` bytes of `text` to `to`, which has as much room and may be `text` itself. A '?'
 * takes the place of each character that steers, and of each byte that is no UTF-8. Returns the
 * bytes written, without a terminating NUL.
 */
static inline size_t governor_text_printable(const char *text, size_t size, char *to) {
        size_t from = 0;
        size_t written = 0;

        while (from < size) {
                uint32_t point = 0;
                const size_t length = governor_text_character(text + from, size - from, &point);
                size_t i;

                if (length == 0 || governor_text_steers(point)) {
                        to[written++] = '?';
                        from += length == 0 ? 1 : length;
                        continue;
                }
                for (i = 0; i < length; i++)
                        to[written++] = text[from++];
        }
        return written;
}

/* How much of `text` fits into `most` bytes without a part of a character at the end. */
static inline size_t governor_text_cut(const char *text, size_t size, size_t most) {
        size_t end = size < most ? size : most;
        size_t back = 0;

        if (size <= most)
                return size;
        while (back < 3 && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) {
                end--;
                back++;
        }
        return ((unsigned char)text[end] & 0xc0) == 0x80 ? most : end;
}

#endif /* GOVERNOR_V1_TEXT_H */
