# SPDX-License-Identifier: MIT
"""Makes the programs of a checkout: as they were published, and with the lines of the article."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from lab.endings import Failed
from lab.quantities import BadInput

# The places of set_thread_count() and the timer: in the loop of main, or in front of each region.
LOOP, EACH = LINES = ("loop", "each")
SOURCE = "benchmark-subsetting/NPB3.0-omp-C on GitHub"
_HEADER = "#include <threadcount/article.h>\n#include <threadcount/timing.h>\n"
_MAIN = re.compile(r"^int main\(.*\) \{\n", re.MULTILINE)
_BEGIN = "    init_thread_count();\n    set_thread_count();\n    start_timer();\n"
_ITERATION = "stop_timer(); set_thread_count(); start_timer();"
_REGION = re.compile(r"^[ \t]*#pragma omp parallel", re.MULTILINE)
# The loop over main's iterations. EP has none: one region does everything.
_LOOPS = {
    "cg": r"for \(it = 1; it <= NITER; it\+\+\) \{",
    "ft": r"for \(iter = 1; iter <= niter; iter\+\+\) \{",
    "mg": r"for \( it = 1; it <= nit; it\+\+\) \{",
    "bt": r"for \(step = 1; step <= niter; step\+\+\) \{",
    "lu": r"for \(istep = 1; istep <= itmax; istep\+\+\) \{",
    "ep": None,
}


def check_checkout(folder: Path) -> None:
    """BadInput unless the sources are there."""
    if not (folder / "sys" / "setparams.c").is_file():
        raise BadInput(f"--nas {folder}: no NAS benchmarks there; give a checkout of {SOURCE}.")


def with_lines(name: str, source: str, each: bool) -> str:
    """A program that follows the governor with the article's calls: at the start of main, and in its loop, or with
    `each` in front of each region. A stop of the timer tells that the iteration or region before it has ended.
    Failed where the source is another one than is known."""
    changed, mains = _MAIN.subn(lambda found: found.group() + _BEGIN, source)
    pattern = _LOOPS[name]
    loops = 1
    if pattern is not None:
        added = "" if each else f" {_ITERATION}"
        changed, loops = re.subn(pattern, lambda found: found.group() + added, changed)
    if (mains, loops) != (1, 1):
        raise Failed(f"{name}.c: main or its loop is not where it was; is it {SOURCE}?")
    if each:
        changed = _REGION.sub(lambda found: f"{_ITERATION}\n{found.group()}", changed)
    return _HEADER + changed


def build(
    checkout: Path, folder: Path, loads: list[str], compiler: str, lines: str | None, ours: tuple[Path, Path]
) -> dict[str, Path]:
    """The programs by load, in a copy of the checkout at `folder`, with these lines of LINES or with none; `ours`
    are the folders of the library's headers and of the library. Failed with the end of what the compiler said."""
    names = dict.fromkeys(load.split(".")[0] for load in loads)
    try:
        shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(".git", "*.o", "bin"))
        (folder / "bin").mkdir()
        (folder / "config" / "make.def").write_text(_settings(compiler, lines, ours), encoding="utf-8")
        for name in names if lines else ():
            file = folder / name.upper() / f"{name}.c"
            file.write_text(with_lines(name, file.read_text(encoding="latin-1"), lines == EACH), encoding="latin-1")
    except (OSError, shutil.Error) as error:
        raise Failed(f"--nas {checkout}: cannot be copied and changed: {error}.") from error
    for load in loads:
        _make(folder, load)
    return {load: folder / "bin" / load for load in loads}


def _settings(compiler: str, lines: str | None, ours: tuple[Path, Path]) -> str:
    headers, library = ours
    include = f" -I{headers}" if lines else ""
    link = f" -L{library} -Wl,-rpath,{library} -lthreadcount" if lines else ""
    return (
        f"CC = {compiler} -fopenmp -w\nCLINK = {compiler} -fopenmp\nC_LIB = -lm{link}\n"
        f"C_INC = -I../common{include}\nCFLAGS = -O3\nCLINKFLAGS =\nUCC = cc -O\nBINDIR = ../bin\n"
        "RAND = randdp\nWTIME = wtime.c\n"
    )


def _make(folder: Path, load: str) -> None:
    name, size = load.split(".")
    # Another class leaves objects that are not its own.
    for stale in (folder / name.upper()).glob("*.o"):
        stale.unlink()
    command = ["make", name.upper(), f"CLASS={size}"]
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            start_new_session=True,  # Ctrl-C is for us
        )  # fmt: skip
    except OSError as error:
        raise Failed(f"{command[0]} cannot be run: {error.strerror}.") from error
    if done.returncode != 0 or not (folder / "bin" / load).is_file():
        raise Failed(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}")
