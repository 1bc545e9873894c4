# SPDX-License-Identifier: MIT
"""The table, as Markdown that can be read in a terminal. Pure."""

from __future__ import annotations

from lab.comparison import Row, comparison_table
from lab.quantities import region_text
from lab.records import Results
from lab.table import remarks

_EXPLANATION = """\
Seconds: medians over the repetitions [smallest-largest]; aggregate: the sum of the programs' elapsed times.
A ratio is of two runs of one repetition; the goal is for the median of these, and for the longest of all
waits. A wait is the longest time between the ends of two regions, of md the longest time without CPU, to
within 0.5 s."""


def report_text(results: Results, rows: list[Row]) -> str:
    """Everything there is to say."""
    machine, settings = results.machine, results.settings
    head = (
        f"{machine['cpu_model']}, {len(machine['cpus_allowed'])} CPUs allowed, {machine['kernel']},"
        f" {machine['date']}; programs of {settings['length_s']:g} s alone, regions of"
        f" {region_text(settings['region_us'])} on one core, {settings['stagger_s']:g} s apart;"
        f" {settings['repetitions']} repetitions."
    )
    blocks = [head, _EXPLANATION, comparison_table(rows), *remarks(results)]
    return "\n\n".join(blocks) + "\n"
