# SPDX-License-Identifier: MIT
"""A pure library refers to nothing of the system: no file, clock, socket, thread or log."""

import re
import subprocess
import sys

# Pure code may refer to these: memory, strings, arithmetic and containers of
# the two runtimes.
PURE = re.compile(
    r"^(_Z|__cxa_|__gxx_personality|_Unwind_|__stack_chk_fail|__dso_handle|_GLOBAL_OFFSET_TABLE_"
    r"|mem(cpy|move|set|cmp|chr)|strlen|strchr|strncmp|vsnprintf|abort|__popcountdi2|bcmp|DW\.ref|(exp2?|ilogb|ldexp|l?round|pow|sqrt)$)")
# Symbols that pure libraries of ours define are looked at there; times are arguments of many.
OURS = re.compile(r"^_ZNK?8governor(6policy|8evidence|8registry)")
# These of the other C++ symbols (_Z...) are effects all the same.
IMPURE = re.compile(r"(chrono.*now|fstream|ios_base|ostream|istream|random_device|thread|mutex|filesystem"
                    r"|spdlog|google8protobuf|clock)")


def undefined_symbols(nm: str, library: str) -> set[str]:
    def symbols(*flags: str) -> set[str]:
        out = subprocess.run([nm, *flags, library], capture_output=True, text=True, check=True).stdout
        return {line.split()[-1] for line in out.splitlines() if line.strip() and not line.endswith(":")}
    return symbols("--undefined-only") - symbols("--defined-only")


def main() -> int:
    undefined = undefined_symbols(sys.argv[1], sys.argv[2])
    impure = sorted(name for name in undefined
                    if not OURS.match(name) and (not PURE.match(name) or IMPURE.search(name)))
    print("\n".join(f"impure: {name}" for name in impure) or f"pure: {len(undefined)} symbols")
    return 1 if impure or not undefined else 0


sys.exit(main())
