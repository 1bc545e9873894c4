# SPDX-License-Identifier: MIT
"""Files that a measurement replaces."""

import tempfile
import unittest
from pathlib import Path

from fidelities.cells import Named, read_table
from fidelities.files import beside, replace_rows


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "table.txt"

    def names(self):
        return [path.name for path in self.path.parent.iterdir()]

    def test_what_was_written_before_an_end_is_kept(self):
        self.path.write_text("old", encoding="utf-8")
        with self.assertRaises(KeyboardInterrupt), beside(self.path) as part:
            part.write_text("new", encoding="utf-8")
            self.assertEqual(self.path.read_text(encoding="utf-8"), "old")
            raise KeyboardInterrupt
        self.assertEqual((self.path.read_text(encoding="utf-8"), self.names()), ("new", ["table.txt"]))

    def test_nothing_does_not_replace_a_file(self):
        self.path.write_text("old", encoding="utf-8")
        with self.assertRaises(KeyboardInterrupt), beside(self.path):
            raise KeyboardInterrupt
        self.assertEqual((self.path.read_text(encoding="utf-8"), self.names()), ("old", ["table.txt"]))

    def test_rows_of_others_and_comments_stay(self):
        solver, old, new = (
            Named("solver", 3.0, 1.8, 30.0, 0.0, 20),
            Named("stream", 2.0, 1.8, None, 0.9),
            Named("stream", 2.5, 1.8, None, 0.9),
        )
        replace_rows(self.path, Named, "name", [old, solver])
        self.path.write_text("# why\n" + self.path.read_text(encoding="utf-8"), encoding="utf-8")
        replace_rows(self.path, Named, "name", [new])
        self.assertEqual(read_table(self.path, Named), [new, solver])
        self.assertTrue(self.path.read_text(encoding="utf-8").startswith("# why\nname"))


if __name__ == "__main__":
    unittest.main()
