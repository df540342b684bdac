"""Tables of several entities in one DynamoDB table, whose keys are composed of columns: the option key_templates.

The entities are made here, as values of columns, and their keys are composed here; there are also items that are
nearly one of them. The local twins hold the values, so that nothing that the extension reads decides what is expected.
"""
import datetime
import json
import re
import uuid
import zoneinfo

from dynamo import index
from fixture import options_clause
from names import Names, named_features, shuffled
from twins import Column, Table, make_remote
from values import Boolean, Date, Document, Instant, Integer, Numeric, Text, Uuid, json_text

COMPOSED = "keys composed of columns"

# No separator of a template; few enough that entities refer to each other.
WORDS = ["a", "A", "ab", "b", "ä", "ünï", "Straße", '"q"', "a\\b", "two\nlines", "10", "007", "a%", "a_b", "😀", "z", "~", "a b", "-1", "\u00e9", "e\u0301"]
SEPARATED = ["a#b", "#", "a#", "#b", "b/a", "/", "a/", "a|b", "##"]
FOLDED = ["NO", "No", "no", "SE", "se", "a b", "ÅL", "ål", "Straße", "x", "X", "10", "İ", "\u212a"]
UUIDS = [str(uuid.UUID(int=n)) for n in (0, 0xA, 0xAB << 120, 2 ** 128 - 1, 2 ** 127)]


class Part(Text):
    """Text that is a part of a key; `more` are texts with separators, and the empty one, if it may have them."""

    def __init__(self, collation=None, words=None, more=()):
        super().__init__(collation=collation, words=(words or WORDS) + list(more))

    def one(self, rng):
        text = rng.choice(self.words)
        return text, {"S": text}

    def odd(self, rng):
        word = rng.choice(self.words)
        return rng.choice(["", "", rng.choice(SEPARATED), word + rng.choice("#/|$") + rng.choice(self.words), word + "#", "x" * 1025, "p" * 1020, "p" * 2046, "p" * 2049, word[:1],
                           "A", "B", "\U0010ffff"]), "text"


class SmallInteger(Integer):
    """Numbers of a small range."""

    def __init__(self, sqltype, low, high):
        super().__init__(sqltype)
        self.low, self.high = low, high

    def one(self, rng):
        text = str(rng.randint(self.low, self.high))
        return text, {"N": text}

    def odd(self, rng):
        return rng.choice([super().odd(rng), (str(self.high + 1), "int8"), (str(self.low - 1), "int4"), ("10000", "int4"), ("-1", "int4"), (f"{self.low}.5", "numeric"), ("1.0", "numeric")])


class Flag(Boolean):
    """A boolean in its one representation."""

    def one(self, rng):
        text = rng.choice(["true", "false"])
        return text, {"S": text}


class Day(Date):
    """Few days."""

    def one(self, rng):
        text = rng.choice(["2024-02-29", "2024-01-01", "2024-01-02", "1969-12-31", "0001-01-01", "9999-12-31", "2023-12-31", "2024-03-01"])
        return text, {"S": text}


class Few(Uuid):
    """Few uuids."""

    def one(self, rng):
        text = rng.choice(UUIDS)
        return text, {"S": text}


def fold(text, letters):
    """ASCII letters in one case."""
    return re.sub("[A-Za-z]", lambda found: getattr(found[0], letters)(), text)


# Modifiers that truncate a time, and what strftime calls their fields.
UNITS = {"year": "YYYY", "month": "YYYY-MM", "day": "YYYY-MM-DD", "hour": "YYYY-MM-DDTHH24", "trunc": None}
STRFTIME = {"YYYY": "{0.year:04}", "MM": "{0.month:02}", "DD": "{0.day:02}", "HH24": "{0.hour:02}"}


def is_unit(spec):
    """Does it truncate a time?"""
    return spec.partition("(")[0] in UNITS


def unit(spec, text):
    """The unit of a time, which is given in UTC."""
    name, _, arguments = spec.removesuffix(")").partition("(")
    form, zone = (arguments + ",").split(",")[:2] if name == "trunc" else (UNITS[name], arguments)
    moment = datetime.datetime.fromisoformat(text.removesuffix("+00")).replace(tzinfo=datetime.timezone.utc).astimezone(zoneinfo.ZoneInfo(zone or "UTC"))
    return re.sub("|".join(STRFTIME), lambda found: STRFTIME[found[0]].format(moment), form)


