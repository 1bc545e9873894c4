# SPDX-License-Identifier: MIT
"""The static split of n programs on m CPUs."""

import unittest

from lab.split import static_split

SPARSE = [0, 2, 3, 7, 11, 40, 41, 500]


class StaticSplit(unittest.TestCase):
    def test_equal_shares_are_neighbours(self):
        self.assertEqual(static_split(2, [0, 1, 2, 3]), [(0, 1), (2, 3)])

    def test_what_does_not_divide_goes_to_the_first(self):
        self.assertEqual(static_split(3, [0, 1, 2, 3, 4]), [(0, 1), (2, 3), (4,)])

    def test_shares_use_the_real_ids_and_the_given_order(self):
        self.assertEqual(static_split(2, [9, 4, 17]), [(9, 4), (17,)])

    def test_shares_are_disjoint_complete_and_equal_up_to_one(self):
        for programs in range(1, len(SPARSE) + 1):
            shares = static_split(programs, SPARSE)
            self.assertEqual(len(shares), programs)
            self.assertEqual([cpu for share in shares for cpu in share], SPARSE)
            sizes = [len(share) for share in shares]
            self.assertLessEqual(max(sizes) - min(sizes), 1)
            self.assertGreaterEqual(min(sizes), 1)

    def test_more_programs_than_cpus_get_one_each_round_robin(self):
        self.assertEqual(static_split(5, [3, 8]), [(3,), (8,), (3,), (8,), (3,)])

    def test_nothing_to_split_is_an_error(self):
        for programs, cpus in ((0, [0]), (2, [])):
            with self.assertRaises(ValueError):
                static_split(programs, cpus)


if __name__ == "__main__":
    unittest.main()
