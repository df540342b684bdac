"""Conditions on columns: made to hold for a row of the table (the witness) more often than not.

A condition is a list of parts: SQL text, and Lit for constants, which a statement writes as constants, parameters,
stable function calls or initplans.
"""
import datetime
import re
import uuid

from values import WORDS, Integer, array_text, quote

INTEGERS = Integer.limits


class Lit:
    """A constant: text (None is NULL) of an SQL type; other(rng) gives another text for a later execution."""

    def __init__(self, text, sqltype, other=None):
        self.text, self.sqltype, self.other = text, sqltype, other
        self.table = self.column = None     # whose values it is compared with
        self.same = False                   # one parameter wherever it is

    def takes(self, text):
        """May the type hold another text of that column?"""
        if self.sqltype not in INTEGERS:
            return True
        limit = INTEGERS[self.sqltype]
        return re.fullmatch("-?[0-9]+", text) is not None and -limit <= int(text) < limit

    def constant(self):
        """As a literal."""
        return "NULL::" + self.sqltype if self.text is None else f"{quote(self.text)}::{self.sqltype}"


class Leaf:
    """One condition; tags are (alias, column, operator) for the coverage."""

    def __init__(self, parts, tags=()):
        self.parts, self.tags = parts, list(tags)

    def leaves(self):
        """Itself."""
        return [self]

    def smaller(self):
        """Nothing is simpler."""
        return []


class Tree:
    """AND, OR or NOT of conditions."""

    def __init__(self, word, args):
        self.word, self.args = word, args

    @property
    def parts(self):
        """The SQL."""
        if self.word == "NOT":
            return ["NOT ("] + self.args[0].parts + [")"]
        out = []
        for number, arg in enumerate(self.args):
            out += ([f" {self.word} "] if number else []) + ["("] + arg.parts + [")"]
        return out

    def leaves(self):
        """All conditions in it."""
        return [leaf for arg in self.args for leaf in arg.leaves()]

    def smaller(self):
        """Trees with one thing less."""
        for number, arg in enumerate(self.args):
            rest = self.args[:number] + self.args[number + 1:]
            yield arg
            if rest and self.word != "NOT":
                yield Tree(self.word, rest) if len(rest) > 1 else rest[0]
            for simpler in arg.smaller():
                yield Tree(self.word, self.args[:number] + [simpler] + self.args[number + 1:])


