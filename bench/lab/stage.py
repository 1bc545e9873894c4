# SPDX-License-Identifier: MIT
"""The parts that measuring commands share: a folder that other users can enter, signals, programs that are there."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from .endings import exit_status
from .interruption import Interruption
from .progress import Progress
from .quantities import BadInput


@dataclass(frozen=True)
class Stage:
    """The place of a measurement; the folder is removed at the end."""

    folder: Path
    interruption: Interruption
    progress: Progress


def run_command(name: str, body: Callable[[Callable[[], Stage]], int]) -> int:
    """The exit status. `body` asks for its stage when the settings are in order; whatever it raises,
    the folder is gone afterwards."""
    folder: Path | None = None
    progress = Progress(sys.stderr)

    def interruptible() -> int:
        with Interruption() as interruption:

            def stage() -> Stage:
                nonlocal folder
                folder = Path(tempfile.mkdtemp(prefix="governor-run-"))
                folder.chmod(0o755)
                return Stage(folder, interruption, progress)

            return body(stage)

    try:
        return exit_status(name, interruptible)
    finally:
        progress.close()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def is_root() -> bool:
    return os.geteuid() == 0


def check_files(folder: Path, names: list[str]) -> None:
    """BadInput when one of the programs is not there."""
    missing = [str(folder / name) for name in names if not (folder / name).is_file()]
    if missing:
        raise BadInput(
            f"--bin {folder}: {', '.join(missing)} missing; build first, or name the folder that"
            " holds governord, governorctl, bench/ and examples/."
        )


def check_doors(folder: Path) -> None:
    """BadInput when `governorctl run` of `folder` has no object to preload: then --keep and --adapt leave
    programs as they are, without a word under -q."""
    doors = folder.parent / "lib" / "threadcount" / "doors"
    for name, option in (("keep.so", "--keep"), ("adopt.so", "--adapt")):
        if not any(doors.rglob(name)):
            raise BadInput(
                f"--bin {folder}: no {name} below {doors}, which `run {option}` preloads; name the bin folder of a"
                " whole build or installation."
            )
