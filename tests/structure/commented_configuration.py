# SPDX-License-Identifier: MIT
"""The commented governord.conf is true: it names every key of the daemon, its default and range. Its example
of a rule has every key that a rule can have under governord.service."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ASSIGNMENT = re.compile(r"^#(\w+) = (.*)$", re.MULTILINE)
NOT_UNDER_THE_UNIT = {"executable"}
RULE = re.compile(r"^#(\[program \S+\])$", re.MULTILINE)


class Daemon:
    """The answers of a governord and its governorctl about a configuration."""

    def __init__(self, governord: str, governorctl: str, machine: str, folder: pathlib.Path):
        self.governord, self.governorctl, self.machine = governord, governorctl, machine
        self.socket, self.file = folder / "socket", folder / "governord.conf"

    def mistakes(self, text: str) -> str:
        self.file.write_text(text)
        return subprocess.run([self.governord, "--check-config", "--config", self.file],
                              capture_output=True, text=True, check=False).stderr

    def settings(self, text: str) -> list[dict]:
        """In the daemon's order, as it says them with this file."""
        self.file.write_text(text)
        daemon = subprocess.Popen([self.governord, "--config", self.file, "--socket", self.socket,
                                   "--root", self.machine], stderr=subprocess.DEVNULL)
        try:
            said = ""
            while not said and daemon.poll() is None:
                said = subprocess.run([self.governorctl, "--socket", self.socket, "--json", "config"],
                                      capture_output=True, text=True, check=False).stdout
                time.sleep(0.01)
            return json.loads(said or "[]")
        finally:
            daemon.terminate()
            daemon.wait()

    def accepted(self, section: str, key: str) -> str:
        """Text that is no ASCII is accepted nowhere, but looked up as a user."""
        value = "\N{BULLET}" if key != "user" else ""
        found = re.search(r"accepted: (.*)", self.mistakes(f"{section}\n{key} = {value}\n"))
        return found.group(1) if found else "(anything?)"

    def keys(self, section: str) -> list[str]:
        found = re.search(r"; known: (.*)", self.mistakes(f"{section}\nno_such_key = 1\n"))
        return found.group(1).split(", ") if found else []


def comments_above(text: str) -> dict[str, str]:
    """Key -> the prose in front of it, in one line."""
    prose, above = [], {}
    for line in text.splitlines():
        assignment = ASSIGNMENT.match(line)
        if assignment:
            above[assignment.group(1)] = " ".join(prose)
        prose = prose + [line[2:]] if line.startswith("# ") else []
    return above


def without_range(section: str, keys: list[str], text: str, daemon: Daemon) -> list[str]:
    above = comments_above(text)
    return [f"{key}: its comment does not say: Accepted: {daemon.accepted(section, key)}"
            for key in keys if f"Accepted: {daemon.accepted(section, key)}" not in above.get(key, "")]


def wrong_settings(text: str, daemon: Daemon) -> list[str]:
    defaults = daemon.settings(text)
    told = ASSIGNMENT.findall(text)
    true = [(row["key"], row["value"]) for row in defaults]
    wrong = [f"the file says {told},\nthe daemon says  {true}"] if told != true else []
    wrong += [f"{row['key']}: set, not a comment" for row in defaults if row["origin"] != "default"]
    wrong += without_range("[governor]", [key for key, _ in true], text, daemon)
    uncommented = ASSIGNMENT.sub(r"\1 = \2", text)
    wrong += filter(None, [daemon.mistakes(uncommented)])
    if not wrong:
        changed = [row for row in daemon.settings(uncommented)
                   if (row["key"], row["value"]) not in true or row["origin"] == "default"]
        wrong += [f"uncommented, but not taken as it stands there: {row}" for row in changed]
    return wrong


def wrong_rule(section: str, text: str, daemon: Daemon) -> list[str]:
    """Values aside: they are an example, and a user's name is shown as a number."""
    told, known = [key for key, _ in ASSIGNMENT.findall(text)], [
        key for key in daemon.keys(section) if key not in NOT_UNDER_THE_UNIT]
    wrong = [f"the rule has {told},\nthe daemon knows {known}"] if told != known or not known else []
    wrong += without_range(section, known, text, daemon)
    uncommented = section + ASSIGNMENT.sub(r"\1 = \2", text)
    wrong += filter(None, [daemon.mistakes(uncommented)])
    if not wrong:
        shown = [row["key"] for row in daemon.settings(uncommented) if row["program"]]
        wrong += [f"uncommented, the daemon shows {shown}"] if shown != told else []
    return wrong


def wrong_in(text: str, daemon: Daemon) -> list[str]:
    parts = RULE.split(text)
    if len(parts) != 3:
        return ["there is not one example of a rule, as a comment"]
    settings, section, rule = parts
    return wrong_settings(settings, daemon) + wrong_rule(section, rule, daemon)


def main() -> int:
    file, governord, governorctl, machine = sys.argv[1:]
    text = pathlib.Path(file).read_text()
    with tempfile.TemporaryDirectory() as folder:
        wrong = wrong_in(text, Daemon(governord, governorctl, machine, pathlib.Path(folder)))
    print("\n".join(wrong) or f"{len(ASSIGNMENT.findall(text))} keys with their defaults and ranges")
    return 1 if wrong else 0


sys.exit(main())
