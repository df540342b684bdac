"""Constant ranges of an integer partition key, or of an integer part of it, are requested value by value."""
import request_text
from dynamo import index
from request_text import statements

COLUMNS = 'k int NOT NULL, s text COLLATE "C" NOT NULL, small smallint, big bigint, num numeric, word text, body text'
ALONE = "k int NOT NULL, v int, body text"


def many():
    """400 items of half a kilobyte; some with keys that are no integers."""
    for n in range(400):
        yield {"k": n // 4 - 50, "s": f"s{n % 4}", "small": n % 300 - 150, "big": n * 10 ** 12, "num": n, "word": f"w{n}", "body": "b" * 400}


SK = ("s", "S")
KEYS = [
    ("BETWEEN", "SELECT v FROM one WHERE k BETWEEN 5 AND 7", ["BatchGetItem one {k 5} {k 6} {k 7} get k, v"]),
    ("open bounds", "SELECT v FROM one WHERE k > 4 AND k < 7", ["BatchGetItem one {k 5} {k 6} get k, v"]),
    ("one value", "SELECT v FROM one WHERE k > 4 AND k <= 5", ["GetItem one {k 5} get k, v"]),
    ("several bounds", "SELECT v FROM one WHERE k > -1 AND k >= 3 AND k < 5 AND 1000 > k", ["BatchGetItem one {k 3} {k 4} get k, v"]),
    ("bounds of other integer types", "SELECT v FROM one WHERE k >= 5::bigint AND k <= 6::smallint", ["BatchGetItem one {k 5} {k 6} get k, v"]),
    ("next to a list", "SELECT v FROM one WHERE k BETWEEN 5 AND 900 AND k IN (4, 5, 950)", ["GetItem one {k 5} get k, v"]),
    ("no integers between", "SELECT v FROM one WHERE k > 5 AND k < 6", ["Scan one filter k > 5 AND k < 6 get k, v"]),
    ("reversed", "SELECT v FROM one WHERE k BETWEEN 7 AND 5", ["Scan one filter k >= 7 AND k <= 5 get k, v"]),
    ("one side", "SELECT v FROM one WHERE k > 340", ["Scan one filter k > 340 get k, v"]),
    ("too many", "SELECT v FROM one WHERE k BETWEEN 340 AND 1340", ["Scan one filter k >= 340 AND k <= 1340 get k, v"]),
    ("dearer than a Scan", "SELECT v FROM one WHERE k BETWEEN 0 AND 900", ["Scan one filter k >= 0 AND k <= 900 get k, v"]),
    ("a bound that is no integer", "SELECT v FROM one WHERE k BETWEEN 5.5 AND 7", ["Scan one filter k <= 7 AND k >= 5.5 get k, v"]),
    ("in an OR", "SELECT v FROM one WHERE k BETWEEN 5 AND 6 OR v = 3", ["Scan one filter k >= 5 AND k <= 6 OR v = 3 get k, v"]),
    ("partitions", "SELECT s FROM many WHERE k BETWEEN 5 AND 6",
     ["Query many where k = 5 get k, s", "Query many where k = 6 get k, s"]),
    ("partitions and a sort key", "SELECT num FROM many WHERE k BETWEEN -1 AND 0 AND s >= 's2'",
     ["Query many where k = -1 AND s >= 's2' get k, num, s", "Query many where k = 0 AND s >= 's2' get k, num, s"]),
    ("full keys", "SELECT num FROM many WHERE k BETWEEN -1 AND 0 AND s = 's2'",
     ["BatchGetItem many {k -1, s 's2'} {k 0, s 's2'} get k, num, s"]),
    ("in order", "SELECT s FROM many WHERE k BETWEEN 5 AND 6 ORDER BY s LIMIT 3",
     ["Query many where k = 5 get k, s limit 3", "Query many where k = 6 get k, s limit 3"]),
    ("counted", "SELECT count(*) FROM many WHERE k BETWEEN 5 AND 6", ["Query many where k = 5 get k", "Query many where k = 6 get k"]),
    ("limits of a type", "SELECT num FROM many WHERE small BETWEEN -40000 AND -150 AND s = 's0'",
     ["Scan many filter small >= -40000 AND small <= -150 AND s = 's0' get k, num, s, small"]),
    ("index", "SELECT num FROM many WHERE small BETWEEN -32768 AND 40000 AND small <= -32767",
     ["Query many/by_small where small = -32767 get num, small", "Query many/by_small where small = -32768 get num, small"]),
    ("index of bigint", "SELECT word FROM many WHERE big BETWEEN 5000000000000 AND 5000000000001",
     ["Query many/by_big where big = 5000000000000 get big, word", "Query many/by_big where big = 5000000000001 get big, word"]),
    ("end of bigint", "SELECT word FROM many WHERE big BETWEEN 9223372036854775806 AND 9223372036854775807",
     ["Query many/by_big where big = 9223372036854775806 get big, word", "Query many/by_big where big = 9223372036854775807 get big, word"]),
    ("not of a numeric column", "SELECT word FROM many WHERE num BETWEEN 5 AND 6", ["Scan many filter num >= 5 AND num <= 6 get k, s, word"]),
    ("joined", "SELECT a.v, b.s FROM one a JOIN many b ON b.k = a.k WHERE a.k BETWEEN 5 AND 6 AND b.s = 's1'",
     ["BatchGetItem one {k 5} {k 6} get k, v", "GetItem many {k 5, s 's1'} get k, s"]),
]

TEMPLATES = [
    ("part", "SELECT v FROM parted WHERE n BETWEEN 5 AND 6", ["BatchGetItem texts {pk 'n#5'} {pk 'n#6'} get pk, v"]),
    ("part with another", "SELECT v FROM pairs WHERE a = 'x' AND n > 4 AND n < 7", ["BatchGetItem texts {pk 'x#5'} {pk 'x#6'} get pk, v"]),
    ("part with a list", "SELECT v FROM pairs WHERE a IN ('x', 'n') AND n BETWEEN 5 AND 6",
     ["BatchGetItem texts {pk 'n#5'} {pk 'n#6'} {pk 'x#5'} {pk 'x#6'} get pk, v"]),
    ("part with nothing of the other", "SELECT v FROM pairs WHERE n BETWEEN 5 AND 6", ["Scan texts get pk, v"]),
    ("part beyond its enumeration", "SELECT v FROM listed WHERE n BETWEEN 3 AND 4", ["BatchGetItem texts {pk 'n#3'} {pk 'n#4'} get pk, v"]),
    ("part on one side", "SELECT v FROM parted WHERE n > 390", ["Scan texts filter begins_with(pk,'n#') get pk, v"]),
]


@statements(KEYS + TEMPLATES)
class Ranges(request_text.RequestTestCase):
    """The requests, and the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("one", ("k", "N"))
        fx.put("one", [{"k": n, "v": n * 2, "body": "b" * 400} for n in range(0, 400) if n % 10 != 6])
        fx.create_table("many", ("k", "N"), SK, [index("by_small", ("small", "N")), index("by_big", ("big", "N"))])
        fx.put("many", many())
        fx.create_table("texts", ("pk", "S"))
        fx.put("texts", [{"pk": f"{'nx'[n % 2]}#{n // 2}", "v": n, "body": "b" * 400} for n in range(800)])
        for name, columns in (("one", ALONE), ("many", COLUMNS)):
            fx.foreign_table(name, columns, scan_policy="allow")
        for name, columns, template in (("parted", "n int NOT NULL", "n#${n}"), ("pairs", 'a text COLLATE "C" NOT NULL, n int NOT NULL', "${a}#${n}"),
                                        ("listed", "n int NOT NULL", "n#${n:0..399}")):
            fx.foreign_table(name, columns + ", v int, body text", scan_policy="allow", table_name=fx.remote("texts"),
                             key_templates='{"pk": "%s"}' % template)
        cls.mirror("one", "many", "parted", "pairs", "listed")

    def test_parameters(self):
        """Bounds that are known at execution; too many values are not enumerated."""
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute("PREPARE p (int, int) AS SELECT v FROM one WHERE k BETWEEN $1 AND $2")
        for mode in ("force_custom_plan", "force_generic_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}")
            for last, first in ((7, "BatchGetItem"), (10007, "Scan")):
                self.assertEqual(self.texts(f"EXECUTE p(5, {last})")[0].split()[0], first)
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE p(5, {last})")), sorted(self.mirrored(f"SELECT v FROM one WHERE k BETWEEN 5 AND {last}")))

    def test_explain(self):
        """EXPLAIN shows the range."""
        self.assertIn("Key Condition: k BETWEEN 5 AND 7", self.fx.explain("SELECT v FROM one WHERE k BETWEEN 5 AND 7"))


class Products(request_text.RequestTestCase):
    """Ranges that are known at execution: if they have too many keys together, the table is read without them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("products", ("pk", "S"))
        cls.fx.create_table("halves", ("k", "N"), ("s", "N"))
        cls.fx.put("products", [{"pk": f"{a}#{b}", "v": a * b, "body": "b" * 2000} for a in (*range(1, 20), 1000) for b in (*range(3, 20), 1, 2000)])
        cls.fx.put("halves", [{"k": n, "s": n % 7, "v": n, "body": "b" * 2000} for n in range(1, 400)])
        cls.mapped("products", "a int NOT NULL, b int NOT NULL, v int", {"pk": "${a}#${b}"})
        cls.fx.foreign_table("halves", "k int NOT NULL, s int NOT NULL, v int", scan_policy="allow")
        cls.mirror("halves")
        cls.fx.execute("CREATE TABLE o (a1 int, a2 int, b1 int, b2 int); INSERT INTO o VALUES (1, 1, 1, 1); ANALYZE o; CREATE TABLE mirror.o AS TABLE o")

    def test_joined(self):
        """Parts of a template."""
        sql = "SELECT v FROM o JOIN products p ON p.a BETWEEN o.a1 AND o.a2 AND p.b BETWEEN o.b1 AND o.b2"
        self.fx.execute("UPDATE o SET a2 = 5000, b2 = 3000; UPDATE mirror.o SET a2 = 5000, b2 = 3000")
        self.assertRequests(sql, ["Scan products get pk, v"])
        self.fx.execute("UPDATE o SET a2 = 2, b2 = 2; UPDATE mirror.o SET a2 = 2, b2 = 2")
        self.assertRequests(sql, ["BatchGetItem products {pk '1#1'} {pk '1#2'} {pk '2#1'} {pk '2#2'} get pk, v"])

    def test_next_to_lists(self):
        """A list counts as well; for lists alone, too many keys are an error."""
        self.fx.execute("UPDATE o SET a2 = 60000; UPDATE mirror.o SET a2 = 60000")
        lists = "ANY (ARRAY(SELECT generate_series(1, 4000)))"
        self.assertRequests(f"SELECT v FROM o JOIN products p ON p.a BETWEEN o.a1 AND o.a2 AND p.b = {lists}", ["Scan products get pk, v"])
        for sql in ("SELECT v FROM products WHERE a = {0} AND b = {0}", "SELECT v FROM halves WHERE k = {0} AND s = {0}"):
            failure = self.fx.error(sql.format(lists))
            self.assertEqual((failure.sqlstate, failure.hint), ("54000", "Use fewer values in the IN lists or arrays."))


class TwoColumns(request_text.RequestTestCase):
    """Two columns that show one partition key."""

    def test_order_of_conditions(self):
        """The column with both bounds is used, in whichever order the planner sorts the conditions."""
        self.fx.create_table("shown", ("k", "N"))
        self.fx.put("shown", [{"k": n, "body": "b" * 400} for n in range(400)])
        self.fx.foreign_table("shown", "a int OPTIONS (path 'k'), b bigint OPTIONS (path 'k'), body text", scan_policy="allow")
        self.mirror("shown")
        length = "length(current_user::text)"
        for condition in (f"b >= {length} AND b <= {length} + 3 AND a >= 1", "a >= 1 AND b BETWEEN 8 AND 11", f"a <= 300 AND b >= {length} AND a >= {length} + 290"):
            with self.subTest(condition):
                requests, rows = self.fx.requests_and_rows(f"SELECT a, b FROM shown WHERE {condition}")
                self.assertEqual([r.operation for r in requests], ["BatchGetItem"])
                self.assertEqual(sorted(rows), sorted(self.mirrored(f"SELECT a, b FROM shown WHERE {condition}")))


class Mismatches(request_text.RequestTestCase):
    """Keys between integers, which are NULL to an integer column."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("odd", ("k", "N"))
        cls.fx.put("odd", [{"k": n / 2, "v": n, "body": "b" * 400} for n in range(400)])
        cls.fx.foreign_table("odd", "k int, v int, body text", scan_policy="allow", on_mismatch="null")
        cls.fx.foreign_table("strict", "k int, v int, body text", scan_policy="allow", table_name=cls.fx.remote("odd"))
        cls.mirror("odd")

    def test_rows(self):
        """No condition on the key selects them."""
        self.assertRequests("SELECT v FROM odd WHERE k BETWEEN 5 AND 6", ["BatchGetItem odd {k 5} {k 6} get k, v"])
        self.assertRequests("SELECT v FROM odd WHERE (k BETWEEN 5 AND 6) IS NOT FALSE AND v < 20", ["Scan odd filter v < 20 get k, v"])

    def test_not_met(self):
        """An item that is not read is no error."""
        self.assertEqual(sorted(self.fx.rows("SELECT v FROM strict WHERE k BETWEEN 5 AND 6")), [(10,), (12,)])
        self.assertEqual(self.fx.error("SELECT v FROM strict WHERE k > 5").sqlstate, "HV004")
