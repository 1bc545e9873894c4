# SPDX-License-Identifier: MIT
"""The runs that are made, and their order."""

import unittest

from lab.cells import METHODS, article_scenarios, method_named, run_order, scenario_named
from lab.habits import HABITS, USUAL
from lab.quantities import BadInput


class Scenarios(unittest.TestCase):
    def test_the_article_has_eight_uniform_and_two_mixed_scenarios(self):
        names = [scenario.name for scenario in article_scenarios()]
        self.assertEqual(len(set(names)), 10)
        self.assertEqual(names[:3], ["uniform-prime-2", "uniform-prime-4", "uniform-mandel-2"])
        self.assertEqual(names[-2:], ["mix-1", "mix-2"])

    def test_a_mix_of_two_starts_equal_loads_in_a_row(self):
        loads = scenario_named("mix-2").loads
        self.assertEqual(loads[:4], ("prime", "prime", "mandel", "mandel"))
        self.assertEqual(len(loads), 8)

    def test_uniform_repeats_one_load(self):
        self.assertEqual(scenario_named("uniform-md-3").loads, ("md",) * 3)

    def test_only_the_first_program_has_a_habit(self):
        scenario = scenario_named("sleeper-md-3")
        self.assertEqual(scenario.loads, ("md",) * 3)
        self.assertTrue(scenario.habit(0).sleeps)
        self.assertIs(scenario.habit(1), USUAL)

    def test_a_sleeper_sleeps_thrice_the_work_of_its_region(self):
        self.assertEqual(HABITS["sleeper"].options(20_000, 10.2), ("--sleep-us", "60000"))
        self.assertEqual(HABITS["sleeper"].rest_ms(20_000, 10.2), 60)

    def test_a_serial_program_computes_alone_as_long_as_its_region_takes(self):
        self.assertEqual(HABITS["serial"].options(20_000, 10.2), ("--serial-us", "10200"))

    def test_a_stream_passes_beside_the_others(self):
        scenario = scenario_named("stream-md-2")
        self.assertEqual((scenario.loads, scenario.passing), (("md", "md"), "md"))
        self.assertIs(scenario.habit(0), USUAL)
        self.assertIsNone(scenario_named("uniform-md-2").passing)

    def test_nobody_governs_a_hog(self):
        self.assertEqual([name for name in HABITS if not HABITS[name].governed], ["hog"])

    def test_only_an_interactive_program_takes_no_turns(self):
        self.assertEqual([name for name in HABITS if not HABITS[name].batch], ["interactive"])
        self.assertFalse(scenario_named("interactive-md-5").habit(0).batch)
        self.assertTrue(scenario_named("interactive-md-5").habit(1).batch)

    def test_lengths_fall_or_rise_and_are_as_much_work_as_uniform(self):
        longest, shortest = scenario_named("longest-md-3"), scenario_named("shortest-md-3")
        self.assertEqual([longest.share(index) for index in range(3)], [1.5, 1.0, 0.5])
        self.assertEqual([shortest.share(index) for index in range(3)], [0.5, 1.0, 1.5])
        self.assertEqual(longest.loads, ("md",) * 3)
        self.assertEqual(scenario_named("uniform-md-3").share(2), 1.0)

    def test_unknown_names_are_refused_with_what_is_accepted(self):
        for name in ("uniform-foo-2", "mix-0", "mix-65", "mix-", "prime", "", "mix-1x", "mix-99999"):
            with self.assertRaisesRegex(BadInput, "N from 1 to 64", msg=name):
                scenario_named(name)


class Methods(unittest.TestCase):
    def test_fair_and_thresholds_are_governed(self):
        self.assertTrue(method_named("fair").governed)
        self.assertEqual(method_named("threshold-15").threshold_percent, 15)
        self.assertTrue(method_named("threshold-15").governed)
        self.assertFalse(method_named("static").governed)

    def test_orphaned_programs_begin_as_fair_ones(self):
        fair, orphaned = method_named("fair"), method_named("orphaned")
        self.assertEqual(fair.policy, orphaned.policy)
        self.assertEqual([fair.orphaned, orphaned.orphaned], [False, True])

    def test_turns_are_taken_by_batch_programs_under_fair(self):
        turns, told = method_named("turns"), method_named("told-turns")
        self.assertEqual({turns.policy, told.policy}, {method_named("fair").policy})
        self.assertEqual([turns.batch, told.batch, method_named("fair").batch], [True, True, False])
        self.assertEqual([turns.tells_progress, told.tells_progress], [False, True])

    def test_nobody_governs_programs_in_turn_or_plain_ones(self):
        for name in ("default", "passive", "active", "static", "dynamic", "one", "in-turn"):
            self.assertFalse(method_named(name).governed, name)
        self.assertEqual([name for name in METHODS if METHODS[name].in_turn], ["in-turn"])

    def test_a_threshold_outside_1_to_100_is_refused(self):
        for name in ("threshold-0", "threshold-101", "threshold-5.5", "unfair"):
            with self.assertRaisesRegex(BadInput, "1 to 100", msg=name):
                method_named(name)


class Order(unittest.TestCase):
    def setUp(self):
        self.scenarios = [scenario_named("mix-1"), scenario_named("uniform-md-2")]
        self.methods = [method_named(n) for n in ("default", "passive", "static", "threshold-5")]

    def test_every_repetition_holds_every_cell_once(self):
        cells = run_order(self.scenarios, self.methods, 3, seed=1)
        self.assertEqual(len(cells), 24)
        self.assertEqual(len(set(cells)), 24)

    def test_methods_of_one_scenario_follow_each_other(self):
        cells = run_order(self.scenarios, self.methods, 2, seed=1)
        blocks = [{(c.repetition, c.scenario.name) for c in cells[i : i + 4]} for i in (0, 4, 8, 12)]
        self.assertTrue(all(len(block) == 1 for block in blocks), blocks)

    def test_the_order_of_methods_changes_between_repetitions(self):
        cells = run_order(self.scenarios[:1], self.methods, 6, seed=1)
        orders = {tuple(c.method.name for c in cells[i : i + 4]) for i in range(0, 24, 4)}
        self.assertGreater(len(orders), 1)

    def test_the_seed_decides_the_order(self):
        same = [run_order(self.scenarios, self.methods, 3, seed=7) for _ in range(2)]
        self.assertEqual(same[0], same[1])
        self.assertNotEqual(same[0], run_order(self.scenarios, self.methods, 3, seed=8))


if __name__ == "__main__":
    unittest.main()
