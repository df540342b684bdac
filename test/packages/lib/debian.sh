# Debian's packages of the extension: built from an exported tree, installed elsewhere, tried. Sourced by
# test/packages/check.
# shellcheck disable=SC2317  # most functions are reached through try

NAME=postgresql-$PG_MAJOR-dynamo-fdw

install_in() { # chroot package...
    local directory=$1
    shift
    in_chroot "$directory" apt-get -qq update &&
        in_chroot "$directory" DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"
}

build_package() {
    copy_tree "$WORK/srv/dynamo_fdw"
    cp -R "$ROOT/test/packages/debian" "$WORK/srv/dynamo_fdw/debian"
    in_chroot "$WORK" sh -c 'cd /srv/dynamo_fdw && dpkg-checkbuilddeps && dpkg-buildpackage -b -us -uc -j2'
}

# control is what control.in becomes for the versions of the suite.
control_is_current() {
    in_chroot "$WORK" sh -c 'cd /srv/dynamo_fdw && pg_buildext updatecontrol && grep -v "^#" debian/control' |
        diff "$ROOT/test/packages/debian/control" -
}

install_package() {
    in_chroot "$WORK" mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' >"$WORK/etc/postgresql-common/createcluster.conf"
    cp "$CACHE/packages-build/srv/$NAME"_*.deb "$WORK/srv/"
    in_chroot "$WORK" sh -c "apt-get -qq update && apt-get -qq install -y --no-install-recommends /srv/$NAME"'_*.deb'
}

# In a network of its own, where the cluster's usual port is free.
try_package() {
    unshare --net --pid --fork --kill-child --mount-proc="$WORK/proc" \
        chroot "$WORK" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 sh -e -c '
            ip link set lo up 2>/dev/null || true
            pg_createcluster "$0" main --start
            runuser -u postgres -- psql -X -v ON_ERROR_STOP=1 \
                -c "CREATE EXTENSION dynamo_fdw" -c "SELECT count(*) > 20 AS options FROM dynamo_fdw_options()"
            pg_dropcluster "$0" main --stop' "$PG_MAJOR"
}

pages_are_there() {
    local pages=$WORK/usr/share/doc/postgresql-doc-$PG_MAJOR/extension/dynamo_fdw
    [ -s "$pages/README.md" ] && [ -s "$pages/docs/options.md" ]
}

remove_package() {
    in_chroot "$WORK" apt-get -qq purge -y "$NAME" && [ ! -e "$WORK/usr/lib/postgresql/$PG_MAJOR/lib/dynamo_fdw.so" ]
}

# The build's chroot has the tests of the source, and the server that "pg_buildext installcheck" starts.
test_built() {
    in_chroot "$WORK" sh -c "apt-get -qq install -y --no-install-recommends /srv/${NAME}_*.deb &&
        cd /srv/dynamo_fdw && chown -R postgres: . && runuser -u postgres -- debian/tests/installcheck"
}

check_debian() {
    fresh_chroot build
    try "debian: what the build needs" install_in "$WORK" build-essential fakeroot debhelper postgresql-server-dev-all \
        libcurl4-openssl-dev libjansson-dev libssl-dev zlib1g-dev
    try "debian: $NAME is built" build_package
    try "debian: its description is up to date" control_is_current
    fresh_chroot installed
    try "debian: is installed, with what it depends on" install_package
    try "debian: makes the extension in a new cluster" try_package
    try "debian: brings the manual" pages_are_there
    try "debian: is removed" remove_package
    remove_chroot "$WORK"
    WORK=$CACHE/packages-build
    try "debian: passes its regression tests" test_built
    remove_chroot "$WORK"
}
