"""Statements with several scans of one DynamoDB table, which read it together or each for itself."""
from predicates import Lit
from statements import TABLE, Select

TOGETHER, ALONE = "scans that share a read", "scans that could share a read"
SETTING = "dynamo_fdw.enable_shared_reads"
HASHED = {"enable_nestloop": "off", "enable_mergejoin": "off"}


class Together:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.partition = None       # (type and text of the partition key that all scans of the statement name)
        groups = {}
        for table in tables:
            if table.rows and table.name not in ("big", "lg"):
                groups.setdefault(table.shared or table.name, []).append(table)
        self.groups = list(groups.values())
        self.several = [group for group in self.groups if len(group) > 1]

    def statement(self, feature=None):
        """One of them; feature: TOGETHER or ALONE."""
        rng = self.rng
        group = rng.choice(self.several) if self.several and rng.random() < 0.6 else rng.choice(self.groups)
        tables = [rng.choice(group) for _ in range(rng.choice([2, 2, 3, 4]))]
        feature = feature or rng.choice([TOGETHER, TOGETHER, ALONE])
        make = rng.choice([self.united, self.united, self.levels, self.joined, self.bounded])
        if rng.random() < 0.35:
            key = tables[0].keys[0]
            make, self.partition = rng.choice([self.united, self.united, self.joined, self.parts]), (key.kind.sqltype, rng.choice(tables[0].rows)[key.name])
        select = make(tables)
        self.partition = None
        select.tags, select.shape = [], "together"
        select.settings[SETTING] = "off" if feature == ALONE else "on"
        if rng.random() < 0.3:
            select.settings["work_mem"] = "64kB"
        if rng.random() < 0.3:
            select.settings["enable_async_append"] = "off"
        select.features.append(feature)
        return select

    def conditions(self, table, alias):
        """None, or a few; sometimes one on the partition."""
        rng, parts = self.rng, [" WHERE true"]
        if self.partition and self.partition[0] == table.keys[0].kind.sqltype:
            parts += [f" AND {alias}.{table.keys[0].name} = ", Lit(self.partition[1], self.partition[0])]
            for key in table.keys[1:2] * rng.choice([0, 1, 1, 2]):
                parts += [" AND ("] + self.generator.maker(table, alias).on(key).parts + [")"]
        elif rng.random() < 0.3:
            key = table.keys[0]
            parts += [f" AND {alias}.{key.name} = ", Lit(rng.choice(key.pool)[0], key.kind.sqltype)]
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            parts += [" AND ("] + self.generator.maker(table, alias).on(rng.choice(table.columns)).parts + [")"]
        return parts

    def scan(self, table, alias, targets):
        """SELECT of one table."""
        return [f"SELECT {targets} FROM {TABLE}{table.name} {alias}"] + self.conditions(table, alias)

    @staticmethod
    def key(table, alias):
        """The text of a row's key."""
        return "||'/'||".join(f"coalesce({alias}.{column.name}::text, '-')" for column in table.order())

    def united(self, tables):
        """Branches, read in full or counted."""
        parts, aliases, rng = [], {}, self.rng
        for number, table in enumerate(tables):
            alias = f"b{number}"
            aliases[alias] = table.name
            column = rng.choice(table.columns)
            what = rng.choice([f"{self.key(table, alias)} AS k, {alias}.{column.name}::text AS v", f"{self.key(table, alias)} AS k, '' AS v",
                               "'' AS k, count(*)::text AS v", f"'' AS k, count({alias}.{column.name})::text AS v"])
            end = " LIMIT 1" if rng.random() < 0.1 and "count(" in what else ""
            parts += [" UNION ALL (" if parts else "("] + self.scan(table, alias, what) + [end + ")"]
        select = Select(["x.k", "x.v"], ["("] + parts + [") x"])
        select.aliases, select.settings = aliases, {}
        return select

    def parts(self, tables):
        """All items of a partition, and those of a range or with one sort key."""
        rng, table = self.rng, tables[0]
        if len(table.keys) < 2:
            return self.united(tables)
        sort, parts, aliases = table.keys[1], [], {}
        inside = [row[sort.name] for row in table.rows if row[table.keys[0].name] == self.partition[1] and row[sort.name] is not None]
        bounds = ["", "=", "=", ">=", "<"]
        rng.shuffle(bounds)
        for number, bound in enumerate(bounds[:rng.choice([2, 2, 3])] if "" in bounds[:2] else ["", bounds[0]]):
            alias = f"b{number}"
            aliases[alias] = table.name
            parts += [" UNION ALL " if parts else "", f"SELECT {self.key(table, alias)} AS k FROM {TABLE}{table.name} {alias} WHERE {alias}.{table.keys[0].name} = ",
                      Lit(self.partition[1], self.partition[0])]
            parts += [f" AND {alias}.{sort.name} {bound} ", Lit(rng.choice(inside or [pool[0] for pool in sort.pool]), sort.kind.sqltype)] if bound else []
        select = Select(["x.k"], ["("] + parts + [") x"])
        select.aliases, select.settings = aliases, {}
        return select

    def levels(self, tables):
        """Subqueries that are executed once."""
        parts, aliases = [], {}
        for number, table in enumerate(tables):
            alias = f"b{number}"
            aliases[alias] = table.name
            column = self.rng.choice(table.columns)
            what = self.rng.choice(["count(*)", f"count({alias}.{column.name})", f"count(DISTINCT {alias}.{column.name}::text)"])
            parts += [", (" if parts else "SELECT ("] + self.scan(table, alias, what) + [f") AS n{number}"]
        select = Select([f"x.n{number}" for number in range(len(tables))], ["("] + parts + [") x"])
        select.aliases, select.settings = aliases, {}
        return select

    def joined(self, tables):
        """Two of them by the text of their partition keys, all of one side or those with a partner."""
        one, other = tables[:2]
        kind = self.rng.choice(["JOIN", "LEFT JOIN", "FULL JOIN"])
        inner = [self.scan(table, alias, f"{self.key(table, alias)} AS k, {alias}.{table.keys[0].name}::text AS h")
                 for table, alias in ((one, "b0"), (other, "b1"))]
        select = Select(["x.k", "y.k"], ["("] + inner[0] + [f") x {kind} ("] + inner[1] + [') y ON x.h COLLATE "C" = y.h COLLATE "C"'])
        select.aliases = {"b0": one.name, "b1": other.name}
        select.settings = dict(self.rng.choice([HASHED, HASHED, {"enable_nestloop": "off", "enable_hashjoin": "off"}, {}]))
        return select

    def bounded(self, tables):
        """A filter whose value comes from a subquery over the same table."""
        table = tables[0]
        columns = [c for c in table.columns if c.kind.group in ("number", "date", "instant")]
        if not columns:
            return self.united(tables)
        column = self.rng.choice(columns)
        which, operator = self.rng.choice([("min", ">="), ("max", "<"), ("max", "="), ("min", "<>")])
        select = Select(["x.k"], ["("] + self.scan(table, "b0", f"{self.key(table, 'b0')} AS k") + [f" AND b0.{column.name} {operator} ("] +
                        self.scan(table, "b1", f"{which}(b1.{column.name})") + [")) x"])
        select.aliases, select.settings = {"b0": table.name, "b1": table.name}, {}
        return select
