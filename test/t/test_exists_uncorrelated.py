"""EXISTS that stays a subquery needs one item."""
import request_text
from request_text import statements

ONE_OF_EACH = [f"Query t where k = '{k}' get k limit 1" for k in "ax"]

FIRST = [
    ("a partition", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a')", ["Query t where k = 'a' get k limit 1"]),
    ("a table", "SELECT EXISTS (SELECT FROM t)", ["Scan t get k, s limit 1"]),
    ("every column", "SELECT EXISTS (SELECT * FROM t WHERE k = 'a')", ["Query t where k = 'a' get k limit 1"]),
    ("a full key", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' AND s = 1)", ["GetItem t {k 'a', s 1} get k"]),
    ("a range", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' AND s > 5)", ["Query t where k = 'a' AND s > 5 get s limit 1"]),
    ("none", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'none')", ["Query t where k = 'none' get k limit 1"]),
    ("as a condition", "SELECT 1 WHERE EXISTS (SELECT 1 FROM t WHERE k = 'a') AND NOT EXISTS (SELECT 1 FROM t WHERE k = 'none')", None),
    ("with an order", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' ORDER BY s DESC)", ["Query t where k = 'a' get k limit 1"]),
    ("with a limit", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' LIMIT 7)", ["Query t where k = 'a' get k limit 1"]),
    ("with distinct", "SELECT EXISTS (SELECT DISTINCT v FROM t WHERE k = 'a')", ["Query t where k = 'a' get k limit 1"]),
]

ALL = [
    ("an aggregate", "SELECT EXISTS (SELECT sum(v) FROM t WHERE k = 'a' HAVING sum(v) > 5)", ["Query t where k = 'a' get v"]),
    ("groups", "SELECT EXISTS (SELECT v, count(*) FROM t WHERE k = 'a' GROUP BY v HAVING count(*) > 4)", ["Query t where k = 'a' get v"]),
    ("a window", "SELECT EXISTS (SELECT 1 FROM (SELECT row_number() OVER () AS n FROM t WHERE k = 'a') w WHERE n = 20)",
     None),
    ("an offset", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' OFFSET 29)", ["Query t where k = 'a' get k limit 30"]),
    ("an offset beyond", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' OFFSET 30)", ["Query t where k = 'a' get k limit 31"]),
    ("a union", "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'none' UNION ALL SELECT 1 FROM t WHERE k = 'a')", None),
    ("a set-returning function", "SELECT EXISTS (SELECT generate_series(1, v) FROM t WHERE k = 'a')", ["Query t where k = 'a' get v"]),
    ("a join", "SELECT EXISTS (SELECT 1 FROM t JOIN t u ON u.v = t.v + 1 WHERE t.k = 'a' AND u.k = 'b')", None),
    ("outer rows", "SELECT n, EXISTS (SELECT 1 FROM t WHERE k = 'a' AND s = n) FROM generate_series(28, 31) n", None),
]

OF_OUTER_ROWS = [
    ("outer rows of a partition", "SELECT n, EXISTS (SELECT 1 FROM t WHERE k = n) FROM (VALUES ('a'), ('x')) AS o(n)", ONE_OF_EACH),
    ("outer rows of a range", "SELECT n, EXISTS (SELECT 1 FROM t WHERE k = n AND s > 3) FROM (VALUES ('a'), ('x')) AS o(n)",
     [f"Query t where k = '{k}' AND s > 3 get k, s limit 1" for k in "ax"]),
    ("under OR", "SELECT n FROM (VALUES ('a'), ('x')) AS o(n) WHERE n = 'c' OR EXISTS (SELECT 1 FROM t WHERE k = n)", ONE_OF_EACH),
    ("rows two levels up", "SELECT n, (SELECT count(*) FROM generate_series(2, 3) i WHERE i > 9 OR EXISTS (SELECT 1 FROM t WHERE k = n AND s > i))"
     " FROM (VALUES ('a'), ('x')) AS o(n)", [f"Query t where k = '{k}' AND s > {i} get s limit 1" for k in "ax" for i in (2, 3)]),
]


@statements(FIRST + ALL + OF_OUTER_ROWS)
class Existence(request_text.RequestTestCase):
    """The requests, and the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("t", ("k", "S"), ("s", "N"))
        cls.fx.put("t", [{"k": k, "s": s, "v": s % 7, "body": "b" * 20000} for k in "ab" for s in range(30)])
        cls.fx.foreign_table("t", 'k text COLLATE "C" NOT NULL, s int NOT NULL, v int', scan_policy="allow")
        cls.mirror("t")

    def assertRequests(self, sql, expected, parameters=None):
        """Where nothing is expected of the requests, the rows alone."""
        super().assertRequests(sql, self.texts(sql, parameters) if expected is None else expected, parameters)

    def test_filter(self):
        """A filter is allowed for, as by LIMIT 1."""
        limit, exists = (self.texts(sql) for sql in ("SELECT 1 FROM t WHERE k = 'a' AND v = 3 LIMIT 1",
                                                     "SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' AND v = 3)"))
        self.assertEqual(limit[0].split(" limit ")[1:], exists[0].split(" limit ")[1:])
        self.assertRequests("SELECT EXISTS (SELECT 1 FROM t WHERE k = 'a' AND v = 8)", None)

    def test_generic_plan(self):
        """The same with parameters."""
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS SELECT EXISTS (SELECT 1 FROM t WHERE k = $1)")
        for value, found in (("a", True), ("x", False)):
            self.assertEqual(self.texts(f"EXECUTE p ('{value}')"), [f"Query t where k = '{value}' get k limit 1"])
            self.assertEqual(self.fx.rows(f"EXECUTE p ('{value}')"), [(found,)])
