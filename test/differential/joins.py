"""Random joins: rows from somewhere, and then one table after the other, in all the ways to ask for related rows."""
import copy
import itertools
from collections import Counter

from joined import Join, Joined
from matching import Entry, Matcher, Relation, base_type, is_array
from predicates import Leaf, Lit
from statements import TABLE
from twins import Column
from values import Bare, Integer, array_text, quote

LARGEST = 1500      # rows that a join should not exceed by far
AIMS = ["JOIN", "LEFT JOIN", "EXISTS", "NOT EXISTS", "count"]
REQUESTS = 300      # and requests, if each row asks for related ones


class Joins:
    """Makes joins over the related tables, and over keys of any type now and then."""

    def __init__(self, rng, related, others):
        self.rng, self.related = rng, related
        self.others = [t for t in others if t.rows and t.name not in ("big", "lg")]
        for table in self.others:
            for column in table.columns:
                column.domain = column.domain or self.domain(table, column)

    @staticmethod
    def domain(table, column):
        """Columns of one type hold values in common, as they come from the same few."""
        group = column.kind.group
        if column.kind.options or (column.role == "plain" and table.name != "types") or group == "float":
            return None
        if group == "other":
            return f"any {column.kind.sqltype}" if column.kind.sqltype in ("uuid", "bytea") else None
        return f"any {group}" if group in ("number", "date") or (group == "text" and column.kind.deterministic) else None

    def statement(self):
        """One of them."""
        tables = self.related if self.rng.random() < 0.85 else self.others
        if self.rng.random() < 0.05:
            return self.union(tables)
        return Build(self.rng, tables).statement()

    def sweep(self):
        """Each type of join by each key of each related table, by each method: (statement, method)."""
        aims = [(kind, table, entry, array) for table in self.related for entry, _ in Entry.all_of(table)
                if not entry.is_scan() for kind in AIMS for array in (False, True)]
        self.rng.shuffle(aims)
        for aim in aims:
            for method in ("lookup", "loop", "memoize"):
                select = self.aimed(*aim)
                if select and not (method == "memoize" and "EXISTS" in aim[0]):
                    yield select, method

    def aimed(self, kind, table, entry, array):
        """A join of one type with one table by one key, for some outer rows that have fitting values; or none."""
        for _ in range(20):
            build = Build(self.rng, self.related)
            build.begin()
            sources = [s for s in build.match.sources(build.relations, entry.columns[0]) if is_array(s[1]) == array]
            if sources and build.size * build.fan(table, entry.columns[0]) < LARGEST:
                build.aim(kind, table, entry, sources)
                return build.finish()
        return None

    def union(self, tables):
        """Two of them, one after the other."""
        arms = [Build(self.rng, tables, names).rows() for names in ("abcdeghijkmnopq", "ABCDEGHIJKMNOPQ".lower()[::-1])]
        for arm in arms:
            arm.targets = [[f"({self.rng.choice(arm.texts)})::text"], [f"({self.rng.choice(arm.texts)})::text"]]
        arms[0].second, arms[0].shape = arms[1], "union of joins"
        return arms[0]


