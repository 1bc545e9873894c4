# SPDX-License-Identifier: MIT
"""Rules inside of the policy, as patches that take them out: the policy has no switches. One simulator for
each, built from a copy of the sources."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Iterator, Protocol, Sequence

from lab.endings import Failed
from lab.interruption import Interruption
from lab.progress import Progress
from lab.quantities import BadInput

PATCHES = Path("tests/simulation/ablation/patches")  # NAME.patch: a line with the meaning, then a diff
_ONLY_SIMULATE = (
    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DGOVERNOR_TESTS=OFF",
    "-DGOVERNOR_BENCH=OFF", "-DGOVERNOR_EXAMPLES=OFF",
)  # fmt: skip


_FIRST_S, _EACH_S = 150, 8  # on two CPUs, for the line that says how far it is


class Edit(Protocol):
    """A change of a copy of the sources."""

    @property
    def rule(self) -> str: ...

    def apply(self, sources: Path) -> None: ...


@dataclass(frozen=True)
class Patch:
    """Takes one rule out."""

    rule: str
    meaning: str
    file: Path

    def apply(self, sources: Path) -> None:
        """Failed, naming the rule, where the sources are no longer what it was made for."""
        command = ["git", "apply", "--whitespace=nowarn", str(self.file.resolve())]
        # Otherwise git takes the folder for a part of the checkout around it, and skips what lies outside.
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(sources.resolve().parent)}
        done = subprocess.run(
            command, cwd=sources, env=environment, capture_output=True, text=True, check=False,
            start_new_session=True,  # Ctrl-C is for us
        )  # fmt: skip
        if done.returncode != 0:
            why = done.stderr.strip().removeprefix("error: ").splitlines()
            raise Failed(f"the patch of rule {self.rule} does not apply ({why[0]}); mend {self.file}.")


def known_patches(checkout: Path) -> list[Patch]:
    files = sorted((checkout / PATCHES).glob("*.patch"))
    return [Patch(file.stem, file.read_text().split("\n", 1)[0], file) for file in files]


def copy_sources(checkout: Path, sources: Path) -> None:
    """All that git tracks, as it is now, but for results. A file that is the same keeps its time, so that nothing
    is compiled again for it."""
    done = subprocess.run(
        ["git", "-C", str(checkout), "ls-files", "-z"], capture_output=True, text=True, check=False,
        start_new_session=True,
    )  # fmt: skip
    if done.returncode != 0:
        raise BadInput(f"{checkout} is no checkout of git, which the patches of rules need; --no-patches.")
    names = [name for name in done.stdout.split("\0") if name and not name.startswith("bench/results/")]
    for name in names:
        _copy(checkout / name, sources / name)
    for file in [file for file in sources.rglob("*") if file.is_file()]:
        if not (checkout / file.relative_to(sources)).exists():
            file.unlink()


def _copy(file: Path, copy: Path) -> None:
    if not file.is_file() or (copy.is_file() and copy.read_bytes() == file.read_bytes()):
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copy)
    shutil.copymode(file, copy)


@contextmanager
def built(checkout: Path, edits: Sequence[Edit]) -> Iterator[dict[str | None, Path]]:
    """The simulator with each of these edits, and None: with none. They stay as they are inside of the
    context. BadInput where another run has them; Failed where one cannot be built; Interrupted when asked
    to end."""
    folder = checkout / "build-ablation"
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    with _alone(folder) as lock:
        yield _build(checkout, edits, folder, lock)


def _build(checkout: Path, edits: Sequence[Edit], folder: Path, lock: IO[str]) -> dict[str | None, Path]:
    sources = folder / "sources"
    found = {edit.rule if edit else None: folder / "bin" / _name(edit) for edit in (None, *edits)}
    with (folder / "build.log").open("wb") as log, Interruption() as interruption:
        copy_sources(checkout, sources)
        step = _Steps(_FIRST_S + len(edits) * _EACH_S, interruption, log, lock)
        step.run(_configuration(sources, folder / "build"), "configuring", 0)
        for edit in (None, *edits):
            if edit:
                edit.apply(sources)
            at_once = str(len(os.sched_getaffinity(0)))
            step.run(
                ["cmake", "--build", str(folder / "build"), "--target", "simulate", "-j", at_once],
                f"building for {edit.rule}" if edit else "building as it is",
                _EACH_S if edit else _FIRST_S,
            )
            shutil.copy(folder / "build" / "bin" / "simulate", found[edit.rule if edit else None])
            copy_sources(checkout, sources)
        interruption.check()
    return found


def _name(edit: Edit | None) -> str:
    return f"simulate-{edit.rule}" if edit else "simulate"


def _configuration(sources: Path, build_folder: Path) -> list[str]:
    command = ["cmake", "-S", str(sources), "-B", str(build_folder), *_ONLY_SIMULATE]
    if shutil.which("ninja") and not (build_folder / "CMakeCache.txt").exists():
        command += ["-G", "Ninja"]
    if shutil.which("ccache"):
        command += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
    return command


@contextmanager
def _alone(folder: Path) -> Iterator[IO[str]]:
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadInput(f"another --ablate uses {folder}; start this one when that has ended.") from error
        yield lock


class _Steps:
    """Commands one after the other, with a line that says how far it is. Each holds the lock as well: of a
    build that is ended the compilers may outlive cmake."""

    def __init__(
        self, expected_s: float, interruption: Interruption, log: IO[bytes], lock: IO[str]
    ) -> None:
        self._left_s = expected_s
        self._interruption = interruption
        self._log = log
        self._lock = lock
        self._progress = Progress(sys.stderr)

    def run(self, command: list[str], text: str, expected_s: float) -> None:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
                start_new_session=True, pass_fds=(self._lock.fileno(),),
            )  # fmt: skip
        except OSError as error:
            raise Failed(f"{command[0]} cannot be run: {error.strerror}.") from error
        try:
            while process.poll() is None:
                self._progress.under_way(text, self._left_s)
                self._interruption.wait(1.0)
        finally:
            self._progress.close()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
        if process.returncode != 0:
            raise Failed(f"{text} failed; see {self._log.name}.")
        self._left_s -= expected_s
