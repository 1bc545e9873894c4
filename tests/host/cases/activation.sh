# SPDX-License-Identifier: MIT
# The first query starts the daemon, and is answered with a measured number.
install_units
expect_match '^uid=[0-9]+\(governord\) gid=[0-9]+\(governord\)' "$(inside id governord)" "its user"
expect_equal notify "$(property governord.service Type)" "how systemd knows that it serves"
expect_equal inactive "$(property governord.service ActiveState)" "before the first query"
expect_equal 755 "$(inside stat -c %a /run/governord)" "the socket's folder"
expect_equal 666 "$(inside stat -c %a /run/governord/governord.sock)" "the socket"

advice=$(expect ask advise --json 2>&1) || exit
expect_match '^\{"threads":[1-9][0-9]*,' "$advice" "nobody's first query"
[[ $advice != *measuring* ]] || fail "a number that is not measured yet: $advice"
expect_equal active "$(property governord.service ActiveState)" "after it"
expect_equal "$(inside id -u governord)" "$(inside stat -c %u "/proc/$(main_pid)")" "the daemon's user"
