# For the steps of test/check: how to report results, and where to work. Sourced.
#
# A step prints a line "ok - NAME", "not ok - NAME" or "skip - NAME: REASON" for every test, or for very many of them one
# line "N passed, N failed", comments after "#", and exits non-zero if a test failed. test/check counts those lines; a
# step that has none, because its files are not there, has failed.

TOOL=test/check
# shellcheck source=test/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT" || exit 1

FAILED=0

ok() {
    printf 'ok - %s\n' "$*"
}

not_ok() {
    printf 'not ok - %s\n' "$*"
    failing
}

# Something failed that has reported it itself.
failing() {
    FAILED=1
}

skip() { # name reason
    printf 'skip - %s: %s\n' "$1" "$2"
}

comment() { # file: its lines, as comments
    sed 's/^/#   /' "$1"
}

# try NAME COMMAND...: one test; the output of the command is shown only when it fails.
try() {
    local name=$1 log
    shift
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then
        ok "$name"
    else
        not_ok "$name"
        comment "$log"
    fi
    rm -f "$log"
}

done_testing() {
    exit $FAILED
}

# The last one is gcc's, and the server's own from 16 on.
STRICT_FLAGS='-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wshadow=compatible-local'

# The flags under which the extension must compile; from 18 on the server's own module magic needs one more.
strict_flags() { # compiler
    local major flags=$STRICT_FLAGS
    major=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
    if [ "$major" -ge 18 ]; then flags+=" -Wno-missing-field-initializers"; fi
    # the server's own flags are gcc's; clang does not know all of them
    if [ "${1:-gcc}" = clang ]; then flags+=" -Wno-ignored-optimization-argument -Wno-ignored-attributes -Wno-unknown-warning-option"; fi
    echo "$flags"
}
