# SPDX-License-Identifier: MIT
"""The runs of bench/coupled, one after the other."""

from __future__ import annotations

import shutil
from dataclasses import replace

from lab.calibration import Calibration
from lab.cells import Cell, Method, Scenario, run_order
from lab.course import Look, run_cells
from lab.governor import FAIR_POLICY, Governor, socket_path, warm_up_s
from lab.machine import allowed_cpus
from lab.quantities import duration_text
from lab.records import Results
from lab.side_by_side import Outcome, Pace, run_side_by_side
from lab.stage import Stage

from .cases import ALLREDUCE, ARMS, CASES, MD, STEPS, Arm, Case, members_of
from .figures import with_pause
from .launches import Site, launches_of
from .pauses import Watch
from .settings import Settings

_PERIOD_S = 1.0  # as the daemon's
_FOLDER_FOR_ALL = 0o1777  # what nobody's programs and an MPI leave there


class Runner:
    """Fills `results` run by run."""

    def __init__(
        self, settings: Settings, cases: tuple[Case, ...], arms: tuple[Arm, ...], results: Results,
        stage: Stage,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._cases = cases
        self._arms = arms
        self._results = results
        self._stage = stage
        self._folder = stage.folder / "run"
        self._site: Site | None = None

    def run(self) -> None:
        """ProcessFailed or Interrupted when it ends early."""
        self._site = self._calibrated()
        scenarios = [Scenario(case.name, tuple(case.programs())) for case in self._cases]
        methods = [Method(arm.name) for arm in self._arms]
        cells = run_order(scenarios, methods, self._settings.repetitions, self._settings.seed)
        run_cells(cells, self._expected_s, self._outcome, self._results, self._stage.progress)

    def _calibrated(self) -> Site:
        """All runs of a program do the same work."""
        calibration = Calibration(self._settings, self._stage.folder, self._stage.interruption)
        work = {}
        for name in (MD, STEPS):
            size = calibration.measure_load(name)
            work[name] = size.work
            self._stage.progress.done(
                f"calibrated {name}: {size.work} units per region, {size.region_alone_ms:.3g} ms alone"
            )
        work[ALLREDUCE] = work[STEPS]
        self._results.calibration = calibration.described()
        programs = {name: self._settings.program(name) for name in work}
        return Site(
            programs, work, socket_path(self._folder), self._folder, len(allowed_cpus()),
            self._settings.region_us, self._settings.length_s,
        )  # fmt: skip

    def _expected_s(self, cell: Cell) -> float:
        members = members_of(CASES[cell.scenario.name], ARMS[cell.method.name])
        return warm_up_s(_PERIOD_S) + 1.2 * len(members) * self._settings.length_s

    def _outcome(self, cell: Cell, look: Look) -> Outcome:
        """The run, with the longest pause of each program."""
        watch = Watch()

        def look_at_all() -> None:
            watch.look()
            look()

        outcome = self._watched(CASES[cell.scenario.name], ARMS[cell.method.name], look_at_all)
        programs = tuple(
            with_pause(program, watch.pauses.longest_s((program.report or {}).get("pid", 0)))
            for program in outcome.programs
        )
        return replace(outcome, programs=programs)

    def _watched(self, case: Case, arm: Arm, look: Look) -> Outcome:
        """The run, inside a governor's life where the arm has one."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self._folder.chmod(_FOLDER_FOR_ALL)
        launches = launches_of(case, arm, self._site)
        pace = Pace(self._settings.stagger_s, self._settings.run_limit_s)
        interruption = self._stage.interruption
        if not arm.governed:
            return run_side_by_side(launches, pace, self._folder, interruption, look)
        policy = f"{FAIR_POLICY}turn_max_wait = {duration_text(self._settings.max_wait_s)}\n"
        governor = Governor(self._settings.governor, self._folder, policy, _PERIOD_S, interruption)
        return governor.run(launches, pace, look)
