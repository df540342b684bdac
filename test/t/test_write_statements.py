"""Statements of several parts: rows that join twice, parts of WITH, RETURNING of rows that are sent later, values in other encodings."""
import io
from decimal import Decimal

import psycopg2
import replies
import writes


class Joined(writes.TestCase):
    """A row that joins with several others is written, and shown, once."""

    def test_returning_of_deferred_rows(self):
        """The statement also reads what it writes, so rows are shown before they are sent."""
        self.both("DELETE FROM {t} t USING {t} s WHERE s.id = t.id AND t.n = 1 RETURNING t.*")
        self.both("UPDATE {t} t SET note = s.note || '!' FROM {t} s WHERE s.id = t.id AND s.n = 2 RETURNING t.id, t.n, t.note, t.total")
        self.both("DELETE FROM {t} WHERE id IN (SELECT id FROM {t}) RETURNING note, total")

    def test_after_triggers(self):
        self.fx.execute("CREATE TABLE IF NOT EXISTS log (line text); CREATE OR REPLACE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS "
                        "$$ BEGIN INSERT INTO log VALUES (OLD.note); RETURN NULL; END $$")
        for table in ("far", "near"):
            self.fx.execute(f"CREATE TRIGGER noted AFTER UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION noted()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER noted ON far; DROP TRIGGER noted ON near; DROP TABLE log")
        logs = []
        for table in ("near", "far"):
            self.outcome(f"UPDATE {table} t SET flag = true FROM {table} s WHERE s.id = t.id")
            self.outcome(f"DELETE FROM {table} t USING {table} s WHERE s.id = t.id")
            logs.append(sorted(map(str, self.fx.rows("SELECT line FROM log"))))
            self.fx.execute("TRUNCATE log")
        self.assertEqual(*logs)

    def test_before_triggers(self):
        """They would be fired again, so the second row of the join is refused."""
        self.fx.execute("CREATE OR REPLACE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN coalesce(NEW, OLD); END $$;"
                        "CREATE TRIGGER passed BEFORE UPDATE OR DELETE ON far FOR EACH ROW EXECUTE FUNCTION passed()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER passed ON far")
        for sql in ("DELETE FROM {t} t USING {t} s WHERE s.id = t.id", "UPDATE {t} t SET note = 'x' FROM {t} s WHERE s.id = t.id"):
            self.assertEqual(self.outcome(sql.replace("{t}", "far")), "0A000")
        self.assertEqual(self.both("DELETE FROM {t} t USING {t} s WHERE s.id = t.id AND t.id = 'c' RETURNING t.note", same_tables=False)[0], 1)


