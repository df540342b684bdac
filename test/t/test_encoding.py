"""A database whose encoding is not UTF8: text is converted both ways, and what cannot be is an error that reports it."""
import unittest

import fixture
import oneitem
import replies
from dynamo import index


class LatinFixture(fixture.Fixture):
    """Its database is in LATIN1."""

    encoding = "LATIN1"

    @classmethod
    def _maintain(cls, sql):
        if sql.startswith("CREATE DATABASE"):
            sql += f" TEMPLATE template0 ENCODING '{cls.encoding}' LOCALE_PROVIDER libc LOCALE 'C'"
        fixture.Fixture._maintain(sql)


class Latin(oneitem.TestCase):
    """LATIN1 has é and not €."""

    @classmethod
    def setUpClass(cls):
        cls.fx = LatinFixture("latin1")
        cls.addClassCleanup(cls.fx.close)
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("t")

    def test_the_database(self):
        self.assertEqual(self.fx.value("SHOW server_encoding"), "LATIN1")

    def test_text(self):
        for column in ("text", "varchar(5)", "char(5)"):
            with self.subTest(column=column):
                self.assertEqual(self.shown({"S": "caféø"}, column), "caféø")
                self.assertEqual(self.fx.value("SELECT octet_length(v) FROM t"), 5)

    def test_escaped_text(self):
        self.put({"S": "-"}, "text")
        self.fake.on("Scan", b'{"Count":1,"ScannedCount":1,"Items":[{"pk":{"S":"a"},"v":{"S":"caf\\u00e9"}}]}')
        self.assertEqual(self.fx.value("SELECT v FROM t"), "café")

    def test_arrays_and_json(self):
        self.assertEqual(self.shown({"SS": ["é", "ü"]}, "text[]"), "{é,ü}")
        self.assertEqual(self.shown({"M": {"é": {"S": "ü"}}}, "jsonb"), '{"é": "ü"}')
        self.assertEqual(self.shown({"M": {"é": {"S": "ü"}}}, "jsonb", "SELECT v->>'é' FROM t"), "ü")

    def test_types_by_their_input_functions(self):
        self.fx.execute("DROP TYPE IF EXISTS word CASCADE; CREATE TYPE word AS ENUM ('é', 'e')")
        self.assertEqual(self.shown({"S": "é"}, "word"), "é")
        self.fx.execute("DROP FOREIGN TABLE t; DROP TYPE word")

    def test_characters_that_the_encoding_lacks(self):
        for column, value in (("text", {"S": "5 €"}), ("varchar(9)", {"S": "5 €"}), ("char(9)", {"S": "5 €"}), ("text[]", {"SS": ["5 €"]}),
                              ("jsonb", {"S": "5 €"}), ("jsonb", {"M": {"€": {"N": "1"}}}), ("json", {"L": [{"S": "€"}]})):
            with self.subTest(column=column, value=value):
                failure = self.failure(value, column)
                self.assertIn(failure.sqlstate, ("HV004", "22P05"))
                where = f"{failure.message} {failure.detail} {failure.context}"
                self.assertIn('column "v" of foreign table "t"', where)
                self.assertIn('item pk = "a"', where)
                self.assertIn("LATIN1", where)
                self.assertIsNone(self.shown(value, column, on_mismatch="null"))

    def test_characters_in_unused_parts(self):
        self.put({"S": "5 €"}, "text")
        self.assertEqual(self.fx.rows("SELECT pk FROM t"), [("a",)])

    def test_attribute_names(self):
        """Options are in the database's encoding, attribute names in UTF-8."""
        self.put(None, "text", attribute="prix_é")
        self.fake.tables["t"].items[0]["prix_é"] = {"S": "x"}
        self.assertEqual(self.fx.value("SELECT v FROM t"), "x")
        self.assertIn("prix_é", self.fake.requests[-1].body["ExpressionAttributeNames"].values())

    def test_column_names(self):
        self.put(None, "text")
        self.fake.tables["t"].items[0]["ü"] = {"S": "x"}
        self.fx.execute('ALTER FOREIGN TABLE t RENAME v TO "ü"')
        self.assertEqual(self.fx.value('SELECT "ü" FROM t'), "x")

    def test_paths(self):
        self.put({"M": {"é": {"S": "x"}}}, "text", path='v."é"')
        self.assertEqual(self.fx.value("SELECT v FROM t"), "x")

    def test_excerpts_in_errors(self):
        """What an error shows of the item is readable, also where the encoding lacks a character."""
        self.fake.reset(scripts=True)
        self.put({"S": "é"}, "integer")
        self.fake.tables["t"].items = [{"pk": {"S": "clé"}, "v": {"S": "café"}}]
        self.assertEqual(self.fx.error("SELECT * FROM t").detail, 'DynamoDB table "t", item pk = "clé", value café.')
        self.fake.tables["t"].items = [{"pk": {"S": "5€"}, "v": {"S": "6€"}}]
        failure = self.fx.error("SELECT v FROM t")
        self.assertEqual(failure.sqlstate, "HV004")
        self.assertRegex(failure.detail, '^DynamoDB table "t", item pk = "5.*", value 6.*\\.$')

    def test_refusals_in_words_the_encoding_lacks(self):
        self.put({"S": "x"}, "text")
        self.fx.rows("SELECT * FROM t")
        self.fake.on("Scan", replies.error("AccessDeniedException", "Prix 5 € café"))
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual(failure.sqlstate, "42501")
        self.assertIn("AccessDeniedException", failure.detail)

    def test_names_of_keys(self):
        """A limit and a refusal show them."""
        self.fake.table("k", ("clé", "S"), items=[{"clé": {"S": "x"}}])
        self.fx.foreign_table("k", "k text OPTIONS (attribute 'clé') NOT NULL, v text", server="fake", updatable="true", scan_policy="allow")
        self.assertIn('key attribute "clé"', self.fx.error("UPDATE k SET k = 'y' WHERE k = 'x'").detail)
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 0.1")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.max_read_units_per_statement")
        self.assertIn('partition key "clé"', self.fx.error("SELECT * FROM k").hint)

    def test_names_of_tables(self):
        """A name that was misspelled is compared, and shown, in the database's encoding."""
        fake = self.fx.fake("names")
        self.addCleanup(fake.stop)
        fake.table("cafés", ("pk", "S"))
        self.assertIn('Perhaps you meant the table "cafés"', self.fx.error("SELECT * FROM dynamo_fdw_describe('names', 'café')").hint)


