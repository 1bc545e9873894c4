# SPDX-License-Identifier: MIT
"""The command line of bench/pools."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_output, add_programs, add_whole, chosen
from lab.report import command_line

from .cases import Builder
from .gets import gets_part
from .jobs import jobs_part
from .lists import lists_part
from .spread import spread_part
from .terms import terms_part

PARTS: dict[str, Builder] = {
    "jobs": jobs_part,
    "lists": lists_part,
    "gets": gets_part,
    "spread": spread_part,
    "terms": terms_part,
}


@dataclass(frozen=True)
class Settings:
    """One measurement as asked for."""

    parts: tuple[str, ...]
    repetitions: int
    quick: bool
    seed: int
    programs: Path
    output: Path | None
    list_only: bool
    command_line: str

    def described(self) -> dict[str, Any]:
        """For the JSON."""
        return {
            "parts": list(self.parts),
            "repetitions": self.repetitions,
            "quick": self.quick,
            "seed": self.seed,
            "command_line": self.command_line,
        }


def read_settings(arguments: list[str], default_programs: Path) -> Settings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    parts = chosen("--parts", options.parts, PARTS)
    if options.parts is None and shutil.which("redis-benchmark") is None:
        parts = tuple(part for part in parts if part != "gets")
    return Settings(
        parts=parts,
        repetitions=options.repetitions or (2 if options.quick else 7),
        quick=options.quick,
        seed=options.seed,
        programs=options.bin.resolve(),
        output=options.output,
        list_only=options.list,
        command_line=command_line("bench/pools", arguments),
    )


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/pools",
        description="Runs the experiments of articles about thread pools, with pools like theirs and with"
        " threadcount::Pool in turns, and prints their figures beside ours.",
        epilog="Exit: 0 done, 1 a program failed or results differ, 2 usage, 130 ended by a signal. A goal"
        " that is missed is reported, not a failure.",
        allow_abbrev=False,
    )
    parser.add_argument("--parts", metavar="A,B", help=f"of {','.join(PARTS)} (all; gets where redis-benchmark is)")
    add_whole(parser, "--repetitions", 1, 1000, "of each case, in turns (7; quick: 2)")
    parser.add_argument("--quick", action="store_true", help="everything smaller: a first impression")
    add_whole(parser, "--seed", 0, 2**31, "of the order within each repetition", 1)
    add_programs(parser, default_programs, "examples/ and bench/")
    add_output(parser, "no files")
    parser.add_argument("--list", action="store_true", help="print the commands and run nothing")
    return parser
