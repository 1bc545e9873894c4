# SPDX-License-Identifier: MIT
"""The files of a result: results.json with every run, results.md with the tables, summary.json with a row
for each figure. The last two are small, for keeping; the first one is what they were computed from."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from .endings import Failed, output_folder

FORMAT = 1
RAW, TABLES, SUMMARY = "results.json", "results.md", "summary.json"
_OF_THE_MACHINE = ("cpu_model", "cpus_allowed", "kernel", "os", "openmp_runtimes", "date", "git_commit")


def command_line(name: str, arguments: list[str]) -> str:
    """The command line of the user; `settings` of a document hold it under this name."""
    return shlex.join([name, *arguments])


def asked_folder(asked: Path | None) -> Path | None:
    """--output of a command that writes no files without it; see output_folder."""
    return None if asked is None else output_folder(asked, "")


def fenced(name: str, text: str) -> str:
    """A page of Markdown with a report that was made for a terminal."""
    return f"# {name}\n\n```\n{text}```\n"


def write_files(folder: Path, document: dict[str, Any], tables: str, rows: list[dict[str, Any]]) -> list[str]:
    """The names of the three files, which are in the folder then. Failed when one cannot be written.
    `document` has `machine` and `settings`; `rows` have the same keys each."""
    text = summary_text(document["settings"]["command_line"], document["machine"], rows)
    texts = {RAW: json.dumps(document, indent=1) + "\n", TABLES: tables, SUMMARY: text}
    for name, content in texts.items():
        write_text(folder / name, content)
    return list(texts)


def write_text(path: Path, text: str) -> None:
    """Failed when it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failed(f"{path} cannot be written: {error.strerror}.") from error


def summary_text(command: str, machine: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """JSON: a line for each row, and the names of their columns once."""
    head = {"format": FORMAT, "command": command}
    head["machine"] = {name: machine.get(name) for name in _OF_THE_MACHINE}
    head["columns"] = list(rows[0]) if rows else []
    lines = [f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items()]
    values = ",\n".join("  " + json.dumps(list(row.values())) for row in rows)
    return "{\n" + "".join(lines) + f' "rows": [\n{values}\n ]\n}}\n'
