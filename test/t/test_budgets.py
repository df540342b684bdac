"""Budgets of read units (max_read_units_per_second, read_percent), and the limit of one statement (max_read_units_per_statement).

A budget is held at every moment: units used are at most budget * (elapsed + 1 s), and two full pages.
"""
import os
import re
import signal
import threading
import time

import psycopg2

import metered
import metering
import own_postgres
import replies

PAGES = 2 * 128
HELP = "SELECT help FROM dynamo_fdw_options() WHERE name = 'max_read_units_per_second'"
SHARE = "SELECT DISTINCT help FROM dynamo_fdw_options() WHERE name = 'read_percent'"


def item(n, **more):
    """An item of the key n."""
    return {"pk": {"S": f"k{n}"}, "n": {"N": str(n)}, **more}


class Watched(metered.Bucket):
    """A bucket that remembers when units were used."""

    def __init__(self, units):
        super().__init__(units)
        self.log = []

    def take(self, units):
        super().take(units)
        self.log.append((self.clock(), self.used))


def watched(fake, name, item_bytes, items, capacity=None, **details):
    """A table of the service, which describes that capacity, 0 on demand, and grants everything."""
    table = fake.metered(name, 40000, item_bytes, 40000, items=items, **details)
    table.units = capacity
    table.bucket = Watched(40000)
    return table


def assert_budget(test, tables, budget, began, slack=PAGES):
    """It was held at every moment, but for what requests may cost more than they were expected to."""
    log = sorted((when, n, used) for n, table in enumerate(tables) for when, used in table.bucket.log)
    used = [0] * len(tables)
    for when, n, sum_used in log:
        used[n] = sum_used
        test.assertLessEqual(sum(used), budget * (when - began + 1) + slack, f"after {when - began:.3f} s")


class Budgets(metering.TestCase):
    """A service that grants everything, and records what was used when."""

    ITEMS = 400

    def setUp(self):
        super().setUp()
        self.addCleanup(self.fx.execute, "RESET ALL")

    def table(self, item_bytes, name="t", items=None, details=None, **options):
        """A table and its foreign table."""
        made = watched(self.fake, name, item_bytes, items or [item(n) for n in range(self.ITEMS)], **(details or {}))
        self.fx.foreign_table(name, "pk text, n integer", server="metered", **options)
        return made

    def server(self, **options):
        """Set options."""
        for name, value in options.items():
            self.fx.execute(f"ALTER SERVER metered OPTIONS (ADD {name} '{value}')")

    def rows_within(self, tables, budget, sql):
        """The rows of a statement that holds the budget."""
        began = time.monotonic()
        rows = self.fx.rows(sql)
        assert_budget(self, tables, budget, began)
        return rows


