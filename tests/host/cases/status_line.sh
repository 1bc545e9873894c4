# SPDX-License-Identifier: MIT
# `systemctl status` shows what the governor sees, and the settings in force.
start_governor
shows() { inside systemctl status governord.service | grep -qE "Status: \"[0-9]+ of $(inside nproc --all) cpus free, .*threshold $1"; }
wait_for "a status line with the default threshold" shows 5%
inside systemctl status governord.service | grep Status:
configure "[governor]" "threshold = 35%"
expect inside systemctl reload governord.service
wait_for "a status line with the new threshold" shows 35%
inside systemctl status governord.service | grep Status:
