"""An OR whose arms restrict different keys, of the table and of its indexes, sparse ones among them: a union of requests."""
from dynamo import index
from predicates import Leaf, Tree
from smaller import DEAR
from statements import TABLE, Select
from twins import Column, Table, choose, keyed
from values import Integer, LongText, Text

UNION, SPILLED = "a union of the arms of an OR", "a union in little memory"
TIGHT = {"work_mem": "64kB", "hash_mem_multiplier": "1"}
POINTS = ["eq", "eq", "eq", "commuted", "in", "any", "or_eq", "in_null"]


def make_unions():
    """A table with sparse indexes, and with keys so long that 64 kB do not hold all of them."""
    text = lambda name, size, **more: Column(name, Text(collation="C"), size=size, **more)
    table = Table("orx", 170, [keyed("pk", Text(collation="C"), 6, skew=True), keyed("sk", LongText(collation="C"), 150)],
                  [text("kd", 5, not_null=True), text("ow", 6, absent=0.4), Column("no", Integer("int4"), size=9, absent=0.4)] + choose("td", "i4"),
                  [index("g_kd", ("kd", ""), None), index("g_ow", ("ow", ""), ("no", "")), index("g_no", ("no", ""), None, "KEYS_ONLY"),
                   index("l_no", ("pk", ""), ("no", ""), ["td"], local=True)])
    table.server = DEAR
    return [table]


class Unions:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = [t for t in tables if t.rows and t.name not in ("big", "lg") and (len(t.keys) == 2 or t.indexes)]
        # a union is chosen where few units less decide
        self.several = [t for t in self.tables if len(self.keys_of(t)) > 1 for _ in range(1 + 12 * (t.server == DEAR))]
        self.large = [t for t in self.tables if any(isinstance(key.kind, LongText) for key in t.keys)]

    @staticmethod
    def keys_of(table):
        """(columns, how many of them are the partition key) of the table's key and of each index."""
        found = [(table.keys, 1)]
        for one in table.indexes:
            if "columns" in one:
                hashes = sum(1 for k in one["definition"]["KeySchema"] if k["KeyType"] == "HASH")
                found.append(([table.by_name[name] for name in one["columns"]], hashes))
        return found

    def statement(self, feature=None):
        """One of them; feature: SPILLED."""
        rng = self.rng
        tight = feature == SPILLED or rng.random() < 0.15
        table = rng.choice(self.large if tight else self.several if rng.random() < 0.85 else self.tables)
        where = self.where(table, tight)
        select = Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"], where)
        select.aliases, select.shape = {"a": table.name}, "union of arms"
        select.settings = dict(TIGHT) if tight else {}
        select.features += [SPILLED] * tight
        self.finish(select, table)
        return select

    def finish(self, select, table):
        """Counted, in an order, a few, or for each of some rows."""
        rng, pick = self.rng, self.rng.random()
        if pick < 0.15:
            select.targets = ["count(*)"]
        elif pick < 0.25:
            select.targets = [f"count(a.{rng.choice(table.columns).name})", "count(*)"]
        elif pick < 0.45 and all(c.kind.deterministic for c in table.order()):
            select.order, select.exact_order = ", ".join(self.generator.total_order(table, "a")), True
            select.limit = rng.choice(["", f" LIMIT {rng.choice([1, 3, 20])}"])
        elif pick < 0.6:
            inner = [f"{TABLE}{table.name} a WHERE "] + select.where.parts
            select.targets, select.where = ["v.n", "x.c"], None
            select.source = [f"generate_series(1, {rng.choice([2, 4])}) v(n) CROSS JOIN LATERAL (SELECT count(*) AS c FROM "] + inner + \
                [" AND v.n > 0) x"]

    def where(self, table, wide):
        """The OR, and other conditions."""
        rng = self.rng
        keys = self.keys_of(table)
        witness = self.generator.maker(table, "a", 1)
        arms = [self.arm(table, rng.choice(keys), witness, wide) for _ in range(rng.choice([2, 2, 2, 3, 4]))]
        if rng.random() < 0.06:
            arms.append(self.generator.maker(table, "a").on(rng.choice(table.columns)))
        leaves = [Tree("OR", arms)]
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            leaves.append(self.generator.maker(table, "a").on(rng.choice(table.columns)))
        if rng.random() < 0.2:      # this may imply that an index is complete
            leaves.append(witness.on(rng.choice(rng.choice(keys)[0]), ["not_null"]))
        rng.shuffle(leaves)
        return Tree("AND", leaves) if len(leaves) > 1 else leaves[0]

    def arm(self, table, key, witness, wide):
        """Conditions on a key; often those of one row, so that several arms find it."""
        rng, (columns, nhash) = self.rng, key
        maker = witness if rng.random() < 0.5 else self.generator.maker(table, "a", 0.9)
        leaves = [self.on_hash(maker, column, wide) for column in columns[:nhash]]
        for column in columns[nhash:]:
            if rng.random() < (0.3 if columns is table.keys else 0.08):
                break
            leaves.append(maker.on(column, ["not_null"]) if wide else maker.on(column, None if rng.random() < 0.7 else ["not_null"]))
        if rng.random() < 0.2:
            leaves.append(maker.on(rng.choice(table.columns)))
        return Tree("AND", leaves) if len(leaves) > 1 else leaves[0]

    def on_hash(self, maker, column, wide):
        """A value of a partition key, or several; of a wide arm, many."""
        if column.kind.group == "boolean":
            return maker.on(column, ["boolean"])
        if wide and column.domain and column.kind.group in ("text", "number", "date"):
            texts = dict.fromkeys(text for text, _ in column.pool if text is not None)
            some = [maker.lit(column, text, column.kind.sqltype.split("(", maxsplit=1)[0]) for text in texts][:30]
            parts = [f"a.{column.name} IN ("]
            for number, lit in enumerate(some):
                parts += [", "] * (number > 0) + [lit]
            return Leaf(parts + [")"], [("a", column, "IN")])
        return maker.on(column, POINTS)
