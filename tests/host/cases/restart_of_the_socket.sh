# SPDX-License-Identifier: MIT
# A change of the socket unit takes one restart of it, with the daemon running.
start_governor
adjust governord.socket "[Socket]" "ListenStream=/run/governord/second.sock"
expect inside systemctl restart governord.socket
expect ask advise
expect ask --socket /run/governord/second.sock advise
