# SPDX-License-Identifier: MIT
"""The answers that a bystander of each attack got, beside the goals. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterable

from lab.columns import columns
from lab.machine import machine_text
from lab.ranges import Range, median, ratio, spread, spread_text

GOAL_RATIO = 2.0
GOAL_HEARTBEAT_S = 0.75
SERVERS = ("governor", "dummy")
WAYS = ("asking", "connecting")
_EXPLANATION = """\
Milliseconds from when a question was due to its answer; asking = every 10 ms over one connection,
connecting = every 20 ms over a new one. Median of the medians with [smallest-largest], and the worst of
all. dummy = an echo server under the same attack, in turns with the governor. ratio = governor / dummy
of the medians, taken within one repetition, then the median; goal: at most {ratio:g}. heartbeat = its
oldest age in seconds, worst of all repetitions, where 0.5 is its beat; goal: at most {heartbeat:g}. cpu =
of one core. members = threads or leases that the attacker had. refused = messages whose descriptors
the governor's kernel did not take. '>': questions without an answer, so a bound; '?' says that nothing can be said."""


@dataclass(frozen=True)
class Times:
    """Milliseconds."""

    median: Range
    worst: Range


@dataclass(frozen=True)
class Window:
    """One attack on one server. heartbeat_s is None of an echo server; strikes is None where the
    attacker could not say it at its end."""

    attack: str
    server: str
    repetition: int
    times: dict[str, Times]
    heartbeat_s: Range | None
    cpu_percent: float | None
    members: int
    strikes: int | None
    refused: int | None


def times_of(waited: dict[str, list[int]]) -> Times:
    """The times in a bystander's JSON. Questions without an answer count as answered at some later time."""
    values = [Range.exactly(ns / 1e6) for ns in waited["answered_ns"]]
    values += [Range.at_least(ns / 1e6) for ns in waited["open_ns"]]
    if not values:
        values = [Range.at_least(0.0)]
    last = max(value.low for value in values)
    return Times(median(values), Range(last, max(value.high for value in values)))


def unanswered(seconds: float) -> Times:
    """The times of a bystander that was not let in for so long."""
    bound = Range.at_least(seconds * 1000)
    return Times(bound, bound)


def as_json(window: Window) -> dict[str, Any]:
    """Numbers that are bounds are [low, high]."""
    times = {
        way: {"median_ms": _short(one.median), "worst_ms": _short(one.worst)}
        for way, one in window.times.items()
    }
    beat = None if window.heartbeat_s is None else _short(window.heartbeat_s)
    return {**vars(window), "times": times, "heartbeat_s": beat}


def rows_of(windows: list[Window]) -> list[dict[str, Any]]:
    """Two for each attack; numbers that are bounds are [low, high]."""
    names = dict.fromkeys(window.attack for window in windows)
    return [_row(windows, name, way) for name in names for way in WAYS]


