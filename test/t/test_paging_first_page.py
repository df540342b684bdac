"""Keyset paging with LIMIT: each page of rows takes one request, also if the request includes the last row of the page before."""
import request_text
from dynamo import index

ROWS = 5


class Pages(request_text.RequestTestCase):
    """Pages through an item collection, compared with a local table."""

    SIZE = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("by_at", ("pk", "S"), ("at", "S"))])
        fx.create_table("plain", ("pk", "S"), ("n", "N"))
        fx.put("app", [{"pk": f"USER#u{n % 3}", "sk": f"ORDER#k{n:04}", "at": f"2026-01-{n // 1440 + 1:02}T{n // 60 % 24:02}:{n % 60:02}:00Z#{n:06}", "v": n}
                       for n in range(100 * cls.SIZE)])
        fx.put("app", [{"pk": f"USER#u{n % 3}", "sk": f"NOTE#{n:06}", "v": n} for n in range(100 * cls.SIZE)])
        fx.put("plain", [{"pk": f"p{n % 3}", "n": n, "v": n} for n in range(100 * cls.SIZE)])
        app = fx.remote("app")
        cls.mapped("orders", 'usr text NOT NULL, id text COLLATE "C" NOT NULL, v int', {"pk": "USER#${usr}", "sk": "ORDER#${id}"}, table_name=app)
        cls.mapped("notes", "usr text NOT NULL, n int NOT NULL, v int", {"pk": "USER#${usr}", "sk": "NOTE#${n:padded(6)}"}, table_name=app)
        cls.mapped("times", "usr text NOT NULL, id text NOT NULL, at timestamptz OPTIONS (attribute 'at') NOT NULL, no int OPTIONS (attribute 'at') NOT NULL, v int",
                   {"pk": "USER#${usr}", "sk": "ORDER#${id}", "at": "${at:iso8601(0)}#${no:padded(6)}"}, table_name=app, trusted_indexes="by_at")
        fx.foreign_table("plain", "pk text NOT NULL, n int NOT NULL, v int", scan_policy="allow")
        cls.mirror("plain")

    def page(self, sql, parameters, limit=ROWS):
        """The rows of a page, which takes one request of not much more than its rows, and equals the page of the local table."""
        [request] = self.fx.requests(sql, parameters)
        self.assertEqual(request.operation, "Query")
        self.assertLessEqual(request.body["Limit"], limit + 1)
        rows = self.fx.rows(sql, parameters)
        self.assertEqual(self.mirrored(sql, parameters), rows)
        return rows

    def pages(self, sql, first, columns):
        """Pages with these columns of the last row as parameters, through some pages."""
        rows, parameters = [], first
        for _ in range(4):
            page = self.page(sql, parameters)
            self.assertEqual(len(page), ROWS)
            rows += page
            parameters = tuple(page[-1][column] for column in columns)
        self.assertEqual(len(set(rows)), 4 * ROWS)

    def test_text(self):
        """The last part of a template, in both directions."""
        self.pages(f"SELECT id, v FROM orders WHERE usr = 'u1' AND id > %s ORDER BY id LIMIT {ROWS}", ("k0004",), (0,))
        self.pages(f"SELECT id, v FROM orders WHERE usr = 'u1' AND id < %s ORDER BY id DESC LIMIT {ROWS}", ("k0097",), (0,))

    def test_number(self):
        """A part of a fixed width."""
        self.pages(f"SELECT n, v FROM notes WHERE usr = 'u1' AND n > %s ORDER BY n LIMIT {ROWS}", (4,), (0,))
        self.pages(f"SELECT n, v FROM notes WHERE usr = 'u1' AND n < %s ORDER BY n DESC LIMIT {ROWS}", (97,), (0,))

    def test_row(self):
        """A row comparison implies the bound of its first column."""
        for sql in ("(at, no) < (%s, %s)", "(at < %s OR at = %s AND no < %s)"):
            first = ("2026-01-01T01:10:00Z", 70) if sql.startswith("(at,") else ("2026-01-01T01:10:00Z",) * 2 + (70,)
            self.page(f"SELECT at, no, v FROM times WHERE usr = 'u1' AND {sql} ORDER BY at DESC, no DESC LIMIT {ROWS}", first)
        self.pages(f"SELECT usr, id, v FROM orders WHERE usr = 'u1' AND (usr, id) > (%s, %s) ORDER BY usr, id LIMIT {ROWS}", ("u1", "k0004"), (0, 1))

    def test_bounds(self):
        """BETWEEN of a plain attribute includes both bounds."""
        self.pages(f"SELECT n, v FROM plain WHERE pk = 'p1' AND n > %s AND n < 90 ORDER BY n LIMIT {ROWS}", (4,), (0,))
        self.pages(f"SELECT n, v FROM plain WHERE pk = 'p1' AND n < %s AND n > 2 ORDER BY n DESC LIMIT {ROWS}", (97,), (0,))

    def test_previous(self):
        """The row before each of several rows takes one request each."""
        sql = ("SELECT k.n, o.n FROM (VALUES ('u1', 40), ('u2', 50), ('u1', 1)) k (usr, n)"
               " LEFT JOIN LATERAL (SELECT n FROM notes o WHERE o.usr = k.usr AND o.n < k.n ORDER BY n DESC LIMIT 1) o ON true ORDER BY k.n")
        self.assertEqual([r.body["Limit"] for r in self.fx.requests(sql)], [2, 2, 2])
        self.assertEqual(self.fx.rows(sql), [(1, None), (40, 37), (50, 47)])

    def test_exact(self):
        """If the request excludes the bound, or the condition includes it, the page has the LIMIT's items."""
        for sql in ("SELECT n FROM plain WHERE pk = 'p1' AND n > 4 ORDER BY n LIMIT 5", "SELECT n FROM plain WHERE pk = 'p1' AND n <= 64 ORDER BY n DESC LIMIT 5",
                    "SELECT n FROM notes WHERE usr = 'u1' AND n > 4 ORDER BY n LIMIT 5", "SELECT n FROM notes WHERE usr = 'u1' AND n <= 64 ORDER BY n DESC LIMIT 5",
                    "SELECT id FROM orders WHERE usr = 'u1' AND id >= 'k0004' ORDER BY id LIMIT 5"):
            with self.subTest(sql):
                [request] = self.fx.requests(sql)
                self.assertEqual(request.body["Limit"], 5)


class LargerTable(Pages):
    """The same for twenty times the items."""

    SIZE = 20
