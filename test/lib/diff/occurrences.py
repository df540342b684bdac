"""Tables of which columns are in several places of the key, or are read from attributes of their own next to such places.

The templates are drawn at random, next to some that are worth it in every run. An item's rows are found by trying all ways to split
the texts of its key: it is a row if one way gives every column one value. First no part may hold the character that ends it, then
those of texts that do not match otherwise may, then all; such a part needs another place of its column that has the same value. Items
of which more than one way is left are errors, so no table has them.
"""
import itertools
import re

from composed import Entity, Part, Store, Template, fold, payload, rest
from dynamo import index
from twins import Column

ROW, OTHER, MISMATCH, AMBIGUOUS = "a row", "another entity", "a mismatch", "ambiguous"
VALUES = ["a", "b", "A", "B", "ab", "aB", "a#b", "b/a", "A|b", "#a", "a#", "a##b", "a.c", "a/a", "b-a", "#", "a|b#a", "x", "M#a"]
FOLDS = ("lower", "upper")

NATIVE, FOLDED_NATIVE, BOTH, BOTH_FOLDED, THREE, TWICE, HOLDS, DEPENDS, READ_LAST = OCCURRENCES = [
    "places: a column with an attribute of its own", "places: a column with an attribute of its own, folded", "places: a column in both keys",
    "places: a column in both keys, folded in one", "places: three of a column", "places: two of a column in one text",
    "places: a value that holds what ends it", "places: no value in a text that another depends on", "places: a column read from the sort key that is in both"]

# (columns with an attribute of their own, or what they are read from; template of the partition key; of the sort key)
FIXED = [({"y": "own"}, "T#${x}#${y:lower}", "M#${x}"), ({"y": "own"}, "T#${x}#${y}", "M#${x}#${y:upper}"), ({}, "C#${x}", "D#${x:lower}#${x}"), ({}, "${x}/${x}.c", "s|${y}"),
         ({"y": "sk"}, "${x}#${y}", "${y}|${x}"), ({}, "C#${x}", "C#${x}"), ({"y": "own"}, "${y}/T#${x}", "${x}#${y:any}#x"),
         ({}, "${x}#${y}|${z}", "C#${w}#${w}")]


def ends(template):
    """The characters that parts end at, which their values do not hold; None: there is none, or any may be held."""
    free = next((n for n, spec in enumerate(template.specs) if "any" in spec), None)
    found = []
    for number in range(len(template.names)):
        before, suffix = template.literals[number], template.literals[number + 1]
        if number == free:
            found.append(None)
        elif free is not None and number > free:
            found.append(before[-1])
        elif suffix:
            found.append(suffix[0])
        else:
            found.append((re.findall(r"[^\w-]|[^\x00-\x7f]", "".join(template.literals)) or [None])[-1])
    return found


def splits(template, text, number=0):
    """All texts that the parts may have: none is empty."""
    literal = template.literals[number]
    if not text.startswith(literal):
        return
    text = text[len(literal):]
    if number == len(template.names):
        if not text:
            yield ()
        return
    for end in range(1, len(text) + 1):
        for others in splits(template, text[end:], number + 1):
            yield (text[:end], *others)


def part_text(spec, value):
    """A value as it is stored in a place."""
    return next((fold(value, letters) for letters in FOLDS if letters in spec), value)


