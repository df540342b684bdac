"""What EXPLAIN shows about writes, and writes that meet stale indexes, full windows, missing privileges, or rows already shown."""
import os
import socket
import struct

import fixture
import replies
import writes
from dynamo import index
from replies import Executed, empty_reply, executed

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


class Explain(writes.TestCase):
    """Each line of EXPLAIN, by its value."""

    def shown(self, sql):
        """EXPLAIN ANALYZE of a statement."""
        return self.fx.explain(sql, "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF")

    def test_counters(self):
        self.assertIn("Requests: 40  Items Written: 40  Conflicts: 0  Unanswered: 0  Write Units: 40  Retries: 0",
                      self.shown("INSERT INTO far SELECT 'e', g FROM generate_series(1, 40) g"))
        self.assertIn("Items Written: 2  Conflicts: 0  Unanswered: 0", self.shown("UPDATE far SET note = 'x' WHERE id = 'a' AND total > 0"))

    def test_conflicts(self):
        change = {"TableName": self.fx.remote("items"), "Key": {"id": {"S": "a"}, "n": {"N": "1"}}, "UpdateExpression": "SET #n = :v",
                  "ExpressionAttributeNames": {"#n": "total"}, "ExpressionAttributeValues": {":v": {"N": "10"}}}
        self.fx.proxy.on("UpdateItem", [lambda _: self.fx.dynamo.call("UpdateItem", change) or None])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertIn("Requests: 2  Items Written: 1  Conflicts: 1  Unanswered: 0", self.shown("UPDATE far SET total = total + 1 WHERE id = 'a' AND n = 1"))
        self.assertEqual(self.item("a", 1)["total"], {"N": "11"})

    def test_unanswered(self):
        self.fx.proxy.on("PutItem", [executed(empty_reply())])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertRegex(self.shown("INSERT INTO far VALUES ('e', 1)"), "Items Written: 1  Conflicts: 0  Unanswered: 1 ")

    def test_retries(self):
        """An attempt that was throttled, or received no response, is a retry, not a request."""
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        for script, unanswered in (([replies.throttle()] * 3, 0), ([replies.internal_error()] * 3, 3)):
            self.fx.proxy.on("PutItem", script)
            self.assertIn(f"Requests: 1  Items Written: 1  Conflicts: 0  Unanswered: {unanswered}  Write Units: 1  Retries: 3",
                          self.shown(f"INSERT INTO far VALUES ('r', {unanswered})"))

    def test_reads_of_items(self):
        """A write that was not read counts the read after its condition has failed; the row has not changed."""
        self.assertIn("Requests: 2  Items Written: 0  Conflicts: 0 ", self.shown("DELETE FROM far WHERE id = 'absent' AND n = 1"))

    def test_deferred(self):
        self.assertIn("Deferred: true", self.shown("UPDATE far SET total = (SELECT count(*) FROM far)"))
        self.assertNotIn("Deferred", self.shown("UPDATE far SET total = 1"))
        self.assertNotIn("Waits", self.shown("UPDATE far SET total = (SELECT count(*) FROM far) RETURNING total"))

    def test_waits_for_each_row(self):
        self.fx.execute("CREATE OR REPLACE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(NEW, OLD); END'")
        self.assertIn("Waits For Each Row: RETURNING", self.shown("UPDATE far SET total = 1 RETURNING total"))
        self.assertIn("Waits For Each Row: RETURNING", self.shown("INSERT INTO far VALUES ('w', 1) ON CONFLICT DO NOTHING RETURNING id"))
        for sql in ("INSERT INTO far VALUES ('w', 2) RETURNING id", "UPDATE far SET total = 1", "DELETE FROM far WHERE id = 'w'"):
            self.assertNotIn("Waits", self.shown(sql))
        for when, sql in (("BEFORE", "INSERT INTO far VALUES ('w', 3)"), ("AFTER", "DELETE FROM far WHERE id = 'w'")):
            self.fx.execute(f"CREATE TRIGGER passed {when} INSERT OR DELETE ON far FOR EACH ROW EXECUTE FUNCTION passed()")
            try:
                self.assertIn(f"Waits For Each Row: {when} trigger", self.shown(sql))
            finally:
                self.fx.execute("DROP TRIGGER passed ON far")

    def test_write_mode(self):
        self.assertNotIn("Write Mode", self.shown("UPDATE far SET total = 1"))
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.assertIn("Write Mode: atomic", self.shown("UPDATE far SET total = 2"))


