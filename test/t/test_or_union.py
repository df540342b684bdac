"""An OR over different keys or indexes: each arm is read by its own key, and each row is returned once."""
import json

import fixture
import request_text
import shop
from dynamo import index, item
from replies import reply
from request_text import statements
from tables import index as described_index
from tables import with_capacity

SHIPPED = "Query orders/by_ship where ship = 's3' get at, cust"
SHIPPED_KEYS = "{cust 'c03', at '2024-01-01'} {cust 'c03', at '2024-09-21'} {cust 'c03', at '2024-11-11'}"
OPEN = "Query orders/by_status where status = 'open' AND at < '2024-02'"

UNIONS = [
    ("an item or an index", "SELECT cust, at, total FROM orders WHERE cust = 'c01' AND at = '2024-01-01' OR ship = 's3'",
     ["GetItem orders {cust 'c01', at '2024-01-01'} get at, cust, ship, total", SHIPPED,
      f"BatchGetItem orders {SHIPPED_KEYS} get at, cust, ship, total"]),
    ("a partition or an index", "SELECT cust, at, total FROM orders WHERE cust = 'c01' OR status = 'open' AND at < '2024-02'",
     ["Query orders where cust = 'c01' get at, cust, status, total", f"{OPEN} get at, cust, status, total"]),
    ("keys of items that are not shown", "SELECT total FROM orders WHERE cust = 'c01' OR status = 'open' AND at < '2024-02'",
     ["Query orders where cust = 'c01' get at, cust, status, total", f"{OPEN} get at, cust, status, total"]),
    ("two indexes", "SELECT total FROM orders WHERE status = 'open' AND at < '2024-02' OR region = 'eu' AND priority = 20",
     [f"{OPEN} get at, cust, priority, region, status, total", "Query orders/by_region where region = 'eu' AND priority = 20 get at, cust",
      "BatchGetItem orders {cust 'c01', at '2024-09-21'} {cust 'c03', at '2024-09-21'} {cust 'c05', at '2024-09-21'}"
      " {cust 'c07', at '2024-09-21'} {cust 'c09', at '2024-09-21'} {cust 'c11', at '2024-09-21'} {cust 'c13', at '2024-09-21'}"
      " {cust 'c15', at '2024-09-21'} {cust 'c17', at '2024-09-21'} {cust 'c19', at '2024-09-21'}"
      " get at, cust, priority, region, status, total"]),
    ("items that were returned are not read again", "SELECT total FROM orders WHERE ship = 's3' OR cust = 'c03'",
     ["Query orders where cust = 'c03' get at, cust, ship, total", SHIPPED]),
    ("branches of one index are one list", "SELECT total FROM orders WHERE cust = 'c05' OR ship = 's3' OR ship = 's4' OR ship = 's3'",
     ["Query orders where cust = 'c05' get at, cust, ship, total", "Query orders/by_ship where ship = 's3' get at, cust, ship",
      "Query orders/by_ship where ship = 's4' get at, cust, ship",
      f"BatchGetItem orders {SHIPPED_KEYS} {SHIPPED_KEYS.replace('c03', 'c04')} get at, cust, ship, total"]),
    ("other conditions are filters of each branch", "SELECT total FROM orders WHERE (cust = 'c01' OR status = 'open' AND at < '2024-02') AND paid",
     ["Query orders where cust = 'c01' filter paid = true OR paid = 1 OR paid IN ('t','true','Y') get at, cust, paid, status, total",
      f"{OPEN} filter paid = true OR paid = 1 OR paid IN ('t','true','Y') get at, cust, paid, status, total"]),
    ("other conditions may be of the key", "SELECT total FROM orders WHERE (cust = 'c01' OR status = 'open' AND at < '2024-02') AND total > 100",
     ["Query orders/by_total where cust = 'c01' AND total > 100 get at, cust, status, total",
      f"{OPEN} filter total > 100 get at, cust, status, total"]),
    ("lists", "SELECT total FROM orders WHERE ship IN ('s3', 'nowhere') OR cust = ANY ('{c03}')",
     ["Query orders where cust = 'c03' get at, cust, ship, total", "Query orders/by_ship where ship = 'nowhere' get at, cust, ship",
      "Query orders/by_ship where ship = 's3' get at, cust, ship"]),
    ("an order is made by a sort", "SELECT cust, at, total FROM orders WHERE cust = 'c01' OR status = 'open' AND at < '2024-02' ORDER BY at, cust LIMIT 3",
     ["Query orders where cust = 'c01' get at, cust, status, total", f"{OPEN} get at, cust, status, total"]),
    ("rows are counted once", "SELECT count(*) FROM orders WHERE cust = 'c01' OR status = 'open' AND at < '2024-02'",
     ["Query orders where cust = 'c01' get at, cust, status", f"{OPEN} get at, cust, status"]),
    ("a branch of NULL sends nothing", "SELECT total FROM orders WHERE ship = (SELECT NULL::text) OR cust = 'c05'",
     ["Query orders where cust = 'c05' get at, cust, ship, total"]),
    ("a branch that cannot hold sends nothing", "SELECT total FROM orders WHERE status = 'open' AND at < '' OR cust = 'c05'",
     ["Query orders where cust = 'c05' get at, cust, status, total"]),
    ("an index that its branch implies", "SELECT cust, at FROM orders WHERE region = 'eu' AND priority = 20 OR cust = 'c03'",
     ["Query orders where cust = 'c03' get at, cust, priority, region",
      "Query orders/by_region where region = 'eu' AND priority = 20 get at, cust, priority, region"]),
    ("an index that another condition implies", "SELECT cust, at FROM orders WHERE (region = 'eu' OR cust = 'c03') AND priority > 25",
     ["Query orders where cust = 'c03' filter priority > 25 get at, cust, priority, region",
      "Query orders/by_region where region = 'eu' AND priority > 25 get at, cust, priority, region"]),
]

