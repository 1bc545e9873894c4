# SPDX-License-Identifier: MIT
# The words of cases. A case ends at the first expectation that is not met. To be sourced.

fail() {
        echo "FAILED: $*" >&2
        exit 1
}

# expect COMMAND...: it succeeds.
expect() {
        "$@" || fail "\`$*\` ended with $?"
}

# expect_status N COMMAND...: it ends with N.
expect_status() {
        local wanted=$1 status=0
        shift
        "$@" || status=$?
        [ "$status" -eq "$wanted" ] || fail "\`$*\` ended with $status, not $wanted"
}

# expect_equal WANTED GOT WHAT
expect_equal() {
        [ "$1" = "$2" ] || fail "$3: \"$2\", not \"$1\""
        echo "ok: $3: $2"
}

# expect_match PATTERN TEXT WHAT: an extended regular expression that some line must match.
expect_match() {
        grep -qE -- "$1" <<<"$2" || fail "$3: no \"$1\" in: $2"
        echo "ok: $3: $(grep -m 1 -E -- "$1" <<<"$2")"
}

# wait_for WHAT COMMAND...: until it succeeds, at most 20 s; how long it takes is not tested.
wait_for() {
        local what=$1 end=$((SECONDS + 20))
        shift
        until "$@"; do
                [ $SECONDS -lt $end ] || fail "waited 20 s for $what"
                sleep 0.02
        done
}
