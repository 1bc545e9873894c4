# SPDX-License-Identifier: MIT
"""The command line of bench/crowd."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole
from lab.quantities import BadInput

from .accounts import MOST_CONNECTIONS, Crowd, chosen_connections, crowds_of

_QUICK_CONNECTIONS = 1000
_ASKERS_PER_CONNECTION = 10
_THRESHOLD_PERCENT = 5


@dataclass(frozen=True)
class CrowdSettings:
    """One measurement as asked for."""

    connections: int
    askers: int
    seconds: int
    rate: int
    period_s: float
    programs: Path
    output: Path | None
    root: bool
    descriptor_limit: int
    notes: tuple[str, ...]

    threshold_percent: int = _THRESHOLD_PERCENT

    def crowds(self) -> list[Crowd]:
        return crowds_of(self.connections, self.askers, self.root)

    def described(self) -> dict[str, Any]:
        """For the JSON."""
        names = ("connections", "askers", "seconds", "rate", "period_s", "descriptor_limit")
        users = sorted({crowd.user for crowd in self.crowds() if crowd.user is not None})
        return {**{name: getattr(self, name) for name in names}, "users": users}


def read_crowd_settings(
    arguments: list[str], default_programs: Path, descriptor_limit: int, root: bool
) -> CrowdSettings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    default = _QUICK_CONNECTIONS if options.quick else MOST_CONNECTIONS
    connections = chosen_connections(options.connections, default, descriptor_limit, root)
    askers = options.askers or max(1, connections // _ASKERS_PER_CONNECTION)
    if askers > connections:
        raise BadInput(f"--askers {askers}: at most as many as there are connections, {connections}.")
    return CrowdSettings(
        connections=connections,
        askers=askers,
        seconds=options.seconds or (10 if options.quick else 60),
        rate=options.rate,
        period_s=options.period,
        programs=options.bin.resolve(),
        output=options.output,
        root=root,
        descriptor_limit=descriptor_limit,
        notes=tuple(_notes(connections, options.connections or default, descriptor_limit, root)),
    )


def _notes(connections: int, wanted: int, descriptor_limit: int, root: bool) -> list[str]:
    notes = []
    if not root:
        notes.append(
            "not root: all connections belong to one user, who may hold half of what the governor can"
            " open; as root they belong to four."
        )
    if connections < wanted:
        notes.append(
            f"{connections} connections instead of {wanted}: one user, and at most {descriptor_limit}"
            " open files."
        )
    return notes


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/crowd",
        description="Holds many connections to a governord of its own and as many to a raw echo"
        " server; some of each ask every second. Reports latencies, samples, memory and CPU time.",
        epilog="As root the connections belong to four users, 10001 to 10004. Exit: 0 done, 1 a process"
        " failed, or a connection or an answer was lost, 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="1000 connections, 10 seconds")
    add_whole(parser, "--connections", 1, 1_000_000, "to each of both servers (10000; quick: 1000)")
    add_whole(parser, "--askers", 1, 1_000_000, "of these, how many ask every second (a tenth)")
    add_whole(parser, "--seconds", 1, 86_400, "how long they ask (60; quick: 10)")
    add_whole(parser, "--rate", 1, 1_000_000, "connections opened per second, both servers (4000)", 4000)
    add_duration(parser, "--period", 0.05, 60.0, 1.0, "how often the governor measures (1 s)")
    add_programs(parser, default_programs, "governord, governorctl and bench/")
    add_output(parser, "no files")
    return parser
