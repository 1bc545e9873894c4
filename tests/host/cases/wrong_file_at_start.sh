# SPDX-License-Identifier: MIT
# A wrong file at the start is an error that no restart mends: exit 2, once.
install_units
configure "[governor]" "threshold = a quarter"
expect_status 1 inside systemctl start governord.service
expect_equal failed "$(property governord.service ActiveState)" "the service"
expect_equal 2 "$(property governord.service ExecMainStatus)" "its status"
expect_equal 0 "$(property governord.service NRestarts)" "restarts"
expect_match '/etc/governord.conf:2: .*threshold = a quarter' "$(journal)" "the journal"

# Programs that ask meanwhile are left alone.
expect_status 3 ask advise
configure "[governor]" "threshold = 25%"
inside systemctl reset-failed governord.service governord.socket
expect inside systemctl start governord.socket
expect ask advise
expect_equal 25% "$(setting threshold)" "threshold once it is mended"
