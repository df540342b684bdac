"""What each form of a write requests, to the letter: what is sent, and on which condition. Nothing else is requested or changed."""
import io

import request_text
from dynamo import index

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


class Case(request_text.RequestTestCase):
    """The rows are made by each statement's test, in tables whose items are removed first."""

    TABLES = {}             # DynamoDB table: (hash key, sort key, indexes)
    FOREIGN = {}            # foreign table: (DynamoDB table, columns, options)
    ITEMS = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET dynamo_fdw.scan_policy = 'allow'; SET timezone = 'UTC'; LOAD 'dynamo_fdw'")
        for name, keys in cls.TABLES.items():
            cls.fx.create_table(name, *keys)
        for name, (remote, columns, options) in cls.FOREIGN.items():
            cls.fx.foreign_table(name, columns, table_name=cls.fx.remote(remote), updatable="on", **options)

    def fill(self):
        """The items, and no other."""
        for name, items in self.ITEMS.items():
            remote = self.fx.remote(name)
            keys = [key[0] for key in self.TABLES[name][:2]]
            for item in self.fx.dynamo.call("Scan", {"TableName": remote, "ConsistentRead": True})["Items"]:
                self.fx.dynamo.call("DeleteItem", {"TableName": remote, "Key": {key: item[key] for key in keys}})
            self.fx.put(name, items)

    def assertSends(self, *cases):
        """Pairs of a statement and the texts of its requests, in their order."""
        for sql, expected in cases:
            with self.subTest(sql=sql):
                self.fill()
                self.assertEqual([request_text.request_text(r, self.fx.database) for r in self.fx.requests(sql)], expected)


