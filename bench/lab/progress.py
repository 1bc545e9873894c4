# SPDX-License-Identifier: MIT
"""The present step and the time that it still takes, on stderr."""

from __future__ import annotations

import os
import time
from typing import Mapping, TextIO

from .cells import Cell
from .quantities import span_text

_REDRAW_EVERY_S = 1.0


class TimeLeft:
    """Seconds that runs still take: what the same cell took last, else what was expected. Pure."""

    def __init__(self, expected_s: Mapping[Cell, float]) -> None:
        """`expected_s` holds every run to be made, in order."""
        self._waiting = dict(expected_s)
        self._seen_s: dict[tuple[str, str], float] = {}

    def took(self, cell: Cell, seconds: float) -> None:
        """A run is over, finished or stopped."""
        self._waiting.pop(cell, None)
        self._seen_s[(cell.scenario.name, cell.method.name)] = seconds

    def expected_s(self, cell: Cell) -> float:
        """For one run that waits or is under way."""
        seen_s = self._seen_s.get((cell.scenario.name, cell.method.name))
        return self._waiting.get(cell, 0.0) if seen_s is None else seen_s

    def later_s(self, current: Cell) -> float:
        """For all that come after `current`."""
        return sum(self.expected_s(cell) for cell in self._waiting if cell != current)


class Progress:
    """One line per step; on a terminal the line of the step under way is redrawn in place."""

    def __init__(self, stream: TextIO) -> None:
        terminal = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._stream = stream
        self._in_place = terminal
        self._dim = terminal and not os.environ.get("NO_COLOR")
        self._drawn_at = 0.0
        self._open = False

    def under_way(self, text: str, left_s: float) -> None:
        """Redraws the step under way on a terminal, at most once per second; else does nothing."""
        now = time.monotonic()
        if self._in_place and now - self._drawn_at >= _REDRAW_EVERY_S:
            self._drawn_at = now
            left = f"about {span_text(left_s)} left"
            left = f"\x1b[2m{left}\x1b[0m" if self._dim else left
            self._stream.write(f"\r\x1b[K{text} ... {left}")
            self._stream.flush()
            self._open = True

    def done(self, text: str, left_s: float | None = None) -> None:
        """A step is over, or something is worth a line."""
        self.close()
        left = "" if left_s is None else f"; about {span_text(left_s)} left"
        self._stream.write(f"{text}{left}\n")
        self._stream.flush()
        self._drawn_at = 0.0

    def close(self) -> None:
        """Removes the line that is redrawn in place."""
        if self._open:
            self._stream.write("\r\x1b[K")
            self._open = False
