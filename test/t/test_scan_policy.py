"""Full scans: warned of, refused, allowed; by option and by parameter."""
import fixture
import psycopg2

HINT = 'HINT:  Add a condition on partition key "year" to avoid the scan, or set scan_policy to "allow" to silence this warning.'


class ScanPolicy(fixture.TestCase):
    """A table that is described with 4,609 movies."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        movies = [{"year": {"N": str(1950 + n)}, "title": {"S": f"t{n}"}} for n in range(20)]
        cls.fake.table("movies", ("year", "N"), ("title", "S"), items=movies, item_count=4609, size_bytes=2_416_000)
        cls.fake.table("empty", ("year", "N"), ("title", "S"), item_count=0, size_bytes=0)

    def setUp(self):
        self.fx.foreign_table("movies", "year int NOT NULL, title text NOT NULL", server="fake")
        self.fx.execute("RESET ALL")

    def scan_notices(self, sql="SELECT * FROM movies"):
        """Notices about it."""
        return [notice for notice in self.fx.notices(sql) if "full scan of" in notice]

    def test_words(self):
        """The warning has table, items, size, estimated read units, and a hint."""
        self.assertEqual(self.fx.notices("SELECT * FROM movies"),
                         ['WARNING:  full scan of DynamoDB table "movies" (4609 items, 2.3 MB, about 295 read units)\n'
                          + HINT])

    def test_sqlstate(self):
        """The SQLSTATE is that of a warning."""
        with self.fx.conn.cursor() as cursor:
            cursor.execute("SET client_min_messages = error")
        self.assertEqual(self.fx.notices("SELECT * FROM movies"), [])

    def test_unknown_size(self):
        """DynamoDB counts every six hours; what it does not know is not reported."""
        self.fx.foreign_table("empty", "year int NOT NULL, title text", server="fake")
        self.assertEqual(self.fx.notices("SELECT * FROM empty"),
                         ['WARNING:  full scan of DynamoDB table "empty"\n' + HINT])

    def test_figures_of_explain(self):
        """The units are those that EXPLAIN shows, and one is a singular."""
        for count, size, words in ((1, 45, "1 item, 45 bytes, about 0.5 read units"), (3, 8192, "3 items, 8.0 kB, about 1 read unit"),
                                   (9, 75776, "9 items, 74.0 kB, about 9.2 read units")):
            self.fake.table("few", ("year", "N"), ("title", "S"), item_count=count, size_bytes=size)
            self.fx.foreign_table("few", "year int NOT NULL, title text", server="fake")
            self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
            plan = self.fx.value("EXPLAIN (FORMAT json) SELECT * FROM few")[0]["Plan"]
            self.assertEqual(f"{plan['Estimated Read Units']:g}", words.split()[-3])
            self.assertIn(f'"few" ({words})', self.fx.notices("SELECT * FROM few")[0])

    def test_consistent_reads_cost_twice(self):
        """The estimate is twice as high for consistent reads."""
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (ADD consistent_read 'on')")
        self.assertIn("about 590 read units", self.fx.notices("SELECT * FROM movies")[0])

    def test_counting_reads_all_the_same(self):
        """count(*) is billed like any Scan."""
        self.assertEqual(len(self.scan_notices("SELECT count(*) FROM movies")), 1)

    def test_once_per_node_and_statement(self):
        """Not per rescan, nor for scans that share a read, but for every other scan and again for the next statement."""
        self.assertEqual(len(self.scan_notices("SELECT (SELECT count(title) FROM movies WHERE length(title) > g)"
                                               " FROM generate_series(1, 5) g")), 1)
        self.assertEqual(len(self.scan_notices("SELECT * FROM movies a JOIN movies b ON length(a.title) < length(b.title)")),
                         1)
        self.fx.execute("SET dynamo_fdw.enable_shared_reads = off")
        self.assertEqual(len(self.scan_notices("SELECT * FROM movies a JOIN movies b ON length(a.title) < length(b.title)")),
                         2)
        self.fx.execute("RESET dynamo_fdw.enable_shared_reads")
        self.assertEqual(len(self.scan_notices()), 1)
        self.assertEqual(len(self.scan_notices()), 1)

    def test_prepared(self):
        """Each execution of a prepared statement warns."""
        self.fx.execute("PREPARE p AS SELECT count(*) FROM movies")
        self.addCleanup(self.fx.execute, "DEALLOCATE p")
        for _ in range(7):
            self.assertEqual(len(self.scan_notices("EXECUTE p")), 1)

    def test_not_for_other_requests(self):
        """There is no warning for other requests, nor for a node that is not executed."""
        for sql in ("SELECT * FROM movies WHERE year = 1950", "SELECT * FROM movies WHERE year IN (1950, 1951)",
                    "SELECT * FROM movies WHERE false", "SELECT * FROM movies WHERE title = NULL",
                    "EXPLAIN SELECT * FROM movies", "SELECT * FROM movies LIMIT 0",
                    "SELECT 1 FROM generate_series(1, 0) g JOIN movies ON length(title) = g"):
            with self.subTest(sql):
                self.assertEqual(self.scan_notices(sql), [])

    def test_error(self):
        """'error' rejects the Scan before a request is sent, with the same message."""
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (ADD scan_policy 'error')")
        self.fx.rows("SELECT FROM movies WHERE year = 1950")
        self.fake.reset()
        failure = self.fx.error("SELECT * FROM movies")
        self.assertEqual(failure.message, 'full scan of DynamoDB table "movies" is disabled by scan_policy "error"')
        self.assertEqual(failure.detail, "It would read 4609 items, 2.3 MB, about 295 read units.")
        self.assertEqual(failure.hint, 'Add a condition on partition key "year" to avoid the scan, or set scan_policy to "warn" or "allow".')
        self.assertEqual(failure.sqlstate, "55000")
        self.assertEqual(self.fake.operations(), [])
        self.assertEqual(self.fx.rows("SELECT title FROM movies WHERE year = 1950"), [("t0",)])

    def test_error_is_not_planned(self):
        """Keys are read one by one where a Scan would be cheaper, and rejected."""
        self.fake.table("small", ("year", "N"), ("title", "S"), items=self.fake.tables["movies"].items)
        self.fx.execute("CREATE TEMP TABLE years AS SELECT 1900 + n AS year, 't' || n - 50 AS title FROM generate_series(0, 199) n; ANALYZE years")
        self.addCleanup(self.fx.execute, "DROP TABLE years")
        years, keys = ",".join(map(str, range(1900, 2100))), ",".join(f"({1900 + n}, 't{n - 50}')" for n in range(200))
        for sql in (f"SELECT title FROM small WHERE year IN ({years})", f"SELECT title FROM small WHERE (year, title) IN ({keys})",
                    "SELECT title FROM years JOIN small USING (year, title)", "SELECT small.title FROM years JOIN small USING (year)"):
            with self.subTest(sql[:60]):
                self.fx.foreign_table("small", 'year int NOT NULL, title text COLLATE "C" NOT NULL', server="fake", scan_policy="allow")
                self.fx.execute(f"PREPARE p AS {sql}; SET plan_cache_mode = force_generic_plan")
                self.assertIn("Operation: Scan", self.fx.explain("EXECUTE p"))
                self.assertEqual(len(self.fx.rows("EXECUTE p")), 20)
                self.fx.execute("SET dynamo_fdw.scan_policy = error")
                self.assertNotIn("Operation: Scan", self.fx.explain("EXECUTE p"))
                self.assertEqual(sorted(self.fx.rows("EXECUTE p")), sorted((f"t{n}",) for n in range(20)))
                self.fx.execute("DEALLOCATE p; RESET dynamo_fdw.scan_policy")

    def test_allow(self):
        """'allow' gives no message."""
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (ADD scan_policy 'allow')")
        self.assertEqual(self.scan_notices(), [])

    def test_server_and_table(self):
        """The table's option prevails over the server's."""
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD scan_policy 'error')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP scan_policy)")
        self.fx.error("SELECT * FROM movies")
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (ADD scan_policy 'allow')")
        self.assertEqual(self.scan_notices(), [])
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (SET scan_policy 'warn')")
        self.assertEqual(len(self.scan_notices()), 1)

    def test_tightened_by_parameter(self):
        """A superuser's parameter overrides the options in both directions."""
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (ADD scan_policy 'allow')")
        self.fx.execute("SET dynamo_fdw.scan_policy = warn")
        self.assertEqual(len(self.scan_notices()), 1)
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.fx.error("SELECT * FROM movies")
        self.fx.execute("SET dynamo_fdw.scan_policy = allow")
        self.fx.execute("ALTER FOREIGN TABLE movies OPTIONS (SET scan_policy 'error')")
        self.assertEqual(self.scan_notices(), [])

    def test_back_to_the_options(self):
        """By 'table'; SQL's DEFAULT is what the session began with, which may be stricter, and 'default' is no value."""
        self.fx.execute(f"ALTER DATABASE {self.fx.database} SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, f"ALTER DATABASE {self.fx.database} RESET dynamo_fdw.scan_policy")
        connection = self.fx.connect()
        self.addCleanup(connection.close)
        cursor = connection.cursor()
        for word, policy in (("'table'", "table"), ("DEFAULT", "error")):
            cursor.execute(f"SET dynamo_fdw.scan_policy = {word}; SHOW dynamo_fdw.scan_policy")
            self.assertEqual(cursor.fetchall(), [(policy,)])
        with self.assertRaises(psycopg2.errors.ObjectNotInPrerequisiteState):
            cursor.execute("SELECT * FROM movies")
        cursor.execute("SET dynamo_fdw.scan_policy = 'table'; SELECT * FROM movies")
        with self.assertRaises(psycopg2.errors.InvalidParameterValue):
            cursor.execute("SET dynamo_fdw.scan_policy = 'default'")


class OrdinaryUser(ScanPolicy):
    """The same as a user who can only tighten it."""

    def setUp(self):
        super().setUp()
        self.fx.execute("DROP ROLE IF EXISTS policy_user; CREATE ROLE policy_user;"
                        "GRANT SELECT ON movies TO policy_user; SET ROLE policy_user")
        self.addCleanup(self.fx.execute, "RESET ROLE; REVOKE ALL ON movies FROM policy_user; DROP ROLE policy_user")
        self.addCleanup(self.fx.execute, "RESET ALL; RESET ROLE")

    # what needs the owner is tested above
    test_consistent_reads_cost_twice = test_error = test_allow = test_back_to_the_options = test_server_and_table = test_unknown_size = None
    test_tightened_by_parameter = test_once_per_node_and_statement = test_prepared = test_not_for_other_requests = test_error_is_not_planned = None
    test_figures_of_explain = test_sqlstate = test_counting_reads_all_the_same = None

    def test_may_tighten(self):
        """Any user may set warn and error."""
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.fx.error("SELECT * FROM movies")
        self.fx.execute("SET dynamo_fdw.scan_policy = warn")
        self.assertEqual(len(self.scan_notices()), 1)

    def test_may_not_loosen(self):
        """allow is refused, and the hint reports what else can be done."""
        failure = self.fx.error("SET dynamo_fdw.scan_policy = allow")
        self.assertEqual(failure.sqlstate, "42501")
        self.assertEqual(failure.message, 'permission denied to set "dynamo_fdw.scan_policy" to "allow"')
        self.assertIn("scan_policy", failure.hint)
        self.assertEqual(len(self.scan_notices()), 1)

    def test_parallel_workers_take_over_what_holds(self):
        """Where a superuser has loosened it, for statements that other roles run: parallel plans over local tables work."""
        self.fx.execute("""RESET ROLE; CREATE TABLE rows AS SELECT i FROM generate_series(1, 1000) i;
                        GRANT SELECT ON rows TO policy_user""")
        self.addCleanup(self.fx.execute, "DROP TABLE rows")
        self.addCleanup(self.fx.execute, "RESET ROLE; RESET SESSION AUTHORIZATION; RESET ALL")
        self.fx.execute("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")
        self.fx.execute("SET dynamo_fdw.scan_policy = 'allow'; SET SESSION AUTHORIZATION policy_user")
        self.assertIn("Gather", self.fx.explain("SELECT count(*) FROM rows"))
        self.assertEqual(self.fx.value("SELECT count(*) FROM rows"), 1000)

    def test_warn_does_not_loosen_an_error(self):
        """A parameter of warn leaves a table's error as it is."""
        self.fx.execute("RESET ROLE; ALTER FOREIGN TABLE movies OPTIONS (ADD scan_policy 'error'); SET ROLE policy_user")
        self.fx.execute("SET dynamo_fdw.scan_policy = warn")
        self.fx.error("SELECT * FROM movies")

    def test_log_requests_is_a_superusers(self):
        """log_requests would show the constants of views of other users."""
        self.assertEqual(self.fx.error("SET dynamo_fdw.log_requests = on").sqlstate, "42501")

    def test_wrong_words(self):
        """A parameter of ours takes its own words only, and unknown ones are refused."""
        self.assertEqual(self.fx.error("SET dynamo_fdw.scan_policy = 'maybe'").sqlstate, "22023")
        with self.assertRaises(psycopg2.Error):
            self.fx.execute("SET dynamo_fdw.no_such_parameter = 1")
