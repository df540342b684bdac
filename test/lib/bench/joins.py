"""Joins by key: round trips that overlap, against a bare client, plain loops and boto3; their memory; their planning."""
import json
import os
import subprocess
import sys

from latencies import plan_ratio
from report import Figure, Skipped, note, ratios
from scans import ROUNDS
from world import bare_client, create_server, quiet_turns

IN_FLIGHT = 16
DELAYS_MS = (1, 5, 20)

# The limit of a join of one round trip, of what a bare client and the local join take together.
WITH_LOCAL_JOIN = 1.25

# The tables of keyed_server.c.
TABLES = {"parents": "id text NOT NULL, name text, city text, amount numeric, active boolean, note text",
          "roots": "id text NOT NULL, name text, city text, amount numeric, active boolean, note text",
          "children": "parent text NOT NULL, n integer NOT NULL, id text, owner text, amount numeric,"
                      " created timestamptz, note text",
          "grandchildren": "child text NOT NULL, n integer NOT NULL, id text, owner text, quantity integer, note text"}
KEYS = {"parents": "id", "roots": "id", "children": "parent, n", "grandchildren": "child, n"}

# The outer sides, which are tables of PostgreSQL, but for the join of three levels.
OUTER_PARENTS = [f"p-{i:06d}" for i in range(1000)]
OUTER_OWNERS = [f"p-{i * 7919 % 10000:06d}" for i in range(1000)]
OUTER = f"""
    CREATE TABLE outer_parents AS SELECT unnest('{{{",".join(OUTER_PARENTS)}}}'::text[]) AS id;
    CREATE TABLE outer_rows AS SELECT unnest('{{{",".join(OUTER_OWNERS)}}}'::text[]) AS owner;
    ANALYZE outer_parents, outer_rows"""


class Join:
    """
    A statement, its rows, and its limit as a multiple of the bare client's time.

    Where all requests together take one round trip, no waiting hides what PostgreSQL does with the rows, and a bare
    client does not. So it is also compared with the bare client's time and that of the same join of local tables
    together. Where the local join alone takes more than the limit allows, no foreign table can keep it; a line reports it.
    """

    # pylint: disable=too-many-arguments
    def __init__(self, name, rows, limit, statement, one_trip=False):
        self.name, self.rows, self.limit, self.statement, self.one_trip = name, rows, limit, statement, one_trip


HAS_MANY = Join("has_many, 1,000 parents", 5000, 1.3,
                "SELECT c.* FROM outer_parents p JOIN children c ON c.parent = p.id")
BELONGS_TO = Join("belongs_to, 1,000 rows", 1000, 1.5,
                  "SELECT p.* FROM outer_rows o JOIN parents p ON p.id = o.owner", one_trip=True)
THREE_LEVELS = Join("three levels, 200 roots", 3000, 1.5,
                    "SELECT r.name, c.*, g.* FROM roots r LEFT JOIN children c ON c.parent = r.id"
                    " LEFT JOIN grandchildren g ON g.child = c.id")
LATEST_THREE = Join("latest three of 1,000", 3000, 1.5,
                    "SELECT l.* FROM outer_parents p, LATERAL (SELECT * FROM children c WHERE c.parent = p.id"
                    " ORDER BY n DESC LIMIT 3) l")
JOINS = (HAS_MANY, BELONGS_TO, THREE_LEVELS, LATEST_THREE)

# Tables as small as these would be scanned; what is measured here is round trips.
NO_SCANS = "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off"


