# SPDX-License-Identifier: MIT
# A wrong file at the start is an error that no restart mends: exit 2, once.
install_units
configure "[governor]" "threshold = a quarter"
expect_status 1 inside systemctl start governord.service
expect_equal failed "$(property governord.service ActiveState)" "the service"
expect_equal 2 "$(property governord.service ExecMainStatus)" "its status"
expect_equal 0 "$(property governord.service NRestarts)" "restarts"
expect_match '/etc/governord.conf:2: .*threshold = a quarter' "$(journal)" "the journal"

# A program that asks meanwhile gets a number all the same. Its query starts the daemon over and
# over, until systemd has enough and closes the socket.
answer=$(expect_status 3 ask advise) || exit
expect_equal "$(inside_as nobody nproc)" "$answer" "without a governor"
closed() { [ "$(property governord.socket ActiveState)" = failed ]; }
wait_for "the end of the socket" closed
inside test ! -e /run/governord/governord.sock || fail "the socket is still there"

configure "[governor]" "threshold = 25%"
mended() {
        inside systemctl reset-failed governord.service governord.socket
        inside systemctl start governord.socket && ask advise >/dev/null 2>&1
}
wait_for "an answer after mending the file" mended
expect_equal 25% "$(setting threshold)" "threshold once it is mended"
