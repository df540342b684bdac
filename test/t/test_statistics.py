"""The view dynamo_fdw_statistics: what it counts equals what the service saw, over all sessions and outcomes."""
import contextlib
import json
import os
import random
import re
import signal
import threading
import time
from collections import Counter

import fake as fake_server
import fixture
import own_postgres
import psycopg2
from replies import Executed, canceled, conflict, truncate_head, delay, error, internal_error, not_json, throttle, wrong_crc, written
from replies import reply as json_reply
from tables import index


ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

RESPONSE = {"Count": 0, "ScannedCount": 0, "Items": []}


def make_tables(fake):
    """Tables named after what happens to their requests."""
    items = [{"pk": {"S": f"k{n % 5}"}, "sk": {"S": f"{n:03}"}, "g": {"S": f"g{n % 3}"}, "n": {"N": str(n)}} for n in range(60)]
    for name in ("good", "slow", "bad", "busy"):
        fake.table(name, ("pk", "S"), ("sk", "S"), [index("by_g", ("g", "S"), ("sk", "S"))], items=items, item_count=60, size_bytes=6000)


def create_foreign_tables(cursor, endpoint, options=""):
    """And the server that has them."""
    cursor.execute("CREATE SERVER fake FOREIGN DATA WRAPPER dynamo_fdw OPTIONS "
                   f"(endpoint_url '{endpoint}', region 'us-east-1', scan_policy 'allow', max_attempts '2'{options});"
                   "CREATE USER MAPPING FOR PUBLIC SERVER fake OPTIONS (access_key_id 'x', secret_access_key 'y')")
    for name in ("good", "slow", "bad", "busy"):
        cursor.execute(f"CREATE FOREIGN TABLE {name} (pk text COLLATE \"C\" NOT NULL, sk text COLLATE \"C\" NOT NULL, g text, n int) SERVER fake")


