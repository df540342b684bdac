"""Reads one DynamoDB table by its segments with several PostgreSQL servers; see test/clients/spark."""
import contextlib
import csv
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, "..", "server")
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "lib", "bench"), SERVER]

from dynamo import DynamoClient         # noqa: E402  (the paths above are needed first)
from fixture import options_clause      # noqa: E402
from metered import Metered             # noqa: E402
from own_postgres import OwnPostgres    # noqa: E402
from proxy import RecordingProxy        # noqa: E402

SEGMENTS, PARTITIONS, TASKS = 256, 32, 8
SMALL, PREPARED, REPEATED, FEW = 20_000, 100_000, 10, 10_000
METERED, ITEM_BYTES, RATE, GRANTED = 40_000, 8192, 1000, 1200     # units a second of the budgets together, and of the service
COLUMNS = "id text, n int, price numeric(20, 2), name text, created timestamptz, active boolean, note text, info jsonb, seg int OPTIONS (segment '{}')"
LEAST = "id text, n int, seg int OPTIONS (segment '{}')"
MEMORY_KB, FETCH_MEMORY_KB = 8 * 1024, 24 * 1024
TERMINATED = "terminating connection due to administrator command"
LITTLE = "&options=-c%20dynamo_fdw.fetch_memory=2MB"
STEPS = ["the same rows", "a join and Parquet", "each segment once", "a backend terminated", "a metered service", "memory", "time", "postgres_fdw"]


def expected(rows, repeated=1):
    """The summary of rows, as with_spark.py prints it."""
    found = {"rows": 0}
    texts = {name: (min, max) for name in ("id", "name", "created", "note", "info")}
    for name in ("id", "n", "price", "name", "created", "active", "note", "info"):
        values = [row[name] for row in rows]
        found["rows"] = str(len(values) * repeated)
        found[f"count {name}"] = str(len(values) * repeated)
        if name == "active":
            found["sum active"] = str(sum(values) * repeated)
        elif name in texts:
            found[f"min {name}"], found[f"max {name}"] = (one(values, key=str.encode) for one in texts[name])
        else:
            found[f"min {name}"], found[f"max {name}"], found[f"sum {name}"] = str(min(values)), str(max(values)), str(sum(values) * repeated)
    return found


def prepared(directory):
    """The rows of make_pages.py, from its CSV file."""
    rows = []
    with open(os.path.join(directory, "rows.csv"), encoding="utf-8", newline="") as file:
        for record in csv.reader(file):
            info = json.loads(record[7])
            shown = ", ".join(f"{json.dumps(name)}: {json.dumps(info[name])}" for name in sorted(info, key=lambda n: (len(n), n)))
            rows.append({"id": record[0], "n": int(record[1]), "price": Decimal(record[2]).quantize(Decimal("0.01")), "name": record[3], "created": record[4].replace("T", " ").rstrip("Z"),
                         "active": record[5] == "t", "note": record[6], "info": "{" + shown + "}"})
    return rows


def row_as_item(row):
    """A row as an item of DynamoDB Local."""
    info = json.loads(row["info"])
    return {"id": row["id"], "n": row["n"], "price": row["price"], "name": row["name"], "created": row["created"].replace(" ", "T") + "Z", "active": row["active"], "note": row["note"], "info": info}


def pages(url, table, segments):
    """(segment, page) of a bare Scan of some segments; the responses are parsed."""
    client = DynamoClient(url)
    for segment in segments:
        start = {}
        while start is not None:
            page = client.call("Scan", {"TableName": table, "Segment": segment, "TotalSegments": SEGMENTS, "ReturnConsumedCapacity": "TOTAL", **start})
            yield segment, page
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None


def scan(url, table, segments):
    """How many items a bare Scan of some segments returns."""
    return sum(len(page["Items"]) for _, page in pages(url, table, segments))


class Memory(threading.Thread):
    """Watches the private memory of a cluster's backends."""

    def __init__(self, clusters):
        super().__init__(daemon=True)
        self.clusters, self.most, self.ended = clusters, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            for cluster in self.clusters:
                for pid in cluster.backends():
                    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii") as status:
                        self.most = max(self.most, *(int(line.split()[1]) for line in status if line.startswith("RssAnon")), 0)

    def stop(self):
        """The maximum, in kB."""
        self.ended.set()
        self.join()
        return self.most


