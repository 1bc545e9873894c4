# SPDX-License-Identifier: MIT
"""The arms of bench/hostile as rows and tables, and its command line."""

import json
import tempfile
import unittest
from pathlib import Path

from daemon.hostile_report import ArmRun, HostileResults, hostile_text, rows_of
from daemon.hostile_settings import ARMS, read_hostile_settings
from lab.quantities import BadInput
from lab.records import ProgramRecord, RunRecord, as_document, read_results
from lab.summary import as_json

MACHINE = {
    "cpu_model": "a cpu", "cpus_allowed": [0, 1], "kernel": "Linux", "date": "today",
    "load_average_before": [0.5, 0.5, 0.5],
}  # fmt: skip
KIND = {"turns": 5, "connected": 2, "refused": 0, "ended": 1, "blocked": 0}


def settings(*arguments, root=True):
    return read_hostile_settings(list(arguments), Path("/nowhere/bin"), 20_000, root)


def run(arm, repetition, seconds):
    program = ProgramRecord("md", 0.0, seconds, 1.0, (), {"work": 1})
    return RunRecord("md", arm, repetition, 0.0, None, 0.1, (program,))


def arm_run(arm, repetition, missed=0):
    clients = arm != "quiet"
    samples = {"elapsed_ms": 10_000, "expected": 10, "accepted": 10 - missed, "missed": missed}
    report = {"kinds": {"flood": KIND}, "left_out": 0} if clients else None
    cpu_s = 0.4 if clients else None
    return ArmRun(arm, repetition, 10.0, 0.2, (6144, 7168), cpu_s, samples, 9, 3, report)


def results():
    seconds = {"quiet": (10.0, 10.0), "hostile": (11.0, 12.0), "yardstick": (11.0, 10.0)}
    found = HostileResults(MACHINE, settings().described(), {})
    for arm in ARMS:
        for repetition in (0, 1):
            found.runs.append(run(arm, repetition, seconds[arm][repetition]))
            found.arms.append(arm_run(arm, repetition, missed=int(arm == "hostile")))
    return found


class Report(unittest.TestCase):
    def test_ratios_are_taken_within_one_repetition(self):
        quiet, hostile, yardstick = rows_of(results())
        self.assertEqual([r.low for r in hostile.makespan_ratios["quiet"]], [1.1, 1.2])
        self.assertEqual([r.low for r in hostile.makespan_ratios["yardstick"]], [1.0, 1.2])
        self.assertEqual([r.low for r in yardstick.makespan_ratios["quiet"]], [1.1, 1.0])
        self.assertEqual([r.low for r in quiet.makespan_ratios["quiet"]], [1.0, 1.0])

    def test_the_table_tells_times_costs_and_deeds(self):
        text = hostile_text(results(), rows_of(results()))
        self.assertRegex(text, r"hostile +11\.50 \[11\.00-12\.00\]")
        self.assertRegex(text, r"hostile +2\.0 % +4\.0 % +6\.0 MiB +7\.0 MiB +2 +6\n")
        self.assertRegex(text, r"quiet +2\.0 % +- ")
        self.assertRegex(text, r"flood +10 +4 +0 +2 +0\n")

    def test_an_arm_without_runs_has_no_row(self):
        found = results()
        found.runs, found.arms = found.runs[:2], found.arms[:2]
        text = hostile_text(found, rows_of(found))
        self.assertNotIn("flood", text)
        self.assertNotRegex(text, r"(?m)^  yardstick +\d")

    def test_the_file_is_one_that_the_other_experiment_can_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            document = as_document(results(), as_json(rows_of(results())))
            path.write_text(json.dumps(document), encoding="utf-8")
            self.assertEqual(len(read_results(path).runs), 6)
            self.assertIn('"governor_cpu_s": 0.2', path.read_text())


class Settings(unittest.TestCase):
    def test_the_full_form_is_the_projects_goal(self):
        full = settings()
        self.assertEqual((full.connections, full.repetitions), (400, 5))
        self.assertEqual(full.scenario.loads, ("md", "prime", "matvec"))

    def test_as_root_the_bad_ones_are_nobody(self):
        self.assertEqual((settings().user, settings(root=False).user), (65534, None))

    def test_more_than_the_governor_can_open_is_refused(self):
        with self.assertRaisesRegex(BadInput, "need 30128 open files"):
            settings("--connections", "15000")
