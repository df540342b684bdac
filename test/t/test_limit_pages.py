"""The first page, and the first batch of lookups, of a LIMIT above joins, DISTINCT, windows or a subquery."""
import request_text
from dynamo import index
from request_text import statements

OF_C1 = "Query orders where c = 'c1' get at, total"

JOINED = "FROM orders o JOIN people p ON p.id = o.by WHERE o.c = 'c1'"
NEWEST = [f"n{n % 70:02}" for n in range(238, 0, -3)]      # who has the orders of c1, from the newest


def page(*who):
    """The Query of that many orders, and the lookups of that many people at a time."""
    return [f"Query orders where c = 'c1' get at, by limit {sum(who)} backward"] + \
        ["BatchGetItem people " + " ".join(sorted({f"{{id '{n}'}}" for n in NEWEST[sum(who[:i]):sum(who[:i]) + many]})) + " get id, name"
         for i, many in enumerate(who)]


LIMITED = [
    ("a join", f"SELECT o.at, p.name {JOINED} ORDER BY o.at DESC LIMIT 20", page(20)),
    ("a left join", f"SELECT o.at, p.name {JOINED.replace('JOIN', 'LEFT JOIN')} ORDER BY o.at DESC LIMIT 12 OFFSET 8", page(20)),
    ("a correlated subquery", "SELECT o.by, (SELECT name FROM people p WHERE p.id = o.by) FROM orders o WHERE o.c = 'c1' LIMIT 20",
     ["Query orders where c = 'c1' get by limit 20", "BatchGetItem people " + " ".join(f"{{id 'n{n:02}'}}" for n in range(1, 60, 3)) + " get id, name"]),
    ("distinct", "SELECT DISTINCT at FROM orders WHERE c = 'c1' ORDER BY at DESC LIMIT 10", ["Query orders where c = 'c1' get at limit 10 backward"]),
    ("distinct and an offset", "SELECT DISTINCT at FROM orders WHERE c = 'c1' ORDER BY at LIMIT 10 OFFSET 5", ["Query orders where c = 'c1' get at limit 15"]),
    ("lag", "SELECT at, lag(total) OVER (ORDER BY at) FROM orders WHERE c = 'c1' ORDER BY at LIMIT 10", [f"{OF_C1} limit 11"]),
    ("a running total", "SELECT at, sum(total) OVER (ORDER BY at DESC) FROM orders WHERE c = 'c1' ORDER BY at DESC LIMIT 10", [f"{OF_C1} limit 11 backward"]),
    ("a subquery", "SELECT at, total FROM (SELECT * FROM orders WHERE c = 'c1' ORDER BY at DESC) t LIMIT 10", [f"{OF_C1} limit 10 backward"]),
    ("a subquery of a subquery", "SELECT at FROM (SELECT * FROM (SELECT * FROM orders WHERE c = 'c1' ORDER BY at DESC) t) u WHERE total >= 0 LIMIT 10",
     ["Query orders where c = 'c1' filter total >= 0 get at, total limit 10 backward"]),
]

TO_THE_END = [
    ("hashed", "SELECT count(*) FROM (SELECT DISTINCT total FROM orders WHERE c = 'c1' LIMIT 10) t", ["Query orders where c = 'c1' get total"]),
    ("sorted", "SELECT DISTINCT total FROM orders WHERE c = 'c1' ORDER BY total LIMIT 3", ["Query orders where c = 'c1' get total"]),
    ("groups", "SELECT at, count(*) FROM orders WHERE c = 'c1' GROUP BY at ORDER BY at LIMIT 10", ["Query orders where c = 'c1' get at"]),
    ("a total of all", "SELECT at, count(*) OVER () FROM orders WHERE c = 'c1' ORDER BY at LIMIT 10", ["Query orders where c = 'c1' get at"]),
    ("a total of a subquery", "SELECT at, count(*) OVER () FROM (SELECT * FROM orders WHERE c = 'c1' ORDER BY at) t LIMIT 10",
     ["Query orders where c = 'c1' get at"]),
    ("to the last", "SELECT at, sum(total) OVER (ORDER BY at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM orders WHERE c = 'c1' ORDER BY at LIMIT 10", [OF_C1]),
    ("sorted above", "SELECT at, total FROM (SELECT * FROM orders WHERE c = 'c1' ORDER BY at DESC) t ORDER BY total, at LIMIT 10", [f"{OF_C1} backward"]),
    ("hashed, of an OR", "SELECT count(*) FROM (SELECT DISTINCT at FROM orders WHERE c = 'c1' OR total = 7 LIMIT 10) t",
     ["Query orders where c = 'c1' get at, c, total", "Query orders/by_total where total = 7 get at, c, total"]),
]


@statements(LIMITED + TO_THE_END)
class FirstPages(request_text.RequestTestCase):
    """The requests, and the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("orders", ("c", "S"), ("at", "S"), [index("by_total", ("total", "N"))])
        cls.fx.put("orders", [{"c": f"c{n % 3}", "at": f"d{n:04}", "total": n % 50, "by": f"n{n % 70:02}", "note": "x" * 470} for n in range(240)])
        cls.fx.create_table("people", ("id", "S"))
        cls.fx.put("people", [{"id": f"n{n:02}", "name": f"name {n % 9}", "odd": n % 2, "photo": "x" * 4000} for n in range(70)])
        cls.fx.foreign_table("orders", 'c text NOT NULL, at text COLLATE "C" NOT NULL, total int, by text NOT NULL', scan_policy="allow")
        cls.fx.foreign_table("people", "id text NOT NULL, name text, odd int", scan_policy="allow")
        cls.mirror("orders", "people")
        cls.fx.execute("ANALYZE orders, people")

    def test_a_filter_of_the_join(self):
        """The first batch is not enough; further ones are no smaller."""
        sql = f"SELECT o.at, p.name {JOINED} AND p.odd = 1 AND p.name <> 'name 4' ORDER BY o.at DESC LIMIT 10"
        texts = self.texts(sql)
        self.assertLessEqual(len(texts), 5, texts)
        self.assertRequests(sql, texts)

    def test_a_wrong_estimate_of_the_join(self):
        """All rows, by pages and batches that grow."""
        for sql in (f"SELECT o.at, p.name {JOINED} AND p.name = 'name ' || left(o.at, 0) || 3 ORDER BY o.at DESC LIMIT 20",
                    f"SELECT o.at, p.name {JOINED} AND p.name LIKE '%none%' ORDER BY o.at DESC LIMIT 3"):
            texts = self.texts(sql)
            self.assertLessEqual(len(texts), 9, texts)
            self.assertRequests(sql, texts)

    def test_inner_sides(self):
        """What a loop reads again, or a hash join reads first, has no limit."""
        self.addCleanup(self.fx.execute, "RESET ALL")
        for off in ("enable_nestloop", "enable_hashjoin"):
            self.fx.execute(f"RESET ALL; SET enable_mergejoin = off; SET {off} = off")
            sql = "SELECT o.at, t.at FROM orders o JOIN orders t ON t.total = o.total WHERE o.c = 'c1' AND t.c = 'c2' LIMIT 9"
            self.assertEqual({" limit " in text for text in self.texts(sql)}, {False, True}, self.fx.explain(sql))
            self.assertEqual(len(self.fx.rows(sql)), 9)
