# SPDX-License-Identifier: MIT
import tempfile
import unittest
from pathlib import Path

from lab.quantities import BadInput
from lab.stage import check_doors


class CheckDoors(unittest.TestCase):
    def test_a_copy_of_the_programs_alone_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            programs = Path(name) / "bin"
            doors = Path(name) / "lib/threadcount/doors/lib/x86_64-linux-gnu"
            for missing in ("keep.so", "adopt.so"):
                with self.assertRaisesRegex(BadInput, f"no {missing} below"):
                    check_doors(programs)
                doors.mkdir(parents=True, exist_ok=True)
                (doors / missing).touch()
            check_doors(programs)


if __name__ == "__main__":
    unittest.main()
