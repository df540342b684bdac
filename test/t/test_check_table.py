"""dynamo_fdw_check_table(): what the foreign tables of a DynamoDB table make of its items."""
import time

import fixture
import replies
from dynamo import index, item

CHECK = "SELECT kind, relation::text, column_name::text, items, example, detail FROM dynamo_fdw_check_table('{}')"


class Case(fixture.TestCase):
    """Foreign tables, which every test makes itself."""

    server = "ddb"

    def setUp(self):
        self.drop_tables()

    def drop_tables(self):
        """All foreign tables."""
        for (name,) in self.fx.rows("SELECT foreign_table_name FROM information_schema.foreign_tables"):
            self.fx.execute(f'DROP FOREIGN TABLE "{name}"')

    def check(self, table):
        """The rows of a check."""
        return self.fx.rows(CHECK.format(table))

    def table(self, name, columns, **options):
        """A foreign table of "app"."""
        self.fx.foreign_table(name, columns, table_name=self.fx.remote("app"), **options)


class Entities(Case):
    """Several entities in one table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "N"))
        cls.fx.put("app", [{"pk": "u", "sk": n, "type": "user", "name": f"n{n}", "age": [30, "thirty"][n % 4 == 3]} for n in range(8)] +
                   [{"pk": "o", "sk": n, "type": "order", "total": n, "lines": [{"article": "a", "n": n}, {"article": "b", "n": "x"}]} for n in range(3)] +
                   [{"pk": "o", "sk": 9, "type": "order", "lines": []}, {"pk": "x", "sk": 1, "type": "ship"}, {"pk": "y", "sk": 1}])

    def test_clean(self):
        """Nothing to report."""
        self.table("everything", "pk text NOT NULL, sk int NOT NULL, type text, age jsonb")
        self.assertEqual(self.check("everything"), [])

    def test_one_scan(self):
        """All of the items, complete, once for all tables."""
        self.table("users", "pk text", item_filter='{"type": "user"}')
        self.table("orders", "pk text", item_filter='{"type": "order"}')
        [request] = self.fx.requests(CHECK.format("users"))
        self.assertEqual((request.operation, set(request.body)), ("Scan", {"TableName", "ReturnConsumedCapacity"}))

    def test_unclaimed(self):
        self.table("users", "pk text NOT NULL", item_filter='{"type": "user"}')
        self.table("orders", "pk text NOT NULL", item_filter='{"type": "order"}')
        [(kind, relation, column, items, example, detail)] = self.check("users")
        self.assertEqual((kind, relation, column, items, detail), ("unclaimed", None, None, 2, "the item is a row of no foreign table"))
        self.assertIn(example, [{"pk": "x", "sk": 1}, {"pk": "y", "sk": 1}])
        self.table("rest", "pk text NOT NULL", item_filter='{"type": ["ship", null]}')
        self.assertEqual(self.check("rest"), [])

    def test_shared(self):
        """One row for each combination of tables."""
        self.table("a", "pk text", item_filter='{"type": ["user", "order", "ship"]}')
        self.table("b", "pk text", item_filter='{"pk": ["u", "y"]}')
        self.table("c", "pk text", item_filter='{"type": "ship"}')
        rows = self.check("c")
        self.assertEqual([row[:4] + row[5:] for row in rows], [("shared", "a", None, 8, "the item is also a row of b"),
                                                               ("shared", "a", None, 1, "the item is also a row of c")]
                         if rows[0][3] == 8 else [("shared", "a", None, 1, "the item is also a row of c"),
                                                  ("shared", "a", None, 8, "the item is also a row of b")])
        self.assertEqual({row[4]["pk"] for row in rows}, {"u", "x"})

    def test_shared_elsewhere(self):
        """A table outside the search_path is named with its schema."""
        self.table("ships", "pk text", item_filter='{"type": "ship"}')
        self.table("far", "pk text", item_filter='{"type": "ship"}')
        self.fx.execute("CREATE SCHEMA elsewhere; ALTER FOREIGN TABLE far SET SCHEMA elsewhere")
        self.addCleanup(self.fx.execute, "DROP SCHEMA elsewhere CASCADE")
        self.assertEqual([row[5] for row in self.check("ships") if row[0] == "shared"], ["the item is also a row of elsewhere.far"])

    def test_pairs(self):
        """Each pair of tables is one result, however many share an item."""
        for name in "abcd":
            self.table(name, "pk text", item_filter='{"type": "order"}')
        self.assertEqual([row[:4] + row[5:] for row in self.check("a") if row[0] == "shared"],
                         [("shared", first, None, 4, f"the item is also a row of {second}") for first, second in ("ab", "ac", "ad", "bc", "bd", "cd")])

    def test_imports_next_to_templates(self):
        """Tables without templates are left out where others have some, unless they are named; what is wrong comes first."""
        self.fx.create_table("mapped", ("pk", "S"))
        self.fx.put("mapped", [{"pk": f"U#{n}", "kind": "u", "age": ["x", n][n > 0]} for n in range(5)] + [{"pk": "O#1", "kind": "o"}])
        def over(name, columns, **options):
            self.fx.foreign_table(name, columns, table_name=self.fx.remote("mapped"), **options)
        over("users", "id int NOT NULL, age int, email text", key_templates='{"pk": "U#${id}"}')
        self.fx.execute("CREATE SCHEMA raw; SET search_path = raw, public")
        over("raw_u", "pk text, age text", item_filter='{"kind": "u"}')
        over("raw_o", "pk text, age text", item_filter='{"kind": "o"}')
        def kinds(arguments):
            return [row[:2] for row in self.fx.rows(f"SELECT kind, relation::text, items FROM dynamo_fdw_check_table({arguments})")]
        try:
            self.assertEqual(kinds("'users'"), [("mismatch", "users"), ("absent", "users")])
            both = kinds("'users', tables => '{raw_u}'")
            self.assertEqual((sorted(both[:2]), [kind for kind, _ in both[2:]]), ([("mismatch", "raw_u"), ("mismatch", "users")], ["unclaimed", "shared", "absent"]))
            self.assertEqual(kinds("'raw_o', schema => 'raw'"), [("mismatch", "raw_u"), ("absent", "raw_o")])
            self.assertEqual(kinds("'users', '{}'"), [("mismatch", "users"), ("unclaimed", None), ("absent", "users")])
            self.fx.execute("DROP FOREIGN TABLE raw_o")
            self.assertEqual(kinds("'users'"), [("mismatch", "users"), ("unclaimed", None), ("absent", "users")])
            self.fx.execute("CREATE TABLE plain (x int)")
            error = self.fx.error("SELECT * FROM dynamo_fdw_check_table('users', tables => '{plain}')")
            self.assertEqual((error.sqlstate, error.message), ("42809", f'"plain" is not a foreign table for DynamoDB table "{self.fx.remote("mapped")}"'))
            self.assertEqual(self.fx.error("SELECT * FROM dynamo_fdw_check_table(NULL)").sqlstate, "22004")
        finally:
            self.fx.execute("RESET search_path; DROP SCHEMA raw CASCADE")

    def test_mismatches(self):
        """Mismatches, by column, and NULL in columns that are NOT NULL; whatever on_mismatch specifies."""
        for on_mismatch in ("error", "null"):
            with self.subTest(on_mismatch):
                self.drop_tables()
                self.table("users", "name text, age int, \"Pk\" text OPTIONS (attribute 'pk'), nothing text NOT NULL", item_filter='{"type": "user"}', on_mismatch=on_mismatch)
                self.table("rest", "pk text", item_filter='{"type": ["order", "ship", null]}')
                rows = self.check("users")
                self.assertEqual([row[:4] for row in rows], [("mismatch", "users", "age", 2), ("not null", "users", "nothing", 8)])
                self.assertIn(rows[0][4], [{"pk": "u", "sk": 3}, {"pk": "u", "sk": 7}])
                self.assertRegex(rows[0][5], "DynamoDB")

    def test_domains(self):
        """Constraints of domains, also against NULL."""
        self.fx.execute("CREATE DOMAIN adult AS int CHECK (VALUE < 7); CREATE DOMAIN needed AS text CHECK (VALUE IS NOT NULL)")
        self.addCleanup(self.fx.execute, "DROP DOMAIN adult, needed CASCADE")
        self.table("users", "sk adult, nothing needed", item_filter='{"type": "user"}')
        self.assertEqual([row[:4] for row in self.check("users")],
                         [("mismatch", "users", "sk", 1), ("mismatch", "users", "nothing", 8), ("unclaimed", None, None, 6)])

    def test_input_functions(self):
        """Types that are read by their input function."""
        self.table("everything", "name inet")
        [row] = self.check("everything")
        self.assertEqual(row[:4], ("mismatch", "everything", "name", 8))
        self.assertIn("invalid input syntax for type inet", row[5])

    def test_elements(self):
        """Tables of elements claim items next to others; issues are counted by items."""
        self.table("everything", "pk text")
        self.table("lines", "pk text, article text OPTIONS (path '@.article'), n int OPTIONS (path '@.n')", unnest="lines")
        [row] = self.check("lines")
        self.assertEqual(row[:4], ("mismatch", "lines", "n", 3))
        self.table("users", "pk text", item_filter='{"type": "user"}')
        self.assertEqual([row[:4] for row in self.check("lines")], [("mismatch", "lines", "n", 3), ("unclaimed", None, None, 3)])

    def test_absent(self):
        """What no row has is reported, as information; a mismatch is there."""
        self.table("users", "pk text, \"Name\" text, nam text OPTIONS (path 'name.first'), name int, age jsonb, total text OPTIONS (attribute 'total'),"
                   " rest jsonb OPTIONS (document 'rest')", item_filter='{"type": "user"}')
        self.table("others", "pk text, total int", item_filter='{"type": ["order", "ship", null]}')
        self.assertEqual(self.check("others"), [("mismatch", "users", "name", 8, {"pk": "u", "sk": 0}, self.check("users")[0][5])] + [
            ("absent", "users", column, None, None, f'no row has a value for the column, which is read from {place}')
            for column, place in (("Name", 'attribute "Name"'), ("nam", 'path "name.first"'), ("total", 'attribute "total"'))])

    def test_absent_elements(self):
        """Of what is unnested, the path and those below."""
        self.table("everything", "pk text")
        self.table("lines", "pk text, artikel text OPTIONS (path '@.artikel'), article text OPTIONS (path '@.article'), i int OPTIONS (path '@index')", unnest="lines")
        self.assertEqual(self.check("lines"), [("absent", "lines", "artikel", None, None, "no element has a value for the column")])
        self.table("lines", "pk text, article text OPTIONS (path '@.article')", unnest="linse")
        self.assertEqual(self.check("lines"), [("absent", "lines", None, None, None, 'no item has a value at "linse", the path in option "unnest"')])
        self.table("lines", "pk text, article text OPTIONS (path '@.article')", unnest="lines", item_filter='{"type": "user"}')
        self.assertEqual(self.check("lines"), [("absent", "lines", None, None, None, "no item is a row of the foreign table")])

    def test_absent_texts(self):
        """An attribute that only a template names; and tables without rows."""
        self.table("users", "pk text NOT NULL, name text OPTIONS (attribute 'name')", item_filter='{"type": "user"}', key_templates='{"PK": "user#${name}", "name": "${name}"}')
        self.table("others", "pk text", item_filter='{"type": ["order", "ship", null]}')
        self.assertEqual(self.check("users"), [("absent", "users", None, None, None, 'no row has attribute "PK", which is in option key_templates')])
        self.table("users", "pk text NOT NULL, name text", item_filter='{"type": "usr"}')
        self.assertEqual([row[:4] + row[5:] for row in self.check("users")], [
            ("unclaimed", None, None, 8, "the item is a row of no foreign table"), ("absent", "users", None, None, "no item is a row of the foreign table")])
        self.fx.create_table("empty", ("pk", "S"))
        self.fx.foreign_table("empty", "pk text, x text")
        self.assertEqual(self.check("empty"), [])

    def test_table_of_everything(self):
        """One that shows every item claims none if there are others, which divide the items among them."""
        self.table("app", "pk text, sk int, ends int OPTIONS (attribute 'total')", ttl_attribute="ends")
        self.table("users", "pk text", item_filter='{"type": "user"}')
        self.table("orders", "pk text", item_filter='{"type": "order"}')
        self.assertEqual([row[:4] for row in self.check("app")], [("unclaimed", None, None, 2)])
        self.table("rest", "pk text", item_filter='{"type": ["ship", null, "order"]}')
        self.assertEqual([row[:2] + row[3:4] + row[5:] for row in self.check("users")], [("shared", "orders", 4, "the item is also a row of rest")])
        self.fx.execute("DROP FOREIGN TABLE users, orders, rest")
        self.assertEqual(self.check("app"), [])
        self.table("app2", "pk text")
        self.assertEqual([row[:4] for row in self.check("app")], [("shared", "app", None, 14)])

    def test_no_elements(self):
        self.table("everything", "pk text")
        self.table("names", "pk text", unnest="name")
        [row] = self.check("names")
        self.assertEqual(row[:4] + row[5:], ("mismatch", "names", None, 8, "a value of DynamoDB type S has no elements to unnest"))

    def test_definitions(self):
        """A foreign table that cannot be used at all."""
        self.table("everything", "pk text")
        self.table("broken", "pk boolean OPTIONS (format 'epoch')")
        self.assertEqual(self.check("everything"), [(
            "definition", "broken", None, None, None,
            'cannot use format of column "pk" with type boolean. This format requires a column of type date, timestamp or timestamptz.')])
        self.assertEqual(self.check("broken")[0][0], "definition")

    def test_misspelled_templates(self):
        """What connects templates with columns is known when the table is used, and reported in full."""
        self.table("everything", "pk text")
        self.table("users", "company text", key_templates='{"pk": "${compny}"}')
        failure = self.fx.error("SELECT * FROM users")
        self.assertEqual(failure[1:4], ('template of attribute "pk" does not match foreign table "users"',
                                        'The foreign table has no column "compny".', 'Perhaps you meant "company".'))
        self.assertEqual(self.fx.error("EXPLAIN SELECT * FROM users")[:4], failure[:4])
        [row] = self.check("users")
        self.assertEqual(row, ("definition", "users", "compny", None, None, f"{failure.message}: {failure.detail} {failure.hint}"))

    def test_long_misspelled_name(self):
        """It is truncated between two characters."""
        self.table("everything", "pk text")
        self.table("users", "company text", key_templates='{"pk": "x${' + 40 * "\u00e9" + '}"}')
        [row] = self.check("users")
        self.assertEqual(row[2], 31 * "\u00e9")

    def test_templates(self):
        """Texts that match no template, or match it in several ways."""
        self.fx.create_table("keys", ("pk", "S"))
        self.fx.put("keys", [{"pk": "ORDER#1"}, {"pk": "ORDER#1#ITEM#2"}, {"pk": "USER#1"}, {"pk": "N#x"}, {"pk": "N#1"}])
        for name, columns, template in (("orders", "id text NOT NULL", "ORDER#${id}"), ("numbers", "n int NOT NULL", "N#${n}")):
            self.fx.foreign_table(name, columns, table_name=self.fx.remote("keys"), key_templates=f'{{"pk": "{template}"}}')
        rows = self.check("orders")
        self.assertEqual([row[:4] + (row[4]["pk"],) for row in rows], [
            ("ambiguous", "orders", None, 1, "ORDER#1#ITEM#2"), ("mismatch", "numbers", "n", 1, "N#x"), ("unclaimed", None, None, 1, "USER#1")])
        self.assertIn('attribute "pk" matches its template only if', rows[0][5])

    def test_mismatches_in_composed_texts(self):
        """A placeholder of the key that is no value of its column, even if the column is read from another attribute."""
        self.fx.create_table("composed", ("pk", "S"))
        self.fx.put("composed", [{"pk": "ENT#INVOICE#1", "type": "INVOICE"}, {"pk": "ENT#USER#2", "type": "USER"}])
        options = {"table_name": self.fx.remote("composed"), "key_templates": '{"pk": "ENT#${type:USER|ORDER}#${id}"}'}
        for column in ("type text OPTIONS (attribute 'type') NOT NULL", "type text NOT NULL"):
            with self.subTest(column):
                self.fx.foreign_table("ent", f"{column}, id text NOT NULL", **options)
                self.assertEqual(self.fx.error("SELECT count(*) FROM ent").sqlstate, "HV004")
                self.assertEqual(self.check("ent"), [("mismatch", "ent", "type", 1, {"pk": "ENT#INVOICE#1"}, "it is not among the values listed in the template")])

    def test_trusted_indexes(self):
        """Rows that a trusted index lacks, or has under another key; those without all columns need not be there."""
        self.fx.create_table("trust", ("pk", "S"), ("sk", "S"), [index("gsi", ("g", "S"), ("h", "S")), index("other", ("h", "S"))])
        self.fx.put("trust", [
            {"pk": "c#1", "sk": "u#a", "name": "x", "g": "u#a", "h": "n#x"}, {"pk": "c#1", "sk": "u#b", "name": "x"},
            {"pk": "c#1", "sk": "u#c", "name": "x", "g": "u#C", "h": "n#x"}, {"pk": "c#1", "sk": "u#d", "name": "x", "g": "u#d", "h": "n#y"},
            {"pk": "c#1", "sk": "u#e"}, {"pk": "c#1", "sk": "u#f", "g": "u#f"}])
        columns = "c text NOT NULL, u text NOT NULL, name text OPTIONS (attribute 'name')"
        options = {"table_name": self.fx.remote("trust"), "key_templates": '{"pk": "c#${c}", "sk": "u#${u}", "g": "u#${u}", "h": "n#${name}"}'}
        self.fx.foreign_table("users", columns, **options)
        self.assertEqual(self.check("users"), [])
        self.fx.foreign_table("users", columns, **options, trusted_indexes="gsi")
        [row] = self.check("users")
        self.assertEqual(row[:4], ("missing index key", "users", None, 3))
        self.assertEqual(row[5], 'the item lacks the key of trusted index "gsi" that its columns imply, ' + {
            "u#b": 'g = "u#b"; it has no such key', "u#c": 'g = "u#c"; it has g = "u#C"', "u#d": 'h = "n#x"; it has h = "n#y"'}[row[4]["sk"]])
        self.fx.foreign_table("users", columns, **options, trusted_indexes="other, gsi")
        self.assertEqual([row[3] for row in self.check("users")], [2, 3])

    def test_trusted_indexes_of_elements(self):
        """Unnested tables rely on trusted indexes, too; an item with several elements counts once."""
        self.fx.create_table("tagged", ("pk", "S"), None, [index("by_mail", ("g", "S"))])
        self.fx.put("tagged", [{"pk": "C#ada", "email": "a@x", "g": "MAIL#a@x", "tags": ["a"]}, {"pk": "C#eve", "email": "e@x", "tags": ["a", "b", "c"]}])
        self.fx.foreign_table("tags", "id text NOT NULL, email text OPTIONS (attribute 'email'), tag text OPTIONS (path '@')", table_name=self.fx.remote("tagged"),
                              unnest="tags", trusted_indexes="by_mail", key_templates='{"pk": "C#${id}", "g": "MAIL#${email}"}')
        self.assertEqual(self.fx.rows("SELECT tag FROM tags WHERE email = 'e@x'"), [])
        self.assertEqual([row[:5] for row in self.check("tags")], [("missing index key", "tags", None, 1, {"pk": "C#eve"})])

    def test_locks(self):
        """Only the compared tables are locked until the end of the transaction."""
        self.table("users", "pk text")
        self.table("others", "pk text")
        self.fx.create_table("elsewhere", ("id", "S"))
        self.fx.foreign_table("elsewhere", "id text")
        locked = ("SELECT relation::regclass::text FROM pg_locks JOIN pg_foreign_table ON ftrelid = relation"
                  " WHERE pid = pg_backend_pid() AND locktype = 'relation' ORDER BY 1")
        for arguments, tables in (("'users'", ["others", "users"]), ("'users', '{}'", ["users"])):
            with self.subTest(arguments):
                self.fx.execute("BEGIN")
                self.fx.rows(f"SELECT * FROM dynamo_fdw_check_table({arguments})")
                self.assertEqual([name for (name,) in self.fx.rows(locked)], tables)
                self.fx.execute("ROLLBACK")

    def test_other_tables(self):
        """Only foreign tables of this server and this DynamoDB table count, whatever they are called."""
        self.table("users", "pk text", item_filter='{"type": "user"}')
        self.fx.create_table("other", ("id", "S"))
        self.fx.foreign_table("other", "id text")
        self.fx.server("second", self.fx.proxy.endpoint, table_prefix=f"{self.fx.database}.")
        self.fx.execute("CREATE FOREIGN TABLE far (pk text) SERVER second OPTIONS (table_name 'app')")
        self.assertEqual([row[0] for row in self.check("users")], ["unclaimed"])
        self.assertEqual(self.check("far"), [])
        self.fx.execute("CREATE FOREIGN TABLE app (pk text, sk text) SERVER second")
        self.assertEqual([row[:4] for row in self.check("far")], [("mismatch", "app", "sk", 14), ("shared", "far", None, 14)])
        self.fx.execute("DROP SERVER second CASCADE")


class Scripted(Case):
    """Limits, times, rights."""

    server = "fake"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=1)

    def setUp(self):
        super().setUp()
        self.fx.execute("RESET ALL")
        self.fake.reset(scripts=True)
        self.fake.table("app", items=[item({"pk": f"k{n}", "v": n}) for n in range(10)], page_size=4)

    def table(self, name, columns, **options):
        self.fx.foreign_table(name, columns, server="fake", table_name="app", **options)

    def test_pages(self):
        """The entire table is read."""
        self.table("t", "v text")
        [row] = self.check("t")
        self.assertEqual(row[:5], ("mismatch", "t", "v", 10, {"pk": "k0"}))
        self.assertEqual(self.fake.operations().count("Scan"), 3)

    def test_expired(self):
        """Expired items are no rows, but are not taken for those of another entity."""
        self.fake.table("app", items=[item({"pk": "old", "ends": 1_000_000_000}), item({"pk": "gone", "ends": int(time.time()) - 1000}), item({"pk": "other", "type": "y"})])
        self.table("t", "pk text", ttl_attribute="ends", item_filter='{"type": null}')
        self.fx.execute("BEGIN")
        rows = self.check("t")
        self.fx.execute("ROLLBACK")
        self.assertEqual([row[:5] for row in rows], [("unclaimed", None, None, 1, {"pk": "other"}), ("expired", None, None, 1, {"pk": "gone"})])

    def test_keys_as_jsonb(self):
        """Keys of other types, and one that jsonb cannot hold."""
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        self.fake.table("app", ("pk", "B"), ("s k", "N"), items=[{"pk": {"B": "AAE="}, "s k": {"N": "1.5"}}])
        self.table("t", "x text", item_filter='{"x": "y"}')
        self.assertEqual(self.check("t")[0][4], {"pk": "AAE=", "s k": 1.5})
        self.drop_tables()
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        self.fake.table("app", items=[{"pk": {"S": "a\0b"}}])
        self.table("t", "x text", item_filter='{"x": "y"}')
        self.assertEqual(self.check("t")[0][3:5], (1, None))
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def test_policy(self):
        """scan_policy 'error' refuses it; 'warn' does not warn of what was requested."""
        self.table("t", "pk text", scan_policy="error")
        failure = self.fx.error(CHECK.format("t"))
        self.assertEqual(failure[:4], ("55000", 'full scan of DynamoDB table "app" is disabled by scan_policy "error"',
                                       "It would use about 0.5 read units.", 'Set scan_policy to "warn" or "allow".'))
        self.assertNotIn("Scan", self.fake.operations())
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (SET scan_policy 'warn')")
        self.assertEqual(self.fx.notices(CHECK.format("t")), [])

    def test_units(self):
        self.table("t", "pk text")
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 0.1")
        self.assertEqual(self.fx.error(CHECK.format("t"))[:4], ("54000", "statement exceeds the limit of 0.1 read units",
                                                                'A full scan of DynamoDB table "app" uses about 0.5 read units.', "Raise max_read_units_per_statement."))

    def test_consistent_reads(self):
        """By the option, the parameter, or after a write of the session; also of samples."""
        def reads(statement):
            self.fake.requests.clear()
            self.fx.execute(statement)
            return [request.body.get("ConsistentRead", False) for request in self.fake.requests if request.operation == "Scan"]

        self.table("t", "pk text NOT NULL", updatable="on")
        self.fake.on("PutItem", replies.written("app"))
        samples = ("SELECT * FROM dynamo_fdw_describe('fake', 'app')", "IMPORT FOREIGN SCHEMA x LIMIT TO (app) FROM SERVER fake INTO public")
        self.addCleanup(self.fx.execute, "RESET ALL; SELECT dynamo_fdw_disconnect_all()")
        for before, after, expected in (("RESET ALL", "RESET ALL", False), ("SET dynamo_fdw.consistent_read = on", "RESET ALL", True),
                                        ("ALTER FOREIGN TABLE t OPTIONS (ADD consistent_read 'on')", "ALTER FOREIGN TABLE t OPTIONS (DROP consistent_read)", True),
                                        ("INSERT INTO t VALUES ('own')", "RESET ALL", True)):
            with self.subTest(before):
                self.fx.execute(before)
                self.assertEqual(reads(CHECK.format("t")), [expected] * 3)
                for sample in samples:
                    self.assertEqual(reads(sample), [expected and "ALTER" not in before])
                    self.fx.execute("DROP FOREIGN TABLE IF EXISTS app")
                self.fx.execute(after)

    def test_cancel(self):
        self.table("t", "pk text")
        self.fake.on("Scan", replies.hang_before_headers())
        self.fx.execute("SET statement_timeout = 300")
        self.assertEqual(self.fx.error(CHECK.format("t")).sqlstate, "57014")

    def test_failures(self):
        self.table("t", "pk text")
        self.fake.on("Scan", replies.error("AccessDeniedException", "no"))
        self.assertEqual(self.fx.error(CHECK.format("t")).sqlstate, "42501")

    def test_not_a_foreign_table(self):
        self.assertEqual(self.fx.error("SELECT * FROM dynamo_fdw_check_table('pg_class')")[:2], ("42809", '"pg_class" is not a foreign table of dynamo_fdw'))

    def test_dropped_column(self):
        self.table("t", "a int, v text, b int")
        self.fx.execute("ALTER FOREIGN TABLE t DROP COLUMN a")
        self.assertEqual([row[:4] for row in self.check("t")], [("mismatch", "t", "v", 10), ("absent", "t", "b", None)])

    def test_roles(self):
        """The owner may check; requests have his keys; the constraints of other owners run as these."""
        bob = f"{self.fx.database}_bob"
        self.fx.execute(f"CREATE ROLE {bob}; CREATE USER MAPPING FOR {bob} SERVER fake OPTIONS (access_key_id 'BOBSKEY', secret_access_key 'x'); CREATE TYPE mood AS ENUM ('good');"
                        "CREATE FUNCTION spy() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'as %', current_user; RETURN true; END $$;"
                        "CREATE DOMAIN spied AS text CHECK (spy())")
        self.addCleanup(self.fx.execute, f"RESET ROLE; DROP OWNED BY {bob}; DROP ROLE {bob}; DROP DOMAIN spied CASCADE; DROP FUNCTION spy; DROP TYPE mood CASCADE")
        self.table("t", "v jsonb")
        self.table("bobs", "pk spied")
        self.fx.execute(f"GRANT SELECT ON t TO {bob}; ALTER FOREIGN TABLE bobs OWNER TO {bob}; SET ROLE {bob}")
        self.assertEqual(self.fx.error(CHECK.format("t"))[:2], ("42501", "must be owner of foreign table t"))
        self.assertEqual(self.fake.requests, [])
        self.check("bobs")
        for request in self.fake.requests:
            self.assertIn("Credential=BOBSKEY/", request.headers["authorization"])
        self.fx.execute("RESET ROLE")
        self.assertEqual(self.fx.notices(CHECK.format("t")), [])
        [detail] = [row[-1] for row in self.fx.rows(CHECK.format("t")) if row[0] == "definition"]
        self.assertEqual(detail, f'type spied of column "pk" could run user-defined code. Call the function as the owner of the foreign table, role "{bob}".')
        # nor does the caller's search_path decide what the table of a superuser runs
        self.table("supers", "pk spied, kind mood")
        self.table("enums", "pk text, v mood")
        self.fx.execute(f"SET ROLE {bob}")
        self.assertEqual(self.fx.notices(CHECK.format("bobs")), [f"NOTICE:  as {bob}"] * 10)
        rows = self.check("bobs")
        self.fx.execute("RESET ROLE")
        [(relation, detail)] = [(row[1], row[-1]) for row in rows if row[0] == "definition"]
        self.assertEqual((relation, detail.split(".")[0]), ("supers", 'type spied of column "pk" could run user-defined code'))
        self.assertEqual([row[0] for row in rows if row[1:3] == ("enums", "v")], ["mismatch"])
