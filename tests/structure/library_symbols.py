# SPDX-License-Identifier: MIT
"""libthreadcount needs libc only, and exports what its header declares, under a version, and what the pool's copies
share (threadcount/lane.h), under one of the pool's."""

import re
import subprocess
import sys


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> int:
    readelf, nm, library, header = sys.argv[1:]
    wrong = []
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", run(readelf, "-d", library)))
    if needed != {"libc.so.6"}:
        wrong.append(f"needs {sorted(needed)}, not libc.so.6 alone")
    symbols = {line.split()[-1] for line in run(nm, "-D", "--defined-only", library).splitlines()}
    of_pool = {name for name in symbols if "THREADCOUNT_POOL_" in name}
    shared = {name for name in of_pool if not name.startswith("THREADCOUNT_")}
    if shared != {f"threadcount_this_{what}@@THREADCOUNT_POOL_1" for what in ("lane", "visit")}:
        wrong.append(f"exported for the pool: {sorted(shared)}")
    exported = symbols - of_pool
    names = {name.split("@")[0] for name in exported if not re.fullmatch(r"THREADCOUNT_\d+\.\d+", name)}
    declared = set(re.findall(r"THREADCOUNT_EXPORT [^;(]*?\b(threadcount_\w+)\(", open(header).read()))
    if names != declared:
        wrong.append(f"exported but not declared: {sorted(names - declared)}; "
                     f"declared but not exported: {sorted(declared - names)}")
    unversioned = sorted(name for name in exported if "@@THREADCOUNT_" not in name and "_" in name
                         and not name.startswith("THREADCOUNT_"))
    if unversioned:
        wrong.append(f"without a version: {unversioned}")
    print("\n".join(wrong) or f"{len(names)} functions, libc only")
    return 1 if wrong else 0


sys.exit(main())
