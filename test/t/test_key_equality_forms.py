"""Equalities in other words: IS NOT DISTINCT FROM, (k = x) IS TRUE, BETWEEN x AND x, LIKE without wildcards."""
import request_text
from dynamo import index
from request_text import statements

COLUMNS = 'k text NOT NULL, s int NOT NULL, region text, n int, note varchar(8), pad char(4), doc jsonb'


def items():
    """Names with wildcards and escapes among them; regions and numbers that are not in every item."""
    for number, name in enumerate(["ann", "bob", "a%b", "a_b", "a\\b", "Ann", "100%", "ü", "x"]):
        for s in range(4):
            item = {"k": name, "s": s, "note": name[:8], "pad": "ab", "doc": {"w": name}, "body": "b" * 100}
            if s != 3:
                item.update(region=f"r{number % 3}", n=number)
            yield item


NOT_DISTINCT = [
    ("constant", "SELECT s FROM t WHERE k IS NOT DISTINCT FROM 'ann'", ["Query t where k = 'ann' get s"]),
    ("commuted", "SELECT s FROM t WHERE 'ann' IS NOT DISTINCT FROM k", ["Query t where k = 'ann' get s"]),
    ("full key", "SELECT n FROM t WHERE k IS NOT DISTINCT FROM 'ann' AND s IS NOT DISTINCT FROM 2", ["GetItem t {k 'ann', s 2} get n"]),
    ("row", "SELECT n FROM t WHERE NOT ((k, s) IS DISTINCT FROM ('ann', 2))", ["GetItem t {k 'ann', s 2} get n"]),
    ("in an OR", "SELECT s FROM t WHERE k IS NOT DISTINCT FROM 'ann' OR k IS NOT DISTINCT FROM 'bob'",
     ["Query t where k = 'ann' get k, s", "Query t where k = 'bob' get k, s"]),
    ("counted", "SELECT count(*) FROM t WHERE k IS NOT DISTINCT FROM 'ann'", ["Query t where k = 'ann' count"]),
    ("index by a constant", "SELECT s FROM t WHERE region IS NOT DISTINCT FROM 'r1'", ["Query t/by_region where region = 'r1' get s"]),
    ("index of numbers by a constant", "SELECT s FROM t WHERE n IS NOT DISTINCT FROM 4", ["Query t/by_n where n = 4 get s"]),
    ("NULL", "SELECT s FROM t WHERE k IS NOT DISTINCT FROM NULL", []),
    ("NULL in an index", "SELECT k FROM t WHERE n IS NOT DISTINCT FROM NULL", ["Scan t filter attribute_not_exists(n) OR attribute_type(n,'NULL') get k, s"]),
    ("distinct", "SELECT s FROM t WHERE region IS DISTINCT FROM 'r1'", ["Scan t get k, region, s"]),
    ("NOT of an OR", "SELECT s FROM t WHERE NOT (k IS NOT DISTINCT FROM 'ann' OR s = 1)", None),
    ("parameter", "SELECT s FROM t WHERE k IS NOT DISTINCT FROM (SELECT 'ann'::text)", ["Query t where k = 'ann' get s"]),
    ("parameter NULL", "SELECT s FROM t WHERE k IS NOT DISTINCT FROM (SELECT NULL::text)", []),
    ("index by a parameter", "SELECT s FROM t WHERE region IS NOT DISTINCT FROM (SELECT 'r1'::text)", ["Scan t get k, region, s"]),
    ("index by a parameter that is NULL", "SELECT k FROM t WHERE region IS NOT DISTINCT FROM (SELECT NULL::text)", ["Scan t get k, region, s"]),
    ("another column", "SELECT k FROM t WHERE note IS NOT DISTINCT FROM region", ["Scan t get k, note, region, s"]),
    ("nondeterministic", 'SELECT s FROM t WHERE k IS NOT DISTINCT FROM \'ann\' COLLATE "nd"', ["Scan t get k, s"]),
    ("joined", "SELECT t.s FROM (VALUES ('ann', 1), ('bob', 2)) AS o(name, at) JOIN t ON t.k IS NOT DISTINCT FROM o.name AND t.s = o.at",
     ["BatchGetItem t {k 'ann', s 1} {k 'bob', s 2} get k, s"]),
]

