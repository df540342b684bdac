"""Asynchronous Append: partitions and branches of a UNION ALL send requests at the same time."""
import fixture
import replies
import shop
from dynamo import item
from processes import descriptors_of
from server import most_in_flight
from tables import read_page

COLUMNS = 'h text COLLATE "C" NOT NULL, n int NOT NULL, v int, w int'


class Scripted(fixture.TestCase):
    """Tables t0 to t3 of a scripted service whose responses are late: h = "p" and n = 0 ... 9 in t0, 10 ... 19 in t1, and so on."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)

    def setUp(self):
        self.fake.reset(scripts=True)
        self.fake.delay = 0.01      # a request beyond what is allowed has the time to come
        for number in range(4):
            self.table(number)
        self.fx.execute("RESET ALL; SET dynamo_fdw.scan_policy = allow")
        self.fx.rows("SELECT FROM t0, t1, t2, t3 WHERE false")
        self.describe()

    def table(self, number, **details):
        """Make the table and its foreign table."""
        items = [item({"h": "p", "n": number * 10 + n, "v": n % 2, "w": n}) for n in range(10)]
        indexes = [{"name": "by_v", "hash": [("v", "N")], "range": [], "projection": "KEYS_ONLY", "local": False,
                    "status": "ACTIVE"}]
        self.fake.table(f"t{number}", ("h", "S"), ("n", "N"), items=items, indexes=indexes, **details)
        self.fx.foreign_table(f"t{number}", COLUMNS, server="fake")

    def describe(self):
        """Plan once, so that the session knows the tables."""
        for number in range(4):
            self.fx.explain(f"SELECT * FROM t{number}")

    def union(self, select="SELECT n FROM {} WHERE h = 'p'", tables=4):
        """The UNION ALL of the same SELECT from each table."""
        return " UNION ALL ".join(select.format(f"t{number}") for number in range(tables))

    def reads(self):
        """The requests for items."""
        return [request for request in self.fake.requests if request.operation != "DescribeTable"]

    def run_async(self, sql, in_flight, reads=None):
        """Check that it is asynchronous, that this number of requests was in flight together, and return its rows sorted."""
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.fake.reset()
        self.fake.together(in_flight)
        rows = sorted(self.fx.rows(sql))
        self.assertEqual(most_in_flight(self.reads()), in_flight)
        if reads is not None:
            self.assertEqual(len(self.reads()), reads)
        return rows

    def both_ways(self, sql, in_flight, reads=None):
        """The same rows as without."""
        rows = self.run_async(sql, in_flight, reads)
        self.fx.execute("SET enable_async_append = off; SET dynamo_fdw.enable_lookup_join = off")
        self.assertNotIn("Async", self.fx.explain(sql))
        self.assertEqual(rows, sorted(self.fx.rows(sql)))
        self.fx.execute("RESET enable_async_append; RESET dynamo_fdw.enable_lookup_join")
        return rows


class Overlap(Scripted):
    """Requests that are in flight together."""

    def test_union_all(self):
        """Four Queries at once."""
        self.assertEqual(self.both_ways(self.union(), 4, 4), [(n,) for n in range(40)])

    def test_scans(self):
        """Four Scans at once."""
        self.assertEqual(self.both_ways(self.union("SELECT n, v FROM {}"), 4, 4), [(n, n % 10 % 2) for n in range(40)])

    def test_get_item(self):
        """Four items at once."""
        self.assertEqual(self.both_ways(self.union("SELECT v, n FROM {} WHERE h = 'p' AND n IN (5, 15, 25, 35)"), 4, 4),
                         [(1, n) for n in (5, 15, 25, 35)])

    def test_counts(self):
        """Counted by DynamoDB in each branch, zero among the counts."""
        sql = self.union("SELECT count(*) FROM {} WHERE h = 'p'") + " UNION ALL SELECT count(*) FROM t0 WHERE h = ''"
        self.assertEqual(self.both_ways(sql, 4, 4), [(0,)] + [(10,)] * 4)
        self.assertTrue(all(request.body["Select"] == "COUNT" for request in self.reads()))

    def test_count_of_several_pages(self):
        """Branches count over several pages, each independently of the others."""
        for number in range(4):
            self.table(number, page_size=3)
        self.assertEqual(self.both_ways(self.union("SELECT count(*) FROM {} WHERE h = 'p'"), 4, 16), [(10,)] * 4)

    def test_pages(self):
        """Pages of one branch follow one another, those of several overlap."""
        for number in range(4):
            self.table(number, page_size=2)
        self.assertEqual(self.both_ways(self.union(), 4, 20), [(n,) for n in range(40)])
        for number in range(4):
            mine = [request for request in self.reads() if request.body["TableName"] == f"t{number}"]
            self.assertEqual(most_in_flight(mine), 1)

    def test_merged_partitions(self):
        """A branch may have streams of its own."""
        self.assertEqual(self.run_async(self.union("SELECT n FROM {} WHERE h IN ('p', 'q')"), 8, 8), [(n,) for n in range(40)])

    def test_index_then_table(self):
        """The four Queries overlap, and so do the reads of the keys that they list."""
        sql = self.union("SELECT n FROM {} WHERE v = 1 AND w IS NOT NULL")
        self.assertIn("Query, then BatchGetItem", self.fx.explain(sql))
        rows = self.both_ways(sql, 4)
        self.assertEqual(rows, [(n,) for n in range(40) if n % 2])
        for operation in ("Query", "BatchGetItem"):
            self.fake.reset()
            self.fake.together(4, operation)
            self.assertEqual(sorted(self.fx.rows(sql)), rows)
            self.assertEqual(most_in_flight([r for r in self.reads() if r.operation == operation]), 4)

    def test_arms_of_an_or(self):
        """The arms of each branch, and the branches."""
        sql = self.union("SELECT n, w FROM {} WHERE h = 'p' AND n > 5 OR v = 1")
        self.assertEqual(self.fx.explain(sql).count("Operation: Union"), 4)
        rows = self.both_ways(sql, 8, 9)
        self.assertEqual(rows, [(n, n % 10) for n in range(40) if n > 5 or n % 2])
        self.fx.execute("SET work_mem = '64kB'; SET hash_mem_multiplier = 1")
        self.assertEqual(self.both_ways(sql, 8, 9), rows)
        self.assertEqual(self.both_ways(self.union("SELECT n, w FROM {} WHERE (h = 'p' AND n > 5 OR v = 1) AND n * 2 > 70"), 8, 12),
                         [(n, n % 10) for n in range(36, 40)])
        self.assertEqual(self.both_ways(self.union("SELECT n, w FROM {} WHERE h = 'q' OR v = 7"), 8, 8), [])

    def test_executed_again(self):
        """With other values, from the second execution on, all branches are served from what they have read; they overlap as before."""
        for number in range(4):
            self.table(number, page_size=4)
        self.describe()
        branches = self.union("SELECT n, v, w FROM {}")
        for sql in (f"SELECT i, (SELECT count(*) FROM ({branches}) q WHERE q.w + 0 > i) FROM generate_series(1, 6) i",
                    f"SELECT i, q.n FROM generate_series(1, 6) i, LATERAL (SELECT n FROM ({branches}) q WHERE q.w + 0 > i ORDER BY n LIMIT 2) q",
                    f"SELECT i, (SELECT max(n) FROM ({branches}) q WHERE q.w + 0 = i) FROM generate_series(1, 6) i",
                    f"SELECT i, EXISTS (SELECT FROM ({branches}) q WHERE q.w * 10 = i OR q.w = i + 3) FROM generate_series(1, 6) i"):
            with self.subTest(sql):
                self.assertIn("Async Foreign Scan", self.fx.explain(sql))
                self.fake.reset()
                self.fake.together(4)
                rows = sorted(self.fx.rows(sql))
                self.assertLessEqual(len(self.reads()), 24)
                for setting in ("enable_async_append", "dynamo_fdw.enable_cached_reads"):
                    self.fx.execute(f"SET {setting} = off")
                    self.addCleanup(self.fx.execute, f"RESET {setting}")
                    self.assertEqual(sorted(self.fx.rows(sql)), rows)
                    self.fx.execute(f"RESET {setting}")

    def test_arms_that_drop_all(self):
        """Pages whose rows another arm returned, or which no row satisfies, end neither the arm nor the branch."""
        for number in range(4):
            self.table(number, page_size=2)
        self.describe()
        for condition, kept in (("h = 'p' AND n >= 0 OR v = 1", range(40)), ("(h = 'p' AND n >= 0 OR v = 1) AND n * 2 = 78", [39])):
            self.assertEqual(self.both_ways(self.union(f"SELECT n FROM {{}} WHERE {condition}"), 8), [(n,) for n in kept])

    def test_branches_without_memory(self):
        """All branches together, and the arms ahead of their turn, stay below max_concurrency."""
        for number in range(4):
            self.table(number, page_size=3)
        self.describe()
        for most in (1, 2, 3):
            with self.subTest(most):
                self.fx.execute(f"ALTER SERVER fake OPTIONS (ADD max_concurrency '{most}')")
                self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_concurrency)")
                self.assertEqual(self.run_async(self.union("SELECT n, w FROM {} WHERE h = 'p' AND n > 5 OR v = 1"), most),
                                 [(n, n % 10) for n in range(40) if n > 5 or n % 2])
                self.doCleanups()

    def test_index_without_entries(self):
        """If the index has no entries, the table is not read."""
        self.assertEqual(self.both_ways(self.union("SELECT n, w FROM {} WHERE v = 7"), 4, 4), [])

    def test_filters_that_drop_all(self):
        """Rows that PostgreSQL drops do not end a branch, nor does a page of them."""
        for number in range(4):
            self.table(number, page_size=2)
        self.assertEqual(self.both_ways(self.union("SELECT n FROM {} WHERE h = 'p' AND n * 2 = 36"), 4, 20), [(18,)])
        self.assertEqual(self.both_ways(self.union("SELECT n FROM {} WHERE h = 'p' AND n * 2 = 35"), 4, 20), [])

    def test_empty_pages(self):
        """An empty page does not end a branch."""
        for number in range(4):
            self.table(number, page_size=5, empty_before=(0, 5))
        self.assertEqual(self.both_ways(self.union(), 4), [(n,) for n in range(40)])

    def test_nothing_to_request(self):
        """A branch that no item can satisfy ends at once."""
        self.assertEqual(self.both_ways(self.union(tables=2) + " UNION ALL SELECT n FROM t2 WHERE h = ''", 2, 2),
                         [(n,) for n in range(20)])

    def test_above(self):
        """Sorts, aggregates and joins work above the Append."""
        self.assertEqual(self.fx.rows(f"SELECT sum(n), count(*) FROM ({self.union()}) u"), [(780, 40)])
        self.assertEqual(self.fx.rows(f"SELECT n FROM ({self.union()}) u ORDER BY n DESC LIMIT 2"), [(39,), (38,)])
        self.assertEqual(self.run_async(f"SELECT n, g FROM ({self.union()}) u JOIN generate_series(5, 15, 5) g ON g = n", 4),
                         [(5, 5), (10, 10), (15, 15)])

    def test_two_appends(self):
        """Each Append waits for its own branches."""
        sql = (f"SELECT a.n, b.n FROM ({self.union(tables=2)}) a JOIN (SELECT n FROM t2 WHERE h = 'p' UNION ALL "
               "SELECT n FROM t3 WHERE h = 'p') b ON b.n = a.n + 20")
        self.fake.reset()
        self.fake.together(2)
        self.assertEqual(sorted(self.fx.rows(sql)), [(n, n + 20) for n in range(20)])
        self.assertGreaterEqual(most_in_flight(self.reads()), 2)

    def test_append_below_append(self):
        """An Append is a branch of another Append."""
        sql = f"SELECT n FROM ({self.union(tables=2)} LIMIT 100) a UNION ALL SELECT n FROM t2 WHERE h = 'p' UNION ALL SELECT n FROM t3"
        self.assertEqual(self.run_async(sql, 4), [(n,) for n in range(40)])

    def test_local_branches(self):
        """Local branches run while responses are awaited."""
        self.assertEqual(self.both_ways(self.union() + " UNION ALL SELECT generate_series(100, 103)", 4),
                         [(n,) for n in (*range(40), *range(100, 104))])

    def test_one_page_larger_than_the_memory_allows(self):
        """The statement's memory is a bound for all branches together; at least one of them goes on."""
        self.fx.execute("SET dynamo_fdw.fetch_memory = 1024")
        self.assertEqual(self.run_async(self.union(), 1, 4), [(n,) for n in range(40)])

    def test_max_concurrency(self):
        """max_concurrency limits the requests of all branches together."""
        for number in range(4):
            self.table(number, page_size=3)
        for most in (1, 2, 3):
            with self.subTest(most):
                self.fx.execute(f"ALTER SERVER fake OPTIONS (ADD max_concurrency '{most}')")
                self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_concurrency)")
                self.assertEqual(self.run_async(self.union(), most, 16), [(n,) for n in range(40)])
                self.doCleanups()

    def test_branch_without_memory(self):
        """A branch that may not send while another one is waited for does not miss the response that frees memory."""
        self.fx.server("narrow", self.fake.endpoint, max_concurrency=1)
        self.addCleanup(self.fx.execute, "DROP SERVER narrow CASCADE")
        self.fx.foreign_table("t0", COLUMNS, server="narrow")
        late = replies.delay(0.2, {"Items": [item({"h": "p", "n": 77})], "Count": 1, "ScannedCount": 1})
        self.fake.on("Query", lambda request: late if request.body["TableName"] == "t1" else None)
        self.fx.execute("SET statement_timeout = '10s'")
        rows = self.run_async("SELECT w FROM t0 WHERE v = 1 UNION ALL SELECT n FROM t1 WHERE h = 'p'", 2, 3)
        self.assertEqual(rows, [(1,), (3,), (5,), (7,), (9,), (77,)])

    def test_index_pages_without_memory(self):
        """Keys are collected over pages of an index while a peer is in flight, whose response no scan takes in in the meantime."""
        self.fx.server("narrow", self.fake.endpoint, max_concurrency=1)
        self.addCleanup(self.fx.execute, "DROP SERVER narrow CASCADE")
        self.table(0, page_size=2)
        self.fx.foreign_table("t0", COLUMNS, server="narrow")
        late = replies.delay(0.2, {"Items": [item({"h": "p", "n": 77})], "Count": 1, "ScannedCount": 1})
        self.fake.on("Query", lambda request: late if request.body["TableName"] == "t1" else None)
        self.fx.execute("SET statement_timeout = '10s'")
        rows = self.run_async("SELECT w FROM t0 WHERE v = 1 UNION ALL SELECT n FROM t1 WHERE h = 'p'", 2, 5)
        self.assertEqual(rows, [(1,), (3,), (5,), (7,), (9,), (77,)])

    def test_index_ahead_without_memory(self):
        """While items of one page's keys are read, the index's next page is in flight; it does not keep them from being requested."""
        self.fx.server("narrow", self.fake.endpoint, max_concurrency=1, scan_policy="allow")
        self.addCleanup(self.fx.execute, "DROP SERVER narrow CASCADE")
        for number in range(2):
            self.table(number, page_size=450)
            self.fake.tables[f"t{number}"].items = [item({"h": "p", "n": n, "v": 1, "w": n}) for n in range(1000)]
            self.fx.foreign_table(f"t{number}", COLUMNS, server="narrow")
        self.fx.execute("SET statement_timeout = '120s'")
        sql = self.union("SELECT w FROM {} WHERE v = 1", 2)
        self.assertIn("Query, then BatchGetItem", self.fx.explain(sql))
        self.assertEqual(sorted(self.fx.rows(sql)), sorted([(n,) for n in range(1000)] * 2))

    def test_explain_analyze(self):
        """EXPLAIN ANALYZE shows counters for each branch."""
        plan = self.fx.explain(self.union(), "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF")
        self.assertEqual(plan.count("Async Foreign Scan"), 4)
        self.assertEqual(plan.count("(actual rows=10"), 4)
        self.assertEqual(plan.count("Requests: 1  Pages: 1  Items Read: 10"), 4)


