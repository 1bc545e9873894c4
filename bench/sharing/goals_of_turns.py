# SPDX-License-Identifier: MIT
"""The goals of batch programs that take turns beside programs that share, and which runs say so."""

from __future__ import annotations

from .goal import RUNTIMES, Block, Goal

_SHARING = ("default", "passive", "static", "dynamic")
_TWO, _FOUR, _EIGHT = ("uniform-md-2",), ("uniform-md-4", "mix-1"), ("uniform-md-8",)
_ALL = (*_TWO, *_FOUR, *_EIGHT)
_LONGER = ("-1000us", "-20000us", "-200000us")
# Runs are longer than 3 s, and the programs alone shorter than a first turn, 8 s.
_LENGTH_S = 4.0
_LONGER_LENGTH_S = 6.0
# Programs that share need as much as one after the other; a method that needs twice that is not the best there is.
_RUN_LIMIT_S = 10.0


def blocks() -> list[Block]:
    """Those that say most first."""
    return [
        *_equal(1000), *_unequal(), *_interactive(), *_equal(20_000), *_equal(50), *_equal(200_000),
    ]  # fmt: skip


def goals() -> list[Goal]:
    """In the order in which they are told."""
    listed = []
    for label, ends, bounds in (
        ("1 ms and more", _LONGER, (0.78, 0.67, 0.60)),
        ("50 us", ("-50us",), (0.87, 0.75, 0.70)),
    ):
        for programs, scenarios, bound in zip((2, 4, 8), (_TWO, _FOUR, _EIGHT), bounds):
            name = f"turns of {programs} programs, {label}"
            listed.append(_beside_sharing(name, ends, scenarios, "aggregate", bound))
    return [
        *listed,
        _beside_sharing("the last one no later, 1 ms and more", _LONGER, _ALL, "makespan", 1.05),
        _beside_sharing("the last one no later, 50 us", ("-50us",), _ALL, "makespan", 1.20),
        Goal(
            "the order of starts, with progress", _names(_unequal()), ("longest-md-4",), "told-turns",
            ("told-turns",), "aggregate", 1.05, beside="shortest-md-4",
        ),
        Goal(
            "an interactive program beside turns", _names(_interactive()), ("interactive-md-5",),
            "turns", ("fair",), "first", 1.10,
        ),
    ]  # fmt: skip


def _equal(region_us: int) -> list[Block]:
    """`in-turn` is no baseline: it shows what there is to gain, once for each runtime."""
    methods = ("turns", *_SHARING, *(("in-turn",) if region_us == 1000 else ()))
    return [
        Block(
            f"turns-{runtime}-{region_us}us", runtime, region_us, _ALL, methods,
            length_s=_LENGTH_S, run_limit_s=_RUN_LIMIT_S,
        )
        for runtime in RUNTIMES
    ]  # fmt: skip


def _unequal() -> list[Block]:
    return [
        Block(
            f"turns-{runtime}-told", runtime, 1000, ("longest-md-4", "shortest-md-4"), ("told-turns",),
            length_s=_LONGER_LENGTH_S, run_limit_s=_RUN_LIMIT_S,
        )
        for runtime in RUNTIMES
    ]  # fmt: skip


def _interactive() -> list[Block]:
    return [
        Block(
            f"turns-{runtime}-interactive", runtime, 1000, ("interactive-md-5",), ("turns", "fair"),
            length_s=_LONGER_LENGTH_S, run_limit_s=_RUN_LIMIT_S,
        )
        for runtime in RUNTIMES
    ]  # fmt: skip


def _beside_sharing(
    name: str, ends: tuple[str, ...], scenarios: tuple[str, ...], measure: str, bound: float
) -> Goal:
    """In the blocks of equal programs whose names end like this."""
    of_blocks = tuple(f"turns-{runtime}{end}" for end in ends for runtime in RUNTIMES)
    return Goal(name, of_blocks, scenarios, "turns", _SHARING, measure, bound)


def _names(of: list[Block]) -> tuple[str, ...]:
    return tuple(block.name for block in of)
