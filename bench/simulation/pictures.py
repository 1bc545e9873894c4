# SPDX-License-Identifier: MIT
"""The programs' CPUs, how many and which, over time."""

from __future__ import annotations

import colorsys
from pathlib import Path

from lab.drawing import pyplot, save

from .run import Process, Run

_MOST_LANES = 40
_FOREIGN = "#555555"
# One hue per user; shades of it for the user's processes.
_HUES = (0.58, 0.06, 0.33, 0.78, 0.13, 0.92, 0.47, 0.0)


def draw_pictures(run: Run, folder: Path, formats: tuple[str, ...]) -> list[Path]:
    """NAME-POLICY-timeline and NAME-POLICY-cpus in each format; NoPictures without matplotlib."""
    plot = pyplot()
    stem = f"{run.record['scenario']}-{run.record['policy']}"
    drawn = []
    for draw, kind in ((_draw_timeline, "timeline"), (_draw_cpus, "cpus")):
        paths = [folder / f"{stem}-{kind}.{suffix}" for suffix in formats]
        drawn += save(plot, draw(plot, run), paths)
    return drawn


def _draw_timeline(plot, run: Run):
    """A lane per process: what it is granted, filled, and the threads that really run, as a line."""
    processes = run.processes()[:_MOST_LANES]
    has_foreign = any(run.foreign().values)
    lanes = max(1, len(processes) + (1 if has_foreign else 0))
    figure, panels = plot.subplots(
        lanes, 1, figsize=(10, 1.3 + 0.55 * lanes), sharex=True, squeeze=False
    )
    panels = [row[0] for row in panels]
    colours = _colours(run.processes())
    most = max([1, *(max(p.granted().values or [0]) for p in processes), *run.foreign().values])
    for panel, process in zip(panels, processes):
        _draw_lane(panel, process, colours[process.name])
        _label(panel, process.name)
    if has_foreign:
        steps = run.foreign()
        panels[-1].fill_between(steps.times_s, steps.values, step="post", color=_FOREIGN, lw=0)
        _label(panels[-1], "left to others")
    for panel in panels:
        panel.set_ylim(0, most * 1.15)
        panel.set_xlim(0, run.record["end_s"])
        panel.set_yticks([0, most])
        panel.tick_params(labelsize=7)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    hidden = len(run.processes()) - len(processes)
    more = f"; {hidden} more are not drawn" if hidden else ""
    panels[-1].set_xlabel(
        f"seconds (filled: CPUs granted; line: threads that run{more})", fontsize=8
    )
    figure.suptitle(_title(run), fontsize=10)
    figure.tight_layout(rect=(0, 0, 1, 0.98), h_pad=0.1)
    return figure


def _draw_lane(panel, process: Process, colour) -> None:
    granted, running = process.granted(), process.running()
    if granted.times_s:
        panel.fill_between(
            granted.times_s, granted.values, step="post", color=colour, alpha=0.55, lw=0
        )
    if running.times_s:
        panel.step(running.times_s, running.values, where="post", color="#222222", linewidth=0.7)


def _label(panel, name: str) -> None:
    panel.set_ylabel(name + " ", rotation=0, ha="right", va="center", fontsize=8)


def _draw_cpus(plot, run: Run):
    """A row per CPU, in the colour of whom it is granted to."""
    figure, panel = plot.subplots(figsize=(10, 5.5))
    colours = _colours(run.processes())
    for process in run.processes():
        for begin, end, cpus in process.sets():
            for first, last in _runs_of(cpus):
                panel.broken_barh(
                    [(begin, end - begin)], (first - 0.5, last - first + 1),
                    facecolors=colours[process.name], linewidth=0, rasterized=True,
                )  # fmt: skip
    panel.set_xlim(0, run.record["end_s"])
    panel.set_ylim(run.record["cpus"] - 0.5, -0.5)
    panel.set_ylabel("CPU", fontsize=9)
    panel.set_xlabel("seconds", fontsize=9)
    panel.tick_params(labelsize=8)
    panel.set_facecolor("#f2f2f2")
    _add_legend(panel, run, colours)
    panel.set_title(_title(run) + "\nwhich CPUs are granted to whom (grey: to nobody)", fontsize=10)
    figure.tight_layout()
    return figure


def _add_legend(panel, run: Run, colours) -> None:
    from matplotlib.patches import Patch

    names = [process.name for process in run.processes()]
    if 0 < len(names) <= 12:
        panel.legend(
            handles=[Patch(color=colours[name], label=name) for name in names],
            loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7, frameon=False,
        )  # fmt: skip


def _colours(processes: list[Process]) -> dict[str, tuple[float, float, float]]:
    """By name."""
    users = list(dict.fromkeys(process.user for process in processes))
    colours = {}
    for index, user in enumerate(users):
        own = [process.name for process in processes if process.user == user]
        for place, name in enumerate(own):
            shade = 0.3 + 0.45 * (place % 4) / 3
            colours[name] = colorsys.hls_to_rgb(_HUES[index % len(_HUES)], shade, 0.65)
    return colours


def _runs_of(cpus: list[int]) -> list[tuple[int, int]]:
    """[0, 1, 2, 8] -> [(0, 2), (8, 8)]"""
    runs: list[tuple[int, int]] = []
    for cpu in cpus:
        if runs and runs[-1][1] + 1 == cpu:
            runs[-1] = (runs[-1][0], cpu)
        else:
            runs.append((cpu, cpu))
    return runs


def _title(run: Run) -> str:
    figures = run.figures
    return (
        f"{run.record['scenario']}: policy {run.record['policy']}, {run.record['cpus']} CPUs,"
        f" fairness {figures['fairness']:.3f}, utilisation {figures['utilisation']:.2f}"
    )
