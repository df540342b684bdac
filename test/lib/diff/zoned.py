"""Joins between dates, timestamps and timestamps with time zone, in zones and at times in which an hour or a day is skipped, or comes twice.

PostgreSQL takes columns of these types that are equal for the same in an order: its merge joins, semijoins for which it makes the
timestamps distinct, DISTINCT and ORDER BY of the one that come in the order of the other, give other rows of local tables, too, where
two timestamps are one time. So these are not among the statements.
"""
import datetime

from predicates import Leaf, Lit, Tree
from encoded import PatternDate
from statements import TABLE, Select
from twins import Column, Table, keyed
from values import Date, Instant, Integer

ZONES = ["Europe/Berlin", "Pacific/Apia", "UTC"]
TYPES = ["date", "timestamp", "timestamptz"]
FORMS = ["JOIN", "LEFT JOIN", "IN", "NOT IN", "EXISTS", "NOT EXISTS", "LATERAL", "scalar", "constant"]
ZONED = [f"times: {one} = {other} in {zone}" for one in TYPES for other in TYPES if one != other for zone in ZONES] + [f"times: {form}" for form in FORMS]
# Around what is skipped or doubled: hours in Berlin, hours and an entire day in Apia; in local time and in UTC.
AROUND = ["2024-03-31 02:00", "2024-03-31 03:00", "2024-03-31 01:00", "2024-10-27 02:00", "2024-10-27 01:00", "2024-10-27 00:00", "2011-12-30 00:00", "2011-12-31 00:00", "2011-12-29 00:00",
          "2011-12-30 10:00", "2011-09-24 03:00", "2011-04-02 03:00", "2011-04-02 14:00", "2011-09-24 14:00", "2024-06-01 00:00", "2024-03-30 23:00", "2024-10-26 22:00"]


class Around(Instant):
    """One of these times, or half an hour later."""

    def one(self, rng):
        moment = datetime.datetime.fromisoformat(rng.choice(AROUND)) + datetime.timedelta(minutes=rng.choice([0, 0, 30]))
        form = "%Y-%m-%dT%H:%M:%SZ" if self.options["format"].startswith("iso") else "%Y%m%d%H%M"
        return moment.isoformat(sep=" ") + "+00" * (self.sqltype == "timestamptz"), {"S": moment.strftime(form)}


class AroundDay(Date):
    """Their days."""

    def one(self, rng):
        text = rng.choice(AROUND)[:10]
        return text, {"S": text}


class AroundPattern(PatternDate):
    """The same in another order of fields."""

    def one(self, rng):
        year, month, day = rng.choice(AROUND)[:10].split("-")
        return f"{year}-{month}-{day}", {"S": f"{day}.{month}.{year}"}


def make_zoned():
    """For each type a table by it alone, which is unique, and one by it in partitions; with columns of the other types."""
    iso, pattern = {"format": "iso8601(0)"}, {"format": "pattern(YYYYMMDDHH24MI)"}
    kinds = {"date": (AroundDay("date"), AroundPattern()), "timestamp": (Around("timestamp", iso), Around("timestamp", pattern)),
             "timestamptz": (Around("timestamptz", iso), Around("timestamptz", pattern))}
    tables = []
    for letter, one in zip("dtz", TYPES):
        others = lambda one=one: [Column(f"c{n}", kinds[other][n % 2], size=30) for n, other in enumerate(t for t in TYPES if t != one)]
        tables += [Table(f"z{letter}u", 30, [keyed("k", kinds[one][0], 40)], others()),
                   Table(f"z{letter}s", 60, [keyed("p", Integer("int2"), 3), keyed("k", kinds[one][1], 40)], others())]
    for table in tables:
        table.weight = 0.4
    return tables


class Zoned:
    """Makes Selects."""

    def __init__(self, generator, tables):
        self.rng, self.generator = generator.rng, generator
        self.tables = tables
        self.times = [(table, c) for table in tables for c in table.columns if c.kind.group in ("date", "instant")]

    def statement(self, feature=None):
        """One of them; for a feature, one that may have it."""
        rng = self.rng
        while True:
            table, key = rng.choice([(t, t.keys[-1]) for t in self.tables for _ in range(8 // len(t.keys))] + self.times)
            other, column = rng.choice(self.times)
            form, zone = rng.choice(FORMS), rng.choice(ZONES)
            features = [f"times: {form}"] + [f"times: {column.kind.sqltype} = {key.kind.sqltype} in {zone}"] * (column.kind.sqltype != key.kind.sqltype)
            doubled = column.kind.sqltype == "timestamptz" != key.kind.sqltype and zone != "UTC" and form in ("IN", "EXISTS")
            if feature in (None, *features) and not doubled:
                break
        operator = rng.choice(["="] * 12 + ["<=", ">=", "IS NOT DISTINCT FROM"])
        on = [f"a.{key.name} {operator} o.{column.name}"] if form in ("JOIN", "LEFT JOIN", "EXISTS", "NOT EXISTS", "LATERAL", "scalar") else []
        if len(table.keys) > 1 and rng.random() < 0.7:
            on += [f"a.{table.keys[0].name} = {Lit(str(rng.choice(table.keys[0].pool)[0]), 'int4').constant()}"]
        select = self.formed(form, table, key, rng.choice([TABLE, "l."]) + other.name, column, " AND ".join(on or ["true"]))
        if rng.random() < 0.3:
            leaf = self.generator.maker(other, "o").on(column)
            select.where = Tree("AND", [select.where, leaf]) if select.where else leaf
        select.aliases, select.shape, select.features = {"a": table.name}, "times of several types", features
        select.settings = {"TimeZone": zone, "enable_mergejoin": "off", **dict.fromkeys(rng.choice([[], ["enable_hashjoin"], ["enable_material"]]), "off")}
        return select

    def formed(self, form, table, key, other, column, on):
        """The statement in one form: `on` is what ties a row of the table, a, to an outer one, o."""
        rng, inner = self.rng, f"{TABLE}{table.name} a"
        mine, theirs = f"a.{key.name}", f"o.{column.name}"
        if form in ("JOIN", "LEFT JOIN"):
            targets = rng.choice([[theirs, mine], [theirs, mine], ["count(*)"], [theirs], [f"count(DISTINCT {theirs}::text)"]])
            return Select(targets, [f"{other} o {form} {inner} ON {on}"])
        if form == "LATERAL":
            tail = rng.choice(["", f" ORDER BY {mine}::text LIMIT 1", " OFFSET 0"])
            return Select([theirs, "x.k"], [f"{other} o {rng.choice(['', 'LEFT '])}JOIN LATERAL (SELECT {mine} AS k FROM {inner} WHERE {on}{tail}) x ON true"])
        if form == "scalar":
            return Select([theirs, f"(SELECT count(*) FROM {inner} WHERE {on}) AS n"], [f"{other} o"])
        where = {"IN": f"{theirs} IN (SELECT {mine} FROM {inner} WHERE {on})", "NOT IN": f"{theirs} NOT IN (SELECT {mine} FROM {inner} WHERE {on})",
                 "EXISTS": f"EXISTS (SELECT 1 FROM {inner} WHERE {on})", "NOT EXISTS": f"NOT EXISTS (SELECT 1 FROM {inner} WHERE {on})"}.get(form)
        if where:
            return Select([theirs], [f"{other} o"], Leaf([where]))
        value = Lit(*rng.choice([(text, column.kind.sqltype) for text, _ in column.pool]))
        return Select([theirs], [f"{inner} JOIN {other} o ON o.{column.name} {rng.choice(['=', '<='])} a.{key.name} AND {mine} = ", value])
