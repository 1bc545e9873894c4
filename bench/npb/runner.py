# SPDX-License-Identifier: MIT
"""The runs of bench/nas, one after the other."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.calibration import Calibration
from lab.cells import Cell, Method, Scenario, run_order
from lab.course import Look, run_cells
from lab.governor import FAIR_POLICY, Governor, socket_path, warm_up_s
from lab.habits import HABITS
from lab.machine import allowed_cpus
from lab.programs import example
from lab.records import Results
from lab.side_by_side import Outcome, Pace
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
        return example(self._settings.programs, load, self._settings.runtime)

    def run(self) -> None:
        """ProcessFailed, Failed or Interrupted when it ends early."""
        site = self._site()
        cells = [cell for case in self._settings.cases for cell in self._cells(case)]
        run_cells(
            cells, self._expected_s, lambda cell, look: self._outcome(cell, site, look), self._results,
            self._stage.progress,
        )  # fmt: skip

    def _cells(self, case: Case) -> list[Cell]:
        methods = [Method(name) for name in case.arms(self._settings.arms)]
        scenario = Scenario(case.name, case.members)
        return run_order([scenario], methods, self._settings.repetitions, self._settings.seed)

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
        built = build(settings.checkout, folder, once, settings.runtime, settings.lines if lines else None, ours)
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

    def _outcome(self, cell: Cell, site: Site, look: Look) -> Outcome:
        """The run, in a governor's life with every arm: its own cost counts for nobody."""
        self._fresh()
        arm, case = ARMS[cell.method.name], CASES[cell.scenario.name]
        pace = Pace(case.stagger_s, self._settings.run_limit_s, arm.method.in_turn)
        program, interruption = self._settings.programs / "governord", self._stage.interruption
        governor = Governor(program, self._folder, FAIR_POLICY, _PERIOD_S, interruption)
        return governor.run(launches_of(case, arm, site), pace, look)

    def _fresh(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
