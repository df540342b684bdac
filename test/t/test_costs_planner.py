"""What the planner reports of the price of a plan, and what it does not do for it."""
import re

import fixture
from tables import index

MB = 1024 * 1024


class Prices(fixture.TestCase):
    """A table of 100 MB that serves 25 units a second, and the same on demand."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.execute("CREATE TABLE many AS SELECT 'p' || i AS id FROM generate_series(1, 100000) i; ANALYZE many")

    def describe(self, items=100_000, size=100 * MB, **options):
        """The table has that size from now on."""
        self.fake.table("t", ("id", "S"), None, item_count=items, size_bytes=size, items=[])
        self.fx.foreign_table("t", 'id text COLLATE "C" NOT NULL, v int', server="fake", **options)
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def estimates(self, sql):
        """What EXPLAIN expects: read units, and the shortest time in seconds."""
        return re.findall(r"(Estimated Read Units|Minimum Time): ([0-9.]+)", self.fx.explain(sql, "COSTS ON"))

    def test_units(self):
        """Units are those of one execution; seconds are shown only where the capacity is known."""
        self.describe()
        self.assertEqual(self.estimates("SELECT * FROM t"), [("Estimated Read Units", "12800.0")])
        self.assertEqual(self.estimates("SELECT * FROM t WHERE id = 'p1'"), [("Estimated Read Units", "0.5")])
        self.assertNotIn("Estimated", self.fx.explain("SELECT * FROM t"))
        self.describe(read_capacity=25)
        self.assertEqual(self.estimates("SELECT * FROM t"), [("Estimated Read Units", "12800.0"), ("Minimum Time", "512.0")])
        self.assertEqual(self.estimates("SELECT * FROM t WHERE id = 'p1'"), [("Estimated Read Units", "0.5")])

    def test_options(self):
        """A part of the capacity needs longer; consistent reads need twice the units."""
        self.describe(read_capacity=100, read_percent=25, consistent_read="on")
        self.assertEqual(self.estimates("SELECT * FROM t"), [("Estimated Read Units", "25600.0"), ("Minimum Time", "1024.0")])

    def test_saved_units(self):
        """Those that DynamoDB has saved are not waited for, unless a part of the capacity is granted second by second."""
        self.describe()
        self.fake.tables["t"].units = 80
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        self.assertEqual(self.estimates("SELECT * FROM t"), [("Estimated Read Units", "12800.0"), ("Minimum Time", "10.0")])
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD read_percent '50')")
        self.assertEqual(self.estimates("SELECT * FROM t"), [("Estimated Read Units", "12800.0"), ("Minimum Time", "320.0")])

    def test_unknown_size(self):
        """Nothing is reported of what is not known."""
        self.describe(0, 0)
        self.assertEqual(self.estimates("SELECT * FROM t"), [])

    def test_rows_of_a_partition(self):
        """Guesses for keys of the table and of global indexes that were never analyzed; those of PostgreSQL for other columns, and for NULL."""
        self.fake.table("k", ("id", "S"), ("n", "N"), [index("by_tag", ("tag", "S")), index("by_pair", [("a", "S"), ("b", "S")])],
                        item_count=1_000_000, size_bytes=100 * MB, items=[])
        self.fx.foreign_table("k", "id text NOT NULL, n int NOT NULL, tag text, a text, b text, v int", server="fake")
        for condition, rows in (("id = 'x'", 50), ("tag = 'x'", 50), ("v = 1", 5000), ("a = 'x'", 5000), ("a = 'x' AND b = 'y'", 25),
                                ("tag IS NULL", 5000), ("v IS NULL", 5000), ("tag IS NOT NULL", 995_000)):
            with self.subTest(condition):
                plan = self.fx.explain(f"SELECT * FROM k WHERE {condition}", "COSTS ON")
                self.assertAlmostEqual(int(re.search(r"rows=(\d+)", plan).group(1)), rows, delta=1)

    def test_subquery_in_a_filter(self):
        """It is executed for each row that is checked, so those are found by their keys, though a Scan uses fewer units."""
        self.describe(1000, 100_000)
        keys = "SELECT * FROM t WHERE id IN (SELECT id FROM many LIMIT 100)"
        self.assertIn("Operation: Scan", self.fx.explain(keys))
        self.assertNotIn("Operation: Scan", self.fx.explain(keys + " AND v > (SELECT count(*) FROM many WHERE many.id > t.id)"))

    def test_warning(self):
        """So does the warning of a Scan."""
        self.describe(read_capacity=25)
        self.assertIn("about 12800 read units, at least 512 s", self.fx.notices("SELECT * FROM t")[0])
        self.describe()
        self.assertNotIn(" s\n", self.fx.notices("SELECT * FROM t")[0])

    def test_nothing_is_compiled_for_waiting(self):
        """Lookups pass the thresholds of the compiler by what they wait; a plan that computes as much is compiled."""
        self.describe(read_capacity=1000)
        self.addCleanup(self.fx.execute, "RESET ALL")
        self.fx.execute("SET jit = on")
        if not self.fx.value("SELECT pg_jit_available()"):
            self.skipTest("this PostgreSQL has no compiler")
        for sql in ("SELECT * FROM (SELECT * FROM many LIMIT 60000) m JOIN t ON t.id = m.id", "SELECT * FROM many m LEFT JOIN t USING (id)",
                    "SELECT *, (SELECT v FROM t WHERE t.id = m.id) FROM many m"):
            with self.subTest(sql):
                self.fx.execute("RESET jit_above_cost")
                plan = self.fx.explain(sql, "COSTS ON")
                self.assertGreater(float(re.search(r"\.\.([0-9.]+) ", plan).group(1)), 100000, plan)
                self.assertNotIn("JIT:", plan)
                self.fx.execute("SET jit_above_cost = 1000")
                self.assertIn("JIT:", self.fx.explain(sql, "COSTS ON"))
