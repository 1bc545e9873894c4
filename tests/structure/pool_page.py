# SPDX-License-Identifier: MIT
"""Every C++ fragment of docs/pool.md compiles and runs.

    pool_page.py PAGE INCLUDES LIBRARIES... -- COMPILER FLAGS...

INCLUDES: folders, separated by colons.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PRELUDE = """#undef NDEBUG
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <functional>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <threadcount/pool.hpp>
#include <threadcount/pool/executor.hpp>
#include <vector>
using namespace std::chrono_literals;
"""


def program(page: str) -> str:
    fragments = re.findall(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if len(fragments) < 8:
        raise SystemExit(f"only {len(fragments)} fragments were found")
    functions = [f"static void fragment_{i}() {{\n{text}}}\n" for i, text in enumerate(fragments)]
    calls = "".join(f"        fragment_{i}();\n" for i in range(len(fragments)))
    return PRELUDE + "\n".join(functions) + f"int main() {{\n{calls}}}\n"


def main() -> None:
    split = sys.argv.index("--")
    page, includes, *libraries = sys.argv[1:split]
    compiler = sys.argv[split + 1:]
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory, "page.cpp")
        source.write_text(program(pathlib.Path(page).read_text()))
        binary = pathlib.Path(directory, "page")
        folders = [f"-I{folder}" for folder in includes.split(":")]
        rpaths = [f"-Wl,-rpath,{pathlib.Path(library).parent}" for library in libraries]
        subprocess.run([*compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", *folders, str(source),
                        "-o", str(binary), *libraries, *rpaths, "-pthread"], check=True)
        subprocess.run([str(binary)], check=True, stdout=subprocess.DEVNULL, timeout=60)


if __name__ == "__main__":
    main()
