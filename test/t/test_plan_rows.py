"""Prices choose among plans, and never among rows: the same statements by the plans of several prices and sizes."""
from collections import Counter

import shop
from lookup_tables import Lookups
from volume import volume

# What makes requests cheap, what makes units dear, and what makes each round trip dear.
PRICES = {"as they are": {}, "requests are cheap": {"unit_cost_ms": 0, "round_trip_ms": 0.01},
          "units are dear": {"unit_cost_ms": 1000}, "round trips are dear": {"round_trip_ms": 60000, "unit_cost_ms": 0}}

# How much larger the tables seem to be, and the prices of each size.
SIZES = volume({0: ["as they are"], 1: ["as they are", "requests are cheap", "round trips are dear"], 1000: ["as they are", "units are dear"]},
               {factor: list(PRICES) for factor in (0, 1, 1000)})

NUMBERS = ",".join(map(str, range(0, 300, 2)))

# For each statement the operations that at least one of the plans uses.
STATEMENTS = [
    # a list of sort keys: item by item, or everything
    (f"SELECT count(pad), sum(length(pad)) FROM fat WHERE h = 'p0' AND n = ANY ('{{{NUMBERS}}}')", "BatchGetItem Scan"),
    (f"SELECT n, v FROM fat WHERE h = 'p1' AND n IN ({NUMBERS})", "BatchGetItem Scan"),
    (f"SELECT n FROM fat WHERE h IN ('p1', 'p3', 'none') AND n IN ({NUMBERS}) AND v % 3 = 1", "BatchGetItem Scan"),
    (f"SELECT count(*) FROM fat WHERE h = 'p1' AND n IN ({NUMBERS})", "BatchGetItem Scan"),
    (f"SELECT n FROM fat WHERE h = 'p1' AND n IN ({NUMBERS}) ORDER BY n DESC LIMIT 7", "BatchGetItem"),
    # a list of partitions, or everything
    ("SELECT count(pad) FROM fat WHERE h IN (%s)" % ", ".join(f"'p{n}'" for n in range(40)), "Query Scan"),
    ("SELECT h, count(*) FROM fat WHERE h IN (%s) GROUP BY h" % ", ".join(f"'p{n}'" for n in range(40)), "Query Scan"),
    # keys of other rows
    ("SELECT f.n, f.v FROM (VALUES ('p1'), ('p2'), ('none')) x(h) JOIN fat f ON f.h = x.h AND f.n = 4", "BatchGetItem"),
    ("SELECT p.id, q.name FROM people p JOIN parents q ON q.id = p.best", "BatchGetItem Scan"),
    ("SELECT p.id, q.name FROM people p LEFT JOIN parents q ON q.id = p.few AND q.country = 'DE'", "BatchGetItem Scan"),
    ("SELECT p.id, c.n, c.v FROM people p JOIN children c ON c.parent = p.best", "Query Scan"),
    ("SELECT p.id, c.n FROM people p LEFT JOIN children c ON c.parent = p.id AND c.v > 5 WHERE p.id < 'p0200'", "Query Scan"),
    ("SELECT p.id FROM people p WHERE EXISTS (SELECT FROM children c WHERE c.parent = p.few)", "Query Scan"),
    ("SELECT p.id FROM people p WHERE p.id < 'p0200' AND NOT EXISTS (SELECT FROM children c WHERE c.parent = p.id AND c.v = 3)",
     "Query Scan"),
    ("SELECT p.id FROM people p WHERE p.best IN (SELECT parent FROM children WHERE v = 3)", "Query Scan"),
    ("SELECT name FROM parents WHERE id IN (SELECT best FROM people)", "BatchGetItem Scan"),
    ("SELECT p.id, (SELECT name FROM parents q WHERE q.id = p.few) FROM people p", "BatchGetItem"),
    ("SELECT p.id, (SELECT count(*) FROM children c WHERE c.parent = p.best) FROM people p", "Query"),
    ("SELECT k.n, EXISTS (SELECT FROM children c WHERE c.parent = k.parent AND c.v = 4) FROM kids k WHERE k.parent < 'p0200'",
     "Query Scan"),
    ("SELECT p.id, c.n FROM people p, LATERAL (SELECT n FROM children c WHERE c.parent = p.best ORDER BY n DESC LIMIT 2) c", "Query"),
    # an index without all attributes: then the items, or everything
    ("SELECT i, c.note FROM generate_series(0, 39) i JOIN children c ON c.mark = 'm' || i", "Query BatchGetItem Scan"),
    ("SELECT i, c.note FROM generate_series(0, 50) i LEFT JOIN children c ON c.mark = 'm' || i", "Query BatchGetItem Scan"),
    ("SELECT n, note FROM children WHERE mark = ANY (ARRAY['m1', 'm6', 'm11', 'm16', 'no'])", "Query BatchGetItem"),
    ("SELECT n, note FROM children WHERE mark IN (%s)" % ", ".join(f"'m{n}'" for n in range(0, 200, 3)), "Query BatchGetItem Scan"),
    ("SELECT n, v FROM children WHERE code IN ('c1', 'c5') AND n BETWEEN 100 AND 900", "Query"),
    ("SELECT count(*) FROM children WHERE tag IN ('t1', 't7', 't13')", "Query"),
    ("SELECT (SELECT note FROM children WHERE mark = ANY (x.marks) LIMIT 1) IS NULL"
     " FROM (VALUES (ARRAY['m1', 'm6']), (ARRAY['none']), (ARRAY['m26', 'm1', 'm16'])) x(marks)", "Query BatchGetItem"),
    # both ends of a table's rows
    ("SELECT l.b, m.b FROM links l JOIN links m ON m.b = l.b WHERE l.a = 'p0002'", "Query"),
    ("SELECT p.name FROM links l JOIN parents p ON p.id = l.b WHERE l.a = 'p0001'", "Query BatchGetItem Scan"),
    ("SELECT p.name, c.n FROM parents p JOIN children c ON c.parent = p.id WHERE p.country = 'FR'", "Scan"),
]


