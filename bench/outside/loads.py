# SPDX-License-Identifier: MIT
"""Programs that know nothing of us: what each needs, how it is built, and its command line. Pure, but for
what looks for tools."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

_SOURCES = Path(__file__).parent / "programs"
_FRAMES = "testsrc2=size=1280x720:rate=30"
# A file of one block as often as there are units: each costs the same.
_XZ = "yes FOLDER/data | head -n UNITS | xargs cat | xz -T0 -6 --block-size=1MiB -c | cksum"

# A failed build has no checksum.
_BUILD = 'text=$(make -s -f "SOURCES/build.mk" -j CPUS PARTS=UNITS CXX=g++) && echo "$text" | cksum'


@dataclass(frozen=True)
class Load:
    """`command` does UNITS of work, of which trial_units are enough to be measured; `build` are command
    lines that leave in FOLDER what it needs."""

    name: str
    needs: tuple[str, ...]
    trial_units: int
    command: tuple[str, ...]
    build: tuple[tuple[str, ...], ...] = ()
    module: str | None = None  # of Python, which it needs as well

    def command_line(self, folder: Path, units: int) -> tuple[str, ...]:
        return _filled(self.command, folder, units)

    def build_lines(self, folder: Path) -> list[tuple[str, ...]]:
        return [_filled(line, folder, 0) for line in self.build]

    def lacks(self) -> str | None:
        """The first tool that is missing here."""
        if self.module is not None and importlib.util.find_spec(self.module) is None:
            return self.module
        return next((tool for tool in self.needs if shutil.which(tool) is None), None)


def _filled(line: tuple[str, ...], folder: Path, units: int) -> tuple[str, ...]:
    texts = {
        "FOLDER": str(folder), "UNITS": str(units), "SOURCES": str(_SOURCES),
        "CPUS": str(len(os.sched_getaffinity(0))),
    }  # fmt: skip
    filled = []
    for word in line:
        for name, text in texts.items():
            word = word.replace(name, text)
        filled.append(word)
    return tuple(filled)


_ALIGN = "i=0; while [ $i -lt UNITS ]; do clustalo -i FOLDER/proteins --threads=CPUS; i=$((i+1)); done | cksum"
_GCC = (("gcc", "-O2", "-fopenmp", "-o", "FOLDER/count_gcc", "SOURCES/count.c"),)
# On two CPUs, so that a region of 2 ms of CPU time takes 1 ms.
_STEPS = {"50us": 300, "1ms": 6_000, "20ms": 120_000, "5s": 30_000_000}

# Teams of libgomp spin for each other at the end of each region.
SPINNING = {
    load.name: load
    for load in (
        *(
            Load(f"gcc-{length}", ("gcc",), max(1, 6_000_000 // steps), ("FOLDER/count_gcc", "UNITS", str(steps)), _GCC)
            for length, steps in _STEPS.items()
        ),
        Load("sklearn", ("python3",), 4, ("python3", "SOURCES/fit.py", "UNITS"), module="sklearn"),
        Load(
            "clustalo", ("clustalo",), 4, ("sh", "-c", _ALIGN),
            (("sh", "-c", "python3 SOURCES/sequences.py > FOLDER/proteins"),),
        ),
    )
}  # fmt: skip
LOADS = {
    load.name: load
    for load in (
        Load(
            "go", ("go",), 4000, ("FOLDER/count_go", "UNITS"),
            (("env", "CGO_ENABLED=0", "GOCACHE=FOLDER/go", "GO111MODULE=off", "go", "build", "-o",
              "FOLDER/count_go", "SOURCES/count.go"),),
        ),
        Load(
            "java", ("java", "javac"), 200, ("java", "-cp", "FOLDER", "Count", "UNITS"),
            (("javac", "-d", "FOLDER", "SOURCES/Count.java"),),
        ),
        Load(
            "xz", ("xz",), 2, ("sh", "-c", _XZ),
            (("sh", "-c", "head -c 786432 /dev/urandom | base64 -w 0 > FOLDER/data"),),
        ),
        Load(
            "ffmpeg", ("ffmpeg",), 60,
            ("ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", _FRAMES, "-frames:v", "UNITS",
             "-c:v", "libx264", "-f", "md5", "-"),
        ),
        Load(
            "clang", ("clang",), 300, ("FOLDER/count_omp", "UNITS"),
            (("clang", "-O2", "-fopenmp", "-o", "FOLDER/count_omp", "SOURCES/count.c"),),
        ),
        Load("python", ("python3",), 60, ("python3", "SOURCES/count.py", "UNITS")),
        Load("make", ("make", "g++"), 4, ("sh", "-c", _BUILD)),
    )
} | SPINNING  # fmt: skip
