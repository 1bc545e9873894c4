# SPDX-License-Identifier: MIT
"""The static split: what a careful user would pin by hand before starting the programs."""

from __future__ import annotations


def static_split(programs: int, cpus: list[int]) -> list[tuple[int, ...]]:
    """CPU ids for each program: disjoint neighbouring shares whose sizes differ by at most one, the
    larger ones first; where programs outnumber CPUs, one CPU each, dealt round-robin.

    `cpus` are the real ids, which may be sparse, in the order in which neighbours belong together.
    """
    if programs < 1 or not cpus:
        raise ValueError(f"{programs} programs on {len(cpus)} cpus cannot be split")
    if programs > len(cpus):
        return [(cpus[index % len(cpus)],) for index in range(programs)]
    size, larger = divmod(len(cpus), programs)
    shares, begin = [], 0
    for index in range(programs):
        end = begin + size + (1 if index < larger else 0)
        shares.append(tuple(cpus[begin:end]))
        begin = end
    return shares
