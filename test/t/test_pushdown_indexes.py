"""Which index is used, when it may be used, and what is read from the table after it."""
import request_text
import shop
from request_text import statements

OF_STATUS = "Query orders/by_status where status = 'open'"
OF_SHIP = "Query orders/by_ship where ship = 's3' get at, cust"
SHIPPED = "{cust 'c03', at '2024-01-01'} {cust 'c03', at '2024-09-21'} {cust 'c03', at '2024-11-11'}"
OF_PLACE = "Query games/by_place where country = 'DE' AND city = 'city1'"

LOCAL = [
    ("local index, equality", "SELECT at FROM orders WHERE cust = 'c01' AND total = 10.25",
     ["Query orders/by_total where cust = 'c01' AND total = 10.25 get at"]),
    ("local index, range", "SELECT at, total FROM orders WHERE cust = 'c01' AND total > 250",
     ["Query orders/by_total where cust = 'c01' AND total > 250 get at, total"]),
    ("local index, BETWEEN", "SELECT at, total FROM orders WHERE cust = 'c01' AND total BETWEEN 20 AND 50",
     ["Query orders/by_total where cust = 'c01' AND total BETWEEN 20 AND 50 get at, total"]),
    ("local index, BETWEEN reversed", "SELECT at FROM orders WHERE cust = 'c01' AND total BETWEEN 50 AND 20", []),
    ("local index, order", "SELECT at, total FROM orders WHERE cust = 'c01' AND total IS NOT NULL ORDER BY total DESC"
     " LIMIT 2", ["Query orders/by_total where cust = 'c01' get at, total limit 2 backward"]),
    ("local index, order within a range", "SELECT at, total FROM orders WHERE cust = 'c01' AND total > 100"
     " ORDER BY total LIMIT 2", ["Query orders/by_total where cust = 'c01' AND total > 100 get at, total limit 2"]),
    ("local index without proof that items have its key",
     "SELECT at, total FROM orders WHERE cust = 'c01' ORDER BY total LIMIT 2",
     ["Query orders where cust = 'c01' get at, total"]),
    ("local index, greatest", "SELECT max(total) FROM orders WHERE cust = 'c01'",
     ["Query orders/by_total where cust = 'c01' get total limit 1 backward"]),
    ("local index, a number no item can have", "SELECT at FROM orders WHERE cust = 'c01' AND total = 'NaN'", []),
]

GLOBAL = [
    ("global index", "SELECT cust, at FROM orders WHERE status = 'open'", [f"{OF_STATUS} get at, cust"]),
    ("global index, range", "SELECT cust, at FROM orders WHERE status = 'open' AND at >= '2024-12'",
     [f"{OF_STATUS} AND at >= '2024-12' get at, cust"]),
    ("global index, order and LIMIT", "SELECT at FROM orders WHERE status = 'open' ORDER BY at DESC LIMIT 2",
     [f"{OF_STATUS} get at limit 2 backward"]),
    ("global index, several keys", "SELECT cust, at FROM orders WHERE status IN ('open', 'paid') AND at < '2024-02'",
     [f"{OF_STATUS} AND at < '2024-02' get at, cust, status",
      "Query orders/by_status where status = 'paid' AND at < '2024-02' get at, cust, status"]),
    ("global index, another attribute as filter",
     "SELECT cust, at FROM orders WHERE status = 'open' AND at >= '2024-12' AND total > 100",
     [f"{OF_STATUS} AND at >= '2024-12' filter total > 100 get at, cust"]),
    ("global index, the table's key as filter",
     "SELECT cust, at FROM orders WHERE status = 'open' AND at >= '2024-12' AND cust > 'c15'",
     [f"{OF_STATUS} AND at >= '2024-12' filter cust > 'c15' get at, cust"]),
    ("the table's key is better", "SELECT at FROM orders WHERE cust = 'c01' AND status = 'open'",
     ["Query orders where cust = 'c01' filter status = 'open' get at"]),
    ("the full key is best", "SELECT total FROM orders WHERE cust = 'c01' AND at = '2024-01-01' AND ship = 's1'",
     ["GetItem orders {cust 'c01', at '2024-01-01'} get ship, total"]),
    ("global index, NULL", "SELECT cust, at FROM orders WHERE status = NULL", []),
    ("global index, empty text", "SELECT cust, at FROM orders WHERE status = ''",
     ["Scan orders filter status = '' get at, cust"], ()),
    ("global index, contradiction", "SELECT cust, at FROM orders WHERE status = 'open' AND at > 'b' AND at < 'a'", []),
]