class Session:
    """A connection to which the tables of one server are visible."""

    def __init__(self, world, schema, lookups=True):
        self.connection = world.connect()
        self.connection.execute(f"SET search_path = {schema}, public; {NO_SCANS};"
                                f"SET dynamo_fdw.enable_lookup_join = {'on' if lookups else 'off'}")
        self.lookups = lookups

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.raw.close()

    def check_plan(self, join):
        """Is it joined the way that is to be measured?"""
        plan = "\n".join(line for (line,) in self.connection.execute(f"EXPLAIN {join.statement}"))
        if plan.count("DynamoLookupJoin") != plan.count("Nested Loop") * self.lookups:
            sys.exit(f"test/bench: this is not the plan to measure: {join.statement}\n{plan}")

    def run(self, join):
        """Wall seconds of the join, the text of every value made and thrown away."""
        elapsed = self.connection.timed(f"COPY ({join.statement}) TO '/dev/null'")[1]
        if self.connection.cursor.rowcount != join.rows:
            sys.exit(f"test/bench: {self.connection.cursor.rowcount} rows instead of {join.rows}: {join.statement}")
        return elapsed

    def run_counted(self, join):
        """The same, and the share of that time that the backend waited for a CPU."""
        queued = self.connection.queued()
        elapsed = self.run(join)
        return elapsed, (self.connection.queued() - queued) / elapsed


def create_copies(world, name, remote):
    """A schema with local tables of the same rows and keys."""
    with world.connect() as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        for table, key in KEYS.items():
            connection.execute(f"CREATE TABLE {name}.{table} AS SELECT * FROM {remote}.{table};"
                               f"ALTER TABLE {name}.{table} ADD PRIMARY KEY ({key}); ANALYZE {name}.{table}")


def create_tables(world, name, url):
    """A schema with the tables of that server."""
    with world.connect() as connection:
        create_server(connection, name, url, max_concurrency=IN_FLIGHT)
        connection.execute(f"CREATE SCHEMA {name}")
        for table, columns in TABLES.items():
            connection.execute(f"CREATE FOREIGN TABLE {name}.{table} ({columns}) SERVER {name}")


# ---- the requests ----

class Recorder:
    """A server that writes down the requests that it gets."""

    def __init__(self, world):
        self.directory = world.directory()
        self.log = os.path.join(self.directory, "log")
        create_tables(world, "recorder", world.serve_keyed("--record", self.log))
        self.session = Session(world, "recorder")

    def record(self, join):
        """(file, requests) of what the join sends."""
        path = os.path.join(self.directory, str(JOINS.index(join)))
        os.truncate(self.log, 0)
        self.session.run(join)
        with open(self.log, encoding="utf-8") as file:
            requests = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(requests)
        return path, requests.count("\n")


# ---- round trips overlap ----

def joins(world):
    """Joins by key with 1, 5 and 20 ms per request, 16 in flight, against the same requests of a bare curl_multi client"""
    with world.connect() as connection:
        connection.execute(OUTER)
    recorder = Recorder(world)
    create_copies(world, "local_joins", "recorder")
    records = {join.name: recorder.record(join) for join in JOINS}
    figures = ceiling(world, records[HAS_MANY.name][0])
    urls = {delay: world.serve_keyed("--delay-ms", delay) for delay in DELAYS_MS}
    for delay, url in urls.items():
        create_tables(world, f"delay_{delay}", url)
        with Session(world, f"delay_{delay}") as session, Session(world, "local_joins") as local:
            for join in JOINS:
                figures += overlap(session, local, join, url, delay, *records[join.name])
    return figures + alternatives(world, urls)


def ceiling(world, record):
    """How fast the server responds to a client that does not wait."""
    url = world.serve_keyed()
    runs = [bare_client(url, "--replay", record, "--in-flight", IN_FLIGHT) for _ in range(ROUNDS)]
    return [Figure("the server's own ceiling, without delay", [run["requests"] / run["elapsed_s"] for run in runs], unit=" /s")]


