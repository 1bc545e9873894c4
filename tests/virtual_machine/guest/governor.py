# SPDX-License-Identifier: MIT
"""The governor of the machine: its service, and what governorctl says."""
import json
import pathlib
import subprocess
import time

import cpus
from expect import Unexpected, say

SERVICE = "governord.service"


def command(*arguments):
    return subprocess.run(arguments, check=True, text=True, stdout=subprocess.PIPE).stdout


def install():
    """The first start as README tells it; with more patience, for the machine is slow."""
    drop_ins = pathlib.Path("/etc/systemd/system", SERVICE + ".d")
    drop_ins.mkdir()
    (drop_ins / "slow.conf").write_text(
        "[Service]\nTimeoutStartSec=2min\nTimeoutStopSec=2min\nWatchdogSec=2min\n")
    command("systemd-sysusers")
    command("systemctl", "daemon-reload")
    command("systemctl", "--quiet", "enable", "--now", "governord.socket")


def start():
    command("systemctl", "start", "governord.socket", SERVICE)


def stop():
    command("systemctl", "stop", SERVICE, "governord.socket")


def main_pid():
    return int(command("systemctl", "show", "--value", "--property=MainPID", SERVICE))


def governorctl(*arguments, user=None):
    """Its patience (exit status 3) is a real machine's: here it is asked again, for a minute."""
    for _ in range(60):
        done = subprocess.run(("governorctl", *arguments), check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=user)
        if done.returncode != 3:
            break
        time.sleep(0.5)
    if done.returncode != 0:
        raise Unexpected(f"governorctl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def ask(verb, user=None):
    return json.loads(governorctl("--json", verb, user=user))


def explain(pid):
    return governorctl("explain", str(pid))


class Grants:
    """The output of governorctl clients at one moment, by label."""

    def __init__(self):
        self.threads, self.cpus, self.reasons, self.pids = {}, {}, {}, {}
        for client in ask("clients"):
            label = client["label"]
            while label in self.threads:
                label += "+"
            self.threads[label] = client["granted"]
            self.cpus[label] = cpus.parse(client["cpus"])
            self.reasons[label] = client["reason"]
            self.pids[label] = client["pid"]

    def total(self):
        return sum(self.threads.values())

    def all_cpus(self):
        return set().union(*self.cpus.values())

    def are_disjoint(self):
        return len(self.all_cpus()) == sum(map(len, self.cpus.values()))

    def __str__(self):
        return ", ".join(f"{label} {self.threads[label]} on {cpus.write(self.cpus[label])}"
                         for label in self.threads)


def samples(user=None):
    """The number of samples that the daemon has taken: its clock, however slow the machine is."""
    return ask("status", user)["samples"]


def shared_equally(count):
    """The grants, if so many programs have equal shares of the whole budget, else None."""
    grants, status = Grants(), ask("status")
    each = grants.threads.values()
    if (len(each) == count and max(each) - min(each) <= 1 and grants.are_disjoint()
            and status["budget"] - 1 <= grants.total() <= status["budget"]):
        say(f"cpus {status['cpus']}, foreign {status['foreign']}, budget {status['budget']}: {grants}")
        return grants
    return None


def describe():
    """Prints what helps to find out what went wrong."""
    say(json.dumps(ask("status")))
    for client in ask("clients"):
        say(f"client: {client['label']}: {client['granted']} on {client['cpus']}, burns "
            f"{client['burning_millicpu']} millicpu: {client['reason']}")
        say(explain(client["pid"]))
    say(command("journalctl", "--no-pager", "--no-hostname", "-o", "short-monotonic", "-n", "40"))
