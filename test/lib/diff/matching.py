"""How the rows of one table are tied to those of others: conditions between an inner table and what is before it.

A Relation is anything in FROM; an entry of a table is a key by which it may be read. The conditions bind an entry to
the outer rows, column by column, in the ways in which people write that.
"""
from predicates import INTEGERS, Leaf, Maker, Tree

NUMBERS = ("int2", "int4", "int8", "numeric")


class Relation:
    """Something in FROM: its alias and columns; `table` if it is one of ours, with a row of it as the witness."""

    def __init__(self, alias, parts, columns, table=None, order=None):
        self.alias, self.parts, self.columns, self.table = alias, parts, columns, table
        self.order = order or [f"{alias}.{c.name}" for c in columns if c.kind.group != "jsonb"]
        self.witness = None

    def smaller(self):
        """Nothing is simpler."""
        return []

    @staticmethod
    def keeps_left():
        """Nothing makes NULLs of it."""
        return True

    def outer(self, column):
        """A column of it as others refer to it."""
        return f"{self.alias}.{column.name}"


class Entry:
    """Columns by which a table may be read, `nhash` of them by equality; a plain one stands for a Scan."""

    def __init__(self, columns, nhash):
        self.columns, self.nhash = columns, nhash

    def is_scan(self):
        """Is it no key?"""
        return self.columns[0].role == "plain"

    @staticmethod
    def all_of(table):
        """(entry, weight) of a table; entries begin with a column of a domain."""
        found = [(Entry(table.keys, table.nhash), 6)]
        for one in table.indexes:
            columns = [table.by_name[name] for name in one["columns"]]
            nhash = sum(1 for key in one["definition"]["KeySchema"] if key["KeyType"] == "HASH")
            found.append((Entry(columns, nhash), 3))
        found += [(Entry([c], 1), 0.3) for c in table.columns if c.role == "plain"]
        return [(entry, weight) for entry, weight in found if entry.columns[0].domain and not is_array(entry.columns[0])]


def is_array(column):
    """Does it hold several values?"""
    return column.kind.group == "array"


def base_type(column):
    """The type without its modifier; of the elements, for an array."""
    return column.kind.sqltype.split("(", maxsplit=1)[0].removesuffix("[]")


