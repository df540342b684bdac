"""What a value of a column is stored as, and which values are refused: written from the manual alone, in nothing like the extension."""
import base64
import datetime
import json
import re
from decimal import Decimal, InvalidOperation

from values import EPOCH, plain

NUMBERS = ("int2", "int4", "int8", "numeric", "float4", "float8")


FIRST, LAST = -62135596800000000, 253402300799999999        # of the years 1 to 9999


class Refused(Exception):
    """A value that cannot be stored, according to the manual; with the SQLSTATE."""

    def __init__(self, sqlstate):
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


def parse_array(text):
    """The elements of the text of a one-dimensional array; None is NULL."""
    elements, position = [], 1
    while text[position] != "}":
        if text[position] == ",":
            position += 1
        if text[position] == "{":
            raise Refused("22023")
        if text[position] == '"':
            found = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S).match(text, position)
            elements.append(re.sub(r"\\(.)", r"\1", found[1], flags=re.S))
        else:
            found = re.compile(r"[^,}]*").match(text, position)
            elements.append(None if found[0] == "NULL" else found[0])
        position = found.end()
    return elements


def decimal(text):
    """A number that DynamoDB can hold."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Refused("22003") from None
    if not number.is_finite():
        raise Refused("22003")
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    if len(digits) > 38 or number != 0 and not Decimal("1E-130") <= abs(number) < Decimal("1E126"):
        raise Refused("22003")
    return number


def microseconds(text):
    """Those since 1970 of a date or time that PostgreSQL prints in UTC."""
    found = re.fullmatch(r"(\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(\.\d+)?(?:\+00)?)?( BC)?", text)
    if not found:
        raise Refused("22008")      # infinity
    year = 1 - int(found[1]) if found[8] else int(found[1])
    cycles = (year - 2000) // 400       # of the calendar
    day = datetime.date(year - cycles * 400, int(found[2]), int(found[3])).toordinal() + cycles * 146097 - datetime.date(1970, 1, 1).toordinal()
    seconds = int(found[4] or 0) * 3600 + int(found[5] or 0) * 60 + int(found[6] or 0)
    return (day * 86400 + seconds) * 10 ** 6 + int(Decimal(found[7] or 0) * 10 ** 6)


def store_time(text, form, sqltype):
    """Times in a format."""
    micros = microseconds(text)
    if form in ("epoch", "epoch_ms"):
        if form == "epoch_ms" and micros % 1000:
            raise Refused("22008")
        return {"N": plain(Decimal(micros) / (1000000 if form == "epoch" else 1000))}
    if form == "epoch_days":
        return {"N": str(micros // (86400 * 10 ** 6))}
    if not FIRST <= micros <= LAST:
        raise Refused("22008")
    time = EPOCH + datetime.timedelta(microseconds=micros)
    if sqltype == "date":
        return {"S": time.date().isoformat()}
    digits = int(form[8]) if form and form.startswith("iso8601(") else 0 if micros % 1000000 == 0 else 3 if micros % 1000 == 0 else 6
    if micros % 10 ** (6 - digits):
        raise Refused("22008")
    return {"S": time.isoformat(timespec={0: "seconds", 3: "milliseconds", 6: "microseconds"}[digits]) + "Z"}


def store_json(value, depth=0):
    """A JSON value."""
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, Decimal):
        return {"N": plain(decimal(value))}
    if isinstance(value, str):
        return {"S": value}
    if value is None:
        return {"NULL": True}
    if depth >= 32:
        raise Refused("54000")
    if isinstance(value, list):
        return {"L": [store_json(one, depth + 1) for one in value]}
    if "" in value:
        raise Refused("22023")
    return {"M": {name: store_json(one, depth + 1) for name, one in value.items()}}


def load_json(text):
    """JSON with exact numbers."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def store_array(text, element, form):
    """Sets and lists."""
    if form is None:
        raise Refused("0A000")
    parts = parse_array(text)
    if form == "list":
        return {"L": [{"NULL": True} if part is None else store(part, element, None) for part in parts]}
    if None in parts or not parts:
        raise Refused("22023")
    stored = [store(part, element, None) for part in parts]
    letter = next(iter(stored[0]))
    contents = [canonical(one)[letter] for one in stored]
    if len(set(contents)) < len(contents):
        raise Refused("22023")
    return {letter + "S": contents}


def store(text, sqltype, form):        # pylint: disable=too-many-return-statements
    """The attribute value of a text that PostgreSQL prints; None: it is NULL."""
    if text is None:
        return None
    base = sqltype.partition("(")[0]
    if base.endswith("[]"):
        return store_array(text, base[:-2], form)
    if base in NUMBERS and form == "string":
        return {"S": plain(Decimal(text)) if Decimal(text).is_finite() else text}
    if base in NUMBERS:
        number = decimal(text)
        if form and form.startswith("padded("):
            width = int(form[7:-1])
            if number < 0 or number != int(number) or number >= 10 ** width:
                raise Refused("22003")
            return {"S": str(int(number)).zfill(width)}
        return {"N": plain(number)}
    if base == "boolean":
        if not form:
            return {"BOOL": text in ("t", "true")}
        word = form[5:-1].split(",")[text not in ("t", "true")]
        return {"N" if word.isdigit() else "S": word}
    if base == "bytea":
        content = base64.b64encode(bytes.fromhex(text[2:])).decode()
        return {"S" if form == "base64" else "B": content}
    if base in ("date", "timestamp", "timestamptz"):
        return store_time(text, form, base)
    if base == "jsonb":
        if text == "null":
            raise Refused("22023")
        return store_json(load_json(text))
    if base == "inet":
        return {"S": re.sub(r"^([\d.]+)/32$|^([0-9a-f:.]+)/128$", lambda found: found[1] or found[2], text)}
    return {"S": text.rstrip(" ") if base == "char" else text}


def canonical(value):
    """An attribute value in a form that equal ones have in common: numbers by value, sets in any order."""
    kind, content = next(iter(value.items()))
    if kind == "N":
        return {"N": plain(content)}
    if kind == "M":
        return {"M": {name: canonical(one) for name, one in content.items()}}
    if kind == "L":
        return {"L": [canonical(one) for one in content]}
    if kind in ("SS", "NS", "BS"):
        return {kind: sorted(plain(one) if kind == "NS" else one for one in content)}
    return value


def canonical_item(item):
    """The same for an item."""
    return {name: canonical(value) for name, value in item.items()}


def hides_types(value):
    """Does JSON not show which types this has?"""
    kind, content = next(iter(value.items()))
    if kind in ("M", "L"):
        return any(map(hides_types, content.values() if kind == "M" else content))
    return kind in ("SS", "NS", "BS", "B")


def comparable(text, sqltype, as_set=False):
    """The text of a value without what may differ: zeros at the end of numbers, the order of a set."""
    base = sqltype.partition("(")[0]
    if text is None:
        return None
    if base in ("numeric", "float4", "float8"):
        number = Decimal(text)
        return plain(number) if number.is_finite() else text
    if base == "jsonb":
        return json.dumps(load_json(text), sort_keys=True, default=plain)
    if base.endswith("[]"):
        parts = [comparable(part, base[:-2]) for part in parse_array(text)]
        return repr(sorted(parts, key=repr) if as_set else parts)
    return text
