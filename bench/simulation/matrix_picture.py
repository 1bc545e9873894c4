# SPDX-License-Identifier: MIT
"""Each policy's sum of times over that of `fair`, a row for each scenario."""

from __future__ import annotations

import math
from pathlib import Path

from lab.drawing import pyplot, save

from .matrix import BASE, Matrix


def draw_matrix(
    matrix: Matrix, policies: tuple[str, ...], folder: Path, formats: tuple[str, ...]
) -> list[Path]:
    """policies.* in each format; NoPictures without matplotlib, or where nothing can be compared."""
    plot = pyplot()
    scenarios = list(matrix.ratios(BASE, "sum_s"))
    figure, panel = plot.subplots(figsize=(10, 1.8 + 0.28 * max(len(scenarios), 3)))
    panel.axvline(1.0, color="#888888", linewidth=0.8)
    for index, policy in enumerate(p for p in policies if p != BASE):
        ratios = matrix.ratios(policy, "sum_s")
        known = [(r.low, scenarios.index(s)) for s, r in ratios.items() if r.exact]
        bounds = [(r.low, scenarios.index(s)) for s, r in ratios.items() if not r.exact and r.low > 0]
        colour = f"C{index}"
        panel.plot(*_points(known), "o", color=colour, markersize=5, label=policy)
        panel.plot(*_points(bounds), ">", color=colour, markersize=5, markerfacecolor="none")
    panel.set_xscale("log")
    panel.set_yticks(range(len(scenarios)), scenarios, fontsize=8)
    panel.set_ylim(len(scenarios) - 0.5, -0.5)
    panel.grid(axis="both", color="#eeeeee")
    _label_axis(panel)
    panel.set_xlabel(f"sum of times over {BASE} (less is better; an arrow is a lower bound)", fontsize=9)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    figure.tight_layout()
    return save(plot, figure, [folder / f"policies.{suffix}" for suffix in formats])


def _points(pairs: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


def _label_axis(panel) -> None:
    low, high = panel.get_xlim()
    ticks = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100]
    shown = [t for t in ticks if low <= t <= high and math.isfinite(t)]
    panel.set_xticks(shown, [f"{t:g}" for t in shown])
    panel.minorticks_off()
