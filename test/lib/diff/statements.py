"""Random statements. The name of a table is written after TABLE, so that one text serves both schemas."""
import copy

from predicates import Leaf, Lit, Maker, Tree
from values import quote

TABLE = "\x02"


class Select:
    """A SELECT in pieces; lists of parts as predicates have them."""

    def __init__(self, targets, source, where=None, group="", order="", limit="", exact_order=False):
        self.targets, self.source, self.where = targets, source, where
        self.group, self.order, self.limit = group, order, limit
        self.exact_order = exact_order      # the order is total: rows are compared as lists
        self.aliases = {}                   # alias: table name
        self.tags = []                      # next to those of `where`
        self.shape = "rows"
        self.complete = False               # not for a cursor
        self.features = []                  # what else the coverage counts it as
        self.settings = {}                  # what it is there to be run under
        self.mode = self.plan_cache = None  # in the same way
        self.more_targets = []                     # parts after the targets
        self.refusal = None                 # SQLSTATE of an error that may take the place of rows

    def parts(self):
        """The entire statement."""
        out = ["SELECT ", ", ".join(self.targets)] + self.more_targets + [" FROM "] + self.source
        if self.where is not None:
            out += [" WHERE "] + self.where.parts
        return out + [self.group, f" ORDER BY {self.order}" if self.order else "", self.limit]

    def smaller(self):
        """The same with one thing less, for the search of a small reproduction."""
        for name in ("limit", "order"):
            if getattr(self, name) and (name != "order" or not self.limit):
                yield self.but(**{name: ""}, exact_order=self.exact_order and name != "order")
        if self.where is not None:
            if self.where.leaves():
                yield self.but(where=None)
            for where in self.where.smaller():
                yield self.but(where=where)
        if len(self.targets) > 1 and not self.group and not self.order:
            for number in range(len(self.targets)):
                yield self.but(targets=self.targets[:number] + self.targets[number + 1:])

    def but(self, **changes):
        """A copy with changes."""
        other = copy.copy(self)
        other.__dict__.update(changes)
        return other

    def all_tags(self):
        """(table name, column, operator) of all conditions."""
        leaves = self.where.leaves() if self.where is not None else []
        return [(self.aliases.get(alias), alias, column, operator)
                for leaf in leaves for alias, column, operator in leaf.tags] + self.tags


def render(parts, schema, write):
    """The SQL; write(lit) gives the text of a constant."""
    text = "".join(write(part) if isinstance(part, Lit) else part for part in parts)
    return text.replace(TABLE, schema + ".")


