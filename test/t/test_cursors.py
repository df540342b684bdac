"""Cursors, savepoints, loops: every way in which core drives a scan otherwise than from its first row to its last."""
import time

import fixture
import shop

KEYS = [(f"2024-{o % 12 + 1:02d}-{o + 1:02d}",) for o in range(30)]
SORTED = sorted(KEYS)
SQL = "SELECT at FROM orders WHERE cust = 'c01' ORDER BY at"


class Slow(fixture.TestCase):
    """A client that takes longer than request_timeout from one FETCH to the next."""

    def test_responses_are_read(self):
        """Those that have arrived in the meantime; no request is sent twice."""
        with fixture.FakeDynamo() as fake:
            fake.table("t", items=[{"pk": {"S": f"k{n:02}"}} for n in range(40)])
            self.fx.server("slow", fake.endpoint, request_timeout=300, max_attempts=1, fetch_size=10, scan_policy="allow")
            self.addCleanup(self.fx.execute, "ROLLBACK; DROP SERVER slow CASCADE")
            self.fx.foreign_table("t", "pk text", server="slow")
            self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT * FROM t")
            rows = []
            while part := self.fx.rows("FETCH 10 FROM c"):
                rows += part
                time.sleep(0.7)
            self.assertEqual(sorted(rows), [(f"k{n:02}",) for n in range(40)])
            pages = [request.body.get("ExclusiveStartKey") for request in fake.requests if request.operation == "Scan"]
            self.assertEqual(pages, [page for i, page in enumerate(pages) if page not in pages[:i]])


