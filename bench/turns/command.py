# SPDX-License-Identifier: MIT
"""bench/coupled: makes the runs and says what came of them."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any, Callable

from lab.checks import checksum_errors
from lab.comparison import comparison_json
from lab.endings import EXIT_FAILED, EXIT_OK, complain, print_result
from lab.interruption import Interrupted
from lab.machine import allowed_cpus, describe_machine
from lab.records import Results, as_document
from lab.report import asked_folder, command_line, write_files
from lab.stage import Stage, check_files, is_root, run_command

from .cases import ALLREDUCE, MD, NEED_MPI, STEPS, Arm, Case
from .figures import rows_of
from .launches import Site, launches_of
from .report import report_text
from .runner import Runner
from .settings import Settings, chosen_arms, chosen_cases, read_settings

NAME = "bench/coupled"


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage: Callable[[], Stage]) -> int:
        settings = read_settings(arguments, checkout / "build" / "bin")
        cases, notes = chosen_cases(settings, _lacking(settings))
        arms, more_notes = chosen_arms(settings, is_root())
        if settings.list_only:
            return EXIT_OK if print_result(NAME, _listed(cases, arms, settings)) else EXIT_FAILED
        needed = {str(settings.program(name).relative_to(settings.programs)) for name in _needed(cases)}
        check_files(settings.programs, ["governord", *sorted(needed)])
        output = asked_folder(settings.output)
        programs = [settings.program(name) for name in _needed(cases)]
        described = settings.described() | _names(cases, arms)
        described["command_line"] = command_line(NAME, arguments)
        results = Results(describe_machine(checkout, programs), described, {}, notes=notes + more_notes)
        try:
            Runner(settings, cases, arms, results, stage()).run()
        except Interrupted:
            _told(settings, cases, results, output)
            raise
        return _told(settings, cases, results, output)

    return run_command(NAME, body)


def _told(settings: Settings, cases: tuple[Case, ...], results: Results, output: Path | None) -> int:
    results.errors += checksum_errors(results.runs)
    rows = [row for case in cases for row in rows_of(case, results.runs, settings.max_wait_s)]
    text = report_text(results, rows)
    printed = print_result(NAME, text)
    if output is not None:
        figures = comparison_json(rows)
        write_files(output, as_document(results, figures), f"# {NAME}\n\n{text}", figures)
    for error in results.errors:
        complain(NAME, error)
    return EXIT_OK if printed and not results.errors else EXIT_FAILED


def _needed(cases: tuple[Case, ...]) -> list[str]:
    """Programs of the cases, of bystanders, and for the calibration."""
    return list(dict.fromkeys([MD, STEPS, *(name for case in cases for name in case.programs())]))


def _lacking(settings: Settings) -> dict[str, str]:
    """The reason why a case cannot be run here."""
    if not settings.program(ALLREDUCE).is_file():
        path = settings.program(ALLREDUCE)
        return dict.fromkeys(NEED_MPI, f"{path} is missing: install libopenmpi-dev and build again")
    if shutil.which("mpirun") is None:
        return dict.fromkeys(NEED_MPI, "no mpirun: install openmpi-bin")
    return {}


def _names(cases: tuple[Case, ...], arms: tuple[Arm, ...]) -> dict[str, Any]:
    return {"cases": [case.name for case in cases], "arms": [arm.name for arm in arms]}


def _listed(cases: tuple[Case, ...], arms: tuple[Arm, ...], settings: Settings) -> str:
    """Every command with its variables; work is found out later."""
    names = _needed(cases)
    site = Site(
        {name: settings.program(name) for name in names}, dict.fromkeys(names, 1), Path("SOCKET"),
        Path("FOLDER"), len(allowed_cpus()), settings.region_us, settings.length_s,
    )  # fmt: skip
    lines = []
    for case in cases:
        for arm in arms:
            lines.append(f"{case.name} {arm.name}:")
            for launch in launches_of(case, arm, site):
                variables = [f"{name}={text}" for name, text in launch.settings.items()]
                lines.append("  " + " ".join([*variables, shlex.join(launch.command)]))
    return "\n".join(lines) + "\n"
