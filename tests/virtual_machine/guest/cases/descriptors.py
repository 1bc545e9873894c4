# SPDX-License-Identifier: MIT
"""A user sends descriptors whose close waits for minutes, on a kernel that lets them arrive."""
import pathlib
import subprocess

import governor
from expect import expect, now_ms, say, wait_for

SEND = pathlib.Path(__file__).parent.parent / "send_descriptors.py"
SOCKET = "/run/governord/governord.sock"


def run():
    service = governor.main_pid()
    hold_s = "180"
    with subprocess.Popen(["python3", str(SEND), SOCKET, "1", hold_s], user="nobody",
                          extra_groups=[], stdout=subprocess.PIPE, text=True) as attacker:
        try:
            line = attacker.stdout.readline()
            expect(int(line.split()[0]) >= 4, line.strip())
            before, begin = governor.samples(), now_ms()
            wait_for("ten samples", lambda: governor.samples() >= before + 10)
            seconds = (now_ms() - begin) / 1000
            say(f"ten samples within {seconds:.1f} s")
            expect(seconds < 40, "the loop does not wait for what was sent")
            expect(governor.main_pid() == service, "the watchdog had no reason to fire")
        finally:
            attacker.kill()
