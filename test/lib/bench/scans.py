"""Scans of 200,000 items: CPU against file_fdw, wall time against a bare download, memory."""
from report import Figure, ratios
from world import PLAIN, TYPED, bare_client

ROUNDS = 5

# Each with its limit and aim against file_fdw. COPY to nowhere makes the text of every value, and no client.
STATEMENTS = (("SELECT sum(n)", "SELECT sum(n) FROM {}", 0.8, 0.6),
              ("SELECT *", "COPY (SELECT * FROM {}) TO '/dev/null'", 1.2, 1.0))


def scan_cpu(world):
    """CPU of the backend for whole scans, against file_fdw reading the same rows from a CSV file"""
    url = world.serve()
    figures = []
    for kind, columns in (("typed", TYPED), ("plain", PLAIN)):
        world.foreign_table(f"cpu_{kind}", url, columns)
        world.csv_table(f"csv_{kind}", columns)
        for name, statement, limit, aim in STATEMENTS:
            ours, theirs = alternate_cpu(world, statement.format(f"cpu_{kind}"), statement.format(f"csv_{kind}"))
            figures += [Figure(f"{name}, {kind} columns, of file_fdw's CPU", ratios(ours, theirs), limit, aim, " x"),
                        Figure("    dynamo_fdw", ours, unit=" s"), Figure("    file_fdw", theirs, unit=" s")]
    return figures


def alternate_cpu(world, ours, theirs):
    """CPU seconds of two statements, in turns, each in a warm backend of its own."""
    with world.connect() as one, world.connect() as other:
        if one.execute(ours) != other.execute(theirs):
            raise SystemExit(f"test/bench: different answers: {ours}; {theirs}")
        turns = [(one.timed(ours)[0], other.timed(theirs)[0]) for _ in range(ROUNDS)]
    return zip(*turns)


def scan_wall(world):
    """Wall time of SELECT sum(n) with 10 ms per request, against what no client could beat"""
    near, far = world.serve(), world.serve("--delay-ms", 10)
    return [figure for in_flight in (1, 4, 16) for figure in wall_at(world, near, far, in_flight)]


def wall_at(world, near, far, in_flight):
    """The figures with so many requests in flight."""
    statement = "SELECT sum(n) FROM {}_" + str(in_flight)
    world.foreign_table(f"near_{in_flight}", near, max_concurrency=in_flight)
    world.foreign_table(f"far_{in_flight}", far, max_concurrency=in_flight)
    ours, downloads, cpus = [], [], []
    with world.connect() as connection:
        connection.execute(statement.format("near"))
        connection.execute(statement.format("far"))
        for _ in range(ROUNDS):
            ours.append(connection.timed(statement.format("far"))[1])
            downloads.append(bare_client(far, "--scan", in_flight)["wall_s"])
            cpus.append(connection.timed(statement.format("near"))[0])
    floor = [max(pair) for pair in zip(downloads, cpus)]
    return [Figure(f"{in_flight} in flight, of max(download, CPU)", ratios(ours, floor), 1.15, unit=" x"),
            Figure("    dynamo_fdw", ours, unit=" s"), Figure("    plain download", downloads, unit=" s"),
            Figure("    CPU without delay", cpus, unit=" s")]


def memory(world):
    """Growth of a new backend's peak resident size while it scans 1 GB, library and all"""
    url = world.serve("--repeat", 12)       # 87 MB each time
    world.foreign_table("big", url)
    figures = []
    for name, statement in (("SELECT sum(n) over 1 GB", "SELECT sum(n) FROM big"),
                            ("SELECT * over 1 GB", "COPY (SELECT * FROM big) TO '/dev/null'")):
        with world.connect() as connection:
            before = connection.peak()
            connection.execute(statement)
            figures.append(Figure(name, [connection.peak() - before], 32, unit=" MB"))
    return figures


def ceiling(world):
    """What the bench server itself can do: all the figures of scans lie below"""
    full = [bare_client(url, "--scan", 16) for url in [world.serve()] * ROUNDS]
    return [Figure("full pages, 16 in flight", [run["bytes"] / run["wall_s"] / 1e6 for run in full], unit=" MB/s"),
            Figure("    of them", [run["requests"] / run["wall_s"] for run in full], unit=" /s")]
