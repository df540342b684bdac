"""Budgets of read units (max_read_units), and the limit of one statement (max_statement_units).

A budget is held at every moment: units used are at most budget * (elapsed + 1 s), and two full pages.
"""
import os
import signal
import threading
import time

import psycopg2

import fixture
import metered
import own_postgres

PAGES = 2 * 128
HELP = "SELECT help FROM dynamo_fdw_options() WHERE name = 'max_read_units'"


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


def watched(fake, name, item_bytes, items, **details):
    """A table of the service."""
    table = fake.metered(name, 40000, item_bytes, 40000, items=items, **details)
    table.bucket = Watched(40000)
    return table


def assert_budget(test, tables, budget, began):
    """It was held at every moment."""
    log = sorted((when, n, used) for n, table in enumerate(tables) for when, used in table.bucket.log)
    used = [0] * len(tables)
    for when, n, sum_used in log:
        used[n] = sum_used
        test.assertLessEqual(sum(used), budget * (when - began + 1) + PAGES, f"after {when - began:.3f} s")


class Budgets(fixture.TestCase):
    """A service that grants everything, and says what was used when."""

    ITEMS = 400

    def setUp(self):
        self.fake = metered.Metered().start()
        self.addCleanup(self.fake.stop)
        self.fx.server("metered", self.fake.endpoint, scan_policy="allow")
        self.addCleanup(self.fx.execute, "DROP SERVER metered CASCADE")
        self.addCleanup(self.fx.execute, "RESET ALL")

    def table(self, item_bytes, name="t", items=None, **options):
        """A table and its foreign table."""
        made = watched(self.fake, name, item_bytes, items or [item(n) for n in range(self.ITEMS)])
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
    """The option max_read_units of the server."""

    def test_scan(self):
        """Many segments at once."""
        table = self.table(40960)
        self.server(max_read_units=1000)
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        self.assertGreaterEqual(table.bucket.used, 2000)

    def test_small_budget(self):
        """One page of 1 MB costs more than it grants in seconds."""
        table = self.table(40960)
        self.server(max_read_units=25)
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
        self.server(max_read_units=200)
        keys = ",".join(f"'p{n}'" for n in range(100))
        self.assertEqual(self.rows_within([table], 200, f"SELECT count(n), sum(n) FROM h WHERE pk IN ({keys})"),
                         [(400, sum(range(400)))])
        self.assertEqual(table.bucket.used, 400)

    def test_keys(self):
        """Batches of large items."""
        table = self.table(40960)
        self.server(max_read_units=400)
        keys = ",".join(f"'k{n}'" for n in range(200))
        self.assertEqual(self.rows_within([table], 400, f"SELECT sum(n) FROM t WHERE pk IN ({keys})"), [(sum(range(200)),)])
        self.assertEqual(table.bucket.used, 1000)
        sizes = [len(request.body["RequestItems"]["t"]["Keys"]) for request in self.fake.requests
                 if request.operation == "BatchGetItem"]
        self.assertLessEqual(max(sizes), 40)

    def test_two_tables(self):
        """Share it."""
        one, two = self.table(8192, "one"), self.table(8192, "two")
        self.server(max_read_units=500)
        self.assertEqual(self.rows_within([one, two], 500, "SELECT count(*) FROM one JOIN two USING (pk)"), [(400,)])

    def test_throttled(self):
        """What was throttled costs nothing."""
        table = self.table(40960)
        self.server(max_read_units=20)
        self.fake.on("GetItem", [metered.throttle()] * 12)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k7'"), [(7,)])
        plan = self.fx.explain("SELECT n FROM t WHERE pk = 'k7'", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertNotIn("Throttles", plan)
        self.assertEqual(table.bucket.used, 10)

    def test_explain(self):
        """Tells how long was waited."""
        self.table(8192)
        self.server(max_read_units=300)
        plan = self.fx.explain("SELECT count(*) FROM t WHERE n >= 0", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertRegex(plan, r"Waited: \d+ ms")

    def test_analyze(self):
        """It counts, too."""
        table = self.table(8192)
        self.server(max_read_units=400)
        began = time.monotonic()
        self.fx.execute("ANALYZE t")
        assert_budget(self, [table], 400, began)


class OfTable(Budgets):
    """The option of a foreign table."""

    def test_alone(self):
        """Other tables are not bound by it."""
        table, other = self.table(40960, max_read_units=1000), self.table(40960, "other")
        self.assertEqual(self.rows_within([table], 1000, "SELECT count(*) FROM t WHERE n >= 0"), [(400,)])
        plan = self.fx.explain("SELECT count(*) FROM other WHERE n >= 0", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertNotIn("Waited", plan)
        self.assertEqual(other.bucket.used, 2000)

    def test_with_the_server(self):
        """Both hold."""
        small, large = self.table(8192, "small", max_read_units=300), self.table(8192, "large")
        self.server(max_read_units=600)
        began = time.monotonic()
        self.assertEqual(self.fx.rows("SELECT count(*) FROM small JOIN large USING (pk)"), [(400,)])
        assert_budget(self, [small], 300, began)
        assert_budget(self, [small, large], 600, began)


class Shared(own_postgres.TestCase):
    """By all sessions together: the library is loaded when PostgreSQL starts."""

    def setUp(self):
        self.fake = metered.Metered().start()
        self.addCleanup(self.fake.stop)
        self.start_postgres("-c shared_preload_libraries=dynamo_fdw")
        cursor = self.connect().cursor()
        cursor.execute("CREATE EXTENSION dynamo_fdw; CREATE SERVER metered FOREIGN DATA WRAPPER dynamo_fdw OPTIONS "
                       f"(endpoint '{self.fake.endpoint}', region 'us-east-1', scan_policy 'allow', max_read_units '250');"
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
        """A session that is killed leaves nothing behind that others would wait for."""
        victim, thread = self.reading_session()
        cursor = self.connect().cursor()
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", (victim.info.backend_pid,))
        thread.join()
        cursor.execute("SELECT n FROM t WHERE pk = 'k7'")
        self.assertEqual(cursor.fetchall(), [(7,)])

    def test_crashed(self):
        """All sessions end, and budgets begin anew."""
        victim, thread = self.reading_session()
        other = self.connect().cursor()
        os.kill(victim.info.backend_pid, signal.SIGKILL)
        thread.join()
        self.eventually(lambda: fails(other))       # PostgreSQL has seen it, and lets nobody in until it has started again
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

    def test_says_so(self):
        """The function of options."""
        cursor = self.connect().cursor()
        cursor.execute(HELP)
        self.assertEqual(cursor.fetchall(), [("read units per second that all sessions may use together",)] * 2)


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
    """dynamo_fdw.max_statement_units and the server's option."""

    def test_refused_beforehand(self):
        """A Scan of known size that is read whole."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_statement_units = 500")
        failure = self.fx.error("SELECT count(*), sum(n) FROM t")
        self.assertEqual(failure.sqlstate, "54000")
        self.assertEqual(failure.message, "statement would use more than 500 read units")
        self.assertEqual(failure.detail, 'Reading the whole DynamoDB table "t" uses about 2000.')
        self.assertEqual(failure.hint, 'Restrict the partition key "pk", or raise max_statement_units.')
        self.assertEqual(table.bucket.used, 0)

    def test_ended(self):
        """A scan that may be stopped ends when the limit would be exceeded; others go on."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_statement_units = 500")
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual(failure.sqlstate, "54000")
        self.assertRegex(failure.detail, r'^It has used \d+\.\d; the next request for DynamoDB table "t" is expected to use \d+\.\d\.$')
        self.assertLessEqual(table.bucket.used, 500)
        self.assertGreater(table.bucket.used, 250)
        self.assertEqual(len(self.fx.rows("SELECT n FROM t LIMIT 3")), 3)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk IN ('k1', 'k2')"), [(1,), (2,)])

    def test_many_keys(self):
        """Batches up to the limit."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_statement_units = 500")
        keys = ",".join(f"'k{n}'" for n in range(100))
        self.assertEqual(self.fx.rows(f"SELECT count(*) FROM t WHERE pk IN ({keys})"), [(100,)])
        self.assertEqual(table.bucket.used, 500)
        keys = ",".join(f"'k{n}'" for n in range(101))
        self.assertEqual(self.fx.error(f"SELECT count(*) FROM t WHERE pk IN ({keys})").sqlstate, "54000")
        self.assertLessEqual(table.bucket.used, 1000)

    def test_the_smaller_is_in_force(self):
        """Of parameter and option."""
        self.table(40960)
        self.server(max_statement_units=300)
        self.assertIn("300", self.fx.error("SELECT sum(n) FROM t").message)
        self.fx.execute("SET dynamo_fdw.max_statement_units = 3000")
        self.assertIn("300 ", self.fx.error("SELECT sum(n) FROM t").message)
        self.fx.execute("SET dynamo_fdw.max_statement_units = 200")
        self.assertIn("200", self.fx.error("SELECT sum(n) FROM t").message)
        self.fx.execute("ALTER SERVER metered OPTIONS (DROP max_statement_units)")
        self.fx.execute("SET dynamo_fdw.max_statement_units = 0")
        self.assertEqual(self.fx.rows("SELECT sum(n) FROM t"), [(sum(range(400)),)])

    def test_analyze(self):
        """Takes a smaller sample."""
        table = self.table(40960)
        self.fx.execute("SET dynamo_fdw.max_statement_units = 200; ANALYZE t")
        self.assertLessEqual(table.bucket.used, 200 + 16 * 5)