class LatinFilters(fixture.TestCase):
    """Conditions find the same rows as over a local table; only ASCII constants are pushed."""

    @classmethod
    def setUpClass(cls):
        cls.fx = LatinFixture("latin1f")
        cls.addClassCleanup(cls.fx.close)

    def setUp(self):
        self.fx.create_table("f", ("id", "S"), ("v", "S"))
        self.fx.put("f", [{"id": "a", "v": text, "w": text} for text in ("e", "é", "z", "zé", "ÿ", "E")])
        self.fx.foreign_table("f", "id text, v text, w text", scan_policy="allow")
        self.fx.execute("DROP TABLE IF EXISTS l; CREATE TABLE l AS SELECT * FROM f")

    def test_conditions(self):
        for column in ("v", "w"):
            for condition in ("= 'é'", "= 'z'", "= 'ÿ'", "IN ('é', 'z', 'x')", "> 'z'", ">= 'é'", "< 'é'", "BETWEEN 'e' AND 'zé'", "LIKE 'z%'", "LIKE 'zé%'", "<> 'é'"):
                with self.subTest(where=f"{column} {condition}"):
                    rows = [self.fx.rows(f"SELECT id, v FROM {table} WHERE id = 'a' AND {column} {condition} ORDER BY v COLLATE \"C\"") for table in "fl"]
                    self.assertEqual(rows[0], rows[1])

    def test_keys(self):
        self.assertEqual(self.fx.rows("SELECT v FROM f WHERE id = 'a' AND v = 'é'"), [("é",)])
        self.assertEqual(self.fx.rows("SELECT v FROM f WHERE id = 'ü'"), [])

    def test_patterns_that_are_too_long_for_an_index(self):
        """The index lacks an older item whose key has 1200 bytes in UTF-8, and 600 in LATIN1."""
        self.fx.create_table("old", ("pk", "S"))
        self.fx.put("old", [{"pk": "p", "h": "x", "s": "é" * 600, "k": "K#" + "é" * 600}])
        for name, key in (("by_s", "s"), ("by_k", "k")):
            self.fx.dynamo.add_index(self.fx.remote("old"), index(name, ("h", "S"), (key, "S")))
        self.fx.foreign_table("old", "pk text NOT NULL, h text, s text, word text OPTIONS (attribute 'k')", scan_policy="allow", key_templates='{"k": "K#${word}"}')
        for column in ("s", "word"):
            for condition in ("LIKE repeat('é', 600) || '%'", "^@ repeat('é', 600)", "= repeat('é', 600)"):
                with self.subTest(where=f"{column} {condition}"):
                    self.assertEqual(self.fx.rows(f"SELECT pk FROM old WHERE h = 'x' AND {column} {condition}"), [("p",)])

    def test_logged_writes(self):
        """The log has the keys and values of writes in the database's encoding."""
        self.fx.create_table("logged", ("pk", "S"))
        self.fx.foreign_table("logged", "pk text NOT NULL, v text", updatable="on", scan_policy="allow")
        self.fx.execute("SET client_min_messages = log; SET dynamo_fdw.log_requests = on")
        self.addCleanup(self.fx.execute, "RESET client_min_messages; RESET dynamo_fdw.log_requests")
        for sql, line in (("INSERT INTO logged VALUES ('clé', 'é')", 'PutItem {t} where pk = "clé"'), ("UPDATE logged SET v = 'ÿ' WHERE pk = 'clé'", 'UpdateItem {t} where pk = "clé" SET v = "ÿ"'),
                          ("DELETE FROM logged WHERE pk = 'clé'", 'DeleteItem {t} where pk = "clé"')):
            with self.subTest(sql=sql):
                self.assertIn(line.replace("{t}", self.fx.remote("logged")), "".join(self.fx.notices(sql)))

    def test_order(self):
        """LATIN1 bytes order as UTF-8 does under C; either way the order is right."""
        rows = self.fx.rows("SELECT v FROM f WHERE id = 'a' ORDER BY v COLLATE \"C\"")
        self.assertEqual(rows, [("E",), ("e",), ("z",), ("zé",), ("é",), ("ÿ",)])


