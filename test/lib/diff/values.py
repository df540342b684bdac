"""Values of every column type: as SQL text, and as DynamoDB stores them.

A value is a pair (text, attribute value): what PostgreSQL reads as the column's type, and DynamoDB-JSON. A Kind makes
values of one SQL type in one format, and knows constants that no item holds.
"""
import base64
import datetime
import json
import uuid
from decimal import Decimal

WORDS = ["a", "A", "b", "B", "ab", "aB", "AB", "abc", "abd", "abcd", "ABC", "z", "Z", "ä", "Ä", "a\u0308", "ß", "ss",
         "é", "e\u0301", "E", "10", "9", "100", "%", "a%", "a%b", "a_b", "_", "axb", "\\", "a\\b", "a\\%", "o'x",
         '"q"', "😀", "😀a", "a😀", "\U00010400", "\U00010428", "\uffee", "\ufffd", "\ue000", " ", "a ", " a", "a\tb",
         "two\nlines", "{x}", "[1]", "true", "null", "123", "1E2", "-", "a-b", "a b", "co-op", "coop", "Straße",
         "user#1", "user#10", "user#2", "USER#1", "\x7f", "résumé", "resume", "Resume", "ｆｕｌｌ", "\u200bx", "ﬁ", "fi"]

MAX_KEY = 1024      # bytes in a sort key
LONG = ["p" * 1022, "p" * 1022 + "q", "p" * 1023 + "a", "p" * 1024, "é" * 511, "é" * 512, "p" * 1022 + "é"]

BIG_A = "12345678901234567890123456789012345678"
BIG_B = "12345678901234567890123456789012345679"
NUMBERS = ["0", "1", "-1", "2", "3", "5", "7", "10", "100", "-10", "1.5", "-1.5", "0.1", "0.10000000000000001",
           "0.1000000000000000055511151231257827", "0.3", "0.30000000000000004", "9007199254740992",
           "9007199254740993", "12345678901234567890", BIG_A, BIG_B, "-" + BIG_A, "-" + BIG_B, "0." + BIG_A,
           "0." + BIG_B, "1E-130", "-1E-130", "2E-130", "1E125", "9.9E125", "-9.9E125", "1E100", "2147483647",
           "2147483648", "4.25", "12.34", "12.3", "99999999.99", "32767", "32768", "1E20"]

DATES = ["0001-01-01", "1582-10-15", "1899-12-31", "1969-12-31", "1970-01-01", "1999-12-31", "2000-01-01",
         "2000-02-29", "2023-12-31", "2024-01-01", "2024-01-02", "2024-02-29", "2024-03-01", "9999-12-31"]
TIMES = ["00:00:00", "00:00:00.001", "00:00:00.5", "12:34:56.789", "12:34:56", "23:59:59.999", "11:59:59.123456"]


