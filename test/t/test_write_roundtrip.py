"""What is written is read as the same value, and written again as the same attribute: random values of every type and format that can be written."""
import base64
import json
import random
import struct

import fixture
from volume import volume

ROWS = volume(25, 100)
SEED = 6
WORDS = ["", " ", "a", "Z", "é", "😀", "\u00a0", "'", '"', "\\", "\n", "\t", "\u0001", "{", "}", ",", "NULL", "null", "#", "$", "a b", "x" * 40]
INTEGERS = {"smallint": 15, "integer": 31, "bigint": 63}


def text(rng, most=6):
    """Any characters but U+0000."""
    return "".join(rng.choice(WORDS) for _ in range(rng.randint(0, most)))


def integer(rng, bits, least=None):
    """Of any size; both ends."""
    low, high = -2 ** bits if least is None else least, 2 ** bits - 1
    return str(rng.choice([low, high, 0, rng.randint(low, high), max(low, min(high, rng.randint(-1000, 1000)))]))


def digits(rng, most):
    """That many at most, without zeros at the ends."""
    found = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, most))).strip("0")
    return found or "7"


def numeric(rng):
    """Up to 38 digits at any place that DynamoDB has."""
    significant = digits(rng, 38)
    exponent = rng.choice([0, rng.randint(-130, 125 - len(significant)), rng.randint(-len(significant), 3)])
    return rng.choice(["", "-"]) + significant + f"e{max(exponent, -130)}"


def real(rng, letter):
    """Any bits that are a number in the range of DynamoDB."""
    while True:
        size = struct.calcsize(letter)
        value = struct.unpack(letter, rng.getrandbits(size * 8).to_bytes(size, "little"))[0] if rng.random() < 0.8 else rng.uniform(-1000, 1000)
        if value == 0 or 1e-129 < abs(value) < 1e125:
            return repr(value)


def raw(rng):
    """Bytes."""
    return bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 2, 3, 10])))


def instant(rng, places, first=1, last=9999):
    """A time with a number of digits after the seconds."""
    year = rng.choice([first, last, 1969, 1970, 2000, rng.randint(first, last)])
    fraction = f".{rng.randrange(10 ** places):0{places}}" if places and rng.random() < 0.7 else ""
    return f"{abs(year):04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} {rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}{fraction}" + (" BC" if year < 0 else "")


def day(rng, first=1, last=9999):
    """A date."""
    return instant(rng, 0, first, last).replace(" BC", "").partition(" ")[0]