class Matcher:
    """Makes the conditions that tie an inner relation to outer ones."""

    def __init__(self, rng):
        self.rng = rng

    def maker(self, relation):
        """Of conditions on one relation alone."""
        return Maker(self.rng, relation.table, relation.alias, relation.witness)

    def loose(self, relation):
        """A condition on one relation that many rows fulfil."""
        column = self.rng.choice(relation.table.columns)
        kinds = {"array": ["not_element", "array_size", "null"], "boolean": ["boolean"], "jsonb": ["null"],
                 "text": ["ne", "not_null", "le", "in"] + ["like"] * column.kind.deterministic}
        return self.maker(relation).on(column, kinds.get(column.kind.group, ["ne", "not_null", "le", "ge", "between", "in"]))

    def sources(self, outers, column):
        """(relation, its column) pairs of the same domain."""
        return [(outer, c) for outer in outers for c in outer.columns if column.domain and c.domain == column.domain]

    # Equality

    def comparable(self, ref, column, outer, other):
        """Two sides that PostgreSQL compares without a doubt about type and collation."""
        mine, theirs = base_type(column), base_type(other)
        if (mine == "uuid") != (theirs == "uuid"):
            return (ref + "::text", outer) if mine == "uuid" else (ref, outer + "::text" + "[]" * is_array(other))
        one, two = column.kind.collation, other.kind.collation
        if one != two and column.kind.group == "text" and (None not in (one, two) or self.rng.random() < 0.5):
            side = self.rng.choice([one, two]) or "default"
            return (f'{ref} COLLATE "{side}"', outer) if self.rng.random() < 0.5 else (ref, f'{outer} COLLATE "{side}"')
        if mine in NUMBERS and theirs in NUMBERS and not is_array(other) and self.rng.random() < 0.2:
            wider = self.rng.choice([t for t in NUMBERS if NUMBERS.index(t) >= NUMBERS.index(theirs)])
            return ref, f"{outer}::{wider}"
        return ref, outer

    def equal(self, inner, column, sources):
        """The column equals that of one of the sources, somehow."""
        outer, other = self.rng.choice(sources)
        ref, value = self.comparable(f"{inner.alias}.{column.name}", column, outer.outer(other), other)
        if is_array(other):
            return Leaf([f"{ref} = ANY ({value})"], [(inner.alias, column, "join = ANY")])
        plain = "COLLATE" not in ref + value
        pick = self.rng.random()
        if pick < 0.08 and plain:
            return Leaf([f"{ref} = {self.computed(value, other)}"], [(inner.alias, column, "join =")])
        if pick < 0.16 and plain:
            return self.listed(inner, column, ref, value, [s for s in sources if self.alike(s[1], other)])
        if pick < 0.175:
            return Leaf([f"{ref} IS NOT DISTINCT FROM {value}"], [(inner.alias, column, "join not distinct")])
        return Leaf([f"{value} = {ref}" if pick < 0.4 else f"{ref} = {value}"], [(inner.alias, column, "join =")])

    def one_of(self, inner, column, sources):
        """The column equals that of one of the sources, or another one of them."""
        outer, other = self.rng.choice(sources)
        ref, value = self.comparable(f"{inner.alias}.{column.name}", column, outer.outer(other), other)
        if "COLLATE" in ref + value:
            return Leaf([f"{ref} = {value}"], [(inner.alias, column, "join =")])
        return self.listed(inner, column, ref, value, [s for s in sources if self.alike(s[1], other)])

    @staticmethod
    def alike(one, two):
        """May both be in one list?"""
        return one.kind.declare() == two.kind.declare() and not is_array(one)

    def computed(self, value, other):
        """Something computed of an outer value."""
        if other.domain == "person" and self.rng.random() < 0.3:
            return f"(SELECT min(z.id) FROM l.person z WHERE z.id >= {value})"
        if base_type(other) in INTEGERS:
            return self.rng.choice([f"{value} + 0", f"coalesce({value}, 1)", f"({value} % 10)", f"nullif({value}, 1)",
                                    f"CASE WHEN {value} > 5 THEN {value} END"])
        if base_type(other) == "numeric":
            return self.rng.choice([f"({value} + 0)", f"coalesce({value}, 1)", f"round({value})"])
        if other.kind.group == "text":
            return self.rng.choice([f"({value} || '')", f"nullif({value}, 'a')", f"upper({value})"])
        return f"coalesce({value}, {value})"

    def listed(self, inner, column, ref, value, sources):
        """The column is one of several outer values."""
        more = [value] + [o.outer(c) for o, c in self.rng.choices(sources, k=self.rng.choice([1, 1, 2]))]
        if "::text" in value:
            more = [value, value]
        form = self.rng.choice(["{0} IN ({1})", "{0} = ANY (ARRAY[{1}])", "or"])
        if form == "or":
            return Leaf(["(" + " OR ".join(f"{ref} = {v}" for v in more) + ")"], [(inner.alias, column, "join OR")])
        return Leaf([form.format(ref, ", ".join(more))], [(inner.alias, column, "join = ANY")])

    # Ranges

    def ranged(self, inner, column, outers):
        """A range of the column between outer values, or none."""
        group = column.kind.group
        if group not in ("number", "date", "instant", "text"):
            return None
        found = [outer.outer(c) for outer in outers for c in outer.columns
                 if (c.kind.group == group or {c.kind.group, group} == {"date", "instant"})
                 and (group != "text" or c.kind.collation == column.kind.collation)]
        if not found:
            return None
        ref, value = f"{inner.alias}.{column.name}", self.rng.choice(found)
        if group == "text" and self.rng.random() < 0.5:
            form = self.rng.choice(["{0} LIKE left({1}, 1) || '%'", "{0} ^@ left({1}, 1)", "starts_with({0}, {1})"])
            return Leaf([form.format(ref, value)], [(inner.alias, column, "join prefix")])
        form = self.rng.choice(["{0} >= {1}", "{0} > {1}", "{0} <= {1}", "{0} < {1}", "{1} <= {0}", "{0} <> {1}",
                                "{0} BETWEEN {1} AND {2}", "{0} > {1} AND {0} <= {2}"])
        return Leaf([form.format(ref, value, self.rng.choice(found))], [(inner.alias, column, "join range")])

    # All of it

    def conditions(self, inner, entry, sources, outers):
        """What binds an inner relation by an entry to the outer rows: equality first, the rest by chance."""
        rng = self.rng
        found = [self.equal(inner, entry.columns[0], sources)]
        for number, column in enumerate(entry.columns[1:], 1):
            must = number < entry.nhash
            if not must and rng.random() < 0.45:
                break
            found.append(self.further(inner, column, outers, must))
        if inner.table and rng.random() < 0.25:
            found.append(self.loose(inner))
        if rng.random() < 0.1:
            column = rng.choice([c for c in inner.columns if c.domain and not is_array(c)])
            same = self.sources(outers, column)
            found += [self.equal(inner, column, same)] if same else []
        if rng.random() < 0.06:
            found.append(self.ranged(inner, rng.choice(inner.columns), outers) or Leaf(["true"]))
        if rng.random() < 0.06:
            outer = rng.choice(outers)
            found.append(self.loose(outer) if outer.table else Leaf([f"{outer.order[0]} IS NOT NULL"]))
        return found

    def further(self, inner, column, outers, must):
        """A condition on a second key column: of the outer rows, or a constant one."""
        rng = self.rng
        same = [s for s in self.sources(outers, column) if not is_array(s[1]) or rng.random() < 0.3]
        if same and rng.random() < (0.9 if must else 0.6):
            return self.equal(inner, column, same)
        if must:
            return self.maker(inner).on(column, ["eq", "in", "any"])
        operators = ["le", "ge", "between", "two", "eq", "in", "like" if column.kind.group == "text" else "gt"]
        return (self.ranged(inner, column, outers) if rng.random() < 0.6 else None) or self.maker(inner).on(column, operators)

    @staticmethod
    def joined(leaves):
        """Several conditions as one."""
        return Tree("AND", leaves) if len(leaves) > 1 else leaves[0]
