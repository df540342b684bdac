# The clients of test/clients/run. Sourced by it.
#
# Each function is idempotent, and leaves a variable empty when its client cannot be had: then that client is skipped.

PIP_PACKAGES=(psycopg==3.3.9 psycopg-binary==3.3.9 sqlalchemy==2.1.9 pandas==3.1.1 pyodbc==5.5.0)
DJANGO_PACKAGES=(django==5.2.8 psycopg==3.3.9 psycopg-binary==3.3.9)
DBT_PACKAGES=(dbt-core==1.9.8 dbt-postgres==1.9.0)
PGJDBC_VERSION=42.7.4
HIBERNATE_VERSION=6.6.56.Final
JACKSON_VERSION=2.18.2
NODE_PG_VERSION=8.23.1
POSTGRAPHILE_VERSIONS=(4.14.1 5.1.5)
NODE_VERSION=22.23.3 # for PostGraphile 5; Debian's is older
PYSPARK_VERSION=3.5.7

# in_venv DIRECTORY PACKAGE...: a virtual environment with these.
in_venv() {
    local directory=$1 log=$CACHE/clients-pip.log
    shift
    [ ! -e "$directory/.complete" ] || return 0
    note "fetching $* from PyPI"
    rm -rf "$directory"
    if (install_packages python3-venv) && "$PYTHON" -m venv "$directory" &&
        "$directory/bin/pip" install --quiet --no-input --disable-pip-version-check "$@" >"$log" 2>&1 </dev/null; then
        : >"$directory/.complete"
    else
        note "not to be had (no network?), see $log"
        return 1
    fi
}

fetch_pgjdbc() {
    [ ! -e "$PGJDBC" ] || return 0
    note "fetching pgjdbc from Maven Central"
    (install_packages openjdk-17-jdk-headless maven) &&
        mvn -q -B dependency:copy -Dartifact="org.postgresql:postgresql:$PGJDBC_VERSION" \
            -DoutputDirectory="${PGJDBC%/*}" >"$CACHE/clients-maven.log" 2>&1 </dev/null
}

# Hibernate with what it needs, Jackson for JSON, and pgjdbc.
fetch_hibernate() {
    [ ! -e "$HIBERNATE/.complete" ] || return 0
    note "fetching Hibernate from Maven Central"
    (install_packages openjdk-17-jdk-headless maven) || return 1
    mkdir -p "$HIBERNATE" && cat >"$HIBERNATE/pom.xml" <<POM && mvn -q -B -f "$HIBERNATE/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
        -DoutputDirectory="$HIBERNATE" >"$CACHE/clients-maven.log" 2>&1 </dev/null && : >"$HIBERNATE/.complete"
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>clients</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.hibernate.orm</groupId><artifactId>hibernate-core</artifactId><version>$HIBERNATE_VERSION</version></dependency>
    <dependency><groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>$JACKSON_VERSION</version></dependency>
    <dependency><groupId>org.postgresql</groupId><artifactId>postgresql</artifactId><version>$PGJDBC_VERSION</version></dependency>
  </dependencies>
</project>
POM
}

fetch_node_pg() {
    [ ! -e "$NODE_PG/.complete" ] || return 0
    note "fetching node-postgres from npm"
    command -v npm >/dev/null || (install_packages nodejs npm) || return 1
    mkdir -p "$NODE_PG" && npm --silent --prefix "$NODE_PG" install "pg@$NODE_PG_VERSION" >"$CACHE/clients-npm.log" 2>&1 </dev/null &&
        : >"$NODE_PG/.complete"
}

# Each version in a directory of its own, named by its major version.
fetch_postgraphile() {
    [ ! -e "$POSTGRAPHILE/.complete" ] || return 0
    note "fetching PostGraphile from npm"
    command -v npm >/dev/null || (install_packages nodejs npm) || return 1
    local version
    for version in "${POSTGRAPHILE_VERSIONS[@]}"; do
        mkdir -p "$POSTGRAPHILE/${version%%.*}" && npm --silent --prefix "$POSTGRAPHILE/${version%%.*}" install \
            "node@$NODE_VERSION" "postgraphile@$version" >"$CACHE/clients-npm.log" 2>&1 </dev/null || return 1
    done
    : >"$POSTGRAPHILE/.complete"
}

install_clients() {
    export CLIENTS_VENV=$CACHE/clients-python CLIENTS_DBT=$CACHE/clients-dbt CLIENTS_DJANGO=$CACHE/clients-django
    export PGJDBC=$CACHE/clients-java/postgresql-$PGJDBC_VERSION.jar NODE_PG=$CACHE/clients-node-$NODE_PG_VERSION
    export HIBERNATE=$CACHE/clients-hibernate-$HIBERNATE_VERSION
    export POSTGRAPHILE=$CACHE/clients-postgraphile-${POSTGRAPHILE_VERSIONS[1]}
    export PSQLODBC=/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so
    in_venv "$CLIENTS_VENV" "${PIP_PACKAGES[@]}" || CLIENTS_VENV=
    in_venv "$CLIENTS_DBT" "${DBT_PACKAGES[@]}" || CLIENTS_DBT=
    in_venv "$CLIENTS_DJANGO" "${DJANGO_PACKAGES[@]}" || CLIENTS_DJANGO=
    fetch_pgjdbc || PGJDBC=
    fetch_hibernate || HIBERNATE=
    fetch_postgraphile || POSTGRAPHILE=
    fetch_node_pg || NODE_PG=
    [ -e "$PSQLODBC" ] || (install_packages odbc-postgresql unixodbc) || PSQLODBC=
}

install_spark() {
    export PGJDBC=$CACHE/clients-java/postgresql-$PGJDBC_VERSION.jar CLIENTS_SPARK=$CACHE/clients-spark
    fetch_pgjdbc && in_venv "$CLIENTS_SPARK" "pyspark==$PYSPARK_VERSION"
}
