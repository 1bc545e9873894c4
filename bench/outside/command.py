# SPDX-License-Identifier: MIT
"""bench/trees: makes the runs and says what came of them."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from lab.checks import checksum_errors
from lab.comparison import comparison_json, comparison_table
from lab.endings import EXIT_FAILED, EXIT_OK, complain, print_result
from lab.interruption import Interrupted
from lab.machine import describe_machine, machine_text
from lab.records import Results, as_document
from lab.report import asked_folder, command_line, write_files
from lab.stage import Stage, check_doors, check_files, run_command
from lab.table import remarks

from .cases import Case
from .figures import rows_of
from .loads import LOADS
from .runner import Runner
from .settings import Settings, read_settings

NAME = "bench/trees"
_EXPLANATION = """\
Seconds: medians over the repetitions [smallest-largest]. sum = of the programs' times from start to
finish; makespan = from the first start to the last finish; last program = the time of the one that was
started last. plain = as they are; in-turn = started by hand one after the other; run, batch,
keep, adapt = by `governorctl run` and `run --batch` and so on, keep-batch = by `run --keep --batch`; passive =
with OMP_WAIT_POLICY=passive; idle = without the others. A ratio is of two runs of one repetition;
the goal is for the median of these."""


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage: Callable[[], Stage]) -> int:
        settings = read_settings(arguments, checkout / "build" / "bin")
        check_files(settings.programs, ["governord", "governorctl"])
        check_doors(settings.programs)
        cases, notes = _possible(settings)
        output = asked_folder(settings.output)
        described = settings.described() | {"command_line": command_line(NAME, arguments)}
        results = Results(describe_machine(checkout, []), described, {}, notes=notes)
        try:
            Runner(settings, cases, results, stage()).run()
        except Interrupted:
            _told(cases, results, output)
            raise
        return _told(cases, results, output)

    return run_command(NAME, body)


def _possible(settings: Settings) -> tuple[list[Case], list[str]]:
    """The cases that can be run here, and notes on the others."""
    cases, notes = [], []
    for case in settings.cases:
        lacking = [LOADS[name].lacks() for name in case.members if name in LOADS]
        tool = next((tool for tool in lacking if tool is not None), None)
        if tool is None:
            cases.append(case)
        else:
            notes.append(f"{case.name} is left out: no {tool} here.")
    return cases, notes


def _told(cases: list[Case], results: Results, output: Path | None) -> int:
    results.errors += checksum_errors([run for run in results.runs if run.scenario.startswith("pair-")])
    rows = [row for case in cases for row in rows_of(case, results.runs)]
    length_s, repetitions = (results.settings[name] for name in ("length_s", "repetitions"))
    about = f"Programs of {length_s:g} s alone; {repetitions} repetition(s)."
    blocks = [machine_text(results.machine), about, _EXPLANATION, comparison_table(rows), *remarks(results)]
    text = "\n\n".join(blocks) + "\n"
    printed = print_result(NAME, text)
    if output is not None:
        figures = comparison_json(rows)
        write_files(output, as_document(results, figures), f"# {NAME}\n\n{text}", figures)
    for error in results.errors:
        complain(NAME, error)
    return EXIT_OK if printed and not results.errors else EXIT_FAILED
