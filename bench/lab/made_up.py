# SPDX-License-Identifier: MIT
"""A machine that is not there, below a folder, for governord --root."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """In memory, where that can be: a file system on a disk writes down when its files were read,
    which /proc does not."""
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="governor-root-", dir=where) as folder:
        yield Path(folder)


class MadeUpMachine:
    """All of its CPUs have been idle since boot. It has the processes that it was told of."""

    def __init__(self, root: Path, cpus: int) -> None:
        self.root = root
        self.cpus = cpus
        lines = [f"cpu{cpu} 0 0 0 100 0 0 0 0 0 0\n" for cpu in range(cpus)]
        (root / "proc").mkdir(parents=True)
        (root / "proc" / "stat").write_text("cpu  0 0 0 100 0 0 0 0 0 0\n" + "".join(lines) + "intr 1\n")

    def add_process(self, pid: int) -> None:
        """One that may use all CPUs."""
        thread = self.root / "proc" / str(pid) / "task" / str(pid)
        thread.mkdir(parents=True)
        (thread / "status").write_text(f"Name:\tprogram\nCpus_allowed_list:\t0-{self.cpus - 1}\n")
