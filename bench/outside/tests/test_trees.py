# SPDX-License-Identifier: MIT
import unittest
from dataclasses import replace
from pathlib import Path

from lab.quantities import BadInput
from lab.records import ProgramRecord, RunRecord
from outside.cases import ARMS, BATCH, CASES, IDLE, KEEP, PASSIVE, PLAIN, RUN, SHELL
from outside.figures import rows_of
from outside.launches import Site, launches_of
from outside.loads import LOADS
from outside.settings import read_settings

SITE = Site(
    Path("/bin/governorctl"), Path("/run/a.sock"), Path("/built"), dict.fromkeys(LOADS, 7), 2, 100, 3, 20.0, False
)  # fmt: skip


def commands(case, arm, site=SITE):
    return [launch.command for launch in launches_of(CASES[case], arm, site)]


def run(case, arm, times, repetition=0, p99_ms=10.0):
    """`times`: from start to finish of each member."""
    members = CASES[case].members_of(arm)
    programs = tuple(
        ProgramRecord(name, began_s, finished_s, 1.0, (), {"p99_ms": p99_ms})
        for name, (began_s, finished_s) in zip(members, times, strict=True)
    )
    return RunRecord(case, arm, repetition, 0.0, None, 0.0, programs)


def rows(case, *runs):
    return {(row.figure, row.arm): row for row in rows_of(CASES[case], list(runs))}


class Cases(unittest.TestCase):
    def test_every_case_runs_its_arms_and_nothing_else(self):
        for case in CASES.values():
            self.assertTrue(set(case.arms()) <= set(ARMS), case.name)
            self.assertIn(PLAIN, case.arms())

    def test_idle_leaves_the_shell_alone(self):
        self.assertEqual(CASES["agents"].members_of(IDLE), (SHELL,))
        self.assertEqual(len(CASES["agents"].members_of(BATCH)), 5)


class Launches(unittest.TestCase):
    def test_the_arms_differ_in_what_stands_in_front_alone(self):
        plain, batch = (commands("pair-go", arm)[0] for arm in (PLAIN, BATCH))
        self.assertEqual(plain[-2:], ("/built/count_go", "7"))
        place = batch.index("/bin/governorctl")
        self.assertEqual(batch[place:-2], ("/bin/governorctl", "run", "-q", "--batch", "--"))
        self.assertEqual(batch[:place] + batch[-2:], plain)

    def test_teams_that_spin_are_kept_or_wait_asleep(self):
        keep, passive, plain = (launches_of(CASES["pair-gcc-1ms"], arm, SITE)[0] for arm in (KEEP, PASSIVE, PLAIN))
        self.assertEqual(passive.command, plain.command)
        self.assertEqual(passive.settings["OMP_WAIT_POLICY"], "passive")
        self.assertNotIn("OMP_WAIT_POLICY", plain.settings)
        self.assertIn("--keep", keep.command)
        self.assertEqual(keep.command[-3:], ("/built/count_gcc", "7", "6000"))

    def test_hogs_and_shells_are_never_run_by_us(self):
        for case, arm in (("hogs-go", RUN), ("agents", BATCH)):
            first, *others = commands(case, arm)
            self.assertNotIn("/bin/governorctl", first)
            for command in others:
                self.assertIn("/bin/governorctl", command)

    def test_two_of_a_kind_write_to_files_of_their_own(self):
        for case in CASES.values():
            for arm in case.arms():
                names = [launch.name for launch in launches_of(case, arm, SITE)]
                self.assertEqual(len(set(names)), len(names))

    def test_agents_work_in_folders_of_their_own(self):
        folders = [command[-2] for command in commands("agents", PLAIN)[1:]]
        self.assertEqual(len(set(folders)), 4)


class Loads(unittest.TestCase):
    def test_a_load_says_what_it_lacks(self):
        self.assertEqual(replace(LOADS["xz"], needs=("sh", "no-such-tool")).lacks(), "no-such-tool")

    def test_each_load_does_as_much_as_it_is_told(self):
        for load in LOADS.values():
            self.assertIn("9", " ".join(load.command_line(Path("/f"), 9)))
            self.assertNotIn("UNITS", " ".join(load.command_line(Path("/f"), 9)))


class Figures(unittest.TestCase):
    def test_sum_and_makespan_are_compared_within_a_repetition(self):
        found = rows(
            "pair-go",
            run("pair-go", PLAIN, ((0.0, 8.0), (0.0, 8.0))), run("pair-go", BATCH, ((0.0, 4.0), (0.0, 8.4))),
        )  # fmt: skip
        total, makespan = found["sum", "batch/plain"], found["makespan", "batch/plain"]
        self.assertAlmostEqual(total.ratios[0].low, 0.775)
        self.assertAlmostEqual(makespan.ratios[0].low, 1.05)
        self.assertEqual((total.met, makespan.met), (True, True))
        self.assertNotIn(("sum", "in-turn/plain"), found)

    def test_of_hogs_and_a_program_the_program_counts(self):
        plain, ours = (run("hogs-go", arm, ((0.0, 3.0), (2.3, end))) for arm, end in ((PLAIN, 6.3), (RUN, 7.3)))
        self.assertAlmostEqual(rows("hogs-go", plain, ours)["last program", "run/plain"].ratios[0].low, 1.25)

    def test_the_shell_does_not_count_as_an_agent(self):
        four = ((0.1, 20.1), (0.2, 21.0), (0.3, 22.0), (0.4, 20.4))
        found = rows(
            "agents",
            run("agents", IDLE, ((0.0, 30.0),), p99_ms=11.0),
            run("agents", PLAIN, ((0.0, 30.0), *four), p99_ms=40.0),
            run("agents", BATCH, ((0.0, 30.0), *four), p99_ms=33.0),
        )
        self.assertAlmostEqual(found["makespan", "batch/plain"].values[0].low, 21.9)
        p99 = found["p99 of the command, ms", "batch/idle"]
        self.assertAlmostEqual(p99.ratios[0].low, 3.0)
        self.assertIs(p99.met, False)


class Settings(unittest.TestCase):
    def test_a_case_that_is_none_is_refused_by_name(self):
        with self.assertRaisesRegex(BadInput, "--cases pair-cobol: 'pair-cobol' is none of pair-go"):
            read_settings(["--cases", "pair-cobol"], Path("/nowhere"))
