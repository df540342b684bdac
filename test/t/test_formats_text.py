"""The formats padded(n), base64 and json: numbers, bytes and documents in S."""
import base64
import json

from dynamo import index
import formats
import oneitem
from formats import OPERATORS

WIDTH = "it does not have exactly {} digits"
BASE64 = "it is not valid base64"
JSON = "it is not JSON text that jsonb can represent: "


class Reading(oneitem.TestCase):
    """What a value is shown as, and which ones are mismatches."""

    def mismatch(self, format_, column, reason, *texts):
        """Each text is an error of that reason, and NULL where on_mismatch is null."""
        for text in texts:
            with self.subTest(format=format_, column=column, text=text):
                self.assert_mismatch({"S": text}, column, reason, json.dumps(text, ensure_ascii=False)[1:-1], format=format_)

    def test_padded(self):
        for format_, column, text, shown in (
                ("padded(3)", "integer", "007", "7"), ("padded(3)", "integer", "000", "0"), ("padded(1)", "smallint", "9", "9"),
                ("padded(19)", "bigint", "9223372036854775807", "9223372036854775807"), ("padded(38)", "integer", "0" * 35 + "123", "123"),
                ("padded(3)", "numeric", "010", "10"), ("padded(3)", "numeric(6,2)", "010", "10.00"), ("padded(38)", "numeric", "9" * 38, "9" * 38),
                ("padded(20)", "numeric", "0" * 20, "0"), ("padded(4)", "numeric(3,-2)", "1200", "1200")):
            with self.subTest(format=format_, column=column, text=text):
                self.assertEqual(self.shown({"S": text}, column, format=format_), shown)

    def test_padded_mismatches(self):
        for column in ("integer", "numeric"):
            self.mismatch("padded(3)", column, WIDTH.format(3), "7", "07", "0007", " 07", "07 ", "+07", "-07", "1e2", "1.0", "0x1", "", "\u0661\u0662\u0663")
        self.mismatch("padded(5)", "smallint", "it is out of range for type smallint", "32768")
        self.mismatch("padded(38)", "bigint", "it is out of range for type bigint", "9" * 38)
        self.mismatch("padded(5)", "numeric(6,2)", "numeric(6,2) cannot represent it without rounding", "12345")
        self.mismatch("padded(4)", "numeric(3,-2)", "numeric(3,-2) cannot represent it without rounding", "1201")

    def test_base64(self):
        for data in (b"", b"\x00", b"\x00\x01", b"\xfb\xff\xfe", b"\xff" * 5, bytes(range(256))):
            self.assertEqual(self.shown({"S": base64.b64encode(data).decode()}, "bytea", format="base64"), "\\x" + data.hex())

    def test_base64_mismatches(self):
        """Other alphabets, no padding, line breaks, and bits after the last byte."""
        self.mismatch("base64", "bytea", BASE64, "A", "AA", "AAA", "AAAAA", "_-8=", "AA =", "AAAA\n", "A===", "====", "AA=A", "AB==", "AAB=", "AAAAAB==", "é===")

    def test_json(self):
        for text, shown in (('{"a": [1, 2.50, "x\\u00e9"], "a": 1}', '{"a": 1}'), ("1e2", "100"), ('"x"', '"x"'), ("null", "null"), (" [ ] ", "[]"),
                            ("12345678901234567890123456789012345678901234567890", "12345678901234567890123456789012345678901234567890"),
                            ('"\\ud83d\\ude00"', '"😀"')):
            with self.subTest(text=text):
                self.assertEqual(self.shown({"S": text}, "jsonb", format="json"), shown)

    def test_json_mismatches(self):
        for text, reason in (("", "invalid input syntax for type json"), ("{", "invalid input syntax for type json"), ("{'a': 1}", "invalid input syntax for type json"),
                             ("01", "invalid input syntax for type json"), ("1 2", "invalid input syntax for type json"), ("NaN", "invalid input syntax for type json"),
                             ('"\\ud800"', "invalid input syntax for type json"), ('"\\udc00x"', "invalid input syntax for type json"),
                             ('"\\u0000"', "unsupported Unicode escape sequence"), ("1e999999", "value overflows numeric format")):
            self.mismatch("json", "jsonb", JSON + reason, text)
        self.assertIn("U+0000", self.failure({"S": "\0"}, "jsonb", format="json").message)

    def test_a_json_mismatch_leaves_the_session_alone(self):
        """Inside of a transaction, a function's handler of errors, and next to good rows."""
        self.put({"S": "{"}, "jsonb", format="json")
        self.fx.execute("CREATE OR REPLACE FUNCTION tried() RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM v FROM t; RETURN 'read';"
                        " EXCEPTION WHEN fdw_invalid_data_type THEN RETURN 'refused'; END$$")
        self.assertEqual(self.fx.rows("SELECT tried() FROM generate_series(1, 3)"), [("refused",)] * 3)

    def test_null(self):
        """A NULL, an absent attribute, and JSON's null, which is not SQL's."""
        for column, format_ in (("integer", "padded(3)"), ("bytea", "base64"), ("jsonb", "json")):
            for value in (None, {"NULL": True}):
                self.assertIsNone(self.shown(value, column, format=format_))
        self.assertEqual(self.shown({"S": "null"}, "jsonb", "SELECT v IS NULL FROM t", format="json"), False)

    def test_other_types(self):
        for column, format_, value, kind in (("integer", "padded(3)", {"N": "7"}, "N"), ("bytea", "base64", {"B": "AA=="}, "B"),
                                             ("jsonb", "json", {"M": {}}, "M"), ("jsonb", "json", {"N": "1"}, "N")):
            self.assertIn(f"it has DynamoDB type {kind}", self.failure(value, column, format=format_).message)
            self.assertIsNone(self.shown(value, column, format=format_, on_mismatch="null"))

    def test_escaped_in_the_response(self):
        """A response may write any character as \\u and its number, and a slash as \\/."""
        for format_, column, text, shown in (("padded(3)", "integer", "\\u0030\\u00312", "12"), ("padded(3)", "numeric", "0\\u00312", "12"),
                                             ("padded(2)", "integer", "\\u0030", None), ("base64", "bytea", "\\/\\u002b8=", "\\xffef"),
                                             ("string", "integer", "\\u0030\\u00312", "12"), ("json", "jsonb", "{\\u0022a\\\": 1}", '{"a": 1}'),
                                             (None, "uuid", "\\u0030123abcd-4567-89ef-0123-456789abcdef", "0123abcd-4567-89ef-0123-456789abcdef"),
                                             (None, "boolean", "\\u0059", "true"), (None, "date", "\\u0032024-02-29", "2024-02-29")):
            with self.subTest(format=format_, text=text):
                self.put({"S": "-"}, column, on_mismatch="null", **({"format": format_} if format_ else {}))
                self.fake.on("Scan", f'{{"Count":1,"ScannedCount":1,"Items":[{{"pk":{{"S":"a"}},"v":{{"S":"{text}"}}}}]}}'.encode())
                self.assertEqual(self.fx.value("SELECT v::text FROM t"), shown)


