# SPDX-License-Identifier: MIT
"""The output of cases. A case ends at the first expectation that is not met."""
import time


class Unexpected(Exception):
    pass


def say(text):
    print(text, flush=True)


def expect(condition, what):
    if not condition:
        raise Unexpected(what)
    say(f"ok: {what}")


def now_ms():
    """The machine's clock, which is also that of the programs' lines."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000


def wait_for(what, condition, seconds=60):
    """Waits until the condition is true; answers what it answered. The time that it takes is not tested."""
    begin = now_ms()
    while not (answer := condition()):
        if now_ms() - begin > 1000 * seconds:
            raise Unexpected(f"waited {seconds} s for {what}")
        time.sleep(0.3)  # asking costs an emulated machine a lot
    say(f"ok: {what}, after {now_ms() - begin} ms")
    return answer
