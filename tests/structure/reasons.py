# SPDX-License-Identifier: MIT
"""docs/policy.md lists every reason of a grant, with the words that a user sees.

    reasons.py SOURCE
"""

import pathlib
import re
import sys


def real(folder: pathlib.Path) -> dict[str, str]:
    """Name -> how its sentence begins."""
    body = re.search(r"enum class Limit[^{]*\{(.*?)\};", (folder / "decision.hpp").read_text(), re.DOTALL)
    names = re.findall(r"^\s*(\w+),", body[1], re.MULTILINE)
    cases = re.findall(r'case Limit::(\w+):\s*return "([^"]+)"', (folder / "decision.cpp").read_text())
    return {name: dict(cases).get(name, "") for name in names}


def documented(page: str) -> dict[str, str]:
    """The rows `| `Name` | sentence | meaning |`."""
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE))


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    reasons, rows = real(source / "governor/policy/fair"), documented((source / "docs/policy.md").read_text())
    wrong = [f"docs/policy.md: no row for reason {name}" for name in reasons.keys() - rows.keys()]
    wrong += [f"docs/policy.md: there is no reason {name}" for name in rows.keys() - reasons.keys()]
    wrong += [f"docs/policy.md: {name} says `{begin}`, not `{rows[name]}`"
              for name, begin in reasons.items()
              if name in rows and (not begin or not rows[name].startswith(begin.rstrip()))]
    print("\n".join(sorted(wrong)) or f"{len(reasons)} reasons are listed")
    return 1 if wrong or len(reasons) < 10 else 0


sys.exit(main())
