# SPDX-License-Identifier: MIT
"""Many runs of the simulator, as many at once as there are CPUs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, Any

from lab.endings import Failed
from lab.interruption import Interruption
from lab.progress import Progress
from lab.quantities import BadInput

_OK, _FAILED, _USAGE = 0, 1, 2  # failed: something does not hold, where that is checked


@dataclass
class _Running:
    index: int
    process: subprocess.Popen
    output: IO[bytes]
    errors: IO[bytes]


def run_all(commands: list[list[str]], names: list[str]) -> list[dict[str, Any]]:
    """The output of each command, in their order; `names` are for the line that says how far it is.
    BadInput and Failed as of run.simulate. Interrupted, with no process left, when asked to end."""
    found: list[dict[str, Any] | None] = [None] * len(commands)
    at_once = len(os.sched_getaffinity(0))
    progress = Progress(sys.stderr)
    began = time.monotonic()
    running: list[_Running] = []
    waiting = list(range(len(commands)))
    with Interruption() as interruption:
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    running.append(_start(waiting.pop(0), commands))
                interruption.wait(1.0)
                for one in [one for one in running if one.process.poll() is not None]:
                    running.remove(one)
                    found[one.index] = _result(one, commands[one.index])
                _tell(progress, commands, names, waiting, running, began)
        finally:
            for one in running:
                one.process.kill()
                one.process.wait()
            progress.close()
    return [record for record in found if record is not None]


def _start(index: int, commands: list[list[str]]) -> _Running:
    output, errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    try:
        process = subprocess.Popen(
            commands[index], stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            start_new_session=True,  # Ctrl-C is for us
        )  # fmt: skip
    except OSError as error:
        raise BadInput(
            f"--bin: {commands[index][0]}: {error.strerror}; build first, or name the folder that"
            " holds simulate."
        ) from error
    return _Running(index, process, output, errors)


def _result(one: _Running, command: list[str]) -> dict[str, Any]:
    texts = []
    for file in (one.output, one.errors):
        file.seek(0)
        texts.append(file.read().decode())
        file.close()
    words = texts[1].strip().removeprefix("simulate: ")
    if one.process.returncode == _USAGE:
        raise BadInput(words)
    if one.process.returncode not in (_OK, _FAILED):
        raise Failed(f"{' '.join(command)} ended with {one.process.returncode}: {words}")
    return json.loads(texts[0])


def _tell(
    progress: Progress, commands: list[list[str]], names: list[str], waiting: list[int],
    running: list[_Running], began: float,
) -> None:  # fmt: skip
    done = len(commands) - len(waiting) - len(running)
    if done == 0 or not running:
        return
    left_s = (time.monotonic() - began) / done * (len(commands) - done)
    progress.under_way(f"{done} of {len(commands)} runs, {names[running[0].index]}", left_s)
