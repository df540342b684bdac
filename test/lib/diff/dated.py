"""Times as parts of keys: each format, as the last part, the first, or between others, next to separators that it holds itself or not.

Near the rows are items of other entities: something after a time, or too little; and, where a mismatch is no error, times of another
width, with a fraction or without, and such as there are none.
"""
import datetime
import re

from composed import Entity, Part, Store, Template, SmallInteger, payload, rest
from dynamo import index
from names import shuffled
from twins import Column
from values import DATES, Instant

LAST, FIRST, BETWEEN, ADJOINING, HELD, CHILD, WIDTH = TIMED = [
    "times: the last part", "times: the first part", "times: between parts", "times: beside a part without a literal", "times: a separator that the format holds",
    "times: near something behind a time", "times: near a time of another width"]
FORMATS = [f"iso8601({n})" for n in range(7)] + ["iso8601(0,)", "iso8601(3,)", "iso8601(2,+z)", "pattern(YYYYMMDDHH24MISS)", "pattern(YYYYMMDDHH24MISSMS)", 'pattern(YYYY-MM-DD"T"HH24:MI)',
                                                'pattern(YYYY"h"MM)', "pattern(DD.MM.YYYY)", "pattern(YYYY-MM-DD HH24)", "pattern(YYYY/MM/DD)", "pattern(YYYYMMDDHH24MISSUS)", ""]
FIELDS = {"YYYY": ("{0.year:04}", "{4}"), "MM": ("{0.month:02}", "{2}"), "DD": ("{0.day:02}", "{2}"), "HH24": ("{0.hour:02}", "{2}"), "MI": ("{0.minute:02}", "{2}"),
          "SS": ("{0.second:02}", "{2}"), "MS": ("{1:03}", "{3}"), "US": ("{0.microsecond:06}", "{6}")}
UNITS = [("US", 1), ("MS", 1000), ("SS", 10 ** 6), ("MI", 60 * 10 ** 6), ("HH24", 3600 * 10 ** 6)]
# On both sides of what an hour more or less makes of a day.
DAYS = DATES[3:-1] + ["2024-03-31", "2024-10-27", "2011-12-30"]


def feature(form):
    """What the coverage calls the format."""
    return "times: " + (re.sub(r"\(.*", "", form) if form.startswith("pattern") else form or "a date as it is")


def pieces(form):
    """A format's fields and literals, in turn: literal, field, ..., literal."""
    if not form.startswith("pattern"):
        digits, _, suffix = re.fullmatch(r"(?:iso8601\((\d)(,?)(.*)\))?", form).groups() if form else (None, "", "")
        fraction = f'."FRACTION"' if digits and digits != "0" else ""
        form = 'pattern(YYYY-MM-DD' + (f'"T"HH24:MI:SS{fraction}"{suffix or ("" if "," in form else "Z")}"' if digits else "") + ")"
    return re.split("(YYYY|MM|DD|HH24|MI|SS|MS|US|FRACTION)", form[len("pattern("):-1].replace('"', ""))


