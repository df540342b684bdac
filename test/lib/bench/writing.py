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
    FROM generate_series(1, {ROWS}) i;
    CREATE UNIQUE INDEX ON new_rows (id); ANALYZE new_rows"""

# COPY gets its rows from the client. The server has an item of each row with which ON CONFLICT is measured.
STATEMENTS = (("INSERT", "INSERT INTO {0}.parents SELECT * FROM new_rows"),
              ("COPY", "COPY {0}.parents FROM STDIN"),
              ("UPDATE", "UPDATE {0}.parents SET note = 'changed', amount = amount + 1"),
              ("DELETE", "DELETE FROM {0}.parents"),
              ("ON CONFLICT DO UPDATE", "INSERT INTO {0}.parents AS old SELECT 'p-' || lpad((right(id, 6)::int - 1)::text, 6, '0'),"
               " name, city, amount, active, note FROM new_rows"
               " ON CONFLICT (id) DO UPDATE SET note = EXCLUDED.note, amount = old.amount + EXCLUDED.amount"))

# The rows of an atomic statement: as many as one TransactWriteItems holds.
ATOMIC_ROWS = 100
ATOMIC = ("atomic INSERTs of 100", "EXECUTE {0}('n-%06d', 'n-%06d')",
          "SET dynamo_fdw.write_mode = 'atomic';" + "".join(
              f"PREPARE {name}(text, text) AS INSERT INTO {name}.parents SELECT * FROM new_rows WHERE id BETWEEN $1 AND $2;"
              for name in ("recorded", "written")), 1)


def create_table(world, name, url):
    """A schema with the table, and a server of the same name."""
    with world.connect() as connection:
        create_server(connection, name, url, max_concurrency=IN_FLIGHT)
        connection.execute(f"CREATE SCHEMA {name};"
                           f"CREATE FOREIGN TABLE {name}.parents ({COLUMNS}) SERVER {name} OPTIONS (updatable 'true')")


def run(connection, statement):
    """
    (wall seconds, share of them without a CPU) of a statement that must write all rows.

    An atomic statement is executed for each hundred of them.
    """
    data = io.StringIO()
    if statement.startswith("COPY"):
        connection.cursor.copy_expert("COPY new_rows TO STDOUT", data)
        data.seek(0)
    elapsed = rows = 0
    queued = connection.queued()
    if statement.startswith("COPY"):
        elapsed = connection.copied(statement, data)
        rows = connection.cursor.rowcount
    elif "%" in statement:
        for first in range(1, ROWS, ATOMIC_ROWS):
            elapsed += connection.timed(statement % (first, first + ATOMIC_ROWS - 1))[1]
            rows += connection.cursor.rowcount
    else:
        elapsed = connection.timed(statement)[1]
        rows = connection.cursor.rowcount
    if rows != ROWS:
        sys.exit(f"test/bench: {rows} rows instead of {ROWS}: {statement}")
    return elapsed, (connection.queued() - queued) / elapsed


def record(world, log, statement, settings):
    """(file, requests) of what the statement sends."""
    os.truncate(log, 0)
    with world.connect() as connection:
        connection.execute(settings)
        run(connection, statement)
    with open(log, encoding="utf-8") as file:
        requests = file.read()
    path = os.path.join(world.directory(), "requests")
    with open(path, "w", encoding="utf-8") as file:
        file.write(requests)
    return path, requests.count("\n")


def writes(world):
    """Writes of 10,000 rows, 1 ms per request, 16 in flight, against the same requests of a bare client"""
    log = os.path.join(world.directory(), "log")
    url = world.serve_keyed("--delay-ms", DELAY_MS)
    create_table(world, "recorded", world.serve_keyed("--record", log))
    create_table(world, "written", url)
    with world.connect() as connection:
        connection.execute(SOURCE)
    figures = []
    for name, statement, settings, in_flight in [(*named, "LOAD 'dynamo_fdw'", IN_FLIGHT) for named in STATEMENTS] + [ATOMIC]:
        path, requests = record(world, log, statement.format("recorded"), settings)
        ours, theirs = compared(world, statement.format("written"), settings, (url, path, in_flight))
        figures += [Figure(f"{name}, {ROWS:,} rows, of a bare client's time", ratios(ours, theirs), 1.5, unit=" x"),
                    Figure("    dynamo_fdw", ours, unit=" ms"),
                    Figure(f"    curl_multi, the same {requests:,} requests", theirs, unit=" ms")]
    return figures


def compared(world, statement, settings, replayed):
    """Milliseconds of one statement, and of a bare client; replayed is its server, the requests, how many are in flight."""
    url, path, in_flight = replayed
    with world.connect() as connection:
        connection.execute(settings)
        run(connection, statement)

        def turn():
            elapsed, waiting = run(connection, statement)
            bare = bare_client(url, "--replay", path, "--in-flight", in_flight)["elapsed_s"]
            return elapsed * 1000, bare * 1000, waiting

        return quiet_turns(turn, ROUNDS)[:2]


class WideLines:
    """What COPY reads: rows of 100 kB, each made when it is read."""

    def __init__(self):
        self.rows = iter(range(1, ROWS + 1))

    def read(self, _size):
        """One line, or nothing at the end."""
        row = next(self.rows, None)
        return "" if row is None else f"w-{row}\t{'x' * 100_000}\n"


def write_memory(world):
    """Growth of a new backend's peak resident size in an INSERT and a COPY of 10,000 rows of 100 kB"""
    create_table(world, "wide", world.serve_keyed())
    figures = []
    for name, work in (("INSERT", lambda connection: run(
            connection, f"INSERT INTO wide.parents (id, note) SELECT 'w-' || i, repeat('x', 100000) FROM generate_series(1, {ROWS}) i")[0]),
                       ("COPY", lambda connection: connection.copied("COPY wide.parents (id, note) FROM STDIN", WideLines()))):
        with world.connect() as connection:
            before = connection.peak()
            elapsed = work(connection)
            if connection.cursor.rowcount != ROWS:
                sys.exit(f"test/bench: {connection.cursor.rowcount} rows instead of {ROWS}: {name}")
            figures += [Figure(f"{name} of 10,000 rows of 100 kB", [connection.peak() - before], 32, unit=" MB"),
                        Figure("    took", [elapsed], unit=" s")]
    return figures
