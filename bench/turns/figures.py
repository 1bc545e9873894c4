# SPDX-License-Identifier: MIT
"""The results of the runs: a row for each figure of a case, beside its goal. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

from lab.comparison import Row, at_most, compared
from lab.ranges import Range, total
from lab.records import ProgramRecord, RunRecord

from .cases import ARMS, BYSTANDER, DEFAULT, FAIR, FAIR_BESIDE, TURNS, TURNS_BESIDE, Case, Member, members_of

MOST_RATIO = 1.10
# Beyond turn_max_wait: the governor's decision, and what a look at a clock may be late.
WAIT_MARGIN_S = 1.0
_PAUSE_KEY = "longest_pause_s"

Measure = Callable[[Case, RunRecord], Range]


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
    """The longest wait of any batch program of the run but those that are stopped by us: the longest step that it
    tells, else the longest time without CPU."""
    waits = [
        _wait_s(program)
        for member, program in _pairs(case, run)
        if member.stop_s is None and member.name != BYSTANDER
    ]
    return Range(max(wait.low for wait in waits), max(wait.high for wait in waits))


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
    most = MOST_RATIO if goal else None
    return compared(case.name, figure, runs, lambda run: measure(case, run), (arm, baseline), most)


def _waits(case: Case, runs: list[RunRecord], max_wait_s: float) -> Row | None:
    values = tuple(longest_wait_s(case, run) for run in runs if run.method == TURNS)
    baselines = tuple(longest_wait_s(case, run) for run in runs if run.method == FAIR)
    if not values:
        return None
    most_s = max_wait_s + WAIT_MARGIN_S
    verdicts = [at_most(value, most_s) for value in values]
    met = False if False in verdicts else None if None in verdicts else True
    return Row(case.name, "longest wait", TURNS, values, baselines, (), f"<= {most_s:g} s", met)
