# SPDX-License-Identifier: MIT
"""shell.py COMMAND SECONDS: runs a command of some milliseconds ten times a second, as somebody at a
terminal does, and tells how long it took."""

import json
import subprocess
import sys
import time

EVERY_S = 0.1


def main(command: list[str], seconds: float) -> None:
    took_ms = []
    began = time.monotonic()
    while (due := began + len(took_ms) * EVERY_S) < began + seconds:
        time.sleep(max(0.0, due - time.monotonic()))
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took_ms.append(1000 * (time.monotonic() - start))
    took_ms.sort()
    at = {name: took_ms[int(part * (len(took_ms) - 1))] for name, part in (("p50", 0.5), ("p99", 0.99))}
    print(json.dumps({f"{name}_ms": round(value, 3) for name, value in at.items()}))


if __name__ == "__main__":
    main(sys.argv[1:-1], float(sys.argv[-1]))
