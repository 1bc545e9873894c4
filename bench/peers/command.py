# SPDX-License-Identifier: MIT
"""bench/peers/run: builds, measures, and writes the files of a result and peers.png."""

from __future__ import annotations

import json
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.drawing import NoPictures
from lab.endings import EXIT_FAILED, EXIT_OK, Failed, exit_status, output_folder, print_result
from lab.interruption import Interrupted
from lab.machine import describe_machine
from lab.progress import Progress
from lab.quantities import BadInput, span_text
from lab.report import fenced, write_files

from .building import build_programs
from .goals import goals, verdict_of
from .measurement import measure, programs_in
from .outcomes import Outcome, Outcomes
from .pictures import draw_peers
from .report import report_text, verdicts_as_json
from .settings import PeersSettings, read_peers_settings

NAME = "bench/peers/run"
FORMAT = 1


def main(arguments: list[str], checkout: Path) -> int:
    """Returns the exit status."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return exit_status(NAME, lambda: _command(arguments, checkout))


def _command(arguments: list[str], checkout: Path) -> int:
    settings = read_peers_settings(arguments, checkout)
    output = output_folder(settings.output, "governor-peers-")
    if settings.redraw is not None:
        document = _read(settings.redraw)
    else:
        document = _measured(settings, checkout, output)
    text = _written(document, output)
    printed = print_result(NAME, f"{text}\nIn {output}: results.json, results.md, summary.json, peers.png\n")
    if not document["complete"] and settings.redraw is None:
        raise Interrupted()
    return EXIT_OK if printed else EXIT_FAILED


def _measured(settings: PeersSettings, checkout: Path, output: Path) -> dict[str, Any]:
    progress = Progress(sys.stderr)
    left_out: dict[str, str] = {}
    if settings.builds:
        progress.done("building")
        log = output / "build.log"
        left_out = build_programs(checkout / "bench" / "peers", settings.build, settings.sources, log)
    pools = [pool for pool in programs_in(settings.build, settings.pools) if pool not in left_out]
    if not pools:
        raise Failed(f"{settings.build / 'bin'} holds none of the pools.")
    machine = describe_machine(checkout, [])
    began_s = time.monotonic()

    def say(text: str, share: float) -> None:
        progress.done(text, (time.monotonic() - began_s) * (1 / share - 1))

    outcomes, complete = measure(settings, pools, say)
    progress.done(f"measured in {span_text(time.monotonic() - began_s)}")
    return {
        "format": FORMAT,
        "complete": complete,
        "machine": machine,
        "settings": settings.described(),
        "left_out": left_out,
        "runs": [asdict(outcome) for outcome in outcomes],
    }


def _written(document: dict[str, Any], output: Path) -> str:
    """The report; it, the document and the picture are in the folder then."""
    outcomes = Outcomes(Outcome(**run) for run in document["runs"])
    verdicts = [verdict_of(goal, outcomes) for goal in goals()]
    document["goals"] = verdicts_as_json(verdicts)
    settings = document["settings"]
    text = report_text(document["machine"], settings, document["left_out"], verdicts, outcomes)
    write_files(output, document, fenced(NAME, text), document["goals"])
    try:
        draw_peers(outcomes, output / "peers.png")
    except NoPictures as error:
        print(f"{NAME}: {error}", file=sys.stderr)
    return text


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"--redraw {path}: {error}.") from error
    if document.get("format") != FORMAT or "runs" not in document:
        raise BadInput(f"--redraw {path}: that is no results.json of {NAME}.")
    return document
