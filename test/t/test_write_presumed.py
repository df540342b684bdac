"""UPDATE and DELETE by the full key that need nothing of the row: one request, whose condition decides whether the row exists."""
import replies
import writes


class Plain(writes.TestCase):
    """A table whose key attributes are columns."""

    def operations(self, sql, parameters=None):
        """The requests of a statement, except descriptions of the table."""
        return [r.operation for r in self.fx.requests(sql, parameters) if r.operation != "DescribeTable"]

    def test_requests(self):
        for sql, operations in (
                ("UPDATE {t} SET note = 'x' WHERE id = 'a' AND n = 1", ["UpdateItem"]),
                ("UPDATE {t} SET note = NULL, total = 2.50, at = '2024-01-01 00:00+00' WHERE id = 'a' AND n = 2", ["UpdateItem"]),
                ("DELETE FROM {t} WHERE id = 'c' AND n = 7", ["DeleteItem"]),
                ("DELETE FROM {t} WHERE id = 'a' AND n = ANY ('{1, 2, 2}')", ["DeleteItem"] * 2)):
            with self.subTest(sql=sql):
                self.assertEqual(self.operations(sql.replace("{t}", "far")), operations)
                self.outcome(sql.replace("{t}", "near"))
                self.assertSameTables(sql)

    def test_absent_rows(self):
        """Nothing is written, not even by an UPDATE; the item is looked for once more, as only this shows what failed."""
        for sql in ("UPDATE {t} SET note = 'x' WHERE id = 'z' AND n = 1", "DELETE FROM {t} WHERE id = 'z' AND n = 1",
                    "UPDATE {t} SET note = 'x' WHERE id = 'a' AND n IN (1, 5, 2, 6)", "DELETE FROM {t} WHERE (id, n) IN (('a', 1), ('a', 9))",
                    "DELETE FROM {t} WHERE id = NULL AND n = 1", "UPDATE {t} SET note = 'y' WHERE id = 'a' AND n = 1 AND n = 2"):
            self.both(sql)
        self.assertIsNone(self.item("z", 1))

    def test_many_absent_rows(self):
        """Requests of up to 100 keys look for them, when no write is in flight."""
        for form, operation in (("UPDATE {t} SET note = 'x'", "UpdateItem"), ("DELETE FROM {t}", "DeleteItem")):
            sql = f"{form} WHERE id = 'a' AND n IN ({', '.join(map(str, range(1, 151)))})"
            self.fx.proxy.reset()
            self.assertEqual(self.both(sql)[0], 2)
            requests = [r for r in self.fx.proxy.requests if r.operation in (operation, "GetItem", "BatchGetItem")]
            self.assertEqual(sum(r.operation == operation for r in requests), 150)
            reads = [r for r in requests if r.operation != operation]
            self.assertEqual([r.operation for r in reads], ["BatchGetItem"] * 2)
            for request in reads:
                [keys] = request.body["RequestItems"].values()
                self.assertTrue(keys["ConsistentRead"])

    def test_large_absent_rows(self):
        """Writes whose items are not read yet keep their memory, so that of the statement limits their number."""
        self.fx.execute("SET dynamo_fdw.fetch_memory = '4MB'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.fetch_memory")
        self.fx.proxy.reset()
        self.assertEqual(self.outcome(f"UPDATE far SET note = repeat('x', 100000) WHERE id = 'z' AND n IN ({', '.join(map(str, range(1, 151)))})"), (0, []))
        reads = [len(keys["Keys"]) for r in self.fx.proxy.requests if r.operation == "BatchGetItem" for keys in r.body["RequestItems"].values()]
        self.assertEqual(sum(reads), 150)
        self.assertLess(max(reads), 50)

    def test_rows_that_appear(self):
        """They are found, and written after all, by their own values."""
        def insert(_):
            for n, note in ((30, "30"), (40, "40")):
                self.put_raw({"id": {"S": "a"}, "n": {"N": str(n)}, "note": {"S": note}})

        self.fx.proxy.on("BatchGetItem", insert)
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertEqual(self.outcome("UPDATE far SET total = 5 WHERE id = 'a' AND n IN (10, 20, 30, 40, 50)"), (2, []))
        self.assertEqual(self.fx.rows("SELECT n, note FROM far WHERE total = 5 ORDER BY n"), [(30, "30"), (40, "40")])

    def test_error_of_the_read(self):
        """No write is in flight then, so their number is known."""
        self.fx.proxy.on("BatchGetItem", [replies.error("AccessDeniedException")])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        del self.fx.conn.notices[:]
        self.assertEqual(self.outcome(f"UPDATE far SET total = 5 WHERE id = 'a' AND n IN ({', '.join(map(str, range(1, 40)))})"), "42501")
        self.assertEqual(self.fx.conn.notices, ["WARNING:  2 items written to DynamoDB are not rolled back\nDETAIL:  far: 2 updated.\n"])

    def test_conditions_without_a_row(self):
        """A condition that may fail, or changes something, is evaluated only for rows that exist."""
        self.fx.execute("CREATE SEQUENCE seen")
        self.addCleanup(self.fx.execute, "DROP SEQUENCE seen")
        for sql in ("DELETE FROM {t} WHERE id = 'z' AND n = 1 AND id::int > 5", "UPDATE {t} SET note = 'x' WHERE id = 'z' AND n = 1 AND nextval('seen') > 0",
                    "DELETE FROM {t} WHERE id = 'z' AND n = 1 AND 10 / (n - 1) > 0"):
            self.assertEqual(self.both(sql)[0], 0)
        self.assertEqual(self.fx.value("SELECT nextval('seen')"), 1)

    def test_values_that_cannot_be_stored(self):
        """Without a row, they are no error; with one, nothing is written."""
        for table in ("far", "near"):
            self.fx.execute(f"PREPARE v_{table}(text, numeric) AS UPDATE {table} SET total = $2 WHERE id = $1 AND n = 1")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL")
        for sql, key, sqlstate in (("UPDATE {t} SET total = 'NaN' WHERE id = '{k}' AND n = 1", "a", "22003"), ("UPDATE {t} SET at = 'infinity' WHERE id = '{k}' AND n IN (1, 2)", "a", "22008"),
                                   ("UPDATE {t} SET note = repeat('x', 420000) WHERE id = '{k}' AND n = 7", "c", "54000"), ("EXECUTE v_{t}('{k}', 1e200)", "b", "22003")):
            with self.subTest(sql=sql):
                self.assertEqual(self.both(sql.replace("{k}", "z"))[0], 0)
                before = self.item(key, 7 if key == "c" else 1)
                self.assertEqual(self.outcome(sql.replace("{k}", key).replace("{t}", "far")), sqlstate)
                self.assertEqual(self.item(key, 7 if key == "c" else 1), before)
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.both("UPDATE {t} SET total = 'NaN' WHERE id = 'z' AND n IN (1, 3)")
        self.assertEqual(self.outcome("UPDATE far SET total = 'NaN' WHERE id IN ('a', 'z') AND n = 1"), "22003")

    def test_prepared(self):
        """The same plan, custom and generic."""
        for table in ("near", "far"):
            self.fx.execute(f"PREPARE u_{table}(text, int, text) AS UPDATE {table} SET note = $3 WHERE id = $1 AND n = $2;"
                            f"PREPARE d_{table}(text, int) AS DELETE FROM {table} WHERE id = $1 AND n = $2")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL")
        for number, key in enumerate((("a", 1), ("a", 2), ("b", 1), ("x", 1), ("c", 7), ("a", 1), ("a", 2), ("x", 2))):
            self.both(f"EXECUTE u_{{t}}('{key[0]}', {key[1]}, 'p{number}')")
        self.assertEqual(self.operations("EXECUTE u_far('a', 1, 'last')"), ["UpdateItem"])
        self.fx.execute("EXECUTE u_near('a', 1, 'last')")
        for key in (("a", 1), ("a", 2), ("b", 1), ("x", 1), ("c", 7), ("a", 1), ("a", 2)):
            self.both(f"EXECUTE d_{{t}}('{key[0]}', {key[1]})")

    def test_statements_that_read(self):
        """What depends on the row, or shows it, reads it."""
        for sql in ("UPDATE {t} SET total = total + 1 WHERE id = 'a' AND n = 1", "UPDATE {t} SET note = 'x' WHERE id = 'a' AND n = 1 AND flag",
                    "UPDATE {t} SET note = 'x' WHERE id = 'a' AND n = 1 RETURNING total", "DELETE FROM {t} WHERE id = 'a' AND n = 1 RETURNING note",
                    "DELETE FROM {t} WHERE id = 'b' AND n = 1 AND note IS NULL", "UPDATE {t} SET note = id || 'x' WHERE id = 'c' AND n = 7",
                    "UPDATE {t} SET flag = true WHERE id = 'a' AND n = 2",
                    "WITH w AS (DELETE FROM {t} WHERE id = 'c' AND n = 7 RETURNING *) SELECT * FROM w"):
            self.assertIn("GetItem", self.operations(sql.replace("{t}", "far")), sql)
            self.outcome(sql.replace("{t}", "near"))
            self.assertSameTables(sql)

    def test_views(self):
        """The conditions of a view are conditions of the statement, also if the view is a security barrier."""
        for barrier in ("false", "true"):
            for table in ("far", "near"):
                self.fx.execute(f"CREATE VIEW v_{table} WITH (security_barrier = {barrier}) AS SELECT * FROM {table} WHERE note IS NOT NULL")
            self.both("UPDATE v_{t} SET total = 9 WHERE id = 'b' AND n = 1")
            self.both("UPDATE v_{t} SET total = 9 WHERE id = 'a' AND n = 1")
            self.both("DELETE FROM v_{t} WHERE id = 'b' AND n = 1")
            self.fx.execute("DROP VIEW v_far, v_near")

    def test_constraints(self):
        """A constraint may need the full row; NOT NULL fails only if there is a row."""
        for table in ("far", "near"):
            self.fx.execute(f"ALTER TABLE {table} ADD CONSTRAINT c CHECK (total IS NULL OR note IS NOT NULL)")
        self.both("UPDATE {t} SET note = NULL WHERE id = 'a' AND n = 1")
        self.both("UPDATE {t} SET note = NULL WHERE id = 'z' AND n = 1")
        for table in ("far", "near"):
            self.fx.execute(f"ALTER TABLE {table} DROP CONSTRAINT c")
        for table in ("far", "near"):
            self.fx.execute(f"UPDATE {table} SET flag = true WHERE flag IS NULL; ALTER TABLE {table} ALTER flag SET NOT NULL")
        self.both("UPDATE {t} SET note = 'other' WHERE id = 'a' AND n = 1")
        for key in ("a", "z"):
            self.both(f"UPDATE {{t}} SET flag = NULL WHERE id = '{key}' AND n = 1")
            self.both(f"UPDATE {{t}} SET flag = false WHERE id = '{key}' AND n = 1")
        for table in ("far", "near"):
            self.fx.execute(f"ALTER TABLE {table} ALTER flag DROP NOT NULL")

    def test_atomic(self):
        """Members without a row are left out."""
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        self.both("UPDATE {t} SET note = 'x' WHERE id = 'a' AND n IN (1, 2)")
        self.both("UPDATE {t} SET note = 'y' WHERE id = 'a' AND n IN (1, 2, 3)")
        self.both("DELETE FROM {t} WHERE id = 'z' AND n = 3")

    def test_delete_without_a_response(self):
        """Whether a DELETE that was lost deleted something is not known if the item is gone."""
        self.fx.proxy.reset()
        self.fx.proxy.on("DeleteItem", [replies.executed(replies.empty_reply())])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.assertEqual(self.outcome("DELETE FROM far WHERE id = 'a' AND n = 1"), "08007")
        self.fx.execute("DELETE FROM near WHERE id = 'a' AND n = 1")
        self.assertSameTables()

    def test_another_type_in_the_item(self):
        """The value that is replaced is not read."""
        self.put_raw({"id": {"S": "m"}, "n": {"N": "1"}, "note": {"L": []}, "more": {"SS": ["a", "b"]}})
        self.fx.execute("UPDATE far SET note = 'text' WHERE id = 'm' AND n = 1")
        self.assertEqual(self.item("m", 1), {"id": {"S": "m"}, "n": {"N": "1"}, "note": {"S": "text"}, "more": {"SS": ["a", "b"]}})

    def test_explain(self):
        self.assertRegex(self.fx.explain("UPDATE far SET note = 'x' WHERE id = 'a' AND n = 1"),
                         "Operation: none, the write requires that the row exists")

    def test_explain_shows_no_read(self):
        """Not even by consistent_read, and after a write."""
        self.fx.execute("SET dynamo_fdw.consistent_read = on; UPDATE far SET note = 'y' WHERE id = 'a'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.consistent_read")
        for sql in ("UPDATE far SET note = 'x' WHERE id = 'a' AND n = 1", "DELETE FROM far WHERE id = 'a' AND n = 1"):
            for options in ("VERBOSE", "ANALYZE, VERBOSE"):
                self.assertNotRegex(self.fx.explain(sql, options), "Projection|Consistent|Estimated Read Units")


