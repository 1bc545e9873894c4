# SPDX-License-Identifier: MIT
"""What the runs come to: a row for each figure of a case, beside its goal. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable

from lab.ranges import Range, median, ratio, total
from lab.records import ProgramRecord, RunRecord

from .cases import ARMS, BYSTANDER, DEFAULT, FAIR, FAIR_BESIDE, TURNS, TURNS_BESIDE, Case, Member, members_of

MOST_RATIO = 1.10
# Beyond turn_max_wait: the governor's decision, and what a look at a clock may be late.
WAIT_MARGIN_S = 1.0
_PAUSE_KEY = "longest_pause_s"

Measure = Callable[[Case, RunRecord], Range]


@dataclass(frozen=True)
class Row:
    """One figure of one case. `values`, in seconds, and `ratios` are one per repetition that has both
    runs; rows without ratios compare the largest value with `most_s`. met None: nobody can say."""

    case: str
    figure: str
    arm: str
    values: tuple[Range, ...]
    baselines: tuple[Range, ...]
    ratios: tuple[Range, ...]
    goal: str
    met: bool | None


def with_pause(program: ProgramRecord, pause_s: float | None) -> ProgramRecord:
    """Keeps what was seen from outside beside what the program has reported."""
    if program.report is None:
        return program
    return replace(program, report={**program.report, _PAUSE_KEY: pause_s})


def rows_of(case: Case, runs: list[RunRecord], max_wait_s: float) -> list[Row]:
    """Rows of what was run of this case."""
    of_case = [run for run in runs if run.scenario == case.name]
    rows = [
        _compared(case, "makespan", of_case, lambda _, run: run.makespan()),
        _compared(case, "aggregate", of_case, lambda _, run: run.aggregate()),
        _compared(case, f"elapsed, {case.subject}", of_case, _subject_s),
        _waits(case, of_case, max_wait_s),
        _compared(case, "elapsed, another user's", of_case, _bystander_s, TURNS_BESIDE, FAIR_BESIDE),
        _compared(case, "makespan", of_case, lambda _, run: run.makespan(), DEFAULT, FAIR, goal=False),
    ]
    return [row for row in rows if row is not None]


def longest_wait_s(case: Case, run: RunRecord) -> Range:
    """Of any batch program of the run but those that are stopped by us: the longest step that it tells,
    else the longest time without CPU."""
    waits = [
        _wait_s(program)
        for member, program in _pairs(case, run)
        if member.stop_s is None and member.name != BYSTANDER
    ]
    return Range(max(wait.low for wait in waits), max(wait.high for wait in waits))


def as_json(rows: list[Row]) -> list[dict[str, Any]]:
    """The rows as plain data; medians of what is known at least, in seconds."""
    return [
        {
            "case": row.case,
            "figure": row.figure,
            "arm": row.arm,
            "runs": len(row.values),
            "median_s": round(median(row.values).low, 4),
            "ratio": round(median(row.ratios).low, 4) if row.ratios else None,
            "goal": row.goal,
            "met": row.met,
        }
        for row in rows
    ]


def _wait_s(program: ProgramRecord) -> Range:
    report = program.report
    if report is None:
        return Range.at_least(0.0)
    if "longest_step_ms" in report:
        return Range.exactly(report["longest_step_ms"] / 1000)
    pause_s = report.get(_PAUSE_KEY)
    return Range.at_least(0.0) if pause_s is None else Range.exactly(pause_s)


def _pairs(case: Case, run: RunRecord) -> list[tuple[Member, ProgramRecord]]:
    return list(zip(members_of(case, ARMS[run.method]), run.programs))




def _subject_s(case: Case, run: RunRecord) -> Range:
    members = members_of(case, ARMS[run.method])
    return total(time for member, time in zip(members, run.elapsed()) if member.is_subject)


def _bystander_s(_: Case, run: RunRecord) -> Range:
    return run.elapsed()[0]


def _compared(
    case: Case, figure: str, runs: list[RunRecord], measure: Measure, arm: str = TURNS,
    baseline: str = FAIR, goal: bool = True,
) -> Row | None:  # fmt: skip
    of = {(run.method, run.repetition): measure(case, run) for run in runs if run.method in (arm, baseline)}
    repetitions = sorted({repetition for _, repetition in of})
    both = [number for number in repetitions if (arm, number) in of and (baseline, number) in of]
    if not both:
        return None
    values = tuple(of[arm, number] for number in both)
    baselines = tuple(of[baseline, number] for number in both)
    ratios = tuple(ratio(value, other) for value, other in zip(values, baselines))
    met = _at_most(median(ratios), MOST_RATIO) if goal else None
    text = f"<= {MOST_RATIO:.2f}" if goal else ""
    return Row(case.name, figure, f"{arm}/{baseline}", values, baselines, ratios, text, met)


def _waits(case: Case, runs: list[RunRecord], max_wait_s: float) -> Row | None:
    values = tuple(longest_wait_s(case, run) for run in runs if run.method == TURNS)
    baselines = tuple(longest_wait_s(case, run) for run in runs if run.method == FAIR)
    if not values:
        return None
    most_s = max_wait_s + WAIT_MARGIN_S
    verdicts = [_at_most(value, most_s) for value in values]
    met = False if False in verdicts else None if None in verdicts else True
    return Row(case.name, "longest wait", TURNS, values, baselines, (), f"<= {most_s:g} s", met)


def _at_most(value: Range, bound: float) -> bool | None:
    """None: the bounds of the value do not tell."""
    if value.high <= bound:
        return True
    return False if value.low > bound else None
