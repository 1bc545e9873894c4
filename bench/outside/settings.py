# SPDX-License-Identifier: MIT
"""The command line of bench/trees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole, chosen

from .cases import CASES, Case


@dataclass(frozen=True)
class Settings:
    """One measurement as asked for; times in seconds."""

    cases: tuple[Case, ...]
    repetitions: int
    length_s: float
    short_processes: int
    rounds: int
    run_limit_s: float
    seed: int
    programs: Path
    output: Path | None

    def described(self) -> dict[str, Any]:
        """For results.json."""
        names = ("repetitions", "length_s", "short_processes", "rounds", "run_limit_s", "seed")
        cases = [case.name for case in self.cases]
        return {"cases": cases} | {name: getattr(self, name) for name in names}


def read_settings(arguments: list[str], default_programs: Path) -> Settings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    return Settings(
        cases=tuple(CASES[name] for name in chosen("--cases", options.cases, CASES)),
        repetitions=options.repetitions,
        length_s=options.length,
        short_processes=options.short_processes,
        rounds=options.rounds,
        run_limit_s=options.run_limit,
        seed=options.seed,
        programs=options.bin.resolve(),
        output=options.output,
    )


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/trees",
        description="Runs programs that nobody modified, alone and beside each other, as they are and by"
        " `governorctl run`, in the same minutes, and says what that costs and what is gained.",
        epilog="Cases for which a tool is missing here are left out, with a note. As root the programs are"
        " user nobody's. Exit: 0 done, whether goals are met or not, 1 a program, the governor or a"
        " checksum failed, 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--cases", metavar="A,B", help=f"of {','.join(CASES)} (all)")
    add_whole(parser, "--repetitions", 1, 1000, "of each case, all arms in turns (3)", 3)
    add_duration(parser, "--length", 0.1, 3600.0, 4.0, "of each program alone on all CPUs (4 s)")
    add_whole(parser, "--short-processes", 1, 1_000_000, "of the case short, one after the other (2000)", 2000)
    add_whole(parser, "--rounds", 1, 100_000, "of each agent (4)", 4)
    add_duration(parser, "--run-limit", 1.0, 86400.0, 300.0, "a longer run is stopped (5 min)")
    add_whole(parser, "--seed", 0, 2**32 - 1, "for the order of the arms (1)", 1)
    add_programs(parser, default_programs, "governord and governorctl")
    add_output(parser, "no files")
    return parser
