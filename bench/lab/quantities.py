# SPDX-License-Identifier: MIT
"""Text with units to numbers and back; every refusal names the value and the accepted range."""

from __future__ import annotations

import re
from typing import Callable

_SECONDS_PER_UNIT = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0}


class BadInput(Exception):
    """The user asked for something that cannot be; the message is one complete sentence."""


def seconds(text: str) -> float:
    """Reads '1.2', '1.2s', '500ms' or '2min' as seconds; ValueError for anything else."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-z]*)\s*", text)
    if match is None or match.group(2) not in _SECONDS_PER_UNIT:
        raise ValueError(text)
    return float(match.group(1)) * _SECONDS_PER_UNIT[match.group(2)]


def duration_text(value_s: float) -> str:
    """The form that governord and libthreadcount read: whole milliseconds, '1s' where it is whole."""
    milliseconds = round(value_s * 1000)
    return f"{milliseconds // 1000}s" if milliseconds % 1000 == 0 else f"{milliseconds}ms"


def span_text(value_s: float) -> str:
    """A span for people: '8 s', '2 min 05 s', '1 h 03 min'."""
    whole = max(0, round(value_s))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def region_text(region_us: int) -> str:
    """A region length for people: '50 us', '1 ms', '2.5 ms'."""
    return f"{region_us} us" if region_us < 1000 else f"{region_us / 1000:g} ms"


def duration_option(option: str, low_s: float, high_s: float) -> Callable[[str], float]:
    """A reader for an option that takes a duration from low_s to high_s (seconds)."""

    def read(text: str) -> float:
        try:
            value = seconds(text)
        except ValueError:
            value = None
        if value is None or not low_s <= value <= high_s:
            raise BadInput(
                f"{option} {text!r}: a duration from {_edge(low_s)} to {_edge(high_s)} is accepted,"
                " such as 1.2, 1.2s or 500ms."
            )
        return value

    return read


def whole_option(option: str, low: int, high: int) -> Callable[[str], int]:
    """A reader for an option that takes a whole number from low to high."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or not low <= int(text) <= high:
            raise BadInput(f"{option} {text!r}: a whole number from {low} to {high} is accepted.")
        return int(text)

    return read


def _edge(value_s: float) -> str:
    return span_text(value_s) if value_s >= 60 else f"{value_s:g} s"
