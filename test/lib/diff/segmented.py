"""Tables with a column of segments: their rows in schema l are filled from raw segment Scans; and statements over them."""
import json

from dynamo import index
from predicates import Lit, Tree
from statements import TABLE, Select
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
        Segmented("sg", 160, keys(), [Column("n", Numeric(integral=True), size=20), Column("k", Text(collation="C"), size=6, not_null=True)] + choose("i4", "bo", "js", "ta"), 6,
                  indexes=[index("g_sgk", ("k", ""), ("sk", ""))]),
        Segmented("sgb", 90, [keyed("id", Integer("int4"), 200)], choose("i4", "td", "nu"), 40, "int8"),
        Segmented("sgp", 120, keys(), [Column("n", Numeric(integral=True), size=20)] + choose("i4", "td"), 5, "int2", bounds=(1, 3))]


class OverSegments:
    """Makes Selects whose reads differ in their segments: arms of an OR, scans of a statement, executions of a scan."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = [table for table in tables if SEGMENTS in table.traits]

    def statement(self):
        """One of them."""
        table = self.rng.choice(self.tables)
        select = self.rng.choice([self.arms, self.scans, self.executions])(table)
        select.aliases, select.shape = {"a": table.name}, "segments"
        return select

    def other(self, table):
        """A condition on a column that shows no segment."""
        return self.generator.maker(table, "a").on(self.rng.choice([c for c in table.columns if c is not table.segment]))

    def arms(self, table):
        """Not all of them are about segments."""
        arms = [self.generator.maker(table, "a").on(table.segment), self.other(table)]
        self.rng.shuffle(arms)
        where = Tree("OR", arms)
        if self.rng.random() < 0.4:
            where = Tree("AND", [where, self.generator.maker(table, "a").on(table.segment)])
        return Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"], where)

    def scans(self, table):
        """Each of other segments; the first ones of those of another scan, usually."""
        rng, parts = self.rng, []
        keys = ", ".join(f"a.{key.name}" for key in table.keys)
        for _ in range(rng.choice([2, 2, 3])):
            parts += [" UNION ALL (" if parts else "(", f"SELECT {keys}, a.sg FROM {TABLE}{table.name} a WHERE a.sg {rng.choice(['<=', '<=', '<=', '>='])} ",
                      Lit(str(rng.randrange(table.segment.kind.total)), table.segment.kind.sqltype)]
            parts += ([" AND "] + self.other(table).parts if rng.random() < 0.3 else []) + [")"]
        return Select(["u.*"], ["("] + parts + [") u"])

    def executions(self, table):
        """Each of another segment, or of the same with other conditions."""
        rng = self.rng
        segment = rng.choice(["v.n", "v.n % 2", "(v.n + 1) / 2"])
        changing = [" AND "] + self.other(table).parts + [f" AND v.n % 4 < {rng.choice([2, 4])}"]
        select = Select(["v.n", "x.x"], [f"generate_series(0, {rng.choice([3, 7])}) v(n) JOIN LATERAL (SELECT count(*) AS x, min(a.{table.keys[0].name})"
                                         f" FROM {TABLE}{table.name} a WHERE a.sg = {segment}"] + changing + [") x ON true"])
        select.settings = {name: "off" for name in ("enable_hashjoin", "enable_mergejoin", "enable_memoize", "enable_material")}
        return select
