# SPDX-License-Identifier: MIT
"""Finds numbers of the policy, and makes them changeable."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from lab.endings import Failed
from simulation.numbers import HEADER, Changeable, known_changes

CHECKOUT = Path(__file__).parents[3]

HEADER_TEXT = """\
namespace governor::numbers {
using std::chrono::milliseconds;
/// A pause.
inline constexpr milliseconds kPause{100};
inline constexpr milliseconds kTwice = 2 * kPause;
inline constexpr float kPart = 0.5F;
inline constexpr int kTimes{3};
}  // namespace governor::numbers
"""
SOURCE_TEXT = """\
class Looks {
        static constexpr auto kLong = numbers::kTimes * numbers::kPause;
        static constexpr int kOther = 7;
};
constexpr float kNoise = 1000 *
        numbers::kPart;
"""


class Numbers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.sources = Path(temporary.name)
        self.header = self.sources / HEADER
        self.header.parent.mkdir(parents=True)
        self.header.write_text("#include <chrono>\n" + HEADER_TEXT)
        self.source = self.sources / "governor/evidence/looks.hpp"
        self.source.parent.mkdir(parents=True)
        self.source.write_text(SOURCE_TEXT)

    def test_those_made_of_others_are_not_chosen(self):
        changes = known_changes(self.sources)
        self.assertEqual([change.name for change in changes],
                         ["kPause / 2", "kPause x 2", "kPart / 2", "kPart x 2", "kTimes / 2", "kTimes x 2"])
        self.assertEqual(changes[0].value, "100")
        self.assertEqual(changes[1].command(Path("simulate")),
                         ["env", "GOVERNOR_NUMBER=kPause=2", "simulate"])

    def test_those_of_the_checkout_are_found(self):
        text = (CHECKOUT / HEADER).read_text()
        self.assertEqual(len(known_changes(CHECKOUT)), 2 * (text.count("\ninline constexpr") - text.count(" = k") - text.count(" = 2 * k")))

    def test_a_header_without_numbers_is_refused(self):
        self.header.write_text("int kPause = 100;\n")
        with self.assertRaisesRegex(Failed, "numbers.hpp has no line like"):
            known_changes(self.sources)

    def test_what_is_made_of_numbers_is_no_constant_any_more(self):
        Changeable().apply(self.sources)
        text = self.source.read_text()
        self.assertIn("static inline const auto kLong = numbers::kTimes", text)
        self.assertIn("static constexpr int kOther = 7", text)
        self.assertIn("\nconst float kNoise", text)

    def test_the_environment_changes_one_number_and_what_is_made_of_it(self):
        Changeable().apply(self.sources)
        program = self.sources / "program.cpp"
        program.write_text(
            '#include "policy/numbers.hpp"\n#include <cstdio>\nusing namespace governor::numbers;\n'
            'int main() { std::printf("%ld %ld %g %d", long(kPause.count()), long(kTwice.count()), '
            "double(kPart), kTimes); }\n"
        )
        command = ["c++", "-std=c++20", "-I", str(self.sources / "governor"), str(program)]
        subprocess.run([*command, "-o", str(self.sources / "program")], check=True)
        found = {}
        for asked in ("", "kPause=2", "kPart=0.5", "kTimes=0.1", "kPau=2"):
            environment = {**os.environ, "GOVERNOR_NUMBER": asked}
            done = subprocess.run(
                [str(self.sources / "program")], env=environment, capture_output=True, text=True, check=True
            )
            found[asked] = done.stdout
        self.assertEqual(found, {
            "": "100 200 0.5 3", "kPause=2": "200 400 0.5 3", "kPart=0.5": "100 200 0.25 3",
            "kTimes=0.1": "100 200 0.5 1", "kPau=2": "100 200 0.5 3",
        })  # fmt: skip


if __name__ == "__main__":
    unittest.main()
