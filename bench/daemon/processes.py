# SPDX-License-Identifier: MIT
"""The C++ processes of bench/daemon/clients, started and waited for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from lab.interruption import Interruption
from lab.programs import Launch, Process, ProcessFailed

_PROBE_WITHIN_S = 10.0
_LISTENS_WITHIN_S = 5.0
_ENDS_WITHIN_S = 30.0


class Client:
    """A process that says where it is by lines on stdout and ends with a line of JSON. Use as a
    context: after it the process is gone."""

    def __init__(
        self, name: str, command: tuple[str, ...], folder: Path, interruption: Interruption
    ) -> None:
        self._process = Process(Launch(name, command, {}), folder)
        self._interruption = interruption

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def cpu_s(self) -> float:
        """In its whole life; after report() only."""
        return self._process.cpu_s

    def signal(self, number: int) -> None:
        self._process.signal(number)

    def lines(self) -> list[str]:
        """Its lines so far."""
        return self._process.output().split("\n")

    def has_ended(self) -> bool:
        """Takes note of its end without waiting."""
        return self._process.ended()

    def check(self) -> None:
        """ProcessFailed when it has ended."""
        if self._process.ended():
            raise self._process.failure("ended early")

    def await_line(self, line: str, within_s: float) -> bool:
        """True if it said so; False when it ended with a report before. ProcessFailed when it failed or does
        not say so in time."""
        deadline = time.monotonic() + within_s
        while line not in self.lines():
            if self._process.ended():
                self._process.report()
                return line in self.lines()
            if time.monotonic() > deadline:
                raise self._process.failure(f"did not say {line!r} within {within_s:g} s")
            self._interruption.wait(0.02)
        return True

    def report(self, within_s: float = _ENDS_WITHIN_S) -> dict[str, Any]:
        """Waits for its end and returns its line of JSON; ProcessFailed when there is none."""
        deadline = time.monotonic() + within_s
        while not self._process.ended():
            if time.monotonic() > deadline:
                raise self._process.failure(f"did not end within {within_s:g} s")
            self._interruption.wait(0.02)
        return self._process.report()


def probe(program: Path, governor: Path, folder: Path, interruption: Interruption) -> dict[str, int]:
    """request_bytes and reply_bytes of a question to the governor, with their lengths in front."""
    command = (str(program), "--governor", str(governor), "--probe")
    with Client("probe", command, folder, interruption) as client:
        return client.report(_PROBE_WITHIN_S)


def start_echo(
    program: Path, socket: Path, sizes: dict[str, int], folder: Path, interruption: Interruption
) -> Client:
    """The echo server, when it listens; ProcessFailed when it does not."""
    command = (str(program), "--socket", str(socket))
    command += ("--request-bytes", str(sizes["request_bytes"]))
    command += ("--reply-bytes", str(sizes["reply_bytes"]))
    client = Client("echo", command, folder, interruption)
    deadline = time.monotonic() + _LISTENS_WITHIN_S
    try:
        while not socket.is_socket():
            client.check()
            if time.monotonic() > deadline:
                raise ProcessFailed(f"{program} does not listen at {socket}.")
            interruption.wait(0.02)
    except BaseException:
        client.signal(9)
        raise
    return client
