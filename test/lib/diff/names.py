"""Names of attributes, columns and indexes at random: what something is called, and in which order it is written, decides nothing.

Tables are made under logical names. When they are created, they get the names of a Names, drawn once for all tables over one
DynamoDB table: those of attributes and indexes; columns of each foreign table get names of the same words, so that a column may be
called like the attribute of another. From then on `name` of a Column is SQL text: quoted.
"""
# They sort before and after each other, by length and bytewise; need quotes; differ by case alone; hold what means something elsewhere.
WORDS = ["pk", "sk", "a", "b", "c", "PK", "SK", "Pk", "aa", "A", "Z", "zz", "key", "Key", "a key", "x.y", "x", "x.y.z", "$x", "x$", "x[0]", "#k", "k#", "@", "at@", "ключ", "é", "É", "ä b",
         "0", "007", "-", "_", "_x", "select", "user", "ctid2", "o'x", "a\\b", "100%", " ", "{a", "n" * 60, "partitionKey", "sortKey", "\U00010428", "\uffee"]
COLUMNS = WORDS + ['say "x"', '"']      # DynamoDB Local fails to make a local index over such an attribute
INDEXES = ["aaa", "AAA", "zzz", "Zzz", "a.b", "a-b", "0.0", "_._", "---", "by_key", "By_Key", "pk.sk", "GSI1", "gsi1", "gsi10", "n" * 100]

OTHER_ORDER, BY_LENGTH, QUOTED, BY_CASE, CROSSED, TURNED = (
    "names: a sort key before its partition key", "names: a sort key shorter than its partition key", "names: a key with a name to be quoted",
    "names: some that differ by case", "names: a column called like another one's attribute", "names: templates from the last key to the first")
NAMED = [OTHER_ORDER, BY_LENGTH, QUOTED, BY_CASE, CROSSED, TURNED]


def quoted(name):
    """An identifier, or a step of a path."""
    return '"' + name.replace('"', '""') + '"'


def shuffled(rng, values):
    """The same in another order; of a dict, its members."""
    if isinstance(values, dict):
        return dict(shuffled(rng, values.items()))
    values = list(values)
    rng.shuffle(values)
    return values


class Names:
    """The names over one DynamoDB table."""

    def __init__(self, rng):
        self.rng = rng
        self.attributes, self.indexes = {}, {}
        self.words, self.index_words = shuffled(rng, WORDS), shuffled(rng, INDEXES)
        if rng.random() < 0.3:      # names that differ by case, among the first that are given
            pair = rng.choice([("pk", "PK"), ("Pk", "pk"), ("a", "A"), ("key", "Key"), ("é", "É")])
            self.words = [word for word in self.words if word not in pair] + shuffled(rng, pair)

    def attribute(self, name):
        """That of an attribute."""
        if name not in self.attributes:
            self.attributes[name] = self.words.pop()
        return self.attributes[name]

    def index(self, name):
        """That of an index."""
        if name not in self.indexes:
            self.indexes[name] = self.index_words.pop()
        return self.indexes[name]

    def item(self, item):
        """An item with the names of its attributes, in any order."""
        return {self.attribute(name): value for name, value in shuffled(self.rng, item).items()}

    def rename_index(self, definition):
        """In the definition of an index, whose key attributes have theirs."""
        definition["IndexName"] = self.index(definition["IndexName"])
        projected = definition["Projection"].get("NonKeyAttributes")
        if projected:
            taken = set(self.attributes.values()) - set(projected)
            definition["Projection"]["NonKeyAttributes"] = [self.attributes.get(name, name) for name in projected if name in self.attributes or name not in taken]

    def columns(self, columns):
        """Those of the columns of one table, by what they were called; some are called like their attributes, or like others' attributes."""
        left, found = shuffled(self.rng, COLUMNS), {}
        for column in shuffled(self.rng, columns):
            own = column.attribute if column.attribute in left and not column.path and self.rng.random() < 0.4 else None
            others = [other.attribute for other in columns if other.attribute in left and other.attribute != column.attribute]
            crossed = self.rng.choice(others) if others and self.rng.random() < 0.2 else None
            found[column.name] = own or crossed or left[0]
            left.remove(found[column.name])
        return found


def named_features(keys, columns, templates):
    """What is special about the names of key attributes, of columns (raw names and attributes), and of templates in their order."""
    first, last = keys[0], keys[-1]
    attributes = {attribute for _, attribute in columns} | set(keys)
    words = attributes | {raw for raw, _ in columns}
    found = {OTHER_ORDER: last.encode() < first.encode(), BY_LENGTH: len(last.encode()) < len(first.encode()), QUOTED: not all(key.isalnum() and key.islower() for key in keys),
             BY_CASE: len({word.lower() for word in words}) < len(words), CROSSED: any(raw in attributes - {attribute} for raw, attribute in columns),
             TURNED: first in templates and last in list(templates)[:list(templates).index(first)]}
    return [name for name, there in found.items() if there]
