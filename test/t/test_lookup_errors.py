"""Lookup joins against a service that fails: what is repeated, what is reported, what is released.

The scripted service replaces DynamoDB: parents (pk) and children (pk, n), three of each.
"""
import collections
import threading
import time

import fixture
import replies
from processes import descriptors_of
from volume import volume

OUTER = "(SELECT 'p' || lpad(i::text, 3, '0') AS x FROM generate_series(0, 199) i) v"
BELONGS_TO = f"SELECT v.x, p.name FROM {OUTER} JOIN parents p ON p.pk = v.x"
HAS_MANY = f"SELECT v.x, c.n FROM {OUTER} JOIN children c ON c.pk = v.x"


class Errors(fixture.TestCase):
    """Each test scripts the service again."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=3, scan_policy="allow")
        keys = [f"p{i:03d}" for i in range(200)]
        cls.fake.table("parents", items=[{"pk": {"S": k}, "name": {"S": "n" + k}, "age": {"N": str(i)}} for i, k in enumerate(keys)])
        cls.fake.table("children", ("pk", "S"), ("n", "N"),
                       items=[{"pk": {"S": k}, "n": {"N": str(n)}} for k in keys for n in range(3)])
        cls.fx.foreign_table("parents", "pk text NOT NULL, name text, age int", server="fake")
        cls.fx.foreign_table("children", "pk text NOT NULL, n int NOT NULL", server="fake")
        cls.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        for sql in (BELONGS_TO, HAS_MANY):
            assert "DynamoLookupJoin" in cls.fx.explain(sql)

    def setUp(self):
        self.fake.reset()
        for operation in ("Query", "BatchGetItem", "GetItem"):
            self.fake.on(operation, None)

    def operations(self, name):
        """Requests of that operation so far."""
        return [r for r in self.fake.requests if r.operation == name]

    def test_a_throttled_request_is_repeated_alone(self):
        """Only the throttled request is repeated."""
        self.fake.on("Query", [replies.throttle(), replies.throttle()])
        self.assertEqual(len(self.fx.rows(HAS_MANY)), 600)
        self.assertEqual(len(self.operations("Query")), 202)

    def test_a_truncated_response_is_repeated_alone(self):
        """Only the request whose response was truncated is repeated."""
        self.fake.on("Query", [replies.truncate_body(0.5, {"Count": 0, "ScannedCount": 0, "Items": []})])
        self.assertEqual(len(self.fx.rows(HAS_MANY)), 600)
        self.assertEqual(len(self.operations("Query")), 201)

    def test_unprocessed_keys(self):
        """Only unprocessed keys are requested again; how many at a time depends on the measured rate."""
        answered = collections.Counter()
        def thirty(request):
            [(table, wanted)] = request.body["RequestItems"].items()
            now, later = wanted["Keys"][:30], wanted["Keys"][30:]
            answered.update(key["pk"]["S"] for key in now)
            response = self.fake.respond_batch({"RequestItems": {table: {**wanted, "Keys": now}}})
            return replies.reply({**response.document, "UnprocessedKeys": {table: {**wanted, "Keys": later}} if later else {}})
        self.fake.on("BatchGetItem", thirty)
        self.assertEqual(len(self.fx.rows(BELONGS_TO)), 200)
        self.assertEqual(set(answered.values()), {1})
        self.assertEqual(len(answered), 200)
        sizes = [len(next(iter(r.body["RequestItems"].values()))["Keys"]) for r in self.operations("BatchGetItem")]
        self.assertEqual(sizes[0], 100)
        self.assertGreaterEqual(len(sizes), 8)

    def test_large_rows(self):
        """Batches of megabytes, keys that come once and keys that come again, in another order than they were requested."""
        self.fake.table("large", items=[{"pk": {"S": f"p{i:03d}"}, "name": {"S": f"{i} " + "x" * 25000}} for i in range(200)])
        self.fx.foreign_table("large", "pk text NOT NULL, name text", server="fake")
        outer = "(SELECT 'p' || lpad((i * 77 % 230)::text, 3, '0') AS x, i FROM generate_series(0, 299) i) v"
        rows = self.fx.rows(f"SELECT v.x, l.name FROM {outer} LEFT JOIN large l ON l.pk = v.x")
        self.assertEqual(len(rows), 300)
        for key, name in rows:
            number = int(key[1:])
            self.assertEqual(name, f"{number} " + "x" * 25000 if number < 200 else None)
        self.assertEqual(len(self.operations("BatchGetItem")), 3)

    def test_requests_leave_early(self):
        """While outer rows still come: the first children are requested before the last page of parents."""
        sql = "SELECT p.name, c.n FROM parents p LEFT JOIN children c ON c.pk = p.pk"
        self.fake.tables["parents"].page_size = 20
        self.fake.hold(lambda request: request.operation == "Scan" and len(self.operations("Scan")) == 10,
                       lambda _: len(self.operations("Query")) > 50)
        try:
            self.assertEqual(len(self.fx.rows(sql)), 600)
        finally:
            self.fake.tables["parents"].page_size = None
        scans, queries = self.operations("Scan"), self.operations("Query")
        self.assertEqual((len(scans), len(queries)), (10, 200))
        self.assertGreater(sum(query.began < scans[-1].ended for query in queries), 50)

    def test_a_failure_while_rows_come(self):
        """A request of the outer or of the inner side fails while rows are returned."""
        self.fake.tables["parents"].page_size = 20
        try:
            sql = "SELECT p.name, c.n FROM parents p LEFT JOIN children c ON c.pk = p.pk"
            for operation in ("Query", "Scan"):
                self.fake.on(operation, [None] * 5 + [replies.error("AccessDeniedException", "no")])
                self.assertIn(f"{operation} of DynamoDB table", self.fx.error(sql).message)
                self.fake.on(operation, None)
                self.assertEqual(len(self.fx.rows(sql)), 600)
        finally:
            self.fake.tables["parents"].page_size = None

    def test_a_final_failure(self):
        """The statement fails with one clear error, whichever request failed."""
        self.fake.on("Query", [None] * 20 + [replies.error("AccessDeniedException", "no")] * 200)
        failure = self.fx.error(HAS_MANY)
        self.assertEqual(failure.sqlstate, "42501")
        self.assertIn("Query of DynamoDB table \"children\"", failure.message)
        self.assertIn("AccessDeniedException", failure.detail)
        self.setUp()
        self.assertEqual(len(self.fx.rows(HAS_MANY)), 600)

    def test_a_value_of_another_type(self):
        """The error names the item, although other requests are in flight."""
        self.fx.foreign_table("wrong", "pk text NOT NULL, name int", server="fake", table_name="parents")
        failure = self.fx.error(BELONGS_TO.replace("parents", "wrong"))
        self.assertEqual(failure.sqlstate, "HV004")
        self.assertRegex(failure.detail, r'item pk = "p\d+", value np\d+')

    def test_an_item_that_was_not_requested(self):
        """An item that was not requested is an error."""
        self.fake.on("BatchGetItem", replies.reply({"Responses": {"parents": [{"pk": {"S": "other"}, "name": {"S": "x"}}]},
                                                    "UnprocessedKeys": {}}))
        failure = self.fx.error(BELONGS_TO)
        self.assertEqual(failure.sqlstate, "HV00M")
        self.assertIn("contains an item that was not requested", failure.detail)

    def test_a_key_without_an_item(self):
        """An inner join drops the row, an outer one keeps it."""
        sql = "SELECT v.x, p.name FROM (VALUES ('p001'), ('none'), ('p002')) v (x) {} JOIN parents p ON p.pk = v.x"
        self.assertEqual(len(self.fx.rows(sql.format(""))), 2)
        self.assertEqual(len(self.fx.rows(sql.format("LEFT"))), 3)

    def test_empty_pages(self):
        """A LastEvaluatedKey without items ends nothing, for a key that is read ahead neither."""
        empty = replies.reply({"Count": 0, "ScannedCount": 0, "Items": [], "LastEvaluatedKey": {"pk": {"S": "p000"}, "n": {"N": "-1"}}})
        self.fake.on("Query", lambda r: None if "ExclusiveStartKey" in r.body else empty)
        self.fx.foreign_table("children", "pk text NOT NULL, n int NOT NULL", server="fake")
        rows = self.fx.rows("SELECT v.x, c.n FROM (VALUES ('p000'), ('p000')) v (x) JOIN children c ON c.pk = v.x")
        self.assertEqual(len(rows), 6)

    def test_cancel(self):
        """A cancel takes effect at once, with requests in flight."""
        self.fake.on("Query", [None] * 40 + [replies.hang_before_headers()] * 200)
        pid = self.fx.conn.info.backend_pid
        other = self.fx.connect()
        timer = threading.Timer(0.5, lambda: other.cursor().execute(f"SELECT pg_cancel_backend({pid})"))
        timer.start()
        start = time.monotonic()
        self.assertEqual(self.fx.error(HAS_MANY).sqlstate, "57014")
        self.assertLess(time.monotonic() - start, 5)
        timer.join()
        other.close()
        self.setUp()
        self.assertEqual(len(self.fx.rows(HAS_MANY)), 600)

    def test_nothing_leaks(self):
        """Joins that fail, stop early or are cancelled leave no descriptors and no contexts."""
        self.fx.execute("CREATE FUNCTION attempt(query text) RETURNS void LANGUAGE plpgsql AS "
                        "$$BEGIN EXECUTE query; EXCEPTION WHEN others THEN NULL; END$$")
        self.fx.foreign_table("wrong", "pk text NOT NULL, name int", server="fake", table_name="parents")
        kinds = [f"SELECT attempt($q${BELONGS_TO.replace('parents', 'wrong')}$q$)", f"{HAS_MANY} LIMIT 3",
                 f"SELECT attempt($q$SELECT 1 / (n - 2) FROM ({HAS_MANY}) h$q$)",
                 f"BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR {HAS_MANY}; FETCH 3 FROM c; ROLLBACK TO s; COMMIT",
                 f"SELECT count(*) FROM {OUTER} WHERE EXISTS (SELECT FROM children c WHERE c.pk = v.x AND c.n <> length(v.x))"]

        def look():
            contexts = self.fx.value("SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'dynamo_fdw %'")
            return descriptors_of(self.fx.conn.info.backend_pid), contexts
        for _ in range(4):
            for sql in kinds:
                self.fx.rows(sql)
        before = look()
        for _ in range(volume(8, 25)):
            for sql in kinds:
                self.fx.rows(sql)
        self.assertEqual(look(), before)
