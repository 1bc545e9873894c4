# SPDX-License-Identifier: MIT
# A daemon that hangs is replaced.
install_units
adjust governord.service "[Service]" "WatchdogSec=1s"
expect ask advise >/dev/null
pid=$(main_pid)
inside kill -STOP "$pid"
replaced() { [ "$(property governord.service ActiveState)" = active ] && [ "$(main_pid)" != "$pid" ]; }
wait_for "another process" replaced
expect_match 'Watchdog timeout' "$(journal)" "the journal"
expect_equal 1 "$(property governord.service NRestarts)" "restarts"
expect ask advise
