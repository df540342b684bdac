"""Joins and subqueries by key: a request for each distinct outer row.

The planner wants the columns that it joins by, so that they are read as well.
"""
import request_text
import shop
from request_text import statements

GET = "GetItem orders {{cust '{}', at '2024-01-01'}} get {}"

JOINS = [
    ("join by the whole key", "SELECT x, total FROM pair JOIN orders ON cust = x AND at = '2024-01-01'",
     [GET.format("c01", "cust, total"), GET.format("c02", "cust, total")]),
    ("left join", "SELECT x, total FROM (SELECT * FROM pair UNION ALL SELECT 'none') v"
     " LEFT JOIN orders ON cust = x AND at = '2024-01-01'",
     [GET.format("c01", "cust, total"), GET.format("c02", "cust, total"), GET.format("none", "cust, total")]),
    ("outer NULL asks nothing", "SELECT x, total FROM (VALUES ('c01'), (NULL)) v (x)"
     " LEFT JOIN orders ON cust = x AND at = '2024-01-01'", [GET.format("c01", "cust, total")]),
    ("join by the partition key", "SELECT x, at FROM pair JOIN orders ON cust = x AND at > '2024-12'",
     ["Query orders where cust = 'c01' AND at > '2024-12' get at, cust",
      "Query orders where cust = 'c02' AND at > '2024-12' get at, cust"]),
    ("join by both parts of the key", "SELECT x, total FROM (VALUES ('c01', '2024-01-01'), ('c03', '2024-02-02')) v (x, y)"
     " JOIN orders ON cust = x AND at = y",
     ["GetItem orders {cust 'c01', at '2024-01-01'} get at, cust, total", "GetItem orders {cust 'c03', at '2024-02-02'} get at, cust, total"]),
    ("join by a range", "SELECT x, at FROM (VALUES ('c01', '2024-12'), ('c03', '2024-11')) v (x, y)"
     " JOIN orders ON cust = x AND at > y",
     ["Query orders where cust = 'c01' AND at > '2024-12' get at, cust",
      "Query orders where cust = 'c03' AND at > '2024-11' get at, cust"]),
    ("join by a global index", "SELECT x, cust FROM (VALUES ('s3'), ('s4')) v (x) JOIN orders ON ship = x",
     ["Query orders/by_ship where ship = 's3' get cust, ship", "Query orders/by_ship where ship = 's4' get cust, ship"]),
    ("join whose constant reaches the table", "SELECT at FROM pair JOIN orders ON cust = x WHERE x = 'c02' AND at < '2024-02'",
     ["Query orders where cust = 'c02' AND at < '2024-02' get at, cust"]),
    ("repeated outer values are asked for once", "SELECT c, count(at) FROM many JOIN orders ON cust = c AND at > '2024-11'"
     " GROUP BY c", [f"Query orders where cust = 'c0{n}' AND at > '2024-11' get at, cust" for n in (1, 2, 3)]),
    ("one table twice", "SELECT b.total FROM orders a JOIN orders b ON b.cust = a.note AND b.at = a.at"
     " WHERE a.cust = 'c01' AND a.at = '2024-02-02'",
     ["GetItem orders {cust 'c01', at '2024-02-02'} get at, note", "GetItem orders {cust 'note 1%', at '2024-02-02'} get at, cust, total"]),
    ("integers joined to numbers", "SELECT val FROM (VALUES (1::bigint, 100), (2, 200)) v (s, t)"
     " JOIN readings ON sensor = s AND ts = t",
     ["GetItem readings {sensor 1, ts 100} get sensor, ts, val", "GetItem readings {sensor 2, ts 200} get sensor, ts, val"]),
]

SUBQUERIES = [
    ("correlated count", "SELECT x, (SELECT count(*) FROM orders WHERE cust = x) FROM pair",
     ["Query orders where cust = 'c01' count", "Query orders where cust = 'c02' count"]),
    ("correlated value", "SELECT x, (SELECT total FROM orders WHERE cust = x AND at = '2024-01-01') FROM pair",
     [GET.format("c01", "total"), GET.format("c02", "total")]),
    ("correlated greatest", "SELECT x, (SELECT max(at) FROM orders WHERE cust = x) FROM pair",
     ["Query orders where cust = 'c01' get at limit 1 backward", "Query orders where cust = 'c02' get at limit 1 backward"]),
    ("the latest of each", "SELECT x, o.at FROM pair, LATERAL (SELECT at FROM orders WHERE cust = x ORDER BY at DESC LIMIT 2) o",
     ["Query orders where cust = 'c01' get at limit 2 backward", "Query orders where cust = 'c02' get at limit 2 backward"]),
    ("a lateral aggregate", "SELECT x, o.s FROM pair, LATERAL (SELECT sum(total) AS s FROM orders WHERE cust = x"
     " AND at > '2024-12') o",
     ["Query orders where cust = 'c01' AND at > '2024-12' get at, total",
      "Query orders where cust = 'c02' AND at > '2024-12' get at, total"]),
    ("an uncorrelated subquery runs once", "SELECT x FROM pair WHERE x = (SELECT max(cust) FROM orders WHERE cust = 'c02')",
     ["Query orders where cust = 'c02' get cust limit 1"]),
    ("IN of a subquery", "SELECT total FROM orders WHERE cust IN (SELECT x FROM pair) AND at = '2024-01-01'",
     [GET.format("c01", "cust, total"), GET.format("c02", "cust, total")]),
]


