# SPDX-License-Identifier: MIT
"""The report of attacks, and the command line of bench/attacks."""

import unittest
from pathlib import Path

from daemon.attacks_report import Window, as_json, attacks_text, is_reached, rows_of, times_of, unanswered
from daemon.attacks_settings import ATTACKS, CHECKS, read_attacks_settings
from lab.quantities import BadInput
from lab.ranges import Range

MACHINE = {
    "cpu_model": "a cpu", "cpus_allowed": [0, 1], "kernel": "Linux", "date": "today",
    "load_average_before": [0.5],
}  # fmt: skip
MS = 1_000_000


def settings(*arguments, limit=20_000, root=True):
    return read_attacks_settings(list(arguments), Path("/nowhere/bin"), limit, root)


def waited(*answered_ms, still_open_ms=()):
    return {"answered_ns": [ms * MS for ms in answered_ms], "open_ns": [ms * MS for ms in still_open_ms]}


def window(server, repetition, times, heartbeat_s=None, attack="linger"):
    beat = None if heartbeat_s is None else Range.exactly(heartbeat_s)
    both = {"asking": times, "connecting": times}
    return Window(attack, server, repetition, both, beat, 12.0, 0, 3, 0)


def document(windows, **other):
    described = settings().described() | {"command_line": "bench/attacks"}
    return {
        "machine": MACHINE, "settings": described, "rows": rows_of(windows), "checks": [], "notes": [], **other
    }  # fmt: skip


class Times(unittest.TestCase):
    def test_a_question_without_an_answer_makes_the_worst_a_bound_but_not_the_median(self):
        found = times_of(waited(1, 2, 3, still_open_ms=(900,)))
        self.assertEqual((found.median, found.worst), (Range.exactly(2.5), Range.at_least(900)))

    def test_the_median_is_a_bound_when_most_have_no_answer(self):
        found = times_of(waited(1, still_open_ms=(400, 800)))
        self.assertEqual(found.median, Range.at_least(400))

    def test_nothing_asked_says_nothing(self):
        self.assertEqual(times_of(waited()).median.text(1), "?")


class Rows(unittest.TestCase):
    def test_ratios_are_taken_within_one_repetition(self):
        windows = [
            window("governor", 0, times_of(waited(2)), 0.5), window("dummy", 0, times_of(waited(1))),
            window("governor", 1, times_of(waited(9)), 0.6), window("dummy", 1, times_of(waited(3))),
        ]  # fmt: skip
        asking, connecting = rows_of(windows)
        self.assertEqual((asking["ratios"], asking["ratio"], asking["heartbeat_s"]), ([2.0, 3.0], 2.5, 0.6))
        self.assertEqual(connecting["way"], "connecting")
        self.assertFalse(is_reached(asking))

    def test_a_governor_that_lets_nobody_in_misses_both_goals(self):
        windows = [window("governor", 0, unanswered(10)), window("dummy", 0, times_of(waited(1)))]
        row = rows_of(windows)[0]
        self.assertEqual((row["ratio"], row["governor_median_ms"]), ([10_000.0, None], [10_000.0, None]))
        self.assertIs(is_reached(row), False)

    def test_a_bound_below_the_goal_allows_no_statement(self):
        windows = [window("governor", 0, unanswered(0.001)), window("dummy", 0, times_of(waited(1)))]
        self.assertIsNone(is_reached(rows_of(windows)[0]))

    def test_numbers_of_single_runs_are_plain_data(self):
        found = as_json(window("governor", 0, unanswered(1), 0.5))
        self.assertEqual((found["heartbeat_s"], found["times"]["asking"]["worst_ms"]), (0.5, [1000.0, None]))


class Report(unittest.TestCase):
    def test_a_missed_goal_and_a_bound_are_seen_in_the_table(self):
        windows = [window("governor", 0, unanswered(10), 0.5), window("dummy", 0, times_of(waited(1)))]
        text = attacks_text(document(windows))
        row = r"linger +asking +> 10000\.00 +> 10000\.0 +1\.00 +1\.0 +> 10000\.00 +0\.50 +12 % +MISSED"
        self.assertRegex(text, row)

    def test_the_answer_to_a_check_stands_in_a_sentence(self):
        check = {"name": "seats", "question": "Is there one?", "yes": False, "remark": "none left"}
        self.assertIn("Is there one? NO; none left.", attacks_text(document([], checks=[check])))


class Settings(unittest.TestCase):
    def test_everything_is_run_unless_something_is_named(self):
        self.assertEqual((settings().attacks, settings().checks), (ATTACKS, CHECKS))
        found = settings("--attacks", "linger,history")
        self.assertEqual(([a.name for a in found.attacks], found.checks), (["linger"], ("history",)))

    def test_attacks_beside_many_leases_share_their_servers(self):
        acts = settings().acts()
        self.assertEqual([len(act) for act in acts], [1] * (len(acts) - 1) + [5])
        self.assertTrue(all(attack.crowded for attack in acts[-1]))

    def test_without_root_all_are_one_user(self):
        self.assertEqual((settings().user(3100), settings(root=False).user(3100)), (3100, None))

    def test_what_is_no_attack_is_refused(self):
        with self.assertRaisesRegex(BadInput, "'tea' is none of quiet, linger"):
            settings("--attacks", "tea")

    def test_more_leases_than_the_governor_can_open_are_refused(self):
        with self.assertRaisesRegex(BadInput, "open files in the governor"):
            settings("--leases", "4000", limit=8000)
