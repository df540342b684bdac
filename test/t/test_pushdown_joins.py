"""Joins and subqueries by key: a request for each distinct key, batches of complete keys.

The planner needs the columns that it joins by, so that they are read as well.
"""
import request_text
import shop
from request_text import statements

GET = "GetItem orders {{cust '{}', at '2024-01-01'}} get {}"
BOTH = "BatchGetItem orders {cust 'c01', at '2024-01-01'} {cust 'c02', at '2024-01-01'} get at, cust, total"

JOINS = [
    ("join by the full key", "SELECT x, total FROM pair JOIN orders ON cust = x AND at = '2024-01-01'",
     [BOTH]),
    ("left join", "SELECT x, total FROM (SELECT * FROM pair UNION ALL SELECT 'none') v"
     " LEFT JOIN orders ON cust = x AND at = '2024-01-01'",
     [BOTH.replace(" get", " {cust 'none', at '2024-01-01'} get")]),
    ("outer NULL sends nothing", "SELECT x, total FROM (VALUES ('c01'), (NULL)) v (x)"
     " LEFT JOIN orders ON cust = x AND at = '2024-01-01'", [GET.format("c01", "at, cust, total")]),
    ("join by the partition key", "SELECT x, at FROM pair JOIN orders ON cust = x AND at > '2024-12'",
     ["Query orders where cust = 'c01' AND at > '2024-12' get at, cust",
      "Query orders where cust = 'c02' AND at > '2024-12' get at, cust"]),
    ("join by both parts of the key", "SELECT x, total FROM (VALUES ('c01', '2024-01-01'), ('c03', '2024-02-02')) v (x, y)"
     " JOIN orders ON cust = x AND at = y",
     ["BatchGetItem orders {cust 'c01', at '2024-01-01'} {cust 'c03', at '2024-02-02'} get at, cust, total"]),
    ("join by a range", "SELECT x, at FROM (VALUES ('c01', '2024-12'), ('c03', '2024-11')) v (x, y)"
     " JOIN orders ON cust = x AND at > y",
     ["Query orders where cust = 'c01' AND at > '2024-12' get at, cust",
      "Query orders where cust = 'c03' AND at > '2024-11' get at, cust"]),
    ("join by a global index", "SELECT x, cust FROM (VALUES ('s3'), ('s4')) v (x) JOIN orders ON ship = x",
     ["Query orders/by_ship where ship = 's3' get cust, ship", "Query orders/by_ship where ship = 's4' get cust, ship"]),
    ("join whose constant reaches the table", "SELECT at FROM pair JOIN orders ON cust = x WHERE x = 'c02' AND at < '2024-02'",
     ["Query orders where cust = 'c02' AND at < '2024-02' get at, cust"]),
    ("repeated outer values are requested once", "SELECT c, count(at) FROM many JOIN orders ON cust = c AND at > '2024-11'"
     " GROUP BY c", [f"Query orders where cust = 'c0{n}' AND at > '2024-11' get at, cust" for n in (1, 2, 3)]),
    ("one table twice", "SELECT b.total FROM orders a JOIN orders b ON b.cust = a.note AND b.at = a.at"
     " WHERE a.cust = 'c01' AND a.at = '2024-02-02'",
     ["GetItem orders {cust 'c01', at '2024-02-02'} get at, note", "GetItem orders {cust 'note 1%', at '2024-02-02'} get at, cust, total"]),
    ("integers joined to numbers", "SELECT val FROM (VALUES (1::bigint, 100), (2, 200)) v (s, t)"
     " JOIN readings ON sensor = s AND ts = t",
     ["BatchGetItem readings {sensor 1, ts 100} {sensor 2, ts 200} get sensor, ts, val"]),
]

