"""Statements that write, next to a bare client that sends the same requests; their memory."""
import io
import os
import sys

from report import Figure, ratios
from scans import ROUNDS
from world import bare_client, create_server, quiet_turns

IN_FLIGHT = 16
DELAY_MS = 1
ROWS = 10_000

# The parents of keyed_server.c, which responds to writes and changes nothing.
COLUMNS = "id text NOT NULL, name text, city text, amount numeric, active boolean, note text"
SOURCE = f"""
    CREATE TABLE new_rows AS SELECT 'n-' || lpad(i::text, 6, '0') AS id, 'name ' || i AS name, 'city ' || i % 100 AS city,
        i / 100.0 AS amount, i % 2 = 0 AS active, 'a note of some length about row ' || i AS note
    FROM generate_series(1, {ROWS}) i; ANALYZE new_rows"""

# COPY gets its rows from the client.
STATEMENTS = (("INSERT", "INSERT INTO {0}.parents SELECT * FROM new_rows"),
              ("COPY", "COPY {0}.parents FROM STDIN"),
              ("UPDATE", "UPDATE {0}.parents SET note = 'changed', amount = amount + 1"),
              ("DELETE", "DELETE FROM {0}.parents"))


def create_table(world, name, url):
    """A schema with the table, and a server of the same name."""
    with world.connect() as connection:
        create_server(connection, name, url, max_concurrency=IN_FLIGHT)
        connection.execute(f"CREATE SCHEMA {name};"
                           f"CREATE FOREIGN TABLE {name}.parents ({COLUMNS}) SERVER {name} OPTIONS (updatable 'true')")


def run(connection, statement, rows):
    """Wall seconds of a statement, all of whose rows must be written."""
    if statement.startswith("COPY"):
        data = io.StringIO()
        connection.cursor.copy_expert("COPY new_rows TO STDOUT", data)
        data.seek(0)
        queued = connection.queued()
        wall = connection.copied(statement, data)
    else:
        queued = connection.queued()
        wall = connection.timed(statement)[1]
    if connection.cursor.rowcount != rows:
        sys.exit(f"test/bench: {connection.cursor.rowcount} rows instead of {rows}: {statement}")
    return wall, (connection.queued() - queued) / wall


def record(world, log, statement):
    """(file, requests) of what the statement sends."""
    os.truncate(log, 0)
    with world.connect() as connection:
        run(connection, statement, ROWS)
    with open(log, encoding="utf-8") as file:
        requests = file.read()
    path = os.path.join(world.directory(), "requests")
    with open(path, "w", encoding="utf-8") as file:
        file.write(requests)
    return path, requests.count("\n")


def writes(world):
    """INSERT, COPY, UPDATE and DELETE of 10,000 rows, 1 ms per request, 16 in flight, against the same requests of a bare client"""
    log = os.path.join(world.directory(), "log")
    url = world.serve_keyed("--delay-ms", DELAY_MS)
    create_table(world, "recorded", world.serve_keyed("--record", log))
    create_table(world, "written", url)
    with world.connect() as connection:
        connection.execute(SOURCE)
    figures = []
    for name, statement in STATEMENTS:
        path, requests = record(world, log, statement.format("recorded"))
        figures += beside(world, name, statement.format("written"), (url, path, requests))
    return figures


def beside(world, name, statement, replayed):
    """The figures of one statement; replayed is the server, the record of its requests and their number."""
    url, path, requests = replayed
    with world.connect() as connection:
        run(connection, statement, ROWS)

        def turn():
            wall, waiting = run(connection, statement, ROWS)
            bare = bare_client(url, "--replay", path, "--in-flight", IN_FLIGHT)["wall_s"]
            return wall * 1000, bare * 1000, waiting

        ours, theirs, _ = quiet_turns(turn, ROUNDS)
    return [Figure(f"{name} of {ROWS:,} rows, of a bare client's time", ratios(ours, theirs), 1.5, unit=" x"),
            Figure("    dynamo_fdw", ours, unit=" ms"),
            Figure(f"    curl_multi, the same {requests:,} requests", theirs, unit=" ms")]


def write_memory(world):
    """Growth of a new backend's peak resident size in an INSERT of 10,000 rows of 100 kB"""
    create_table(world, "wide", world.serve_keyed())
    with world.connect() as connection:
        before = connection.peak()
        wall = run(connection, "INSERT INTO wide.parents (id, note) SELECT 'w-' || i, repeat('x', 100000)"
                   f" FROM generate_series(1, {ROWS}) i", ROWS)[0]
        return [Figure("10,000 rows of 100 kB", [connection.peak() - before], 32, unit=" MB"),
                Figure("    took", [wall], unit=" s")]
