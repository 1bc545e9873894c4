# SPDX-License-Identifier: MIT
"""The cost of a process, by its files in /proc."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from lab.programs import ProcessFailed

_CPUCLOCK_SCHED = 2  # as clock_getcpuclockid(3) makes it


@dataclass(frozen=True)
class Figures:
    """At one moment: resident memory and its highest value so far in KiB, CPU time in seconds (user
    and system, since the start of the process), open descriptors."""

    rss_kib: int
    highest_rss_kib: int
    cpu_s: float
    descriptors: int


def figures_of(pid: int) -> Figures:
    """ProcessFailed when there is no such process, or it is not ours to look at."""
    folder = Path(f"/proc/{pid}")
    try:
        rss, highest = memory_kib((folder / "status").read_text())
        cpu_s = cpu_seconds((folder / "stat").read_text(), os.sysconf("SC_CLK_TCK"))
        return Figures(rss, highest, cpu_s, len(os.listdir(folder / "fd")))
    except (OSError, ValueError) as error:
        raise ProcessFailed(f"process {pid} cannot be looked at: {error}.") from error


def cpu_time_of(pid: int) -> float:
    """Seconds of CPU time, exact to the nanosecond, of all its threads; ProcessFailed as above."""
    try:
        return time.clock_gettime((~pid << 3) | _CPUCLOCK_SCHED)
    except OSError as error:
        raise ProcessFailed(f"process {pid} has no clock: {error}.") from error


def memory_kib(status: str) -> tuple[int, int]:
    """VmRSS and VmHWM; ValueError where the text has none."""
    values = []
    for name in ("VmRSS", "VmHWM"):
        match = re.search(rf"^{name}:\s*([0-9]+) kB$", status, re.MULTILINE)
        if match is None:
            raise ValueError(f"no {name} in its status")
        values.append(int(match.group(1)))
    return values[0], values[1]


def cpu_seconds(stat: str, ticks_per_s: int) -> float:
    """utime + stime; the name in front of them may hold anything, brackets and blanks included."""
    fields = stat.rpartition(")")[2].split()
    if len(fields) < 13:
        raise ValueError("its stat is short")
    return (int(fields[11]) + int(fields[12])) / ticks_per_s
