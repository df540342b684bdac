"""A DynamoDB that grants only so many read units a second, and throttles what goes beyond.

Each table and index has a bucket of tokens, and so has each partition key, up to the 3,000 units a second of a partition: a
bucket holds what it is filled with in a second, and is full at the beginning (no saved burst). A request is granted while its
buckets are not empty, and takes what it costs, even if that is more; BatchGetItem goes key by key, and leaves the rest
unprocessed. Items may be said to be larger than they are, so that many units are few bytes. A local index has short
entries, and what it does not project is fetched, item by item. Strongly consistent reads cost twice as much.

    with Metered() as fake:
        fake.metered("t", units=250, item_bytes=40960, items=[...])
        ...
        fake.meter("t").used, fake.throttled
"""
import math
import re
import time

from fake import FakeDynamo
from replies import reply, throttle
from tables import Table, key_parts, same

PARTITION_UNITS = 3000      # a second
PAGE_BYTES = 1024 * 1024
ENTRY_BYTES = 100           # of an index


class Bucket:
    """Tokens, filled at a rate that may change at a time."""

    def __init__(self, units, clock=time.monotonic):
        self.units, self.clock, self.level, self.filled = units, clock, units, clock()
        self.used = 0.0

    def set(self, units):
        """From now on it is filled at another rate."""
        self.fill()
        self.units = units
        self.level = min(self.level, units)

    def fill(self):
        """Add what has come since the last time."""
        now = self.clock()
        self.level = min(self.units, self.level + self.units * (now - self.filled))
        self.filled = now

    def has_some(self):
        """Is a request granted now?"""
        self.fill()
        return self.level > 0

    def take(self, units):
        """A request was granted."""
        self.level -= units
        self.used += units


class MeteredTable(Table):
    """A table whose items are found by partition key, and which has buckets."""

    def meter(self, units, item_bytes, partition_units):
        """The buckets."""
        self.bucket, self.item_bytes, self.partition_units = Bucket(units), item_bytes, partition_units
        self.partitions, self.collections = {}, {}
        for item in self.items:
            self.collections.setdefault(self.partition_of(item), []).append(item)
        self.throttled = self.granted = self.left = 0

    def partition_of(self, item):
        """The partition key as text."""
        return "|".join(next(iter(item[name].values())) for name, _ in self.hash)

    def partition_bucket(self, name):
        """The bucket of a partition key; the whole table is one partition to a Scan."""
        if name not in self.partitions:
            self.partitions[name] = Bucket(self.partition_units)
        return self.partitions[name]

    def describe(self):
        """With the provisioned capacity."""
        document = super().describe()
        del document["BillingModeSummary"]
        document["ProvisionedThroughput"] = {"ReadCapacityUnits": self.bucket.units, "WriteCapacityUnits": 1}
        document["TableSizeBytes"] = self.size_bytes or len(self.items) * self.item_bytes
        return document

    def grants(self, partition):
        """True, or the reason why not."""
        if not self.bucket.has_some():
            return "TableReadProvisionedThroughputExceeded"
        if not self.partition_bucket(partition).has_some():
            return "TableReadKeyRangeThroughputExceeded"
        return True

    def take(self, partition, units):
        """What was granted costs so much."""
        self.bucket.take(units)
        self.partition_bucket(partition).take(units)


class Metered(FakeDynamo):
    """The scripted server with such tables."""

    def metered(self, name, units, item_bytes=400, partition_units=PARTITION_UNITS, hash_key=("pk", "S"), range_key=None, items=(),
                indexes=(), **details):
        """Define one."""
        table = MeteredTable(name, key_parts(hash_key), key_parts(range_key), list(indexes), list(items), **details)
        table.meter(units, item_bytes, partition_units)
        self.tables[name] = table
        return table

    def answer_batch(self, request):
        """Key by key."""
        [(name, wanted)] = request["RequestItems"].items()
        table, found, units = self.tables[name], [], 0
        for done, key in enumerate(wanted["Keys"]):
            partition = table.partition_of(key)
            granted = table.grants(partition)
            if granted is not True:
                break
            cost = key_units(table.item_bytes, wanted)
            table.take(partition, cost)
            units += cost
            found += [item for item in table.collections.get(partition, ()) if all(same(item[n], v) for n, v in key.items())]
        else:
            done = len(wanted["Keys"])
        if done == 0:
            table.throttled += 1
            return throttle(granted)
        table.granted += 1
        rest = wanted["Keys"][done:]
        table.left += bool(rest)
        return reply({"Responses": {name: found}, "UnprocessedKeys": {name: {**wanted, "Keys": rest}} if rest else {},
                      "ConsumedCapacity": [{"TableName": name, "CapacityUnits": units}]})

    @staticmethod
    def _get(table, request):
        partition = table.partition_of(request["Key"])
        granted = table.grants(partition)
        if granted is not True:
            table.throttled += 1
            return throttle(granted)
        table.granted += 1
        units = key_units(table.item_bytes, request)
        table.take(partition, units)
        found = [item for item in table.collections.get(partition, ()) if all(same(item[n], v) for n, v in request["Key"].items())]
        return reply({**({"Item": found[0]} if found else {}), **consumed(request, units)})

    @staticmethod
    def _query(table, request):
        names = request.get("ExpressionAttributeNames", {})
        words = dict(re.findall(r"([#\w.-]+) = (:\w+)", request["KeyConditionExpression"]))
        values = {names.get(name, name): request["ExpressionAttributeValues"][value] for name, value in words.items()}
        partition = table.partition_of(values)
        return page(table, request, partition, table.collections.get(partition, []))

    @staticmethod
    def _scan(table, request):
        segment, total, items = request.get("Segment", 0), request.get("TotalSegments", 1), table.items
        return page(table, request, "", items[len(items) * segment // total:len(items) * (segment + 1) // total])


def price(request):
    """Of 4 kB."""
    return 1 if request.get("ConsistentRead") else 0.5


def key_units(item_bytes, request):
    """Of an item read by its key."""
    return math.ceil(item_bytes / 4096) * price(request)


def page_units(table, request, count):
    """Of a page, and of the items that are fetched for it."""
    index = request.get("IndexName")
    units = max(math.ceil(count * (ENTRY_BYTES if index else table.item_bytes) / 4096), 1) * price(request)
    if index and request.get("Select") != "COUNT":
        units += count * key_units(table.item_bytes, request)
    return units


def consumed(request, units):
    """The member that tells the units, where it is asked for."""
    return {"ConsumedCapacity": {"TableName": request["TableName"], "CapacityUnits": units}}


def page(table, request, partition, items):
    """A page of these items, if it is granted."""
    granted = table.grants(partition)
    if granted is not True:
        table.throttled += 1
        return throttle(granted)
    table.granted += 1
    begin = position(table, items, request.get("ExclusiveStartKey"))
    count = min(request.get("Limit") or len(items), max(PAGE_BYTES // table.item_bytes, 1))
    shown = items[begin:begin + count]
    units = page_units(table, request, len(shown))
    table.take(partition, units)
    document = {"Count": len(shown), "ScannedCount": len(shown), **consumed(request, units)}
    if request.get("Select") != "COUNT":
        document["Items"] = shown
    if begin + count < len(items):
        document["LastEvaluatedKey"] = {name: shown[-1][name] for name, _ in table.keys_of(request.get("IndexName"))}
    return reply(document)


def position(table, items, start):
    """The offset behind the item with that key."""
    if not start:
        return 0
    names = [name for name, _ in table.hash + table.range]
    return next(n for n, item in enumerate(items, 1) if all(item[name] == start[name] for name in names))
