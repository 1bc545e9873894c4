# SPDX-License-Identifier: MIT
# A throw-away machine: a real systemd as PID 1 of namespaces of its own, on an overlay of / that
# lives in memory. Up in a third of a second; nothing of it stays. To be sourced.
#
#   machine_lacks                why there can be no machine here; fails when there can
#   machine_up BUILD [BASE]      installs BUILD, unless it is empty, into a new machine and boots it; BASE:
#                                the root of another system, in place of /
#   inside COMMAND...            runs it in the machine, as root
#   inside_as USER COMMAND...
#   machine_down                 safe at any time, also twice
#
# It dies with the shell that made it, whatever ends that. The next machine removes the rest if no trap could
# run: an empty control group and an empty folder.

machine_prefix=load-governor-machine
machine_id=0123456789abcdef0123456789abcdef
machine_namespaces=(--mount --pid --cgroup --uts --ipc --net)
machine_folder= machine_cgroup= machine_shell= machine_init=

# The cgroup2 hierarchy, alone or beside the old ones.
cgroup2_root() {
        awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts
}

machine_lacks() {
        local tool
        [ "$(id -u)" -eq 0 ] || { echo "not root"; return; }
        [ -x /lib/systemd/systemd ] || { echo "systemd is not installed"; return; }
        for tool in unshare nsenter setpriv pgrep cmake; do
                command -v $tool >/dev/null || { echo "no command $tool"; return; }
        done
        [ -w "$(cgroup2_root)/cgroup.procs" ] || { echo "no cgroup2 hierarchy to write to"; return; }
        # shellcheck disable=SC2016
        unshare --fork "${machine_namespaces[@]}" sh -c '
                mount --make-rprivate / && mount -t tmpfs tmpfs /tmp && mkdir /tmp/up /tmp/work /tmp/root &&
                mount -t overlay -o lowerdir=/,upperdir=/tmp/up,workdir=/tmp/work overlay /tmp/root &&
                mount -t proc proc /tmp/root/proc && mount -t sysfs -o ro sysfs /tmp/root/sys &&
                mount -t cgroup2 cgroup2 /tmp/root/sys/fs/cgroup' >/dev/null 2>&1 ||
                { echo "not permitted to make namespaces and to mount in them"; return; }
        return 1
}

machine_up() {
        remove_leftovers
        machine_folder=$(mktemp -d -t "$machine_prefix-$$.XXXXXX")
        machine_cgroup=$(cgroup2_root)/$machine_prefix-$$
        mkdir "$machine_cgroup"
        (
                echo $BASHPID >"$machine_cgroup/cgroup.procs"
                exec setpriv --pdeathsig KILL setsid unshare --fork --kill-child \
                        "${machine_namespaces[@]}" "$BASH" "${BASH_SOURCE[0]%/*}/boot" \
                        "$1" "$machine_folder" $machine_id "${2-/}" </dev/null >"$machine_folder/boot.log" 2>&1
        ) &
        machine_shell=$!
        wait_for "the machine's first process" machine_find_init
        wait_for "systemd in the machine" machine_has_its_systemd
        local state
        state=$(inside timeout 20 systemctl is-system-running --wait) ||
                fail "the machine is $state: $(inside systemctl --failed --no-legend)"
}

machine_find_init() {
        machine_lives && machine_init=$(pgrep -P "$machine_shell")
}

machine_lives() {
        kill -0 "$machine_shell" 2>/dev/null ||
                fail "the machine does not boot: $(cat "$machine_folder/boot.log")"
}

# Not the host's, whose root the first process has for a moment.
machine_has_its_systemd() {
        machine_lives
        inside sh -c "grep -qx $machine_id /etc/machine-id && test -S /run/systemd/private" 2>/dev/null
}

inside() {
        nsenter --target "$machine_init" "${machine_namespaces[@]}" -- env -i \
                PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
                LC_ALL=C SYSTEMD_PAGER= SYSTEMD_COLORS=0 "$@"
}

inside_as() {
        local user=$1
        shift
        inside setpriv --reuid "$user" --regid "$(inside id -g "$user")" --clear-groups "$@"
}

machine_down() {
        [ -z "$machine_shell" ] || { kill -KILL "$machine_shell"; wait "$machine_shell"; } 2>/dev/null
        [ -z "$machine_cgroup" ] || wait_for "the machine's end" remove_cgroup "$machine_cgroup"
        [ -z "$machine_folder" ] || rm -rf "$machine_folder"
        machine_folder= machine_cgroup= machine_shell= machine_init=
}

remove_cgroup() {
        [ ! -d "$1" ] || find "$1" -depth -type d -exec rmdir {} + 2>/dev/null
}

remove_leftovers() {
        local place owner
        for place in "$(cgroup2_root)/$machine_prefix-"* "${TMPDIR:-/tmp}/$machine_prefix-"*; do
                owner=${place#*"$machine_prefix-"}
                if [ -O "$place" ] && ! kill -0 "${owner%%.*}" 2>/dev/null; then
                        remove_cgroup "$place" || rm -rf "$place" 2>/dev/null
                fi
        done
}
