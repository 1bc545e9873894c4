# SPDX-License-Identifier: MIT
"""The documents for users tell them to type what there is, and README is short.

    user_documents.py SOURCE GOVERNORD GOVERNORCTL FAIRLY LIBRARY INCLUDE -- COMPILER FLAGS...

Each command of governorctl and fairly in them is taken by its options, each configuration is right, and each sample
in C compiles and runs, without a governor."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from help_text import options_in, verbs_in

DOCUMENTS = ["README.md", *(f"docs/{name}.md" for name in
                            ("getting_started", "problems", "install", "packages", "configure", "turns"))]
MOST = {"lines": 130, "columns": 100, "words": 900}  # of README
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
C_SAMPLE = re.compile(r"^```c\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONFIGURATION = re.compile(r"^```ini\n(.*?)^```", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^ {4}(.*)$|`([^`\n]+)`", re.MULTILINE)
# ends where a shell ends it, or where a comment begins
COMMAND = re.compile(r"\b(fairly|governorctl)((?: +(?:'[^']*'|\$\([^)]*\)|[^\s|;&<>)#]+))+)")
WITH_VALUE = {"--max", "--job", "--socket"}
QUESTIONS = {"status", "advise", "cpus", "config", "clients", "explain", "top", "monitor", "set", "pause", "resume",
             "doctor"}


def sizes(page):
    return {"lines": page.count("\n"), "columns": max(map(len, page.splitlines())), "words": len(page.split())}


def of_run(words):
    """The options in front of the program, which only says what it would do."""
    end = 0
    while end < len(words) and words[end].startswith("-") and words[end] != "--":
        end += 2 if words[end] in WITH_VALUE else 1
    return [*words[:end], "--dry-run", "--", "true"]


def commands(page):
    """Each command of ours in the page, and how to try it without a governor."""
    for line in ("".join(found) for found in TYPED.findall(FENCED.sub("", page))):
        line = re.sub(r"\$\(pidof [^)]*\)|\bPID\b", "1", line)
        for program, rest in COMMAND.findall(line):
            words = shlex.split(rest)
            verb = next((word for before, word in zip(["", *words], words)
                         if not word.startswith("-") and before not in WITH_VALUE), "")
            if program == "fairly":
                yield line, [program, *of_run(words)]
            elif verb == "run":
                yield line, [program, "run", *of_run(words[words.index("run") + 1:])]
            elif re.fullmatch(r"[a-z]+", verb):
                yield line, [program, *words]


def help_of(*command):
    return subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout


def unknown(program, words):
    """Of a command that is not tried: the verb, or an option, that --help does not name."""
    verb = words[0]
    if verb not in verbs_in(help_of(program)):
        return verb
    known = options_in(help_of(program, verb))
    return next((word for word in words if word.startswith("-") and word not in known), "")


def refused(page, programs):
    for command, line in {tuple(command): line for line, command in commands(page)}.items():
        if command[0] == "governorctl" and "run" not in command and not QUESTIONS & set(command):
            if wrong := unknown(programs["governorctl"], command[1:]):
                yield f"{line}: there is no {wrong}"
            continue
        tried = subprocess.run([programs[command[0]], *command[1:]], stdin=subprocess.DEVNULL, check=False,
                               capture_output=True, text=True, timeout=30)
        if tried.returncode not in (0, 3):  # 3: there is no governor
            yield f"{line}: exit status {tried.returncode}: {tried.stderr.strip()}"


def mistakes(configuration, governord):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(configuration)
        file.flush()
        checked = subprocess.run([governord, "--check-config", "--config", file.name], check=False,
                                 capture_output=True, text=True, timeout=30)
    return checked.stderr if checked.returncode != 0 else ""


def broken(sample, library, include, compiler):
    with tempfile.TemporaryDirectory() as directory:
        source, binary = pathlib.Path(directory, "sample.c"), pathlib.Path(directory, "sample")
        source.write_text(sample)
        built = subprocess.run([*compiler, "-O2", "-Wall", "-Wextra", "-Werror", f"-I{include}", source, "-fopenmp", library,
                                f"-Wl,-rpath,{pathlib.Path(library).parent}", "-o", binary],
                               check=False, capture_output=True, text=True)
        if built.returncode != 0:
            return built.stderr
        ran = subprocess.run([binary], check=False, capture_output=True, text=True, timeout=60,
                             env={**os.environ, "OMP_NUM_THREADS": "1"})  # several spin, beside a build for minutes
        return ran.stderr or ("" if ran.returncode == 0 else f"exit status {ran.returncode}")


def main():
    source, governord, governorctl, fairly, library, include = sys.argv[1:7]
    compiler = sys.argv[sys.argv.index("--") + 1:]
    os.environ["THREADCOUNT_SOCKET"] = "/nowhere/governord.sock"
    wrong, samples, tried = [], 0, 0
    for name in DOCUMENTS:
        page = pathlib.Path(source, name).read_text(encoding="utf-8")
        tried += len(list(commands(page)))
        wrong += [f"{name}: {sentence}" for sentence in
                  refused(page, {"governorctl": governorctl, "fairly": fairly})]
        wrong += [f"{name}: a configuration: {error}" for text in CONFIGURATION.findall(page)
                  if (error := mistakes(text, governord))]
        for sample in C_SAMPLE.findall(page):
            samples += 1
            if error := broken(sample, library, include, compiler):
                wrong.append(f"{name}: a sample in C: {error}")
        if name == "README.md":
            wrong += [f"{name}: {size} {what}, at most {MOST[what]}"
                      for what, size in sizes(page).items() if size > MOST[what]]
    if samples < 1 or tried < 30:
        wrong.append(f"only {samples} samples and {tried} commands were found")
    print("\n".join(wrong) or f"{tried} commands, {samples} samples")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
