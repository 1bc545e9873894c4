# SPDX-License-Identifier: MIT
"""Many times to four numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Latency:
    """The times of `count` answers, in microseconds; nan when there was none."""

    count: int
    median: float
    p90: float
    p99: float
    max: float


def latency_of(times_ns: Iterable[int]) -> Latency:
    """A quantile is the smallest time that at least that share of the answers did not exceed."""
    ordered = sorted(times_ns)
    return Latency(len(ordered), *(_quantile(ordered, share) for share in (0.5, 0.9, 0.99, 1.0)))


def ratios(one: Latency, other: Latency) -> dict[str, float | None]:
    """one / other for each number; None where there is nothing to divide."""
    found: dict[str, float | None] = {}
    for name in ("median", "p90", "p99", "max"):
        above, below = getattr(one, name), getattr(other, name)
        known = math.isfinite(above) and math.isfinite(below) and below > 0
        found[name] = round(above / below, 3) if known else None
    return found


def _quantile(ordered: list[int], share: float) -> float:
    if not ordered:
        return math.nan
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] / 1000
