# SPDX-License-Identifier: MIT
"""The cases of bench/loop: programs and hogs on a machine, as a file for the simulator, and the ends of
the programs under an equal split. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

_FIRST_USER = 10001
# A region of the team that an equal split would give: at most 20 wakes a second.
_REGION_S = 0.05
_FOREIGN_MAX = 0.5
# A shell's loop starts programs this quickly. In the simulator programs with the same start all say hello
# before the first answer, and real programs do not.
_AT_ONCE_S = 0.001


@dataclass(frozen=True)
class Program:
    """Work in CPU seconds, with linear speedup. `killed_s` counts from the start of the program."""

    name: str
    start_s: float
    work_s: float
    region_s: float
    user: int = _FIRST_USER
    batch: bool = False
    killed_s: float | None = None

    @property
    def regions(self) -> int:
        return max(1, round(self.work_s / self.region_s))


@dataclass(frozen=True)
class Hog:
    """Ungoverned threads."""

    threads: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Case:
    """The governor is killed and started again at `restart_s`. The simulator's governor is not."""

    name: str
    cpus: int
    programs: tuple[Program, ...]
    hogs: tuple[Hog, ...] = ()
    restart_s: float | None = None


def all_cases(seconds: float) -> list[Case]:
    """Each takes about `seconds` under an equal split."""
    small, middle = _equal("once-64-4", 64, 4, seconds), _equal("", 256, 32, seconds)
    large = _equal("once-1024-200", 1024, 200, seconds)
    first, *others = small.programs
    leaves = replace(first, work_s=first.work_s / 3)
    killed = replace(middle.programs[0], killed_s=_tick(seconds / 3))
    guest = replace(first, user=_FIRST_USER + 1, name="guest")
    batch = tuple(replace(program, batch=True) for program in small.programs)
    hog = Hog(16, _tick(seconds / 4), _tick(seconds / 2))
    return [
        small,
        replace(small, name="users-64-4", programs=(*others, guest)),
        replace(small, name="leave-64-4", programs=(leaves, *others)),
        replace(small, name="hog-64-4", hogs=(hog,)),
        replace(small, name="turns-64-4", programs=batch),
        _staggered(replace(middle, name="staggered-256-32"), seconds),
        replace(middle, name="kill-256-32", programs=(killed, *middle.programs[1:])),
        replace(middle, name="restart-256-32", restart_s=_tick(seconds / 3)),
        large,
        _staggered(replace(large, name="staggered-1024-200"), seconds),
    ]


def later(case: Case, by_s: float) -> Case:
    """The same in another phase of the governor's samples."""
    programs = tuple(replace(one, start_s=one.start_s + by_s) for one in case.programs)
    hogs = tuple(replace(hog, start_s=hog.start_s + by_s, end_s=hog.end_s + by_s) for hog in case.hogs)
    restart_s = None if case.restart_s is None else case.restart_s + by_s
    return replace(case, programs=programs, hogs=hogs, restart_s=restart_s)


def scenario_text(case: Case, longest: float = 4.0) -> str:
    """A file for `simulate`. The scenario ends after `longest` times the ideal."""
    ends = [end for end in ideal_ends(case) if end is not None]
    lines = [
        f"[scenario]\nend = {_ms(longest * max(ends))}\n",
        f"[machine]\ncpus = {case.cpus}\nsmt = 2\npackages = {max(1, case.cpus // 64)}\n"
        f"nodes = {max(1, case.cpus // 64)}\n",
        *map(_program_text, case.programs),
    ]
    for index, hog in enumerate(case.hogs):
        lines.append(
            f"[foreign hog{index}]\nthreads = {hog.threads}\nstart = {_ms(hog.start_s)}\n"
            f"end = {_ms(hog.end_s)}\n"
        )
    return "\n".join(lines)


def ideal_ends(case: Case) -> list[float | None]:
    """The end of each program, seconds, if CPUs could be cut into any parts. Users have equal parts, and the
    programs of a user have equal parts of these. A hog has one CPU for each thread, up to half of the
    machine. None: the program was killed."""
    ends: list[float | None] = [None] * len(case.programs)
    left = {index: program.work_s for index, program in enumerate(case.programs)}
    now = 0.0
    while left:
        rates = _rates(case, left, now)
        ready = {index: now + left[index] / rate for index, rate in rates.items()}
        then = min([*ready.values(), *(at for at in _events(case) if at > now)])
        for index, rate in rates.items():
            left[index] -= rate * (then - now)
            if ready[index] <= then:
                ends[index] = then
                del left[index]
        now = then
        for index in [index for index in left if _killed_at(case.programs[index]) <= now]:
            del left[index]
    return ends


def _rates(case: Case, left: dict[int, float], now: float) -> dict[int, float]:
    """CPUs of the programs that have started and still have work."""
    busy = sum(hog.threads for hog in case.hogs if hog.start_s <= now < hog.end_s)
    cpus = case.cpus - min(busy, _FOREIGN_MAX * case.cpus)
    users: dict[int, list[int]] = {}
    for index in left:
        if case.programs[index].start_s <= now:
            users.setdefault(case.programs[index].user, []).append(index)
    return {index: cpus / len(users) / len(mine) for mine in users.values() for index in mine}


def _events(case: Case) -> list[float]:
    """Starts, kills and hogs: these change the parts, as the ends of programs do."""
    hogs = [at for hog in case.hogs for at in (hog.start_s, hog.end_s)]
    return hogs + [at for one in case.programs for at in (one.start_s, _killed_at(one))]


def _killed_at(program: Program) -> float:
    return float("inf") if program.killed_s is None else program.start_s + program.killed_s


def _equal(name: str, cpus: int, count: int, seconds: float) -> Case:
    share = cpus / count
    programs = [
        Program(f"p{index}", index * _AT_ONCE_S, share * seconds, share * _REGION_S) for index in range(count)
    ]
    return Case(name, cpus, tuple(programs))


def _staggered(case: Case, seconds: float) -> Case:
    """All programs start within half of the time."""
    gap = _tick(seconds / 2 / len(case.programs))
    moved = [replace(one, start_s=index * gap) for index, one in enumerate(case.programs)]
    return replace(case, programs=tuple(moved))


def _program_text(program: Program) -> str:
    text = (
        f"[program {program.name}]\nuser = {program.user}\nbound = yes\nstart = {_ms(program.start_s)}\n"
        f"region = {round(program.region_s * 1e6)}us\nregions = {program.regions}\n"
    )
    text += f"killed = {_ms(program.killed_s)}\n" if program.killed_s is not None else ""
    return text + ("class = batch\nwaits = yes\n" if program.batch else "")


def _tick(seconds: float) -> float:
    """Made-up machines move on every 10 ms."""
    return max(0.01, round(seconds, 2))


def _ms(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"
