"""Statements whose plans may rely on the order of keys: windows, DISTINCT, groups, merges; and on nothing but that order."""
from predicates import Leaf, Tree
from statements import TABLE, Select

SORTED_ONLY = {"enable_hashagg": "off", "enable_hashjoin": "off", "enable_nestloop": "off"}
STYLES = [("windowed", 20), ("distinct_on", 14), ("distinct", 8), ("grouped", 14), ("merged", 22), ("appended", 12), ("first", 10), ("ends", 4),
          ("set_operation", 5)]


class Ordered:
    """Makes Selects along the keys of tables and indexes."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = [t for t in tables if t.rows and len(t.keys) == 2 and not t.shape and t.name not in ("big", "lg", "nd")]

    def statement(self, feature=None, style=None):
        """One of them; over a table of a feature, or of a style, perhaps."""
        rng = self.rng
        found = [t for t in self.tables if t.feature == feature] if feature else self.tables
        weights = [4 if t.feature else 1 for t in found]
        table = rng.choices(found, weights)[0]
        names, weights = zip(*STYLES)
        style = style or rng.choices(names, weights)[0]
        select = getattr(self, style)(table)
        select.shape = "in order: " + style.replace("_", " ")
        select.settings = dict(SORTED_ONLY)
        if rng.random() < 0.6:
            select.settings[rng.choice(["enable_sort", "enable_sort", "enable_incremental_sort", "enable_material"])] = "off"
        return select

    # Parts

    def entry(self, table):
        """(columns that name a partition, columns in whose order it is) of the table or of an index."""
        if table.indexes and self.rng.random() < 0.55:
            chosen = self.rng.choice(table.indexes)
            columns = [table.by_name[name] for name in chosen["columns"]]
            nhash = sum(1 for key in chosen["definition"]["KeySchema"] if key["KeyType"] == "HASH")
            return columns[:nhash], columns[nhash:] or table.keys[1:]
        return table.keys[:1], table.keys[1:]

    def bound(self, table, alias, entry):
        """Conditions on one partition or on several, and on a part of them now and then."""
        rng, (first, then) = self.rng, entry
        maker = self.generator.maker(table, alias, 0.95)
        several = rng.random() < 0.35
        conditions = [maker.on(column, ["in", "any", "or_eq"] if several else ["eq"]) for column in first]
        if rng.random() < 0.25:
            conditions.append(maker.on(then[0], ["ge", "le", "between", "not_null", "gt", "lt"]))
        if rng.random() < 0.15:
            conditions.append(maker.on(rng.choice(table.columns)))
        return Tree("AND", conditions) if len(conditions) > 1 else conditions[0]

    def select(self, table, targets, where, **more):
        """A Select of one table."""
        found = Select(targets, [f"{TABLE}{table.name} a"], where, **more)
        found.aliases = {"a": table.name}
        if table.feature:
            found.features.append(table.feature)
        return found

    @staticmethod
    def refs(alias, columns):
        """The columns, qualified."""
        return [f"{alias}.{column.name}" for column in columns]

    def total(self, table, refs, down=""):
        """The order of these columns, and what else makes it total."""
        rest = [o + down for o in self.generator.total_order(table, "a")]
        return [ref + down for ref in refs] + [o for o in rest if o not in [ref + down for ref in refs]]

    def start(self, table):
        """(entry, condition, partition's columns, sort columns)"""
        entry = self.entry(table)
        return self.bound(table, "a", entry), self.refs("a", entry[0]), self.refs("a", entry[1]), entry

    # Styles

    def windowed(self, table):
        """Ranks and neighbors."""
        rng = self.rng
        where, first, then, entry = self.start(table)
        down = rng.choice(["", "", " DESC"])
        order = ", ".join(ref + down for ref in then)
        parts = rng.choice(["", "", f"PARTITION BY {', '.join(first)} "])
        total_order = ", ".join(self.total(table, first + then if not parts else then, down))
        choices = [f"rank() OVER ({parts}ORDER BY {order})", f"dense_rank() OVER ({parts}ORDER BY {order})",
                   f"count(*) OVER ({parts}ORDER BY {order})", f"percent_rank() OVER ({parts}ORDER BY {order})",
                   f"row_number() OVER ({parts}ORDER BY {total_order})"]
        if all(column.kind.sortable for column in entry[1]):
            choices += [f"lag({then[0]}) OVER ({parts}ORDER BY {total_order})", f"lead({then[0]}, 2) OVER ({parts}ORDER BY {total_order})",
                        f"first_value({then[0]}) OVER ({parts}ORDER BY {total_order})", f"last_value({then[0]}) OVER ({parts}ORDER BY {order})"]
        targets = self.refs("a", table.order()) + then + rng.sample(choices, rng.choice([1, 1, 2]))
        return self.select(table, targets, where)

    def distinct_on(self, table):
        """The first row of each partition, or of each key."""
        where, first, then, _ = self.start(table)
        refs = self.rng.choice([first + then, then + first])
        down = self.rng.choice(["", "", " DESC"])
        order = self.total(table, refs, down)
        on = ", ".join(refs[:self.rng.choice([1, 1, len(refs)])])
        targets = [f"DISTINCT ON ({on}) {refs[0]}"] + refs[1:] + self.refs("a", table.order())
        return self.select(table, targets, where, order=", ".join(order), exact_order=True, limit=self.limit())

    def limit(self):
        """LIMIT, perhaps."""
        return self.rng.choice(["", "", f" LIMIT {self.rng.choice([1, 2, 4, 9])}"])

    @staticmethod
    def shown(column, ref):
        """The column as text, if equal values may look different, next to what it is grouped by."""
        return ref if column.kind.sortable else f"count({ref})"

    def distinct(self, table):
        """Keys without doubles."""
        where, first, then, entry = self.start(table)
        if not all(column.kind.sortable for column in entry[0] + entry[1]):
            return self.grouped(table)
        refs = self.rng.choice([then, first + then, then + first])
        order = self.rng.choice(["", ", ".join(refs)])
        return self.select(table, ["DISTINCT " + refs[0]] + refs[1:], where, order=order, exact_order=bool(order),
                           limit=self.limit() if order else "")

    def grouped(self, table):
        """Figures for each key, without a hash table."""
        rng = self.rng
        where, first, then, entry = self.start(table)
        by = rng.choice([list(zip(entry[1], then)), list(zip(entry[0] + entry[1], first + then)), list(zip(entry[0], first))])
        other = self.refs("a", table.order())[-1]
        figures = ["count(*)", f"min({other}::text)", f"max({other}::text)", f"count({other})", f"count(DISTINCT {other}::text)"]
        targets = [self.shown(column, ref) for column, ref in by] + rng.sample(figures, 2)
        exact = all(column.kind.sortable for column, _ in by) and rng.random() < 0.5
        refs = ", ".join(ref for _, ref in by)
        return self.select(table, targets, where, group=f" GROUP BY {refs}" + rng.choice(["", "", " HAVING count(*) > 1"]),
                           order=refs if exact else "", exact_order=exact)

    def partner(self, table, column):
        """A table with a sort key of the same type, the same one usually: (table, entry, column)."""
        alike = [(t, t.keys[:1], t.keys[1:]) for t in self.tables if t.keys[1].kind.name == column.kind.name]
        for other in self.tables:
            for chosen in other.indexes:
                last = other.by_name[chosen["columns"][-1]]
                if last.kind.name == column.kind.name and len(chosen["columns"]) == 2:
                    alike.append((other, [other.by_name[chosen["columns"][0]]], [last]))
        mine = [one for one in alike if one[0] is table]
        return self.rng.choice(mine) if mine and self.rng.random() < 0.6 else self.rng.choice(alike) if alike else None

    def merged(self, table):
        """A merge join of two sorted inputs, one of them local now and then."""
        rng = self.rng
        entry = self.entry(table)
        found = self.partner(table, entry[1][0])
        other, first, then = found or (table, *entry)
        wheres = [self.bound(table, "a", entry), self.bound(other, "b", (first, then))]
        kind = rng.choice(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "IN"])
        schemas = rng.choice([(TABLE, TABLE)] * 3 + [(TABLE, "l."), ("l.", TABLE)])
        ons = [f"a.{entry[1][0].name} = b.{then[0].name}"]
        if rng.random() < 0.25 and entry[0][0].kind.name == first[0].kind.name:
            ons.insert(0, f"a.{entry[0][0].name} = b.{first[0].name}")
        sides = [[f"{schema}{t.name}"] for schema, t in zip(schemas, (table, other))]
        keys = [self.refs("a", table.order()), self.refs("b", other.order())]
        if kind == "IN":
            select = Select(keys[0], [f"{sides[0][0]} a"], Tree("AND", [wheres[0], Leaf(
                [f"a.{entry[1][0].name} IN (SELECT b.{then[0].name} FROM {sides[1][0]} b WHERE "] + wheres[1].parts + [")"])]))
        else:
            inner = [f"(SELECT * FROM {sides[0][0]} a WHERE "] + wheres[0].parts + [f") a {kind} (SELECT * FROM {sides[1][0]} b WHERE "] + \
                wheres[1].parts + [") b ON " + " AND ".join(ons)]
            targets = keys[0] + keys[1]
            select = Select(rng.choice([targets, targets, ["count(*)", f"count(b.{then[0].name})"]]), inner)
            if rng.random() < 0.6 and entry[1][0].kind.sortable:
                select = self.by_one(select, [f"a.{entry[1][0].name}"])
            select.tags = [(t.name, alias, column, "join =") for t, alias, column in ((table, "a", entry[1][0]), (other, "b", then[0]))]
        select.aliases = {"a": table.name if schemas[0] == TABLE else None, "b": other.name if schemas[1] == TABLE else None}
        select.features += {t.feature for t in (table, other)} - {None}
        return select

    def by_one(self, select, refs):
        """The statement with nothing but these columns, by the first of them: the order that an input may have already."""
        select.targets, select.exact_order = refs, True
        select.order = refs[0] + self.rng.choice(["", "", " DESC"])
        return select

    def appended(self, table):
        """Sorted arms, merged."""
        rng = self.rng
        entry = self.entry(table)
        parts, refs = [], [column.name for column in entry[1] + [c for c in table.order() if c not in entry[1]]]
        for number in range(rng.choice([2, 2, 3])):
            parts += [" UNION ALL " if number else "(", f"SELECT {number} AS arm, {', '.join(refs)} FROM {TABLE}{table.name} a WHERE "]
            parts += self.bound(table, "a", entry).parts
        down = rng.choice(["", "", " DESC"])
        kinds = {column.name: column.kind for column in table.columns}
        order = [entry[1][0].name + down, "arm"] + [(r if kinds[r].sortable else f'{r}::text COLLATE "C"') + down for r in refs]
        select = Select(["*"], parts + [") q"], order=", ".join(order), exact_order=True, limit=self.limit())
        if rng.random() < 0.6 and entry[1][0].kind.sortable:
            select = self.by_one(select, [refs[0]])
        select.features += [table.feature] if table.feature else []
        return select

    def first(self, table):
        """The beginning of the order of keys, or something after it."""
        where, first, then, _ = self.start(table)
        down = self.rng.choice(["", "", " DESC"])
        order = self.total(table, self.rng.choice([then, then, first + then]), down)
        nulls = self.rng.choice(["", "", "", " NULLS FIRST", " NULLS LAST"])
        order[0] += nulls
        limit = f" LIMIT {self.rng.choice([1, 2, 3, 8])}" + self.rng.choice(["", "", " OFFSET 2"])
        return self.select(table, self.refs("a", table.order()) + then, where, order=", ".join(order), exact_order=True, limit=limit)

    def ends(self, table):
        """The least and the greatest."""
        where, _, then, entry = self.start(table)
        kind = entry[1][0].kind
        if not kind.sortable or kind.group in ("other", "boolean"):
            return self.first(table)
        return self.select(table, [f"min({then[0]})", f"max({then[0]})"][:self.rng.choice([1, 2])], where)

    def set_operation(self, table):
        """EXCEPT and INTERSECT of sorted arms."""
        entry = self.entry(table)
        name = entry[1][0].name
        if not entry[1][0].kind.sortable:
            return self.grouped(table)
        word = self.rng.choice(["EXCEPT", "INTERSECT", "UNION", "EXCEPT ALL", "INTERSECT ALL"])
        parts = [f"(SELECT {name} FROM {TABLE}{table.name} a WHERE "] + self.bound(table, "a", entry).parts + \
            [f" {word} SELECT {name} FROM {TABLE}{table.name} a WHERE "] + self.bound(table, "a", entry).parts + [") q"]
        select = Select(["*"], parts)
        select.features += [table.feature] if table.feature else []
        return select
