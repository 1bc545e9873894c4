# SPDX-License-Identifier: MIT
"""The measurements of leases, beside the goals. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Iterable

from lab.columns import columns
from lab.machine import machine_text

from .latency import latency_of

GOAL_HELLO = 3.0  # round trips
GOAL_EVENT_US = 1000.0
GOAL_CPU_PERCENT = 0.2
GOAL_RSS_MIB = 12.0
_EVENTS = {
    "leave": "one says bye",
    "join": "one says hello",
    "kill": "one is killed",
    "all": "one with a quarter of 2048 CPUs or more says bye",
}
_EXPLANATION = """\
Ratio: ours / goal, so up to 1 is reached. hello: medians in microseconds, the goal is 3 round trips of
the echo server, taken in turns with the hellos. events: from the moment at which the message or signal
was sent to the last word that changed within 10 ms; p99 of all events of a kind, the median in brackets.
cost: of one core. missed: whole periods without a sample."""


@dataclass(frozen=True)
class Row:
    """`ours` and `goal` in the same unit; a goal of 0 is none at all, and then ours must be 0."""

    what: str
    ours: float
    goal: float
    unit: str
    remark: str = ""

    @property
    def reached(self) -> bool:
        return self.ours <= self.goal

    @property
    def ratio(self) -> float | None:
        return round(self.ours / self.goal, 3) if self.goal > 0 else None


def hello_rows(found: dict[str, list[int]]) -> list[Row]:
    """The rows of a Greetings' JSON."""
    echo = latency_of(found["echo_ns"])
    rows = []
    for key, what in (("welcome_ns", "hello -> welcome"), ("mapped_ns", "hello -> grant read")):
        ours = latency_of(found[key])
        remark = (
            f"{ours.median / echo.median:.2f} round trips of {echo.median:.1f} us;"
            f" p90 {ours.p90:.0f} us of {echo.p90:.0f} us"
        )
        rows.append(Row(what, round(ours.median, 1), round(GOAL_HELLO * echo.median, 1), "us", remark))
    return rows


def event_rows(events: list[dict[str, Any]], programs: int, cpus: int) -> list[Row]:
    """One for each kind of event that there is."""
    rows = []
    for kind, what in _EVENTS.items():
        mine = [event for event in events if event["kind"] == kind]
        if not mine:
            continue
        last = latency_of(event["last_ns"] for event in mine)
        words = sorted(event["words"] for event in mine)
        remark = (
            f"({last.median:.0f}); {len(mine)} events, {words[len(words) // 2]} words each,"
            f" max {last.max:.0f} us; {programs} programs, {cpus} CPUs"
        )
        rows.append(Row(f"event: {what}", round(last.p99, 1), GOAL_EVENT_US, "us", remark))
    return rows


def cost_rows(costs: Iterable[dict[str, Any]]) -> list[Row]:
    """Two for each arrangement: CPU time, and memory."""
    rows = []
    for cost in costs:
        remark = f"{cost['decisions_per_s']:.1f} decisions/s, {cost['seconds']:.0f} s"
        percent = round(cost["cpu_percent"], 3)
        rows.append(Row(f"CPU: {cost['what']}", percent, GOAL_CPU_PERCENT, "%", remark))
        rows.append(Row("  highest RSS", round(cost["highest_rss_kib"] / 1024, 1), GOAL_RSS_MIB, "MiB"))
    return rows


def load_rows(load: dict[str, Any]) -> list[Row]:
    """The rows of losses, of missed samples, and of growth."""
    hello = load["hello_us"]
    remark = (
        f"of {load['due']}, {load['held']} connections held; hello median {hello['median']:.0f} us,"
        f" p99 {hello['p99']:.0f} us from due; {load['cpu_percent']:.1f} % of a core"
    )
    samples = load["samples"]
    grown = load["rss_kib"]["end"] - load["rss_kib"]["begin"]
    looks = ", ".join(f"{kib / 1024:.1f}" for kib in load["rss_kib"]["looks"])
    return [
        Row("load: leases not served", load["due"] - load["done"], 0, "", remark),
        Row("  connections lost", load["connections"] - load["held"], 0, ""),
        Row("  samples missed", samples["missed"], 0, "", f"of {samples['expected']}"),
        Row("  RSS grown", max(0, grown), 0, "KiB", f"{looks} MiB"),
    ]


def rows_as_json(rows: list[Row]) -> list[dict[str, Any]]:
    return [{**asdict(row), "ratio": row.ratio, "reached": row.reached} for row in rows]


def leases_text(document: dict[str, Any]) -> str:
    """The report for a terminal."""
    machine = document["machine"]
    table = [["", "ours", "goal", "ratio", ""]]
    for row in document["rows"]:
        table.append(
            [
                row["what"],
                f"{row['ours']:g} {row['unit']}".strip(),
                f"{row['goal']:g} {row['unit']}".strip(),
                "-" if row["ratio"] is None else f"{row['ratio']:.2f}",
                "reached" if row["reached"] else "MISSED",
            ]
        )
    lines = columns(table)
    remarks = [row["remark"] for row in document["rows"]]
    width = max(len(line) for line in lines)
    lines[1:] = [f"{line.ljust(width)}  {text}".rstrip() for line, text in zip(lines[1:], remarks)]
    blocks = [
        machine_text(machine),
        "\n".join("  " + line for line in lines),
        _EXPLANATION,
    ]
    return "\n\n".join(blocks) + "\n"