SCANS = [
    ("an index that only the OR would imply", "SELECT cust, at FROM orders WHERE region = 'eu' OR cust = 'c03' AND priority > 25",
     ["Scan orders filter region = 'eu' OR cust = 'c03' AND priority > 25 get at, cust, priority, region"]),
    ("a branch without a key", "SELECT cust, at FROM orders WHERE cust = 'c03' OR total = 10.25",
     ["Scan orders filter cust = 'c03' OR total = 10.25 get at, cust"]),
    ("a branch that is no condition of a column", "SELECT cust, at FROM orders WHERE cust = 'c03' OR ship = 's3' OR random() < -1",
     ["Scan orders get at, cust, ship"]),
    ("a volatile condition", "SELECT cust, at FROM orders WHERE (cust = 'c03' OR ship = 's3') AND random() > -1",
     ["Scan orders filter cust = 'c03' OR ship = 's3' get at, cust"]),
    ("a volatile subquery", "SELECT cust, at FROM orders WHERE (cust = 'c03' OR ship = 's3') AND (SELECT (SELECT random() + length(at)) + length(cust)) > 0",
     ["Scan orders filter cust = 'c03' OR ship = 's3' get at, cust"]),
]

KEYED = [
    ("branches of one key", "SELECT at FROM orders WHERE cust = 'c01' OR cust = 'c02'",
     ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"]),
    ("full keys", "SELECT total FROM orders WHERE cust = 'c01' AND at = '2024-01-01' OR cust = 'c02' AND at = '2024-01-01'",
     ["BatchGetItem orders {cust 'c01', at '2024-01-01'} {cust 'c02', at '2024-01-01'} get at, cust, total"]),
]


@statements(UNIONS + SCANS + KEYED)
class Unions(request_text.RequestTestCase):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD scan_policy 'allow')")
        cls.mirror("orders")

    SQL = "SELECT cust, at, total FROM orders WHERE ship = 's3' OR cust = 'c03' OR status = 'open' AND at < '2024-02'"

    def setUp(self):
        self.addCleanup(self.fx.execute, "RESET ALL; DEALLOCATE ALL")

    def same(self, sql, parameters=None):
        """The rows of both."""
        rows = sorted(self.fx.rows(sql, parameters))
        self.assertEqual(rows, sorted(self.mirrored(sql, parameters)))
        return rows

    def test_limit_reads_only_what_it_needs(self):
        """The first arm has rows enough."""
        self.assertEqual(self.texts("SELECT cust FROM orders WHERE cust = 'c01' OR status = 'open' AND at < '2024-02' LIMIT 3"),
                         ["Query orders where cust = 'c01' get at, cust, status limit 3"])

    def test_prepared(self):
        """A generic plan requests the branches whose values are possible, and reads the table where an index cannot contain one."""
        sql = "SELECT cust, at FROM orders WHERE ship = $1 OR cust = $2 OR status = $3 AND at < $4"
        self.fx.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE p(text, text, text, text) AS {sql}")
        self.fx.execute(f"PREPARE q(text, text, text, text) AS {sql.replace('orders', 'mirror.orders')}")
        ship, cust = "Query orders/by_ship where ship = 's3' get at, cust", "Query orders where cust = 'c03' get at, cust, ship, status"
        status = "Query orders/by_status where status = 'open' AND at < '2024-02' get at, cust, ship, status"
        fetched = f"BatchGetItem orders {SHIPPED_KEYS} get at, cust, ship, status"
        for values, expected in (("'s3', 'c03', 'open', '2024-02'", [ship, cust, status]),
                                 ("NULL, 'c03', 'open', '2024-02'", [cust, status]), ("NULL, NULL, NULL, NULL", []),
                                 ("'s3', NULL, 'open', ''", [ship, fetched]), ("NULL, '', NULL, 'x'", []),
                                 ("'', 'c03', NULL, 'x'", ["Scan orders filter ship = '' get at, cust, ship, status", cust])):
            with self.subTest(values=values):
                self.assertEqual(self.texts(f"EXECUTE p({values})"), sorted(expected))
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE p({values})")), sorted(self.fx.rows(f"EXECUTE q({values})")))

    def test_a_scan_at_execution_is_refused(self):
        """scan_policy holds for a table that is read instead of an index."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; SET dynamo_fdw.scan_policy = error;"
                        "PREPARE p(text) AS SELECT cust FROM orders WHERE ship = $1 OR cust = 'c03'")
        self.assertEqual(len(self.fx.rows("EXECUTE p('s3')")), 30)
        self.assertIn("full scan", self.fx.error("EXECUTE p('')").message)

    def test_branches_that_request_the_same(self):
        """Values may be equal only at execution."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p(text, text, text, text) AS SELECT cust, at FROM orders"
                        " WHERE cust = $1 AND at > $2 OR status = $3 AND at < $4 OR status = $1 AND at < $2")
        texts = self.texts("EXECUTE p('open', '2024-02', 'open', '2024-02')")
        self.assertEqual(len(texts), len(set(texts)))

    def test_executed_again(self):
        """Keys that one execution returned are new to the next."""
        sql = "SELECT v.n, (SELECT count(*) FROM orders o WHERE o.ship = v.s OR o.cust = v.c OR o.status = 'open' AND o.at < '2024-02')" \
              " FROM (VALUES (1, 's3', 'c03'), (2, 's3', 'c03'), (3, NULL, 'c03'), (4, 's4', 'c03')) v(n, s, c)"
        self.assertIn("Union", self.fx.explain(sql))
        self.same(sql)
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        joined = f"SELECT v.n, o.* FROM (VALUES (1), (2)) v(n), LATERAL ({self.SQL} OFFSET 0) o"
        self.assertIn("Union", self.fx.explain(joined))
        self.same(joined)

    def test_fallbacks_of_a_subquery(self):
        """The first value that an index cannot hold is looked for in a Scan of its own, all others in one whose items are kept."""
        values = "(VALUES (1, '', 'c03'), (2, 's3', 'c03'), (3, repeat('y', 3000), 'c05'), (4, '', ''), (5, NULL, 'c04'), (6, '', 'c03'), (7, 's4', repeat('y', 3000))) v(n, s, c)"
        arms = "o.ship = v.s OR o.cust = 'c05'"
        for what, where, scans in (("count(*)", arms, (2, 4)), ("string_agg(at, ',' ORDER BY at)", f"({arms}) AND o.total > v.n * 20", (2, 4)),
                                   ("sum(total)", f"{arms} OR o.status = v.c AND o.at < '2024-02'", (3, 6))):
            sql = f"SELECT v.n, (SELECT {what} FROM orders o WHERE {where}) FROM {values}"
            for cached, expected in zip(("on", "off"), scans):
                with self.subTest(where, cached=cached):
                    self.fx.execute(f"SET dynamo_fdw.enable_cached_reads = {cached}")
                    self.same(sql)
                    self.assertEqual(sum(text.startswith("Scan") for text in self.texts(sql)), expected)
                    self.assertIn(f"Table Fallbacks: {scans[1]}", self.fx.explain(sql, "ANALYZE, COSTS OFF"))

    def test_repeated(self):
        """An inner side that does not depend on the outer row is read once, as far as it is needed, and stored."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        arms = "SELECT cust, at, total, note FROM orders o WHERE (ship = 's3' OR cust = 'c03' OR status = 'open' AND at < '2024-02')"
        once = self.texts(arms)
        for memory in ("4MB", "64kB"):
            self.fx.execute(f"SET work_mem = '{memory}'; SET hash_mem_multiplier = 1")
            sql = f"SELECT v.n, o.* FROM (VALUES (1), (2), (3), (4)) v(n) LEFT JOIN ({arms}) o ON o.total > v.n * 100"
            self.assertNotIn("Materialize", self.fx.explain(sql))
            self.assertGreater(len(self.same(sql)), 50)
            self.assertEqual(self.texts(sql), once)
        sql = f"SELECT v.n FROM (VALUES (90), (20), (250), (1)) v(n) WHERE EXISTS (SELECT FROM ({arms}) o WHERE o.total + 0 > v.n)"
        self.assertIn("Union", self.fx.explain(sql))
        self.same(sql)
        self.assertLessEqual(len(self.texts(sql)), len(once))

    def test_little_memory(self):
        """Rows whose keys exceed the memory limit are returned at the end, each once."""
        self.fx.execute("SET hash_mem_multiplier = 1; SET work_mem = '64kB'")
        sql = "SELECT cust, at, status, note FROM orders WHERE cust >= 'c' AND (status = 'open' AND at > '2' OR cust = ANY"
        sql += " ('{" + ",".join(f"c{n:02d}" for n in range(20)) + "}'))"
        self.assertIn("Union", self.fx.explain(sql))
        self.assertEqual(len(self.same(sql)), 600)
        self.assertEqual(len(self.fx.rows(f"{sql} LIMIT 599")), 599)

    def test_cursor(self):
        """Backward and forward, over COMMIT, and stopped."""
        right = sorted(self.mirrored(self.SQL))
        self.fx.execute(f"BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR {self.SQL}; DECLARE d CURSOR FOR {self.SQL}")
        first = self.fx.rows("FETCH 5 FROM c")
        self.assertEqual(len(self.fx.rows("FETCH 2 FROM d")), 2)
        self.assertEqual(self.fx.rows("FETCH BACKWARD 2 FROM c"), [first[3], first[2]])
        self.fx.execute("CLOSE d; COMMIT")
        self.assertEqual(sorted(first[:3] + self.fx.rows("FETCH ALL FROM c")), right)
        self.fx.execute("CLOSE c")

    def test_row_locks_and_joins(self):
        """FOR UPDATE, a join, and a semijoin over a union."""
        self.assertEqual(sorted(self.fx.rows(f"{self.SQL} FOR UPDATE")), sorted(self.mirrored(self.SQL)))
        self.same(f"SELECT a.cust, b.at FROM ({self.SQL}) a JOIN orders b ON b.cust = a.cust AND b.at = a.at")
        self.same(f"SELECT v FROM (VALUES ('c03'), ('c00'), ('c19'), ('none')) v(v) WHERE v IN (SELECT cust FROM ({self.SQL}) s)")

    def test_next_to_others(self):
        """In an Append that does not wait, and next to Scans of the same table."""
        self.same(f"{self.SQL} UNION ALL SELECT cust, at, total FROM orders WHERE cust = 'c07' UNION ALL {self.SQL}")
        self.same(f"SELECT count(*), (SELECT count(*) FROM orders WHERE total > 5) FROM ({self.SQL}) s")

    def test_subqueries_in_conditions(self):
        """They are evaluated for each row before it counts."""
        self.same("SELECT cust, at FROM orders o WHERE (ship = 's3' OR cust = 'c03' OR status = 'open' AND at < '2024-02')"
                  " AND EXISTS (SELECT FROM generate_series(1, 3) g WHERE g < total / 40 OFFSET 0)")

    def test_conditions_of_the_table_that_has_the_row(self):
        """tableoid is known when rows are checked, in children of a table, too."""
        where = self.SQL.replace("WHERE ", "WHERE (") + ") AND tableoid = 'orders'::regclass"
        self.assertIn("Union", self.fx.explain(where))
        self.assertTrue(self.same(where))

    def test_consistent(self):
        """Consistent reads use no global index."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p AS " + self.SQL)
        self.fx.rows("EXECUTE p")
        self.fx.execute("SET dynamo_fdw.consistent_read = on")
        [scan] = self.texts("EXECUTE p")
        self.assertTrue(scan.startswith("Scan orders"), scan)

    def test_explain(self):
        """Each arm's request is shown, and what several arms had."""
        self.assertEqual(self.fx.explain("SELECT total FROM orders WHERE ship = 's3' OR cust = 'c03'",
                                         "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF").split("\n")[1:],
                         ["  Filter: ((ship = 's3'::text) OR (cust = 'c03'::text))", "  Operation: Union",
                          f"  Remote Table: {self.fx.remote('orders')}", "  Branch: Query", "    Key Condition: cust = 'c03'::text",
                          "  Branch: Query, then BatchGetItem", "    Index: by_ship", "    Key Condition: ship = 's3'::text",
                          "  Requests: 2  Pages: 2  Items Read: 33  Items Returned: 33  Read Units: 1.5  Retries: 0", "  Duplicates: 3"])
        plan = self.fx.value("EXPLAIN (ANALYZE, FORMAT JSON) " + self.SQL)
        node = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
        self.assertEqual((node["Remote Operation"], [arm["Remote Operation"] for arm in node["Branches"]]),
                         ("Union", ["Query", "Query", "Query, then BatchGetItem"]))
        self.assertGreater(node["Duplicates"], 0)

    def test_unnested(self):
        """A row is an element; an item that both arms read gives its rows once."""
        self.fx.foreign_table("tagged", shop.COLUMNS["orders"].replace(" tags text[],", "") + ", pos int OPTIONS (path '@index'),"
                              " tag text OPTIONS (path '@')", table_name=self.fx.remote("orders"), unnest="tags", scan_policy="allow")
        self.fx.execute("DROP TABLE IF EXISTS mirror.tagged; CREATE TABLE mirror.tagged AS SELECT * FROM public.tagged")
        for memory in ("64kB", "4MB"):
            self.fx.execute(f"SET hash_mem_multiplier = 1; SET work_mem = '{memory}'")
            for where in ("ship = 's3' OR cust = 'c03'", "cust = 'c03' OR status = 'open' AND at < '2024-02'",
                          "cust = 'c03' AND tag = 't3' OR status = 'open' AND at < '2024-02' AND tag <> 'x'",
                          "cust = ANY ('{" + ",".join(f"c{n:02d}" for n in range(20)) + "}') OR status = 'open' AND at > '2'"):
                sql = f"SELECT cust, at, pos, tag, note FROM tagged WHERE {where}"
                self.assertIn("Union", self.fx.explain(sql))
                self.assertTrue(self.same(sql))


