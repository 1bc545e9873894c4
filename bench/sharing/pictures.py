# SPDX-License-Identifier: MIT
"""The summary as bars and single runs as timelines, in PNG files."""

from __future__ import annotations

from pathlib import Path

from lab.cells import BASELINES, method_named
from lab.drawing import pyplot, save
from lab.quantities import region_text
from lab.ranges import Range, median
from lab.records import Results, RunRecord
from lab.summary import Row
from lab.table import runtime_name

from .teams import team_steps, typical_run

# What is recommended catches the eye.
_RECOMMENDED_COLOURS = {"fair": "#08519c", "turns": "#5a9bd4", "told-turns": "#9cc3e6"}
_UNGOVERNED_COLOURS = {
    "default": "#a6a6a6", "passive": "#d6d67c", "static": "#c2a499", "active": "#c7c7c7",
    "dynamic": "#dbdb8d", "in-turn": "#c49c94",
}  # fmt: skip
_IN_WORDS = {
    "default": "default: plain OpenMP", "passive": "passive: waiting threads sleep",
    "static": "static: pinned by hand", "fair": "fair: governed (recommended)",
    "turns": "turns: governed, batch programs in turn",
}  # fmt: skip
_GOVERNED_COLOURS = ("#deebf7", "#c6dbef", "#9ecae1", "#6baed6")
_LOAD_COLOURS = {"prime": "#1f77b4", "mandel": "#d95f02", "md": "#2ca02c", "matvec": "#9467bd"}
_TIMELINES_OF = ("turns", "told-turns", "fair", "orphaned")
_LOG_FROM = 8.0
_SCENARIOS_PER_PANEL = 5


def draw_pictures(results: Results, rows: list[Row], folder: Path) -> list[Path]:
    """Draws all pictures that the results have data for and returns their paths; NoPictures without
    matplotlib."""
    plot = pyplot()
    drawn = [_draw_bars(plot, results, rows, folder / "bars.png")]
    for scenario in dict.fromkeys(run.scenario for run in results.runs):
        runs = [run for run in results.runs if run.scenario == scenario]
        governed, default = _pair_for_timeline(runs)
        if governed is not None:
            path = folder / f"timeline-{scenario}.png"
            drawn.append(_draw_timeline(plot, results, governed, default, path))
    return [path for path in drawn if path is not None]


# Bars


