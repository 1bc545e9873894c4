# SPDX-License-Identifier: MIT
"""The command: a scenario, or many, in; report and pictures out."""

from __future__ import annotations

from pathlib import Path

from lab.drawing import NoPictures
from lab.endings import EXIT_FAILED, EXIT_OK, Failed
from lab.endings import complain, exit_status, output_folder, print_result

from .many import ablate, compare, run_grid
from .pictures import draw_pictures
from .run import Run, simulate
from .settings import Settings, read_settings
from .table import report

NAME = "bench/simulate"


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin is looked for."""
    return exit_status(NAME, lambda: _simulate(arguments, checkout))


def _simulate(arguments: list[str], checkout: Path) -> int:
    settings = read_settings(arguments, checkout / "build" / "bin")
    if settings.table:
        return compare(NAME, arguments, settings, checkout)
    if settings.ablate:
        return ablate(NAME, arguments, settings, checkout)
    if settings.grid:
        return run_grid(NAME, arguments, settings, checkout)
    asked = settings.output
    if settings.pictures and asked is not None:
        output_folder(asked, "")
    runs = [simulate(settings.arguments(policy)) for policy in settings.policies]
    printed = print_result(NAME, report(runs))
    if settings.pictures and (printed or asked is not None):
        printed = _draw(runs, settings) and printed
    return EXIT_OK if printed and not any(run.failures for run in runs) else EXIT_FAILED


def _draw(runs: list[Run], settings: Settings) -> bool:
    """Says where the pictures are; False if that cannot be said."""
    output = output_folder(settings.output, "governor-simulate-")
    try:
        names = [p.name for run in runs for p in draw_pictures(run, output, settings.formats)]
    except NoPictures as reason:
        complain(NAME, str(reason))
        if settings.output is None:
            output.rmdir()
        return True
    except OSError as error:
        raise Failed(f"{error.filename or output} cannot be written: {error.strerror}.") from error
    return print_result(NAME, f"\nIn {output}: {', '.join(names)}\n")
