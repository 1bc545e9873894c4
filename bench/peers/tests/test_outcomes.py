# SPDX-License-Identifier: MIT
"""The figures that are read from the programs; repetitions become one number."""

import unittest

from lab.spreads import number
from peers.measurement import read_outcome
from peers.outcomes import (
    CRASHED,
    HUNG,
    OK,
    UNSUPPORTED,
    WRONG,
    Outcome,
    Outcomes,
    read_figures,
)


def run(pool, repetition, status=OK, **figures):
    return Outcome(pool, "submit/1", repetition, status, figures, 0.1)


class Figures(unittest.TestCase):
    def test_each_line_is_a_name_and_a_value(self):
        self.assertEqual(read_figures("a_ns 1.5\nb 2\n"), {"a_ns": 1.5, "b": 2.0})

    def test_what_a_pool_does_not_have_is_no_mistake(self):
        self.assertIsNone(read_figures("unsupported\n"))
        self.assertEqual(read_outcome(0, "unsupported\n"), (UNSUPPORTED, {}))

    def test_a_program_that_says_nothing_or_nonsense_is_wrong(self):
        for text in ("", "a\n", "a b\n", "a 1 2\n"):
            self.assertEqual(read_outcome(0, text), (WRONG, {}), text)

    def test_a_signal_is_a_crash_and_a_status_a_wrong_result(self):
        self.assertEqual(read_outcome(-11, "a 1\n"), (CRASHED, {}))
        self.assertEqual(read_outcome(1, "a 1\n"), (WRONG, {}))

    def test_numbers_have_three_digits(self):
        self.assertEqual([number(value) for value in (0, 0.1234, 12.34, 12345.6)],
                         ["0", "0.123", "12.3", "12346"])  # fmt: skip


class Repetitions(unittest.TestCase):
    def test_become_a_median_and_a_range(self):
        outcomes = Outcomes(run("a", i, ns=value) for i, value in enumerate((9.0, 1.0, 2.0)))
        self.assertEqual(outcomes.spread("a", "submit/1", "ns").text(), "2 [1-9]")
        self.assertIsNone(outcomes.spread("b", "submit/1", "ns"))

    def test_ratios_are_taken_within_a_repetition(self):
        # The machine was three times as slow in the second one.
        runs = [run("a", 0, ns=1), run("b", 0, ns=2), run("a", 1, ns=3), run("b", 1, ns=6),
                run("a", 2, ns=100)]  # fmt: skip
        ratio = Outcomes(runs).ratio(("a", "submit/1", "ns"), ("b", "submit/1", "ns"))
        self.assertEqual(ratio, 0.5)

    def test_one_hang_is_trouble_whatever_the_others_were(self):
        runs = [run("a", 0, ns=1), run("a", 1, HUNG), run("b", 0, UNSUPPORTED)]
        outcomes = Outcomes(runs)
        self.assertEqual(outcomes.trouble("a", "submit/1"), HUNG)
        self.assertIsNone(outcomes.trouble("b", "submit/1"))
