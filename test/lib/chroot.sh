# Chroots of Debian's suites, and of Ubuntu's. Sourced, after common.sh and install.sh, by commands that need root.
#
# A chroot is made under another name and renamed when it is complete, so that what has the right name is usable.

in_chroot() { # directory command...
    local directory=$1
    shift
    chroot "$directory" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

# make_chroot DIRECTORY LOG SUITE PACKAGE...: the suite's smallest system with these packages, kept for the next time.
make_chroot() {
    local directory=$1 log=$2 suite=$3 new=$1.new
    shift 3
    [ -d "$directory" ] && return
    install_packages debootstrap
    release_mounts "$new"
    rm -rf --one-file-system "$new"
    if ! with_progress "$log" fill_chroot "$suite" "$new" "$@"; then
        tail -n 5 "$log" >&2
        release_mounts "$new"
        die "the chroot $directory could not be made, see $log"
    fi
    release_mounts "$new"
    mv "$new" "$directory"
}

# No service starts in it, no cluster is made; and sid's index may be older than its own limit.
fill_chroot() { # suite directory package...
    local suite=$1 directory=$2
    shift 2
    strap "$suite" "$directory" || return
    [ $# -gt 0 ] || return 0
    mkdir -p "$directory/etc/postgresql-common"
    echo 'create_main_cluster = false' >"$directory/etc/postgresql-common/createcluster.conf"
    echo 'Acquire::Check-Valid-Until "false";' >"$directory/etc/apt/apt.conf.d/99stale"
    no_services "$directory"
    take_mounts "$directory" &&
        in_chroot "$directory" apt-get update &&
        in_chroot "$directory" DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" &&
        in_chroot "$directory" apt-get clean
}

# The smallest system; debootstrap, which need not know the name of an Ubuntu suite, makes all of them alike.
strap() { # suite directory
    case $1 in
        noble)
            fetch_ubuntu_keyring &&
                debootstrap --variant=minbase --include=ca-certificates --components=main,universe \
                    --keyring="$UBUNTU_KEYRING" "$1" "$2" "" gutsy
            ;;
        experimental) debootstrap --variant=minbase --include=ca-certificates sid "$2" && prefer_experimental "$2" ;;
        *) debootstrap --variant=minbase --include=ca-certificates "$1" "$2" ;;
    esac
}

# sid, with PostgreSQL from experimental: a major that is not in sid yet.
prefer_experimental() { # directory
    echo "deb http://deb.debian.org/debian experimental main" >"$1/etc/apt/sources.list.d/experimental.list"
    printf '%s\n' "Package: src:postgresql-*" "Pin: release a=experimental" "Pin-Priority: 600" >"$1/etc/apt/preferences.d/experimental"
}

UBUNTU_KEYRING=$CACHE/ubuntu-keyring/usr/share/keyrings/ubuntu-archive-keyring.gpg

# Ubuntu's keys are a package of Debian trixie: got by apt with a private list of sources, so that Debian vouches for them.
fetch_ubuntu_keyring() {
    local work options
    [ -e "$UBUNTU_KEYRING" ] && return
    work=$(mktemp -d)
    options=(-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/nonexistent
        -o Dir::State::Lists="$work/lists" -o APT::Get::List-Cleanup=false)
    mkdir -p "$work/lists/partial" "$CACHE/ubuntu-keyring"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
        >"$work/sources.list"
    chmod -R a+rwX "$work"
    (cd "$work" && apt-get "${options[@]}" update && apt-get "${options[@]}" download ubuntu-keyring &&
        dpkg -x ubuntu-keyring_*.deb "$CACHE/ubuntu-keyring")
    rm -rf "$work"
    [ -e "$UBUNTU_KEYRING" ]
}

no_services() { # directory
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod +x "$1/usr/sbin/policy-rc.d"
}

take_mounts() { # directory
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm"
}

release_mounts() { # directory
    local point
    for point in "$1/dev/shm" "$1/dev/pts" "$1/proc"; do
        ! mountpoint -q "$point" || umount --lazy "$point"
    done
}

# The tree without what was built from it here.
copy_tree() { # directory
    rm -rf "$1"
    mkdir -p "$1"
    tar -C "$ROOT" --exclude=.git --exclude='*.o' --exclude='*.so' --exclude=build --exclude=results \
        --exclude=__pycache__ -cf - . | tar -C "$1" --no-same-owner -xf -
}