def encoded(rng, spec, text, stored):
    """The text of a part; other letters than those of ASCII are folded in whatever way."""
    if spec in ("lower", "upper"):
        return fold(text, spec) if text.isascii() else rng.choice([fold(text, spec), getattr(text, spec)(), text])
    if is_unit(spec):
        return unit(spec, text)
    if spec.startswith("padded("):
        return text.zfill(int(spec[len("padded("):-1]))
    if spec.startswith("bool("):
        return spec[len("bool("):-1].split(",")[text != "true"]
    return next(iter(stored.values()))


class Template:
    """The text of an attribute: literals and columns in turn."""

    def __init__(self, text):
        self.text = text
        pieces = re.split(r"\$\{([^}:]+)(?::([^}]*))?\}", text.replace("${$}", "\x03"))
        self.literals = [piece.replace("\x03", "$") for piece in pieces[::3]]
        self.names, self.specs = pieces[1::3], [spec or "" for spec in pieces[2::3]]

    def renamed(self, columns):
        """The same with the names of columns, given by what they were called."""
        raws = [columns[name].raw for name in self.names]
        literals = [literal.replace("$", "${$}") for literal in self.literals]
        parts = ["${" + raw + (":" + spec if spec else "") + "}" for raw, spec in zip(raws, self.specs)]
        other = Template(literals[0] + "".join(part + literal for part, literal in zip(parts, literals[1:])))
        other.names = [columns[name].name for name in self.names]
        return other

    def compose(self, rng, drawn):
        """The text for some values; none if one of them is NULL."""
        text = self.literals[0]
        for name, spec, literal in zip(self.names, self.specs, self.literals[1:]):
            if drawn[name][0] is None:
                return None
            text += encoded(rng, spec, *drawn[name]) + literal
        return text

    def shown(self):
        """The columns whose values can be read from the text, as far as specs allow."""
        return [name for name, spec in zip(self.names, self.specs) if not is_unit(spec)]

    def folded(self):
        """The columns of which only ASCII letters are compared."""
        return [name for name, spec in zip(self.names, self.specs) if spec in ("lower", "upper")]

    def gives(self, text, row, drawn):
        """Is that the text for the values of a row?"""
        values = [row[name] for name in self.names]
        return None not in values and all(row[name].isascii() for name in self.folded()) and self.compose(None, drawn) == text


class Store:
    """A DynamoDB table and what is in it."""

    def __init__(self, rng, name, keys, indexes, letters=()):
        self.name, self.keys, self.indexes, self.letters = name, keys, indexes, dict(letters)
        self.names = Names(rng)
        self.items = {}

    def key_attributes(self, name):
        """(attribute, "hash" or "sort") of the table's key or of an index's."""
        if name is None:
            return list(zip(self.keys, ("hash", "sort")))
        schema = next(one for one in self.indexes if one["definition"]["IndexName"] == name)["definition"]["KeySchema"]
        return [(key["AttributeName"], "hash" if key["KeyType"] == "HASH" else "sort") for key in schema]

    def add(self, item):
        """One more item, unless its key is taken."""
        key = tuple(item[name].get("S") for name in self.keys)
        if key in self.items:
            return False
        self.items[key] = item
        return True

    def create(self, fx):
        """Give everything its name, and make it in DynamoDB."""
        self.keys = [self.names.attribute(name) for name in self.keys]
        self.letters = {self.names.attribute(name): letter for name, letter in self.letters.items()}
        items = [self.names.item(item) for item in self.items.values()]
        for one in self.indexes:
            one["keys"] = [(self.names.attribute(name), letter) for name, letter in one["keys"]]
            for key in one["definition"]["KeySchema"]:
                key["AttributeName"] = self.names.attribute(key["AttributeName"])
            self.names.rename_index(one["definition"])
        make_remote(fx, self.name, [(name, "S") for name in self.keys], self.indexes, items)


