"""What rows of tables with key templates, item filters, paths and TTL write: keys, index keys, constants, and which rows are refused."""
import dynamo
import fixture
from dynamo import index


class Case(fixture.TestCase):
    """A single-table design: users and orders, with one overloaded index."""

    def setUp(self):
        if not self.fx.rows("SELECT 1 FROM pg_class WHERE relname = 'customer'"):
            self.make()
        for item in self.items():
            self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("app"), "Key": {"pk": item["pk"], "sk": item["sk"]}})

    def make(self):
        fx = self.fx
        fx.execute("SET timezone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'")
        fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1pk", "S"), ("gsi1sk", "S"))])
        fx.foreign_table("customer", "id text NOT NULL, email text, name text, city text OPTIONS (path 'address.city'), "
                         "zip text OPTIONS (path 'address.zip'), visits int", table_name=fx.remote("app"), updatable="on",
                         trusted_indexes="gsi1", item_filter='{"_et": "customer"}',
                         key_templates='{"pk": "CUSTOMER#${id}", "sk": "PROFILE", "gsi1pk": "EMAIL", "gsi1sk": "${email:lower}"}')
        fx.foreign_table("purchase", "customer text NOT NULL, no int NOT NULL, status text OPTIONS (attribute 'gsi1sk'), "
                         "placed date OPTIONS (attribute 'placed'), total numeric", table_name=fx.remote("app"), updatable="on",
                         key_templates='{"pk": "CUSTOMER#${customer}", "sk": "ORDER#${no:padded(5)}", "gsi1pk": "ORDERS", '
                                       '"gsi1sk": "${status}#${placed}"}')

    def items(self):
        """All items, in the order of their keys."""
        found = self.fx.dynamo.call("Scan", {"TableName": self.fx.remote("app"), "ConsistentRead": True})["Items"]
        return sorted(found, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def assert_refused(self, sql, sqlstate):
        """The statement fails, and no write is sent."""
        self.fx.proxy.reset()
        failure = self.fx.error(sql)
        self.assertEqual(failure.sqlstate, sqlstate, failure)
        self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation in ("PutItem", "UpdateItem", "DeleteItem")], [])
        return failure


