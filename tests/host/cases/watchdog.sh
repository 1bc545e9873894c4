# SPDX-License-Identifier: MIT
# A daemon that hangs is replaced.
install_units
expect_equal "10s 3s" "$(property governord.service WatchdogUSec) $(property governord.service TimeoutAbortUSec)" \
        "as shipped, the watchdog and its patience"
adjust governord.service "[Service]" "WatchdogSec=1s"
expect ask advise >/dev/null
pid=$(main_pid)
inside kill -STOP "$pid"
restarted() { [ "$(property governord.service NRestarts)" = 1 ]; }
wait_for "another process" restarted
expect_match 'Watchdog timeout' "$(journal)" "the journal"
expect ask advise
[ "$(main_pid)" != "$pid" ] || fail "still the same process"
