# SPDX-License-Identifier: MIT
"""Members of a case as command lines and environments. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lab.programs import Launch

from .cases import BYSTANDER, MPI, PIPE, Arm, Case, Member, iterations, members_of

NOBODY = 65534
# Ranks may outnumber CPUs and be root's; no second machine is looked for.
_MPIRUN = (
    "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
    "--mca", "plm", "isolated", "--mca", "mpi_yield_when_idle", "1",
)  # fmt: skip
# The kernel forgets which program is to die with its parent when a program changes its user.
_AS_NOBODY = (
    "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--pdeathsig=KILL",
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """The places of programs and of the governor's socket, and how much work each region has; `scratch` is
    for what an MPI leaves behind."""

    programs: dict[str, Path]
    work: dict[str, int]
    socket: Path
    scratch: Path
    cpus: int
    region_us: int
    length_s: float


def launches_of(case: Case, arm: Arm, site: Site) -> list[Launch]:
    """In the order of their starts."""
    return [
        Launch(member.label, _command(member, site), _settings(member, arm, site), stop_s=member.stop_s)
        for member in members_of(case, arm)
    ]


def _command(member: Member, site: Site) -> tuple[str, ...]:
    count = iterations(site.length_s, site.region_us, site.cpus, member.processes)
    options = ("--json", "--iterations", str(count), "--work", str(site.work[member.program]))
    program = str(site.programs[member.program])
    if member.name == MPI:
        return (*_MPIRUN, "-n", str(member.processes), program, *member.words, *options)
    if member.name == PIPE:
        ends = [shlex.join((program, word, *options)) for word in ("write", "read")]
        return ("/bin/sh", "-c", " | ".join(ends))
    plain = (program, *member.words, *options)
    return (*_AS_NOBODY, *plain) if member.name == BYSTANDER else plain


def _settings(member: Member, arm: Arm, site: Site) -> dict[str, str]:
    settings = {"TMPDIR": str(site.scratch)} if member.name == MPI else {}
    if not arm.governed:
        return {**settings, "THREADCOUNT": "off"}
    batch = arm.batch and member.name != BYSTANDER
    return {
        **settings,
        "THREADCOUNT": "adapt",
        "THREADCOUNT_SOCKET": str(site.socket),
        "THREADCOUNT_CLASS": "batch" if batch else "interactive",
    }
