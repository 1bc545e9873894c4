# SPDX-License-Identifier: MIT
"""The measure of prose finds each fault in made-up texts, and nothing where there is none."""

import pathlib
import textwrap
import unittest

import plain_english
import prose


def faults(name, text):
    return prose.count(prose.prose(pathlib.Path(name), textwrap.dedent(text))).faults()


def messages(text):
    return [said for said in prose.messages(pathlib.Path("a.cpp"), text) if said]


def sentences(name, text):
    return list(prose.sentences(prose.prose(pathlib.Path(name), textwrap.dedent(text))))


class Faults(unittest.TestCase):
    def test_plain_sentences_have_none(self):
        self.assertEqual((0, 0, 0), faults("a.md", "The daemon shares the cores. It takes them back later.\n"))

    def test_who_counts_wherever_it_stands(self):
        self.assertEqual((2, 1, 0), faults("a.md", "Who asks is told. The user who asks is told.\n"))

    def test_a_word_that_contains_who_does_not_count(self):
        self.assertEqual((0, 0, 0), faults("a.md", "The whole machine is free.\n"))

    def test_each_clause_at_the_start_counts(self):
        for word in "Who What That So As Of Where Else If When While Unless".split():
            self.assertEqual(1, faults("a.md", f"{word} it is idle, the core is free.\n")[1], word)

    def test_a_clause_behind_bold_type_or_a_bracket_counts(self):
        self.assertEqual((0, 2, 0), faults("a.md", "**If idle** it is free. (When busy, it is not.)\n"))

    def test_a_clause_behind_the_statement_does_not_count(self):
        self.assertEqual((0, 0, 0), faults("a.md", "The core is free if it is idle.\n"))

    def test_a_question_is_no_clause(self):
        self.assertEqual((1, 0, 0), faults("a.md", "Who has which of the cores?\n"))

    def test_a_sentence_is_long_from_the_29th_word_on(self):
        self.assertEqual((0, 0, 0), faults("a.md", "Word" + " word" * 27 + ".\n"))
        self.assertEqual((0, 0, 1), faults("a.md", "Word" + " word" * 28 + ".\n"))

    def test_a_list_item_ends_a_sentence(self):
        self.assertEqual(["The first of them", "The second of them"],
                         sentences("a.md", "- The first of them\n- The second of them\n"))

    def test_a_number_in_a_line_is_no_list_item(self):
        self.assertEqual(["They have 22 and 21.", "The others have 16."],
                         sentences("a.md", "They have 22 and 21. The others have 16.\n"))

    def test_a_sentence_may_begin_with_code(self):
        self.assertEqual(2, len(sentences("a.md", "It is begun by hand. `run` begins it then.\n")))
        self.assertEqual(2, len(sentences("a.scd", "a(1)\n\nIt is begun by hand. *run* begins it then.\n")))
        self.assertEqual(["It is begun by hand.", "`run` begins it then."],
                         sentences("a.hpp", "/// It is begun by hand. `run` begins it then.\n"))


class Documents(unittest.TestCase):
    def test_code_and_headings_are_no_prose(self):
        page = """\
            # If this were prose

            ```
            If this were prose.
            ```

                If this were prose.
            """
        self.assertEqual([], sentences("a.md", page))

    def test_cells_of_tables_are_prose(self):
        page = """\
            | word | meaning |
            |---|---|
            | light | who uses little here |
            | idle | If it sleeps, it is idle |
            """
        self.assertEqual((1, 1, 0), faults("a.md", page))
        self.assertEqual(["who uses little here", "If it sleeps, it is idle"], sentences("a.md", page))

    def test_links_count_by_their_text(self):
        self.assertEqual(["See the whole page."], sentences("a.md", "See [the whole page](docs/who-is-it.md).\n"))

    def test_text_of_a_manual_that_is_indented_with_tabs_is_prose(self):
        page = 'name(1) "Who is who"\n\n# WHO IS\n\n*--max* _N_\n\tIf it is idle, it waits.\n\n\t```\n\tWho is it?\n\t```\n'
        self.assertEqual((0, 1, 0), faults("a.scd", page))

    def test_lines_that_end_with_a_break_are_apart(self):
        self.assertEqual(["a run of it", "a stop of it"], sentences("a.scd", "a(1)\n\na run of it++\na stop of it\n"))

    def test_an_option_is_no_part_of_the_sentence_about_it(self):
        self.assertEqual(["The largest team size."], sentences("a.scd", "a(1)\n\n*--max*\n\tThe largest team size.\n"))

    def test_cells_of_a_manual_s_tables_are_prose(self):
        page = "a(1)\n\n[[ *max*\n:< the largest team\n   of all\n|  *min*\n:  If it is set, this\n"
        self.assertEqual(["the largest team of all", "If it is set, this"], sentences("a.scd", page))


