"""What one can watch: log_requests, dynamo_fdw_stats(), dynamo_fdw_tables(), dynamo_fdw_disconnect_all()."""
import re
import time

import fixture
import replies
import shop
from processes import WITHOUT_SANITIZERS

SECRET = "wJalrXUtnFEMI/K7MDENG"
TOKEN = "AQoDYXdzEJr//session//token"


class LogRequests(fixture.TestCase):
    """Each request in one line."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.fx.execute("SELECT FROM orders WHERE cust = ''")    # describes the table
        cls.fx.execute("SET dynamo_fdw.log_requests = on; SET dynamo_fdw.scan_policy = allow; SET client_min_messages = log")

    def logged(self, sql, parameters=None):
        """The lines, with the milliseconds and the name of the database left out."""
        return [re.sub(r"[\d.]+ ms", "N ms", line).replace(f"{self.fx.database}.", "")
                for line in self.fx.notices(sql, parameters)]

    def one(self, sql):
        """The only line."""
        lines = self.logged(sql)
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def test_query(self):
        """Operation, table, key condition with its values, filter, items, units, time."""
        line = self.one("SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-10' AND status = 'open' ORDER BY at DESC")
        self.assertRegex(line, r'^LOG:  dynamo_fdw: Query orders key cust = "c01" AND at > "2024-10" filter status = "open"'
                         r' backward: \d+ items, [\d.]+ units \(N ms\)$')

    def test_filter_too_large(self):
        """Only what was sent of it is logged."""
        line = self.one("SELECT at FROM orders WHERE cust = 'c01' AND priority = ANY ((SELECT array_agg(g) FROM generate_series(1, 1000) g)::int[]) AND status = 'open'")
        self.assertRegex(line, r'^LOG:  dynamo_fdw: Query orders key cust = "c01" filter status = "open": ')
        line = self.one("SELECT at FROM orders WHERE cust = 'c01' AND priority = ANY ((SELECT array_agg(g) FROM generate_series(1, 1000) g)::int[])")
        self.assertRegex(line, r'^LOG:  dynamo_fdw: Query orders key cust = "c01": ')

    def test_index(self):
        """The line names the index."""
        self.assertIn('Query orders index by_status key status = "open"', self.one("SELECT at FROM orders WHERE status = 'open'"))

    def test_keys(self):
        """GetItem shows its key, BatchGetItem the number of keys."""
        self.assertIn('GetItem orders key cust = "c01" AND at = "2024-01-01"',
                      self.one("SELECT total FROM orders WHERE cust = 'c01' AND at = '2024-01-01'"))
        self.assertIn("BatchGetItem orders 2 keys",
                      self.one("SELECT total FROM orders WHERE cust = 'c01' AND at IN ('2024-01-01', 'x')"))

    def test_scan_and_count(self):
        """The line reports if only a count was requested."""
        self.assertIn("Scan orders", self.one("SELECT at FROM orders"))
        self.assertIn("count", self.one("SELECT count(*) FROM orders WHERE cust = 'c01'"))

    def test_pages(self):
        """Each page has a line with its number."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '12')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE orders OPTIONS (DROP fetch_size)")
        lines = self.logged("SELECT at FROM orders WHERE cust = 'c01'")
        self.assertEqual([re.search(r"page (\d)", line) and re.search(r"page (\d)", line).group(1) for line in lines],
                         [None, "2", "3"])

    def test_as_many_lines_as_requests(self):
        """DescribeTable is logged, too."""
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        for sql in ("SELECT * FROM orders WHERE ship = 's1'", "SELECT at FROM orders WHERE cust IN ('c01', 'c02')"):
            self.fx.proxy.reset()
            lines = self.logged(sql)
            self.assertEqual(len(lines), len(self.fx.proxy.requests), lines)

    def test_off_reports_nothing(self):
        """By default nothing is logged."""
        self.fx.execute("SET dynamo_fdw.log_requests = off")
        self.addCleanup(self.fx.execute, "SET dynamo_fdw.log_requests = on")
        self.assertEqual(self.logged("SELECT at FROM orders WHERE cust = 'c01'"), [])

    def test_no_secret(self):
        """Secrets are neither in log lines nor in errors, nor in what PostgreSQL shows."""
        fake = self.fx.fake("private")
        self.addCleanup(fake.stop)
        fake.table("t", ("pk", "S"))
        self.fx.execute(f"ALTER USER MAPPING FOR PUBLIC SERVER private OPTIONS (SET secret_access_key '{SECRET}',"
                        f" SET access_key_id 'AKIDEXAMPLE', ADD session_token '{TOKEN}')")
        self.fx.foreign_table("t", "pk text NOT NULL", server="private")
        seen = "\n".join(self.logged("SELECT * FROM t") + self.logged("EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM t"))
        self.assertIn("Scan t", seen)
        self.assertEqual(fake.requests[-1].headers["x-amz-security-token"], TOKEN)
        fake.on("Scan", replies.error("UnrecognizedClientException", "The security token included in the request is invalid."))
        seen += str(self.fx.error("SELECT * FROM t")) + self.fx.explain("SELECT * FROM t", "VERBOSE")
        signature = re.search(r"Signature=(\w+)", fake.requests[-1].headers["authorization"]).group(1)
        for word in (SECRET, TOKEN, signature, "Signature"):
            self.assertNotIn(word, seen)


