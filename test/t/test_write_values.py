"""What INSERT stores for a value of each type and format, that it is read as the same value, and which values are refused."""
import dynamo
import fixture

TIME = "2024-02-29 12:00:00"

# Type with its options, and pairs of an SQL expression and the attribute value that it is stored as.
STORED = [
    ("text", "", [("'x'", {"S": "x"}), ("''", {"S": ""}), ("'é€😀\"\\\n'", {"S": 'é€😀"\\\n'})]),
    ("varchar(3)", "", [("'abc'", {"S": "abc"})]),
    ("char(5)", "", [("'ab'", {"S": "ab"}), ("''", {"S": ""})]),
    ("uuid", "", [("'0123ABCD-4567-89EF-0123-456789ABCDEF'", {"S": "0123abcd-4567-89ef-0123-456789abcdef"})]),
    ("smallint", "", [("-32768", {"N": "-32768"}), ("0", {"N": "0"})]),
    ("integer", "", [("2147483647", {"N": "2147483647"})]),
    ("bigint", "", [("-9223372036854775808", {"N": "-9223372036854775808"})]),
    ("numeric", "", [("1.50", {"N": "1.5"}), ("12345678901234567890123456789012345678", {"N": "12345678901234567890123456789012345678"}),
                     ("1e125", {"N": "1" + "0" * 125}), ("-0.0", {"N": "0"})]),
    ("numeric(4,2)", "", [("1.005", {"N": "1.01"})]),       # PostgreSQL rounds before the wrapper sees the value
    ("real", "", [("0.1", {"N": "0.1"}), ("16777216", {"N": "16777216"})]),
    ("double precision", "", [("0.1", {"N": "0.1"}), ("1e22", {"N": "10000000000000000000000"}), ("'-0'", {"N": "0"})]),
    ("boolean", "", [("true", {"BOOL": True}), ("false", {"BOOL": False})]),
    ("bytea", "", [(r"'\x00ff'", {"B": "AP8="}), ("''", {"B": ""})]),
    ("date", "", [("'2024-02-29'", {"S": "2024-02-29"})]),
    ("timestamptz", "", [(f"'{TIME}Z'", {"S": "2024-02-29T12:00:00Z"}), (f"'{TIME}.120+02'", {"S": "2024-02-29T10:00:00.120Z"}),
                         (f"'{TIME}.000001Z'", {"S": "2024-02-29T12:00:00.000001Z"})]),
    ("timestamp", "", [("'1969-12-31 23:59:59.5'", {"S": "1969-12-31T23:59:59.500Z"})]),
    ("jsonb", "", [("'{\"a\": [1, \"x\", null, true, {}], \"é\": []}'",
                    {"M": {"a": {"L": [{"N": "1"}, {"S": "x"}, {"NULL": True}, {"BOOL": True}, {"M": {}}]}, "é": {"L": []}}}),
                   ("'\"x\"'", {"S": "x"}), ("'1.50'", {"N": "1.5"}), ("'false'", {"BOOL": False}), ("'[]'", {"L": []})]),
    ("json", "", [("'{\"a\":  1}'", {"M": {"a": {"N": "1"}}})]),
    ("interval", "", [("'1 day 2 hours'", {"S": "1 day 02:00:00"})]),
    ("inet", "", [("'::1'", {"S": "::1"})]),
    ("regclass", "", [("'pg_class'", {"S": "pg_class"})]),
    ("int2vector", "", [("'1 -2'", {"S": "1 -2"}), ("''", {"S": ""})]), ("oidvector", "", [("'3 4'", {"S": "3 4"})]),
    ("integer", "string", [("-7", {"S": "-7"})]), ("numeric", "string", [("1.50", {"S": "1.5"}), (str(2 ** 256), {"S": str(2 ** 256)}), ("'NaN'", {"S": "NaN"})]),
    ("double precision", "string", [("1e200", {"S": "1e+200"}), ("'-Infinity'", {"S": "-Infinity"}), ("1e22", {"S": "10000000000000000000000"})]),
    ("integer", "padded(3)", [("7", {"S": "007"})]),
    ("bytea", "base64", [(r"'\x00ff'", {"S": "AP8="})]),
    ("jsonb", "json", [("'{\"a\": 1}'", {"S": '{"a": 1}'}), ("'null'", {"S": "null"})]),
    ("boolean", "bool(Y,N)", [("true", {"S": "Y"}), ("false", {"S": "N"})]), ("boolean", "bool(1,0)", [("true", {"N": "1"})]),
    ("date", "iso8601", [("'2024-02-29'", {"S": "2024-02-29"})]),
    ("timestamptz", "iso8601", [(f"'{TIME}Z'", {"S": "2024-02-29T12:00:00Z"})]),
    ("timestamptz", "iso8601(3)", [(f"'{TIME}.12Z'", {"S": "2024-02-29T12:00:00.120Z"})]),
    ("timestamp", "iso8601(0,)", [(f"'{TIME}'", {"S": "2024-02-29T12:00:00"})]),
    ("date", "pattern(DD.MM.YYYY)", [("'2024-02-29'", {"S": "29.02.2024"})]),
    ("timestamptz", "epoch", [(f"'{TIME}.5Z'", {"N": "1709208000.5"}), ("'1969-12-31 23:59:58.5Z'", {"N": "-1.5"})]),
    ("timestamptz", "epoch_ms", [(f"'{TIME}.123Z'", {"N": "1709208000123"})]),
    ("timestamptz", "epoch_us", [(f"'{TIME}.123456Z'", {"N": "1709208000123456"})]),
    ("date", "epoch_days", [("'2024-02-29'", {"N": "19782"})]),
    ("text[]", "set", [("'{b,a}'", {"SS": ["a", "b"]})]), ("numeric[]", "set", [("'{1}'", {"NS": ["1"]})]),
    ("bytea[]", "set", [(r"ARRAY['\x00ff'::bytea]", {"BS": ["AP8="]})]),
    ("text[]", "list", [("'{b,NULL,b}'", {"L": [{"S": "b"}, {"NULL": True}, {"S": "b"}]}), ("'{}'", {"L": []})]),
    ("jsonb[]", "list", [("ARRAY['[1]'::jsonb]", {"L": [{"L": [{"N": "1"}]}]})]),
]

