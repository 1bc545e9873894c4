# SPDX-License-Identifier: MIT
"""The command: every cell simulated, and a page of what was measured beside it; or measured here."""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Callable

from lab.endings import EXIT_FAILED, EXIT_OK, output_folder, print_result
from lab.machine import describe_machine
from lab.options import OneSentenceParser, add_programs, add_whole
from lab.quantities import BadInput
from lab.report import SUMMARY, TABLES, command_line, summary_text, write_text
from lab.stage import Stage, check_files, run_command

from .cells import IDEAL, MIXES, PROGRAMS, TABLE, Cell, Mix, Named, read_mixes, read_table, table_text
from .files import beside, replace_rows
from .measurement import Kind, kinds_of, measure, plan_text
from .memory import PROGRAM, measure_memory, memory_plan_text
from .page import Row, page, summary
from .simulated import Simulator

NAME = "bench/fidelity"


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin is looked for."""

    def body(stage: Callable[[], Stage]) -> int:
        options = _parser(checkout / "build" / "bin").parse_args(arguments)
        if options.memory is not None:
            return _measure_memory(options, stage)
        cells = read_table(options.cells or TABLE, Cell)
        if options.measure is not None:
            return _measure(options, kinds_of(cells), stage)
        return _compare(options, cells, checkout, arguments)

    return run_command(NAME, body)


def _parser(programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog=NAME,
        description="Simulates what was measured on real machines, and says how far apart the two are.",
        epilog="Exit: 0 done, 1 a program failed, 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    text = "cells, measured or not (bench/fidelities/cells.txt)"
    parser.add_argument("--cells", type=Path, metavar="FILE", help=text)
    text = "folder with programs.txt and mixes.txt, compared as well (bench/fidelities)"
    parser.add_argument("--mixes", type=Path, metavar="DIR", help=text)
    text = "folder for results.md and summary.json (no files)"
    parser.add_argument("--output", type=Path, metavar="DIR", help=text)
    parser.add_argument("--scenarios", type=Path, metavar="DIR", help="folder to leave the scenario files in")
    forms = parser.add_mutually_exclusive_group()
    text = "measure the cells on this machine, write them to FILE, and compare nothing"
    forms.add_argument("--measure", type=Path, metavar="FILE", help=text)
    text = "measure programs that share memory, put them in DIR's programs.txt and mixes.txt, compare nothing"
    forms.add_argument("--memory", type=Path, metavar="DIR", help=text)
    add_whole(parser, "--repetitions", 1, 1000, "of each measured run (5)", default=5)
    parser.add_argument("--dry-run", action="store_true", help="print the plan of a measurement only")
    add_programs(parser, programs, "simulate, and what a measurement runs")
    return parser


def _compare(
    options: argparse.Namespace, cells: list[Cell], checkout: Path, arguments: list[str]
) -> int:
    mixes, named = read_mixes(options.mixes or MIXES.parent)
    listed, cells = cells, [cell for cell in cells if cell.measured is not None]
    if listed and not cells:
        raise BadInput(f"--cells {options.cells}: no cell is measured; see --measure.")
    with tempfile.TemporaryDirectory(prefix="governor-fidelity-") as made:
        folder = Path(made) if options.scenarios is None else output_folder(options.scenarios, "")
        simulator = Simulator(options.bin / "simulate", folder, named)
        rows, mixed = ([Row(cell, simulator.ratio(cell)) for cell in some] for some in (cells, mixes))
    text = page(NAME, rows, mixed, len(listed) - len(cells))
    if options.output is not None:
        folder = output_folder(options.output, "")
        write_text(folder / TABLES, text)
        machine = describe_machine(checkout, [])
        command = command_line(NAME, arguments)
        write_text(folder / SUMMARY, summary_text(command, machine, summary(rows + mixed)))
    return EXIT_OK if print_result(NAME, text) else EXIT_FAILED


def _measure(options: argparse.Namespace, kinds: list[Kind], stage: Callable[[], Stage]) -> int:
    if options.measure.resolve() == (options.cells or TABLE).resolve():
        raise BadInput(f"--measure {options.measure}: the cells are read from it; name another file.")
    if options.dry_run:
        plan = plan_text(kinds, options.bin, options.repetitions)
        return EXIT_OK if print_result(NAME, plan) else EXIT_FAILED
    settings = [kind.settings(options.bin, options.repetitions) for kind in kinds]
    needed = {one.program(load).relative_to(one.programs) for one in settings for load in one.loads()}
    check_files(options.bin, ["simulate", "governord", *sorted(map(str, needed))])
    measured: list[Cell] = []
    place, cpu = stage(), _cpu()

    def ideal_s(cell: Cell) -> float:
        return Simulator(options.bin / "simulate", place.folder).figure(cell, IDEAL)

    with beside(options.measure) as part:
        for number, kind in enumerate(kinds, 1):
            place.progress.done(f"({number}/{len(kinds)}) {kind.name}")
            found = measure(kind, options.bin, options.repetitions, place, ideal_s)
            measured += [replace(cell, cpu=cpu) for cell in found]
            write_text(part, table_text(Cell, measured))
            if any(cell.measured is None for cell in found):
                place.progress.done(f"{kind.name}: a run was stopped, its cells stay open")
    return EXIT_OK if print_result(NAME, table_text(Cell, measured)) else EXIT_FAILED


def _measure_memory(options: argparse.Namespace, stage: Callable[[], Stage]) -> int:
    if options.dry_run:
        return EXIT_OK if print_result(NAME, memory_plan_text(options.repetitions)) else EXIT_FAILED
    check_files(options.bin, [str(PROGRAM)])
    folder = output_folder(options.memory, "")
    for name, kind in ((PROGRAMS.name, Named), (MIXES.name, Mix)):
        if (folder / name).exists():
            read_table(folder / name, kind)  # rather now than after five minutes
    programs, mixes = measure_memory(options.bin.resolve() / PROGRAM, options.repetitions, stage())
    cpu = _cpu()
    mixes = [replace(mix, cpu=cpu) for mix in mixes]
    replace_rows(folder / PROGRAMS.name, Named, "name", programs)
    replace_rows(folder / MIXES.name, Mix, "programs", mixes)
    text = f"{table_text(Named, programs)}\n{table_text(Mix, mixes)}"
    return EXIT_OK if print_result(NAME, text) else EXIT_FAILED


def _cpu() -> str:
    """AMD, Intel and so on."""
    model = describe_machine(Path("/"), [])["cpu_model"]
    return re.match(r"\w+", model)[0]