class Cursors(fixture.TestCase):
    """DECLARE, FETCH, MOVE."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")

    def setUp(self):
        self.fx.execute("BEGIN")
        self.addCleanup(self.fx.execute, "ROLLBACK")

    def test_forward_in_parts(self):
        """Rows come once, in order, however many are fetched at a time."""
        for size in (1, 7, 10, 29, 30, 31):
            with self.subTest(size):
                self.fx.execute(f"DECLARE c NO SCROLL CURSOR FOR {SQL}")
                rows = []
                while part := self.fx.rows(f"FETCH {size} FROM c"):
                    rows += part
                self.assertEqual(rows, SORTED)
                self.fx.execute("CLOSE c")

    def test_plain_cursor_over_each_access(self):
        """The same holds for several keys, segments or batches."""
        for sql, count in (("SELECT at FROM orders WHERE cust IN ('c01', 'c02')", 60), ("SELECT at FROM orders", 600),
                           ("SELECT total FROM orders WHERE ship = 's3'", 3), ("SELECT count(*) FROM orders", 1),
                           ("SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND at IN ('2024-01-01', '2024-02-02')", 4)):
            with self.subTest(sql):
                self.fx.execute(f"DECLARE c CURSOR FOR {sql}")
                found = []
                while part := self.fx.rows("FETCH 7 FROM c"):
                    found += part
                self.assertEqual(len(found), count)
                self.assertEqual(sorted(found), sorted(self.fx.rows(sql)))
                self.fx.execute("CLOSE c")

    def test_backward(self):
        """A scroll cursor turns round wherever it is, without further requests."""
        self.fx.execute(f"DECLARE c SCROLL CURSOR FOR {SQL}")
        self.assertEqual(self.fx.rows("FETCH 5 FROM c"), SORTED[:5])
        self.assertEqual(self.fx.rows("FETCH BACKWARD 3 FROM c"), SORTED[1:4][::-1])
        self.assertEqual(self.fx.rows("FETCH LAST FROM c"), SORTED[-1:])
        self.assertEqual(self.fx.rows("FETCH FIRST FROM c"), SORTED[:1])
        self.assertEqual(self.fx.rows("FETCH ABSOLUTE 12 FROM c"), SORTED[11:12])
        self.assertEqual(self.fx.requests("FETCH BACKWARD ALL FROM c"), [])

    def test_not_backward(self):
        """Without SCROLL, PostgreSQL rejects fetching backward."""
        self.fx.execute(f"DECLARE c NO SCROLL CURSOR FOR {SQL}")
        self.fx.rows("FETCH 5 FROM c")
        self.assertEqual(self.fx.error("FETCH BACKWARD 1 FROM c").sqlstate, "55000")

    def test_move(self):
        """MOVE skips rows."""
        self.fx.execute(f"DECLARE c CURSOR FOR {SQL}")
        self.fx.execute("MOVE 10 IN c")
        self.assertEqual(self.fx.rows("FETCH 2 FROM c"), SORTED[10:12])

    def test_two_at_once(self):
        """Two cursors over one table are fetched alternately."""
        self.fx.execute(f"DECLARE a CURSOR FOR {SQL}; DECLARE b CURSOR FOR {SQL} DESC")
        for start in range(0, 30, 10):
            self.assertEqual(self.fx.rows("FETCH 10 FROM a"), SORTED[start:start + 10])
            self.assertEqual(self.fx.rows("FETCH 10 FROM b"), SORTED[::-1][start:start + 10])

    def test_survives_a_savepoint_that_is_rolled_back(self):
        """An error in a subtransaction does not affect the outer cursor."""
        self.fx.execute(f"ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '4'); DECLARE c CURSOR FOR {SQL}")
        self.assertEqual(self.fx.rows("FETCH 6 FROM c"), SORTED[:6])
        self.fx.execute("SAVEPOINT s")
        self.fx.error("SELECT (at || 'x')::int FROM orders WHERE cust = 'c02'")
        self.fx.execute("ROLLBACK TO s")
        self.assertEqual(self.fx.rows("FETCH ALL FROM c"), SORTED[6:])

    def test_with_hold(self):
        """What is held outlives its transaction, and the server need not be queried any more."""
        self.fx.execute(f"DECLARE c CURSOR WITH HOLD FOR {SQL}")
        self.assertEqual(self.fx.rows("FETCH 3 FROM c"), SORTED[:3])
        self.fx.execute("COMMIT")
        self.assertEqual(self.fx.requests("FETCH 10 FROM c"), [])
        self.assertEqual(self.fx.rows("FETCH ALL FROM c"), SORTED[13:])
        self.fx.execute("CLOSE c; BEGIN")

    def test_abandoned(self):
        """A cursor that is closed early leaves nothing in flight."""
        self.fx.execute("DECLARE c CURSOR FOR SELECT * FROM orders")
        self.fx.rows("FETCH 1 FROM c")
        self.fx.execute("CLOSE c")
        self.assertEqual(self.fx.rows(SQL), SORTED)


class Driven(fixture.TestCase):
    """Loops, subtransactions, errors in the middle."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '4')")

    def run_block(self, body, declare=""):
        """The value that a plpgsql block puts into `result`."""
        self.fx.execute(f"CREATE OR REPLACE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ DECLARE result text := ''; r record;"
                        f" {declare} BEGIN {body} RETURN result; END $$")
        return self.fx.value("SELECT f()")

    def test_loop(self):
        """A FOR loop fetches ten rows, then fifty at a time."""
        self.assertEqual(self.run_block(f"FOR r IN {SQL} LOOP result := result || r.at || ','; END LOOP;"),
                         "".join(f"{at}," for at, in SORTED))

    def test_loop_left_early(self):
        """EXIT closes the scan."""
        self.assertEqual(self.run_block(f"FOR r IN {SQL} LOOP result := r.at; EXIT; END LOOP;"), SORTED[0][0])

    def test_query_within_a_loop(self):
        """One statement runs while another is half read."""
        self.assertEqual(self.run_block(
            f"FOR r IN {SQL} LOOP result := result || (SELECT count(*) FROM orders WHERE cust = 'c02' AND at = r.at); END LOOP;"),
            "1" * 30)

    def test_exceptions_within_a_loop(self):
        """Each error ends a subtransaction; the loop goes on."""
        body = f"""FOR r IN {SQL} LOOP
                     BEGIN PERFORM (at || 'x')::int FROM orders WHERE cust = 'c02' AND at >= r.at;
                     EXCEPTION WHEN invalid_text_representation THEN result := result || 'e'; END;
                   END LOOP;"""
        self.assertEqual(self.run_block(body), "e" * 30)

    def test_error_rolled_back_to_a_savepoint(self):
        """After an error of DynamoDB's own the transaction can go on from the savepoint."""
        self.fx.execute("BEGIN; SAVEPOINT s")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.fx.execute("CREATE FOREIGN TABLE missing (a text) SERVER ddb")
        self.fx.error("SELECT * FROM missing")
        self.fx.execute("ROLLBACK TO s")
        self.assertEqual(self.fx.rows(SQL), SORTED)

    def test_returned_set(self):
        """A set-returning SQL function, and one whose caller stops early."""
        self.fx.execute("CREATE OR REPLACE FUNCTION ats(c text) RETURNS SETOF text LANGUAGE sql VOLATILE AS"
                        " 'SELECT at FROM orders WHERE cust = c ORDER BY at'")
        self.assertEqual(self.fx.rows("SELECT * FROM ats('c01')"), SORTED)
        self.assertEqual(self.fx.rows("SELECT ats('c01') LIMIT 3"), SORTED[:3])

    def test_materialised_rescan(self):
        """A join without a key reads the table once, and rescans a Materialize."""
        sql = "SELECT count(*) FROM generate_series(1, 5) g LEFT JOIN orders ON cust = 'c01' AND total > g * 50"
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin")
        self.assertEqual(self.fx.value(sql), sum(sum(o * 10 + 0.25 > g * 50 for o in range(30)) for g in range(1, 6)))

    def test_hashed_and_correlated_subplans(self):
        """The same rows by a hashed subplan, by a correlated one, and by a join."""
        right = sum(o % 10 == 0 for o in range(30))
        for sql in ("SELECT count(*) FROM orders o WHERE cust = 'c01' AND at IN (SELECT at FROM orders WHERE ship = 's2')",
                    "SELECT count(*) FROM orders o WHERE cust = 'c01' AND at = ANY (ARRAY(SELECT at FROM orders"
                    " WHERE ship = 's2'))",
                    "SELECT count(*) FROM orders o WHERE cust = 'c01' AND (EXISTS (SELECT FROM orders i WHERE ship = 's2'"
                    " AND i.at = o.at) OR false)"):
            self.assertEqual(self.fx.value(sql), right, sql)
        self.assertEqual(self.fx.value("SELECT count(*) FROM orders WHERE cust = 'c01' AND at NOT IN"
                                       " (SELECT at FROM orders WHERE ship = 's2')"), 30 - right)
