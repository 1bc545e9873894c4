# SPDX-License-Identifier: MIT
"""Policies x scenarios: a block for each scenario, then each policy over `fair` in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.columns import columns
from lab.quantities import BadInput
from lab.ranges import Range

from .best import MOST_JOBS, NoSolver, best_times, jobs_of
from .outcomes import MEASURES, Outcome, geometric_mean, outcome, over, planned
from .sweep import run_all

BASE, BEST = "fair", "best"
POLICIES = (
    "fair", "turns", "equal", "static", "one", "oversubscribed", "oversubscribed-spinning",
    "threshold", BEST,
)  # fmt: skip
# Names of the simulator's that are others here: `fair` is with turns off, so that it is the same policy
# whatever the scenario says.
_OF_SIMULATE = {BASE: "without-turns"}
_HEADINGS = [
    "policy", "sum s", "mean slowdown", "max slowdown", "makespan s", "utilisation", "changes/min",
    "unfinished",
]  # fmt: skip

EXPLANATION = """\
sum: of the times from start to end of the programs that end by themselves. slowdown: such a time over the
one that the program takes alone on that machine, on all that its limits leave it. changes/min: changes of a
grant, of one program. unfinished: programs that had not ended when the scenario did: what is marked '>' is a
lower bound, '<' an upper one, and '?' says nothing. fair: turns off; turns: the same with turns on. best:
the least sum on CPUs that no two programs share, where all lengths and speedups are known; of closed batches
alone. Programs that share CPUs and wait passively may be below that: others run while they wait."""


@dataclass(frozen=True)
class Matrix:
    outcomes: list[Outcome]  # scenarios as they came, policies as they were asked for
    notes: list[str]

    def scenarios(self) -> list[str]:
        return list(dict.fromkeys(one.scenario for one in self.outcomes))

    def find(self, scenario: str, policy: str) -> Outcome | None:
        for one in self.outcomes:
            if (one.scenario, one.policy) == (scenario, policy):
                return one
        return None

    def ratios(self, policy: str, measure: str) -> dict[str, Range]:
        """Over BASE, by scenario; without those in which one of the two says nothing."""
        found = {}
        for scenario in self.scenarios():
            one, base = self.find(scenario, policy), self.find(scenario, BASE)
            value = over(one, base, measure) if one and base else None
            if value is not None:
                found[scenario] = value
        return found


def scenario_files(paths: tuple[Path, ...]) -> list[Path]:
    """The files, and those in the folders whose names end in .sim. BadInput without any, or for one that is
    not there: some commands build for minutes before they read it."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob("*.sim")) if path.is_dir() else [path]
    if not files:
        raise BadInput(f"no file whose name ends in .sim in {' '.join(map(str, paths))}.")
    for file in files:
        if not file.is_file():
            raise BadInput(f"{file}: no such file.")
    stems = [file.stem for file in files]
    for stem in stems:
        if stems.count(stem) > 1:
            raise BadInput(f"two scenarios are called {stem}.")
    return files


def run_matrix(simulator: list[str], files: list[Path], policies: tuple[str, ...]) -> Matrix:
    """`simulator`: the command that a scenario completes. BadInput, Failed and Interrupted as of run_all."""
    asked = [policy for policy in dict.fromkeys((BASE, *policies)) if policy != BEST]
    cells = [(file, policy) for file in files for policy in asked]
    commands = [
        [*simulator, "--brief", "--policy", _OF_SIMULATE.get(policy, policy), str(file)]
        for file, policy in cells
    ]
    records = run_all(commands, [f"{file.stem} with {policy}" for file, policy in cells])
    outcomes: list[Outcome] = []
    notes: list[str] = []
    for file in files:
        of_file = [(p, r) for (f, p), r in zip(cells, records) if f == file]
        outcomes += [outcome(record, file.stem, policy) for policy, record in of_file]
        if BEST in policies:
            outcomes += _best(file.stem, of_file[0][1], notes)
    return Matrix(outcomes, list(dict.fromkeys(notes)))


