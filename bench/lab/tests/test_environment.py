# SPDX-License-Identifier: MIT
"""The environment of programs and governors."""

import unittest

from lab.governor import configuration, threshold_policy, warm_up_s
from lab.programs import clean_environment


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
