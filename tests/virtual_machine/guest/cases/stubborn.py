# SPDX-License-Identifier: MIT
"""Programs that do not give back what they were granted keep it from the others no longer than
handover_max, which is two seconds."""
import os
import signal

import governor
from expect import expect, now_ms, say, wait_for
from programs import Program

# handover_max has gone at the second sample after a newcomer may shake others, which is a second.
SAMPLES = 5


def one_never_leaves_its_region():
    endless = Program("endless", busy=4)
    wait_for("the only program on most CPUs",
             lambda: endless.threads() > 48 and governor.Grants().threads.get("endless", 0) > 48)
    os.kill(endless.pid, signal.SIGUSR1)
    others = [Program("first"), Program("second")]
    wait_for("their first regions", lambda: all(each.history() for each in others))
    before = governor.samples()

    def have_the_rest():
        grants = governor.Grants()
        return grants if min(grants.threads[each.label] for each in others) >= 21 else None

    grants = wait_for("a third of the CPUs or more for each of the others", have_the_rest)
    expect(governor.samples() - before <= SAMPLES, f"within {SAMPLES} samples")
    say(f"{grants}: {grants.reasons['endless']}")
    expect(endless.threads() > 48, "it has not begun another region")
    endless.end()
    return others


def one_is_stopped(victim, other):
    wait_for("equal shares", lambda: governor.shared_equally(2))
    os.kill(victim.pid, signal.SIGSTOP)
    at, before = now_ms(), governor.samples()
    wait_for("its CPUs with the other", lambda: other.threads() > 48)
    expect(governor.samples() - before <= 3, "within three samples")
    say(f"teams {[(ms - at, n) for ms, n in other.history() if ms > at]} (ms after it was stopped, threads)")
    os.kill(victim.pid, signal.SIGCONT)
    at, before = now_ms(), governor.samples()
    wait_for("equal shares again", lambda: governor.shared_equally(2))
    expect(governor.samples() - before <= SAMPLES, f"within {SAMPLES} samples")
    say(f"teams {[(ms - at, n) for ms, n in victim.history() if ms > at]} (ms after it went on, threads)")


def run():
    first, second = one_never_leaves_its_region()
    one_is_stopped(first, second)
