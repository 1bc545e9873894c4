# SPDX-License-Identifier: MIT
# A daemon that hangs is replaced; as shipped after 10 s, here after one.
start_governor
expect_equal "10s 3s" "$(property governord.service WatchdogUSec) $(property governord.service TimeoutAbortUSec)" \
        "the shipped watchdog and its patience"
adjust governord.service "[Service]" "WatchdogSec=1s"
expect inside systemctl restart governord.service

pid=$(main_pid)
inside kill -STOP "$pid"
restarted() { [ "$(property governord.service NRestarts)" = 1 ]; }
wait_for "another process" restarted
expect_match 'Watchdog timeout' "$(journal)" "the journal"
expect ask advise
[ "$(main_pid)" != "$pid" ] || fail "still the same process"
