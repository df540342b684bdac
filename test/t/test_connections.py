"""Connections between statements: as many as are of use, none that the peer has closed."""
import time

import fixture
import own_postgres
import replies

WIDE = "SELECT count(n) FROM t WHERE pk IN ('p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7')"
NARROW = "SELECT n FROM t WHERE pk = 'p1'"


class Connections(fixture.TestCase):
    """A scripted server whose responses take a while, so that requests are in flight together."""

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name, delay=0.02)
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), ("n", "N"), items=[{"pk": {"S": f"p{i}"}, "n": {"N": "1"}} for i in range(8)],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.fx.foreign_table("t", "pk text NOT NULL, n int", server=self.name, scan_policy="allow")
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def alter(self, **options):
        """More options of the server."""
        for name, value in options.items():
            self.fx.execute(f"ALTER SERVER {self.name} OPTIONS (ADD {name} '{value}')")

    def open_after(self, sql):
        """Connections that stay open; the server takes a moment to see an end."""
        self.fx.rows(sql)
        wanted = self.fx.value("SELECT open_fds FROM dynamo_fdw_stats()") - 2
        deadline = time.monotonic() + 5
        while self.fake.open != wanted and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.fake.open, wanted)
        return wanted

    def test_what_two_statements_used(self):
        """Connections that neither of the last two statements used are closed."""
        self.assertEqual([self.open_after(sql) for sql in (WIDE, WIDE, NARROW)], [8, 8, 8])
        self.assertEqual(self.fake.connections, 8)
        self.assertEqual([self.open_after(sql) for sql in (NARROW, NARROW, NARROW)], [0, 1, 1])
        self.assertEqual(self.fake.connections, 9)

    def test_invalidations_without_end(self):
        """With debug_discard_caches, which only servers with assertions have, each reading of a catalog brings one."""
        if self.fx.value("SHOW debug_assertions") == "off":
            self.skipTest("a server with assertions")
        self.fx.execute("SET debug_discard_caches = 1; SET statement_timeout = '60s'")
        self.addCleanup(self.fx.execute, "RESET debug_discard_caches; RESET statement_timeout")
        self.assertEqual(self.fx.rows(NARROW), [(1,)])

    def test_discarded_while_explained(self):
        """EXPLAIN's reference to the table's description outlives the executor's to the connection; a server with assertions sees a difference."""
        self.fx.execute("PREPARE discarding AS SELECT dynamo_fdw_disconnect_all() FROM t WHERE pk = 'p1'")
        self.addCleanup(self.fx.execute, "DEALLOCATE discarding")
        self.fx.explain("EXECUTE discarding")
        for _ in range(2):
            self.assertIn("actual rows=1", self.fx.explain("EXECUTE discarding", "ANALYZE, TIMING OFF"))
            self.assertEqual(self.fx.rows(NARROW), [(1,)])

    def test_statements_within_one(self):
        """What a function reads while a cursor is open is no statement of its own."""
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT * FROM t WHERE pk IN ('p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7')")
        used = self.open_after("FETCH ALL FROM c")
        self.assertGreater(used, 1)
        for _ in range(3):
            self.assertEqual(self.open_after(NARROW), used)

    def test_explain_is_none(self):
        """EXPLAIN sends nothing, and does not count as a statement here."""
        self.fx.rows(WIDE)
        for _ in range(3):
            self.assertEqual(self.open_after(f"EXPLAIN {NARROW}"), 8)

    def test_keep_connections(self):
        self.alter(max_idle_connections=3)
        self.assertEqual([self.open_after(sql) for sql in (WIDE, NARROW, NARROW)], [0, 1, 1])

    def test_keep_none(self):
        self.alter(max_idle_connections=0)
        self.assertEqual([self.open_after(sql) for sql in (NARROW, WIDE)], [0, 0])

    def test_as_many_as_requests_by_default(self):
        self.alter(max_concurrency=2)
        self.assertEqual([self.open_after(sql) for sql in (WIDE, NARROW)], [2, 2])

    def test_many(self):
        """No connection is closed for the next one, however many requests are in flight."""
        self.alter(max_concurrency=100)
        keys = ", ".join(f"'p{i}'" for i in range(400))
        self.fx.rows(f"SELECT n FROM t WHERE pk IN ({keys})")
        self.assertLessEqual(self.fake.connections, 101)

    def test_closed_by_the_peer(self):
        """Connections that the peer has closed are closed here as well."""
        self.fake.on("Query", [None, replies.close_after({"Count": 0, "ScannedCount": 0, "Items": []}), None, None])
        self.fx.rows(NARROW)
        self.fx.rows("BEGIN; DECLARE c CURSOR FOR SELECT n FROM t WHERE pk = 'p1' UNION ALL SELECT n FROM t WHERE pk = 'p2'")
        self.fx.rows("FETCH ALL FROM c")
        time.sleep(0.1)
        self.fx.rows("COMMIT")
        self.assertEqual(self.open_after(NARROW), self.fx.value("SELECT open_fds FROM dynamo_fdw_stats()") - 2)
        self.assertLessEqual(self.fake.open, 1)

    def test_errors_end_statements_too(self):
        for _ in range(2):
            self.fx.error("SELECT 1 / (n - 1) FROM t WHERE pk IN ('p0', 'p1', 'p2', 'p3')")
        self.assertLessEqual(self.open_after(NARROW), 4)
        self.assertEqual([self.open_after(NARROW) for _ in range(3)][-1], 1)


