# SPDX-License-Identifier: MIT
"""The command line of bench/coupled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole, chosen
from lab.quantities import BadInput

from .cases import ARMS, CASES, FAIR, FAIR_BESIDE, MD, TURNS, TURNS_BESIDE, USUAL_CASES, Arm, Case

_USUAL_ARMS = (TURNS, FAIR, TURNS_BESIDE, FAIR_BESIDE)


@dataclass(frozen=True)
class Settings:
    """One measurement as asked for; times in seconds. `cases` and `arms` None: those that this machine
    and user can run."""

    cases: tuple[Case, ...] | None
    arms: tuple[Arm, ...] | None
    repetitions: int
    length_s: float
    region_us: int
    stagger_s: float
    max_wait_s: float
    run_limit_s: float
    seed: int
    programs: Path
    output: Path | None
    list_only: bool

    def program(self, name: str) -> Path:
        return self.programs / ("examples" if name == MD else "bench") / name

    @property
    def governor(self) -> Path:
        return self.programs / "governord"

    def described(self) -> dict[str, Any]:
        """For results.json."""
        names = ("repetitions", "length_s", "region_us", "stagger_s", "max_wait_s", "run_limit_s", "seed")
        return {name: getattr(self, name) for name in names}


def read_settings(arguments: list[str], default_programs: Path) -> Settings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    return Settings(
        cases=_named("--cases", options.cases, CASES),
        arms=_named("--arms", options.arms, ARMS),
        repetitions=options.repetitions,
        length_s=options.length,
        region_us=options.region_us,
        stagger_s=options.stagger,
        max_wait_s=options.max_wait,
        run_limit_s=options.run_limit,
        seed=options.seed,
        programs=options.bin.resolve(),
        output=options.output,
        list_only=options.list,
    )


def chosen_cases(settings: Settings, lacking: dict[str, str]) -> tuple[tuple[Case, ...], list[str]]:
    """The cases to run, and notes on those that are left out; `lacking` says of cases what is missing
    for them. BadInput where one of these was asked for."""
    return _chosen("--cases", settings.cases, USUAL_CASES, lacking)


def chosen_arms(settings: Settings, is_root: bool) -> tuple[tuple[Arm, ...], list[str]]:
    """The same of the arms: only root can start programs of another user."""
    beside = [arm.name for arm in ARMS.values() if arm.beside]
    lacking = {} if is_root else dict.fromkeys(beside, "not root: nothing can run as another user")
    return _chosen("--arms", settings.arms, tuple(ARMS[name] for name in _USUAL_ARMS), lacking)


def _chosen(option: str, asked: Any, usual: Any, lacking: dict[str, str]) -> tuple[Any, list[str]]:
    for one in asked or ():
        if one.name in lacking:
            raise BadInput(f"{option} {one.name}: {lacking[one.name]}.")
    wanted = tuple(one for one in asked or usual if one.name not in lacking)
    left_out = [one.name for one in asked or usual if one.name in lacking]
    return wanted, [f"{name} is left out: {lacking[name]}." for name in left_out]


def _named(option: str, text: str | None, known: dict[str, Any]) -> Any:
    return None if text is None else tuple(known[name] for name in chosen(option, text, known))


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/coupled",
        description="Runs batch programs that depend on each other, that are stopped or that lie about"
        " their progress, with turns and as interactive programs that share, in the same minutes, and"
        " says whether turns hurt anybody.",
        epilog="Exit: 0 done, whether goals are met or not, 1 a program, the governor or a checksum failed,"
        " 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--cases", metavar="A,B", help=f"of {','.join(CASES)} (all but mpi-sleeps)")
    parser.add_argument(
        "--arms", metavar="A,B", help=f"of {','.join(ARMS)} (all but default; without root not -beside)"
    )
    add_whole(parser, "--repetitions", 1, 1000, "of each case, all arms in turns (5)", 5)
    add_duration(parser, "--length", 0.1, 3600.0, 4.0, "of each program alone on all CPUs (4 s)")
    add_whole(parser, "--region-us", 10, 10_000_000, "work of a region on one core (1000)", 1000)
    add_duration(parser, "--stagger", 0.0, 60.0, 0.1, "pause between starts (100 ms)")
    add_duration(parser, "--max-wait", 1.0, 86400.0, 300.0, "the governor's turn_max_wait (5 min)")
    add_duration(parser, "--run-limit", 1.0, 86400.0, 300.0, "a longer run is stopped (5 min)")
    add_whole(parser, "--seed", 0, 2**32 - 1, "for the order of the arms (1)", 1)
    add_programs(parser, default_programs, "governord, bench/ and examples/")
    add_output(parser, "no files")
    parser.add_argument("--list", action="store_true", help="print what would be run, and run nothing")
    return parser
