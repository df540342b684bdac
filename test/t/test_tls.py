"""Secure connections, and the ways around them that are not taken: proxies, redirects, forbidden addresses."""
import os
import shutil
import socket
import threading

import fixture

UNTRUSTED = "Check the endpoint's certificate, the server option ca_bundle, and that the endpoint uses https."
REFUSED = 'DescribeTable of DynamoDB table "t" failed: address not allowed'


def relay(listener, port):
    """Take one connection and pass its bytes on to a port of the IPv4 loopback, and back."""
    client, _address = listener.accept()
    with client, socket.create_connection(("127.0.0.1", port)) as server:
        back = threading.Thread(target=pour, args=(server, client), daemon=True)
        back.start()
        pour(client, server)
        back.join()


def pour(source, sink):
    """Bytes from one socket to another, until the end."""
    while data := source.recv(65536):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


class Secure(fixture.TestCase):
    """A scripted server with a certificate of a CA made for it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo(tls=True).start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("t", items=[{"pk": {"S": "a"}}])

    def server(self, endpoint=None, **options):
        """A fresh server s with the table t."""
        self.fx.execute("DROP SERVER IF EXISTS s CASCADE; SELECT dynamo_fdw_disconnect_all()")
        self.fx.server("s", endpoint or self.fake.endpoint, max_attempts=2, connect_timeout=5000, scan_policy="allow", **options)
        self.fx.foreign_table("t", "pk text", server="s")

    def test_with_the_ca(self):
        self.server(ca_bundle=self.fake.ca_bundle)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_tables('s')"), [("t",)])

    def test_without_the_ca(self):
        """Without the CA nothing is sent, and the connection is not retried."""
        self.server()
        self.fake.reset()
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00N", 'DescribeTable of DynamoDB table "t" failed: could not establish a secure connection', UNTRUSTED))
        self.assertRegex(failure.detail, "(?i)certificate")
        self.assertNotIn("Attempts", failure.detail)
        self.assertEqual(self.fake.requests, [])

    def test_an_open_connection_is_not_lent(self):
        """Another server with the same endpoint but without the CA does not get in over the first one's connection."""
        self.server(ca_bundle=self.fake.ca_bundle)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
        self.fx.server("trustless", self.fake.endpoint, max_attempts=1)
        self.addCleanup(self.fx.execute, "DROP SERVER trustless CASCADE")
        self.fx.foreign_table("u", "pk text", server="trustless", table_name="t")
        self.assertEqual(self.fx.error("SELECT * FROM u").hint, UNTRUSTED)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])

    def test_scheme_in_capitals(self):
        """HTTPS is https: with the CA it works; without it, it has neither that of another server nor one that was forgotten."""
        capitals = self.fake.endpoint.replace("https:", "HTTPS:")
        self.server(capitals, ca_bundle=self.fake.ca_bundle)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
        self.fx.server("trustless", capitals, max_attempts=1)
        self.addCleanup(self.fx.execute, "DROP SERVER trustless CASCADE")
        self.fx.foreign_table("u", "pk text", server="trustless", table_name="t")
        self.server(ca_bundle=self.fake.ca_bundle)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
        self.assertEqual(self.fx.error("SELECT * FROM u").hint, UNTRUSTED)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        self.assertEqual(self.fx.error("SELECT * FROM u").hint, UNTRUSTED)

    def test_a_ca_taken_away(self):
        """ALTER SERVER counts at once, also for connections that are open."""
        self.server(ca_bundle=self.fake.ca_bundle)
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
        self.fx.execute("ALTER SERVER s OPTIONS (DROP ca_bundle)")
        self.assertEqual(self.fx.error("SELECT * FROM t").hint, UNTRUSTED)

    def test_with_the_ca_of_another(self):
        with fixture.FakeDynamo(tls=True) as other:
            self.server(ca_bundle=other.ca_bundle)
            self.assertEqual(self.fx.error("SELECT * FROM t").hint, UNTRUSTED)

    def test_another_host_name(self):
        """A certificate for another host is rejected."""
        with fixture.FakeDynamo(tls=True, hostname="elsewhere.example") as other:
            self.server(other.endpoint, ca_bundle=other.ca_bundle)
            for _ in range(3):
                failure = self.fx.error("SELECT * FROM t")
                self.assertEqual((failure.sqlstate, failure.hint), ("HV00N", UNTRUSTED))
            self.assertEqual(other.requests, [])

    def test_a_ca_file_that_is_not_there(self):
        self.server(ca_bundle="/no/such/file.pem")
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00N", 'DescribeTable of DynamoDB table "t" failed: invalid connection settings',
                          "Check the server options \"endpoint_url\", \"ca_bundle\" and \"proxy\"."))
        self.assertIn("/no/such/file.pem", failure.detail)

    def test_https_to_a_server_without_it(self):
        self.server(os.environ["DDB_ENDPOINT"].replace("http:", "https:"))
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00N", 'DescribeTable of DynamoDB table "t" failed: could not establish a secure connection', UNTRUSTED))

    def test_http_to_a_server_with_it(self):
        self.server(self.fake.endpoint.replace("https:", "http:"))
        failure = self.fx.error("SELECT * FROM t")
        self.assertIn(failure.sqlstate, ("08006", "HV00M"))
        self.assertIn('DescribeTable of DynamoDB table "t" failed', failure.message)