class Templates(Case):
    """Keys that are composed of columns."""

    def test_insert(self):
        """Templates without NULL are written, and the constant of the item filter."""
        self.fx.execute("INSERT INTO customer (id, email, name, city) VALUES ('7', 'Ada@X', 'Ada', 'Rome'), ('8', NULL, NULL, NULL)")
        self.fx.execute("INSERT INTO purchase VALUES ('7', 12, 'open', '2024-05-04', 1.50)")
        self.assertEqual(self.items(), [
            dynamo.item({"pk": "CUSTOMER#7", "sk": "ORDER#00012", "gsi1pk": "ORDERS", "gsi1sk": "open#2024-05-04", "placed": "2024-05-04", "total": 1.5}),
            dynamo.item({"pk": "CUSTOMER#7", "sk": "PROFILE", "gsi1pk": "EMAIL", "gsi1sk": "ada@x", "_et": "customer", "email": "Ada@X",
                         "name": "Ada", "address": {"city": "Rome"}}),
            dynamo.item({"pk": "CUSTOMER#8", "sk": "PROFILE", "gsi1pk": "EMAIL", "_et": "customer"})])
        self.assertEqual(self.fx.rows("SELECT id, email FROM customer WHERE email = 'Ada@X'"), [("7", "Ada@X")])

    def test_update_and_delete_of_a_row_leave_the_others(self):
        self.fx.execute("INSERT INTO customer (id, name) SELECT n::text, 'n' FROM generate_series(1, 5) n")
        self.fx.execute("INSERT INTO purchase (customer, no, total) SELECT n::text, n, n FROM generate_series(1, 5) n")
        before = self.items()
        self.fx.execute("UPDATE purchase SET total = total + 1 WHERE customer = '3' AND no = 3")
        self.fx.execute("UPDATE customer SET name = 'x' WHERE id = '4'")
        self.fx.execute("DELETE FROM purchase WHERE customer = '2' AND no = 2")
        expected = [item for item in before if item["pk"]["S"] != "CUSTOMER#2" or item["sk"]["S"] == "PROFILE"]
        for item in expected:
            if (item["pk"]["S"], item["sk"]["S"]) == ("CUSTOMER#3", "ORDER#00003"):
                item["total"] = {"N": "4"}
            if (item["pk"]["S"], item["sk"]["S"]) == ("CUSTOMER#4", "PROFILE"):
                item["name"] = {"S": "x"}
        self.assertEqual(self.items(), expected)

    def test_index_keys_follow_their_columns(self):
        self.fx.execute("INSERT INTO customer (id, email) VALUES ('7', 'A@X')")
        self.fx.execute("UPDATE customer SET email = 'B@X' WHERE id = '7'")
        [item] = self.items()
        self.assertEqual((item["gsi1pk"], item["gsi1sk"], item["email"]), ({"S": "EMAIL"}, {"S": "b@x"}, {"S": "B@X"}))
        self.fx.execute("UPDATE customer SET email = NULL WHERE id = '7'")
        [item] = self.items()
        self.assertNotIn("gsi1sk", item)
        # an item that was stored before the index gets its full key
        self.fx.put("app", [{"pk": "CUSTOMER#9", "sk": "PROFILE", "_et": "customer"}])
        self.fx.execute("UPDATE customer SET email = 'C@X' WHERE id = '9'")
        item = self.items()[1]
        self.assertEqual((item["gsi1pk"], item["gsi1sk"]), ({"S": "EMAIL"}, {"S": "c@x"}))

    def test_lost_part(self):
        """A column that is read from a template only is lost if another one is NULL."""
        failure = self.assert_refused("INSERT INTO purchase (customer, no, status) VALUES ('7', 1, 'open')", "23502")
        self.assertIn('"placed"', failure.message)
        self.assertIn('"status"', failure.detail)
        self.fx.execute("INSERT INTO purchase (customer, no, placed) VALUES ('7', 1, '2024-05-04')")
        self.assertNotIn("gsi1sk", self.items()[0])

    def test_keys_do_not_change(self):
        self.fx.execute("INSERT INTO customer (id, name) VALUES ('7', 'Ada')")
        self.assert_refused("UPDATE customer SET id = '8' WHERE id = '7'", "0A000")
        self.fx.execute("UPDATE customer SET id = '7', name = 'Eva' WHERE id = '7'")
        self.assertEqual(self.fx.rows("SELECT id, name FROM customer"), [("7", "Eva")])

    def test_values_that_no_row_could_have(self):
        for sql, sqlstate in (("INSERT INTO customer (id) VALUES ('a#b')", "22023"), ("INSERT INTO customer (id) VALUES ('')", "22023"),
                              ("INSERT INTO customer (id) VALUES (NULL)", "23502"), ("INSERT INTO purchase VALUES ('1', 100000)", "22003"),
                              ("INSERT INTO customer (id) VALUES (repeat('x', 2040))", "22023"),
                              ("INSERT INTO purchase VALUES ('1', 1, repeat('x', 1020), '2024-05-04')", "22023"),
                              ("INSERT INTO purchase VALUES ('1', 1, 'a#b', '2024-05-04')", "22023"),
                              ("INSERT INTO customer (id, email) VALUES ('1', 'ö@x')", "0A000")):
            with self.subTest(sql=sql):
                self.assert_refused(sql, sqlstate)

    def test_paths(self):
        """Maps above a path are made; a value there that is not a map is not replaced."""
        self.fx.put("app", [{"pk": f"CUSTOMER#{n}", "sk": "PROFILE", "_et": "customer", **more} for n, more in
                            ((1, {}), (2, {"address": {"zip": "1", "other": True}}))])
        self.fx.execute("UPDATE customer SET city = 'Rome'")
        self.assertEqual([item["address"] for item in self.items()],
                         [{"M": {"city": {"S": "Rome"}}}, {"M": {"city": {"S": "Rome"}, "zip": {"S": "1"}, "other": {"BOOL": True}}}])
        self.fx.execute("UPDATE customer SET city = NULL")
        self.assertEqual([item["address"] for item in self.items()], [{"M": {}}, {"M": {"zip": {"S": "1"}, "other": {"BOOL": True}}}])

    def test_an_item_of_another_entity(self):
        self.fx.put("app", [{"pk": "CUSTOMER#7", "sk": "PROFILE", "_et": "robot"}])
        before = self.items()
        self.assertEqual(self.fx.error("INSERT INTO customer (id) VALUES ('7')").sqlstate, "23505")
        self.fx.execute("INSERT INTO customer (id) VALUES ('7') ON CONFLICT DO NOTHING")
        self.fx.execute("DELETE FROM customer")
        self.assertEqual(self.items(), before)