# Type, format, expression, SQLSTATE of the error.
REFUSED = [
    ("numeric", "", "'NaN'", "22003"), ("numeric", "", "'Infinity'", "22003"), ("double precision", "", "'-Infinity'", "22003"),
    ("double precision", "", "1e126", "22003"), ("double precision", "", "1e-131", "22003"),
    ("numeric", "", "123456789012345678901234567890123456789", "22003"),
    ("integer", "padded(3)", "1000", "22003"), ("integer", "padded(3)", "-1", "22003"), ("numeric", "padded(3)", "1.5", "22003"),
    ("timestamptz", "", "'infinity'", "22008"), ("date", "", "'-infinity'", "22008"), ("timestamptz", "", "'0044-03-15 BC'", "22008"),
    ("date", "", "'10000-01-01'", "22008"), ("timestamptz", "iso8601(3)", f"'{TIME}.123456Z'", "22008"),
    ("timestamptz", "iso8601(0)", f"'{TIME}.5Z'", "22008"), ("timestamptz", "epoch(0)", f"'{TIME}.5Z'", "22008"),
    ("timestamptz", "epoch_ms", f"'{TIME}.000001Z'", "22008"), ("timestamp", "pattern(YYYY-MM)", f"'{TIME}'", "22008"),
    ("timestamptz", "ulid", f"'{TIME}Z'", "0A000"), ("timestamptz", "iso8601(9)", f"'{TIME}Z'", "0A000"),
    ("jsonb", "", "'null'", "22023"), ("jsonb", "", "'{\"\": 1}'", "22023"), ("json", "", "'null'", "22023"),
    ("jsonb", "", "'[1e200]'", "22003"), ("jsonb", "", "(repeat('[', 33) || repeat(']', 33))::jsonb", "54000"),
    ("text[]", "", "'{a}'", "0A000"), ("text[]", "set", "'{}'", "22023"), ("text[]", "set", "'{a,NULL}'", "22023"),
    ("text[]", "set", "'{a,a}'", "22023"), ("numeric[]", "set", "'{1,1.0}'", "22023"), ("boolean[]", "set", "'{t}'", "22023"),
    ("text[]", "list", "'{{a},{b}}'", "22023"), ("text[]", "list", "'[2:3]={a,b}'", "22023"), ("numeric[]", "list", "'{NaN}'", "22003"),
]