class Cluster:
    """A PostgreSQL with the extension; the budgets of its sessions are shared."""

    def __init__(self, world):
        self.postgres = OwnPostgres(world.programs, "-c shared_preload_libraries=dynamo_fdw -c log_statement=all -c max_connections=60")
        world.stack.callback(self.postgres.stop)
        self.connection = self.postgres.connect("-c timezone=UTC")
        world.stack.callback(self.connection.close)
        self.proxy = RecordingProxy(os.environ["DDB_ENDPOINT"]).start()
        world.stack.callback(self.proxy.stop)
        self.execute("CREATE EXTENSION dynamo_fdw; CREATE EXTENSION postgres_fdw")

    def execute(self, sql):
        """The rows of a statement, if it has any."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def server(self, name, endpoint, **options):
        """A server for a DynamoDB."""
        options = {"endpoint_url": endpoint, "region": "us-east-1", "scan_policy": "allow", **options}
        self.execute(f"CREATE SERVER {name} FOREIGN DATA WRAPPER dynamo_fdw {options_clause(options)};"
                     f"CREATE USER MAPPING FOR PUBLIC SERVER {name} OPTIONS (access_key_id 'test', secret_access_key 'test')")

    def table(self, name, server, remote, columns=COLUMNS):
        """A foreign table with a column of segments."""
        self.execute(f"CREATE FOREIGN TABLE {name} ({columns.format(SEGMENTS)}) SERVER {server} OPTIONS (table_name '{remote}')")

    def backends(self):
        """The processes of sessions."""
        with open(f"{self.postgres.directory}/data/postmaster.pid", encoding="ascii") as file:
            postmaster = file.readline().strip()
        with contextlib.suppress(OSError), open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as file:
            for pid in file.read().split():
                with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as command:
                    if "postgres postgres 127.0.0.1" in command.read():
                        yield pid

    def statements(self, table):
        """How many statements over a table were logged."""
        return sum("execute <unnamed>" in line and f"FROM {table} " in line for line in self.postgres.log().splitlines())


class World:
    """All that is started; gone when it is closed."""

    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.programs = subprocess.run([os.environ.get("PG_CONFIG") or "/usr/lib/postgresql/15/bin/pg_config", "--bindir"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        self.directory = tempfile.mkdtemp(prefix="dynamo_fdw_segments.")
        self.stack.callback(shutil.rmtree, self.directory)
        self.rows = prepared(self.pages("spark", PREPARED))
        self.clusters = [Cluster(self) for _ in range(2)]
        self.local, self.big, self.few, self.metered = f"spark-{os.getpid()}", self.serve("spark", PREPARED, REPEATED), self.serve("spark-few", FEW, 1), Metered().start()
        self.stack.callback(self.metered.stop)
        self.fill()
        self.spark = None

    def close(self):
        """Stop everything."""
        if self.spark:
            self.spark.stdin.close()
            self.spark.wait()
        self.stack.close()

    @staticmethod
    def pages(name, items):
        """A directory of prepared pages."""
        directory = os.path.join(os.environ.get("DYNAMO_FDW_CACHE") or os.path.expanduser("~/.cache/dynamo_fdw"), f"bench-{name}")
        subprocess.run([sys.executable, os.path.join(SERVER, "make_pages.py"), directory, "--items", str(items)], check=True, stdout=sys.stderr)
        return directory

    def serve(self, name, items, repeated):
        """A server of such pages; its URL."""
        # pylint: disable=consider-using-with
        process = subprocess.Popen([os.path.join(SERVER, "build", "bench_server"), "--dir", self.pages(name, items), "--repeat", str(repeated)], stdout=subprocess.PIPE, text=True)
        self.stack.callback(process.wait)
        self.stack.callback(process.terminate)
        return process.stdout.readline().strip()

    def fill(self):
        """The tables, in DynamoDB and in both clusters."""
        client = DynamoClient(os.environ["DDB_ENDPOINT"])
        client.create_table(self.local, ("id", "S"))
        self.stack.callback(client.drop_table, self.local)
        client.put(self.local, map(row_as_item, self.rows[:SMALL]))
        self.metered.metered("m", GRANTED, ITEM_BYTES, hash_key=("id", "S"), items=[{"id": {"S": f"i{n}"}, "n": {"N": str(n)}} for n in range(METERED)], item_count=METERED)
        for cluster in self.clusters:
            cluster.server("local", cluster.proxy.endpoint)
            cluster.server("big", self.big)
            cluster.server("few", self.few)
            cluster.server("metered", self.metered.endpoint, max_read_units_per_second=RATE / len(self.clusters))
            cluster.table("small", "local", self.local)
            cluster.table("big", "big", "bench")
            cluster.table("few", "few", "bench")
            cluster.table("metered", "metered", "m", LEAST)
            cluster.execute("CREATE TABLE words AS SELECT digit, 'word ' || digit % 3 AS word FROM generate_series(0, 9) digit")

    def run(self, table, do, settings="", **more):
        """(result, seconds) of a command to Spark; settings: of its sessions."""
        if self.spark is None:
            environment = {**os.environ, "SPARK_TASKS": str(TASKS), "PYTHONWARNINGS": "ignore"}
            # pylint: disable=consider-using-with
            self.spark = subprocess.Popen([os.path.join(os.environ["CLIENTS_SPARK"], "bin", "python"), os.path.join(HERE, "programs", "with_spark.py")],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        hosts = ",".join(f"127.0.0.1:{cluster.postgres.port}" for cluster in self.clusters)
        command = {"url": f"jdbc:postgresql://{hosts}/postgres?user=postgres&loadBalanceHosts=true{settings}", "table": table, "segments": SEGMENTS, "partitions": PARTITIONS, "do": do, **more}
        print(json.dumps(command), file=self.spark.stdin, flush=True)
        result = json.loads(self.spark.stdout.readline())
        if "error" in result:
            raise RuntimeError(result["error"])
        return result["result"], result["seconds"]

    def check(self, found, right):
        """Equal, but for the number of segments, which is not known."""
        segments = int(found.pop("segments"))
        differences = {name: (found.get(name), right.get(name)) for name in found.keys() | right.keys() if found.get(name) != right.get(name)}
        assert not differences, differences
        return segments


# ---- the steps: each returns what it found, or fails ----

def same_rows(world):
    """Counts, sums, minima and maxima of every column."""
    segments = world.check(world.run("small", "summary")[0], expected(world.rows[:SMALL]))
    assert segments == SEGMENTS, segments
    before = [cluster.statements("big") for cluster in world.clusters]
    found, seconds = world.run("big", "summary")
    world.check(found, expected(world.rows, REPEATED))
    used = [cluster.statements("big") - one for cluster, one in zip(world.clusters, before)]
    assert all(used), used
    return f"{SMALL:,} and {PREPARED * REPEATED:,} items, the latter in {seconds:.1f} s, by {used[0]} and {used[1]} statements"


def join_and_parquet(world):
    """With a local table; and written to files."""
    found, _ = world.run("small", "join", other="words")
    right = {}
    for row in world.rows[:SMALL]:
        word = right.setdefault(f"word {row['n'] % 10 % 3}", [0, 0])
        word[0], word[1] = word[0] + 1, word[1] + row["n"]
    assert found == sorted([word, str(rows), str(total)] for word, (rows, total) in right.items()), found
    found, seconds = world.run("big", "parquet", path=os.path.join(world.directory, "parquet"))
    world.check(found, expected(world.rows, REPEATED))
    return f"{PREPARED * REPEATED:,} items in Parquet after {seconds:.1f} s"


def scans(cluster):
    """Its recorded Scans."""
    return [request for request in cluster.proxy.requests if request.operation == "Scan"]


def segments_once(world):
    """The requests of both clusters together are those of one Scan."""
    for cluster in world.clusters:
        cluster.proxy.reset()
    world.run("small", "summary")
    requests = [request for cluster in world.clusters for request in scans(cluster)]
    begun = sorted(request.body["Segment"] for request in requests if "ExclusiveStartKey" not in request.body)
    assert begun == list(range(SEGMENTS)), begun
    assert all(scans(cluster) for cluster in world.clusters)
    client, bare = RecordingProxy(os.environ["DDB_ENDPOINT"]).start(), 0
    with contextlib.ExitStack() as stack:
        stack.callback(client.stop)
        bare = scan(client.endpoint, world.local, range(SEGMENTS))
        assert bare == SMALL, bare
        assert len(client.requests) == len(requests), (len(client.requests), len(requests))
        units, right = (sum(request.response["units"] for request in each) for each in (requests, client.requests))
        assert units == right > 0, (units, right)
    return (f"{len(requests)} requests, {len(scans(world.clusters[0]))} and {len(scans(world.clusters[1]))} by the clusters, {units:,} read units; "
            "a bare Scan sends and uses as many")


def backend_terminated(world):
    """Spark tries the task again."""
    killed, done = [], threading.Event()

    def kill():
        while not done.wait(0.02):
            for cluster in world.clusters:
                for (pid,) in cluster.execute("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'PostgreSQL JDBC%' AND state <> 'idle' AND query LIKE '%FROM big %' "
                                              "AND xact_start < clock_timestamp() - interval '50 ms' LIMIT 1"):
                    killed.extend(cluster.execute(f"SELECT pg_terminate_backend({pid}, 1000)"))
                    if TERMINATED in cluster.postgres.log():    # it had not ended by itself
                        return

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    found, _ = world.run("big", "summary")
    done.set()
    thread.join()
    world.check(found, expected(world.rows, REPEATED))
    assert any(TERMINATED in cluster.postgres.log() for cluster in world.clusters), killed
    return "the same result after the end of one backend"


def metered_service(world):
    """The rate is divided between the clusters."""
    table = world.metered.tables["m"]
    world.run("few", "summary")     # so that Spark is warm
    used = table.bucket.used
    # each connection goes to a random server, so more partitions divide the work more evenly
    found, seconds = world.run("metered", "summary", partitions=SEGMENTS // 2)
    used = table.bucket.used - used
    assert (found["rows"], found["sum n"]) == (str(METERED), str(METERED * (METERED - 1) // 2)), found
    units = METERED * ITEM_BYTES / 8192     # of one Scan, which may end each segment with an empty page
    assert units <= used <= units + 0.5 * SEGMENTS, (used, units)
    ideal = units / RATE
    assert seconds <= 1.15 * ideal, (seconds, ideal)
    return f"{used:,.0f} read units in {seconds:.1f} s, ideal {ideal:.1f} s: {seconds / ideal:.2f}; {table.throttled} requests throttled"


def memory(world):
    """Of each backend: it depends on fetch_memory, but not on the size of the table."""
    most = {}
    for name, settings in (("few", ""), ("big", ""), ("big", LITTLE)):
        watch = Memory(world.clusters)
        watch.start()
        world.run(name, "summary", settings)
        most[name + settings] = watch.stop()
    assert most["big" + LITTLE] <= most["few"] + MEMORY_KB, most
    cluster = Cluster(world)
    cluster.server("huge", world.serve("spark", PREPARED, 10 * REPEATED))
    cluster.table("huge", "huge", "bench")
    watch = Memory([cluster])
    watch.start()
    cluster.execute(f"SELECT count(n), max(note) FROM huge WHERE seg < {SEGMENTS // PARTITIONS}")
    most["huge"] = watch.stop()
    assert max(most.values()) <= most["few"] + FETCH_MEMORY_KB + 1024, most
    few, big, little, huge = (f"{kb / 1024:.1f} MB" for kb in most.values())
    return f"{few} for {FEW:,} items, {big} for {PREPARED * REPEATED:,}, {little} with fetch_memory 2 MB; one partition of a table ten times as large {huge}"


def bare_client(url, *arguments):
    """Run the plain client; its figures by name."""
    done = subprocess.run([os.path.join(SERVER, "build", "bare_client"), "--url", url, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True)
    return {name: float(value) for name, value in (pair.split("=") for pair in done.stdout.split())}


def bare_part(url, part):
    """One process's share of a bare Scan."""
    return scan(url, "bench", range(part, SEGMENTS, TASKS))


