# SPDX-License-Identifier: MIT
"""bench/nas: makes the runs and says what came of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Callable

from lab.columns import markdown
from lab.endings import EXIT_FAILED, EXIT_OK, complain, print_result
from lab.interruption import Interrupted
from lab.machine import describe_machine, machine_text
from lab.programs import ProcessFailed
from lab.quantities import BadInput
from lab.ranges import Range, median, spread_text
from lab.records import Results, as_document, read_results
from lab.report import asked_folder, command_line, write_files
from lab.stage import Stage, check_doors, check_files, run_command
from lab.table import remarks, runtime_name

from .cases import BASELINES, CASES
from .figures import Row, rows_of, summary_rows
from .runner import Runner
from .settings import Settings, read_settings

NAME = "bench/nas"
_EXPLANATION = """\
Seconds: medians over the repetitions [smallest-largest]. The sum is of the programs' times from start to
finish. The makespan is from the first start to the last finish. Neither counts the hog or the sleeper,
whose own time stands under neighbour. Ratios are of two runs of one repetition. The column /best is over
the best of static, passive, one and dynamic, and /plain is over plain. Both are for arms of the same binary
only. The column /unmodified is over the binary without lines. The max slowdown is over the time of the same
binary alone. CPU s: of all programs together. The column foreign: CPUs that other programs of the machine
used, at most in any repetition."""


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage: Callable[[], Stage]) -> int:
        settings = read_settings(arguments, checkout / "build" / "bin")
        command = command_line(NAME, arguments)
        if settings.merged:
            return _told(merged(settings, command), asked_folder(settings.output))
        check_files(settings.programs, ["governord", "governorctl", "examples/md", "examples/md-omp"])
        check_doors(settings.programs)
        output = asked_folder(settings.output)
        described = settings.described() | {"command_line": command}
        results = Results(describe_machine(checkout, []), described, {})
        try:
            Runner(settings, results, stage(), checkout).run()
        except Interrupted:
            results.notes.append("Ended by a signal; these runs were finished before it.")
            _told(results, output)
            raise
        except ProcessFailed as error:  # what was measured before it counts
            results.errors.append(str(error))
        return _told(results, output)

    return run_command(NAME, body)


def merged(settings: Settings, command: str) -> Results:
    """All runs in one table. Each file has repetitions of its own, so that no ratio is of two files.
    BadInput where they do not belong together."""
    first, *others = [read_results(path) for path in settings.merged]
    for other in others:
        for name, of in (("runtime", "settings"), ("lines", "settings"), ("cpu_model", "machine"), ("kernel", "machine")):
            here, there = getattr(first, of).get(name), getattr(other, of).get(name)
            if here != there:
                raise BadInput(f"--merge: {name} is {here} in one file and {there} in another one.")
        before = 1 + max((run.repetition for run in first.runs), default=-1)
        first.runs += [replace(run, repetition=run.repetition + before) for run in other.runs]
        first.notes += other.notes
        first.errors += other.errors
    first.settings["command_line"] = command
    return first


def _told(results: Results, output: Path | None) -> int:
    rows = {name: rows_of(case, results.runs) for name, case in CASES.items()}
    blocks = [machine_text(results.machine) + f" {runtime_name(results.settings)}.", _EXPLANATION]
    for name, of_case in rows.items():
        if of_case:
            blocks.append(f"## {name}: {', '.join(CASES[name].members)}\n\n{_table(of_case)}")
    arms = {run.method for run in results.runs}
    if not arms.issuperset(BASELINES):
        blocks.append(f"No ratio over the best: that needs the arms {', '.join(BASELINES)}.")
    blocks += remarks(results)
    text = "\n\n".join(blocks) + "\n"
    printed = print_result(NAME, text)
    if output is not None:
        figures = summary_rows([row for of_case in rows.values() for row in of_case])
        write_files(output, as_document(results, figures), f"# {NAME}\n\n{text}", figures)
    for error in results.errors:
        complain(NAME, error)
    return EXIT_OK if printed and not results.errors else EXIT_FAILED


def _table(rows: list[Row]) -> str:
    """Best sum first."""
    head = ["arm", "n", "sum, s", "sum/best", "makespan, s", "makespan/best", "sum/plain", "sum/unmodified"]
    cells = [[*head, "max slowdown", "neighbour, s", "CPU s", "foreign"]]
    for row in sorted(rows, key=lambda row: median(row.sums).low):
        slowdown = row.slowdown.text(2) if row.slowdown else ""
        foreign = "" if row.foreign_cpus is None else f"{row.foreign_cpus:.2f}"
        cells.append([
            row.arm, str(len(row.sums)), _text(row.sums), _text(row.sum_over_best), _text(row.makespans),
            _text(row.makespan_over_best), _text(row.sum_over_plain), _text(row.sum_over_unmodified),
            slowdown, _text(row.neighbours), f"{row.cpu_s:.1f}", foreign,
        ])  # fmt: skip
    return markdown(cells)


def _text(values: tuple[Range, ...]) -> str:
    if not values:
        return ""
    middle = median(values).text(2)
    return f"{middle} {spread_text(values, 2)}" if len(values) > 1 else middle
