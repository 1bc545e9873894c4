# SPDX-License-Identifier: MIT
"""Lists, workers for each of them, and stages of waiting. Pure."""

from __future__ import annotations

from .cases import Case, Goal, Part, Site

_WORKERS = 30
_REMARK = """\
The article: the thread pool of a key-value server on 12 cores, GET requests per second, 30 workers. Its
figures are of three loads (300, 64 and 32 clients), and only those of one load are compared. There its `2
per list` started 15 workers for 30, and `3 per list` 10, by a loop that counts lists: so here both are run,
as told and as they were. Its workers yielded where that had paid lately (`yields that have paid`, by
RocksDB's rule), in the other cases they do each time. Its `always yields`, with which they hardly ever
slept, stands beside `no sleep`. Its producer yielded once for each task from as many waiting ones on as
there are workers: on two CPUs that lets all of these run first. Here: one producer that never stops, tasks
of some 4 us, those that are done per second. Mutex: a queue with a condition variable. Lists: a lock-free
list for so many workers, which take all of it. They pause 200 times, then yield for 100 us, then sleep.
Ours: threadcount::Pool. It has these settings of the article: how long it looks for work, how many tasks
may wait, what happens then, and to which lane a task goes."""


def lists_part(site: Site) -> Part:
    """`tasks per second` of bench/lists."""
    run_ms = "100" if site.quick else "700"
    many, few = _WORKERS, site.cpus

    def words(pool: str, workers: int, *more: str) -> tuple[str, ...]:
        return ("--pool", pool, "--workers", str(workers), "--run-ms", run_ms, *more)

    def lists(workers: int, each: int, *more: str) -> tuple[str, ...]:
        return words("lists", workers, "--workers-per-list", str(each), *more)

    mutex, own, short = "30 workers, mutex", "30 workers, a list each", "2 workers, one list"
    ours = "ours, 30 workers asked for"
    mutex_few = "mutex, one worker per CPU"
    cases = (
        Case(mutex, words("mutex", many), None, 34_520),
        Case("30 workers, a list each, beside mutex", lists(many, 1), mutex, 70_438),
        Case(own, lists(many, 1), None, 122_249),
        Case("2 per list, as told", lists(many, 2), own),
        Case("2 per list, as it was: 15 workers", lists(many // 2, 1), own, 133_697),
        Case("3 per list, as told", lists(many, 3), own),
        Case("3 per list, as it was: 10 workers", lists(many // 3, 1), own, 86_218),
        Case("one list for all", lists(many, many), own),
        Case("pause, then sleep", lists(many, 1, "--yield-us", "0"), own),
        Case("longer yields", lists(many, 1, "--yield-us", "500"), own, 121_294),
        Case("yields that have paid", lists(many, 1, "--stages", "learned"), own),
        Case("the same, and a slower producer", lists(many, 1, "--stages", "learned", "--slow", str(many)), own),
        Case("pause and yield, no sleep", lists(many, 1, "--stages", "yield"), own, 131_887),
        Case("pause only", lists(many, 1, "--stages", "pause"), own),
        Case(short, lists(2, 2), None, 82_895),
        Case("2 workers, a list each", lists(2, 1), short, 91_702),
        Case(mutex_few, words("mutex", few), mutex),
        Case("a list each, one worker per CPU", lists(few, 1), mutex),
        Case(ours, words("ours", many), mutex),
        Case("ours, one worker per CPU", words("ours", few), mutex_few),
        Case("ours, does not look for work", words("ours", few, "--spin-us", "0"), mutex_few),
        Case("ours, looks for 200 us", words("ours", few, "--spin-us", "200"), mutex_few),
        Case("ours, full: the producer runs it", words("ours", few, "--when-full", "run"), mutex_few),
        Case("ours, 64 may wait", words("ours", few, "--capacity", "64"), mutex_few),
        Case("ours, 16K may wait", words("ours", few, "--capacity", "16K"), mutex_few),
        Case("ours, each task for one CPU", words("ours", few, "--how", "addressed"), mutex_few),
    )
    return Part(
        name="lists",
        title="Lists and stages of waiting: tasks per second",
        program="bench/lists",
        key="tasks_per_s",
        unit="tasks/s",
        cases=cases,
        remark=_REMARK,
        article_unit="requests/s",
        rate=True,
        goals=(
            # The article's own gains, of one load each: of lists, and of its best number of workers.
            Goal("beside its mutex", ours, mutex, "tasks_per_s", 70_438 / 34_520, at_least=True),
            Goal("beside a list each, as its best", ours, own, "tasks_per_s", 133_697 / 122_249, at_least=True),
        ),
        extra=("cores",),
    )
