# SPDX-License-Identifier: MIT
"""The command line, quantities with units, and what processes are given."""

import unittest
from pathlib import Path

from experiment.governor import configuration, threshold_policy, warm_up_s
from experiment.programs import clean_environment
from experiment.quantities import BadInput, duration_text, region_text, seconds, span_text
from experiment.settings import read_settings


def settings(*arguments):
    return read_settings(list(arguments), Path("/nowhere/bin"))


def method_names(*arguments):
    return [method.name for method in settings(*arguments).methods]


class Quantities(unittest.TestCase):
    def test_durations_with_and_without_units(self):
        values = [seconds(text) for text in ("1.2", "1.2s", "500ms", "2min", ".5")]
        self.assertEqual(values, [1.2, 1.2, 0.5, 120.0, 0.5])

    def test_other_texts_are_no_durations(self):
        for text in ("", "s", "1,2", "-1", "1h2", "nan", "1e3"):
            with self.assertRaises(ValueError, msg=text):
                seconds(text)

    def test_texts_for_programs_and_people(self):
        self.assertEqual([duration_text(s) for s in (1.0, 0.05, 1.5)], ["1s", "50ms", "1500ms"])
        self.assertEqual([region_text(us) for us in (50, 1000, 20_000)], ["50 us", "1 ms", "20 ms"])
        self.assertEqual([span_text(s) for s in (8, 125, 3780)], ["8 s", "2 min 05 s", "1 h 03 min"])


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


class Processes(unittest.TestCase):
    def test_openmp_settings_of_the_caller_do_not_reach_the_programs(self):
        inherited = {"PATH": "/bin", "OMP_NUM_THREADS": "1", "GOMP_SPINCOUNT": "0", "KMP_A": "1"}
        inherited["THREADCOUNT_MAX"] = "2"
        self.assertEqual(
            clean_environment(inherited, {"THREADCOUNT": "off"}),
            {"PATH": "/bin", "THREADCOUNT": "off"},
        )

    def test_the_governor_is_told_policy_threshold_and_period(self):
        self.assertEqual(
            configuration(threshold_policy(15), 0.5),
            "[governor]\npolicy = threshold\nthreshold = 15%\nperiod = 500ms\n",
        )

    def test_a_governor_warms_up_for_a_second_at_least(self):
        self.assertAlmostEqual(warm_up_s(0.1), 1.2)
        self.assertAlmostEqual(warm_up_s(3.0), 3.2)


if __name__ == "__main__":
    unittest.main()
