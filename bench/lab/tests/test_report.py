# SPDX-License-Identifier: MIT
"""The files of a result."""

import json
import tempfile
import unittest
from pathlib import Path

from lab.columns import markdown
from lab.endings import Failed
from lab.options import chosen
from lab.quantities import BadInput
from lab.records import as_document, read_results
from lab.report import SUMMARY, command_line, summary_text, write_files
from lab.summary import as_json, summarize, summary_rows
from lab.table import markdown_table

RECORDED = Path(__file__).parent / "fixtures" / "two-repetitions.json"


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self):
        results = read_results(RECORDED)
        rows = summarize(results.runs, results.settings["methods"])
        document = as_document(results, as_json(rows))
        return write_files(self.folder, document, markdown_table(results, rows), summary_rows(rows))

    def test_there_are_every_run_the_tables_and_a_summary_that_is_small(self):
        self.assertEqual(self.write(), ["results.json", "results.md", "summary.json"])
        summary = json.loads((self.folder / SUMMARY).read_text())
        self.assertEqual(summary["command"][:14], "bench/scenario")
        self.assertIn("cpu_model", summary["machine"])
        static = dict(zip(summary["columns"], summary["rows"][1]))
        self.assertEqual((static["method"], static["runs"], static["aggregate_s"]), ("static", 2, 7.495))
        self.assertLess((self.folder / SUMMARY).stat().st_size, 3000)

    def test_a_bound_is_a_pair_and_a_ratio_that_is_not_known_is_null(self):
        self.write()
        summary = json.loads((self.folder / SUMMARY).read_text())
        default = dict(zip(summary["columns"], summary["rows"][0]))
        self.assertIsNone(default["makespan_s"][1])
        self.assertIsNone(default["makespan/passive"])

    def test_a_folder_that_takes_no_file_is_told_in_one_sentence(self):
        (self.folder / SUMMARY).mkdir()
        with self.assertRaisesRegex(Failed, "summary.json cannot be written: Is a directory"):
            self.write()

    def test_without_rows_there_is_a_summary_too(self):
        summary = json.loads(summary_text("bench/x", {}, []))
        self.assertEqual((summary["columns"], summary["rows"]), ([], []))


class Texts(unittest.TestCase):
    def test_a_command_line_can_be_typed_again(self):
        self.assertEqual(command_line("bench/x", ["--label", "a b"]), "bench/x --label 'a b'")

    def test_a_table_of_markdown_has_columns_of_equal_width(self):
        table = markdown([["name", "n"], ["md", "12"]]).split("\n")
        self.assertEqual(table, ["| name | n  |", "|------|----|", "| md   | 12 |"])

    def test_a_list_names_what_there_is(self):
        self.assertEqual(chosen("--parts", None, "ab"), ("a", "b"))
        self.assertEqual(chosen("--parts", "b,a,b", "ab"), ("b", "a"))
        with self.assertRaisesRegex(BadInput, "--parts c: 'c' is none of a, b"):
            chosen("--parts", "c", "ab")


if __name__ == "__main__":
    unittest.main()