TRUE = [
    ("is true", "SELECT s FROM t WHERE (k = 'ann') IS TRUE", ["Query t where k = 'ann' get s"]),
    ("is true twice", "SELECT s FROM t WHERE ((k = 'ann') IS TRUE) IS TRUE AND (s > 1) IS TRUE", ["Query t where k = 'ann' AND s > 1 get s"]),
    ("several is true", "SELECT s FROM t WHERE (k = 'ann' AND s = 2) IS TRUE", ["GetItem t {k 'ann', s 2} get k, s"]),
    ("index is true", "SELECT s FROM t WHERE (n = 4) IS TRUE", ["Query t/by_n where n = 4 get s"]),
    ("is not false", "SELECT s FROM t WHERE (k = 'ann') IS NOT FALSE", ["Scan t get k, s"]),
    ("is not true", "SELECT s FROM t WHERE (k = 'ann') IS NOT TRUE", ["Scan t get k, s"]),
    ("is unknown", "SELECT k, s FROM t WHERE (n = 4) IS UNKNOWN", ["Scan t get k, n, s"]),
]

BETWEEN = [
    ("between one value", "SELECT s FROM t WHERE k BETWEEN 'ann' AND 'ann'", ["Query t where k = 'ann' get k, s"]),
    ("between one unknown value", "SELECT s FROM t WHERE k BETWEEN (SELECT 'ann'::text) AND 'ann' AND k <= 'b'", None),
    ("two bounds", "SELECT s FROM t WHERE k >= 'ann' AND 'ann' >= k AND s = 1", ["GetItem t {k 'ann', s 1} get k, s"]),
    ("full key between", "SELECT n FROM t WHERE k BETWEEN 'ann' AND 'ann' AND s BETWEEN 2 AND 2", ["GetItem t {k 'ann', s 2} get k, n, s"]),
    ("index between one value", "SELECT s FROM t WHERE n BETWEEN 4 AND 4", ["Query t/by_n where n = 4 get n, s"]),
    ("open between", "SELECT s FROM t WHERE k >= 'ann' AND k < 'ann'", ["Scan t get k, s"]),
    ("filter between one value", "SELECT s FROM t WHERE k = 'ann' AND note BETWEEN 'ann' AND 'ann'", ["Query t where k = 'ann' get note, s"]),
]

