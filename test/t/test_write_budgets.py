"""Budgets of write units (max_write_units_per_second): held at every moment, whatever the form of the write."""
import writes
from processes import cpu_seconds

RATE = 20


class WriteBudgets(writes.TestCase):
    """Requests of one unit each, unless they are large; a burst of one second is permitted."""

    ROWS = None

    def setUp(self):
        super().setUp()
        self.fx.proxy.reset()
        self.addCleanup(self.fx.execute, "RESET ALL")

    def budget(self, place, kind="write"):
        """Limit the server or the table."""
        self.fx.execute(f"ALTER {place} OPTIONS (ADD max_{kind}_units_per_second '{RATE}')")
        self.addCleanup(self.fx.execute, f"ALTER {place} OPTIONS (DROP max_{kind}_units_per_second)")

    def assert_held(self, operation, units, number):
        """Before each request, the others have used at most the budget of the time; the request itself may exceed it."""
        requests = [r for r in self.fx.proxy.requests if r.operation == operation]
        self.assertEqual(len(requests), number)
        began = requests[0].time
        for count, request in enumerate(requests):
            # half a second for a first request that was late
            self.assertLessEqual(count * units, RATE * (request.time - began + 1.5), f"request {count}")
        self.assertGreater(number * units, 2 * RATE)

    def test_insert_into_table(self):
        self.budget("FOREIGN TABLE far")
        self.both("INSERT INTO {t} SELECT 'i', g FROM generate_series(1, 60) g")
        self.assert_held("PutItem", 1, 60)

    def test_update_of_server(self):
        self.both("INSERT INTO {t} SELECT 'u', g FROM generate_series(1, 60) g")
        self.budget(f"SERVER {self.fx.value('SELECT srvname FROM pg_foreign_table JOIN pg_foreign_server s ON ftserver = s.oid LIMIT 1')}")
        self.both("UPDATE {t} SET note = 'x'")
        self.assert_held("UpdateItem", 1, 60)

    def test_large_items(self):
        """The first response reports what the others will cost."""
        self.budget("FOREIGN TABLE far")
        self.both("INSERT INTO {t} SELECT 'l', g, repeat('x', 9 * 1024) FROM generate_series(1, 6) g")
        self.assert_held("PutItem", 10, 6)

    def test_failed_conditions(self):
        """DynamoDB charges a write whose condition fails as if it were successful."""
        self.fx.execute("INSERT INTO far SELECT 'l', g, repeat('x', 9 * 1024) FROM generate_series(1, 6) g")
        self.fx.proxy.reset()
        self.budget("FOREIGN TABLE far")
        self.assertEqual(self.outcome("INSERT INTO far SELECT 'l', g, repeat('x', 9 * 1024) FROM generate_series(1, 6) g ON CONFLICT DO NOTHING"), (0, []))
        self.assert_held("PutItem", 10, 6)

    def test_items_read_again(self):
        """The read after a failed condition is charged to the budgets of reads, and to the limit of the statement."""
        self.budget("FOREIGN TABLE far", "read")
        delete = "DELETE FROM far WHERE id = 'none' AND n = {}"
        for no in range(60):
            self.assertEqual(self.outcome(delete.format(no)), (0, []))
        self.assertEqual({r.response["units"] for r in self.fx.proxy.requests if r.operation == "GetItem"}, {1})
        self.assert_held("GetItem", 1, 60)
        self.fx.proxy.reset()
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 0.9")
        self.assertEqual(self.fx.error(delete.format(1)).message, "statement exceeds the limit of 0.9 read units")
        self.assertEqual(self.fx.proxy.operations(), ["DeleteItem"])

    def test_sleeps(self):
        """Writes that wait for the budget use no CPU."""
        self.budget("FOREIGN TABLE far")
        pid = self.fx.value("SELECT pg_backend_pid()")
        before = cpu_seconds(pid)
        self.both("INSERT INTO {t} SELECT 's', g FROM generate_series(1, 60) g")
        self.assertLess(cpu_seconds(pid) - before, 0.5)

    def test_atomic(self):
        """The members of a transaction cost twice as much; each is charged before it is sent."""
        self.budget("FOREIGN TABLE far")
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        for first in (1, 21, 41):
            self.both(f"INSERT INTO {{t}} SELECT 'a', g FROM generate_series({first}, {first + 19}) g")
        requests = [r for r in self.fx.proxy.requests if r.operation == "TransactWriteItems"]
        self.assertEqual(len(requests), 3)
        self.assertGreater(requests[2].time - requests[0].time, 1.5)

    def test_explain(self):
        self.budget("FOREIGN TABLE far")
        self.assertRegex(self.fx.explain("INSERT INTO far VALUES ('e', 1)"),
                         rf"Write Unit Budget: {RATE} per second of the table, (shared by all sessions|for this session alone)")