class Plain(Case):
    """A table whose attributes are columns, one of them in a map of a map."""

    TABLES = {"orders": (("cust", "S"), ("no", "N"))}
    FOREIGN = {"orders": ("orders", "cust text NOT NULL, no int NOT NULL, note text, total numeric, tags text[] OPTIONS (format 'set'), ok boolean, "
                                    "city text OPTIONS (path 'ship.to.city'), info jsonb", {})}
    ITEMS = {"orders": [{"cust": "a", "no": 1, "note": "one", "total": 5, "ok": True, "ship": {"to": {"city": "Rome"}}, "info": {"k": 1}}, {"cust": "a", "no": 2}]}

    def test_insert(self):
        self.assertSends(
            ("INSERT INTO orders VALUES ('b', 1)", ["PutItem orders {cust 'b', no 1} if attribute_not_exists(cust)"]),
            ("INSERT INTO orders VALUES ('b', 1, 'x', 1.50, '{q,p}', false, 'Bonn', '[1, null]')",
             ["PutItem orders {cust 'b', no 1, note 'x', total 1.5, tags {\"SS\": [\"q\", \"p\"]}, ok false, ship {\"M\": {\"to\": {\"M\": {\"city\": {\"S\": \"Bonn\"}}}}}, info {\"L\": [{\"N\": \"1\"}, {\"NULL\": true}]}} if attribute_not_exists(cust)"]),
            ("INSERT INTO orders VALUES ('b', 1, 'x') RETURNING *", ["PutItem orders {cust 'b', no 1, note 'x'} if attribute_not_exists(cust)"]),
            ("INSERT INTO orders VALUES ('b', 1, 'x'), ('b', 1, 'y') ON CONFLICT DO NOTHING", [
                "PutItem orders {cust 'b', no 1, note 'x'} if attribute_not_exists(cust)",
                "PutItem orders {cust 'b', no 1, note 'y'} if attribute_not_exists(cust)"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x') ON CONFLICT (cust, no) DO NOTHING", ["PutItem orders {cust 'a', no 1, note 'x'} if attribute_not_exists(cust)"]))

    def test_upsert(self):
        self.assertSends(
            ("INSERT INTO orders VALUES ('b', 1, 'x') ON CONFLICT (cust, no) DO UPDATE SET note = EXCLUDED.note",
             ["PutItem orders {cust 'b', no 1, note 'x'} if attribute_not_exists(cust)"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x') ON CONFLICT (cust, no) DO UPDATE SET note = EXCLUDED.note", [
                "PutItem orders {cust 'a', no 1, note 'x'} if attribute_not_exists(cust)",
                "UpdateItem orders {cust 'a', no 1} SET note = 'x' if attribute_exists(cust)"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x', 2) ON CONFLICT (cust, no) DO UPDATE SET total = orders.total + EXCLUDED.total", [
                "PutItem orders {cust 'a', no 1, note 'x', total 2} if attribute_not_exists(cust)",
                "UpdateItem orders {cust 'a', no 1} SET total = 7 if attribute_exists(cust) AND total = 5"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x') ON CONFLICT (cust, no) DO UPDATE SET note = EXCLUDED.note WHERE orders.ok RETURNING note, total", [
                "PutItem orders {cust 'a', no 1, note 'x'} if attribute_not_exists(cust)",
                "UpdateItem orders {cust 'a', no 1} SET note = 'x' if attribute_exists(cust) AND ok = true returning ALL_NEW"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x') ON CONFLICT (cust, no) DO UPDATE SET note = EXCLUDED.note WHERE NOT orders.ok",
             ["PutItem orders {cust 'a', no 1, note 'x'} if attribute_not_exists(cust)"]))

    def test_update(self):
        self.assertSends(
            ("UPDATE orders SET note = 'x', total = NULL WHERE cust = 'a' AND no = 1",
             ["UpdateItem orders {cust 'a', no 1} SET note = 'x' REMOVE total if attribute_exists(cust)"]),
            ("UPDATE orders SET note = 'x' WHERE cust = 'a' AND no = 1 AND total > 2", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET note = 'x' if attribute_exists(cust) AND total = 5"]),
            ("UPDATE orders SET total = total + 1 WHERE cust = 'a' AND no = 1", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET total = 6 if attribute_exists(cust) AND total = 5"]),
            ("UPDATE orders SET total = coalesce(total, 0) + 1 WHERE cust = 'a' AND no = 2", [
                "GetItem orders {cust 'a', no 2} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 2} SET total = 1 if attribute_exists(cust) AND attribute_not_exists(total)"]),
            ("UPDATE orders SET note = NULL, total = 7 WHERE cust = 'a' AND no = 1 AND ok", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET total = 7 REMOVE note if attribute_exists(cust) AND ok = true"]),
            ("UPDATE orders SET note = note || '' WHERE cust = 'a' AND no = 1",
             ["GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent"]),
            ("UPDATE orders SET note = note || '!' WHERE cust = 'a' AND no = 1 RETURNING note, no", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET note = 'one!' if attribute_exists(cust) AND note = 'one' returning ALL_NEW"]),
            ("UPDATE orders SET tags = '{b,a}', ok = false WHERE cust = 'a' AND no = 1", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET tags = {\"SS\": [\"b\", \"a\"]},ok = false if attribute_exists(cust) AND attribute_not_exists(tags) AND ok = true"]),
            ("UPDATE orders SET info = info || '{\"m\": [2]}' WHERE cust = 'a' AND no = 1", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET info = {\"M\": {\"k\": {\"N\": \"1\"}, \"m\": {\"L\": [{\"N\": \"2\"}]}}} if attribute_exists(cust) AND info = {\"M\": {\"k\": {\"N\": \"1\"}}}"]))

    def test_paths(self):
        self.assertSends(
            ("UPDATE orders SET city = 'Bonn' WHERE cust = 'a' AND no = 1", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} SET ship.to.city = 'Bonn' if attribute_exists(cust) AND attribute_type(ship.to,'M')"]),
            ("UPDATE orders SET city = NULL WHERE cust = 'a' AND no = 1", [
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 1} REMOVE ship.to.city if attribute_exists(cust) AND attribute_type(ship.to,'M')"]),
            ("UPDATE orders SET city = 'Bonn' WHERE cust = 'a' AND no = 2", [
                "GetItem orders {cust 'a', no 2} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "UpdateItem orders {cust 'a', no 2} SET ship.to.city = 'Bonn' if attribute_exists(cust) AND attribute_type(ship.to,'M')",
                "UpdateItem orders {cust 'a', no 2} SET ship = {\"M\": {\"to\": {\"M\": {\"city\": {\"S\": \"Bonn\"}}}}} if attribute_exists(cust) AND attribute_not_exists(ship)"]))

    def test_delete(self):
        self.assertSends(
            ("DELETE FROM orders WHERE cust = 'a' AND no = 1", ["DeleteItem orders {cust 'a', no 1} if attribute_exists(cust)"]),
            ("DELETE FROM orders WHERE cust = 'a' AND no = 1 AND total = 5 AND tags IS NULL", [
                "GetItem orders {cust 'a', no 1} get cust, no, tags, total consistent",
                "DeleteItem orders {cust 'a', no 1} if attribute_exists(cust) AND total = 5 AND attribute_not_exists(tags)"]),
            ("DELETE FROM orders WHERE cust = 'a' AND no = 1 RETURNING note", [
                "GetItem orders {cust 'a', no 1} get cust, no, note consistent",
                "DeleteItem orders {cust 'a', no 1} if attribute_exists(cust) returning ALL_OLD"]),
            ("DELETE FROM orders WHERE cust = 'a' AND note IS NULL", [
                "Query orders where cust = 'a' filter attribute_not_exists(note) OR attribute_type(note,'NULL') get cust, no, note consistent",
                "DeleteItem orders {cust 'a', no 2} if attribute_exists(cust) AND attribute_not_exists(note)"]))

    def test_atomic(self):
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.assertSends(
            ("WITH i AS (INSERT INTO orders VALUES ('b', 1, 'x')), u AS (UPDATE orders SET total = total + 1 WHERE cust = 'a' AND no = 1) DELETE FROM orders WHERE cust = 'a' AND no = 2", [
                "GetItem orders {cust 'a', no 2} get cust, no consistent",
                "GetItem orders {cust 'a', no 1} get cust, info, no, note, ok, ship.to.city, tags, total consistent",
                "TransactWriteItems Delete orders {cust 'a', no 2} if attribute_exists(cust); Update orders {cust 'a', no 1} SET total = 6 if attribute_exists(cust) AND total = 5; "
                "Put orders {cust 'b', no 1, note 'x'} if attribute_not_exists(cust)"]),
            ("UPDATE orders SET note = 'x' WHERE cust = 'a' AND no = 1", ["TransactWriteItems Update orders {cust 'a', no 1} SET note = 'x' if attribute_exists(cust)"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x'), ('b', 1, 'y') ON CONFLICT DO NOTHING", [
                "TransactWriteItems Put orders {cust 'a', no 1, note 'x'} if attribute_not_exists(cust); Put orders {cust 'b', no 1, note 'y'} if attribute_not_exists(cust)",
                "TransactWriteItems Put orders {cust 'b', no 1, note 'y'} if attribute_not_exists(cust)"]),
            ("INSERT INTO orders VALUES ('a', 1, 'x') ON CONFLICT (cust, no) DO UPDATE SET note = EXCLUDED.note", [
                "TransactWriteItems Put orders {cust 'a', no 1, note 'x'} if attribute_not_exists(cust)",
                "TransactWriteItems Update orders {cust 'a', no 1} SET note = 'x' if attribute_exists(cust)"]))

    def test_copy(self):
        self.fill()
        self.fx.proxy.reset()
        with self.fx.conn.cursor() as cursor:
            cursor.copy_expert("COPY orders (cust, no, note, total) FROM STDIN", io.StringIO("b\t1\tx\t1.50\nb\t2\t\\N\t\\N\n"))
        self.assertEqual(sorted(request_text.request_text(r, self.fx.database) for r in self.fx.proxy.requests if r.operation != "DescribeTable"),
                         ["PutItem orders {cust 'b', no 1, note 'x', total 1.5} if attribute_not_exists(cust)", "PutItem orders {cust 'b', no 2} if attribute_not_exists(cust)"])

    def test_consumed_capacity(self):
        """Each write requests what shows that it was done, and nothing more."""
        for sql in ("INSERT INTO orders VALUES ('b', 1)", "UPDATE orders SET note = 'x'", "DELETE FROM orders"):
            self.fill()
            for request in self.fx.requests(sql):
                if request.operation in WRITES:
                    self.assertEqual(request.body["ReturnConsumedCapacity"], "TOTAL")
                    self.assertNotIn("ReturnItemCollectionMetrics", request.body)


class Mapped(Case):
    """An entity with templates, a constant, and an expiry."""

    TABLES = {"app": (("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1pk", "S"), ("gsi1sk", "S"))])}
    FOREIGN = {
        "purchase": ("app", "customer text NOT NULL, no int NOT NULL, status text OPTIONS (attribute 'status'), placed date OPTIONS (attribute 'placed'), total numeric, n int",
                     {"key_templates": '{"pk": "C#${customer}", "sk": "O#${no:padded(3)}", "gsi1pk": "ORDERS", "gsi1sk": "${status}#${placed}"}',
                      "item_filter": '{"_et": "order"}'}),
        "session": ("app", "id text NOT NULL, until timestamptz OPTIONS (attribute 'exp', format 'epoch'), who text",
                    {"key_templates": '{"pk": "S#${id}", "sk": "S"}', "ttl_attribute": "exp"})}
    ITEMS = {"app": [{"pk": "C#7", "sk": "O#001", "_et": "order", "gsi1pk": "ORDERS", "gsi1sk": "open#2024-05-04", "status": "open", "placed": "2024-05-04", "total": 3},
                     {"pk": "S#a", "sk": "S", "who": "ada"}]}

    def test_insert(self):
        self.assertSends(
            ("INSERT INTO purchase VALUES ('8', 2, 'open', '2024-05-05', 1)", [
                "PutItem app {_et 'order', status 'open', placed '2024-05-05', total 1, pk 'C#8', sk 'O#002', gsi1pk 'ORDERS', gsi1sk 'open#2024-05-05'} if attribute_not_exists(pk)"]),
            ("INSERT INTO purchase (customer, no, total) VALUES ('8', 2, 1)", [
                "PutItem app {_et 'order', total 1, pk 'C#8', sk 'O#002', gsi1pk 'ORDERS'} if attribute_not_exists(pk)"]))

    def test_update(self):
        self.assertSends(
            ("UPDATE purchase SET n = 1 WHERE customer = '7' AND no = 1", [
                "UpdateItem app {pk 'C#7', sk 'O#001'} SET n = 1 if attribute_exists(pk) AND _et = 'order'"]),
            ("UPDATE purchase SET total = total + 1 WHERE customer = '7' AND no = 1", [
                "GetItem app {pk 'C#7', sk 'O#001'} get _et, n, pk, placed, sk, status, total consistent",
                "UpdateItem app {pk 'C#7', sk 'O#001'} SET total = 4 if attribute_exists(pk) AND _et = 'order' AND total = 3"]),
            ("UPDATE purchase SET status = 'paid' WHERE customer = '7' AND no = 1", [
                "GetItem app {pk 'C#7', sk 'O#001'} get _et, n, pk, placed, sk, status, total consistent",
                "UpdateItem app {pk 'C#7', sk 'O#001'} SET status = 'paid',gsi1pk = 'ORDERS',gsi1sk = 'paid#2024-05-04' if attribute_exists(pk) AND _et = 'order' AND placed = '2024-05-04'"]),
            ("UPDATE purchase SET status = NULL WHERE customer = '7' AND no = 1", [
                "GetItem app {pk 'C#7', sk 'O#001'} get _et, n, pk, placed, sk, status, total consistent",
                "UpdateItem app {pk 'C#7', sk 'O#001'} SET gsi1pk = 'ORDERS' REMOVE status,gsi1sk if attribute_exists(pk) AND _et = 'order' AND placed = '2024-05-04'"]),
            ("DELETE FROM purchase WHERE customer = '7' AND no = 1 AND status = 'open'", [
                "GetItem app {pk 'C#7', sk 'O#001'} get _et, pk, sk, status consistent",
                "DeleteItem app {pk 'C#7', sk 'O#001'} if attribute_exists(pk) AND _et = 'order' AND status = 'open'"]),
            ("DELETE FROM purchase WHERE customer = '7' AND no = 1", [
                "DeleteItem app {pk 'C#7', sk 'O#001'} if attribute_exists(pk) AND _et = 'order'"]))

    def test_ttl(self):
        """An item that has expired is no obstacle to an INSERT; the limits of the expiry depend on the time."""
        self.fill()
        [text] = [request_text.request_text(r, self.fx.database) for r in self.fx.requests("INSERT INTO session VALUES ('b', '2040-01-01', 'bob')")]
        self.assertRegex(text, r"^PutItem app \{exp 2208988800, who 'bob', pk 'S#b', sk 'S'\} if attribute_not_exists\(pk\) OR exp BETWEEN [\d.]+ AND [\d.]+$")
        update = [request_text.request_text(r, self.fx.database) for r in self.fx.requests("UPDATE session SET who = 'eve' WHERE id = 'a'")]
        self.assertEqual(update[1:], ["UpdateItem app {pk 'S#a', sk 'S'} SET who = 'eve' if attribute_exists(pk)"])