def _best(scenario: str, record: dict[str, Any], notes: list[str]) -> list[Outcome]:
    jobs = jobs_of(record)
    if not jobs:
        return []
    try:
        times_s = best_times(jobs, record["cpus"])
    except NoSolver as reason:
        notes.append(f"best is left out but for linear programs and k^p: {reason}.")
        return []
    if times_s is None:
        notes.append(f"best is left out of {scenario}: more than {MOST_JOBS} programs, and no closed form.")
        return []
    return [planned(scenario, BEST, record, times_s)]


def report(matrix: Matrix, policies: tuple[str, ...]) -> str:
    """Everything as text for a terminal."""
    blocks = [_block(matrix, scenario) for scenario in matrix.scenarios()]
    blocks += [_means(matrix, policies), EXPLANATION]
    blocks += [f"Note: {note}" for note in matrix.notes]
    return "\n\n".join(blocks) + "\n"


def _block(matrix: Matrix, scenario: str) -> str:
    of_it = [one for one in matrix.outcomes if one.scenario == scenario]
    title = f"{scenario}: {of_it[0].programs} programs that end by themselves"
    return "\n".join([title, *("  " + line for line in columns([_HEADINGS, *map(_cells, of_it)]))])


def _cells(one: Outcome) -> list[str]:
    return [
        one.policy,
        range_text(one.sum_s, 1),
        range_text(one.mean_slowdown, 2),
        range_text(one.max_slowdown, 2),
        range_text(one.makespan_s, 1),
        "-" if one.utilisation is None else f"{one.utilisation:.3f}",
        "-" if one.changes_per_minute is None else f"{one.changes_per_minute:.2f}",
        str(one.unfinished) if one.unfinished else "-",
    ]


def range_text(value: Range | None, digits: int) -> str:
    return "-" if value is None else value.text(digits)


def _means(matrix: Matrix, policies: tuple[str, ...]) -> str:
    rows = [[f"over {BASE}", "sum", "mean slowdown", "max slowdown", "makespan", "scenarios", "best sum",
             "worst sum"]]  # fmt: skip
    for policy in policies:
        means = [geometric_mean(matrix.ratios(policy, measure).values()) for measure in MEASURES]
        sums = matrix.ratios(policy, "sum_s")
        low = min(sums, key=lambda name: sums[name].low, default=None)
        high = max(sums, key=lambda name: sums[name].low, default=None)
        rows.append(
            [policy, *(range_text(mean, 3) for mean in means), str(len(sums)), _named(sums, low),
             _named(sums, high)]
        )  # fmt: skip
    return "Geometric means of the ratios\n" + "\n".join("  " + line for line in columns(rows))


def _named(sums: dict[str, Range], scenario: str | None) -> str:
    return "-" if scenario is None else f"{range_text(sums[scenario], 2)} {scenario}"


def summary_rows(matrix: Matrix) -> list[dict[str, Any]]:
    """For summary.json. A time that is a bound is [low, null]."""
    rows = []
    for one in matrix.outcomes:
        row: dict[str, Any] = {"scenario": one.scenario, "policy": one.policy, "programs": one.programs,
                               "unfinished": one.unfinished}  # fmt: skip
        base = matrix.find(one.scenario, BASE)
        for measure in MEASURES:
            row[measure] = number(one.measure(measure))
        row["utilisation"] = one.utilisation
        row["changes_per_minute"] = one.changes_per_minute
        for measure in MEASURES:
            row[f"{measure}/{BASE}"] = number(over(one, base, measure) if base else None)
        rows.append(row)
    return rows


def number(value: Range | None) -> float | list[float | None] | None:
    if value is None or value.exact:
        return None if value is None else round(value.low, 4)
    return [round(value.low, 4), None if value.high == float("inf") else round(value.high, 4)]
