"""Previews: a LIMIT over items that may be no row, or several, where full scans are refused unless they find its rows soon."""
from statements import TABLE, Select

PREVIEWED = "previews of mapped tables"
REFUSAL = "55000"


class Previews:
    """Makes Selects with a LIMIT and no condition, under scan_policy 'error'."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = [t for t in tables if t.mapped or {"item_filter", "ttl_attribute"} & t.options.keys()]

    def statement(self):
        """As many rows as the LIMIT needs, or a refusal; all rows, if it needs more than there are."""
        rng = self.rng
        table = rng.choice(self.tables)
        limit, offset = rng.choice([1, 2, 5, 20, 100, 5000]), rng.choice([0, 0, 0, 3, 50])
        columns = ", ".join(self.generator.columns(table, "a", False))
        rows = f"SELECT {columns} FROM {TABLE}{table.name} a LIMIT {limit} OFFSET {offset}"
        select = Select(["count(*)"], [f"({rows}) x"])
        if limit > len(table.rows) and not offset and rng.random() < 0.8:
            select = Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"])
            select.limit = f" LIMIT {limit}"
        elif rng.random() < 0.3:
            other = rng.choice(self.tables)
            select.source.append(f", (SELECT FROM {TABLE}{other.name} b LIMIT {rng.choice([1, 10])}) y")
        select.aliases, select.shape, select.refusal = {"a": table.name}, "preview", REFUSAL
        select.settings = {"dynamo_fdw.scan_policy": "error", "dynamo_fdw.preview_units": rng.choice(["-1", "0.5", "1", "3", "10"])}
        select.features = select.features + [PREVIEWED]
        return select
