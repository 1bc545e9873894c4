# SPDX-License-Identifier: MIT
"""The tables: one for each goal, and one of everything that was measured. Pure."""

from __future__ import annotations

from typing import Any

from lab.columns import columns
from lab.machine import machine_text
from lab.spreads import number

from .goals import ELSEWHERE, TITLES, Verdict
from .outcomes import Outcomes

_HEAD = ["", "ours", "best", "", "ratio", "goal", "met"]
_EXPLANATION = """\
Medians of the repetitions, [smallest-largest]. best: of the peers that the goal names, or a raw futex or
sleep that was measured in the same process. ratio: ours / best, the median of the ratios within the
repetitions; without a ratio the goal is for the figure itself."""


def verdicts_as_json(verdicts: list[Verdict]) -> list[dict[str, Any]]:
    return [
        {
            "goal": verdict.goal.number,
            "what": verdict.goal.what,
            "bench": verdict.goal.bench,
            "figure": verdict.goal.figure,
            "ours": None if verdict.ours is None else verdict.ours.median,
            "best": None if verdict.rival is None else verdict.rival.median,
            "best_pool": verdict.rival_name or None,
            "ratio": verdict.ratio,
            "bound": None if verdict.goal.bound == float("inf") else verdict.goal.bound,
            "met": verdict.met,
            "troubles": verdict.troubles,
        }
        for verdict in verdicts
    ]


def report_text(
    machine: dict[str, Any],
    settings: dict[str, Any],
    left_out: dict[str, str],
    verdicts: list[Verdict],
    outcomes: Outcomes,
) -> str:
    """For a terminal, and between fences for a page."""
    blocks = [
        machine_text(machine),
        f"Repetitions: {settings['repetitions']}." + _scale_text(settings["scale"]),
        *(f"{name} is left out: {why}." for name, why in left_out.items()),
    ]
    for goal_number, title in TITLES.items():
        of_goal = [verdict for verdict in verdicts if verdict.goal.number == goal_number]
        if any(verdict.ours or verdict.rival or verdict.troubles for verdict in of_goal):
            blocks.append(_goal_text(f"{goal_number}. {title}", of_goal))
    blocks += [_EXPLANATION, ELSEWHERE, "All that was measured:", _figures_text(outcomes)]
    return "\n\n".join(blocks) + "\n"


def _scale_text(scale: float) -> str:
    return f" Counts are {scale:g} of what the tables say: a first impression." if scale < 1 else ""


def _goal_text(title: str, verdicts: list[Verdict]) -> str:
    table = [_HEAD, *(_row(verdict) for verdict in verdicts)]
    lines = [title, *("  " + line for line in columns(table))]
    lines += dict.fromkeys(f"  ({v.goal.remark})" for v in verdicts if v.goal.remark)
    troubles = {pool: status for verdict in verdicts for pool, status in verdict.troubles.items()}
    if troubles:
        lines.append("  " + ", ".join(f"{pool} {status}" for pool, status in troubles.items()))
    return "\n".join(lines)


def _row(verdict: Verdict) -> list[str]:
    goal = verdict.goal
    relative = bool(goal.peers or goal.yardstick)
    if goal.bound == float("inf"):
        bound = "ends"
    else:
        bound = f"{goal.bound:g}" + ("x" if relative else f" {goal.unit}".rstrip())
    return [
        goal.what + (f", {goal.unit}" if goal.unit else ""),
        verdict.ours.text() if verdict.ours else "-",
        verdict.rival.text() if verdict.rival else "-",
        verdict.rival_name,
        "-" if verdict.ratio is None else f"{verdict.ratio:.2f}",
        f"<= {bound}" if bound != "ends" else bound,
        {True: "yes", False: "NO", None: "-"}[verdict.met],
    ]


def _figures_text(outcomes: Outcomes) -> str:
    pools = outcomes.pools()
    table = [["", *pools]]
    for bench, figure in outcomes.figures():
        cells = []
        for pool in pools:
            spread = outcomes.spread(pool, bench, figure)
            cells.append(outcomes.trouble(pool, bench) or (number(spread.median) if spread else "-"))
        table.append([f"{bench} {figure}", *cells])
    return "\n".join("  " + line for line in columns(table))
