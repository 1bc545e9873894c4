# SPDX-License-Identifier: MIT
"""Cases, launches, changed sources and figures of bench/nas, without any benchmark."""

import json
import tempfile
import unittest
from pathlib import Path

from lab.endings import Failed
from lab.quantities import BadInput
from lab.records import ProgramRecord, Results, RunRecord, as_document
from npb.building import build, check_checkout, with_lines
from npb.cases import ARMS, BASELINES, CASES, LOADS, PLAIN, UNMODIFIED
from npb.command import merged
from npb.figures import rows_of, summary_rows
from npb.launches import Site, launches_of
from npb.settings import read_settings

SITE = Site(
    {load: Path("/lines") / load for load in LOADS}, {load: Path("/as-it-is") / load for load in LOADS},
    ("/bin/md", "--sleep-us", "60000"), Path("/bin/governorctl"), Path("/run/a.sock"), [0, 1],
)  # fmt: skip
BT = "int x;\nint main(int argc, char **argv) {\n  int step;\n  for (step = 1; step <= niter; step++) {\n    adi();\n"


def launches(case, arm):
    return launches_of(CASES[case], ARMS[arm], SITE)


def run(case, arm, times, repetition=0):
    """`times`: from start to finish of each member."""
    programs = tuple(
        ProgramRecord(name, began_s, finished_s, 1.0, (), {})
        for name, (began_s, finished_s) in zip(CASES[case].members, times, strict=True)
    )
    return RunRecord(case, arm, repetition, 0.0, None, 0.1, programs)


class Launches(unittest.TestCase):
    def test_an_arm_runs_one_binary_for_all_but_the_neighbour(self):
        for name, arm in ARMS.items():
            folder = "/lines/" if arm.has_lines else "/as-it-is/"
            for case in CASES.values():
                own = [one for one, member in zip(launches(case.name, name), case.members) if "." in member]
                self.assertEqual({one.command[-1].startswith(folder) for one in own}, {True}, (name, case.name))

    def test_every_run_verifies_its_result(self):
        for launch in launches("mixed", PLAIN):
            self.assertIn("SUCCESSFUL", launch.command[2])

    def test_a_tree_is_started_by_governorctl_and_by_nothing_else(self):
        self.assertEqual(launches("equal", "run")[0].command[4:8], ("/bin/governorctl", "run", "-q", "--"))
        self.assertIn("--batch", launches("equal", "batch")[0].command)
        self.assertEqual(launches("equal", UNMODIFIED)[0].command[4:], ("/as-it-is/bt.W",))

    def test_a_hog_asks_nobody_whatever_the_arm(self):
        for name in ARMS:
            hog, *others = launches("hog", name)
            self.assertEqual((hog.settings, hog.cpus), ({"THREADCOUNT": "off"}, None))
            self.assertEqual(len(others), 2)

    def test_a_nice_hog_is_nice_for_the_session_too(self):
        command = launches("nice-hog", "fair")[0].command
        self.assertIn("echo 19 > /proc/self/autogroup; exec nice -n 19", command[6])
        self.assertEqual(command[-1], "/lines/bt.W")

    def test_in_turn_starts_them_one_after_the_other(self):
        in_turn = [name for name, arm in ARMS.items() if arm.method.in_turn]
        self.assertEqual(in_turn, ["in-turn", "unmodified-in-turn"])
        self.assertEqual(CASES["equal"].arms(("fair", "in-turn")), ["fair", "in-turn"])
        self.assertEqual(CASES["hog"].arms(("fair", "in-turn")), ["fair"])

    def test_the_sleeper_follows_but_takes_no_turns(self):
        self.assertEqual(launches("sleeper", "turns")[0].settings["THREADCOUNT"], "adapt")
        self.assertNotIn("THREADCOUNT_CLASS", launches("sleeper", "turns")[0].settings)
        self.assertEqual(launches("sleeper", "turns")[1].settings["THREADCOUNT_CLASS"], "batch")

    def test_a_split_by_hand_leaves_nothing_to_a_hog(self):
        self.assertEqual([one.cpus for one in launches("hog", "static")], [None, (0,), (1,)])
        self.assertEqual([one.cpus for one in launches("sleeper", "static")], [(0,), (1,)])


class Sources(unittest.TestCase):
    def test_main_and_its_loop_get_the_lines(self):
        changed = with_lines("bt", BT, False)
        self.assertTrue(changed.startswith("#include <threadcount/article.h>\n#include <threadcount/timing.h>\n"))
        self.assertIn("{\n    init_thread_count();\n    set_thread_count();\n    start_timer();\n  int step;", changed)
        self.assertIn("step++) { stop_timer(); set_thread_count(); start_timer();\n    adi();", changed)

    def test_each_region_may_get_one_as_well(self):
        region = "    #pragma omp parallel for\n"
        changed = with_lines("bt", BT + region, True)
        self.assertTrue(changed.endswith("stop_timer(); set_thread_count(); start_timer();\n" + region))
        self.assertEqual(changed.count("stop_timer"), 1, "the loop itself is no region")

    def test_a_source_without_its_loop_or_with_two_is_refused(self):
        loop = BT[BT.index("  for") :]
        for source in (BT.replace("niter", "many"), BT + loop, loop):
            with self.assertRaisesRegex(Failed, "bt.c: main or its loop"):
                with_lines("bt", source, False)

    def test_a_program_of_one_region_asks_before_it_alone(self):
        self.assertEqual(with_lines("ep", "int main(int argc, char **argv) {\n", False).count("set_thread_count"), 1)

    def test_a_folder_without_the_benchmarks_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(BadInput, "NPB3.0-omp-C"):
            check_checkout(Path(folder))

    def test_what_make_says_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            checkout = Path(folder) / "checkout"
            (checkout / "config").mkdir(parents=True)
            (checkout / "Makefile").write_text(".PHONY: CG\nCG:\n\t@echo no compiler\n", encoding="utf-8")
            nothing = (Path("/none"), Path("/none"))
            with self.assertRaisesRegex(Failed, "(?s)make CG CLASS=A failed:.*no compiler"):
                build(checkout, Path(folder) / "built", ["cg.A"], "gcc", None, nothing)


