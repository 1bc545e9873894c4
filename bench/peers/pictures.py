# SPDX-License-Identifier: MIT
"""The measured figures as bars."""

from __future__ import annotations

from pathlib import Path

from lab.drawing import pyplot, save

from .outcomes import Outcomes
from .plan import OURS

_COLUMNS = 4
_PANELS = (
    ("submit/1", "ns_per_task", "submission, 1 worker, ns"),
    ("submit/2", "ns_per_task", "submission, 2 workers, ns"),
    ("tree/2", "ns_per_task", "recursive posting, ns"),
    ("fork_join/2", "ns_per_fork", "fork and join, ns"),
    ("latency/1", "wake_10ms_p50_us", "wake-up after 10 ms, p50, us"),
    ("round_trip/1", "round_trip_p50_ns", "future, awake, p50, ns"),
    ("loops/2", "static_1k_us", "loop of 1,000, static, us"),
    ("loops/2", "static_100k_us", "loop of 100,000, static, us"),
    ("loops/2", "static_10M_us", "loop of 10,000,000, static, us"),
    ("start/2", "start_us", "start with 2 workers, us"),
    ("hog/2", "over_fair_share", "beside a hog, over fair share"),
    ("terms/2", "run_us", "1001 terms, 2 workers, us"),
)


def draw_peers(outcomes: Outcomes, path: Path) -> Path:
    """NoPictures without matplotlib."""
    plot = pyplot()
    rows = -(-len(_PANELS) // _COLUMNS)
    figure, axes = plot.subplots(rows, _COLUMNS, figsize=(14, 2.6 * rows), layout="constrained")
    for axis, (bench, name, title) in zip(axes.flat, _PANELS):
        _draw_panel(axis, outcomes, bench, name)
        axis.set_title(title, fontsize=9)
    figure.suptitle("ours in blue; medians, and from the smallest to the largest", fontsize=9)
    return save(plot, figure, [path])[0]


def _draw_panel(axis, outcomes: Outcomes, bench: str, name: str) -> None:
    spreads = {pool: outcomes.spread(pool, bench, name) for pool in outcomes.pools()}
    shown = {pool: spread for pool, spread in spreads.items() if spread is not None}
    pools = sorted(shown, key=lambda pool: -shown[pool].median)
    medians = [shown[pool].median for pool in pools]
    below = [shown[pool].median - shown[pool].least for pool in pools]
    above = [shown[pool].most - shown[pool].median for pool in pools]
    colours = ["#2171b5" if pool == OURS else "#bdbdbd" for pool in pools]
    axis.barh(pools, medians, xerr=[below, above], color=colours, ecolor="#636363", capsize=2)
    if medians and min(medians) > 0 and max(medians) > 10 * min(medians):
        axis.set_xscale("log")
    axis.tick_params(labelsize=8)
