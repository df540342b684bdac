"""Integer and numeric columns compared with values of double precision."""
import decimal
import itertools

import request_text
from dynamo import index
from request_text import statements

INTEGERS = "k int NOT NULL, small smallint, v int"
BIGS = "p text NOT NULL, b bigint NOT NULL, v int"
DECIMALS = "p text NOT NULL, d numeric NOT NULL, v numeric"
LIMIT = 2 ** 53
EDGES = [0, 1, -1, 5, 6, 10 ** 15, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, LIMIT + 3, LIMIT + 4, -LIMIT - 1, 2 ** 60 + 1, 2 ** 60 + 63, 2 ** 63 - 1, -2 ** 63]
DIGITS = ["0", "0.1", "0.10000000000000000555", "0.1000000000000000055511151231257827", "0.09999999999999999", "0.10000000000000002",
          "1E-130", "-1E-130", "4.9E-100", "5", "5.00000000000000000000000000000000001", "1E+125", "9.9999999999999999999999999999999999999E+125",
          "-9.9999999999999999999999999999999999999E+125", "9007199254740993", "123456789012345678"]
WIDE = "BETWEEN 0.099999999999999992 AND 0.10000000000000002"

INTEGER = [
    ("a key", "SELECT v FROM i WHERE k = 5::float8", ["GetItem i {k 5} get v"]),
    ("a key in a list", "SELECT v FROM i WHERE k IN (5::float8, 6.5, 7, 'NaN')", ["BatchGetItem i {k 5} {k 7} get k, v"]),
    ("a fraction", "SELECT v FROM i WHERE k = 5.5::float8", []),
    ("infinity", "SELECT v FROM i WHERE k = 'infinity'::float8", []),
    ("not a number", "SELECT v FROM i WHERE k = 'NaN'::float8", []),
    ("minus zero", "SELECT v FROM i WHERE k = '-0'::float8", ["GetItem i {k 0} get v"]),
    ("too large", "SELECT v FROM i WHERE k = 1e300::float8", []),
    ("commuted", "SELECT v FROM i WHERE 5::float8 = k", ["GetItem i {k 5} get v"]),
    ("a parameter", "SELECT v FROM i WHERE k = (SELECT 5::float8)", ["GetItem i {k 5} get v"]),
    ("below infinity", "SELECT v FROM i WHERE k < 'infinity'::float8 AND k > '-infinity'::float8", None),
    ("below what is no number", "SELECT v FROM i WHERE k < 'NaN'::float8 AND v > 3.5::float8", None),
    ("above what is no number", "SELECT v FROM i WHERE k >= 'NaN'::float8", []),
    ("a filter", "SELECT k FROM i WHERE v > 95.5::float8", ["Scan i filter v > 95.5 get k, v"]),
    ("an index", "SELECT k FROM i WHERE small = 3::float8 AND v < 20.5::float8", ["Query i/by_small where small = 3 AND v < 20.5 get k, v"]),
    ("not equal", "SELECT k FROM i WHERE v <> 3::float8", None),
    ("not equal to a fraction", "SELECT k FROM i WHERE v <> 3.5::float8", None),
    ("not in", "SELECT k FROM i WHERE v NOT IN (3::float8, 4.5)", None),
    ("another column", "SELECT k FROM i WHERE k::float8 = v::float8 / 2 AND k::float8 < v", None),
]

BIG = [
    ("bigint", "SELECT v FROM b WHERE p = 'p' AND b = 5::float8", ["GetItem b {p 'p', b 5} get v"]),
    ("bigint at the limit", f"SELECT b FROM b WHERE p = 'p' AND b = {LIMIT}::float8",
     ["Query b where p = 'p' AND b BETWEEN 9007199254740991 AND 9007199254740994 get b"]),
    ("bigint below the limit", f"SELECT b FROM b WHERE p = 'p' AND b = {LIMIT - 1}::float8", ["GetItem b {p 'p', b 9007199254740991} get b"]),
    ("bigint far above", "SELECT b FROM b WHERE p = 'p' AND b = 1152921504606846976::float8",
     ["Query b where p = 'p' AND b BETWEEN 1152921504606846800 AND 1152921504606847200 get b"]),
    ("bigint above", "SELECT b FROM b WHERE p = 'p' AND b > 9007199254740992::float8", ["Query b where p = 'p' AND b >= 9007199254740991 get b"]),
    ("bigint up to", "SELECT b FROM b WHERE p = 'p' AND b <= 9007199254740992::float8", ["Query b where p = 'p' AND b <= 9007199254740994 get b"]),
    ("bigint above a fraction", "SELECT b FROM b WHERE p = 'p' AND b > 5.5::float8 AND b < 7", ["Query b where p = 'p' AND b BETWEEN 5.5 AND 7 get b"]),
    ("bigint the last", "SELECT b FROM b WHERE p = 'p' AND b = 9223372036854775807::float8", None),
    ("bigint in a list", "SELECT b FROM b WHERE p = 'p' AND b IN (5::float8, 6)", ["BatchGetItem b {p 'p', b 5} {p 'p', b 6} get b, p"]),
    ("bigint in a list of large ones", "SELECT b FROM b WHERE v > 0 AND b IN (5::float8, 9007199254740992, NULL)", None),
    ("bigint parameter", "SELECT b FROM b WHERE p = 'p' AND b = (SELECT 9007199254740996::float8)",
     ["Query b where p = 'p' AND b BETWEEN 9007199254740994 AND 9007199254740998 get b"]),
    ("bigint parameter below the limit", "SELECT b FROM b WHERE p = 'p' AND b = (SELECT 5::float8)", ["Query b where p = 'p' AND b = 5 get b"]),
]

