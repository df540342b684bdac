"""Columns, values and tables that cannot be written, and what the errors show: nothing is sent for what is refused."""
import fixture
import psycopg2
import replies
import writes

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


class Case(fixture.TestCase):
    """Foreign tables over the DynamoDB table "app" with the key (pk, sk)."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET dynamo_fdw.scan_policy = 'allow'; SET timezone = 'UTC'; LOAD 'dynamo_fdw'")
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"))

    def foreign(self, columns, **options):
        """The table "t"."""
        self.fx.foreign_table("t", columns, table_name=self.fx.remote("app"), updatable="on", **options)

    def fill(self, *items):
        """These items, and no other."""
        for item in self.items():
            self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("app"), "Key": {"pk": item["pk"], "sk": item["sk"]}})
        self.fx.put("app", items)

    def items(self):
        """All items, in the order of their keys."""
        found = self.fx.dynamo.call("Scan", {"TableName": self.fx.remote("app"), "ConsistentRead": True})["Items"]
        return sorted(found, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def refused(self, sql, sqlstate, message):
        """The error of a statement that sends no write."""
        before = self.items()
        self.fx.proxy.reset()
        failure = self.fx.error(sql)
        self.assertEqual((failure.sqlstate, failure.message), (sqlstate, message or failure.message), sql)
        self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation in WRITES], [], sql)
        self.assertEqual(self.items(), before)
        return failure


class Keys(Case):
    """A key attribute that nothing determines is named, whichever it is."""

    def test_R08_which_attribute(self):
        for columns, options, attribute, detail in (
                ("sk text", {}, "pk", "No column, template or item_filter contains the attribute."),
                ("pk text", {}, "sk", "No column, template or item_filter contains the attribute."),
                ("pk text, sk timestamptz OPTIONS (format 'iso8601')", {}, "sk", 'Column "sk" does not have a unique encoding for each of its values.'),
                ("id text", {"item_filter": '{"sk": ["a", "b"]}', "key_templates": '{"pk": "C#${id}"}'}, "sk", "No column, template or item_filter contains the attribute.")):
            with self.subTest(columns=columns):
                self.foreign(columns, **options)
                for sql in ("INSERT INTO t DEFAULT VALUES", "UPDATE t SET {} = NULL".format(columns.split()[0]), "DELETE FROM t"):
                    failure = self.refused(sql, "0A000", f'cannot write foreign table "t", because its columns do not determine key attribute "{attribute}"')
                    self.assertEqual(failure.detail, detail)

    def test_R11_folded_texts(self):
        """The key of a text that is not ASCII is unknown, so its row cannot be written; its neighbor can."""
        self.foreign("email text OPTIONS (attribute 'email') NOT NULL, n int", key_templates='{"pk": "U#${email:lower}", "sk": "U"}')
        self.fill({"pk": "U#ö@y", "sk": "U", "email": "Ö@y", "n": 1}, {"pk": "U#a@y", "sk": "U", "email": "A@y", "n": 1})
        for sql in ("INSERT INTO t VALUES ('Ü@y')", "UPDATE t SET n = n + 1 WHERE email = 'Ö@y'", "DELETE FROM t WHERE email = 'Ö@y'", "DELETE FROM t WHERE n = 1 AND email <> 'A@y'"):
            failure = self.refused(sql, "0A000", None)
            self.assertIn("letters outside of ASCII", failure.message + (failure.detail or ""))
        self.fx.execute("UPDATE t SET n = n + 1 WHERE email = 'A@y'")
        self.assertEqual([item["n"]["N"] for item in self.items()], ["2", "1"])


class Columns(Case):
    """Columns that nothing can be assigned to do not hinder others."""

    def test_R12_list_steps(self):
        self.foreign("pk text NOT NULL, sk text NOT NULL, first text OPTIONS (path 'tags[0]'), v int")
        self.fill({"pk": "a", "sk": "1", "tags": ["x", "y"]})
        message = 'cannot assign to column "first" of foreign table "t"'
        self.refused("INSERT INTO t VALUES ('b', '1', 'x')", "0A000", message)
        self.refused("UPDATE t SET first = 'z'", "0A000", message)
        self.refused("UPDATE t SET first = NULL WHERE pk = 'a'", "0A000", message)
        self.fx.execute("UPDATE t SET first = 'x', v = 2; INSERT INTO t VALUES ('b', '1', NULL, 3)")
        self.assertEqual(self.items(), [{"pk": {"S": "a"}, "sk": {"S": "1"}, "tags": {"L": [{"S": "x"}, {"S": "y"}]}, "v": {"N": "2"}},
                                        {"pk": {"S": "b"}, "sk": {"S": "1"}, "v": {"N": "3"}}])

    def test_R14_constants(self):
        """A filter that accepts null needs no attribute; one of several values needs a column that shows which."""
        self.fill()
        self.foreign("pk text NOT NULL, sk text NOT NULL", item_filter='{"kind": ["order", null]}')
        self.fx.execute("INSERT INTO t VALUES ('a', '1')")
        self.assertEqual(self.items(), [{"pk": {"S": "a"}, "sk": {"S": "1"}}])
        self.foreign("pk text NOT NULL, sk text NOT NULL, v int", item_filter='{"kind": ["order", "invoice"]}')
        self.refused("INSERT INTO t VALUES ('b', '1')", "0A000", 'cannot insert into foreign table "t", because no column contains attribute "kind"')
        self.fill({"pk": "a", "sk": "1", "kind": "invoice"})
        self.fx.execute("UPDATE t SET v = 1")
        self.assertEqual(self.items(), [{"pk": {"S": "a"}, "sk": {"S": "1"}, "kind": {"S": "invoice"}, "v": {"N": "1"}}])
        self.foreign("pk text NOT NULL, sk text NOT NULL, kind text DEFAULT 'order'", item_filter='{"kind": ["order", "invoice"]}')
        self.fx.execute("INSERT INTO t VALUES ('b', '1'); INSERT INTO t VALUES ('c', '1', 'invoice')")
        self.assertEqual([item["kind"]["S"] for item in self.items()], ["invoice", "order", "invoice"])
        self.assertEqual(self.fx.error("INSERT INTO t VALUES ('d', '1', 'bill')").sqlstate, "44000")

    def test_R27_documents(self):
        """No condition can compare a document."""
        self.foreign("pk text NOT NULL, sk text NOT NULL, v int, doc jsonb OPTIONS (document 'item')")
        self.fill({"pk": "a", "sk": "1", "v": 1})
        message = 'cannot read document column "doc" in a statement that writes foreign table "t"'
        for sql in ("UPDATE t SET v = 2 WHERE doc ? 'v'", "UPDATE t SET v = 2 RETURNING doc", "UPDATE t SET v = (doc ->> 'v')::int + 1", "DELETE FROM t WHERE doc ->> 'v' = '1'",
                    "DELETE FROM t RETURNING doc", "UPDATE t SET v = 2 FROM (VALUES (1)) x(n) WHERE doc ->> 'v' = n::text"):
            self.assertIn("path", self.refused(sql, "0A000", message).hint)
        for mode in ("immediate", "atomic"):
            self.fx.execute(f"SET dynamo_fdw.write_mode = '{mode}'")
            for sql in ("DELETE FROM t RETURNING t", "UPDATE t SET v = 2 RETURNING (t).doc", "UPDATE t SET v = 2 WHERE EXISTS (SELECT FROM t o WHERE o.v = 1) RETURNING t"):
                self.refused(sql, "0A000", message)
        self.fx.execute("RESET dynamo_fdw.write_mode; UPDATE t SET v = v + 1")
        self.assertEqual(self.items()[0]["v"], {"N": "2"})

    def test_R30_long_conditions(self):
        """DynamoDB's limits are reported before a request is sent."""
        names = [f"c{n}" for n in range(200)]
        self.foreign("pk text NOT NULL, sk text NOT NULL, " + ", ".join(f"{name} int" for name in names))
        self.fill({"pk": "a", "sk": "1", **{name: 1 for name in names}})
        everything = " + ".join(names)
        failure = self.refused(f"UPDATE t SET c0 = {everything}", "54000", 'the condition of the write for foreign table "t" is too long for DynamoDB')
        self.assertIn("operators", failure.detail)
        self.fx.execute(f"UPDATE t SET c0 = {' + '.join(names[:100])}")
        self.assertEqual(self.items()[0]["c0"], {"N": "100"})


