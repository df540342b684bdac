"""A foreign server over the simulated service, whose tables grant a number of read units per second.

    class Pages(metering.TestCase):
        def test_scan(self):
            self.fake.metered("t", 100, 50, items=[...])
"""
import fixture
import metered


class TestCase(fixture.TestCase):
    """The service is self.fake, the foreign server "metered"."""

    def setUp(self):
        self.fake = metered.Metered().start()
        self.addCleanup(self.fake.stop)
        self.fx.server("metered", self.fake.endpoint, scan_policy="allow")
        self.addCleanup(self.fx.execute, "DROP SERVER metered CASCADE")
