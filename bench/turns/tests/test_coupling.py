# SPDX-License-Identifier: MIT
import unittest
from dataclasses import replace
from pathlib import Path

from lab.quantities import BadInput
from lab.ranges import Range
from lab.records import ProgramRecord, Results, RunRecord
from turns.cases import ARMS, CASES, iterations, members_of
from turns.figures import longest_wait_s, rows_of, with_pause
from turns.launches import Site, launches_of
from turns.pauses import Pauses
from turns.report import report_text
from turns.settings import chosen_arms, chosen_cases, read_settings

NAMES = ("md", "steps", "allreduce")
SITE = Site(
    {name: Path("/bin", name) for name in NAMES}, dict.fromkeys(NAMES, 7), Path("/run/a.sock"),
    Path("/run"), 2, 1000, 4.0,
)  # fmt: skip


def settings(*arguments):
    return read_settings(list(arguments), Path("/nowhere"))


def launches(case, arm):
    return {launch.name: launch for launch in launches_of(CASES[case], ARMS[arm], SITE)}


def run(case, arm, elapsed, repetition=0, reports=None, stopped_s=None):
    """Everybody starts at 0; None in `elapsed`: it was stopped."""
    members = members_of(CASES[case], ARMS[arm])
    reports = reports or [{"longest_step_ms": 10.0}] * len(members)
    programs = tuple(
        ProgramRecord(member.name, 0.0, time, 1.0, (), None if time is None else report)
        for member, time, report in zip(members, elapsed, reports, strict=True)
    )
    return RunRecord(case, arm, repetition, 0.0, stopped_s, 0.0, programs)


def rows(case, *runs, max_wait_s=60.0):
    return {(row.figure, row.arm): row for row in rows_of(CASES[case], list(runs), max_wait_s)}


class Cases(unittest.TestCase):
    def test_names_are_unique_within_a_run_since_output_goes_to_files_of_that_name(self):
        for case in CASES.values():
            labels = [member.label for member in members_of(case, ARMS["turns-beside"])]
            self.assertEqual(len(set(labels)), len(labels), case.name)

    def test_every_case_has_somebody_who_must_not_be_hurt_and_somebody_to_take_turns_with(self):
        for case in CASES.values():
            subjects = [member.is_subject for member in case.members]
            self.assertIn(True, subjects)
            self.assertIn(False, subjects)

    def test_processes_of_one_member_share_its_work(self):
        self.assertEqual(iterations(4.0, 1000, 2, 1), 8000)
        self.assertEqual(iterations(4.0, 1000, 2, 2), 4000)
        self.assertEqual(iterations(0.0001, 1000, 2, 2), 1)


class Launches(unittest.TestCase):
    def test_only_the_class_differs_between_turns_and_fair(self):
        for case in CASES:
            for name, launch in launches(case, "turns").items():
                fair = launches(case, "fair")[name]
                self.assertEqual(launch.settings["THREADCOUNT_CLASS"], "batch")
                classes = {"THREADCOUNT_CLASS": "interactive"}
                self.assertEqual(replace(launch, settings={**launch.settings, **classes}), fair)

    def test_nobody_is_told_a_job_so_that_it_has_to_be_recognised(self):
        for case in CASES:
            for launch in launches(case, "turns").values():
                self.assertNotIn("THREADCOUNT_JOB", launch.settings)

    def test_plain_programs_know_no_governor(self):
        for launch in launches("pipe", "default").values():
            self.assertEqual(launch.settings, {"THREADCOUNT": "off"})

    def test_both_ends_of_the_pipe_are_of_one_shell(self):
        shell, option, line = launches("pipe", "turns")["pipe"].command
        self.assertEqual((shell, option), ("/bin/sh", "-c"))
        write, read = line.split(" | ")
        self.assertEqual(write, "/bin/steps write --json --iterations 4000 --work 7")
        self.assertEqual(read, write.replace("write", "read"))

    def test_two_ranks_are_launched_by_mpirun(self):
        command = launches("mpi", "turns")["mpi"].command
        self.assertEqual(command[0], "mpirun")
        self.assertEqual(command[command.index("-n") + 1 :][:2], ("2", "/bin/allreduce"))

    def test_ranks_that_sleep_differ_in_nothing_else(self):
        spinning, sleeping = (launches(case, "turns")["mpi"].command for case in ("mpi", "mpi-sleeps"))
        place = sleeping.index("--sleep-us")
        self.assertEqual(sleeping[:place] + sleeping[place + 2 :], spinning)
        usual = [case.name for case in chosen_cases(settings(), {})[0]]
        self.assertEqual(usual, ["mpi", "pipe", "stopped", "liar"])

    def test_the_first_program_is_the_one_that_is_stopped(self):
        first = launches_of(CASES["stopped"], ARMS["turns"], SITE)[0]
        self.assertEqual((first.name, first.stop_s), ("stopped.holder", (1.0, 4.0)))

    def test_the_bystander_is_nobody_s_and_never_batch(self):
        launch = launches_of(CASES["mpi"], ARMS["turns-beside"], SITE)[0]
        self.assertEqual(launch.command[:2], ("setpriv", "--reuid=65534"))
        self.assertIn("--pdeathsig=KILL", launch.command)
        self.assertEqual(launch.settings["THREADCOUNT_CLASS"], "interactive")
        self.assertNotIn("bystander", launches("mpi", "turns"))


