# SPDX-License-Identifier: MIT
"""Time left, and one line per step where there is no terminal."""

import io
import unittest
import unittest.mock

from lab.cells import Cell, method_named, scenario_named
from lab.progress import Progress, TimeLeft

MIX, STATIC, DEFAULT = scenario_named("mix-1"), method_named("static"), method_named("default")
FIRST, SECOND = Cell(0, MIX, STATIC), Cell(0, MIX, DEFAULT)
AGAIN = Cell(1, MIX, STATIC)


class TimeLeftTest(unittest.TestCase):
    def setUp(self):
        self.left = TimeLeft({FIRST: 10.0, SECOND: 20.0, AGAIN: 10.0})

    def test_the_current_run_is_not_among_the_later_ones(self):
        self.assertEqual(self.left.later_s(FIRST), 30.0)

    def test_a_run_that_is_over_no_longer_counts(self):
        self.left.took(SECOND, 5.0)
        self.assertEqual(self.left.later_s(FIRST), 10.0)

    def test_what_a_cell_took_replaces_what_was_expected_of_it(self):
        self.left.took(FIRST, 4.0)
        self.assertEqual(self.left.expected_s(AGAIN), 4.0)
        self.assertEqual(self.left.later_s(SECOND), 4.0)

    def test_nothing_is_left_after_the_last_run(self):
        for cell in (FIRST, SECOND, AGAIN):
            self.left.took(cell, 1.0)
        self.assertEqual(self.left.later_s(AGAIN), 0.0)


class ProgressTest(unittest.TestCase):
    def test_without_a_terminal_there_is_one_plain_line_per_step(self):
        stream = io.StringIO()
        progress = Progress(stream)
        progress.under_way("[1/2] mix-1 static", 61.0)
        progress.done("[1/2] mix-1 static: 5.00 s", 61.0)
        self.assertEqual(stream.getvalue(), "[1/2] mix-1 static: 5.00 s; about 1 min 01 s left\n")

    def test_on_a_terminal_the_line_is_removed_before_the_next(self):
        stream = io.StringIO()
        stream.isatty = lambda: True
        with unittest.mock.patch.dict("os.environ", {"TERM": "xterm", "NO_COLOR": "1"}):
            progress = Progress(stream)
        progress.under_way("step", 5.0)
        progress.done("step: over")
        self.assertEqual(
            stream.getvalue(), "\r\x1b[Kstep ... about 5 s left\r\x1b[Kstep: over\n"
        )


if __name__ == "__main__":
    unittest.main()
