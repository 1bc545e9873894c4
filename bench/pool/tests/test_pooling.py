# SPDX-License-Identifier: MIT
import unittest
from pathlib import Path

from lab.quantities import BadInput
from lab.spreads import Spread
from pool.cases import Case, Goal, Part, Site, article_ratio, ratio
from pool.figures import disagreement, ratios_of, transfer_text, verdicts_of
from pool.report import report_text
from pool.settings import PARTS, read_settings


def part(rate=False, goals=()):
    cases = (
        Case("slow", ("-t", "1"), None, 200.0),
        Case("fast", ("-t", "2"), "slow", 100.0),
        Case("ours", ("-t", "3"), "slow"),
    )
    return Part("p", "P", "program", "ms", "ms", cases, "A remark.", "ms", rate, goals)


def runs(*triples):
    names = ("slow", "fast", "ours")
    return [{name: {"ms": ms} for name, ms in zip(names, triple)} for triple in triples]


class Cases(unittest.TestCase):
    def test_a_ratio_above_one_is_worse_whether_more_is_better_or_not(self):
        self.assertEqual(ratio(2.0, 1.0, rate=False), 2.0)
        self.assertEqual(ratio(2.0, 1.0, rate=True), 0.5)

    def test_the_article_has_a_ratio_where_it_has_both_figures(self):
        slow, fast, ours = part().cases
        self.assertEqual(article_ratio(part(), fast), 0.5)
        self.assertEqual(article_ratio(part(rate=True), fast), 2.0)
        self.assertIsNone(article_ratio(part(), ours))
        self.assertIsNone(article_ratio(part(), slow))

    def test_a_part_that_names_a_case_that_is_not_there_is_refused(self):
        with self.assertRaises(ValueError):
            Part("p", "P", "program", "ms", "ms", (Case("a", (), "nobody"),), "")
        with self.assertRaises(ValueError):
            part(goals=(Goal("g", "ours", "nobody", "ms", 1),))

    def test_each_part_can_be_made_for_one_cpu_and_for_many(self):
        for cpus in (1, 2, 24):
            for build in PARTS.values():
                for quick in (False, True):
                    made = build(Site(cpus, has_smt=cpus > 2, quick=quick))
                    self.assertTrue(all(case.command for case in made.cases), made.name)


class Figures(unittest.TestCase):
    def test_ratios_are_of_the_same_repetition_and_the_median_is_of_them(self):
        found = ratios_of(runs((100, 50, 0), (10, 9, 0), (1, 2, 0)), part(), part().cases[1])
        self.assertEqual(found, Spread(0.9, 0.5, 2.0))

    def test_a_goal_is_a_bound_above_or_below(self):
        goals = (Goal("g", "ours", "slow", "ms", 1.02), Goal("h", "ours", "slow", "ms", 0.97, True))
        met = [verdict.met for verdict in verdicts_of(runs((100, 1, 103)), part(goals=goals))]
        self.assertEqual(met, [False, True])
        met = [verdict.met for verdict in verdicts_of(runs((100, 1, 96)), part(goals=goals))]
        self.assertEqual(met, [True, False])

    def test_it_transfers_what_is_on_the_same_side_of_one_beyond_the_spread(self):
        case = Case("c", ())
        self.assertEqual(transfer_text(case, 1.5, Spread(1.2, 1.1, 1.3)), "yes")
        self.assertIn("other way", transfer_text(case, 1.5, Spread(0.8, 0.7, 0.9)))
        self.assertIn("unclear", transfer_text(case, 1.5, Spread(1.2, 0.9, 1.3)))
        self.assertIn("no SMT", transfer_text(Case("c", (), unfit="no SMT"), 1.5, None))
        self.assertEqual(transfer_text(case, None, Spread(1, 1, 1)), "")

    def test_different_results_of_the_same_jobs_are_noticed(self):
        found = runs((1, 1, 1), (1, 1, 1))
        for run in found:
            for outcome in run.values():
                outcome["checksum"] = "a"
        self.assertIsNone(disagreement(found, part()))
        found[1]["ours"]["checksum"] = "b"
        self.assertIn("ours", disagreement(found, part()))


class Report(unittest.TestCase):
    def test_the_figure_of_the_article_stands_beside_ours(self):
        machine = {
            "cpu_model": "A CPU", "cpus_allowed": [0], "kernel": "Linux", "date": "today",
            "load_average_before": [0.5],
        }  # fmt: skip
        goals = (Goal("cost", "ours", "slow", "ms", 1.02),)
        results = [(part(goals=goals), runs((100, 60, 103)))]
        text = report_text(machine, {"repetitions": 1, "quick": True}, results, {"p": 1.5})
        row = next(line for line in text.split("\n") if "fast" in line).replace(" ", "")
        self.assertIn("|b|fast|100|60[60-60]|a|0.50|0.60[0.60-0.60]|yes|", row)
        self.assertIn("| MISSED? |", text)
        self.assertIn("**Verdict: missed: cost (1.03), on a busy machine.**", text)
        self.assertIn("The article's comparisons: 1 as there.", text)
        self.assertIn("Others kept 1.50 CPUs busy: measure again", text)

    def test_on_a_quiet_machine_a_verdict_is_one(self):
        machine = {
            "cpu_model": "A CPU", "cpus_allowed": [0], "kernel": "Linux", "date": "today",
            "load_average_before": [0.0],
        }  # fmt: skip
        results = [(part(goals=(Goal("cost", "ours", "slow", "ms", 1.02),)), runs((100, 60, 90)))]
        text = report_text(machine, {"repetitions": 1, "quick": False}, results, {"p": 0.02})
        self.assertIn("| reached |", text)
        self.assertIn("**Verdict: reached, 1 of 1.**", text)
        self.assertIn("Others kept 0.02 CPUs busy.", text)


class Settings(unittest.TestCase):
    def test_quick_means_fewer_repetitions(self):
        self.assertEqual(read_settings(["--quick"], Path("bin")).repetitions, 2)
        self.assertEqual(read_settings([], Path("bin")).repetitions, 7)
        self.assertEqual(read_settings(["--quick", "--repetitions", "5"], Path("bin")).repetitions, 5)

    def test_an_unknown_part_is_refused_by_name(self):
        with self.assertRaisesRegex(BadInput, "'tea' is none of jobs, lists"):
            read_settings(["--parts", "jobs,tea"], Path("bin"))


if __name__ == "__main__":
    unittest.main()
