"""Statements that write one entity of a DynamoDB table and read others: they see the rows as they were, as on local tables."""
import fixture
from writes import comparable

WRITES = ("PutItem", "UpdateItem", "DeleteItem")

TABLES = {
    "customer": ('id text COLLATE "C" NOT NULL, name text, spent numeric, orders int', "id",
                 '{"pk": "CUSTOMER#${id}", "sk": "PROFILE"}'),
    "orders": ('customer text COLLATE "C" NOT NULL, no int NOT NULL, status text, total numeric', "customer, no",
               '{"pk": "CUSTOMER#${customer}", "sk": "ORDER#${no:padded(3)}"}'),
    "order_line": ('customer text COLLATE "C" NOT NULL, no int NOT NULL, line int NOT NULL, sku text, price numeric, quantity int',
                   "customer, no, line", '{"pk": "CUSTOMER#${customer}", "sk": "LINE#${no:padded(3)}#${line:padded(2)}"}'),
}
ROWS = """
INSERT INTO customer SELECT 'c' || c, 'n' || c, 0, 0 FROM generate_series(1, 4) c;
INSERT INTO orders SELECT 'c' || c, o, CASE WHEN o % 2 = 0 THEN 'paid' ELSE 'open' END, c * 10 + o FROM generate_series(1, 3) c, generate_series(1, 4) o;
INSERT INTO order_line SELECT 'c' || c, o, l, 's' || (c + l) % 3, c + o / 4.0, l FROM generate_series(1, 3) c, generate_series(1, 4) o, generate_series(1, c) l"""

# of other entities: what they write is not what they read, but it is in the same DynamoDB table
OTHERS = [
    "UPDATE orders SET total = (SELECT sum(price * quantity) FROM order_line l WHERE l.customer = orders.customer AND l.no = orders.no)",
    "UPDATE orders SET total = (SELECT sum(price * quantity) FROM order_line l WHERE l.customer = orders.customer AND l.no = orders.no) WHERE customer = 'c2'",
    "UPDATE customer SET spent = (SELECT sum(total) FROM orders o WHERE o.customer = id), orders = (SELECT count(*) FROM orders o WHERE o.customer = id)",
    "UPDATE customer SET (spent, orders) = (SELECT sum(total), count(*) FROM orders o WHERE o.customer = id AND status = 'paid')",
    "UPDATE orders SET status = name FROM customer c WHERE c.id = orders.customer",
    "UPDATE orders SET total = total + s FROM (SELECT customer, no, sum(price) AS s FROM order_line GROUP BY 1, 2) l WHERE (l.customer, l.no) = (orders.customer, orders.no)",
    "DELETE FROM order_line l USING orders o WHERE (o.customer, o.no) = (l.customer, l.no) AND o.status = 'paid'",
    "DELETE FROM customer WHERE NOT EXISTS (SELECT FROM orders WHERE customer = id)",
    "DELETE FROM orders WHERE (SELECT count(*) FROM order_line l WHERE l.customer = orders.customer AND l.no = orders.no) < 2",
    "INSERT INTO orders SELECT id, 9, name, spent FROM customer",
    "INSERT INTO order_line SELECT customer, no, 50, status, total, 1 FROM orders WHERE status = 'open'",
    "INSERT INTO customer SELECT DISTINCT 'x' || sku, 'from ' || sku FROM order_line",
    "INSERT INTO orders SELECT customer, no + 1, 'next', sum(price) FROM order_line GROUP BY 1, 2 ON CONFLICT (customer, no) DO UPDATE SET total = EXCLUDED.total + orders.total",
    "WITH l AS (DELETE FROM order_line WHERE customer = 'c1' RETURNING customer, no) UPDATE orders SET status = 'empty' FROM l WHERE (l.customer, l.no) = (orders.customer, orders.no)",
    "WITH o AS (UPDATE orders SET status = 'seen' WHERE customer = 'c2'), l AS (INSERT INTO order_line SELECT customer, no, 60 FROM orders WHERE status = 'seen')"
    " UPDATE customer SET orders = (SELECT count(*) FROM orders WHERE status = 'seen')",
]

