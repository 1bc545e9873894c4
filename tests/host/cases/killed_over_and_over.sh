# SPDX-License-Identifier: MIT
# Killed five times in a row, it is still there, and no query fails.
start_governor
for round in 1 2 3 4 5; do
        pid=$(main_pid)
        inside kill -KILL "$pid"
        expect ask advise >/dev/null
        [ "$(main_pid)" != "$pid" ] || fail "round $round: nobody killed it"
done
expect_equal 5 "$(property governord.service NRestarts)" "restarts"
