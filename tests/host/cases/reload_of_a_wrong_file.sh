# SPDX-License-Identifier: MIT
# `systemctl reload` of a wrong file fails, says where, and changes nothing.
start_governor
configure "[governor]" "threshold = 20%"
expect inside systemctl reload governord.service
wait_for "the new threshold" setting_is threshold 20%
pid=$(main_pid)

configure "[governor]" "period = 2s" "threshold = a quarter"
expect_status 1 inside systemctl reload governord.service
expect_equal 20% "$(setting threshold)" "threshold"
expect_equal 1s "$(setting period)" "period"
expect_match '/etc/governord.conf:3: .*threshold = a quarter' "$(journal)" "the journal"
expect_equal "active $pid" "$(property governord.service ActiveState) $(main_pid)" "the daemon"

configure "[governor]" "threshold = 25%"
expect inside systemctl reload governord.service
wait_for "the mended threshold" setting_is threshold 25%
