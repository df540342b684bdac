"""Subqueries over columns that are no keys, executed for each of some outer rows: what they read is cached, or may not be."""
from predicates import Lit
from statements import TABLE, Select

KEPT, SENT = "reads kept for later executions", "reads sent by each execution"
SETTING = "dynamo_fdw.enable_cached_reads"
LOOPS = dict.fromkeys(["enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize"], "off")
OUTER_ROWS = [3, 6, 9]
LONG_LIST = 2100


class Repeated:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        drivers = [(t, c) for t in tables if t.rows and t.name not in ("big", "lg") for c in t.columns]
        self.pairs = [(table, column, driver, like) for table in tables if table.rows and table.name not in ("big", "lg")
                      for column in table.columns if column.role == "plain" for driver, like in drivers
                      if column.kind.name == like.kind.name]

    def statement(self, feature=None):
        """One of them; feature: KEPT or SENT."""
        rng = self.rng
        table, column, driver, like = rng.choice(self.pairs)
        if rng.random() < 0.5:      # values that are found
            driver, like = table, column
        feature = feature or rng.choice([KEPT, KEPT, SENT])
        order = ", ".join(k.name for k in driver.order())
        inner = [f" FROM {TABLE}{table.name} b WHERE "] + self.condition(column)
        if rng.random() < 0.5:      # one partition, or one after the other
            key = table.keys[0]
            one, other = (Lit(rng.choice(key.pool)[0], key.kind.sqltype) for _ in range(2))
            inner += [f" AND b.{key.name} = "] + rng.choice([[one], ["CASE WHEN v.n % 5 < 3 THEN ", one, " ELSE ", other, " END"]])
        for _ in range(rng.choice([0, 0, 1, 2])):
            inner += [" AND ("] + self.generator.maker(table, "b").on(rng.choice(table.columns)).parts + [")"]
        keys = ", ".join(f"b.{k.name} AS k{n}" for n, k in enumerate(table.keys))
        what, targets, end = rng.choice([
            (keys, [f"x.k{n}" for n in range(len(table.keys))], " OFFSET 0"),
            (keys + f", b.{column.name} AS y", ["x.k0", "x.y"], " OFFSET 0"),
            ("count(*) AS found", ["x.found"], ""),
            (f"count(b.{column.name}) AS found", ["x.found"], ""),
            ("true AS found", ["x.found"], " LIMIT 1")])
        kind = rng.choice(["JOIN", "LEFT JOIN"])
        select = Select(["v.n"] + targets,
                        [f"(SELECT {like.name}, row_number() OVER (ORDER BY {order}) FROM l.{driver.name} ORDER BY {order}"
                         f" LIMIT {rng.choice(OUTER_ROWS)}) v(x, n) {kind} LATERAL (SELECT {what}"] + inner + [end + ") x ON true"])
        select.aliases, select.tags, select.shape = {"b": table.name}, [], "repeated"
        select.settings = {**LOOPS, SETTING: "off" if feature == SENT else "on"}
        if rng.random() < 0.5:
            select.settings["dynamo_fdw.enable_lookup_join"] = "off"
        if rng.random() < 0.3:
            select.settings["work_mem"] = "64kB"
        select.features.append(feature)
        return select

    def condition(self, column):
        """The column compared with the outer row's value."""
        one = f"b.{column.name}"
        forms = ["{0} = v.x", "{0} = v.x", "{0} <> v.x", "{0} < v.x", "{0} >= v.x", "({0} = v.x OR {0} IS NULL)", "{0} BETWEEN v.x AND v.x"]
        if column.kind.group == "array":
            forms += ["{0} @> v.x"]
        elif column.kind.group in ("number", "text", "date", "instant"):
            forms += ["{0} = ANY (ARRAY[v.x, v.x])", "{0} <> ALL (ARRAY[v.x])"]
            if self.rng.random() < 0.35:    # too many for one request
                other = Lit(self.rng.choice(column.pool)[0], column.kind.sqltype)
                return [one, self.rng.choice([" = ANY", " <> ALL"]), " (array_fill(", other, f", ARRAY[{LONG_LIST}]) || v.x)"]
        if column.kind.group == "text" and column.kind.deterministic:
            forms += ["starts_with({0}::text, v.x::text)", "{0}::text LIKE left(v.x::text, 1) || '%'"]
        return [self.rng.choice(forms).format(one)]
