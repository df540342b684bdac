"""What is filtered in DynamoDB, what is fetched, and what happens to filters that DynamoDB would refuse."""
import fixture
import request_text
import shop
from request_text import statements

FILTERS = [
    ("equal", "SELECT at FROM orders WHERE cust = 'c01' AND note = 'note 1%%'",
     ["Query orders where cust = 'c01' filter note = 'note 1%' get at"], ()),
    ("greater", "SELECT cust FROM orders WHERE total > 280", ["Scan orders filter total > 280 get at, cust"]),
    ("BETWEEN", "SELECT cust FROM orders WHERE total BETWEEN 100 AND 120",
     ["Scan orders filter total >= 100 AND total <= 120 get at, cust"]),
    ("IN", "SELECT cust FROM orders WHERE priority IN (2, 4, NULL)", ["Scan orders filter priority IN (2,4) get at, cust"]),
    ("exchanged", "SELECT cust FROM orders WHERE 280 < total", ["Scan orders filter total > 280 get at, cust"]),
    ("unequal", "SELECT cust FROM orders WHERE cust = 'c01' AND status <> 'open'",
     ["Query orders where cust = 'c01' filter status <> 'open' AND attribute_type(status,'S') get cust, status"]),
    ("IS NULL", "SELECT cust, at FROM orders WHERE note IS NULL",
     ["Scan orders filter attribute_not_exists(note) OR attribute_type(note,'NULL') get at, cust"]),
    ("IS NOT NULL", "SELECT cust, at FROM orders WHERE total IS NOT NULL AND cust = 'c01'",
     ["Query orders/by_total where cust = 'c01' get at, cust"]),
    ("prefix", "SELECT at FROM orders WHERE cust = 'c01' AND note ^@ 'note 2'",
     ["Query orders where cust = 'c01' filter begins_with(note,'note 2') get at, note"]),
    ("LIKE", "SELECT at FROM orders WHERE cust = 'c01' AND note LIKE 'note 2%%'",
     ["Query orders where cust = 'c01' filter begins_with(note,'note 2') get at, note"], ()),
    ("LIKE of the middle", "SELECT at FROM orders WHERE cust = 'c01' AND note LIKE '%%te 2%%'",
     ["Query orders where cust = 'c01' filter contains(note,'te 2') get at, note"], ()),
    ("ILIKE stays here", "SELECT at FROM orders WHERE cust = 'c01' AND note ILIKE 'note 2%%'",
     ["Query orders where cust = 'c01' get at, note"], ()),
    ("a range under the database's collation stays here", "SELECT at FROM orders WHERE cust = 'c01' AND note > 'note 2'",
     ["Query orders where cust = 'c01' get at, note"]),
    ("a range under collation C", "SELECT at FROM orders WHERE cust = 'c01' AND note COLLATE \"C\" < 'note 2'",
     ["Query orders where cust = 'c01' filter note < 'note 2' get at, note"]),
    ("OR", "SELECT cust FROM orders WHERE total < 10 OR priority = 28",
     ["Scan orders filter total < 10 OR priority = 28 get at, cust"]),
    ("OR with a part that stays here", "SELECT cust FROM orders WHERE total < 10 OR length(note) = 6",
     ["Scan orders get at, cust, note, total"]),
    ("AND within OR", "SELECT cust FROM orders WHERE (total < 10 AND region = 'eu') OR priority = 28",
     ["Scan orders filter total < 10 AND region = 'eu' OR priority = 28 get at, cust"]),
    ("two columns", "SELECT cust FROM orders WHERE ship = region", ["Scan orders filter ship = region get at, cust, region, ship"]),
    ("element of an array", "SELECT cust FROM orders WHERE 't3' = ANY (tags)",
     ["Scan orders filter contains(tags,'t3') get at, cust, tags"]),
    ("array contains", "SELECT cust FROM orders WHERE tags @> '{x,t3}'",
     ["Scan orders filter attribute_exists(tags) AND contains(tags,'x') AND contains(tags,'t3') get at, cust, tags"]),
    ("json text", "SELECT cust FROM orders WHERE info->>'rating' = '5'",
     ["Scan orders filter info.rating = '5' OR info.rating = 5 get at, cust, info.rating"]),
    ("json text, deeper", "SELECT at FROM orders WHERE info#>>'{by,name}' = 'n-1'",
     ["Scan orders filter info.by.name = 'n-1' get at, cust, info.by.name"]),
    ("json text, operators", "SELECT at FROM orders WHERE info->'by'->>'name' = 'n-1'",
     ["Scan orders filter info.by.name = 'n-1' get at, cust, info.by.name"]),
    ("json as a number stays here", "SELECT at FROM orders WHERE cust = 'c01' AND (info->>'rating')::int > 20",
     ["Query orders where cust = 'c01' get at, info.rating"]),
    ("a function stays here", "SELECT at FROM orders WHERE cust = 'c01' AND upper(status) = 'OPEN'",
     ["Query orders where cust = 'c01' get at, status"]),
    ("NULL is no request", "SELECT at FROM orders WHERE cust = 'c01' AND note = current_setting('test.missing', true)",
     []),
    ("an impossible number is no request", "SELECT at FROM orders WHERE cust = 'c01' AND priority = 1.5 AND total = 'NaN'",
     []),
    ("a number beyond all as bound", "SELECT at FROM orders WHERE cust = 'c01' AND note ^@ 'note 3' AND total < 'NaN'",
     ["Query orders/by_total where cust = 'c01' filter begins_with(note,'note 3') get at, note"]),
    ("nothing is less than the empty text", "SELECT cust FROM orders WHERE region < ''", []),
]

