# SPDX-License-Identifier: MIT
# Users attack the daemon with requests, one way after the other, by bench/attack. Another user is
# answered all the while, the watchdog has no reason to fire, and a newcomer gets a lease afterwards.
start_governor
adjust governord.service "[Service]" "WatchdogSec=2s"
expect inside systemctl restart governord.service
pid=$(main_pid)

# The machine does not see all of this one's folders.
inside tee /usr/local/bin/attack <"$build/bin/bench/attack" >/dev/null
expect inside chmod 755 /usr/local/bin/attack

# prepare UNIT USER KIND [MEMBERS]: an attacker that does nothing yet. Its output is in /run/UNIT.
prepare() {
        expect inside systemd-run --quiet --collect --unit="$1" \
                --property=TasksMax=infinity --property="StandardOutput=truncate:/run/$1" \
                /usr/local/bin/attack --socket /run/governord/governord.sock \
                --user "$2" --kind "$3" --members "${4-0}" --memory 512
        wait_for "the attacker $1" inside grep -qsx ready "/run/$1"
}

members() { inside head -n 1 "/run/$1"; }

answers() { ask "$1" >/dev/null; }

is_unharmed() {
        expect answers advise
        expect answers status
        expect_equal "0 $pid" "$(property governord.service NRestarts) $(main_pid)" \
                "restarts, and the process"
}

# attack KIND [MEMBERS]: for three seconds.
attack() {
        local end
        prepare "$1" 3101 "$@"
        expect_equal "${2-0}" "$(members "$1")" "threads of the attacker $1"
        expect inside systemctl kill --kill-whom=main --signal=USR1 "$1"
        end=$((SECONDS + 3))
        while [ $SECONDS -lt $end ]; do
                is_unharmed
                sleep 0.5
        done
        expect inside systemctl stop "$1"
        # There may be no bursts yet: a tenth of a core answers 270 hellos and byes.
        expect_match "\"strikes\":$([ "$1" = burst ] || echo '[1-9]')" \
                "$(inside tail -n 1 "/run/$1")" "what the attacker $1 did"
        is_unharmed
}

attack burst 10000
attack storm
attack memory

# Five users take all the leases that they get, and end.
for user in 3101 3102 3103 3104 3105; do
        prepare "leases-$user" "$user" hold 900
        echo "user $user holds $(members "leases-$user") leases"
        if [ $user = 3101 ]; then
                expect_equal 900 "$(members leases-3101)" "leases beside which the next two attack"
                attack pairs
                attack update
        fi
        is_unharmed
        expect inside systemctl stop "leases-$user"
done
prepare newcomer 3201 hold 1
expect_equal 1 "$(members newcomer)" "leases of a newcomer"
