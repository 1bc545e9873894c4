# SPDX-License-Identifier: MIT
"""Figures of two arms of a case, beside a goal for their ratio. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from .columns import markdown
from .ranges import Range, median, ratio, spread_text
from .records import RunRecord

_VERDICTS = {True: "met", False: "MISSED", None: "?"}


@dataclass(frozen=True)
class Row:
    """One figure of one case. `values` and `baselines` are in seconds as a rule. They and `ratios` have one
    entry per repetition that has both runs. met None: nobody can say, or there is no goal."""

    case: str
    figure: str
    arm: str
    values: tuple[Range, ...]
    baselines: tuple[Range, ...]
    ratios: tuple[Range, ...]
    goal: str
    met: bool | None


def compared(
    case: str, figure: str, runs: list[RunRecord], measure: Callable[[RunRecord], Range],
    arms: tuple[str, str], most: float | None,
) -> Row | None:  # fmt: skip
    """The first of `arms` over the second one: the median of the ratios is to be at most `most`, if that
    is given. None: no repetition has both."""
    arm, baseline = arms
    of = {(run.method, run.repetition): measure(run) for run in runs if run.method in arms}
    repetitions = sorted({repetition for _, repetition in of})
    both = [number for number in repetitions if (arm, number) in of and (baseline, number) in of]
    if not both:
        return None
    values = tuple(of[arm, number] for number in both)
    baselines = tuple(of[baseline, number] for number in both)
    ratios = tuple(ratio(value, other) for value, other in zip(values, baselines))
    met = None if most is None else at_most(median(ratios), most)
    goal = "" if most is None else f"<= {most:.2f}"
    return Row(case, figure, f"{arm}/{baseline}", values, baselines, ratios, goal, met)


def at_most(value: Range, bound: float) -> bool | None:
    """None: the bounds of the value do not tell."""
    if value.high <= bound:
        return True
    return False if value.low > bound else None


def comparison_table(rows: list[Row]) -> str:
    """In Markdown that can be read in a terminal."""
    cells = [["case", "figure", "arms", "seconds", "of the second arm", "ratio", "goal", ""]]
    for row in rows:
        verdict = _VERDICTS[row.met] if row.goal else ""
        line = [row.case, row.figure, row.arm, _text(row.values), _text(row.baselines), _text(row.ratios)]
        cells.append([*line, row.goal, verdict])
    return markdown(cells)


def comparison_json(rows: list[Row]) -> list[dict[str, Any]]:
    """The rows as plain data; medians of what is known at least."""
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


def _text(values: tuple[Range, ...]) -> str:
    if not values:
        return ""
    middle = median(values).text(2)
    return f"{middle} {spread_text(values, 2)}" if len(values) > 1 else middle
