"""Values that do not fit, under conditions: none slips through an error, a count or a filter, and NULLs count as NULLs."""
import fixture

MIXED = [{"S": "x"}, {"N": "5"}, {"N": "1" + "0" * 20}, {"N": "2.5"}, {"N": "-3"}, {"BOOL": True}, {"NULL": True}, None, {"L": [{"N": "5"}]}, {"M": {}},
         {"SS": ["x"]}, {"S": ""}, {"S": "true"}, {"S": "2024-02-29"}, {"S": "2024-02-29T00:00:00Z"}, {"S": "a\0b"}, {"N": "0"}, {"N": "1"}, {"B": "AAE="},
         {"S": "xyz"}, {"S": "5"}, {"N": "0.1"}, {"N": "40000"}]


class Conditions(fixture.TestCase):
    """Against DynamoDB's own filters."""

    def load(self, values, column, **options):
        """A table of (pk, id, v) of those values, one partition."""
        self.fx.create_table("f", ("pk", "S"), ("id", "N"))
        items = [{"pk": {"S": "a"}, "id": {"N": str(number)}, **({} if value is None else {"v": value})} for number, value in enumerate(values)]
        self.fx.dynamo.put_raw(self.fx.remote("f"), items)
        type_, collate, collation = column.partition(" COLLATE ")
        self.fx.foreign_table("f", f"pk text, id integer, v {type_} {fixture.options_clause(options)} {collate}{collation}", scan_policy="allow")

    def compare(self, column, conditions):
        """The same rows and counts as from a local table with the NULLs that on_mismatch makes."""
        self.load(MIXED, column, on_mismatch="null")
        self.fx.execute("DROP TABLE IF EXISTS l; CREATE TABLE l AS SELECT * FROM f")
        self.assertGreater(self.fx.value("SELECT count(*) FROM l WHERE v IS NOT NULL"), 0)
        for condition in conditions + ["v IS NULL", "v IS NOT NULL", "v IS NOT NULL AND id > 3", "v IS NULL OR id = 1"]:
            for what in (f"count(*) FROM %s WHERE pk = 'a' AND ({condition})", f"array_agg(id ORDER BY id) FROM %s WHERE {condition}"):
                with self.subTest(column=column, query=what):
                    self.assertEqual(*[self.fx.value("SELECT " + what.replace("%s", table)) for table in "fl"])

    def test_numbers(self):
        for column in ("integer", "smallint", "bigint", "numeric", "numeric(3,0)", "double precision", "real"):
            self.compare(column, ["v = 5", "v <> 5", "v > 0", "v < 100", "v IN (5, 1, 7)", "v BETWEEN -3 AND 1", "NOT v > 0", "v > 5 OR v < 0", "v + 0 = 5"])

    def test_texts(self):
        for column in ("text", 'text COLLATE "C"', "varchar(2)", "char(3)"):
            self.compare(column, ["v = 'x'", "v <> 'x'", "v > 'a'", "v < 'y'", "v LIKE 'x%'", "v = ''", "v IN ('x', '5')", "NOT v = 'x'", "v >= ''", "length(v) = 1"])

    def test_others(self):
        self.compare("boolean", ["v", "NOT v", "v IS NOT TRUE", "v IS UNKNOWN", "v = true", "v <> true"])
        self.compare("date", ["v = '2024-02-29'", "v > '2024-01-01'", "v < '2025-01-01'", "v <> '2024-02-29'"])
        self.compare("timestamptz", ["v = '2024-02-29 00:00:00+00'", "v > '2024-01-01'", "v <= '2024-02-29 00:00:00+00'"])
        self.compare("bytea", [r"v = '\x0001'", r"v > '\x00'", r"v <> '\x0001'"])
        self.compare("jsonb", ["v = '5'", "v <> '5'", "v @> '[5]'", "v = '\"x\"'"])
        self.compare("text[]", ["v = '{x}'", "'x' = ANY (v)", "v <> '{x}'"])

    def assert_seen(self, value, column, conditions):
        """The value passes the filter in DynamoDB, so that it must be met here, whatever is selected or counted."""
        self.load([{"N": "1"} if "N" in value else {"S": "aa"}, value], column)
        for condition in conditions:
            for what in ("count(*)", "id", "v", "1", "max(id)"):
                with self.subTest(column=column, where=condition, what=what):
                    failure = self.fx.error(f"SELECT {what} FROM f WHERE pk = 'a' AND {condition}")
                    self.assertEqual(failure.sqlstate, "HV004")
                    self.assertIn('item pk = "a"', failure.detail)

    def test_nothing_slips_through(self):
        big = {"N": "1" + "0" * 20}
        self.assert_seen(big, "integer", ["v > 0", "v >= 5", "v BETWEEN 0 AND 1e30"])
        self.assert_seen(big, "bigint", ["v > 0"])
        self.assert_seen({"N": "2.5"}, "integer", ["v > 0", "v < 9"])
        self.assert_seen({"N": "2.345"}, "numeric(5,2)", ["v > 0"])
        self.assert_seen({"S": "b\0"}, 'text COLLATE "C"', ["v > 'a'", "v LIKE 'b%'"])
        self.assert_seen({"S": "b" * 9}, 'varchar(3) COLLATE "C"', ["v > 'a'", "v LIKE 'b%'"])

    def test_a_key_that_does_not_fit(self):
        """A key column is no exception: the item is met where the key is bound by others."""
        self.load([], "text")
        self.fx.dynamo.put_raw(self.fx.remote("f"), [{"pk": {"S": "a"}, "id": {"N": "1.5"}}])
        for sql in ("SELECT id FROM f WHERE pk = 'a'", "SELECT count(*) FROM f WHERE pk = 'a' AND id > 0", "SELECT * FROM f WHERE pk = 'a' AND id > 1 ORDER BY id LIMIT 1"):
            with self.subTest(sql=sql):
                failure = self.fx.error(sql)
                self.assertEqual(failure.sqlstate, "HV004")
                self.assertIn("it is not a whole number", failure.message)
                self.assertIn('item pk = "a", id = 1.5', failure.detail)

    def test_a_not_null_column_is_a_promise(self):
        """IS NULL on it is false without asking; reading a NULL is an error."""
        self.load([{"S": "x"}, None], "text")
        self.fx.execute("ALTER FOREIGN TABLE f ALTER v SET NOT NULL")
        self.assertEqual(self.fx.error("SELECT v FROM f WHERE pk = 'a'").sqlstate, "23502")
        self.assertEqual(self.fx.rows("SELECT id FROM f WHERE pk = 'a' AND id = 0 AND v = 'x'"), [(0,)])
