# SPDX-License-Identifier: MIT
"""The runs of bench/trees, one after the other."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from lab.cells import Cell, Method, Scenario, run_order
from lab.course import Look, run_cells
from lab.endings import Failed
from lab.governor import FAIR_POLICY, Governor, socket_path, warm_up_s
from lab.machine import allowed_cpus
from lab.programs import Launch
from lab.records import Results
from lab.side_by_side import Outcome, Pace, run_side_by_side
from lab.stage import Stage, is_root

from .cases import ARMS, PLAIN, SHORT, AGENT, HOG, SHELL, Case
from .launches import USER, Site, launches_of
from .loads import LOADS
from .settings import Settings

_PERIOD_S = 1.0  # as the daemon's
_TRIAL_S = 1.0
_BUILD_LIMIT_S = 300.0
_SHELL_S = 20.0
_NO_LOADS = (SHORT, AGENT, HOG, SHELL)


class Runner:
    """Fills `results` run by run."""

    def __init__(self, settings: Settings, cases: list[Case], results: Results, stage: Stage) -> None:
        self._settings = settings
        self._cases = cases
        self._results = results
        self._stage = stage
        self._folder = stage.folder / "run"
        self._built = stage.folder / "built"

    def run(self) -> None:
        """ProcessFailed or Interrupted when it ends early."""
        self._built.mkdir()
        self._built.chmod(0o755)
        site = self._sized(self._site())
        cells = [cell for case in self._cases for cell in self._cells(case)]
        run_cells(
            cells, self._expected_s, lambda cell, look: self._outcome(cell, site, look), self._results,
            self._stage.progress,
        )  # fmt: skip

    def _cells(self, case: Case) -> list[Cell]:
        methods = [Method(arm) for arm in case.arms()]
        return run_order([Scenario(case.name, case.members)], methods, self._settings.repetitions, self._settings.seed)

    def _site(self) -> Site:
        settings = self._settings
        return Site(
            settings.programs / "governorctl", socket_path(self._folder), self._built, {},
            len(allowed_cpus()), settings.short_processes, settings.rounds, _SHELL_S, is_root(),
        )  # fmt: skip

    def _sized(self, site: Site) -> Site:
        """Builds what the cases need, and finds out how much each load does in the asked time."""
        names = dict.fromkeys(name for case in self._cases for name in case.members if name not in _NO_LOADS)
        units = {}
        for name in names:
            for line in LOADS[name].build_lines(self._built):
                self._alone(Launch("build", ("sh", "-c", '"$@" >&2 && echo {}', "sh", *line), {}))
            took_s, trial = 0.0, LOADS[name].trial_units
            while took_s < min(_TRIAL_S, self._settings.length_s):  # what starts slowly counts less
                trial = trial * 2 if took_s > 0 else trial
                sized = replace(site, units={name: trial})
                outcome = self._alone(launches_of(Case(name, (name,), 0.0, ()), PLAIN, sized)[0])
                took_s = outcome.programs[0].finished_s or 0.0
            units[name] = max(1, round(trial * self._settings.length_s / took_s))
            self._stage.progress.done(f"sized {name}: {units[name]} units")
        self._results.calibration = {"units": units}
        return replace(site, units=units)

    def _alone(self, launch: Launch) -> Outcome:
        self._fresh()
        outcome = run_side_by_side([launch], Pace(0.0, _BUILD_LIMIT_S), self._folder, self._stage.interruption)
        if outcome.stopped_s is not None:
            raise Failed(f"{launch.name}: it does not end within {_BUILD_LIMIT_S:g} s.")
        return outcome

    def _expected_s(self, cell: Cell) -> float:
        return warm_up_s(_PERIOD_S) + 1.1 * len(cell.scenario.loads) * self._settings.length_s

    def _outcome(self, cell: Cell, site: Site, look: Look) -> Outcome:
        """The run, in a governor's life with every arm: its own cost counts for nobody."""
        self._fresh()
        arm = cell.method.name
        case = next(case for case in self._cases if case.name == cell.scenario.name)
        pace = Pace(case.stagger_s, self._settings.run_limit_s, ARMS[arm].in_turn)
        program, interruption = self._settings.programs / "governord", self._stage.interruption
        governor = Governor(program, self._folder, FAIR_POLICY, _PERIOD_S, interruption)
        return governor.run(launches_of(case, arm, site), pace, look)

    def _fresh(self) -> None:
        """Folders as at the first run: for all to read, and for the programs' user to write."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self._folder.chmod(0o755)
        for name in ("agents", "home"):
            folder = self._built / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            _give(folder)


def _give(folder: Path) -> None:
    if is_root():
        os.chown(folder, USER, USER)
