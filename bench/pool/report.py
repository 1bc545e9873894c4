# SPDX-License-Identifier: MIT
"""The tables, as markdown that can be read in a terminal. Pure."""

from __future__ import annotations

from typing import Any

from lab.columns import markdown
from lab.machine import machine_text

from .cases import Part, article_ratio
from .figures import Runs, figures_of, ratios_of, transfer_text, verdicts_of

_MOST_FOREIGN = 0.1
_EXPLANATION = """\
here: median of the repetitions [smallest-largest]. ratio: to the case named under `to`, above 1 is worse.
It is of two runs of one repetition, the median of these. The column `transfers`: is the article's ratio on
the same side of 1 as here?"""


def report_text(
    machine: dict[str, Any],
    settings: dict[str, Any],
    results: list[tuple[Part, Runs]],
    foreign_cpus: dict[str, float | None],
) -> str:
    """Everything, part after part; foreign_cpus: of each part, how many CPUs others kept busy."""
    blocks = [
        f"{machine_text(machine)} {settings['repetitions']} repetitions{', quick' if settings['quick'] else ''}.",
        _EXPLANATION,
    ]
    for part, runs in results:
        blocks += [f"## {part.title}", part.remark, markdown(_rows(part, runs))]
        foreign = foreign_cpus.get(part.name) or 0.0
        trouble = ": measure again, these figures say little" if foreign > _MOST_FOREIGN else ""
        blocks.append(f"Others kept {foreign:.2f} CPUs busy{trouble}.")
        if part.goals:
            blocks.append(markdown(_goal_rows(part, runs, doubtful=bool(trouble))))
        blocks.append(verdict_text(part, runs, doubtful=bool(trouble)))
    return "\n\n".join(blocks) + "\n"


def verdict_text(part: Part, runs: Runs, doubtful: bool = False) -> str:
    """One sentence for the goals, and one for what the article compared."""
    verdicts = verdicts_of(runs, part)
    missed = [f"{verdict.goal.what} ({verdict.ratio:.2f})" for verdict in verdicts if not verdict.met]
    sentences = []
    if verdicts:
        told = f"missed: {', '.join(missed)}" if missed else f"reached, {len(verdicts)} of {len(verdicts)}"
        sentences.append(f"**Verdict: {told}{', on a busy machine' if doubtful else ''}.**")
    told = [transfer_text(case, article_ratio(part, case), ratios_of(runs, part, case)) for case in part.cases]
    kinds = ("yes", "no", "unclear", "cannot show")
    counts = [sum(text.split(":")[0] == kind for text in told) for kind in kinds]
    words = ("as there", "the other way round", "unclear", "that this machine cannot show")
    parts = [f"{count} {word}" for count, word in zip(counts, words) if count]
    if parts:
        sentences.append(f"The article's comparisons: {', '.join(parts)}.")
    return " ".join(sentences)


def summary_rows(part: Part, runs: Runs) -> list[dict[str, Any]]:
    """A row for each case: its figure, and the ratio to the case that it is compared with."""
    rows = []
    for case in part.cases:
        here, against = figures_of(runs, case.name, part.key), ratios_of(runs, part, case)
        row = {"part": part.name, "case": case.name, "unit": part.unit}
        row |= {"median": _short(here.median), "least": _short(here.least), "most": _short(here.most)}
        row |= {"to": case.against, "ratio": None if against is None else _short(against.median)}
        rows.append({**row, "article_ratio": _short(article_ratio(part, case))})
    return rows


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _rows(part: Part, runs: Runs) -> list[list[str]]:
    letters = {case.name: chr(ord("a") + index) for index, case in enumerate(part.cases)}
    unit = f", {part.article_unit}" if part.article_unit else ""
    rows = [["", "case", f"article{unit}", f"here, {part.unit}", "to", "ratio there", "ratio here"]]
    rows[0] += [*part.extra, "transfers"]
    for case in part.cases:
        there, here = article_ratio(part, case), ratios_of(runs, part, case)
        row = [letters[case.name], case.name, "" if case.article is None else f"{case.article:g}"]
        row += [figures_of(runs, case.name, part.key).text(), letters.get(case.against or "", "")]
        row += ["" if there is None else f"{there:.2f}", "" if here is None else here.text(2)]
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
