# SPDX-License-Identifier: MIT
"""What was measured, and the programs that it was measured on: cells.txt and its like."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from lab.quantities import BadInput

IDEAL = "ideal"
TABLE = Path(__file__).with_name("cells.txt")
_FITTED = "own"
_NOT_YET = "-"
_WIDE = 0.10
_READERS = {
    "region_us": int,
    "count": int,
    "length_s": float,
    "stagger_s": float,
    "measured": lambda text: None if text == _NOT_YET else float(text),
}
_READERS |= {"least": _READERS["measured"], "most": _READERS["measured"]}


@dataclass(frozen=True)
class Cell:
    """A ratio of two methods on the same programs: `count` equal ones, the first of them with `habit`.
    `measured` is a median, None before it was measured; `least` and `most` of the repetitions, where known."""

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
    measured: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def fitted(self) -> bool:
        """Constants of the simulator were chosen by it."""
        return self.source.startswith(_FITTED)

    @property
    def wide(self) -> bool:
        """A repetition was further from the median than the simulator is to be."""
        if self.least is None or self.most is None:
            return False
        return self.least < (1 - _WIDE) * self.measured or self.most > (1 + _WIDE) * self.measured

    @property
    def name(self) -> str:
        programs = f"{self.count}" if self.habit == "uniform" else f"{self.count}-{self.habit}"
        return (
            f"{self.source}-{programs}-{self.runtime}-{self.region_us}us-{self.length_s:g}s-{self.cpu}-"
            f"{self.method}-over-{self.baseline}-{self.figure}"
        )


COLUMNS = tuple(field.name for field in fields(Cell))
_NEEDED = COLUMNS[: COLUMNS.index("measured")]


def read_cells(path: Path) -> list[Cell]:
    """Lines of columns that the first one names; BadInput says which line cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--cells {path}: {error.strerror}.") from error
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    names = lines[0][1] if lines else []
    lacking = [name for name in _NEEDED if name not in names]
    if lacking:
        raise BadInput(f"--cells {path}: no column '{lacking[0]}'; needed are {', '.join(_NEEDED)}.")
    return [_cell(dict(zip(names, words)), f"--cells {path}: line {number}") for number, words in lines[1:]]


def cells_text(cells: list[Cell]) -> str:
    """As read_cells() reads it."""
    table = [COLUMNS, *([_text(getattr(cell, name)) for name in COLUMNS] for cell in cells)]
    widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
    rows = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in table]
    return "\n".join(rows) + "\n"


def _cell(row: dict[str, str], where: str) -> Cell:
    try:
        return Cell(**{name: _READERS.get(name, str)(row[name]) for name in COLUMNS if name in row})
    except (ValueError, TypeError) as error:
        raise BadInput(f"{where}: {error}.") from error


def _text(value: object) -> str:
    if value is None:
        return _NOT_YET
    return f"{value:.3g}" if isinstance(value, float) else str(value)
