# SPDX-License-Identifier: MIT
"""A private governord that lives for one run."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Callable

from .interruption import Interruption
from .programs import Launch, Process
from .quantities import duration_text
from .side_by_side import Outcome, Pace, run_side_by_side

_READY_WITHIN_S = 5.0
_END_WITHIN_S = 2.0
_RATIO_WINDOW_S = 1.0
_WARM_UP_MARGIN_S = 0.2


FAIR_POLICY = "policy = fair\n"


def threshold_policy(percent: int) -> str:
    """The article's rule, as lines of the governor's file."""
    return f"policy = threshold\nthreshold = {percent}%\n"


def configuration(policy: str, period_s: float) -> str:
    """The governor's file."""
    return f"[governor]\n{policy}period = {duration_text(period_s)}\n"


def warm_up_s(period_s: float) -> float:
    """The time for which a new governor measures before its answers count, with a margin."""
    return max(period_s, _RATIO_WINDOW_S) + _WARM_UP_MARGIN_S


def socket_path(folder: Path) -> Path:
    """The socket of a governor that lives in `folder`."""
    return folder / "governord.sock"


class Governor:
    """Use as a context: inside it the governor answers and has measured at least one period, after
    it the process is gone. ProcessFailed when it does not start or has died."""

    def __init__(
        self,
        program: Path,
        folder: Path,
        policy: str,
        period_s: float,
        interruption: Interruption,
        root: Path | None = None,
    ) -> None:
        """`root`: of a recorded or made-up machine, in place of this one."""
        self._socket = socket_path(folder)
        config = folder / "governord.conf"
        config.write_text(configuration(policy, period_s), encoding="utf-8")
        command = (str(program), "--socket", str(self._socket), "--config", str(config))
        command += ("--root", str(root)) if root is not None else ()
        self._launch = Launch("governord", command, {})
        self._folder = folder
        self._period_s = period_s
        self._interruption = interruption
        self._process: Process | None = None

    def __enter__(self) -> "Governor":
        self._process = Process(self._launch, self._folder)
        try:
            self._await_socket()
            self._warm_up()
        except BaseException:
            self._process.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        deadline = time.monotonic() + _END_WITHIN_S
        self._process.terminate()
        while not self._process.ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        self._process.kill()

    @property
    def pid(self) -> int:
        """The number of the process; only inside the context."""
        return self._process.pid

    def kill(self) -> None:
        """Without a word to anybody; harmless when it has ended."""
        self._process.kill()

    def run(self, launches: list[Launch], pace: Pace, look: Callable[[], None]) -> Outcome:
        """Starts the governor, runs the programs beside it, and ends it; see run_side_by_side. ProcessFailed
        when the governor dies before the programs have ended."""
        with self:

            def look_at_both() -> None:
                self.check()
                look()

            return run_side_by_side(launches, pace, self._folder, self._interruption, look_at_both)

    def check(self) -> None:
        """ProcessFailed when the governor has died."""
        if self._process.ended():
            raise self._process.failure("ended in the middle of a run")

    def _await_socket(self) -> None:
        deadline = time.monotonic() + _READY_WITHIN_S
        while not self._answers():
            if self._process.ended():
                raise self._process.failure("ended before it was ready")
            if time.monotonic() > deadline:
                self._process.kill()
                raise self._process.failure(f"did not listen within {_READY_WITHIN_S:g} s")
            self._interruption.wait(0.02)

    def _warm_up(self) -> None:
        ready = time.monotonic() + warm_up_s(self._period_s)
        while time.monotonic() < ready:
            self.check()
            self._interruption.wait(ready - time.monotonic())

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(self._socket))
            except OSError:
                return False
        return True