DECIMAL = [
    ("numeric", "SELECT d FROM d WHERE p = 'p' AND d = 0.1::float8", [f"Query d where p = 'p' AND d {WIDE} get d"]),
    ("numeric above", "SELECT d FROM d WHERE p = 'p' AND d > 0.1::float8", ["Query d where p = 'p' AND d >= 0.099999999999999992 get d"]),
    ("numeric parameter", "SELECT d FROM d WHERE p = 'p' AND d = (SELECT 0.1::float8)", [f"Query d where p = 'p' AND d {WIDE} get d"]),
    ("numeric filter", "SELECT d FROM d WHERE v = 0.1::float8", ["Scan d filter v >= 0.099999999999999992 AND v <= 0.10000000000000002 get d, p, v"]),
    ("numeric list", "SELECT d FROM d WHERE v IN (0.1::float8, 1e125)", None),
    ("numeric zero", "SELECT d FROM d WHERE p = 'p' AND d = 0::float8", None),
    ("numeric tiny", "SELECT d FROM d WHERE p = 'p' AND d = 1e-130::float8", None),
    ("numeric below tiny", "SELECT d FROM d WHERE p = 'p' AND d < 1e-200::float8 AND d > '-1e-200'::float8", None),
    ("numeric huge", "SELECT d FROM d WHERE p = 'p' AND d >= 1e125::float8", None),
    ("numeric beyond", "SELECT d FROM d WHERE p = 'p' AND d < 1e300::float8 AND d > '-infinity'::float8", None),
    ("numeric infinity", "SELECT d FROM d WHERE p = 'p' AND d = 'infinity'::float8", []),
    ("numeric and not a number", "SELECT d FROM d WHERE p = 'p' AND d < 'NaN'::float8 AND d <> 5::float8", None),
    ("numeric commuted", "SELECT d FROM d WHERE p = 'p' AND 5::float8 = d", None),
]


@statements(INTEGER + BIG + DECIMAL)
class Doubles(request_text.RequestTestCase):
    """The requests, and the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("i", ("k", "N"), None, [index("by_small", ("small", "N"), ("v", "N"))])
        fx.put("i", [{"k": n, "small": n % 9, "v": n * 2} for n in range(-50, 50)])
        fx.create_table("b", ("p", "S"), ("b", "N"))
        fx.put("b", [{"p": "p", "b": n, "v": i} for i, n in enumerate(EDGES)])
        fx.create_table("d", ("p", "S"), ("d", "N"))
        fx.put("d", [{"p": "p", "d": decimal.Decimal(n), "v": decimal.Decimal(n), "w": 7 if "E" in n else decimal.Decimal(n)} for n in DIGITS])
        for name, columns in (("i", INTEGERS), ("b", BIGS), ("d", DECIMALS)):
            fx.foreign_table(name, columns, scan_policy="allow")
        fx.foreign_table("f", "p text, x double precision OPTIONS (attribute 'v'), w real", scan_policy="allow", table_name=fx.remote("d"))
        cls.mirror("i", "b", "d", "f")

    def assertRequests(self, sql, expected, parameters=None):
        """Where nothing is expected of the requests, the rows alone."""
        super().assertRequests(sql, self.texts(sql, parameters) if expected is None else expected, parameters)

    def test_all_limits(self):
        """Every value against every other, by every operator, as a key and as a filter."""
        self.fx.execute("SET extra_float_digits = -15")
        self.addCleanup(self.fx.execute, "RESET extra_float_digits")
        for table, column, values in (("b", "b", EDGES), ("d", "d", DIGITS), ("i", "k", [0, 3, -7, 2 ** 53])):
            for value in values + ["NaN", "Infinity", "-Infinity", "-0", "0.5"]:
                for operator in ("=", "<", "<=", ">", ">=", "<>"):
                    for where in ("p = 'p' AND ", "") if table != "i" else ("",):
                        sql = f"SELECT {column} FROM {table} WHERE {where}{column} {operator} '{value}'::float8"
                        self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)), sql)

    def test_columns(self):
        """Stored decimals on both sides of a value are rounded to it, in a column of either type."""
        for (column, type_name), value in itertools.product({"x": "float8", "w": "real"}.items(), [digits for digits in DIGITS if "E" not in digits]):
            for operator in ("=", "<", "<=", ">", ">="):
                sql = f"SELECT x, w FROM f WHERE p = 'p' AND {column} {operator} '{value}'::{type_name}"
                with self.subTest(sql):
                    self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
