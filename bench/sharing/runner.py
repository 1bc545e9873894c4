# SPDX-License-Identifier: MIT
"""The experiment itself: calibrate, choose the size, then run every cell in its turn."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from lab.calibration import Calibration
from lab.cells import Cell, Scenario, run_order
from lab.checks import checksum_errors
from lab.governor import Governor, socket_path, warm_up_s
from lab.habits import PASSING_S
from lab.interruption import Interruption
from lab.machine import allowed_cpus
from lab.programs import Launch, ProcessFailed
from lab.progress import Progress, TimeLeft
from lab.quantities import duration_text, span_text
from lab.records import Results, RunRecord
from lab.rules import Rules, rules_of
from lab.side_by_side import Pace, Stream, run_side_by_side
from lab.split import static_split

from .plan import (
    Conditions,
    Size,
    allowed_run_s,
    choose_size,
    expected_cell_s,
    expected_default_slowdown,
)
from .settings import Settings

_PICTURES_S = 8.0
_SHORTEST_RUN_S = 1.0
_RUN_FOLDER = "run"
_ORPHANED_AFTER_S = 1.0


def conditions(settings: Settings, default_slowdown: dict[str, float]) -> Conditions:
    """The facts about this machine and these settings that the plan needs."""
    return Conditions(
        cpus=len(allowed_cpus()),
        stagger_s=settings.stagger_s,
        warm_up_s=warm_up_s(settings.period_s),
        run_limit_s=settings.run_limit_s,
        default_slowdown=default_slowdown,
        usual_default_slowdown=expected_default_slowdown(settings.region_us, settings.runtime),
    )


def wanted_repetitions(settings: Settings) -> list[int]:
    """The choices of the plan, the best first."""
    return [settings.repetitions] if settings.repetitions else [2, 1]


@dataclass
class Experiment:
    """One experiment under way; `results` is filled run by run, so that an end at any time leaves
    what was finished. Started by a monotonic time in seconds, from which the budget counts."""

    settings: Settings
    results: Results
    folder: Path
    interruption: Interruption
    progress: Progress
    started_s: float
    _cpus: list[int] = field(default_factory=allowed_cpus)

    def run(self) -> None:
        """Everything; ProcessFailed, BadInput or Interrupted when it ends early."""
        calibration = self._calibrated()
        size = self._size(calibration)
        cells = run_order(
            list(self.settings.scenarios),
            list(self.settings.methods),
            size.repetitions,
            self.settings.seed,
        )
        where = conditions(self.settings, calibration.default_slowdowns)
        time_left = TimeLeft({cell: expected_cell_s(cell, size, where) for cell in cells})
        for number, cell in enumerate(cells, 1):
            self._run_cell(f"[{number}/{len(cells)}]", cell, calibration, size, where, time_left)
        self.results.errors += checksum_errors(self.results.runs)

    def _calibrated(self) -> Calibration:
        calibration = Calibration(self.settings, self.folder, self.interruption)
        for load in self.settings.loads():
            size = calibration.measure_load(load)
            self.progress.done(
                f"calibrated {load}: {size.work} units per region,"
                f" {size.region_alone_ms:.3g} ms alone"
            )
        if self._needs_pilot():
            for scenario in self.settings.scenarios:
                slowdown = calibration.pilot(scenario)
                self.progress.done(f"pilot {scenario.name}: default about {slowdown:.1f} x ideal")
        self.results.calibration = calibration.described()
        return calibration

    def _needs_pilot(self) -> bool:
        return self.settings.budget_s is not None and any(
            method.spins for method in self.settings.methods
        )

    def _size(self, calibration: Calibration) -> Size:
        size = self.settings.fixed_size()
        if self.settings.iterations is not None:
            size = self._size_of_iterations(calibration, self.settings.iterations)
        elif size is None:
            size = choose_size(
                self._left_s(),
                list(self.settings.scenarios),
                list(self.settings.methods),
                wanted_repetitions(self.settings),
                conditions(self.settings, calibration.default_slowdowns),
            )
        self.results.settings["repetitions"] = size.repetitions
        self.results.settings["program_alone_s"] = size.program_s
        for scenario in self.settings.scenarios:
            program_s = size.program_s[scenario.name]
            if len(scenario.loads) > 1 and program_s <= self.settings.stagger_s:
                self.results.notes.append(
                    f"{scenario.name}: a program alone takes {program_s:.1f} s and the next starts"
                    f" after {self.settings.stagger_s:g} s, so they hardly overlap."
                )
        return size

    def _size_of_iterations(self, calibration: Calibration, iterations: int) -> Size:
        def mean_s(scenario: Scenario) -> float:
            alone_ms = [calibration.sizes[load].region_alone_ms for load in scenario.loads]
            return iterations * sum(alone_ms) / len(alone_ms) / 1000

        program_s = {scenario.name: mean_s(scenario) for scenario in self.settings.scenarios}
        return Size(program_s, self.settings.repetitions or 1)

    def _run_cell(
        self,
        mark: str,
        cell: Cell,
        calibration: Calibration,
        size: Size,
        where: Conditions,
        time_left: TimeLeft,
    ) -> None:
        """One run, kept in the results, or a note on why there was no time for it."""
        name = f"{mark} {cell.scenario.name} {cell.method.name}"
        began_s, later_s = time.monotonic(), time_left.later_s(cell)
        expected_s = time_left.expected_s(cell)
        limit_s = allowed_run_s(cell, later_s, self._left_s(), size, where)
        if limit_s < _SHORTEST_RUN_S:
            time_left.took(cell, 0.0)
            repetition = f"repetition {cell.repetition + 1}"
            self.results.notes.append(f"no time left for {name[len(mark) + 1:]}, {repetition}.")
            self.progress.done(f"{name}: skipped, the budget is spent")
            return

        def look() -> None:
            still_s = max(0.0, expected_s - (time.monotonic() - began_s))
            self.progress.under_way(name, still_s + later_s)

        launches = self._launches(cell, calibration, size)
        stream = self._stream(cell, calibration)
        try:
            run = self._governed(cell, launches, stream, limit_s, look)
        except ProcessFailed as error:
            raise ProcessFailed(f"{name}: {error}") from error
        self.results.runs.append(run)
        time_left.took(cell, time.monotonic() - began_s)
        makespan, stopped = run.makespan(), " (stopped)" if run.stopped_s is not None else ""
        self.progress.done(f"{name}: {makespan.text(2)} s{stopped}", time_left.later_s(cell))

    def _governed(
        self, cell: Cell, launches: list[Launch], stream: Stream | None, limit_s: float, look
    ) -> RunRecord:
        """The run, inside a governor's life where the method has one."""
        folder = self.folder / _RUN_FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        pace = Pace(self.settings.stagger_s, limit_s, cell.method.in_turn)
        policy = cell.method.policy
        if policy is None:
            if self.settings.budget_s is None:
                # The same as before a governed run: after a pause machines are not as fast as without.
                self.interruption.wait(warm_up_s(self.settings.period_s))
            outcome = run_side_by_side(
                launches, pace, folder, self.interruption, look, stream
            )
        else:
            program, period_s = self.settings.governor, self.settings.period_s
            with Governor(program, folder, policy, period_s, self.interruption) as governor:

                began_s = time.monotonic()

                def look_at_both() -> None:
                    if not cell.method.orphaned:
                        governor.check()
                    elif time.monotonic() - began_s >= _ORPHANED_AFTER_S:
                        governor.kill()
                    look()

                if cell.method.again:
                    before = folder / "before"
                    before.mkdir()
                    run_side_by_side(launches, pace, before, self.interruption, look_at_both, stream)
                outcome = run_side_by_side(
                    launches, pace, folder, self.interruption, look_at_both, stream
                )
        return RunRecord(
            cell.scenario.name, cell.method.name, cell.repetition, **vars(outcome)
        )

    def _stream(self, cell: Cell, calibration: Calibration) -> Stream | None:
        """A careful user gives such programs one thread and any CPU."""
        load = cell.scenario.passing
        if load is None:
            return None
        rules = rules_of(cell.method, (0,), self._lease())
        iterations = calibration.iterations(load, PASSING_S)
        launch = calibration.launch(
            load, "passing", iterations, rules.environment, options=rules.options
        )
        return Stream(launch, 1 / len(self._cpus))

    def _launches(self, cell: Cell, calibration: Calibration, size: Size) -> list[Launch]:
        scenario = cell.scenario
        split = static_split(len(scenario.loads), self._cpus)
        launches = []
        for index, load in enumerate(scenario.loads):
            habit, share = scenario.habit(index), scenario.share(index)
            if self.settings.iterations is not None:
                iterations = max(1, round(self.settings.iterations * share))
            else:
                program_s = size.program_s[scenario.name] * share
                iterations = calibration.iterations(load, program_s, habit)
            rules = Rules()
            if habit.governed:
                job = f"{load}-{index}"
                rules = rules_of(cell.method, split[index], self._lease(), job, habit.batch)
            launches.append(
                calibration.launch(
                    load, str(index), iterations, rules.environment, rules.cpus, habit, rules.options
                )
            )
        return launches

    def _lease(self) -> dict[str, str]:
        """The settings that make a program hold one of the run's governor."""
        return {
            "THREADCOUNT": "adapt",
            "THREADCOUNT_SOCKET": str(socket_path(self.folder / _RUN_FOLDER)),
            "THREADCOUNT_INTERVAL": duration_text(self.settings.interval_s),
        }

    def _left_s(self) -> float | None:
        """The rest of the budget for runs; pictures get their share."""
        if self.settings.budget_s is None:
            return None
        reserve_s = _PICTURES_S if self.settings.pictures else 1.0
        return self.settings.budget_s - reserve_s - (time.monotonic() - self.started_s)