class LongestPauses(unittest.TestCase):
    def test_a_clock_that_stands_still_is_a_pause_until_it_is_seen_to_run(self):
        pauses = Pauses()
        for now_s, ticks in ((0.0, 0), (0.5, 5), (1.0, 5), (1.5, 5), (2.0, 6), (2.5, 7)):
            pauses.look(now_s, {1: ticks})
        self.assertEqual(pauses.longest_s(1), 1.5)

    def test_who_has_not_begun_waits_too(self):
        pauses = Pauses()
        for now_s in (0.0, 1.0, 2.0):
            pauses.look(now_s, {1: 0})
        self.assertEqual(pauses.longest_s(1), 2.0)

    def test_nothing_is_known_of_who_was_never_seen(self):
        self.assertIsNone(Pauses().longest_s(1))


class Figures(unittest.TestCase):
    def test_ratios_are_taken_within_one_repetition(self):
        found = rows(
            "mpi",
            run("mpi", "turns", (1.0, 2.0, 3.0)), run("mpi", "fair", (3.0, 3.0, 3.0)),
            run("mpi", "turns", (9.0, 9.0, 9.0), 1), run("mpi", "fair", (6.0, 6.0, 6.0), 1),
            run("mpi", "turns", (99.0, 99.0, 99.0), 2),
        )  # fmt: skip
        makespan = found["makespan", "turns/fair"]
        self.assertEqual([value.low for value in makespan.ratios], [1.0, 1.5])
        self.assertIs(makespan.met, False)
        self.assertEqual([value.low for value in found["aggregate", "turns/fair"].ratios], [6 / 9, 1.5])

    def test_the_elapsed_time_is_that_of_who_must_not_be_hurt(self):
        turns, fair = run("stopped", "turns", (9.0, 2.0, 3.0)), run("stopped", "fair", (4.0, 5.0, 5.0))
        found = rows("stopped", turns, fair)
        row = found["elapsed, the others", "turns/fair"]
        self.assertEqual((row.ratios[0].low, row.met), (0.5, True))
        self.assertIs(found["makespan", "turns/fair"].met, False)

    def test_the_bystander_counts_only_for_its_own_figure(self):
        beside = run("mpi", "turns-beside", (4.0, 50.0, 50.0, 50.0))
        found = rows("mpi", beside, run("mpi", "fair-beside", (4.0, 1.0, 1.0, 1.0)))
        self.assertEqual(list(found), [("elapsed, another user's", "turns-beside/fair-beside")])
        self.assertIs(next(iter(found.values())).met, True)

    def test_a_run_that_was_stopped_is_a_bound_and_may_leave_the_verdict_open(self):
        stopped = run("mpi", "turns", (1.0, 1.0, None), stopped_s=5.0)
        for fair_s, met in ((4.0, False), (9.0, None)):
            found = rows("mpi", stopped, run("mpi", "fair", (1.0, 1.0, fair_s)))
            self.assertIs(found["makespan", "turns/fair"].met, met)

    def test_the_longest_wait_is_told_by_steps_or_seen_at_the_clock(self):
        reports = [{"pid": 1}, {"pid": 2}, {"longest_step_ms": 1500.0}]
        waiting = run("mpi", "turns", (9.0, 9.0, 9.0), reports=reports)
        seen = tuple(with_pause(*pair) for pair in zip(waiting.programs, (0.5, 2.5, 7.0)))
        self.assertEqual(longest_wait_s(CASES["mpi"], replace(waiting, programs=seen)), Range.exactly(2.5))

    def test_who_is_stopped_by_us_does_not_wait(self):
        reports = [{"longest_pause_s": 3.0}, {"longest_pause_s": 1.0}, {"longest_pause_s": 2.0}]
        waiting = run("stopped", "turns", (9.0, 9.0, 9.0), reports=reports)
        self.assertEqual(longest_wait_s(CASES["stopped"], waiting), Range.exactly(2.0))

    def test_a_wait_beyond_patience_is_missed_and_one_that_nobody_saw_is_open(self):
        long, short = {"longest_step_ms": 7000.0}, {"longest_step_ms": 5900.0}
        for report, met in ((long, False), (short, True), ({}, None)):
            found = rows("liar", run("liar", "turns", (9.0,) * 3, reports=[report] * 3), max_wait_s=5.0)
            self.assertIs(found["longest wait", "turns"].met, met)


