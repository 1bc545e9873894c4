# SPDX-License-Identifier: MIT
"""The daemon is replaced under load: by the administrator, and after it was killed."""
import os
import signal

import governor
from expect import expect, now_ms, say, wait_for
from programs import Program, widest_moment


def restart():
    governor.command("systemctl", "restart", governor.SERVICE)


def kill():
    os.kill(governor.main_pid(), signal.SIGKILL)


def replaced_by(what, programs):
    before, service, at = governor.Grants(), governor.main_pid(), now_ms()
    what()
    wait_for("another process", lambda: governor.main_pid() not in (0, service))

    def are_back():
        grants = governor.Grants()
        return grants if set(grants.threads) == set(before.threads) else None

    grants = wait_for("all programs, with leases again", are_back)
    say(f"{now_ms() - at} ms after: {grants}")
    for label, own in grants.cpus.items():
        kept = own & before.cpus[label]
        expect(len(kept) >= min(len(own), len(before.cpus[label])) - 2,
               f"{label} is where it was, on {len(kept)} of its CPUs")
    expect(grants.are_disjoint(), "no CPU is granted to two programs")
    # The daemon's findings by its first samples must not shake them, either.
    wait_for("three more samples", lambda: governor.samples() >= 5)
    for each in programs:
        say(f"{each.label}: {[(ms - at, n) for ms, n in each.history() if ms > at]} (ms, threads)")
    expect(widest_moment(programs, at) <= 64, f"{widest_moment(programs, at)} threads at most")


def run():
    programs = [Program(label) for label in ("first", "second", "third")]
    for what in restart, kill:
        wait_for("three programs with equal shares", lambda: governor.shared_equally(3))
        say(what.__name__)
        replaced_by(what, programs)
    expect(all(each.is_running() for each in programs), "all programs run on")