NUMBERS = [0, 1, 2, 7, 9, 10, 11, 99, 100, 500, 998, 999]
BOUNDS = ["-1", "0", "1", "1.0", "1.5", "0.5", "-0.5", "9", "10", "998.5", "999", "999.0", "999.5", "1000", "99999", "1e40", "-1e40", "1e-40", "'NaN'", "'Infinity'", "'-Infinity'"]


class Padded(formats.Twins):
    """Integers that sort as texts."""

    def load_numbers(self, kind="integer", **options):
        """The numbers as sort keys, as plain values and in an index, next to NULLs."""
        escaped = {"format": "padded(3)"}
        columns = [("pk", "text", None), ("sk", kind, escaped), ("v", kind, escaped), ("ix", kind, escaped)]
        rows = [("p", n, n, n) for n in NUMBERS] + [("q", n, None, None) for n in (1, 5)]
        items = [{"pk": {"S": pk}, "sk": {"S": f"{sk:03}"}, **({} if v is None else {"v": {"S": f"{v:03}"}, "ix": {"S": f"{v:03}"}})} for pk, sk, v, _ in rows]
        self.load(columns, rows, items, (("pk", "S"), ("sk", "S")), [index("by_ix", ("ix", "S"), ("sk", "S"))], **options)

    def test_every_operator_and_bound(self):
        for kind in ("integer", "numeric(6,2)"):
            self.load_numbers(kind)
            for bound in BOUNDS:
                for operator in OPERATORS:
                    self.same(f"SELECT sk, v FROM t WHERE v {operator} {bound}::numeric", f"SELECT sk FROM t WHERE pk = 'p' AND sk {operator} {bound}::numeric")
                self.same(f"SELECT sk FROM t WHERE v IN ({bound}::numeric, 7)", f"SELECT sk FROM t WHERE pk = 'p' AND sk IN ({bound}::numeric, 7)",
                          f"SELECT sk FROM t WHERE pk = 'p' AND sk BETWEEN {bound}::numeric AND 500", f"SELECT sk FROM t WHERE v NOT IN ({bound}::numeric, 7)",
                          f"SELECT sk FROM t WHERE pk = 'p' AND sk > 5 AND sk < {bound}::numeric", f"SELECT sk FROM t WHERE ix = {bound}::numeric")
            self.same("SELECT sk FROM t WHERE v IS NULL", "SELECT sk FROM t WHERE v IS NOT NULL", "SELECT count(*) FROM t WHERE v IS NULL",
                      "SELECT max(sk), min(sk) FROM t WHERE pk = 'p'", "SELECT v, count(*) FROM t GROUP BY v")

    def test_requests(self):
        self.load_numbers("numeric")
        for condition, key in (
                ("sk = 7", {"pk": {"S": "p"}, "sk": {"S": "007"}}), ("sk = 7.0", {"pk": {"S": "p"}, "sk": {"S": "007"}}), ("sk = 7.5", None),
                ("sk = -1", None), ("sk = 1000", None), ("sk = 'NaN'", None), ("sk >= 1000", None), ("sk > 999", None),
                ("sk > 999.5", None), ("sk < 0", None), ("sk < -0.5", None), ("sk <= -1", None), ("sk > 'Infinity'", None),
                ("sk >= 7", "pk = p AND sk >= 007"), ("sk > 7.5", "pk = p AND sk > 007"),
                ("sk >= 7.5", "pk = p AND sk > 007"), ("sk < 7.5", "pk = p AND sk <= 007"),
                ("sk < 1000", "pk = p"), ("sk >= 0", "pk = p AND sk >= 000"), ("sk > -1", "pk = p")):
            with self.subTest(condition=condition):
                self.assertEqual(self.key(f"SELECT * FROM f WHERE pk = 'p' AND {condition}"), key)

    def test_order(self):
        """Sorted by the key, forward and backward, without a sort."""
        self.load_numbers()
        for sql in ("SELECT sk FROM t WHERE pk = 'p' ORDER BY sk", "SELECT sk FROM t WHERE pk = 'p' ORDER BY sk DESC LIMIT 4",
                    "SELECT sk FROM t WHERE pk IN ('p', 'q') ORDER BY sk", "SELECT sk FROM t WHERE pk = 'p' AND sk > 9 ORDER BY sk"):
            self.same(sql, ordered=True)
            self.assertNotIn("Sort", self.fx.explain(sql.replace("FROM t", "FROM f")))

    def test_prepared(self):
        self.load_numbers("numeric")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for table in "fl":
            self.fx.execute(f"PREPARE {table}_p (numeric, numeric) AS SELECT sk FROM {table} WHERE pk = 'p' AND sk > $1 AND sk <= $2;"
                            f"PREPARE {table}_e (numeric) AS SELECT sk FROM {table} WHERE pk = 'p' AND sk = $1")
        for bound in BOUNDS:
            for sql in (f"EXECUTE %s_p ({bound}, 500)", f"EXECUTE %s_p (5, {bound})", f"EXECUTE %s_e ({bound})"):
                with self.subTest(sql=sql):
                    self.assertEqual(sorted(self.fx.rows(sql % "f")), sorted(self.fx.rows(sql % "l")))
        self.fx.execute("RESET plan_cache_mode; DEALLOCATE ALL")

    def test_joins(self):
        """Keys bound by other tables' rows: of a type of their own."""
        self.load_numbers()
        self.fx.execute("CREATE TEMP TABLE o (n numeric); INSERT INTO o VALUES (7), (7.5), (-1), (999), (1000), (NULL), (10.00)")
        self.fx.execute("ANALYZE o")
        self.same("SELECT o.n, t.sk FROM t JOIN o ON t.pk = 'p' AND t.sk = o.n", "SELECT o.n, t.sk FROM t JOIN o ON t.ix = o.n",
                  "SELECT o.n, (SELECT count(*) FROM t WHERE pk = 'p' AND sk >= o.n) FROM o")
        requests = self.fx.requests("SELECT o.n, f.sk FROM o JOIN f ON f.pk = 'p' AND f.sk = o.n")
        self.assertEqual(sorted(key["sk"]["S"] for request in requests for table in request.body["RequestItems"].values() for key in table["Keys"]),
                         ["007", "010", "999"])

    def test_a_hash_key(self):
        self.load([("id", "bigint", {"format": "padded(12)"}), ("v", "integer", None)], [(n, n) for n in NUMBERS],
                  [{"id": {"S": f"{n:012}"}, "v": {"N": str(n)}} for n in NUMBERS], (("id", "S"),))
        self.same("SELECT * FROM t WHERE id = 7", "SELECT * FROM t WHERE id IN (7, 9, -1, 2147483648)", "SELECT * FROM t WHERE id > 9")
        self.assertEqual(self.key("SELECT * FROM f WHERE id = 99"), {"id": {"S": "000000000099"}})

    def test_mismatches_count_as_null(self):
        escaped = {"format": "padded(3)"}
        texts = {"007": 7, "7": None, "070": 70, "0700": None, "x": None, "999": 999}
        self.load([("pk", "text", None), ("sk", "integer", escaped), ("v", "integer", escaped)], [("p", n, n) for n in texts.values()],
                  [{"pk": {"S": "p"}, "sk": {"S": text}, "v": {"S": text}} for text in texts], (("pk", "S"), ("sk", "S")), on_mismatch="null")
        for column in ("sk", "v"):
            for operator in OPERATORS:
                for bound in BOUNDS:
                    self.same(f"SELECT sk FROM t WHERE pk = 'p' AND {column} {operator} {bound}::numeric")
            self.same(f"SELECT count(*) FROM t WHERE {column} IS NULL", f"SELECT sk FROM t WHERE {column} IS NOT NULL")
        self.same("SELECT sk FROM t WHERE pk = 'p' ORDER BY sk", "SELECT sk FROM t WHERE pk = 'p' ORDER BY sk DESC NULLS LAST", ordered=True)

    def test_between_columns(self):
        """Texts of different widths, or of another format, are not compared by DynamoDB."""
        self.load([("pk", "text", None), ("sk", "integer", None), ("a", "integer", {"format": "padded(2)"}), ("b", "integer", {"format": "padded(3)"}),
                   ("c", "integer", None)], [("p", n, 9, n, n) for n in NUMBERS],
                  [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "a": {"S": "09"}, "b": {"S": f"{n:03}"}, "c": {"N": str(n)}} for n in NUMBERS])
        for operator in OPERATORS:
            self.same(f"SELECT sk FROM t WHERE a {operator} b", f"SELECT sk FROM t WHERE b {operator} c", f"SELECT sk FROM t WHERE c {operator} a")


