# SPDX-License-Identifier: MIT
"""Timelines: what a program's threads were, and which run stands for several."""

import unittest
from dataclasses import replace

from lab.records import ProgramRecord, RunRecord
from sharing.teams import team_steps, typical_run


def finished(method, repetition, *spans):
    """A run of programs with (started_s, finished_s)."""
    programs = tuple(ProgramRecord("md", a, b, 0.0, (), {"checksum": 1}) for a, b in spans)
    return RunRecord("uniform-md-2", method, repetition, 0.0, None, None, programs)


class Timelines(unittest.TestCase):
    def test_steps_are_relative_to_the_first_start_and_end_with_the_program(self):
        changes = [{"at_ms": 1100.0, "threads": 1}, {"at_ms": 2500.0, "threads": 2}]
        program = ProgramRecord("md", 0.1, 3.0, 0.0, (), {"changes": changes})
        run = RunRecord("s", "threshold-5", 0, 1000.0, None, None, (program,))
        steps = team_steps(run, program)
        self.assertEqual(steps.times_s, (0.1, 1.5, 3.0))
        self.assertEqual(steps.threads, (1, 2, 2))

    def test_a_program_without_changes_had_one_size(self):
        report = {"changes": [], "teams": [{"threads": 4}], "started_at_ms": 1200.0}
        program = ProgramRecord("md", 0.2, 3.0, 0.0, (), report)
        run = RunRecord("s", "default", 0, 1000.0, None, None, (program,))
        self.assertEqual(team_steps(run, program).threads, (4, 4))

    def test_a_stopped_program_has_none(self):
        program = ProgramRecord("md", 0.2, None, 0.0, (), None)
        run = RunRecord("s", "default", 0, 1000.0, 5.0, None, (program,))
        self.assertIsNone(team_steps(run, program))

    def test_the_typical_run_is_the_middle_one_and_not_a_stopped_one(self):
        runs = [finished("static", i, (0.0, total)) for i, total in enumerate((9.0, 1.0, 4.0))]
        stopped = replace(runs[0], stopped_s=0.5)
        self.assertEqual(typical_run([*runs, stopped]).repetition, 2)
        self.assertIsNone(typical_run([]))


if __name__ == "__main__":
    unittest.main()
