"""INSERT, UPDATE and DELETE of plain tables: as on a local table, by the fewest requests, and nothing else is touched."""
import io
import re
import unittest

import replies
import writes


class Rows(writes.TestCase):
    """Each statement on a foreign and a local table."""

    def test_insert(self):
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('z', 1, 'x', 1.50, true, '2024-01-01'), ('z', 2, NULL, NULL, NULL, NULL)")[0], 2)
        self.assertEqual(self.item("z", 1), {"id": {"S": "z"}, "n": {"N": "1"}, "note": {"S": "x"}, "total": {"N": "1.5"},
                                             "flag": {"BOOL": True}, "at": {"S": "2024-01-01T00:00:00Z"}})
        self.assertEqual(self.item("z", 2), {"id": {"S": "z"}, "n": {"N": "2"}})

    def test_insert_existing(self):
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'other')"), "23505")
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('x', 1), ('x', 1)", same_tables=False), "23505")
        error = self.fx.error("INSERT INTO far VALUES ('a', 1)")
        self.assertEqual(error.detail, "Key (id, n)=(a, 1) already exists.")

    def test_insert_existing_of_another_type(self):
        """The key exists, although the other values of the item cannot be converted."""
        self.put_raw({"id": {"S": "raw"}, "n": {"N": "1"}, "flag": {"S": "garbage"}, "at": {"N": "1.5"}})
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('raw', 1)"), "23505")
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('raw', 1) ON CONFLICT DO NOTHING"), (0, []))
        self.assertEqual(self.outcome("DELETE FROM far WHERE id = 'raw'"), (1, []))

    def test_do_nothing(self):
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'other'), ('y', 1, 'new') ON CONFLICT DO NOTHING")[0], 1)
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'other'), ('w', 1, 'new') ON CONFLICT DO NOTHING RETURNING id, note"),
                         (1, ["('w', 'new')"]))

    def test_returning(self):
        self.both("INSERT INTO {t} VALUES ('r', 1, 'x', 2) RETURNING *, id || note")
        self.both("UPDATE {t} SET note = note || '!', total = total + 1 WHERE id = 'a' RETURNING *")
        self.both("DELETE FROM {t} WHERE id = 'a' RETURNING n, note")

    def test_system_columns(self):
        """An item has none of them."""
        for sql in ("INSERT INTO far VALUES ('s', 1) RETURNING xmin", "INSERT INTO far VALUES ('s', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x' RETURNING xmax = 0",
                    "UPDATE far SET note = 'x' RETURNING ctid", "DELETE FROM far RETURNING n, cmin", "INSERT INTO far VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = far.ctid::text",
                    "WITH w AS (DELETE FROM far RETURNING xmax) SELECT * FROM w"):
            self.assertEqual(self.fx.error(sql).message, 'cannot read system columns of foreign table "far"')
        self.assertSameTables()
        self.both("UPDATE {t} SET note = 'x' RETURNING tableoid::regclass::text = '{t}', *")

    def test_update(self):
        self.assertEqual(self.both("UPDATE {t} SET note = 'new' WHERE id = 'a'")[0], 2)
        self.both("UPDATE {t} SET total = total * 2 + 1, note = NULL WHERE total IS NOT NULL")
        self.both("UPDATE {t} SET note = 'none' WHERE id = 'nobody'")
        self.both("UPDATE {t} SET flag = NOT flag")
        self.both("UPDATE {t} SET note = id || n::text, at = '2025-01-01' WHERE n IN (1, 7)")

    def test_update_of_what_is_equal(self):
        self.fx.execute("UPDATE near SET note = 'one' WHERE id = 'a' AND n = 1")
        self.assertEqual(self.writes("UPDATE far SET note = 'one', id = 'a' WHERE id = 'a' AND n = 1"), [])
        self.assertEqual(self.both("UPDATE {t} SET note = 'one', n = n WHERE id = 'a' AND n = 1")[0], 1)

    def test_update_of_the_key(self):
        error = self.fx.error("UPDATE far SET n = 9 WHERE id = 'a' AND n = 1")
        self.assertEqual((error.sqlstate, error.hint), ("0A000", "Insert a new row, and delete the old one."))

    def test_delete(self):
        self.assertEqual(self.both("DELETE FROM {t} WHERE id = 'a' AND n = 2")[0], 1)
        self.assertEqual(self.both("DELETE FROM {t} WHERE note IS NULL")[0], 1)
        self.assertEqual(self.both("DELETE FROM {t}")[0], 2)

    def test_from_and_using(self):
        self.fx.execute("CREATE TABLE IF NOT EXISTS change (id text, by int); TRUNCATE change;"
                        "INSERT INTO change VALUES ('a', 10), ('a', 10), ('c', 3), ('q', 4)")
        self.assertEqual(self.both("UPDATE {t} t SET total = coalesce(total, 0) + by FROM change c WHERE c.id = t.id")[0], 3)
        self.assertEqual(self.both("UPDATE {t} t SET note = (SELECT max(by)::text FROM change c WHERE c.id = t.id)")[0], 4)
        self.assertEqual(self.both("DELETE FROM {t} t USING change c WHERE c.id = t.id")[0], 3)

    def test_requests(self):
        [get, update] = self.fx.requests("UPDATE far SET note = note || '+' WHERE id = 'a' AND n = 1")
        self.assertEqual((get.operation, get.body["ConsistentRead"]), ("GetItem", True))
        self.assertEqual(update.operation, "UpdateItem")
        self.assertEqual(update.body["Key"], {"id": {"S": "a"}, "n": {"N": "1"}})
        self.assertEqual(update.body["UpdateExpression"], "SET #n0 = :v0")
        self.assertEqual(update.body["ConditionExpression"], "attribute_exists(#n1) AND #n0 = :v1")
        self.assertEqual(update.body["ExpressionAttributeValues"], {":v0": {"S": "one+"}, ":v1": {"S": "one"}})
        [_, delete] = self.fx.requests("DELETE FROM far WHERE id = 'a' AND n = 2 AND note = 'two'")
        self.assertEqual(delete.body["ConditionExpression"], "attribute_exists(#n0) AND #n1 = :v0")
        [put] = self.fx.requests("INSERT INTO far VALUES ('new', 1)")
        self.assertEqual(put.body["ConditionExpression"], "attribute_not_exists(#n0)")

    def test_consistent_under_another_name(self):
        """The same by a foreign table that names the DynamoDB table by its ARN."""
        self.fx.foreign_table("arn", self.COLUMNS, table_name=f"arn:aws:dynamodb:us-east-1:000000000000:table/{self.fx.remote('items')}", updatable="true")
        for written, read in (("far", "arn"), ("arn", "far")):
            self.fx.execute(f"UPDATE {written} SET total = 1 WHERE id = 'a' AND n = 1")
            [get] = self.fx.requests(f"SELECT total FROM {read} WHERE id = 'a' AND n = 1")
            self.assertEqual((get.operation, get.body["ConsistentRead"]), ("GetItem", True))

    def test_consistent_after_a_slow_write(self):
        """The time begins with the response."""
        self.fx.proxy.on("PutItem", [replies.Executed(lambda response: replies.delay(5.5, response))])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("INSERT INTO far VALUES ('slow', 1)")
        [get] = self.fx.requests("SELECT total FROM far WHERE id = 'slow' AND n = 1")
        self.assertEqual((get.operation, get.body["ConsistentRead"]), ("GetItem", True))

    def test_estimated_read_units(self):
        """The rows to write are read with strong consistency."""
        def units(sql):
            return float(re.search("Estimated Read Units: ([0-9.]+)", self.fx.explain(sql, "COSTS ON"))[1])
        self.assertEqual(units("UPDATE far SET note = 'x' WHERE id = 'a'"), 2 * units("SELECT * FROM far WHERE id = 'a'"))
        self.assertEqual(units("DELETE FROM far WHERE id = 'a' AND note = 'x'"), 2 * units("SELECT * FROM far WHERE id = 'a' AND note = 'x'"))

    def test_attributes_without_a_column(self):
        self.put_raw({"id": {"S": "raw"}, "n": {"N": "1"}, "note": {"S": "x"}, "more": {"SS": ["b", "a"]}, "deep": {"M": {"l": {"L": [{"NULL": True}]}}}})
        self.fx.execute("UPDATE far SET note = 'y', total = 3 WHERE id = 'raw'")
        self.assertEqual(self.item("raw", 1), {"id": {"S": "raw"}, "n": {"N": "1"}, "note": {"S": "y"}, "total": {"N": "3"},
                                               "more": {"SS": ["a", "b"]}, "deep": {"M": {"l": {"L": [{"NULL": True}]}}}})

    def test_constraints(self):
        for sql in ("INSERT INTO {t} VALUES (NULL, 1)", "INSERT INTO {t} VALUES ('k', NULL)", "UPDATE {t} SET n = NULL"):
            self.assertEqual(self.both(sql), "23502")
        for table in ("far", "near"):
            self.fx.execute(f"ALTER TABLE {table} ADD CONSTRAINT small CHECK (total < 100)")
        self.addCleanup(self.fx.execute, "ALTER TABLE far DROP CONSTRAINT small; ALTER TABLE near DROP CONSTRAINT small")
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('k', 1, 'x', 100)"), "23514")
        self.assertEqual(self.both("UPDATE {t} SET total = 100 WHERE id = 'a' AND n = 1"), "23514")
        self.assertEqual(self.writes("INSERT INTO far VALUES ('k', 1, 'x', 99)")[0].operation, "PutItem")

    def test_copy(self):
        lines = "c1\t1\tx\t1\tt\t\\N\nc2\t2\t\\N\t\\N\t\\N\t\\N\n"
        for table in ("far", "near"):
            with self.fx.conn.cursor() as cursor:
                import io
                cursor.copy_expert(f"COPY {table} FROM STDIN", io.StringIO(lines))
                self.assertEqual(cursor.rowcount, 2)
        self.assertSameTables()

    def test_prepared(self):
        for table in ("far", "near"):
            self.fx.execute(f"PREPARE p_{table} (text, int, text) AS UPDATE {table} SET note = $3 WHERE id = $1 AND n = $2")
            for i in range(7):
                self.fx.execute(f"EXECUTE p_{table} ('a', {i % 3}, 'v{i}')")
        self.assertSameTables()

    def test_itself(self):
        self.assertEqual(self.both("INSERT INTO {t} SELECT id || 'x', n + 1, note FROM {t}")[0], 4)
        self.assertEqual(self.both("UPDATE {t} a SET total = (SELECT count(*) FROM {t} b WHERE b.id = a.id)")[0], 8)
        self.assertEqual(self.both("DELETE FROM {t} a USING {t} b WHERE a.id = b.id AND a.n < b.n")[0], 1 + 1)

    def test_itself_on_conflict(self):
        """A row whose key exists must not be shown; stored rows are right without RETURNING."""
        self.assertEqual(self.both("INSERT INTO {t} SELECT id, n + 1, note FROM {t} ON CONFLICT DO NOTHING")[0], 3)
        self.assertEqual(self.outcome("INSERT INTO far SELECT id, n + 1, note FROM far ON CONFLICT DO NOTHING RETURNING id"), "0A000")

    def test_with(self):
        self.both("WITH gone AS (DELETE FROM {t} WHERE id = 'a' RETURNING *) INSERT INTO {t} SELECT 'moved', n, note FROM gone")
        self.both("WITH kept AS (INSERT INTO {t} SELECT id || '2', n FROM {t} WHERE id = 'c') DELETE FROM {t} WHERE id = 'c'")

    def test_own_writes_are_found(self):
        requests = self.fx.requests("INSERT INTO far VALUES ('own', 1); SELECT * FROM far WHERE id = 'own'")
        self.assertTrue(requests[-1].body["ConsistentRead"])
        self.assertIn("Consistent Read: true", self.fx.explain("SELECT * FROM far WHERE id = 'own'", "ANALYZE, COSTS OFF"))
        with self.fx.connect() as other, other.cursor() as cursor:
            cursor.execute("EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM far WHERE id = 'own'")
            self.assertNotIn("Consistent Read", str(cursor.fetchall()))
        other.close()

    def test_many(self):
        self.assertEqual(self.both("INSERT INTO {t} SELECT 'm' || g % 10, g, g::text, g FROM generate_series(1, 300) g")[0], 300)
        self.assertEqual(self.both("UPDATE {t} SET total = total + n WHERE total > 100")[0], 200)
        self.assertEqual(self.both("DELETE FROM {t} WHERE n % 2 = 0")[0], 151)


