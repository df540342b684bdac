"""What applications request of keys that are composed of columns: pages along a key, forms of which only some fields are
filled in, arms that a parameter chooses, lists of rows, and whether there is any row."""
from predicates import Leaf, Tree
from statements import TABLE, Select

STYLES = [("paged", 30), ("filled_in", 45), ("chosen", 15), ("listed", 10), ("exists", 12), ("preview", 8)]
ORDERED = ("number", "text", "date", "instant", "boolean")


def nested_or(pairs, operator):
    """a > 1 OR (a = 1 AND (b > 2 OR ...)), as parts."""
    (ref, value), *rest = pairs
    if not rest:
        return [f"{ref} {operator} ", value]
    return [f"{ref} {operator[0]} ", value, f" OR ({ref} = ", value, " AND ("] + nested_or(rest, operator) + ["))"]


def flat_or(pairs, operator):
    """a > 1 OR (a = 1 AND b > 2) OR ..., as parts."""
    parts = []
    for number, (ref, value) in enumerate(pairs):
        last = number == len(pairs) - 1
        parts += ([" OR "] if number else []) + ["("]
        for before, equal in pairs[:number]:
            parts += [f"{before} = ", equal, " AND "]
        parts += [f"{ref} {operator if last else operator[0]} ", value, ")"]
    return parts


