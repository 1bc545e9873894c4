# SPDX-License-Identifier: MIT
"""Runs the cases one after the other, each with a governor that has just been started."""
import importlib
import pathlib
import traceback

import governor
import programs
from expect import Unexpected, say

FOLDER = pathlib.Path(__file__).parent


def run(name):
    say(f"== {name}")
    try:
        governor.start()
        importlib.import_module(f"cases.{name}").run()
        say(f"passed: {name}")
    except Exception as error:
        if not isinstance(error, Unexpected):
            say(traceback.format_exc())
        governor.describe()
        say(f"FAILED: {name}: {error}")
    finally:
        programs.end_all()
        governor.stop()


def main():
    selected = (FOLDER / "selected").read_text().split()
    governor.install()
    for name in selected or sorted(file.stem for file in (FOLDER / "cases").glob("*.py")):
        run(name)
    say("all cases were run")


main()
