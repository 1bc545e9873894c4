# SPDX-License-Identifier: MIT
"""Named programs side by side."""

import json
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from fidelities.cells import MIXES, Cell, Mix, Named, read_mixes, table_text
from fidelities.mix_scenario import mix_scenarios
from fidelities.page import Row, page
from lab.quantities import BadInput

BENCH = Path(__file__).parents[2]
SIMULATOR = """#!/bin/sh
echo '{"figures": {"aggregate_s": 3.0, "unfinished": 0}}'
"""
CELL = Cell("mine", "AMD", "libgomp", 1000, 2, "uniform", 2, 0.1, "fair", "plain", "aggregate", 1.0)
NAMED = {
    "stream": Named("stream", 2.0, 1.8, None, 0.9),
    "solver": Named("solver", 3.0, 1.8, 30.0, 0.0),
}
MIX = Mix("mine", "AMD", "libgomp", "stream@0+solver", "plain", "alone", "aggregate", 1.5)


class Scenarios(unittest.TestCase):
    def test_programs_start_at_once_where_they_are_put(self):
        [text] = mix_scenarios(MIX, "plain", NAMED)
        first, second = text.split("[program ")[1:]
        self.assertIn("cpus = 0", first)
        self.assertNotIn("cpus", second)
        self.assertNotIn("start", text)

    def test_memory_or_a_serial_part_explains_a_bad_speedup(self):
        [text] = mix_scenarios(MIX, "plain", NAMED)
        first, second = text.split("[program ")[1:]
        self.assertIn("bandwidth = 0.9", first)
        self.assertNotIn("speedup", first)
        self.assertIn("speedup = amdahl:0.8", second)

    def test_regions_are_as_long_as_told(self):
        [text] = mix_scenarios(MIX, "plain", NAMED)
        self.assertIn("region = 2000000us\nregions = 1\n", text)
        self.assertIn("region = 30000us\nregions = 100\n", text)

    def test_alone_each_program_has_a_scenario(self):
        texts = mix_scenarios(MIX, "alone", NAMED)
        self.assertEqual([text.count("[program ") for text in texts], [1, 1])

    def test_methods_are_those_of_cells(self):
        [text] = mix_scenarios(replace(MIX, programs="solver+solver"), "static", NAMED)
        self.assertIn("cpus = 1\n", text.split("[program p1]")[1])
        [text] = mix_scenarios(MIX, "turns", NAMED)
        self.assertEqual(text.count("class = batch"), 2)

    def test_unknown_programs_are_named(self):
        with self.assertRaisesRegex(BadInput, "nobody"):
            mix_scenarios(replace(MIX, programs="nobody"), "plain", NAMED)

    def test_one_is_a_single_thread_on_any_cpu(self):
        [text] = mix_scenarios(replace(MIX, programs="solver+solver"), "one", NAMED)
        lines = text.splitlines()
        self.assertEqual((lines.count("max = 1"), lines.count("behaviour = unlinked")), (2, 2))
        self.assertNotIn("cpus = 0", lines)
        self.assertNotIn("cpus = 1", lines)

    def test_a_program_may_ask_once_per_iteration(self):
        iterating = NAMED | {"solver": replace(NAMED["solver"], asks_every=20)}
        [text] = mix_scenarios(MIX, "fair", iterating)
        self.assertEqual(text.count("asks_every = 20\n"), 1)
        self.assertNotIn("asks_every", mix_scenarios(MIX, "fair", NAMED)[0])

    def test_all_programs_of_the_kept_mixes_are_there(self):
        mixes, named = read_mixes(MIXES.parent)
        for mix in mixes:
            self.assertTrue(mix_scenarios(mix, mix.baseline, named), mix.name)


class Command(unittest.TestCase):
    """With a simulator that says 3 s of each scenario."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "simulate"
        program.write_text(SIMULATOR, encoding="utf-8")
        program.chmod(0o755)
        tables = {
            "programs.txt": table_text(Named, list(NAMED.values())),
            "mixes.txt": table_text(Mix, [MIX]),
            "cells.txt": table_text(Cell, [CELL, replace(CELL, count=4, measured=None)]),
        }
        for name, text in tables.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def call(self, *arguments):
        command = [sys.executable, BENCH / "fidelity", "--bin", self.folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_cells_and_mixes_are_compared_together(self):
        cells, output = str(self.folder / "cells.txt"), str(self.folder / "made")
        done = self.call("--cells", cells, "--mixes", self.folder, "--output", output)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 of 2 cells that no constant", done.stdout)
        self.assertIn("1 cells of the list are not measured", done.stdout)
        self.assertRegex(done.stdout, r"\| stream@0\+solver \| .* \| 1.50 \| 0.50 \|")
        summary = json.loads((self.folder / "made" / "summary.json").read_text(encoding="utf-8"))
        self.assertIn(f"--cells {cells} --mixes", summary["command"])
        self.assertEqual(len(summary["rows"]), 2)

    def test_a_program_that_is_missing_is_one_sentence(self):
        (self.folder / "programs.txt").write_text(table_text(Named, [NAMED["solver"]]), encoding="utf-8")
        done = self.call("--cells", self.folder / "cells.txt", "--mixes", self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("stream is none of", done.stderr)


class Pages(unittest.TestCase):
    def test_mixes_count_as_held_out(self):
        text = page("bench/fidelity", [], [Row(MIX, 1.5), Row(MIX, 2.0)])
        self.assertIn("1 of 2 cells", text)
        self.assertIn("## Named programs", text)


if __name__ == "__main__":
    unittest.main()
