"""Reads of an index whose items come from the table are cached, shared and repeated as those of an index are."""
import fixture
import shop
from dynamo import index

OWNERS, PER_OWNER = 4, 150
MANY = 450      # more keys than are read at a time
COLUMNS = 'id text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL, at int NOT NULL, colour text COLLATE "C", note text COLLATE "C", size int'


def item(owner, n):
    """The n-th item of an owner; the index has its color."""
    attributes = {"id": f"i{owner}-{n:03}", "owner": f"o{owner}", "at": n, "kind": "ab"[n % 2], "colour": f"c{n % 3}",
                  "note": f"n{n % 7}", "size": n % 10, "tags": [f"t{n % 2}", "all"]}
    for number, name in enumerate(("colour", "note", "size", "tags")):
        if n % 17 == number:
            del attributes[name]
    return attributes


class Listed(fixture.TestCase):
    """A table with an index of its keys and one attribute, and local tables with the rows."""

    TABLES = {"things": {}, "kind_a": {"item_filter": '{"kind": "a"}'}, "kind_b": {"item_filter": '{"kind": "b"}'}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("things", ("id", "S"), None, [index("by_owner", ("owner", "S"), ("at", "N"), ["colour"])])
        shop.pretend_large(cls.fx)
        cls.fx.put("things", [item(owner, n) for owner in range(OWNERS) for n in range(PER_OWNER)]
                   + [item("big", n) for n in range(MANY)])
        for name, options in cls.TABLES.items():
            cls.entity(name, COLUMNS, **options)
        cls.entity("tag", COLUMNS + ", tag text OPTIONS (path '@') COLLATE \"C\"", unnest="tags")
        for name in (*cls.TABLES, "tag"):
            cls.fx.execute(f"CREATE TABLE local_{name} AS SELECT * FROM {name}; ANALYZE local_{name}")
            cls.fx.execute(f"ALTER FOREIGN TABLE {name} OPTIONS (SET scan_policy 'error')")
        cls.fx.execute("CREATE TABLE outers AS SELECT i, 'n' || i % 9 AS note, 'c' || i % 4 AS colour, i % 12 AS size, 'o' || i / 6 AS owner"
                       " FROM generate_series(0, 11) i; INSERT INTO outers VALUES (12, NULL, NULL, NULL, NULL); ANALYZE outers")

    @classmethod
    def entity(cls, name, columns, **options):
        """One foreign table over the items."""
        cls.fx.foreign_table(name, columns, **{"table_name": cls.fx.remote("things"), "scan_policy": "allow", "fetch_size": 40, **options})

    def setUp(self):
        self.addCleanup(self.fx.execute, "ROLLBACK; RESET ALL; SET statement_timeout = '60s'")

    @staticmethod
    def local(sql):
        """The statement over the local tables."""
        for name in ("things", "kind_a", "kind_b", "tag"):
            sql = sql.replace(f"FROM {name}", f"FROM local_{name}").replace(f"JOIN {name}", f"JOIN local_{name}")
        return sql

    def sent(self, sql):
        """How many Queries were begun, and keys read."""
        requests = self.fx.requests(sql)
        self.assertEqual({r.operation for r in requests} - {"Query", "BatchGetItem", "GetItem"}, set(), self.fx.explain(sql))
        keys = sum(len(table["Keys"]) for r in requests if r.operation == "BatchGetItem" for table in r.body["RequestItems"].values())
        keys += sum(r.operation == "GetItem" for r in requests)
        return sum(r.operation == "Query" and "ExclusiveStartKey" not in r.body for r in requests), keys

    def assertSent(self, sql, queries, keys):
        """The rows of the local tables, with those requests."""
        for memory in ("4MB", "64kB"):
            self.fx.execute(f"SET work_mem = '{memory}'")
            self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(self.fx.rows(self.local(sql)), key=str), sql)
            self.assertEqual(self.sent(sql), (queries, keys), f"{sql}\n{self.fx.explain(sql)}")


