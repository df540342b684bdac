"""Items older than an index, with key attributes that it cannot hold."""
import base64
import json
import time
from collections import Counter

import fixture
import shop
from dynamo import key_schema

LONG = "y" * 3000
ITEMS = [{"pk": "p1", "h": "x", "s": "", "v": 1}, {"pk": "p2", "h": "x", "s": "k", "v": 2},
         {"pk": "p3", "h": "", "s": "k", "v": 3}, {"pk": "p4", "h": "x", "s": LONG, "v": 4},
         {"pk": "p5", "h": "x", "v": 5}, {"pk": "p6", "s": "k", "v": 6}, {"pk": "p7", "h": "z", "s": "m", "v": 7},
         {"pk": "p8", "h": LONG, "s": "n", "v": 8}, {"pk": "p9", "h": "x", "s": "l", "v": 9},
         {"pk": "pa", "h": "", "s": "", "v": 10}, {"pk": "pb", "h": "", "s": "a", "v": 11}]
SCAN = {"Scan": 1}
QUERY = {"Query": 1}


class OldItems(fixture.TestCase):
    """The index (h, s) was created after the items."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("t", ("pk", "S"))
        fx.put("t", ITEMS)
        cls.add_index("t", "by_h", ("h", "S"), ("s", "S"))
        cls.columns = 'pk text COLLATE "C" NOT NULL, h text COLLATE "C", s text COLLATE "C", v int'
        fx.foreign_table("t", cls.columns, scan_policy="allow")
        fx.foreign_table("promised", cls.columns.replace('s text COLLATE "C"', 's text COLLATE "C" NOT NULL'),
                         scan_policy="allow", table_name=fx.remote("t"))
        fx.execute("CREATE SCHEMA local; CREATE TABLE local.t AS SELECT * FROM t;"
                   "CREATE TABLE local.promised AS SELECT * FROM t WHERE s IS NOT NULL;"
                   "CREATE TABLE local.wanted (n int, x text COLLATE \"C\", y text COLLATE \"C\")")
        fx.execute("INSERT INTO local.wanted SELECT g, CASE g % 4 WHEN 0 THEN '' WHEN 1 THEN 'z' ELSE 'x' END,"
                   " CASE g % 3 WHEN 0 THEN '' WHEN 1 THEN 'k' ELSE 'm' END FROM generate_series(1, 24) g;"
                   "CREATE TABLE wanted AS SELECT * FROM local.wanted; ANALYZE wanted, local.t, local.wanted")
        cls.create_sparse()
        shop.pretend_large(fx, 300)
        fx.execute("SELECT dynamo_fdw_disconnect_all(); SET plan_cache_mode = force_generic_plan")

    @classmethod
    def create_sparse(cls):
        """Few items are in its index."""
        cls.fx.create_table("sparse", ("pk", "S"))
        cls.fx.put("sparse", [{"pk": f"p{n:03}", "v": n, "pad": "x" * 100, **({"g": "abcd"[n % 4] * (n % 3)} if n % 10 == 0 else {})}
                              for n in range(200)])
        cls.add_index("sparse", "by_g", ("g", "S"), None)
        cls.fx.foreign_table("sparse", 'pk text COLLATE "C" NOT NULL, g text COLLATE "C", v int', scan_policy="allow")
        cls.fx.execute("CREATE TABLE local.sparse AS SELECT * FROM sparse; ANALYZE local.sparse")

    @classmethod
    def add_index(cls, table, name, *keys):
        """Create it over the items that there are, and wait for it."""
        remote, dynamo = cls.fx.remote(table), cls.fx.dynamo
        definition = {"IndexName": name, "KeySchema": key_schema(*keys), "Projection": {"ProjectionType": "ALL"}}
        dynamo.call_again("UpdateTable", {
            "TableName": remote, "GlobalSecondaryIndexUpdates": [{"Create": definition}],
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in (("pk", "S"), *filter(None, keys))]})
        while dynamo.call_again("DescribeTable", {"TableName": remote})["Table"]["GlobalSecondaryIndexes"][0][
                "IndexStatus"] != "ACTIVE":
            time.sleep(0.1)

    def check(self, sql, requests, ordered=False):
        """The rows of a local table, by these requests."""
        rows = self.fx.rows(sql)
        self.fx.execute("SET search_path = local")
        try:
            right = self.fx.rows(sql)
        finally:
            self.fx.execute("RESET search_path")
        self.assertEqual(rows if ordered else sorted(rows, key=repr), right if ordered else sorted(right, key=repr), sql)
        sent = dict(Counter(r.operation for r in self.fx.requests(sql)))
        self.assertEqual(sent, requests, f"{sql}\n{self.fx.explain(sql)}")

    def prepared(self, sql, types, values, requests, ordered=False):
        """The same with values that come later."""
        self.fx.execute("SET search_path = local")
        self.fx.execute(f"PREPARE r({types}) AS {sql}")
        right = self.fx.rows(f"EXECUTE r({values})")
        self.fx.execute("RESET search_path; DEALLOCATE r")
        self.fx.execute(f"PREPARE p({types}) AS {sql}")
        try:
            rows = self.fx.rows(f"EXECUTE p({values})")
            self.assertEqual(rows if ordered else sorted(rows, key=repr),
                             right if ordered else sorted(right, key=repr), sql)
            sent = dict(Counter(r.operation for r in self.fx.requests(f"EXECUTE p({values})")))
            self.assertEqual(sent, requests, f"{sql}\n{self.fx.explain(f'EXECUTE p({values})')}")
        finally:
            self.fx.execute("DEALLOCATE p")

    def test_parts_of_a_template(self):
        """A value that makes the text too long is looked for in the table, whatever is known of the parts before it."""
        fx = self.fx
        fx.create_table("spelled", ("pk", "S"))
        fx.put("spelled", [{"pk": "P#1", "h": "a", "gk": f"G#x#{LONG}"}, {"pk": "P#2", "h": "a", "gk": "G#x#y"}, {"pk": "P#3", "h": "b", "gk": "G#u#z"}])
        self.add_index("spelled", "by_h", ("h", "S"), ("gk", "S"))
        columns = 'p text NOT NULL, h text, g text{0} COLLATE "C", t text{0} COLLATE "C"'
        fx.foreign_table("spelled", columns.format(" OPTIONS (attribute 'gk')"), scan_policy="allow", key_templates='{"pk": "P#${p}", "gk": "G#${g}#${t}"}')
        fx.execute(f"CREATE TABLE local.spelled ({columns.format('')}); INSERT INTO local.spelled VALUES ('1', 'a', 'x', '{LONG}'), ('2', 'a', 'x', 'y'), ('3', 'b', 'u', 'z')")
        shop.pretend_large(fx, 300)
        sql = "SELECT p FROM spelled WHERE h = 'a' AND "
        for condition in (f"g = 'x' AND t = '{LONG}'", f"t = '{LONG}'", f"t IN ('y', '{LONG}')", f"g > 'a' AND t = '{LONG}'", f"g LIKE 'x%' AND t = '{LONG}'",
                          f"(t = '{LONG}' OR t = 'q')", f"g = '{LONG}'"):
            self.check(sql + condition.replace("%", "%%"), SCAN)
        for condition in ("t = 'y'", "t IN ('y', 'q')", "g > 'a' AND t = 'y'", "t LIKE 'y%%'", "g = 'x'"):
            self.check(sql + condition, QUERY)
        self.check(f"SELECT p FROM spelled WHERE p = '3' OR (h = 'a' AND t = '{LONG}')", {"GetItem": 1, **SCAN})
        self.prepared(sql + "t = $1", "text", f"'{LONG}'", SCAN)
        self.prepared(sql + "t = $1", "text", "'y'", QUERY)
        fx.execute(f"CREATE TABLE long_wanted AS SELECT 'a' AS h, '{LONG}' AS t; CREATE TABLE local.long_wanted AS SELECT * FROM long_wanted; ANALYZE long_wanted")
        self.check("SELECT p FROM long_wanted JOIN spelled USING (h, t)", SCAN)

    def test_parts_that_are_not_text(self):
        """A bytea, and the words of a boolean, can make the text too long, too."""
        fx, long, yes = self.fx, "61" * 1600, "y" * 200
        hashed, flagged = (f'pk text NOT NULL, h text, {column}' for column in ("hash bytea{0}", "flag boolean{0}"))
        for table, columns, template, keys in (("hashed", hashed, "H#${hash:base64}", ("H#" + base64.b64encode(b"a" * 1600).decode(), "H#YQ==")),
                                               ("flagged", flagged, "F" * 850 + f"#${{flag:bool({yes},n)}}", ("F" * 850 + "#" + yes, "F" * 850 + "#n"))):
            fx.create_table(table, ("pk", "S"))
            fx.put(table, [{"pk": f"p{n}", "h": "a", "gk": key} for n, key in enumerate(keys)])
            self.add_index(table, "by_h", ("h", "S"), ("gk", "S"))
            fx.foreign_table(table, columns.format(" OPTIONS (attribute 'gk')"), scan_policy="allow", key_templates=json.dumps({"gk": template}))
            fx.execute(f"CREATE TABLE local.{table} ({columns.format('')})")
        fx.execute(f"INSERT INTO local.hashed VALUES ('p0', 'a', '\\x{long}'), ('p1', 'a', 'a'); INSERT INTO local.flagged VALUES ('p0', 'a', true), ('p1', 'a', false)")
        shop.pretend_large(fx, 300)
        sql = "SELECT pk FROM hashed WHERE h = 'a' AND hash "
        self.check(f"{sql} = '\\x{long}'", SCAN)
        self.check(f"{sql} IN ('a', '\\x{long}')", SCAN)
        self.check(f"{sql} = 'a'", QUERY)
        self.prepared(f"{sql} = $1", "bytea", f"'\\x{long}'", SCAN)
        self.prepared(f"{sql} = $1", "bytea", "'a'", QUERY)
        self.check("SELECT pk FROM flagged WHERE h = 'a' AND flag", SCAN)

    def test_matched(self):
        """A row test that allows what the index cannot hold; the column is declared NOT NULL."""
        self.fx.foreign_table("matched", self.columns.replace('s text COLLATE "C"', 's text COLLATE "C" NOT NULL'), scan_policy="allow",
                              table_name=self.fx.remote("t"), item_filter='{"s": ["k", ""]}')
        self.assertEqual(sorted(self.fx.rows("SELECT v FROM matched WHERE h = 'x'")), [(1,), (2,)])

    def test_conditions_that_are_not_sufficient(self):
        """Conditions that an empty or a too long text satisfies do not imply that the index is complete."""
        for condition in ("s IS NOT NULL", "s >= ''", "s = ''", f"s = '{LONG}'", "s IN ('', 'k')", "s < 'l'", "s <= ''",
                          "s LIKE '%'", "s LIKE ''", "s ^@ ''", "length(s) = 0", "s <> 'k'", f"s >= '{LONG}'",
                          "(s = 'k' OR s = '')", "s NOT IN ('k')", f"s = ANY (ARRAY['{LONG}', NULL])"):
            self.check(f"SELECT pk FROM t WHERE h = 'x' AND {condition}", SCAN)
            self.check(f"SELECT count(*) FROM t WHERE h = 'x' AND {condition}", SCAN)
        for condition in ("h = ''", f"h = '{LONG}'", "h IN ('', 'x')"):
            self.check(f"SELECT pk FROM t WHERE {condition} AND s = 'k'", SCAN)

    def test_conditions_that_are_sufficient(self):
        """Conditions that the empty text does not satisfy imply that the index is complete."""
        for condition in ("s > ''", "s = 'k'", "s > 'k'", "s >= 'k' AND s < 'm'", "s LIKE 'k%'",
                          "s LIKE '_'", "s ^@ 'k'", "s BETWEEN 'a' AND 'x'", "s = 'k' AND s <> 'l'"):
            self.check(f"SELECT pk FROM t WHERE h = 'x' AND {condition} AND length(s) < 1000", QUERY)
        for condition in ("s IN ('k', NULL, 'l')", "(s = 'k' OR s = 'l')"):
            self.check(f"SELECT pk FROM t WHERE h = 'x' AND {condition} AND length(s) < 1000", {"Query": 2})
        self.check("SELECT pk FROM t WHERE h = 'z' AND s <> ''", QUERY)
        self.check("SELECT pk FROM t WHERE (h, s) IN (('x', 'k'), ('z', 'm'))", {"Query": 2})
        self.check("SELECT pk FROM t WHERE h IN ('x', 'z') AND s = 'k' AND h IN ('x', '')", QUERY)
        self.check("SELECT pk FROM t WHERE h = 'x' AND s = 'k' AND s = ''", {})

    def test_declared(self):
        """NOT NULL declares a value that the index holds; a value that it cannot is still looked for."""
        self.check("SELECT pk FROM promised WHERE h = 'z'", QUERY)
        self.check("SELECT pk FROM promised WHERE h = 'z' AND s <= 'z'", QUERY)
        for sql in ("SELECT pk, v FROM promised WHERE h = 'x' AND s = ''",
                    "SELECT count(*) FROM promised WHERE h = 'x' AND s IN ('', 'k')"):
            # NULL in s is an error where it is read and not filtered out
            self.check(sql, SCAN)

    def missing(self, table):
        """What a check reports of the rows of a table that an index lacks."""
        return self.fx.rows(f"SELECT items, detail FROM dynamo_fdw_check_table('{table}', '{{}}') WHERE kind = 'missing index key'")

    def test_declarations_are_checked(self):
        """Values that the index cannot hold, in columns that are declared NOT NULL: rows that a Query would miss."""
        self.assertEqual(self.missing("promised"), [(3, 'index "by_h" cannot contain the value of a column that is declared NOT NULL')])
        self.assertEqual(self.missing("t"), [])
        self.assertEqual(self.fx.rows("SELECT pk FROM promised WHERE h = 'x' AND v = 1"), [])
        self.fx.execute("ALTER FOREIGN TABLE promised OPTIONS (ADD trusted_indexes 'by_h')")
        try:
            self.assertEqual(self.missing("promised"), [(3, 'the item lacks the key of trusted index "by_h" that its columns imply')])
        finally:
            self.fx.execute("ALTER FOREIGN TABLE promised OPTIONS (DROP trusted_indexes)")

    def test_trust_is_checked(self):
        """Texts that match their template, but are too long for a trusted index."""
        self.fx.create_table("mails", ("pk", "S"))
        self.fx.put("mails", [{"pk": f"P#{n}", "mail": mail, "g": f"M#{mail}"} for n, mail in enumerate(("a", "y" * 2046, "z" * 2047))])
        self.add_index("mails", "by_mail", ("g", "S"), None)
        self.fx.foreign_table("mails", "id int NOT NULL, mail text OPTIONS (attribute 'mail')", trusted_indexes="by_mail", key_templates='{"pk": "P#${id}", "g": "M#${mail}"}')
        self.assertEqual([items for items, _ in self.missing("mails")], [1])

    def test_parameters(self):
        """Values that come later send the same requests, unless the index cannot hold them."""
        sql = "SELECT pk, v FROM t WHERE h = $1 AND s = $2"
        self.prepared(sql, "text, text", "'x', 'k'", QUERY)
        self.prepared(sql, "text, text", "'x', ''", SCAN)
        self.prepared(sql, "text, text", "'', 'k'", SCAN)
        self.prepared(sql, "text, text", f"'x', '{LONG}'", SCAN)
        self.prepared(sql, "text, text", "'x', NULL", {})
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s >= $2", "text, text", "'x', 'k'", QUERY)
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s >= $2", "text, text", "'x', ''", SCAN)
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s LIKE $2", "text, text", "'x', 'k%'", QUERY)
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s LIKE $2", "text, text", "'x', '%'", SCAN)
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s = ANY ($2)", "text, text[]", "'x', '{k,l}'", QUERY)
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s = ANY ($2)", "text, text[]", "'x', '{k,\"\"}'", SCAN)
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s = 'k' AND pk = $2", "text, text", "'x', 'p2'", {"GetItem": 1})
        self.prepared("SELECT tableoid::regclass IS NULL FROM t WHERE h = $1 AND s > 'a'", "text", "''", SCAN)

    def test_optional(self):
        """What is a condition on the index's key in some executions must be one that the index can respond."""
        self.fx.foreign_table("filled", self.columns.replace('h text COLLATE "C"', 'h text COLLATE "C" NOT NULL'),
                              scan_policy="allow", table_name=self.fx.remote("t"))
        self.fx.execute("CREATE TABLE local.filled AS SELECT * FROM local.t WHERE h IS NOT NULL")
        for value, s, requests in (("x", "k", QUERY), ("", "k", SCAN), (LONG, "n", SCAN)):
            self.prepared(f"SELECT pk FROM filled WHERE ($1 OR h = '{value}') AND s = '{s}'", "boolean", "false", requests)
            for condition in ("$1 IS NULL OR h = $1", "h LIKE $1", "h BETWEEN $1 AND $1", "h BETWEEN $1 AND $2"):
                self.prepared(f"SELECT pk FROM filled WHERE ({condition}) AND s = '{s}'", "text, text", f"'{value}', '{value}'",
                              requests)

    def test_counts(self):
        """Counts are computed by DynamoDB, or locally after a fallback."""
        sql = "SELECT count(*) + 1 FROM t WHERE h = $1 AND s > $2 HAVING count(*) < 10"
        self.prepared(sql, "text, text", "'x', 'a'", QUERY)
        self.prepared(sql, "text, text", "'', ''", SCAN)
        self.prepared("SELECT count(*) FROM t WHERE h = ANY ($1) AND s = 'k'", "text[]",
                      "'{x,\"\"," + ",".join(f"q{n}" for n in range(900)) + "}'", SCAN)

    def test_order(self):
        """After a fallback the index's order is produced locally."""
        for order in ("s", "s DESC"):
            sql = f"SELECT pk FROM t WHERE h = $1 AND s >= $2 ORDER BY {order}, pk"
            self.prepared(sql, "text, text", "'', ''", SCAN, True)
            sql = f"SELECT s FROM t WHERE h = $1 AND s >= $2 ORDER BY {order}"
            self.prepared(sql, "text, text", "'', ''", SCAN, True)
            self.prepared(sql, "text, text", "'x', 'k'", QUERY, True)
            self.prepared(f"{sql} LIMIT 1", "text, text", "'', ''", SCAN, True)
        # each end of the partition falls back for itself
        self.prepared("SELECT max(s), min(s) FROM t WHERE h = $1 AND s > $2", "text, text", "'', ''", {"Scan": 2})
        self.prepared("SELECT v FROM t WHERE h IN ($1, $2) AND s > '' ORDER BY s DESC, v", "text, text", "'', 'z'", SCAN, True)

    def test_order_of_another_collation(self):
        """By bytes where the statement has COLLATE "C", whatever the column's collation is."""
        self.fx.create_table("sorted", ("pk", "S"))
        self.fx.put("sorted", [{"pk": f"q{n}", "h": "", "s": s, "v": n} for n, s in enumerate("bDcA")])
        self.add_index("sorted", "by_h", ("h", "S"), ("s", "S"))
        self.fx.foreign_table("sorted", self.columns.replace('s text COLLATE "C"', 's text COLLATE "en-x-icu"'),
                              scan_policy="allow")
        self.fx.execute("CREATE TABLE local.sorted AS SELECT * FROM sorted")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE sorted; DROP TABLE local.sorted")
        rest = "FROM sorted WHERE h = $1 AND s > '' COLLATE \"C\""
        for sql in (f"SELECT s {rest} ORDER BY s COLLATE \"C\"", f"SELECT s {rest} ORDER BY s COLLATE \"C\" DESC",
                    f"SELECT s {rest} ORDER BY s COLLATE \"C\" LIMIT 2", f"SELECT max(s COLLATE \"C\") {rest}",
                    f"SELECT DISTINCT ON (s COLLATE \"C\") s {rest} ORDER BY s COLLATE \"C\""):
            self.prepared(sql, "text", "''", SCAN, True)

    def test_branch_that_depends_on_no_row(self):
        """It is executed again and again with values of its own, while others are announced."""
        self.fx.execute("SET work_mem = '64kB'; SET dynamo_fdw.fetch_memory = '1MB'; SET enable_hashjoin = off; SET enable_mergejoin = off;"
                        "SET enable_memoize = off; SET enable_material = off")
        self.addCleanup(self.fx.execute, "RESET work_mem; RESET dynamo_fdw.fetch_memory; RESET enable_hashjoin; RESET enable_mergejoin;"
                        "RESET enable_memoize; RESET enable_material")
        sql = ("SELECT n, u.v, length(repeat('z', 400 * n)), length(repeat('zz', 90000)) FROM wanted LEFT JOIN LATERAL"
               " (SELECT v FROM t a WHERE a.h = x AND a.s = y UNION ALL SELECT v FROM t b WHERE b.h = upper($1) AND b.s > 'a')"
               " u ON true")
        self.fx.execute("SET search_path = local")
        self.fx.execute(f"PREPARE r(text) AS {sql}")
        right = self.fx.rows("EXECUTE r(repeat('y', 70000))")
        self.fx.execute("RESET search_path; DEALLOCATE r")
        self.fx.execute(f"PREPARE p(text) AS {sql}")
        self.addCleanup(self.fx.execute, "DEALLOCATE p")
        self.assertIn("DynamoLookupJoin", self.fx.explain("EXECUTE p('y')"))
        self.assertEqual(sorted(self.fx.rows("EXECUTE p(repeat('y', 70000))"), key=repr), sorted(right, key=repr))

    def test_joins(self):
        """Each outer row by itself where the index cannot hold its value."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_memoize")
        shop.pretend_large(self.fx, 10 ** 6)
        self.addCleanup(self.fx.execute, "SELECT dynamo_fdw_disconnect_all()")
        self.addCleanup(shop.pretend_large, self.fx, 300)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        for lookups in ("on", "off"):
            self.fx.execute(f"SET dynamo_fdw.enable_lookup_join = {lookups}")
            for sql in ("SELECT n, pk FROM wanted JOIN t ON h = x AND s = y",
                        "SELECT n, pk FROM wanted LEFT JOIN t ON h = x AND s = y",
                        "SELECT n FROM wanted WHERE EXISTS (SELECT FROM t WHERE h = x AND s = y)",
                        "SELECT n FROM wanted WHERE NOT EXISTS (SELECT FROM t WHERE h = x AND s = y)",
                        "SELECT n, (SELECT count(*) FROM t WHERE h = x AND s = y) FROM wanted",
                        "SELECT n, (SELECT max(v) FROM t WHERE h = x AND s = y) FROM wanted",
                        "SELECT n, (SELECT v FROM t WHERE h = x AND s >= y AND length(s) < 9 ORDER BY s LIMIT 1) FROM wanted"):
                rows = sorted(self.fx.rows(sql), key=repr)
                self.fx.execute("SET search_path = local")
                self.assertEqual(rows, sorted(self.fx.rows(sql), key=repr), sql)
                self.fx.execute("RESET search_path")
                self.assertIn("by_h", self.fx.explain(sql), sql)
        self.fx.execute("RESET dynamo_fdw.enable_lookup_join")

    def test_nothing_found_is_remembered(self):
        """A value of many outer rows that selects nothing is looked for once."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_memoize")
        sql = "SELECT n, pk FROM (SELECT n, y || '' AS y FROM wanted WHERE y = '') w JOIN t ON s = y AND h = 'nobody'"
        self.assertEqual(self.fx.rows(sql), [])
        self.assertEqual([r.operation for r in self.fx.requests(sql)], ["Scan"], self.fx.explain(sql, "ANALYZE, COSTS OFF"))
        self.assertIn("Table Fallbacks: 1\n", self.fx.explain(sql, "ANALYZE, COSTS OFF") + "\n")

    def test_different_values_that_find_nothing(self):
        """Each is looked for once, in whatever order outer rows have them: in items that are kept, or in the table."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off; SET enable_material = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_memoize; RESET enable_material; RESET dynamo_fdw.enable_cached_reads")
        sql = ("SELECT n, pk FROM (SELECT n, CASE n % 3 WHEN 0 THEN '' ELSE repeat(chr(96 + n % 3), 1100) END AS y FROM wanted) w"
               " LEFT JOIN t ON s = y AND h = 'nobody'")
        self.assertEqual({pk for _, pk in self.fx.rows(sql)}, {None})
        self.assertEqual(self.fx.rows(sql.replace("LEFT JOIN", "JOIN")), [])
        for cached, scans in (("on", 2), ("off", 3)):
            self.fx.execute(f"SET dynamo_fdw.enable_cached_reads = {cached}")
            self.assertEqual(Counter(r.operation for r in self.fx.requests(sql)), {"Scan": scans}, self.fx.explain(sql, "ANALYZE, COSTS OFF"))

    def test_together(self):
        """Fallbacks in branches of an Append, in rescans and in EXPLAIN."""
        self.prepared("SELECT pk FROM t WHERE h = $1 AND s = 'k' UNION ALL SELECT pk FROM t WHERE h = $2 AND s = 'k'",
                      "text, text", "'x', ''", {"Query": 1, "Scan": 1})
        self.prepared("SELECT a.pk, b.pk FROM t a, t b WHERE a.h = $1 AND a.s = 'k' AND b.h = $2 AND b.s >= $1",
                      "text, text", "'', ''", {"Scan": 2})
        self.fx.execute("PREPARE p(text) AS SELECT pk FROM t WHERE h = $1 AND s = 'k'")
        self.addCleanup(self.fx.execute, "DEALLOCATE p")
        self.assertIn("Table Fallbacks: 1", self.fx.explain("EXECUTE p('')", "ANALYZE, COSTS OFF, TIMING OFF"))
        self.assertNotIn("Table Fallbacks", self.fx.explain("EXECUTE p('x')", "ANALYZE, COSTS OFF, TIMING OFF"))

    def test_no_value_for_a_filter(self):
        """A fallback that needs no request is none."""
        for condition in ("h = $1 AND s = 'k'", "(h = $1 AND s = 'k' OR pk = 'p1')"):
            self.fx.execute(f"PREPARE p(text, int[]) AS SELECT pk FROM t WHERE {condition} AND v = ANY ($2)")
            for values, shown in (("{}", False), ("{3}", True)):
                self.assertEqual("Table Fallbacks: 1" in self.fx.explain(f"EXECUTE p('', '{values}')", "ANALYZE, COSTS OFF, TIMING OFF"), shown, condition)
            self.fx.execute("DEALLOCATE p")

    def test_policy(self):
        """scan_policy applies to a Scan that replaces a Query."""
        self.fx.execute("SET dynamo_fdw.scan_policy = 'error'; PREPARE p(text) AS SELECT pk FROM t WHERE h = $1 AND s = 'k'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy; DEALLOCATE p")
        self.assertEqual(self.fx.rows("EXECUTE p('x')"), [("p2",)])
        self.assertEqual(self.fx.error("EXECUTE p('')").sqlstate, "55000")

    def indexes(self, sql):
        """Which index each read is of, in their order; the rows are those of local tables."""
        rows = self.fx.rows(sql)
        self.fx.execute("SET search_path = local")
        right = self.fx.rows(sql)
        self.fx.execute("RESET search_path")
        self.assertEqual(rows, right, sql)
        return [r.body.get("IndexName", "-") for r in self.fx.requests(sql)
                if "ExclusiveStartKey" not in r.body and r.body.get("Segment", 0) == 0]

    def test_cached_keys(self):
        """Twice for each run of keys that the index can have; twice the table, for all others."""
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        sql = ("SELECT n, (SELECT string_agg(pk, ',' ORDER BY pk) FROM t WHERE h = x AND s = y AND v > n % 5)"
               " FROM (SELECT * FROM wanted ORDER BY x, y, n OFFSET 0) w")
        self.assertEqual(Counter(self.indexes(sql)), {"by_h": 8, "-": 2})
        self.fx.execute("SET dynamo_fdw.enable_cached_reads = off")
        self.assertEqual(Counter(self.indexes(sql)), {"by_h": 12, "-": 11})
        self.fx.execute("RESET dynamo_fdw.enable_cached_reads")
        for condition in ("s >= y", "s LIKE y || '%'", "s = ANY (ARRAY[y, 'l'])"):
            self.assertIn("by_h", self.indexes(f"SELECT n, (SELECT string_agg(pk, ',' ORDER BY pk) FROM t WHERE h = x AND {condition}), "
                                               f"(SELECT count(*) FROM t WHERE h = 'x' AND {condition}) FROM (SELECT * FROM wanted ORDER BY n OFFSET 0) w"))

    def test_cached_scan(self):
        """Once, or twice; the table twice for the values that the index cannot have."""
        for what in ("sum(v)", "count(*)"):
            sql = f"SELECT n, (SELECT {what} FROM sparse WHERE g >= y) FROM (SELECT * FROM wanted ORDER BY n OFFSET 0) w WHERE n < 12"
            self.assertEqual(Counter(self.indexes(sql)), {"by_g": 2, "-": 2}, self.fx.explain(sql))

    def test_shared_keys(self):
        """Values that are parameters."""
        self.fx.execute("SET enable_async_append = off")
        sql = "SELECT pk FROM t WHERE h = $1 AND s = $2 UNION ALL SELECT v::text FROM t WHERE h = $1 AND s = $2"
        self.prepared(sql, "text, text", "'x', 'k'", QUERY)
        self.prepared(sql, "text, text", "'x', ''", {"Scan": 2})
        self.prepared(sql, "text, text", "'', 'k'", {"Scan": 2})

    def test_shared_scan(self):
        """Values that another part of the statement computes, before the read begins or later."""
        self.fx.execute("SET enable_async_append = off")
        for first, second, read in (("'a'", "'b'", ["by_g"]), ("'a'", "''", ["by_g", "-"]), ("''", "'a'", ["-", "by_g"]), ("''", "''", ["-", "-"])):
            sql = " UNION ALL ".join(f"SELECT sum(v) FROM sparse WHERE g >= (SELECT max({value}) FROM wanted)" for value in (first, second))
            self.assertEqual(self.indexes(sql), read, self.fx.explain(sql))
