# SPDX-License-Identifier: MIT
"""The result of one scenario for somebody who sees it for the first time: plain words, one verdict. Pure."""

from __future__ import annotations

from lab.ranges import Range, ratio
from lab.summary import Row

_IN_WORDS = {
    "default": "as they are (plain OpenMP)",
    "passive": "waiting threads sleep (OMP_WAIT_POLICY=passive)",
    "static": "pinned to CPUs by hand",
    "fair": "governed, fair shares",
    "turns": "governed, batch programs in turn",
}
# Less is no difference on a machine that does other things, too.
_SAME = 0.05


def in_short(rows: list[Row], remarks: list[str]) -> str:
    """A line for each method, what is to be known of the runs, and the verdict; of the first scenario."""
    if not rows:
        return "No run was finished.\n"
    rows = [row for row in rows if row.scenario == rows[0].scenario]
    programs = len(rows[0].program_elapsed)
    lines = [(f"{programs} programs together", "all done after", "each took")]
    lines += [(_name(row), _seconds(row.makespan), _seconds(_each(row))) for row in rows]
    table = "\n".join(f"{name:<47}  {done:>14}  {took:>9}" for name, done, took in lines)
    return "\n\n".join([table, *remarks, verdict(rows)]) + "\n"


def verdict(rows: list[Row]) -> str:
    """One sentence on what the governor has gained or lost."""
    of = {row.method: row for row in rows}
    if "default" not in of or "fair" not in of:
        return "Verdict: none, since plain OpenMP or policy fair was not measured."
    parts = [_compared(of["fair"], of["default"], "plain OpenMP")]
    if "passive" in of:
        parts.append(_against("threads that sleep", ratio(of["fair"].makespan, of["passive"].makespan)))
    if "turns" in of:
        turns = ratio(_each(of["turns"]), _each(of["fair"]))
        parts.append(f"in turn a program took {turns.text(2)} of its time beside the others")
    return f"Verdict: {'; '.join(parts)}."


def _compared(row: Row, base: Row, beside: str) -> str:
    times = f"{_seconds(row.makespan)} governed, {_seconds(base.makespan)} {beside}"
    change = ratio(row.makespan, base.makespan)
    if change.high < 1 - _SAME:
        factor = Range(1 / change.high, 1 / change.low if change.low > 0 else float("inf"))
        least = "at least " if not factor.exact else ""
        return f"with the governor all were done {least}{factor.low:.1f} times as fast ({times})"
    if change.low > 1 + _SAME:
        return f"with the governor all were done later ({times})"
    return f"the governor gained nothing ({times})"


def _against(other: str, change: Range) -> str:
    if change.high < 1 - _SAME:
        return f"it took {change.text(2)} of the time of {other}"
    if change.low > 1 + _SAME:
        return f"{other} were faster: it took {change.text(2)} of their time"
    return f"{other} do as well here ({change.text(2)})"


def _each(row: Row) -> Range:
    count = len(row.program_elapsed)
    return Range(row.aggregate.low / count, row.aggregate.high / count)


def _name(row: Row) -> str:
    return _IN_WORDS.get(row.method, row.method)


def _seconds(value: Range) -> str:
    return f"{value.text(1)} s"