class Off(writes.TestCase):
    """The option updatable is off unless it is set."""

    ROWS = ""

    def test_off(self):
        self.fx.foreign_table("still", self.COLUMNS, table_name=self.fx.remote("items"))
        for sql in ("INSERT INTO still VALUES ('a', 1)", "UPDATE still SET note = 'x'", "DELETE FROM still"):
            error = self.fx.error(sql)
            self.assertEqual(error.sqlstate, "55000")
            self.assertIn("updatable", error.hint)
        self.assertEqual(self.fx.value("SELECT is_insertable_into FROM information_schema.tables WHERE table_name = 'still'"), "NO")
        self.assertEqual(self.fx.value("SELECT is_insertable_into FROM information_schema.tables WHERE table_name = 'far'"), "YES")

    def test_read_only(self):
        self.assertEqual(self.outcome("BEGIN READ ONLY; INSERT INTO far VALUES ('a', 1)"), "25006")
        self.fx.execute("ROLLBACK")


class Rollback(writes.TestCase):
    """What was written stays; a WARNING reports how much."""

    def warnings(self, sql):
        """The warnings of a script that may fail."""
        del self.fx.conn.notices[:]
        self.outcome(sql)
        return [" ".join(notice.split()) for notice in self.fx.conn.notices]

    def test_rollback(self):
        [warning] = self.warnings("BEGIN; INSERT INTO far VALUES ('w', 1), ('w', 2); UPDATE far SET note = 'y' WHERE id = 'w'; ROLLBACK")
        self.assertEqual(warning, "WARNING: 4 items written to DynamoDB are not rolled back DETAIL: far: 2 inserted, 2 updated.")
        self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 'w'"), 2)

    def test_savepoint(self):
        [warning] = self.warnings("BEGIN; INSERT INTO far VALUES ('s', 1); SAVEPOINT p; INSERT INTO far VALUES ('s', 2); ROLLBACK TO p; COMMIT")
        self.assertEqual(warning, "WARNING: 1 item written to DynamoDB is not rolled back DETAIL: far: 1 inserted.")

    def test_error(self):
        [warning] = self.warnings("INSERT INTO far VALUES ('e', 1), ('e', 2), ('a', 1)")
        self.assertEqual(warning, "WARNING: 2 items written to DynamoDB are not rolled back DETAIL: far: 2 inserted.")

    def test_exception(self):
        [warning] = self.warnings("DO $$ BEGIN BEGIN INSERT INTO far VALUES ('x', 1); RAISE 'no'; EXCEPTION WHEN others THEN NULL; END; END $$")
        self.assertEqual(warning, "WARNING: 1 item written to DynamoDB is not rolled back DETAIL: far: 1 inserted.")

    def test_prepare_transaction(self):
        self.fx.execute("BEGIN; INSERT INTO far VALUES ('2pc', 1)")
        self.assertEqual(self.outcome("PREPARE TRANSACTION 'x'"), "0A000")