def plan_text(settings: Settings) -> str:
    """The plan and its time without any measurement, for --dry-run; BadInput when it cannot fit."""
    where = conditions(settings, {})
    assumed = ""
    size = settings.fixed_size()
    if settings.iterations is not None:
        region_s = settings.region_us / 1e6 / where.cpus
        names = [scenario.name for scenario in settings.scenarios]
        size = Size(dict.fromkeys(names, settings.iterations * region_s), settings.repetitions or 1)
    elif size is None:
        preparation_s = 1.2 * len(settings.loads()) + 2.0 * len(settings.scenarios)
        budget_s = (settings.budget_s or 0.0) - _PICTURES_S - preparation_s
        scenarios, methods = list(settings.scenarios), list(settings.methods)
        size = choose_size(budget_s, scenarios, methods, wanted_repetitions(settings), where)
        assumed = " (a pilot decides; this is what is assumed without one)"
    cells = run_order(
        list(settings.scenarios), list(settings.methods), size.repetitions, settings.seed
    )
    total_s = sum(expected_cell_s(cell, size, where) for cell in cells)
    lines = [
        f"{len(cells)} runs: {len(settings.scenarios)} scenarios x {len(settings.methods)} methods x"
        f" {size.repetitions} repetitions{assumed}"
    ]
    for cell in cells:
        program_s, expected_s = size.program_s[cell.scenario.name], expected_cell_s(cell, size, where)
        lines.append(
            f"  {cell.repetition + 1}  {cell.scenario.name:<18} {cell.method.name:<13}"
            f" {len(cell.scenario.loads)} programs of {program_s:.1f} s alone,"
            f" about {span_text(expected_s)}"
        )
    return "\n".join([*lines, f"about {span_text(total_s)} for the runs"]) + "\n"