class Entity(Table):
    """One of the tables over a Store.

    `near` are changes that make no row of an item: attributes and their texts, or functions of the item that give
    them. `spoiled` are, for an attribute of an index, such changes of its text and the columns that are NULL then.
    `lacks` is how often a row has no such attribute. `stale` are those that a row may have although a column of their
    template is NULL.
    """

    feature = COMPOSED
    mapped = True
    held = None         # a column, and a CHECK of it that held when the rows were stored, and need not hold now

    # pylint: disable=too-many-arguments
    def __init__(self, name, store, count, columns, templates, near=(), spoiled=None, lacks=None, stale=(), **options):
        self.store, self.near, self.spoiled, self.lacks, self.stale = store, near, spoiled or {}, lacks or {}, stale
        self.templates = {attribute: Template(text) for attribute, text in templates.items()}
        by_name = {c.name: c for c in columns}
        named = [c for attribute in store.keys for c in self.names_in(attribute, columns)]
        keys = [by_name[c] for c in dict.fromkeys(named)]
        super().__init__(name, count, keys, [c for c in columns if c not in keys], (), options)
        self.shared = store.name
        self.nhash = len(set(self.names_in(store.keys[0])))
        for one in store.indexes:
            self.add_index(one)
        for column in self.columns:
            places = [None] + [one["definition"]["IndexName"] for one in store.indexes]
            column.role = next(filter(None, (self.role_at(place, column) for place in places)), "plain")
            column.domain = self.domain_of(column)
            if column.role.startswith("index"):
                column.role = "index key"
            column.key = column.role != "plain"
        for column in keys:
            column.not_null, column.absent, column.null = True, 0, 0
        self.undivided = [c for c in self.columns if c.attribute in self.templates and c.name not in self.templates[c.attribute].names]

    @staticmethod
    def domain_of(column):
        """Parts of one type hold values in common."""
        if column.role == "plain" or column.kind.options:
            return None
        return f"part {column.kind.group if column.kind.group != 'other' else column.kind.sqltype}"

    def names_in(self, attribute, columns=None):
        """The columns that an attribute is composed of, or that show it."""
        if attribute in self.templates:
            return self.templates[attribute].names
        return [c.name for c in columns or self.columns if c.attribute == attribute]

    def add_index(self, one):
        """What an index is in columns."""
        name, columns = one["definition"]["IndexName"], {}
        for attribute, kind in self.store.key_attributes(name):
            for column in self.names_in(attribute):
                columns.setdefault(column, kind)
        if "hash" in columns.values():
            schema = [{"AttributeName": column, "KeyType": "HASH" if kind == "hash" else "RANGE"} for column, kind in columns.items()]
            self.indexes.append({"local": one["local"], "columns": list(columns), "definition": {"IndexName": name, "KeySchema": schema}})

    def enumerates(self, column):
        """Has some template all values of the column?"""
        specs = [spec for template in self.templates.values() for name, spec in zip(template.names, template.specs) if name == column.name]
        return any(".." in spec or "|" in spec for spec in specs)

    def is_read_from(self, column, attribute):
        """Is it this attribute that shows the column?"""
        base = next((a for a in self.store.keys if a in self.templates and column.name in self.templates[a].shown()), None)
        return attribute == base if base and not column.own else column.attribute == attribute

    def role_at(self, place, column):
        """The role of a column in the table's key, or in that of an index; none if it has none."""
        for attribute, kind in self.store.key_attributes(place):
            names = self.names_in(attribute)
            if column.name in names:
                word = f"{kind} part {names.index(column.name) + 1}" if attribute in self.templates else kind
                return ("index " if place else "") + (word if self.is_read_from(column, attribute) else f"{kind} by another attribute")
        return None

    def attributes_of(self, rng, drawn, row):
        """The attributes of the templates; changes the row where they do not show its values."""
        item = {}
        for attribute, template in self.templates.items():
            text = template.compose(rng, drawn)
            if text is None and attribute in self.stale and rng.random() < 0.5:
                text = template.compose(rng, {name: drawn[name] if drawn[name][0] is not None else rng.choice(self.by_name[name].pool) for name in template.names})
            mine = [name for name in template.names if self.is_read_from(self.by_name[name], attribute)]
            if attribute not in self.store.keys and (text is None or rng.random() < self.lacks.get(attribute, 0)):
                row.update(dict.fromkeys(mine))
                continue
            if attribute in self.spoiled and rng.random() < 0.25:
                text, none = rng.choice(self.spoiled[attribute])
                text = text.format(**{name: encoded(rng, "", *drawn[name]) for name in template.names})
                row.update(dict.fromkeys(none))
            item[attribute] = {self.store.letters.get(attribute, "S"): text}
        for column in self.undivided:
            row[column.name] = item.get(column.attribute, {}).get("S")
        return item

    def rest_of(self, item, row, drawn):
        """What no column shows: the texts that do not follow from the columns, too."""
        without = {c.attribute for c in self.columns if c.attribute not in self.templates or c in self.undivided} | set(json.loads(self.options.get("item_filter", "{}")))
        for attribute, template in self.templates.items():
            if attribute in item and (attribute in self.store.keys and not template.folded() or template.gives(next(iter(item[attribute].values())), row, drawn)):
                without.add(attribute)
        return {"M": {name: value for name, value in item.items() if name not in without}}

    def order(self):
        """Several rows may have the same columns of a key that are folded."""
        return self.keys + [self.by_name[name] for name in ("nth",) if name in self.by_name]

    def build(self, rng):
        """Make up the rows and their items."""
        for column in self.columns:
            column.fill(rng)
        for _ in range(self.count * 5):
            if len(self.rows) == self.count:
                break
            drawn = {c.name: (None, None) if c.derive else c.draw(rng) for c in self.columns}
            row = {name: value[0] for name, value in drawn.items()}
            item = self.attributes_of(rng, drawn, row)
            for column in self.columns:
                shown = any(self.is_read_from(column, attribute) for attribute in self.templates)
                if drawn[column.name][1] is not None and not shown:
                    item[column.attribute] = drawn[column.name][1]
            for attribute, value in json.loads(self.options.get("item_filter", "{}")).items():
                value = rng.choice(value if isinstance(value, list) else [value])
                item.update({attribute: {"S": value}} if value is not None else {})
            item["undeclared"] = {"S": "never selected"}
            if self.store.add(item):
                self.rows.append(row)
                self.show_rest(item, row, drawn)
        for column in self.undivided:
            column.pool = [(text, {"S": text}) for text in dict.fromkeys(row[column.name] for row in self.rows) if text is not None]

    def show_rest(self, item, row, drawn):
        """In the columns that show it."""
        for column in self.columns:
            if isinstance(column.kind, Document):
                rest = self.rest_of(item, row, drawn)
                row[column.name] = json_text({"M": self.store.names.item(rest["M"])})
                column.pool = column.pool[:0 if len(self.rows) == 1 else 60] + [(row[column.name], rest)]

    def build_near(self, rng):
        """Make up what is nearly a row."""
        mine = [item for item in self.store.items.values() if self.owns(item)]
        for change in self.near:
            for item in rng.sample(mine, min(2, len(mine))):
                changed = {**item, **{name: value and {self.store.letters.get(name, "S"): value} for name, value in
                                      (change(item) if callable(change) else change).items()}}
                self.store.add({name: value for name, value in changed.items() if value is not None})

    def gather(self, rng):
        """What others have made is none of its own."""

    def owns(self, item):
        """Does an item begin like those of the entity?"""
        return all(item[name]["S"].startswith(self.templates[name].literals[0]) for name in self.store.keys if name in self.templates)

    def rename_all(self):
        """As the store's attributes and indexes are."""
        names = self.store.names
        encoded = [c for c in self.columns if not c.own and any(c.name in template.names for template in self.templates.values())]
        for column in self.columns:
            if column not in encoded and not isinstance(column.kind, Document):
                column.attribute = names.attribute(column.attribute)
        templates = shuffled(names.rng, {names.attribute(attribute): template for attribute, template in self.templates.items()})
        called = dict(self.by_name)
        self.rename_columns(names)
        for column in encoded:
            column.attribute = column.raw
        self.templates = {attribute: template.renamed(called) for attribute, template in templates.items()}
        self.traits += named_features(self.store.keys, [(c.raw, c.attribute) for c in self.columns if c.own], templates)
        for one in self.indexes:
            one["columns"] = [called[name].name for name in one["columns"]]
            one["definition"] = {"IndexName": names.index(one["definition"]["IndexName"]),
                                 "KeySchema": [{**key, "AttributeName": called[key["AttributeName"]].name} for key in one["definition"]["KeySchema"]]}
        self.options["key_templates"] = json.dumps({attribute: template.text for attribute, template in self.templates.items()}, ensure_ascii=names.rng.random() < 0.5)
        if "item_filter" in self.options:
            self.options["item_filter"] = json.dumps(names.item(json.loads(self.options["item_filter"])))
        if "trusted_indexes" in self.options:
            self.options["trusted_indexes"] = names.index(self.options["trusted_indexes"])

    def create(self, fx, rng):
        """Twice in PostgreSQL; the items are there."""
        self.rename_all()
        columns = ", ".join(c.declare(True) for c in self.columns)
        check = f", CHECK ({self.held[1].format(self.held[0].name)})" if self.held else ""
        fx.execute(f"CREATE FOREIGN TABLE f.{self.name} ({columns}{check}) SERVER {self.server} "
                   + options_clause({"table_name": fx.remote(self.store.name), **self.options}))
        self.create_local(fx, "l")


