"""Writes whose response is lost, late, wrong or an error: applied exactly once, counted exactly, or SQLSTATE 08007.

Each test is a hazard of writes, such as a request that libcurl would repeat by itself.
"""
import io
import threading

import fixture
import psycopg2
import replies
import writes
from server import FullListener


class ErrorsCase(writes.TestCase):
    """Statements whose requests get scripted responses."""

    def scripted(self, operation, responses, sql):
        """The outcome of a statement whose requests of an operation get these responses."""
        self.fx.rows("SELECT 1 FROM far WHERE id = 'a' AND n = 1")
        self.fx.proxy.reset()
        self.fx.proxy.on(operation, responses)
        try:
            return self.outcome(sql)
        finally:
            self.sent = [r.operation for r in self.fx.proxy.requests if r.operation == operation]
            self.fx.proxy.reset(scripts=True)

    def warning(self):
        """The WARNING of the last statement, in one line."""
        return [" ".join(notice.split()) for notice in self.fx.conn.notices if "not rolled back" in notice or "may have been" in notice]

    def lost(self):
        """Executed, and the connection ends without a byte."""
        return replies.executed(replies.empty_reply())

    def after(self):
        """Executed, but the response has status 500."""
        return replies.executed(replies.internal_error())


class Errors(ErrorsCase):
    """Errors of the first request, and of one in the middle of many."""

    ONE = "WHERE id = 'a' AND n = 1"

    def test_H05_repeated_insert(self):
        """The condition of the repetition fails, with our own item."""
        for error in (self.lost(), self.after(), replies.internal_error()):
            self.fx.execute("DELETE FROM far WHERE id = 'f'")
            self.assertEqual(self.scripted("PutItem", [error], "INSERT INTO far VALUES ('f', 1, 'x', 1.5, true, date_trunc('second', now()))"), (1, []))
            self.assertEqual(len(self.sent), 2)
            self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 'f'"), 1)

    def test_H05_insert_of_a_key_of_another(self):
        self.assertEqual(self.scripted("PutItem", [replies.internal_error()], "INSERT INTO far VALUES ('a', 1, 'mine')"), "23505")
        self.assertEqual(self.fx.value(f"SELECT note FROM far {self.ONE}"), "one")

    def test_in_the_middle(self):
        """One of forty responses is lost."""
        for error in (self.lost(), self.after(), replies.internal_error(), replies.conflict()):
            self.fx.execute("DELETE FROM far WHERE id = 'm'")
            count = iter(range(1000))
            respond = lambda _, error=error, count=count: error if next(count) == 20 else None   # noqa: E731
            self.assertEqual(self.scripted("PutItem", respond, "INSERT INTO far SELECT 'm', g FROM generate_series(1, 40) g"), (40, []))
            self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 'm'"), 40)

    def test_equal_rows_of_one_statement(self):
        """The repetition finds an equal item: it is not its own, if the statement has inserted this row before."""
        row, skip, note = "INSERT INTO {t} VALUES ('e', 1, 'x')", " ON CONFLICT DO NOTHING", "{t}.note || 'z'"
        for nth, sql in ((2, f"{row}, ('e', 1, 'x')"), (2, f"{row}, ('e', 1, 'x'){skip}"), (3, f"{row}, ('e', 2, 'x'), ('e', 1, 'x'), ('e', 3, 'x'){skip}"),
                         (2, f"WITH a AS ({row}) {row}"), (2, f"{row}, ('e', 1, 'x') ON CONFLICT (id, n) DO UPDATE SET note = {note}"),
                         (2, f"DO $$ BEGIN {row}, ('e', 1, 'x'); EXCEPTION WHEN unique_violation THEN RAISE division_by_zero; END $$")):
            for error in (self.lost(), self.after(), replies.internal_error()):
                with self.subTest(sql):
                    self.fx.execute("DELETE FROM far WHERE id = 'e'; DELETE FROM near WHERE id = 'e'")
                    local = self.outcome(sql.replace("{t}", "near"))
                    self.assertEqual(self.scripted("PutItem", [None] * (nth - 1) + [error], sql.replace("{t}", "far")), local)
                    if not isinstance(local, str):
                        self.assertEqual(len(self.sent), nth + 1 + ("'e', 3" in sql))
                        self.assertSameTables(sql)
        self.fx.execute("DELETE FROM far WHERE id = 'e'")
        with self.assertRaises(psycopg2.errors.UniqueViolation), self.fx.conn.cursor() as cursor:
            self.fx.proxy.on("PutItem", [None, self.lost()])
            self.addCleanup(self.fx.proxy.reset, scripts=True)
            cursor.copy_expert("COPY far (id, n) FROM STDIN", io.StringIO("e\t1\ne\t1\n"))

    def test_own_row_of_a_nested_statement(self):
        """A function updates or deletes a row that the statement has inserted; the statement's own lost attempts stay its own."""
        for table in ("far", "near"):
            self.fx.execute(f"CREATE FUNCTION again_{table}() RETURNS text LANGUAGE sql AS $$ INSERT INTO {table} VALUES ('w', 1, 'inner')"
                            " ON CONFLICT (id, n) DO UPDATE SET note = 'inner'; SELECT 'x' $$;"
                            f"CREATE FUNCTION gone_{table}() RETURNS int LANGUAGE sql AS $$ DELETE FROM {table} WHERE id = 'w' AND n = 1; SELECT 1 $$")
        insert = "INSERT INTO {t} SELECT 'w', g, CASE g WHEN 2 THEN again_{t}() END FROM generate_series(1, 2) g"
        for script, sql in (([self.lost()], insert), ([self.lost()], insert + " ON CONFLICT DO NOTHING"),
                            ([None, self.lost()], "INSERT INTO {t} SELECT 'w', CASE g WHEN 2 THEN gone_{t}() ELSE 1 END FROM generate_series(1, 2) g")):
            with self.subTest(sql):
                self.fx.execute("DELETE FROM far WHERE id = 'w'; DELETE FROM near WHERE id = 'w'")
                self.assertEqual(self.scripted("PutItem", script, sql.replace("{t}", "far")), self.outcome(sql.replace("{t}", "near")))
                self.assertSameTables(sql)

    def test_equal_rows_of_two_statements(self):
        """Another session may have deleted the row between them."""
        row = "INSERT INTO far VALUES ('e', 1, 'x')"
        for error in (self.lost(), self.after()):
            self.fx.execute(f"DELETE FROM far WHERE id = 'e'; {row}")
            self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("items"), "Key": {"id": {"S": "e"}, "n": {"N": "1"}}})
            self.assertEqual(self.scripted("PutItem", [error], row), (1, []))
            self.assertEqual(len(self.sent), 2)

    def test_update_of_constants(self):
        for error in (self.lost(), self.after(), replies.internal_error()):
            self.fx.execute(f"UPDATE far SET note = 'one', total = 1 {self.ONE}")
            self.assertEqual(self.scripted("UpdateItem", [error], f"UPDATE far SET note = 'new' {self.ONE}"), (1, []))
            self.assertEqual(self.fx.value(f"SELECT note FROM far {self.ONE}"), "new")
            self.fx.execute(f"UPDATE far SET note = 'one' {self.ONE}")
            self.assertEqual(self.scripted("UpdateItem", [error], f"UPDATE far SET note = 'new' {self.ONE} AND note = 'one'"), (1, []))

    def test_H01_repeated_update_of_what_was_read(self):
        """Never twice; if it cannot be decided, 08007."""
        self.fx.execute(f"UPDATE far SET total = 1 {self.ONE}")
        self.assertEqual(self.scripted("UpdateItem", [replies.internal_error()], f"UPDATE far SET total = total + 1 {self.ONE}"), (1, []))
        for error in (self.lost(), self.after()):
            self.fx.execute(f"UPDATE far SET total = 1 {self.ONE}")
            self.assertEqual(self.scripted("UpdateItem", [error], f"UPDATE far SET total = total + 1 {self.ONE}"), "08007")
            self.assertEqual(self.fx.value(f"SELECT total FROM far {self.ONE}"), 2)

    def test_repeated_upsert(self):
        """If another writer may have changed the row that was inserted, its update is not executed on top, but 08007."""
        upsert = "INSERT INTO far (id, n, total) VALUES ('h', 1, 1) ON CONFLICT (id, n) DO UPDATE SET "
        for action, outcome, total in (("total = far.total + 1", "08007", 5), ("total = 7 WHERE far.total > 0", "08007", 5),
                                       ("total = 7 WHERE far.total < 0", "08007", 5), ("total = 7", (1, []), 7)):
            for error in (self.lost(), self.after()):
                responses = iter((lambda error=error: error, lambda: self.put_raw({"id": {"S": "h"}, "n": {"N": "1"}, "total": {"N": "5"}})))
                self.fx.execute("DELETE FROM far WHERE id = 'h'")
                with self.subTest(action):
                    self.assertEqual(self.scripted("PutItem", lambda _, responses=responses: next(responses)(), upsert + action), outcome)
                    self.assertEqual(self.fx.rows("SELECT total::int FROM far WHERE id = 'h'"), [(total,)])
        self.assertEqual(self.scripted("PutItem", [self.lost()], upsert + "total = far.total + 1"), "08007")
        self.fx.execute("UPDATE far SET total = 1 WHERE id = 'h'")
        self.assertEqual(self.scripted("PutItem", [None], upsert + "total = far.total + 1"), (1, []))
        self.assertEqual(self.fx.value("SELECT total FROM far WHERE id = 'h'"), 2)

    def test_repeated_upsert_finds_an_equal_item(self):
        """It was inserted by the first attempt, or was there before: 08007 if only in the second case DO UPDATE changes it."""
        upsert = "INSERT INTO far (id, n, total) VALUES ('h', 1, 1) ON CONFLICT (id, n) DO UPDATE SET "
        for action, outcome in (("total = far.total + 1", "08007"), ("total = 7", "08007"), ("total = EXCLUDED.total", (1, [])),
                                ("total = greatest(far.total, EXCLUDED.total)", (1, [])), ("total = 7 WHERE far.total > 5", (1, []))):
            for error, before in ((self.lost(), None), (self.after(), None), (replies.internal_error(), 1)):
                with self.subTest(action):
                    self.fx.execute("DELETE FROM far WHERE id = 'h'")
                    if before:
                        self.fx.execute("INSERT INTO far (id, n, total) VALUES ('h', 1, 1)")
                    self.assertEqual(self.scripted("PutItem", [error], upsert + action), outcome)
                    self.assertEqual(self.fx.rows("SELECT total::int FROM far WHERE id = 'h'"), [(1,)])

    def between(self, operation, error, change, sql):
        """The outcome of a statement whose first request of an operation gets an error, and `change` is made before the second."""
        responses = iter((lambda: error, change))
        return self.scripted(operation, lambda _: next(responses, lambda: None)(), sql)

    def test_changed_between_attempts(self):
        """A repetition does not replace or delete what another writer has stored after the first attempt."""
        other = lambda: self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "other"}, "total": {"N": "1.5"}})   # noqa: E731
        gone = lambda: self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("items"), "Key": {"id": {"S": "a"}, "n": {"N": "1"}}})   # noqa: E731
        for operation, sql, change, left in (
                ("UpdateItem", f"UPDATE far SET note = 'new' {self.ONE} AND total > 0", other, "other"),
                ("UpdateItem", f"UPDATE far SET note = 'total ' || total {self.ONE}", other, "other"),
                ("UpdateItem", f"UPDATE far SET note = 'new' {self.ONE} RETURNING n", other, "other"),
                ("DeleteItem", f"DELETE FROM far {self.ONE} AND total > 0 RETURNING note", other, "other"),
                ("UpdateItem", "INSERT INTO far VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'new'", other, "other"),
                ("UpdateItem", "INSERT INTO far VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'new'", gone, None)):
            for error in (self.lost(), self.after(), replies.internal_error()):
                with self.subTest(sql, change=left):
                    self.setUp()
                    self.assertEqual(self.between(operation, error, change, sql), "08007")
                    self.assertEqual(self.fx.value(f"SELECT max(note) FROM far {self.ONE}"), left)

    def test_unchanged_between_attempts(self):
        """A repetition finds the assigned values, also if they were computed from others, or in a map that the write has created."""
        self.fx.foreign_table("deep", "id text NOT NULL, n int NOT NULL, total numeric, city text OPTIONS (path 'address.city')",
                              table_name=self.fx.remote("items"), updatable="true")
        for sql in (f"UPDATE far SET note = 'total ' || total {self.ONE}", f"UPDATE deep SET city = 'total ' || total {self.ONE}",
                    f"UPDATE far SET note = NULL, flag = NULL, at = NULL {self.ONE} AND total > 0"):
            for error in (self.lost(), self.after(), replies.internal_error()):
                with self.subTest(sql):
                    self.setUp()
                    responses = iter([None, error] if "deep" in sql else [error])
                    self.assertEqual(self.scripted("UpdateItem", lambda _, responses=responses: next(responses, None), sql), (1, []))
                    self.assertEqual(self.item("a", 1).get("address" if "deep" in sql else "note"),
                                     {"M": {"city": {"S": "total 1.5"}}} if "deep" in sql else {"S": "total 1.5"} if "||" in sql else None)

    def test_wide_update(self):
        """A repetition compares up to 100 columns."""
        self.fx.foreign_table("wide", "id text NOT NULL, n int NOT NULL, total numeric, " + ", ".join(f"column_{i} int" for i in range(101)),
                              table_name=self.fx.remote("items"), updatable="true")
        for columns, outcome in ((99, (1, [])), (100, "08007")):
            assigned = ", ".join(f"column_{i} = {columns}" for i in range(columns))
            self.assertEqual(self.scripted("UpdateItem", [replies.internal_error()], f"UPDATE wide SET {assigned} {self.ONE} AND total > 0"), outcome)

    def test_update_of_many_maps(self):
        """The condition of the repetition would be too long for DynamoDB."""
        self.fx.foreign_table("maps", "id text NOT NULL, n int NOT NULL, total numeric, " + ", ".join(f"c{i} int OPTIONS (path 'm{i}.c')" for i in range(90)),
                              table_name=self.fx.remote("items"), updatable="true")
        for columns, outcome in ((60, (1, [])), (90, "08007")):
            self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "total": {"N": "1"}, **{f"m{i}": {"M": {}} for i in range(90)}})
            assigned = ", ".join(f"c{i} = {columns}" for i in range(columns))
            self.assertEqual(self.scripted("UpdateItem", [replies.internal_error()], f"UPDATE maps SET {assigned} {self.ONE} AND total > 0"), outcome)

    def test_delete(self):
        for error in (self.lost(), self.after(), replies.internal_error()):
            self.fx.execute("INSERT INTO far VALUES ('d', 1) ON CONFLICT DO NOTHING")
            self.assertEqual(self.scripted("DeleteItem", [error], "DELETE FROM far WHERE id = 'd'"), (1, []))
            self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 'd'"), 0)

    def test_returning(self):
        """RETURNING shows the row, although no response to the write contains it."""
        for operation, sql in (("DeleteItem", f"DELETE FROM {{t}} {self.ONE} RETURNING *, note || 'x'"),
                               ("UpdateItem", "UPDATE {t} SET flag = true WHERE n = 2 RETURNING *"),
                               ("UpdateItem", "INSERT INTO {t} AS t VALUES ('c', 7, 'other') ON CONFLICT (id, n) DO UPDATE SET flag = false RETURNING t.*, t.tableoid::regclass::text = 'x'")):
            for error in (self.lost(), self.after()):
                self.setUp()
                with self.subTest(sql):
                    local = self.outcome(sql.replace("{t}", "near"))
                    self.assertEqual(self.scripted(operation, [error], sql.replace("{t}", "far")), local)
                    self.assertEqual(len(self.sent), 2)
                    self.assertSameTables()

    def test_refused_after_it_was_lost(self):
        """The last response does not show what has become of the first attempt."""
        denied = replies.error("AccessDeniedException", "User is not authorized to perform: dynamodb:PutItem")
        self.fx.execute("DELETE FROM far WHERE id = 'x'")
        del self.fx.conn.notices[:]
        self.assertEqual(self.scripted("PutItem", [self.lost(), denied], "INSERT INTO far VALUES ('x', 1)"), "08007")
        self.assertEqual(self.warning(), ["WARNING: up to 1 item may have been written to DynamoDB, and is not rolled back"])
        self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 'x'"), 1)
        for responses, warnings in (([replies.internal_error()], 1), ([], 0)):
            del self.fx.conn.notices[:]
            self.assertEqual(self.scripted("PutItem", responses, "INSERT INTO far VALUES ('a', 1)"), "23505")
            self.assertEqual(len(self.warning()), warnings)

    def test_other_encoding_after_an_error(self):
        """The repetition fails only because of the encoding that another application has stored."""
        for sql in ("UPDATE far SET flag = NOT flag WHERE id = 'raw'", "DELETE FROM far WHERE id = 'raw' AND flag"):
            self.put_raw({"id": {"S": "raw"}, "n": {"N": "1"}, "flag": {"S": "Y"}})
            self.assertEqual(self.scripted("UpdateItem" if "UPDATE" in sql else "DeleteItem", [replies.internal_error()], sql)[0], 1)

    def test_responses_of_others(self):
        """A 200 that is not evidence is not counted: the write is repeated, and found to be done."""
        table = self.fx.remote("items")
        for wrong in (replies.reply({}), replies.written("another"), replies.reply({"Item": {}}), replies.reply({"Items": [], "Count": 0})):
            self.fx.execute("DELETE FROM far WHERE id = 'w'")
            self.assertEqual(self.scripted("PutItem", [replies.executed(wrong)], "INSERT INTO far VALUES ('w', 1)"), (1, []))
            self.assertEqual(len(self.sent), 2)
        self.assertEqual(self.scripted("PutItem", lambda _: replies.reply({}), "INSERT INTO far VALUES ('v', 1)"), "08007")
        self.assertEqual(self.scripted("PutItem", [replies.written(table)], "INSERT INTO far VALUES ('v', 2)"), (1, []))

    def test_H04_late_second_response(self):
        """The response to a write comes once more, before or in place of that to the next, which fails: it is not evidence of that one."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency)")
        twice, earlier = replies.Executed(lambda reply: replies.respond_twice(reply, 0)), lambda reply: replies.after_earlier(reply, 1)
        for late in (False, True):
            with self.subTest(late=late):
                self.fx.execute("DELETE FROM far WHERE id = 'l'; INSERT INTO far VALUES ('l', 2, 'before')")
                responses = [None, replies.Executed(earlier)] if late else [twice]
                self.assertEqual(self.scripted("PutItem", responses, "INSERT INTO far SELECT 'l', g, 'new' FROM generate_series(1, 2) g"), "23505")
                self.assertEqual(self.fx.rows("SELECT n, note FROM far WHERE id = 'l' ORDER BY n"), [(1, "new"), (2, "before")])
                # the second update is executed only when it is sent again
                responses = [None, earlier(replies.conflict())] if late else [twice, replies.conflict()]
                self.assertEqual(self.scripted("UpdateItem", responses, "UPDATE far SET note = note || '!' WHERE id = 'l'"), (2, []))
                self.assertEqual(len(self.sent), 3)
                self.assertEqual(self.fx.rows("SELECT n, note FROM far WHERE id = 'l' ORDER BY n"), [(1, "new!"), (2, "before!")])

    def test_always_unknown(self):
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_attempts '2')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_attempts)")
        del self.fx.conn.notices[:]
        self.assertEqual(self.scripted("PutItem", lambda _: replies.internal_error(), "INSERT INTO far VALUES ('u', 1)"), "08007")
        self.assertIn("may have been written", self.warning()[0])

    def test_throttled(self):
        """Throttled writes are sent again, each once."""
        count = iter(range(1000))
        respond = lambda _: replies.throttle() if next(count) % 3 == 1 else None    # noqa: E731
        self.assertEqual(self.scripted("PutItem", respond, "INSERT INTO far SELECT 't', g FROM generate_series(1, 30) g"), (30, []))
        self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 't'"), 30)

    def test_throttled_between_failed_conditions(self):
        """A write whose condition fails was executed: the throttling before it has ended."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD throttle_timeout '1'); INSERT INTO far SELECT 't', g FROM generate_series(1, 60) g")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP throttle_timeout)")
        count = iter(range(1000))
        respond = lambda _: replies.throttle() if next(count) in (0, 50) else None    # noqa: E731
        self.assertEqual(self.scripted("PutItem", respond, "INSERT INTO far SELECT 't', g FROM generate_series(1, 60) g ON CONFLICT DO NOTHING"), (0, []))
        self.assertEqual(len(self.sent), 62)

    def test_throttled_between_canceled_transactions(self):
        """A transaction whose conditions fail was evaluated, too."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD throttle_timeout '1'); SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP throttle_timeout); RESET dynamo_fdw.write_mode")
        count = iter(range(1000))
        respond = lambda _: replies.throttle() if next(count) in (0, 2) else None    # noqa: E731
        self.assertEqual(self.scripted("TransactWriteItems", respond, "INSERT INTO far VALUES ('a', 1), ('t', 1) ON CONFLICT DO NOTHING"), (1, []))
        self.assertEqual(len(self.sent), 4)

    def test_stopped_before_the_first_attempt(self):
        """Nothing was sent, so nothing may have been written."""
        with fixture.FakeDynamo() as fake:
            self.fx.server("closed", fake.endpoint, max_idle_connections="0")
            self.addCleanup(self.fx.execute, "RESET statement_timeout; DROP SERVER closed CASCADE")
            fake.table("gone")
            self.fx.foreign_table("gone", "pk text NOT NULL", server="closed", updatable="true")
            self.fx.rows("SELECT * FROM gone WHERE pk = 'a'")
        self.fx.execute("SET statement_timeout = 300")
        del self.fx.conn.notices[:]
        self.assertIn(self.outcome("INSERT INTO gone VALUES ('a')"), ("57014", "HV00N"))     # all attempts may end within that time
        self.assertEqual(self.warning(), [])
        full = FullListener(fake.port)     # while it connects
        self.addCleanup(full.close)
        self.assertEqual(self.outcome("INSERT INTO gone VALUES ('a')"), "57014")
        self.assertEqual(self.warning(), [])

    def test_functions_that_read(self):
        """A function that the statement calls finds the rows before, even if their first attempts were not executed."""
        self.fx.execute("CREATE OR REPLACE FUNCTION next_far() RETURNS int LANGUAGE plpgsql AS "
                        "$$ BEGIN RETURN (SELECT coalesce(max(n), 0) + 1 FROM far WHERE id = 'v'); END $$")
        sql = "INSERT INTO far SELECT 'v', next_far() FROM generate_series(1, 8)"
        for error in (replies.throttle(), replies.internal_error(), self.lost(), self.after()):
            self.fx.execute("DELETE FROM far WHERE id = 'v'")
            count = iter(range(1000))
            respond = lambda _, error=error, count=count: error if next(count) % 2 == 0 else None   # noqa: E731
            self.assertEqual(self.scripted("PutItem", respond, sql), (8, []))
            self.assertEqual(self.fx.rows("SELECT n FROM far WHERE id = 'v' ORDER BY n"), [(n,) for n in range(1, 9)])
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD throttle_timeout '300')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP throttle_timeout)")
        self.fx.execute("DELETE FROM far WHERE id = 'v'")
        caught = sql.replace("next_far()", "caught_far()")
        self.fx.execute("CREATE OR REPLACE FUNCTION caught_far() RETURNS int LANGUAGE plpgsql AS "
                        "$$ BEGIN RETURN next_far(); EXCEPTION WHEN OTHERS THEN RETURN 77; END $$")
        for statement in (sql, caught, f"DO $$BEGIN {caught}; END$$"):
            count = iter(range(1000))
            respond = lambda _, count=count: replies.throttle() if next(count) > 0 else None   # noqa: E731
            self.assertEqual(self.scripted("PutItem", respond, statement), "53400")
            self.fx.execute("DELETE FROM far WHERE id = 'v'")

    def test_denied(self):
        denied = replies.error("AccessDeniedException", "User is not authorized to perform: dynamodb:PutItem")
        self.assertEqual(self.scripted("PutItem", lambda _: denied, "INSERT INTO far VALUES ('x', 1)"), "42501")

    def test_error_in_the_middle(self):
        """The WARNING counts exactly: others in flight are awaited."""
        del self.fx.conn.notices[:]
        self.assertEqual(self.outcome("INSERT INTO far SELECT CASE g WHEN 20 THEN 'a' ELSE 'e' END, CASE g WHEN 20 THEN 1 ELSE g END"
                                      " FROM generate_series(1, 40) g"), "23505")
        written = self.fx.value("SELECT count(*) FROM far WHERE id = 'e'")
        self.assertEqual(self.warning(), [f"WARNING: {written} items written to DynamoDB are not rolled back DETAIL: far: {written} inserted."])

    def test_H03_responses_while_the_source_is_slow(self):
        """The source is slower than request_timeout; responses are there when it goes on."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD request_timeout '500')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP request_timeout)")
        self.assertEqual(self.scripted("PutItem", lambda _: None, "INSERT INTO far SELECT 's', g FROM generate_series(1, 3) g, pg_sleep(g * 0 + 0.8)"), (3, []))
        self.assertEqual(len(self.sent), 3)

    def test_H03_copy_that_pauses(self):
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD request_timeout '500')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP request_timeout)")

        class Slow(io.StringIO):
            def read(self, size=-1):
                threading.Event().wait(0.8)
                return super().read(12)

        self.fx.proxy.reset()
        with self.fx.conn.cursor() as cursor:
            cursor.copy_expert("COPY far (id, n) FROM STDIN", Slow("p\t1\np\t2\np\t3\n"), size=12)
            self.assertEqual(cursor.rowcount, 3)
        self.assertEqual(self.fx.proxy.operations().count("PutItem"), 3)

    def test_cancel(self):
        """What is in flight may have been written; the WARNING reports it, also for statements of functions."""
        sql = "INSERT INTO far SELECT 'c', g FROM generate_series(1, 10) g"
        for statement in (sql, f"DO $$BEGIN {sql}; END$$", f"CREATE FUNCTION pg_temp.f() RETURNS void LANGUAGE sql AS $${sql}$$; SELECT pg_temp.f()"):
            with self.subTest(statement):
                del self.fx.conn.notices[:]
                self.fx.proxy.hold(lambda r: r.operation == "PutItem", lambda requests: False, bound=3)
                timer = threading.Timer(1.0, self.fx.conn.cancel)
                timer.start()
                self.assertEqual(self.outcome(statement), "57014")
                self.fx.proxy.reset()
                self.assertEqual(self.warning(), ["WARNING: up to 10 items may have been written to DynamoDB, and are not rolled back"])
                self.fx.execute("DELETE FROM far WHERE id = 'c'")

    def test_caught_exception(self):
        """Each count once: what a caught exception leaves is not counted again."""
        del self.fx.conn.notices[:]
        self.outcome("BEGIN; INSERT INTO far VALUES ('o', 1); SAVEPOINT s; INSERT INTO far VALUES ('o', 2); SAVEPOINT t; INSERT INTO far VALUES ('o', 3);"
                     " RELEASE t; ROLLBACK TO s; INSERT INTO far VALUES ('o', 4); ROLLBACK")
        self.assertEqual([notice.split()[1] for notice in self.warning()], ["2", "1", "1"])

    def test_one_at_a_time(self):
        """The writer may always send one request, whatever scans have in flight."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency)")
        self.fx.create_table("source", ("id", "S"), ("n", "N"))
        self.fx.put("source", [{"id": f"k{n % 7}", "n": n, "note": "x" * 1000} for n in range(200)])
        self.fx.foreign_table("source", "id text, n int, note text", scan_policy="allow", fetch_size="10")
        self.assertEqual(self.outcome("INSERT INTO far SELECT id, n, note FROM source"), (200, []))

    def test_terminated(self):
        """A backend that is terminated leaves nothing that others would wait for."""
        other = self.fx.connect()
        self.fx.proxy.hold(lambda r: r.operation == "PutItem", lambda requests: False, bound=2)
        thread = threading.Thread(target=self.expect_end, args=(other,))
        thread.start()
        while "PutItem" not in self.fx.proxy.operations():
            threading.Event().wait(0.05)
        self.fx.execute("SELECT pg_terminate_backend(%s)", (other.info.backend_pid,))
        thread.join(30)
        self.fx.proxy.reset()
        self.assertEqual(self.outcome("INSERT INTO far VALUES ('after', 1)"), (1, []))

    def expect_end(self, connection):
        """A statement that its server does not survive."""
        try:
            connection.cursor().execute("INSERT INTO far VALUES ('gone', 1)")
        except fixture.psycopg2.Error:
            pass


class Atomic(ErrorsCase):
    """A transaction is sent again with the same token, and executed once."""

    TWO = "INSERT INTO far VALUES ('t', 1), ('t', 2)"

    def setUp(self):
        super().setUp()
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")

    def insert(self, responses):
        """The outcome of inserting two rows, which were not there before, and the tokens that were sent."""
        self.fx.execute("DELETE FROM far WHERE id = 't'")
        del self.fx.conn.notices[:]
        self.fx.proxy.reset()
        self.fx.proxy.on("TransactWriteItems", responses)
        outcome = self.outcome(self.TWO)
        tokens = [r.body["ClientRequestToken"] for r in self.fx.proxy.requests if r.operation == "TransactWriteItems"]
        self.fx.proxy.reset(scripts=True)
        return outcome, tokens

    def many(self):
        """The number of rows, without a warning."""
        self.assertEqual(self.warning(), [])
        return self.fx.value("SELECT count(*) FROM far WHERE id = 't'")

    def test_sent_again(self):
        for error in (self.lost(), self.after(), replies.internal_error(), replies.executed(replies.reply({})), replies.executed(replies.written("another")),
                      replies.error("TransactionInProgressException"), replies.throttle(), replies.canceled("TransactionConflict", "None"),
                      replies.canceled("None", "ThrottlingError"), replies.canceled("ProvisionedThroughputExceeded", "TransactionConflict")):
            with self.subTest(error=error):
                outcome, tokens = self.insert([error, error])
                self.assertEqual((outcome, len(tokens), len(set(tokens)), self.many()), ((2, []), 3, 1, 2))

    def test_reasons_of_several_kinds(self):
        """A failed condition decides before a conflict, and an error that would occur again before throttling."""
        self.fx.execute("INSERT INTO far VALUES ('k', 1)")
        sql = "INSERT INTO far VALUES ('k', 1), ('k', 2) ON CONFLICT DO NOTHING"
        mixed = replies.canceled("ConditionalCheckFailed", "TransactionConflict")
        self.assertEqual(self.scripted("TransactWriteItems", [mixed], sql), (1, []))
        self.assertEqual(self.scripted("TransactWriteItems", [mixed], self.TWO), "23505")
        for codes, sqlstate in ((("ThrottlingError", "ValidationError"), "HV000"), (("TransactionConflict", "ItemCollectionSizeLimitExceeded"), "54000")):
            self.fx.proxy.on("TransactWriteItems", [replies.canceled(*codes)])
            error = self.fx.error("INSERT INTO far VALUES ('v', 1), ('v', 2)")
            self.assertEqual(error.sqlstate, sqlstate)
            self.assertIn(f"ecause of {codes[1]}", error.detail)

    def test_conflict_without_end(self):
        outcome, tokens = self.insert(lambda _: replies.canceled("TransactionConflict", "None"))
        self.assertEqual((outcome, len(set(tokens)), self.many()), ("40001", 1, 0))
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD throttle_timeout '300')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP throttle_timeout)")
        self.assertEqual((self.insert(lambda _: replies.canceled("ThrottlingError", "None"))[0], self.many()), ("53400", 0))

    def test_unknown(self):
        """All responses are lost, or the last one does not show what has become of the first attempt."""
        denied = replies.error("AccessDeniedException", "no")
        for responses in (lambda _: self.lost(), [self.lost(), denied], lambda _: replies.executed(replies.reply({}))):
            self.assertEqual(self.insert(responses)[0], "08007")
            self.assertEqual(self.warning(), ["WARNING: up to 2 items may have been written to DynamoDB, and are not rolled back"])
            self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 't'"), 2)

    def test_cancel(self):
        """Also in a function, whose memory lives longer than the statement."""
        self.fx.execute(f"CREATE FUNCTION two() RETURNS void LANGUAGE sql AS $$ {self.TWO} $$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION two()")
        for sql in (self.TWO, "SELECT two()", f"DO $$ BEGIN {self.TWO}; END $$", f"BEGIN; SAVEPOINT s; {self.TWO}"):
            for mode, operation in (("atomic", "TransactWriteItems"), ("immediate", "PutItem")):
                with self.subTest(sql=sql, mode=mode):
                    self.fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
                    del self.fx.conn.notices[:]
                    self.fx.proxy.hold(lambda r, operation=operation: r.operation == operation, lambda requests: False, bound=3)
                    timer = threading.Timer(0.5, self.fx.conn.cancel)
                    timer.start()
                    self.assertEqual(self.outcome(sql), "57014")
                    self.fx.execute("ROLLBACK")
                    self.fx.proxy.reset()
                    self.assertEqual(self.warning(), ["WARNING: up to 2 items may have been written to DynamoDB, and are not rolled back"])

    def test_own_writes_are_found(self):
        """The tables of all writes are read consistently."""
        self.fx.create_table("other", ("id", "S"))
        self.fx.foreign_table("other", "id text NOT NULL", updatable="on")
        other = self.fx.connect()
        with other.cursor() as cursor:
            cursor.execute("SET dynamo_fdw.write_mode = 'atomic'")
            self.fx.proxy.reset()
            cursor.execute("WITH a AS (INSERT INTO far VALUES ('own', 1)) INSERT INTO other VALUES ('own')")
            for table in ("far", "other"):
                cursor.execute(f"SELECT * FROM {table} WHERE id = 'own'")
        self.assertEqual([r.body.get("ConsistentRead") for r in self.fx.proxy.requests if r.operation in ("Query", "GetItem")], [True, True])

    def test_explain(self):
        shown = self.fx.explain("INSERT INTO far VALUES ('e', 1), ('e', 2)", "ANALYZE")
        self.assertRegex(shown, "Requests: 1  Items Written: 2 .* Retries: 0")
