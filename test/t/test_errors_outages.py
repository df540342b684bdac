"""Outages that are shorter than the patience of a request end no statement, however many requests they hit."""
import threading
import time

import fixture
import replies

OUTER = "(SELECT 'p' || lpad(i::text, 3, '0') AS x FROM generate_series(0, 299) i) v"
HAS_MANY = f"SELECT v.x, c.n FROM {OUTER} JOIN children c ON c.pk = v.x"

# Seconds that the service is away; a request is tried for more than a second and a half on average.
OUTAGE = 0.2


class Outages(fixture.TestCase):
    """A join of 300 Queries, 16 at a time."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(lambda: cls.fake.stop())
        cls.tables(cls.fake)
        # many attempts, so that bad luck with random pauses ends no request
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=12, scan_policy="allow")
        cls.fx.foreign_table("children", "pk text NOT NULL, n int NOT NULL", server="fake")
        cls.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        assert "DynamoLookupJoin" in cls.fx.explain(HAS_MANY)

    @staticmethod
    def tables(fake):
        fake.table("children", ("pk", "S"), ("n", "N"),
                   items=[{"pk": {"S": f"p{i:03d}"}, "n": {"N": str(n)}} for i in range(300) for n in range(3)])

    def setUp(self):
        self.fake.reset(scripts=True)

    def outage(self, response):
        """The service responds to some requests, then so for a while, then as always."""
        times = []

        def respond(_request):
            times.append(time.monotonic())
            began = times[min(len(times), 50) - 1]
            return response if len(times) >= 50 and times[-1] - began < OUTAGE else None
        self.fake.on("Query", respond)

    def assert_complete(self):
        """All the rows."""
        rows = self.fx.rows(HAS_MANY)
        self.assertEqual((len(rows), len(set(rows))), (900, 900))

    def test_errors_of_the_service(self):
        for _ in range(3):
            self.outage(replies.error("InternalServerError", "sorry", 500))
            self.assert_complete()

    def test_connections_that_are_reset(self):
        self.outage(replies.reset_connection())
        self.assert_complete()

    def test_connections_that_are_closed(self):
        self.outage(replies.truncate_head())
        self.assert_complete()

    def test_closed_port(self):
        """The port is closed, and opened again later."""
        cls = type(self)

        def restart():
            port = cls.fake.port
            cls.fake.stop()
            time.sleep(0.1)
            cls.fake = fixture.FakeDynamo(port=port)
            self.tables(cls.fake)
            cls.fake.start()
        waiting = threading.Event()
        self.fake.on("Query", [lambda _request: waiting.set()])
        thread = threading.Thread(target=lambda: (waiting.wait(10), restart()))
        thread.start()
        try:
            self.assert_complete()
        finally:
            thread.join()

    def test_one_after_the_other(self):
        """Each statement has its own quota: what spends one statement's does not end the next one."""
        failing = {}

        def respond(request):
            """Each key three times in a row, so that an outage is over before the next one begins."""
            key = str(request.body["ExpressionAttributeValues"])
            failing[key] = failing.get(key, 0) + 1
            return replies.error("InternalServerError", "sorry", 500) if failing[key] <= 3 else None
        self.fx.execute("ALTER SERVER fake OPTIONS (SET max_attempts '4')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (SET max_attempts '12')")
        self.fake.on("Query", replies.error("InternalServerError", "sorry", 500))
        for _ in range(3):
            self.assertEqual(self.fx.error(f"{HAS_MANY} WHERE v.x < 'p003'").sqlstate, "HV000")
        self.fake.on("Query", respond)
        self.assert_complete()
