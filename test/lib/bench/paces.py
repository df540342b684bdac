"""Throttled tables: how near a statement comes to the time that the capacity takes, and how often it is refused."""
import os
import sys
import threading
import time

import psycopg2

from report import Figure
from world import SERVER, create_server

sys.path[:0] = [SERVER, os.path.dirname(SERVER) + "/lib"]
# pylint: disable=wrong-import-position
from metered import PARTITION_UNITS, Generated, Metered
from replies import throttle

PLENTY = 40000          # units a second: never used up
PATIENCE = 2            # seconds without progress
ROUND_TRIP = 0.005      # seconds: what is sent within it is in flight together
CANCELLED_AFTER = 1.2   # seconds
FREE_AFTER = 4          # seconds
REFUSED = 0.3           # attempts for each request that is granted

LARGE = 10 ** 11        # bytes
SMALL, PAGE_OF_25 = 400, 40960      # bytes of an item: half a unit by its key, and 5 units in a Scan
SORTED = "pk text NOT NULL, sk integer NOT NULL, n integer"


class Service:
    """The metered service, and two servers for it, one of little patience."""

    def __init__(self, world, fake):
        self.world, self.fake = world, fake
        with world.connect() as connection:
            create_server(connection, "metered", fake.endpoint)
            create_server(connection, "impatient", fake.endpoint, throttle_timeout=f"{PATIENCE}s")

    # pylint: disable=too-many-arguments
    def table(self, name, units, count, item_bytes, make=None, columns="pk text, n integer", server="metered", **details):
        """A table of `count` items, and its foreign table."""
        items = Generated(count, make or (lambda n: {"pk": {"S": f"k{n}"}, "n": {"N": str(n)}}))
        table = self.fake.metered(name, units, item_bytes, items=items, **details)
        with self.world.connect() as connection:
            connection.execute(f"CREATE FOREIGN TABLE {name} ({columns}) SERVER {server}")
        return table

    def measure(self, name, seconds, connection, sql, count, tables=1):
        """
        The figures of a statement that counts these items, and adds up their numbers: its time, of `seconds` at
        best, and its refusals.
        """
        self.fake.reset()
        began = time.monotonic()
        rows = connection.execute(sql)
        took = time.monotonic() - began
        if rows != [(count, count * (count - 1) // 2)]:
            sys.exit(f"test/bench: wrong rows {rows}: {sql}")
        return [Figure(f"{name}, {seconds:.1f} s at best", [took], 1.15 * seconds + 0.5, unit=" s"),
                Figure("    refused, for each that was granted", [self.refused(tables)], REFUSED)]

    def refused(self, tables):
        """Beyond those in flight at the first refusal, of the table where it is most."""
        by_table = {}
        for request in self.fake.requests:
            if request.operation != "DescribeTable":
                by_table.setdefault(table_of(request), []).append(request)
        if len(by_table) != tables:
            sys.exit(f"test/bench: {len(by_table)} tables were read, not {tables}")
        return max(map(refused_ratio, by_table.values()))


def table_of(request):
    """The name of the table that it reads."""
    return request.body.get("TableName") or next(iter(request.body["RequestItems"]))


def refused_ratio(requests):
    """Of the requests for one table."""
    refused = [request for request in requests if request.status == 400]
    if not refused:
        sys.exit(f"test/bench: {table_of(requests[0])} was not throttled")
    first = min(request.ended for request in refused)
    return sum(request.began > first for request in refused) / (len(requests) - len(refused))


def at_best(units, rate):
    """Seconds, where the bucket is full at the beginning."""
    return (units - rate) / rate


def pace(world):
    """Statements that are throttled, against the time that the capacity takes, and what is refused on the way"""
    figures = []
    with Metered(delay=ROUND_TRIP) as fake:
        service = Service(world, fake)
        for case in CASES:
            with world.connect() as connection:
                figures += case(service, connection)
                fake.reset(scripts=True)
    return figures


def scan_partition(service, connection):
    """As fast as one partition allows."""
    service.table("one_partition", PLENTY, 3000, PAGE_OF_25)
    return service.measure("Scan of one partition", at_best(15000, PARTITION_UNITS), connection,
                           "SELECT count(n), sum(n) FROM one_partition", 3000)


def scan_provisioned(service, connection):
    """As fast as a small table allows."""
    service.table("provisioned", 250, 500, PAGE_OF_25)
    return service.measure("Scan, 250 units/s", at_best(2500, 250), connection,
                           "SELECT count(n), sum(n) FROM provisioned", 500)


def queries(service, connection):
    """1,000 of them."""
    service.table("queried", 90, 1000, SMALL, lambda n: {"pk": {"S": f"k{n}"}, "sk": {"N": "1"}, "n": {"N": str(n)}},
                  SORTED, range_key=("sk", "N"), **described(SMALL))
    return service.measure("1,000 Queries, 90 units/s", at_best(500, 90), connection,
                           f"SELECT count(n), sum(n) FROM queried WHERE pk IN ({keys(1000)})", 1000)


def batches(service, connection):
    """3,000 keys."""
    service.table("batched", 250, 3000, SMALL, **described(SMALL))
    return service.measure("3,000 keys in batches, 250 units/s", at_best(1500, 250), connection,
                           f"SELECT count(n), sum(n) FROM batched WHERE pk IN ({keys(3000)})", 3000)


def described(item_bytes):
    """A table that is too large to be scanned."""
    return {"item_count": LARGE // item_bytes, "size_bytes": LARGE}


def keys(count):
    """A list of keys."""
    return ",".join(f"'k{n}'" for n in range(count))


def after_failed(service, connection):
    """What one statement met does not hold up the next one."""
    service.table("failed", 250, 280, PAGE_OF_25, server="impatient")
    service.fake.on("Scan", throttle())
    try:
        connection.execute("SELECT count(n) FROM failed")
        sys.exit("test/bench: a statement that gets nothing did not fail")
    except psycopg2.errors.lookup("53400"):
        service.fake.reset(scripts=True)
    return service.measure("after one that ran out of patience", at_best(1400, 250), connection,
                           "SELECT count(n), sum(n) FROM failed", 280)


def after_cancelled(service, connection):
    """It ends at once, in a pause, and does not hold up the next one."""
    service.table("cancelled", 250, 280, PAGE_OF_25)
    service.fake.on("Scan", throttle())
    sent = []

    def cancel():
        sent.append(time.monotonic())
        connection.raw.cancel()

    timer = threading.Timer(CANCELLED_AFTER, cancel)
    timer.start()
    try:
        connection.execute("SELECT count(n) FROM cancelled")
        sys.exit("test/bench: a statement that gets nothing was not cancelled")
    except psycopg2.errors.QueryCanceled:
        took = time.monotonic() - sent[0]
    timer.join()
    service.fake.reset(scripts=True)
    return [Figure("cancelled in a pause, until it ends", [took], 0.5, unit=" s"),
            *service.measure("after one that was cancelled", at_best(1400, 250), connection,
                             "SELECT count(n), sum(n) FROM cancelled", 280)]


def two_tables(service, connection):
    """Lookups in one table for the items of another."""
    service.table("looking", 300, 2000, 4096)
    service.table("looked", 200, 2000, 4096, **described(4096))
    return service.measure("join of two tables, 300 and 200 units/s", at_best(1000, 200), connection,
                           "SELECT count(b.n), sum(b.n) FROM looking a JOIN looked b USING (pk)", 2000, tables=2)


def little_at_first(service, connection):
    """The capacity is raised while the statement runs."""
    table = service.table("raised", 250, 1150, PAGE_OF_25, partition_units=PLENTY)
    began = []

    def raise_in_time(_):
        began.append(time.monotonic())
        if table.bucket.units == 250 and began[-1] > began[0] + FREE_AFTER:
            table.bucket.set(3000)
    service.fake.on("Scan", raise_in_time)
    left = 5750 - 250 - FREE_AFTER * 250
    return service.measure(f"250 units/s for {FREE_AFTER} s, then 3,000", FREE_AFTER + left / 3000, connection,
                           "SELECT count(n), sum(n) FROM raised", 1150)


def nothing_at_first(service, connection):
    """Another reader leaves nothing."""
    service.table("freed", PLENTY, 2400, PAGE_OF_25, partition_units=PLENTY)
    began = []

    def refuse_at_first(_):
        began.append(time.monotonic())
        return throttle() if began[-1] < began[0] + FREE_AFTER else None
    service.fake.on("Scan", refuse_at_first)
    return service.measure(f"nothing for {FREE_AFTER} s, then all", FREE_AFTER, connection,
                           "SELECT count(n), sum(n) FROM freed", 2400)


def hot_partition(service, connection):
    """Many items of one key, and few of others, which need not wait for it."""
    service.table("hot", PLENTY, 800, PAGE_OF_25,
                  lambda n: {"pk": {"S": f"k{max(0, n - 399)}"}, "sk": {"N": str(n)}, "n": {"N": str(n)}},
                  SORTED, range_key=("sk", "N"), partition_units=300, **described(PAGE_OF_25))
    figures = service.measure("one hot key among 401, 300 units/s", at_best(2000, 300), connection,
                              f"SELECT count(n), sum(n) FROM hot WHERE pk IN ({keys(401)}) AND n >= 0", 800)
    others = [request for request in service.fake.requests if request.operation == "Query" and "k0" not in str(request.body)]
    took = others[-1].time - service.fake.requests[0].time
    return [*figures, Figure("    until all others were read", [took], 1, unit=" s")]


def nested(service, connection):
    """A function reads the table that calls it."""
    service.table("nesting", 80, 200, 8192)
    connection.execute("CREATE FUNCTION look(k text) RETURNS integer STABLE LANGUAGE plpgsql AS "
                       "'BEGIN RETURN (SELECT n FROM nesting WHERE pk = k); END'")
    return service.measure("lookups in functions, 80 units/s", at_best(400, 80), connection,
                           "SELECT count(look(pk)), sum(n) FROM nesting", 200)


CASES = (scan_partition, scan_provisioned, queries, batches, after_failed, after_cancelled, two_tables, little_at_first,
         nothing_at_first, hot_partition, nested)
