"""The tables of the generator of writes, and what their rows must be stored as.

A table is declared as a foreign one in schema f and as a local one in schema l, with the same columns. What an INSERT or UPDATE makes of an
item is computed here from the row of the local table, by the rules of the manual (docs/writing.md, docs/tables.md), not by the extension's.
Names of attributes, of members and of columns are drawn.
"""
import copy
import json
import time

from composed import Part, Template, SmallInteger, fold
from dynamo import index
from fixture import options_clause
from names import Names, quoted, shuffled
from stored import Refused, canonical, comparable, hides_types, store
from values import (Array, Boolean, Bytes, Date, Document, Enum, Float, Inet, Instant, Integer, Json, Numeric, Text, Uuid, as_json, json_text)

MAX_BYTES = {"HASH": 2048, "RANGE": 1024}
FIVE_YEARS = 157680000


class Column:
    """A column; `path` are the members below its attribute, `part` whether it is read from a template."""

    # pylint: disable=too-many-arguments
    def __init__(self, name, kind, attribute=None, path=(), part=False, size=12, extra="", null=0.2, generated=None, refused=None, wrong=None, fixed=False, shared=False):
        self.name, self.kind, self.attribute, self.path, self.part = name, kind, attribute or name, tuple(path), part
        self.size, self.extra, self.null, self.generated = size, extra, null, generated
        self.sqltype, self.format = kind.sqltype, kind.options.get("format")
        self.sql = self.raw = name
        self.fixed = fixed      # never written, only compared
        self.shared = shared    # shows a part of what others show, or they of it: all of them are assigned, or none
        self.key = False
        self.pool = []
        self.writes = []        # those of the pool that can be written, too
        self.refused = refused or (lambda text: False)      # does a constraint refuse the text?
        self.wrong = wrong       # such a text

    def fill(self, pool):
        """Take over the values that items have."""
        self.pool = pool
        for text, stored in () if self.fixed else pool:
            try:
                self.store(text)
                if self.refused(text):
                    continue
                self.writes.append((text, stored))
            except Refused:
                continue

    @property
    def base(self):
        """The type without its modifier."""
        return self.sqltype.partition("(")[0]

    def store(self, text):
        """What a value is stored as."""
        return store(text, self.sqltype, self.format)


class Rest(Document):
    """Attributes that no other column shows."""

    def one(self, rng):
        return as_json({"M": {"rest " + name: value for name, value in self.document(rng)[1]["M"].items()}})


class Seconds(Instant):
    """Times of expiry: long ago, expired, to come."""

    def one(self, rng):
        now = int(time.time())
        at = rng.choice([now - 30 * 86400, now - 86400, now + 30 * 86400, now + 400 * 86400, now - FIVE_YEARS - 86400, 1000000])
        return time.strftime("%Y-%m-%d %H:%M:%S+00", time.gmtime(at)), {"N": str(at)}


