# Shared by the commands under test/: where things are, how to speak, how to become another user.
#
# Sourced, never run. Sets ROOT (the checkout), CACHE (downloads and state, outside the tree), PG_CONFIG and PG_BIN.
# A command that sources this file sets TOOL, the word in front of its messages.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=${DYNAMO_FDW_CACHE:-${HOME:-/root}/.cache/dynamo_fdw}
PYTHON=/usr/bin/python3 # Debian's own, which has Debian's psycopg2; the one on PATH may be another
PG_MAJOR=15

# Debian keeps one directory for every major; PG_CONFIG names another installation, such as one with assertions.
if [ -n "${PG_CONFIG:-}" ]; then
    OWN_POSTGRES=yes
else
    OWN_POSTGRES=no
    PG_CONFIG=/usr/lib/postgresql/$PG_MAJOR/bin/pg_config
fi
PG_BIN=$(dirname "$PG_CONFIG")

# The checkout and the server are part of every state file's name, so two checkouts, or two servers, never meet.
STATE=$CACHE/stack-$(printf '%s\n' "$ROOT" "$PG_CONFIG" | cksum | cut -d' ' -f1)

note() {
    printf '%s\n' "${TOOL:-test}: $*" >&2
}

die() {
    note "$*"
    exit 1
}

am_root() {
    [ "$(id -u)" = 0 ]
}

# Is there a user to prompt? Continuous integration has terminals without users.
at_terminal() {
    [ -z "${CI:-}" ] && [ -t 0 ] && { : >/dev/tty; } 2>/dev/null
}

# Who gives root's rights: root has them, sudo gives them without a password or may prompt for one; or why there are none.
root_from() {
    if am_root; then echo root
    elif ! command -v sudo >/dev/null; then echo "you are not root, and there is no sudo here"
    elif sudo -n true 2>/dev/null; then echo sudo
    elif at_terminal; then echo asking
    else echo "you are not root, sudo asks for a password, and there is no terminal to ask at"
    fi
}

# run_as_root WHAT LOG COMMANDS: shell commands, one a line, with their output in LOG. A user who may not do that gets the
# commands, for a user who may, and the program stops. Commands that fail are the caller's affair.
run_as_root() {
    local what=$1 log=$2 commands=$3 from status
    from=$(root_from)
    case $from in
        root) with_progress "$log" sh -e -c "$commands" ;;
        sudo) with_progress "$log" sudo -n sh -e -c "$commands" ;;
        asking)
            note "to $what, sudo may ask for your password"
            with_progress "$log" run_sudo "$commands"
            ;;
        *) list_for_root "$what" "$from" "$commands" ;;
    esac
    status=$?
    # sudo that refuses runs nothing, and commands that fail print something.
    if [ $status != 0 ] && [ "$from" = asking ] && [ ! -s "$log" ]; then
        list_for_root "$what" "sudo did not let you" "$commands"
    fi
    return $status
}

# Output of sudo itself belongs on the terminal, output of the commands where standard output goes.
run_sudo() { # commands
    sudo sh -e -c "exec 2>&1; $1" 2>/dev/tty
}

list_for_root() { # what why commands
    note "only root can $1 ($2); these are the commands:"
    printf '\n%s\n\n' "$3" >&2
    die "when root has run them, start the same command again"
}

# Runs a command with its output in a log. In the meantime a terminal shows for how long, and the last line of the log; while
# that is empty nothing, because sudo may be prompting.
with_progress() { # log command...
    local log=$1 ticker='' status
    shift
    : >"$log"
    if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
        show_progress "$log" 9>&- &
        ticker=$!
    fi
    "$@" >>"$log" 2>&1 </dev/null
    status=$?
    if [ -n "$ticker" ]; then
        kill "$ticker" 2>/dev/null
        wait "$ticker" 2>/dev/null
        printf '\r\033[K' >&2
    fi
    return $status
}

# In the background, where an interrupt does not arrive, so it looks whether the program is still there.
show_progress() { # log
    local width line began=$SECONDS
    width=$(stty size <&2 2>/dev/null | cut -d' ' -f2)
    while sleep 0.5 && kill -0 $$ 2>/dev/null; do
        [ -s "$1" ] || continue
        line=$(tail -c 2000 "$1" | tr '\r' '\n' | grep . | tail -n 1 | tr -cd '[:print:]' | sed 's/^gcc .* -o /gcc /')
        line="  $((SECONDS - began)) s  $line"
        printf '\r\033[K%s' "${line:0:$((width > 20 ? width - 1 : 79))}" >&2
    done
}

# initdb and postgres refuse to run as root; any other user serves.
as_postgres() {
    if am_root; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

# Counts the tests in what a program printed: lines of one kind, and the counts of a line "N passed, N failed".
count_tests() { # pattern of the line; field in "N passed, N failed, N skipped"
    awk -v line="^$1 - " -v field="$2" '
        $0 ~ line { n++ }
        /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { n += $field }
        END { print n + 0 }'
}

# The line that a run of tests ends with.
summary_line() { # passed failed skipped
    local line="$1 passed, $2 failed"
    [ "$3" = 0 ] || line+=", $3 skipped"
    printf '%s\n' "$line"
}

free_port() {
    "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# A process is remembered as PID:START, since a bare pid may be another process by the time it is to be stopped.
process_id() { # pid
    printf '%s:%s\n' "$1" "$(process_start "$1")"
}

# When the process started, in clock ticks; nothing if it is gone, or dead and only not yet collected by its parent.
process_start() { # pid
    sed -n 's/.*) \([^Z]\)/\1/p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}

process_alive() { # pid:start
    [ -n "${1%%:*}" ] && [ -n "${1##*:}" ] && [ "$(process_start "${1%%:*}")" = "${1##*:}" ]
}

process_stop() { # pid:start
    local i
    process_alive "$1" || return 0
    kill "${1%%:*}" 2>/dev/null
    for ((i = 0; i < 200; i++)); do
        process_alive "$1" || return 0
        sleep 0.05
    done
    kill -KILL "${1%%:*}" 2>/dev/null
    return 0
}

# One of these commands at a time; the lock goes with file descriptor 9, which servers must not inherit.
take_lock() { # file
    exec 9>"$1"
    flock -n 9 && return
    note "waiting for another $TOOL on this checkout"
    flock -w 900 9 || die "another $TOOL has held $1 for 15 minutes; giving up"
}
