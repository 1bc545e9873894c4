# SPDX-License-Identifier: MIT
"""A cpuset and a quota hold for the programs below them; the others have the rest."""
import cpus
import governor
from expect import expect, say, wait_for
from programs import Program


def shared(labels, bounded):
    """The grants, if these programs share the whole budget and these have their bounds, else None."""
    grants, status = governor.Grants(), governor.ask("status")
    if (set(grants.threads) == labels and grants.are_disjoint()
            and all(grants.threads[label] == bound for label, bound in bounded.items())
            and status["budget"] - 1 <= grants.total() <= status["budget"]):
        say(f"cpus {status['cpus']}, foreign {status['foreign']}, budget {status['budget']}: {grants}")
        return grants
    return None


def run():
    confined = Program("confined", "AllowedCPUs=2-9", busy=6)
    limited = Program("limited", "CPUQuota=400%", busy=3)
    free = Program("free")
    labels = {"confined", "limited", "free"}

    grants = wait_for("8 threads in the cpuset, 4 under the quota, all others for the third",
                      lambda: shared(labels, {"confined": 8, "limited": 4}))
    for label, reason in grants.reasons.items():
        say(f"{label}: {reason}")
    expect(grants.cpus["confined"] == cpus.parse("2-9"), "the cpuset's program is in it")
    expect("quota of its control group: 4 cpus" in grants.reasons["limited"], "the quota is told")
    wait_for("their teams", lambda: (confined.threads(), limited.threads()) == (8, 4))
    wait_for("the third's team", lambda: free.threads() >= 40)

    both = Program("both", "CPUQuota=200%", "AllowedCPUs=32-63", busy=1)
    grants = wait_for("a quota within a cpuset", lambda: shared(
        labels | {"both"}, {"confined": 8, "limited": 4, "both": 2}))
    expect(grants.cpus["both"] <= cpus.parse("32-63"), "in the cpuset")
    wait_for("its team of 2", lambda: both.threads() == 2)
