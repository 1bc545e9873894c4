# SPDX-License-Identifier: MIT
"""The command line, what is read from the simulator, and the report; pictures where they can be."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lab.quantities import BadInput
from simulation.pictures import draw_pictures
from simulation.run import Run, Steps, cpu_list, simulate
from simulation.settings import read_settings
from simulation.table import report

BENCH = Path(__file__).parents[2]
RUN = Run(
    {
        "scenario": "two", "policy": "fair", "end_s": 4.0, "cpus": 4,
        "figures": {"fairness": 1.0, "utilisation": 0.5},
        "failures": ["two:7: fairness is 1, expected 0"],
        "decisions": [{"at_s": 0.0, "cpus": 4, "foreign": 0}, {"at_s": 3.0, "cpus": 4, "foreign": 1}],
        "programs": [
            {
                "name": "first", "program": "first", "user": 1000, "governed": True,
                "started_s": 0.0, "ended_s": None, "finished": False, "cpu_s": 10.0,
                "grants": [
                    {"at_s": 0.0, "threads": 4, "cpus": "0-3", "shared": False, "limit": "", "share": 4},
                    {"at_s": 2.0, "threads": 2, "cpus": "0,2", "shared": False, "limit": "", "share": 2},
                ],
                "teams": [
                    {"at_s": 0.0, "phase": "region", "stopped": False, "threads": 4, "cpus": "0-3"},
                    {"at_s": 3.0, "phase": "region", "stopped": True, "threads": 2, "cpus": "0,2"},
                ],
            },
            {
                "name": "second", "program": "second", "user": 1001, "governed": True,
                "started_s": 1.0, "ended_s": 1.0, "finished": False, "cpu_s": 0.0,
                "grants": [], "teams": [],
            },
        ],
    }
)  # fmt: skip


def settings(*arguments):
    return read_settings(list(arguments), Path("/nowhere/bin"))


class CommandLine(unittest.TestCase):
    def test_a_file_or_a_seed_is_run_with_every_policy(self):
        asked = settings("x.sim", "--policy", "fair,naive,fair", "--format", "png,svg")
        self.assertEqual((asked.policies, asked.formats), (("fair", "naive"), ("png", "svg")))
        self.assertEqual(
            asked.arguments("naive"),
            ["/nowhere/bin/simulate", "--policy", "naive", "--json", "x.sim"],
        )
        self.assertEqual(settings("--seed", "7").arguments("fair")[-2:], ["--seed", "7"])

    def test_refusals_name_what_is_accepted(self):
        for arguments, part in (
            ((), "SCENARIO"),
            (("x.sim", "--seed", "1"), "SCENARIO"),
            (("--seed", "-1"), "from 0 to"),
            (("x.sim", "--format", "gif"), "png, svg are accepted"),
        ):
            with self.assertRaises(BadInput) as refused:
                settings(*arguments)
            self.assertIn(part, str(refused.exception))

    def test_without_a_build_it_says_what_to_do(self):
        with self.assertRaises(BadInput) as refused:
            simulate(settings("x.sim").arguments("fair"))
        self.assertIn("build first", str(refused.exception))


class Endings(unittest.TestCase):
    """The command with a stand-in for the simulator."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        simulator = self.folder / "simulate"
        (self.folder / "run.json").write_text(json.dumps({**RUN.record, "failures": []}))
        simulator.write_text(f"#!/bin/sh\ncat {self.folder}/run.json\n")
        simulator.chmod(0o755)

    def run_command(self, *arguments, **options):
        return subprocess.run(
            [sys.executable, str(BENCH / "simulate"), "--bin", str(self.folder), "x.sim", *arguments],
            stderr=subprocess.PIPE, text=True, check=False, **options,
        )  # fmt: skip

    def test_a_run_without_failures_is_0(self):
        done = self.run_command("--no-pictures", stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("two, policy fair", done.stdout)

    def test_a_folder_that_takes_no_files_is_2(self):
        done = self.run_command("--output", "/proc/self", stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Abench/simulate: --output /proc/self: .*\.\n\Z")
        self.assertEqual(done.stdout, "")

    def test_a_reader_that_has_gone_is_1(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.run_command("--no-pictures", stdout=writer)
        os.close(writer)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr, "bench/simulate: the result cannot be printed: Broken pipe.\n"
        )


class Runs(unittest.TestCase):
    def test_steps_end_with_the_process(self):
        first, second = RUN.processes()
        self.assertEqual(first.granted(), Steps([0.0, 2.0, 4.0], [4, 2, 2]))
        self.assertEqual(first.running().values, [4, 0, 0])
        self.assertEqual(first.granted().mean(), 3.0)
        self.assertEqual(first.sets(), [(0.0, 2.0, [0, 1, 2, 3]), (2.0, 4.0, [0, 2])])
        self.assertEqual((second.granted(), second.granted().mean()), (Steps([], []), 0.0))

    def test_cpu_lists(self):
        self.assertEqual(cpu_list("0-2,8"), [0, 1, 2, 8])
        self.assertEqual(cpu_list(""), [])

    def test_the_report_has_every_program_figure_and_failure(self):
        text = report([RUN, RUN])
        self.assertRegex(text, r"first +1000 +1 +0 +4\.00 +10\.00 +3\.00")
        self.assertRegex(text, r"utilisation +0\.500 +0\.500")
        self.assertIn("FAILED two:7", text)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
class Pictures(unittest.TestCase):
    def test_two_pictures_in_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = draw_pictures(RUN, Path(folder), ("png", "svg"))
            self.assertEqual(
                sorted(path.name for path in drawn),
                ["two-fair-cpus.png", "two-fair-cpus.svg",
                 "two-fair-timeline.png", "two-fair-timeline.svg"],
            )  # fmt: skip
            self.assertTrue(all(path.stat().st_size > 1000 for path in drawn))


if __name__ == "__main__":
    unittest.main()
