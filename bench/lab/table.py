# SPDX-License-Identifier: MIT
"""The summary as plain text for a terminal and as Markdown for a page."""

from __future__ import annotations

from typing import Any

from .cells import BASELINES
from .columns import aligned
from .quantities import region_text
from .records import Results
from .summary import Row, ratio_text, time_text

_EXPLANATION = """\
aggregate = sum over the programs of (finish - start); makespan = first start to last finish.
Medians over the repetitions with [smallest-largest]; seconds. A ratio below 1.00 is faster than that
baseline. It is taken within one repetition, then the median. The marks '>' and '<' are bounds: a run
behind them was stopped at its limit. A '?' says that such runs allow no statement."""


def plain_table(results: Results, rows: list[Row]) -> str:
    """The whole report as text, each scenario a block of its own."""
    blocks = [headline(results)]
    for scenario in _scenarios(rows):
        blocks.append(_plain_block(scenario, [row for row in rows if row.scenario == scenario]))
    if not rows:
        blocks.append("No run was finished.")
    blocks.append(_EXPLANATION)
    blocks += remarks(results)
    return "\n\n".join(blocks) + "\n"


def markdown_table(results: Results, rows: list[Row]) -> str:
    """One table for all scenarios, with the machine below it, ready to be quoted."""
    lines = [
        "| scenario | method | aggregate, s | makespan, s"
        + "".join(f" | aggregate / {base}" for base in BASELINES)
        + "".join(f" | makespan / {base}" for base in BASELINES)
        + " |",
        "|---|---|" + "---:|" * (2 + 2 * len(BASELINES)),
    ]
    lines += ["| " + " | ".join(_markdown_cells(row)) + " |" for row in rows]
    below = [headline(results), _EXPLANATION.replace("\n", " "), *remarks(results)]
    return "\n".join(lines) + "\n\n" + "\n\n".join(_escaped(text) for text in below) + "\n"


def headline(results: Results) -> str:
    """One sentence on where and with what this was measured."""
    machine, settings = results.machine, results.settings
    return (
        f"{machine.get('cpu_model', 'unknown CPU')}, {len(machine.get('cpus_allowed', []))} CPUs"
        f" allowed, {machine.get('kernel', 'unknown kernel')}, {machine.get('date', '')};"
        f" {runtime_name(settings)}, regions of"
        f" {region_text(settings.get('region_us', 0))}, programs {settings.get('stagger_s', 0):g} s"
        f" apart, threshold policy every {settings.get('period_s', 0):g} s, asked every"
        f" {settings.get('interval_s', 0):g} s."
    )


def runtime_name(settings: dict[str, Any]) -> str:
    """The OpenMP runtime behind --runtime."""
    return {"gcc": "libgomp", "clang": "libomp"}.get(settings.get("runtime"), "unknown OpenMP")


def _scenarios(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row.scenario for row in rows))


def _plain_block(scenario: str, rows: list[Row]) -> str:
    programs, runs = len(rows[0].program_elapsed), max(len(row.aggregates) for row in rows)
    title = f"{scenario}: {programs} programs, {runs} repetition{'s' if runs > 1 else ''}"
    groups = ["", "", "", "aggregate over", "", "", "makespan over", "", ""]
    header = ["method", "aggregate s", "makespan s", *BASELINES, *BASELINES]
    lines = [groups, header, *(_plain_cells(row) for row in rows)]
    return title + "\n" + aligned(lines)


def _plain_cells(row: Row) -> list[str]:
    aggregates = [ratio_text(row.aggregate_ratios[base]) for base in BASELINES]
    makespans = [ratio_text(row.makespan_ratios[base]) for base in BASELINES]
    return [row.method, time_text(row.aggregates), time_text(row.makespans), *aggregates, *makespans]


def _markdown_cells(row: Row) -> list[str]:
    method, *numbers = _plain_cells(row)
    return [row.scenario, method, *(_escaped(number) for number in numbers)]


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")


def remarks(results: Results) -> list[str]:
    """Noise, notes and errors: what a reader must know before believing the numbers."""
    texts = []
    foreign = [run.foreign_cpus for run in results.runs if run.foreign_cpus is not None]
    if foreign:
        texts.append(
            f"Others kept {sum(foreign) / len(foreign):.2f} CPUs busy on average during the runs,"
            f" {max(foreign):.2f} at most."
        )
    texts += [f"Note: {note}" for note in results.notes]
    texts += [f"Error: {error}" for error in results.errors]
    return texts