class Servers(writes.TestCase):
    """Statements that write tables of two servers."""

    def test_atomic(self):
        """No transaction of DynamoDB spans them."""
        self.fx.server("second", self.fx.proxy.endpoint)
        self.fx.foreign_table("there", self.COLUMNS, server="second", table_name=self.fx.remote("items"), updatable="true")
        sql = "WITH a AS (INSERT INTO far VALUES ('s', 1)) INSERT INTO there VALUES ('s', 2)"
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        failure = self.fx.error(sql)
        self.assertEqual((failure.sqlstate, failure.message), ("0A000", "cannot write tables of several servers in one atomic statement"))
        self.assertEqual(self.fx.rows("SELECT * FROM far WHERE id = 's'"), [])
        self.fx.execute("RESET dynamo_fdw.write_mode")
        self.assertEqual(self.outcome(sql), (1, []))
        self.assertEqual(self.fx.value("SELECT count(*) FROM far WHERE id = 's'"), 2)

    def test_atomic_during_ddl(self):
        """A change of another server in the middle does not make one server several, but a change of this server's region does."""
        self.fx.create_table("others", self.HASH, self.RANGE)
        self.fx.server("elsewhere", self.fx.proxy.endpoint)
        self.fx.execute(f"""CREATE TABLE parted ({self.COLUMNS}) PARTITION BY LIST (n); CREATE TABLE local (LIKE parted);
            CREATE FUNCTION run(sql text) RETURNS text LANGUAGE plpgsql AS 'BEGIN EXECUTE sql; RETURN sql; END';
            SET dynamo_fdw.write_mode = 'atomic'""")
        self.addCleanup(self.fx.execute, "DROP TABLE parted, local; DROP FUNCTION run; RESET dynamo_fdw.write_mode")
        for n, name in enumerate(("items", "others"), 1):
            self.fx.execute(f"CREATE FOREIGN TABLE part{n} PARTITION OF parted FOR VALUES IN ({n}) SERVER ddb OPTIONS (table_name '{self.fx.remote(name)}', updatable 'true',"
                            " scan_policy 'allow')")
        self.fx.execute("DELETE FROM parted")
        insert = "INSERT INTO {t} SELECT 's', n, run(format('ALTER SERVER {server} OPTIONS (SET {option})', n)) FROM generate_series(1, 2) n"
        self.fx.execute(insert.format(t="local", server="elsewhere", option="endpoint_url ''http://127.0.0.%s''"))
        requests = self.fx.requests(insert.format(t="parted", server="elsewhere", option="endpoint_url ''http://127.0.0.%s''"))
        self.assertEqual([r.operation for r in requests], ["TransactWriteItems"])
        self.assertEqual(*(sorted(self.fx.rows(f"SELECT * FROM {table}")) for table in ("parted", "local")))
        failure = self.fx.error(insert.format(t="parted", server="ddb", option="region ''us-east-%s''"))
        self.assertEqual((failure.sqlstate, failure.message), ("0A000", "cannot write tables of several servers in one atomic statement"))

    def test_write_mode_is_no_option(self):
        for statement in ("ALTER SERVER ddb OPTIONS (ADD write_mode 'atomic')", "ALTER FOREIGN TABLE far OPTIONS (ADD write_mode 'atomic')"):
            self.assertEqual(self.fx.error(statement).sqlstate, "HV00D")


class AlreadyShown(writes.TestCase):
    """A row that RETURNING or a trigger has seen, and that is found gone or changed when it is written."""

    def between(self, sql, operation):
        """The outcomes of a statement if its row changes, and if it is deleted, before the write."""
        key = {"TableName": self.fx.remote("items"), "Key": {"id": {"S": "a"}, "n": {"N": "1"}}}
        outcomes = []
        for change in (lambda: self.put_raw({"id": {"S": "a"}, "n": {"N": "1"}, "note": {"S": "later"}, "total": {"N": "7"}}), lambda: self.fx.dynamo.call("DeleteItem", key)):
            self.setUp()
            self.fx.proxy.on(operation, [lambda _, change=change: change() or None])
            try:
                outcomes.append(self.outcome(sql))
            finally:
                self.fx.proxy.reset(scripts=True)
        return outcomes

    READS = "WHERE id = 'a' AND n = 1 AND 100 > (SELECT count(*) FROM far)"

    def test_returning(self):
        self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.READS} RETURNING total", "UpdateItem"), ["40001", "40001"])
        self.assertEqual(self.between(f"DELETE FROM far {self.READS} AND note = 'one' RETURNING total", "DeleteItem"), ["40001", "40001"])
        self.assertEqual(self.between(f"DELETE FROM far {self.READS} AND note = 'one'", "DeleteItem"), [(0, []), (0, [])])

    def test_after_trigger(self):
        self.fx.execute("CREATE OR REPLACE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
                        "CREATE TRIGGER passed AFTER UPDATE OR DELETE ON far FOR EACH ROW EXECUTE FUNCTION passed()")
        self.addCleanup(self.fx.execute, "DROP TRIGGER passed ON far")
        self.assertEqual(self.between(f"UPDATE far SET total = total + 1 {self.READS}", "UpdateItem"), ["40001", "40001"])
        self.assertEqual(self.between(f"DELETE FROM far {self.READS} AND note = 'one'", "DeleteItem"), ["40001", "40001"])


