# SPDX-License-Identifier: MIT
"""The command line of bench/scenario."""

import unittest
from pathlib import Path

from lab.quantities import BadInput
from sharing.settings import read_settings


def settings(*arguments):
    return read_settings(list(arguments), Path("/nowhere/bin"))


def method_names(*arguments):
    return [method.name for method in settings(*arguments).methods]


class Forms(unittest.TestCase):
    def test_quick_is_the_default_and_has_a_budget(self):
        quick = settings()
        self.assertEqual((quick.full, quick.budget_s, quick.region_us), (False, 110.0, 1000))
        self.assertEqual([one.name for one in quick.scenarios], ["mix-1"])
        self.assertIsNone(quick.fixed_size())

    def test_full_is_the_article(self):
        full = settings("--full")
        self.assertEqual((len(full.scenarios), len(full.methods)), (10, 8))
        self.assertEqual((full.repetitions, full.region_us, full.budget_s), (3, 20_000, None))
        self.assertEqual(full.fixed_size().program_s["uniform-md-2"], 2.2 * 1.4)

    def test_by_default_programs_are_longer_than_the_pause_but_a_given_length_is_obeyed(self):
        self.assertAlmostEqual(settings("--full").fixed_size().program_s["mix-2"], 2.2 * 1.4)
        self.assertAlmostEqual(settings("--full", "--length", "4").fixed_size().program_s["mix-2"], 0.5)

    def test_methods_and_thresholds_replace_their_half_each(self):
        self.assertEqual(method_names()[3:], ["fair", "threshold-10"])
        self.assertEqual(method_names("--methods", "static"), ["static"])
        self.assertEqual(method_names("--thresholds", "5,15")[4:], ["threshold-5", "threshold-15"])
        both = method_names("--methods", "static,threshold-5", "--thresholds", "5,20")
        self.assertEqual(both, ["static", "threshold-5", "threshold-20"])

    def test_libomp_programs_have_a_suffix(self):
        programs = [settings("--runtime", name).program("md").name for name in ("gcc", "clang")]
        self.assertEqual(programs, ["md", "md-omp"])


class Refusals(unittest.TestCase):
    def test_each_names_the_option_the_value_and_the_range(self):
        for option, value, accepted in (
            ("--stagger", "99h", "0 s to 1 min"),
            ("--period", "10ms", "0.05 s to 1 min"),
            ("--repetitions", "0", "1 to 1000"),
            ("--region-us", "5", "10 to 10000000"),
            ("--iterations", "-3", "1 to"),
            ("--thresholds", "5,101", "1 to 100"),
            ("--scenarios", "mix-1,,mix-2", "without empty places"),
        ):
            with self.assertRaises(BadInput) as refusal:
                settings(option, value)
            self.assertIn(option, str(refusal.exception))
            self.assertIn(accepted, str(refusal.exception))

    def test_unknown_options_are_refused(self):
        with self.assertRaisesRegex(BadInput, "--thresh"):
            settings("--thresh", "5")


if __name__ == "__main__":
    unittest.main()