class Collection(Entity):
    """All items of partitions whose keys are composed of one column, whatever their sort keys are."""

    def build(self, rng):
        """Nothing of its own."""

    def build_near(self, rng):
        """Nor this."""

    def gather(self, rng):
        """The rows that there are."""
        [template] = self.templates.values()
        for item in self.store.items.values():
            if item["pk"]["S"].startswith(template.literals[0]) and item["pk"]["S"] != template.literals[0]:
                shown = {c.name: item.get(c.attribute, {}).get("S") for c in self.columns}
                self.rows.append({**shown, template.names[0]: item["pk"]["S"][len(template.literals[0]):]})
        for column in self.columns:
            column.pool = [(text, {"S": text}) for text in dict.fromkeys(row[column.name] for row in self.rows) if text is not None]


def text(name, collation="C", **more):
    """A column of text that is a part of keys."""
    return Column(name, Part(collation), size=9, **more)


def changed(attribute, pattern, by):
    """A change of an item: what an attribute's text matches is replaced."""
    return lambda item: {attribute: re.sub(pattern, by, item[attribute]["S"], count=1, flags=re.DOTALL)}


def rest():
    """A column that shows what no other does."""
    return Column("rest", Document("rest"), size=3, derive=lambda drawn: None)


def payload(name="city"):
    """A column that is no key."""
    return Column(name, Text(collation="C", words=WORDS[:8] + SEPARATED[:2]), size=6)


