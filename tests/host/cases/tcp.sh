# SPDX-License-Identifier: MIT
# TCP comes with the socket unit alone: the daemon has no network, and answers on it.
install_units
inside install -D -m 644 /usr/local/share/doc/load-governor/tcp.conf \
        /etc/systemd/system/governord.socket.d/tcp.conf
expect inside systemctl daemon-reload
expect inside systemctl restart governord.socket
expect ask --socket tcp:127.0.0.1:7777 advise
expect ask --socket tcp:127.0.0.1:7777 status
expect ask advise
expect_status 4 ask --socket tcp:127.0.0.1:7777 config
[ "$(inside readlink "/proc/$(main_pid)/ns/net")" != "$(inside readlink /proc/1/ns/net)" ] ||
        fail "the daemon is in the machine's network"
