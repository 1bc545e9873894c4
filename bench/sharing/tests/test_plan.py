# SPDX-License-Identifier: MIT
"""The runs that fit a budget, and the time that each may take."""

import unittest

from lab.cells import Cell, method_named, scenario_named
from lab.quantities import BadInput
from sharing.plan import (
    Conditions,
    allowed_run_s,
    choose_size,
    expected_cell_s,
    expected_run_s,
    size_for_length,
)

SCENARIOS = [scenario_named("uniform-prime-2"), scenario_named("mix-1")]
METHODS = [method_named(name) for name in ("default", "passive", "static", "threshold-10")]


def where(slowdown, run_limit_s=60.0, stagger_s=1.2):
    slowdowns = {scenario.name: slowdown for scenario in SCENARIOS}
    return Conditions(2, stagger_s, 1.2, run_limit_s, slowdowns)


def cost_s(size, conditions):
    cells = [Cell(0, scenario, method) for scenario in SCENARIOS for method in METHODS]
    return size.repetitions * sum(expected_cell_s(cell, size, conditions) for cell in cells)


class ChooseSize(unittest.TestCase):
    def test_everything_fits_the_budget_however_slow_default_is(self):
        for slowdown in (1.0, 2.0, 7.0, 15.0, 300.0):
            size = choose_size(95.0, SCENARIOS, METHODS, [2, 1], where(slowdown))
            self.assertLessEqual(cost_s(size, where(slowdown)), 95.0 + 0.01, slowdown)

    def test_programs_overlap_always(self):
        for slowdown in (1.0, 7.0, 300.0):
            size = choose_size(95.0, SCENARIOS, METHODS, [2, 1], where(slowdown))
            self.assertGreater(min(size.program_s.values()), 1.2, slowdown)

    def test_a_quick_default_leaves_time_for_two_repetitions(self):
        self.assertEqual(choose_size(130.0, SCENARIOS, METHODS, [2, 1], where(1.2)).repetitions, 2)
        self.assertEqual(choose_size(130.0, SCENARIOS, METHODS, [2, 1], where(9.0)).repetitions, 1)

    def test_only_a_hopeless_default_gets_a_limit_of_its_own(self):
        self.assertIsNone(choose_size(95.0, SCENARIOS, METHODS, [1], where(3.0)).spinning_limit_s)
        self.assertGreater(
            choose_size(95.0, SCENARIOS, METHODS, [1], where(300.0)).spinning_limit_s, 5.0
        )

    def test_whatever_spins_gets_such_a_limit(self):
        for name in ("active", "dynamic"):
            methods = [method_named(name), *METHODS[1:]]
            size = choose_size(95.0, SCENARIOS, methods, [1], where(300.0))
            self.assertGreater(size.spinning_limit_s, 5.0, name)

    def test_more_budget_means_longer_programs(self):
        small = choose_size(90.0, SCENARIOS, METHODS, [1], where(2.0)).program_s["mix-1"]
        large = choose_size(120.0, SCENARIOS, METHODS, [1], where(2.0)).program_s["mix-1"]
        self.assertGreater(large, small)

    def test_a_budget_that_is_too_small_is_refused_with_what_is_needed(self):
        with self.assertRaisesRegex(BadInput, r"20 s are left for runs that need \d+ s"):
            choose_size(20.0, SCENARIOS, METHODS, [1], where(10.0))

    def test_a_length_is_shared_but_programs_keep_overlapping(self):
        size = size_for_length(SCENARIOS, 6.0, 1.8, 3)
        self.assertEqual(size.program_s, {"uniform-prime-2": 3.0, "mix-1": 1.8})


class Expectations(unittest.TestCase):
    def test_static_lasts_as_long_as_the_last_starter_on_its_share(self):
        static = method_named("static")
        self.assertAlmostEqual(expected_run_s(static, SCENARIOS[0], 2.0, where(1)), 1.2 + 4.0 + 0.3)
        self.assertAlmostEqual(expected_run_s(static, SCENARIOS[1], 2.0, where(1)), 3.6 + 8.0 + 0.3)

    def test_governed_runs_include_the_warm_up(self):
        cold = Conditions(2, 1.2, 0.0, 60.0)
        governed = METHODS[3]
        difference = expected_run_s(governed, SCENARIOS[0], 2.0, where(1)) - expected_run_s(
            governed, SCENARIOS[0], 2.0, cold
        )
        self.assertAlmostEqual(difference, 1.2)

    def test_no_run_is_expected_to_exceed_the_limit(self):
        self.assertLess(expected_run_s(METHODS[0], SCENARIOS[1], 4.0, where(300.0, 20.0)), 20.5)


class AllowedTime(unittest.TestCase):
    def setUp(self):
        self.where = where(300.0)
        self.size = choose_size(95.0, SCENARIOS, METHODS, [1], self.where)
        self.default = Cell(0, SCENARIOS[1], METHODS[0])
        self.static = Cell(0, SCENARIOS[1], METHODS[2])

    def test_without_a_budget_only_the_run_limit_counts(self):
        self.assertEqual(allowed_run_s(self.static, 500.0, None, self.size, self.where), 60.0)

    def test_default_may_use_what_the_others_do_not_need(self):
        self.assertAlmostEqual(allowed_run_s(self.default, 20.0, 50.0, self.size, self.where), 30.0)

    def test_default_keeps_its_own_limit_when_time_is_short(self):
        allowed = allowed_run_s(self.default, 48.0, 50.0, self.size, self.where)
        self.assertAlmostEqual(allowed, self.size.spinning_limit_s)

    def test_others_may_take_half_as_long_again_as_expected(self):
        expected = expected_cell_s(self.static, self.size, self.where)
        allowed = allowed_run_s(self.static, 50.0, 50.0, self.size, self.where)
        self.assertAlmostEqual(allowed, 1.5 * expected)

    def test_nobody_gets_more_than_is_left(self):
        for cell in (self.default, self.static):
            self.assertLessEqual(allowed_run_s(cell, 0.0, 3.0, self.size, self.where), 3.0)


if __name__ == "__main__":
    unittest.main()