def shared_entities(app):
    """Entities of text keys: parents, children with an index that is trusted, links, and agreement."""
    return [
        Entity("tco", app, 14, [text("name", None), payload()], {"pk": "co#${name}", "sk": "co#"},
               near=[{"pk": "co#"}, {"sk": "cox"}, {"sk": "co"}, {"pk": "Co#a"}]),
        Entity("tus", app, 40, [text("company"), text("email", "und-x-icu"), payload("full_name")],
               {"pk": "co#${company}", "sk": "user#${email}", "g1pk": "user#${email}", "g1sk": "co#${company}"},
               near=[{"sk": "user#"}, {"sk": "users#a"}, {"pk": "xx#a"}, {"pk": "co#"}], trusted_indexes="g_one"),
        Entity("tus2", app, 30, [text("company", None), text("email"), payload("full_name"), text("g1", attribute="g1pk"), text("g2", attribute="g1sk")],
               {"pk": "cu2#${company}", "sk": "user#${email}", "g1pk": "user#${email}", "g1sk": "co#${company}"},
               near=[{"sk": "user#"}, {"pk": "cu2#"}, {"pk": "cu2a"}], lacks={"g1pk": 0.2, "g1sk": 0.1},
               spoiled={"g1pk": [("user#", []), ("user#a", []), ("x", [])], "g1sk": [("co#b", []), ("0", [])]}),
        Entity("tpl", app, 10, [text("username", None), Column("birth", SmallInteger("int4", 0, 5), size=6)],
               {"pk": "pl#${username}", "sk": "meta#${username}"}, near=[{"sk": "meta#A"}, {"sk": "meta#"}, changed("sk", "$", "x")]),
        Entity("tga", app, 9, [Column("game", SmallInteger("int4", -2, 9), size=12), payload()],
               {"pk": "gm#${game}", "sk": "meta#${game}"}, near=[{"sk": "meta#77"}, {"sk": "meta"}]),
        Entity("tlk", app, 36, [Column("game", SmallInteger("int8", -2, 9), size=12), text("username"), Column("place", SmallInteger("int2", 0, 3), size=4)],
               {"pk": "gm#${game}", "sk": "pl#${username}"}, near=[{"sk": "pl#"}, {"sk": "pl"}]),
        Collection("tsh", app, 0, [text("company"), Column("sort", Part("C"), attribute="sk"), Column("g1", Part("C"), attribute="g1pk")],
                   {"pk": "co#${company}"})]


