# SPDX-License-Identifier: MIT
"""The runs: scenarios (which programs), methods (under which rule) and the order of runs."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from .governor import FAIR_POLICY, threshold_policy
from .habits import HABITS, USUAL, Habit
from .quantities import BadInput

LOADS = ("prime", "mandel", "md", "matvec")
BASELINES = ("default", "passive", "static")
ARTICLE_THRESHOLDS = (5, 10, 15, 20)
MOST_INSTANCES = 64
STREAM = "stream"
LONGEST, SHORTEST = "longest", "shortest"
HABIT_NAMES = (*HABITS, STREAM, LONGEST, SHORTEST)


@dataclass(frozen=True)
class Scenario:
    """Programs that run side by side, in the order in which they are started."""

    name: str
    loads: tuple[str, ...]
    first: Habit = USUAL
    passing: str | None = None  # the load of short programs that come and go meanwhile
    parts: tuple[int, ...] = ()  # how long the programs are beside each other; empty: all alike

    def habit(self, index: int) -> Habit:
        """The habit of the program that is started as number `index`, from 0."""
        return self.first if index == 0 else USUAL

    def share(self, index: int) -> float:
        """The work of that program over the mean of all."""
        return self.parts[index] * len(self.parts) / sum(self.parts) if self.parts else 1.0


@dataclass(frozen=True)
class Method:
    """One column of the table; the policy, lines of the governor's file, is set for governed methods
    only."""

    name: str
    policy: str | None = None
    threshold_percent: int | None = None
    orphaned: bool = False  # the governor is killed in the middle
    batch: bool = False  # programs are of class batch, each a job of its own
    tells_progress: bool = False
    in_turn: bool = False  # a program is started when the one before has ended
    again: bool = False  # the same governor has seen all of it once before

    @property
    def governed(self) -> bool:
        return self.policy is not None

    @property
    def spins(self) -> bool:
        """Waiting threads keep CPUs busy that others share, which may take many times as long."""
        return self.name in ("default", "active", "dynamic")


# Those that need no number.
METHODS = {
    method.name: method
    for method in (
        *(Method(name) for name in (*BASELINES, "active", "dynamic", "one")),
        Method("in-turn", in_turn=True),
        Method("fair", FAIR_POLICY),
        Method("turns", FAIR_POLICY, batch=True),
        Method("turns-again", FAIR_POLICY, batch=True, again=True),
        Method("told-turns", FAIR_POLICY, batch=True, tells_progress=True),
        Method("orphaned", FAIR_POLICY, orphaned=True),
    )
}


@dataclass(frozen=True)
class Cell:
    """One run that is to be made; repetition counts from 0."""

    repetition: int
    scenario: Scenario
    method: Method


def article_scenarios() -> list[Scenario]:
    """All ten: uniform with 2 and 4 instances of each load, mix with 1 and 2 of every load."""
    uniform = [f"uniform-{load}-{count}" for load in LOADS for count in (2, 4)]
    return [scenario_named(name) for name in [*uniform, "mix-1", "mix-2"]]


def scenario_named(name: str) -> Scenario:
    """The scenario of this name:

    - 'uniform-LOAD-N' is N times LOAD.
    - 'sleeper-LOAD-N' and so on are the same with a first program that has this habit.
    - 'stream-LOAD-N' is the same beside short programs that come and go.
    - 'longest-LOAD-N' are programs of N, N-1 and so on to 1 parts of the work.
    - 'shortest-LOAD-N' is the same the other way round.
    - 'mix-N' is N times each load, equal loads in a row."""
    one_load = re.fullmatch(rf"({'|'.join(HABIT_NAMES)})-({'|'.join(LOADS)})-([0-9]{{1,4}})", name)
    mix = re.fullmatch(r"mix-([0-9]{1,4})", name)
    count = int(one_load.group(3) if one_load else mix.group(1) if mix else 0)
    if not 1 <= count <= MOST_INSTANCES:
        raise BadInput(
            f"--scenarios {name!r}: HABIT-LOAD-N and mix-N are accepted, HABIT one of"
            f" {', '.join(HABIT_NAMES)}, LOAD one of {', '.join(LOADS)}, N from 1 to {MOST_INSTANCES},"
            " such as uniform-prime-2,mix-1."
        )
    if one_load:
        habit, load = one_load.group(1), one_load.group(2)
        passing = load if habit == STREAM else None
        parts = tuple(range(1, count + 1)) if habit in (LONGEST, SHORTEST) else ()
        parts = parts[::-1] if habit == LONGEST else parts
        return Scenario(name, (load,) * count, HABITS.get(habit, USUAL), passing, parts)
    return Scenario(name, tuple(load for load in LOADS for _ in range(count)))


def method_named(name: str) -> Method:
    """One of METHODS, or 'threshold-P' with P percent from 1 to 100."""
    if name in METHODS:
        return METHODS[name]
    match = re.fullmatch(r"threshold-([0-9]{1,3})", name)
    if match is None or not 1 <= int(match.group(1)) <= 100:
        raise BadInput(
            f"--methods {name!r}: {', '.join(METHODS)} and threshold-P are accepted,"
            " P a whole percentage from 1 to 100, such as default,static,threshold-10."
        )
    percent = int(match.group(1))
    return Method(name, threshold_policy(percent), percent)


def run_order(
    scenarios: list[Scenario], methods: list[Method], repetitions: int, seed: int
) -> list[Cell]:
    """Every repetition holds every scenario. The methods of one scenario follow each other at once. Their
    order is shuffled anew each time, so that no method always comes first."""
    shuffler = random.Random(seed)
    cells = []
    for repetition in range(repetitions):
        for scenario in scenarios:
            shuffled = shuffler.sample(methods, len(methods))
            cells += [Cell(repetition, scenario, method) for method in shuffled]
    return cells