# Letters whose bytes sort otherwise than their code points do, but for LATIN1's, and some of ASCII among them.
LETTERS = {"KOI8R": "яюабвгхцшЯЮАБЁё", "LATIN2": "ąłéčĄŁÉČž", "WIN1252": "€éÿŒœŠž", "LATIN1": "éÿÀ", "EUC_JP": "あ亜ア日¦｡", "SQL_ASCII": "éяあ€"}


class Orders:
    """Ordered by DynamoDB or compared there, rows are those of a local table, whatever the encoding."""

    encoding = None

    @classmethod
    def setUpClass(cls):
        kind = type("Orders", (LatinFixture,), {"encoding": cls.encoding})
        cls.fx = kind("order_" + cls.encoding)
        cls.addClassCleanup(cls.fx.close)
        cls.fx.create_table("f", ("pk", "S"), ("sk", "S"))
        words = sorted({a + b for a in LETTERS[cls.encoding] + "az" for b in ("", "a", LETTERS[cls.encoding][0])})
        cls.fx.put("f", [{"pk": pk, "sk": word, "v": word, "n": number} for pk in "ab" for number, word in enumerate(words)])
        cls.fx.foreign_table("f", "pk text, sk text, v text, n integer", scan_policy="allow")
        cls.fx.execute("CREATE TABLE l AS SELECT * FROM f; CREATE TABLE o AS SELECT sk AS k FROM l WHERE pk = 'a'; ANALYZE")

    def same(self, sql, ordered=True):
        """From f and from l."""
        with self.subTest(sql=sql):
            rows = [self.fx.rows(sql.replace("FROM t", f"FROM {table}").replace("JOIN t", f"JOIN {table}")) for table in "fl"]
            self.assertEqual(*(rows if ordered else map(sorted, rows)))
            return rows[0]

    def test_order(self):
        for direction in ("", " DESC"):
            self.same(f"SELECT sk FROM t WHERE pk = 'a' ORDER BY sk{direction}")
            self.same(f"SELECT sk FROM t WHERE pk = 'a' ORDER BY sk{direction} LIMIT 3")
            self.same(f"SELECT sk FROM t WHERE pk IN ('a', 'b') ORDER BY sk{direction}")
        self.same("SELECT DISTINCT ON (sk) sk FROM t WHERE pk = 'a' ORDER BY sk LIMIT 2")
        self.same("SELECT min(sk), max(sk) FROM t WHERE pk = 'a'")
        self.same("SELECT sk, count(*) FROM t WHERE pk IN ('a', 'b') GROUP BY sk ORDER BY sk")

    def test_merge_join(self):
        self.fx.execute("SET enable_hashjoin = off; SET enable_nestloop = off")
        try:
            self.assertTrue(self.same("SELECT k FROM o JOIN t ON k = sk WHERE pk = 'a' ORDER BY k"))
        finally:
            self.fx.execute("RESET enable_hashjoin; RESET enable_nestloop")

    def test_conditions(self):
        for word in LETTERS[self.encoding] + "az":
            for column in ("sk", "v"):
                for condition in ("= %", "<> %", "< %", "<= %", "> %", ">= %", "IN (%, 'a')", "LIKE % || '%%'", "^@ %", "BETWEEN 'a' AND %"):
                    self.same(f"SELECT sk FROM t WHERE pk = 'a' AND {column} {condition.replace('%%', '!').replace('%', chr(39) + word + chr(39)).replace('!', '%')}", False)

    def test_keys(self):
        """A key of the encoding's own letters is found, by a request for it."""
        word = LETTERS[self.encoding][0]
        self.assertEqual(len(self.same(f"SELECT sk FROM t WHERE pk = 'a' AND sk = '{word}'")), 1)


    def test_formats(self):
        """The words of a format are compared with UTF-8, and sent as that."""
        letter, other = LETTERS[self.encoding][:2]
        self.fx.create_table("w", ("id", "N"))
        self.fx.put("w", [{"id": 1, "b": letter, "at": "2024-02-29T12:00:00" + other}, {"id": 2, "b": other, "at": "2024-03-01T12:00:00" + other}])
        self.fx.foreign_table("w", f"id integer, b boolean OPTIONS (format 'bool({letter},{other})'), at timestamp OPTIONS (format 'iso8601(0,{other})')",
                              scan_policy="allow")
        self.assertEqual(self.fx.rows("SELECT id, b, at::text FROM w ORDER BY id"), [(1, True, "2024-02-29 12:00:00"), (2, False, "2024-03-01 12:00:00")])
        for condition in ("b", "at = '2024-02-29 12:00'", "at < '2024-03-01'"):
            self.assertEqual(self.fx.rows(f"SELECT id FROM w WHERE {condition}"), [(1,)])
        [request] = self.fx.requests("SELECT id FROM w WHERE b AND at = '2024-02-29 12:00'")
        self.assertEqual({value["S"] for value in request.body["ExpressionAttributeValues"].values()}, {letter, "2024-02-29T12:00:00" + other})


