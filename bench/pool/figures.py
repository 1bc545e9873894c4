# SPDX-License-Identifier: MIT
"""The result of many runs of one case. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lab.spreads import Spread, spread_of

from .cases import Case, Goal, Part, ratio

# Repetition -> case -> the program's JSON object.
Runs = list[dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Verdict:
    """The median of a goal's ratios within the repetitions."""

    goal: Goal
    ratio: float
    met: bool


def figures_of(runs: Runs, name: str, key: str) -> Spread:
    return spread_of(run[name][key] for run in runs)


def ratios_of(runs: Runs, part: Part, case: Case) -> Spread | None:
    """Each ratio is of two runs of the same repetition."""
    if case.against is None:
        return None
    pairs = [(run[case.name][part.key], run[case.against][part.key]) for run in runs]
    return spread_of(ratio(value, reference, part.rate) for value, reference in pairs)


def transfer_text(case: Case, there: float | None, here: Spread | None) -> str:
    """Does the finding of the article hold here? Empty where it has no ratio to compare with."""
    if case.unfit:
        return f"cannot show: {case.unfit}"
    if there is None or here is None:
        return ""
    if here.least <= 1 <= here.most:
        return "unclear: its spread includes 1"
    return "yes" if (there > 1) == (here.median > 1) else "no: the other way round"


def verdicts_of(runs: Runs, part: Part) -> list[Verdict]:
    verdicts = []
    for goal in part.goals:
        found = spread_of(run[goal.ours][goal.key] / run[goal.rival][goal.key] for run in runs).median
        met = found >= goal.bound if goal.at_least else found <= goal.bound
        verdicts.append(Verdict(goal, found, met))
    return verdicts


def disagreement(runs: Runs, part: Part) -> str | None:
    """The case that computed something else than another one with the same jobs, as a sentence."""
    seen: dict[str, tuple[str, str]] = {}
    for run in runs:
        for case in part.cases:
            found = run[case.name]
            if "checksum" not in found:
                continue
            kind = str(found.get("job")) + str(found.get("under_way"))
            name, checksum = seen.setdefault(kind, (case.name, found["checksum"]))
            if checksum != found["checksum"]:
                return f"'{case.name}' has checksum {found['checksum']}, '{name}' has {checksum}."
    return None
