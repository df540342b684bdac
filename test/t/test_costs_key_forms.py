"""What each form of a key costs: no more requests and read units than an expert would pay, at two sizes, analyzed and not.

Items have 200 bytes, so that a Query of 6 or 60 items of a partition reads 0.5 or 1.5 units, one of 120 items 3, of 300 items 7.5.
IDEAL_TABLE=1 in the environment prints what each statement costs next to the ideal.
"""
import datetime
import itertools
import json

import request_text
from dynamo import index
from request_text import Ideal, ideals

BYTES = 200
DAYS = [datetime.datetime(2026, 11, day) for day in range(1, 6)]
TIME = "timestamptz OPTIONS (format 'iso8601(0)') NOT NULL"
OWN_TIME = "timestamptz OPTIONS (attribute '{}', format 'iso8601(0)')"


def item(size=BYTES, **attributes):
    """An item of that size (bytes), by text that fills it up."""
    used = sum(len(name) + (len(value.encode()) if isinstance(value, str) else 2 if isinstance(value, int) else 0) for name, value in attributes.items())
    return {**attributes, "body": "x" * (size - used - len("body"))}


def iso(time):
    """As the keys have it."""
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def within(begin, length, count):
    """Times at equal distances in a period."""
    return [begin + n * length / count for n in range(count)]


def templates(pk, sk, **more):
    """The options of an entity."""
    return {"key_templates": json.dumps({"pk": pk, "sk": sk, **more})}