def typed_entities(app):
    """Entities of several parts of many types."""
    integer = lambda name, sqltype, low, high, **more: Column(name, SmallInteger(sqltype, low, high), size=8, **more)
    return [
        Entity("tor", app, 44, [text("customer"), Column("day", Day("date"), size=8), integer("n", "int4", 0, 9999),
                                text("status", attribute="g1pk", absent=0.2), integer("total", "int4", 0, 5), rest()],
               {"pk": "cu#${customer:plain}", "sk": "or#${day}#${n:padded(4)}", "g1pk": "st#${status}", "g1sk": "${day}"},
               near=[changed("pk", "$", "#x"), {"sk": "or#2024-01-01"}, {"sk": "or#2024-01-01#"}, {"sk": "or##0001"}, {"pk": "cu#"}, {"sk": "or#"},
                     changed("sk", "$", "#x"), {"pk": "cu##"}], lacks={"g1pk": 0.2, "g1sk": 0.2}, spoiled={"g1sk": [("2024-01-01", []), ("x", [])]}),
        Entity("tnu", app, 40, [integer("game", "int4", -3, 9), Column("flag", Flag("boolean"), size=2), Column("day", Day("date"), size=8),
                                Column("ref", Few("uuid"), size=5), text("team", attribute="g1pk", absent=0.1),
                                integer("rank", "int2", -3, 9, attribute="g1pk", absent=0.1), integer("score", "int8", 0, 999, attribute="g1sk"), rest()],
               {"pk": "ln#${game}", "sk": "ev#${flag}#${day}#${ref}", "g1pk": "gg#${team}#${rank}", "g1sk": "s${score:padded(3)}"}, on_mismatch="null",
               near=[{"pk": "ln#007"}, {"pk": "ln#+1"}, {"pk": "ln#-0"}, {"pk": "ln#1.0"}, {"pk": "ln#x"}, {"pk": "ln#"}, {"pk": "ln#99999999999"}, {"pk": "ln#1#2"},
                     changed("sk", "ev#[a-z]+", "ev#t"), changed("sk", "#....-", "#2024-2-30-"), changed("sk", "#....-..-..", "#2024-02-30"), changed("sk", "[^#]+$", "x"),
                     {"sk": "ev#true#2024-01-01#0000000A-0000-0000-0000-000000000000"}, changed("sk", "#....-..-..", "#2024-01-01T00"), changed("sk", "#....-..-..", "#")],
               lacks={"g1pk": 0.1, "g1sk": 0.15},
               spoiled={"g1pk": [("gg#{team}#x", ["rank"]), ("gg#{team}#007", ["rank"]), ("gg#{team}", ["team", "rank"]), ("gg##{rank}", ["team", "rank"]),
                                 ("gg#a#b#{rank}", ["team", "rank"]), ("hh#{team}#{rank}", ["team", "rank"]), ("gg#{team}#", ["team", "rank"])],
                        "g1sk": [("s1", ["score"]), ("s0001", ["score"]), ("t001", ["score"]), ("s", ["score"]), ("s00x", ["score"])]}),
        Entity("tre", app, 40, [text("forum"), Column("subject", Part("C", more=SEPARATED), size=14), Column("who", Part("C", more=SEPARATED[:4]), size=9),
                                integer("n", "int4", 0, 3)],
               {"pk": "re/${forum}/${subject:any}", "sk": "at#${who:any}#${n:0..3}"},
               near=[{"pk": "re/a"}, {"pk": "re/"}, {"pk": "re//x"}, {"sk": "at#1"}, {"sk": "at##1"}, {"sk": "at#a#"}, {"pk": "re/a/"}]),
        Entity("tnn", app, 36, [integer("id", "int8", 0, 9), Column("at", Instant("timestamptz", {"format": "iso8601(3)"}), size=8), Column("yes", Flag("boolean"), size=2),
                                integer("bucket", "int4", 0, 4, attribute="num", absent=0.3), payload()],
               {"pk": "nn-${id}", "sk": "x#${at}#${yes:bool(Y,N)}", "num": "${bucket:0..4}"}, near=[{"sk": "x#"}, {"pk": "nn-"}, changed("sk", "$", "#")]),
        Entity("tct", app, 40, [text("shop"), text("l1"), text("l2", None), text("l3"), payload()],
               {"pk": "${$}ct|${shop:plain}|", "sk": "${l1:plain}#${l2:plain}#${l3:plain}"},
               near=[{"sk": "a#b"}, {"sk": "a##c"}, {"sk": "#a#b"}, {"sk": "a#b#"}, {"sk": "a#b#c#d"}, {"pk": "$ct||"}, {"pk": "$ct|a|b|"}, {"pk": "$ct|a"}]),
        Entity("tpd", app, 60, [integer("shard", "int4", 0, 1), Column("status", Part("C", words=["open", "paid", "aged"]), size=3), Column("due", Day("date"), size=8),
                                integer("n", "int4", 0, 99), payload()],
               {"pk": "pd#${shard:0..1}", "sk": "${status:open|paid|aged}#${due}#${n:padded(3)}"},
               near=[{"sk": "open#"}, {"sk": "open"}, {"sk": "open#2024-01-01"}, changed("sk", "$", "#x")]),
        Entity("tmo", app, 60, [text("id"), Column("status", Part("C", words=["open", "paid", "aged"]), attribute="state", size=3, absent=0.1), Column("due", Day("date"), attribute="due_at", size=8, absent=0.2),
                                payload()],
               {"pk": "mo#${id}", "sk": "mo", "g1pk": "mo#${status}", "g1sk": "${due}#${id}"}, trusted_indexes="g_one", stale=("g1pk", "g1sk"), near=[{"sk": "mox"}, {"pk": "mo#"}]),
        Entity("tfw", app, 30, [Column("ref", Few("uuid"), size=5), Column("day", Day("date"), size=8), integer("n", "int2", 0, 999), payload()],
               {"pk": 'ö"\\#${ref}', "sk": "${day}${n:padded(3)}"}, near=[{"sk": "2024-01-01"}, changed("pk", ".$", ""), {"sk": "x"}], on_mismatch="null")]


