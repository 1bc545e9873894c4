# SPDX-License-Identifier: MIT
"""The instructions of a method to each program: its environment, the CPUs that it is pinned to, options. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from .cells import Method

_UNGOVERNED = {
    "passive": {"OMP_WAIT_POLICY": "passive"},
    "active": {"OMP_WAIT_POLICY": "active"},
    "dynamic": {"OMP_DYNAMIC": "true"},
    "one": {"OMP_NUM_THREADS": "1"},
}


@dataclass(frozen=True)
class Rules:
    """Without any, plain OpenMP that asks nobody; `cpus` None: not pinned."""

    environment: dict[str, str] = field(default_factory=lambda: {"THREADCOUNT": "off"})
    cpus: tuple[int, ...] | None = None
    options: tuple[str, ...] = ()


def rules_of(
    method: Method,
    share: tuple[int, ...],
    lease: dict[str, str],
    job: str | None = None,
    batch: bool = True,
) -> Rules:
    """The rules for one program. `share` are its CPUs in a static split, `lease` is the environment that
    makes it hold a lease, and `job` is its name for turns. It takes turns if it and the method are
    `batch`."""
    if method.governed:
        options = ("--progress",) if method.tells_progress else ()
        return Rules({**lease, **(_turns(job) if method.batch and batch else {})}, None, options)
    plain = Rules().environment
    if method.name == "static":
        return Rules({**plain, "OMP_NUM_THREADS": str(len(share))}, share)
    return Rules({**plain, **_UNGOVERNED.get(method.name, {})})


def _turns(job: str | None) -> dict[str, str]:
    """A program without a name for its job is one by its process group."""
    named = {} if job is None else {"THREADCOUNT_JOB": job}
    return {"THREADCOUNT_CLASS": "batch", **named}
