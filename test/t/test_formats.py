"""The column option "format": what is read, and which rows a WHERE on such a column finds, with which request."""
from decimal import Decimal

import dynamo
import fixture
import oneitem

NO_MATCH = 'it does not match format "{}"'
WRONG_UNIT = "it is not a valid time in the unit of the format"
WRONG_BOOL = "it is neither of the two texts of format \"bool\""


class Reading(oneitem.TestCase):
    """Formats as they are read."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET timezone = 'UTC'")

    def each(self, format_, cases):
        """Each (column type, value, text)."""
        for column, value, text in cases:
            with self.subTest(format=format_, column=column, value=value):
                self.assertEqual(self.shown(value, column, format=format_), text)

    def assert_mismatches(self, format_, column, reason, texts, kind="S"):
        """Each text is an error of that reason, and NULL where on_mismatch is null."""
        for text in texts:
            with self.subTest(format=format_, column=column, text=text):
                self.assert_mismatch({kind: text}, column, reason.format(format_), text, format=format_)

    def test_iso8601(self):
        self.each("iso8601", [
            ("timestamptz", {"S": "2024-02-29"}, "2024-02-29 00:00:00+00"),
            ("timestamptz", {"S": "2024-02-29T23:59"}, "2024-02-29 23:59:00+00"),
            ("timestamptz", {"S": "2024-02-29T23:59:58Z"}, "2024-02-29 23:59:58+00"),
            ("timestamptz", {"S": "2024-02-29t23:59:58z"}, "2024-02-29 23:59:58+00"),
            ("timestamptz", {"S": "2024-02-29 23:59:58.5+00"}, "2024-02-29 23:59:58.5+00"),
            ("timestamptz", {"S": "2024-03-01T01:00:00+05:30"}, "2024-02-29 19:30:00+00"),
            ("timestamptz", {"S": "2024-02-29T19:00:00-0500"}, "2024-03-01 00:00:00+00"),
            ("timestamptz", {"S": "2024-02-29T12:00:00.123456Z"}, "2024-02-29 12:00:00.123456+00"),
            ("timestamptz", {"S": "2024-02-29T12:00:00.123456000Z"}, "2024-02-29 12:00:00.123456+00"),
            ("timestamp", {"S": "2024-02-29T12:00:00+02:00"}, "2024-02-29 10:00:00"),
            ("date", {"S": "2024-02-29"}, "2024-02-29"), ("date", {"S": "2024-02-29T00:00:00Z"}, "2024-02-29")])
        self.assert_mismatches("iso8601", "timestamptz", NO_MATCH, [
            "2024-2-29", "2023-02-29", "2024-02-30T00:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29T12:60:00Z", "2024-02-29T12:00:00.Z",
            "2024-02-29T12:00:00+25:00", "2024-02-29T12:00:00Zulu", "20240229", "0000-01-01", "", "2024-02-29T12:00:00.1234567Z"])
        self.assert_mismatches("iso8601", "date", "it has a time of day", ["2024-02-29T00:00:01Z", "2024-02-29T00:00:00+01:00"])

    def test_iso8601_of_a_width(self):
        self.each("iso8601(0)", [("timestamptz", {"S": "2024-02-29T12:00:00Z"}, "2024-02-29 12:00:00+00"),
                                 ("timestamptz", {"S": "0001-01-01T00:00:00Z"}, "0001-01-01 00:00:00+00")])
        self.each("iso8601(3)", [("timestamptz", {"S": "2024-02-29T12:00:00.120Z"}, "2024-02-29 12:00:00.12+00")])
        self.each("iso8601(6)", [("timestamptz", {"S": "9999-12-31T23:59:59.999999Z"}, "9999-12-31 23:59:59.999999+00"),
                                 ("timestamp", {"S": "1969-12-31T23:59:59.999999Z"}, "1969-12-31 23:59:59.999999")])
        self.assert_mismatches("iso8601(3)", "timestamptz", NO_MATCH, [
            "2024-02-29T12:00:00Z", "2024-02-29T12:00:00.12Z", "2024-02-29T12:00:00.1200Z", "2024-02-29T12:00:00.120+00:00",
            "2024-02-29T12:00:00.120", "2024-02-29 12:00:00.120Z", "2024-02-29T12:00:00.120z", "2024-02-29"])

    def test_iso8601_with_a_suffix(self):
        self.each("iso8601(0, UTC)", [("timestamptz", {"S": "2024-02-29T12:00:00 UTC"}, "2024-02-29 12:00:00+00")])
        self.each("iso8601(0,)", [("timestamp", {"S": "2024-02-29T12:00:00"}, "2024-02-29 12:00:00")])
        self.assert_mismatches("iso8601(0,)", "timestamp", NO_MATCH, ["2024-02-29T12:00:00Z"])

    def test_a_suffix_that_could_continue_the_time(self):
        """The time ends where the suffix begins, which is the last one: "12:00:00." and a fraction are distinguished."""
        for suffix in (".", ":", "..", ".Z", "-", "+", "T", '"', "\\", "\u00e9", "\u20ac"):
            for digits, time in ((0, "12:00:00"), (3, "12:00:00.120")):
                with self.subTest(suffix=suffix, digits=digits):
                    format_ = f"iso8601({digits},{suffix})"
                    self.each(format_, [("timestamp", {"S": f"2024-02-29T{time}{suffix}"}, "2024-02-29 12:00:00" + (".12" if digits else ""))])
                    for other in ("", suffix + suffix, ".120" + suffix):
                        text = f"2024-02-29T{time}{other}"
                        self.assertIn(NO_MATCH.format(format_), self.failure({"S": text}, "timestamp", format=format_).message)
        self.assert_mismatches("iso8601(0,.)", "timestamp", NO_MATCH, ["", ".", "2024-02-29.", "2024-02-29T12:00.", "2024-02-29T12:00:00.5"])

    def test_representations_escaped_in_the_response(self):
        """A response may write any character as \\u and its number."""
        for format_, column, text, shown in (("bool(\u00e9,N)", "boolean", "\\u00e9", "true"),
                                             ("iso8601(0,\u00e9)", "timestamp", "2024-02-29\\u005412:00:00\\u00e9", "2024-02-29 12:00:00"),
                                             ("iso8601", "timestamp", "2024-02-29\\u005412:00:00Z", "2024-02-29 12:00:00")):
            with self.subTest(format=format_):
                self.put({"S": "-"}, column, format=format_)
                self.fake.on("Scan", f'{{"Count":1,"ScannedCount":1,"Items":[{{"pk":{{"S":"a"}},"v":{{"S":"{text}"}}}}]}}'.encode())
                self.assertEqual(self.fx.value("SELECT v::text FROM t"), shown)

    def test_epochs(self):
        self.each("epoch", [("timestamptz", {"N": "1709208000"}, "2024-02-29 12:00:00+00"), ("timestamptz", {"N": "0"}, "1970-01-01 00:00:00+00"),
                            ("timestamptz", {"N": "-1.5"}, "1969-12-31 23:59:58.5+00"),
                            ("timestamptz", {"N": "1709208000.123456"}, "2024-02-29 12:00:00.123456+00"),
                            ("date", {"N": "86400"}, "1970-01-02"), ("date", {"N": "-86400"}, "1969-12-31"), ("timestamp", {"N": "1E3"}, "1970-01-01 00:16:40")])
        self.each("epoch_ms", [("timestamptz", {"N": "1709208000123"}, "2024-02-29 12:00:00.123+00"), ("timestamptz", {"N": "-0.001"}, "1969-12-31 23:59:59.999999+00")])
        self.each("epoch_us", [("timestamptz", {"N": "1709208000123456"}, "2024-02-29 12:00:00.123456+00")])
        self.each("epoch_days", [("date", {"N": "19782"}, "2024-02-29"), ("date", {"N": "-1"}, "1969-12-31")])
        for unit, numbers in (("epoch", ["9" * 30, "-" + "9" * 30]), ("epoch_ms", ["0.0001"]), ("epoch_us", ["0.5"])):
            self.assert_mismatches(unit, "timestamptz", WRONG_UNIT, numbers, "N")
        self.assert_mismatches("epoch_days", "date", WRONG_UNIT, ["0.5", "1" + "0" * 20], "N")
        self.assert_mismatches("epoch", "timestamptz", "it has more fractional digits than its format; epoch(9) allows nine", ["0.0000001"], "N")
        self.assert_mismatches("epoch", "date", "it has a time of day", ["1"], "N")

    def test_the_other_type_is_a_mismatch(self):
        for format_, column, value, kind in (("epoch", "timestamptz", {"S": "0"}, "S"), ("iso8601", "timestamptz", {"N": "0"}, "N"),
                                             ("iso8601(3)", "timestamptz", {"N": "0"}, "N"), ("string", "integer", {"N": "1"}, "N"),
                                             ("bool(Y,N)", "boolean", {"BOOL": True}, "BOOL"), ("bool(1,0)", "boolean", {"S": "1"}, "S")):
            with self.subTest(format=format_):
                failure = self.failure(value, column, format=format_)
                self.assertEqual(failure.sqlstate, "HV004")
                self.assertIn(f"it has DynamoDB type {kind}, which format \"{format_}\" does not accept", failure.message)

    def test_string(self):
        self.each("string", [("integer", {"S": "7"}, "7"), ("integer", {"S": "  0007 "}, "7"), ("integer", {"S": "+7"}, "7"),
                             ("bigint", {"S": "-9223372036854775808"}, "-9223372036854775808"), ("smallint", {"S": "1e3"}, "1000"),
                             ("numeric", {"S": "12345678901234567890.5"}, "12345678901234567890.5"), ("numeric", {"S": "00.50"}, "0.50"),
                             ("numeric", {"S": "-.5"}, "-0.5"), ("numeric", {"S": "5."}, "5"),
                             ("double precision", {"S": "2.5e-3"}, "0.0025"), ("real", {"S": "1"}, "1"),
                             ("uuid", {"S": "0123ABCD456789EF0123456789ABCDEF"}, "0123abcd-4567-89ef-0123-456789abcdef"),
                             ("uuid", {"S": "0123abcd-4567-89EF-0123-456789abcdef"}, "0123abcd-4567-89ef-0123-456789abcdef"),
                             ("uuid", {"S": "{0123abcd-4567-89ef-0123-456789abcdef}"}, "0123abcd-4567-89ef-0123-456789abcdef")])
        for text in ("seven", "", "1 2", "1_000", "-"):
            self.assert_mismatches("string", "integer", "it is not a valid DynamoDB number", [text])
        for column, texts in (("numeric", ["seven", "", "1 2", ".", "-.", "1.2.3", "-"]), ("double precision", ["seven", "1.2.3"]), ("uuid", ["x", "{0123}"])):
            self.assert_mismatches("string", column, f"it is not a valid text of type {column}", texts)
        self.assert_mismatches("string", "integer", "it is not an integer", ["7.5"])
        self.assert_mismatches("string", "smallint", "it is out of range for type smallint", ["99999"])

    def test_string_beyond_numbers(self):
        """A string has none of the limits of DynamoDB's numbers."""
        uint256 = str(2 ** 256 - 1)
        self.each("string", [("numeric", {"S": uint256}, uint256), ("numeric(78,0)", {"S": uint256}, uint256), ("numeric(80,1)", {"S": uint256}, uint256 + ".0"),
                             ("numeric(80)", {"S": uint256 + ".000"}, uint256), ("numeric", {"S": "1e-140"}, "0." + "0" * 139 + "1"),
                             ("numeric", {"S": "NaN"}, "NaN"), ("numeric(2,0)", {"S": "NaN"}, "NaN"), ("numeric", {"S": "-Infinity"}, "-Infinity"),
                             ("double precision", {"S": "1e200"}, "1e+200"), ("double precision", {"S": "nan"}, "NaN"), ("real", {"S": "-Infinity"}, "-Infinity")])
        self.assert_mismatches("string", "numeric(77,0)", "numeric(77,0) cannot represent it without rounding", ["Infinity", "1e77", "1" * 39 + ".5"])
        self.assert_mismatches("string", "numeric", "it is not a valid text of type numeric", ["1e200000"])
        self.assert_mismatches("string", "real", "it is not a valid text of type real", ["1e200", "1e-200"])

    def test_bool(self):
        self.each("bool(Y,N)", [("boolean", {"S": "Y"}, "true"), ("boolean", {"S": "N"}, "false")])
        self.each("bool(1,0)", [("boolean", {"N": "1"}, "true"), ("boolean", {"N": "0"}, "false")])
        self.each("bool(é,ü)", [("boolean", {"S": "é"}, "true"), ("boolean", {"S": "ü"}, "false")])
        self.each("bool(1.0,-1)", [("boolean", {"N": "1"}, "true"), ("boolean", {"N": "-1"}, "false")])
        self.assert_mismatches("bool(Y,N)", "boolean", WRONG_BOOL, ["y", "", "YN"])
        self.assert_mismatches("bool(1,0)", "boolean", WRONG_BOOL, ["2"], "N")

    def test_bool_with_an_end_of_text_within(self):
        """U+0000 does not end a representation: DynamoDB does not find the item as Y either."""
        for text in ("Y\0", "Y\0Y", "\0"):
            self.assertIn(WRONG_BOOL, self.failure({"S": text}, "boolean", format="bool(Y,N)").message)
            self.assertIsNone(self.shown({"S": text}, "boolean", format="bool(Y,N)", on_mismatch="null"))