class Parts(writes.TestCase):
    """Several writes in one WITH."""

    def test_rows_that_nothing_reads(self):
        self.both("WITH a AS (DELETE FROM {t} WHERE n = 2 RETURNING *), b AS (INSERT INTO {t} VALUES ('z', 1), ('z', 2) RETURNING *) SELECT 1")
        self.both("WITH a AS (INSERT INTO {t} VALUES ('y', 1), ('y', 2) RETURNING *) UPDATE {t} SET note = 'x' WHERE n = 1 RETURNING *")

    def test_row_that_two_parts_write(self):
        """The part that is executed first writes it."""
        self.both("WITH a AS (UPDATE {t} SET note = 'q' WHERE id = 'a' RETURNING 1) UPDATE {t} SET total = 9 WHERE id = 'a'")
        self.both("WITH a AS (UPDATE {t} SET note = 'q' RETURNING id, n) UPDATE {t} SET total = 10 FROM a WHERE a.id = {t}.id AND a.n = {t}.n")
        self.both("WITH a AS (DELETE FROM {t} WHERE id = 'a' RETURNING *) UPDATE {t} SET total = 11 WHERE n = 1 RETURNING *")
        self.both("WITH a AS (UPDATE {t} SET total = 12 RETURNING *), b AS (DELETE FROM {t} WHERE n = 1 RETURNING *) SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)")

    def test_order_of_parts(self):
        """The key is free again when the last part inserts it."""
        self.both("WITH i AS (INSERT INTO {t} SELECT id, n, 'again' FROM {t} WHERE id = 'a' RETURNING 1) DELETE FROM {t} t USING {t} s WHERE s.id = t.id AND t.id = 'a'")
        self.assertEqual(self.both("WITH d AS (DELETE FROM {t} t USING {t} s WHERE s.id = t.id), i AS (INSERT INTO {t} SELECT id, n, 'again' FROM {t}) SELECT",
                                   same_tables=False), "23505")

    DELETE, UPDATE, INSERT = "DELETE FROM {t} WHERE id = 'a'", "UPDATE {t} SET total = 10 WHERE id = 'a'", "INSERT INTO {t} AS t VALUES ('a', 1, 'new', 5)"
    UPSERT = INSERT + " ON CONFLICT (id, n) DO UPDATE SET total = t.total + 1"
    MOVE = "INSERT INTO {t} AS t SELECT id, n, 'moved' FROM p"

    def test_key_of_several_parts(self):
        """The main query is executed first, unless it reads what the other part returns."""
        for part, main in (
                (self.DELETE, self.INSERT), (self.DELETE, self.UPSERT), (self.DELETE, f"{self.INSERT} ON CONFLICT DO NOTHING"), (self.DELETE, f"{self.UPSERT} WHERE t.total > 7"),
                (self.UPDATE, self.INSERT), (self.UPDATE, self.UPSERT), (self.UPDATE, f"{self.INSERT} ON CONFLICT DO NOTHING"), (self.UPDATE, f"{self.UPSERT} WHERE t.total > 7"),
                (self.UPSERT, self.DELETE), (self.UPSERT, self.UPDATE), (self.INSERT, self.DELETE), (f"{self.INSERT} ON CONFLICT DO NOTHING", self.UPDATE),
                (f"{self.DELETE} RETURNING *", self.MOVE), (f"{self.DELETE} RETURNING *", f"{self.MOVE} ON CONFLICT (id, n) DO UPDATE SET note = 'x'"),
                (f"{self.DELETE} RETURNING *", "INSERT INTO {t} SELECT id, n + 1, 'moved' FROM p"), ("DELETE FROM {t} WHERE n = 2 RETURNING *", "INSERT INTO {t} SELECT id, n + 1, 'moved' FROM p"),
                (f"{self.UPDATE} RETURNING *", f"{self.MOVE} ON CONFLICT (id, n) DO UPDATE SET note = 'x'"), (f"{self.UPDATE} RETURNING *", f"{self.MOVE} ON CONFLICT (id, n) DO UPDATE SET note = 'x' WHERE false"),
                (f"{self.UPDATE} RETURNING *", f"{self.MOVE} ON CONFLICT DO NOTHING"), (f"{self.INSERT.replace('1,', '9,')} RETURNING *", f"{self.MOVE} ON CONFLICT (id, n) DO UPDATE SET note = 'x'"),
                (self.INSERT.replace("1,", "9,"), self.UPSERT.replace("1,", "9,")), (self.UPSERT, self.UPSERT), (f"{self.UPSERT} WHERE false", self.UPSERT), (self.UPSERT, f"{self.UPSERT} WHERE false"),
                (self.UPSERT, f"{self.INSERT} ON CONFLICT DO NOTHING"), (f"{self.INSERT} ON CONFLICT DO NOTHING", self.UPSERT)):
            with self.subTest(part=part, main=main):
                self.setUp()
                outcome = self.both(f"WITH p AS ({part}) {main}", same_tables=False)
                if not isinstance(outcome, str):
                    self.assertSameTables()

    def test_partition_that_is_reached_late(self):
        """DELETE has deleted its first row before INSERT comes to the table, whose rows wait for the end of the reads."""
        for t in ("near", "far"):
            self.fx.execute(f"CREATE TABLE {t}_parts ({self.COLUMNS}) PARTITION BY LIST (id); CREATE TABLE {t}_other PARTITION OF {t}_parts FOR VALUES IN ('other');"
                            f"ALTER TABLE {t}_parts ATTACH PARTITION {t} FOR VALUES IN ('a', 'b', 'c')")
            self.addCleanup(self.fx.execute, f"ALTER TABLE {t}_parts DETACH PARTITION {t}; DROP TABLE {t}_parts")
        for conflict in ("", " ON CONFLICT DO NOTHING"):
            for delete in ("DELETE FROM {t} WHERE id = 'a' RETURNING *", "DELETE FROM {t}_parts WHERE id = 'a' RETURNING *",
                           "DELETE FROM {t} USING (VALUES (1), (2), (3), (4)) v (i) WHERE id = 'a' AND n = i RETURNING n"):
                for key, following in (("n", 1), ("n", 0), ("CASE n WHEN 3 THEN 4 ELSE 9 END", 0)):
                    self.setUp()
                    self.fx.execute("INSERT INTO near VALUES ('a', 3), ('a', 4); INSERT INTO far VALUES ('a', 3), ('a', 4)")
                    with self.subTest(delete, key=key, following=following, conflict=conflict):
                        outcome = self.both(f"WITH d AS ({delete}) INSERT INTO {{t}}_parts SELECT CASE n WHEN 1 THEN 'other' ELSE 'a' END, {key} + {following} FROM d{conflict}", same_tables=False)
                        if not isinstance(outcome, str):
                            self.assertSameTables()

    def test_row_of_three_parts(self):
        """DO NOTHING does not affect the row, and leaves it affected by another part."""
        self.assertEqual(self.both(f"WITH a AS ({self.UPSERT}), b AS ({self.INSERT} ON CONFLICT DO NOTHING) {self.UPSERT}", same_tables=False), "21000")

    def test_row_shown_by_a_part_that_does_not_write_it(self):
        """DO UPDATE has affected the row, but RETURNING has shown it."""
        for part in (self.UPDATE, self.DELETE):
            self.assertEqual(self.outcome(f"WITH p AS ({part} RETURNING 1) {self.UPSERT}".replace("{t}", "far")), "0A000")

    def test_statement_trigger_after_a_part_that_was_not_finished(self):
        """PL/pgSQL fetches one row only; the rest is written at the end, before the triggers of the statement."""
        self.fx.execute("CREATE TABLE seen (many bigint)")
        self.addCleanup(self.fx.execute, "DROP TABLE seen")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        counts = []
        for table, mode in (("near", "immediate"), ("far", "immediate"), ("far", "atomic")):
            self.fx.execute(f"SET dynamo_fdw.write_mode = {mode}; DELETE FROM {table} WHERE id = 'rest'")
            self.fx.execute(f"CREATE OR REPLACE FUNCTION see_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen SELECT count(*) FROM {table}"
                            " WHERE id = 'rest'; RETURN NULL; END $$;"
                            f"CREATE TRIGGER seen AFTER INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION see_{table}();"
                            f"DO $$ DECLARE one int; BEGIN WITH w AS (INSERT INTO {table} SELECT 'rest', g FROM generate_series(1, 5) g RETURNING n) SELECT 1 INTO one; END $$;"
                            f"DROP TRIGGER seen ON {table}")
            counts.append(self.fx.rows("SELECT many FROM seen"))
            self.fx.execute("TRUNCATE seen")
        self.assertEqual(counts, [[(5,)]] * 3)


class Upserts(writes.TestCase):
    """RETURNING shows the row of the table."""

    def test_row_that_stays_the_same(self):
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'other', 9) ON CONFLICT (id, n) DO UPDATE SET note = t.note RETURNING t.*")
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'other', 9) ON CONFLICT (id, n) DO UPDATE SET note = 'one' RETURNING *")


    def test_row_that_is_not_affected(self):
        """A key may occur twice if WHERE was not true for the first one."""
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'x', 1), ('a', 1, 'y', 2), ('a', 2, 'z', 3) ON CONFLICT (id, n) DO UPDATE SET note = EXCLUDED.note WHERE t.total < EXCLUDED.total")
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'x', 5), ('a', 1, 'y', 6) ON CONFLICT (id, n) DO UPDATE SET note = EXCLUDED.note WHERE t.total < EXCLUDED.total", same_tables=False)


