# SPDX-License-Identifier: MIT
"""The arithmetic of the table and of the ablation, the bound, and the command with a stand-in."""

import importlib.util
import json
import math
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from lab.quantities import BadInput
from lab.ranges import Range
from simulation import ablation, grid, matrix
from simulation.best import Job, best_times, power_times
from simulation.matrix import Matrix, scenario_files
from simulation.matrix_picture import draw_matrix
from simulation.outcomes import geometric_mean, outcome, over, planned
from simulation.settings import read_settings

BENCH = Path(__file__).parents[2]


def record(ends, end_s=100.0, starts=None, batch=()):
    """A record of programs that each take 10 s alone; an end that is None did not come."""
    starts = starts or [0.0] * len(ends)
    return {
        "end_s": end_s, "cpus": 4, "alone_s": {"job": 10.0, "endless": None}, "batch": list(batch),
        "figures": {"utilisation": 0.5, "changes_per_minute": 2.0},
        "programs": [
            {"name": f"job/{i}", "program": "job", "started_s": start, "ended_s": end,
             "finished": end is not None}
            for i, (start, end) in enumerate(zip(starts, ends))
        ] + [{"name": "endless", "program": "endless", "started_s": 0.0, "ended_s": None,
              "finished": False}],
    }  # fmt: skip


def exactly(*values):
    return [Range.exactly(value) for value in values]


class Outcomes(unittest.TestCase):
    def test_only_programs_that_end_by_themselves_count(self):
        one = outcome(record([20.0, 45.0], starts=[0.0, 5.0]), "s", "fair")
        self.assertEqual((one.programs, one.unfinished), (2, 0))
        self.assertEqual([one.sum_s, one.mean_slowdown, one.max_slowdown, one.makespan_s],
                         exactly(60.0, 3.0, 4.0, 45.0))  # fmt: skip

    def test_what_is_unfinished_is_a_lower_bound(self):
        one = outcome(record([20.0, None]), "s", "fair")
        self.assertEqual(one.unfinished, 1)
        self.assertEqual(one.sum_s, Range(120.0, math.inf))
        self.assertEqual(one.max_slowdown, Range(10.0, math.inf))

    def test_without_an_end_there_are_no_times(self):
        one = outcome(record([]), "s", "fair")
        self.assertEqual((one.sum_s, one.max_slowdown, one.utilisation), (None, None, 0.5))

    def test_ratios_of_bounds_are_bounds(self):
        slow, base = outcome(record([None]), "s", "one"), outcome(record([20.0]), "s", "fair")
        self.assertEqual(over(slow, base, "sum_s"), Range(5.0, math.inf))
        self.assertEqual(over(base, slow, "sum_s"), Range(0.0, 0.2))
        self.assertEqual(over(slow, slow, "sum_s"), Range.exactly(1.0))
        self.assertIsNone(over(base, outcome(record([]), "s", "fair"), "sum_s"))

    def test_geometric_means(self):
        mean = geometric_mean(exactly(0.5, 2.0, 8.0))
        self.assertAlmostEqual(mean.low, 2.0)
        self.assertEqual(geometric_mean([Range(4.0, math.inf), Range.exactly(1.0)]),
                         Range(2.0, math.inf))  # fmt: skip
        self.assertIsNone(geometric_mean([]))