class Sessions(fixture.TestCase):
    """New connections resume the TLS session of an earlier one, which was verified in the same way."""

    def setUp(self):
        self.fake = fixture.FakeDynamo(tls=True).start()
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), ("n", "N"), items=[{"pk": {"S": f"p{i}"}, "n": {"N": "1"}} for i in range(8)],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.ca_bundle = os.path.join(os.path.dirname(self.fake.ca_bundle), "trusted.pem")
        self.trust(self.fake)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        self.server("s", self.fake.endpoint, self.ca_bundle)

    def server(self, name, endpoint, ca_bundle):
        """A server, and its table t_NAME, that keeps no connection between statements."""
        self.fx.server(name, endpoint, ca_bundle=ca_bundle, max_attempts=2, max_idle_connections=0)
        self.addCleanup(self.fx.execute, f"DROP SERVER {name} CASCADE")
        self.fx.foreign_table(f"t_{name}", "pk text NOT NULL, n int", server=name, table_name="t")

    def trust(self, fake):
        """Another content of the CA file, but the same name."""
        shutil.copyfile(fake.ca_bundle, self.ca_bundle)
        os.chmod(self.ca_bundle, 0o644)

    def run_on(self, name):
        """
        The full handshakes, without a session to resume, of a statement that sends one request after the other.

        How many connections libcurl makes is its affair, but all that follow the first one can resume. Those that it
        refused before may not have been counted yet: some versions look at the certificate after the handshake.
        """
        self.fake.reset()
        before = self.fake.connections - self.fake.resumed
        self.assertEqual(self.fx.rows(f"SELECT n FROM t_{name} WHERE pk = 'p1'"), [(1,)])
        return self.fake.connections - self.fake.resumed - before

    def test_reconnecting(self):
        """All but the first connection; the first again after dynamo_fdw_disconnect_all()."""
        for _ in range(2):
            connections = self.fake.connections
            self.assertEqual([self.run_on("s") for _ in range(3)], [1, 0, 0])
            self.assertGreaterEqual(self.fake.connections - connections, 3)
            self.fx.execute("SELECT dynamo_fdw_disconnect_all()")

    def test_fanning_out(self):
        """
        Connections next to the one that has read the description resume its session. libcurl may have taken that
        one for closed, and it may be without a session for a moment, so that the numbers are not exact.
        """
        self.fake.together(8)
        keys = ", ".join(f"'p{i}'" for i in range(8))
        self.assertEqual(self.fx.rows(f"SELECT sum(n) FROM (SELECT n FROM t_s WHERE pk IN ({keys}) AND n > 0 OFFSET 0) q"), [(8,)])
        self.assertIn(self.fake.connections, (8, 9))
        self.assertIn(self.fake.resumed, range(1, self.fake.connections))

    def test_another_host_name(self):
        self.assertEqual(self.run_on("s"), 1)
        self.server("by_address", self.fake.endpoint.replace("localhost", "127.0.0.1"), self.ca_bundle)
        self.assertEqual([self.run_on("by_address") for _ in range(2)], [1, 0])

    def test_another_ca_file(self):
        """A session is not lent to a server with another CA file, even if that has the same content."""
        self.assertEqual(self.run_on("s"), 1)
        self.server("other", self.fake.endpoint, self.fake.ca_bundle)
        self.assertEqual([self.run_on("other") for _ in range(2)], [1, 0])

    def test_another_ca_file_that_does_not_trust(self):
        self.assertEqual(self.run_on("s"), 1)
        with fixture.FakeDynamo(tls=True) as stranger:
            self.server("other", self.fake.endpoint, stranger.ca_bundle)
            for _ in range(2):
                self.assertEqual(self.fx.error("SELECT * FROM t_other WHERE pk = 'p1'").hint, UNTRUSTED)
            self.assertIn(0, [self.run_on("s") for _ in range(3)])

    def test_another_content_of_the_ca_file(self):
        """What the CA file does not contain any more is not trusted any more, and what it contains now is."""
        self.fx.execute("ALTER SERVER s OPTIONS (SET max_idle_connections '16')")
        self.assertEqual(self.run_on("s"), 1)
        self.assertIn(0, [self.run_on("s") for _ in range(3)])
        with fixture.FakeDynamo(tls=True) as stranger:
            self.trust(stranger)
            for _ in range(2):
                self.assertEqual(self.fx.error("SELECT * FROM t_s WHERE pk = 'p1'").hint, UNTRUSTED)
            self.trust(self.fake)
            self.assertEqual(self.run_on("s"), 1)
            self.assertIn(0, [self.run_on("s") for _ in range(3)])