# pylint: disable=too-many-arguments
def overlap(session, local, join, url, delay, record, requests):
    """One join at one delay. The longer it is, the less others can disturb."""
    session.check_plan(join)
    session.run(join)
    local.run(join)

    def turn():
        elapsed, waiting = session.run_counted(join)
        bare = bare_client(url, "--replay", record, "--in-flight", IN_FLIGHT)["elapsed_s"]
        return elapsed * 1000, bare * 1000, local.run(join) * 1000, waiting

    ours, theirs, rows, _ = quiet_turns(turn, ROUNDS, most=2 if delay < max(DELAYS_MS) else 1)
    figures = [Figure(f"{join.name}, {delay} ms, of a bare client's time", ratios(ours, theirs), join.limit, unit=" x")]
    if join.one_trip:
        both = [bare + join_ms for bare, join_ms in zip(theirs, rows)]
        figures.append(Figure("    the local join alone, of a bare client's time", ratios(rows, theirs), unit=" x"))
        figures.append(Figure("    and of the local join's besides", ratios(ours, both), WITH_LOCAL_JOIN, unit=" x"))
    figures += [Figure("    dynamo_fdw", ours, unit=" ms"),
                Figure(f"    curl_multi, the same {requests} requests", theirs, unit=" ms"),
                Figure("    the same join of local tables", rows, unit=" ms")]
    if join is HAS_MANY and delay == max(DELAYS_MS):
        ideal = requests / IN_FLIGHT * delay
        figures.append(Figure("    of requests / 16 x delay", [elapsed / ideal for elapsed in ours], 1.4, unit=" x"))
    return figures


# ---- the alternatives ----

class Boto3:
    """The program that is written by hand."""

    def __init__(self, world, url):
        program = os.path.join(os.path.dirname(__file__), "boto3_client.py")
        self.process = world.start(sys.executable, program, url, stdin=subprocess.PIPE,
                                   env={**os.environ, "PYTHONPATH": os.environ["DYNAMO_FDW_BOTO3"]})

    # pylint: disable=too-many-arguments
    def run(self, how, threads, table, attribute, keys, items):
        """Seconds of the work."""
        command = {"how": how, "threads": threads, "table": table, "attribute": attribute, "keys": keys}
        print(json.dumps(command), file=self.process.stdin, flush=True)
        seconds, count = self.process.stdout.readline().split()
        if int(count) != items:
            sys.exit(f"test/bench: boto3 got {count} items instead of {items}")
        return float(seconds)


# Each join, the delay at which it is compared, and programs. One request after the other takes its time.
ALTERNATIVES = (
    (HAS_MANY, 5, (("boto3, a Query each", ("query", 1, "children", "parent", OUTER_PARENTS)),
                   ("boto3, a Query each by 16 threads", ("query", 16, "children", "parent", OUTER_PARENTS)))),
    (BELONGS_TO, 1, (("boto3, a GetItem each", ("get", 1, "parents", "id", OUTER_OWNERS)),
                     ("boto3, BatchGetItem by 16 threads", ("batch", 16, "parents", "id", OUTER_OWNERS)))))


def alternatives(world, urls):
    """How many times longer it takes to do without lookup joins."""
    figures = []
    for join, delay, programs in ALTERNATIVES:
        note(f"{join.name} in other ways, which takes a while")
        schema = f"delay_{delay}"
        with Session(world, schema) as ours, Session(world, schema, lookups=False) as plain:
            plain.check_plan(join)
            others = [("a plain nested loop", lambda join=join, plain=plain: plain.run(join))]
            if os.environ.get("DYNAMO_FDW_BOTO3"):
                boto3 = Boto3(world, urls[delay])
                others += [(name, lambda work=work, join=join, boto3=boto3: boto3.run(*work, join.rows))
                           for name, work in programs]
            figures += compare(f"{join.name}, {delay} ms", lambda join=join, ours=ours: ours.run(join), others)
        if not os.environ.get("DYNAMO_FDW_BOTO3"):
            figures += [Skipped(f"    {name}", "boto3 is not installed") for name, _ in programs]
    return figures


def compare(name, ours, others):
    """The figures of one join."""
    ours()
    turns = list(zip(*[[ours(), *[run() for _, run in others]] for _ in range(ROUNDS)]))
    figures = [Figure(f"{name}, dynamo_fdw", [elapsed * 1000 for elapsed in turns[0]], unit=" ms")]
    for (other, _), times in zip(others, turns[1:]):
        figures += [Figure(f"    {other}, of ours", ratios(times, turns[0]), 1, unit=" x", at_least=True),
                    Figure("        took", [elapsed * 1000 for elapsed in times], unit=" ms")]
    return figures


