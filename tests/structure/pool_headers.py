# SPDX-License-Identifier: MIT
"""The names that the pool's C++ headers offer, by their text as clang-format leaves it."""

import pathlib
import re

# The parts of Pool's templates.
INTERNAL = {"TaskSource"}


def texts(folder: pathlib.Path) -> list[str]:
    """Each header, without what is in threadcount::pool."""
    files = [file for file in sorted(folder.rglob("*.hpp")) if "detail" not in file.parts]
    return [re.sub(r"^namespace (?:threadcount::)?pool \{\n.*?^\}  // namespace [\w:]*pool\n", "", file.read_text(),
                   flags=re.MULTILINE | re.DOTALL) for file in files]


def public(body: str) -> str:
    """The members of a class's body."""
    parts = re.split(r"^(public|private|protected):\n", body, flags=re.MULTILINE)
    return "".join(text for access, text in zip(parts[1::2], parts[2::2]) if access == "public")


def functions(body: str) -> set[str]:
    """Those that have a name: no constructors, no operators."""
    lines = re.findall(r"^ {8}(?! |template|requires|noexcept|static_assert|friend|using)(.+)", body, re.MULTILINE)
    names = (re.search(r"[\s>&*](\w+)\(", line.split(" {")[0]) for line in lines if " operator" not in line)
    return {name[1] for name in names if name}


def names(folder: pathlib.Path) -> set[str]:
    """f of class Pool, Class::f of another class, Struct.member, Enum::enumerator, threadcount::f."""
    found = set()
    for text in texts(folder):
        text = re.sub(r"//.*", "", text)
        for kind, name, body in re.findall(
                r"^(class|struct|enum class) (?:\[\[\w+\]\] )?(\w+)[^;{]*\{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL):
            if name in INTERNAL:
                continue
            if kind == "class":
                prefix = "" if name == "Pool" else name + "::"
                found |= {prefix + each for each in functions(public(body)) - {name}}
            elif kind == "struct":
                found |= {f"{name}.{each}" for each in re.findall(r"^ {8}\S+ (\w+)(?: =|\{|;)", body, re.MULTILINE)}
            else:
                found |= {f"{name}::{each}" for each in re.findall(r"^ {8}(\w+),", body, re.MULTILINE)}
        found |= {f"threadcount::{each}" for each in re.findall(r"^auto (\w+)\(", text, re.MULTILINE)}
    return found


def exceptions(folder: pathlib.Path) -> set[str]:
    """Those that comments name."""
    comments = " ".join(re.findall(r"///(.*)", "\n".join(texts(folder))))
    return set(re.findall(r"std::\w+_(?:error|argument|range|alloc)\b|\bFutureCancelled\b", comments))
