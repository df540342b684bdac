"""What is easily lost by writes: keys of indexes, plans that are older than the table, privileges, upserts in each place of a statement,
values that several columns show, maps, expired items, items of other entities, and the pace of a throttled table."""
import io
import random
import re
import threading
import time

import dynamo
import fixture
import metered
import metering
import psycopg2
import replies
import writes
from dynamo import index
from volume import volume


class Indexes(fixture.TestCase):
    """Keys of indexes follow their columns."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET timezone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'")
        fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1pk", "S"), ("gsi1sk", "S")), index("by_state", ("state", "S"), ("n", "N"))])
        fx.foreign_table("task", "id text NOT NULL, state text, n int, owner text OPTIONS (attribute 'owner'), due date OPTIONS (attribute 'due')", table_name=fx.remote("app"), updatable="on",
                         trusted_indexes="gsi1", item_filter='{"_et": "task"}',
                         key_templates='{"pk": "TASK#${id}", "sk": "T", "gsi1pk": "OWNER#${owner}", "gsi1sk": "${due}#${id}"}')

    def items(self):
        """All of them."""
        return self.fx.dynamo.call("Scan", {"TableName": self.fx.remote("app"), "ConsistentRead": True})["Items"]

    def test_H07_random_updates(self):
        """After 1,000 of them in CI, columns to NULL and back, each item has the keys that its columns give."""
        rng = random.Random(7)
        self.fx.execute("INSERT INTO task (id) SELECT g::text FROM generate_series(1, 20) g")
        for _ in range(volume(200, 1000)):
            column, value = rng.choice([("state", rng.choice(["'open'", "'done'", "NULL"])), ("n", rng.choice(["1", "2", "n + 1", "NULL"])), ("owner", rng.choice(["'ada'", "'eva'", "NULL"])),
                                        ("due", rng.choice(["'2024-02-29'", "due + 1", "NULL"])), ("owner", "'ada', due = '2024-01-01'"), ("owner", "NULL, due = NULL, n = 7")])
            self.fx.execute(f"UPDATE task SET {column} = {value} WHERE id = '{rng.randint(1, 20)}'")
        for item in self.items():
            shown = {name: value.get("S") or value.get("N") for name, value in item.items()}
            owner, due, number = shown.get("owner"), shown.get("due"), shown["pk"][len("TASK#"):]
            self.assertEqual(shown.get("gsi1pk"), f"OWNER#{owner}" if owner else None, item)
            self.assertEqual(shown.get("gsi1sk"), f"{due}#{number}" if due else None, item)
        self.assertEqual([row for row in self.fx.rows("SELECT kind, detail FROM dynamo_fdw_check_table('task')") if row[0] != "absent"], [])
        for owner in ("ada", "eva"):
            known = {item["pk"]["S"][5:] for item in self.items() if item.get("owner") == {"S": owner} and "due" in item}
            self.assertEqual({i for (i,) in self.fx.rows(f"SELECT id FROM task WHERE owner = '{owner}' AND due IS NOT NULL")}, known)

    def test_H20_target_through_an_index_whose_key_is_set(self):
        self.fx.execute("DELETE FROM task; INSERT INTO task (id, state, n) SELECT 'q' || g, 'open', g FROM generate_series(1, 30) g")
        self.fx.foreign_table("plain", "pk text NOT NULL, sk text NOT NULL, state text NOT NULL, n int NOT NULL, owner text", table_name=self.fx.remote("app"), updatable="on",
                              trusted_indexes="by_state")
        sql = "UPDATE plain SET n = n + 10, state = 'open' WHERE state = 'open' AND n > 0"
        self.assertIn("by_state", self.fx.explain(sql))
        with self.fx.conn.cursor() as cursor:
            cursor.execute(sql)
            self.assertEqual(cursor.rowcount, 30)
        self.assertEqual(sorted(int(item["n"]["N"]) for item in self.items()), list(range(11, 41)))

    def test_H20_stale_entry_of_an_index(self):
        """The items are read from the table: one that has changed is not written."""
        self.fx.execute("DELETE FROM task; INSERT INTO task (id, owner, due) VALUES ('s', 'ada', '2024-01-01')")
        requests = self.fx.requests("UPDATE task SET state = 'x' WHERE owner = 'ada' AND due = '2024-01-01'")
        self.assertEqual([r.operation for r in requests][:2], ["Query", "GetItem"])


class Catalog(fixture.TestCase):
    """Statements about tables."""

    def test_H23_information_schema(self):
        """It checks for each foreign table whether it can be written, which needs neither a request nor a user mapping."""
        self.fx.create_table("t", ("pk", "S"))
        self.fx.foreign_table("t", "pk text NOT NULL, v text", updatable="on")
        self.fx.execute("CREATE VIEW seen AS SELECT * FROM t")
        for name in ("tables", "columns", "views"):
            self.assertEqual(self.fx.requests(f"SELECT * FROM information_schema.{name}", describe=True), [])
        self.assertEqual(self.fx.value("SELECT is_updatable FROM information_schema.views WHERE table_name = 'seen'"), "YES")
        self.fx.execute("DROP USER MAPPING FOR PUBLIC SERVER ddb")
        self.addCleanup(self.fx.execute, "CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (access_key_id 'test', secret_access_key 'test')")
        self.assertEqual(self.fx.value("SELECT is_insertable_into FROM information_schema.tables WHERE table_name = 't'"), "YES")

    def test_H24_schema_changed_under_a_plan(self):
        """A statement that was planned for another primary key fails and writes nothing; the next plan has the new key."""
        self.fx.create_table("changed", ("pk", "S"), ("n", "N"))
        self.fx.foreign_table("changed", "pk text NOT NULL, n int NOT NULL, v text", updatable="on")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE w (text) AS UPDATE changed SET v = $1 || n WHERE pk = 'a'; PREPARE d AS DELETE FROM changed WHERE pk = 'a'")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        old, new = dynamo.item({"pk": "a", "n": 1, "v": "old"}), dynamo.item({"pk": "a", "n": 1, "v": "y1"})
        for first in ("EXECUTE w ('y')", "EXECUTE d", "SELECT dynamo_fdw_disconnect_all()"):
            self.fx.create_table("changed", ("pk", "S"), ("n", "N"))
            self.fx.execute("SELECT dynamo_fdw_disconnect_all(); INSERT INTO changed VALUES ('a', 1); EXECUTE w ('x'); EXECUTE d")
            self.fx.create_table("changed", ("pk", "S"))
            self.fx.dynamo.put(self.fx.remote("changed"), [{"pk": "a", "n": 1, "v": "old"}])
            if first.startswith("EXECUTE"):
                with self.subTest(first), self.assertRaises(psycopg2.Error) as failure:
                    self.fx.execute(first)
                self.assertEqual(failure.exception.diag.sqlstate, "HV000")
                self.assertIn("Retry the statement", failure.exception.diag.message_hint)
            else:
                self.fx.execute(first)
            self.assertEqual(self.stored("changed"), [old])
            self.fx.execute("EXECUTE w ('y')")
            self.assertEqual(self.stored("changed"), [new])
            self.fx.execute("EXECUTE d")
            self.assertEqual(self.stored("changed"), [])

    def test_H24_schema_changed_under_an_atomic_plan(self):
        """Whichever of its tables has another primary key now: the next attempt has the new key."""
        for name in ("first", "second"):
            self.fx.create_table(name, ("pk", "S"), ("n", "N"))
            self.fx.foreign_table(name, "pk text NOT NULL, n int NOT NULL, v text", updatable="on")
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'; SET plan_cache_mode = force_generic_plan;"
                        "PREPARE twice AS WITH f AS (UPDATE first SET v = v || 'n' WHERE pk = 'a') UPDATE second SET v = v || 'n' WHERE pk = 'a'")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode; RESET dynamo_fdw.write_mode")
        for changed in ("first", "second"):
            for name in ("first", "second"):
                self.fx.create_table(name, ("pk", "S"), ("n", "N"))
                self.fx.dynamo.put(self.fx.remote(name), [{"pk": "a", "n": 1, "v": "x"}])
            self.fx.execute("SELECT dynamo_fdw_disconnect_all(); EXECUTE twice")
            self.fx.create_table(changed, ("pk", "S"))
            self.fx.dynamo.put(self.fx.remote(changed), [{"pk": "a", "n": 1, "v": "x"}])
            with self.subTest(changed), self.assertRaises(psycopg2.Error) as failure:
                self.fx.execute("EXECUTE twice")
            self.assertIn("Retry the statement", failure.exception.diag.message_hint)
            self.fx.execute("EXECUTE twice")
            self.assertEqual(self.stored(changed), [dynamo.item({"pk": "a", "n": 1, "v": "xn"})])

    def stored(self, table):
        """The items as they are."""
        return self.fx.dynamo.call("Scan", {"TableName": self.fx.remote(table)})["Items"]


class Privileges(writes.TestCase):
    """As on a local table."""

    def setUp(self):
        super().setUp()
        for role in ("reader", "writer", "inserter", "owner"):
            self.fx.execute(f"DROP ROLE IF EXISTS w_{role}; CREATE ROLE w_{role}")
            self.addCleanup(self.fx.execute, f"DROP OWNED BY w_{role}; DROP ROLE w_{role}")
        self.addCleanup(self.fx.execute, "RESET ROLE")
        self.fx.execute("GRANT SELECT ON far, near TO w_reader; GRANT SELECT, INSERT, UPDATE, DELETE ON far, near TO w_writer, w_owner; GRANT INSERT ON far, near TO w_inserter;"
                        "GRANT UPDATE (note), SELECT (id, n) ON far, near TO w_inserter; GRANT CREATE, USAGE ON SCHEMA public TO w_owner")

    def acting(self, role, sql):
        """The outcome of a statement of a role on both tables."""
        self.fx.execute(f"SET ROLE w_{role}")
        try:
            outcomes = [self.outcome(sql.replace("{t}", table)) for table in ("far", "near")]
        finally:
            self.fx.execute("RESET ROLE")
        self.assertEqual(*outcomes, sql)
        return outcomes[0]

    def test_grants(self):
        for sql in ("INSERT INTO {t} VALUES ('g', 1)", "UPDATE {t} SET note = 'x'", "DELETE FROM {t}"):
            self.assertEqual(self.acting("reader", sql), "42501")
            self.assertNotEqual(self.acting("writer", sql), "42501")
        self.assertEqual(self.acting("inserter", "INSERT INTO {t} VALUES ('i', 1, 'x')")[0], 1)
        self.assertEqual(self.acting("inserter", "UPDATE {t} SET note = 'y' WHERE id = 'i' AND n = 1")[0], 1)
        self.assertEqual(self.acting("inserter", "UPDATE {t} SET total = 1 WHERE id = 'i' AND n = 1"), "42501")
        self.assertEqual(self.acting("inserter", "UPDATE {t} SET note = note || '!' WHERE id = 'i'"), "42501")
        self.assertEqual(self.acting("inserter", "INSERT INTO {t} VALUES ('i', 2) RETURNING note"), "42501")
        self.assertSameTables()

    def test_H25_values_in_messages(self):
        self.fx.execute("REVOKE ALL ON far FROM w_inserter; GRANT INSERT ON far TO w_inserter; SET ROLE w_inserter")
        self.assertEqual(self.fx.error("INSERT INTO far VALUES ('a', 1)").detail, "The key already exists.")
        self.fx.execute("RESET ROLE")
        self.assertEqual(self.fx.error("INSERT INTO far VALUES ('a', 1)").detail, "Key (id, n)=(a, 1) already exists.")
        self.fx.foreign_table("also", self.COLUMNS, table_name=self.fx.remote("items"), updatable="true", scan_policy="allow")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.fx.execute("DELETE FROM far WHERE (id, n) <> ('a', 1); SET dynamo_fdw.write_mode = 'atomic'; GRANT UPDATE ON far, also TO w_inserter")
        for role, key in (("SET ROLE w_inserter", "The key"), ("RESET ROLE", "Key (id, n)=(a, 1)")):
            self.fx.execute(role)
            failure = self.fx.error("WITH w AS (UPDATE far SET note = 'x') UPDATE also SET note = 'y'")
            self.assertEqual((failure.sqlstate, failure.detail), ("0A000", f'{key} of DynamoDB table "{self.fx.remote("items")}" is written twice.'))

    def test_view_owners_and_definers(self):
        for table in ("far", "near"):
            self.fx.execute(f"SET ROLE w_owner; CREATE VIEW v_{table} AS SELECT * FROM {table} WHERE n < 5; GRANT SELECT, INSERT, UPDATE ON v_{table} TO w_reader;"
                            f"CREATE FUNCTION f_{table}() RETURNS void SECURITY DEFINER LANGUAGE sql AS 'DELETE FROM {table} WHERE n = 2'; RESET ROLE")
        self.assertEqual(self.acting("reader", "INSERT INTO v_{t} VALUES ('v', 1)")[0], 1)
        self.assertEqual(self.acting("reader", "UPDATE v_{t} SET note = 'v' RETURNING id, n")[0], 4)
        self.assertEqual(self.acting("reader", "DELETE FROM v_{t}"), "42501")
        self.acting("reader", "SELECT f_{t}()")
        self.assertSameTables()

    def test_mapping_of_a_user(self):
        """The mapping of the user whose privileges count is used."""
        self.fx.execute("DROP USER MAPPING FOR PUBLIC SERVER ddb; CREATE USER MAPPING FOR w_writer SERVER ddb OPTIONS (access_key_id 'test', secret_access_key 'test')")
        self.addCleanup(self.fx.execute, "CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (access_key_id 'test', secret_access_key 'test')")
        self.fx.execute("SET ROLE w_writer; INSERT INTO far VALUES ('m', 1); SET ROLE w_owner")
        self.assertIn(self.outcome("INSERT INTO far VALUES ('m', 2)"), ("42704", "28000", "HV00N"))
        self.fx.execute("RESET ROLE")

    def test_user_of_routed_rows(self):
        """Rows that a partitioned table routes are written as the user of the statement, the view or the function, not as an owner of tables."""
        fx, part = self.fx, f"SERVER ddb OPTIONS (updatable 'on', table_name '{self.fx.remote('items')}')"
        fx.execute("DROP USER MAPPING FOR PUBLIC SERVER ddb; GRANT USAGE ON FOREIGN SERVER ddb TO w_owner")
        self.addCleanup(fx.execute, "CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (access_key_id 'test', secret_access_key 'test')")
        for role in ("reader", "writer", "owner"):
            fx.execute(f"CREATE USER MAPPING FOR w_{role} SERVER ddb OPTIONS (access_key_id '{role}', secret_access_key 'test')")
            self.addCleanup(fx.execute, f"DROP USER MAPPING FOR w_{role} SERVER ddb")
        fx.execute("SET ROLE w_owner; CREATE TABLE routed (id text NOT NULL, n int NOT NULL, note text) PARTITION BY LIST (id);"
                   f"CREATE FOREIGN TABLE routed_far PARTITION OF routed FOR VALUES IN ('f') {part}; CREATE TABLE routed_near PARTITION OF routed FOR VALUES IN ('n');"
                   "RESET ROLE; GRANT INSERT, UPDATE, SELECT ON routed TO w_writer; GRANT CREATE ON SCHEMA public TO w_writer;"
                   "SET ROLE w_writer; CREATE VIEW v_routed AS SELECT * FROM routed; CREATE VIEW i_routed WITH (security_invoker) AS SELECT * FROM routed;"
                   "CREATE FUNCTION as_definer() RETURNS void SECURITY DEFINER LANGUAGE sql AS $$ INSERT INTO routed VALUES ('f', 5) $$;"
                   "CREATE FUNCTION as_invoker() RETURNS void LANGUAGE sql AS $$ INSERT INTO routed VALUES ('f', 6) $$;"
                   "GRANT SELECT, INSERT ON v_routed, i_routed TO w_reader; RESET ROLE; INSERT INTO routed VALUES ('n', 9)")
        self.addCleanup(fx.execute, "RESET ROLE; DROP TABLE routed CASCADE; DROP FUNCTION as_definer, as_invoker")
        for role, user, work in (
                ("writer", "writer", lambda c: c.execute("INSERT INTO routed VALUES ('f', 1), ('n', 1)")),
                ("writer", "writer", lambda c: c.copy_expert("COPY routed FROM STDIN", io.StringIO("f\t2\t\n"))),
                ("reader", "writer", lambda c: c.execute("INSERT INTO v_routed VALUES ('f', 3)")),
                ("reader", "writer", lambda c: c.execute("WITH w AS (INSERT INTO v_routed VALUES ('f', 4) RETURNING n) SELECT * FROM w")),
                ("reader", "writer", lambda c: c.execute("SELECT as_definer()")),
                ("writer", "writer", lambda c: c.execute("SELECT as_invoker()")),
                ("owner", "writer", lambda c: c.execute("INSERT INTO v_routed VALUES ('f', 7)")),
                ("owner", "owner", lambda c: c.execute("INSERT INTO routed VALUES ('f', 8)")),
                ("writer", "writer", lambda c: c.execute("UPDATE routed SET id = 'f' WHERE id = 'n' AND n = 9")),
                ("reader", None, lambda c: c.execute("INSERT INTO i_routed VALUES ('f', 10)")),
                ("reader", None, lambda c: c.execute("SELECT as_invoker()")),
                ("inserter", None, lambda c: c.execute("INSERT INTO routed VALUES ('f', 11)"))):
            fx.execute("GRANT INSERT ON v_routed TO w_owner; SELECT dynamo_fdw_disconnect_all()")
            fx.proxy.reset()
            fx.execute(f"SET ROLE w_{role}")
            try:
                with fx.conn.cursor() as cursor:
                    work(cursor)
            except psycopg2.Error as failure:
                self.assertEqual((failure.pgcode, user), ("42501", None))
            fx.execute("RESET ROLE")
            keys = {re.search("Credential=([^/]*)/", r.headers["authorization"])[1] for r in fx.proxy.requests}
            self.assertEqual(keys, {user} if user else set())
        fx.execute("SET ROLE w_owner")
        self.assertEqual(fx.rows("SELECT n FROM routed_far WHERE id = 'f' ORDER BY n"), [(n,) for n in range(1, 10)])
        # a user without a mapping writes nothing
        fx.execute("RESET ROLE; GRANT INSERT ON routed TO w_inserter; SET ROLE w_inserter")
        self.assertIn(self.outcome("INSERT INTO routed VALUES ('f', 12)"), ("42704", "28000", "HV00N"))
        fx.execute("RESET ROLE")

    def test_read_only(self):
        for sql in ("INSERT INTO {t} VALUES ('r', 1)", "UPDATE {t} SET note = 'x'", "DELETE FROM {t}", "INSERT INTO {t} VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x'",
                    "WITH w AS (DELETE FROM {t} RETURNING 1) SELECT * FROM w"):
            self.fx.execute("SET default_transaction_read_only = on")
            try:
                self.assertEqual(self.both(sql), "25006")
            finally:
                self.fx.execute("RESET default_transaction_read_only")


class UpsertsEverywhere(writes.TestCase):
    """ON CONFLICT (key) in each place where a statement may have it."""

    UPSERT = "INSERT INTO {t} AS t VALUES ('a', 1, 'new', 5), ('z', 1, 'z', 5) ON CONFLICT (id, n) DO UPDATE SET total = coalesce(t.total, 0) + EXCLUDED.total"

    def test_H29(self):
        self.both(f"WITH u AS ({self.UPSERT} RETURNING id, total) SELECT * FROM u")
        for table in ("far", "near"):
            upsert = self.UPSERT.replace("{t}", table)
            self.fx.execute(f"CREATE OR REPLACE FUNCTION up() RETURNS void LANGUAGE sql AS $$ {upsert} $$; SELECT up(), up();"
                            f"DO $$ BEGIN FOR i IN 1 .. 7 LOOP {upsert}; END LOOP; END $$;"
                            f"PREPARE up_{table} (text, numeric) AS INSERT INTO {table} AS t (id, n, total) VALUES ($1, 1, $2) ON CONFLICT (n, id) DO UPDATE SET total = EXCLUDED.total, note = t.note || $1")
            for number in range(7):
                self.fx.execute(f"EXECUTE up_{table} ('a', {number})")
            self.fx.execute(f"CREATE OR REPLACE VIEW part AS SELECT id, n, note FROM {table} WITH CHECK OPTION; INSERT INTO part AS p VALUES ('a', 1, 'v') ON CONFLICT (id, n) DO UPDATE SET note = p.note || EXCLUDED.note")
        self.assertSameTables()
        self.assertIn("On Conflict: update", self.fx.explain(self.UPSERT.replace("{t}", "far")))


class Tools(writes.TestCase):
    """Statements as object mappers and tools send them."""

    STATEMENTS = [
        ("UPDATE {t} SET id = %s, n = %s, note = %s, total = %s, flag = %s, at = %s WHERE (id = %s AND n = %s)", ("a", 1, "saved", 1, True, None, "a", 1)),            # all columns, the key too
        ("INSERT INTO {t} (id, n, note) VALUES (%s, %s, %s), (%s, %s, %s) RETURNING id, n", ("o", 1, "x", "o", 2, "y")),
        ("SELECT id, n, note FROM {t} WHERE id = %s AND n = %s LIMIT 21", ("o", 1)),
        ("INSERT INTO {t} (id, n, note) VALUES (%s, %s, %s) ON CONFLICT (id, n) DO UPDATE SET note = EXCLUDED.note RETURNING id", ("o", 1, "upserted")),
        ("WITH pgrst_source AS (INSERT INTO {t} (id, n, note) SELECT id, n, note FROM json_to_recordset(%s) AS _ (id text, n int, note text) RETURNING {t}.*) "
         "SELECT coalesce(json_agg(_.id), '[]') FROM (SELECT * FROM pgrst_source) _", ('[{"id": "p", "n": 1, "note": "rest"}]',)),
        ("WITH pgrst_source AS (UPDATE {t} SET note = pgrst_body.note FROM (SELECT note FROM json_to_record(%s) AS _ (note text)) pgrst_body WHERE {t}.id = %s RETURNING {t}.*) SELECT count(*) FROM pgrst_source",
         ('{"note": "patched"}', "p")),
        ("UPDATE {t} SET note = %s, n = %s WHERE id = %s AND n = %s AND total = %s", ("v4", 2, "a", 2, 2)),            # optimistic locking: one row, then none
        ("UPDATE {t} SET total = %s WHERE id = %s AND n = %s AND total = %s", (3, "a", 2, 99)),
        ("DELETE FROM {t} WHERE (id, n) IN ((%s, %s), (%s, %s))", ("o", 1, "o", 2)),
        ("INSERT INTO {t} (id, n) SELECT %s, unnest(%s::int[])", ("u", [1, 2, 3])),
    ]

    def test_H26_H27(self):
        for sql, parameters in self.STATEMENTS:
            with self.subTest(sql=sql):
                self.both(sql, parameters)


class SharedAttributes(writes.TestCase):
    """Columns that show the same attribute, or a part of it."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, info jsonb, rating int, other jsonb"
    FOREIGN = "id text NOT NULL, n int NOT NULL, info jsonb, rating int OPTIONS (path 'info.rating'), other jsonb OPTIONS (attribute 'info')"
    ROWS = ""

    def test_H09_update(self):
        """All of them that agree, or nothing is sent: in a local table, the others would keep their values."""
        before = {"rating": 1, "name": "x"}
        for assigned, after in (("rating = 5", 22023), ("rating = NULL", 22023), ("info = '{\"a\": 1}'", 22023), ("info = NULL", 22023), ("rating = 1, info = info", before),
                                ("{i} = '{\"rating\": 5}', rating = 5", {"rating": 5}), ("{i} = info || '{\"rating\": 7}', rating = 7", {"rating": 7, "name": "x"}),
                                ("{i} = info || '{\"b\": 2}'", {"rating": 1, "name": "x", "b": 2}), ("{i} = '{\"rating\": 6}', rating = 5", 22023), ("{i} = '{}', rating = 5", 22023),
                                ("{i} = '{\"rating\": 5}', rating = NULL", 22023), ("{i} = '{}', rating = NULL", {}), ("{i} = '7', rating = 5", 22023), ("{i} = '7', rating = NULL", 7),
                                ("{i} = NULL, rating = 5", 22023), ("{i} = NULL, rating = NULL", None), ("info = '{\"a\": 1}', other = '{\"a\": 2}', rating = NULL", 22023),
                                ("info = '{\"a\": 1}', other = NULL, rating = NULL", 22023)):
            with self.subTest(assigned=assigned):
                self.fx.put("items", [{"id": "h", "n": 9, "info": before, "more": "kept"}])
                assigned = re.sub("{i} = (.*?)(, rating|$)", r"info = \1, other = \1\2", assigned)
                outcome = self.outcome(f"UPDATE far SET {assigned} WHERE id = 'h'")
                stored = self.fx.rows("SELECT info, other, rating FROM far")[0]
                if after == 22023:
                    self.assertEqual((outcome, stored), ("22023", (before, before, 1)))
                    continue
                self.assertEqual((outcome, stored), ((1, []), (after, after, after.get("rating") if isinstance(after, dict) else None)))
                self.assertEqual(self.item("h", 9)["more"], {"S": "kept"})

        error = self.fx.error("UPDATE far SET rating = 6")
        self.assertEqual(error.message, 'cannot store the value of column "info" of foreign table "far"')
        self.assertEqual(error.detail, 'The item would be read back with another value.  Column "info" shows the same data as "rating".')
        self.assertEqual(error.hint, 'Assign values that agree to all columns that show attribute "info".')
        self.assertIn('Column "info" shows the same data as "rating", "other".', self.fx.error("INSERT INTO far VALUES ('h', 1, '{\"rating\": 1}', 2, '{\"rating\": 1}')").detail)

    def test_H09_an_identifier_and_its_time(self):
        """The time of a ULID is read from it, and follows it; alone, it cannot be assigned."""
        self.fx.foreign_table("event", "id text NOT NULL, n int NOT NULL, tag text, made timestamptz OPTIONS (attribute 'tag', format 'ulid')",
                              table_name=self.fx.remote("items"), updatable="on")
        early, late = "01HMAAAAAA0000000000000000", "01HNAAAAAA0000000000000000"
        self.fx.execute(f"INSERT INTO event VALUES ('e', 1, '{early}')")
        made = self.fx.value("SELECT made FROM event")
        self.fx.execute(f"UPDATE event SET tag = '{late}' WHERE id = 'e'")
        self.assertGreater(self.fx.value("SELECT made FROM event"), made)
        self.assertEqual(self.outcome("UPDATE event SET made = made WHERE id = 'e'"), (1, []))
        for assigned in ("made = made + interval '1 day'", f"made = made + interval '1 day', tag = '{early}'"):
            self.assertEqual(self.outcome(f"UPDATE event SET {assigned} WHERE id = 'e'"), "0A000")
        self.assertEqual(self.item("e", 1)["tag"], {"S": late})


