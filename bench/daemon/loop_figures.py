# SPDX-License-Identifier: MIT
"""What came of a play, from what `simulate --json` or the C++ half of bench/loop says of its programs:
a list of {"started_s", "ended_s", "finished", "teams": [{"at_s", "threads", "cpus"}]}. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Collection, Iterable, Iterator

Programs = list[dict[str, Any]]


@dataclass(frozen=True)
class Figures:
    """Seconds. `handed_over_s`: from the first end until others have all CPUs of it, None: never.
    `settled_s`: from the last start to the last change of a team before the first end, or before
    `until_s`. `overlap_cpu_s`: CPUs that two teams had, for how long."""

    sum_s: float
    makespan_s: float
    first_team_s: float
    settled_s: float
    handed_over_s: float | None
    overlap_cpu_s: float


def figures_of(programs: Programs, until_s: float = float("inf")) -> Figures:
    """ValueError when a program did not come to its end."""
    unfinished = [one["name"] for one in programs if one["ended_s"] is None]
    if unfinished:
        raise ValueError(f"{len(unfinished)} programs did not end, such as {unfinished[0]}")
    done = [one for one in programs if one["finished"]]
    last_start_s = max(one["started_s"] for one in programs)
    return Figures(
        sum_s=sum(one["ended_s"] - one["started_s"] for one in done),
        makespan_s=max(one["ended_s"] for one in done) - min(one["started_s"] for one in programs),
        first_team_s=max(_first_team_s(one) for one in programs),
        settled_s=_settled_s(programs, last_start_s, until_s),
        handed_over_s=_handed_over_s(programs),
        overlap_cpu_s=_overlap_cpu_s(programs),
    )


def mask_of(cpus: str) -> int:
    """Bit n is CPU n of a list such as 0-3,8."""
    mask = 0
    for part in filter(None, cpus.split(",")):
        first, _, last = part.partition("-")
        mask |= (1 << int(last or first) + 1) - (1 << int(first))
    return mask


def _first_team_s(program: dict[str, Any]) -> float:
    at_s = next((team["at_s"] for team in program["teams"] if team["threads"] > 0), program["ended_s"])
    return at_s - program["started_s"]


def _settled_s(programs: Programs, last_start_s: float, until_s: float) -> float:
    until_s = min(until_s, min(one["ended_s"] for one in programs))
    changes = [team["at_s"] for one in programs for team in one["teams"] if team["at_s"] < until_s]
    return max(0.0, max(changes, default=last_start_s) - last_start_s)


def _steps(programs: Programs) -> Iterator[tuple[float, int, int]]:
    """Time, program and the CPUs of its team from then on."""
    steps = [
        (team["at_s"], index, mask_of(team["cpus"]) if team["threads"] > 0 else 0)
        for index, one in enumerate(programs)
        for team in one["teams"]
    ]
    steps += [(one["ended_s"], index, 0) for index, one in enumerate(programs)]
    return iter(sorted(steps, key=lambda step: step[0]))


def _handed_over_s(programs: Programs) -> float | None:
    gone = min(range(len(programs)), key=lambda index: programs[index]["ended_s"])
    end_s = programs[gone]["ended_s"]
    held: dict[int, int] = {}
    left = 0
    for at_s, index, mask in _steps(programs):
        if index == gone:
            left = mask or left
        else:
            held[index] = mask
        if at_s >= end_s and left & ~_union(held.values()) == 0:
            return at_s - end_s
    return None


def _union(masks: Iterable[int]) -> int:
    together = 0
    for mask in masks:
        together |= mask
    return together


def _overlap_cpu_s(programs: Programs) -> float:
    held: dict[int, int] = {}
    sum_s, before_s, doubled = 0.0, 0.0, 0
    for at_s, index, mask in _steps(programs):
        sum_s += doubled * (at_s - before_s)
        before_s = at_s
        if held.get(index, 0) != mask:
            held[index] = mask
            doubled = _doubled(held.values())
    return sum_s


def _doubled(masks: Collection[int]) -> int:
    """How many CPUs are in two of them; one in three of them counts twice, and so on."""
    return sum(bin(mask).count("1") for mask in masks) - bin(_union(masks)).count("1")
