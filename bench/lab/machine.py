# SPDX-License-Identifier: MIT
"""The machine, as far as it tells; an item that cannot be read is None."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_SYSTEM_CPUS = Path("/sys/devices/system/cpu")


def describe_machine(checkout: Path, programs: list[Path]) -> dict[str, Any]:
    """Plain data for results.json; `checkout` is asked for its commit, `programs` for their OpenMP
    runtimes."""
    cpuinfo = _read(Path("/proc/cpuinfo")) or ""
    return {
        "cpu_model": _field(cpuinfo, "model name") or platform.machine(),
        "virtual": " hypervisor" in (_field(cpuinfo, "flags") or ""),
        "cpus_online": os.cpu_count(),
        "cpus_allowed": allowed_cpus(),
        "smt_active": {"0": False, "1": True}.get(_read(_SYSTEM_CPUS / "smt/active") or ""),
        "memory_mib": _memory_mib(),
        "kernel": f"{platform.system()} {platform.release()}",
        "os": _os_name(),
        "compilers": {name: _first_line(name, "--version") for name in ("gcc", "clang")},
        "openmp_runtimes": {path.name: _openmp_runtime(path) for path in programs},
        "load_average_before": list(os.getloadavg()),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "git_commit": _commit(checkout),
    }


def machine_text(machine: dict[str, Any]) -> str:
    """One sentence, for the head of a report."""
    return (
        f"{machine['cpu_model']}, {len(machine['cpus_allowed'])} CPUs allowed, {machine['kernel']},"
        f" {machine['date']}; load average before {machine['load_average_before'][0]:.2f}."
    )


def allowed_cpus() -> list[int]:
    """The ids this process may run on, SMT siblings and packages next to each other."""
    return sorted(os.sched_getaffinity(0), key=_core_of)


def busy_cpu_seconds() -> float | None:
    """CPU-seconds that were not idle, from an arbitrary origin; only differences mean something.
    Taken as elapsed minus idle, since tick accounting misses short bursts of work."""
    lines = (_read(Path("/proc/stat")) or "").splitlines()
    cpus = [line.split() for line in lines if re.match(r"cpu[0-9]", line)]
    if not cpus:
        return None
    idle_ticks = sum(int(fields[4]) + int(fields[5]) for fields in cpus)
    return time.monotonic() * len(cpus) - idle_ticks / os.sysconf("SC_CLK_TCK")


def _core_of(cpu: int) -> tuple[int, int, int]:
    topology = _SYSTEM_CPUS / f"cpu{cpu}/topology"
    ids = [_read(topology / name) or "0" for name in ("physical_package_id", "core_id")]
    package, core = (int(text) if re.fullmatch(r"-?[0-9]+", text) else 0 for text in ids)
    return package, core, cpu


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _field(text: str, name: str) -> str | None:
    match = re.search(rf"^{re.escape(name)}\s*:\s*(.*)$", text, re.MULTILINE)
    return match.group(1).strip() if match else None


def _memory_mib() -> int | None:
    match = re.match(r"([0-9]+) kB", _field(_read(Path("/proc/meminfo")) or "", "MemTotal") or "")
    return int(match.group(1)) // 1024 if match else None


def _os_name() -> str | None:
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', _read(Path("/etc/os-release")) or "", re.M)
    return match.group(1) if match else None


def _output(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def _first_line(*command: str) -> str | None:
    lines = (_output(*command) or "").splitlines()
    return lines[0] if lines else None


def _openmp_runtime(program: Path) -> str | None:
    """The real file name of the runtime that a program is linked with, such as libgomp.so.1.0.0."""
    match = re.search(r"=> (\S*/lib(?:gomp|omp|iomp5)\S*)", _output("ldd", str(program)) or "")
    return os.path.basename(os.path.realpath(match.group(1))) if match else None


def _commit(checkout: Path) -> str | None:
    commit = _first_line("git", "-C", str(checkout), "rev-parse", "HEAD")
    if commit is None:
        return None
    changed = _output("git", "-C", str(checkout), "status", "--porcelain", "-uno")
    return commit + (" with local changes" if changed else "")