class Cached(Listed):
    """Executions that read the same keys."""

    def setUp(self):
        super().setUp()
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off; SET enable_hashjoin = off; SET enable_mergejoin = off")

    def test_conditions(self):
        """What the index does not know is checked on items that were cached: two reads for all executions."""
        for condition in ("t.note = o.note", "t.size < o.size", "t.note <> o.note OR t.size = o.i"):
            self.assertSent(f"SELECT o.i, (SELECT string_agg(t.id, ',' ORDER BY t.id) FROM things t WHERE t.owner = 'o1' AND ({condition}))"
                            " FROM outers o", 2, 2 * PER_OWNER)
        self.assertSent("SELECT o.i, (SELECT count(*) FROM things t WHERE t.owner = 'o1' AND t.at < 60 AND t.colour = 'c2' AND t.note = o.note)"
                        " FROM outers o", 2, 2 * sum(n % 3 == 2 and n % 17 != 0 for n in range(60)))

    def test_elements(self):
        """Items of an unnested table."""
        self.assertSent("SELECT o.i, (SELECT count(t.tag) FROM tag t WHERE t.owner = 'o1' AND t.size = o.size) FROM outers o", 2, 2 * PER_OWNER)

    def test_batches(self):
        """What is cached of one batch of keys outlives the next."""
        self.assertSent("SELECT o.i, (SELECT string_agg(t.id || t.note, ',' ORDER BY t.id) FROM things t WHERE t.owner = 'obig' AND t.size = o.size)"
                        " FROM outers o WHERE o.i < 5", 2, 2 * MANY)

    def test_filtered_index(self):
        """What the index selects keeps items from being read: each execution requests it."""
        chosen = [sum(n % 3 == i % 4 and n % 17 != 0 for n in range(PER_OWNER)) for i in range(12)]
        self.assertSent("SELECT o.i, (SELECT count(t.note) FROM things t WHERE t.owner = 'o1' AND t.colour = o.colour) FROM outers o",
                        12, sum(chosen))

    def test_keys(self):
        """A read is cached as long as the keys stay: one for the first execution, one for those after it."""
        self.assertSent("SELECT o.i, (SELECT sum(t.at) FROM things t WHERE t.owner = o.owner AND t.note = o.note)"
                        " FROM (SELECT * FROM outers ORDER BY i OFFSET 0) o", 4, 4 * PER_OWNER)

    def test_stopped(self):
        """A read that was left goes on; nothing is listed, or read, twice."""
        sql = "SELECT o.i, EXISTS (SELECT FROM things t WHERE t.owner = 'o1' AND t.size = o.i OFFSET 0) FROM outers o WHERE o.i < 9"
        self.assertEqual(self.fx.rows(sql), self.fx.rows(self.local(sql)))
        queries, keys = self.sent(sql)
        self.assertEqual(queries, 2)
        self.assertLessEqual(keys, 2 * PER_OWNER)

    def test_explain(self):
        """What is cached."""
        plan = self.fx.explain("SELECT o.i, (SELECT count(*) FROM things t WHERE t.owner = 'o1' AND t.note = o.note) FROM outers o",
                               "ANALYZE, COSTS OFF, TIMING OFF")
        self.assertIn("Query, then BatchGetItem", plan)
        self.assertRegex(plan, rf"Cached: {PER_OWNER} items  Memory: \d+kB  Executions Served: 12")

    def test_cursor(self):
        """A savepoint is rolled back while items are cached in a file, and keys are set aside."""
        sql = ("SELECT o.i, (SELECT string_agg(t.id, ',' ORDER BY t.id) FROM things t WHERE t.owner = 'o1' AND t.size = o.size)"
               " FROM outers o ORDER BY o.i")
        self.fx.execute(f"SET work_mem = '64kB'; BEGIN; DECLARE c CURSOR FOR {sql}; SAVEPOINT s")
        rows = self.fx.rows("FETCH 4 FROM c")
        self.fx.execute("ROLLBACK TO s")
        rows += self.fx.rows("FETCH ALL FROM c")
        self.fx.execute("COMMIT")
        self.assertEqual(rows, self.fx.rows(self.local(sql)))


