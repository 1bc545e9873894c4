# SPDX-License-Identifier: MIT
"""The counts of several crowds, put together and as text. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lab.columns import aligned
from lab.machine import machine_text

from .crowd_settings import CrowdSettings
from .latency import Latency, latency_of, ratios

SERVERS = ("governor", "echo")
_COUNTS = ("asked", "unsent", "answered", "wrong", "ended")
_TIMES = {"from_due_us": "from_due_ns", "from_sent_us": "from_sent_ns"}
_EXPLANATION = """\
Each asker asked the governor once a second and, half a second later, the echo server. Latencies in
microseconds: from due = from the moment at which the question was due by a fixed schedule, from sent
= from when it was really sent; the ratio is governor / echo."""


def servers_of(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """For each server the sums of the counts and the latencies of all crowds, and their ratios."""
    servers: dict[str, Any] = {server: _server([report[server] for report in reports]) for server in SERVERS}
    servers["ratio"] = {
        name: ratios(*(Latency(**servers[server][name]) for server in SERVERS)) for name in _TIMES
    }
    return servers


def _server(sides: list[dict[str, Any]]) -> dict[str, Any]:
    server: dict[str, Any] = {"held": sum(side["held"] for side in sides)}
    for phase in ("setup", "run"):
        server[phase] = {name: sum(side[phase][name] for side in sides) for name in _COUNTS}
    for name, key in _TIMES.items():
        times = [time for side in sides for time in side["run"][key]]
        server[name] = asdict(latency_of(times))
    return server


def losses(reports: list[dict[str, Any]], settings: CrowdSettings) -> list[str]:
    """A sentence for whatever was lost; none when every connection was held and all was answered."""
    servers = servers_of(reports)
    sentences = []
    for name in SERVERS:
        server = servers[name]
        setup, run = server["setup"], server["run"]
        if setup["answered"] < settings.connections:
            sentences.append(
                f"{name}: {setup['answered']} of {settings.connections} connections were made and"
                f" answered; the server ended {setup['ended']}."
            )
            continue
        if server["held"] < settings.connections:
            lost = settings.connections - server["held"]
            sentences.append(f"{name}: {lost} of {settings.connections} connections were not held.")
        due = settings.askers * settings.seconds
        if run["answered"] < due or run["wrong"]:
            sentences.append(
                f"{name}: {run['answered']} of {due} questions were answered, {run['unsent']} could"
                f" not be sent, {run['wrong']} answers were wrong."
            )
    return sentences


def summary_rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each server: counts, latencies in microseconds, and what it took while all asked."""
    rows = []
    for name in SERVERS:
        server, looks = document["servers"][name], document["processes"][name]
        row: dict[str, Any] = {"server": name, "held": server["held"], **server["run"]}
        row |= {f"{key}_{part}": server[key][part] for key in _TIMES for part in ("median", "p99", "max")}
        full = looks.get("asked", looks["after"])
        row["cpu_s"] = round(full["cpu_s"] - looks.get("gathered", looks["before"])["cpu_s"], 3)
        rows.append({**row, "rss_kib": full["rss_kib"]})
    return rows


def crowd_text(document: dict[str, Any]) -> str:
    """The report for a terminal."""
    machine, settings, servers = document["machine"], document["settings"], document["servers"]
    blocks = [
        machine_text(machine),
        f"{settings['connections']} connections to each server, {settings['askers']} of them ask every"
        f" second for {settings['seconds']} s; {_users(settings['users'])}.",
        _counts_table(servers),
        _latency_table(servers),
        _EXPLANATION,
        *_governor_lines(document),
        *(f"Note: {note}" for note in document["notes"]),
        *(f"Error: {error}" for error in document["errors"]),
    ]
    return "\n\n".join(blocks) + "\n"


def _users(users: list[int]) -> str:
    return f"{len(users)} users" if users else "one user"


def _counts_table(servers: dict[str, Any]) -> str:
    header = ["server", "held", "questions", "answers", "not sent", "wrong", "ended"]
    lines = [[""] * len(header), header]
    for name in SERVERS:
        counts = (servers[name]["run"][key] for key in ("asked", "answered", "unsent", "wrong", "ended"))
        lines.append([name, str(servers[name]["held"]), *map(str, counts)])
    return aligned(lines).lstrip("\n")


def _latency_table(servers: dict[str, Any]) -> str:
    parts = ("median", "p90", "p99", "max")
    lines = [["", "from due", "", "", "", "from sent", "", "", ""], ["latency us", *parts, *parts]]
    for name in SERVERS:
        lines.append([name, *(f"{servers[name][key][part]:.0f}" for key in _TIMES for part in parts)])
    found = (servers["ratio"][key][part] for key in _TIMES for part in parts)
    lines.append(["ratio", *("-" if value is None else f"{value:.2f}" for value in found)])
    return aligned(lines)


def _governor_lines(document: dict[str, Any]) -> list[str]:
    if document["samples"] is None:
        return []
    samples, looks = document["samples"], document["processes"]
    lines = [
        f"Samples {what} ({counts['elapsed_ms'] / 1000:.1f} s): {counts['accepted']} accepted,"
        f" {counts['expected']} expected, {counts['discarded']} discarded, {counts['missed']} missed."
        for what, counts in (("while all asked", samples["asking"]), ("while all left", samples["leaving"]))
    ]
    for name in SERVERS:
        before, full, after = (looks[name][moment] for moment in ("before", "asked", "after"))
        cpu_s = full["cpu_s"] - looks[name]["gathered"]["cpu_s"]
        share = 100 * cpu_s / (samples["asking"]["elapsed_ms"] / 1000)
        lines.append(
            f"{name}: RSS {_mib(before['rss_kib'])} before, {_mib(full['rss_kib'])} at full load,"
            f" {_mib(after['rss_kib'])} after all had gone (highest {_mib(after['highest_rss_kib'])});"
            f" {cpu_s:.2f} s of CPU time while asked ({share:.1f} % of one core);"
            f" {full['descriptors']} descriptors at full load, {after['descriptors']} after."
        )
    lines.append(
        f"All were there after {document['gathered_s']:.1f} s. All left at once: the governor had noticed"
        f" and answered the next question {document['empty_s']:.2f} s later."
    )
    return ["\n".join(lines)]


def _mib(kib: int) -> str:
    return f"{kib / 1024:.1f} MiB"
