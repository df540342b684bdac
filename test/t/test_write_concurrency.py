"""Sessions that write the same rows: no update is lost, and each statement does what it does to a local table under READ COMMITTED."""
import itertools
import random
import re
import threading

import fixture
import psycopg2
import replies
import writes
from processes import WITHOUT_SANITIZERS
from volume import volume


class Concurrency(writes.TestCase):
    """Several sessions, or a change between the read and the write."""

    def in_sessions(self, sessions, work):
        """Runs work(connection, number) in as many sessions at once."""
        failures = []

        def run(number):
            connection = self.fx.connect()
            try:
                work(connection, number)
            except Exception as failure:        # noqa: BLE001  (shown by the test)
                failures.append(failure)
            finally:
                connection.close()

        threads = [threading.Thread(target=run, args=(number,)) for number in range(sessions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_increments(self):
        """Exact sums of two and of four sessions."""
        times = volume(25, 100)
        for sessions in (2, 4):
            self.fx.execute("UPDATE far SET total = 0 WHERE id = 'a' AND n = 1")

            def work(connection, _):
                with connection.cursor() as cursor:
                    for _ in range(times):
                        cursor.execute("UPDATE far SET total = total + 1 WHERE id = 'a' AND n = 1")
                        self.assertEqual(cursor.rowcount, 1)

            self.in_sessions(sessions, work)
            self.assertEqual(self.fx.value("SELECT total FROM far WHERE id = 'a' AND n = 1"), sessions * times)

    def between(self, sql, change, operation="UpdateItem", isolation=None):
        """The outcome of a statement if `change` is made after its read and before its first write; and the requests."""
        done = []

        def concurrently(_):
            if not done:
                done.append(True)
                change()

        self.fx.rows("SELECT 1 FROM far WHERE id = 'a' AND n = 1")      # a description is there
        self.fx.proxy.reset()
        self.fx.proxy.on(operation, concurrently)
        try:
            if isolation:
                self.fx.execute(f"BEGIN ISOLATION LEVEL {isolation}")
            return self.outcome(sql)
        finally:
            self.fx.proxy.reset(scripts=True)
            if isolation:
                self.fx.execute("ROLLBACK")
            self.assertEqual(done, [True])

    def set(self, name, kind, value, key=("a", 1)):
        """A change by another writer, as a function."""
        def change():
            self.fx.dynamo.call("UpdateItem", {"TableName": self.fx.remote("items"), "Key": {"id": {"S": key[0]}, "n": {"N": str(key[1])}},
                                               "UpdateExpression": "SET #n = :v", "ExpressionAttributeNames": {"#n": name},
                                               "ExpressionAttributeValues": {":v": {kind: value}}})
        return change

    def delete(self):
        """Another writer deletes the row."""
        self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("items"), "Key": {"id": {"S": "a"}, "n": {"N": "1"}}})

    def row(self):
        """(note, total) of the row in question."""
        return self.fx.rows("SELECT note, total::float FROM far WHERE id = 'a' AND n = 1")

    ONE = "WHERE id = 'a' AND n = 1"

    def test_derived_value(self):
        self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.ONE}", self.set("total", "N", "10")), (1, []))
        self.assertEqual(self.row(), [("one", 11)])

    def test_several_columns_of_one_subquery(self):
        """Also if only the subquery of SET (a, b) = (SELECT ...) reads the row."""
        self.fx.execute("CREATE TABLE IF NOT EXISTS plus (by numeric); TRUNCATE plus; INSERT INTO plus VALUES (1)")
        for subquery in ("SELECT total + 1, false", "SELECT total + by, false FROM plus", "SELECT by + 10, total < 5 FROM plus"):
            self.fx.execute(f"UPDATE far SET total = 1.5, flag = true {self.ONE}")
            with self.subTest(subquery):
                self.assertEqual(self.between(f"UPDATE far SET (total, flag) = ({subquery}) {self.ONE} RETURNING total::int, flag", self.set("total", "N", "10")),
                                 (1, ["(11, False)"]))

    def local_between(self, sql, change):
        """The outcome on the local table, if another session changes the row after the statement has begun."""
        other = self.fx.connect()
        self.addCleanup(other.close)
        other.autocommit = False
        other.cursor().execute(change)
        outcomes = []
        pid = self.fx.value("SELECT pg_backend_pid()")
        thread = threading.Thread(target=lambda: outcomes.append(self.outcome(sql)))
        thread.start()
        probe = self.fx.connect()
        self.addCleanup(probe.close)
        with probe.cursor() as cursor:
            waits = False
            while not waits and not outcomes:
                cursor.execute("SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s", (pid,))
                [(waits,)] = cursor.fetchall()
        other.commit()
        thread.join()
        return outcomes[0]

    def test_volatile_functions(self):
        """They are called as often as on a local table: once for each evaluation of the statement."""
        self.fx.execute("CREATE SEQUENCE calls; CREATE TABLE partners (id text, no int); INSERT INTO partners VALUES ('a', 1)")
        self.addCleanup(self.fx.execute, "DROP SEQUENCE calls; DROP TABLE partners")
        for sql in ("UPDATE {t} SET note = nextval('calls')::text || total WHERE id = 'a' AND n = 1",
                    "UPDATE {t} SET note = nextval('calls')::text || total WHERE id = 'a' AND n = 1 RETURNING note",
                    "UPDATE {t} SET note = nextval('calls')::text || total FROM partners p WHERE {t}.id = p.id AND n = no",
                    "UPDATE {t} SET (note, flag) = (SELECT nextval('calls')::text || total, total > 5) WHERE id = 'a' AND n = 1",
                    "UPDATE {t} SET note = 'x' WHERE id = 'a' AND n = 1 AND total + nextval('calls') > 0",
                    "UPDATE {t} SET total = total + 1 WHERE id = 'a' AND n = 1 RETURNING nextval('calls')",
                    "UPDATE {t} SET note = nextval('calls')::text WHERE id = 'a' AND n = 1 AND total < 5",
                    "DELETE FROM {t} WHERE id = 'a' AND n = 1 AND total + nextval('calls') > 0 RETURNING nextval('calls'), total"):
            results = []
            for table in ("near", "far"):
                self.setUp()
                self.fx.execute("SELECT setval('calls', 1)")
                own = sql.replace("{t}", table)
                outcome = self.local_between(own, f"UPDATE near SET total = 10 {self.ONE}") if table == "near" else \
                    self.between(own, self.set("total", "N", "10"), "DeleteItem" if "DELETE" in sql else "UpdateItem")
                results.append((outcome, self.fx.value("SELECT last_value FROM calls"), self.fx.rows(f"SELECT note, total::int FROM {table} {self.ONE}")))
            with self.subTest(sql=sql):
                self.assertEqual(results[1], results[0])

    def test_returning(self):
        self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.ONE} RETURNING total", self.set("total", "N", "10")),
                         (1, ["(Decimal('11'),)"]))

    def test_segment(self):
        """The item in the response has no segment: that of the read stays."""
        self.fx.foreign_table("segmented", "id text NOT NULL, n int NOT NULL, total numeric, seg int OPTIONS (segment '4')",
                              table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        segment = self.fx.value(f"SELECT seg FROM segmented {self.ONE}")
        self.assertEqual(self.between(f"UPDATE segmented SET total = total + 1 + seg {self.ONE} AND seg = {segment} RETURNING total::int, seg", self.set("total", "N", "10")),
                         (1, [f"({11 + segment}, {segment})"]))

    def test_value_that_cannot_be_encoded(self):
        """A ULID is more than its time, so the first guard fails, even if the attribute is NULL by then."""
        self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "total": {"N": "1.5"}})
        self.fx.foreign_table("ulids", "id text NOT NULL, n int NOT NULL, total numeric, at timestamptz OPTIONS (attribute 'note', format 'ulid')",
                              table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        update = f"UPDATE ulids SET total = total + 1 {self.ONE} AND at > '2000-01-01'"
        self.assertEqual(self.between(update, self.set("note", "S", "01ARZ3NDEKTSV4RRFFQ69G5FAW")), (1, []))
        self.assertEqual(self.between(update, self.set("note", "NULL", True)), (0, []))
        self.assertEqual(self.item("a", 1)["total"], {"N": "2.5"})
        self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}})
        self.assertEqual(self.between(f"DELETE FROM ulids {self.ONE} AND at > '2000-01-01'", self.set("note", "NULL", True), "DeleteItem"), (0, []))

    def test_condition_that_stops_holding(self):
        self.assertEqual(self.between(f"UPDATE far SET total = 0 {self.ONE} AND note = 'one'", self.set("note", "S", "two")), (0, []))
        self.assertEqual(self.row(), [("two", 1.5)])

    def test_condition_that_holds_still(self):
        self.assertEqual(self.between(f"UPDATE far SET total = 0 {self.ONE} AND note > 'a'", self.set("note", "S", "two")), (1, []))
        self.assertEqual(self.row(), [("two", 0)])

    def test_last_writer_wins(self):
        """A value that was not read is not guarded."""
        self.assertEqual(self.between(f"UPDATE far SET total = 7 {self.ONE}", self.set("total", "N", "10")), (1, []))
        self.assertEqual(self.row(), [("one", 7)])

    def test_assigned_but_equal(self):
        """A column that keeps its value is not silently left to another writer."""
        self.assertEqual(self.between(f"UPDATE far SET note = 'one', total = 7 {self.ONE}", self.set("note", "S", "other")), (1, []))
        self.assertEqual(self.row(), [("one", 7)])

    def test_deleted(self):
        self.assertEqual(self.between(f"UPDATE far SET total = 7 {self.ONE}", self.delete), (0, []))
        self.assertEqual(self.row(), [])

    def test_delete_of_what_changed(self):
        self.assertEqual(self.between(f"DELETE FROM far {self.ONE} AND note = 'one'", self.set("note", "S", "two"), "DeleteItem"), (0, []))
        self.assertEqual(self.row(), [("two", 1.5)])
        self.assertEqual(self.between(f"DELETE FROM far {self.ONE} AND note LIKE 't%'", self.set("note", "S", "three"), "DeleteItem"), (1, []))
        self.assertEqual(self.row(), [])

    def test_delete_that_reads_all_columns(self):
        """The scan's rows have the columns of the table, so that core needs no projection."""
        self.assertEqual(self.between(f"DELETE FROM far {self.ONE} AND note LIKE 'o%' RETURNING *", self.set("note", "S", "two"), "DeleteItem"), (0, []))
        status, [row] = self.between(f"DELETE FROM far {self.ONE} AND note LIKE 't%' RETURNING *", self.set("note", "S", "three"), "DeleteItem")
        self.assertEqual((status, "three" in row), (1, True))
        self.assertEqual(self.row(), [])
        self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "one"}})
        self.fx.foreign_table("few", "note text, n int NOT NULL, id text NOT NULL", table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        self.assertEqual(self.between(f"DELETE FROM few {self.ONE} AND note > 'a'", self.set("note", "S", "two"), "DeleteItem"), (1, []))
        self.assertEqual(self.row(), [])

    def test_delete_that_reads_the_only_column(self):
        """The key is constant, so the scan's rows have no other column."""
        self.fx.create_table("settings", ("id", "S"))
        self.fx.foreign_table("setting", "note text", table_name=self.fx.remote("settings"), key_templates='{"id": "SETTING"}', updatable="on", scan_policy="allow")

        def put(note):
            self.fx.dynamo.call("PutItem", {"TableName": self.fx.remote("settings"), "Item": {"id": {"S": "SETTING"}, "note": {"S": note}}})

        for condition, outcome in (("> 'a'", (1, [])), ("= 'one'", (0, []))):
            put("one")
            self.assertEqual(self.between(f"DELETE FROM setting WHERE note {condition}", lambda: put("two"), "DeleteItem"), outcome)
            self.assertEqual(self.fx.value("SELECT count(*) FROM setting"), 1 - outcome[0])

    def test_joined_with_a_partition(self):
        """Its columns have another order than those of the partitioned table."""
        self.fx.create_table("sorts", ("k", "S"))
        self.fx.execute("CREATE TABLE kinds (label text, most numeric, k text) PARTITION BY LIST (k)")
        self.addCleanup(self.fx.execute, "DROP TABLE kinds")
        for name, columns, of in (("some_kinds", "k text, label text, most numeric", "IN ('one', 'two')"), ("other_kinds", "most numeric, label text, k text", "IN ('x')")):
            self.fx.foreign_table(name, columns, table_name=self.fx.remote("sorts"), scan_policy="allow", updatable="on")
            self.fx.execute(f"ALTER TABLE kinds ATTACH PARTITION {name} FOR VALUES {of}")
        self.fx.execute("INSERT INTO some_kinds VALUES ('one', 'first', 20); INSERT INTO other_kinds VALUES (30, 'last', 'x')")
        self.addCleanup(self.fx.execute, "DELETE FROM some_kinds; DELETE FROM other_kinds")
        for k, label in (("one", "first"), ("x", "last")):
            for extra in ("", f" AND k = '{k}'"):
                for sql, operation in (("UPDATE far SET note = label FROM kinds", "UpdateItem"), ("DELETE FROM far USING kinds", "DeleteItem")):
                    with self.subTest(sql, k=k, extra=extra):
                        self.setUp()
                        self.assertEqual(self.between(f"{sql} {self.ONE} AND total < most AND label = '{label}'{extra}", self.set("total", "N", "10"), operation), (1, []))
                        self.assertEqual(self.row(), [(label, 10)] if operation == "UpdateItem" else [])

    def test_joined_with_a_child(self):
        """It has columns that its parent lacks."""
        self.fx.create_table("heirs", ("k", "S"))
        self.fx.execute("CREATE TABLE elders (gone int, label text, most numeric, k text); ALTER TABLE elders DROP gone")
        self.addCleanup(self.fx.execute, "DROP TABLE elders CASCADE")
        for columns in ("label text, most numeric, k text, extra text", "extra int, k text, label text, more text, most numeric"):
            self.fx.foreign_table("heirs", columns, table_name=self.fx.remote("heirs"), scan_policy="allow", updatable="on")
            self.fx.execute("ALTER TABLE heirs INHERIT elders; DELETE FROM heirs; INSERT INTO heirs (k, label, most) VALUES ('one', 'first', 20)")
            for sql, operation in (("UPDATE far SET note = label FROM elders", "UpdateItem"), ("DELETE FROM far USING elders", "DeleteItem")):
                with self.subTest(sql, columns=columns):
                    self.setUp()
                    self.assertEqual(self.between(f"{sql} {self.ONE} AND total < most AND label = 'first'", self.set("total", "N", "10"), operation), (1, []))
                    self.assertEqual(self.row(), [("first", 10)] if operation == "UpdateItem" else [])

    def test_deleted_twice(self):
        self.assertEqual(self.between(f"DELETE FROM far {self.ONE}", self.delete, "DeleteItem"), (0, []))

    def test_joined(self):
        self.fx.execute("CREATE TABLE IF NOT EXISTS step (id text, by int); TRUNCATE step; INSERT INTO step VALUES ('a', 5), ('b', 6)")
        for join in ("hashjoin", "nestloop", "mergejoin"):
            others = {"hashjoin", "nestloop", "mergejoin"} - {join}
            self.fx.execute("; ".join(f"SET enable_{other} = off" for other in others) + f"; SET enable_{join} = on")
            self.fx.execute(f"UPDATE far SET total = 1 {self.ONE}")
            with self.subTest(join):
                self.assertEqual(self.between("UPDATE far SET total = total + by FROM step WHERE step.id = far.id AND n = 1 AND far.id = 'a'",
                                              self.set("total", "N", "10")), (1, []))
                self.assertEqual(self.row(), [("one", 15)])
        self.fx.execute("RESET ALL")

    def test_joined_with_several_rows(self):
        """A row is written for the next row of the join if the changed row does not match the first any longer."""
        self.fx.execute("CREATE TABLE IF NOT EXISTS limits (most numeric, new text); ANALYZE limits")
        self.addCleanup(self.fx.execute, "DROP TABLE limits")
        update = f"UPDATE far SET note = new FROM limits {self.ONE} AND total < most"
        for lower in (1, 99, 250):
            for sql, operation in ((update, "UpdateItem"), (f"{update} RETURNING 1", "UpdateItem"), (f"DELETE FROM far USING limits {self.ONE} AND total < most", "DeleteItem")):
                with self.subTest(sql, lower=lower):
                    self.setUp()
                    self.fx.execute(f"TRUNCATE limits; INSERT INTO limits SELECT 5, 'low' FROM generate_series(1, {lower}); INSERT INTO limits VALUES (20, 'high'), (30, 'last')")
                    self.assertEqual(self.between(sql, self.set("total", "N", "10"), operation)[0], 1)
                    self.assertEqual(self.row(), [("high", 10)] if operation == "UpdateItem" else [])

    def test_joined_with_several_deferred_rows(self):
        """If the statement also reads the table, the next rows are not stored: it fails, unless the first row still matches, or there is no other."""
        self.fx.execute("CREATE TABLE IF NOT EXISTS limits (most numeric, new text)")
        self.addCleanup(self.fx.execute, "DROP TABLE limits")
        again = "WITH second AS (UPDATE far SET note = 'second' WHERE id = 'a') UPDATE far SET note = 'first' WHERE id = 'a' AND total < 5"
        for limits, sql, outcome, note in (("5, 20", None, "40001", "one"), ("20, 5", None, (1, []), "new"), ("5", None, (0, []), "one"), ("5", again, "40001", "one")):
            with self.subTest(limits, sql=sql):
                self.setUp()
                self.fx.execute(f"TRUNCATE limits; INSERT INTO limits SELECT unnest('{{{limits}}}'::int[]), 'new'")
                sql = sql or f"UPDATE far SET note = new FROM limits, far s {self.ONE.replace('id', 'far.id').replace('AND n', 'AND far.n')} AND s.id = 'c' AND far.total < most"
                self.assertEqual(self.between(sql, self.set("total", "N", "10")), outcome)
                self.assertEqual(self.row(), [(note, 10)])

    def test_part(self):
        """A part of a WITH is evaluated again."""
        self.assertEqual(self.between(f"WITH u AS (UPDATE far SET total = total + 1 {self.ONE} AND total > 0) INSERT INTO far VALUES ('z', 1)", self.set("total", "N", "10")), (1, []))
        self.assertEqual(self.row(), [("one", 11)])

    def test_late(self):
        """The row that changed is the first of many, whose responses are awaited at the end."""
        self.fx.execute("INSERT INTO far SELECT 'l', g, 'x', g FROM generate_series(1, 40) g")
        self.assertEqual(self.between("UPDATE far SET total = total + 1 WHERE id = 'l' AND note = 'x'", self.set("note", "S", "y", ("l", 1))), (39, []))
        self.assertEqual(self.fx.value("SELECT sum(total) FROM far WHERE id = 'l'"), 820 + 39)

    def test_isolation(self):
        for isolation in ("REPEATABLE READ", "SERIALIZABLE"):
            self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.ONE}", self.set("total", "N", "10"), isolation=isolation), "40001")
            self.fx.execute(f"UPDATE far SET total = 1.5 {self.ONE}")

    def test_isolation_and_a_row_that_is_gone(self):
        for isolation in ("REPEATABLE READ", "SERIALIZABLE"):
            for sql, operation in ((f"UPDATE far SET total = total + 1 {self.ONE}", "UpdateItem"), (f"DELETE FROM far {self.ONE} AND note = 'one'", "DeleteItem")):
                with self.subTest(isolation, sql=sql):
                    self.setUp()
                    self.assertEqual(self.between(sql, self.delete, operation, isolation), "40001")
                    self.assertEqual(self.row(), [])

    def test_number_of_written_items(self):
        """DETAIL of the error reports how many items the transaction has written so far."""
        self.fx.execute("INSERT INTO far SELECT 'l', g, 'x', 0 FROM generate_series(1, 40) g")

        def change(request):
            if request.body["Key"]["n"]["N"] == "20":
                self.set("total", "N", "100", ("l", 20))()

        self.fx.proxy.on("UpdateItem", change)
        self.fx.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; INSERT INTO far VALUES ('l', 41), ('l', 42), ('l', 43); SAVEPOINT a")
        try:
            failure = self.fx.error("UPDATE far SET total = total + 1 WHERE id = 'l' AND note = 'x'")
        finally:
            self.fx.proxy.reset(scripts=True)
            self.fx.execute("ROLLBACK")
        self.assertEqual(failure.sqlstate, "40001")
        written = self.fx.value("SELECT count(*) FROM far WHERE id = 'l' AND total = 1")
        self.assertTrue(0 < written < 40, written)
        self.assertIn("Key (id, n)=(l, 20) was changed by another writer", failure.detail)
        self.assertIn(f" {written + 3} items of this transaction are already written.", failure.detail)

    def test_check_reads_another_column(self):
        """A CHECK constraint is checked with the values that the row has when it is written."""
        self.fx.execute("ALTER TABLE far ADD CONSTRAINT ordered CHECK (total < length(note))")
        self.addCleanup(self.fx.execute, "ALTER TABLE far DROP CONSTRAINT ordered")
        self.assertEqual(self.between(f"UPDATE far SET total = 2 {self.ONE}", self.set("note", "S", "x")), "23514")

    def test_row_triggers(self):
        """A trigger has already seen the old row."""
        self.fx.execute("CREATE OR REPLACE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(NEW, OLD); END'")
        for when in ("BEFORE", "AFTER"):
            self.fx.execute(f"CREATE TRIGGER seen {when} UPDATE OR DELETE ON far FOR EACH ROW EXECUTE FUNCTION nothing()")
            try:
                self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.ONE}", self.set("total", "N", "10")), "40001")
                self.fx.execute(f"UPDATE far SET total = 1.5 {self.ONE}")
            finally:
                self.fx.execute("DROP TRIGGER seen ON far")
            with self.subTest(when=when):
                self.setUp()
                self.fx.execute(f"CREATE TRIGGER seen {when} UPDATE OF note, n ON far FOR EACH ROW EXECUTE FUNCTION nothing()")
                try:
                    self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.ONE}", self.set("total", "N", "10")), (1, []))
                    self.assertEqual(self.fx.value(f"SELECT total FROM far {self.ONE}"), 11)
                finally:
                    self.fx.execute("DROP TRIGGER seen ON far")

    def test_subqueries_that_read_the_same_table(self):
        """A correlated one is not executed again, because it would see what the statement has written."""
        correlated = f"UPDATE far SET total = (SELECT count(*) FROM far f WHERE f.total > far.total) {self.ONE}"
        self.assertEqual(self.between(correlated, self.set("total", "N", "-10")), "40001")
        self.assertEqual(self.between(f"UPDATE far SET total = total + (SELECT count(*) FROM far) {self.ONE}", self.set("total", "N", "-100")), (1, []))
        self.assertEqual(self.row(), [("one", -96)])

    def test_tableoid(self):
        self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.ONE} AND tableoid = 'far'::regclass", self.set("total", "N", "10")), (1, []))

    def test_another_representation(self):
        """The same number in another representation, or the same time: the guard takes what is stored."""
        self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "one"}, "at": {"S": "2024-05-01T12:00:00+02:00"}})
        self.assertEqual(self.outcome(f"UPDATE far SET at = at + interval '1 hour' {self.ONE}"), (1, []))
        self.assertEqual(self.item("a", 1)["at"], {"S": "2024-05-01T11:00:00Z"})


