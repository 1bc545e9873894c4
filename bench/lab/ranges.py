# SPDX-License-Identifier: MIT
"""Numbers that may be known only as a bound, because the run behind them was stopped."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Range:
    """The true value lies in [low, high]; equal for a measured value, high = inf when stopped."""

    low: float
    high: float

    @staticmethod
    def exactly(value: float) -> "Range":
        return Range(value, value)

    @staticmethod
    def at_least(value: float) -> "Range":
        return Range(value, math.inf)

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def text(self, decimals: int) -> str:
        """'1.23', '> 1.23' (at least), '< 1.23' (at most), '1.2..1.3' or '?' (nothing known)."""
        if self.exact:
            return f"{self.low:.{decimals}f}"
        if math.isinf(self.high):
            return f"> {self.low:.{decimals}f}" if self.low > 0 else "?"
        if self.low <= 0:
            return f"< {self.high:.{decimals}f}"
        return f"{self.low:.{decimals}f}..{self.high:.{decimals}f}"


def total(values: Iterable[Range]) -> Range:
    """The sum; a single bound makes the sum a bound."""
    return sum(values, Range.exactly(0.0))


def ratio(value: Range, baseline: Range) -> Range:
    """value / baseline: a stopped value gives '>', a stopped baseline '<', both give '?'."""
    low = value.low / baseline.high
    high = math.inf if baseline.low <= 0 else value.high / baseline.low
    return Range(low, high)


def median(values: Iterable[Range]) -> Range:
    """The median of values of which some may be bounds; ValueError when there are none."""
    listed = list(values)
    if not listed:
        raise ValueError("no values")
    low = statistics.median(value.low for value in listed)
    high = statistics.median(value.high for value in listed)
    return Range(low, high)


def least(values: Iterable[Range]) -> Range:
    """The smallest of values of which some may be bounds; ValueError when there are none."""
    listed = list(values)
    if not listed:
        raise ValueError("no values")
    return Range(min(value.low for value in listed), min(value.high for value in listed))


def spread(values: Iterable[Range]) -> Range:
    """From the smallest to the largest value; high = inf when a run was stopped."""
    listed = list(values)
    if not listed:
        raise ValueError("no values")
    return Range(min(value.low for value in listed), max(value.high for value in listed))


def spread_text(values: Iterable[Range], decimals: int) -> str:
    """'[1.2-3.4]', or '[1.2->30.0]' when the largest is a stopped run's bound."""
    listed = list(values)
    smallest = spread(listed).low
    largest = max(value.low for value in listed)
    mark = ">" if any(not value.exact for value in listed) else ""
    return f"[{smallest:.{decimals}f}-{mark}{largest:.{decimals}f}]"