class OneSession(fixture.TestCase):
    """The columns; and without shared memory, those of the session alone."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fake_server.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        make_tables(cls.fake)
        create_foreign_tables(cls.fx.conn.cursor(), cls.fake.endpoint)
        cls.other = f"{cls.fx.database}_other"
        cls.fx.execute(f"CREATE ROLE {cls.other}; GRANT SELECT ON good TO {cls.other}; GRANT USAGE ON FOREIGN SERVER fake TO {cls.other}")
        cls.addClassCleanup(cls.fx.execute, f"DROP OWNED BY {cls.other}; DROP ROLE {cls.other}")

    def setUp(self):
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fake.reset(scripts=True)

    def counted(self, table, columns, index_name=None, user="postgres"):
        """The columns of that row."""
        rows = self.fx.rows(f"SELECT {columns} FROM dynamo_fdw_statistics WHERE server_name = 'fake' AND user_name = %s AND table_name = %s"
                            " AND index_name IS NOT DISTINCT FROM %s", (user, table, index_name))
        self.assertLessEqual(len(rows), 1)
        return rows[0] if rows else None

    def test_operations(self):
        """Each has a column; a statement counts once for each table and index that it reads."""
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        self.fx.rows("SELECT * FROM good WHERE pk = 'k1'")
        self.assertEqual(self.counted("good", "statements, requests, describe_table, query, items_read, items_returned, pages"), (1, 2, 1, 1, 12, 12, 1))
        self.fx.rows("SELECT * FROM good WHERE pk = 'k1' AND sk = '001'")
        self.fx.rows("SELECT * FROM good WHERE pk = 'k1' AND sk IN ('001', '006', '0')")
        self.fx.rows("SELECT * FROM good WHERE pk = 'k2' UNION ALL SELECT * FROM good WHERE n > 3")
        self.assertEqual(self.counted("good", "statements, get_item, batch_get_item, query, scan, other_requests"), (4, 1, 1, 2, 1, 0))

    def test_statements_in_turns(self):
        """A statement counts once, though the statements of a function read the table between its own reads."""
        self.fx.execute("CREATE FUNCTION last_of(key text) RETURNS text VOLATILE LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT max(sk) FROM good WHERE pk = key); END$$;"
                        "SET dynamo_fdw.enable_lookup_join = off; SET dynamo_fdw.enable_cached_reads = off")
        self.addCleanup(self.fx.execute, "DROP FUNCTION last_of; RESET ALL")
        self.fx.rows("SELECT (SELECT count(*) FROM good WHERE pk = k), last_of(k) FROM (VALUES ('k1'), ('k2'), ('k3')) AS v (k)")
        self.assertEqual(self.counted("good", "statements"), (4,))
        self.fx.rows("SELECT last_of(k), (SELECT count(*) FROM good WHERE pk = k) FROM (VALUES ('k1'), ('k2'), ('k3')) AS v (k)")
        self.assertEqual(self.counted("good", "statements"), (8,))

    def test_index(self):
        """Has a row of its own."""
        self.fx.rows("SELECT sk FROM good WHERE g = 'g1'")
        self.assertEqual(self.counted("good", "statements, query, items_returned", "by_g"), (1, 1, 20))
        self.assertIn(self.counted("good", "statements"), (None, (0,)))

    def test_units(self):
        """As DynamoDB reports them."""
        self.fake.on("Query", {"Count": 0, "ScannedCount": 7, "Items": [], "ConsumedCapacity": {"TableName": "good", "CapacityUnits": 3.5}})
        self.fx.rows("SELECT * FROM good WHERE pk = 'k1'")
        self.fx.rows("SELECT * FROM good WHERE pk = 'k2'")
        self.assertEqual(self.counted("good", "read_units, items_read, items_returned"), (7, 14, 0))

    def test_errors(self):
        """By class.  After an error that a changed table could explain, the request is sent once more."""
        self.fx.rows("SELECT FROM bad WHERE pk = 'k1'")
        for response, column, requests, retries in (
                (error("SerializationException", "no"), "request_errors", 1, 0), (error("ValidationException", "no"), "request_errors", 2, 0), (error("AccessDeniedException", "no"), "denied_errors", 1, 0),
                (internal_error(), "service_errors", 1, 1), (not_json(), "service_errors", 1, 1), (truncate_head(), "network_errors", 1, 1),
                (error("UnrecognizedClientException", "no"), "denied_errors", 1, None)):
            with self.subTest(column=column, response=str(response)[:60]):
                self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
                self.fake.on("Query", response)
                self.fx.error("SELECT * FROM bad WHERE pk = 'k1'")
                found = self.counted("bad", f"query, {column}, errors, retries")
                self.assertEqual(found[:3], (requests, requests, requests))
                if retries is not None:
                    self.assertEqual(found[3], retries)

    def test_unusable_responses(self):
        """They are errors, though the requests succeeded."""
        for response in ({"Count": 1}, {"Count": 1, "ScannedCount": 1, "Items": [{"pk": {"S": "k2"}, "sk": {"S": "1"}}]}):
            with self.subTest(response=response):
                self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
                self.fake.on("Query", response)
                self.fx.error("SELECT * FROM bad WHERE pk = 'k1'")
                self.assertEqual(self.counted("bad", "query, other_errors, errors, retries"), (1, 1, 1, 0))

    def test_unusable_lists_and_descriptions(self):
        self.fake.on("ListTables", {"TableNames": 5})
        self.fake.on("DescribeTable", {"Table": {}})
        self.addCleanup(self.fx.execute, "SELECT dynamo_fdw_disconnect_all()")
        for sql in ("SELECT * FROM dynamo_fdw_tables('fake')", "SELECT dynamo_fdw_disconnect_all(); SELECT * FROM bad WHERE pk = 'k1'"):
            self.fx.error(sql)
        self.assertEqual(self.fx.rows("SELECT table_name, list_tables, describe_table, other_errors, errors FROM dynamo_fdw_statistics"
                                      " WHERE server_name = 'fake' AND requests > 0 ORDER BY table_name"), [("bad", 0, 1, 1, 1), (None, 1, 0, 1, 1)])

    def test_throttles(self):
        """Attempts that were throttled are retries; a statement that gives up is an error."""
        self.fake.on("Query", [throttle(), throttle(), throttle()])
        self.fx.rows("SELECT * FROM busy WHERE pk = 'k1'")
        self.assertEqual(self.counted("busy", "query, retries, throttles, errors, capacity_wait_ms > 0"), (1, 3, 3, 0, True))
        self.fake.on("Query", throttle())
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD throttle_timeout '300ms')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP throttle_timeout)")
        self.fake.reset()
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fx.error("SELECT * FROM busy WHERE pk = 'k1'")
        attempts = self.fake.operations().count("Query")
        self.assertEqual(self.counted("busy", "query, query + retries, throttles, throttling_errors, errors"), (1, attempts, attempts, 1, 1))

    def test_canceled_pause(self):
        """A request that would have been sent again is one that was canceled."""
        self.fake.on("Query", throttle())
        self.fake.reset()
        self.fx.execute("SET statement_timeout = '400ms'")
        self.assertEqual(self.fx.error("SELECT * FROM busy WHERE pk = 'k1'").sqlstate, "57014")
        self.fx.execute("RESET statement_timeout")
        attempts = self.fake.operations().count("Query")
        self.assertEqual(self.counted("busy", "query, query + retries, canceled, errors"), (1, attempts, 1, 0))

    def test_canceled_after_a_throttled_response(self):
        """The response arrives while a function waits, and the statement ends before it takes the response in."""
        self.fx.rows("SELECT FROM busy WHERE pk = 'k1'; SELECT FROM slow WHERE pk = 'k1'")
        self.fx.execute("CREATE FUNCTION read_and_fail() RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM FROM slow WHERE pk = 'k1'; RAISE division_by_zero; END$$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION read_and_fail")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fake.reset()
        self.fake.on("Query", lambda request: delay(0.4, RESPONSE) if table_of(request) == "slow" else delay(0.1, throttle()) if "k2" in str(request.body) else None)
        self.assertEqual(self.fx.error("SELECT read_and_fail() FROM busy WHERE pk IN ('k1', 'k2')").sqlstate, "22012")
        self.assertEqual(self.counted("busy", "query, requests, retries, throttles, canceled, errors"), (2, 2, 0, 1, 1, 0))
        self.assertEqual(Counter(table_of(request) for request in self.fake.requests), {"busy": 2, "slow": 1})

    def test_key_of_an_error(self):
        """The request for the key that an error names."""
        self.fx.foreign_table("wrong", "pk text COLLATE \"C\" NOT NULL, g int", server="fake", table_name="good", max_read_units_per_second="10")
        self.fx.rows("SELECT FROM wrong WHERE pk = 'k1'")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fake.reset()
        self.fake.on("Query", Executed(lambda reply: json_reply({**reply.document, "ConsumedCapacity": {"TableName": "good", "CapacityUnits": 10}})))
        began = time.monotonic()
        for _ in range(2):
            self.assertIn('item pk = "k1", sk = "001"', self.fx.error("SELECT g FROM wrong WHERE pk = 'k1'").detail)
        self.assertGreater(time.monotonic() - began, 0.9)
        self.assertEqual(self.fake.operations(), ["Query"] * 4)
        self.assertEqual(self.counted("good", "query, pages, items_read, items_returned, read_units"),
                         (4, 4, *[sum(r.response["items"] for r in self.fake.requests)] * 2, sum(r.response["units"] for r in self.fake.requests)))

    def test_key_of_an_error_that_is_not_found(self):
        """The request for the key also counts if the item is no longer there, or the response is unusable."""
        self.fx.foreign_table("wrong", "pk text COLLATE \"C\" NOT NULL, g int", server="fake", table_name="good", max_read_units_per_second="10")
        self.fx.rows("SELECT FROM wrong WHERE pk = 'k1'")
        for again, seconds, counts_of_it in (({**RESPONSE, "ScannedCount": 7, "ConsumedCapacity": {"TableName": "good", "CapacityUnits": 20}}, 0.9, (1, 7, 0, 20, 0)),
                                             ({**RESPONSE, "Items": [5]}, 0, (0, 0, 0, 0, 1))):
            self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
            self.fake.reset(scripts=True)
            began = time.monotonic()
            self.fake.on("Query", [Executed(lambda reply: json_reply({**reply.document, "ConsumedCapacity": {"TableName": "good", "CapacityUnits": 1}})), json_reply(again)])
            self.assertNotIn('item pk', self.fx.error("SELECT g FROM wrong WHERE pk = 'k1'").detail)
            self.assertEqual(self.counted("good", "query, pages - 1, items_read - 12, items_returned - 12, read_units - 1, other_errors"), (2, *counts_of_it))
            self.assertEqual([name for name in self.fake.operations() if name != "DescribeTable"], ["Query"] * 2)
            self.fx.rows("SELECT FROM wrong WHERE pk = 'k1'")
            self.assertGreater(time.monotonic() - began, seconds)

    def test_throttled_when_there_is_enough(self):
        """Segments that ANALYZE would have requested again, until another one has used all the units: they are canceled."""
        items = [{"pk": {"S": f"k{n}"}, "sk": {"S": "0"}} for n in range(20)]
        self.fake.table("sampled", ("pk", "S"), ("sk", "S"), item_count=10**7, size_bytes=10**9)
        self.fx.foreign_table("sampled", "pk text NOT NULL, sk text NOT NULL", server="fake", table_name="sampled")
        page = delay(0.3, {"Items": items, "Count": 20, "ScannedCount": 20, "ConsumedCapacity": {"TableName": "sampled", "CapacityUnits": 10**5}})
        first = set()

        def respond(request):
            return page if request.body.get("Segment") in first or not first and not first.add(request.body.get("Segment")) else throttle()
        self.fx.rows("SELECT FROM sampled WHERE pk = 'k1'")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fake.reset()
        self.fake.on("Scan", respond)
        self.fx.execute("ANALYZE sampled")
        segments = [request.body.get("Segment") for request in self.fake.requests if request.operation == "Scan"]
        self.assertGreater(len(set(segments)), 2)
        self.assertEqual(self.counted("sampled", "scan, scan + retries, throttles, canceled, errors"),
                         (len(set(segments)), len(segments), len(segments) - 1, len(set(segments)) - 1, 0))

    def test_stream_that_was_not_sent(self):
        """It takes the place of one that was throttled when it was no longer needed, and is not counted."""
        self.fake.table("large", ("pk", "S"), ("sk", "S"), item_count=10**7, size_bytes=10**9)
        self.fx.foreign_table("orders", "pk text COLLATE \"C\" NOT NULL, a text COLLATE \"C\", b text COLLATE \"C\"", server="fake", table_name="large", key_templates='{"sk": "${a}-${b}"}')
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD max_concurrency '1'); SET statement_timeout = '400ms'; CREATE TEMP TABLE keys AS SELECT 'k' || n AS k FROM generate_series(0, 9) n; ANALYZE keys")
        self.addCleanup(self.fx.execute, f"DROP TABLE keys; ALTER SERVER fake OPTIONS (DROP max_concurrency); SET statement_timeout = '{fixture.STATEMENT_TIMEOUT}'")

        def page(n, count):
            items = [{"pk": {"S": "k0"}, "sk": {"S": f"{n}{i:06}" + "-x" * (i == count - 1)}} for i in range(count)]
            return json_reply({"Items": items, "Count": count, "ScannedCount": count, "LastEvaluatedKey": {"pk": {"S": "k0"}, "sk": {"S": f"{n}999999"}}})
        sql = "SELECT k FROM keys WHERE EXISTS (SELECT FROM orders WHERE pk = k)"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        for _ in range(6):      # the page may be used up before the throttled response arrives
            self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
            self.fake.reset()
            self.fake.on("Query", [page(0, 0), page(1, 0), page(2, 20000), throttle(), *[delay(5)] * 9])
            self.assertEqual(self.fx.error(sql).sqlstate, "57014")
            sent = [str(r.body) for r in self.fake.requests if r.operation == "Query"]
            self.assertEqual(self.counted("large", "query + retries, canceled"), (len(sent), len(set(sent)) - 3))

    def test_waiting(self):
        """The time of each response is one of a request, and of the session that waits for it."""
        self.fx.rows("SELECT FROM slow WHERE pk = 'k1'")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fake.on("Query", [delay(0.3, RESPONSE), delay(0.2, RESPONSE)])
        self.fx.rows("SELECT * FROM slow WHERE pk = 'k1'; SELECT * FROM slow WHERE pk = 'k2'")
        request, slowest, wait, capacity = self.counted("slow", "request_ms, slowest_ms, wait_ms, capacity_wait_ms")
        self.assertGreaterEqual(request, 500)
        self.assertTrue(300 <= slowest <= request - 200, (slowest, request))
        self.assertTrue(450 <= wait <= request, (wait, request))
        self.assertEqual(capacity, 0)

    def test_waiting_for_a_description(self):
        """The session waits for it, too."""
        self.fake.on("DescribeTable", Executed(lambda reply: delay(0.3, reply)))
        self.fx.rows("SELECT dynamo_fdw_disconnect_all(); SELECT FROM slow WHERE pk = 'k1'")
        self.assertEqual(self.counted("slow", "wait_ms BETWEEN 300 AND request_ms + 50, describe_table, canceled"), (True, 1, 0))

    def test_capacity_wait(self):
        """It is a part of the time that a session waits, but not of a request: a throttled attempt, and a budget."""
        self.fx.rows("SELECT FROM slow WHERE pk = 'k1'; SELECT FROM busy WHERE pk = 'k1'")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset(); ALTER FOREIGN TABLE slow OPTIONS (ADD max_read_units_per_second '10')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE slow OPTIONS (DROP max_read_units_per_second)")
        self.fake.on("Query", {**RESPONSE, "ConsumedCapacity": {"TableName": "slow", "CapacityUnits": 15}})
        self.fx.rows("SELECT * FROM slow WHERE pk = 'k1'; SELECT * FROM slow WHERE pk = 'k2'")
        wait, capacity = self.counted("slow", "wait_ms, capacity_wait_ms")
        self.assertTrue(300 <= capacity <= wait, (capacity, wait))      # 5 units too many, at 10 a second
        self.fake.on("Query", [throttle(), delay(0.2, RESPONSE)])
        self.fx.rows("SELECT * FROM busy WHERE pk = 'k1'")
        request, wait, capacity = self.counted("busy", "request_ms, wait_ms, capacity_wait_ms")
        self.assertTrue(0 < capacity and 150 <= wait - capacity <= request, (capacity, wait, request))

    def test_canceled(self):
        """A request in flight when the statement ends."""
        self.fake.on("Query", delay(5))
        self.fx.execute("SET statement_timeout = '300ms'")
        self.addCleanup(self.fx.execute, f"SET statement_timeout = '{fixture.STATEMENT_TIMEOUT}'")
        self.fx.error("SELECT * FROM slow WHERE pk = 'k1'")
        self.fx.execute("RESET statement_timeout")
        self.assertEqual(self.counted("slow", "query, canceled, errors, wait_ms > 200, capacity_wait_ms, request_ms > 200, slowest_ms > 200"),
                         (1, 1, 0, True, 0, True, True))

    def test_canceled_capacity_wait(self):
        """Sessions that wait for a budget when the statement ends."""
        self.fx.rows("SELECT FROM slow WHERE pk = 'k1'")
        self.fx.execute("ALTER FOREIGN TABLE slow OPTIONS (ADD max_read_units_per_second '1')")
        self.addCleanup(self.fx.execute, f"ALTER FOREIGN TABLE slow OPTIONS (DROP max_read_units_per_second); SET statement_timeout = '{fixture.STATEMENT_TIMEOUT}'")
        self.fake.on("Query", {**RESPONSE, "ConsumedCapacity": {"TableName": "slow", "CapacityUnits": 9}})
        self.fx.rows("SELECT * FROM slow WHERE pk = 'k1'")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset(); SET statement_timeout = '80ms'")     # shorter than one sleep
        for _ in range(6):
            self.assertEqual(self.fx.error("SELECT * FROM slow WHERE pk = 'k1'").sqlstate, "57014")
        self.fx.execute("RESET statement_timeout")
        self.assertEqual(self.counted("slow", "requests, wait_ms > 200, wait_ms = capacity_wait_ms"), (0, True, True))

    def test_users(self):
        """Each has rows of their own, and sees only those, unless they may read all statistics."""
        self.fx.rows("SELECT FROM good WHERE pk = 'k1'")
        self.fx.execute(f"SET ROLE {self.other}")
        self.addCleanup(self.fx.execute, "RESET ROLE")
        self.fx.rows("SELECT FROM good WHERE pk = 'k1'")
        seen = "SELECT user_name FROM dynamo_fdw_statistics WHERE table_name = 'good' AND query > 0 ORDER BY 1"
        self.assertEqual(self.fx.rows(seen), [(self.other,)])
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_statistics_reset()").sqlstate, "42501")
        self.fx.execute(f"RESET ROLE; GRANT pg_read_all_stats TO {self.other}; SET ROLE {self.other}")
        self.assertEqual(sorted(self.fx.rows(seen)), sorted([(self.other,), ("postgres",)]))

    def test_reset(self):
        """Begins again, and shows since when."""
        self.fx.rows("SELECT FROM good WHERE pk = 'k1'")
        (first,) = self.counted("good", "since")
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.assertIsNone(self.counted("good", "1"))
        self.fx.rows("SELECT FROM good WHERE pk = 'k1'")
        self.assertEqual(self.counted("good", "query, since > %s::timestamptz" % f"'{first}'"), (1, True))

    def test_scope(self):
        """Names whose requests they are."""
        self.fx.rows("SELECT FROM good WHERE pk = 'k1'")
        self.assertEqual(self.counted("good", "scope"), ("all sessions" if self.fx.conn.server_version >= 170000 else "this session",))

    def test_dropped_server(self):
        """Its rows stay, without its name."""
        self.fx.execute(f"CREATE SERVER gone FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.fake.endpoint}', region 'us-east-1');"
                        "CREATE USER MAPPING FOR PUBLIC SERVER gone OPTIONS (access_key_id 'x', secret_access_key 'y')")
        self.fx.rows("SELECT * FROM dynamo_fdw_tables('gone')")
        self.fx.execute("DROP SERVER gone CASCADE")
        self.assertEqual(self.fx.rows("SELECT server_name, table_name, list_tables FROM dynamo_fdw_statistics WHERE serverid NOT IN (SELECT oid FROM pg_foreign_server)"
                                      " AND list_tables > 0"), [(None, None, 1)])

    def test_long_names(self):
        """A name that is too long is truncated between two characters."""
        self.fx.error("SELECT * FROM dynamo_fdw_describe('fake', repeat('é', 150))")
        self.assertEqual(self.counted("é" * 127, "describe_table, request_errors"), (1, 1))

    def test_entries_are_bounded(self):
        """The one that was idle for the longest time is closed, and is counted."""
        for n in range(520):
            self.fx.error(f"SELECT * FROM dynamo_fdw_describe('fake', 'no{n}')")
        count, first, replaced = self.fx.rows("SELECT count(*), bool_or(table_name = 'no0'), max(replaced_entries) FROM dynamo_fdw_statistics")[0]
        self.assertEqual((count <= 500, first, replaced >= 20), (True, False, True))
        self.assertEqual(self.counted("no519", "describe_table, request_errors"), (1, 1))


class OtherEncoding(fixture.TestCase):
    """A database whose encoding is not UTF8."""

    @classmethod
    def setUpClass(cls):
        cls.fx = fixture.Fixture(cls.__name__, "LATIN1")
        cls.addClassCleanup(cls.fx.close)

    def test_long_names(self):
        """A name that is too long is truncated between two characters here, too."""
        with fake_server.FakeDynamo() as fake:
            create_foreign_tables(self.fx.conn.cursor(), fake.endpoint)
            self.fx.error("SELECT * FROM dynamo_fdw_describe('fake', repeat('é', 150))")
        self.assertEqual(self.fx.rows("SELECT table_name FROM dynamo_fdw_statistics WHERE describe_table = 1"), [("é" * 127,)])


class Writes(fixture.TestCase):
    """Writes of each operation, on DynamoDB Local."""

    COLUMNS = "put_item, update_item, delete_item, transact_write_items, get_item, query, requests, items_written, write_units, conflicts, failed_conditions, errors"

    def setUp(self):
        self.fx.create_table("w", ("pk", "S"))
        self.addCleanup(self.fx.dynamo.drop_table, self.fx.remote("w"))
        self.fx.foreign_table("w", "pk text COLLATE \"C\" NOT NULL, n int", updatable="on", scan_policy="allow")
        self.fx.rows("SELECT FROM w WHERE pk = 'x'")

    def assertCounts(self, sql, **expected):
        """These counts, and 0 for the others."""
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fx.proxy.reset()
        try:
            self.fx.rows(sql)
        except psycopg2.errors.UniqueViolation:
            pass
        row = self.fx.rows(f"SELECT {self.COLUMNS} FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),))[0]
        found = dict(zip(self.COLUMNS.split(", "), row))
        self.assertEqual({name: value for name, value in found.items() if value}, {**expected, "requests": len(self.fx.proxy.requests)})
        reads = [r.response for r in self.fx.proxy.requests if r.operation == "GetItem"]
        self.assertEqual(self.fx.rows("SELECT items_read, items_returned, read_units FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),)),
                         [(*[sum(reply["items"] for reply in reads)] * 2, sum(reply["units"] for reply in reads))])

    def test_operations(self):
        """What DynamoDB confirmed, and conditions that failed."""
        self.assertCounts("INSERT INTO w SELECT 'k' || g, g FROM generate_series(1, 5) g", put_item=5, items_written=5, write_units=5)
        self.assertCounts("INSERT INTO w VALUES ('k1', 2)", put_item=1, failed_conditions=1)
        self.assertCounts("INSERT INTO w VALUES ('k1', 2), ('k7', 7) ON CONFLICT DO NOTHING", put_item=2, items_written=1, write_units=1, failed_conditions=1)
        self.assertCounts("UPDATE w SET n = 9 WHERE pk = 'k1'", update_item=1, items_written=1, write_units=1)
        self.assertCounts("UPDATE w SET n = n + 1 WHERE pk = 'k1'", get_item=1, update_item=1, items_written=1, write_units=1)
        self.assertCounts("DELETE FROM w WHERE pk = 'none'", delete_item=1, get_item=1, failed_conditions=1)
        self.assertCounts("DELETE FROM w WHERE pk = 'k2'", delete_item=1, items_written=1, write_units=1)
        self.assertCounts("SET dynamo_fdw.write_mode = atomic; INSERT INTO w VALUES ('a', 1), ('b', 2); RESET dynamo_fdw.write_mode", transact_write_items=1, items_written=2, write_units=2)

    def test_items_read_again(self):
        """The item, where the response to a failed condition does not have it."""
        self.fx.execute("INSERT INTO w VALUES ('k1', 1)")
        self.fx.proxy.on("UpdateItem", [error("ConditionalCheckFailedException", "The conditional request failed")])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertCounts("UPDATE w SET n = n + 1 WHERE pk = 'k1'", get_item=2, update_item=2, items_written=1, write_units=1, failed_conditions=1)
        self.assertEqual(self.fx.value("SELECT n FROM w WHERE pk = 'k1'"), 2)

    def test_canceled_pause(self):
        """A write that would have been sent again is one that was canceled."""
        for response in (throttle(), internal_error()):
            self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
            self.fx.proxy.reset()
            self.fx.proxy.on("PutItem", response)
            self.addCleanup(self.fx.proxy.reset, scripts=True)
            self.fx.execute("SET statement_timeout = '200ms'")
            self.assertEqual(self.fx.error("INSERT INTO w VALUES ('p', 1)").sqlstate, "57014")
            self.fx.execute("RESET statement_timeout")
            self.assertEqual(self.fx.rows("SELECT put_item, put_item + retries, canceled, errors FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),)),
                             [(1, len(self.fx.proxy.requests), 1, 0)])

    def assertRow(self, columns, expected):
        """The counts of the table, which the sums of requests and retries compare with what the proxy has seen."""
        sent = sum(operation in ("PutItem", "TransactWriteItems") for operation in self.fx.proxy.operations())
        self.assertEqual(self.fx.rows(f"SELECT put_item + transact_write_items + retries, {columns} FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),)),
                         [(sent, *expected)])

    def outcome(self, sql):
        """SQLSTATE, or None."""
        try:
            self.fx.execute(sql)
        except psycopg2.Error as failure:
            return failure.pgcode
        return None

    @contextlib.contextmanager
    def responding(self, operation, responses, timeout=fixture.STATEMENT_TIMEOUT, **options):
        """Within the block, the proxy responds with these."""
        self.fx.execute("".join(f"ALTER SERVER ddb OPTIONS (ADD {name} '{value}');" for name, value in options.items()) + "DELETE FROM w")
        self.fx.proxy.reset()
        self.fx.proxy.on(operation, responses)
        self.fx.execute(f"SELECT dynamo_fdw_statistics_reset(); SET statement_timeout = '{timeout}'")
        try:
            yield
        finally:
            self.fx.proxy.reset(scripts=True)
            self.fx.execute("RESET statement_timeout;" + "".join(f"ALTER SERVER ddb OPTIONS (DROP {name});" for name in options))

    def test_canceled_transactions(self):
        """By their reasons: throttled and conflicting ones are repeated, and count as the same writes alone do."""
        columns = "transact_write_items, throttles, failed_conditions, throttling_errors, request_errors, errors, canceled, items_written"
        none, full, busy, locked = "None", "ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"
        self.fx.execute("SET dynamo_fdw.write_mode = atomic")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        for responses, options, sqlstate, expected in (
                ([canceled(none, busy), canceled(full, none), canceled(busy, locked)], {}, None, (1, 3, 0, 0, 0, 0, 0, 2)),
                ([canceled(locked, none), canceled(none, busy)], {}, None, (1, 1, 0, 0, 0, 0, 0, 2)),
                ([conflict()], {}, None, (1, 0, 0, 0, 0, 0, 0, 2)),
                (canceled(locked, none), {"max_attempts": 3}, "40001", (1, 0, 1, 0, 0, 0, 0, 0)),
                (canceled(none, full), {"throttle_timeout": "300ms"}, "53400", (1, None, 0, 1, 0, 1, 0, 0)),
                (canceled(none, "ValidationError"), {}, "HV000", (1, 0, 0, 0, 1, 1, 0, 0)),
                (canceled(none, "ConditionalCheckFailed"), {}, "23505", (1, 0, 1, 0, 0, 0, 0, 0)),
                (canceled(full, "ConditionalCheckFailed"), {}, "23505", (1, 0, 1, 0, 0, 0, 0, 0)),
                (canceled(none, none), {}, "40001", (1, 0, 1, 0, 0, 0, 0, 0)),
                (canceled(none, busy), {"timeout": "250ms"}, "57014", (1, None, 0, 0, 0, 0, 1, 0)),
                (canceled(none, locked), {"max_attempts": 100, "timeout": "250ms"}, "57014", (1, 0, 0, 0, 0, 0, 1, 0))):
            with self.subTest(responses=str(responses)[-150:], options=options), self.responding("TransactWriteItems", responses, **options):
                self.assertEqual(self.outcome("INSERT INTO w VALUES ('t1', 1), ('t2', 2)"), sqlstate)
                self.fx.execute("RESET statement_timeout")
                self.assertRow(columns if expected[1] is not None else columns.replace("throttles", "nullif(throttles BETWEEN retries + errors AND retries + errors + canceled, true)"), expected)

    def test_unusable_responses(self):
        """The attempts are repeated, and a write whose last one has none is an error."""
        columns = "put_item, unanswered, other_errors, errors, canceled, items_written"
        html, other, damaged = not_json(status=200), json_reply({}), wrong_crc(written("w"))
        for responses, options, sqlstate, expected in (([html, other, damaged], {}, None, (1, 3, 0, 0, 0, 1)),
                                                       (html, {"max_attempts": 2}, "08007", (1, 2, 1, 1, 0, 0)),
                                                       ([damaged] * 3, {"max_attempts": 3}, "08007", (1, 3, 1, 1, 0, 0)),
                                                       (other, {"max_attempts": 100, "timeout": "250ms"}, "57014", (1, None, 0, 0, 1, 0))):
            with self.subTest(responses=str(responses)[:150], options=options), self.responding("PutItem", responses, **options):
                self.assertEqual(self.outcome("INSERT INTO w VALUES ('u', 1)"), sqlstate)
                self.fx.execute("RESET statement_timeout")
                self.assertRow(columns if expected[1] is not None else columns.replace("unanswered", "nullif(unanswered, retries + 1)"), expected)

    def test_writes_after_a_failure(self):
        """Those that the statement would have sent again, but for the failure of another one: they are canceled."""
        for response in (throttle(), internal_error(), not_json(status=200)):
            with self.subTest(response=response), self.responding("PutItem", lambda request, last=response: delay(0.1, error("ValidationException", "no"))
                                                                  if request.body["Item"]["pk"]["S"] == "a1" else delay(0.3, last)):
                self.assertEqual(self.outcome("INSERT INTO w SELECT 'a' || g, g FROM generate_series(1, 3) g"), "HV000")
                self.assertRow("put_item, throttles, unanswered, request_errors, errors, canceled", (3, *((2, 0) if response == throttle() else (0, 2)), 1, 1, 2))

    def test_several_failures_of_a_suspended_statement(self):
        """Writes that fail while a function waits for them; the statement reports the first one."""
        self.fx.execute("CREATE FUNCTION seen(n int) RETURNS int LANGUAGE plpgsql AS $$BEGIN IF n = 4 THEN PERFORM FROM w WHERE pk = 'x'; END IF; RETURN n; END$$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION seen(int)")
        for response, options, sqlstate, column in ((throttle(), {"throttle_timeout": "300ms"}, "53400", "throttling_errors"),
                                                    (internal_error(), {"max_attempts": 2}, "08007", "service_errors")):
            with self.subTest(response=response), self.responding("PutItem", delay(0.1, response), **options):
                self.assertEqual(self.outcome("INSERT INTO w SELECT 's' || g, seen(g) FROM generate_series(1, 4) g"), sqlstate)
                puts = {request.body["Item"]["pk"]["S"] for request in self.fx.proxy.requests if request.operation == "PutItem"}
                self.assertGreater(len(puts), 1)
                self.assertRow(f"put_item, {column} + canceled, {column} > 1", (len(puts), len(puts), True))

    def test_canceled_after_a_response(self):
        """The response arrives while a function waits, and the statement ends before it takes the response in."""
        self.fx.execute("CREATE FUNCTION read_and_fail(n int) RETURNS int LANGUAGE plpgsql AS $$BEGIN IF n = 2 THEN "
                        f"PERFORM FROM dynamo_fdw_describe('ddb', '{self.fx.remote('w')}'); RAISE division_by_zero; END IF; RETURN n; END$$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION read_and_fail")
        self.fx.proxy.on("DescribeTable", Executed(lambda reply: delay(0.4, reply)))
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        for response in (throttle(), internal_error()):
            self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
            self.fx.proxy.reset()
            self.fx.proxy.on("PutItem", delay(0.1, response))
            self.assertEqual(self.fx.error("INSERT INTO w SELECT 'p' || g, read_and_fail(g) FROM generate_series(1, 2) g").sqlstate, "22012")
            self.assertEqual(self.fx.rows("SELECT put_item, retries, canceled, errors FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),)), [(1, 0, 1, 0)])
            self.assertEqual(self.fx.proxy.operations().count("PutItem"), 1)

    def test_waiting_in_a_function(self):
        """A statement of a function waits for the writes of the statement that calls it."""
        self.fx.execute("CREATE FUNCTION found(v int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN v + count(*) FROM w WHERE pk = 'x1'; END$$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION found(int)")
        self.fx.proxy.on("PutItem", Executed(lambda reply: delay(0.3, reply)))
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("SELECT dynamo_fdw_statistics_reset(); INSERT INTO w SELECT 'x' || g, found(g) FROM generate_series(1, 2) g")
        self.assertEqual(self.fx.rows("SELECT pk, n FROM w WHERE pk LIKE 'x%' ORDER BY pk"), [("x1", 1), ("x2", 3)])
        self.assertGreater(self.fx.value("SELECT wait_ms FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),)), 550)

    def test_reset_during_a_pause(self):
        """The retry that an abandoned pause takes back is no longer there, and no count becomes negative."""
        self.fx.proxy.on("PutItem", lambda request: internal_error() if request.body["Item"]["pk"]["S"] == "p1" else None)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        # rows are sent until the first one's retry has its response: it pauses when the counts are reset, and is abandoned before another request
        self.fx.execute("CREATE FUNCTION fail_after_a_retry(n int) RETURNS int LANGUAGE plpgsql AS $$BEGIN "
                        f"IF EXISTS (SELECT FROM dynamo_fdw_statistics WHERE table_name = '{self.fx.remote('w')}' AND retries > 0) THEN "
                        "PERFORM dynamo_fdw_statistics_reset(); RAISE division_by_zero; END IF; RETURN n; END$$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION fail_after_a_retry(int)")
        self.assertEqual(self.fx.error("INSERT INTO w SELECT 'p' || g, fail_after_a_retry(g) FROM generate_series(1, 1000000) g").sqlstate, "22012")
        self.assertEqual(self.fx.rows("SELECT canceled > 0, retries FROM dynamo_fdw_statistics WHERE table_name = %s", (self.fx.remote("w"),)), [(True, 0)])


class Dashboard(fixture.TestCase):
    """The samples, the panels and the alerts of docs/monitoring.md, with traffic of all kinds."""

    def blocks(self):
        """The page's statements after those of the view, without pg_cron."""
        with open(os.path.join(ROOT, "docs", "monitoring.md"), encoding="utf-8") as page:
            text = page.read()
        return [sql for sql in re.findall(r"^```sql\n(.*?)^```$", text[text.index("## Samples"):], re.M | re.S) if "cron." not in sql]

    def traffic(self, fake):
        """Reads, a Scan, an error, throttled attempts."""
        self.fx.rows("SELECT * FROM good WHERE pk = 'k1'")
        self.fx.rows("SELECT * FROM good WHERE n > 3")
        fake.on("Query", [error("SerializationException", "no"), throttle(), throttle()])
        self.fx.error("SELECT * FROM bad WHERE pk = 'k1'")
        self.fx.rows("SELECT * FROM busy WHERE pk = 'k1'")

    def test_panels_and_alerts(self):
        """Each panel has a value for each sample but the first, also for a new table; each alert finds what it is made for, once it has happened."""
        fake = fake_server.FakeDynamo().start()
        self.addCleanup(fake.stop)
        make_tables(fake)
        create_foreign_tables(self.fx.conn.cursor(), fake.endpoint)
        self.traffic(fake)
        *definitions, throttled, failed, scanned = self.blocks()
        for sql in definitions:
            self.fx.execute(sql)
        for sql in (throttled, failed, scanned):
            self.assertEqual(self.fx.rows(sql), [])
        self.fx.execute("DELETE FROM dynamo_fdw_samples WHERE table_name = 'busy'")     # as if it were new
        self.traffic(fake)
        self.fx.execute("CALL take_dynamo_fdw_sample()")
        self.assertEqual([row[:2] for row in self.fx.rows(throttled)], [("fake", "busy")])
        self.assertEqual([row[:2] for row in self.fx.rows(failed)], [("fake", "bad")])
        self.assertEqual([row[1:3] for row in self.fx.rows(scanned.replace("10000", "0.1"))], [("fake", "good")])
        with open(os.path.join(ROOT, "docs", "grafana-dashboard.json"), encoding="utf-8") as file:
            panels = json.load(file)["panels"]
        self.assertGreater(len(panels), 6)
        for panel in panels:
            (target,) = panel["targets"]
            with self.subTest(panel["title"]), self.fx.conn.cursor() as cursor:
                cursor.execute(target["rawSql"].replace("$__timeFilter(at)", "at BETWEEN now() - interval '1 hour' AND now()"))
                self.assertEqual([column.name for column in cursor.description], ["time", "metric", "value"])
                rows = cursor.fetchall()
                self.assertEqual(len({row[0] for row in rows}), 1)
                self.assertTrue({"fake / good", "fake / bad", "fake / busy"} <= {row[1] for row in rows} or panel["title"] == "Scans by user")
                self.assertEqual(any((row[2] or 0) > 0 for row in rows), panel["title"] != "Write units per second")

    def test_alert_of_throttled_attempts(self):
        """Of the attempts, those that end a request included; of each server alone, since servers may have tables of the same name.  It reads the last samples only."""
        *definitions, throttled, _, _ = self.blocks()
        self.fx.execute("CREATE SCHEMA own; SET search_path = own, public")
        self.addCleanup(self.fx.execute, "DROP SCHEMA own CASCADE; RESET search_path")
        for sql in definitions:
            self.fx.execute(sql)
        self.fx.execute("INSERT INTO dynamo_fdw_samples (at, server_name, serverid, userid, table_name, requests, retries, throttles, since)"
                        " SELECT now() - minute * interval '1 minute', server, hashtext(server)::oid, 10, 't', 1000 * (2001 - minute), 0,"
                        " CASE WHEN minute = 0 THEN throttles ELSE 0 END, now() - interval '3 days'"
                        " FROM generate_series(0, 2000) minute, (VALUES ('none', 0), ('few', 245), ('many', 255)) AS v (server, throttles);"
                        "ANALYZE dynamo_fdw_samples")
        self.assertEqual(self.fx.rows(throttled), [("many", "t", 255, 5000)])
        self.assertNotRegex(self.fx.explain(throttled), "Seq Scan|WindowAgg")
        # after two samples at the same time, an increase counts once
        self.fx.execute("INSERT INTO dynamo_fdw_samples SELECT * FROM dynamo_fdw_samples WHERE at = (SELECT max(at) FROM dynamo_fdw_samples WHERE at < (SELECT max(at) FROM dynamo_fdw_samples))")
        self.assertEqual(self.fx.rows("SELECT DISTINCT count(*) FROM dynamo_fdw_increases WHERE at = (SELECT max(at) FROM dynamo_fdw_samples) GROUP BY server_name"), [(1,)])


