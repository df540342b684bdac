"""A service whose responses lie: each is an error of the statement, or harmless; never other rows, and never an end that does not come."""
import copy
import random
import re
from collections import Counter

import tables
from dynamo import item
from replies import Reply, reply, respond_twice

CYCLE = "LastEvaluatedKey in a circle"        # which one such response alone does not make
# A Scan requests any item, so that there it is no lie.
STRANGER = "an item of another key"
LATE = "a second answer later"                 # it may come when the next one is awaited
OTHER = {"h": {"S": "p9"}, "n": {"N": "77"}, "v": {"N": "1"}, "g": {"S": "q"}}
STATEMENTS = [
    ("GetItem", "SELECT h, n, v FROM {0} WHERE h = 'p1' AND n = 2"),
    ("GetItem", "SELECT v FROM {0} WHERE h = 'p1' AND n = 99"),
    ("GetItem", "SELECT h, v FROM {0} WHERE h = 'p1' AND n = 98"),
    ("BatchGetItem", "SELECT h, n, v FROM {0} WHERE h = 'p1' AND n IN (1, 2, 3)"),
    ("BatchGetItem", "SELECT k.i, t.v FROM l.lied_keys k LEFT JOIN {0} t ON t.h = k.h AND t.n = k.n"),
    ("Query", "SELECT h, n, v FROM {0} WHERE h = 'p1'"),
    ("Query", "SELECT v FROM {0} WHERE h IN ('p1', 'p2', 'p4')"),
    ("Query", "SELECT n FROM {0} WHERE h = 'p2' ORDER BY n DESC LIMIT 3"),
    ("Query", "SELECT count(*) FROM {0} WHERE h = 'p3'"),
    ("Query", "SELECT h, n, v FROM {0} WHERE g = 'x'"),
    ("BatchGetItem", "SELECT h, n, v FROM {0} WHERE g = 'x'"),
    ("Query", "SELECT k.i, t.n, t.v FROM l.lied_keys k LEFT JOIN {0} t ON t.h = k.h"),
    ("Query", "SELECT k.i FROM l.lied_keys k WHERE NOT EXISTS (SELECT FROM {0} t WHERE t.h = k.h)"),
    ("Query", "SELECT k.i, (SELECT count(*) FROM {0} t WHERE t.h = k.h) FROM l.lied_keys k"),
    ("Scan", "SELECT h, n, v FROM {0}"),
    ("Scan", "SELECT count(*) FROM {0}"),
    ("Scan", "SELECT max(v), min(h) FROM {0}"),
]


def items_of(document):
    """The list of items in a response to several keys, or none."""
    if "Responses" in document:
        return next(iter(document["Responses"].values()), None)
    return document.get("Items")


def counted(document):
    """With counts that match the items."""
    if "Items" in document:
        document["Count"] = document["ScannedCount"] = len(document["Items"])
    return document


def replaced(replacement):
    """Another response altogether."""
    return lambda document, request: copy.deepcopy(replacement)


def without(name):
    """A member is missing."""
    def lie(document, request):
        return {k: v for k, v in document.items() if k != name} if name in document else None
    return lie


def having(name, value):
    """A member of another value, where responses of this kind have it."""
    def lie(document, request):
        known = {"GetItem": ("Item",), "BatchGetItem": ("Responses", "UnprocessedKeys")}
        allowed = known.get(request.operation, ("Items", "Count", "ScannedCount", "LastEvaluatedKey"))
        if name not in allowed and not name.startswith("_") and name != "Item":
            return None
        if name == "Item" and value is None and "Item" in document:
            return None     # like none
        if name == "Items" and "Items" not in document:
            return None
        return {**document, name: copy.deepcopy(value)}
    return lie


def on_items(change):
    """Another list of items, under matching counts."""
    def lie(document, request):
        items = items_of(document)
        if not items:
            return None
        changed = change(copy.deepcopy(items))
        document = copy.deepcopy(document)
        if "Responses" in document:
            document["Responses"] = {name: changed for name in document["Responses"]}
        else:
            document["Items"] = changed
        return counted(document)
    return lie


def on_item(change):
    """Another first item, also in a response to one key."""
    def lie(document, request):
        if "Item" in document and change({}) is not None:       # no Item, and an Item that is null, are no item
            return {**document, "Item": change(copy.deepcopy(document["Item"]))}
        return on_items(lambda items: [change(items[0])] + items[1:])(document, request)
    return lie


def unprocessed(which):
    """Keys left over, next to their items or others'."""
    def lie(document, request):
        if request.operation != "BatchGetItem":
            return None
        [(name, wanted)] = request.body["RequestItems"].items()
        keys = {"own": wanted["Keys"], "none": [], "foreign": [{"h": OTHER["h"], "n": OTHER["n"]}]}[which]
        return {**document, "UnprocessedKeys": {name: {"Keys": keys}}}
    return lie


