#!/usr/bin/python3
"""The guided tour: fills the demo's tables, runs its statements and shows rows and requests.

Run by test/demo, in the environment of "test/stack env". Every statement's rows and requests are compared with what
the data demand; the exit status is 1 when one of them is different.
"""
import os
import re
import subprocess
import sys
import textwrap
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

import psycopg2                                     # noqa: E402
import psycopg2.extensions                          # noqa: E402

import data                                         # noqa: E402
from dynamo import DynamoClient                     # noqa: E402
from story import NEW_SONG, STEPS                   # noqa: E402

DATABASE = "demo"
NUMBERS = (20, 21, 23, 700, 701, 1700)      # type OIDs that psql aligns to the right

COLOR = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"
STYLES = {"title": "1", "sql": "36", "request": "32", "warning": "33", "quiet": "2", "bad": "1;31"}


def styled(style, text):
    """The text in color, on a terminal."""
    return f"\033[{STYLES[style]}m{text}\033[0m" if COLOR else text


def print_line(text=""):
    """One line, at once."""
    print(text, flush=True)


# The database

def fingerprint():
    """Changes with the data, the tables and the DynamoDB they are in."""
    parts = [os.environ["DDB_ENDPOINT"].encode()]
    for name in ("data.py", "tables.sql"):
        with open(os.path.join(HERE, name), "rb") as file:
            parts.append(file.read())
    return f"dynamo_fdw demo {zlib.crc32(b''.join(parts)):08x}"


def connect(database):
    """A connection that commits every statement and hands out all values as the server prints them."""
    connection = psycopg2.connect(dbname=database, options="-c TimeZone=UTC -c DateStyle=ISO -c lock_timeout=10s")
    connection.autocommit = True
    connection.set_client_encoding("UTF8")
    return connection


def as_text(connection):
    """Hands out all values as the server prints them."""
    oids = (16, 17, 18, 19, 20, 21, 23, 25, 114, 700, 701, 1009, 1042, 1043, 1082, 1114, 1184, 1231, 1700, 3802)
    text_type = psycopg2.extensions.new_type(oids, "SPELLED", lambda value, cursor: value)
    psycopg2.extensions.register_type(text_type, connection)


