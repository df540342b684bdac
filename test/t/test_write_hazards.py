"""What is easily lost by writes: keys of indexes, plans that are older than the table, privileges, upserts in each place of a statement."""
import random

import dynamo
import fixture
import psycopg2
import writes
from dynamo import index


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
        """After 1,000 of them, columns to NULL and back, each item has the keys that its columns give."""
        rng = random.Random(7)
        self.fx.execute("INSERT INTO task (id) SELECT g::text FROM generate_series(1, 20) g")
        for _ in range(1000):
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
        """It asks for each foreign table whether it can be written, which needs neither a request nor a user mapping."""
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
        self.fx.create_table("changed", ("pk", "S"), ("n", "N"))
        self.fx.foreign_table("changed", "pk text NOT NULL, n int NOT NULL, v text", updatable="on")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE w (text) AS UPDATE changed SET v = $1 || n WHERE pk = 'a'; PREPARE d AS DELETE FROM changed WHERE pk = 'a'")
        self.fx.execute("INSERT INTO changed VALUES ('a', 1); EXECUTE w ('x'); EXECUTE d")
        self.fx.create_table("changed", ("pk", "S"))
        self.fx.dynamo.put(self.fx.remote("changed"), [{"pk": "a", "n": 1, "v": "old"}])
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        for sql in ("EXECUTE w ('y')", "EXECUTE d"):
            try:
                self.fx.execute(sql)
            except psycopg2.Error as failure:
                self.assertIn(failure.diag.sqlstate, ("HV000", "HV00R", "55000", "40001"), failure)
        found = self.fx.dynamo.call("Scan", {"TableName": self.fx.remote("changed")})["Items"]
        self.assertIn(found, ([dynamo.item({"pk": "a", "n": 1, "v": "old"})], [dynamo.item({"pk": "a", "n": 1, "v": "y1"})], []))


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

    def test_read_only(self):
        for sql in ("INSERT INTO {t} VALUES ('r', 1)", "UPDATE {t} SET note = 'x'", "DELETE FROM {t}", "INSERT INTO {t} VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x'",
                    "WITH w AS (DELETE FROM {t} RETURNING 1) SELECT * FROM w"):
            self.fx.execute("SET default_transaction_read_only = on")
            try:
                self.assertEqual(self.both(sql), "25006")
            finally:
                self.fx.execute("RESET default_transaction_read_only")


class UpsertsEverywhere(writes.TestCase):
    """H29: ON CONFLICT (key) in each place where a statement may have it."""

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
    """H26, H27: statements as object mappers and tools send them."""

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
