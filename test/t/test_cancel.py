"""Cancel, statement_timeout and terminate act wherever a statement waits, and release everything.

No time is asserted but a bound on hanging, far above what it takes.
"""
import threading
import time

import psycopg2

import fixture
import replies
from processes import descriptors_of
from server import FullListener

# Seconds until a statement counts as hanging.
BOUND = 5


class Running(threading.Thread):
    """A statement that runs next to the test on its own connection; join it with end()."""

    def __init__(self, connection, sql):
        super().__init__(daemon=True)
        self.connection, self.sql = connection, sql
        self.sqlstate = None
        self.start()

    def run(self):
        try:
            self.connection.cursor().execute(self.sql)
        except psycopg2.Error as failure:
            self.sqlstate = failure.pgcode or "gone"

    def end(self):
        """The SQLSTATE that the statement ended with, or "hangs"."""
        self.join(BOUND)
        return "hangs" if self.is_alive() else self.sqlstate


class Interrupts(fixture.TestCase):
    """A second connection runs the statements."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.full = FullListener()
        cls.addClassCleanup(cls.full.close)
        patient = {"connect_timeout": 60000, "request_timeout": 60000, "max_attempts": 100, "scan_policy": "allow"}
        cls.fx.server("fake", cls.fake.endpoint, **patient)
        cls.fx.server("busy", f"http://127.0.0.1:{cls.full.port}", **patient)
        cls.fake.table("t", ("pk", "S"), ("sk", "N"), items=[{"pk": {"S": "a"}, "sk": {"N": "1"}}])
        cls.fx.foreign_table("t", "pk text, sk integer", server="fake")
        cls.fx.foreign_table("unknown", "pk text", server="fake")
        cls.fx.foreign_table("unreachable", "pk text", server="busy")

    def setUp(self):
        self.fake.reset(scripts=True)
        self.worker = self.fx.connect()
        self.addCleanup(self.worker.close)
        self.pid = self.worker.info.backend_pid
        self.assertEqual(self.query("SELECT sk FROM t"), [(1,)])
        self.before = (self.open_by_extension(), descriptors_of(self.pid))
        self.fake.reset()

    def query(self, sql):
        """The rows on the worker's connection."""
        cursor = self.worker.cursor()
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []

    def open_by_extension(self):
        """Descriptors that the extension holds in the worker."""
        return self.query("SELECT open_fds FROM dynamo_fdw_stats()")[0][0]

    # The places where a statement waits. Each returns the statement.

    def connecting(self):
        """While the connection is made."""
        return "SELECT * FROM unreachable"

    def planning(self):
        """While the table's description is awaited."""
        self.fake.on("DescribeTable", replies.hang_before_headers())
        return "SELECT * FROM unknown"

    def awaiting_headers(self):
        """After the request, before any response."""
        self.fake.on("*", replies.hang_before_headers())
        return "SELECT * FROM t"

    def awaiting_body(self):
        """In the middle of a response that stops."""
        self.fake.on("*", replies.hang_in_body(0.5, {"Count": 1, "ScannedCount": 1, "Items": [{"pk": {"S": "a"}, "sk": {"N": "1"}}]}))
        return "SELECT * FROM t"

    def dripping_body(self):
        """In the middle of a response that comes byte by byte."""
        items = [{"pk": {"S": "a"}, "sk": {"N": str(number)}} for number in range(1000)]
        self.fake.on("*", replies.drip({"Count": 1000, "ScannedCount": 1000, "Items": items}, 1, 0.01))
        return "SELECT * FROM t"

    def backing_off(self):
        """Between attempts that are all throttled."""
        self.fake.on("*", replies.throttle())
        return "SELECT * FROM t"

    def unprocessed(self):
        """A batch whose keys are never processed."""
        self.fake.on("BatchGetItem", lambda request: {"Responses": {}, "UnprocessedKeys": request.body["RequestItems"]})
        return "SELECT * FROM t WHERE pk = 'a' AND sk IN (1, 2, 3)"

    def many_in_flight(self):
        """Sixteen requests at once, all silent."""
        self.fake.on("*", replies.hang_before_headers())
        return "SELECT * FROM t WHERE pk IN (" + ", ".join(f"'{number}'" for number in range(50)) + ")"

    def listing(self):
        """A function that requests the list of tables."""
        self.fake.on("ListTables", replies.hang_before_headers())
        return "SELECT * FROM dynamo_fdw_tables('fake')"

    def in_a_subtransaction(self):
        """Below a block that would catch other errors."""
        self.fake.on("*", replies.hang_before_headers())
        return "DO $$BEGIN BEGIN PERFORM * FROM t; EXCEPTION WHEN fdw_error THEN NULL; END; END$$"

    PLACES = (connecting, planning, awaiting_headers, awaiting_body, dripping_body, backing_off, unprocessed, many_in_flight, listing,
              in_a_subtransaction)

    def start(self, place):
        """Run the statement until it waits there."""
        running = Running(self.worker, place(self))
        deadline = time.monotonic() + BOUND
        while time.monotonic() < deadline and not self.waits(place):
            time.sleep(0.01)
        time.sleep(0.1)
        self.assertTrue(running.is_alive(), "the statement did not wait")
        return running

    def waits(self, place):
        """Has the statement reached its place, as far as can be seen from outside?"""
        if place.__name__ == "connecting":
            return self.fx.value("SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = %s", (self.pid,))
        return bool(self.fake.requests)

    def assert_as_before(self):
        """The connection works, and holds the descriptors it held."""
        self.fake.reset(scripts=True)
        self.assertEqual(self.query("SELECT sk FROM t"), [(1,)])
        self.query("SELECT dynamo_fdw_disconnect_all()")
        self.assertEqual(self.query("SELECT sk FROM t"), [(1,)])
        self.assertEqual((self.open_by_extension(), descriptors_of(self.pid)), self.before)

    def test_cancel(self):
        for place in self.PLACES:
            with self.subTest(place=place.__name__):
                running = self.start(place)
                self.assertTrue(self.fx.value("SELECT pg_cancel_backend(%s)", (self.pid,)))
                self.assertEqual(running.end(), "57014")
                self.assert_as_before()

    def test_statement_timeout(self):
        for place in self.PLACES:
            with self.subTest(place=place.__name__):
                self.query("SET statement_timeout = 200")
                self.assertEqual(Running(self.worker, place(self)).end(), "57014")
                self.query("SET statement_timeout = 0")
                self.assert_as_before()

    def test_timeout_of_a_commit(self):
        """COMMIT reads the rest of a cursor WITH HOLD, without PostgreSQL's timer of statement_timeout."""
        for place in self.PLACES:
            if place.__name__ in ("connecting", "planning", "in_a_subtransaction"):
                continue
            with self.subTest(place=place.__name__):
                sql = place(self)
                self.query("SET statement_timeout = 200")
                self.query("BEGIN")
                self.query(f"DECLARE c CURSOR WITH HOLD FOR {sql}")
                self.assertEqual(Running(self.worker, "COMMIT").end(), "57014")
                self.query("SET statement_timeout = 0")
                self.assertEqual(self.query("SELECT count(*) FROM pg_cursors"), [(0,)])
                self.assert_as_before()
        self.query("SET statement_timeout = '60s'")
        self.query("BEGIN")
        self.query("DECLARE c CURSOR WITH HOLD FOR SELECT sk FROM t")
        self.query("COMMIT")
        self.assertEqual(self.query("FETCH ALL FROM c"), [(1,)])
        self.query("CLOSE c")

    def test_timeout_of_each_statement_of_a_message(self):
        """It does not include the time of the statements before COMMIT in the same message."""
        self.query("SET statement_timeout = '3s'")
        self.query("BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT sk FROM t; SELECT pg_sleep(1.6); SELECT pg_sleep(1.6); COMMIT")
        self.assertEqual(self.query("FETCH ALL FROM c"), [(1,)])
        self.query("CLOSE c")

    def test_timeout_set_by_a_function(self):
        """FETCH from a cursor WITH HOLD is no COMMIT; a function's own statement_timeout starts no timer."""
        self.fake.on("Scan", replies.delay(0.2, {"Items": [{"pk": {"S": "a"}, "sk": {"N": "1"}}], "Count": 1, "ScannedCount": 1}))
        self.query("CREATE FUNCTION pg_temp.first() RETURNS int LANGUAGE plpgsql SET statement_timeout = 10 AS "
                   "$$ DECLARE c refcursor := 'c'; n int; BEGIN FETCH c INTO n; RETURN n; END $$")
        self.query("SET statement_timeout = 0")
        self.query("BEGIN")
        self.query("DECLARE c CURSOR WITH HOLD FOR SELECT sk FROM t")
        self.assertEqual(self.query("SELECT pg_temp.first()"), [(1,)])
        self.query("ROLLBACK")

    def test_terminate(self):
        for place in self.PLACES:
            with self.subTest(place=place.__name__):
                self.setUp()
                running = self.start(place)
                self.assertTrue(self.fx.value("SELECT pg_terminate_backend(%s)", (self.pid,)))
                self.assertIn(running.end(), ("57P01", "gone"))
                self.assertTrue(self.is_gone(self.pid))

    def is_gone(self, pid):
        """Does the backend end within the bound?"""
        deadline = time.monotonic() + BOUND
        while time.monotonic() < deadline:
            if not self.fx.rows("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (pid,)):
                return True
            time.sleep(0.01)
        return False

    def test_the_server_sees_the_client_leave(self):
        """A cancelled request is not left running: its connection is closed."""
        running = self.start(type(self).awaiting_headers)
        self.fx.value("SELECT pg_cancel_backend(%s)", (self.pid,))
        self.assertEqual(running.end(), "57014")
        deadline = time.monotonic() + BOUND
        while self.fake.open > 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.fake.open, 0)

    def test_connect_timeout(self):
        """Without anybody's help a connection that does not come about ends as the option specifies."""
        self.fx.execute("ALTER SERVER busy OPTIONS (SET connect_timeout '200', SET max_attempts '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER busy OPTIONS (SET connect_timeout '60000', SET max_attempts '100')")
        failure = self.fx.error("SELECT * FROM unreachable")
        self.assertEqual((failure.sqlstate, failure.message), ("08006", 'DescribeTable of DynamoDB table "unreachable" failed: timeout expired'))
        self.assertIn("connect_timeout", failure.hint)

    def test_rows_that_a_union_drops(self):
        """The conditions of a union are checked where no node of PostgreSQL looks for interrupts."""
        items = [{"pk": {"S": "a"}, "sk": {"N": str(number)}, "v": {"N": "2"}} for number in range(100)]
        self.fake.table("u", ("pk", "S"), ("sk", "N"), items=items, indexes=[{
            "name": "by_v", "hash": [("v", "N")], "range": [], "projection": "ALL", "local": False, "status": "ACTIVE"}])
        self.fx.foreign_table("u", 'pk text COLLATE "C" NOT NULL, sk integer NOT NULL, v integer', server="fake")
        sql = "SELECT FROM u WHERE (pk = 'a' OR v = 1) AND md5(rpad(pk, 10000000, pk)) = ''"
        self.assertIn("Union", str(self.query(f"EXPLAIN {sql}")))
        self.query("SET statement_timeout = 200")
        self.assertEqual(Running(self.worker, sql).end(), "57014")

    def test_cancel_of_a_cursor(self):
        """A cursor that waits for its next page can be cancelled."""
        pages = [[{"pk": {"S": "a"}, "sk": {"N": str(number)}}] for number in range(2)]
        self.fake.pages("t", lambda number: pages[number] if number < 2 else replies.hang_before_headers(), 3)
        self.addCleanup(setattr, self.fake.tables["t"], "pages", None)
        self.query("BEGIN")
        self.query("DECLARE c CURSOR FOR SELECT * FROM t")
        self.assertEqual(self.query("FETCH 1 FROM c"), [("a", 0)])
        running = Running(self.worker, "FETCH ALL FROM c")
        deadline = time.monotonic() + BOUND
        while len(self.fake.requests) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.fx.value("SELECT pg_cancel_backend(%s)", (self.pid,))
        self.assertEqual(running.end(), "57014")
        self.query("ROLLBACK")
        self.fake.tables["t"].pages = None
        self.assert_as_before()


