"""Lookups or Scans: what the planner chooses for what it knows, and for what it does not know."""
import fixture
from dynamo import index

SIZES = {"unknown": (0, 0), "empty": (0, 0), "one page": (3000, 900_000), "two pages": (5000, 2_000_000), "100 MB": (300_000, 100_000_000),
         "10 GB": (30_000_000, 10_000_000_000)}

YEARS_AGO = 1500000000.0     # DynamoDB counts every six hours; until a table is a day old, size 0 reports nothing

BY_TAG = {"name": "by_tag", "hash": [("tag", "S")], "range": [], "projection": "ALL", "local": False, "status": "ACTIVE"}


class Choices(fixture.TestCase):
    """A table of parents (id) and one of children (parent, n), with the descriptions that a test needs."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.execute("SET dynamo_fdw.scan_policy = allow;"
                       "CREATE TABLE few (id text, other text); INSERT INTO few SELECT 'p' || i, 'q' || i % 3 FROM generate_series(1, 10) i;"
                       "CREATE TABLE many AS SELECT 'p' || i AS id, 'q' || i % 30 AS other FROM generate_series(1, 100000) i;"
                       "CREATE TABLE fresh AS TABLE few; ALTER TABLE fresh SET (autovacuum_enabled = off); ANALYZE few, many")

    def setUp(self):
        self.addCleanup(self.fx.execute, "RESET ALL")

    def describe(self, size):
        """Both tables have that size from now on."""
        items, size_bytes = SIZES[size]
        details = {"item_count": items, "size_bytes": size_bytes, "items": [], "created": YEARS_AGO if size == "empty" else None}
        self.fake.table("parents", ("id", "S"), None, **details)
        self.fake.table("children", ("parent", "S"), ("n", "N"), indexes=[BY_TAG], **details)
        self.fx.foreign_table("parents", 'id text COLLATE "C" NOT NULL, name text', server="fake")
        self.fx.foreign_table("children", 'parent text COLLATE "C" NOT NULL, n int NOT NULL, tag text NOT NULL, v int', server="fake")
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def assertLooksUp(self, sql, sizes):
        """For tables of these sizes the keys are requested, and nothing is scanned."""
        for size in sizes:
            with self.subTest(sql, size=size):
                self.describe(size)
                plan = self.fx.explain(sql, "COSTS ON")
                self.assertNotIn("Operation: Scan", plan)
                self.assertIn("DynamoLookupJoin", plan)

    def assertScans(self, sql, sizes):
        """For tables of these sizes the table is read, and nothing is looked up."""
        for size in sizes:
            with self.subTest(sql, size=size):
                self.describe(size)
                plan = self.fx.explain(sql, "COSTS ON")
                self.assertIn("Operation: Scan", plan)
                self.assertNotIn("DynamoLookupJoin", plan)


class Keys(Choices):
    """A few keys, or many."""

    ALL = tuple(SIZES)
    LARGE = ("100 MB", "10 GB")

    def test_ten_keys(self):
        """Ten keys are looked up; only a table of one page may be scanned."""
        for sql in ("SELECT * FROM few f JOIN parents p ON p.id = f.id", "SELECT * FROM few f LEFT JOIN children c ON c.parent = f.id",
                    "SELECT * FROM few f WHERE EXISTS (SELECT FROM children c WHERE c.parent = f.id)",
                    "SELECT * FROM few f WHERE NOT EXISTS (SELECT FROM children c WHERE c.parent = f.id)",
                    "SELECT * FROM few f JOIN children c ON c.tag = f.id"):
            self.assertLooksUp(sql, self.LARGE)
        self.assertLooksUp("SELECT * FROM few f JOIN parents p ON p.id = f.id", [size for size in self.ALL if size != "empty"])
        self.assertLooksUp("SELECT * FROM few f JOIN children c ON c.parent = f.other", ("unknown", *self.LARGE))

    def test_ten_keys_from_anywhere(self):
        """Rows that nothing is known of: values, functions, a table that was never analyzed."""
        for outer in ("fresh", "(VALUES ('p1'), ('p2'), ('p3')) f (id)", "(SELECT 'p' || i AS id FROM generate_series(1, 10) i) f",
                      "unnest(ARRAY['p1', 'p2']) f (id)"):
            alias = "" if outer.endswith(("f", "(id)")) else " f"
            self.assertLooksUp(f"SELECT * FROM {outer}{alias} JOIN parents p ON p.id = f.id", self.LARGE)
            self.assertLooksUp(f"SELECT * FROM {outer}{alias} JOIN children c ON c.parent = f.id", self.LARGE)

    def test_many_keys_of_a_small_table(self):
        """Never thousands of lookups where two pages hold the table; they are not wrong where it may be large."""
        for sql in ("SELECT * FROM many m JOIN parents p ON p.id = m.id", "SELECT * FROM many m LEFT JOIN children c ON c.parent = m.id",
                    "SELECT * FROM many m WHERE NOT EXISTS (SELECT FROM children c WHERE c.parent = m.id)"):
            self.assertScans(sql, ("empty", "one page", "two pages"))
        self.assertLooksUp("SELECT * FROM many m JOIN parents p ON p.id = m.id", ("unknown",))

    def test_thirty_keys_of_many_rows(self):
        """The number of distinct keys counts, not that of rows."""
        self.assertLooksUp("SELECT * FROM many m JOIN parents p ON p.id = m.other", self.LARGE)
        self.assertLooksUp("SELECT * FROM many m JOIN children c ON c.parent = m.other", self.LARGE)

    def test_everything(self):
        """For all children with their parents both tables are scanned."""
        self.assertScans("SELECT * FROM children c JOIN parents p ON p.id = c.parent", [size for size in SIZES if size != "unknown"])

    def test_children_of_some(self):
        """The children of an item and the item of its parent are looked up."""
        self.assertLooksUp("SELECT * FROM children c JOIN parents p ON p.id = c.tag WHERE c.parent = 'p1'", [size for size in SIZES if size != "empty"])

    def test_levels_are_not_nested(self):
        """Rows of one level are all joined before the next level: no batches for each row of another."""
        for join in ("JOIN", "LEFT JOIN"):
            for size in self.LARGE:
                with self.subTest(join, size=size):
                    self.describe(size)
                    plan = self.fx.explain(f"SELECT * FROM few f {join} children c ON c.parent = f.id {join} children g ON g.parent = c.tag")
                    depths = {kind: {line.index("->") for line in plan.splitlines() if f"->  {kind}" in line}
                              for kind in ("Nested Loop", "Custom Scan")}
                    self.assertTrue(all(depths.values()), plan)
                    self.assertFalse(depths["Nested Loop"] & depths["Custom Scan"], plan)

    def test_analyzed(self):
        """What ANALYZE saw counts where the description, hours old, has nothing."""
        self.describe("unknown")
        self.fx.execute("UPDATE pg_class SET reltuples = 3e6, relpages = 1 WHERE relname = 'parents'")
        self.assertNotIn("Operation: Scan", self.fx.explain("SELECT * FROM few f JOIN parents p ON p.id = f.id"))

    def test_forced(self):
        """The enable_ parameters of the planner work as usual."""
        self.describe("two pages")
        sql = "SELECT * FROM many m JOIN parents p ON p.id = m.id"
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        self.assertNotIn("DynamoLookupJoin", self.fx.explain(sql))


class Margins(fixture.TestCase):
    """An index whose items must be read from the table, and a Scan of the table, which has 5 read units."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("bikes", ("id", "S"), None, [index("by_station", ("station", "S"), None, ["model"])])
        cls.fx.put("bikes", [{"id": f"b{n:04}", "station": f"s{n % 30:02}", "model": "m", "rate": n, "note": "x" * 20} for n in range(600)])
        cls.fx.foreign_table("bikes", 'id text COLLATE "C" NOT NULL, station text NOT NULL, model text, rate int', scan_policy="allow")
        cls.fx.execute("ANALYZE bikes")

    def test_items_of_an_index_by_key(self):
        """The margin for the more direct plan is one request, not the read units of a hundred items, at any price of units."""
        for price in ("", "ALTER SERVER ddb OPTIONS (ADD unit_cost_ms '50')"):
            self.fx.execute(price or "SELECT")
            for stations in (1, 5):
                sent = self.fx.requests(f"SELECT model, rate FROM bikes WHERE station IN ({', '.join(repr(f's{n:02}') for n in range(stations))})")
                with self.subTest(price, stations=stations):
                    self.assertLessEqual(sum(request.response["units"] for request in sent), 10.5)
        self.fx.execute("ALTER SERVER ddb OPTIONS (DROP unit_cost_ms)")
