"""Statements that wait for credentials: however little happens in the meantime, and however short they are."""
import threading
import time

import aws_machine
from aws_machine import ROLE
from replies import delay, throttle


class Container(aws_machine.TestCase):
    """One that a container requests, over and over: their life is short."""

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_CONTAINER_CREDENTIALS_FULL_URI": cls.identity.url + "task"}

    def begin(self, lifetime):
        """A session that has the first credentials, and plans."""
        self.identity.lifetime = lifetime
        self.mapping(credential_provider="container")
        self.rows("SELECT * FROM t")

    def read_until(self, end):
        """Run short statements up to a time; how many."""
        n = 0
        while time.monotonic() < end:
            self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
            n += 1
            time.sleep(0.02)
        return n


class Short(Container):
    """Statements that end before the source can have processed."""

    def test_a_refresh_that_takes_long(self):
        """It comes to its end while the old ones serve, and is not begun by each statement."""
        now = time.monotonic()
        self.begin(8)
        respond = self.identity.respond

        def slow(request):
            time.sleep(0.3)
            return respond(request)
        self.identity.respond = slow
        self.addCleanup(lambda: setattr(self.identity, "respond", respond))
        self.identity.lifetime = 3600
        self.assertGreater(self.read_until(now + 6.5), 50)
        self.assertEqual(len(self.dynamo.keys()), 2)
        self.assertLess(len(self.identity.of("container")), 5)

    def test_a_refresh_that_hangs(self):
        """The old ones serve; a few statements wait for a while, and soon most do not."""
        now = time.monotonic()
        self.begin(12)
        self.identity.responses["container"] = [None] * 10
        self.assertGreater(self.read_until(now + 11), 50)
        self.assertEqual(len(self.dynamo.keys()), 1)
        self.assertIn(len(self.identity.of("container")), (2, 3, 4))

    def test_whoami_and_a_source_that_hangs(self):
        """Nothing else is under way then."""
        self.identity.responses["container"] = [None] * 3
        self.mapping(credential_provider="container")
        failure = self.error("SELECT * FROM dynamo_fdw_credentials('s')")
        self.assertEqual(failure.sqlstate, "28000")
        self.assertIn("imeout", failure.detail + failure.message)


    def test_throttled_before_a_refresh_that_hangs(self):
        """A request whose repetition waits for credentials when its statement ends is canceled, not only retried."""
        self.begin(3)
        self.identity.responses["container"] = [None] * 20
        counts = "SELECT scan, requests, retries, throttles, canceled, errors FROM dynamo_fdw_statistics JOIN pg_foreign_server f ON f.oid = serverid " \
            "WHERE f.srvname = 's' AND scan > 0"
        (before,) = self.rows(counts)
        self.dynamo.reset()
        self.dynamo.on("Scan", delay(3.2, throttle()))
        self.addCleanup(self.dynamo.reset, scripts=True)
        self.rows("SET statement_timeout = '4s'")
        self.assertEqual(self.error("SELECT * FROM t").sqlstate, "57014")
        self.rows("RESET statement_timeout")
        self.assertEqual(self.dynamo.operations(), ["Scan"])
        (after,) = self.rows(counts)
        self.assertEqual([now - then for now, then in zip(after, before)], [1, 1, 0, 1, 1, 0])


