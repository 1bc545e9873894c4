# SPDX-License-Identifier: MIT
"""Every document, and the comments and messages of every room, are easy to read.

    plain_english.py CHECKOUT                fails if a text has more faults than its goals accept
    plain_english.py CHECKOUT --report       all texts with their figures
    plain_english.py CHECKOUT --show TEXT    the sentences of TEXT that have a fault

A room is a folder of governor, libthreadcount, tests or bench. Its messages, such as help texts and errors, are
a text of their own, as in "governor/ctl:messages".
"""

import pathlib
import sys

import prose
from source_files import source_files

HOUSES = ("governor", "libthreadcount", "tests", "bench")
TALK = ("governor", "libthreadcount")  # to users
KINDS = ('"who"', "sentences that start with a clause", f"sentences of more than {prose.LONG} words")


def name_of(path):
    """The text that a file belongs to, or None. A document is a text of its own."""
    if path.suffix in (".md", ".scd"):
        return path.as_posix()
    return "/".join(path.parts[:-1][:2]) if path.parts[0] in HOUSES else None


def texts(root):
    """The paragraphs of all texts, by name."""
    found = {}
    for file in sorted(source_files(root)):
        path = file.relative_to(root)
        name = name_of(path)
        try:
            text = file.read_text(encoding="utf-8") if name else ""
        except UnicodeDecodeError:
            continue
        paragraphs = prose.prose(path, text)
        if name and paragraphs is not None:
            found.setdefault(name, []).extend(paragraphs)
        if name and path.parts[0] in TALK:
            found.setdefault(f"{name}:messages", []).extend(prose.messages(path, text))
    return found


def wrong(counts):
    """A sentence for each goal that a text misses."""
    for name, count in sorted(counts.items()):
        for kind, faults, goal in zip(KINDS, count.faults(), count.goals()):
            if faults > goal:
                yield (f"{name}: {faults} times {kind}, at most {goal} are accepted"
                       f" (plain_english.py . --show {name} lists them)")


def report(counts):
    yield f"{'text':60} {'words':>6} {'sentences':>9} {'who/1000':>8} {'clauses':>8} {'long':>6}"
    for name, count in sorted(counts.items()):
        of_all = max(1, count.sentences)
        yield (f"{name:60} {count.words:6} {count.sentences:9} {1000 * count.who / max(1, count.words):8.1f}"
               f" {100 * count.clauses / of_all:7.1f}% {100 * count.long / of_all:5.1f}%"
               f"{'  misses a goal' if list(wrong({name: count})) else ''}")


def show(paragraphs):
    for sentence in prose.sentences(paragraphs):
        faults = prose.faults_of(sentence)
        if any(faults):
            names = (name for name, fault in zip(("who", "clause", "long"), faults) if fault)
            yield f"[{', '.join(names)}] {sentence}"


def main(checkout, option="", name=""):
    found = texts(pathlib.Path(checkout).resolve())
    if option == "--show":
        print("\n".join(show(found[name])))
        return 0
    counts = {text: prose.count(paragraphs) for text, paragraphs in found.items()}
    if option == "--report":
        print("\n".join(report(counts)))
        return 0
    faults = list(wrong(counts))
    for fault in faults:
        print(fault)
    return 1 if faults or not counts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