class RowLocks(writes.TestCase):
    """Items are not locked: one WARNING for each statement that locks rows, and the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE TABLE other (n int, x text); INSERT INTO other VALUES (1, 'x'), (2, 'y'), (9, 'z'); ANALYZE other;"
                       "CREATE TABLE near_parent (id text NOT NULL, n int NOT NULL, note text) PARTITION BY LIST (id); CREATE TABLE near_part PARTITION OF near_parent DEFAULT;"
                       "CREATE TABLE far_parent (id text NOT NULL, n int NOT NULL, note text) PARTITION BY LIST (id);"
                       "CREATE FOREIGN TABLE far_part PARTITION OF far_parent DEFAULT SERVER ddb OPTIONS (updatable 'on', scan_policy 'allow', "
                       f"table_name '{cls.fx.remote('items')}'); CREATE TABLE copied (n int)")
        cls.fx.foreign_table("fixed", cls.COLUMNS, table_name=cls.fx.remote("items"), scan_policy="allow")
        for table in ("near", "far"):
            cls.fx.execute(f"CREATE VIEW v_{table} AS SELECT * FROM {table} WHERE n < 7; CREATE VIEW j_{table} AS SELECT t.id, o.x FROM {table} t JOIN other o USING (n)")

    def warned(self, sql):
        """The WARNINGs of a statement, which must return the local rows."""
        self.both(sql, same_tables=False)
        return [notice.split("\n")[0] for notice in self.fx.conn.notices if "not locked" in notice]

    def test_strengths(self):
        self.fx.execute("INSERT INTO near_parent SELECT id, n, note FROM near")
        self.addCleanup(self.fx.execute, "TRUNCATE near_parent")
        far, part = 'WARNING:  rows of foreign table "far" are not locked', 'WARNING:  rows of foreign table "far_part" are not locked'
        for strength in ("FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "FOR KEY SHARE", "FOR UPDATE NOWAIT", "FOR UPDATE SKIP LOCKED"):
            for sql, warnings in (
                    (f"SELECT * FROM {{t}} WHERE id = 'a' {strength}", [far]),
                    (f"SELECT * FROM {{t}} WHERE n > 100 {strength}", [far]),
                    (f"SELECT id, note FROM v_{{t}} {strength}", [far]),
                    (f"SELECT * FROM j_{{t}} {strength}", [far]),
                    (f"SELECT t.note, o.x FROM {{t}} t JOIN other o USING (n) {strength}", [far]),
                    (f"SELECT t.note, o.x FROM {{t}} t JOIN other o USING (n) {strength.replace('UPDATE', 'UPDATE OF t').replace('SHARE', 'SHARE OF t')}", [far]),
                    (f"SELECT t.note, o.x FROM other o JOIN {{t}} t ON t.id = 'a' AND t.n = o.n {strength}", [far]),
                    (f"SELECT t.note, o.x FROM {{t}} t JOIN other o USING (n) {strength.replace('UPDATE', 'UPDATE OF o').replace('SHARE', 'SHARE OF o')}", []),
                    (f"SELECT s.note, t.note FROM {{t}} s JOIN {{t}} t USING (id) {strength}", [far]),
                    (f"SELECT count(*) FROM (SELECT * FROM {{t}} {strength}) s", [far]),
                    (f"WITH s AS (SELECT * FROM {{t}} {strength}) SELECT note FROM s", [far]),
                    (f"SELECT note FROM {{t}}_parent WHERE id = 'a' {strength}", [part]),
                    (f"INSERT INTO copied SELECT n FROM {{t}} {strength}", [far]),
                    ("SELECT note FROM {t}", [])):
                self.assertEqual(self.warned(sql), warnings, sql)

    def test_each_execution(self):
        self.fx.execute("PREPARE locking AS SELECT note FROM far WHERE id = 'a' FOR UPDATE")
        self.addCleanup(self.fx.execute, "DEALLOCATE locking")
        for _ in range(3):
            [warning] = self.fx.notices("EXECUTE locking")
            self.assertIn("Put the condition into the UPDATE", warning)
        self.assertEqual(self.fx.notices("EXPLAIN EXECUTE locking"), [])

    def test_table_that_is_not_updatable(self):
        self.assertEqual(self.fx.notices("SELECT note FROM fixed FOR UPDATE"), [])


class Memory(writes.TestCase):
    """Memory does not grow with the number of rows."""

    ROWS = ""
    MANY = "SELECT 'm', g, repeat('x', 3000) FROM generate_series(1, 120) g"

    def test_deferred_rows_in_a_file(self):
        """The statement reads what it writes, so its rows are stored, and work_mem is too small for them."""
        self.fx.execute("SET work_mem = '64kB'")
        self.addCleanup(self.fx.execute, "RESET work_mem")
        self.assertEqual(self.both(f"INSERT INTO {{t}} {self.MANY}")[0], 120)
        self.assertEqual(self.both("INSERT INTO {t} SELECT 'o', n, note FROM {t} RETURNING length(note)")[0], 120)
        self.assertEqual(self.both("UPDATE {t} SET total = n, note = note || n WHERE n < (SELECT count(*) FROM {t})")[0], 240)
        self.assertEqual(self.both("DELETE FROM {t} t USING {t} s WHERE s.n = t.n AND t.id = 'm' RETURNING t.note")[0], 120)

    def test_deferred_rows_of_partitions(self):
        """Rows are inserted into two partitions in turn; the statement fails before they are sent."""
        for name in ("even", "odd"):
            self.fx.create_table(name, ("id", "S"), ("n", "N"))
        self.fx.execute("CREATE TABLE parts (id text, n int) PARTITION BY LIST (id);" + "".join(
            f"CREATE FOREIGN TABLE {name} PARTITION OF parts (id NOT NULL, n NOT NULL) FOR VALUES IN ('{name}') SERVER ddb OPTIONS (table_name '{self.fx.remote(name)}', updatable 'on', scan_policy 'allow');"
            for name in ("even", "odd")) + """CREATE FUNCTION grown(n int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE taken bigint = (SELECT sum(used_bytes) FROM pg_backend_memory_contexts); BEGIN
                IF n = 4000 THEN PERFORM set_config('test.taken', taken::text, false); ELSIF n = 10000 THEN RAISE '%', taken - current_setting('test.taken')::bigint; END IF; RETURN n; END $$; SET work_mem = '64kB'""")
        self.addCleanup(self.fx.execute, "RESET work_mem")
        grown = self.fx.error("INSERT INTO parts SELECT CASE g % 2 WHEN 0 THEN 'even' ELSE 'odd' END, g FROM generate_series(1, 10000) g WHERE (SELECT count(*) FROM parts) = 0 RETURNING grown(n)")
        self.assertLess(int(grown.message), 100000)

    def test_returning(self):
        """The memory of a row's values is free before the next row."""
        self.fx.execute("CREATE FUNCTION taken() RETURNS bigint LANGUAGE sql AS $$ SELECT sum(used_bytes) FROM pg_backend_memory_contexts $$;"
                        f"INSERT INTO far {self.MANY}")
        for sql in ("UPDATE far SET total = n", "UPDATE far SET total = total + 1 FROM (VALUES ('m')) v (i) WHERE i = id",
                    f"INSERT INTO far {self.MANY} ON CONFLICT (id, n) DO UPDATE SET total = far.n", "DELETE FROM far"):
            taken = [row[0] for row in self.fx.rows(f"{sql} RETURNING taken()")]
            self.assertEqual(len(taken), 120)
            self.assertLess(taken[-1] - taken[20], 100 * 2000, sql)


class Views(writes.TestCase):
    """ON CONFLICT through a view."""

    def test_row_that_the_view_does_not_show(self):
        for table in ("far", "near"):
            self.fx.execute(f"CREATE VIEW seen_{table} AS SELECT * FROM {table} WHERE total > 0; CREATE VIEW checked_{table} AS SELECT * FROM seen_{table} WITH CHECK OPTION")
        for view in ("seen", "checked"):
            insert = f"INSERT INTO {view}_{{t}} AS v VALUES ('a', 1, 'x', 1), ('b', 1, 'x', 1) ON CONFLICT (id, n) "
            self.both(insert + "DO UPDATE SET total = 5", same_tables=False)
            self.both(insert + "DO UPDATE SET total = 5 WHERE v.n > 10", same_tables=False)
            self.both(insert + "DO NOTHING", same_tables=False)
            self.setUp()
        self.both("INSERT INTO checked_{t} AS v VALUES ('a', 1, 'x', 1), ('a', 2, 'x', 1) ON CONFLICT (id, n) DO UPDATE SET total = v.total - 1.75", same_tables=False)

    def test_check_option_of_a_row_that_changes(self):
        """The columns that the check reads must not have changed."""
        self.fx.execute("CREATE VIEW positive AS SELECT * FROM far WHERE total > 0 WITH CHECK OPTION")
        done = []

        def concurrently(_):
            if not done:
                done.append(self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "total": {"N": "-5"}}))
        self.fx.proxy.on("UpdateItem", concurrently)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertIn(self.outcome("INSERT INTO positive VALUES ('a', 1, 'x', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'y'"), ("44000", "55000"))


