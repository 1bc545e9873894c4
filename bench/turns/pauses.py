# SPDX-License-Identifier: MIT
"""The time for which programs had no CPU at all, from looks at their clocks."""

from __future__ import annotations

import os
import time
from pathlib import Path

_PROC = Path("/proc")


class Pauses:
    """The longest time in which a process's CPU time stood still, to within the time between two looks.
    Pure: times are arguments."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[int, float]] = {}  # pid: CPU time and since when it is that
        self._longest_s: dict[int, float] = {}

    def look(self, now_s: float, cpu_times: dict[int, int]) -> None:
        """cpu_times: of each process, in any unit."""
        for pid, cpu_time in cpu_times.items():
            before = self._last.get(pid)
            if before is None or before[0] != cpu_time:
                self._last[pid] = (cpu_time, now_s)
            since_s = (before or self._last[pid])[1]
            self._longest_s[pid] = max(self._longest_s.get(pid, 0.0), now_s - since_s)

    def longest_s(self, pid: int) -> float | None:
        """None for a process that was never seen."""
        return self._longest_s.get(pid)


class Watch:
    """Looks at the children of this process; call look() often."""

    def __init__(self) -> None:
        self.pauses = Pauses()

    def look(self) -> None:
        seen = ((pid, _ticks(pid)) for pid in _children())
        self.pauses.look(time.monotonic(), {pid: ticks for pid, ticks in seen if ticks is not None})


def _children() -> list[int]:
    """The children of the calling thread; none where the kernel does not tell."""
    try:
        text = (_PROC / f"{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(pid) for pid in text.split()]


def _ticks(pid: int) -> int | None:
    """User and system time of all its threads in clock ticks; None when it has gone."""
    try:
        text = (_PROC / f"{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
