# SPDX-License-Identifier: MIT
"""The command: settings in, experiment in the middle, table, files and exit status out."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from lab.drawing import NoPictures
from lab.endings import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, Failed
from lab.endings import complain, exit_status, output_folder, print_result
from lab.interruption import Interrupted, Interruption
from lab.machine import describe_machine
from lab.programs import ProcessFailed
from lab.progress import Progress
from lab.quantities import BadInput
from lab.records import Results, as_document, read_results
from lab.report import command_line, write_files
from lab.summary import Row, as_json, summarize, summary_rows
from lab.table import markdown_table, plain_table, remarks

from .in_short import in_short
from .pictures import draw_pictures
from .runner import Experiment, plan_text
from .settings import Settings, read_settings

NAME = "bench/scenario"


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""
    started_s = time.monotonic()
    return exit_status(NAME, lambda: _command(arguments, checkout, started_s))


def _command(arguments: list[str], checkout: Path, started_s: float) -> int:
    settings = read_settings(arguments, checkout / "build" / "bin")
    if settings.redraw is not None:
        results = read_results(settings.redraw)
        return _report(results, _output_folder(settings), settings, EXIT_OK)
    if settings.dry_run:
        return EXIT_OK if print_result(NAME, plan_text(settings)) else EXIT_FAILED
    _check_programs(settings)
    return _experiment(settings, arguments, checkout, started_s)


def _experiment(
    settings: Settings, arguments: list[str], checkout: Path, started_s: float
) -> int:
    output = _output_folder(settings)
    programs = [settings.program(load) for load in settings.loads()]
    described = settings.described() | {"command_line": command_line(NAME, arguments)}
    results = Results(describe_machine(checkout, programs), described, {})
    _warn_if_busy(results)
    folder = Path(tempfile.mkdtemp(prefix="governor-run-"))
    progress = Progress(sys.stderr)
    status = EXIT_OK
    try:
        with Interruption() as interruption:
            experiment = Experiment(settings, results, folder, interruption, progress, started_s)
            status = _outcome(experiment, results)
    finally:
        progress.close()
        shutil.rmtree(folder, ignore_errors=True)
    if status == EXIT_OK and results.errors:
        status = EXIT_FAILED
    return _report(results, output, settings, status)


def _outcome(experiment: Experiment, results: Results) -> int:
    """The exit status of the runs; what went wrong is noted in the results."""
    try:
        experiment.run()
    except ProcessFailed as error:
        results.errors.append(str(error))
        return EXIT_FAILED
    except Interrupted:
        results.notes.append("ended by a signal; the runs below were finished before it.")
        return EXIT_INTERRUPTED
    return EXIT_OK


def _report(results: Results, output: Path, settings: Settings, status: int) -> int:
    """Table on stdout, files in `output`; returns `status`, or that this failed."""
    rows = summarize(results.runs, results.settings["methods"])
    text = in_short(rows, remarks(results)) if settings.in_short else plain_table(results, rows)
    printed = print_result(NAME, text)
    names = _write_files(results, rows, output, settings.pictures and status != EXIT_INTERRUPTED)
    for error in results.errors:
        complain(NAME, error)
    printed = printed and print_result(NAME, f"\nIn {output}: {', '.join(names)}\n")
    return status if printed or status != EXIT_OK else EXIT_FAILED


def _write_files(results: Results, rows: list[Row], output: Path, pictures: bool) -> list[str]:
    """Returns their names."""
    document = as_document(results, as_json(rows))
    names = write_files(output, document, markdown_table(results, rows), summary_rows(rows))
    if pictures:
        try:
            names += [path.name for path in draw_pictures(results, rows, output)]
        except NoPictures as reason:
            complain(NAME, str(reason))
        except OSError as error:
            raise Failed(f"{error.filename or output} cannot be written: {error.strerror}.") from error
    return names


def _output_folder(settings: Settings) -> Path:
    return output_folder(settings.output, "governor-bench-")


def _check_programs(settings: Settings) -> None:
    needed = [settings.program(load) for load in settings.loads()]
    needed += [settings.governor] if settings.governed else []
    missing = [str(path) for path in needed if not path.is_file()]
    if missing:
        raise BadInput(
            f"--bin {settings.programs}: {', '.join(missing)} missing; build first, or name the"
            " folder that holds governord and examples/."
        )


def _warn_if_busy(results: Results) -> None:
    load, cpus = results.machine["load_average_before"][0], len(results.machine["cpus_allowed"])
    if load > 0.5 * cpus:
        results.notes.append(
            f"the load average was {load:.2f} on {cpus} CPUs before the start; others were running."
        )