class Base64(formats.Twins):
    """Bytes in S: equal texts are equal bytes, and their order is none."""

    DATA = [b"\x00", b"\x01", b"\x00\x00", b"\xfb", b"\xff\xff", b"\xfb\xef\xbe", b"abc", b"abcd", b"Z", b"z"]

    def load_data(self, **options):
        """The bytes as sort keys and as plain values."""
        columns = [("pk", "text", None), ("sk", "bytea", {"format": "base64"}), ("v", "bytea", {"format": "base64"})]
        rows = [("p", data, data) for data in self.DATA] + [("q", b"\x00", None), ("q", b"\x01", b"")]
        items = [{"pk": {"S": pk}, "sk": {"S": base64.b64encode(sk).decode()}, **({} if v is None else {"v": {"S": base64.b64encode(v).decode()}})} for pk, sk, v in rows]
        self.load(columns, rows, items, (("pk", "S"), ("sk", "S")), **options)

    def test_every_operator(self):
        self.load_data()
        for data in self.DATA + [b"", b"\xff" * 800, b"\xff" * 400000]:
            for operator in OPERATORS:
                self.same(f"SELECT pk, sk, v FROM t WHERE v {operator} '\\x{data.hex()}'", f"SELECT sk FROM t WHERE pk = 'p' AND sk {operator} '\\x{data.hex()}'")
            self.same(f"SELECT pk, sk FROM t WHERE v IN ('\\x{data.hex()}', 'abc', '\\x00')", f"SELECT sk FROM t WHERE pk = 'p' AND sk IN ('\\x{data.hex()}', 'abc')")
        self.same("SELECT pk, sk FROM t WHERE v IS NULL", "SELECT pk, sk FROM t WHERE v IS NOT NULL")
        self.same("SELECT sk FROM t WHERE pk = 'p' ORDER BY sk", "SELECT sk FROM t WHERE pk = 'p' ORDER BY sk DESC LIMIT 3", "SELECT v FROM t WHERE pk = 'p' ORDER BY v",
                  ordered=True)

    def test_requests(self):
        self.load_data()
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND sk = '\\xfbefbe'"), {"pk": {"S": "p"}, "sk": {"S": "++++"}})
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND sk = ''"), None)
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND sk = repeat('x', 800)::bytea"), None)
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND sk > '\\x01'"), "pk = p")
        [request] = self.fx.requests("SELECT * FROM f WHERE v = '\\xfb'")
        self.assertIn({"S": "+w=="}, request.body["ExpressionAttributeValues"].values())

    def test_joins(self):
        self.load_data()
        self.fx.execute("CREATE TEMP TABLE o (b bytea); INSERT INTO o VALUES ('abc'), ('\\xfb'), (''), (NULL), ('none'); ANALYZE o")
        self.same("SELECT o.b, t.sk FROM t JOIN o ON t.pk = 'p' AND t.sk = o.b", "SELECT o.b, t.sk FROM t JOIN o ON t.v = o.b")
        requests = self.fx.requests("SELECT o.b, f.sk FROM o JOIN f ON f.pk = 'p' AND f.sk = o.b")
        self.assertEqual(sorted(key["sk"]["S"] for request in requests for table in request.body["RequestItems"].values() for key in table["Keys"]),
                         ["+w==", "YWJj", "bm9uZQ=="])

    def test_other_representations_are_mismatches(self):
        """AB== holds the byte of AA==, but is another text."""
        texts = {"AA==": b"\0", "AB==": None, "AA": None, "YWJj": b"abc", "YWJj\n": None}
        self.load([("pk", "text", None), ("sk", "integer", None), ("v", "bytea", {"format": "base64"})], [("p", n, data) for n, data in enumerate(texts.values())],
                  [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "v": {"S": text}} for n, text in enumerate(texts)], on_mismatch="null")
        for data in (b"\0", b"abc", b""):
            for operator in OPERATORS:
                self.same(f"SELECT sk FROM t WHERE v {operator} '\\x{data.hex()}'")
        self.same("SELECT sk FROM t WHERE v IS NULL", "SELECT count(v) FROM t")


