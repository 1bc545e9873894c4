# SPDX-License-Identifier: MIT
"""The command line of bench/nas."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole, chosen
from lab.quantities import BadInput

from .building import LINES, LOOP, SOURCE, check_checkout
from .cases import ARMS, CASES, Case


@dataclass(frozen=True)
class Settings:
    """One measurement as asked for; times in seconds. `merged`: results of earlier runs, to be told again in
    one table. Nothing is run then, and there may be no checkout."""

    checkout: Path | None
    merged: tuple[Path, ...]
    cases: tuple[Case, ...]
    arms: tuple[str, ...]
    lines: str
    runtime: str
    repetitions: int
    run_limit_s: float
    seed: int
    programs: Path
    output: Path | None

    def described(self) -> dict[str, Any]:
        """For results.json."""
        names = ("arms", "lines", "runtime", "repetitions", "run_limit_s", "seed")
        cases = [case.name for case in self.cases]
        return {"cases": cases} | {name: getattr(self, name) for name in names}


def read_settings(arguments: list[str], default_programs: Path) -> Settings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    if options.nas is not None:
        check_checkout(options.nas)
    elif not options.merge:
        raise BadInput(f"--nas DIR is needed: a checkout of {SOURCE}.")
    files = [path.resolve() for path in options.merge]
    if len(set(files)) < len(files):
        raise BadInput("--merge: a file stands twice, and its runs would count twice.")
    return Settings(
        checkout=options.nas,
        merged=tuple(options.merge),
        cases=tuple(CASES[name] for name in chosen("--cases", options.cases, CASES)),
        arms=chosen("--arms", options.arms, ARMS),
        lines=options.lines,
        runtime=options.runtime,
        repetitions=options.repetitions,
        run_limit_s=options.run_limit,
        seed=options.seed,
        programs=options.bin.resolve(),
        output=options.output,
    )


def _parser(default_programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog="bench/nas",
        description="Runs NAS Parallel Benchmarks side by side, governed and not, in the same minutes, and"
        " says how long they took.",
        epilog="Every run verifies its own result. Exit: 0 done, 1 a program, a compiler or the governor"
        " failed, 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--nas", type=Path, metavar="DIR", help=f"a checkout of {SOURCE}")
    parser.add_argument("--cases", metavar="A,B", help=f"of {','.join(CASES)} (all)")
    parser.add_argument("--arms", metavar="A,B", help=f"of {','.join(ARMS)} (all)")
    parser.add_argument(
        "--runtime", choices=("gcc", "clang"), default="gcc", help="libgomp (default) or libomp"
    )
    parser.add_argument(
        "--lines", choices=LINES, default=LOOP,
        help="programs ask in the loop of main (default), or in front of each region",
    )  # fmt: skip
    add_whole(parser, "--repetitions", 1, 1000, "of each case, all arms in turns (3)", 3)
    add_duration(parser, "--run-limit", 1.0, 86400.0, 120.0, "a longer run is stopped (2 min)")
    add_whole(parser, "--seed", 0, 2**32 - 1, "for the order of the arms (1)", 1)
    parser.add_argument(
        "--merge", type=Path, metavar="RESULTS.json", nargs="+", default=[],
        help="no runs: one table of what earlier ones with the same --runtime have measured",
    )  # fmt: skip
    add_programs(parser, default_programs, "governord, governorctl and examples/")
    add_output(parser, "no files")
    return parser
