# SPDX-License-Identifier: MIT
"""The results of the three arms, as tables. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any

from lab.columns import aligned
from lab.machine import machine_text
from lab.records import Results
from lab.summary import Row, ratio_text, summarize, time_text
from lab.table import remarks

from .hostile_settings import ARMS

BASELINES = ("quiet", "yardstick")
_EXPLANATION = """\
aggregate = sum over the programs of (finish - start); makespan = first start to last finish. Medians
over the repetitions with [smallest-largest]; seconds. A ratio is taken within one repetition, then the
median. quiet = no hostile client; hostile = they are at the governor; yardstick = the same clients at
a raw echo server: hostile / yardstick is what the governor adds to what they cost by themselves."""


@dataclass(frozen=True)
class ArmRun:
    """The cost of one run beside the programs. elapsed_s is the time between the two looks at the governor;
    governor_cpu_s and governor_rss_kib (before, after) belong to these looks. hostile_cpu_s is that of
    the hostile clients' whole life, None where there were none."""

    arm: str
    repetition: int
    elapsed_s: float
    governor_cpu_s: float
    governor_rss_kib: tuple[int, int]
    hostile_cpu_s: float | None
    samples: dict[str, int]
    queries: int
    bad_messages: int
    hostile: dict[str, Any] | None


@dataclass
class HostileResults(Results):
    """With one entry of `arms` for each of `runs`."""

    arms: list[ArmRun] = field(default_factory=list)


def rows_of(results: HostileResults) -> list[Row]:
    """One per arm."""
    return summarize(results.runs, list(ARMS), BASELINES)


def hostile_text(results: HostileResults, rows: list[Row]) -> str:
    """The report for a terminal."""
    machine, settings = results.machine, results.settings
    blocks = [
        machine_text(machine),
        f"{settings['connections']} hostile connections, {settings['rate']} turns per second in all;"
        f" {settings['repetitions']} repetition(s) of {settings['length_s']:g} s programs.",
        _times_table(rows),
        _costs_table(results.arms),
        _kinds_table(results.arms),
        _EXPLANATION,
        *remarks(results),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _times_table(rows: list[Row]) -> str:
    groups = ["", "", "", "aggregate over", "", "makespan over", ""]
    lines = [groups, ["arm", "aggregate s", "makespan s", *BASELINES, *BASELINES]]
    for row in rows:
        found = [row.aggregate_ratios[base] for base in BASELINES]
        found += [row.makespan_ratios[base] for base in BASELINES]
        texts = (ratio_text(ratios) for ratios in found)
        lines.append([row.method, time_text(row.aggregates), time_text(row.makespans), *texts])
    return aligned(lines)


def _costs_table(arms: list[ArmRun]) -> str:
    """CPU time as per cent of one core; memory in MiB; medians, but the sum of what was missed."""
    header = ["arm", "governor cpu", "clients cpu", "RSS before", "RSS after", "missed", "bad messages"]
    lines = [[""] * len(header), header]
    for name in ARMS:
        runs = [run for run in arms if run.arm == name]
        if not runs:
            continue
        shares = [run.governor_cpu_s / run.elapsed_s for run in runs]
        clients = [run.hostile_cpu_s / run.elapsed_s for run in runs if run.hostile_cpu_s is not None]
        lines.append(
            [
                name,
                _percent(shares),
                _percent(clients),
                *(_mib([run.governor_rss_kib[moment] for run in runs]) for moment in (0, 1)),
                str(sum(run.samples["missed"] for run in runs)),
                str(sum(run.bad_messages for run in runs)),
            ]
        )
    return aligned(lines).lstrip("\n")


def _kinds_table(arms: list[ArmRun]) -> str:
    """The deeds of the hostile clients and the governor's answers, all repetitions together."""
    reports = [run.hostile for run in arms if run.arm == "hostile" and run.hostile is not None]
    if not reports:
        return ""
    counts = list(next(iter(reports[0]["kinds"].values())))
    lines = [[""] * (len(counts) + 1), ["kind", *counts]]
    for kind in reports[0]["kinds"]:
        sums = (sum(report["kinds"][kind][count] for report in reports) for count in counts)
        lines.append([kind, *map(str, sums)])
    text = aligned(lines).lstrip("\n")
    left_out = sum(report["left_out"] for report in reports)
    return text + (f"\n  {left_out} turns were left out: the clients were too slow." if left_out else "")


def _percent(shares: list[float]) -> str:
    return f"{100 * statistics.median(shares):.1f} %" if shares else "-"


def _mib(kib: list[int]) -> str:
    return f"{statistics.median(kib) / 1024:.1f} MiB"
