# SPDX-License-Identifier: MIT
"""Options of a command line whose refusals are one sentence; see quantities for their texts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Iterable

from .quantities import BadInput, duration_option, whole_option


class OneSentenceParser(argparse.ArgumentParser):
    """One clear sentence instead of the whole usage."""

    def error(self, message: str) -> None:
        raise BadInput(f"{message}; see --help.")


def add_duration(
    parser: argparse.ArgumentParser,
    option: str,
    low_s: float,
    high_s: float,
    default_s: float | None,
    text: str,
) -> None:
    """An option that takes a duration from low_s to high_s (seconds)."""
    reader = duration_option(option, low_s, high_s)
    parser.add_argument(option, type=reader, metavar="TIME", default=default_s, help=text)


def add_whole(
    parser: argparse.ArgumentParser,
    option: str,
    low: int,
    high: int,
    text: str,
    default: int | None = None,
) -> None:
    """An option that takes a whole number from low to high."""
    reader = whole_option(option, low, high)
    parser.add_argument(option, type=reader, metavar="N", default=default, help=text)


def chosen(option: str, text: str | None, names: Iterable[str]) -> tuple[str, ...]:
    """The items of a list such as a,b,c, each once; None: all of `names`. BadInput for other names."""
    listed = tuple(names)
    wanted = listed if text is None else text.split(",")
    unknown = [name for name in wanted if name not in listed]
    if unknown:
        raise BadInput(f"{option} {text}: '{unknown[0]}' is none of {', '.join(listed)}.")
    return tuple(dict.fromkeys(wanted))


def add_programs(parser: argparse.ArgumentParser, default: Path, holds: str) -> None:
    """--bin: the folder in which the programs are that were built."""
    text = f"folder with {holds} (build/bin)"
    parser.add_argument("--bin", type=Path, metavar="DIR", default=default, help=text)


def add_output(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """--output: the folder for the files of a result, and what happens without it."""
    text = f"folder for results.json, results.md and summary.json ({otherwise})"
    parser.add_argument("--output", type=Path, metavar="DIR", help=text)