class Addresses(fixture.TestCase):
    """Where connections go, and where they never go."""

    def server(self, endpoint, **options):
        """A fresh server s with the table t."""
        self.fx.execute("DROP SERVER IF EXISTS s CASCADE")
        self.fx.server("s", endpoint, connect_timeout=5000, max_attempts=2, scan_policy="allow", **options)
        self.fx.foreign_table("t", "pk text", server="s")

    def test_the_option_proxy(self):
        """Plain requests go to the proxy with the entire URL."""
        with fixture.FakeDynamo() as proxy:
            proxy.table("t", items=[{"pk": {"S": "a"}}])
            self.server("http://dynamodb.example:8000", proxy=proxy.endpoint)
            self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
            self.assertTrue(proxy.requests[0].headers[""].startswith("POST http://dynamodb.example:8000/ "))
            self.assertEqual(proxy.requests[0].headers["host"], "dynamodb.example:8000")

    def test_a_dead_proxy(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.server("http://dynamodb.example:8000", proxy=f"http://127.0.0.1:{taken.getsockname()[1]}")
            self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "HV00N")

    def test_a_proxy_that_libcurl_rejects(self):
        """libcurl quotes its URL, with the password; errors do not show it, however long it is."""
        for proxy in ("http://user:Se/cret@127.0.0.1:1", "ftp://user:Secret@127.0.0.1:1", f"http://user:Se/cret{'x' * 300}@127.0.0.1:1"):
            with self.subTest(proxy=proxy[:40]):
                self.server("http://dynamodb.example:8000", proxy=proxy)
                failure = self.fx.error("SELECT * FROM t")
                self.assertEqual(failure[:4], ("HV00N", 'DescribeTable of DynamoDB table "t" failed: invalid connection settings',
                                               "No response. The URL of the proxy is not supported.",
                                               'Check the server options "endpoint_url", "ca_bundle" and "proxy".'))

    def test_ipv6(self):
        try:
            listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
        except OSError:
            self.skipTest("no IPv6 loopback here")
        with listener, fixture.FakeDynamo() as fake:
            fake.table("t", items=[{"pk": {"S": "a"}}])
            threading.Thread(target=relay, args=(listener, fake.port), daemon=True).start()
            endpoint = f"[::1]:{listener.getsockname()[1]}"
            self.server(f"http://{endpoint}")
            self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a",)])
            self.assertEqual(fake.requests[-1].headers["host"], endpoint)
            self.fx.execute("SELECT dynamo_fdw_disconnect_all()")

    def test_link_local_names(self):
        """The address counts, not its form: also after numbers, and never through a retry."""
        for host in ("169.254.169.254", "0xa9fea9fe", "2852039166", "[::ffff:a9fe:a9fe]"):
            with self.subTest(host=host):
                self.server(f"http://{host}")
                failure = self.fx.error("SELECT * FROM t")
                self.assertEqual((failure.sqlstate, failure.message), ("HV00N", REFUSED))
                self.assertNotIn("Attempts", failure.detail)
