"""Prepared statements over a table that is recreated under its name, with other keys and indexes: right rows, or the error 55000."""
import random

from dynamo import index
from ordered import Ordered
from predicates import Lit
from statements import Generator, render
from twins import Column, Table, keyed
from values import Integer, Text

REFUSED = "55000"
STATEMENTS = 10     # of each round
SETTINGS = {"plan_cache_mode": "force_generic_plan", "dynamo_fdw.metadata_cache_ttl": "0"}


def indexes():
    """What the table's index may be, by name; all have one name in DynamoDB."""
    return {"by another sort key": lambda: [index("g_x", ("h", ""), ("s2", ""))],
            "by the first sort key": lambda: [index("g_x", ("h", ""), ("s1", ""))],
            "sparse": lambda: [index("g_x", ("h", ""), ("s3", ""))],
            "sparse by two sort keys": lambda: [index("g_x", ("h", ""), [("s1", ""), ("s3", "")])],
            "of keys only": lambda: [index("g_x", ("h", ""), ("s1", ""), "KEYS_ONLY")],
            "with another partition key": lambda: [index("g_x", ("s1", ""), ("h", ""))],
            "without a sort key": lambda: [index("g_x", ("h", ""), None)],
            "without an index": lambda: [],
            "local by another sort key": lambda: [index("l_x", ("pk", ""), ("s2", ""), local=True)],
            "local by the first sort key": lambda: [index("l_x", ("pk", ""), ("s1", ""), local=True)]}


class Replaced:
    """The table, and the rounds."""

    def __init__(self, fx, runner, seed):
        self.fx, self.runner, self.rng = fx, runner, random.Random(seed)
        self.items, self.created = None, False
        self.passed = self.failed = 0
        self.kinds = indexes()
        self.now = None
        self.become("by the first sort key", "sk")
        self.create()

    def become(self, name, sort):
        """The table as it is from now on, to the generator."""
        rows, pools = (self.now.rows, {c.name: c.pool for c in self.now.columns}) if self.now else ([], {})
        columns = {c.name: c for c in (
            keyed("pk", Text(collation="C"), 4), keyed("sk", Integer("int4"), 30), keyed("sj", Integer("int4"), 60, unique=True, not_null=True),
            Column("h", Text(collation="C"), size=3, absent=0.05), Column("s1", Integer("int4"), size=20, not_null=True),
            Column("s2", Integer("int4"), size=20, not_null=True), Column("s3", Integer("int4"), size=20, absent=0.5),
            Column("v", Integer("int4"), size=12))}
        keys = [columns["pk"], columns[sort]]
        self.now = Table("rx", 40, keys, [c for c in columns.values() if c not in keys], self.kinds[name]())
        self.now.rows = rows
        for column in self.now.columns:
            column.pool, column.null = pools.get(column.name, []), 0    # an index takes no NULL
        self.runner.by_name["rx"] = self.now
        self.generator = Generator(self.rng, [self.now])
        self.ordered = Ordered(self.generator, [self.now])
        if rows:
            self.now.indexes = [one for one in self.now.indexes]
            for one in self.now.indexes:
                self.now.name_attributes(one)

    def create(self):
        """In DynamoDB and in PostgreSQL, the first time."""
        self.items = self.now.build(self.rng)
        for column in self.now.columns:
            column.absent = 0
        self.now.create_foreign(self.fx, self.items)
        self.now.create_local(self.fx, "l")
        self.ordered = Ordered(self.generator, [self.now])

    def replace(self, name, sort):
        """Make it again in DynamoDB, with the same items."""
        self.become(name, sort)
        keys = [(k.attribute, self.now.wire(k.name)) for k in self.now.keys]
        remote = self.fx.remote("rx")
        self.fx.dynamo.create_table(remote, keys[0], keys[1], self.now.indexes)
        self.fx.dynamo.put_raw(remote, self.items)

    def statement(self):
        """A Select that uses the index, or the order of the keys, more often than not."""
        make = self.rng.choice([self.ordered.statement, self.ordered.statement, self.generator.by_key, self.generator.by_key,
                                self.generator.local_driver, self.generator.subquery])
        return make()

    def prepare(self, number, select):
        """PREPARE for both schemas; how to EXECUTE them, or none."""
        lits = []

        def write(lit):
            lits.append(lit)
            return f"${len(lits)}"
        for schema in "fl":
            lits.clear()
            body = render(select.parts(), schema, write)
            types = f" ({', '.join(lit.sqltype for lit in lits)})" if lits else ""
            if self.runner.outcome(f"PREPARE r{number}{schema}{types} AS {body}").error:
                return None
        return select, lits, body

    def execute(self, number, prepared):
        """One execution on both sides: (text, foreign, local)."""
        select, lits, body = prepared
        values = [lit.constant() if lit.other is None or self.rng.random() < 0.5 else Lit(lit.other(self.rng), lit.sqltype).constant()
                  for lit in lits]
        arguments = f"({', '.join(values)})" if values else ""
        text = f"PREPARE r{number} AS {body}; EXECUTE r{number}{arguments}"
        return text, self.runner.outcome(f"EXECUTE r{number}f{arguments}"), self.runner.outcome(f"EXECUTE r{number}l{arguments}")

    def run(self, rounds):
        """`count` changes; yields the text of each execution."""
        names = list(self.kinds)
        at, sort = names[1], "sk"
        for number in range(rounds):
            yield from self.round(at, sort, names[number % len(names)], self.rng.choice(["sk", "sk", "sj"]))
            at, sort = self.rng.choice(names), self.rng.choice(["sk", "sk", "sk", "sj"])
            self.replace(at, sort)

    def round(self, before, sort, after, then):
        """Statements prepared before, executed before and after."""
        settings = {**SETTINGS, **self.rng.choice([{}, {"enable_hashagg": "off", "enable_hashjoin": "off", "enable_nestloop": "off"},
                                                   {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_sort": "off"}])}
        self.runner.execute("DEALLOCATE ALL")
        self.runner.set(settings)
        prepared = {n: self.prepare(n, self.statement()) for n in range(STATEMENTS)}
        prepared = {n: p for n, p in prepared.items() if p}
        for number, one in prepared.items():
            yield self.judge(before, before, one, self.execute(number, one), ())
        self.replace(after, then)
        for _ in range(2):
            for number, one in prepared.items():
                yield self.judge(f"{before} by {sort}", f"{after} by {then}", one, self.execute(number, one), (REFUSED,))
        self.runner.coverage.features["index replaced: " + after] += 1
        self.runner.coverage.features["table re-created by another sort key"] += sort != then

    def judge(self, before, after, prepared, executed, lawful):
        """Right rows, or an error that is lawful; returns the text."""
        text, foreign, local = executed
        error = foreign.error[0] if foreign.error else None
        self.runner.coverage.features["refused after a change"] += error == REFUSED
        if error in lawful or (foreign.same(local, prepared[0].exact_order)):
            self.passed += 1
        else:
            self.failed += 1
            print(f"DIFFERENCE in a table replaced (planned {before}, executed {after}):\n{text}\nforeign: {foreign} {short(foreign)}\n"
                  f"local:   {local} {short(local)}", flush=True)
        return text


def short(outcome):
    """Some of its rows."""
    return outcome.rows[:12] if outcome.rows else ""
