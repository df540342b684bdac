"""What rows of tables with key templates, item filters, paths and TTL write: keys, index keys, constants, and which rows are refused."""
import json

import dynamo
import fixture
import psycopg2
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

    def test_text_that_cannot_be_composed(self):
        """An UPDATE of another column leaves a template whose other part is NULL, or cannot have its value, with the column that is read from it."""
        self.fx.foreign_table("noted", "customer text NOT NULL, no int NOT NULL, status text OPTIONS (attribute 'gsi1sk'), note text, total numeric",
                              table_name=self.fx.remote("app"), updatable="on",
                              key_templates='{"pk": "CUSTOMER#${customer}", "sk": "ORDER#${no:padded(5)}", "gsi1sk": "${status}#${note:lower}"}')
        for table, more in (("purchase", {}), ("noted", {}), ("noted", {"note": "\u00d6"})):
            item = {"pk": "CUSTOMER#7", "sk": "ORDER#00012", "gsi1pk": "ORDERS", "gsi1sk": "open#2024-05-04", **more}
            for sql in (f"UPDATE {table} SET total = total + 1 WHERE customer = '7' AND no = 12", f"UPDATE {table} SET total = 2 WHERE status = 'open'",
                        f"INSERT INTO {table} (customer, no) VALUES ('7', 12) ON CONFLICT (customer, no) DO UPDATE SET total = 2"):
                with self.subTest(table=table, more=more, sql=sql):
                    self.fx.put("app", [{**item, "total": 1}])
                    self.assertEqual(self.fx.rows(f"SELECT status FROM {table}"), [("open",)])
                    self.fx.execute(sql)
                    self.assertEqual(self.items(), [dynamo.item({**item, "total": 2})])

    def test_keys_do_not_change(self):
        self.fx.execute("INSERT INTO customer (id, name) VALUES ('7', 'Ada')")
        self.assert_refused("UPDATE customer SET id = '8' WHERE id = '7'", "0A000")
        self.fx.execute("UPDATE customer SET id = '7', name = 'Eva' WHERE id = '7'")
        self.assertEqual(self.fx.rows("SELECT id, name FROM customer"), [("7", "Eva")])

    def test_separator_that_another_occurrence_decides(self):
        """Rows whose key holds the separator are written like others, if they are read; no UPDATE moves the separator, and no INSERT adds one."""
        for n, (templates, more, columns) in enumerate((
                ({"pk": "CUSTOMER#${username}", "sk": "CUSTOMER#${username}"}, {}, "username text NOT NULL"),
                ({"pk": "C#${username}#${city}", "sk": "${username}#X"}, {}, "username text NOT NULL, city text NOT NULL"),
                ({"pk": "C#${username}#${city}", "sk": "${city}#${username}#X", "gsi1pk": "U#${username}"}, {"gsi1pk": "U#o#neil"}, "username text NOT NULL, city text NOT NULL"))):
            name = f"member{n}"
            self.fx.foreign_table(name, f"{columns}, v int, note text", table_name=self.fx.remote("app"), updatable="on", scan_policy="allow", key_templates=json.dumps(templates))
            key = {at: templates[at].replace("${username}", "o#neil").replace("${city}", "Rome") for at in ("pk", "sk")}
            for sql in ("DELETE FROM {t} WHERE username = 'o#neil'", "DELETE FROM {t} WHERE v = 1", "UPDATE {t} SET v = v + 1 WHERE username = 'o#neil'",
                        "UPDATE {t} SET v = 5 WHERE username LIKE 'o#%'", "UPDATE {t} SET v = 7, username = username RETURNING *",
                        "UPDATE {t} SET note = 'x' FROM (VALUES ('o#neil'), ('o#neil')) s(u) WHERE username = u", "DELETE FROM {t} WHERE username = 'o'"):
                with self.subTest(templates=templates, sql=sql):
                    self.setUp()
                    self.fx.put("app", [{**key, **more, "v": 1}])
                    self.fx.execute(f"DROP TABLE IF EXISTS near; CREATE TABLE near AS SELECT * FROM {name}")
                    self.assertEqual(self.fx.rows("SELECT username FROM near"), [("o#neil",)])
                    counts = []
                    for table in (name, "near"):
                        with self.fx.conn.cursor() as cursor:
                            cursor.execute(sql.format(t=table))
                            counts.append((cursor.rowcount, cursor.fetchall() if cursor.description else []))
                    self.assertEqual(*counts)
                    self.assertEqual(self.fx.rows(f"SELECT * FROM {name}"), self.fx.rows("SELECT * FROM near"))
            self.setUp()
            self.fx.put("app", [{**key, **more, "v": 1}])
            before = self.items()
            self.assertIn(self.fx.error(f"UPDATE {name} SET username = 'o'").sqlstate, ("0A000", "22023"))
            self.assertEqual(self.items(), before)

    def test_H10_values_that_no_row_could_have(self):
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