class Cursors(Container):
    """What waits for credentials when a transaction goes another way."""

    def setUp(self):
        super().setUp()
        self.items = [{"pk": {"S": f"k{n:03}"}, "n": {"N": str(n)}} for n in range(60)]
        self.dynamo.table("big", items=self.items)
        self.mapping(credential_provider="container", server={"fetch_size": 10})
        self.admin("DROP SERVER IF EXISTS other CASCADE")
        self.admin("CREATE FOREIGN TABLE big (pk text, n int) SERVER s", f"GRANT SELECT ON big TO {self.user}",
                   f"CREATE SERVER other FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.dynamo.endpoint}', "
                   "region 'eu-west-1', scan_policy 'allow')",
                   f"GRANT USAGE ON FOREIGN SERVER other TO {self.user}",
                   f"CREATE USER MAPPING FOR {self.user} SERVER other OPTIONS (access_key_id 'AKIDOTHER', secret_access_key 's')",
                   "CREATE FOREIGN TABLE others (pk text, n int) SERVER other OPTIONS (table_name 'big')",
                   f"GRANT SELECT ON others TO {self.user}")
        self.dynamo.known["AKIDOTHER"] = None
        self.conn.autocommit = False

    def open(self, name, table="big"):
        """A cursor that has read its first rows."""
        self.rows(f"DECLARE {name} CURSOR FOR SELECT n FROM {table}")
        return self.rows(f"FETCH 5 FROM {name}")

    def cancel_in(self, seconds):
        timer = threading.Timer(seconds, self.conn.cancel)
        timer.start()
        self.addCleanup(timer.cancel)

    def expire_and_hang(self):
        """From now on, keys are refused, and the source does not respond."""
        self.dynamo.expire()
        self.identity.responses["container"] = [None] * 20

    def check_others(self):
        began = time.monotonic()
        self.assertEqual(self.rows("SELECT count(*) FROM others"), [(60,)])
        self.assertLess(time.monotonic() - began, 5)

    def test_a_savepoint_and_another_server(self):
        """One cursor waits for ever; what it began does not block others, and the other cursor goes on when there are keys again."""
        self.open("one")
        self.open("two")
        self.open("three", "others")
        self.expire_and_hang()
        self.rows("SAVEPOINT a")
        self.cancel_in(1)
        self.assertEqual(self.error("FETCH ALL FROM one").sqlstate, "57014")
        self.rows("ROLLBACK TO a")
        self.check_others()
        self.assertEqual(len(self.rows("FETCH 30 FROM three")), 30)
        self.identity.responses["container"] = []
        self.rows("CLOSE one")
        self.assertEqual(len(self.rows("FETCH ALL FROM two")), 55)
        self.assertEqual(len(self.rows("FETCH ALL FROM three")), 25)
        self.conn.commit()

    def test_a_cursor_within_a_savepoint(self):
        self.rows("SAVEPOINT a")
        self.open("one")
        self.expire_and_hang()
        self.cancel_in(1)
        self.assertEqual(self.error("FETCH ALL FROM one").sqlstate, "57014")
        self.rows("ROLLBACK TO a")
        self.check_others()
        self.identity.responses["container"] = []
        self.assertEqual(self.rows("SELECT count(*) FROM big"), [(60,)])

    def test_disconnect_in_the_meantime(self):
        """A refresh is under way, and its connection is forgotten."""
        self.open("one")
        self.expire_and_hang()
        self.rows("SAVEPOINT a")
        self.cancel_in(1)
        self.assertEqual(self.error("FETCH ALL FROM one").sqlstate, "57014")
        self.rows("ROLLBACK TO a")
        self.rows("SELECT dynamo_fdw_disconnect_all()")
        self.identity.responses["container"] = []
        self.assertEqual(self.rows("SELECT count(*) FROM big"), [(60,)])
        self.check_others()
        self.conn.commit()
        self.assertEqual(self.rows("SELECT count(*) FROM big"), [(60,)])

    def change_while_waiting(self, *statements):
        """While a cursor waits, the superuser does that; the source responses then."""
        self.identity.responses["container"] = []
        self.open("one")
        self.dynamo.expire()
        respond, requested, done = self.identity.respond, threading.Event(), threading.Event()

        def slow(request):
            requested.set()
            done.wait(20)
            return respond(request)
        self.identity.respond = slow
        self.addCleanup(lambda: setattr(self.identity, "respond", respond))

        def change():
            requested.wait(20)
            self.admin(*statements)
            done.set()
        thread = threading.Thread(target=change)
        thread.start()
        try:
            return self.error("FETCH ALL FROM one")
        finally:
            thread.join()
            self.conn.rollback()

    def test_altered_in_the_meantime(self):
        failure = self.change_while_waiting(
            f"ALTER USER MAPPING FOR {self.user} SERVER s OPTIONS (SET credential_provider 'environment')")
        self.assertEqual(failure.sqlstate, "55000")

    def test_dropped_in_the_meantime(self):
        failure = self.change_while_waiting(f"DROP USER MAPPING FOR {self.user} SERVER s")
        self.assertEqual(failure.sqlstate, "42704")
        self.check_others()

    def test_refresh_by_a_slow_client(self):
        """It comes about, though from one FETCH to the next it takes longer than the time limit of a request for credentials."""
        self.identity.lifetime = 8
        self.mapping(server={"fetch_size": 2, "request_timeout": 400}, access_key_id="AKIDOWN", secret_access_key="s", role_arn=ROLE + "r")
        self.admin("CREATE FOREIGN TABLE big (pk text, n int) SERVER s", f"GRANT SELECT ON big TO {self.user}")
        found = self.open("c")
        until = time.monotonic() + 11
        while time.monotonic() < until:
            time.sleep(0.7)
            found += self.rows("FETCH 2 FROM c")
        self.assertEqual(sorted(found + self.rows("FETCH ALL FROM c")), [(n,) for n in range(60)])
        self.assertGreater(len(self.dynamo.keys()), 1)

    def test_two_servers_in_a_statement(self):
        """The one whose source hangs is given up after a while, the other has not waited for it."""
        self.rows("SELECT count(*) FROM big")
        self.expire_and_hang()
        failure = self.error("SELECT n FROM others UNION ALL SELECT n FROM big")
        self.assertEqual(failure.sqlstate, "28000")
        self.conn.rollback()
        self.check_others()


class Gone(Container):
    """The service of credentials has gone: connections to it fail at once."""

    def test_asynchronous_append(self):
        """What fails before anything is waited for is noticed."""
        self.begin(2)
        union = "SELECT * FROM t WHERE pk = 'a' UNION ALL SELECT * FROM t WHERE pk = 'b'"
        self.assertIn("Async Foreign Scan", str(self.rows(f"EXPLAIN {union}")))
        self.identity.close()
        time.sleep(2.1)
        began = time.monotonic()
        timer = threading.Timer(20, self.conn.cancel)
        timer.start()
        self.addCleanup(timer.cancel)
        self.assertEqual(self.error(union).sqlstate, "28000")
        self.assertLess(time.monotonic() - began, 15)