class OwnWrites(writes.TestCase):
    """A statement does not see what it writes, but the volatile functions that it calls do."""

    UPSERT = "INSERT INTO {t} VALUES ('q', 1), ('a', 1) ON CONFLICT (id, n) DO UPDATE SET total = "

    def test_subqueries_of_upserts(self):
        self.both(self.UPSERT + "(SELECT count(*) FROM {t})")
        self.both(self.UPSERT.replace("'q'", "'r'") + "7 WHERE {t}.n = (SELECT count(*) - 4 FROM {t})")
        self.both("WITH w AS (SELECT count(*) AS many FROM {t}) " + self.UPSERT.replace("'q'", "'s'") + "(SELECT many FROM w)")
        self.both("WITH w AS (INSERT INTO {t} VALUES ('t', 1) RETURNING 1) " + self.UPSERT.replace("'q'", "'u'") + "(SELECT count(*) FROM {t})")

    def test_correlated_subqueries_of_upserts(self):
        """They cannot be executed before the first row is written."""
        sql = self.UPSERT + "(SELECT count(*) FROM {t} x WHERE x.n <> EXCLUDED.n + 6)"
        self.assertEqual(self.outcome(sql.replace("{t}", "far")), "0A000")
        self.assertSameTables()
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.both(sql)

    def test_check_option_with_a_subquery(self):
        for table in ("far", "near"):
            self.fx.execute(f"CREATE VIEW few_{table} AS SELECT * FROM {table} WHERE n < (SELECT count(*) FROM {table} t WHERE t.id < {table}.id) WITH CHECK OPTION")
        self.both("INSERT INTO few_{t} SELECT 'w', g FROM generate_series(1, 3) g")
        self.assertEqual(self.both("INSERT INTO few_{t} VALUES ('x', 5), ('y', 7), ('z', 8)", same_tables=False), "44000")

    def test_returning_shows_what_is_written(self):
        """If a row is shown before it is written, it must not have changed."""
        for mode, sql in (("immediate", "UPDATE far SET total = 9 WHERE n = 1 AND 100 > (SELECT count(*) FROM far) RETURNING id, note"),
                          ("immediate", "DELETE FROM far WHERE n = 1 AND 100 > (SELECT count(*) FROM far) RETURNING far"),
                          ("atomic", "UPDATE far SET total = 9 WHERE n = 1 RETURNING note"), ("atomic", "DELETE FROM far WHERE n = 1 RETURNING *")):
            for changed in (False, True):
                self.setUp()
                done = []

                def concurrently(_, changed=changed, done=done):
                    if changed and not done:
                        done.append(self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "later"}}))
                with self.subTest(sql=sql, changed=changed):
                    self.fx.execute(f"SET dynamo_fdw.write_mode = {mode}")
                    self.fx.proxy.on("*", lambda request: concurrently(request) if request.is_write() else None)
                    outcome = self.outcome(sql)
                    self.fx.proxy.reset(scripts=True)
                    self.fx.execute("RESET dynamo_fdw.write_mode")
                    self.assertEqual(outcome if changed else outcome[0], "40001" if changed else 2)

    def test_functions_that_only_write(self):
        """A function's write of a row comes after the statement's, even if that has no response yet."""
        for table in ("far", "near"):
            self.fx.execute(f"CREATE FUNCTION again_{table}() RETURNS text LANGUAGE sql AS $$ INSERT INTO {table} VALUES ('w', 1, 'inner')"
                            " ON CONFLICT (id, n) DO UPDATE SET note = 'inner'; SELECT 'x' $$")
        self.outcome("INSERT INTO near SELECT 'w', g, CASE g WHEN 2 THEN again_near() END FROM generate_series(1, 2) g")
        concurrently = []
        self.fx.proxy.reset()
        self.fx.proxy.hold(lambda r: r.operation == "PutItem" and "note" not in r.body["Item"], lambda requests: concurrently.append(len(requests)), bound=0.5)
        self.addCleanup(self.fx.proxy.reset)
        self.assertEqual(self.outcome("INSERT INTO far SELECT 'w', g, CASE g WHEN 2 THEN again_far() END FROM generate_series(1, 2) g"), (2, []))
        self.assertEqual(max(concurrently), 1)
        self.assertSameTables()

    def test_functions(self):
        for table in ("far", "near"):
            self.fx.execute(f"CREATE FUNCTION next_{table}() RETURNS int LANGUAGE plpgsql AS "
                            f"$$ BEGIN RETURN (SELECT coalesce(max(n), 0) + 1 FROM {table} WHERE id = 'v'); END $$")
        self.both("INSERT INTO {t} SELECT 'v', next_{t}() FROM generate_series(1, 20)")
        self.both("INSERT INTO {t} SELECT 'v', next_{t}() FROM generate_series(1, 5) RETURNING n, next_{t}()")
        self.both("DELETE FROM {t} WHERE id = 'v' AND n < next_{t}() - 5")


