# SPDX-License-Identifier: MIT
"""Each rule of the policy switched off in turn: what changes, and which rules change nothing."""

from __future__ import annotations

import math
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.columns import columns
from lab.quantities import BadInput
from lab.ranges import Range

from .matrix import number, range_text
from .outcomes import MEASURES, Outcome, geometric_mean, outcome, over
from .sweep import run_all

FORMS = {"fair": "without-turns", "turns": "turns"}  # the simulator's names
MATTERS = 0.02  # a change of more than that, anywhere
_SAME = 1e-6

OUT_OF_REACH = "returning (no daemon starts again here)"


@dataclass(frozen=True)
class Wording:
    """The words of a report."""

    title: str
    column: str
    changed: str  # what is compared with the policy
    of_no_effect: str
    end: str


RULES = Wording(
    "The policy without a rule over the policy with it", "without",
    "policy without the rule breaks an invariant or an expectation, and with it none",
    "Rules that change", f"\nNot switched off: {OUT_OF_REACH}.\n",
)  # fmt: skip
NUMBERS = Wording(
    "The policy with one number changed over the policy as it is", "number",
    "policy with another number breaks an invariant or an expectation, and as it is none",
    "Changes of numbers that change", "",
)  # fmt: skip

_EXPLANATION = """\
changed: scenarios in which any time differs. sum, changes: geometric means. breaks: scenarios in which the
{}.

"""


@dataclass(frozen=True)
class Effect:
    """The effect of one rule in one form: the policy without it over the policy with it, by scenario."""

    rule: str
    form: str
    ratios: dict[str, dict[str, Range]]  # measure -> scenario -> ratio
    changes: Range | None  # geometric mean over the scenarios
    scenarios: int
    breaks: dict[str, list[str]]  # scenario where the policy with it breaks nothing -> what breaks
    before: dict[str, list[str]]  # what the policy with it breaks

    def changed(self) -> int:
        """Scenarios in which any time differs."""
        names = {name for of in self.ratios.values() for name, value in of.items() if _differs(value, _SAME)}
        return len(names)

    def matters(self) -> bool:
        values = [value for of in self.ratios.values() for value in of.values()]
        return bool(self.breaks) or any(_differs(value, MATTERS) for value in values)


def _differs(value: Range, by: float) -> bool:
    """The part that a bound leaves open counts as far as it is known."""
    return value.low > 1 + by or value.high < 1 / (1 + by)


def known_rules(simulator: Path) -> dict[str, str]:
    """Name to meaning, as the simulator has them."""
    try:
        done = subprocess.run([str(simulator), "--rules"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"--bin: {simulator}: {error}; build first.") from error
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


def run_ablation(simulators: dict[str | None, list[str]], files: list[Path]) -> list[Effect]:
    """`simulators`: by rule the command that runs without it; None: with all. BadInput, Failed and
    Interrupted as of run_all."""
    rules = [rule for rule in simulators if rule is not None]
    cells = [(form, rule, file) for file in files for form in FORMS for rule in (None, *rules)]
    commands = [
        [*simulators[rule], "--brief", "--check", "--policy", FORMS[form], str(file)]
        for form, rule, file in cells
    ]
    records = run_all(commands, [f"{file.stem}, {form} without {rule}" for form, rule, file in cells])
    keys = [(form, rule, file.stem) for form, rule, file in cells]
    outcomes = {key: outcome(record, key[2], key[0]) for key, record in zip(keys, records)}
    broken = {key: record.get("broken", []) for key, record in zip(keys, records)}
    names = [file.stem for file in files]
    return [effect(rule, form, names, outcomes, broken) for rule in rules for form in FORMS]


def effect(
    rule: str, form: str, names: list[str], outcomes: dict[Any, Outcome], broken: dict[Any, list[str]]
) -> Effect:
    ratios: dict[str, dict[str, Range]] = {measure: {} for measure in MEASURES}
    changes = []
    for name in names:
        one, base = outcomes[form, rule, name], outcomes[form, None, name]
        for measure in MEASURES:
            value = over(one, base, measure)
            if value is not None and not (value.low == 0 and math.isinf(value.high)):
                ratios[measure][name] = value
        if one.changes_per_minute and base.changes_per_minute:
            changes.append(Range.exactly(one.changes_per_minute / base.changes_per_minute))
    breaks = {
        name: broken[form, rule, name]
        for name in names
        if broken[form, rule, name] and not broken[form, None, name]
    }
    before = {name: broken[form, None, name] for name in names if broken[form, None, name]}
    return Effect(rule, form, ratios, geometric_mean(changes), len(names), breaks, before)


def report(effects: list[Effect], meanings: dict[str, str], words: Wording) -> str:
    rows = [[
        words.column, "form", "changed", "sum", "best sum", "worst sum", "worst max slowdown", "changes",
        "breaks",
    ]]  # fmt: skip
    rows += [_cells(one) for one in effects]
    nothing = [rule for rule in meanings if not any(e.matters() for e in effects if e.rule == rule)]
    text = f"{words.title}\n"
    text += "\n".join("  " + line for line in columns(rows)) + "\n\n"
    text += _EXPLANATION.format(words.changed) + _broken_before(effects)
    text += f"{words.of_no_effect} no time by more than {MATTERS:.0%} anywhere here, and break nothing:\n"
    text += "".join(f"  {rule}: {meanings[rule]}\n" for rule in nothing) or "  none\n"
    return text + words.end


def _broken_before(effects: list[Effect]) -> str:
    """The same for all rules of a form."""
    text = "Broken by the policy as it is; such scenarios count in no breaks:\n"
    for form, one in {one.form: one for one in effects}.items():
        text += f"  {form}: {len(one.before)}/{one.scenarios}\n"
        for what in sorted({what for of in one.before.values() for what in of}):
            names = ", ".join(name for name, of in one.before.items() if what in of)
            text += textwrap.fill(f"{what}: {names}", 108, initial_indent="    ", subsequent_indent="      ")
            text += "\n"
    return text + "\n"


def _cells(one: Effect) -> list[str]:
    sums = one.ratios["sum_s"]
    slowdowns = one.ratios["max_slowdown"]
    return [
        one.rule,
        one.form,
        f"{one.changed()}/{one.scenarios}",
        range_text(geometric_mean(sums.values()), 3),
        _named(sums, min(sums, key=lambda n: sums[n].low, default=None)),
        _named(sums, max(sums, key=lambda n: sums[n].low, default=None)),
        _named(slowdowns, max(slowdowns, key=lambda n: slowdowns[n].low, default=None)),
        range_text(one.changes, 2),
        _breaks(one),
    ]


def _breaks(one: Effect) -> str:
    names = sorted({name for of in one.breaks.values() for name in of})
    return f"{len(one.breaks)}: {', '.join(names)}" if names else "-"


def _named(values: dict[str, Range], scenario: str | None) -> str:
    same = scenario is None or not _differs(values[scenario], _SAME)
    return "-" if same else f"{range_text(values[scenario], 2)} {scenario}"


def summary_rows(effects: list[Effect]) -> list[dict[str, Any]]:
    return [
        {
            "without": one.rule,
            "form": one.form,
            "scenarios": one.scenarios,
            "changed": one.changed(),
            "breaks": len(one.breaks),
            "matters": one.matters(),
            **{measure: number(geometric_mean(one.ratios[measure].values())) for measure in MEASURES},
            "changes": number(one.changes),
        }
        for one in effects
    ]