class Filters:
    """Makes Selects; `entries` are those of Mapped."""

    def __init__(self, generator, tables, entries):
        self.rng, self.generator, self.tables, self.entries = generator.rng, generator, tables, entries

    def statement(self, style=None):
        """One of them."""
        names, weights = zip(*STYLES)
        return getattr(self, style or self.rng.choices(names, weights)[0])()

    # Parts

    def entry(self):
        """(table, columns of some key of it, how many of them the hash key has)"""
        table = self.rng.choice(self.tables)
        _, columns, nhash = self.rng.choice(list(self.entries(table)))
        return table, list(dict.fromkeys(columns)), nhash

    def value(self, maker, column):
        """A constant of the column's type, usually, which is one parameter wherever it occurs."""
        text = maker.witness.get(column.name) if self.rng.random() < 0.8 else maker.pooled(column)
        own = column.kind.sqltype.split("(", maxsplit=1)[0]
        lit = maker.lit(column, text, own if self.rng.random() < 0.85 else maker.element_type(column))
        lit.same = True
        return lit

    def select(self, table, leaves, shape, **more):
        """A Select of rows that satisfy all of the conditions."""
        self.rng.shuffle(leaves)
        where = Tree("AND", leaves) if len(leaves) > 1 else leaves[0] if leaves else None
        select = Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"], where, **more)
        select.aliases, select.shape = {"a": table.name}, shape
        return select

    def some(self, table, maker):
        """A condition on anything, now and then."""
        found = [maker.on(column, ["not_null"]) for column in getattr(table, "undivided", []) if self.rng.random() < 0.7]
        return found + [maker.on(self.rng.choice(table.columns))] * (self.rng.random() < 0.2)

    # Styles

    def paged(self):
        """What follows a row in the order of a key."""
        rng, (table, columns, nhash) = self.rng, self.entry()
        maker = self.generator.maker(table, "a", 0.97)
        columns += [c for c in table.order() if c not in columns]
        bound = min(rng.choice([nhash, nhash, rng.randint(0, len(columns))]), len(columns) - 1)
        first = rng.choice([0, bound, bound, rng.randint(0, bound)])
        row = [c for c in columns[first:rng.randint(first + 1, len(columns))] if c.kind.group in ORDERED]
        leaves = [maker.on(c, ["eq"]) if rng.random() < 0.5 else self.equal(maker, c) for c in columns[:bound]] + self.some(table, maker)
        operator = rng.choice([">", ">", ">=", "<", "<="])
        if row:
            leaves.append(self.rows_after(maker, row, operator))
        down = " DESC" if operator[0] == "<" and rng.random() < 0.8 else ""
        order = [f"a.{c.name}{down}" for c in columns[rng.choice([bound, bound, first]):]]
        order = ", ".join(dict.fromkeys(order + [o + down for o in self.generator.total_order(table, "a")]))
        limit = rng.choice(["", f" LIMIT {rng.choice([1, 2, 5, 20])}"])
        return self.select(table, leaves, "page of a composed key", order=order, exact_order=True, limit=limit)

    def equal(self, maker, column):
        """The column is a value of its type."""
        return Leaf([f"a.{column.name} = ", self.value(maker, column)], [("a", column, "=")])

    def rows_after(self, maker, row, operator):
        """The rows after one, by several columns."""
        rng = self.rng
        pairs = [(f"a.{c.name}", self.value(maker, c)) for c in row]
        way = rng.choice(["row", "row", "nested", "flat", "outside"])
        tags = [("a", c, "page") for c in row[:1]]
        if way == "row" and rng.random() < 0.15:
            turned = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[operator]
            values = [part for _, value in pairs for part in (value, ", ")][:-1]
            return Leaf(["("] + values + [f") {turned} ({', '.join(ref for ref, _ in pairs)})"], tags)
        if way == "row":
            values = [part for _, value in pairs for part in (value, ", ")][:-1]
            return Leaf([f"({', '.join(ref for ref, _ in pairs)}) {operator} ("] + values + [")"], tags)
        parts = flat_or(pairs, operator) if way == "flat" else nested_or(pairs, operator)
        if way == "outside":
            parts = [f"{pairs[0][0]} {operator[0]}= ", pairs[0][1], " AND ("] + parts + [")"]
        return Leaf(parts, tags)

    def field(self, maker, column):
        """A field of a form: nothing, or a condition."""
        rng, ref, value = self.rng, f"a.{column.name}", self.value(maker, column)
        if rng.random() < 0.35:
            value.text = None
        choose = value.other
        value.other = lambda rng: None if rng.random() < 0.4 else choose(rng)
        operator = rng.choice(["=", "=", "=", ">=", "<"])
        if rng.random() < 0.2:
            return Leaf(["coalesce(", value, f", {ref}) = {ref}"], [("a", column, "coalesce(x, k) = k")])
        arms = [[value, " IS NULL"], [f"{ref} {operator} ", value]]
        if column.kind.group == "text" and column.kind.deterministic and rng.random() < 0.2 and not any((text or "").endswith("\\") for text, _ in column.pool):
            arms[1][0] = f"{ref} LIKE "
        if rng.random() < 0.15:
            more = maker.on(rng.choice([c for c in maker.table.columns if c.kind.group in ORDERED]), ["eq", "ne", "ge", "lt"])
            arms[1] = ["("] + arms[1] + [" AND "] + more.parts + [")"]
        rng.shuffle(arms)
        return Leaf(arms[0] + [" OR "] + arms[1], [("a", column, "optional")])

    def filled_in(self):
        """A form over the columns of a key, and others."""
        rng = self.rng
        several = [(t, columns, nhash) for t in self.tables for _, columns, nhash in self.entries(t) if nhash > 1]
        table, columns, nhash = rng.choice(several) if several and rng.random() < 0.4 else self.entry()
        maker = self.generator.maker(table, "a", 0.95)
        fixed = 0.4 if nhash == 1 else 0.1
        leaves = [maker.on(c, ["eq", "in", "distinct", "between_one"]) if number < nhash and rng.random() < fixed else self.field(maker, c)
                  for number, c in enumerate(columns) if c.kind.group in ORDERED or c.kind.sqltype == "uuid"]
        leaves += [self.field(maker, c) for c in table.columns if c not in columns and c.kind.group in ORDERED and rng.random() < 0.2]
        select = self.select(table, leaves + self.some(table, maker), "form over a composed key")
        if rng.random() < 0.15:
            select.targets = ["count(*)"]
        select.mode = rng.choice([None, "parameters"])
        return select

    def chosen(self):
        """An OR whose branches apply if a parameter selects them, each along a key."""
        rng, table = self.rng, self.rng.choice(self.tables)
        maker, arms = self.generator.maker(table, "a", 1), []
        word = maker.lit(rng.choice(table.columns), rng.choice(["a", "b", None]), "text")
        word.same, word.other, word.takes = True, lambda rng: rng.choice(["a", "b", "c", None]), lambda text: text in ("a", "b")
        for letter in "abc"[:rng.choice([2, 2, 3])]:
            _, columns, nhash = rng.choice(list(self.entries(table)))
            leaves = [maker.on(c, ["eq", "eq", "in", "or_eq"]) for c in columns[:nhash]]
            leaves += [maker.on(c) for c in columns[nhash:nhash + 1] if rng.random() < 0.5]
            if rng.random() < 0.8:
                leaves.insert(rng.randint(0, len(leaves)), Leaf([word, f" = '{letter}'"]))
            arms.append(Tree("AND", leaves) if len(leaves) > 1 else leaves[0])
        return self.select(table, [Tree("OR", arms)] + self.some(table, maker), "arms that a parameter chooses")

    def listed(self):
        """Rows of several columns in a list."""
        rng, (table, columns, _) = self.rng, self.entry()
        columns = [c for c in columns + [c for c in table.order() if c not in columns] if c.kind.deterministic or c.kind.group != "text"]
        columns = columns[:rng.choice([2, 2, 3, 4])]
        parts = []
        for number in range(rng.choice([1, 2, 3, 5])):
            maker = self.generator.maker(table, "a", 0.95)
            parts += ([", "] if number else []) + ["("]
            parts += [part for c in columns for part in (self.value(maker, c), ", ")][:-1] + [")"]
        leaf = Leaf([f"({', '.join('a.' + c.name for c in columns)}) IN ("] + parts + [")"], [("a", c, "=") for c in columns[:1]])
        return self.select(table, [leaf] + self.some(table, self.generator.maker(table, "a")), "list of composed keys")

    def exists(self):
        """Whether there is a row."""
        rng = self.rng
        inner = rng.choice([self.paged, self.filled_in, self.chosen, self.listed])()
        body = [f"(SELECT 1 FROM {inner.source[0]} WHERE "] + inner.where.parts + [")"] if inner.where else [f"(SELECT 1 FROM {inner.source[0]})"]
        word = rng.choice(["EXISTS ", "EXISTS ", "NOT EXISTS "])
        if rng.random() < 0.5:
            select = Select([word.strip()], ["generate_series(1, 2) g(n)"])
            select.targets, select.more_targets = ["g.n"], [", " + word] + body
        else:
            select = Select(["g.n"], ["generate_series(1, 2) g(n)"], Leaf([word] + body))
        select.aliases, select.shape = inner.aliases, "composed key that is met"
        return select

    def preview(self):
        """How many of the first rows there are, without an order."""
        rng, (table, _, __) = self.rng, self.entry()
        limit = rng.choice([1, 3, 10, 1000])
        maker = self.generator.maker(table, "a")
        inner = [f"(SELECT * FROM {TABLE}{table.name} a"] + ([" WHERE "] + maker.on(rng.choice(table.columns)).parts if rng.random() < 0.5 else [])
        select = Select(["count(v)"], inner + [f" LIMIT {limit}) v"])
        select.aliases, select.shape = {"a": table.name}, "preview of a composed key"
        return select