def sourced_entities(app):
    """Entities with columns of attributes of their own, and enumerated ones."""
    integer = lambda name, sqltype, low, high, **more: Column(name, SmallInteger(sqltype, low, high), size=8, **more)
    both = Part("C", more=SEPARATED + [""])
    enumerated = lambda name, prefix, near, **more: Entity(
        name, app, 36, [integer("shard", "int4", 0, 3), Column("kind", Part("C", words=["A", "B", "C"]), size=3), Column("at", Part("C", more=SEPARATED), attribute="sk", size=30), payload()],
        {"pk": f"{prefix}#${{shard:0..3}}#${{kind:A|B|C}}"}, near=near, **more)
    return [
        Entity("tpc", app, 60, [integer("id", "int4", 0, 2), Column("country", Part("C", words=FOLDED), attribute="land", size=14), Column("ref", Few("uuid"), attribute="refers", size=3),
                                Column("nth", Numeric(integral=True), size=600, unique=True, not_null=True), rest()],
               {"pk": "pc#${id}", "sk": "pc#${country:lower}#${ref:upper}"},
               near=[lambda item: {"land": "XX" if item["sk"]["S"].isascii() else None}, {"land": None}, {"refers": None}, {"refers": str(uuid.UUID(int=77))}, {"sk": "pc#no"}, {"sk": "pc#xx#"}]),
        enumerated("tjo", "jo", []),
        enumerated("tjn", "jn", [{"pk": "jn#4#A"}, {"pk": "jn#-1#A"}, {"pk": "jn#0#D"}, {"pk": "jn#00#A"}, {"pk": "jn#1#"}, {"pk": "jn#1"}, {"pk": "jn#1#A#A"}], on_mismatch="null"),
        Entity("tte", app, 44, [Column("tenant", both, attribute="owner", size=14), text("doc"), integer("v", "int2", 0, 99), payload(), rest()],
               {"pk": "te#${tenant}", "sk": "do#${doc}#${v:padded(3)}", "g1pk": "te#${tenant}", "g1sk": "do#${doc}"}, trusted_indexes="g_one", item_filter='{"et": ["doc", null]}',
               near=[{"owner": "other"}, {"owner": None}, {"et": "else"}, {"pk": "te#unknown"}, {"sk": "do#a"}, {"et": ""}]),
        Entity("ttu", app, 36, [Column("tenant", both, attribute="owner", size=14), text("doc"), Column("area", both, attribute="region", size=9, absent=0.2), payload(), rest()],
               {"pk": "tu#${doc}", "sk": "do#${tenant}#", "g1pk": "ar#${area}"}, lacks={"g1pk": 0.2}, spoiled={"g1pk": [("ar#", []), ("ar#b", []), ("zz", [])]},
               near=[{"owner": "other"}, {"owner": None}, {"sk": "do#unknown#"}, {"pk": "tu#"}]),
        Entity("tlo", app, 24, [integer("id", "int4", 0, 5), Column("tenant", Part("C", more=SEPARATED[:2]), attribute="owner", size=14), payload()],
               {"pk": "lo#${id}#${tenant}", "sk": "lo!"}, near=[{"owner": "other"}, {"owner": None}, {"sk": "lo"}])]


