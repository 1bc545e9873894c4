# SPDX-License-Identifier: MIT
"""Habits: in what the first program of a scenario differs, mostly as a difficult neighbour."""

from __future__ import annotations

from dataclasses import dataclass

_STOPPED_AFTER_S = 1.0
_STOPPED_FOR_S = 3.0
_SLEEP_REGIONS = 3


@dataclass(frozen=True)
class Habit:
    """`governed` is False for a program that never asks anybody, `batch` for one that takes no turns,
    whatever the method."""

    name: str
    governed: bool = True
    batch: bool = True
    sleeps: bool = False
    computes_alone: bool = False
    stopped: bool = False

    def rest_ms(self, region_us: int, region_alone_ms: float) -> float:
        """The time that passes between two of its regions when it is alone."""
        if self.sleeps:
            return _SLEEP_REGIONS * region_us / 1000
        return region_alone_ms if self.computes_alone else 0.0

    def options(self, region_us: int, region_alone_ms: float) -> tuple[str, ...]:
        """For the program's command line."""
        rest_us = max(1, round(self.rest_ms(region_us, region_alone_ms) * 1000))
        if self.sleeps:
            return ("--sleep-us", str(rest_us))
        return ("--serial-us", str(rest_us)) if self.computes_alone else ()

    def stop_s(self) -> tuple[float, float] | None:
        """From when to when, after its start, it is stopped by SIGSTOP."""
        if not self.stopped:
            return None
        return (_STOPPED_AFTER_S, _STOPPED_AFTER_S + _STOPPED_FOR_S)


# Programs of a stream take so long alone; each second as many start as there are CPUs.
PASSING_S = 0.1

USUAL = Habit("uniform")
HABITS = {
    habit.name: habit
    for habit in (
        USUAL,
        Habit("sleeper", sleeps=True),
        Habit("serial", computes_alone=True),
        Habit("stopped", stopped=True),
        Habit("hog", governed=False),
        Habit("interactive", batch=False),
    )
}
