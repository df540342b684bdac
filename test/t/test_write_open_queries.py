"""Open queries do not see what the session writes after them: cursors, loops, and queries that call functions which write."""
import psycopg2

import writes
import replies

LENGTH = 8000
PAD = f"repeat('x', {LENGTH})"
COUNT = 24                      # more than PL/pgSQL fetches at first


class TestCase(writes.TestCase):
    """One partition of eight pages."""

    ROWS = ", ".join(f"('p', {n}, {PAD}, {n}, NULL, NULL)" for n in range(1, COUNT + 1))
    CREATE = "CREATE OR REPLACE FUNCTION"

    def setUp(self):
        super().setUp()
        self.fx.proxy.on("Query", writes.shorten)
        self.fx.proxy.on("Scan", writes.shorten)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute(f"""{self.CREATE} add(k int) RETURNS int LANGUAGE plpgsql AS $$
            BEGIN
                EXECUTE format('INSERT INTO %s VALUES (''p'', $1, {PAD.replace("'", "''")})', current_setting('x.t')) USING k;
                RETURN k;
            END $$""")

    def both_rows(self, sql):
        """The rows of a query, the same over both tables."""
        found = []
        for table in ("near", "far"):
            self.fx.execute(f"SET x.t = {table}")
            found.append(self.fx.rows(sql.replace("{t}", table)))
        self.assertEqual(found[1], found[0], sql)
        self.assertSameTables(sql)
        return found[1]


class Loops(TestCase):
    """FOR loops of PL/pgSQL."""

    def create_loop(self, query, body):
        """A function that returns the numbers that a loop over a table has seen, at most a hundred."""
        self.fx.execute(f"""{self.CREATE} looped(name text) RETURNS SETOF int LANGUAGE plpgsql AS $$
            DECLARE r record; seen int := 0;
            BEGIN
                FOR r IN EXECUTE format('{query.replace("'", "''")}', name) LOOP
                    seen := seen + 1;
                    EXIT WHEN seen > 100;
                    RETURN NEXT r.n;
                    {body}
                END LOOP;
            END $$""")

    def loop(self, query, body):
        """The numbers, the same for both tables."""
        self.create_loop(query, body)
        return [n for n, in self.both_rows("SELECT looped('{t}')")]

    def test_inserts_into_its_own_table(self):
        self.assertEqual(self.loop("SELECT n FROM %I WHERE id = 'p' ORDER BY n", "PERFORM add(r.n + 100);"), list(range(1, COUNT + 1)))

    def test_deletes_later_rows(self):
        self.assertEqual(self.loop("SELECT n FROM %I WHERE id = 'p' ORDER BY n", "EXECUTE format('DELETE FROM %I WHERE id = ''p'' AND n > $1', name) USING r.n;"),
                         list(range(1, COUNT + 1)))

    def test_changes_later_rows(self):
        self.assertEqual(self.loop("SELECT total::int AS n FROM %I WHERE id = 'p' ORDER BY n", "EXECUTE format('UPDATE %I SET total = total + 1 WHERE id = ''p'' AND n > 20', name);"),
                         list(range(1, COUNT + 1)))

    def test_scan(self):
        self.assertEqual(sorted(self.loop("SELECT n FROM %I", "PERFORM add(r.n + 1000);")), list(range(1, COUNT + 1)))

    def test_rolled_back_write(self):
        """The rows that were read before the write outlive its subtransaction, in a file too."""
        for work_mem in ("64kB", "64MB"):
            with self.subTest(work_mem):
                self.setUp()
                self.fx.execute(f"SET work_mem = '{work_mem}'")
                self.addCleanup(self.fx.execute, "RESET work_mem")
                body = "BEGIN PERFORM add(r.n + 100); PERFORM 1 / (r.n - 2); EXCEPTION WHEN division_by_zero THEN NULL; END;"
                query = "SELECT n, length(note) AS l, note FROM %I WHERE id = 'p' ORDER BY n"
                self.fx.execute("SET x.t = far")
                self.fx.execute("DELETE FROM far WHERE n > 100")
                self.create_loop(query, body)       # in the local table, the writes would be rolled back
                self.assertEqual([n for n, in self.fx.rows("SELECT looped('far')")], list(range(1, COUNT + 1)))