class Privileges(writes.TestCase):
    """DO UPDATE needs what core requires: INSERT, UPDATE of the assigned columns, and SELECT of those that it reads."""

    def test_do_update(self):
        sql = "INSERT INTO {t} VALUES ('a', 1, 'x', 2) ON CONFLICT (id, n) DO UPDATE SET total = {t}.total + EXCLUDED.total"
        role = f"writer_{self.fx.database}"
        self.fx.execute(f"LOAD 'dynamo_fdw'; CREATE ROLE {role}; GRANT INSERT ON near, far TO {role}")
        self.addCleanup(self.fx.execute, f"RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}")
        before = self.item("a", 1)
        for grant in ("SELECT (id, n)", "SELECT (total)", "UPDATE (note)", None):
            self.fx.execute(f"SET ROLE {role}")
            for table in ("near", "far"):
                self.assertEqual(self.outcome(sql.replace("{t}", table)), "42501", (grant, table))
            self.fx.execute("RESET ROLE")
            self.assertEqual(self.item("a", 1), before)
            self.fx.execute(f"GRANT {grant or 'UPDATE (total)'} ON near, far TO {role}")
        self.fx.execute(f"SET ROLE {role}")
        for table in ("near", "far"):
            self.assertEqual(self.outcome(sql.replace("{t}", table)), (1, []))
        self.fx.execute("RESET ROLE")
        self.assertSameTables()