def last_key(make):
    """A LastEvaluatedKey of a response with several keys."""
    def lie(document, request):
        if request.operation not in ("Query", "Scan"):
            return None
        return {**document, "LastEvaluatedKey": make(request)}
    return lie


def twice(document, request):
    """An item a second time; a Query's pages are believed to hold none twice."""
    return on_items(lambda items: items + items[:1])(document, request) if request.operation == "BatchGetItem" else None


def elsewhere(document, request):
    """Under another table's name."""
    return {**document, "Responses": {"another": items_of(document)}} if "Responses" in document else None


def of_table(lie):
    """The lie, but not about an index's entries: those that have no item any more are no rows."""
    return lambda document, request: None if (request.body or {}).get("IndexName") else lie(document, request)


def of_requested_key(lie):
    """The lie, where the partition key is requested: other attributes do not show which key an item has."""
    def requested_only(document, request):
        more_targets = request.body.get("ProjectionExpression")
        names = request.body.get("ExpressionAttributeNames", {})
        if request.operation in ("GetItem", "Query") and more_targets and "h" not in [names.get(name, name) for name in re.split(", ?", more_targets)]:
            return None
        return lie(document, request)
    return requested_only


def alternating():
    """LastEvaluatedKeys that are a cycle."""
    turn = [0]

    def make(request):
        turn[0] += 1
        key = {"h": {"S": "p1"}, "n": {"N": str(turn[0] % 2)}}
        return {**key, "g": {"S": "x"}, "v": {"N": "1"}} if request.body.get("IndexName") else key
    return make


def make_lies():
    """All of them by name: functions of the right response's document and the request; none, where one is impossible."""
    return {
        "a notice": replaced({"message": "Endpoint moved"}), "an error document": replaced({"__type": "x#ThrottlingException", "message": "slow"}),
        "another operation's answer": replaced({"TableNames": ["lied"]}), "a list": replaced([]), "null": replaced(None), "a number": replaced(5),
        "no Items": without("Items"), "no Count": without("Count"), "no ScannedCount": without("ScannedCount"),
        "no Responses": without("Responses"), "Items null": having("Items", None), "Items a map": having("Items", {}),
        "Items of text": having("Items", ["x"]), "Count too great": having("Count", 50), "Count negative": having("Count", -1),
        "Count text": having("Count", "3"), "Count null": having("Count", None), "Count broken": having("Count", 1.5), "Item null": having("Item", None),
        "Item a list": having("Item", []), "an Item besides": of_requested_key(having("Item", OTHER)), "Responses null": having("Responses", None),
        "Responses a list": having("Responses", []), "an error besides": having("__type", "x#Oops"),
        "LastEvaluatedKey null": having("LastEvaluatedKey", None), "LastEvaluatedKey empty": having("LastEvaluatedKey", {}),
        "LastEvaluatedKey text": having("LastEvaluatedKey", "x"),
        "LastEvaluatedKey of another key": last_key(lambda request: {"x": {"S": "p"}, "y": {"N": "1"}}),
        CYCLE: last_key(alternating()),
        "UnprocessedKeys with their items": unprocessed("own"), "UnprocessedKeys of others": unprocessed("foreign"),
        "UnprocessedKeys empty": unprocessed("none"), "UnprocessedKeys null": having("UnprocessedKeys", None),
        "of another table": elsewhere,
        "an item twice": twice, STRANGER: of_requested_key(on_items(lambda items: items + [OTHER])),
        "an item without its key": on_item(lambda one: {k: v for k, v in one.items() if k != "h"}),
        "an empty item": on_item(lambda one: {}), "an item that is none": on_item(lambda one: None),
        "a number that is none": on_item(lambda one: {**one, "v": {"N": "abc"}, "n": {"N": "abc"}}),
        "a number of JSON": on_item(lambda one: {**one, "v": {"N": 5}, "n": {"N": 5}}),
        "a value of two types": on_item(lambda one: {**one, "v": {"N": "5", "S": "5"}}),
        "a value of no type": on_item(lambda one: {**one, "v": {}}), "a value of an unknown type": on_item(lambda one: {**one, "v": {"Q": "5"}}),
        "a bare value": on_item(lambda one: {**one, "v": 5}), "a key of another type": of_table(
            on_item(lambda one: {**one, "n": {"S": "2"}, "h": {"N": "1"}})),
        LATE: None, "a body cut off": None, "two documents": None, "text behind the document": None, "a name twice": None,
    }


