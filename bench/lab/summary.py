# SPDX-License-Identifier: MIT
"""Runs to rows: medians, spreads, and ratios taken within one repetition of one scenario."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable

from .cells import BASELINES
from .ranges import Range, median, ratio, spread_text
from .records import RunRecord

Measure = Callable[[RunRecord], Range]


@dataclass(frozen=True)
class Row:
    """One method in one scenario; times in seconds, ratios are this method over the baseline."""

    scenario: str
    method: str
    aggregates: tuple[Range, ...]
    makespans: tuple[Range, ...]
    program_elapsed: tuple[Range, ...]
    aggregate_ratios: dict[str, tuple[Range, ...]]
    makespan_ratios: dict[str, tuple[Range, ...]]

    @property
    def aggregate(self) -> Range:
        return median(self.aggregates)

    @property
    def makespan(self) -> Range:
        return median(self.makespans)

    @property
    def stopped(self) -> int:
        """The number of the runs that were stopped at their limit."""
        return sum(not value.exact for value in self.makespans)


def summarize(
    runs: list[RunRecord], methods: list[str], baselines: tuple[str, ...] = BASELINES
) -> list[Row]:
    """One row per scenario and method that has runs; scenarios as they came, methods as listed. Ratios
    are taken over each of the methods in `baselines`."""
    scenarios = list(dict.fromkeys(run.scenario for run in runs))
    cells = [(scenario, method) for scenario in scenarios for method in methods]
    rows = []
    for scenario, method in cells:
        of_cell = [run for run in runs if (run.scenario, run.method) == (scenario, method)]
        if of_cell:
            rows.append(_row(scenario, method, of_cell, runs, baselines))
    return rows


def _row(
    scenario: str,
    method: str,
    of_cell: list[RunRecord],
    runs: list[RunRecord],
    baselines: tuple[str, ...],
) -> Row:
    elapsed = zip(*(run.elapsed() for run in of_cell))
    return Row(
        scenario,
        method,
        tuple(run.aggregate() for run in of_cell),
        tuple(run.makespan() for run in of_cell),
        tuple(median(values) for values in elapsed),
        {base: _ratios(of_cell, runs, base, RunRecord.aggregate) for base in baselines},
        {base: _ratios(of_cell, runs, base, RunRecord.makespan) for base in baselines},
    )


def _ratios(
    of_cell: list[RunRecord], runs: list[RunRecord], baseline: str, measure: Measure
) -> tuple[Range, ...]:
    """One ratio per repetition that holds both runs; a method over itself is exactly 1."""
    ratios = []
    for run in of_cell:
        if run.method == baseline:
            ratios.append(Range.exactly(1.0))
            continue
        for other in runs:
            partner = (run.scenario, baseline, run.repetition)
            if (other.scenario, other.method, other.repetition) == partner:
                ratios.append(ratio(measure(run), measure(other)))
    return tuple(ratios)


def ratio_text(ratios: tuple[Range, ...]) -> str:
    """The median of the ratios, '-' where the baseline was not run."""
    return median(ratios).text(2) if ratios else "-"


def time_text(values: tuple[Range, ...]) -> str:
    """The median in seconds with its spread, '4.21 [4.10-4.50]'; no spread for a single run."""
    middle = median(values).text(2)
    return f"{middle} {spread_text(values, 2)}" if len(values) > 1 else middle


def as_json(rows: list[Row]) -> list[dict[str, Any]]:
    """The rows as plain data; [low, high] per value in seconds, high null when only a bound."""
    return [
        {
            "scenario": row.scenario,
            "method": row.method,
            "runs": len(row.aggregates),
            "stopped": row.stopped,
            "aggregate_s": _pair(row.aggregate),
            "makespan_s": _pair(row.makespan),
            "program_elapsed_s": [_pair(value) for value in row.program_elapsed],
            "aggregate_ratio": _medians(row.aggregate_ratios),
            "makespan_ratio": _medians(row.makespan_ratios),
        }
        for row in rows
    ]


def summary_rows(rows: list[Row]) -> list[dict[str, Any]]:
    """The same in short, for summary.json: medians, numbers where they are exact."""
    return [
        {
            "scenario": row.scenario,
            "method": row.method,
            "runs": len(row.aggregates),
            "stopped": row.stopped,
            "aggregate_s": _short(row.aggregate),
            "makespan_s": _short(row.makespan),
            **_short_ratios("aggregate", row.aggregate_ratios),
            **_short_ratios("makespan", row.makespan_ratios),
        }
        for row in rows
    ]


def _short_ratios(name: str, ratios: dict[str, tuple[Range, ...]]) -> dict[str, Any]:
    return {f"{name}/{base}": _short(median(v)) if v else None for base, v in ratios.items()}


def _short(value: Range) -> float | list[float | None]:
    return round(value.low, 3) if value.exact else _pair(value)


def _medians(ratios: dict[str, tuple[Range, ...]]) -> dict[str, list[float | None] | None]:
    return {base: _pair(median(values)) if values else None for base, values in ratios.items()}


def _pair(value: Range) -> list[float | None]:
    return [round(value.low, 4), None if math.isinf(value.high) else round(value.high, 4)]