class StaleIndex(fixture.TestCase):
    """A target that is read through a global index whose entries are not those of the table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("task", ("id", "S"), None, [index("by_owner", ("owner", "S"), ("due", "S"))])
        cls.fx.foreign_table("task", 'id text NOT NULL, owner text NOT NULL, due text COLLATE "C" NOT NULL, n int', updatable="on", trusted_indexes="by_owner")

    def stale(self, reply):
        """The index as it was: an item that has been deleted, one with another owner, and one of another due; each entry twice."""
        document = dict(reply.document)
        [entry] = document["Items"]
        entries = [{**entry, "id": {"S": i}} for i in ("kept", "deleted", "moved", "later")]
        document.update(Items=entries + entries, Count=8, ScannedCount=8)
        return document

    def test_H20_each_item_once(self):
        """What the table has decides, and each item is written once."""
        for sql, operation in (("UPDATE task SET n = n + 1, due = 'd9' WHERE owner = 'ada' AND due < 'd2'", "UpdateItem"), ("DELETE FROM task WHERE owner = 'ada' AND due < 'd2'", "DeleteItem")):
            with self.subTest(sql):
                self.assertIn("by_owner", self.fx.explain(sql))
                self.fx.put("task", [{"id": "kept", "owner": "ada", "due": "d1", "n": 1}, {"id": "moved", "owner": "eva", "due": "d1", "n": 1}, {"id": "later", "owner": "ada", "due": "d3", "n": 1}])
                self.fx.proxy.on("Query", Executed(self.stale))
                try:
                    requests = self.fx.requests(sql)
                finally:
                    self.fx.proxy.reset(scripts=True)
                self.assertEqual([(r.operation, r.body["Key"]) for r in requests if r.operation in WRITES], [(operation, {"id": {"S": "kept"}})])
                items = {item["id"]["S"]: item for item in self.fx.dynamo.call("Scan", {"TableName": self.fx.remote("task"), "ConsistentRead": True})["Items"]}
                self.assertEqual({name: item["n"] for name, item in items.items()}, {"moved": {"N": "1"}, "later": {"N": "1"}, **({"kept": {"N": "2"}} if operation == "UpdateItem" else {})})


class Window(writes.TestCase):
    """One request at a time, and the least memory for responses: reads and writes wait for each other, but not for ever."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1')")
        fx.create_table("source", ("id", "S"), ("n", "N"))
        fx.put("source", [{"id": f"k{n % 7}", "n": n, "note": "x" * 60000} for n in range(70)])
        fx.foreign_table("source", 'id text COLLATE "C" NOT NULL, n int NOT NULL, note text', scan_policy="allow", fetch_size="10", updatable="on")
        fx.execute("CREATE TABLE outers AS SELECT 'k' || n % 7 AS id, n FROM generate_series(0, 69) n; ANALYZE outers; SET dynamo_fdw.fetch_memory = '1MB'")

    SIZES = "SELECT sum(length(note)), count(*) FROM far WHERE note LIKE 'x%'"

    def test_H21_scan_as_source(self):
        self.assertEqual(self.outcome("INSERT INTO far SELECT id, n, note FROM source"), (70, []))
        self.assertEqual(self.fx.rows(self.SIZES), [(70 * 60000, 70)])

    def test_H21_lookups_as_source(self):
        """A join that looks ahead."""
        sql = "INSERT INTO far SELECT o.id, o.n, s.note FROM outers o JOIN source s ON s.id = o.id AND s.n = o.n"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEqual(self.outcome(sql), (70, []))
        self.assertEqual(self.fx.rows(self.SIZES), [(70 * 60000, 70)])

    def test_H21_update_by_lookups(self):
        self.fx.execute("INSERT INTO far SELECT id, n, 'y' FROM outers")
        self.assertEqual(self.outcome("UPDATE far SET note = s.note FROM outers o JOIN source s ON s.id = o.id AND s.n = o.n WHERE far.id = o.id AND far.n = o.n"), (70, []))
        self.assertEqual(self.fx.rows(self.SIZES), [(70 * 60000, 70)])

    def test_H21_two_targets_and_returning(self):
        self.assertEqual(self.outcome("WITH a AS (INSERT INTO far SELECT id, n, note FROM source RETURNING id, n), b AS (UPDATE source SET note = 'z' WHERE n < 10 RETURNING n)"
                                      " SELECT count(*) FROM a LEFT JOIN b USING (n)"), (1, ["(70,)"]))
        self.assertEqual(self.fx.rows(self.SIZES), [(70 * 60000, 70)])
        self.fx.put("source", [{"id": f"k{n % 7}", "n": n, "note": "x" * 60000} for n in range(10)])


