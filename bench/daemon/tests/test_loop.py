# SPDX-License-Identifier: MIT
"""The pure parts of bench/loop: what is played, how an equal split ends, what came of a play."""

import math
import unittest

from daemon.loop_cases import Case, Hog, Program, all_cases, ideal_ends, later, scenario_text
from daemon.loop_figures import Figures, figures_of, mask_of
from daemon.loop_report import Played, loop_text, row_of


def program(name="p0", start_s=0.0, work_s=10.0, **options):
    return Program(name, start_s, work_s, 0.1, **options)


def told(name, started_s, ended_s, *teams, finished=True):
    """`teams`: time and CPUs."""
    listed = [{"at_s": at_s, "threads": bin(mask_of(cpus)).count("1"), "cpus": cpus} for at_s, cpus in teams]
    return {"name": name, "started_s": started_s, "ended_s": ended_s, "finished": finished, "teams": listed}


class EqualSplit(unittest.TestCase):
    def ends(self, *programs, **options):
        return ideal_ends(Case("", 10, programs, **options))

    def test_a_program_alone_has_the_machine(self):
        self.assertEqual(self.ends(program(work_s=20)), [2])

    def test_the_second_one_has_half_from_its_start(self):
        self.assertEqual(self.ends(program(work_s=20), program("p1", start_s=1, work_s=20)), [3, 4])

    def test_users_have_equal_parts_whatever_their_programs(self):
        mine = [program(f"p{index}", work_s=10) for index in range(2)]
        self.assertEqual(self.ends(*mine, program("p2", work_s=10, user=7)), [3, 3, 2])

    def test_what_a_killed_program_had_is_the_others(self):
        killed = program(work_s=1000, killed_s=1.0)
        self.assertEqual(self.ends(killed, program("p1", work_s=15)), [None, 2])

    def test_a_hog_has_what_it_wants_up_to_half(self):
        self.assertEqual(self.ends(program(work_s=20), hogs=(Hog(64, 0, 2),)), [3])
        self.assertEqual(self.ends(program(work_s=20), hogs=(Hog(2, 1, 2),)), [2.2])


class Cases(unittest.TestCase):
    def test_an_equal_split_takes_about_as_long_as_asked_for_each(self):
        cases = all_cases(12)
        self.assertEqual(len({case.name for case in cases}), len(cases))
        for case in cases:
            ends = [end for end in ideal_ends(case) if end is not None]
            self.assertTrue(9 < max(ends) < 13, (case.name, max(ends)))

    def test_regions_of_an_equal_part_wake_up_20_times_a_second(self):
        for case in all_cases(12):
            share = case.cpus / len(case.programs)
            self.assertTrue(all(math.isclose(one.region_s / share, 0.05) for one in case.programs))

    def test_another_phase_moves_all_that_happens(self):
        for case in all_cases(12):
            moved = [end for end in ideal_ends(later(case, 1)) if end is not None]
            for now, then in zip((end for end in ideal_ends(case) if end is not None), moved):
                self.assertAlmostEqual(now + 1, then)

    def test_a_file_says_all_of_it(self):
        killed = program(killed_s=0.5, user=7, start_s=0.25)
        text = scenario_text(Case("", 128, (killed, program("p1", batch=True)), (Hog(3, 1, 2),)))
        for line in ("cpus = 128", "packages = 2", "[program p0]", "user = 7", "start = 250ms", "bound = yes",
                     "region = 100000us", "regions = 100", "killed = 500ms", "class = batch", "waits = yes",
                     "[foreign hog0]", "threads = 3", "end = 2000ms"):  # fmt: skip
            self.assertIn(line + "\n", text)
        self.assertEqual(text.count("batch"), 1)