LIKE = [
    ("like", "SELECT s FROM t WHERE k LIKE 'ann'", ["Query t where k = 'ann' get s"]),
    ("like a full key", "SELECT n FROM t WHERE k LIKE 'ann' AND s = 2", ["GetItem t {k 'ann', s 2} get n"]),
    ("like escaped", r"SELECT s FROM t WHERE k LIKE 'a\%b'", ["Query t where k = 'a%b' get s"]),
    ("like an escaped underscore", r"SELECT s FROM t WHERE k LIKE 'a\_b'", ["Query t where k = 'a_b' get s"]),
    ("like an escaped escape", r"SELECT s FROM t WHERE k LIKE 'a\\b'", ["Query t where k = 'a\\b' get s"]),
    ("like a needless escape", r"SELECT s FROM t WHERE k LIKE '\a\nn'", ["Query t where k = 'ann' get s"]),
    ("like with its own escape", "SELECT s FROM t WHERE k LIKE '100!%' ESCAPE '!'", ["Query t where k = '100%' get s"]),
    ("like without an escape", r"SELECT s FROM t WHERE k LIKE 'a\b' ESCAPE ''", ["Query t where k = 'a\\b' get s"]),
    ("like a letter of two bytes", "SELECT s FROM t WHERE k LIKE 'ü'", ["Query t where k = 'ü' get s"]),
    ("like in an index", "SELECT s FROM t WHERE region LIKE 'r1'", ["Query t/by_region where region = 'r1' get s"]),
    ("like nothing", "SELECT s FROM t WHERE k LIKE ''", []),
    ("like with a wildcard", "SELECT s FROM t WHERE k LIKE 'a_n'", ["Scan t filter begins_with(k,'a') get k, s"]),
    ("not like", "SELECT s FROM t WHERE k NOT LIKE 'ann'", ["Scan t get k, s"]),
    ("like a varchar", "SELECT s FROM t WHERE k = 'ann' AND note LIKE 'ann'", ["Query t where k = 'ann' filter note = 'ann' get s"]),
    ("like a char", "SELECT s FROM t WHERE k = 'ann' AND pad LIKE 'ab'", ["Query t where k = 'ann' get pad, s"]),
    ("like a padded char", "SELECT s FROM t WHERE k = 'ann' AND pad LIKE 'ab  '", ["Query t where k = 'ann' get pad, s"]),
    ("like a member", "SELECT s FROM t WHERE k = 'ann' AND doc ->> 'w' LIKE 'ann'", None),
    ("like any", "SELECT s FROM t WHERE k LIKE 'ann' OR k LIKE 'bob'", ["Query t where k = 'ann' get k, s", "Query t where k = 'bob' get k, s"]),
    ("like counted", "SELECT count(*) FROM t WHERE k LIKE 'ann'", ["Query t where k = 'ann' count"]),
]

NOT_NULL = [
    ("null or a list", "SELECT s FROM t WHERE k IS NULL OR k IN ('ann', 'bob')", ["Query t where k = 'ann' get k, s", "Query t where k = 'bob' get k, s"]),
    ("a value or null", "SELECT n FROM t WHERE (k = 'ann' OR k IS NULL) AND (s IS NULL OR s = 2)", ["GetItem t {k 'ann', s 2} get n"]),
    ("null or a list of a column that may be null", "SELECT s FROM t WHERE (region IS NULL OR region IN ('r1')) AND k = 'ann'",
     ["Query t where k = 'ann' filter attribute_not_exists(region) OR attribute_type(region,'NULL') OR region = 'r1' get s"]),
    ("null in an AND", "SELECT s FROM t WHERE k IS NULL AND n = 4 OR k = 'ann'", None),
    ("null in an AND of an OR", "SELECT s FROM t WHERE k = (SELECT 'ann'::text) OR k IS NULL AND (SELECT 'ann'::text) IS NULL", ["Query t where k = 'ann' get s"]),
    ("null in an AND of a column that may be null", "SELECT s FROM t WHERE region = 'r1' OR region IS NULL AND n = 4", None),
    ("volatile in an AND with null", "SELECT s FROM t WHERE k = 'ann' OR k IS NULL AND random() < 2", None),
    ("null-safe join", "SELECT t.s FROM (VALUES ('ann', 1), ('bob', 2), (NULL, 3)) AS o(name, at)"
     " JOIN t ON t.k = o.name AND t.s = o.at OR t.k IS NULL AND o.name IS NULL", ["BatchGetItem t {k 'ann', s 1} {k 'bob', s 2} get k, s"]),
    ("null-safe outer join", "SELECT o.name, t.s FROM (VALUES ('ann'), ('no'), (NULL)) AS o(name)"
     " LEFT JOIN t ON (t.k = o.name OR t.k IS NULL AND o.name IS NULL)", ["Query t where k = 'ann' get k, s", "Query t where k = 'no' get k, s"]),
    ("null or a range", "SELECT s FROM t WHERE k = 'ann' AND (s IS NULL OR s > 1)", ["Query t where k = 'ann' AND s > 1 get s"]),
    ("null or not", "SELECT s FROM t WHERE k IS NULL OR k <> 'ann'", None),
    ("null of an outer join", "SELECT o.name, t.s FROM (VALUES ('ann'), ('no')) AS o(name) LEFT JOIN t ON t.k = o.name AND t.s < 2 WHERE t.k IS NULL OR t.k IN ('ann', 'bob')", None),
    ("null of an outer join's inner side", "SELECT o.name, t.s FROM (VALUES ('ann'), ('no')) AS o(name) LEFT JOIN t ON t.k = o.name AND (t.k IS NULL OR t.s = 1)", None),
]


