# SPDX-License-Identifier: MIT
"""Tries from within a unit's sandbox what the daemon must and must not be able to do.

Prints one line for each attempt: `WHAT: allowed` or `WHAT: NAME OF THE ERROR`.
"""

import errno
import fcntl
import os
import pathlib
import socket
import subprocess
import time

F_SEAL_FUTURE_WRITE = 16


def attempt(what: str, action) -> None:
    try:
        action()
        print(f"{what}: allowed")
    except OSError as error:
        print(f"{what}: {errno.errorcode.get(error.errno or 0, str(error))}")


def write(folder: str):
    return lambda: pathlib.Path(folder, "written-by-the-probe").write_text("x")


for place in ("/", "/etc", "/run", "/run/governord", "/tmp", "/var/tmp", "/var/lib", "/dev/shm", "/usr/local"):
    attempt(f"write {place}", write(place))
attempt("list /home", lambda: os.listdir("/home"))
attempt("list /root", lambda: os.listdir("/root"))
attempt("write /proc/sys", lambda: pathlib.Path("/proc/sys/kernel/hostname").write_text("x"))
attempt("write the control group", lambda: pathlib.Path("/sys/fs/cgroup/cgroup.procs").write_text("0"))
attempt("open /dev/kmsg", lambda: os.open("/dev/kmsg", os.O_RDONLY))
attempt("IPv4 socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
attempt("IPv6 socket", lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM))
attempt("netlink socket", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("Unix socket", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
attempt("become root", lambda: os.setuid(0))
attempt("change the root", lambda: os.chroot("/"))
attempt("change its affinity", lambda: os.sched_setaffinity(0, {0}))
attempt("run another program", lambda: subprocess.run(["/usr/bin/id"], check=True, stdout=subprocess.DEVNULL))
attempt("see another user's process", lambda: pathlib.Path("/proc/1/stat").read_text())
attempt("tell where another user's process may run", lambda: os.sched_getaffinity(1))
attempt("tell another user's nice value", lambda: os.getpriority(os.PRIO_PROCESS, 1))
attempt("read another user's CPU clock", lambda: time.clock_gettime(~1 << 3 | 2))
attempt("watch another user's process", lambda: os.pidfd_open(1))
attempt("make shared memory", lambda: fcntl.fcntl(os.memfd_create("probe", os.MFD_ALLOW_SEALING), fcntl.F_ADD_SEALS,
                                                  fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | F_SEAL_FUTURE_WRITE))
attempt("read control groups", lambda: os.listdir("/sys/fs/cgroup"))
attempt("read /proc/stat", lambda: pathlib.Path("/proc/stat").read_text())
attempt("read the topology", lambda: pathlib.Path("/sys/devices/system/cpu/online").read_text())
attempt("read the nodes", lambda: os.listdir("/sys/devices/system/node"))
print("interfaces: " + " ".join(line.split(":")[0].strip()
                                for line in open("/proc/net/dev") if ":" in line))