class WhatCameOfIt(unittest.TestCase):
    def test_lists_of_cpus(self):
        self.assertEqual(mask_of("0-2,5"), 0b100111)
        self.assertEqual(mask_of(""), 0)

    def test_times_count_from_each_start(self):
        found = figures_of([told("a", 0, 4, (0.1, "0-3")), told("b", 1, 6, (1.5, "4-7"))])
        self.assertEqual((found.sum_s, found.makespan_s, found.first_team_s), (9, 6, 0.5))
        self.assertEqual((found.settled_s, found.overlap_cpu_s), (0.5, 0))

    def test_one_that_was_killed_is_in_no_sum(self):
        killed = told("a", 0, 2, (0, "0-3"), finished=False)
        found = figures_of([killed, told("b", 0, 6, (0, "4-7"), (2.25, "0-7"))])
        self.assertEqual((found.sum_s, found.makespan_s, found.handed_over_s), (6, 6, 0.25))

    def test_cpus_are_handed_over_when_the_last_one_is(self):
        found = figures_of(
            [
                told("a", 0, 2, (0, "0-3")),
                told("b", 0, 6, (0, "4-5"), (2.25, "0-1,4-5")),
                told("c", 0, 6, (0, "6-7"), (2.5, "2-3,6-7")),
            ]
        )
        self.assertEqual(found.handed_over_s, 0.5)
        self.assertIsNone(figures_of([told("a", 0, 2, (0, "0-3")), told("b", 0, 3, (0, "4"))]).handed_over_s)

    def test_a_team_that_waits_has_no_cpus(self):
        found = figures_of([told("a", 0, 2, (0, "0-3")), told("b", 0, 4, (0, ""), (2, "0-3"))])
        self.assertEqual((found.overlap_cpu_s, found.first_team_s), (0, 2))

    def test_cpus_in_two_teams_are_counted_as_long_as_they_are(self):
        found = figures_of([told("a", 0, 2, (0, "0-3")), told("b", 0, 4, (1, "2-5"))])
        self.assertEqual(found.overlap_cpu_s, 2)

    def test_a_batch_program_that_waits_for_its_turn_has_no_late_first_team(self):
        programs = [told("a", 0, 2, (0.25, "0-3")), told("b", 0, 4, (0, ""), (2, "0-3"))]
        self.assertEqual(figures_of(programs, batch={"a", "b"}).first_team_s, 0.25)
        self.assertEqual(figures_of(programs, batch={"a"}).first_team_s, 2)

    def test_single_cpus_that_come_and_go_unsettle_nobody(self):
        teams = told("a", 0, 9, (0, "0-3"), (3, "0-1"), (5, "0-2"), (6, "0-1"))
        self.assertEqual(figures_of([teams]).settled_s, 3)

    def test_teams_that_grow_cpu_by_cpu_settle_near_their_last_size(self):
        teams = told("a", 0, 9, (0, "0"), (1, "0-1"), (2, "0-2"), (3, "0-3"))
        self.assertEqual(figures_of([teams]).settled_s, 2)

    def test_teams_settle_before_anything_else_happens(self):
        teams = told("a", 0, 9, (0, "0-3"), (3, "0-1"), (5, "0-3")), told("b", 1, 9, (1, "4"))
        self.assertEqual(figures_of(list(teams)).settled_s, 4)
        self.assertEqual(figures_of(list(teams), until_s=4).settled_s, 2)

    def test_a_program_that_did_not_end_is_no_result(self):
        with self.assertRaisesRegex(ValueError, "1 programs did not end, such as b"):
            figures_of([told("a", 0, 1, (0, "0")), told("b", 0, None, (0, "1"))])


class Report(unittest.TestCase):
    CASE = Case("two", 10, (program(work_s=20), program("p1", work_s=20)))

    def row(self, percent=0.5, **changed):
        found = {"sum_s": 8, "makespan_s": 4, "first_team_s": 0.01, "settled_s": 1, "handed_over_s": None,
                 "overlap_cpu_s": 0}  # fmt: skip
        played = Played(Figures(**{**found, **changed}), percent, 0.1, 11)
        return row_of(self.CASE, [played], [Figures(**found)])

    def test_ratios_are_to_the_simulator_and_to_an_equal_split(self):
        row = self.row(sum_s=8.16, makespan_s=4.4)
        self.assertEqual((row["sum_over_simulator"], row["sum_over_split"]), (1.02, 1.02))
        self.assertEqual((row["makespan_over_simulator"], row["makespan_over_split"]), (1.1, 1.1))

    def test_each_goal_is_missed_by_its_figure(self):
        self.assertEqual(self.row()["missed"], [])
        for goal, changed in (
            ("simulator", {"makespan_s": 4.5}),
            ("first team", {"first_team_s": 0.2}),
            ("overlap", {"overlap_cpu_s": 1}),
            ("cost", {"percent": 3}),
        ):
            self.assertEqual(self.row(**changed)["missed"], [goal])
        self.assertEqual(self.row(sum_s=9)["missed"], ["simulator", "split"])

    def test_the_text_says_in_which_cases_a_goal_is_missed(self):
        text = loop_text([self.row(first_team_s=0.2)])
        self.assertRegex(text, r"first team: .* \| 0 of 1 +\| two +\|")


if __name__ == "__main__":
    unittest.main()
