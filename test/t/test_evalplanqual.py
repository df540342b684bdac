"""READ COMMITTED: a row that another transaction changed in the meantime is checked again, together with what it was joined to.

pg_isolation_regress cannot know the endpoint, so this is done with two connections.
"""
import threading

import fixture
import shop
from dynamo import index


class EvalPlanQual(fixture.TestCase):
    """UPDATE of a local table joined to a foreign one, while the other side holds the row."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("prices", ("code", "S"), ("day", "S"))
        cls.fx.put("prices", [{"code": c, "day": "d1", "price": p, "kind": "k"} for c, p in (("a", 10), ("b", 20), ("c", 30))])
        cls.fx.foreign_table("prices", 'code text COLLATE "C" NOT NULL, day text NOT NULL, price int, kind text',
                             scan_policy="allow")
        shop.pretend_large(cls.fx, 1_000_000)
        cls.fx.execute("CREATE TABLE cart (id int PRIMARY KEY, code text, amount int, paid int)")

    def setUp(self):
        self.fx.execute("TRUNCATE cart; INSERT INTO cart VALUES (1, 'a', 1, 0), (2, 'b', 1, 0)")
        self.other = self.fx.connect()
        self.addCleanup(self.other.close)
        self.addCleanup(self.fx.execute, "RESET ALL")

    def race(self, first, second, end="COMMIT"):
        """`first` changes the row and waits, `second` runs into the lock, `first` ends; what `second` returns."""
        result = []
        cursor = self.other.cursor()
        cursor.execute(f"BEGIN; {first}")
        waiter = threading.Thread(target=lambda: result.append(self.attempt(second)))
        waiter.start()
        try:
            self.await_lock()
        finally:
            cursor.execute(end)
        waiter.join(30)
        self.assertFalse(waiter.is_alive())
        return result[0]

    def attempt(self, sql):
        """The rows, or the error."""
        try:
            return self.fx.rows(sql)
        except fixture.psycopg2.Error as failure:
            return failure

    def await_lock(self):
        """Until the statement waits."""
        watcher = self.fx.connect()
        with watcher.cursor() as cursor:
            for _ in range(1000):
                cursor.execute("SELECT count(*), pg_sleep(0.01) FROM pg_stat_activity WHERE pid = %s"
                               " AND wait_event_type = 'Lock'", (self.fx.conn.info.backend_pid,))
                if cursor.fetchone()[0]:
                    break
            else:
                self.fail("the statement does not wait")
        watcher.close()

    UPDATE = "UPDATE cart SET paid = amount * price FROM prices p WHERE p.code = cart.code AND day = 'd1' AND id = 1" \
             " RETURNING id, amount, price, paid"

    def each_join(self):
        """Nested loop by key, with its rows read ahead or not, hash join, merge join: set one after the other."""
        for kind, ahead in (("nestloop", "on"), ("nestloop", "off"), ("hashjoin", "on"), ("mergejoin", "on")):
            others = {"nestloop", "hashjoin", "mergejoin"} - {kind}
            self.fx.execute("; ".join(f"SET enable_{other} = off" for other in others) + f"; SET enable_{kind} = on;"
                            f"SET dynamo_fdw.enable_lookup_join = {ahead}")
            with self.subTest(kind, ahead=ahead):
                self.fx.execute("UPDATE cart SET code = 'a', amount = 1, paid = 0 WHERE id = 1")
                self.assertEqual("DynamoLookupJoin" in self.fx.explain(self.UPDATE), kind == "nestloop" and ahead == "on")
                yield kind

    def test_rows_read_ahead(self):
        """The row that changed is in the middle of a batch; the others are updated as they were."""
        self.fx.execute("INSERT INTO cart SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3], i, 0 FROM generate_series(3, 40) i")
        sql = "UPDATE cart SET paid = amount * price FROM prices p WHERE p.code = cart.code AND day = 'd1' RETURNING id, amount, paid"
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        rows = self.race("UPDATE cart SET amount = 100, code = 'a' WHERE id = 12; UPDATE cart SET code = 'c' WHERE id = 13", sql)
        self.assertEqual(len(rows), 39)         # 13 joins no longer with what was fetched for it
        self.assertIn((12, 100, 1000), rows)
        self.assertEqual(sorted(rows)[:2], [(1, 1, 10), (2, 1, 20)])

    def test_other_column_changed(self):
        """The update uses the new amount, and the price that was fetched before."""
        for _ in self.each_join():
            self.assertEqual(self.race("UPDATE cart SET amount = 5 WHERE id = 1", self.UPDATE), [(1, 5, 10, 50)])

    def test_join_column_changed(self):
        """The row joins no longer with what was fetched: it is left alone, as core does with local tables."""
        for _ in self.each_join():
            self.assertEqual(self.race("UPDATE cart SET code = 'c' WHERE id = 1", self.UPDATE), [])
            self.assertEqual(self.fx.value("SELECT paid FROM cart WHERE id = 1"), 0)

    def test_subquery(self):
        """SET from a subquery is computed again, with the new row."""
        sql = "UPDATE cart SET paid = (SELECT sum(price) FROM prices p WHERE p.code = cart.code AND p.day = 'd1') RETURNING id, paid"
        for ahead in ("on", "off"):
            self.fx.execute(f"SET dynamo_fdw.enable_lookup_join = {ahead}; UPDATE cart SET code = 'a' WHERE id = 1")
            self.assertEqual("DynamoLookupJoin" in self.fx.explain(sql), ahead == "on")
            self.assertEqual(sorted(self.race("UPDATE cart SET code = 'c' WHERE id = 1", sql)), [(1, 30), (2, 20)])

    def test_row_deleted(self):
        """A deleted row is not updated."""
        self.assertEqual(self.race("DELETE FROM cart WHERE id = 1", self.UPDATE), [])

    def test_rolled_back(self):
        """After a rollback of the other transaction the row is updated normally."""
        self.assertEqual(self.race("UPDATE cart SET amount = 5 WHERE id = 1", self.UPDATE, "ROLLBACK"), [(1, 1, 10, 10)])

    def test_condition_on_both(self):
        """A condition over both tables is checked with the new row."""
        sql = self.UPDATE.replace(" RETURNING", " AND amount < price / 3 RETURNING")
        for _ in self.each_join():
            self.assertEqual(self.race("UPDATE cart SET amount = 9 WHERE id = 1", sql), [])
            self.fx.execute("UPDATE cart SET amount = 1 WHERE id = 1")
            self.assertEqual(self.race("UPDATE cart SET amount = 2 WHERE id = 1", sql), [(1, 2, 10, 20)])

    def test_range_by_the_local_row(self):
        """The condition on the sort key uses a column that changes in the meantime."""
        sql = "UPDATE cart SET paid = price FROM prices p WHERE p.code = cart.code AND p.day > 'd' || cart.amount - 1" \
              " AND id = 1 RETURNING paid"
        self.assertEqual(self.race("UPDATE cart SET amount = 1, paid = 7 WHERE id = 1", sql), [(10,)])
        self.assertEqual(self.race("UPDATE cart SET amount = 5 WHERE id = 1", sql), [])

    def test_scan_of_the_foreign_table(self):
        """The foreign table is joined without a key."""
        sql = "UPDATE cart SET paid = price FROM prices p WHERE p.price = cart.amount * 10 AND kind = 'k' AND id = 1" \
              " RETURNING paid"
        self.assertEqual(self.race("UPDATE cart SET paid = 3 WHERE id = 1", sql), [(10,)])
        self.assertEqual(self.race("UPDATE cart SET amount = 2 WHERE id = 1", sql), [])

    def test_union(self):
        """The arms of an OR: all conditions are checked again with the row that was fetched before."""
        self.fx.create_table("stocks", ("code", "S"), None, [index("by_kind", ("kind", "S"))])
        self.fx.put("stocks", [{"code": c, "price": p, "kind": "k"} for c, p in (("a", 10), ("b", 20), ("c", 30))])
        self.fx.foreign_table("stocks", 'code text COLLATE "C" NOT NULL, price int, kind text', scan_policy="allow")
        sql = "UPDATE cart SET paid = amount * price FROM (SELECT * FROM stocks WHERE code = 'a' OR kind = 'k') p" \
              " WHERE p.price = cart.amount * 10 AND id = 1 RETURNING id, amount, paid"
        for kind in ("nestloop", "hashjoin"):
            self.fx.execute("RESET ALL; SET enable_mergejoin = off; UPDATE cart SET amount = 1, paid = 0 WHERE id = 1;"
                            f"SET enable_{'hashjoin' if kind == 'nestloop' else 'nestloop'} = off")
            self.assertIn("Union", self.fx.explain(sql))
            with self.subTest(kind):
                self.assertEqual(self.race("UPDATE cart SET paid = 3 WHERE id = 1", sql), [(1, 1, 10)])
                self.assertEqual(self.race("UPDATE cart SET amount = 2 WHERE id = 1", sql), [])

    def test_left_join(self):
        """The foreign side of a left join may have no match."""
        sql = "UPDATE cart SET paid = coalesce(v.price, -1) FROM (SELECT c.id, p.price FROM cart c LEFT JOIN prices p" \
              " ON p.code = c.code AND day = 'none') v WHERE v.id = cart.id AND cart.id = 1 RETURNING amount, paid"
        self.assertEqual(self.race("UPDATE cart SET amount = 5 WHERE id = 1", sql), [(5, -1)])

    def test_delete_using(self):
        """DELETE ... USING checks the changed row again."""
        sql = "DELETE FROM cart USING prices p WHERE p.code = cart.code AND day = 'd1' AND amount < price AND id = 1" \
              " RETURNING id"
        self.assertEqual(self.race("UPDATE cart SET amount = 50 WHERE id = 1", sql), [])
        self.fx.execute("UPDATE cart SET amount = 1 WHERE id = 1")
        self.assertEqual(self.race("UPDATE cart SET amount = 5 WHERE id = 1", sql), [(1,)])

    def test_select_for_update(self):
        """FOR UPDATE of the local side, the foreign side is not fetched again."""
        sql = "SELECT amount, price FROM cart JOIN prices p USING (code) WHERE day = 'd1' AND id = 1 FOR UPDATE"
        for _ in self.each_join():
            self.assertEqual(self.race("UPDATE cart SET amount = 5 WHERE id = 1", sql), [(5, 10)])
            self.assertEqual(self.race("UPDATE cart SET code = 'b' WHERE id = 1", sql), [])

    def test_columns(self):
        """The copy of a joined or locked row has the columns of the statement, not all of them."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        for sql, columns in ((self.UPDATE, {"code", "day", "price"}), (f"{self.UPDATE}, kind", {"code", "day", "price", "kind"}), (f"{self.UPDATE}, p", {"code", "day", "price", "kind"}),
                             ("DELETE FROM cart USING prices p WHERE p.code = cart.code AND day = 'd1' AND id = 3", {"code", "day"}),
                             ("SELECT price FROM prices WHERE code = 'a' AND day = 'd1' FOR UPDATE", {"code", "day", "price"}),
                             ("SELECT price FROM prices p WHERE code = 'a' AND day = 'd1' ORDER BY p FOR UPDATE", {"code", "day", "price", "kind"}),
                             ("SELECT amount FROM cart JOIN prices USING (code) WHERE day = 'd1' AND id = 1 FOR SHARE OF cart", {"code", "day"}),
                             ("SELECT amount, q.p FROM cart JOIN LATERAL (SELECT p FROM prices p WHERE code = cart.code AND day = 'd1') q ON true WHERE id = 1 FOR UPDATE OF cart",
                              {"code", "day", "price", "kind"}),
                             ("MERGE INTO cart USING prices p ON p.code = cart.code AND day = 'd1' AND id = 1 WHEN MATCHED THEN UPDATE SET paid = price", {"code", "day", "price"})):
            with self.subTest(sql):
                self.fx.execute("INSERT INTO cart VALUES (3, 'c', 1, 0) ON CONFLICT DO NOTHING")
                for request in self.fx.requests(sql):
                    body = request.body
                    body = next(iter(body["RequestItems"].values())) if "RequestItems" in body else body
                    names = body.get("ExpressionAttributeNames", {})
                    self.assertEqual({names.get(name, name) for name in body["ProjectionExpression"].split(",")}, columns)

    def test_other_column_of_another_type(self):
        """A locked row is returned although a column that the statement does not name cannot be converted."""
        self.fx.foreign_table("ill", 'code text COLLATE "C" NOT NULL, day text NOT NULL, price int, kind int', table_name=self.fx.remote("prices"))
        self.assertEqual(self.fx.rows("SELECT price FROM ill WHERE code = 'a' AND day = 'd1' FOR UPDATE"), [(10,)])
        self.assertEqual(self.fx.rows("UPDATE cart SET paid = price FROM ill WHERE ill.code = cart.code AND day = 'd1' AND id = 1 RETURNING paid"), [(10,)])

    def test_correlated_subquery(self):
        """A subquery over the foreign table is evaluated again for the new row."""
        sql = "UPDATE cart SET paid = (SELECT price FROM prices WHERE code = cart.code AND day = 'd1') WHERE id = 1" \
              " RETURNING paid"
        self.assertEqual(self.race("UPDATE cart SET code = 'c' WHERE id = 1", sql), [(30,)])