class Nested(writes.TestCase):
    """Rows that functions or triggers of a statement write before the statement itself does, and others that they write."""

    CHANGE = "UPDATE {t} SET total = coalesce(total, 0) + 1 WHERE id = k AND n = no"

    def setUp(self):
        self.fx.execute("SET session_replication_role = replica")       # no triggers
        super().setUp()
        self.fx.execute("RESET session_replication_role")

    def prepare(self, change, when=None, condition="true"):
        """The function change_near or change_far, which returns 1; or a trigger."""
        for table in ("far", "near"):
            for statement in ("DROP TRIGGER IF EXISTS nest ON {t}", "CREATE OR REPLACE FUNCTION change_{t}(k text, no int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN " + change + "; RETURN 1; END $$",
                              "CREATE OR REPLACE FUNCTION nest_{t}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF pg_trigger_depth() = 1 AND " + condition +
                              " THEN PERFORM change_{t}('a', 1); END IF; RETURN coalesce(NEW, OLD); END $$", when and f"CREATE TRIGGER nest {when} EXECUTE FUNCTION nest_{{t}}()"):
                self.fx.execute(statement.replace("{t}", table) if statement else "SELECT")
        self.addCleanup(self.fx.execute, "DROP TRIGGER IF EXISTS nest ON far; DROP TRIGGER IF EXISTS nest ON near")

    def refused(self, sql):
        """On both tables."""
        with self.subTest(sql=sql):
            self.setUp()
            self.assertEqual(self.both(sql, same_tables=False), "27000")

    def test_functions(self):
        self.prepare(self.CHANGE)
        for sql in ("UPDATE {t} SET note = change_{t}(id, n)", "UPDATE {t} SET total = total + change_{t}(id, n) WHERE n = 1", "UPDATE {t} SET flag = true WHERE change_{t}(id, n) > 0",
                    "UPDATE {t} SET note = change_{t}(id, n + 1) WHERE id = 'a'", "DELETE FROM {t} WHERE change_{t}(id, n) > 0", "DELETE FROM {t} USING (VALUES (1)) v (x) WHERE change_{t}(id, n) = x RETURNING note"):
            self.refused(sql)
        self.setUp()
        errors = []
        for table in ("near", "far"):
            self.fx.proxy.reset()
            errors.append(self.fx.error(f"UPDATE {table} SET total = total + change_{table}(id, n) WHERE id = 'a' AND n = 1")[:4])
        self.assertEqual(errors[0], errors[1])
        self.assertEqual([r.operation for r in self.fx.proxy.requests], ["GetItem", "GetItem", "UpdateItem"])

    def test_kinds_of_writes(self):
        for change in ("DELETE FROM {t} WHERE id = k AND n = no", "UPDATE {t} SET note = note WHERE id = k AND n = no", "UPDATE {t} SET note = 'x' WHERE (id, n) = (k, no)",
                       "INSERT INTO {t} VALUES (k, no) ON CONFLICT (id, n) DO UPDATE SET flag = true"):
            self.prepare(change)
            self.refused("UPDATE {t} SET at = '2024-01-01' WHERE change_{t}(id, n) = 1 AND id = 'a'")
            self.refused("DELETE FROM {t} WHERE change_{t}(id, n) = 1 AND id = 'a'")

    def test_other_rows(self):
        """The statement has written them before, does not write them, or they are new."""
        self.prepare(self.CHANGE)
        self.both("UPDATE {t} SET note = CASE n WHEN 2 THEN change_{t}(id, 1) ELSE 5 END WHERE id = 'a'")
        self.both("UPDATE {t} SET note = change_{t}('b', 1) WHERE id = 'a'")
        self.both("DELETE FROM {t} WHERE id = 'a' AND (n = 1 OR change_{t}('b', 1) = 1)")
        self.prepare("INSERT INTO {t} VALUES ('z' || k, no) ON CONFLICT (id, n) DO NOTHING")
        self.both("UPDATE {t} SET note = change_{t}(id, n) WHERE id < 'z'")
        self.both("DELETE FROM {t} WHERE change_{t}('z', n) = 1 AND id < 'z'")

    def test_upserts(self):
        """DO UPDATE does not update a row that the statement's function has written."""
        upsert = "INSERT INTO {t} VALUES (%s, change_{t}(%s, 1)) ON CONFLICT (id, n) DO UPDATE SET note = 'upsert'"
        for change, outcome in ((self.CHANGE, "21000"), ("INSERT INTO {t} VALUES (k, no)", "21000"), ("INSERT INTO {t} VALUES (k, no) ON CONFLICT (id, n) DO UPDATE SET total = 9", "21000"),
                                ("DELETE FROM {t} WHERE id = k AND n = no", (1, [])), ("UPDATE {t} SET note = 'x' WHERE id = k AND n = no + 1", (1, []))):
            self.prepare(change)
            key = "'new'" if change.endswith("(k, no)") else "'a'"
            with self.subTest(change=change):
                self.setUp()
                self.assertEqual(self.both(upsert % (key, key), same_tables=outcome != "21000"), outcome)
        self.prepare("DELETE FROM {t} WHERE id = k AND n = no")
        self.both("INSERT INTO {t} VALUES ('again', 1, 'first'), ('again', change_{t}('again', 1), 'second') ON CONFLICT (id, n) DO UPDATE SET note = 'third'")

    def test_expressions_of_upserts(self):
        """They write the row that DO UPDATE is about to update, at once or after all reads."""
        for change in (self.CHANGE, "DELETE FROM {t} WHERE id = k AND n = no"):
            self.prepare(change)
            for rows in ("VALUES ('a', 1)", "SELECT id, n FROM {t} WHERE id = 'a' AND n = 1"):
                for action in ("SET note = change_{t}('a', 1)", "SET total = t.total + change_{t}('a', 1)", "SET note = t.note WHERE change_{t}('a', 1) = 1"):
                    self.refused(f"INSERT INTO {{t}} AS t (id, n) {rows} ON CONFLICT (id, n) DO UPDATE {action}")
        self.prepare(self.CHANGE)
        self.setUp()
        self.both("INSERT INTO {t} VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x' WHERE change_{t}('a', 1) > 1")
        self.both("INSERT INTO {t} VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = change_{t}('b', 1)")

    def test_earlier_rows_of_upserts(self):
        """The response that shows their conflict comes after the change, so a local table succeeds."""
        upsert = " ON CONFLICT (id, n) DO UPDATE SET total = EXCLUDED.total"
        self.prepare(self.CHANGE)
        self.assertEqual(self.outcome("INSERT INTO far (id, n, total) VALUES ('a', 1, 10), ('b', change_far('a', 1), 0)" + upsert), "27000")
        self.assertEqual(self.fx.rows("SELECT total FROM far WHERE id = 'a' AND n = 1"), [(Decimal("2.5"),)])
        for condition in ("false", "EXCLUDED.total IS NULL"):
            self.setUp()
            sql = "INSERT INTO {t} AS t (id, n, total) VALUES ('a', 1, 10), ('b', change_{t}('a', 1), 0), ('a', 1, NULL)" + upsert + " WHERE " + condition
            self.assertEqual(self.both(sql, same_tables=False), "21000")
        self.setUp()
        self.both("INSERT INTO {t} (id, n, total) VALUES ('new', 1, 10), ('b', change_{t}('new', 1), 0)" + upsert)

    def test_skipped_deletion(self):
        """Of a row that another part of the nested statement has updated."""
        self.prepare("WITH d AS (DELETE FROM {t} WHERE id = k AND n = no), u AS (INSERT INTO {t} VALUES (k, no) ON CONFLICT (id, n) DO UPDATE SET flag = false) SELECT 1 INTO no")
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', change_{t}('a', 1)) ON CONFLICT (id, n) DO UPDATE SET note = 'x'", same_tables=False), "21000")

    def test_atomic(self):
        """Rows that are collected, and sent when the function has changed them."""
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.prepare(self.CHANGE)
        upsert = " ON CONFLICT (id, n) DO UPDATE SET total = EXCLUDED.total"
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', change_{t}('a', 1))" + upsert, same_tables=False), "21000")
        self.refused("UPDATE {t} SET note = change_{t}(id, n)")
        self.assertEqual(len(self.writes("DO $$ BEGIN UPDATE far SET note = change_far(id, n); EXCEPTION WHEN triggered_data_change_violation THEN END $$")), 1)
        self.refused("INSERT INTO {t} AS t VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = change_{t}('a', 1)")
        for sql in ("UPDATE far SET total = CASE n WHEN 2 THEN change_far(id, 1) ELSE 5 END WHERE id = 'a'", "UPDATE far SET total = 5 WHERE id = 'a' AND n = 1 RETURNING change_far(id, 1)",
                    "DELETE FROM far WHERE id = 'a' AND (n = 1 OR change_far('a', 1) = 1)", "INSERT INTO far (id, n, total) VALUES ('a', 1, 10), ('b', change_far('a', 1), 0)" + upsert,
                    "INSERT INTO far AS t (id, n, total) VALUES ('a', 1, 10), ('b', 1, 0) ON CONFLICT (id, n) DO UPDATE SET total = CASE t.id WHEN 'b' THEN change_far('a', 1) ELSE 10 END"):
            with self.subTest(sql=sql):
                self.setUp()
                self.assertEqual(self.outcome(sql), "27000")
                self.assertEqual(self.fx.rows("SELECT total FROM far WHERE id = 'a' AND n = 1"), [(Decimal("2.5"),)])
        self.setUp()
        self.both("UPDATE {t} SET note = change_{t}('b', 1) WHERE id = 'a'")
        self.prepare("INSERT INTO {t} VALUES (k, no)")
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('new', 1), ('b', change_{t}('new', 1))", same_tables=False), "23505")

    def test_atomic_inserts(self):
        """A function inserts a row that the statement has collected before, or that exists."""
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        insert = "INSERT INTO {t} (id, n, note) VALUES (k, no, 'nested')"
        for change in (insert, insert + " ON CONFLICT DO NOTHING", insert + " ON CONFLICT (id, n) DO UPDATE SET note = 'changed'", "DELETE FROM {t} WHERE id = k AND n = no; " + insert):
            self.prepare(change)
            updates = "DO UPDATE" in change
            for key, conflict in (("new", ""), ("new", " ON CONFLICT DO NOTHING"), ("a", " ON CONFLICT DO NOTHING"), ("new", " ON CONFLICT (id, n) DO UPDATE SET total = 1")):
                sql = f"INSERT INTO {{t}} (id, n) VALUES ('{key}', 1), ('b2', change_{{t}}('{key}', 1)){conflict}"
                with self.subTest(change=change, sql=sql):
                    self.setUp()
                    if key == "new" and (updates or "DELETE" in change):
                        # on a local table, the function changes the new row
                        self.assertEqual(self.outcome(sql.replace("{t}", "far")), "27000" if updates else "23505")
                        self.assertSameTables()
                    else:
                        self.both(sql)

    def test_atomic_inserts_of_later_rows(self):
        """DO UPDATE calls a function that inserts a row: before the statement does if that row comes later."""
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.prepare("INSERT INTO {t} (id, n, note) VALUES (k, no, 'nested') ON CONFLICT DO NOTHING")
        for rows in ("('new', 1), ('a', 1)", "('a', 1), ('c', 7)"):
            self.both(f"INSERT INTO {{t}} (id, n) VALUES {rows} ON CONFLICT (id, n) DO UPDATE SET total = change_{{t}}('new', 1)")
            self.setUp()
        sql = "INSERT INTO {t} (id, n) VALUES ('a', 1), ('new', 1) ON CONFLICT (id, n) DO UPDATE SET total = change_{t}('new', 1)"
        self.assertEqual([self.outcome(sql.replace("{t}", table)) for table in ("near", "far")], ["21000", "27000"])

    def test_atomic_without_waiting(self):
        """What must fail is not charged to the budget, for which it would wait."""
        self.fx.execute("INSERT INTO far SELECT 'many', g FROM generate_series(1, 60) g")
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'; ALTER FOREIGN TABLE far OPTIONS (ADD max_write_units_per_second '20')")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode; ALTER FOREIGN TABLE far OPTIONS (DROP max_write_units_per_second)")
        self.prepare(self.CHANGE)
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.assertEqual(self.outcome("UPDATE far SET note = CASE n WHEN 60 THEN change_far(id, 1) ELSE 5 END WHERE id = 'many'"), "27000")
        self.assertEqual(self.fx.value("SELECT sum(capacity_wait_ms) FROM dynamo_fdw_statistics"), 0)

    def test_repeated_attempts(self):
        """A function changes the row between two attempts to write it, or while the row waits for its first."""
        self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "flag": {"S": "Y"}, "total": {"N": "1.5"}})
        self.prepare(self.CHANGE)
        self.assertEqual(self.outcome("UPDATE far SET flag = NOT flag, total = CASE n WHEN 2 THEN change_far(id, 1) ELSE 5 END WHERE id = 'a'"), "27000")
        self.assertEqual(self.fx.rows("SELECT total FROM far WHERE id = 'a' AND n = 1"), [(Decimal("2.5"),)])
        self.prepare("UPDATE {t} SET total = 9 WHERE id = k AND n = no")
        self.setUp()
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency)")
        self.fx.rows("SELECT FROM far WHERE id = 'a' AND n = 1")
        self.fx.proxy.on("UpdateItem", lambda request: self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "again"}}))
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertEqual(self.outcome("UPDATE far SET total = CASE note WHEN 'again' THEN change_far(id, 2) ELSE 5 END WHERE id = 'a'"), "27000")
        self.assertEqual(self.fx.rows("SELECT total FROM far WHERE id = 'a'"), [(1,), (9,)])

    def test_throttled_row(self):
        """The function waits for its capacity, which statistics show."""
        self.prepare(self.CHANGE)
        throttles = iter(range(4))
        self.fx.proxy.on("PutItem", lambda _: replies.throttle() if next(throttles, None) is not None else None)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('p', 1), ('q', change_far('a', 1))"), (2, []))
        self.assertEqual(self.fx.rows("SELECT throttles, capacity_wait_ms > 100 FROM dynamo_fdw_statistics WHERE throttles > 0"), [(4, True)])

    def test_triggers(self):
        for when, condition in (("BEFORE UPDATE OR DELETE ON {t} FOR EACH ROW", "OLD.n = 1"), ("BEFORE UPDATE OR DELETE ON {t} FOR EACH STATEMENT", "true")):
            self.prepare(self.CHANGE, when, condition)
            for sql in ("UPDATE {t} SET note = 'x'", "UPDATE {t} SET note = 'x' WHERE id = 'a' AND n = 1", "DELETE FROM {t} WHERE id = 'a'", "DELETE FROM {t} WHERE id = 'a' AND n = 1"):
                self.refused(sql)
            self.setUp()
            self.both("UPDATE {t} SET note = 'x' WHERE id = 'c'")
        self.prepare(self.CHANGE, "AFTER UPDATE OR DELETE ON {t} FOR EACH ROW")
        self.both("UPDATE {t} SET note = 'x'")
        self.both("DELETE FROM {t} WHERE id <> 'b'")


