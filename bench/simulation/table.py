# SPDX-License-Identifier: MIT
"""The results of runs, as text."""

from __future__ import annotations

from lab.columns import columns

from .run import Process, Run

_HEADINGS = ("program", "user", "copies", "done", "time s", "cpu s", "granted")


def report(runs: list[Run]) -> str:
    """A table of programs for each run, the figures side by side, and what does not hold."""
    text = ""
    for run in runs:
        text += f"{run.record['scenario']}, policy {run.record['policy']}, "
        text += f"{run.record['cpus']} CPUs, {run.record['end_s']:.2f} s\n\n"
        text += _text([list(_HEADINGS), *_program_rows(run)]) + "\n"
    text += _text(_figure_rows(runs))
    for run in runs:
        text += "".join(f"FAILED {failure}\n" for failure in run.failures)
    return text


def _program_rows(run: Run) -> list[list[str]]:
    """Means over the copies."""
    copies: dict[str, list[Process]] = {}
    for process in run.processes():
        copies.setdefault(process.record["program"], []).append(process)
    return [_program_row(name, processes) for name, processes in copies.items()]


def _program_row(name: str, processes: list[Process]) -> list[str]:
    count = len(processes)
    lived_s = sum(p.ended_s - p.record["started_s"] for p in processes)
    return [
        name,
        str(processes[0].user),
        str(count),
        str(sum(p.record["finished"] for p in processes)),
        f"{lived_s / count:.2f}",
        f"{sum(p.record['cpu_s'] for p in processes) / count:.2f}",
        f"{sum(p.granted().mean() for p in processes) / count:.2f}",
    ]


def _figure_rows(runs: list[Run]) -> list[list[str]]:
    rows = [["", *(run.record["policy"] for run in runs)]]
    for name in runs[0].figures:
        rows.append([name, *(f"{run.figures[name]:.3f}" for run in runs)])
    return rows


def _text(rows: list[list[str]]) -> str:
    return "\n".join(columns(rows)) + "\n"
