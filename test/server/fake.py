#!/usr/bin/python3
"""A DynamoDB that does as scripted: errors, delays, odd bodies, prepared pages.

Made for tests, which import it, and the responses from replies.py:

    with FakeDynamo() as fake:
        fake.table("songs", ("artist", "S"), ("title", "S"), items=[...])
        fake.on("Query", [throttle(), wrong_crc()])     # the first two responses; then the table's own
        ...
        fake.requests[0].body["KeyConditionExpression"]

Run as a program it serves the empty table "t" (key "pk") and prints the requests, for trying a client by hand.
"""
import argparse
import sys
import time

from replies import error, reply
from server import ScriptedServer
from tables import Pages, Table, find, get_item, key_parts, read_page, with_capacity


class FakeDynamo(ScriptedServer):
    """The scripted server with tables, for requests without a script."""

    def __init__(self, **options):
        super().__init__(**options)
        self.tables = {}

    def table(self, name, hash_key=("pk", "S"), range_key=None, indexes=(), items=(), **details):
        """Define a table; see tables.Table for the details, tables.index for indexes."""
        self.tables[name] = Table(name, key_parts(hash_key), key_parts(range_key), list(indexes), list(items), **details)
        return self.tables[name]

    def pages(self, name, pages, count=None, repeat_key_at=None):
        """Let Query and Scan of that table return these pages, see tables.Pages."""
        if name not in self.tables:
            self.table(name)
        self.tables[name].pages = Pages(pages, count, repeat_key_at)

    async def default(self, request, connection):
        """Respond from the tables."""
        if request.operation == "ListTables":
            return reply({"TableNames": sorted(self.tables)})
        if request.operation == "BatchGetItem":
            return self.respond_batch(request.body)
        handler = {"DescribeTable": self._describe, "GetItem": self._get, "Query": self._query,
                   "Scan": self._scan}.get(request.operation)
        if handler is None:
            return error("UnknownOperationException")
        table = self.tables.get((request.body or {}).get("TableName"))
        if table is None:
            return error("ResourceNotFoundException", "Requested resource not found")
        return handler(table, request.body)

    @staticmethod
    def _describe(table, _request):
        return reply({"Table": table.describe()})

    @staticmethod
    def _get(table, request):
        return reply(get_item(table, request))

    @staticmethod
    def _query(table, request):
        return table.pages.response(table, request) if table.pages else reply(read_page(table, request, True))

    @staticmethod
    def _scan(table, request):
        return table.pages.response(table, request) if table.pages else reply(read_page(table, request, False))

    def respond_batch(self, request):
        """The response to a BatchGetItem; for scripts that change it."""
        responses = {}
        for name, wanted in request["RequestItems"].items():
            if name not in self.tables:
                return error("ResourceNotFoundException", "Requested resource not found")
            found = (find(self.tables[name], key) for key in wanted["Keys"])
            responses[name] = [item for item in found if item is not None]
        document = with_capacity({"Responses": responses, "UnprocessedKeys": {}}, request)
        if "ConsumedCapacity" in document:
            document["ConsumedCapacity"] = [{"TableName": name, "CapacityUnits": 0.5} for name in responses]
        return reply(document)


def main():
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A scripted DynamoDB; as a program it serves one empty table, t.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", action="store_true", help="with a certificate of its own, whose CA is printed")
    parser.add_argument("--delay-ms", type=float, default=0, help="before every answer")
    options = parser.parse_args()
    with FakeDynamo(port=options.port, tls=options.tls, delay=options.delay_ms / 1000) as fake:
        fake.table("t")
        fake.on("*", lambda request: print(request.operation, request.body, flush=True))
        print(fake.endpoint, fake.ca_bundle or "", flush=True)
        try:
            while True:
                time.sleep(60)
        except KeyboardInterrupt:
            return 0

if __name__ == "__main__":
    sys.exit(main())
