# SPDX-License-Identifier: MIT
"""bench/loop: the real daemon and the real library on made-up machines, in real time."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Callable

from lab.endings import EXIT_FAILED, EXIT_OK, print_result
from lab.governor import FAIR_POLICY, Governor, socket_path
from lab.machine import describe_machine, machine_text
from lab.made_up import folder_in_memory
from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole, chosen
from lab.programs import ProcessFailed
from lab.report import asked_folder, command_line, write_files
from lab.stage import Stage, check_files, is_root, run_command

from .figures import cpu_time_of
from .loop_cases import Case, all_cases, later, scenario_text
from .loop_figures import Figures, figures_of
from .loop_report import Played, loop_text, row_of
from .processes import Client

NAME = "bench/loop"
FORMAT = 1
_PERIOD_S = 1.0
_PATIENCE_S = 20.0
# The first programs start so long after a sample. In real time that phase is not known.
_PHASES_S = (0.1, 0.35, 0.6, 0.85)


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status. Programs come from build/bin below `checkout`."""

    def body(stage: Callable[[], Stage]) -> int:
        options = _parser(checkout / "build" / "bin").parse_args(arguments)
        cases = [case for case in all_cases(options.length) if is_root() or not case.name.startswith("users")]
        names = chosen("--cases", options.cases, [case.name for case in cases])
        programs = options.bin.resolve()
        check_files(programs, ["governord", "simulate", "bench/loop"])
        output = asked_folder(options.output)
        place = stage()
        runs, rows = [], []
        for case in cases:
            if case.name not in names:
                continue
            theatre = _Theatre(place, programs, case)
            simulated, played = theatre.simulated(), []
            for number in range(options.repetitions):
                one, told = theatre.played(number)
                played.append(one)
                runs.append({"case": case.name, **told})
                place.progress.done(f"{case.name}, {number + 1} of {options.repetitions}")
            rows.append(row_of(case, played, simulated))
        machine = describe_machine(checkout, [])
        settings = {"length_s": options.length, "repetitions": options.repetitions, "cases": list(names)}
        settings["command_line"] = command_line(NAME, arguments)
        text = machine_text(machine) + "\n\n" + loop_text(rows)
        printed = print_result(NAME, text)
        if output is not None:
            document = {"format": FORMAT, "machine": machine, "settings": settings}
            document |= {"rows": rows, "runs": runs}
            write_files(output, document, f"# {NAME}\n\n{text}", rows)
        return EXIT_OK if printed else EXIT_FAILED

    return run_command(NAME, body)


class _Theatre:
    """Plays one case, with the daemon and with the simulator."""

    def __init__(self, stage: Stage, programs: Path, case: Case) -> None:
        self._stage = stage
        self._programs = programs
        self._case = case
        self._file = stage.folder / f"{case.name}.sim"
        self._file.write_text(scenario_text(case), encoding="utf-8")

    def simulated(self) -> list[Figures]:
        """Once in each phase."""
        return [self._simulated(later(self._case, by_s)) for by_s in _PHASES_S]

    def _simulated(self, case: Case) -> Figures:
        file = self._stage.folder / "phase.sim"
        file.write_text(scenario_text(case), encoding="utf-8")
        command = [str(self._programs / "simulate"), str(file), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            return _figures(case, json.loads(done.stdout)["programs"])
        except ValueError as error:
            raise ProcessFailed(f"{case.name}: {' '.join(command)}: {error}; {done.stderr}") from error

    def played(self, number: int) -> tuple[Played, dict[str, Any]]:
        folder = self._stage.folder / f"{self._case.name}-{number}"
        folder.mkdir(0o755)
        with ExitStack() as stack:
            root = stack.enter_context(folder_in_memory())
            play = stack.enter_context(self._play(folder, root))
            play.await_line("ready", _PATIENCE_S)
            governor = stack.enter_context(self._governor(folder, root))
            used_s = -cpu_time_of(governor.pid)
            play.signal(signal.SIGUSR1)
            began_s = time.monotonic()
            if self._case.restart_s is not None:
                self._stage.interruption.wait(self._case.restart_s)
                used_s += cpu_time_of(governor.pid)
                governor.kill()
                governor = stack.enter_context(self._governor(folder, root))
                used_s -= cpu_time_of(governor.pid)
            while not play.has_ended():
                governor.check()
                self._stage.interruption.wait(0.1)
            used_s += cpu_time_of(governor.pid)
            told = play.report()
        return self._read(told, 100 * used_s / (time.monotonic() - began_s)), told

    def _read(self, told: dict[str, Any], percent: float) -> Played:
        try:
            figures = _figures(self._case, told["programs"])
        except ValueError as error:
            raise ProcessFailed(f"{self._case.name}: {error}.") from error
        wakes = sum(one["wakes"] for one in told["programs"])
        late_ms = 1000 * sum(one["late_s"] for one in told["programs"]) / max(1, wakes)
        return Played(figures, percent, late_ms, 1000 * told["longest_tick_s"])

    def _play(self, folder: Path, root: Path) -> Client:
        command = [str(self._programs / "bench" / "loop"), "--scenario", str(self._file)]
        command += ["--governor", str(socket_path(folder)), "--root", str(root)]
        return Client("play", tuple(command), folder, self._stage.interruption)

    def _governor(self, folder: Path, root: Path) -> Governor:
        program = self._programs / "governord"
        return Governor(program, folder, FAIR_POLICY, _PERIOD_S, self._stage.interruption, root)


def _figures(case: Case, programs: list[dict[str, Any]]) -> Figures:
    disturbed = [hog.start_s for hog in case.hogs]
    disturbed += [] if case.restart_s is None else [case.restart_s]
    batch = {one.name for one in case.programs if one.batch}
    return figures_of(programs, min(disturbed, default=float("inf")), batch)


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog=NAME,
        description="Plays scenarios of the simulator in real time: governord and libthreadcount are real,"
        " the machine is made up, and regions sleep as long as their work would take.",
        epilog="Exit: 0 done, whether goals are met or not, 1 a program or the governor failed, 2 usage,"
        " 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--cases", metavar="A,B", help="play only these cases (all); root has one more")
    add_duration(parser, "--length", 1.0, 600.0, 12.0, "of each case under an equal split (12s)")
    add_whole(parser, "--repetitions", 1, 1000, "of each case (1)", 1)
    add_programs(parser, default_programs, "governord, simulate and bench/loop")
    add_output(parser, "no files")
    return parser