class Comments(unittest.TestCase):
    def test_lines_that_follow_each_other_are_one_text(self):
        self.assertEqual(["The lane sleeps until then."], sentences("a.cpp", "// The lane\n// sleeps until then.\n"))

    def test_comments_behind_code_and_in_blocks_count(self):
        code = """\
            int a;  // If it is set, this is.
            int b;  ///< What sets this.
            /* When it ends,
             * it ends. */
            """
        self.assertEqual((0, 3, 0), faults("a.hpp", code))

    def test_strings_are_no_comments(self):
        self.assertEqual([], sentences("a.cpp", 'auto a = "// who is it"; auto b = R"(/* who is it */)";\n'))

    def test_the_licence_is_no_comment(self):
        self.assertEqual([], sentences("a.cpp", "// SPDX-License-Identifier: MIT of all people\n"))

    def test_docstrings_and_comments_of_python_count(self):
        code = '''\
            """If this is read, it counts."""
            def f():
                """Who reads this one."""
                # When it counts, it counts.
                return "# who reads this"
            '''
        self.assertEqual((1, 3, 0), faults("a.py", code))

    def test_comments_of_scripts_count(self):
        self.assertEqual((0, 1, 0), faults("run", "#!/bin/sh\n# If it is there, it is used.\necho 'If # it is'\n"))

    def test_other_files_have_no_prose(self):
        self.assertIsNone(prose.prose(pathlib.Path("a.svg"), "Who is it?"))


class Goals(unittest.TestCase):
    def wrong(self, **counts):
        return list(plain_english.wrong({"page": prose.Counts(**counts)}))

    def test_a_text_that_meets_its_goals_passes(self):
        self.assertEqual([], self.wrong(words=1000, sentences=100, who=1, clauses=5, long=10))

    def test_a_text_fails_by_each_goal_that_it_misses(self):
        faults = self.wrong(words=1000, sentences=100, who=2, clauses=6, long=11)
        self.assertEqual(3, len(faults))
        for fault in faults:
            self.assertRegex(fault, r"^page: .* \(plain_english\.py \. --show page lists them\)$")

    def test_a_small_text_may_have_one_fault_of_each_kind(self):
        self.assertEqual([], self.wrong(words=40, sentences=3, who=1, clauses=1, long=1))

    def test_a_room_has_the_comments_of_all_its_folders(self):
        names = {plain_english.name_of(pathlib.Path(path)) for path in
                 ("governor/policy/a.hpp", "governor/policy/fair/a.cpp", "docs/a.md", "cmake/a.cmake")}
        self.assertEqual({"governor/policy", "docs/a.md", None}, names)


class Messages(unittest.TestCase):
    def test_are_the_strings_and_not_the_comments(self):
        self.assertEqual(["it is busy", "stop it"], messages('say("it is busy");  // "no" is one\nsay("stop it");\n'))

    def test_literals_that_follow_each_other_are_one(self):
        self.assertEqual(["it is busy: stop it"], messages('say("it is busy: "\n    "stop it");\n'))

    def test_lines_and_columns_are_apart(self):
        self.assertEqual(["--fast", "is quick", "--slow", "is not"],
                         messages('say(R"(--fast  is quick\n--slow  is not)");\n'))
        self.assertEqual(["first", '"second"'], messages(r'say("first\n\"second\"");'))

    def test_of_other_files_are_not_known(self):
        self.assertEqual([], prose.messages(pathlib.Path("a.sh"), 'echo "it is busy"\n'))


if __name__ == "__main__":
    unittest.main()
