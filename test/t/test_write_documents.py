"""INSERT through columns with the option document: the attributes that no other column shows."""
import io

import dynamo
import fixture
import writes
from dynamo import index


class Plain(writes.TestCase):
    """A table without key templates; each row is read as it was written, as from a local table."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, note text, city text, rest jsonb"
    FOREIGN = "id text NOT NULL, n int NOT NULL, note text, city text OPTIONS (path 'place.city'), rest jsonb OPTIONS (document 'rest')"
    ROWS = ""
    ALL = '{"s": "x", "empty": "", "number": -12345678901234567890.5, "yes": true, "no": false, "null": null, "list": [1, "a", null, {"k": []}], "map": {"a": {"b": 1}}, "dots.and \u20ac": 1}'

    def test_values(self):
        """Of all types, in attributes of all names."""
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'x', NULL, %s)", [self.ALL])[0], 1)
        self.assertEqual(self.item("a", 1), {
            "id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "x"}, "s": {"S": "x"}, "empty": {"S": ""}, "number": {"N": "-12345678901234567890.5"}, "yes": {"BOOL": True},
            "no": {"BOOL": False}, "null": {"NULL": True}, "list": {"L": [{"N": "1"}, {"S": "a"}, {"NULL": True}, {"M": {"k": {"L": []}}}]},
            "map": {"M": {"a": {"M": {"b": {"N": "1"}}}}}, "dots.and \u20ac": {"N": "1"}})
        self.both("INSERT INTO {t} VALUES ('a', 2, NULL, NULL, '{}') RETURNING *")
        self.both("INSERT INTO {t} (id, n, rest) SELECT id || n, n, rest FROM {t}")

    def test_null(self):
        """Is NULL: there are no such attributes."""
        self.fx.execute("INSERT INTO far VALUES ('a', 1, 'x', 'Rome', NULL), ('a', 2, NULL, NULL, NULL)")
        self.assertEqual(self.item("a", 2), {"id": {"S": "a"}, "n": {"N": "2"}})
        self.assertEqual(self.fx.rows("SELECT rest FROM far ORDER BY n"), [({"place": {"city": "Rome"}},), ({},)])

    def test_members_that_columns_show(self):
        """An attribute that a column shows in full is not in the rest; one of which it shows a member is, with the same value."""
        for rest, city, stored in (('{"place": {"city": "Rome", "zip": "1"}}', "Rome", {"city": "Rome", "zip": "1"}), ('{"place": {"zip": "1"}}', None, {"zip": "1"}),
                                   ('{"place": "a text"}', None, "a text"), ('{"place": {"zip": "1"}}', "Rome", None), ('{"place": {"city": "Oslo"}}', "Rome", None),
                                   ('{"place": "a text"}', "Rome", None), ("{}", "Rome", None), ('{"note": "other"}', None, None), ('{"id": "b"}', None, None), ('{"n": 1}', None, None)):
            with self.subTest(rest=rest, city=city):
                self.setUp()
                sql, parameters = "INSERT INTO {t} VALUES ('a', 1, NULL, %s, %s)", [city, rest]
                if stored:
                    self.assertEqual(self.both(sql, parameters)[0], 1)
                    self.assertEqual(self.item("a", 1)["place"], dynamo.item({"v": stored})["v"])
                else:
                    self.fx.proxy.reset()
                    self.assertEqual(self.outcome(sql.replace("{t}", "far"), parameters), "22023")
                    self.assertEqual([r.operation for r in self.fx.proxy.requests if r.is_write], [])
        self.assertIn("Omit the attributes", self.fx.error("INSERT INTO far VALUES ('a', 1, 'x', NULL, '{\"note\": \"x\"}')").hint)

    def test_refused(self):
        for rest, sqlstate in (("[]", "22023"), ("7", "22023"), ("null", "22023"), ('{"": 1}', "22023"), ('{"a": {"": 1}}', "22023"), ('{"a": 1e200}', "22003"),
                               ('{"a": ' + "[" * 33 + "]" * 33 + "}", "54000")):
            with self.subTest(rest=rest):
                failure = self.fx.error("INSERT INTO far VALUES ('a', 1, NULL, NULL, %s)", [rest])
                self.assertEqual((failure.sqlstate, 'column "rest" of foreign table "far"' in failure.message), (sqlstate, True), failure)
        self.assertIsNone(self.item("a", 1))

    def test_many_members(self):
        """Tens of thousands are stored in a moment; an object whose names alone exceed the size of an item is refused before any request."""
        members = "SELECT 'a', 1, 'x', 'Rome', jsonb_object_agg('m' || i, true) || '{{\"place\": {{\"city\": \"Rome\"}}}}' FROM generate_series(1, {}) i"
        self.fx.execute("SET statement_timeout = '20s'")
        self.addCleanup(self.fx.execute, "RESET statement_timeout")
        self.both("INSERT INTO {t} (id, n, note, city, rest) " + members.format(30000))
        self.fx.proxy.reset()
        for n, message in ((100000, 'row of foreign table "far" is too large for DynamoDB'), (500000, 'cannot store the value of column "rest" of foreign table "far"')):
            failure = self.fx.error("INSERT INTO far (id, n, note, city, rest) " + members.format(n).replace("'a', 1", "'b', 1"))
            self.assertEqual((failure.sqlstate, failure.message), ("54000", message))
        self.assertEqual([r.operation for r in self.fx.proxy.requests if r.is_write], [])

    def test_update(self):
        """Only INSERT takes it."""
        self.both("INSERT INTO {t} VALUES ('a', 1, 'x', NULL, '{\"k\": 1}')")
        self.assertEqual(self.outcome("UPDATE far SET rest = '{}'"), "0A000")
        self.both("UPDATE {t} SET note = 'y' WHERE id = 'a'")
        self.assertEqual(self.item("a", 1)["k"], {"N": "1"})
        self.assertEqual(self.outcome("INSERT INTO far AS t VALUES ('a', 1, NULL, NULL, '{}') ON CONFLICT (id, n) DO UPDATE SET rest = EXCLUDED.rest"), "0A000")

    def test_upserts(self):
        sql = "INSERT INTO {t} AS t VALUES ('a', 1, 'old', NULL, '{\"k\": 1}'), ('a', 2, 'old', NULL, '{\"k\": 2}') ON CONFLICT "
        self.both(sql + "DO NOTHING")
        self.both(sql.replace("2,", "3,") + "DO NOTHING RETURNING n, rest")
        self.both(sql.replace("2,", "4,").replace("old", "new") + "(id, n) DO UPDATE SET note = EXCLUDED.note || (EXCLUDED.rest ->> 'k')")

    def test_copy_and_atomic(self):
        for table in ("far", "near"):
            with self.fx.conn.cursor() as cursor:
                cursor.copy_expert(f"COPY {table} FROM STDIN", io.StringIO('c\t1\tx\t\\N\t{"k": 1}\nc\t2\t\\N\tRome\t{"place": {"city": "Rome"}}\n'))
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.both("INSERT INTO {t} (id, n, rest) VALUES ('d', 1, '{\"k\": [1]}'), ('d', 2, '{}')")


class Designs(fixture.TestCase):
    """A single-table design, with an index, an item filter and TTL."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET timezone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'")
        fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1pk", "S"), ("gsi1sk", "S")), index("by_rank", ("kind", "S"), ("rank", "N"))])
        fx.foreign_table("customer", "id text NOT NULL, email text OPTIONS (attribute 'email'), more jsonb OPTIONS (document 'rest'), every jsonb OPTIONS (document 'item')", table_name=fx.remote("app"), updatable="on",
                         item_filter='{"_et": "customer"}', ttl_attribute="ttl", key_templates='{"pk": "CUSTOMER#${id}", "sk": "PROFILE", "gsi1pk": "EMAIL#${email}", "gsi1sk": "C"}')

    def setUp(self):
        self.fx.execute("DELETE FROM customer")

    def item(self):
        """The only one."""
        return self.fx.dynamo.call("GetItem", {"TableName": self.fx.remote("app"), "Key": {"pk": {"S": "CUSTOMER#7"}, "sk": {"S": "PROFILE"}}, "ConsistentRead": True}).get("Item")

    def test_insert(self):
        """Attributes of templates and of the filter are not the rest; those of an index that no column shows are."""
        self.fx.execute("INSERT INTO customer (id, email, more) VALUES ('7', 'a@x', '{\"kind\": \"k\", \"rank\": 5, \"ttl\": 4000000000}')")
        self.assertEqual(self.item(), dynamo.item({"pk": "CUSTOMER#7", "sk": "PROFILE", "gsi1pk": "EMAIL#a@x", "gsi1sk": "C", "_et": "customer", "email": "a@x", "kind": "k", "rank": 5, "ttl": 4000000000}))
        self.assertEqual(self.fx.rows("SELECT id, email, more FROM customer"), [("7", "a@x", {"kind": "k", "rank": 5, "ttl": 4000000000})])

    def test_text_of_a_template_without_its_column(self):
        """Without an email, the text of the index key belongs to the rest."""
        self.fx.execute("INSERT INTO customer (id, more) VALUES ('7', '{\"gsi1pk\": \"OTHER\"}')")
        self.assertEqual(self.item()["gsi1pk"], {"S": "OTHER"})
        self.assertEqual(self.fx.rows("SELECT id, more FROM customer"), [("7", {"gsi1pk": "OTHER"})])

    def test_refused(self):
        for values, sqlstate in (("'7', 'a@x', '{\"gsi1pk\": \"OTHER\"}'", "22023"), ("'7', 'a@x', '{\"gsi1pk\": \"EMAIL#a@x\"}'", "22023"), ("'7', NULL, '{\"pk\": \"X\"}'", "22023"),
                                 ("'7', NULL, '{\"_et\": \"robot\"}'", "22023"), ("'7', NULL, '{\"_et\": \"customer\"}'", "22023"), ("'7', NULL, '{\"rank\": \"high\"}'", "22023"),
                                 ("'7', NULL, '{\"kind\": \"\"}'", "22023"), ("'7', NULL, '{\"ttl\": 4000000000.5}'", "22008"), ("'7', NULL, NULL, '{}'", "0A000")):
            with self.subTest(values=values):
                self.assertEqual(self.fx.error(f"INSERT INTO customer VALUES ({values})").sqlstate, sqlstate)
                self.assertIsNone(self.item())