class ListOf(Array):
    """Arrays with one of the two formats."""

    def __init__(self, element, form):
        super().__init__(element)
        self.options = {"format": form}

    def one(self, rng):
        if self.options["format"] == "list" or rng.random() < 0.2:
            text, stored = super().one(rng)
            while self.options["format"] == "list" and "L" not in stored:       # a set has no order
                text, stored = super().one(rng)
            return text, stored
        found = {}
        for _ in range(rng.randint(1, 3)):
            text, value = self.element.one(rng)
            found[text] = next(iter(value.values()))
        letter = "S" if self.element.sqltype == "text" else "N"
        return "{" + ",".join('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in sorted(found)) + "}", {letter + "S": [found[t] for t in sorted(found)]}


class Remote:
    """A DynamoDB table, its names, and what is in it."""

    def __init__(self, rng, name, keys, indexes=()):
        self.name, self.names = name, Names(rng)
        self.keys = [(self.names.attribute(attribute), letter) for attribute, letter in keys]
        self.indexes = []
        for one, hash_key, range_key, local in indexes:
            pairs = [(self.names.attribute(key[0]), key[1]) if key else None for key in (hash_key, range_key)]
            self.indexes.append(index(self.names.index(one), *pairs, local=local))
        self.items = {}

    def create(self, fx):
        """Make it."""
        fx.create_table(self.name, *self.keys, indexes=self.indexes)

    def key(self, item):
        """What distinguishes items."""
        return tuple(json.dumps(canonical(item[name])) for name, _ in self.keys)

    def key_types(self):
        """(attribute, type, most bytes) of all keys."""
        for (name, letter), role in zip(self.keys, MAX_BYTES):
            yield name, letter, MAX_BYTES[role]
        for one in self.indexes:
            for (name, letter), part in zip(one["keys"], one["definition"]["KeySchema"]):
                yield name, letter, MAX_BYTES[part["KeyType"]]

    def scan(self, dynamo, name):
        """All items as they are, by key."""
        body, found = {"TableName": name, "ConsistentRead": True}, {}
        while True:
            response = dynamo.call("Scan", body)
            found.update((self.key(item), item) for item in response["Items"])
            if "LastEvaluatedKey" not in response:
                return found
            body["ExclusiveStartKey"] = response["LastEvaluatedKey"]


class Table:            # pylint: disable=too-many-instance-attributes
    """A table; `keys` name the columns of its primary key."""

    # pylint: disable=too-many-arguments
    def __init__(self, remote, name, keys, columns, templates=None, item_filter=None, ttl=None, checks=(), options=None, rows=9):
        self.remote, self.name, self.rows, self.checks, self.options = remote, name, rows, checks, dict(options or {})
        self.columns = columns
        self.by_name = {c.name: c for c in columns}
        self.keys = [self.by_name[key] for key in keys]
        names = remote.names
        self.templates = {names.attribute(a): Template(text) for a, text in (templates or {}).items()}
        self.filter = {names.attribute(a): value for a, value in (item_filter or {}).items()}
        self.ttl = ttl and names.attribute(ttl)
        for column in columns:
            column.attribute = names.attribute(column.attribute) if not column.part or column.attribute != column.name else column.attribute
            column.path = tuple(names.attribute("member " + step) for step in column.path)
        self.rest = next((c for c in columns if isinstance(c.kind, Document)), None)
        if self.rest:
            self.rest.wrong = json.dumps({self.keys[0].attribute: "x"})
        for key in self.keys:
            key.key, key.null = True, 0
        self.region = None      # of a partition: its value
        self.agreeing = []      # values for its shared columns: {name: (text, stored)}

    # Declaring it

    def prepare(self, rng):
        """Draw names of columns and pools."""
        raws = self.remote.names.columns([_Named(c) for c in self.columns])
        for column in self.columns:
            column.raw = raws[column.name]
            column.sql = quoted(column.raw)
        for column in self.columns:
            column.fill(column.kind.pool(rng, column.size, column.key or self.is_index_key(column)))
        self.columns = shuffled(rng, self.columns)

    def is_index_key(self, column):
        """Is its attribute the key of an index?"""
        return not column.path and any(column.attribute == name for name, *_ in self.remote.key_types())

    def own_template(self, column):
        """The attribute whose template a column is read from; none: it has an attribute of its own."""
        if not column.part:
            return None
        if column.attribute in self.templates:
            return column.attribute
        return next(name for name, _ in self.remote.keys if name in self.templates and column.name in self.templates[name].names)

    def linked(self):
        """Lists of columns that are stored in one attribute only: all of them are NULL, or none."""
        return [[self.by_name[n] for n in t.names if self.own_template(self.by_name[n]) == a] for a, t in self.templates.items() if a not in [name for name, _ in self.remote.keys]]

    def declare(self, foreign):
        """The lines of CREATE TABLE."""
        lines = []
        for column in self.columns:
            options = dict(column.kind.options)
            if column.path:
                options["path"] = ".".join(map(quoted, (column.attribute, *column.path)))
            elif column is not self.rest and (not column.part or column.attribute in self.templates):
                options["attribute"] = column.attribute
            sqltype, *collation = column.kind.declare().partition(" COLLATE ")
            generated = column.generated and f" GENERATED ALWAYS AS ({self.text(column.generated)}) STORED"
            lines.append(f"{column.sql} {sqltype}" + (" " + options_clause(options) if foreign and options else "") + "".join(collation) +
                         (generated or "") + (" " + column.extra if column.extra else "") + (" NOT NULL" if column.key else ""))
        lines += [f"CONSTRAINT c{number} CHECK ({self.text(check)})" for number, check in enumerate(self.checks)]
        return ", ".join(lines)

    def text(self, sql):
        """SQL with {name} for columns."""
        return sql.format(**{name: column.sql for name, column in self.by_name.items()})

    def create(self, fx):
        """In PostgreSQL, twice."""
        options = {"table_name": fx.remote(self.remote.name), "updatable": "true", **self.options}
        if self.templates:
            renamed = shuffled(self.remote.names.rng, {a: t.renamed(self.by_name).text for a, t in self.templates.items()})
            options["key_templates"] = json.dumps(renamed)
        if self.filter:
            options["item_filter"] = json.dumps(self.filter)
        if self.ttl:
            options["ttl_attribute"] = self.ttl
        fx.execute(f"CREATE FOREIGN TABLE f.{self.name} ({self.declare(True)}) SERVER ddb {options_clause(options)}")
        keys = ", ".join(key.sql for key in self.keys)
        fx.execute(f"CREATE TABLE l.{self.name} ({self.declare(False)}, PRIMARY KEY ({keys}))")

    def select(self):
        """The columns in their order."""
        return ", ".join(c.sql for c in self.columns)

    # Making rows

    def draw(self, rng):
        """Values of a row: {column: (text, stored)}."""
        drawn = {}
        for column in self.columns:
            if column.generated:
                continue
            pick = rng.random()
            if pick < column.null:
                drawn[column.name] = (None, rng.choice([None, None, {"NULL": True}]))
                if column.part or self.is_index_key(column) or column.attribute in self.filter or column.path:
                    drawn[column.name] = (None, None)
            else:
                drawn[column.name] = rng.choice(column.pool)
            if column.attribute in self.filter and not column.part:
                accepted = self.filter[column.attribute]
                text = rng.choice(accepted if isinstance(accepted, list) else [accepted])
                drawn[column.name] = (text, {"S": text})
        for attribute, template in self.templates.items():
            mine = [name for name in template.names if self.own_template(self.by_name[name]) == attribute]
            if any(drawn[name][0] is None for name in template.names):
                drawn.update(dict.fromkeys(mine, (None, None)))
        return drawn

    def item_of(self, rng, drawn):
        """An item as some other writer would have stored it."""
        row = {name: text for name, (text, _) in drawn.items()}
        item = {"undeclared": {"SS": ["b", "a"]}, "deep": {"M": {"l": {"L": [{"NULL": True}, {"N": "1"}]}}}} if rng.random() < 0.5 else {}
        if self.rest:
            item = dict(drawn[self.rest.name][1]["M"])
        for attribute, value in self.filter.items():
            item[attribute] = {"S": value if isinstance(value, str) else value[0]}
        for column in self.columns:
            if column.part or column.generated or column is self.rest:
                continue
            stored = drawn[column.name][1]
            if column.path and stored is None and not column.shared and rng.random() < 0.5:
                put(item, (column.attribute, *column.path[:-1], "beside"), {"S": "x"})
            elif stored is not None:
                put(item, (column.attribute, *column.path), stored)
        for attribute, template in self.templates.items():
            text = self.compose(attribute, row, True)
            if text is not None:
                item[attribute] = {"S": text}
        return item

    # What rows are stored as

    def compose(self, attribute, row, found=False):
        """The text of a template; none if a column is NULL.  What was found may hold a separator that no new text may."""
        template = self.templates[attribute]
        base = attribute in [name for name, _ in self.remote.keys]
        if any(row[name] is None for name in template.names):
            return None
        text = template.literals[0]
        separator = "".join(ch for ch in text if not (ch.isalnum() or ch in "_-"))[-1:]
        for position, (name, spec) in enumerate(zip(template.names, template.specs)):
            literal = template.literals[position + 1]
            column = self.by_name[name]
            form = spec if spec.startswith(("padded(", "iso8601(")) else column.format
            value = next(iter(store(row[name], column.sqltype, form).values()))
            if spec in ("lower", "upper"):
                if not value.isascii():
                    raise Refused("0A000")
                value = fold(value, spec)
            ends = literal[:1] or separator
            read = base or self.own_template(column) == attribute
            if read and not found and (value == "" or column.base == "text" and spec != "any" and ends and ends in value):
                raise Refused("22023")
            text += value + literal
            separator = "".join(ch for ch in text if not (ch.isalnum() or ch in "_-"))[-1:] or separator
        return text

    def check_keys(self, item, attributes=None):
        """Refuses what no key can be."""
        for name, letter, most in self.remote.key_types():
            if name not in item or attributes is not None and name not in attributes:
                continue
            kind, content = next(iter(item[name].items()))
            if kind != letter:
                raise Refused("22023")
            if kind == "N":
                continue
            size = len(content.encode()) if kind == "S" else len(content) * 3 // 4 - content.count("=")
            if not 0 < size <= most:
                raise Refused("22023")

    def check_filter(self, item):
        """Refuses what would be no row."""
        for attribute, accepted in self.filter.items():
            if item.get(attribute, {}).get("S") not in (accepted if isinstance(accepted, list) else [accepted]):
                raise Refused("44000")

    def check_expiry(self, column, stored):
        """Refuses fractions of a second."""
        if stored and column.attribute == self.ttl and "." in stored.get("N", ""):
            raise Refused("22008")

    def inserted(self, row):
        """The item that INSERT stores."""
        item = {a: {"S": value} for a, value in self.filter.items() if isinstance(value, str)}
        if self.rest:
            item.update(self.unmapped(row[self.rest.name]))
        self.check_shared(row, {})
        for column in self.outermost_first(self.columns):
            if column.part or column is self.rest or row[column.name] is None:
                continue
            stored = column.store(row[column.name])
            self.check_expiry(column, stored)
            put(item, (column.attribute, *column.path), stored)
        for attribute in self.templates:
            self.set_template(item, attribute, row)
        self.check_keys(item)
        self.check_filter(item)
        return item

    @staticmethod
    def outermost_first(columns):
        """What is inside of a value is set after it."""
        return sorted(columns, key=lambda column: len(column.path))

    def check_shared(self, row, changed):
        """Refuses values of shared columns that do not agree: one of them would be read back as another one."""
        shared, item = [c for c in self.outermost_first(self.columns) if c.shared and (row[c.name] is not None or c.name in changed)], {}
        for column in shared:
            put(item, (column.attribute, *column.path), column.store(row[column.name]))
        for column in shared:
            have, want = get(item, (column.attribute, *column.path)), column.store(row[column.name])
            if have and want and column.base == "jsonb":
                have, want = (comparable(json_text(one), "jsonb") for one in (have, want))
            if have != want:
                raise Refused("22023")

    def unmapped(self, text):
        """The attributes of a value for the rest."""
        if text is not None and not text.startswith("{"):
            raise Refused("22023")
        stored = (self.rest.store(text) or {"M": {}})["M"]
        if any(column.attribute in stored for column in self.columns):
            raise Refused("22023")
        return stored

    def set_template(self, item, attribute, row):
        """Compose it, or remove it."""
        template = self.templates[attribute]
        text = self.compose(attribute, row)
        item.pop(attribute, None)
        if text is not None:
            item[attribute] = {"S": text}
        elif any(self.own_template(self.by_name[n]) == attribute and row[n] is not None for n in template.names):
            raise Refused("23502")

    def rewritten(self, changed):
        """The attributes whose templates an update of these columns composes."""
        base = [name for name, _ in self.remote.keys]
        found = {a for a, t in self.templates.items() if a not in base and any(n in changed for n in t.names)}
        written = found | {self.by_name[n].attribute for n in changed if not self.by_name[n].part and not self.by_name[n].path}
        for one in self.remote.indexes:
            names = [name for name, _ in one["keys"]]
            if any(name in written for name in names):
                found |= {name for name in names if name in self.templates and name not in base}
        return found

    def updated(self, item, old, new):
        """The item that UPDATE leaves."""
        changed = [c.name for c in self.outermost_first(self.columns) if old[c.name] != new[c.name]]
        if any(self.by_name[name].key for name in changed):
            raise Refused("0A000")
        self.check_shared(new, changed)
        before, item = item, copy.deepcopy(item)
        touched = set()
        for name in changed:
            column = self.by_name[name]
            if column.part:
                continue
            where = (column.attribute, *column.path)
            touched.add(column.attribute)
            stored = column.store(new[name])
            self.check_expiry(column, stored)
            there = get(before, where)
            if column.base == "jsonb" and new[name] is not None and there is not None and hides_types(there):
                raise Refused("0A000")
            put(item, where, stored)
        for attribute in self.rewritten(changed):
            touched.add(attribute)
            self.set_template(item, attribute, new)
        self.check_keys(item, touched)
        self.check_filter(item)
        return item

    def key_of(self, row):
        """The key of a row's item, as in Remote.key."""
        item = {}
        for name, _ in self.remote.keys:
            if name in self.templates:
                item[name] = {"S": self.compose(name, row, True)}
            elif name in self.filter:
                item[name] = {"S": self.filter[name]}
            else:
                column = next(c for c in self.columns if c.attribute == name and not c.path and not c.part)
                item[name] = column.store(row[column.name])
        return self.remote.key(item)

    def expired(self, item):
        """Is the item no row any more?"""
        ends = item.get(self.ttl, {}).get("N") if self.ttl else None
        return ends is not None and 0 <= time.time() - float(ends) <= FIVE_YEARS


class Nested(Table):
    """Columns that show values inside of each other, the innermost of which their types store in another way than JSON shows."""

    def prepare(self, rng):
        super().prepare(rng)
        self.agreeing = [self.agree(rng) for _ in range(40)]
        for column in self.shared():
            column.pool = column.writes = [one[column.name] for one in self.agreeing if one[column.name][0] is not None]

    def shared(self):
        """Those that are assigned together."""
        return [c for c in self.columns if c.shared]

    def agree(self, rng):
        """Values that agree, for all of them."""
        texts = {"code": rng.choice([None, "7", "42", "99999"]), "labels": rng.choice([None, None, None, "{a}", "{ä}"]), "at": rng.choice([None, "2024-02-29 12:00:00+00", "1969-12-31 23:59:59.5+00"]),
                 "bin": rng.choice([None, None, None, "\\x00ff"])}
        found = {name: (text, self.by_name[name].store(text)) for name, text in texts.items()}
        members = lambda *names: {self.by_name[name].path[-1]: found[name][1] for name in names if found[name][1]}
        found["mid"] = self.outer(rng, members("code", "labels"))
        found["whole"] = self.outer(rng, members("mid", "at", "bin"))
        return found

    @staticmethod
    def outer(rng, members):
        """A map with these members, or what has none."""
        if not members and rng.random() < 0.6:
            return rng.choice([(None, None), as_json({"S": "flat"})])
        return as_json({"M": {**members, **({"beside": {"N": "1.5"}} if rng.random() < 0.3 else {})}})

    def draw(self, rng):
        drawn = {**super().draw(rng), **rng.choice(self.agreeing)}
        fixed = self.outermost_first(c for c in self.columns if c.fixed)
        value = rng.choice([{"SS": ["s" * rng.choice([1, 300, 900])]}, {"NS": ["1.50"]}, {"B": "AAEC" * 100}, {"BS": ["AAEC" * 100]}, {"N": "1.0"}, {"L": [{"SS": ["é" * 60]}]}])
        for column, outer in reversed(list(zip(fixed, [None, *fixed]))):
            drawn[column.name] = as_json(value)
            value = {"M": {column.path[-1]: value, **({"beside": {"S": "x"}} if rng.random() < 0.3 else {})}} if outer else value
        return drawn


class _Named:
    """What Names.columns wants to know of a column."""

    def __init__(self, column):
        self.name, self.attribute, self.path = column.name, column.attribute, column.path


def put(item, where, stored):
    """Set or remove a value at a path; maps above it are made."""
    holder = item
    for step in where[:-1]:
        if stored is None and "M" not in holder.get(step, {}):
            return
        if "M" not in holder.setdefault(step, {"M": {}}):
            raise Refused("22023")
        holder = holder[step]["M"]
    if stored is None:
        holder.pop(where[-1], None)
    else:
        holder[where[-1]] = stored


def get(item, where):
    """The value at a path."""
    for step in where[:-1]:
        item = item.get(step, {}).get("M", {})
    return item.get(where[-1])


class Word(Text):
    """Words for keys."""

    def __init__(self, words, **more):
        super().__init__(words=words, **more)

    def one(self, rng):
        text = rng.choice(self.words)
        return text, {"S": text}


KEYS = ["a", "B", "ab", "Z", "ä", "10", "😀", "a b", "x" * 40]
SEPARATED = ["o#neil", "a#b", "B#"]      # a key with one of them is a row if another key attribute repeats the text
IDS = ["a", "B", "7", "ä", "x y", "10", "q-1", "é"]


def wide(rng):
    """A column of most types."""
    return [
        Column("txt", Text()), Column("vc", Text("varchar", limit=5), refused=lambda text: text == "ABC", wrong="ABC"), Column("ch", Text("char", limit=4)),
        Column("i2", Integer("int2")), Column("i4", Integer("int4"), extra="DEFAULT 7"), Column("i8", Integer("int8"), refused=lambda text: int(text) < -9 * 10 ** 18, wrong="-9223372036854775808"),
        Column("num", Numeric()), Column("np", Numeric((12, 2)), refused=lambda text: float(text) >= 800, wrong="936.42"), Column("ns", Numeric(options={"format": "string"})),
        Column("f8", Float("float8")), Column("f4", Float("float4")), Column("flag", Boolean("boolean")),
        Column("yn", Boolean("boolean", {"format": rng.choice(["bool(Y,N)", "bool(1,0)"])})), Column("raw", Bytes("bytea")),
        Column("day", Date("date")), Column("days", Date("date", {"format": "epoch_days"})), Column("tz", Instant("timestamptz")), Column("ts", Instant("timestamp")),
        Column("ms", Instant("timestamptz", {"format": "iso8601(3)"})), Column("ep", Instant("timestamptz", {"format": "epoch"})),
        Column("em", Instant("timestamptz", {"format": "epoch_ms"})), Column("uu", Uuid("uuid")), Column("ip", Inet("inet")), Column("mood", Enum("mood")),
        Column("doc", Json("jsonb")), Column("tags", ListOf(Text(words=["a", "b", "c", "ä b", "10"]), "set")),
        Column("nums", ListOf(Integer("int4"), "set")), Column("list", ListOf(Text(), "list")), Column("bare", Array(Text(words=["a", "b", "c"])), null=0.4)]


def make_tables(rng):
    """The tables; some share a DynamoDB table."""
    one = Remote(rng, "one", [("k", "S")])
    two = Remote(rng, "two", [("h", "S"), ("s", "N")], [("gsi", ("g", "S"), ("gn", "N"), False), ("lsi", ("h", "S"), ("l", "S"), True)])
    num = Remote(rng, "num", [("id", "N"), ("b", "B")])
    deep = Remote(rng, "deep", [("id", "N"), ("b", "B")])
    nest = Remote(rng, "nest", [("id", "S")])
    free = Remote(rng, "free", [("id", "S")])
    app = Remote(rng, "app", [("pk", "S"), ("sk", "S")], [("gsi1", ("g1pk", "S"), ("g1sk", "S"), False)])
    east, north = Remote(rng, "east", [("k", "S"), ("n", "N")]), Remote(rng, "north", [("n", "N"), ("k", "S")])
    columns = wide(rng)
    rng.shuffle(columns)
    tables = [
        Table(one, "one", ["k"], [Column("k", Word(KEYS), size=20)] + columns + [Column("gen", Integer("int8"), generated="{i8} - 1"), Column("low", Text(), generated="lower({txt}) || '.'")],
              checks=["{np} < 900", "{i8} > -9000000000000000000", "{vc} <> 'ABC'"]),
        Table(two, "two", ["h", "s"], [
            Column("h", Word(KEYS[:4])), Column("s", SmallInteger("int4", 0, 4)), Column("g", Word(["g1", "g2", "ä"])), Column("gn", Integer("int8")), Column("l", Word(["l1", "l2", "", "l" * 30])),
            Column("txt", Text()), Column("n", Integer("int4")), Column("num", Numeric()), Column("flag", Boolean("boolean")), Column("at", Instant("timestamptz")), Column("doc", Json("jsonb"))], rows=11),
        Table(num, "num", ["id", "b"], [Column("id", SmallInteger("int8", 1, 4)), Column("b", Bytes("bytea"), size=5), Column("n", Integer("int4"), extra="DEFAULT 3", refused=lambda text: text == "5", wrong="5"), Column("txt", Text()),
                                        Column("doc", Json("jsonb")), Column("tags", ListOf(Text(words=["a", "b", "c"]), "set")), Column("ns", Numeric(options={"format": "string"}))],
              checks=["{n} <> 5"]),
        Table(deep, "paths", ["id", "b"], [
            Column("id", SmallInteger("int8", 11, 14)), Column("b", Bytes("bytea"), size=4), Column("city", Word(["Rome", "Oslo", ""]), attribute="adr", path=["city"]), Column("zip", Integer("int4"), attribute="adr", path=["zip"]),
            Column("lat", Numeric(), attribute="adr", path=["geo", "lat"]), Column("lon", Float("float8"), attribute="adr", path=["geo", "lon"]), Column("seen", Instant("timestamptz"), attribute="meta", path=["seen"]),
            Column("tags", ListOf(Text(words=["a", "b", "c"]), "set"), attribute="meta", path=["tags"]), Column("doc", Json("jsonb"), attribute="meta", path=["doc"]), Column("n", Integer("int4"))],
              item_filter={"what": "path"}),
        Table(app, "customer", ["id"], [
            Column("id", Part(words=IDS), part=True), Column("email", Word(["Ada@X", "b@y", "c", "D@x"])), Column("name", Text(), attribute="label"), Column("visits", Integer("int4")),
            Column("state", Word(["on", "off"]), extra="DEFAULT 'on'", null=0), Column("zip", Word(["1", "2", ""]), attribute="adr", path=["zip"]), Column("since", Date("date"))],
              {"pk": "C#${id}", "sk": "P", "g1pk": "EMAIL", "g1sk": "${email:lower}"}, {"_et": "customer", "state": ["on", "off"]}),
        Table(app, "purchase", ["who", "no"], [
            Column("who", Part(words=IDS), part=True), Column("no", SmallInteger("int4", 0, 12), part=True, size=8), Column("status", Word(["open", "paid", "sent"])), Column("placed", Day0("date")),
            Column("carrier", Word(["dhl", "ups", "ö"]), attribute="ship", part=True), Column("shipped", Day0("date"), attribute="ship", part=True), Column("total", Numeric()), Column("txt", Text())],
              {"pk": "C#${who}", "sk": "O#${no:padded(5)}", "g1pk": "O#${status}", "g1sk": "${placed}#${no:padded(5)}", "ship": "${carrier}#${shipped}", "label2": "${status}/${who:any}"},
              {"_et": "purchase"}),
        Table(app, "visit", ["id", "at"], [
            Column("id", Part(words=IDS[:4]), part=True), Column("at", Instant("timestamptz", {"format": "iso8601(3)"}), part=True, size=5), Column("ends", Seconds("timestamptz", {"format": "epoch"}), null=0.4),
            Column("n", Integer("int4")), Column("txt", Text())],
              {"pk": "V#${id}", "sk": "${at}"}, ttl="ends"),
        Table(app, "member", ["id"], [
            Column("id", Part(words=IDS[:4] + SEPARATED), size=8, part=True, refused=lambda text: "#" in text, wrong="x#y"), Column("city", Word(["Rome", "Oslo", "ä"])), Column("n", Integer("int4")), Column("txt", Text())],
              {"pk": "M#${id}", "sk": "M#${id}", "g1pk": "U#${id}", "g1sk": "${city}"}),
        Nested(nest, "nested", ["id"], [
            Column("id", Word(KEYS), size=12), Column("n", Integer("int4")), Column("txt", Text()), Column("whole", Json("jsonb"), attribute="a", shared=True), Column("mid", Json("jsonb"), attribute="a", path=["m"], shared=True),
            Column("code", Integer("int4", {"format": "padded(5)"}), attribute="a", path=["m", "code"], shared=True), Column("labels", ListOf(Text(words=["a", "b"]), "set"), attribute="a", path=["m", "labels"], shared=True),
            Column("at", Instant("timestamptz", {"format": "epoch"}), attribute="a", path=["at"], shared=True), Column("bin", Bytes("bytea"), attribute="a", path=["bin"], shared=True)] + [Column(f"in{depth}", Json("jsonb"), attribute="nest", path=["in"] * depth, fixed=True) for depth in range(10)]),
        Table(free, "free", ["id"], [Column("id", Word(KEYS), size=12), Column("count", Integer("int4")), Column("flag", Boolean("boolean")), Column("rest", Rest("rest"), null=0, extra="DEFAULT '{}' NOT NULL")]),
    ]
    partitions = []
    for remote, region in ((east, "east"), (north, "north")):
        table = Table(remote, "part_" + region, ["k", "n"], [Column("region", Word([region]), null=0), Column("k", Word(KEYS[:4])), Column("n", SmallInteger("int4", 0, 5)), Column("note", Text()), Column("x", Numeric()),
                                                              Column("flag", Boolean("boolean"))], rows=5)
        table.region = region
        partitions.append(table)
    return tables, partitions


class Day0(Date):
    """Dates in their one form."""

    def one(self, rng):
        text = rng.choice(["2024-02-29", "2024-01-01", "1969-12-31", "9999-12-31"])
        return text, {"S": text}

