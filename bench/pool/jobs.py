# SPDX-License-Identifier: MIT
"""Busy jobs: how many workers, where they stay, and which are woken. Pure."""

from __future__ import annotations

from .cases import Case, Goal, Part, Site

# Total cost in ms, on 24 CPUs: 12 cores with two hardware threads each.
_ARTICLE = {
    "1": {"calc": 23790, "shm": 16827},
    "2": {"calc": 23210, "shm": 16121},
    "3": {"calc": 27170, "shm": 15351},
    "3'": {"shm": 15133},
    "4": {"calc": 14686, "shm": 13265},
    "5": {"calc": 12206, "shm": 12376},
    "5'": {"calc": 23510, "shm": 15063},
    "6": {"serial": 51269},
    "6'": {"serial": 56753},
}
_NO_SMT = "cores here have one hardware thread: jobs cannot get into each other's way"
_REMARK = """\
The article: 24 CPUs (12 cores, two hardware threads each), 240 or 24 workers, 24 or 12 jobs under way. Here
the same for each CPU: ten workers or one, one job or half of one. Cases 1 to 4 are its threads around a
condition variable, 3 with each on one CPU. In 5 and 6 those of the first half of the CPUs are woken first,
by a word for each thread (the article's own way loses wakes). Ours: threadcount::Pool, asked for the same.
Case 6 was case 5 with -a 1 and -a 2. The gain of pinning for shm there needs CPUs that share caches smaller
than the file (here 64 MiB)."""


def jobs_part(site: Site) -> Part:
    """`total cost` of examples/jobs."""
    many, one, half = 10 * site.cpus, site.cpus, max(1, site.cpus // 2)
    length = 15 if site.quick else 150

    def command(kind: str, workers: int, under_way: int, *words: str) -> tuple[str, ...]:
        per_unit = max(1, length * site.cpus // under_way)
        numbers = ("-t", str(workers), "-o", str(under_way), "-c", str(per_unit))
        return ("-j", kind, *numbers, *words, "--json")

    smt = "" if site.has_smt else _NO_SMT
    cases: list[Case] = []
    for kind in ("calc", "shm"):
        fifo, layered = ("--pool", "fifo"), ("--pool", "layered")
        two, four = f"{kind} 2: one worker per CPU", f"{kind} 4: half as many jobs as CPUs"
        table = (
            ("1", f"{kind} 1: ten workers per CPU", many, one, fifo, two, ""),
            ("2", two, one, one, fifo, None, ""),
            ("3", f"{kind} 3: ten per CPU, pinned", many, one, (*fifo, "-a", "1"), two, ""),
            ("3'", f"{kind} 3': one per CPU, pinned", one, one, (*fifo, "-a", "1"), two, ""),
            ("", f"{kind} ours, ten per CPU asked for", many, one, ("--pool", "ours"), two, ""),
            ("", f"{kind} ours, one per CPU asked for", one, one, ("--pool", "ours"), two, ""),
            ("", f"{kind} rated, ten per CPU, pinned", many, one, (*layered, "-a", "1"), two, ""),
            ("4", four, one, half, fifo, None, ""),
            ("5", f"{kind} 5: rated, cores first", one, half, (*layered, "-a", "1"), four, smt),
            ("5'", f"{kind} 5': rated, siblings first", one, half, (*layered, "-a", "2"), four, smt),
            ("", f"{kind} ours, half as many jobs", one, half, ("--pool", "ours"), four, smt),
        )
        for label, name, workers, under_way, words, against, unfit in table:
            words = command(kind, workers, under_way, *words)
            cases.append(Case(name, words, against, _ARTICLE.get(label, {}).get(kind), unfit))
    six = "serial 6: rated, cores first"
    for name, label, words, against in (
        (six, "6", ("-l", "-a", "1"), None),
        ("serial 6: rated, siblings first", "6'", ("-l", "-a", "2"), six),
        ("serial ours, half as many jobs", "", ("--pool", "ours"), six),
    ):
        figure = _ARTICLE.get(label, {}).get("serial")
        unfit = smt if against else ""
        cases.append(Case(name, command("serial", one, half, *words), against, figure, unfit))
    return Part(
        name="jobs",
        title="Busy jobs: total cost",
        program="examples/jobs",
        key="cost_ms",
        unit="ms",
        cases=tuple(cases),
        remark=_REMARK,
        article_unit="ms",
        goals=_goals(),
        extra=("cores",),
    )


def _goals() -> tuple[Goal, ...]:
    goals = []
    for kind in ("calc", "shm"):
        ours, two = f"{kind} ours, ten per CPU asked for", f"{kind} 2: one worker per CPU"
        goals.append(Goal(f"{kind}: cost", ours, two, "cost_ms", 1.02))
        goals.append(Goal(f"{kind}: cores used", ours, two, "cores", 0.97, at_least=True))
    return tuple(goals)
