# SPDX-License-Identifier: MIT
# A user sends descriptors whose close waits for a minute. Others are answered, and the watchdog has
# no reason to fire: where the kernel refuses them, and as on an older kernel, which lets them arrive.
start_governor
adjust governord.service "[Service]" "WatchdogSec=2s"
expect inside systemctl restart governord.service

# The machine does not see all of this one's folders.
inside tee /usr/local/bin/old_kernel <"$build/bin/old_kernel" >/dev/null
inside tee /usr/local/bin/send_descriptors.py <"$here/../support/send_descriptors.py" >/dev/null
expect inside chmod 755 /usr/local/bin/old_kernel

# attacked STATUS...: how the attacker may end, see send_descriptors.py.
attacked() {
        local pid attacker
        pid=$(main_pid)
        inside_as nobody python3 /usr/local/bin/send_descriptors.py \
                /run/governord/governord.sock 1 5 &
        attacker=$!
        for _ in 1 2 3 4 5 6 7 8; do
                expect ask advise >/dev/null
                sleep 0.5
        done
        expect_equal "0 $pid" "$(property governord.service NRestarts) $(main_pid)" \
                "restarts, and the process"
        wait $attacker
        expect_match "^$?\$" "$(printf '%s\n' "$@")" "the attacker's exit status"
}
attacked 3 0
adjust governord.service "[Service]" "WatchdogSec=2s" \
        "ExecPaths=/usr/local/bin/old_kernel" \
        "ExecStart=" "ExecStart=/usr/local/bin/old_kernel /usr/local/sbin/governord"
# The socket unit's listener keeps what a daemon has set.
expect inside systemctl stop governord.service governord.socket
expect inside systemctl start governord.socket
expect ask advise >/dev/null
attacked 0
inside systemctl stop governord.service governord.socket
expect_equal success "$(property governord.service Result)" "how it stopped meanwhile"
