"""Statements without a key, for which an index may be read in place of its table: with a condition that implies all rows, or without."""
from dynamo import index
from edges import Visible, late
from predicates import Leaf, Lit, Tree
from statements import TABLE, Select
from twins import Column, Table, choose, keyed
from values import Boolean, Date, Document, Instant, Integer, Numeric, Text

SMALLER = "indexes read in place of tables"
# Conditions on a key attribute; most of them hold for no NULL.
PRESENT = ["not_null", "not_null", "ge", "gt", "le", "lt", "ne", "between", "two", "not_in", "distinct", "is_null"]
LOOPS = dict.fromkeys(["enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize"], "off")


DEAR = "dear"       # the server on which few units less decide


def make_smaller():
    """Tables with indexes that few items are in: some never were, some could not be when the index was made."""
    text = lambda name, size, **more: Column(name, Text(collation="C"), size=size, **more)
    keys = lambda: [keyed("pk", Text(collation="C"), 9, skew=True), keyed("sk", Integer("int4"), 120)]
    tables = [
        Table("ps", 240, keys(), [Column("due", Integer("int4"), size=20, absent=0.7), text("kd", 6, absent=0.5), Column("at", Date("date"), size=12, absent=0.3),
                                  Column("rk", Numeric(), size=12, absent=0.7), Column("wx", Text("varchar", limit=6), size=8, absent=0.6),
                                  Column("yn", Boolean("boolean", {"format": "bool(Y,N)"}), size=2, absent=0.5)] + choose("td", "bo", "js", "ta", "nu"),
              [index("g_due", ("due", ""), None, "KEYS_ONLY"), index("g_kd", ("kd", ""), ("at", ""), ["td", "nu"]), index("g_wx", ("wx", ""), ("sk", "")),
               index("g_yn", ("yn", ""), ("due", ""), "KEYS_ONLY"), index("l_rk", ("pk", ""), ("rk", ""), "KEYS_ONLY", local=True),
               index("l_at", ("pk", ""), ("at", ""), ["td"], local=True)]),
        Table("po", 200, keys(), [Column("hx", Visible(collation="C"), size=6, more=[("", {"S": ""})], absent=0.4),
                                  Column("ux", Integer("int4"), size=10, absent=0.4), Column("dx", Date("date"), size=10, absent=0.4)] + choose("i4", "td"),
              [late("g_hx", ("hx", ""), None, "KEYS_ONLY"), late("g_ux", ("ux", ""), None, ["i4"]), late("g_dx", ("dx", ""), ("ux", ""))],
              {"on_mismatch": "null"},
              loose={"ux": [{"N": "1.5"}, {"S": "5"}], "dx": [{"S": "2024-02-30"}, {"N": "7"}]}),
        Table("pm", 220, keys(), [text("kd", 7, not_null=True), Column("gone", Boolean("boolean"), size=6), text("ox", 12, absent=0.6),
                                  Column("ends", Instant("timestamptz", {"format": "epoch"}), size=30, absent=0.6),
                                  Column("nx", Numeric(), size=9, absent=0.6)] + choose("td"),
              [index("g_ox", ("ox", ""), None, "KEYS_ONLY"), index("g_nx", ("nx", ""), None, ["kd", "gone", "ends"]), index("g_ends", ("ends", ""), ("kd", ""))],
              {"ttl_attribute": "ends"}, match={"kd": 4, "gone": None})]
    for table in tables:
        table.server = DEAR
    return tables


def attribute_of(column):
    """The attribute that the column is read from."""
    return (column.path or column.attribute).split(".")[0]


def shown_columns(table, one):
    """The columns that are read from attributes of the index, without what the row test or the elements need."""
    projection = one["definition"]["Projection"]
    if projection["ProjectionType"] == "ALL":
        return list(table.columns)
    attributes = {name for name, _ in one["keys"]} | {key.attribute for key in table.keys} | set(projection.get("NonKeyAttributes", ()))
    return [c for c in table.columns if attribute_of(c) in attributes and not isinstance(c.kind, Document)]


class Smaller:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.indexes = [(table, one) for table in tables if table.rows and not table.shared for one in table.indexes if "columns" in one
                        and not all(table.by_name[name].not_null for name in one["columns"]) for _ in range(1 + 9 * (table.server == DEAR))]

    def statement(self):
        """One of them."""
        rng = self.rng
        table, one = rng.choice(self.indexes)
        shown = shown_columns(table, one)
        columns = shown if rng.random() < 0.85 else table.columns
        select = Select([f"a.{c.name}" for c in rng.sample(columns, min(len(columns), rng.choice([1, 2, 3])))],
                        [f"{TABLE}{table.name} a"], self.where(table, one, columns))
        select.aliases, select.shape = {"a": table.name}, "smaller"
        pick = rng.random()
        if pick < 0.25:
            select.targets = ["count(*)"]
        elif pick < 0.45:
            self.repeat(select)
        elif pick < 0.6 and all(c.kind.deterministic for c in table.order()):
            select.order, select.exact_order = ", ".join(f"a.{c.name}" for c in table.order()), True
            select.limit = rng.choice(["", f" LIMIT {rng.choice([1, 4, 20])}"])
        return select

    def counted(self, local):
        """All entries of an index."""
        table, one = self.rng.choice([(t, i) for t, i in self.indexes if i["local"] == local and t.server == DEAR and not t.options])
        leaves = [self.generator.maker(table, "a").on(table.by_name[name], ["not_null"]) for name in one["columns"]]
        select = Select(["count(*)"], [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0])
        select.aliases, select.shape = {"a": table.name}, "smaller"
        return select

    def where(self, table, one, columns):
        """Conditions on the keys of the index, seldom not on all; and on other columns."""
        rng = self.rng
        maker = self.generator.maker(table, "a", 0.7)
        leaves = [self.on_key(maker, table.by_name[name]) for name in one["columns"]
                  if rng.random() < (0.3 if table.by_name[name].not_null else 0.93)]
        if leaves and rng.random() < 0.15:
            leaves.append(Tree("OR", [leaves.pop(), maker.on(rng.choice(columns))]))
        leaves += [maker.on(rng.choice(columns)) for _ in range(rng.choice([0, 0, 1, 2]))]
        return Tree("AND", leaves) if len(leaves) > 1 else leaves[0] if leaves else None

    def on_key(self, maker, column):
        """A condition on a key of the index."""
        if column.kind.group == "boolean":
            return maker.on(column, ["not_null", "boolean", "is_null"])
        if column.kind.group == "text" and self.rng.random() < 0.3:
            return Leaf([f"a.{column.name} {self.rng.choice(['>', '<>', '>='])} ", Lit("", "text")], [("a", column, ">=")])
        return maker.on(column, PRESENT + ["like"] * (column.kind.group == "text" and column.kind.deterministic))

    def repeat(self, select):
        """Executed for each of some rows, with a value that changes."""
        rng = self.rng
        name = select.aliases["a"]
        inner = select.where.parts if select.where is not None else ["true"]
        what, target = ("count(*) AS x", "x.x") if rng.random() < 0.4 else (f"{select.targets[0]} AS x", "x.x")
        end = " OFFSET 0" if "count" not in what else ""
        select.source = [f"generate_series(1, {rng.choice([2, 5])}) v(n) {rng.choice(['JOIN', 'LEFT JOIN'])} LATERAL (SELECT {what}"
                         f" FROM {TABLE}{name} a WHERE "] + inner + [f" AND v.n % 3 > 0{end}) x ON true"]
        select.targets, select.where, select.settings = ["v.n", target], None, dict(LOOPS)
