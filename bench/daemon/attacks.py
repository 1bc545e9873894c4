# SPDX-License-Identifier: MIT
"""One attack after the other, on a governor and on an echo server in turns, and what a bystander saw."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.endings import EXIT_FAILED, EXIT_OK, print_result
from lab.governor import FAIR_POLICY, configuration, socket_path
from lab.machine import describe_machine
from lab.programs import ProcessFailed
from lab.ranges import Range
from lab.report import asked_folder, command_line, fenced, write_files
from lab.stage import Stage, check_files, is_root, run_command

from .accounts import raise_descriptor_limit
from .attacks_report import (
    SERVERS,
    Times,
    Window,
    as_json,
    attacks_text,
    rows_of,
    times_of,
    unanswered,
)
from .attacks_settings import (
    ATTACKER,
    BYSTANDER,
    DAEMON,
    NEWCOMER,
    SQUATTERS,
    Attack,
    AttacksSettings,
    read_attacks_settings,
)
from .figures import cpu_time_of
from .processes import Client, probe, start_echo

NAME = "bench/attacks"
FORMAT = 1
_LISTENS_WITHIN_S = 5.0
_LET_IN_WITHIN_S = 10.0
_PREPARED_WITHIN_S = 60.0
_ENDS_WITHIN_S = 2.0
_ORDERED_WITHIN_S = 10.0
_CTL_WITHIN_S = 5.0


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage) -> int:
        limit = raise_descriptor_limit()
        settings = read_attacks_settings(arguments, checkout / "build" / "bin", limit, is_root())
        tools = ["attack", "bystander", "crowd", "echo"]
        check_files(
            settings.programs, ["governord", "governorctl", "old_kernel", *(f"bench/{t}" for t in tools)]
        )
        output = asked_folder(settings.output)
        machine = describe_machine(checkout, [])
        described = settings.described() | {"command_line": command_line(NAME, arguments)}
        document = {"format": FORMAT, "machine": machine, "settings": described}
        document |= _Measurement(settings, stage()).everything()
        text = attacks_text(document)
        printed = print_result(NAME, text)
        if output is not None:
            write_files(output, document, fenced(NAME, text), _summary(document))
        return EXIT_OK if printed else EXIT_FAILED

    return run_command(NAME, body)


def _summary(document: dict[str, Any]) -> list[dict[str, Any]]:
    """A line for each figure, without those of single repetitions, and one for each check."""
    lists = ("governor_medians_ms", "dummy_medians_ms", "ratios")
    rows = [{name: value for name, value in row.items() if name not in lists} for row in document["rows"]]
    names = dict.fromkeys(rows[0]) if rows else {"attack": None, "way": None}
    checks = [
        {**dict.fromkeys(names), "attack": check["name"], "way": "yes" if check["yes"] else "no"}
        for check in document["checks"]
    ]
    return rows + checks


@dataclass
class _Server:
    """The server that attackers and bystander talk to. `sizes` of an echo server's messages, None: a governor."""

    process: Client
    socket: Path
    sizes: dict[str, int] | None


