# SPDX-License-Identifier: MIT
"""Locks are checked: clang accepts each file of the library that locks, and refuses it without its first lock.

    locks.py SOURCE CLANG++ INCLUDE-FOLDER..."""

import pathlib
import re
import subprocess
import sys

LOCK = re.compile(r"^\s*const MutexLock lock\(.*\);$", re.MULTILINE)


def what_clang_says(text: str, file: pathlib.Path, compiler: list[str]) -> str:
    return subprocess.run([*compiler, f"-I{file.parent}", "-"], input=text, capture_output=True, text=True,
                          check=False).stderr


def wrong_in(file: pathlib.Path, compiler: list[str]) -> list[str]:
    text = file.read_text()
    wrong = what_clang_says(text, file, compiler)
    if wrong:
        return [f"{file}:\n{wrong}"]
    unlocked = what_clang_says(LOCK.sub("", text, count=1), file, compiler)
    return [] if "[-Wthread-safety-" in unlocked else [f"{file}: clang does not miss its first lock"]


def main() -> int:
    source, clang, *folders = sys.argv[1:]
    compiler = [clang, "-std=c++20", "-fsyntax-only", "-Wthread-safety", "-x", "c++"]
    compiler += [f"-I{folder}" for folder in folders]
    files = [file for file in sorted(pathlib.Path(source, "libthreadcount").rglob("*.cpp"))
             if LOCK.search(file.read_text())]
    wrong = [line for file in files for line in wrong_in(file, compiler)]
    print("\n".join(wrong) or f"{len(files)} files with locks")
    return 1 if wrong or len(files) < 5 else 0


sys.exit(main())