class Atomic(writes.TestCase):
    """write_mode 'atomic'."""

    COLUMNS = Joined.COLUMNS + ", city text, x numeric"
    FOREIGN = COLUMNS.replace("city text", "city text OPTIONS (path 'place.city')").replace("x numeric", "x numeric OPTIONS (path 'place.at.x')")

    def setUp(self):
        super().setUp()
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")

    def test_copy_with_after_triggers(self):
        """They are fired before the rows are sent."""
        self.fx.execute("CREATE OR REPLACE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;"
                        "CREATE TRIGGER passed AFTER INSERT ON far FOR EACH STATEMENT EXECUTE FUNCTION passed()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER passed ON far")
        with self.assertRaises(psycopg2.errors.FeatureNotSupported), self.fx.conn.cursor() as cursor:
            cursor.copy_expert("COPY far (id, n) FROM STDIN", io.StringIO("c\t1\n"))
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('c', 1)")[0], 1)

    def test_other_encodings(self):
        """What other applications have stored in another form is no conflict."""
        self.put_raw({"id": {"S": "raw"}, "n": {"N": "1"}, "flag": {"S": "Y"}, "at": {"S": "2024-05-01T12:00:00+02:00"}})
        self.fx.execute("INSERT INTO near VALUES ('raw', 1, NULL, NULL, true, '2024-05-01 10:00+00')")
        self.assertEqual(self.both("UPDATE {t} SET flag = NOT flag, at = at + interval '1 hour' WHERE id = 'raw'")[0], 1)
        self.assertEqual(self.item("raw", 1)["flag"], {"BOOL": False})

    def test_missing_maps(self):
        self.assertEqual(self.both("UPDATE {t} SET city = 'Rome', x = 1.5 WHERE id = 'a'")[0], 2)
        self.assertEqual(self.item("a", 1)["place"], {"M": {"city": {"S": "Rome"}, "at": {"M": {"x": {"N": "1.5"}}}}})
        self.assertEqual(self.both("UPDATE {t} SET city = NULL WHERE id = 'b'")[0], 1)

    def test_upserts(self):
        """The count has rows that stay the same; rows that may turn out as conflicts are not shown before."""
        self.assertEqual(self.both("INSERT INTO {t} AS t VALUES ('a', 1), ('u', 1) ON CONFLICT (id, n) DO UPDATE SET note = t.note")[0], 2)
        for action in ("NOTHING", "UPDATE SET note = 'x'"):
            sql = f"INSERT INTO far VALUES ('a', 1), ('w', 1) ON CONFLICT (id, n) DO {action} RETURNING id"
            self.assertEqual(self.outcome(sql), "0A000")
        self.assertSameTables()

    def test_key_that_occurs_twice(self):
        """Whether DO UPDATE affects the first of both rows is known too late."""
        sql = "INSERT INTO far AS t VALUES ('a', 1), ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x'"
        for condition in ("", " WHERE t.total IS NULL", " WHERE t.total IS NOT NULL"):
            self.assertEqual(self.outcome(sql + condition), "0A000")
        self.assertSameTables()


