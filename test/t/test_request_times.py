"""Why a statement is slow: times in EXPLAIN, dynamo_fdw.log_min_duration, and what pg_stat_activity shows."""
import re
import threading
import time

import fixture
import replies
import shop

def foreign_scans(node):
    """The foreign scans below a node of a plan in JSON."""
    if node["Node Type"] == "Foreign Scan":
        yield node
    for child in node.get("Plans", ()):
        yield from foreign_scans(child)


TIMES = r"Request Time: [\d.]+ ms  Slowest: [\d.]+ ms  Request Wait: [\d.]+ ms"


class ExplainTimes(fixture.TestCase):
    """Request time, the slowest request, and the time that the scan waited."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.fx.execute("SELECT FROM orders WHERE cust = ''; SET dynamo_fdw.scan_policy = allow")

    def node(self, sql, options="ANALYZE"):
        """The first foreign scan of a plan in JSON."""
        [(plan,)] = self.fx.rows(f"EXPLAIN ({options}, FORMAT JSON) {sql}")
        return next(foreign_scans(plan[0]["Plan"]))

    def test_text(self):
        """One line, with the share of the node's time."""
        plan = self.fx.explain("SELECT at FROM orders WHERE cust = 'c01'", "ANALYZE, COSTS OFF")
        self.assertRegex(plan, rf"(?m)^ +{TIMES} \(\d+%\)$")

    def test_not_without_timing(self):
        """TIMING OFF, no execution, and no ANALYZE show no times."""
        for options in ("ANALYZE, TIMING OFF", "ANALYZE, TIMING OFF, VERBOSE", "VERBOSE"):
            self.assertNotIn("Request Time", self.fx.explain("SELECT at FROM orders WHERE cust = 'c01'", options))
        for name in ("Request Time", "Slowest Request", "Request Wait", "Request Wait Percent"):
            self.assertNotIn(name, self.node("SELECT at FROM orders WHERE cust = 'c01'", "ANALYZE, TIMING OFF"))
        self.assertNotIn("Request Time", self.fx.explain("SELECT at FROM orders WHERE cust = NULL", "ANALYZE"))
        self.assertNotIn("Request Time", self.fx.explain("SELECT at FROM orders WHERE cust = (SELECT NULL)", "ANALYZE"))

    def test_formats(self):
        """Numbers with units in every format."""
        node = self.node("SELECT at FROM orders WHERE cust = 'c01'")
        self.assertGreater(node["Request Time"], 0)
        self.assertEqual(node["Request Time"], node["Slowest Request"])
        self.assertGreater(node["Request Wait"], 0)
        self.assertTrue(0 <= node["Request Wait Percent"] <= 100, node)
        [(yaml,)] = self.fx.rows("EXPLAIN (ANALYZE, FORMAT YAML) SELECT at FROM orders WHERE cust = 'c01'")
        self.assertRegex(yaml, r"Request Time: [\d.]+\n +Slowest Request: [\d.]+\n +Request Wait: [\d.]+\n +Request Wait Percent: [\d.]+\n")
        [(xml,)] = self.fx.rows("EXPLAIN (ANALYZE, FORMAT XML) SELECT at FROM orders WHERE cust = 'c01'")
        self.assertRegex(xml, r"<Request-Time>[\d.]+</Request-Time>\s+<Slowest-Request>[\d.]+</Slowest-Request>\s+"
                              r"<Request-Wait>[\d.]+</Request-Wait>\s+<Request-Wait-Percent>[\d.]+</Request-Wait-Percent>")

    def test_sum_and_slowest(self):
        """Of several requests the sum is at least the slowest, of all pages and keys."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '5')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE orders OPTIONS (DROP fetch_size)")
        for sql in ("SELECT at FROM orders WHERE cust = 'c01'", "SELECT at FROM orders WHERE cust IN ('c01', 'c02')",
                    "SELECT total FROM orders WHERE ship = 's3'"):
            with self.subTest(sql):
                node = self.node(sql)
                self.assertGreater(node["Requests"], 1)
                self.assertGreater(node["Request Time"], node["Slowest Request"])
                self.assertLessEqual(node["Request Time"], node["Requests"] * node["Slowest Request"] + 0.001)

    def test_lookups(self):
        """The inner side of a lookup join has the times of its requests."""
        sql = "SELECT count(total) FROM (VALUES ('c01'), ('c02'), ('c03')) v (x) LEFT JOIN orders ON cust = x AND at = '2024-01-01'"
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin")
        node = self.node(sql)
        self.assertEqual(node["Requests"], 1)
        self.assertGreater(node["Slowest Request"], 0)

    def test_branches_that_do_not_wait(self):
        """An asynchronous Append waits for its branches; they have no share."""
        self.fx.foreign_table("others", "cust text NOT NULL, at text NOT NULL", table_name=self.fx.remote("orders"), scan_policy="allow")
        self.fx.execute("SET dynamo_fdw.enable_shared_reads = off")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.enable_shared_reads")
        plan = self.fx.explain("SELECT at FROM orders WHERE cust = 'c01' UNION ALL SELECT at FROM others WHERE cust = 'c02'",
                               "ANALYZE, COSTS OFF")
        self.assertIn("Async Foreign Scan", plan)
        self.assertEqual(len(re.findall(rf"(?m)^ +{TIMES}$", plan)), 2, plan)


class Faked(fixture.TestCase):
    """Against a scripted server."""

    def setUp(self):
        self.server = f"f{id(self)}"
        self.fake = self.fx.fake(self.server)
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), items=[{"pk": {"S": f"secret{n}"}, "n": {"N": "1"}} for n in range(10)], page_size=4)
        self.fx.foreign_table("t", "pk text NOT NULL, n integer", server=self.server, scan_policy="allow")
        self.fx.execute("SELECT FROM t WHERE pk = ''")
        self.fx.execute("SET client_min_messages = log")


class LogMinDuration(Faked):
    """dynamo_fdw.log_min_duration"""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.log_min_duration; RESET dynamo_fdw.log_requests")

    def logged(self, sql):
        """The lines, without what differs from run to run."""
        return [re.sub(r"request id [\w-]+", "request id R", re.sub(r"[\d.]+ ms", "N ms", line)) for line in self.fx.notices(sql)]

    def test_default(self):
        """Off."""
        self.assertEqual(self.fx.value("SHOW dynamo_fdw.log_min_duration"), "-1")
        self.assertEqual(self.logged("SELECT n FROM t WHERE pk = 'secret1'"), [])

    def test_all(self):
        """Zero logs every request: operation, table, page, size, time, status, attempt and request id, no values."""
        self.fx.execute("SET dynamo_fdw.log_min_duration = 0")
        self.assertEqual(self.logged("SELECT n FROM t WHERE pk = 'secret1'"),
                         ["LOG:  dynamo_fdw: GetItem t: 1 item, 0.5 units (N ms, status 200, attempt 1, request id R)"])
        lines = self.logged("SELECT n FROM t WHERE n = 1 AND pk <> 'secret2'")
        self.assertEqual(len(lines), 3)
        self.assertIn("Scan t, page 2", lines[1])
        self.assertNotIn("secret", "".join(lines))

    def test_slow_ones_only(self):
        """Those that take longer, whatever the others take."""
        self.fx.execute("SET dynamo_fdw.log_min_duration = '1min'")
        self.assertEqual(self.logged("SELECT n FROM t"), [])
        self.fx.execute("SET dynamo_fdw.log_min_duration = '100ms'")
        pages = iter((0, 0.2, 0))
        self.fake.on("Scan", lambda request: replies.delay(next(pages), self.empty_page(request)))
        lines = [line for line in self.logged("SELECT n FROM t") if "page 2" in line]
        self.assertEqual(len(lines), 1, lines)

    @staticmethod
    def empty_page(request):
        """Three pages."""
        page = 1 if "ExclusiveStartKey" not in request.body else int(request.body["ExclusiveStartKey"]["pk"]["S"]) + 1
        document = {"Items": [], "Count": 0, "ScannedCount": 1}
        if page < 3:
            document["LastEvaluatedKey"] = {"pk": {"S": str(page)}}
        return replies.reply(document)

    def test_index(self):
        """The line names the index."""
        shop.create(self.fx, "orders")
        self.fx.execute("SELECT FROM orders WHERE cust = ''; SET dynamo_fdw.log_min_duration = 0")
        [line] = self.logged("SELECT at FROM orders WHERE status = 'open'")
        self.assertIn("Query " + self.fx.remote("orders") + " index by_status: ", line)
        self.assertNotIn("open", line)

    def test_with_log_requests(self):
        """Together they write one line: the values of log_requests, the outcome of the slow ones."""
        self.fx.execute("SET dynamo_fdw.log_min_duration = 0; SET dynamo_fdw.log_requests = on")
        self.assertEqual(self.logged("SELECT n FROM t WHERE pk = 'secret1'"),
                         ['LOG:  dynamo_fdw: GetItem t key pk = "secret1": 1 item, 0.5 units'
                          " (N ms, status 200, attempt 1, request id R)"])
        self.fx.execute("SET dynamo_fdw.log_min_duration = '1min'")
        self.assertEqual(self.logged("SELECT n FROM t WHERE pk = 'secret1'"),
                         ['LOG:  dynamo_fdw: GetItem t key pk = "secret1": 1 item, 0.5 units (N ms)'])

    def test_throttled_attempts(self):
        """Each has a line, with its number; log_requests goes on to log the request alone."""
        self.fx.execute("SET dynamo_fdw.log_min_duration = 0")
        self.fake.on("GetItem", [replies.throttle(), replies.throttle()])
        code = "status 400, ProvisionedThroughputExceededException"
        self.assertEqual([re.search(r"\((.*), request id", line).group(1) for line in self.logged("SELECT n FROM t WHERE pk = 'secret1'")],
                         [f"N ms, {code}, attempt 1", f"N ms, {code}, attempt 2", "N ms, status 200, attempt 3"])
        self.fx.execute("SET dynamo_fdw.log_min_duration = -1; SET dynamo_fdw.log_requests = on")
        self.fake.on("GetItem", [replies.throttle(), replies.throttle()])
        [line] = self.logged("SELECT n FROM t WHERE pk = 'secret1'")
        self.assertIn("(N ms, 3 attempts)", line)

    def test_failures(self):
        """A request that fails, also without a response, and requests that are not reads."""
        self.fx.execute("SET dynamo_fdw.log_min_duration = 0")
        self.fake.on("GetItem", replies.error("AccessDeniedException", "secret0 is not yours"))
        del self.fx.conn.notices[:]
        self.fx.error("SELECT n FROM t WHERE pk = 'secret1'")
        [line] = self.fx.conn.notices
        self.assertRegex(line, r"GetItem t \([\d.]+ ms, status 400, AccessDeniedException, attempt 1, request id")
        self.assertNotIn("secret", line)
        self.fake.reset(scripts=True)
        self.fake.on("GetItem", replies.hang_before_headers())
        self.fx.execute(f"ALTER SERVER {self.server} OPTIONS (ADD max_attempts '2', ADD request_timeout '500ms')")
        self.fx.execute("SELECT FROM t WHERE pk = ''")
        del self.fx.conn.notices[:]
        self.fx.error("SELECT n FROM t WHERE pk = 'secret1'")
        self.assertRegex(self.fx.conn.notices[-1], r"GetItem t \([\d.]+ ms, timeout expired, attempt 2\)")
        self.assertRegex("".join(self.logged(f"SELECT dynamo_fdw_tables('{self.server}')")), r"ListTables \(N ms, status 200, attempt 1")

    def test_superusers(self):
        """Only they set it, and see lines of their own choice."""
        self.fx.execute("CREATE ROLE plain; SET ROLE plain")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP ROLE plain")
        self.assertEqual(self.fx.error("SET dynamo_fdw.log_min_duration = 0").sqlstate, "42501")


class WaitEvents(Faked):
    """What pg_stat_activity shows; PostgreSQL before 17 has one event for all extensions."""

    def setUp(self):
        super().setUp()
        self.pid = self.fx.value("SELECT pg_backend_pid()")
        self.watcher = self.fx.connect()
        self.addCleanup(self.watcher.close)

    def name(self, event):
        """As this server calls it."""
        return event if self.fx.conn.server_version >= 170000 else "Extension"

    def event(self):
        """Type and name of what the backend waits for."""
        with self.watcher.cursor() as cursor:
            cursor.execute("SELECT wait_event_type, wait_event FROM pg_stat_activity WHERE pid = %s", (self.pid,))
            return cursor.fetchone()

    def seen(self, event):
        """Waits until the backend waits for that."""
        until = time.monotonic() + 30
        while self.event() != ("Extension", self.name(event)):
            if time.monotonic() > until:
                self.fail(f"it waits for {self.event()}, not {event}")
            time.sleep(0.005)
        return True

    def assert_seen(self, sql, event, release):
        """The statement shows the event, before its response is released."""
        outcome = []
        thread = threading.Thread(target=lambda: outcome.append(self.fx.rows(sql)))
        thread.start()
        try:
            self.seen(event)
        finally:
            release()
            thread.join()
        self.assertEqual(len(outcome), 1)
        return outcome[0]

    def test_response(self):
        """While the response is outstanding."""
        released = threading.Event()
        self.fake.hold(lambda request: request.operation == "GetItem", lambda requests: released.is_set(), bound=30)
        self.assertEqual(self.assert_seen("SELECT n FROM t WHERE pk = 'secret1'", "DynamoFdwResponse", released.set), [(1,)])

    def test_description(self):
        """That of the table's description in the same way."""
        released = threading.Event()
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        self.fake.hold(lambda request: request.operation == "DescribeTable", lambda requests: released.is_set(), bound=30)
        self.assert_seen("SELECT n FROM t WHERE pk = 'secret1'", "DynamoFdwResponse", released.set)

    def test_throttled(self):
        """While nothing may be sent, for throttling."""
        released = threading.Event()
        self.fake.on("GetItem", lambda request: None if released.is_set() else replies.throttle())
        self.assertEqual(self.assert_seen("SELECT n FROM t WHERE pk = 'secret1'", "DynamoFdwCapacity", released.set), [(1,)])

    def test_budget(self):
        """While nothing may be sent, for a budget."""
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD max_read_units_per_second '2', ADD fetch_size '1')")
        self.assertEqual(len(self.assert_seen("SELECT n FROM t", "DynamoFdwCapacity", lambda: None)), 10)
