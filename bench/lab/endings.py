# SPDX-License-Identifier: MIT
"""The end of a command: its exit status, one sentence on stderr, and results that can be written."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Callable

from .interruption import Interrupted
from .quantities import BadInput

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


class Failed(Exception):
    """It could not be done, and not for what was asked; the message is one complete sentence."""


def exit_status(name: str, body: Callable[[], int]) -> int:
    """The exit status that `body` returns, or that its exception comes to; `name` is the command's."""
    try:
        return body()
    except BadInput as error:
        complain(name, str(error))
        return EXIT_USAGE
    except Failed as error:
        complain(name, str(error))
        return EXIT_FAILED
    except (Interrupted, KeyboardInterrupt):
        complain(name, "ended by a signal.")
        return EXIT_INTERRUPTED


def complain(name: str, text: str) -> None:
    sys.stderr.write(f"{name}: {text}\n")


def print_result(name: str, text: str) -> bool:
    """False, after a complaint, when stdout does not take it: a full disk, or a reader that has gone.
    Output after that is lost without a word, so that files can still be written."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
        return True
    except OSError as error:
        complain(name, f"the result cannot be printed: {error.strerror}.")
        nothing = os.open(os.devnull, os.O_WRONLY)  # what is left in the buffer goes there
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
        return False


def output_folder(asked: Path | None, prefix: str) -> Path:
    """--output, made where it is missing, or a new temporary folder. BadInput unless files can be
    made in it: ask before a long measurement."""
    try:
        if asked is None:
            return Path(tempfile.mkdtemp(prefix=prefix))
        asked.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=asked):
            return asked
    except OSError as error:
        option = "a temporary folder" if asked is None else f"--output {asked}"
        raise BadInput(f"{option}: {error.strerror}.") from error