class Limit(Scripted):
    """A LIMIT above the Append."""

    def test_by_key(self):
        """Keyed branches all start; requests that turn out unnecessary are abandoned."""
        self.assertEqual(len(self.run_async(self.union() + " LIMIT 25", 4, 4)), 25)
        self.assertEqual(len(self.run_async(self.union() + " LIMIT 3", 4, 4)), 3)
        self.assertEqual(self.fx.value("SELECT count(*) FROM t0 WHERE h = 'p'"), 10)

    def test_scans_wait(self):
        """Scans below a LIMIT start only when they are reached."""
        sql = self.union("SELECT n FROM {}") + " LIMIT 12"
        self.assertNotIn("Async", self.fx.explain(sql))
        self.fake.reset()
        self.assertEqual(self.fx.rows(sql), [(n,) for n in range(12)])
        self.assertEqual(len(self.reads()), 2)
        self.run_async(f"SELECT n FROM ({self.union('SELECT n FROM {}')}) u ORDER BY n LIMIT 12", 4, 4)

    def test_cursor(self):
        """A cursor is fetched in parts, and closed before its end."""
        self.fx.execute("BEGIN")
        self.fx.execute(f"DECLARE c CURSOR FOR {self.union()}")
        rows = [row for count in (1, 5, 14, 15) for row in self.fx.rows(f"FETCH {count} FROM c")]
        self.assertEqual(len(set(rows)), 35)
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 5)
        self.fx.execute("CLOSE c")
        self.fx.execute(f"DECLARE d CURSOR FOR {self.union()}")
        self.assertEqual(len(self.fx.rows("FETCH 1 FROM d")), 1)
        self.fx.execute("ROLLBACK")
        self.assertEqual(sorted(self.fx.rows(self.union())), [(n,) for n in range(40)])

    def test_next_to_an_open_cursor(self):
        """Branches wait for the requests of a cursor, which may be all that the table may have in flight, and go on then."""
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD max_concurrency '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_concurrency)")
        self.table(0, page_size=1)
        self.describe()
        sql = "SELECT n FROM t0 WHERE v >= 0 UNION ALL SELECT n FROM t0 WHERE w >= 0"
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM t0 WHERE v >= 0")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        for read in range(1, 8):
            self.fx.rows("FETCH 1 FROM c")
            self.assertEqual(sorted(self.fx.rows(sql)), [(n // 2,) for n in range(20)])
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 10 - read)


class Rescans(Scripted):
    """The Append runs again."""

    def inner(self, condition):
        """A lateral join with the union, its requests counted."""
        return f"SELECT g, u.n FROM generate_series(1, 3) g, LATERAL ({self.union('SELECT n FROM {} WHERE ' + condition)}) u"

    def test_with_new_values(self):
        """Each rescan sends requests with its own values."""
        rows = self.both_ways(self.inner("h = 'p' AND n = g * 10 + 1"), 4)
        self.assertEqual(rows, [(1, 11), (2, 21), (3, 31)])

    def test_with_requests_in_flight(self):
        """A LIMIT inside ends each round while responses are on their way."""
        for number in range(4):
            self.table(number, page_size=1)
        sql = f"SELECT g, u.n FROM generate_series(1, 3) g, LATERAL (SELECT n + 0 * g AS n FROM ({self.union()}) v LIMIT 2) u"
        rows = self.fx.rows(sql)
        self.assertEqual([g for g, _ in rows], [1, 1, 2, 2, 3, 3])
        self.assertTrue(all(0 <= n < 40 for _, n in rows))
        self.assertEqual(sorted(self.fx.rows(self.union())), [(n,) for n in range(40)])

    def test_responses_after_their_outer_row(self):
        """A semi join has gone on when the second branch's response comes, which is to the outer row before."""
        words = ["a", "bb", "ccc", "d" * 200, "é"] * 6
        for number in range(2):
            items = [item({"h": word, "n": n, "v": 1, "w": n}) for word in set(words) for n in range(3)]
            self.fake.table(f"inner{number}", ("h", "S"), ("n", "N"), items=items, item_count=10 ** 6, size_bytes=10 ** 9)
            self.fx.foreign_table(f"inner{number}", COLUMNS, server="fake")
        outer = [item({"pk": f"p{n:02}", "k": word}) for n, word in enumerate(words)]
        self.fake.table("o", ("pk", "S"), items=outer, page_size=1)
        self.fx.foreign_table("o", "pk text NOT NULL, k text", server="fake")
        for name in ("inner0", "inner1", "o"):
            self.fx.explain(f"SELECT * FROM {name}")
        self.fx.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off; "
                        "SET enable_memoize = off; SET dynamo_fdw.enable_lookup_join = off")
        late, outer = self.fake.tables["inner1"], self.fake.tables["o"]
        self.fake.on("Scan", lambda request: replies.delay(0.04, read_page(outer, request.body, False)))
        self.fake.on("Query", lambda request: replies.delay(0.02, read_page(late, request.body, True))
                     if request.body["TableName"] == "inner1" else None)
        sql = ("SELECT o.pk FROM o WHERE EXISTS (SELECT FROM (SELECT h, n FROM inner0 UNION ALL SELECT h, n FROM inner1) u "
               "WHERE u.h = o.k AND u.n + 0 >= 0)")
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.assertEqual(len(self.fx.rows(sql)), len(words))

    def test_arms_ahead_without_memory(self):
        """What later arms have requested ahead is received at their turn; an arm before them does not wait for it to send its next request."""
        items = [item({"h": "p", "n": n, "v": n // 13, "x": "x" * 380000}) for n in range(14)]
        self.table(0, page_size=7)
        self.fake.tables["t0"].items = items
        for number in range(2):
            self.fx.foreign_table(f"t{number}", COLUMNS + ", x text", server="fake")
        self.fx.execute("SET dynamo_fdw.fetch_memory = '4MB'; SET dynamo_fdw.enable_lookup_join = off; SET statement_timeout = '20s'")
        union = self.union("SELECT x FROM {} WHERE h = 'p' AND n >= g OR v = 1", 2)
        sql = f"SELECT g, (SELECT sum(length(x)) FROM ({union}) u) FROM generate_series(0, 2) g"
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.assertEqual(self.fx.rows(sql), [(g, (14 - g) * 380000) for g in range(3)])

    def test_without_new_values(self):
        """The Append is the inner side of a nested loop."""
        self.fx.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        sql = f"SELECT g, u.n FROM generate_series(1, 2) g JOIN ({self.union()}) u ON u.n < g"
        self.assertEqual(self.both_ways(sql, 4), [(1, 0), (2, 0), (2, 1)])

    def test_lookup_let_go(self):
        """What is queried again, since memory was short, does not wait for lookups in flight that are served later."""
        self.fx.server("narrow", self.fake.endpoint, max_concurrency=3, scan_policy="allow")
        self.addCleanup(self.fx.execute, "DROP SERVER narrow CASCADE")
        items = [item({"h": f"h{h}", "n": n, "x": "x" * (0 if h else 60000)}) for h in range(130) for n in range(2 if h else 10)]
        for number in range(2):
            self.fake.table(f"t{number}", ("h", "S"), ("n", "N"), items=items, item_count=10 ** 6, size_bytes=2 * 10 ** 8)
            self.fx.foreign_table(f"t{number}", 'h text COLLATE "C" NOT NULL, n int NOT NULL, x text', server="narrow")
        self.describe()
        self.fx.execute("SET work_mem = 256; SET dynamo_fdw.fetch_memory = '4MB'; SET enable_hashjoin = off; SET enable_mergejoin = off; SET statement_timeout = '20s'")
        sql = ("SELECT i, length(u.x) FROM (SELECT i, CASE WHEN i % 20 < 2 THEN 'h0' ELSE 'h' || i END AS k "
               "FROM generate_series(1, 129) i) v JOIN (SELECT * FROM t0 UNION ALL SELECT * FROM t1) u ON u.h = v.k")
        self.assertIn("Prefetches: t0, t1", self.fx.explain(sql))
        self.assertEqual(len(self.fx.rows(sql)), sum(20 if i % 20 < 2 else 4 for i in range(1, 130)))

    def narrow(self):
        """The union of two tables whose third page has a row that is needed, with memory for one request."""
        self.fx.server("narrow", self.fake.endpoint, max_concurrency=1, scan_policy="allow")
        self.addCleanup(self.fx.execute, "DROP SERVER narrow CASCADE")
        for number in range(2):
            self.table(number, page_size=1)
            self.fx.foreign_table(f"t{number}", COLUMNS, server="narrow")
        self.describe()
        self.fx.execute("SET enable_material = off; SET dynamo_fdw.enable_lookup_join = off; SET statement_timeout = '20s'")
        self.fake.reset()
        return self.union("SELECT n FROM {} WHERE h = 'p' AND n >= {{}} AND w + 0 >= 2", 2)

    def test_new_values_while_one_reads_ahead(self):
        """One branch, with its row given, reads on in the only request; the other, which waits for memory, is dropped."""
        self.assertEqual(self.fx.rows("SELECT g, (SELECT n FROM (" + self.narrow().format("g", "g") +
                                      ") u LIMIT 1) FROM generate_series(0, 2) g"), [(g, 2) for g in range(3)])
        self.assertEqual({request.body["TableName"] for request in self.reads()}, {"t0"})

    def test_same_values_while_one_reads_ahead(self):
        """The same; the other one may send requests, and be the first with a row that both have read before."""
        rows = self.fx.rows("SELECT g, u.n FROM generate_series(0, 5) g LEFT JOIN (SELECT n FROM (" +
                            self.narrow().format(0, 0) + ") u LIMIT 1) u ON u.n < g + 19")
        self.assertEqual([(g, n % 10) for g, n in rows], [(g, 2) for g in range(6)])

    def test_correlated_subquery(self):
        """A correlated subquery counts over the union for each row."""
        sql = f"SELECT g, (SELECT count(*) FROM ({self.union()}) u WHERE u.n < g) FROM generate_series(1, 3) g"
        self.assertEqual(sorted(self.fx.rows(sql)), [(1, 1), (2, 2), (3, 3)])

    def test_arms_of_an_or(self):
        """Branches that are unions of keys are read again, with other values and with the same."""
        branches = " UNION ALL ".join(f"SELECT t.n FROM t{i} t WHERE (t.h = 'p' AND t.n > 5 OR t.v = 1) AND t.w >= {{}} * 3" for i in range(2))
        sql = f"SELECT g, ARRAY(SELECT t.n FROM ({branches.format('g', 'g')}) t ORDER BY 1) FROM generate_series(0, 3) g"
        self.assertIn("Async", self.fx.explain(sql))
        self.assertEqual(self.fx.rows(sql), [(g, [n for n in range(20) if (n > 5 or n % 2) and n % 10 >= g * 3]) for g in range(4)])
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        sql = f"SELECT g, t.n FROM generate_series(0, 3) g LEFT JOIN ({branches.format(0, 0)}) t ON t.n = g * 5"
        self.assertIn("Async", self.fx.explain(sql))
        self.fake.reset()
        self.assertEqual(sorted(self.fx.rows(sql), key=str), [(0, None), (1, 5), (2, 10), (3, 15)])
        self.assertEqual(len(self.reads()), 5)


class Partitions(Scripted):
    """A partitioned table with foreign partitions."""

    def setUp(self):
        super().setUp()
        self.fx.execute(f"CREATE TABLE parts ({COLUMNS}) PARTITION BY RANGE (n)")
        self.addCleanup(self.fx.execute, "DROP TABLE parts CASCADE")
        for number in range(4):
            self.fx.execute(f"CREATE FOREIGN TABLE part{number} PARTITION OF parts FOR VALUES FROM ({number * 10}) TO "
                            f"({number * 10 + 10}) SERVER fake OPTIONS (table_name 't{number}')")
        self.fx.explain("SELECT * FROM parts")

    def test_partitions(self):
        """The requests of all partitions are in flight together."""
        self.assertEqual(self.both_ways("SELECT n FROM parts WHERE h = 'p'", 4, 4), [(n,) for n in range(40)])
        self.assertEqual(self.both_ways("SELECT n, tableoid::regclass::text FROM parts", 4, 4),
                         [(n, f"part{n // 10}") for n in range(40)])

    def test_pruned(self):
        """Only the partitions that remain after pruning are read."""
        self.assertEqual(self.both_ways("SELECT n FROM parts WHERE h = 'p' AND n BETWEEN 5 AND 14", 2, 2), [(n,) for n in range(5, 15)])

    def test_pruned_while_running(self):
        """Partitions are pruned by values known only at execution."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE q (int) AS SELECT n FROM parts WHERE h = 'p' AND n < $1")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        self.fake.reset()
        self.fake.together(2)
        self.assertEqual(sorted(self.fx.rows("EXECUTE q (15)")), [(n,) for n in range(15)])
        self.assertEqual((len(self.reads()), most_in_flight(self.reads())), (2, 2))

    def test_pruned_with_a_request_in_flight(self):
        """What an earlier round left in flight is not waited for where its partition is pruned now."""
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD max_concurrency '1'); SET dynamo_fdw.enable_lookup_join = off; SET statement_timeout = '20s'")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_concurrency)")
        for number in range(4):
            self.table(number, page_size=2, item_count=10 ** 6, size_bytes=10 ** 8)
        self.describe()
        sql = ("SELECT g, (SELECT n FROM parts WHERE h = 'p' AND n >= g * 10 AND n < g * 10 + 10 AND sqrt(w) > sqrt(g + 4.5) LIMIT 1) "
               "FROM generate_series(0, 3) g ORDER BY g")
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.assertEqual(self.fx.rows(sql), [(g, g * 11 + 5) for g in range(4)])

    def test_local_partition(self):
        """A local partition is read together with foreign ones."""
        self.fx.execute("CREATE TABLE part9 PARTITION OF parts FOR VALUES FROM (90) TO (100); INSERT INTO part9 VALUES ('p', 95, 1)")
        self.assertEqual(self.both_ways("SELECT n FROM parts WHERE h = 'p'", 4, 4), [(n,) for n in (*range(40), 95)])

    def test_row_locks(self):
        """FOR UPDATE locks nothing, but returns the rows."""
        self.assertEqual(sorted(self.fx.rows("SELECT n FROM parts WHERE h = 'p' FOR UPDATE")), [(n,) for n in range(40)])


class Ends(Scripted):
    """Pauses, errors and cancellation."""

    def setUp(self):
        super().setUp()
        self.pid = self.fx.conn.info.backend_pid

    def test_backoff(self):
        """A throttled branch continues when its pause is over."""
        self.fake.on("Query", [replies.throttle()] * 6)
        self.assertEqual(sorted(self.fx.rows(self.union())), [(n,) for n in range(40)])

    def test_unprocessed_keys(self):
        """A branch with unprocessed keys continues when its pause is over."""
        left = iter(range(4))

        def respond(request):
            return {"Responses": {}, "UnprocessedKeys": request.body["RequestItems"]} if next(left, None) is not None else None
        self.fake.on("BatchGetItem", respond)
        self.assertEqual(self.run_async(self.union("SELECT n FROM {} WHERE h = 'p' AND n IN (5, 6, 15, 25, 35)"), 4, 8),
                         [(5,), (6,), (15,), (25,), (35,)])

    def test_read_unit_limit(self):
        """A branch that waits for max_read_units_per_second continues in time."""
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD max_read_units_per_second '20')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_read_units_per_second)")
        for number in range(4):
            self.table(number, page_size=5)
        self.assertEqual(sorted(self.fx.rows(self.union())), [(n,) for n in range(40)])

    def test_no_response(self):
        """A wait of the Append counts toward request_timeout, as any other wait."""
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD request_timeout '800', ADD max_attempts '2'); SET statement_timeout = '15s'")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP request_timeout, DROP max_attempts)")
        self.describe()
        self.fake.on("Query", replies.hang_before_headers())
        failure = self.fx.error(self.union())
        self.assertEqual(failure.sqlstate, "08006")
        self.assertIn("Attempts: 2.", failure.detail)

    def test_one_fails(self):
        """A branch's error ends the statement; the session can go on."""
        self.fake.on("Query", lambda request: replies.error("AccessDeniedException", "no")
                     if request.body["TableName"] == "t2" else None)
        failure = self.fx.error(self.union())
        self.assertEqual(failure.sqlstate, "42501")
        self.assertIn('"t2"', failure.message)
        self.fake.reset(scripts=True)
        self.assertEqual(sorted(self.fx.rows(self.union())), [(n,) for n in range(40)])

    def test_type_mismatch(self):
        """The error about a mismatch names the item."""
        self.fake.tables["t1"].items[3]["v"] = {"S": "x"}
        failure = self.fx.error(self.union("SELECT n, v FROM {} WHERE h = 'p'"))
        self.assertEqual(failure.sqlstate, "HV004")
        self.assertIn('h = "p", n = 13', failure.detail)

    def test_not_null(self):
        """An item without its key column's neighbor is named, though its key was not requested."""
        self.fake.tables["t1"].items[3]["v"] = {"S": "x"}
        failure = self.fx.error(self.union("SELECT v FROM {} WHERE h = 'p'"))
        self.assertIn('h = "p", n = 13', failure.detail)

    def test_shared_index_then_table(self):
        """Branches that go through one list of keys: throttled, with keys that are left unprocessed, and stopped."""
        self.table(0, page_size=2)
        self.describe()
        sql = self.union("SELECT w FROM t0 WHERE v = 1 UNION ALL SELECT n + w FROM t0 WHERE v = 1 UNION ALL SELECT w FROM {} WHERE v = 1", 2)
        wanted = sorted([(n,) for n in range(1, 10, 2)] * 4 + [(2 * n,) for n in range(1, 10, 2)] * 2)
        left = iter(range(2))

        def respond(request):
            return {"Responses": {}, "UnprocessedKeys": request.body["RequestItems"]} if next(left, None) is not None else None
        self.fake.on("Query", [replies.throttle()] * 3)
        self.fake.on("BatchGetItem", respond)
        before = None
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        self.assertEqual(sorted(self.fx.rows(sql)), wanted)
        for operation in ("BatchGetItem", "Query"):
            self.fake.reset(scripts=True)
            self.fake.reset()
            self.assertEqual(sorted(self.fx.rows(sql)), wanted)
            self.assertEqual(sum(r.operation == "BatchGetItem" for r in self.reads()), 2)
            before = before or descriptors_of(self.pid)
            self.fake.on(operation, lambda request: replies.hang_before_headers())
            self.fx.execute("SET statement_timeout = 300")
            self.assertEqual(self.fx.error(sql).sqlstate, "57014")
            self.fx.execute("RESET statement_timeout")
        self.fake.reset(scripts=True)
        self.assertEqual(sorted(self.fx.rows(sql)), wanted)
        self.assertLessEqual(descriptors_of(self.pid), before)

    def test_timeout(self):
        """statement_timeout acts while the Append waits, and nothing stays open."""
        sql = self.union()
        self.fx.rows(sql)
        before = descriptors_of(self.pid)
        for hanging in ("t0", "t3"):
            self.fake.on("Query", lambda request, name=hanging: replies.hang_before_headers()
                         if request.body["TableName"] == name else None)
            self.fx.execute("SET statement_timeout = 300")
            self.assertEqual(self.fx.error(sql).sqlstate, "57014")
            self.fx.execute("RESET statement_timeout")
        self.fake.reset(scripts=True)
        self.assertEqual(sorted(self.fx.rows(sql)), [(n,) for n in range(40)])
        self.assertLessEqual(descriptors_of(self.pid), before)

    def test_no_leaks(self):
        """All descriptors are closed, however the statement ends."""
        for sql in (self.union(), self.union() + " LIMIT 3", self.union("SELECT 1 / (n - 25) FROM {} WHERE h = 'p'")):
            for attempt in range(3):
                try:
                    self.fx.rows(sql)
                except fixture.psycopg2.Error:
                    pass
                # idle connections are as many as the last statements used
                self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
                if attempt == 0:
                    before = descriptors_of(self.pid)
            self.assertEqual(descriptors_of(self.pid), before)

    def test_many_branches(self):
        """There may be more branches than file descriptors."""
        self.fake.delay = 0
        sql = " UNION ALL ".join(f"SELECT n FROM t{number % 4} WHERE h = 'p' AND n = {number % 40}" for number in range(1200))
        self.assertEqual(len(self.fx.rows(sql)), sum(number % 4 == number % 40 // 10 for number in range(1200)))


class RealTables(fixture.TestCase):
    """DynamoDB Local and local tables."""

    def test_mixed(self):
        """Foreign and local branches together return the same rows as local tables alone."""
        shop.create(self.fx, "orders", "readings")
        self.fx.execute("SET dynamo_fdw.scan_policy = allow; CREATE TABLE l AS SELECT * FROM orders; "
                        "CREATE TABLE r AS SELECT * FROM readings")
        for form in ("SELECT total FROM {0} WHERE cust = 'c01' UNION ALL SELECT val FROM {1} WHERE sensor = 2 UNION ALL SELECT 7",
                     "SELECT cust, at FROM {0} WHERE ship = 's3' UNION ALL SELECT cust, at FROM {0} WHERE ship = 's4'",
                     "SELECT count(*) FROM {0} UNION ALL SELECT count(*) FROM {1}",
                     "SELECT x.total, y.val FROM (SELECT total FROM {0} UNION ALL SELECT val FROM {1}) x, {1} y "
                     "WHERE y.val = x.total AND y.sensor = 1"):
            with self.subTest(form):
                sql = form.format("orders", "readings")
                self.assertIn("Async Foreign Scan", self.fx.explain(sql))
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(form.format("l", "r"))))
