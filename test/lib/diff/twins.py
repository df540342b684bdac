"""The tables: made in DynamoDB, declared as foreign tables in schema f, and built from the same values in schema l."""
import io
import json
import time
from decimal import Decimal

from dynamo import index
from fixture import options_clause

from names import Names, named_features, quoted, shuffled
from values import (Array, Boolean, Bytes, Date, Document, Enum, Float, Inet, Instant, Integer, Json, LongText, Numeric, Text, Uuid,
                    array_text, as_json, json_text, plain, quote)


class Column:
    """A column, its values, and how often it has none."""

    def __init__(self, name, kind, size=30, absent=0.15, null=0.05, not_null=False, path=None, skew=False,
                 attribute=None, derive=None, unique=False, more=()):
        self.name, self.kind, self.size, self.path, self.skew = name, kind, size, path, skew
        self.attribute = attribute or name
        self.own = attribute is not None    # the option attribute is set
        self.raw = name         # without quotes
        self.unique = unique    # no value twice
        self.more = list(more)  # values next to the kind's own: of items older than an index
        self.strange = []       # constants like the mismatches
        self.derive = derive    # from the drawn values: another view of what other columns show
        self.absent, self.null, self.not_null = (0, 0, True) if not_null else (absent, null, False)
        self.pool = []
        self.left = []          # of the pool, when each is taken once
        self.key = False        # of the table or of an index
        self.role = "plain"     # hash, sort, index key, plain
        self.domain = None      # of which other columns hold values, too

    def declare(self, foreign):
        """Its line in CREATE TABLE."""
        options = dict(self.kind.options)
        if self.path:
            options["path"] = self.path
        elif (self.own or self.attribute != self.raw) and not isinstance(self.kind, Document):
            options["attribute"] = self.attribute
        sqltype, *collation = self.kind.declare().partition(" COLLATE ")
        return f"{self.name} {sqltype}" + (" " + options_clause(options) if foreign and options else "") + \
            "".join(collation) + (" NOT NULL" if self.not_null else "")

    def fill(self, rng):
        """Make its pool."""
        self.pool = self.kind.pool(rng, self.size, self.key)
        self.strange = self.strange or [(text, self.kind.types(text)[0]) for text, _ in self.more]
        self.pool += self.more * (1 + len(self.pool) // 6)

    def odd(self, rng):
        """(text, type) of a special constant."""
        return rng.choice(self.strange) if self.strange and rng.random() < 0.7 else self.kind.odd(rng)

    def draw(self, rng):
        """A value from the pool, or none: (text or None, attribute value or None)."""
        pick = rng.random()
        if self.unique:
            self.left = self.left or list(self.pool)
            return self.left.pop(rng.randrange(len(self.left)))
        if pick < self.absent:
            return None, None
        if pick < self.absent + self.null and not self.key:
            return None, {"NULL": True}
        if self.skew and rng.random() < 0.4:
            return self.pool[0]
        return rng.choice(self.pool)


# What the table of mismatches holds in these columns without showing it.
STRANGE = {"vc": [("abcdefgh", "text")], "ix": [("1.5", "numeric"), ("1E20", "numeric"), ("-0.5", "numeric")],
           "i4": [("1.5", "numeric"), ("1E20", "numeric")], "np": [("1.255", "numeric"), ("1E20", "numeric")],
           "f4": [("1E100", "float8"), ("1E-100", "float8")]}


class Table:
    """One table; `keys` are the columns of its primary key."""

    feature = None              # what the coverage counts the statements over it as
    shape = None                # of what is unnested
    shared = None               # the DynamoDB table, if others are over it, too
    nhash = 1                   # how many of the keys are of the partition
    named = False               # names are drawn
    mapped = False              # rows are no items

    # pylint: disable=too-many-arguments
    def __init__(self, name, count, keys, columns=(), indexes=(), options=None, filler=None, loose=None, match=None):
        self.name, self.count, self.options, self.filler = name, count, dict(options or {}), filler
        self.keys = keys
        self.columns = keys + list(columns)
        self.indexes = list(indexes)
        self.loose = loose or {}        # column: mismatching attribute values
        self.match = match or {}        # column: how many of its values items of rows have; None: not true
        self.accepted = {}              # column: these values as stored, None for an absent one
        self.by_name = {c.name: c for c in self.columns}
        self.traits = []                # what else the coverage counts the statements over it as
        self.ttl = self.options.get("ttl_attribute")
        self.rows = []                  # of dicts column: text or None
        self.weight = 1.0
        self.server = "direct"
        self.local = False              # a plain table in schema f, too
        for name in self.loose.keys() & STRANGE.keys():
            self.by_name[name].strange = STRANGE[name]
        for key, role in zip(keys, ("hash", "sort")):
            key.key, key.not_null, key.role, key.absent, key.null = True, key.name not in self.loose, role, 0, 0
        for one in self.indexes:
            for key, _ in one["keys"]:
                column = self.by_name[key]
                column.key = True
                if column.role == "plain":
                    column.role = "index key"

    def add(self, column):
        """One more column."""
        self.columns.append(column)
        self.by_name[column.name] = column

    def order(self):
        """The columns of a total order: keys that are NULL for several rows are not enough."""
        return self.keys if all(key.not_null for key in self.keys) else self.keys + [self.by_name["no"]]

    def wire(self, name):
        """The type of a key attribute."""
        return next(iter(self.by_name[name].pool[0][1]))

    def build(self, rng):
        """Make up the items; returns them."""
        for column in self.columns:
            column.fill(rng)
        self.set_match()
        items, seen = [], set()
        for number in range(self.count * 5):
            if len(items) == self.count:
                break
            drawn = {c.name: c.draw(rng) for c in self.columns if not c.derive}
            self.loosen(rng, drawn)
            key = self.drawn_key(drawn)
            if key in seen:
                continue
            seen.add(key)
            items.append(self.item(rng, drawn, number))
            if not self.is_row(drawn):
                continue
            row = {name: value[0] for name, value in drawn.items()}
            row.update({c.name: c.derive(drawn) for c in self.columns if c.derive})
            self.rows += self.rows_of(row)
        return items

    @staticmethod
    def rows_of(row):
        """The rows of an item that shows these values."""
        return [row]

    def set_match(self):
        """The option match, from the values that there are."""
        texts = []
        for name, number in self.match.items():
            column, distinct = self.by_name[name], []
            for _, stored in column.pool:
                if stored not in distinct:
                    distinct.append(stored)
            self.accepted[name] = [None, {"NULL": True}, {"BOOL": False}] if number is None else distinct[:number]
            values = "null, false" if number is None else ", ".join(
                content if letter == "N" else json.dumps(content) for one in distinct[:number] for letter, content in one.items())
            texts.append(f"{json.dumps(column.attribute)}: [{values}]")
        if texts:
            self.options["item_filter"] = "{" + ", ".join(texts) + "}"

    def is_row(self, drawn):
        """Does the item pass the row test?"""
        if any(drawn[name][1] not in accepted for name, accepted in self.accepted.items()):
            return False
        if not self.ttl:
            return True
        ends = (drawn[self.ttl][1] or {}).get("N")
        return ends is None or not 0 <= Decimal(time.time()) - Decimal(ends) <= 157680000

    def drawn_key(self, drawn):
        """What no two items have in common."""
        return tuple(drawn[k.name][0] or json.dumps(drawn[k.name][1]) for k in self.keys)

    def loosen(self, rng, drawn):
        """Replace some values by mismatches, which count as NULL."""
        for name, odd in self.loose.items():
            if rng.random() < 0.4:
                drawn[name] = (None, rng.choice(odd))

    def item(self, rng, drawn, number):
        """The item of a row."""
        item = {}
        for column in self.columns:
            if column.derive or (column.path or "").startswith("@"):
                continue
            stored = drawn[column.name][1]
            if column.path:
                outer, inner = column.path.split(".")
                if stored is not None:
                    item[outer] = {"M": {inner: stored, "other": {"S": "x"}}}
                elif rng.random() < 0.5:
                    item[outer] = rng.choice([{"M": {}}, {"S": "no map"}, {"L": []}, {"NULL": True}])
            elif stored is not None:
                item[column.attribute] = stored
        item["undeclared"] = {"S": "never selected"}
        if self.filler:
            item["filler"] = {"S": "x" * rng.randint(*self.filler)}
        return item

    # Making it

    def create(self, fx, rng):
        """In DynamoDB and, twice, in PostgreSQL."""
        names = Names(rng)
        if self.named:
            self.rename(names)
        items = self.build(rng)
        if self.named:
            self.rename_columns(names)
            self.traits += named_features([key.attribute for key in self.keys], [(c.raw, c.attribute) for c in self.columns if not c.path], ())
        if self.local:
            self.create_local(fx, "f")
        else:
            self.create_foreign(fx, items)
        self.create_local(fx, "l")

    def rename(self, names):
        """Attributes and indexes get these names."""
        for column in self.columns:
            if not column.path and not isinstance(column.kind, Document):
                column.attribute = names.attribute(column.attribute)
        for one in self.indexes:
            names.rename_index(one["definition"])
        if self.ttl:
            self.options["ttl_attribute"] = self.by_name[self.ttl].attribute

    def rename_columns(self, names):
        """Columns get theirs, in any order; `name` is SQL text from now on."""
        raws = names.columns(self.columns)
        self.rows = [{quoted(raws[name]): text for name, text in row.items()} for row in self.rows]
        for column in self.columns:
            column.raw = raws[column.name]
            column.name = quoted(column.raw)
            self.by_name[column.name] = column
        self.columns = shuffled(names.rng, self.columns)

    def create_foreign(self, fx, items):
        """The table in DynamoDB, and the foreign one over it."""
        for one in self.indexes:
            self.name_attributes(one)
        keys = [(k.attribute, self.wire(k.name)) for k in self.keys]
        make_remote(fx, self.name, keys, self.indexes, items)
        remote = fx.remote(self.name)
        self.order_sets(fx.dynamo, remote)
        for column in self.columns:
            if isinstance(column.kind, Document):
                column.pool.sort(key=str)
        columns = ", ".join(c.declare(True) for c in self.columns)
        fx.execute(f"CREATE FOREIGN TABLE f.{self.name} ({columns}) SERVER {self.server} "
                   + options_clause({"table_name": remote, **self.options}))

    def create_local(self, fx, schema):
        """The table with the same rows."""
        columns = ", ".join(c.declare(False) for c in self.columns)
        fx.execute(f"CREATE TABLE {schema}.{self.name} ({columns})")
        self.copy(fx, schema)

    def name_attributes(self, one):
        """An index was given in columns: let it be of their attributes, and remember the columns."""
        one["columns"] = [self.by_name[name].name for name, _ in one["keys"]]
        one["keys"] = [(self.by_name[name].attribute, self.wire(name)) for name in one["columns"]]
        for key in one["definition"]["KeySchema"]:
            key["AttributeName"] = self.by_name[key["AttributeName"]].attribute

    def order_sets(self, dynamo, remote):
        """Sets have no order: take the one in which DynamoDB returns them."""
        arrays = [c for c in self.columns if isinstance(c.kind, Array)]
        documents = [c for c in self.columns if isinstance(c.kind, Document)]
        if not arrays + documents:
            return
        for column in documents:
            column.pool = []
        rows = {self.identity(row): row for row in self.rows}
        start = {}
        while True:
            page = dynamo.call("Scan", {"TableName": remote, **start})
            for item in page["Items"]:
                texts = {k.name: self.text_of_key(k, item[k.attribute]) for k in self.keys}
                if self.identity(texts) not in rows:
                    continue
                for column in documents:
                    self.document(column, item, rows[self.identity(texts)])
                for column in arrays:
                    for letter in "SN":
                        members = item.get(column.attribute, {}).get(letter + "S")
                        row = rows[self.identity(texts)]
                        if members and row[column.name] is not None:
                            row[column.name] = array_text(plain(m) if letter == "N" else m for m in members)
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def document(self, column, item, row):
        """The value of a document in a row: NULL if it holds U+0000, which jsonb cannot hold."""
        shown = {c.attribute for c in self.columns if not c.path and not isinstance(c.kind, Document)}
        stored = {"M": {name: value for name, value in item.items() if not (column.kind.rest and name in shown)}}
        text = json_text(stored)
        row[column.name] = None if "\\u0000" in text.replace("\\\\", "") else text
        column.pool.append((row[column.name], stored))

    @staticmethod
    def text_of_key(column, stored):
        """The text of a key's value."""
        [(letter, content)] = stored.items()
        for text, value in column.pool:
            if letter in value and (value[letter] == content or
                                    (letter == "N" and Decimal(value[letter]) == Decimal(content))):
                return text
        raise AssertionError(f"{stored} is no value of {column.name}")

    def identity(self, row):
        """The key of a row."""
        return tuple(row[k.name] for k in self.keys)

    def copy(self, fx, schema="l"):
        """Fill the local table from the same values."""
        def field(text):
            if text is None:
                return "\\N"
            return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
        data = "".join("\t".join(field(row[c.name]) for c in self.columns) + "\n" for row in self.rows)
        with fx.conn.cursor() as cursor:
            cursor.copy_expert(f"COPY {schema}.{self.name} FROM STDIN", io.StringIO(data))
        fx.execute(f"ANALYZE {schema}.{self.name}")


def make_remote(fx, name, keys, indexes, items):
    """A table in DynamoDB, filled; some indexes are made over the items."""
    fx.create_table(name, *keys, indexes=[one for one in indexes if not one.get("late")])
    fx.dynamo.put_raw(fx.remote(name), items)
    for one in indexes:
        if one.get("late"):
            fx.dynamo.add_index(fx.remote(name), one)


class Partitioned(Table):
    """Foreign and local tables as partitions of one table, by the values of a column; in schema l it is one table."""

    def __init__(self, name, parts, column):
        super().__init__(name, 0, parts[0].keys, [c for c in parts[0].columns if c not in parts[0].keys])
        self.parts, self.column = parts, self.by_name[column]
        self.by_name = parts[0].by_name

    def order(self):
        return self.keys + [self.column]

    def create(self, fx, rng):
        columns = ", ".join(c.declare(False) for c in self.columns)
        fx.execute(f"CREATE TABLE f.{self.name} ({columns}) PARTITION BY LIST ({self.column.name})")
        for part in self.parts:
            values = sorted({quote(row[self.column.name]) for row in part.rows})
            fx.execute(f"ALTER TABLE f.{self.name} ATTACH PARTITION f.{part.name} FOR VALUES IN ({', '.join(values)})")
            self.rows += part.rows
        self.create_local(fx, "l")


def keyed(name, kind, size, **more):
    """A key column."""
    return Column(name, kind, size=size, **more)


def member(name):
    """A derived column's value: a scalar member of the document js."""
    def find(drawn):
        stored = (drawn["js"][1] or {}).get("M", {}).get(name)
        if not stored or "NULL" in stored:
            return None
        [(letter, content)] = stored.items()
        return plain(content) if letter == "N" else str(content).lower() if letter == "BOOL" else content
    return find


def deep_member(drawn):
    """js.a.b.c as jsonb."""
    stored = drawn["js"][1] or {}
    for name in "abc":
        stored = stored.get("M", {}).get(name, {})
    return as_json(stored)[0] if stored else None


def list_member(drawn):
    """js.l[0] as jsonb."""
    elements = (drawn["js"][1] or {}).get("M", {}).get("l", {}).get("L", [])
    return as_json(elements[0])[0] if elements else None


def same(name):
    """Another column over the attribute of that one."""
    return lambda drawn: drawn[name][0]


def plain_columns():
    """One column of every kind."""
    return [
        Column("tc", Text(collation="C")), Column("td", Text()), Column("ti", Text(collation="und-x-icu")),
        Column("tn", Text(collation="nd")), Column("vc", Text("varchar", limit=6)), Column("ch", Text("char", limit=5)),
        Column("i2", Integer("int2"), size=12), Column("i4", Integer("int4"), size=12),
        Column("i8", Integer("int8"), size=12), Column("nu", Numeric()), Column("np", Numeric((10, 2)), size=12),
        Column("f8", Float("float8")), Column("f4", Float("float4")), Column("bo", Boolean("boolean"), size=12),
        Column("by", Boolean("boolean", {"format": "bool(Y,N)"}), size=2),
        Column("b1", Boolean("boolean", {"format": "bool(1,0)"}), size=2),
        Column("ba", Bytes("bytea"), size=15), Column("uu", Uuid("uuid"), size=12), Column("da", Date("date")),
        Column("dd", Date("date", {"format": "epoch_days"})), Column("tz", Instant("timestamptz")),
        Column("t3", Instant("timestamptz", {"format": "iso8601(3)"})),
        Column("te", Instant("timestamptz", {"format": "epoch"})),
        Column("tm", Instant("timestamptz", {"format": "epoch_ms"})), Column("ts", Instant("timestamp")),
        Column("js", Json("jsonb"), size=60), Column("ta", Array(Text())), Column("na", Array(Numeric())),
        Column("ra", Numeric(), path="info.rating"), Column("ns", Numeric(options={"format": "string"})),
        Column("dm", Integer("int4", domain="small"), size=12), Column("en", Enum("mood"), size=3),
        Column("ip", Inet("inet"), size=8), Column("odd", Text(), attribute="Size of it, 100% #:x"),
        Column("name", Text(collation="C"), size=12), Column("jn", Numeric(), path="js.n", derive=member("n")),
        Column("jk", Text(), path="js.k", derive=member("k")),
        Column("jb", Boolean("boolean"), path="js.b", derive=member("b")),
        Column("jc", Json("jsonb"), path="js.a.b.c", derive=deep_member),
        Column("jl", Json("jsonb"), path="js.l[0]", derive=list_member), Column("us", Uuid("uuid", {"format": "string"}), size=6)]


def choose(*names):
    """Some of the plain columns."""
    return [c for c in plain_columns() if c.name in names]


def make_tables():
    """All tables, not yet filled."""
    key_c = lambda name, size, **more: keyed(name, Text(collation="C"), size, **more)
    return [
        Table("types", 150, [keyed("id", Integer("int4"), 400, )], plain_columns()),
        Table("ss", 260, [key_c("pk", 9, skew=True), key_c("sk", 120)],
              [Column("st", Text(), size=4, not_null=True), Column("ix", Text(), size=14, absent=0.4),
               Column("iu", Integer("int4"), size=10, absent=0.3), Column("id8", Integer("int8"), size=40),
               Column("dx", Date("date"), size=12, absent=0.3), Column("nx", Numeric(), size=30),
               Column("bx", Bytes("bytea"), size=9, absent=0.3), Column("ux", Uuid("uuid"), size=12, absent=0.2),
               Column("lx", Text(collation="C"), size=30, absent=0.3),
               Column("sk2", Text(), attribute="sk", derive=same("sk"), size=60)] +
              choose("td", "tn", "bo", "js", "ta", "f8", "tz", "i2"),
              [index("g_st", ("st", ""), ("sk", "")), index("g_sparse", ("ix", ""), ("nx", "")),
               index("g_keys", ("iu", ""), None, "KEYS_ONLY"),
               index("g_incl", ("dx", ""), ("id8", ""), ["td", "bo"]),
               index("g_bytes", ("bx", ""), ("ux", "")),
               index("g_multi", [("st", ""), ("iu", "")], [("dx", ""), ("nx", "")]),
               index("l_nx", ("pk", ""), ("nx", ""), local=True),
               index("l_lx", ("pk", ""), ("lx", ""), "KEYS_ONLY", local=True),
               index("l_dx", ("pk", ""), ("dx", ""), ["td"], local=True)]),
        Table("sn", 200, [keyed("pk", Text(), 8, skew=True), keyed("n", Numeric(), 90)],
              [Column("yn", Boolean("boolean", {"format": "bool(Y,N)"}), size=2, absent=0.3),
               Column("at", Instant("timestamptz", {"format": "epoch"}), size=30),
               Column("t3x", Instant("timestamptz", {"format": "iso8601(3)"}), size=8, not_null=True),
               Column("tix", Text(collation="und-x-icu"), size=20)] + choose("td", "i4", "bo", "js", "na"),
              [index("g_yn", ("yn", ""), ("at", "")), index("g_t3", ("t3x", ""), ("n", ""), "KEYS_ONLY"),
               index("l_tix", ("pk", ""), ("tix", ""), local=True)]),
        Table("ns", 170, [keyed("pk", Integer("int8"), 7, skew=True),
                          keyed("sk", Text(collation="und-x-icu"), 90)],
              [Column("sd", Text(), size=20, not_null=True), Column("vx", Text("varchar", limit=6), size=15)] +
              [Column("pn", Numeric(), attribute="pk", derive=same("pk")),
               Column("pj", Json("jsonb"), attribute="pk", derive=same("pk"))] +
              choose("tc", "nu", "by", "da", "ta", "i4"),
              [index("g_sd", ("sd", ""), ("vx", "")), index("g_vx", ("vx", ""), ("pk", ""), "KEYS_ONLY")]),
        Table("sd", 110, [keyed("pk", Text(collation="und-x-icu"), 6, skew=True), keyed("sk", Text(), 60)],
              choose("td", "i4", "np", "js", "jn", "jk"), options={"fetch_size": 5}),
        Table("nd", 160, [keyed("pk", Text(collation="nd"), 7, skew=True), keyed("sk", Text(collation="nd"), 60)],
              [Column("gx", Text(collation="nd"), size=12)] + choose("i4", "tn"), [index("g_nd", ("gx", ""), None)]),
        Table("bb", 130, [keyed("pk", Bytes("bytea"), 6, skew=True), keyed("sk", Bytes("bytea"), 60)],
              choose("ba", "i4", "td")),
        Table("ud", 110, [keyed("pk", Uuid("uuid"), 6, skew=True, attribute="Partition.Key"),
                          keyed("sk", Date("date"), 60, attribute="date")],
              choose("uu", "da", "nu", "td"), options={"fetch_size": 9}),
        Table("vt", 150, [keyed("pk", Text("varchar", limit=8), 6, skew=True),
                          keyed("sk", Instant("timestamptz", {"format": "iso8601(3)"}), 80)], choose("tz", "vc", "i4")),
        Table("ie", 150, [keyed("pk", Integer("int2"), 6, skew=True),
                          keyed("sk", Instant("timestamptz", {"format": "epoch"}), 80)], choose("te", "i8", "td")),
        Table("ti", 110, [keyed("pk", Text(collation="C"), 6, skew=True), keyed("sk", Integer("int8"), 60)], choose("td", "i8", "nu"),
              [index("l_i8", ("pk", ""), ("i8", ""), local=True)]),
        Table("du", 90, [keyed("pk", Date("date"), 8), keyed("sk", Uuid("uuid"), 30)], choose("td", "i4"),
              options={"fetch_size": 3}),
        # small pages over an index: of distinct keys, as DynamoDB Local may skip an item where equal keys meet a page's end
        Table("ii", 140, [keyed("pk", Integer("int4"), 9, skew=True), keyed("sk", Integer("int4"), 200)],
              [Column("gh", Integer("int2"), size=3), Column("un", Numeric(integral=True), size=400, unique=True)] +
              choose("i2", "i8", "nu", "js"),
              [index("g_un", ("gh", ""), ("un", "")), index("g_un_keys", ("gh", ""), ("un", ""), "KEYS_ONLY")],
              options={"fetch_size": 7}),
        Table("hs", 90, [keyed("id", Text(), 120)], choose("i4", "td", "js")),
        Table("hn", 60, [keyed("id", Numeric(), 80)], choose("i4", "td", "nu")),
        Table("hb", 60, [keyed("id", Bytes("bytea"), 90)], choose("i4", "ba")),
        Table("big", 36, [key_c("pk", 3, skew=True), keyed("sk", Integer("int4"), 40)],
              choose("td", "i4"), filler=(40000, 220000)),
        Table("lg", 40, [key_c("pk", 2), keyed("sk", LongText(collation="C"), 30)], choose("i4")),
        Table("mis", 160, [keyed("pk", Integer("int4"), 9, skew=True), keyed("sk", Text(collation="C"), 60)],
              [Column("ix", Integer("int4"), size=10)] +
              choose("td", "vc", "i4", "np", "f4", "bo", "by", "ba", "uu", "da", "tz", "te", "ta", "na", "ns"),
              [index("g_ix", ("ix", ""), ("sk", "")), index("l_ix", ("pk", ""), ("ix", ""), local=True)],
              {"on_mismatch": "null"},
              loose={"td": [{"N": "5"}, {"BOOL": True}, {"M": {}}, {"S": "\0"}, {"S": "a\0b"}],
                     "vc": [{"S": "abcdefgh"}, {"N": "1"}], "ix": [{"N": "1.5"}, {"N": "1E20"}, {"N": "-0.5"}],
                     "i4": [{"N": "1.5"}, {"N": "1E20"}, {"S": "5"}, {"L": []}], "np": [{"N": "1.255"}, {"N": "1E20"}],
                     "f4": [{"N": "1E100"}, {"N": "1E-100"}, {"S": "1"}],
                     "bo": [{"S": "maybe"}, {"N": "2"}, {"B": "AA=="}],
                     "by": [{"S": "y"}, {"BOOL": True}], "ba": [{"S": "ab"}], "uu": [{"S": "x"}, {"S": "A" * 36}],
                     "da": [{"S": "2024-02-30"}, {"S": "2024-01-01T10:00:00Z"}, {"N": "5"}],
                     "tz": [{"S": "yesterday"}, {"N": "7"}], "te": [{"N": "0.0000001"}, {"N": "1E30"}, {"S": "0"}],
                     "ta": [{"L": [{"M": {}}]}, {"S": "a"}, {"NS": ["1"]}], "na": [{"SS": ["x"]}, {"L": [{"S": "x"}]}],
                     "ns": [{"N": "1"}, {"S": "one"}, {"S": ""}]}),
        Table("rm", 300, [key_c("pk", 9, skew=True), key_c("sk", 150)],
              [Column("kd", Text(collation="C"), size=7, not_null=True), Column("gone", Boolean("boolean"), size=6),
               Column("ends", Instant("timestamptz", {"format": "epoch"}), size=30),
               Column("ox", Text(collation="C"), size=12, absent=0.3)] + choose("td", "i4", "nu", "ta"),
              [index("g_kd", ("kd", ""), ("sk", "")), index("g_ox", ("ox", ""), ("kd", "")), index("g_keys", ("ox", ""), ("nu", ""), "KEYS_ONLY"),
               index("l_nu", ("pk", ""), ("nu", ""), ["kd"], local=True)],
              {"ttl_attribute": "ends"}, match={"kd": 4, "gone": None}),
        Table("rt", 260, [key_c("pk", 6, skew=True), keyed("n", Numeric(), 90)],
              [Column("rk", Numeric(), size=3, absent=0.3)] + choose("td", "i4", "bo"),
              [index("g_rk", ("rk", ""), ("n", ""))], match={"pk": 3, "rk": 1}),
        Table("none", 0, [key_c("pk", 5), keyed("sk", Integer("int4"), 5)], choose("td", "i4")),
    ]
