"""Tables whose keys and columns are composed by a format: numbers, bytes, documents and times in S, and times in N finer than they are shown."""
import datetime
import json
from decimal import Decimal

from dynamo import index
from edges import number, of_feature, strange
from twins import Column, Table, choose, keyed
from values import DATES, EPOCH, TIMES, Bytes, Date, Instant, Integer, Json, Numeric, Text, plain

FORMATS = "keys encoded by a format"


class Padded(Integer):
    """Integers from 0 on, of a width."""

    def __init__(self, sqltype, digits):
        super().__init__(sqltype, {"format": f"padded({digits})"})
        self.digits = digits

    def one(self, rng):
        highest = min(10 ** self.digits, self.limit) - 1
        value = min(rng.choice([rng.randint(0, 12), rng.randint(0, 120), rng.randint(0, highest), highest, highest - 1, 0, 9, 10]), highest)
        return str(value), {"S": f"{value:0{self.digits}}"}

    def odd(self, rng):
        most = 10 ** self.digits
        return rng.choice([super().odd(rng), (str(most), "numeric"), (f"{most - 1}.5", "numeric"), ("-1", "int4"), ("1.0", "numeric"), ("9.5", "numeric"), ("0.5", "numeric")])


class PaddedNumeric(Numeric):
    """The same as numeric, also with a precision."""

    def __init__(self, digits, precision=None):
        super().__init__(precision, {"format": f"padded({digits})"})
        self.digits = digits

    def one(self, rng):
        digits = min(self.digits, self.precision[0] - self.precision[1] if self.precision else 38)
        value = min(rng.choice([rng.randint(0, 12), rng.randint(0, 300), rng.randint(0, 10 ** digits), 10 ** digits - 1, 0]), 10 ** digits - 1)
        return str(value), {"S": f"{value:0{self.digits}}"}

    def odd(self, rng):
        most = 10 ** self.digits
        return rng.choice([super().odd(rng), (str(most), "numeric"), (f"{most - 1}.5", "numeric"), ("-0.5", "numeric"), ("-1", "numeric"), ("7.00", "numeric"), ("11.5", "numeric")])


class Base64(Bytes):
    """Bytes as text, which sorts otherwise."""

    def __init__(self):
        super().__init__("bytea", {"format": "base64"})

    def one(self, rng):
        text, stored = super().one(rng)
        return text, {"S": stored["B"]}


class JsonText(Json):
    """Documents as text."""

    def __init__(self):
        super().__init__("jsonb", {"format": "json"})

    def one(self, rng):
        text, stored = super().one(rng)
        text = text or "null"
        encoded = text.replace(": ", rng.choice([":", " : "])) if '": ' in text and rng.random() < 0.3 else text
        return text, {"S": encoded if json.loads(encoded) == json.loads(text) else text}


