# The first hour of users of a bare Debian 12: root, one whose sudo requires a password, and one without rights. Sourced by
# test/packages/check. What they see stays in the cache directory, in first-hour-*.txt.
# shellcheck disable=SC2317  # most functions are reached through try

PASSWORD=open-sesame
STOP='s=$?; ./test/stack down; exit $s'
DEMO="cd dynamo_fdw && ./test/demo; $STOP"

new_user() { # name
    in_chroot "$WORK" useradd -m -s /bin/bash "$1"
    in_chroot "$WORK" chpasswd <<<"$1:$PASSWORD"
    copy_tree "$WORK/home/$1/dynamo_fdw"
    in_chroot "$WORK" chown -R "$1:" "/home/$1"
}

install_sudo() {
    in_chroot "$WORK" apt-get -qq update &&
        in_chroot "$WORK" DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends sudo
}

# What a user sees of a command at a terminal.
at_terminal_of() { # user command transcript
    "$PYTHON" "$ROOT/test/packages/lib/terminal.py" "$WORK" "$1" "$PASSWORD" "$2" >"$3" 2>&1
}

# ... and in a script, without one.
in_script_of() { # user transcript
    in_chroot "$WORK" setsid runuser -u "$1" -- env HOME="/home/$1" "/home/$1/dynamo_fdw/test/demo" >"$2" 2>&1 </dev/null
}

show_times() { # transcript
    sed -n 's/^\( *[0-9.]*  test\/[a-z]*: .*\)/#   \1/p' "$1" | cut -c 1-110
}

check_demo_seen() { # name transcript
    try "$1: sees how long the packages take" seen "$2" 'installing them.* minutes'
    try "$1: sees how long the download takes" seen "$2" 'fetching DynamoDB Local.* minute'
    try "$1: sees progress" seen "$2" '^# .* [0-9][0-9][0-9]* updates of the progress'
    try "$1: sees how to go on" seen "$2" 'Look around: .*psql -h'
    show_times "$2"
}

hour_of_root() {
    local transcript=$CACHE/first-hour-root.txt
    fresh_chroot root
    copy_tree "$WORK/root/dynamo_fdw"
    try "root: the demo ends well" at_terminal_of root "$DEMO" "$transcript"
    check_demo_seen root "$transcript"
    try "root: has no prompt" seen "$transcript" '^# 0 passwords'
    remove_chroot "$WORK"
}

hour_of_sudo() {
    local transcript=$CACHE/first-hour-sudo.txt
    fresh_chroot sudo
    try "sudo is installed" install_sudo
    new_user ann
    in_chroot "$WORK" usermod -aG sudo ann
    try "sudo with a password: the demo ends well, and a test" at_terminal_of ann \
        "cd dynamo_fdw && ./test/demo && ./test/check regress; $STOP" "$transcript"
    check_demo_seen "sudo with a password" "$transcript"
    try "sudo with a password: one prompt" seen "$transcript" '^# 1 passwords'
    remove_chroot "$WORK"
}

# The commands that a user is instructed to have run.
commands_listed() { # transcript
    sed -n '/only root can/,/when root has run them/p' "$1" | sed '1d;$d' | sed 's/^ *[0-9.]*  //'
}

run_commands_listed() { # transcript word
    local commands
    commands=$(commands_listed "$1")
    printf '%s\n' "$commands"
    grep -q -e "$2" <<<"$commands" && in_chroot "$WORK" sh -e -c "$commands"
}

hour_of_others() {
    local transcript=$CACHE/first-hour-none
    fresh_chroot none
    new_user bob
    try "without sudo: ends" fails in_script_of bob "$transcript-0.txt"
    try "without sudo: shows why" seen "$transcript-0.txt" 'you are not root, and there is no sudo here'
    try "sudo is installed" install_sudo
    try "without terminal: ends" fails in_script_of bob "$transcript-1.txt"
    try "without terminal: shows why" seen "$transcript-1.txt" 'sudo asks for a password, and there is no terminal'
    try "without rights: ends" fails at_terminal_of bob "$DEMO" "$transcript-2.txt"
    try "without rights: shows why" seen "$transcript-2.txt" 'sudo did not let you'
    try "without rights: root installs packages by the commands" run_commands_listed "$transcript-2.txt" apt-get
    try "without rights: ends for the extension" fails at_terminal_of bob "$DEMO" "$transcript-3.txt"
    try "without rights: root installs the extension by the command" run_commands_listed "$transcript-3.txt" install
    try "without rights: the demo ends well at last" at_terminal_of bob "$DEMO" "$transcript-4.txt"
    show_times "$transcript-4.txt"
    remove_chroot "$WORK"
}