def _row(windows: list[Window], name: str, way: str) -> dict[str, Any]:
    sides = {
        server: {w.repetition: w for w in windows if (w.attack, w.server) == (name, server)}
        for server in SERVERS
    }
    row: dict[str, Any] = {"attack": name, "way": way}
    for server, found in sides.items():
        times = [window.times[way] for window in found.values()]
        row[f"{server}_median_ms"] = _short(median(time.median for time in times)) if times else None
        row[f"{server}_medians_ms"] = [_short(time.median) for time in times]
        row[f"{server}_worst_ms"] = _short(_most(time.worst for time in times)) if times else None
    ratios = [
        ratio(sides["governor"][number].times[way].median, sides["dummy"][number].times[way].median)
        for number in sides["governor"].keys() & sides["dummy"].keys()
    ]
    row["ratio"] = _short(median(ratios)) if ratios else None
    row["ratios"] = [_short(value) for value in ratios]
    beats = [w.heartbeat_s for w in sides["governor"].values() if w.heartbeat_s is not None]
    row["heartbeat_s"] = _short(_most(beats)) if beats else None
    shares = sorted(w.cpu_percent for w in sides["governor"].values() if w.cpu_percent is not None)
    row["cpu_percent"] = round(shares[len(shares) // 2], 1) if shares else None
    row["members"] = min(w.members for found in sides.values() for w in found.values())
    row["refused"] = sum(w.refused or 0 for w in sides["governor"].values())
    return row


def is_reached(row: dict[str, Any]) -> bool | None:
    """Both goals; None where a bound allows no statement."""
    found = [_at_most(row["ratio"], GOAL_RATIO), _at_most(row["heartbeat_s"], GOAL_HEARTBEAT_S)]
    return False if False in found else None if None in found else True


def attacks_text(document: dict[str, Any]) -> str:
    """The report for a terminal."""
    settings = document["settings"]
    blocks = [
        machine_text(document["machine"]),
        f"{settings['repetitions']} repetition(s) of {settings['window_s']:g} s;"
        f" {settings['threads']} threads, {settings['leases']} leases, {settings['memory_mib']} MiB"
        f" asked for; {_kernel(settings['old_kernel'])}.",
        _table(document["rows"]),
        *(_answer(check) for check in document["checks"]),
        _EXPLANATION.format(ratio=GOAL_RATIO, heartbeat=GOAL_HEARTBEAT_S),
        *(f"Note: {note}" for note in document["notes"]),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _kernel(old: bool) -> str:
    return "the daemon as on a kernel before 6.16" if old else "the daemon on this kernel"


def _table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    head = ["attack", "", "governor", "worst", "dummy", "worst", "ratio", "heartbeat", "cpu", "", "remark"]
    lines = [head]
    for row in rows:
        first = row["way"] == WAYS[0]
        lines.append(
            [
                row["attack"] if first else "",
                row["way"],
                *(text for server in SERVERS for text in _times(row, server)),
                _spread(row["ratio"], row["ratios"], 2),
                _text(row["heartbeat_s"], 2) if first else "",
                f"{row['cpu_percent']:.0f} %" if first and row["cpu_percent"] is not None else "",
                {True: "", False: "MISSED", None: "?"}[is_reached(row)],
                _remark(row) if first else "",
            ]
        )
    return "\n".join("  " + line for line in columns(lines))


def _remark(row: dict[str, Any]) -> str:
    members = f"{row['members']} members" if row["members"] else ""
    return f"{row['refused']} refused" if row["refused"] else members


def _times(row: dict[str, Any], server: str) -> tuple[str, str]:
    middle = _spread(row[f"{server}_median_ms"], row[f"{server}_medians_ms"], 2)
    return middle, _text(row[f"{server}_worst_ms"], 1)


def _answer(check: dict[str, Any]) -> str:
    return f"{check['question']} {'yes' if check['yes'] else 'NO'}; {check['remark']}."


def _spread(middle: Any, values: list[Any], decimals: int) -> str:
    text = _text(middle, decimals)
    return f"{text} {spread_text(map(_range, values), decimals)}" if len(values) > 1 else text


def _text(value: Any, decimals: int) -> str:
    return "-" if value is None else _range(value).text(decimals)


def _at_most(value: Any, goal: float) -> bool | None:
    if value is None:
        return True
    bound = _range(value)
    return True if bound.high <= goal else False if bound.low > goal else None


def _most(values: Iterable[Range]) -> Range:
    listed = list(values)
    return Range(max(value.low for value in listed), spread(listed).high)


def _short(value: Range) -> float | list[float | None]:
    if value.exact:
        return round(value.low, 3)
    return [round(value.low, 3), None if math.isinf(value.high) else round(value.high, 3)]


def _range(value: Any) -> Range:
    """The range that _short() shortened to `value`."""
    if isinstance(value, list):
        return Range(value[0], math.inf if value[1] is None else value[1])
    return Range.exactly(value)
