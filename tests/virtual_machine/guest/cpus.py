# SPDX-License-Identifier: MIT
"""Sets of CPUs, and the machine that they are of."""
import collections
import pathlib

SYSTEM = pathlib.Path("/sys/devices/system/cpu")


def parse(text):
    """Of "0-3,8"."""
    result = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        result.update(range(int(first), int(last or first) + 1))
    return result


def write(cpus):
    parts = []
    for cpu in sorted(cpus):
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in parts) or "none"


def online():
    return parse((SYSTEM / "online").read_text())


def set_online(cpu, is_online):
    (SYSTEM / f"cpu{cpu}/online").write_text("1" if is_online else "0")


def siblings(cpu):
    return parse((SYSTEM / f"cpu{cpu}/topology/core_cpus_list").read_text())


def package(cpu):
    return int((SYSTEM / f"cpu{cpu}/topology/physical_package_id").read_text())


def packages(cpus):
    return {package(cpu) for cpu in cpus}


def split_cores(sets):
    """The number of cores that have their hardware threads in more than one of these sets."""
    owners = collections.defaultdict(set)
    for number, cpus in enumerate(sets):
        for cpu in cpus:
            owners[min(siblings(cpu))].add(number)
    return sum(len(of_core) > 1 for of_core in owners.values())
