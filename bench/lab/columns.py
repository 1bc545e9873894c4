# SPDX-License-Identifier: MIT
"""Texts in columns of equal width, for a terminal or as Markdown."""

from __future__ import annotations


def columns(rows: list[list[str]]) -> list[str]:
    """A line for each row: names to the left, numbers (all columns but the first) to the right."""
    widths = _widths(rows)
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return lines


def aligned(rows: list[list[str]]) -> str:
    """The same, indented; the first row holds titles of groups of columns, which may run over."""
    groups, *cells = rows
    return "\n".join([_group_line(groups, _widths(cells)), *("  " + line for line in columns(cells))])


def markdown(rows: list[list[str]]) -> str:
    """A table of Markdown that can be read in a terminal; the first row is its head."""
    widths = _widths(rows)

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(rows[0]), rule, *(line(row) for row in rows[1:])])


def _widths(rows: list[list[str]]) -> list[int]:
    return [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]


def _group_line(groups: list[str], widths: list[int]) -> str:
    text, column = "", 2
    for group, width in zip(groups, widths):
        if group:
            text = text.ljust(column) + group
        column += width + 2
    return text