# Instants in the order of time, at the borders where representations and rounding could go wrong.
INSTANTS = ["1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "1999-12-31T23:59:59.001Z", "2000-01-01T00:00:00.000Z",
            "2024-02-28T23:59:59.999Z", "2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.500Z", "2024-02-29T12:00:00.000Z",
            "2024-03-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]

# The same two instants each in several representations, some with another day in front.
LENIENT = ["2024-02-29T00:30:00Z", "2024-02-28T23:30:00-01:00", "2024-02-29T14:30:00+14:00", "2024-02-29T00:30", "2024-02-29 00:30:00.000000000Z",
           "2024-02-29T12:00:00Z", "2024-03-01T02:00:00+14:00", "2024-02-28T22:00:00-14:00", "2024-02-29", "2024-02-28", "2024-03-01"]

OPERATORS = ("=", "<", "<=", ">", ">=", "<>")


class Finding(fixture.TestCase):
    """WHERE on formatted columns finds what a local table with the same rows would, whatever is pushed down."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET timezone = 'UTC'")

    def setUp(self):
        self.fx.create_table("f", ("id", "N"))

    def load(self, values, column, format_=None):
        """A table of (id, v) as foreign table f and as an ordinary table l."""
        self.fx.put("f", [{"id": number, "v": value} for number, value in enumerate(values)])
        option = fixture.options_clause({"format": format_}) if format_ else ""
        self.fx.foreign_table("f", f"id integer, v {column} {option}", scan_policy="allow")
        self.fx.execute("DROP TABLE IF EXISTS l; CREATE TABLE l AS SELECT * FROM f")

    def check(self, constants, pushed, ranges_pushed):
        """Every operator with every constant; is a filter sent for = and for ranges?"""
        nonempty = 0
        for constant in constants:
            for operator in OPERATORS:
                with self.subTest(where=f"v {operator} {constant}"):
                    sql = f"SELECT id, v::text FROM %s WHERE v {operator} {constant} ORDER BY id"
                    expected = self.fx.rows(sql % "l")
                    self.assertEqual(self.fx.rows(sql % "f"), expected)
                    nonempty += bool(expected)
                    requests = self.fx.requests(sql % "f")
                    wanted = pushed if operator == "=" else ranges_pushed if operator != "<>" else None
                    if wanted is not None and requests:
                        self.assertEqual("FilterExpression" in requests[0].body, wanted, requests[0].body)
        self.assertGreater(nonempty, len(constants))    # half-empty tests show nothing

    def between(self, pairs):
        """BETWEEN and IN over pairs of constants."""
        for low, high in pairs:
            for condition in (f"v BETWEEN {low} AND {high}", f"v IN ({low}, {high})", f"v > {low} AND v < {high}"):
                with self.subTest(where=condition):
                    sql = f"SELECT id FROM %s WHERE {condition} ORDER BY id"
                    self.assertEqual(self.fx.rows(sql % "f"), self.fx.rows(sql % "l"))

    def instants(self, more=()):
        """INSTANTS and some in between, as constants."""
        return [f"'{text}'::timestamptz" for text in INSTANTS] + list(more)

    def test_iso8601_of_a_width(self):
        self.load(INSTANTS, "timestamptz", "iso8601(3)")
        odd = ["'2024-02-29 00:00:00.0005+00'::timestamptz", "'2024-02-28 23:59:59.9999+00'::timestamptz", "'1969-12-31 23:59:59.9995+00'::timestamptz"]
        self.check(self.instants(), pushed=True, ranges_pushed=True)
        self.check(odd + ["'infinity'::timestamptz", "'-infinity'::timestamptz", "'12000-01-01'::timestamptz", "'0044-03-15 BC'::timestamptz"],
                   pushed=None, ranges_pushed=None)
        self.between(zip(odd, self.instants()[5:]))

    def test_iso8601_with_a_suffix(self):
        for suffix in (".", ":", '"', "\u00e9"):
            with self.subTest(suffix=suffix):
                self.fx.create_table("f", ("id", "N"))
                self.load([text.replace("Z", suffix) for text in INSTANTS], "timestamptz", f"iso8601(3,{suffix})")
                self.check(self.instants(), pushed=True, ranges_pushed=True)

    def test_a_finer_instant_than_the_format_needs_no_request(self):
        self.load(INSTANTS, "timestamptz", "iso8601(3)")
        self.assertEqual(self.fx.requests("SELECT id FROM f WHERE v = '2024-02-29 00:00:00.0005+00'"), [])
        self.assertEqual(self.fx.requests("SELECT id FROM f WHERE v = 'infinity'"), [])

    def test_iso8601_of_a_width_sends_its_representation(self):
        self.load(INSTANTS, "timestamptz", "iso8601(3)")
        [request] = self.fx.requests("SELECT id FROM f WHERE v >= '2024-02-29 00:00:00.0005+00'")
        self.assertIn({"S": "2024-02-29T00:00:00.001Z"}, request.body["ExpressionAttributeValues"].values())

    def test_iso8601_lenient(self):
        self.load(LENIENT, "timestamptz", "iso8601")
        constants = ["'2024-02-29T00:30:00Z'::timestamptz", "'2024-02-29T12:00:00Z'::timestamptz", "'2024-02-28'::timestamptz", "'2024-03-01'::timestamptz"]
        self.check(constants, pushed=True, ranges_pushed=True)
        self.between([(constants[0], constants[1]), (constants[2], constants[0]), (constants[1], constants[0])])

    def test_timestamptz_without_a_format_is_lenient(self):
        self.load(LENIENT, "timestamptz")
        self.check(["'2024-02-29T00:30:00Z'::timestamptz", "'2024-02-29T12:00:00Z'::timestamptz"], pushed=True, ranges_pushed=True)

    def test_date(self):
        days = ["0001-01-01", "1969-12-31", "1970-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "9999-12-31"]
        self.load(days, "date")
        self.check([f"'{day}'::date" for day in days], pushed=True, ranges_pushed=True)
        self.check(["'infinity'::date", "'-infinity'::date", "'0044-03-15 BC'::date", "'12000-01-01'::date"], pushed=None, ranges_pushed=None)

    def test_epochs(self):
        seconds = [-1, 0, 1, "0.5", 1709164799, 1709164800, "1709164800.000001", 1709208000]
        constants = ["to_timestamp(0)", "to_timestamp(0.5)", "'2024-02-29'::timestamptz", "'2024-02-29 00:00:00.000001+00'::timestamptz",
                     "'1969-12-31 23:59:59+00'::timestamptz"]
        for format_, factor in (("epoch", 1), ("epoch_ms", 1000), ("epoch_us", 1000000)):
            with self.subTest(format=format_):
                self.fx.create_table("f", ("id", "N"))
                self.load([Decimal(second) * factor for second in seconds], "timestamptz", format_)
                self.check(constants, pushed=True, ranges_pushed=True)
                self.check(["'infinity'::timestamptz", "'-infinity'::timestamptz"], pushed=None, ranges_pushed=None)

    def test_epoch_days(self):
        self.load([-1, 0, 19782, 19783], "date", "epoch_days")
        self.check(["'1969-12-31'::date", "'1970-01-01'::date", "'2024-02-29'::date"], pushed=True, ranges_pushed=True)

    def test_epoch_of_a_date(self):
        self.load([-86400, 0, 1709164800], "date", "epoch")
        self.check(["'1969-12-31'::date", "'1970-01-01'::date", "'2024-02-29'::date"], pushed=True, ranges_pushed=True)

    def test_bool(self):
        for format_, values in (("bool(Y,N)", ["Y", "N", "Y", None]), ("bool(1,0)", [1, 0, 0, None]), (None, [True, "t", "Y", 1, "true", False, "f", "N", 0, None])):
            with self.subTest(format=format_):
                self.fx.create_table("f", ("id", "N"))
                self.load(values, "boolean", format_)
                for condition in ("v", "NOT v", "v = true", "v = false", "v IS TRUE", "v IS NOT TRUE", "v IS FALSE", "v IS NULL", "v IS NOT NULL", "v <> true"):
                    with self.subTest(where=condition):
                        sql = f"SELECT id FROM %s WHERE {condition} ORDER BY id"
                        self.assertEqual(self.fx.rows(sql % "f"), self.fx.rows(sql % "l"))

    def test_bool_is_pushed(self):
        self.load(["Y", "N"], "boolean", "bool(Y,N)")
        [request] = self.fx.requests("SELECT id FROM f WHERE v")
        self.assertIn({"S": "Y"}, request.body["ExpressionAttributeValues"].values())

    def test_string(self):
        """Text order is not number order, and one number has many representations: nothing is pushed."""
        self.load(["7", "007", " 7", "10", "-3", "9"], "integer", "string")
        self.check(["7", "10", "-3", "8"], pushed=False, ranges_pushed=False)

    def test_string_uuid(self):
        self.load(["0123ABCD456789EF0123456789ABCDEF", "0123abcd-4567-89ef-0123-456789abcdef"], "uuid", "string")
        self.check(["'0123abcd-4567-89ef-0123-456789abcdef'"], pushed=False, ranges_pushed=False)

    def test_uuid(self):
        values = ["0123abcd-4567-89ef-0123-456789abcdef", "ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-0000-000000000000"]
        self.load(values, "uuid")
        self.check([f"'{value}'::uuid" for value in values], pushed=True, ranges_pushed=True)
        self.assertEqual(self.fx.rows("SELECT id FROM f WHERE v::text = '0123abcd-4567-89ef-0123-456789abcdef'"), [(0,)])

    def test_formatted_keys(self):
        """A canonical format makes a key: the sort key is bound in the request."""
        self.fx.create_table("k", ("id", "S"), ("at", "S"))
        self.fx.put("k", [{"id": "a", "at": text} for text in INSTANTS])
        self.fx.foreign_table("k", "id text, at timestamptz OPTIONS (format 'iso8601(3)')")
        sql = "SELECT count(*) FROM k WHERE id = 'a' AND at >= '2024-02-29' AND at < '2024-03-01'"
        [request] = self.fx.requests(sql)
        self.assertIn("BETWEEN", request.body["KeyConditionExpression"])
        self.assertEqual(self.fx.value(sql), 3)
        [request] = self.fx.requests("SELECT * FROM k WHERE id = 'a' AND at = '2024-02-29'")
        self.assertEqual((request.operation, request.body["Key"]["at"]), ("GetItem", {"S": "2024-02-29T00:00:00.000Z"}))

    def test_formatted_number_keys(self):
        self.fx.create_table("n", ("id", "S"), ("at", "N"), [dynamo.index("by_at", ("at", "N"))])
        self.fx.put("n", [{"id": "a", "at": number} for number in (0, 1, 2, 1709164800)])
        self.fx.foreign_table("n", "id text, at timestamptz OPTIONS (format 'epoch')")
        [request] = self.fx.requests("SELECT * FROM n WHERE id = 'a' AND at = '2024-02-29'")
        self.assertEqual((request.operation, request.body["Key"]["at"]), ("GetItem", {"N": "1709164800"}))
        rows = self.fx.rows("SELECT extract(epoch FROM at)::integer FROM n WHERE id = 'a' AND at > to_timestamp(0) ORDER BY at")
        self.assertEqual(rows, [(1,), (2,), (1709164800,)])
