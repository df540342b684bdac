"""Tables with columns that show the item itself, or what no other column shows of it."""
from dynamo import index
from edges import number, of_feature
from twins import Column, Table, choose, keyed
from values import Document, Instant, Integer, Json, Numeric, Text

DOCUMENTS = "documents of items"


class Documented(Table):
    """Its items have attributes that no column shows, as many as the documents of other tables have members."""

    named = True

    def item(self, rng, drawn, number):
        shown = {c.attribute for c in self.columns}
        more = {name: value for name, value in Json.document(rng)[1]["M"].items() if name not in shown}
        return {**more, **super().item(rng, drawn, number)}


def documents(*kinds):
    """Columns that show the item, or the rest."""
    return [Column(name, Document(kind), size=3, derive=lambda drawn: None) for name, kind in zip(("d1", "d2", "d3"), kinds)]


def make_documented():
    """All of them."""
    text = lambda name, size, **more: Column(name, Text(collation="C"), size=size, **more)
    keys = lambda: [keyed("pk", Text(collation="C"), 6, skew=True), keyed("sk", Text(collation="C"), 90)]
    return of_feature(
        DOCUMENTS,
        Documented("dk", 150, keys(), [text("k", 8, not_null=True), Column("n", Numeric(integral=True), size=30), text("ix", 8, absent=0.3),
                                       Column("i4", Integer("int4"), size=12)] + choose("ra", "ta") + documents("item", "rest"),
                   [index("g_k", ("k", ""), ("sk", "")), index("g_ix", ("ix", ""), ("n", ""), "KEYS_ONLY"), index("g_some", ("ix", ""), ("i4", ""), ["any", "a"]),
                    index("l_n", ("pk", ""), ("n", ""), "KEYS_ONLY", local=True)]),
        Documented("de", 160, keys(), [text("kd", 3, not_null=True), Column("ends", Instant("timestamptz", {"format": "epoch"}), size=20),
                                       text("b", 5)] + documents("rest", "item", "rest"),
                   [index("g_kd", ("kd", ""), ("sk", "")), index("g_b", ("b", ""), None, ["kd"])], {"ttl_attribute": "ends"}, match={"kd": 2}),
        Documented("dx", 130, [keyed("pk", Integer("int4"), 8, skew=True), keyed("sk", Integer("int4"), 60)],
                   [number()] + choose("td", "i4", "na") + documents("rest", "item"),
                   [index("l_no", ("pk", ""), ("no", ""), ["td"], local=True)], {"on_mismatch": "null"},
                   loose={"td": [{"N": "5"}, {"S": "a\0b"}, {"L": [{"S": "\0"}]}], "i4": [{"N": "1.5"}, {"S": "\0"}, {"M": {}}]}))
