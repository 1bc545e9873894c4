# SPDX-License-Identifier: MIT
"""From runs to rows and tables, on a recorded experiment and on made-up runs."""

import json
import tempfile
import unittest
from pathlib import Path

from lab.checks import checksum_errors
from lab.quantities import BadInput
from lab.ranges import Range
from lab.records import ProgramRecord, RunRecord, as_document, read_results
from lab.summary import as_json, ratio_text, summarize
from lab.table import markdown_table, plain_table

RECORDED = Path(__file__).parent / "fixtures" / "two-repetitions.json"


def finished(method, repetition, *spans):
    """A run of programs with (started_s, finished_s)."""
    programs = tuple(ProgramRecord("md", a, b, 0.0, (), {"checksum": 1}) for a, b in spans)
    return RunRecord("uniform-md-2", method, repetition, 0.0, None, None, programs)


def row_of(runs, method):
    return next(row for row in summarize(runs, ["default", "static"]) if row.method == method)


class Measures(unittest.TestCase):
    def test_aggregate_sums_programs_and_makespan_spans_them(self):
        run = finished("static", 0, (0.0, 5.0), (1.0, 4.0))
        self.assertEqual(run.aggregate(), Range.exactly(8.0))
        self.assertEqual(run.makespan(), Range.exactly(5.0))

    def test_the_first_program_has_a_time_of_its_own(self):
        run = finished("static", 0, (0.5, 5.0), (1.0, 4.0))
        self.assertEqual(run.first(), Range.exactly(4.5))

    def test_a_stopped_run_gives_bounds(self):
        waiting = ProgramRecord("md", None, None, 0.0, (), None)
        running = ProgramRecord("md", 1.0, None, 0.0, (), None)
        ended = ProgramRecord("md", 0.0, 2.0, 0.0, (), {})
        run = RunRecord("s", "default", 0, 0.0, 6.0, None, (ended, running, waiting))
        self.assertEqual(run.aggregate(), Range.at_least(2.0 + 5.0))
        self.assertEqual(run.makespan(), Range.at_least(6.0))


class Ratios(unittest.TestCase):
    def test_are_taken_within_a_repetition_and_not_between_medians(self):
        runs = [finished("default", i, (0.0, total)) for i, total in enumerate((10.0, 100.0, 1.0))]
        runs += [finished("static", i, (0.0, total)) for i, total in enumerate((1.0, 50.0, 0.9))]
        # within: 0.1, 0.5, 0.9 -> 0.5; between medians it would be 1/10
        self.assertEqual(ratio_text(row_of(runs, "static").aggregate_ratios["default"]), "0.50")

    def test_a_repetition_without_the_baseline_is_left_out(self):
        runs = [finished("default", 0, (0.0, 4.0)), finished("static", 0, (0.0, 2.0))]
        runs.append(finished("static", 1, (0.0, 400.0)))
        self.assertEqual(ratio_text(row_of(runs, "static").makespan_ratios["default"]), "0.50")

    def test_a_baseline_that_was_not_run_gives_a_dash(self):
        runs = [finished("static", 0, (0.0, 2.0))]
        self.assertEqual(ratio_text(row_of(runs, "static").aggregate_ratios["passive"]), "-")


