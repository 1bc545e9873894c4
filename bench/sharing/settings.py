# SPDX-License-Identifier: MIT
"""The command line: options, their ranges and what each form sets when nothing is said."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.cells import (
    ARTICLE_THRESHOLDS,
    BASELINES,
    HABIT_NAMES,
    METHODS,
    Method,
    Scenario,
    article_scenarios,
    method_named,
    scenario_named,
)
from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole
from lab.programs import example
from lab.quantities import BadInput, whole_option

from .plan import Size, size_for_length

_QUICK_SCENARIOS = ("mix-1",)
_QUICK_THRESHOLD = 10
# By default a program alone takes this many pauses between starts, so that programs do overlap.
_OVERLAP = 2.2


@dataclass(frozen=True)
class Settings:
    """One experiment as asked for. Times in seconds; None means: found out by measuring, or (for
    budget_s) not limited."""

    full: bool
    scenarios: tuple[Scenario, ...]
    methods: tuple[Method, ...]
    repetitions: int | None
    region_us: int
    iterations: int | None
    length_s: float | None
    least_program_s: float
    runtime: str
    stagger_s: float
    interval_s: float
    period_s: float
    run_limit_s: float
    budget_s: float | None
    seed: int
    programs: Path
    output: Path | None
    pictures: bool
    dry_run: bool
    redraw: Path | None
    in_short: bool = False

    def program(self, load: str) -> Path:
        return example(self.programs, load, self.runtime)

    @property
    def governor(self) -> Path:
        return self.programs / "governord"

    @property
    def governed(self) -> bool:
        return any(method.governed for method in self.methods)

    def loads(self) -> list[str]:
        """The loads that are needed, each once."""
        return list(dict.fromkeys(load for one in self.scenarios for load in one.loads))

    def fixed_size(self) -> Size | None:
        """The iterations that a length asks for; None when a pilot run or --iterations decides."""
        if self.length_s is None or self.iterations is not None:
            return None
        scenarios, repetitions = list(self.scenarios), self.repetitions or 1
        return size_for_length(scenarios, self.length_s, self.least_program_s, repetitions)

    def described(self) -> dict[str, Any]:
        """For results.json."""
        plain = ("repetitions", "region_us", "iterations", "length_s", "runtime", "stagger_s")
        plain += ("interval_s", "period_s", "run_limit_s", "budget_s", "seed")
        return {
            "form": "full" if self.full else "quick",
            "scenarios": {scenario.name: list(scenario.loads) for scenario in self.scenarios},
            "methods": [method.name for method in self.methods],
            **{name: getattr(self, name) for name in plain},
        }


def read_settings(arguments: list[str], default_programs: Path) -> Settings:
    """Settings from the command line; BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    length_s = options.length
    if length_s is None and options.full:
        length_s = 6.0
    return Settings(
        full=options.full,
        scenarios=_scenarios(options),
        methods=_methods(options),
        repetitions=options.repetitions or (3 if options.full else None),
        region_us=options.region_us or (20_000 if options.full else 1000),
        iterations=options.iterations,
        length_s=length_s,
        least_program_s=0.0 if options.length else _OVERLAP * options.stagger,
        runtime=options.runtime,
        stagger_s=options.stagger,
        interval_s=options.interval,
        period_s=options.period,
        run_limit_s=options.run_limit or (120.0 if options.full else 60.0),
        budget_s=options.budget or (None if options.full else 110.0),
        seed=options.seed,
        programs=options.bin.resolve(),
        output=options.output,
        pictures=options.pictures,
        in_short=options.in_short,
        dry_run=options.dry_run,
        redraw=options.redraw,
    )


def _scenarios(options: argparse.Namespace) -> tuple[Scenario, ...]:
    if options.scenarios is not None:
        return tuple(scenario_named(name) for name in _listed("--scenarios", options.scenarios))
    if options.full:
        return tuple(article_scenarios())
    return tuple(scenario_named(name) for name in _QUICK_SCENARIOS)


