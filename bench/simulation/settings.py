# SPDX-License-Identifier: MIT
"""The command line of bench/simulate."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from lab.options import OneSentenceParser, add_programs
from lab.quantities import BadInput, whole_option

FORMATS = ("png", "svg")
_MOST_SEED = 2**53


@dataclass(frozen=True)
class Settings:
    """What is asked for: one of `file` and `seed` is None."""

    file: Path | None
    seed: int | None
    policies: tuple[str, ...]
    programs: Path
    output: Path | None
    formats: tuple[str, ...]
    pictures: bool

    @property
    def simulator(self) -> Path:
        return self.programs / "simulate"

    def arguments(self, policy: str) -> list[str]:
        """Of the simulator, for one run."""
        scenario = [str(self.file)] if self.file is not None else ["--seed", str(self.seed)]
        return [str(self.simulator), "--policy", policy, "--json", *scenario]


def read_settings(arguments: list[str], programs: Path) -> Settings:
    """BadInput with one sentence for what cannot be."""
    parsed = _parser(programs).parse_args(arguments)
    if (parsed.scenario is None) == (parsed.seed is None):
        raise BadInput("one of SCENARIO and --seed is needed; see --help.")
    return Settings(
        file=parsed.scenario,
        seed=parsed.seed,
        policies=_names("--policy", parsed.policy, None),
        programs=parsed.bin,
        output=parsed.output,
        formats=_names("--format", parsed.format, FORMATS),
        pictures=parsed.pictures,
    )


def _parser(programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog="bench/simulate",
        description="Runs governord's policy on a virtual machine with virtual programs, reports how "
        "fair and how fast it was, and draws who had how many CPUs, and which.",
        epilog="Scenario files: tests/simulation/scenarios; `simulate --keys` lists what may be in "
        "them. Exit: 0 done, 1 an expectation or an invariant does not hold, or the result could not "
        "be written, 2 usage, or a file or folder that cannot be used, 130 ended by a signal.",
    )
    parser.add_argument("scenario", type=Path, nargs="?", metavar="SCENARIO", help="a scenario file")
    parser.add_argument(
        "--seed", type=whole_option("--seed", 0, _MOST_SEED), metavar="N",
        help="a random scenario instead",
    )  # fmt: skip
    parser.add_argument(
        "--policy", metavar="NAMES", default="fair",
        help="which policies to run, with commas between: fair, naive, or a broken one of "
        "`simulate --help` (fair)",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="where the pictures go (a new temporary folder)"
    )
    parser.add_argument(
        "--format", metavar="NAMES", default="png", help="png, svg, or both: png,svg (png)"
    )
    parser.add_argument(
        "--no-pictures", dest="pictures", action="store_false", help="the report only"
    )
    add_programs(parser, programs, "simulate")
    return parser


def _names(option: str, text: str, known: tuple[str, ...] | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    wrong = [name for name in names if not name or (known is not None and name not in known)]
    if wrong:
        accepted = ", ".join(known) if known is not None else "names with commas between"
        raise BadInput(f"{option} {text!r}: {accepted} are accepted.")
    return names
