"""Tables whose rows are the elements of lists, sets and maps, and statements that meet several rows of one item; and counts of tables
not all of whose items are rows."""
from dynamo import index
from names import quoted
from predicates import Leaf, Tree
from statements import TABLE, Select
from twins import Column, Table, choose, keyed
from values import Integer, Numeric, Text

SEVERAL, COUNTED = "several rows of an item", "counts of items that are not all rows"
LIST, SET, MAP, OBJECTS = "list", "set", "map", "objects"


class Unnested(Table):
    """A row for each element; `elements` are the columns of one, of which the first distinguishes those of an item."""

    named = mapped = True

    # pylint: disable=too-many-arguments
    def __init__(self, name, count, elements, shape, columns=(), indexes=(), path="c", options=None, wrong=(), match=None):
        super().__init__(name, count, [keyed("pk", Text(collation="C"), 7, skew=True), keyed("sk", Text(collation="C"), 90)], list(columns) + elements, indexes,
                         {"unnest": path, **(options or {})}, match=match)
        self.elements, self.shape, self.wrong = elements, shape, list(wrong)
        self.place = path.split(".")
        self.made = []          # rows of the item that was made last, of these columns alone

    def order(self):
        """With what distinguishes elements."""
        return self.keys + self.elements[:1]

    def rename(self, names):
        super().rename(names)
        self.place[0] = names.attribute(self.place[0])
        self.options["unnest"] = ".".join(map(quoted, self.place))

    def rows_of(self, row):
        """As many as elements."""
        return [{**row, **element} for element in self.made]

    def item(self, rng, drawn, number):
        """The item, with its elements."""
        item = super().item(rng, drawn, number)
        self.made, pick = [], rng.random()
        stored = self.collection(rng) if pick < 0.8 else rng.choice([None, {"NULL": True}, {"L": []}, {"M": {}}] + self.wrong)
        *outer, last = self.place
        if outer and stored is not None:
            item[outer[0]] = {"M": {last: stored, "other": {"S": "x"}}}
        elif outer and rng.random() < 0.5:
            item[outer[0]] = rng.choice([{"M": {}}, {"S": "no map"}, {"L": []}, {"NULL": True}])
        elif stored is not None:
            item[last] = stored
        return item

    def collection(self, rng):
        """A list, set or map as stored; fills self.made."""
        count = rng.choice([1, 1, 2, 2, 3, 3, 5, 9])
        if self.shape == OBJECTS:
            return {"L": [self.element(rng, position) for position in range(count)]}
        first, *rest = self.elements
        if self.shape == LIST:
            values = [(None, {"NULL": True}) if rng.random() < 0.1 else rng.choice(rest[0].pool) for _ in range(count)]
            self.made = [{first.name: str(n), rest[0].name: text} for n, (text, _) in enumerate(values)]
            return {"L": [stored for _, stored in values]}
        values = {text: stored for text, stored in rng.choices(first.pool, k=count) if text}
        if self.shape == SET:
            letter = next(iter(first.pool[0][1]))
            values = {stored[letter]: text for text, stored in values.items()}
            self.made = [{first.name: text} for text in values.values()]
            return {letter + "S": list(values)} if values else None
        members = {name: rng.choice(rest[0].pool) for name in values}
        self.made = [{first.name: name, rest[0].name: text} for name, (text, _) in members.items()]
        return {"M": {name: stored for name, (_, stored) in members.items()}}

    def element(self, rng, position):
        """A map with some of the columns' members, or now and then something else."""
        first, *rest = self.elements
        row = {first.name: str(position), **{column.name: None for column in rest}}
        self.made.append(row)
        if rng.random() < 0.15:
            return rng.choice([{"NULL": True}, {"S": "x"}, {"N": "5"}, {"L": [{"S": "x"}]}, {"M": {}}])
        members = {"other": {"S": "x"}}
        for column in rest:
            text, stored = column.draw(rng)
            if stored is not None:
                row[column.name], members[column.path[2:]] = text, stored
        return {"M": members}


def position():
    """Where in the list."""
    return Column("pos", Integer("int4"), size=12, path="@index")


def make_unnested():
    """The tables."""
    def own():
        return [Column("ek", Text(collation="C"), size=9, absent=0.2)] + choose("i4", "td")

    def indexes():
        return [index("g_ek", ("ek", ""), ("sk", "")), index("g_keys", ("ek", ""), None, "KEYS_ONLY"), index("l_i4", ("pk", ""), ("i4", ""), "KEYS_ONLY", local=True)]

    return [
        Unnested("ul", 110, [position(), Column("el", Text(collation="C"), size=25, path="@")], LIST, own(), indexes()),
        Unnested("um", 90, [Column("who", Text(collation="C"), size=14, path="@key"), Column("va", Numeric(), size=25, path="@")], MAP, own(), indexes(), "d.c"),
        Unnested("un", 90, [Column("nu", Numeric(), size=25, path="@")], SET, choose("i4", "bo", "js"), ()),
        Unnested("ut", 90, [Column("te", Text(), size=25, path="@")], SET, own(), indexes(), "d.c"),
        Unnested("uo", 110, [position(), Column("oa", Integer("int4"), size=12, path="@.oa"), Column("ob", Text(collation="C"), size=12, path="@.ob"),
                             Column("i8", Integer("int8"), size=12, path="@.i8")], OBJECTS, own(), indexes(), "d.c",
                 {"on_mismatch": "null"}, [{"S": "x"}, {"BOOL": True}]),
        Unnested("uw", 130, [position(), Column("el", Text(collation="C"), size=25, path="@")], LIST,
                 [Column("kd", Text(collation="C"), size=4, not_null=True)] + own(), [index("g_kd", ("kd", ""), ("sk", ""))] + indexes(), match={"kd": 2}),
    ]


