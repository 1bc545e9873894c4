# SPDX-License-Identifier: MIT
"""Computes in as many processes as there are CPUs, as multiprocessing does."""

import multiprocessing
import sys

CHUNK = 100_000


def total(first: int) -> int:
    x = first
    for n in range(first, first + CHUNK):
        x = (x * 6364136223846793005 + n) & 0xFFFFFFFF
    return x & 255


if __name__ == "__main__":
    chunks = int(sys.argv[1])
    with multiprocessing.Pool() as pool:
        print(sum(pool.imap_unordered(total, range(0, chunks * CHUNK, CHUNK), chunksize=4)))
