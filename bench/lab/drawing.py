# SPDX-License-Identifier: MIT
"""The library with which pictures are drawn and saved."""

from __future__ import annotations

from pathlib import Path

_DPI = 100


class NoPictures(Exception):
    """There is nothing to draw with."""


def pyplot():
    """matplotlib's, without a screen; NoPictures where it is missing."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plot
    except ImportError as error:
        raise NoPictures(f"pictures are skipped, matplotlib is missing ({error})") from error
    return plot


def save(plot, figure, paths: list[Path]) -> list[Path]:
    """One file for each path, in the format that its name says; the figure is gone then."""
    for path in paths:
        figure.savefig(path, dpi=_DPI)
    plot.close(figure)
    return paths
