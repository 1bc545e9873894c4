# SPDX-License-Identifier: MIT
"""Governed programs without and with hostile clients, in the same minutes."""

from __future__ import annotations

import shutil
import signal
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.calibration import Calibration
from lab.cells import Cell, run_order
from lab.checks import checksum_errors
from lab.endings import EXIT_FAILED, EXIT_OK, complain, print_result
from lab.governor import Governor, socket_path, threshold_policy
from lab.machine import describe_machine
from lab.programs import Launch
from lab.quantities import duration_text
from lab.records import RunRecord, as_document
from lab.report import asked_folder, command_line, fenced, write_files
from lab.side_by_side import Outcome, Pace, run_side_by_side
from lab.stage import Stage, check_files, is_root, run_command
from lab.summary import as_json, summary_rows

from .accounts import raise_descriptor_limit
from .counters import Counters, read_counters, samples_between
from .figures import Figures, figures_of
from .hostile_report import ArmRun, HostileResults, hostile_text, rows_of
from .hostile_settings import PROGRAMS, HostileSettings, read_hostile_settings
from .processes import Client, probe, start_echo

NAME = "bench/hostile"
_BEGUN_WITHIN_S = 30.0


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage) -> int:
        limit = raise_descriptor_limit()
        settings = read_hostile_settings(arguments, checkout / "build" / "bin", limit, is_root())
        tools = ["governord", "governorctl", "bench/crowd", "bench/echo", "bench/hostile"]
        check_files(settings.programs.programs, [*tools, *(f"examples/{load}" for load in PROGRAMS)])
        output = asked_folder(settings.output)
        programs = [settings.programs.program(load) for load in PROGRAMS]
        machine = describe_machine(checkout, programs)
        described = settings.described() | {"command_line": command_line(NAME, arguments)}
        results = HostileResults(machine, described, {})
        if settings.user is None:
            results.notes.append("not root: the hostile clients are the programs' own user's.")
        _Measurement(settings, results, stage()).run()
        results.errors += checksum_errors(results.runs)
        rows = rows_of(results)
        text = hostile_text(results, rows)
        printed = print_result(NAME, text)
        if output is not None:
            document = as_document(results, as_json(rows))
            write_files(output, document, fenced(NAME, text), summary_rows(rows))
        for error in results.errors:
            complain(NAME, error)
        return EXIT_OK if printed and not results.errors else EXIT_FAILED

    return run_command(NAME, body)


class _Measurement:
    """All runs, one after the other."""

    def __init__(self, settings: HostileSettings, results: HostileResults, stage: Stage) -> None:
        self._settings = settings
        self._results = results
        self._stage = stage
        self._folder = stage.folder / "run"
        self._calibration = Calibration(settings.programs, stage.folder, stage.interruption)

    def run(self) -> None:
        for load in PROGRAMS:
            size = self._calibration.measure_load(load)
            self._stage.progress.done(
                f"calibrated {load}: {size.work} units per region, {size.region_alone_ms:.3g} ms alone"
            )
        self._results.calibration = self._calibration.described()
        settings = self._settings
        cells = run_order(
            [settings.scenario], settings.arms(), settings.repetitions, settings.programs.seed
        )
        began_s = time.monotonic()
        for number, cell in enumerate(cells, 1):
            self._run_cell(cell)
            left_s = (time.monotonic() - began_s) / number * (len(cells) - number)
            makespan = self._results.runs[-1].makespan().text(2)
            self._stage.progress.done(
                f"[{number}/{len(cells)}] {cell.method.name}: {makespan} s", left_s
            )

    def _run_cell(self, cell: Cell) -> None:
        """One run with a governor of its own."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o755)
        settings, interruption = self._settings, self._stage.interruption
        with ExitStack() as stack:
            governor = stack.enter_context(
                Governor(
                    settings.programs.governor, self._folder,
                    threshold_policy(settings.threshold_percent),
                    settings.programs.period_s, interruption,
                )
            )  # fmt: skip
            target = socket_path(self._folder)
            if cell.method.name == "yardstick":
                target = self._echo(stack)
            looks = [figures_of(governor.pid)]
            counters = [self._counters()]
            hostile = None
            if cell.method.name != "quiet":
                hostile = stack.enter_context(self._hostile(target))
                hostile.await_line("begun", _BEGUN_WITHIN_S)
            outcome = self._run_programs(governor, hostile)
            looks.append(figures_of(governor.pid))
            counters.append(self._counters())
            report = self._leave(hostile)
            self._record(cell, outcome, looks, counters, report, hostile)

    def _echo(self, stack: ExitStack) -> Path:
        tools = self._settings.programs.programs / "bench"
        sizes = probe(
            tools / "crowd", socket_path(self._folder), self._folder, self._stage.interruption
        )
        socket = self._folder / "echo.sock"
        echo = start_echo(tools / "echo", socket, sizes, self._folder, self._stage.interruption)
        stack.enter_context(echo)
        return socket

    def _hostile(self, target: Path) -> Client:
        settings = self._settings
        command = [str(settings.programs.programs / "bench" / "hostile"), "--socket", str(target)]
        command += ["--connections", str(settings.connections), "--rate", str(settings.rate)]
        if settings.kinds is not None:
            command += ["--kinds", settings.kinds]
        if settings.user is not None:
            command += ["--user", str(settings.user)]
        return Client("hostile", tuple(command), self._folder, self._stage.interruption)

    def _run_programs(self, governor: Governor, hostile: Client | None) -> Outcome:
        programs = self._settings.programs
        environment = {
            "THREADCOUNT": "adapt",
            "THREADCOUNT_SOCKET": str(socket_path(self._folder)),
            "THREADCOUNT_INTERVAL": duration_text(programs.interval_s),
        }
        launches: list[Launch] = [
            self._calibration.launch(
                load, str(index), self._calibration.iterations(load, self._settings.length_s), environment
            )
            for index, load in enumerate(PROGRAMS)
        ]

        def look() -> None:
            governor.check()
            if hostile is not None:
                hostile.check()

        pace = Pace(programs.stagger_s, programs.run_limit_s)
        return run_side_by_side(launches, pace, self._folder, self._stage.interruption, look)

    @staticmethod
    def _leave(hostile: Client | None) -> dict[str, Any] | None:
        if hostile is None:
            return None
        hostile.signal(signal.SIGTERM)
        return hostile.report()

    def _counters(self) -> Counters:
        governorctl = self._settings.programs.programs / "governorctl"
        return read_counters(governorctl, socket_path(self._folder))

    def _record(
        self,
        cell: Cell,
        outcome: Outcome,
        looks: list[Figures],
        counters: list[Counters],
        report: dict[str, Any] | None,
        hostile: Client | None,
    ) -> None:
        names = (cell.scenario.name, cell.method.name, cell.repetition)
        self._results.runs.append(RunRecord(*names, **vars(outcome)))
        before, after = looks
        samples = samples_between(*counters)
        self._results.arms.append(
            ArmRun(
                arm=cell.method.name,
                repetition=cell.repetition,
                elapsed_s=samples.elapsed_ms / 1000,
                governor_cpu_s=round(after.cpu_s - before.cpu_s, 3),
                governor_rss_kib=(before.rss_kib, after.rss_kib),
                hostile_cpu_s=None if hostile is None else round(hostile.cpu_s, 3),
                samples=asdict(samples),
                queries=counters[1].queries - counters[0].queries,
                bad_messages=counters[1].bad_messages - counters[0].bad_messages,
                hostile=report,
            )
        )
