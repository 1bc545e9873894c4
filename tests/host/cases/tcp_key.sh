# SPDX-License-Identifier: MIT
# The key `tcp` cannot work in a sandbox without network: a mistake like any other, found by a
# reload, and told of after a start.
start_governor
daemon=$(main_pid)
configure "[governor]" "tcp = 7778"
expect_status 1 inside systemctl reload governord.service
expect_equal "$daemon" "$(main_pid)" "the process that goes on"
wrong='/etc/governord.conf:2: tcp 127.0.0.1:7778: .* give the port to governord.socket'
expect_match "$wrong" "$(journal)" "the journal"
expect ask advise

expect inside systemctl restart governord.service
expect_equal observe "$(setting mode)" "mode after a start"
expect_match "$wrong" "$(property governord.service StatusText)" "the status line"
