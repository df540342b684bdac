"""One more relation next to those of a statement: in all the ways to request related rows."""
from joined import Join
from matching import Entry, Relation, is_array
from outers import Outers
from predicates import Leaf

LARGEST = 1500      # rows that a join should not exceed by far
REQUESTS = 200      # and requests, if each row requests related ones


class Hops(Outers):
    """Ties relations to those that are there."""

    def inner(self, outers, alias):
        """A table that is related to one of the outer relations: (relation, entry, sources)."""
        choices, weights = [], []
        for table in self.tables:
            for entry, weight in Entry.all_of(table):
                sources = self.match.sources(outers, entry.columns[0])
                if entry.is_scan() and self.size * self.pages(table) > 15:
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

    # One more table

    def hop(self):
        """Tie one more relation to what is there."""
        kinds = [("plain", 46), ("nested", 7), ("semi", 14), ("anti", 6), ("limited", 8), ("summed", 6), ("unnested", 5),
                 ("fenced", 4), ("scalar", 5), ("arms", 3), ("tallied", 3), ("windowed", 4), ("repeated", 2)]
        names, weights = zip(*kinds)
        getattr(self, "add_" + self.rng.choices(names, weights)[0])()

    def attach(self, kind, relation, on, right=None):
        """JOIN; the entire tree so far is the left side."""
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
            column = entry.columns[0]
            ref, value = self.match.comparable(f"{alias}.{column.name}", column, outer.outer(other), other)
            leaves = [Leaf([f"{ref} = {value}"], [(alias, column, "join =")])]
        else:
            leaves = self.match.conditions(relation, entry, sources, self.relations)
        if kind == "RIGHT JOIN" and len(relation.table.rows) * (1 + self.requests) > 10 * REQUESTS:
            kind = "LEFT JOIN"      # all so far might be done for each row
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
        outer_size, self.size = self.size, self.size * self.fan(relation.table, entry.columns[0])
        if rng.random() < 0.25 and self.requests < REQUESTS:
            more = self.inner([relation] + outers * (rng.random() < 0.3), next(self.inner_names))
            if more:
                on = self.tagged(self.match.joined(self.match.conditions(more[0], more[1], more[2], relations + outers)))
                parts += [rng.choice([" JOIN ", " LEFT JOIN "])] + more[0].parts + [" ON "] + on.parts
                relations.append(more[0])
        if depth < 2 and rng.random() < 0.15 and self.requests < REQUESTS:
            leaves.append(self.exists([relation] + outers, depth + 1) or Leaf(["true"]))
        self.size = outer_size
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
        if rng.random() < 0.2 and self.size < 12:
            leaves += filter(None, [self.match.ranged(relation, rng.choice(relation.columns), self.relations)])
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

    def tally(self, table, entry, sources, several=False):
        """LATERAL (SELECT count(*) ...), of which DynamoDB may do the counting."""
        alias, inner = next(self.names), self.relation(table, next(self.inner_names))
        self.follow(inner, entry, sources)
        equal = self.match.one_of if several else self.match.equal
        leaves = [equal(inner, entry.columns[0], sources)]
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
        rows = f"unnest({rng.choice(arrays)})" if arrays else "generate_series(1, 2)"
        number = f"row_number() OVER (ORDER BY {', '.join(order)})"
        some = f"{inner.alias}.{rng.choice(inner.table.order()).name} AS k"
        select, limit = rng.choice([(f"{some}, {number} AS r", f" WHERE q.r <= {rng.choice([1, 2, 4])}"),
                                    (f"DISTINCT {some}, 1 AS r", ""),
                                    (f"{some}, {rows} AS r", "")])
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
        """An entire join for each outer row, which cannot be pulled up."""
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
        """Related rows of two kinds, one after the other; all of them, a few, or whether there are any."""
        alias = next(self.names)
        arms = [self.select_from(self.relations), self.select_from(self.relations)]
        if None in arms:
            return
        parts = []
        for number, (some, relations) in enumerate(arms):
            parts += [" UNION ALL " if number else "", f"SELECT {number} AS arm, {self.words(relations[0].order[0])} AS k, "
                      f"{self.words(relations[0].order[-1])} AS k2 FROM "] + some
        style = self.rng.choice(["rows", "rows", "some", "any"])
        if style == "rows":
            self.lateral(parts, [], alias, [f"{alias}.arm", f"{alias}.k", f"{alias}.k2"])
        elif style == "some":
            limit = self.rng.choice([1, 2, 5])
            self.lateral(["SELECT count(*) AS n FROM ("] + parts + [f" LIMIT {limit}) q"], [], alias, [f"{alias}.n"])
        else:
            self.out.where.append(Leaf([self.rng.choice(["", "NOT "]) + "EXISTS ("] + parts + [")"]))

    def add_repeated(self):
        """All so far again for each of some rows that have nothing to do with it."""
        alias = next(self.names)
        relation = Relation(alias, [f"(VALUES (1), (2)) {alias}(n)"], [], None, [f"{alias}.n"])
        self.out.tree = Join("CROSS JOIN", relation, self.out.tree, None)
        self.relations.append(relation)
        self.size *= 2

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
