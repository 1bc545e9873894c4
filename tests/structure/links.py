# SPDX-License-Identifier: MIT
"""Each relative link of a Markdown file leads to a file of the sources, and to a heading that it has."""

import pathlib
import re
import sys

from source_files import source_files

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def anchors(page):
    """The names of a page's headings in links to it."""
    headings = re.findall(r"^#+ +(.*)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def broken(root, there):
    """A sentence for each link that leads nowhere. `there`: the files of the sources below `root`."""
    folders = {parent for path in there for parent in path.parents}
    for page in sorted(path for path in there if path.suffix == ".md"):
        text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if target not in there and target not in folders:
                yield f"{page.relative_to(root)}: {link} is no file of the sources"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{page.relative_to(root)}: {link}, there is no such heading"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    wrong = list(broken(root, set(source_files(root))))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
