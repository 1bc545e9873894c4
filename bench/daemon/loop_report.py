# SPDX-License-Identifier: MIT
"""The tables of bench/loop, and which goals each case meets. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any, Callable

from lab.columns import markdown
from lab.spreads import spread_of

from .loop_cases import Case, ideal_ends
from .loop_figures import Figures

_OVERLAP_PART = 0.01


@dataclass(frozen=True)
class Played:
    """One run: its figures, and the governor's CPU time in per cent of a core. Then how late programs woke
    up on average, and the longest time between two ticks of the made-up kernel, ms."""

    figures: Figures
    governor_percent: float
    late_ms: float
    longest_tick_ms: float


@dataclass(frozen=True)
class _Goal:
    text: str
    is_met: Callable[[dict[str, Any]], bool]


_GOALS = {
    "simulator": _Goal(
        "sum of times 0.97 to 1.03 of the simulator's, makespan 0.95 to 1.05",
        lambda row: 0.97 <= row["sum_over_simulator"] <= 1.03
        and 0.95 <= row["makespan_over_simulator"] <= 1.05,
    ),
    "split": _Goal(
        "sum of times at most 1.10 of an equal split's",
        lambda row: row["sum_over_split"] <= 1.1,
    ),
    "first team": _Goal(
        "each program has its first team 100 ms after its start, unless it waits for its turn",
        lambda row: row["first_team_ms"] <= 100,
    ),
    "handover": _Goal(
        "CPUs of the first program that ends are handed over at most 100 ms later than in the simulator",
        lambda row: _is_soon(row["handed_over_s"], row["simulator_handed_over_s"]),
    ),
    "overlap": _Goal(
        "CPUs in two teams: at most 1 % of the machine's time more than in the simulator",
        lambda row: row["overlap_percent"] - row["simulator_overlap_percent"] <= 100 * _OVERLAP_PART,
    ),
    "cost": _Goal(
        "governord takes at most 2 % of a core",
        lambda row: row["governor_percent"] <= 2,
    ),
}

_EXPLANATION = """\
Medians over the repetitions; sum of times: also [smallest-largest].

- Split: CPUs divided equally at any moment, into any parts. Sim: `simulate` with the same scenario, in
  four phases of its samples.
- First team: the longest time from a start to the first team, without batch programs that wait for their
  turn.
- Settled: from the last start until each team stays within one CPU of its size at the next event, such as
  the first end.
- Handed over: from the first end of a program until other programs have all its CPUs; `-`: never, since
  they end as well.
- Overlap: CPU time that two teams had at once, in per cent of the machine's until all are done.
- Late: how much later than planned a program wakes up on this machine, on average. It does not count as
  time of the program."""


def row_of(case: Case, runs: list[Played], simulated: list[Figures]) -> dict[str, Any]:
    """Medians, in plain data."""
    figures = [run.figures for run in runs]
    ends = [end for end in ideal_ends(case) if end is not None]
    survivors = [one for one in case.programs if one.killed_s is None]
    split_sum_s = sum(ends) - sum(one.start_s for one in survivors)
    sums = [one.sum_s for one in figures]
    sum_s, makespan_s = median(sums), median(one.makespan_s for one in figures)
    simulated_sums = [one.sum_s for one in simulated]
    simulated_makespan_s = median(one.makespan_s for one in simulated)
    row: dict[str, Any] = {
        "case": case.name,
        "sum_s": _rounded(sum_s),
        "sums_s": spread_of(sums).text(),
        "simulator_sums_s": spread_of(simulated_sums).text(),
        "sum_over_simulator": _rounded(sum_s / median(simulated_sums)),
        "sum_over_split": _rounded(sum_s / split_sum_s),
        "makespan_s": _rounded(makespan_s),
        "makespan_over_simulator": _rounded(makespan_s / simulated_makespan_s),
        "makespan_over_split": _rounded(makespan_s / max(ends)),
        "first_team_ms": _rounded(1000 * median(one.first_team_s for one in figures)),
        "settled_s": _rounded(median(one.settled_s for one in figures)),
        "simulator_settled_s": _rounded(median(one.settled_s for one in simulated)),
        "handed_over_s": _middle([one.handed_over_s for one in figures]),
        "simulator_handed_over_s": _middle([one.handed_over_s for one in simulated]),
        "overlap_percent": _rounded(median(_overlap_percent(case, one) for one in figures)),
        "simulator_overlap_percent": _rounded(median(_overlap_percent(case, one) for one in simulated)),
        "governor_percent": _rounded(median(run.governor_percent for run in runs)),
        "late_ms": _rounded(median(run.late_ms for run in runs)),
        "longest_tick_ms": _rounded(max(run.longest_tick_ms for run in runs)),
    }
    return {**row, "missed": [name for name, goal in _GOALS.items() if not goal.is_met(row)]}


def loop_text(rows: list[dict[str, Any]]) -> str:
    """Two tables and the goals, as Markdown."""
    times = [
        ["case", "sum of times, s", "sim", "/ sim", "/ split", "makespan, s", "/ sim", "/ split", "missed"]
    ]  # fmt: skip
    events = [
        ["case", "first team, ms", "settled, s", "sim", "handed over, s", "sim", "overlap, %", "sim",
         "governord, %", "late, ms"]
    ]  # fmt: skip
    for row in rows:
        name = row["case"]
        times.append(
            [name, row["sums_s"], row["simulator_sums_s"],
             *_texts(row, "sum_over_simulator", "sum_over_split", "makespan_s"),
             *_texts(row, "makespan_over_simulator", "makespan_over_split"),
             ", ".join(row["missed"]) or "none"]
        )  # fmt: skip
        events.append(
            [name, *_texts(row, "first_team_ms", "settled_s", "simulator_settled_s", "handed_over_s"),
             *_texts(row, "simulator_handed_over_s", "overlap_percent", "simulator_overlap_percent"),
             *_texts(row, "governor_percent", "late_ms")]
        )  # fmt: skip
    verdicts = [["goal", "met in", "missed in"]]
    for name, goal in _GOALS.items():
        missed = [row["case"] for row in rows if name in row["missed"]]
        met = f"{len(rows) - len(missed)} of {len(rows)}"
        verdicts.append([f"{name}: {goal.text}", met, ", ".join(missed) or "-"])
    return "\n\n".join([_EXPLANATION, *map(markdown, (times, events, verdicts))]) + "\n"


def _is_soon(ours_s: float | None, simulated_s: float | None) -> bool:
    return ours_s is None or simulated_s is None or ours_s <= simulated_s + 0.1


def _overlap_percent(case: Case, figures: Figures) -> float:
    return 100 * figures.overlap_cpu_s / (case.cpus * figures.makespan_s)


def _middle(values: list[float | None]) -> float | None:
    """The median, where None counts as never."""
    found = sorted(values, key=lambda value: float("inf") if value is None else value)
    middle = found[len(found) // 2]
    return None if middle is None else _rounded(middle)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _texts(row: dict[str, Any], *names: str) -> list[str]:
    return ["-" if row[name] is None else f"{row[name]:g}" for name in names]
