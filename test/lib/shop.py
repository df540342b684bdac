"""Tables for the tests of requests: orders with every kind of index, and keys of each type.

    orders     (cust S, at S)   local index by_total (cust, total); global by_status (status, at) with everything,
                                by_ship (ship) with keys only and few items, by_region (region, priority) with total
    readings   (sensor N, ts N)
    blobs      (h B, s B)
    users      (id S), a uuid
    nums       (n N)
    games      (id S)           global index by_place (country, city | year, title)
"""
import uuid
from decimal import Decimal

from dynamo import index

STATUSES = ["open", "paid", "sent"]


def orders():
    """20 customers with 30 orders each; every tenth order is shipped, every second one has a region."""
    for c in range(20):
        for o in range(30):
            order = {"cust": f"c{c:02d}", "at": f"2024-{o % 12 + 1:02d}-{o + 1:02d}", "status": STATUSES[o % 3],
                     "total": Decimal(o * 10) + Decimal("0.25"), "paid": o % 2 == 0, "tags": ["x", f"t{o}"],
                     "info": {"rating": o, "by": {"name": f"n{c}"}, "rest": "r" * 50}, "note": f"note {o}%"}
            if o % 10 == 0:
                order["ship"] = f"s{c}"
            if o % 2 == 0:
                order.update(region="eu" if c % 2 else "us", priority=o)
            if o % 7 == 0:
                del order["note"]
            yield order


def user_id(number):
    """The uuid of a user."""
    return str(uuid.UUID(int=number))


def games():
    """Games with all four attributes of by_place, and some without a title."""
    for g in range(60):
        game = {"id": f"g{g:02d}", "country": ["DE", "FR"][g % 2], "city": f"city{g % 5}", "year": 2000 + g % 10,
                "title": f"title {g:02d}", "score": g}
        if g % 12 == 0:
            del game["title"]
        yield game


COLUMNS = {
    "orders": 'cust text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL, status text, total numeric, paid boolean,'
              ' ship text, region text COLLATE "C", priority int, info jsonb, tags text[], note text',
    "readings": "sensor int NOT NULL, ts bigint NOT NULL, val numeric",
    "blobs": "h bytea NOT NULL, s bytea NOT NULL, v int",
    "users": "id uuid NOT NULL, name text, age int",
    "nums": "n numeric NOT NULL, sq numeric",
    "games": 'id text COLLATE "C" NOT NULL, country text, city text, year int, title text COLLATE "C", score int'}


def create(fx, *tables):
    """Make those tables in DynamoDB, fill them, and make foreign tables over them."""
    for table in tables:
        {"orders": create_orders, "readings": create_readings, "blobs": create_blobs, "users": create_users,
         "nums": create_nums, "games": create_games}[table](fx)
        fx.foreign_table(table, COLUMNS[table])


def create_orders(fx):
    """orders"""
    fx.create_table("orders", ("cust", "S"), ("at", "S"), [
        index("by_total", ("cust", "S"), ("total", "N"), local=True),
        index("by_status", ("status", "S"), ("at", "S")),
        index("by_ship", ("ship", "S"), projection="KEYS_ONLY"),
        index("by_region", ("region", "S"), ("priority", "N"), projection=["total"])])
    fx.put("orders", orders())


def create_readings(fx):
    """readings: 5 sensors, 40 times each"""
    fx.create_table("readings", ("sensor", "N"), ("ts", "N"))
    fx.put("readings", ({"sensor": s, "ts": t * 100, "val": Decimal(t) / 4} for s in range(5) for t in range(-10, 30)))


def create_blobs(fx):
    """blobs: 4 times 16"""
    fx.create_table("blobs", ("h", "B"), ("s", "B"))
    fx.put("blobs", ({"h": bytes([h]), "s": bytes([s * 16, 255]), "v": s} for h in range(1, 5) for s in range(16)))


def create_users(fx):
    """users: 50, some without an age"""
    fx.create_table("users", ("id", "S"))
    fx.put("users", ({"id": user_id(n), "name": f"user {n}", **({"age": n} if n % 5 else {})} for n in range(50)))


def create_nums(fx):
    """nums: 0 to 299"""
    fx.create_table("nums", ("n", "N"))
    fx.put("nums", ({"n": n, "sq": n * n} for n in range(300)))


def create_games(fx):
    """games"""
    fx.create_table("games", ("id", "S"), None, [
        index("by_place", [("country", "S"), ("city", "S")], [("year", "N"), ("title", "S")])])
    fx.put("games", games())


def pretend_large(fx, factor=1000):
    """From now on DescribeTable reports that tables and indexes are that much larger; they are what one finds outside."""
    def enlarge(value):
        if isinstance(value, list):
            return [enlarge(element) for element in value]
        if not isinstance(value, dict):
            return value
        return {name: content * factor if name in ("ItemCount", "TableSizeBytes", "IndexSizeBytes") else enlarge(content)
                for name, content in value.items()}
    fx.proxy.on("DescribeTable", lambda request: enlarge(fx.dynamo.call("DescribeTable", request.body)))