SPARSE = [
    ("keys only, covering", "SELECT cust, at, ship FROM orders WHERE ship = 's3'",
     ["Query orders/by_ship where ship = 's3' get at, cust, ship"]),
    ("keys only, then the table", "SELECT total FROM orders WHERE ship = 's3'",
     [OF_SHIP, f"BatchGetItem orders {SHIPPED} get at, cust, ship, total"]),
    ("keys only, then one item", "SELECT total FROM orders WHERE ship = 's3' AND at = '2024-09-21'",
     [OF_SHIP.replace(" get", " filter at = '2024-09-21' get"),
      "GetItem orders {cust 'c03', at '2024-09-21'} get at, cust, ship, total"]),
    ("keys only, nothing found", "SELECT total FROM orders WHERE ship = 'nowhere'",
     ["Query orders/by_ship where ship = 'nowhere' get at, cust"]),
    ("sparse without proof", "SELECT total FROM orders WHERE region = 'eu'",
     ["Scan orders filter region = 'eu' get at, cust, total"]),
    ("sparse with proof by a condition", "SELECT total FROM orders WHERE region = 'eu' AND priority >= 10",
     ["Query orders/by_region where region = 'eu' AND priority >= 10 get priority, total"]),
    ("sparse with proof by IS NOT NULL", "SELECT total FROM orders WHERE region = 'eu' AND priority IS NOT NULL",
     ["Query orders/by_region where region = 'eu' get total"]),
    ("sparse with proof by any strict function",
     "SELECT total FROM orders WHERE region = 'eu' AND abs(priority) < 1000",
     ["Query orders/by_region where region = 'eu' get priority, total"]),
    ("no proof by OR", "SELECT count(note) FROM orders WHERE region = 'eu' AND (priority > 3 OR note = 'note 1%%')",
     ["Scan orders filter region = 'eu' AND (priority > 3 OR note = 'note 1%') get at, cust, note, priority"], ()),
    ("included attribute", "SELECT total, priority FROM orders WHERE region = 'us' AND priority = 4",
     ["Query orders/by_region where region = 'us' AND priority = 4 get priority, total"]),
    ("two partitions at once are quicker than an index that does not cover",
     "SELECT status FROM orders WHERE region = 'us' AND priority = 4 AND cust IN ('c00', 'c02')",
     ["Query orders where cust = 'c00' filter region = 'us' AND priority = 4 get cust, status",
      "Query orders where cust = 'c02' filter region = 'us' AND priority = 4 get cust, status"]),
]

PLACES = [
    ("several attributes, all bound", "SELECT id FROM games WHERE country = 'DE' AND city = 'city1' AND year = 2006"
     " AND title = 'title 06'", [f"{OF_PLACE} AND year = 2006 AND title = 'title 06' get id"]),
    ("several attributes, range on the last", "SELECT id, title FROM games WHERE country = 'DE' AND city = 'city1'"
     " AND year = 2006 AND title > 'title 1'", [f"{OF_PLACE} AND year = 2006 AND title > 'title 1' get id, title"]),
    ("several attributes, range in the middle", "SELECT id, year FROM games WHERE country = 'DE' AND city = 'city1'"
     " AND year >= 2005 AND title > ''", [f"{OF_PLACE} AND year >= 2005 get id, year"]),
    ("several attributes, partition only", "SELECT id FROM games WHERE country = 'DE' AND city = 'city1'"
     " AND year IS NOT NULL AND title <> ''", [f"{OF_PLACE} get id"]),
    ("several attributes, one missing", "SELECT id FROM games WHERE country = 'DE' AND year = 2006 AND title = 'title 06'",
     ["Scan games filter country = 'DE' AND year = 2006 AND title = 'title 06' get id"]),
    ("several attributes, list of one",
     "SELECT id FROM games WHERE country IN ('DE', 'FR') AND city = 'city1' AND year > 2006 AND title > ''",
     ["Query games/by_place where country = 'DE' AND city = 'city1' AND year > 2006 get city, country, id, year",
      "Query games/by_place where country = 'FR' AND city = 'city1' AND year > 2006 get city, country, id, year"]),
    ("several attributes, rows of both",
     "SELECT id FROM games WHERE (country, city) IN (('DE', 'city1'), ('FR', 'city2')) AND year > 2000 AND title > ''",
     ["Query games/by_place where country = 'DE' AND city = 'city1' AND year > 2000 get city, country, id, year",
      "Query games/by_place where country = 'FR' AND city = 'city2' AND year > 2000 get city, country, id, year"]),
    ("several attributes, order", "SELECT title FROM games WHERE country = 'DE' AND city = 'city1' AND year > 0"
     " AND title > '' ORDER BY year DESC, title DESC LIMIT 2",
     [f"{OF_PLACE} AND year > 0 get title, year limit 2 backward"]),
    ("several attributes, without proof of the last", "SELECT id FROM games WHERE country = 'DE' AND city = 'city1'"
     " AND year = 2006", ["Scan games filter country = 'DE' AND city = 'city1' AND year = 2006 get id"]),
]

