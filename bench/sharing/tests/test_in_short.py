# SPDX-License-Identifier: MIT
"""What a newcomer reads of a result."""

import unittest

from lab.ranges import Range
from lab.summary import Row
from sharing.in_short import in_short, verdict


def row(method: str, makespan: Range, each_s: float) -> Row:
    aggregate = Range.exactly(2 * each_s) if makespan.exact else Range.at_least(2 * each_s)
    return Row("mix-1", method, (aggregate,), (makespan,), (Range.exactly(each_s),) * 2, {}, {})


def exact(method: str, makespan_s: float, each_s: float) -> Row:
    return row(method, Range.exactly(makespan_s), each_s)


class InShort(unittest.TestCase):
    def test_says_how_much_was_gained_and_what_does_as_well(self):
        rows = [exact("default", 9, 8), exact("passive", 4.4, 4), exact("fair", 4.5, 4), exact("turns", 4.5, 3)]
        self.assertEqual(
            verdict(rows),
            "Verdict: with the governor all were done 2.0 times as fast (4.5 s governed, 9.0 s plain OpenMP);"
            " threads that sleep do as well here (1.02);"
            " in turn a program took 0.75 of its time beside the others.",
        )

    def test_a_stopped_run_is_a_bound(self):
        said = verdict([row("default", Range.at_least(20), 20), exact("fair", 5, 4)])
        self.assertIn("at least 4.0 times as fast (5.0 s governed, > 20.0 s plain OpenMP)", said)

    def test_says_that_nothing_was_gained(self):
        self.assertIn("gained nothing", verdict([exact("default", 5, 4), exact("fair", 5, 4)]))
        self.assertIn("done later", verdict([exact("default", 5, 4), exact("fair", 7, 4)]))
        self.assertIn("were faster", verdict([exact("default", 9, 4), exact("passive", 4, 4), exact("fair", 7, 4)]))

    def test_says_that_there_is_no_verdict(self):
        self.assertIn("none", verdict([exact("default", 5, 4)]))
        self.assertEqual(in_short([], []), "No run was finished.\n")

    def test_has_a_line_for_each_method(self):
        text = in_short([exact("default", 9, 8), exact("fair", 4.5, 4)], ["others were busy"])
        self.assertIn("others were busy", text)
        self.assertIn("as they are (plain OpenMP)", text)
        self.assertIn("governed, fair shares", text)
        self.assertEqual(text.count("\n"), 7)


if __name__ == "__main__":
    unittest.main()
