# SPDX-License-Identifier: MIT
"""A tree that waits for its turn yields by a scope of its user's systemd, and whatever is killed, the
scope gets its weight back."""
import os
import pathlib
import signal
import subprocess

from expect import expect, wait_for
from governor import command

UID, RUNTIME = 4242, "/run/tester"
PLACE = RUNTIME + "/governorctl"
GROUPS = pathlib.Path("/sys/fs/cgroup")


def install_user():
    pathlib.Path("/run/tester.conf").write_text(f"u tester {UID} - /nonexistent /bin/sh\n")
    command("systemd-sysusers", "/run/tester.conf")
    command("systemd-run", "--quiet", "--unit=tester-manager", "--uid=tester", f"--slice=user-{UID}.slice",
            "-p", "Type=notify", "-p", "Delegate=cpu memory pids", "-p", "TimeoutStartSec=2min",
            "-p", "RuntimeDirectory=tester", "-p", "RuntimeDirectoryMode=0700",
            "-E", f"XDG_RUNTIME_DIR={RUNTIME}", "/lib/systemd/systemd", "--user")


def as_user(*arguments):
    return command("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "env",
                   f"XDG_RUNTIME_DIR={RUNTIME}", *arguments)


def pids_of(*words):
    found = subprocess.run(("pgrep", "-f", "-x", " ".join(words)), check=False, text=True,
                           stdout=subprocess.PIPE).stdout
    return [int(pid) for pid in found.split()]


def guardians():
    return pids_of("governorctl", "guard", PLACE)


def group_of(pid):
    return pathlib.Path(f"/proc/{pid}/cgroup").read_text().split("::")[1].strip()


def is_idle(group):
    file = GROUPS / group[1:] / "cpu.idle"
    return file.exists() and file.read_text() == "1\n"


class Tree:
    """One command that waits for its turn, started as a service of the user's."""

    def __init__(self, name, seconds):
        self.unit = f"{name}.service"
        as_user("systemd-run", "--user", "--quiet", "--collect", f"--unit={self.unit}",
                f"--setenv=XDG_RUNTIME_DIR={RUNTIME}", "--setenv=GOVERNORCTL=/usr/local/bin/governorctl",
                "/opt/guest/yielder", PLACE, "/bin/sleep", seconds)
        self.command = wait_for(f"the command of {name}", lambda: pids_of("/bin/sleep", seconds))[0]
        wait_for(f"{name} to be in an idle scope", self.yields)
        self.group = group_of(self.command)

    def yields(self):
        group = group_of(self.command)
        return "/governorctl-run-" in group and group.endswith(".scope") and is_idle(group)

    def send(self, number):
        os.kill(int(as_user("systemctl", "--user", "show", "--value", "--property=MainPID", self.unit)),
                number)


def run():
    install_user()
    tree = Tree("first", "1001")
    tree.send(signal.SIGUSR1)
    wait_for("its turn", lambda: not is_idle(tree.group))
    expect(group_of(tree.command) == tree.group, "the command stays in its scope")
    tree.send(signal.SIGUSR2)
    wait_for("the end of its turn", tree.yields)

    tree.send(signal.SIGKILL)  # with it goes what is left in its service
    wait_for("what was killed to be undone", lambda: not is_idle(tree.group))
    expect(group_of(tree.command) == tree.group, "the command goes on")
    wait_for("the guardian's end", lambda: not guardians())

    second = Tree("second", "1002")
    second.send(signal.SIGSTOP)
    os.kill(guardians()[0], signal.SIGKILL)
    second.send(signal.SIGKILL)
    expect(is_idle(second.group), "nobody has undone it")
    third = Tree("third", "1003")
    wait_for("the next one to undo it", lambda: not is_idle(second.group))
    expect(third.yields(), "the next one yields")
    for each in (tree, second, third):
        os.kill(each.command, signal.SIGKILL)
    command("systemctl", "stop", "tester-manager")
