# SPDX-License-Identifier: MIT
"""The verdicts on goals, and the tables."""

import unittest
from pathlib import Path

from lab.quantities import BadInput
from peers.goals import Goal, goals, verdict_of
from peers.outcomes import HUNG, OK, UNSUPPORTED, Outcome, Outcomes
from peers.plan import OURS, all_benches
from peers.report import report_text, verdicts_as_json
from peers.settings import read_peers_settings

MACHINE = {
    "cpu_model": "Some CPU",
    "cpus_allowed": [0, 1],
    "kernel": "Linux 6",
    "date": "today",
    "load_average_before": [0.5],
}
SETTINGS = {"repetitions": 3, "scale": 0.2}
PEERS = ("taskflow", "dispenso")
GOAL = Goal(1, "submission", "submit/1", "ns", "ns", 0.5, PEERS)


def outcomes(*runs):
    return Outcomes(
        Outcome(pool, "submit/1", repetition, status, figures, 0.1)
        for pool, repetition, status, figures in runs
    )


def of(pool, status=OK, **figures):
    return (pool, 0, status, figures)


class Verdicts(unittest.TestCase):
    def test_the_best_peer_is_the_one_to_beat(self):
        runs = outcomes(of(OURS, ns=40), of("taskflow", ns=200), of("dispenso", ns=100))
        verdict = verdict_of(GOAL, runs)
        self.assertEqual((verdict.rival_name, verdict.ratio, verdict.met), ("dispenso", 0.4, True))

    def test_a_ratio_above_the_bound_misses(self):
        verdict = verdict_of(GOAL, outcomes(of(OURS, ns=60), of("dispenso", ns=100)))
        self.assertIs(verdict.met, False)

    def test_a_peer_that_hung_is_not_the_best(self):
        runs = outcomes(of(OURS, ns=60), of("taskflow", ns=200), of("dispenso", HUNG, ns=10))
        verdict = verdict_of(GOAL, runs)
        self.assertEqual((verdict.rival_name, verdict.met), ("taskflow", True))
        self.assertEqual(verdict.troubles, {"dispenso": HUNG})

    def test_who_is_not_there_leaves_it_open(self):
        self.assertIsNone(verdict_of(GOAL, outcomes(of("dispenso", ns=1))).met)
        self.assertIsNone(verdict_of(GOAL, outcomes(of(OURS, ns=1))).met)

    def test_a_pool_of_ours_that_hangs_misses(self):
        self.assertIs(verdict_of(GOAL, outcomes(of(OURS, HUNG), of("dispenso", ns=1))).met, False)

    def test_what_ours_cannot_do_is_missed(self):
        runs = outcomes(of(OURS, UNSUPPORTED), of("dispenso", ns=1))
        self.assertIs(verdict_of(GOAL, runs).met, False)

    def test_a_yardstick_is_of_our_own_run(self):
        goal = Goal(4, "wake", "submit/1", "wake_us", "us", 1.1, yardstick="raw_us")
        runs = outcomes(of(OURS, wake_us=22, raw_us=20), of("dispenso", wake_us=1, raw_us=1))
        verdict = verdict_of(goal, runs)
        self.assertEqual((verdict.rival_name, verdict.ratio, verdict.met), ("raw", 1.1, True))

    def test_any_schedule_of_a_peer_counts(self):
        goal = Goal(5, "loop", "submit/1", "static_us", "us", 1.05, PEERS, ("static_us", "dynamic_us"))
        runs = outcomes(of(OURS, static_us=3), of("dispenso", static_us=4, dynamic_us=2))
        verdict = verdict_of(goal, runs)
        self.assertEqual((verdict.rival_name, verdict.ratio), ("dispenso dynamic", 1.5))

    def test_without_a_rival_the_bound_is_for_the_figure(self):
        goal = Goal(6, "idle", "submit/1", "switches", "", 5)
        self.assertTrue(verdict_of(goal, outcomes(of(OURS, switches=5))).met)
        self.assertIs(verdict_of(goal, outcomes(of(OURS, switches=6))).met, False)


class Plan(unittest.TestCase):
    def test_every_goal_is_about_a_bench_that_is_run(self):
        keys = {bench.key for bench in all_benches()}
        self.assertEqual({goal.bench for goal in goals()} - keys, set())


class Report(unittest.TestCase):
    def test_has_a_line_for_each_goal_and_says_who_is_missing(self):
        runs = outcomes(of(OURS, ns=60), of("dispenso", ns=100), of("taskflow", HUNG))
        verdicts = [verdict_of(GOAL, runs)]
        text = report_text(MACHINE, SETTINGS, {"rayon": "no cargo"}, verdicts, runs)
        self.assertIn("Repetitions: 3. Counts are 0.2", text)
        self.assertIn("rayon is left out: no cargo.", text)
        self.assertRegex(text, r"submission, ns +60 \[60-60\] +100 \[100-100\] +dispenso +0.60 +<= 0.5x +NO")
        self.assertIn("taskflow hung", text)
        self.assertEqual(verdicts_as_json(verdicts)[0]["met"], False)


class Settings(unittest.TestCase):
    def read(self, *arguments):
        return read_peers_settings(list(arguments), Path("/nowhere"))

    def test_quick_is_smaller(self):
        self.assertEqual((self.read().repetitions, self.read("--quick").repetitions), (7, 3))
        self.assertLess(self.read("--quick").scale, self.read().scale)

    def test_refusals_name_what_is_accepted(self):
        for arguments in (["--pools", "none"], ["--benches", "x"], ["--bs", "/no/such/folder"]):
            with self.assertRaises(BadInput) as caught:
                self.read(*arguments)
            self.assertIn(arguments[1], str(caught.exception))

    def test_a_bench_is_chosen_with_all_its_sizes(self):
        keys = [bench.key for bench in self.read("--benches", "submit").benches]
        self.assertEqual(keys, ["submit/1", "submit/2"])
