# SPDX-License-Identifier: MIT
"""Every test that SECURITY.md names as the one that holds a promise is there.

    promises.py CHECKOUT
"""
import fnmatch
import pathlib
import re
import sys

CHECKOUT = pathlib.Path(sys.argv[1])
KINDS = ("unit", "integration", "host", "virtual_machine", "structure")


def known_tests():
    """Their names as ctest calls them, whatever their kind of test program."""
    for file in (CHECKOUT / "tests").rglob("*_test.cpp"):
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+), *(\w+)\)", file.read_text(), re.M):
            kind = "integration" if file.parent.name == "integration" else "unit"
            yield f"{kind}.{suite}.{name}"
    for file in (CHECKOUT / "tests/host/cases").glob("*.sh"):
        yield f"host.{file.stem}"
    for file in (CHECKOUT / "tests/virtual_machine/guest/cases").glob("*.py"):
        yield f"virtual_machine.{file.stem}"
    rules = (CHECKOUT / "tests/structure/CMakeLists.txt").read_text()
    yield from re.findall(r"NAME (structure\.\w+)", rules)


def main():
    known = set(known_tests())
    text = (CHECKOUT / "SECURITY.md").read_text()
    named = re.findall(rf"`((?:{'|'.join(KINDS)})\.[\w.*]+)`", text)
    missing = [name for name in named if not fnmatch.filter(known, name)]
    for name in missing:
        print(f"SECURITY.md names {name}, and there is no such test")
    return 1 if missing or len(named) < 20 else 0


sys.exit(main())