class Best(unittest.TestCase):
    def test_linear_jobs_go_shortest_first(self):
        self.assertEqual(power_times([8.0, 4.0, 12.0], 4, 1.0), [3.0, 1.0, 6.0])

    def test_two_equal_jobs_of_a_square_root(self):
        # One has 1/4 of the CPUs, the other 3/4 [Berg et al. 2020]: by hand.
        times = power_times([1.0, 1.0], 16, 0.5)
        first = 1 / math.sqrt(12)
        self.assertAlmostEqual(min(times), first)
        self.assertAlmostEqual(max(times), first + (1 - math.sqrt(4) * first) / 4)

    def test_no_split_that_stays_is_better_than_hesrpt(self):
        works, cpus, p = [3.0, 5.0, 11.0, 12.0], 16, 0.7
        least = sum(power_times(works, cpus, p))
        equal = [sum((w - v) / (cpus / m) ** p for w, v, m in
                     zip(works[: k + 1], [0.0, *works], (4, 3, 2, 1))) for k in range(4)]  # fmt: skip
        in_turn = [sum(works[: k + 1]) / cpus**p for k in range(4)]
        self.assertLess(least, min(sum(equal), sum(in_turn)))

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is missing")
    def test_the_linear_program_agrees_with_what_is_known(self):
        works = [3.0, 50.0, 20.0]
        power = [Job(work, "power", 0.8) for work in works]
        other = [Job(work, "amdahl", 1.0) for work in works]  # as linear
        from simulation import best

        found = sum(best._times_in_order(power, [0, 2, 1], 16))
        known = sum(power_times(works, 16, 0.8))
        self.assertLess(abs(found / known - 1), 0.01)
        self.assertAlmostEqual(sum(best_times(other, 16)), sum(power_times(works, 16, 1.0)))

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is missing")
    def test_flat_jobs_that_all_fit_run_at_once(self):
        times = best_times([Job(8.0, "flat", 4), Job(16.0, "flat", 4)], 8)
        self.assertAlmostEqual(times[0], 2.0)
        self.assertAlmostEqual(times[1], 4.0)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is missing")
    def test_of_several_laws_the_order_is_looked_for(self):
        jobs = [Job(10.0, "linear", 0), Job(10.0, "amdahl", 0.0)]  # the second never gains
        self.assertAlmostEqual(sum(best_times(jobs, 11)), 1.0 + 10.0)

    def test_slowdowns_of_a_plan(self):
        one = planned("s", "best", record([20.0, 30.0]), [10.0, 30.0])
        self.assertEqual([one.sum_s, one.mean_slowdown, one.max_slowdown], exactly(40.0, 2.0, 3.0))


def made_up_matrix():
    return Matrix(
        [
            outcome(record([20.0]), "a", "fair"), outcome(record([10.0]), "a", "equal"),
            outcome(record([20.0]), "b", "fair"), outcome(record([80.0]), "b", "equal"),
            outcome(record([]), "c", "fair"), outcome(record([]), "c", "equal"),
        ],
        [],
    )  # fmt: skip


