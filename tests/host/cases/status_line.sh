# SPDX-License-Identifier: MIT
# `systemctl status` shows what the governor sees, and the settings in force.
start_governor
shows() { inside systemctl status governord.service | grep -qE "Status: \"[0-9]+ of $(inside nproc --all) cpus free, .*, $1"; }
wait_for "a status line with the default policy" shows "fair, 0 programs on 0 cpus"
inside systemctl status governord.service | grep Status:
configure "[governor]" "policy = threshold" "threshold = 35%"
expect inside systemctl reload governord.service
wait_for "a status line with the other policy" shows "threshold 35%"
inside systemctl status governord.service | grep Status:
