# SPDX-License-Identifier: MIT
"""Leases: said hello to, told of events, held, and thousands of them come and gone."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Iterator

from lab.endings import EXIT_FAILED, EXIT_OK, print_result
from lab.governor import FAIR_POLICY, Governor, socket_path
from lab.machine import describe_machine
from lab.made_up import folder_in_memory
from lab.report import asked_folder, command_line, fenced, write_files
from lab.stage import Stage, check_files, is_root, run_command

from .accounts import raise_descriptor_limit
from .counters import read_counters, read_decisions, samples_between
from .figures import cpu_time_of, figures_of
from .latency import latency_of
from .leases_report import Row, cost_rows, event_rows, hello_rows, leases_text, load_rows, rows_as_json
from .leases_settings import LeasesSettings, read_leases_settings
from .processes import Client, start_echo

NAME = "bench/leases"
FORMAT = 1
_PERIOD_S = 1.0
_SETTLE_S = 5.0  # idle programs are known by then
_PATIENCE_S = 120.0
_LOOKS = 6
_EVENT_WINDOW_MS = 10
_WEIGHT, _LARGE_WEIGHT = 30, 10_000


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status; `checkout` is where build/bin and the commit are looked for."""

    def body(stage) -> int:
        limit = raise_descriptor_limit()
        settings = read_leases_settings(arguments, checkout / "build" / "bin", limit, is_root())
        names = ["governord", "governorctl", "bench/leases", "bench/echo"]
        check_files(settings.programs, names)
        output = asked_folder(settings.output)
        machine = describe_machine(checkout, [])
        described = settings.described() | {"command_line": command_line(NAME, arguments)}
        document = {"format": FORMAT, "machine": machine, "settings": described}
        document |= _Measurement(settings, stage()).everything()
        text = leases_text(document)
        printed = print_result(NAME, text)
        if output is not None:
            write_files(output, document, fenced(NAME, text), document["rows"])
        return EXIT_OK if printed else EXIT_FAILED

    return run_command(NAME, body)


@contextmanager
def _false_root(cpus: int) -> Iterator[Path]:
    with folder_in_memory() as folder:
        proc = folder / "proc"
        proc.mkdir()
        lines = (f"cpu{cpu} 0 0 0 100000 0 0 0 0 0 0\n" for cpu in range(cpus))
        (proc / "stat").write_text("".join(lines))
        yield folder


