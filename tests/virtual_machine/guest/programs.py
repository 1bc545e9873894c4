# SPDX-License-Identifier: MIT
"""Programs that take what they are granted, and make use of a part of it (team.cpp)."""
import pathlib
import subprocess

TEAM = pathlib.Path(__file__).parent / "team"
USER = "nobody"
# More, and the emulation would be late for all of them; less, and a program alone would be idle.
BUSY = 8

running = []


class Program:
    """One of a user's programs. With `properties` it is a unit of its own with these. Its maximum is
    the machine, so that it is the governor that keeps it within them."""

    def __init__(self, label, *properties, governed=True, maximum=64, busy=BUSY, user=USER):
        self.label = label
        self.lines = pathlib.Path("/run") / f"{label}.lines"
        self.lines.unlink(missing_ok=True)
        environment = {"THREADCOUNT_LABEL": label}
        if not governed:
            environment["THREADCOUNT"] = "off"
        command = [str(TEAM), str(maximum), str(busy)]
        self.process = None
        if properties:
            self._start_unit(command, properties, environment, user)
        else:
            with self.lines.open("w") as output:
                self.process = subprocess.Popen(command, stdout=output, env=environment, user=user,
                                                extra_groups=[])
        running.append(self)

    def _start_unit(self, command, properties, environment, user):
        subprocess.run(["systemd-run", "--quiet", f"--unit={self.label}", f"--uid={user}",
                        "--collect", f"--property=StandardOutput=file:{self.lines}",
                        *(f"--property={each}" for each in properties),
                        *(f"--setenv={name}={value}" for name, value in environment.items()),
                        *command], check=True)

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process.poll() is None

    def history(self):
        """(ms, threads) of each change."""
        lines = self.lines.read_text().splitlines(keepends=True) if self.lines.exists() else []
        return [tuple(map(int, line.split())) for line in lines if line.endswith("\n")]

    def threads(self):
        """0: it has begun no region yet."""
        history = self.history()
        return history[-1][1] if history else 0

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        else:
            subprocess.run(["systemctl", "kill", "--signal=KILL", self.label], check=False)
        if self in running:
            running.remove(self)


def end_all():
    for program in list(running):
        program.end()


def widest_moment(programs, since):
    """The most threads that these programs had together at any time since then."""
    times = {since} | {at for each in programs for at, _ in each.history() if at > since}

    def at(program, time):
        return next((n for ms, n in reversed(program.history()) if ms <= time), 0)

    return max(sum(at(each, time) for each in programs) for time in times)
