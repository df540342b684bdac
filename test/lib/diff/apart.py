"""Joins and unions of tables that are bound by constants each: what is requested of one depends on no other's rows."""
from joins import Build
from matching import Relation, is_array
from predicates import Leaf

FORMS = [("plain", 50), ("subquery", 12), ("first", 8), ("append", 14), ("alike", 10), ("fenced", 6)]
KINDS = [("JOIN", 30), ("LEFT JOIN", 20), ("RIGHT JOIN", 6), ("FULL JOIN", 8), ("EXISTS", 14), ("scalar", 10), ("hop", 6),
         ("repeated", 4)]
SMALL = 40      # rows of one relation that are enough


class Apart(Build):
    """One statement while it grows."""

    def pick(self, choices):
        """One of them, by weight."""
        names, weights = zip(*choices)
        return self.rng.choices(names, weights)[0]

    def begin(self):
        """The first relation; some rows for each of which the others are read again, now and then."""
        rng, out = self.rng, self.out
        out.driver = "tables apart"
        if rng.random() < 0.15:
            alias = next(self.names)
            rows = ", ".join(f"({n})" for n in range(rng.choice([0, 2, 3]) + 1))
            out.tree = Relation(alias, [f"(VALUES {rows}) {alias}(n)"], [], None, [f"{alias}.n"])
            self.relations.append(out.tree)
            self.size *= 3
            self.parallel(rng.choice(["JOIN", "LEFT JOIN"]))
            return
        relation, leaves = self.part(next(self.names))
        if not out.before and relation.table and rng.random() < 0.12:
            word = rng.choice(["", " MATERIALIZED", " NOT MATERIALIZED"])
            out.before = [f"WITH v AS{word} (SELECT * FROM "] + relation.parts + self.where(leaves) + [") "]
            relation, leaves = self.renamed(relation, "v " + relation.alias), []
        out.tree = relation
        out.where += leaves
        self.relations.append(relation)

    @staticmethod
    def renamed(relation, text):
        """The same columns of another text."""
        other = Relation(relation.alias, [text], relation.columns, relation.table, relation.order)
        other.witness = relation.witness
        return other

    def where(self, leaves):
        """WHERE of some conditions, as parts."""
        return [" WHERE "] + self.tagged(self.match.joined(leaves)).parts if leaves else []

    # One table and what binds it

    def bound(self, alias, table=None):
        """(relation, conditions) of a table by one of its keys; there may be no such row."""
        rng = self.rng
        table = table or rng.choice([t for t in self.tables if any(c.domain for c in t.columns)])
        relation = self.relation(table, alias, 0.08)
        keys, nhash = table.keys, table.nhash
        if table.indexes and rng.random() < 0.35:
            index = rng.choice(table.indexes)
            keys = [table.by_name[name] for name in index["columns"]]
            nhash = sum(1 for key in index["definition"]["KeySchema"] if key["KeyType"] == "HASH")
        bearing = [row for row in table.rows if all(row[key.name] is not None for key in keys)]
        relation.witness = rng.choice(bearing or table.rows)
        maker = self.match.maker(relation)
        leaves = [maker.on(key, ["eq"] * 7 + ["in", "any"]) for key in keys[:nhash]]
        rows = self.fan(table, keys[0])
        if len(keys) > nhash and (rng.random() < 0.35 or rows * self.size > SMALL * 20):
            leaves.append(maker.on(keys[nhash], ["eq", "eq", "in", "le", "ge", "between"]))
            rows /= 3
        if rng.random() < 0.2:
            leaves.append(self.match.loose(relation))
        if rng.random() < 0.1:
            relation.witness = rng.choice(table.rows)
            leaves.append(self.match.maker(relation).on(table.keys[-1], ["eq"]))
        if rng.random() < 0.04:
            leaves = leaves[-1:]        # a Scan, perhaps
        self.size *= max(1, rows)
        return relation, leaves

    def part(self, alias):
        """(relation, conditions that are yet to be added) of a table in some form."""
        form = self.pick(FORMS)
        if form == "plain":
            return self.bound(alias)
        return getattr(self, "in_" + form)(alias), []

    def inside(self, alias, tail):
        """A subquery over one table."""
        inner, leaves = self.bound(alias)
        parts = ["(SELECT * FROM "] + inner.parts + self.where(leaves) + [tail.format(", ".join(inner.order)) + f") {alias}"]
        self.out.aliases[alias] = None
        found = Relation(alias, parts, inner.columns, inner.table, inner.order)
        found.witness = inner.witness
        return found

    def in_subquery(self, alias):
        """It is pulled up."""
        return self.inside(alias, "")

    def in_first(self, alias):
        """The first rows of it."""
        return self.inside(alias, f" ORDER BY {{0}}{self.rng.choice(['', ' DESC'])} LIMIT {self.rng.choice([1, 2, 5])}")

    def in_fenced(self, alias):
        """It is not pulled up."""
        return self.inside(alias, " OFFSET 0")

    def gate(self, alias):
        """A condition on the rows before that decides for all of a table, now and then."""
        first = self.relations[0].order[0] if self.relations else None
        if first and self.rng.random() < 0.3 and first.endswith(".n") and not self.relations[0].table:
            return [f"{first} {self.rng.choice(['<>', '>=', '<'])} {self.rng.choice([0, 1, 2])}"]
        return [f"length('{alias}') > {self.rng.choice([0, 0, 9])}"] if self.rng.random() < 0.08 else []

    def in_append(self, alias):
        """Rows of several tables, one after the other, or by another set operation."""
        rng, parts = self.rng, []
        word = rng.choice([" UNION ALL "] * 7 + [" UNION ", " EXCEPT ", " INTERSECT "])
        size, sizes = self.size, 0
        for number in range(rng.choice([2, 2, 3, 4])):
            self.size = size
            inner, leaves = self.bound(next(self.inner_names))
            arm = number if word == " UNION ALL " else 0
            some = [f"SELECT {arm} AS arm, {self.words(inner.order[0])} AS k, {self.words(inner.order[-1])} AS k2 FROM "]
            leaves += [Leaf([gate]) for gate in self.gate(inner.alias)]
            parts += [word if number else ""] + some + inner.parts + self.where(leaves)
            sizes += self.size
        if rng.random() < 0.15:
            parts = ["SELECT count(*) AS arm, 'x' AS k, 'y' AS k2 FROM ("] + parts + [f" LIMIT {rng.choice([1, 3, 20])}) q"]
        self.size = sizes
        lateral = "LATERAL " if self.relations else ""
        return Relation(alias, [lateral + "("] + parts + [f") {alias}"], [], None, [f"{alias}.arm", f"{alias}.k", f"{alias}.k2"])

    def in_alike(self, alias):
        """Rows of one table by several keys, in arms; in its order perhaps, a few perhaps."""
        rng, parts = self.rng, []
        inner, leaves = self.bound(next(self.inner_names))
        table, size = inner.table, self.size
        columns = [c for c in table.columns if c.kind.group != "jsonb"]
        for number in range(rng.choice([2, 2, 3])):
            if number:
                self.size = size
                inner, leaves = self.bound(next(self.inner_names), table)
            leaves += [Leaf([gate]) for gate in self.gate(inner.alias)]
            select = f"SELECT {number} AS arm, {', '.join(f'{inner.alias}.{c.name}' for c in columns)} FROM "
            parts += [" UNION ALL " if number else "", select] + inner.parts + self.where(leaves)
        order = ", ".join([c.name for c in reversed(table.order())] + ["arm"])
        if rng.random() < 0.5:
            parts += [f" ORDER BY {order}"]
            parts += [f" LIMIT {rng.choice([1, 3, 10])}"] if rng.random() < 0.6 else []
        self.size *= 2
        lateral = "LATERAL " if self.relations else ""
        return Relation(alias, [lateral + "("] + parts + [f") {alias}"], columns, None,
                        [f"{alias}.arm"] + [f"{alias}.{c.name}" for c in table.order()])

    # One more next to those that are there

    def tie(self, relation):
        """An equality between it and those before, or none."""
        columns = [c for c in relation.columns if c.domain and not is_array(c)]
        if not columns:
            return []
        column = self.rng.choice(columns)
        sources = [s for s in self.match.sources(self.relations, column) if not is_array(s[1])]
        return [self.plain_equal(relation, column, sources)] if sources else []

    def plain_equal(self, relation, column, sources):
        """The column equals that of one of the sources, so simply that any join can do it."""
        outer, other = self.rng.choice(sources)
        ref, value = self.match.comparable(f"{relation.alias}.{column.name}", column, outer.outer(other), other)
        return Leaf([f"{ref} = {value}"], [(relation.alias, column, "join =")])

    def parallel(self, kind):
        """JOIN of a kind."""
        alias = next(self.names)
        if kind == "FULL JOIN":
            relation, leaves = self.in_subquery(alias), []
        else:
            relation, leaves = self.part(alias)
        tie = self.tie(relation) if kind == "FULL JOIN" or self.rng.random() < 0.4 else []
        lateral = str(relation.parts[0]).startswith("LATERAL")
        if (kind == "FULL JOIN" and not tie) or (lateral and kind in ("RIGHT JOIN", "FULL JOIN")):
            kind = "LEFT JOIN"
        if kind == "RIGHT JOIN" or (kind == "JOIN" and self.rng.random() < 0.6):
            self.out.where += leaves
            leaves = []
        on = self.tagged(self.match.joined(tie + leaves)) if tie + leaves else Leaf(["true"])
        self.attach(kind, relation, on)

    def question(self):
        """Whether another table has such rows, which depends on nothing; now and then on the rows before, too."""
        inner, leaves = self.bound(next(self.inner_names))
        leaves += self.tie(inner) if self.rng.random() < 0.2 else []
        word = self.rng.choice(["EXISTS", "EXISTS", "NOT EXISTS"])
        body = [f"{word} (SELECT 1 FROM "] + inner.parts + self.where(leaves) + [")"]
        if self.rng.random() < 0.2:
            body = ["("] + body + [f" OR {self.relations[0].order[0]} IS NULL)"]
        self.out.where.append(Leaf(body))

    def figure(self):
        """A figure of another table, among the targets or in a condition."""
        inner, leaves = self.bound(next(self.inner_names))
        body = [self.rng.choice(["(SELECT count(*) FROM ", f"(SELECT min({inner.order[-1]}::text) FROM "])]
        body += inner.parts + self.where(leaves) + [")"]
        if "count" in body[0] and self.rng.random() < 0.4:
            self.out.where.append(Leaf(body + [f" {self.rng.choice(['>', '<', '='])} {self.rng.choice([0, 1, 5])}"]))
        else:
            self.out.extra.append(body)

    def grow(self):
        """One more of anything."""
        kind = self.pick(KINDS)
        size = self.size
        if kind == "hop":
            self.hop()
        elif kind == "repeated":
            self.add_repeated()
        elif kind == "EXISTS":
            self.question()
            self.size = size
        elif kind == "scalar":
            self.figure()
            self.size = size
        else:
            self.parallel(kind)

    def rows(self):
        """Some relations."""
        self.begin()
        for _ in range(self.rng.choice([1, 1, 1, 2, 2, 0])):
            if self.size < 3000:
                self.grow()
        self.out.texts = [o for r in self.relations for o in r.order]
        return self.out
