# SPDX-License-Identifier: MIT
"""The page of a comparison: what was simulated beside what was measured. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .cells import Cell

CLOSE = 0.10


@dataclass(frozen=True)
class Row:
    cell: Cell
    simulated: float

    @property
    def off(self) -> float:
        """Simulated over measured, less 1."""
        return self.simulated / self.cell.measured - 1

    @property
    def close(self) -> bool:
        return abs(self.off) <= CLOSE


def page(name: str, rows: list[Row]) -> str:
    """Markdown: held-out cells first, then those that the constants were fitted to."""
    held = [row for row in rows if not row.cell.fitted]
    steady = [row for row in held if not row.cell.wide]
    close = sum(row.close for row in held)
    parts = [
        "# The simulator beside real measurements, two cores\n",
        f"`{name}`. {close} of {len(held)} cells that no constant was fitted to are within 10 %; they are the"
        " first table. Ratios are times of the method over those of the baseline, as median [smallest-largest]"
        " where the repetitions are known.\n",
    ]
    if len(steady) < len(held):
        wide = [row for row in held if row.cell.wide]
        parts.append(
            f"Of {len(wide)} cells some repetition is more than 10 % off its own median: \\*. The simulator is"
            f" within 10 % of {sum(row.close for row in wide)} of these, and of"
            f" {sum(row.close for row in steady)} of the {len(steady)} others.\n"
        )
    parts.append(_table(held))
    fitted = [row for row in rows if row.cell.fitted]
    if fitted:
        parts += ["## Cells that constants were fitted to\n", _table(fitted)]
    return "\n".join(parts)


def summary(rows: list[Row]) -> list[dict[str, Any]]:
    return [{**asdict(row.cell), "simulated": round(row.simulated, 3)} for row in rows]


def _table(rows: list[Row]) -> str:
    lines = [
        "| programs | runtime | region | method / baseline | figure | measured | simulated | off | source |",
        "|---|---|---|---|---|---:|---:|---:|---|",
    ]
    for row in rows:
        cell = row.cell
        off = f"{row.off:+.0%}"
        lines.append(
            f"| {cell.count}{'' if cell.habit == 'uniform' else f', one {cell.habit}'} | {cell.runtime} |"
            f" {cell.region_us / 1000:g} ms | {cell.method} / {cell.baseline} | {cell.figure} |"
            f" {_measured(cell)} | {row.simulated:.2f} | {off if row.close else f'**{off}**'} |"
            f" {cell.source}, {cell.cpu} |"
        )
    return "\n".join(lines) + "\n"


def _measured(cell: Cell) -> str:
    if cell.least is None:
        return f"{cell.measured:.2f}"
    return f"{cell.measured:.2f} [{cell.least:.2f}-{cell.most:.2f}]{' *' if cell.wide else ''}"
