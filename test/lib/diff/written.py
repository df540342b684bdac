"""Writes foreign tables and local twins by the same generated statements, and compares everything that can be seen afterwards.

After each statement these must be equal: what it returned (rows, number of rows, or SQLSTATE), what triggers have logged, all rows of both
tables, and each stored item with the one that the rules of the manual give (written_tables.py): attributes that the statement did not assign
are as they were. Where the manual refuses a value, the statement must fail with that SQLSTATE and the WARNING must count what was written.
"""
import io
import json
import os
import random
import re
import time
from collections import Counter

import psycopg2
import psycopg2.extensions

import replies
from stored import Refused, canonical_item, comparable
from written_statements import FORMS, NESTED, SHARED, Maker
from written_tables import make_tables

EPISODE = 22            # statements between two fillings
FULL = 4000             # statements from which on the coverage is judged
SETUP = """
CREATE SCHEMA f; CREATE SCHEMA l; CREATE SCHEMA h;
CREATE TYPE mood AS ENUM ('zero', 'low', 'high', 'A');
CREATE TABLE h.src (n int, t text); INSERT INTO h.src VALUES (0, 'a'), (1, 'b'), (2, NULL), (3, 'x'), (7, 'y'), (7, 'z');
CREATE TABLE f.kept (n bigint, t text); CREATE TABLE l.kept (n bigint, t text);
"""
TRIGGERS = {        # name: (when, body)
    "before write": ("BEFORE INSERT OR UPDATE ON {t} FOR EACH ROW", "NEW.{txt} := left(coalesce(NEW.{txt}, '') || '+', 4); RETURN NEW;"),
    "before skip": ("BEFORE INSERT OR UPDATE ON {t} FOR EACH ROW", "IF length(NEW.{txt}) = 2 THEN RETURN NULL; END IF; RETURN NEW;"),
    "before delete": ("BEFORE DELETE ON {t} FOR EACH ROW", "IF OLD.{txt} IS NULL THEN RETURN NULL; END IF; INSERT INTO kept VALUES (1, OLD.{txt}); RETURN OLD;"),
    "after row": ("AFTER INSERT OR UPDATE OR DELETE ON {t} FOR EACH ROW", "INSERT INTO kept VALUES (2, TG_OP || coalesce(OLD.{txt}, '-') || coalesce(NEW.{txt}, '-')); RETURN NULL;"),
    "after insert": ("AFTER INSERT ON {t} FOR EACH ROW", "INSERT INTO kept SELECT count(*), NEW.{txt} FROM {t}; RETURN NULL;"),
    "update of, before": ("BEFORE UPDATE OF {of} ON {t} FOR EACH ROW", "NEW.{txt} := left(coalesce(NEW.{txt}, '') || '!', 4); RETURN NEW;"),
    "update of, after": ("AFTER UPDATE OF {of} ON {t} FOR EACH ROW", "INSERT INTO kept VALUES (3, coalesce(OLD.{txt}, '-') || coalesce(NEW.{txt}, '-')); RETURN NULL;"),
    "after statement": ("AFTER INSERT OR UPDATE OR DELETE ON {t} FOR EACH STATEMENT", "INSERT INTO kept SELECT count(*), TG_OP FROM {t}; RETURN NULL;"),
}
ERRORS = {          # name: what one of the writes of a statement meets; it must not be seen, except as 08007 after the first three
    "lost": lambda: replies.executed(replies.empty_reply()),
    "error after it": lambda: replies.executed(replies.internal_error()),
    "error before it": replies.internal_error,
    "throttled": replies.throttle,
    "conflict": replies.conflict,
}
EXECUTED = ("lost", "error after it")
# What each error must have met: in coverage, by statement.  Only what is not an INSERT meets "error before it", see inject().
OPERATIONS = ("INSERT", "COPY", "UPDATE", "DELETE", "DO NOTHING", "DO UPDATE", "atomic")
MODES = [("text", 60), ("generic", 20), ("custom", 6), ("block", 14)]


class Notices:
    """The notices of a connection."""

    def __init__(self):
        self.reported = []

    def append(self, notice):
        """One more."""
        self.reported.append(notice)

    def take(self):
        """All of it, and forget it."""
        reported, self.reported = self.reported, []
        return reported