class Tables(unittest.TestCase):
    def test_means_are_over_fair_with_the_best_and_the_worst(self):
        text = matrix.report(made_up_matrix(), ("fair", "equal"))
        self.assertRegex(text, r"equal +1\.414 +1\.414 +1\.414 +1\.414 +2 +0\.50 a +4\.00 b")
        self.assertRegex(text, r"fair +1\.000")

    def test_unfinished_programs_are_told(self):
        found = Matrix([outcome(record([None, 20.0]), "a", "fair")], [])
        self.assertRegex(matrix.report(found, ("fair",)), r"fair +> 120\.0 .* 1\n")
        self.assertEqual(matrix.summary_rows(found)[0]["sum_s"], [120.0, None])

    def test_folders_hold_scenarios(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("b.sim", "a.sim", "notes.txt"):
                Path(folder, name).touch()
            self.assertEqual([f.stem for f in scenario_files((Path(folder),))], ["a", "b"])
            with self.assertRaises(BadInput):
                scenario_files((Path(folder), Path(folder, "a.sim")))
            Path(folder, "empty").mkdir()
            with self.assertRaises(BadInput):
                scenario_files((Path(folder, "empty"),))
            with self.assertRaisesRegex(BadInput, "none.sim: no such file"):
                scenario_files((Path(folder, "none.sim"),))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
    def test_a_picture_in_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = draw_matrix(made_up_matrix(), ("fair", "equal"), Path(folder), ("png", "svg"))
            self.assertEqual([path.name for path in drawn], ["policies.png", "policies.svg"])


class Ablation(unittest.TestCase):
    def effects(self, other, before=(), after=()):
        outcomes = {}
        for form in ablation.FORMS:
            outcomes[form, None, "a"] = outcome(record([20.0]), "a", form)
            outcomes[form, "rule", "a"] = outcome(record([other]), "a", form)
        broken = {(form, rule, "a"): what for form in ablation.FORMS
                  for rule, what in ((None, before), ("rule", after))}  # fmt: skip
        return [ablation.effect("rule", form, ["a"], outcomes, broken) for form in ablation.FORMS]

    def test_a_rule_that_matters_and_one_that_does_not(self):
        text = ablation.report(self.effects(22.0), {"rule": "x"}, ablation.RULES)
        self.assertIn("rule fair 1/1 1.100", " ".join(text.split()))
        self.assertIn("and break nothing:\n  none", text)
        text = ablation.report(self.effects(20.1), {"rule": "x"}, ablation.RULES)
        self.assertIn("nothing:\n  rule: x", text)

    def test_a_rule_without_which_an_invariant_breaks_matters(self):
        text = ablation.report(self.effects(20.0, after=["shares"]), {"rule": "x"}, ablation.RULES)
        self.assertIn("1: shares", text)
        self.assertIn("break nothing:\n  none", text)

    def test_what_is_broken_with_the_rule_as_well_is_not_its_affair(self):
        effects = self.effects(20.0, before=["flapping"], after=["flapping", "shares"])
        self.assertEqual([one.breaks for one in effects], [{}, {}])
        text = " ".join(ablation.report(effects, {"rule": "x"}, ablation.RULES).split())
        self.assertIn("no breaks: fair: 1/1 flapping: a turns: 1/1 flapping: a Rules", text)

    def test_a_policy_that_breaks_nothing_says_so(self):
        text = " ".join(ablation.report(self.effects(20.0), {"rule": "x"}, ablation.RULES).split())
        self.assertIn("no breaks: fair: 0/1 turns: 0/1 Rules", text)

    def test_a_bound_counts_as_far_as_it_is_known(self):
        self.assertTrue(self.effects(None)[0].matters())


class Grid(unittest.TestCase):
    def test_programs_take_as_long_alone_as_the_cell_says(self):
        cell = grid.Cell(16, "amdahl:0.8", 12, 10, 0.1)
        text = cell.scenario("first")  # 4 times as fast: 20 ms on one CPU, 5 ms on all
        self.assertIn("region = 20000us\nregions = 2000\n", text)
        self.assertIn("speedup = amdahl:0.8\n", text)
        self.assertIn("every = 100ms\ncopies = 12\n", text)

    def test_what_ran_earlier_has_the_same_label(self):
        cell = grid.Cell(16, "flat:8", 4, 1.5, 0)
        before, wrong = cell.scenario("before"), cell.scenario("wrong")
        self.assertEqual((before.count("flat:8"), before.count("label = same")), (2, 2))
        self.assertEqual((wrong.count("flat:8"), wrong.count("speedup = linear")), (1, 1))

    def test_what_ran_earlier_is_not_counted(self):
        row = record([20.0, 30.0])
        row["programs"] = [{**one, "program": name} for one, name in
                           zip(row["programs"], ("earlier", "cell"))]  # fmt: skip
        row["alone_s"] = {"earlier": 10.0, "cell": 10.0}
        cell = grid.cells((16,))[0]
        one = grid._outcome(row, cell, "turns")
        self.assertEqual((one.programs, one.sum_s), (1, Range.exactly(30.0)))

    def test_a_table_with_means(self):
        cell = grid.cells((16,))[0]
        fair, half = outcome(record([20.0]), "a", "fair"), outcome(record([10.0]), "a", "turns")
        double = outcome(record([40.0]), "a", "turns")
        turns = {"first": half, "before": fair, "wrong": double}
        rows = [grid.Row(cell, fair, None, turns)] * 2
        text = " ".join(grid.report(rows).split())
        self.assertIn("mean - 0.500 1.000 2.000 worst 0.00 0.50 1.00 2.00", text)
        self.assertIn("slower than fair 0 0 0 2", text)
        self.assertEqual(grid.summary_rows(rows)[0]["wrong/fair"], 2.0)


class Commands(unittest.TestCase):
    """bench/simulate --table and --ablate, with a stand-in for the simulator."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "a.sim").touch()
        self.stand_in(f"cat {self.folder}/record.json")

    def stand_in(self, otherwise):
        batch = [{"work_s": 40.0, "law": "linear", "parameter": 0}]
        (self.folder / "record.json").write_text(json.dumps(record([20.0], batch=batch)))
        simulator = self.folder / "simulate"
        simulator.write_text(
            "#!/bin/sh\n"
            f"[ $1 != --rules ] || {{ printf 'newcomer\\tnobody shrinks\\n'; exit; }}\n{otherwise}\n"
        )
        simulator.chmod(0o755)

    def command(self, *arguments):
        return [sys.executable, str(BENCH / "simulate"), "--bin", str(self.folder), *arguments]

    def run_command(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)

    def test_a_table_with_its_files(self):
        output = self.folder / "out"
        done = self.run_command(
            "--table", str(self.folder), "--policies", "fair,equal,best", "--output", str(output)
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"best +10\.0 +1\.00 ")
        summary = json.loads((output / "summary.json").read_text())
        self.assertEqual(len(summary["rows"]), 3)
        self.assertIn("```", (output / "results.md").read_text())

    def test_an_ablation(self):
        done = self.run_command("--ablate", str(self.folder / "a.sim"), "--no-patches")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("newcomer: nobody shrinks", done.stdout)

    def test_a_simulator_that_finds_something_broken_is_no_failure(self):
        self.stand_in(f"cat {self.folder}/record.json; exit 1")
        done = self.run_command("--ablate", str(self.folder / "a.sim"), "--no-patches")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_grid(self):
        row = record([20.0])
        row["programs"][0]["program"], row["alone_s"]["cell"] = "cell", 10.0
        self.stand_in(f"cat {self.folder}/record.json")
        (self.folder / "record.json").write_text(json.dumps(row))
        done = self.run_command("--grid", "8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("\n8 "), 24)
        self.assertRegex(done.stdout, r"1\.000 +1\.000 +1\.000\n")

    def test_the_runtime_is_that_of_all_runs(self):
        self.stand_in(f'echo "$@" >> {self.folder}/asked; cat {self.folder}/record.json')
        for mode in (("--table",), ("--no-patches", "--ablate")):
            self.run_command("--runtime", "libomp", *mode, str(self.folder / "a.sim"))
        asked = (self.folder / "asked").read_text().splitlines()
        self.assertGreater(len(asked), 8)
        self.assertTrue(all("--runtime libomp" in line for line in asked), asked)

    def test_refusals(self):
        self.stand_in("echo 'simulate: none of that name' >&2; exit 2")
        done = self.run_command("--table", str(self.folder), "--policies", "nonsense")
        self.assertEqual((done.returncode, done.stderr), (2, "bench/simulate: none of that name\n"))
        for arguments in (("x.sim", "--table", "y"), ("--ablate", "x", "--policy", "fair"),
                          ("x.sim", "--runtime", "gomp"), ("--grid", "--policy", "x"),
                          ("--grid", "0"), ("x.sim", "--grid")):  # fmt: skip
            with self.assertRaises(BadInput):
                read_settings(list(arguments), Path("/nowhere"))

    def test_a_signal_ends_it_and_leaves_nothing_behind(self):
        self.stand_in(f"echo $$ > {self.folder}/pid; exec sleep 60")
        process = subprocess.Popen(
            self.command("--table", str(self.folder)), stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 20
        pid = self.folder / "pid"
        while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        self.assertEqual((process.returncode, errors), (130, "bench/simulate: ended by a signal.\n"))
        self.assertFalse(Path(f"/proc/{pid.read_text().strip()}").exists())