class Case(fixture.TestCase):
    """A table in DynamoDB with the key pk, and a foreign table with one more column."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("t", ("pk", "S"))
        cls.fx.execute("SET timezone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'")

    def table(self, type_, format_):
        """The foreign table with that column."""
        options = f"OPTIONS (format '{format_}')" if format_ else ""
        self.fx.foreign_table("t", f"pk text NOT NULL, v {type_} {options}", updatable="on")

    def item(self, key):
        """The item as it is stored; None: there is none."""
        return self.fx.dynamo.call("GetItem", {"TableName": self.fx.remote("t"), "Key": {"pk": {"S": key}}, "ConsistentRead": True}).get("Item")

    def delete(self):
        self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("t"), "Key": {"pk": {"S": "a"}}})


class Inserted(Case):
    """Values that can be stored."""

    def test_every_type(self):
        for type_, format_, cases in STORED:
            self.table(type_, format_)
            for sql, stored in cases:
                with self.subTest(type=type_, format=format_, sql=sql):
                    self.delete()
                    self.fx.execute(f"INSERT INTO t VALUES ('a', {sql})")
                    item = self.item("a")
                    for kind in ("SS", "NS", "BS"):
                        if kind in item["v"]:
                            item["v"][kind].sort()
                    self.assertEqual(item, {"pk": {"S": "a"}, "v": stored})
                    if not type_.endswith("[]") or format_ == "list":      # a set has no order
                        cast = "jsonb" if type_ == "json" else type_
                        self.assertTrue(self.fx.value(f"SELECT v::{cast} = ({sql})::{cast} FROM t WHERE pk = 'a'"))

    def test_null(self):
        """NULL is no attribute."""
        for type_, format_, _ in STORED:
            with self.subTest(type=type_, format=format_):
                self.table(type_, format_)
                self.delete()
                self.fx.execute("INSERT INTO t VALUES ('a', NULL)")
                self.assertEqual(self.item("a"), {"pk": {"S": "a"}})

    def test_settings_of_the_session(self):
        """Texts of types that depend on them are stored in the usual form."""
        self.table("tsrange", "")
        self.delete()
        self.fx.execute("SET datestyle = 'SQL, DMY'; INSERT INTO t VALUES ('a', '[2024-02-01, 2024-03-04)'); RESET datestyle")
        self.assertEqual(self.item("a")["v"], {"S": '["2024-02-01 00:00:00","2024-03-04 00:00:00")'})
        self.fx.execute("CREATE SCHEMA aside; CREATE TABLE aside.named (); CREATE TYPE aside.pair AS (c regclass, n int)")
        self.addCleanup(self.fx.execute, "DROP SCHEMA aside CASCADE")
        for type_, value in (("regclass", "aside.named"), ("aside.pair", "(aside.named,1)")):
            self.table(type_, "")
            self.delete()
            self.fx.execute(f"SET search_path = public, aside; INSERT INTO t VALUES ('a', '{value}'); RESET search_path")
            self.assertEqual(self.item("a")["v"], {"S": value})
            self.assertEqual(self.fx.value("SELECT v::text FROM t"), value)
        self.fx.execute("DROP FOREIGN TABLE t")

    def test_xml(self):
        """Any content is a value, also if the session's xmloption is 'document', as in a local table."""
        if self.fx.rows("SELECT 1 FROM pg_config WHERE name = 'CONFIGURE' AND setting !~ 'with-libxml'"):
            self.skipTest("PostgreSQL without libxml")
        self.addCleanup(self.fx.execute, "RESET xmloption; DROP FOREIGN TABLE t; DROP TYPE IF EXISTS marked")
        self.fx.execute("CREATE TYPE marked AS (x xml)")
        for type_, value in (("xml", "a<b/>"), ("marked", "(a<b/>)")):
            self.table(type_, "")
            for on_mismatch in ("error", "null"):
                self.delete()
                self.fx.execute(f"ALTER FOREIGN TABLE t OPTIONS ({'ADD' if on_mismatch == 'error' else 'SET'} on_mismatch '{on_mismatch}')")
                self.fx.execute(f"INSERT INTO t VALUES ('a', '{value}'); SET xmloption = document")
                self.assertEqual(self.fx.value("SELECT v::text FROM t"), value)
                self.assertEqual(self.fx.value("SHOW xmloption"), "document")
                self.fx.execute("RESET xmloption")


