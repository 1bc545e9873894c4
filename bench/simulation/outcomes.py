# SPDX-License-Identifier: MIT
"""The figures of a policy in a scenario, and their comparison with another policy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterable

from lab.ranges import Range, ratio, total

MEASURES = ("sum_s", "mean_slowdown", "max_slowdown", "makespan_s")


@dataclass(frozen=True)
class Outcome:
    """The times are those of programs that end by themselves, `programs` of them; None: there is none.
    A program that had not ended when the scenario did makes them lower bounds."""

    scenario: str
    policy: str
    sum_s: Range | None
    mean_slowdown: Range | None
    max_slowdown: Range | None
    makespan_s: Range | None
    utilisation: float | None
    changes_per_minute: float | None
    programs: int
    unfinished: int

    def measure(self, name: str) -> Range | None:
        return getattr(self, name)


@dataclass(frozen=True)
class _Time:
    took: Range
    alone_s: float
    started_s: float


def outcome(record: dict[str, Any], scenario: str, policy: str) -> Outcome:
    """`record` is what `simulate --brief` prints."""
    times = [_time(program, record) for program in record["programs"] if _ends(program, record)]
    figures = record["figures"]
    return Outcome(
        scenario, policy, *_measures(times), figures["utilisation"], figures["changes_per_minute"],
        len(times), sum(not time.took.exact for time in times),
    )  # fmt: skip


def planned(scenario: str, policy: str, record: dict[str, Any], times_s: list[float]) -> Outcome:
    """The outcome of a closed batch that nobody runs: its ends are known, in the order of `record["batch"]`."""
    kinds = (p["program"] for p in record["programs"])
    alone_s = [record["alone_s"][kind] for kind in kinds]
    times = [_Time(Range.exactly(t), alone, 0.0) for t, alone in zip(times_s, alone_s)]
    return Outcome(scenario, policy, *_measures(times), None, None, len(times), 0)


def _ends(program: dict[str, Any], record: dict[str, Any]) -> bool:
    return record["alone_s"][program["program"]] is not None


def _time(program: dict[str, Any], record: dict[str, Any]) -> _Time:
    ended_s = program["ended_s"]
    started_s = program["started_s"]
    if ended_s is not None and program["finished"]:
        took = Range.exactly(ended_s - started_s)
    else:
        took = Range.at_least(record["end_s"] - started_s)
    return _Time(took, record["alone_s"][program["program"]], started_s)


def _measures(times: list[_Time]) -> tuple[Range | None, ...]:
    """In the order of MEASURES."""
    if not times:
        return (None,) * len(MEASURES)
    slowdowns = [ratio(time.took, Range.exactly(time.alone_s)) for time in times]
    first_s = min(time.started_s for time in times)
    ends = [time.took + Range.exactly(time.started_s - first_s) for time in times]
    mean = total(slowdowns)
    return (
        total(time.took for time in times),
        Range(mean.low / len(times), mean.high / len(times)),
        _largest(slowdowns),
        _largest(ends),
    )


def _largest(values: list[Range]) -> Range:
    return Range(max(value.low for value in values), max(value.high for value in values))


def geometric_mean(values: Iterable[Range]) -> Range | None:
    """None of nothing; bounds make it a bound."""
    listed = list(values)
    if not listed:
        return None
    return Range(_root([v.low for v in listed]), _root([v.high for v in listed]))


def _root(values: list[float]) -> float:
    if min(values) <= 0:
        return 0.0
    if math.isinf(max(values)):
        return math.inf
    return math.exp(sum(math.log(value) for value in values) / len(values))


def over(one: Outcome, other: Outcome, measure: str) -> Range | None:
    """one / other; None where one of the two has none. Exactly 1 where both are the same bound."""
    value, base = one.measure(measure), other.measure(measure)
    if value is None or base is None:
        return None
    if one is other:
        return Range.exactly(1.0)
    return ratio(value, base)
