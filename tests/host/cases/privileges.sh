# SPDX-License-Identifier: MIT
# The running daemon has no privileges left to abuse.
start_governor
status=$(inside cat "/proc/$(main_pid)/status")
user=$(inside id -u governord)
none=0000000000000000
expect_match "^Uid:.$user.$user.$user.$user$" "$status" "real, effective, saved, file system user"
for set in Inh Prm Eff Bnd Amb; do
        expect_match "^Cap$set:.$none$" "$status" "capabilities"
done
expect_match '^NoNewPrivs:.1$' "$status" "no new privileges"
expect_match '^Seccomp:.2$' "$status" "system call filter"
expect_match '^Seccomp_filters:.[1-9]' "$status" "system call filter"
