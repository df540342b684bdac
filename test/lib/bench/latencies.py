"""Single keys: the time of a GetItem, and the time to plan it."""
import glob
import os
import statistics
import subprocess
import tempfile

from report import Figure, ratios
from scans import ROUNDS
from world import SETTINGS, bare_client

CALLS = 500
PLANS = 101

LOOKUP = "SELECT * FROM {} WHERE id = 'id-00000000'"
BY_INDEX = "SELECT id FROM {} WHERE name = 'Amber Birch' AND created > '2020-01-01'"


def latency(world):
    """GetItem by a prepared statement, seen from the client, against a libcurl loop; the server responds after 1 ms"""
    url = world.serve("--delay-ms", 1)
    world.foreign_table("single", url)
    turns = [(prepared(world, LOOKUP.format("single")), bare_client(url, "--calls", CALLS)["p50_us"])
             for _ in range(ROUNDS)]
    ours, theirs = zip(*turns)
    return [Figure("median of libcurl's", ratios(ours, theirs), 1.3, unit=" x"),
            Figure("    dynamo_fdw", ours, unit=" us"), Figure("    libcurl", theirs, unit=" us")]


def prepared(world, statement):
    """Microseconds of a prepared statement, the median of many in one connection, as pgbench sees them."""
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "script"), "w", encoding="utf-8") as file:
            file.write(statement.replace("'id-00000000'", ":key") + ";\n")
        subprocess.run([os.path.join(os.environ["PG_BIN"], "pgbench"), "-n", "-M", "prepared", "-t", str(CALLS), "-l",
                        "-D", "key=id-00000000", "-f", "script", world.database], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "PGOPTIONS": SETTINGS})
        [log] = glob.glob(os.path.join(directory, "pgbench_log.*"))
        with open(log, encoding="ascii") as file:
            return statistics.median(int(line.split()[2]) for line in file)


def planning(world):
    """Planning time, as EXPLAIN prints it, against a local table of the same rows and indexes"""
    world.foreign_table("planned", world.serve())
    world.csv_table("rows_to_copy")
    with world.connect() as connection:
        connection.execute("CREATE TABLE local AS SELECT * FROM rows_to_copy; ALTER TABLE local ADD PRIMARY KEY (id);"
                           "CREATE INDEX ON local (name, created); ANALYZE local")
        return plan_ratio(connection, "key lookup", LOOKUP) + plan_ratio(connection, "index and range", BY_INDEX)


def plan_ratio(connection, name, statement, ours="planned", theirs="local", limit=3):  # pylint: disable=too-many-arguments
    """The figures of one statement, whose tables, or their schema, are named by these."""
    turns = [(plan_time(connection, statement.format(ours)), plan_time(connection, statement.format(theirs)))
             for _ in range(ROUNDS * PLANS)]
    groups = [[statistics.median(side) for side in zip(*turns[i::ROUNDS])] for i in range(ROUNDS)]
    ours, theirs = zip(*groups)
    return [Figure(f"{name}, of a local table's", ratios(ours, theirs), limit, unit=" x"),
            Figure("    dynamo_fdw", ours, unit=" us"), Figure("    local table", theirs, unit=" us")]


def plan_time(connection, statement):
    """Microseconds of planning."""
    rows = connection.execute(f"EXPLAIN (SUMMARY) {statement}")
    [line] = (line for (line,) in rows if line.startswith("Planning Time:"))
    return float(line.split()[2]) * 1000
