"""Tables with a column of segments: their rows in schema l are filled from raw segment Scans."""
import json

from dynamo import index
from twins import Column, Table, choose, keyed
from values import Integer, Numeric, Text

SEGMENTS = "columns of segments"


class Segment(Integer):
    """The numbers of that many segments, and some that there are none of."""

    def __init__(self, sqltype, total):
        super().__init__(sqltype, {"segment": total})
        self.total = total

    def one(self, rng):
        number = str(rng.randrange(self.total) if rng.random() < 0.9 else rng.choice([-1, self.total]))
        return number, {"N": number}


class Segmented(Table):
    """One table; the column is `sg`."""

    def __init__(self, name, count, keys, columns, total, sqltype="int4", **more):
        self.segment = Column("sg", Segment(sqltype, total), size=total, derive=lambda drawn: None)
        self.bounds = more.pop("bounds", ())
        super().__init__(name, count, keys, [*columns, self.segment], **more)
        self.traits = [SEGMENTS]

    def create_foreign(self, fx, items):
        super().create_foreign(fx, items)
        names = [key.attribute for key in self.keys]
        segments = {}
        for number in range(self.segment.kind.total):
            start = {}
            while start is not None:
                page = fx.dynamo.call("Scan", {"TableName": fx.remote(self.name), "Segment": number, "TotalSegments": self.segment.kind.total, **start})
                segments.update({self.stored(names, item): str(number) for item in page["Items"]})
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None
        for item, row in zip(items, self.rows, strict=True):
            row[self.segment.name] = segments[self.stored(names, item)]
        if self.bounds:
            self.divide(fx)

    @staticmethod
    def stored(names, item):
        """The key of an item, as text."""
        return json.dumps([item[name] for name in names])

    def divide(self, fx):
        """In place of the foreign table, one of partitions by ranges of segments."""
        columns = ", ".join(c.declare(False) for c in self.columns)
        of = self.segment.name
        fx.execute(f"ALTER FOREIGN TABLE f.{self.name} RENAME TO {self.name}_0; CREATE TABLE f.{self.name} ({columns}) PARTITION BY RANGE ({of})")
        foreign = ", ".join(c.declare(True) for c in self.columns)
        for number, (low, high) in enumerate(zip((0, *self.bounds), (*self.bounds, self.segment.kind.total))):
            part = f"f.{self.name}_{number}"
            if number:
                fx.execute(f"CREATE FOREIGN TABLE {part} ({foreign}) SERVER {self.server} OPTIONS (table_name '{fx.remote(self.name)}')")
            fx.execute(f"ALTER TABLE f.{self.name} ATTACH PARTITION {part} FOR VALUES FROM ({low}) TO ({high})")


def make_segmented():
    """All of them."""
    keys = lambda: [keyed("pk", Text(collation="C"), 30, skew=True), keyed("sk", Text(collation="C"), 40)]
    return [
        Segmented("sg", 160, keys(), [Column("n", Numeric(whole=True), size=20), Column("k", Text(collation="C"), size=6, not_null=True)] + choose("i4", "bo", "js", "ta"), 6,
                  indexes=[index("g_sgk", ("k", ""), ("sk", ""))]),
        Segmented("sgb", 90, [keyed("id", Integer("int4"), 200)], choose("i4", "td", "nu"), 40, "int8"),
        Segmented("sgp", 120, keys(), [Column("n", Numeric(whole=True), size=20)] + choose("i4", "td"), 5, "int2", bounds=(1, 3))]
