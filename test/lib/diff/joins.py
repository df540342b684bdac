"""Random joins: rows from somewhere, and then one table after the other, in all the ways to request related rows."""
from edges import MISMATCHES
from hops import LARGEST, REQUESTS, Hops
from matching import Entry, base_type, is_array
from predicates import Leaf
from statements import TABLE
from values import Integer

STYLES = [("rows", 41), ("ordered", 20), ("counted", 10), ("summed", 14), ("grouped", 6), ("distinct", 4), ("exists", 2),
          ("stored", 3), ("updated", 2)]
AIMS = ["JOIN", "LEFT JOIN", "EXISTS", "NOT EXISTS", "count"]
# What makes a join of which type, in EXPLAIN's words.
MADE_BY = {"Inner": ["JOIN"], "Left": ["LEFT JOIN"], "Right": ["RIGHT JOIN", "LEFT JOIN"],
           "Full": ["FULL JOIN"], "Semi": ["EXISTS"], "Anti": ["NOT EXISTS"]}


class Joins:
    """Makes joins over the related tables, and over keys of any type now and then."""

    def __init__(self, rng, related, others):
        self.rng, self.related = rng, related
        self.others = [t for t in others if t.rows and t.name not in ("big", "lg") and t.feature in (None, MISMATCHES)]
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
        aims = [(kind, table, entry, how) for table, entry in self.entries() for kind in AIMS for how in ("one", "array", "list")]
        for _ in range(3):
            self.rng.shuffle(aims)
            yield from ((self.wide(kind), "lookup") for kind in AIMS)
            yield from ((self.heavy(kind), "tight") for kind in ["JOIN"] * 2 + ["LEFT JOIN"] * 8)
            yield from ((self.within(), "lookup") for _ in range(12))
            for aim in aims:
                for method in ("lookup", "loop", "memoize"):
                    select = self.aimed(*aim)
                    if select and not (method == "memoize" and "EXISTS" in aim[0]):
                        yield select, method

    def wide(self, kind):
        """A join with enough outer rows that their keys take several batches, of each of which some have no item."""
        build = Build(self.rng, self.related)
        build.begin(build.from_many())
        person = next(table for table in self.related if table.name == "person")
        build.aim(kind, person, Entry(person.keys, 1), [(build.relations[0], build.relations[0].columns[0])], False)
        return build.finish()

    def heavy(self, kind):
        """A join of few keys, each many times, whose responses are more than a small memory holds."""
        build = Build(self.rng, self.related)
        orders = next(table for table in self.related if table.name == "orders")
        build.begin(build.from_frequent(orders, orders.keys[0]))
        build.aim(kind, orders, Entry(orders.keys[:1], 1), [(build.relations[0], build.relations[0].columns[0])], False)
        build.out.shape, build.out.extra = "join of few keys", [[f"{build.relations[1].alias}.body"]]
        build.as_rows()
        return build.out

    def within(self):
        """Rows of a table whose key is among values that a few local rows hold, some of them several times."""
        table, entry = self.rng.choice(self.entries())
        column = entry.columns[0]
        build = Build(self.rng, self.related)
        relation = build.relation(table, next(build.names))
        build.begin(relation)
        build.size, build.out.driver = len(table.rows), "few values"
        other, held = self.rng.choice([(t, c) for t in self.related for c in t.columns
                                       if c.domain == column.domain and not is_array(c)])
        inner = build.relation(other, "w", 1)
        ref, value = build.match.comparable(f"{relation.alias}.{column.name}", column, f"w.{held.name}", held)
        build.out.where.append(Leaf([f"{ref} IN (SELECT {value} FROM "] + inner.parts + [" WHERE "] +
                                    build.few(inner).parts + [")"]))
        return build.finish()

    def entries(self):
        """(table, entry) of all keys."""
        return [(table, entry) for table in self.related for entry, _ in Entry.all_of(table) if not entry.is_scan()]

    def toward(self, kind, path):
        """A join that may be of a type, of EXPLAIN's words, by an access path to its inner side."""
        wanted = [(table, entry) for table, entry in self.entries()
                  if path == "Scan" or ("index" in path) == (entry.columns[0] is not table.keys[0])]
        for _ in range(20):
            how = "list" if "per key" in path or path == "BatchGetItem" else "one"
            made_by = "count" if "count" in path else self.rng.choice(MADE_BY[kind])
            select = self.aimed(made_by, *self.rng.choice(wanted), how)
            if select:
                return select
        return self.statement()

    def aimed(self, kind, table, entry, how):
        """A join of one type with one table by one key, for outer rows that have a matching value, or several; or none."""
        for _ in range(20):
            build = Build(self.rng, self.related)
            build.begin()
            sources = [s for s in build.match.sources(build.relations, entry.columns[0]) if is_array(s[1]) == (how == "array")]
            if sources and build.size * build.fan(table, entry.columns[0]) < LARGEST:
                build.aim(kind, table, entry, sources, how == "list")
                return build.finish()
        return None

    def union(self, tables):
        """Two of them, one after the other."""
        arms = [Build(self.rng, tables, names).rows() for names in ("abcdeghijkmnopq", "ABCDEGHIJKMNOPQ".lower()[::-1])]
        for arm in arms:
            arm.targets = [[f"({self.rng.choice(arm.texts)})::text"], [f"({self.rng.choice(arm.texts)})::text"]]
        arms[0].second, arms[0].shape = arms[1], "union of joins"
        return arms[0]


