# SPDX-License-Identifier: MIT
"""The pools that there can be, and the runs of each. Pure."""

from __future__ import annotations

from dataclasses import dataclass

OURS = "threadcount"
POOLS = (
    OURS,
    "onetbb",
    "taskflow",
    "bs",
    "dispenso",
    "eigen",
    "asio",
    "citor",
    "libfork",
    "toomanycooks",
    "afn",
    "afn_free",
    "rayon",
    "chili",
    "tokio",
    "openmp",
    "sequential",
)
BASELINES = ("sequential",)  # measured beside them, but no pool
_LIMIT_S = 30.0


@dataclass(frozen=True)
class Bench:
    """One run of a pool's program; what takes longer than limit_s counts as hung."""

    name: str
    workers: int
    limit_s: float = _LIMIT_S
    counts_allocations: bool = False

    @property
    def key(self) -> str:
        return f"{self.name}/{self.workers}"


def all_benches() -> list[Bench]:
    """In the order in which they are run within a repetition."""
    return [
        Bench("submit", 1),
        Bench("submit", 2),
        Bench("payload", 1),
        Bench("producers", 2),
        Bench("tree", 2),
        Bench("full_tree", 2),
        Bench("fork_join", 2),
        Bench("stack", 2),
        Bench("latency", 1),
        Bench("round_trip", 1),
        Bench("ping", 1),
        Bench("loops", 2),
        Bench("shapes", 2),
        Bench("reduce", 2),
        Bench("idle", 2),
        Bench("memory", 1, counts_allocations=True),
        Bench("back_pressure", 1, counts_allocations=True),
        Bench("resize", 2, limit_s=15.0),
        Bench("timers", 1),
        Bench("start", 1),
        Bench("start", 2),
        Bench("start", 16),
        Bench("start_free", 2),
        Bench("hog", 2),
        Bench("beside", 2),
        Bench("outside", 2),
        Bench("terms", 1),
        Bench("terms", 2),
    ]
