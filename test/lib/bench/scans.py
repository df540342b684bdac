"""Scans of 200,000 items: CPU against file_fdw, wall time against a bare download, memory."""
from report import Figure, ratios
from world import PLAIN, TYPED, bare_client, pages, quiet_turns

ROUNDS = 5
DELAY_MS = 10          # of a response, for wall times

# Each with its limit and aim against file_fdw. COPY to nowhere makes the text of every value, and no client.
STATEMENTS = (("SELECT sum(n)", "SELECT sum(n) FROM {}", 0.8, 0.6),
              ("SELECT *", "COPY (SELECT * FROM {}) TO '/dev/null'", 1.2, 1.0))


def scan_cpu(world):
    """CPU of the backend for complete scans, against file_fdw reading the same rows from a CSV file"""
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


def scan_time(world):
    """Wall time of complete scans with 10 ms per request, against what no client could beat"""
    near, far = world.serve(), world.serve("--delay-ms", DELAY_MS)
    figures = []
    for in_flight in (1, 4, 16):
        world.foreign_table(f"near_{in_flight}", near, max_concurrency=in_flight)
        world.foreign_table(f"far_{in_flight}", far, max_concurrency=in_flight)
        for name, statement, _, _ in STATEMENTS:
            figures += time_figures(world, f"{name}, {in_flight} in flight", statement, far, in_flight)
    return figures


def time_figures(world, name, statement, far, in_flight):
    """The figures of one statement with `in_flight` requests in flight."""
    near_sql, far_sql = statement.format(f"near_{in_flight}"), statement.format(f"far_{in_flight}")
    with world.connect() as connection:
        connection.execute(near_sql)
        connection.execute(far_sql)

        def turn():
            queued = connection.queued()
            elapsed = connection.timed(far_sql)[1]
            queued = connection.queued() - queued
            return elapsed, bare_client(far, "--scan", in_flight)["elapsed_s"], connection.timed(near_sql)[0], queued / elapsed

        ours, downloads, cpus, waiting = quiet_turns(turn, ROUNDS)
    # while the first response is under way there is nothing to spend CPU on
    floor = [max(download, cpu + DELAY_MS / 1000) for download, cpu in zip(downloads, cpus)]
    return [Figure(f"{name}, of max(download, CPU + delay)", ratios(ours, floor), 1.15, unit=" x"),
            Figure("    dynamo_fdw", ours, unit=" s"), Figure("    plain download", downloads, unit=" s"),
            Figure("    CPU without delay", cpus, unit=" s"), Figure("    of its time, without a CPU", [100 * share for share in waiting], unit=" %")]


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
    """What the bench server itself can do, requested of a plain client: all other figures lie below"""
    full = world.serve()
    small = world.serve("--repeat", 20, directory=pages("small", "--items", 1000, "--page-bytes", 200))
    full, small = zip(*[(bare_client(full, "--scan", 16), bare_client(small, "--scan", 16)) for _ in range(ROUNDS)])
    return [Figure("full pages, 16 in flight", [run["bytes"] / run["elapsed_s"] / 1e6 for run in full], unit=" MB/s"),
            Figure("pages of one item, 16 in flight", [run["requests"] / run["elapsed_s"] for run in small], unit=" /s")]