class Moment(Instant):
    """Times that a format can compose; the format is in templates."""

    def __init__(self, sqltype, form):
        super().__init__(sqltype)
        self.form, self.pieces = form, pieces(form)
        self.group = "date" if sqltype == "date" else "instant"
        digits = int(form[8]) if form.startswith("iso") else None
        self.digits = digits
        self.unit = 10 ** (6 - digits) if digits is not None else next((unit for field, unit in UNITS if field in self.pieces), None)

    @staticmethod
    def matching(form):
        """The types whose values the format represents."""
        days = form == "" or not ("HH24" in form or form.startswith("iso"))
        return ["date"] * (2 if days else 0) + ([] if form == "" else ["timestamptz", "timestamp"])

    def one(self, rng):
        moment = datetime.datetime.fromisoformat(rng.choice(DAYS)) + self.time_of_day(rng.choice(["00:00:00", "12:34:56.789123", "23:59:59.999999", "01:30:00", "02:30:00", "10:00:00.5"]))
        if "DD" not in self.pieces and self.form:
            moment = moment.replace(day=1)
        if self.unit is None or self.sqltype == "date":
            moment = datetime.datetime.combine(moment, datetime.time())
        else:
            moment -= (moment - datetime.datetime(1970, 1, 1)) % datetime.timedelta(microseconds=self.unit)
        shown = moment.date().isoformat() if self.sqltype == "date" else moment.isoformat(sep=" ") + "+00" * (self.sqltype == "timestamptz")
        return shown, {"S": self.encoded(moment)}

    def encoded(self, moment):
        """The text in a key."""
        out = ""
        for number, piece in enumerate(self.pieces):
            if number % 2 == 0:
                out += piece
            elif piece == "FRACTION":
                out += f"{moment.microsecond:06}"[:self.digits]
            else:
                out += FIELDS[piece][0].format(moment, moment.microsecond // 1000)
        return out

    def regex(self):
        """Texts of that width and those characters."""
        return "".join(f"\\d{{{self.digits}}}" if piece == "FRACTION" else "\\d" + FIELDS[piece][1] if number % 2 else re.escape(piece)
                       for number, piece in enumerate(self.pieces))

    def charset(self):
        """The characters of all texts."""
        return set("0123456789").union(*self.pieces[::2])

    def odd(self, rng):
        moved = rng.choice(["infinity", "-infinity", "2024-01-01 00:00:00.0005", "2024-02-29 12:34:56.789124", "1970-01-01 00:00:00.000001", "10000-01-01 00:00:00", "2024-03-31 02:30:00"])
        return moved, rng.choice(["timestamptz", "timestamp", self.sqltype]) if "0005" not in moved else "timestamptz"

    def types(self, text):
        return [self.sqltype] * 5 + (["date"] if len(text) == 10 else ["timestamptz", "timestamp"])


class Dated(Entity):
    """One of them; `times` are its columns of times."""

    def __init__(self, name, store, columns, template, **options):
        self.times = {c.name: c.kind for c in columns if isinstance(c.kind, Moment)}
        self.sort = Template(template)
        prefix = name + "#"
        templates = {"pk": prefix + "${id}", "sk": template}
        lasts = [n for n in self.times if n == self.sort.names[-1]]
        if lasts and self.sort.literals[-1] == "":
            templates["gx"] = f"{name}/${{id}}/${{{lasts[0]}{':' * bool(self.times[lasts[0]].form)}{self.times[lasts[0]].form}}}"
        super().__init__(name, store, 26, [Column("id", SmallInteger("int4", 0, 4), size=5)] + columns + [payload(), rest()], templates, near=[], trusted_indexes="g_x" if "gx" in templates else "g_inv", **options)
        self.near = [lambda item, change=change: self.nearly(item, change) for change in self.changes()]
        self.note_traits()

    def note_traits(self):
        """What the coverage counts."""
        sort, self.traits = self.sort, self.traits + [feature(kind.form) for kind in self.times.values()]
        for number, name in enumerate(sort.names):
            if name not in self.times:
                continue
            suffix = sort.literals[number + 1]
            last, first = number + 1 == len(sort.names), number == 0
            self.traits += [LAST] * last + [FIRST] * first + [BETWEEN] * (not last and not first) + [ADJOINING] * (not last and not suffix)
            self.traits += [HELD] * bool(suffix and suffix[0] in self.times[name].charset())

    def changes(self):
        """(trait, function of the text of a sort key and of the place of a time in it); none where a text may hold its separator."""
        if any(spec == "" and name == "w" for name, spec in zip(self.sort.names, self.sort.specs)):
            return []
        outside = lambda kind: next(c for c in "#|~" if c not in kind.charset())
        found = []
        for name, kind in self.times.items():
            if name == self.sort.names[-1] and self.sort.literals[-1] == "" and (kind.form or "#" in "".join(self.sort.literals)):
                found += [(CHILD, lambda text, spot, more=more, kind=kind: text + outside(kind) + more) for more in ("", "ITEM", "ITEM#1", "2024-01-01")]
            found.append((CHILD, lambda text, spot: text[:spot[1]] if text[spot[1]:spot[1] + 1].strip("0123456789") else None))
            if "on_mismatch" in self.options:
                found += [(WIDTH, lambda text, spot, by=by: text[:spot[0]] + by(text[slice(*spot)]) + text[spot[1]:]) for by in WRONG]
        return found

    def nearly(self, item, change):
        """A change of an item that makes none of a row, unless it would be another row."""
        trait, make = change
        text = item["sk"]["S"]
        matched = re.fullmatch(self.regex(), text, re.DOTALL)
        changed = make(text, matched.span(f"t{len(self.times) - 1}")) if matched else None
        if not changed or re.fullmatch(self.regex(), changed, re.DOTALL):
            return {}
        self.traits.append(trait)
        return {"sk": changed}

    def regex(self):
        """What the sort key is like, loosely."""
        out = re.escape(self.sort.literals[0])
        for name, literal in zip(self.sort.names, self.sort.literals[1:]):
            out += f"(?P<t{list(self.times).index(name)}>{self.times[name].regex()})" if name in self.times else ".+"
            out += re.escape(literal)
        return out


# Texts that the format cannot have produced; those that are times after all are left out.
WRONG = [lambda time: time[:-1], lambda time: time + "0", lambda time: time[0] + time, lambda time: time[1:], lambda time: re.sub(r"Z?$", ".5Z", time), lambda time: re.sub(r"\.\d+", "", time),
         lambda time: time.replace("T", " "), lambda time: time.lower(), lambda time: re.sub(r"Z$", "+00:00", time), lambda time: re.sub(r"\d", "x", time, count=1), lambda time: "x", lambda time: ""]


def make_dated(rng):
    """(stores, tables): all formats in any run, several shapes."""
    store = Store(rng, "dated", ["pk", "sk"], [index("g_inv", ("sk", "S"), ("pk", "S")), index("g_x", ("gx", "S"), ("sk", "S"))])
    forms, tables = shuffled(rng, FORMATS), []
    word = lambda name: Column(name, Part("C", words=["a", "b", "Z", "ab", "é"]), size=5)
    number = lambda name: Column(name, SmallInteger("int4", 0, 99), size=9)

    def moment(name, held):
        form = rng.choice(FORMATS[:10]) if held else forms.pop() if forms else rng.choice(FORMATS)
        place = f"${{{name}{':' * bool(form)}{form}}}"
        return Column(name, Moment(rng.choice(Moment.matching(form)), form), size=14), place

    shapes = ["e#{at}", "A-{at}", "{at}", "{at}#${{w}}", "{at}-${{n}}", "{at}${{n:padded(3)}}", "e-${{w}}-{at}-${{n}}", "e#${{w}}#{at}#${{n:padded(3)}}", "{at}T{to}", "{at}{to}",
              "e/${{n}}/{at}", "{at}:${{w}}", "{at}.${{n}}", "{at}#{to}", "x|{at}", "${{w}}#{at}", "v{at}", "{at}#"]
    for n, shape in enumerate(shapes):
        (at, at_place), (to, to_place) = moment("at", "{at}-" in shape), moment("to", False) if "{to}" in shape else (None, "")
        template = shape.format(at=at_place, to=to_place).replace("${w}", rng.choice(["${w}", "${w:plain}", "${w:plain}"]))
        columns = [c for c in (at, to, word("w") if "${w" in template else None, number("n") if "${n" in template else None) if c]
        tables.append(Dated(f"da{n}", store, columns, template, **rng.choice([{}, {"on_mismatch": "null"}])))
    return [store], tables
