# Copies of a bare Debian 12, to work in. Sourced by test/packages/check.

BASE=$CACHE/chroot-bookworm

# A copy, with what this machine needs to reach others, and terminals. Sets WORK.
fresh_chroot() { # name
    WORK=$CACHE/packages-$1
    remove_chroot "$WORK"
    cp -a "$BASE" "$WORK"
    cp /etc/hosts "$WORK/etc/hosts"
    mkdir -p "$WORK/usr/local/share/ca-certificates"
    find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$WORK/usr/local/share/ca-certificates" \;
    no_services "$WORK"
    if ! take_mounts "$WORK" || ! mount --bind /dev/pts "$WORK/dev/pts"; then die "cannot mount into $WORK"; fi
}

remove_chroot() { # directory
    [ -d "$1" ] || return 0
    stop_processes_in "$1"
    release_mounts "$1"
    rm -rf --one-file-system "$1"
}

# Those that a test started there and that have not ended.
stop_processes_in() { # directory
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/root" 2>/dev/null)" != "$1" ] || kill "${process#/proc/}" 2>/dev/null
    done
    sleep 0.5
}

# A line of FILE is like PATTERN.
seen() { # file pattern
    grep -q -e "$2" "$1" && return
    printf 'no line like "%s" in %s:\n' "$2" "$1"
    tail -n 20 "$1"
    return 1
}

fails() { # command...
    ! "$@"
}