class Lies:
    """Statements, each under some lies."""

    def __init__(self, fx, runner, seed):
        self.runner, self.rng = runner, random.Random(seed)
        self.fake = fx.fake("liar")
        fx.execute("ALTER SERVER liar OPTIONS (ADD max_attempts '2')")
        items = [item({"h": f"p{h}", "n": n, "v": h * 10 + n, **({"g": "x" if h % 2 else "y"} if n else {})})
                 for h in range(5) for n in range(4)]
        self.fake.table("lied", ("h", "S"), ("n", "N"), [tables.index("by_g", ("g", "S"), None, "KEYS_ONLY")], items,
                        item_count=10 ** 6, size_bytes=10 ** 9)
        columns = 'h text COLLATE "C" NOT NULL, n int4 NOT NULL, v int4, g text'
        self.runner.execute(f"CREATE FOREIGN TABLE f.lied ({columns}) SERVER liar; CREATE TABLE l.lied ({columns}); "
                            "CREATE TABLE l.lied_keys (i int4, h text COLLATE \"C\", n int4); INSERT INTO l.lied_keys "
                            "SELECT i, 'p' || i % 7, i % 5 FROM generate_series(1, 30) i; ANALYZE l.lied_keys")
        self.runner.execute("INSERT INTO l.lied SELECT * FROM f.lied; ANALYZE l.lied")
        self.lies = make_lies()
        self.passed = self.failed = self.requested_only = 0

    def close(self):
        """Stop the server."""
        self.fake.stop()

    def right(self, request):
        """The response as it should be."""
        table = self.fake.tables["lied"]
        if request.operation == "BatchGetItem":
            return self.fake.respond_batch(request.body)
        found = {"GetItem": tables.get_item}.get(request.operation)
        return reply(found(table, request.body) if found else tables.read_page(table, request.body, request.operation == "Query"))

    def script(self, lie, name, at):
        """A function that responds to a request with a lie: all of them, or one."""
        seen = [0]

        def respond(request):
            seen[0] += 1
            if at and seen[0] != at or (name == STRANGER and request.operation == "Scan"):
                return None
            right = self.right(request)
            wrong = damaged(name, right) if lie is None else lie(copy.deepcopy(right.document), request)
            if wrong is None and name != "null":
                return None
            self.requested_only += 1
            return wrong if isinstance(wrong, Reply) else reply(wrong)
        return respond

    def run(self, count):
        """`count` statements, all lies in turn; yields each statement."""
        self.runner.set({"dynamo_fdw.metadata_cache_ttl": "3600", "statement_timeout": "5s", "enable_hashjoin": "off",
                         "enable_mergejoin": "off", "enable_material": "off"})
        done = 0
        names = list(self.lies)
        while done < count:
            self.rng.shuffle(names)
            for name in names:
                self.requested_only = 0
                for operation, sql in self.rng.sample(STATEMENTS, len(STATEMENTS)):
                    self.fake.tables["lied"].page_size = self.rng.choice([None, None, None, 1, 3])
                    self.run_lie(name, operation, sql, 0 if name == CYCLE else self.rng.choice([0, 0, 1, 2]))
                    yield f"{name}: {sql}"
                    if self.requested_only:
                        break
                done += 1
        self.fake.tables["lied"].page_size = None

    def run_lie(self, name, operation, sql, at):
        """One statement under one lie."""
        wanted = self.runner.outcome(sql.format("l.lied"))
        self.fake.on(operation, self.script(self.lies[name], name, at))
        found = self.runner.outcome(sql.format("f.lied"))
        self.fake.on(operation, None)
        again = self.runner.outcome(sql.format("f.lied"))
        self.runner.coverage.features["a lie: " + name] += self.requested_only > 0
        lawful = found.error and found.error[0] != "57014" and not found.crashed
        good = lawful or (not found.error and Counter(found.rows) == Counter(wanted.rows))
        after = (again.error and name == LATE) or (not again.error and Counter(again.rows) == Counter(wanted.rows))
        self.passed += good and after
        if not (good and after):
            self.failed += 1
            print(f"DIFFERENCE in a lie ({name}, of {operation}, {at or 'each'}):\n{sql.format('f.lied')}\nforeign: {found} {found.rows}\n"
                  f"again:   {again} {again.rows}\nlocal:   {wanted.rows}", flush=True)


def damaged(name, right):
    """Lies that are none of the document."""
    body = right.body
    if name == LATE:
        return respond_twice(right, 0.002)
    wrong = {"a body cut off": body[:-2], "two documents": body + body, "text behind the document": body + b"x",
             "a name twice": b'{"Count":1,' + body[1:] if b'"Count"' in body else None}[name]
    return right.but(body=wrong) if wrong is not None else None
