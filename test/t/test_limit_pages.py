"""The first page of a LIMIT that core applies above DISTINCT, windows or a subquery."""
import request_text
from dynamo import index
from request_text import statements

OF_C1 = "Query orders where c = 'c1' get at, total"

LIMITED = [
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
        cls.fx.put("orders", [{"c": f"c{n % 3}", "at": f"d{n:04}", "total": n % 50, "note": "x" * 470} for n in range(240)])
        cls.fx.foreign_table("orders", 'c text NOT NULL, at text COLLATE "C" NOT NULL, total int', scan_policy="allow")
        cls.mirror("orders")
        cls.fx.execute("ANALYZE orders")
