"""Hazards of a session: the library is loaded in the middle of a statement, triggers before the last write, and what an abort counts."""
import io
import re
import subprocess
import tempfile

import psycopg2
import replies
import writes


class FirstStatement(writes.TestCase):
    """H15: the first statement of a session loads the library, when the executor, COPY or a function is at work already."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE TABLE parent (id text NOT NULL, n int NOT NULL, note text) PARTITION BY LIST (id);"
                       "CREATE FOREIGN TABLE part PARTITION OF parent FOR VALUES IN ('z') SERVER ddb OPTIONS (updatable 'on', scan_policy 'allow', "
                       f"table_name '{cls.fx.remote('items')}')")

    def first(self, work, **options):
        """The outcome of the first work of a new session."""
        connection = self.fx.connect(**options)
        try:
            with connection.cursor() as cursor:
                work(cursor)
                return cursor.rowcount
        except psycopg2.Error as failure:
            return failure.diag.sqlstate
        finally:
            connection.close()

    def stored(self):
        """The rows that were written."""
        return sorted(self.fx.rows("SELECT n, note FROM far WHERE id = 'z'"))

    def test_H15_statements(self):
        many = "SELECT 'z', g, 'x' FROM generate_series(1, 30) g"
        lines = "".join(f"z\t{n}\tx\n" for n in range(1, 31))
        for name, count, work in (
                ("INSERT", 30, lambda c: c.execute(f"INSERT INTO far {many}")),
                ("partition", 30, lambda c: c.execute(f"INSERT INTO parent {many}")),
                ("COPY", 30, lambda c: c.copy_expert("COPY far (id, n, note) FROM STDIN", io.StringIO(lines))),
                ("COPY into a partition", 30, lambda c: c.copy_expert("COPY parent FROM STDIN", io.StringIO(lines))),
                ("function", 1, lambda c: c.execute("SELECT fill()")),
                ("function of SQL", 1, lambda c: c.execute("SELECT fill_sql()")),
                ("EXECUTE", -1, lambda c: c.execute(f"DO $$BEGIN EXECUTE $e$INSERT INTO far {many}$e$; END$$")),
                ("EXECUTE into a partition", -1, lambda c: c.execute(f"DO $$BEGIN EXECUTE $e$INSERT INTO parent {many}$e$; END$$")),
                ("PREPARE", 30, lambda c: (c.execute(f"PREPARE p AS INSERT INTO parent {many}"), c.execute("EXECUTE p")))):
            with self.subTest(name):
                self.fx.execute("DELETE FROM far WHERE id = 'z';"
                                f"CREATE OR REPLACE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$BEGIN INSERT INTO parent {many}; END$$;"
                                f"CREATE OR REPLACE FUNCTION fill_sql() RETURNS void LANGUAGE sql AS $$INSERT INTO parent {many}$$")
                self.assertEqual(self.first(work), count)
                self.assertEqual(self.stored(), [(n, "x") for n in range(1, 31)])

    def test_H15_conflicts(self):
        """The number of rows does not count those that ON CONFLICT skips."""
        for many in (3, 30):
            self.fx.execute("DELETE FROM far WHERE id = 'z'; INSERT INTO far SELECT 'z', g FROM generate_series(2, 3) g")
            self.assertEqual(self.first(lambda c, many=many: c.execute(f"INSERT INTO parent SELECT 'z', g FROM generate_series(1, {many}) g ON CONFLICT DO NOTHING")), many - 2)
        atomic = "SET dynamo_fdw.write_mode = atomic", "INSERT INTO parent VALUES ('z', 1), ('z', 99) ON CONFLICT DO NOTHING"
        self.assertEqual(self.first(lambda c: [c.execute(sql) for sql in atomic]), "0A000")
        self.assertNotIn((99, None), self.stored())

    def test_H15_update_and_delete(self):
        self.assertEqual(self.first(lambda c: c.execute("UPDATE far SET note = 'first' WHERE id = 'a'")), 2)
        self.assertEqual(self.fx.rows("SELECT note FROM far WHERE id = 'a'"), [("first",)] * 2)
        self.assertEqual(self.first(lambda c: c.execute("DELETE FROM far WHERE id = 'a'")), 2)
        self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 'a'"), 0)

    def test_H15_on_conflict(self):
        """Without the library in session_preload_libraries, 42P10 until another statement has loaded it."""
        upsert = "INSERT INTO far (id, n, note) VALUES ('z', 1, 'u') ON CONFLICT (id, n) DO UPDATE SET note = EXCLUDED.note"
        self.assertEqual(self.first(lambda c: c.execute(upsert)), "42P10")
        self.assertEqual(self.stored(), [])

        def later(cursor):
            cursor.execute("SELECT FROM far WHERE id = 'z' AND n = 1")
            cursor.execute(upsert)
        self.assertEqual(self.first(later), 1)
        self.assertEqual(self.stored(), [(1, "u")])
        self.fx.execute(f"ALTER DATABASE {self.fx.database} SET session_preload_libraries = 'dynamo_fdw'")
        self.addCleanup(self.fx.execute, f"ALTER DATABASE {self.fx.database} RESET session_preload_libraries")
        self.assertEqual(self.first(lambda c: c.execute(upsert.replace("'u'", "'preloaded'"))), 1)
        self.assertEqual(self.stored(), [(1, "preloaded")])

    def test_inferences_that_stay_refused(self):
        """A partitioned table, a constraint by name, and columns that are not the key, also if the library is loaded."""
        self.fx.execute("SELECT FROM far WHERE id = 'z' AND n = 1")
        for action in ("DO NOTHING", "DO UPDATE SET note = 'x'"):
            self.assertEqual(self.outcome(f"INSERT INTO parent VALUES ('z', 1) ON CONFLICT (id, n) {action}"), "42P10")
            self.assertEqual(self.outcome(f"INSERT INTO far VALUES ('z', 1) ON CONFLICT ON CONSTRAINT far_pkey {action}"), "42704")
            for columns in ("id", "n", "id, n, note", "note"):
                self.assertEqual(self.outcome(f"INSERT INTO far VALUES ('z', 1) ON CONFLICT ({columns}) {action}"), "42P10")
        self.assertEqual(self.stored(), [])


class AfterTriggers(writes.TestCase):
    """H16: an AFTER trigger finds all rows that the statement has written, whatever ends the statement."""

    ROWS = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE TABLE seen (id bigint GENERATED ALWAYS AS IDENTITY, level text, many bigint);"
                       "CREATE TABLE near_parent (id text NOT NULL, n int NOT NULL) PARTITION BY LIST (id);"
                       "CREATE TABLE near_part PARTITION OF near_parent FOR VALUES IN ('z');"
                       "CREATE TABLE far_parent (id text NOT NULL, n int NOT NULL) PARTITION BY LIST (id);"
                       "CREATE FOREIGN TABLE far_part PARTITION OF far_parent FOR VALUES IN ('z') SERVER ddb OPTIONS (updatable 'on', scan_policy 'allow', "
                       f"table_name '{cls.fx.remote('items')}')")
        for table in ("near", "near_part", "near_parent", "far", "far_part", "far_parent"):
            cls.fx.execute(f"CREATE FUNCTION see_{table}() RETURNS trigger LANGUAGE plpgsql AS "
                           f"$$ BEGIN INSERT INTO seen (level, many) SELECT TG_LEVEL, count(*) FROM {table} WHERE id = 'z'; RETURN NULL; END $$;"
                           f"CREATE FUNCTION fill_{table}() RETURNS bigint LANGUAGE sql AS "
                           f"$$ INSERT INTO {table} (id, n) SELECT 'z', g FROM generate_series(1, 12) g; SELECT max(many) FROM seen $$")

    def see(self, table, level, run):
        """What the triggers of the table saw while run() was at work."""
        self.fx.execute(f"DELETE FROM far; TRUNCATE near, near_parent, seen; CREATE TRIGGER seen AFTER INSERT ON {table} FOR EACH {level} EXECUTE FUNCTION see_{table}()")
        try:
            run(table)
            return self.fx.rows("SELECT level, many FROM seen ORDER BY id")
        finally:
            self.fx.execute(f"DROP TRIGGER seen ON {table}")

    def copy(self, table):
        """COPY of twelve rows."""
        with self.fx.conn.cursor() as cursor:
            cursor.copy_expert(f"COPY {table} (id, n) FROM STDIN", io.StringIO("".join(f"z\t{n}\n" for n in range(1, 13))))
            self.assertEqual(cursor.rowcount, 12)

    def into_parent(self, run):
        """run(), but for the partitioned table of the one with the trigger."""
        return lambda table: run(table.replace("_part", "_parent"))

    def test_H16_triggers(self):
        rows = "SELECT 'z', g FROM generate_series(1, 12) g"
        runs = {"INSERT": lambda t: self.fx.execute(f"INSERT INTO {t} (id, n) {rows}"),
                "COPY": self.copy,
                "WITH that is not read": lambda t: self.fx.execute(f"WITH w AS (INSERT INTO {t} (id, n) {rows} RETURNING n) SELECT 1"),
                "EXPLAIN ANALYZE": lambda t: self.fx.execute(f"EXPLAIN (ANALYZE, TIMING OFF) INSERT INTO {t} (id, n) {rows}"),
                "SQL function": lambda t: self.fx.execute(f"SELECT fill_{t}()"),
                "PL/pgSQL": lambda t: self.fx.execute(f"DO $$BEGIN INSERT INTO {t} (id, n) {rows}; END$$")}
        for name, run in runs.items():
            for level in ("STATEMENT", "ROW"):
                for kind in ("", "_part"):
                    with self.subTest(statement=name, level=level, table=kind):
                        local, foreign = (self.see(table + kind, level, run) for table in ("near", "far"))
                        self.assertEqual(local, [(level, 12)] * (12 if level == "ROW" else 1))
                        self.assertEqual(foreign, local)
                with self.subTest(statement=name, level=level, table="parent"):
                    if level == "ROW":
                        see = [self.see(f"{table}_part", level, self.into_parent(run)) for table in ("near", "far")]
                    else:
                        see = [self.see(f"{table}_parent", level, run) for table in ("near", "far")]
                    self.assertEqual(see[0], [(level, 12)] * (12 if level == "ROW" else 1))
                    self.assertEqual(see[1], see[0])


class Aborts(writes.TestCase):
    """H17: what ends a statement, and where: each written item is counted once, with the number of those that are there."""

    ROWS = ""

    def counted(self):
        """All numbers of the warnings: (written, may have been written)."""
        written = maybe = 0
        for notice in self.fx.conn.notices:
            words = " ".join(notice.split()).split()
            if "rolled" in words and words[1] == "up":
                maybe += int(words[3])
            elif "rolled" in words:
                written += int(words[1])
                maybe += int(words[words.index("up") + 2]) if "up" in words else 0
        return written, maybe

    SOURCES = {     # why twenty of forty rows are not written
        "subplan": "SELECT '{id}', g, (SELECT 1 / (20 - g))::text FROM generate_series(1, 40) g",
        "function": "SELECT '{id}', g, fails(g) FROM generate_series(1, 40) g",
        "key that exists": "SELECT '{id}', CASE g WHEN 20 THEN 1 ELSE g END FROM generate_series(1, 40) g",
        "value": "SELECT '{id}', g, NULL, CASE g WHEN 20 THEN 'NaN'::numeric ELSE 1 END FROM generate_series(1, 40) g",
    }
    PLACES = {
        "top level": ("{sql}",),
        "transaction": ("BEGIN", "{sql}", "ROLLBACK"),
        "EXCEPTION": ("DO $do$BEGIN BEGIN {sql}; EXCEPTION WHEN OTHERS THEN NULL; END; END$do$",),
        "SAVEPOINT": ("BEGIN", "SAVEPOINT s", "{sql}", "ROLLBACK TO s", "COMMIT"),
        "two levels": ("BEGIN", "SAVEPOINT s", "SAVEPOINT t", "{sql}", "ROLLBACK TO t", "RELEASE t", "ROLLBACK TO s", "ROLLBACK"),
    }

    def test_H17_inserts(self):
        self.fx.execute("CREATE FUNCTION fails(n int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN IF n = 20 THEN RAISE 'no'; END IF; RETURN n; END $$")
        for cause, source in self.SOURCES.items():
            columns = "id, n" + (", note" if cause != "key that exists" else "") + (", total" if cause == "value" else "")
            for place, steps in self.PLACES.items():
                with self.subTest(cause=cause, place=place):
                    key = f"{cause}, {place}"       # requests that one statement has abandoned may be executed during the next
                    del self.fx.conn.notices[:]
                    for step in steps:
                        self.outcome(step.replace("{sql}", f"INSERT INTO far ({columns}) {source.replace('{id}', key)}"))
                    written, maybe = self.counted()
                    stored = self.fx.value("SELECT count(*) FROM far WHERE id = %s", (key,))
                    if cause == "key that exists":      # an error of the write itself: those in flight are awaited
                        self.assertEqual((written, maybe), (stored, 0))
                    else:
                        self.assertGreater(written + maybe, 0)
                        self.assertTrue(written <= stored <= written + maybe <= 19, (written, stored, maybe))

    def test_H17_others_in_flight(self):
        """A subplan fails while nine writes are in flight, which are executed, or not; those that were sent are counted."""
        for executed in (True, False):
            with self.subTest(executed=executed):
                key = f"in flight {executed}"
                self.fx.execute("SELECT FROM far WHERE id = %s AND n = 1", (key,))
                del self.fx.conn.notices[:]
                silent = replies.hang_before_headers()
                self.fx.proxy.reset()
                self.fx.proxy.on("PutItem", lambda _, executed=executed, silent=silent: replies.executed(silent) if executed else silent)
                self.assertEqual(self.outcome(f"INSERT INTO far (id, n, total) SELECT '{key}', g, (SELECT 1 / (10 - g)) FROM generate_series(1, 40) g"), "22012")
                self.fx.proxy.finish()
                sent = self.fx.proxy.operations().count("PutItem")
                self.fx.proxy.reset(scripts=True)
                self.assertTrue(0 < sent <= 9, sent)        # the last connection may not stand yet
                self.assertEqual(self.counted(), (0, sent))
                stored = self.fx.value("SELECT count(*) FROM far WHERE id = %s", (key,))
                self.assertTrue(stored <= 9 if executed else stored == 0, stored)

    def test_H17_copy(self):
        """A line in the middle is wrong: the lines before it are there, or are counted as uncertain; a key that exists counts exactly."""
        for value, sqlstate in (("\tx", "22P02"), ("", "22P04"), ("\t1", "23505")):
            with self.subTest(sqlstate):
                good, bad = [f"{sqlstate}\t{n}\n" for n in range(1, 41)], f"{sqlstate}{value}\n"
                del self.fx.conn.notices[:]
                with self.assertRaises(psycopg2.Error) as caught, self.fx.conn.cursor() as cursor:
                    cursor.copy_expert("COPY far (id, n) FROM STDIN", io.StringIO("".join(good[:19] + [bad] + good[20:])))
                self.assertEqual(caught.exception.pgcode, sqlstate)
                stored = [n for (n,) in self.fx.rows("SELECT n FROM far WHERE id = %s ORDER BY n", (sqlstate,))]
                written, maybe = self.counted()
                if sqlstate == "23505":
                    self.assertEqual((written, maybe), (len(stored), 0))
                else:
                    self.assertTrue(written <= len(stored) <= written + maybe <= 19, (written, stored, maybe))     # 19 unless a connection does not stand yet
                    self.assertTrue(set(stored) <= set(range(1, 20)), stored)


class Psql(writes.TestCase):
    r"""\copy as the program psql sends it."""

    def psql(self, *commands, data=None):
        """(exit status, standard output, standard error) of psql."""
        done = subprocess.run(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", "-d", self.fx.database,
                               *(part for command in commands for part in ("-c", command))],
                              input=data, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_H26_copy_from(self):
        lines = "".join(f"p\t{n}\trow {n}\n" for n in range(1, 101))
        for table in ("far", "near"):
            self.assertEqual(self.psql(f"\\copy {table} (id, n, note) FROM pstdin", data=lines), (0, "COPY 100\n", ""))
        self.assertSameTables()
        with tempfile.NamedTemporaryFile("w+", suffix=".csv") as file:
            file.write('id,n,note\nq,1,"a, b"\nq,2,\n')
            file.flush()
            for table in ("far", "near"):
                self.assertEqual(self.psql(f"\\copy {table} (id, n, note) FROM '{file.name}' (FORMAT csv, HEADER)"), (0, "COPY 2\n", ""))
        self.assertSameTables()

    def test_H26_copy_to(self):
        for source in ("{t}", "(SELECT id, n, note FROM {t})", "(SELECT count(*), sum(n) FROM {t} WHERE id = 'a')"):
            found = []
            for table in ("far", "near"):
                # COPY TO of a foreign table needs a query
                source_of_table = source.replace("{t}", f"(TABLE {table})" if source == "{t}" else table)
                status, out, err = self.psql(f"\\copy {source_of_table} TO pstdout (FORMAT csv)")
                self.assertEqual((status, err), (0, ""))
                found.append(sorted(out.splitlines()))
            self.assertEqual(*found)
        self.assertRegex(self.psql("\\copy far TO pstdout")[2], "42809|cannot copy from foreign table")

    def test_H26_copy_from_with_an_error(self):
        """What is stored is between what the WARNING counts and that with what may have been written."""
        for values, key in (("x\tnote", "22P02"), ("1", "22P04"), ("1\tthere", "23505")):      # requests of an earlier one may still be on their way
            with self.subTest(key):
                lines = [f"{key}\t{n}\trow\n" for n in range(1, 60)]
                status, _, err = self.psql("\\copy far (id, n, note) FROM pstdin", data="".join(lines[:30] + [f"{key}\t{values}\n"] + lines[30:]))
                self.assertEqual(status, 1)
                self.assertIn(f"ERROR:  {key}:", err)
                sure, more = re.search(r"(\d+) items? written to DynamoDB .*?(?:up to (\d+) more|$)", " ".join(err.split())).groups()
                stored = self.fx.value("SELECT count(*) FROM far WHERE id = %s", (key,))
                self.assertTrue(int(sure) <= stored <= int(sure) + int(more or 0), err)
                self.assertGreater(stored, 0)