@statements(NOT_DISTINCT + TRUE + BETWEEN + LIKE + NOT_NULL)
class Equalities(request_text.RequestTestCase):
    """The requests, and the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        fx.create_table("t", ("k", "S"), ("s", "N"), [index("by_region", ("region", "S")), index("by_n", ("n", "N"))])
        fx.put("t", items())
        fx.foreign_table("t", COLUMNS, scan_policy="allow")
        fx.create_table("odd", ("k", "N"))
        fx.put("odd", [{"k": n / 2, "v": n} for n in range(8)])
        fx.foreign_table("odd", "k int, v int", scan_policy="allow", on_mismatch="null")
        cls.mirror("t", "odd")

    def assertRequests(self, sql, expected, parameters=None):
        """Where nothing is expected of the requests, the rows alone."""
        super().assertRequests(sql, self.texts(sql, parameters) if expected is None else expected, parameters)

    def prepared(self, sql, types, *executions):
        """Executions of a generic plan and of custom plans: (values, requests)."""
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute("DEALLOCATE ALL")
        for mode in ("force_generic_plan", "force_custom_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}")
            for number, (values, expected) in enumerate(executions):
                name = f"p_{mode}_{number}"
                self.fx.execute(f"PREPARE {name} ({types}) AS {sql}")
                if expected is not None:
                    self.assertEqual(self.texts(f"EXECUTE {name} ({values})"), sorted(expected), (mode, values))
                rows = self.fx.rows(f"EXECUTE {name} ({values})")
                self.fx.execute("SET search_path = mirror, public")
                self.fx.execute(f"PREPARE m{name} ({types}) AS {sql}")
                right = self.fx.rows(f"EXECUTE m{name} ({values})")
                self.fx.execute("RESET search_path")
                self.assertEqual(sorted(rows), sorted(right), (mode, values))

    def test_not_distinct_from_a_parameter(self):
        """Of the table's own key; NULL sends no request."""
        self.prepared("SELECT s FROM t WHERE k IS NOT DISTINCT FROM $1", "text",
                      ("'ann'", ["Query t where k = 'ann' get s"]), ("NULL", []), ("'no'", ["Query t where k = 'no' get s"]))

    def test_not_distinct_from_a_parameter_in_an_index(self):
        """Where it is NULL, the rows are not in the index."""
        self.prepared("SELECT k, s FROM t WHERE n IS NOT DISTINCT FROM $1", "int", ("4", None), ("NULL", None))
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE g (int) AS SELECT k FROM t WHERE n IS NOT DISTINCT FROM $1")
        self.assertEqual(self.texts("EXECUTE g (4)"), ["Scan t get k, n, s"])

    def test_mismatches_in_the_key(self):
        """A key that is NULL to the column is not distinct from NULL."""
        for value in ("NULL::int", "2"):
            self.prepared("SELECT v FROM odd WHERE k IS NOT DISTINCT FROM $1", "int", (value, None))
            self.assertRequests(f"SELECT v FROM odd WHERE k IS NOT DISTINCT FROM (SELECT {value})", None)

    def test_between_a_parameter(self):
        """The same parameter twice."""
        self.prepared("SELECT s FROM t WHERE k BETWEEN $1 AND $1", "text",
                      ("'ann'", ["Query t where k = 'ann' get k, s"]), ("NULL", []))

    def test_like_ends_in_its_escape(self):
        """An error for the values that are compared to its end."""
        sql = r"SELECT s FROM t WHERE k LIKE 'an\'"
        self.assertEqual(self.fx.error(sql).sqlstate, "22025")
        self.assertEqual(self.fx.rows(r"SELECT s FROM t WHERE k = 'bob' AND k LIKE 'an\'"), [])
