# SPDX-License-Identifier: MIT
# `systemctl reload` puts a right file in force, in the same process.
start_governor
pid=$(main_pid)
expect_equal 5% "$(setting threshold)" "threshold before"
configure "[governor]" "threshold = 20%"
expect inside systemctl reload governord.service
wait_for "the new threshold" setting_is threshold 20%
expect_match '^# /etc/governord.conf:2$' "$(ask config)" "where it comes from"
expect_equal "$pid" "$(main_pid)" "the process"