def query(connection, sql):
    """All rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


def prepare_database():
    """The database with its foreign tables, recreated if anything about them has changed; False if all was there."""
    mark = fingerprint()
    maintenance = connect("postgres")
    found = query(maintenance, "SELECT shobj_description(oid, 'pg_database') FROM pg_database "
                               f"WHERE datname = '{DATABASE}'")
    if found == [(mark,)]:
        maintenance.close()
        return False
    query(maintenance, f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    query(maintenance, f"CREATE DATABASE {DATABASE}")
    run_script(os.path.join(HERE, "tables.sql"), DATABASE)
    query(maintenance, f"COMMENT ON DATABASE {DATABASE} IS '{mark}'")
    maintenance.close()
    return True


def run_script(path, database):
    """Runs a file of SQL in a database."""
    variables = {"endpoint": "DDB_ENDPOINT", "region": "AWS_REGION", "key": "AWS_ACCESS_KEY_ID",
                 "secret": "AWS_SECRET_ACCESS_KEY"}
    settings = [part for name, source in variables.items() for part in ("-v", f"{name}={os.environ[source]}")]
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *settings, "-d", database, "-f", path], check=True)


# Showing a statement

class Result:
    """What a statement gave: columns, rows as text, requests, warnings."""

    def __init__(self, connection, sql):
        del connection.notices[:]
        with connection.cursor() as cursor:
            cursor.execute(sql)
            self.counts_only = cursor.description is None
            self.columns = [(column.name, column.type_code in NUMBERS) for column in cursor.description or ()]
            self.rows = [(cursor.statusmessage,)] if self.counts_only else cursor.fetchall()
        self.requests, self.warnings = [], []
        for notice in connection.notices:
            request = re.match(r"LOG:  dynamo_fdw: (.*) \([\d.]+ ms.*\)$", notice.strip())
            if request:
                self.requests.append(request.group(1))
            else:
                self.warnings.append(notice.strip())

    def table(self):
        """The rows as psql prints them."""
        if self.counts_only:
            yield self.rows[0][0]
            return
        cells = [["" if value is None else value for value in row] for row in self.rows]
        widths = [max(map(len, [name] + [row[i] for row in cells])) for i, (name, _) in enumerate(self.columns)]
        yield "|".join(f" {name:^{width}} " for (name, _), width in zip(self.columns, widths)).rstrip()
        yield "+".join("-" * (width + 2) for width in widths)
        for row in cells:
            yield "|".join(f" {value:>{width}} " if number else f" {value:<{width}} "
                           for value, width, (_, number) in zip(row, widths, self.columns)).rstrip()
        yield f"({len(cells)} row{'' if len(cells) == 1 else 's'})"


def show(number, step, result):
    """A statement with its rows and requests."""
    print_line()
    print_line(styled("title", f"{number}. {step.title}"))
    print_line(step.remark)
    for line in step.sql.splitlines():
        print_line(styled("sql", f"    {line}"))
    print_line()
    for warning in result.warnings:
        for line in warning.splitlines():
            print_line(styled("warning", f"    {line}"))
    for line in result.table():
        print_line(f"    {line}")
    for request in result.requests:
        style = "quiet" if request.startswith("DescribeTable") else "request"
        for line in textwrap.wrap(request, 116, initial_indent="    -> ", subsequent_indent="       "):
            print_line(styled(style, line))


# Checking it

def differences(step, result):
    """What is not as the data demand, as lines."""
    requests = [request for request in result.requests if not request.startswith("DescribeTable")]
    yield from compare("rows", step.rows(result), step.expected_rows)
    yield from compare("requests", sorted(requests), sorted(step.requests))
    yield from compare("warnings", result.warnings, step.warnings)


def compare(what, found, expected):
    """Lines that distinguish two lists, if they differ."""
    if found != expected:
        yield f"the {what} are not the expected ones"
        yield from (f"  found    {one}" for one in found)
        yield from (f"  expected {one}" for one in expected)


def run_step(connection, number, step):
    """Runs and shows a statement; True if all is as it should be."""
    result = Result(connection, step.sql)
    show(number, step, result)
    wrong = list(differences(step, result))
    for line in wrong:
        print_line(styled("bad", f"    !! {line}"))
    return not wrong


def introduce(written):
    """What is there to be seen."""
    counts = ", ".join(f"{len(items)} {name}" for name, items, *_ in data.TABLES)
    print_line(styled("title", "dynamo_fdw: DynamoDB tables as foreign tables of PostgreSQL"))
    print_line(f"DynamoDB Local holds {counts}" + (" (just loaded)." if written else " (loaded before)."))
    print_line("Below every statement: its rows, and behind \"->\" the requests that DynamoDB got for them.")


def main():
    """The tour; returns the exit status."""
    made = prepare_database()
    dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
    introduce(data.load(dynamo, reload=made))
    dynamo.close()
    # An interrupted tour may have left it there. In another session: reads of one that has written cost twice as much.
    cleaning = connect(DATABASE)
    query(cleaning, f"DELETE FROM songs WHERE name = '{NEW_SONG}'")
    cleaning.close()
    connection = connect(DATABASE)
    as_text(connection)
    query(connection, "SET dynamo_fdw.log_requests = on")
    query(connection, "SET client_min_messages = log")
    wrong = [number for number, step in enumerate(STEPS, 1) if not run_step(connection, number, step)]
    [(requests, units)] = query(connection, "SELECT requests, read_units FROM dynamo_fdw_stats()")
    connection.close()
    print_line()
    if wrong:
        print_line(styled("bad", f"{len(wrong)} of {len(STEPS)} statements were not answered as expected: "
                          + ", ".join(map(str, wrong))))
        return 1
    print_line(f"{len(STEPS)} statements, {requests} requests, {units} read units; rows and requests as expected.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
