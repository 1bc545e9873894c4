# SPDX-License-Identifier: MIT
"""The least sum of times that a closed batch can have on CPUs that no two programs share, where every
length and every speedup is known.

Linear jobs: the shortest first, on all CPUs. k^p: heSRPT in closed form [B. Berg, R. Vesilo, M.
Harchol-Balter, "heSRPT: Parallel scheduling to minimize mean slowdown", 2020]. Other concave laws: a
linear program over the phases between two ends, with the law in pieces. Jobs of one law end in the order
of their lengths. Jobs of several laws end in the best order that exchanges of neighbours lead to. heSRPT
takes k^p for the speed on less than one CPU, too: with more jobs than CPUs nobody can reach its sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_JOBS = 40  # of a linear program: it has about 10 jobs^2 unknowns


class NoSolver(Exception):
    """There is nothing to solve a linear program with."""


@dataclass(frozen=True)
class Job:
    work_s: float
    law: str
    parameter: float

    def speedup(self, cpus: float) -> float:
        """Concave; below one CPU in proportion."""
        if cpus <= 1 or self.law == "linear":
            return cpus
        if self.law == "amdahl":
            return 1 / (1 - self.parameter + self.parameter / cpus)
        if self.law == "flat":
            return min(cpus, self.parameter)
        return cpus**self.parameter


def jobs_of(record: dict[str, Any]) -> list[Job]:
    """The jobs of what `simulate --brief` prints; empty: it is no closed batch."""
    return [Job(job["work_s"], job["law"], job["parameter"]) for job in record["batch"]]


def best_times(jobs: list[Job], cpus: int) -> list[float] | None:
    """The ends of all jobs. None: there are more than MOST_JOBS, and no closed form. NoSolver without scipy."""
    laws = {(job.law, job.parameter) for job in jobs}
    if all(_exponent(job) is not None for job in jobs) and len(laws) == 1:
        return power_times([job.work_s for job in jobs], cpus, _exponent(jobs[0]))
    if len(jobs) > MOST_JOBS:
        return None
    order = sorted(range(len(jobs)), key=lambda j: jobs[j].work_s / jobs[j].speedup(cpus / len(jobs)))
    times = _times_in_order(jobs, order, cpus)
    return times if len(laws) == 1 else _by_exchanges(jobs, order, times, cpus)


def _exponent(job: Job) -> float | None:
    return {"linear": 1.0, "power": job.parameter}.get(job.law)


def power_times(works_s: list[float], cpus: float, exponent: float) -> list[float]:
    """k^p. The i-th longest of m jobs has the part (i/m)^c - ((i-1)/m)^c of the CPUs, c = 1 / (1 - p)."""
    left = dict(enumerate(works_s))
    times = [0.0] * len(works_s)
    now = 0.0
    while left:
        longest_first = sorted(left, key=lambda j: -left[j])
        parts = _parts(len(left), exponent)
        rates = {j: (part * cpus) ** exponent for j, part in zip(longest_first, parts)}
        shortest = longest_first[-1]
        span = left[shortest] / rates[shortest]
        now += span
        for j in longest_first:
            left[j] -= rates[j] * span
        times[shortest] = now
        del left[shortest]
    return times


def _parts(jobs: int, exponent: float) -> list[float]:
    if exponent >= 1:
        return [0.0] * (jobs - 1) + [1.0]
    c = 1 / (1 - exponent)
    return [(i / jobs) ** c - ((i - 1) / jobs) ** c for i in range(1, jobs + 1)]


def _by_exchanges(jobs: list[Job], order: list[int], times: list[float], cpus: int) -> list[float]:
    better = True
    while better:
        better = False
        for k in range(len(order) - 1):
            if jobs[order[k]] == jobs[order[k + 1]]:
                continue
            other = order[:k] + [order[k + 1], order[k]] + order[k + 2 :]
            found = _times_in_order(jobs, other, cpus)
            if sum(found) < sum(times) * (1 - 1e-9):
                order, times, better = other, found, True
    return times


def _times_in_order(jobs: list[Job], order: list[int], cpus: int) -> list[float]:
    """Unknowns: how long each phase is, and the CPU time that each job that is left then has in it on each
    piece of its law. The least sum of ends such that all work is done."""
    try:
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix
    except ImportError as error:
        raise NoSolver(f"python3-scipy is missing ({error})") from error

    count = len(order)
    entries: list[tuple[int, int, float]] = []  # row, column, value of A x <= b
    bounds = [0.0] * (2 * count)  # rows: CPUs of each phase, work of each job; then the pieces
    columns = count
    for place, j in enumerate(order):
        bounds[count + place] = -jobs[j].work_s
        for phase in range(place + 1):
            for width, slope in _pieces(jobs[j], cpus):
                entries.append((phase, columns, 1.0))
                entries.append((count + place, columns, -slope))
                entries.append((len(bounds), columns, 1.0))
                entries.append((len(bounds), phase, -width))
                bounds.append(0.0)
                columns += 1
    entries += [(phase, phase, -float(cpus)) for phase in range(count)]
    rows, places, values = zip(*entries)
    matrix = coo_matrix((values, (rows, places)), shape=(len(bounds), columns))
    costs = [float(count - phase) for phase in range(count)] + [0.0] * (columns - count)
    solved = linprog(costs, A_ub=matrix.tocsr(), b_ub=bounds, method="highs")
    times, now = [0.0] * count, 0.0
    for phase, j in enumerate(order):
        now += solved.x[phase]
        times[j] = now
    return times


def _pieces(job: Job, cpus: int) -> list[tuple[float, float]]:
    """Widths in CPUs and slopes of the law, between whole numbers of CPUs."""
    ends = [0, 1]
    while ends[-1] < cpus:
        ends.append(min(cpus, max(ends[-1] + 1, int(ends[-1] * 1.2))))
    if job.law == "flat":
        ends = sorted({0, 1, min(max(1, int(job.parameter)), cpus), cpus})
    pieces = []
    for low, high in zip(ends, ends[1:]):
        slope = (job.speedup(high) - job.speedup(low)) / (high - low)
        if slope > 0:
            pieces.append((float(high - low), slope))
    return pieces
