# SPDX-License-Identifier: MIT
"""Every document, and the comments of every room, are easy to read, or at least not harder than they were.

    plain_english.py CHECKOUT                fails where a text has more faults than its goals and its ceiling accept
    plain_english.py CHECKOUT --report       all texts with their figures
    plain_english.py CHECKOUT --show TEXT    the sentences of TEXT that have a fault
    plain_english.py CHECKOUT --ceilings     today's faults of all texts that miss a goal, as prose_ceilings.txt has them

A room is a folder of governor, libthreadcount, tests or bench. A text that misses a goal is listed in
prose_ceilings.txt with the faults that it may keep. The list only gets shorter, and its numbers smaller.
"""

import pathlib
import sys

import prose
from source_files import source_files

HOUSES = ("governor", "libthreadcount", "tests", "bench")
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
            paragraphs = prose.prose(path, file.read_text(encoding="utf-8")) if name else None
        except UnicodeDecodeError:
            continue
        if paragraphs is not None:
            found.setdefault(name, []).extend(paragraphs)
    return found


def read_ceilings(text):
    """The most faults of each text that misses a goal, from lines of a name and three numbers."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {name: tuple(map(int, numbers)) for name, *numbers in lines}


def wrong(counts, ceilings):
    """A sentence for each text with more faults than accepted, and for each that needs its ceiling no more."""
    for name in sorted(ceilings.keys() - counts.keys()):
        yield f"{name}: there is no such text, remove it from prose_ceilings.txt"
    for name, count in sorted(counts.items()):
        ceiling = ceilings.get(name, (0, 0, 0))
        for kind, faults, goal, most in zip(KINDS, count.faults(), count.goals(), ceiling):
            if faults > max(goal, most):
                yield f"{name}: {faults} times {kind}, at most {max(goal, most)} are accepted (see --show {name})"
        if name in ceilings and passes(count):
            yield f"{name}: meets its goals, remove it from prose_ceilings.txt"


def passes(count):
    return all(faults <= goal for faults, goal in zip(count.faults(), count.goals()))


def report(counts):
    yield f"{'text':60} {'words':>6} {'sentences':>9} {'who/1000':>8} {'clauses':>8} {'long':>6}"
    for name, count in sorted(counts.items()):
        of_all = max(1, count.sentences)
        yield (f"{name:60} {count.words:6} {count.sentences:9} {1000 * count.who / max(1, count.words):8.1f}"
               f" {100 * count.clauses / of_all:7.1f}% {100 * count.long / of_all:5.1f}%"
               f"{'' if passes(count) else '  misses a goal'}")


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
    if option == "--ceilings":
        print("\n".join(f"{text} {' '.join(map(str, count.faults()))}"
                        for text, count in sorted(counts.items()) if not passes(count)))
        return 0
    table = pathlib.Path(__file__).with_name("prose_ceilings.txt").read_text(encoding="utf-8")
    faults = list(wrong(counts, read_ceilings(table)))
    for fault in faults:
        print(fault)
    return 1 if faults or not counts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