@ideals
class Times(request_text.IdealTestCase):
    """Partitions of days, hours, months and years, by dates and by times; of booleans and of words."""

    TABLES = {"app": (("pk", "S"), ("sk", "S"), [index("by_hour", ("gpk", "S"), ("sk", "S"))])}
    ENTITIES = {
        "daily": ("app", "tenant text NOT NULL, day date NOT NULL, n int NOT NULL", templates("D#${tenant}#${day}", "${n:padded(4)}")),
        "bill": ("app", "tenant text NOT NULL, month date NOT NULL, n int NOT NULL", templates("B#${tenant}#${month:pattern(YYYYMM)}", "${n:padded(4)}")),
        "event": ("app", f"tenant text NOT NULL, at {TIME}", templates("A#${tenant}#${at:day}", "${at}")),
        "hourly": ("app", f"tenant text NOT NULL, at {TIME}", {**templates("H#${tenant}#${at:hour}", "${at}", gpk="${at:trunc(YYYYMMDDHH24)}"), "trusted_indexes": "by_hour"}),
        "monthly": ("app", f"tenant text NOT NULL, at {TIME}", templates("M#${tenant}#${at:month}", "${at}")),
        "yearly": ("app", f"tenant text NOT NULL, at {TIME}", templates("Y#${tenant}#${at:year}", "${at}")),
        "zoned": ("app", f"tenant text NOT NULL, at {TIME}", templates("Z#${tenant}#${at:day(Europe/Berlin)}", "${at}")),
        "flag": ("app", "name text NOT NULL, flag boolean NOT NULL, n int NOT NULL", templates("F#${name}#${flag:bool(Y,N)}", "${n:padded(4)}")),
        "word": ("app", "name text NOT NULL, word text NOT NULL, n int NOT NULL", templates("W#${name}#${word:low|mid|high}", "${n:padded(4)}"))}
    DAY = "SELECT n FROM daily WHERE tenant = 'a' AND day "
    EVENT = "SELECT at FROM event WHERE tenant = 'a' AND at "
    LATEST = "SELECT x.at FROM tenants t, LATERAL (SELECT at FROM event e WHERE e.tenant = t.name AND at BETWEEN {} ORDER BY at DESC LIMIT 1) x"
    STATEMENTS = [
        # 1: ranges
        Ideal("days", DAY + "BETWEEN '2026-11-02' AND '2026-11-04'", 3, (1.5, 9)),
        Ideal("days in a generic plan", DAY + "BETWEEN $1 AND $2", 3, (1.5, 9), "('2026-11-02', '2026-11-04')"),
        Ideal("days of subqueries", DAY + "BETWEEN (SELECT lo FROM spans) AND (SELECT hi FROM spans)", 2, (1, 6)),
        Ideal("days of another table", "SELECT n FROM spans, daily WHERE tenant = 'a' AND day BETWEEN lo AND hi", 2, (1, 6)),
        Ideal("months", "SELECT n FROM bill WHERE tenant = 'a' AND month BETWEEN '2026-02-01' AND '2026-03-31'", 2, (1, 6)),
        Ideal("months in a generic plan", "SELECT n FROM bill WHERE tenant = 'a' AND month BETWEEN $1 AND $2", 2, (1, 6), "('2026-02-01', '2026-03-31')"),
        Ideal("both of a boolean", "SELECT n FROM flag WHERE name = 'a'", 2, (1, 6)),
        Ideal("one of a boolean", "SELECT n FROM flag WHERE name = 'a' AND NOT flag", 1, (0.5, 3)),
        Ideal("both of a boolean for names of another table", "SELECT n FROM tenants t JOIN flag f ON f.name = t.name", 4, (2, 12)),
        Ideal("all words", "SELECT n FROM word WHERE name = 'a'", 3, (1.5, 9)),
        Ideal("all words in a generic plan", "SELECT n FROM word WHERE name = $1", 3, (1.5, 9), "('a')"),
        Ideal("some words", "SELECT n FROM word WHERE name = 'a' AND word <> 'low'", 2, (1, 6)),
        Ideal("some words in a generic plan", "SELECT n FROM word WHERE name = 'a' AND word <> ALL ($1)", 1, (0.5, 3), "('{low,high}')"),
        # 2: units of times
        Ideal("a time in days", EVENT + ">= '2026-11-02 12:00' AND at < '2026-11-04'", 2, (1, 4.5)),
        Ideal("a time in days in a generic plan", EVENT + ">= $1 AND at < $2", 2, (1, 4.5), "('2026-11-02 12:00', '2026-11-04')"),
        Ideal("a time in days by another table", "SELECT at FROM spans, event WHERE tenant = 'a' AND at >= lo AND at < hi", 1, (0.5, 3)),
        Ideal("the newest", EVENT + "BETWEEN '2026-11-02' AND '2026-11-05 23:59' ORDER BY at DESC LIMIT 5", 1, 0.5),
        Ideal("the newest in a generic plan", EVENT + "BETWEEN $1 AND $2 ORDER BY at DESC LIMIT 5", 1, 0.5, "('2026-11-02', '2026-11-05 23:59')"),
        Ideal("the newest of each of another table", LATEST.format("'2026-11-02' AND '2026-11-05 23:59'"), 2, 1),
        Ideal("hours", "SELECT at FROM hourly WHERE tenant = 'a' AND at >= '2026-11-01 02:00' AND at < '2026-11-01 04:00'", 2, (1, 6)),
        Ideal("hours of an index", "SELECT at, tenant FROM hourly WHERE at >= '2026-11-01 02:00' AND at < '2026-11-01 04:00'", 2, (1, 6)),
        Ideal("hours of an index in a generic plan", "SELECT at, tenant FROM hourly WHERE at >= $1 AND at < $2", 2, (1, 6), "('2026-11-01 02:00', '2026-11-01 04:00')"),
        Ideal("a time in months", "SELECT at FROM monthly WHERE tenant = 'a' AND at >= '2026-02-01' AND at < '2026-04-01'", 2, (1, 6)),
        Ideal("a time in years", "SELECT at FROM yearly WHERE tenant = 'a' AND at >= '2022-01-01' AND at < '2024-01-01'", 2, (1, 6)),
        Ideal("a time in years in a generic plan", "SELECT at FROM yearly WHERE tenant = 'a' AND at >= $1 AND at < $2", 2, (1, 6), "('2022-01-01', '2024-01-01')"),
        Ideal("the newest of years", "SELECT at FROM yearly WHERE tenant = 'a' AND at BETWEEN '2021-01-01' AND '2024-12-31 23:59:59' ORDER BY at DESC LIMIT 5", 1, 0.5),
        Ideal("a time in days of a zone", "SELECT at FROM zoned WHERE tenant = 'a' AND at >= '2026-11-02 00:00+01' AND at < '2026-11-04 00:00+01'", 2, (1, 6)),
        Ideal("a time in days of a zone in a generic plan", "SELECT at FROM zoned WHERE tenant = 'a' AND at >= $1 AND at < $2", 2, (1, 6), "('2026-11-02 00:00+01', '2026-11-04 00:00+01')")]

    @classmethod
    def local(cls):
        cls.fx.execute("CREATE TABLE spans AS SELECT date '2026-11-02' AS lo, date '2026-11-03' AS hi; CREATE TABLE tenants AS SELECT unnest('{a,b}'::text[]) AS name; ANALYZE spans, tenants")

    @classmethod
    def items(cls, table, count):
        day, berlin = datetime.timedelta(days=1), datetime.timedelta(hours=1)
        for tenant in "ab":
            for begin in DAYS:
                for n, at in enumerate(within(begin, day, count)):
                    yield item(pk=f"D#{tenant}#{begin:%Y-%m-%d}", sk=f"{n:04}")
                    yield item(pk=f"A#{tenant}#{begin:%Y-%m-%d}", sk=iso(at))
            for n in range(count):
                yield from (item(pk=f"F#{tenant}#{flag}", sk=f"{n:04}") for flag in "YN")
                yield from (item(pk=f"W#{tenant}#{word}", sk=f"{n:04}") for word in ("low", "mid", "high"))
        for unit in range(1, 5):
            yield from (item(pk=f"B#a#2026{unit:02}", sk=f"{n:04}") for n in range(count))
            for at in within(datetime.datetime(2026, 11, 1, unit), datetime.timedelta(hours=1), count):
                yield item(pk=f"H#a#{at:%Y-%m-%dT%H}", sk=iso(at), gpk=f"{at:%Y%m%d%H}")
            yield from (item(pk=f"M#a#2026-{unit:02}", sk=iso(at)) for at in within(datetime.datetime(2026, unit, 1), 28 * day, count))
            yield from (item(pk=f"Y#a#{2020 + unit}", sk=iso(at)) for at in within(datetime.datetime(2020 + unit, 1, 1), 365 * day, count))
            yield from (item(pk=f"Z#a#{DAYS[unit]:%Y-%m-%d}", sk=iso(at - berlin)) for at in within(DAYS[unit], day, count))


