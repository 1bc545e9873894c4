# SPDX-License-Identifier: MIT
"""Cells and their files, scenario files of methods, and the page."""

import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from fidelities.cells import TABLE, Cell, read_table, table_text
from fidelities.page import Row, page
from fidelities.scenario import scenario_text
from lab.quantities import BadInput

BENCH = Path(__file__).parents[2]
CELL = Cell("mine", "AMD", "libgomp", 1000, 4, "uniform", 2, 0.1, "fair", "plain", "aggregate", 0.5)


class Scenarios(unittest.TestCase):
    def test_programs_share_the_length_and_start_one_after_the_other(self):
        lines = scenario_text(CELL, "fair").splitlines()
        self.assertEqual(lines.count("regions = 1000"), 4)
        self.assertIn("start = 300ms", lines)
        self.assertIn("runtime = libgomp", lines)
        self.assertNotIn("behaviour = ungoverned", lines)

    def test_methods_differ_in_who_governs_and_how_threads_wait(self):
        self.assertIn("spins = no", scenario_text(CELL, "passive"))
        self.assertIn("cpus = 1", scenario_text(CELL, "static").splitlines())
        self.assertIn("class = batch", scenario_text(CELL, "turns"))
        self.assertIn("runtime = free", scenario_text(CELL, "ideal"))

    def test_a_habit_is_that_of_the_first_program(self):
        sleeper = replace(CELL, region_us=20_000, habit="sleeper")
        self.assertEqual(scenario_text(sleeper, "plain").count("sleep = 60000us"), 1)
        hog = replace(CELL, count=2, habit="hog")
        self.assertEqual(scenario_text(hog, "turns").count("class = batch"), 1)

    def test_a_hog_is_plain_openmp_beside_all_methods(self):
        hog = replace(CELL, habit="hog")
        self.assertEqual(scenario_text(hog, "passive").count("spins = no"), 3)
        text = scenario_text(hog, "static")
        self.assertEqual([line for line in text.splitlines() if line.startswith("cpus = ")], [
            "cpus = 2", "cpus = 1", "cpus = 0", "cpus = 1",
        ])  # fmt: skip


class Files(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cells.txt"
            path.write_text(text, encoding="utf-8")
            return read_table(path, Cell)

    def test_every_cell_has_a_name_of_its_own(self):
        named = [cell.name for cell in read_table(TABLE, Cell)]
        self.assertEqual(len(set(named)), len(named))

    def test_what_is_written_is_read_again(self):
        cells = [CELL, replace(CELL, measured=None), replace(CELL, measured=1.0, least=0.9, most=1.2)]
        self.assertEqual(self.read("# why\n\n" + table_text(Cell, cells)), cells)

    def test_what_cannot_be_read_is_named(self):
        good = table_text(Cell, [CELL])
        for text, named in (
            (good.replace("habit", "habits"), "habit"),
            (good.replace("0.5", "half"), "line 2: .*half"),
            (good.replace("aggregate", "agregate"), "line 2: figure agregate"),
            (good.replace(" 0.5 ", " "), "line 2: 13 words for 14 columns"),
            ("", "source"),
        ):
            with self.assertRaisesRegex(BadInput, named):
                self.read(text)

    def test_a_file_that_is_no_text_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "cells.txt")
            path.write_bytes(b"\xff\xfe")
            with self.assertRaisesRegex(BadInput, "cells.txt: it is no text"):
                read_table(path, Cell)

    def test_a_cell_is_wide_where_one_repetition_is_a_tenth_off(self):
        self.assertFalse(CELL.wide)
        self.assertFalse(replace(CELL, least=0.46, most=0.54).wide)
        self.assertTrue(replace(CELL, least=0.46, most=0.56).wide)


class Page(unittest.TestCase):
    def test_cells_that_are_off_are_bold_and_fitted_ones_apart(self):
        fitted = replace(CELL, source="own", measured=2.0)
        text = page("bench/fidelity", [Row(CELL, 0.52), Row(CELL, 0.7), Row(fitted, 2.0)], [])
        self.assertIn("1 of 2 cells", text)
        self.assertIn("| +4% |", text)
        self.assertIn("| **+40%** |", text)
        self.assertIn("fitted to\n", text)

    def test_cells_that_spread_are_counted_apart(self):
        wide = replace(CELL, least=0.4, most=0.51)
        steady = replace(CELL, least=0.49, most=0.51)
        text = page("bench/fidelity", [Row(steady, 0.52), Row(wide, 0.7)], [])
        self.assertIn("within 10 % of 0 of them, and of 1 of the 1 others", text)
        self.assertIn("| 0.50 [0.40-0.51] \\* |", text)

    def test_a_missing_simulator_is_one_sentence(self):
        with tempfile.TemporaryDirectory() as empty:
            command = [sys.executable, BENCH / "fidelity", "--bin", empty]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
