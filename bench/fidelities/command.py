# SPDX-License-Identifier: MIT
"""The command: every cell simulated, and a page of what was measured beside it."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.endings import EXIT_FAILED, EXIT_OK, Failed, exit_status, output_folder, print_result
from lab.machine import describe_machine
from lab.options import OneSentenceParser, add_programs
from lab.quantities import BadInput
from lab.report import SUMMARY, TABLES, command_line, summary_text, write_text

from .cells import Cell, cells
from .scenario import scenario_text

NAME = "bench/fidelity"
CLOSE = 0.10


@dataclass(frozen=True)
class Row:
    cell: Cell
    simulated: float

    @property
    def off(self) -> float:
        """Simulated over measured, less 1."""
        return self.simulated / self.cell.measured - 1


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin is looked for."""
    return exit_status(NAME, lambda: _command(arguments, checkout))


def _command(arguments: list[str], checkout: Path) -> int:
    options = _parser(checkout / "build" / "bin").parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="governor-fidelity-") as made:
        folder = Path(made) if options.scenarios is None else output_folder(options.scenarios, "")
        rows = [Row(cell, _ratio(cell, options.bin / "simulate", folder)) for cell in cells()]
    text = page(rows)
    if options.output is not None:
        folder = output_folder(options.output, "")
        write_text(folder / TABLES, text)
        machine = describe_machine(checkout, [])
        write_text(folder / SUMMARY, summary_text(command_line(NAME, []), machine, _summary(rows)))
    return EXIT_OK if print_result(NAME, text) else EXIT_FAILED


def _parser(programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog=NAME,
        description="Simulates what was measured on real machines, and says how far apart the two are.",
    )
    text = "folder for results.md and summary.json (no files)"
    parser.add_argument("--output", type=Path, metavar="DIR", help=text)
    parser.add_argument("--scenarios", type=Path, metavar="DIR", help="folder to leave the scenario files in")
    add_programs(parser, programs, "simulate")
    return parser


def _ratio(cell: Cell, simulator: Path, folder: Path) -> float:
    figures = [_figure(cell, method, simulator, folder) for method in (cell.method, cell.baseline)]
    return figures[0] / figures[1]


def _figure(cell: Cell, method: str, simulator: Path, folder: Path) -> float:
    path = folder / f"{cell.name}.{method}.sim"
    write_text(path, scenario_text(cell, method))
    try:
        done = subprocess.run([simulator, "--json", path], capture_output=True, text=True, check=False)
    except OSError as error:
        raise BadInput(f"--bin: {simulator}: {error.strerror}; build simulate first.") from error
    if not done.stdout:
        raise Failed(f"{path.name}: {done.stderr.strip()}")
    figures = json.loads(done.stdout)["figures"]
    if figures["unfinished"] > 0:
        raise Failed(f"{path.name}: some programs did not end.")
    return figures[f"{cell.figure}_s"]


def page(rows: list[Row]) -> str:
    """Markdown: held-out cells first, then those that the constants were fitted to."""
    held = [row for row in rows if not row.cell.fitted]
    close = sum(abs(row.off) <= CLOSE for row in held)
    parts = [
        "# The simulator beside real measurements, two cores\n",
        f"`{NAME}`. {close} of {len(held)} cells that no constant was fitted to are within 10 %; they are the"
        " first table. Ratios are times of the method over those of the baseline.\n",
        _table(held),
    ]
    fitted = [row for row in rows if row.cell.fitted]
    if fitted:
        parts += ["## Cells that constants were fitted to\n", _table(fitted)]
    return "\n".join(parts)


def _summary(rows: list[Row]) -> list[dict[str, Any]]:
    return [{**asdict(row.cell), "simulated": round(row.simulated, 3)} for row in rows]


def _table(rows: list[Row]) -> str:
    lines = [
        "| programs | runtime | region | method / baseline | figure | measured | simulated | off | source |",
        "|---|---|---|---|---|---:|---:|---:|---|",
    ]
    for row in rows:
        cell = row.cell
        off = f"{row.off:+.0%}"
        lines.append(
            f"| {cell.count}{'' if cell.habit == 'uniform' else f', one {cell.habit}'} | {cell.runtime} |"
            f" {cell.region_us / 1000:g} ms | {cell.method} / {cell.baseline} | {cell.figure} |"
            f" {cell.measured:.2f} | {row.simulated:.2f} | {off if abs(row.off) <= CLOSE else f'**{off}**'} |"
            f" {cell.source}, {cell.cpu} |"
        )
    return "\n".join(lines) + "\n"