@ideals
class Folded(request_text.IdealTestCase):
    """Stores of five regions, and their sales in the same partitions, by keys in lower case."""

    TABLES = {"shop": (("pk", "S"), ("sk", "S"), [index("by_region", ("gpk", "S"), ("gsk", "S"))])}
    ENTITIES = {
        "store": ("shop", "store text NOT NULL, region text NOT NULL", {**templates("$s#store_${store:lower}", "$store_1", gpk="$s#region_${region:lower}", gsk="$store_1#${store:lower}"), "trusted_indexes": "by_region"}),
        "sale": ("shop", "store text NOT NULL, no int NOT NULL", templates("$s#store_${store:lower}", "$sale_1#no_${no:padded(5)}"))}
    # 3; a region has four stores
    STATEMENTS = [
        Ideal("a constant", "SELECT no FROM sale WHERE store = 'Store3'", 1, (0.5, 3)),
        Ideal("a generic plan", "SELECT no FROM sale WHERE store = $1", 1, (0.5, 3), "('Store3')"),
        Ideal("a generic plan of one item", "SELECT no FROM sale WHERE store = $1 AND no = $2", 1, 0.5, "('Store3', 2)"),
        Ideal("a generic plan of a list", "SELECT no FROM sale WHERE store = ANY ($1)", 2, (1, 6), "('{Store3,Store4}')"),
        Ideal("a subquery", "SELECT no FROM sale WHERE store = (SELECT name FROM wanted ORDER BY name LIMIT 1)", 1, (0.5, 3)),
        Ideal("another table", "SELECT no FROM wanted JOIN sale ON store = name", 3, (1.5, 9)),
        Ideal("another entity", "SELECT s.store, no FROM store t JOIN sale s USING (store) WHERE region = 'North'", 5, (2.5, 12.5)),
        Ideal("another entity in a generic plan", "SELECT s.store, no FROM store t JOIN sale s USING (store) WHERE region = $1", 5, (2.5, 12.5), "('North')"),
        Ideal("the latest of another entity", "SELECT x.no FROM store t, LATERAL (SELECT no FROM sale s WHERE s.store = t.store ORDER BY no DESC LIMIT 1) x WHERE region = 'North'", 5, 2.5),
        Ideal("the latest of another table", "SELECT x.no FROM wanted, LATERAL (SELECT no FROM sale WHERE store = name ORDER BY no DESC LIMIT 1) x", 3, 1.5)]

    @classmethod
    def local(cls):
        cls.fx.execute("CREATE TABLE wanted AS SELECT 'Store' || n AS name FROM generate_series(1, 3) n; ANALYZE wanted")

    @classmethod
    def items(cls, table, count):
        for n in range(20):
            store, region = f"Store{n}", ("North", "East", "South", "West", "Far")[n % 5]
            yield item(pk=f"$s#store_{store.lower()}", sk="$store_1", store=store, region=region, gpk=f"$s#region_{region.lower()}", gsk=f"$store_1#{store.lower()}")
            yield from (item(pk=f"$s#store_{store.lower()}", sk=f"$sale_1#no_{no:05}", store=store) for no in range(count))