class AnotherWriter(writes.TestCase):
    """Random statements, each of which meets a change of one of its items after it has read the item: the outcome is that on a local table."""

    COLUMNS = 'id text COLLATE "C" NOT NULL, n int NOT NULL, note text, total numeric, flag boolean'
    START = {("a", 1): ("one", 1.5, True), ("a", 2): ("two", 2, False), ("b", 1): (None, None, None), ("c", 7): ("seven", -7.25, True)}
    VALUES = ("two", "three", "one", "gone", None), (10, 2, -3, 30, None), (True, False, None)
    NAMES = ("id", "n", "note", "total", "flag")
    # suffix of the target: the tables that store its rows, and the foreign one's attributes, with their prefix of the key
    TARGETS = {"": ("", NAMES), "_view": ("", NAMES), "_barrier": ("", NAMES), "_checked": ("", NAMES), "_parent": ("_part", NAMES), "_super": ("_child", NAMES),
               "_dropped": ("_dropped", NAMES), "_keyed": ("_keyed", ("id", "n", "code", "total", "flag")), "_inside": ("_inside", ("id", "n", "info.note", "info.total", "flag"))}
    KEYS = ("t.id = 'a' AND t.n = 1", "t.id = 'a'", "t.id IN ('a', 'c')", "true", "(t.id, t.n) IN (('a', 1), ('c', 7))", "t.id = substr($1, 2) || 'a' AND t.n = 1")
    CONDITIONS = ("true", "t.total < 5", "t.note > 'm'", "t.note = 'one'", "t.flag", "coalesce(t.total, 0) < 5", "t.note IS NOT NULL", "t.note LIKE 'o%'", "t.total IN (1.5, 2, 10)",
                  "t.total BETWEEN 1 AND 10 AND t.note >= 'a' AND t.flag", "(t.total < 5 OR t.note = 'two')", "row(t.note, t.total) > row('a', 1)", "t.n + t.total < 5", "t IS NOT NULL",
                  "t.total < (SELECT max(x) FROM lim)", "NOT EXISTS (SELECT 1 FROM lim WHERE x < t.total)", "EXISTS (SELECT 1 FROM {o} o WHERE o.k = t.id AND o.w > t.total)",
                  "t.total < (SELECT o.w FROM {o} o WHERE o.k = t.id AND o.m = t.n)", "t.note = ANY (string_to_array($1, ',') || ARRAY['one'])", "($1 = 'x' OR t.note = 'x')")
    SETS = ("total = t.total + 1", "total = 7", "note = t.note || 'x'", "note = t.note, total = t.total, flag = t.flag", "note = 'n', total = 1, flag = true", "total = t.total, note = 'q'",
            "flag = NOT t.flag", "note = NULL, total = coalesce(t.total, 0) + 3", "note = $1 || t.total", "(note, total) = (SELECT t.note || max(x), min(x) FROM lim)")
    ITEMS = (None, None, ("lim i", "i.x > t.total"), ("{o} i", "i.k = t.id AND i.m = t.n"), ("{o} i", "i.note2 = t.note"), ("generate_series(1, 3) i", "i = t.n"),
             ("(VALUES ('one'), ('two'), (NULL)) i(y)", "i.y = t.note"), ("lim l LEFT JOIN {o} i ON i.w = l.x", "l.x > t.total AND l.x > 5 AND i.k IS DISTINCT FROM 'c'"),
             ("(SELECT k, max(w) AS w FROM {o} GROUP BY k) i", "i.k = t.id AND i.w > t.total"), ("{o} i JOIN lim l ON l.x = i.w", "i.k = t.id AND i.m = t.n"))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx, columns = cls.fx, cls.COLUMNS
        others = "('a', 1, 20, 'one'), ('a', 2, 5, 'two'), ('c', 7, 20, 'x'), ('b', 1, 1, 'seven'), ('e', 3, NULL, NULL)"
        fx.create_table("others", ("k", "S"), ("m", "N"))
        fx.foreign_table("far_o", 'k text COLLATE "C" NOT NULL, m int NOT NULL, w numeric, note2 text', table_name=fx.remote("others"), scan_policy="allow", updatable="on")
        fx.execute("CREATE TABLE lim (x numeric); INSERT INTO lim VALUES (5), (20), (1); CREATE TABLE near_o (k text, m int, w numeric, note2 text);"
                   f"INSERT INTO near_o VALUES {others}; INSERT INTO far_o VALUES {others}")
        for suffix in ("_dropped", "_keyed", "_inside"):
            fx.create_table("items" + suffix, cls.HASH, cls.RANGE)
            fx.execute(f"CREATE TABLE near{suffix} ({columns}, PRIMARY KEY (id, n))")
        shared = {"updatable": "on", "scan_policy": "allow"}
        fx.foreign_table("far_dropped", "x int, flag boolean, y int, total numeric, n int NOT NULL, note text, id text NOT NULL, z int", table_name=fx.remote("items_dropped"), **shared)
        fx.execute("ALTER FOREIGN TABLE far_dropped DROP x, DROP y, DROP z")
        fx.foreign_table("far_keyed", columns.replace("note text", "note text OPTIONS (attribute 'code')"), table_name=fx.remote("items_keyed"), key_templates='{"id": "K#${id}", "code": "C#${note}"}', **shared)
        fx.foreign_table("far_inside", columns.replace("note text", "note text OPTIONS (path 'info.note')").replace("numeric", "numeric OPTIONS (path 'info.total')"),
                         table_name=fx.remote("items_inside"), **shared)
        for t, foreign, server in (("near", "", ""), ("far", "FOREIGN", f"SERVER ddb OPTIONS (table_name '{fx.remote('items')}', updatable 'on', scan_policy 'allow')")):
            fx.execute(f"""
                CREATE VIEW {t}_view AS SELECT flag, total, note, n, id FROM {t} WHERE note <> 'gone';
                CREATE VIEW {t}_barrier WITH (security_barrier) AS SELECT * FROM {t} WHERE total < 1000 AND note || '' <> 'gone';
                CREATE VIEW {t}_checked AS SELECT * FROM {t} WHERE note <> 'gone' WITH CHECK OPTION;
                CREATE TABLE {t}_parent (flag boolean, {columns.replace(', flag boolean', '')}) PARTITION BY RANGE (n);
                CREATE {foreign} TABLE {t}_part ({columns}) {server};
                ALTER TABLE {t}_parent ATTACH PARTITION {t}_part DEFAULT;
                CREATE TABLE {t}_rest PARTITION OF {t}_parent FOR VALUES FROM (1000) TO (2000);
                CREATE TABLE {t}_super ({columns}); CREATE {foreign} TABLE {t}_child () INHERITS ({t}_super) {server}""")
        cls.other, cls.probe = fx.connect(), fx.connect()
        cls.addClassCleanup(cls.other.close)
        cls.addClassCleanup(cls.probe.close)
        cls.other.autocommit = False

    def setUp(self):
        pass

    def stored(self, target, key, values):
        """The name of the DynamoDB table, and the item."""
        base, names = self.TARGETS[target]
        item = {}
        for name, value in zip(names, key + values):
            if value is None:
                continue
            if target == "_keyed" and name in ("id", "code"):
                value = f"{name[0].upper().replace('I', 'K')}#{value}"
            kind = "BOOL" if isinstance(value, bool) else "S" if isinstance(value, str) else "N"
            *path, name = name.split(".")
            (item.setdefault(path[0], {"M": {}})["M"] if path else item)[name] = {kind: value if kind != "N" else str(value)}
        return self.fx.remote("items" + (base if base in ("_dropped", "_keyed", "_inside") else "")), item

    def near(self, sql, target, key, values):
        """The outcome if another session has changed the row, and commits when the statement waits for it."""
        base = self.TARGETS[target][0]
        self.fx.execute(f"TRUNCATE near{base}")
        for start in self.START.items():
            self.fx.execute(f"INSERT INTO near{base} (id, n, note, total, flag) VALUES (%s, %s, %s, %s, %s)", start[0] + start[1])
        with self.other.cursor() as cursor:
            cursor.execute(f"UPDATE near{base} SET note = %s, total = %s, flag = %s WHERE id = %s AND n = %s" if values else f"DELETE FROM near{base} WHERE id = %s AND n = %s", (values or ()) + key)
        outcomes = []
        pid = self.fx.conn.info.backend_pid
        thread = threading.Thread(target=lambda: outcomes.append(self.outcome(sql)))
        thread.start()
        with self.probe.cursor() as cursor:
            waits = False
            while not waits and not outcomes:
                thread.join(0.001)
                cursor.execute("SELECT wait_event_type IS NOT DISTINCT FROM 'Lock' FROM pg_stat_activity WHERE pid = %s", (pid,))
                [(waits,)] = cursor.fetchall()
        self.other.commit()
        thread.join()
        return waits, outcomes[0]

    def far(self, sql, target, key, values):
        """The outcome if another writer changes the item before its first write is sent; and whether it was sent."""
        items = [self.stored(target, *start) for start in self.START.items()]
        table, item = self.stored(target, key, values or (None,) * 3)
        stored_key = {name: item[name] for name in ("id", "n")}
        lock, done = threading.Lock(), []

        def change(request):
            with lock:
                if not done and (request is None or request.body["Key"] == stored_key):
                    done.append(request)
                    self.fx.dynamo.call(*("PutItem", {"TableName": table, "Item": item}) if values else ("DeleteItem", {"TableName": table, "Key": stored_key}))

        self.fx.dynamo.call("DeleteItem", {"TableName": table, "Key": self.stored(target, ("z", 1), (None,) * 3)[1]})
        self.fx.dynamo.call("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item}} for _, item in items]}})
        for operation in ("UpdateItem", "DeleteItem"):
            self.fx.proxy.on(operation, change)
        try:
            outcome = self.outcome(sql)
        finally:
            self.fx.proxy.reset(scripts=True)
        change(None)
        return done[0] is not None, outcome

    def statement(self, rng):
        """A target, and a statement that writes it."""
        target = rng.choice(list(self.TARGETS))
        condition = " AND ".join(rng.sample(self.CONDITIONS, rng.choice((1, 1, 2))))
        returned = rng.choice(("", "", "t.id, t.n, t.note, t.total, t.flag", "t.total, t.note", "1"))
        change = f"SET {rng.choice(self.SETS)}"
        form = rng.randrange(5)
        if form == 0 and target not in ("_parent", "_super"):
            sql = f"INSERT INTO {{t}}{target} AS t (id, n, note, total) VALUES ('a', 1, 'new', 50), ('a', 2, 'new', 60), ('z', 1, 'z', 1)" \
                  f" ON CONFLICT (id, n) DO UPDATE {change} WHERE {condition}"
        else:
            item = rng.choice(self.ITEMS)
            start, word = (f"UPDATE {{t}}{target} t {change}", "FROM") if form < 3 else (f"DELETE FROM {{t}}{target} t", "USING")
            sql = start + (f" {word} {item[0]}" if item else "") + f" WHERE {rng.choice(self.KEYS)} AND {condition}" + (f" AND {item[1]}" if item else "")
            if returned and item and rng.random() < 0.5:
                returned += ", i"
            elif returned and not item and target not in ("_dropped", "_parent") and rng.random() < 0.5:
                returned = "*"
        return target, sql + (f" RETURNING {returned}" if returned else "")

    def test_parents_joined(self):
        """The target is a parent, whose rows are identified by columns that EXPLAIN VERBOSE must not show as those of a lookup join node."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET ALL; DELETE FROM far_part; DELETE FROM near_part; DELETE FROM near_child")
        for parent, child in (("_parent", "_part"), ("_super", "_child")):
            for change in ("UPDATE {t}{parent} t SET note = i.note2 FROM {t}_o i WHERE", "UPDATE {t}{parent} t SET total = l.x FROM lim l, {t}_o i WHERE l.x < t.n + 5 AND",
                           "UPDATE {t}{parent} t SET note = (SELECT note2 FROM {t}_o o WHERE o.k = t.id AND o.m = t.n) FROM lim i WHERE i.x = 5 AND",
                           "DELETE FROM {t}{parent} t USING {t}_o i WHERE"):
                for keys in ("(t.id, t.n) IN (('a', 1), ('c', 7))", "t.id IN ('a', 'c')", "true"):
                    sql = f"{change.replace('{parent}', parent)} {'i.k = t.id AND i.m = t.n AND ' * ('_o i' in change)}{keys} RETURNING t.id, t.n, t.note, t.total, i"
                    for t in ("near", "far"):
                        self.fx.execute(f"DELETE FROM {t}{child}; INSERT INTO {t}{child} (id, n, note) VALUES ('a', 1, 'one'), ('a', 2, 'two'), ('c', 7, NULL), ('d', 7, 'x')")
                    plan = self.fx.explain(sql.replace("{t}", "far"), "VERBOSE, COSTS OFF")
                    with self.subTest(sql, plan=plan):
                        if parent == "_parent" and keys[0] == "(" and "FROM far_o i WHERE i" in sql.replace("{t}", "far") and self.fx.value("SHOW debug_assertions") == "off":
                            self.assertIn("Prefetches: far_o", plan)
                        near, far = (writes.comparable(self.fx.rows(sql.replace("{t}", t))) for t in ("near", "far"))
                        self.assertEqual(far, near)
                        self.assertTrue(far)

    def test_requests_of_parents(self):
        """Lookups for the rows of a parent's partitions are batched."""
        if self.fx.value("SHOW debug_assertions") == "on":
            self.skipTest("assertions of PostgreSQL refuse the columns that identify rows")
        self.fx.execute("""
            SET enable_hashjoin = off; SET enable_mergejoin = off;
            CREATE TABLE parted (id text, n int, v text) PARTITION BY RANGE (n);
            CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (20); CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (20) TO (100);
            CREATE TABLE inherited (id text, n int, v text); CREATE TABLE heir () INHERITS (inherited);
            CREATE TABLE levels (id text, n int, v text) PARTITION BY RANGE (n); CREATE TABLE levels_0 PARTITION OF levels FOR VALUES FROM (0) TO (100) PARTITION BY LIST (id);
            CREATE TABLE levels_a PARTITION OF levels_0 FOR VALUES IN ('a'); CREATE TABLE levels_b PARTITION OF levels_0 FOR VALUES IN ('b')""")
        self.addCleanup(self.fx.execute, "RESET ALL; DROP TABLE parted, inherited, heir, levels")
        tables = ("parted", "inherited", "levels")
        for table in tables:
            self.fx.execute(f"INSERT INTO {table.replace('inherited', 'heir')} SELECT CASE WHEN n % 3 = 0 THEN 'a' ELSE 'b' END, n, 'x' FROM generate_series(1, 40) n")
        for sql in ("UPDATE {table} t SET v = i.note2 FROM {t}_o i WHERE i.k = t.id AND i.m = t.n", "DELETE FROM {table} t USING {t}_o i WHERE i.k = t.id AND i.m = t.n RETURNING t.*, i.w",
                    "UPDATE {table} t SET v = (SELECT note2 FROM {t}_o i WHERE i.k = t.id AND i.m = t.n) FROM lim l WHERE l.x = 5",
                    "DELETE FROM {table} t WHERE EXISTS (SELECT FROM {t}_o i WHERE i.k = t.id AND i.m = t.n AND i.w < 30)",
                    "UPDATE {table} t SET v = i.note2 FROM lim l, {t}_o i WHERE l.x = 5 AND i.k = t.id AND i.m = t.n RETURNING t.*, l.x"):
            for table in tables:
                outcomes = []
                with self.subTest(sql, table=table):
                    for t in ("near", "far"):
                        self.fx.execute("BEGIN")
                        requests, rows = self.fx.requests_and_rows(sql.replace("{table}", table).replace("{t}", t) if "RETURNING" in sql else
                                                                   f"WITH w AS ({sql.replace('{table}', table).replace('{t}', t)} RETURNING t.*) SELECT * FROM w")
                        outcomes.append((writes.comparable(rows), writes.comparable(self.fx.rows(f"SELECT * FROM {table}"))))
                        self.fx.execute("ROLLBACK")
                    self.assertEqual(*outcomes)
                    self.assertEqual({request.operation for request in requests}, {"BatchGetItem"})
                    self.fx.explain(sql.replace("{table}", table).replace("{t}", "far"), "VERBOSE")

    def test_random(self):
        """If no write of the item is sent, since it would change nothing, the change comes later."""
        rng = random.Random(20)
        met = 0
        for _ in range(volume(100, 300)):
            target, sql = self.statement(rng)
            key = rng.choice((("a", 1), ("a", 1), ("c", 7)))
            values = None
            if rng.randrange(6):
                changed = rng.sample(range(3), rng.choice((1, 1, 2, 3)))
                values = tuple(rng.choice(self.VALUES[i]) if i in changed else old for i, old in enumerate(self.START[key]))
            join = rng.choice(("hashjoin", "nestloop", "mergejoin"))
            self.fx.execute("SET jit = off; " + "; ".join(f"SET enable_{other} = {'on' if other == join else 'off'}" for other in ("hashjoin", "nestloop", "mergejoin"))
                            + f"; SET plan_cache_mode = {rng.choice(('auto', 'force_generic_plan'))}")
            way = rng.randrange(3)
            sides = []
            for t in ("near", "far"):
                own = sql.replace("{t}", t).replace("{o}", t + "_o")
                if way == 0:
                    self.fx.execute(f"PREPARE p (text) AS {own}")
                    sides.append(getattr(self, t)("EXECUTE p ('z')", target, key, values))
                    self.fx.execute("DEALLOCATE p")
                else:
                    own = own.replace("$1", "'z'")
                    sides.append(getattr(self, t)(f"WITH w AS ({own}) SELECT w, count(*) OVER () FROM w" if way == 1 and "RETURNING" in own else own, target, key, values))
            (waits, local), (sent, foreign) = sides
            if waits and not sent:
                continue
            met += sent
            base = self.TARGETS[target][0]
            columns = ", ".join(self.NAMES)
            rows = [writes.comparable(self.fx.rows(f"SELECT {columns} FROM {table}{base}")) for table in ("far", "near")]
            with self.subTest(sql=sql, key=key, values=values, join=join, way=way):
                self.assertEqual(self.plain(foreign), self.plain(local))
                if not isinstance(local, str):      # an error does not roll back what was written before
                    self.assertEqual(*rows)
        self.assertGreater(met, volume(50, 150))

    @staticmethod
    def plain(outcome):
        """Zeros at the end of a numeric in the text of a row do not count."""
        return outcome if isinstance(outcome, str) else (outcome[0], [re.sub(r"(\.\d*?)0+(?=\D)", lambda match: match[1].rstrip("."), row) for row in outcome[1]])


class CheckOption(writes.TestCase):
    """A view's check option is checked again after the write was sent, when earlier rows may have been evaluated again."""

    def test_changed_earlier_rows(self):
        """While a row waits to be sent, some earlier ones are written again, and some no longer fulfill the condition."""
        self.both("INSERT INTO {t} SELECT 'l', g, 'x', g FROM generate_series(1, 40) g")
        self.fx.execute("CREATE VIEW noted AS SELECT * FROM far WHERE length(note) BETWEEN 1 AND 999 WITH CHECK OPTION")
        changed = []

        def change(_):
            if not changed:
                changed.append(True)
                for n in range(1, 17):
                    Concurrency.set(self, *(("total", "N", "100") if n % 2 else ("note", "S", "y")), ("l", n))()

        self.fx.rows("SELECT 1 FROM far WHERE id = 'a' AND n = 1")
        self.fx.proxy.reset()
        self.fx.proxy.on("UpdateItem", change)
        self.fx.proxy.together(16, "UpdateItem")
        try:
            self.assertEqual(self.outcome("UPDATE noted SET note = note || repeat('-', 200) WHERE id = 'l' AND note = 'x' AND total < 1000"), (32, []))
        finally:
            self.fx.proxy.reset(scripts=True)
            self.fx.execute("DROP VIEW noted")
        self.assertEqual(changed, [True])
        self.assertEqual(self.fx.rows("SELECT length(note), count(*) FROM far WHERE id = 'l' GROUP BY 1 ORDER BY 1"), [(1, 8), (201, 32)])


class EqualValues(writes.TestCase):
    """A value that is only equal to the one that was read, such as 24 hours and 1 day, is another value."""

    COLUMNS = Concurrency.COLUMNS + ", lasts interval"
    ROWS = "('a', 1, 'one', 1.5, true, NULL, '1 day')"
    ONE, between, set = Concurrency.ONE, Concurrency.between, Concurrency.set

    def test_interval(self):
        self.assertEqual(self.between(f"UPDATE far SET note = lasts::text {self.ONE} RETURNING note", self.set("lasts", "S", "24:00:00")), (1, ["('24:00:00',)"]))
        self.assertEqual(self.between(f"UPDATE far SET total = 7 {self.ONE} AND lasts::text = '24:00:00'", self.set("lasts", "S", "1 day")), (0, []))


class Locks(writes.TestCase):
    """Rows are not locked."""

    def test_for_update(self):
        [warning] = self.fx.notices("SELECT * FROM far a JOIN far b USING (id) FOR UPDATE")
        self.assertTrue(warning.startswith('WARNING:  rows of foreign table "far" are not locked'), warning)
        self.assertEqual(self.fx.notices("SELECT * FROM far"), [])
        self.assertEqual(self.fx.notices("UPDATE far a SET note = 'x' FROM far b WHERE a.id = b.id"), [])


class OptimisticLocking(writes.TestCase):
    """Row counts as ORMs need them."""

    def test_version(self):
        first, second = (self.fx.connect() for _ in range(2))
        self.addCleanup(first.close)
        self.addCleanup(second.close)
        counts = []
        for connection in (first, second):
            with connection.cursor() as cursor:
                cursor.execute("UPDATE far SET total = 2.5 WHERE id = 'a' AND n = 1 AND total = 1.5")
                counts.append(cursor.rowcount)
        self.assertEqual(counts, [1, 0])


class Upserts(writes.TestCase):
    """ON CONFLICT (key)."""

    def test_do_nothing(self):
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'no'), ('u', 1, 'yes') ON CONFLICT (id, n) DO NOTHING")[0], 1)
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'no'), ('v', 1, 'yes') ON CONFLICT (n, id) DO NOTHING RETURNING id")[0], 1)

    def test_do_update(self):
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'new', 5), ('u', 1, 'yes', 6) ON CONFLICT (id, n)"
                  " DO UPDATE SET total = t.total + EXCLUDED.total, note = EXCLUDED.note")
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'x'), ('a', 2, 'x') ON CONFLICT (id, n) DO UPDATE SET note = EXCLUDED.note WHERE t.total > 3 RETURNING *")
        self.both("WITH up AS (INSERT INTO {t} VALUES ('a', 1, 'cte') ON CONFLICT (id, n) DO UPDATE SET id = EXCLUDED.id, note = EXCLUDED.note RETURNING note)"
                  " SELECT * FROM up")

    def test_large_items(self):
        """The error document of a failed condition contains the item: up to 400 kB, with names that may contain U+0000."""
        for extra in ({"k": {"S": "x" * 300_000}}, {"m": {"M": {"\0": {"S": "x"}}}}):
            self.put_raw({"id": {"S": "l"}, "n": {"N": "1"}, "note": {"S": "old"}, **extra})
            self.fx.execute("TRUNCATE near; INSERT INTO near SELECT * FROM far")
            self.assertEqual(self.both("INSERT INTO {t} VALUES ('l', 1, 'no')"), "23505")
            self.assertEqual(self.both("INSERT INTO {t} VALUES ('l', 1, 'no') ON CONFLICT DO NOTHING"), (0, []))
            self.assertEqual(self.both("INSERT INTO {t} AS t VALUES ('l', 1, 'new') ON CONFLICT (id, n) DO UPDATE SET note = t.note || EXCLUDED.note"), (1, []))
            self.assertEqual(self.item("l", 1), {"id": {"S": "l"}, "n": {"N": "1"}, "note": {"S": "oldnew"}, **extra})

    def test_twice(self):
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('t', 1, 'x'), ('t', 1, 'y') ON CONFLICT (id, n) DO UPDATE SET note = EXCLUDED.note",
                                   same_tables=False), "21000")

    def test_other_columns(self):
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('a', 1) ON CONFLICT (id) DO NOTHING"), "42P10")
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('a', 1) ON CONFLICT (note) DO UPDATE SET note = 'x'"), "42P10")

    def test_prepared_and_through_a_view(self):
        self.fx.execute("CREATE OR REPLACE VIEW seen AS SELECT id, n, note FROM far")
        for i in range(7):
            self.fx.execute("INSERT INTO seen VALUES ('view', 1, %s) ON CONFLICT (id, n) DO UPDATE SET note = seen.note || EXCLUDED.note", (str(i),))
        self.assertEqual(self.fx.value("SELECT note FROM far WHERE id = 'view'"), "0123456")

    def test_assigned_but_equal_with_a_trigger(self):
        """DO UPDATE assigns what it names, also if the INSERT has fired a BEFORE trigger."""
        self.fx.execute("CREATE OR REPLACE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
                        "CREATE TRIGGER passed BEFORE INSERT ON far FOR EACH ROW EXECUTE FUNCTION passed()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER passed ON far")
        change = Concurrency.set(self, "note", "S", "other")
        self.assertEqual(Concurrency.between(self, "INSERT INTO far VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'one', total = 7", change), (1, []))
        self.assertEqual(Concurrency.row(self), [("one", 7)])

    DO_UPDATE = "INSERT INTO far VALUES ('a', 1, 'x', 5) ON CONFLICT (id, n) DO UPDATE SET total = far.total + EXCLUDED.total"

    def test_changed_concurrently(self):
        """Another writer changes or deletes the row between the evaluation of DO UPDATE and its write."""
        change = Concurrency.set(self, "total", "N", "10")
        self.assertEqual(Concurrency.between(self, self.DO_UPDATE, change), (1, []))
        self.assertEqual(Concurrency.row(self), [("one", 15)])
        self.assertEqual(Concurrency.between(self, self.DO_UPDATE, lambda: Concurrency.delete(self)), (1, []))
        self.assertEqual(Concurrency.row(self), [("x", 5)])
        self.assertEqual(Concurrency.between(self, self.DO_UPDATE + " WHERE far.total < 6", change), (0, []))
        self.assertEqual(Concurrency.row(self), [("x", 10)])

    def test_isolation(self):
        for isolation in ("REPEATABLE READ", "SERIALIZABLE"):
            for change in (Concurrency.set(self, "total", "N", "10"), lambda: Concurrency.delete(self)):
                self.setUp()
                self.assertEqual(Concurrency.between(self, self.DO_UPDATE, change, isolation=isolation), "40001")
                self.assertIn(Concurrency.row(self), ([("one", 10)], []))
            self.setUp()
            self.fx.execute(f"BEGIN ISOLATION LEVEL {isolation}; {self.DO_UPDATE}; COMMIT")
            self.assertEqual(Concurrency.row(self), [("one", 6.5)])

    def test_increments(self):
        """Upserts of four sessions are not lost."""
        def work(connection, _):
            with connection.cursor() as cursor:
                cursor.execute("LOAD 'dynamo_fdw'")     # as session_preload_libraries does
                for _ in range(50):
                    cursor.execute("INSERT INTO far VALUES ('hit', 1, NULL, 1) ON CONFLICT (id, n) DO UPDATE SET total = far.total + EXCLUDED.total")
        Concurrency.in_sessions(self, 4, work)
        self.assertEqual(self.fx.value("SELECT total FROM far WHERE id = 'hit'"), 200)