class Generator:
    """Makes Selects over the tables."""

    def __init__(self, rng, tables):
        self.rng, self.tables = rng, tables
        self.weights = [t.weight for t in tables]

    def table(self, test=None):
        """A table; with a test, one that satisfies it."""
        found = [t for t in self.tables if test is None or test(t)]
        return self.rng.choices(found, [t.weight for t in found])[0]

    def maker(self, table, alias, follow=0.85):
        """A Maker with a random witness."""
        witness = self.rng.choice(table.rows) if table.rows and self.rng.random() < follow else None
        return Maker(self.rng, table, alias, witness)

    def columns(self, table, alias, computed=True):
        """Some columns to select, keys usually; computed ones may fail for a row that a LIMIT would leave out."""
        rng = self.rng
        if rng.random() < 0.12:
            return [f"{alias}.*"]
        some = rng.sample(table.columns, min(len(table.columns), rng.randint(1, 5)))
        some += [k for k in table.keys if k not in some and rng.random() < 0.7]
        targets = [f"{alias}.{c.name}" for c in some]
        if computed and rng.random() < 0.15:
            targets.append(self.expression(table, alias))
        return targets

    def expression(self, table, alias):
        """Something computed of a column."""
        column = self.rng.choice(table.columns)
        ref = f"{alias}.{column.name}"
        group = column.kind.group
        if group == "number":
            # as numeric: whether a row that overflows is computed at all may depend on the plan
            return self.rng.choice([f"{ref}::numeric + 1", f"{ref}::numeric * 2", f"100 / nullif({ref}, 0)", f"-({ref}::numeric)"])
        if group == "text":
            return self.rng.choice([f"length({ref})", f"upper({ref})", f"{ref} || 'x'", f"{ref} IS NULL"])
        if group == "jsonb":
            return self.rng.choice([f"{ref} -> 'k'", f"{ref} ->> 'any'", f"{ref} #>> '{{a,b,c}}'", f"{ref} -> 'l' -> 0",
                                    f"{ref} -> 'a' -> 'b'", f"{ref} -> 'x.y'", f"jsonb_typeof({ref})",
                                    f"{ref} #> '{{l,1,c}}'", f"{ref} #> '{{l,1}}'"])
        return f"{ref} IS NULL"

    def total_order(self, table, alias):
        """ORDER BY of the key: total, in the order of the column's collation first."""
        parts = []
        for key in table.order():
            if not key.kind.sortable:
                parts.append(f'{alias}.{key.name}::text COLLATE "C"')
            else:
                parts.append(f"{alias}.{key.name}")
        return parts

    def start(self, table, alias="a", computed=True):
        """SELECT some columns FROM the table WHERE something."""
        select = Select(self.columns(table, alias, computed), [f"{TABLE}{table.name} {alias}"],
                        self.maker(table, alias).where_clause() if self.rng.random() > 0.03 else None)
        select.aliases = {alias: table.name}
        return select

    # Every operator on every type in every role, once

    def aims(self):
        """(table, column, role, columns to bind before it, kind of condition) of all that is worth trying once."""
        seen, wanted = set(), []
        for table in self.rng.sample(self.tables, len(self.tables)):
            if not table.rows or table.name == "big":
                continue
            for column in table.columns:
                for role, partners in self.roles(table, column):
                    names = Maker(self.rng, table, "a", None).choices(column)
                    for name in dict.fromkeys(names + ["like_end"] * ("like" in names and not partners)):
                        cell = (column.kind.name, role, name, column.name + table.name if column.strange else None)
                        if cell not in seen:
                            seen.add(cell)
                            times = {"boolean": 6, "distinct": 3}.get(name, 1)
                            wanted += [(table, column, role, partners, name)] * times
            if len(table.keys) == 2:
                wanted += [(table, table.keys[0], "row", [], "row")] * 2
        self.rng.shuffle(wanted)
        return wanted

    def sweep(self, covered):
        """Selects, each with one condition that is the point of it, in random order; again where it was not met."""
        wanted = self.aims()
        for again in (False, True, True):
            for table, column, role, partners, name in wanted:
                select, operator = self.swept(table, column, partners, name)
                if not again or not (role.startswith("index") or covered(operator, column.kind.name, role)):
                    yield select

    def toward(self, operator, kind, role):
        """A Select that may try an operator on a type in a role, "*" being any; one of any kind if no sweep does."""
        if operator.startswith("column "):
            return self.compared(operator)
        tries = 300
        matches = lambda column: kind in ("*", column.kind.name)
        for table, column, at, partners, name in self.aims():
            if at == "row":
                wanted = role in ("hash", "sort") and matches(table.keys[role == "sort"])
            else:   # an index of which not all items have the keys is used if all of its keys are bound
                wanted = (role in ("*", at) and matches(column)) or \
                    (role == "index hash" and at == "index sort" and any(map(matches, partners)))
            for _ in range(6 * (wanted and tries > 0)):
                tries -= 1
                select, _ = self.swept(table, column, partners, name)
                if any(matches(tagged) and found == operator for _, _, tagged, found in select.all_tags()):
                    return select
        return getattr(self, self.rng.choice(["join", "subquery", "local_driver", "rows"]))()

    def along(self, path):
        """A Select that may take an access path, of the coverage's words: by the key of the table or of an index."""
        local = "local" in path
        indexes = [(t, index) for t in self.tables if t.rows for index in t.indexes if index["local"] == local]
        table, index = self.rng.choice(indexes)
        names = index["columns"]
        if "index" not in path:
            table = self.table(lambda t: t.rows and len(t.keys) == 2 and t.name != "big")
            names = [key.name for key in table.keys]
        first = ["in", "any"] if "per key" in path else ["eq"]
        maker = self.maker(table, "a", 1)
        conditions = [maker.on(table.by_name[names[0]], first)]
        conditions += [maker.on(table.by_name[name], ["eq"]) for name in names[1:]]
        shown = [table.by_name[name] for name in names] if "then" not in path else table.columns
        select = Select(["count(*)"] if "count" in path else [f"a.{c.name}" for c in shown],
                        [f"{TABLE}{table.name} a"], Tree("AND", conditions))
        select.aliases, select.shape = {"a": table.name}, "sweep"
        return select

    def compared(self, operator):
        """A Select with a condition that compares two columns; in that way, if chance allows."""
        for _ in range(200):
            table = self.table(lambda t: t.rows and t.name != "big")
            leaf = self.maker(table, "a", 1).make_columns()
            if leaf and leaf.tags[0][2] == operator:
                break
        select = Select(self.columns(table, "a"), [f"{TABLE}{table.name} a"], leaf)
        select.aliases, select.shape = {"a": table.name}, "sweep"
        return select

    def swept(self, table, column, partners, name):
        """A Select of the sweep, and the operator in it."""
        maker = self.witnessed(table, column, name)
        leaf = maker.make_row() if name == "row" else maker.on(column, [name])
        conditions = [maker.on(p, ["eq", "eq", "in", "or_eq"]) for p in partners] + [leaf]
        select = Select(self.columns(table, "a"), [f"{TABLE}{table.name} a"],
                        Tree("AND", conditions) if partners else leaf)
        select.aliases, select.shape = {"a": table.name}, "sweep"
        return select, leaf.tags[0][2]

    def witnessed(self, table, column, name):
        """A Maker whose witness has a value in the column; not always for IS NULL."""
        rows = [row for row in table.rows if row[column.name] is not None] or table.rows
        if name in ("null", "is_null", "boolean") and self.rng.random() < 0.4:
            rows = [row for row in table.rows if row[column.name] is None] or rows
        return Maker(self.rng, table, "a", self.rng.choice(rows))

    @staticmethod
    def roles(table, column):
        """(role, columns to bind before it) of all keys that the column is part of, or as a plain column."""
        found = []
        if column in table.keys:
            found.append((column.role, table.keys[:table.keys.index(column)]))
        for index in table.indexes:
            if column.name in index["columns"]:
                before = index["columns"][:index["columns"].index(column.name)]
                hashes = [k for k in index["definition"]["KeySchema"] if k["KeyType"] == "HASH"]
                role = "index hash" if len(before) < len(hashes) else "index sort"
                found.append((role, [table.by_name[name] for name in before]))
        if column not in table.keys:
            found.append((column.role, []))
        return found

    # Shapes

    def rows(self):
        """Plain rows; as complete rows now and then."""
        select = self.start(self.table())
        if self.rng.random() < 0.05:
            select.targets = self.rng.choice([["a::text"], ["a IS NULL", "a IS NOT NULL"], ["(a).*"]])
        return select

    def by_key(self):
        """Along the sort key of the table or an index: in its order, or its ends."""
        rng, table = self.rng, self.table(lambda t: len(t.keys) == 2)
        maker = self.maker(table, "a")
        columns, nhash = [k.name for k in table.keys], 1
        if table.indexes and rng.random() < 0.65:
            index = rng.choice(table.indexes)
            columns = index["columns"]
            nhash = sum(1 for k in index["definition"]["KeySchema"] if k["KeyType"] == "HASH")
        keys = [table.by_name[name] for name in columns]
        conditions = [maker.on(key, maker.POINTS) for key in keys[:nhash]]
        if len(keys) > nhash and rng.random() < 0.6:
            conditions.append(maker.on(keys[nhash]))
        if rng.random() < 0.3:
            conditions.append(maker.on(rng.choice(table.columns)))
        select = Select(self.columns(table, "a", False), [f"{TABLE}{table.name} a"],
                        Tree("AND", conditions) if len(conditions) > 1 else conditions[0])
        select.aliases = {"a": table.name}
        sort = [k for k in keys[nhash:] if k.kind.sortable] or [k for k in table.keys if k.kind.sortable]
        if rng.random() < 0.25 and sort and sort[0].kind.group != "other":
            select.targets = [f"{rng.choice(['min', 'max'])}(a.{sort[0].name})"] + rng.choice([[], ["count(*)"]])
            select.shape = "ends"
            return select
        down = rng.choice(["", " DESC"])
        order = [f"a.{k.name}{down}" for k in sort]
        order += [o + down for o in self.total_order(table, "a") if o + down not in order]
        select.order, select.exact_order, select.shape = ", ".join(order), True, "key order"
        if rng.random() < 0.6:
            select.limit = f" LIMIT {rng.choice([1, 2, 3, 10])}" + rng.choice(["", "", " OFFSET 2"])
        return select

    def union(self):
        """One condition over two tables put together."""
        rng = self.rng
        one = self.table(lambda t: len(t.keys) == 2)
        same_kind = [t for t in self.tables if len(t.keys) == 2 and
                     [k.kind.sqltype for k in t.keys] == [k.kind.sqltype for k in one.keys] and
                     [k.kind.collation for k in t.keys] == [k.kind.collation for k in one.keys]]
        two = rng.choice(same_kind)
        names = [key.name for key in one.keys]
        arms = [f"SELECT {t.keys[0].name} AS {names[0]}, {t.keys[1].name} AS {names[1]}, {n} AS arm FROM {TABLE}{t.name}"
                for n, t in enumerate((one, two))]
        maker = self.maker(one, "a")
        conditions = [maker.on(k) for k in rng.choice([one.keys, one.keys[:1], [one.keys[0], one.keys[0]]])]
        select = Select(["a.*"], [f"({' UNION ALL '.join(arms)}) a"], Tree("AND", conditions))
        select.shape = "union"
        if rng.random() < 0.4 and all(k.kind.sortable for k in one.keys):
            select.order, select.exact_order, select.limit = ", ".join(names + ["arm"]), True, rng.choice(["", " LIMIT 3"])
        return select

    def ordered(self):
        """Rows in a total order, perhaps a few of them."""
        rng, table = self.rng, self.table()
        select = self.start(table, computed=False)
        keys = self.total_order(table, "a")
        style = rng.random()
        if style < 0.35 and len(keys) == 2:
            keys = [keys[1], keys[0]]
        elif style < 0.6:
            candidates = [c for c in table.columns if c.kind.sortable and c.name != "filler"]
            indexed = [c for c in candidates if c.role == "index key"] or candidates
            column = rng.choice(indexed if rng.random() < 0.6 else candidates)
            nulls = rng.choice(["", "", " NULLS FIRST", " NULLS LAST"])
            keys = [f"a.{column.name}{rng.choice(['', ' DESC'])}{nulls}"] + keys
        if rng.random() < 0.4:
            keys = [k if "DESC" in k or "NULLS" in k else k + " DESC" for k in keys]
        elif rng.random() < 0.1:
            keys = [k if "DESC" in k or "NULLS" in k else k + rng.choice(["", " DESC"]) for k in keys]
        select.order, select.exact_order, select.shape = ", ".join(keys), True, "ordered"
        if rng.random() < 0.6:
            select.limit = f" LIMIT {rng.choice([0, 1, 1, 2, 3, 5, 20])}"
            select.limit += rng.choice(["", "", f" OFFSET {rng.choice([0, 1, 2, 7])}"])
            select.shape = "limit"
        return select

    def aggregate(self):
        """One row of aggregates."""
        rng, table = self.rng, self.table()
        select = self.start(table)
        select.shape = "aggregate"
        if rng.random() < 0.45:
            select.targets, select.shape = ["count(*)"], "count(*)"
            return select
        choices = ["count(*)"]
        for column in rng.sample(table.columns, min(3, len(table.columns))) + table.keys:
            ref, group = f"a.{column.name}", column.kind.group
            choices.append(f"count({ref})")
            if column.kind.sortable and group not in ("boolean", "other"):  # no min(uuid), min(bytea) before 18
                choices += [f"min({ref})", f"max({ref})"] * 2
            if group == "number":
                choices += [f"sum({ref})", f"sum(DISTINCT {ref})"]
            if column.kind.sortable and group not in ("float",):
                choices.append(f"count(DISTINCT {ref})")
        select.targets = rng.sample(choices, min(len(choices), rng.choice([1, 1, 2, 3])))
        return select

    def grouped(self):
        """DISTINCT, GROUP BY with HAVING, DISTINCT ON."""
        rng, table = self.rng, self.table()
        select = self.start(table)
        columns = [c for c in table.columns if c.kind.sortable and c.kind.group not in ("float",)]
        column = rng.choice([c for c in columns if c.role != "plain"] or columns) if rng.random() < 0.5 and columns \
            else rng.choice(columns) if columns else None
        if column is None:
            return select
        ref = f"a.{column.name}"
        if rng.random() < 0.3:
            select.targets = ["DISTINCT " + ref]
        else:
            select.targets = [ref, "count(*)"]
            select.group = f" GROUP BY {ref}" + rng.choice(["", "", " HAVING count(*) > 1"])
        if rng.random() < 0.3:
            select.order, select.exact_order = ref, True
        select.shape = "grouped"
        return select

    def joinable(self, table, column):
        """(table, column) pairs to join the column with, keys first."""
        found = []
        for other in self.tables:
            for candidate in other.columns:
                if candidate.kind.group == column.kind.group and column.kind.group in (
                        "text", "number", "other", "date", "instant") and \
                        (column.kind.group != "other" or candidate.kind.sqltype == column.kind.sqltype):
                    found += [(other, candidate)] * {"hash": 6, "index key": 3, "sort": 2}.get(candidate.role, 1)
        return found

    def join(self):
        """Two tables by a column, inner or outer; the first one local sometimes."""
        rng = self.rng
        one = self.table()
        column = rng.choice([c for c in one.columns if c.kind.group not in ("jsonb", "array", "boolean", "float")])
        found = self.joinable(one, column)
        two, partner = rng.choice(found)
        maker = self.maker(one, "a")
        where = maker.where_clause()
        if rng.random() < 0.4:
            where = Tree("AND", [where, self.maker(two, "b").some() or maker.where_clause()])
        operator = "=" if rng.random() < 0.93 else rng.choice(["<", ">=", ">"])
        on = [f"{self.collated('b', partner, column)} {operator} a.{column.name}"]
        tags = [(two.name, "b", partner, "join " + operator)]
        if len(two.keys) == 2 and partner is two.keys[0] and rng.random() < 0.5:
            more = self.maker(two, "b")
            leaf = more.on(two.keys[1])
            on += [" AND ("] + leaf.parts + [")"]
            tags += [(two.name, *tag) for tag in leaf.tags]
        kind = rng.choice(["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        if kind == "FULL JOIN" and operator != "=":
            kind = "JOIN"
        outer = "l." if rng.random() < 0.4 else TABLE
        targets = [f"a.{c.name}" for c in {*one.keys, column}] + [f"b.{c.name}" for c in {*two.keys, partner}]
        if rng.random() < 0.3:
            targets = ["count(*)", f"count(b.{partner.name})"]
        select = Select(sorted(targets), [f"{outer}{one.name} a {kind} {TABLE}{two.name} b ON "] + on, where)
        select.aliases = {"a": one.name if outer == TABLE else None, "b": two.name}
        select.tags, select.shape = tags, kind.lower()
        return select

    @staticmethod
    def collated(alias, column, other):
        """A column made comparable with another one of another collation."""
        ref = f"{alias}.{column.name}"
        if column.kind.group != "text":
            return ref
        if column.kind.collation == other.kind.collation:
            return ref
        return f'{ref} COLLATE "{column.kind.collation or "default"}"'

    def subquery(self):
        """A semi or anti join, or a scalar subquery per row."""
        rng = self.rng
        select = self.start(self.table(lambda t: t.name != "big"))
        one = next(t for t in self.tables if t.name == select.aliases["a"])
        column = rng.choice([c for c in one.columns if c.kind.group not in ("jsonb", "array", "boolean", "float")])
        two, partner = rng.choice(self.joinable(one, column))
        condition = [f"{self.collated('b', partner, column)} = a.{column.name}"]
        if rng.random() < 0.5:
            extra = self.maker(two, "b").on(rng.choice(two.columns))
            condition += [" AND ("] + extra.parts + [")"]
        style = rng.choice(["EXISTS", "EXISTS", "NOT EXISTS", "IN", "NOT IN", "scalar", "lateral"])
        tags = [(two.name, "b", partner, style)]
        select.aliases["b"] = two.name
        inner = [f" FROM {TABLE}{two.name} b WHERE "] + condition
        if style in ("EXISTS", "NOT EXISTS"):
            leaf = Leaf([f"{style} (SELECT 1"] + inner + [")"])
        elif style in ("IN", "NOT IN"):
            leaf = Leaf([f"{self.collated('a', column, partner)} {style} (SELECT b.{partner.name}"] +
                        [f" FROM {TABLE}{two.name} b WHERE "] + self.maker(two, "b").where_clause().parts + [")"])
        elif style == "scalar":
            leaf = Leaf(["(SELECT count(*)"] + inner + [f") {rng.choice(['>', '='])} {rng.choice([0, 1, 2])}"])
        else:
            order = ", ".join(self.total_order(two, "b"))
            select.source = select.source + [", LATERAL (SELECT b." + two.keys[-1].name + " AS picked"] + inner + \
                [f" ORDER BY {order} LIMIT {rng.choice([1, 2])}) x"]
            select.targets = [f"a.{k.name}" for k in one.keys] + ["x.picked"]
            leaf = None
        if leaf is not None:
            select.where = Tree("AND", [select.where, leaf]) if select.where is not None else leaf
        select.tags, select.shape = tags, "lateral" if style == "lateral" else "subquery"
        return select

    def memoized(self):
        """Few distinct values of a local table, many times, looked up by key."""
        rng = self.rng
        pairs = [(table, driver, column) for table in self.tables if table.name not in ("big", "none")
                 for driver in self.tables for column in driver.columns
                 if column.size <= 14 and driver.rows and column.kind.group == table.keys[0].kind.group
                 and column.kind.group in ("number", "text")
                 and (column.kind.sqltype, column.kind.collation) == (table.keys[0].kind.sqltype,
                                                                      table.keys[0].kind.collation)]
        table, driver, column = rng.choice(pairs)
        key = table.keys[0]
        kind = rng.choice(["JOIN", "LEFT JOIN"])
        select = Select([f"v.{k.name} AS n{n}" for n, k in enumerate(driver.keys)] + [f"a.{k.name}" for k in table.keys],
                        [f"l.{driver.name} v {kind} {TABLE}{table.name} a ON a.{key.name} = v.{column.name}"])
        select.aliases, select.tags, select.shape = {"a": table.name}, [(table.name, "a", key, "join =")], "memoized"
        return select

    def local_driver(self):
        """A list of values joined to a key, so that parameters change from row to row."""
        rng = self.rng
        table = self.table()
        column = rng.choice(table.keys[:1] * 3 + [c for c in table.columns if c.role == "index key"] or table.keys)
        values = [v[0] for v in rng.choices(column.pool, k=rng.choice([2, 4, 9]))] + \
            rng.choice([[], [None], [column.odd(rng)[0]] if column.kind.group not in ("number",) else []])
        kind = column.kind.sqltype.split("(", maxsplit=1)[0]
        kind = "bpchar" if kind == "char" else kind
        rows = ", ".join(f"({'NULL' if v is None else quote(v)}::{kind}, {n})" for n, v in enumerate(values))
        on = [f"a.{column.name} = v.x"]
        tags = [(table.name, "a", column, "join =")]
        if len(table.keys) == 2 and rng.random() < 0.6:
            leaf = self.maker(table, "a").on(table.keys[1])
            on += [" AND ("] + leaf.parts + [")"]
            tags += [(table.name, *tag) for tag in leaf.tags]
        if rng.random() < 0.3:
            extra = self.maker(table, "a").on(rng.choice(table.columns))
            on += [" AND ("] + extra.parts + [")"]
        kind = rng.choice(["JOIN", "LEFT JOIN"])
        select = Select(["v.n"] + self.columns(table, "a"),
                        [f"(VALUES {rows}) v(x, n) {kind} {TABLE}{table.name} a ON "] + on)
        select.aliases, select.tags, select.shape = {"a": table.name}, tags, "values " + kind.lower()
        return select

    SHAPES = [("rows", 36), ("ordered", 10), ("by_key", 14), ("aggregate", 10), ("grouped", 5), ("join", 10),
              ("subquery", 6), ("local_driver", 9), ("union", 3), ("memoized", 1)]

    def statement(self):
        """Any of them."""
        names, weights = zip(*self.SHAPES)
        return getattr(self, self.rng.choices(names, weights)[0])()
