# SPDX-License-Identifier: MIT
"""The users that own the connections, and the descriptors that these take. Pure but for the last function."""

from __future__ import annotations

import resource
from dataclasses import dataclass

from lab.quantities import BadInput

FIRST_USER = 10001
NOBODY = 65534
MOST_CONNECTIONS = 10_000
_CROWDS = 4
# The descriptors that a process opens besides its connections: the governor keeps 64 for itself, and one user
# has to leave room for our own questions.
_OTHER_DESCRIPTORS = 128


@dataclass(frozen=True)
class Crowd:
    """One driver process: its user (None: the runner's own) and its share of each server's
    connections and askers."""

    user: int | None
    connections: int
    askers: int


def crowds_of(connections: int, askers: int, root: bool) -> list[Crowd]:
    """Shares that differ by at most one. Only root can let them belong to several users."""
    count = min(_CROWDS, connections)
    return [
        Crowd(FIRST_USER + index if root else None, *(_share(n, count, index) for n in (connections, askers)))
        for index in range(count)
    ]  # fmt: skip


def needed_descriptors(connections: int, root: bool) -> int:
    """The number of descriptors that one process must be able to open. The governor leaves as many
    descriptors free as one account holds; each driver has its share of both servers' connections."""
    largest_account = -(-connections // _CROWDS) if root else connections
    return connections + largest_account + _OTHER_DESCRIPTORS


def most_connections(limit: int, root: bool) -> int:
    """The number of connections that a limit of open files allows."""
    low, high = 0, MOST_CONNECTIONS * 10
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if needed_descriptors(middle, root) <= limit else (low, middle - 1)
    return low


def chosen_connections(wanted: int | None, default: int, limit: int, root: bool) -> int:
    """`wanted`, or the default as far as `limit` goes for a user that cannot raise it; BadInput when the
    limit is too low."""
    most = most_connections(limit, root)
    chosen = wanted or (default if root else min(default, most))
    if chosen < 1 or chosen > most:
        needed = needed_descriptors(max(chosen, 1), root)
        raise BadInput(
            f"{max(chosen, 1)} connections need {needed} open files per process, the hard limit here is"
            f" {limit}: raise it (as root `ulimit -Hn {needed}`; for a login, nofile in"
            f" /etc/security/limits.conf; for a service, LimitNOFILE=), or give --connections {most} or"
            " fewer."
        )
    return chosen


def raise_descriptor_limit() -> int:
    """Lets this process and its children open as many files as the hard limit allows; returns it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return 1 << 30
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def _share(total: int, count: int, index: int) -> int:
    return total // count + (1 if index < total % count else 0)
