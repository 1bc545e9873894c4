# SPDX-License-Identifier: MIT
"""The results of the runs: a row for each arm of a case. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from lab.ranges import Range, least, median, ratio, total
from lab.records import ProgramRecord, RunRecord

from .cases import ALONE, ARMS, BASELINES, CASES, NEIGHBOURS, PLAIN, UNMODIFIED, Case, plain_of

Measure = Callable[[RunRecord], Range]


@dataclass(frozen=True)
class Row:
    """Times in seconds, one for each repetition. Ratios are of two runs of one repetition: over the best
    of BASELINES and over PLAIN, which are of one binary, and over UNMODIFIED. Empty: no repetition has
    both, or the binary is another one."""

    case: str
    arm: str
    sums: tuple[Range, ...]
    makespans: tuple[Range, ...]
    neighbours: tuple[Range, ...]
    sum_over_best: tuple[Range, ...]
    makespan_over_best: tuple[Range, ...]
    sum_over_plain: tuple[Range, ...]
    sum_over_unmodified: tuple[Range, ...]
    slowdown: Range | None
    cpu_s: float
    foreign_cpus: float | None


def rows_of(case: Case, runs: list[RunRecord]) -> list[Row]:
    """In the order in which the arms came."""
    of_case = [run for run in runs if run.scenario == case.name]
    alone = {binary: _alone(runs, binary) for binary in (PLAIN, UNMODIFIED)}
    arms = list(dict.fromkeys(run.method for run in of_case))
    return [_row(case, arm, of_case, alone) for arm in arms]


def _row(case: Case, arm: str, of_case: list[RunRecord], alone: dict[str, dict[str, Range]]) -> Row:
    own = [run for run in of_case if run.method == arm]
    has_neighbour = len(case.loads) < len(case.members)
    foreign = [run.foreign_cpus for run in own if run.foreign_cpus is not None]
    return Row(
        case.name,
        arm,
        tuple(sum_of(run) for run in own),
        tuple(makespan_of(run) for run in own),
        tuple(run.first() for run in own) if has_neighbour else (),
        _ratios(own, of_case, BASELINES, sum_of) if ARMS[arm].has_lines else (),
        _ratios(own, of_case, BASELINES, makespan_of) if ARMS[arm].has_lines else (),
        _ratios(own, of_case, (PLAIN,), sum_of) if ARMS[arm].has_lines else (),
        _ratios(own, of_case, (UNMODIFIED,), sum_of),
        _slowdown(case, own, alone[plain_of(arm)]),
        median(Range.exactly(sum(program.cpu_s for program in run.programs)) for run in own).low,
        max(foreign, default=None),
    )


def _ours(run: RunRecord) -> list[tuple[ProgramRecord, Range]]:
    """Those that are measured, with their times from start to finish."""
    members = CASES[run.scenario].members
    pairs = zip(members, zip(run.programs, run.elapsed()))
    return [pair for name, pair in pairs if name not in NEIGHBOURS]


def sum_of(run: RunRecord) -> Range:
    """The sum of the times of all but the neighbour."""
    return total(elapsed for _, elapsed in _ours(run))


def makespan_of(run: RunRecord) -> Range:
    """From the first start to the last finish of all but the neighbour."""
    ours = _ours(run)
    began_s = min(program.started_s or 0.0 for program, _ in ours)
    ends = [
        Range.at_least((run.stopped_s or 0.0) - began_s)
        if program.finished_s is None
        else Range.exactly(program.finished_s - began_s)
        for program, _ in ours
    ]
    return Range(max(end.low for end in ends), max(end.high for end in ends))


def _ratios(
    own: list[RunRecord], of_case: list[RunRecord], baselines: tuple[str, ...], measure: Measure
) -> tuple[Range, ...]:
    found = []
    for run in own:
        others = {
            other.method: measure(other)
            for other in of_case
            if other.repetition == run.repetition and other.method in baselines
        }
        if len(others) == len(baselines):
            found.append(ratio(measure(run), least(others.values())))
    return tuple(found)


def _alone(runs: list[RunRecord], binary: str) -> dict[str, Range]:
    """Medians of programs that had the machine for themselves; `binary`: PLAIN or UNMODIFIED."""
    times: dict[str, list[Range]] = {}
    for run in runs:
        if run.scenario.startswith(ALONE) and run.method == binary:
            times.setdefault(run.scenario.removeprefix(ALONE), []).append(run.first())
    return {load: median(values) for load, values in times.items()}


def _slowdown(case: Case, own: list[RunRecord], alone: dict[str, Range]) -> Range | None:
    """The largest of a program's time over its time alone, medians; None where one of these is missing."""
    if any(load not in alone for load in case.loads):
        return None
    each = zip(*([elapsed for _, elapsed in _ours(run)] for run in own))
    slowdowns = [ratio(median(times), alone[load]) for load, times in zip(case.loads, each)]
    return Range(max(value.low for value in slowdowns), max(value.high for value in slowdowns))


def summary_rows(rows: list[Row]) -> list[dict[str, Any]]:
    """Medians; what is known at least."""

    def middle(values: tuple[Range, ...]) -> float | None:
        return round(median(values).low, 3) if values else None

    return [
        {
            "case": row.case,
            "arm": row.arm,
            "runs": len(row.sums),
            "sum_s": middle(row.sums),
            "makespan_s": middle(row.makespans),
            "neighbour_s": middle(row.neighbours),
            "sum/best": middle(row.sum_over_best),
            "makespan/best": middle(row.makespan_over_best),
            "sum/plain": middle(row.sum_over_plain),
            "sum/unmodified": middle(row.sum_over_unmodified),
            "max_slowdown": round(row.slowdown.low, 3) if row.slowdown else None,
            "cpu_s": round(row.cpu_s, 2),
        }
        for row in rows
    ]
