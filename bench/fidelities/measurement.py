# SPDX-License-Identifier: MIT
"""Cells measured on this machine, by the runs of bench/scenario."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from lab.cells import Method, Scenario, method_named, scenario_named
from lab.quantities import BadInput, region_text, span_text
from lab.ranges import Range, median, ratio, spread
from lab.records import Results, RunRecord
from lab.stage import Stage
from sharing.plan import expected_run_s
from sharing.runner import Experiment, conditions
from sharing.settings import Settings

from .cells import IDEAL, Cell

_LOAD = "md"
_RUNTIMES = {"libgomp": "gcc", "libomp": "clang"}
# The names that bench/scenario has for them. Programs one after the other say how long the work takes alone.
_METHODS = {"plain": "default", IDEAL: "in-turn"}
_CALIBRATION_S = 3.0
_LONGEST = 12.0  # times the ideal, then a run is stopped and its cell says nothing
_PROGRAM_OF = ("runtime", "region_us", "count", "habit", "length_s", "stagger_s")


@dataclass(frozen=True)
class Kind:
    """The same programs under several methods."""

    cells: tuple[Cell, ...]

    @property
    def scenario(self) -> Scenario:
        return scenario_named(f"{self.cells[0].habit}-{_LOAD}-{self.cells[0].count}")

    @property
    def methods(self) -> tuple[Method, ...]:
        names = [name for cell in self.cells for name in (cell.method, cell.baseline)]
        return tuple(method_named(_METHODS.get(name, name)) for name in dict.fromkeys(names))

    @property
    def name(self) -> str:
        first = self.cells[0]
        return f"{first.runtime}, regions of {region_text(first.region_us)}, {self.scenario.name}"

    def settings(self, programs: Path, repetitions: int) -> Settings:
        first = self.cells[0]
        if first.runtime not in _RUNTIMES:
            raise BadInput(f"--cells: runtime {first.runtime}: {', '.join(_RUNTIMES)} are accepted.")
        return Settings(
            full=False, scenarios=(self.scenario,), methods=self.methods, repetitions=repetitions,
            region_us=first.region_us, iterations=None, length_s=first.length_s, least_program_s=0.0,
            runtime=_RUNTIMES[first.runtime], stagger_s=first.stagger_s, interval_s=1.0, period_s=0.25,
            run_limit_s=_LONGEST * first.length_s + first.count * first.stagger_s, budget_s=None,
            seed=1, programs=programs.resolve(), output=None, pictures=False, dry_run=False, redraw=None,
        )  # fmt: skip


def kinds_of(cells: list[Cell]) -> list[Kind]:
    """In the order in which they come."""
    of: dict[tuple, list[Cell]] = {}
    for cell in cells:
        of.setdefault(tuple(getattr(cell, name) for name in _PROGRAM_OF), []).append(cell)
    return [Kind(tuple(alike)) for alike in of.values()]


def plan_text(kinds: list[Kind], programs: Path, repetitions: int) -> str:
    """The runs that would be made, and the time that they take."""
    spans_s = [_expected_s(kind, programs, repetitions) for kind in kinds]
    lines = [
        f"{kind.name}: {', '.join(method.name for method in kind.methods)} x {repetitions},"
        f" about {span_text(span_s)}"
        for kind, span_s in zip(kinds, spans_s)
    ]
    cells = sum(len(kind.cells) for kind in kinds)
    return "\n".join([*lines, f"{cells} cells, about {span_text(sum(spans_s))}"]) + "\n"


def measure(
    kind: Kind,
    programs: Path,
    repetitions: int,
    stage: Stage,
    ideal_s: Callable[[Cell], float],
) -> list[Cell]:
    """The cells with the measured figures. Cells of which a run was stopped stay open. `ideal_s` is the
    figure of a cell without barriers, of programs that take alone what was asked for."""
    settings = kind.settings(programs, repetitions)
    results = Results({}, {}, {})
    Experiment(
        settings, results, stage.folder, stage.interruption, stage.progress, time.monotonic()
    ).run()
    return [measured(cell, results.runs, ideal_s) for cell in kind.cells]


def measured(cell: Cell, runs: list[RunRecord], ideal_s: Callable[[Cell], float]) -> Cell:
    """Median and extremes of the ratios of the repetitions; none where a run was stopped."""
    figure = RunRecord.makespan if cell.figure == "makespan" else RunRecord.aggregate

    def of(name: str) -> list[Range]:
        of_method = [run for run in runs if run.method == _METHODS.get(name, name)]
        if name == IDEAL:
            factor, spans = ideal_s(cell) / cell.length_s, [run.makespan() for run in of_method]
            return [Range(factor * span.low, factor * span.high) for span in spans]
        return [figure(run) for run in of_method]

    ratios = [ratio(*pair) for pair in zip(of(cell.method), of(cell.baseline))]
    if not ratios or not all(one.exact for one in ratios):
        return replace(cell, measured=None, least=None, most=None)
    extremes = spread(ratios)
    return replace(cell, measured=median(ratios).low, least=extremes.low, most=extremes.high)


def _expected_s(kind: Kind, programs: Path, repetitions: int) -> float:
    settings = kind.settings(programs, repetitions)
    where = conditions(settings, {})
    program_s = settings.length_s / kind.cells[0].count
    pauses_s = sum(where.warm_up_s for method in kind.methods if not method.governed)
    runs_s = sum(expected_run_s(method, kind.scenario, program_s, where) for method in kind.methods)
    return _CALIBRATION_S + repetitions * (runs_s + pauses_s)
