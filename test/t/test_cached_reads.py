"""Executions that would read the same items again are served from what an earlier one read."""
import json

import fixture
from volume import volume

COLUMNS = 'id text COLLATE "C" NOT NULL, n int, shade text COLLATE "C", price numeric, tags text[], doc jsonb, note text'
PAGES = 6


def item(i):
    """Item number i; some attributes are missing in some."""
    attributes = {"id": f"i{i:04}", "n": i % 40, "shade": f"s{i % 7}\u00e9\"", "price": i / 4, "tags": {f"t{i % 5}", "all"},
                  "doc": {"size": i % 9, "label": f"l{i % 3}"}, "note": "x" * 200}
    for number, name in enumerate(("n", "shade", "price", "tags", "doc")):
        if i % 31 == number:
            del attributes[name]
    return attributes


class Cached(fixture.TestCase):
    """A table of several pages, its mirror, and a local table of outer rows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("parts", ("id", "S"))
        cls.fx.put("parts", [item(i) for i in range(300)])
        cls.fx.foreign_table("parts", COLUMNS, scan_policy="allow", fetch_size=50)
        cls.fx.execute("CREATE TABLE mirror AS SELECT * FROM parts;"
                       "CREATE TABLE outers AS SELECT i, i % 40 AS n, 's' || i % 8 || 'é\"' AS shade, 't' || i % 6 AS tag,"
                       " 'l' || i % 4 AS label, i * 3.5 AS price FROM generate_series(0, 19) i;"
                       "INSERT INTO outers VALUES (20, NULL, NULL, NULL, NULL, NULL); ANALYZE outers, mirror")

    def setUp(self):
        self.addCleanup(self.fx.execute, "ROLLBACK; RESET ALL; SET statement_timeout = '60s'")

    def scans(self, sql):
        """Its Scans, distinguished by their first pages."""
        requests = self.fx.requests(sql)
        self.assertEqual({r.operation for r in requests} - {"Scan"}, set())
        return [r for r in requests if "ExclusiveStartKey" not in r.body], len(requests)

    def assertKept(self, sql, scans=2, pages=None):
        """The rows of the mirror, with that number of Scans; and without cached reads, too."""
        wanted = sorted(self.fx.rows(sql.replace("parts", "mirror")), key=str)
        self.assertEqual(sorted(self.fx.rows(sql), key=str), wanted)
        begun, requests = self.scans(sql)
        self.assertEqual(len(begun), scans)
        self.assertLessEqual(requests, pages or scans * (PAGES + 1))
        self.fx.execute("SET dynamo_fdw.enable_cached_reads = off")
        self.assertEqual(sorted(self.fx.rows(sql), key=str), wanted)
        self.fx.execute("SET dynamo_fdw.enable_cached_reads = on")


class Responses(Cached):
    """Rows and requests."""

    def test_conditions(self):
        """Every kind of condition, evaluated on items that were cached."""
        conditions = ("p.n = o.n", "p.n <> o.n", "p.n < o.n", "p.n >= o.n", "p.n BETWEEN o.n AND o.n + 2",
                      "p.price > o.price", "p.price = o.price", "p.price IN (o.price, o.price + 1)", "p.shade = o.shade",
                      "p.shade > o.shade", "p.shade LIKE o.shade || '%'", "starts_with(p.shade, o.shade)",
                      "p.shade <> ALL (ARRAY[o.shade, 's1'])", "p.n = ANY (ARRAY[o.n, o.n + 1, NULL])",
                      "o.tag = ANY (p.tags)", "p.tags @> ARRAY[o.tag, 'all']", "p.doc->>'label' = o.label",
                      "(p.n = o.n OR p.shade = o.shade)", "p.n = o.n AND p.price < 100 AND p.shade IS NOT NULL",
                      "(p.n IS NULL OR p.n = o.n)", "p.n = o.n AND p.shade = 's3é\"'")
        for condition in volume(conditions[::5], conditions):
            with self.subTest(condition):
                self.assertKept("SELECT o.i, (SELECT string_agg(p.id, ',' ORDER BY p.id) FROM parts p"
                                f" WHERE {condition}) FROM outers o")
                self.assertKept(f"SELECT o.i, (SELECT count(*) FROM parts p WHERE {condition}) FROM outers o")

    def test_forms(self):
        """Subqueries, LATERAL, the inner side of a nested loop, outer joins."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        for sql in ("SELECT o.i, s.* FROM outers o, LATERAL (SELECT p.id, p.price FROM parts p WHERE p.n = o.n OFFSET 0) s",
                    "SELECT o.i, s.* FROM outers o LEFT JOIN LATERAL (SELECT p.id FROM parts p WHERE p.n = o.n"
                    " AND p.price > o.price ORDER BY p.price LIMIT 3) s ON true",
                    "SELECT o.i FROM outers o WHERE (SELECT sum(p.price) FROM parts p WHERE p.n = o.n) > 1200",
                    "SELECT o.i FROM outers o WHERE o.price < ALL (SELECT p.price FROM parts p WHERE p.n = o.n)"):
            with self.subTest(sql):
                self.assertKept(sql)

    def test_long_lists(self):
        """All of a list that is too long for a request is looked for among the cached items."""
        members = "CREATE TEMP TABLE lists AS SELECT i, ARRAY(SELECT generate_series(i - 3000, i + 5)) AS ns FROM generate_series(0, 4) i"
        self.fx.execute(members)
        self.addCleanup(self.fx.execute, "DROP TABLE lists")
        for condition in ("p.n = ANY (o.ns)", "p.n <> ALL (o.ns)"):
            self.assertKept(f"SELECT o.i, ARRAY(SELECT p.id FROM parts p WHERE {condition} ORDER BY p.id) FROM lists o")

    def test_projection(self):
        """The cached Scan has no filter that changes, and requests the key and what the filters need."""
        (first, second), _ = self.scans("SELECT (SELECT sum(p.price) FROM parts p WHERE p.n = o.n AND p.shade = 's3é\"')"
                                        " FROM outers o")
        self.assertEqual(set(first.body["ExpressionAttributeNames"].values()), {"price", "n", "shade", "id"})
        self.assertEqual(set(second.body["ExpressionAttributeNames"].values()), {"price", "n", "shade", "id"})
        self.assertEqual(list(second.body["ExpressionAttributeValues"].values()), [{"S": "s3é\""}])

    def test_spilled(self):
        """More than work_mem goes to a temporary file."""
        self.fx.execute("SET work_mem = '64kB'")
        sql = "SELECT o.i, (SELECT string_agg(p.id || p.note, ',' ORDER BY p.id) FROM parts p WHERE p.n = o.n) FROM outers o"
        self.assertKept(sql)
        self.assertRegex(self.fx.explain(sql, "ANALYZE, COSTS OFF, TIMING OFF"), r"Cached: 300 items  Disk: \d+kB  Executions Served: 20")

    def test_stopped_early(self):
        """A read that was left is continued: no page is read twice."""
        for work_mem in ("4MB", "64kB"):
            self.fx.execute(f"SET work_mem = '{work_mem}'")
            self.assertKept("SELECT o.i, EXISTS (SELECT 1 FROM parts p WHERE p.n = o.n OFFSET 0) FROM outers o", pages=2 * PAGES + 2)
            self.assertKept("SELECT o.i, (SELECT p.note FROM parts p WHERE p.price >= o.price * 2 AND p.n < 9 LIMIT 1) FROM outers o",
                            pages=2 * PAGES + 2)
        sql = ("SELECT o.i, (SELECT p.id FROM parts p WHERE p.n >= o.n LIMIT 1) IS NOT NULL FROM outers o WHERE o.i < 5")
        self.assertKept(sql, pages=PAGES)

    def test_two_loops(self):
        """Parameters of two levels."""
        self.assertKept("SELECT o.i, (SELECT sum((SELECT count(*) FROM parts p WHERE p.n = o.n AND p.shade = q.shade))"
                        " FROM outers q) FROM outers o WHERE o.i < 4")

    def test_same_values(self):
        """Executions that repeat the first one as it is."""
        self.fx.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.assertKept("SELECT o.i, p.id FROM outers o LEFT JOIN parts p ON p.n + 0 = o.n AND p.price < 20")

    def test_no_rows(self):
        """Values that select nothing send nothing."""
        requests = self.fx.requests("SELECT o.i, (SELECT count(*) FROM parts p WHERE p.n = o.n) FROM outers o WHERE o.n IS NULL")
        self.assertEqual(requests, [])

    def test_explain(self):
        """What was cached, and how often it served."""
        sql = "SELECT o.i, (SELECT sum(p.price) FROM parts p WHERE p.n = o.n) FROM outers o"
        self.assertRegex(self.fx.explain(sql, "ANALYZE, COSTS OFF, TIMING OFF"),
                         r"Cached: 300 items  Memory: \d+kB  Executions Served: 20")
        [(plan,)] = self.fx.rows(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        text = json.dumps(plan)
        self.assertIn('"Cached Items": 300', text)
        self.assertIn('"Cached Space Type": "Memory"', text)
        self.assertNotIn("Kept", self.fx.explain("SELECT * FROM parts", "ANALYZE"))


class Cursors(Cached):
    """Statements that are executed by several FETCHes."""

    SQL = "SELECT o.i, (SELECT string_agg(p.id || p.note, ',' ORDER BY p.id) FROM parts p WHERE p.n = o.n) FROM outers o ORDER BY o.i"

    def rows_of(self, sql):
        """Those of the mirror."""
        return self.fx.rows(sql.replace("parts", "mirror"))

    def test_backward(self):
        """FETCH BACKWARD."""
        for work_mem in ("4MB", "64kB"):
            self.fx.execute(f"SET work_mem = '{work_mem}'; BEGIN; DECLARE c SCROLL CURSOR FOR {self.SQL}")
            rows = self.fx.rows("FETCH 9 FROM c")
            self.assertEqual(self.fx.rows("FETCH BACKWARD 5 FROM c"), rows[3:8][::-1])
            rows = rows[:4] + self.fx.rows("FETCH ALL FROM c")
            self.assertEqual(rows, self.rows_of(self.SQL))
            self.fx.execute("COMMIT")

    def test_savepoint(self):
        """A savepoint is rolled back while the cursor is open; the file is made inside it, or before."""
        for before in (0, 1, 4):
            with self.subTest(before):
                self.fx.execute(f"ROLLBACK; SET work_mem = '64kB'; BEGIN; DECLARE c CURSOR FOR {self.SQL}")
                rows = self.fx.rows(f"FETCH {before} FROM c") if before else []
                self.fx.execute("SAVEPOINT s")
                rows += self.fx.rows("FETCH 6 FROM c")
                self.fx.execute("ROLLBACK TO s")
                rows += self.fx.rows("FETCH ALL FROM c")
                self.assertEqual(rows, self.rows_of(self.SQL))
                self.fx.execute("COMMIT")

    def test_savepoint_of_the_cursor(self):
        """The cursor itself goes with the savepoint."""
        self.fx.execute(f"SET work_mem = '64kB'; BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR {self.SQL}")
        self.fx.rows("FETCH 6 FROM c")
        self.fx.execute("ROLLBACK TO s")
        self.assertEqual(self.fx.error("FETCH 1 FROM c").sqlstate, "34000")
        self.fx.execute("ROLLBACK")

    def test_hold(self):
        """WITH HOLD, read to its end at commit."""
        for work_mem in ("4MB", "64kB"):
            self.fx.execute(f"SET work_mem = '{work_mem}'; BEGIN; DECLARE c CURSOR WITH HOLD FOR {self.SQL}")
            rows = self.fx.rows("FETCH 3 FROM c")
            self.fx.execute("COMMIT")
            self.assertEqual(rows + self.fx.rows("FETCH ALL FROM c"), self.rows_of(self.SQL))
            self.fx.execute("CLOSE c")

    def test_exception_block(self):
        """A loop whose body rolls back a subtransaction for every row."""
        self.fx.execute("SET work_mem = '64kB'")
        self.fx.execute(f"""CREATE FUNCTION pieces() RETURNS SETOF text LANGUAGE plpgsql AS $$
            DECLARE r record; BEGIN
                FOR r IN {self.SQL} LOOP
                    BEGIN RETURN NEXT r.i || ':' || coalesce(r.string_agg, '-'); PERFORM 1 / (r.i % 2);
                    EXCEPTION WHEN division_by_zero THEN NULL; END;
                END LOOP; END $$""")
        self.assertEqual(self.fx.rows("SELECT pieces()"), [(f"{i}:{text or '-'}",) for i, text in self.rows_of(self.SQL)])


class Mismatches(Cached):
    """Mismatches: as without cached reads."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("odd", ("id", "S"))
        cls.fx.put("odd", [{"id": "a", "n": 1, "v": 10}, {"id": "b", "n": "text", "v": 20}, {"id": "c", "n": 2, "v": "misfit"},
                           {"id": "d", "n": 3, "v": 30}])
        cls.fx.foreign_table("odd", 'id text COLLATE "C", n int, v int', scan_policy="allow")

    def outcome(self, sql):
        """Rows, or the error without its context."""
        try:
            return sorted(self.fx.rows(sql))
        except fixture.psycopg2.Error as failure:
            return failure.diag.message_primary, failure.diag.message_detail

    def test_as_before(self):
        """The same rows, or the same error with the item's key, with and without."""
        for values in ("1, 3", "1, 3, 1", "1, 3, 2", "3, 2", "1, 1, 1"):
            for condition in ("n = x", "n >= x AND n < x + 1", "n <> x", "(n = x OR v = 30)", "n IN (x, 17)"):
                sql = f"SELECT x, (SELECT sum(v) FROM odd WHERE {condition}) FROM unnest(ARRAY[{values}]) x"
                with self.subTest(sql):
                    kept = self.outcome(sql)
                    self.fx.execute("SET dynamo_fdw.enable_cached_reads = off")
                    self.assertEqual(kept, self.outcome(sql))
                    self.fx.execute("SET dynamo_fdw.enable_cached_reads = on")

    def test_unrequested(self):
        """An item that the condition does not select is not decoded."""
        sql = "SELECT x, (SELECT sum(v) FROM odd WHERE n = x) FROM unnest(ARRAY[1, 3, 1, 3]) x"
        self.assertEqual(self.outcome(sql), [(1, 10), (1, 10), (3, 30), (3, 30)])


class Partitions(fixture.TestCase):
    """One partition, or a few, under conditions that change."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("lines", ("doc", "S"), ("no", "N"))
        cls.fx.put("lines", [{"doc": f"d{d}", "no": n, "kind": f"k{n % 5}", "v": n * d} for d in range(4) for n in range(50)])
        cls.fx.foreign_table("lines", 'doc text COLLATE "C", no int, kind text, v int', scan_policy="allow", fetch_size=20)
        cls.fx.execute("CREATE TABLE mirror AS SELECT * FROM lines;"
                       "CREATE TABLE outers AS SELECT i, 'k' || i % 6 AS kind, 'd' || i / 5 AS doc FROM generate_series(0, 19) i;"
                       "ANALYZE outers, mirror")

    def setUp(self):
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off; SET enable_memoize = off")
        self.addCleanup(self.fx.execute, "RESET ALL; SET statement_timeout = '60s'")

    def begun(self, sql):
        """Queries, without their further pages; the rows are those of the mirror."""
        self.assertEqual(self.fx.rows(sql), self.fx.rows(sql.replace("lines", "mirror")))
        requests = self.fx.requests(sql)
        self.assertEqual({r.operation for r in requests}, {"Query"})
        return sum("ExclusiveStartKey" not in r.body for r in requests)

    def test_one_partition(self):
        """The statement names it."""
        for what in ("sum(l.v)", "count(*)", "array_agg(l.v ORDER BY l.no)"):
            sql = f"SELECT o.i, (SELECT {what} FROM lines l WHERE l.doc = 'd3' AND l.kind = o.kind) FROM outers o ORDER BY o.i"
            self.assertEqual(self.begun(sql), 2)
            self.fx.execute("SET dynamo_fdw.enable_cached_reads = off")
            self.assertEqual(self.begun(sql), 20)
            self.fx.execute("SET dynamo_fdw.enable_cached_reads = on")

    def test_changing_elsewhere(self):
        """The condition that changes is not part of the request."""
        self.assertEqual(self.begun("SELECT o.i, (SELECT count(*) FROM lines l WHERE l.doc = 'd3' AND l.v + 0 > o.i * 10) FROM outers o"
                                    " ORDER BY o.i"), 2)

    def test_merged(self):
        """Several partitions in one order."""
        self.fx.execute("SET enable_sort = off")
        self.assertEqual(self.begun("SELECT o.i, (SELECT string_agg(x.t, ',') FROM (SELECT l.no || l.doc AS t FROM lines l WHERE l.doc IN ('d1', 'd3')"
                                    " AND l.kind = o.kind ORDER BY l.no, l.doc DESC LIMIT 5) x) FROM outers o ORDER BY o.i"), 4)

    def test_in_order(self):
        """Items are cached in the order of the sort key; the first is enough."""
        self.assertEqual(self.begun("SELECT o.i, (SELECT l.no FROM lines l WHERE l.doc = 'd3' AND l.kind = o.kind"
                                    " ORDER BY l.no DESC LIMIT 1) FROM outers o ORDER BY o.i"), 2)

    def test_lookup_join(self):
        """It would send a Query for each value of the filter, of the partition that the statement names."""
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = on")
        one = "(SELECT {} FROM lines l WHERE l.doc = 'd3' AND l.kind = o.kind{})"
        for sql in ("SELECT o.i, " + one.format("sum(l.v)", "") + " FROM outers o ORDER BY o.i",
                    "SELECT o.i, " + one.format("l.no", " ORDER BY l.no LIMIT 1") + " FROM outers o ORDER BY o.i",
                    "SELECT o.i, (SELECT count(*) FROM lines l WHERE l.doc = 'd3' AND l.v = o.i % 6) FROM outers o ORDER BY o.i",
                    "SELECT o.i, EXISTS " + one.format("", " OFFSET 0") + " FROM outers o ORDER BY o.i",
                    "SELECT o.i, x.s FROM outers o, LATERAL " + one.format("sum(l.v) AS s", "") + " x ORDER BY o.i",
                    "SELECT o.i, x.no FROM outers o LEFT JOIN LATERAL " + one.format("l.no", " ORDER BY l.no LIMIT 2")
                    + " x ON true ORDER BY o.i, x.no"):
            with self.subTest(sql):
                self.assertEqual(self.begun(sql), 2)
                self.fx.execute("SET dynamo_fdw.enable_cached_reads = off")
                self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
                self.assertEqual(self.begun(sql), 6)
                self.fx.execute("SET dynamo_fdw.enable_cached_reads = on")
        # a condition on the sort key selects other items for each value
        self.assertIn("DynamoLookupJoin", self.fx.explain("SELECT o.i, (SELECT sum(l.v) FROM lines l WHERE l.doc = 'd3' AND l.no > o.i) FROM outers o"))

    def test_partition_of_the_row(self):
        """Twice for each run of rows with the same partition; a changing sort key condition is sent each time."""
        self.assertEqual(self.begun("SELECT o.i, (SELECT sum(l.v) FROM lines l WHERE l.doc = o.doc AND l.kind = o.kind)"
                                    " FROM (SELECT * FROM outers ORDER BY i OFFSET 0) o"), 8)
        self.assertEqual(self.begun("SELECT o.i, (SELECT sum(l.v) FROM lines l WHERE l.doc = 'd1' AND l.no > o.i AND l.kind = o.kind)"
                                    " FROM (SELECT * FROM outers ORDER BY i OFFSET 0) o"), 20)
