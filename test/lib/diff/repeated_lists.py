"""Lists on a column that several parts of the key have: two lists of it, many elements in an order, lists next to rows of values."""
from composed import Entity, Part, Store, SmallInteger, changed, payload
from predicates import Leaf, Lit, Tree
from statements import TABLE, Select
from twins import Column
from values import Instant, array_text

TWO_LISTS, TWO_LONG_LISTS = "two lists on one column", "two long lists on one column"
MANY_IN_ORDER, NEXT_TO_ROWS = "an order of more than 100 elements of a partition", "a list in both parts of the key next to rows of values"
OF_PARTS = {TWO_LISTS: 5, TWO_LONG_LISTS: 2, MANY_IN_ORDER: 3, NEXT_TO_ROWS: 5}      # and how often each is tried
WIDE = "wide"           # the server on which that many Queries are merged
LONG = 3300             # elements; the combinations of two such lists are more than there may be keys
MINUTES = [f"2024-05-17 {minute // 60:02}:{minute % 60:02}:00+00" for minute in range(180)]
LETTERS = ["a", "A", "b", "ä", "z"]


def is_reached(feature, plan):
    """Does the plan do what such a statement is there for?  Of other statements' features: yes."""
    if feature not in OF_PARTS:
        return True
    kinds, paths = set(), set()
    pending = [plan]
    while pending:
        node = pending.pop()
        kinds.add(node.get("Node Type"))
        paths.add(node.get("Remote Operation"))
        pending += node.get("Plans", [])
    if feature == MANY_IN_ORDER:
        return "Query per key" in paths and not kinds & {"Sort", "Incremental Sort"}
    return bool(paths & {"Query per key", "BatchGetItem"})


class Minute(Instant):
    """Minutes of one day."""

    def one(self, rng):
        text = rng.choice(MINUTES)
        return text, {"S": text.replace(" ", "T").replace("+00", "Z")}


