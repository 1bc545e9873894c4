# SPDX-License-Identifier: MIT
"""bench/goals: makes the runs that are missing in a folder, block by block, and says which goals are met."""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

from lab.endings import EXIT_FAILED, EXIT_OK, Failed, exit_status, output_folder, print_result
from lab.options import OneSentenceParser, add_programs, add_whole
from lab.quantities import BadInput, duration_text
from lab.ranges import median
from lab.records import Results, RunRecord, read_results
from lab.report import SUMMARY, command_line, summary_text, write_text

from .goal import Block, Cell, Goal, cells_of
from .goals import blocks, goals

NAME = "bench/goals"


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and bench/scenario are."""
    return exit_status(NAME, lambda: _command(arguments, checkout))


def _command(arguments: list[str], checkout: Path) -> int:
    options = _parser(checkout / "build" / "bin").parse_args(arguments)
    wanted = _wanted(options.blocks)
    if options.list:
        lines = [f"{block.name}: {len(block.scenarios)} x {len(block.methods)}" for block in wanted]
        return EXIT_OK if print_result(NAME, "\n".join(lines) + "\n") else EXIT_FAILED
    output = output_folder(options.output, "governor-goals-")
    if not options.evaluate:
        for block in wanted:
            if not (output / block.name / "results.json").is_file():
                _make(block, options, output, checkout)
    made = _made(output)
    runs = {name: results.runs for name, results in made.items()}
    text = report(runs)
    machine = next((results.machine for results in made.values()), {})
    write_text(output / "goals.md", text)
    summary = summary_text(command_line(NAME, arguments), machine, summary_rows(runs))
    write_text(output / SUMMARY, summary)
    printed = print_result(NAME, f"{text}\nIn {output}: goals.md, {SUMMARY}\n")
    return EXIT_OK if printed else EXIT_FAILED


def report(runs: dict[str, list[RunRecord]]) -> str:
    """A table of the goals, and of the cells that miss theirs; Markdown."""
    table = [["goal", "bound", "met", "median", "best", "worst"]]
    misses = [["missed by", "runs", "programs", "ratio", "bound"]]
    for goal in goals():
        cells = cells_of(goal, runs)
        table.append(_summary(goal, cells))
        for cell in cells:
            if not cell.met:
                ratio = f"{cell.middle.text(2)} of {len(cell.ratios)}"
                misses.append([goal.name, cell.block, cell.scenario, ratio, _bound(goal)])
    parts = [_markdown(table)]
    if len(misses) > 1:
        parts.append(_markdown(misses))
    return "\n".join(parts)


def summary_rows(runs: dict[str, list[RunRecord]]) -> list[dict[str, Any]]:
    """A row for each goal and block that has runs: ratios of its cells."""
    rows = []
    for goal, (block, of_block) in itertools.product(goals(), runs.items()):
        cells = cells_of(goal, {block: of_block})
        if cells:
            _, bound, met, *ratios = _summary(goal, cells)
            row = {"goal": goal.name, "bound": bound, "runs of": block, "met": met}
            rows.append({**row, **dict(zip(("median", "best", "worst"), ratios))})
    return rows


def _summary(goal: Goal, cells: list[Cell]) -> list[str]:
    if not cells:
        return [goal.name, _bound(goal), "not run", "", "", ""]
    middles = sorted((cell.middle for cell in cells), key=lambda middle: middle.low)
    best, worst = (middles[-1], middles[0]) if goal.times_better else (middles[0], middles[-1])
    met = f"{sum(cell.met for cell in cells)} of {len(cells)}"
    texts = [value.text(2) for value in (median(middles), best, worst)]
    return [goal.name, _bound(goal), met, *texts]


def _bound(goal: Goal) -> str:
    baseline = ", ".join(goal.baselines)
    if len(goal.baselines) > 1:
        baseline = f"best of {baseline}"
    if goal.beside is not None:
        baseline += f" in {goal.beside}"
    if goal.times_better:
        return f"{baseline} / {goal.method} >= {goal.bound:g} ({goal.measure})"
    return f"{goal.method} / {baseline} <= {goal.bound:g} ({goal.measure})"


def _markdown(rows: list[list[str]]) -> str:
    escaped = [[text.replace("<", "&lt;").replace(">", "&gt;") for text in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in escaped]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


def _made(output: Path) -> dict[str, Results]:
    """By block, what has been made so far."""
    found = {}
    for block in blocks():
        path = output / block.name / "results.json"
        if path.is_file():
            found[block.name] = read_results(path)
    return found


def _make(block: Block, options: argparse.Namespace, output: Path, checkout: Path) -> None:
    command = [sys.executable, str(checkout / "bench" / "scenario"), "--full", "--no-pictures"]
    command += ["--runtime", block.runtime, "--region-us", str(block.region_us)]
    command += ["--scenarios", ",".join(block.scenarios), "--methods", ",".join(block.methods)]
    command += ["--stagger", duration_text(block.stagger_s), "--length", duration_text(block.length_s)]
    command += ["--run-limit", duration_text(block.run_limit_s)]
    command += ["--repetitions", str(options.repetitions or 3), "--bin", str(options.bin)]
    command += ["--output", str(output / block.name)]
    print(f"{NAME}: {block.name}", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != EXIT_OK:
        raise Failed(f"{block.name} ended with status {done.returncode}; see above.")


def _wanted(text: str | None) -> list[Block]:
    listed = blocks()
    if text is None:
        return listed
    wanted = [block for part in text.split(",") for block in listed if block.name.startswith(part)]
    if not wanted or "" in text.split(","):
        names = ", ".join(block.name for block in listed)
        raise BadInput(f"--blocks {text!r}: names or their beginnings are accepted, of {names}.")
    return list(dict.fromkeys(wanted))


def _parser(default_programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog=NAME,
        description="Says which goals of policy fair and of turns are met on this machine. Runs that are in the"
        " output folder already are not made again.",
        epilog="Exit: 0 done, whether goals are met or not, 1 a run failed, 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--list", action="store_true", help="only names the blocks of runs")
    parser.add_argument(
        "--evaluate", action="store_true", help="makes no runs, only the table of those in --output"
    )
    parser.add_argument(
        "--blocks", metavar="A,B", help="names, or how they begin (all: about four hours)"
    )
    add_whole(parser, "--repetitions", 1, 1000, "of each run (3)")
    add_programs(parser, default_programs, "governord and examples/")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="folder for the results (a new temporary one)"
    )
    return parser
