# SPDX-License-Identifier: MIT
"""The command line of bench/peers/run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.options import OneSentenceParser, add_output, add_whole, chosen
from lab.quantities import BadInput
from lab.report import command_line

from .plan import OURS, POOLS, Bench, all_benches

SOURCES = (OURS, "taskflow", "bs", "dispenso", "onetbb", "citor", "libfork", "toomanycooks", "afn")
_QUICK_SCALE = 0.2


@dataclass(frozen=True)
class PeersSettings:
    """One measurement as asked for."""

    repetitions: int
    scale: float
    pools: tuple[str, ...]
    benches: tuple[Bench, ...]
    sources: dict[str, Path]
    build: Path
    builds: bool
    output: Path | None
    redraw: Path | None
    command_line: str

    def described(self) -> dict[str, Any]:
        """For the JSON."""
        return {
            "repetitions": self.repetitions,
            "scale": self.scale,
            "pools": list(self.pools),
            "benches": [bench.key for bench in self.benches],
            "command_line": self.command_line,
        }


def read_peers_settings(arguments: list[str], checkout: Path) -> PeersSettings:
    """BadInput names the option, the value and what is accepted."""
    options = _parser(checkout).parse_args(arguments)
    quick = options.quick
    sources = {name: getattr(options, name) for name in SOURCES if getattr(options, name)}
    for name, folder in sources.items():
        if not folder.is_dir():
            raise BadInput(f"--{name} {folder}: there is no such folder.")
    return PeersSettings(
        repetitions=options.repetitions or (3 if quick else 7),
        scale=_QUICK_SCALE if quick else 1.0,
        pools=chosen("--pools", options.pools, POOLS),
        benches=_benches(options.benches),
        sources={name: folder.resolve() for name, folder in sources.items()},
        build=options.build.resolve(),
        builds=not options.no_build,
        output=options.output,
        redraw=options.redraw,
        command_line=command_line("bench/peers/run", arguments),
    )


def _benches(text: str | None) -> tuple[Bench, ...]:
    benches = all_benches()
    names = chosen("--benches", text, dict.fromkeys(bench.name for bench in benches))
    return tuple(bench for bench in benches if bench.name in names)


def _parser(checkout: Path) -> OneSentenceParser:
    parser = OneSentenceParser(
        prog="bench/peers/run",
        description="Builds the project's thread pool and its peers, runs each of them in turn within"
        " each repetition, pinned alike, and says which goals are met. A peer comes from a package or"
        " from a folder with its sources; one that is not found is left out.",
        epilog="Exit: 0 done, whether goals are met or not, 1 nothing could be built or written, 2 usage,"
        " 130 ended by a signal. A peer that crashes or hangs is told, and is no failure.",
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="everything smaller, some minutes")
    add_whole(parser, "--repetitions", 1, 1000, "of every run (7; quick: 3)")
    parser.add_argument("--pools", metavar="A,B", help=f"of {','.join(POOLS)} (all)")
    names = dict.fromkeys(bench.name for bench in all_benches())
    parser.add_argument("--benches", metavar="A,B", help=f"of {','.join(names)} (all)")
    for name in SOURCES:
        text = "build folder or prefix of ours (build)" if name == OURS else "folder with its sources"
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=text)
    build = checkout / "build-peers"
    parser.add_argument("--build", type=Path, metavar="DIR", default=build, help=f"({build.name})")
    parser.add_argument("--no-build", action="store_true", help="the programs are in --build already")
    add_output(parser, "a temporary one")
    parser.add_argument(
        "--redraw", type=Path, metavar="FILE", help="tables and pictures of this results.json"
    )
    return parser