class Koi8r(Orders, unittest.TestCase):
    encoding = "KOI8R"


class Latin1(Orders, unittest.TestCase):
    encoding = "LATIN1"

    def test_sorted_by_dynamodb(self):
        self.assertIn("Order: ascending", self.fx.explain("SELECT sk FROM f WHERE pk = 'a' ORDER BY sk"))


class Latin2(Orders, unittest.TestCase):
    encoding = "LATIN2"


class Win1252(Orders, unittest.TestCase):
    encoding = "WIN1252"

    def test_a_byte_without_a_character(self):
        """0x81 is none of WIN1252, which PostgreSQL stores all the same: nothing in DynamoDB equals it."""
        byte = "convert_from('\\x81', 'WIN1252')"
        refused = self.fx.error("DO $$ BEGIN EXECUTE format('CREATE FOREIGN TABLE x (v boolean OPTIONS (format %L)) SERVER ddb', "
                                f"'bool(' || {byte} || ',N)'); EXCEPTION WHEN OTHERS THEN RAISE '%', SQLSTATE; END $$")
        self.assertEqual(refused.message, "22023")
        for condition in (f"sk = {byte}", f"v = {byte}", f"v IN ({byte}, 'a')", f"v <> {byte}", f"sk < {byte}", f"v LIKE {byte} || '%'", f"v ^@ {byte}"):
            self.same(f"SELECT sk FROM t WHERE pk = 'a' AND {condition}", False)

    def test_key_names(self):
        """The hint of a full scan names the partition key, whose bytes of UTF-8 are no text of WIN1252."""
        self.fx.create_table("s", ("Área", "S"))
        self.fx.put("s", [{"Área": "x", "v": 1}])
        for columns, templates, hint in (('"Área" text, v integer', None, 'condition on partition key "Área"'), ("v integer", None, 'column for partition key "Área"'),
                                         ("id text, v integer", '{"Área": "${id}"}', 'from which partition key "Área" is composed')):
            self.fx.foreign_table("s", columns, scan_policy="warn", **{"key_templates": templates} if templates else {})
            [warning] = self.fx.notices("SELECT v FROM s WHERE v > 0")
            self.assertIn(hint, warning)

    def test_create_table(self):
        """Placeholders of templates are found among the columns."""
        self.addCleanup(self.fx.dynamo.drop_table, self.fx.remote("made"))
        self.fx.foreign_table("made", '"Área" integer NOT NULL, "É" text NOT NULL', key_templates='{"pk": "${Área}", "sk": "x#${É}"}')
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('made', 'É')").sqlstate, "42809")
        self.fx.execute("SELECT dynamo_fdw_create_table('made', 'pk', 'sk')")
        types = self.fx.dynamo.call("DescribeTable", {"TableName": self.fx.remote("made")})["Table"]["AttributeDefinitions"]
        self.assertEqual({a["AttributeName"]: a["AttributeType"] for a in types}, {"pk": "N", "sk": "S"})


