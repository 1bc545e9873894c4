# SPDX-License-Identifier: MIT
# A tree asks the systemd of its user for a scope: directly, and over the user's bus. Nothing is changed,
# and a line says why, if that systemd has no cpu controller. A systemd beside control groups of version
# 1 has none. The tree has one CPU only, so that it cannot wait on one.
echo 'u tester 4242 - /nonexistent /bin/sh' | inside tee /run/tester.conf >/dev/null
expect inside systemd-sysusers /run/tester.conf
expect inside systemd-run --quiet --unit=tester-manager --uid=tester --slice=user-4242.slice \
        -p Type=notify -p Delegate=yes -p RuntimeDirectory=tester -p RuntimeDirectoryMode=0700 \
        -E XDG_RUNTIME_DIR=/run/tester /lib/systemd/systemd --user
# The machine does not see all of this one's folders.
inside tee /usr/local/bin/yielder <"$build/bin/yielder" >/dev/null
expect inside chmod 755 /usr/local/bin/yielder
as_tester() { inside_as tester env XDG_RUNTIME_DIR=/run/tester "$@"; }
controllers=$(inside cat /sys/fs/cgroup/user.slice/user-4242.slice/tester-manager.service/cgroup.controllers)

cpu=$(inside awk '/^Cpus_allowed_list/ { split($2, cpus, /[-,]/); print cpus[1] }' /proc/self/status)
group_of() { inside sed -n 's/^0:://p' "/proc/$1/cgroup"; }
sleeper() { inside pgrep -fx "/bin/sleep $1"; }
idle_is() { [ "$(inside cat "/sys/fs/cgroup$1/cpu.idle")" = "$2" ]; }

# try WHAT SECONDS: a tree that waits, of a service of the user's.
try() {
        local what=$1 seconds=$2 out=/run/tester/$2 group
        expect as_tester systemd-run --user --quiet --collect --unit="tree-$seconds" \
                -p StandardOutput=file:"$out" -E XDG_RUNTIME_DIR=/run/tester \
                /usr/bin/taskset -c "$cpu" /usr/local/bin/yielder /run/tester/governorctl /bin/sleep "$seconds"
        wait_for "what acts" inside test -s "$out"
        group=$(group_of "$(sleeper "$seconds")")
        if [[ " $controllers " == *" cpu "* ]]; then
                expect_match '^waits with idle weight' "$(inside cat "$out")" "$what"
                expect_match '/governorctl-run-[0-9-]+\.scope$' "$group" "its control group"
                expect idle_is "$group" 1
                expect as_tester systemctl --user kill --kill-who=main --signal=KILL "tree-$seconds"
                wait_for "what was killed to be undone" idle_is "$group" 0
        else
                expect_match '^nothing acts: scope: the user.s systemd has no cpu controller' \
                        "$(inside cat "$out")" "$what"
                expect_match "/tree-$seconds\.service$" "$group" "its control group"
        fi
}

try "asked directly" 1001
if [ -e /usr/lib/systemd/user/dbus.socket ]; then
        expect as_tester systemctl --user --quiet start dbus.socket dbus.service
        expect inside test -S /run/tester/bus
        try "asked over the bus" 1002
fi
