// SPDX-License-Identifier: MIT
// Preloaded into governorctl: a database of users that answers after 30 s, or with the home folder
// $TEST_HOME; and with $TEST_INTERRUPT signalfd(2) waits until SIGINT is pending, and says so.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct passwd* getpwuid(uid_t uid) {
        static struct passwd user;
        static char nothing[] = "";
        user.pw_name = user.pw_passwd = user.pw_gecos = user.pw_shell = nothing;
        user.pw_uid = uid;
        user.pw_dir = getenv("TEST_HOME");
        if (user.pw_dir != NULL)
                return &user;
        sleep(30);
        return NULL;
}

static void wait_for_interrupt(void) {
        sigset_t pending;
        if (getenv("TEST_INTERRUPT") == NULL)
                return;
        unsetenv("TEST_INTERRUPT");
        (void)!write(STDOUT_FILENO, "waits\n", 6);
        for (int i = 0; i < 10000; i++) {
                sigpending(&pending);
                if (sigismember(&pending, SIGINT))
                        return;
                usleep(1000);
        }
}

int signalfd(int fd, const sigset_t* mask, int flags) {
        int (*next)(int, const sigset_t*, int);
        void* found = dlsym(RTLD_NEXT, "signalfd");
        memcpy(&next, &found, sizeof(next));  // ISO C has no cast for that
        wait_for_interrupt();
        return next(fd, mask, flags);
}
