# SPDX-License-Identifier: MIT
"""The command: a scenario in, report and pictures out."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from experiment.pictures import NoPictures
from experiment.quantities import BadInput

from .pictures import draw_pictures
from .run import Run, SimulatorFailed, simulate
from .settings import Settings, read_settings
from .table import report

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin is looked for."""
    try:
        settings = read_settings(arguments, checkout / "build" / "bin")
        runs = [simulate(settings.arguments(policy)) for policy in settings.policies]
        sys.stdout.write(report(runs))
        sys.stdout.flush()
        if settings.pictures:
            _draw(runs, settings)
        return EXIT_FAILED if any(run.failures for run in runs) else EXIT_OK
    except BadInput as error:
        _complain(str(error))
        return EXIT_USAGE
    except SimulatorFailed as error:
        _complain(str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _draw(runs: list[Run], settings: Settings) -> None:
    output = _output_folder(settings)
    try:
        names = [p.name for run in runs for p in draw_pictures(run, output, settings.formats)]
    except NoPictures as reason:
        _complain(str(reason))
        if settings.output is None:
            output.rmdir()
        return
    sys.stdout.write(f"\nIn {output}: {', '.join(names)}\n")


def _output_folder(settings: Settings) -> Path:
    if settings.output is None:
        return Path(tempfile.mkdtemp(prefix="governor-simulate-"))
    try:
        settings.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--output {settings.output}: {error.strerror}.") from error
    return settings.output


def _complain(text: str) -> None:
    sys.stderr.write(f"bench/simulate: {text}\n")
