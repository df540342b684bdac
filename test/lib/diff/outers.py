"""The rows that a join begins with: of a table, a list, a function, a common table expression, another query."""
import copy
import itertools
from collections import Counter

from joined import Joined
from matching import Matcher, Relation, base_type, is_array
from predicates import Lit
from statements import TABLE
from twins import Column
from values import Bare, Integer, array_text, quote


class Outers:
    """Makes first relations of a statement that grows."""

    def __init__(self, rng, tables, names="abcdeghijkmnopq"):
        self.rng, self.tables, self.match = rng, tables, Matcher(rng)
        self.names = iter(names)
        self.inner_names = (f"s{n}" for n in itertools.count(1))
        self.out = Joined(None)
        self.relations = []         # that targets and conditions may name
        self.size = 1               # rows, by a guess
        self.requests = 0           # by a guess, if every join is a nested loop

    # Relations

    def relation(self, table, alias, local=0.0, computed=False):
        """The table under an alias; a local table or a partitioned one of the same rows now and then."""
        schema = TABLE
        if self.rng.random() < local:
            schema = "p." if table.name == "person" and self.rng.random() < 0.4 else "l."
        parts = [f"{schema}{table.name} {alias}"]
        if computed:
            parts = [f"(SELECT {self.computed(table)} FROM {schema}{table.name} y) {alias}"]
        found = Relation(alias, parts, table.columns, table,
                         [f"{alias}.{c.name}" for c in table.order()])
        self.out.aliases[alias] = table.name if schema == TABLE else None
        found.witness = self.rng.choice(table.rows)
        return found

    def computed(self, table):
        """All columns, but those that refer to others are computed: NULL is none of their values."""
        key = table.keys[0]

        def text(column):
            if column.role == "plain" and column.kind.declare() == key.kind.declare():
                return f"coalesce(y.{column.name}, y.{key.name}) AS {column.name}"
            if column.role == "plain" and column.kind.sqltype == "int4":
                return f"nullif(y.{column.name}, 0) AS {column.name}"
            return f"y.{column.name}"
        return ", ".join(map(text, table.columns))

    def tagged(self, leaf):
        """A condition that is outside of WHERE: its tags are the statement's."""
        self.out.tags += [(self.out.aliases.get(alias), alias, column, operator) for one in leaf.leaves()
                          for alias, column, operator in one.tags]
        return leaf

    @staticmethod
    def pages(table):
        """Requests to read all of it."""
        return 1 + len(table.rows) / table.options.get("fetch_size", 1000)

    @staticmethod
    def fan(table, column):
        """Rows for one value of the column, if frequent values are requested more often."""
        counts = Counter(row[column.name] for row in table.rows if row[column.name] is not None)
        return max(1, sum(n * n for n in counts.values()) / max(1, sum(counts.values())))

    @staticmethod
    def words(ref):
        """Anything as text of one collation."""
        return f'{ref}::text COLLATE "C"'

    # Outer rows

    def driver(self):
        """The first relation."""
        kinds = [("table", 44), ("values", 9), ("series", 4), ("unnest", 4), ("cte", 9), ("chain", 3), ("subquery", 7),
                 ("append", 5), ("routine", 3)]
        names, weights = zip(*kinds)
        kind = self.rng.choices(names, weights)[0]
        relation = getattr(self, "from_" + kind)()
        self.out.driver = kind
        return relation

    def from_table(self):
        """A table, foreign or local, or some of its rows."""
        rng = self.rng
        table = rng.choice([t for t in self.tables if any(c.domain for c in t.columns)])
        found = self.relation(table, next(self.names), 0.4 if self.pages(table) < 10 else 0.8)
        self.size = len(table.rows)
        if rng.random() < 0.5 or self.size > 60:
            self.out.where.append(self.match.loose(found))
            self.size /= 2
        if self.size > 40 and rng.random() < 0.8:
            self.out.where.append(self.few(found))
            self.size /= 5
        return found

    def few(self, relation):
        """A condition that few rows fulfil, the witness among them."""
        domains = [c for c in relation.columns if c.domain and not is_array(c)]
        return self.match.maker(relation).on(self.rng.choice(domains), ["eq", "in", "in", "any", "or_eq"])

    def source_column(self):
        """A column that has related ones elsewhere, with some of its values."""
        table = self.rng.choice(self.tables)
        found = [c for c in table.columns if c.domain and not is_array(c) and c.pool]
        if not found:
            return self.source_column()
        return table, self.rng.choice(found)

    def values(self, table, column, count):
        """Values of the column: some many times, some of none, some NULL."""
        texts = [row[column.name] for row in self.rng.choices(table.rows, k=count)]
        texts += self.rng.choice([[], [None], [self.rng.choice(column.pool)[0]], texts[:2]])
        self.rng.shuffle(texts)
        return texts

    def listed(self, alias, column, name="x"):
        """A relation with that one column."""
        other = Column(name, column.kind)
        other.domain = column.domain
        return Relation(alias, [], [other])

    def from_values(self):
        """VALUES, with a number for each row."""
        rng, alias = self.rng, next(self.names)
        table, column = self.source_column()
        texts = self.values(table, column, rng.choice([1, 2, 5, 12, 40, 130]))
        kind = base_type(column)
        kind = rng.choice(["int8", "numeric", kind]) if kind in Integer.limits else kind
        found = self.listed(alias, column)
        found.columns[0].kind = Bare(kind, column.kind.group)
        rows = ", ".join(f"({'NULL' if t is None else quote(t)}::{kind}, {n})" for n, t in enumerate(texts))
        found.parts, found.order = [f"(VALUES {rows}) {alias}(x, n)"], [f"{alias}.n"]
        self.size = len(texts)
        return found

    @staticmethod
    def uncollated(kind):
        """The kind as a value has it that comes from no column."""
        return Bare(kind.sqltype, kind.group)

    def from_series(self):
        """generate_series over ids of people."""
        rng, alias = self.rng, next(self.names)
        kind = rng.choice(["int4", "int8", "numeric"])
        low, high = rng.choice([(-3, 12), (0, 40), (1, 1), (5, 4), (-1, 140)])
        column = Column("x", Bare(kind, "number"))
        column.domain = "person" if self.tables[0].name == "team" else "any number"
        self.size = max(1, high - low)
        parts = ["generate_series(", Lit(str(low), kind), ", ", Lit(str(high), kind), f") {alias}(x)"]
        return Relation(alias, parts, [column])

    def from_many(self):
        """generate_series over more ids than go into one request."""
        alias, column = next(self.names), Column("x", Bare("int4", "number"))
        column.domain, self.out.driver, self.size = "person", "many", 300
        first = self.rng.choice([-160, -60, 0])
        return Relation(alias, [f"generate_series({first}, {first + self.rng.choice([200, 201, 250, 330])}) {alias}(x)"], [column])

    def from_frequent(self, table, column):
        """VALUES of the most frequent values of a column and a few others, in turn."""
        alias = next(self.names)
        counts = Counter(row[column.name] for row in table.rows)
        often = [text for text, _ in counts.most_common(self.rng.choice([1, 3, 8]))]
        texts = (often + self.rng.choices(list(counts), k=self.rng.choice([0, 2, 20]))) * 3
        found, self.out.driver, self.size = self.listed(alias, column), "frequent", len(texts)
        rows = ", ".join(f"({quote(text)}::{base_type(column)}, {n})" for n, text in enumerate(texts))
        found.parts, found.order = [f"(VALUES {rows}) {alias}(x, n)"], [f"{alias}.n"]
        return found

    def from_unnest(self):
        """unnest of an array that is a constant or a parameter."""
        rng, alias = self.rng, next(self.names)
        table, column = self.source_column()
        texts = self.values(table, column, rng.choice([0, 3, 20, 80]))
        found = self.listed(alias, column)
        found.columns[0].kind = self.uncollated(column.kind)
        array = Lit(array_text(texts), found.columns[0].kind.sqltype + "[]")
        found.parts, found.order = ["unnest(", array, f") WITH ORDINALITY {alias}(x, n)"], [f"{alias}.n"]
        self.size = max(1, len(texts))
        return found

    def some_rows(self, alias):
        """SELECT of a few columns of a table: (its parts, its columns)."""
        rng = self.rng
        table = rng.choice([t for t in self.tables if any(c.domain for c in t.columns)])
        inner = self.relation(table, alias, 0.4)
        self.size = len(table.rows)
        columns = list(dict.fromkeys(rng.sample([c for c in table.columns if c.domain], 1) + table.order() +
                                     rng.sample(table.columns, 2)))
        parts = ["SELECT " + ", ".join(f"{alias}.{c.name}" for c in columns) + " FROM "] + inner.parts
        if rng.random() < 0.6:
            parts += [" WHERE "] + self.tagged(self.match.loose(inner)).parts
            self.size /= 2
        return parts, columns, table

    def from_cte(self):
        """A common table expression."""
        rng, alias = self.rng, next(self.names)
        parts, columns, table = self.some_rows("w")
        word = rng.choice(["", " MATERIALIZED", " NOT MATERIALIZED"])
        self.out.before = ["WITH v AS" + word + " ("] + parts + [") "]
        return Relation(alias, [f"v {alias}"], columns, None, [f"{alias}.{c.name}" for c in table.order()])

    def from_chain(self):
        """The people above some people: each step requests the rows that the last one names."""
        if self.tables[0].name != "team":
            return self.from_table()
        rng, alias = self.rng, next(self.names)
        person = next(t for t in self.tables if t.name == "person")
        start = self.match.loose(self.relation(person, "w", 0.4))
        up = rng.choice(["p.id = c.boss", "p.id = c.boss AND p.score >= 0", "p.boss = c.id"])
        kind = rng.choice(["JOIN", "JOIN", "LEFT JOIN"])
        columns = [person.by_name[name] for name in ("id", "boss", "team")]
        schema = "l." if rng.random() < 0.3 else TABLE
        self.out.before = ["WITH RECURSIVE v(id, boss, team, depth) AS (SELECT w.id, w.boss, w.team, 1 FROM ",
                           f"{schema}person w WHERE "] + start.parts + \
                          [f" UNION ALL SELECT p.id, p.boss, p.team, c.depth + 1 FROM v c {kind} {TABLE}person p ON {up} "
                           f"WHERE c.depth < {rng.choice([2, 3, 4])}) "]
        self.size = 150
        return Relation(alias, [f"v {alias}"], columns, None, [f"{alias}.{c}" for c in ("id", "boss", "team", "depth")])

    def from_subquery(self):
        """Distinct rows, groups, or the first rows of an order."""
        rng, alias = self.rng, next(self.names)
        table = rng.choice([t for t in self.tables if any(c.domain for c in t.columns)])
        column = rng.choice([c for c in table.columns if c.domain and c.kind.sortable] or table.keys)
        inner = self.relation(table, "w", 0.4)
        self.size = len({row[column.name] for row in table.rows})
        ref = f"w.{column.name}"
        form = rng.choice([f"SELECT DISTINCT {ref} FROM ", f"SELECT {ref}, count(*) AS many FROM ", "first"])
        tail = {"SELECT D": "", "SELECT w": f" GROUP BY {ref}"}.get(form[:8])
        columns = [column]
        if form == "first":
            columns = list(dict.fromkeys([column] + table.order()))
            form = "SELECT " + ", ".join(f"w.{c.name}" for c in columns) + " FROM "
            self.size = rng.choice([1, 3, 20, 60])
            order = rng.choice([f"{ref}, ", f"{ref} DESC, ", ""]) + ", ".join(inner.order)
            tail = f" ORDER BY {order} LIMIT {self.size}"
        return Relation(alias, ["(" + form] + inner.parts + [tail + f") {alias}"], columns)

    def from_append(self):
        """The rows of two tables, one after the other."""
        rng, alias = self.rng, next(self.names)
        table, column = self.source_column()
        pairs = [(t, c) for t in self.tables for c in t.columns if c.kind.declare() == column.kind.declare()
                 and c.domain == column.domain]
        arms = [(table, column), rng.choice(pairs)]
        parts = []
        for number, (one, other) in enumerate(arms):
            inner = self.relation(one, f"w{number}", 0.5)
            select = f"SELECT w{number}.{other.name} AS x, {number} AS arm, {self.words(inner.order[0])} AS k FROM "
            parts += [" UNION ALL " if number else "(", select] + inner.parts
            if rng.random() < 0.5 or len(one.rows) > 100:
                parts += [" WHERE "] + self.tagged(self.match.loose(inner)).parts
        self.size = sum(len(t.rows) for t, _ in arms) / 2
        found = self.listed(alias, column)
        found.parts, found.order = parts + [f") {alias}"], [f"{alias}.x", f"{alias}.arm", f"{alias}.k"]
        return found

    def from_routine(self):
        """A function that itself requests rows."""
        if self.tables[0].name != "team":
            return self.from_values()
        alias, person = next(self.names), next(t for t in self.tables if t.name == "person")
        columns = [copy.copy(person.by_name[name]) for name in ("id", "team")]
        columns[1].kind = self.uncollated(columns[1].kind)
        self.size = 20
        last = Lit(str(self.rng.choice([0, 10, 100])), "int4")
        return Relation(alias, [f"{TABLE}people(", last, f") {alias}(id, team)"], columns)
