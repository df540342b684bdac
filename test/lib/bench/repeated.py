"""Executions that read the same: what is cached for them, against sending the requests again."""
from report import Figure, ratios
from scans import DELAY_MS
from world import PLAIN

ROUNDS = 3
ITEMS = 200_000

# The server does not filter, so the condition is one that PostgreSQL checks, too.
STATEMENT = "SELECT o.i, (SELECT count(p.name) FROM {} p WHERE p.n {} o.i) FROM generate_series(1, {}) o(i)"


def repeated(world):
    """A subquery over another column than the key, executed 20 times over 200,000 items: cached reads against none"""
    world.foreign_table("again", world.serve("--delay-ms", DELAY_MS), PLAIN.replace("n numeric", "n integer"), max_concurrency=16)
    figures = []
    with world.connect() as connection:
        for work_mem in ("256MB", "4MB"):
            connection.execute(f"SET work_mem = '{work_mem}'")
            turns = list(zip(*[turn(connection) for _ in range(ROUNDS)]))
            once, twice, kept, sent = turns
            figures += [Figure(f"20 executions, work_mem {work_mem}, of the time without cached reads", ratios(kept, sent), 0.5, unit=" x"),
                        Figure("    kept", kept, unit=" s"), Figure("    sent again", sent, unit=" s"),
                        Figure("    once", once, unit=" s"),
                        Figure("    of an item in a further execution", [(k - t) / 18 / ITEMS * 1e9 for k, t in zip(kept, twice)], unit=" ns")]
    return figures


def turn(connection):
    """Wall seconds: one execution, two, 20, and 20 that send their requests themselves."""
    times = []
    for count, setting in ((1, "on"), (2, "on"), (20, "on"), (20, "off")):
        connection.execute(f"SET dynamo_fdw.enable_cached_reads = {setting}")
        times.append(connection.timed(STATEMENT.format("again", "=", count))[1])
    return times
