"""What DynamoDB values become in columns of every type, and which ones are refused."""
import base64

import oneitem

DIGITS38 = "12345678901234567890123456789012345678"
BIGGEST = "9" * 38 + "0" * 88                   # just below 1E126
SMALLEST = "0." + "0" * 129 + "1"               # 1E-130
BYTES = base64.b64encode(bytes([0, 1, 254, 255])).decode()

# One value of every DynamoDB type.
SAMPLES = {"S": {"S": "x"}, "N": {"N": "5"}, "B": {"B": "AAE="}, "BOOL": {"BOOL": True}, "SS": {"SS": ["x"]},
           "NS": {"NS": ["5"]}, "BS": {"BS": ["AAE="]}, "L": {"L": []}, "M": {"M": {}}}

# column type: the DynamoDB types it takes
TAKES = {
    "text": "S", "varchar(9)": "S", "char(9)": "S", "uuid": "S", "inet": "S", "color": "S", "date": "S",
    "timestamp": "S", "timestamptz": "S", "interval": "S", "short": "S",
    "smallint": "N", "integer": "N", "bigint": "N", "numeric": "N", "numeric(9,2)": "N", "real": "N",
    "double precision": "N", "bytea": "B", "boolean": "BOOL S N",
    "text[]": "SS L", "numeric[]": "NS L", "bytea[]": "BS L", "integer[]": "NS L",
    "jsonb": "S N B BOOL SS NS BS L M", "json": "S N B BOOL SS NS BS L M",
}

# How format_type represents what the tests write shorter.
TYPE_NAMES = {"varchar(9)": "character varying", "char(9)": "character", "timestamp": "timestamp without time zone",
           "timestamptz": "timestamp with time zone", "numeric(9,2)": "numeric"}

EXCERPTS = {"S": "x", "N": "5", "B": "AAE=", "BOOL": "true"}