class Elements:
    """Makes Selects over these tables, and over those with a row test."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = [t for t in tables if t.rows and t.shape]
        self.tested = [t for t in tables if t.rows and t.match and not t.shape]

    def statement(self, feature=None):
        """One of them."""
        if (feature or self.rng.choice([SEVERAL, COUNTED])) == COUNTED:
            return self.counted()
        return self.joined() if self.rng.random() < 0.7 else self.valued()

    def counted(self):
        """All rows of a key of the table, or of an index."""
        rng = self.rng
        table = rng.choice(self.tested if rng.random() < 0.7 else self.tables)
        keys = rng.choice([table.keys] + [[table.by_name[name] for name in one["columns"]] for one in table.indexes] * 2)
        maker = self.generator.maker(table, "a")
        leaves = [maker.on(keys[0], ["eq", "eq", "in"])] if rng.random() < 0.85 else []
        if len(keys) > 1 and rng.random() < 0.3:
            leaves.append(maker.on(keys[1], ["eq", "ge", "le", "between"]))
        if rng.random() < 0.15:
            leaves.append(maker.on(rng.choice(table.columns)))
        select = Select(["count(*)"], [f"{TABLE}{table.name} a"], Tree("AND", leaves) if len(leaves) > 1 else leaves[0] if leaves else None)
        select.aliases, select.shape = {"a": table.name}, "counted"
        select.features.append(COUNTED)
        return select

    def valued(self):
        """The rows whose element has a value."""
        rng, table = self.rng, self.rng.choice(self.tables)
        maker = self.generator.maker(table, "a")
        leaves = [maker.on(rng.choice(table.elements), ["eq", "eq", "eq", "commuted", "in", "ne", "ge", "null"])]
        if rng.random() < 0.3:
            leaves.append(maker.on(rng.choice(table.columns)))
        where = Tree(rng.choice(["AND", "AND", "OR"]), leaves) if len(leaves) > 1 else leaves[0]
        select = Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"], where)
        select.aliases, select.shape = {"a": table.name}, "elements"
        select.features.append(SEVERAL)
        return select

    def joined(self):
        """Some rows, and those of the same items, or of the same partition: all of them, or whether there are any."""
        rng, table = self.rng, self.rng.choice(self.tables)
        driver = table if rng.random() < 0.7 else rng.choice(self.tables)
        outer = ", ".join(f"{c.name} AS x{n}" for n, c in enumerate(driver.order()))
        order = ", ".join(c.name for c in driver.order())
        source = f"(SELECT {outer} FROM l.{driver.name} ORDER BY {order} LIMIT {rng.choice([1, 5, 20])} OFFSET {rng.choice([0, 3, 30])}) v"
        on = [f"a.{table.keys[0].name} = v.x0"] + [f"a.{table.keys[1].name} = v.x1"] * (rng.random() < 0.8)
        first = table.elements[0]
        if driver.shape == table.shape and first.kind.name == driver.elements[0].kind.name and rng.random() < 0.4:
            on.append(f"a.{first.name} = v.x2")
        elif rng.random() < 0.3:
            on.append(f"a.{first.name} IN ({', '.join(rng.choice(['0', '1', '2']) for _ in range(2))})" if first.path == "@index" else f"a.{first.name} IS NOT NULL")
        leaf = Leaf(["(" + " AND ".join(on) + ")"])
        if rng.random() < 0.3:
            leaf = Tree("AND", [leaf, self.generator.maker(table, "a").on(rng.choice(table.columns))])
        return self.formed(table, source, leaf)

    def formed(self, table, source, leaf):
        """The statement, in one of several forms."""
        rng, inner = self.rng, f"{TABLE}{table.name} a"
        columns = [f"a.{c.name}" for c in table.order()] + [f"a.{rng.choice(table.columns).name}"]
        kind = rng.choice(["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "EXISTS", "count", "LATERAL"])
        if kind == "EXISTS":
            select = Select(["v.x0", "v.x1"], [source], Leaf([rng.choice(["EXISTS", "NOT EXISTS"]) + f" (SELECT FROM {inner} WHERE "] + leaf.parts + [")"]))
        elif kind == "count":
            select = Select(["v.x0", "v.x1", "q.n"], [source + f" LEFT JOIN LATERAL (SELECT count(*) AS n FROM {inner} WHERE "] + leaf.parts + [") q ON true"])
        elif kind == "LATERAL":
            order = ", ".join(f"a.{c.name}" for c in table.order())
            select = Select(["v.x0", "v.x1", "q.*"], [source + f" LEFT JOIN LATERAL (SELECT {order} FROM {inner} WHERE "] + leaf.parts +
                            [f" ORDER BY {order} LIMIT {rng.choice([1, 2, 3])}) q ON true"])
        else:
            targets = rng.choice([["v.x0", "v.x1"] + columns, ["v.x0", "v.x1"] + columns, ["v.x0", "v.x1"]])
            select = Select(targets, [source + f" {kind} {inner} ON "] + leaf.parts)
        select.aliases, select.shape = {"a": table.name}, "elements"
        if rng.random() < 0.5:
            select.settings = {"enable_hashjoin": "off", "enable_mergejoin": "off"}
        select.features.append(SEVERAL)
        return select