SUBQUERIES = [
    ("correlated count", "SELECT x, (SELECT count(*) FROM orders WHERE cust = x) FROM pair",
     ["Query orders where cust = 'c01' count", "Query orders where cust = 'c02' count"]),
    ("correlated value", "SELECT x, (SELECT total FROM orders WHERE cust = x AND at = '2024-01-01') FROM pair",
     ["BatchGetItem orders {cust 'c01', at '2024-01-01'} {cust 'c02', at '2024-01-01'} get at, cust, total"]),
    ("correlated greatest", "SELECT x, (SELECT max(at) FROM orders WHERE cust = x) FROM pair",
     ["Query orders where cust = 'c01' get at, cust limit 1 backward", "Query orders where cust = 'c02' get at, cust limit 1 backward"]),
    ("the latest of each", "SELECT x, o.at FROM pair, LATERAL (SELECT at FROM orders WHERE cust = x ORDER BY at DESC LIMIT 2) o",
     ["Query orders where cust = 'c01' get at, cust limit 2 backward", "Query orders where cust = 'c02' get at, cust limit 2 backward"]),
    ("a lateral aggregate", "SELECT x, o.s FROM pair, LATERAL (SELECT sum(total) AS s FROM orders WHERE cust = x"
     " AND at > '2024-12') o",
     ["Query orders where cust = 'c01' AND at > '2024-12' get at, cust, total",
      "Query orders where cust = 'c02' AND at > '2024-12' get at, cust, total"]),
    ("an uncorrelated subquery runs once", "SELECT x FROM pair WHERE x = (SELECT max(cust) FROM orders WHERE cust = 'c02')",
     ["Query orders where cust = 'c02' get cust limit 1"]),
    ("a join that the planner removes", "SELECT total FROM orders LEFT JOIN sole ON x = at WHERE cust = 'c02'",
     ["Query orders where cust = 'c02' get total"]),
    ("IN of a subquery", "SELECT total FROM orders WHERE cust IN (SELECT x FROM pair) AND at = '2024-01-01'",
     [BOTH]),
]


@statements(JOINS + SUBQUERIES)
class RequestsOfJoins(request_text.RequestTestCase):
    """Each statement sends just the requests listed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "readings")
        cls.fx.execute("CREATE TABLE pair AS SELECT * FROM (VALUES ('c01'), ('c02')) v (x); CREATE TABLE sole (x text PRIMARY KEY);"
                       "CREATE TABLE many AS SELECT 'c0' || 1 + i % 3 AS c FROM generate_series(1, 300) i;"
                       "ANALYZE pair, many")
        shop.pretend_large(cls.fx)
        cls.mirror("orders", "readings")

    def test_exists_reads_no_partition_twice(self):
        """A semijoin needs one request for each outer row at most."""
        sql = "SELECT x FROM pair WHERE EXISTS (SELECT FROM orders WHERE cust = x AND at = '2024-01-01')"
        self.assertEqual(sorted(self.fx.rows(sql)), [("c01",), ("c02",)])
        self.assertLessEqual(len(self.fx.requests(sql)), 2)

    def test_a_rescan_requests_new_values_only(self):
        """Memoize keeps what equal outer values gave, where lookups are switched off."""
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        plan = self.fx.explain("SELECT c, at FROM many JOIN orders ON cust = c AND at > '2024-11'")
        self.fx.execute("RESET dynamo_fdw.enable_lookup_join")
        self.assertIn("Memoize", plan)


class PageSizes(request_text.RequestTestCase):
    """fetch_size."""

    def test_fetch_size_limits_every_page(self):
        """fetch_size is the Limit of each request."""
        shop.create(self.fx, "orders")
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '12')")
        sql = "SELECT at FROM orders WHERE cust = 'c01'"
        text = "Query orders where cust = 'c01' get at limit 12"
        self.assertEqual(self.texts(sql), [text, f"{text} next", f"{text} next"])
        self.assertEqual(len(self.fx.rows(sql)), 30)
        self.assertEqual(self.texts(f"{sql} ORDER BY at LIMIT 5"), [text.replace("12", "5")])
        self.assertEqual(self.texts(f"{sql} ORDER BY at LIMIT 14"), [text, f"{text} next"])
