# SPDX-License-Identifier: MIT
# Messages are entries with fields that monitoring can look for. A process that ends right after its
# message, like the one that checks a file, may be gone before the journal can tell its unit.
start_governor
entries() {
        inside journalctl --sync
        inside journalctl --no-pager -o json -t governord | python3 -c '
import json, sys
for line in sys.stdin:
    entry = json.loads(line)
    if entry.get("_SYSTEMD_UNIT", "governord.service") == "governord.service":
        own = [f"{k}={v}" for k, v in entry.items() if k.startswith(("GOVERNORD_", "CONFIG_"))]
        print(entry.get("_TRANSPORT"), entry["PRIORITY"], len(entry.get("MESSAGE_ID", "")), *sorted(own), entry["MESSAGE"])'
}
expect_match '^journal 6 32 GOVERNORD_SOCKET=/run/governord/governord.sock listening' "$(entries)" "an ordinary message"
inside governorctl pause --all >/dev/null
expect_match '^journal 6 32 GOVERNORD_BY_UID=0 root paused governing' "$(entries)" "an order"
inside governorctl resume >/dev/null
configure "[governor]" "threshold = a quarter"
inside systemctl reload governord.service && fail "a wrong file was taken"
expect_match "^journal 3 32 CONFIG_FILE=/etc/governord.conf CONFIG_LINE=2 /etc/governord.conf:2: " "$(entries)" "an error"