class Guards(writes.TestCase):
    """What the condition of a write compares, where it is not the target's own WHERE that reads."""

    def condition(self, sql):
        """The condition of the only write, with the names of attributes."""
        [write] = self.writes(sql)
        names = write.body["ExpressionAttributeNames"]
        return {names[word] for word in write.body["ConditionExpression"].replace("(", " ").replace(")", " ").split() if word in names}

    def test_R26_whole_rows(self):
        """A reference to the full row reads every column, also those that the item does not have."""
        self.assertEqual(self.condition("UPDATE far SET note = 'x' WHERE id = 'a' AND n = 1 AND (far.*)::text LIKE '%one%'"), {"id", "note", "total", "flag", "at"})
        self.assertEqual(self.condition("DELETE FROM far WHERE id = 'b' AND n = 1 AND far IS NOT NULL IS FALSE"), {"id", "note", "total", "flag", "at"})
        self.assertEqual(self.condition("UPDATE far SET note = 'x' WHERE id = 'a' AND n = 2 AND total = 2"), {"id", "total"})

    def test_R26_partitions(self):
        """Of a partition, the condition that the parent's statement reads is compared: another session's change is seen."""
        self.fx.execute("DROP TABLE IF EXISTS parts; CREATE TABLE parts (id text COLLATE \"C\" NOT NULL, n int NOT NULL, note text, total numeric, flag boolean, at timestamptz) PARTITION BY RANGE (n);"
                        "ALTER TABLE parts ATTACH PARTITION far FOR VALUES FROM (0) TO (1000)")
        self.addCleanup(self.fx.execute, "ALTER TABLE parts DETACH PARTITION far; DROP TABLE parts")
        self.assertEqual(self.condition("UPDATE parts SET note = 'x' WHERE id = 'a' AND n = 1 AND total > 1"), {"id", "total"})
        self.assertEqual(self.condition("DELETE FROM parts WHERE id = 'a' AND n = 2 AND note = 'two'"), {"id", "note"})

        def concurrently(_):
            self.fx.dynamo.call("UpdateItem", {"TableName": self.fx.remote("items"), "Key": {"id": {"S": "c"}, "n": {"N": "7"}}, "UpdateExpression": "SET #t = :t",
                                               "ExpressionAttributeNames": {"#t": "total"}, "ExpressionAttributeValues": {":t": {"N": "9"}}})
        self.fx.proxy.reset()
        self.fx.proxy.on("UpdateItem", concurrently)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertEqual(self.outcome("UPDATE parts SET note = 'late' WHERE id = 'c' AND n = 7 AND total < 0"), (0, []))
        self.assertEqual(self.item("c", 7)["note"], {"S": "seven"})