class Places:
    """The key of a table: `templates` of its attributes, and where columns are read from."""

    def __init__(self, keys, templates, sources):
        self.templates = [Template(templates[key]) for key in keys]
        self.own = [name for name, source in sources.items() if source == "own"]
        self.places = [(t, p, name, spec, end) for t, template in enumerate(self.templates)
                       for p, (name, spec, end) in enumerate(zip(template.names, template.specs, ends(template)))]
        self.sources = {}
        for t, p, name, spec, _ in self.places:
            if name not in self.own and not set(FOLDS) & set(spec.split(",")) and sources.get(name, keys[t]) == keys[t]:
                self.sources.setdefault(name, (t, p))

    def strays(self, ways):
        """Columns of which a value holds what ends it."""
        return {name for t, p, name, spec, end in self.places if end and end in ways[t][p] and self.sources.get(name) == (t, p)}

    def allows(self, t, way, own, guess):
        """May one text be split so, by itself?"""
        for at, p, name, spec, end in self.places:
            if at != t:
                continue
            if name in self.own and way[p] != part_text(spec, own[name]):
                return False
            if end and end in way[p] and self.sources.get(name) == (t, p) and (spec == "plain" or not guess):
                return False
        return True

    def values(self, ways, own):
        """What the columns are, if all places have the same."""
        found = {**own, **{name: ways[t][p] for name, (t, p) in self.sources.items()}}
        return found if all(ways[t][p] == part_text(spec, found[name]) for t, p, name, spec, _ in self.places) else None

    def solved(self, choices, own):
        """The distinct values by all ways: [(values, ways)]."""
        found = {}
        for ways in itertools.product(*choices):
            values = self.values(ways, own)
            if values is not None:
                found.setdefault(tuple(sorted(values.items())), (values, ways))
        return list(found.values())

    def judge(self, texts, own):
        """(verdict, values of the columns)"""
        if None in own.values():
            return OTHER, None
        loose, strict = ([[way for way in splits(template, text) if self.allows(t, way, own, guess)] for t, (template, text) in enumerate(zip(self.templates, texts))]
                         for guess in (True, False))
        if not all(loose):
            return OTHER, None
        decided = [one or other for one, other in zip(strict, loose)]
        found = self.solved(strict, own) or self.solved(decided, own) or self.solved(loose, own)
        if len(found) > 1:
            return AMBIGUOUS, None
        if not found:
            return (OTHER if all(strict) else MISMATCH), None
        values, ways = found[0]
        confirmed = all(sum(other == name for _, _, other, _, _ in self.places) > 1 for name in self.strays(ways))
        return (ROW, values) if confirmed else (AMBIGUOUS, None)

    def traits(self):
        """What the places are there for."""
        count = lambda name, t=None: sum(other == name and t in (None, at) for at, _, other, _, _ in self.places)
        names = {name for _, _, name, _, _ in self.places}
        both = {name for name in names if count(name, 0) and count(name, 1)}
        folded = {name for _, _, name, spec, _ in self.places if set(FOLDS) & set(spec.split(","))}
        found = {NATIVE: self.own, FOLDED_NATIVE: set(self.own) & folded, BOTH: both, BOTH_FOLDED: both & folded, THREE: [n for n in names if count(n) > 2],
                 TWICE: [n for n in names if max(count(n, 0), count(n, 1)) > 1], READ_LAST: [n for n in both if self.sources.get(n, (0,))[0] == 1]}
        return [trait for trait, there in found.items() if there]

    def depends(self):
        """Is there a text of a column that is read elsewhere, and from which another text's column is read?"""
        return any(name in self.own and any(source[0] == t and any(other == read and at != t for at, _, other, _, _ in self.places) for read, source in self.sources.items())
                   for t, _, name, _, _ in self.places)


def draw_template(rng, columns, own):
    """A template of some columns, and the columns that it could be read from."""
    names = [rng.choice(columns) for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))]
    text, free = rng.choice(["", "", "#", "T#", "a/", "M#"]), False
    for number, name in enumerate(names):
        spec = rng.choice(["", "", "", "", "plain", "any"] + (["lower", "upper", "lower,any"] if name in own or rng.random() < 0.3 else []))
        if "any" in spec:       # once in a template, and of a column that is there once
            spec, free = ("", free) if free or names.count(name) > 1 else (spec, True)
        suffix = rng.choice(["#", "#", "/", "|", "#t#", "-", ".", "|M#"]) if number + 1 < len(names) else rng.choice(["", "", "", "#", ".c"])
        text += f"${{{name}{':' * bool(spec)}{spec}}}" + suffix
    return text


def draw_places(rng, keys):
    """(sources, templates of both keys), of which all columns can be read."""
    while True:
        columns = rng.sample("xyz", rng.choice([1, 2, 2, 3]))
        sources = {name: rng.choice(["own"] * 2 + list(keys)) for name in columns if rng.random() < 0.6}
        templates = [draw_template(rng, columns, [n for n in columns if sources.get(n) == "own"]) for _ in keys]
        places = Places(keys, dict(zip(keys, templates)), sources)
        folded = [name for _, _, name, spec, _ in places.places if set(FOLDS) & set(spec.split(","))]
        used = {name for _, _, name, _, _ in places.places}
        readable = all(name in places.sources or name in places.own for name in used)
        if readable and set(sources) <= used and all(name in places.own or name in places.sources for name in folded):
            return sources, *templates