class FirstStatements(fixture.TestCase):
    """The first statement of a session needs one connection, for the description and for the request."""

    def test_one_connection(self):
        for tls in (False, True):
            with self.subTest(tls=tls), fixture.FakeDynamo(tls=tls) as fake:
                fake.table("t", ("pk", "S"), ("n", "N"), items=[{"pk": {"S": "p1"}, "n": {"N": "1"}}])
                self.fx.server("first", fake.endpoint, **({"ca_bundle": fake.ca_bundle} if tls else {}))
                self.addCleanup(self.fx.execute, "DROP SERVER IF EXISTS first CASCADE")
                self.fx.foreign_table("first_t", "pk text NOT NULL, n int", server="first", table_name="t")
                self.assertEqual(self.fx.rows("SELECT n FROM first_t WHERE pk = 'p1'"), [(1,)])
                self.assertEqual(fake.operations(), ["DescribeTable", "Query"])
                self.assertLessEqual(fake.connections, 1 + tls)     # libcurl may take the first for closed
                self.fx.execute("DROP SERVER first CASCADE")


class FewDescriptors(own_postgres.TestCase):
    """A PostgreSQL of its own that may open few files: fewer requests are in flight, and every statement ends well."""

    def test_wide_statements(self):
        self.start_postgres("-c max_files_per_process=80")
        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute("CREATE EXTENSION dynamo_fdw; SET statement_timeout = '60s'")
        keys = ", ".join(f"'p{i}'" for i in range(200))
        for name in ("a", "b"):
            fake = fixture.FakeDynamo(delay=0.01).start()
            self.addCleanup(fake.stop)
            fake.table(name, ("pk", "S"), ("n", "N"), items=[{"pk": {"S": f"p{i}"}, "n": {"N": "1"}} for i in range(200)],
                       item_count=10 ** 6, size_bytes=10 ** 9)
            cursor.execute(f"CREATE SERVER {name} FOREIGN DATA WRAPPER dynamo_fdw "
                           f"OPTIONS (endpoint_url '{fake.endpoint}', region 'us-east-1', max_concurrency '100');"
                           f"CREATE USER MAPPING FOR PUBLIC SERVER {name} OPTIONS (access_key_id 'x', secret_access_key 'y');"
                           f"CREATE FOREIGN TABLE {name} (pk text NOT NULL, n int) SERVER {name}")
        for name in ("a", "a", "b", "a", "b"):
            cursor.execute(f"SELECT count(n), (SELECT setting::int FROM pg_settings WHERE name = 'max_files_per_process') "
                           f"FROM {name} WHERE pk IN ({keys})")
            self.assertEqual(cursor.fetchone(), (200, 80))
            cursor.execute("SELECT open_fds FROM dynamo_fdw_stats()")
            self.assertLess(cursor.fetchone()[0], 27)
