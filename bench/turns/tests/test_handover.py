# SPDX-License-Identifier: MIT
"""The figures that bench/handover makes of kills and reports."""

import unittest

from turns.handover import GOVERNOR, HOLDER, row, waits_ms


def report(at_ms: float) -> dict:
    return {"changes": [{"at_ms": at_ms, "threads": 2}, {"at_ms": at_ms + 1000, "threads": 1}]}


class Waits(unittest.TestCase):
    def test_are_counted_to_the_first_region(self) -> None:
        self.assertEqual(waits_ms(2.0, [report(2003.5), report(2000.0)]), [3.5, 0.0])

    def test_of_who_was_not_parked_mean_nothing(self) -> None:
        with self.assertRaises(ValueError):
            waits_ms(2.0, [report(2003.5), report(1999.0)])


class Rows(unittest.TestCase):
    def test_tell_the_median_and_the_worst(self) -> None:
        expected = ["the holder", "5", "3.00", "9.00", "9.00", "10", "met"]
        self.assertEqual(row(HOLDER, [9.0, 1.0, 3.0, 2.0, 4.0]), expected)

    def test_are_missed_by_the_worst(self) -> None:
        self.assertEqual(row(HOLDER, [1.0, 2.0, 10.5])[-1], "MISSED")
        self.assertEqual(row(GOVERNOR, [1.0, 2.0, 10.5])[-1], "met")


if __name__ == "__main__":
    unittest.main()
