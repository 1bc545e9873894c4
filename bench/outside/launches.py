# SPDX-License-Identifier: MIT
"""Members of a case as command lines. Pure."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.programs import Launch

from .cases import AGENT, ARMS, HOG, HOGS_S, SHELL, SHORT, Case
from .loads import LOADS

USER = 65534
# The kernel forgets which program is to die with its parent when a program changes its user.
_AS_USER = (
    "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--pdeathsig=KILL",
)  # fmt: skip
# The runner wants a line of JSON.
_TELLS = 'text=$("$@") && echo "{\\"checksum\\": \\"$text\\", \\"work\\": 0}"'
_SHORT = 'i=0; while [ $i -lt UNITS ]; do /bin/true; i=$((i+1)); done'
_ONE = "while :; do :; done"
_TEN_MS = ("sh", "-c", "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done")
_SOURCES = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Site:
    """The places of things, and how much each load does; `cpus` are hogs' threads."""

    governorctl: Path
    socket: Path
    folder: Path  # of what was built, and of agents
    units: dict[str, int]
    cpus: int
    short_processes: int
    rounds: int
    shell_s: float
    as_user: bool


def launches_of(case: Case, arm: str, site: Site) -> list[Launch]:
    """In the order of their starts; the environment is read for PATH."""
    settings = {
        "THREADCOUNT_SOCKET": str(site.socket),
        "HOME": str(site.folder / "home"),
        # The python3 of root's PATH may be one that others cannot start.
        "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
    }
    user = _AS_USER if site.as_user else ()
    return [
        Launch(f"{name}.{place}", (*user, *_command(name, place, arm, site)), settings | ARMS[arm].variables)
        for place, name in enumerate(case.members_of(arm))
    ]


def _command(name: str, place: int, arm: str, site: Site) -> tuple[str, ...]:
    if name == SHELL:
        return ("python3", str(_SOURCES / "shell.py"), *_TEN_MS, f"{site.shell_s:g}")
    if name == HOG:
        loops = " & ".join([f"timeout {HOGS_S:g} sh -c {shlex.quote(_ONE)}"] * site.cpus)
        return ("sh", "-c", f"{loops} & wait; echo {{}}")
    words = ARMS[arm].words
    front = () if words is None else (str(site.governorctl), *words, "--")
    return ("sh", "-c", _TELLS, "sh", *front, *_plain(name, place, site))


def _plain(name: str, place: int, site: Site) -> tuple[str, ...]:
    if name == SHORT:
        return ("sh", "-c", _SHORT.replace("UNITS", str(site.short_processes)))
    if name == AGENT:
        folder = site.folder / "agents" / str(place)
        return ("sh", str(_SOURCES / "agent.sh"), str(folder), str(site.rounds))
    return LOADS[name].command_line(site.folder, site.units[name])
