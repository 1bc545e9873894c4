# SPDX-License-Identifier: MIT
"""The programs that run side by side in each case, and their rule. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.cells import Method, method_named

HOG, NICE_HOG, SLEEPER = "hog", "nice-hog", "sleeper"
NEIGHBOURS = (HOG, NICE_HOG, SLEEPER)
HOGS_LOAD = "bt.W"
# Name and class. Each takes 0.7 to 14 s on two CPUs.
LOADS = ("cg.A", "ft.A", "mg.A", "ep.W", "bt.W", "lu.W", "lu.A")


@dataclass(frozen=True)
class Arm:
    """`method`: what the program's environment says. The binary has the library's lines, or is as it
    was published; `words` of governorctl come in front of the command."""

    name: str
    method: Method
    has_lines: bool = True
    words: tuple[str, ...] | None = None


# One binary: a second one may be faster or slower by where its loops lie.
PLAIN, UNMODIFIED = "plain", "unmodified"
BASELINES = ("static", "passive", "one", "dynamic")
ARMS = {
    arm.name: arm
    for arm in (
        Arm(PLAIN, method_named("default")),
        *(Arm(name, method_named(name)) for name in (*BASELINES, "in-turn")),
        Arm("fair", method_named("fair")),
        Arm("turns", method_named("turns")),
        Arm(UNMODIFIED, method_named("default"), has_lines=False),
        Arm("run", method_named("default"), has_lines=False, words=("run", "-q")),
        Arm("batch", method_named("default"), has_lines=False, words=("run", "-q", "--batch")),
        Arm("keep", method_named("default"), has_lines=False, words=("run", "-q", "--keep")),
        Arm("adapt", method_named("default"), has_lines=False, words=("run", "-q", "--adapt")),
        Arm("unmodified-in-turn", method_named("in-turn"), has_lines=False),
        Arm("unmodified-passive", method_named("passive"), has_lines=False),
    )
}


def plain_of(arm: str) -> str:
    """The arm that runs the same binary with nobody's help."""
    return PLAIN if ARMS[arm].has_lines else UNMODIFIED


@dataclass(frozen=True)
class Case:
    """Members in the order of their starts, stagger_s apart. The neighbour, if there is one, starts first."""

    name: str
    members: tuple[str, ...]
    stagger_s: float = 0.05

    @property
    def loads(self) -> tuple[str, ...]:
        return tuple(name for name in self.members if name not in NEIGHBOURS)

    def arms(self, asked: tuple[str, ...]) -> list[str]:
        """Nobody can wait for a neighbour: it is there all the time."""
        has_neighbour = self.loads != self.members
        return [name for name in asked if not (has_neighbour and ARMS[name].method.in_turn)]


ALONE = "alone-"
CASES = {
    case.name: case
    for case in (
        *(Case(f"{ALONE}{load}", (load,)) for load in LOADS),
        Case("equal", ("bt.W", "bt.W")),
        Case("mixed", ("cg.A", "ft.A", "mg.A", "ep.W")),
        Case("staggered", ("bt.W", "cg.A", "mg.A"), 0.75),
        Case("short", ("lu.W", "cg.A"), 1.2),
        Case(HOG, (HOG, "mg.A", "cg.A"), 0.2),
        Case(NICE_HOG, (NICE_HOG, "mg.A", "cg.A"), 0.2),
        Case(SLEEPER, (SLEEPER, "lu.W"), 0.5),
        Case("long", ("lu.A", "lu.A")),
    )
}