# Columns with the sums of what the service saw.
COUNTED = ("get_item", "batch_get_item", "query", "scan", "describe_table", "put_item", "update_item", "delete_item", "transact_write_items",
           "requests", "retries", "throttles", "items_read", "items_returned", "items_written", "read_units", "write_units", "request_errors", "canceled")


def table_of(request):
    """The table of a request of any operation."""
    body = request.body
    if "TransactItems" in body:
        body = next(iter(body["TransactItems"][0].values()))
    return body.get("TableName") or next(iter(body.get("RequestItems", {None: None})))


def column_of(operation):
    """GetItem is counted in get_item."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", operation).lower()


def counts(requests):
    """What the view must show of these requests; a throttled attempt is followed by another one."""
    found = Counter()
    for request in requests:
        failure = request.response.get("error")
        if failure == "ProvisionedThroughputExceededException":
            found.update(retries=1, throttles=1)
            continue
        found.update(["requests", column_of(request.operation)])
        if failure:
            found["request_errors"] += 1
        elif request.is_write():
            found.update(items_written=len(request.body.get("TransactItems", "1")), write_units=request.response["units"])
        elif table_of(request) == "slow" and request.operation == "Query":
            found["canceled"] += 1
        elif request.operation != "DescribeTable":
            scanned, items = request.response["ScannedCount"], request.response["items"]
            found.update(items_read=items if scanned is None else scanned, items_returned=request.response["Count"] or items, read_units=request.response["units"])
    return {name: found[name] for name in COUNTED}


class AllSessions(own_postgres.TestCase):
    """Shared memory of a server that loaded the library when it started."""

    SESSIONS = 16
    SETTINGS = "-c shared_preload_libraries=dynamo_fdw"

    def setUp(self):
        self.fake = fake_server.FakeDynamo().start()
        self.addCleanup(self.fake.stop)
        make_tables(self.fake)
        self.start_postgres(self.SETTINGS)
        self.cursor = self.connect().cursor()
        self.cursor.execute("CREATE EXTENSION dynamo_fdw")
        create_foreign_tables(self.cursor, self.fake.endpoint, ", updatable 'on'")
        self.cursor.execute("CREATE ROLE reporter LOGIN; GRANT ALL ON good, slow, bad, busy TO reporter;"
                            "CREATE USER MAPPING FOR reporter SERVER fake OPTIONS (access_key_id 'reporter', secret_access_key 'z')")

    def respond(self, request):
        """By the table; half of the attempts at "busy" are throttled.  The others use more units than one has items."""
        table = table_of(request)
        if table == "slow":
            return delay(30)
        if table == "bad":
            return error("ValidationException", "no")
        if table == "busy" and random.random() < 0.5:
            return throttle()
        return Executed(lambda reply: json_reply({**reply.document, "ConsumedCapacity": {"TableName": table, "CapacityUnits": 1.5 * (reply.document.get("ScannedCount") or 1)}}))

    def script(self):
        """How the service responds to reads and writes."""
        for operation in ("Query", "Scan", "GetItem"):
            self.fake.on(operation, self.respond)
        for operation, units in (("PutItem", 1), ("UpdateItem", 2.5), ("DeleteItem", 4)):
            self.fake.on(operation, written("good", units))
        self.fake.on("TransactWriteItems", json_reply({"ConsumedCapacity": [{"TableName": "good", "CapacityUnits": 6}]}))

    def work(self, connection, seed):
        """Statements of all outcomes, in a random order; the session ends with the last one."""
        generator = random.Random(seed)
        cursor = connection.cursor()
        statements = ["SELECT * FROM good WHERE pk = 'k1'", "SELECT * FROM good WHERE pk = 'k1' AND sk = '001'", "SELECT sk FROM good WHERE g = 'g1'",
                      "SELECT count(*) FROM good WHERE n > 3", "SELECT * FROM bad WHERE pk = 'k1'", "SELECT * FROM busy WHERE pk = 'k3'",
                      "SELECT * FROM good WHERE pk = 'k1' AND sk IN ('001', '006')", "SELECT * FROM slow WHERE pk = 'k1'",
                      "INSERT INTO good VALUES ('new', '1', 'g1', 1), ('new', '2', 'g1', 2)", "UPDATE good SET n = n + 1 WHERE pk = 'k1' AND sk = '001'",
                      "DELETE FROM good WHERE pk = 'k1' AND sk = '006'",
                      "SET dynamo_fdw.write_mode = atomic; INSERT INTO good VALUES ('new', '3', 'g1', 3), ('new', '4', 'g1', 4);"
                      "RESET dynamo_fdw.write_mode"] * 3
        generator.shuffle(statements)
        for sql in statements:
            try:
                cursor.execute(f"SET statement_timeout = '{'400ms' if 'slow' in sql else '60s'}'")
                cursor.execute(sql)
            except (psycopg2.errors.QueryCanceled, psycopg2.errors.FdwError, psycopg2.errors.FdwUnableToCreateExecution):
                pass

    def check(self):
        """The view shows what the service saw of each table and index, from each user."""
        self.cursor.execute(f"SELECT user_name, table_name, index_name, {', '.join(COUNTED)} FROM dynamo_fdw_statistics WHERE scope = 'all sessions' AND table_name IS NOT NULL")
        found = {row[:3]: dict(zip(COUNTED, row[3:])) for row in self.cursor.fetchall()}
        seen = {}
        for request in self.fake.requests:
            user = "reporter" if "Credential=reporter/" in request.headers["authorization"] else "postgres"
            seen.setdefault((user, table_of(request), request.body.get("IndexName")), []).append(request)
        self.assertEqual(len(seen), 10)
        self.assertEqual(set(found), set(seen))
        for key, requests in seen.items():
            with self.subTest(key):
                self.assertEqual(found[key], counts(requests))

    def test_sixteen(self):
        """With errors, throttling, cancellation, and a session that is terminated in the middle."""
        self.script()
        connections = [self.connect("reporter" if n % 2 else "postgres") for n in range(self.SESSIONS)]
        threads = [threading.Thread(target=self.work, args=(connection, seed)) for seed, connection in enumerate(connections)]
        for thread in threads:
            thread.start()
        victim = self.connect()
        waiting = threading.Thread(target=self.wait_for_ever, args=(victim,))
        waiting.start()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not any(r.body.get("KeyConditionExpression") and "ever" in str(r.body) for r in self.fake.requests):
            time.sleep(0.02)
        self.cursor.execute("SELECT pg_terminate_backend(%s, 10000)", (victim.info.backend_pid,))
        for thread in [*threads, waiting]:
            thread.join()
        self.check()

    def test_terminated(self):
        """A session that is terminated while it waits for the description of a table."""
        self.fake.on("DescribeTable", delay(30))
        victim = self.connect()
        waiting = threading.Thread(target=self.wait_for_ever, args=(victim,))
        waiting.start()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.fake.requests:
            time.sleep(0.02)
        time.sleep(0.6)
        self.cursor.execute("SELECT pg_terminate_backend(%s, 10000)", (victim.info.backend_pid,))
        waiting.join()
        self.cursor.execute("SELECT describe_table, requests, canceled, errors, wait_ms > 500 FROM dynamo_fdw_statistics WHERE table_name = 'slow'")
        self.assertEqual(self.cursor.fetchall(), [(1, 1, 1, 0, True)])

    def test_canceled_with_the_response(self):
        """A session that is canceled when the response has arrived, after which the request would have been repeated."""
        self.fake.on("CreateTable", delay(0.2, internal_error()))
        self.cursor.execute("CREATE FOREIGN TABLE new (pk text) SERVER fake")
        victim = self.connect()
        waiting = threading.Thread(target=self.wait_for_ever, args=(victim, "SELECT dynamo_fdw_create_table('new', 'pk')"))
        waiting.start()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.fake.requests:
            time.sleep(0.01)
        os.kill(victim.info.backend_pid, signal.SIGSTOP)
        time.sleep(0.4)
        self.cursor.execute("SELECT pg_cancel_backend(%s)", (victim.info.backend_pid,))
        os.kill(victim.info.backend_pid, signal.SIGCONT)
        waiting.join()
        self.cursor.execute("SELECT other_requests, requests, retries, canceled, errors FROM dynamo_fdw_statistics WHERE table_name = 'new'")
        self.assertEqual(self.cursor.fetchall(), [(1, 1, 0, 1, 0)])

    def test_crashed(self):
        """After a crash the counts begin again, and nothing is locked."""
        self.cursor.execute("SELECT * FROM good WHERE pk = 'k1'")
        victim = self.connect()
        victim.cursor().execute("SELECT * FROM good WHERE pk = 'k1'")
        os.kill(victim.info.backend_pid, signal.SIGKILL)
        deadline = time.monotonic() + 30
        cursor = None
        while cursor is None and time.monotonic() < deadline:
            try:
                self.cursor.execute("SELECT")       # fails as soon as PostgreSQL has seen it
                time.sleep(0.02)
            except psycopg2.Error:
                try:
                    cursor = self.connect().cursor()
                except psycopg2.OperationalError:
                    time.sleep(0.02)
        cursor.execute("SELECT * FROM good WHERE pk = 'k1'")
        cursor.execute("SELECT query, scope FROM dynamo_fdw_statistics WHERE table_name = 'good'")
        self.assertEqual(cursor.fetchall(), [(1, "all sessions")])

    @staticmethod
    def wait_for_ever(connection, sql="SELECT * FROM slow WHERE pk = 'ever'"):
        """In a request that has no response."""
        try:
            connection.cursor().execute(sql)
        except psycopg2.Error:
            pass


class WithoutPreloading(AllSessions):
    """Shared memory of a server that loads the library with the first statement that needs it: from PostgreSQL 17 on."""

    SETTINGS = "-c dynamic_shared_memory_type=mmap"     # in files of a directory, which a test can lock

    def setUp(self):
        if self.fx.conn.server_version < 170000:
            self.skipTest("from PostgreSQL 17 on")
        super().setUp()

    def test_unavailable(self):
        """Statements do without it, and the session reports that once."""
        os.chmod(f"{self.postgres.directory}/data/pg_dynshmem", 0o500)
        connection = self.connect()
        with connection.cursor() as cursor:
            for _ in range(2):
                cursor.execute("SELECT count(*) FROM good WHERE pk = 'k1'")
                self.assertEqual(len(cursor.fetchall()), 1)
        self.assertEqual(len([notice for notice in connection.notices if "for this session alone" in notice]), 1)

    def test_budgets_unavailable(self):
        """The scope is that of the statistics, which the session has had before."""
        connection = self.connect()
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM good WHERE pk = 'k1'")
            os.chmod(f"{self.postgres.directory}/data/pg_dynshmem", 0o500)
            self.cursor.execute("ALTER FOREIGN TABLE good OPTIONS (ADD max_read_units_per_second '100')")
            cursor.execute("SELECT count(*) FROM good WHERE pk = 'k1'")
            self.assertEqual([notice.partition(",")[0] for notice in connection.notices if "alone" in notice], ["WARNING:  requests are limited for this session alone"])
            cursor.execute("SELECT scope, query FROM dynamo_fdw_statistics WHERE table_name = 'good'")
            self.assertEqual(cursor.fetchall(), [("all sessions", 2)])
            cursor.execute("EXPLAIN SELECT count(*) FROM good WHERE pk = 'k1'")
            self.assertIn("100 per second of the table, for this session alone", str(cursor.fetchall()))
        self.cursor.execute("SELECT scope, query FROM dynamo_fdw_statistics WHERE table_name = 'good'")
        self.assertEqual(self.cursor.fetchall(), [("all sessions", 2)])

    def test_unavailable_in_parallel_mode(self):
        """Where no subtransaction can catch the error: budgets are not tried after the statistics, and EXPLAIN shows who shares them."""
        self.cursor.execute("CREATE TABLE many AS SELECT g FROM generate_series(1, 10000) g; ANALYZE many; ALTER FOREIGN TABLE good OPTIONS (ADD max_read_units_per_second '100')")
        os.chmod(f"{self.postgres.directory}/data/pg_dynshmem", 0o500)
        sql = "SELECT (SELECT count(*) FROM many) FROM good WHERE pk = 'none'"
        for explained in (False, True):
            connection = self.connect()
            with connection.cursor() as cursor:
                cursor.execute("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")
                if explained:
                    cursor.execute(f"EXPLAIN {sql}")
                    plan = str(cursor.fetchall())
                    self.assertIn("100 per second of the table, for this session alone", plan)
                    self.assertIn("Gather", plan)
                cursor.execute(sql)
                self.assertEqual(cursor.fetchall(), [])
                self.assertEqual([notice.partition(",")[0] for notice in connection.notices if "alone" in notice],
                                 [f"WARNING:  requests are {done} for this session alone" for done in ("counted", "limited")])


if __name__ == "__main__":
    import unittest
    unittest.main()
