# SPDX-License-Identifier: MIT
"""An object that `run` preloads needs no library and no version of a symbol, and what old glibcs may lack it can
do without. It defines what it is to stand in front of: keep.so nothing that asks or sets a number of threads.

    loads_everywhere.py READELF NM OBJECT
"""
import re
import subprocess
import sys
from pathlib import Path

# In libc.so.6 of every glibc since 2.17.
IN_LIBC = {"__errno_location", "clock_gettime", "dl_iterate_phdr", "getenv", "getpid", "memcpy", "memset",
           "strchr", "strcmp", "strcspn", "strlen", "strncmp", "strrchr", "strstr", "syscall"}
ENTRY = re.compile(r"GOMP_parallel(_(reductions|sections|sections_start|start|end|loop_\w+))?|dl(open|close)")
COUNT = re.compile(r"omp_(get_max_threads_?|set_num_threads(_(8_)?)?)")


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> int:
    readelf, nm, object_ = sys.argv[1:]
    wrong = []
    dynamic = run(readelf, "-dW", object_)
    if "(NEEDED)" in dynamic:
        wrong.append("it needs a library")
    if "(RUNPATH)" not in dynamic or "$ORIGIN/" not in dynamic:
        wrong.append("it does not find libthreadcount beside itself")
    if "GLIBC_" in run(readelf, "-VW", object_):
        wrong.append("it needs a version of glibc")
    undefined = {(line.split()[-2], line.split()[-1]) for line in run(nm, "-D", "--undefined-only", object_).splitlines()}
    needed = {name for kind, name in undefined if kind == "U"}
    if needed - IN_LIBC:
        wrong.append(f"old glibcs may lack {sorted(needed - IN_LIBC)}")
    defined = {line.split()[-1] for line in run(nm, "-D", "--defined-only", object_).splitlines()}
    counts = {name for name in defined if COUNT.fullmatch(name)}
    entries = {name for name in defined if ENTRY.fullmatch(name)}
    if strange := defined - counts - entries:
        wrong.append(f"it defines {sorted(strange)}")
    if len(counts) != (0 if Path(object_).name == "keep.so" else 5):
        wrong.append(f"it defines {sorted(counts)} of the functions that ask and set a number")
    if len(entries) < 20:
        wrong.append(f"it defines {len(entries)} entries only")
    print("\n".join(wrong) or f"{len(defined)} entries, nothing needed but {sorted(needed)}")
    return 1 if wrong else 0


sys.exit(main())
