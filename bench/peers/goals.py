# SPDX-License-Identifier: MIT
"""The goals of the pool beside its peers, and the verdict on each. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.spreads import Spread

from .outcomes import Outcomes
from .plan import BASELINES, OURS, POOLS

TITLES = {
    1: "submission from outside",
    2: "recursive posting",
    3: "fork and join",
    4: "wake-up latency",
    5: "parallel loops",
    6: "idle",
    7: "memory",
    8: "back pressure",
    9: "change of width under load",
    10: "timers",
    11: "start and stop",
    12: "beside a hog on one CPU",
    14: "1001 tiny terms of pi",
    16: "a task each millisecond beside a thread that never stops",
    17: "tasks from outside beside inner ones of 1 ms",
    18: "tasks of 64 bytes",
    19: "loops of 1 ms and more",
}
ELSEWHERE = (
    "13 (many threads asked for on few CPUs) is measured with examples/jobs, 15 (correctness) is tested."
)
_PEERS = tuple(pool for pool in POOLS if pool != OURS and pool not in BASELINES)
_AFN = ("afn", "afn_free")
_NOT_TBB = tuple(pool for pool in _PEERS if pool != "onetbb")
_CPP = tuple(pool for pool in _PEERS if pool not in ("rayon", "chili", "tokio", "openmp"))
_QUEUES = ("bs", "asio", "taskflow", "eigen")
_SHAPES = ("flat", "rising", "falling", "cheap_start", "cheap_end", "random")


@dataclass(frozen=True)
class Goal:
    """`figure` of ours over what it is compared with is at most `bound`. It is compared with the best of
    `peers` by any of `rivals` (the same figure where empty), or with our own `yardstick` of the same run.
    With neither, `bound` is for the figure itself."""

    number: int
    what: str
    bench: str
    figure: str
    unit: str
    bound: float
    peers: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    yardstick: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Verdict:
    """`ours` and `rival` may be missing; `met` is None where that leaves it open."""

    goal: Goal
    ours: Spread | None
    rival_name: str
    rival: Spread | None
    ratio: float | None
    met: bool | None
    troubles: dict[str, str]


def goals() -> list[Goal]:
    """In the order in which they are told."""
    queue = "resident_bytes_per_task"
    parked = "without those that are not parked: oneTBB's workers after 1 ms, and afn's, which never sleep"
    inline = "Eigen runs in the submitter what its 1024 places do not hold"
    bare = "bare pinned threads in the same processes: raw_over_fair_share, below"
    outlive = "without oneTBB, whose workers outlive its pools; ours has no more lanes than CPUs"
    listed = [
        Goal(1, "1,000,000 tasks, 1 worker", "submit/1", "ns_per_task", "ns", 0.5, _PEERS),
        Goal(1, "1,000,000 tasks, 2 workers", "submit/2", "ns_per_task", "ns", 0.5, _PEERS),
        Goal(2, "524,287 tasks in a tree", "tree/2", "ns_per_task", "ns", 0.4, _PEERS),
        Goal(2, "the same, beside dispenso", "tree/2", "ns_per_task", "ns", 0.4, ("dispenso",)),
        Goal(2, "the same, room for 1024", "full_tree/2", "ns_per_task", "ns", float("inf")),
        Goal(3, "fork, beside Taskflow", "fork_join/2", "ns_per_fork", "ns", 0.5, ("taskflow",)),
        Goal(3, "fork, beside Rayon", "fork_join/2", "ns_per_fork", "ns", 1.5, ("rayon",)),
        Goal(3, "fork, beside C++", "fork_join/2", "ns_per_fork", "ns", 1.0, _CPP),
        Goal(3, "fork, beside chili", "fork_join/2", "ns_per_fork", "ns", 1.1, ("chili",)),
        Goal(3, "stack of fib(35)", "stack/2", "stack_kib", "KiB", 64),
    ]  # fmt: skip
    for gap in ("1ms", "10ms"):
        bench, own, raw = "latency/1", f"wake_{gap}", f"raw_{gap}"
        peers = tuple(pool for pool in (_NOT_TBB if gap == "1ms" else _PEERS) if pool not in _AFN)
        listed += [
            Goal(4, f"p50 after {gap}, raw futex", bench, f"{own}_p50_us", "us", 1.1,
                 yardstick=f"{raw}_p50_us"),
            Goal(4, f"p99 after {gap}", bench, f"{own}_p99_us", "us", 1.1, peers, remark=parked),
            Goal(4, f"call after {gap}, raw FUTEX_WAKE", bench, f"{own}_call_p50_us", "us", 1.15,
                 yardstick=f"{raw}_call_p50_us"),
        ]  # fmt: skip
    trip = "round_trip/1"
    helped = "a waiter may run the task itself: ran_in_caller, below; ping is without futures"
    listed += [
        Goal(4, "future p50, awake", trip, "round_trip_p50_ns", "ns", 0.7, ("dispenso",),
             remark=helped),
        Goal(4, "future p99.9, awake", trip, "round_trip_p99.9_ns", "ns", 0.6, ("dispenso",)),
        Goal(4, "FUTEX_WAKE calls meanwhile", trip, "round_trip_wakes", "", 0),
        Goal(5, "N = 1,000, beside OpenMP", "loops/2", "static_1k_us", "us", 0.5, ("openmp",)),
    ]
    for size, text in (("100k", "100,000"), ("10M", "10,000,000")):
        rivals = (f"static_{size}_us", f"dynamic_{size}_us")
        listed.append(
            Goal(5, f"N = {text}", "loops/2", f"static_{size}_us", "us", 1.05, _PEERS, rivals)
        )
    listed += [
        Goal(6, "context switches in 2 s", "idle/2", "switches", "", 5),
        Goal(6, "CPU time in 2 s", "idle/2", "cpu_ms", "ms", 0.05),
        Goal(7, "allocations per submission", "memory/1", "allocations_per_task", "", 0),
        Goal(7, "resident memory per queued task", "memory/1", queue, "B", 64, remark=inline),
        Goal(7, "allocated per queued task", "memory/1", "allocated_bytes_per_task", "B", 64),
        Goal(8, "CPU of a blocked submitter", "back_pressure/1", "blocked_cpu_percent", "%", 1),
        Goal(8, "bound too high or too low by", "back_pressure/1", "capacity_error", "tasks", 0),
        Goal(9, "call to shrink", "resize/2", "shrink_call_us", "us", 1.0, ("onetbb",)),
        Goal(9, "begun by the other afterwards", "resize/2", "begun_after_shrink", "tasks", 0),
        Goal(9, "until it has grown, raw wake", "resize/2", "grown_us", "us", 1.2,
             yardstick="raw_wake_us"),
        Goal(10, "too early of 1000", "timers/1", "early", "", 0),
        Goal(10, "late p99, raw clock_nanosleep", "timers/1", "late_p99_us", "us", 1.2,
             yardstick="raw_no_slack_late_p99_us", remark="both with a timer slack of 1 ns"),
        Goal(10, "adding one", "timers/1", "add_ns", "ns", 1.5, ("asio",)),
    ]  # fmt: skip
    for workers in (2, 16):
        bench = f"start/{workers}"
        listed += [
            Goal(11, f"first task, {workers} workers", bench, "start_us", "us", 1.3, _NOT_TBB,
                 remark=outlive),
            Goal(11, f"stop, {workers} workers", bench, "stop_us", "us", 1.2, _NOT_TBB,
                 remark=outlive),
        ]  # fmt: skip
    return listed + [
        Goal(12, "over the fair share", "hog/2", "over_fair_share", "", 1.20, remark=bare),
        Goal(12, "masked: over the ideal", "hog/2", "masked_over_ideal", "", 1.05),
        Goal(14, "1 worker, beside dispenso", "terms/1", "run_us", "us", 0.35, ("dispenso",)),
        Goal(14, "2 workers, beside dispenso", "terms/2", "run_us", "us", 0.35, ("dispenso",)),
        Goal(14, "1 worker, beside afn", "terms/1", "run_us", "us", 0.4, _AFN),
        Goal(14, "2 workers, beside afn", "terms/2", "run_us", "us", 0.4, _AFN),
        *_on_a_busy_host(),
    ]


def _on_a_busy_host() -> list[Goal]:
    policies = (("other", "of the usual policy"), ("fifo", "of SCHED_FIFO"))
    return [
        *(
            Goal(16, f"{text}, {part}", "beside/2", f"{policy}_{part}_us", "us", 1.2, _QUEUES)
            for policy, text in policies for part in ("p50", "p99")
        ),
        Goal(17, "100 tasks, beside BS", "outside/2", "hundred_ms", "ms", 2.0, ("bs",)),
        Goal(18, "1 worker", "payload/1", "ns_per_task_64", "ns", 1.1, _PEERS),
        *(
            Goal(19, f"{shape.replace('_', ' ')}, over the ideal", "shapes/2", f"dynamic_{shape}", "", 1.10)
            for shape in _SHAPES
        ),
    ]  # fmt: skip


def verdict_of(goal: Goal, outcomes: Outcomes) -> Verdict:
    """The verdict of the runs on a goal. A goal is missed if peers can do the task and ours cannot."""
    ours = _correct(outcomes, OURS, goal.bench, goal.figure)
    troubles = _troubles(goal, outcomes)
    if goal.yardstick:
        rivals = {(OURS, goal.yardstick): outcomes.spread(OURS, goal.bench, goal.yardstick)}
    elif goal.peers:
        names = [(pool, figure) for pool in goal.peers for figure in goal.rivals or (goal.figure,)]
        rivals = {key: _correct(outcomes, key[0], goal.bench, key[1]) for key in names}
    else:
        met = None if ours is None else ours.median <= goal.bound
        met = False if OURS in troubles else met
        # Nothing to beat, but worth to know.
        names = [(pool, goal.figure) for pool in _PEERS]
        peer, name = _best({key: _correct(outcomes, key[0], goal.bench, key[1]) for key in names})
        return Verdict(goal, ours, name, peer, None, met, troubles)
    return _compared(goal, outcomes, ours, rivals, troubles)


def _compared(
    goal: Goal,
    outcomes: Outcomes,
    ours: Spread | None,
    rivals: dict[tuple[str, str], Spread | None],
    troubles: dict[str, str],
) -> Verdict:
    rival, name = _best(rivals)
    if rival is None:
        return Verdict(goal, ours, "", None, None, None, troubles)
    key = min((key for key in rivals if rivals[key] is not None), key=lambda key: rivals[key].median)
    ratio = None
    if ours is not None:
        ratio = outcomes.ratio((OURS, goal.bench, goal.figure), (key[0], goal.bench, key[1]))
    met = None if ratio is None else ratio <= goal.bound
    return Verdict(
        goal, ours, "raw" if goal.yardstick else name, rival, ratio,
        False if OURS in troubles or outcomes.is_unsupported(OURS, goal.bench) else met, troubles,
    )  # fmt: skip


def _best(spreads: dict[tuple[str, str], Spread | None]) -> tuple[Spread | None, str]:
    """The smallest median and the pool's name, with the schedule of a loop where that is told."""
    there = {key: spread for key, spread in spreads.items() if spread is not None}
    if not there:
        return None, ""
    pool, figure = min(there, key=lambda key: there[key].median)
    schedule = figure.split("_")[0]
    name = f"{pool} {schedule}" if schedule in ("static", "dynamic") else pool
    return there[pool, figure], name


def _correct(outcomes: Outcomes, pool: str, bench: str, figure: str) -> Spread | None:
    if outcomes.trouble(pool, bench) is not None:
        return None
    return outcomes.spread(pool, bench, figure)


def _troubles(goal: Goal, outcomes: Outcomes) -> dict[str, str]:
    found = {pool: outcomes.trouble(pool, goal.bench) for pool in (OURS, *(goal.peers or _PEERS))}
    return {pool: status for pool, status in found.items() if status is not None}