class Details(writes.TestCase):
    """Values of a row are shown only to who may read them."""

    OPTIONS = {"item_filter": '{"note": ["x", "one", "two", "seven", null]}'}

    def setUp(self):
        super().setUp()
        self.fx.execute("DROP ROLE IF EXISTS w_blind; CREATE ROLE w_blind; GRANT INSERT ON far TO w_blind")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP OWNED BY w_blind; DROP ROLE w_blind")

    def details(self, sql, sqlstate):
        """The detail for a user that may only insert, and for the owner."""
        for role in ("w_blind", None):
            self.fx.execute(f"SET ROLE {role}" if role else "RESET ROLE")
            failure = self.fx.error(sql)
            self.assertEqual(failure.sqlstate, sqlstate, failure)
            yield failure.detail

    def test_R36_row_that_is_none(self):
        """Its detail has no values at all."""
        for detail in self.details("INSERT INTO far VALUES ('secret', 1, 'none')", "44000"):
            self.assertNotIn("secret", detail)

    def test_R36_unknown_outcome(self):
        self.fx.proxy.on("PutItem", [replies.executed(replies.empty_reply())] * 40)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        blind, seen = self.details("INSERT INTO far VALUES ('secret', 1, 'x')", "08007")
        self.assertNotIn("secret", blind or "")
        self.assertIn("secret", seen)


class ScanPolicy(writes.TestCase):
    """The Scan of UPDATE and DELETE is one like that of SELECT."""

    def test_warning(self):
        self.fx.execute("ALTER FOREIGN TABLE far OPTIONS (SET scan_policy 'warn')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE far OPTIONS (SET scan_policy 'allow')")
        for sql, scans in (("UPDATE far SET note = 'x'", 1), ("UPDATE far SET note = 'x' WHERE total > 1", 1), ("DELETE FROM far WHERE note = 'q'", 1),
                           ("UPDATE far SET note = 'x' WHERE id = 'a'", 0), ("DELETE FROM far WHERE id = 'z' AND n = 1", 0)):
            self.assertEqual(len([one for one in self.fx.notices(sql) if one.startswith("WARNING:  full scan of")]), scans, sql)

    def test_error(self):
        """Nothing is read or written."""
        self.fx.execute("ALTER FOREIGN TABLE far OPTIONS (SET scan_policy 'error')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE far OPTIONS (SET scan_policy 'allow')")
        for sql in ("UPDATE far SET note = 'x'", "DELETE FROM far WHERE note = 'one'"):
            self.fx.proxy.reset()
            self.assertRegex(self.fx.error(sql).message, 'full scan of .* is disabled by scan_policy "error"')
            self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], [])
        self.fx.execute("ALTER FOREIGN TABLE far OPTIONS (SET scan_policy 'allow')")
        self.assertSameTables()


