# SPDX-License-Identifier: MIT
# A stop ends with success and takes the socket along; a stop of the daemon alone does not.
start_governor
expect inside systemctl stop governord.service
expect_equal success "$(property governord.service Result)" "the stopped daemon"
expect ask advise
expect_equal active "$(property governord.service ActiveState)" "the daemon after another query"

expect inside systemctl stop governord.socket governord.service
expect_equal "inactive success 0" "$(property governord.service ActiveState) \
$(property governord.service Result) $(property governord.service ExecMainStatus)" "the stopped service"
inside test ! -e /run/governord/governord.sock || fail "the socket is still there"
expect_status 3 ask advise
