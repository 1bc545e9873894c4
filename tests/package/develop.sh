# SPDX-License-Identifier: MIT
# On a machine with compilers: programs are built with libthreadcount-dev, and fairly has the object that
# it preloads into others. To be sourced where a machine is up and $first has the packages.

# in_folder COMMAND: of a shell.
in_folder() { inside_as nobody sh -ec "cd /tmp/develop; $1"; }
put() { inside_as nobody tee "/tmp/develop/$1" >/dev/null; }

inside rm -f /usr/sbin/policy-rc.d  # a container's, which starts nothing
install "$first" >/dev/null
expect inside rm /etc/governord.conf.d/observe.conf
expect inside systemctl reload governord
expect inside install -d -o nobody /tmp/develop

put program.c <<'C'
#include <stdio.h>
#include <threadcount/threadcount.h>

int main(void)
{
        threadcount_handle *governor = NULL;
        char reason[200];
        int error = threadcount_open(NULL, &governor);

        threadcount_reason(governor, reason, sizeof(reason));
        printf("%d: %s\n", error, reason);
        threadcount_close(governor);
        return error != 0;
}
C
# shellcheck disable=SC2016
in_folder 'cc -Wall -Werror program.c $(pkg-config --cflags --libs threadcount) -o program'
expect_match '^0: .*governor' "$(in_folder ./program)" "a program, by pkg-config"

put pool.cpp <<'CXX'
#include <cstdio>
#include <threadcount/pool.hpp>

int main()
{
        threadcount::Pool pool;
        std::printf("%d\n", pool.async([] { return 42; }).get());
}
CXX
put CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(pool CXX)
find_package(threadcount REQUIRED)
add_executable(pool pool.cpp)
target_link_libraries(pool PRIVATE threadcount::pool)
CMAKE
expect_equal 42 "$(in_folder 'cmake -B build . >log && cmake --build build >>log && build/pool')" "the pool, by find_package"

put openmp.c <<'C'
#include <stdio.h>
#include <string.h>

int main(void)
{
        static char line[8192];
        int team = 0;
        FILE *maps;

#pragma omp parallel reduction(+:team)
        team += 1;
        maps = fopen("/proc/self/maps", "r");
        while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
                if (strstr(line, "r-xp") != NULL && (strstr(line, "/doors/") || strstr(line, "libthreadcount")))
                        printf("%s", strrchr(line, '/') + 1);
        return team == 0;
}
C
# shellcheck disable=SC2016
in_folder 'cc -O2 -fopenmp openmp.c -o openmp'
expect_equal "keep.so libthreadcount.so.1.0.0" "$(in_folder 'fairly --keep ./openmp' 2>/dev/null | sort | paste -sd' ')" \
        "what fairly --keep opens in a program of gcc's OpenMP"
expect_equal "adopt.so libthreadcount.so.1.0.0" "$(in_folder 'fairly --adapt ./openmp' 2>/dev/null | sort | paste -sd' ')" \
        "what fairly --adapt opens there"
expect_equal "" "$(in_folder 'fairly --quiet sh -c "exit 0"' 2>&1)" "complaints of the dynamic linker"
