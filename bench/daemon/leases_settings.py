# SPDX-License-Identifier: MIT
"""The command line of bench/leases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_output, add_programs, add_whole, chosen

from .accounts import Crowd, chosen_connections, crowds_of

PARTS = ("hello", "events", "cost", "load")


@dataclass(frozen=True)
class LeasesSettings:
    """One measurement as asked for."""

    parts: tuple[str, ...]
    hellos: int
    programs_of_events: int
    rounds: int
    all_events: int
    programs_of_cost: int
    cost_s: int
    connections: int
    rate: int
    load_s: int
    programs: Path
    output: Path | None
    root: bool

    cpus: int = 256
    cpus_of_all_events: int = 2048

    def crowds(self) -> list[Crowd]:
        """The processes that hold the connections and say hello."""
        return crowds_of(self.connections, self.rate, self.root)

    def described(self) -> dict[str, Any]:
        """For the JSON."""
        left_out = ("programs", "output", "root", "command_line")
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}
        return {**fields, "parts": list(self.parts)}


def read_leases_settings(
    arguments: list[str], default_programs: Path, descriptor_limit: int, root: bool
) -> LeasesSettings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    quick = options.quick
    connections = chosen_connections(
        options.connections, 1000 if quick else 10_000, descriptor_limit, root
    )
    return LeasesSettings(
        parts=chosen("--parts", options.parts, PARTS),
        hellos=options.hellos or (200 if quick else 2000),
        programs_of_events=options.programs_of_events or (100 if quick else 1000),
        rounds=options.rounds or (10 if quick else 100),
        all_events=1 if quick else 6,
        programs_of_cost=options.programs_of_cost or 100,
        cost_s=options.cost_seconds or (5 if quick else 30),
        connections=connections,
        rate=options.rate or (100 if quick else 1000),
        load_s=options.load_seconds or (5 if quick else 60),
        programs=options.bin.resolve(),
        output=options.output,
        root=root,
    )


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/leases",
        description="Measures what leases cost with governords of its own, beside the project's goals:"
        " hello = from a hello to a grant that can be read, in round trips of a raw echo server; events ="
        " from an event to the words of all whom it concerns; cost = CPU time and memory; load ="
        " thousands of connections and a stream of short leases.",
        epilog="As root the load belongs to four users, 10001 to 10004. Exit: 0 done, 1 a process failed,"
        " 2 usage, 130 ended by a signal. A goal that is missed is reported, not a failure.",
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="everything smaller, within a minute")
    parser.add_argument("--parts", metavar="A,B", help=f"of {','.join(PARTS)} (all)")
    add_whole(parser, "--hellos", 1, 1_000_000, "how often is said hello (2000; quick: 200)")
    add_whole(parser, "--programs-of-events", 2, 1000, "with a lease (1000; quick: 100)")
    add_whole(parser, "--rounds", 1, 100_000, "of leave, join, kill, join (100; quick: 10)")
    add_whole(parser, "--programs-of-cost", 2, 1000, "with a lease (100)")
    add_whole(parser, "--cost-seconds", 1, 3600, "of each arrangement (30; quick: 5)")
    add_whole(parser, "--connections", 1, 1_000_000, "held under load (10000; quick: 1000)")
    add_whole(parser, "--rate", 4, 100_000, "leases per second under load (1000; quick: 100)")
    add_whole(parser, "--load-seconds", 1, 3600, "of load (60; quick: 5)")
    add_programs(parser, default_programs, "governord, governorctl and bench/")
    add_output(parser, "no files")
    return parser
