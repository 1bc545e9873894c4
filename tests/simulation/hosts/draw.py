#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes those hosts whose programs have drawn starts and lengths; --check only compares.

Only Random.random() gives the same numbers with every version of Python, so all else is made of it.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
_DAY_S = 24 * 3600
_HALF_HOURS = 48

# Lublin and Feitelson 2003, table of the parameters for all jobs: hyper-Gamma runtimes (natural
# logarithm of seconds), two-stage uniform sizes (logarithm to base 2), and the daily cycle of arrivals.
_SHORT, _LONG = (4.2, 0.94), (312.0, 0.03)
_SHORT_SLOPE, _SHORT_AT_0 = -0.0054, 0.78
_SERIAL, _POWER_OF_TWO, _LOWEST, _FIRST_STAGE = 0.244, 0.576, 0.8, 0.86
_CYCLE, _DAY_BEGINS = (8.1737, 3.9631), 11


class Dice:
    """Draws from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def uniform(self, low: float = 0, high: float = 1) -> float:
        return low + (high - low) * self._random.random()

    def log_uniform(self, low: float, high: float) -> float:
        return math.exp(self.uniform(math.log(low), math.log(high)))

    def one_of(self, things):
        return things[int(self.uniform(0, len(things)))]

    def exponential(self, mean: float) -> float:
        return -mean * math.log(1 - self._random.random())

    def weibull(self, shape: float, mean: float) -> float:
        scale = mean / math.gamma(1 + 1 / shape)
        return scale * self.exponential(1) ** (1 / shape)

    def pareto(self, shape: float, least: float, most: float) -> float:
        return min(least * (1 - self._random.random()) ** (-1 / shape), most)

    def gamma(self, shape: float, scale: float) -> float:
        """Marsaglia and Tsang 2000, with normal numbers by Box and Muller."""
        d = shape - 1 / 3
        while True:
            x = math.sqrt(self.exponential(2)) * math.cos(2 * math.pi * self.uniform())
            v = (1 + x / math.sqrt(9 * d)) ** 3
            if v > 0 and math.log(1 - self.uniform()) < x * x / 2 + d - d * v + d * math.log(v):
                return scale * d * v

    def runtime_s(self, cpus: int) -> float:
        """Lublin and Feitelson: larger jobs are longer."""
        short = self.uniform() < _SHORT_AT_0 + _SHORT_SLOPE * cpus
        return math.exp(self.gamma(*(_SHORT if short else _LONG)))

    def size(self, most: int) -> int:
        """Lublin and Feitelson: many serial jobs, many powers of two, few that are large."""
        if self.uniform() < _SERIAL:
            return 1
        highest = math.log2(most)
        middle = highest - 2.5
        stage = (_LOWEST, middle) if self.uniform() < _FIRST_STAGE else (middle, highest)
        exponent = self.uniform(*stage)
        is_power = self.uniform() < _POWER_OF_TWO / (1 - _SERIAL)
        return round(2 ** (round(exponent) if is_power else exponent))

    def time_of_day_s(self) -> float:
        """Lublin and Feitelson: most arrive in the afternoon, few before half past five."""
        shape, scale = _CYCLE
        while True:
            half_hours = self.gamma(shape, scale)
            if _DAY_BEGINS <= half_hours < _DAY_BEGINS + _HALF_HOURS:
                return half_hours % _HALF_HOURS / _HALF_HOURS * _DAY_S

    def poisson(self, count: int, mean_s: float) -> list[float]:
        """Times of so many arrivals."""
        times, now = [], 0.0
        for _ in range(count):
            now += self.exponential(mean_s)
            times.append(now)
        return times


def time(seconds: float) -> str:
    if seconds < 0.02:
        return f"{max(round(seconds * 1e6), 1)}us"
    milliseconds = round(seconds * 1e3)
    return f"{milliseconds // 1000}s" if milliseconds % 1000 == 0 else f"{milliseconds}ms"


def section(title: str, **keys) -> str:
    """Seconds are floats; `class` is written class_."""
    lines = [f"[{title}]"]
    for key, value in keys.items():
        if value is not None:
            lines.append(f"{key.rstrip('_')} = {time(value) if isinstance(value, float) else value}")
    return "\n".join(lines) + "\n"


def host(comment: str, end: str, machine: dict, sections: list[str]) -> str:
    head = [section("scenario", end=end), section("machine", **machine)]
    lines = "".join(f"# {line}\n" for line in comment.strip().splitlines())
    return lines + "\n".join(head + sections)


def program(name: str, length_s: float, cpus: int, region_s: float, law: str = "linear", **keys) -> str:
    """A program that takes `length_s` alone on `cpus` CPUs, in regions of `region_s` there."""
    kind, _, parameter = law.partition(":")
    speedup = {"linear": lambda: cpus, "flat": lambda: min(cpus, float(parameter)),
               "amdahl": lambda: 1 / (1 - float(parameter) + float(parameter) / cpus)}[kind]()
    return section(f"program {name}", **keys, region=region_s * speedup,
                   regions=max(round(length_s / region_s), 1), speedup=None if kind == "linear" else law)


def login(cpus: int, seed: int, users: int, mean_s: float, comment: str) -> str:
    dice = Dice(seed)
    sections = []
    for user, at in enumerate(dice.poisson(users, mean_s), 1000):
        kind = dice.uniform()
        if kind < 0.6:
            sections.append(section(
                f"program session-{user}", user=user, start=at, max=dice.one_of([1, 1, 2, 4]),
                region=dice.log_uniform(0.02, 2), serial=dice.log_uniform(0.005, 0.1),
                sleep=dice.log_uniform(0.5, 8), regions=round(dice.log_uniform(20, 60))))
        elif kind < 0.8:
            jobs = dice.one_of([8, 16, 32, 64])
            sections.append(section(
                f"program compile-{user}", user=user, start=at, copies=jobs, max=1,
                every=dice.log_uniform(0.05, 0.4), region=dice.log_uniform(0.4, 3), regions=1))
        else:
            most = min(2 ** round(dice.uniform(2, math.log2(cpus))), cpus)
            sections.append(program(
                f"solver-{user}", dice.log_uniform(8, 90), most, dice.log_uniform(0.0005, 0.2),
                f"amdahl:{1 - dice.log_uniform(0.001, 0.1):.4f}", user=user, start=at, max=most,
                class_="batch" if dice.uniform() < 0.4 else None))
    return host(comment, "24h", {"cpus": cpus, "smt": 2}, sections)


def lab(cpus: int, seed: int, attempts: int, comment: str) -> str:
    """The rate of attempts grows as one over the time that is left."""
    dice = Dice(seed)
    deadline_s, least_s = 600.0, 15.0
    sections = []
    starts = sorted(deadline_s - dice.log_uniform(least_s, deadline_s) for _ in range(attempts))
    for number, at in enumerate(starts):
        serial = dice.one_of([0.0, 0.01, 0.1, 0.3])
        sections.append(program(
            f"attempt-{number}", dice.log_uniform(1, 12), cpus, dice.log_uniform(0.0002, 0.2),
            f"amdahl:{1 - serial:.2f}" if serial else "linear", user=1000 + int(dice.uniform(0, 14)),
            start=at))
    return host(comment, "24h", {"cpus": cpus}, sections)


def ci(cpus: int, seed: int, bursts: int, mean_s: float, compilers: tuple[float, float], comment: str) -> str:
    dice = Dice(seed)
    sections, now = [], 0.0
    for number in range(bursts):
        now += dice.weibull(0.5, mean_s)
        owner = {"user": 1000 + int(dice.uniform(0, 4))}
        is_tree = dice.uniform() < 0.5
        tree = {"tree": f"build-{number}"} if is_tree else {}
        copies = round(dice.log_uniform(*compilers))
        compiled_s = dice.log_uniform(0.1, 1.5)
        every_s = compiled_s / cpus
        tested_s = dice.log_uniform(0.5, 10)
        tests_at = now + copies * every_s + compiled_s
        if is_tree:  # make, which waits for the others; it holds the tree
            sections.append(section(
                f"program make-{number}", **owner, **tree, start=now, max=1, region=0.001, sleep=0.2,
                regions=round(5 * (3 * (tests_at - now) + 2 * tested_s))))
        sections.append(section(
            f"program compile-{number}", **owner, **tree, start=now, copies=copies, every=every_s,
            max=1, region=compiled_s, regions=1))
        most = min(2 ** round(dice.uniform(0, 4)), cpus)
        sections.append(program(
            f"test-{number}", tested_s, most, dice.log_uniform(0.005, 0.2), **owner,
            **tree, start=tests_at, copies=dice.one_of([2, 4, 8, 16]), max=most))
    return host(comment, "24h", {"cpus": cpus, "smt": 2 if cpus > 64 else 1}, sections)


def sweep(cpus: int, seed: int, law: str, length_s: float, region_s: float, comment: str,
          *more: str) -> str:
    """200 jobs, ten of each of twenty lengths."""
    dice = Dice(seed)
    jobs = [program(f"point-{number}", length_s * dice.uniform(0.8, 1.2), cpus, region_s, law,
                    copies=10, class_="batch", waits="yes") for number in range(20)]
    return host(comment, "24h", {"cpus": cpus}, [*jobs, *more])


def workload(cpus: int, seed: int, jobs: int, pressed: float, comment: str) -> str:
    """A day of Lublin and Feitelson's model; all times are divided by `pressed`."""
    dice = Dice(seed)
    most_s = 4 * 3600
    sections = []
    for number, at in enumerate(sorted(dice.time_of_day_s() for _ in range(jobs))):
        size = dice.size(cpus)
        sections.append(program(
            f"job-{number}", min(dice.runtime_s(size), most_s) / pressed, size, dice.log_uniform(0.001, 1),
            f"amdahl:{1 - dice.log_uniform(0.0005, 0.05):.4f}", user=1000 + int(dice.pareto(1, 1, 8)),
            start=at / pressed, max=size, class_="batch", waits="yes"))
    return host(comment, "24h", {"cpus": cpus, "smt": 2, "packages": 2, "nodes": 2}, sections)