@WITHOUT_SANITIZERS
class Memory(fixture.TestCase):
    """A count takes the responses of all pages at once."""

    def peak(self):
        """The backend's peak memory in kB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))

    def test_count(self):
        """No line is kept."""
        fake = self.fx.fake("pages")
        self.addCleanup(fake.stop)
        fake.table("t", ("pk", "S"), ("n", "N"), items=[{"pk": {"S": "p"}, "n": {"N": str(n)}, "note": {"S": "y"}} for n in range(500)], page_size=1)
        self.fx.foreign_table("t", "pk text NOT NULL, n int NOT NULL, note text", server="pages")
        sql = "SELECT count(*) FROM t WHERE pk = 'p' AND note = 'y'"
        self.assertEqual(self.fx.rows(sql), [(500,)])
        before = self.peak()
        self.fx.execute("SET dynamo_fdw.log_requests = on; SET dynamo_fdw.log_min_duration = 0")
        fake.reset()
        self.assertEqual(self.fx.rows(sql), [(500,)])
        self.assertEqual({(request.operation, request.body["Select"]) for request in fake.requests}, {("Query", "COUNT")})
        self.assertGreaterEqual(len(fake.requests), 500)
        self.assertLess(self.peak(), before + 500)


class Functions(fixture.TestCase):
    """The functions of the extension."""

    def setUp(self):
        self.fake = self.fx.fake(f"f{id(self)}")
        self.server = f"f{id(self)}"
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), items=[{"pk": {"S": str(n)}} for n in range(10)], page_size=4)
        self.fx.foreign_table("t", "pk text NOT NULL", server=self.server, scan_policy="allow")

    def stats(self):
        """dynamo_fdw_stats() as a dict."""
        names = "requests retries throttles pages items_read items_returned bytes read_units open_fds".split()
        [row] = self.fx.rows(f"SELECT {', '.join(names)} FROM dynamo_fdw_stats()")
        return dict(zip(names, row))

    def growth(self, sql):
        """What a statement adds."""
        before = self.stats()
        self.fx.execute(sql)
        return {name: value - before[name] for name, value in self.stats().items() if name != "open_fds"}

    def test_stats(self):
        """The counters of this backend agree with the recorded requests."""
        self.fx.execute("SELECT FROM t WHERE pk = ''")
        grown = self.growth("SELECT * FROM t")
        self.assertGreater(grown.pop("bytes"), 100)
        self.assertEqual(grown, {"requests": 3, "retries": 0, "throttles": 0, "pages": 3, "items_read": 10,
                                 "items_returned": 10, "read_units": 1.5})

    def test_stats_of_retries(self):
        """Throttled requests count as retries."""
        self.fx.execute("SELECT FROM t WHERE pk = ''")
        self.fake.on("GetItem", [replies.throttle(), replies.throttle()])
        grown = self.growth("SELECT * FROM t WHERE pk = '1'")
        self.assertEqual((grown["retries"], grown["throttles"]), (2, 2))

    def test_stats_of_failed_statements(self):
        """Requests of failed statements are counted as well."""
        self.fx.execute("SELECT FROM t WHERE pk = ''")
        before = self.stats()["requests"]
        self.fake.on("Scan", replies.error("ResourceNotFoundException"))
        self.fx.error("SELECT * FROM t")
        self.assertGreater(self.stats()["requests"], before)

    def test_stats_are_the_backends_own(self):
        """Another backend starts at zero."""
        self.fx.execute("SELECT * FROM t")
        other = self.fx.connect()
        with other.cursor() as cursor:
            cursor.execute("SELECT requests, open_fds FROM dynamo_fdw_stats()")
            self.assertEqual(cursor.fetchall(), [(0, 0)])
        other.close()

    def test_tables(self):
        """The function returns the names of all pages."""
        names = [f"t{n:03}" for n in range(7)]
        self.fake.on("ListTables", lambda request: self.list_page(names, request))
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_tables(%s)", (self.server,)), [(name,) for name in names])
        self.assertEqual(self.fake.operations().count("ListTables"), 3)

    @staticmethod
    def list_page(names, request):
        """Three names a page."""
        start = names.index(request.body["ExclusiveStartTableName"]) + 1 if "ExclusiveStartTableName" in request.body else 0
        page = {"TableNames": names[start:start + 3]}
        if start + 3 < len(names):
            page["LastEvaluatedTableName"] = page["TableNames"][-1]
        return replies.reply(page)

    def test_tables_with_a_prefix(self):
        """A server with a prefix shows its own tables, without it."""
        self.fake.table("dev_a")
        self.fake.table("dev_b")
        self.fx.execute(f"ALTER SERVER {self.server} OPTIONS (ADD table_prefix 'dev_')")
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_tables(%s)", (self.server,)), [("a",), ("b",)])

    def test_an_arn_takes_no_prefix(self):
        """table_prefix is not added to an ARN, which names account, region and table."""
        arn = "arn:aws:dynamodb:us-east-1:000000000000:table/movies"
        self.fake.table(arn)
        self.fx.execute(f"ALTER SERVER {self.server} OPTIONS (ADD table_prefix 'dev_')")
        self.fx.foreign_table("by_arn", "pk text", server=self.server, table_name=arn)
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE by_arn")
        self.fx.rows("SELECT * FROM by_arn WHERE pk = 'a'")
        self.assertEqual({r.body["TableName"] for r in self.fake.requests}, {arn})

    def test_tables_of_no_server(self):
        """An unknown server, a server of another wrapper, a server one may not use."""
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_tables('nowhere')").sqlstate, "42704")
        self.fx.execute("DROP FOREIGN DATA WRAPPER IF EXISTS other CASCADE; CREATE FOREIGN DATA WRAPPER other;"
                        "CREATE SERVER others FOREIGN DATA WRAPPER other")
        self.assertNotEqual(self.fx.error("SELECT dynamo_fdw_tables('others')").sqlstate[:2], "XX")
        self.fx.execute("DROP ROLE IF EXISTS no_usage; CREATE ROLE no_usage; SET ROLE no_usage")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP ROLE no_usage")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_tables(%s)", (self.server,)).sqlstate, "42501")

    def test_disconnect(self):
        """Closes what is open and forgets what is cached; false when there was nothing."""
        self.fx.execute("SELECT * FROM t")
        self.assertGreater(self.fake.open, 0)
        self.assertIs(self.fx.value("SELECT dynamo_fdw_disconnect_all()"), True)
        until = time.monotonic() + 10
        while self.fake.open and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(self.fake.open, 0)
        self.assertIs(self.fx.value("SELECT dynamo_fdw_disconnect_all()"), False)
        self.fake.reset()
        self.assertEqual(len(self.fx.rows("SELECT * FROM t")), 10)
        self.assertEqual(self.fake.operations()[0], "DescribeTable")

    def test_disconnect_within_a_scan(self):
        """A cursor that was partly read can continue."""
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD fetch_size '2')")
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT pk FROM t")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.assertEqual(len(self.fx.rows("FETCH 3 FROM c")), 3)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 7)
