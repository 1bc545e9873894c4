# SPDX-License-Identifier: MIT
"""What was measured, and the programs that it was measured on: cells.txt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_TABLE = Path(__file__).with_name("cells.txt")
_FITTED = "own"


@dataclass(frozen=True)
class Cell:
    """A ratio of two methods on the same programs: `count` equal ones, the first of them with `habit`."""

    source: str
    cpu: str
    runtime: str
    region_us: int
    count: int
    habit: str
    length_s: float
    stagger_s: float
    method: str
    baseline: str
    figure: str
    measured: float

    @property
    def fitted(self) -> bool:
        """Constants of the simulator were chosen by it."""
        return self.source == _FITTED

    @property
    def name(self) -> str:
        programs = f"{self.count}" if self.habit == "uniform" else f"{self.count}-{self.habit}"
        return (
            f"{self.source}-{programs}-{self.runtime}-{self.region_us}us-{self.length_s:g}s-{self.cpu}-"
            f"{self.method}-over-{self.baseline}-{self.figure}"
        )


def cells() -> list[Cell]:
    text = _TABLE.read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return [_cell(dict(zip(lines[0], line))) for line in lines[1:]]


def _cell(row: dict[str, str]) -> Cell:
    return Cell(
        source=row["source"],
        cpu=row["cpu"],
        runtime=row["runtime"],
        region_us=int(row["region_us"]),
        count=int(row["count"]),
        habit=row["habit"],
        length_s=float(row["length_s"]),
        stagger_s=float(row["stagger_s"]),
        method=row["method"],
        baseline=row["baseline"],
        figure=row["figure"],
        measured=float(row["measured"]),
    )
