# SPDX-License-Identifier: MIT
"""The team size of a program over time, from its report. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.records import ProgramRecord, RunRecord


@dataclass(frozen=True)
class TeamSteps:
    """Team sizes as steps: from times_s[i] on the team has threads[i]; the last step ends the line
    with the size of the one before it. Seconds after the first program's start."""

    times_s: tuple[float, ...]
    threads: tuple[int, ...]
    dropped: int = 0


def team_steps(run: RunRecord, program: ProgramRecord) -> TeamSteps | None:
    """None when the program was stopped and so has not reported."""
    if program.report is None or program.finished_s is None:
        return None
    report = program.report
    changes = report.get("changes") or _unchanged(report)
    times_s = [(change["at_ms"] - run.origin_ms) / 1000 for change in changes]
    threads = [int(change["threads"]) for change in changes]
    if not changes:
        return None
    end_s = max(program.finished_s, times_s[-1])
    dropped = int(report.get("changes_dropped") or 0)
    return TeamSteps((*times_s, end_s), (*threads, threads[-1]), dropped)


def _unchanged(report: dict) -> list[dict]:
    """A program that noted no change had one size from its start on."""
    teams = report.get("teams") or [{"threads": report.get("max_threads", 1)}]
    return [{"at_ms": report["started_at_ms"], "threads": teams[0]["threads"]}]


def typical_run(runs: list[RunRecord]) -> RunRecord | None:
    """The run in the middle by aggregate time, finished ones before stopped ones."""
    if not runs:
        return None
    finished = [run for run in runs if run.stopped_s is None] or runs
    ordered = sorted(finished, key=lambda run: run.aggregate().low)
    return ordered[(len(ordered) - 1) // 2]
