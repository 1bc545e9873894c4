# SPDX-License-Identifier: MIT
"""Every module can be imported, and bench/lab needs none of the experiments."""

import subprocess
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).parents[2]
IMPORT_ALL = """\
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


def packages():
    return {path.parent.name for path in BENCH.glob("*/__init__.py")}


def imported_with(*patterns):
    """The packages that are loaded with the modules below bench/ that the patterns name."""
    paths = [path for pattern in patterns for path in sorted(BENCH.glob(pattern))]
    names = [".".join(path.relative_to(BENCH).with_suffix("").parts) for path in paths]
    done = subprocess.run(
        [sys.executable, "-B", "-c", IMPORT_ALL, *names],
        cwd=BENCH, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stdout.split()) & packages()


class Layers(unittest.TestCase):
    def test_the_library_imports_no_experiment(self):
        self.assertEqual(imported_with("lab/*.py"), {"lab"})

    def test_every_module_can_be_imported(self):
        self.assertEqual(imported_with("*/*.py"), packages())


if __name__ == "__main__":
    unittest.main()
