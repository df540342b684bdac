"""Signatures, checked by ExtendDB; throttling and the counters of retries, by the scripted server."""
import hashlib
import hmac
import http.client
import json
import os
import time
from urllib.parse import urlsplit

import fixture
import replies

CHECK_KEYS = "Check access_key_id, secret_access_key and session_token of the user mapping."


class Signer:
    """A client of ExtendDB that signs, in the fewest lines: it makes the table that the tests read."""

    def __init__(self, endpoint, key, secret):
        self.address, self.key, self.secret = urlsplit(endpoint).netloc, key, secret

    def call(self, operation, body):
        """One request; the status and the response."""
        payload = json.dumps(body).encode()
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        target = f"DynamoDB_20120810.{operation}"
        canonical = "\n".join(["POST", "/", "", f"host:{self.address}", f"x-amz-date:{stamp}", f"x-amz-target:{target}", "",
                               "host;x-amz-date;x-amz-target", hashlib.sha256(payload).hexdigest()])
        scope = f"{stamp[:8]}/us-east-1/dynamodb/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"AWS4" + self.secret.encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), "sha256").digest()
        signature = hmac.new(key, text.encode(), "sha256").hexdigest()
        connection = http.client.HTTPConnection(self.address, timeout=30)
        connection.request("POST", "/", payload, {
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": stamp, "X-Amz-Target": target,
            "Authorization": f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders=host;x-amz-date;x-amz-target, Signature={signature}"})
        response = connection.getresponse()
        document = json.loads(response.read() or b"{}")
        connection.close()
        return response.status, document


class Signatures(fixture.TestCase):
    """A server that computes every signature itself."""

    @classmethod
    def setUpClass(cls):
        cls.endpoint = os.environ.get("EXTENDDB_ENDPOINT")
        if not cls.endpoint:
            return
        super().setUpClass()
        cls.key, cls.secret = os.environ["EXTENDDB_ACCESS_KEY_ID"], os.environ["EXTENDDB_SECRET_ACCESS_KEY"]
        cls.signer = Signer(cls.endpoint, cls.key, cls.secret)
        cls.name = cls.fx.remote("t")
        cls.signed("CreateTable", {"TableName": cls.name, "BillingMode": "PAY_PER_REQUEST",
                                   "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                                   "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        cls.addClassCleanup(cls.signer.call, "DeleteTable", {"TableName": cls.name})
        for key in ("a", "é/€ 😀", "x" * 1000):
            cls.signed("PutItem", {"TableName": cls.name, "Item": {"pk": {"S": key}, "v": {"N": "1"}}})

    @classmethod
    def signed(cls, operation, body):
        """A call that must succeed; a new table takes some seconds to be there."""
        for _ in range(300):
            status, document = cls.signer.call(operation, body)
            if status == 200:
                return
            time.sleep(0.2)
        raise AssertionError(f"{operation}: {document}")

    def setUp(self):
        if not self.endpoint:
            self.skipTest("no ExtendDB: ./test/stack up --extenddb starts one")

    def server(self, key=None, secret=None, **more):
        """A fresh server with those keys, and the table t."""
        self.fx.execute("DROP SERVER IF EXISTS s CASCADE")
        self.fx.execute(f"CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.endpoint}', region 'us-east-1', scan_policy 'allow')")
        mapping = {"access_key_id": key or self.key, "secret_access_key": secret or self.secret, **more}
        self.fx.execute(f"CREATE USER MAPPING FOR PUBLIC SERVER s {fixture.options_clause(mapping)}")
        self.fx.foreign_table("t", "pk text, v integer", server="s", table_name=self.name)

    def test_right_secret(self):
        self.server()
        self.assertEqual(self.fx.value("SELECT count(*) FROM t"), 3)
        self.assertEqual(self.fx.rows("SELECT v FROM t WHERE pk = 'é/€ 😀'"), [(1,)])
        self.assertEqual(self.fx.value("SELECT count(*) FROM t WHERE pk IN ('a', repeat('x', 1000), 'none')"), 2)

    def test_every_operation_is_signed(self):
        self.server()
        self.assertIn((self.name,), self.fx.rows("SELECT * FROM dynamo_fdw_tables('s')"))

    def test_session_token(self):
        """It is sent and signed; a server that does not know it may refuse the token, never the signature."""
        self.server(session_token="token+/=")
        try:
            self.assertEqual(self.fx.rows("SELECT v FROM t WHERE pk = 'a'"), [(1,)])
        except fixture.psycopg2.Error as failure:
            self.assertNotIn("InvalidSignature", str(failure))

    def test_wrong_secret(self):
        wrong = "wrong" + self.secret[5:]
        self.server(secret=wrong)
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("28000", f'DescribeTable of DynamoDB table "{self.name}" failed', CHECK_KEYS))
        self.assertIn("InvalidSignatureException", failure.detail)
        self.assertNotIn("Attempts", failure.detail)
        for text in (wrong, self.secret, "Canonical", "x-amz-date", "AWS4-HMAC", "POST"):
            self.assertNotIn(text, str(failure))

    def test_unknown_key(self):
        self.server(key="AKIAUNKNOWNUNKNOWN00")
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, failure.hint), ("28000", CHECK_KEYS))
        self.assertIn("UnrecognizedClientException", failure.detail)

    def test_a_secret_put_right(self):
        """After ALTER USER MAPPING the next statement works, in the same session."""
        self.server(secret="wrong" + self.secret[5:])
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "28000")
        self.fx.execute(f"ALTER USER MAPPING FOR PUBLIC SERVER s OPTIONS (SET secret_access_key '{self.secret}')")
        self.assertEqual(self.fx.value("SELECT count(*) FROM t"), 3)

    def test_wrong_table(self):
        self.server()
        self.fx.foreign_table("missing", "pk text", server="s", table_name="no-such-table")
        self.assertEqual(self.fx.error("SELECT * FROM missing").sqlstate, "HV00R")

    def test_the_signer_is_checked_too(self):
        """The server does look: a signature made with another secret is refused."""
        status, document = Signer(self.endpoint, self.key, "wrong").call("ListTables", {})
        self.assertEqual(status, 400)
        self.assertIn("InvalidSignatureException", document["__type"])