def heavy_tail(cpus: int, seed: int, jobs: int, comment: str) -> str:
    dice = Dice(seed)
    sections, now = [], 0.0
    for number in range(jobs):
        now += dice.weibull(0.6, 10)
        sections.append(program(
            f"job-{number}", dice.pareto(1.1, 1.5, 150), cpus, dice.log_uniform(0.0005, 0.5),
            dice.one_of(["linear", "amdahl:0.999", "amdahl:0.99", "flat:48"]), start=now,
            user=1000 + int(dice.uniform(0, 3)), class_="batch"))
    return host(comment, "24h", {"cpus": cpus, "smt": 2}, sections)


def gangs(cpus: int, seed: int, jobs: int, threads: int, mean_s: float, comment: str) -> str:
    """Ranks of some threads each; the ranks are a power of two."""
    dice = Dice(seed)
    sections, now = [], 0.0
    for number in range(jobs):
        now += dice.exponential(mean_s)
        ranks = 2 ** int(dice.uniform(1, math.log2(cpus / threads) + 1))
        sections.append(program(
            f"mpi-{number}", dice.log_uniform(15, 75), threads, dice.log_uniform(0.05, 2),
            user=1000 + int(dice.uniform(0, 5)), start=now, copies=ranks, max=threads,
            class_="batch", waits="yes", job=f"mpi-{number}", serial=dice.log_uniform(0.005, 0.05)))
    return host(comment, "24h", {"cpus": cpus, "packages": 2, "nodes": 4}, sections)


