# SPDX-License-Identifier: MIT
"""The command line of bench/simulate."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from lab.options import OneSentenceParser, add_programs
from lab.quantities import BadInput, whole_option

from .grid import CPUS
from .matrix import POLICIES

FORMATS = ("png", "svg")
RUNTIMES = ("free", "libgomp", "libomp")
_MOST_SEED = 2**53


@dataclass(frozen=True)
class Settings:
    """The request: one of `file`, `seed`, `table`, `ablate` and `grid`."""

    file: Path | None
    seed: int | None
    policies: tuple[str, ...]
    programs: Path
    output: Path | None
    formats: tuple[str, ...]
    pictures: bool
    table: tuple[Path, ...] = ()
    ablate: tuple[Path, ...] = ()
    grid: tuple[int, ...] = ()  # CPUs
    patches: bool = True
    numbers: bool = False
    runtime: str | None = None

    @property
    def simulator(self) -> Path:
        return self.programs / "simulate"

    def arguments(self, policy: str) -> list[str]:
        """The options of the simulator, for one run."""
        scenario = [str(self.file)] if self.file is not None else ["--seed", str(self.seed)]
        return [*self.command, "--policy", policy, "--json", *scenario]

    @property
    def command(self) -> list[str]:
        """The simulator with the options of all runs."""
        return [str(self.simulator), *self.runtime_options]

    @property
    def runtime_options(self) -> list[str]:
        return ["--runtime", self.runtime] if self.runtime is not None else []


def read_settings(arguments: list[str], programs: Path) -> Settings:
    """BadInput with one sentence for what cannot be."""
    parsed = _parser(programs).parse_args(arguments)
    asked = (parsed.scenario, parsed.seed, parsed.table, parsed.ablate, parsed.grid)
    if sum(one is not None for one in asked) != 1:
        raise BadInput("one of SCENARIO, --seed, --table, --ablate and --grid is needed; see --help.")
    if parsed.ablate is not None and parsed.policy is not None:
        raise BadInput("--policy does not go with --ablate, which is about fair and turns.")
    if parsed.policy is not None and parsed.grid is not None:
        raise BadInput("--policy does not go with --grid, which is about fair and turns.")
    if parsed.numbers and (parsed.ablate is None or not parsed.patches):
        raise BadInput("--numbers needs --ablate, and a simulator of its own: it does not go with --no-patches.")
    usual = "fair" if parsed.table is None else ",".join(POLICIES)
    return Settings(
        file=parsed.scenario,
        seed=parsed.seed,
        policies=_names("--policy", parsed.policy or usual, None),
        programs=parsed.bin,
        output=parsed.output,
        formats=_names("--format", parsed.format, FORMATS),
        pictures=parsed.pictures,
        table=tuple(parsed.table or ()),
        ablate=tuple(parsed.ablate or ()),
        grid=_grid(parsed.grid),
        patches=parsed.patches,
        numbers=parsed.numbers,
        runtime=parsed.runtime,
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
        "--table", type=Path, nargs="+", metavar="PATH",
        help="many scenarios instead, files or folders: a table of policies x scenarios, of sums of "
        "times and slowdowns, on all CPUs",
    )  # fmt: skip
    parser.add_argument(
        "--ablate", type=Path, nargs="+", metavar="PATH",
        help="many scenarios, each with every rule of the policy switched off in turn; rules inside of "
        "the policy by patches, for which simulators are built in build-ablation",
    )  # fmt: skip
    parser.add_argument(
        "--grid", type=whole_option("--grid", 1, 8192), nargs="*", metavar="CPUS",
        help="equal programs of one user, of many speedups, counts and lengths: turns over fair, where "
        "the governor knows nothing of them, knew them before, or has a wrong history (16 64)",
    )  # fmt: skip
    parser.add_argument(
        "--no-patches", dest="patches", action="store_false",
        help="with --ablate: build nothing, and leave these rules out",
    )  # fmt: skip
    parser.add_argument(
        "--numbers", action="store_true",
        help="with --ablate: instead of the rules, each number of governor/policy/numbers.hpp halved and doubled",
    )  # fmt: skip
    parser.add_argument(
        "--runtime", choices=RUNTIMES,
        help="how the threads of programs wait, and what that costs, in scenarios that do not say it",
    )  # fmt: skip
    parser.add_argument(
        "--policy", "--policies", metavar="NAMES",
        help="which policies to run, with commas between: names of `simulate --help` (fair); with "
        f"--table, where fair is with turns off: ({','.join(POLICIES)})",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, metavar="DIR",
        help="where the pictures go (a new temporary folder); with --table, --ablate and --grid also "
        "results.json, results.md and summary.json (no files)",
    )  # fmt: skip
    parser.add_argument(
        "--format", metavar="NAMES", default="png", help="png, svg, or both: png,svg (png)"
    )
    parser.add_argument(
        "--no-pictures", dest="pictures", action="store_false", help="the report only"
    )
    add_programs(parser, programs, "simulate")
    return parser


def _grid(asked: list[int] | None) -> tuple[int, ...]:
    if asked is None:
        return ()
    return tuple(dict.fromkeys(asked)) or CPUS


def _names(option: str, text: str, known: tuple[str, ...] | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    wrong = [name for name in names if not name or (known is not None and name not in known)]
    if wrong:
        accepted = ", ".join(known) if known is not None else "names with commas between"
        raise BadInput(f"{option} {text!r}: {accepted} are accepted.")
    return names