class Retries(fixture.TestCase):
    """What is tried again, and how it is counted."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=4, throttle_timeout=300, scan_policy="allow")
        cls.fake.table("t", items=[{"pk": {"S": name}} for name in "abc"])
        cls.fx.foreign_table("t", "pk text", server="fake")
        cls.fx.rows("SELECT * FROM t")

    def setUp(self):
        self.fake.reset(scripts=True)

    def counted(self, sql):
        """Rows, and what the statement added to requests, retries and throttles."""
        names = "requests, retries, throttles"
        before = self.fx.rows(f"SELECT {names} FROM dynamo_fdw_stats()")[0]
        rows = self.fx.rows(sql)
        after = self.fx.rows(f"SELECT {names} FROM dynamo_fdw_stats()")[0]
        return rows, tuple(b - a for a, b in zip(before, after))

    def test_throttled_then_served(self):
        self.fake.on("Scan", [replies.throttle(), replies.throttle()])
        self.assertEqual(self.counted("SELECT * FROM t"), ([("a",), ("b",), ("c",)], (1, 2, 2)))
        self.assertEqual(self.fake.operations(), ["Scan"] * 3)

    def test_each_retry_is_signed_again_over_the_same_body(self):
        self.fake.on("Scan", [replies.error("InternalServerError", status=500)])
        self.fx.rows("SELECT * FROM t")
        scans = [request for request in self.fake.requests if request.operation == "Scan"]
        self.assertEqual((len(scans), len({request.raw for request in scans})), (2, 1))
        self.assertTrue(all("Signature=" in request.headers["authorization"] for request in scans))

    def test_kinds_of_failures(self):
        for response, throttles in ((replies.error("InternalServerError", status=500), 0), (replies.not_json(status=502), 0), (replies.not_json(status=504), 0),
                                  (replies.error("ServiceUnavailable", status=503), 0), (replies.error("ThrottlingException"), 1),
                                  (replies.error("RequestLimitExceeded"), 1), (replies.wrong_crc(), 0), (replies.truncate_body(), 0), (replies.bad_gzip(), 0)):
            with self.subTest(response=str(response)[:100]):
                self.fake.on("Scan", [response])
                self.assertEqual(self.counted("SELECT * FROM t"), ([("a",), ("b",), ("c",)], (1, 1, throttles)))

    def test_idle_connections_that_were_closed(self):
        """A server closes idle connections when it likes; libcurl may connect again without a word."""
        for response in (replies.reset_connection(), replies.empty_reply()):
            self.fake.on("Scan", [response])
            rows, (requests, retries, _throttles) = self.counted("SELECT * FROM t")
            self.assertEqual((rows, requests), ([("a",), ("b",), ("c",)], 1))
            self.assertLessEqual(retries, 1)

    def test_in_the_middle_of_a_result(self):
        """A page that fails once comes once: no row is lost, none comes twice."""
        self.fake.tables["t"].page_size = 1
        self.addCleanup(setattr, self.fake.tables["t"], "page_size", None)
        self.fake.on("Scan", [None, replies.throttle(), replies.truncate_body(), replies.wrong_crc(), None, replies.bad_gzip()])
        rows, (_requests, retries, throttles) = self.counted("SELECT * FROM t")
        self.assertEqual((rows, retries, throttles), ([("a",), ("b",), ("c",)], 4, 1))

    def test_explain_counts_them(self):
        self.fake.on("Scan", [replies.throttle()])
        plan = self.fx.rows("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT * FROM t")[0][0][0]["Plan"]
        self.assertEqual((plan["Requests"], plan["Retries"]), (1, 1))

    def test_clock_skew_is_corrected_once(self):
        """Refused because of our clock: signed again by theirs, which is remembered."""
        refusal = replies.error("InvalidSignatureException", "Signature expired: 20200101T000000Z is now earlier than 20200101T001500Z")
        self.fake.on("Scan", [replies.skewed_date(3600, refusal)])
        self.assertEqual(self.counted("SELECT * FROM t")[1][:2], (1, 1))
        first, second = (time.mktime(time.strptime(r.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")) for r in self.fake.requests)
        self.assertAlmostEqual(second - first, 3600, delta=60)
        self.fake.reset()
        self.fx.rows("SELECT * FROM t")
        later = time.mktime(time.strptime(self.fake.requests[0].headers["x-amz-date"], "%Y%m%dT%H%M%SZ"))
        self.assertAlmostEqual(later - first, 3600, delta=120)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")

    def test_a_wrong_secret_is_no_clock_skew(self):
        self.fake.on("Scan", replies.error("InvalidSignatureException", "The request signature we calculated does not match."))
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "28000")
        self.assertEqual(self.fake.operations(), ["Scan"])

    def test_unprocessed_keys(self):
        """Keys that a batch leaves are requested again, only they."""
        def half(request):
            keys = request.body["RequestItems"]["t"]["Keys"]
            if len(keys) < 2:
                return None
            rest = dict(request.body["RequestItems"]["t"], Keys=keys[1:])
            return {"Responses": {"t": [keys[0]]}, "UnprocessedKeys": {"t": rest}}
        self.fake.on("BatchGetItem", half)
        self.assertEqual(sorted(self.fx.rows("SELECT * FROM t WHERE pk IN ('a', 'b', 'c')")), [("a",), ("b",), ("c",)])
        self.assertEqual([len(r.body["RequestItems"]["t"]["Keys"]) for r in self.fake.requests], [3, 2, 1])

    def test_unprocessed_one_by_one(self):
        """A key without an item gets its response, too: what is left is less each time."""
        def first(request):
            wanted = request.body["RequestItems"]["t"]
            rest = {"t": {**wanted, "Keys": wanted["Keys"][1:]}}
            return {"Responses": {"t": []}, "UnprocessedKeys": rest if rest["t"]["Keys"] else {}}
        self.fake.on("BatchGetItem", first)
        self.assertEqual(self.fx.rows("SELECT * FROM t WHERE pk IN ('u', 'v', 'w', 'x', 'y', 'z')"), [])
        self.assertEqual([len(r.body["RequestItems"]["t"]["Keys"]) for r in self.fake.requests], [6, 5, 4, 3, 2, 1])

    def test_unprocessed_for_ever(self):
        self.fake.on("BatchGetItem", lambda request: {"Responses": {}, "UnprocessedKeys": request.body["RequestItems"]})
        failure = self.fx.error("SELECT * FROM t WHERE pk IN ('a', 'b', 'c')")
        self.assertEqual(failure.sqlstate, "53400")
        self.assertRegex(failure.message, r'^DynamoDB throttled reads of DynamoDB table "t" for \d\.\d s without returning data$')
        self.assertIn("DynamoDB left all keys unprocessed.", failure.detail)
        self.assertIn("read capacity", failure.hint)
