"""Tables at the edges: keys that their columns do not accept, types known by their input functions, items older than an index,
and databases of other encodings."""
from dynamo import index
from twins import Column, Table, choose, keyed
from values import Array, Bytes, Citext, Date, Enum, Inet, Instant, Integer, Json, Numeric, Oid, Text, Uuid

CYRILLIC = ["а", "б", "ю", "я", "ё", "А", "Ю", "Ё", "Я", "ц", "Ц", "ч", "Ч", "аб", "ая", "юг", "яд", "ёж", "ель", "г", "х", "ъ", "Ъ",
            "a", "A", "z", "Z", "a б", "zя", "я1", "1", "10", "9", "~", "░", "█", "÷", "©", "a%", "a_", "\\", "o'x", "user#1", "user#10"]

MISMATCHES = "misfits in keys"
OLDER = "items older than an index"
KINDS = "types by their input functions"


def of_feature(feature, *tables):
    """The tables, which are there for the sake of something."""
    for table in tables:
        table.feature = feature
    return list(tables)


def number():
    """What distinguishes the rows whose keys are NULL."""
    return Column("no", Numeric(integral=True), size=600, unique=True)


def soft():
    """Columns whose values are read by input functions and checked by constraints."""
    return [Column("dm", Integer("int4", domain="small"), size=12), Column("lb", Text(collation="C", domain="label"), size=12),
            Column("en", Enum("mood"), size=4), Column("ip", Inet("inet"), size=9), Column("ct", Citext(), size=14)]


SOFT = {"dm": [{"N": "424242"}, {"N": "1.5"}, {"S": "1"}], "lb": [{"S": "forbidden"}, {"N": "1"}],
        "en": [{"S": "none of them"}, {"S": ""}], "ip": [{"S": "300.0.0.1"}, {"S": "x"}], "ct": [{"N": "5"}, {"S": "\0"}]}


# Documents with good members that are mismatches themselves: no jsonb holds such a text, no doc has that member.
DOCUMENTS = [{"M": {"k": {"S": "a"}, "n": {"N": "1"}, "a": {"M": {"b": {"M": {"c": {"S": "b"}}}}}, "x": {"S": "a\0b"}}},
             {"M": {"k": {"S": "user#1"}, "l": {"L": [{"N": "1"}, {"S": "\0"}]}, "x.y": {"BOOL": True}}}]
FORBIDDEN = [{"M": {"k": {"S": "a"}, "n": {"N": "2"}, "bad": {"S": "x"}, "l": {"L": []}}}, {"M": {"bad": {"N": "1"}}}]


def strange(table, **texts):
    """Constants like what the columns hold without showing it."""
    for name, values in texts.items():
        table.by_name[name].strange = values
    return table


def mismatch_tables():
    """Keys under on_mismatch 'null' which hold values that are NULL to their columns, anywhere in DynamoDB's order."""
    halves = [{"N": f"{n}.5"} for n in range(-4, 14)] + [{"N": "1E20"}, {"N": "-1E20"}, {"N": "2147483648"}]
    days = [{"S": f"2024-0{n}-31T00"} for n in range(1, 10)] + [{"S": word} for word in ("x", "2", "1999-1-1", "9", "~", "2024-02-30")]
    long_words = [{"S": word} for word in ("abcde", "aaaaaa", "zzzzzz", "äääää", "b-----", "aBcDeFg", "pqrst", "1234567", "~~~~~")]
    times = [{"S": text} for text in ("2024-01-01T00:00:00Z", "2024-01-15T10", "1999", "2000-01-01 00:00:00.000Z", "~", "0", "2024-02-29T12:00:00.0Z")]
    cents = [{"N": f"{n}.125"} for n in range(0, 16)] + [{"N": "123456"}, {"N": "-0.001"}]
    null = {"on_mismatch": "null"}
    return of_feature(
        MISMATCHES,
        strange(Table("mk", 130, [keyed("pk", Integer("int4"), 6, skew=True), keyed("sk", Integer("int4"), 40)],
                      [number(), Column("mx", Integer("int4"), size=12), Column("hx", Text(collation="C"), size=4),
                       Column("js", Json("jsonb"), size=20), Column("jd", Json("jsonb", domain="doc"), size=20)] + soft(),
                      [index("g_mx", ("hx", ""), ("mx", "")), index("l_mx", ("pk", ""), ("mx", ""), local=True)], null,
                      loose={"pk": [{"N": "1.5"}, {"N": "1E20"}], "sk": halves, "mx": halves, **SOFT, "js": DOCUMENTS, "jd": DOCUMENTS + FORBIDDEN}),
                pk=[("1.5", "numeric"), ("1E20", "numeric")], sk=[("2.5", "numeric"), ("1E20", "numeric")],
                mx=[("2.5", "numeric"), ("-1E20", "numeric")], dm=[("424242", "int4")], lb=[("forbidden", "text")]),
        strange(Table("md", 110, [keyed("pk", Text(collation="C"), 5, skew=True), keyed("sk", Date("date"), 40)],
                      [number(), Column("vx", Text("varchar", limit=4), size=8), Column("dx", Date("date"), size=12)] + choose("i4"),
                      [index("g_vd", ("vx", ""), ("dx", ""))], null,
                      loose={"sk": days, "vx": long_words, "dx": days, "i4": halves}),
                vx=[("abcde", "text"), ("zzzzzz", "text")], sk=[("2024-01-31", "date")]),
        strange(Table("mv", 110, [keyed("pk", Text("varchar", limit=4, collation="C"), 5, skew=True),
                                  keyed("sk", Text("varchar", limit=4, collation="C"), 40)],
                      [number(), Column("nx", Numeric((6, 2)), size=14)] + choose("i4"),
                      [index("g_nx", ("pk", ""), ("nx", "")), index("l_nx", ("pk", ""), ("nx", ""), local=True)], null,
                      loose={"pk": long_words[:3], "sk": long_words, "nx": cents}),
                pk=[("abcde", "text")], sk=[("abcde", "text"), ("b-----", "text")], nx=[("1.125", "numeric")]),
        Table("mu", 90, [keyed("pk", Uuid("uuid"), 5, skew=True), keyed("sk", Instant("timestamptz", {"format": "iso8601(3)"}), 40)],
              [number(), Column("ux", Uuid("uuid"), size=8), Column("ex", Instant("timestamptz", {"format": "epoch"}), size=14)],
              [index("g_ux", ("ux", ""), ("ex", ""))], null,
              loose={"pk": [{"S": "x"}, {"S": "A" * 36}], "sk": times, "ux": [{"S": "x"}, {"S": "00000000000000000000000000000001"}],
                     "ex": [{"N": "0.0000001"}, {"N": "1E30"}, {"N": "1705312800.12345678"}]}),
        Table("mp", 90, [keyed("pk", Numeric((6, 2)), 5, skew=True), keyed("sk", Numeric((6, 2)), 40)],
              [number(), Column("by", Bytes("bytea"), size=8)] + soft(), options=null,
              loose={"pk": cents[:3], "sk": cents, **SOFT}))


