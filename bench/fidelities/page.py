# SPDX-License-Identifier: MIT
"""The page of a comparison: what was simulated beside what was measured. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from .cells import Cell, Mix

CLOSE = 0.10


@dataclass(frozen=True)
class Row:
    cell: Union[Cell, Mix]
    simulated: float

    @property
    def off(self) -> float:
        """Simulated over measured, less 1."""
        return self.simulated / self.cell.measured - 1

    @property
    def close(self) -> bool:
        return abs(self.off) <= CLOSE


def page(name: str, rows: list[Row], mixed: list[Row], open_cells: int = 0) -> str:
    """Markdown: held-out cells, mixes of named programs, then the cells that constants were fitted to."""
    held = [row for row in rows if not row.cell.fitted]
    fitted = [row for row in rows if row.cell.fitted]
    counted = held + [row for row in mixed if not row.cell.fitted]
    parts = ["# The simulator beside real measurements, two cores\n", _head(name, counted)]
    if open_cells:
        parts.append(f"{open_cells} cells of the list are not measured.\n")
    parts.append(_table(held))
    if mixed:
        parts += ["## Named programs\n", _MIXES, _table(mixed)]
    if fitted:
        furthest = max(abs(row.off) for row in fitted)
        told = f"{_close(fitted)} of {len(fitted)} are within 10 %, the furthest is {100 * furthest:.0f} % off.\n"
        parts += ["## Cells that constants were fitted to\n", told, _table(fitted)]
    return "\n".join(parts)


def summary(rows: list[Row]) -> list[dict[str, Any]]:
    return [_line(row) for row in rows]


_MIXES = (
    "Programs that start at once: one thread on the CPU behind `@`, or a thread for each CPU. `alone` is the"
    " sum of their times by themselves, and the bandwidth of each was fitted to its own.\n"
)


def _head(name: str, held: list[Row]) -> str:
    wide = [row for row in held if row.cell.wide]
    known = [row for row in held if row.cell.least is not None]
    told = (
        f"`{name}`. {_close(held)} of {len(held)} cells that no constant was fitted to are within 10 %."
        " Ratios are times of the method over those of the baseline, as median [smallest-largest] where the"
        " repetitions are known.\n"
    )
    if not known:
        return told
    return (
        f"{told}\nThe repetitions are known of {len(known)} cells. In {len(wide)} of these one is more than"
        f" 10 % off the median: \\*. The simulator is within 10 % of {_close(wide)} of them, and of"
        f" {_close(known) - _close(wide)} of the {len(known) - len(wide)} others.\n"
    )


def _close(rows: list[Row]) -> int:
    return sum(row.close for row in rows)


def _line(row: Row) -> dict[str, Any]:
    cell = row.cell
    return {
        "cell": cell.name,
        "measured": cell.measured,
        "least": cell.least,
        "most": cell.most,
        "simulated": round(row.simulated, 3),
    }


def _table(rows: list[Row]) -> str:
    lines = [
        "| programs | runtime | region | method / baseline | figure | measured | simulated | off | source |",
        "|---|---|---|---|---|---:|---:|---:|---|",
    ]
    for row in rows:
        cell = row.cell
        off = f"{row.off:+.0%}"
        lines.append(
            f"| {cell.programs} | {cell.runtime} | {cell.region} | {cell.method} / {cell.baseline} |"
            f" {cell.figure} | {_measured(cell)} | {row.simulated:.2f} |"
            f" {off if row.close else f'**{off}**'} |"
            f" {cell.source}, {cell.cpu} |"
        )
    return "\n".join(lines) + "\n"


def _measured(cell: Union[Cell, Mix]) -> str:
    if cell.least is None:
        return f"{cell.measured:.2f}"
    mark = " \\*" if cell.wide else ""
    return f"{cell.measured:.2f} [{cell.least:.2f}-{cell.most:.2f}]{mark}"