class Repeated(Listed):
    """An inner side that does not depend on the outer row."""

    def test_loop(self):
        """It is read once, as far as it is needed."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;"
                        "SET dynamo_fdw.enable_lookup_join = off")
        sql = "SELECT o.i, t.id FROM outers o LEFT JOIN things t ON t.owner = 'obig' AND t.size > o.size"
        self.assertNotIn("Materialize", self.fx.explain(sql))
        self.assertSent(sql, 1, MANY)
        self.assertSent("SELECT o.i, t.tag, t.id FROM outers o LEFT JOIN tag t ON t.owner = 'o2' AND t.size = o.size", 1, PER_OWNER)
        sql = "SELECT o.i FROM outers o WHERE EXISTS (SELECT FROM things t WHERE t.owner = 'obig' AND t.size + 0 > o.size) AND o.size < 3"
        self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(self.local(sql))))
        self.assertLessEqual(self.sent(sql), (1, 100))


    def test_long_rows(self):
        """Rows beyond work_mem come from a temporary file, also if each of them is longer than a block of memory."""
        self.fx.create_table("long", ("id", "S"), None, [index("by_owner", ("owner", "S"), ("at", "N"), "KEYS_ONLY"), index("by_colour", ("colour", "S"), None, "KEYS_ONLY")])
        self.fx.put("long", [{**item("x", n), "colour": f"c{n % 3}", "note": f"n{n}-" + "x" * (9000 + 37 * n % 500)} for n in range(40)])
        self.fx.foreign_table("long", COLUMNS, table_name=self.fx.remote("long"), scan_policy="allow")
        self.fx.execute("CREATE TABLE local_long AS SELECT * FROM long; ANALYZE local_long; ALTER FOREIGN TABLE long OPTIONS (SET scan_policy 'error');"
                        "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;"
                        "SET dynamo_fdw.enable_lookup_join = off; SET enable_sort = off; SET work_mem = '64kB'")
        for condition, kind in (("t.owner = 'ox'", "BatchGetItem"), ("(t.owner = 'ox' OR t.colour = 'c1')", "Union")):
            sql = f"SELECT v.x, t.id, t.note FROM (VALUES (1), (9), (4)) v(x) LEFT JOIN long t ON {condition} AND length(t.note) > 9000 + v.x"
            plan = self.fx.explain(sql)
            self.assertNotIn("Materialize", plan)
            self.assertIn(kind, plan)
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(sql.replace("JOIN long", "JOIN local_long"))))


class Shared(Listed):
    """Scans that read the same keys."""

    OFF = "SET dynamo_fdw.enable_shared_reads = "

    def assertShares(self, sql, shared, alone):
        """With those requests, and with others if nothing is shared."""
        self.fx.execute("SET enable_nestloop = off; SET enable_mergejoin = off")
        for setting in ("on", "off"):
            self.fx.execute(f"SET enable_async_append = {setting}; {self.OFF} on")
            self.assertSent(sql, *shared)
            self.fx.execute(f"{self.OFF} off")
            self.assertSent(sql, *alone)

    def test_entities(self):
        """Entities of one partition of the index, and a parent with its elements."""
        self.assertShares("SELECT id, note FROM kind_a WHERE owner = 'o2' UNION ALL SELECT note, id FROM kind_b WHERE owner = 'o2'",
                          (1, PER_OWNER), (2, 2 * PER_OWNER))
        self.assertShares("SELECT t.id, t.note, e.tag FROM things t JOIN tag e USING (id) WHERE t.owner = 'o2' AND e.owner = 'o2'",
                          (1, PER_OWNER), (2, 2 * PER_OWNER))
        self.assertShares("SELECT (SELECT max(note) FROM things WHERE owner = 'o2' AND size > 3), note FROM kind_b WHERE owner = 'o2'",
                          (1, PER_OWNER), (2, 2 * PER_OWNER))

    def test_batches(self):
        """What one scan has not come to yet of one batch of keys outlives the next."""
        self.assertShares("SELECT a.id, b.note FROM things a JOIN kind_b b USING (id) WHERE a.owner = 'obig' AND b.owner = 'obig' AND a.note > ''"
                          " UNION ALL SELECT note, id FROM things WHERE owner = 'obig'", (1, MANY), (3, 3 * MANY))

    def test_filters(self):
        """The index selects what any of them needs, and each sees what it requested."""
        count = [sum(n % 3 == c and n % 17 != 0 for n in range(PER_OWNER)) for c in range(3)]
        self.assertShares("SELECT id, note FROM things WHERE owner = 'o2' AND colour = 'c1' UNION ALL"
                          " SELECT id, note FROM things WHERE owner = 'o2' AND colour = 'c2'", (1, count[1] + count[2]), (2, count[1] + count[2]))
        self.assertShares("SELECT id, note FROM things WHERE owner = 'o2' AND colour = 'c1' UNION ALL"
                          " SELECT id, note FROM kind_a WHERE owner = 'o2'", (1, PER_OWNER), (2, PER_OWNER + count[1]))

    def test_long_filters(self):
        """What would be too long for one request selects for each scan alone."""
        x, y = (" OR ".join(f"colour > '{c}{i}' AND colour < '{c}{i}a'" for i in range(45)) for c in "xy")
        count = [sum(n % 3 == c and n % 17 != 0 for n in range(PER_OWNER)) for c in range(3)]
        sql = " UNION ALL ".join(f"SELECT id, note FROM things WHERE owner = 'o2' AND (colour = '{c}' OR {more})" for c, more in (("c1", x), ("c2", y)))
        self.assertShares(sql, (2, count[1] + count[2]), (2, count[1] + count[2]))

    def test_others(self):
        """What the index has by itself is another read."""
        self.assertShares("SELECT id, note FROM things WHERE owner = 'o2' UNION ALL SELECT id, colour FROM things WHERE owner = 'o2'",
                          (2, PER_OWNER), (2, PER_OWNER))
        self.assertShares("SELECT id, note FROM things WHERE owner = 'o2' UNION ALL SELECT id, note FROM things WHERE owner = 'o3'",
                          (2, 2 * PER_OWNER), (2, 2 * PER_OWNER))

    def test_limit(self):
        """A scan that may stop early reads no more than by itself."""
        sql = "(SELECT id, note FROM things WHERE owner = 'o2' LIMIT 3) UNION ALL (SELECT id, note FROM kind_a WHERE owner = 'o2' LIMIT 3)"
        counts = []
        for setting in ("on", "off"):
            self.fx.execute(f"{self.OFF} {setting}")
            counts.append(self.sent(sql))
        self.assertEqual(*counts)
