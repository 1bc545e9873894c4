# SPDX-License-Identifier: MIT
"""Times and their texts."""

import unittest

from lab.quantities import duration_text, region_text, seconds, span_text


class Quantities(unittest.TestCase):
    def test_durations_with_and_without_units(self):
        values = [seconds(text) for text in ("1.2", "1.2s", "500ms", "2min", ".5")]
        self.assertEqual(values, [1.2, 1.2, 0.5, 120.0, 0.5])

    def test_other_texts_are_no_durations(self):
        for text in ("", "s", "1,2", "-1", "1h2", "nan", "1e3"):
            with self.assertRaises(ValueError, msg=text):
                seconds(text)

    def test_texts_for_programs_and_people(self):
        self.assertEqual([duration_text(s) for s in (1.0, 0.05, 1.5)], ["1s", "50ms", "1500ms"])
        self.assertEqual([region_text(us) for us in (50, 1000, 20_000)], ["50 us", "1 ms", "20 ms"])
        self.assertEqual([span_text(s) for s in (8, 125, 3780)], ["8 s", "2 min 05 s", "1 h 03 min"])


if __name__ == "__main__":
    unittest.main()
