# SPDX-License-Identifier: MIT
"""Runs the cases in turns."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from lab.endings import EXIT_FAILED, EXIT_OK, Failed, print_result
from lab.machine import busy_cpu_seconds, describe_machine
from lab.programs import Launch, Process
from lab.report import asked_folder, write_files
from lab.stage import Stage, check_files, run_command

from .cases import Case, Part, Site
from .figures import Runs, disagreement
from .report import report_text, summary_rows
from .settings import PARTS, Settings, read_settings

NAME = "bench/pools"
FORMAT = 1
_RUN_LIMIT_S = 300.0


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage) -> int:
        settings = read_settings(arguments, checkout / "build" / "bin")
        machine = describe_machine(checkout, [])
        site = Site(len(machine["cpus_allowed"]), bool(machine["smt_active"]), settings.quick)
        parts = [PARTS[name](site) for name in settings.parts]
        if settings.list_only:
            return EXIT_OK if print_result(NAME, _listed(parts, settings)) else EXIT_FAILED
        check_files(settings.programs, [part.program for part in parts])
        output = asked_folder(settings.output)
        return _measured(settings, parts, machine, output, stage())

    return run_command(NAME, body)


def _measured(
    settings: Settings, parts: list[Part], machine: dict[str, Any], output: Path | None, stage: Stage
) -> int:
    results, foreign = [], {}
    for part in parts:
        runner = _Runner(part, settings, stage)
        results.append((part, runner.runs()))
        foreign[part.name] = runner.foreign_cpus
    text = report_text(machine, settings.described(), results, foreign)
    printed = print_result(NAME, text)
    if output is not None:
        runs = {part.name: runs for part, runs in results}
        document = {"format": FORMAT, "machine": machine, "settings": settings.described()}
        document |= {"foreign_cpus": foreign, "runs": runs}
        rows = [row for part, runs in results for row in summary_rows(part, runs)]
        write_files(output, document, f"# {NAME}\n\n{text}", rows)
    for part, runs in results:
        if wrong := disagreement(runs, part):
            raise Failed(f"part {part.name}: {wrong}")
    return EXIT_OK if printed else EXIT_FAILED


def _listed(parts: list[Part], settings: Settings) -> str:
    lines = []
    for part in parts:
        program = str(settings.programs / part.program)
        lines += [" ".join((program, *case.command)) for case in part.cases]
    return "\n".join(lines) + "\n"


class _Runner:
    """The runs of one part. Each repetition runs all cases in an order of its own, so that what is
    compared was measured within the same minute."""

    def __init__(self, part: Part, settings: Settings, stage: Stage) -> None:
        self._part = part
        self._settings = settings
        self._stage = stage
        self._own_cpu_s = 0.0
        self.foreign_cpus: float | None = None  # that others kept busy on average, after runs()

    def runs(self) -> Runs:
        shuffler = random.Random(self._settings.seed)
        repetitions = self._settings.repetitions
        busy_before_s, began_s = busy_cpu_seconds(), time.monotonic()
        runs: Runs = []
        for repetition in range(repetitions):
            order = list(self._part.cases)
            shuffler.shuffle(order)
            runs.append({case.name: self._run(case) for case in order})
            left_s = (time.monotonic() - began_s) / (repetition + 1) * (repetitions - repetition - 1)
            done = f"{self._part.name}: repetition {repetition + 1} of {repetitions}"
            self._stage.progress.done(done, left_s)
        busy_s = busy_cpu_seconds()
        if busy_s is not None and busy_before_s is not None:
            others_s = max(0.0, busy_s - busy_before_s - self._own_cpu_s)
            self.foreign_cpus = round(others_s / (time.monotonic() - began_s), 3)
        return runs

    def _run(self, case: Case) -> dict[str, Any]:
        command = (str(self._settings.programs / self._part.program), *case.command)
        process = Process(Launch(self._part.name, command, {}), self._stage.folder)
        try:
            until_s = time.monotonic() + _RUN_LIMIT_S
            while not process.ended():
                if time.monotonic() > until_s:
                    raise Failed(f"{' '.join(command)} has not ended after {_RUN_LIMIT_S:.0f} s.")
                self._stage.interruption.wait(1.0)
            self._own_cpu_s += process.cpu_s
            return process.report()
        finally:
            process.kill()
