# SPDX-License-Identifier: MIT
"""Shells complete each verb and option of governorctl that its help shows, and no other.

    completion.py SOURCE GOVERNORCTL

The scripts for the shells are run where the shell is installed; bash always.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from help_text import options_in, verbs_in

BASH = """
_command_offset() { echo "command at $1"; }
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_governorctl
printf '%s\\n' "${COMPREPLY[@]}"
"""


def output(*command: str, **options: object) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def typed_into_bash(script: pathlib.Path, keys: str, wanted: str, folder: str, environment: dict[str, str]) -> str:
    """What a terminal shows of these keys, until `wanted` is there or 20 s are over."""
    screen, terminal = pty.openpty()
    shell = subprocess.Popen(["bash", "--noprofile", "--norc", "-i"], stdin=terminal, stdout=terminal, stderr=terminal,
                             cwd=folder, start_new_session=True,
                             env=dict(environment, TERM="dumb", INPUTRC="/dev/null", PS1="", HISTFILE=""))
    os.close(terminal)
    os.write(screen, f". '{script}'; echo $((40 + 2))\n".encode())
    shown, keys_left, end = "", keys, time.monotonic() + 20
    try:
        while time.monotonic() < end and (keys_left or wanted not in shown):
            if select.select([screen], [], [], 0.1)[0]:
                shown += os.read(screen, 4096).decode()
            if keys_left and "42" in shown:
                os.write(screen, keys.encode())
                keys_left = ""
    finally:
        shell.kill()
        shell.wait()
        os.close(screen)
    return shown


def asks_there(governorctl: pathlib.Path, *words: str, environment: dict[str, str]) -> bool:
    """Whether completion of `words`, of which one has PATH in it, asks a governor there."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(folder + "/socket")
        listener.listen()
        listener.settimeout(0)
        output(str(governorctl), "complete", *(word.replace("PATH", folder + "/socket") for word in words), env=environment)
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


class Shells:
    """What the scripts of the shells offer for a command line whose last word is not complete."""

    def __init__(self, scripts: pathlib.Path, environment: dict[str, str]):
        self.scripts, self.environment = scripts, environment
        self.names = ["bash"] + (["fish"] if shutil.which("fish") else [])

    def offered(self, shell: str, *words: str) -> set[str]:
        if shell == "bash":
            said = output("bash", "-c", BASH, "_", str(self.scripts / "governorctl.bash"), *words,
                          env=self.environment)
        else:
            said = output("fish", "--no-config", "-c", 'source $argv[1]; complete -c made-up -l word; complete -C "$argv[2..]"',
                          str(self.scripts / "governorctl.fish"), *words, env=self.environment)
        return {line.split("\t")[0] for line in said.splitlines() if line}


def main() -> int:
    source, governorctl = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    scripts = source / "governor/ctl/completion"
    wrong = []

    def expect(what: str, wanted: set[str], offered: set[str]) -> None:
        for name in sorted(wanted - offered):
            wrong.append(f"{what}: {name} is not offered")
        for name in sorted(offered - wanted):
            wrong.append(f"{what}: {name} is offered")

    def offered_words(*words: str) -> set[str]:
        said = output(str(governorctl), "complete", *words, env=environment)
        return {line.split("\t")[0] for line in said.splitlines()}

    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, PATH=f"{governorctl.parent}:{os.environ['PATH']}",
                           THREADCOUNT_SOCKET=home + "/nobody")
        main_help = output(str(governorctl), "--help")
        verbs, common = verbs_in(main_help), options_in(main_help)
        expect("verbs", verbs, offered_words(""))
        expect("options", common, offered_words("-"))
        for words in ("",), ("-",), *((verb, "-") for verb in sorted(verbs)):
            for line in output(str(governorctl), "complete", *words, env=environment).splitlines():
                if re.search(r"[^. ]\. ", line):
                    wrong.append(f"more than a sentence is offered: {line}")
        for words in ("--socket", "PATH", "explain", ""), ("--socket=PATH", "explain", ""), \
                ("--socket", "=", "PATH", "explain", ""), ("explain", "--socket", "PATH", ""):
            if not asks_there(governorctl, *words, environment=environment):
                wrong.append(f"{' '.join(words)} asks no governor at PATH")
        for verb in sorted(verbs):
            options = options_in(output(str(governorctl), verb, "--help")) | common
            expect(verb, options, offered_words(verb, "-"))
            expect(f"{verb} behind --json", options, offered_words("--json", verb, "-"))
        shells = Shells(scripts, environment)
        run_options = {name for name in options_in(output(str(governorctl), "run", "--help")) | common
                       if name.startswith("--")}
        for shell in shells.names:
            expect(f"{shell}, verbs", verbs, shells.offered(shell, "governorctl", ""))
            expect(f"{shell}, classes", {"interactive", "batch"}, shells.offered(shell, "governorctl", "set", "--class", ""))
            expect(f"{shell}, fairly", run_options, shells.offered(shell, "fairly", "--"))
            expect(f"{shell}, no verb", set(), shells.offered(shell, "governorctl", "no-such-verb", ""))
            expect(f"{shell}, a number", set(), shells.offered(shell, "governorctl", "advise", "--max", ""))
        expect("bash, a program", {"command at 4"}, shells.offered("bash", "governorctl", "run", "--max", "3", "make"))
        expect("bash, its words", {"command at 5"},
               shells.offered("bash", "fairly", "--max", "=", "3", "--", "make", "--jo"))
        pathlib.Path(home, "folder", "below").mkdir(parents=True)
        pathlib.Path(home, "a b").touch()
        for keys, wanted in ("--socket fol\t", "--socket folder/"), ("--socket a\t", "--socket a\\ b "):
            shown = typed_into_bash((scripts / "governorctl.bash").absolute(), "governorctl " + keys, wanted, home, environment)
            if wanted not in shown:
                wrong.append(f"bash, {keys!r}: no {wanted!r} in {shown!r}")
        if "fish" in shells.names:
            expect("fish, a program's words", {"--word"}, shells.offered("fish", "fairly", "--max", "3", "made-up", "--wo"))
        if shutil.which("zsh"):
            output("zsh", "-n", str(scripts / "_governorctl"))
    print("\n".join(wrong) or f"{', '.join(shells.names)} complete {len(verbs)} verbs")
    return 1 if wrong else 0


sys.exit(main())
