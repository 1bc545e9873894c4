# SPDX-License-Identifier: MIT
"""The files that are sources: those that git knows or does not ignore; without git, all outside of builds."""

import pathlib
import subprocess


def source_files(root: pathlib.Path) -> list[pathlib.Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root,
                            capture_output=True, text=True, check=False).stdout.splitlines()
    files = [root / name for name in listed] or [
        file for file in root.rglob("*") if not file.relative_to(root).parts[0].startswith("build")]
    return [file for file in files if file.is_file()]