class _Measurement:
    """Part after part, each with a governor of its own."""

    def __init__(self, settings: LeasesSettings, stage: Stage) -> None:
        self._settings = settings
        self._stage = stage
        self._count = 0
        self._root: Path | None = None  # of the governor's false machine

    def everything(self) -> dict[str, Any]:
        """The rows, and the numbers behind them, as plain data."""
        document: dict[str, Any] = {}
        rows: list[Row] = []
        parts = {"hello": self._hello, "events": self._events, "cost": self._cost, "load": self._load}
        for part in self._settings.parts:
            document[part], more = parts[part]()
            rows += more
        return {"rows": rows_as_json(rows), **document}

    def _hello(self) -> tuple[dict[str, Any], list[Row]]:
        with self._governor() as (governor, folder):
            sizes = self._run(folder, governor, "sizes")
            echo = self._settings.programs / "bench" / "echo"
            with start_echo(echo, folder / "echo.sock", sizes, folder, self._stage.interruption):
                options = {
                    "--echo": folder / "echo.sock",
                    "--request-bytes": sizes["request_bytes"],
                    "--reply-bytes": sizes["reply_bytes"],
                    "--count": self._settings.hellos,
                    "--pause-us": 2000,
                }
                found = self._run(folder, governor, "greet", options)
        self._say(f"{self._settings.hellos} hellos")
        figures = {name.replace("_ns", "_us"): asdict(latency_of(found[name])) for name in found}
        return {"message_bytes": sizes, **figures}, hello_rows(found)

    def _events(self) -> tuple[dict[str, Any], list[Row]]:
        one_by_one = {"--rounds": self._settings.rounds, "--weight": 100}
        found, rows = self._observed(self._settings.cpus, one_by_one)
        all_at_once = {
            "--all": self._settings.all_events,
            "--weight": _WEIGHT,
            "--all-weight": _LARGE_WEIGHT,
        }
        cpus = self._settings.cpus_of_all_events
        of_all, more = self._observed(cpus, all_at_once)
        return {"one": found, "all": of_all}, rows + more

    def _observed(self, cpus: int, options: dict[str, Any]) -> tuple[list[dict], list[Row]]:
        programs = self._settings.programs_of_events
        with self._governor(cpus) as (governor, folder):
            options = {
                "--members": programs,
                "--busy": programs,
                "--window-ms": _EVENT_WINDOW_MS,
                "--settle-ms": int(_SETTLE_S * 1000),
                **self._false(cpus),
                **options,
            }
            events = self._run(folder, governor, "events", options)["events"]
        self._say(f"{len(events)} events, {programs} programs, {cpus} CPUs")
        return events, event_rows(events, programs, cpus)

    def _cost(self) -> tuple[list[dict[str, Any]], list[Row]]:
        programs, cpus = self._settings.programs_of_cost, self._settings.cpus
        costs = [
            self._held(f"{programs} programs, {cpus} CPUs, all busy", cpus, programs),
            self._held(f"{programs} programs, {cpus} CPUs, half of them idle", cpus, programs // 2),
            self._held(f"{programs} programs that sleep, this machine", 0, programs),
        ]
        return costs, cost_rows(costs)

    def _held(self, what: str, cpus: int, busy: int) -> dict[str, Any]:
        with self._governor(cpus) as (governor, folder):
            options = {"--members": self._settings.programs_of_cost, "--busy": busy}
            options |= self._false(cpus) if cpus else {}
            with self._client(folder, governor, "hold", options) as holders:
                holders.await_line("held", _PATIENCE_S)
                self._stage.interruption.wait(_SETTLE_S)
                decisions, used_s = self._decisions(folder), cpu_time_of(governor.pid)
                began_s = time.monotonic()
                self._wait(self._settings.cost_s, what, governor)
                seconds = time.monotonic() - began_s
                used_s = cpu_time_of(governor.pid) - used_s
                decisions = self._decisions(folder) - decisions
                figures = figures_of(governor.pid)
                holders.signal(signal.SIGUSR1)
                granted = holders.report()["granted"]
        self._say(what)
        return {
            "what": what,
            "seconds": seconds,
            "cpu_percent": 100 * used_s / seconds,
            "decisions_per_s": decisions / seconds,
            "rss_kib": figures.rss_kib,
            "highest_rss_kib": figures.highest_rss_kib,
            "granted": granted,
        }

    def _load(self) -> tuple[dict[str, Any], list[Row]]:
        with self._governor() as (governor, folder), ExitStack() as stack:
            drivers = [stack.enter_context(driver) for driver in self._drivers(folder, governor)]
            for driver in drivers:
                driver.await_line("held", _PATIENCE_S)
            load = self._under_load(folder, governor, drivers)
        self._say(f"{load['due']} leases in {self._settings.load_s} s")
        return load, load_rows(load)

    def _drivers(self, folder: Path, governor: Governor) -> Iterator[Client]:
        for index, crowd in enumerate(self._settings.crowds()):
            options = {
                "--connections": crowd.connections,
                "--rate": crowd.askers,
                "--seconds": self._settings.load_s,
            }
            yield self._client(folder, governor, "churn", options, crowd.user, f"churn{index}")

    def _under_load(self, folder: Path, governor: Governor, drivers: list[Client]) -> dict[str, Any]:
        for driver in drivers:
            driver.signal(signal.SIGUSR1)
        self._stage.interruption.wait(1)
        before, used_s = self._counters(folder), cpu_time_of(governor.pid)
        looks = [figures_of(governor.pid).rss_kib]
        for _ in range(_LOOKS - 1):
            self._wait(max(0.1, (self._settings.load_s - 2) / (_LOOKS - 1)), "load", governor)
            looks.append(figures_of(governor.pid).rss_kib)
        after, used_s = self._counters(folder), cpu_time_of(governor.pid) - used_s
        for driver in drivers:
            driver.await_line("churned", _PATIENCE_S)
            driver.signal(signal.SIGUSR1)
        reports = [driver.report() for driver in drivers]
        samples = samples_between(before, after)
        times = [time_ns for report in reports for time_ns in report["hello_ns"]]
        return {
            "connections": self._settings.connections,
            **{name: sum(report[name] for report in reports) for name in ("due", "done", "held")},
            "hello_us": asdict(latency_of(times)),
            "behind_ms": max(report["behind_ns"] for report in reports) / 1e6,
            "samples": asdict(samples),
            "cpu_percent": 100 * used_s / (samples.elapsed_ms / 1000),
            # The begin is the second look: by then buffers have the size that they need.
            "rss_kib": {"begin": looks[1], "end": looks[-1], "looks": looks},
        }

    @contextmanager
    def _governor(self, cpus: int = 0) -> Iterator[tuple[Governor, Path]]:
        """On a false machine where `cpus` says so; its clients make the files of it."""
        self._count += 1
        folder = self._stage.folder / str(self._count)
        folder.mkdir(0o755)
        with ExitStack() as stack:
            self._root = stack.enter_context(_false_root(cpus)) if cpus else None
            governor = stack.enter_context(
                Governor(
                    self._settings.programs / "governord", folder, FAIR_POLICY, _PERIOD_S,
                    self._stage.interruption, self._root,
                )
            )  # fmt: skip
            yield governor, folder

    def _false(self, cpus: int) -> dict[str, Any]:
        return {"--root": self._root, "--cpus": cpus}

    def _client(
        self, folder: Path, governor: Governor, command: str, options: dict[str, Any],
        user: int | None = None, name: str | None = None,
    ) -> Client:  # fmt: skip
        governor.check()
        words = [str(self._settings.programs / "bench" / "leases"), "--governor", str(socket_path(folder))]
        words += ["--user", str(user)] if user is not None else []
        words += [command, *(str(word) for pair in options.items() for word in pair)]
        return Client(name or command, tuple(words), folder, self._stage.interruption)

    def _run(self, folder: Path, governor: Governor, command: str, options: dict = {}) -> dict[str, Any]:
        with self._client(folder, governor, command, options) as client:
            return client.report(3 * _PATIENCE_S)

    def _wait(self, seconds: float, what: str, governor: Governor) -> None:
        until_s = time.monotonic() + seconds
        while (left_s := until_s - time.monotonic()) > 0:
            governor.check()
            self._stage.progress.under_way(what, left_s)
            self._stage.interruption.wait(min(0.5, left_s))

    def _counters(self, folder: Path):
        return read_counters(self._settings.programs / "governorctl", socket_path(folder))

    def _decisions(self, folder: Path) -> int:
        return read_decisions(self._settings.programs / "governorctl", socket_path(folder))

    def _say(self, text: str) -> None:
        self._stage.progress.done(text)
