# SPDX-License-Identifier: MIT
"""The measurements, and the programs that they were made with: cells.txt and its like."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Optional, TypeVar

from lab.quantities import BadInput

IDEAL = "ideal"
ALONE = "alone"
TABLE = Path(__file__).with_name("cells.txt")
MIXES = Path(__file__).with_name("mixes.txt")
PROGRAMS = Path(__file__).with_name("programs.txt")
FIGURES = ("makespan", "aggregate")
_FITTED = "own"
_UNKNOWN = "-"
_WIDE = 0.10
_T = TypeVar("_T")


class _Compared:
    """The fields that cells have in common: source, method, baseline, figure, measured, least, most."""

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


@dataclass(frozen=True)
class Cell(_Compared):
    """A ratio of two methods on the same programs: `count` equal ones, the first of them with `habit`.
    `measured` is a median, None before it was measured; `least` and `most` are of the repetitions, where
    known.
    """

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
    measured: Optional[float] = None
    least: Optional[float] = None
    most: Optional[float] = None

    @property
    def programs(self) -> str:
        return f"{self.count}{'' if self.habit == 'uniform' else f', one {self.habit}'}"

    @property
    def region(self) -> str:
        return f"{self.region_us / 1000:g} ms"

    @property
    def name(self) -> str:
        programs = f"{self.count}" if self.habit == "uniform" else f"{self.count}-{self.habit}"
        return (
            f"{self.source}-{programs}-{self.runtime}-{self.region_us}us-{self.length_s:g}s-{self.cpu}-"
            f"{self.method}-over-{self.baseline}-{self.figure}"
        )


@dataclass(frozen=True)
class Named:
    """A program by itself: seconds on one thread and on two, and the CPU time of a region (None: no
    barriers). Then the part of the machine's memory bandwidth that one thread takes. Then the regions of
    an iteration, where it asks once for each."""

    name: str
    one_s: float
    two_s: float
    region_ms: Optional[float]
    bandwidth: float
    asks_every: int = 1


@dataclass(frozen=True)
class Mix(_Compared):
    """A ratio of two methods on named programs that start at once. 'stream@0+compute@1' is one thread on CPU
    0, another on CPU 1. A program without '@' has a thread for each CPU, or one with method `one`."""

    source: str
    cpu: str
    runtime: str
    programs: str
    method: str
    baseline: str
    figure: str
    measured: Optional[float] = None
    least: Optional[float] = None
    most: Optional[float] = None

    region = "-"

    @property
    def name(self) -> str:
        ratio = f"{self.method}-over-{self.baseline}-{self.figure}"
        return f"{self.source}-{self.programs}-{self.runtime}-{self.cpu}-{ratio}"


def read_table(path: Path, kind: type[_T]) -> list[_T]:
    """Lines of columns that the first one names; BadInput says which line cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: it is no text, but has bytes such as those at {error.start}.") from error
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    names = lines[0][1] if lines else []
    needed = [field.name for field in fields(kind) if field.default is MISSING]
    lacking = [name for name in needed if name not in names]
    if lacking:
        raise BadInput(f"{path}: no column '{lacking[0]}'; needed are {', '.join(needed)}.")
    return [_row(kind, names, words, f"{path}: line {number}") for number, words in lines[1:]]


def read_mixes(folder: Path) -> tuple[list[Mix], dict[str, Named]]:
    """And the programs that they are of, by name."""
    programs = read_table(folder / PROGRAMS.name, Named)
    return read_table(folder / MIXES.name, Mix), {program.name: program for program in programs}


def table_text(kind: type[_T], rows: list[_T]) -> str:
    """In the form that read_table() reads."""
    columns = [field.name for field in fields(kind)]
    table = [columns, *([_text(getattr(row, name)) for name in columns] for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in table]
    return "\n".join(lines) + "\n"


def _row(kind: type[_T], names: list[str], words: list[str], where: str) -> _T:
    if len(words) != len(names):
        raise BadInput(f"{where}: {len(words)} words for {len(names)} columns.")
    row = dict(zip(names, words))
    if row.get("figure", FIGURES[0]) not in FIGURES:
        raise BadInput(f"{where}: figure {row['figure']}: {', '.join(FIGURES)} are accepted.")
    readers = {"int": int, "float": float, "str": str, "Optional[float]": _known}
    try:
        named = [field for field in fields(kind) if field.name in row]
        return kind(**{field.name: readers[field.type](row[field.name]) for field in named})
    except (ValueError, TypeError) as error:
        raise BadInput(f"{where}: {error}.") from error


def _known(text: str) -> Optional[float]:
    return None if text == _UNKNOWN else float(text)


def _text(value: object) -> str:
    if value is None:
        return _UNKNOWN
    return f"{value:.3g}" if isinstance(value, float) else str(value)