class Refused(Case):
    """Values that cannot be stored: no request is sent."""

    def test_H10_values(self):
        for type_, format_, sql, sqlstate in REFUSED:
            with self.subTest(type=type_, format=format_, sql=sql):
                self.table(type_, format_)
                self.fx.proxy.reset()
                failure = self.fx.error(f"INSERT INTO t VALUES ('refused', {sql})")
                self.assertEqual(failure.sqlstate, sqlstate, failure)
                self.assertIn('column "v" of foreign table "t"', failure.message)
                self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], [])

    def test_hints(self):
        for type_, format_, sql, hint in (("text[]", "", "'{a}'", 'Set the column option "format" to "set" or "list".'),
                                          ("text[]", "set", "'{}'", "Store NULL instead, for example with nullif(..., '{}')."),
                                          ("timestamptz", "iso8601(0)", f"'{TIME}.5Z'", "date_trunc")):
            with self.subTest(type=type_, format=format_):
                self.table(type_, format_)
                self.assertIn(hint, self.fx.error(f"INSERT INTO t VALUES ('refused', {sql})").hint)

    def test_keys(self):
        self.table("text", "")
        for sql, sqlstate, text in (("NULL", "23502", "null value"), ("''", "22023", "invalid value for key attribute"),
                                    ("repeat('x', 2049)", "22023", "invalid value for key attribute")):
            with self.subTest(sql=sql):
                self.fx.proxy.reset()
                failure = self.fx.error(f"INSERT INTO t VALUES ({sql}, 'v')")
                self.assertEqual((failure.sqlstate, failure.message.startswith(text)), (sqlstate, True), failure)
                self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], [])


class Tables(Case):
    """Tables that cannot be written."""

    def test_option(self):
        self.fx.foreign_table("t", "pk text NOT NULL, v text")
        failure = self.fx.error("INSERT INTO t VALUES ('a')")
        self.assertEqual((failure.sqlstate, failure.message), ("55000", 'foreign table "t" does not allow inserts'))
        self.assertIn("updatable", failure.hint)

    def test_keys(self):
        for columns in ("v text", "pk integer", "pk char(3)", "pk timestamptz", "pk timestamptz OPTIONS (format 'ulid')", "pk inet"):
            with self.subTest(columns=columns):
                self.fx.foreign_table("t", columns, updatable="on")
                failure = self.fx.error("INSERT INTO t DEFAULT VALUES")
                self.assertIn(failure.sqlstate, ("0A000", "HV004"), failure)

    def test_times_as_keys(self):
        self.fx.foreign_table("t", "pk timestamptz OPTIONS (format 'iso8601')", updatable="on")
        self.assertEqual(self.fx.error("INSERT INTO t VALUES ('2024-05-01')").hint,
                         'Give column "pk" a type or format with a unique encoding, such as text, iso8601(3) or padded(10).')
        self.fx.foreign_table("t", "pk timestamptz OPTIONS (format 'iso8601(3)')", updatable="on")
        self.fx.execute("INSERT INTO t VALUES ('2024-05-01')")

    def test_unnest(self):
        self.fx.foreign_table("t", "pk text, e text OPTIONS (path '@')", unnest="v", updatable="on")
        self.assertIn(self.fx.error("INSERT INTO t VALUES ('a', 'b')").sqlstate, ("0A000", "55000"))