# ---- memory ----

def join_memory(world):
    """Growth of a new backend's peak resident size in a join of 1,000,000 outer rows with 10,000 keys, work_mem 4 MB"""
    create_tables(world, "memory", world.serve_keyed())
    with world.connect() as connection:
        connection.execute("CREATE TABLE many AS SELECT i AS number, 'p-' || lpad((random() * 9999)::int::text, 6, '0') AS owner"
                           " FROM generate_series(1, 1000000) i; ANALYZE many")
    join = Join("1,000,000 rows, 10,000 keys", 1_000_000, None, "SELECT o.number, p.* FROM many o JOIN parents p ON p.id = o.owner")
    with Session(world, "memory") as session:
        session.check_plan(join)
    with Session(world, "memory") as session:
        session.connection.execute("SET work_mem = '4MB'")
        # the outer side's share of the buffers is not ours
        session.connection.execute("COPY many TO '/dev/null'")
        before = session.connection.peak()
        elapsed = session.run(join)
        return [Figure(join.name, [session.connection.peak() - before], 32, unit=" MB"),
                Figure("    took", [elapsed], unit=" s")]


# ---- little memory ----

WIDE_KEYS = Join("keys", 5000, 1.5, "SELECT o.pad, p.name FROM wide_rows o JOIN parents p ON p.id = o.owner")
WIDE_QUERIES = Join("Queries", 4995, 1.5, "SELECT o.pad, c.n FROM wide_rows o JOIN children c ON c.parent = o.owner")


def little_work_mem(world):
    """Joins of 5,000 outer rows of 2 kB, 5 ms per request: work_mem 64 kB against 4 MB"""
    create_tables(world, "little", world.serve_keyed("--delay-ms", 5))
    with world.connect() as connection:
        connection.execute("CREATE TABLE wide_rows (owner text, pad text); ALTER TABLE wide_rows ALTER pad SET STORAGE PLAIN;"
                           "INSERT INTO wide_rows SELECT 'p-' || lpad(i::text, 6, '0'), repeat('x', 2000)"
                           " FROM generate_series(1, 5000) i; ANALYZE wide_rows")
    figures = []
    with Session(world, "little") as session:
        for join in (WIDE_KEYS, WIDE_QUERIES):
            session.check_plan(join)
            session.run(join)
            turns = []
            for _ in range(ROUNDS):
                times = []
                for work_mem in ("64kB", "4MB"):
                    session.connection.execute(f"SET work_mem = '{work_mem}'")
                    times.append(session.run(join) * 1000)
                turns.append(times)
            little, much = zip(*turns)
            figures += [Figure(f"5,000 {join.name}, 64 kB, of the time at 4 MB", ratios(little, much), join.limit, unit=" x"),
                        Figure("    64 kB", little, unit=" ms"), Figure("    4 MB", much, unit=" ms")]
    return figures


# ---- planning ----

FIVE_WAYS = ("SELECT * FROM {0}.parents p JOIN {0}.children c ON c.parent = p.id JOIN {0}.grandchildren g ON g.child = c.id"
             " JOIN {0}.parents o ON o.id = c.owner JOIN {0}.roots r ON r.id = g.owner")
ONE_KEY = ("SELECT * FROM {0}.parents a JOIN {0}.roots b ON b.id = a.id JOIN {0}.children c ON c.parent = a.id"
           " JOIN {0}.parents d ON d.id = a.id JOIN {0}.roots e ON e.id = a.id")


def join_planning(world):
    """Planning time of joins of five tables, against local tables of the same rows and indexes"""
    create_tables(world, "remote", world.serve_keyed())
    create_copies(world, "local", "remote")
    with world.connect() as connection:
        return plan_ratio(connection, "a chain of five", FIVE_WAYS, "remote", "local") + \
            plan_ratio(connection, "five by one key", ONE_KEY, "remote", "local")
