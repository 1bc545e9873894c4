# SPDX-License-Identifier: MIT
"""A user attacks the daemon with requests, one way after the other. Another user is answered all the while."""
import contextlib
import os
import pathlib
import signal
import subprocess
import time

import governor
from expect import expect, now_ms, say

ATTACK = pathlib.Path(__file__).parent.parent / "attack"
SOCKET = "/run/governord/governord.sock"
ATTACKER, BYSTANDER, NEWCOMER = 3101, 3200, 3201


@contextlib.contextmanager
def attacker(kind, members=0, user=ATTACKER):
    """One that has so many threads or leases; it attacks at SIGUSR1."""
    command = (ATTACK, "--socket", SOCKET, "--user", str(user), "--kind", kind,
               "--members", str(members), "--memory", "64")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            has = int(process.stdout.readline())
            expect(has == members, f"{kind}: user {user} has {has} of {members} threads or leases")
            expect(process.stdout.readline() == "ready\n", f"{kind}: it is ready")
            yield process
        finally:
            process.kill()


def is_answered(count):
    """For so many samples."""
    first = last = governor.samples(BYSTANDER)
    longest_ms = 0
    while last < first + count:
        asked = now_ms()
        last = governor.samples(BYSTANDER)
        longest_ms = max(longest_ms, now_ms() - asked)
    say(f"the longest answer took {longest_ms} ms")
    expect(longest_ms < 20_000, "the loop does not wait for the attacker")


def begin(process):
    process.send_signal(signal.SIGUSR1)


def end(kind, process):
    process.terminate()
    say(f"{kind}: {process.stdout.readline().strip()}")


def attack(kind, members=0):
    with attacker(kind, members) as process:
        begin(process)
        is_answered(5)
        end(kind, process)


def storm():
    """A new connection waits behind 4,096 of the attacker: seconds here, longer than governorctl does."""
    before = governor.samples(BYSTANDER)
    with attacker("storm") as process:
        begin(process)
        time.sleep(10)
        files = len(os.listdir(f"/proc/{governor.main_pid()}/fd"))
        end("storm", process)
    after = governor.samples(BYSTANDER)
    expect(after >= before + 5, f"storm: {after - before} samples meanwhile")
    expect(files < 4096, f"storm: {files} open files, most of them sockets to be closed")


def run():
    service = governor.main_pid()
    is_answered(3)
    attack("burst", 1000)
    storm()
    attack("memory")
    with attacker("hold", 30):
        attack("pairs")
        attack("update")
    with attacker("hold", 1, NEWCOMER):
        say("a newcomer has a lease")
    expect(governor.main_pid() == service, "the watchdog had no reason to fire")
