# SPDX-License-Identifier: MIT
# A query that the killed daemon did not get to is answered by the next one.
start_governor
pid=$(main_pid)
inside kill -STOP "$pid"
sockets() { inside grep -c /run/governord/governord.sock /proc/net/unix; }
before=$(sockets)
ask advise >"$machine_folder/answer" 2>&1 &
query=$!
waits() { [ "$(sockets)" -gt "$before" ]; }
wait_for "the query in the backlog" waits
inside kill -KILL "$pid"
expect wait $query
expect_match '^[1-9][0-9]*$' "$(cat "$machine_folder/answer")" "the answer"
[ "$(main_pid)" != "$pid" ] || fail "nobody killed it"
expect_equal 1 "$(property governord.service NRestarts)" "restarts"
expect ask advise