def document(rng, depth=0):
    """JSON of any kind, but null at the top."""
    pick = rng.random()
    if depth < 4 and pick < 0.3:
        return {(text(rng, 2) or "k"): document(rng, depth + 1) for _ in range(rng.randint(0, 4))}
    if depth < 4 and pick < 0.5:
        return [document(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    return rng.choice([text(rng), True, False, rng.randint(-10 ** 9, 10 ** 9), rng.randint(-100, 100) / 8] + [None] * (depth > 0))


def array(rng, one, different):
    """Elements as the text of an array; a set has at least one, and each of them once."""
    elements = [one(rng) for _ in range(rng.randint(1 if different else 0, 5))]
    if different:
        elements = list(dict.fromkeys(elements))
    elif elements and rng.random() < 0.3:
        elements[-1] = None
    return "{" + ",".join("NULL" if e is None else '"' + e.replace("\\", "\\\\").replace('"', '\\"') + '"' for e in elements) + "}"


def hexadecimal(rng):
    """The text of a bytea."""
    return "\\x" + raw(rng).hex()


def spanning(rng):
    """The text of an int4range."""
    low = rng.randint(-100, 100)
    return rng.choice(["empty", "(,)", f"[{low},{low + rng.randint(1, 50)})", f"[{low},)"])


def columns():
    """(type, format, function that makes a text)."""
    found = [("text", None, text), ("varchar(5)", None, lambda rng: text(rng, 9)[:5]), ("char(6)", None, lambda rng: text(rng, 4)[:6].rstrip(" ")), ("interval", None, lambda rng: f"{rng.randint(-99, 99)} days {rng.randint(0, 10 ** 9)} us"),
             ("inet", None, lambda rng: f"10.{rng.randrange(256)}.0.1/{rng.randint(0, 32)}"), ("int4range", None, spanning), ("point", None, lambda rng: f"({real(rng, '<d')},{rng.randint(-5, 5)})"),
             ("color", None, lambda rng: rng.choice(["red", "dark blue"])), ("small", None, lambda rng: str(rng.randint(1, 9))), ("name_", None, lambda rng: text(rng, 3)),
             ("boolean", None, lambda rng: rng.choice("tf")), ("boolean", "bool(Y,N)", lambda rng: rng.choice("tf")), ("boolean", "bool(1,0)", lambda rng: rng.choice("tf")),
             ("bytea", None, hexadecimal), ("bytea", "base64", hexadecimal), ("real", None, lambda rng: real(rng, "<f")), ("double precision", None, lambda rng: real(rng, "<d")), ("real", "string", lambda rng: real(rng, "<f")),
             ("double precision", "string", lambda rng: real(rng, "<d")), ("numeric", None, numeric), ("numeric", "string", numeric), ("numeric(20,4)", None, lambda rng: f"{rng.randint(-10 ** 16, 10 ** 16)}.{rng.randrange(10 ** 4):04}"),
             ("numeric", "padded(38)", lambda rng: digits(rng, 38)), ("jsonb", None, lambda rng: json.dumps(document(rng))), ("json", None, lambda rng: json.dumps(document(rng))), ("jsonb", "json", lambda rng: json.dumps(document(rng, 1)))]
    for name, bits in INTEGERS.items():
        found += [(name, None, lambda rng, bits=bits: integer(rng, bits)), (name, "string", lambda rng, bits=bits: integer(rng, bits)), (name, "padded(19)", lambda rng, bits=bits: integer(rng, bits, 0))]
    for form in (None, "string"):
        found.append(("uuid", form, lambda rng: f"{rng.getrandbits(128):032x}"))
    for form in (None, "iso8601", "iso8601(0)", "iso8601(3,)", "pattern(DD.MM.YYYY)", "pattern(YYYYMMDD)"):
        found.append(("date", form, day))
    for form in ("epoch", "epoch(0)", "epoch_ms", "epoch_us", "epoch_days"):
        found.append(("date", form, lambda rng: day(rng, 1, 99999)))
    for name in ("timestamptz", "timestamp"):
        for form, places in [(None, 6), ("iso8601", 6), ("iso8601(3, UTC)", 3), ('pattern(YYYYMMDD"T"HH24MISS"Z")', 0), ("pattern(DD/MM/YYYY HH24:MI:SS.US)", 6)] + [(f"iso8601({n})", n) for n in range(7)]:
            found.append((name, form, lambda rng, places=places: instant(rng, places)))
        for form, places in [("epoch", 6), ("epoch_ms", 3), ("epoch_us", 6)] + [(f"epoch({n})", n) for n in range(7)]:
            found.append((name, form, lambda rng, places=places: instant(rng, places, -4000, 200000)))
    for name, one in (("text", text), ("integer", lambda rng: integer(rng, 31)), ("numeric", numeric), ("bytea", hexadecimal), ("uuid", lambda rng: f"{rng.getrandbits(128):032x}"),
                      ("date", day), ("timestamptz", lambda rng: instant(rng, 6)), ("double precision", lambda rng: real(rng, "<d"))):
        found.append((name + "[]", "list", lambda rng, one=one: array(rng, one, False)))
        if name != "double precision":
            found.append((name + "[]", "set", lambda rng, one=one: array(rng, one, True)))
    found += [("boolean[]", "list", lambda rng: array(rng, lambda rng: rng.choice("tf"), False)), ("jsonb[]", "list", lambda rng: array(rng, lambda rng: json.dumps(document(rng)), False))]
    return found


def stored(item):
    """With sets in one order."""
    return {name: {kind: sorted(content) if kind in ("SS", "NS", "BS") else content for kind, content in value.items()} for name, value in item.items()}


class RoundTrip(fixture.TestCase):
    """One table with all of them, copied to a second one."""

    def items(self, name):
        """All of a table, by key."""
        body, found = {"TableName": self.fx.remote(name)}, {}
        while True:
            page = self.fx.dynamo.call("Scan", body)
            found.update({item["pk"]["S"]: stored(item) for item in page["Items"]})
            if "LastEvaluatedKey" not in page:
                return found
            body["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def test_values_and_attributes(self):
        fx, rng = self.fx, random.Random(SEED)
        fx.execute("SET timezone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'; CREATE TYPE color AS ENUM ('red', 'dark blue'); CREATE DOMAIN small AS int CHECK (VALUE BETWEEN 1 AND 9); CREATE DOMAIN name_ AS text")
        made = columns()
        local = ", ".join(f"c{n} {name}" for n, (name, _, _) in enumerate(made))
        far = ", ".join(f"c{n} {name}" + (f" OPTIONS (format $${form}$$)".replace("$$", "'") if form else "") for n, (name, form, _) in enumerate(made))
        fx.execute(f"CREATE TABLE value (pk text, {local})")
        for name in ("first", "second"):
            fx.create_table(name, ("pk", "S"))
            fx.foreign_table(name, f"pk text NOT NULL, {far}", updatable="on")
        for row in range(ROWS):
            values = [None if rng.random() < 0.05 else make(rng) for _, _, make in made]
            fx.execute(f"INSERT INTO value VALUES ({', '.join(['%s'] * (len(made) + 1))})", [str(row), *values])
        fx.execute("INSERT INTO first SELECT * FROM value; INSERT INTO second SELECT * FROM first")
        for n, (name, form, _) in enumerate(made):
            with self.subTest(type=name, format=form):
                shown = f"{{t}}.c{n}"
                if name in ("json", "jsonb"):
                    shown += "::jsonb"
                elif name == "point":
                    shown += "::text"
                elif form == "set":
                    shown = f"(SELECT array_agg(e ORDER BY e) FROM unnest({shown}) e)"
                same = f"{shown.replace('{t}', 'v')} IS NOT DISTINCT FROM {shown.replace('{t}', 'f')}"
                self.assertEqual(fx.rows(f"SELECT v.c{n}::text, f.c{n}::text FROM value v LEFT JOIN first f USING (pk) WHERE NOT ({same})"), [])
        items = [self.items(name) for name in ("first", "second")]
        self.assertEqual(len(items[0]), ROWS)
        for n, (name, form, _) in enumerate(made):
            with self.subTest(type=name, format=form):
                self.assertEqual(*[{key: item.get(f"c{n}") for key, item in found.items()} for found in items])
