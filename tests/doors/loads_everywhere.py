# SPDX-License-Identifier: MIT
"""adopt.so needs no library and no version of a symbol, and what old glibcs may lack it can do without.

    loads_everywhere.py READELF NM ADOPT.SO
"""
import re
import subprocess
import sys

# In libc.so.6 of every glibc since 2.17.
IN_LIBC = {"__errno_location", "clock_gettime", "dl_iterate_phdr", "getenv", "getpid", "memcpy", "memset",
           "strchr", "strcmp", "strcspn", "strlen", "strncmp", "strrchr", "strstr", "syscall"}
ENTRY = re.compile(r"GOMP_parallel(_(reductions|sections|sections_start|start|end|loop_\w+))?"
                   r"|omp_(get_max_threads_?|set_num_threads(_(8_)?)?)|dl(open|close)")


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> int:
    readelf, nm, adopt = sys.argv[1:]
    wrong = []
    dynamic = run(readelf, "-dW", adopt)
    if "(NEEDED)" in dynamic:
        wrong.append("it needs a library")
    if "(RUNPATH)" not in dynamic or "$ORIGIN/" not in dynamic:
        wrong.append("it does not find libthreadcount beside itself")
    if "GLIBC_" in run(readelf, "-VW", adopt):
        wrong.append("it needs a version of glibc")
    undefined = {(line.split()[-2], line.split()[-1]) for line in run(nm, "-D", "--undefined-only", adopt).splitlines()}
    needed = {name for kind, name in undefined if kind == "U"}
    if needed - IN_LIBC:
        wrong.append(f"old glibcs may lack {sorted(needed - IN_LIBC)}")
    defined = {line.split()[-1] for line in run(nm, "-D", "--defined-only", adopt).splitlines()}
    if strange := {name for name in defined if not ENTRY.fullmatch(name)}:
        wrong.append(f"it defines {sorted(strange)}")
    if len(defined) < 23:
        wrong.append(f"it defines {len(defined)} entries only")
    print("\n".join(wrong) or f"{len(defined)} entries, nothing needed but {sorted(needed)}")
    return 1 if wrong else 0


sys.exit(main())
