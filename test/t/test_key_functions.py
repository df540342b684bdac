"""dynamo_fdw_encode_key() and dynamo_fdw_decode_key(): templates are tried without DynamoDB."""
import json

import fixture

TEMPLATES = {"pk": "c#${company}/${n:padded(4)}", "sk": "${kind:any}|${day}", "low": "L#${name:lower}#${id}", "state": "${flag:bool(1,0)}#${s:A|B}",
             "fixed": "META"}
COLUMNS = "company text, n int, kind text, day date, name text, id uuid, flag boolean, s text"
UUID = "12345678-1234-1234-1234-123456789abc"


class KeyFunctions(fixture.TestCase):
    """One foreign table whose DynamoDB table does not exist."""

    def setUp(self):
        super().setUp()
        self.fx.foreign_table("t", COLUMNS, key_templates=json.dumps(TEMPLATES))

    def encode(self, attribute, **columns):
        """The text."""
        return self.fx.value("SELECT dynamo_fdw_encode_key('t', %s, %s)", (attribute, json.dumps(columns)))

    def decode(self, attribute, text):
        """The columns."""
        return self.fx.value("SELECT dynamo_fdw_decode_key('t', %s, %s)", (attribute, text))

    def test_both_ways(self):
        """What is encoded is decoded."""
        for attribute, columns, text in (
                ("pk", {"company": "acme", "n": 7}, "c#acme/0007"), ("pk", {"company": "ü \" \\", "n": 9999}, 'c#ü " \\/9999'),
                ("sk", {"kind": "a|b", "day": "2024-02-29"}, "a|b|2024-02-29"), ("state", {"flag": True, "s": "B"}, "1#B"), ("fixed", {}, "META")):
            with self.subTest(text):
                self.assertEqual(self.encode(attribute, **columns), text)
                self.assertEqual(self.decode(attribute, text), columns)

    def test_code_of_others(self):
        """A superuser who tries the templates of others does not run their code."""
        bob = f"{self.fx.database}_bob"
        self.fx.execute(f"CREATE ROLE {bob}; CREATE DOMAIN spied AS text CHECK (length(VALUE) > 0)")
        self.addCleanup(self.fx.execute, f"DROP FOREIGN TABLE bobs; DROP DOMAIN spied; DROP ROLE {bob}")
        self.fx.foreign_table("bobs", "id spied, n int", key_templates='{"pk": "x#${id}", "sk": "${n}"}')
        decode = "SELECT dynamo_fdw_decode_key('bobs', 'pk', 'x#1')"
        self.assertEqual(self.fx.value(decode), {"id": "1"})
        self.fx.execute(f"ALTER FOREIGN TABLE bobs OWNER TO {bob}")
        for call in (decode, "SELECT dynamo_fdw_encode_key('bobs', 'pk', '{\"id\": \"1\"}')"):
            self.assertEqual(self.fx.error(call)[:2], ("42501", 'type spied of column "id" could run user-defined code'))
        self.assertEqual(self.fx.value("SELECT dynamo_fdw_decode_key('bobs', 'sk', '1')"), {"n": 1})

    def test_folded(self):
        """The text does not determine a lower-cased column."""
        self.assertEqual(self.encode("low", name="ANN", id=UUID.upper()), f"L#ann#{UUID}")
        self.assertEqual(self.decode("low", f"L#ann#{UUID}"), {"id": UUID})

    def test_nothing(self):
        """NULL for what has no encoding or does not match."""
        for columns in ({"company": "acme"}, {"company": None, "n": 1}, {"company": "", "n": 1}, {"company": "a", "n": 10000}, {"company": "a", "n": -1},
                        {"company": "a/b", "n": 1}):
            self.assertIsNone(self.encode("pk", **columns), columns)
        self.assertIsNone(self.encode("state", flag=True, s="C"))
        self.assertIsNone(self.encode("low", name="Å", id=UUID))
        for text in ("", "c#acme", "c#acme/7", "c#acme/00007", "C#acme/0007", "c#a/b/0007", "c#/0007", "c#acme/000x"):
            self.assertIsNone(self.decode("pk", text), text)
        self.assertIsNone(self.decode("state", "1#C"))
        self.assertIsNone(self.fx.value("SELECT dynamo_fdw_decode_key('t', 'pk', NULL)"))

    def test_complete_rows(self):
        """Columns that the template does not name do no harm; dropped ones do not exist."""
        row = {"company": "acme", "n": 7, "kind": None, "day": None, "name": "x", "id": UUID, "flag": True, "s": "B"}
        self.assertEqual(self.encode("pk", **row), "c#acme/0007")
        self.fx.execute("ALTER FOREIGN TABLE t ADD COLUMN gone int; ALTER FOREIGN TABLE t DROP COLUMN gone")
        for name in ("gone", "........pg.dropped.9........"):
            self.assertEqual(self.fx.error("SELECT dynamo_fdw_encode_key('t', 'pk', %s)", (json.dumps({name: 1}),)).sqlstate, "42703")

    def test_requests(self):
        """Nothing is sent."""
        self.assertEqual(self.fx.requests("SELECT dynamo_fdw_encode_key('t', 'fixed', '{}')", describe=True), [])

    def test_errors(self):
        """Wrong arguments."""
        self.assertIn('no template for attribute "x"', self.fx.error("SELECT dynamo_fdw_encode_key('t', 'x', '{}')").message)
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_encode_key('t', 'lov', '{}')").hint, 'Perhaps you meant the attribute "low".')
        for sql in ("SELECT dynamo_fdw_encode_key('t', 'pk', '{\"compnay\": \"a\", \"n\": 1}')",
                    "SELECT dynamo_fdw_encode_key('t', 'fixed', '{\"n\": null, \"compnay\": null}')"):
            self.assertEqual(self.fx.error(sql)[:4], ("42703", 'column "compnay" of foreign table "t" does not exist', None, 'Perhaps you meant the column "company".'))
        self.assertIsNone(self.fx.error("SELECT dynamo_fdw_encode_key('t', 'pk', '{\"zzzz\": 1}')").hint)
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_encode_key('t', 'pk', '[]')").sqlstate, "22023")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_encode_key('t', 'pk', '{\"company\": \"a\", \"n\": \"x\"}')").sqlstate, "22P02")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_decode_key('pg_class', 'pk', 'x')").sqlstate[:2], "42")
