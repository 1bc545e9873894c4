# SPDX-License-Identifier: MIT
"""Measuring commands of bench/ with tiny numbers: each measures all that it is for, and leaves nothing
behind. No number here depends on how fast the machine is.

    bench_smoke.py CHECKOUT PROGRAMS [Smoke.test_NAME]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CHECKOUT, PROGRAMS = (Path(text) for text in sys.argv[1:3])
# The files that bench/nas expects of a checkout; one benchmark is enough.
NAS = {
    "sys/setparams.c": "",
    "Makefile": """include config/make.def
.PHONY: BT
BT:
\t$(CC) $(CFLAGS) $(C_INC) -o bin/bt.$(CLASS) BT/bt.c $(C_LIB)
""",
    "BT/bt.c": """#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int step, niter = 20, threads = 0;
    for (step = 1; step <= niter; step++) {
#pragma omp parallel
#pragma omp master
        threads += omp_get_num_threads();
    }
    printf(" Verification    =               %s\\n", threads < niter ? "UNSUCCESSFUL" : "SUCCESSFUL");
}
""",
}
KINDS = ["idle", "half", "bytes", "deaf", "flood", "costly", "storm", "version", "huge", "random"]


class Smoke(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.folder.chmod(0o755)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir(0o755)

    def bench(self, name, *options):
        """The JSON of a run that ended well."""
        command = [sys.executable, str(CHECKOUT / "bench" / name), "--bin", str(PROGRAMS)]
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        done = subprocess.run(
            [*command, "--output", str(self.folder), *options],
            capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(list(self.scratch.iterdir()), [])
        return self.results()

    def results(self):
        """All that was measured; the summary beside it is small and has a line for each figure."""
        text = (self.folder / "summary.json").read_text()
        self.assertLess(len(text), 20 * 1024)
        self.assertTrue(json.loads(text)["rows"])
        return json.loads((self.folder / "results.json").read_text())

    def test_every_connection_of_a_crowd_is_held_and_every_question_answered(self):
        found = self.bench("crowd", "--connections", "50", "--askers", "10", "--seconds", "2")
        for name in ("governor", "echo"):
            server = found["servers"][name]
            self.assertEqual((server["held"], server["setup"]["answered"]), (50, 50))
            self.assertEqual((server["run"]["asked"], server["run"]["answered"]), (20, 20))
            self.assertEqual(server["from_due_us"]["count"], 20)
        looks = found["processes"]["governor"]
        # governorctl was there just before each look, and its end may not have been noticed yet.
        gone = looks["asked"]["descriptors"] - looks["after"]["descriptors"]
        self.assertAlmostEqual(gone, 50, delta=1)
        self.assertGreater(found["samples"]["asking"]["accepted"], 0)

    @unittest.skipUnless((PROGRAMS / "examples" / "md").is_file(), "built without the examples")
    def test_hostile_clients_are_where_they_belong_and_the_programs_end(self):
        short = ("--length", "0.1", "--stagger", "0", "--repetitions", "1")
        found = self.bench("hostile", "--connections", "40", *short)
        self.assertEqual(sorted(run["method"] for run in found["runs"]), ["hostile", "quiet", "yardstick"])
        arms = {arm["arm"]: arm for arm in found["arms"]}
        self.assertIsNone(arms["quiet"]["hostile"])
        for name in ("hostile", "yardstick"):
            kinds = arms[name]["hostile"]["kinds"]
            self.assertEqual(list(kinds), KINDS)
            self.assertTrue(all(deeds["connected"] >= 4 for deeds in kinds.values()), kinds)
        self.assertGreater(arms["hostile"]["bad_messages"], 0)
        self.assertEqual([arms[name]["bad_messages"] for name in ("quiet", "yardstick")], [0, 0])

    def test_trees_that_nobody_modified_end_as_they_are_and_by_run(self):
        short = ("--length", "0.1", "--short-processes", "20", "--repetitions", "1")
        found = self.bench("trees", "--cases", "pair-python,short", *short)
        methods = sorted((run["scenario"], run["method"]) for run in found["runs"])
        pairs = [("pair-python", arm) for arm in ("batch", "in-turn", "plain")]
        self.assertEqual(methods, [*pairs, *(("short", arm) for arm in ("batch", "plain", "run"))])
        self.assertEqual(found["errors"], [])

    @unittest.skipUnless(shutil.which("make"), "no make here")
    def test_benchmarks_of_a_checkout_are_built_in_two_forms_and_verified(self):
        checkout = self.folder / "checkout"
        for name, text in {**NAS, "config/make.def.template": ""}.items():
            path = checkout / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        options = ("--nas", str(checkout), "--cases", "equal", "--repetitions", "1")
        found = self.bench("nas", *options, "--arms", "plain,fair,run")
        self.assertEqual({run["method"] for run in found["runs"]}, {"plain", "fair", "run"})
        self.assertTrue(all(one["finished_s"] for run in found["runs"] for one in run["programs"]))
        # A wrong result is a failure, however fast it was.
        wrong = checkout / "BT" / "bt.c"
        wrong.write_text(wrong.read_text().replace('"SUCCESSFUL"', '"UNSUCCESSFUL"'))
        command = [sys.executable, str(CHECKOUT / "bench" / "nas"), "--bin", str(PROGRAMS), *options]
        done = subprocess.run([*command, "--arms", "plain"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("UNSUCCESSFUL", done.stderr)

    def test_herd_of_trees_uses_all_cpus(self):
        found = self.bench("herd", "--repetitions", "1")
        self.assertEqual([row["trees"] for row in found["rows"]], [4, 8, 16])
        for row in found["rows"]:
            self.assertGreaterEqual(row["least_threads"], 64, row)

    def test_all_of_leases_is_measured(self):
        found = self.bench(
            "leases", "--quick", "--hellos", "5", "--programs-of-events", "6", "--rounds", "2",
            "--programs-of-cost", "4", "--cost-seconds", "1", "--connections", "20", "--rate", "20",
            "--load-seconds", "3",
        )  # fmt: skip
        self.assertEqual(found["hello"]["welcome_us"]["count"], 5)
        kinds = [event["kind"] for event in found["events"]["one"]]
        self.assertEqual(kinds, ["leave", "join", "kill", "join"] * 2)
        # All six, unless the governor is too slow to decide within the time that is looked.
        self.assertGreaterEqual(found["events"]["all"][0]["words"], 1)
        self.assertEqual(len(found["cost"]), 3)
        self.assertTrue(all(cost["granted"] >= 4 for cost in found["cost"]), found["cost"])
        self.assertEqual((found["load"]["done"], found["load"]["held"]), (60, 20))
        self.assertEqual(len(found["rows"]), 2 + 4 + 6 + 4)

    def test_every_kind_of_play_ends_and_stands_beside_the_simulator(self):
        cases = ["leave-64-4", "hog-64-4", "turns-64-4", "kill-256-32", "restart-256-32"]
        found = self.bench("loop", "--cases", ",".join(cases), "--length", "2s")
        self.assertEqual([row["case"] for row in found["rows"]], cases)
        for run in found["runs"]:
            killed = [one["name"] for one in run["programs"] if not one["finished"]]
            self.assertEqual(killed, ["p0"] if run["case"] == "kill-256-32" else [], run["case"])
            for one in run["programs"]:
                self.assertGreater(max(team["threads"] for team in one["teams"]), 0)
                self.assertEqual(one["teams"][-1]["threads"], 0)

    def leftovers(self):
        """Command lines of processes that name the scratch folder. The killed may take a moment."""
        lines = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                lines.append(path.read_text(errors="replace").replace("\0", " "))
            except OSError:
                continue  # it has ended
        return [line for line in lines if str(self.scratch) in line]

    def await_leftovers(self, are_as_wanted):
        deadline = time.monotonic() + 60
        while not are_as_wanted(self.leftovers()):
            self.assertLess(time.monotonic(), deadline, self.leftovers())
            time.sleep(0.05)

    def test_every_attack_is_made_on_both_servers_and_ends(self):
        found = self.bench("attacks", "--quick", "--old-kernel")
        self.await_leftovers(lambda lines: not lines)
        names = found["settings"]["attacks"]
        made = {(window["attack"], window["server"]) for window in found["windows"]}
        self.assertEqual(made, {(name, server) for name in names for server in ("governor", "dummy")})
        self.assertEqual(len(found["rows"]), 2 * len(names))
        members = {row["attack"]: row["members"] for row in found["rows"]}
        self.assertEqual((members["threads-burst"], members["leases-pairs"]), (100, 20))
        self.assertEqual([(check["name"], check["yes"]) for check in found["checks"]],
                         [("seats", True), ("history", True)])  # fmt: skip
        # An attack that is under way ends with the bench, too.
        command = [sys.executable, str(CHECKOUT / "bench" / "attacks"), "--bin", str(PROGRAMS)]
        running = subprocess.Popen(
            [*command, "--attacks", "linger", "--window", "60s"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(self.scratch)},
        )  # fmt: skip
        self.await_leftovers(lambda lines: any("--kind linger" in line for line in lines))
        running.terminate()
        self.assertEqual(running.wait(60), 130)
        self.await_leftovers(lambda lines: not lines)
        self.assertEqual(list(self.scratch.iterdir()), [])

    @unittest.skipUnless((PROGRAMS / "examples" / "pi").is_file(), "built without the examples")
    def test_every_case_of_the_pools_stands_beside_its_article(self):
        command = [sys.executable, str(CHECKOUT / "bench" / "pools"), "--bin", str(PROGRAMS)]
        command += ["--quick", "--repetitions", "1", "--output", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = self.results()
        for part, runs in found["runs"].items():
            self.assertEqual(len(runs), 1, part)
            self.assertGreater(len(runs[0]), 5, part)
        self.assertIn("| transfers", (self.folder / "results.md").read_text())

    def test_the_programs_of_the_pools_refuse_what_they_do_not_know(self):
        for words, said in (
            (["lists", "--pool", "tea"], "accepted is one of ours, lists, mutex"),
            (["lists", "--workers", "0"], "from 1 to 4096"),
            (["gets", "--clients", "0"], "from 1 to 1000"),
            (["spread", "--place", "free"], "--pool threads only"),
            (["spread", "--steps", "5x"], "from 1 to 1000000000"),
        ):
            command = [str(PROGRAMS / "bench" / words[0]), *words[1:]]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)

    @unittest.skipUnless((PROGRAMS / "bench" / "steps").is_file(), "built without OpenMP, or with sanitizers")
    @unittest.skipUnless((PROGRAMS / "examples" / "md").is_file(), "built without the examples")
    def test_all_that_depend_on_each_other_end_with_turns_and_without(self):
        command = [sys.executable, str(CHECKOUT / "bench" / "coupled"), "--bin", str(PROGRAMS)]
        command += ["--arms", "turns,fair", "--repetitions", "1", "--length", "0.2"]
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        done = subprocess.run(
            [*command, "--output", str(self.folder)],
            capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(list(self.scratch.iterdir()), [])
        found = self.results()
        cases = found["settings"]["cases"]
        self.assertEqual(cases[-3:], ["pipe", "stopped", "liar"])
        self.assertEqual(len(found["runs"]), 2 * len(cases))
        self.assertEqual(found["errors"], [])
        self.assertIn("| longest wait", (self.folder / "results.md").read_text())

    @unittest.skip("its programs are not known to gain by more CPUs, so they share: see bench/README.md")
    def test_parked_programs_go_on_when_the_holder_or_the_governor_is_killed(self):
        command = [sys.executable, str(CHECKOUT / "bench" / "handover"), "--bin", str(PROGRAMS)]
        done = subprocess.run(
            [*command, "--repetitions", "1", "--output", str(self.folder)],
            capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(self.scratch)},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(list(self.scratch.iterdir()), [])
        found = self.results()
        self.assertEqual([len(found[killed]) for killed in ("the holder", "the governor")], [1, 3])

    @unittest.skipUnless((PROGRAMS / "bench" / "steps").is_file(), "built without OpenMP, or with sanitizers")
    def test_the_program_of_coupled_refuses_what_it_does_not_know_and_notes_a_writer_that_has_gone(self):
        steps = str(PROGRAMS / "bench" / "steps")
        for words, status, said in (
            (["tea"], 2, "unknown option"),
            (["lie", "--work", "0"], 2, "from 1 to 1000000"),
            (["read", "--work", "1"], 1, "the writer ended before its last region"),
        ):
            done = subprocess.run(
                [steps, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            self.assertEqual((done.returncode, done.stdout), (status, ""), words)
            self.assertIn(said, done.stderr)

    def test_too_few_descriptors_are_told_with_the_way_out(self):
        command = [sys.executable, str(CHECKOUT / "bench" / "crowd"), "--bin", str(PROGRAMS)]
        limited = ["/bin/sh", "-c", 'ulimit -n 256 && exec "$@"', "sh", *command, "--connections", "900"]
        done = subprocess.run(limited, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "900 connections need [0-9]+ open files .* is 256: raise it")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
