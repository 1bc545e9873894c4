# SPDX-License-Identifier: MIT
"""The time of runs, before they are made: what fits a budget, and how long each may last. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.cells import Cell, Method, Scenario
from lab.quantities import BadInput, span_text

# Over the ideal makespan: what methods that do not spin were seen to take, generously.
_USUAL_SLOWDOWN = {"passive": 1.15, "static": 1.1, "in-turn": 1.1}
_GOVERNED_SLOWDOWN = 1.6
_RUN_OVERHEAD_S = 0.3
# A stopped run that lasted this much longer than a passive one still says something.
_TELLING = 1.5
_LONGEST_PROGRAM_S = 4.0


@dataclass(frozen=True)
class Conditions:
    """The conditions of a run's time, besides its work. Times in seconds."""

    cpus: int
    stagger_s: float
    warm_up_s: float
    run_limit_s: float
    default_slowdown: dict[str, float] = field(default_factory=dict)
    usual_default_slowdown: float = 1.2


@dataclass(frozen=True)
class Size:
    """The work of each program of a scenario, as its time alone on the whole machine, and how often
    all is run. spinning_limit_s stops runs of methods that spin before the general limit, None: not
    needed."""

    program_s: dict[str, float]
    repetitions: int
    spinning_limit_s: float | None = None


def expected_default_slowdown(region_us: int, runtime: str) -> float:
    """Without a pilot: how much longer plain OpenMP takes when programs share the cores."""
    if runtime == "clang":
        return 1.3
    known = ((200, 200.0), (3000, 10.0), (50_000, 1.3))
    return next((slowdown for up_to_us, slowdown in known if region_us <= up_to_us), 1.1)


def expected_run_s(
    method: Method, scenario: Scenario, program_s: float, where: Conditions
) -> float:
    """Seconds one run takes from the governor's start to the end of the last program."""
    programs = len(scenario.loads)
    ideal_s = programs * program_s
    last_start_s = (programs - 1) * where.stagger_s
    if method.name == "static":
        expected_s = last_start_s + _pinned_s(programs, program_s, where.cpus)
    elif method.name == "one":
        expected_s = last_start_s + max(program_s * where.cpus, ideal_s)
    elif method.spins:
        alone_s = program_s if programs == 1 else min(where.stagger_s, program_s)
        usual = where.default_slowdown.get(scenario.name, where.usual_default_slowdown)
        expected_s = alone_s + usual * (ideal_s - alone_s)
    else:
        expected_s = ideal_s * _USUAL_SLOWDOWN.get(method.name, _GOVERNED_SLOWDOWN)
    expected_s = min(max(expected_s, last_start_s + program_s), where.run_limit_s)
    return expected_s + _RUN_OVERHEAD_S + (where.warm_up_s if method.governed else 0.0)


def choose_size(
    budget_s: float,
    scenarios: list[Scenario],
    methods: list[Method],
    repetitions: list[int],
    where: Conditions,
) -> Size:
    """The largest programs that fit the budget, most repetitions first, never so short that they no
    longer overlap. Methods that spin get a limit of their own when only they are too slow for that.
    BadInput when not even that fits."""
    overlapping_s = max(0.5, 1.25 * where.stagger_s)
    plan = _Plan(scenarios, methods, where)
    for count in repetitions:
        if plan.all_s(overlapping_s) * count <= budget_s:
            largest_s = _largest(plan, overlapping_s, budget_s / count)
            return Size(_for_all(scenarios, largest_s), count)
    count = repetitions[-1]
    limit_s = plan.spinning_limit_s(overlapping_s, budget_s / count)
    if limit_s is not None:
        return Size(_for_all(scenarios, overlapping_s), count, limit_s)
    needed_s = plan.least_s(overlapping_s) * count
    raise BadInput(
        f"--budget: {span_text(budget_s)} are left for runs that need {span_text(needed_s)} at least;"
        " give more, or fewer --scenarios, --methods or --repetitions."
    )


def size_for_length(
    scenarios: list[Scenario], length_s: float, least_program_s: float, repetitions: int
) -> Size:
    """Programs that share an ideal makespan of length_s, each at least least_program_s long."""
    return Size(
        {one.name: max(length_s / len(one.loads), least_program_s) for one in scenarios},
        repetitions,
    )


def expected_cell_s(cell: Cell, size: Size, where: Conditions) -> float:
    """Seconds that a planned run takes, with the limit that the plan gave it."""
    program_s = size.program_s[cell.scenario.name]
    expected_s = expected_run_s(cell.method, cell.scenario, program_s, where)
    if cell.method.spins and size.spinning_limit_s is not None:
        return min(expected_s, size.spinning_limit_s + _RUN_OVERHEAD_S)
    return expected_s


def allowed_run_s(
    cell: Cell, later_s: float, left_s: float | None, size: Size, where: Conditions
) -> float:
    """The time that this run may last: within the general limit, and so that what comes later (later_s as
    expected) fits what is left of the budget (None for no budget). 0 or less: no time at all."""
    limit_s = where.run_limit_s
    if left_s is None:
        return limit_s
    spare_s = left_s - later_s - (where.warm_up_s if cell.method.governed else 0.0)
    if cell.method.spins and size.spinning_limit_s is not None:
        return min(limit_s, max(size.spinning_limit_s, spare_s), left_s)
    expected_s = expected_cell_s(cell, size, where)
    return min(limit_s, max(spare_s, 1.5 * expected_s), left_s)


@dataclass(frozen=True)
class _Plan:
    scenarios: list[Scenario]
    methods: list[Method]
    where: Conditions

    def all_s(self, program_s: float) -> float:
        """Everything once."""
        return sum(
            expected_run_s(method, scenario, program_s, self.where)
            for scenario in self.scenarios
            for method in self.methods
        )

    def least_s(self, program_s: float) -> float:
        """Everything once, what spins stopped as early as it still says something."""
        return self._others_s(program_s) + sum(self._telling_s(program_s))

    def spinning_limit_s(self, program_s: float, budget_s: float) -> float | None:
        """The time that remains for each run of a method that spins; None when that would say nothing."""
        telling_s = self._telling_s(program_s)
        if not telling_s:
            return None
        each_s = (budget_s - self._others_s(program_s)) / len(telling_s) - _RUN_OVERHEAD_S
        return each_s if each_s >= max(telling_s) else None

    def _others_s(self, program_s: float) -> float:
        others = [method for method in self.methods if not method.spins]
        return _Plan(self.scenarios, others, self.where).all_s(program_s)

    def _telling_s(self, program_s: float) -> list[float]:
        passive = Method("passive")
        return [
            _TELLING * expected_run_s(passive, scenario, program_s, self.where)
            for scenario in self.scenarios
            for method in self.methods
            if method.spins
        ]


def _for_all(scenarios: list[Scenario], program_s: float) -> dict[str, float]:
    return {scenario.name: program_s for scenario in scenarios}


def _pinned_s(programs: int, program_s: float, cpus: int) -> float:
    """A program's time in the static split: its smallest share, or one of several on one CPU."""
    if programs <= cpus:
        return program_s * cpus / (cpus // programs)
    return program_s * cpus * -(-programs // cpus)


def _largest(plan: _Plan, low_s: float, budget_s: float) -> float:
    high_s = max(low_s, _LONGEST_PROGRAM_S)
    for _ in range(30):
        middle_s = (low_s + high_s) / 2
        low_s, high_s = (middle_s, high_s) if plan.all_s(middle_s) <= budget_s else (low_s, middle_s)
    return low_s