PROJECTIONS = [
    ("one attribute below", "SELECT info->'rating' FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get info.rating"]),
    ("one attribute below as text", "SELECT info->>'rating' FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get info.rating"]),
    ("a path below", "SELECT info #>> '{by,name}', at FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get at, info.by.name"]),
    ("two attributes below", "SELECT info->'rating', info->'by' FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get info.by, info.rating"]),
    ("one within another", "SELECT info->'by'->'name', info->'by' FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get info.by"]),
    ("below and all of it", "SELECT info->'rating', info FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get info"]),
    ("an element", "SELECT info->'by'->0 FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' get info.by"]),
    ("digits in a path", "SELECT info #> '{by,0}' FROM orders WHERE cust = 'c01'",
     ["Query orders where cust = 'c01' get info"]),
    ("a constant", "SELECT 1 FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' get cust"]),
    ("a full row", "SELECT o FROM orders o WHERE cust = 'c01' AND at = '2024-01-01'",
     ["GetItem orders {cust 'c01', at '2024-01-01'}"
      " get at, cust, info, note, paid, priority, region, ship, status, tags, total"]),
    ("what is sorted by", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY total, at",
     ["Query orders where cust = 'c01' get at, total"]),
    ("what is checked here", "SELECT at FROM orders WHERE cust = 'c01' AND length(status) = 4",
     ["Query orders where cust = 'c01' get at, status"]),
    ("what is filtered there", "SELECT at FROM orders WHERE cust = 'c01' AND priority = 4",
     ["Query orders where cust = 'c01' filter priority = 4 get at"]),
]


