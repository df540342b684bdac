"""Tables of the fake server: keys, indexes and items, or pages prepared by the test.

Just enough of DynamoDB to page, to find items by key and to describe a table. Key conditions are honoured; filters
and projections are not, so a scripted table responds to a superset, as canned pages do.
"""
import base64
import dataclasses
import json
import re
import time
from decimal import Decimal

from replies import Reply, as_reply, error, reply


def index(name, hash_key, range_key=None, projection="ALL", local=False, status="ACTIVE", item_bytes=None):
    """A secondary index; keys are (attribute, type) pairs or lists of them, projection is ALL, KEYS_ONLY or a list.

    Its items are described as that long, by default as those of the table.
    """
    return {"name": name, "hash": key_parts(hash_key), "range": key_parts(range_key), "projection": projection,
            "local": local, "status": status, "item_bytes": item_bytes}


def key_parts(key):
    """A key as a list of (attribute, type), for keys of one attribute and of several."""
    if not key:
        return []
    return [key] if isinstance(key, tuple) else list(key)


@dataclasses.dataclass
class Table:
    """One table, as the fake server knows it."""
    name: str
    hash: list
    range: list
    indexes: list
    items: list
    status: str = "ACTIVE"
    page_size: int = None           # items examined per page
    empty_before: tuple = ()        # offsets of items in front of which an empty page comes
    item_count: int = None          # what DescribeTable reports, if not the truth
    size_bytes: int = None
    pages: object = None            # Pages, when the test prepared them
    created: float = None           # seconds since 1970; by default just now
    units: float = None             # provisioned read units a second; by default on demand

    def keys_of(self, index_name=None):
        """The attributes of a LastEvaluatedKey: the table's key, and the index's."""
        parts = self.hash + self.range
        for index_ in self.indexes:
            if index_["name"] == index_name:
                parts = parts + [part for part in index_["hash"] + index_["range"] if part not in parts]
        return parts

    def describe(self):
        """The Table member of DescribeTable's response."""
        count = len(self.items) if self.item_count is None else self.item_count
        size = len(json.dumps(self.items)) if self.size_bytes is None else self.size_bytes
        parts = self.hash + self.range + [part for i in self.indexes for part in i["hash"] + i["range"]]
        document = {"TableName": self.name, "TableStatus": self.status, "KeySchema": key_schema(self.hash, self.range),
                    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in dict(parts).items()],
                    "ItemCount": count, "TableSizeBytes": size, "CreationDateTime": time.time() if self.created is None else self.created,
                    "TableArn": f"arn:aws:dynamodb:us-east-1:000000000000:table/{self.name}",
                    "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}}
        for member, local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
            described = [describe_index(i, count, size) for i in self.indexes if i["local"] == local]
            if described:
                document[member] = described
        if self.units is not None:
            del document["BillingModeSummary"]
            for part in [document, *document.get("GlobalSecondaryIndexes", ())]:
                part["ProvisionedThroughput"] = {"ReadCapacityUnits": self.units, "WriteCapacityUnits": 1}
        return document


def key_schema(hash_key, range_key):
    """DynamoDB's list of key attributes."""
    return ([{"AttributeName": name, "KeyType": "HASH"} for name, _ in hash_key] +
            [{"AttributeName": name, "KeyType": "RANGE"} for name, _ in range_key])


def describe_index(index_, count, size):
    """One index in DescribeTable's response."""
    projection = index_["projection"]
    document = {"IndexName": index_["name"], "KeySchema": key_schema(index_["hash"], index_["range"]),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": projection}
                if isinstance(projection, list) else {"ProjectionType": projection},
                "ItemCount": count, "IndexSizeBytes": size if not index_.get("item_bytes") else count * index_["item_bytes"]}
    if not index_["local"]:
        document["IndexStatus"] = index_["status"]
    return document


# Reading tables that hold items

def get_item(table, request):
    """GetItem: the item of that key."""
    found = find(table, request["Key"])
    return with_capacity({} if found is None else {"Item": found}, request)


def find(table, key):
    """The item of that key, or None."""
    for item in table.items:
        if all(same(item.get(name), value) for name, value in key.items()):
            return item
    return None


def read_page(table, request, query):
    """Query and Scan: one page from ExclusiveStartKey on, of the segment if there is one."""
    items = matching(table, request) if query else segment_of(table.items, request)
    start, came_from_empty = start_of(table, items, request)
    limit = min(request.get("Limit") or len(items) or 1, table.page_size or len(items) or 1)
    if start in table.empty_before and not came_from_empty:
        page, last = [], phantom_key(table, start, request.get("IndexName"))
    else:
        page = items[start:start + limit]
        more = start + limit < len(items)
        last = {name: page[-1][name] for name, _ in table.keys_of(request.get("IndexName"))} if more else None
    return with_capacity(page_document(page, last, request), request)


def page_document(items, last, request):
    """A page of Query or Scan."""
    document = {"Count": len(items), "ScannedCount": len(items)}
    if request.get("Select") != "COUNT":
        document["Items"] = items
    if last:
        document["LastEvaluatedKey"] = last
    return document


def start_of(table, items, request):
    """The offset of the item after ExclusiveStartKey, and whether it is the key of an empty page."""
    start = request.get("ExclusiveStartKey")
    if not start:
        return 0, False
    offset = phantom_offset(table, start)
    if offset is not None:
        return offset, True
    names = [name for name, _ in table.keys_of()]
    for offset, item in enumerate(items):
        if all(same(item.get(name), start.get(name)) for name in names):
            return offset + 1, False
    return 0, False