class Json(formats.Twins):
    """JSON text: nothing of it is known to DynamoDB."""

    TEXTS = ['{"a": {"b": "x"}, "n": 1}', '{"n": 1.0, "a": {"b": "y"}}', '{"a":null}', "{}", "null", "1", '"x"', '[{"b": "x"}]', ' {"n" : 1}']

    def load_texts(self, texts, **options):
        """The texts as plain values."""
        rows = [("p", n, text, None if n % 2 else text) for n, text in enumerate(texts)]
        self.load([("pk", "text", None), ("sk", "integer", None), ("j", "jsonb", {"format": "json"}), ("k", "jsonb", {"format": "json"})], rows,
                  [{"pk": {"S": pk}, "sk": {"N": str(sk)}, "j": {"S": j}, **({} if k is None else {"k": {"S": k}})} for pk, sk, j, k in rows], **options)

    def test_conditions(self):
        self.load_texts(self.TEXTS)
        for condition in ("j ->> 'n' = '1'", "j -> 'a' ->> 'b' = 'x'", "j #>> '{a,b}' = 'x'", "j -> 'a' IS NULL", "j -> 'a' IS NOT NULL", "j ->> 'n' IN ('1', '2')",
                          "j = '{\"n\": 1}'", "j @> '{\"n\": 1}'", "j ? 'a'", "j < '2'", "k IS NULL", "k IS NOT NULL", "j ->> 'b' IS DISTINCT FROM 'x'", "j = k", "j IN ('{}', '1')"):
            self.same(f"SELECT sk, j FROM t WHERE {condition}", f"SELECT count(*) FROM t WHERE {condition}", f"SELECT k FROM t WHERE pk = 'p' AND {condition}")
        self.same("SELECT j -> 'a' ->> 'b', j ->> 'n' FROM t", "SELECT j #> '{a,b}' FROM t WHERE j ->> 'n' = '1'", "SELECT j -> 0 ->> 'b' FROM t")
        self.same("SELECT j FROM t ORDER BY j, sk", ordered=True)

    def test_requests(self):
        """The attribute is read as a unit, and no condition on a part of it is sent."""
        self.load_texts(self.TEXTS)
        for sql in ("SELECT j -> 'a' ->> 'b' FROM f WHERE pk = 'p'", "SELECT sk FROM f WHERE pk = 'p' AND j ->> 'n' = '1'", "SELECT sk FROM f WHERE pk = 'p' AND j -> 'a' IS NULL",
                    "SELECT sk FROM f WHERE pk = 'p' AND j = '{}'"):
            with self.subTest(sql=sql):
                [request] = self.fx.requests(sql)
                self.assertNotIn("FilterExpression", request.body)
                self.assertNotIn(".", request.body["ProjectionExpression"])
                self.assertIn("j", request.body["ExpressionAttributeNames"].values())
        [request] = self.fx.requests("SELECT sk FROM f WHERE pk = 'p' AND k IS NULL")
        self.assertIn("FilterExpression", request.body)

    def test_mismatches_count_as_null(self):
        texts = ["{", '{"a": 1}', '"\\ud800"', '"\\u0000"', "nul", "[1]"]
        self.load_texts(["1"])
        self.load([("pk", "text", None), ("sk", "integer", None), ("j", "jsonb", {"format": "json"})],
                  [("p", n, text if text in ('{"a": 1}', "[1]") else None) for n, text in enumerate(texts)],
                  [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "j": {"S": text}} for n, text in enumerate(texts)], on_mismatch="null")
        self.same("SELECT sk, j FROM t", "SELECT sk FROM t WHERE j IS NULL", "SELECT sk FROM t WHERE j IS NOT NULL", "SELECT sk FROM t WHERE j -> 'a' IS NULL",
                  "SELECT j ->> 'a' FROM t WHERE pk = 'p'", "SELECT count(j) FROM t")
