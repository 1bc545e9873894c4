# SPDX-License-Identifier: MIT
"""The programs that run side by side in each case, and their rule. Pure."""

from __future__ import annotations

from dataclasses import dataclass

MD, STEPS, ALLREDUCE = "md", "steps", "allreduce"
MPI, PIPE, STOPPED, LIAR = "mpi", "pipe", "stopped", "liar"
MPI_SLEEPS = "mpi-sleeps"
BYSTANDER = "bystander"
_SLEEP_US = 50
_STOPPED_S = (1.0, 4.0)


@dataclass(frozen=True)
class Member:
    """One program, or several that are started as one. `program` is what it consists of, `mark` tells
    equal names of one case apart, and `processes` share its work. The subject is the program that must not be hurt.
    stop_s: from when to when, in seconds after its start, it is stopped."""

    name: str
    program: str
    mark: str = ""
    words: tuple[str, ...] = ()
    processes: int = 1
    is_subject: bool = False
    stop_s: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """Unique in its case."""
        return f"{self.name}.{self.mark}" if self.mark else self.name


@dataclass(frozen=True)
class Case:
    """Members in the order of their starts; `subject` names those that must not be hurt."""

    name: str
    subject: str
    members: tuple[Member, ...]

    def programs(self) -> list[str]:
        return list(dict.fromkeys(member.program for member in self.members))


@dataclass(frozen=True)
class Arm:
    """One rule. `governed` and `batch` are of the case's programs; `beside`: a program of another user
    runs, too, governed and of class interactive."""

    name: str
    governed: bool = True
    batch: bool = False
    beside: bool = False


TURNS, FAIR, DEFAULT = "turns", "fair", "default"
TURNS_BESIDE, FAIR_BESIDE = "turns-beside", "fair-beside"
ARMS = {
    arm.name: arm
    for arm in (
        Arm(TURNS, batch=True),
        Arm(FAIR),
        Arm(TURNS_BESIDE, batch=True, beside=True),
        Arm(FAIR_BESIDE, beside=True),
        Arm(DEFAULT, governed=False),
    )
}

_NEIGHBOURS = (Member(MD, MD, "0"), Member(MD, MD, "1"))
_SLEEPING_RANKS = Member(
    MPI, ALLREDUCE, words=("--sleep-us", str(_SLEEP_US)), processes=2, is_subject=True
)  # fmt: skip
CASES = {
    case.name: case
    for case in (
        # The coupled ones come last: they are parked first.
        Case(MPI, "both ranks", (*_NEIGHBOURS, Member(MPI, ALLREDUCE, processes=2, is_subject=True))),
        Case(MPI_SLEEPS, "both ranks", (*_NEIGHBOURS, _SLEEPING_RANKS)),
        Case(PIPE, "the pipe", (*_NEIGHBOURS, Member(PIPE, STEPS, processes=2, is_subject=True))),
        Case(
            STOPPED, "the others",
            (
                Member(STOPPED, MD, "holder", stop_s=_STOPPED_S),
                Member(MD, MD, "0", is_subject=True),
                Member(MD, MD, "1", is_subject=True),
            ),
        ),
        Case(
            LIAR, "the honest",
            (
                Member("honest", STEPS, "0", ("tell",), is_subject=True),
                Member("honest", STEPS, "1", ("tell",), is_subject=True),
                Member(LIAR, STEPS, words=("lie",)),
            ),
        ),
    )
}  # fmt: skip
USUAL_CASES = tuple(CASES[name] for name in (MPI, PIPE, STOPPED, LIAR))
NEED_MPI = tuple(name for name, case in CASES.items() if ALLREDUCE in case.programs())


def bystander() -> Member:
    """A program of another user, in the arms that say so; starts first."""
    return Member(BYSTANDER, MD)


def members_of(case: Case, arm: Arm) -> tuple[Member, ...]:
    """In the order of their starts."""
    return (bystander(), *case.members) if arm.beside else case.members


def iterations(length_s: float, region_us: int, cpus: int, processes: int) -> int:
    """Regions of each process of a member that has all of `cpus` busy for length_s."""
    return max(1, round(length_s * 1e6 * cpus / region_us / processes))
