# SPDX-License-Identifier: MIT
"""The tables of reasons in docs/policy.md and threadcount_reason(3) are that of reasons.h.

    reasons.py SOURCE
"""

import pathlib
import re
import sys

REASON = re.compile(r'REASON\(\d+, \w+, (\w+), "([^"]+)", \\\n\s*"([^"]+)"\)')


def reasons(header: str) -> list[tuple[str, str, str]]:
    """Name, sentence, meaning."""
    def as_told(sentence: str) -> str:
        sentence = sentence.replace("{bound}", "B").replace("{s}", "s").replace("{share}", "fair share S")
        return sentence.replace("{division}", "*division*") + " -> N"
    return [(name, as_told(sentence), meaning) for name, sentence, meaning in REASON.findall(header)]


def rows_of_policy(header: str) -> list[str]:
    return [f"| `{name}` | {sentence} | {meaning} |" for name, sentence, meaning in reasons(header)]


def rows_of_manual(header: str) -> list[str]:
    """The form of scdoc: *bold* instead of `code`."""
    return [f"|  {sentence.replace('*division*', '_division_')}\n:  {meaning.replace('*', '').replace('`', '*')}".replace("_max", "\\_max")
            for _, sentence, meaning in reasons(header)]


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    header = (source / "proto/governor/v1/reasons.h").read_text()
    wrong = []
    for path, rows in (("docs/policy.md", rows_of_policy(header)),
                       ("docs/man/threadcount_reason.3.scd", rows_of_manual(header))):
        page = (source / path).read_text()
        wrong += [f"{path} lacks: {row}" for row in rows if row + "\n" not in page]
        begin = rows[0].split("\n")[0][:3]
        count = sum(line.startswith(begin) and " -> N" in line for line in page.splitlines())
        wrong += [f"{path}: {count} reasons, not {len(rows)}"] if count != len(rows) else []
    number = len(reasons(header))
    print("\n".join(wrong) or f"{number} reasons are listed")
    return 1 if wrong or number < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
