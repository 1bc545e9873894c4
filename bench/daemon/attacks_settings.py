# SPDX-License-Identifier: MIT
"""The attacks, and the command line of bench/attacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_duration, add_output, add_programs, add_whole, chosen
from lab.quantities import BadInput

from .accounts import needed_descriptors

DAEMON, ATTACKER, BYSTANDER, NEWCOMER = 3900, 3100, 3200, 3201
SQUATTERS = (3101, 3102, 3103, 3104, 3105)
# More than an account may hold: it takes as many as it gets.
_SQUATTING_PROGRAMS = 1990


@dataclass(frozen=True)
class Attack:
    """One row of the table. `kind` is one of build/bin/bench/attack, None: nobody attacks."""

    name: str
    kind: str | None
    members: str | None = None  # the setting that says how many
    processes: int = 1
    crowded: bool = False  # beside many programs of the attacker that hold leases


ATTACKS = (
    Attack("quiet", None),
    Attack("linger", "linger"),
    Attack("linger-half", "linger-half"),
    Attack("linger-many", "linger-many"),
    Attack("linger-unread", "linger-unread"),
    Attack("linger-oob", "linger-oob"),
    Attack("memory", "memory"),
    Attack("threads-burst", "burst", members="threads"),
    Attack("threads-pairs", "pairs", members="threads"),
    Attack("leases-pairs", "pairs", crowded=True),
    Attack("leases-cpus", "cpus", crowded=True),
    Attack("leases-clients", "clients", crowded=True),
    Attack("leases-update", "update", crowded=True),
    Attack("leases-pause", "pause", crowded=True),
    Attack("storm", "storm"),
    Attack("storm-3", "storm", processes=3),
)
CHECKS = ("seats", "history")
_NAMES = (*(attack.name for attack in ATTACKS), *CHECKS)


@dataclass(frozen=True)
class AttacksSettings:
    """One measurement as asked for."""

    attacks: tuple[Attack, ...]
    checks: tuple[str, ...]
    repetitions: int
    window_s: float
    threads: int
    leases: int
    memory_mib: int
    squatting_programs: int
    orders: int  # writes of 32 times pause and resume
    old_kernel: bool
    programs: Path
    output: Path | None
    root: bool

    def user(self, number: int) -> int | None:
        """None: the runner's own."""
        return number if self.root else None

    def acts(self) -> list[list[Attack]]:
        """Those that are made on the same servers, one after the other."""
        crowded = [attack for attack in self.attacks if attack.crowded]
        alone = [[attack] for attack in self.attacks if not attack.crowded]
        return [*alone, crowded] if crowded else alone

    def described(self) -> dict[str, Any]:
        """For the JSON."""
        left_out = ("attacks", "checks", "programs", "output", "root")
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}
        return {**fields, "attacks": [attack.name for attack in self.attacks], "checks": list(self.checks)}


def read_attacks_settings(
    arguments: list[str], default_programs: Path, descriptor_limit: int, root: bool
) -> AttacksSettings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(default_programs).parse_args(arguments)
    quick = options.quick
    names = chosen("--attacks", options.attacks, _NAMES)
    squatting = 20 if quick else _SQUATTING_PROGRAMS
    leases = options.leases or (20 if quick else 1500)
    needed = needed_descriptors(2 * max(leases, squatting), root=False)
    if needed > descriptor_limit:
        raise BadInput(
            f"{max(leases, squatting)} programs with leases need {needed} open files in the governor, the"
            f" hard limit here is {descriptor_limit}; raise it (`ulimit -Hn {needed}` as root)."
        )
    return AttacksSettings(
        attacks=tuple(attack for attack in ATTACKS if attack.name in names),
        checks=tuple(check for check in CHECKS if check in names),
        repetitions=options.repetitions or (1 if quick else 3),
        window_s=options.window or (0.2 if quick else 1.5),
        threads=options.threads or (100 if quick else 20_000),
        leases=leases,
        memory_mib=options.memory or (8 if quick else 512),
        squatting_programs=squatting,
        orders=1 if quick else 22,
        old_kernel=options.old_kernel,
        programs=options.bin.resolve(),
        output=options.output,
        root=root,
    )


def _parser(default_programs: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/attacks",
        description="Attacks a governord of its own in several ways, one at a time, and reports how long"
        " a bystander waits for answers and how old the heartbeat gets; beside an echo server under the"
        " same attack.",
        epilog="As root the daemon, the attackers and the bystander are users of their own (3900, 3100 and"
        " up, 3200). `build/bin/bench/attack --help` explains the attacks. Exit: 0 done, 1 a process"
        " failed, 2 usage, 130 ended by a signal. A goal that is missed is reported, not a failure.",
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="everything tiny: does it work at all?")
    parser.add_argument("--attacks", metavar="A,B", help=f"of {','.join(_NAMES)} (all)")
    parser.add_argument(
        "--old-kernel", action="store_true",
        help="start the daemon as on a kernel before 6.16, which cannot refuse descriptors",
    )  # fmt: skip
    add_whole(parser, "--repetitions", 1, 100, "of all attacks (3; quick: 1)")
    add_duration(parser, "--window", 0.1, 60.0, None, "of each attack (1.5 s; quick: 0.2 s)")
    add_whole(parser, "--threads", 1, 30_000, "of the attacker's process (20000; quick: 100)")
    add_whole(parser, "--leases", 1, 4000, "of the attacker's programs (1500; quick: 20)")
    add_whole(parser, "--memory", 1, 16_384, "MiB of memory in a descriptor (512; quick: 8)")
    add_programs(parser, default_programs, "governord, governorctl, old_kernel and bench/")
    add_output(parser, "no files")
    return parser
