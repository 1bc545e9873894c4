# SPDX-License-Identifier: MIT
"""Programs started one after the other with a pause in between, watched until the last has ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from .interruption import Interruption
from .machine import busy_cpu_seconds
from .programs import Launch, Process
from .records import ProgramRecord

_LOOK_EVERY_S = 0.5


@dataclass(frozen=True)
class Pace:
    """Seconds between the starts, and from the first start until what still runs is stopped. In turn
    nobody is started before all others that were have ended."""

    stagger_s: float
    limit_s: float
    in_turn: bool = False


@dataclass(frozen=True)
class Stream:
    """A short program that is started again and again, every_s seconds, while the others run."""

    launch: Launch
    every_s: float


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run; the same meanings and units as in RunRecord."""

    origin_ms: float
    stopped_s: float | None
    foreign_cpus: float | None
    programs: tuple[ProgramRecord, ...]


def run_side_by_side(
    launches: list[Launch],
    pace: Pace,
    folder: Path,
    interruption: Interruption,
    look: Callable[[], None] = lambda: None,
    stream: Stream | None = None,
) -> Outcome:
    """Runs `launches`; `look` is called at least every 0.5 s and may raise. In no case does a
    program still run when this returns or raises. ProcessFailed when one of them fails."""
    started: list[Process] = []
    passing: list[Process] = []
    busy_before_s, origin_s = busy_cpu_seconds(), time.monotonic()
    try:
        while _start_due(launches, pace, folder, started, origin_s):
            look()
            pause_s = _pause(launches, pace, started, origin_s)
            if stream is not None:
                pause_s = min(pause_s, _start_passing(stream, folder, passing, origin_s))
            interruption.wait(pause_s)
        elapsed_s = time.monotonic() - origin_s
    finally:
        for process in started + passing:
            process.kill()
    stopped = len(started) < len(launches) or any(process.killed for process in started)
    foreign = _foreign_cpus(busy_before_s, started + passing, elapsed_s)
    processes = [*started, *[None] * (len(launches) - len(started))]
    records = [
        _record(launch, process, origin_s, _began_s(index, process, pace, origin_s, elapsed_s))
        for index, (launch, process) in enumerate(zip(launches, processes))
    ]
    return Outcome(origin_s * 1000, elapsed_s if stopped else None, foreign, tuple(records))


def _start_due(
    launches: list[Launch], pace: Pace, folder: Path, started: list[Process], origin_s: float
) -> bool:
    """Starts what is due; False when all have ended or the limit is reached. A program that failed
    raises here, so that nobody waits for the others."""
    elapsed_s = time.monotonic() - origin_s
    running = 0
    for process in started:
        if process.ended():
            process.report()
        else:
            process.send_due_signals()
            running += 1
    while len(started) < len(launches) and elapsed_s >= len(started) * pace.stagger_s:
        if pace.in_turn and running > 0:
            break
        started.append(Process(launches[len(started)], folder))
        running += 1
    return elapsed_s < pace.limit_s and (running > 0 or len(started) < len(launches))


def _start_passing(
    stream: Stream, folder: Path, passing: list[Process], origin_s: float
) -> float:
    """Starts the next one of the stream when it is due; seconds until the one after it is."""
    for process in passing:
        if process.ended() and not process.killed:
            process.report()
    due_s = origin_s + len(passing) * stream.every_s
    if time.monotonic() >= due_s:
        launch = replace(stream.launch, name=f"{stream.launch.name}{len(passing)}")
        passing.append(Process(launch, folder))
        due_s += stream.every_s
    return max(0.0, due_s - time.monotonic())


def _pause(launches: list[Launch], pace: Pace, started: list[Process], origin_s: float) -> float:
    """Seconds until something is due: the next start, the limit, or a look."""
    elapsed_s = time.monotonic() - origin_s
    due_s = [elapsed_s + _LOOK_EVERY_S, pace.limit_s]
    held_back = pace.in_turn and any(process.finished_s is None for process in started)
    if len(started) < len(launches) and not held_back:
        due_s.append(len(started) * pace.stagger_s)
    for process in started:
        if process.finished_s is None:
            due_s += [process.started_s - origin_s + after_s for after_s, _ in process.signals_due]
    return max(0.0, min(due_s) - elapsed_s)


def _began_s(
    index: int, process: Process | None, pace: Pace, origin_s: float, elapsed_s: float
) -> float | None:
    """The time when its user began to wait for it: at its start, in turn when that was due but for the others."""
    due_s = index * pace.stagger_s
    if pace.in_turn and due_s <= elapsed_s:
        return due_s
    return None if process is None else process.started_s - origin_s


def _record(
    launch: Launch, process: Process | None, origin_s: float, began_s: float | None
) -> ProgramRecord:
    load, cpus = launch.name.split(".")[0], launch.cpus or ()
    if process is None:
        return ProgramRecord(load, began_s, None, 0.0, cpus, None)
    cpu_s = process.cpu_s
    if process.killed:
        return ProgramRecord(load, began_s, None, cpu_s, cpus, None)
    return ProgramRecord(
        load, began_s, process.finished_s - origin_s, cpu_s, cpus, process.report()
    )


def _foreign_cpus(
    before_s: float | None, started: list[Process], elapsed_s: float
) -> float | None:
    """The number of CPUs that others kept busy on average since `before_s` was read."""
    after_s = busy_cpu_seconds()
    if before_s is None or after_s is None:
        return None
    own_s = sum(process.cpu_s for process in started)
    return round(max(0.0, (after_s - before_s - own_s) / max(elapsed_s, 0.001)), 3)
