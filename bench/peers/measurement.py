# SPDX-License-Identifier: MIT
"""Runs every benchmark of every pool as a process of its own, peer by peer within a repetition."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Callable

from .outcomes import CRASHED, HUNG, OK, UNSUPPORTED, WRONG, Outcome, read_figures
from .plan import Bench
from .settings import PeersSettings

_ENOUGH_TROUBLE = 2  # then a pool is not asked again: each hang takes its whole limit


def measure(
    settings: PeersSettings, pools: list[str], say: Callable[[str, float], None]
) -> tuple[list[Outcome], bool]:
    """The outcomes, and whether these are all; a signal ends it early. `say` is told after each step
    what is done, and the share of it."""
    outcomes: list[Outcome] = []
    try:
        _measure(settings, pools, say, outcomes)
    except KeyboardInterrupt:
        return outcomes, False
    return outcomes, True


def _measure(
    settings: PeersSettings,
    pools: list[str],
    say: Callable[[str, float], None],
    outcomes: list[Outcome],
) -> None:
    asked = _Asked()
    steps = settings.repetitions * len(settings.benches)
    for step in range(steps):
        repetition, bench = divmod(step, len(settings.benches))
        bench = settings.benches[bench]
        # Nobody is always the first or the last.
        turn = repetition % len(pools)
        for pool in pools[turn:] + pools[:turn]:
            if asked.worth(pool, bench):
                outcome = run_once(settings, pool, bench, repetition)
                asked.note(pool, bench, outcome.status)
                outcomes.append(outcome)
        say(f"{bench.key}, repetition {repetition + 1}", (step + 1) / steps)


def run_once(settings: PeersSettings, pool: str, bench: Bench, repetition: int) -> Outcome:
    """Never raises for what the program does."""
    folder = settings.build / "bin"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OMP_")}
    if bench.counts_allocations:
        environment["LD_PRELOAD"] = str(folder / "liballocations.so")
    command = [str(folder / pool), bench.name, str(bench.workers), f"{settings.scale:g}"]
    began_s = time.monotonic()
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False,
            timeout=bench.limit_s,
        )  # fmt: skip
        status, figures = read_outcome(done.returncode, done.stdout)
    except subprocess.TimeoutExpired:
        status, figures = HUNG, {}
    seconds = round(time.monotonic() - began_s, 3)
    return Outcome(pool, bench.key, repetition, status, figures, seconds)


def read_outcome(returned: int, text: str) -> tuple[str, dict[str, float]]:
    """Status and figures of a program that has ended."""
    if returned < 0:
        return CRASHED, {}
    if returned > 0:
        return WRONG, {}
    try:
        figures = read_figures(text)
    except ValueError:
        return WRONG, {}
    return (UNSUPPORTED, {}) if figures is None else (OK, figures)


def programs_in(build: Path, pools: tuple[str, ...]) -> list[str]:
    return [pool for pool in pools if os.access(build / "bin" / pool, os.X_OK)]


class _Asked:
    """The pools that are not to be asked again."""

    def __init__(self) -> None:
        self._troubles: dict[tuple[str, Bench], int] = {}

    def note(self, pool: str, bench: Bench, status: str) -> None:
        if status == UNSUPPORTED:
            self._troubles[pool, bench] = _ENOUGH_TROUBLE
        elif status != OK:
            self._troubles[pool, bench] = self._troubles.get((pool, bench), 0) + 1

    def worth(self, pool: str, bench: Bench) -> bool:
        return self._troubles.get((pool, bench), 0) < _ENOUGH_TROUBLE
