# SPDX-License-Identifier: MIT
"""Makes the programs of all peers that can be found."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from lab.endings import Failed

_NOT_FOUND = re.compile(r"^-- peer (\w+): left out, (.*)$", re.MULTILINE)


def build_programs(
    sources: Path, build: Path, folders: dict[str, Path], log: Path
) -> dict[str, str]:
    """The pools that are left out, and why. `sources` is the folder of the CMake project, `folders`
    those of peers. Failed where nothing can be built."""
    build.mkdir(parents=True, exist_ok=True)
    command = ["cmake", "-S", str(sources), "-B", str(build)]
    if not (build / "CMakeCache.txt").exists():
        command += ["-G", "Ninja"] if _has("ninja") else []
    command += [f"-DPEER_{name.upper()}={folder}" for name, folder in folders.items()]
    found = _run(command, log)
    left_out = dict(_NOT_FOUND.findall(found))
    jobs = str(len(os.sched_getaffinity(0)))
    # One peer that does not compile does not take the others with it.
    for program in sorted(set(re.findall(r"^-- peer (\w+): found$", found, re.MULTILINE))):
        done = _run(["cmake", "--build", str(build), "--target", f"peer_{program}", "-j", jobs], log, False)
        if done is None:
            left_out[program] = f"it does not build, see {log}"
    _run(["cmake", "--build", str(build), "--target", "allocations"], log)
    return left_out


def _has(program: str) -> bool:
    return any(os.access(Path(folder) / program, os.X_OK) for folder in os.get_exec_path())


def _run(command: list[str], log: Path, must: bool = True) -> str | None:
    """Its output, which is appended to `log`, too. Without `must` None when it failed."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except OSError as error:
        raise Failed(f"{command[0]} cannot be run: {error.strerror}.") from error
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(command)}\n{done.stdout}")
    if done.returncode == 0:
        return done.stdout
    if must:
        raise Failed(f"{' '.join(command)} failed; see {log}.")
    return None
