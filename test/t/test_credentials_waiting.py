"""Statements that wait for credentials: however little happens meanwhile, and however short they are."""
import threading
import time

import aws_machine


class Container(aws_machine.TestCase):
    """One that a container asks for, over and over: their life is short."""

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_CONTAINER_CREDENTIALS_FULL_URI": cls.identity.url + "task"}

    def begin(self, lifetime):
        """A session that has the first credentials, and plans."""
        self.identity.lifetime = lifetime
        self.mapping(credential_source="container")
        self.rows("SELECT * FROM t")

    def read_until(self, end):
        """Run short statements up to a time; how many."""
        n = 0
        while time.monotonic() < end:
            self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
            n += 1
        return n


class Short(Container):
    """Statements that end before the source can have answered."""

    def test_a_refresh_that_takes_long(self):
        """It comes to its end while the old ones serve, and is not begun by each statement."""
        now = time.monotonic()
        self.begin(8)
        answer = self.identity.answer

        def slow(request):
            time.sleep(0.3)
            return answer(request)
        self.identity.answer = slow
        self.addCleanup(lambda: setattr(self.identity, "answer", answer))
        self.identity.lifetime = 3600
        self.assertGreater(self.read_until(now + 6.5), 50)
        self.assertEqual(len(self.dynamo.keys()), 2)
        self.assertLess(len(self.identity.of("container")), 5)

    def test_a_refresh_that_hangs(self):
        """The old ones serve; a few statements wait for a while, and soon most do not."""
        now = time.monotonic()
        self.begin(12)
        self.identity.answers["container"] = [None] * 10
        self.assertGreater(self.read_until(now + 11), 50)
        self.assertEqual(len(self.dynamo.keys()), 1)
        self.assertIn(len(self.identity.of("container")), (2, 3, 4))

    def test_whoami_and_a_source_that_hangs(self):
        """Nothing else is under way then."""
        self.identity.answers["container"] = [None] * 3
        self.mapping(credential_source="container")
        failure = self.error("SELECT * FROM dynamo_fdw_whoami('s')")
        self.assertEqual(failure.sqlstate, "28000")
        self.assertIn("imeout", failure.detail + failure.message)


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