class EndlessUpdate(writes.TestCase):
    """A row that another writer changes before each attempt."""

    SQL, ATTEMPTS = "UPDATE far SET total = total + 1 WHERE id = 'a' AND n = 1", 51

    def test_limit(self):
        changes = []

        def change(_):
            if len(changes) < 60:
                changes.append(f"{len(changes)}.25")
                Concurrency.set(self, "total", "N", changes[-1])()

        self.fx.proxy.on("UpdateItem", change)
        try:
            failure = self.fx.error(self.SQL)
        finally:
            self.fx.proxy.reset(scripts=True)
        self.assertEqual((failure.sqlstate, len(changes)), ("40001", self.ATTEMPTS))
        self.assertIn("it changed again at each attempt", failure.detail)
        self.assertEqual(Concurrency.row(self), [("one", float(changes[-1]))])


class LargeItem(writes.TestCase):
    """A large row that another writer changes before each of many attempts."""

    def peak(self):
        """The backend's peak memory in MB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024

    @WITHOUT_SANITIZERS
    def test_memory(self):
        """What a round has composed is freed when the next one has composed it again."""
        self.fx.execute("INSERT INTO far VALUES ('l', 1, repeat('x', 380000), 0)")
        for sql in ("UPDATE far SET total = total + 1, note = note || 'y' WHERE id = 'l' AND n = 1",
                    "INSERT INTO far VALUES ('l', 1) ON CONFLICT (id, n) DO UPDATE SET total = far.total + 1, note = far.note || 'y'"):
            self.fx.conn.close()
            self.fx.conn = self.fx.connect()
            self.fx.rows("SELECT 1 FROM far WHERE id = 'l' AND n = 1")
            changes = iter(range(25))

            def change(_, changes=changes):
                for number in itertools.islice(changes, 1):
                    Concurrency.set(self, "total", "N", str(100 + number), ("l", 1))()

            self.fx.proxy.on("UpdateItem", change)
            before = self.peak()
            try:
                self.assertEqual(self.outcome(sql), (1, []))
            finally:
                self.fx.proxy.reset(scripts=True)
            self.assertEqual(self.fx.rows("SELECT total::int FROM far WHERE id = 'l' AND n = 1"), [(125,)])
            self.assertLess(self.peak() - before, 40)

    @WITHOUT_SANITIZERS
    def test_memory_of_repeated_rows(self):
        """The rows of a join that an item's write keeps, in case that its condition fails, do not exceed fetch_memory much."""
        for n in range(1, 9):
            self.fx.execute("INSERT INTO far VALUES ('l', %s, repeat('x', 380000), 0)", (n,))
        self.fx.conn.close()
        self.fx.conn = self.fx.connect()
        self.fx.rows("SELECT 1 FROM far WHERE id = 'l' AND n = 1")
        before = self.peak()
        self.assertEqual(self.outcome("UPDATE far SET total = total + g FROM generate_series(1, 90) g WHERE id = 'l' AND n BETWEEN 1 AND 8"), (8, []))
        self.assertEqual(self.fx.rows("SELECT DISTINCT total::int FROM far WHERE id = 'l'"), [(1,)])
        self.assertLess(self.peak() - before, 100)


