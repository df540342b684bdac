"""Scans that do not depend on one another: their first requests leave together."""
import fixture
import replies
from dynamo import item
from processes import descriptors_of
from server import most_in_flight


class EarlyStart(fixture.TestCase):
    """A scripted service whose responses are late: the film "Up" of 2009, and its songs 0 ... 5, by their table or by an index."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)

    def setUp(self):
        self.fake.reset(scripts=True)
        self.fake.delay = 0.01      # a request beyond what is allowed has the time to come
        self.films([{"name": "Up", "year": 2009, "kids": 2}])
        self.songs({"movie": "Up", "n": n, "v": 2 * n} for n in range(6))
        self.fx.execute("RESET ALL; SET dynamo_fdw.scan_policy = allow")
        self.fx.explain("SELECT FROM films, songs")
        self.fx.rows("SELECT FROM films, songs WHERE false")

    def films(self, items):
        """Films by name and year."""
        self.fake.table("films", ("name", "S"), ("year", "N"), items=[item(i) for i in items])
        self.fx.foreign_table("films", 'name text COLLATE "C" NOT NULL, year int NOT NULL, kids int', server="fake")

    def songs(self, items, **details):
        """Songs by film and number."""
        indexes = [{"name": "by_v", "hash": [("v", "N")], "range": [], "projection": "KEYS_ONLY", "local": False,
                    "status": "ACTIVE"}]
        self.fake.table("songs", ("movie", "S"), ("n", "N"), items=[item(i) for i in items], indexes=indexes, **details)
        self.fx.foreign_table("songs", 'movie text COLLATE "C" NOT NULL, n int NOT NULL, v int NOT NULL, w int', server="fake")

    def reads(self):
        """The requests for items."""
        return [request for request in self.fake.requests if request.operation != "DescribeTable"]

    def run_counted(self, sql, in_flight, reads):
        """Its rows, once the number of requests in all, and together, has been checked."""
        self.fake.reset()
        self.fake.together(in_flight)
        rows = self.fx.rows(sql)
        self.assertEqual((len(self.reads()), most_in_flight(self.reads())), (reads, in_flight), self.fx.explain(sql))
        return rows


JOIN = "SELECT n FROM films f JOIN songs s ON s.movie = f.name WHERE f.name = 'Up' AND f.year = 2009"


class Together(EarlyStart):
    """Where the requests overlap."""

    def test_movie_and_songs(self):
        """The film by its key, its songs by its name, which the equivalence class hands down."""
        for method in ("nestloop", "hashjoin", "mergejoin"):
            with self.subTest(method):
                self.fx.execute("RESET ALL")
                for other in {"nestloop", "hashjoin", "mergejoin"} - {method}:
                    self.fx.execute(f"SET enable_{other} = off")
                self.assertEqual(sorted(self.run_counted(JOIN, 2, 2)), [(n,) for n in range(6)])
        self.fx.execute("RESET ALL; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        self.assertEqual(len(self.run_counted(JOIN, 2, 2)), 6)

    def test_lists(self):
        """The list of one side is one for the other: a BatchGetItem and two Queries together."""
        sql = JOIN.replace("f.name = 'Up'", "f.name IN ('Up', 'Down')")
        self.assertEqual(sorted(self.run_counted(sql, 3, 3)), [(n,) for n in range(6)])

    def test_prepared(self):
        """Parameters of the statement are as good as constants, in generic plans, too."""
        self.fx.execute("PREPARE q (text, int) AS SELECT n FROM films f JOIN songs s ON s.movie = f.name WHERE f.name = $1 AND f.year = $2")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        for _ in range(7):
            self.assertEqual(len(self.run_counted("EXECUTE q ('Up', 2009)", 2, 2)), 6)
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.assertEqual(len(self.run_counted("EXECUTE q ('Up', 2009)", 2, 2)), 6)
        self.assertEqual(len(self.run_counted("EXECUTE q (NULL, 2009)", 0, 0)), 0)

    def test_function(self):
        """Variables of a function are known values, too."""
        self.fx.execute("CREATE FUNCTION sing(film text, y int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT "
                        "count(s.w IS NULL) FROM films f JOIN songs s ON s.movie = f.name WHERE f.name = film AND f.year = y); END $$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION sing")
        self.run_counted("SELECT sing('Up', 2009)", 2, 2)

    def test_subqueries(self):
        """A subquery that is executed once starts its own scans early, and so does a CTE."""
        self.assertEqual(self.run_counted(f"SELECT (SELECT sum(x.n) FROM ({JOIN}) x), (SELECT count(*) FROM songs WHERE movie = 'In')",
                                          2, 3), [(15, 0)])
        self.assertEqual(self.run_counted(f"WITH c AS MATERIALIZED ({JOIN} ORDER BY n + 0) SELECT count(*) FROM c", 2, 2), [(6,)])

    def test_outer_joins(self):
        """All join types."""
        where = "WHERE f.name = 'Up' AND f.year = 2009"
        self.assertEqual(len(self.run_counted(f"SELECT n FROM films f LEFT JOIN songs s ON s.movie = 'Up' {where}", 2, 2)), 6)
        self.assertEqual(self.run_counted(f"SELECT f.kids FROM films f {where} AND EXISTS (SELECT FROM songs s WHERE s.movie = 'Up' "
                                          "AND s.v = f.kids)", 2, 2), [(2,)])
        self.assertEqual(self.run_counted(f"SELECT f.kids FROM films f {where} AND NOT EXISTS (SELECT FROM songs s WHERE "
                                          "s.movie = 'Up' AND s.v = f.kids)", 2, 2), [])
        full = f"SELECT * FROM (SELECT * FROM films f {where}) f FULL JOIN (SELECT * FROM songs WHERE movie = 'Up') s ON s.n = f.kids"
        self.assertEqual(len(self.run_counted(full, 2, 2)), 6)

    def test_union_of_sorted(self):
        """Below a MergeAppend, and an Append that may not run asynchronously."""
        sql = ("SELECT n FROM songs WHERE movie = 'Up' UNION ALL SELECT year FROM films WHERE name = 'Up' ORDER BY 1")
        self.assertEqual(self.run_counted(sql, 2, 2), [(n,) for n in (*range(6), 2009)])
        self.fx.execute("SET enable_async_append = off")
        sql = "SELECT n FROM songs WHERE movie = 'Up' UNION ALL SELECT year FROM films WHERE name = 'Up'"
        self.assertEqual(self.run_counted(sql, 2, 2), [(n,) for n in (*range(6), 2009)])

    def test_counts(self):
        """Counts by DynamoDB, in subqueries of FROM."""
        sql = ("SELECT * FROM (SELECT count(*) FROM songs WHERE movie = 'Up') a, (SELECT count(*) FROM films WHERE name = 'Up') b, "
               "(SELECT count(*) FROM songs WHERE movie = 'Down') c")
        self.assertEqual(self.run_counted(sql, 3, 3), [(6, 1, 0)])

    def test_index_then_table(self):
        """The Query of the index starts early, the reads of the table follow as usual."""
        sql = "SELECT f.kids, s.w FROM films f, songs s WHERE f.name = 'Up' AND f.year = 2009 AND s.v = 4"
        self.assertIn("Query, then BatchGetItem", self.fx.explain(sql))
        self.assertEqual(self.run_counted(sql, 2, 3), [(2, None)])

    def test_sorted_below_a_limit(self):
        """A LIMIT above a Sort does not prevent starting early: all rows are read."""
        sql = f"SELECT n FROM (SELECT n, v FROM songs WHERE movie = 'Up' ORDER BY v DESC LIMIT 1) s, films f WHERE {UP}"
        self.assertEqual(self.run_counted(sql, 2, 2), [(5,)])

    def test_local_table_first(self):
        """Independent scans start when the first foreign scan is executed."""
        self.assertEqual(self.run_counted(f"SELECT count(s.w IS NULL) FROM generate_series(1, 2) g, films f, songs s WHERE {UP} AND "
                                          "s.movie = 'Up' AND s.v = g + f.kids", 2, 2), [(1,)])

    def test_pages_that_were_not_expected(self):
        """The first page is requested ahead, the rest when it is needed."""
        self.songs(({"movie": "Up", "n": n, "v": n} for n in range(6)), page_size=2)
        self.fx.explain(JOIN)
        self.assertEqual(sorted(self.run_counted(JOIN, 2, 4)), [(n,) for n in range(6)])

    def test_explain_analyze(self):
        """Each node counts its own requests."""
        plan = self.fx.explain(JOIN, "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF")
        self.assertEqual(plan.count("Requests: 1  Pages: 1"), 2)

    def test_cursor(self):
        """A cursor is fetched in parts, and again from its start."""
        self.fx.execute(f"BEGIN; DECLARE c SCROLL CURSOR FOR {JOIN}")
        self.assertEqual(len(self.fx.rows("FETCH 2 FROM c")), 2)
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 4)
        self.fx.execute("MOVE ABSOLUTE 0 FROM c")
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 6)
        self.fx.execute("COMMIT")

    def test_row_locks(self):
        """FOR UPDATE does not prevent starting early."""
        self.assertEqual(len(self.run_counted(f"{JOIN} FOR UPDATE", 2, 2)), 6)


UP = "f.name = 'Up' AND f.year = 2009"


class Apart(EarlyStart):
    """Where they must not."""

    def test_limit(self):
        """The LIMIT may be satisfied before the second input is read."""
        self.fx.execute("SET enable_async_append = off")
        sql = "SELECT n FROM songs WHERE movie = 'Up' UNION ALL SELECT year FROM films WHERE name = 'Up' LIMIT 3"
        self.assertEqual(self.run_counted(sql, 1, 1), [(0,), (1,), (2,)])

    def test_one_time_filter(self):
        """A scan below a false one-time filter is not started."""
        self.fx.execute("PREPARE q (bool) AS SELECT kids FROM films f WHERE name = 'Up' AND year = 2009 UNION ALL SELECT n FROM songs "
                        "WHERE movie = 'Up' AND $1; SET plan_cache_mode = force_generic_plan; SET enable_async_append = off")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        self.assertEqual(self.run_counted("EXECUTE q (false)", 1, 1), [(2,)])
        self.assertEqual(len(self.run_counted("EXECUTE q (true)", 1, 2)), 7)

    def test_subplans(self):
        """A subplan that no row needs is not started."""
        sql = f"SELECT CASE WHEN kids > 5 THEN (SELECT sum(v) FROM songs WHERE movie = 'Up') END FROM films f WHERE {UP}"
        self.assertEqual(self.run_counted(sql, 1, 1), [(None,)])

    def test_values_of_the_outer_row(self):
        """Scans that need values of an outer row are not started."""
        sql = f"SELECT s.v FROM films f, LATERAL (SELECT v FROM songs s WHERE s.movie = 'Up' AND s.n = f.kids) s WHERE {UP}"
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.assertEqual(self.run_counted(sql, 1, 2), [(4,)])

    def test_expressions_that_may_fail(self):
        """Scans whose values might raise an error are not started."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan; "
                        "PREPARE q (int, int) AS SELECT n FROM films f LEFT JOIN songs s ON s.movie = 'Up' AND s.n = 12 / $1 "
                        "WHERE f.name = 'Up' AND f.year = $2")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        self.assertEqual(self.run_counted("EXECUTE q (3, 2009)", 1, 2), [(4,)])
        self.assertEqual(self.run_counted("EXECUTE q (0, 1999)", 1, 1), [])
        self.assertEqual(self.fx.error("EXECUTE q (0, 2009)").sqlstate, "22012")

    def test_scans(self):
        """A Scan of an entire table is not started early."""
        self.assertEqual(self.run_counted("SELECT f.kids, s.v FROM films f, songs s WHERE f.name = 'Down' AND f.year = 2009", 1, 1), [])

    def test_several_partitions(self):
        """A read of several partitions is not started early."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.run_counted("SELECT f.kids, s.v FROM films f LEFT JOIN songs s ON s.movie IN ('Up', 'Down', 'In') "
                         "WHERE f.name = 'Down' AND f.year = 2009", 1, 1)

    def test_max_concurrency(self):
        """max_concurrency is respected."""
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD max_concurrency '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_concurrency)")
        self.assertEqual(len(self.run_counted(JOIN, 1, 2)), 6)

    def test_memory(self):
        """fetch_memory is respected."""
        self.fx.execute("SET dynamo_fdw.fetch_memory = 1024")
        self.assertEqual(len(self.run_counted(JOIN, 1, 2)), 6)

    def test_nothing_to_request(self):
        """A contradiction sends no request, whether it is the first or the second."""
        self.assertEqual(self.run_counted("SELECT n FROM films f LEFT JOIN songs s ON s.movie = '' WHERE f.name = 'Up' AND f.year = 2009",
                                          1, 1), [(None,)])


class Ends(EarlyStart):
    """What becomes of a response that came before it was needed."""

    def setUp(self):
        super().setUp()
        self.pid = self.fx.conn.info.backend_pid
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")

    def fail_songs(self, reply):
        """All requests for songs get their responses like this."""
        self.fake.on("Query", lambda request: reply if request.body["TableName"] == "songs" else None)

    def test_error_that_is_not_reached(self):
        """An error is raised only if the rows are needed."""
        self.fail_songs(replies.error("AccessDeniedException", "no"))
        self.assertEqual(self.fx.rows(JOIN.replace("2009", "1999")), [])
        failure = self.fx.error(JOIN)
        self.assertEqual(failure.sqlstate, "42501")
        self.assertIn('"songs"', failure.message)

    def test_throttled(self):
        """A pause of one scan does not delay others."""
        self.fake.on("Query", [replies.throttle()] * 3)
        self.assertEqual(len(self.fx.rows(JOIN)), 6)

    def test_abandoned(self):
        """After a response that is not needed, or that never comes, everything is released."""
        sql = JOIN.replace("2009", "1999")
        self.fx.rows(JOIN)
        before = descriptors_of(self.pid)
        for _ in range(5):
            self.assertEqual(self.run_counted(sql, 2, 2), [])
        self.fail_songs(replies.hang_before_headers())
        for _ in range(3):
            self.assertEqual(self.fx.rows(sql), [])
        self.fx.execute("SET statement_timeout = 300")
        self.assertEqual(self.fx.error(JOIN).sqlstate, "57014")
        self.fx.execute("RESET statement_timeout")
        self.fake.reset(scripts=True)
        self.assertEqual(len(self.fx.rows(JOIN)), 6)
        self.assertLessEqual(descriptors_of(self.pid), before)

    def test_in_a_subtransaction(self):
        """A subtransaction is rolled back while a response is on its way."""
        self.fx.execute("BEGIN; SAVEPOINT a")
        self.fx.execute(f"DECLARE c CURSOR FOR {JOIN.replace('2009', '1999')}")
        self.assertEqual(self.fx.rows("FETCH 1 FROM c"), [])
        self.fx.execute("ROLLBACK TO a")
        self.assertEqual(len(self.fx.rows(JOIN)), 6)
        self.fx.execute("COMMIT")


class Repeats(EarlyStart):
    """A nested loop over an inner side that does not depend on the outer row, without a Materialize."""

    def setUp(self):
        super().setUp()
        self.films({"name": "Up", "year": year, "kids": year} for year in range(5))
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        self.fx.explain("SELECT FROM films")

    def run_repeated(self, sql, reads):
        """Check that it is such a loop that sends this number of requests, and return its rows sorted."""
        plan = self.fx.explain(sql)
        self.assertIn("Nested Loop", plan)
        self.assertNotIn("Materialize", plan)
        self.fake.reset()
        rows = sorted(self.fx.rows(sql))
        self.assertEqual(len(self.reads()), reads, plan)
        return rows

    def test_one_page(self):
        """A Query of one page is sent once."""
        sql = "SELECT f.year, s.n FROM films f LEFT JOIN songs s ON s.v = f.kids AND s.movie = 'Up' WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 2), [(0, 0), (1, None), (2, 1), (3, None), (4, 2)])

    def test_one_item(self):
        """An item is read once."""
        sql = "SELECT f.year, s.n FROM films f LEFT JOIN songs s ON s.movie = 'Up' AND s.n = 3 AND s.v > f.kids WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 2), [(year, 3) for year in range(5)])

    def test_nothing_found(self):
        """An empty result is read once."""
        sql = "SELECT f.year, s.n FROM films f LEFT JOIN songs s ON s.movie = 'In' AND s.v > f.kids WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 2), [(year, None) for year in range(5)])

    def test_nothing_to_request(self):
        """A contradiction sends no request in any execution."""
        sql = "SELECT f.year, s.n FROM films f LEFT JOIN songs s ON s.movie = '' AND s.v > f.kids WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 1), [(year, None) for year in range(5)])

    def test_several_pages(self):
        """Results of several pages are cached from the second execution on."""
        self.songs(({"movie": "Up", "n": n, "v": n} for n in range(6)), page_size=2)
        self.fx.explain("SELECT FROM songs")
        sql = "SELECT f.year, s.n FROM films f LEFT JOIN songs s ON s.v = f.kids AND s.movie = 'Up' WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 1 + 2 * 3), [(year, year) for year in range(5)])

    def test_several_partitions(self):
        """One page of one of them is all there is; two are cached from the second execution on."""
        sql = "SELECT f.year, s.n FROM films f LEFT JOIN songs s ON s.v + 0 = f.kids AND s.movie IN ('Up', 'In') WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 3), [(0, 0), (1, None), (2, 1), (3, None), (4, 2)])
        self.songs({"movie": movie, "n": n, "v": n} for movie in ("Up", "In") for n in range(6))
        self.fx.explain("SELECT FROM songs")
        self.assertEqual(self.run_repeated(sql, 1 + 2 * 2), [(year, year) for year in range(5) for _ in range(2)])

    def test_left_in_the_middle(self):
        """A semijoin stops at the first match, and starts again at the first item, or the first page."""
        sql = ("SELECT f.year FROM films f WHERE f.name = 'Up' AND EXISTS (SELECT FROM songs s WHERE s.movie = 'Up' AND s.v + 0 >= f.kids) "
               "AND f.year IN (4, 3, 1, 0)")
        self.assertEqual(self.run_repeated(sql, 2), [(0,), (1,), (3,), (4,)])
        self.songs(({"movie": "Up", "n": n, "v": n} for n in range(6)), page_size=5)
        self.fx.explain("SELECT FROM songs")
        self.assertEqual(self.run_repeated(sql, 2), [(0,), (1,), (3,), (4,)])

    def test_counts(self):
        """A count is requested once."""
        self.fx.execute("SET enable_sort = off; SET enable_hashagg = off")
        sql = ("SELECT f.year FROM films f JOIN LATERAL (SELECT count(*) FROM songs WHERE movie = 'Up') c(n) ON c.n > f.kids + 3 "
               "WHERE f.name = 'Up'")
        self.assertEqual(self.run_repeated(sql, 2), [(0,), (1,), (2,)])

    def test_new_values(self):
        """Executions with other values send their own requests."""
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        sql = "SELECT f.year, s.v FROM films f LEFT JOIN songs s ON s.movie = f.name AND s.n = f.kids WHERE f.name = 'Up'"
        self.assertEqual(self.run_repeated(sql, 6), [(year, 2 * year) for year in range(5)])

    def test_errors_name_the_item(self):
        """An error names the item also when a cached page is read again."""
        self.fake.tables["songs"].items[4]["w"] = {"S": "x"}
        sql = "SELECT f.year, s.w FROM films f LEFT JOIN songs s ON s.n = f.kids AND s.movie = 'Up' WHERE f.name = 'Up'"
        self.assertIn("n = 4", self.fx.error(sql).detail)


class Limits(EarlyStart):
    """A LIMIT makes requests wait for their turn only where it can end the reading."""

    def setUp(self):
        super().setUp()
        self.songs({"movie": f"m{n}", "n": n, "v": -n} for n in range(8))
        self.fx.explain("SELECT FROM songs")

    MOVIES = "movie IN (" + ", ".join(f"'m{n}'" for n in range(8)) + ")"

    def test_ends_the_reading(self):
        """One partition has enough rows, so that the others are not read."""
        self.assertEqual(len(self.run_counted(f"SELECT v FROM songs WHERE {self.MOVIES} LIMIT 1", 1, 1)), 1)
        self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR SELECT v FROM songs WHERE {self.MOVIES}")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.fake.reset()
        self.assertEqual(len(self.fx.rows("FETCH 1 FROM c")), 1)
        self.assertEqual(len(self.reads()), 1)

    def test_sorted_first(self):
        """Below a sort or an aggregate all are needed, and requested together."""
        self.assertEqual(self.run_counted(f"SELECT v FROM songs WHERE {self.MOVIES} ORDER BY v LIMIT 1", 8, 8), [(-7,)])
        self.assertEqual(self.run_counted(f"SELECT v, count(*) FROM songs WHERE {self.MOVIES} GROUP BY v ORDER BY v LIMIT 2", 8, 8),
                         [(-7, 1), (-6, 1)])
        self.assertEqual(self.run_counted(f"SELECT sum(v) FROM songs WHERE {self.MOVIES} LIMIT 1", 8, 8), [(-28,)])

    def test_min_and_max(self):
        """Both ends are subplans with a LIMIT, which always run."""
        self.songs([{"movie": "Up", "n": n, "v": 2 * n} for n in range(6)], item_count=1_000_000, size_bytes=100_000_000)
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        self.fx.explain("SELECT FROM songs")
        self.assertEqual(self.run_counted("SELECT min(n), max(n) FROM songs WHERE movie = 'Up'", 2, 2), [(0, 5)])
        self.assertEqual({request.body["Limit"] for request in self.reads()}, {1})
        # a subscript, and the later columns of a row comparison, may be left out
        for expression, in_flight, value in (("(min(n), 1) < (max(n), 0)", 2, True), ("(0, min(n)) < (0, max(n))", 1, True),
                                             ("(ARRAY[min(n), max(n)])[1]", 2, 0), ("(ARRAY[min(n), 7])[max(n) - 4]", 1, 0)):
            with self.subTest(expression):
                self.assertEqual(self.run_counted(f"SELECT {expression} FROM songs WHERE movie = 'Up'", in_flight, 2), [(value,)])

    def test_limit_below_the_sort(self):
        """A LIMIT below a Sort can end the scan early."""
        self.assertEqual(len(self.run_counted(f"SELECT * FROM (SELECT v FROM songs WHERE {self.MOVIES} LIMIT 1) x ORDER BY v", 1, 1)), 1)
