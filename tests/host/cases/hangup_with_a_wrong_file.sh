# SPDX-License-Identifier: MIT
# A bare SIGHUP cannot fail: the refusal stands in the status line until the file is mended.
start_governor
configure "[governor]" "threshold = a quarter"
expect inside systemctl kill --signal=HUP --kill-who=main governord.service
says() { property governord.service StatusText | grep -qE "$1"; }
wait_for "the refusal in the status line" says 'not reloaded: /etc/governord.conf:2: '
property governord.service StatusText
expect_equal 5% "$(setting threshold)" "threshold"
configure "[governor]" "policy = threshold" "threshold = 25%"
expect inside systemctl reload governord.service
wait_for "the mended threshold" setting_is threshold 25%
wait_for "a status line without the refusal" says 'threshold 25%$'
property governord.service StatusText
