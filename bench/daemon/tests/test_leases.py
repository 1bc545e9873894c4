# SPDX-License-Identifier: MIT
"""The measurements of leases, beside the goals; and the command line of bench/leases."""

import unittest
from pathlib import Path

from daemon.leases_report import (
    cost_rows,
    event_rows,
    hello_rows,
    leases_text,
    load_rows,
    rows_as_json,
)
from daemon.leases_settings import PARTS, read_leases_settings
from lab.quantities import BadInput

MACHINE = {
    "cpu_model": "Some CPU",
    "cpus_allowed": [0, 1],
    "kernel": "Linux 6",
    "date": "today",
    "load_average_before": [0.5],
}


def settings(*arguments, limit=20_000, root=True):
    return read_leases_settings(list(arguments), Path("/nowhere/bin"), limit, root)


def event(kind, last_us, words=2):
    return {"kind": kind, "words": words, "first_ns": 1, "last_ns": last_us * 1000}


def load(**other):
    found = {
        "due": 600, "done": 600, "connections": 40, "held": 40, "cpu_percent": 2.0,
        "hello_us": {"median": 100.0, "p99": 200.0}, "samples": {"missed": 0, "expected": 6},
        "rss_kib": {"begin": 8000, "end": 8000, "looks": [7000, 8000, 8000]},
    }  # fmt: skip
    return {**found, **other}


class Rows(unittest.TestCase):
    def test_a_hello_is_counted_in_round_trips(self):
        welcome, read = hello_rows(
            {"echo_ns": [10_000] * 3, "welcome_ns": [25_000] * 3, "mapped_ns": [40_000] * 3}
        )
        self.assertEqual((welcome.ours, welcome.goal, welcome.ratio), (25.0, 30.0, 0.833))
        self.assertTrue(welcome.reached)
        self.assertFalse(read.reached)
        self.assertIn("4.00 round trips of 10.0 us", read.remark)

    def test_events_are_judged_by_kind_and_by_the_last_word(self):
        events = [event("leave", 100), event("leave", 300), event("kill", 2000)]
        leave, kill = event_rows(events, 1000, 256)
        self.assertEqual((leave.ours, leave.reached), (300.0, True))
        self.assertEqual((kill.ours, kill.reached), (2000.0, False))
        self.assertIn("(100); 2 events, 2 words each", leave.remark)

    def test_cost_is_of_one_core_and_the_highest_memory(self):
        cost = {"what": "all busy", "seconds": 30, "cpu_percent": 0.25, "decisions_per_s": 1.0}
        cpu, memory = cost_rows([{**cost, "rss_kib": 100, "highest_rss_kib": 12 * 1024}])
        self.assertEqual((cpu.ratio, cpu.reached), (1.25, False))
        self.assertEqual((memory.ours, memory.reached), (12.0, True))

    def test_under_load_nothing_may_be_lost(self):
        self.assertTrue(all(row.reached for row in load_rows(load())))
        lost = load_rows(load(done=590, held=39, samples={"missed": 1, "expected": 6}))
        self.assertEqual([row.ours for row in lost], [10, 1, 1, 0])
        self.assertEqual([row.ratio for row in lost], [None] * 4)

    def test_memory_that_is_given_back_has_not_grown(self):
        rss = {"begin": 8000, "end": 7000, "looks": [7000, 8000, 7000]}
        self.assertEqual(load_rows(load(rss_kib=rss))[-1].ours, 0)

    def test_the_text_has_a_line_for_each(self):
        rows = rows_as_json(load_rows(load(done=0)))
        text = leases_text({"machine": MACHINE, "rows": rows})
        self.assertRegex(text, r"leases not served +600 +0 +- +MISSED")
        self.assertRegex(text, r"RSS grown +0 KiB +0 KiB +- +reached")


class Settings(unittest.TestCase):
    def test_the_full_form_is_the_projects_goal(self):
        full = settings()
        self.assertEqual((full.programs_of_events, full.cpus, full.programs_of_cost), (1000, 256, 100))
        self.assertEqual((full.connections, full.rate, full.load_s), (10_000, 1000, 60))
        self.assertEqual(full.parts, PARTS)
        self.assertEqual(sum(crowd.askers for crowd in full.crowds()), 1000)

    def test_quick_is_smaller_but_where_it_is_told_otherwise(self):
        quick = settings("--quick", "--rate", "40", "--parts", "load,hello")
        self.assertEqual((quick.connections, quick.rate, quick.load_s), (1000, 40, 5))
        self.assertEqual(quick.parts, ("load", "hello"))

    def test_refusals_name_what_is_accepted(self):
        cases = {
            ("--parts", "hello,tea"): "'tea' is none of hello, events, cost, load",
            ("--rate", "3"): "from 4 to 100000",
            ("--connections", "20000"): "open files",
            ("--unknown",): "--help",
        }
        for arguments, text in cases.items():
            with self.assertRaisesRegex(BadInput, text, msg=arguments):
                settings(*arguments)
