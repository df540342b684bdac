"""jsonb columns: the datum is, byte for byte, the one that PostgreSQL makes of the same JSON."""
import decimal
import json
import random

import fixture

STRINGS = ["", "a", "b", "aa", "ab", "é", "日本", "😀", "a\"b", "back\\slash", "line\nbreak", "/", "x" * 40, "\u0001", " "]
NUMBERS = ["0", "1", "-1", "42", "1.5", "-0.25", "123456789012345678", "1234567890123456789", "1" * 38, "0." + "1" * 38,
           "9" * 38 + "0" * 88, "0." + "0" * 129 + "1", "0.0001", "10000", "100000000"]


# Representations that DynamoDB itself would not send.
NUMBER_TEXTS = ["0.0", "-0", "-0.00", "1.50", "10.0", "100.", "007", "-007.70", "+5", ".5", "-.05", "5.", "1E5", "1e-5", "-1.5E+3", "0E9",
             "0" * 50 + "1", "1" + "0" * 60, "0." + "0" * 45 + "12", "1" * 30 + "." + "0" * 20, "12345.00010000", "1E125", "9.9E-130"]


def number_text(rng):
    """A number of at most 38 digits, zeros in front and at the end included."""
    digits = "".join(rng.choice("0123456789" if rng.random() < 0.7 else "0") for _ in range(rng.randrange(1, 39)))
    point = rng.randrange(len(digits) + 1)
    return rng.choice(["", "-"]) + (digits if rng.random() < 0.4 else digits[:point] + "." + digits[point:])


def canonical(number):
    """The number as DynamoDB sends it."""
    with decimal.localcontext() as context:
        context.prec = 200
        value = decimal.Decimal(number).normalize()
        return format(value, "f") if value else "0"


class Number:
    """A number with its digits, which Python's own numbers would change."""

    def __init__(self, text):
        self.text = text


def document(rng, depth):
    """A value as Python objects."""
    kind = rng.randrange(6 if depth > 0 else 4)
    if kind == 0:
        return rng.choice(STRINGS)
    if kind == 1:
        return Number(rng.choice(NUMBERS))
    if kind == 2:
        return rng.choice([True, False, None])
    if kind == 3:
        return str(rng.random())
    length = rng.choice([0, 1, 2, 3, 7, 31, 32, 33, 70] if depth == 1 else [0, 1, 2, 5, 20])
    if kind == 4:
        return [document(rng, depth - 1) for _ in range(length)]
    return {rng.choice(STRINGS) + str(rng.randrange(length * 2)) * rng.randrange(3): document(rng, depth - 1) for _ in range(length)}


def attribute(value):
    """The value as DynamoDB has it."""
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, Number):
        return {"N": value.text}
    if isinstance(value, bool):
        return {"BOOL": value}
    if value is None:
        return {"NULL": True}
    if isinstance(value, list):
        return {"L": [attribute(member) for member in value]}
    return {"M": {name: attribute(member) for name, member in value.items()}}


