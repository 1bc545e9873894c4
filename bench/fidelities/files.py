# SPDX-License-Identifier: MIT
"""Files that a measurement replaces, and not before it has something to write."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, TypeVar

from lab.endings import Failed
from lab.report import write_text

from .cells import read_table, table_text

_T = TypeVar("_T")


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A file beside `path` that takes its place at the end, also after an exception; not if it is empty."""
    part = path.with_name(f"{path.name}.part")
    write_text(part, "")
    try:
        yield part
    finally:
        _settle(part, path)


def _settle(part: Path, path: Path) -> None:
    try:
        if part.stat().st_size > 0:
            part.replace(path)
        else:
            part.unlink()
    except OSError as error:
        raise Failed(f"{path} cannot be written: {error.strerror}.") from error


def replace_rows(path: Path, kind: type[_T], key: str, rows: list[_T]) -> None:
    """Rows of a table; those of others stay, and what its comments say."""
    old, head = [], ""
    if path.exists():
        old = read_table(path, kind)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        head = "".join(line for line in lines if line.startswith("#"))
    keys = {getattr(row, key) for row in rows}
    kept = [row for row in old if getattr(row, key) not in keys]
    with beside(path) as part:
        write_text(part, head + table_text(kind, rows + kept))
