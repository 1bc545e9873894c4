# SPDX-License-Identifier: MIT
"""The examples of rules work under governord.service. Its daemon does not see what other users run, so a
rule that asks for an executable applies to nothing there."""

import pathlib
import re
import sys

EXECUTABLE = re.compile(r"^[\s#;]*executable\s*[=:]", re.MULTILINE)


def main() -> int:
    checkout = pathlib.Path(sys.argv[1])
    files = [checkout / "README.md", *checkout.glob("systemd/**/*.conf"), *checkout.glob("docs/**/*.md"),
             *checkout.glob("docs/man/*.scd")]
    wrong = [f"{file.relative_to(checkout)}: {found.group().strip()} in an example: ask for user and label"
             for file in files for found in EXECUTABLE.finditer(file.read_text())]
    print("\n".join(wrong) or f"{len(files)} files")
    return 1 if wrong else 0


sys.exit(main())
