"""$1 IS NULL OR k = $1 in a generic plan: each execution decides whether it is a condition on the key."""
import psycopg2

import request_text
import shop


class Optional(request_text.RequestTestCase):
    """The requests of each execution are those of a plan made for its values; its rows are a local table's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "readings", "blobs", "nums")
        cls.fx.foreign_table("promised", shop.COLUMNS["orders"].replace("status text", "status text NOT NULL"),
                             table_name=cls.fx.remote("orders"))
        cls.fx.create_table("ledger", ("h", "S"), ("n", "N"))
        cls.fx.put("ledger", ({"h": "a", "n": n, "v": n % 3} for n in range(20)))
        cls.fx.foreign_table("ledger", "h text NOT NULL, n numeric NOT NULL, v int")
        cls.mirror("orders", "readings", "blobs", "nums", "promised", "ledger")

    def setUp(self):
        super().setUp()
        self.fx.execute("SET plan_cache_mode = force_generic_plan")

    def tearDown(self):
        self.fx.execute("DEALLOCATE ALL; RESET plan_cache_mode")
        super().tearDown()

    def requests_of(self, sql, fields):
        """Their texts; without what is fetched, which a plan for the values needs less of, unless fields."""
        texts = self.texts(sql)
        return texts if fields else sorted(text.split(" get ")[0] for text in texts)

    def assertDecides(self, types, sql, executions, fields=True):
        """Each execution (values, requests), of one prepared statement, in this order and again."""
        self.fx.execute(f"PREPARE p ({types}) AS {sql}; SET search_path = mirror, public; PREPARE q ({types}) AS {sql};"
                        "RESET search_path")
        for values, expected in executions + executions:
            self.assertEqual(self.requests_of(f"EXECUTE p ({values})", fields), sorted(expected), values)
            rows, right = self.fx.rows(f"EXECUTE p ({values})"), self.mirrored(f"EXECUTE q ({values})")
            if "ORDER BY" not in sql:
                rows, right = sorted(rows, key=repr), sorted(right, key=repr)
            self.assertEqual(rows, right, values)
        self.fx.execute("DEALLOCATE ALL")

    def test_partition_key(self):
        """Query, or Scan."""
        query = "Query orders where cust = 'c01' get at, cust"
        for condition in ("$1 IS NULL OR cust = $1", "cust = $1 OR $1 IS NULL", "cust = coalesce($1, cust)",
                          "coalesce($1, cust) = cust"):
            self.assertDecides("text", f"SELECT at FROM orders WHERE {condition}",
                               [("'c01'", [query]), ("NULL", ["Scan orders get at, cust"]),
                                ("''", [])])

    def test_subquery_of_an_outer_level(self):
        """The subquery fails if it is executed, which SQL does not do for NULL; in a subquery in FROM, its result is one of an outer level."""
        self.fx.execute("CREATE TABLE two AS SELECT * FROM (VALUES ('a'), ('b')) v(x)")
        self.addCleanup(self.fx.execute, "DROP TABLE two")
        for source in ("ledger", "(SELECT DISTINCT h, n, v FROM ledger)"):
            self.fx.execute(f"PREPARE s (text) AS SELECT count(*) FROM {source} s WHERE $1 IS NULL OR h = (SELECT x FROM two)")
            self.assertEqual(self.fx.rows("EXECUTE s (NULL)"), [(20,)])
            self.assertEqual(self.fx.error("EXECUTE s ('a')").sqlstate, "21000")
            self.fx.execute("DEALLOCATE s")

    def test_no_value(self):
        """The constant NULL stands for no value either."""
        for condition in ("cust = coalesce(NULL, cust)", "coalesce(NULL::text, cust) = cust"):
            self.assertRequests(f"SELECT at FROM orders WHERE {condition}", ["Scan orders get at, cust"])

    def test_complete_key(self):
        """GetItem, or Scan."""
        self.assertDecides("numeric", "SELECT sq FROM nums WHERE $1 IS NULL OR n = $1",
                           [("7", ["GetItem nums {n 7} get n, sq"]), ("NULL", ["Scan nums get n, sq"])])

    def test_list(self):
        """One Query for each member; of no members none, unless all are needed then."""
        members = ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"]
        self.assertDecides("text[]", "SELECT at FROM orders WHERE cardinality($1) = 0 OR cust = ANY ($1)",
                           [("'{c01,c02,c01}'", members), ("'{}'", ["Scan orders get at, cust"]), ("'{NULL}'", []),
                            ("NULL", [])])

    def test_flag(self):
        """What decides is another parameter."""
        query = "Query orders where cust = 'c01' get at, cust"
        self.assertDecides("boolean, text", "SELECT at FROM orders WHERE NOT $1 OR cust = $2",
                           [("true, 'c01'", [query]), ("false, 'c01'", ["Scan orders get at, cust"]),
                            ("NULL, 'c01'", [query]), ("true, NULL", [])])

    def test_several_keys(self):
        """Each condition that has a value may select a key, the cheapest one first; a Scan is left if none has a value."""
        by_cust, by_status = "Query orders where cust = 'c01'", "Query orders/by_status where status = 'open'"
        self.assertDecides("text, text", "SELECT at FROM promised WHERE ($1 IS NULL OR cust = $1) AND ($2 IS NULL OR status = $2)",
                           [("'c01', 'open'", [f"{by_cust} filter status = 'open'"]), ("'c01', NULL", [by_cust]),
                            ("NULL, 'open'", [by_status]), ("NULL, NULL", ["Scan orders"]), ("'', NULL", []),
                            ("NULL, ''", ["Scan orders filter status = ''"])], False)
        self.assertDecides("text, text", "SELECT at FROM promised WHERE ($1 IS NULL OR status = $1) AND ($2 IS NULL OR at >= $2)",
                           [("'open', '2024-12'", [f"{by_status} AND at >= '2024-12'"]), ("'open', NULL", [by_status]),
                            ("NULL, '2024-12'", ["Scan orders filter at >= '2024-12'"]), ("NULL, NULL", ["Scan orders"])], False)
        self.assertDecides("text, text, text", "SELECT count(*) FROM promised WHERE ($1 IS NULL OR cust = $1)"
                           " AND ($2 IS NULL OR status = $2) AND ($3 IS NULL OR at = $3)",
                           [("NULL, 'open', '2024-01-01'", [f"{by_status} AND at = '2024-01-01'"]), ("NULL, 'open', NULL", [by_status]),
                            ("'c01', NULL, '2024-01-01'", [f"{by_cust} AND at = '2024-01-01'"]),
                            ("'c01', NULL, NULL", [by_cust])], False)

    def test_what_must_not_be_evaluated(self):
        """Where the first arm is true, PostgreSQL does not evaluate the second one."""
        self.assertDecides("text", "SELECT val FROM readings WHERE $1 = '' OR sensor = $1::int",
                           [("'3'", ["Query readings where sensor = 3 get sensor, val"]),
                            ("''", ["Scan readings get sensor, ts, val"])])

    def test_what_other_conditions_protect(self):
        """PostgreSQL does not evaluate what follows a condition that is false."""
        self.assertDecides(
            "int", "SELECT val FROM readings WHERE sensor = 1 AND ($1 = 0 AND val = 1 OR $1 <> 0 AND val = 6 / $1)",
                           [("3", ["Query readings where sensor = 1 filter val = 2 get val"]),
                            ("0", ["Query readings where sensor = 1 filter val = 1 get val"])])

    def test_arrays_of_several_dimensions(self):
        """An array of arrays fails if these have different lengths, but only for a row that is read."""
        self.fx.execute("PREPARE p (int[], int[]) AS SELECT val FROM readings WHERE sensor = 99999 AND (ts = 3 OR 5 = ANY (ARRAY[$1, $2]))")
        for second in ("{1, 2}", "{1}"):
            self.assertEqual(self.fx.rows(f"EXECUTE p ('{{1}}', '{second}')"), [])

    def test_unknown_collation(self):
        """Texts without one collation cannot be compared, which is an error only for a row that is read."""
        self.fx.execute("CREATE TABLE public.collated (cust text, x text COLLATE \"C\", y text COLLATE \"POSIX\"); INSERT INTO collated VALUES ('none', 'a', 'a')")
        for comparison in ("x = y", "lower(x || y) = 'a'", "x = ANY (ARRAY[y])"):
            self.assertEqual(self.fx.rows(f"SELECT (SELECT max(o.status) FROM orders o WHERE o.cust = c.cust AND (o.status = 'open' OR {comparison})) FROM collated c"), [(None,)], comparison)
        self.fx.execute("CREATE COLLATION public.loose (provider = icu, locale = 'und', deterministic = false);"
                        "PREPARE p (text) AS SELECT val FROM readings WHERE sensor = 99999 AND (ts = 3 OR strpos($1 COLLATE loose, 'x') > 0)")
        self.assertEqual(self.fx.rows("EXECUTE p ('a')"), [])

    def test_failing_subquery(self):
        """Nor does it evaluate subqueries there, or where an earlier arm of an OR is true."""
        self.fx.execute("CREATE TABLE public.pair AS SELECT 100 AS a UNION ALL SELECT 200")
        for values, condition, fields in (("NULL", "$1 IS NULL OR ts = (SELECT a FROM pair)", "val"),
                                          ("1", "ts > -10000 OR (SELECT a FROM pair) = $1", "ts, val")):
            self.assertDecides("int", f"SELECT val FROM readings WHERE sensor = 1 AND ({condition})",
                               [(values, [f"Query readings where sensor = 1 get {fields}"])])

    def test_two_bounds(self):
        """A condition that becomes two of them."""
        self.assertDecides("float8", "SELECT val FROM readings WHERE sensor = 1 AND ($1 IS NULL OR ts = $1)",
                           [("300", ["Query readings where sensor = 1 AND ts = 300 get ts, val"]),
                            ("NULL", ["Query readings where sensor = 1 get ts, val"])])

    def test_sort_key(self):
        """A bound that may be missing."""
        for condition, where in (("at >= $2", "AND at >= '2024-12' "), ("at = $2", "AND at = '2024-12' "),
                                 ("at LIKE $2", "AND at = '2024-12' ")):
            self.assertDecides(
                "text, text", f"SELECT at FROM orders WHERE cust = $1 AND ($2 IS NULL OR {condition})",
                [("'c01', '2024-12'", [f"Query orders where cust = 'c01' {where}get at"]),
                 ("'c01', NULL", ["Query orders where cust = 'c01' get at"]), ("NULL, NULL", [])])

    def test_more_than_a_key_condition_selects(self):
        """A bound is one condition of the key; what else belongs to it is checked for each row."""
        for condition, types, value, where, fields in (
                ("at = ANY ($2)", "text[]", "{2024-01-01,2024-01-25}", "BETWEEN '2024-01-01' AND '2024-01-25'", "at"),
                ("at = $2 AND total = 130", "text", "2024-01-01", "= '2024-01-01'", "at, total"),
                ("at >= $2 AND at LIKE '%-1%'", "text", "2024-02", ">= '2024-02'", "at")):
            self.assertDecides(f"text, {types}", f"SELECT at FROM orders WHERE cust = $1 AND ($2 IS NULL OR {condition})",
                               [(f"'c01', '{value}'", [f"Query orders where cust = 'c01' AND at {where} get {fields}"]),
                                ("'c01', NULL", [f"Query orders where cust = 'c01' get {fields}"])])
        for condition, where in ((r"s > $1 AND s <= '\x30ff'", "BETWEEN x'10ff' AND x'30ff'"),
                                 ("s >= $1 AND v = 2", ">= x'10ff'")):
            self.assertDecides("bytea", fr"SELECT v FROM blobs WHERE h = '\x01' AND ($1 IS NULL OR {condition})",
                               [(r"'\x10ff'", [f"Query blobs where h = x'01' AND s {where} get s, v"]),
                                ("NULL", ["Query blobs where h = x'01' get s, v"])])

    def test_more_in_one_arm(self):
        """The key condition may cover only a part of a branch; the rest is checked: ends of a range, and other columns."""
        query, both = "Query ledger where h = 'a'", "AND n BETWEEN 4 AND 9"
        for condition, where, fields in (("n > $1 AND n < $2", both, "n"), ("n >= $1 AND v = 1", "AND n >= 4", "n, v"),
                                         ("n >= $1 AND (n <= $2 AND v = 1)", both, "n, v"),
                                         ("$2 > 0 AND n >= $1", "AND n >= 4", "n")):
            self.assertDecides("numeric, numeric", f"SELECT n FROM ledger WHERE h = 'a' AND ($1 IS NULL OR {condition})",
                               [("4, 9", [f"{query} {where} get {fields}"]), ("NULL, 9", [f"{query} get {fields}"])])

    def test_dashboard(self):
        """Five filters, each of which may be missing."""
        fields = "get at, cust, note, paid"
        self.assertDecides(
            "text, text, text, boolean, numeric",
            "SELECT cust, at FROM orders WHERE ($1 IS NULL OR cust = $1) AND ($2 IS NULL OR at >= $2)"
            " AND ($3 IS NULL OR note = $3) AND ($4 IS NULL OR paid = $4) AND ($5 IS NULL OR total > $5)",
            [("'c01', NULL, NULL, NULL, NULL", [f"Query orders where cust = 'c01' {fields}"]),
             ("'c01', '2024-12', NULL, true, NULL",
              [f"Query orders where cust = 'c01' AND at >= '2024-12' {fields}"]),
             ("NULL, '2024-12', NULL, NULL, 100", [f"Scan orders filter at >= '2024-12' AND total > 100 {fields}"]),
             ("NULL, NULL, NULL, NULL, NULL", [f"Scan orders {fields}"]),
             ("'c01', '2024-12', 'note 11%', true, 100",
              [f"Query orders where cust = 'c01' AND at >= '2024-12' filter note = 'note 11%' AND"
               f" total > 100 {fields}"])])

    def test_index(self):
        """An index is read only if it has every row, whatever the parameter is; and is not scanned instead."""
        self.assertDecides("text", "SELECT cust, at FROM orders WHERE $1 IS NULL OR status = $1",
                           [("'open'", ["Scan orders filter status = 'open' get at, cust, status"]),
                            ("NULL", ["Scan orders get at, cust, status"])])
        self.assertDecides("text", "SELECT cust, at FROM promised WHERE $1 IS NULL OR status = $1",
                           [("'open'", ["Query orders/by_status where status = 'open' get at, cust, status"]),
                            ("NULL", ["Scan orders get at, cust, status"]),
                            ("''", ["Scan orders filter status = '' get at, cust, status"])])

    def test_next_to_another_condition(self):
        """Where the gate is open, the other conditions of the statement are used."""
        self.assertDecides("text", "SELECT at FROM orders WHERE ($1 IS NULL OR cust = $1) AND region = 'eu'",
                           [("'c01'", ["Query orders where cust = 'c01' filter region = 'eu' get at, cust"]),
                            ("NULL", ["Scan orders filter region = 'eu' get at, cust"])])

    def test_order(self):
        """No order is claimed that only one of the two has."""
        self.assertDecides("text", "SELECT cust, at FROM orders WHERE $1 IS NULL OR cust = $1 ORDER BY at, cust LIMIT 5",
                           [("'c01'", ["Query orders where cust = 'c01' get at, cust"]),
                            ("NULL", ["Scan orders get at, cust"])])

    def test_count(self):
        """Rows are counted here, since the clause is checked again."""
        self.assertDecides("text", "SELECT count(*) FROM orders WHERE $1 IS NULL OR cust = $1",
                           [("'c01'", ["Query orders where cust = 'c01' get cust"]),
                            ("NULL", ["Scan orders get at, cust"])])

    def test_scan_policy(self):
        """A Scan is refused, or warned of, when it is made."""
        self.fx.execute("PREPARE p (text) AS SELECT count(at) FROM orders WHERE $1 IS NULL OR cust = $1;"
                        "SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        self.assertEqual(self.fx.rows("EXECUTE p ('c01')"), [(30,)])
        with self.assertRaisesRegex(psycopg2.Error, "full scan of DynamoDB table"):
            self.fx.rows("EXECUTE p (NULL)")
        self.assertEqual(self.fx.rows("EXECUTE p ('c02')"), [(30,)])

    def test_rescans(self):
        """A correlated subquery: keys of each row, or one Scan that is cached."""
        self.fx.execute("CREATE TABLE somebody AS SELECT 'c0' || n AS cust FROM generate_series(1, 5) n; ANALYZE somebody")
        self.addCleanup(self.fx.execute, "DROP TABLE somebody")
        sql = "SELECT s.cust, (SELECT count(o.total) FROM orders o WHERE NOT $1 OR o.cust = s.cust) FROM somebody s"
        self.fx.execute(f"PREPARE p (boolean) AS {sql}; SET search_path = mirror, public; PREPARE q (boolean) AS {sql};"
                        "RESET search_path")
        for values, most in (("true", 5), ("false", 2), ("true", 5), ("NULL", 5)):
            self.assertLessEqual(len(self.texts(f"EXECUTE p ({values})")), most, values)
            self.assertEqual(sorted(self.fx.rows(f"EXECUTE p ({values})")), sorted(self.mirrored(f"EXECUTE q ({values})")))

    def test_joined(self):
        """Next to a join: the inner side is looked up by the join's key, and is not read again for each row."""
        self.fx.execute("CREATE TABLE few AS SELECT 'c0' || n AS cust FROM generate_series(1, 3) n; ANALYZE few")
        self.addCleanup(self.fx.execute, "DROP TABLE few")
        self.assertDecides("text", "SELECT f.cust, o.at FROM few f JOIN orders o ON o.cust = f.cust"
                           " WHERE $1 IS NULL OR o.at = $1",
                           [("'2024-01-01'", [f"Query orders where cust = 'c0{n}' AND at = '2024-01-01' get at, cust"
                                              for n in range(1, 4)]),
                            ("NULL", [f"Query orders where cust = 'c0{n}' get at, cust" for n in range(1, 4)])])

    def test_union(self):
        """Each part of a statement decides for itself; Scans of both are one."""
        self.assertDecides("text, text", "SELECT at FROM orders WHERE $1 IS NULL OR cust = $1 UNION ALL"
                           " SELECT at FROM orders WHERE $2 IS NULL OR cust = $2",
                           [("'c01', 'c02'", [f"Query orders where cust = '{c}' get at, cust" for c in ("c01", "c02")]),
                            ("'c01', NULL", ["Query orders where cust = 'c01' get at, cust", "Scan orders get at, cust"]),
                            ("NULL, NULL", ["Scan orders get at, cust"])])

    def test_plan_that_is_chosen(self):
        """Where PostgreSQL itself chooses between a generic plan and plans for the values: the requests are the same."""
        self.fx.execute("SET plan_cache_mode = auto")
        query, scan = "Query orders where cust = '{}'", "Scan orders"
        values = [("'c01'", [query.format("c01")]), ("NULL", [scan]), ("'c02'", [query.format("c02")]), ("NULL", [scan]),
                  ("NULL", [scan]), ("'c01'", [query.format("c01")]), ("'c03'", [query.format("c03")])]
        for condition in ("$1 IS NULL OR cust = $1", "cust = coalesce($1, cust)"):
            self.assertDecides("text", f"SELECT at FROM orders WHERE {condition}", values, False)
        self.assertDecides("text, text", "SELECT at FROM orders WHERE cust = $1 AND ($2 IS NULL OR at >= $2)",
                           [(f"'c01', {value}", [f"Query orders where cust = 'c01'{bound}"]) for value, bound in
                            [("NULL", ""), ("'2024-12'", " AND at >= '2024-12'")] * 3 + [("NULL", "")]], False)

    def test_pattern(self):
        """LIKE is an equality of the partition key, unless there are wildcards in the pattern."""
        query = "Query orders where cust = 'c01' get at, cust"
        executions = [("'c01'", [query]), ("NULL", []), ("''", []), ("'c0%'", ["Scan orders filter begins_with(cust,'c0') get at, cust"]),
                      ("'c_1'", ["Scan orders filter begins_with(cust,'c') get at, cust"]), ("'c01'", [query]),
                      (r"'c\01'", ["Scan orders filter cust = 'c01' get at, cust"])]
        self.assertDecides("text", "SELECT at FROM orders WHERE cust LIKE $1", executions)

    def test_bounds_of_a_partition_key(self):
        """BETWEEN is an equality of the partition key, if both bounds are one value."""
        query = "Query orders where cust = 'c01' get at, cust"
        executions = [("'c01', 'c01'", [query]),
                      ("'c01', 'c02'", ["Scan orders filter cust >= 'c01' AND cust <= 'c02' get at, cust"]),
                      ("NULL, 'c01'", []), ("'c01', NULL", []),
                      ("'c02', 'c01'", ["Scan orders filter cust >= 'c02' AND cust <= 'c01' get at, cust"]),
                      ("'c01', 'c01'", [query]), ("NULL, NULL", [])]
        self.assertDecides("text, text", "SELECT at FROM orders WHERE cust BETWEEN $1 AND $2", executions)

    def test_explain(self):
        """Both access plans are shown; ANALYZE shows the one that was executed."""
        self.fx.execute("PREPARE p (text) AS SELECT at FROM orders WHERE $1 IS NULL OR cust = $1")
        text = "\n".join(row[0] for row in self.fx.rows("EXPLAIN (COSTS OFF) EXECUTE p ('c01')"))
        for line in ("Operation: Query", "Key Condition: cust = $1", "Alternative If: ($1 IS NULL)", "Alternative: Scan"):
            self.assertIn(line, text)
        text = "\n".join(row[0] for row in self.fx.rows("EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p (NULL)"))
        for line in ("Operation: Scan", "Alternative Used Because: ($1 IS NULL)", "Alternative: Query where cust = $1"):
            self.assertIn(line, text)

    def test_explain_of_several_keys(self):
        """All others are shown, in the order in which they are tried."""
        self.fx.execute("PREPARE p (text, text) AS SELECT at FROM promised WHERE ($1 IS NULL OR cust = $1) AND ($2 IS NULL OR status = $2)")
        by_status = "Query of by_status where status = $2"
        for execution, lines in (
                ("EXPLAIN (COSTS OFF) EXECUTE p ('c01', 'open')",
                 ["Key Condition: cust = $1", "Alternative If: ($1 IS NULL)", f"Alternative: {by_status}; Scan"]),
                ("EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p (NULL, 'open')",
                 ["Key Condition: status = $2", "Alternative Used Because: ($1 IS NULL)", "Alternative: Query where cust = $1; Scan"]),
                ("EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p (NULL, NULL)",
                 ["Operation: Scan", "Alternative Used Because: ($1 IS NULL)", f"Alternative: Query where cust = $1; {by_status}"])):
            shown = [row[0].strip() for row in self.fx.rows(execution)]
            for line in lines:
                self.assertIn(line, shown, execution)