MICROSECOND = datetime.timedelta(microseconds=1)
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Fine(Instant):
    """Times of which several items differ in what is truncated."""

    def __init__(self, form):
        super().__init__("timestamptz", {"format": form})

    def instant(self, rng):
        """A time, one of few or of many."""
        if rng.random() < 0.5:
            return datetime.datetime(2024, 1, 1, 12) + rng.randint(-2, 2) * MICROSECOND
        return datetime.datetime.fromisoformat(rng.choice(DATES)) + self.time_of_day(rng.choice(TIMES))

    def one(self, rng):
        instant = self.instant(rng)
        rest = rng.choice([0, 0, 1, 500, 999, rng.randint(0, 999)])
        if self.options["format"] == "epoch(9)":
            stored = {"N": plain(Decimal((instant - EPOCH) // MICROSECOND * 1000 + rest) / 10 ** 9)}
        else:
            stored = {"S": f"{instant.isoformat(timespec='microseconds')}{rest:03}Z"}
        return instant.isoformat(sep=" ") + "+00", stored

    def odd(self, rng):
        near = datetime.datetime(2024, 1, 1, 12) + rng.randint(-3, 3) * MICROSECOND
        return rng.choice([super().odd(rng), (near.isoformat(sep=" ") + "+00", self.sqltype)])


class Ulid(Fine):
    """The times of ULIDs."""

    def __init__(self):
        super().__init__("ulid")

    def one(self, rng):
        ms = rng.choice([0, 0, 1, 1704110400000 + rng.randint(-1, 1), 1704110400000, 1704110400123 + rng.randint(0, 40), 2 ** 47, rng.randint(0, 2 ** 47)])
        rest = rng.choice(["0" * 16, "Z" * 16, "".join(rng.choice(CROCKFORD) for _ in range(16))])
        instant = EPOCH + datetime.timedelta(milliseconds=ms)
        return instant.isoformat(sep=" ") + "+00", {"S": "".join(CROCKFORD[ms >> 5 * n & 31] for n in range(9, -1, -1)) + rest}

    def odd(self, rng):
        near = datetime.datetime(2024, 1, 1, 12) + rng.randint(-1500, 1500) * MICROSECOND
        return rng.choice([super().odd(rng), (near.isoformat(sep=" ") + "+00", self.sqltype), ("1969-12-31 23:59:59.9995+00", self.sqltype), ("10889-08-02 05:31:50.656+00", self.sqltype)])


class PatternInstant(Instant):
    """Times in fields, down to the milliseconds or to the minutes."""

    def __init__(self, minutes=False):
        super().__init__("timestamptz", {"format": 'pattern(YYYY/MM/DD"at"HH24:MI)' if minutes else "pattern(YYYYMMDDHH24MISSMS)"})
        self.unit = 60 * 1000000 if minutes else 1000
        self.encoded = "%Y/%m/%dat%H:%M" if minutes else "%Y%m%d%H%M%S"

    def one(self, rng):
        instant = datetime.datetime.fromisoformat(rng.choice(DATES)) + self.time_of_day(rng.choice(TIMES))
        instant -= (instant - EPOCH) // MICROSECOND % self.unit * MICROSECOND
        text = instant.strftime(self.encoded).rjust(len("YYYY") + len(instant.strftime(self.encoded.replace("%Y", ""))), "0")
        return instant.isoformat(sep=" ") + "+00", {"S": text + (f"{instant.microsecond // 1000:03}" if self.unit == 1000 else "")}


class PatternDate(Date):
    """Dates in fields; days out of order, or months."""

    def __init__(self, form="DD.MM.YYYY"):
        super().__init__("date", {"format": f"pattern({form})"})
        self.form = form

    def one(self, rng):
        year, month, day = super().one(rng)[0].split("-")
        day = day if "DD" in self.form else "01"
        return f"{year}-{month}-{day}", {"S": self.form.replace("YYYY", year).replace("MM", month).replace("DD", day)}


class Several(Table):
    """A table of which several items have keys that are equal to SQL."""

    def drawn_key(self, drawn):
        return json.dumps([drawn[k.name][1] for k in self.keys])

    def order(self):
        return self.keys + [self.by_name["no"]]


PADDED_MISMATCHES = [{"S": word} for word in ("7", "07", "0008", "x", "+12", "1.5", "-01", " 12", "99999999", "12a", "\u0661\u0662\u0663")]
BASE64_MISMATCHES = [{"S": word} for word in ("AA", "AB==", "A", "_-8=", "AA==\n", "=", "YWJ")]
TIME_MISMATCHES = [{"S": text} for text in ("x", "0", "~", "2024-01-01", "2024-01-01T12:00:00Z", "20240230000000000", "01hkvx0", "8" + "0" * 25, "2024130", "99999999999999999", "202413",
                                         "31.02.2024", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "2024-01-01T12:00:00.000000000z")]
JSON_MISMATCHES = [{"S": text} for text in ("", "{", "nul", '"\\ud800"', '{"k": "a"', '"\\u0000"', "01", '{"k": "a"} x')] + [{"M": {"k": {"S": "a"}}}]


def encoded_columns():
    """Columns next to the keys."""
    return [Column("p4", Padded("int4", 3), size=14), Column("pn", PaddedNumeric(4, (6, 2)), size=14), Column("bt", Base64(), size=14),
            Column("jt", JsonText(), size=30)] + choose("i4")


# Times that have no text of their column, since they are between two that have.
BETWEEN = {"mo": [("2024-01-15", "date"), ("2023-12-31", "date"), ("2023-11-30 23:59:59.999999+00", "timestamptz"), ("2024-02-29", "date")],
           "pt": [("2024-01-01 12:00:00.0005+00", "timestamptz"), ("1999-12-31 23:59:59.999999+00", "timestamptz")]}


def time_columns():
    """Times next to the keys."""
    found = [Column("ul", Ulid(), size=14), Column("ns", Fine("iso8601(9)"), size=20), Column("ne", Fine("epoch(9)"), size=20), Column("pt", PatternInstant(), size=14),
             Column("dm", PatternDate(), size=10), Column("mo", PatternDate("YYYYMM"), size=8)]
    for column in found:
        column.strange = BETWEEN.get(column.name, [])
    return found


def make_encoded():
    """All of them."""
    null = {"on_mismatch": "null"}
    odd = [("7", "numeric"), ("12", "int4"), ("1.5", "numeric"), ("99999999", "int8")]
    text = lambda name, size: keyed(name, Text(collation="C"), size, skew=True)
    return of_feature(
        FORMATS,
        Several("fu", 160, [text("pk", 5), keyed("sk", Ulid(), 60)], [Column("no", Numeric(integral=True), size=600, unique=True, not_null=True), Column("i2", Integer("int2"), size=4, not_null=True),
                 Column("ux", Ulid(), size=12, not_null=True)] + time_columns(),
                [index("g_ns", ("i2", ""), ("ns", "")), index("l_ne", ("pk", ""), ("ne", ""), local=True), index("g_mo", ("mo", ""), ("sk", ""), "KEYS_ONLY"),
                 index("g_many", [("i2", "")], [("ux", ""), ("no", "")])]),
        Several("fn", 120, [text("pk", 4), keyed("sk", Fine("iso8601(9)"), 50)], [number()] + time_columns(), options={"fetch_size": 7}),
        Several("fe", 120, [keyed("pk", PatternDate(), 6, skew=True), keyed("sk", Fine("epoch(9)"), 50)], [number()] + time_columns(),
                [index("g_dm", ("dm", ""), ("pt", ""))]),
        Table("fw", 110, [keyed("pk", PatternInstant(True), 6, skew=True), keyed("sk", PatternInstant(), 50)], [number()] + time_columns() + choose("i4", "td"),
              [index("l_mo", ("pk", ""), ("mo", ""), local=True)]),
        strange(Table("fx", 110, [text("pk", 5), keyed("sk", PatternInstant(), 40)], [number()] + time_columns() + choose("i4"),
                      [index("l_ul", ("pk", ""), ("ul", ""), local=True), index("g_ns", ("dm", ""), ("ns", ""))], null,
                      loose={"sk": TIME_MISMATCHES, "ul": TIME_MISMATCHES, "ns": TIME_MISMATCHES, "pt": TIME_MISMATCHES, "mo": TIME_MISMATCHES, "dm": TIME_MISMATCHES,
                             "ne": [{"N": "0.0000000001"}, {"N": "1E30"}, {"N": "1704110400.1234567891"}]}), sk=[("2024-01-31 00:00:00+00", "timestamptz")]),
        Table("fp", 150, [keyed("pk", Padded("int4", 3), 7, skew=True), keyed("sk", PaddedNumeric(5), 70)],
              [number(), Column("px", Padded("int8", 19), size=9, absent=0.3), Column("bx", Base64(), size=9, absent=0.3)] + encoded_columns(),
              [index("g_px", ("px", ""), ("p4", "")), index("g_bx", ("bx", ""), ("pn", ""), "KEYS_ONLY"), index("l_p4", ("pk", ""), ("p4", ""), local=True),
               index("l_bt", ("pk", ""), ("bt", ""), local=True)]),
        Table("fb", 110, [keyed("pk", Base64(), 6, skew=True), keyed("sk", Base64(), 60)],
              [number(), Column("px", Padded("int2", 5), size=9, absent=0.2)] + encoded_columns(), [index("g_px", ("px", ""), ("bt", ""))],
              {"fetch_size": 9}),
        strange(Table("fm", 120, [keyed("pk", Padded("int2", 3), 6, skew=True), keyed("sk", Padded("int4", 4), 50)],
                      [number(), Column("hx", Text(collation="C"), size=4)] + encoded_columns(),
                      [index("g_p4", ("hx", ""), ("p4", "")), index("g_bt", ("bt", ""), ("pn", ""))], null,
                      loose={"pk": PADDED_MISMATCHES[:3], "sk": [{"S": word} for word in ("7", "0x07", "00007", "~", "1.50", "99999")], "p4": PADDED_MISMATCHES,
                             "pn": [{"S": word} for word in ("7", "007", "00008", "x", "+012", "01.5", "-001", "  12", "9999999999")], "bt": BASE64_MISMATCHES, "jt": JSON_MISMATCHES}),
                pk=odd, sk=odd, p4=odd, pn=odd))
