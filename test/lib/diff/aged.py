"""Tables with templates whose items are older than their indexes: with texts that an index does not take, values of other types, and
texts of other entities in the same attributes."""
from composed import Entity, Part, Store, SmallInteger, payload, rest, text
from edges import late
from twins import Column

EMPTY, LONG_SORT, LONG_HASH, TYPES, FOREIGN = AGE = [f"older: {what}" for what in (
    "an empty text", "a text too long for a sort key", "a text too long for a partition key", "a value of another type", "a text of another entity")]
# With what is before them in an attribute: as long as a sort key or a partition key may be, in one byte for a character or two; and longer.
AT_SORT, OVER_SORT = ["x" * 1020, "x" * 1022, "é" * 511], ["x" * 1023, "x" * 1500, "é" * 512, "x" * 1025]
AT_HASH, OVER_HASH = ["y" * 1030, "y" * 2046, "é" * 1023], ["y" * 2047, "y" * 3000, "é" * 1024, "y" * 2049]
TOO_LONG = "items too long for an index"    # ranges miss them, as the manual describes: only points are requested


def long_or_short(name, long, **more):
    """A column of words and of texts about as long as a key may be, which statements request, too."""
    column = Column(name, Part("C", words=["a", "b", "G", "z", "é"]), size=5, null=0, more=[(value, {"S": value}) for value in long], **more)
    column.strange = [(value, "text") for value in long]
    return column


class Aged(Entity):
    """Its native columns and its templates of index keys hold anything."""

    def build(self, rng):
        super().build(rng)
        self.traits = {"ag0": [EMPTY, TYPES, FOREIGN], "ag1": [EMPTY], "ag2": [LONG_SORT, LONG_HASH]}[self.name]

    def attributes_of(self, rng, drawn, row):
        item = super().attributes_of(rng, drawn, row)
        if "on_mismatch" not in self.options:
            return item
        for attribute, columns, others in self.strange_values:
            if rng.random() < 0.3:
                item[attribute] = rng.choice(others)
                row.update(dict.fromkeys(columns))
        return item

    # No NULL, boolean or list: DynamoDB Local never ends making an index over such an item.
    strange_values = [("g1", ["g"], [{"S": ""}, {"S": "G#"}, {"S": "X#5"}, {"S": "G#a#b"}, {"N": "5"}, {"B": "YQ=="}]),
                      ("g2", ["k"], [{"S": ""}, {"S": "K#"}, {"S": "aK#5"}, {"N": "5"}, {"B": ""}]),
                      ("num", ["m"], [{"S": "5"}, {"N": "1.5"}, {"N": "1E20"}, {"S": ""}, {"N": "11"}])]


def make_aged(rng):
    """(stores, tables)"""
    store = Store(rng, "aged", ["pk", "sk"], [
        late("g_h", ("h", "S"), ("g1", "S")), late("g_g", ("g2", "S")), late("g_s", ("h", "S"), ("s", "S")), late("g_n", ("num", "N"), ("g1", "S"), "KEYS_ONLY")], {"num": "N"})
    own = lambda name, long: Column(name, Part("C", words=["a", "b", "G"]), size=3, absent=0.1, null=0, more=[(value, {"S": value}) for value in ["", *long]])

    def columns(sort, hash_):
        return [text("a"), Column("n", SmallInteger("int4", 0, 99), size=40), own("h", hash_), own("s", sort), long_or_short("g", sort, attribute="g1", absent=0.1),
                long_or_short("k", hash_, attribute="g2", absent=0.1), Column("m", SmallInteger("int2", 0, 9), size=6, attribute="num", absent=0.2, null=0), payload(), rest()]

    templates = lambda prefix: {"pk": prefix + "${a}", "sk": "${n:padded(3)}", "g1": "G#${g}", "g2": "K#${k}", "num": "${m:0..9}"}
    tables = [Aged("ag0", store, 50, columns(AT_SORT, AT_HASH), templates("og#"), on_mismatch="null"), Aged("ag1", store, 50, columns(AT_SORT, AT_HASH), templates("oh/")),
              Aged("ag2", store, 60, columns(OVER_SORT, OVER_HASH), templates("oi|"))]
    tables[2].feature = TOO_LONG
    for table in tables:
        table.weight = 4
    return [store], tables
