# SPDX-License-Identifier: MIT
"""The manual pages name all that the programs, the library and its headers have, and nothing else.

    manuals.py SOURCE BUILD GOVERNORD GOVERNORCTL C-COMPILER C++-COMPILER
"""

import json
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import pool_headers
from help_text import options_in, verbs_in
from manual_page import Page, bold, code_blocks, entries, table_keys

OPTION = r"--?[a-z][\w-]*"
# The fragments in section 3 may refer to this.
PRELUDE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threadcount/article.h>
#include <threadcount/timing.h>
void run_workers(unsigned threads, double *partial);
void fragment(threadcount_handle *governor, int steps, int n, double *x, const double *y);
void fragment(threadcount_handle *governor, int steps, int n, double *x, const double *y)
{
"""


def compare(where: str, what: str, real: set[str], documented: set[str]) -> list[str]:
    return ([f"{where}: no entry for {what} {name}" for name in sorted(real - documented)] +
            [f"{where}: there is no {what} {name}" for name in sorted(documented - real)])


def environment() -> dict[str, str]:
    """Ours, without what would lead the programs elsewhere."""
    return {name: value for name, value in os.environ.items()
            if not re.match(r"THREADCOUNT|XDG_RUNTIME_DIR|LISTEN_|NOTIFY_SOCKET|JOURNAL_STREAM", name)}


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment()).stdout


class Daemon:
    """A governor of this machine with nothing configured, and questions to it."""

    def __init__(self, governord: str, governorctl: str):
        self.directory = tempfile.TemporaryDirectory()
        self.socket = self.directory.name + "/socket"
        self.ask = (governorctl, "--socket", self.socket, "--json")
        self.process = subprocess.Popen([governord, "--socket", self.socket, "--config", "/dev/null"],
                                        stderr=subprocess.DEVNULL, env=environment())

    def __enter__(self) -> "Daemon":
        for _ in range(200):
            if subprocess.run([*self.ask, "status"], capture_output=True, check=False).returncode == 0:
                return self
            time.sleep(0.05)
        self.__exit__()
        raise RuntimeError("governord does not answer")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
        self.directory.cleanup()

    def answer(self, *verb: str) -> object:
        return json.loads(output(*self.ask, *verb))

    def first_event(self) -> dict:
        """The first event that monitor prints of leases that come and go."""
        with subprocess.Popen([*self.ask, "monitor"], stdout=subprocess.PIPE, env=environment()) as monitor:
            try:
                while not select.select([monitor.stdout], [], [], 0.1)[0]:
                    self.take_lease().close()
                return json.loads(monitor.stdout.readline())
            finally:
                monitor.terminate()

    def take_lease(self) -> socket.socket:
        """This process holds one until the connection is closed."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.socket)
        connection.sendall(b"\x04\x08\x01\x32\x00")  # Request{protocol: 1, hello: {}}
        connection.recv(4096)
        return connection


def check_options(page: Page, governord: str) -> list[str]:
    return compare(page.title, "option", options_in(output(governord, "--help")),
                   bold(page.entries("OPTIONS"), OPTION))


def check_verbs(page: Page, governorctl: str) -> list[str]:
    main_help = output(governorctl, "--help")
    verbs, common = verbs_in(main_help), bold(page.entries("OPTIONS"), OPTION)
    wrong = compare(page.title, "option", options_in(main_help), common)
    wrong += compare(page.title, "verb", verbs, bold(page.entries("VERBS"), r"[a-z]\S*?"))
    for verb in verbs:
        own = options_in(output(governorctl, verb, "--help")) - common
        documented = bold(entries(page.below("VERBS", f"*{verb}*")), OPTION)
        wrong += compare(page.title, f"option of {verb}", own, documented)
    return wrong


def check_json(page: Page, governorctl: str, daemon: Daemon) -> list[str]:
    wrong = []
    own = str(os.getpid())
    arguments_of = {"run": None, "demo": None, "explain": [own], "set": [own, "--max", "1"],
                    "pause": ["--all"], "resume": ["--all"], "top": ["--count", "1"]}
    documented = {verb: table_keys(page.subsection("JSON", verb))
                  for verb in verbs_in(output(governorctl, "--help"))}
    documented["explain"] |= documented["clients"]
    documented["set"] |= documented["clients"]
    wrong += compare(page.title, "JSON key of monitor", set(daemon.first_event()), documented.pop("monitor"))
    with daemon.take_lease():
        for verb in sorted(documented):
            arguments = arguments_of.get(verb, [])
            if arguments is None:  # it prints no JSON
                continue
            answer = daemon.answer(verb, *arguments)
            keys = set(answer) if isinstance(answer, dict) else set().union(*answer)
            wrong += compare(page.title, f"JSON key of {verb}", keys, documented[verb])
    return wrong


def check_keys(page: Page, daemon: Daemon) -> list[str]:
    defaults = {setting["key"]: setting["value"] for setting in daemon.answer("config")}
    wrong = compare(page.title, "key", set(defaults),
                    {entry.split("*")[1] for entry in page.entries("KEYS")})
    for key, value in defaults.items():
        if f"Default: *{value}*" not in page.below("KEYS", f"*{key}*"):
            wrong.append(f"{page.title}: {key} does not say `Default: *{value}*`")
    return wrong


def check_program_keys(page: Page, governord: str) -> list[str]:
    """Those of [program NAME], which have no defaults: the daemon lists them when it meets another one."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write("[program x]\nno_such_key = 1\n")
        file.flush()
        said = subprocess.run([governord, "--check-config", "--config", file.name], capture_output=True, text=True,
                              check=False, env=environment()).stderr
    known = re.search(r"; known: (.+)", said)
    return compare(page.title, "key of a rule", set(known[1].split(", ")) if known else set(),
                   {entry.split("*")[1] for entry in page.entries("PROGRAMS")})


def prototypes(text: str) -> dict[str, str]:
    """Function -> its declaration on one line."""
    text = re.sub(r"/\*.*?\*/|THREADCOUNT_EXPORT ", "", text, flags=re.DOTALL)
    found = re.findall(r"^((?:static inline )?\w[\w ]*[ *](\w+)\([^;{]*?\))\s*[;{]", text, re.MULTILINE)
    return {name: " ".join(declaration.split()) for declaration, name in found}


def errors_in(header: str) -> dict[str, set[str]]:
    """Function -> the errors that the comment above it names."""
    found = re.findall(r"/\*((?:(?!\*/).)*)\*/\s*(?:THREADCOUNT_EXPORT|static inline)[^;{]*?\b(\w+)\(", header,
                       re.DOTALL)
    return {name: set(re.findall(r"-E[A-Z]+", comment)) for comment, name in found}


def check_functions(pages: list[Page], source: pathlib.Path) -> list[str]:
    nodes = re.findall(r"^THREADCOUNT_\d+\.\d+ \{$(.*?)^\}", (source / "libthreadcount/threadcount.map").read_text(),
                       re.MULTILINE | re.DOTALL)
    exported = re.findall(r"^\s+(threadcount_\w+);", "".join(nodes), re.MULTILINE)
    headers = "\n".join(file.read_text() for file in sorted((source / "libthreadcount/include").rglob("*.h")))
    declared, errors = prototypes(headers), errors_in(headers)
    inline = {name for name, text in declared.items() if text.startswith("static inline")}
    wrong = compare("section 3", "function", set(exported) | inline,
                    {name for page in pages for name in page.names()})
    packaged = re.findall(r"^ (threadcount_\w+)@THREADCOUNT_\d", (source / "debian/libthreadcount1.symbols").read_text(),
                          re.MULTILINE)
    wrong += compare("debian/libthreadcount1.symbols", "function", set(exported), set(packaged))
    for page in pages:
        if page.name not in page.names():
            wrong.append(f"{page.title}: its own name is not in its NAME section")
        synopsis = prototypes(page.sections["SYNOPSIS"])
        known = bold(page.entries("ERRORS"), r"-E[A-Z]+")
        for name in page.names():
            if name not in synopsis or synopsis[name] != declared.get(name):
                wrong.append(f"{page.title}: `{synopsis.get(name)}` is not the header's `{declared.get(name)}`")
            wrong += [f"{page.title}: no entry for {error} of {name}()"
                      for error in sorted(errors.get(name, set()) - known)]
    return wrong


def check_pool(page: Page, headers: pathlib.Path) -> list[str]:
    """The C++ page: entries for all that can be named, and a synopsis of class Pool."""
    names = pool_headers.names(headers)
    documented = bold([entry for section in page.sections if section not in ("ERRORS", "ENVIRONMENT")
                       for entry in page.entries(section)], r"\w+(?:(?:::|\.)\w+)?")
    synopsis = set(re.findall(r"(\w+)\(", page.sections["SYNOPSIS"])) - {"Pool"}
    return (compare(page.title, "name", names, documented) +
            compare(page.title + ", SYNOPSIS", "function", {name for name in names if name.isidentifier()}, synopsis) +
            compare(page.title, "exception", pool_headers.exceptions(headers),
                    bold(page.entries("ERRORS"), r"(?:std::)?\w+")))


def check_environment(page: Page, folder: pathlib.Path) -> list[str]:
    """A variable that the sources read or name has an entry; other variables of ours have none."""
    text = "\n".join(file.read_text() for file in sorted(folder.rglob("*.cpp")))
    read = set(re.findall(r'getenv\("([A-Z_]+)"', text)) | set(re.findall(r'"(THREADCOUNT(?:_[A-Z]+)?)"', text))
    documented = bold(page.entries("ENVIRONMENT"), r"[A-Z_]+")
    ours = {name for name in documented if name.startswith("THREADCOUNT")}
    return compare(page.title, "variable", read, documented & read | ours)


def check_journal(page: Page, source: pathlib.Path) -> list[str]:
    """Fields, and the IDs of those messages that are logged somewhere."""
    log = (source / "governor/server/journal/log.cpp").read_text()
    rest = "\n".join(file.read_text() for room in ("server", "daemon")
                     for file in sorted((source / "governor" / room).rglob("*.cpp")) if file.name != "log.cpp")
    fields = set(re.findall(r'"([A-Z_]+)=', log)) | set(re.findall(r'\{"([A-Z_]+)",', rest))
    ids = dict(re.findall(r'case Event::(\w+):\s+return "([0-9a-f]{32})"', log))
    logged = {ids.get(event, event) for event in re.findall(r"\bEvent::(\w+)", rest)}
    documented = page.entries("LOGGING")
    return (compare(page.title, "field", fields, bold(documented, r"[A-Z_]+")) +
            compare(page.title, "message ID", logged, bold(documented, r"[0-9a-f]{32}")))


def check_built(pages: list[Page], built: pathlib.Path) -> list[str]:
    """Every page and every alias is there; mandoc finds nothing wrong."""
    wrong = []
    for page in pages:
        file = f"man{page.section}/{page.name}.{page.section}"
        for name in page.names():
            alias = built / f"man{page.section}/{name}.{page.section}"
            if not alias.is_file() or name != page.name and alias.read_text() != f".so {file}\n":
                wrong.append(f"{alias}: is not there, or is no alias of {file}")
        if shutil.which("mandoc") is None:
            continue
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", file], cwd=built, capture_output=True,
                              text=True, check=False).stdout
        # scdoc begins a paragraph below every header, where there is one already.
        wrong += [line for line in lint.splitlines() if "skipping paragraph macro" not in line]
    return wrong


def check_examples(pages: list[Page], built: pathlib.Path, compiler: list[str], fewest: int) -> list[str]:
    wrong, compiled = [], 0
    for page in pages:
        for code in code_blocks((built / f"man{page.section}/{page.name}.{page.section}").read_text()):
            whole = code if "int main" in code else PRELUDE + code + "}\n"
            result = subprocess.run([*compiler, "-Wall", "-Werror", "-fsyntax-only", "-"], input=whole,
                                    capture_output=True, text=True, check=False)
            compiled += 1
            if result.returncode != 0:
                wrong.append(f"{page.title}: an example does not compile:\n{result.stderr}")
    return wrong if compiled >= fewest else wrong + [f"only {compiled} examples were found"]


def main() -> int:
    source, build = (pathlib.Path(argument) for argument in sys.argv[1:3])
    governord, governorctl, c_compiler, cxx_compiler = sys.argv[3:]
    pages = {page.title: page for page in map(Page, sorted((source / "docs/man").glob("*.scd")))}
    pool = pages["threadcount_pool(3)"]
    library = [page for page in pages.values() if page.section == "3" and page is not pool]
    headers, pool_folder = source / "libthreadcount/include", source / "libthreadcount/pool/include"

    wrong = check_options(pages["governord(8)"], governord)
    wrong += check_verbs(pages["governorctl(1)"], governorctl)
    with Daemon(governord, governorctl) as daemon:
        wrong += check_json(pages["governorctl(1)"], governorctl, daemon)
        wrong += check_keys(pages["governord.conf(5)"], daemon)
    wrong += check_program_keys(pages["governord.conf(5)"], governord)
    wrong += check_functions(library, source)
    wrong += check_pool(pool, pool_folder)
    wrong += check_environment(pages["threadcount(7)"], source / "libthreadcount/src")
    wrong += check_environment(pages["governorctl(1)"], source / "governor/ctl")
    wrong += check_environment(pages["governord(8)"], source / "governor/daemon")
    wrong += check_journal(pages["governord(8)"], source)
    if not (build / "man").is_dir():
        print("skipped: scdoc was not found, so there are no built pages to lint and to compile examples of")
    else:
        wrong += check_built(list(pages.values()), build / "man")
        wrong += check_examples([*library, pages["threadcount(7)"]], build / "man",
                                [c_compiler, "-x", "c", "-std=gnu11", "-fopenmp", "-I", str(headers)], fewest=5)
        wrong += check_examples([pool], build / "man", [cxx_compiler, "-x", "c++", "-std=c++20", "-I", str(headers),
                                                        "-I", str(pool_folder)], fewest=1)
        if shutil.which("mandoc") is None:
            print("skipped: mandoc is not installed, so the pages were not linted")
    print("\n".join(wrong) or f"{len(pages)} manual pages say what there is")
    return 1 if wrong else 0


sys.exit(main())
