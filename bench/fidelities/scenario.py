# SPDX-License-Identifier: MIT
"""The scenario file of one method of a cell."""

from __future__ import annotations

from .cells import IDEAL, Cell

_CPUS = 2
_END_S = 600
_UNGOVERNED = (IDEAL, "plain", "passive", "static")


def scenario_text(cell: Cell, method: str) -> str:
    """In the way of bench/scenario: starts `stagger_s` apart, programs that are equally long."""
    lines = head(cell.runtime, method)
    for index in range(cell.count):
        lines += [f"[program p{index}]", *_program(cell, method, index), ""]
    return "\n".join(lines)


def head(runtime: str, method: str) -> list[str]:
    """Machine and settings. Each program is started in a session of its own."""
    runtime = "free" if method == IDEAL else runtime
    lines = ["[scenario]", f"end = {_END_S}s", "", "[machine]", f"cpus = {_CPUS}", f"runtime = {runtime}"]
    lines += ["autogroup = yes", ""]
    return lines + (["[settings]", "turns = yes", ""] if method == "turns" else [])


def lines_of_method(method: str, index: int | None, count: int) -> list[str]:
    """For the program with this number; None: it is pinned already."""
    lines = ["behaviour = ungoverned"] if method in _UNGOVERNED else []
    if method == "passive":
        lines.append("spins = no")
    if method == "static" and count > 1 and index is not None:
        lines.append(f"cpus = {index % _CPUS}")
    if method == "turns":
        lines += ["class = batch", "waits = yes"]
    return lines


def _program(cell: Cell, method: str, index: int) -> list[str]:
    """Linear speedup; a habit is the first program's alone. A hog is plain OpenMP beside all methods."""
    habit = cell.habit if index == 0 else "uniform"
    alone_us = cell.region_us / _CPUS
    rest_us = {"sleeper": 3 * cell.region_us, "serial": alone_us}.get(habit, 0)
    regions = max(1, round(cell.length_s / cell.count * 1e6 / (alone_us + rest_us)))
    start_ms = index * cell.stagger_s * 1000
    lines = [f"region = {cell.region_us}us", f"regions = {regions}", f"start = {start_ms:g}ms"]
    if habit == "sleeper":
        lines.append(f"sleep = {rest_us}us")
    if habit == "serial":
        lines.append(f"serial = {rest_us:g}us")
    return lines + lines_of_method("plain" if habit == "hog" else method, index, cell.count)