class SameAttribute(Case):
    """Columns that share an attribute."""

    def test_one_attribute_of_two_columns(self):
        self.fx.foreign_table("pair", "pk text NOT NULL, sk text NOT NULL, info jsonb, rating int OPTIONS (path 'info.rating'), "
                              "other jsonb OPTIONS (attribute 'info')", table_name=self.fx.remote("app"), updatable="on")
        insert = "INSERT INTO pair (pk, sk, {}) VALUES ('p', 's', {})"
        for columns, values, stored in (("info", "'{\"a\": 1}'", {"a": 1}), ("rating", "5", {"rating": 5}),
                                        ("info, rating", "'{\"rating\": 5}', 5", {"rating": 5}),
                                        ("info, other", "'{\"a\": 1}', '{\"a\": 1}'", {"a": 1}),
                                        ("info, other", "'{\"a\": 1}', '{\"a\": 2}'", None), ("info, rating", "'{\"rating\": 6}', 5", None),
                                        ("info, rating", "'{}', 5", None), ("info, rating", "'7', 5", None)):
            with self.subTest(columns=columns, values=values):
                self.setUp()
                sql = insert.format(columns, values)
                if stored is None:
                    self.assert_refused(sql, "22023")
                else:
                    self.fx.execute(sql)
                    self.assertEqual(self.items(), [dynamo.item({"pk": "p", "sk": "s", "info": stored})])


class Expiry(Case):
    """Tables with ttl_attribute."""

    def test_expiration_times(self):
        self.fx.foreign_table("visit", "pk text NOT NULL, sk text NOT NULL, ends timestamptz OPTIONS (format 'epoch'), n int",
                              table_name=self.fx.remote("app"), updatable="on", ttl_attribute="ends")
        self.assertIn("timestamptz(0)", self.assert_refused("INSERT INTO visit VALUES ('p', 's', '2040-01-01 00:00:00.5Z', 1)", "22008").hint)
        self.fx.execute("INSERT INTO visit VALUES ('p', 's', date_trunc('second', now()) - interval '1 day', 1)")
        self.assertEqual(self.fx.rows("SELECT * FROM visit"), [])
        self.fx.execute("UPDATE visit SET n = 2; DELETE FROM visit")
        self.assertEqual([item["n"] for item in self.items()], [{"N": "1"}])
        self.fx.execute("INSERT INTO visit VALUES ('p', 's', NULL, 3)")
        self.assertEqual(self.items(), [dynamo.item({"pk": "p", "sk": "s", "n": 3})])

class Presumed(Case):
    """UPDATE and DELETE by the whole key that do not read the row."""

    def put(self, **values):
        """Store an item."""
        self.fx.dynamo.call("PutItem", {"TableName": self.fx.remote("app"), "Item": dynamo.item(values)})

    def test_rows_are_those_of_a_read(self):
        """An item that is no row of the table is neither updated nor deleted, as if it had been read."""
        kinds = ({"_et": "customer"}, {"_et": "other"}, {}, {"_et": "customer", "gsi1pk": "WRONG"}, {"_et": "customer", "gsi1sk": "wrong"},
                 {"_et": "customer", "gsi1pk": "EMAIL", "gsi1sk": "x", "email": "X"})
        for form, without in (("UPDATE customer SET name = 'new' WHERE id = '1'", "UpdateItem"), ("DELETE FROM customer WHERE id = '1'", "DeleteItem")):
            for kind in kinds:
                with self.subTest(form=form, kind=kind):
                    results = []
                    for sql in (form, form + " AND visits IS NULL"):
                        self.put(pk="CUSTOMER#1", sk="PROFILE", **kind)
                        requests = [r.operation for r in self.fx.requests(sql)]
                        results.append(self.items())
                        if sql == form:
                            self.assertEqual(requests[0], without)
                            self.assertNotIn("GetItem", requests[:1])
                    self.assertEqual(*results)

    def test_index_keys(self):
        """A column in the template of an index key is not written without reading the others."""
        self.fx.execute("INSERT INTO purchase VALUES ('7', 12, 'open', '2024-05-04', 1.50)")
        self.fx.execute("UPDATE purchase SET status = 'paid' WHERE customer = '7' AND no = 12")
        self.assertEqual(self.items()[0]["gsi1sk"], {"S": "paid#2024-05-04"})
        requests = [r.operation for r in self.fx.requests("UPDATE purchase SET total = 3 WHERE customer = '7' AND no = 12")]
        self.assertEqual(requests, ["UpdateItem"])
        self.assertEqual(self.fx.rows("SELECT status, placed::text, total FROM purchase"), [("paid", "2024-05-04", 3)])
