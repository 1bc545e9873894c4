# SPDX-License-Identifier: MIT
"""Pi by tasks of some nanoseconds: what handing out costs. Pure."""

from __future__ import annotations

from .cases import Case, Goal, Part, Site

_VARIANTS = ("mutex", "sequential", "future", "counter", "affine", "parallel_for", "fork_join")
# Figures of four CPUs, in us.
_ARTICLE = {("mutex", 100_001): 138_000.0}
_MOST = 1.0  # by how much its rings were ahead is in its pictures only
_RUNS = {101: 300, 1001: 200, 10_001: 40, 100_001: 7}
_REMARK = """\
The article: its first pool (a queue, a mutex, a condition variable, a future of that kind for each term)
against lock-free rings with pinned threads. Most of its figures are in pictures: 1,001 terms, where the
rings won by far and pinning made no difference. In words: 100,001 terms took 160 to 200 ms on four CPUs,
and now and then 100 s, until the queue was a list with two ends; then 138 ms. Mutex: a pool like that one.
Future, counter, affine: threadcount::Pool by async(), submit() and submit_to(). The variant affine has the
article's private queues, and the shared one when they are full. For such a sum, one would use parallel_for
or fork_join. The article's own rings and pinned workers are a peer of bench/peers (--afn). The median of
many sums in one process counts as one figure. `error` is the distance from pi."""


def terms_part(site: Site) -> Part:
    """Time for one sum of examples/pi."""
    cases = []
    counts = (101, 1001, 10_001) if site.quick else tuple(_RUNS)
    for terms in counts:
        base = f"{terms} terms, mutex"
        runs = max(5, _RUNS[terms] // 20) if site.quick else _RUNS[terms]
        for variant in _VARIANTS:
            words = ("--variant", variant, "--terms", str(terms), "--runs", str(runs), "--json")
            against = None if variant == "mutex" else base
            name = f"{terms} terms, {variant}"
            cases.append(Case(name, words, against, _ARTICLE.get((variant, terms))))
    return Part(
        name="terms",
        title="Pi in small pieces: time for one sum",
        program="examples/pi",
        key="median_us",
        unit="us",
        cases=tuple(cases),
        remark=_REMARK,
        article_unit="us",
        goals=tuple(
            Goal(f"{terms} terms", f"{terms} terms, future", f"{terms} terms, mutex", "median_us", _MOST)
            for terms in counts
        ),
        extra=("p90_us", "error"),
    )
