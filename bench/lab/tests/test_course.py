# SPDX-License-Identifier: MIT
"""Runs one after the other."""

import io
import unittest

from lab.cells import Cell, Method, Scenario
from lab.course import run_cells
from lab.programs import ProcessFailed
from lab.progress import Progress
from lab.records import ProgramRecord, Results
from lab.side_by_side import Outcome

CELLS = [Cell(0, Scenario("pair", ("md", "md")), Method(name)) for name in ("plain", "fair")]


def outcome(stopped_s=None):
    finished_s = None if stopped_s else 2.0
    return Outcome(0.0, stopped_s, 0.0, (ProgramRecord("md", 0.0, finished_s, 1.0, (), {}),))


class RunCells(unittest.TestCase):
    def setUp(self):
        self.results, self.said = Results({}, {}, {}), io.StringIO()

    def run_all(self, made):
        run_cells(CELLS, lambda cell: 1.0, made, self.results, Progress(self.said))

    def test_each_is_kept_and_told(self):
        self.run_all(lambda cell, look: outcome(9.0 if cell.method.name == "fair" else None))
        self.assertEqual([run.method for run in self.results.runs], ["plain", "fair"])
        lines = self.said.getvalue().splitlines()
        self.assertEqual(lines[0], "[1/2] pair plain: 2.00 s; about 1 s left")
        self.assertIn("[2/2] pair fair: > 9.00 s (stopped)", lines[1])

    def test_a_failure_names_its_run_and_leaves_the_others(self):
        def made(cell, look):
            if cell.method.name == "fair":
                raise ProcessFailed("md exited with 1")
            look()
            return outcome()

        with self.assertRaisesRegex(ProcessFailed, r"\[2/2\] pair fair: md exited with 1"):
            self.run_all(made)
        self.assertEqual([run.method for run in self.results.runs], ["plain"])


if __name__ == "__main__":
    unittest.main()
