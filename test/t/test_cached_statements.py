"""Reads that are cached belong to one statement, and change nothing else of it: errors, limits, what is evaluated how often."""
import threading

import fixture
import replies

PAGES = 4
CHILDREN = "SELECT o.i, (SELECT string_agg(p.id, ',' ORDER BY p.id) FROM parts p WHERE p.n = o.n) FROM outers o ORDER BY o.i"


class Parts(fixture.TestCase):
    """A table of some pages, and local outer rows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("parts", ("id", "S"))
        cls.fx.put("parts", [cls.item(i) for i in range(80)])
        cls.fx.foreign_table("parts", 'id text COLLATE "C" NOT NULL, n int, up text COLLATE "C", note text', scan_policy="allow", fetch_size=20)
        cls.fx.execute("CREATE TABLE outers AS SELECT i, i % 7 AS n FROM generate_series(0, 9) i; ANALYZE outers;"
                       "CREATE TABLE mirror AS SELECT * FROM parts; CREATE SEQUENCE calls")

    @staticmethod
    def item(i):
        """Children of the item with half the number."""
        return {"id": f"i{i:02}", "n": i % 8, "note": "x" * 1500, **({"up": f"i{i // 2:02}"} if i else {})}

    def setUp(self):
        self.addCleanup(self.fx.execute, "ROLLBACK; RESET ALL; SET statement_timeout = '60s'")

    def both(self, sql):
        """Its results, which are the same, with cached reads and without."""
        results = []
        for setting in ("on", "off"):
            self.fx.execute(f"SET dynamo_fdw.enable_cached_reads = {setting}")
            results.append(self.fx.rows(sql))
        self.fx.execute("RESET dynamo_fdw.enable_cached_reads")
        self.assertEqual(*results)
        return results[0]

    def served(self, sql, options=""):
        """How many executions of its plan were served."""
        text = self.fx.explain(sql, "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF" + options)
        return sum(int(line.rsplit(":", 1)[1]) for line in text.splitlines() if "Executions Served" in line)


class Executions(Parts):
    """What holds for every execution."""

    def test_volatile(self):
        """A volatile condition is evaluated for each row of each execution."""
        counts = []
        for setting in ("on", "off"):
            self.fx.execute(f"SET dynamo_fdw.enable_cached_reads = {setting}; ALTER SEQUENCE calls RESTART")
            self.fx.rows("SELECT (SELECT count(*) FROM parts p WHERE p.n = o.n AND nextval('calls') > 0) FROM outers o")
            counts.append(self.fx.value("SELECT nextval('calls')"))
        self.assertEqual(counts, [101, 101])

    def test_consistent(self):
        """What is cached was read as the setting specifies."""
        for setting in ("on", "off"):
            self.fx.execute(f"SET dynamo_fdw.consistent_read = {setting}")
            requests = self.fx.requests(CHILDREN)
            self.assertEqual(len(requests), 2 * PAGES + 2)
            self.assertEqual({bool(r.body.get("ConsistentRead")) for r in requests}, {setting == "on"})

    def test_stable_value(self):
        """A value that changes without a parameter: the read of the old one is not used."""
        self.fx.execute("CREATE FUNCTION wanted() RETURNS int STABLE LANGUAGE sql AS $$ SELECT current_setting('my.n')::int $$;"
                        "CREATE FUNCTION want(n int) RETURNS text VOLATILE LANGUAGE sql AS $$ SELECT set_config('my.n', n::text, false) $$;"
                        "SET my.n = 0")
        self.addCleanup(self.fx.execute, "DROP FUNCTION wanted(); DROP FUNCTION want(int)")
        sql = ("SELECT want(o.n), (SELECT count(*) FROM {0} p WHERE p.n = wanted() AND p.id > 'i' || o.n) FROM outers o ORDER BY o.i")
        self.assertEqual(self.both(sql.format("parts")), self.fx.rows(sql.format("mirror")))

    def test_recursion(self):
        """A recursive query executes its inner side again for each level."""
        sql = ("WITH RECURSIVE tree AS (SELECT id, 0 AS depth FROM {0} WHERE id = 'i01' UNION ALL SELECT p.id, depth + 1 FROM tree t,"
               " LATERAL (SELECT id FROM {0} WHERE up = t.id OFFSET 0) p WHERE p.id <> t.id) SELECT id, depth FROM tree ORDER BY id")
        self.assertEqual(self.both(sql.format("parts")), self.fx.rows(sql.format("mirror")))
        self.assertGreater(self.served(sql.format("parts")), 50)

    def test_union(self):
        """Two cached reads of one table in one subquery."""
        self.fx.execute("SET enable_async_append = off")
        sql = ("SELECT o.i, (SELECT string_agg(id, ',' ORDER BY id) FROM (SELECT id FROM {0} p WHERE p.n = o.n UNION ALL"
               " SELECT id FROM {0} p WHERE p.up = 'i0' || o.n) x) FROM outers o ORDER BY o.i")
        self.assertEqual(self.both(sql.format("parts")), self.fx.rows(sql.format("mirror")))
        self.assertEqual(self.served(sql.format("parts")), 18)

    def test_memory_limits(self):
        """Reads that stand still while others go on leave them the memory that they need."""
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1MB'; SET work_mem = '64kB'")
        sql = ("SELECT o.i, EXISTS (SELECT 1 FROM {0} p WHERE p.n = o.n OFFSET 0), EXISTS (SELECT 1 FROM {0} p WHERE p.id > 'i' || o.n OFFSET 0),"
               " (SELECT sum(length(p.note)) FROM {0} p WHERE p.n >= o.n), (SELECT count(*) FROM {0} p WHERE p.up = 'i0' || o.n)"
               " FROM outers o ORDER BY o.i")
        self.assertEqual(self.both(sql.format("parts")), self.fx.rows(sql.format("mirror")))

    def test_memory(self):
        """A thousand executions need no more memory than a few."""
        sql = ("SELECT i, (SELECT sum(length(p.note)) FROM parts p WHERE p.n = o.i % 8), (SELECT sum(total_bytes) FROM pg_backend_memory_contexts"
               " WHERE o.i % 500 = 10) FROM generate_series(1, 1010) o(i)")
        used = [used for _, _, used in self.fx.rows(sql) if used is not None]
        self.assertEqual(len(used), 3)
        self.assertLess(used[2] - used[0], 65536)

    def test_lock(self):
        """A row that another transaction changed in the meantime is computed again, with its new value."""
        self.fx.execute("CREATE TABLE cart AS SELECT i, i AS n, NULL::bigint AS found FROM generate_series(0, 5) i")
        self.addCleanup(self.fx.execute, "DROP TABLE cart")
        other = self.fx.connect()
        self.addCleanup(other.close)
        other.cursor().execute("BEGIN; UPDATE cart SET n = 6 WHERE i = 3; UPDATE cart SET n = 77 WHERE i = 4")
        rows = []
        waiter = threading.Thread(target=lambda: rows.extend(self.fx.rows(
            "UPDATE cart SET found = (SELECT sum(substr(p.id, 2)::int) FROM parts p WHERE p.n = cart.n)"
            " WHERE (SELECT count(*) FROM parts p WHERE p.n = cart.n) > 0 RETURNING i, n, found")))
        waiter.start()
        self.await_lock()
        other.cursor().execute("COMMIT")
        waiter.join(30)
        self.assertEqual(sorted(rows), [(i, n, sum(range(n, 80, 8))) for i, n in ((0, 0), (1, 1), (2, 2), (3, 6), (5, 5))])

    def await_lock(self):
        """Until the statement waits."""
        watcher = self.fx.connect()
        self.addCleanup(watcher.close)
        with watcher.cursor() as cursor:
            for _ in range(1000):
                cursor.execute("SELECT count(*), pg_sleep(0.01) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
                               (self.fx.conn.info.backend_pid,))
                if cursor.fetchone()[0]:
                    return
        self.fail("the statement does not wait")


class Statements(Parts):
    """What holds between statements."""

    def files(self):
        """Temporary files of this session."""
        return self.fx.value("SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'")

    def test_prepared(self):
        """Each execution of a prepared statement reads for itself, and finds what changed."""
        for mode in ("force_generic_plan", "force_custom_plan"):
            with self.subTest(mode):
                self.fx.execute(f"SET plan_cache_mode = {mode}; PREPARE q (int) AS SELECT o.i, (SELECT count(*) FROM parts p WHERE p.n = o.n"
                                " AND p.id >= 'i' || $1) FROM outers o ORDER BY o.i")
                before = self.fx.rows("EXECUTE q (0)")
                self.assertEqual(before, [(i, 10) for i in range(10)])
                self.assertEqual(self.fx.rows("EXECUTE q (9)"), [(i, 0) for i in range(10)])
                self.fx.put("parts", [{**self.item(79), "n": 3}])
                self.assertEqual(self.fx.rows("EXECUTE q (0)"), [(i, 11 if i == 3 else 10) for i in range(10)])
                self.fx.put("parts", [self.item(79)])
                self.assertEqual(self.fx.rows("EXECUTE q (0)"), before)
                self.fx.execute("DEALLOCATE q")

    def test_function(self):
        """Statements of a function, called again and again."""
        self.fx.execute("CREATE FUNCTION children() RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY"
                        " SELECT (SELECT string_agg(p.id, ',' ORDER BY p.id) FROM parts p WHERE p.n = o.n) FROM outers o ORDER BY o.i; END $$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION children()")
        before = self.fx.rows("SELECT children()")
        self.fx.put("parts", [{**self.item(79), "n": 3}])
        after = self.fx.rows("SELECT children()")
        self.fx.put("parts", [self.item(79)])
        self.assertEqual([i for i in range(10) if before[i] != after[i]], [3])
        self.assertEqual(self.fx.rows("SELECT children()"), before)

    def test_files(self):
        """The temporary file goes with the statement, however that ends."""
        self.fx.execute("SET work_mem = '64kB'")
        spilled = CHILDREN.replace("p.id,", "p.id || p.note,")
        for end in ("COMMIT", "ROLLBACK", "CLOSE c"):
            self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR {spilled}")
            self.fx.rows("FETCH 5 FROM c")
            self.assertEqual(self.files(), 1)
            self.fx.execute(end)
            self.assertEqual(self.files(), 0)
            self.fx.execute("ROLLBACK")
        self.fx.error(f"SELECT 1 / (5 - i) FROM ({spilled}) x")
        self.assertEqual(self.files(), 0)

    def test_file_limit(self):
        """Where no temporary file may be that long, the statement ends as it would in core; without cached reads it needs none."""
        self.fx.execute("SET work_mem = '64kB'")
        sql = "SELECT o.i, (SELECT sum(length(p.note)) FROM parts p WHERE p.n = o.n) FROM outers o"
        self.fx.execute("SET temp_file_limit = 8")
        self.assertEqual(self.fx.error(sql).sqlstate, "53400")
        self.fx.execute("SET dynamo_fdw.enable_cached_reads = off")
        self.assertEqual(len(self.fx.rows(sql)), 10)

    def test_cancel(self):
        """A read that was to be cached is cancelled in its middle: no scan reads on from there, and the next statement begins again."""
        wanted = self.fx.rows(CHILDREN)
        pid = self.fx.conn.info.backend_pid
        watcher = self.fx.connect()
        self.addCleanup(watcher.close)

        def respond(request):
            if request.number == PAGES + 3:     # the second page of what is cached
                watcher.cursor().execute("SELECT pg_cancel_backend(%s)", (pid,))
                return replies.hang_before_headers()
            return None

        for ahead in ("", "FETCH 1 FROM c;"):
            self.fx.proxy.reset()
            self.fx.proxy.on("Scan", respond)
            self.addCleanup(self.fx.proxy.reset, True)
            self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR {CHILDREN}; {ahead} SAVEPOINT s")
            self.assertEqual(self.fx.error("FETCH ALL FROM c").sqlstate, "57014")
            self.fx.execute("ROLLBACK TO s")
            self.assertEqual(self.fx.error("FETCH ALL FROM c").sqlstate, "55000")
            self.fx.execute("ROLLBACK")
            self.fx.proxy.reset(True)
            self.assertEqual(self.fx.rows(CHILDREN), wanted)

    def test_failure(self):
        """The same where a page of it cannot be read."""
        wanted = self.fx.rows(CHILDREN)
        self.fx.proxy.reset()
        self.fx.proxy.on("Scan", lambda request: replies.error("AccessDeniedException") if request.number == PAGES + 4 else None)
        self.addCleanup(self.fx.proxy.reset, True)
        self.fx.execute(f"PREPARE children AS {CHILDREN}")
        self.addCleanup(self.fx.execute, "DEALLOCATE children")
        self.assertIsNotNone(self.fx.error("EXECUTE children"))
        self.fx.proxy.reset(True)
        self.assertEqual(self.fx.rows("EXECUTE children"), wanted)
