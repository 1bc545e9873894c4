# SPDX-License-Identifier: MIT
"""Real processes: limits, failures, and that nothing outlives the runner. Stand-ins are shell scripts."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from lab.interruption import Interrupted, Interruption
from lab.programs import Launch, Process, ProcessFailed
from lab.side_by_side import Pace, Stream, run_side_by_side

GOOD = "echo '{\"work\": 1}'"
BENCH = Path(__file__).parents[2]


def launches(*scripts, cpus=None):
    return [
        Launch(f"md.{i}", ("/bin/sh", "-c", text), {}, cpus) for i, text in enumerate(scripts)
    ]


def gone(pid, within_s=3.0):
    """True when no such process runs any more; a zombie of somebody else's counts as gone."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


class Processes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.interruption = Interruption()
        self.interruption.__enter__()
        self.addCleanup(self.interruption.__exit__)

    def run_scripts(self, *scripts, stagger_s=0.0, limit_s=10.0, cpus=None, in_turn=False):
        pace = Pace(stagger_s, limit_s, in_turn)
        return run_side_by_side(launches(*scripts, cpus=cpus), pace, self.folder, self.interruption)

    def pids(self):
        return [int(path.read_text()) for path in self.folder.glob("pid*")]

    def test_a_stream_passes_until_the_others_have_ended(self):
        short = Launch("md.passing", ("/bin/sh", "-c", f"echo >> {self.folder}/passed; {GOOD}"), {})
        long = Launch("md.0", ("/bin/sh", "-c", f"sleep 0.5; {GOOD}"), {})
        stream = Stream(short, 0.1)
        pace = Pace(0.0, 10.0)
        outcome = run_side_by_side(
            [long], pace, self.folder, self.interruption, stream=stream
        )
        self.assertEqual(len(outcome.programs), 1)
        passed = len((self.folder / "passed").read_text())
        self.assertGreaterEqual(passed, 3)
        # On a busy machine the long one takes longer, and more pass meanwhile.
        self.assertLessEqual(passed, outcome.programs[0].finished_s / 0.1 + 1)

    def test_a_program_is_stopped_and_goes_on(self):
        launch = Launch("md.0", ("/bin/sh", "-c", f"sleep 0.05; {GOOD}"), {}, None, (0.01, 0.4))
        outcome = run_side_by_side([launch], Pace(0.0, 10.0), self.folder, self.interruption)
        program = outcome.programs[0]
        self.assertEqual(program.report, {"work": 1})
        self.assertGreaterEqual(program.finished_s, 0.4)

    def test_programs_start_apart_and_report(self):
        outcome = self.run_scripts(GOOD, GOOD, stagger_s=0.3)
        self.assertIsNone(outcome.stopped_s)
        self.assertEqual([program.report for program in outcome.programs], [{"work": 1}] * 2)
        self.assertGreaterEqual(outcome.programs[1].started_s, 0.3)

    def test_in_turn_a_program_waits_for_the_one_before_and_this_counts(self):
        started = f"date +%s.%N >> {self.folder}/started; sleep 0.7; {GOOD}"
        outcome = self.run_scripts(started, started, stagger_s=0.1, in_turn=True)
        first, second = outcome.programs
        times = [float(text) for text in (self.folder / "started").read_text().split()]
        self.assertGreaterEqual(times[1] - times[0], 0.7)
        self.assertEqual([first.started_s, second.started_s], [0.0, 0.1])
        self.assertGreaterEqual(second.finished_s, 1.4)

    def test_in_turn_nobody_starts_before_it_is_due(self):
        outcome = self.run_scripts(GOOD, GOOD, stagger_s=0.4, in_turn=True)
        self.assertGreaterEqual(outcome.programs[1].finished_s, 0.4)

    def test_in_turn_the_runner_sleeps_while_others_are_due(self):
        looks = []
        run_side_by_side(
            launches(f"sleep 0.4; {GOOD}", GOOD), Pace(0.1, 10.0, in_turn=True), self.folder,
            self.interruption, lambda: looks.append(1),
        )  # fmt: skip
        self.assertLess(len(looks), 20)

    def test_in_turn_who_waits_at_the_limit_has_waited_since_it_was_due(self):
        outcome = self.run_scripts("sleep 60", GOOD, GOOD, stagger_s=0.5, limit_s=0.51, in_turn=True)
        self.assertEqual([program.started_s for program in outcome.programs], [0.0, 0.5, None])
        self.assertEqual([program.finished_s for program in outcome.programs], [None] * 3)

    def test_at_the_limit_everything_is_stopped_and_told_apart(self):
        forever = f"echo $$ > {self.folder}/pid; sleep 60 & echo $! > {self.folder}/pid2; sleep 61"
        outcome = self.run_scripts(GOOD, forever, GOOD, stagger_s=0.8, limit_s=1.2)
        first, second, third = outcome.programs
        self.assertGreaterEqual(outcome.stopped_s, 1.2)
        self.assertIsNotNone(first.report)
        self.assertEqual((second.finished_s, second.report), (None, None))
        self.assertIsNone(third.started_s)
        self.assertTrue(all(gone(pid) for pid in self.pids()))

    def test_what_has_left_the_group_is_stopped_as_well(self):
        session = f"setsid sh -c 'echo $$ > {self.folder}/pid; sleep 60'"
        self.run_scripts(session, limit_s=1.0)
        self.assertTrue(all(gone(pid) for pid in self.pids()))

    def test_a_failing_program_ends_the_run_with_its_stderr(self):
        waiting = f"echo $$ > {self.folder}/pid; exec sleep 60"
        with self.assertRaisesRegex(ProcessFailed, "(?s)md.1 exited with 3 .*no such matrix"):
            self.run_scripts(waiting, "sleep 0.2; echo no such matrix >&2; exit 3")
        self.assertTrue(all(gone(pid) for pid in self.pids()))

    def test_a_program_without_a_report_is_a_failure(self):
        with self.assertRaisesRegex(ProcessFailed, "without a JSON line, its last line was 'hello'"):
            self.run_scripts("echo hello")

    def test_a_program_that_is_not_there_is_a_failure(self):
        with self.assertRaisesRegex(ProcessFailed, "/nowhere/md cannot be started"):
            Process(Launch("md.0", ("/nowhere/md",), {}), self.folder)

    def test_a_program_is_pinned_to_its_share(self):
        cpu = max(os.sched_getaffinity(0))
        script = 'echo "{\\"cpus\\": \\"$(grep Cpus_allowed_list /proc/self/status | cut -f2)\\"}"'
        outcome = self.run_scripts(script, cpus=(cpu,))
        self.assertEqual(outcome.programs[0].report, {"cpus": str(cpu)})

    def test_a_signal_ends_the_run_and_its_programs(self):
        script = f"echo $$ > {self.folder}/pid; kill -TERM {os.getpid()}; exec sleep 60"
        with self.assertRaises(Interrupted):
            self.run_scripts(script)
        self.assertTrue(self.pids() and all(gone(pid) for pid in self.pids()))

    def test_a_killed_runner_leaves_no_program(self):
        code = (
            "import sys, time; sys.path.insert(0, sys.argv[1]); from pathlib import Path;"
            "from lab.programs import Launch, Process;"
            "process = Process(Launch('md.0', ('/bin/sleep', '60'), {}), Path(sys.argv[2]));"
            "print(process.pid, flush=True); time.sleep(60)"
        )
        command = [sys.executable, "-B", "-c", code, str(BENCH), str(self.folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as runner:
            pid = int(runner.stdout.readline())
            self.assertFalse(gone(pid, within_s=0.1))
            os.kill(runner.pid, signal.SIGKILL)
        self.assertTrue(gone(pid))


if __name__ == "__main__":
    unittest.main()
