# SPDX-License-Identifier: MIT
"""CPUs that programs hold go offline and come back."""
import cpus
import governor
from expect import expect, now_ms, say, wait_for
from programs import Program


def unplug(gone, programs):
    for cpu in gone:
        cpus.set_online(cpu, False)
    at, before = now_ms(), governor.samples()
    wait_for(f"no grant that names {cpus.write(gone)}",
             lambda: not governor.Grants().all_cpus() & gone)
    took = governor.samples() - before
    say(f"{now_ms() - at} ms and {took} samples after the CPUs went")
    expect(took <= 2, "the next sample takes them away, or that after it")
    grants = governor.Grants()
    expect(grants.all_cpus() <= cpus.online(), "every CPU that is granted is online")
    expect(grants.total() <= 64 - len(gone), f"{grants.total()} threads are granted in all")
    wait_for("teams that fit",
             lambda: sum(each.threads() for each in programs) <= 64 - len(gone))


def plug(gone):
    for cpu in gone:
        cpus.set_online(cpu, True)
    at = now_ms()

    def used_again():
        grants = governor.shared_equally(2)
        return grants if grants and grants.all_cpus() & gone else None

    grants = wait_for(f"grants that name {cpus.write(gone)} again", used_again)
    say(f"{now_ms() - at} ms after they came back: {cpus.write(grants.all_cpus() & gone)}")


def run():
    programs = [Program("first"), Program("second")]
    grants = wait_for("two programs with equal shares", lambda: governor.shared_equally(2))
    service = governor.main_pid()
    # More than foreign load leaves out: so some of them are needed when they are back.
    gone = set(sorted(grants.cpus["second"] - {0, 1})[-12:])
    unplug(gone, programs)
    plug(gone)
    expect(all(each.is_running() for each in programs), "both programs run on")
    expect(governor.main_pid() == service, "the daemon is the same process")
