# SPDX-License-Identifier: MIT
"""The floors of the house: includes only go down, and rooms of one floor do not know each other."""

import pathlib
import re
import sys

# Room -> the rooms whose headers it may include, itself aside.
ALLOWED = {
    "governor/policy": {"proto"},
    "governor/probe": {"policy"},
    "governor/evidence": {"policy"},
    "governor/registry": {"policy", "evidence"},
    "governor/config": {"policy"},
    "governor/server": {"policy", "probe", "evidence", "registry", "config", "proto"},
    "governor/daemon": {"policy", "probe", "registry", "config", "server"},
    "governor/ctl": {"proto", "libthreadcount"},
    "governor/ctl/demo": {"proto", "probe", "libthreadcount"},
    "governor/ctl/outside": {"policy", "probe"},
    "libthreadcount/adopt": {"libthreadcount"},
    "libthreadcount/pool": {"libthreadcount"},
    "libthreadcount": {"proto"},
    "proto": set(),
}
ROOMS = {"policy", "probe", "evidence", "registry", "config", "server", "daemon", "ctl"}
# The rooms of the server, lowest first: each may include itself and those before it. Only the
# wiring, server.cpp and server.hpp, is in none.
SERVER_ROOMS = ["kernel", "journal", "connections", "sharing", "answers"]
WIRING = {"server.cpp", "server.hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def room_of(path: str) -> str:
    return next(room for room in sorted(ALLOWED, key=len, reverse=True) if path.startswith(room + "/"))


def target_of(header: str) -> str | None:
    first = header.split("/")[0]
    if header.startswith("governor/v1/"):
        return "proto"
    if header.startswith("threadcount/pool"):
        return "pool"
    if first == "threadcount":
        return "libthreadcount"
    return first if first in ROOMS and "/" in header else None


def wrong_in_server(path: str, headers: list[str]) -> list[str]:
    """The faults of a file of the server in what it includes of the server."""
    place = path.split("/")[2:]
    if len(place) == 1:
        return [] if place[0] in WIRING else [f"{path}: belongs into a room: {', '.join(SERVER_ROOMS)}"]
    if place[0] not in SERVER_ROOMS:
        return [f"{path}: no room of the server's is called {place[0]}"]
    floor = SERVER_ROOMS.index(place[0])
    above = {f"server/{room}" for room in SERVER_ROOMS[floor + 1:]} | {"server"}
    return [f"{path}: includes <{header}>, which is above server/{place[0]}"
            for header in headers if header.startswith("server/") and header.rsplit("/", 1)[0] in above]


CLOCK = "kernel/event_loop.hpp"


def reads_time(path: str, text: str) -> list[str]:
    """The server has one clock: EventLoop::now()."""
    is_clock = path.endswith(CLOCK)
    return [f"{path}: reads the time; only {CLOCK} does" for _ in re.findall(r"_clock::now\(", text) if not is_clock]


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    wrong, files = [], 0
    for top in ("governor", "libthreadcount", "proto"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in {".c", ".cpp", ".h", ".hpp"}:
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            room = room_of(path)
            text = file.read_text()
            headers = INCLUDE.findall(text)
            if room == "governor/server":
                wrong += wrong_in_server(path, headers) + reads_time(path, text)
            for header in headers:
                target = target_of(header)
                own = target is None or target == room.rsplit("/", 1)[-1]
                if not own and target not in ALLOWED[room]:
                    wrong.append(f"{path}: includes <{header}>; {room} may include: "
                                 f"{', '.join(sorted(ALLOWED[room])) or 'nothing of ours'}")
    print("\n".join(wrong) or f"{files} files include downwards only")
    return 1 if wrong or files < 40 else 0


sys.exit(main())
