# SPDX-License-Identifier: MIT
"""The command line of bench/hostile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.cells import Method, Scenario
from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole
from lab.quantities import BadInput
from sharing.settings import Settings, read_settings

from .accounts import NOBODY, needed_descriptors

PROGRAMS = ("md", "prime", "matvec")
ARMS = ("quiet", "hostile", "yardstick")
_THRESHOLD_PERCENT = 10


@dataclass(frozen=True)
class HostileSettings:
    """One measurement as asked for. `programs` holds what bench/scenario would be told for the
    governed programs."""

    programs: Settings
    connections: int
    rate: int
    kinds: str | None
    repetitions: int
    length_s: float
    user: int | None
    output: Path | None
    threshold_percent: int = _THRESHOLD_PERCENT

    @property
    def scenario(self) -> Scenario:
        return self.programs.scenarios[0]

    def arms(self) -> list[Method]:
        return [Method(arm) for arm in ARMS]

    def described(self) -> dict[str, Any]:
        """For the JSON."""
        names = ("connections", "rate", "kinds", "repetitions", "length_s", "user")
        return {
            **{name: getattr(self, name) for name in names},
            "methods": list(ARMS),
            "threshold_percent": self.threshold_percent,
            **{name: getattr(self.programs, name) for name in
               ("region_us", "stagger_s", "interval_s", "period_s", "runtime", "seed")},
        }  # fmt: skip


def read_hostile_settings(
    arguments: list[str], default_programs: Path, descriptor_limit: int, root: bool
) -> HostileSettings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    needed = needed_descriptors(options.connections, False)
    if needed > descriptor_limit:
        raise BadInput(
            f"--connections {options.connections}: they need {needed} open files in the governor, the"
            f" hard limit here is {descriptor_limit}; raise it (`ulimit -Hn {needed}` as root)."
        )
    plain = read_settings(["--no-pictures", "--bin", str(options.bin)], default_programs)
    programs = replace(
        plain,
        scenarios=(Scenario("+".join(PROGRAMS), PROGRAMS),),
        stagger_s=options.stagger,
        run_limit_s=options.run_limit,
        seed=options.seed,
    )
    return HostileSettings(
        programs=programs,
        connections=options.connections,
        rate=options.rate,
        kinds=options.kinds,
        repetitions=options.repetitions or (1 if options.quick else 5),
        length_s=options.length or (3.0 if options.quick else 6.0),
        user=NOBODY if root else None,
        output=options.output,
    )


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/hostile",
        description="Runs three governed programs with and without hostile clients, interleaved: quiet ="
        " without; hostile = with hostile clients at the governor; yardstick = with the same clients at"
        " a raw echo server, so that what they cost by themselves is known.",
        epilog="As root the hostile clients are user nobody's. `build/bin/bench/hostile --help` explains"
        " the kinds. Exit: 0 done, 1 a process or a checksum failed, 2 usage, 130 ended by a signal.",
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="one repetition of 3 s programs")
    add_whole(parser, "--connections", 1, 1_000_000, "hostile connections (400)", 400)
    add_whole(parser, "--rate", 1, 10_000_000, "what they do per second, all together (3000)", 3000)
    parser.add_argument("--kinds", metavar="A,B", help="what they are: idle,half,... (all)")
    add_whole(parser, "--repetitions", 1, 1000, "of all three arms (5; quick: 1)")
    add_duration(parser, "--length", 0.1, 3600.0, None, "of each program alone (6 s; quick: 3 s)")
    add_duration(parser, "--stagger", 0.0, 60.0, 1.4, "pause between their starts (1.4 s)")
    add_duration(parser, "--run-limit", 1.0, 86400.0, 300.0, "a longer run is stopped (5 min)")
    add_whole(parser, "--seed", 0, 2**32 - 1, "for the order of the arms (1)", 1)
    add_programs(parser, default_programs, "governord, governorctl, bench/ and examples/")
    add_output(parser, "no files")
    return parser