# "same" is another foreign table, of another server, that shows the same items as orders
SAME = [
    "INSERT INTO orders SELECT customer, no + 100, status, total FROM same",
    "INSERT INTO same SELECT customer, no + 100, status, total FROM orders WHERE total > 12",
    "UPDATE orders SET total = total + (SELECT count(*) FROM same WHERE same.total > orders.total)",
    "UPDATE orders SET total = (SELECT max(total) + 1 FROM same WHERE same.customer = orders.customer)",
    "UPDATE orders SET total = same.total * 2 FROM same WHERE same.customer = orders.customer AND same.no = orders.no % 4 + 1",
    "DELETE FROM orders WHERE total > (SELECT avg(total) FROM same WHERE same.customer = orders.customer)",
    "DELETE FROM orders USING same WHERE same.customer = orders.customer AND same.no = orders.no + 1",
    "WITH o AS (UPDATE orders SET total = 0) INSERT INTO customer SELECT 'y' || customer || no, status, total FROM same",
    "INSERT INTO orders SELECT customer, no + 1, 'moved', total FROM same ON CONFLICT (customer, no) DO UPDATE SET total = orders.total + EXCLUDED.total",
]


class Entities(fixture.TestCase):
    """All settings as they are. The tables have the same names in two schemas: far has the foreign ones, near the local ones."""

    SETTINGS = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET dynamo_fdw.scan_policy = 'allow'; CREATE SCHEMA far; CREATE SCHEMA near; LOAD 'dynamo_fdw'")
        fx.create_table("app", ("pk", "S"), ("sk", "S"))
        fx.server("twin", fx.proxy.endpoint)
        for name, (columns, key, templates) in TABLES.items():
            fx.foreign_table(name, columns, table_name=fx.remote("app"), updatable="on", key_templates=templates)
            fx.execute(f"ALTER FOREIGN TABLE {name} SET SCHEMA far; CREATE TABLE near.{name} ({columns}, PRIMARY KEY ({key}))")
        columns, _, templates = TABLES["orders"]
        fx.foreign_table("same", columns, server="twin", table_name=fx.remote("app"), updatable="on", key_templates=templates)
        fx.execute(f"ALTER FOREIGN TABLE same SET SCHEMA far; CREATE VIEW near.same AS SELECT * FROM near.orders; {cls.SETTINGS}")

    def in_schema(self, schema, sql):
        """Count and rows of a statement, and then all rows of all tables."""
        with self.fx.conn.cursor() as cursor:
            cursor.execute(f"SET search_path = {schema}, public")
            for name in reversed(TABLES):
                cursor.execute(f"DELETE FROM {name}")
            cursor.execute(ROWS)
            self.fx.proxy.reset()
            cursor.execute(sql)
            outcome = cursor.rowcount, comparable(cursor.fetchall()) if cursor.description else []
            requests = [r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"]
            tables = {}
            for name in TABLES:
                cursor.execute(f"SELECT * FROM {name}")
                tables[name] = comparable(cursor.fetchall())
        return (outcome, tables), requests

    def compare(self, statements):
        """Each is executed as on local tables, and writes nothing before it has read everything."""
        for sql in statements:
            with self.subTest(sql):
                near, _ = self.in_schema("near", sql)
                far, requests = self.in_schema("far", sql)
                self.assertEqual(far, near)
                self.assertGreater(near[0][0], 0)
                wrote = [operation in WRITES for operation in requests]
                self.assertIn(True, wrote)
                self.assertEqual(wrote, sorted(wrote), requests)

    def test_H19_other_entities(self):
        self.compare(OTHERS)

    def test_H19_same_items(self):
        self.compare(SAME)


class WithoutCachedReads(Entities):
    """Nothing is read twice from memory."""

    SETTINGS = "SET dynamo_fdw.enable_cached_reads = off"


class WithoutSharedReads(Entities):
    """Each scan sends its own requests."""

    SETTINGS = "SET dynamo_fdw.enable_shared_reads = off"


class WithoutLookups(Entities):
    """No lookup joins, and neither of the other two."""

    SETTINGS = "SET dynamo_fdw.enable_lookup_join = off; SET dynamo_fdw.enable_shared_reads = off; SET dynamo_fdw.enable_cached_reads = off"


class NestedLoops(Entities):
    """Joins that read their inner side again, or look it up."""

    SETTINGS = "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off"
