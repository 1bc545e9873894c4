# SPDX-License-Identifier: MIT
"""The runs of an experiment one after the other: each is told when it is over, and kept in the results."""

from __future__ import annotations

import time
from typing import Callable

from .cells import Cell
from .programs import ProcessFailed
from .progress import Progress, TimeLeft
from .records import Results, RunRecord
from .side_by_side import Outcome

Look = Callable[[], None]


def run_cells(
    cells: list[Cell],
    expected_s: Callable[[Cell], float],
    outcome: Callable[[Cell, Look], Outcome],
    results: Results,
    progress: Progress,
) -> None:
    """`outcome` makes a run, and calls what it is given at least every 0.5 s. ProcessFailed names the run
    that failed; those before it are kept."""
    time_left = TimeLeft({cell: expected_s(cell) for cell in cells})
    for number, cell in enumerate(cells, 1):
        name = f"[{number}/{len(cells)}] {cell.scenario.name} {cell.method.name}"
        began_s, later_s = time.monotonic(), time_left.later_s(cell)
        ends_s = began_s + time_left.expected_s(cell)

        def look() -> None:
            progress.under_way(name, max(0.0, ends_s - time.monotonic()) + later_s)

        try:
            run = RunRecord(
                cell.scenario.name, cell.method.name, cell.repetition, **vars(outcome(cell, look))
            )
        except ProcessFailed as error:
            raise ProcessFailed(f"{name}: {error}") from error
        results.runs.append(run)
        time_left.took(cell, time.monotonic() - began_s)
        stopped = " (stopped)" if run.stopped_s is not None else ""
        progress.done(f"{name}: {run.makespan().text(2)} s{stopped}", time_left.later_s(cell))