class Figures(unittest.TestCase):
    def test_neighbours_count_in_a_column_of_their_own(self):
        (row,) = rows_of(CASES["hog"], [run("hog", "fair", [(0, 9), (0.2, 2.2), (0.4, 3.4)])])
        self.assertAlmostEqual(row.sums[0].low, 5.0)
        self.assertAlmostEqual(row.makespans[0].low, 3.2)
        self.assertEqual(row.neighbours[0].low, 9)

    def test_the_best_is_that_of_the_same_repetition(self):
        times = dict(zip(BASELINES, (4.0, 6.0, 8.0, 9.0)))
        runs = [run("equal", arm, [(0, end), (0, end)]) for arm, end in times.items()]
        runs += [run("equal", "fair", [(0, 5), (0, 5)])]
        # The next one lacks one baseline.
        runs += [run("equal", arm, [(0, 1), (0, 1)], 1) for arm in ("fair", "static", "passive", "one")]
        rows = {row.arm: row for row in rows_of(CASES["equal"], runs)}
        self.assertEqual([value.low for value in rows["fair"].sum_over_best], [1.25])

    def test_two_binaries_are_compared_in_a_column_of_their_own(self):
        runs = [run("equal", arm, [(0, 2), (0, 2)]) for arm in (*BASELINES, PLAIN, "fair", "run")]
        runs += [run("equal", UNMODIFIED, [(0, 4), (0, 4)])]
        rows = {row.arm: row for row in rows_of(CASES["equal"], runs)}
        self.assertEqual([len(rows["fair"].sum_over_best), len(rows["fair"].sum_over_plain)], [1, 1])
        self.assertEqual([len(rows["run"].sum_over_best), len(rows["run"].sum_over_plain)], [0, 0])
        self.assertEqual({rows[arm].sum_over_unmodified[0].low for arm in ("fair", "run")}, {0.5})

    def test_a_slowdown_is_over_the_time_alone(self):
        alone = run("alone-bt.W", PLAIN, [(0, 2)])
        both = run("equal", "fair", [(0, 3), (0, 5)])
        self.assertEqual(summary_rows(rows_of(CASES["equal"], [alone, both]))[0]["max_slowdown"], 2.5)
        self.assertIsNone(rows_of(CASES["equal"], [both])[0].slowdown)
        tree = run("equal", "run", [(0, 3), (0, 5)])
        self.assertIsNone(rows_of(CASES["equal"], [alone, tree])[0].slowdown, "of another binary")

    def test_a_time_in_turn_counts_from_when_it_was_due(self):
        (row,) = rows_of(CASES["equal"], [run("equal", "in-turn", [(0, 2), (0.05, 4)])])
        self.assertAlmostEqual(row.sums[0].low, 5.95)
        self.assertAlmostEqual(row.makespans[0].low, 4.0)


class Merged(unittest.TestCase):
    def written(self, folder, name, runtime, runs):
        machine = {"cpu_model": "one", "kernel": "Linux 1"}
        results = Results(machine, {"runtime": runtime}, {}, runs)
        path = Path(folder) / name
        path.write_text(json.dumps(as_document(results, [])), encoding="utf-8")
        return str(path)

    def merged(self, *paths):
        return merged(read_settings(["--merge", *paths], Path("bin")), "bench/nas --merge")

    def test_no_ratio_is_of_two_files(self):
        with tempfile.TemporaryDirectory() as folder:
            first = self.written(folder, "a", "gcc", [run("equal", PLAIN, [(0, 2), (0, 2)])])
            second = self.written(folder, "b", "gcc", [run("equal", "fair", [(0, 1), (0, 1)])])
            runs = self.merged(first, second).runs
        self.assertEqual([one.repetition for one in runs], [0, 1])
        rows = {row.arm: row for row in rows_of(CASES["equal"], runs)}
        self.assertEqual(rows["fair"].sum_over_plain, ())

    def test_files_of_two_runtimes_or_machines_do_not_belong_together(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [self.written(folder, name, name, []) for name in ("gcc", "clang")]
            with self.assertRaisesRegex(BadInput, "--merge: runtime is gcc in one file and clang"):
                self.merged(*files)


class Settings(unittest.TestCase):
    def test_a_checkout_is_needed_unless_results_are_merged(self):
        with self.assertRaisesRegex(BadInput, "--nas DIR is needed"):
            read_settings([], Path("bin"))
        self.assertEqual(read_settings(["--merge", "a.json"], Path("bin")).merged, (Path("a.json"),))

    def test_no_run_counts_twice(self):
        with self.assertRaisesRegex(BadInput, "--merge: a file stands twice"):
            read_settings(["--merge", "a.json", "./a.json"], Path("bin"))

    def test_other_names_are_refused(self):
        with self.assertRaisesRegex(BadInput, "--arms fare: 'fare' is none of plain"):
            read_settings(["--merge", "a", "--arms", "fare"], Path("bin"))


if __name__ == "__main__":
    unittest.main()
