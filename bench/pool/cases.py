# SPDX-License-Identifier: MIT
"""The runs, and the figure of an article beside each. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable


@dataclass(frozen=True)
class Site:
    """The facts of the machine that the cases need."""

    cpus: int
    has_smt: bool
    quick: bool = False


@dataclass(frozen=True)
class Case:
    """One program with its options. `against` names the case that its ratio refers to, in the article as
    well as here. `article` is the article's figure, in its unit. `unfit` says why this machine cannot
    show what the article found; empty: it can."""

    name: str
    command: tuple[str, ...]
    against: str | None = None
    article: float | None = None
    unfit: str = ""


@dataclass(frozen=True)
class Goal:
    """The figure `key` of `ours` over that of `rival` is to be `bound` at most, or at least."""

    what: str
    ours: str
    rival: str
    key: str
    bound: float
    at_least: bool = False


@dataclass(frozen=True)
class Part:
    """Cases that are run in turns. `key` is the figure in the programs' JSON that is compared. `rate` says
    that more of it is better. `remark` is for the reader of the table."""

    name: str
    title: str
    program: str
    key: str
    unit: str
    cases: tuple[Case, ...]
    remark: str
    article_unit: str = ""
    rate: bool = False
    goals: tuple[Goal, ...] = ()
    extra: tuple[str, ...] = field(default=())  # more figures for a column each

    def __post_init__(self) -> None:
        names = [case.name for case in self.cases]
        named = [case.against for case in self.cases if case.against]
        named += [name for goal in self.goals for name in (goal.ours, goal.rival)]
        if len(set(names)) < len(names) or not set(named) <= set(names):
            raise ValueError(f"part {self.name}: names are not unique, or not there")


def ratio(value: float, reference: float, rate: bool) -> float:
    """Above 1 is worse than the reference, whether more is better or not."""
    return reference / value if rate else value / reference


def article_ratio(part: Part, case: Case) -> float | None:
    """The article's own ratio of that case; None where it has no figure for one of the two."""
    reference = next((other for other in part.cases if other.name == case.against), None)
    if reference is None or case.article is None or reference.article is None:
        return None
    return ratio(case.article, reference.article, part.rate)


Builder = Callable[[Site], Part]
