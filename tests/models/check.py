# SPDX-License-Identifier: MIT
"""Looks at every state of a model.

    check.py SPIN CC MODEL holds|breaks [-DNAME[=VALUE]]...

Exits 0 if it `holds` in all states, or `breaks` in one: a model that cannot break proves nothing.
A search that was not complete has failed. Exits 77 if there is no SPIN. -DREVERSE: processes are tried in
the reverse order, which finds some errors sooner.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MEGABYTES = 2048
DEPTH = 100_000  # steps


def call(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def search(spin, cc, model, defines, folder):
    """The result of the search."""
    for step in ([spin, "-a", *defines, model],
                 # Optimising takes as long as it saves with the largest models, and longer with all others.
                 [cc, "-O0", "-w", "-DSAFETY", f"-DMEMLIM={MEGABYTES}",
                  *set(defines) & {"-DREVERSE"}, "-o", "pan", "pan.c"]):
        status, output = call(*step, cwd=folder)
        if status != 0:
            sys.exit(output)
    # -E: that all processes wait is no error of its own; the models look then whether they may.
    return call("./pan", "-E", f"-m{DEPTH}", "-w24", cwd=folder)[1]


def main():
    spin, cc, model, expected, *defines = sys.argv[1:]
    if shutil.which(spin) is None:
        print("skipped: there is no spin (package spin)")
        sys.exit(77)
    model = str(pathlib.Path(model).resolve())
    with tempfile.TemporaryDirectory() as folder:
        output = search(spin, cc, model, defines, folder)
        found = re.search(r"errors: (\d+)", output)
        if not found:
            sys.exit(output)
        is_broken = found[1] != "0"
        if re.search(r"max search depth too small|out of memory|memory bound|assertion not", output):
            sys.exit(output + "the search is not complete")
        print(output)
        if expected == "breaks":
            sys.exit(0 if is_broken and "assertion violated" in output else "nothing was found")
        if not is_broken and "Search not completed" not in output:
            return
        print(call("./pan", "-r", cwd=folder)[1])
        sys.exit("it does not hold; above is how it came to that")


main()