def notebooks(cpus: int, seed: int, count: int, comment: str) -> str:
    dice = Dice(seed)
    sections = []
    for user, at in enumerate(dice.poisson(count, 4), 1000):
        cell = program(f"notebook-{user}", 0, cpus, dice.log_uniform(0.02, 1),
                       dice.one_of(["linear", "amdahl:0.99", "flat:16"]), user=user, start=at,
                       sleep=dice.log_uniform(5, 60))
        sections.append(cell.replace("regions = 1\n", f"regions = {int(dice.uniform(4, 12))}\n"))
    training = program("training", 40, cpus, 0.005, "amdahl:0.999", user=999, class_="batch")
    return host(comment, "24h", {"cpus": cpus, "smt": 2, "nodes": 2}, [*sections, training])


def closed(cpus: int, seed: int, laws: list[str], shortest_s: float, longest_s: float, comment: str,
           **keys) -> str:
    """All at time 0, a job for each law."""
    dice = Dice(seed)
    sections = [program(f"job-{number}", dice.log_uniform(shortest_s, longest_s), cpus,
                        dice.log_uniform(0.0005, 0.1), law, class_="batch", waits="yes", **keys)
                for number, law in enumerate(laws)]
    return host(comment, "24h", {"cpus": cpus}, sections)


