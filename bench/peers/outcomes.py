# SPDX-License-Identifier: MIT
"""The outcomes of single runs, and of several. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Iterable

from lab.spreads import Spread, spread_of

OK, UNSUPPORTED, HUNG, CRASHED, WRONG = "ok", "unsupported", "hung", "crashed", "wrong"


@dataclass(frozen=True)
class Outcome:
    """One run of one benchmark of one pool; figures by name, in the units that the names say."""

    pool: str
    bench: str
    repetition: int
    status: str
    figures: dict[str, float]
    seconds: float


def read_figures(text: str) -> dict[str, float] | None:
    """Lines `NAME VALUE`; None where the pool has no such thing. ValueError for anything else."""
    lines = text.split("\n")
    if "unsupported" in lines:
        return None
    figures = {}
    for line in filter(None, lines):
        name, value = line.split(" ")
        figures[name] = float(value)
    if not figures:
        raise ValueError("no figures")
    return figures


class Outcomes:
    """The outcomes of all runs; asked by pool, bench and figure."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self._values: dict[tuple[str, str, str], dict[int, float]] = {}
        self._statuses: dict[tuple[str, str], list[str]] = {}
        for outcome in outcomes:
            self._statuses.setdefault((outcome.pool, outcome.bench), []).append(outcome.status)
            for figure, value in outcome.figures.items():
                key = (outcome.pool, outcome.bench, figure)
                self._values.setdefault(key, {})[outcome.repetition] = value

    def pools(self) -> list[str]:
        return list(dict.fromkeys(pool for pool, _ in self._statuses))

    def figures(self) -> list[tuple[str, str]]:
        """(bench, figure) in the order in which they were seen."""
        return list(dict.fromkeys((bench, figure) for _, bench, figure in self._values))

    def spread(self, pool: str, bench: str, figure: str) -> Spread | None:
        values = list(self._values.get((pool, bench, figure), {}).values())
        return spread_of(values) if values else None

    def ratio(
        self, above: tuple[str, str, str], below: tuple[str, str, str]
    ) -> float | None:
        """The median of the ratios within the repetitions that hold both; both are (pool, bench,
        figure)."""
        upper, lower = self._values.get(above, {}), self._values.get(below, {})
        ratios = [upper[key] / lower[key] for key in upper if lower.get(key, 0) != 0]
        return median(ratios) if ratios else None

    def is_unsupported(self, pool: str, bench: str) -> bool:
        """It was asked for this, and has no such thing."""
        return UNSUPPORTED in self._statuses.get((pool, bench), [])

    def trouble(self, pool: str, bench: str) -> str | None:
        """The first status that is neither `ok` nor `unsupported`: such a pool is out of the race
        there, even where another repetition went well."""
        statuses = self._statuses.get((pool, bench), [])
        return next((status for status in statuses if status not in (OK, UNSUPPORTED)), None)
