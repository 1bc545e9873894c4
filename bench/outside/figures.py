# SPDX-License-Identifier: MIT
"""The results of the runs: a row for each goal of a case. Pure."""

from __future__ import annotations

from typing import Callable

from lab.comparison import Row, compared
from lab.ranges import Range
from lab.records import RunRecord

from .cases import AGGREGATE, LAST, MAKESPAN, P99, SHELL, Case


def rows_of(case: Case, runs: list[RunRecord]) -> list[Row]:
    """Rows of what was run of this case."""
    of_case = [run for run in runs if run.scenario == case.name]
    rows = [
        compared(case.name, goal.figure, of_case, _MEASURES[goal.figure], (goal.arm, goal.baseline), goal.most)
        for goal in case.goals
    ]
    return [row for row in rows if row is not None]


def _without_shell(run: RunRecord) -> list[Range]:
    """Seconds from the first start to the end of each of the others."""
    others = [program for program in run.programs if program.load != SHELL]
    began_s = min(program.started_s or 0.0 for program in others)
    return [
        Range.at_least((run.stopped_s or 0.0) - began_s)
        if program.finished_s is None
        else Range.exactly(program.finished_s - began_s)
        for program in others
    ]


def _makespan(run: RunRecord) -> Range:
    ends = _without_shell(run)
    return Range(max(end.low for end in ends), max(end.high for end in ends))


def _p99_ms(run: RunRecord) -> Range:
    for program in run.programs:
        if program.load == SHELL and program.report is not None:
            return Range.exactly(program.report["p99_ms"])
    return Range.at_least(0.0)


_MEASURES: dict[str, Callable[[RunRecord], Range]] = {
    AGGREGATE: RunRecord.aggregate,
    MAKESPAN: _makespan,
    LAST: lambda run: run.elapsed()[-1],
    P99: _p99_ms,
}