def plain(number):
    """A number's digits without exponent or needless zeros, which is how they come back."""
    text = format(Decimal(number), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def quote(text):
    """A string literal."""
    return "'" + text.replace("'", "''") + "'"


def array_text(texts):
    """The text of a one-dimensional array; None is NULL."""
    parts = ("NULL" if t is None else '"' + t.replace("\\", "\\\\").replace('"', '\\"') + '"' for t in texts)
    return "{" + ",".join(parts) + "}"


class Kind:
    """One SQL type in one format."""

    group = "other"         # kinds of one group may be compared with each other
    deterministic = True
    sortable = True

    def __init__(self, sqltype, options=None, collation=None):
        self.sqltype = sqltype
        self.options = dict(options or {})
        self.collation = collation

    @property
    def name(self):
        """What the coverage calls it."""
        words = [self.sqltype] + [f'"{self.collation}"'] * bool(self.collation) + [self.options.get("format", "")]
        return " ".join(filter(None, words))

    def declare(self):
        """The type as a column has it."""
        return self.sqltype + (f' COLLATE "{self.collation}"' if self.collation else "")

    def one(self, rng):
        """One value: (text, attribute value)."""
        raise NotImplementedError

    def keyable(self, value):
        """May it be part of a key?"""
        kind, content = next(iter(value[1].items()))
        return kind in ("S", "B", "N") and 0 < len(content.encode()) <= MAX_KEY

    def pool(self, rng, size, key=False):
        """Distinct values."""
        found = {}
        for _ in range(size * 40):
            value = self.one(rng)
            if not key or self.keyable(value):
                found.setdefault(json.dumps(value[1]), value)
            if len(found) >= size:
                break
        return list(found.values())

    def odd(self, rng):
        """(text, type) of a constant that is special: no item may hold it."""
        raise NotImplementedError

    def rank(self, text):
        """Something to compare two values by, as PostgreSQL would for most of them."""
        return text

    def types(self, text):
        """The types that a constant of this text may be written in."""
        return [self.sqltype]


class Bare(Kind):
    """What a value is that comes from no column: of a type and a group, under the default collation."""

    def __init__(self, sqltype, group):
        super().__init__(sqltype.split("(", maxsplit=1)[0])
        self.group = group


class Text(Kind):
    """text, varchar(n), char(n)."""

    group = "text"
    words = WORDS

    def __init__(self, sqltype="text", collation=None, limit=None, domain=None, words=None):
        super().__init__(f"{sqltype}({limit})" if limit else sqltype, None, collation)
        self.base, self.limit, self.domain = sqltype, limit, domain
        self.words = words or WORDS
        self.deterministic = collation != "nd"
        self.likes = self.deterministic
        self.sortable = self.deterministic

    @property
    def name(self):
        return self.domain or super().name

    def declare(self):
        return self.domain or super().declare()

    def one(self, rng):
        pick, words = rng.random(), self.words
        if pick < 0.05 and not self.limit:
            text = rng.choice(words) * rng.choice([0, 40, 200]) if rng.random() < 0.6 or words is not WORDS else rng.choice(LONG)
        elif pick < 0.2:
            text = rng.choice(words) + rng.choice(words)
        elif pick < 0.24:
            text = ""
        else:
            text = rng.choice(words)
        text = text[:self.limit]
        return (text.rstrip(" ") if self.base == "char" else text), {"S": text}

    def rank(self, text):
        return text.encode() if self.collation == "C" else text.casefold()

    def odd(self, rng):
        word = rng.choice(self.words)
        if self.words is not WORDS:
            return rng.choice(["", word * 3, "x" * 1025, "p" * 2049, word[:1], "~"]), "text"
        return rng.choice(["", word + "\U0010ffff", "p" * 2048, "p" * 2049, word * 3, "x" * 1025, "p" * 1022, "p" * 1030, "é" * 1100, word[:1], "~"]), "text"

    def types(self, text):
        return ["text"] * 12 + ["varchar"] * 4 + ["bpchar"] if self.base != "char" else ["bpchar", "text"]


class Citext(Text):
    """citext, whose equal values have different letters."""

    def __init__(self):
        super().__init__("citext")
        self.sortable = False

    def types(self, text):
        return ["citext", "citext", "text", "varchar"]


def number_types(text):
    """The types that hold a number."""
    number = Decimal(text)
    if not number.is_finite() or number != number.to_integral_value():
        return ["numeric"]
    return [t for t, limit in Integer.limits.items() if -limit <= number < limit] + ["numeric"]


class LongText(Text):
    """Text about as long as a sort key may be."""

    def one(self, rng):
        text = "p" * rng.randint(MAX_KEY - 7, MAX_KEY) + rng.choice(["", "", "q", "é", "😀", "o", "\U0010ffff"])
        return text, {"S": text}

    def odd(self, rng):
        text = rng.choice(["p" * rng.randint(MAX_KEY - 7, MAX_KEY + 3), "p"])
        return text + rng.choice(["", "q", "z", "\U0010ffff"]), "text"


class Integer(Kind):
    """int2, int4, int8."""

    group = "number"
    limits = {"int2": 2 ** 15, "int4": 2 ** 31, "int8": 2 ** 63}

    def __init__(self, sqltype, options=None, domain=None):
        super().__init__(sqltype, options)
        self.limit, self.domain = self.limits[sqltype], domain

    @property
    def name(self):
        return self.domain or super().name

    def declare(self):
        return self.domain or self.sqltype

    def one(self, rng):
        number = rng.choice([rng.randint(-3, 12), rng.randint(-3, 12), rng.randint(-3, 12), rng.randint(0, 300),
                             self.limit - 1, -self.limit, rng.choice([2 ** 15, 2 ** 31 - 1, 2 ** 53 + 1])])
        number = max(-self.limit, min(self.limit - 1, number))
        return str(number), {"N": str(number)}

    def rank(self, text):
        return Decimal(text)

    def odd(self, rng):
        return rng.choice([(str(self.limit), "numeric"), (str(-self.limit - 1), "numeric"), ("1.5", "numeric"),
                           ("1e20", "numeric"), ("NaN", "numeric"), ("2147483648", "int8"), ("-0.5", "numeric"),
                           ("Infinity", "numeric"), ("-Infinity", "numeric"), ("0.5", "numeric")])

    def types(self, text):
        return number_types(text)


class Numeric(Kind):
    """numeric and numeric(p,s)."""

    group = "number"

    def __init__(self, precision=None, options=None, integral=False):
        self.integral = integral      # one of many integers
        super().__init__("numeric" + (f"({precision[0]},{precision[1]})" if precision else ""), options)
        self.precision = precision

    def one(self, rng):
        if self.integral:
            text = str(rng.randint(-5000, 5000))
            return text, {"N": text}
        if self.precision:
            scale = self.precision[1]
            number = Decimal(rng.choice([0, 1, 150, -150, 425, 1230, 1234, rng.randint(-999, 99999)])).scaleb(-scale)
        else:
            number = Decimal(rng.choice(NUMBERS)) if rng.random() < 0.7 else Decimal(rng.randint(-500, 500)) / 4
        text = plain(number)
        if self.options.get("format") == "string":
            encoded = rng.choice([text, text, " " + text, text + " ", f"{Decimal(text):E}"])
            return text, {"S": encoded if len(encoded) < 40 else text}
        return text, {"N": rng.choice([text, str(number)])}

    def rank(self, text):
        return Decimal(text)

    def odd(self, rng):
        return rng.choice(["NaN", "Infinity", "-Infinity", "1e130", "-1e130", "1e126", "-1e126", "1e-131", "-1e-131",
                           BIG_A + "0.5", BIG_A + "9", "1." + BIG_A + "7", "-1." + BIG_A + "7", "5e-131", "1e-400",
                           BIG_A + ".5", "-" + BIG_A + ".5"]), "numeric"

    def types(self, text):
        return ["numeric", "numeric"] + number_types(text)


class Float(Kind):
    """float4, float8."""

    group = "float"

    def one(self, rng):
        numbers = [n for n in NUMBERS if self.sqltype == "float8" or 1e-30 < abs(float(n)) < 1e30 or n == "0"]
        number = rng.choice(numbers)
        return plain(number), {"N": number}

    def rank(self, text):
        return Decimal(text)

    def odd(self, rng):
        return rng.choice(["NaN", "Infinity", "-Infinity", "-0", "1e30", "0.1", "0.2999999999999999889", "1e-30"]), \
            rng.choice(["float8", self.sqltype])

    def types(self, text):
        return [self.sqltype, self.sqltype, "float8", "numeric"] + \
            (["int4"] if number_types(text)[0] in ("int2", "int4") else [])


class Boolean(Kind):
    """boolean, represented in all ways or as a format defines."""

    group = "boolean"
    forms = {True: [{"BOOL": True}, {"BOOL": True}, {"N": "1"}, {"S": "t"}, {"S": "true"}, {"S": "Y"}],
                 False: [{"BOOL": False}, {"BOOL": False}, {"N": "0"}, {"S": "f"}, {"S": "false"}, {"S": "N"}]}

    def one(self, rng):
        flag = rng.random() < 0.5
        form = self.options.get("format")
        if form:
            words = form[len("bool("):-1].split(",")
            word = words[0 if flag else 1]
            return str(flag).lower(), {"N" if word.isdigit() else "S": word}
        return str(flag).lower(), rng.choice(self.forms[flag])

    def odd(self, rng):
        return rng.choice(["true", "false"]), "boolean"


class Bytes(Kind):
    """bytea."""

    def one(self, rng):
        data = rng.choice([b"", b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\xff", b"a", b"ab",
                           b"\x00\xff", bytes(rng.randrange(256) for _ in range(rng.randint(1, 4)))])
        return "\\x" + data.hex(), {"B": base64.b64encode(data).decode()}

    def odd(self, rng):
        data = rng.choice([b"", b"\xff" * 1025, b"\x00" * 3000, b"\x80\x00", b"\x7f\xff"])
        return "\\x" + data.hex(), "bytea"


class Uuid(Kind):
    """uuid."""

    def one(self, rng):
        text = str(uuid.UUID(int=rng.choice([0, 1, 0xA, 0xF0, 2 ** 128 - 1, 10 ** 38 - 7, 2 ** 127]) ^
                             rng.choice([0, 0, 0xAB << 120, 0xCD << 64, 5])))
        if self.options.get("format") == "string":
            return text, {"S": rng.choice([text, text.upper(), text.replace("-", "")])}
        return text, {"S": text}

    def odd(self, rng):
        text = str(uuid.UUID(int=rng.getrandbits(128)))
        return rng.choice([text, text.upper()]), "uuid"


class Date(Kind):
    """date."""

    group = "date"

    def one(self, rng):
        text = rng.choice(DATES) if rng.random() < 0.6 else \
            (datetime.date(2024, 1, 1) + datetime.timedelta(rng.randint(-40, 40))).isoformat()
        if self.options.get("format") == "epoch_days":
            days = (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
            return text, {"N": str(days)}
        return text, {"S": text}

    def types(self, text):
        return ["date"] * 4 + (["timestamp", "timestamptz"] if len(text) == 10 else [])

    def odd(self, rng):
        return rng.choice(["infinity", "-infinity", "10000-01-01", "0044-03-15 BC", "2024-01-15", "5874897-12-31",
                           "4713-01-01 BC"]), "date"


EPOCH = datetime.datetime(1970, 1, 1)


class Instant(Kind):
    """timestamptz and timestamp in any format."""

    group = "instant"

    def one(self, rng):
        form = self.options.get("format")
        day, time = rng.choice(DATES), rng.choice(TIMES)
        instant = datetime.datetime.fromisoformat(day) + self.time_of_day(time)
        if form in ("iso8601(3)", "epoch_ms"):
            instant = instant.replace(microsecond=instant.microsecond // 1000 * 1000)
        text = instant.isoformat(sep=" ") + ("+00" if self.sqltype == "timestamptz" else "")
        return text, self.compose(rng, instant, form)

    def types(self, text):
        return [self.sqltype] * 5 + ["timestamptz", "timestamp", "date"]

    @staticmethod
    def time_of_day(time):
        hours, minutes, seconds = time.split(":")
        return datetime.timedelta(hours=int(hours), minutes=int(minutes),
                                  microseconds=int(Decimal(seconds) * 1000000))

    @staticmethod
    def compose(rng, instant, form):
        micros = (instant - EPOCH) // datetime.timedelta(microseconds=1)
        if form in ("epoch", "epoch_ms"):
            return {"N": plain(Decimal(micros) / (1000000 if form == "epoch" else 1000))}
        if form == "iso8601(3)":
            return {"S": instant.isoformat(timespec="milliseconds") + "Z"}
        offset, suffix = rng.choice([(0, "Z"), (0, ""), (0, "+00:00"), (120, "+02:00"), (-330, "-0530"), (840, "+14")])
        if not datetime.datetime(2, 1, 1) < instant < datetime.datetime(9999, 1, 1):
            offset, suffix = 0, "Z"
        local = instant + datetime.timedelta(minutes=offset)
        text = local.isoformat(sep=rng.choice("TTt "), timespec=rng.choice(["auto", "microseconds"]))
        if rng.random() < 0.3 and text.endswith(":00"):
            text = text[:-3]
        return {"S": text + suffix}

    def odd(self, rng):
        text = rng.choice(["infinity", "-infinity", "294276-12-31 23:59:59", "4713-01-01 00:00:00 BC",
                           "2024-01-01 00:00:00.0005", "2024-01-01 00:00:00.000001", "9999-12-31 23:59:59.999999",
                           "0001-01-01 00:00:00.000001", "10000-01-01 00:00:00", "2024-01-15 10:00:00"])
        return text + ("" if text.endswith("infinity") or text.endswith("BC") or self.sqltype == "timestamp" else "+00"), self.sqltype


class Enum(Kind):
    """An enum, whose order is none of its representations'."""

    words = ["zero", "low", "high", "A"]

    def one(self, rng):
        word = rng.choice(self.words)
        return word, {"S": word}

    def odd(self, rng):
        return rng.choice(self.words), self.sqltype


class Inet(Kind):
    """inet: a type that only its input function knows, in several representations."""

    def one(self, rng):
        text = rng.choice(["10.0.0.1", "10.0.0.2", "10.0.0.10", "9.0.0.1", "::1", "10.0.0.0/8", "::ffff:1.2.3.4", "10.0.0.0/16",
                           f"10.0.{rng.randint(0, 3)}.{rng.randint(0, 40)}"])
        return text, {"S": rng.choice([text, text, text.upper(), text if "/" in text or ":" in text else text + "/32"])}

    def odd(self, rng):
        return "10.0.0.3", "inet"


class Oid(Kind):
    """oid: numbers without a sign, as text."""

    def one(self, rng):
        text = str(rng.choice([rng.randint(0, 99), rng.randint(0, 9), 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 2]))
        return text, {"S": rng.choice([text, text, "+" + text, " " + text])}

    def rank(self, text):
        return Decimal(text)

    def odd(self, rng):
        return rng.choice(["0", "4294967295", "2147483648"]), "oid"


class Json(Kind):
    """jsonb: documents, and now and then a scalar or a list."""

    group = "jsonb"
    sortable = False

    def __init__(self, sqltype, options=None, domain=None):
        super().__init__(sqltype, options)
        self.domain = domain

    def declare(self):
        return self.domain or super().declare()

    def one(self, rng):
        pick = rng.random()
        if pick < 0.75:
            return self.document(rng)
        if pick < 0.85:
            return as_json({"L": [scalar(rng) for _ in range(rng.randint(0, 3))]})
        return as_json(scalar(rng))

    @staticmethod
    def document(rng):
        members = {"k": {"S": rng.choice(WORDS)}, "n": {"N": plain(rng.choice(NUMBERS))},
                   "b": {"BOOL": rng.random() < 0.5}, "z": {"NULL": True}, "any": scalar(rng),
                   "a": {"M": {"b": {"M": {"c": scalar(rng)}}, "x y": {"S": "dotted"}}},
                   "l": {"L": [scalar(rng), {"M": {"c": scalar(rng)}}]}, "1": {"S": "one"}, "s": {"SS": ["one"]},
                   "x.y": scalar(rng)}
        return as_json({"M": {k: v for k, v in members.items() if rng.random() < 0.75}})

    def odd(self, rng):
        return rng.choice(["{}", "[]", "null", '"a"', "1", "true", '{"k": "a"}']), "jsonb"


class Document(Json):
    """The item, or what no other column shows of it."""

    def __init__(self, what):
        super().__init__("jsonb", {"document": what})
        self.rest = what == "rest"

    @property
    def name(self):
        return f"{self.sqltype} of the {self.options['document']}"


def scalar(rng):
    """An attribute value that is no document."""
    return rng.choice([{"S": rng.choice(WORDS)}, {"S": rng.choice(["", "1", "1.0", "true", "YWI=", "{x}", "null"])},
                       {"N": plain(rng.choice(NUMBERS))}, {"N": "1"}, {"BOOL": True}, {"BOOL": False}, {"NULL": True},
                       {"B": "YWI="}, {"B": ""}])


def json_text(value):
    """The JSON text of an attribute value."""
    kind, content = next(iter(value.items()))
    if kind == "N":
        return plain(content)
    if kind == "NULL":
        return "null"
    if kind == "M":
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {json_text(v)}" for k, v in content.items()) + "}"
    if kind in ("L", "SS", "NS", "BS"):
        parts = content if kind == "L" else [{kind[0]: s} for s in content]
        return "[" + ", ".join(json_text(part) for part in parts) + "]"
    return json.dumps(content, ensure_ascii=False)


def as_json(value):
    """A value of a jsonb column; a top-level NULL is SQL's."""
    return None if "NULL" in value else json_text(value), value


class Array(Kind):
    """text[] and numeric[]: sets and lists."""

    group = "array"
    sortable = False

    def __init__(self, element):
        super().__init__(element.sqltype + "[]")
        self.element = element

    def one(self, rng):
        values = [self.element.one(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        distinct = {v[0]: v for v in values if v[0] != "" and "\t" not in v[0]}
        letter = "S" if self.element.sqltype == "text" else "N"
        if distinct and rng.random() < 0.5:
            values = list(distinct.values())
            return array_text(v[0] for v in values), {letter + "S": [v[1][letter] for v in values]}
        parts = [(None, {"NULL": True}) if rng.random() < 0.1 else v for v in values]
        return array_text(p[0] for p in parts), {"L": [p[1] for p in parts]}

    def odd(self, rng):
        return rng.choice(["{}", "{NULL}"]), self.sqltype
