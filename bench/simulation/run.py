# SPDX-License-Identifier: MIT
"""One run of the simulator, and what it says about itself."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Any

from lab.endings import Failed
from lab.quantities import BadInput

_OK, _FAILED = 0, 1


@dataclass(frozen=True)
class Steps:
    """A number that stays until it changes; the last time is where it ends."""

    times_s: list[float]
    values: list[int]

    def mean(self) -> float:
        """Over the time; 0 if there is none."""
        spans = [after - before for before, after in zip(self.times_s, self.times_s[1:])]
        whole = sum(spans)
        return sum(v * s for v, s in zip(self.values, spans)) / whole if whole > 0 else 0.0


@dataclass(frozen=True)
class Process:
    """One copy of a program; times in seconds."""

    record: dict[str, Any]
    end_s: float

    @property
    def name(self) -> str:
        return self.record["name"]

    @property
    def user(self) -> int:
        return self.record["user"]

    @property
    def ended_s(self) -> float:
        ended = self.record["ended_s"]
        return self.end_s if ended is None else ended

    def granted(self) -> Steps:
        return self._steps(self.record["grants"])

    def running(self) -> Steps:
        """Threads at work: not more in a sleep, nor while it is stopped."""
        teams = [{**t, "threads": 0 if t["stopped"] else t["threads"]} for t in self.record["teams"]]
        return self._steps(teams)

    def sets(self) -> list[tuple[float, float, list[int]]]:
        """From, to, and which CPUs were granted then."""
        grants = self.record["grants"]
        ends = [grant["at_s"] for grant in grants[1:]] + [self.ended_s]
        return [(g["at_s"], end, cpu_list(g["cpus"])) for g, end in zip(grants, ends)]

    def _steps(self, records: list[dict[str, Any]]) -> Steps:
        values = [record["threads"] for record in records]
        times = [record["at_s"] for record in records]
        return Steps(times + [self.ended_s], values + values[-1:]) if times else Steps([], [])


@dataclass(frozen=True)
class Run:
    """The output of `simulate --json`."""

    record: dict[str, Any]

    @property
    def failures(self) -> list[str]:
        return self.record["failures"]

    @property
    def figures(self) -> dict[str, float]:
        return self.record["figures"]

    def processes(self) -> list[Process]:
        return [Process(record, self.record["end_s"]) for record in self.record["programs"]]

    def foreign(self) -> Steps:
        """CPUs that are left to programs that are not governed."""
        decisions = self.record["decisions"]
        values = [decision["foreign"] for decision in decisions]
        times = [decision["at_s"] for decision in decisions]
        return Steps(times + [self.record["end_s"]], values + values[-1:])


def simulate(arguments: list[str]) -> Run:
    """BadInput with the simulator's own words for a scenario or a policy that cannot be; Failed when it
    ends in another way than it says it may."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BadInput(
            f"--bin: {arguments[0]}: {error.strerror}; build first, or name the folder that holds"
            " simulate."
        ) from error
    if done.returncode == 2:
        raise BadInput(done.stderr.strip().removeprefix("simulate: "))
    if done.returncode not in (_OK, _FAILED):
        raise Failed(f"{arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return Run(json.loads(done.stdout))


def cpu_list(text: str) -> list[int]:
    """'0-2,8' -> [0, 1, 2, 8]"""
    cpus: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus
