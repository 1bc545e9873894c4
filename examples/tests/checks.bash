# SPDX-License-Identifier: MIT
# What the checks of the example programs share; to be sourced.
failures=0

fail() {
        echo "FAILED: $*"
        failures=$((failures + 1))
}

json_value() { # KEY: a string or number of the object on stdin
        sed -E "s/.*\"$1\":\"?([^,\"}]*).*/\1/"
}

check_refused() { # PROGRAM WORD ARGUMENT...: exit 2, one line that has the word, no output
        check_ends 2 "$@"
}

check_ends() { # STATUS PROGRAM WORD ARGUMENT...: the same with that exit status
        local expected=$1 program=$2 word=$3 status=0 message output

        shift 3
        message=$("$program" "$@" 2>&1 >/dev/null) || status=$?
        output=$("$program" "$@" 2>/dev/null) || true
        [[ $status == "$expected" ]] || fail "$program $*: exit $status, not $expected"
        [[ -z $output ]] || fail "$program $*: it printed $output"
        [[ $message == *"$word"* && $message != *$'\n'* ]] ||
                fail "$program $*: unclear message: $message"
}

check_number() { # PROGRAM OPTION [ARGUMENT...]: refuses what is no number from 1 on
        local program=$1 option=$2

        shift 2
        check_refused "$program" "from 1 to" "$@" "$option" 0
        check_refused "$program" "$option '-1'" "$@" "$option" -1
        check_refused "$program" "'99999999999999999999'" "$@" "$option" 99999999999999999999
        check_refused "$program" "'99999999999G'" "$@" "$option" 99999999999G
        check_refused "$program" "'5x'" "$@" "$option=5x"
        check_refused "$program" "''" "$@" "$option="
        check_refused "$program" "no value" "$@" "$option"
}
