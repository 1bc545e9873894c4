# SPDX-License-Identifier: MIT
# A wrong file at the start takes the governor from nobody: it answers, leaves programs alone, and
# says so until the file is mended.
install_units
configure "[governor]" "threshold = a quarter"
expect ask advise >/dev/null
expect_equal active "$(property governord.service ActiveState)" "the service"
expect_equal 0 "$(property governord.service NRestarts)" "restarts"
expect_equal observe "$(setting mode)" "mode"
expect_match '/etc/governord.conf:2: .*threshold = a quarter' "$(journal)" "the journal"
expect_match 'refused: /etc/governord.conf:2: ' "$(ask status)" "governorctl status"
says() { property governord.service StatusText | grep -qE "$1"; }
wait_for "the status line" says 'configuration refused, programs are left alone: /etc/governord.conf:2: '
pid=$(main_pid)
expect_status 1 inside systemctl reload governord.service

configure "[governor]" "threshold = 25%"
expect inside systemctl reload governord.service
wait_for "the mended threshold" setting_is threshold 25%
expect_equal govern "$(setting mode)" "mode once it is mended"
expect_equal "active $pid" "$(property governord.service ActiveState) $(main_pid)" "the daemon"