class Paths(writes.TestCase):
    """Columns in maps that an item may lack."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, city text, x numeric, tags text[]"
    FOREIGN = "id text NOT NULL, n int NOT NULL, city text OPTIONS (path 'place.city'), x numeric OPTIONS (path 'place.at.x'), tags text[] OPTIONS (format 'set')"
    ROWS = ""

    def put_all(self):
        """Items without maps, with the outer one, and with both."""
        for n, more in enumerate(({}, {"place": {"M": {}}}, {"place": {"M": {"at": {"M": {"y": {"N": "2"}}}}}}, {"place": {"M": {"city": {"S": "Oslo"}}}})):
            self.put_raw({"id": {"S": "p"}, "n": {"N": str(n)}, **more})
            self.fx.execute(f"INSERT INTO near VALUES ('p', {n}, {chr(39) + 'Oslo' + chr(39) if n == 3 else 'NULL'})")

    def test_H12_two_maps_of_one_attribute(self):
        self.put_all()
        self.assertEqual(self.both("UPDATE {t} SET city = 'Rome', x = 1 RETURNING *")[0], 4)
        self.assertEqual([self.item("p", n)["place"]["M"]["at"]["M"] for n in range(4)], [{"x": {"N": "1"}}] * 2 + [{"x": {"N": "1"}, "y": {"N": "2"}}, {"x": {"N": "1"}}])
        self.both("UPDATE {t} SET city = NULL, x = NULL")
        self.assertEqual(self.item("p", 2)["place"], {"M": {"at": {"M": {"y": {"N": "2"}}}}})

    def test_H12_a_value_and_a_removal(self):
        self.put_all()
        self.assertEqual(self.both("UPDATE {t} SET city = NULL, x = 2")[0], 4)
        self.fx.execute("DELETE FROM far; DELETE FROM near")
        self.put_all()
        self.assertEqual(self.both("UPDATE {t} SET city = n::text, x = NULL")[0], 4)

    def test_arrays_that_are_stored_as_lists(self):
        """Other applications store lists; a set is written."""
        self.put_raw({"id": {"S": "l"}, "n": {"N": "1"}, "tags": {"L": [{"S": "a"}, {"S": "b"}]}})
        self.fx.execute("INSERT INTO near VALUES ('l', 1, NULL, NULL, '{a,b}')")
        self.assertEqual(self.both("UPDATE {t} SET tags = tags || '{c}'::text[] WHERE id = 'l'")[0], 1)
        self.assertEqual(sorted(self.item("l", 1)["tags"]["SS"]), ["a", "b", "c"])


class Expired(writes.TestCase):
    """A row that expires by what the statement writes."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, note text, ends timestamptz"
    FOREIGN = COLUMNS + " OPTIONS (format 'epoch')"
    OPTIONS = {"ttl_attribute": "ends"}
    ROWS = "('a', 1, 'one', NULL), ('a', 2, 'two', NULL)"

    def test_returning(self):
        past = "date_trunc('second', now()) - interval '1 day'"
        self.both(f"INSERT INTO {{t}} AS t VALUES ('a', 1, 'other', {past}) ON CONFLICT (id, n) DO UPDATE SET ends = EXCLUDED.ends RETURNING t.id, t.note", same_tables=False)
        self.both(f"UPDATE {{t}} SET ends = {past} WHERE n = 2 RETURNING id, note", same_tables=False)
        self.assertEqual(self.fx.rows("SELECT * FROM far"), [])


