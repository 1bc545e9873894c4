# SPDX-License-Identifier: MIT
# The limits of the sandbox, tried from inside by a probe in the daemon's place: the very same unit, but
# for the program.
install_units
python=$(inside readlink -f /usr/bin/python3)
inside install -D -m 644 /dev/stdin /usr/local/share/probe.py <"$here/probe.py"
adjust governord.service "[Service]" "Type=oneshot" "WatchdogSec=0" "Restart=no" \
        "ExecStart=" "ExecStart=$python /usr/local/share/probe.py" "ExecPaths=$python"
inside systemctl start governord.service || fail "$(journal)"
found=$(journal)
denied() { expect_match "^$1: $2$" "$found" "denied"; }
allowed() { expect_match "^$1: allowed$" "$found" "allowed"; }

for folder in /etc /tmp /var/tmp /var/lib /dev/shm /usr/local /; do
        denied "write $folder" EROFS
done
denied "write /run" EACCES
denied "write /run/governord" EACCES
denied "list /home" EACCES
denied "list /root" EACCES
denied "write /proc/sys" EROFS
denied "write the control group" EROFS
denied "open /dev/kmsg" ENOENT
for family in IPv4 IPv6 netlink packet; do
        denied "$family socket" EAFNOSUPPORT
done
denied "become root" EPERM
denied "change the root" EPERM
denied "change its affinity" EPERM
denied "run another program" EACCES
expect_match '^interfaces: lo$' "$found" "the network"

allowed "Unix socket"
allowed "see another user's process"
allowed "tell where another user's process may run"
allowed "tell another user's nice value"
allowed "read another user's CPU clock"
allowed "watch another user's process"
allowed "make shared memory"
allowed "read control groups"
allowed "read /proc/stat"
allowed "read the topology"