class EucJp(Orders, unittest.TestCase):
    """Two characters of Unicode are one of this encoding, so that texts are compared here."""

    encoding = "EUC_JP"

    def test_both_forms_are_found(self):
        self.fx.create_table("g", ("pk", "S"), ("sk", "S"))
        self.fx.put("g", [{"pk": "a", "sk": sk, "v": sk} for sk in ("\u00a6", "\uffe4")])
        self.fx.foreign_table("g", "pk text, sk text, v text", scan_policy="allow")
        self.assertEqual(self.fx.value("SELECT count(*) FROM g WHERE v = '\u00a6'"), 2)
        self.assertEqual(self.fx.value("SELECT count(*) FROM g WHERE pk = 'a' AND sk = '\uffe4'"), 2)
        self.assertEqual(self.fx.value("SELECT count(DISTINCT sk) FROM g"), 1)

    def test_names_that_become_one(self):
        """Two names of a map that are one in the database's encoding are one name of the jsonb value."""
        self.fx.create_table("h", ("pk", "S"))
        self.fx.put("h", [{"pk": "a", "v": {"\u00a6": 1, "x": 0, "\uffe4": 2, "yy": {"z": 3}}}])
        self.fx.foreign_table("h", "pk text, v jsonb")
        [(names, value)] = self.fx.rows("SELECT (SELECT count(*) FROM jsonb_object_keys(v)), v - '\u00a6' FROM h WHERE pk = 'a'")
        self.assertEqual((names, value), (3, {"x": 0, "yy": {"z": 3}}))
        self.assertIn(self.fx.value("SELECT v->>'\uffe4' FROM h WHERE pk = 'a'"), ("1", "2"))


class SqlAscii(Orders, unittest.TestCase):
    """A database that knows no encoding holds whatever bytes are sent."""

    encoding = "SQL_ASCII"

    def test_bytes_that_are_not_utf8(self):
        self.fx.execute("CREATE OR REPLACE FUNCTION raw(hex text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT convert_from(decode(hex, 'hex'), 'SQL_ASCII') $$")
        for hexa in ("e9", "c3", "61ff", "80"):
            for condition in ("= %", "<> %", "< %", "> %", ">= %", "IN (%, 'a')", "LIKE % || '!'", "^@ %", "BETWEEN 'a' AND %"):
                for column in ("sk", "v"):
                    value = f"raw('{hexa}')"
                    self.same(f"SELECT sk FROM t WHERE pk = 'a' AND {column} {condition.replace('%', value).replace('!', '%')}", False)