class NoRows(writes.TestCase):
    """Keys that no row of the table can have: an error only if an item has the key, as if it had been read."""

    TYPES = "CREATE DOMAIN small AS int CHECK (VALUE < 100); CREATE FUNCTION is_even(n int) RETURNS bool LANGUAGE plpgsql AS" \
            " $$ BEGIN IF n % 2 = 1 THEN RAISE 'odd'; END IF; RETURN true; END $$; CREATE DOMAIN even AS int CHECK (is_even(VALUE))"
    COLUMNS = 'kind text COLLATE "C" NOT NULL, email text COLLATE "C" NOT NULL, id small NOT NULL, m even NOT NULL, note text'
    KEY = ("kind", "email", "id", "m")
    RANGE = ("sk", "S")
    OPTIONS = {"key_templates": '{"id": "${kind:A|B}#${email}#M", "sk": "${id}#${m}"}'}
    ROWS = "('A', 'x', 1, 2, 'one'), ('B', 'x', 2, 4, NULL)"

    def test_absent(self):
        for form in ("UPDATE {t} SET note = 'new'", "DELETE FROM {t}"):
            for where in ("kind = 'A' AND email = 'x#M' AND id = 1 AND m = 2", "kind = 'C' AND email = 'x' AND id = 1 AND m = 2", "kind = 'A' AND email = 'x' AND id = 500 AND m = 2",
                          "kind = 'A' AND email = 'x' AND id = 1 AND m = 3"):
                self.assertEqual(self.both(f"{form} WHERE {where}")[0], 0)
            self.assertEqual(self.both(f"{form} WHERE kind = 'A' AND email IN ('x', 'x#M', 'y') AND id = 1 AND m = 2")[0], 1)
            self.assertEqual(self.both(f"{form} WHERE kind = 'A' AND email IN ('v', 'w', 'x#M', 'y') AND id = 1 AND m = 2")[0], 0)
            self.assertEqual(self.both(f"{form} WHERE kind = 'B' AND email = 'x' AND id IN (2, 500) AND m IN (3, 4)")[0], 1)

    def test_present(self):
        """The error of a read."""
        for pk, sk, where, sqlstate in (("A#x#M#M", "1#2", "email = 'x#M'", "HV004"), ("C#x#M", "1#2", "kind = 'C'", "HV004"), ("A#x#M", "500#2", "id = 500", "HV004"), ("A#x#M", "1#3", "m = 3", "P0001")):
            where += "".join(f" AND {column} = {value}" for column, value in (("kind", "'A'"), ("email", "'x'"), ("id", 1), ("m", 2)) if not where.startswith(column))
            with self.subTest(where=where):
                self.put_raw({"id": {"S": pk}, "sk": {"S": sk}})
                outcomes = [self.outcome(f"{form} WHERE {where}") for form in ("UPDATE far SET note = 'new'", "DELETE FROM far")]
                self.fx.dynamo.call("DeleteItem", {"TableName": self.fx.remote("items"), "Key": {"id": {"S": pk}, "sk": {"S": sk}}})
                self.assertEqual(outcomes, [sqlstate] * 2)
                self.assertSameTables()

    def test_requests(self):
        """Other keys are not read."""
        for email, operations in (("x", ["UpdateItem"]), ("x#M", ["GetItem"])):
            requests = self.fx.requests(f"UPDATE far SET note = 'new' WHERE kind = 'A' AND email = '{email}' AND id = 1 AND m = 2")
            self.assertEqual([r.operation for r in requests], operations)
        self.assertTrue(requests[0].body["ConsistentRead"])
