# SPDX-License-Identifier: MIT
"""A server that answers GET requests by a pool. Pure."""

from __future__ import annotations

from .cases import Case, Goal, Part, Site

# GET requests per second: a mutex, and lists with a worker each; the load with 300 clients.
_MUTEX, _LISTS = 34_520, 70_438
_REMARK = """\
The article: GET requests per second of a key-value server on 12 cores, by redis-benchmark, 30 workers.
Here: a small server with 1,000 values of 512 bytes in memory, asked by redis-benchmark over loopback on the
same CPUs. One thread reads, and the pool looks up and answers. Mutex: a queue with a condition variable.
Lists: a lock-free list for each worker, which yields where that has paid. The reader yields from as many
waiting tasks on as there are workers: the article's own. Ours: threadcount::Pool."""


def gets_part(site: Site) -> Part:
    """`requests per second` of bench/gets."""
    requests = "20000" if site.quick else "100000"

    def words(pool: str, workers: int) -> tuple[str, ...]:
        return ("--pool", pool, "--workers", str(workers), "--requests", requests)

    mutex, lists, ours = "30 workers, mutex", "30 workers, a list each", "ours, 30 workers asked for"
    cases = (
        Case(mutex, words("mutex", 30), None, _MUTEX),
        Case(lists, words("lists", 30), mutex, _LISTS),
        Case("mutex, one worker per CPU", words("mutex", site.cpus), mutex),
        Case("a list each, one worker per CPU", words("lists", site.cpus), mutex),
        Case(ours, words("ours", 30), mutex),
        Case("ours, one worker per CPU", words("ours", site.cpus), mutex),
    )
    return Part(
        name="gets",
        title="GET requests per second",
        program="bench/gets",
        key="gets_per_s",
        unit="requests/s",
        cases=cases,
        remark=_REMARK,
        article_unit="requests/s",
        rate=True,
        goals=(
            Goal("beside its mutex", ours, mutex, "gets_per_s", _LISTS / _MUTEX, at_least=True),
            Goal("beside its lists", ours, lists, "gets_per_s", 1.0, at_least=True),
        ),
        extra=("p50_ms", "p99_ms", "cores"),
    )