def in_time(world):
    """Against as many processes that scan the same segments and only parse the responses."""
    ratios = []
    for _ in range(3):
        began = time.monotonic()
        with multiprocessing.Pool(TASKS) as pool:
            items = sum(pool.starmap(bare_part, [(world.big, part) for part in range(TASKS)]))
        bare = time.monotonic() - began
        assert items == PREPARED * REPEATED, items
        _, seconds = world.run("big", "summary")
        ratios.append((seconds / bare, seconds, bare))
    ratio, seconds, bare = sorted(ratios)[1]
    assert ratio <= 1.5, ratios
    began = time.monotonic()
    world.clusters[0].execute("SELECT count(id), sum(n), sum(price), max(name), max(created), count(active), max(note), count(info) FROM big")
    one = time.monotonic() - began
    libcurl = bare_client(world.big, "--scan", TASKS)["elapsed_s"]
    return f"{seconds:.1f} s, {TASKS} bare processes {bare:.1f} s: {ratio:.2f}; a libcurl program that parses nothing {libcurl:.1f} s; one backend, all columns {one:.1f} s"


def over_postgres_fdw(world):
    """A third cluster, whose partitions are ranges of segments on the two."""
    third = Cluster(world)
    third.execute("CREATE TABLE parent (id text, n int, price numeric(20, 2), name text, created timestamptz, active boolean, note text, info jsonb, seg int) PARTITION BY RANGE (seg)")
    bounds = [0, SEGMENTS // 2, SEGMENTS]
    for number, cluster in enumerate(world.clusters):
        low, high = bounds[number:number + 2]
        cluster.execute(f"CREATE VIEW part AS SELECT * FROM small WHERE seg >= {low} AND seg < {high}")
        third.execute(f"CREATE SERVER s{number} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '{cluster.postgres.port}', dbname 'postgres', async_capable 'true', fetch_size '10000');"
                      f"CREATE USER MAPPING FOR PUBLIC SERVER s{number} OPTIONS (user 'postgres', password_required 'false');"
                      f"CREATE FOREIGN TABLE p{number} PARTITION OF parent FOR VALUES FROM ({low}) TO ({high}) SERVER s{number} OPTIONS (table_name 'part')")
        cluster.proxy.reset()
    plan = "\n".join(line for (line,) in third.execute("EXPLAIN SELECT * FROM parent"))
    assert plan.count("Async Foreign Scan") == 2, plan
    # as in world.rows: times of the zone UTC, which is the session's, and the text of JSON
    rows = sorted(third.execute("SELECT id, n, price, name, created::timestamp::text, active, note, info::text, seg FROM parent"))
    one, other = (scans(cluster) for cluster in world.clusters)
    both = [request for request in one if any(request.overlaps(another) for another in other)]
    assert both
    begun = sorted(request.body["Segment"] for request in one + other if "ExclusiveStartKey" not in request.body)
    assert begun == list(range(SEGMENTS)), begun
    segments = {item["id"]["S"]: segment for segment, page in pages(os.environ["DDB_ENDPOINT"], world.local, range(SEGMENTS)) for item in page["Items"]}
    right = sorted((*(row[name] for name in ("id", "n", "price", "name", "created", "active", "note", "info")), segments[row["id"]]) for row in world.rows[:SMALL])
    assert rows == right, [pair for pair in zip(rows, right) if pair[0] != pair[1]][:2]
    return f"{len(rows):,} rows; {len(both)} of {len(one)} requests of one cluster while the other was busy"


def main(arguments):
    """Run the steps."""
    if arguments == ["--list"]:
        print("\n".join(STEPS))
        return 0
    functions = dict(zip(STEPS, (same_rows, join_and_parquet, segments_once, backend_terminated, metered_service, memory, in_time, over_postgres_fdw), strict=True))
    passed = failed = 0
    world = World()
    try:
        for name, function in functions.items():
            if arguments and not any(word in name for word in arguments):
                continue
            try:
                print(f"ok - {name}: {function(world)}", flush=True)
                passed += 1
            except Exception as failure:        # noqa: BLE001  (shown)
                print(f"not ok - {name}: {type(failure).__name__} {str(failure)[:2000]}", flush=True)
                failed += 1
    finally:
        world.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
