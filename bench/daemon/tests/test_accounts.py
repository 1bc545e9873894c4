# SPDX-License-Identifier: MIT
"""The holders of connections and their numbers, and the connections that a limit of open files allows."""

import unittest

from daemon.accounts import Crowd, chosen_connections, crowds_of, most_connections, needed_descriptors
from lab.quantities import BadInput


class Crowds(unittest.TestCase):
    def test_as_root_four_users_share_evenly(self):
        crowds = crowds_of(10, 5, root=True)
        self.assertEqual([crowd.connections for crowd in crowds], [3, 3, 2, 2])
        self.assertEqual([crowd.askers for crowd in crowds], [2, 1, 1, 1])
        self.assertEqual(len({crowd.user for crowd in crowds}), 4)

    def test_others_stay_who_they_are(self):
        self.assertEqual(crowds_of(2, 1, root=False), [Crowd(None, 1, 1), Crowd(None, 1, 0)])

    def test_no_crowd_has_more_askers_than_connections(self):
        for connections in range(1, 30):
            for askers in range(1, connections + 1):
                for crowd in crowds_of(connections, askers, root=True):
                    self.assertLessEqual(crowd.askers, crowd.connections)


class Descriptors(unittest.TestCase):
    def test_the_governor_leaves_free_what_one_user_holds(self):
        self.assertGreaterEqual(needed_descriptors(10_000, root=True), 12_500)
        self.assertGreaterEqual(needed_descriptors(10_000, root=False), 20_000)

    def test_a_driver_of_both_servers_fits_in(self):
        for connections in (1, 3, 100, 10_000):
            largest = max(crowd.connections for crowd in crowds_of(connections, 1, root=True))
            self.assertLess(2 * largest, needed_descriptors(connections, root=True))

    def test_what_is_allowed_is_the_largest_number_that_fits(self):
        for root in (True, False):
            for limit in (200, 1024, 20_000):
                most = most_connections(limit, root)
                self.assertLessEqual(needed_descriptors(most, root), limit)
                self.assertGreater(needed_descriptors(most + 1, root), limit)

    def test_a_user_who_cannot_raise_the_limit_gets_what_fits(self):
        self.assertEqual(chosen_connections(None, 10_000, 1128, root=False), 500)

    def test_what_was_asked_for_is_never_made_smaller(self):
        for root in (True, False):
            with self.assertRaisesRegex(BadInput, "ulimit -Hn .* --connections [0-9]+ or fewer"):
                chosen_connections(5000, 10_000, 1024, root)

    def test_root_is_told_to_raise_the_limit(self):
        with self.assertRaisesRegex(BadInput, "10000 connections need 12628 open files .* is 4096"):
            chosen_connections(None, 10_000, 4096, root=True)

    def test_a_limit_that_allows_nothing_is_refused(self):
        with self.assertRaises(BadInput):
            chosen_connections(None, 10_000, 32, root=False)