class WithoutTheLibrary(writes.TestCase):
    """A session whose first statement is an upsert gets PostgreSQL's own error, which the manual has."""

    def test_42P10(self):
        connection = self.fx.connect()
        self.addCleanup(connection.close)
        with connection.cursor() as cursor, self.assertRaises(psycopg2.Error) as raised:
            cursor.execute("INSERT INTO far VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x'")
        self.assertEqual(raised.exception.diag.sqlstate, "42P10")
        with open(fixture.__file__.replace("test/lib/fixture.py", "docs/troubleshooting.md"), encoding="utf-8") as page:
            self.assertIn(raised.exception.diag.message_primary, " ".join(page.read().split()))
        self.fx.execute(f"ALTER DATABASE {self.fx.database} SET session_preload_libraries = 'dynamo_fdw'")
        preloaded = self.fx.connect()
        self.addCleanup(preloaded.close)
        with preloaded.cursor() as cursor:
            cursor.execute("INSERT INTO far VALUES ('a', 1) ON CONFLICT (id, n) DO UPDATE SET note = 'x'")
        self.assertEqual(self.item("a", 1)["note"], {"S": "x"})


class Excluded(fixture.TestCase):
    """Partitions and children that a statement may not write or read hinder only the executions that reach them."""

    COLUMNS = "region text, k text, n int, doc jsonb"
    FOREIGN = "region text, k text NOT NULL, n int, doc jsonb OPTIONS (document 'item')"
    ROWS = "('west', 'a', 1, '{}'), ('west', 'b', 2, NULL)"

    def setUp(self):
        fx = self.fx
        fx.create_table("old", ("k", "S"))
        fx.put("old", [{"k": "a", "region": "east", "n": 7}])
        fx.execute(f"CREATE TABLE twin ({self.COLUMNS}); CREATE TABLE events ({self.COLUMNS}) PARTITION BY LIST (region); CREATE TABLE hot PARTITION OF events FOR VALUES IN ('west');"
                   f"CREATE FOREIGN TABLE archive ({self.FOREIGN}) SERVER ddb OPTIONS (table_name '{fx.remote('old')}', scan_policy 'allow'); ALTER TABLE events ATTACH PARTITION archive FOR VALUES IN ('east');"
                   f"INSERT INTO events VALUES {self.ROWS}; INSERT INTO twin VALUES {self.ROWS}")
        self.addCleanup(fx.execute, "DEALLOCATE ALL; DROP TABLE events, twin; SELECT dynamo_fdw_disconnect_all()")
        self.addCleanup(fx.dynamo.drop_table, fx.remote("old"))

    def prepare(self, sql):
        """Eight executions for the local partition, as for a local table, and then the error of one for the other partition."""
        self.fx.execute("PREPARE q (text) AS " + sql.format(t="events") + "; PREPARE p (text) AS " + sql.format(t="twin"))
        for _ in range(8):
            requests, rows = self.fx.requests_and_rows("EXECUTE q ('west')")
            self.assertEqual((requests, rows), ([], self.fx.rows("EXECUTE p ('west')")))
        failure = self.fx.error("EXECUTE q ('east')")
        self.fx.execute("DEALLOCATE q; DEALLOCATE p")
        return failure.sqlstate, failure.message

    def test_read_only(self):
        self.assertEqual(self.prepare("WITH w AS (UPDATE {t} SET n = n + 1 WHERE region = $1 AND k = 'a' RETURNING k, n) SELECT * FROM w"), ("55000", 'foreign table "archive" does not allow updates'))
        self.assertEqual(self.prepare("WITH w AS (DELETE FROM {t} WHERE region = $1 AND k = 'a' RETURNING k, n) SELECT * FROM w"), ("55000", 'foreign table "archive" does not allow deletes'))

    def test_columns(self):
        self.fx.execute("ALTER FOREIGN TABLE archive OPTIONS (updatable 'on')")
        document = ("0A000", 'cannot read document column "doc" in a statement that writes foreign table "archive"')
        system = ("0A000", 'cannot read system columns of foreign table "archive"')
        for sql, failure in (("SELECT k, xmin::text <> 'x' FROM {t} WHERE region = $1 ORDER BY 1", system), ("SELECT count(*) FROM {t} WHERE region = $1 AND cmin::text <> 'x'", system),
                             ("SELECT k FROM {t} WHERE region = $1 AND xmax::text <> 'x' FOR UPDATE", system),
                             ("WITH w AS (UPDATE {t} SET n = 3 WHERE region = $1 RETURNING xmin::text <> 'x') SELECT * FROM w", system),
                             ("WITH w AS (UPDATE {t} SET n = 3 WHERE region = $1 RETURNING doc) SELECT * FROM w", document),
                             ("WITH w AS (UPDATE {t} SET n = 3 WHERE region = $1 AND doc IS NOT NULL RETURNING k) SELECT * FROM w", document),
                             ("WITH w AS (DELETE FROM {t} t WHERE region = $1 RETURNING t IS NULL) SELECT * FROM w", document)):
            with self.subTest(sql):
                self.assertEqual(self.prepare(sql), failure)
        self.assertEqual(self.fx.rows("SELECT k FROM events FOR UPDATE"), [("a",)])

    def test_explain(self):
        """Shows the plan of what an execution would refuse."""
        self.fx.execute("ALTER FOREIGN TABLE archive OPTIONS (updatable 'on')")
        for sql in ("UPDATE events SET n = 3 RETURNING xmin, doc", "SELECT xmin FROM events"):
            self.assertIn("archive", str(self.fx.explain(sql)))
            self.assertEqual(self.fx.error(sql).sqlstate, "0A000")

    def test_routed_rows(self):
        """RETURNING of an INSERT into the parent reads what an item does not have, also if the columns are in another order."""
        routed = "CREATE TABLE routed (region text, k text, n int, seg int) PARTITION BY LIST (region); CREATE TABLE near PARTITION OF routed FOR VALUES IN ('west');"
        for order in ("region text, k text NOT NULL, n int, seg int OPTIONS (segment '4')", "seg int OPTIONS (segment '4'), n int, k text NOT NULL, region text"):
            self.fx.execute(f"{routed} CREATE FOREIGN TABLE far ({order}) SERVER ddb OPTIONS (table_name '{self.fx.remote('old')}', updatable 'on', scan_policy 'allow');"
                            "ALTER TABLE routed ATTACH PARTITION far FOR VALUES IN ('east'); INSERT INTO routed VALUES ('west', 'y', 2)")
            try:
                for returning, message in (("xmax = 0", 'cannot read system columns of foreign table "far"'), ("seg IS NULL", 'cannot read column "seg" in an INSERT into foreign table "far"'),
                                           ("routed IS NULL", 'cannot read column "seg" in an INSERT into foreign table "far"')):
                    for sql in (f"INSERT INTO routed VALUES ('east', 'z', 1) RETURNING {returning}", f"UPDATE routed SET region = 'east' WHERE region = 'west' RETURNING {returning}"):
                        with self.subTest(order=order, sql=sql):
                            self.fx.proxy.reset()
                            failure = self.fx.error(sql)
                            self.assertEqual((failure.sqlstate, failure.message), ("0A000", message))
                            self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation in WRITES], [])
                self.assertEqual(self.fx.rows("INSERT INTO routed VALUES ('east', 'z', 1) RETURNING k, n, tableoid::regclass::text"), [("z", 1, "far")])
            finally:
                self.fx.execute("DELETE FROM routed WHERE k = 'z'; DROP TABLE routed")

    def test_constraint_exclusion(self):
        self.fx.execute(f"CREATE TABLE parent ({self.COLUMNS}); INSERT INTO parent VALUES {self.ROWS};"
                        f"CREATE FOREIGN TABLE child ({self.FOREIGN}, CHECK (region = 'east')) INHERITS (parent) SERVER ddb OPTIONS (table_name '{self.fx.remote('old')}', scan_policy 'allow')")
        self.addCleanup(self.fx.execute, "DROP TABLE parent CASCADE")
        for sql in ("UPDATE {t} SET n = n + 1 WHERE region = 'west' RETURNING k, n", "DELETE FROM {t} WHERE region = 'west' AND k = 'a' RETURNING k, n"):
            requests, rows = self.fx.requests_and_rows(sql.format(t="parent"))
            self.assertEqual((requests, rows), ([], self.fx.rows(sql.format(t="twin"))))
        for sql in ("UPDATE parent SET n = 1", "DELETE FROM parent WHERE k = 'b'"):
            self.assertEqual(self.fx.error(sql).sqlstate, "55000")
        self.assertEqual(self.fx.rows("SELECT * FROM ONLY parent"), self.fx.rows("SELECT * FROM twin"))