class Newer(writes.TestCase):
    """Statements that only newer majors have."""

    def test_old_row_of_an_upsert(self):
        if self.fx.conn.server_version < 180000:
            self.skipTest("from PostgreSQL 18 on")
        self.fx.execute("LOAD 'dynamo_fdw'; CREATE VIEW labeled AS SELECT id, n, 'x' AS label FROM far")
        for table, old in (("far", "old.n"), ("far", "old.tableoid"), ("far", "old"), ("labeled", "old.label")):
            with self.subTest(old):
                self.assertEqual(self.outcome(f"INSERT INTO {table} (id, n) VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET n = 1 RETURNING {old}"), "0A000")
        self.assertSameTables()

    def test_checks_that_are_not_enforced(self):
        """They cost no read, and their columns are not compared."""
        if self.fx.conn.server_version < 180000:
            self.skipTest("from PostgreSQL 18 on")
        for table in ("FOREIGN TABLE far", "TABLE near"):
            self.fx.execute(f"ALTER {table} ADD CONSTRAINT small CHECK (total < 2) NOT ENFORCED")
            self.addCleanup(self.fx.execute, f"ALTER {table} DROP CONSTRAINT small")
        self.both("UPDATE {t} SET total = 5 WHERE id = 'a' AND n = 1")
        self.assertEqual([r.operation for r in self.fx.requests("UPDATE far SET note = 'x' WHERE id = 'a' AND n = 1")], ["UpdateItem"])
        [write] = self.writes("UPDATE far SET note = 'x' || note WHERE id = 'a' AND n = 1")
        self.assertNotIn("total", write.body["ExpressionAttributeNames"].values())
        self.fx.execute("ALTER FOREIGN TABLE far ADD CONSTRAINT large CHECK (total < 20)")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE far DROP CONSTRAINT large")
        [write] = self.writes("UPDATE far SET note = 'y' WHERE id = 'a' AND n = 1")
        self.assertIn("total", write.body["ExpressionAttributeNames"].values())

    def test_on_conflict_do_select(self):
        if self.fx.conn.server_version < 190000:
            self.skipTest("from PostgreSQL 19 on")
        for columns in ("id, n", "id"):
            self.assertIn(self.outcome(f"INSERT INTO far VALUES ('a', 1), ('x', 1) ON CONFLICT ({columns}) DO SELECT RETURNING *"), ("0A000", "42P10"))
        self.assertSameTables()