class Build:
    """One statement while it grows."""

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
        return ", ".join(f"coalesce(y.{c.name}, y.{table.keys[0].name}) AS {c.name}"
                         if c.kind.declare() == table.keys[0].kind.declare() and c.role == "plain" else
                         f"nullif(y.{c.name}, 0) AS {c.name}" if base_type(c) == "int4" and c.role == "plain" and not is_array(c)
                         else f"y.{c.name}" for c in table.columns)

    def tagged(self, leaf):
        """A condition that stands outside of WHERE: its tags are the statement's."""
        self.out.tags += [(self.out.aliases.get(alias), alias, column, operator) for one in leaf.leaves()
                          for alias, column, operator in one.tags]
        return leaf

    def inner(self, outers, alias):
        """A table that is related to one of the outer relations: (relation, entry, sources)."""
        choices, weights = [], []
        for table in self.tables:
            for entry, weight in Entry.all_of(table):
                sources = self.match.sources(outers, entry.columns[0])
                if entry.is_scan() and self.size * self.pages(table) > 40:
                    continue
                if sources and self.fan(table, entry.columns[0]) * self.size < LARGEST:
                    choices.append((table, entry, sources))
                    weights.append(weight)
        if not choices:
            return None
        table, entry, sources = self.rng.choices(choices, weights)[0]
        found = self.relation(table, alias, 0.05, self.rng.random() < 0.1)
        self.requests += self.size * (self.pages(table) if entry.is_scan() else 1)
        self.follow(found, entry, sources)
        return found, entry, sources

    def follow(self, relation, entry, sources):
        """Let the witness be a row that matches the outer one's, if there is any."""
        column = entry.columns[0].name
        wanted = {outer.witness[c.name] for outer, c in sources if outer.witness and not is_array(c)} - {None}
        rows = [row for row in relation.table.rows if row[column] in wanted]
        if rows:
            relation.witness = self.rng.choice(rows)

    @staticmethod
    def pages(table):
        """Requests to read all of it."""
        return 1 + len(table.rows) / table.options.get("fetch_size", 1000)

    @staticmethod
    def fan(table, column):
        """Rows for one value of the column, if frequent values are asked for more often."""
        counts = Counter(row[column.name] for row in table.rows if row[column.name] is not None)
        return max(1, sum(n * n for n in counts.values()) / max(1, sum(counts.values())))

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
        return Relation(alias, ["generate_series(", Lit(str(low), kind), ", ", Lit(str(high), kind), f") {alias}(x)"], [column])

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
        """The people above some people: each step asks for the rows that the last one names."""
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
        form = rng.choice([f"SELECT DISTINCT {ref} FROM ", f"SELECT {ref}, count(*) AS n FROM ", "first"])
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
        """A function that itself asks for rows."""
        if self.tables[0].name != "team":
            return self.from_values()
        alias, person = next(self.names), next(t for t in self.tables if t.name == "person")
        columns = [copy.copy(person.by_name[name]) for name in ("id", "team")]
        columns[1].kind = self.uncollated(columns[1].kind)
        self.size = 20
        return Relation(alias, [f"{TABLE}people(", Lit(str(self.rng.choice([0, 10, 100])), "int4"), f") {alias}(id, team)"], columns)

    # One more table

    def hop(self):
        """Tie one more relation to what is there."""
        kinds = [("plain", 46), ("nested", 7), ("semi", 14), ("anti", 6), ("limited", 8), ("summed", 6), ("unnested", 5),
                 ("fenced", 4), ("scalar", 5), ("arms", 3), ("tallied", 3), ("windowed", 4)]
        names, weights = zip(*kinds)
        getattr(self, "add_" + self.rng.choices(names, weights)[0])()

    def attach(self, kind, relation, on, right=None):
        """JOIN; the whole tree so far is the left side."""
        self.out.tree = Join(kind, self.out.tree, right or relation, on)
        self.relations.append(relation)

    def add_plain(self):
        """JOIN of any kind with a table."""
        rng, alias = self.rng, next(self.names)
        found = self.inner(self.relations, alias)
        if not found:
            return
        relation, entry, sources = found
        kind = rng.choices(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"], [10, 9, 3, 2, 2])[0]
        if kind == "FULL JOIN":
            sources = [s for s in sources if not is_array(s[1])]
            if not sources:
                return
            outer, other = rng.choice(sources)
            ref, value = self.match.comparable(f"{alias}.{entry.columns[0].name}", entry.columns[0], outer.outer(other), other)
            leaves = [Leaf([f"{ref} = {value}"], [(alias, entry.columns[0], "join =")])]
        else:
            leaves = self.match.conditions(relation, entry, sources, self.relations)
        self.size *= self.fan(relation.table, entry.columns[0])
        if kind == "CROSS JOIN":
            self.out.where += leaves
            self.attach(kind, relation, None)
        else:
            self.attach(kind, relation, self.tagged(self.match.joined(leaves)))

    def add_nested(self):
        """LEFT JOIN (one table JOIN another)."""
        alias, second = next(self.names), next(self.names)
        found = self.inner(self.relations, alias)
        if not found:
            return
        relation, entry, sources = found
        self.size *= self.fan(relation.table, entry.columns[0])
        more = self.inner([relation], second)
        if not more:
            return
        on = self.match.joined(self.match.conditions(more[0], more[1], more[2], [relation]))
        tree = Join(self.rng.choice(["JOIN", "LEFT JOIN"]), relation, more[0], self.tagged(on))
        on = self.match.joined(self.match.conditions(relation, entry, sources, self.relations))
        self.attach(self.rng.choice(["JOIN", "LEFT JOIN", "LEFT JOIN"]), relation, self.tagged(on), tree)
        self.relations.append(more[0])

    def select_from(self, outers, depth=0):
        """FROM ... WHERE ... of a subquery that depends on outer rows: (parts, its relations) or none."""
        rng, alias = self.rng, next(self.inner_names)
        found = self.inner(outers, alias)
        if not found:
            return None
        relation, entry, sources = found
        leaves = self.match.conditions(relation, entry, sources, outers)
        parts, relations = list(relation.parts), [relation]
        if rng.random() < 0.25:
            more = self.inner([relation] + outers * (rng.random() < 0.3), next(self.inner_names))
            if more:
                on = self.tagged(self.match.joined(self.match.conditions(more[0], more[1], more[2], relations + outers)))
                parts += [rng.choice([" JOIN ", " LEFT JOIN "])] + more[0].parts + [" ON "] + on.parts
                relations.append(more[0])
        if depth < 2 and rng.random() < 0.15:
            leaves.append(self.exists([relation] + outers, depth + 1) or Leaf(["true"]))
        where = self.tagged(self.match.joined(leaves))
        return parts + [" WHERE "] + where.parts, relations

    def exists(self, outers, depth=0):
        """[NOT] EXISTS."""
        found = self.select_from(outers, depth)
        if not found:
            return None
        word = self.rng.choice(["EXISTS", "EXISTS", "NOT EXISTS"])
        return Leaf([f"{word} (SELECT 1 FROM "] + found[0] + [")"], [])

    def add_semi(self):
        """A semi or anti join, or something like it, in WHERE."""
        rng = self.rng
        style = rng.choice(["exists"] * 6 + ["in"] * 4 + ["or", "any"])
        leaf = self.exists(self.relations) if style in ("exists", "or") else self.member(style)
        if leaf is None:
            return
        if style == "or":
            leaf = Leaf(["("] + leaf.parts + [f" OR {self.relations[0].order[0]} IS NULL)"])
        self.out.where.append(leaf)

    def member(self, style):
        """Outer value [NOT] IN (a subquery that depends on nothing, or on the outer row)."""
        rng, alias = self.rng, next(self.inner_names)
        found = self.inner(self.relations, alias)
        if not found:
            return None
        relation, entry, sources = found
        sources = [s for s in sources if not is_array(s[1])]
        if not sources:
            return None
        outer, other = rng.choice(sources)
        column = entry.columns[0]
        mine, theirs = self.match.comparable(f"{alias}.{column.name}", column, outer.outer(other), other)
        parts = [f"SELECT {mine} FROM "] + relation.parts
        leaves = [self.match.loose(relation)] if rng.random() < 0.6 else []
        more = self.match.ranged(relation, rng.choice(relation.columns), self.relations) if rng.random() < 0.2 and self.size < 12 else None
        leaves += [more] if more else []
        if leaves:
            parts += [" WHERE "] + self.tagged(self.match.joined(leaves)).parts
        word = "= ANY" if style == "any" else rng.choice(["IN", "IN", "IN", "NOT IN"])
        self.out.tags.append((self.out.aliases[alias], alias, column, word))
        return Leaf([f"{theirs} {word} ("] + parts + [")"])

    def add_anti(self):
        """LEFT JOIN ... WHERE its key IS NULL."""
        alias = next(self.names)
        found = self.inner(self.relations, alias)
        if not found:
            return
        relation, entry, sources = found
        on = self.tagged(self.match.joined(self.match.conditions(relation, entry, sources, self.relations)))
        column = self.rng.choice([relation.table.keys[0], entry.columns[0], self.rng.choice(relation.columns)])
        self.out.tree = Join("LEFT JOIN", self.out.tree, relation, on)
        self.out.where.append(Leaf([f"{alias}.{column.name} IS NULL"], [(alias, column, "anti")]))

    def lateral(self, parts, columns, alias, order=None):
        """[LEFT] JOIN LATERAL (...)."""
        kind = self.rng.choice(["JOIN", "LEFT JOIN"])
        relation = Relation(alias, ["LATERAL ("] + parts + [f") {alias}"], columns, None, order)
        self.attach(kind, relation, Leaf(["true"]))

    def add_limited(self):
        """The first related rows of each outer one."""
        rng, alias = self.rng, next(self.names)
        found = self.select_from(self.relations)
        if not found:
            return
        parts, relations = found
        table = relations[0].table
        columns = list(dict.fromkeys(rng.sample(table.columns, 2) + [c for c in table.columns if c.domain][:2]))
        columns = [c for c in columns if c.kind.group != "jsonb"]
        down = rng.choice(["", " DESC"])
        key = rng.choice([None] + [c for c in table.columns if c.kind.sortable and c.name != "js"])
        order = ([f"{relations[0].alias}.{key.name}{down}"] if key else []) + [o + down for r in relations for o in r.order]
        limit = rng.choice([1, 1, 2, 3, 10])
        self.size *= limit
        tail = f" ORDER BY {', '.join(order)} LIMIT {limit}" + rng.choice(["", "", "", " OFFSET 1"])
        select = ", ".join(f"{relations[0].alias}.{c.name}" for c in columns)
        self.lateral([f"SELECT {select} FROM "] + parts + [tail], columns, alias)

    def add_summed(self):
        """Figures of the related rows of each outer one."""
        rng, alias = self.rng, next(self.names)
        found = self.select_from(self.relations)
        if not found:
            return
        parts, relations = found
        inner = relations[0]
        numbers = [c for c in inner.table.columns if c.kind.group == "number"]
        sortable = [c for c in inner.table.columns if c.kind.group in ("number", "text", "date", "instant")]
        figures = ["count(*) AS n", f"count({relations[-1].alias}.{relations[-1].table.keys[0].name}) AS k"]
        figures += [f"sum({inner.alias}.{rng.choice(numbers).name}) AS total"] if numbers else []
        figures += [f"max({inner.alias}.{rng.choice(sortable).name}) AS last"] if sortable else []
        figures += [f"string_agg({inner.order[0]}::text, ',' ORDER BY {', '.join(inner.order)}) AS list"]
        figures = rng.sample(figures, rng.choice([1, 2]))
        names = [f"{alias}.{f.rsplit(' ', 1)[1]}" for f in figures]
        tail, group = "", rng.choice([None, None, rng.choice(sortable or [None])])
        if group:
            figures, names = figures + [f"{inner.alias}.{group.name} AS grp"], names + [f"{alias}.grp"]
            tail = f" GROUP BY {inner.alias}.{group.name}" + rng.choice(["", " HAVING count(*) > 1"])
        self.lateral([f"SELECT {', '.join(figures)} FROM "] + parts + [tail], [], alias, names)

    def add_tallied(self):
        """How many related rows each outer one has."""
        found = self.inner(self.relations, next(self.inner_names))
        if found:
            self.tally(found[0].table, found[1], found[2])

    def tally(self, table, entry, sources):
        """LATERAL (SELECT count(*) ...), of which DynamoDB may do the counting."""
        alias, inner = next(self.names), self.relation(table, next(self.inner_names))
        self.follow(inner, entry, sources)
        leaves = [self.match.equal(inner, entry.columns[0], sources)]
        for number, column in enumerate(entry.columns[1:], 1):
            if number < entry.nhash or self.rng.random() < 0.5:
                leaves.append(self.match.further(inner, column, self.relations, number < entry.nhash))
        if self.rng.random() < 0.3:
            leaves.append(self.match.loose(inner))
        where = self.tagged(self.match.joined(leaves))
        self.lateral(["SELECT count(*) AS n FROM "] + inner.parts + [" WHERE "] + where.parts, [], alias, [f"{alias}.n"])

    def add_windowed(self):
        """The first related rows by a window function, distinct ones, or elements of their arrays."""
        rng, alias = self.rng, next(self.names)
        found = self.select_from(self.relations)
        if not found:
            return
        parts, relations = found
        inner = relations[0]
        order = [o for r in relations for o in r.order]
        arrays = [f"{inner.alias}.{c.name}" for c in inner.columns if is_array(c)]
        number = f"row_number() OVER (ORDER BY {', '.join(order)})"
        some = f"{inner.alias}.{rng.choice(inner.table.order()).name} AS k"
        select, limit = rng.choice([(f"{some}, {number} AS r", f" WHERE q.r <= {rng.choice([1, 2, 4])}"),
                                    (f"DISTINCT {some}, 1 AS r", ""),
                                    (f"{some}, unnest({rng.choice(arrays)}) AS r" if arrays else f"{some}, generate_series(1, 2) AS r", "")])
        select = ["SELECT q.k, q.r FROM (SELECT " + select + " FROM "] + parts + [") q" + limit]
        self.size *= 4
        self.lateral(select, [], alias, [f"{alias}.k", f"{alias}.r"])

    def add_unnested(self):
        """The elements of an outer row's array."""
        rng = self.rng
        found = [(r, c) for r in self.relations for c in r.columns if is_array(c) and c.domain]
        if not found:
            return self.add_plain()
        outer, column = rng.choice(found)
        alias = next(self.names)
        relation = self.listed(alias, column)
        relation.columns[0].kind = self.uncollated(column.kind.element)
        relation.parts = [f"LATERAL unnest({outer.outer(column)}) WITH ORDINALITY {alias}(x, n)"]
        relation.order = [f"{alias}.n"]
        self.size *= 1.5
        return self.attach(rng.choice(["JOIN", "LEFT JOIN"]), relation, Leaf(["true"]))

    def add_fenced(self):
        """A whole join for each outer row, which cannot be pulled up."""
        alias = next(self.names)
        found = self.select_from(self.relations)
        if not found:
            return
        parts, relations = found
        columns = [c for c in relations[0].table.order() if c.kind.group != "jsonb"]
        select = [f"{relations[0].alias}.{c.name}" for c in columns]
        order = [f"{alias}.{c.name}" for c in columns]
        if len(relations) > 1:
            select += [f"{ref} AS z{n}" for n, ref in enumerate(relations[1].order)]
            order += [f"{alias}.z{n}" for n in range(len(relations[1].order))]
        self.size *= 3
        self.lateral([f"SELECT {', '.join(select)} FROM "] + parts + [" OFFSET 0"], columns, alias, order)

    def add_arms(self):
        """Related rows of two kinds, one after the other."""
        alias = next(self.names)
        arms = [self.select_from(self.relations), self.select_from(self.relations)]
        if None in arms:
            return
        parts = []
        for number, (some, relations) in enumerate(arms):
            parts += [" UNION ALL " if number else "", f"SELECT {number} AS arm, {self.words(relations[0].order[0])} AS k, "
                      f"{self.words(relations[0].order[-1])} AS k2 FROM "] + some
        self.lateral(parts, [], alias, [f"{alias}.arm", f"{alias}.k", f"{alias}.k2"])

    @staticmethod
    def words(ref):
        """Anything as text of one collation."""
        return f'{ref}::text COLLATE "C"'

    def add_scalar(self):
        """A subquery among the targets."""
        rng = self.rng
        found = self.select_from(self.relations)
        if not found:
            return
        parts, relations = found
        inner = relations[0]
        order = ", ".join(o for r in relations for o in r.order)
        form = rng.choice(["(SELECT count(*) FROM ", f"(SELECT max({inner.order[-1]}::text) FROM ",
                           f"(SELECT {inner.order[-1]} FROM ", f"ARRAY(SELECT {inner.order[-1]}::text FROM "])
        tail = f" ORDER BY {order} LIMIT 1" if form[8:].startswith(inner.order[-1]) else \
            f" ORDER BY {order}" if form.startswith("ARRAY") else ""
        self.out.extra.append([form] + parts + [tail + ")"])

    # The statement

    def begin(self):
        """The first relation."""
        self.out.tree = self.driver()
        self.relations.append(self.out.tree)

    def aim(self, kind, table, entry, sources):
        """One hop that is known beforehand."""
        if kind == "count":
            self.tally(table, entry, sources)
            return
        alias = next(self.names)
        relation = self.relation(table, alias)
        self.follow(relation, entry, sources)
        leaves = [self.match.equal(relation, entry.columns[0], sources)]
        leaves += [self.match.further(relation, column, self.relations, number < entry.nhash)
                   for number, column in enumerate(entry.columns[1:], 1)]
        if self.rng.random() < 0.4:
            leaves.append(self.match.loose(relation))
        on = self.tagged(self.match.joined(leaves))
        if "EXISTS" in kind:
            self.out.where.append(Leaf([f"{kind} (SELECT 1 FROM "] + relation.parts + [" WHERE "] + on.parts + [")"]))
        else:
            self.attach(kind, relation, on)

    def rows(self):
        """Driver and hops, without a list of targets."""
        self.begin()
        for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3, 4])):
            if self.requests < REQUESTS:
                self.hop()
        self.out.texts = [o for r in self.relations for o in r.order]
        return self.out

    def statement(self):
        """All of it."""
        self.rows()
        return self.finish()

    def finish(self):
        """What to ask of the rows."""
        rng, out = self.rng, self.out
        out.texts = [o for r in self.relations for o in r.order]
        out.shape = "join of " + out.driver
        style = rng.choices(["rows", "ordered", "counted", "summed", "grouped", "distinct", "exists"], [44, 20, 10, 14, 6, 4, 2])[0]
        getattr(self, "as_" + style)()
        return out

    def select_list(self, stars=True):
        """Some columns of all relations."""
        rng, targets = self.rng, []
        for relation in self.relations:
            pick = rng.random()
            if stars and pick < 0.08 and relation.table:
                targets.append([rng.choice([f"{relation.alias}.*", f"{relation.alias}", f"{relation.alias} IS NULL"])])
                continue
            targets += [[o] for o in relation.order]
            targets += [[f"{relation.alias}.{c.name}"] for c in rng.sample(relation.columns, min(2, len(relation.columns)))
                        if pick < 0.6]
        return targets + self.out.extra

    def as_rows(self):
        """Just the rows; a division that may fail for one of them now and then; locks now and then."""
        rng, out = self.rng, self.out
        out.targets = self.select_list()
        numbers = [f"{r.alias}.{c.name}" for r in self.relations for c in r.columns if base_type(c) in Integer.limits and not is_array(c)]
        if rng.random() < 0.04 and numbers:
            out.targets.append([f"100 / ({rng.choice(numbers)}::numeric - {rng.choice([0, 3, 7])})"])
            out.complete = True
        if rng.random() < 0.04 and self.tables[0].name == "team":
            people = [f"{r.alias}.{c.name}" for r in self.relations for c in r.columns
                      if c.domain == "person" and base_type(c) == "int4" and not is_array(c)]
            out.targets += [[f"{TABLE}orders_of({rng.choice(people)})"]] if people else []
        mixed = "visit" in out.aliases.values()     # partitions of which one can be locked and others cannot: E1
        if rng.random() < 0.05 and self.relations[0].parts[0].startswith("l.") and out.tree.keeps_left() and not mixed:
            out.limit, out.complete = f" FOR {rng.choice(['UPDATE', 'SHARE'])} OF {self.relations[0].alias}", True

    def as_ordered(self):
        """In a total order, perhaps a few of them."""
        rng, out = self.rng, self.out
        out.targets = self.select_list(False)
        orders = [o for r in self.relations for o in r.order]
        if rng.random() < 0.3:
            rng.shuffle(orders)
        if rng.random() < 0.3:
            orders = [o + rng.choice(["", " DESC", " NULLS FIRST"]) for o in orders]
        out.order, out.exact_order = ", ".join(orders), True
        if rng.random() < 0.6:
            out.limit = f" LIMIT {rng.choice([1, 2, 5, 20])}" + rng.choice(["", "", " OFFSET 3"])

    def as_counted(self):
        """How many of a few rows there are: read but in part."""
        rng, out = self.rng, self.out
        out.targets = [[rng.choice(out.texts)]]
        out.limit = f" LIMIT {rng.choice([1, 1, 3, 10, 50])}" + rng.choice(["", "", " OFFSET 2"])
        out.wrap = "SELECT count(*) FROM ({}) w"

    def as_exists(self):
        """Whether there are any."""
        self.out.targets, self.out.wrap = [["1"]], "SELECT EXISTS ({})"

    def figures(self):
        """Aggregates over the relations."""
        found = ["count(*)"] + [f"count({ref})" for ref in self.out.texts] + [f"min({ref}::text)" for ref in self.out.texts]
        found += [f"sum({r.alias}.{c.name})" for r in self.relations for c in r.columns if c.kind.group == "number"]
        return [[f] for f in self.rng.sample(found, min(len(found), self.rng.choice([1, 2, 3])))]

    def as_summed(self):
        """One row of figures."""
        self.out.targets = self.rng.choice([[["count(*)"]], self.figures(), self.figures()])

    def as_grouped(self):
        """Figures for each value of a key."""
        ref = self.rng.choice(self.out.texts)
        self.out.targets, self.out.group = [[ref]] + self.figures(), f" GROUP BY {ref}"

    def as_distinct(self):
        """Without doubles."""
        refs = self.rng.sample(self.out.texts, min(2, len(self.out.texts)))
        self.out.targets = [["DISTINCT " + refs[0]]] + [[r] for r in refs[1:]]