class ReturnedRows(writes.TestCase):
    """RETURNING and AFTER triggers show a written row as a SELECT shows it, also where a column shows what other columns write."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, address jsonb, city text, again text, tag text, made timestamptz, tags text[], first text, total numeric, rest jsonb"
    FOREIGN = "id text NOT NULL, n int NOT NULL, address jsonb, city text OPTIONS (path 'address.city'), again text OPTIONS (attribute 'tag'), tag text," \
              " made timestamptz OPTIONS (attribute 'tag', format 'ulid', on_mismatch 'null'), tags text[] OPTIONS (format 'list'), first text OPTIONS (path 'tags[0]')," \
              " total numeric, rest jsonb OPTIONS (document 'rest')"
    ROWS = ""
    SHOWN = "id, n, address, city, again, tag, made, tags, first, total::text"
    INSERTS = ("(id, n, city) VALUES ('i', 1, 'Rome')", "(id, n, address, city, total) VALUES ('i', 1, NULL, 'Rome', 1.50), ('i', 2, '{\"city\": \"Oslo\"}', NULL, 2.0)",
               "(id, n, tag) VALUES ('i', 1, '01HMAAAAAA0000000000000000')", "(id, n, again, tags) VALUES ('i', 1, 'x', '{a,b}')",
               "(id, n, rest) VALUES ('i', 1, '{\"more\": 1}')", "VALUES ('i', 1)", "SELECT 's', n + 1, NULL, city, tag FROM far WHERE id = 'h'")
    UPDATES = ("city = 'Rome', total = 7.10", "tag = '01HNAAAAAA0000000000000000', again = '01HNAAAAAA0000000000000000', tags = '{c,d}'", "tags = NULL",
               "tags = '{e,f}', total = (SELECT max(n) * 1.0 FROM far)")

    def setUp(self):
        super().setUp()
        self.fx.execute("CREATE TABLE IF NOT EXISTS seen (id text, n int, address jsonb, city text, again text, tag text, made timestamptz, tags text[], first text, total text); TRUNCATE seen")

    def compare(self, sql, shown=SHOWN):
        """What RETURNING shows, with what is read afterwards."""
        returned = self.fx.rows(f"{sql} RETURNING {shown}")
        self.assertGreater(len(returned), 0)
        stored = self.fx.rows(f"SELECT {shown} FROM far WHERE id <> 'h' OR '{sql[:6]}' <> 'INSERT'")
        self.assertEqual(sorted(map(repr, returned)), sorted(map(repr, stored)))

    def each(self):
        """Each statement, on one stored row."""
        for sql in ["INSERT INTO far " + insert for insert in self.INSERTS] + ["UPDATE far SET " + update for update in self.UPDATES]:
            for mode in ("immediate", "atomic"):
                with self.subTest(sql=sql, mode=mode):
                    self.fx.execute(f"RESET dynamo_fdw.write_mode; DELETE FROM far; SET dynamo_fdw.write_mode = {mode}; TRUNCATE seen")
                    self.put_raw({"id": {"S": "h"}, "n": {"N": "1"}, "tag": {"S": "01HMAAAAAA0000000000000000"}, "total": {"N": "1"}} |
                                 ({"tags": {"L": [{"S": "a"}]}} if "tags" in sql else {"address": {"M": {}}} if "city" in sql and "INSERT" in sql else {}))
                    yield sql
        self.fx.execute("RESET dynamo_fdw.write_mode")

    def test_returning(self):
        for sql in self.each():
            self.compare(sql, self.SHOWN + (", rest" if sql.startswith("INSERT") else ""))

    def test_on_conflict(self):
        for sql in self.each():
            if sql.startswith("INSERT") and "SELECT" not in sql and self.fx.value("SHOW dynamo_fdw.write_mode") == "immediate":
                self.compare(sql + " ON CONFLICT (id, n) DO UPDATE SET total = 3.10")

    def test_after_trigger(self):
        self.fx.execute(f"CREATE OR REPLACE FUNCTION note_seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen SELECT {self.SHOWN} FROM (SELECT NEW.*) x; RETURN NULL; END $$;"
                        "CREATE TRIGGER noted AFTER INSERT OR UPDATE ON far FOR EACH ROW EXECUTE FUNCTION note_seen()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER noted ON far")
        for sql in self.each():
            self.fx.execute(sql)
            self.assertEqual(sorted(map(repr, self.fx.rows("SELECT * FROM seen"))),
                             sorted(map(repr, self.fx.rows(f"SELECT {self.SHOWN} FROM far WHERE id <> 'h' OR '{sql[:6]}' <> 'INSERT'"))))
        self.fx.execute("TRUNCATE seen")
        with self.fx.conn.cursor() as cursor:
            cursor.copy_expert("COPY far (id, n, city, total) FROM STDIN", io.StringIO("c\t1\tRome\t1.50\n"))
        self.assertEqual(self.fx.rows("SELECT address, city, total FROM seen"), [({"city": "Rome"}, "Rome", "1.5")])

    def test_constraints(self):
        """They hold for the row as it is assigned, and as it is read; nothing is written otherwise."""
        for constraint in ("address IS NULL", "address IS NOT NULL"):
            self.fx.execute(f"ALTER TABLE far ADD CONSTRAINT c CHECK ({constraint}); CREATE VIEW v AS SELECT * FROM far WHERE {constraint} WITH CHECK OPTION")
            self.assertEqual(self.outcome("INSERT INTO far (id, n, city) VALUES ('i', 1, 'Rome')"), "23514")
            self.fx.execute("ALTER TABLE far DROP CONSTRAINT c")
            self.assertEqual(self.outcome("INSERT INTO v (id, n, city) VALUES ('i', 1, 'Rome')"), "44000")
            self.fx.execute("DROP VIEW v")
            self.assertEqual(self.fx.rows("SELECT id FROM far"), [])

    def noted(self, sql, *, table="far", row="first"):
        """The column that an AFTER trigger sees in the row that a statement writes."""
        self.fx.execute(f"CREATE OR REPLACE FUNCTION note_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', NEW.{row}; RETURN NULL; END $$;"
                        f"CREATE TRIGGER noted AFTER INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION note_row()")
        try:
            return [notice.removeprefix("NOTICE:  ") for notice in self.fx.notices(sql)]
        finally:
            self.fx.execute(f"DROP TRIGGER noted ON {table}")

    def test_stored_in_another_encoding(self):
        """A column keeps its value if the statement writes nothing near it: `first` shows no element of a set, although the same array in our encoding has one."""
        self.put_raw({"id": {"S": "h"}, "n": {"N": "1"}, "tags": {"SS": ["a"]}, "total": {"N": "1"}})
        for mode in ("immediate", "atomic"):
            self.fx.execute(f"SET dynamo_fdw.write_mode = {mode}")
            self.assertEqual(self.noted(f"UPDATE far SET total = {len(mode)}"), ["<NULL>"])
        self.fx.execute("RESET dynamo_fdw.write_mode; ALTER TABLE far ADD CONSTRAINT c CHECK (first IS NULL)")
        self.addCleanup(self.fx.execute, "ALTER TABLE far DROP CONSTRAINT c")
        self.assertEqual(self.outcome("UPDATE far SET total = 3"), (1, []))
        self.assertEqual(self.fx.rows("SELECT total, tags, first FROM far"), [(3, ["a"], None)])
        self.assertEqual(self.outcome("UPDATE far SET tags = '{b}'"), "23514")

    def test_templates(self):
        """A column shows the text that a template composes of another column, and the placeholder of another column's text."""
        self.fx.foreign_table("composed", "id text NOT NULL, n int NOT NULL, owner text OPTIONS (attribute 'owner'), key text, kind text OPTIONS (attribute 'made'), made text", table_name=self.fx.remote("items"),
                              updatable="on", scan_policy="allow", key_templates='{"key": "K#${owner}", "made": "M#${kind}"}')
        for sql, column in (("owner = 'ada'", "key"), ("kind = 'a'", "made"), ("made = 'M#b'", "kind")):
            with self.subTest(sql=sql):
                self.fx.execute("DELETE FROM composed; INSERT INTO composed VALUES ('h', 1)")
                self.assertEqual(self.noted("UPDATE composed SET " + sql, table="composed", row=column), [self.fx.value(f"SELECT {column} FROM composed")])
                self.assertIsNotNone(self.fx.value(f"SELECT {column} FROM composed"))

    def test_key_with_another_text(self):
        """A key keeps its stored form where an equal value is assigned."""
        self.fx.foreign_table("scaled", "id text NOT NULL, n numeric NOT NULL, total numeric", table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        self.fx.execute("DELETE FROM scaled")
        self.put_raw({"id": {"S": "h"}, "n": {"N": "1"}, "total": {"N": "1"}})
        for mode in ("immediate", "atomic"):
            self.fx.execute(f"SET dynamo_fdw.write_mode = {mode}")
            self.assertEqual(self.noted("UPDATE scaled SET n = 1.00, total = total + 1", table="scaled", row="n::text"), ["1"])
            self.assertEqual(self.fx.rows("UPDATE scaled SET n = 1.00, total = total + 1 RETURNING n::text"), [("1",)])
        self.fx.execute("RESET dynamo_fdw.write_mode")

    def test_constraints_are_checked_once(self):
        """Unless a column shows what another one writes; what a document shows is not checked."""
        self.fx.foreign_table("whole", "id text NOT NULL, n int NOT NULL, total numeric, item jsonb OPTIONS (document 'item'), others jsonb OPTIONS (document 'rest')",
                              table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        self.fx.execute("CREATE OR REPLACE FUNCTION seen_once(n int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'checked'; RETURN true; END $$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION seen_once CASCADE")
        for table in ("far", "whole"):
            self.fx.execute(f"ALTER TABLE {table} ADD CONSTRAINT once CHECK (seen_once(n)); DELETE FROM far")
            for sql in ("INSERT INTO {t} (id, n, total) VALUES ('i', 1, 1.50)", "UPDATE {t} SET total = 2.50", "UPDATE {t} SET total = NULL",
                        "INSERT INTO {t} (id, n) VALUES ('i', 1) ON CONFLICT (id, n) DO UPDATE SET total = 4.50"):
                with self.subTest(sql=sql, table=table):
                    self.assertEqual(self.fx.notices(sql.replace("{t}", table)), ["NOTICE:  checked"] * (1 + ("CONFLICT" in sql)))
        self.assertEqual(self.fx.rows("INSERT INTO whole (id, n, total) VALUES ('i', 2, 1.50) RETURNING item, others, total::text"), [({"id": "i", "n": 2, "total": 1.5}, {}, "1.5")])
        self.assertEqual(len(self.fx.notices("UPDATE far SET city = 'Rome' WHERE n = 1")), 2)
        self.fx.execute("ALTER TABLE whole DROP CONSTRAINT once")
        self.assertEqual(self.noted("UPDATE whole SET total = 2 WHERE n = 2", table="whole", row="item ->> 'total'"), ["1.5"])

    def test_contradicting_documents(self):
        """The unmapped attributes share no data with any column that the error could name."""
        error = self.fx.error("INSERT INTO far (id, n, tag, rest) VALUES ('i', 1, 'x', '{\"total\": 5}')")
        self.assertEqual((error.message, error.detail), ('cannot store the value of column "rest" of foreign table "far"', "The item would be read back with another value."))
        self.assertIn("Omit the attributes that other columns show in full", error.hint)


class Documents(writes.TestCase):
    """Documents with values that JSON does not show are not flattened."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, doc jsonb"
    ROWS = ""

    def setUp(self):
        super().setUp()
        self.fx.foreign_table("inside", "id text NOT NULL, n int NOT NULL, name text OPTIONS (path 'doc.name')", table_name=self.fx.remote("items"), updatable="on")

    def test_H11_sets_and_binary_values(self):
        for hidden in ({"SS": ["a", "b"]}, {"NS": ["1"]}, {"BS": ["AP8="]}, {"B": "AP8="}, {"L": [{"NS": ["1", "2"]}]}):
            item = {"id": {"S": "d"}, "n": {"N": "1"}, "doc": {"M": {"v": hidden, "name": {"S": "x"}, "m": {"M": {"k": {"N": "1"}}}}}}
            for sql, outcome in (("doc = jsonb_set(doc, '{m,k}', '2')", "0A000"), ("doc = doc || '{\"more\": 1}'", "0A000"), ("doc = doc - 'm'", "0A000"),
                                 ("doc = doc", (1, []))):
                with self.subTest(hidden=hidden, sql=sql):
                    self.put_raw(item)
                    self.assertEqual(self.outcome(f"UPDATE far SET {sql} WHERE id = 'd'"), outcome)
                    self.assertEqual(self.item("d", 1), item)
            self.fx.execute("UPDATE inside SET name = 'y' WHERE id = 'd'")
            item["doc"]["M"]["name"] = {"S": "y"}
            self.assertEqual(self.item("d", 1), item)

    def test_H11_value_itself(self):
        """The document is a set or a binary value."""
        for hidden in ({"SS": ["a", "b"]}, {"NS": ["1"]}, {"B": "AP8="}):
            item = {"id": {"S": "d"}, "n": {"N": "1"}, "doc": hidden}
            self.put_raw(item)
            for value in ("'1'", "'\"AP8=\"'", "jsonb_build_array(doc)"):
                with self.subTest(hidden=hidden, value=value):
                    self.assertIn(self.outcome(f"UPDATE far SET doc = {value} WHERE id = 'd'"), ("0A000", (1, [])))
                    self.assertEqual(self.item("d", 1), item)

    def test_H11_upsert(self):
        self.put_raw({"id": {"S": "d"}, "n": {"N": "1"}, "doc": {"M": {"v": {"SS": ["a"]}}}})
        self.assertEqual(self.outcome("INSERT INTO far AS t VALUES ('d', 1, '{\"w\": 1}') ON CONFLICT (id, n) DO UPDATE SET doc = t.doc || EXCLUDED.doc"), "0A000")
        self.assertEqual(self.item("d", 1)["doc"], {"M": {"v": {"SS": ["a"]}}})

    def test_H11_removed(self):
        """NULL flattens nothing: the document is removed, unless another session has changed it."""
        self.fx.foreign_table("part", "id text NOT NULL, n int NOT NULL, v jsonb OPTIONS (path 'doc.v')", table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        item = {"id": {"S": "d"}, "n": {"N": "1"}}
        for hidden in ({"M": {"v": {"SS": ["a", "b"]}}}, {"M": {"v": {"B": "AP8="}}}, {"M": {"v": {"L": [{"NS": ["1"]}]}}}, {"SS": ["a", "b"]}, {"B": "AP8="}):
            for sql in ("UPDATE {t} SET doc = NULL WHERE id = 'd'", "INSERT INTO {t} VALUES ('d', 1) ON CONFLICT (id, n) DO UPDATE SET doc = EXCLUDED.doc",
                        "UPDATE {t} SET doc = NULL WHERE doc IS NOT NULL RETURNING *"):
                with self.subTest(hidden=hidden, sql=sql):
                    self.put_raw({**item, "doc": hidden})
                    self.fx.execute("DELETE FROM near; INSERT INTO near SELECT * FROM far")
                    self.both(sql)
                    self.assertEqual(self.item("d", 1), item)
        self.put_raw({**item, "doc": {"M": {"v": {"SS": ["a", "b"]}, "w": {"SS": ["c"]}}}})
        self.assertEqual(self.outcome("UPDATE part SET v = NULL WHERE id = 'd'"), (1, []))
        self.assertEqual(self.item("d", 1), {**item, "doc": {"M": {"w": {"SS": ["c"]}}}})

    def test_H11_columns_inside_of_each_other(self):
        """Each column contains the same set, so the guard has the set once for each of them."""
        columns = {f"c{i}": "doc" + ".m" * i for i in range(9)}
        self.fx.foreign_table("nested", "id text NOT NULL, n int NOT NULL, v int, " +
                              ", ".join(f"{name} jsonb OPTIONS (path '{path}')" for name, path in columns.items()),
                              table_name=self.fx.remote("items"), updatable="on", scan_policy="allow")
        doc = {"SS": ["a" * 100, "b"]}
        for _ in range(8):
            doc = {"M": {"m": doc}}
        self.put_raw({"id": {"S": "d"}, "n": {"N": "1"}, "v": {"N": "1"}, "doc": doc})
        condition = " AND ".join(f"{name} IS NOT NULL" for name in columns)
        self.assertEqual(self.outcome(f"UPDATE nested SET v = v + 1 WHERE {condition}"), (1, []))
        self.assertEqual(self.item("d", 1), {"id": {"S": "d"}, "n": {"N": "1"}, "v": {"N": "2"}, "doc": doc})
        self.assertEqual(self.outcome(f"DELETE FROM nested WHERE {condition}"), (1, []))
        self.assertIsNone(self.item("d", 1))


class Maps(writes.TestCase):
    """Values inside of maps that are missing, of another type, or removed concurrently."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, a int, b int, c int"
    FOREIGN = "id text NOT NULL, n int NOT NULL, a int OPTIONS (path 'm.a'), b int OPTIONS (path 'm.k.b'), c int OPTIONS (path 'm.k.l.c')"
    ROWS = ""

    def put(self, m):
        """The row, and its twin."""
        self.fx.put("items", [{"id": "m", "n": 1, **({} if m is None else {"m": m})}])

    def test_H12_no_map(self):
        """Each is given a value in each state of the item."""
        for m in (None, {}, {"k": {}}, {"k": {"l": {}}}, {"a": 1, "k": {"b": 2, "l": {"c": 3, "x": 4}, "y": 5}}):
            for column, value in (("a", 7), ("b", 7), ("c", 7), ("a", "NULL"), ("c", "NULL"), ("c", "coalesce(c, 0) + 1"), ("b", "b + a")):
                with self.subTest(m=m, column=column, value=value):
                    self.put(m)
                    self.fx.execute("TRUNCATE near; INSERT INTO near SELECT * FROM far")
                    self.both(f"UPDATE {{t}} SET {column} = {value} WHERE id = 'm'")

    def test_H12_another_type(self):
        """What is there instead of a map is not replaced."""
        for m in ("text", {"k": "text"}, {"k": {"l": ["list"]}}):
            with self.subTest(m=m):
                self.put(m)
                for sql in ("UPDATE far SET c = 1 WHERE id = 'm' AND n = 1", "UPDATE far SET c = n WHERE id = 'm'"):
                    self.assertEqual(self.outcome(sql), "HV004")
                self.assertEqual(self.item("m", 1)["m"], dynamo.item({"m": m})["m"])

    def test_H12_removed_concurrently(self):
        """The map is gone when the write arrives; it is made again, unless the statement has read what was in it."""
        for sql, after in (("UPDATE far SET c = 9 WHERE id = 'm' AND n >= 1", (1, {"k": {"l": {"c": 9}}})), ("UPDATE far SET c = 9 WHERE id = 'm' AND b = 2", (0, None)),
                           ("UPDATE far SET c = coalesce(b, 0) + 1 WHERE id = 'm'", (1, {"k": {"l": {"c": 1}}})), ("UPDATE far SET c = NULL WHERE id = 'm' AND n >= 1", (1, None))):
            with self.subTest(sql=sql):
                self.put({"k": {"b": 2, "l": {"c": 30}}})
                self.fx.rows("SELECT 1 FROM far")
                self.fx.proxy.reset()
                done = []

                def remove(_, done=done):
                    if not done:
                        done.append(True)
                        self.put(None)

                self.fx.proxy.on("UpdateItem", remove)
                try:
                    outcome = self.outcome(sql)
                finally:
                    self.fx.proxy.reset(scripts=True)
                self.assertEqual((outcome[0], done), (after[0], [True]))
                stored = self.item("m", 1).get("m")
                self.assertEqual(stored, dynamo.item({"m": after[1]})["m"] if after[1] is not None else None)

    def test_H12_null(self):
        """DynamoDB's NULL, as mappers store it, is replaced like a missing map, unless it changes before the write arrives."""
        null = {"NULL": True}
        for m in (null, {"M": {"k": null, "a": {"N": "1"}}}, {"M": {"k": {"M": {"l": null}}}}):
            for value in ("7", "NULL", "coalesce(c, 0) + 1"):
                with self.subTest(m=m, value=value):
                    self.put_raw({"id": {"S": "m"}, "n": {"N": "1"}, "m": m})
                    self.fx.execute("TRUNCATE near; INSERT INTO near SELECT * FROM far")
                    self.both(f"UPDATE {{t}} SET c = {value} WHERE id = 'm'")
        self.put_raw({"id": {"S": "m"}, "n": {"N": "1"}, "m": null})
        self.fx.proxy.on("UpdateItem", [lambda _: None, lambda _: self.put("text")])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertEqual(self.outcome("UPDATE far SET c = 1 WHERE id = 'm'"), "HV004")
        self.assertEqual(self.item("m", 1)["m"], {"S": "text"})

    def test_H12_created_concurrently(self):
        """Another session creates the map, or removes it again, after an attempt has found it missing: its values stay."""
        lost = replies.executed(replies.empty_reply())
        insert = "INSERT INTO far AS t VALUES ('m', 1) ON CONFLICT (id, n) DO UPDATE SET {} WHERE t.n > 0"
        for changes, unread, after in (
                ([None, {"k": {"b": 2}}], "a = 1", {"a": 1, "k": {"b": 2}}), ([None, {"a": 4}], "c = 1", {"a": 4, "k": {"l": {"c": 1}}}),
                ([None, {"k": {"b": 2}}], "c = 1", {"k": {"b": 2, "l": {"c": 1}}}), ([None, {"k": {}}, None], "a = 1, b = 5", {"a": 1, "k": {"b": 5}}),
                ([None, {"k": {"l": {"c": 6}}}], "a = 1, b = NULL", {"a": 1, "k": {"l": {"c": 6}}}),
                ([None, lost, {"a": 1, "k": {"b": 2}}], "a = 1", {"a": 1, "k": {"b": 2}}), ([None, replies.empty_reply(), {"k": {"b": 2}}], "a = 1", {"a": 1, "k": {"b": 2}})):
            for sql, mode in (("UPDATE far SET {} WHERE id = 'm'", "immediate"), ("UPDATE far SET {} WHERE id = 'm'", "atomic"), (insert, "immediate")):
                if mode == "atomic" and len(changes) == 3:
                    continue
                with self.subTest(changes=changes, sql=sql.format(unread), mode=mode):
                    self.put(None)
                    steps = [change if isinstance(change, (replies.Reply, replies.Executed)) else lambda _, m=change: self.put(m) for change in changes]
                    self.fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
                    self.fx.proxy.on("TransactWriteItems" if mode == "atomic" else "UpdateItem", steps)
                    try:
                        self.assertEqual(self.outcome(sql.format(unread)), (1, []))
                    finally:
                        self.fx.proxy.reset(scripts=True)
                        self.fx.execute("RESET dynamo_fdw.write_mode")
                    self.assertEqual(self.item("m", 1)["m"], dynamo.item({"m": after})["m"])

    def test_H12_nothing_to_remove(self):
        """The map is gone when the write arrives, and with it the value that the statement removes: no item is written."""
        self.put({"k": {"l": {"c": 30}}})
        self.fx.proxy.on("UpdateItem", [lambda _: self.put(None)])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        shown = self.fx.explain("UPDATE far SET c = NULL WHERE id = 'm' AND n >= 1", "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF")
        self.assertIn("Requests: 1  Items Written: 0  Conflicts: 0", shown)


class Expired(writes.TestCase):
    """An expired item is no row, whatever is done with its key."""

    COLUMNS = "id text NOT NULL, n int NOT NULL, note text, ends timestamptz"
    FOREIGN = COLUMNS + " OPTIONS (format 'epoch')"
    OPTIONS = {"ttl_attribute": "ends"}
    ROWS = "('a', 1, 'one', NULL), ('a', 2, 'two', NULL)"

    def test_H13_expired_item(self):
        item = {"id": {"S": "e"}, "n": {"N": "1"}, "note": {"S": "old"}, "ends": {"N": str(int(time.time()) - 86400)}, "more": {"S": "old"}}
        new = {"id": {"S": "e"}, "n": {"N": "1"}, "note": {"S": "new"}}
        for mode in ("immediate", "atomic"):
            for sql, stored in (("INSERT INTO {t} VALUES ('e', 1, 'new')", new), ("INSERT INTO {t} VALUES ('e', 1, 'new') ON CONFLICT DO NOTHING", new),
                                ("INSERT INTO {t} AS t VALUES ('e', 1, 'new') ON CONFLICT (id, n) DO UPDATE SET note = t.note || 'x'", new),
                                ("UPDATE {t} SET note = 'x' WHERE id = 'e' AND n = 1", item), ("UPDATE {t} SET note = note || 'x' WHERE id = 'e'", item),
                                ("UPDATE {t} SET note = 'x' WHERE n = 1 AND note IS NOT NULL AND id > 'b'", item), ("UPDATE {t} SET ends = NULL WHERE id = 'e' AND n = 1", item),
                                ("DELETE FROM {t} WHERE id = 'e' AND n = 1", item), ("DELETE FROM {t} WHERE id = 'e'", item)):
                with self.subTest(mode=mode, sql=sql):
                    self.fx.execute("DELETE FROM near WHERE id = 'e'")
                    self.put_raw(item)
                    self.fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
                    try:
                        self.both(sql)
                    finally:
                        self.fx.execute("RESET dynamo_fdw.write_mode")
                    self.assertEqual(self.item("e", 1), stored)

    def test_H13_expired_item_of_the_statement(self):
        """The lost attempt has replaced it, so the repetition finds its own item."""
        self.fx.proxy.on("PutItem", [None, replies.executed(replies.empty_reply())])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        past = "date_trunc('second', now()) - interval '1 day'"
        self.assertEqual(self.outcome(f"INSERT INTO far VALUES ('e', 1, 'old', {past}), ('e', 1, 'new', NULL)"), (2, []))
        self.assertEqual(self.fx.rows("SELECT note FROM far WHERE id = 'e'"), [("new",)])

    def test_H13_fractions(self):
        for sql in ("INSERT INTO far VALUES ('f', 1, 'x', '2040-01-01 00:00:00.5Z')", "UPDATE far SET ends = '2040-01-01 00:00:00.5Z' WHERE id = 'a' AND n = 1",
                    "UPDATE far SET ends = now() + interval '1.5 seconds' WHERE id = 'a'"):
            self.assertEqual(self.outcome(sql), "22008")
        self.assertSameTables()


class Entities(fixture.TestCase):
    """Keys that two entities share."""

    def test_H14_items_of_another_entity(self):
        fx = self.fx
        fx.execute("SET dynamo_fdw.scan_policy = 'allow'")
        fx.create_table("app", ("pk", "S"), ("sk", "S"))
        for kind in ("dog", "cat"):
            fx.foreign_table(kind, "owner text NOT NULL, name text NOT NULL, age int", table_name=fx.remote("app"), updatable="on",
                             item_filter=f'{{"_et": "{kind}"}}', key_templates='{"pk": "OWNER#${owner}", "sk": "PET#${name}"}')
        fx.execute("INSERT INTO dog VALUES ('ada', 'rex', 1), ('ada', 'max', 2); INSERT INTO cat VALUES ('ada', 'tom', 3), ('eva', 'kit', 4)")

        def items():
            found = fx.dynamo.call("Scan", {"TableName": fx.remote("app"), "ConsistentRead": True})["Items"]
            return sorted(found, key=str)

        before = items()
        for mode in ("immediate", "atomic"):
            fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
            for sql, state in (("INSERT INTO cat VALUES ('ada', 'rex', 9)", "23505"), ("INSERT INTO cat AS c VALUES ('ada', 'rex', 9) ON CONFLICT (owner, name) DO UPDATE SET age = c.age + 1", "23505"),
                               ("INSERT INTO cat VALUES ('ada', 'rex', 9) ON CONFLICT DO NOTHING", None), ("INSERT INTO cat VALUES ('ada', 'rex', 9) ON CONFLICT (owner, name) DO NOTHING", None),
                               ("UPDATE cat SET age = 0 WHERE owner = 'ada' AND name = 'rex'", None), ("UPDATE cat SET age = age + 1 WHERE owner = 'ada' AND name < 's'", None),
                               ("DELETE FROM cat WHERE owner = 'ada' AND name = 'rex'", None), ("DELETE FROM cat WHERE owner = 'ada' AND age < 3", None)):
                with self.subTest(mode=mode, sql=sql):
                    if state:
                        failure = fx.error(sql)
                        self.assertEqual((failure.sqlstate, failure.detail), (state, "Key (pk, sk)=(OWNER#ada, PET#rex) already exists: an item of another entity has this key."))
                    else:
                        fx.execute(sql)
                    self.assertEqual(items(), before)
        fx.execute("RESET dynamo_fdw.write_mode; DELETE FROM cat")
        self.assertEqual(items(), [item for item in before if item["_et"] == {"S": "dog"}])


class Sessions(writes.TestCase):
    """What changes between the rows of a statement."""

    def setUp(self):
        super().setUp()
        self.fx.execute("DROP ROLE IF EXISTS w_between; CREATE ROLE w_between; GRANT ALL ON far, near TO w_between;"
                        "CREATE OR REPLACE FUNCTION meanwhile(n int, at int, sql text) RETURNS int LANGUAGE plpgsql AS 'BEGIN IF n = at THEN EXECUTE sql; END IF; RETURN n; END'")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP OWNED BY w_between; DROP ROLE w_between")

    def test_H24_another_role(self):
        """The privileges that count are those with which the statement began."""
        for statement in ("INSERT INTO {t} SELECT 'r', meanwhile(g, 3, 'SET ROLE w_between') FROM generate_series(1, 6) g",
                          "UPDATE {t} SET note = 'r' WHERE meanwhile(n, 2, 'SET ROLE w_between') > 0", "DELETE FROM {t} WHERE meanwhile(n, 2, 'SET ROLE w_between') > 0"):
            outcomes = []
            for table in ("far", "near"):
                outcomes.append(self.outcome(statement.replace("{t}", table)))
                self.fx.execute("RESET ROLE")
            self.assertEqual(*outcomes, statement)
            self.assertSameTables(statement)

    def test_H24_no_mapping(self):
        """Rows until then are written; the warning has their number, also if the statement ends with an error."""
        mapping = "CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (access_key_id 'test', secret_access_key 'test')"
        connection = self.fx.connect()
        self.addCleanup(connection.close)
        self.addCleanup(self.fx.execute, mapping.replace("MAPPING", "MAPPING IF NOT EXISTS"))
        with connection.cursor() as cursor:
            for sql in ("INSERT INTO far SELECT 'm', meanwhile(g, 20, 'DROP USER MAPPING FOR PUBLIC SERVER ddb') FROM generate_series(1, 40) g",
                        "UPDATE far SET note = 'm' || meanwhile(n, 2, 'DROP USER MAPPING FOR PUBLIC SERVER ddb') WHERE id = 'a'"):
                del connection.notices[:]
                try:
                    cursor.execute(sql)
                    written = cursor.rowcount
                    self.fx.execute(mapping)
                except psycopg2.Error:      # the mapping is there again
                    [warning] = connection.notices
                    written = int(warning.split()[1])
                stored = self.fx.value("SELECT count(*) FROM far WHERE id = 'm' OR note LIKE 'm%'")
                self.assertEqual(stored, written, sql)
                self.fx.execute("DELETE FROM far WHERE id = 'm'")

    def test_H28_writes_that_a_tool_repeats(self):
        """A load that fails in the middle is repeated in halves, as some tools do: each row is there once, and none is lost."""
        lines = [f"h\t{n}\trow {n}\n" for n in range(1, 41)]
        lines[23] = "h\tx\tbad\n"

        def load(part):
            try:
                with self.fx.conn.cursor() as cursor:
                    cursor.execute("CREATE TEMP TABLE IF NOT EXISTS part (id text, n int, note text); TRUNCATE part")
                    cursor.copy_expert("COPY part FROM STDIN", io.StringIO("".join(part)))
                    cursor.execute("INSERT INTO far SELECT * FROM part ON CONFLICT DO NOTHING")
            except psycopg2.Error:
                if len(part) > 1:
                    load(part[:len(part) // 2])
                    load(part[len(part) // 2:])

        with self.assertRaises(psycopg2.Error), self.fx.conn.cursor() as cursor:
            cursor.copy_expert("COPY far (id, n, note) FROM STDIN", io.StringIO("".join(lines)))
        stored = self.fx.value("SELECT count(*) FROM far WHERE id = 'h'")
        least, more = re.search(r"(\d+) items? written .*?(?:up to (\d+) more|$)", " ".join(self.fx.conn.notices[-1].split())).groups()
        self.assertTrue(int(least) <= stored <= int(least) + int(more or 0), self.fx.conn.notices[-1])
        load(lines)
        self.assertEqual(sorted(self.fx.rows("SELECT n, note FROM far WHERE id = 'h'")), [(n, f"row {n}") for n in range(1, 41) if n != 24])


class Gate(metered.Bucket):
    """Units that are granted as soon as something has happened."""

    def __init__(self, has_happened):
        super().__init__(40000)
        self.has_happened = has_happened

    def has_some(self):
        return self.has_happened()


class Crowded(metered.Bucket):
    """Write units that other clients take as well: every second request finds none, however slowly they are sent."""

    def __init__(self):
        super().__init__(40000)
        self.asked = 0

    def has_some(self):
        self.asked += 1
        return self.asked % 2 == 1


class Paced(metering.TestCase):
    """Reads and writes have each their own pace, and a throttled one does not hold up the other."""

    def setUp(self):
        super().setUp()
        self.fx.execute("SET statement_timeout = '60s'")

    def table(self, name, count, **details):
        """A table of that many items."""
        made = self.fake.metered(name, items=[{"pk": {"S": f"k{n}"}, "n": {"N": str(n)}} for n in range(count)], **details)
        self.fx.foreign_table(name, "pk text NOT NULL, n integer", server="metered", updatable="on")
        return made

    def number(self, *operations):
        """Of the requests."""
        return sum(request.operation in operations for request in self.fake.requests)

    def test_H22_throttled_writes(self):
        """Written once each, with few requests in vain; the reads of the same table are not throttled, and have ended long before."""
        table = self.table("t", 150, units=500, write_units=50)
        with self.fx.conn.cursor() as cursor:
            cursor.execute("UPDATE t SET n = n + 1")
            self.assertEqual(cursor.rowcount, 150)
        self.assertEqual((table.written, table.throttled), (150, 0))
        self.assertGreater(table.refused, 0)
        self.assertLessEqual(table.refused, 16 + 0.3 * table.written)
        self.assertEqual(self.number("UpdateItem"), table.written + table.refused)

    def test_H22_throttled_reads(self):
        """The writes of a statement whose source is throttled are not."""
        source, target = self.table("source", 400, units=100, item_bytes=8192), self.table("target", 0, units=500)
        with self.fx.conn.cursor() as cursor:
            cursor.execute("INSERT INTO target SELECT pk, n FROM source")
            self.assertEqual(cursor.rowcount, 400)
        self.assertEqual((target.written, target.refused, len(target.items)), (400, 0, 400))
        self.assertGreater(source.throttled, 0)
        self.assertLessEqual(source.throttled, 16 + 0.3 * source.granted + 3)

    def test_H22_both(self):
        """Source and target are throttled at the same time."""
        source, target = self.table("source", 200, units=60, item_bytes=8192), self.table("target", 0, units=500, write_units=80)
        self.fx.execute("INSERT INTO target SELECT pk, n FROM source")
        self.assertEqual((target.written, len(target.items)), (200, 200))
        self.assertLessEqual(target.refused, 16 + 0.3 * target.written)

    def test_H22_writes_while_reads_are_refused(self):
        """The second page is refused until the rows of the first are written."""
        source, target = self.table("source", 64, units=5000, item_bytes=65536), self.table("target", 0, units=500)
        source.bucket = Gate(lambda: source.granted == 0 or target.written >= 16)
        self.fx.execute("INSERT INTO target SELECT pk, n FROM source")
        self.assertEqual((target.written, target.refused), (64, 0))
        self.assertGreater(source.throttled, 0)

    def test_H22_reads_of_another_session(self):
        """A statement whose writes are refused holds up no reads, of the same table or another one."""
        table, other = self.table("t", 40, units=5000), self.table("other", 40, units=5000)
        done = []
        table.writes = Gate(lambda: bool(done))
        connection = self.fx.connect()
        thread = threading.Thread(target=lambda: connection.cursor().execute("UPDATE t SET n = n + 1"))
        thread.start()
        while not table.refused:
            threading.Event().wait(0.01)
        self.assertEqual(self.fx.rows("SELECT sum(n) FROM t UNION ALL SELECT sum(n) FROM other"), [(780,), (780,)])
        self.assertEqual((table.written, table.throttled, other.throttled), (0, 0, 0))
        done.append(True)
        thread.join()
        self.assertEqual(table.written, 40)

    def test_H22_crowded_table(self):
        """A slower pace would be granted less, never all. The statement goes on, and ends far from the timeout."""
        table = self.table("t", 0, units=500)
        table.writes = Crowded()
        self.fx.execute("INSERT INTO t SELECT 'k' || g, g FROM generate_series(1, 80) g")
        self.assertEqual((table.written, len(table.items)), (80, 80))
        self.assertEqual((table.refused, self.number("PutItem")), (79, 159))
