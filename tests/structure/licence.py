# SPDX-License-Identifier: MIT
"""Every source file says its licence in its first lines."""

import pathlib
import sys

from source_files import source_files

SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".proto", ".py", ".cmake"}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    sources = [file for file in source_files(root) if file.suffix in SUFFIXES]
    bare = [file for file in sources
            if "SPDX-License-Identifier: MIT" not in "\n".join(file.read_text().split("\n")[:3])
            and file.stat().st_size > 0]
    for file in bare:
        print(f"{file.relative_to(root)}: no SPDX line at its start")
    return 1 if bare or len(sources) < 40 else 0


sys.exit(main())