class Side:
    """A connection to one of the schemas."""

    def __init__(self, fx, schema):
        self.fx, self.schema = fx, schema
        self.connection = None
        self.notices = Notices()
        self.prepared = 0
        self.connect()

    def connect(self):
        """Connect; all values come as texts."""
        self.connection = self.fx.connect()
        raw = psycopg2.extensions.new_type(tuple(psycopg2.extensions.string_types), "RAW", lambda value, _: value)
        psycopg2.extensions.register_type(raw, self.connection)
        self.connection.notices = self.notices
        self.execute(f"LOAD '{os.environ.get('DIFF_LIBRARY', 'dynamo_fdw')}'; SET search_path = {self.schema}, h, public; SET timezone = 'UTC'; SET jit = off; SET dynamo_fdw.scan_policy = 'allow'; SET plpgsql.variable_conflict = use_column")

    def execute(self, sql):
        """Rows or none."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else None

    def run(self, statement):
        """(count, column names, rows), or an SQLSTATE."""
        self.notices.take()
        try:
            with self.connection.cursor() as cursor:
                if statement.copy is not None:
                    cursor.copy_expert(statement.sql, io.StringIO(statement.copy))
                    self.execute("SELECT 1")        # notices of triggers come with the next statement
                elif statement.mode in ("generic", "custom"):
                    self.run_prepared(cursor, statement)
                elif statement.mode == "block":
                    cursor.execute(f"DO $do$ DECLARE many bigint; BEGIN {statement.literal()}; GET DIAGNOSTICS many = ROW_COUNT; INSERT INTO kept VALUES (many, 'count'); END $do$")
                else:
                    cursor.execute(statement.literal())
                names = [column.name for column in cursor.description] if cursor.description else []
                return cursor.rowcount, names, cursor.fetchall() if cursor.description else []
        except psycopg2.Error as failure:
            if self.connection.closed:
                self.reconnect()
                return "crash"
            if self.schema == "f":
                self.execute("SELECT 1")        # after COPY, a WARNING comes after the error
            return " ".join(filter(None, (failure.diag.sqlstate, failure.diag.message_primary, failure.diag.message_detail)))

    def run_prepared(self, cursor, statement):
        """PREPARE and EXECUTE."""
        self.prepared += 1
        types = ", ".join(const.sqltype for const in statement.consts)
        values = ", ".join(const.literal() for const in statement.consts)
        cursor.execute(f"SET plan_cache_mode = force_{statement.mode}_plan")
        cursor.execute(f"PREPARE p{self.prepared}{f' ({types})' if types else ''} AS " + statement.text(lambda number, _: f"${number + 1}"))
        cursor.execute(f"EXECUTE p{self.prepared}{f' ({values})' if values else ''}")

    def reconnect(self):
        """The server has crashed."""
        for _ in range(60):
            time.sleep(0.5)
            try:
                self.connect()
                return
            except psycopg2.Error:
                continue
        raise SystemExit("the server did not come back")


class Parent:           # pylint: disable=too-few-public-methods
    """A partitioned table, as far as statements need to know it."""

    def __init__(self, partitions):
        first = partitions[0]
        self.name, self.partitions, self.filter, self.agreeing = "parent", partitions, {}, []
        self.columns = first.columns
        self.by_name = first.by_name
        self.keys = [first.by_name[name] for name in ("region", "k", "n")]

    @staticmethod
    def linked():
        """No templates."""
        return []


class Generator:            # pylint: disable=too-many-instance-attributes
    """Everything that a run needs."""

    def __init__(self, fx, seed):
        self.fx, self.rng = fx, random.Random(seed)
        fx.execute(SETUP)
        self.far, self.near = Side(fx, "f"), Side(fx, "l")
        self.tables, self.partitions = make_tables(self.rng)
        self.remotes = {table.remote.name: table.remote for table in self.tables + self.partitions}
        for remote in self.remotes.values():
            remote.create(fx)
        for table in self.tables:
            table.prepare(self.rng)
            table.create(fx)
        self.create_partitions()
        self.parent = Parent(self.partitions)
        for table in self.tables + [self.parent]:
            self.create_around(table)
        fx.execute(self.tables[0].text("CREATE VIEW f.v_one AS SELECT * FROM f.one WHERE {i4} > 0 WITH CHECK OPTION; CREATE VIEW l.v_one AS SELECT * FROM l.one WHERE {i4} > 0 WITH CHECK OPTION"))
        self.coverage = Counter()
        self.differences = []
        self.triggers, self.triggered = None, None      # their table and names; the column of UPDATE OF

    # Making the tables

    def create_partitions(self):
        """A parent with foreign partitions and a local one; the twin's are all local."""
        east, north = self.partitions
        east.prepare(self.rng)
        regions = [("east", {"S": "east"}), ("north", {"S": "north"}), ("west", {"S": "west"}), ("east", {"S": "east"})]
        east.by_name["region"].pool = east.by_name["region"].writes = regions
        for column in north.columns:
            twin = east.by_name[column.name]
            column.raw, column.sql, column.pool, column.writes = twin.raw, twin.sql, twin.pool, twin.writes
        text = east.text
        for schema in "fl":
            key = ", PRIMARY KEY ({region}, {k}, {n})" if schema == "l" else ""
            self.fx.execute(text(f"CREATE TABLE {schema}.parent ({{region}} text COLLATE \"default\", {{k}} text, {{n}} int, {{note}} text, {{x}} numeric, {{flag}} boolean{key}) PARTITION BY LIST ({{region}})"))
            self.fx.execute(f"CREATE TABLE {schema}.part_west PARTITION OF {schema}.parent FOR VALUES IN ('west')")
            if schema == "f":
                self.fx.execute(text("ALTER TABLE f.part_west ADD PRIMARY KEY ({k}, {n})"))
        for table in self.partitions:
            self.fx.execute(f"CREATE TABLE l.{table.name} PARTITION OF l.parent FOR VALUES IN ('{table.region}')")
            options = f"OPTIONS (table_name '{self.fx.remote(table.remote.name)}', updatable 'true')"
            self.fx.execute(f"CREATE FOREIGN TABLE f.{table.name} ({table.declare(True)}) SERVER ddb {options}; ALTER TABLE f.parent ATTACH PARTITION f.{table.name} FOR VALUES IN ('{table.region}')")

    def create_around(self, table):
        """The source table of a table, and the trigger that logs what is done to its twin."""
        columns = ", ".join(f"{c.sql} {c.kind.declare()}" for c in table.columns)
        self.fx.execute(f"CREATE TABLE h.src_{table.name} ({columns})")
        pairs = lambda row: ", ".join(f"'{c.name}', {row}.{c.sql}::text" for c in table.columns)
        names = ", ".join(f"'{c.name}'" for c in table.columns)
        values = lambda row: "jsonb_object(ARRAY[" + names + "], ARRAY[" + ", ".join(f"{row}.{c.sql}::text" for c in table.columns) + "])"
        del pairs
        self.fx.execute(f"""CREATE FUNCTION h.note_{table.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE NOTICE '%', jsonb_build_object('table', '{table.name}', 'op', TG_OP, 'old', CASE WHEN TG_OP <> 'INSERT' THEN {values('OLD')} END, 'new', CASE WHEN TG_OP <> 'DELETE' THEN {values('NEW')} END);
            RETURN NULL; END $$;
            CREATE TRIGGER aaa_note AFTER INSERT OR UPDATE OR DELETE ON l.{table.name} FOR EACH ROW EXECUTE FUNCTION h.note_{table.name}()""")

    # Filling them

    def fill(self):
        """Begin again: items of all kinds, the same rows in the twins, other source rows."""
        rng = self.rng
        self.near.execute("SET session_replication_role = replica")         # no triggers
        self.far.execute("TRUNCATE f.kept, l.kept, l.parent, f.part_west")
        for remote in self.remotes.values():
            remote.items = {}
        for table in self.tables + self.partitions:
            name = f"l.{table.name}" if not table.region else "l.parent"
            self.near.execute(f"TRUNCATE {name}") if not table.region else None         # pylint: disable=expression-not-assigned
            taken = set()
            for _ in range(table.rows):
                drawn = table.draw(rng)
                if table.region:
                    drawn["region"] = (table.region, {"S": table.region})
                row = {n: t for n, (t, _) in drawn.items()}
                key = table.key_of(row)
                if key in taken:
                    continue
                taken.add(key)
                item = table.item_of(rng, drawn)
                self.generate(table, row, item)
                try:
                    if not table.expired(item):
                        self.insert_local(name, table, row)
                    table.remote.items[key] = item
                except psycopg2.Error:      # a CHECK constraint
                    continue
        self.fill_west()
        for table in self.tables + [self.parent]:
            self.fill_source(table)
        for remote in self.remotes.values():
            self.restore(remote, {})
        self.near.execute("RESET session_replication_role")

    def fill_west(self):
        """Rows of the local partition."""
        columns = self.parent.by_name
        for schema in "fl":
            self.near.execute(f"INSERT INTO {schema}.part_west ({columns['region'].sql}, {columns['k'].sql}, {columns['n'].sql}, {columns['note'].sql}) VALUES ('west', 'a', 1, 'w'), ('west', 'B', 2, NULL), ('west', 'ab', 3, 'ww')")

    @staticmethod
    def generate(table, row, item):
        """The values of generated columns."""
        for column in table.columns:
            if column.generated:
                row[column.name] = None
                if column.name == "gen" and row["i8"] is not None:
                    row["gen"] = str(int(row["i8"]) - 1)
                if column.name == "low" and row["txt"] is not None:
                    row["low"] = row["txt"].lower() + "."
                if row[column.name] is not None:
                    item[column.attribute] = {"S" if column.name == "low" else "N": row[column.name]}

    def insert_local(self, name, table, row):
        """A row of the twin."""
        columns = [c for c in table.columns if not c.generated]
        sql = f"INSERT INTO {name} ({', '.join(c.sql for c in columns)}) VALUES ({', '.join(['%s'] * len(columns))})"
        with self.near.connection.cursor() as cursor:
            cursor.execute(sql.replace("%", "%%").replace("%%s", "%s"), [row[c.name] for c in columns])

    def fill_source(self, table):
        """Rows with keys of the table, each once."""
        rng, columns = self.rng, [c for c in table.columns if not c.generated]
        self.near.execute(f"TRUNCATE h.src_{table.name}")
        seen = set()
        for _ in range(8):
            row = {c.name: None if rng.random() < c.null or not c.writes else rng.choice(c.writes)[0] for c in columns}
            for linked in table.linked():
                row.update({c.name: rng.choice(c.writes)[0] for c in linked} if rng.random() < 0.8 else dict.fromkeys(c.name for c in linked))
            row.update({name: text for name, (text, _) in rng.choice(table.agreeing or [{}]).items()})
            key = tuple(row[k.name] for k in table.keys)
            if key not in seen:
                seen.add(key)
                self.insert_local(f"h.src_{table.name}", table, row)

    def restore(self, remote, items):
        """Make the DynamoDB table hold what `remote.items` has; {} stands for whatever it holds."""
        name = self.fx.remote(remote.name)
        items = items or remote.scan(self.fx.dynamo, name)
        for key, item in items.items():
            if key not in remote.items:
                self.fx.dynamo.call("DeleteItem", {"TableName": name, "Key": {a: item[a] for a, _ in remote.keys}})
        self.fx.dynamo.put_raw(name, [item for key, item in remote.items.items() if items.get(key) != item])

    # Triggers

    def set_triggers(self, table, names):
        """These triggers and no others, on both sides."""
        if self.triggers:
            old, old_names = self.triggers
            for name in old_names:
                for schema in "fl":
                    self.near.execute(f'DROP TRIGGER "t {name}" ON {schema}.{old.name}')
        self.triggers = (table, names) if names else None
        self.triggered = self.rng.choice([c for c in table.columns if not c.key and not c.generated])
        column = next((table.by_name[n] for n in ("txt", "name", "note") if n in table.by_name), None)
        for name in names:
            when, body = TRIGGERS[name]
            words = {"txt": column.sql, "t": table.name, "of": self.triggered.sql}
            self.near.execute(f'CREATE OR REPLACE FUNCTION h."t {name}"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body.format(**words)} END $$')
            for schema in "fl":
                self.near.execute(f'CREATE TRIGGER "t {name}" {when.format(**{**words, "t": schema + "." + table.name})} EXECUTE FUNCTION h."t {name}"()')

    def draw_triggers(self, table):
        """Some, for tables that may have them."""
        if not any(n in table.by_name for n in ("txt", "name", "note")) or self.rng.random() < 0.65:
            return []
        names = [n for n in TRIGGERS if table.name != "visit" or n not in ("after insert", "after statement")]      # a local row does not expire
        return self.rng.sample(names, self.rng.choice([1, 1, 2]))

    # Running

    def run(self, count, first=False):
        """`count` statements."""
        number = 0
        while number < count:
            self.fill()
            table = self.rng.choices(self.tables + [self.parent], [5, 4, 2, 4, 4, 4, 3, 4, 2, 3, 3])[0]
            self.set_triggers(table, self.draw_triggers(table))
            for _ in range(min(EPISODE, count - number)):
                number += 1
                self.one(table)
                if first and self.differences:
                    return
        self.set_triggers(self.tables[0], [])

    def one(self, table):
        """One statement; differences are noted, and what differs is made equal again."""
        rng = self.rng
        partitions = self.partitions if table is self.parent else ()
        maker = Maker(rng, table, "v_one" if table.name == "one" else None, partitions)
        statement = maker.make(self.rows(table))
        if table is self.parent and statement.form == "do_update":
            return
        statement.mode = rng.choices(*zip(*MODES))[0] if not statement.copy and not re.search("RETURNING|^WITH", statement.sql) else rng.choice(["text", "text", "generic"])
        statement.atomic = rng.random() < 0.08
        self.far.execute(f"SET dynamo_fdw.write_mode = '{'atomic' if statement.atomic else 'immediate'}'")
        self.near.execute("BEGIN")
        local = self.near.run(statement)
        log = self.log()
        self.inject(statement)
        foreign = self.far.run(statement)
        self.fx.proxy.finish()      # a statement that fails may leave requests in flight, which no longer count
        written = self.written()
        self.fx.proxy.reset(scripts=True)
        warned = self.warned(self.far.notices.take())
        problem = self.judge(table, statement, local, foreign, log, warned, written)
        if isinstance(local, str) or isinstance(foreign, str):
            self.near.execute("ROLLBACK")
        else:
            self.near.execute("COMMIT")
        self.count(table, statement, local, foreign)
        for entry in log if table.name == "member" and not isinstance(foreign, str) else ():
            self.coverage[f"{entry['op']} of a key with a separator"] += "#" in (entry["old"] or entry["new"])["id"]
        problem = problem or self.compare_tables(table)
        if problem:
            self.report(table, statement, problem, local, foreign)
            self.fill()

    def inject(self, statement):
        """Let one of the first writes of some statements meet an error; more often where few statements are of such a kind."""
        if self.rng.random() > (0.5 if statement.atomic or statement.copy or statement.form.startswith("delete") else 0.15):
            return
        # an INSERT whose first attempt was not executed cannot be distinguished from one whose equal item was there before
        statement.error = self.rng.choice([name for name in ERRORS if name != "error before it" or not re.search("INSERT|COPY", statement.sql)])
        before = iter(range(self.rng.randrange(3)))
        done = []

        def respond(request):
            if done or not request.is_write() or next(before, None) is not None:
                return None
            done.append(True)
            statement.met = operation_of(statement, request)
            return ERRORS[statement.error]()
        self.fx.proxy.on("*", respond)

    def rows(self, table):
        """The rows of the twin, as texts."""
        rows = self.near.execute(f"SELECT {', '.join(c.sql + '::text' for c in table.columns)} FROM l.{table.name}")
        return [dict(zip([c.name for c in table.columns], row)) for row in rows]

    def log(self):
        """What was done to the twin's rows."""
        return [json.loads(text.partition(":")[2]) for text in self.near.notices.take() if '"op"' in text]

    def written(self):
        """The items of the writes that DynamoDB has executed, (table, key); a WITH may write one twice."""
        writes = [(request.operation, request.body) for request in self.fx.proxy.requests if request.is_write() and request.status == 200]
        writes += [member for operation, body in writes if operation == "TransactWriteItems" for one in body["TransactItems"] for member in one.items()]
        remotes = {self.fx.remote(name): remote for name, remote in self.remotes.items()}
        return [(remotes[body["TableName"]].name, remotes[body["TableName"]].key(body.get("Item") or body["Key"]))
                for operation, body in writes if operation != "TransactWriteItems"]

    @staticmethod
    def warned(notices):
        """How many items a WARNING counts: from, to."""
        count = lambda pattern: sum(int(number) for text in notices for number in re.findall(pattern, text))
        sure = count(r"(\d+) items? written to DynamoDB")
        return range(sure, sure + count(r"up to (\d+) ") + 1)

    def report(self, table, statement, problem, local, foreign):
        """Print a difference."""
        triggers = f" -- triggers: {', '.join(self.triggers[1])}" if self.triggers else ""
        text = f"# {len(self.differences) + 1}. {table.name}, {statement.form}, {statement.mode}{', atomic' if statement.atomic else ''}{', ' + statement.error if statement.error else ''}{triggers}\n#   {statement.literal()[:2000]}\n"
        if statement.copy:
            text += f"#   {statement.copy[:1000]!r}\n"
        text += f"#   local {str(local)[:250]}\n#   foreign {str(foreign)[:250]}\n#   {problem[:700]}\n"
        print(text, flush=True)
        self.differences.append(text)

    # Judging

    def expected(self, table, log):
        """The items of each DynamoDB table after what was done to the twin; raises Refused."""
        items = {name: dict(remote.items) for name, remote in self.remotes.items()}
        for entry in log:
            target, old, new = table, entry["old"], entry["new"]
            if table is self.parent:
                place = (new or old)["region"]
                if entry["op"] == "UPDATE" and old["region"] != new["region"]:
                    raise Refused("0A000")
                target = next((p for p in self.partitions if p.region == place), None)
                if target is None:
                    continue
            there = items[target.remote.name]
            if entry["op"] == "INSERT":
                item = target.inserted(new)
                key = target.key_of(new)
                if key in there and not target.expired(there[key]):
                    raise Refused("23505")
                there[key] = item
            elif entry["op"] == "DELETE":
                del there[target.key_of(old)]
            else:
                key = target.key_of(old)
                there[key] = target.updated(there[key], old, new)
        return items

    def judge(self, table, statement, local, foreign, log, warned, written):       # pylint: disable=too-many-arguments
        """What is wrong with the outcome; nothing if all is right.  Takes over, or restores, what is stored."""
        refusals = set()
        expected = None
        failed = isinstance(local, str)
        if not failed:
            try:
                expected = self.expected(table, log)
            except Refused as refusal:
                refusals = self.refusals(table, log) | {refusal.sqlstate}
            refusals |= self.moves(table, statement, log)
        refusals |= self.documented(table, statement, log)
        now = {name: remote.scan(self.fx.dynamo, self.fx.remote(remote.name)) for name, remote in self.remotes.items()}
        differ = {(name, key) for name, remote in self.remotes.items() for key in now[name].keys() | remote.items.keys()
                  if canonical_item(now[name].get(key, {})) != canonical_item(remote.items.get(key, {}))}
        changed, same = len(differ), len(written) - len(differ & set(written))      # a write may leave the item as it was
        problem = None
        if isinstance(foreign, str):
            state = foreign[:5]
            # the log of a failed statement does not show the rows after its first error, which may have values that cannot be stored
            allowed = refusals | ({local[:5], "0A000"} if failed else set())
            if failed and statement.many:       # another row comes first
                allowed |= {"22003", "22008", "22023"} | ({"23502"} if statement.form in ("with_two", "do_update") else set())      # half of an attribute with a template becomes NULL
            if statement.odd and (failed or statement.form in ("do_nothing", "do_update")):
                allowed |= {"22003", "22008", "22023", "23502", "0A000", "54000", "44000"} | ({"23514"} if table is self.parent else set())
            if statement.error in list(ERRORS)[:3]:
                allowed |= {"08007"}
            if state not in allowed:
                problem = f"SQLSTATE {state}, expected {sorted(allowed) or 'none'}"
            elif all(count not in warned for count in range(changed, changed + same + 1)) and (table.name != "visit" or changed > max(warned)):      # an expired item may be replaced by its like
                problem = f"the WARNING counts {warned} items, {changed} were changed"
            elif changed and (statement.atomic or not statement.many) and state != "08007":
                problem = f"{changed} items changed by a statement that failed"
            for name, remote in self.remotes.items():
                self.restore(remote, now[name])
            return problem
        if failed and statement.error in EXECUTED and local.startswith("23505"):
            pass    # the response of the refused INSERT was lost, and the item that was there is equal (docs/writing.md)
        elif failed:
            problem = f"no error, expected {local}"
        elif expected is None:
            problem = f"no error, expected {sorted(refusals)}"
        else:
            self.accept_removed(statement, expected, now)
            problem = (None if self.counted_as_own(statement, local, foreign) else self.compare_outcomes(table, local, foreign)) or self.compare_items(expected, now)
        for name, remote in self.remotes.items():
            remote.items = now[name]
        if table.name == "visit" and not failed:
            self.hide_expired(table)
        return problem

    def refusals(self, table, log):
        """The SQLSTATEs of all rows by themselves, as any of them may come first."""
        found = set()
        for entry in log:
            alone = [entry]
            if entry["op"] == "UPDATE":     # each column by itself, too
                alone += [{**entry, "new": {**entry["old"], name: text}} for name, text in entry["new"].items() if text != entry["old"][name]]
            if entry["op"] == "INSERT":
                alone += [{**entry, "new": {**{n: t if self.needed(table, n) else None for n, t in entry["new"].items()}, name: text}} for name, text in entry["new"].items()]
            for one in alone:
                try:
                    self.expected(table, [one])
                except Refused as refusal:
                    found.add(refusal.sqlstate)
                except KeyError:
                    pass
        return found

    @staticmethod
    def needed(table, name):
        """Has the column a value in each row?"""
        column = table.by_name[name]
        return column.key or name == "region" or column.attribute in table.filter

    def moves(self, table, statement, log):
        """Rows that leave a foreign partition: core refuses them by the partition's constraint."""
        moved = {"DELETE", "INSERT"} <= {entry["op"] for entry in log}
        kept = statement.odd and self.triggers and "before delete" in self.triggers[1]      # the trigger may keep the row where it is
        if table is self.parent and statement.sql.lstrip().startswith(("UPDATE", "WITH")) and (moved or kept):
            return {"23514", "0A000"}
        return set()

    def documented(self, table, statement, log):
        """SQLSTATEs that the manual names for statements of such a kind."""
        found = set()
        triggers = self.triggers[1] if self.triggers else []
        returns = "RETURNING" in statement.sql
        if statement.atomic and "ON CONFLICT" in statement.sql and (returns or any(name in ("after row", "after insert") for name in triggers)):
            found.add("0A000")
        if statement.atomic and statement.copy and any(name.startswith("after") for name in triggers):
            found.add("0A000")
        if statement.form == "delete_using" and "before delete" in triggers:
            found.add("0A000")      # a row may join with several
        if statement.form == "do_update" and any(name.startswith("after") or "write" in name or "skip" in name for name in triggers):
            found.add("0A000")
        if self.triggered.sql in statement.sql.partition("DO UPDATE SET")[2] and any("update of" in name for name in triggers):
            found.add("0A000")
        if statement.form == "insert_select" and "ON CONFLICT" in statement.sql and any("row" in name or name == "after insert" for name in triggers):
            found.add("0A000")
        if statement.atomic:
            keys = Counter()
            for entry in log:
                keys[json.dumps([entry["table"], [(entry["old"] or entry["new"])[k.name] for k in table.keys]])] += 1
            if any(many > 1 for many in keys.values()) or statement.many and statement.form in ("insert", "do_nothing", "do_update", "copy", "with_two"):
                found.add("0A000")
        return found

    def counted_as_own(self, statement, local, foreign):
        """Is the response about a row that was there lost, and the row equal?  Then it counts as inserted (docs/writing.md)."""
        if statement.error not in EXECUTED or "DO NOTHING" not in statement.sql:
            return False
        counts = [local[0], foreign[0]]
        if statement.mode == "block":
            logs = self.logs()
            found = [[n for n, text in (logs[one] - logs[1 - one]).elements() if text == "count"] for one in (0, 1)]
            counts = [int(one[0]) if len(one) == 1 else -1 for one in found]
        if counts[1] != counts[0] + 1:
            return False
        self.near.execute("DELETE FROM f.kept; INSERT INTO f.kept SELECT * FROM l.kept")        # triggers and later statements have seen it
        return True

    def logs(self):
        """What triggers and blocks have logged, on both sides."""
        return [Counter(side.execute(f"SELECT * FROM {side.schema}.kept")) for side in (self.near, self.far)]

    def compare_outcomes(self, table, local, foreign):
        """Counts and rows."""
        if local[0] != foreign[0] or local[1] != foreign[1]:
            return f"count {foreign[0]}, expected {local[0]}"
        shown = [self.shown(table, outcome[1], outcome[2]) for outcome in (local, foreign)]
        if shown[0] != shown[1]:
            return f"rows {list((shown[1] - shown[0]))}, expected {list(shown[0] - shown[1])}"
        logs = self.logs()
        return None if logs[0] == logs[1] else f"the log has {list((logs[1] - logs[0]).items())}, expected {list((logs[0] - logs[1]).items())}"

    @staticmethod
    def shown(table, names, rows):
        """The rows in a form in which equal ones are equal."""
        columns = {c.raw: c for c in table.columns}
        return Counter(tuple(comparable(text, columns[name].sqltype, columns[name].format != "list") if name in columns else text for name, text in zip(names, row)) for row in rows)

    @staticmethod
    def accept_removed(statement, expected, now):
        """An attribute that stores NULL may be removed if NULL was assigned to its column: whether depends on whether the row was read."""
        names = {column.attribute for column in statement.assigned if not column.path}
        for name, items in expected.items():
            for key, item in items.items():
                removed = {a for a in names if item.get(a) == {"NULL": True} and a not in now[name].get(key, {a: None})}
                items[key] = {a: value for a, value in item.items() if a not in removed}

    def compare_items(self, expected, now):
        """What is stored."""
        for name, items in expected.items():
            for key in sorted(items.keys() | now[name].keys()):
                want, have = (canonical_item(where[key]) if key in where else None for where in (items, now[name]))
                if want != have:
                    lines = [f"{attribute!r}: {(have or {}).get(attribute)}, expected {(want or {}).get(attribute)}" for attribute in sorted((want or {}).keys() | (have or {}).keys())
                             if (have or {}).get(attribute) != (want or {}).get(attribute)]
                    return f"item {key} of {name}: {'; '.join(lines)}"
        return None

    def hide_expired(self, table):
        """Rows that have expired by what was written."""
        ends = table.by_name["ends"].sql
        self.near.execute(f"SET LOCAL session_replication_role = replica; DELETE FROM l.visit WHERE {ends} <= now() AND {ends} > now() - interval '157680000 s'; RESET session_replication_role")
        self.near.notices.take()

    def compare_tables(self, table):
        """All rows of both."""
        for one in self.tables + [self.parent] if table is self.parent or self.rng.random() < 0.1 else [table]:
            sql = ", ".join(c.sql for c in one.columns)
            found = [self.shown(one, [c.raw for c in one.columns], side.execute(f"SELECT {sql} FROM {side.schema}.{one.name}")) for side in (self.near, self.far)]
            if found[0] != found[1]:
                more, less = list(found[1] - found[0]), list(found[0] - found[1])
                if len(more) == len(less) == 1:
                    pairs = [(c.raw, a, b) for c, a, b in zip(one.columns, more[0], less[0]) if a != b]
                    return f"table {one.name}: " + "; ".join(f"{name!r} is {str(a)[:150]}, expected {str(b)[:150]}" for name, a, b in pairs)
                return f"table {one.name} has {more}, expected {less}"
        return None

    # Coverage

    def count(self, table, statement, local, foreign):
        """What was tried."""
        coverage = self.coverage
        outcome = foreign[:5] if isinstance(foreign, str) else "done" if foreign[0] or statement.mode == "block" else "no row"
        coverage[f"{statement.form} on {table.name}: {outcome if outcome in ('done', 'no row') else 'error'}"] += 1
        coverage[f"outcome {outcome}"] += 1
        coverage[f"mode {statement.mode}"] += 1
        coverage[f"atomic: {outcome if outcome == 'done' else 'other'}"] += statement.atomic
        coverage[f"{statement.error}: {outcome if outcome in ('done', '08007') else 'other'}"] += 1
        coverage[f"{statement.error} in {statement.met}"] += 1
        for kind in statement.kinds:
            coverage[f"{kind}: {outcome}"] += 1
        if outcome == "done":
            for column in statement.assigned:
                coverage[f"{table.name}.{column.name} assigned"] += 1
            for name in self.triggers[1] if self.triggers else []:
                coverage[f"trigger {name}"] += 1
        del local

    def holes(self):
        """What a large count must have met, and did not."""
        tables = self.tables + [self.parent]
        wanted = [f"{form} on {table.name}: done" for form, _ in FORMS for table in tables if (form, table.name) != ("do_update", "parent")]
        wanted += [f"{t.name}.{c.name} assigned" for t in tables for c in t.columns if not c.generated and not c.fixed and c.name not in ("bare",)]
        wanted += [f"outcome {state}" for state in ("22003", "22008", "22023", "23502", "23505", "23514", "44000", "0A000", "54000", "21000", "no row")]
        wanted += [f"trigger {name}" for name in TRIGGERS] + [f"mode {mode}" for mode, _ in MODES] + ["atomic: done", "lost: 08007", f"{NESTED}: done"] + [f"{op} of a key with a separator" for op in ("UPDATE", "DELETE")] + [f"{SHARED}: {outcome}" for outcome in ("done", "0A000", "22023")] + [f"{error}: done" for error in ERRORS]
        wanted += [f"{error} in {operation}" for error in ERRORS for operation in OPERATIONS if error != "error before it" or operation in ("UPDATE", "DELETE", "atomic")]
        return [name for name in wanted if not self.coverage[name]]


def operation_of(statement, request):
    """Of OPERATIONS, that of the request that meets an error."""
    if statement.atomic:
        return "atomic"
    if statement.copy:
        return "COPY"
    if conflict := re.search("DO NOTHING|DO UPDATE", statement.sql):
        return conflict[0]
    return {"PutItem": "INSERT", "UpdateItem": "UPDATE", "DeleteItem": "DELETE"}[request.operation]


def run(fx, count, seed, flags=()):
    """Run `count` statements, print the figures; the differences and the holes."""
    generator = Generator(fx, seed)
    try:
        generator.run(count, "--first" in flags)
    finally:
        generator.far.connection.close()
        generator.near.connection.close()
    missing = generator.holes() if count >= FULL and "--no-coverage" not in flags else []
    changed = sum(many for name, many in generator.coverage.items() if name.endswith(": done") and " on " in name)
    print(f"# {count} writes from seed {seed}: {changed} changed something, {len(generator.differences)} differ; outcomes: " +
          ", ".join(f"{name[8:]} {many}" for name, many in sorted(generator.coverage.items()) if name.startswith("outcome ")))
    for name in missing:
        print(f"# not covered: {name}")
    return generator.differences, missing
