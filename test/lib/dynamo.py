"""A minimal DynamoDB client for tests and demos: makes tables and fills them.

It does not sign: DynamoDB Local needs an Authorization header and does not look at the signature.
"""
import base64
import http.client
import json
import time
from decimal import Decimal
from urllib.parse import urlsplit


class DynamoError(Exception):
    """DynamoDB refused; code is its error code."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def attribute(value):
    """A Python value as a DynamoDB attribute value."""
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (int, float, Decimal)):
        return {"N": str(value)}
    if isinstance(value, bytes):
        return {"B": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"M": item(value)}
    if isinstance(value, (set, frozenset)):
        return attribute_set(value)
    return {"L": [attribute(element) for element in value]}


def attribute_set(values):
    """A Python set as SS, NS or BS."""
    parts = [next(iter(attribute(value).items())) for value in sorted(values)]
    return {parts[0][0] + "S": [content for _, content in parts]}


def item(values):
    """A Python dict as an item."""
    return {name: attribute(value) for name, value in values.items()}


def key_schema(hash_key, range_key):
    """Key attributes, each a (name, type) pair or a list of such, as DynamoDB's list."""
    return ([{"AttributeName": name, "KeyType": "HASH"} for name, _ in pairs(hash_key)] +
            [{"AttributeName": name, "KeyType": "RANGE"} for name, _ in pairs(range_key)])


def pairs(key):
    """A key as a list of (name, type) pairs."""
    if not key:
        return []
    return [key] if isinstance(key, tuple) else list(key)


def index(name, hash_key, range_key=None, projection="ALL", local=False):
    """A secondary index for create_table; projection is ALL, KEYS_ONLY or a list of attributes."""
    kind = {"ProjectionType": "INCLUDE", "NonKeyAttributes": projection} if isinstance(projection, list) else \
        {"ProjectionType": projection}
    return {"local": local, "keys": pairs(hash_key) + pairs(range_key),
            "definition": {"IndexName": name, "KeySchema": key_schema(hash_key, range_key), "Projection": kind}}


class DynamoClient:
    """One keep-alive connection to an endpoint."""

    def __init__(self, endpoint, region="us-east-1", access_key_id="test"):
        self.address = urlsplit(endpoint).netloc
        self.region, self.access_key_id = region, access_key_id
        self._connection = None

    def call(self, operation, body=None):
        """One request; the response as a dict, or a DynamoError."""
        payload = json.dumps(body or {}).encode()
        for attempt in (1, 2):      # the server closes idle connections
            try:
                status, response = self._exchange(operation, payload)
                break
            except (http.client.HTTPException, ConnectionError):
                self.close()
                if attempt == 2:
                    raise
        document = json.loads(response or "{}")
        if status != 200:
            code = document.get("__type", f"HTTP {status}").rsplit("#", 1)[-1]
            raise DynamoError(code, document.get("message") or document.get("Message") or "")
        return document

    def _exchange(self, operation, payload):
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self.address, timeout=120)
        date = time.strftime("%Y%m%d", time.gmtime())
        self._connection.request("POST", "/", payload, {
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "X-Amz-Date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
            "Authorization": f"AWS4-HMAC-SHA256 Credential={self.access_key_id}/{date}/{self.region}/dynamodb/"
                             "aws4_request, SignedHeaders=host;x-amz-date, Signature=0"})
        response = self._connection.getresponse()
        return response.status, response.read()

    def close(self):
        """Hang up; the next call connects again."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def create_table(self, name, hash_key, range_key=None, indexes=()):
        """Make the table, again if it exists; indexes come from index()."""
        self.drop_table(name)
        keys = dict(pairs(hash_key) + pairs(range_key) + [key for i in indexes for key in i["keys"]])
        request = {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": key_schema(hash_key, range_key),
                   "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in keys.items()]}
        for member, local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
            chosen = [i["definition"] for i in indexes if i["local"] == local]
            if chosen:
                request[member] = chosen
        self.call("CreateTable", request)
        while self.call("DescribeTable", {"TableName": name})["Table"]["TableStatus"] != "ACTIVE":
            time.sleep(0.05)

    def add_index(self, name, new):
        """Make an index() over the items that are there, and wait for it."""
        known = self.call("DescribeTable", {"TableName": name})["Table"]["AttributeDefinitions"]
        attributes = {**{a["AttributeName"]: a["AttributeType"] for a in known}, **dict(new["keys"])}
        self.call_again("UpdateTable", {
            "TableName": name, "GlobalSecondaryIndexUpdates": [{"Create": new["definition"]}],
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in attributes.items()]})
        while any(index_["IndexStatus"] != "ACTIVE" for index_ in self._indexes_of(name)):
            time.sleep(0.05)

    def _indexes_of(self, name):
        """The description of the table's indexes."""
        return self.call_again("DescribeTable", {"TableName": name})["Table"]["GlobalSecondaryIndexes"]

    def call_again(self, operation, body):
        """The same as call; DynamoDB Local may fail while an index is being built."""
        for attempt in range(25):
            try:
                return self.call(operation, body)
            except DynamoError as failure:
                if failure.code != "InternalFailure" or attempt == 24:
                    raise
                time.sleep(0.2)
        raise AssertionError("unreachable")

    def drop_table(self, name):
        """Remove the table if it exists."""
        try:
            self.call("DeleteTable", {"TableName": name})
        except DynamoError as failure:
            if failure.code != "ResourceNotFoundException":
                raise

    def put(self, name, items):
        """Write items, each a dict of Python values."""
        self.put_raw(name, (item(values) for values in items))

    def put_raw(self, name, items):
        """Write items that are DynamoDB-JSON already, 25 per request."""
        waiting = [{"PutRequest": {"Item": one}} for one in items]
        while waiting:
            response = self.call("BatchWriteItem", {"RequestItems": {name: waiting[:25]}})
            waiting = response.get("UnprocessedItems", {}).get(name, []) + waiting[25:]
