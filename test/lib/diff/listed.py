"""Joins by columns of keys, with a list for one of the relations, which is one for the others too."""
from predicates import Tree
from statements import TABLE, Select

LISTED = "joins with a list of keys"


class Listed:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.keys = {}      # (type, collation): the columns that can be equal, with their tables; those of keys several times
        for table in tables:
            for column in table.columns if table.rows and table.name not in ("big", "lg") else ():
                if column.kind.sortable and column.kind.group not in ("float", "boolean"):
                    times = 8 if column in table.keys[:1] else 3 if column in table.keys or column.role == "index key" else 1
                    self.keys.setdefault((column.kind.sqltype, column.kind.collation), []).extend([(table, column)] * times)
        self.groups = [group for group in self.keys.values() if len({table.name for table, _ in group}) > 1]

    def statement(self):
        """One of them."""
        rng = self.rng
        group = rng.choice(self.groups)
        relations = [rng.choice(group) for _ in range(rng.choice([2, 2, 2, 3]))]
        if rng.random() < 0.3:
            relations[1] = relations[0]
        aliases = "abc"[:len(relations)]
        kinds = [rng.choice(["JOIN"] * 5 + ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]) for _ in relations[1:]]
        lists = [self.conditions(*relation, alias) for relation, alias in zip(relations, aliases)]
        listed = rng.randrange(len(relations))
        state = rng.getstate()
        where = [leaf for leaves in lists for leaf in leaves] + self.listed(*relations[listed], aliases[listed])
        if relations[0] is relations[1] and listed < 2 and rng.random() < 0.6:    # the same list for the other of them
            rng.setstate(state)
            where += self.listed(*relations[listed], aliases[1 - listed])
        source = [f"{TABLE}{relations[0][0].name} a"]
        for (table, column), alias, kind in zip(relations[1:], aliases[1:], kinds):
            other = rng.randrange(aliases.index(alias))
            source += [f" {kind} {TABLE}{table.name} {alias} ON {alias}.{column.name} = {aliases[other]}.{relations[other][1].name}"]
            if where and rng.random() < 0.15 and kind != "FULL JOIN":     # a condition of the relations joined so far
                leaf = where[-1]
                if leaf.tags and leaf.tags[0][0] in aliases[:aliases.index(alias) + 1]:
                    source += [" AND ("] + where.pop().parts + [")"]
        targets = sorted({f"{alias}.{key.name}" for (table, column), alias in zip(relations, aliases) for key in [*table.keys, column]})
        select = Select(targets if rng.random() < 0.8 else ["count(*)"], source,
                        None if not where else where[0] if len(where) == 1 else Tree("AND", where))
        select.aliases = {alias: table.name for (table, _), alias in zip(relations, aliases)}
        select.shape = "listed"
        select.features = select.features + [LISTED]
        if rng.random() < 0.3:
            select.settings = {"dynamo_fdw.enable_lookup_join": "off"}
        return select

    def listed(self, table, column, alias):
        """A list, perhaps of a column that only looks like the other, and conditions on the other parts of the key."""
        alike = [other for other in table.columns if (other.kind.sqltype, other.kind.collation) == (column.kind.sqltype, column.kind.collation)]
        column = self.rng.choice(alike) if self.rng.random() < 0.3 else column
        leaves = [self.generator.maker(table, alias, 1).on(column, ["in", "in", "any", "in_null"])]
        return leaves + [self.generator.maker(table, alias, 1).on(key, ["eq", "in"]) for key in table.keys if key is not column and self.rng.random() < 0.3]

    def conditions(self, table, column, alias):
        """Seldom any."""
        rng = self.rng
        if rng.random() < 0.75:
            return []
        return [self.generator.maker(table, alias).on(rng.choice([column, *table.keys, rng.choice(table.columns)]))]
