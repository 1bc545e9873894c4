# SPDX-License-Identifier: MIT
"""Files of /proc, counters and times to numbers."""

import math
import os
import unittest

from daemon.counters import Counters, counters_from, samples_between
from daemon.figures import cpu_seconds, figures_of, memory_kib
from daemon.latency import latency_of, ratios
from lab.programs import ProcessFailed

STATUS = "Name:\tgovernord\nVmPeak:\t  20000 kB\nVmHWM:\t    7100 kB\nVmRSS:\t    6400 kB\nThreads:\t1\n"


def counters(uptime_ms, samples, discarded=0):
    return Counters(0, uptime_ms, 1000, samples, discarded, 0, 0)


class Figures(unittest.TestCase):
    def test_memory_is_what_is_resident_and_the_most_of_it(self):
        self.assertEqual(memory_kib(STATUS), (6400, 7100))

    def test_a_process_that_has_ended_has_no_memory(self):
        with self.assertRaises(ValueError):
            memory_kib("Name:\tgovernord\nState:\tZ (zombie)\n")

    def test_cpu_time_is_user_and_system_whatever_the_name(self):
        stat = "7 (a) b (c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 9 9 20 0 1 0"
        self.assertEqual(cpu_seconds(stat, 100), 3.0)

    def test_this_very_process_has_figures(self):
        figures = figures_of(os.getpid())
        self.assertGreater(figures.rss_kib, 1000)
        self.assertGreaterEqual(figures.highest_rss_kib, figures.rss_kib)
        self.assertGreaterEqual(figures.descriptors, 3)

    def test_no_process_is_a_failure(self):
        with self.assertRaises(ProcessFailed):
            figures_of(0)


class SamplesTaken(unittest.TestCase):
    def test_a_sample_each_period_is_none_missed(self):
        found = samples_between(counters(5000, 6), counters(65_200, 66))
        self.assertEqual((found.expected, found.accepted, found.missed), (60, 60, 0))

    def test_one_more_than_expected_is_none_missed(self):
        self.assertEqual(samples_between(counters(900, 1), counters(2100, 3)).missed, 0)

    def test_periods_without_a_sample_are_missed(self):
        found = samples_between(counters(0, 0), counters(10_500, 7, discarded=1))
        self.assertEqual((found.missed, found.discarded), (3, 1))

    def test_counters_come_from_the_json_of_governorctl(self):
        text = (
            '{"clients":3,"uptime_ms":10,"period_ms":1000,"samples":1,"discarded_samples":0,'
            '"queries":5,"bad_messages":2,"version":"0.1.0","mode":"govern"}'
        )
        self.assertEqual(counters_from(text), Counters(3, 10, 1000, 1, 0, 5, 2))

    def test_other_texts_are_failures(self):
        for text in ("", "[]", "{}", '{"clients":null}'):
            with self.assertRaises(ProcessFailed, msg=text):
                counters_from(text)


class Latencies(unittest.TestCase):
    def test_quantiles_are_times_that_did_occur(self):
        found = latency_of(n * 1000 for n in range(100, 0, -1))
        self.assertEqual((found.count, found.median, found.p90, found.p99, found.max), (100, 50, 90, 99, 100))

    def test_a_single_time_is_all_quantiles(self):
        found = latency_of([1500])
        self.assertEqual((found.median, found.p99, found.max), (1.5, 1.5, 1.5))

    def test_no_time_has_no_latency_and_no_ratio(self):
        none = latency_of([])
        self.assertTrue(math.isnan(none.p99))
        self.assertEqual(ratios(none, latency_of([1000]))["p99"], None)

    def test_ratios_are_of_the_same_quantile(self):
        self.assertEqual(
            ratios(latency_of([1000, 9000]), latency_of([2000, 3000])),
            {"median": 0.5, "p90": 3.0, "p99": 3.0, "max": 3.0},
        )
