# SPDX-License-Identifier: MIT
"""The scenario files of one method of a mix of named programs."""

from __future__ import annotations

from lab.quantities import BadInput

from .cells import ALONE, Mix, Named
from .scenario import head, lines_of_method

_CPUS = 2
_ONE = ["behaviour = unlinked", "max = 1"]  # a thread of its own choice, on any CPU


def mix_scenarios(mix: Mix, method: str, named: dict[str, Named]) -> list[str]:
    """One; of ALONE one for each of its programs, whose figures are to be added."""
    terms = mix.programs.split("+")
    groups = [[term] for term in terms] if method == ALONE else [terms]
    return [_scenario(mix, "plain" if method == ALONE else method, group, named) for group in groups]


def _scenario(mix: Mix, method: str, terms: list[str], named: dict[str, Named]) -> str:
    lines = head(mix.runtime, method)
    for index, term in enumerate(terms):
        name, _, cpu = term.partition("@")
        if name not in named:
            raise BadInput(f"{mix.programs}: {name} is none of {', '.join(named)}.")
        lines += [f"[program p{index}]", *_program(named[name]), *([f"cpus = {cpu}"] if cpu else [])]
        lines += _ONE if method == "one" else lines_of_method(method, None if cpu else index, len(terms))
        lines.append("")
    return "\n".join(lines)


def _program(program: Named) -> list[str]:
    """The part of a bad speedup that memory does not explain is a serial part."""
    region_s = program.one_s if program.region_ms is None else program.region_ms / 1000
    regions = max(1, round(program.one_s / region_s))
    lines = [f"region = {program.one_s / regions * 1e6:.0f}us", f"regions = {regions}"]
    if program.asks_every > 1:
        lines.append(f"asks_every = {program.asks_every}")
    if program.bandwidth > 0:
        lines.append(f"bandwidth = {program.bandwidth:g}")
    if _CPUS * program.bandwidth <= 1:
        parallel = min(1.0, 2 * (1 - program.two_s / program.one_s))
        lines += [f"speedup = amdahl:{max(parallel, 0.0):.3f}"] if parallel < 1 else []
    return lines
