# SPDX-License-Identifier: MIT
"""The reports of several crowds, put together; and the command line of bench/crowd."""

import unittest
from pathlib import Path

from daemon.crowd_report import losses, servers_of
from daemon.crowd_settings import read_crowd_settings
from lab.quantities import BadInput


def settings(*arguments, limit=20_000, root=True):
    return read_crowd_settings(list(arguments), Path("/nowhere/bin"), limit, root)


def tally(asked, answered=None, **more):
    answered = asked if answered is None else answered
    counts = {"asked": asked, "unsent": 0, "answered": answered, "wrong": 0, "ended": 0}
    times = {"from_due_ns": [2000] * answered, "from_sent_ns": [1000] * answered}
    return {**counts, **times, **more}


def side(held=5, setup=None, run=None):
    return {"held": held, "setup": setup or tally(5), "run": run or tally(4)}


class Losses(unittest.TestCase):
    small = settings("--connections", "10", "--askers", "4", "--seconds", "2")

    def losses(self, governor, echo=None):
        return losses([{"governor": side(), "echo": side()}, {"governor": governor, "echo": echo or side()}], self.small)

    def test_all_held_and_answered_is_no_loss(self):
        self.assertEqual(self.losses(side()), [])

    def test_a_connection_that_was_ended_is_one(self):
        (loss,) = self.losses(side(held=4))
        self.assertEqual(loss, "governor: 1 of 10 connections were not held.")

    def test_a_question_without_an_answer_is_one(self):
        (loss,) = self.losses(side(), echo=side(run=tally(4, 3)))
        self.assertRegex(loss, "^echo: 7 of 8 questions were answered")

    def test_a_question_that_could_not_be_sent_is_one(self):
        (loss,) = self.losses(side(run=tally(3, unsent=1)))
        self.assertRegex(loss, "7 of 8 questions were answered, 1 could not be sent")

    def test_a_crowd_that_is_not_complete_is_told_as_such_only(self):
        (loss,) = self.losses(side(held=3, setup=tally(5, 3, ended=2), run=tally(0)))
        self.assertEqual(loss, "governor: 8 of 10 connections were made and answered; the server ended 2.")


class Sums(unittest.TestCase):
    def test_quantiles_are_over_the_answers_of_all_crowds(self):
        quick, slow = tally(3, from_due_ns=[1000] * 3), tally(1, from_due_ns=[9000])
        reports = [{"governor": side(run=run), "echo": side()} for run in (quick, slow)]
        servers = servers_of(reports)
        self.assertEqual(servers["governor"]["held"], 10)
        self.assertEqual(servers["governor"]["run"]["answered"], 4)
        self.assertEqual(servers["governor"]["from_due_us"]["median"], 1.0)
        self.assertEqual(servers["governor"]["from_due_us"]["max"], 9.0)
        self.assertEqual(servers["ratio"]["from_due_us"]["max"], 4.5)


class Settings(unittest.TestCase):
    def test_the_full_form_is_the_projects_goal(self):
        full = settings()
        self.assertEqual((full.connections, full.askers, full.seconds), (10_000, 1000, 60))
        self.assertEqual(len(full.described()["users"]), 4)
        self.assertEqual(full.notes, ())

    def test_quick_is_a_tenth(self):
        quick = settings("--quick")
        self.assertEqual((quick.connections, quick.askers, quick.seconds), (1000, 100, 10))

    def test_without_root_it_is_said_that_it_is_one_user_and_less(self):
        plain = settings(limit=4096, root=False)
        self.assertEqual((plain.connections, plain.described()["users"]), (1984, []))
        self.assertEqual(len(plain.notes), 2)

    def test_refusals_name_what_is_accepted(self):
        cases = {
            ("--askers", "11", "--connections", "10"): "at most .* 10",
            ("--seconds", "0"): "from 1 to 86400",
            ("--connections", "x"): "whole number",
            ("--period", "1ms"): "from 0.05 s to",
            ("--unknown",): "--help",
        }
        for arguments, text in cases.items():
            with self.assertRaisesRegex(BadInput, text, msg=arguments):
                settings(*arguments)