def segment_of(items, request):
    """A contiguous part of the items for a segmented scan."""
    total = request.get("TotalSegments", 1)
    part = request.get("Segment", 0)
    return items[len(items) * part // total:len(items) * (part + 1) // total]


# Invented keys: of empty pages, and of prepared ones. They carry a number and have the types the table's key has.

PHANTOM = 987600000000


def phantom_key(table, number, index_name=None):
    """A key of the right attributes and types, of the table or of an index, that carries the number."""
    text = str(PHANTOM + number)
    values = {"S": text, "N": text, "B": base64.b64encode(text.encode()).decode()}
    return {name: {kind: values[kind]} for name, kind in table.keys_of(index_name)}


def phantom_offset(table, key):
    """The number that phantom_key put in, or None."""
    name, kind = table.hash[0]
    text = key.get(name, {}).get(kind, "")
    text = base64.b64decode(text).decode("latin-1") if kind == "B" else text
    return int(text) - PHANTOM if re.fullmatch(r"9876\d{8}", text) else None


# Key conditions

def matching(table, request):
    """The items that satisfy the key condition, by the sort key of the table or index."""
    used = next((i for i in table.indexes if i["name"] == request.get("IndexName")), None)
    hash_key, range_key = (used["hash"], used["range"]) if used else (table.hash, table.range)
    terms = key_terms(request)
    found = [item for item in table.items
             if all(name in item for name, _ in hash_key + range_key) and all(term(item) for term in terms)]
    found.sort(key=lambda item: [comparable(item[name]) for name, _ in range_key])
    return found if request.get("ScanIndexForward", True) else found[::-1]


def key_terms(request):
    """The conjuncts of KeyConditionExpression as functions of an item."""
    text = request.get("KeyConditionExpression", "")
    text = re.sub(r"(?i)\bBETWEEN\s+(\S+)\s+AND\s+(\S+)", r"BETWEEN \1 , \2", text)
    return [key_term(part.strip().strip("()").strip(), request) for part in re.split(r"(?i)\s+AND\s+", text) if part]


def key_term(text, request):
    """One conjunct: a comparison, BETWEEN or begins_with."""
    words = re.findall(r"[#:\w.-]+|[<>=]+", text)
    if words[0] == "begins_with":
        words = [words[1], "begins_with", words[2]]
    name = request.get("ExpressionAttributeNames", {}).get(words[0], words[0])
    bounds = [comparable(request["ExpressionAttributeValues"][word]) for word in words[2:]]
    test = COMPARISONS[words[1].upper()]
    return lambda item: name in item and test(comparable(item[name]), *bounds)


COMPARISONS = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
               ">=": lambda a, b: a >= b, "BETWEEN": lambda a, b, c: b <= a <= c,
               "BEGINS_WITH": lambda a, b: a[1].startswith(b[1])}


def comparable(value):
    """A key value as something Python compares as DynamoDB does."""
    kind, content = next(iter(value.items()))
    if kind == "N":
        return kind, Decimal(content)
    return kind, base64.b64decode(content) if kind == "B" else content.encode()


def same(left, right):
    """Are two key values equal? 3 and 3.0 are."""
    return left is not None and right is not None and comparable(left) == comparable(right)


def with_capacity(document, request):
    """Adds the consumed capacity where it is requested: half a unit for each response."""
    if request.get("ReturnConsumedCapacity", "NONE") != "NONE":
        document["ConsumedCapacity"] = {"TableName": request.get("TableName"), "CapacityUnits": 0.5}
    return document


# Pages prepared by a test

class Pages:
    """Responds to Query and Scan, page by page, whatever is requested.

    A page is a list of items, a response without LastEvaluatedKey, or a Reply that is sent as it is. Instead of a list
    of pages there may be a function of the page's number, and the count. In a segmented scan every segment gets a
    contiguous part. repeat_key_at names a page that returns the key it was requested with.
    """

    def __init__(self, pages, count=None, repeat_key_at=None):
        self.page = pages if callable(pages) else pages.__getitem__
        self.count = len(pages) if count is None else count
        self.repeat_key_at = repeat_key_at

    def response(self, table, request):
        """The page that ExclusiveStartKey requests."""
        total, part = request.get("TotalSegments", 1), request.get("Segment", 0)
        first, end = self.count * part // total, self.count * (part + 1) // total
        start = request.get("ExclusiveStartKey")
        number = phantom_offset(table, start) if start else first
        if number is None:
            return error("ValidationException", "The provided starting key is invalid")
        if number >= end:
            return reply(with_capacity(page_document([], None, request), request))
        return self._reply(table, request, number, number + 1 < end)

    def _reply(self, table, request, number, more):
        page = self.page(number)
        if isinstance(page, (Reply, bytes)):
            return as_reply(page)
        name = request.get("IndexName")
        last = phantom_key(table, number + 1, name) if more else None
        if number == self.repeat_key_at:
            last = request.get("ExclusiveStartKey") or phantom_key(table, number, name)
        if isinstance(page, dict):
            return reply({**page, **({"LastEvaluatedKey": last} if last else {})})
        return reply(with_capacity(page_document(page, last, request), request))
