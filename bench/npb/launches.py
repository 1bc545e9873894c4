# SPDX-License-Identifier: MIT
"""Members of a case as command lines and environments. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.programs import Launch
from lab.rules import Rules, rules_of
from lab.split import static_split

from .cases import HOG, HOGS_LOAD, NEIGHBOURS, NICE_HOG, SLEEPER, Arm, Case

# A program that has computed something else has failed. The runner wants a line of JSON.
_VERIFIES = (
    'text=$("$@") || exit; echo "$text" | grep -q "Verification *= *SUCCESSFUL" && echo {} && exit;'
    ' echo "$text" | tail -n 20 >&2; exit 1'
)
# Each program has a session of its own. A kernel that groups threads by session (autogroups) weighs the
# session's nice value against other programs.
_NICE = ("sh", "-c", '[ ! -w /proc/self/autogroup ] || echo 19 > /proc/self/autogroup; exec nice -n 19 "$@"', "sh")


@dataclass(frozen=True)
class Site:
    """The places of things: programs by load, with the library's lines and without; `sleeper` is the command
    of a program that mostly sleeps; `cpus` are those for a split by hand."""

    with_lines: dict[str, Path]
    unmodified: dict[str, Path]
    sleeper: tuple[str, ...]
    governorctl: Path
    socket: Path
    cpus: list[int]


def launches_of(case: Case, arm: Arm, site: Site) -> list[Launch]:
    """In the order of their starts."""
    return [_launch(name, place, case, arm, site) for place, name in enumerate(case.members)]


def _launch(name: str, place: int, case: Case, arm: Arm, site: Site) -> Launch:
    label = f"{name.replace('.', '-')}.{place}"
    if name in (HOG, NICE_HOG):
        nice = _NICE if name == NICE_HOG else ()
        return Launch(label, _verified(*nice, str(site.with_lines[HOGS_LOAD])), Rules().environment)
    rules = _rules(name, place, case, arm, site)
    if name == SLEEPER:
        return Launch(label, site.sleeper, rules.environment, rules.cpus)
    programs = site.with_lines if arm.has_lines else site.unmodified
    front = () if arm.words is None else (str(site.governorctl), *arm.words, "--")
    settings = rules.environment
    if arm.words is not None:
        settings = {"THREADCOUNT_SOCKET": str(site.socket)}
    return Launch(label, _verified(*front, str(programs[name])), settings, rules.cpus)


def _rules(name: str, place: int, case: Case, arm: Arm, site: Site) -> Rules:
    """A careful user splits the CPUs between all that he starts himself, a hog is not his."""
    own = [member for member in case.members if member not in (HOG, NICE_HOG)]
    share = static_split(len(own), site.cpus)[place - (len(case.members) - len(own))]
    lease = {"THREADCOUNT": "adapt", "THREADCOUNT_SOCKET": str(site.socket)}
    return rules_of(arm.method, share, lease, f"{name}-{place}", name not in NEIGHBOURS)


def _verified(*command: str) -> tuple[str, ...]:
    return ("sh", "-c", _VERIFIES, "sh", *command)
