# SPDX-License-Identifier: MIT
# A user without root runs a governor of his own under his own systemd.
echo 'u tester 4242 - /nonexistent /bin/sh' | inside tee /run/tester.conf >/dev/null
expect inside systemd-sysusers /run/tester.conf
expect inside systemd-run --quiet --unit=tester-manager --uid=tester --slice=user.slice \
        -p Type=notify -p Delegate=yes -p RuntimeDirectory=tester -p RuntimeDirectoryMode=0700 \
        -E XDG_RUNTIME_DIR=/run/tester /lib/systemd/systemd --user
as_tester() { inside_as tester env XDG_RUNTIME_DIR=/run/tester "$@"; }

expect as_tester systemctl --user --quiet start governord.socket
advice=$(as_tester governorctl --json advise 2>&1) || fail "$advice"
expect_match '^\{"threads":[1-9][0-9]*,' "$advice" "the user's first query"
show() { as_tester systemctl --user show --value --property="$1" governord.service; }
expect_equal active "$(show ActiveState)" "the user's service"
expect_equal 4242 "$(inside stat -c %u "/proc/$(show MainPID)")" "the daemon's user"
expect as_tester systemctl --user reload governord.service
expect_match '^NoNewPrivs:.1$' "$(inside cat "/proc/$(show MainPID)/status")" "its privileges"
expect as_tester systemctl --user stop governord.socket governord.service
expect_equal success "$(show Result)" "the stopped service"
expect_status 3 as_tester governorctl advise
