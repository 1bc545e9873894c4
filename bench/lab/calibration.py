# SPDX-License-Identifier: MIT
"""Before the runs: how much work fills a region, how long that takes alone, how slow sharing is."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from .cells import Scenario
from .habits import USUAL, Habit
from .interruption import Interruption
from .programs import Launch, ProcessFailed
from .side_by_side import Outcome, Pace, run_side_by_side

_CALIBRATIONS = 3
_CALIBRATION_LIMIT_S = 30.0
_ALONE_S = 0.25
_PILOT_S = 0.1
_PILOT_LIMIT_S = 3.0


class Settings(Protocol):
    """The values of the command line that have to be known."""

    @property
    def region_us(self) -> int: ...

    def program(self, load: str) -> Path: ...


@dataclass(frozen=True)
class LoadSize:
    """work units per region, and what a region of that work took alone with all CPUs."""

    work: int
    region_alone_ms: float


class Calibration:
    """Measures with the machine as idle as it is; each step is a short run of its own."""

    def __init__(self, settings: Settings, folder: Path, interruption: Interruption) -> None:
        self._settings = settings
        self._folder = folder
        self._interruption = interruption
        self.sizes: dict[str, LoadSize] = {}
        self.default_slowdowns: dict[str, float] = {}

    def measure_load(self, load: str) -> LoadSize:
        """Work per region, then how long some regions take alone; medians of three."""
        region = ("--region-us", str(self._settings.region_us))
        work = int(self._median(load, ("--calibrate", *region), "work"))
        iterations = max(3, round(_ALONE_S * 1e6 / self._settings.region_us))
        alone = ("--iterations", str(iterations), "--work", str(work))
        region_ms = self._median(load, alone, "elapsed_ms") / iterations
        self.sizes[load] = LoadSize(work, max(region_ms, 0.001))
        return self.sizes[load]

    def pilot(self, scenario: Scenario) -> float:
        """The factor by which the programs take longer than one after the other when plain OpenMP shares
        the cores; at least that much when the pilot was stopped."""
        program_s = _PILOT_S / len(scenario.loads)
        launches = [
            self.launch(load, str(index), self.iterations(load, program_s), {"THREADCOUNT": "off"})
            for index, load in enumerate(scenario.loads)
        ]
        outcome = self._run(launches, _PILOT_LIMIT_S)
        ideal_s = sum(
            self.iterations(load, program_s) * self.sizes[load].region_alone_ms / 1000
            for load in scenario.loads
        )
        slowdown = max(1.0, _last_finish_s(outcome) / ideal_s)
        self.default_slowdowns[scenario.name] = slowdown
        return slowdown

    def iterations(self, load: str, program_s: float, habit: Habit = USUAL) -> int:
        """Regions for a program that takes program_s seconds alone."""
        alone_ms = self.sizes[load].region_alone_ms
        rest_ms = habit.rest_ms(self._settings.region_us, alone_ms)
        return max(1, round(program_s * 1000 / (alone_ms + rest_ms)))

    def launch(
        self,
        load: str,
        mark: str,
        iterations: int,
        environment: dict[str, str],
        cpus: tuple[int, ...] | None = None,
        habit: Habit = USUAL,
        options: tuple[str, ...] = (),
    ) -> Launch:
        """A program of the calibrated work; `mark` tells equal loads of one run apart, `options` are
        added to its command line."""
        command = (str(self._settings.program(load)), "--json")
        command += ("--iterations", str(iterations), "--work", str(self.sizes[load].work))
        command += habit.options(self._settings.region_us, self.sizes[load].region_alone_ms)
        command += options
        return Launch(f"{load}.{mark}", command, environment, cpus, habit.stop_s())

    def described(self) -> dict[str, Any]:
        """For results.json."""
        return {
            "loads": {load: asdict(size) for load, size in self.sizes.items()},
            "pilot_default_slowdown": self.default_slowdowns,
        }

    def _median(self, load: str, options: tuple[str, ...], key: str) -> float:
        reports = [self._one(load, options) for _ in range(_CALIBRATIONS)]
        return statistics.median(_number(load, report, key) for report in reports)

    def _one(self, load: str, options: tuple[str, ...]) -> dict[str, Any]:
        command = (str(self._settings.program(load)), "--json", *options)
        launch = Launch(f"{load}.calibration", command, {"THREADCOUNT": "off"})
        limit_s = _CALIBRATION_LIMIT_S + 10 * self._settings.region_us / 1e6
        outcome = self._run([launch], limit_s)
        report = outcome.programs[0].report
        if report is None:
            raise ProcessFailed(f"{load} did not end within {limit_s:g} s ({' '.join(command)}).")
        return report

    def _run(self, launches: list[Launch], limit_s: float) -> Outcome:
        return run_side_by_side(launches, Pace(0.0, limit_s), self._folder, self._interruption)


def _number(load: str, report: dict[str, Any], key: str) -> float:
    value = report.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise ProcessFailed(f"{load} reported {key} = {value!r}; a number above 0 is needed.")
    return value


def _last_finish_s(outcome: Outcome) -> float:
    if outcome.stopped_s is not None:
        return outcome.stopped_s
    return max(program.finished_s or 0.0 for program in outcome.programs)
