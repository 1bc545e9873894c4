# SPDX-License-Identifier: MIT
"""The command: settings in, experiment in the middle, table, files and exit status out."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

from .interruption import Interrupted, Interruption
from .machine import describe_machine
from .pictures import NoPictures, draw_pictures
from .programs import ProcessFailed
from .progress import Progress
from .quantities import BadInput
from .records import Results, read_results, write_results
from .runner import Experiment, plan_text
from .settings import Settings, read_settings
from .summary import as_json, summarize
from .table import markdown_table, plain_table

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""
    started_s = time.monotonic()
    try:
        settings = read_settings(arguments, checkout / "build" / "bin")
        if settings.redraw is not None:
            results = read_results(settings.redraw)
            return _report(results, _output_folder(settings), settings.pictures, EXIT_OK)
        if settings.dry_run:
            sys.stdout.write(plan_text(settings))
            return EXIT_OK
        _check_programs(settings)
        return _experiment(settings, arguments, checkout, started_s)
    except BadInput as error:
        _complain(str(error))
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _experiment(
    settings: Settings, arguments: list[str], checkout: Path, started_s: float
) -> int:
    output = _output_folder(settings)
    programs = [settings.program(load) for load in settings.loads()]
    described = {**settings.described(), "command_line": shlex.join(["bench/scenario", *arguments])}
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
    return _report(results, output, settings.pictures, status)


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


def _report(results: Results, output: Path, pictures: bool, status: int) -> int:
    """Table on stdout, files in `output`; returns `status`."""
    rows = summarize(results.runs, results.settings["methods"])
    sys.stdout.write(plain_table(results, rows))
    sys.stdout.flush()
    write_results(results, as_json(rows), output / "results.json")
    (output / "results.md").write_text(markdown_table(results, rows), encoding="utf-8")
    names = ["results.json", "results.md"]
    if pictures and status != EXIT_INTERRUPTED:
        try:
            names += [path.name for path in draw_pictures(results, rows, output)]
        except NoPictures as reason:
            _complain(str(reason))
    for error in results.errors:
        _complain(error)
    sys.stdout.write(f"\nIn {output}: {', '.join(names)}\n")
    return status


def _output_folder(settings: Settings) -> Path:
    if settings.output is None:
        return Path(tempfile.mkdtemp(prefix="governor-bench-"))
    try:
        settings.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--output {settings.output}: {error.strerror}.") from error
    return settings.output


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


def _complain(text: str) -> None:
    sys.stderr.write(f"bench/scenario: {text}\n")