class OwnWrites(fixture.TestCase):
    """Reads after a write of the same session."""

    def test_indexes(self):
        """The table and a local index are read consistently, a global one never."""
        fx = self.fx
        fx.create_table("items", ("id", "S"), ("n", "N"), [index("by_rank", ("id", "S"), ("rank", "N"), local=True), index("by_owner", ("owner", "S"), ("n", "N"))])
        fx.foreign_table("items", "id text NOT NULL, n int NOT NULL, rank int NOT NULL, owner text NOT NULL", updatable="on", trusted_indexes="by_rank, by_owner")
        reads = (("SELECT * FROM items WHERE id = 'a'", None, True), ("SELECT * FROM items WHERE id = 'a' AND rank = 5", "by_rank", True),
                 ("SELECT * FROM items WHERE owner = 'ada'", "by_owner", None))
        for written in (False, True):
            if written:
                fx.execute("INSERT INTO items VALUES ('a', 1, 5, 'ada')")
            for sql, name, consistent in reads:
                with self.subTest(sql, written=written):
                    [request] = fx.requests(sql)
                    self.assertEqual((request.body.get("IndexName"), request.body.get("ConsistentRead") or None), (name, consistent if written else None))

    def test_target_through_a_local_index(self):
        """The rows to write are read consistently."""
        fx = self.fx
        fx.create_table("ranked", ("id", "S"), ("n", "N"), [index("by_rank", ("id", "S"), ("rank", "N"), local=True)])
        fx.put("ranked", [{"id": "a", "n": n, "rank": n % 5, "note": "x"} for n in range(20)])
        fx.foreign_table("ranked", "id text NOT NULL, n int NOT NULL, rank int NOT NULL, note text", updatable="on", trusted_indexes="by_rank")
        requests = fx.requests("UPDATE ranked SET rank = 4 WHERE id = 'a' AND rank = 3")
        self.assertEqual([(r.operation, r.body.get("IndexName"), r.body.get("ConsistentRead")) for r in requests], [("Query", "by_rank", True)] + [("UpdateItem", None, None)] * 4)
        self.assertEqual(fx.value("SELECT count(*) FROM ranked WHERE id = 'a' AND rank = 4"), 8)

    def test_trigger_and_a_local_index(self):
        """An update that moves entries of a local index does not fire a BEFORE trigger for them again."""
        fx = self.fx
        fx.create_table("moved", ("id", "S"), ("n", "N"), [index("by_rank", ("id", "S"), ("rank", "N"), local=True)])
        fx.put("moved", [{"id": "a", "n": n, "note": "x" * 1000, **({"rank": n} if n < 20 else {})} for n in range(500)])
        fx.foreign_table("moved", "id text NOT NULL, n int NOT NULL, rank int, changes int", updatable="on")
        fx.execute("ANALYZE moved; CREATE FUNCTION count_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.changes := coalesce(NEW.changes, 0) + 1; RETURN NEW; END $$;"
                   " CREATE TRIGGER changes BEFORE UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION count_changes()")
        fx.proxy.on("Query", writes.shorten)
        self.addCleanup(fx.proxy.reset, scripts=True)
        sql = "UPDATE moved SET rank = rank + 100 WHERE id = 'a' AND rank >= 0"
        self.assertIn("by_rank", fx.explain(sql))
        fx.execute(sql)
        self.assertEqual(fx.rows("SELECT sum(rank)::int, sum(changes)::int FROM moved"), [(2190, 20)])
        fx.proxy.on("Scan", writes.shorten)
        fx.execute("SET dynamo_fdw.scan_policy = allow")
        self.addCleanup(fx.execute, "RESET ALL; DEALLOCATE ALL")
        fx.execute("UPDATE moved SET rank = rank + 100 WHERE rank >= 0")
        self.assertEqual(fx.rows("SELECT sum(rank)::int, sum(changes)::int FROM moved"), [(4190, 40)])
        # the plan without values of the optional condition scans the index
        fx.execute("DROP TRIGGER changes ON moved; SET plan_cache_mode = force_generic_plan;"
                   "PREPARE u(text, int) AS UPDATE moved SET rank = rank + 100 WHERE rank >= 0 AND ($1 IS NULL OR (id = $1 AND n = $2))")
        self.assertIn("by_rank", fx.explain("EXECUTE u(NULL, NULL)"))
        fx.execute("EXECUTE u(NULL, NULL)")
        self.assertEqual(fx.rows("SELECT sum(rank)::int, sum(changes)::int FROM moved"), [(6190, 40)])

    def test_target_without_a_scan_of_an_index(self):
        """A global index is updated later, so rows to write are not read by a Scan of it; a local one is not."""
        fx = self.fx
        fx.create_table("due", ("id", "S"), ("n", "N"), [index("by_due", ("due", "N")), index("by_rank", ("id", "S"), ("rank", "N"), local=True)])
        fx.put("due", [{"id": f"i{n}", "n": n, "note": "x" * 400, **({"due": n} if n % 9 == 0 else {}), **({"rank": n} if n % 8 == 0 else {})} for n in range(100)])
        fx.foreign_table("due", "id text NOT NULL, n int NOT NULL, due int, rank int, note text", updatable="on", scan_policy="allow")
        for column, select, update in (("due", "by_due", None), ("rank", "by_rank", "by_rank")):
            for sql, name in ((f"SELECT * FROM due WHERE {column} IS NOT NULL", select), (f"UPDATE due SET note = 'y' WHERE {column} IS NOT NULL", update),
                              (f"DELETE FROM due WHERE {column} > 90", update)):
                with self.subTest(sql):
                    self.assertEqual([r.body.get("IndexName") for r in fx.requests(sql) if r.operation == "Scan"], [name])

    def test_for_some_seconds(self):
        """While the transaction lasts, and some seconds after the write."""
        fx = self.fx
        fx.create_table("recent", ("id", "S"))
        fx.foreign_table("recent", "id text NOT NULL, n int", updatable="on")

        def consistent():
            [request] = fx.requests("SELECT * FROM recent WHERE id = 'a'")
            return bool(request.body.get("ConsistentRead"))

        fx.execute("INSERT INTO recent VALUES ('a', 1)")
        self.assertTrue(consistent())
        fx.execute("BEGIN; INSERT INTO recent VALUES ('b', 1); SELECT pg_sleep(5.5)")
        self.assertTrue(consistent())
        fx.execute("COMMIT; SELECT pg_sleep(5.5)")
        self.assertFalse(consistent())