class Cursors(TestCase):
    """DECLARE and FETCH."""

    def setUp(self):
        super().setUp()
        self.fx.execute("SET x.t = far; BEGIN")
        self.addCleanup(self.fx.execute, "ROLLBACK")

    def test_requests(self):
        """The first write of a table reads the rest, a write of another table does not."""
        self.fx.create_table("others", self.HASH, self.RANGE)
        self.fx.foreign_table("others", self.COLUMNS, table_name=self.fx.remote("others"), updatable="true")
        self.fx.execute("DECLARE c CURSOR FOR SELECT n FROM far WHERE id = 'p' ORDER BY n")
        self.assertEqual(self.fx.rows("FETCH 1 FROM c"), [(1,)])
        before = len(self.fx.requests("INSERT INTO others VALUES ('p', 1)"))
        self.assertEqual(before, 1)
        asked = [r.operation for r in self.fx.requests("INSERT INTO far VALUES ('p', 101)")]
        self.assertEqual(asked[-1], "PutItem")
        self.assertEqual(set(asked[:-1]) | {"Query"}, {"Query"})
        self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('p', 102)")], ["PutItem"])
        self.assertEqual(self.fx.requests("FETCH ALL FROM c"), [])
        self.fx.execute("CLOSE c")

    def test_past_its_end(self):
        """A FETCH after the last row does not open a query again, of which scans have not ended."""
        self.fx.execute("CREATE TEMP TABLE few AS SELECT generate_series(1, 3) AS n; ANALYZE few;"
                        " SET enable_hashjoin = off; SET enable_nestloop = off; SET dynamo_fdw.enable_lookup_join = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_nestloop; RESET dynamo_fdw.enable_lookup_join")
        self.fx.execute("DECLARE c NO SCROLL CURSOR FOR SELECT far.n FROM far JOIN few USING (n) WHERE id = 'p' ORDER BY far.n")
        self.assertEqual([len(self.fx.rows("FETCH 100 FROM c")) for _ in range(2)], [3, 0])
        self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('r', 1)")], ["PutItem"])
        self.fx.execute("CLOSE c; DELETE FROM far WHERE id = 'r'")

    def test_rows(self):
        self.fx.execute("DECLARE c CURSOR FOR SELECT n, note FROM far WHERE id = 'p' ORDER BY n")
        self.assertEqual([n for n, _ in self.fx.rows("FETCH 2 FROM c")], [1, 2])
        self.fx.execute("DELETE FROM far WHERE id = 'p' AND n > 5; INSERT INTO far VALUES ('p', 200)")
        self.assertEqual([(n, len(note)) for n, note in self.fx.rows("FETCH ALL FROM c")], [(n, LENGTH) for n in range(3, COUNT + 1)])

    def test_joined_with_itself(self):
        """Values of the outer row are still needed when the rest of the outer side has been read."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material")
        self.fx.execute("DECLARE c CURSOR FOR SELECT a.n, left(a.note, 3), g FROM far a, generate_series(1, 3) g WHERE a.id = 'p'")
        self.assertEqual(self.fx.rows("FETCH 2 FROM c")[0][1], "xxx")
        self.fx.execute("DELETE FROM far WHERE id = 'p'")
        rows = self.fx.rows("FETCH ALL FROM c")
        self.assertEqual(len(rows), 3 * COUNT - 2)
        self.assertEqual({row[1] for row in rows}, {"xxx"})

    def test_error_while_reading(self):
        """If the rest cannot be read, the write fails, and the cursor does not skip rows."""
        self.fx.execute("DECLARE c CURSOR FOR SELECT n FROM far WHERE id = 'p' ORDER BY n")
        self.assertEqual(self.fx.rows("FETCH 1 FROM c"), [(1,)])
        self.fx.proxy.on("Query", [replies.error("AccessDeniedException", "no")] * 5)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("SAVEPOINT s")
        with self.assertRaises(psycopg2.Error):
            self.fx.execute("INSERT INTO far VALUES ('p', 101)")
        self.fx.execute("ROLLBACK TO s")
        self.fx.proxy.reset(scripts=True)
        failure = self.fx.error("FETCH ALL FROM c")
        self.assertEqual((failure.sqlstate, failure.message), ("55000", 'cannot continue to read foreign table "far"'))

    def test_limit(self):
        """A query that has returned all of its rows is not read further, however its scan ended."""
        self.fx.execute("DECLARE c CURSOR FOR SELECT n FROM far WHERE id = 'p' LIMIT 2")
        self.assertEqual(len(self.fx.rows("FETCH 5 FROM c")), 2)
        self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('p', 101)")], ["PutItem"])
        for query, count in (("SELECT n FROM far LIMIT 5", 1), ("SELECT n FROM far WHERE id = 'p' ORDER BY n LIMIT 5", 1), ("SELECT n FROM far WHERE id = 'p' LIMIT 5", 5)):
            with self.subTest(query, count=count):
                self.fx.execute(f"DECLARE d CURSOR FOR {query}")
                self.assertEqual(len(self.fx.rows(f"FETCH {count} FROM d")), count)
                self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('r', 1)") if r.is_write], ["PutItem"])
                self.assertEqual(len(self.fx.rows("FETCH ALL FROM d")), 5 - count)
                self.fx.execute("CLOSE d; DELETE FROM far WHERE id = 'r'")

    def test_limit_of_many_ctes(self):
        """Each of these CTEs is considered once, although the first has 2^39 ways to the LIMIT."""
        ctes = ", ".join(f"c{i} AS MATERIALIZED (SELECT * FROM c{i - 1} UNION ALL SELECT * FROM c{i - 1})" for i in range(1, 40))
        self.fx.execute(f"DECLARE c CURSOR FOR WITH c0 AS MATERIALIZED (SELECT n FROM far WHERE id = 'p' ORDER BY n), {ctes} SELECT * FROM c39 LIMIT 3")
        self.assertEqual(self.fx.rows("FETCH 1 FROM c"), [(1,)])
        self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('p', 101)")], ["PutItem"])
        self.assertEqual(self.fx.rows("FETCH ALL FROM c"), [(2,), (3,)])

    def test_exists(self):
        """A subquery that has its result is not read further."""
        self.fx.execute("SET x.t = far")
        exists = "EXISTS (SELECT FROM far WHERE id = 'p' AND note > '')"
        expected = [r.operation for r in self.fx.requests(f"SELECT 1 WHERE {exists}")]
        self.assertEqual([r.operation for r in self.fx.requests(f"SELECT add(300) WHERE {exists}")], expected + ["PutItem"])
        self.assertEqual(self.fx.value(f"SELECT count(add(n + 400)) FROM far WHERE id = 'p' AND {exists}"), COUNT + 1)

    def test_failed_cursor(self):
        """A cursor that failed in a subtransaction is dead."""
        self.fx.execute("DECLARE c CURSOR FOR SELECT 1 / (n - 3), note FROM far WHERE id = 'p' ORDER BY n")
        self.fx.execute("SAVEPOINT s")
        self.assertEqual(self.fx.error("FETCH 5 FROM c").sqlstate, "22012")
        self.fx.execute("ROLLBACK TO s")
        self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('p', 101)")], ["PutItem"])

    def test_failed_caller(self):
        """A function that returns its rows one by one is dead if the cursor that calls it is, even if it reads the table alone."""
        self.fx.execute(f"{self.CREATE} numbers() RETURNS SETOF int LANGUAGE sql AS 'SELECT n FROM far WHERE length(note) > 0'; CREATE TEMP SEQUENCE s")
        self.fx.execute("DECLARE c CURSOR FOR SELECT numbers(), 1 / (2 - nextval('s'))")
        self.assertEqual(len(self.fx.rows("FETCH c")), 1)
        self.fx.execute("SAVEPOINT s")
        self.assertEqual(self.fx.error("FETCH c").sqlstate, "22012")
        self.fx.execute("ROLLBACK TO s")
        self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('p', 101)")], ["PutItem"])

    def test_rewound(self):
        """Stored rows come again if the scan is executed again."""
        self.fx.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET enable_material; RESET enable_hashjoin; RESET enable_mergejoin")
        for condition, count in (("n < 3", 2), ("true", COUNT)):
            with self.subTest(condition):
                self.fx.execute(f"DECLARE c CURSOR FOR SELECT g, n FROM generate_series(1, 3) g, far WHERE id = 'p' AND {condition}")
                rows = self.fx.rows("FETCH 1 FROM c")
                self.fx.execute("INSERT INTO far VALUES ('p', 0)")
                rows += self.fx.rows("FETCH ALL FROM c")
                self.assertEqual(sorted(rows), [(g, n) for g in (1, 2, 3) for n in range(1, count + 1)])
                self.fx.execute("CLOSE c; DELETE FROM far WHERE n = 0")

    def test_no_code_of_users(self):
        """Conditions and CHECKs of a query are not evaluated on behalf of a writer, who may have other privileges."""
        self.fx.execute("CREATE OR REPLACE FUNCTION seen(int) RETURNS boolean STABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'seen'; RETURN true; END $$;"
                        " CREATE DOMAIN counted AS int CHECK (seen(VALUE))")
        self.fx.foreign_table("counts", "id text, n counted", table_name=self.fx.remote("items"), scan_policy="allow")
        for sql in ("SELECT n FROM far WHERE (id = 'p' OR id = 'q' AND n < 50) AND seen(n)", "SELECT n FROM counts WHERE id = 'p'"):
            with self.subTest(sql):
                self.fx.execute(f"DECLARE c CURSOR FOR {sql}")
                self.fx.rows("FETCH 1 FROM c")
                del self.fx.conn.notices[:]
                self.assertEqual([r.operation for r in self.fx.requests("INSERT INTO far VALUES ('r', 1)")][-1], "PutItem")
                self.assertNotIn("seen", "".join(self.fx.conn.notices))
                self.fx.execute("CLOSE c; DELETE FROM far WHERE id = 'r'")

    def test_files(self):
        """After an error, no file of stored rows is left."""
        self.fx.execute("SET work_mem = '64kB'")
        self.addCleanup(self.fx.execute, "RESET work_mem")
        self.fx.execute("DECLARE c CURSOR FOR SELECT n, note FROM far WHERE id = 'p' ORDER BY n")
        self.fx.rows("FETCH 1 FROM c")
        self.fx.proxy.on("Query", [writes.shorten] * 4 + [replies.error("AccessDeniedException", "no")] * 5)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("SAVEPOINT s")
        self.assertEqual(self.fx.error("INSERT INTO far VALUES ('p', 101)").sqlstate, "42501")
        self.fx.execute("ROLLBACK TO s")
        del self.fx.conn.notices[:]
        self.fx.execute("CLOSE c; COMMIT; BEGIN")
        self.assertEqual(self.fx.conn.notices, [])


class Functions(TestCase):
    """Functions that a query calls while it reads the table that they write."""

    def test_in_the_select_list(self):
        rows = self.both_rows("SELECT left(note, 2), add(n + 100), left(note, 3) FROM {t} WHERE id = 'p' ORDER BY n")
        self.assertEqual(rows, [("xx", n + 100, "xxx") for n in range(1, COUNT + 1)])

    def test_in_a_part_of_with(self):
        """The main query ends before this part begins."""
        self.fx.execute("CREATE TABLE copied (n int)")
        self.addCleanup(self.fx.execute, "DROP TABLE copied")
        copy = f"WITH w AS (INSERT INTO copied SELECT add(n + {COUNT}) FROM {{t}} WHERE id = 'p' AND n < 100)"
        for main in ("SELECT 1", "INSERT INTO copied VALUES (0)"):
            self.setUp()
            self.both_rows(f"{copy} {main}")
        self.assertEqual(self.fx.rows("SELECT n, count(*) FROM copied GROUP BY n ORDER BY n"), [(0, 2)] + [(n + COUNT, 4) for n in range(1, COUNT + 1)])

    def test_trigger_after_a_part_of_with(self):
        """All scans have ended when the trigger writes, even one whose rows a join did not need."""
        self.fx.execute(f"""CREATE TEMP TABLE few AS SELECT generate_series(1, 3) AS n; ANALYZE few; CREATE TEMP TABLE copied (n int);
            SET enable_hashjoin = off; SET enable_nestloop = off; SET dynamo_fdw.enable_lookup_join = off; SET x.t = far;
            {self.CREATE} after_copy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM add(500); RETURN NULL; END';
            CREATE TRIGGER added AFTER INSERT ON copied EXECUTE FUNCTION after_copy()""")
        self.addCleanup(self.fx.execute, "DROP TABLE few, copied; RESET enable_hashjoin; RESET enable_nestloop; RESET dynamo_fdw.enable_lookup_join")
        requests = self.fx.requests("WITH w AS (INSERT INTO copied SELECT far.n FROM far JOIN few USING (n) WHERE id = 'p' ORDER BY far.n) SELECT 1")
        self.assertEqual(requests[-1].operation, "PutItem")
        self.assertLess(len(requests), COUNT // 3)

    def test_trigger_of_an_update(self):
        for table in ("near", "far"):
            self.fx.execute(f"""{self.CREATE} log_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN INSERT INTO {table} VALUES ('p', NEW.n + 100); RETURN NULL; END $$;
                CREATE TRIGGER log AFTER UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION log_{table}()""")
            self.addCleanup(self.fx.execute, f"DROP TRIGGER log ON {table}")
        self.assertEqual(self.both("UPDATE {t} SET total = total + 1 WHERE id = 'p'"), (COUNT, []))


class Elements(TestCase):
    """The elements of a list as rows: the columns of their item live as long as the item."""

    ROWS = None

    def test_unnested(self):
        self.fx.foreign_table("parts", "id text, n int, note text, part text OPTIONS (path '@')", table_name=self.fx.remote("items"),
                              unnest="parts", scan_policy="allow")
        for n in range(1, COUNT + 1):
            self.put_raw({"id": {"S": "p"}, "n": {"N": str(n)}, "note": {"S": "x" * LENGTH}, "parts": {"L": [{"S": f"{n}a"}, {"S": f"{n}b"}]}})
        self.fx.execute("SET x.t = far")
        self.assertEqual(self.fx.rows("SELECT left(note, 2), add(n * 100 + ascii(right(part, 1))), left(note, 3), part FROM parts WHERE id = 'p' ORDER BY n, part"),
                         [("xx", n * 100 + ascii_code, "xxx", f"{n}{chr(ascii_code)}") for n in range(1, COUNT + 1) for ascii_code in (97, 98)])