def text(value):
    """The value as JSON."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, list):
        return "[" + ",".join(text(member) for member in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(name) + ":" + text(member) for name, member in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


class Jsonb(fixture.TestCase):
    def compare(self, documents):
        """The column of a table with these documents, and PostgreSQL's own jsonb of them (NULL alone is SQL's)."""
        documents = [[None] if value is None else value for value in documents]
        items = [{"pk": {"S": f"{i:05}"}, "v": attribute(value)} for i, value in enumerate(documents)]
        with fixture.FakeDynamo() as fake:
            fake.table("t", ("pk", "S"), items=items)
            self.fx.execute("DROP SERVER IF EXISTS s CASCADE; DROP TABLE IF EXISTS l")
            self.fx.server("s", fake.endpoint, scan_policy="allow")
            self.fx.foreign_table("t", "pk text, v jsonb", server="s")
            self.fx.execute("CREATE TEMP TABLE l (pk text, v jsonb)")
            for item, value in zip(items, documents):
                self.fx.execute("INSERT INTO l VALUES (%s, %s::jsonb)", (item["pk"]["S"], text(value)))
            self.assertEqual(self.fx.rows("SELECT pk, t.v, l.v FROM t JOIN l USING (pk) WHERE NOT record_image_eq(ROW(t.v), ROW(l.v))"),
                             [])
            self.assertEqual(self.fx.value("SELECT count(*) FROM t JOIN l USING (pk, v)"), len(documents))

    def test_scalars(self):
        self.compare(STRINGS + [Number(number) for number in NUMBERS] + [True, False, [], {}])

    def test_long(self):
        """More members than one offset serves, names of all lengths, and a large document."""
        self.compare([[Number(str(i)) for i in range(1000)], {f"{'n' * (i % 40)}{i}": i % 2 == 0 for i in range(1000)},
                      {str(i): {str(j): [Number(str(j)), "x" * j] for j in range(40)} for i in range(40)},
                      [i % 3 == 0 for i in range(20000)], {"one": Number("1")}])

    def test_names_that_differ_late(self):
        """Of one length and with one beginning, of nearly one length, many and few."""
        for count in (2, 15, 16, 17, 100):
            self.compare([{f"{start}{i:03}": Number(str(i)) for i in random.Random(count).sample(range(1000), count)}
                          for start in ("", "a", "abc", "abcd", "é" * 3, "a long beginning ")])
        self.compare([{"x" * length + end: end for length in (5, 6, 7, 65535, 65536, 65537) for end in "ba"}])

    def test_representations_of_numbers(self):
        """In jsonb a number has no zeros after its last decimal place; a numeric has those that are stored."""
        rng = random.Random(23)
        numbers = NUMBER_TEXTS + [number_text(rng) for _ in range(500)]
        items = [{"pk": {"S": str(i)}, "v": {"L": [{"N": number}, {"NS": [number]}]}, "n": {"N": number}} for i, number in enumerate(numbers)]
        with fixture.FakeDynamo() as fake:
            fake.table("t", ("pk", "S"), items=items)
            self.fx.execute("DROP SERVER IF EXISTS s CASCADE; DROP TABLE IF EXISTS l")
            self.fx.server("s", fake.endpoint, scan_policy="allow")
            self.fx.foreign_table("t", "pk text, v jsonb, n numeric", server="s")
            self.fx.execute("CREATE TEMP TABLE l (pk text, v jsonb, n numeric)")
            for i, number in enumerate(numbers):
                plain = len(number.strip("-.")) <= 38 and not set(number) & set("E+e")
                self.fx.execute("INSERT INTO l VALUES (%s, format('[%%s, [%%1$s]]', %s)::jsonb, %s::numeric)",
                                (str(i), canonical(number), number if plain else canonical(number)))
            self.assertEqual(self.fx.rows("SELECT pk, t.n::text, l.n::text, t.v, l.v FROM t JOIN l USING (pk) "
                                          "WHERE NOT record_image_eq(ROW(t.v, t.n), ROW(l.v, l.n))"), [])
            self.assertEqual(self.fx.value("SELECT count(*) FROM t JOIN l USING (pk, v, n)"), len(numbers))

    def test_deep(self):
        for depth in (2, 30, 31):
            value = Number("1")
            for level in range(depth):
                value = [value] if level % 2 else {"n": value, "m": "between"}
            self.compare([value])

    def test_random(self):
        rng = random.Random(20)
        self.compare([document(rng, 1 + i % 4) for i in range(400)])

    def test_escaped_slashes(self):
        """JSON may represent a slash with a backslash, in binary values and in names as well."""
        with fixture.FakeDynamo() as fake:
            fake.table("t", ("pk", "S"))
            fake.on("Scan", b'{"Count":1,"ScannedCount":1,"Items":[{"pk":{"S":"a"},"v":{"M":{"a\\/b":{"B":"\\/w=="},"c":{"BS":["\\/w=="]}}}}]}')
            self.fx.execute("DROP SERVER IF EXISTS s CASCADE")
            self.fx.server("s", fake.endpoint, scan_policy="allow")
            self.fx.foreign_table("t", "pk text, v jsonb", server="s")
            self.assertEqual(self.fx.value("SELECT v FROM t"), {"a/b": "/w==", "c": ["/w=="]})
