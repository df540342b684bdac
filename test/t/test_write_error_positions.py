"""Every operation of writes, with every error at the first of forty requests and in the middle; also statements that are ended in the middle.

Each class is one kind of statement that writes forty items. The table must contain exactly what was acknowledged, each item must be
changed once, and the numbers in the WARNING must be those of the table.
"""
import io
import re
import threading

import psycopg2
import replies
import writes

ROWS, WINDOW, MIDDLE = 40, 8, 20

LOST = replies.executed(replies.empty_reply())
ERRORS = {
    "lost": LOST,
    "truncated": replies.executed(replies.truncate_body(0.5, replies.written("x"))),
    "500 after": replies.executed(replies.internal_error()),
    "500 before": replies.internal_error(),
    "proves nothing": replies.executed(replies.reply({})),
    "of another table": replies.executed(replies.written("another")),
    "throttled": replies.throttle(),
    "conflict": replies.conflict(),
}
NOT_EXECUTED = ("500 before", "throttled", "conflict")
# The connection is closed, and the next request may already be on its way on it.
CLOSED = ("proves nothing", "of another table")


class Operation:
    """The tests of one kind of statement. Items are written when their "total" is 1 more than before; 0 if they did not exist."""

    ROWS = ""
    OPERATION, SQL, VERB = None, None, None
    READS = False       # Does the value that is written depend on what was read?
    BEFORE = True       # Do the items exist before?
    LAST_WORDS = True   # Does psycopg2 show the messages of a session that is terminated in the statement?

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute(f"ALTER SERVER ddb OPTIONS (ADD max_concurrency '{WINDOW}')")

    def setUp(self):
        self.fx.proxy.reset(scripts=True)
        super().setUp()
        if self.BEFORE:
            self.fx.execute(f"INSERT INTO far (id, n, total) SELECT 'm', g, 1 FROM generate_series(1, {ROWS}) g")
        self.fx.execute("INSERT INTO far (id, n, total) VALUES ('m', 0, 100), ('l', 1, 100)")
        self.fx.proxy.reset()
        del self.fx.conn.notices[:]

    def run_statement(self, connection):
        """The statement's number of rows."""
        with connection.cursor() as cursor:
            cursor.execute(self.SQL)
            return cursor.rowcount

    def end_of(self, connection):
        """The statement's number of rows, or its SQLSTATE."""
        try:
            return self.run_statement(connection)
        except psycopg2.Error as failure:
            return failure.diag.sqlstate or "08006"
        except SystemError:     # what psycopg2 makes of the end of a COPY
            return "08006"

    def written(self):
        """The number of items that were written; each must be as before or as one execution leaves it."""
        rows = dict(self.fx.rows("SELECT n, total::int FROM far WHERE id = 'm' AND n > 0"))
        self.assertEqual(self.fx.rows("SELECT id, n, total::int FROM far WHERE n = 0 OR id <> 'm' ORDER BY id"), [("l", 1, 100), ("m", 0, 100)])
        if self.VERB == "deleted":
            self.assertLessEqual(set(rows.values()), {1})
            return ROWS - len(rows)
        after = 2 if self.BEFORE else 1
        self.assertLessEqual(set(rows.values()), {1, 2} if self.BEFORE else {1})
        return sum(total == after for total in rows.values())

    def warned(self, connection=None):
        """The numbers of items that the only WARNING reports: those that were written, and those that may have been."""
        notices = [" ".join(notice.split()) for notice in (connection or self.fx.conn).notices]
        [warning] = [notice for notice in notices if "not rolled back" in notice]
        if only := re.fullmatch(r"WARNING: up to (\d+) items? may have been written to DynamoDB, and (?:is|are) not rolled back", warning):
            return 0, int(only[1])
        shown = re.fullmatch(rf"WARNING: (\d+) items? written to DynamoDB (?:is|are) not rolled back DETAIL: far: (\d+) {self.VERB}"
                             r"(?:; up to (\d+) more may have been written)?\.", warning)
        self.assertIsNotNone(shown, warning)
        self.assertEqual(shown[1], shown[2])
        return int(shown[1]), int(shown[3] or 0)

    def sent(self):
        """How often each item's request was sent."""
        times = {}
        for request in self.fx.proxy.requests:
            if request.operation == self.OPERATION:
                key = (request.body.get("Item") or request.body.get("Key"))["n"]["N"]
                times[key] = times.get(key, 0) + 1
        return times

    def test_H04_errors(self):
        """One response of forty is an error."""
        for name, error in ERRORS.items():
            for position in (0, MIDDLE):
                with self.subTest(error=name, position=position):
                    self.setUp()
                    count = iter(range(1000))
                    self.fx.proxy.on(self.OPERATION, lambda _, error=error, position=position, count=count:
                                     error if next(count) == position else None)
                    end = self.end_of(self.fx.conn)
                    sent = self.sent()
                    self.fx.proxy.reset(scripts=True)
                    if self.READS and name not in NOT_EXECUTED:
                        self.assertEqual(end, "08007")
                        done, unknown = self.warned()
                        self.assertIn(unknown, (1, 2) if name in CLOSED else (1,))
                        self.assertIn(self.written() - done, range(1, unknown + 1))
                    else:
                        self.assertEqual((end, self.written(), self.fx.conn.notices), (ROWS, ROWS, []))
                        self.assertEqual((len(sent), set(sent.values())), (ROWS, {1, 2}))

    def stop_in_the_middle(self, connection, stop, executed):
        """The statement's end, if stop() is called when twenty responses are there and the next requests have none."""
        count, silent = iter(range(1000)), []

        def remain_silent(_):
            silent.append(True)
            return replies.hang_before_headers()

        def respond(_):
            if next(count) < MIDDLE:
                return None
            return replies.Executed(remain_silent) if executed else remain_silent(None)
        self.fx.proxy.on(self.OPERATION, respond)
        end = []
        thread = threading.Thread(target=lambda: end.append(self.end_of(connection)))
        thread.start()
        self.wait_for(lambda: len(silent) == WINDOW)
        stop()
        thread.join()
        self.fx.proxy.reset(scripts=True)
        return end[0]

    def wait_for(self, condition):
        """Until it is true; a test that waits in vain fails."""
        for _ in range(1000):
            if condition():
                return
            threading.Event().wait(0.01)
        self.fail("in vain")

    def test_cancel(self):
        """Twenty are confirmed; those in flight were executed, or not."""
        for executed in (True, False):
            with self.subTest(executed=executed):
                self.setUp()
                self.assertEqual(self.stop_in_the_middle(self.fx.conn, self.fx.conn.cancel, executed), "57014")
                self.assertEqual(self.written(), MIDDLE + (WINDOW if executed else 0))
                self.assertEqual(self.warned(), (MIDDLE, WINDOW))

    def test_terminate(self):
        """As if it was canceled; the session's last message is the WARNING."""
        for executed in (True, False):
            with self.subTest(executed=executed):
                self.setUp()
                other = self.fx.connect()
                self.addCleanup(other.close)
                other.cursor().execute("SELECT FROM far WHERE id = 'm' AND n = 0")     # loads the library, for ON CONFLICT
                end = self.stop_in_the_middle(other, lambda other=other: self.fx.execute("SELECT pg_terminate_backend(%s)", (other.info.backend_pid,)),
                                              executed)
                self.assertIn(end, ("57P01", "08006"))
                self.wait_for(lambda other=other: not self.fx.rows("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (other.info.backend_pid,)))
                self.assertEqual(self.written(), MIDDLE + (WINDOW if executed else 0))
                if self.LAST_WORDS:
                    self.assertEqual(self.warned(other), (MIDDLE, WINDOW))


class Insert(Operation, writes.TestCase):
    """INSERT … SELECT."""

    OPERATION, VERB, BEFORE = "PutItem", "inserted", False
    SQL = f"INSERT INTO far (id, n, total) SELECT 'm', g, 1 FROM generate_series(1, {ROWS}) g"


class Copy(Operation, writes.TestCase):
    """COPY FROM."""

    OPERATION, VERB, BEFORE, LAST_WORDS = "PutItem", "inserted", False, False

    def run_statement(self, connection):
        with connection.cursor() as cursor:
            cursor.copy_expert("COPY far (id, n, total) FROM STDIN", io.StringIO("".join(f"m\t{n}\t1\n" for n in range(1, ROWS + 1))))
            return cursor.rowcount


class UpdateConstants(Operation, writes.TestCase):
    """UPDATE with values that do not depend on what was read: a repetition is harmless."""

    OPERATION, VERB = "UpdateItem", "updated"
    SQL = "UPDATE far SET total = 2 WHERE id = 'm' AND n > 0"


class UpdateDerived(Operation, writes.TestCase):
    """UPDATE with values that depend on what was read: never twice."""

    OPERATION, VERB, READS = "UpdateItem", "updated", True
    SQL = "UPDATE far SET total = total + 1 WHERE id = 'm' AND n > 0"


class Upsert(Operation, writes.TestCase):
    """ON CONFLICT DO UPDATE of items that exist."""

    OPERATION, VERB, READS = "UpdateItem", "updated", True
    SQL = f"INSERT INTO far (id, n, total) SELECT 'm', g, 9 FROM generate_series(1, {ROWS}) g ON CONFLICT (id, n) DO UPDATE SET total = far.total + 1"


class Delete(Operation, writes.TestCase):
    """DELETE."""

    OPERATION, VERB = "DeleteItem", "deleted"
    SQL = "DELETE FROM far WHERE id = 'm' AND n > 0"
