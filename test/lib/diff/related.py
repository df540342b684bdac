"""Tables that refer to each other, for joins: parents, children by key and by index, a link table, ids held in arrays.

A column may belong to a domain ("person", "team", "item", "order"): columns of one domain hold each other's values,
many of them several times, some of them dangling, in several types, so that any two may be joined.
"""
import copy
import uuid

from dynamo import index
from twins import Column, Partitioned, Table, keyed
from values import Array, Boolean, Date, Instant, Integer, Numeric, Text, Uuid


def drawing(kind, one):
    """The kind with other values: one(rng) gives a value, or none to take the kind's own."""
    own, other = kind.one, copy.copy(kind)
    other.one = lambda rng: one(rng) or own(rng)
    return other


def referring(kind, table, name, dangling=0.15):
    """The kind, with values that a column of another table (filled before) holds, and some that it does not."""
    known = table.by_name[name]

    def one(rng):
        if rng.random() < dangling or not known.pool:
            return None
        text = rng.choice(table.rows)[name] if table.rows else rng.choice(known.pool)[0]
        return next((value for value in known.pool if value[0] == text), None)
    return drawing(kind, one)


def words(*texts):
    """Text of these words only."""
    def one(rng):
        text = rng.choice(texts)
        return text, {"S": text}
    return drawing(Text(), one)


def bodies(rng):
    """Text so long that a batch of rows, or of responses, fills a small work_mem."""
    text = rng.choice("abcdef") * rng.choice([0, 10, 900, 3000, 6000])
    return text, {"S": text}


def any_uuid(rng):
    """A random uuid."""
    text = str(uuid.UUID(int=rng.getrandbits(128)))
    return text, {"S": text}


def ref(name, kind, domain, size, **more):
    """A column of a domain."""
    column = Column(name, kind, size=size, **more)
    column.domain = domain
    return column


def parents():
    """Teams, items and people: of one key each; they refer to each other, and people hold lists of others' ids."""
    team = Table("team", 14, [ref("id", Text(), "team", 16)],
                 [Column("level", Integer("int4"), size=5), Column("title", Text(collation="C"), size=8)])
    item = Table("item", 40, [ref("id", drawing(Uuid("uuid"), any_uuid), "item", 60)],
                 [ref("maker", referring(Text(), team, "id"), "team", 8), Column("price", Numeric((10, 2)), size=8),
                  ref("place", words(*"wxyzq"), "place", 5), Column("since", Date("date"), size=10)])
    item.add(ref("akin", referring(Text(collation="C"), item, "id", 0.05), "item", 20))
    person = Table("person", 70, [ref("id", Integer("int4"), "person", 140)],
                   [ref("team", referring(Text(collation="C"), team, "id"), "team", 14, absent=0.2),
                    Column("prefix", Text(collation="C"), size=10), Column("n", Numeric(), size=14),
                    Column("since", Date("date"), size=12, absent=0.05), Column("until", Date("date"), size=12),
                    Column("at", Instant("timestamptz", {"format": "epoch"}), size=10),
                    Column("score", Integer("int8"), size=6), Column("ok", Boolean("boolean"), size=2),
                    Column("body", drawing(Text(), bodies), size=12)])
    known = lambda kind: referring(kind, person, "id")
    person.add(ref("boss", known(Integer("int4")), "person", 16, absent=0.25, skew=True))
    person.add(ref("buddy", known(Numeric()), "person", 20, absent=0.2))
    person.add(ref("friends", Array(known(Integer("int4"))), "person", 30))
    person.add(ref("items", Array(referring(Text(), item, "id", 0.05)), "item", 30))
    return team, item, person


def make_related():
    """All of them, in the order to fill them in."""
    team, item, person = parents()
    of_person = lambda kind: referring(kind, person, "id")
    of_item = lambda kind: referring(kind, item, "id", 0.1)
    of_team = lambda kind: referring(kind, team, "id", 0.1)
    orders = Table("orders", 170, [ref("person", of_person(Integer("int4")), "person", 40, skew=True),
                                   keyed("day", Date("date"), 60)],
                   [ref("uid", drawing(Uuid("uuid"), any_uuid), "order", 120, absent=0.1),
                    ref("item", of_item(Uuid("uuid")), "item", 24), Column("total", Numeric(), size=20),
                    Column("status", Text(collation="C"), size=4), Column("n", Integer("int4"), size=8),
                    Column("body", drawing(Text(), bodies), size=12)], options={"fetch_size": 25})
    line = Table("line", 150, [ref("order_id", referring(Text(collation="C"), orders, "uid", 0.1), "order", 70),
                               keyed("sku", Text(collation="C"), 60)],
                 [ref("item", of_item(Text()), "item", 20), Column("n", Integer("int4"), size=8),
                  Column("price", Numeric(), size=12)], options={"fetch_size": 30})
    event = Table("event", 220, [Column("id", Text(), size=300)],
                  [ref("person", of_person(Integer("int4")), "person", 24, absent=0.3),
                   ref("team", of_team(Text()), "team", 10, absent=0.15, skew=True),
                   ref("item", of_item(Uuid("uuid")), "item", 16, absent=0.4, skew=True),
                   Column("at", Instant("timestamptz", {"format": "epoch"}), size=30, absent=0.1),
                   Column("day", Date("date"), size=20), Column("n", Integer("int4"), size=8),
                   Column("note", Text(), size=8), Column("body", drawing(Text(), bodies), size=12)],
                  [index("g_person", ("person", ""), ("at", "")), index("g_team", ("team", ""), None, "KEYS_ONLY"),
                   index("g_item", ("item", ""), ("day", ""), ["note"]),
                   index("g_both", [("team", ""), ("person", "")], [("day", "")])])
    link = Table("link", 110, [ref("person", of_person(Integer("int4")), "person", 30, skew=True),
                               ref("item", of_item(Uuid("uuid")), "item", 30)],
                 [Column("n", Integer("int4"), size=8), Column("weight", Numeric(), size=10)],
                 [index("g_item", ("item", ""), ("person", ""), "KEYS_ONLY"),
                  index("l_n", ("person", ""), ("n", ""), local=True)])
    visits = [Table("visit_" + name, count, [ref("team", of_team(Text()), "team", 10, skew=True),
                                             keyed("n", Integer("int8"), 30)],
                    [ref("person", of_person(Numeric()), "person", 20),
                     ref("place", words(*places), "place", len(places), not_null=True), Column("note", Text(), size=8)])
              for name, count, places in (("a", 40, "x"), ("b", 40, "yz"), ("c", 20, "w"))]
    visits[-1].local = True
    for table, server in ((orders, "two"), (event, "one"), (link, "one")):
        table.server = server
    return [team, item, person, orders, line, event, link, *visits, Partitioned("visit", visits, "place")]