class LongLists(fixture.TestCase):
    """Millions of keys are bound, and sorted, where a timeout acts."""

    def test_timeout(self):
        """statement_timeout acts while long lists become keys, complete keys, row-wise keys and filters."""
        fake = self.fx.fake("lists")
        self.addCleanup(fake.stop)
        fake.table("t", ("pk", "S"), ("sk", "N"))
        self.fx.foreign_table("t", 'pk text COLLATE "C", sk integer, v text', server="lists", scan_policy="allow")
        self.fx.execute("CREATE TABLE long AS SELECT array_agg(md5(g::text)) AS list FROM generate_series(1, 2000000) g;"
                        "SET statement_timeout = '500ms'; SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "RESET statement_timeout; RESET plan_cache_mode")
        for condition in ("pk = ANY ((SELECT list FROM long)::text[])", "pk = ANY ((SELECT list FROM long)::text[]) AND sk = 1",
                          "pk = ANY ((SELECT list FROM long)::text[]) AND pk = ANY ((SELECT list || 'x'::text FROM long)::text[])",
                          "(pk = ANY ((SELECT list FROM long)::text[]) AND sk = 1 OR pk = 'x' AND sk = 2)"):
            begun = time.monotonic()
            self.assertEqual(self.fx.error(f"SELECT count(*) FROM t WHERE {condition}").sqlstate, "57014", condition)
            self.assertLess(time.monotonic() - begun, BOUND / 2, condition)
        # comparing each element with each other one would take hours
        self.fx.execute("SET statement_timeout = '60s'")
        self.assertEqual(self.fx.rows("SELECT v FROM t WHERE v = ANY ((SELECT list FROM long)::text[])"), [])
        self.assertEqual(self.fx.rows("SELECT v FROM t WHERE v <> ALL ((SELECT list FROM long)::text[])"), [])