class Build(Hops):
    """One statement while it grows."""

    def begin(self, first=None):
        """The first relation."""
        self.out.tree = first or self.driver()
        self.relations.append(self.out.tree)

    def aim(self, kind, table, entry, sources, several):
        """One hop that is known beforehand; by several values of each outer row, perhaps."""
        if kind == "count":
            self.tally(table, entry, sources, several)
            return
        alias = next(self.names)
        relation = self.relation(table, alias)
        self.follow(relation, entry, sources)
        equal = self.match.one_of if several else self.match.equal
        leaves = [equal(relation, entry.columns[0], sources)]
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
        """What to request of the rows."""
        rng, out = self.rng, self.out
        out.texts = [o for r in self.relations for o in r.order]
        out.shape = "join of " + out.driver
        styles, weights = zip(*STYLES)
        style = rng.choices(styles, weights)[0]
        getattr(self, "as_" + style)()
        return out

    def as_stored(self):
        """Into a table, and what was stored."""
        out = self.out
        out.targets = [[f"({ref})::text"] for ref in self.rng.choices(out.texts, k=2)]
        out.wrap, out.complete = "WITH z AS (INSERT INTO p.sink {} RETURNING one, two) SELECT one, two FROM z", True

    def as_updated(self):
        """The rows of a table that an UPDATE finds by these."""
        people = [f"{r.alias}.{c.name}" for r in self.relations for c in r.columns
                  if c.domain == "person" and not is_array(c)]
        if not people or self.out.before:
            self.as_rows()
            return
        out = self.out
        out.wrap, out.complete, out.targets = "WITH z AS ({} RETURNING t.id, t.n) SELECT id, n FROM z", True, []
        out.update = "UPDATE l.person t SET n = t.n FROM "
        out.where.append(Leaf([f"t.id = {self.rng.choice(people)}"]))

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
        numbers = [f"{r.alias}.{c.name}" for r in self.relations for c in r.columns
                   if base_type(c) in Integer.limits and not is_array(c)]
        if rng.random() < 0.04 and numbers:
            out.targets.append([f"100 / ({rng.choice(numbers)}::numeric - {rng.choice([0, 3, 7])})"])
            out.complete = True
        if rng.random() < 0.04 and self.tables[0].name == "team":
            people = [f"{r.alias}.{c.name}" for r in self.relations for c in r.columns
                      if c.domain == "person" and base_type(c) == "int4" and not is_array(c)]
            out.targets += [[f"{TABLE}orders_of({rng.choice(people)})"]] if people else []
        local = str(self.relations[0].parts[0]).startswith("l.")
        if rng.random() < 0.05 and local and out.tree.keeps_left():
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
