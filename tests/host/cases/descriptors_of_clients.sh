# SPDX-License-Identifier: MIT
# A user sends descriptors whose close waits for a minute. Others are answered, and the watchdog has
# no reason to fire, whether the kernel lets them arrive or not.
start_governor
adjust governord.service "[Service]" "WatchdogSec=2s"
expect inside systemctl restart governord.service
pid=$(main_pid)
inside_as nobody python3 "$here/../support/send_descriptors.py" /run/governord/governord.sock 1 30 &
for _ in 1 2 3 4 5 6 7 8; do
        expect ask advise >/dev/null
        sleep 0.5
done
expect_equal "0 $pid" "$(property governord.service NRestarts) $(main_pid)" "restarts, and the process"
inside systemctl stop governord.service governord.socket
expect_equal "success" "$(property governord.service Result)" "how it stopped meanwhile"
