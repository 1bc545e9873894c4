# SPDX-License-Identifier: MIT
"""bench/handover: how soon parked programs go on when the holder of the turn is killed, or the governor."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from lab.columns import columns
from lab.endings import EXIT_FAILED, EXIT_OK, print_result
from lab.governor import FAIR_POLICY, Governor, socket_path
from lab.machine import describe_machine
from lab.options import OneSentenceParser, add_output, add_programs, add_whole
from lab.programs import Launch, Process, ProcessFailed
from lab.report import asked_folder, command_line, fenced, write_files
from lab.stage import Stage, check_files, run_command

NAME = "bench/handover"
_PERIOD_S = 1.0  # as the daemon's
_PROGRAM = "examples/md"
_WORK = 600  # about a region of 0.5 ms on two CPUs
_FEW, _MANY = 20, 1_000_000  # regions
_PARKED_AFTER_S = 0.4
_DONE_WITHIN_S = 20.0


@dataclass(frozen=True)
class Goal:
    """The program that is killed, and how many milliseconds later all parked ones have begun a region."""

    killed: str
    parked: int
    most_ms: float


HOLDER = Goal("the holder", 1, 10.0)
GOVERNOR = Goal("the governor", 3, 500.0)


def waits_ms(killed_s: float, reports: list[dict[str, Any]]) -> list[float]:
    """The time of each parked program, from the kill (seconds of CLOCK_MONOTONIC) to its first region. Pure;
    ValueError for one that had begun before: it was not parked."""
    waits = [report["changes"][0]["at_ms"] - killed_s * 1000 for report in reports]
    if any(wait < 0 for wait in waits):
        raise ValueError("a program that should have waited had begun before the kill")
    return waits


def summary(goal: Goal, waits: list[float]) -> dict[str, Any]:
    """Median, ninth tenth and worst, milliseconds, and the goal. Pure."""
    ordered = sorted(waits)
    picked = {"median_ms": len(ordered) // 2, "p90_ms": len(ordered) * 9 // 10, "worst_ms": -1}
    row: dict[str, Any] = {"killed": goal.killed, "waits": len(ordered)}
    row |= {name: round(ordered[index], 2) for name, index in picked.items()}
    return {**row, "goal_ms": goal.most_ms, "met": ordered[-1] <= goal.most_ms}


def row(goal: Goal, waits: list[float]) -> list[str]:
    """The same as texts. Pure."""
    killed, count, *picked, most_ms, met = summary(goal, waits).values()
    texts = (f"{value:.2f}" for value in picked)
    return [killed, str(count), *texts, f"{most_ms:g}", "met" if met else "MISSED"]


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage: Callable[[], Stage]) -> int:
        options = _parser(checkout / "build" / "bin").parse_args(arguments)
        programs = options.bin.resolve()
        check_files(programs, ["governord", _PROGRAM])
        output = asked_folder(options.output)
        scene = _Scene(programs, stage())
        waits = {goal: scene.play(goal, options.repetitions) for goal in (HOLDER, GOVERNOR)}
        header = ["killed", "waits", "median ms", "p90", "worst", "goal", ""]
        text = "\n".join(columns([header, *(row(goal, of) for goal, of in waits.items())])) + "\n"
        if output is not None:
            machine = describe_machine(checkout, [programs / "governord"])
            settings = {"command_line": command_line(NAME, arguments)}
            document = {"machine": machine, "settings": settings}
            document |= {goal.killed: of for goal, of in waits.items()}
            write_files(output, document, fenced(NAME, text), [summary(*pair) for pair in waits.items()])
        return EXIT_OK if print_result(NAME, text) else EXIT_FAILED

    return run_command(NAME, body)


class _Scene:
    def __init__(self, programs: Path, stage: Stage) -> None:
        self._programs = programs
        self._stage = stage

    def play(self, goal: Goal, repetitions: int) -> list[float]:
        waits = []
        for repetition in range(repetitions):
            waits += self._once(goal)
            self._stage.progress.done(f"{goal.killed} killed {repetition + 1} of {repetitions} times")
        return waits

    def _once(self, goal: Goal) -> list[float]:
        stage, started = self._stage, []
        governor = Governor(
            self._programs / "governord", stage.folder, FAIR_POLICY, _PERIOD_S, stage.interruption
        )
        with governor:
            try:
                for index in range(goal.parked + 1):
                    started.append(Process(self._launch(index), stage.folder))
                    stage.interruption.wait(_PARKED_AFTER_S)
                killed_s = time.monotonic()
                governor.kill() if goal is GOVERNOR else started[0].kill()
                for process in started[1:]:
                    self._await(process)
                return waits_ms(killed_s, [process.report() for process in started[1:]])
            except ValueError as error:
                raise ProcessFailed(f"{error}; is the machine busy?") from error
            finally:
                for process in started:
                    process.kill()

    def _launch(self, index: int) -> Launch:
        regions = _MANY if index == 0 else _FEW
        settings = {
            "THREADCOUNT": "adapt",
            "THREADCOUNT_SOCKET": str(socket_path(self._stage.folder)),
            "THREADCOUNT_CLASS": "batch",
            "THREADCOUNT_JOB": f"job-{index}",
        }
        command = (str(self._programs / _PROGRAM), "--json", "--work", str(_WORK))
        return Launch(f"md.{index}", (*command, "--iterations", str(regions)), settings)

    def _await(self, process: Process) -> None:
        deadline_s = time.monotonic() + _DONE_WITHIN_S
        while not process.ended():
            if time.monotonic() > deadline_s:
                raise process.failure(f"did not end within {_DONE_WITHIN_S:g} s")
            self._stage.interruption.wait(0.005)


def _parser(default_programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog=NAME,
        description="Kills the holder of a turn, and then the governor while three programs wait, and says"
        " how long it takes until those that were parked begin a region.",
        epilog="Exit: 0 done, whether goals are met or not, 1 a program or the governor failed, 2 usage, 130"
        " ended by a signal.",
        allow_abbrev=False,
    )
    add_whole(parser, "--repetitions", 1, 1000, "of each kill (20)", 20)
    add_programs(parser, default_programs, "governord and examples/")
    add_output(parser, "no files")
    return parser
