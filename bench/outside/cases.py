# SPDX-License-Identifier: MIT
"""The programs that run side by side in each case, and how. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from .loads import LOADS, SPINNING

PLAIN, IN_TURN, RUN, BATCH, IDLE = "plain", "in-turn", "run", "batch", "idle"
KEEP, KEEP_BATCH, ADAPT, PASSIVE = "keep", "keep-batch", "adapt", "passive"
HOG, SHORT, AGENT, SHELL = "hog", "short", "agent", "shell"


@dataclass(frozen=True)
class Arm:
    """`words` come in front of the command; None: it is started as it is."""

    name: str
    words: tuple[str, ...] | None = None
    in_turn: bool = False
    variables: dict[str, str] = field(default_factory=dict)


ARMS = {
    arm.name: arm
    for arm in (
        Arm(PLAIN),
        Arm(IN_TURN, in_turn=True),
        Arm(RUN, ("run", "-q")),
        Arm(BATCH, ("run", "-q", "--batch")),
        Arm(KEEP, ("run", "-q", "--keep")),
        Arm(KEEP_BATCH, ("run", "-q", "--keep", "--batch")),
        Arm(ADAPT, ("run", "-q", "--adapt")),
        # The way of a user today that knows why such programs crawl beside each other.
        Arm(PASSIVE, variables={"OMP_WAIT_POLICY": "passive"}),
        Arm(IDLE),
    )
}


@dataclass(frozen=True)
class Goal:
    """`figure` of `arm` over that of `baseline` is to be at most `most`; None: it is told, no more."""

    figure: str
    arm: str
    baseline: str
    most: float | None


MAKESPAN, AGGREGATE, LAST, P99 = "makespan", "sum", "last program", "p99 of the command, ms"


@dataclass(frozen=True)
class Case:
    """Members in the order of their starts, stagger_s apart. Hogs and shells run as they are with every
    arm; with the arm `idle` there are no others than shells."""

    name: str
    members: tuple[str, ...]
    stagger_s: float
    goals: tuple[Goal, ...]

    def arms(self) -> list[str]:
        """Without repetition, in the order of the goals."""
        return list(dict.fromkeys(name for goal in self.goals for name in (goal.baseline, goal.arm)))

    def members_of(self, arm: str) -> tuple[str, ...]:
        return tuple(name for name in self.members if arm != IDLE or name == SHELL)


HOGS_S = 3.0
BEFORE_THEY_END_S = 0.7
_SOON_S = 0.1

_PAIRS = [
    Case(
        f"pair-{load}", (load, load), _SOON_S,
        (
            Goal(AGGREGATE, BATCH, PLAIN, 0.80),
            Goal(MAKESPAN, BATCH, PLAIN, 1.10),
            Goal(AGGREGATE, IN_TURN, PLAIN, None),
            Goal(MAKESPAN, IN_TURN, PLAIN, None),
        ),
    )
    for load in LOADS if load not in SPINNING
]  # fmt: skip
_LONG_REGIONS = "gcc-5s"
_SPINNING_PAIRS = [
    Case(
        f"pair-{load}", (load, load), _SOON_S,
        (
            Goal(MAKESPAN, KEEP, IN_TURN, 1.15),
            Goal(MAKESPAN, KEEP_BATCH, IN_TURN, 1.15),
            Goal(MAKESPAN, ADAPT, IN_TURN, 1.10),
            Goal(AGGREGATE, KEEP, PASSIVE, 1.03),
            Goal(AGGREGATE, ADAPT, PASSIVE, 1.03),
            Goal(MAKESPAN, PASSIVE, IN_TURN, None),
            Goal(MAKESPAN, PLAIN, IN_TURN, None),
            Goal(MAKESPAN, BATCH, IN_TURN, None),
            Goal(AGGREGATE, BATCH, PASSIVE, None),
        ),
    )
    for load in SPINNING if load != _LONG_REGIONS
]  # fmt: skip
_UNEQUAL = Case(
    "pair-unequal", (_LONG_REGIONS, "gcc-1ms"), _SOON_S,
    (
        *(Goal(MAKESPAN, arm, IN_TURN, 1.10) for arm in (KEEP, KEEP_BATCH, ADAPT)),
        *(Goal(MAKESPAN, arm, IN_TURN, None) for arm in (PASSIVE, PLAIN)),
    ),
)  # fmt: skip
_ALONE = [
    Case(
        f"alone-{load}", (load,), 0.0,
        (Goal(MAKESPAN, RUN, PLAIN, 1.01), Goal(MAKESPAN, BATCH, PLAIN, 1.01), Goal(MAKESPAN, KEEP, PLAIN, 1.01)),
    )
    for load in LOADS
]  # fmt: skip
CASES = {
    case.name: case
    for case in (
        *_PAIRS,
        *_SPINNING_PAIRS,
        _UNEQUAL,
        *_ALONE,
        *(
            Case(f"hogs-{load}", (HOG, load), HOGS_S - BEFORE_THEY_END_S, (Goal(LAST, RUN, PLAIN, 1.10),))
            for load in ("go", "clang")
        ),
        Case(SHORT, (SHORT,), 0.0, (Goal(MAKESPAN, RUN, PLAIN, 1.05), Goal(MAKESPAN, BATCH, PLAIN, 1.05))),
        Case(
            "agents", (SHELL, AGENT, AGENT, AGENT, AGENT), _SOON_S,
            (
                Goal(MAKESPAN, RUN, PLAIN, 1.02), Goal(P99, RUN, IDLE, 2.0),
                Goal(MAKESPAN, BATCH, PLAIN, 1.02), Goal(P99, BATCH, IDLE, 2.0),
                Goal(P99, PLAIN, IDLE, None),
            ),
        ),
    )
}  # fmt: skip
