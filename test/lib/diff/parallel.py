"""Parallel plans over local tables next to foreign scans: complete statements, or parts of them, run in parallel mode."""
from predicates import Leaf, Tree
from statements import TABLE, Select

PARALLEL = {"parallel_setup_cost": "0", "parallel_tuple_cost": "0", "min_parallel_table_scan_size": "0",
            "max_parallel_workers_per_gather": "2"}
# A figure that is gathered; none depends on anything.
FIGURES = ["(SELECT count(*) FROM l.orders)", "(SELECT sum(n) FROM l.event)", "(SELECT max(id) FROM l.person WHERE n IS NOT NULL)",
           "(SELECT count(*) FROM l.types WHERE i4 > 3)"]


class Parallel:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = [t for t in tables if t.rows and t.name not in ("big", "lg")]
        self.soft = [t for t in self.tables if t.options.get("on_mismatch") == "null"]

    def statement(self):
        """One of them."""
        select = self.rng.choice([self.with_figure, self.with_figure, self.joined, self.gathered_in])()
        select.shape = "next to a Gather"
        select.settings = dict(PARALLEL)
        if self.rng.random() < 0.25:
            select.settings["PARALLEL"] = self.rng.choice(["on", "regress"])
        select.complete = True
        return select

    def table(self):
        """One whose values usually need care."""
        return self.rng.choice(self.soft if self.rng.random() < 0.6 else self.tables)

    def start(self):
        """(table, Select of it)"""
        table = self.table()
        select = self.generator.start(table)
        select.where = select.where if self.rng.random() < 0.6 else None
        if table.feature:
            select.features.append(table.feature)
        return table, select

    def with_figure(self):
        """A figure among the targets or in the condition."""
        _, select = self.start()
        figure = self.rng.choice(FIGURES)
        if self.rng.random() < 0.5:
            select.targets = select.targets + [figure]
        else:
            leaf = Leaf([f"{figure} {self.rng.choice(['>', '>=', '<>'])} {self.rng.choice([0, 1, 7])}"])
            select.where = Tree("AND", [select.where, leaf]) if select.where is not None else leaf
        return select

    def joined(self):
        """The rows of a local table, gathered, joined with foreign ones."""
        rng = self.rng
        pairs = [(t, k, other, c) for t in (self.soft if rng.random() < 0.6 else self.tables) for k in t.keys for other in self.tables
                 for c in other.columns if c.kind.name == k.kind.name and k.kind.group in ("number", "text", "date")]
        table, key, other, column = rng.choice(pairs)
        kind = rng.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN"])
        targets = [f"v.{c.name} AS n{n}" for n, c in enumerate(other.order())] + \
            [f"a.{c.name}" for c in rng.sample(table.columns, min(4, len(table.columns)))]
        where = self.generator.maker(other, "v").on(rng.choice(other.columns))
        select = Select(targets, [f"l.{other.name} v {kind} {TABLE}{table.name} a ON a.{key.name} = v.{column.name}"], where)
        select.aliases, select.tags = {"a": table.name}, [(table.name, "a", key, "join =")]
        return select

    def gathered_in(self):
        """Keys that a gathered subquery gives."""
        rng = self.rng
        pairs = [(t, k, other, c) for t in self.tables for k in t.keys for other in self.tables for c in other.columns
                 if c.kind.name == k.kind.name and k.kind.group in ("number", "text", "date")]
        table, key, other, column = rng.choice(pairs)
        word = rng.choice(["IN", "IN", "NOT IN", "= ALL"])
        leaf = Leaf([f"a.{key.name} {word} (SELECT v.{column.name} FROM l.{other.name} v WHERE "] +
                    self.generator.maker(other, "v").on(rng.choice(other.columns)).parts + [")"])
        select = Select(self.generator.columns(table, "a", False), [f"{TABLE}{table.name} a"], leaf)
        select.aliases = {"a": table.name}
        return select
