# SPDX-License-Identifier: MIT
"""Named programs side by side."""

import unittest
from dataclasses import replace

from fidelities.cells import MIXES, PROGRAMS, Mix, Named, read_table
from fidelities.mix_scenario import mix_scenarios
from fidelities.page import Row, page
from lab.quantities import BadInput

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

    def test_all_programs_of_mixes_are_there(self):
        named = {program.name: program for program in read_table(PROGRAMS, Named)}
        for mix in read_table(MIXES, Mix):
            self.assertTrue(mix_scenarios(mix, mix.baseline, named), mix.name)


class Pages(unittest.TestCase):
    def test_mixes_count_as_held_out(self):
        text = page("bench/fidelity", [], [Row(MIX, 1.5), Row(MIX, 2.0)])
        self.assertIn("1 of 2 cells", text)
        self.assertIn("## Programs that share memory", text)


if __name__ == "__main__":
    unittest.main()
