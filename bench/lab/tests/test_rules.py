# SPDX-License-Identifier: MIT
"""The environment of programs under each method."""

import unittest

from lab.cells import METHODS, method_named
from lab.rules import Rules, rules_of

LEASE = {"THREADCOUNT": "adapt", "THREADCOUNT_SOCKET": "/s"}


def rules(name, **more):
    return rules_of(method_named(name), (3, 5), LEASE, "md-1", **more)


class RulesTest(unittest.TestCase):
    def test_ungoverned_programs_ask_nobody(self):
        for name, method in METHODS.items():
            wanted = "adapt" if method.governed else "off"
            self.assertEqual(rules(name).environment["THREADCOUNT"], wanted, name)

    def test_only_a_static_split_pins(self):
        self.assertEqual(rules("static").cpus, (3, 5))
        self.assertEqual(rules("static").environment["OMP_NUM_THREADS"], "2")
        self.assertEqual({rules(name).cpus for name in METHODS if name != "static"}, {None})

    def test_plain_openmp_waits_as_it_is_told(self):
        for name, variable in (
            ("passive", {"OMP_WAIT_POLICY": "passive"}),
            ("active", {"OMP_WAIT_POLICY": "active"}),
            ("dynamic", {"OMP_DYNAMIC": "true"}),
            ("one", {"OMP_NUM_THREADS": "1"}),
            ("in-turn", {}),
        ):
            self.assertEqual(rules(name).environment, {"THREADCOUNT": "off", **variable})
        self.assertEqual(rules("default"), Rules())

    def test_turns_are_for_batch_programs_that_are_jobs_of_their_own(self):
        turns = {"THREADCOUNT_CLASS": "batch", "THREADCOUNT_JOB": "md-1"}
        for name in ("turns", "told-turns"):
            self.assertEqual(rules(name).environment, {**LEASE, **turns})
            self.assertEqual(rules(name, batch=False).environment, LEASE)
        self.assertEqual(rules("fair").environment, LEASE)

    def test_short_programs_that_pass_are_jobs_by_their_process_groups(self):
        found = rules_of(method_named("turns"), (0,), LEASE)
        self.assertEqual(found.environment, {**LEASE, "THREADCOUNT_CLASS": "batch"})

    def test_only_told_turns_tell_progress(self):
        told = [name for name in METHODS if rules(name).options == ("--progress",)]
        self.assertEqual(told, ["told-turns"])


if __name__ == "__main__":
    unittest.main()
