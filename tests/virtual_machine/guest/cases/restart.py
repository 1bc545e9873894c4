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
        say(f"{label} is on {len(own & before.cpus[label])} of its {len(before.cpus[label])} CPUs")
    expect(grants.are_disjoint(), "no CPU is granted to two programs")
    # What they burned until they came back is foreign load at first: they may have to shrink.
    wait_for("its first samples", lambda: governor.samples() >= 5)
    for each in programs:
        say(f"{each.label}: {[(ms - at, n) for ms, n in each.history() if ms > at]} (ms, threads)")
    # Who comes back first may grow before the others are back: docs/policy.md, what is weak.
    say(f"{widest_moment(programs, at)} threads at most")
    wait_for("equal shares again, and teams that fit", lambda: governor.shared_equally(3)
             and sum(each.threads() for each in programs) <= 64)


def run():
    programs = [Program(label) for label in ("first", "second", "third")]
    for what in restart, kill:
        wait_for("three programs with equal shares", lambda: governor.shared_equally(3))
        say(what.__name__)
        replaced_by(what, programs)
    expect(all(each.is_running() for each in programs), "all programs run on")