COUNTS = [
    ("count the table", "SELECT count(*) FROM orders", ["Scan orders count"]),
    ("count a partition", "SELECT count(*) FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' count"]),
    ("count partitions", "SELECT count(*) FROM orders WHERE cust IN ('c01', 'c02')",
     ["Query orders where cust = 'c01' count", "Query orders where cust = 'c02' count"]),
    ("count in an index", "SELECT count(*) FROM orders WHERE status = 'open'", [f"{OF_STATUS} count"]),
    ("count in an index of keys", "SELECT count(*) FROM orders WHERE ship = 's3'",
     ["Query orders/by_ship where ship = 's3' count"]),
    ("count with a filter", "SELECT count(*) FROM orders WHERE cust = 'c01' AND status = 'open'",
     ["Query orders where cust = 'c01' filter status = 'open' count"]),
    ("count a range of numbers", "SELECT count(*) FROM orders WHERE cust = 'c01' AND total > 100",
     ["Query orders/by_total where cust = 'c01' AND total > 100 count"]),
    ("count in an expression", "SELECT count(*) > 5 FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' count"]),
    ("count nothing", "SELECT count(*) FROM orders WHERE cust = ''", []),
    ("count what must be checked here", "SELECT count(*) FROM orders WHERE cust = 'c01' AND length(at) = 10",
     ["Query orders where cust = 'c01' get at"]),
    ("count an open range", "SELECT count(*) FROM orders WHERE cust = 'c01' AND total > 100 AND total < 200",
     ["Query orders/by_total where cust = 'c01' AND total BETWEEN 100 AND 200 get total"]),
    ("count a column", "SELECT count(note) FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' get note"]),
    ("count distinct", "SELECT count(DISTINCT status) FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get status"]),
    ("count some", "SELECT count(*) FILTER (WHERE status = 'open') FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get status"]),
    ("count by group", "SELECT status, count(*) FROM orders WHERE cust = 'c01' GROUP BY status",
     ["Query orders where cust = 'c01' get status"]),
    ("count one item", "SELECT count(*) FROM orders WHERE cust = 'c01' AND at = '2024-01-01'",
     ["GetItem orders {cust 'c01', at '2024-01-01'} get cust"]),
    ("count two", "SELECT count(*), max(at) FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' get at"]),
    ("count in a branch that is never taken", "SELECT CASE WHEN false THEN count(*) END FROM orders WHERE cust = 'c01'", []),
    ("count in such a branch, below a CTE", "WITH c AS (SELECT 1) SELECT CASE WHEN false THEN count(*) END FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get cust"]),
    ("count in such a branch, and a window", "SELECT CASE WHEN false THEN count(*) END, row_number() OVER () FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get cust"]),
    ("count in a HAVING that is always true", "WITH c AS (SELECT 1) SELECT 1 FROM orders WHERE cust = 'c01' HAVING count(*) >= 0 OR true",
     ["Query orders where cust = 'c01' get cust"]),
]


@statements(LOCAL + GLOBAL + SPARSE + PLACES + COUNTS)
class RequestsByIndex(request_text.RequestTestCase):
    """Each statement sends just the requests listed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "games")
        cls.mirror("orders", "games")


CONSISTENT = [
    ("consistent item", "SELECT at, total FROM orders WHERE cust = 'c01' AND at = '2024-01-01'",
     ["GetItem orders {cust 'c01', at '2024-01-01'} get at, total consistent"]),
    ("consistent items", "SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND at = '2024-01-01'",
     ["BatchGetItem orders {cust 'c01', at '2024-01-01'} {cust 'c02', at '2024-01-01'} get at, cust consistent"]),
    ("consistent Query", "SELECT at FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' get at consistent"]),
    ("consistent count", "SELECT count(*) FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' count consistent"]),
    ("consistent local index", "SELECT at FROM orders WHERE cust = 'c01' AND total = 10.25",
     ["Query orders/by_total where cust = 'c01' AND total = 10.25 get at consistent"]),
    ("consistent reads use no global index", "SELECT cust, at FROM orders WHERE status = 'open' AND at > '2024-12'",
     ["Scan orders filter at > '2024-12' AND status = 'open' get at, cust consistent"]),
]


@statements(CONSISTENT)
class ConsistentRequests(request_text.RequestTestCase):
    """With consistent_read on the table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD consistent_read 'on')")
        cls.mirror("orders")


class SwitchedToConsistent(request_text.RequestTestCase):
    """dynamo_fdw.consistent_read."""

    def setUp(self):
        shop.create(self.fx, "orders")

    def test_a_prepared_statement_is_planned_again(self):
        """The parameter switches a plan over a global index to one that can be consistent."""
        sql = "SELECT cust, at FROM orders WHERE status = 'open' AND at > '2024-12'"
        self.fx.execute(f"PREPARE p AS {sql}")
        before = self.texts("EXECUTE p")
        self.fx.execute("SET dynamo_fdw.consistent_read = on")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.consistent_read")
        self.assertEqual(before, ["Query orders/by_status where status = 'open' AND at > '2024-12' get at, cust"])
        self.assertEqual(self.texts("EXECUTE p"),
                         ["Scan orders filter at > '2024-12' AND status = 'open' get at, cust consistent"])
        self.fx.execute("SET dynamo_fdw.consistent_read = off")
        self.assertEqual(self.texts("EXECUTE p"), before)
