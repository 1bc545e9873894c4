# SPDX-License-Identifier: MIT
# The steps of several cases with the governor of the machine. To be sourced.

ask() { inside_as nobody governorctl "$@"; }

property() { inside systemctl show --value --property="$2" "$1"; }

# The first start as README tells it: users, then the socket.
install_units() {
        expect inside systemd-sysusers
        expect inside systemctl daemon-reload
        expect inside systemctl --quiet enable --now governord.socket
}

start_governor() {
        install_units
        expect ask advise >/dev/null
        expect_equal active "$(property governord.service ActiveState)" "the service"
}

main_pid() { property governord.service MainPID; }

# configure LINE...: the whole of /etc/governord.conf.
configure() { printf '%s\n' "$@" | inside tee /etc/governord.conf >/dev/null; }

# adjust UNIT LINE...: a drop-in.
adjust() {
        local unit=$1
        shift
        inside mkdir -p "/etc/systemd/system/$unit.d"
        printf '%s\n' "$@" | inside tee "/etc/systemd/system/$unit.d/test.conf" >/dev/null
        expect inside systemctl daemon-reload
}

# setting KEY: its value in force.
setting() { ask config | sed -n "s/^$1 = //p"; }
setting_is() { [ "$(setting "$1")" = "$2" ]; }

journal() { inside journalctl --no-pager -o cat -u governord.service; }