@statements(FILTERS + PROJECTIONS)
class RequestsWithFilters(request_text.RequestTestCase):
    """Each statement sends just the requests listed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.mirror("orders")

    def assertSameRows(self, sql, parameters=None):
        """The rows are those of the local table."""
        self.assertEqual(sorted(self.fx.rows(sql, parameters)), sorted(self.mirrored(sql, parameters)))

    def the_filter(self, sql, parameters=None):
        """The filter of the only request."""
        [request] = self.fx.requests(sql, parameters)
        return request.body.get("FilterExpression")

    def test_a_hundred_values_go_in_two_lists(self):
        """DynamoDB takes a hundred operands of IN."""
        sql = "SELECT cust, at FROM orders WHERE priority = ANY (%s)"
        text = self.the_filter(sql, (list(range(0, 150)),))
        self.assertEqual(text.count(" IN "), 2)
        self.assertSameRows(sql, (list(range(0, 150)),))

    def test_a_list_too_large_is_checked_here(self):
        """A filter of more than 4096 bytes is left out."""
        sql = "SELECT cust, at FROM orders WHERE priority = ANY (%s)"
        self.assertIsNone(self.the_filter(sql, (list(range(0, 3000)),)))
        self.assertSameRows(sql, (list(range(0, 3000)),))

    def test_a_constant_list_too_large_is_checked_here(self):
        """The same with constants, where the planner knows."""
        sql = f"SELECT cust, at FROM orders WHERE note IN ({', '.join(repr(f'note {n}') for n in range(2000))})"
        self.assertIsNone(self.the_filter(sql))
        self.assertSameRows(sql)

    def test_others_are_sent_without_a_list_too_large(self):
        """Its size does not prevent the filters of other conditions; EXPLAIN shows which are sent."""
        values = f"ARRAY[{', '.join(map(str, range(800)))}]"
        for values, shown in ((values, "Remote Filter: total > '10'::numeric\n"), (f"(SELECT {values})::int[]", "Remote Filter: total > '10'::numeric AND priority")):
            sql = f"SELECT cust, at FROM orders WHERE priority = ANY ({values}) AND total > 10"
            self.assertEqual(self.the_filter(sql), "#n0 > :v0")
            self.assertIn(shown, self.fx.explain(sql))
            self.assertSameRows(sql)

    def test_as_many_as_are_small_enough_are_not_checked_here(self):
        """The first conditions are left to DynamoDB, and the others, too, if the filter is small enough."""
        for n in (20, 40, 200):
            sql = f"SELECT cust, at FROM orders WHERE {' AND '.join(f'total <> {i}' for i in range(n))}"
            self.assertEqual((self.the_filter(sql) or "").count("<>"), n if n < 200 else 21)
            self.assertSameRows(sql)

    def test_too_many_operators_are_checked_here(self):
        """A filter of more than 300 operators is left out."""
        parts = " OR ".join(f"(total > {n} AND priority < {n % 7})" for n in range(250))
        sql = f"SELECT cust, at FROM orders WHERE {parts}"
        self.assertIsNone(self.the_filter(sql))
        self.assertSameRows(sql)

    def test_count_with_too_large_a_filter_counts_here(self):
        """Select=COUNT without the filter would count too many."""
        sql = "SELECT count(*) FROM orders WHERE priority = ANY (%s)"
        for values in (list(range(3000)), [2, 4]):
            self.assertSameRows(sql, (values,))

    def test_long_values_do_not_count_as_expression(self):
        """The limit is on the text with placeholders; values have one of their own."""
        sql = "SELECT cust, at FROM orders WHERE note = repeat('x', 10000)"
        self.assertEqual(self.the_filter(sql).strip(), "#n0 = :v0")
        self.assertSameRows(sql)

    def test_reserved_words_and_odd_names(self):
        """Every name travels as a placeholder."""
        self.fx.create_table("odd", ("size", "S"), ("a.b c", "S"))
        self.fx.put("odd", [{"size": "x", "a.b c": "y", "select": 1, "#n": 2, "ä\"'": {"x.y": 3}}])
        self.fx.foreign_table("odd", '"size" text NOT NULL, s text OPTIONS (attribute \'a.b c\'),'
                              ' "select" int, "#n" int, "ä""\'" jsonb')
        sql = 'SELECT s, "#n" FROM odd WHERE "size" = \'x\' AND s > \'a\' COLLATE "C" AND "select" = 1'
        self.assertEqual(self.texts(sql), ["Query odd where size = 'x' AND a.b c > 'a' filter select = 1 get #n, a.b c"])
        self.assertEqual(self.fx.rows(sql), [("y", 2)])
        self.assertEqual(self.fx.rows('SELECT "ä""\'"->\'x.y\' FROM odd'), [(3,)])

    def test_attribute_and_path(self):
        """Columns of other names, and of places below."""
        self.fx.foreign_table("renamed", "customer text OPTIONS (attribute 'cust') COLLATE \"C\" NOT NULL,"
                              " at text NOT NULL, rating int OPTIONS (path 'info.rating'),"
                              " first_tag text OPTIONS (path 'tags[0]')", table_name=self.fx.remote("orders"))
        sql = "SELECT rating FROM renamed WHERE customer = 'c01' AND rating > 27"
        self.assertEqual(self.texts(sql), ["Query orders where cust = 'c01' filter info.rating > 27 get info.rating"])
        self.assertEqual(sorted(self.fx.rows(sql)), [(28,), (29,)])
        sql = "SELECT first_tag FROM renamed WHERE customer = 'c01' AND at = '2024-01-01'"
        self.assertEqual(self.texts(sql), ["GetItem orders {cust 'c01', at '2024-01-01'} get tags"])
        self.assertEqual(self.fx.rows(sql), [("x",)])


class MismatchesAsNull(request_text.RequestTestCase):
    """Under on_mismatch 'null' no filter is exact, and IS NULL stays here."""

    def setUp(self):
        self.fx.create_table("mixed", ("pk", "S"))
        self.fx.put("mixed", [{"pk": "a", "v": 1}, {"pk": "b", "v": "text"}, {"pk": "c"}, {"pk": "d", "v": 7}])
        self.fx.foreign_table("mixed", "pk text NOT NULL, v int", on_mismatch="null")

    def test_is_null(self):
        """A mismatch is NULL."""
        self.assertEqual(sorted(self.fx.rows("SELECT pk FROM mixed WHERE v IS NULL")), [("b",), ("c",)])
        self.assertEqual(self.texts("SELECT pk FROM mixed WHERE v IS NULL"), ["Scan mixed get pk, v"])

    def test_count(self):
        """Counting is not pushed down if values have to be checked locally."""
        self.assertEqual(self.fx.value("SELECT count(*) FROM mixed WHERE v > 0"), 2)
        self.assertEqual(self.texts("SELECT count(*) FROM mixed WHERE v > 0"), ["Scan mixed filter v > 0 get pk, v"])


class Mistakes(fixture.TestCase):
    """Mismatches must not slip past a condition that is sent."""

    def test_a_number_out_of_range_is_not_counted(self):
        """1e20 is not an int: an error, not a row."""
        self.fx.create_table("large", ("pk", "S"))
        self.fx.put("large", [{"pk": "a", "v": 10 ** 20}])
        self.fx.foreign_table("large", "pk text NOT NULL, v int")
        for sql in ("SELECT count(*) FROM large WHERE v > 5", "SELECT pk FROM large WHERE v > 5"):
            self.assertEqual(self.fx.error(sql).sqlstate, "HV004")
