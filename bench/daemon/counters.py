# SPDX-License-Identifier: MIT
"""The governor's own counters, and whether it missed a sample between two looks at them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.programs import ProcessFailed

_ANSWERS_WITHIN_S = 10


@dataclass(frozen=True)
class Counters:
    """The answer of `governorctl status`, this question's own connection not counted."""

    clients: int
    uptime_ms: int
    period_ms: int
    samples: int
    discarded_samples: int
    queries: int
    bad_messages: int


@dataclass(frozen=True)
class Samples:
    """In `elapsed_ms` of the governor's own clock; missed counts whole periods without an accepted
    sample, so that a sample just before or after the looks makes no difference."""

    elapsed_ms: int
    expected: int
    accepted: int
    discarded: int
    missed: int


def read_counters(governorctl: Path, socket: Path) -> Counters:
    """ProcessFailed when the governor does not answer."""
    return counters_from(_status(governorctl, socket))


def read_decisions(governorctl: Path, socket: Path) -> int:
    """The number of its decisions; ProcessFailed when the governor does not answer."""
    return int(json.loads(_status(governorctl, socket))["decisions"])


def _status(governorctl: Path, socket: Path) -> str:
    command = [str(governorctl), "--socket", str(socket), "status", "--json"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_ANSWERS_WITHIN_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ProcessFailed(f"{' '.join(command)}: {error}.") from error
    if done.returncode != 0:
        raise ProcessFailed(f"{' '.join(command)} exited with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def counters_from(text: str) -> Counters:
    """From the JSON of `governorctl status --json`; ProcessFailed when a key is missing."""
    try:
        status = json.loads(text)
        return Counters(**{name: int(status[name]) for name in Counters.__dataclass_fields__})
    except (ValueError, KeyError, TypeError) as error:
        raise ProcessFailed(f"governorctl status --json: not what was expected ({error!r}).") from error


def samples_between(before: Counters, after: Counters) -> Samples:
    """The samples between two looks at the same governor."""
    elapsed_ms = after.uptime_ms - before.uptime_ms
    expected = elapsed_ms // after.period_ms
    accepted = after.samples - before.samples
    discarded = after.discarded_samples - before.discarded_samples
    return Samples(elapsed_ms, expected, accepted, discarded, max(0, expected - accepted))
