# SPDX-License-Identifier: MIT
"""governorctl makes all texts of a Reply printable: there is no string in it that it leaves out.

    printable_replies.py SOURCE
"""

import pathlib
import re
import sys


def messages(schema: str) -> dict[str, list[tuple[str, str]]]:
    """Message -> the type and name of each field."""
    schema = re.sub(r"//[^\n]*|^message \w+ \{\}", "", schema, flags=re.MULTILINE)
    bodies = re.findall(r"^message (\w+) \{(.*?)^\}", schema, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"(\w+) (\w+) = \d+;", body) for name, body in bodies}


def reachable(all_fields: dict[str, list[tuple[str, str]]], start: str) -> set[str]:
    found, next_ones = set(), [start]
    while next_ones:
        name = next_ones.pop()
        if name in found or name not in all_fields:
            continue
        found.add(name)
        next_ones += [kind for kind, _ in all_fields[name]]
    return found


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    fields = messages((source / "proto/governor/v1/governor.proto").read_text())
    code = (source / "governor/ctl/printable_reply.cpp").read_text()
    texts = sorted({(message, name) for message in reachable(fields, "Reply")
                    for kind, name in fields[message] if kind == "string"})
    wrong = [f"governor/ctl/printable_reply.cpp: leaves out {message}.{name}" for message, name in texts
             if f"mutable_{name}()" not in code]
    print("\n".join(wrong) or f"{len(texts)} texts are made printable")
    return 1 if wrong or len(texts) < 15 else 0


sys.exit(main())
