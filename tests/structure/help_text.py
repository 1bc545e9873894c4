# SPDX-License-Identifier: MIT
"""What --help of our programs lists."""

import re


def options_in(help_text: str) -> set[str]:
    names = re.findall(r"^ {2}((?:-\w, *)?-[\w-]+)", help_text, re.MULTILINE)
    return {name.strip() for pair in names for name in pair.split(",")}


def verbs_in(help_text: str) -> set[str]:
    listed = re.split(r"^Subcommands:\n", help_text, flags=re.MULTILINE | re.IGNORECASE)[1]
    return set(re.findall(r"^ {2}([a-z]\S*)", listed.split("\n\n")[0], re.MULTILINE))
