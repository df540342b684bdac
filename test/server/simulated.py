"""The time and the units that DynamoDB would need for many requests, by simulating them one by one.

This knows nothing of the planner: it is DynamoDB as its developer guide describes it. A page of a Query or Scan ends at 1 MB
and costs its bytes in steps of 4 kB, a key its own item's, whether there is one or not; a partition has at most 10 GB and
serves 3,000 units a second, the table what it was created with, and five minutes of what it did not use; a request is one
round trip, and 20 ms for each megabyte; the client has 16 of them in flight, waits for what the table grants, and handles
responses one after the other.

    Service(size=GB, item=4000, capacity=25).run(scan)      (milliseconds, units)
"""
import heapq
import math
import random

KB, MB, GB = 1024, 1024 ** 2, 1024 ** 3
ROUND_TRIP, PER_MEGABYTE = 5.0, 20.0            # ms
PER_REQUEST, PER_KEY, PER_ITEM = 0.070, 0.003, 0.0003
IN_FLIGHT = 16
PARTITION_UNITS, QUOTA, NEW_PARTITIONS, SAVED_SECONDS = 3000, 40_000, 4, 150
EVENTS = 400        # of a longer run, each event stands for several requests in a row


def units_of(size):
    """Eventually consistent."""
    return max(1, math.ceil(size / (4 * KB))) / 2


class Bucket:
    """Tokens over simulated milliseconds; a request is granted while there are some, and takes what it costs."""

    def __init__(self, rate, saved):
        self.rate, self.most, self.level, self.time = rate / 1000, max(saved, rate), max(saved, rate), 0.0

    def next_grant(self, now):
        """The first time from now on at which there are some."""
        level = min(self.most, self.level + self.rate * (now - self.time))
        return now if level > 0 else now - level / self.rate

    def take(self, now, units):
        """At that time."""
        self.level = min(self.most, self.level + self.rate * (now - self.time)) - units
        self.time = max(now, self.time)


class Service:
    """One table (or index) with its partitions; `capacity` None is on demand."""

    def __init__(self, size, item, capacity):
        self.size, self.item, self.items = size, item, int(size / item)
        self.partitions = max(math.ceil(size / (10 * GB)), math.ceil((capacity or 0) / PARTITION_UNITS), 1 if capacity else NEW_PARTITIONS)
        rate = capacity or min(QUOTA, PARTITION_UNITS * self.partitions)
        self.table = Bucket(rate, SAVED_SECONDS * capacity if capacity else rate)
        self.buckets = [Bucket(PARTITION_UNITS, PARTITION_UNITS) for _ in range(self.partitions)]

    def grant(self, now, units, partitions):
        """When the request gets its response at last; its units are taken."""
        shared = [self.buckets[p] for p in partitions]
        now = max(bucket.next_grant(now) for bucket in [self.table, *shared])
        self.table.take(now, units)
        for bucket in shared:
            bucket.take(now, units / len(shared))
        return now

    def run(self, streams, growing=False):
        """Streams are iterators of requests (units, bytes, cpu ms, partitions, how many in a row), each sent after the one before.

        Growing, only one is sent at first, and each response is followed by one more than before.
        """
        waiting, free, units = iter(streams), 0.0, 0.0
        ready = [(0.0, n, stream) for n, stream in zip(range(1 if growing else IN_FLIGHT), waiting)]
        slots = len(ready) if growing else IN_FLIGHT
        end = 0.0
        while ready:
            now, slot, stream = heapq.heappop(ready)
            request = next(stream, None)
            if request is None:
                following = next(waiting, None)
                if following is not None:
                    heapq.heappush(ready, (now, slot, following))
                continue
            cost, size, cpu, partitions, count = request
            granted = self.grant(now, cost * count, partitions)
            arrived = granted + count * (ROUND_TRIP + size / MB * PER_MEGABYTE)
            free = max(free + cpu * count, arrived)
            units += cost * count
            end = max(end, free)
            heapq.heappush(ready, (arrived, slot, stream))
            if slots < IN_FLIGHT:
                heapq.heappush(ready, (arrived, slots, next(waiting, iter(()))))
                slots += 1
        return end, units


def scan(service, part=1.0):
    """Of the table, or of its beginning, in segments of four pages at least."""
    pages = max(1, math.ceil(service.size * part / MB))
    segments = min(IN_FLIGHT, max(1, pages // 4)) if part == 1 else 1
    each = pages / segments
    size = min(MB, max(service.size * part, min(service.item, service.size)))
    count = max(1, math.ceil(pages / EVENTS))

    def segment(number):
        done = 0
        while done < each:
            now = min(count, math.ceil(each - done))
            place = min(service.partitions - 1, int((number + done / each) / segments * part * service.partitions))
            yield units_of(size), size, size / service.item * PER_ITEM, [place], now
            done += now
    return [segment(number) for number in range(segments)]


def one_by_one(service, requests, describe):
    """Requests that do not wait for one another; `describe` gives the first ... of each kind."""
    rng = random.Random(1)
    for number, keys, cost, size, cpu in describe:
        count = max(1, math.ceil(requests / EVENTS))
        for done in range(0, number, count):
            partitions = range(service.partitions) if keys >= service.partitions else \
                [rng.randrange(service.partitions) for _ in range(keys)]
            yield iter([(cost, size, cpu, partitions, min(count, number - done))])


def gets(service, keys):
    """Of complete primary keys, in batches of 100 or 4 MB, of which some have no item."""
    batch = max(1, min(100, 4 * MB // service.item))
    found = min(keys, service.items)
    kinds = [(math.ceil(found / batch), units_of(service.item), service.item), (math.ceil((keys - found) / batch), 0.5, 0)]
    in_batch = min(batch, keys)
    cpu = PER_REQUEST + in_batch * (PER_KEY + PER_ITEM)
    return one_by_one(service, math.ceil(keys / batch), [(number, in_batch, in_batch * cost, in_batch * size, cpu)
                                                         for number, cost, size in kinds])


def queries(service, keys, length, shown=None, item=None, fetched=0):
    """Of partitions of that many items, of which some are read (all), while there are that many partitions.

    They have the size of the table's items, but in an index, which has DynamoDB fetch some of them from the table.
    """
    found = min(keys, service.items // length)
    shown = shown or length
    full = shown * (item or service.item)
    pages = max(1, math.ceil(full / MB))
    cost = units_of(full / pages) * pages + fetched * units_of(service.item)
    cpu = PER_REQUEST * pages + shown * PER_ITEM
    return one_by_one(service, keys, [(found, 1, cost, full + fetched * service.item, cpu), (keys - found, 1, 0.5, 0, PER_REQUEST)])


def queries_then_gets(service, keys, length, item):
    """Of an index with items of that size, then of the table's items."""
    yield from queries(service, keys, length, item=item)
    yield from gets(service, min(keys * length, service.items))


def first_by_index(service, keys, found, item):
    """Keys of an index one after the other until one is found, or not, and its item."""
    if not found:
        yield from queries(service, keys, service.items + 1, item=item)
        return
    [query], [get] = queries(service, 1, 1, item=item), gets(service, 1)
    yield iter([*query, *get])
