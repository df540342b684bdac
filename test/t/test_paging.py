"""Keyset paging: (a, b) > (x, y), and a > x OR (a = x AND b > y), begin where the last page ended."""
import request_text
import shop
from request_text import statements
from dynamo import index

AFTER = "'2024-03-03'"
FROM_AT = "Query orders where cust = 'c01' AND at >= '2024-03-03' get at, total"
TO_AT = "Query orders where cust = 'c01' AND at <= '2024-03-03' get at, total"

PAGES = [
    ("a row", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at, total) > ({AFTER}, 5)", [FROM_AT]),
    ("a row or equal", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at, total) >= ({AFTER}, 20.25)", [FROM_AT]),
    ("a row below", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at, total) < ({AFTER}, 100)", [TO_AT]),
    ("a row exchanged", f"SELECT at, total FROM orders WHERE cust = 'c01' AND ({AFTER}, 100) >= (at, total)", [TO_AT]),
    ("both sides mixed", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at, 5::numeric) > ({AFTER}, total)", [FROM_AT]),
    ("OR", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at > {AFTER} OR (at = {AFTER} AND total > 5))", [FROM_AT]),
    ("OR exchanged", f"SELECT at, total FROM orders WHERE cust = 'c01' AND ((total > 5 AND {AFTER} = at) OR {AFTER} < at)",
     [FROM_AT]),
    ("OR of mixed directions",
     f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at < {AFTER} OR (at = {AFTER} AND total > 5))", [TO_AT]),
    ("OR and what it does not depend on",
     f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at > {AFTER} OR (at = {AFTER} AND total > 5 AND length(at) > 2))",
     [FROM_AT]),
    ("OR of other values",
     f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at > '2024-05' OR (at = {AFTER} AND total > 5))",
     ["Query orders where cust = 'c01' get at, total"]),
    ("OR of branches that go both ways",
     f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at > {AFTER} OR at < {AFTER} AND total > 5)",
     ["Query orders where cust = 'c01' get at, total"]),
    ("another collation", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at COLLATE \"und-x-icu\", total) > ({AFTER}, 5)",
     ["Query orders where cust = 'c01' get at, total"]),
    ("the partition key in front", f"SELECT at FROM orders WHERE cust = 'c01' AND (cust, at) > ('c01', {AFTER})",
     [f"Query orders where cust = 'c01' AND at > {AFTER} get at, cust"]),
    ("the partition key beyond", f"SELECT at FROM orders WHERE cust = 'c02' AND (cust, at) > ('c01', {AFTER})",
     ["Query orders where cust = 'c02' get at, cust"]),
    ("the partition key before", f"SELECT at FROM orders WHERE cust = 'c00' AND (cust, at) > ('c01', {AFTER})", []),
    ("the partition key in front, OR",
     f"SELECT at FROM orders WHERE cust = 'c01' AND (cust > 'c01' OR (cust = 'c01' AND at > {AFTER}))",
     [f"Query orders where cust = 'c01' AND at > {AFTER} get at, cust"]),
    ("three columns", f"SELECT at, total FROM orders WHERE cust = 'c01' AND (cust, at, total) > ('c01', {AFTER}, 3)",
     ["Query orders where cust = 'c01' AND at >= '2024-03-03' get at, cust, total"]),
    ("three columns, OR",
     f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at > {AFTER} OR (at = {AFTER} AND total > 3)"
     f" OR (at = {AFTER} AND total = 3 AND note > 'x'))",
     ["Query orders where cust = 'c01' AND at >= '2024-03-03' get at, note, total"]),
    ("an index", "SELECT at, cust FROM orders WHERE status = 'open' AND (at, cust) > ('2024-12', 'c01')",
     ["Query orders/by_status where status = 'open' AND at >= '2024-12' get at, cust"]),
    ("a Scan", "SELECT cust, at FROM orders WHERE (cust, at) > ('c18', '2024-05-05')",
     ["Scan orders filter cust > 'c18' OR cust = 'c18' AND at > '2024-05-05' get at, cust"]),
    ("what it implies of an index", "SELECT year, score FROM games WHERE country = 'DE' AND city = 'city1'"
     " AND (year, score) > (2003, 20) AND title > 'a'",
     ["Query games/by_place where country = 'DE' AND city = 'city1' AND year >= 2003 get score, title, year"]),
    ("equal first values need a second one", "SELECT day, rank FROM posts WHERE day = 'mon' AND (rank, likes) > (4, 1)",
     ["Query posts/by_day where day = 'mon' AND rank >= 4 get day, likes, rank"]),
    ("the last column may lack a value", "SELECT id, likes, rank FROM posts WHERE day = 'mon' AND (likes, rank) > (4, 1)",
     ["Scan posts filter day = 'mon' AND (likes > 4 OR likes = 4 AND rank > 1) get id, likes, rank"]),
    ("no key has the first", "SELECT id, likes FROM posts WHERE (likes, rank) >= (4, 1)",
     ["Scan posts filter likes > 4 OR likes = 4 AND rank >= 1 get id, likes, rank"]),
]


