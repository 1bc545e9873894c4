# SPDX-License-Identifier: MIT
"""Which runs a goal needs, and when it is met."""

import unittest

from experiment.cells import method_named, scenario_named
from experiment.goals import Goal, blocks, cells_of, goals
from experiment.goals_command import report
from experiment.records import ProgramRecord, RunRecord


def run(method, repetition, finished_s, stopped_s=None, scenario="mix-1"):
    program = ProgramRecord("md", 0.0, None if stopped_s else finished_s, 1.0, (), None)
    return RunRecord(scenario, method, repetition, 0.0, stopped_s, 0.0, (program,))


SLOWER = Goal("g", ("b",), ("mix-1",), "fair", "static", "makespan", 1.05)
FASTER = Goal("g", ("b",), ("mix-1",), "fair", "default", "makespan", 4.0, times_better=True)


class Blocks(unittest.TestCase):
    def test_hold_what_bench_scenario_can_run(self):
        for block in blocks():
            for name in block.scenarios:
                scenario_named(name)
            for name in block.methods:
                method_named(name)
        names = [block.name for block in blocks()]
        self.assertEqual(len(set(names)), len(names))

    def test_every_goal_has_its_runs(self):
        by_name = {block.name: block for block in blocks()}
        for goal in goals():
            self.assertTrue(goal.blocks, goal.name)
            for name in goal.blocks:
                block = by_name[name]
                self.assertLessEqual({goal.method, goal.baseline}, set(block.methods), goal.name)
                self.assertTrue(set(goal.scenarios) & set(block.scenarios), goal.name)

    def test_nothing_is_run_for_nobody(self):
        wanted = {name for goal in goals() for name in goal.blocks}
        self.assertEqual(wanted, {block.name for block in blocks()})


class Cells(unittest.TestCase):
    def test_a_ratio_is_taken_within_a_repetition(self):
        runs = [run("static", 0, 10), run("fair", 0, 11), run("static", 1, 20), run("fair", 1, 20)]
        (cell,) = cells_of(SLOWER, {"b": runs})
        self.assertEqual([value.low for value in cell.ratios], [1.1, 1.0])
        self.assertAlmostEqual(cell.middle.low, 1.05)
        self.assertTrue(cell.met)

    def test_a_ratio_above_its_bound_misses(self):
        (cell,) = cells_of(SLOWER, {"b": [run("static", 0, 10), run("fair", 0, 10.6)]})
        self.assertFalse(cell.met)

    def test_a_stopped_baseline_is_at_least_so_much_slower(self):
        (cell,) = cells_of(FASTER, {"b": [run("default", 0, 0, stopped_s=50), run("fair", 0, 10)]})
        self.assertTrue(cell.met)
        self.assertEqual(cell.middle.text(2), "> 5.00")
        (cell,) = cells_of(FASTER, {"b": [run("default", 0, 0, stopped_s=30), run("fair", 0, 10)]})
        self.assertFalse(cell.met)

    def test_what_was_not_run_is_no_cell(self):
        self.assertEqual(cells_of(SLOWER, {}), [])
        self.assertEqual(cells_of(SLOWER, {"b": [run("fair", 0, 10)]}), [])


class Report(unittest.TestCase):
    def test_misses_are_told_one_by_one(self):
        block = "static-gcc-50us"
        text = report({block: [run("static", 0, 10), run("fair", 0, 11)]})
        self.assertIn("0 of 1", text)
        self.assertIn(f"| {block} | mix-1 | 1.10 of 1 |", text)
        self.assertIn("not run", text)


if __name__ == "__main__":
    unittest.main()
