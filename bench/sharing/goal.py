# SPDX-License-Identifier: MIT
"""Goals as ratios of runs that bench/scenario makes, and what came of them. Pure."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from lab.ranges import Range, least, median, ratio
from lab.records import RunRecord

RUNTIMES = ("gcc", "clang")
_TOGETHER_S = 0.1
_MEASURES = {
    "makespan": RunRecord.makespan,
    "aggregate": RunRecord.aggregate,
    "first": RunRecord.first,
}


@dataclass(frozen=True)
class Block:
    """Runs of one call of bench/scenario. Times in seconds; a run is stopped at run_limit_s."""

    name: str
    runtime: str
    region_us: int
    scenarios: tuple[str, ...]
    methods: tuple[str, ...]
    stagger_s: float = _TOGETHER_S
    length_s: float = 4.0
    run_limit_s: float = 60.0


@dataclass(frozen=True)
class Goal:
    """`method` over the best of the `baselines` is to be at most `bound`, by the makespan, the aggregate
    or the time of the first program. With `times_better` it is told the other way round: the baseline
    over the method, at least `bound`. The baselines are of the same scenario, or of `beside`."""

    name: str
    blocks: tuple[str, ...]
    scenarios: tuple[str, ...]
    method: str
    baselines: tuple[str, ...]
    measure: str
    bound: float
    times_better: bool = False
    beside: str | None = None


@dataclass(frozen=True)
class Cell:
    """The outcome of one scenario in one block; median of the ratios of its repetitions."""

    block: str
    scenario: str
    ratios: tuple[Range, ...]
    middle: Range
    met: bool


def cells_of(goal: Goal, runs: dict[str, list[RunRecord]]) -> list[Cell]:
    """The cells of a goal in `runs`, which holds runs by the name of their block."""
    cells = []
    for block, scenario in itertools.product(goal.blocks, goal.scenarios):
        ratios = _ratios(goal, scenario, runs.get(block, []))
        if ratios:
            middle = median(ratios)
            met = middle.low >= goal.bound if goal.times_better else middle.high <= goal.bound
            cells.append(Cell(block, scenario, tuple(ratios), middle, met))
    return cells


def _ratios(goal: Goal, scenario: str, runs: list[RunRecord]) -> list[Range]:
    """One per repetition that holds the method and all baselines."""
    measure = _MEASURES[goal.measure]
    of = {(run.scenario, run.method, run.repetition): measure(run) for run in runs}
    ratios = []
    for (of_scenario, method, repetition), value in of.items():
        if (of_scenario, method) != (scenario, goal.method):
            continue
        beside = goal.beside or scenario
        baselines = [of.get((beside, baseline, repetition)) for baseline in goal.baselines]
        if None not in baselines:
            pair = (value, least(baselines))
            ratios.append(ratio(*(reversed(pair) if goal.times_better else pair)))
    return ratios
