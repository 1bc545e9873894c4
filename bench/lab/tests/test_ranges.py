# SPDX-License-Identifier: MIT
"""Arithmetic of values that may be bounds."""

import math
import unittest

from lab.ranges import Range, least, median, ratio, spread_text, total

EXACT_2, EXACT_4, OVER_8 = Range.exactly(2.0), Range.exactly(4.0), Range.at_least(8.0)


class Ratios(unittest.TestCase):
    def test_of_two_measured_values(self):
        self.assertEqual(ratio(EXACT_2, EXACT_4), Range.exactly(0.5))

    def test_over_a_stopped_baseline_is_an_upper_bound(self):
        self.assertEqual(ratio(EXACT_2, OVER_8), Range(0.0, 0.25))
        self.assertEqual(ratio(EXACT_2, OVER_8).text(2), "< 0.25")

    def test_of_a_stopped_run_is_a_lower_bound(self):
        self.assertEqual(ratio(OVER_8, EXACT_4), Range(2.0, math.inf))
        self.assertEqual(ratio(OVER_8, EXACT_4).text(2), "> 2.00")

    def test_of_two_stopped_runs_says_nothing(self):
        self.assertEqual(ratio(OVER_8, OVER_8).text(2), "?")


class Medians(unittest.TestCase):
    def test_odd_and_even_counts(self):
        values = [Range.exactly(x) for x in (9.0, 1.0, 2.0)]
        self.assertEqual(median(values), Range.exactly(2.0))
        self.assertEqual(median(values[1:]), Range.exactly(1.5))

    def test_one_stopped_run_of_three_above_the_middle_leaves_the_median_exact(self):
        self.assertEqual(median([EXACT_2, OVER_8, EXACT_4]), EXACT_4)

    def test_a_stopped_run_in_the_middle_makes_a_bound(self):
        self.assertEqual(median([EXACT_2, OVER_8]), Range(5.0, math.inf))
        self.assertEqual(median([OVER_8, OVER_8, EXACT_2]), OVER_8)

    def test_a_bound_below_larger_values_is_not_taken_for_a_small_value(self):
        stopped_early = Range.at_least(1.0)
        self.assertEqual(median([stopped_early, EXACT_2, EXACT_4]), Range(2.0, 4.0))

    def test_of_nothing_is_an_error(self):
        with self.assertRaises(ValueError):
            median([])


class SumsAndTexts(unittest.TestCase):
    def test_a_bound_in_a_sum_makes_it_a_bound(self):
        self.assertEqual(total([EXACT_2, EXACT_4]), Range.exactly(6.0))
        self.assertEqual(total([EXACT_2, OVER_8]), Range.at_least(10.0))

    def test_the_least_is_known_if_what_was_stopped_is_longer(self):
        self.assertEqual(least([Range.exactly(8.0), Range.at_least(20.0)]), Range.exactly(8.0))
        self.assertEqual(least([Range.exactly(8.0), Range.at_least(5.0)]), Range(5.0, 8.0))
        with self.assertRaises(ValueError):
            least([])

    def test_spread_marks_stopped_runs(self):
        self.assertEqual(spread_text([EXACT_4, EXACT_2], 1), "[2.0-4.0]")
        self.assertEqual(spread_text([EXACT_2, OVER_8], 1), "[2.0->8.0]")


if __name__ == "__main__":
    unittest.main()