def _draw_bars(plot, results: Results, rows: list[Row], path: Path) -> Path | None:
    """Aggregate and makespan over the first baseline there is, in the same repetition, some
    scenarios per panel; None when no baseline was run."""
    scenarios = list(dict.fromkeys(row.scenario for row in rows))
    methods = [name for name in results.settings["methods"] if any(r.method == name for r in rows)]
    base = next((name for name in BASELINES if name in methods), None)
    if base is None:
        return None
    parts = -(-len(scenarios) // _SCENARIOS_PER_PANEL)
    each = -(-len(scenarios) // parts)
    groups = [scenarios[first : first + each] for first in range(0, len(scenarios), each)]
    size = (max(8.0, 1.8 + each * (0.6 + 0.3 * len(methods))), 1.0 + 3.4 * 2 * len(groups))
    figure, panels = plot.subplots(2 * len(groups), 1, figsize=size)
    ends, wanted = [], [(m, group) for m in ("aggregate", "makespan") for group in groups]
    for panel, (measure, group) in zip(panels, wanted):
        ends += _draw_bar_panel(panel, rows, group, methods, base, measure)
        panel.set_ylabel(f"{measure} over {base}\n(below 1 is faster)")
        panel.set_xlim(-0.55, each - 0.45)
    _scale_alike(panels, ends)
    figure.suptitle(_title(results), fontsize=11)
    figure.legend(
        handles=_legend(methods, _has_bounds(rows, base)), loc="lower center", ncol=2, frameon=False, fontsize=9
    )
    figure.tight_layout(rect=(0, (0.2 + 0.2 * -(-len(methods) // 2)) / size[1], 1, 0.99))
    return save(plot, figure, [path])[0]


def _legend(methods: list[str], has_bounds: bool) -> list:
    """A patch per method, and what hatching means where there is any."""
    from matplotlib.patches import Patch

    patches = [Patch(color=_colour(m, methods), label=_IN_WORDS.get(m, m)) for m in methods]
    if has_bounds:
        patches.append(Patch(facecolor="#cccccc", hatch="///", edgecolor="white", label="a bound only"))
    return patches


def _has_bounds(rows: list[Row], base: str) -> bool:
    """Is a bar hatched?"""
    drawn = [r.get(base, ()) for row in rows for r in (row.aggregate_ratios, row.makespan_ratios)]
    return any(_known(median(ratios)) and not median(ratios).exact for ratios in drawn if ratios)


def _draw_bar_panel(
    panel, rows: list[Row], scenarios: list[str], methods: list[str], base: str, measure: str
) -> list[float]:
    """Bars with the spread of the repetitions; returns where bars and error bars end."""
    width, ends = 0.84 / len(methods), []
    for index, method in enumerate(methods):
        for place, scenario in enumerate(scenarios):
            ratios = _ratios_to(rows, scenario, method, base, measure)
            if ratios:
                x = place + (index - (len(methods) - 1) / 2) * width
                ends += _draw_bar(panel, x, width, ratios, _colour(method, methods))
    panel.set_xticks(range(len(scenarios)), scenarios)
    _tidy(panel)
    return ends


def _draw_bar(
    panel, x: float, width: float, ratios: tuple[Range, ...], colour: str
) -> list[float]:
    """One bar with its number; hatched when it is only a bound, just '?' when not even that."""
    middle = median(ratios)
    ends = [_drawn(value) for value in ratios if _known(value)]
    if not _known(middle):
        panel.annotate("?", (x, 0.02), xycoords=("data", "axes fraction"), ha="center", fontsize=9)
        return []
    height = _drawn(middle)
    panel.bar(
        x, height, width * 0.92, color=colour,
        hatch=None if middle.exact else "///", edgecolor="none" if middle.exact else "white",
    )  # fmt: skip
    if max(ends) > min(ends):
        below, above = max(0.0, height - min(ends)), max(0.0, max(ends) - height)
        panel.errorbar(x, height, [[below], [above]], color="#333333", elinewidth=1, capsize=2)
    panel.annotate(
        middle.text(2), (x, max(height, *ends)), xytext=(0, 4), textcoords="offset points",
        ha="center", va="bottom", fontsize=7, rotation=90 if width < 0.19 else 0,
    )  # fmt: skip
    return [height, *ends]


def _scale_alike(panels, ends: list[float]) -> None:
    """The same axis for all, logarithmic only where small bars would vanish otherwise."""
    lowest, highest = min([1.0, *ends]), max([1.0, *ends])
    for panel in panels:
        if highest / max(lowest, 1e-6) > _LOG_FROM:
            panel.set_yscale("log")
            _plain_log_ticks(panel)
            panel.set_ylim(lowest / 1.6, highest * 2.0)
        else:
            panel.set_ylim(0, highest * 1.22)


def _tidy(panel) -> None:
    panel.axhline(1.0, color="#333333", linewidth=0.8, linestyle="--", zorder=0.5)
    panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(axis="x", length=0)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def _ratios_to(
    rows: list[Row], scenario: str, method: str, base: str, measure: str
) -> tuple[Range, ...]:
    """One ratio per repetition; none where the method or its baseline was not run."""
    for row in rows:
        if (row.scenario, row.method) == (scenario, method):
            ratios = row.aggregate_ratios if measure == "aggregate" else row.makespan_ratios
            return ratios.get(base, ())
    return ()


def _known(value: Range) -> bool:
    return value.exact or value.low > 0 or value.high != float("inf")


def _drawn(value: Range) -> float:
    """A bound is drawn where it lies."""
    return value.low if value.low > 0 else value.high


def _plain_log_ticks(panel) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    panel.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())


def _colour(method: str, methods: list[str]) -> str:
    chosen = _RECOMMENDED_COLOURS | _UNGOVERNED_COLOURS
    if method in chosen:
        return chosen[method]
    governed = [name for name in methods if method_named(name).governed and name not in chosen]
    if len(governed) == 1:
        return _GOVERNED_COLOURS[2]
    step = governed.index(method) * (len(_GOVERNED_COLOURS) - 1) / (len(governed) - 1)
    return _GOVERNED_COLOURS[round(step)]


# Timelines


def _pair_for_timeline(runs: list[RunRecord]) -> tuple[RunRecord | None, RunRecord | None]:
    """A typical governed run, of the first there is of _TIMELINES_OF or else the threshold nearest to
    10 %, and the default of its repetition."""
    governed = [run for run in runs if method_named(run.method).governed]
    if not governed:
        return None, None

    def distance(run: RunRecord) -> int:
        if run.method in _TIMELINES_OF:
            return _TIMELINES_OF.index(run.method) - len(_TIMELINES_OF)
        return abs(method_named(run.method).threshold_percent - 10)

    nearest = min(distance(run) for run in governed)
    chosen = typical_run([run for run in governed if distance(run) == nearest])
    beside = [r for r in runs if (r.method, r.repetition) == ("default", chosen.repetition)]
    return chosen, beside[0] if beside else None


def _draw_timeline(
    plot, results: Results, governed: RunRecord, default: RunRecord | None, path: Path
) -> Path:
    """A lane per program, the governed run on the left and default on the right, on equal time
    axes unless one would be squeezed flat."""
    columns = [run for run in (governed, default) if run is not None]
    lanes = len(governed.programs)
    figure, grid = plot.subplots(
        lanes, len(columns), figsize=(5.6 * len(columns), 1.5 + 0.85 * lanes), squeeze=False
    )
    ends = [run.makespan().low for run in columns]
    alike = max(ends) <= 4 * min(ends)
    for column, run in enumerate(columns):
        end_s = max(ends) if alike else ends[column]
        _draw_column([grid[lane][column] for lane in range(lanes)], run, end_s, column == 0)
    figure.suptitle(
        f"{governed.scenario}: threads per program over time\n{_title(results)}", fontsize=10
    )
    if not alike:
        figure.text(0.99, 0.005, "time axes differ", ha="right", fontsize=8, style="italic")
    figure.tight_layout(rect=(0, 0.01, 1, 0.98), h_pad=0.3)
    return save(plot, figure, [path])[0]


def _draw_column(panels: list, run: RunRecord, end_s: float, leftmost: bool) -> None:
    most = max([2, *(_most_threads(run, place) for place in range(len(run.programs)))])
    stopped = "" if run.stopped_s is None else f", stopped after {run.stopped_s:.0f} s"
    panels[0].set_title(
        f"{run.method}: makespan {run.makespan().text(1)} s,"
        f" aggregate {run.aggregate().text(1)} s{stopped}",
        fontsize=9,
    )
    for place, panel in enumerate(panels):
        panel.set_xlim(0, end_s * 1.02)
        panel.set_ylim(0, most * 1.2)
        _draw_lane(panel, run, place)
        panel.set_yticks(_thread_ticks(most))
        panel.tick_params(labelsize=8, labelbottom=place == len(panels) - 1)
        panel.grid(color="#e6e6e6", linewidth=0.6)
        panel.set_axisbelow(True)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
        if leftmost:
            panel.set_ylabel(
                f"{place + 1} {run.programs[place].load}  ", rotation=0, ha="right", va="center",
                fontsize=9,
            )  # fmt: skip
    panels[-1].set_xlabel("seconds after the first start (height: threads of the team)", fontsize=8)


def _draw_lane(panel, run: RunRecord, place: int) -> None:
    program = run.programs[place]
    colour = _LOAD_COLOURS.get(program.load, "#444444")
    steps = team_steps(run, program)
    if steps is not None:
        panel.fill_between(steps.times_s, steps.threads, step="post", color=colour, alpha=0.35, lw=0)
        panel.step(steps.times_s, steps.threads, where="post", color=colour, linewidth=1.6)
        if steps.dropped:
            panel.text(0.99, 0.85, f"{steps.dropped} changes not kept", fontsize=7, ha="right",
                       transform=panel.transAxes)  # fmt: skip
        return
    if program.started_s is not None and run.stopped_s is not None:
        panel.axvspan(program.started_s, run.stopped_s, facecolor="none", hatch="///",
                      edgecolor="#bbbbbb", linewidth=0)  # fmt: skip
        x, text = (program.started_s + run.stopped_s) / 2, "until stopped"
    else:
        x, text = run.makespan().low / 2, "never started"
    panel.text(x, panel.get_ylim()[1] * 0.45, text, ha="center", va="center", fontsize=8,
               bbox={"facecolor": "white", "edgecolor": "none", "pad": 2})  # fmt: skip


def _most_threads(run: RunRecord, place: int) -> int:
    steps = team_steps(run, run.programs[place])
    return max(steps.threads) if steps else 1


def _thread_ticks(most: int) -> list[int]:
    step = max(1, -(-most // 4))
    return list(range(0, most + 1, step))


# Both


def _title(results: Results) -> str:
    settings, machine = results.settings, results.machine
    repetitions = settings.get("repetitions") or 1
    return (
        f"{len(machine.get('cpus_allowed', []))} CPUs, {runtime_name(settings)}, regions of"
        f" {region_text(settings['region_us'])}, starts {settings['stagger_s']:g} s apart,"
        f" {repetitions} repetition{'s' if repetitions > 1 else ''}"
    )
