# SPDX-License-Identifier: MIT
"""The memory bandwidth that programs take from each other, measured on this machine."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Optional

from lab.programs import Launch, ProcessFailed
from lab.quantities import span_text
from lab.side_by_side import Pace, run_side_by_side
from lab.spreads import spread_of
from lab.stage import Stage

from .cells import ALONE, Mix, Named

PROGRAM = Path("bench") / "stream"
MIXTURES = (
    "stream@0+stream@1", "stream@0+half@1", "half@0+half@1", "stream@0+compute@1", "half@0+compute@1",
    "compute@0+compute@1", "stream+stream", "stream+compute",
)  # fmt: skip
_LENGTH_S = 2.0  # of each program on one thread
_LIMIT_S = 60.0
_TRIAL_S = 0.1
_BIG_KIB = 131_072  # more than the caches hold
_SMALL_KIB = 4


@dataclass(frozen=True)
class Load:
    """Arguments of the program: what each thread reads again and again, and its steps after each 4 KiB."""

    name: str
    kib: int
    steps: int
    passes: int = 2

    @property
    def kib_in_all(self) -> int:
        """From memory, on any number of threads."""
        return self.kib * self.passes if self.kib > _SMALL_KIB else 0

    def arguments(self, threads: int) -> tuple[str, ...]:
        return tuple(str(number) for number in (threads, self.kib, self.passes, self.steps))


LOADS = (Load("stream", _BIG_KIB, 0), Load("half", _BIG_KIB, 400), Load("compute", _SMALL_KIB, 4000))
Times = dict[str, list[list[float]]]  # of each mixture, by repetition and program


def memory_plan_text(repetitions: int) -> str:
    """The runs that would be made, and the time that they take where all programs want all bandwidth."""
    mixtures = (*alone_of(MIXTURES), *MIXTURES)
    spans_s = [_LENGTH_S * len(mixture.split("+")) for mixture in mixtures]
    lines = [f"{mixture} x {repetitions}" for mixture in mixtures]
    return "\n".join([*lines, f"at most {span_text(repetitions * sum(spans_s) + 5)}"]) + "\n"


def measure_memory(program: Path, repetitions: int, stage: Stage) -> tuple[list[Named], list[Mix]]:
    """Programs that take as long on one thread, by themselves and in all mixtures."""
    loads = {load.name: _sized(load, program, stage) for load in LOADS}
    mixtures = [*alone_of(MIXTURES), *MIXTURES]
    times: Times = {mixture: [] for mixture in mixtures}
    shuffler = random.Random(1)
    for repetition in range(repetitions):
        for mixture in shuffler.sample(mixtures, len(mixtures)):
            spans_s = _run(mixture, loads, program, stage)
            times[mixture].append(spans_s)
            told = ", ".join(f"{span_s:.2f}" for span_s in spans_s)
            stage.progress.done(f"[{repetition + 1}/{repetitions}] {mixture}: {told} s")
    return programs_of(times, loads), mixes_of(times)


def alone_of(mixtures: tuple[str, ...]) -> list[str]:
    """Each load on one thread and on two, and where else a mixture puts it."""
    named = [name for load in LOADS for name in (f"{load.name}@0", load.name)]
    return list(dict.fromkeys([*named, *(term for mixture in mixtures for term in mixture.split("+"))]))


def programs_of(times: Times, loads: dict[str, Load]) -> list[Named]:
    """One thread of `stream` takes what two have to share, at least half; others take by what they read."""
    one_s = {name: median(spans[0] for spans in times[f"{name}@0"]) for name in loads}
    two_s = {name: median(spans[0] for spans in times[name]) for name in loads}
    whole = min(max(two_s["stream"] / one_s["stream"], 0.5), 1.0)
    pace = {name: load.kib_in_all / one_s[name] for name, load in loads.items()}
    return [
        Named(name, one_s[name], two_s[name], None, whole * pace[name] / pace["stream"]) for name in loads
    ]


def mixes_of(times: Times) -> list[Mix]:
    """Ratios of runs of one repetition."""
    mixes = []
    for mixture in MIXTURES:
        terms = mixture.split("+")
        alone_s = [sum(spans[0] for spans in of) for of in zip(*(times[term] for term in terms))]
        ratios = spread_of(sum(spans) / alone for spans, alone in zip(times[mixture], alone_s))
        mix = Mix("held", "-", "free", mixture, "plain", ALONE, "aggregate")
        mixes.append(replace(mix, measured=ratios.median, least=ratios.least, most=ratios.most))
    return mixes


def _sized(load: Load, program: Path, stage: Stage) -> Load:
    """Twice as much until its time tells how much is needed; an even number, for two threads."""
    while True:
        [span_s] = _run(f"{load.name}@0", {load.name: load}, program, stage)
        if span_s >= _TRIAL_S:
            break
        load = replace(load, passes=2 * load.passes)
    return replace(load, passes=2 * max(1, round(load.passes * _LENGTH_S / span_s / 2)))


def _run(mixture: str, loads: dict[str, Load], program: Path, stage: Stage) -> list[float]:
    """Seconds of each of the programs, which start at once."""
    launches = [_launch(term, index, loads, program) for index, term in enumerate(mixture.split("+"))]
    outcome = run_side_by_side(launches, Pace(0.0, _LIMIT_S), stage.folder, stage.interruption)
    if outcome.stopped_s is not None:
        raise ProcessFailed(f"{mixture} did not end within {_LIMIT_S:g} s.")
    return [record.report["elapsed_ms"] / 1000 for record in outcome.programs]


def _launch(term: str, index: int, loads: dict[str, Load], program: Path) -> Launch:
    name, _, cpu = term.partition("@")
    cpus: Optional[tuple[int, ...]] = (int(cpu),) if cpu else None
    arguments = loads[name].arguments(1 if cpu else 2)
    return Launch(f"{name}.{index}", (str(program), *arguments), {}, cpus)