def _methods(options: argparse.Namespace) -> tuple[Method, ...]:
    """--methods, and a governed method for each of --thresholds; each alone replaces its half."""
    thresholds: list[int] = []
    if options.thresholds is not None:
        percent = whole_option("--thresholds", 1, 100)
        thresholds = [percent(text) for text in _listed("--thresholds", options.thresholds)]
    elif options.methods is None:
        thresholds = list(ARTICLE_THRESHOLDS) if options.full else [_QUICK_THRESHOLD]
    names = [*BASELINES, "fair"] if options.methods is None else _listed("--methods", options.methods)
    names += [f"threshold-{percent}" for percent in thresholds]
    return tuple(method_named(name) for name in dict.fromkeys(names))


def _listed(option: str, text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise BadInput(f"{option} {text!r}: a list such as a,b,c without empty places is accepted.")
    return list(dict.fromkeys(names))


def _parser(default_programs: Path) -> argparse.ArgumentParser:
    parser = OneSentenceParser(
        prog="bench/scenario",
        description="Runs OpenMP programs side by side, governed and not, in the same minutes, and"
        " reports how long they took together.",
        epilog="Exit: 0 done, 1 a program, the governor or a checksum failed, 2 usage, 130 ended by a"
        " signal.",
        allow_abbrev=False,
    )
    _add_forms(parser)
    _add_what(parser)
    _add_how(parser)
    _add_where(parser, default_programs)
    return parser


def _add_forms(parser: argparse.ArgumentParser) -> None:
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--quick", action="store_true", help="a first impression within --budget (default)"
    )
    forms.add_argument("--full", action="store_true", help="all scenarios and thresholds")
    forms.add_argument(
        "--redraw", type=Path, metavar="RESULTS.json", help="only table and pictures, from a file"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the plan and a time estimate only"
    )


def _add_what(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scenarios",
        metavar="A,B",
        help=f"HABIT-LOAD-N, HABIT one of {', '.join(HABIT_NAMES)}, and mix-N (quick: mix-1)",
    )
    parser.add_argument(
        "--methods",
        metavar="A,B",
        help=f"{', '.join(METHODS)}, threshold-P (P in percent)",
    )
    parser.add_argument(
        "--thresholds", metavar="P,Q", help="governed methods (full: 5,10,15,20; quick: 10)"
    )
    add_whole(parser, "--repetitions", 1, 1000, "quick: 2 when they fit, else 1; full: 3")
    add_whole(parser, "--region-us", 10, 10_000_000, "length of a parallel region (1000; 20000)")
    add_whole(parser, "--iterations", 1, 10**9, "regions per program, instead of --length")
    add_duration(
        parser, "--length", 0.1, 3600.0, None, "ideal makespan of a run (quick: by a pilot; full: 6 s)"
    )
    parser.add_argument(
        "--runtime", choices=("gcc", "clang"), default="gcc", help="libgomp (default) or libomp"
    )


def _add_how(parser: argparse.ArgumentParser) -> None:
    add_duration(parser, "--stagger", 0.0, 60.0, 1.4, "pause between starts (1.4 s)")
    add_duration(parser, "--interval", 0.05, 3600.0, 1.0, "how often programs ask (1 s)")
    add_duration(parser, "--period", 0.05, 60.0, 0.25, "how often the governor measures (250 ms)")
    add_duration(
        parser, "--run-limit", 1.0, 86400.0, None, "a longer run is stopped (quick: 60 s; full: 120 s)"
    )
    add_duration(
        parser, "--budget", 10.0, 604800.0, None, "time for everything (quick: 110 s; full: no limit)"
    )
    add_whole(parser, "--seed", 0, 2**32 - 1, "for the order of the methods (1)", default=1)


def _add_where(parser: argparse.ArgumentParser, default_programs: Path) -> None:
    add_programs(parser, default_programs, "governord and examples/")
    add_output(parser, "a new temporary one")
    parser.add_argument(
        "--no-pictures", dest="pictures", action="store_false", help="no PNG files"
    )
    parser.add_argument(
        "--in-short", action="store_true", help="print a few times and a verdict, not the table"
    )