def fine(cpus: int, seed: int, jobs: int, comment: str) -> str:
    dice = Dice(seed)
    sections = []
    for number, at in enumerate(dice.poisson(jobs, 1.5)):
        most = 2 ** round(dice.uniform(4, math.log2(cpus)))
        law = dice.one_of(["linear", "amdahl:0.999", "amdahl:0.99", "amdahl:0.95", "amdahl:0.7"])
        sections.append(program(
            f"solver-{number}", dice.log_uniform(1, 8), most, dice.log_uniform(50e-6, 2e-3), law,
            user=1000 + int(dice.uniform(0, 8)), start=at, max=most))
    return host(comment, "24h", {"cpus": cpus, "smt": 2, "packages": 4, "nodes": 8}, sections)


def big(cpus: int, seed: int, jobs: int, comment: str) -> str:
    dice = Dice(seed)
    sections = []
    for number, at in enumerate(dice.poisson(jobs, 2.5)):
        law = dice.one_of(["linear", "amdahl:0.9999", "amdahl:0.999", "amdahl:0.99", "amdahl:0.8",
                           "flat:64", "flat:256"])
        sections.append(program(
            f"job-{number}", dice.log_uniform(0.5, 8), cpus, dice.log_uniform(0.0005, 1), law,
            user=1000 + int(dice.pareto(1, 1, 9)), start=at, class_=dice.one_of(["batch", "interactive"])))
    return host(comment, "24h", {"cpus": cpus, "smt": 2, "packages": 8, "nodes": 8, "caches": 64}, sections)


