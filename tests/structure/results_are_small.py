# SPDX-License-Identifier: MIT
"""Committed results are tables, pictures and summaries; raw runs stay with the user that made them."""

import pathlib
import sys

from source_files import source_files

KIB = 1024
MOST = {".json": 20 * KIB, ".md": 100 * KIB, ".png": 150 * KIB, ".svg": 150 * KIB}
MOST_OF_ALL = 1536 * KIB


def faults(sizes):
    """A sentence for each file that is too large, or of another kind. `sizes` in bytes, by path."""
    for path, size in sizes.items():
        most = MOST.get(path.suffix, 0)
        if size > most:
            yield f"{path}: {size} bytes, at most {most} are accepted for {path.suffix or 'such a file'}"
    if sum(sizes.values()) > MOST_OF_ALL:
        yield f"all results: {sum(sizes.values())} bytes, at most {MOST_OF_ALL} are accepted"


def main():
    root = pathlib.Path(sys.argv[1])
    paths = [path for path in source_files(root) if root / "bench" / "results" in path.parents]
    wrong = list(faults({path.relative_to(root): path.stat().st_size for path in paths}))
    print("\n".join(wrong))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
