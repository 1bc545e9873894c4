# SPDX-License-Identifier: MIT
"""The record that is kept of a run, and its form in results.json."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .quantities import BadInput
from .ranges import Range, total

FORMAT = 1


@dataclass(frozen=True)
class ProgramRecord:
    """One program of one run. Times are seconds after the start of the run's first program, by the runner's
    clock. started_s is with `in-turn` the moment at which it was due, and None when the run was stopped
    before. finished_s is None when it was stopped before the end. `report` is the program's own JSON
    line, None when stopped."""

    load: str
    started_s: float | None
    finished_s: float | None
    cpu_s: float
    cpus: tuple[int, ...]
    report: dict[str, Any] | None


@dataclass(frozen=True)
class RunRecord:
    """One run. origin_ms is CLOCK_MONOTONIC at the start of the first program. stopped_s is set when the run
    was stopped at its limit. foreign_cpus is how many CPUs others kept busy meanwhile."""

    scenario: str
    method: str
    repetition: int
    origin_ms: float
    stopped_s: float | None
    foreign_cpus: float | None
    programs: tuple[ProgramRecord, ...]

    def elapsed(self) -> list[Range]:
        """Seconds from start to finish of each program, in the order of starting."""
        return [self._elapsed_of(program) for program in self.programs]

    def aggregate(self) -> Range:
        """The sum of the programs' elapsed times, seconds."""
        return total(self.elapsed())

    def first(self) -> Range:
        """The elapsed time of the program that was started first, seconds."""
        return self._elapsed_of(self.programs[0])

    def makespan(self) -> Range:
        """From the first start to the last finish, seconds."""
        if self.stopped_s is not None:
            return Range.at_least(self.stopped_s)
        return Range.exactly(max(program.finished_s or 0.0 for program in self.programs))

    def _elapsed_of(self, program: ProgramRecord) -> Range:
        if program.started_s is None:
            return Range.at_least(0.0)
        if program.finished_s is None:
            return Range.at_least((self.stopped_s or program.started_s) - program.started_s)
        return Range.exactly(program.finished_s - program.started_s)


@dataclass
class Results:
    """Everything that is known about one experiment; summary tables are computed from `runs`."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    calibration: dict[str, Any]
    runs: list[RunRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def as_document(results: Results, summary: list[dict[str, Any]]) -> dict[str, Any]:
    """For results.json; `summary` is for readers of the file and is not read back."""
    return {"format": FORMAT, **asdict(results), "summary": summary}


def read_results(path: Path) -> Results:
    """Reads a results.json; BadInput when it is missing or is not one."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise BadInput(f"{path}: format {document['format']!r}; format {FORMAT} is accepted.")
        runs = [_run_from(entry) for entry in document["runs"]]
        parts = (document[key] for key in ("machine", "settings", "calibration"))
        return Results(*parts, runs, document["notes"], document["errors"])
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: not a results.json of this program ({error!r}).") from error


def _run_from(entry: dict[str, Any]) -> RunRecord:
    programs = tuple(
        ProgramRecord(**{**program, "cpus": tuple(program["cpus"])})
        for program in entry["programs"]
    )
    return RunRecord(**{**entry, "programs": programs})