class PlanRows(Lookups):
    """Each statement over DynamoDB Local, and over local copies of the rows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("fat", ("h", "S"), ("n", "N"))
        fx.put("fat", ({"h": f"p{h}", "n": n, "v": h * 1000 + n, **({"pad": "x" * n} if n % 7 else {})}
                       for h in range(20) for n in range(0, 90, h % 4 + 1)))
        fx.foreign_table("fat", 'h text COLLATE "C" NOT NULL, n int NOT NULL, v int, pad text')
        cls.mirror("fat")

    def try_one(self, sql):
        """The rows of the local tables; returns the operations, a GetItem as BatchGetItem."""
        self.fx.proxy.reset()
        rows = self.fx.rows(sql)
        operations = {"BatchGetItem" if r.operation == "GetItem" else r.operation for r in self.fx.proxy.requests}
        self.assertEqual(Counter(rows), Counter(self.mirrored(sql)), self.fx.explain(sql))
        return operations - {"DescribeTable"}

    def try_all(self, factor, names, seen):
        """All statements at these prices, with tables that seem that much larger."""
        shop.pretend_large(self.fx, factor)
        for name in names:
            prices = PRICES[name]
            options = ", ".join(f"ADD {option} '{value}'" for option, value in prices.items())
            if options:
                self.fx.execute(f"ALTER SERVER ddb OPTIONS ({options})")
            self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
            for sql, _ in STATEMENTS:
                with self.subTest(sql, prices=name, factor=factor):
                    seen[sql] |= self.try_one(sql)
            if options:
                self.fx.execute("ALTER SERVER ddb OPTIONS (%s)" % ", ".join(f"DROP {option}" for option in prices))

    def test_all(self):
        """The right rows by every plan, and each kind of plan has been tried."""
        seen = {sql: set() for sql, _ in STATEMENTS}
        for factor, names in SIZES.items():
            self.try_all(factor, names, seen)
        for sql, operations in STATEMENTS:
            with self.subTest(sql):
                self.assertLessEqual(set(operations.split()), seen[sql])
