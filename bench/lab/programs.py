# SPDX-License-Identifier: MIT
"""Processes that cannot outlive the runner: own session, killed as a group, and by the kernel when
the runner dies without a word."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .endings import Failed

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_FOREIGN_SETTINGS = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "THREADCOUNT")
_SHOWN_STDERR = 4000


class ProcessFailed(Failed):
    """A process ended as it should not; the message carries the end of its stderr."""


@dataclass(frozen=True)
class Launch:
    """One process to be. `settings` are added to an environment that is free of OpenMP and thread count
    variables. `cpus` pins it, None leaves the runner's own affinity. stop_s: from when to when, in
    seconds after its start, it is stopped (SIGSTOP, SIGCONT)."""

    name: str
    command: tuple[str, ...]
    settings: dict[str, str]
    cpus: tuple[int, ...] | None = None
    stop_s: tuple[float, float] | None = None


class Process:
    """A started process. Times are seconds of CLOCK_MONOTONIC; finished_s is None while it runs."""

    def __init__(self, launch: Launch, folder: Path) -> None:
        """Starts it; its output goes to files in `folder`, so that no pipe can fill up."""
        self.launch = launch
        self.finished_s: float | None = None
        self.cpu_s = 0.0
        self.killed = False
        self.signals_due = _signals_due(launch)
        self._stdout = folder / f"{launch.name}.stdout"
        self._stderr = folder / f"{launch.name}.stderr"
        with open(self._stdout, "wb") as out, open(self._stderr, "wb") as err:
            self.started_s = time.monotonic()
            self._popen = _start(launch, out, err)

    @property
    def pid(self) -> int:
        return self._popen.pid

    def ended(self) -> bool:
        """Takes note of its end without waiting."""
        return self._reap(os.WNOHANG)

    def kill(self) -> None:
        """Ends its whole group and all that descends from it at once, and waits for it; harmless when it
        has ended."""
        if self.finished_s is None:
            self.killed = True
            below = _descendants(self.pid)
            os.killpg(self.pid, signal.SIGKILL)
            for pid in below:  # some have made sessions of their own
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._reap(0)

    def terminate(self) -> None:
        """Asks it to end, without waiting."""
        self.signal(signal.SIGTERM)

    def signal(self, number: int) -> None:
        """Sends it a signal, without waiting; harmless when it has ended."""
        if self.finished_s is None:
            os.kill(self.pid, number)

    def send_due_signals(self) -> None:
        """Stops it, or lets it go on, when the time has come."""
        while self.signals_due and time.monotonic() >= self.started_s + self.signals_due[0][0]:
            self.signal(self.signals_due.pop(0)[1])

    def output(self) -> str:
        """Its output on stdout so far."""
        return self._stdout.read_text(encoding="utf-8", errors="replace")

    def failure(self, what: str) -> ProcessFailed:
        """The error that tells what happened, how it ended and what it said."""
        said = self._stderr.read_text(encoding="utf-8", errors="replace")[-_SHOWN_STDERR:].strip()
        told = f"its stderr:\n{said}" if said else "it wrote nothing to stderr."
        command = " ".join(self.launch.command)
        return ProcessFailed(f"{self.launch.name} {what} ({command}); {told}")

    def report(self) -> dict[str, Any]:
        """The JSON object in the last line of its output; ProcessFailed when it ended otherwise."""
        status = self._popen.returncode
        if status != 0:
            how = f"was killed by {_signal_name(-status)}" if status < 0 else f"exited with {status}"
            raise self.failure(how)
        lines = self.output().split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        try:
            report = json.loads(last)
        except ValueError:
            report = None
        if not isinstance(report, dict):
            raise self.failure(f"ended without a JSON line, its last line was {last[:200]!r}")
        return report

    def _reap(self, options: int) -> bool:
        if self.finished_s is None:
            pid, status, usage = os.wait4(self.pid, options)
            if pid != 0:
                self.finished_s = time.monotonic()
                self.cpu_s = usage.ru_utime + usage.ru_stime
                self._popen.returncode = os.waitstatus_to_exitcode(status)
        return self.finished_s is not None


def _descendants(pid: int) -> list[int]:
    """All that a process has started, and what these have, as far as they have a parent in the tree."""
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                found += [child, *_descendants(child)]
    return found


def _signals_due(launch: Launch) -> list[tuple[float, int]]:
    """Seconds after the start, and which signal."""
    return list(zip(launch.stop_s or (), (signal.SIGSTOP, signal.SIGCONT)))


def _start(launch: Launch, out: Any, err: Any) -> subprocess.Popen:
    runner = os.getpid()

    def before_exec() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != runner:
            os._exit(127)
        if launch.cpus is not None:
            os.sched_setaffinity(0, launch.cpus)

    try:
        return subprocess.Popen(
            launch.command,
            env=clean_environment(dict(os.environ), launch.settings),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=before_exec,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ProcessFailed(f"{launch.command[0]} cannot be started: {error}.") from error


def example(programs: Path, load: str, runtime: str) -> Path:
    """One of the article's loads in the folder of what was built, for the OpenMP of gcc or clang."""
    return programs / "examples" / (f"{load}-omp" if runtime == "clang" else load)


def clean_environment(inherited: dict[str, str], settings: dict[str, str]) -> dict[str, str]:
    """`inherited` without variables that change how many threads there are or how they wait, plus
    `settings`."""
    kept = {name: text for name, text in inherited.items() if not name.startswith(_FOREIGN_SETTINGS)}
    return {**kept, **settings}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
