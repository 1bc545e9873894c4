# SPDX-License-Identifier: MIT
"""The patches of the checkout, and how simulators are made with them."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from lab.endings import Failed
from lab.interruption import Interrupted
from lab.quantities import BadInput
from simulation import command, many
from simulation.patches import PATCHES, Patch, built, copy_sources, known_patches

CHECKOUT = Path(__file__).parents[3]
COPIES = 'mkdir -p "$build/bin"; cp "$build/../sources/governor/rule.cpp" "$build/bin/simulate"'


def folder_of(test):
    temporary = tempfile.TemporaryDirectory()
    test.addCleanup(temporary.cleanup)
    return Path(temporary.name)


class OfTheCheckout(unittest.TestCase):
    def test_each_applies_to_the_policy_alone(self):
        for patch in known_patches(CHECKOUT):
            with self.subTest(patch.rule), tempfile.TemporaryDirectory() as folder:
                names = re.findall(r"^--- a/(.*)$", patch.file.read_text(), re.MULTILINE)
                self.assertEqual(len(names), 1)
                self.assertRegex(names[0], "^governor/(policy|evidence)/")
                copy = Path(folder, names[0])
                copy.parent.mkdir(parents=True)
                copy.write_text((CHECKOUT / names[0]).read_text())
                patch.apply(Path(folder))
                self.assertNotEqual(copy.read_text(), (CHECKOUT / names[0]).read_text())

    def test_names_are_those_of_no_other_rule(self):
        source = (CHECKOUT / "tests/simulation/ablation/rules.cpp").read_text()
        others = set(re.findall(r'Rule\{"(\w+)"', source))
        patches = known_patches(CHECKOUT)
        self.assertGreater(len(others), 15)
        self.assertGreater(len(patches), 5)
        self.assertEqual([patch.rule for patch in patches if patch.rule in others], [])
        for patch in patches:
            self.assertRegex(patch.meaning, r"^\w.{10,78}\w$")


class MadeUp(unittest.TestCase):
    """A checkout with one source file, and a stand-in for cmake that builds a copy of it."""

    def setUp(self):
        self.checkout = folder_of(self)
        subprocess.run(["git", "init", "-q", str(self.checkout)], check=True)
        (self.checkout / "governor").mkdir()
        (self.checkout / "governor/rule.cpp").write_text("one\ntwo\nthree\n")
        (self.checkout / ".gitignore").write_text("/build-*/\n")
        self.add_patch("second", "two")
        subprocess.run(["git", "-C", str(self.checkout), "add", "."], check=True)
        self.stand_in(COPIES)

    def add_patch(self, rule, line):
        folder = self.checkout / PATCHES
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{rule}.patch").write_text(
            f"the {rule} line\n\n--- a/governor/rule.cpp\n+++ b/governor/rule.cpp\n"
            f"@@ -1,3 +1,2 @@\n one\n-{line}\n three\n"
        )

    def stand_in(self, builds):
        programs = folder_of(self)
        (programs / "cmake").write_text(
            f'#!/bin/sh\n[ "$1" = --build ] || exit 0\nbuild=$2\n{builds}\n'
        )
        (programs / "cmake").chmod(0o755)
        path = mock.patch.dict(os.environ, {"PATH": f"{programs}:{os.environ['PATH']}"})
        path.start()
        self.addCleanup(path.stop)

    def build(self):
        with built(self.checkout, known_patches(self.checkout)) as simulators:
            return simulators

    def test_each_simulator_lacks_its_rule_and_has_the_others(self):
        self.add_patch("third", "two")
        made = self.build()
        self.assertEqual(list(made), [None, "second", "third"])
        self.assertEqual(made[None].read_text(), "one\ntwo\nthree\n")
        self.assertEqual(made["second"].read_text(), "one\nthree\n")
        self.assertEqual(made["third"].read_text(), "one\nthree\n")
        self.assertEqual((self.checkout / "governor/rule.cpp").read_text(), "one\ntwo\nthree\n")

    def test_a_patch_that_no_longer_applies_names_its_rule(self):
        self.add_patch("stale", "zwei")
        with self.assertRaises(Failed) as refused:
            self.build()
        sentence = "^the patch of rule stale does not apply .*mend .*stale.patch.$"
        self.assertRegex(str(refused.exception), sentence)

    def test_a_build_that_fails_names_the_rule_and_the_log(self):
        self.stand_in("echo wrong; exit 1")
        with self.assertRaises(Failed) as refused:
            self.build()
        self.assertRegex(str(refused.exception), "^building as it is failed; see .*build.log.$")
        self.assertIn("wrong", (self.checkout / "build-ablation/build.log").read_text())

    def test_after_an_end_in_the_middle_the_sources_are_as_they_were(self):
        sources = self.checkout / "build-ablation/sources"
        copy_sources(self.checkout, sources)
        Patch("second", "", self.checkout / PATCHES / "second.patch").apply(sources)
        (sources / "governor/gone.cpp").touch()
        self.assertEqual(self.build()[None].read_text(), "one\ntwo\nthree\n")
        self.assertFalse((sources / "governor/gone.cpp").exists())

    def test_a_second_one_is_refused_until_the_runs_of_the_first_have_ended(self):
        self.stand_in('mkdir -p "$build/bin"; cp /bin/true "$build/bin/simulate"')
        (self.checkout / "a.sim").touch()

        def runs(*_):
            with self.assertRaises(BadInput) as refused:
                self.build()
            sentence = "^another --ablate uses .*build-ablation; start this one when that has ended.$"
            self.assertRegex(str(refused.exception), sentence)
            raise Failed("It was asked.")

        with mock.patch.object(many.ablation, "run_ablation", side_effect=runs) as asked:
            with mock.patch.object(sys, "stderr"):
                command.main(["--ablate", str(self.checkout / "a.sim")], self.checkout)
        asked.assert_called_once()
        self.build()

    def test_ctrl_c_ends_a_build_and_the_next_one_waits_for_its_compilers(self):
        began, end = self.checkout / "began", self.checkout / "end"
        slow = f'(trap "" TERM; touch {began}; for _ in $(seq 50); do [ -e {end} ] || sleep 0.1; done) & wait'
        self.stand_in(slow)

        def interrupt():
            self.until(began.exists)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(Interrupted):
            self.build()
        thread.join()
        with self.assertRaises(BadInput):
            self.build()
        end.touch()
        self.stand_in(COPIES)
        self.until(self.is_free)
        self.assertEqual(self.build()["second"].read_text(), "one\nthree\n")

    def is_free(self):
        try:
            return self.build()
        except BadInput:
            return None

    def until(self, holds):
        deadline = time.monotonic() + 20
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.02)

    def test_files_that_are_the_same_keep_their_time(self):
        sources = self.checkout / "build-ablation/sources"
        copy_sources(self.checkout, sources)
        os.utime(sources / "governor/rule.cpp", (1, 1))
        copy_sources(self.checkout, sources)
        self.assertEqual((sources / "governor/rule.cpp").stat().st_mtime, 1)

    def test_a_folder_that_is_no_checkout_is_refused(self):
        with self.assertRaises(BadInput):
            copy_sources(folder_of(self), folder_of(self))


if __name__ == "__main__":
    unittest.main()
