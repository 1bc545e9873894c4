# SPDX-License-Identifier: MIT
"""The crowd: gathered, asking, gone; and what it cost the governor."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.endings import EXIT_FAILED, EXIT_OK, complain, print_result
from lab.governor import Governor, socket_path, threshold_policy
from lab.machine import describe_machine
from lab.programs import ProcessFailed
from lab.report import asked_folder, command_line, fenced, write_files
from lab.stage import Stage, check_files, is_root, run_command

from .accounts import raise_descriptor_limit
from .counters import Counters, read_counters, samples_between
from .crowd_report import crowd_text, losses, servers_of, summary_rows
from .crowd_settings import CrowdSettings, read_crowd_settings
from .figures import Figures, figures_of
from .processes import Client, probe, start_echo

NAME = "bench/crowd"
FORMAT = 1
_PATIENCE_S = 60.0
_GONE_WITHIN_S = 60.0


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage) -> int:
        limit = raise_descriptor_limit()
        settings = read_crowd_settings(arguments, checkout / "build" / "bin", limit, is_root())
        check_files(settings.programs, ["governord", "governorctl", "bench/crowd", "bench/echo"])
        output = asked_folder(settings.output)
        machine = describe_machine(checkout, [])
        described = settings.described() | {"command_line": command_line(NAME, arguments)}
        document = {"format": FORMAT, "machine": machine, "settings": described}
        document |= measure(settings, stage())
        document["notes"] = list(settings.notes)
        text = crowd_text(document)
        printed = print_result(NAME, text)
        if output is not None:
            write_files(output, document, fenced(NAME, text), summary_rows(document))
        for loss in document["errors"]:
            complain(NAME, loss)
        return EXIT_OK if printed and not document["errors"] else EXIT_FAILED

    return run_command(NAME, body)


def measure(settings: CrowdSettings, stage: Stage) -> dict[str, Any]:
    """Everything that is found out, as plain data."""
    with ExitStack() as stack:
        governor = stack.enter_context(
            Governor(
                settings.programs / "governord", stage.folder,
                threshold_policy(settings.threshold_percent),
                settings.period_s, stage.interruption,
            )
        )  # fmt: skip
        tools = settings.programs / "bench"
        sizes = probe(tools / "crowd", socket_path(stage.folder), stage.folder, stage.interruption)
        echo_socket = stage.folder / "echo.sock"
        echo = stack.enter_context(
            start_echo(tools / "echo", echo_socket, sizes, stage.folder, stage.interruption)
        )
        return _Run(settings, stage, governor, echo, sizes).measured(stack)


class _Run:
    """One measurement with both servers running."""

    def __init__(
        self, settings: CrowdSettings, stage: Stage, governor: Governor, echo: Client, sizes: dict
    ) -> None:
        self._settings = settings
        self._stage = stage
        self._governor = governor
        self._echo = echo
        self._sizes = sizes
        self._counted: list[Counters] = []
        self._looks: dict[str, dict[str, Figures]] = {"governor": {}, "echo": {}}

    def measured(self, stack: ExitStack) -> dict[str, Any]:
        self._look("before")
        began_s = time.monotonic()
        clients = [stack.enter_context(client) for client in self._start()]
        expected_s = 2 * self._settings.connections / self._settings.rate
        gathered = [client.await_line("held", expected_s + _PATIENCE_S) for client in clients]
        gathered_s = time.monotonic() - began_s
        if all(gathered):
            self._say(f"{self._settings.connections} connections to each server, {gathered_s:.1f} s")
            self._ask(clients)
        else:
            for client in clients:
                client.signal(signal.SIGUSR2)
        reports = [client.report() for client in clients]
        empty_s = self._await_empty()
        self._counted.append(self._counters())
        self._look("after")
        errors = losses(reports, self._settings)
        return {
            "message_bytes": self._sizes,
            "gathered_s": round(gathered_s, 2),
            "empty_s": round(empty_s, 3),
            "servers": servers_of(reports),
            "samples": self._samples(),
            "processes": {
                name: {moment: asdict(figures) for moment, figures in looks.items()}
                for name, looks in self._looks.items()
            },
            "errors": errors,
        }

    def _start(self) -> list[Client]:
        crowds = self._settings.crowds()
        clients = []
        for index, crowd in enumerate(crowds):
            numbers = {
                "--echo-bytes": self._sizes["reply_bytes"],
                "--connections": crowd.connections,
                "--askers": crowd.askers,
                "--seconds": self._settings.seconds,
                "--rate": max(1, self._settings.rate // len(crowds)),
                "--first": index,
                "--crowds": len(crowds),
            }
            if crowd.user is not None:
                numbers["--user"] = crowd.user
            command = [str(self._settings.programs / "bench" / "crowd")]
            command += ["--governor", str(socket_path(self._stage.folder))]
            command += ["--echo", str(self._stage.folder / "echo.sock")]
            command += [text for name, number in numbers.items() for text in (name, str(number))]
            clients.append(
                Client(f"crowd{index}", tuple(command), self._stage.folder, self._stage.interruption)
            )
        return clients

    def _samples(self) -> dict[str, Any] | None:
        """The samples while all asked, and while all left; None when they were never all there."""
        if len(self._counted) < 3:
            return None
        before, asked, after = self._counted
        return {
            "asking": asdict(samples_between(before, asked)),
            "leaving": asdict(samples_between(asked, after)),
        }

    def _ask(self, clients: list[Client]) -> None:
        """The minute itself, with a look at all counters before and after it."""
        self._look("gathered")
        self._counted.append(self._counters())
        for client in clients:
            client.signal(signal.SIGUSR1)
        until_s = time.monotonic() + self._settings.seconds + 1
        while time.monotonic() < until_s:
            self._governor.check()
            left_s = until_s - time.monotonic()
            self._stage.progress.under_way(f"{self._settings.askers} ask every second", left_s)
            self._stage.interruption.wait(min(0.5, max(0.0, left_s)))
        for client in clients:
            client.await_line("asked", _PATIENCE_S)
        self._counted.append(self._counters())
        self._look("asked")
        self._say(f"asked for {self._settings.seconds} s")
        for client in clients:
            client.signal(signal.SIGUSR1)

    def _await_empty(self) -> float:
        """The time until the governor answered and had nobody left, in seconds. All leave at once, so it may
        be too busy to answer for a while."""
        began_s = time.monotonic()
        while True:
            try:
                if self._counters().clients == 0:
                    return time.monotonic() - began_s
            except ProcessFailed:
                self._governor.check()
                if time.monotonic() - began_s > _GONE_WITHIN_S:
                    raise
            if time.monotonic() - began_s > _GONE_WITHIN_S:
                raise ProcessFailed(
                    f"the governor still has clients {_GONE_WITHIN_S:g} s after all have gone."
                )
            self._stage.interruption.wait(0.01)

    def _counters(self) -> Counters:
        self._governor.check()
        governorctl = self._settings.programs / "governorctl"
        return read_counters(governorctl, socket_path(self._stage.folder))

    def _look(self, moment: str) -> None:
        self._looks["governor"][moment] = figures_of(self._governor.pid)
        self._looks["echo"][moment] = figures_of(self._echo.pid)

    def _say(self, text: str) -> None:
        self._stage.progress.done(text)
