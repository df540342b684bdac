"""Statements for what chance hardly meets: values that an index cannot hold, filters too large to send, documents of which a
column accepts only a part, lists of keys of which only the first is read, orders of equal values."""
from documented import DOCUMENTS
from edges import OLDER
from predicates import Leaf, Lit, Maker, Tree
from encoded import FORMATS
from statements import TABLE, Select
from values import Document, Integer, array_text, quote

STYLES = [("instead", 4), ("crowded", 3), ("part", 2), ("lists", 3), ("tied", 1), ("in_index_order", 3), ("bounded", 2)]
LARGE, PARTS, MISMATCHED_PARTS, LISTS = "filters too large to send", "parts of documents", "parts of mismatches", "lists of keys"
TIED = "equal values before others in an order"
BOUNDED = "integers between bounds of a key"
FEATURES = {OLDER: "instead", LARGE: "crowded", PARTS: "part", MISMATCHED_PARTS: "part", LISTS: "lists", TIED: "tied", BOUNDED: "bounded"}
LOOPS = {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_material": "off"}
EXACT = ["eq", "eq", "ge", "le", "lt", "gt", "between", "is_null", "not_null", "ne"]
LONG = "p" * 2500       # no part of a key


class Aimed:
    """Makes Selects; `related` are the tables whose keys are looked up one by one."""

    def __init__(self, generator, tables, related):
        self.rng, self.generator = generator.rng, generator
        self.tables = [t for t in tables if t.rows and t.name not in ("big", "lg")]
        self.older = [t for t in self.tables if t.feature == OLDER]
        # of those with an array several times
        self.exact = [t for t in self.tables if t.options.get("on_mismatch") != "null" and {"i4", "nu", "i2", "i8"} & t.by_name.keys()
                      for _ in range(1 + 3 * any(c.kind.group == "array" for c in t.columns))]
        self.documents = [t for t in self.tables if any(c.kind.group == "jsonb" for c in t.columns)]
        self.narrow = [t for t in related if t.server == "one"]
        self.integer_keys = [t for t in self.tables if isinstance(t.keys[0].kind, Integer) and t.keys[0].kind.sqltype in Integer.limits]
        self.tied_indexes = [(t, one) for t in self.tables if t.feature == FORMATS for one in t.indexes if len(one["columns"]) > 2]

    def statement(self, feature=None):
        """One of them."""
        names, weights = zip(*STYLES)
        style = FEATURES.get(feature) or self.rng.choices(names, weights)[0]
        return getattr(self, style)()

    def select(self, table, targets, where, feature, **more):
        """A Select of one table."""
        found = Select(targets, [f"{TABLE}{table.name} a"], where, **more)
        found.aliases, found.shape = {"a": table.name}, "aimed"
        found.features.append(feature)
        return found

    def list_of(self, column, count, more=()):
        """Lit of a number of texts, those that the column holds first; another one later."""
        def texts(rng):
            mine = rng.choice([[], list(more)]) + [text for text, _ in rng.sample(column.pool, len(column.pool)) if text is not None]
            found = (mine + [text for text in made if text not in mine])[:count]
            rng.shuffle(found)
            return array_text(found)
        made = Maker(None, None, "a", None).made_up(column, count)
        sqltype = "text" if column.kind.group == "text" else column.kind.sqltype.split("(", maxsplit=1)[0]
        return Lit(texts(self.rng), sqltype + "[]", texts)

    # Values that the index cannot hold: the table is read

    def instead(self):
        """By an index, in its order, with values that come at run time."""
        rng = self.rng
        table = rng.choice(self.older)
        first, then = [table.by_name[name] for name in rng.choice(table.indexes)["columns"]]
        down = rng.choice(["", "", " DESC"])
        order = [self.in_bytes(then) + down] + [f"a.{key.name}{down}" for key in table.keys]
        where = self.by_index(table, first, then)
        shown = [f"a.{c.name}" for c in {first, then, *table.keys, rng.choice(table.columns)}]
        if rng.random() < 0.35:
            return self.instead_for_rows(table, first, then, order)
        select = self.select(table, sorted(shown), where, OLDER, order=", ".join(order), exact_order=True)
        if rng.random() < 0.25:
            select.targets, select.order, select.exact_order = ["count(*)"], "", False
        elif rng.random() < 0.4:
            select.limit = f" LIMIT {rng.choice([1, 3, 8])}"
        select.mode, select.plan_cache = "parameters", "force_generic_plan"
        select.settings = self.unsorted()
        return select

    def unsorted(self):
        """Settings under which the index gives the order, usually."""
        return {"enable_sort": "off"} if self.rng.random() < 0.75 else {}

    @staticmethod
    def in_bytes(column):
        """The column, compared as the index does."""
        return f"a.{column.name}" + (' COLLATE "C"' if column.kind.group == "text" and column.kind.collation != "C" else "")

    def value(self, column, text=None):
        """Lit of a value of the column, an empty or a too long one as often."""
        def another(rng):
            known = [t for t, _ in column.pool if t is not None]
            return rng.choice([empty, empty, rng.choice(known), rng.choice(known), long])
        empty, long = ("\\x", "\\x" + "61" * 2500) if column.kind.sqltype == "bytea" else ("", LONG[:column.kind.limit])
        return Lit(another(self.rng) if text is None else text, "bytea" if column.kind.sqltype == "bytea" else "text", another)

    def bound(self, column):
        """A condition that a value fulfils which the index holds; it may be any value, though."""
        rng = self.rng
        if column.not_null and rng.random() < 0.6:
            return []
        operator = rng.choice(["=", ">=", ">=", ">"])
        return [Leaf([f"{self.in_bytes(column)} {operator} ", self.value(column)], [("a", column, operator)])]

    def by_index(self, table, first, then):
        """A value of the first column, or several, and a part of the second one's."""
        rng = self.rng
        leaf = Leaf([f"a.{first.name} = ", self.value(first)], [("a", first, "=")])
        if rng.random() < 0.3:
            count = rng.choice([2, 4, 101, 110]) if first.kind.group == "text" and not first.kind.limit else 4
            empty = ["\\x"] if first.kind.sqltype == "bytea" else [""]
            leaf = Leaf([f"a.{first.name} = ANY (", self.list_of(first, count, empty), ")"], [("a", first, "= ANY")])
        leaves = [leaf] + self.bound(then)
        if rng.random() < 0.2:
            leaves.append(self.generator.maker(table, "a").on(rng.choice(table.columns)))
        if rng.random() < 0.2:
            leaves += self.too_many([c for c in table.columns if c.role == "plain"])
        return Tree("AND", leaves) if len(leaves) > 1 else leaves[0]

    def instead_for_rows(self, table, first, then, order):
        """The same for each of some rows, of which several have such values."""
        rng = self.rng
        values = [self.value(first) for _ in range(rng.choice([2, 5, 12]))]
        rows = []
        for number, value in enumerate(values):
            rows += [", " if number else "", "(", value, f", {number})"]
        inner = [f"SELECT a.{table.keys[0].name} AS k, a.{table.keys[1].name} AS k2 FROM {TABLE}{table.name} a WHERE a.{first.name} = v.x"]
        for leaf in self.bound(then):
            inner += [" AND "] + leaf.parts
        inner += [f" ORDER BY {', '.join(order)} LIMIT {rng.choice([1, 2, 5])}"] if rng.random() < 0.6 else []
        kind = rng.choice(["JOIN", "LEFT JOIN"])
        select = Select(["v.n", "x.k", "x.k2"], ["(VALUES "] + rows + [f") v(x, n) {kind} LATERAL ("] + inner + [") x ON true"])
        select.tags, select.shape = [(table.name, "a", first, "join =")], "aimed"
        select.aliases, select.settings = {"a": table.name}, {**LOOPS, **self.unsorted()}
        select.features.append(OLDER)
        return select

    # Filters of which a part must be sent

    def crowded(self):
        """A condition that a filter holds next to some that are too large for it."""
        rng = self.rng
        table = rng.choice(self.exact)
        columns = [c for c in table.columns if c.role == "plain" and c.kind.deterministic]
        arrays, plain = ([c for c in columns if c.kind.group in groups] for groups in (["array"], ["number", "date", "instant"]))
        leaves = [self.many_times(table, rng.choice(arrays))] if arrays and rng.random() < 0.75 else self.too_many(columns)
        for column in rng.sample(plain, min(len(plain), rng.choice([1, 1, 2]))):
            leaves.append(self.generator.maker(table, "a").on(column, EXACT))
        if rng.random() < 0.4:
            leaves.append(self.generator.maker(table, "a").on(table.keys[0], ["eq", "in"]))
        rng.shuffle(leaves)
        select = self.select(table, self.generator.columns(table, "a", False), Tree("AND", leaves), LARGE)
        if rng.random() < 0.25:
            select.targets = ["count(*)"]
        select.mode, select.plan_cache = rng.choice(["parameters", "parameters", "values at run time", None]), "force_generic_plan"
        return select

    def many_times(self, table, column):
        """One element so often that a filter does not hold them; and few enough now and then."""
        rows = [row for row in table.rows if row[column.name] not in (None, "{}")]
        element = Maker(self.rng, table, "a", self.rng.choice(rows)).element(column)
        times = self.rng.choice([130, 160, 299, 310, 700])
        return Leaf([f"a.{column.name} @> ", Lit(array_text([element] * times), column.kind.sqltype)], [("a", column, "@>")])

    def too_many(self, columns):
        """Conditions each of which a filter holds, but not all of them together."""
        columns = [c for c in columns if Maker(None, None, "a", None).made_up(c, 1)]
        chosen = self.rng.sample(columns, min(len(columns), 3))
        return [Leaf([f"a.{c.name} = ANY (", self.list_of(c, self.rng.choice([95, 99])), ")"], [("a", c, "= ANY")])
                for c in (chosen * 8)[:self.rng.choice([7, 8])]]

    # Documents

    def part(self):
        """Parts of documents, which as a unit are mismatches now and then."""
        rng = self.rng
        weights = [5 if t.feature else 1 for t in self.documents]
        table = rng.choices(self.documents, weights)[0]
        column = rng.choice([c for c in table.columns if c.kind.group == "jsonb"])
        ref = f"a.{column.name}"
        parts = [f"{ref} -> 'k'", f"{ref} ->> 'n'", f"{ref} #>> '{{a,b,c}}'", f"{ref} -> 'a' -> 'b'", f"{ref} #> '{{l}}'", f"{ref} ->> 'bad'",
                 f"{ref} ->> 'x.y' IS NULL"]
        targets = [f"a.{key.name}" for key in table.order()] + rng.sample(parts, rng.choice([1, 1, 2]))
        maker = self.generator.maker(table, "a")
        where = rng.choice([None, maker.on(table.keys[0], ["eq"]), maker.on(column, ["json_text", "json_null", "json_in"])])
        return self.select(table, targets, where, MISMATCHED_PARTS if column.name in table.loose else PARTS)

    # Orders

    def tied(self):
        """In the order of an index: of a time that several texts stand for, then of a number."""
        rng = self.rng
        table, one = rng.choice(self.tied_indexes)
        first, *then = [table.by_name[name] for name in one["columns"]]
        down = rng.choice(["", " DESC"])
        order = ", ".join(f"a.{column.name}{down}" for column in then)
        where = self.generator.maker(table, "a").on(first, ["eq", "eq", "in"])
        select = self.select(table, [f"a.{c.name}" for c in [first] + then], where, TIED, order=order, exact_order=True)
        select.limit = rng.choice(["", f" LIMIT {rng.choice([3, 9])}"])
        select.settings = self.unsorted()
        return select

    def in_index_order(self):
        """Documents of items in the order of an index, which shows a part of them."""
        rng = self.rng
        table = rng.choice([t for t in self.tables if t.feature == DOCUMENTS])
        indexes = [one for one in table.indexes if one["local"]] if rng.random() < 0.5 else table.indexes
        first, then = [table.by_name[name] for name in (rng.choice(indexes or table.indexes)["columns"] + [table.keys[1].name])[:2]]
        maker = self.generator.maker(table, "a")
        where = Tree("AND", [maker.on(first, ["eq"]), maker.on(then, ["not_null", "ge", "le"])])
        documents = [f"a.{c.name}" for c in table.columns if isinstance(c.kind, Document)]
        order = ", ".join([f"a.{then.name}"] + [f"a.{key.name}" for key in table.keys if key is not then])
        select = self.select(table, [f"a.{then.name}", *documents], where, DOCUMENTS, order=order, exact_order=True)
        select.settings = {"enable_sort": "off", "enable_incremental_sort": rng.choice(["on", "off"])}
        return select

    def bounded(self, kind=None, form=None):
        """Few integers up to one that the partition key has, or up to the next one; of that type, and in that form."""
        rng = self.rng
        table = rng.choice([t for t in self.integer_keys if kind in (None, t.keys[0].kind.name)] or self.integer_keys)
        key, form = table.keys[0], form or rng.choice(["apart", "two bounds", "BETWEEN"])
        limit = Integer.limits[key.kind.sqltype]
        high = rng.choice([int(text) for text, _ in key.pool if text is not None])
        low = high - rng.choice([0, 1, 2, 4])
        name, (above, upto, high) = f"a.{key.name}", rng.choice([(">=", "<=", high), (">", "<=", high), (">=", "<", high + 1), (">", "<", high + 1)])
        low, high = (Lit(str(max(-limit, min(limit - 1, value))), key.kind.sqltype) for value in (low, high))
        if form == "apart":
            leaves = [Leaf([f"{name} {above} ", low], [("a", key, above)]), Leaf([f"{name} {upto} ", high], [("a", key, upto)])]
        elif form == "BETWEEN":
            leaves = [Leaf([f"{name} BETWEEN ", low, " AND ", high], [("a", key, form)])]
        else:
            leaves = [Leaf([f"{name} {above} ", low, f" AND {name} {upto} ", high], [("a", key, form)])]
        if rng.random() < 0.4:
            leaves.append(self.generator.maker(table, "a").on(rng.choice(table.columns)))
        select = self.select(table, self.generator.columns(table, "a", False), Tree("AND", leaves), BOUNDED)
        if rng.random() < 0.25:
            select.targets = ["count(*)"]
        select.mode = "constants"
        return select

    # Lists of keys

    def lists(self):
        """Rows with several keys each, for which the first item is enough, and then rows with some of those keys."""
        rng = self.rng
        table = rng.choice(self.narrow)
        column = rng.choice([c for c in [table.keys[0]] + [table.by_name[i["columns"][0]] for i in table.indexes] if c.domain])
        keys = list(dict.fromkeys(text for text, _ in rng.sample(column.pool, len(column.pool)) if text is not None))[:16]
        sqltype = column.kind.sqltype
        rows = [keys] + [rng.sample(keys, rng.choice([1, 1, 1, 2])) for _ in range(rng.choice([4, 8, 16]))]
        if rng.random() < 0.3:
            rows.insert(rng.randrange(len(rows)), rng.sample(keys, len(keys)))
        inner = f"{TABLE}{table.name} a WHERE a.{column.name} = ANY (v.x)"
        extra = self.generator.maker(table, "a").on(rng.choice(table.columns)) if rng.random() < 0.25 else Leaf(["true"])
        inner = [inner + " AND ("] + extra.parts + [")"]
        more_targets = rng.choice([["EXISTS (SELECT FROM "] + inner + [")"],
                            [f"(SELECT a.{column.name} FROM "] + inner + [" LIMIT 1) IS NULL"],
                            ["(SELECT count(*) FROM "] + inner + [")"]])
        values = ", ".join(f"({n}, {quote(array_text(row))}::{sqltype}[])" for n, row in enumerate(rows))
        source = [f"(VALUES {values}) v(n, x)"]
        select = Select(["v.n, "], source)
        select.more_targets = more_targets
        select.aliases, select.tags, select.shape = {"a": table.name}, [(table.name, "a", column, "= ANY")], "aimed"
        select.settings = dict(LOOPS)
        select.features.append(LISTS)
        return select
