# SPDX-License-Identifier: MIT
"""bench/herd: many `governorctl run` that are started at once, on a made-up machine of many CPUs."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from lab.columns import markdown
from lab.endings import EXIT_FAILED, EXIT_OK, print_result
from lab.governor import FAIR_POLICY, Governor, socket_path
from lab.machine import describe_machine, machine_text
from lab.made_up import MadeUpMachine
from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole
from lab.programs import Launch, Process
from lab.report import asked_folder, command_line, write_files
from lab.spreads import spread_of
from lab.stage import Stage, check_files, run_command

NAME = "bench/herd"
FORMAT = 1
_PATIENCE_S = 20.0
_SHELLS_WAIT_S = 0.3
# The variable and the time when the command has begun.
_COMMAND = 'echo "$OMP_NUM_THREADS $(date +%s%N)"; exec sleep 60'
_EXPLANATION = """\
Threads: what the trees were told to start (OMP_NUM_THREADS), all together; medians over the repetitions
[smallest-largest]. Trees share, and are to have all CPUs, and not more than these and one each. First,
last start: of the commands, after the first `run` was started; ms."""


@dataclass(frozen=True)
class _Herd:
    """One that began."""

    threads: tuple[int, ...]
    starts_ms: tuple[float, ...]


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage: Callable[[], Stage]) -> int:
        options = _parser(checkout / "build" / "bin").parse_args(arguments)
        programs = options.bin.resolve()
        check_files(programs, ["governord", "governorctl", "bench/many_cpus.so"])
        output = asked_folder(options.output)
        place = stage()
        rows = []
        for trees in (4, 8, 16):
            herds = []
            for number in range(options.repetitions):
                herds.append(_begin(place, programs, options.cpus, trees, options.gap, number))
                place.progress.done(f"{trees} trees, {number + 1} of {options.repetitions}")
            rows.append(_row(options.cpus, trees, herds))
        machine = describe_machine(checkout, [])
        settings = {"cpus": options.cpus, "gap_s": options.gap, "repetitions": options.repetitions}
        settings["command_line"] = command_line(NAME, arguments)
        about = f"A made-up machine of {options.cpus} idle CPUs; starts {options.gap * 1000:g} ms apart."
        text = "\n\n".join([machine_text(machine), about, _EXPLANATION, _table(rows)]) + "\n"
        printed = print_result(NAME, text)
        if output is not None:
            document = {"format": FORMAT, "machine": machine, "settings": settings, "rows": rows}
            write_files(output, document, f"# {NAME}\n\n{text}", rows)
        return EXIT_OK if printed else EXIT_FAILED

    return run_command(NAME, body)


def _begin(stage: Stage, programs: Path, cpus: int, trees: int, gap_s: float, number: int) -> _Herd:
    folder = stage.folder / f"{trees}-{number}"
    folder.mkdir()
    machine = MadeUpMachine(folder / "root", cpus)
    gate = folder / "gate"
    os.mkfifo(gate)
    with ExitStack() as stack:
        stack.enter_context(
            Governor(programs / "governord", folder, FAIR_POLICY, 1.0, stage.interruption, machine.root)
        )
        herd = []
        for place in range(trees):
            member = Process(_launch(programs, folder, gate, cpus, place), folder)
            stack.callback(member.kill)
            machine.add_process(member.pid)
            herd.append(member)
        # To read it, too, or this would wait for a shell that may never come.
        with os.fdopen(os.open(gate, os.O_RDWR), "w", encoding="ascii", closefd=True) as opened:
            stage.interruption.wait(_SHELLS_WAIT_S)
            began_ns = time.time_ns()
            for _ in herd:
                opened.write("\n")
                opened.flush()
                time.sleep(gap_s)
            said = [_first_line(stage, member) for member in herd]
    return _Herd(
        tuple(int(line.split()[0]) for line in said),
        tuple((int(line.split()[1]) - began_ns) / 1e6 for line in said),
    )


def _launch(programs: Path, folder: Path, gate: Path, cpus: int, place: int) -> Launch:
    """A shell that becomes `governorctl run` when a line is written to the gate."""
    wait = f'read line < {gate}; export LD_PRELOAD={programs}/bench/many_cpus.so; exec "$@"'
    run = (str(programs / "governorctl"), "run", "-q", "--", "/bin/sh", "-c", _COMMAND)
    settings = {"THREADCOUNT_SOCKET": str(socket_path(folder)), "MANY_CPUS": str(cpus)}
    return Launch(f"tree.{place}", ("/bin/sh", "-c", wait, "sh", *run), settings)


def _first_line(stage: Stage, member: Process) -> str:
    deadline = time.monotonic() + _PATIENCE_S
    while "\n" not in member.output():
        if member.ended() or time.monotonic() > deadline:
            raise member.failure("did not begin")
        stage.interruption.wait(0.01)
    return member.output().split("\n")[0]


def _row(cpus: int, trees: int, herds: list[_Herd]) -> dict[str, Any]:
    threads = spread_of(sum(herd.threads) for herd in herds)
    least, most = cpus // trees * trees, cpus + trees
    return {
        "trees": trees,
        "threads": threads.text(0),
        "least_threads": int(threads.least),
        "goal": f"{least} .. {most}",
        "met": least <= threads.median <= most,
        "first_start_ms": spread_of(min(herd.starts_ms) for herd in herds).text(0),
        "last_start_ms": spread_of(max(herd.starts_ms) for herd in herds).text(0),
    }


def _table(rows: list[dict[str, Any]]) -> str:
    head = ["trees", "threads", "goal", "", "first start", "last start"]
    cells = [
        [str(row["trees"]), row["threads"], row["goal"], "met" if row["met"] else "MISSED",
         row["first_start_ms"], row["last_start_ms"]]
        for row in rows
    ]  # fmt: skip
    return markdown([head, *cells])


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog=NAME,
        description="Starts 4, 8 and 16 `governorctl run` at once on a made-up machine of many CPUs, and"
        " says with how many threads their commands begin.",
        epilog="Exit: 0 done, whether goals are met or not, 1 a program or the governor failed, 2 usage,"
        " 130 ended by a signal.",
        allow_abbrev=False,
    )
    add_whole(parser, "--cpus", 2, 1024, "of the made-up machine (64)", 64)
    add_duration(parser, "--gap", 0.0, 1.0, 0.001, "between two starts (1ms: as from a shell's loop)")
    add_whole(parser, "--repetitions", 1, 1000, "of each number of trees (5)", 5)
    add_programs(parser, default_programs, "governord, governorctl and bench/many_cpus.so")
    add_output(parser, "no files")
    return parser