class EndlessUpsert(EndlessUpdate):
    """The same for DO UPDATE; the failed insertion is the first of 51 attempts."""

    SQL, ATTEMPTS = "LOAD 'dynamo_fdw'; " + Upserts.DO_UPDATE, 50


class Atomic(writes.TestCase):
    """write_mode 'atomic': all rows of a statement, or none."""

    def setUp(self):
        super().setUp()
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")

    def test_all_or_nothing(self):
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('x', 1), ('x', 2), ('a', 1)"), "23505")
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('x', 1), ('x', 2) RETURNING *")[0], 2)
        self.assertEqual(self.both("UPDATE {t} SET total = coalesce(total, 0) + 1")[0], 6)
        self.assertEqual(self.both("DELETE FROM {t} WHERE id IN ('x', 'a')")[0], 4)

    def test_one_request(self):
        requests = self.writes("WITH a AS (INSERT INTO far VALUES ('y', 1, 'one')), b AS (INSERT INTO far VALUES ('y', 2, 'two')) SELECT")
        self.assertEqual([r.operation for r in requests], ["TransactWriteItems"])
        self.assertEqual(len(requests[0].body["TransactItems"]), 2)

    def test_upserts(self):
        self.both("INSERT INTO {t} AS t VALUES ('a', 1, 'new', 5), ('u', 1, 'yes', 6) ON CONFLICT (id, n) DO UPDATE SET total = t.total + EXCLUDED.total")
        self.assertEqual(self.both("INSERT INTO {t} VALUES ('a', 1, 'no'), ('w', 1, 'yes') ON CONFLICT DO NOTHING")[0], 1)

    def test_nothing_to_write_in_one_of_two_tables(self):
        """The response then contains only the other table."""
        self.fx.create_table("more", ("id", "S"))
        self.fx.foreign_table("far_more", "id text NOT NULL", table_name=self.fx.remote("more"), updatable="on", scan_policy="allow")
        self.fx.execute("CREATE TABLE near_more (id text PRIMARY KEY)")
        for action in ("NOTHING", "UPDATE SET note = t.note"):
            self.both(f"WITH last AS (INSERT INTO {{t}}_more VALUES ('{action}')) INSERT INTO {{t}} AS t VALUES ('a', 1) ON CONFLICT (id, n) DO {action}")
            self.assertEqual(*(self.fx.rows(f"SELECT * FROM {table}_more ORDER BY id") for table in ("far", "near")))

    def test_large_items(self):
        """The error document of a canceled transaction contains all items that exist."""
        for n in range(1, 101):
            self.put_raw({"id": {"S": "l"}, "n": {"N": str(n)}, "k": {"S": "x" * 2700}})
        self.fx.execute("TRUNCATE near; INSERT INTO near SELECT * FROM far")
        self.assertEqual(self.both("INSERT INTO {t} SELECT 'l', g FROM generate_series(1, 100) g ON CONFLICT DO NOTHING"), (0, []))

    def test_items_too_large_for_a_response(self):
        """The items of canceled transactions can be larger than any response: nothing was written, and they are then read one by one."""
        responses = itertools.cycle((replies.oversized(33 << 20, 400), replies.gzip_body(replies.Reply(b"{" + b" " * (33 << 20) + b"}", 400))))
        changes = []

        def respond(request):
            for change in changes:
                change()
            return next(responses) if b"ReturnValuesOnConditionCheckFailure" in request.raw else None
        self.put_raw({"id": {"S": "c"}, "n": {"N": "7"}, "note": {"S": "seven"}, "at": {"S": "2024-06-01T12:00:00.5+02:00"}})
        self.fx.execute("TRUNCATE near; INSERT INTO near SELECT * FROM far; SELECT dynamo_fdw_statistics_reset()")
        self.fx.proxy.on("TransactWriteItems", respond)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        cases = (("INSERT INTO {t} VALUES ('a', 1), ('b', 1), ('new', 1)", "23505", "TT"),
                 ("INSERT INTO {t} VALUES ('a', 1), ('b', 1), ('new', 2) ON CONFLICT DO NOTHING", (1, []), "TTT"),
                 ("INSERT INTO {t} AS t VALUES ('a', 1, 'x'), ('b', 1, 'y'), ('new', 3, 'z') ON CONFLICT (id, n) DO UPDATE SET note = t.note || EXCLUDED.note",
                  (3, []), "TTGGT"),
                 ("UPDATE {t} SET at = at + interval '1 hour' WHERE id = 'c' AND n = 7", (1, []), "GTTGT"),
                 ("INSERT INTO {t} VALUES ('new', 4), ('new', 5)", (2, []), "TT"))
        for sql, outcome, requests in cases:
            with self.subTest(sql=sql):
                self.fx.proxy.reset()
                self.assertEqual(self.both(sql, same_tables=False), outcome)
                self.assertEqual("".join(r.operation[0] for r in self.fx.proxy.requests), requests)
                self.assertSameTables(sql)
        errors = "SELECT sum(errors), sum(requests) > 9 FROM dynamo_fdw_statistics WHERE table_name = %s"
        self.assertEqual(self.fx.rows(errors, (self.fx.remote("items"),)), [(0, True)])
        self.fx.proxy.on("GetItem", [lambda _: Concurrency.delete(self)])
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('a', 1, 'inserted') ON CONFLICT (id, n) DO UPDATE SET note = 'updated'"), (1, []))
        self.assertEqual(self.fx.value("SELECT note FROM far WHERE id = 'a' AND n = 1"), "inserted")
        self.fx.execute("UPDATE far SET total = 1 WHERE id = 'a' AND n = 1")
        changes.append(Concurrency.set(self, "total", "N", "10"))
        self.assertEqual(self.outcome("UPDATE far SET total = total + 1 WHERE id = 'a'"), "40001")
        self.assertEqual(self.balances(), (10, 2))

    def test_limits(self):
        self.assertEqual(self.outcome("INSERT INTO far SELECT 'l', g FROM generate_series(1, 101) g"), "54000")
        self.assertEqual(self.outcome("INSERT INTO far SELECT 'l', g FROM generate_series(1, 100) g"), (100, []))
        self.assertEqual(self.outcome("INSERT INTO far SELECT 'b', g, repeat('x', 300000) FROM generate_series(1, 15) g"), "54000")
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('d', 1), ('d', 1)"), "0A000")

    def test_limit_of_bytes(self):
        """It applies to the values, not to their longer JSON, and also to an UPDATE."""
        self.fx.foreign_table("raw", "id text NOT NULL, n int NOT NULL, data bytea", table_name=self.fx.remote("items"), updatable="on")
        self.assertEqual(self.outcome("INSERT INTO raw SELECT 'r', g, decode(repeat('00', 320000), 'hex') FROM generate_series(1, 10) g"), (10, []))
        self.assertEqual(self.outcome("INSERT INTO far SELECT 's', g, repeat(chr(10), 300000) FROM generate_series(1, 13) g"), (13, []))
        failure = self.fx.error("UPDATE far SET note = repeat('x', 330000) WHERE id = 's'")
        self.assertEqual((failure.sqlstate, failure.message), ("54000", "an atomic statement can write at most 4 MB"))
        self.fx.foreign_table("lists", "id text NOT NULL, n int NOT NULL, data jsonb", table_name=self.fx.remote("items"), updatable="on")
        values = "SELECT 'l', g, to_jsonb(array[repeat('x', 300000)]) FROM generate_series(1, %s) g"
        self.assertEqual([self.outcome(f"INSERT INTO lists {values}", (n,)) for n in (13, 60)], [(13, []), "54000"])

    def test_other_encodings_in_turns(self):
        """An item whose value has another encoding fails the transaction, and then the other one: both are guarded by what is stored."""
        for key in "ab":
            self.put_raw({"id": {"S": key}, "n": {"N": "1"}, "at": {"S": "2024-05-01T12:00:00+02:00"}})
        self.fx.execute("TRUNCATE near; INSERT INTO near SELECT * FROM far")
        self.both("WITH i AS (INSERT INTO {t} AS t (id, n, at) VALUES ('b', 1, now()) ON CONFLICT (id, n) DO UPDATE SET at = t.at + interval '1 hour')"
                  " UPDATE {t} SET at = at + interval '1 hour' WHERE id = 'a' AND n = 1")
        self.assertEqual([self.item(key, 1)["at"] for key in "ab"], [{"S": "2024-05-01T11:00:00Z"}] * 2)

    TRANSFER = "UPDATE far SET total = total + CASE n WHEN 1 THEN -1 ELSE 1 END WHERE id = 'a'"

    def balances(self):
        """Those of both accounts."""
        return tuple(int(self.item("a", n)["total"]["N"]) for n in (1, 2))

    def test_transfers(self):
        """A reader that sums sees no transfer half done; each is done once."""
        self.fx.execute("UPDATE far SET total = 100 WHERE id = 'a'")
        stop = threading.Event()
        sums = set()

        def read():
            keys = [{"id": {"S": i}, "n": {"N": str(n)}} for i, n in (("a", 1), ("a", 2))]
            while not stop.is_set():
                response = self.fx.dynamo.call("TransactGetItems", {"TransactItems": [{"Get": {"TableName": self.fx.remote("items"), "Key": key}} for key in keys]})
                sums.add(sum(int(one["Item"]["total"]["N"]) for one in response["Responses"]))

        reader = threading.Thread(target=read)
        reader.start()
        try:
            outcomes = [self.outcome(self.TRANSFER) for _ in range(30)]
        finally:
            stop.set()
            reader.join()
        self.assertEqual((outcomes, sums, self.balances()), ([(2, [])] * 30, {200}, (70, 130)))

    def test_transfers_of_two_sessions(self):
        """A transfer is done completely, or it fails and has done nothing."""
        self.fx.execute("UPDATE far SET total = 100 WHERE id = 'a'")
        outcomes = []

        def work(connection, _):
            with connection.cursor() as cursor:
                cursor.execute("LOAD 'dynamo_fdw'; SET dynamo_fdw.write_mode = 'atomic'")
                for _ in range(20):
                    try:
                        cursor.execute(self.TRANSFER)
                        outcomes.append(cursor.rowcount)
                    except psycopg2.Error as failure:
                        outcomes.append(failure.pgcode)

        Concurrency.in_sessions(self, 2, work)
        done = outcomes.count(2)
        self.assertEqual(done + outcomes.count("40001"), 40, outcomes)
        self.assertGreater(done, 0)
        self.assertEqual(self.balances(), (100 - done, 100 + done))

    def test_transfer_that_meets_another(self):
        """One account changes between the read and the write: nothing is written to either."""
        self.fx.execute("UPDATE far SET total = 100 WHERE id = 'a'")
        for n in (1, 2):
            with self.subTest(n=n):
                before = self.balances()
                change = Concurrency.set(self, "total", "N", str(before[n - 1] + 50), ("a", n))
                self.assertEqual(Concurrency.between(self, self.TRANSFER, change, "TransactWriteItems"), "40001")
                self.assertEqual(self.balances(), tuple(balance + 50 * (i == n) for i, balance in enumerate(before, 1)))
