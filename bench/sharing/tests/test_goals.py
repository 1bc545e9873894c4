# SPDX-License-Identifier: MIT
"""The runs that a goal needs, and the rule by which it is met."""

import unittest

from lab.cells import method_named, scenario_named
from lab.records import ProgramRecord, RunRecord
from sharing.goal import Goal, cells_of
from sharing.goals import blocks, goals
from sharing.goals_command import report, summary_rows


def run(method, repetition, finished_s, stopped_s=None, scenario="mix-1"):
    program = ProgramRecord("md", 0.0, None if stopped_s else finished_s, 1.0, (), None)
    return RunRecord(scenario, method, repetition, 0.0, stopped_s, 0.0, (program,))


SLOWER = Goal("g", ("b",), ("mix-1",), "fair", ("static",), "makespan", 1.05)
FASTER = Goal("g", ("b",), ("mix-1",), "fair", ("default",), "makespan", 4.0, times_better=True)

BEST = Goal("g", ("b",), ("mix-1",), "turns", ("static", "passive"), "aggregate", 0.85)


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
                self.assertLessEqual({goal.method, *goal.baselines}, set(block.methods), goal.name)
                self.assertTrue(set(goal.scenarios) & set(block.scenarios), goal.name)
                self.assertIn(goal.beside, (None, *block.scenarios), goal.name)

    def test_goals_of_turns_are_of_all_lengths_and_runtimes(self):
        sharing = [goal for goal in goals() if goal.method == "turns" and "static" in goal.baselines]
        for measure in ("aggregate", "makespan"):
            cells = {
                (block, scenario)
                for goal in sharing
                if goal.measure == measure
                for block in goal.blocks
                for scenario in goal.scenarios
            }
            self.assertEqual(len(cells), 4 * 2 * 4, measure)

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

    def test_the_best_of_several_baselines_counts_in_each_repetition(self):
        runs = [run("static", 0, 10), run("passive", 0, 20), run("turns", 0, 8)]
        runs += [run("static", 1, 20), run("passive", 1, 10), run("turns", 1, 9)]
        (cell,) = cells_of(BEST, {"b": runs})
        self.assertEqual([value.low for value in cell.ratios], [0.8, 0.9])

    def test_a_stopped_baseline_is_not_the_best_if_another_ended(self):
        runs = [run("static", 0, 10), run("passive", 0, 0, stopped_s=20), run("turns", 0, 8)]
        (cell,) = cells_of(BEST, {"b": runs})
        self.assertEqual(cell.middle.text(2), "0.80")

    def test_a_baseline_that_is_missing_among_several_leaves_no_cell(self):
        self.assertEqual(cells_of(BEST, {"b": [run("static", 0, 10), run("turns", 0, 8)]}), [])

    def test_one_scenario_beside_another(self):
        goal = Goal("g", ("b",), ("one",), "turns", ("turns",), "aggregate", 1.05, beside="two")
        runs = [run("turns", 0, 12, scenario="one"), run("turns", 0, 10, scenario="two")]
        (cell,) = cells_of(goal, {"b": runs})
        self.assertEqual((cell.scenario, cell.middle.text(2), cell.met), ("one", "1.20", False))

    def test_the_first_program_alone_may_be_what_counts(self):
        goal = Goal("g", ("b",), ("mix-1",), "turns", ("fair",), "first", 1.10)
        pair = [ProgramRecord("md", 0.5, end_s, 1.0, (), None) for end_s in (2.5, 9.0)]
        turns = RunRecord("mix-1", "turns", 0, 0.0, None, 0.0, tuple(pair))
        (cell,) = cells_of(goal, {"b": [turns, run("fair", 0, 2.0)]})
        self.assertEqual((cell.middle.text(2), cell.met), ("1.00", True))

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
        self.assertIn("turns / best of default, passive, static, dynamic &lt;= 0.78 (aggregate)", text)
        self.assertIn("told-turns / told-turns in shortest-md-4 &lt;= 1.05 (aggregate)", text)

    def test_the_summary_has_a_row_for_each_goal_that_was_run_in_a_block(self):
        (row,) = summary_rows({"static-gcc-50us": [run("static", 0, 10), run("fair", 0, 11)]})
        self.assertEqual((row["runs of"], row["met"], row["median"]), ("static-gcc-50us", "0 of 1", "1.10"))


if __name__ == "__main__":
    unittest.main()
