# SPDX-License-Identifier: MIT
"""All goals that bench/goals knows, and the runs that they need."""

from __future__ import annotations

from . import goals_of_fair, goals_of_turns
from .goal import Block, Goal


def blocks() -> list[Block]:
    """Those of each kind that say most first."""
    return [*goals_of_fair.blocks(), *goals_of_turns.blocks()]


def goals() -> list[Goal]:
    """In the order in which they are told."""
    return [*goals_of_fair.goals(), *goals_of_turns.goals()]
