"""Statements over tables whose keys are composed of columns: each operator on a part in each position, on each way to read it."""
from aged import TOO_LONG
from apart import Apart
from composed import COMPOSED
from filters import Filters
from joins import Joins
from ordered import Ordered
from predicates import Leaf, Lit, Maker, Tree
from statements import TABLE, Generator, Select

RANGED, ENDLESS = "a range of a partition key", "a range of a partition key without an end"
MERGED, MERGED_BY_OWN = "merged parts", "merged by a column with an attribute of its own"
STYLES = [("swept", 30), ("key order", 12), ("merged", 8), ("elsewhere", 3), ("met", 3), ("joined", 16),
          ("apart", 5), ("in order", 6), ("by itself", 4), ("filters", 24), ("any", 18), ("older", 10), ("ranged", 8)]
POINTS = ["eq", "eq", "eq", "in", "or_eq", "commuted"]
# Of the kinds of conditions, those that are not worth trying in each position.
SELDOM = {"cast", "cast_list", "cast_like", "huge", "arithmetic", "cast_number", "uuid_text", "coalesce"}


class Mapped(Generator):
    """Makes Selects over such tables."""

    SHAPES = [("rows", 26), ("ordered", 12), ("by_key", 6), ("aggregate", 14), ("grouped", 7), ("join", 12), ("subquery", 12), ("local_driver", 11)]

    def __init__(self, rng, tables):
        self.too_long = [t for t in tables if t.feature == TOO_LONG]
        tables = [t for t in tables if t not in self.too_long]
        super().__init__(rng, tables)
        self.joins = Joins(rng, tables, [])
        self.joins.others = tables
        self.sorted = Ordered(self, tables)
        self.filters = Filters(self, tables, self.entries)
        self.waiting = []

    def style(self, name=None):
        """A statement of some style."""
        names, weights = zip(*STYLES)
        name = name or self.rng.choices(names, weights)[0]
        select = {"swept": self.next_aim, "key order": self.key_order, "merged": self.merged, "elsewhere": self.read_elsewhere, "met": self.met, "joined": self.joins.statement, "in order": self.sorted.statement,
                  "apart": Apart(self.rng, self.tables).statement, "by itself": self.by_itself, "filters": self.filters.statement, "any": self.statement, "older": self.older, "ranged": self.ranged}[name]()
        select.features = select.features + [COMPOSED]
        return select

    # Each operator in each position

    def entries(self, table):
        """(name of the index or none, columns, how many of them the hash key has) of all keys of a table."""
        yield None, table.keys, table.nhash
        for one in table.indexes:
            schema = one["definition"]["KeySchema"]
            yield one["definition"]["IndexName"], [table.by_name[name] for name in one["columns"]], sum(key["KeyType"] == "HASH" for key in schema)

    def aims(self):
        """(table, columns to bind before it, column, role, kind of condition) of all that is worth trying once."""
        found = {}
        for table in self.rng.sample(self.tables, len(self.tables)):
            for place, columns, nhash in self.entries(table):
                for number, column in enumerate(columns):
                    role = table.role_at(place, column)
                    before = [c for c in columns[:max(number, nhash)] if c is not column]
                    for name in dict.fromkeys(Maker(self.rng, table, "a", None).choices(column)):
                        if name not in SELDOM:
                            found.setdefault((type(table).__name__, role, name), (table, before, column, role, name))
        aims = list(found.values())
        self.rng.shuffle(aims)
        return aims

    def next_aim(self):
        """The next of them."""
        self.waiting = self.waiting or self.aims()
        return self.at(*self.waiting.pop())

    def at(self, table, before, column, _, name):
        """A condition on a column, after points on those before it."""
        maker = self.witnessed(table, column, name)
        leaves = [maker.on(c, POINTS) for c in before] + [maker.on(column, [name])]
        leaves += self.others(table, maker)
        select = Select(self.columns(table, "a"), [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0])
        if self.rng.random() < 0.12:
            select.targets = ["count(*)"]
        select.aliases, select.shape = {"a": table.name}, "composed key"
        return select

    def others(self, table, maker):
        """Conditions on anything, or on what shows whether an index has the row."""
        rng = self.rng
        found = [maker.on(column, ["not_null", "not_null", "ge"]) for column in table.undivided if rng.random() < 0.8]
        return found if found and rng.random() < 0.6 else [maker.on(rng.choice(table.columns))] * (rng.random() < 0.2)

    def toward(self, operator, kind, role):
        """A Select that may try an operator in a position."""
        if "join" in operator:
            return self.style("joined")
        for _ in range(40):
            for aim in self.aims():
                if role in ("*", aim[3]):
                    select = self.at(*aim)
                    if any(found == operator and kind in ("*", column.kind.name) for _, _, column, found in select.all_tags()):
                        return select
        return self.style()

    def by_itself(self):
        """Rows with those that have the same key."""
        rng = self.rng
        table = self.table(lambda t: len(t.order()) > len(t.keys)) if rng.random() < 0.4 else self.table()
        same = " AND ".join(f"b.{key.name} = a.{key.name}" for key in table.keys)
        outer = rng.choice([TABLE, "l."])
        other = table.order()[-1].name
        inner = f"FROM {TABLE}{table.name} b WHERE {same}"
        pairs = f"{outer}{table.name} a {rng.choice(['JOIN', 'LEFT JOIN'])} {TABLE}{table.name} b ON {same}"
        targets, source = rng.choice([
            ([f"a.{other}", f"b.{other} AS second"], [pairs]), (["count(*)"], [pairs]), ([f"DISTINCT b.{table.keys[-1].name}"], [pairs]),
            ([f"a.{other}", f"(SELECT count(*) {inner}) AS many"], [f"{outer}{table.name} a"]),
            ([f"a.{other}", f"x.{other} AS second"], [f"{outer}{table.name} a, LATERAL (SELECT * {inner} OFFSET 0) x"])])
        select = Select(targets, source, self.maker(table, "a").on(rng.choice(table.columns)) if rng.random() < 0.5 else None)
        select.aliases, select.shape = {"a": table.name if outer == TABLE else None, "b": table.name}, "by the same key"
        select.tags = [(table.name, "b", key, "join =") for key in table.keys]
        return select

    def read_elsewhere(self):
        """Values of columns in the key of an index that is known to have the row, though its text may be another."""
        rng = self.rng
        table = rng.choice([t for t in self.tables if t.undivided])
        _, columns, nhash = rng.choice([entry for entry in self.entries(table) if entry[0]])
        witness = rng.choice([row for row in table.rows if all(row[c.name] is not None for c in table.undivided)])
        maker = Maker(rng, table, "a", witness)
        leaves = [maker.on(c, POINTS) for c in columns[:nhash]] + [maker.on(c, ["not_null"]) for c in table.undivided]
        select = Select(self.columns(table, "a"), [f"{TABLE}{table.name} a"], Tree("AND", leaves))
        select.aliases, select.shape = {"a": table.name}, "composed key of an index"
        return select

    def older(self):
        """By points of an index that is younger than the items, with values that it cannot hold among others."""
        rng = self.rng
        table = rng.choice(self.too_long)
        _, columns, _ = rng.choice([entry for entry in self.entries(table) if entry[0]])
        maker = self.maker(table, "a", 0.95)
        leaves = [maker.on(c, ["eq", "eq", "in", "any", "or_eq", "in_null"]) for c in columns]
        select = Select(rng.choice([self.columns(table, "a", False), ["count(*)"]]), [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0])
        select.aliases, select.shape = {"a": table.name}, "older than an index"
        select.mode, select.plan_cache = rng.choice([(None, None), ("parameters", "force_generic_plan")])
        return select

    def with_trait(self, name):
        """A statement over a table that the coverage counts as something."""
        found = [t for t in self.tables if name in t.traits]
        if not found:
            return self.style("older")
        table = self.rng.choice(found)
        select = Select(self.columns(table, "a", False), [f"{TABLE}{table.name} a"], self.maker(table, "a").on(self.rng.choice(table.keys)))
        select.aliases, select.shape = {"a": table.name}, "with a trait"
        return select

    def met(self):
        """Whether partitions have a row, though their first items may be none."""
        rng = self.rng
        table, columns, nhash = rng.choice([(t, columns, nhash) for t in self.tables for place, columns, nhash in self.entries(t) if place is None])
        same = " AND ".join(f"a.{c.name} = o.{c.name}" for c in columns[:nhash])
        shown = ", ".join(f"{c.name}" for c in columns[:nhash])
        word = rng.choice(["EXISTS", "EXISTS", "NOT EXISTS"])
        select = Select([f"o.{c.name}" for c in columns[:nhash]],
                        [f"(SELECT DISTINCT {shown} FROM l.{table.name} ORDER BY {shown} LIMIT {rng.choice([1, 3, 50])}) o WHERE {word} (SELECT 1 FROM {TABLE}{table.name} a WHERE {same})"])
        select.tags = [(table.name, "a", c, "join =") for c in columns[:nhash]]
        select.aliases, select.shape = {"a": table.name}, "composed key that is met"
        select.settings = dict.fromkeys(["enable_hashjoin", "enable_mergejoin", "enable_material"], "off")
        return select

    # Along a key

    def merged(self):
        """Several values of the first part of a sort key, or all of an enumeration, and the order of the parts after it."""
        rng = self.rng
        if rng.random() < 0.3:
            return self.merged_by_own()
        found = [(t, columns, nhash) for t in self.tables for _, columns, nhash in self.entries(t) if len(columns) > nhash + 1]
        table, columns, nhash = rng.choice([entry for entry in found for _ in range(4 if entry[0].name == "tpd" else 1)])
        maker = self.maker(table, "a", 0.95)
        leaves = [maker.on(c, POINTS) for c in columns[:nhash] if rng.random() < 0.9 or not table.enumerates(c)]
        if not table.enumerates(columns[nhash]) or rng.random() < 0.5:
            leaves.append(maker.on(columns[nhash], ["in", "any", "or_eq"]))
        leaves += [maker.on(c, ["ne", "not_in", "all"]) for c in columns[:nhash + 1] if table.enumerates(c) and rng.random() < 0.3]
        if rng.random() < 0.3:
            leaves.append(maker.on(columns[nhash + 1]))
        return self.in_merged_order(table, leaves, columns[nhash + 1:], MERGED)

    def merged_by_own(self):
        """Several partitions of an index, and the order of a column that is read from its own attribute and may be NULL."""
        rng = self.rng
        table, columns, nhash = rng.choice([(t, columns, nhash) for t in self.tables for place, columns, nhash in self.entries(t)
                                            if place and nhash < len(columns) and columns[nhash].own and "trusted_indexes" in t.options])
        maker = self.maker(table, "a", 0.95)
        leaves = [maker.on(c, ["in", "any", "or_eq", "eq"]) for c in columns[:nhash]]
        if rng.random() < 0.7:
            leaves.append(maker.on(columns[nhash], ["not_null", "not_null", "not_null", "ge", "lt", "between"]))
        return self.in_merged_order(table, leaves, columns[nhash:], MERGED_BY_OWN)

    def in_merged_order(self, table, leaves, columns, feature):
        """A statement in the order of these columns."""
        rng, down = self.rng, self.rng.choice(["", " DESC"])
        order = [f"a.{c.name}{down}" for c in columns]
        select = Select(self.columns(table, "a", False), [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0] if leaves else None)
        select.aliases, select.shape, select.features = {"a": table.name}, "merged parts", [feature]
        select.order = ", ".join(dict.fromkeys(order + [o + down for o in self.total_order(table, "a")]))
        select.exact_order, select.settings = True, {"enable_sort": "off"}
        select.limit = rng.choice(["", f" LIMIT {rng.choice([1, 3, 10])}"])
        return select

    def ranged(self):
        """A short range of a time in a partition key, in the order of the times."""
        rng = self.rng
        tables = [t for t in self.tables if t.shared == "units" and any(c.kind.group in ("instant", "date") for c in t.columns)]
        table = rng.choice(tables)
        time = next(c for c in table.columns if c.kind.group in ("instant", "date"))
        maker = self.maker(table, "a", 0.95)
        _, columns, nhash = rng.choice([entry for entry in self.entries(table) if time in entry[1]])
        leaves = [maker.on(c, POINTS) for c in columns[:nhash] if c is not time and rng.random() < 0.9]
        values = sorted({text for text, _ in time.pool})
        low = rng.randrange(len(values))
        high = min(low + rng.choice([0, 1, 2, 4, 8, 30]), len(values) - 1)
        ends = [Lit(text, time.kind.sqltype) for text in rng.choice([(values[low], values[high])] * 12 + [(values[low], "infinity"), ("-infinity", values[high]),
                                                                    ("infinity", values[high]), (values[low], "-infinity"), ("-infinity", "infinity"), ("infinity", "infinity")])]
        leaves.append(Leaf([f"a.{time.name} {rng.choice(['>=', '>'])} ", ends[0], f" AND a.{time.name} {rng.choice(['<=', '<'])} ", ends[1]]))
        select = Select(self.columns(table, "a", False), [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0])
        select.aliases, select.shape = {"a": table.name}, "range of a partition key"
        select.features = [RANGED] + [ENDLESS] * any("infinity" in end.text for end in ends)
        select.mode, select.plan_cache = rng.choice([(None, None), ("parameters", "force_generic_plan")])
        if rng.random() < 0.7:
            down = rng.choice(["", " DESC"])
            select.order = ", ".join(dict.fromkeys([f"a.{time.name}{down}"] + [o + down for o in self.total_order(table, "a")]))
            select.exact_order = True
            select.limit = rng.choice(["", f" LIMIT {rng.choice([1, 3, 10])}", f" LIMIT {rng.choice([1, 3])} OFFSET 2"])
            select.settings = {"enable_sort": rng.choice(["on", "off"])}
        return select

    def key_order(self):
        """Points on the beginning of a key, and the order of the rest of it."""
        rng, table = self.rng, self.table()
        _, columns, nhash = rng.choice(list(self.entries(table)))
        maker = self.maker(table, "a", 0.95)
        bound = rng.randint(nhash, len(columns))
        leaves = [maker.on(c, POINTS) for c in columns[:bound]]
        if bound < len(columns) and rng.random() < 0.5:
            leaves.append(maker.on(columns[bound]))
        leaves += self.others(table, maker)
        select = Select(self.columns(table, "a", False), [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0])
        select.aliases, select.shape = {"a": table.name}, "composed key order"
        down = rng.choice(["", " DESC"])
        order = [f"a.{c.name}{down}" for c in columns[rng.randint(min(nhash, bound), bound):]]
        select.order = ", ".join(dict.fromkeys(order + [o + down for o in self.total_order(table, "a")]))
        select.exact_order = True
        if rng.random() < 0.6:
            select.limit = f" LIMIT {rng.choice([1, 2, 3, 10])}" + rng.choice(["", "", " OFFSET 2"])
        return select
