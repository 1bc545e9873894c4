# SPDX-License-Identifier: MIT
"""All workers on one CPU, one on each, or where the kernel puts them. Pure."""

from __future__ import annotations

from .cases import Case, Goal, Part, Site

_REMARK = """\
The article: a pool whose workers had come together on one of eight cores, in a service. The service
answered in 15 ms on average, and in 3 ms when each worker stayed on a core of its own. It has no figure for
`all on one`; what it calls the least is as many times the time as there are CPUs. Here a request needs one
piece of work for each CPU, 1 ms passes between requests, and a piece takes some 0.35 ms (short) or ten
times that."""


def spread_part(site: Site) -> Part:
    """Mean time to an answer of bench/spread."""
    cases = []
    for size, steps, requests in (("short", 300_000, 500), ("long", 3_000_000, 100)):
        load = ("--steps", str(steps), "--requests", str(max(10, requests // 10) if site.quick else requests))
        spread = f"{size}: threads, one on each CPU"
        article = {"free": 15.0, "spread": 3.0} if size == "long" else {}
        for name, pool, place in (
            (spread, "threads", "spread"),
            (f"{size}: threads, as the kernel likes", "threads", "free"),
            (f"{size}: threads, all on one CPU", "threads", "one"),
            (f"{size}: ours", "ours", "spread"),
            (f"{size}: ours, masked to one CPU", "ours", "one"),
        ):
            against = None if name == spread else spread
            figure = article.get(place) if pool == "threads" else None
            cases.append(Case(name, ("--pool", pool, "--place", place, *load), against, figure))
    return Part(
        name="spread",
        title="On one CPU and on all: mean time to an answer",
        program="bench/spread",
        key="mean_ms",
        unit="ms",
        cases=tuple(cases),
        remark=_REMARK,
        article_unit="ms",
        goals=(
            Goal("beside pinned threads", "long: ours", "long: threads, one on each CPU", "mean_ms", 1.02),
            Goal("beside all on one", "long: ours", "long: threads, all on one CPU", "mean_ms", 1.1 / site.cpus),
        ),
        extra=("median_ms", "p99_ms"),
    )