class BetweenReadAndWrite(Case):
    """Another writer changes the row between its read and its write."""

    def update(self, expression, **values):
        """A change by another writer of the order ("7", 12), as a function."""
        def change():
            names = {"#" + name: name for name in values}
            given = {":" + name: {"S": value} for name, value in values.items() if value is not None}
            self.fx.dynamo.call("UpdateItem", {"TableName": self.fx.remote("app"), "Key": {"pk": {"S": "CUSTOMER#7"}, "sk": {"S": "ORDER#00012"}},
                                               "UpdateExpression": expression, "ExpressionAttributeNames": names,
                                               **({"ExpressionAttributeValues": given} if given else {})})
        return change

    def between(self, sql, *changes):
        """Count and item if `changes` are made before the first writes, one before each; how many updates were sent."""
        left = list(changes)

        def concurrently(_):
            if left:
                left.pop(0)()

        self.fx.proxy.reset()
        self.fx.proxy.on("UpdateItem", concurrently)
        try:
            with self.fx.conn.cursor() as cursor:
                cursor.execute(sql)
                count = cursor.rowcount
            sent = [r.operation for r in self.fx.proxy.requests].count("UpdateItem")
        finally:
            self.fx.proxy.reset(scripts=True)
        self.assertEqual(left, [])
        [item] = self.items()
        return count, sent, {name: item[name]["S"] for name in ("gsi1pk", "gsi1sk", "placed") if name in item}

    def order(self):
        """The order before each statement."""
        self.setUp()
        self.fx.execute("INSERT INTO purchase VALUES ('7', 12, 'open', '2024-05-04', 1.50)")

    PLACED = "SET #placed = :placed, #gsi1sk = :gsi1sk"
    NUMBER = "WHERE customer = '7' AND no = 12"

    def test_H08_other_part_of_a_template(self):
        """The key has the new values of both writers, whichever part each of them writes."""
        placed = self.update(self.PLACED, placed="2024-06-05", gsi1sk="open#2024-06-05")
        status = self.update("SET #gsi1sk = :gsi1sk", gsi1sk="paid#2024-05-04")
        for where in (self.NUMBER, self.NUMBER + " AND total > 0", "WHERE customer = '7'"):
            with self.subTest(where=where):
                self.order()
                self.assertEqual(self.between(f"UPDATE purchase SET status = 'paid' {where}", placed),
                                 (1, 2, {"gsi1pk": "ORDERS", "gsi1sk": "paid#2024-06-05", "placed": "2024-06-05"}))
                self.order()
                self.assertEqual(self.between(f"UPDATE purchase SET placed = '2024-06-05' {where}", status),
                                 (1, 2, {"gsi1pk": "ORDERS", "gsi1sk": "paid#2024-06-05", "placed": "2024-06-05"}))

    def test_H08_other_part_changes_twice(self):
        self.order()
        first = self.update(self.PLACED, placed="2024-06-05", gsi1sk="open#2024-06-05")
        second = self.update(self.PLACED, placed="2024-07-06", gsi1sk="open#2024-07-06")
        self.assertEqual(self.between(f"UPDATE purchase SET status = 'paid' {self.NUMBER}", first, second),
                         (1, 3, {"gsi1pk": "ORDERS", "gsi1sk": "paid#2024-07-06", "placed": "2024-07-06"}))

    def test_H08_other_part_becomes_null(self):
        """A column that is read from the template is lost without the other one: the statement fails, as an INSERT of this row."""
        self.order()
        gone = self.update("REMOVE #placed, #gsi1sk", placed=None, gsi1sk=None)
        with self.assertRaises(psycopg2.Error) as raised:
            self.between(f"UPDATE purchase SET status = 'paid' {self.NUMBER}", gone)
        self.assertEqual(raised.exception.pgcode, "23502")
        [item] = self.items()
        self.assertNotIn("gsi1sk", item)
        self.assertNotIn("placed", item)

    def test_H08_other_part_is_null(self):
        """A row is written again though its template cannot be composed; as no guard can hold its text, there is one more request."""
        self.order()
        self.update("REMOVE #placed", placed=None)()
        status = self.update("SET #gsi1sk = :gsi1sk", gsi1sk="paid#2024-05-04")
        self.assertEqual(self.between(f"UPDATE purchase SET total = 2 {self.NUMBER} AND status > 'a'", status),
                         (1, 3, {"gsi1pk": "ORDERS", "gsi1sk": "paid#2024-05-04"}))

    def test_H08_null_and_back(self):
        """A part is set to NULL while the other changes, and is set while the key is not there."""
        self.order()
        placed = self.update(self.PLACED, placed="2024-06-05", gsi1sk="open#2024-06-05")
        self.assertEqual(self.between(f"UPDATE purchase SET status = NULL {self.NUMBER}", placed), (1, 2, {"gsi1pk": "ORDERS", "placed": "2024-06-05"}))
        placed = self.update("SET #placed = :placed", placed="2024-07-06")
        self.assertEqual(self.between(f"UPDATE purchase SET status = 'paid' {self.NUMBER}", placed),
                         (1, 2, {"gsi1pk": "ORDERS", "gsi1sk": "paid#2024-07-06", "placed": "2024-07-06"}))

    def test_H08_value_of_another_column(self):
        """An assigned value that depends on a part of the template."""
        self.order()
        status = self.update("SET #gsi1sk = :gsi1sk", gsi1sk="paid#2024-05-04")
        self.assertEqual(self.between(f"UPDATE purchase SET status = status || '!', placed = placed + 1 {self.NUMBER}", status),
                         (1, 2, {"gsi1pk": "ORDERS", "gsi1sk": "paid!#2024-05-05", "placed": "2024-05-05"}))

    def deletions(self, where, change=lambda: None):
        """How many deletions are sent for the order, and whether it is left, if `change` is made before the first of them."""
        self.fx.proxy.reset()
        self.fx.proxy.on("DeleteItem", lambda _, once=[change]: once.pop()() if once else None)
        try:
            self.fx.execute(f"DELETE FROM purchase {where}")
            return [r.operation for r in self.fx.proxy.requests].count("DeleteItem"), len(self.items())
        finally:
            self.fx.proxy.reset(scripts=True)

    def test_H08_delete(self):
        """The attribute of a template is compared with what was read, even if the statement reads only one part, or the other is NULL."""
        where, gone = f"{self.NUMBER} AND status = 'open'", self.update("REMOVE #gsi1sk", gsi1sk=None)
        self.order()
        self.assertEqual(self.deletions(where), (1, 0))
        self.order()
        self.assertEqual(self.deletions(where, gone), (1, 1))
        self.fx.execute("ALTER FOREIGN TABLE purchase ALTER placed OPTIONS (ADD on_mismatch 'null')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE purchase ALTER placed OPTIONS (DROP on_mismatch)")
        null = self.update("SET #placed = :placed", placed="never")
        self.order()
        null()
        self.assertEqual(self.fx.rows(f"SELECT status, placed FROM purchase {where}"), [("open", None)])
        self.assertEqual(self.deletions(where, gone), (1, 1))

    def test_H08_do_update(self):
        self.order()
        placed = self.update(self.PLACED, placed="2024-06-05", gsi1sk="open#2024-06-05")
        self.assertEqual(self.between("INSERT INTO purchase VALUES ('7', 12, 'paid', '2020-01-01') ON CONFLICT (customer, no) DO UPDATE SET status = EXCLUDED.status", placed),
                         (1, 2, {"gsi1pk": "ORDERS", "gsi1sk": "paid#2024-06-05", "placed": "2024-06-05"}))


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
    """UPDATE and DELETE by the full key that do not read the row."""

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
