"""Tables whose keys and columns are spelled by a format: numbers, bytes and documents in S."""
import base64
import json

from dynamo import index
from edges import number, of_feature, strange
from twins import Column, Table, choose, keyed
from values import Bytes, Integer, Json, Numeric, Text

FORMATS = "keys spelled by a format"


class Padded(Integer):
    """Whole numbers from 0 on, of a width."""

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
        whole = min(self.digits, self.precision[0] - self.precision[1] if self.precision else 38)
        value = min(rng.choice([rng.randint(0, 12), rng.randint(0, 300), rng.randint(0, 10 ** whole), 10 ** whole - 1, 0]), 10 ** whole - 1)
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
        spelled = text.replace(": ", rng.choice([":", " : "])) if '": ' in text and rng.random() < 0.3 else text
        return text, {"S": spelled if json.loads(spelled) == json.loads(text) else text}


PADDED_MISFITS = [{"S": word} for word in ("7", "07", "0008", "x", "+12", "1.5", "-01", " 12", "99999999", "12a", "\u0661\u0662\u0663")]
BASE64_MISFITS = [{"S": word} for word in ("AA", "AB==", "A", "_-8=", "AA==\n", "=", "YWJ")]
JSON_MISFITS = [{"S": text} for text in ("", "{", "nul", '"\\ud800"', '{"k": "a"', '"\\u0000"', "01", '{"k": "a"} x')] + [{"M": {"k": {"S": "a"}}}]


def spelled_columns():
    """Columns beside the keys."""
    return [Column("p4", Padded("int4", 3), size=14), Column("pn", PaddedNumeric(4, (6, 2)), size=14), Column("bt", Base64(), size=14),
            Column("jt", JsonText(), size=30)] + choose("i4")


def make_spelled():
    """All of them."""
    null = {"on_mismatch": "null"}
    odd = [("7", "numeric"), ("12", "int4"), ("1.5", "numeric"), ("99999999", "int8")]
    return of_feature(
        FORMATS,
        Table("fp", 150, [keyed("pk", Padded("int4", 3), 7, skew=True), keyed("sk", PaddedNumeric(5), 70)],
              [number(), Column("px", Padded("int8", 19), size=9, absent=0.3), Column("bx", Base64(), size=9, absent=0.3)] + spelled_columns(),
              [index("g_px", ("px", ""), ("p4", "")), index("g_bx", ("bx", ""), ("pn", ""), "KEYS_ONLY"), index("l_p4", ("pk", ""), ("p4", ""), local=True),
               index("l_bt", ("pk", ""), ("bt", ""), local=True)]),
        Table("fb", 110, [keyed("pk", Base64(), 6, skew=True), keyed("sk", Base64(), 60)],
              [number(), Column("px", Padded("int2", 5), size=9, absent=0.2)] + spelled_columns(), [index("g_px", ("px", ""), ("bt", ""))],
              {"fetch_size": 9}),
        strange(Table("fm", 120, [keyed("pk", Padded("int2", 3), 6, skew=True), keyed("sk", Padded("int4", 4), 50)],
                      [number(), Column("hx", Text(collation="C"), size=4)] + spelled_columns(),
                      [index("g_p4", ("hx", ""), ("p4", "")), index("g_bt", ("bt", ""), ("pn", ""))], null,
                      loose={"pk": PADDED_MISFITS[:3], "sk": [{"S": word} for word in ("7", "0x07", "00007", "~", "1.50", "99999")], "p4": PADDED_MISFITS,
                             "pn": [{"S": word} for word in ("7", "007", "00008", "x", "+012", "01.5", "-001", "  12", "9999999999")], "bt": BASE64_MISFITS, "jt": JSON_MISFITS}),
                pk=odd, sk=odd, p4=odd, pn=odd))
