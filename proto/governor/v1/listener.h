/* SPDX-License-Identifier: MIT */
/*
 * listener.h - whether a client believes what listens at a Unix socket.
 *
 * Plain C for Linux, with _GNU_SOURCE. A governor says how many threads a program has, and may
 * make it wait: so a client looks at the owner of the listener before it sends or receives
 * anything. Believed is the listener of
 *
 *   - root,
 *   - the client's own effective user, or
 *   - the owner of /run/governord, at a socket in that directory, if only root can have made the
 *     directory and only its owner can put a socket there.
 *
 * The owner is the user who called listen(): for a socket unit of systemd that is root. In a user
 * namespace all users that are not mapped read as one, 65534: there the third rule covers the
 * host's /run/governord in a container whose own root owns /run. Asks no name service.
 */
#ifndef GOVERNOR_V1_LISTENER_H
#define GOVERNOR_V1_LISTENER_H

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOVERNOR_DIRECTORY "/run/governord"

/* Goes on after "user 1000". */
#define GOVERNOR_NOT_BELIEVED                                                                      \
        " listens there, perhaps an impostor: nothing was sent, since only root's, this user's "   \
        "and that of the owner of " GOVERNOR_DIRECTORY " are believed"

/* Is it a directory in which nobody but its owner makes and removes files? */
static inline int governor_is_directory_of_one(const char *path, struct stat *ret_status) {
        return lstat(path, ret_status) == 0 && S_ISDIR(ret_status->st_mode) &&
               (ret_status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Does `path` name a file directly in /run/governord, whose owner is `owner`? */
static inline int governor_owns_the_directory(const char *path, uid_t owner) {
        static const char inside[] = GOVERNOR_DIRECTORY "/";
        struct stat run, own;

        return strncmp(path, inside, sizeof(inside) - 1) == 0 &&
               strchr(path + sizeof(inside) - 1, '/') == NULL &&
               governor_is_directory_of_one("/run", &run) && run.st_uid == 0 &&
               governor_is_directory_of_one(GOVERNOR_DIRECTORY, &own) && own.st_uid == owner;
}

/*
 * `fd` is a Unix socket that has just been connected to `path`. *ret_owner is whose listener that
 * is; (uid_t)-1: it cannot be told, and is not believed. At most three system calls, none blocks.
 */
static inline int governor_is_believed(int fd, const char *path, uid_t *ret_owner) {
        struct ucred peer;
        socklen_t length = sizeof(peer);

        *ret_owner = (uid_t)-1;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 || length != sizeof(peer))
                return 0;
        *ret_owner = peer.uid;
        return peer.uid == 0 || peer.uid == geteuid() ||
               governor_owns_the_directory(path, peer.uid);
}

#endif /* GOVERNOR_V1_LISTENER_H */