class OfServer(Budgets):
    """The option max_read_units_per_second of the server."""

    def test_scan(self):
        """Many segments at once."""
        table = self.table(40960)
        self.server(max_read_units_per_second=1000)
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        self.assertGreaterEqual(table.bucket.used, 2000)

    def test_small_budget(self):
        """One page of 1 MB costs more than it grants in seconds."""
        table = self.table(40960)
        self.server(max_read_units_per_second=25)
        self.fx.execute("SET statement_timeout = '1500ms'")
        began = time.monotonic()
        self.assertEqual(self.fx.error("SELECT count(*) FROM t WHERE n >= 0").sqlstate, "57014")
        assert_budget(self, [table], 25, began)
        self.assertLessEqual(max(request.body["Limit"] for request in self.fake.requests if request.operation == "Scan"), 2)

    def test_queries(self):
        """Of many partitions."""
        items = [item(n, pk={"S": f"p{n // 4}"}, sk={"N": str(n)}) for n in range(400)]
        table = watched(self.fake, "h", 8192, items, range_key=("sk", "N"))
        self.fx.foreign_table("h", "pk text, sk integer, n integer", server="metered")
        self.server(max_read_units_per_second=200)
        keys = ",".join(f"'p{n}'" for n in range(100))
        self.assertEqual(self.rows_within([table], 200, f"SELECT count(n), sum(n) FROM h WHERE pk IN ({keys})"),
                         [(400, sum(range(400)))])
        self.assertEqual(table.bucket.used, 400)

    def test_keys(self):
        """Batches of large items."""
        table = self.table(40960)
        self.server(max_read_units_per_second=400)
        keys = ",".join(f"'k{n}'" for n in range(200))
        self.assertEqual(self.rows_within([table], 400, f"SELECT sum(n) FROM t WHERE pk IN ({keys})"), [(sum(range(200)),)])
        self.assertEqual(table.bucket.used, 1000)
        sizes = [len(request.body["RequestItems"]["t"]["Keys"]) for request in self.fake.requests
                 if request.operation == "BatchGetItem"]
        self.assertLessEqual(max(sizes), 40)

    def test_two_tables(self):
        """Share it."""
        one, two = self.table(8192, "one"), self.table(8192, "two")
        self.server(max_read_units_per_second=500)
        self.assertEqual(self.rows_within([one, two], 500, "SELECT count(*) FROM one JOIN two USING (pk)"), [(400,)])

    def test_consistent_reads(self):
        """Cost twice as much."""
        table = self.table(8192, consistent_read="on")
        self.server(max_read_units_per_second=1000)
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        self.assertGreaterEqual(table.bucket.used, 800)
        keys = ",".join(f"'k{n}'" for n in range(200))
        self.assertEqual(self.rows_within([table], 1000, f"SELECT count(*) FROM t WHERE pk IN ({keys})"), [(200,)])
        self.assertEqual(sum(request.body.get("ConsistentRead", False) for request in self.fake.requests),
                         self.fake.operations().count("Scan"))

    def test_unknown_sizes(self):
        """DynamoDB reports that the table is empty: items may be of 400 kB until some were seen."""
        table = self.table(40960, details={"item_count": 0})
        self.server(max_read_units_per_second=1000)
        keys = ",".join(f"'k{n}'" for n in range(100))
        self.assertEqual(self.rows_within([table], 1000, f"SELECT sum(n) FROM t WHERE pk IN ({keys})"), [(sum(range(100)),)])
        sizes = [len(request.body["RequestItems"]["t"]["Keys"]) for request in self.fake.requests
                 if request.operation == "BatchGetItem"]
        self.assertEqual(sizes[0], 10)
        self.assertGreater(max(sizes), 40)
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])

    def local_index(self, **details):
        """A table of one partition with a local index that projects keys only."""
        items = [item(n, pk={"S": "p"}, sk={"N": str(n)}, m={"N": str(n)}) for n in range(400)]
        index = {"name": "by_m", "hash": [("pk", "S")], "range": [("m", "N")], "projection": "KEYS_ONLY", "local": True,
                 "status": "ACTIVE"}
        table = watched(self.fake, "h", 8192, items, range_key=("sk", "N"), indexes=[index], **details)
        self.fx.foreign_table("h", "pk text NOT NULL, sk integer NOT NULL, m integer NOT NULL, n integer", server="metered")
        return table

    def assert_fetched(self, table):
        """What a local index fetches counts, item by item, if it is read for its order."""
        self.fx.execute("SET enable_sort = off")
        sql = "SELECT n FROM h WHERE pk = 'p' AND m >= 0 ORDER BY m"
        self.assertIn("Index: by_m", self.fx.explain(sql))
        self.assertEqual(self.rows_within([table], 200, sql), [(n,) for n in range(400)])
        self.assertGreaterEqual(table.bucket.used, 400)
        return [request.body["Limit"] for request in self.fake.requests if request.operation == "Query"]

    def test_local_index(self):
        """Of known size: a page is of half a second."""
        self.server(max_read_units_per_second=200)
        self.assertLessEqual(max(self.assert_fetched(self.local_index())), 100)

    def test_local_index_of_unknown_size(self):
        """At first, few items."""
        self.server(max_read_units_per_second=200)
        limits = self.assert_fetched(self.local_index(item_count=0))
        self.assertEqual(limits[0], 2)
        self.assertGreater(max(limits), 20)

    def lose(self, table, units, times):
        """As many GetItem are executed, but without a response."""
        def script(_request):
            table.bucket.take(units)
            return replies.hang_before_headers()
        self.fake.on("GetItem", [script] * times)

    def test_lost(self):
        """What was executed counts, even without a response."""
        table = self.table(40960)
        self.server(max_read_units_per_second=25, request_timeout="150ms")
        began = time.monotonic()
        self.lose(table, 5, 3)
        for n in range(11):
            self.assertEqual(self.fx.rows(f"SELECT n FROM t WHERE pk = 'k{n}'"), [(n,)])
        self.assertEqual(table.bucket.used, 70)
        assert_budget(self, [table], 25, began, 5)

    def test_failed(self):
        """So it does if the statement fails."""
        table = self.table(40960)
        self.server(max_read_units_per_second=25, request_timeout="150ms", max_attempts=2)
        began = time.monotonic()
        self.lose(table, 5, 2)
        self.assertEqual(self.fx.error("SELECT n FROM t WHERE pk = 'k1'").sqlstate, "08006")
        for n in range(11):
            self.assertEqual(self.fx.rows(f"SELECT n FROM t WHERE pk = 'k{n}'"), [(n,)])
        assert_budget(self, [table], 25, began, 5)

    def test_refused(self):
        """Whereas a request that is refused costs nothing; the budget would let the second one go after 50 s."""
        self.fx.execute("SET statement_timeout = '10s'")
        table = self.table(40960)
        self.server(max_read_units_per_second=0.1)
        self.fake.on("GetItem", [replies.error("AccessDeniedException", "no")] * 3)
        for _ in range(3):
            self.assertEqual(self.fx.error("SELECT n FROM t WHERE pk = 'k1'").sqlstate, "42501")
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        self.assertEqual(table.bucket.used, 5)

    def test_dropped_server(self):
        """Another one of its name begins with a full bucket."""
        table = self.table(40960)
        self.server(max_read_units_per_second=0.1)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        self.fx.execute("SET statement_timeout = '300ms'")
        self.assertEqual(self.fx.error("SELECT n FROM t WHERE pk = 'k1'").sqlstate, "57014")
        self.fx.execute("DROP SERVER metered CASCADE")
        self.fx.server("metered", self.fake.endpoint)
        self.fx.foreign_table("t", "pk text, n integer", server="metered")
        self.server(max_read_units_per_second=0.1)
        self.fx.execute("SET statement_timeout = '20s'")
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        self.assertEqual(table.bucket.used, 10)

    def test_cancelled(self):
        """While it waits for the budget: at once, and the session goes on."""
        self.table(40960)
        self.server(max_read_units_per_second=0.1)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        thread = threading.Thread(target=self.cancel_what_waits)
        thread.start()
        failure = self.fx.error("SELECT n FROM t WHERE pk = 'k1'")      # the budget would let it go on after 50 s
        self.assertEqual((failure.sqlstate, failure.message), ("57014", "canceling statement due to user request"))
        thread.join()
        self.fx.execute("ALTER SERVER metered OPTIONS (SET max_read_units_per_second '1000')")
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])

    def cancel_what_waits(self):
        """The statement of the test's own session, from another one."""
        connection = self.fx.connect()
        with connection.cursor() as cursor:
            while cursor.rowcount != 1:
                time.sleep(0.02)
                cursor.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = %s AND query LIKE 'SELECT n %%' AND "
                               "state = 'active' AND wait_event_type = 'Extension'", (self.fx.conn.info.backend_pid,))
        connection.close()

    def test_throttled(self):
        """What was throttled costs nothing."""
        table = self.table(40960)
        self.server(max_read_units_per_second=20)
        self.fake.on("GetItem", [metered.throttle()] * 12)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k7'"), [(7,)])
        plan = self.fx.explain("SELECT n FROM t WHERE pk = 'k7'", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertNotIn("Throttles", plan)
        self.assertEqual(table.bucket.used, 10)

    def test_explain(self):
        """Reports the budgets, and how long was waited."""
        self.table(8192, max_read_units_per_second=12.5)
        self.table(8192, "other")
        self.assertNotIn("Budget", self.fx.explain("SELECT * FROM other"))
        whose = "shared by all sessions" if self.fx.conn.server_version >= 170000 else "for this session alone"
        self.assertIn(f"Read Unit Budget: 12.5 per second of the table, {whose}", self.fx.explain("SELECT * FROM t"))
        self.server(max_read_units_per_second=300)
        self.assertIn(f"Read Unit Budget: 300 per second of the server, 12.5 per second of the table, {whose}",
                      self.fx.explain("SELECT * FROM t"))
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (DROP max_read_units_per_second)")
        plan = self.fx.explain("SELECT count(*) FROM t WHERE n >= 0", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertRegex(plan, r"Throttle Wait: \d+ ms")
        self.assertIn("Throttles: 0", plan)

    def test_is_not_throttled(self):
        """It waits for more than a second, and no warning reports that DynamoDB is the reason."""
        self.table(8192)
        self.server(max_read_units_per_second=200)
        self.assertEqual(self.fx.notices("SELECT count(*) FROM t WHERE n >= 0"), [])

    def test_analyze(self):
        """It counts, too."""
        table = self.table(8192)
        self.server(max_read_units_per_second=400)
        began = time.monotonic()
        self.fx.execute("ANALYZE t")
        assert_budget(self, [table], 400, began)


class OfTable(Budgets):
    """The option of a foreign table."""

    def test_alone(self):
        """Other tables are not bound by it."""
        table, other = self.table(40960, max_read_units_per_second=1000), self.table(40960, "other")
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        plan = self.fx.explain("SELECT count(*) FROM other WHERE n >= 0", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertNotIn("Throttle Wait", plan)
        self.assertEqual(other.bucket.used, 2000)

    def test_with_the_server(self):
        """Both hold."""
        small, large = self.table(8192, "small", max_read_units_per_second=300), self.table(8192, "large")
        self.server(max_read_units_per_second=600)
        began = time.monotonic()
        self.assertEqual(self.fx.rows("SELECT count(*) FROM small JOIN large USING (pk)"), [(400,)])
        assert_budget(self, [small], 300, began)
        assert_budget(self, [small, large], 600, began)


class OfCapacity(Budgets):
    """The option read_percent: a part of the capacity that is described, or that read_capacity specifies."""

    def whose(self):
        """How EXPLAIN ends its line."""
        return "shared by all sessions" if self.fx.conn.server_version >= 170000 else "for this session alone"

    def budget(self, sql):
        """The line."""
        return re.findall(r"Read Unit Budget: (.*), " + self.whose(), self.fx.explain(sql))

    def limits(self, operation):
        """Of all its requests."""
        return [request.body.get("Limit") for request in self.fake.requests if request.operation == operation]

    def test_scan(self):
        """By many segments."""
        table = self.table(40960, details={"capacity": 4000}, read_percent=25)
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        self.assertGreaterEqual(table.bucket.used, 2000)

    def test_full_capacity(self):
        """Is no budget: DynamoDB grants what it has, bursts too."""
        table = self.table(40960, details={"capacity": 1000}, read_percent=100)
        plan = self.fx.explain("SELECT count(*) FROM t WHERE n >= 0", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertNotIn("Budget", plan)
        self.assertNotIn("Throttle Wait", plan)
        self.assertEqual(table.bucket.used, 2000)

    def test_unknown_capacity(self):
        """On demand it is unknown, unless read_capacity specifies it."""
        table = self.table(40960, details={"capacity": 0}, read_percent=50)
        sql = "SELECT count(*) FROM t WHERE n >= 0"
        self.assertNotIn("Budget", self.fx.explain(sql, "ANALYZE, TIMING OFF, SUMMARY OFF"))
        self.assertEqual(set(self.limits("Scan")), {None})
        table.bucket = Watched(40000)
        self.server(read_capacity=2000)
        self.assertEqual(self.budget(sql), ["1000 per second of the table's capacity"])
        self.assertEqual(self.rows_within([table], 1000, sql), [(400,)])

    def test_option_replaces_the_description(self):
        """Of the server or of the table."""
        self.table(40960, details={"capacity": 4000}, read_percent=50)
        self.assertEqual(self.budget("SELECT * FROM t"), ["2000 per second of the table's capacity"])
        self.server(read_capacity=300)
        self.assertEqual(self.budget("SELECT * FROM t"), ["150 per second of the table's capacity"])
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD read_capacity '25', SET read_percent '50')")
        self.assertEqual(self.budget("SELECT * FROM t"), ["12.5 per second of the table's capacity"])

    def test_keys(self):
        """A batch costs half a second's units at most."""
        table = self.table(40960, details={"capacity": 4000}, read_percent=10)
        keys = ",".join(f"'k{n}'" for n in range(200))
        self.assertEqual(self.rows_within([table], 400, f"SELECT sum(n) FROM t WHERE pk IN ({keys})"), [(sum(range(200)),)])
        self.assertLessEqual(max(len(request.body["RequestItems"]["t"]["Keys"]) for request in self.fake.requests
                                 if request.operation == "BatchGetItem"), 40)

    def test_smaller_of_both(self):
        """Whichever it is."""
        self.table(40960, details={"capacity": 1000}, read_percent=50, max_read_units_per_second=100)
        self.assertEqual(self.budget("SELECT * FROM t"), ["100 per second of the table, 500 per second of the table's capacity"])
        for percent, of_table, limit in ((50, 100, 10), (4, 100, 4), (4, 20, 2)):
            self.fx.execute(f"ALTER FOREIGN TABLE t OPTIONS (SET read_percent '{percent}', SET max_read_units_per_second '{of_table}')")
            self.fake.requests.clear()
            self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM t WHERE n >= 0; FETCH 1 FROM c; COMMIT")
            self.assertEqual(self.limits("Scan")[0], limit)

    def waits(self, sql):
        """Is a budget used up that would take a minute?"""
        self.fx.execute("SET statement_timeout = '300ms'")
        self.assertEqual(self.fx.error(sql).sqlstate, "57014")
        self.fx.execute("SET statement_timeout = '20s'")

    def test_two_foreign_tables(self):
        """Share it."""
        self.table(409600, details={"capacity": 10}, read_percent=5)
        self.fx.foreign_table("again", "pk text, n integer", server="metered", table_name="t", read_percent=5)
        self.fx.foreign_table("free", "pk text, n integer", server="metered", table_name="t")
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        self.waits("SELECT n FROM again WHERE pk = 'k1'")
        self.assertEqual(self.fx.rows("SELECT n FROM free WHERE pk = 'k1'"), [(1,)])

    def test_under_another_name(self):
        """The name of a table and its ARN are one table."""
        arn = "arn:aws:dynamodb:us-east-1:1:table/t"
        self.fake.tables[arn] = self.table(409600, max_read_units_per_second=0.5)
        self.fx.foreign_table("again", "pk text, n integer", server="metered", table_name=arn, max_read_units_per_second=0.5)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        self.waits("SELECT n FROM again WHERE pk = 'k1'")

    def test_by_the_id_of_the_table(self):
        """The ARN of another account has another budget, but a name and an ARN of one table share one."""
        for name, id in (("arn:aws:dynamodb:us-east-1:1:table/t", "1"), ("arn:aws:dynamodb:us-east-1:2:table/t", "2")):
            self.fake.tables[name] = made = self.table(409600, max_read_units_per_second=0.5)
            described = {**made.describe(), "TableId": id}
            self.fake.on("DescribeTable", lambda request, described=described: {"Table": described})
            self.fx.foreign_table(f"of{id}", "pk text, n integer", server="metered", table_name=name, max_read_units_per_second=0.5)
            self.assertEqual(self.fx.rows(f"SELECT n FROM of{id} WHERE pk = 'k1'"), [(1,)])
        self.waits("SELECT n FROM t WHERE pk = 'k1'")

    def test_changed_capacity(self):
        """Does not fill the budget."""
        table = self.table(409600, details={"capacity": 10}, read_percent=5)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        table.units = 20
        self.fx.execute("SELECT dynamo_fdw_disconnect('metered')")
        self.assertEqual(self.budget("SELECT * FROM t"), ["1 per second of the table's capacity"])
        self.waits("SELECT n FROM t WHERE pk = 'k1'")

    def test_another_limit(self):
        """A foreign table with a higher limit does not lift that of the others."""
        self.table(409600, max_read_units_per_second=0.1)
        self.fx.foreign_table("fast", "pk text, n integer", server="metered", table_name="t", max_read_units_per_second=100000)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k1'"), [(1,)])
        for _ in range(2):
            self.waits("SELECT n FROM t WHERE pk = 'k1'")
            self.assertEqual(self.fx.rows("SELECT n FROM fast WHERE pk = 'k1'"), [(1,)])

    def test_shared_reads(self):
        """Tables with different budgets do not share one read."""
        self.table(4096, details={"capacity": 4000}, read_percent=50)
        sql = "SELECT sum(n) FROM t UNION ALL SELECT max(n) FROM again"
        for percent, shared in ((50, 2), (100, 0)):
            self.fx.foreign_table("again", "pk text, n integer", server="metered", table_name="t", read_percent=percent)
            self.assertEqual(self.fx.explain(sql, "ANALYZE, TIMING OFF, SUMMARY OFF").count("Shared Read:"), shared)

    def test_analyze(self):
        """Its reads count, and wait."""
        self.table(409600, items=[item(1)], details={"capacity": 10}, read_percent=5)
        self.fx.execute("ANALYZE t")
        self.waits("SELECT n FROM t WHERE pk = 'k1'")
        self.waits("ANALYZE t")

    def test_check_table(self):
        """So do those of dynamo_fdw_check_table, by the options of the foreign table that is named."""
        self.table(409600, items=[item(1)], details={"capacity": 10}, read_percent=5)
        self.fx.rows("SELECT * FROM dynamo_fdw_check_table('t')")
        self.waits("SELECT n FROM t WHERE pk = 'k1'")

    def with_indexes(self, **options):
        """A global index of a capacity of its own with keys only, and a local one."""
        keys = {"projection": "KEYS_ONLY", "status": "ACTIVE"}
        indexes = [{"name": "by_g", "hash": [("g", "S")], "range": [], "local": False, "units": 100, **keys},
                   {"name": "by_m", "hash": [("pk", "S")], "range": [("m", "N")], "local": True, **keys}]
        items = [item(n, sk={"N": "1"}, g={"S": f"k{n}"}, m={"N": "1"}) for n in range(4)]
        table = watched(self.fake, "h", 409600, items, range_key=("sk", "N"), indexes=indexes, capacity=10)
        self.fx.foreign_table("h", "pk text NOT NULL, sk integer NOT NULL, m integer NOT NULL, g text NOT NULL, n integer",
                              server="metered", read_percent=5, **options)
        return table

    def test_index(self):
        """Has its own; its items are read from the table."""
        self.with_indexes()
        of_index, of_table = "5 per second of the capacity of index by_g", "0.5 per second of the table's capacity"
        self.assertEqual(self.budget("SELECT pk FROM h WHERE g = 'k1'"), [of_index])
        self.assertEqual(self.budget("SELECT n FROM h WHERE g = 'k1'"), [f"{of_index}, {of_table}"])
        self.assertEqual(self.budget("SELECT m FROM h WHERE pk = 'k1' AND m > 0"), [of_table])
        self.assertEqual(self.budget("SELECT pk FROM h WHERE g = 'k1' OR pk = 'k1'"), [f"{of_index}, {of_table}"])
        self.fake.on("Query", lambda request: {"Items": [{"pk": {"S": "k1"}, "sk": {"N": "1"}, "g": {"S": "k1"}}], "Count": 1,
                                               "ScannedCount": 1, "ConsumedCapacity": {"TableName": "h", "CapacityUnits": 0.5}})
        self.assertEqual(self.fx.rows("SELECT n FROM h WHERE pk = 'k1' AND sk = 1"), [(1,)])
        self.assertEqual(self.fx.rows("SELECT pk FROM h WHERE g = 'k1'"), [("k1",)])
        self.waits("SELECT n FROM h WHERE pk = 'k1' AND sk = 1")
        self.waits("SELECT n FROM h WHERE pk = 'k1' AND m > 0")


class Partitions(Budgets):
    """Foreign tables that are read together, asynchronously."""

    def setUp(self):
        super().setUp()
        self.fx.execute("CREATE TABLE all_of_them (pk text, n integer) PARTITION BY RANGE (n)")
        self.addCleanup(self.fx.execute, "DROP TABLE all_of_them")

    def partition(self, number, **options):
        """With 100 items of 5 units."""
        low = number * 100
        name = f"p{number}"
        table = self.table(40960, name, [item(n) for n in range(low, low + 100)], **options)
        self.fx.execute(f"ALTER TABLE all_of_them ATTACH PARTITION {name} FOR VALUES FROM ({low}) TO ({low + 100})")
        return table

    def read_all(self, partitions):
        """Each row once."""
        sql = "SELECT n FROM all_of_them"
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.fx.execute("SET statement_timeout = '30s'")
        self.assertEqual(sorted(self.fx.rows(sql)), [(n,) for n in range(100 * partitions)])

    def test_each_its_own(self):
        """And one of them none."""
        budgets = [300, 400, 500]
        tables = [self.partition(number, max_read_units_per_second=budget) for number, budget in enumerate(budgets)]
        free = self.partition(3)
        began = time.monotonic()
        self.read_all(4)
        for table, budget in zip(tables, budgets):
            assert_budget(self, [table], budget, began)
        self.assertEqual(free.bucket.used, 500)

    def test_one_of_the_server(self):
        """Next to that of a table."""
        self.server(max_read_units_per_second=800)
        tables = [self.partition(0, max_read_units_per_second=300), self.partition(1), self.partition(2)]
        began = time.monotonic()
        self.read_all(3)
        assert_budget(self, tables, 800, began)
        assert_budget(self, tables[:1], 300, began)

    def test_the_same_table_twice(self):
        """Two foreign tables of one DynamoDB table have one budget."""
        table = self.table(40960, max_read_units_per_second=800)
        self.fx.foreign_table("again", "pk text, n integer", server="metered", table_name="t", max_read_units_per_second=800)
        sql = "SELECT n FROM t UNION ALL SELECT n FROM again"
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.assertEqual(sorted(self.rows_within([table], 800, sql)), sorted([(n,) for n in range(400)] * 2))

    def test_a_cursor_next_to_it(self):
        """Another statement reads the table, and is not fetched from."""
        table = self.table(40960)
        self.server(max_read_units_per_second=1000)
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM t WHERE n >= 0")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        began = time.monotonic()
        self.assertEqual(len(self.fx.rows("FETCH 1 FROM c")), 1)
        self.assertEqual(self.fx.rows("SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 399)
        assert_budget(self, [table], 1000, began)


class Shared(own_postgres.TestCase):
    """By all sessions together: before PostgreSQL 17, that takes that the library is loaded when it starts."""

    def setUp(self):
        self.fake = metered.Metered().start()
        self.addCleanup(self.fake.stop)
        self.start_postgres("" if self.fx.conn.server_version >= 170000 else "-c shared_preload_libraries=dynamo_fdw")
        cursor = self.connect().cursor()
        cursor.execute("CREATE EXTENSION dynamo_fdw; CREATE SERVER metered FOREIGN DATA WRAPPER dynamo_fdw OPTIONS "
                       f"(endpoint_url '{self.fake.endpoint}', region 'us-east-1', scan_policy 'allow', max_read_units_per_second '250');"
                       "CREATE USER MAPPING FOR PUBLIC SERVER metered OPTIONS (access_key_id 'x', secret_access_key 'y');"
                       "CREATE FOREIGN TABLE t (pk text, n integer) SERVER metered")
        self.table = watched(self.fake, "t", 40960, [item(n) for n in range(400)])

    def test_sixteen(self):
        """Sixteen sessions read at the same time."""
        connections = [self.connect() for _ in range(16)]
        began = time.monotonic()
        threads = [threading.Thread(target=read_for_a_while, args=(connection, 2)) for connection in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert_budget(self, [self.table], 250, began)
        self.assertGreater(self.table.bucket.used, 0)

    def test_killed(self):
        """A session that is killed leaves nothing that others would wait for."""
        victim, thread = self.reading_session()
        cursor = self.connect().cursor()
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", (victim.info.backend_pid,))
        thread.join()
        cursor.execute("SELECT n FROM t WHERE pk = 'k7'")
        self.assertEqual(cursor.fetchall(), [(7,)])

    def test_crashed(self):
        """All sessions end, and budgets begin again."""
        victim, thread = self.reading_session()
        other = self.connect().cursor()
        os.kill(victim.info.backend_pid, signal.SIGKILL)
        thread.join()
        self.eventually(lambda: fails(other))       # PostgreSQL has seen it, and accepts no session until it has started again
        cursor = self.eventually(self.connection_or_none).cursor()
        cursor.execute("SELECT n FROM t WHERE pk = 'k7'")
        self.assertEqual(cursor.fetchall(), [(7,)])

    def reading_session(self):
        """One that is in the middle of a scan."""
        connection = self.connect()
        thread = threading.Thread(target=read_for_a_while, args=(connection, 30))
        thread.start()
        self.eventually(lambda: self.table.bucket.used > 0)
        return connection, thread

    def connection_or_none(self):
        """If PostgreSQL lets us."""
        try:
            return self.connect()
        except psycopg2.OperationalError:
            return None

    def eventually(self, condition):
        """What it returns that is true."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            result = condition()
            if result:
                return result
            time.sleep(0.02)
        raise AssertionError("it did not happen in 30 s")

    def test_full(self):
        """The 256 buckets are in debt for minutes: a session takes others of its own, and reports it once."""
        self.table.item_bytes = 409600
        connection = self.connect()
        cursor = connection.cursor()
        for number in range(127):
            self.in_debt(cursor, f"s{number}", 0.1)
        self.in_debt(cursor, "last", None)
        self.assertEqual(connection.notices, [])
        self.in_debt(cursor, "over", 1000)      # its server's bucket is the last one
        self.assertEqual(len(connection.notices), 1)
        self.assertTrue(connection.notices[0].startswith("WARNING:  too many budgets of read or write units are in use\n"))
        self.in_debt(cursor, "without", 0.1)
        cursor.execute("SET statement_timeout = '500ms'")
        for server in ("s0", "over", "without"):
            with self.assertRaises(psycopg2.errors.QueryCanceled):
                cursor.execute(f"SELECT n FROM {server} WHERE pk = 'k7'")
        self.assertEqual(len(connection.notices), 1)
        self.assertEqual(self.table.bucket.used, 130 * 50)

    def in_debt(self, cursor, server, of_table):
        """Use much more than a server's budget, and a table's if it has one."""
        option = f", max_read_units_per_second '{of_table}'" if of_table else ""
        cursor.execute(f"CREATE SERVER {server} FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.fake.endpoint}', "
                       f"region 'us-east-1', max_read_units_per_second '0.1', max_idle_connections '0'); CREATE USER MAPPING FOR PUBLIC SERVER {server} "
                       "OPTIONS (access_key_id 'x', secret_access_key 'y'); "
                       f"CREATE FOREIGN TABLE {server} (pk text, n integer) SERVER {server} OPTIONS (table_name 't'{option})")
        cursor.execute(f"SELECT n FROM {server} WHERE pk = 'k7'")
        self.assertEqual(cursor.fetchall(), [(7,)])

    def test_is_reported(self):
        """EXPLAIN, and the function of options."""
        cursor = self.connect().cursor()
        cursor.execute("EXPLAIN SELECT * FROM t")
        self.assertIn("  Read Unit Budget: 250 per second of the server, shared by all sessions", [line for (line,) in cursor.fetchall()])
        cursor.execute(HELP)
        self.assertEqual(cursor.fetchall(), [("maximum read units per second of all sessions together",)] * 2)
        cursor.execute(SHARE)
        self.assertEqual(cursor.fetchall(), [("percentage of a known capacity that all sessions together may use",)])


def read_for_a_while(connection, seconds):
    """A scan that takes longer."""
    with connection.cursor() as cursor:
        try:
            cursor.execute(f"SET statement_timeout = '{seconds}s'")
            cursor.execute("SELECT count(*) FROM t WHERE n >= 0")
        except psycopg2.Error:
            pass


def fails(cursor):
    """Has the session ended?"""
    try:
        cursor.execute("SELECT 1")
    except psycopg2.Error:
        return True
    return False


class OfStatement(Budgets):
    """dynamo_fdw.max_read_units_per_statement and the server's option."""

    def test_refused_beforehand(self):
        """A Scan of known size that is read in full."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500")
        failure = self.fx.error("SELECT count(*), sum(n) FROM t")
        self.assertEqual(failure.sqlstate, "54000")
        self.assertEqual(failure.message, "statement exceeds the limit of 500 read units")
        self.assertEqual(failure.detail, 'A full scan of DynamoDB table "t" uses about 2000 read units.')
        self.assertEqual(failure.hint, 'Add a condition on partition key "pk" to read less, or raise max_read_units_per_statement.')
        self.assertEqual(table.bucket.used, 0)

    def test_refused_wherever_all_is_read(self):
        """By the plan, or because all rows are requested; each without a request."""
        table = self.table(40960)
        self.fx.execute("CREATE TABLE copied (n numeric); SET dynamo_fdw.max_read_units_per_statement = 500")
        self.addCleanup(self.fx.execute, "DROP TABLE copied; DROP FUNCTION IF EXISTS counted()")
        self.fx.execute("CREATE FUNCTION counted() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM t); END'")
        for sql in ("SELECT count(*) FROM t", "SELECT count(*) FROM t HAVING count(*) > 1", "SELECT avg(n) FROM t", "SELECT n FROM t GROUP BY n", "SELECT * FROM t",
                    "CREATE TABLE made AS SELECT * FROM t", "INSERT INTO copied SELECT n FROM t", "INSERT INTO copied SELECT n FROM t RETURNING n",
                    "SELECT n FROM t UNION ALL SELECT 1", "EXPLAIN (ANALYZE) SELECT * FROM t", "SELECT counted()",
                    "SELECT (SELECT count(*) FROM t), i FROM generate_series(1, 3) i", "CREATE MATERIALIZED VIEW made AS SELECT n FROM t",
                    "SELECT 1 WHERE (SELECT count(*) FROM t) > 1"):
            with self.subTest(sql):
                self.assertEqual(self.fx.error(sql).detail, 'A full scan of DynamoDB table "t" uses about 2000 read units.')
                self.assertEqual(table.bucket.used, 0)

    def test_not_refused_where_a_window_ends_early(self):
        """The first rows of a window stop the scan."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500")
        self.assertEqual(len(self.fx.rows("SELECT n FROM (SELECT n, row_number() OVER () AS rn FROM t) s WHERE rn <= 3")), 3)
        self.assertLessEqual(table.bucket.used, 500)

    def test_young_table(self):
        """Refused beforehand, too, if ANALYZE knows what DynamoDB has not counted yet: by the figure of EXPLAIN."""
        table = self.table(4096, details={"item_count": 0, "size_bytes": 0})
        sql = "SELECT count(*), sum(n) FROM t"
        self.fx.execute("ANALYZE t")
        units = self.fx.value(f"EXPLAIN (FORMAT json) {sql}")[0]["Plan"]["Plans"][0]["Estimated Read Units"]
        self.assertGreater(units, 10)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 10")
        used = table.bucket.used
        self.assertEqual(self.fx.error(sql).detail, f'A full scan of DynamoDB table "t" uses about {units:.0f} read units.')
        self.assertEqual(table.bucket.used, used)
        self.fx.execute("RESET dynamo_fdw.max_read_units_per_statement; ALTER FOREIGN TABLE t OPTIONS (ADD scan_policy 'warn')")
        self.assertRegex(self.fx.notices(sql)[0], f'^WARNING:  full scan of DynamoDB table "t" [(]about {units:.0f} read units[)]')

    def test_ended(self):
        """A scan that may be stopped ends when the limit would be exceeded; others go on."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500")
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT * FROM t")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        failure = self.fx.error("FETCH 10000 FROM c")
        self.fx.execute("ROLLBACK")
        self.assertEqual(failure.sqlstate, "54000")
        self.assertRegex(failure.detail, r'^The statement has used \d+\.\d; the next request for DynamoDB table "t" is expected to use \d+.\d\.$')
        self.assertLessEqual(table.bucket.used, 500)
        self.assertGreater(table.bucket.used, 250)
        self.assertEqual(len(self.fx.rows("SELECT n FROM t LIMIT 3")), 3)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk IN ('k1', 'k2')"), [(1,), (2,)])

    def test_lost(self):
        """What was executed counts, even without a response."""
        table = self.table(40960)
        self.server(request_timeout="150ms", max_concurrency=1)

        def script(_request):
            table.bucket.take(125)
            return replies.hang_before_headers()
        self.fake.on("Scan", [script] * 2)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500; BEGIN; DECLARE c CURSOR FOR SELECT * FROM t")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        failure = self.fx.error("FETCH 10000 FROM c")
        self.fx.execute("ROLLBACK")
        self.assertEqual(failure.sqlstate, "54000")
        self.assertLessEqual(table.bucket.used, 500)

    def test_units_not_reported(self):
        """What was expected counts where responses do not report what they cost."""
        table = self.table(40960)
        table.reports_units = False
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500")
        for sql in ("SELECT * FROM t", f"SELECT * FROM t WHERE pk IN ({','.join(repr(f'k{n}') for n in range(200))})"):
            used = table.bucket.used
            self.assertEqual(self.fx.error(sql).sqlstate, "54000")
            self.assertLessEqual(table.bucket.used, used + 500)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk IN ('k1', 'k2')"), [(1,), (2,)])
        self.assertIn("Read Units: 10", self.fx.explain("SELECT n FROM t WHERE pk IN ('k1', 'k2')", "ANALYZE"))

    def test_units_of_small_items_not_reported(self):
        """The items of a page count, not the page that there could have been."""
        self.table(400)
        reported = self.fx.explain("SELECT sum(n) FROM t", "ANALYZE, COSTS OFF, TIMING OFF")
        self.table(400).reports_units = False
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 100")
        unreported = self.fx.explain("SELECT sum(n) FROM t", "ANALYZE, COSTS OFF, TIMING OFF")
        reported, unreported = (float(re.search(r"Read Units: ([\d.]+)", plan)[1]) for plan in (reported, unreported))
        self.assertLess(unreported, 1.5 * reported + 1)

    def test_units_of_unknown_size_not_reported(self):
        """A short response costs little though nothing is known of the items."""
        table = self.table(400, details={"item_count": 0, "size_bytes": 0})
        table.reports_units = False
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 50")
        self.assertEqual(self.fx.rows("SELECT (SELECT n FROM t WHERE pk = 'k' || i) FROM generate_series(1, 20) i"), [(i,) for i in range(1, 21)])

    def test_many_keys(self):
        """Batches up to the limit."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500")
        keys = ",".join(f"'k{n}'" for n in range(100))
        self.assertEqual(self.fx.rows(f"SELECT count(*) FROM t WHERE pk IN ({keys})"), [(100,)])
        self.assertEqual(table.bucket.used, 500)
        keys = ",".join(f"'k{n}'" for n in range(101))
        self.assertEqual(self.fx.error(f"SELECT count(*) FROM t WHERE pk IN ({keys})").sqlstate, "54000")
        self.assertLessEqual(table.bucket.used, 1000)

    def test_the_smaller_is_in_force(self):
        """Of parameter and option."""
        self.table(40960)
        self.server(max_read_units_per_statement=300)
        self.assertIn("300", self.fx.error("SELECT sum(n) FROM t").message)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 3000")
        self.assertIn("300 ", self.fx.error("SELECT sum(n) FROM t").message)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 200")
        self.assertIn("200", self.fx.error("SELECT sum(n) FROM t").message)
        self.fx.execute("ALTER SERVER metered OPTIONS (DROP max_read_units_per_statement)")
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 0")
        self.assertEqual(self.fx.rows("SELECT sum(n) FROM t"), [(sum(range(400)),)])

    def test_paused_response(self):
        """Does not delay the request that the consumer waits for, if memory suffices only for a short response."""
        sizes = {"p1": 900_000, **{f"p{n}": 38_000 for n in range(2, 12)}}
        names, paused = ["p0", *sizes], []

        def partition(request):
            values = request.body.get("ExpressionAttributeValues", {}).values()
            return next((value["S"] for value in values if "S" in value), None)

        def respond(request):
            name = partition(request)
            if name == "p0" and [partition(r) for r in self.fake.requests].count("p0") == 1:
                return metered.throttle()
            found = {"pk": {"S": name}, "sk": {"N": "1"}, "n": {"N": "1"}, "b": {"S": "x" * sizes.get(name, 10)}}
            return {"Items": [found], "Count": 1, "ScannedCount": 1, "ConsumedCapacity": {"TableName": "h", "CapacityUnits": 1.0}}

        def others_have_responses(requests):
            return sum(partition(r) not in ("p0", "p1", None) and r.ended > 0 for r in requests) == 10

        def long_one_waits(requests):
            paused.append(time.monotonic())
            if not others_have_responses(requests):
                paused.clear()
            return bool(paused) and paused[-1] > paused[0] + 0.3
        self.fake.metered("h", 40000, 4096, items=[], range_key=("sk", "N"), item_count=0, size_bytes=0)
        self.fx.foreign_table("h", "pk text NOT NULL, sk integer NOT NULL, n integer, b text", server="metered")
        self.server(max_concurrency=3)
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1MB'; SET dynamo_fdw.max_read_units_per_statement = 11; SET statement_timeout = '20s';"
                        f"CREATE TEMP TABLE k AS SELECT unnest('{{{','.join(names)}}}'::text[]) AS pk; ANALYZE k")
        self.addCleanup(self.fx.execute, "DROP TABLE k")
        self.fake.on("Query", respond)
        self.fake.hold(lambda request: partition(request) == "p1", others_have_responses)
        self.fake.hold(lambda request: partition(request) == "p0", long_one_waits)
        sql = "SELECT count(*), sum(length(b)) FROM k, LATERAL (SELECT b FROM h WHERE h.pk = k.pk AND n >= 0 OFFSET 0) h"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEqual(self.fx.rows(sql), [(12, 10 + sum(sizes.values()))])

    def test_analyze(self):
        """Takes a smaller sample."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 200; ANALYZE t")
        self.assertLessEqual(table.bucket.used, 200 + 16 * 5)
