"""A DynamoDB that grants a number of read units per second, and throttles what goes beyond.

Each table and index has a bucket of tokens, and so has each partition key, up to the 3,000 units a second of a partition: a
bucket holds what it is filled with in a second, and is full at the beginning (no saved burst). A request is granted while its
buckets are not empty, and takes what it costs, even if that is more; BatchGetItem goes key by key, and leaves the rest
unprocessed. Items may be declared larger than they are, so that many units are few bytes, and they need not be held: any
sequence will do, such as Generated. A local index has short entries, and what it does not project is fetched, item by
item. Strongly consistent reads cost twice as much. Writes have a bucket of their own: PutItem, if no item has the key, and
UpdateItem and DeleteItem, which change nothing.

    with Metered() as fake:
        fake.metered("t", units=250, item_bytes=40960, items=[...])
        ...
        fake.meter("t").used, fake.throttled
"""
import bisect
import collections.abc
import math
import re
import time

from fake import FakeDynamo
from replies import error, reply, throttle
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


class Generated(collections.abc.Sequence):
    """Items that are made, each time again, when they are requested."""

    def __init__(self, count, make):
        self.count, self.make = count, make

    def __len__(self):
        return self.count

    def __getitem__(self, n):
        if not 0 <= n < self.count:
            raise IndexError
        return self.make(n)


class MeteredTable(Table):
    """A table whose items are found by partition key, and which has buckets."""

    def meter(self, units, item_bytes, partition_units, write_units):
        """The buckets."""
        self.writes = Bucket(write_units)
        self.written = self.refused = 0
        self.bucket, self.item_bytes, self.partition_units = Bucket(units), item_bytes, partition_units
        self.partitions, self.collections, self.ends = {}, {}, {}
        for n, item in enumerate(self.items):
            self.collections.setdefault(self.partition_of(item), []).append(n)
        self.throttled = self.granted = self.left = 0
        self.reports_units = True

    def partition_of(self, item):
        """The partition key as text."""
        return "|".join(next(iter(item[name].values())) for name, _ in self.hash)

    def find(self, key):
        """The items of that key: one, or none."""
        items = (self.items[n] for n in self.collections.get(self.partition_of(key), ()))
        return [item for item in items if all(same(item[name], value) for name, value in key.items())]

    def last_key(self, n, index):
        """The LastEvaluatedKey of a page that ends with the item of this number."""
        item = self.items[n]
        self.ends[self.key_of(item)] = n
        return {name: item[name] for name, _ in self.keys_of(index)}

    def key_of(self, item):
        """Its key as a tuple."""
        return tuple(next(iter(item[name].values())) for name, _ in self.hash + self.range)

    def partition_bucket(self, name):
        """The bucket of a partition key; the entire table is one partition to a Scan."""
        if name not in self.partitions:
            self.partitions[name] = Bucket(self.partition_units)
        return self.partitions[name]

    def describe(self):
        """With the provisioned capacity; `units` sets another one, 0 on demand, and an index its own."""
        document, own = super().describe(), {index["name"]: index.get("units") for index in self.indexes}
        document.pop("BillingModeSummary", None)
        units = self.bucket.units if self.units is None else self.units
        for part in [document, *document.get("GlobalSecondaryIndexes", ())]:
            granted = own.get(part.get("IndexName"))
            part["ProvisionedThroughput"] = {"ReadCapacityUnits": units if granted is None else granted, "WriteCapacityUnits": 1}
        document["TableSizeBytes"] = len(self.items) * self.item_bytes if self.size_bytes is None else self.size_bytes
        return document

    def grants(self, partition):
        """True, or the reason why not."""
        if not self.bucket.has_some():
            return "TableReadProvisionedThroughputExceeded"
        if not self.partition_bucket(partition).has_some():
            return "TableReadKeyRangeThroughputExceeded"
        return True

    def take(self, partition, units):
        """The read units of what was granted."""
        self.bucket.take(units)
        self.partition_bucket(partition).take(units)


class Metered(FakeDynamo):
    """The scripted server with such tables."""

    def metered(self, name, units, item_bytes=400, partition_units=PARTITION_UNITS, hash_key=("pk", "S"), range_key=None, items=(),
                indexes=(), write_units=40000, **details):
        """Define one."""
        table = MeteredTable(name, key_parts(hash_key), key_parts(range_key), list(indexes), list(items), **details)
        table.meter(units, item_bytes, partition_units, write_units)
        self.tables[name] = table
        return table

    async def default(self, request, connection):
        if request.operation in ("PutItem", "UpdateItem", "DeleteItem"):
            return self._write(self.tables[request.body["TableName"]], request.body)
        return await super().default(request, connection)

    @staticmethod
    def _write(table, request):
        if not table.writes.has_some():
            table.refused += 1
            return throttle("TableWriteProvisionedThroughputExceeded")
        units = math.ceil(table.item_bytes / 1024)
        table.writes.take(units)
        if "Item" in request and table.find({name: request["Item"][name] for name, _ in table.hash + table.range}):
            return error("ConditionalCheckFailedException")
        if "Item" in request:
            table.collections.setdefault(table.partition_of(request["Item"]), []).append(len(table.items))
            table.items.append(request["Item"])
        table.written += 1
        return reply(consumed(table, units))

    def respond_batch(self, request):
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
            found += table.find(key)
        else:
            done = len(wanted["Keys"])
        if done == 0:
            table.throttled += 1
            return throttle(granted)
        table.granted += 1
        rest = wanted["Keys"][done:]
        table.left += bool(rest)
        units_member = {name: [one] for name, one in consumed(table, units).items()}
        return reply({"Responses": {name: found}, "UnprocessedKeys": {name: {**wanted, "Keys": rest}} if rest else {}, **units_member})

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
        found = table.find(request["Key"])
        return reply({**({"Item": found[0]} if found else {}), **consumed(table, units)})

    @staticmethod
    def _query(table, request):
        names = request.get("ExpressionAttributeNames", {})
        words = dict(re.findall(r"([#\w.-]+) = (:\w+)", request["KeyConditionExpression"]))
        values = {names.get(name, name): request["ExpressionAttributeValues"][value] for name, value in words.items()}
        partition = table.partition_of(values)
        return page(table, request, partition, table.collections.get(partition, []))

    @staticmethod
    def _scan(table, request):
        segment, total, count = request.get("Segment", 0), request.get("TotalSegments", 1), len(table.items)
        return page(table, request, "", range(count * segment // total, count * (segment + 1) // total))


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


def consumed(table, units):
    """The member that reports the units, of a service that does."""
    return {"ConsumedCapacity": {"TableName": table.name, "CapacityUnits": units}} if table.reports_units else {}


def page(table, request, partition, numbers):
    """A page of the items of these numbers, if it is granted."""
    granted = table.grants(partition)
    if granted is not True:
        table.throttled += 1
        return throttle(granted)
    table.granted += 1
    start = request.get("ExclusiveStartKey")
    begin = bisect.bisect(numbers, table.ends[table.key_of(start)]) if start else 0
    count = min(request.get("Limit") or len(numbers), max(PAGE_BYTES // table.item_bytes, 1))
    shown = numbers[begin:begin + count]
    units = page_units(table, request, len(shown))
    table.take(partition, units)
    document = {"Count": len(shown), "ScannedCount": len(shown), **consumed(table, units)}
    if request.get("Select") != "COUNT":
        document["Items"] = [table.items[n] for n in shown]
    if begin + count < len(numbers):
        document["LastEvaluatedKey"] = table.last_key(shown[-1], request.get("IndexName"))
    return reply(document)