def kind_tables():
    """Keys and columns of domains and of types that are known by their input functions."""
    label = lambda: Text(collation="C", domain="label")
    return of_feature(
        KINDS,
        Table("kl", 120, [keyed("pk", label(), 7, skew=True), keyed("sk", Integer("int4", domain="small"), 60)],
              [Column("ct", Citext(), size=16), Column("c2", Citext(), size=16), Column("en", Enum("mood"), size=4),
               Column("e2", Enum("mood"), size=4), Column("ip", Inet("inet"), size=9), Column("i2", Inet("inet"), size=9),
               Column("od", Oid("oid"), size=9), Column("o2", Oid("oid"), size=9), Column("ch", Text("char", limit=5), size=12),
               Column("i4", Integer("int4"), size=12), Column("j4", Integer("int4"), size=12), Column("tc", Text(collation="C"), size=16),
               Column("td", Text(), size=16), Column("lb", label(), size=12), Column("dm", Integer("int4", domain="small"), size=12)],
              [index("g_ct", ("ct", ""), ("ip", "")), index("g_en", ("en", ""), ("dm", "")), index("g_lb", ("lb", ""), ("ch", "")),
               index("l_od", ("pk", ""), ("od", ""), local=True)]),
        Table("kc", 90, [keyed("pk", Citext(), 7, skew=True), keyed("sk", Text("char", limit=5), 40)],
              [Column("lb", label(), size=10)] + choose("tc", "i4")),
        Table("ki", 90, [keyed("pk", Enum("mood"), 4), keyed("sk", Inet("inet"), 50)], choose("ip", "en", "i4", "td")),
        Table("ko", 90, [keyed("pk", Oid("oid"), 6, skew=True), keyed("sk", Citext(), 50)],
              [Column("od", Oid("oid"), size=9)] + choose("td", "i4")))


class Visible(Text):
    """Text without values of nothing but blanks, which DynamoDB Local leaves out of an index that it makes over the items."""

    def keyable(self, value):
        return super().keyable(value) and value[0].strip(" ") != ""


def late(*definition):
    """An index that is made over the items."""
    return {**index(*definition), "late": True}


def older_tables():
    """Items with values that no index could hold, if it had been there."""
    empty = [("", {"S": ""})]
    return of_feature(
        OLDER, Table("la", 120, [keyed("pk", Text(collation="C"), 60), keyed("sk", Integer("int4"), 20)],
                     [Column("hx", Visible(collation="C"), size=6, more=empty, absent=0.1),
                      Column("sx", Visible(collation="C"), size=24, more=empty, absent=0.1),
                      Column("vx", Visible("varchar", limit=6), size=8, more=empty, absent=0.1),
                      Column("bx", Bytes("bytea"), size=8, more=[("\\x", {"B": ""})], absent=0.1),
                      Column("ux", Visible(collation="und-x-icu"), size=24, not_null=True)] + choose("i4", "td"),
                     [late("g_hs", ("hx", ""), ("sx", "")), late("g_vb", ("vx", ""), ("bx", "")), late("g_hu", ("hx", ""), ("ux", ""))]))


def make_edges():
    """All of them that need no database of their own."""
    return mismatch_tables() + kind_tables() + older_tables()


def make_encoded():
    """Tables whose text a database of another encoding can hold, and sorts by its own bytes."""
    text = lambda collation=None: Text(collation=collation, words=CYRILLIC)
    short = lambda: Text("varchar", limit=40, words=CYRILLIC)      # bytes in SQL_ASCII
    return [
        Table("ec", 150, [keyed("pk", text("C"), 6, skew=True), keyed("sk", text("C"), 70)],
              [Column("hx", text("C"), size=5), Column("sx", text(), size=30), Column("vx", short(), size=12), Column("un", text("POSIX"), size=20),
               Column("n", Integer("int4"), size=20), Column("ta", Array(text()), size=20)],
              [index("g_hx", ("hx", ""), ("sx", "")), index("g_vx", ("vx", ""), ("sk", ""), "KEYS_ONLY"),
               index("l_sx", ("pk", ""), ("sx", ""), local=True)]),
        Table("ed", 120, [keyed("pk", text(), 6, skew=True), keyed("sk", short(), 60)],
              [Column("tc", text("C"), size=20), Column("n", Integer("int4"), size=10)], options={"fetch_size": 11})]
