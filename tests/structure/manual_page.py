# SPDX-License-Identifier: MIT
"""The contents of a manual page: its sections and entries, read from its scdoc source, and its examples."""

import pathlib
import re


class Page:
    """NAME.SECTION.scd. An entry is a line in bold at its start with indented text below it."""

    def __init__(self, source: pathlib.Path):
        self.name, self.section = source.name.removesuffix(".scd").rsplit(".", 1)
        self.title = f"{self.name}({self.section})"
        parts = re.split(r"^# (.+)\n", source.read_text(), flags=re.MULTILINE)
        self.sections = dict(zip(parts[1::2], parts[2::2]))

    def names(self) -> list[str]:
        """Everything that the page describes, as its NAME section lists it."""
        return self.sections["NAME"].split(" - ")[0].strip().split(", ")

    def entries(self, section: str) -> list[str]:
        return entries(self.sections.get(section, ""))

    def below(self, section: str, entry: str) -> str:
        """The text of one entry of a section, without its indentation."""
        found = re.search(rf"^{re.escape(entry)}.*\n((?:\t.*\n|\n)*)", self.sections[section], re.MULTILINE)
        return re.sub(r"^\t", "", found[1], flags=re.MULTILINE) if found else ""

    def subsection(self, section: str, name: str) -> str:
        parts = re.split(r"^## (.+)\n", self.sections.get(section, ""), flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2])).get(name, "")


def entries(text: str) -> list[str]:
    return re.findall(r"^(\*.+)\n(?=\t)", text, re.MULTILINE)


def bold(texts: list[str], pattern: str) -> set[str]:
    """All words in bold that match."""
    return {word for text in texts for word in re.findall(rf"\*({pattern})\*", text)}


def table_keys(text: str) -> set[str]:
    """The words in bold in the first column."""
    return bold(re.findall(r"^(?:\[\[|\|) +(.*)", text, re.MULTILINE), r"\w+")


def code_blocks(roff: str) -> list[str]:
    """The code among the EXAMPLES of a built page, as a reader sees it."""
    examples = roff.partition(".SH EXAMPLES\n")[2].partition("\n.SH ")[0]
    blocks = re.findall(r"^\.nf\n\.RS 4\n(.*?)^\.fi$", examples, re.MULTILINE | re.DOTALL)
    plain = [block.replace(r"\&", "").replace("\\\\", "\\") for block in blocks]
    return [block for block in plain if block.rstrip()[-1] in ";}"]