class Occurrence(Entity):
    """Its rows are what a search of all ways finds."""

    def __init__(self, name, store, sources, first, second, **options):
        self.places = Places(store.keys, {"pk": first, "sk": second}, sources)
        attribute = lambda column: {"own": "own " + column}.get(sources.get(column), sources.get(column))
        used = dict.fromkeys(column for _, _, column, _, _ in self.places.places)
        columns = [Column(column, Part("C", words=VALUES), size=len(VALUES), attribute=attribute(column)) for column in used]
        indexed = next(iter(used))
        super().__init__(name, store, 30, columns + [payload(), rest()], {"pk": first, "sk": second, "gx": f"I#${{{indexed}}}"}, trusted_indexes="g_x", **options)
        self.traits += self.places.traits()

    def build(self, rng):
        """Items whose texts are of these values, or of others in some places; those that are rows."""
        for column in self.columns:
            column.pool = [(value, {"S": value}) for value in VALUES] if column in self.keys else column.kind.pool(rng, column.size)
        others = 0
        for _ in range(600):
            item, own, drawn = self.draw_item(rng)
            verdict, values = self.places.judge([item[key]["S"] for key in self.store.keys], own)
            if verdict == AMBIGUOUS or (verdict == MISMATCH and "on_mismatch" not in self.options) or (verdict != ROW and others >= self.count) or len(self.rows) >= self.count:
                continue
            template = self.templates["gx"]
            value = values[template.names[0]] if verdict == ROW else rng.choice(VALUES)
            if not self.store.add({**item, "gx": {"S": template.literals[0] + value}}):
                continue
            others += verdict != ROW
            if verdict == ROW:
                self.add_row(item, values, drawn)
            elif None in own.values() and self.places.depends():
                self.traits.append(DEPENDS)

    def add_row(self, item, values, drawn):
        """One more."""
        row = {**values, "city": drawn["city"][0]}
        self.rows.append(row)
        self.show_rest({"undeclared": item["undeclared"]}, row, drawn)
        ways = [way for template, key in zip(self.places.templates, self.store.keys) for way in splits(template, item[key]["S"])]
        if any(end and end in values[name] and self.places.sources.get(name) == (t, p) for t, p, name, _, end in self.places.places) and ways:
            self.traits.append(HOLDS)

    def draw_item(self, rng):
        """(item, values of attributes of their own, drawn values of the other columns)"""
        few = rng.random() < 0.5
        value = lambda: rng.choice(VALUES[:7] if few else VALUES)
        values = {name: value() for name in dict.fromkeys(c.name for c in self.keys)}
        strays = 0 if rng.random() < 0.55 else rng.choice([0.15, 0.4])
        item = {"undeclared": {"S": "never selected"}}
        for key, template in zip(self.store.keys, self.places.templates):
            text = template.literals[0]
            for name, spec, literal in zip(template.names, template.specs, template.literals[1:]):
                text += part_text(spec, value() if rng.random() < strays else values[name]) + literal
            item[key] = {"S": text}
        own = {}
        for name in self.places.own:
            own[name] = rng.choice([None, values[name].swapcase(), value()]) if rng.random() < strays else values[name]
            if own[name] is not None:
                item["own " + name] = {"S": own[name]}
            elif rng.random() < 0.6:
                item["own " + name] = rng.choice([{"NULL": True}] + [{"N": "5"}] * ("on_mismatch" in self.options))
        drawn = {c.name: c.draw(rng) for c in self.columns if c.name == "city"}
        if drawn["city"][1]:
            item["city"] = drawn["city"][1]
        return item, own, drawn

    def build_near(self, rng):
        """They are there."""


def make_occurrences(rng):
    """(stores, tables): one table in each, as most templates match anything."""
    shapes = FIXED + [draw_places(rng, ("pk", "sk")) for _ in range(7)]
    stores = [Store(rng, f"places{n}", ["pk", "sk"], [index("g_inv", ("sk", "S"), ("pk", "S")), index("g_x", ("gx", "S"), ("sk", "S"))]) for n in range(len(shapes))]
    options = lambda: rng.choice([{}, {}, {"on_mismatch": "null"}])
    return stores, [Occurrence(f"oc{n}", store, *shape, **options()) for n, (store, shape) in enumerate(zip(stores, shapes))]
