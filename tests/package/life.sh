# SPDX-License-Identifier: MIT
# A machine's life with the packages: installed, put to work, upgraded, removed, purged. To be sourced
# where a machine is up, $first has the packages, and $next the same of a later version.

# What the packages could have left, but for what dpkg, sysusers and the loader keep.
files() {
        inside find / -xdev ! -path '/var/lib/dpkg/*' ! -path '/var/cache/*' ! -path '/var/log/*' ! -path '/etc/*-' \
                ! -path /etc/.pwd.lock | sort
}

holds_lease() { ask clients | grep -q ' sleep '; }
runs() { inside pgrep -x sleep >/dev/null; }
is_gone() { ! inside test -e "$1"; }
# shellcheck disable=SC2016
loader() { inside sh -c 'ldconfig -p | grep -c libthreadcount.so.1 || true'; }

before=$(files)
said=$(install "$first") || fail "$said"
echo "$said"
expect_match '^ +rm .*observe.conf' "$said" "the command that governs"
govern=$(sed -n 's/^ *\(rm .*observe.conf.*\)/\1/p' <<<"$said")
[ "$(grep -c . <<<"$govern")" -eq 1 ] || fail "more than one command: $govern"

expect_equal enabled "$(property governord.socket UnitFileState)" "the socket unit"
expect_equal active "$(property governord.socket ActiveState)" "the socket unit"
expect_equal active "$(property governord.service ActiveState)" "the daemon"
expect_equal observe "$(setting mode)" "mode"
expect_equal governord "$(inside ps -o user= -p "$(main_pid)" | tr -d ' ')" "the daemon's user"
expect_match 'observe' "$(ask status)" "status"
expect_match '^[1-9]' "$(ask advise)" "advice"
expect_equal 1 "$(loader)" "libraries that the loader knows"
expect_equal disabled "$(inside systemctl --global is-enabled governord.socket)" "the user's own governor"

# Its script where systemd does not run, as when the image of a container is made.
# shellcheck disable=SC2016
without_systemd=$(inside unshare --mount sh -ec 'mount -t tmpfs tmpfs /run
        DPKG_MAINTSCRIPT_PACKAGE=governord exec /var/lib/dpkg/info/governord.postinst configure ""')
expect_match '^ +rm .*observe.conf$' "$without_systemd" "the command that governs, without systemd"
grep -q systemctl <<<"$without_systemd" && fail "systemctl, without systemd: $without_systemd"

expect inside sh -c "$govern"
expect_equal govern "$(setting mode)" "mode after that command"

inside_as nobody fairly --quiet sleep 600 &
wait_for "the program's lease" holds_lease
wait_for "the program" runs
program=$(inside pgrep -x sleep)
daemon=$(main_pid) socket_since=$(property governord.socket ActiveEnterTimestampMonotonic)

echo "--- upgrade"
said=$(install "$next") || fail "$said"
echo "$said"
grep -q observes <<<"$said" && fail "an upgrade says again how to govern"
expect_equal active "$(property governord.service ActiveState)" "the daemon"
[ "$(main_pid)" != "$daemon" ] || fail "the daemon is the old one"
expect_equal "$socket_since" "$(property governord.socket ActiveEnterTimestampMonotonic)" "the socket is up since"
expect_equal "$program" "$(inside pgrep -x sleep)" "the program"
wait_for "the program's lease at the new daemon" holds_lease
expect_equal govern "$(setting mode)" "mode"
expect_match 'next' "$(inside cat /etc/governord.conf)" "the new commented configuration"

echo "--- upgrade where the administrator wants none"
expect inside systemctl --quiet disable --now governord.socket
install "$first" >/dev/null
expect_equal disabled "$(property governord.socket UnitFileState)" "the socket unit"
expect_equal inactive "$(property governord.socket ActiveState)" "the socket unit"
expect_equal inactive "$(property governord.service ActiveState)" "the daemon"
expect inside systemctl --quiet enable --now governord.socket
expect_equal govern "$(setting mode)" "mode"

echo "--- remove"
inside dpkg --remove governord || fail "dpkg ended with $?"
expect_equal not-found "$(property governord.service LoadState)" "the service"
expect_equal not-found "$(property governord.socket LoadState)" "the socket unit"
expect is_gone /run/governord
inside pgrep -u governord >/dev/null && fail "a process of the governor is left"
expect_equal "$program" "$(inside pgrep -x sleep)" "the program"
expect inside test -e /etc/governord.conf

echo "--- install it again"
said=$(install "$first") || fail "$said"
expect_equal govern "$(setting mode)" "what the administrator has chosen"
wait_for "the program's lease" holds_lease
inside kill "$program"

echo "--- purge"
inside dpkg --purge governord libthreadcount-dev libthreadcount1 || fail "dpkg ended with $?"
left=$(comm -13 <(echo "$before") <(files))
expect_equal "" "$left" "files that are left"
expect is_gone /run/governord
expect_equal 0 "$(loader)" "libraries that the loader knows"
expect inside getent passwd governord
