# SPDX-License-Identifier: MIT
"""The figures of a play, from the programs that `simulate --json` or the C++ half of bench/loop prints:
a list of {"started_s", "ended_s", "finished", "teams": [{"at_s", "threads", "cpus"}]}. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Collection, Container, Iterable, Iterator

Programs = list[dict[str, Any]]


@dataclass(frozen=True)
class Figures:
    """Times are in seconds. `first_team_s`: the longest time from a start to the first team. `settled_s`:
    from the last start until each team stays within one CPU of its size at the first end, or at
    `until_s`. `handed_over_s`: from the first end until other programs have all its CPUs, None: never.
    `overlap_cpu_s`: CPUs that two teams had, times how long."""

    sum_s: float
    makespan_s: float
    first_team_s: float
    settled_s: float
    handed_over_s: float | None
    overlap_cpu_s: float


def figures_of(
    programs: Programs, until_s: float = float("inf"), batch: Container[str] = frozenset()
) -> Figures:
    """The first team leaves out the programs in `batch` that waited for their turn first. ValueError
    when a program did not come to its end."""
    unfinished = [one["name"] for one in programs if one["ended_s"] is None]
    if unfinished:
        raise ValueError(f"{len(unfinished)} programs did not end, such as {unfinished[0]}")
    done = [one for one in programs if one["finished"]]
    last_start_s = max(one["started_s"] for one in programs)
    return Figures(
        sum_s=sum(one["ended_s"] - one["started_s"] for one in done),
        makespan_s=max(one["ended_s"] for one in done) - min(one["started_s"] for one in programs),
        first_team_s=max(
            (_first_team_s(one) for one in programs if one["name"] not in batch or not _waited(one)),
            default=0.0,
        ),
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


def _waited(program: dict[str, Any]) -> bool:
    return bool(program["teams"]) and program["teams"][0]["threads"] == 0


def _settled_s(programs: Programs, last_start_s: float, until_s: float) -> float:
    until_s = min(until_s, min(one["ended_s"] for one in programs))
    teams = ([team for team in one["teams"] if team["at_s"] < until_s] for one in programs)
    return max(0.0, max(map(_settled_at_s, filter(None, teams)), default=0.0) - last_start_s)


def _settled_at_s(teams: list[dict[str, Any]]) -> float:
    """Single CPUs come and go with measured foreign load, however long ago all programs started."""
    size = teams[-1]["threads"]
    late = [then["at_s"] for now, then in zip(teams, teams[1:]) if abs(now["threads"] - size) > 1]
    return max(late, default=teams[0]["at_s"])


def _steps(programs: Programs) -> Iterator[tuple[float, int, int]]:
    """Times, programs, and the CPUs of their teams from then on."""
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
    """CPUs in two of the masks. A CPU in three of them counts twice, and so on."""
    return sum(bin(mask).count("1") for mask in masks) - bin(_union(masks)).count("1")
