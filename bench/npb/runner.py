# SPDX-License-Identifier: MIT
"""The runs of bench/nas, one after the other."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from lab.calibration import Calibration
from lab.cells import Cell, Method, Scenario, run_order
from lab.governor import FAIR_POLICY, Governor, socket_path, warm_up_s
from lab.habits import HABITS
from lab.machine import allowed_cpus
from lab.programs import ProcessFailed
from lab.progress import TimeLeft
from lab.records import Results, RunRecord
from lab.side_by_side import Outcome, Pace, run_side_by_side
from lab.stage import Stage

from .building import build
from .cases import ARMS, CASES, HOG, HOGS_LOAD, NICE_HOG, SLEEPER, Case
from .launches import Site, launches_of
from .settings import Settings

_PERIOD_S = 1.0  # as the daemon's
_SLEEPERS_LOAD, _SLEEPERS_S = "md", 6.0
_EXPECTED_S = 3.0  # of each program; runs that were seen tell more


class Runner:
    """Fills `results` run by run. `checkout` is ours, for the library's headers."""

    region_us = 20_000  # the sleeper's

    def __init__(self, settings: Settings, results: Results, stage: Stage, checkout: Path) -> None:
        self._settings = settings
        self._results = results
        self._stage = stage
        self._checkout = checkout
        self._folder = stage.folder / "run"

    def program(self, load: str) -> Path:
        """The sleeper's, for its calibration."""
        suffix = "-omp" if self._settings.runtime == "clang" else ""
        return self._settings.programs / "examples" / (load + suffix)

    def run(self) -> None:
        """ProcessFailed, Failed or Interrupted when it ends early."""
        site = self._site()
        methods = [Method(name) for name in self._settings.arms]
        cells = [
            cell
            for case in self._settings.cases
            for cell in run_order(
                [Scenario(case.name, case.members)], methods, self._settings.repetitions, self._settings.seed
            )
        ]
        time_left = TimeLeft({cell: self._expected_s(cell) for cell in cells})
        for number, cell in enumerate(cells, 1):
            self._run_cell(f"[{number}/{len(cells)}]", cell, site, time_left)

    def _site(self) -> Site:
        members = [name for case in self._settings.cases for name in case.members]
        loads = [load for case in self._settings.cases for load in case.loads]
        loads += [HOGS_LOAD] if HOG in members or NICE_HOG in members else []
        return Site(
            self._built(loads, True), self._built(loads, False),
            self._sleeper() if SLEEPER in members else (),
            self._settings.programs / "governorctl", socket_path(self._folder), allowed_cpus(),
        )  # fmt: skip

    def _built(self, loads: list[str], lines: bool) -> dict[str, Path]:
        """Only what some arm needs; hogs have the lines and never follow them."""
        needed = lines or any(not ARMS[name].has_lines for name in self._settings.arms)
        if not needed:
            return {}
        settings, once = self._settings, list(dict.fromkeys(loads))
        ours = (self._checkout / "libthreadcount" / "include", settings.programs.parent / "lib")
        folder = self._stage.folder / ("with-lines" if lines else "unmodified")
        built = build(settings.checkout, folder, once, settings.runtime, lines, ours)
        self._stage.progress.done(f"built {' '.join(once)} {folder.name.replace('-', ' ')}")
        return built

    def _sleeper(self) -> tuple[str, ...]:
        """Its command: regions of 20 ms, and 60 ms of sleep after each."""
        self._fresh()
        calibration = Calibration(self, self._folder, self._stage.interruption)
        calibration.measure_load(_SLEEPERS_LOAD)
        habit = HABITS[SLEEPER]
        count = calibration.iterations(_SLEEPERS_LOAD, _SLEEPERS_S, habit)
        return calibration.launch(_SLEEPERS_LOAD, "0", count, {}, habit=habit).command

    def _expected_s(self, cell: Cell) -> float:
        return warm_up_s(_PERIOD_S) + _EXPECTED_S * len(cell.scenario.loads)

    def _run_cell(self, mark: str, cell: Cell, site: Site, time_left: TimeLeft) -> None:
        name = f"{mark} {cell.scenario.name} {cell.method.name}"
        began_s, later_s = time.monotonic(), time_left.later_s(cell)
        expected_s = time_left.expected_s(cell)

        def look() -> None:
            still_s = max(0.0, expected_s - (time.monotonic() - began_s))
            self._stage.progress.under_way(name, still_s + later_s)

        try:
            outcome = self._outcome(CASES[cell.scenario.name], cell.method.name, site, look)
        except ProcessFailed as error:
            raise ProcessFailed(f"{name}: {error}") from error
        run = RunRecord(cell.scenario.name, cell.method.name, cell.repetition, **vars(outcome))
        self._results.runs.append(run)
        time_left.took(cell, time.monotonic() - began_s)
        stopped = " (stopped)" if run.stopped_s is not None else ""
        self._stage.progress.done(f"{name}: {run.makespan().text(2)} s{stopped}", time_left.later_s(cell))

    def _outcome(self, case: Case, arm: str, site: Site, look) -> Outcome:
        """The run, in a governor's life with every arm: its own cost counts for nobody."""
        self._fresh()
        pace = Pace(case.stagger_s, self._settings.run_limit_s, ARMS[arm].method.in_turn)
        interruption = self._stage.interruption
        launches = launches_of(case, ARMS[arm], site)
        with Governor(
            self._settings.programs / "governord", self._folder, FAIR_POLICY, _PERIOD_S, interruption
        ) as governor:

            def look_at_both() -> None:
                governor.check()
                look()

            return run_side_by_side(launches, pace, self._folder, interruption, look_at_both)

    def _fresh(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
