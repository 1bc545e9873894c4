# SPDX-License-Identifier: MIT
"""The tables, as markdown that can be read in a terminal. Pure."""

from __future__ import annotations

from typing import Any

from .cases import Part, article_ratio
from .figures import Runs, Spread, figures_of, ratios_of, transfer_text, verdicts_of

_MOST_FOREIGN = 0.1
_EXPLANATION = """\
here: median of the repetitions [smallest-largest]. ratio: to the case named under `to`, above 1 is worse;
of two runs of one repetition, the median of these. transfers: is the article's ratio on the same side of 1
as here?"""


def report_text(
    machine: dict[str, Any],
    settings: dict[str, Any],
    results: list[tuple[Part, Runs]],
    foreign_cpus: dict[str, float | None],
) -> str:
    """Everything, part after part; foreign_cpus: of each part, how many CPUs others kept busy."""
    blocks = [
        f"{machine['cpu_model']}, {len(machine['cpus_allowed'])} CPUs allowed, {machine['kernel']},"
        f" {machine['date']}; load average before {machine['load_average_before'][0]:.2f}."
        f" {settings['repetitions']} repetitions{', quick' if settings['quick'] else ''}.",
        _EXPLANATION,
    ]
    for part, runs in results:
        blocks += [f"## {part.title}", part.remark, _table(_rows(part, runs))]
        foreign = foreign_cpus.get(part.name) or 0.0
        trouble = ": measure again, these figures say little" if foreign > _MOST_FOREIGN else ""
        blocks.append(f"Others kept {foreign:.2f} CPUs busy{trouble}.")
        if part.goals:
            blocks.append(_table(_goal_rows(part, runs, doubtful=bool(trouble))))
    return "\n\n".join(blocks) + "\n"


def _rows(part: Part, runs: Runs) -> list[list[str]]:
    letters = {case.name: chr(ord("a") + index) for index, case in enumerate(part.cases)}
    unit = f", {part.article_unit}" if part.article_unit else ""
    rows = [["", "case", f"article{unit}", f"here, {part.unit}", "to", "ratio there", "ratio here"]]
    rows[0] += [*part.extra, "transfers"]
    for case in part.cases:
        there, here = article_ratio(part, case), ratios_of(runs, part, case)
        row = [letters[case.name], case.name, "" if case.article is None else f"{case.article:g}"]
        row += [_spread_text(figures_of(runs, case.name, part.key)), letters.get(case.against or "", "")]
        row += ["" if there is None else f"{there:.2f}", "" if here is None else _spread_text(here, 2)]
        row += [f"{figures_of(runs, case.name, key).median:.3g}" for key in part.extra]
        rows.append([*row, transfer_text(case, there, here)])
    return rows


def _goal_rows(part: Part, runs: Runs, doubtful: bool) -> list[list[str]]:
    rows = [["goal", "ours", "to", "ratio", "wanted", ""]]
    for verdict in verdicts_of(runs, part):
        goal = verdict.goal
        sign = ">=" if goal.at_least else "<="
        met = ("reached" if verdict.met else "MISSED") + ("?" if doubtful else "")
        rows.append([goal.what, goal.ours, goal.rival, f"{verdict.ratio:.3f}", f"{sign} {goal.bound:g}", met])
    return rows


def _spread_text(spread: Spread, digits: int | None = None) -> str:
    def text(value: float) -> str:
        if digits is not None:
            return f"{value:.{digits}f}"
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"

    return f"{text(spread.median)} [{text(spread.least)}-{text(spread.most)}]"


def _table(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(rows[0]), rule, *(line(row) for row in rows[1:])])
