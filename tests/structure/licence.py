# SPDX-License-Identifier: MIT
"""Every source file says its licence in its first lines."""

import pathlib
import subprocess
import sys

SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".proto", ".py", ".cmake"}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root,
                            capture_output=True, text=True, check=False).stdout.split()
    files = [root / name for name in listed] or [
        file for file in root.rglob("*") if not file.relative_to(root).parts[0].startswith("build")]
    sources = [file for file in files if file.suffix in SUFFIXES and file.is_file()]
    bare = [file for file in sources
            if "SPDX-License-Identifier: MIT" not in "\n".join(file.read_text().split("\n")[:3])
            and file.stat().st_size > 0]
    for file in bare:
        print(f"{file.relative_to(root)}: no SPDX line at its start")
    return 1 if bare or len(sources) < 40 else 0


sys.exit(main())
