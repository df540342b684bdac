# Starts and stops the scratch PostgreSQL and the emulators. Sourced by test/stack.
#
# All of it lives in one private directory, DIR. What was started is written to the file STATE, which is a shell
# fragment: "export" lines for users of the stack, and plain assignments for stopping it.

DDBL_MAIN=software.amazon.dynamodb.services.local.main.ServerRunner
DDBL_JVM=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m)
# AWS's published example pair. ExtendDB's developer build wants a key of that shape, and checks signatures with it.
EXTENDDB_KEY=AKIAIOSFODNN7EXAMPLE
EXTENDDB_SECRET=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY

# Anything that is started here outlives this shell: its own session, no terminal, no inherited lock.
# Prints the process as PID:START.
start_detached() { # directory log command...
    local directory=$1 log=$2
    shift 2
    (cd "$directory" && exec setsid nohup "$@" >"$log" 2>&1 </dev/null 9>&-) &
    process_id $!
}

# Ready means any HTTP response at all.
wait_http() { # url pid:start
    local i
    for ((i = 0; i < 600; i++)); do
        [ "$(curl -s -o /dev/null -m 5 -w '%{http_code}' "$1")" != 000 ] && return
        process_alive "$2" || return 1
        sleep 0.05
    done
    return 1
}

remember() { # line...
    printf '%s\n' "$@" >>"$STATE"
}

make_directory() {
    DIR=$(mktemp -d "${TMPDIR:-/tmp}/dynamo_fdw.XXXXXX") || die "cannot make a directory in ${TMPDIR:-/tmp}"
    chmod 711 "$DIR"
    mkdir "$DIR/socket" "$DIR/dynamodb" "$DIR/extenddb"
    make_pg_directory
    ! am_root || chown postgres: "$DIR/pg" "$DIR/socket"
    : >"$STATE"
    remember "DIR=$DIR"
}

# In memory, if 4 GB of it are free. Each test class creates a database of 300 files and drops it, and ext4 uses the
# inode of a deleted file again only after seconds: finding other inodes took a seventh of the CPU time of the tests.
make_pg_directory() {
    local free
    free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
    if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ "$free" -ge $((4 * 1024 * 1024)) ]; then
        ln -s "$(mktemp -d /dev/shm/dynamo_fdw.XXXXXX)" "$DIR/pg"
    else
        mkdir "$DIR/pg"
    fi
}

# ICU as the default locale: under C.UTF-8 text sorts by bytes, just as in DynamoDB, and no collation mistake shows.
start_postgres() {
    local port
    port=$(free_port)
    if ! as_postgres "$PG_BIN/initdb" -D "$DIR/pg/data" -U postgres -A trust --no-sync --encoding=UTF8 \
        --locale=C.UTF-8 --locale-provider=icu --icu-locale=und >"$DIR/initdb.log" 2>&1; then
        cat "$DIR/initdb.log" >&2
        die "initdb failed"
    fi
    postgres_settings "$port" | as_postgres tee -a "$DIR/pg/data/postgresql.conf" >/dev/null
    # shellcheck disable=SC2086  # its words
    if ! as_postgres env ${POSTGRES_ENVIRONMENT-} "$PG_BIN/pg_ctl" -D "$DIR/pg/data" -l "$DIR/pg/server.log" -w -s start 9>&-; then
        as_postgres tail -n 5 "$DIR/pg/server.log" >&2
        die "PostgreSQL did not start"
    fi
    remember "export PGHOST=127.0.0.1" "export PGPORT=$port" "export PGUSER=postgres" "export PGDATABASE=postgres"
}

postgres_settings() { # port
    cat <<CONF
listen_addresses = '127.0.0.1'
port = $1
unix_socket_directories = '$DIR/socket'
fsync = off
synchronous_commit = off
full_page_writes = off
CONF
}

stop_postgres() {
    [ -e "$DIR/pg/data/postmaster.pid" ] || return 0
    as_postgres "$PG_BIN/pg_ctl" -D "$DIR/pg/data" -m immediate -w -s stop
}

# The main jar's native library is found through java.library.path.
start_dynamodb_local() {
    DDB_PORT=$(free_port)
    DDB=$(start_detached "$DIR/dynamodb" "$DIR/dynamodb/server.log" java "${DDBL_JVM[@]}" \
        -Djava.library.path="$DDBL_DIR/lib" -cp "$DDBL_DIR/lib/*" $DDBL_MAIN \
        -inMemory -sharedDb -port "$DDB_PORT" -disableTelemetry)
    remember "DDB=$DDB"
}

wait_dynamodb_local() {
    wait_http "http://127.0.0.1:$DDB_PORT/" "$DDB" && return
    tail -n 5 "$DIR/dynamodb/server.log" >&2
    die "DynamoDB Local did not start"
}

start_extenddb() {
    local port
    port=$(free_port)
    EXT=$(start_detached "$DIR/extenddb" "$DIR/extenddb/server.log" env EXTENDDB__SERVER__PORT="$port" \
        EXTENDDB__STORAGE__SQLITE__PATH=:memory: AWS_ACCESS_KEY_ID="$EXTENDDB_KEY" \
        AWS_SECRET_ACCESS_KEY="$EXTENDDB_SECRET" "$EXTENDDB" serve --foreground)
    if ! wait_http "http://127.0.0.1:$port/health" "$EXT"; then
        process_stop "$EXT"
        tail -n 5 "$DIR/extenddb/server.log" >&2
        die "ExtendDB did not start"
    fi
    remember "EXT=$EXT" "export EXTENDDB_ENDPOINT=http://127.0.0.1:$port" \
        "export EXTENDDB_ACCESS_KEY_ID=$EXTENDDB_KEY" "export EXTENDDB_SECRET_ACCESS_KEY=$EXTENDDB_SECRET"
}

load_state() {
    DIR='' DDB='' EXT=''
    [ -e "$STATE" ] || return 1
    # shellcheck disable=SC1090
    . "$STATE"
}

# Are all that were started still there?
servers_alive() {
    [ -z "$DDB" ] || process_alive "$DDB" || return 1
    [ -z "$EXT" ] || process_alive "$EXT" || return 1
    as_postgres "$PG_BIN/pg_isready" -q -h 127.0.0.1 -p "$PGPORT"
}

stop_servers() {
    [ -z "$EXT" ] || process_stop "$EXT"
    [ -z "$DDB" ] || process_stop "$DDB"
    if [ -n "$DIR" ] && [ -d "$DIR" ]; then
        stop_postgres
        rm -rf "$(realpath "$DIR/pg")" "$DIR"
    fi
    rm -f "$STATE"
}
