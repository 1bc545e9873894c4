# SPDX-License-Identifier: MIT
"""The goals of policy `fair` beside pinned, passive and plain programs, and which runs say so."""

from __future__ import annotations

import itertools

from lab.cells import LOADS

from .goal import RUNTIMES, Block, Goal

COUNTS = (2, 4, 8)
_SHARED = ("uniform-md-4", "mix-1")
_UNMANAGED = ("uniform-prime-2", "uniform-md-4", "mix-1")
_NEIGHBOURS = tuple(
    f"{habit}-{load}-2" for habit in ("sleeper", "serial", "stopped") for load in ("md", "prime")
)


def all_scenarios() -> tuple[str, ...]:
    """Every load 2, 4 and 8 times, and the mix of four and of eight."""
    uniform = tuple(f"uniform-{load}-{count}" for load in LOADS for count in COUNTS)
    return (*uniform, "mix-1", "mix-2")


def blocks() -> list[Block]:
    """Those that say most first."""
    listed = []
    for region_us, runtime in itertools.product((50, 1000, 20_000, 200_000), RUNTIMES):
        listed.append(
            Block(
                f"static-{runtime}-{region_us}us", runtime, region_us, all_scenarios(),
                ("static", "fair"),
            )  # fmt: skip
        )
        listed.append(
            Block(f"passive-{runtime}-{region_us}us", runtime, region_us, _SHARED, ("passive", "fair"))
        )
    for region_us, runtime in itertools.product((50, 1000, 20_000), RUNTIMES):
        limit_s = {50: 30.0, 1000: 20.0}.get(region_us, 60.0)
        listed.append(
            Block(
                f"default-{runtime}-{region_us}us", runtime, region_us, _UNMANAGED,
                ("default", "fair"), length_s=1.0 if region_us == 50 else 2.0, run_limit_s=limit_s,
            )  # fmt: skip
        )
        alone = tuple(f"uniform-{load}-1" for load in LOADS)
        listed.append(
            Block(
                f"alone-{runtime}-{region_us}us", runtime, region_us, alone,
                ("default", "passive", "fair"), length_s=3.0,
            )  # fmt: skip
        )
    for runtime in RUNTIMES:
        methods = ("default", "passive", "fair")
        listed.append(Block(f"neighbours-{runtime}", runtime, 20_000, _NEIGHBOURS, methods))
        # The policy watches a program for two seconds before it says that it uses little.
        listed.append(
            Block(f"long-neighbours-{runtime}", runtime, 20_000, _NEIGHBOURS, methods, length_s=16.0)
        )
    listed.append(
        Block("stream-gcc", "gcc", 20_000, ("stream-md-2", "stream-prime-2"), ("static", "fair"))
    )
    listed.append(
        Block("orphaned-gcc", "gcc", 1000, ("uniform-md-8",), ("fair", "orphaned"), length_s=300.0,
              run_limit_s=900.0)
    )
    listed.append(
        Block("article-gcc", "gcc", 1000, ("mix-1",), ("threshold-10", "fair"), 1.4, length_s=12.0)
    )
    return listed


def goals() -> list[Goal]:
    """In the order in which they are told."""
    every = all_scenarios()
    listed = [
        Goal(
            "as good as a static split", _of("static-"), every, "fair", ("static",), "makespan", 1.05
        )
    ]
    for region_us, bound in ((50, 20.0), (1000, 4.0), (20_000, 1.12)):
        listed.append(
            Goal(
                f"better than plain libgomp, {region_us} us", (f"default-gcc-{region_us}us",),
                _UNMANAGED, "fair", ("default",), "makespan", bound, times_better=True,
            )  # fmt: skip
        )
    listed += [
        Goal(
            "better than plain libomp, 50 us", ("default-clang-50us",), ("mix-1",), "fair", ("default",),
            "makespan", 0.80,
        ),
        Goal(
            "never worse than plain libomp", _of("default-clang"), _UNMANAGED, "fair", ("default",),
            "makespan", 1.02,
        ),
        Goal(
            "better than passive waiting, 50 us", _of("passive-", "-50us"), _SHARED, "fair", ("passive",),
            "aggregate", 0.92,
        ),
        Goal(
            "as good as passive waiting, 1 ms and more", _of("passive-", "-1000us", "-20000us", "-200000us"),
            _SHARED, "fair", ("passive",), "aggregate", 1.03,
        ),
        Goal(
            "better than passive waiting alone, 50 us", _of("alone-", "-50us"),
            tuple(f"uniform-{load}-1" for load in LOADS), "fair", ("passive",), "makespan", 2.0,
            times_better=True,
        ),
        Goal(
            "one program alone", _of("alone-"), tuple(f"uniform-{load}-1" for load in LOADS), "fair",
            ("default",), "makespan", 1.01,
        ),
        Goal(
            "better than the article's rule", ("article-gcc",), ("mix-1",), "fair", ("threshold-10",),
            "aggregate", 0.85,
        ),
        Goal(
            "beside short programs", ("stream-gcc",), ("stream-md-2", "stream-prime-2"), "fair",
            ("static",), "makespan", 1.05,
        ),
        Goal(
            "the governor is dead", ("orphaned-gcc",), ("uniform-md-8",), "orphaned", ("fair",),
            "makespan", 1.20,
        ),
        Goal(
            "neighbours that use little", _of("neighbours-"), _NEIGHBOURS, "fair", ("default",),
            "aggregate", 1.05,
        ),
        Goal(
            "the same, programs four times as long", _of("long-neighbours-"), _NEIGHBOURS, "fair",
            ("default",), "aggregate", 1.05,
        ),
    ]  # fmt: skip
    return listed


def _of(prefix: str, *ends: str) -> tuple[str, ...]:
    """Names of the blocks that begin and end like this."""
    names = (block.name for block in blocks())
    return tuple(name for name in names if name.startswith(prefix) and name.endswith(ends or ("",)))