@statements(JOINS + SUBQUERIES)
class RequestsOfJoins(request_text.RequestTestCase):
    """Each statement sends just the requests listed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "readings")
        cls.fx.execute("CREATE TABLE pair AS SELECT * FROM (VALUES ('c01'), ('c02')) v (x);"
                       "CREATE TABLE many AS SELECT 'c0' || 1 + i % 3 AS c FROM generate_series(1, 300) i;"
                       "ANALYZE pair, many")
        shop.pretend_large(cls.fx)
        cls.mirror("orders", "readings")

    def test_exists_reads_no_partition_twice(self):
        """A semijoin needs one request for each outer row at most."""
        sql = "SELECT x FROM pair WHERE EXISTS (SELECT FROM orders WHERE cust = x AND at = '2024-01-01')"
        self.assertEqual(sorted(self.fx.rows(sql)), [("c01",), ("c02",)])
        self.assertLessEqual(len(self.fx.requests(sql)), 2)

    def test_a_rescan_asks_again_with_new_values_only(self):
        """Memoize keeps what equal outer values gave."""
        plan = self.fx.explain("SELECT c, at FROM many JOIN orders ON cust = c AND at > '2024-11'")
        self.assertIn("Memoize", plan)


class Prepared(request_text.RequestTestCase):
    """Seven executions, of which the last ones use the generic plan, send the same requests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "readings")

    def assertSame(self, types, sql, values, expected):
        """Every execution asks the same, under every plan_cache_mode."""
        for mode in ("auto", "force_custom_plan", "force_generic_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}")
            self.fx.execute(f"PREPARE p ({types}) AS {sql}")
            try:
                for execution in range(7):
                    self.assertEqual(self.texts(f"EXECUTE p ({values})"), sorted(expected), (mode, execution))
            finally:
                self.fx.execute("DEALLOCATE p; RESET plan_cache_mode")

    def test_whole_key(self):
        """GetItem."""
        self.assertSame("text, text", "SELECT total FROM orders WHERE cust = $1 AND at = $2", "'c01', '2024-01-01'",
                        ["GetItem orders {cust 'c01', at '2024-01-01'} get total"])

    def test_range(self):
        """Query with two bounds."""
        self.assertSame("text, text, text", "SELECT at FROM orders WHERE cust = $1 AND at BETWEEN $2 AND $3",
                        "'c01', '2024-03', '2024-05'",
                        ["Query orders where cust = 'c01' AND at BETWEEN '2024-03' AND '2024-05' get at"])

    def test_reversed_range(self):
        """No request, though the planner could not know."""
        self.assertSame("text, text, text", "SELECT at FROM orders WHERE cust = $1 AND at BETWEEN $2 AND $3",
                        "'c01', '2024-05', '2024-03'", [])

    def test_null(self):
        """No request."""
        self.assertSame("text", "SELECT at FROM orders WHERE cust = $1", "NULL", [])

    def test_array(self):
        """One Query for each distinct member."""
        self.assertSame("text[]", "SELECT at FROM orders WHERE cust = ANY ($1)", "'{c02,c01,c02,NULL}'",
                        ["Query orders where cust = 'c01' get at", "Query orders where cust = 'c02' get at"])

    def test_keys_of_an_array(self):
        """BatchGetItem."""
        self.assertSame("bigint[]", "SELECT val FROM readings WHERE sensor = 1 AND ts = ANY ($1)", "'{100,200,100}'",
                        ["BatchGetItem readings {sensor 1, ts 100} {sensor 1, ts 200} get sensor, ts, val"])

    def test_index_and_filter(self):
        """Query of an index with a filter."""
        self.assertSame("text, text, numeric",
                        "SELECT cust, at FROM orders WHERE status = $1 AND at >= $2 AND total > $3",
                        "'open', '2024-12', 100",
                        ["Query orders/by_status where status = 'open' AND at >= '2024-12' filter total > 100 get at, cust"])

    def test_order_and_limit(self):
        """LIMIT is a constant; it is a hint in a generic plan too."""
        self.assertSame("text", "SELECT at FROM orders WHERE cust = $1 ORDER BY at DESC LIMIT 3", "'c01'",
                        ["Query orders where cust = 'c01' get at limit 3 backward"])

    def test_count(self):
        """Select=COUNT."""
        self.assertSame("text", "SELECT count(*) FROM orders WHERE cust = $1", "'c01'",
                        ["Query orders where cust = 'c01' count"])

    def test_other_values_other_requests(self):
        """A generic plan keeps no value of an earlier execution."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode")
        self.fx.execute("PREPARE q (text) AS SELECT at FROM orders WHERE cust = $1")
        for customer in ("c01", "c02", "c01", "c03"):
            self.assertEqual(self.texts(f"EXECUTE q ('{customer}')"), [f"Query orders where cust = '{customer}' get at"])

    def test_protocol_parameters(self):
        """A cursor and plpgsql variables are parameters too."""
        self.fx.execute("CREATE FUNCTION latest(c text) RETURNS text LANGUAGE plpgsql STABLE AS"
                        " $$ BEGIN RETURN (SELECT max(at) FROM orders WHERE cust = c); END $$")
        for customer in ["c01", "c02"] * 4:
            self.assertEqual(self.texts(f"SELECT latest('{customer}')"),
                             [f"Query orders where cust = '{customer}' get at limit 1 backward"])


class PageSizes(request_text.RequestTestCase):
    """fetch_size."""

    def test_fetch_size_limits_every_page(self):
        """As Limit of each request."""
        shop.create(self.fx, "orders")
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '12')")
        sql = "SELECT at FROM orders WHERE cust = 'c01'"
        text = "Query orders where cust = 'c01' get at limit 12"
        self.assertEqual(self.texts(sql), [text, f"{text} next", f"{text} next"])
        self.assertEqual(len(self.fx.rows(sql)), 30)
        self.assertEqual(self.texts(f"{sql} ORDER BY at LIMIT 5"), [text.replace("12", "5")])
        self.assertEqual(self.texts(f"{sql} ORDER BY at LIMIT 14"), [text, f"{text} next"])
