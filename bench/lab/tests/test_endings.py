# SPDX-License-Identifier: MIT
"""The end of commands when their results cannot be written, and folders that are no use."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lab.endings import Failed, exit_status, output_folder
from lab.interruption import Interrupted
from lab.quantities import BadInput

BENCH = Path(__file__).parents[2]
PRINTS = """
import sys
from lab.endings import print_result
done = [print_result("bench/x", "one\\n" * 100_000), print_result("bench/x", "two\\n")]
sys.exit(40 + done.count(True))
"""


def printed_to(descriptor):
    """Status and stderr of a command that prints to `descriptor` twice."""
    done = subprocess.run(
        [sys.executable, "-c", PRINTS], stdout=descriptor, stderr=subprocess.PIPE, text=True,
        cwd=BENCH, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


class Endings(unittest.TestCase):
    def test_every_failure_has_its_status_and_one_sentence(self):
        for failure, status, said in (
            (BadInput("no."), 2, "bench/x: no.\n"),
            (Failed("broke."), 1, "bench/x: broke.\n"),
            (Interrupted(), 130, "bench/x: ended by a signal.\n"),
            (KeyboardInterrupt(), 130, "bench/x: ended by a signal.\n"),
        ):

            def body(failure=failure):
                raise failure

            with contextlib.redirect_stderr(io.StringIO()) as stderr:
                self.assertEqual(exit_status("bench/x", body), status)
            self.assertEqual(stderr.getvalue(), said)
        self.assertEqual(exit_status("bench/x", lambda: 7), 7)

    def test_a_reader_that_has_gone_is_one_sentence(self):
        reader, writer = os.pipe()
        os.close(reader)
        status, said = printed_to(writer)
        os.close(writer)
        self.assertEqual(said, "bench/x: the result cannot be printed: Broken pipe.\n")
        self.assertEqual(status, 41, "the first is lost, what comes after goes nowhere")

    def test_a_disk_that_is_full_is_one_sentence(self):
        with open("/dev/full", "w") as full:
            status, said = printed_to(full)
        self.assertEqual(said, "bench/x: the result cannot be printed: No space left on device.\n")
        self.assertEqual(status, 41)


class OutputFolders(unittest.TestCase):
    def test_they_are_made_with_their_parents(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a" / "b"
            self.assertEqual(output_folder(path, "x-"), path)
            self.assertEqual(os.listdir(path), [])
            self.assertEqual(output_folder(path, "x-"), path)

    def test_those_that_take_no_files_are_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            for path in (Path("/proc/self"), Path(file.name), Path("/proc/self/new")):
                with self.assertRaises(BadInput) as refused:
                    output_folder(path, "x-")
                self.assertIn(f"--output {path}: ", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
