# SPDX-License-Identifier: MIT
"""--grid: one user's equal programs, of many speedups, counts and lengths, with turns and without.

A cell is run three times with turns: the governor has never seen the program; it has seen all of it
before, half an hour earlier; it has seen something else of that name, as unlike as can be. No program
says how far it is."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.columns import columns
from lab.ranges import Range, ratio

from .best import Job, NoSolver, best_times
from .matrix import range_text
from .outcomes import Outcome, geometric_mean, outcome, planned
from .sweep import run_all

LAWS = ("linear", "amdahl:0.99", "amdahl:0.95", "amdahl:0.8", "flat:8", "power:0.8")
CPUS = (16, 64)
_LATER_S = 1800
_REGION_S = 0.005  # on all CPUs
HISTORIES = ("first", "before", "wrong")
_HEADINGS = ["cell", "fair s", "best", *HISTORIES]

EXPLANATION = """\
fair: the sum of times without turns. The others are sums over that. first: turns, of a program that the
governor has never seen; before: that ran before; wrong: whose name belonged to another speedup. best: the least
there is where all is known, as if all had come at once; '-': not known, or they come one by one. Means are
geometric."""


@dataclass(frozen=True)
class Cell:
    cpus: int
    law: str
    copies: int
    alone_s: float  # on all CPUs
    every_s: float

    @property
    def name(self) -> str:
        return f"{self.cpus} {self.law} {self.copies}x{self.alone_s:g}s/{self.every_s:g}"

    @property
    def job(self) -> Job:
        return _job(self.law, self.alone_s, self.cpus)

    def scenario(self, history: str) -> str:
        text = f"[scenario]\nend = 24h\n\n[machine]\ncpus = {self.cpus}\n"
        if history == "first":
            return text + self._programs("cell", self.law, 0)
        other = self.law if history == "before" else unlike(self.law)
        return (
            text + self._programs("earlier", other, 0) + self._programs("cell", self.law, _LATER_S)
        )

    def _programs(self, name: str, law: str, start_s: float) -> str:
        speedup = _job(law, 1, self.cpus).speedup(self.cpus)
        return (
            f"\n[program {name}]\nuser = 1000\nlabel = same\nclass = batch\nwaits = yes\n"
            f"start = {start_s * 1000:.0f}ms\nevery = {self.every_s * 1000:.0f}ms\n"
            f"copies = {self.copies}\nspeedup = {law}\n"
            f"region = {_REGION_S * speedup * 1e6:.0f}us\nregions = {self.alone_s / _REGION_S:.0f}\n"
        )


def _job(law: str, alone_s: float, cpus: int) -> Job:
    name, _, parameter = law.partition(":")
    unit = Job(1, name, float(parameter or 0))
    return Job(alone_s * unit.speedup(cpus), name, float(parameter or 0))


def unlike(law: str) -> str:
    return "flat:8" if law == "linear" else "linear"


def cells(cpus: tuple[int, ...] = CPUS) -> list[Cell]:
    """Programs that come one by one would each take 20 s if all had them all and were linear, and one comes
    every 18 s."""
    found = []
    for count in cpus:
        for law in LAWS:
            found += [Cell(count, law, 4, 1.5, 0), Cell(count, law, 12, 10, 0.1)]
            found += [Cell(count, law, 60, 5, 0.1), Cell(count, law, 10, 20, 18)]
    return found


@dataclass(frozen=True)
class Row:
    cell: Cell
    fair: Outcome
    best: Outcome | None
    turns: dict[str, Outcome]  # by history

    def over_fair(self, which: str) -> Range | None:
        one = self.best if which == "best" else self.turns[which]
        if one is None or one.sum_s is None or self.fair.sum_s is None:
            return None
        return ratio(one.sum_s, self.fair.sum_s)


def run_grid(simulator: list[str], grid: list[Cell]) -> list[Row]:
    """BadInput, Failed and Interrupted as of run_all."""
    kinds = [("fair", "first"), *(("turns", history) for history in HISTORIES)]
    with tempfile.TemporaryDirectory() as folder:
        commands, names = [], []
        for place, cell in enumerate(grid):
            for policy, history in kinds:
                file = Path(folder, f"{place}-{history}.sim")
                file.write_text(cell.scenario(history))
                asked = "without-turns" if policy == "fair" else policy
                commands.append([*simulator, "--brief", "--policy", asked, str(file)])
                names.append(f"{cell.name} with {policy}")
        records = run_all(commands, names)
    rows = []
    for place, cell in enumerate(grid):
        of_it = [_outcome(r, cell, p) for r, (p, _) in zip(records[place * len(kinds) :], kinds)]
        rows.append(Row(cell, of_it[0], _best(cell, records[place * len(kinds)]),
                        dict(zip(HISTORIES, of_it[1:]))))  # fmt: skip
    return rows


def _outcome(record: dict[str, Any], cell: Cell, policy: str) -> Outcome:
    return outcome(_measured(record), cell.name, policy)


def _measured(record: dict[str, Any]) -> dict[str, Any]:
    measured = [program for program in record["programs"] if program["program"] == "cell"]
    return {**record, "programs": measured}


def _best(cell: Cell, record: dict[str, Any]) -> Outcome | None:
    if cell.every_s > 1:
        return None
    try:
        times_s = best_times([cell.job] * cell.copies, cell.cpus)
    except NoSolver:
        return None
    return None if times_s is None else planned(cell.name, "best", _measured(record), times_s)


def report(rows: list[Row]) -> str:
    """Everything as text for a terminal."""
    asked = ("best", *HISTORIES)
    lines = [_HEADINGS]
    for row in rows:
        values = (range_text(row.over_fair(which), 2) for which in asked)
        lines.append([row.cell.name, range_text(row.fair.sum_s, 0), *values])
    found = {which: _ratios(rows, which) for which in asked}
    means = (range_text(geometric_mean(found[which]), 3) for which in asked)
    lines.append(["mean", "", *means])
    worst = (f"{max((r.low for r in found[which]), default=0):.2f}" for which in asked)
    lines.append(["worst", "", *worst])
    slower = (str(sum(r.low > 1.005 for r in found[which])) for which in asked)
    lines.append(["slower than fair", "", *slower])
    return "\n".join([*columns(lines), "", EXPLANATION]) + "\n"


def _ratios(rows: list[Row], which: str) -> list[Range]:
    return [found for row in rows if (found := row.over_fair(which)) is not None]


def summary_rows(rows: list[Row]) -> list[dict[str, Any]]:
    """For summary.json."""
    return [
        {
            "cell": row.cell.name,
            "fair_s": row.fair.sum_s.low if row.fair.sum_s else None,
            **{f"{which}/fair": _number(row.over_fair(which)) for which in ("best", *HISTORIES)},
        }
        for row in rows
    ]


def _number(value: Range | None) -> float | None:
    return None if value is None else round(value.low, 4)
