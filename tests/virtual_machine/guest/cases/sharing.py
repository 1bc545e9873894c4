# SPDX-License-Identifier: MIT
"""Programs come, share, and are killed, beside one that nobody governs."""
import cpus
import governor
from expect import expect, now_ms, say, wait_for
from programs import Program


def equal_shares(count):
    return wait_for(f"equal shares of {count} programs, and nobody waiting for CPUs",
                    lambda: governor.shared_equally(count))


def a_package_each():
    first = Program("first")
    wait_for("the only program on most CPUs", lambda: first.threads() > 48)
    second = Program("second")
    grants = equal_shares(2)
    for label, own in grants.cpus.items():
        expect(len(cpus.packages(own)) == 1, f"{label} is on one package")
    expect(cpus.split_cores(grants.cpus.values()) == 0, "no core belongs to both")
    return first, second


def a_newcomer():
    third = Program("third")
    wait_for("the newcomer's first region", third.history)
    before = governor.samples()
    wait_for("a third of the CPUs for the newcomer", lambda: third.threads() >= 18)
    expect(governor.samples() - before <= 4, "within four samples")
    begin = third.history()[0][0]
    say(f"since its first region: {[(ms - begin, n) for ms, n in third.history()]} (ms, threads)")
    took = next(ms for ms, n in third.history() if n >= 18) - begin
    expect(took <= 1500, f"{took} ms after its first region")
    # The third program may have more until the governor knows what it makes use of.
    grants = equal_shares(3)
    expect(cpus.split_cores(grants.cpus.values()) <= 2, "at most two cores belong to two programs")
    return third


def one_is_killed(victim, others):
    grants = governor.Grants()
    left = grants.cpus[victim.label]
    at, before = now_ms(), governor.samples()
    victim.end()

    def given():
        now = governor.Grants()
        # Foreign load may take a few of them.
        return victim.label not in now.threads and len(left & now.all_cpus()) >= len(left) - 6

    wait_for("the CPUs of the killed program with the others", given)
    expect(governor.samples() - before <= 2, "at the next sample, or that after it")
    grown = [min((ms for ms, _ in each.history() if ms >= at), default=None) for each in others]
    expect(all(ms is not None and ms - at <= 1000 for ms in grown),
           f"teams that changed {[ms and ms - at for ms in grown]} ms after the kill: within a period")
    equal_shares(len(others))


def explained(program):
    text = governor.explain(program.pid)
    say(text.rstrip())
    expect(f"process {program.pid} ({program.label}): granted " in text and "64 cpus" in text,
           "explain has the arithmetic")


def a_hog():
    hog = Program("hog", governed=False, maximum=16, busy=16, user="root")

    def yielded():
        grants, status = governor.Grants(), governor.ask("status")
        if status["foreign"] >= 14 and grants.total() <= status["budget"]:
            return grants, status
        return None

    grants, status = wait_for("CPUs that are left to the hog", yielded)
    say(f"cpus {status['cpus']}, foreign {status['foreign']}, budget {status['budget']}: {grants}")
    expect(status["budget"] == status["cpus"] - status["foreign"], "budget = cpus - foreign")
    expect(grants.total() >= 30, f"{grants.total()} are granted: foreign_max is half of the CPUs")
    expect(grants.are_disjoint(), "no CPU is granted to two programs")
    expect("hog" not in grants.threads, "the hog has no lease")
    hog.end()


def run():
    first, second = a_package_each()
    third = a_newcomer()
    explained(third)
    one_is_killed(second, [first, third])
    a_hog()