class Protocol(writes.TestCase):
    """What a client gets, message by message."""

    def messages(self, sql):
        """Type and text of each message that a simple query returns."""
        with socket.create_connection((os.environ["PGHOST"], int(os.environ["PGPORT"])), 30) as connection, connection.makefile("rb") as stream:
            def messages():
                while True:
                    head = stream.read(5)
                    self.assertEqual(len(head), 5, "the server has closed the connection")
                    yield head[:1].decode(), stream.read(struct.unpack("!I", head[1:])[0] - 4).decode(errors="replace")
                    if head[:1] == b"Z":
                        return

            startup = f"user\0{os.environ['PGUSER']}\0database\0{self.fx.database}\0\0".encode()
            connection.sendall(struct.pack("!II", len(startup) + 8, 3 << 16) + startup)
            list(messages())
            query = sql.encode() + b"\0"
            connection.sendall(b"Q" + struct.pack("!I", len(query) + 4) + query)
            return list(messages())

    def test_error_and_then_the_warning(self):
        """A client that stops at the error has still got the error first."""
        messages = self.messages("INSERT INTO far VALUES ('e', 1), ('a', 1)")
        self.assertEqual([kind for kind, _ in messages], ["E", "N", "Z"])
        self.assertIn("C23505\0", messages[0][1])
        self.assertIn("SWARNING\0", messages[1][1])
        self.assertIn("1 item", messages[1][1])


class Tables(writes.TestCase):
    """Whether two foreign tables have one DynamoDB table is decided by its id, which DynamoDB Local does not report."""

    def over(self, host, *ids):
        """A second foreign table, on a server with this host; DynamoDB describes the tables with these ids."""
        self.fx.server("other", self.fx.proxy.endpoint.replace("127.0.0.1", host))
        self.addCleanup(self.fx.execute, "DROP SERVER other CASCADE")
        self.fx.foreign_table("there", self.COLUMNS, server="other", table_name=self.fx.remote("items"), updatable="true", scan_policy="allow")
        described = self.fx.dynamo.call("DescribeTable", {"TableName": self.fx.remote("items")})["Table"]
        self.fx.execute("SELECT dynamo_fdw_disconnect('ddb')")
        self.fx.proxy.on("DescribeTable", [replies.reply({"Table": {**described, "TableId": f"2f1a2e7c-0000-4000-8000-00000000000{n}"}}) for n in ids])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("SELECT FROM far; SELECT FROM there")

    def test_two_accounts(self):
        """Tables of one name and region: the statement writes both items of a key."""
        self.over("127.0.0.1", 1, 2)
        requests = self.fx.requests("WITH u AS (UPDATE far SET note = 'x' WHERE id = 'a' AND n = 1) UPDATE there SET note = 'y' WHERE id = 'a' AND n = 1")
        self.assertEqual([r.operation for r in requests].count("UpdateItem"), 2)

    def test_names_of_two_endpoints(self):
        """Without ids, tables of one name at two endpoints are two tables: no part of the statement skips a row of the other one."""
        self.over("localhost")
        for parts, operation in (("WITH u AS (UPDATE far SET note = 'x' WHERE id = 'a' AND n = 1) UPDATE there SET note = 'y' WHERE id = 'a' AND n = 1", "UpdateItem"),
                                 ("WITH i AS (INSERT INTO far VALUES ('new', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x') INSERT INTO there VALUES ('new', 1)"
                                  " ON CONFLICT (id, n) DO UPDATE SET note = 'y'", "PutItem")):
            self.assertEqual([r.operation for r in self.fx.requests(parts)].count(operation), 2)

    def test_two_endpoints(self):
        """One table: the statement does not read what it writes."""
        self.over("localhost", 1, 1)
        self.assertIn("Deferred: true", self.fx.explain("INSERT INTO far SELECT id || '+', n FROM there", "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF"))
        self.assertEqual(self.fx.value("SELECT count(*) FROM far"), 8)

    def test_own_writes(self):
        """Are found by another name and endpoint of the table, too."""
        self.over("localhost", 1, 1)
        self.fx.execute("UPDATE far SET note = 'own' WHERE id = 'a' AND n = 1")
        requests = self.fx.requests("SELECT note FROM there WHERE id = 'a' AND n = 1")
        self.assertEqual([r.body.get("ConsistentRead") for r in requests], [True])