class Outdated(fixture.TestCase):
    """Two indexes whose entries are of different times."""

    def setUp(self):
        self.fake = self.fx.fake("late")
        self.addCleanup(self.fx.execute, "DROP SERVER late CASCADE")
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), None, [described_index("by_owner", ("owner", "S")), described_index("by_state", ("state", "S")),
                                                 described_index("by_town", ("town", "S"), projection="KEYS_ONLY")],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.entries = {}
        self.fake.on("Query", lambda request: self.page(request.body.get("IndexName")))
        self.fake.on("BatchGetItem", lambda request: self.batch(request.body))
        self.items = {}
        self.fx.foreign_table("t", 'pk text COLLATE "C" NOT NULL, owner text, state text, town text, v int', server="late", scan_policy="error")

    def page(self, name):
        """What an index returns."""
        found = [item(entry) for entry in self.entries.get(name, [])]
        return reply(with_capacity({"Items": found, "Count": len(found), "ScannedCount": len(found)}, {}))

    def batch(self, body):
        """The items of those keys."""
        [wanted] = body["RequestItems"].values()
        found = [item(self.items[key["pk"]["S"]]) for key in wanted["Keys"] if key["pk"]["S"] in self.items]
        return reply(with_capacity({"Responses": {"t": found}, "UnprocessedKeys": {}}, {}))

    def test_an_entry_that_fails_does_not_hide_the_item(self):
        """A row is checked before its key counts as returned."""
        self.entries = {"by_owner": [{"pk": "p", "owner": "o", "state": "old", "v": 1}, {"pk": "q", "owner": "o", "v": 8}],
                        "by_state": [{"pk": "p", "owner": "o", "state": "s", "v": 7}, {"pk": "q", "owner": "o", "state": "s", "v": 9}]}
        sql = "SELECT pk, v FROM t WHERE (owner = 'o' OR state = 's') AND abs(v) > 5"
        self.assertIn("Union", self.fx.explain(sql))
        self.assertEqual(sorted(self.fx.rows(sql)), [("p", 7), ("q", 8)])

    def test_an_entry_that_moved(self):
        """An entry that one index lists twice gives one row."""
        self.entries = {"by_owner": [{"pk": "p", "owner": "o", "v": 1}, {"pk": "p", "owner": "o", "v": 2}]}
        self.assertEqual(self.fx.rows("SELECT pk, v FROM t WHERE owner = 'o' OR state = 's'"), [("p", 1)])

    def test_an_item_of_an_index(self):
        """An outdated entry that was read does not hide what the table has, and what was returned is not read."""
        self.entries = {"by_owner": [{"pk": "p", "owner": "o", "town": "t", "v": 1}, {"pk": "q", "owner": "o", "v": 8}],
                        "by_town": [{"pk": "p", "town": "t"}, {"pk": "q", "town": "t"}, {"pk": "gone", "town": "t"}]}
        self.items = {"p": {"pk": "p", "owner": "o", "town": "t", "v": 9}, "q": {"pk": "q", "town": "t", "v": 0}}
        self.assertEqual(sorted(self.fx.rows("SELECT pk, v FROM t WHERE (owner = 'o' OR town = 't') AND abs(v) > 5")), [("p", 9), ("q", 8)])
        [batch] = [request for request in self.fake.requests if request.operation == "BatchGetItem"]
        self.assertEqual(sorted(key["pk"]["S"] for key in batch.body["RequestItems"]["t"]["Keys"]), ["gone", "p"])

    def test_many_rows(self):
        """Each once, however many and whatever memory there is; in temporary files, too."""
        def entry(number):
            return {"pk": f"{number:05d}" + "k" * 200, "owner": "o", "state": "s", "v": number}
        self.entries = {"by_owner": [entry(n) for n in range(900)], "by_state": [entry(n) for n in range(600, 1500)]}
        self.addCleanup(self.fx.execute, "RESET ALL")
        for memory in ("64kB", "4MB"):
            self.fx.execute(f"SET hash_mem_multiplier = 1; SET work_mem = '{memory}'")
            for _ in range(2):
                self.assertEqual(sorted(self.fx.rows("SELECT v FROM t WHERE owner = 'o' OR state = 's'")), [(n,) for n in range(1500)])

    def test_memory_of_duplicates(self):
        """What is passed over takes no memory until the next row."""
        def entry(number):
            return {"pk": f"{number:05d}" + "k" * 1000, "owner": "o", "state": "s", "town": "t", "v": number}
        self.fx.execute("CREATE FUNCTION taken() RETURNS numeric STABLE LANGUAGE sql AS $$SELECT sum(total_bytes) FROM pg_backend_memory_contexts"
                        " WHERE name IN ('ExprContext', 'dynamo_fdw batch')$$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION taken()")
        self.items = {entry(n)["pk"]: entry(n) for n in (3000, 3001)}
        for name, arm in (("by_state", "state = 's'"), ("by_town", "town = 't'")):
            self.entries = {"by_owner": [entry(n) for n in range(3000)], name: [entry(n) for n in range(3002)]}
            with self.subTest(arm):
                sql = f"SELECT v FROM t WHERE (owner = 'o' AND v < 3000 OR {arm}) AND (v < 3000 OR taken() < 1000000)"
                self.assertIn("Union", self.fx.explain(sql))
                self.assertEqual(len(self.fx.rows(sql)), 3002)


class Templates(request_text.RequestTestCase):
    """Keys that are composed of columns."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("things", ("PK", "S"), ("SK", "S"), [index("by_mail", ("mail", "S"))])
        cls.fx.put("things", [{"PK": f"user#{n}", "SK": "profile", "mail": f"m{n % 7}", "n": n} for n in range(40)] +
                   [{"PK": f"user#{n}", "SK": f"order#{n}", "mail": f"m{n % 7}", "n": n} for n in range(40)])
        cls.fx.foreign_table("people", 'id text COLLATE "C" NOT NULL, mail text NOT NULL, n int', table_name=cls.fx.remote("things"),
                             key_templates='{"PK": "user#${id}"}', item_filter='{"SK": "profile"}', scan_policy="allow")
        cls.mirror("people")

    def test_rows(self):
        """What is no row of the table is left out, and hides nothing."""
        for where in ("id = '3' OR mail = 'm5'", "id = '5' OR mail = 'm5'", "id IN ('5', '6') OR mail IN ('m5', 'm1')"):
            sql = f"SELECT id, mail, n FROM people WHERE {where}"
            self.assertIn("Union", self.fx.explain(sql))
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