def solo_entities(solo):
    """Entities of a table that has no sort key."""
    return [
        Entity("tsa", solo, 30, [text("tenant"), Column("path", Part("C", more=SEPARATED), size=20), text("tag", attribute="gk", absent=0.2), payload()],
               {"pk": "a/${tenant}/${path:any}", "gk": "tag:${tag}"}, lacks={"gk": 0.2}, near=[{"pk": "a/"}, {"pk": "a/b"}, {"pk": "b/c/d"}]),
        Entity("tsb", solo, 24, [Column("id", SmallInteger("int8", -3, 40), size=30), Column("no", SmallInteger("int4", 0, 3), attribute="gk", absent=0.3), text("key", attribute="gk"), payload()],
               {"pk": "b:${id}", "gk": "no:${no:0..3}"}, near=[{"pk": "b:007"}, {"pk": "b:x"}, {"pk": "b:"}], on_mismatch="null",
               spoiled={"gk": [("no:07", ["no"]), ("no:", ["no"]), ("no:4", ["no"]), ("x", ["no"])]})]


def make_composed(rng):
    """(stores, tables)"""
    stores = [Store(rng, name, ["pk", "sk"], [
        index("g_one", ("g1pk", "S"), ("g1sk", "S")), index("g_inv", ("sk", "S"), ("pk", "S"), ["city"]), index("g_num", ("num", "N"), ("pk", "S"), "KEYS_ONLY"),
        index("l_one", ("pk", "S"), ("g1sk", "S"), local=True)], {"num": "N"}) for name in ("app", "typed", "sourced")]
    solo = Store(rng, "solo", ["pk"], [index("g_key", ("gk", "S"))])
    tables = [table for store, entities in zip(stores, (shared_entities, typed_entities, sourced_entities)) for table in entities(store)] + solo_entities(solo)
    return stores + [solo], tables


def create_entities(fx, rng, *made):
    """All that was made; returns the tables."""
    stores, tables = ([one for part in parts for one in part] for parts in zip(*made))
    for step in ("build", "build_near", "gather"):
        for table in tables:
            getattr(table, step)(rng)
    for store in stores:
        store.create(fx)
    for table in tables:
        table.create(fx, rng)
    return tables
