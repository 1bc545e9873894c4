# SPDX-License-Identifier: MIT
"""Plain numbers of several repetitions; see ranges for numbers that may be bounds. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Iterable


@dataclass(frozen=True)
class Spread:
    """Median, smallest and largest."""

    median: float
    least: float
    most: float

    def text(self, decimals: int | None = None) -> str:
        """'1.2 [1.1-1.5]', with three digits each unless decimals are given."""

        def one(value: float) -> str:
            return number(value) if decimals is None else f"{value:.{decimals}f}"

        return f"{one(self.median)} [{one(self.least)}-{one(self.most)}]"


def spread_of(values: Iterable[float]) -> Spread:
    """The spread of one value at least."""
    found = sorted(values)
    return Spread(median(found), found[0], found[-1])


def number(value: float) -> str:
    """Three digits, and no exponent."""
    if value != 0 and abs(value) < 100:
        return f"{value:.3g}"
    return f"{value:.0f}"