class Tables(unittest.TestCase):
    def setUp(self):
        self.results = read_results(RECORDED)
        self.rows = summarize(self.results.runs, self.results.settings["methods"])

    def test_plain_table_of_the_recorded_experiment(self):
        lines = plain_table(self.results, self.rows).splitlines()
        found = {line.split()[0]: line.split() for line in lines if line.startswith("  ")}
        self.assertIn("uniform-prime-2: 2 programs, 2 repetitions", lines)
        self.assertEqual(
            " ".join(found["static"]),
            "static 7.49 [6.97-8.02] 4.98 [4.72-5.24] < 0.46 - 1.00 < 0.55 - 1.00",
        )
        self.assertEqual(
            " ".join(found["default"]),
            "default > 16.44 [16.07->16.81] > 9.00 [9.00->9.01] 1.00 - > 2.21 1.00 - > 1.81",
        )
        self.assertEqual(found["threshold-10"][-8], "?")

    def test_columns_are_aligned(self):
        lines = plain_table(self.results, self.rows).splitlines()
        table = lines[lines.index(next(l for l in lines if l.startswith("  method"))) :][:5]
        self.assertEqual(len({len(line) for line in table}), 1)

    def test_markdown_has_one_line_per_row_and_no_bare_angle_brackets(self):
        lines = markdown_table(self.results, self.rows).splitlines()
        table = [line for line in lines if line.startswith("|")]
        self.assertEqual(len(table), 2 + 4)
        self.assertEqual({line.count("|") for line in table}, {11})
        self.assertIn("&lt; 0.46", table[3])
        self.assertFalse([line for line in lines if "<" in line or ">" in line])

    def test_errors_and_notes_are_shown(self):
        self.results.errors.append("checksum of md is 1")
        self.results.notes.append("busy")
        for text in (plain_table, markdown_table):
            self.assertIn("Error: checksum of md is 1", text(self.results, self.rows))
            self.assertIn("Note: busy", text(self.results, self.rows))

    def test_an_experiment_without_runs_says_so(self):
        self.assertIn("No run was finished", plain_table(self.results, []))


class Files(unittest.TestCase):
    def test_what_is_written_is_read_back_the_same(self):
        results = read_results(RECORDED)
        rows = as_json(summarize(results.runs, results.settings["methods"]))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            path.write_text(json.dumps(as_document(results, rows)), encoding="utf-8")
            self.assertEqual(read_results(path), results)
            summary = json.loads(path.read_text(encoding="utf-8"))["summary"]
        self.assertEqual(summary[0]["method"], "default")
        self.assertEqual(summary[0]["stopped"], 2)
        self.assertIsNone(summary[0]["makespan_s"][1])

    def test_other_files_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            with self.assertRaisesRegex(BadInput, "cannot be read"):
                read_results(path)
            for text in ("", "[]", "{}", '{"format": 99}', '{"format": 1, "runs": 3}'):
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(BadInput, msg=text):
                    read_results(path)


class Checksums(unittest.TestCase):
    def runs_with(self, *reports):
        programs = [ProgramRecord("md", 0.0, 1.0, 0.0, (), report) for report in reports]
        return [RunRecord("s", "default", 0, 0.0, None, None, tuple(programs))]

    def test_the_recorded_runs_agree(self):
        self.assertEqual(checksum_errors(read_results(RECORDED).runs), [])

    def test_a_different_text_is_an_error(self):
        one = {"work": 5, "iterations": 2, "checksum": "ab", "tolerance": 0}
        errors = checksum_errors(self.runs_with(one, one, {**one, "checksum": "ac"}))
        self.assertEqual(len(errors), 1)
        self.assertIn("'ac' in s default repetition 1 program 3", errors[0])

    def test_numbers_may_differ_by_their_tolerance(self):
        one = {"work": 5, "iterations": 2, "checksum": 1.0, "tolerance": 0.1}
        self.assertEqual(checksum_errors(self.runs_with(one, {**one, "checksum": 1.05})), [])
        self.assertEqual(len(checksum_errors(self.runs_with(one, {**one, "checksum": 1.2}))), 1)

    def test_different_work_is_not_compared(self):
        one = {"work": 5, "iterations": 2, "checksum": "ab", "tolerance": 0}
        other = {**one, "iterations": 3, "checksum": "ac"}
        self.assertEqual(checksum_errors(self.runs_with(one, other)), [])

    def test_a_missing_checksum_is_an_error(self):
        one = {"work": 5, "iterations": 2}
        self.assertEqual(len(checksum_errors(self.runs_with(one))), 1)


if __name__ == "__main__":
    unittest.main()
