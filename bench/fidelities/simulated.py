# SPDX-License-Identifier: MIT
"""Figures of cells and mixes by build/bin/simulate."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from lab.endings import Failed
from lab.quantities import BadInput
from lab.report import write_text

from .cells import Cell, Mix, Named
from .mix_scenario import mix_scenarios
from .scenario import scenario_text


@dataclass(frozen=True)
class Simulator:
    """`program` is run on files that are left in `folder`; mixes are of `named` programs."""

    program: Path
    folder: Path
    named: dict[str, Named] = field(default_factory=dict)

    def ratio(self, cell: Union[Cell, Mix]) -> float:
        return self.figure(cell, cell.method) / self.figure(cell, cell.baseline)

    def figure(self, cell: Union[Cell, Mix], method: str) -> float:
        """In seconds."""
        if isinstance(cell, Cell):
            texts = [scenario_text(cell, method)]
        else:
            texts = mix_scenarios(cell, method, self.named)
        return sum(self._figure(cell, f"{method}{i or ''}", text) for i, text in enumerate(texts))

    def _figure(self, cell: Union[Cell, Mix], mark: str, text: str) -> float:
        path = self.folder / f"{cell.name}.{mark}.sim"
        write_text(path, text)
        command = [self.program, "--json", path]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise BadInput(f"--bin: {self.program}: {error.strerror}; build simulate first.") from error
        if not done.stdout:
            raise Failed(f"{path.name}: {done.stderr.strip()}")
        figures = json.loads(done.stdout)["figures"]
        if figures["unfinished"] > 0:
            raise Failed(f"{path.name}: some programs did not end.")
        return figures[f"{cell.figure}_s"]