def posts():
    """Posts of a board: some without likes, some without a rank."""
    for n in range(40):
        post = {"id": f"p{n:02d}", "day": ["mon", "tue"][n % 2], "rank": n // 4, "likes": n % 7}
        if n % 5 == 0:
            del post["likes"]
        if n % 6 == 0:
            del post["rank"]
        yield post


def create_posts(fx):
    """posts (id S), global index by_day (day, rank)"""
    fx.create_table("posts", ("id", "S"), None, [index("by_day", ("day", "S"), ("rank", "N"))])
    fx.put("posts", posts())
    fx.foreign_table("posts", 'id text COLLATE "C" NOT NULL, day text COLLATE "C", rank int, likes int')


@statements(PAGES)
class Pages(request_text.RequestTestCase):
    """The rows of a local table, and requests that begin at the page."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "games")
        create_posts(cls.fx)
        cls.mirror("orders", "games", "posts")

    def assertPrepared(self, types, sql, executions):
        """Each execution (values, requests) gives the rows of a local table, and requests that, under every kind of plan."""
        for mode in ("force_generic_plan", "force_custom_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}; PREPARE p ({types}) AS {sql};"
                            f"SET search_path = mirror, public; PREPARE q ({types}) AS {sql}; RESET search_path")
            try:
                for values, expected in executions:
                    self.assertEqual(self.texts(f"EXECUTE p ({values})"), expected, (mode, values))
                    self.assertEqual(sorted(self.fx.rows(f"EXECUTE p ({values})")),
                                     sorted(self.mirrored(f"EXECUTE q ({values})")), (mode, values))
            finally:
                self.fx.execute("DEALLOCATE p; DEALLOCATE q; RESET plan_cache_mode")

    def test_in_order_a_page(self):
        """The first column has the order of the key: the first page has about as many rows, unless all of them are sorted, as some versions plan it."""
        sql = f"SELECT at, total FROM orders WHERE cust = 'c01' AND (at, total) < ({AFTER}, 5) ORDER BY at DESC, total DESC LIMIT 3"
        [text] = self.texts(sql)
        self.assertRegex(text, r"^Query orders where cust = 'c01' AND at <= '2024-03-03' get at, total (limit \d+ )?backward$")
        self.assertEqual("limit" in text, "Incremental Sort" in self.fx.explain(sql))
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_prepared(self):
        """The values of each execution decide."""
        query = "Query orders where cust = 'c01' {}get at, cust"
        for condition in ("(cust, at) > ($2, $3)", "(cust > $2 OR (cust = $2 AND at > $3))"):
            self.assertPrepared(
                "text, text, text", f"SELECT at FROM orders WHERE cust = $1 AND {condition}",
                [("'c01', 'c01', '2024-03-03'", [query.format("AND at > '2024-03-03' ")]),
                 ("'c01', 'c00', '2024-03-03'", [query.format("")]),
                 ("'c01', 'c02', '2024-03-03'", []),
                 ("'c01', 'c01', NULL", []),
                 ("'c01', 'c00', NULL", [query.format("")]),
                 ("'c01', NULL, '2024-03-03'", []),
                 ("NULL, 'c00', '2024-03-03'", [])])

    def test_prepared_for_the_same_partition(self):
        """The value of the partition key is that of the page's end."""
        self.assertPrepared(
            "text, text, numeric", "SELECT at, total FROM orders WHERE cust = $1 AND (cust, at, total) >= ($1, $2, $3)",
            [("'c01', '2024-03-03', 5", ["Query orders where cust = 'c01' AND at >= '2024-03-03' get at, cust, total"]),
             ("'c01', NULL, 5", []),
             ("'c01', '2024-03-03', NULL",
              ["Query orders where cust = 'c01' AND at >= '2024-03-03' get at, cust, total"])])

    def test_what_is_not_needed_is_not_evaluated(self):
        """Where the first values differ, PostgreSQL does not evaluate the second one."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text, text, numeric) AS"
                        " SELECT count(at) FROM orders WHERE cust = $1 AND (cust, total) > ($2, 1 / $3)")
        self.addCleanup(self.fx.execute, "DEALLOCATE p; RESET plan_cache_mode")
        for customer, rows in (("c00", 30), ("c02", 0)):
            self.assertEqual(self.fx.rows(f"EXECUTE p ('c01', '{customer}', 0)"), [(rows,)])

    def test_pages_of_a_partition(self):
        """Each page begins where the last one ended; together they are the partition, in order."""
        seen = []
        while True:
            at, total = seen[-1] if seen else ("", 0)
            page = self.fx.rows("SELECT at, total FROM orders WHERE cust = 'c01' AND (at, total) > (%s, %s)"
                                " ORDER BY at, total LIMIT 7", (at, total))
            seen += page
            if len(page) < 7:
                break
        self.assertEqual(seen, self.mirrored("SELECT at, total FROM orders WHERE cust = 'c01' ORDER BY at, total"))

    def test_joined(self):
        """The end of the page may be a column of another table."""
        self.fx.execute("CREATE TABLE ends AS SELECT cust, max(at) AS at FROM mirror.orders"
                        " WHERE cust < 'c05' AND at < '2024-07' GROUP BY cust; ANALYZE ends")
        self.addCleanup(self.fx.execute, "DROP TABLE ends")
        self.assertRequests("SELECT o.cust, o.at FROM ends e JOIN orders o ON o.cust = e.cust AND (o.at, o.total) > (e.at, 5)",
                        [f"Query orders where cust = 'c{c:02d}' AND at >= '2024-06-30' get at, cust, total"
                         for c in range(5)])