class _Measurement:
    """All of it. A server lives for one act; whatever it does, it is killed after that."""

    def __init__(self, settings: AttacksSettings, stage: Stage) -> None:
        self._settings = settings
        self._stage = stage
        self._tools = settings.programs / "bench"
        self._count = 0
        self._sizes: dict[str, int] = {}
        self._windows: list[Window] = []
        self._notes: list[str] = []

    def everything(self) -> dict[str, Any]:
        """Plain data."""
        if not self._settings.root:
            self._notes.append("not root: all are one user, whom limits for each user do not divide.")
        with ExitStack() as stack:
            governor = self._governor(stack)
            self._sizes = probe(
                self._tools / "crowd", governor.socket, self._stage.folder, self._stage.interruption
            )
        began_s = time.monotonic()
        for repetition in range(self._settings.repetitions):
            for act in self._settings.acts():
                order = SERVERS if repetition % 2 == 0 else SERVERS[::-1]
                for server in order:
                    self._play(act, server, repetition)
            took_s = (time.monotonic() - began_s) / (repetition + 1)
            left_s = took_s * (self._settings.repetitions - repetition - 1)
            self._stage.progress.done(f"repetition {repetition + 1}", left_s)
        checks = {"seats": self._seats, "history": self._history}
        answers = [checks[name]() for name in self._settings.checks]
        return {
            "message_bytes": self._sizes,
            "rows": rows_of(self._windows),
            "checks": answers,
            "windows": [as_json(window) for window in self._windows],
            "notes": self._notes,
        }

    def _play(self, act: list[Attack], name: str, repetition: int) -> None:
        with ExitStack() as stack:
            server = self._governor(stack) if name == "governor" else self._echo(stack)
            leases = 0
            if act[0].crowded:
                holders = self._attackers(stack, server, "hold", self._settings.leases, 1)
                leases = self._prepared(holders[0])
            for attack in act:
                self._stage.progress.under_way(f"{attack.name} on {name}", 0)
                self._windows.append(self._window(server, attack, name, repetition, leases))
            if server.process.has_ended():
                self._notes.append(f"{act[0].name}: the {name} died: {_death(server.process)}")

    def _window(
        self, server: _Server, attack: Attack, name: str, repetition: int, leases: int
    ) -> Window:
        wait = self._stage.interruption.wait
        with ExitStack() as stack:
            wanted = getattr(self._settings, attack.members) if attack.members else 0
            attackers = []
            if attack.kind is not None:
                attackers = self._attackers(stack, server, attack.kind, wanted, attack.processes)
            prepared = [self._prepared(client) for client in attackers]
            bystander = stack.enter_context(self._bystander(server, self._settings.window_s))
            let_in = _says(bystander, "ready", _LET_IN_WITHIN_S)
            cpu_s, began_s = _cpu_of(server.process), time.monotonic()
            for client in [bystander, *attackers] if let_in else attackers:
                client.signal(signal.SIGUSR1)
            while (left_s := began_s + self._settings.window_s - time.monotonic()) > 0:
                wait(left_s)
            seconds = time.monotonic() - began_s
            after_s = _cpu_of(server.process)
            saw = _report(bystander, _ENDS_WITHIN_S) if let_in else None
            for client in attackers:
                client.signal(signal.SIGTERM)
            deeds = [_report(client, _ENDS_WITHIN_S) for client in attackers]
            for client, told in zip(attackers, deeds):
                if told is None and client.has_ended():
                    client.report()  # says why: what did not attack proves nothing
        told = [one for one in deeds if one is not None]
        known = cpu_s is not None and after_s is not None
        return Window(
            attack=attack.name,
            server=name,
            repetition=repetition,
            times=self._times(saw),
            heartbeat_s=_heartbeat(saw, name),
            cpu_percent=100 * (after_s - cpu_s) / seconds if known else None,
            members=leases or min(prepared, default=0),
            strikes=sum(one["strikes"] for one in told) if told else None,
            refused=sum(one["refused"] for one in told) if told else None,
        )

    def _times(self, saw: dict[str, Any] | None) -> dict[str, Times]:
        if saw is None:
            return dict.fromkeys(("asking", "connecting"), unanswered(_LET_IN_WITHIN_S))
        return {way: times_of(saw[way]) for way in ("asking", "connecting")}

    def _seats(self) -> dict[str, Any]:
        """Five users hold leases and leave; then a sixth asks."""
        held = []
        with ExitStack() as stack:
            server = self._governor(stack)
            for user in SQUATTERS:
                with ExitStack() as inside:
                    wanted = self._settings.squatting_programs
                    client = self._attackers(inside, server, "hold", wanted, 1, user)[0]
                    held.append(self._prepared(client))
                self._stage.progress.under_way(f"user {user} held {held[-1]} leases", 0)
            newcomer = stack.enter_context(self._bystander(server, 0.1, NEWCOMER))
            yes = _says(newcomer, "ready", _LET_IN_WITHIN_S)
        return {
            "name": "seats",
            "question": "Five users held leases and left: does a newcomer get one?",
            "yes": yes,
            "remark": f"they held {', '.join(map(str, held))}",
        }

    def _history(self) -> dict[str, Any]:
        """One pauses and resumes its own program; then another's is explained."""
        with ExitStack() as stack:
            # The governor is ours: governorctl believes root's governor, and the own one.
            server = self._governor(stack, as_daemon=False)
            victim = stack.enter_context(self._bystander(server, 0.1))
            victim.await_line("ready", _LET_IN_WITHIN_S)
            before = self._events(server, victim.pid)
            command = ("--strikes", str(self._settings.orders))
            attacker = self._attackers(stack, server, "pause", 0, 1, ATTACKER, command)[0]
            self._prepared(attacker)
            attacker.signal(signal.SIGUSR1)
            _report(attacker, _ORDERED_WITHIN_S)
            after = self._events(server, victim.pid)
        orders = 32 * self._settings.orders
        return {
            "name": "history",
            "question": f"One user paused and resumed {orders} times: does explain know another's events?",
            "yes": after is not None and before is not None and after >= before > 0,
            "remark": f"{before} before, {after} after",
        }

    def _events(self, server: _Server, pid: int) -> int | None:
        """The number of a program's events that are known; None without an answer."""
        command = [str(self._settings.programs / "governorctl"), "--socket", str(server.socket)]
        try:
            done = subprocess.run(
                [*command, "explain", str(pid), "--json"],
                capture_output=True, text=True, timeout=_CTL_WITHIN_S, check=True,
            )  # fmt: skip
            return len(json.loads(done.stdout)["events"])
        except (OSError, subprocess.SubprocessError, ValueError, KeyError):
            return None

    def _governor(self, stack: ExitStack, as_daemon: bool = True) -> _Server:
        """One that listens; it is killed when the stack is left."""
        folder = self._folder()
        config = folder / "governord.conf"
        config.write_text(configuration(FAIR_POLICY, 1.0), encoding="utf-8")
        command: list[str] = []
        if self._settings.root and as_daemon:
            os.chown(folder, DAEMON, DAEMON)
            command += ["setpriv", f"--reuid={DAEMON}", f"--regid={DAEMON}", "--clear-groups"]
            command += ["--pdeathsig", "KILL", "--"]
        if self._settings.old_kernel:
            command.append(str(self._settings.programs / "old_kernel"))
        command += [str(self._settings.programs / "governord"), "--config", str(config)]
        command += ["--socket", str(socket_path(folder))]
        process = stack.enter_context(self._client(f"governord{self._count}", command))
        deadline = time.monotonic() + _LISTENS_WITHIN_S
        while not _listens(socket_path(folder)):
            process.check()
            if time.monotonic() > deadline:
                raise ProcessFailed(f"governord does not listen at {socket_path(folder)}.")
            self._stage.interruption.wait(0.02)
        return _Server(process, socket_path(folder), None)

    def _echo(self, stack: ExitStack) -> _Server:
        path = self._folder() / "echo.sock"
        echo = start_echo(
            self._tools / "echo", path, self._sizes, self._stage.folder, self._stage.interruption
        )
        return _Server(stack.enter_context(echo), path, self._sizes)

    def _folder(self) -> Path:
        self._count += 1
        folder = self._stage.folder / f"server{self._count}"
        folder.mkdir(0o755)
        return folder

    def _attackers(
        self, stack: ExitStack, server: _Server, kind: str, members: int, processes: int,
        user: int = ATTACKER, more: tuple[str, ...] = (),
    ) -> list[Client]:  # fmt: skip
        command = [str(self._tools / "attack"), "--socket", str(server.socket), "--kind", kind]
        command += ["--members", str(members), "--memory", str(self._settings.memory_mib), *more]
        if server.sizes is not None:
            command += ["--request-bytes", str(server.sizes["request_bytes"])]
            command += ["--reply-bytes", str(server.sizes["reply_bytes"])]
        command += self._as_user(user)
        return [
            stack.enter_context(self._client(f"{kind}{number}", command)) for number in range(processes)
        ]

    def _bystander(self, server: _Server, window_s: float, user: int = BYSTANDER) -> Client:
        command = [str(self._tools / "bystander"), "--socket", str(server.socket)]
        command += ["--window-ms", str(round(window_s * 1000))]
        if server.sizes is not None:
            command += ["--echo-bytes", str(server.sizes["reply_bytes"])]
        return self._client("bystander", command + self._as_user(user))

    def _as_user(self, number: int) -> list[str]:
        user = self._settings.user(number)
        return [] if user is None else ["--user", str(user)]

    def _client(self, name: str, command: list[str]) -> Client:
        return Client(name, tuple(command), self._stage.folder, self._stage.interruption)

    @staticmethod
    def _prepared(attacker: Client) -> int:
        """The number of members that it has, when it has them."""
        attacker.await_line("ready", _PREPARED_WITHIN_S)
        return int(attacker.lines()[0])


def _says(client: Client, line: str, within_s: float) -> bool:
    try:
        return client.await_line(line, within_s)
    except ProcessFailed:
        return False


def _report(client: Client, within_s: float) -> dict[str, Any] | None:
    """None when it did not end in time, or not well."""
    try:
        return client.report(within_s)
    except ProcessFailed:
        return None


def _death(process: Client) -> str:
    """The end of a server that should not have ended."""
    try:
        process.report()
    except ProcessFailed as error:
        return str(error)
    return "it ended by itself."


def _heartbeat(saw: dict[str, Any] | None, server: str) -> Range | None:
    if server != "governor":
        return None
    return Range.at_least(_LET_IN_WITHIN_S) if saw is None else Range.exactly(saw["heartbeat_ns"] / 1e9)


def _cpu_of(process: Client) -> float | None:
    try:
        return cpu_time_of(process.pid)
    except ProcessFailed:
        return None


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        try:
            one.connect(str(path))
        except OSError:
            return False
    return True
