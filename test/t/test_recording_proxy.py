"""The proxy and the scripted server: a write reaches the server once, and tests see it.

Tests of writes rely on this: a proxy that repeats requests by itself would hide what the extension does.
"""
import http.client
import json
import unittest

import fixture     # noqa: F401  (it makes the modules of test/server known)
from fake import FakeDynamo
from proxy import RecordingProxy
from replies import Executed, conflict, empty_reply, executed, internal_error, reset_connection, written
from request_text import request_text

PUT = {"TableName": "db.t", "Item": {"pk": {"S": "a"}, "n": {"N": "5"}}, "ConditionExpression": "attribute_not_exists(#n0)",
       "ExpressionAttributeNames": {"#n0": "pk"}}


class Proxy(unittest.TestCase):
    """A client, the proxy, and its server, which counts."""

    def setUp(self):
        self.server = FakeDynamo().start()
        self.addCleanup(self.server.stop)
        self.server.on("*", lambda _request: written("db.t"))
        self.proxy = RecordingProxy(self.server.endpoint).start()
        self.addCleanup(self.proxy.stop)
        self.client = http.client.HTTPConnection("127.0.0.1", self.proxy.port)
        self.addCleanup(self.client.close)
        self.send("DescribeTable")      # the connections are open, and have served a request

    def send(self, operation, body=None):
        """Status and document of the response."""
        self.client.request("POST", "/", json.dumps(body or {}), {"X-Amz-Target": f"DynamoDB_20120810.{operation}"})
        response = self.client.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text.startswith(b"{") else text

    def sent(self, operation):
        """How often the operation reached the server."""
        return self.server.operations().count(operation)

    def test_read_is_sent_again(self):
        self.server.on("Query", [empty_reply()])
        self.assertEqual(self.send("Query")[0], 200)
        self.assertEqual(self.sent("Query"), 2)

    def test_H02_write_is_sent_once(self):
        for operation in ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"):
            self.server.on(operation, [empty_reply()])
            self.assertEqual(self.send(operation)[0], 502)
            self.assertEqual(self.sent(operation), 1)
            self.assertEqual(self.send(operation)[0], 200)
            self.assertEqual(self.sent(operation), 2)

    def test_response_is_lost_after_the_write(self):
        for lost in (empty_reply(), reset_connection()):
            self.proxy.on("PutItem", [executed(lost)])
            with self.assertRaises(ConnectionError):
                self.send("PutItem")
            self.client.close()
        self.assertEqual(self.sent("PutItem"), 2)

    def test_errors_after_and_before_the_write(self):
        self.proxy.on("PutItem", [executed(internal_error()), internal_error(503), conflict()])
        self.assertEqual([self.send("PutItem")[0] for _ in range(3)], [500, 503, 400])
        self.assertEqual(self.sent("PutItem"), 1)

    def test_responses_that_are_not_accepted(self):
        self.proxy.on("PutItem", [executed({}), executed(written("other")),
                                  Executed(lambda reply: reply.but(status=201))])
        self.assertEqual(self.send("PutItem"), (200, {}))
        self.assertEqual(self.send("PutItem")[1]["ConsumedCapacity"]["TableName"], "other")
        self.assertEqual(self.send("PutItem")[0], 201)
        self.assertEqual(self.sent("PutItem"), 3)

    def test_writes_are_shown(self):
        self.proxy.reset()
        update = {"TableName": "db.t", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET #n0 = :v0",
                  "ExpressionAttributeNames": {"#n0": "n"}, "ExpressionAttributeValues": {":v0": {"SS": ["x"]}},
                  "ReturnValues": "ALL_NEW"}
        self.send("PutItem", PUT)
        self.send("UpdateItem", update)
        self.send("DeleteItem", {"TableName": "db.t", "Key": {"pk": {"S": "a"}}})
        self.send("TransactWriteItems", {"TransactItems": [{"Put": PUT}, {"Delete": {"TableName": "db.u", "Key": {}}}]})
        put = "t {pk 'a', n 5} if attribute_not_exists(pk)"
        self.assertEqual([request_text(request, "db") for request in self.proxy.requests],
                         [f"PutItem {put}", """UpdateItem t {pk 'a'} SET n = {"SS": ["x"]} returning ALL_NEW""",
                          "DeleteItem t {pk 'a'}", f"TransactWriteItems Put {put}; Delete u {{}}"])