@ideals
class Merged(request_text.IdealTestCase):
    """The first rows of several partitions; a column that may be NULL is read from its own attribute."""

    SIZES = {"small": 15, "large": 300}
    TABLES = {"app": (("pk", "S"), ("sk", "S"), [index("by_status", ("gpk", "S"), ("gsk", "S"))])}
    ORDER = {**templates("O#${id}", "-", gpk="ST#${status}", gsk="${created}#${id}"), "trusted_indexes": "by_status"}
    LOOSE = {**templates("L#${id}", "-", gpk="LS#${status}", gsk="${created}#${id}"), "trusted_indexes": "by_status"}
    EVENT = templates("E#${tenant}#${shard:0..3}", "A#${at}")
    ENTITIES = {
        "orders": ("app", f"id text COLLATE \"C\" NOT NULL, status text OPTIONS (attribute 'status') NOT NULL, created {OWN_TIME.format('created')} NOT NULL, total int", ORDER),
        "loose": ("app", f"id text COLLATE \"C\" NOT NULL, status text OPTIONS (attribute 'status'), created {OWN_TIME.format('created')}, total int", LOOSE),
        "events": ("app", f"tenant text NOT NULL, shard int NOT NULL, at {OWN_TIME.format('at')} NOT NULL, total int", EVENT),
        "lax": ("app", f"tenant text NOT NULL, shard int NOT NULL, at {OWN_TIME.format('at')}, total int", EVENT)}
    # 4; two states, four shards of a tenant
    STATEMENTS = [
        Ideal("a column with an attribute of its own", "SELECT created FROM orders WHERE status IN ('open', 'paid') ORDER BY created DESC LIMIT 3", 2, 1),
        Ideal("ties by the next part", "SELECT id FROM orders WHERE status IN ('open', 'paid') ORDER BY created, id LIMIT 3", 2, 1),
        Ideal("ties by another column", "SELECT total FROM orders WHERE status IN ('open', 'paid', 'no') ORDER BY created DESC, total LIMIT 3", 3, 1.5),
        Ideal("a bound of the sort key", "SELECT created FROM orders WHERE status IN ('open', 'paid') AND created >= '2026-03-01' ORDER BY created LIMIT 3", 2, 1),
        Ideal("the greatest", "SELECT max(created) FROM orders WHERE status IN ('open', 'paid')", 2, 1),
        Ideal("a generic plan", "SELECT created FROM orders WHERE status IN ($1, $2) ORDER BY created DESC LIMIT 3", 2, 1, "('open', 'paid')"),
        Ideal("not null", "SELECT created, id FROM loose WHERE status IN ('open', 'paid') AND created IS NOT NULL ORDER BY created, id LIMIT 3", 2, 1),
        Ideal("not null by a bound", "SELECT created, id FROM loose WHERE status IN ('open', 'paid') AND created >= '2026-03-01' ORDER BY created DESC, id DESC LIMIT 3", 2, 1),
        Ideal("shards that no condition names", "SELECT at FROM events WHERE tenant = 't1' ORDER BY at DESC LIMIT 3", 4, 2),
        Ideal("shards in a generic plan", "SELECT at FROM events WHERE tenant = $1 ORDER BY at DESC LIMIT 3", 4, 2, "('t1')"),
        Ideal("shards that a condition names", "SELECT at FROM events WHERE tenant = 't1' AND shard IN (1, 2) ORDER BY at DESC LIMIT 3", 2, 1),
        Ideal("a range of shards", "SELECT at FROM events WHERE tenant = 't1' AND shard < 2 ORDER BY at DESC LIMIT 3", 2, 1),
        Ideal("shards of several tenants", "SELECT at FROM events WHERE tenant IN ('t0', 't1') ORDER BY at LIMIT 3", 8, 4),
        Ideal("shards and ties", "SELECT total, at FROM events WHERE tenant = 't0' ORDER BY at, total DESC LIMIT 3", 4, 2),
        Ideal("shards of a column that may be null", "SELECT at, total FROM lax WHERE tenant = 't1' AND at IS NOT NULL ORDER BY at DESC LIMIT 3", 4, 2),
        # without an order: all four shards, of 6 or 120 kB
        Ideal("all shards", "SELECT total FROM events WHERE tenant = 't1'", 4, (4, 60)),
        Ideal("half of the shards", "SELECT total FROM events WHERE tenant = 't1' AND shard >= 2", 2, (2, 30)),
        Ideal("half of the shards in a generic plan", "SELECT total FROM events WHERE tenant = $1 AND shard >= $2", 2, (2, 30), "('t1', 2)"),
        # 7: NULL where there is none
        Ideal("null or a list", "SELECT id FROM orders WHERE status IS NULL OR status IN ('open', 'paid')", 2, (2, 30))]

    @classmethod
    def items(cls, table, count):
        day = datetime.timedelta(days=1)
        for s, status in enumerate(("open", "paid", "sent", "gone")):
            for n, at in enumerate(within(datetime.datetime(2026, 1, 1), 300 * day, count)):
                key = f"{s}{n:04}"
                yield item(2 * BYTES, pk=f"O#{key}", sk="-", gpk=f"ST#{status}", gsk=f"{iso(at)}#{key}", created=iso(at), status=status, total=n)
        for status in ("open", "paid"):
            for n, at in enumerate(within(datetime.datetime(2026, 1, 1), 300 * day, count)):
                yield item(2 * BYTES, pk=f"L#{status}{n:04}", sk="-", gpk=f"LS#{status}", gsk=f"{iso(at)}#{status}{n:04}", created=iso(at), status=status, total=n)
            # without a time, and so not in the index
            yield from (item(2 * BYTES, pk=f"L#none{status}{n:04}", sk="-", gpk=f"LS#{status}", status=status, total=n) for n in range(count // 10))
        for tenant in ("t0", "t1"):
            for shard in range(4):
                yield from (item(2 * BYTES, pk=f"E#{tenant}#{shard}", sk=f"A#{iso(at)}", at=iso(at), total=n) for n, at in enumerate(within(datetime.datetime(2026, 1, 1, shard), 300 * day, count)))


@ideals
class Collections(request_text.IdealTestCase):
    """Customers, each with orders and three lines of each order, in one partition."""

    SIZES = {"small": 1, "large": 20}
    TABLES = {"shop": (("pk", "S"), ("sk", "S"))}
    ENTITIES = {"customer": ("shop", "customer text NOT NULL, name text", templates("C#${customer}", "PROFILE")),
                "orders": ("shop", 'customer text NOT NULL, no text COLLATE "C" NOT NULL, total int', templates("C#${customer}", "ORDER#${no}")),
                "lines": ("shop", 'customer text NOT NULL, no text COLLATE "C" NOT NULL, pos int NOT NULL, total int', templates("C#${customer}", "LINE#${no}#${pos}"))}
    # Before ANALYZE a collection is not known to be short, so its entities have requests of their own: if it has all of the table's 20 kB,
    # its Query reads 2.5 units, 1.5 more than two requests, to save half a unit at most.
    APART = {"small": (2, 1.0)}
    # 5; the partition has 1000 bytes, or 16 kB, of which the orders are 4 and the lines 12
    STATEMENTS = [
        Ideal("parent and children", "SELECT name, total FROM customer JOIN orders USING (customer) WHERE customer = 'c1'", (1, 2), (0.5, 1), known=APART),
        Ideal("parent and children in a generic plan", "SELECT name, total FROM customer JOIN orders USING (customer) WHERE customer = $1", (1, 2), (0.5, 1), "('c1')", known=APART),
        Ideal("children of two kinds", "SELECT o.total, l.total FROM orders o JOIN lines l USING (customer) WHERE customer = 'c1'", (1, 2), (0.5, 2), known=APART),
        Ideal("appended", "SELECT total FROM orders WHERE customer = 'c1' UNION ALL SELECT total FROM lines WHERE customer = 'c1'", (1, 2), (0.5, 2), known=APART),
        Ideal("three entities", "SELECT name, o.total, l.total FROM customer JOIN orders o USING (customer) JOIN lines l USING (customer) WHERE customer = 'c1'", (1, 3), (0.5, 2.5), known={"small": (3, 1.5)})]

    @classmethod
    def items(cls, table, count):
        for n in range(20):
            yield item(pk=f"C#c{n}", sk="PROFILE", name=f"n{n}")
            for order in range(count):
                yield item(pk=f"C#c{n}", sk=f"ORDER#{order:04}", total=order)
                yield from (item(pk=f"C#c{n}", sk=f"LINE#{order:04}#{line}", total=line) for line in range(3))


@ideals
class CollectionsOfTenants(request_text.IdealTestCase):
    """As Collections, by partition keys of two parts.

    A customer has one tenant. Members are numbered within a tenant; only extended statistics show how many there are, since otherwise
    PostgreSQL assumes that several columns have no more distinct values than a tenth of the rows.
    """

    SIZES = Collections.SIZES
    TABLES = {name: (("pk", "S"), ("sk", "S")) for name in ("shop", "club", "device")}
    KEY = "TENANT#${tenant}#CUSTOMER#${customer}"
    ENTITIES = {
        "customer": ("shop", "tenant text NOT NULL, customer text NOT NULL, name text", templates(KEY, "PROFILE")),
        "orders": ("shop", 'tenant text NOT NULL, customer text NOT NULL, no text COLLATE "C" NOT NULL, total int', templates(KEY, "ORDER#${no}")),
        "lines": ("shop", 'tenant text NOT NULL, customer text NOT NULL, no text COLLATE "C" NOT NULL, pos int NOT NULL, total int', templates(KEY, "LINE#${no}#${pos}")),
        "member": ("club", "tenant text NOT NULL, nr int NOT NULL, name text", templates("TENANT#${tenant}#MEMBER#${nr}", "PROFILE")),
        "visit": ("club", 'tenant text NOT NULL, nr int NOT NULL, no text COLLATE "C" NOT NULL, total int', templates("TENANT#${tenant}#MEMBER#${nr}", "VISIT#${no}")),
        "reading": ("device", f"device text NOT NULL, at {TIME}, total int", templates("D#${device}#${at:day}", "READING#${at}")),
        "alarm": ("device", f"device text NOT NULL, at {TIME}, total int", templates("D#${device}#${at:day}", "ALARM#${at}"))}
    APART = Collections.APART
    WHERE = "WHERE tenant = 't1' AND customer = 'c11'"
    STATEMENTS = [
        Ideal("parent and children", f"SELECT name, total FROM customer JOIN orders USING (tenant, customer) {WHERE}", (1, 2), (0.5, 1), known=APART),
        Ideal("parent and children in a generic plan", "SELECT name, total FROM customer JOIN orders USING (tenant, customer) WHERE tenant = $1 AND customer = $2", (1, 2), (0.5, 1), "('t1', 'c11')", known=APART),
        Ideal("children of two kinds", f"SELECT o.total, l.total FROM orders o JOIN lines l USING (tenant, customer) {WHERE}", (1, 2), (0.5, 2), known=APART),
        Ideal("appended", f"SELECT total FROM orders {WHERE} UNION ALL SELECT total FROM lines {WHERE}", (1, 2), (0.5, 2), known=APART),
        Ideal("three entities", f"SELECT name, o.total, l.total FROM customer JOIN orders o USING (tenant, customer) JOIN lines l USING (tenant, customer) {WHERE}", (1, 3), (0.5, 2.5), known={"small": (3, 1.5)}),
        # the partition has 800 bytes, or 12,200
        Ideal("numbers within a tenant", "SELECT name, total FROM member JOIN visit USING (tenant, nr) WHERE tenant = 't1' AND nr = 3", 1, (0.5, 1.5), known={**APART, "large": (2, 2.0)}),
        # a day has many times
        Ideal("times of a day", "SELECT r.total, a.total FROM reading r JOIN alarm a USING (device, at) WHERE device = 'd1' AND at = '2026-11-02'", 2, 1)]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for size in cls.SIZES:
            cls.fx.execute(f'SET search_path = "{size} analyzed", public')
            for entity in ("member", "visit"):
                cls.fx.execute(f"CREATE STATISTICS {entity}_keys (ndistinct) ON tenant, nr FROM {entity}; ANALYZE {entity}")

    @classmethod
    def items(cls, table, count):
        if table == "device":
            for device, day in itertools.product(range(3), DAYS):
                for total, at in enumerate(within(day, datetime.timedelta(days=1), 6 * count)):
                    yield from (item(pk=f"D#d{device}#{day:%Y-%m-%d}", sk=f"{kind}#{iso(at)}", total=total) for kind in ("READING", "ALARM"))
            return
        for tenant, nr in itertools.product(range(10), range(10 if table == "club" else 2)):
            key = f"TENANT#t{tenant}#MEMBER#{nr}" if table == "club" else f"TENANT#t{tenant}#CUSTOMER#c{tenant}{nr}"
            yield item(pk=key, sk="PROFILE", name=f"n{nr}")
            if table == "club":
                yield from (item(pk=key, sk=f"VISIT#{no:04}", total=no) for no in range(3 * count))
            else:
                for order in range(count):
                    yield item(pk=key, sk=f"ORDER#{order:04}", total=order)
                    yield from (item(pk=key, sk=f"LINE#{order:04}#{line}", total=line) for line in range(3))


@ideals
class LongCollections(request_text.IdealTestCase):
    """One customer with many orders; the entities are joined inside the partition."""

    SIZES = {"small": 50, "large": 1000}
    TABLES, ENTITIES = Collections.TABLES, Collections.ENTITIES
    # 8; orders of 10 or 200 kB, lines of 30 or 600 kB
    STATEMENTS = [
        Ideal("joined", "SELECT o.total, l.total FROM orders o JOIN lines l USING (customer, no) WHERE customer = 'c1'", 2, (5.5, 98.5)),
        Ideal("joined in a generic plan", "SELECT o.total, l.total FROM orders o JOIN lines l USING (customer, no) WHERE customer = $1", 2, (5.5, 98.5), "('c1')"),
        Ideal("left", "SELECT o.total, l.total FROM orders o LEFT JOIN lines l USING (customer, no) WHERE o.customer = 'c1'", 2, (5.5, 98.5)),
        Ideal("exists", "SELECT total FROM orders o WHERE customer = 'c1' AND EXISTS (SELECT FROM lines l WHERE l.customer = o.customer AND l.no = o.no)", 2, (5.5, 98.5)),
        Ideal("one order", "SELECT o.total, l.total FROM orders o JOIN lines l USING (customer, no) WHERE customer = 'c1' AND no = '0007'", 2, 1)]

    @classmethod
    def items(cls, table, count):
        for order in range(count):
            yield item(pk="C#c1", sk=f"ORDER#{order:04}", total=order)
            yield from (item(pk="C#c1", sk=f"LINE#{order:04}#{line}", total=line) for line in range(3))


@ideals
class Lists(request_text.IdealTestCase):
    """Orders with their lines as elements; an index that some items are in; sets of keys."""

    SIZES = {"small": 20, "large": 400}
    TABLES = {"app": (("pk", "S"), None, [index("by_email", ("email", "S"))]), "person": (("id", "S"),)}
    ENTITIES = {
        "orders": ("app", "id text COLLATE \"C\" NOT NULL, total int", {"key_templates": '{"pk": "O#${id}"}'}),
        "tag": ("app", "id text COLLATE \"C\" NOT NULL, tag text OPTIONS (path '@') COLLATE \"C\"", {"key_templates": '{"pk": "O#${id}"}', "unnest": "tags"}),
        "company": ("app", "id text COLLATE \"C\" NOT NULL, total int", {"key_templates": '{"pk": "C#${id}"}'}),
        "app_user": ("app", "id text COLLATE \"C\" NOT NULL, email text COLLATE \"C\" NOT NULL", {"key_templates": '{"pk": "U#${id}"}', "trusted_indexes": "by_email"}),
        "magazine_subscription": ("app", "title text NOT NULL, subscription_id text OPTIONS (path '@')", {"key_templates": '{"pk": "M#${title}"}', "unnest": "ids"}),
        "subscription_person": ("app", "subscription_id text NOT NULL, person_id text OPTIONS (path '@')", {"key_templates": '{"pk": "S#${subscription_id}"}', "unnest": "ids"}),
        "person": ("person", "id text NOT NULL, total int", {})}
    KEYS = ", ".join(f"'{n:03}'" for n in range(8))
    # Items of 200 bytes cost half a unit each by BatchGetItem.
    STATEMENTS = [
        # 5
        Ideal("equal lists", f"SELECT total, tag FROM (SELECT * FROM orders WHERE id IN ({KEYS})) o JOIN (SELECT * FROM tag WHERE id IN ({KEYS})) t USING (id)", 1, 4),
        Ideal("equal lists appended", f"SELECT id FROM orders WHERE id IN ({KEYS}) UNION ALL SELECT tag FROM tag WHERE id IN ({KEYS})", 1, 4),
        # the index is within the table, which is read anyway: 21 or 416 kB
        Ideal("a table and its index", "SELECT id FROM company UNION ALL SELECT email FROM app_user", 1, (3, 51)),
        # B6: a magazine, its two subscriptions, their four persons
        Ideal("lists of two steps", "SELECT p.total FROM magazine_subscription m JOIN subscription_person s USING (subscription_id) JOIN person p ON p.id = s.person_id WHERE m.title = 'A'", 3, 3.5),
        Ideal("lists of two steps of several", "SELECT p.total FROM magazine_subscription m JOIN subscription_person s USING (subscription_id) JOIN person p ON p.id = s.person_id"
              " WHERE m.title IN ('A', 'B', 'C')", 3, 10.5)]

    @classmethod
    def items(cls, table, count):
        if table == "person":
            yield from (item(id=f"p{n:04}", total=n) for n in range(10 * count))
            return
        for n in range(count):
            yield item(pk=f"O#{n:03}", total=n, tags=["a", "b"])
            yield item(pk=f"C#{n:03}", total=n)
            yield item(pk=f"M#{chr(65 + n) if n < 26 else n}", ids=[f"s{2 * n}", f"s{2 * n + 1}"])
            yield from (item(pk=f"S#s{2 * n + i}", ids=[f"p{4 * n + 2 * i:04}", f"p{4 * n + 2 * i + 1:04}"]) for i in range(2))
            if n % 5 == 0:
                yield item(pk=f"U#{n:03}", email=f"e{n}@x")