class Maker:
    """Makes conditions on one table under an alias, around a witness."""

    def __init__(self, rng, table, alias, witness):
        self.rng, self.table, self.alias = rng, table, alias
        self.witness = witness or {}

    # Constants

    def other(self, column):
        """A function that gives another constant for the column."""
        def choose(rng):
            if rng.random() < 0.12:
                return None
            return rng.choice(column.pool)[0] if column.pool else None
        return choose

    def lit(self, column, text, sqltype=None):
        """A constant of a type that may be compared with the column."""
        lit = Lit(text, sqltype or self.rng.choice(column.kind.types(text)))
        other = self.other(column)

        def matching(rng):
            found = other(rng)
            return found if found is None or lit.takes(found) else "1"
        lit.other, lit.table, lit.column = matching, self.table.name, column.name
        return lit

    def pooled(self, column):
        """A text from the column's pool."""
        values = [v[0] for v in column.pool if v[0] is not None]
        return self.rng.choice(values) if values else None

    def near(self, column, odd=0.08):
        """The witness's value usually, else another or an odd one, as a Lit."""
        text = self.witness.get(column.name)
        pick = self.rng.random()
        if pick < odd * (6 if column.strange else 1):
            return self.lit(column, *column.odd(self.rng))
        if text is None or pick > 0.85:
            text = self.pooled(column)
        if text is None or (pick > 0.985 and odd):
            return self.lit(column, None, column.kind.types(self.pooled(column) or "1")[0])
        return self.lit(column, text)

    def far(self, column, side=0):
        """Any constant; with a side, one below (-1) or above the witness's value more often than not."""
        if self.rng.random() < (0.08 if side else 0.15) * (3 if column.strange else 1):
            return self.lit(column, *column.odd(self.rng))
        text, mine = self.pooled(column), self.witness.get(column.name)
        if side and text is not None and mine is not None:
            rank = column.kind.rank
            text = next((t for t in (self.pooled(column) for _ in range(8))
                         if (rank(t) < rank(mine) if side < 0 else rank(t) > rank(mine))), text)
        return self.lit(column, text) if text is not None else Lit(None, column.kind.sqltype)

    def element_type(self, column):
        """The type of a list's elements."""
        kind = column.kind
        if kind.group == "number":
            return self.rng.choice(["numeric", "numeric", "numeric" if "numeric" in kind.sqltype else "int8"])
        return "text" if kind.group == "text" and not kind.sqltype.startswith("char") else \
            kind.sqltype.split("(", maxsplit=1)[0].replace("char", "bpchar") if kind.group == "text" else kind.sqltype

    def several(self, column, count, odd=True):
        """Texts for a list, the witness's among them, doubles too."""
        texts = [self.pooled(column) for _ in range(count)]
        if self.witness.get(column.name) is not None:
            texts.append(self.witness[column.name])
        if odd and self.rng.random() < 0.15 and column.kind.group not in ("number", "float"):
            texts.append(column.odd(self.rng)[0])
        if texts and self.rng.random() < 0.3:
            texts.append(self.rng.choice(texts))
        self.rng.shuffle(texts)
        return [t for t in texts if t is not None]

    # Conditions

    def ref(self, column):
        """The column, qualified."""
        return f"{self.alias}.{column.name}"

    def leaf(self, column, operator, *parts):
        """A condition on the column."""
        return Leaf(list(parts), [(self.alias, column, operator)])

    def on(self, column, operators=None):
        """A condition on the column."""
        choices = operators or self.choices(column)
        return getattr(self, "make_" + self.rng.choice(choices))(column)

    def choices(self, column):
        """The kinds of conditions that are possible for the column; frequent ones several times."""
        group, kind = column.kind.group, column.kind
        if group == "jsonb":
            return ["json_text"] * 4 + ["json_path", "json_value", "json_contains", "json_number", "null", "json_null",
                                        "json_deep", "json_in", "json_like", "json_digit", "json_form", "json_form"]
        if group == "array":
            return ["element", "element", "not_element", "array_contains", "array_contains", "array_within",
                    "array_overlap", "array_equal", "null", "array_size", "array_contains"]
        if group == "boolean":
            return ["boolean"] * 4 + ["is_null", "not_null", "eq", "ne", "boolean_in", "distinct", "optional", "replaced", "between_one", "any", "page", "between"]
        found = ["eq"] * 4 + ["coalesce", "test", "test", "many", "optional", "optional", "replaced", "page", "page"] + ["in", "in", "any", "any", "between", "between", "between_one", "between_like", "lt", "le", "gt", "ge", "two", "ne",
                              "not_in", "all", "is_null", "not_null", "distinct", "commuted", "two", "or_eq", "in_null", "or_null"]
        if group == "text" and kind.deterministic:
            found += ["like"] * 4 + ["ilike", "caret", "caret", "starts", "not_like", "like_and", "caret_and", "cast_like", "like_one", "like_one"]
            found += ["other_text"] if kind.words is WORDS else []
        found += ["cast", "cast", "cast_list"] if self.casts(column) else []
        found += ["long_list", "empty_list", "null_list"] if self.made_up(column, 1) else []
        found += ["huge"] if kind.sqltype in ("bytea", "text") and kind.deterministic else []
        if group == "number":
            found += ["arithmetic", "cast_number", "float", "float"]
        if kind.sqltype == "uuid":
            found += ["uuid_text", "uuid_text"]
        found += ["time_form"] * 4 if group in ("date", "instant") else []
        return found

    def make_eq(self, column):
        return self.leaf(column, "=", self.ref(column), " = ", self.near(column))

    def make_commuted(self, column):
        operator = self.rng.choice(["=", "<=", ">=", "<", ">"])
        return self.leaf(column, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(operator, operator),
                         self.near(column), f" {operator} ", self.ref(column))

    def make_ne(self, column):
        return self.leaf(column, "<>", self.ref(column), " <> ", self.far(column))

    def make_le(self, column):
        return self.leaf(column, "<=", self.ref(column), " <= ", self.near(column))

    def make_ge(self, column):
        return self.leaf(column, ">=", self.ref(column), " >= ", self.near(column))

    def make_lt(self, column):
        return self.leaf(column, "<", self.ref(column), " < ", self.far(column, 1))

    def make_gt(self, column):
        return self.leaf(column, ">", self.ref(column), " > ", self.far(column, -1))

    def bounds(self, column):
        """A lower and an upper bound; reversed now and then."""
        bounds = [self.far(column, -1), self.far(column, 1)]
        if self.rng.random() < 0.3:
            bounds[self.rng.randrange(2)] = self.near(column, 0)
        if self.rng.random() < 0.1:
            bounds.reverse()
        return bounds

    def make_between(self, column):
        bounds = self.bounds(column)
        return self.leaf(column, "BETWEEN", self.ref(column), " BETWEEN ", bounds[0], " AND ", bounds[1])

    def make_between_one(self, column):
        """Executed again, the two bounds may differ."""
        value, ref = self.near(column), self.ref(column)
        if self.rng.random() < 0.5:
            return self.leaf(column, "BETWEEN x AND x", ref, " BETWEEN ", value, " AND ", value)
        return self.leaf(column, "BETWEEN x AND x", ref, " <= ", value, " AND ", value, " <= ", ref)

    def make_between_like(self, column):
        bounds = self.bounds(column)
        word = self.rng.choice(["BETWEEN SYMMETRIC", "NOT BETWEEN"])
        return self.leaf(column, word, self.ref(column), f" {word} ", bounds[0], " AND ", bounds[1])

    def make_two(self, column):
        low = self.rng.choice([" > ", " >= "])
        high = self.rng.choice([" < ", " <= "])
        bounds = self.bounds(column)
        return self.leaf(column, "two bounds", self.ref(column), low, bounds[0], " AND ", self.ref(column), high,
                         bounds[1])

    def make_in(self, column):
        parts = [self.ref(column), " IN ("]
        for number, text in enumerate(self.several(column, self.rng.choice([1, 2, 3, 6])) or [self.pooled(column)]):
            parts += ([", "] if number else []) + [self.lit(column, text, self.element_type(column))]
        return self.leaf(column, "IN", *parts, ")")

    def make_in_null(self, column):
        leaf = self.make_in(column)
        if leaf.tags[0][2] == "IN":
            leaf.parts.insert(2, Lit(None, self.element_type(column), self.other(column)))
            leaf.parts.insert(3, ", ")
        return leaf

    def make_or_eq(self, column):
        parts = []
        for text in self.several(column, 2):
            parts += ([" OR "] if parts else []) + [self.ref(column), " = ", self.lit(column, text)]
        return self.leaf(column, "OR of =", *parts) if parts else self.make_null(column)

    def make_or_null(self, column):
        inner = self.on(column, ["eq", "in", "ge"])
        parts = [*inner.parts, " OR ", self.ref(column), " IS NULL"] if self.rng.random() < 0.5 else [self.ref(column), " IS NULL OR ", *inner.parts]
        return self.leaf(column, "IS NULL OR", "(", *parts, ")")

    def array_lit(self, column, count, nulls=0.1):
        """A list as one constant."""
        kind = self.element_type(column)

        def texts():
            some = self.several(column, count, nulls > 0)
            return array_text(some + [None] if self.rng.random() < nulls else some)

        def other(rng):
            return None if rng.random() < 0.1 else texts()
        return Lit(texts(), kind + "[]", other)

    def make_any(self, column):
        size = self.rng.choice([0, 1, 1, 2, 2, 3, 3, 5, 5, 12, 130])
        return self.leaf(column, "= ANY", self.ref(column), " = ANY (", self.array_lit(column, size), ")")

    def make_all(self, column):
        return self.leaf(column, "<> ALL", self.ref(column), " <> ALL (",
                         self.array_lit(column, self.rng.choice([0, 1, 3, 110]), 0.08), ")")

    def make_not_in(self, column):
        parts = [self.ref(column), " NOT IN (", self.far(column), ", ", self.far(column)]
        if self.rng.random() < 0.15:
            parts += [", NULL"]
        return self.leaf(column, "NOT IN", *parts, ")")

    def make_null(self, column):
        negated = (self.witness.get(column.name) is not None) != (self.rng.random() < 0.1)
        return self.null_test(column, negated)

    def make_is_null(self, column):
        return self.null_test(column, False)

    def make_not_null(self, column):
        return self.null_test(column, True)

    def null_test(self, column, negated):
        """IS NULL or IS NOT NULL."""
        return self.leaf(column, "IS NOT NULL" if negated else "IS NULL", self.ref(column),
                         " IS NOT NULL" if negated else " IS NULL")

    def make_distinct(self, column):
        word = self.rng.choice(["IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
        value = self.near(column) if "NOT" in word else self.far(column)
        return self.leaf(column, word, self.ref(column), f" {word} ", value)

    def make_coalesce(self, column):
        value = self.near(column, 0)
        return self.leaf(column, "coalesce()", f"coalesce({self.ref(column)}, ", self.far(column), ") = ", value)

    def make_test(self, column):
        inner = self.on(column, ["eq", "lt", "ge", "in", "not_in"])
        word = self.rng.choice(["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN", "IS NOT UNKNOWN"])
        return Leaf(["("] + inner.parts + [f") {word}"], [(self.alias, column, f"(...) {word}")])

    def make_many(self, column):
        """More arms than a request may have operators, now and then."""
        if self.rng.random() > 0.15:
            return self.make_or_eq(column)
        parts = []
        for _ in range(self.rng.choice([60, 160, 320])):
            parts += ([" OR "] if parts else []) + [self.ref(column), self.rng.choice([" = ", " = ", " > "]),
                                                    self.lit(column, self.pooled(column))]
        return self.leaf(column, "many OR", *parts)

    def make_optional(self, column):
        """A condition that a parameter may leave out."""
        gate = self.rng.choice([
            [Lit(self.rng.choice([None, "x", "x"]), "text", lambda rng: rng.choice([None, "x"])), " IS NULL"],
            ["NOT ", Lit("true", "boolean", lambda rng: rng.choice(["true", "false", None]))],
            ["cardinality(", Lit("{1}", "int4[]", lambda rng: rng.choice(["{}", "{1}", None])), ") = 0"]])
        condition = self.rng.choice([[" = ", self.near(column)], [" = ", self.near(column)], [" >= ", self.near(column)],
                                     [" = ANY (", self.array_lit(column, 3), ")"],
                                     [" > ", self.far(column, -1), " AND ", self.ref(column), " <= ", self.far(column, 1)]])
        arms = [gate, [self.ref(column)] + condition]
        self.rng.shuffle(arms)
        return self.leaf(column, "optional", *arms[0], " OR ", *arms[1])

    def make_replaced(self, column):
        """The column itself stands for a value that is missing."""
        value = self.lit(column, self.near(column, 0).text, self.element_type(column))
        return self.leaf(column, "coalesce(x, k) = k", "coalesce(", value, f", {self.ref(column)}) = {self.ref(column)}")

    def make_page(self, column):
        """What follows a row, by two columns."""
        others = [c for c in self.table.columns if c is not column and c.kind.group in ("number", "date", "instant")
                  and not c.strange]
        if not others:
            return self.make_ge(column)
        other, operator = self.rng.choice(others), self.rng.choice([">", ">", ">=", "<", "<="])
        first, second = (self.lit(c, self.near(c, 0).text, self.element_type(c)) for c in (column, other))
        if self.rng.random() < 0.5:
            return self.leaf(column, "page", f"({self.ref(column)}, {self.ref(other)}) {operator} (", first, ", ", second, ")")
        return self.leaf(column, "page by OR", f"{self.ref(column)} {operator[0]} ", first, f" OR ({self.ref(column)} = ",
                         first, f" AND {self.ref(other)} {operator} ", second, ")")

    # Lists at the limits, and values beyond them

    def made_up(self, column, count):
        """A number of distinct texts of the column's type."""
        kind = column.kind
        if kind.group == "text" and not kind.limit:
            return [f"v{n}" for n in range(count)]
        if kind.sqltype in ("int2", "int4", "int8", "numeric"):
            return [str(n) for n in range(-7, count - 7)]
        if kind.sqltype == "uuid":
            return [str(uuid.UUID(int=n)) for n in range(count)]
        if kind.sqltype == "date":
            return [(datetime.date(2023, 12, 1) + datetime.timedelta(n)).isoformat() for n in range(count)]
        return [f"\\x{n:04x}" for n in range(count)] if kind.sqltype == "bytea" else []

    def make_long_list(self, column):
        """As many distinct values as one request may have, one more, one less."""
        count = self.rng.choice([99, 100, 101, 101])
        operator = self.rng.choice(["= ANY", "= ANY", "<> ALL"])
        mine = [text for text in dict.fromkeys(self.several(column, 4, False)) if text not in self.made_up(column, count)]
        texts = (mine + self.made_up(column, count))[:count]
        self.rng.shuffle(texts)
        return self.leaf(column, f"{operator} of {count}", self.ref(column), f" {operator} (",
                         Lit(array_text(texts), self.element_type(column) + "[]"), ")")

    def make_empty_list(self, column):
        operator = self.rng.choice(["= ANY", "= ANY", "<> ALL"])
        return self.leaf(column, f"{operator} of none", self.ref(column), f" {operator} (",
                         Lit(self.rng.choice(["{}", "{}", "{NULL}"]), self.element_type(column) + "[]"), ")")

    def make_null_list(self, column):
        operator = self.rng.choice(["= ANY", "= ANY", "<> ALL"])
        return self.leaf(column, f"{operator} with NULL", self.ref(column), f" {operator} (",
                         self.array_lit(column, self.rng.choice([1, 3, 99]), 1), ")")

    def make_huge(self, column):
        """A value larger than any item."""
        value = "decode(repeat('00', 450000), 'hex')" if column.kind.sqltype == "bytea" else \
            f"repeat({quote(self.rng.choice(['a', 'z']))}, 450000)"
        operator = self.rng.choice(["<", "<=", ">", ">=", "=", "<>"])
        return self.leaf(column, "huge", f"{self.ref(column)} {operator} " + self.rng.choice(["{}", "stable({})"]).format(value))

    # Operators of other types than the column's

    @staticmethod
    def casts(column):
        """The types that a column's operators may be taken from by a cast that does not fail."""
        kind = column.kind
        if kind.group == "text":
            return ["bpchar", "varchar", "name", "text"] + (["citext", "label"] if kind.words is WORDS else [])
        if kind.sqltype in ("bytea", "boolean") or kind.options or kind.group in ("jsonb", "array"):
            return []
        return {"int2": ["int8", "numeric", "float8"], "int4": ["oid", "oid", "int8", "numeric", "float8", "small"],
                "int8": ["numeric", "float8"], "float4": ["float8"], "float8": [], "oid": ["int8", "int4", "text"],
                "date": ["timestamp", "timestamptz", "text"], "timestamp": ["date", "text"],
                "timestamptz": ["date", "timestamp"], "mood": ["text"], "inet": ["text", "cidr"], "uuid": ["text"],
                }.get(kind.sqltype, ["float8"] if kind.group == "number" else ["text"])

    def cast_lit(self, column, to):
        """A constant of the column's type cast to another."""
        return ["(", Lit(self.near(column, 0).text, column.kind.sqltype, self.other(column)), f")::{to}"]

    def make_cast(self, column):
        to = self.rng.choice(self.casts(column))
        operator = self.rng.choice(["=", "=", "<>", "<", ">="])
        return self.leaf(column, f"::{to} {'=' if operator == '=' else '<>' if operator == '<>' else '<'}",
                         f"{self.ref(column)}::{to} {operator} ", *self.cast_lit(column, to))

    def make_cast_list(self, column):
        to = self.rng.choice(self.casts(column))
        if self.rng.random() < 0.5 or to == "label":
            return self.leaf(column, f"::{to} IN", f"{self.ref(column)}::{to} IN (", *self.cast_lit(column, to), ", ",
                             *self.cast_lit(column, to), ")")
        lit = self.array_lit(column, self.rng.choice([0, 2, 5]), 0.1)
        # an array of names has a collation of its own: next to the column's it is an error in rows that other conditions leave over
        if self.element_type(column) not in ("text", column.kind.sqltype) or (to == "name" and column.kind.collation not in (None, "C")):
            return self.make_cast(column)
        return self.leaf(column, f"::{to} IN", f"{self.ref(column)}::{to} = ANY (", lit, f"::{to}[])")

    def make_cast_like(self, column):
        to = self.rng.choice(["citext", "varchar", "name"] if column.kind.words is WORDS else ["varchar", "name"])
        return self.leaf(column, f"::{to} LIKE", f"{self.ref(column)}::{to} LIKE ", Lit(self.pattern(column), "text"))

    # Numbers and uuids

    def make_arithmetic(self, column):
        value = self.near(column, 0)
        if value.sqltype not in ("int8", "numeric") and value.text is not None:
            value = Lit(value.text, "numeric", value.other)
        return self.leaf(column, "expression", self.ref(column), "::numeric + 0 = ", value)

    def make_cast_number(self, column):
        value = self.near(column)
        kind = self.rng.choice(["numeric", "float8"])
        text = value.text if kind == "numeric" or value.text is None or abs(float(value.text)) < 1e300 else "1"
        return self.leaf(column, "cast to " + kind, f"{self.ref(column)}::{kind} ", self.rng.choice(["=", "<=", ">"]),
                         " ", Lit(text, kind, value.other))

    def double(self, column):
        """A value of double precision, near the witness's."""
        def valid(text):
            return text if text is None or text.lower() in ("nan", "infinity", "-infinity") or \
                float(text) == 0 or 1e-300 < abs(float(text)) < 1e300 else "1"
        value = self.near(column)
        text = valid(value.text)
        if text is not None and self.rng.random() < 0.15:
            text = self.rng.choice(["-0", "0.5", "9007199254740992", "9007199254740993", "-9007199254740994", "1e126", "9223372036854775807",
                                    "NaN", "Infinity", "-Infinity"])
        return Lit(text, "float8", lambda rng: valid(value.other(rng)) if value.other else text)

    def make_float(self, column):
        operator = self.rng.choice(["=", "=", "=", "<", "<=", ">", ">=", "<>", "IN", "BETWEEN"])
        ref = self.ref(column)
        if operator == "IN":
            return self.leaf(column, "float8 IN", ref, " IN (", self.double(column), ", ", self.double(column), ", ", self.double(column), ")")
        if operator == "BETWEEN":
            return self.leaf(column, "float8 BETWEEN", ref, " BETWEEN ", self.double(column), " AND ", self.double(column))
        return self.leaf(column, "float8 " + operator, ref, f" {operator} ", self.double(column))

    def make_time_form(self, column):
        """An expression over a date or time, compared with the same of a value nearby, or with that."""
        rng, kind = self.rng, column.kind
        text = self.witness.get(column.name) if rng.random() < 0.8 else None
        value = Lit(text or kind.one(rng)[0], kind.sqltype, lambda rng: kind.one(rng)[0])
        unit = quote(rng.choice(["hour", "day", "week", "month", "quarter", "year", "decade"]))
        zone = rng.choice(["'America/Havana'", "'Europe/Berlin'", "'Pacific/Apia'", "'UTC'", "interval '05:45'"])
        interval = quote(rng.choice(["1 day", "36 hours", "-1 mon 3 days", "00:30"]))
        name, form = rng.choice([("date_trunc", f"date_trunc({unit}, {{}})"), ("date()", "({})::date"), ("year of", "extract(year FROM {})"), ("epoch of", "extract(epoch FROM {})"),
                                 ("+ interval", f"({{}} + interval {interval})"), ("AT TIME ZONE", f"({{}} AT TIME ZONE {zone})"), ("days in a zone", f"date_trunc('day', ({{}})::timestamptz AT TIME ZONE {zone})")])
        before, suffix = form.split("{}")
        if rng.random() < 0.2:      # the value is of another type
            other, moved = rng.choice(["date", "timestamp", "timestamptz"]), rng.choice(["", "", " + interval '12:00'", " - interval '1 us'"])
            return self.leaf(column, "a time of another type", self.ref(column), f" {rng.choice(['=', '=', '<', '<=', '>', '>='])} (", value, f"{moved})::{other}")
        return self.leaf(column, name, form.format(self.ref(column)), f" {rng.choice(['=', '=', '<', '<=', '>', '>='])} ", before, value, suffix)

    def make_uuid_text(self, column):
        text = self.near(column, 0).text or "x"
        operator = self.rng.choice(["=", "=", "IN", "<", "LIKE"])
        ref = f"{self.ref(column)}::text"
        if operator == "IN":
            return self.leaf(column, "text IN", ref, " IN (", Lit(text, "text"), ", ", Lit(text.upper(), "text"), ")")
        if operator == "LIKE":
            return self.leaf(column, "text LIKE", ref, " LIKE ", Lit(text[:5] + "%", "text"))
        if operator == "<":
            return self.leaf(column, "text <", ref, ' COLLATE "C" <= ', Lit(text, "text"))
        text = self.rng.choice([text, text, text.upper(), ""])
        return self.leaf(column, "text =", ref, " = ", Lit(text, "text", self.other(column)))

    # Text

    def pattern(self, column):
        """A LIKE pattern for the witness's value."""
        text = self.witness.get(column.name)
        if text is None or self.rng.random() < 0.2:
            text = self.rng.choice(column.kind.words)
        escape = lambda part: part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        length = self.rng.randint(0, min(len(text), 6) if self.rng.random() < 0.9 else len(text))
        middle = self.rng.randint(0, len(text) - 1) if text else 0
        return self.rng.choice([
            escape(text[:length]) + "%", escape(text[:length]) + "%", escape(text[:length]) + "_%", "%" + escape(text[length:]),
            "%" + escape(text[middle:middle + 2]) + "%", escape(text), escape(text[:middle]) + "_" + escape(text[middle + 1:]),
            escape(text[:1]) + "%" + escape(text[-1:]), "_" * min(len(text), 30), "%", "%%", "", "_%", escape(text) + "%",
            "%\\%%", "%\\\\%", "%\\_%", escape(text[:length]) + "%" + escape(text[length:]) + "%"])

    def make_like(self, column):
        return self.leaf(column, "LIKE", self.ref(column), " LIKE ",
                         Lit(self.pattern(column), "text", lambda rng: self.pattern(column)))

    def make_like_one(self, column):
        """A pattern without wildcards, usually; executed again, it may have some."""
        text = self.near(column, 0).text or ""
        pattern = "".join("\\" + c if c in "\\%_" or self.rng.random() < 0.1 else c for c in text)
        if self.rng.random() < 0.1:
            pattern = text.replace("\\", "")
        return self.leaf(column, "LIKE one text", self.ref(column), " LIKE ", Lit(pattern, "text", lambda rng: self.pattern(column)))

    def make_like_end(self, column):
        """A pattern that ends in its escape character: an error for the rows that get so far."""
        text = self.near(column, 0).text or ""
        return self.leaf(column, "LIKE ... escape", self.ref(column), " LIKE ",
                         Lit(text[:self.rng.choice([0, 1, 9])].replace("\\", "") + self.rng.choice(["", "%"]) + "\\", "text"))

    def make_ilike(self, column):
        return self.leaf(column, "ILIKE", self.ref(column), " ILIKE ", Lit(self.pattern(column), "text"))

    def make_like_and(self, column):
        return self.leaf(column, "LIKE", self.ref(column), " LIKE ", Lit(self.pattern(column), "text"), " AND ",
                         self.ref(column), self.rng.choice([' >= ', ' <= ', ' > ', ' <> ']), self.near(column))

    def make_caret_and(self, column):
        text = self.witness.get(column.name) or "a"
        return self.leaf(column, "^@", self.ref(column), " ^@ ", Lit(text[:self.rng.choice([1, 2, 2, 1017, 1020, 1021, 1022])], "text"), " AND ", self.ref(column),
                         self.rng.choice([' >= ', ' <= ', ' > ', ' < ']), self.near(column))

    def make_not_like(self, column):
        return self.leaf(column, "NOT LIKE", self.ref(column), " NOT LIKE ", Lit(self.pattern(column), "text"))

    def prefix(self, column):
        """A beginning of the witness's value."""
        text = self.near(column).text
        return (text or "")[:self.rng.choice([0, 1, 1, 2, 3, 9, 9, 1017, 1020, 1022])]

    def make_caret(self, column):
        return self.leaf(column, "^@", self.ref(column), " ^@ ",
                         Lit(self.prefix(column), "text", lambda rng: self.prefix(column)))

    def make_starts(self, column):
        return self.leaf(column, "starts_with", f"starts_with({self.ref(column)}, ",
                         Lit(self.prefix(column), "text", lambda rng: self.prefix(column)), ")")

    def make_other_text(self, column):
        text = self.witness.get(column.name) or self.rng.choice(WORDS)
        ref = self.ref(column)
        return self.rng.choice([
            lambda: self.leaf(column, "length()", f"length({ref}) = ", Lit(str(len(text)), "int4")),
            lambda: self.leaf(column, "lower()", f"lower({ref}) = lower(", Lit(text, "text"), ")"),
            lambda: self.leaf(column, "COLLATE C <", ref, ' COLLATE "C" < ', Lit(text + "a", "text")),
            lambda: self.leaf(column, "COLLATE C >=", ref, ' COLLATE "C" >= ', Lit(text, "text")),
            lambda: self.leaf(column, "COLLATE icu <", ref, ' COLLATE "und-x-icu" <= ', Lit(text, "text")),
            lambda: self.leaf(column, "COLLATE nd =", ref, ' COLLATE "nd" = ', Lit(text.upper(), "text")),
            lambda: self.leaf(column, "COLLATE nd IN", ref, ' COLLATE "nd" IN (', Lit(text.upper(), "text"), ", 'q')"),
            lambda: self.leaf(column, "||", f"{ref} || 'x' = ", Lit(text + "x", "text"))])()

    # Booleans

    def make_boolean(self, column):
        flag = self.witness.get(column.name) == "true"
        ref = self.ref(column)
        form = self.rng.choice(["{0}", "{0} = true", "{0} IS TRUE", "{0} IS NOT FALSE", "{0}"] if flag else
                               ["NOT {0}", "{0} = false", "{0} IS FALSE", "{0} IS NOT TRUE", "{0} <> true",
                                "{0} IS UNKNOWN", "{0} IS NOT UNKNOWN", "NOT {0}"])
        operator = "IS UNKNOWN" if "UNKNOWN" in form else "c" if flag else "NOT c"
        return self.leaf(column, operator, form.format(ref))

    def make_boolean_in(self, column):
        return self.leaf(column, "IN", self.ref(column), " IN (", Lit("true", "boolean"), ", ",
                         self.near(column), ")")

    # Documents

    def member(self, column):
        """A path into a document and the text that the witness has there, perhaps."""
        path = self.rng.choice([("k",), ("n",), ("b",), ("z",), ("any",), ("any",), ("a", "b", "c"), ("a", "x y"),
                                ("x.y",), ("1",), ("nothing",), ("a",), ("l",), ("s",)])
        stored = self.document(column)
        for step in path:
            stored = stored.get("M", {}).get(step) if stored else None
        text = None
        if stored:
            [(letter, content)] = stored.items()
            text = {"S": content, "N": content, "B": content, "BOOL": str(content).lower()}.get(letter)
        if text is None or self.rng.random() < 0.15:
            text = self.rng.choice(WORDS + ["1", "1.0", "", "YWI=", "true", "{x}", "null", '"a"', "[]", "{}"])
        return path, str(text)

    def document(self, column):
        """The witness's document as DynamoDB-JSON."""
        text = self.witness.get(column.name)
        return next((stored for known, stored in column.pool if known == text), {}) if text is not None else {}

    def text_of(self, ref, path):
        """The member as text, in one of the ways to write it."""
        if len(path) == 1 and self.rng.random() < 0.6:
            return f"{ref} ->> {quote(path[0])}"
        if self.rng.random() < 0.5:
            return ref + "".join(f" -> {quote(p)}" for p in path[:-1]) + f" ->> {quote(path[-1])}"
        return f"{ref} #>> {quote(array_text(path))}"

    def make_json_text(self, column):
        path, text = self.member(column)
        operator = self.rng.choice(["=", "=", "=", "=", "<>", "<", ">="])
        return self.leaf(column, "->> " + operator, f"({self.text_of(self.ref(column), path)}) {operator} ",
                         Lit(text, "text", lambda rng: self.member(column)[1]))

    def make_json_form(self, column):
        """A member that equals a value, in words that are not =."""
        path, text = self.member(column)
        ref, value = f"({self.text_of(self.ref(column), path)})", Lit(text, "text", lambda rng: rng.choice([None, self.member(column)[1]]))
        value.same = True
        return self.rng.choice([
            lambda: self.leaf(column, "->> IS NOT DISTINCT FROM", f"{ref} IS NOT DISTINCT FROM ", value),
            lambda: self.leaf(column, "->> optional", value, f" IS NULL OR {ref} = ", value),
            lambda: self.leaf(column, "->> coalesce", "coalesce(", value, f", {ref}) = {ref}"),
            lambda: self.leaf(column, "->> BETWEEN", f"{ref} BETWEEN ", value, " AND ", value),
            lambda: self.leaf(column, "->> LIKE one", f"{ref} LIKE ", Lit(text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_"), "text"))])()

    def make_json_path(self, column):
        path, text = self.member(column)
        return self.leaf(column, "#>> =", f"({self.ref(column)} #>> {quote(array_text(path))}) = ", Lit(text, "text"))

    def make_json_in(self, column):
        path, text = self.member(column)
        return self.leaf(column, "->> IN", f"({self.text_of(self.ref(column), path)}) IN (", Lit(text, "text"), ", ",
                         Lit(self.rng.choice(WORDS), "text"), ")")

    def make_json_like(self, column):
        path, text = self.member(column)
        return self.leaf(column, "->> LIKE", f"({self.text_of(self.ref(column), path)}) LIKE ",
                         Lit(text[:1].replace("\\", "\\\\") + "%", "text"))

    def make_json_null(self, column):
        path, _ = self.member(column)
        word = self.rng.choice(["IS NULL", "IS NOT NULL"])
        expr = self.rng.choice([self.text_of(self.ref(column), path),
                                self.ref(column) + "".join(f" -> {quote(p)}" for p in path)])
        return self.leaf(column, "-> " + word, f"({expr}) {word}")

    def make_json_value(self, column):
        path, text = self.member(column)
        value = self.rng.choice(["1", "true", "null", quote(text)[1:-1].join('""') if text.isalnum() else '"a"', "{}"])
        operator = self.rng.choice(["=", "=", "<>"])
        return self.leaf(column, "-> " + operator, f"{self.ref(column)} -> {quote(path[0])} {operator} ",
                         Lit(value, "jsonb"))

    def make_json_number(self, column):
        return self.leaf(column, "->>::numeric", f"({self.ref(column)} ->> 'n')::numeric ",
                         self.rng.choice(["=", ">", "<="]), " ", Lit(self.rng.choice(["1", "0.1", "1e20", "5"]), "numeric"))

    def make_json_contains(self, column):
        value = self.rng.choice(['{"b": true}', '{"n": 1}', '{"a": {}}', '{"k": "a"}', "{}", "[]", '"a"'])
        operator = self.rng.choice(["@>", "@>", "<@", "=", "<>"])
        return self.leaf(column, operator, f"{self.ref(column)} {operator} ", Lit(value, "jsonb"))

    def make_json_deep(self, column):
        ref = self.ref(column)
        expr = self.rng.choice([f"{ref} -> 'l' ->> 0", f"{ref} #>> '{{l,0}}'", f"{ref} -> 'l' -> 1 ->> 'c'",
                                f"{ref} #>> '{{l,1,c}}'", f"{ref} ->> 0", f"{ref} -> 'l' -> -1 ->> 'c'",
                                f"{ref} #>> '{{l,\"{self.rng.choice(['+0', ' 0', '00', '0 ', '-0', '0x0', '-1', '1e0', ''])}\"}}'",
                                f"{ref} #>> '{{\"{self.rng.choice(['+1', ' 1', '01', '1'])}\"}}'",
                                f"{ref} #>> '{{{','.join(['a'] * self.rng.choice([31, 32, 33, 40]))}}}'"])
        return self.leaf(column, "list element", f"({expr}) = ", Lit(self.rng.choice(["1", "a", "true", "YWI="]), "text"))

    def make_json_digit(self, column):
        ref = self.ref(column)
        expr = self.rng.choice([f"{ref} #>> '{{1}}'", f"{ref} -> '1' #>> '{{}}'", f"{ref} ->> '1'", f"{ref} #>> '{{l,1}}'"])
        return self.leaf(column, "digit step", f"({expr}) ", self.rng.choice(["= 'one'", "IS NOT NULL", "IS NULL"]))

    # Arrays

    def element(self, column):
        """An element of the witness's array, perhaps."""
        known = next((stored for text, stored in column.pool if text == self.witness.get(column.name)), {})
        letter = "S" if column.kind.element.sqltype == "text" else "N"
        content = known.get(letter + "S") or [e[letter] for e in known.get("L", []) if letter in e]
        if content and self.rng.random() < 0.8:
            return self.rng.choice(content)
        return column.kind.element.one(self.rng)[0]

    def element_lit(self, column):
        return Lit(self.element(column), column.kind.element.sqltype, lambda rng: column.kind.element.one(rng)[0])

    def make_element(self, column):
        return self.leaf(column, "= ANY (column)", self.element_lit(column), " = ANY (", self.ref(column), ")")

    def make_not_element(self, column):
        return self.leaf(column, "<> ALL (column)", self.element_lit(column), " <> ALL (", self.ref(column), ")")

    def elements(self, column):
        some = [self.element(column) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        return Lit(array_text(some + [None] if self.rng.random() < 0.05 else some), column.kind.sqltype,
                   lambda rng: array_text([column.kind.element.one(rng)[0]]))

    def make_array_contains(self, column):
        return self.leaf(column, "@>", self.ref(column), " @> ", self.elements(column))

    def make_array_within(self, column):
        return self.leaf(column, "<@", self.ref(column), " <@ ", self.elements(column))

    def make_array_overlap(self, column):
        return self.leaf(column, "&&", self.ref(column), " && ", self.elements(column))

    def make_array_equal(self, column):
        return self.leaf(column, "array =", self.ref(column), self.rng.choice([" = ", " <> "]),
                         Lit(self.witness.get(column.name) or "{}", column.kind.sqltype))

    def make_array_size(self, column):
        return self.leaf(column, "cardinality", f"cardinality({self.ref(column)}) ",
                         self.rng.choice(["= 1", "> 1", "= 0", ">= 0"]))

    # Several columns

    def row_keys(self):
        """Both columns of a key of the table or an index, most often its primary key."""
        if len(self.table.keys) == 2:
            return self.table.keys
        return None

    def make_row(self):
        """A condition on the entire key: row IN, OR of ANDs, row comparison."""
        one, two = self.table.keys
        rows = [self.witness] if self.witness else []
        rows += self.rng.sample(self.table.rows, min(len(self.table.rows), self.rng.choice([0, 1, 2, 5])))
        if not rows:
            return self.make_eq(one)
        pairs = []
        for row in rows:
            first = self.lit(one, row[one.name], self.element_type(one))
            second = self.near(two) if self.rng.random() < 0.1 else \
                self.lit(two, row[two.name], self.element_type(two))
            pairs.append((first, second))
        if self.rng.random() < 0.3:
            pairs.append(self.rng.choice(pairs))
        style = self.rng.choice(["row IN", "row IN", "OR of ANDs", "OR of ANDs", "row ="])
        tags = [(self.alias, one, style), (self.alias, two, style)]
        parts = []
        if style == "row =":
            return Leaf([f"({self.ref(one)}, {self.ref(two)}) ", self.rng.choice(["=", "=", ">", "<="]), " (",
                         pairs[0][0], ", ", pairs[0][1], ")"], tags)
        if style == "row IN":
            for number, (first, second) in enumerate(pairs):
                parts += ([", "] if number else []) + ["(", first, ", ", second, ")"]
            return Leaf([f"({self.ref(one)}, {self.ref(two)}) IN ("] + parts + [")"], tags)
        for number, (first, second) in enumerate(pairs):
            parts += ([" OR "] if number else []) + [f"({self.ref(one)} = ", first, f" AND {self.ref(two)} = ", second]
            if self.rng.random() < 0.15:
                extra = self.on(self.rng.choice(self.table.columns))
                parts += [" AND ("] + extra.parts + [")"]
            parts += [")"]
        return Leaf(parts, tags)

    def make_columns(self):
        """One column compared with another."""
        pairs = [(a, b) for a in self.table.columns for b in self.table.columns if a.kind.group == b.kind.group and
                 (a.kind.group in ("text", "number", "float", "instant", "date") or
                  (a.kind.group == "other" and a.kind.sqltype == b.kind.sqltype))]
        if not pairs:
            return None
        one, two = self.rng.choice(pairs)
        operator = self.rng.choice(["=", "<", "<=", ">", ">=", "<>"])
        collate = ""
        if one.kind.group == "text" and one.kind.collation != two.kind.collation:
            collate = self.rng.choice([' COLLATE "C"', ' COLLATE "und-x-icu"']) if one.kind.words is WORDS else ' COLLATE "C"'
        casts = [to for to in self.casts(one) if to in self.casts(two)]
        if casts and self.rng.random() < 0.5:
            to = self.rng.choice(casts)
            return Leaf([f"{self.ref(one)}::{to} {operator} {self.ref(two)}::{to}{collate}"],
                        [(self.alias, one, f"column ::{to} {'=' if operator == '=' else '<'}")])
        return Leaf([f"{self.ref(one)} {operator} {self.ref(two)}{collate}"], [(self.alias, one, "column " + operator)])

    def where_clause(self):
        """A WHERE clause."""
        rng, table = self.rng, self.table
        parts = []
        if rng.random() < 0.75:
            parts += self.key_conditions()
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3] if parts else [1, 1, 1, 2, 2, 3])):
            parts.append(self.some())
        parts = [p for p in parts if p is not None] or [self.on(rng.choice(table.columns))]
        rng.shuffle(parts)
        return Tree("AND", parts) if len(parts) > 1 else parts[0]

    def some(self):
        """Any condition."""
        pick = self.rng.random()
        if pick < 0.07:
            return self.make_columns()
        if pick < 0.19:
            return Tree("OR", [self.some() or self.make_null(self.table.keys[0]) for _ in range(self.rng.choice([2, 2, 3]))])
        if pick < 0.25:
            inner = self.some() if self.rng.random() < 0.4 else None
            return Tree("NOT", [inner or self.on(self.rng.choice(self.table.columns))])
        if pick < 0.30 and len(self.table.keys) == 2:
            return self.make_row()
        if pick < 0.33:
            return Tree("OR", [Tree("AND", [self.on(c) for c in self.rng.choices(self.table.columns, k=2)])
                               for _ in range(2)])
        return self.on(self.rng.choice(self.table.columns))

    POINTS = ["eq"] * 8 + ["commuted", "in", "any", "or_eq", "in_null", "or_null"] * 2
    IN_WORDS = ["distinct", "between_one", "like_one", "float"]

    def key_conditions(self):
        """Conditions that bind a key of the table or of one of its indexes."""
        rng, table = self.rng, self.table
        keys = table.keys
        nhash = 1
        if table.indexes and rng.random() < 0.6:
            chosen = rng.choice(table.indexes)
            schema = chosen["definition"]["KeySchema"]
            keys = [table.by_name[name] for name in chosen["columns"]]
            nhash = sum(1 for k in schema if k["KeyType"] == "HASH")
        if len(table.keys) == 2 and keys is table.keys and rng.random() < 0.2:
            return [self.make_row()]
        parts = [self.on(key, self.POINTS + [name for name in self.IN_WORDS if name in self.choices(key)]) for key in keys[:nhash]]
        for key in keys[nhash:]:
            if rng.random() < 0.35:
                break
            parts.append(self.on(key))
            if rng.random() < 0.15:
                parts.append(self.on(key))
        return parts
