# SPDX-License-Identifier: MIT
"""Waiting that ends early for a child's end or a signal; the only place that sleeps."""

from __future__ import annotations

import os
import select
import signal

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """The user asked us to end."""


class Interruption:
    """Signal handlers that only take note, so that no process is lost between its start and the note
    of it. Use as a context in the main thread; afterwards the former handlers are back."""

    def __init__(self) -> None:
        self._asked = False
        self._reader, self._writer = os.pipe()
        for descriptor in (self._reader, self._writer):
            os.set_blocking(descriptor, False)
        self._former: dict[int, object] = {}
        self._former_wakeup = -1

    def __enter__(self) -> "Interruption":
        self._former_wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in _ENDING:
            self._former[number] = signal.signal(number, self._take_note)
        self._former[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._former_wakeup)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, timeout_s: float) -> None:
        """Returns after timeout_s, or earlier when a child ended; Interrupted when asked to end."""
        self.check()
        if select.select([self._reader], [], [], max(0.0, timeout_s))[0]:
            os.read(self._reader, 4096)
        self.check()

    def check(self) -> None:
        if self._asked:
            raise Interrupted()

    def _take_note(self, *_: object) -> None:
        self._asked = True
