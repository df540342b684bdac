"""Tables that grant a limited number of read units per second: statements go as fast as they may, and end with all rows."""
import metering
import replies
from processes import cpu_seconds
from replies import throttle


def item(n, **more):
    """An item of the key n."""
    return {"pk": {"S": f"k{n}"}, "n": {"N": str(n)}, **more}


class Throttling(metering.TestCase):
    """A service with a budget of its own."""

    ITEMS = 400

    def setUp(self):
        super().setUp()
        self.fx.execute("SET statement_timeout = '60s'")

    def table(self, units, item_bytes, name="t", items=None, **details):
        """A table and its foreign table."""
        made = self.fake.metered(name, units, item_bytes, items=items or [item(n) for n in range(self.ITEMS)], **details)
        self.fx.foreign_table(name, "pk text, n integer", server="metered")
        return made

    def assert_paced(self, table):
        """Few requests were throttled beyond those in flight at the first refusal."""
        self.assertGreater(table.throttled + table.left, 0)
        self.assertLessEqual(table.throttled, 16 + 0.3 * table.granted + 3)

    def test_scan(self):
        """Two seconds of a small capacity."""
        table = self.table(100, 8192)
        self.assertEqual(self.fx.rows("SELECT sum(n), count(*) FROM t WHERE n >= 0"), [(sum(range(400)), 400)])
        self.assert_paced(table)

    def test_queries(self):
        """Many partitions, one request each."""
        table = self.table(60, 4096)
        keys = ",".join(f"'k{n}'" for n in range(200))
        self.assertEqual(self.fx.rows(f"SELECT count(*) FROM t WHERE pk IN ({keys})"), [(200,)])
        self.assertGreaterEqual(table.granted, 2)

    def test_batches(self):
        """Keys that are left unprocessed wait, too, and batches are as large as the pace allows."""
        table = self.table(60, 4096)
        keys = ",".join(f"'k{n}'" for n in range(300))
        self.assertEqual(self.fx.rows(f"SELECT sum(n) FROM t WHERE pk IN ({keys})"), [(sum(range(300)),)])
        self.assert_paced(table)
        sizes = [len(request.body["RequestItems"]["t"]["Keys"]) for request in self.fake.requests
                 if request.operation == "BatchGetItem"]
        self.assertLess(sizes[-1], 60)

    def test_is_reported_once(self):
        """A warning when it takes more than a second."""
        self.table(100, 8192)
        notices = self.fx.notices("SELECT sum(n) FROM t WHERE n >= 0")
        self.assertEqual(len(notices), 1, notices)
        self.assertRegex(notices[0], r'^WARNING:  DynamoDB is throttling reads of DynamoDB table "t"\nDETAIL:  The statement continues at about \d+')

    def test_two_tables(self):
        """Each has its own pace."""
        slow, fast = self.table(50, 8192, "slow"), self.table(40000, 8192, "fast")
        self.assertEqual(self.fx.rows("SELECT count(*) FROM slow JOIN fast USING (pk)"), [(400,)])
        self.assert_paced(slow)
        self.assertEqual(fast.throttled, 0)

    def test_statements_of_a_statement(self):
        """Those of a function that reads the same table go on at the pace of the statement that calls it."""
        table = self.table(60, 8192, items=[item(n) for n in range(100)])
        self.fx.execute("CREATE FUNCTION look(k text) RETURNS integer STABLE LANGUAGE plpgsql AS "
                        "'BEGIN RETURN (SELECT n FROM t WHERE pk = k); END'")
        self.addCleanup(self.fx.execute, "DROP FUNCTION look")
        self.assertEqual(self.fx.rows("SELECT sum(look(pk)), sum(n) FROM t"), [(sum(range(100)),) * 2])
        self.assert_paced(table)

    def test_statement_that_failed_in_a_statement(self):
        """What it has met is not the pace of the next one."""
        table = self.table(1000, 8192)
        self.fx.execute("ALTER SERVER metered OPTIONS (ADD throttle_timeout '300ms')")
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM t WHERE n >= 0")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.assertEqual(self.fx.rows("FETCH 1 FROM c"), [(0,)])
        self.fake.on("GetItem", throttle())
        self.fx.execute("SAVEPOINT s")
        self.assertEqual(self.fx.error("SELECT n FROM t WHERE pk = 'k7'").sqlstate, "53400")
        self.fx.execute("ROLLBACK TO s")
        self.fake.reset(scripts=True)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k7'"), [(7,)])
        self.assertEqual(self.fx.rows("SELECT sum(n) FROM t WHERE n >= 0"), [(sum(range(400)),)])
        self.assertEqual([request.body for request in self.fake.requests if "Limit" in request.body], [])
        self.assertEqual(table.throttled, 0)

    def test_throttle_timeout(self):
        """What ends a statement is time without progress; the next one begins afresh."""
        table = self.table(1000, 8192)
        self.fx.execute("ALTER SERVER metered OPTIONS (ADD throttle_timeout '300ms')")
        self.fake.on("Scan", throttle())
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual(failure.sqlstate, "53400")
        self.assertRegex(failure.message, r'^DynamoDB throttled reads of DynamoDB table "t" for 0\.\d s without returning data$')
        self.assertIn("The capacity is 1000 read units per second.", failure.detail)
        self.fake.reset(scripts=True)
        self.assertEqual(self.fx.rows("SELECT count(n) FROM t WHERE n >= 0"), [(400,)])
        self.assertEqual(table.throttled, 0)

    def test_no_attempts_and_no_quota(self):
        """A throttle takes neither."""
        self.table(100000, 400)
        self.fx.execute("ALTER SERVER metered OPTIONS (ADD max_attempts '1')")
        self.fake.on("GetItem", [throttle()] * 12)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'k7'"), [(7,)])
        self.assertEqual(len(self.fake.requests), 13 + self.fake.operations().count("DescribeTable"))
        plan = self.fx.explain("SELECT n FROM t WHERE pk = 'k7'", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertNotIn("Throttles", plan)

    def test_explain(self):
        """Shows what was throttled."""
        self.table(100000, 400)
        self.fake.on("GetItem", [throttle()] * 3)
        plan = self.fx.explain("SELECT n FROM t WHERE pk = 'k7'", "ANALYZE, TIMING OFF, SUMMARY OFF")
        self.assertRegex(plan, r"Retries: 3\n +Throttles: 3  Throttle Wait: \d+ ms")

    def test_cancelled(self):
        """In its pause; the next statement begins afresh."""
        table = self.table(1000, 8192)
        self.fake.on("Scan", throttle())
        self.fx.execute("SET statement_timeout = '700ms'")
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "57014")
        self.fx.execute("SET statement_timeout = '60s'")
        self.fake.reset(scripts=True)
        self.assertEqual(self.fx.rows("SELECT count(n) FROM t WHERE n >= 0"), [(400,)])
        self.assertEqual(table.throttled, 0)

    def test_one_hot_partition(self):
        """Only its own requests wait."""
        items = [item(n, pk={"S": f"p{n // 20}"}, sk={"N": str(n)}) for n in range(400)]
        self.fake.metered("h", 40000, 40960, 100, range_key=("sk", "N"), items=items)
        self.fx.foreign_table("h", "pk text, sk integer, n integer", server="metered")
        keys = ",".join(f"'p{n}'" for n in range(20))
        self.fake.on("Query", [replies.throttle("TableReadKeyRangeThroughputExceeded")])
        self.assertEqual(self.fx.rows(f"SELECT count(n), sum(n) FROM h WHERE pk IN ({keys}) AND n >= 0"), [(400, sum(range(400)))])

    def test_hot_partitions_of_two_statements(self):
        """What one statement has met does not make the next one slow down the entire table."""
        items = [item(n, pk={"S": f"p{n // 200}"}, sk={"N": str(n)}) for n in range(400)]
        self.fake.metered("h", 40000, 40960, range_key=("sk", "N"), items=items)
        self.fx.foreign_table("h", "pk text, sk integer, n integer", server="metered")
        self.fake.on("Query", [throttle("TableReadKeyRangeThroughputExceeded")])
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM h WHERE pk = 'p0' AND n >= 0")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.assertEqual(self.fx.rows("FETCH 1 FROM c"), [(0,)])
        self.fake.reset()
        self.fake.on("Query", [throttle("TableReadKeyRangeThroughputExceeded")])
        self.assertEqual(self.fx.rows("SELECT count(n) FROM h WHERE pk = 'p1' AND n >= 0"), [(200,)])
        self.assertEqual([request.body for request in self.fake.requests if "Limit" in request.body], [])

    def test_sleeps_while_other_responses_wait(self):
        """Lookups whose responses have come, and have no memory yet, do not keep the one that is awaited from sleeping."""
        items = [item(n, pk={"S": f"p{n // 50}"}, sk={"N": str(n)}, b={"S": "x" * 20000}) for n in range(1000)]
        self.fake.metered("h", 40000, 400, range_key=("sk", "N"), items=items, size_bytes=10 ** 11)
        self.fx.foreign_table("h", "pk text, sk integer, n integer, b text", server="metered")
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1MB'; CREATE TEMP TABLE k AS SELECT 'p' || i AS pk FROM generate_series(0, 19) i; "
                        "ANALYZE k")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.fetch_memory; DROP TABLE k")
        sql = "SELECT sum(n), sum(length(b)) FROM k JOIN h USING (pk) WHERE n >= 0"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        pid, used, throttles = self.fx.value("SELECT pg_backend_pid()"), [], iter(range(14))

        def keep_one_waiting(request):
            values = request.body["ExpressionAttributeValues"].values()
            return throttle("TableReadKeyRangeThroughputExceeded") if {"S": "p5"} in values and next(throttles, None) is not None else None
        for script in (None, keep_one_waiting):
            if script is not None:
                self.fake.on("Query", script)
            before = cpu_seconds(pid)
            self.assertEqual(self.fx.rows(sql), [(sum(range(1000)), 1000 * 20000)])
            used.append(cpu_seconds(pid) - before)
        self.assertLess(used[1], used[0] + 0.5)