class Lists:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.minutes, self.rows = (next(t for t in tables if t.name == name) for name in ("li1", "li2"))

    def statement(self, feature=None):
        """One of them."""
        feature = feature or self.rng.choices(*zip(*OF_PARTS.items()))[0]
        make = {MANY_IN_ORDER: self.in_order, NEXT_TO_ROWS: self.next_to_rows}.get(feature, lambda: self.two(feature == TWO_LONG_LISTS))
        select = make()
        select.shape, select.features = "lists of several parts", select.features + [feature]
        return select

    def select(self, table, leaves):
        """Of these conditions."""
        select = Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"], Tree("AND", leaves))
        select.aliases = {"a": table.name}
        return select

    def listed(self, column, texts, long=False):
        """A list, or an OR of its values; long: also of values that are often one value."""
        rng, ref, sqltype = self.rng, f"a.{column.name}", column.kind.sqltype
        texts = rng.sample(texts, len(texts)) + ([None] if rng.random() < 0.2 else []) + texts[:rng.choice([0, 0, 1])]
        if long:
            return Leaf([ref, " = ANY (array_fill(", Lit(texts[0], sqltype), f", ARRAY[{LONG}]) || ", Lit(array_text(texts), sqltype + "[]"), ")"])
        if not texts or len(texts) > 9 or rng.random() < 0.5:
            return Leaf([ref, " = ANY (", Lit(array_text(texts), sqltype + "[]"), ")"])
        if len(texts) > 1 and rng.random() < 0.5:
            return Tree("OR", [Leaf([ref, " = ", Lit(text, sqltype)]) for text in texts])
        parts = [part for text in texts for part in (", ", Lit(text, sqltype))]
        return Leaf([ref, " IN ("] + parts[1:] + [")"])

    def among(self, column, least, most):
        """Some values of a column."""
        values = MINUTES if isinstance(column.kind, Minute) else LETTERS
        return self.rng.sample(values, min(len(values), self.rng.randint(least, most)))

    def two(self, long):
        """Two lists with some values in common; conditions on other columns."""
        rng = self.rng
        table = self.minutes if long else rng.choice([self.minutes, self.rows])
        column = table.keys[-2]     # the number is the last one
        size = (1, 3) if column.kind.sqltype == "text" else (20, 120)
        leaves = [self.listed(column, self.among(column, *size), long) for _ in range(2)]
        maker = self.generator.maker(table, "a", 0.95)
        leaves += [maker.on(key, ["eq", "in", "any"]) for key in table.keys if key is not column and rng.random() < 0.85]
        leaves += [maker.on(column, ["ne", "ge", "lt", "in_null"])] * (rng.random() < 0.3)
        rng.shuffle(leaves)
        select = self.select(table, leaves)
        if long:        # that many keys would be expected to take longer than a Scan
            select.settings = {"dynamo_fdw.scan_policy": "error"}
        return select

    def in_order(self):
        """Each element is a Query of one partition; the items of all are merged."""
        rng, table = self.rng, self.minutes
        column, number = table.keys
        select = self.select(table, [self.listed(column, self.among(column, 101, 170)), Leaf([f"a.{number.name} >= ", Lit(str(rng.choice([0, 0, 100])), "int4")])])
        select.order, select.exact_order = f"a.{number.name}" + rng.choice(["", " DESC"]), True
        select.limit = rng.choice(["", " LIMIT 5", " LIMIT 40"])
        select.settings = {"enable_sort": "off"}
        return select

    def next_to_rows(self):
        """Rows of values of two columns of the partition key, and lists of the column that is in the sort key too; or an own list in each arm."""
        rng, table = self.rng, self.rows
        *columns, n = table.keys
        c = columns[2]
        pair = rng.choice([columns[:2]] * 3 + [[columns[1], columns[0]], [c, columns[0]], columns[1:]])
        rows = rng.sample(table.rows, rng.choice([1, 2, 3, 45]))
        pairs = [[row[column.name] for column in pair] for row in rows] + [[rng.choice(LETTERS), rng.choice(LETTERS)] for _ in range(rng.choice([0, 2]))]
        if len(pairs) < 6 and c not in pair and rng.random() < 0.25:
            leaves = [Tree("OR", [Tree("AND", [Leaf([f"a.{pair[i].name} = ", Lit(values[i], "text")]) for i in (0, 1)] + [self.listed(c, self.among(c, 1, 3))]) for values in pairs + [["a", "A"]]])]
        else:
            parts = [part for values in pairs for part in (", (", Lit(values[0], "text"), ", ", Lit(values[1], "text"), ")")]
            leaves = [Leaf([f"(a.{pair[0].name}, a.{pair[1].name}) IN ("] + ["("] + parts[1:] + [")"])]
            leaves += [self.listed(c, self.among(c, 1, 4)) for _ in range(rng.choice([1, 1, 1, 2]))]
            leaves += [self.listed(column, self.among(column, 1, 4)) for column in columns[:2] if column not in pair and rng.random() < 0.7]
        if rng.random() < 0.6:
            leaves.append(self.generator.maker(table, "a", 0.95).on(n, ["eq", "in", "any", "ge", "lt", "between"]))
        select = self.select(table, leaves)
        if rng.random() < 0.3:
            order = [f"a.{n.name}"] + [o for o in self.generator.total_order(table, "a") if o != f"a.{n.name}"]
            select.order, select.exact_order = ", ".join(order), True
            select.settings = {"enable_sort": rng.choice(["on", "off"])}
            select.limit = rng.choice(["", " LIMIT 7"])
        return select


def make_lists(rng):
    """(stores, tables)"""
    store = Store(rng, "lists", ["pk", "sk"], [])
    letters = lambda name: Column(name, Part("C", words=LETTERS), size=5)
    minutes = Entity("li1", store, 120, [Column("at", Minute("timestamptz"), size=150), Column("n", SmallInteger("int4", 0, 999), size=400, unique=True), payload()],
                     {"pk": "li1#${at:day}", "sk": "${at:iso8601(0)}#${n:padded(3)}"}, near=[{"pk": "li1#2021-06-01"}, changed("sk", "^[^#]+", "2024-05-18T00:00:00Z")])
    minutes.server = WIDE
    return [store], [
        minutes,
        Entity("li2", store, 150, [letters("a"), letters("b"), letters("c"), Column("n", SmallInteger("int4", 0, 5), size=6), payload()],
               {"pk": "li2#${a}#${b}#${c}", "sk": "${c}#${n:padded(3)}"}, near=[changed("sk", "^[^#]+", "x"), changed("sk", "^[^#]+", "a"), {"sk": "a#"}])]