class Settings(unittest.TestCase):
    def test_what_cannot_run_here_is_left_out_with_a_note_unless_it_was_asked_for(self):
        cases, notes = chosen_cases(settings(), {"mpi": "no mpirun"})
        self.assertEqual([case.name for case in cases], ["pipe", "stopped", "liar"])
        self.assertEqual(notes, ["mpi is left out: no mpirun."])
        with self.assertRaisesRegex(BadInput, "--cases mpi: no mpirun"):
            chosen_cases(settings("--cases", "pipe,mpi"), {"mpi": "no mpirun"})

    def test_another_user_s_program_needs_root(self):
        arms, notes = chosen_arms(settings(), is_root=False)
        self.assertEqual([arm.name for arm in arms], ["turns", "fair"])
        self.assertEqual(len(notes), 2)
        self.assertEqual(len(chosen_arms(settings(), is_root=True)[0]), 4)
        with self.assertRaisesRegex(BadInput, "--arms turns-beside: not root"):
            chosen_arms(settings("--arms", "turns-beside"), is_root=False)

    def test_unknown_names_are_refused_with_those_that_are_known(self):
        with self.assertRaisesRegex(BadInput, "--cases mpi,tea: 'tea' is none of mpi, mpi-sleeps"):
            settings("--cases", "mpi,tea")


class Report(unittest.TestCase):
    def test_each_figure_stands_beside_its_goal_and_verdict(self):
        machine = {"cpu_model": "X", "cpus_allowed": [0, 1], "kernel": "Linux", "date": "today"}
        results = Results(machine, settings().described(), {}, notes=["mpi is left out: no mpirun."])
        found = rows("pipe", run("pipe", "turns", (1.0, 2.0, 3.0)), run("pipe", "fair", (2.0, 2.0, 2.0)))
        lines = report_text(results, list(found.values())).splitlines()
        makespan = next(line for line in lines if line.startswith("| pipe | makespan"))
        self.assertRegex(makespan, r"turns/fair +\| 3.00 +\| 2.00 +\| 1.50 +\| <= 1.10 +\| MISSED")
        elapsed = next(line for line in lines if "the pipe" in line)
        self.assertRegex(elapsed, "1.50.*MISSED")
        self.assertIn("Note: mpi is left out: no mpirun.", lines)


if __name__ == "__main__":
    unittest.main()
