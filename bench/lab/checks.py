# SPDX-License-Identifier: MIT
"""Did all programs compute the same? A fast wrong answer is no answer."""

from __future__ import annotations

from typing import Any, Hashable

from .records import RunRecord


def checksum_errors(runs: list[RunRecord]) -> list[str]:
    """A sentence for each program whose checksum differs from the first one that did the same work.
    Numbers may differ by their tolerance (absolute); anything else must be equal."""
    first: dict[Hashable, tuple[Any, str]] = {}
    errors = []
    for run in runs:
        for place, program in enumerate(run.programs):
            report = program.report
            if report is None:
                continue
            where = f"{run.scenario} {run.method} repetition {run.repetition + 1} program {place + 1}"
            same_work = (program.load, report.get("work"), report.get("iterations"))
            expected, origin = first.setdefault(same_work, (report.get("checksum"), where))
            if not _agree(expected, report.get("checksum"), report.get("tolerance")):
                errors.append(
                    f"checksum of {program.load} is {report.get('checksum')!r} in {where}, but"
                    f" {expected!r} in {origin} (tolerance {report.get('tolerance')!r})."
                )
    return errors


def _agree(one: Any, other: Any, tolerance: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        allowed = abs(tolerance) if isinstance(tolerance, (int, float)) else 0.0
        return one == other or abs(one - other) <= allowed
    return one is not None and one == other