class Triggers(writes.TestCase):
    """Row and statement triggers see what they see on local tables."""

    def setUp(self):
        super().setUp()
        self.fx.execute("CREATE TABLE IF NOT EXISTS log (line text); TRUNCATE log")

    def triggers(self, body, when):
        """The same trigger on both tables, removed after the test."""
        self.fx.execute(f"CREATE OR REPLACE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$")
        for table in ("far", "near"):
            self.fx.execute(f"DROP TRIGGER IF EXISTS noted ON {table}; CREATE TRIGGER noted {when.replace('{t}', table)} EXECUTE FUNCTION noted()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER IF EXISTS noted ON far; DROP TRIGGER IF EXISTS noted ON near")

    def log(self):
        """What the triggers wrote, and forgotten then."""
        lines = sorted(self.fx.rows("SELECT line FROM log"))
        self.fx.execute("TRUNCATE log")
        return lines

    def each(self, sql):
        """The statement on both tables, with the same log."""
        logs = []
        for table in ("near", "far"):
            logs.append((self.outcome(sql.replace("{t}", table)), self.log()))
        self.assertEqual(logs[1], logs[0])
        self.assertSameTables(sql)

    def test_before(self):
        self.triggers("NEW.note := coalesce(NEW.note, '') || '+'; NEW.total := 5; RETURN NEW;", "BEFORE INSERT OR UPDATE ON {t} FOR EACH ROW")
        self.each("INSERT INTO {t} VALUES ('t', 1, 'x')")
        self.each("UPDATE {t} SET flag = true")

    def test_disabled(self):
        """What ON CONFLICT DO UPDATE, COPY and joins cannot do with triggers, they do without enabled ones."""
        self.triggers("INSERT INTO log VALUES (TG_OP); RETURN coalesce(NEW, OLD);", "BEFORE UPDATE ON {t} FOR EACH ROW")
        upsert = "INSERT INTO {t} AS t VALUES ('a', 1, 'new'), ('d', 1, 'new') ON CONFLICT (id, n) DO UPDATE SET total = 7"
        join = "UPDATE {t} SET total = 8 FROM (VALUES (1), (2)) v (x) WHERE id = 'a'"
        role = "SET session_replication_role = {}; ALTER TABLE near {} TRIGGER noted; ALTER FOREIGN TABLE far {} TRIGGER noted"
        self.addCleanup(self.fx.execute, "RESET session_replication_role; DEALLOCATE ALL")
        self.fx.execute("PREPARE up AS " + join.format(t="far"))
        for mode, state, fires in (("origin", "DISABLE", False), ("origin", "ENABLE REPLICA", False), ("replica", "ENABLE", False), ("local", "ENABLE REPLICA", False), ("origin", "ENABLE", True),
                                   ("local", "ENABLE", True), ("origin", "ENABLE ALWAYS", True), ("replica", "ENABLE ALWAYS", True), ("replica", "ENABLE REPLICA", True)):
            with self.subTest(mode=mode, state=state):
                self.fx.execute(role.format(mode, state, state))
                if fires:
                    self.assertEqual((self.outcome(upsert.format(t="far")), self.outcome(join.format(t="far")), self.outcome("EXECUTE up")), ("0A000",) * 3)
                    continue
                self.each(upsert)
                self.each(join)
                self.assertEqual(self.outcome("EXECUTE up"), (2, []))
        self.fx.execute(role.format("origin", "DISABLE", "DISABLE") + "; SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.fx.execute("CREATE TRIGGER noted_after AFTER INSERT ON far FOR EACH ROW EXECUTE FUNCTION noted(); ALTER FOREIGN TABLE far DISABLE TRIGGER noted_after")
        self.addCleanup(self.fx.execute, "DROP TRIGGER noted_after ON far")
        with self.fx.conn.cursor() as cursor:
            cursor.copy_expert("COPY far (id, n) FROM STDIN", io.StringIO("copied\t1\n"))
        self.assertEqual(self.item("copied", 1), {"id": {"S": "copied"}, "n": {"N": "1"}})

    def test_update_of_columns(self):
        """A trigger for UPDATE OF columns counts only for statements that update one of these."""
        self.fx.execute("ALTER TABLE near ADD long int GENERATED ALWAYS AS (length(note)) STORED; ALTER FOREIGN TABLE far ADD long int GENERATED ALWAYS AS (length(note)) STORED")
        self.addCleanup(self.fx.execute, "ALTER TABLE near DROP long; ALTER FOREIGN TABLE far DROP long")
        self.setUp()
        joined = "FROM (VALUES ('a', 'x'), ('a', 'x')) s (id, v) WHERE {t}.id = s.id"
        for when, columns in (("BEFORE", "total"), ("AFTER", "total, long")):
            self.triggers("INSERT INTO log VALUES (TG_OP || coalesce(NEW.note, '-')); RETURN NEW;", f"{when} INSERT OR UPDATE OF {columns} ON {{t}} FOR EACH ROW")
            for target in ("flag = (v = 'x')", "at = '2024-01-01'"):
                self.each(f"UPDATE {{t}} SET {target} {joined}")
            for sql in ("total = 3", "flag = true, total = total + 1", "note = 'long'", "long = DEFAULT", "flag = NOT flag"):
                with self.subTest(when=when, sql=sql):
                    self.each(f"UPDATE {{t}} SET {sql} WHERE id = 'a'")
            self.each("INSERT INTO {t} (id, n) VALUES ('%s', 9)" % when)
            self.each("DELETE FROM {t} WHERE n = 9")
            if when == "BEFORE":
                self.assertEqual(self.outcome(f"UPDATE far SET total = 1 {joined}".replace("{t}", "far")), "0A000")
                self.setUp()
            else:
                # a BEFORE trigger makes core count all generated columns, even if it is not fired
                for table in ("near", "far"):
                    self.fx.execute(f"CREATE TRIGGER zz BEFORE UPDATE OF n ON {table} FOR EACH ROW EXECUTE FUNCTION noted()")
                self.addCleanup(self.fx.execute, "DROP TRIGGER zz ON far; DROP TRIGGER zz ON near")
                self.each("UPDATE {t} SET flag = true WHERE id = 'a' AND n = 1")
                self.each("UPDATE {t} SET flag = NOT flag WHERE id = 'a'")

    def test_update_of_columns_and_upserts(self):
        """DO UPDATE is refused only if it assigns a column of the trigger."""
        upsert = "INSERT INTO {t} AS t VALUES ('a', 1, 'new', 3), ('d', 1, 'new', 4), ('b', 1, 'new', 5) ON CONFLICT (id, n) DO UPDATE SET "
        for when in ("BEFORE UPDATE OF total, at ON {t} FOR EACH ROW", "AFTER UPDATE OF total ON {t} FOR EACH ROW", "BEFORE INSERT OR UPDATE OF total ON {t} FOR EACH ROW", "AFTER UPDATE OF total ON {t} FOR EACH STATEMENT"):
            self.triggers("INSERT INTO log VALUES (TG_OP); RETURN NEW;", when)
            for assignment in ("note = EXCLUDED.note", "flag = t.total > EXCLUDED.total, note = 'x' WHERE t.n = 1 RETURNING *"):
                with self.subTest(when=when, assignment=assignment):
                    self.setUp()
                    self.fx.execute("TRUNCATE log")
                    self.each(upsert + assignment)
            self.assertEqual(self.outcome(upsert.replace("{t}", "far") + "note = 'x', total = 4"), "0A000")

    def test_update_of_columns_of_partitions(self):
        """Children have other column numbers."""
        for table, kind in (("far", "FOREIGN TABLE"), ("near", "TABLE")):
            self.fx.execute(f"CREATE TABLE {table}_root (at timestamptz, flag boolean, total numeric, note text, n int NOT NULL, id text COLLATE \"C\" NOT NULL); ALTER {kind} {table} INHERIT {table}_root")
        self.addCleanup(self.fx.execute, "ALTER TABLE near NO INHERIT near_root; ALTER FOREIGN TABLE far NO INHERIT far_root; DROP TABLE near_root, far_root")
        self.triggers("INSERT INTO log VALUES (TG_OP || coalesce(NEW.note, '-')); RETURN NEW;", "BEFORE UPDATE OF total ON {t} FOR EACH ROW")
        joined = "FROM (VALUES ('a'), ('a')) s (id) WHERE t.id = s.id"
        for target in ("note = 'x'", "flag = true", "at = '2024-01-01'"):
            self.each(f"UPDATE {{t}}_root t SET {target} {joined}")
        self.each("UPDATE {t}_root SET total = 7 WHERE id = 'a'")
        self.assertEqual(self.outcome(f"UPDATE far_root t SET total = 8 {joined}"), "0A000")
        for column, operations in (("note = 'w'", ["UpdateItem"]), ("total = 9", ["GetItem", "UpdateItem"])):
            self.assertEqual([r.operation for r in self.fx.requests(f"UPDATE far SET {column} WHERE id = 'a' AND n = 1")], operations)

    def test_after(self):
        self.triggers("INSERT INTO log VALUES (TG_OP || coalesce(OLD.note, '-') || coalesce(NEW.note, '-')); RETURN NULL;",
                      "AFTER INSERT OR UPDATE OR DELETE ON {t} FOR EACH ROW")
        self.each("INSERT INTO {t} VALUES ('t', 1, 'x'), ('t', 2, 'y')")
        self.each("UPDATE {t} SET note = note || '.' WHERE id <> 'b'")
        self.each("DELETE FROM {t} WHERE id = 't'")

    def test_after_statement(self):
        """The trigger's own query finds all rows."""
        self.triggers("EXECUTE format('INSERT INTO log SELECT count(*)::text FROM %I', TG_TABLE_NAME); RETURN NULL;",
                      "AFTER INSERT OR DELETE ON {t} FOR EACH STATEMENT")
        self.each("INSERT INTO {t} SELECT 's', g FROM generate_series(1, 40) g")
        self.each("DELETE FROM {t} WHERE id = 's'")
        self.each("WITH w AS (INSERT INTO {t} SELECT 's', g FROM generate_series(1, 40) g) SELECT 1")


class Generated(writes.TestCase):
    """Columns whose values PostgreSQL makes: stored generated ones, identities and sequences."""

    COLUMNS = "id text NOT NULL, n int GENERATED BY DEFAULT AS IDENTITY, note text, total numeric, twice numeric GENERATED ALWAYS AS (total * 2) STORED, shout text GENERATED ALWAYS AS (upper(note)) STORED, seq serial"
    KEY = ("id", "n")
    ROWS = ""

    def setUp(self):
        self.fx.execute("ALTER FOREIGN TABLE far ALTER n RESTART; ALTER TABLE near ALTER n RESTART; SELECT setval('far_seq_seq', 1, false), setval('near_seq_seq', 1, false)")
        super().setUp()
        self.both("INSERT INTO {t} (id, note, total) VALUES ('a', 'one', 1), ('a', 'two', 2), ('b', NULL, NULL) RETURNING *")

    def test_what_is_stored(self):
        self.assertEqual(self.item("a", 2), {"id": {"S": "a"}, "n": {"N": "2"}, "note": {"S": "two"}, "total": {"N": "2"}, "twice": {"N": "4"}, "shout": {"S": "TWO"}, "seq": {"N": "2"}})

    def test_statements(self):
        self.both("INSERT INTO {t} (id, total, twice, seq) VALUES ('c', 5, DEFAULT, DEFAULT) RETURNING twice, shout, seq")
        self.both("INSERT INTO {t} (id, n, seq) OVERRIDING SYSTEM VALUE VALUES ('c', 70, 80)")
        self.both("INSERT INTO {t} (id, n, total) OVERRIDING USER VALUE VALUES ('c', 70, 4)")
        self.both("UPDATE {t} SET total = total + 1 RETURNING total, twice")
        self.both("UPDATE {t} SET note = 'x', twice = DEFAULT WHERE id = 'b' RETURNING *")
        self.both("UPDATE {t} SET note = NULL WHERE n = 1")
        self.both("INSERT INTO {t} (id, n, total) VALUES ('a', 1, 9), ('d', 1, 9) ON CONFLICT (id, n) DO UPDATE SET total = {t}.total + EXCLUDED.twice RETURNING twice")
        self.assertEqual(self.both("INSERT INTO {t} (id, twice) VALUES ('e', 1)"), "428C9")
        self.assertEqual(self.both("UPDATE {t} SET shout = 'x'"), "428C9")
        self.both("DELETE FROM {t} WHERE twice > 4 OR shout IS NULL RETURNING n, twice")

    def test_copy(self):
        for table in ("far", "near"):
            with self.fx.conn.cursor() as cursor:
                cursor.copy_expert(f"COPY {table} (id, note, total) FROM STDIN", io.StringIO("f\tfour\t4\nf\t\\N\t5\n"))
        self.assertSameTables()
        self.assertEqual(self.fx.rows("SELECT twice, shout, seq FROM far WHERE id = 'f' ORDER BY n"), [(8, "FOUR", 4), (10, None, 5)])

    def test_assigned_columns(self):
        """A generated column is written with a column that it reads, also when only a trigger changes that; no other is."""
        self.assertEqual(self.written("UPDATE {t} SET note = 'new' WHERE n = 1"), {"note", "shout"})
        self.assertEqual(self.written("UPDATE {t} SET total = 7 WHERE n = 1"), {"total", "twice"})
        self.assertEqual(self.written("UPDATE {t} SET seq = 7 WHERE n = 1"), {"seq"})
        self.fx.execute("CREATE FUNCTION count_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.total := coalesce(NEW.total, 0) + 1; RETURN NEW; END $$")
        for table in ("far", "near"):
            self.fx.execute(f"CREATE TRIGGER up BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION count_up()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER up ON far; DROP TRIGGER up ON near; DROP FUNCTION count_up")
        self.assertEqual(self.written("UPDATE {t} SET seq = 8 WHERE n = 1"), {"seq", "total", "twice"})
        self.both("UPDATE {t} SET note = 'last' RETURNING *")

    def written(self, sql):
        """The attributes that the only UpdateItem of a statement sets."""
        [request] = self.writes(sql.replace("{t}", "far"))
        self.fx.execute(sql.replace("{t}", "near"))
        self.assertSameTables(sql)
        names = request.body.get("ExpressionAttributeNames", {})
        return {names.get(name, name) for name in re.findall(r"([#\w]+) = :", request.body["UpdateExpression"])}


class VirtualColumns(writes.TestCase):
    """Virtual generated columns (PostgreSQL 18) are computed when they are read, and never stored."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.fx.conn.server_version < 180000:
            raise unittest.SkipTest("PostgreSQL 18 or later")
        for table in ("FOREIGN TABLE far", "TABLE near"):
            cls.fx.execute(f"ALTER {table} ADD twice numeric GENERATED ALWAYS AS (total * 2) VIRTUAL")

    def test_statements(self):
        self.both("INSERT INTO {t} (id, n, total) VALUES ('v', 1, 5) RETURNING twice")
        self.assertEqual(self.item("v", 1), {"id": {"S": "v"}, "n": {"N": "1"}, "total": {"N": "5"}})
        self.both("UPDATE {t} SET total = total + 1 WHERE twice > 3 RETURNING n, twice")
        self.both("UPDATE {t} SET note = 'x', twice = DEFAULT WHERE id = 'v' RETURNING twice")
        self.assertEqual(self.item("v", 1), {"id": {"S": "v"}, "n": {"N": "1"}, "total": {"N": "6"}, "note": {"S": "x"}})
        self.both("INSERT INTO {t} (id, n, total) VALUES ('v', 1, 9) ON CONFLICT (id, n) DO UPDATE SET total = EXCLUDED.total RETURNING twice")
        self.assertEqual(self.both("INSERT INTO {t} (id, n, twice) VALUES ('v', 2, 1)"), "428C9")
        self.both("DELETE FROM {t} WHERE twice = 18")

    def test_row_trigger(self):
        """A trigger needs all columns of the item, of which this is none."""
        self.fx.execute("CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_WHEN = 'BEFORE' AND TG_OP = 'UPDATE' THEN NEW.note := OLD.note || '+'; END IF; RETURN coalesce(NEW, OLD); END $$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION seen CASCADE")
        for table in ("far", "near"):
            for when in ("BEFORE", "AFTER"):
                self.fx.execute(f"CREATE TRIGGER {when}_row {when} INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION seen()")
        self.both("INSERT INTO {t} (id, n, total) VALUES ('v', 1, 5) RETURNING *")
        self.both("UPDATE {t} SET total = total + 1 WHERE id = 'a' RETURNING *")
        self.both("UPDATE {t} SET total = 3 WHERE id = 'b'")
        self.both("DELETE FROM {t} WHERE id = 'a' AND n = 1")
        self.both("DELETE FROM {t} RETURNING *")

    def test_check(self):
        for table in ("FOREIGN TABLE far", "TABLE near"):
            self.fx.execute(f"ALTER {table} ADD CONSTRAINT positive CHECK (twice > -20)")
            self.addCleanup(self.fx.execute, f"ALTER {table} DROP CONSTRAINT positive")
        self.both("UPDATE {t} SET total = 5 WHERE id = 'a' AND n = 1")
        self.both("UPDATE {t} SET note = 'x' RETURNING *")
        self.assertEqual(self.both("UPDATE {t} SET total = -10 WHERE id = 'a' AND n = 1"), "23514")
        self.assertEqual(self.both("INSERT INTO {t} (id, n, total) VALUES ('a', 1, 5) ON CONFLICT (id, n) DO UPDATE SET total = -10"), "23514")
        self.both("INSERT INTO {t} (id, n, total) VALUES ('a', 1, 7) ON CONFLICT (id, n) DO UPDATE SET total = EXCLUDED.total")

    def test_reads(self):
        """A row is read, and its values are compared, for a virtual column only if a constraint or the statement uses the column."""
        def compared(sql):
            requests = self.fx.requests(f"UPDATE far SET note = '{len(sql)}' WHERE id = 'a' AND n = 1" + sql)
            return [r.operation for r in requests], "total" in requests[-1].body["ExpressionAttributeNames"].values()

        self.assertEqual(compared(""), (["UpdateItem"], False))
        self.assertEqual(compared(" RETURNING twice"), (["GetItem", "UpdateItem"], False))
        self.assertEqual(compared(" AND twice = 3 RETURNING id"), (["GetItem", "UpdateItem"], True))
        self.fx.execute("ALTER FOREIGN TABLE far ADD CONSTRAINT positive CHECK (twice > -20)")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE far DROP CONSTRAINT positive")
        self.assertEqual(compared(" AND note IS NOT NULL"), (["GetItem", "UpdateItem"], True))

    def test_not_null(self):
        """A column that no item has can be NOT NULL."""
        for table in ("FOREIGN TABLE far", "TABLE near"):
            self.fx.execute(f"ALTER {table} ADD filled numeric GENERATED ALWAYS AS (n * 2) VIRTUAL NOT NULL")
            self.addCleanup(self.fx.execute, f"ALTER {table} DROP filled")
        self.both("UPDATE {t} SET total = total + 1 WHERE id = 'a' RETURNING filled")
        self.both("DELETE FROM {t} WHERE id = 'b' AND filled > 0 RETURNING *")
        self.put_raw({"id": {"S": "z"}, "n": {"N": "1"}, "filled": {"S": "no number"}, "twice": {"BOOL": True}})
        self.fx.execute("INSERT INTO near (id, n) VALUES ('z', 1)")
        self.both("UPDATE {t} SET note = 'x' WHERE id = 'z' RETURNING *")
        self.fx.execute("ANALYZE far")
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_check_table('far') WHERE column_name IN ('filled', 'twice')"), [])


class Domains(writes.TestCase):
    """CHECKs of domains in a procedural language, which fail for NULL: an UPDATE does not evaluate those of other columns."""

    TYPES = "CREATE FUNCTION all_positive(a int[]) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'DECLARE x int; BEGIN FOREACH x IN ARRAY a LOOP" \
            " IF x <= 0 THEN RETURN false; END IF; END LOOP; RETURN true; END'; CREATE DOMAIN pos AS int[] CHECK (all_positive(VALUE))"
    COLUMNS = "id text COLLATE \"C\" NOT NULL, n int, d pos, e pos"
    FOREIGN = "id text COLLATE \"C\" NOT NULL, n int, d pos OPTIONS (format 'list'), e pos OPTIONS (path 'list[0]')"
    KEY = ("id",)
    RANGE = None

    def setUp(self):
        self.fx.execute("DELETE FROM far; TRUNCATE near; INSERT INTO near VALUES ('a', 1, '{1}', '{2}')")
        self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "d": {"L": [{"N": "1"}]}, "list": {"L": [{"L": [{"N": "2"}]}]}})

    def test_update(self):
        self.both("UPDATE {t} SET n = 5 WHERE id = 'a'")
        self.both("UPDATE {t} SET n = n + 1 WHERE id = 'a' RETURNING *")
        self.both("UPDATE {t} SET n = 5 WHERE id = 'absent'")
        self.both("UPDATE {t} SET d = '{3}' WHERE id = 'a' RETURNING *")
        self.assertEqual(self.both("UPDATE {t} SET d = '{-3}' WHERE id = 'a'"), "23514")
        self.assertEqual(self.both("UPDATE {t} SET d = NULL WHERE id = 'a'"), "22004")

    def test_within_a_function(self):
        """A row that does not exist, whose values cannot be stored."""
        self.fx.execute("CREATE FUNCTION change() RETURNS text LANGUAGE plpgsql AS $$ BEGIN UPDATE far SET n = 5 WHERE id IN ('absent', 'missing'); RETURN 'x'; END $$")
        self.assertEqual(self.fx.value("SELECT length(change() || repeat('y', 100000))"), 100001)
        self.assertEqual(self.fx.notices("SELECT change()"), [])


class PartitionKeys(writes.TestCase):
    """Foreign partitions whose keys are different columns, of different types."""

    ROWS = ""

    def test_H18_statements(self):
        """UPDATE and DELETE of the parent find the rows of each partition by its own key."""
        fx = self.fx
        columns = "region text, k text, n int, d numeric, at timestamptz, v text"
        fx.execute(f"CREATE TABLE keyed ({columns}) PARTITION BY LIST (region); CREATE TABLE keyed_twin ({columns}); CREATE TABLE here PARTITION OF keyed FOR VALUES IN ('here')")
        for name, keys in (("by_text", (("k", "S"), ("n", "N"))), ("by_number", (("d", "N"),)), ("by_time", (("at", "S"), ("d", "N"))), ("by_int", (("n", "N"), ("k", "S")))):
            fx.create_table(name, *keys)
            names = [key for key, _ in keys]
            own = ", ".join(f"{column} NOT NULL" if column.split()[0] in names else column for column in reversed(columns.split(", ")))
            own = own.replace("at timestamptz", "at timestamptz OPTIONS (format 'iso8601(0)')")
            fx.execute(f"CREATE FOREIGN TABLE {name} ({own}) SERVER ddb OPTIONS (table_name '{fx.remote(name)}', updatable 'true', scan_policy 'allow');"
                       f"ALTER TABLE keyed ATTACH PARTITION {name} FOR VALUES IN ('{name}')")
        self.addCleanup(fx.execute, "DROP TABLE keyed, keyed_twin")
        for sql in ("INSERT INTO {t} SELECT (ARRAY['here', 'by_text', 'by_number', 'by_time', 'by_int'])[g % 5 + 1], 'k' || g % 3, g, g / 2.0, '2026-01-01'::timestamptz + g * interval '1 hour', 'v' FROM generate_series(1, 60) g",
                    "UPDATE {t} SET v = v || n WHERE n > 20", "UPDATE {t} SET v = k || x FROM (VALUES (3), (4), (11), (12), (13)) o (x) WHERE n = x RETURNING region, n, v",
                    "UPDATE {t} SET v = NULL WHERE d BETWEEN 10 AND 13 RETURNING d, at", "DELETE FROM {t} WHERE n % 7 = 0 RETURNING region, k, n, d, at",
                    "DELETE FROM {t} USING (VALUES ('k1'), ('k2')) o (x) WHERE k = x AND n > 40", "DELETE FROM {t} WHERE at < '2026-01-01 12:00+00'"):
            outcomes = [self.outcome(sql.replace("{t}", table)) for table in ("keyed", "keyed_twin")]
            self.assertEqual(outcomes[0][0], outcomes[1][0], sql)
            self.assertEqual(*[sorted(map(repr, fx.rows(f"SELECT region, k, n, trim_scale(d), at, v FROM {table}"))) for table in ("keyed", "keyed_twin")], sql)
            self.assertGreater(outcomes[0][0], 0, sql)

    def test_unit_limit(self):
        """The read units of a statement are limited, not those that it writes."""
        fx = self.fx
        fx.execute("SET dynamo_fdw.max_read_units_per_statement = 1")
        self.addCleanup(fx.execute, "RESET dynamo_fdw.max_read_units_per_statement; DELETE FROM far; DELETE FROM near")
        self.assertEqual(self.outcome("INSERT INTO far SELECT 'u' || g, g FROM generate_series(1, 30) g")[0], 30)


class Partitions(writes.TestCase):
    """Foreign partitions of a local parent: routing, UPDATE and DELETE of the parent, COPY, triggers."""

    ROWS = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("east", ("k", "S"), ("n", "N"))
        fx.execute("CREATE TABLE parent (region text, k text, n int, note text) PARTITION BY LIST (region);"
                   "CREATE TABLE west PARTITION OF parent FOR VALUES IN ('west');"
                   "CREATE TABLE twin (region text, k text, n int, note text)")
        # columns in another order than the parent's
        fx.execute(f"CREATE FOREIGN TABLE east (note text, n int NOT NULL, region text, k text NOT NULL) SERVER ddb"
                   f" OPTIONS (table_name '{fx.remote('east')}', updatable 'true', scan_policy 'allow');"
                   "ALTER TABLE parent ATTACH PARTITION east FOR VALUES IN ('east')")

    def setUp(self):
        self.fx.execute("DELETE FROM parent; DELETE FROM twin")
        self.each("INSERT INTO {t} SELECT CASE g % 2 WHEN 0 THEN 'east' ELSE 'west' END, 'k' || g % 3, g, 'n' FROM generate_series(1, 12) g")

    def each(self, sql):
        """The statement on the partitioned table and on a plain one."""
        outcomes = [self.outcome(sql.replace("{t}", table)) for table in ("parent", "twin")]
        self.assertEqual(*outcomes, sql)
        rows = [sorted(map(repr, self.fx.rows(f"SELECT * FROM {table}"))) for table in ("parent", "twin")]
        self.assertEqual(*rows, sql)
        return outcomes[0]

    def test_statements(self):
        """Row identities of partitions whose columns are in another order."""
        self.assertEqual(self.each("UPDATE {t} SET note = note || n WHERE n > 3")[0], 9)
        self.assertEqual(self.each("DELETE FROM {t} WHERE n % 3 = 0 RETURNING region, n")[0], 4)
        self.each("UPDATE {t} SET note = k FROM (VALUES ('k1')) v (key) WHERE k = key RETURNING *")
        self.each("DELETE FROM {t} USING (VALUES (2), (5)) v (x) WHERE n = x")

    def test_copy(self):
        import io
        for table in ("parent", "twin"):
            with self.fx.conn.cursor() as cursor:
                cursor.copy_expert(f"COPY {table} FROM STDIN", io.StringIO("east\tc\t1\tx\nwest\tc\t2\tx\neast\tc\t3\t\\N\n"))
        self.each("SELECT 1 FROM {t}")

    def test_merge(self):
        """PostgreSQL refuses it for foreign partitions."""
        for sql in ("WHEN MATCHED THEN UPDATE SET note = 'm'", "WHEN MATCHED THEN DELETE", "WHEN NOT MATCHED THEN INSERT VALUES ('east', k1, 1)"):
            self.assertIn("cannot execute MERGE on relation", self.fx.error(f"MERGE INTO parent USING (VALUES ('k9')) AS v (k1) ON k = k1 {sql}").message)
        # the plan does not contain the foreign partition
        for key, sql in (("k9", "WHEN NOT MATCHED THEN INSERT VALUES ('east', k1, 1)"), ("k1", "WHEN MATCHED THEN UPDATE SET region = 'east'")):
            failure = self.fx.error(f"MERGE INTO parent USING (VALUES ('{key}')) AS v (k1) ON k = k1 AND region = 'west' {sql}")
            self.assertEqual((failure.sqlstate, failure.message), ("0A000", 'cannot execute MERGE on relation "east"'))
        self.each("SELECT * FROM {t}")

    def test_copy_with_triggers(self):
        self.fx.execute("CREATE TABLE IF NOT EXISTS seen (n bigint); TRUNCATE seen;"
                        "CREATE OR REPLACE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen SELECT count(*) FROM parent WHERE k = 'c'; RETURN NULL; END $$;"
                        "CREATE TRIGGER after_all AFTER INSERT ON parent FOR EACH STATEMENT EXECUTE FUNCTION see()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER after_all ON parent")
        self.test_copy()
        self.assertEqual(self.fx.rows("SELECT n FROM seen"), [(3,)])

    def test_transition_tables(self):
        """They cannot have rows of foreign tables, so no row is written."""
        self.fx.execute("CREATE OR REPLACE FUNCTION see_rows() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        for event, tables, statement in (("INSERT", "NEW TABLE AS new_rows", "INSERT INTO {t} VALUES ('{r}', 'z', 99)"), ("UPDATE", "OLD TABLE AS old_rows NEW TABLE AS new_rows", "UPDATE {t} SET note = 'z' WHERE region = '{r}'"),
                                         ("DELETE", "OLD TABLE AS old_rows", "DELETE FROM {t} WHERE region = '{r}' AND n < 5")):
            with self.subTest(event):
                self.fx.execute(f"CREATE TRIGGER see_rows AFTER {event} ON parent REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION see_rows()")
                try:
                    self.assertEqual(self.outcome(statement.format(t="parent", r="east")), "0A000")
                    self.each(statement.replace("{r}", "west"))
                finally:
                    self.fx.execute("DROP TRIGGER see_rows ON parent")

    def test_row_level_security(self):
        """Policies of the parent apply to rows of a foreign partition."""
        role = f"writer_{self.fx.database}"
        self.fx.execute(f"CREATE ROLE {role}; GRANT ALL ON parent, twin TO {role}; GRANT USAGE ON FOREIGN SERVER ddb TO {role}; CREATE USER MAPPING FOR {role} SERVER ddb OPTIONS (access_key_id 'test', secret_access_key 'test')")
        self.addCleanup(self.fx.execute, f"RESET ROLE; ALTER TABLE parent DISABLE ROW LEVEL SECURITY; ALTER TABLE twin DISABLE ROW LEVEL SECURITY; DROP OWNED BY {role} CASCADE; DROP USER MAPPING IF EXISTS FOR {role} SERVER ddb; DROP ROLE {role}")
        for table in ("parent", "twin"):
            self.fx.execute(f"CREATE POLICY own ON {table} TO {role} USING (note IS DISTINCT FROM 'secret') WITH CHECK (note = 'mine'); ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        self.each("UPDATE {t} SET note = 'secret' WHERE n IN (3, 4)")
        self.fx.execute(f"SET ROLE {role}")
        for region in ("west", "east"):
            for sql, outcome in ((f"INSERT INTO {{t}} VALUES ('{region}', 'a', 77, 'other')", "42501"), (f"INSERT INTO {{t}} VALUES ('{region}', 'a', 78, 'mine')", None),
                                 (f"UPDATE {{t}} SET note = 'other' WHERE region = '{region}'", "42501"), (f"UPDATE {{t}} SET note = 'mine' WHERE region = '{region}'", None),
                                 ("UPDATE {t} SET region = 'east', note = 'x' WHERE region = 'west'", "42501"), (f"DELETE FROM {{t}} WHERE region = '{region}' AND n < 5", None)):
                with self.subTest(sql):
                    found = self.each(sql)
                    if outcome:
                        self.assertEqual(found, outcome)

    def test_row_that_only_the_rest_of_with_routes(self):
        """Nothing is known to be written before the statement has ended."""
        for mode in ("immediate", "atomic"):
            self.fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
            self.each(f"WITH a AS (INSERT INTO {{t}} VALUES ('east', 'rest', {len(mode)}, 'x') RETURNING *) SELECT 1")
            self.fx.execute("RESET dynamo_fdw.write_mode")

    def test_another_partition(self):
        self.assertEqual(self.outcome("UPDATE parent SET region = 'west' WHERE region = 'east'"), "23514")
        self.assertEqual(self.outcome("INSERT INTO east (region, k, n) VALUES ('west', 'q', 1)"), "23514")

    def test_rows_that_move(self):
        """Rows of the local partition move to the foreign one, whose rows the same UPDATE changes: each is changed once."""
        for mode in ("immediate", "atomic"):
            self.fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
            self.assertEqual(self.each("UPDATE {t} SET region = 'east', n = n + 100 WHERE k = 'k1' AND region = 'west'")[0], 2)
            self.assertEqual(self.each("UPDATE {t} SET region = 'east', note = note || 'm' RETURNING *")[0], 12)
            self.assertEqual(self.each("UPDATE {t} SET region = 'east', note = note || 'm'")[0], 12)
            self.fx.execute("RESET dynamo_fdw.write_mode")
            self.setUp()

    def test_row_that_moves_to_a_key_that_exists(self):
        self.fx.execute("INSERT INTO parent VALUES ('west', 'k2', 2, 'double')")
        self.assertEqual(self.outcome("UPDATE parent SET region = 'east', note = 'moved' WHERE n < 3"), "23505")

    def test_first_statement_of_a_session(self):
        """The library is loaded in the middle of the executor."""
        connection = self.fx.connect()
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO parent SELECT 'east', 'f', g, 'x' FROM generate_series(1, 30) g")
            self.assertEqual(cursor.rowcount, 30)
        self.assertEqual(self.fx.value("SELECT count(*) FROM east WHERE k = 'f'"), 30)
