"""Budgets of read units that many sessions share."""
import os
import sys
import threading
import time

import psycopg2

from report import Figure
from world import SERVER, SETTINGS, create_server

sys.path[:0] = [SERVER, os.path.dirname(SERVER) + "/lib"]
# pylint: disable=wrong-import-position
import metered
from own_postgres import OwnPostgres

SESSIONS = 16
SECONDS = 5
BUDGET = 250
ITEM_BYTES = 40960
PAGES = 2 * 128     # two full pages


class Watched(metered.Bucket):
    """A bucket that remembers when units were used."""

    def __init__(self):
        super().__init__(1e9)
        self.log = []

    def take(self, units):
        super().take(units)
        self.log.append((self.clock(), self.used))


def budget(world):
    """Sixteen sessions scan for five seconds, with one budget: what they use, of what it grants at any time"""
    postgres = OwnPostgres(os.environ["PG_BIN"], "-c shared_preload_libraries=dynamo_fdw")
    world.stack.callback(postgres.stop)
    with metered.Metered() as fake:
        bucket = make_table(postgres, fake)
        began = time.monotonic()
        threads = [threading.Thread(target=scan, args=(postgres,)) for _ in range(SESSIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    shares = [used / (BUDGET * (when - began + 1) + PAGES) for when, used in bucket.log]
    granted = BUDGET * (bucket.log[-1][0] - began + 1)
    return [Figure(f"used at most, of {BUDGET} (t + 1 s) + {PAGES}", [max(shares)], 1, unit=" x"),
            Figure("used in the end, of what was granted", [bucket.used / granted], aim=0.9, unit=" x", at_least=True)]


def make_table(postgres, fake):
    """A Scan would take 20 seconds of the budget. Returns the bucket that watches."""
    items = [{"pk": {"S": f"k{n}"}, "n": {"N": str(n)}} for n in range(1000)]
    table = fake.metered("t", 1e9, ITEM_BYTES, 1e9, items=items)
    table.bucket = Watched()
    with postgres.connect(SETTINGS) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION dynamo_fdw")
        create_server(cursor, "metered", fake.endpoint, max_read_units_per_second=BUDGET)
        cursor.execute("CREATE FOREIGN TABLE t (pk text, n integer) SERVER metered")
    return table.bucket


def scan(postgres):
    """5,000 units: until the time is over."""
    with postgres.connect(SETTINGS) as connection, connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = '{SECONDS}s'")
        try:
            cursor.execute("SELECT count(*) FROM t WHERE n >= 0")
        except psycopg2.errors.QueryCanceled:
            pass
