# SPDX-License-Identifier: MIT
"""Programs that share memory: what their times say."""

import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fidelities.cells import Mix, Named, read_table
from fidelities.memory import LOADS, MIXTURES, alone_of, memory_plan_text, mixes_of, programs_of

BENCH = Path(__file__).parents[2]
# Takes no time, and says that it took 0.2 s for each of its threads.
PROGRAM = """#!/bin/sh
echo "{\\"elapsed_ms\\": ${1}00.0}" | sed "s/1/2/"
"""


def times():
    """`stream` is as fast on two threads as on one, and `half` takes twice as long for as much."""
    alone = {"stream@0": 2.0, "stream": 2.0, "half@0": 4.0, "half": 2.2, "compute@0": 2.0, "compute": 1.0}
    found = {name: [[span_s]] * 3 for name, span_s in alone.items()}
    found |= {term: [[2.0]] * 3 for term in alone_of(MIXTURES) if term not in found}
    return found | {mixture: [[3.0, 3.0], [4.0, 4.0], [6.0, 6.0]] for mixture in MIXTURES}


class Programs(unittest.TestCase):
    def test_a_program_takes_what_it_reads_a_second(self):
        programs = {one.name: one for one in programs_of(times(), {load.name: load for load in LOADS})}
        self.assertEqual([one.bandwidth for one in programs.values()], [1.0, 0.5, 0.0])
        self.assertEqual((programs["half"].one_s, programs["half"].two_s), (4.0, 2.2))

    def test_a_stream_that_two_threads_do_not_slow_down_takes_half(self):
        quick = times() | {"stream": [[0.9]] * 3}
        programs = programs_of(quick, {load.name: load for load in LOADS})
        self.assertEqual(programs[0].bandwidth, 0.5)


class Mixtures(unittest.TestCase):
    def test_ratios_are_over_the_sum_of_the_times_alone(self):
        mix = mixes_of(times())[0]
        self.assertEqual((mix.programs, mix.measured, mix.least, mix.most), ("stream@0+stream@1", 2, 1.5, 3))

    def test_everything_is_run_alone_where_a_mixture_puts_it(self):
        self.assertIn("half@1", alone_of(MIXTURES))
        self.assertIn("compute", alone_of(()))


class Command(unittest.TestCase):
    def test_the_files_can_be_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "bench" / "stream"
            program.parent.mkdir()
            program.write_text(PROGRAM, encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            command = [sys.executable, BENCH / "fidelity", "--memory", folder, "--bin", folder]
            command += ["--repetitions", "1"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            names = [one.name for one in read_table(Path(folder) / "programs.txt", Named)]
            mixes = read_table(Path(folder) / "mixes.txt", Mix)
        self.assertEqual(names, ["stream", "half", "compute"])
        self.assertEqual([mix.programs for mix in mixes], list(MIXTURES))

    def test_the_plan_tells_its_time(self):
        self.assertRegex(memory_plan_text(5), "stream@0 x 5\n(.*\n)*at most .* min")


if __name__ == "__main__":
    unittest.main()
