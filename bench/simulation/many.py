# SPDX-License-Identifier: MIT
"""--table, --ablate and --grid: many runs, a report, and files where --output says so."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from lab.drawing import NoPictures
from lab.endings import EXIT_FAILED, EXIT_OK, Failed, complain, print_result
from lab.machine import describe_machine
from lab.report import asked_folder, command_line, fenced, write_files

from . import ablation, grid, matrix
from .matrix_picture import draw_matrix
from .numbers import Changeable, known_changes
from .patches import built, known_patches
from .settings import Settings


def compare(name: str, arguments: list[str], settings: Settings, checkout: Path) -> int:
    """Policies x scenarios."""
    folder = asked_folder(settings.output)
    found = matrix.run_matrix(settings.command, matrix.scenario_files(settings.table), settings.policies)
    text = matrix.report(found, settings.policies)
    printed = print_result(name, text)
    if folder is None:
        return EXIT_OK if printed else EXIT_FAILED
    names = _write(name, arguments, folder, checkout, text, matrix.summary_rows(found))
    if settings.pictures:
        names += _draw(name, found, settings, folder)
    printed = print_result(name, f"\nIn {folder}: {', '.join(names)}\n") and printed
    return EXIT_OK if printed else EXIT_FAILED


def ablate(name: str, arguments: list[str], settings: Settings, checkout: Path) -> int:
    """Rules x scenarios."""
    folder = asked_folder(settings.output)
    files = matrix.scenario_files(settings.ablate)
    if settings.numbers:
        text, effects = _change_numbers(settings, checkout, files)
    else:
        text, effects = _leave_out_rules(settings, checkout, files)
    printed = print_result(name, text)
    if folder is not None:
        names = _write(name, arguments, folder, checkout, text, ablation.summary_rows(effects))
        printed = print_result(name, f"\nIn {folder}: {', '.join(names)}\n") and printed
    return EXIT_OK if printed else EXIT_FAILED


def _leave_out_rules(
    settings: Settings, checkout: Path, files: list[Path]
) -> tuple[str, list[ablation.Effect]]:
    patches = known_patches(checkout) if settings.patches else []
    own = {None: settings.simulator}
    with built(checkout, patches) if patches else nullcontext(own) as simulators:
        meanings = ablation.known_rules(simulators[None])
        effects = ablation.run_ablation(_commands(simulators, meanings, settings), files)
    meanings |= {patch.rule: patch.meaning for patch in patches}
    return ablation.report(effects, meanings, ablation.RULES), effects


def _change_numbers(
    settings: Settings, checkout: Path, files: list[Path]
) -> tuple[str, list[ablation.Effect]]:
    changes = known_changes(checkout)
    edit = Changeable()
    with built(checkout, [edit]) as simulators:
        commands = {change.name: change.command(simulators[edit.rule]) for change in changes}
        effects = ablation.run_ablation(_with_options(simulators[None], commands, settings), files)
    values = {change.name: change.value for change in changes}
    return ablation.report(effects, values, ablation.NUMBERS), effects


def run_grid(name: str, arguments: list[str], settings: Settings, checkout: Path) -> int:
    """Speedups x counts x lengths."""
    folder = asked_folder(settings.output)
    rows = grid.run_grid(settings.command, grid.cells(settings.grid))
    text = grid.report(rows)
    printed = print_result(name, text)
    if folder is not None:
        names = _write(name, arguments, folder, checkout, text, grid.summary_rows(rows))
        printed = print_result(name, f"\nIn {folder}: {', '.join(names)}\n") and printed
    return EXIT_OK if printed else EXIT_FAILED


def _commands(
    simulators: dict[str | None, Path], meanings: dict[str, str], settings: Settings
) -> dict[str | None, list[str]]:
    """By rule; those of `meanings` are switched off from outside."""
    commands = {
        **{rule: [str(simulators[None]), "--without", rule] for rule in meanings},
        **{rule: [str(simulator)] for rule, simulator in simulators.items() if rule is not None},
    }
    return _with_options(simulators[None], commands, settings)


def _with_options(
    unchanged: Path, changed: dict[str, list[str]], settings: Settings
) -> dict[str | None, list[str]]:
    """With the command that all others are compared with, as None."""
    commands: dict[str | None, list[str]] = {None: [str(unchanged)], **changed}
    return {name: [*command, *settings.runtime_options] for name, command in commands.items()}


def _write(
    name: str, arguments: list[str], folder: Path, checkout: Path, text: str, rows: list[dict[str, Any]]
) -> list[str]:
    document = {
        "machine": describe_machine(checkout, []),
        "settings": {"command_line": command_line(name, arguments)},
        "rows": rows,
    }
    return write_files(folder, document, fenced(document["settings"]["command_line"], text), rows)


def _draw(name: str, found: matrix.Matrix, settings: Settings, folder: Path) -> list[str]:
    try:
        return [path.name for path in draw_matrix(found, settings.policies, folder, settings.formats)]
    except NoPictures as reason:
        complain(name, str(reason))
        return []
    except OSError as error:
        raise Failed(f"{error.filename or folder} cannot be written: {error.strerror}.") from error
