# The clients of test/clients/run. Sourced by it.
#
# Each function is idempotent, and leaves a variable empty when its client cannot be had: then that client is skipped.

PIP_PACKAGES=(psycopg==3.3.9 psycopg-binary==3.3.9 sqlalchemy==2.1.9 pandas==3.1.1 pyodbc==5.5.0)
DJANGO_PACKAGES=(django==5.2.8 psycopg==3.3.9 psycopg-binary==3.3.9)
DBT_PACKAGES=(dbt-core==1.9.8 dbt-postgres==1.9.0)
PGJDBC_VERSION=42.7.4
NODE_PG_VERSION=8.23.1
PYSPARK_VERSION=3.5.7

# in_venv DIRECTORY PACKAGE...: a virtual environment with these.
in_venv() {
    local directory=$1 log=$CACHE/clients-pip.log
    shift
    [ ! -e "$directory/.complete" ] || return 0
    say "fetching $* from PyPI"
    rm -rf "$directory"
    if (install_packages python3-venv) && "$PYTHON" -m venv "$directory" &&
        "$directory/bin/pip" install --quiet --no-input --disable-pip-version-check "$@" >"$log" 2>&1 </dev/null; then
        : >"$directory/.complete"
    else
        say "not to be had (no network?), see $log"
        return 1
    fi
}

fetch_pgjdbc() {
    [ ! -e "$PGJDBC" ] || return 0
    say "fetching pgjdbc from Maven Central"
    (install_packages openjdk-17-jdk-headless maven) &&
        mvn -q -B dependency:copy -Dartifact="org.postgresql:postgresql:$PGJDBC_VERSION" \
            -DoutputDirectory="${PGJDBC%/*}" >"$CACHE/clients-maven.log" 2>&1 </dev/null
}

fetch_node_pg() {
    [ ! -e "$NODE_PG/.complete" ] || return 0
    say "fetching node-postgres from npm"
    command -v npm >/dev/null || (install_packages nodejs npm) || return 1
    mkdir -p "$NODE_PG" && npm --silent --prefix "$NODE_PG" install "pg@$NODE_PG_VERSION" >"$CACHE/clients-npm.log" 2>&1 </dev/null &&
        : >"$NODE_PG/.complete"
}

install_clients() {
    export CLIENTS_VENV=$CACHE/clients-python CLIENTS_DBT=$CACHE/clients-dbt CLIENTS_DJANGO=$CACHE/clients-django
    export PGJDBC=$CACHE/clients-java/postgresql-$PGJDBC_VERSION.jar NODE_PG=$CACHE/clients-node-$NODE_PG_VERSION
    export PSQLODBC=/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so
    in_venv "$CLIENTS_VENV" "${PIP_PACKAGES[@]}" || CLIENTS_VENV=
    in_venv "$CLIENTS_DBT" "${DBT_PACKAGES[@]}" || CLIENTS_DBT=
    in_venv "$CLIENTS_DJANGO" "${DJANGO_PACKAGES[@]}" || CLIENTS_DJANGO=
    fetch_pgjdbc || PGJDBC=
    fetch_node_pg || NODE_PG=
    [ -e "$PSQLODBC" ] || (install_packages odbc-postgresql unixodbc) || PSQLODBC=
}

install_spark() {
    export PGJDBC=$CACHE/clients-java/postgresql-$PGJDBC_VERSION.jar CLIENTS_SPARK=$CACHE/clients-spark
    fetch_pgjdbc && in_venv "$CLIENTS_SPARK" "pyspark==$PYSPARK_VERSION"
}