class Decoding(oneitem.TestCase):
    """Values that columns accept."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE TYPE color AS ENUM ('red', 'green'); CREATE DOMAIN short AS text CHECK (length(value) < 4)")
        cls.fx.execute("SET timezone = 'Asia/Tokyo'; SET bytea_output = 'hex'; SET extra_float_digits = 1")

    def each(self, cases, **options):
        """Each (column type, value, text)."""
        for column, value, text in cases:
            with self.subTest(column=column, value=str(value)[:60]):
                self.assertEqual(self.shown(value, column, **options), text)

    def test_text(self):
        self.each([("text", {"S": "abc"}, "abc"), ("text", {"S": ""}, ""), ("text", {"S": "é€😀\n\"\\/\t"}, "é€😀\n\"\\/\t"),
                   ("varchar(3)", {"S": "äöü"}, "äöü"), ("color", {"S": "green"}, "green"), ("short", {"S": "abc"}, "abc"),
                   ("inet", {"S": "10.0.0.1/8"}, "10.0.0.1/8"), ("interval", {"S": "1 day"}, "1 day"),
                   ("uuid", {"S": "0123abcd-4567-89ef-0123-456789abcdef"}, "0123abcd-4567-89ef-0123-456789abcdef")])

    def test_vectors(self):
        """They start at 0, as no array does that is made of elements."""
        for column in ("int2vector", "oidvector"):
            self.assertEqual(self.shown({"S": "5 6"}, column), "5 6")
            self.assertEqual(self.fx.rows(f"SELECT v[0], v[2], v = '5 6'::{column} FROM t WHERE 6 = ANY (v)"), [(5, None, True)])
            self.assertEqual(self.failure({"L": [{"N": "5"}]}, column).sqlstate, "HV004")

    def test_escapes(self):
        for escaped, text in (("\\u00e9", "é"), ("\\ud83d\\ude00", "😀"), ("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t")):
            with self.subTest(escaped=escaped):
                self.put({"S": "-"}, "text")
                body = '{"Count":1,"ScannedCount":1,"Items":[{"pk":{"S":"a"},"v":{"S":"%s"}}]}' % escaped
                self.fake.on("Scan", body.encode())
                self.assertEqual(self.fx.value("SELECT v FROM t"), text)

    def test_char_is_padded(self):
        self.assertEqual(self.shown({"S": "ab"}, "char(4)", "SELECT octet_length(v) FROM t"), 4)

    def test_integers(self):
        self.each([("smallint", {"N": "-32768"}, "-32768"), ("smallint", {"N": "32767"}, "32767"),
                   ("integer", {"N": "-2147483648"}, "-2147483648"), ("integer", {"N": "2147483647"}, "2147483647"),
                   ("bigint", {"N": "-9223372036854775808"}, "-9223372036854775808"),
                   ("bigint", {"N": "9223372036854775807"}, "9223372036854775807"), ("bigint", {"N": "0"}, "0"),
                   ("integer", {"N": "1.5E1"}, "15"), ("integer", {"N": "3.0"}, "3")])

    def test_numeric(self):
        self.each([("numeric", {"N": text}, text) for text in (
            "0", "-1", "1.5", "-0.001", DIGITS38, "-" + DIGITS38, "0." + DIGITS38, BIGGEST, "-" + BIGGEST, SMALLEST)])
        self.each([("numeric(10,2)", {"N": "1.5"}, "1.50"), ("numeric(3,0)", {"N": "999"}, "999"),
                   ("numeric(38,0)", {"N": DIGITS38}, DIGITS38), ("numeric", {"N": "1E3"}, "1000"),
                   ("numeric(2,4)", {"N": "0.0012"}, "0.0012"), ("numeric(2,4)", {"N": "-0.001"}, "-0.0010"), ("numeric(2,4)", {"N": "0"}, "0.0000"),
                   ("numeric(3,-2)", {"N": "12300"}, "12300"), ("numeric(3,-2)", {"N": "0"}, "0")])

    def test_floats(self):
        self.each([("double precision", {"N": "0.1"}, "0.1"), ("double precision", {"N": "-2.5"}, "-2.5"),
                   ("double precision", {"N": BIGGEST}, "1e+126"), ("double precision", {"N": SMALLEST}, "1e-130"),
                   ("double precision", {"N": DIGITS38}, "1.2345678901234568e+37"), ("real", {"N": "0.1"}, "0.1"),
                   ("real", {"N": "3" + "0" * 38}, "3e+38")])

    def test_boolean(self):
        self.each([("boolean", value, "true") for value in ({"BOOL": True}, {"N": "1"}, {"S": "t"}, {"S": "true"}, {"S": "Y"})])
        self.each([("boolean", value, "false") for value in ({"BOOL": False}, {"N": "0"}, {"S": "f"}, {"S": "false"},
                                                              {"S": "N"})])

    def test_bytea(self):
        self.each([("bytea", {"B": BYTES}, "\\x0001feff"), ("bytea", {"B": ""}, "\\x"), ("bytea", {"B": "/+8="}, "\\xffef")])

    def test_dates_and_times(self):
        self.each([("date", {"S": "2024-02-29"}, "2024-02-29"), ("date", {"S": "0001-01-01"}, "0001-01-01"),
                   ("date", {"S": "9999-12-31"}, "9999-12-31"),
                   ("timestamptz", {"S": "2024-02-29T12:00:00Z"}, "2024-02-29 21:00:00+09"),
                   ("timestamptz", {"S": "2024-02-29T12:00:00+02:00"}, "2024-02-29 19:00:00+09"),
                   ("timestamptz", {"S": "2024-02-29T12:00:00"}, "2024-02-29 21:00:00+09"),
                   ("timestamp", {"S": "2024-02-29 12:34:56.789"}, "2024-02-29 12:34:56.789")])

    def test_arrays(self):
        self.each([("text[]", {"SS": ["b", "a,\"c"]}, '{b,"a,\\"c"}'), ("text[]", {"L": [{"S": "x"}, {"NULL": True}]}, "{x,NULL}"),
                   ("text[]", {"L": []}, "{}"), ("numeric[]", {"NS": ["1.5", DIGITS38]}, "{1.5,%s}" % DIGITS38),
                   ("integer[]", {"NS": ["3", "1"]}, "{3,1}"), ("integer[]", {"L": [{"N": "3"}, {"N": "1"}]}, "{3,1}"),
                   ("bytea[]", {"BS": ["AAE=", "/w=="]}, '{"\\\\x0001","\\\\xff"}'),
                   ("boolean[]", {"L": [{"BOOL": True}, {"BOOL": False}]}, "{t,f}"),
                   ("uuid[]", {"SS": ["0123abcd-4567-89ef-0123-456789abcdef"]}, "{0123abcd-4567-89ef-0123-456789abcdef}"),
                   ("date[]", {"L": [{"S": "2024-02-29"}]}, "{2024-02-29}")])

    def test_array_of_jsonb(self):
        """Type jsonb accepts every element of a list, maps and lists as well."""
        self.each([("jsonb[]", {"L": [{"S": "x"}, {"N": "1"}]}, '{"\\"x\\"",1}'),
                   ("jsonb[]", {"L": [{"M": {"a": {"N": "1"}}}, {"L": []}]}, '{"{\\"a\\": 1}",[]}')])

    def test_jsonb(self):
        for value, text in (({"S": "x\n"}, '"x\\n"'), ({"N": DIGITS38}, DIGITS38), ({"N": SMALLEST}, SMALLEST), ({"B": BYTES}, f'"{BYTES}"'),
                            ({"BOOL": False}, "false"), ({"SS": ["b", "a"]}, '["b", "a"]'), ({"NS": ["2.5", "1"]}, "[2.5, 1]"),
                            ({"BS": ["AAE="]}, '["AAE="]'), ({"L": []}, "[]"), ({"M": {}}, "{}"),
                            ({"L": [{"NULL": True}, {"L": [{"M": {"k": {"BOOL": True}}}]}]}, '[null, [{"k": true}]]'),
                            ({"M": {"n": {"N": DIGITS38}, "m": {"M": {"é": {"S": "😀"}}}, "b": {"B": "AAE="}}},
                             '{"b": "AAE=", "m": {"é": "😀"}, "n": %s}' % DIGITS38)):
            with self.subTest(value=str(value)[:60]):
                self.assertEqual(self.shown(value, "jsonb"), text)
                self.assertEqual(self.shown(value, "json", "SELECT v::jsonb::text FROM t"), text)

    def test_null_and_absent(self):
        for column in TAKES:
            with self.subTest(column=column):
                self.assertIsNone(self.shown({"NULL": True}, column))
                self.assertIsNone(self.shown(None, column))

    def test_paths(self):
        value = {"M": {"a": {"L": [{"N": "1"}, {"M": {"b.c": {"S": "x"}}}]}}}
        for path, column, text in (("v.a[0]", "integer", "1"), ('v.a[1]."b.c"', "text", "x"), ("v.a", "jsonb", '[1, {"b.c": "x"}]'),
                                   ("v.a[7]", "text", None), ("v.a.nothing", "text", None), ("v.none.at.all", "text", None)):
            with self.subTest(path=path):
                self.assertEqual(self.shown(value, column, path=path), text)


class Mismatches(oneitem.TestCase):
    """Mismatches are errors that name table, column and item, or NULL where on_mismatch is null."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE TYPE color AS ENUM ('red', 'green'); CREATE DOMAIN short AS text CHECK (length(value) < 4)")

    @staticmethod
    def reason(column, kind):
        """Why a column cannot take a type: of an array, because of its elements where the value is a set."""
        within = column.endswith("[]") and kind in ("SS", "NS", "BS")
        if within:
            column, kind = column[:-2], kind[0]
        return (("invalid element: " if within else "") +
                f"it has DynamoDB type {kind}, which type {TYPE_NAMES.get(column, column)} does not accept")

    def test_every_type_against_every_column(self):
        for column, taken in TAKES.items():
            for kind, value in SAMPLES.items():
                if kind in taken.split():
                    continue
                with self.subTest(column=column, kind=kind):
                    failure = self.failure(value, column)
                    self.assertEqual(failure.sqlstate, "HV004")
                    self.assertEqual(failure.message, 'cannot convert value in column "v" of foreign table "t": '
                                     + self.reason(column, kind))
                    self.assertIn('DynamoDB table "t", item pk = "a", value ', failure.detail)
                    if kind in EXCERPTS:
                        self.assertIn(f"value {EXCERPTS[kind]}.", failure.detail)
                    self.assertEqual(failure.hint, oneitem.mismatch_hint(value, column))

    def test_null_by_option(self):
        for column, taken in TAKES.items():
            for kind, value in SAMPLES.items():
                if kind not in taken.split():
                    with self.subTest(column=column, kind=kind):
                        self.assertIsNone(self.shown(value, column, on_mismatch="null"))

    def test_null_by_option_of_the_table(self):
        self.put({"N": "1"}, "text")
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD on_mismatch 'null')")
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a", None)])

    def test_the_column_overrides_the_table(self):
        self.put({"N": "1"}, "text", on_mismatch="error")
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD on_mismatch 'null')")
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "HV004")

    def test_mismatch_null_and_not_null(self):
        """A NULL from on_mismatch 'null' in a NOT NULL column is an error."""
        self.put({"N": "1"}, "text", extra="NOT NULL", on_mismatch="null")
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "23502")

    def test_the_item_is_named_though_only_the_column_was_requested(self):
        failure = self.failure({"N": "1"}, "text", "SELECT v FROM t")
        self.assertEqual(failure.detail, 'DynamoDB table "t", item pk = "a", value 1.')

    def test_integers(self):
        for column, number in (("smallint", "32768"), ("smallint", "-32769"), ("integer", "2147483648"), ("integer", "-2147483649"),
                               ("bigint", "9223372036854775808"), ("bigint", "-9223372036854775809"), ("bigint", "1" + "0" * 125)):
            with self.subTest(column=column, number=number[:20]):
                excerpt = number if len(number) <= 60 else number[:60] + "..."
                self.assert_mismatch({"N": number}, column, f"it is out of range for type {column}", excerpt)
        for column in ("smallint", "integer", "bigint"):
            self.assert_mismatch({"N": "1.5"}, column, "it is not an integer", "1.5")

    def test_numeric_of_a_scale(self):
        for column, number in (("numeric(4,2)", "100"), ("numeric(4,2)", "1.234"), ("numeric(4,2)", "99.999"), ("numeric(3,0)", "0.5"), ("numeric(2,4)", "0.012"), ("numeric(3,-2)", "12350")):
            with self.subTest(column=column, number=number):
                self.assert_mismatch({"N": number}, column, f"{column} cannot represent it without rounding", number)

    def test_reals(self):
        for number in ("1" + "0" * 39, "-1" + "0" * 39, "0." + "0" * 60 + "1"):
            with self.subTest(number=number[:10]):
                excerpt = number if len(number) <= 60 else number[:60] + "..."
                self.assert_mismatch({"N": number}, "real", "it is out of range for type real", excerpt)

    def test_more_digits_than_dynamodb_has(self):
        """39 digits are no number of DynamoDB's: a service that returns them is not to be trusted."""
        for number in ("1" * 39, "1" + "0" * 126, "abc", "", "NaN", "1 ", "0x1"):
            for column in ("numeric", "integer", "double precision", "jsonb"):
                with self.subTest(number=number[:10], column=column):
                    self.assertIn(self.failure({"N": number}, column).sqlstate, ("HV004", "HV00M"))

    def test_lengths(self):
        self.assert_mismatch({"S": "abcd"}, "varchar(3)", "it is longer than 3 characters", "abcd")
        self.assert_mismatch({"S": "ab  "}, "char(3)", "it is longer than 3 characters", "ab  ")

    def test_representations(self):
        for column, text, reason in (
                ("uuid", "0123ABCD-4567-89ef-0123-456789abcdef", "it is not a uuid in lower case with hyphens"),
                ("uuid", "0123abcd456789ef0123456789abcdef", "it is not a uuid in lower case with hyphens"),
                ("date", "2024-2-29", "it is not in the format YYYY-MM-DD"), ("date", "2023-02-29", "it is not a valid date or time of the form YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS"),
                ("date", "2024-01-01T00:00:00Z", "it is not in the format YYYY-MM-DD"),
                ("timestamptz", "20240229T120000Z", "it is not a valid date or time of the form YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS"),
                ("timestamptz", "infinity", "it is not a valid date or time of the form YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS"),
                ("boolean", "yes", "it is not a valid text of a Boolean")):
            with self.subTest(column=column, text=text):
                self.assert_mismatch({"S": text}, column, reason, text)
        self.assert_mismatch({"N": "2"}, "boolean", "it is not a valid text of a Boolean", "2")

    def test_base64(self):
        for text in ("A", "AAE", "AA*=", "=AAE"):
            with self.subTest(text=text):
                self.assert_mismatch({"B": text}, "bytea", "it is not valid base64", text)

    def test_elements(self):
        for column, value in (("text[]", {"NS": ["1"]}), ("integer[]", {"SS": ["x"]}), ("text[]", {"L": [{"S": "x"}, {"N": "1"}]}),
                              ("integer[]", {"NS": ["1.5"]}), ("text[]", {"L": [{"L": []}]}), ("text[]", {"L": [{"M": {}}]})):
            with self.subTest(column=column, value=value):
                failure = self.failure(value, column)
                self.assertEqual((failure.sqlstate, failure.hint), ("HV004", oneitem.mismatch_hint(value, column)))
                self.assertRegex(failure.message, 'cannot convert value in column "v" of foreign table "t": (invalid element|it has|it contains)')
                self.assertIn('item pk = "a"', failure.detail)

    def test_input_functions_name_column_and_item(self):
        """Types read by their input functions: their own message, and where it happened."""
        for column, text in (("inet", "10.0.0.999"), ("interval", "soon"), ("color", "blue"), ("short", "too long")):
            with self.subTest(column=column):
                failure = self.failure({"S": text}, column)
                where = f"{failure.message} {failure.detail} {failure.context}"
                self.assertIn('column "v" of foreign table "t"', where)
                self.assertIn('item pk = "a"', where)

    def test_input_functions_under_mismatch_null(self):
        for column, text in (("inet", "10.0.0.999"), ("interval", "soon"), ("color", "blue"), ("short", "too long"), ("regtype", "int4 +"),
                             ("regprocedure", "lower(int4 +)"), ("regoperator", "+(int4 +, int4)"), *((f"reg{kind}", "a.b.c.d") for kind in
                               ("class", "oper", "proc", "collation", "config", "dictionary", "namespace", "role"))):
            with self.subTest(column=column):
                self.assertIsNone(self.shown({"S": text}, column, on_mismatch="null"))
                self.assertIsNone(self.shown({"L": [{"S": text}]}, f"{column}[]", on_mismatch="null"))

    def test_error_next_to_an_odd_key(self):
        """An item with a key of another type is none, whatever else is wrong with it."""
        self.put({"S": "no address"}, "inet")
        self.fake.tables["t"].items[0]["pk"] = {"BOOL": True}
        self.fx.foreign_table("t", "v inet, pk jsonb", server="fake", scan_policy="allow")
        failure = self.fx.error("SELECT v, pk FROM t")
        self.assertEqual(failure.sqlstate, "HV00M")
        self.assertIn("contains an item without its key", failure.detail)

    def test_domain_not_null(self):
        self.fx.execute("DROP DOMAIN IF EXISTS filled; CREATE DOMAIN filled AS text NOT NULL")
        self.assertEqual(self.failure({"NULL": True}, "filled").sqlstate, "23502")
        elements = {"L": [{"S": "x"}, {"NULL": True}]}
        self.assertEqual(self.failure(elements, "filled[]").sqlstate, "23502")
        self.assertIsNone(self.shown(elements, "filled[]", on_mismatch="null"))
        self.fx.execute("DROP FOREIGN TABLE t")

    def test_not_null_column(self):
        for value in (None, {"NULL": True}):
            with self.subTest(value=value):
                self.put(value, "text", extra="NOT NULL")
                self.assertEqual(self.fx.error("SELECT * FROM t")[:4], (
                    "23502", 'null value in column "v" of foreign table "t" violates not-null constraint',
                    'DynamoDB table "t", item pk = "a".',
                    'If another attribute contains the value, name it in the column option "attribute" or in a template. Otherwise, '
                    "add the attribute to the item, or drop the constraint with ALTER FOREIGN TABLE t ALTER COLUMN v DROP NOT NULL."))
        self.fx.execute('CREATE SCHEMA raw; ALTER FOREIGN TABLE t RENAME TO "T"; ALTER FOREIGN TABLE "T" OPTIONS (ADD table_name \'t\'); '
                        'ALTER FOREIGN TABLE "T" SET SCHEMA raw')
        self.addCleanup(self.fx.execute, "DROP SCHEMA raw CASCADE")
        statement = self.fx.error('SELECT * FROM raw."T"').hint.split(" with ")[1].rstrip(".")
        self.assertEqual(statement, 'ALTER FOREIGN TABLE raw."T" ALTER COLUMN v DROP NOT NULL')
        self.fx.execute(statement)

    def test_u0000_in_text(self):
        for column in ("text", "varchar(9)", "char(9)", "inet"):
            with self.subTest(column=column):
                failure = self.failure({"S": "x\0y"}, column)
                self.assertEqual(failure.sqlstate, "HV004")
                self.assertIn("it contains the character U+0000", failure.message)
                self.assertIn('item pk = "a"', failure.detail)
                self.assertIsNone(self.shown({"S": "x\0y"}, column, on_mismatch="null"))

    def test_u0000_in_jsonb(self):
        for value in ({"S": "x\0y"}, {"L": [{"S": "\0"}]}, {"M": {"x\0": {"N": "1"}}}, {"SS": ["\0"]}):
            for column in ("jsonb", "json"):
                with self.subTest(value=value, column=column):
                    failure = self.failure(value, column)
                    self.assertEqual(failure.sqlstate, "HV004")
                    self.assertIn("U+0000", failure.message)
                    self.assertIn('item pk = "a"', failure.detail)
                    self.assertIsNone(self.shown(value, column, on_mismatch="null"))

    def test_u0000_in_unused_parts(self):
        self.put({"S": "x\0y"}, "text")
        self.fake.tables["t"].items[0]["na\0me"] = {"S": "\0"}
        self.assertEqual(self.fx.rows("SELECT pk FROM t"), [("a",)])


class DeepJson(oneitem.TestCase):
    """Documents as deep as DynamoDB allows, and deeper."""

    @staticmethod
    def nested(depth):
        """A scalar inside that many lists."""
        value = {"N": "1"}
        for _ in range(depth):
            value = {"L": [value]}
        return value

    def test_dynamodbs_depth(self):
        self.assertEqual(self.shown(self.nested(31), "jsonb"), "[" * 31 + "1" + "]" * 31)

    def test_absurd_depth(self):
        for column in ("jsonb", "text"):
            with self.subTest(column=column):
                self.put({"S": "-"}, column)
                deep = b'{"L":[' * 100000 + b']}' * 100000
                self.fake.on("Scan", b'{"Count":1,"ScannedCount":1,"Items":[{"pk":{"S":"a"},"v":' + deep + b'}]}')
                failure = self.fx.error("SELECT * FROM t")
                self.assertEqual((failure.sqlstate, failure.message),
                                 ("HV00M", 'Scan of DynamoDB table "t" failed: could not parse the response'))
                self.assertIn("nested too deeply", failure.detail)