def hosts() -> dict[str, str]:
    """The contents of each file."""
    linear, mixed = ["linear"] * 8, ["linear", "linear", "amdahl:0.99", "amdahl:0.95", "amdahl:0.8"]
    return {
        "login-8": login(8, 1, 24, 15, """
A small login node: 24 users come within about six minutes.
Most type commands; some compile with more processes than CPUs; some start a solver after all.
Arrivals: Poisson. Commands think between two regions. Solver lengths: log-uniform (Downey, HPDC 1997).
Good: commands as if alone, and the solvers not held up for CPUs that nobody uses."""),
        "login-64": login(64, 2, 43, 5, """
A login node of a department: 43 users come within about four minutes.
Most type commands on one to four threads; some compile; some run solvers as wide as the host.
Arrivals: Poisson. Solver lengths: log-uniform (Downey, HPDC 1997); serial parts of 0.1 to 10 %.
Good: commands and compilers at once, the solvers share what is left."""),
        "login-256": login(256, 3, 43, 3, """
A login node of a computing centre, two threads a core: 43 users within about two minutes.
The same kinds as on smaller ones, but solvers of 4 to 256 threads, and some of them batch.
Arrivals: Poisson. Solver lengths: log-uniform (Downey, HPDC 1997); serial parts of 0.1 to 10 %.
Good: almost everybody is small, so almost everybody should not notice the others."""),
        "login-512": login(512, 4, 43, 2, """
A fat node that is also used to log in: 43 users within about one and a half minutes.
Commands, compilers and solvers of 4 to 512 threads.
Arrivals: Poisson. Solver lengths: log-uniform (Downey, HPDC 1997); serial parts of 0.1 to 10 %.
Good: it is hardly ever full; a program that is alone should have what it asks for."""),
        "lab-8": lab(8, 5, 40, """
A student lab on a desktop machine, ten minutes before a deadline: 14 students start, look, and start
again. Every attempt takes all CPUs; serial parts of 0 to 30 %; regions of 0.2 to 200 ms. Arrivals: a
Poisson process whose rate grows as one over the time that is left.
Good: short attempts come back soon, also in the last minute."""),
        "lab-32": lab(32, 6, 45, """
A student lab on a server of 32 CPUs, ten minutes before a deadline: 14 students. Every attempt takes all
CPUs; serial parts of 0 to 30 %; regions of 0.2 to 200 ms. Arrivals: a Poisson process whose rate grows as
one over the time that is left.
Good: short attempts come back soon, also in the last minute; nobody's ten attempts push out another's
one."""),
        "ci-16": ci(16, 7, 16, 20, (8, 40), """
A build machine of 16 CPUs: 16 builds of four users, each of many short compilers and some tests.
Half of them are trees, as make under a lease is. The rest are just many processes.
Arrivals: Weibull of shape 0.5, so in storms. Compilers take 0.1 to 1.5 s on one thread.
Good: no process waits for a decision; tests get what the compilers leave."""),
        "ci-64": ci(64, 8, 16, 12, (24, 120), """
A build machine of 64 CPUs: 16 builds of four users, each of many short compilers and some tests.
Half of them are trees, as make under a lease is. The rest are just many processes.
Arrivals: Weibull of shape 0.5, so in storms. Compilers take 0.1 to 1.5 s on one thread.
Good: no process waits for a decision; tests get what the compilers leave."""),
        "ci-768": ci(768, 9, 7, 15, (100, 300), """
A build machine of 768 CPUs: 7 builds, each of 100 to 300 short compilers that come within half a second.
Half of them are trees. The tests of a build follow its compilers.
Arrivals: Weibull of shape 0.5, so in storms.
Good: nobody waits for a decision, although there are hundreds within a second."""),
        "sweep-16": sweep(16, 10, "linear", 4, 0.004, """
A parameter sweep: 200 batch jobs of one user, all started at once, on 16 CPUs.
Lengths differ by up to 20 %; linear; so no order makes the last end earlier.
A closed cell: all at time 0, nobody else. Shortest first, on all CPUs, is the best sum of times.
Good: the sum of times near that, half of what an equal split needs."""),
        "sweep-256": sweep(256, 11, "flat:32", 1.5, 0.01, """
A parameter sweep: 200 batch jobs of one user that get no faster above 32 threads, on 256 CPUs.
Another user's interactive solver comes after ten seconds and stays for a while.
All at time 0; nobody says what the jobs gain from more threads.
Good: eight at a time, and not one after the other on all CPUs; the solver has its half.""",
                           program("solver", 20, 128, 0.01, "amdahl:0.99", user=1001, start=10.0, max=128)),
        "hpc-256": workload(256, 12, 38, 96, """
A day of 38 parallel batch jobs of eight users on one shared node of 256 CPUs. Sizes: two-stage uniform,
many powers of two. Lengths: hyper-Gamma, larger jobs are longer. Arrivals: the daily cycle. All from
Lublin and Feitelson, The workload on parallel supercomputers: modeling the characteristics of rigid jobs,
JPDC 63 (2003). A day is pressed into 15 minutes: all times over 96.
Good: small jobs do not wait for large ones, and the large ones are not cut to pieces."""),
        "heavy-tail-192": heavy_tail(192, 13, 45, """
45 batch jobs of three users on 192 CPUs, most of them short and few very long. Lengths: Pareto of shape
1.1 (Harchol-Balter and Downey, Exploiting process lifetime distributions, TOCS 15, 1997). Arrivals:
Weibull, as of bags of tasks in grids (Iosup and others, HPDC 2008), but of shape 0.6: burstier.
Good: the many short ones pass the few long ones, and the long ones end all the same."""),
        "mpi-128": gangs(128, 14, 20, 1, 8, """
Single-threaded MPI programs of 2 to 128 ranks on 128 CPUs, five users.
The ranks of a job (key job) have barriers among themselves: they are of use only together.
Arrivals: Poisson. Ranks: powers of two. Lengths: log-uniform, 15 to 75 s.
Good: whole jobs run or wait; no job runs half of its ranks."""),
        "mpi-512": gangs(512, 15, 13, 8, 10, """
Hybrid programs, MPI ranks of eight threads each, 2 to 64 ranks, on 512 CPUs of four NUMA nodes, five
users. The ranks of a job (key job) run and wait together; a serial part after every region. Arrivals:
Poisson. Ranks: powers of two. Lengths: log-uniform, 15 to 75 s.
Good: whole jobs run or wait; ranks of one job have equally many threads."""),
        "notebooks-256": notebooks(256, 16, 30, """
A notebook hub on 256 CPUs: 30 users read and type for 5 to 60 s, then a cell of 20 ms to 1 s takes all
CPUs. One batch training goes on beside them. A cell is over before much can be measured. Arrivals:
Poisson; think times log-uniform.
Good: cells take about as long as alone; the training has what is left."""),
        "closed-8": closed(8, 17, linear[:6], 2, 40, """
A closed cell: six linear batch jobs at time 0 on 8 CPUs, 2 to 40 s alone.
The best sum of times is known: shortest first, each on all CPUs (SRPT).
Lengths: log-uniform.
Good: the sum near that; the makespan is the same for all that leave no CPU idle."""),
        "closed-16": closed(16, 18, ["amdahl:0.99", "amdahl:0.95", "amdahl:0.9", "amdahl:0.9",
                                     "amdahl:0.7"], 4, 60, """
A closed cell: five batch jobs at time 0 on 16 CPUs, with serial parts of 1 to 30 %, 4 to 60 s alone.
They say how far they are. The optimum can be computed (a convex program for each order of ends).
Lengths: log-uniform.
Good: nearly linear programs get more CPUs, the others few, and the short ones end early.""", progress="yes"),
        "closed-64": closed(64, 19, [*mixed, "flat:4", "flat:16"], 2, 40, """
A closed cell: seven batch jobs at time 0 on 64 CPUs, 2 to 40 s alone: linear, serial parts of 1 to 20 %,
and no faster above 4 or 16 threads.
The optimum can be computed (a convex program for each order of ends). Lengths: log-uniform.
Good: nobody holds CPUs that it gains nothing from."""),
        "closed-128": closed(128, 20, ["flat:8"] * 4 + ["flat:16"] * 4 + ["flat:48"] * 4, 3, 30, """
A closed cell: twelve batch jobs at time 0 on 128 CPUs, no faster above 8, 16 or 48 threads, 3 to 30 s
alone. All but some of the widest fit beside each other, so turns can only lose here. Lengths:
log-uniform.
Good: an equal split with limits; no program waits that would fit."""),
        "closed-512": closed(512, 21, ["amdahl:0.9999", "amdahl:0.999", "amdahl:0.999", "amdahl:0.99",
                                       "amdahl:0.99", "amdahl:0.9"], 2, 20, """
A closed cell: six batch jobs at time 0 on 512 CPUs, with serial parts of 0.01 to 10 %, 2 to 20 s alone.
With 1 % serial, 512 CPUs are as good as 84 without; with 10 % as good as ten.
The optimum can be computed (a convex program for each order of ends). Lengths: log-uniform.
Good: CPUs go to those that gain from them."""),
        "closed-1024": closed(1024, 22, [*mixed, "amdahl:0.999", "flat:32", "flat:128", "flat:512"],
                              0.5, 4, """
A closed cell: nine batch jobs at time 0 on 1,024 CPUs, 0.5 to 4 s alone: linear, serial parts of 0.1 to
20 %, and no faster above 32, 128 or 512 threads. They say how far they are. The optimum can be computed
(a convex program for each order of ends). Lengths: log-uniform.
Good: the two linear ones get the most, one after the other, beside the others.""", progress="yes"),
        "fine-1024": fine(1024, 23, 36, """
36 solvers of eight users on 1,024 CPUs with regions of 50 us to 2 ms and serial parts of 0 to 30 %.
16 to 1,024 threads, so the host is overbooked most of the time.
Arrivals: Poisson, one in 1.5 s. Lengths: log-uniform, 1 to 8 s.
Good: a new grant is followed within one region, and soon; nobody spins for another."""),
        "big-1024": big(1024, 24, 40, """
The largest host: 40 programs of nine users, of whom one has the most, on 1,024 CPUs with eight packages.
Linear, serial parts of 0.01 to 20 %, flat; regions of 0.5 ms to 1 s; half of them batch, half
interactive. Arrivals: Poisson, one in 2.5 s. Programs of a user: Pareto. Lengths: log-uniform.
Good: short ones end soon; flat programs leave CPUs to the others."""),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file is another")
    is_check = parser.parse_args().check
    others = []
    for name, text in hosts().items():
        path = _FOLDER / f"{name}.sim"
        if not is_check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            others.append(path.name)
    if others:
        print(f"not what draw.py writes: {', '.join(others)}")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
