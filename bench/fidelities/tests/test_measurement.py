# SPDX-License-Identifier: MIT
"""The cells that are measured together, and the use of their runs."""

import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from fidelities.cells import Cell, table_text
from fidelities.measurement import kinds_of, measured, plan_text
from lab.quantities import BadInput
from lab.records import ProgramRecord, RunRecord

BENCH = Path(__file__).parents[2]
CELL = Cell("mine", "-", "libgomp", 1000, 2, "uniform", 2, 0.1, "fair", "plain", "makespan")


def run(method, repetition, finished_s, stopped_s=None):
    programs = tuple(ProgramRecord("md", 0.0, finished_s, 0.0, (), None) for _ in range(2))
    return RunRecord("uniform-md-2", method, repetition, 0.0, stopped_s, None, programs)


class Kinds(unittest.TestCase):
    def test_cells_of_the_same_programs_share_their_runs(self):
        kinds = kinds_of([CELL, replace(CELL, count=4), replace(CELL, baseline="ideal")])
        self.assertEqual([len(kind.cells) for kind in kinds], [2, 1])
        self.assertEqual([method.name for method in kinds[0].methods], ["fair", "default", "in-turn"])
        self.assertEqual(kinds[1].scenario.name, "uniform-md-4")

    def test_other_runtimes_are_refused(self):
        with self.assertRaisesRegex(BadInput, "libfoo"):
            kinds_of([replace(CELL, runtime="libfoo")])[0].settings(Path("bin"), 5)

    def test_the_plan_tells_its_time(self):
        text = plan_text(kinds_of([CELL]), Path("bin"), 5)
        self.assertRegex(text, "fair, default x 5, about .*\n1 cells, about .* s")


class Measured(unittest.TestCase):
    def test_a_cell_has_median_and_extremes_of_ratios_of_a_repetition(self):
        times_s = {"fair": (1.0, 1.1, 3.0), "default": (2.0, 2.0, 2.0)}
        runs = [run(name, i, span) for name, spans in times_s.items() for i, span in enumerate(spans)]
        cell = measured(CELL, runs, None)
        self.assertEqual((cell.measured, cell.least, cell.most), (0.55, 0.5, 1.5))

    def test_the_ideal_is_as_long_as_programs_in_turn(self):
        runs = [run("fair", 0, 3.3), run("in-turn", 0, 2.2)]
        cell = measured(replace(CELL, baseline="ideal"), runs, lambda cell: 2.0)
        self.assertAlmostEqual(cell.measured, 1.5)

    def test_a_cell_with_a_stopped_run_stays_open(self):
        runs = [run("fair", 0, 1.0), run("default", 0, None, 9.0)]
        self.assertEqual(measured(replace(CELL, measured=0.5, least=0.4, most=0.6), runs, None), CELL)
        runs = [run("fair", 0, 3.3), run("in-turn", 0, None, 9.0)]
        in_turn = replace(CELL, baseline="ideal")
        self.assertEqual(measured(in_turn, runs, lambda cell: 2.0), in_turn)


class Command(unittest.TestCase):
    def call(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cells.txt"
            path.write_text(table_text(Cell, [CELL]), encoding="utf-8")
            command = [sys.executable, BENCH / "fidelity", "--cells", path, *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_plan_measures_nothing(self):
        done = self.call("--measure", "/nonexistent/file", "--dry-run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 cells, about", done.stdout)

    def test_cells_that_nobody_measured_are_not_compared(self):
        done = self.call()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--measure", done.stderr)

    def test_the_list_of_cells_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cells.txt"
            path.write_text(table_text(Cell, [CELL]), encoding="utf-8")
            command = [sys.executable, BENCH / "fidelity", "--cells", path, "--measure"]
            command.append(Path(folder) / ".." / Path(folder).name / path.name)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn("another file", done.stderr)
            self.assertEqual(path.read_text(encoding="utf-8"), table_text(Cell, [CELL]))

    def test_missing_programs_are_one_sentence(self):
        done = self.call("--measure", "/nonexistent/file", "--bin", "/nonexistent")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


if __name__ == "__main__":
    unittest.main()
