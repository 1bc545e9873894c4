# SPDX-License-Identifier: MIT
# Under the very unit, sandbox and all, another user's program gets a lease, is measured and listed.
start_governor
inside tee /usr/local/share/program.py >/dev/null <<'PROGRAM'
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.threadcount_threads.argtypes = [ctypes.c_void_p]
handle = ctypes.c_void_p()
assert library.threadcount_open(None, ctypes.byref(handle)) == 0
while True:
    library.threadcount_threads(handle)
PROGRAM
library=$(inside find /usr/local/lib -name libthreadcount.so.1)
inside_as nobody env THREADCOUNT_LABEL=guest python3 /usr/local/share/program.py "$library" &
field() { sed -n "s/.*\"$1\":\"*\([^\",]*\).*/\1/p"; }
of_client() { ask --json clients | field "$1"; }
is_there() { [ "$(of_client label)" = guest ]; }
wait_for "the program among the clients" is_there
expect_equal "$(inside id -u nobody)" "$(of_client uid)" "its user"
has_grant() { [ "$(of_client granted)" -ge 1 ] && [ -n "$(of_client cpus)" ]; }
wait_for "its grant" has_grant
burns() { [ "$(of_client burning_millicpu)" -gt 0 ]; }
wait_for "what it burns" burns
pid=$(of_client pid)
expect_match "^process $pid \(guest\): granted [1-9]" "$(ask explain "$pid")" "explain"
expect_match 'guest' "$(ask cpus)" "the CPUs' holder"
counts() { property governord.service StatusText | grep -q ', 1 program on [1-9]'; }
wait_for "a status line that counts it" counts
inside kill "$pid"
is_gone() { [ "$(ask --json clients)" = "[]" ]; }
wait_for "its end" is_gone
