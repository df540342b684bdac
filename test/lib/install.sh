# What the stack needs on the machine: Debian packages, DynamoDB Local and ExtendDB. Sourced by test/stack.
#
# Every function is idempotent and silent when there is nothing to do. ENDPOINT is set when DynamoDB runs elsewhere,
# WITH_EXTENDDB is yes or no.

DDBL_VERSION=3.3.1
# DynamoDB Local names SDK modules of a version that Maven Central holds only in part; this version of all of them works.
AWS_SDK_VERSION=2.54.15
DDBL_DIR=$CACHE/dynamodb-local-$DDBL_VERSION
EXTENDDB_VERSION=0.1.10
EXTENDDB_DIR=$CACHE/extenddb-$EXTENDDB_VERSION
EXTENDDB=$EXTENDDB_DIR/node_modules/@extenddb/linux-x64/extenddb

installed() { # package
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

stack_packages() {
    printf '%s\n' make gcc libc6-dev curl openssl ca-certificates python3 python3-psycopg2 \
        libcurl4-openssl-dev libjansson-dev libssl-dev zlib1g-dev
    [ "$OWN_POSTGRES" = yes ] || printf '%s\n' "postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR"
    [ "$WITH_EXTENDDB" = no ] || [ -x "$EXTENDDB" ] || command -v npm >/dev/null || echo npm
    [ -z "$ENDPOINT" ] || return 0
    command -v java >/dev/null || echo openjdk-17-jre-headless
    [ -e "$DDBL_DIR/.complete" ] || command -v mvn >/dev/null || echo maven
}

# install_packages NAME...: those that are missing, with apt.
install_packages() {
    local missing=() package
    command -v dpkg-query >/dev/null ||
        die "this is $(os_name), and only Debian 12 is known here (no dpkg)"
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    is_debian_12 || die "these packages are missing, and only on Debian 12 are they installed for you" \
        "(this is $(os_name)): ${missing[*]}"
    apt_install "${missing[@]}"
}

apt_install() { # package...
    local log=$CACHE/apt.log began=$SECONDS
    mkdir -p "$CACHE"
    note "missing Debian packages: $*"
    note "installing them, and those that they need, takes one to five minutes"
    if ! run_as_root "install packages" "$log" "$(apt_commands "$@")"; then
        tail -n 5 "$log" >&2
        die "apt could not install these packages (no network?), see $log: $*"
    fi
    note "installed them in $((SECONDS - began)) s"
}

# Debian's package would otherwise make a cluster on port 5432 and start it; that is the machine's affair, not ours.
apt_commands() { # package...
    local conf=/etc/postgresql-common/createcluster.conf
    [ -e "$conf" ] || printf '%s\n' "mkdir -p ${conf%/*}" "echo 'create_main_cluster = false' >$conf"
    printf '%s\n' "apt-get -o DPkg::Lock::Timeout=300 update" \
        "DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \\" \
        "    -o Dpkg::Options::=--force-confold $*"
}

os_name() {
    # shellcheck disable=SC1091
    (. /etc/os-release 2>/dev/null && printf '%s\n' "${PRETTY_NAME:-an unknown system}") || uname -s
}

is_debian_12() {
    # shellcheck disable=SC1091
    (. /etc/os-release 2>/dev/null && [ "${ID:-}:${VERSION_ID:-}" = debian:12 ])
}

ddbl_pom() {
    cat <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dynamo-fdw</groupId><artifactId>dynamodb-local</artifactId><version>1</version>
  <dependencyManagement><dependencies><dependency>
    <groupId>software.amazon.awssdk</groupId><artifactId>bom</artifactId>
    <version>$AWS_SDK_VERSION</version><type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>
  <dependencies><dependency>
    <groupId>software.amazon.dynamodb</groupId><artifactId>DynamoDBLocal</artifactId>
    <version>$DDBL_VERSION</version>
  </dependency></dependencies>
</project>
POM
}

install_dynamodb_local() {
    local new=$DDBL_DIR.new log=$CACHE/maven.log began=$SECONDS
    [ -e "$DDBL_DIR/.complete" ] && return
    note "fetching DynamoDB Local $DDBL_VERSION from Maven Central (about a minute, 50 MB)"
    rm -rf "$new" "$DDBL_DIR"
    mkdir -p "$new"
    ddbl_pom >"$new/pom.xml"
    if ! with_progress "$log" mvn -B -f "$new/pom.xml" dependency:copy-dependencies -DoutputDirectory="$new/lib" \
        -DincludeScope=runtime; then
        grep -m 3 ERROR "$log" >&2
        die "could not download DynamoDB Local from Maven Central (no network?), see $log"
    fi
    mv "$new" "$DDBL_DIR" && : >"$DDBL_DIR/.complete"
    note "fetched it in $((SECONDS - began)) s"
}

install_extenddb() {
    local log=$CACHE/npm.log
    [ -x "$EXTENDDB" ] && return
    [ "$(uname -sm)" = "Linux x86_64" ] || die "ExtendDB is published for Linux on x86_64 only (this is $(uname -sm))"
    command -v npm >/dev/null || install_packages npm
    note "fetching ExtendDB $EXTENDDB_VERSION from npm (some seconds, 12 MB)"
    mkdir -p "$EXTENDDB_DIR"
    with_progress "$log" npm install --prefix "$EXTENDDB_DIR" --no-save --no-audit --no-fund \
        "@extenddb/linux-x64@$EXTENDDB_VERSION" || die "could not download ExtendDB from npm (no network?), see $log"
    [ -x "$EXTENDDB" ] || die "the npm package of ExtendDB $EXTENDDB_VERSION holds no program where it is expected: $EXTENDDB"
}

# Builds in the tree and installs into the server; quiet, and quick when nothing changed.
install_extension() {
    local log=$CACHE/build.log
    [ -e "$ROOT/dynamo_fdw.so" ] || note "compiling the extension (about a minute)"
    if ! with_progress "$log" make -j "$(nproc)" -C "$ROOT" PG_CONFIG="$PG_CONFIG"; then
        grep -v '^gcc ' "$log" >&2
        die "the extension does not build"
    fi
    extension_current && return
    if ! install_built "$log"; then
        cat "$log" >&2
        die "the extension could not be installed"
    fi
    note "built and installed the extension"
}

# Nothing is compiled any more, so that no file of root's is left in the tree.
install_built() { # log
    local command
    command=$(printf '%q ' make -s -C "$ROOT" PG_CONFIG="$PG_CONFIG" install)
    if [ -w "$("$PG_CONFIG" --pkglibdir)" ]; then
        sh -c "$command" >"$1" 2>&1
    else
        run_as_root "install the extension" "$1" "${command% }"
    fi
}

# Is what is installed what was built?
extension_current() {
    local lib share file
    lib=$("$PG_CONFIG" --pkglibdir) share=$("$PG_CONFIG" --sharedir)/extension
    cmp -s "$ROOT/dynamo_fdw.so" "$lib/dynamo_fdw.so" || return 1
    for file in "$ROOT"/dynamo_fdw.control "$ROOT"/sql/*.sql; do
        cmp -s "$file" "$share/${file##*/}" || return 1
    done
}

# PostgreSQL finds its files relative to its programs, so a copy of them needs no building.
copy_server() { # prefix
    local what
    mkdir -p "$1"
    for what in bindir pkglibdir sharedir includedir-server; do
        cp -r --parents "$("${PG_CONFIG:-pg_config}" "--$what")" "$1" || die "PostgreSQL could not be copied"
    done
    cp -r --parents /usr/include/postgresql "$1" 2>/dev/null
    chmod -R a+rX "$1"
}

# The files of the checkout, committed or not.
copy_checkout() { # directory
    mkdir -p "$1"
    (cd "$ROOT" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$1") ||
        die "the checkout could not be copied"
}
