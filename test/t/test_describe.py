"""dynamo_fdw_describe(): keys, indexes, sizes and attributes of a DynamoDB table, and who may see them."""
import fixture
import replies
import shop
import tables

COLUMNS = "kind, name, types, partition_key, sort_key, items, bytes, read_units, detail"
DENIED = ("AccessDeniedException", "User: arn:aws:iam::1:user/x is not authorized to perform: dynamodb:{}")


def item(number, **attributes):
    """An item with a key."""
    return {"pk": {"S": f"k{number}"}, **attributes}


class Described(fixture.TestCase):
    """Of DynamoDB Local."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.name = cls.fx.remote("orders")

    def described(self, columns="*", where="true"):
        """Its rows, as tuples."""
        return self.fx.rows(f"SELECT {columns} FROM dynamo_fdw_describe('ddb', %s) WHERE {where}", (self.name,))

    def test_table(self):
        """First the table itself."""
        kind, name, types, partition, sort, items, size, units, detail = self.described()[0]
        self.assertEqual((kind, name, types, partition, sort), ("table", self.name, None, "cust", "at"))
        self.assertGreater(items, 0)
        self.assertGreater(size, items)
        self.assertGreater(units, 0)
        self.assertEqual(detail, "ACTIVE, on demand; attributes of 100 items")

    def test_indexes(self):
        """Each with its key and its projection; a local one shares the capacity of the table."""
        self.assertEqual(self.described("kind, name, partition_key, sort_key, detail, read_units IS NULL", "kind LIKE '%% index'"),
                         [("local index", "by_total", "cust", "total", "projects all attributes", True),
                          ("global index", "by_status", "status", "at", "projects all attributes", False),
                          ("global index", "by_region", "region", "priority", "projects keys, total", False),
                          ("global index", "by_ship", "ship", None, "projects keys only", False)])

    def test_attributes(self):
        """Those of keys first, with what they are part of; the others by name."""
        rows = self.described("name, types, detail", "kind = 'attribute'")
        self.assertEqual(rows[:4], [("cust", "S", "partition key; partition key of by_total"), ("at", "S", "sort key; sort key of by_status"),
                                    ("total", "N", "sort key of by_total"), ("status", "S", "partition key of by_status")])
        others = [row for row in rows if row[2] is None]
        self.assertEqual(others, [("info", "M", None), ("note", "S", None), ("paid", "BOOL", None), ("tags", "L", None)])

    def test_requests(self):
        """A DescribeTable, even if the description is cached, and a Scan of one page."""
        for _ in range(2):
            self.fx.proxy.reset()
            self.described()
            self.assertEqual([(request.operation, request.body.get("Limit")) for request in self.fx.proxy.requests],
                             [("DescribeTable", None), ("Scan", 100)])

    def test_misspelled(self):
        """The hint names the table that is meant, if there is one."""
        failure = self.fx.error("SELECT * FROM dynamo_fdw_describe('ddb', %s)", (self.name.replace("orders", "ordres"),))
        self.assertEqual(failure.sqlstate, "HV00R")
        self.assertIn("ResourceNotFoundException", failure.detail)
        self.assertEqual(failure.hint, f"Perhaps you meant the table \"{self.name}\". dynamo_fdw_tables('ddb') lists all tables.")


class Faked(fixture.TestCase):
    """Of a scripted server."""

    def setUp(self):
        self.server = f"f{id(self)}"
        self.fake = self.fx.fake(self.server)
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), items=[item(n, n={"N": "1"}) for n in range(3)])

    def described(self, columns=COLUMNS, table="t", where="true"):
        """Its rows, as tuples."""
        return self.fx.rows(f"SELECT {columns} FROM dynamo_fdw_describe(%s, %s) WHERE {where}", (self.server, table))


class Values(Faked):
    """What may be there."""

    def test_types(self):
        """All types that were seen, also NULL, and in how many items."""
        every = {"s": {"S": ""}, "n": {"N": "1"}, "b": {"B": "AA=="}, "o": {"BOOL": True}, "u": {"NULL": True}, "ss": {"SS": ["a"]},
                 "ns": {"NS": ["1"]}, "bs": {"BS": ["AA=="]}, "l": {"L": []}, "m": {"M": {"s": {"S": "inner"}}}}
        self.fake.table("t", ("pk", "S"), items=[item(0, **every), item(1, n={"NULL": True}), item(2, n={"S": "x"}, N={"N": "2"})])
        self.assertEqual(self.described("name, types, items", where="kind = 'attribute'"),
                         [("pk", "S", 3), ("N", "N", 1), ("b", "B", 1), ("bs", "BS", 1), ("l", "L", 1), ("m", "M", 1),
                          ("n", "S, N, NULL", 3), ("ns", "NS", 1), ("o", "BOOL", 1), ("s", "S", 1), ("ss", "SS", 1), ("u", "NULL", 1)])

    def test_names(self):
        """Any name, also one that SQL or JSON has to escape, or with U+0000."""
        names = ['a"b', "a\\b", "a'b", "\u00fc", "\n", "x" * 300, "", "a, b"]
        self.fake.table("t", ("pk", "S"), items=[item(0, **{name: {"S": "1"} for name in [*names, "z\0"]})])
        self.assertEqual([name for (name,) in self.described("name", where="kind = 'attribute'")],
                         ["pk", *sorted(["(a name with U+0000)", *names], key=lambda name: name.encode())])

    def test_many_attributes(self):
        """More than a foreign table can have columns."""
        self.fake.table("t", ("pk", "S"), items=[item(n, **{f"a{n}_{m}": {"N": "1"} for m in range(40)}) for n in range(100)])
        self.assertEqual(self.described("count(*), sum(items)", where="kind = 'attribute'"), [(4001, 4100)])

    def test_memory(self):
        """A page has at most some 200,000 attributes, whose rows do not add up."""
        item_of = {n: {f"{n}_{m:x}": {"NULL": True} for m in range(2000)} for n in range(100)}
        self.fake.table("t", ("pk", "S"), items=[item(n, **item_of[n]) for n in range(100)])
        before = self.peak()
        self.assertEqual(self.described("count(*), sum(items)", where="kind = 'attribute'"), [(200001, 200100)])
        self.assertLess(self.peak() - before, 300 << 10)

    def peak(self):
        """The most memory that the server process has used, in kB."""
        with open(f"/proc/{self.fx.value('SELECT pg_backend_pid()')}/status", encoding="utf-8") as file:
            [line] = [line for line in file if line.startswith("VmHWM")]
        return int(line.split()[1])

    def test_no_items(self):
        """Keys are known all the same."""
        self.fake.table("t", ("pk", "S"), ("sk", "N"), item_count=0, size_bytes=0)
        self.assertEqual(self.described(),
                         [("table", "t", None, "pk", "sk", 0, 0, 12000.0, "ACTIVE, on demand; attributes of 0 items"),
                          ("attribute", "pk", "S", None, None, 0, None, None, "partition key"),
                          ("attribute", "sk", "N", None, None, 0, None, None, "sort key")])

    def test_keys_of_several_attributes(self):
        """Both sides of an index's key; an index that is being built; provisioned capacity."""
        self.fake.table("t", ("pk", "S"), units=25,
                        indexes=[tables.index("i", [("a", "S"), ("b", "N")], [("c", "S"), ("d", "B")], ["e", "f"], status="CREATING")])
        self.assertEqual(self.described("kind, partition_key, sort_key, read_units, detail", where="kind <> 'attribute'"),
                         [("table", "pk", None, 25.0, "ACTIVE, provisioned; attributes of 0 items"),
                          ("global index", "a, b", "c, d", 25.0, "projects keys, e, f; not active")])

    def test_table_that_is_not_active(self):
        """It has no items yet, or none that can be read."""
        for status in ("CREATING", "DELETING", "ARCHIVING", "ARCHIVED", "INACCESSIBLE_ENCRYPTION_CREDENTIALS"):
            self.fake.reset()
            self.fake.table("t", ("pk", "S"), status=status)
            self.assertEqual(self.described("detail", where="kind = 'table'"),
                             [(f"{status}, on demand; attributes of keys only: the table is not active",)])
            self.assertEqual(self.fake.operations(), ["DescribeTable"])

    def test_prefix_and_arn(self):
        """table_prefix is put in front of a name, not of an ARN."""
        arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t"
        self.fake.table("dev_t", ("pk", "S"))
        self.fake.table(arn, ("pk", "S"))
        self.fx.execute(f"ALTER SERVER {self.server} OPTIONS (ADD table_prefix 'dev_')")
        for name, sent in (("t", "dev_t"), (arn, arn)):
            self.fake.reset()
            self.described(table=name)
            self.assertEqual({request.body["TableName"] for request in self.fake.requests}, {sent})
        failure = self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, 'tt')", (self.server,))
        self.assertIn('Perhaps you meant the table "t"', failure.hint)

    def test_one_page(self):
        """A table of several pages, also one whose first page is empty."""
        self.fake.table("t", ("pk", "S"), items=[item(n) for n in range(30)], page_size=7)
        self.assertEqual(self.described("detail")[0], ("ACTIVE, on demand; attributes of 7 items",))
        self.assertEqual(self.fake.operations(), ["DescribeTable", "Scan"])

    def test_in_a_select_list(self):
        """And joined, or beneath a LIMIT."""
        self.assertEqual(len(self.fx.rows(f"SELECT dynamo_fdw_describe('{self.server}', 't')")), 3)
        self.assertEqual(self.fx.rows(f"SELECT listed, detail FROM dynamo_fdw_tables('{self.server}') AS listed,"
                                      f" dynamo_fdw_describe('{self.server}', listed) WHERE kind = 'table'"),
                         [("t", "ACTIVE, on demand; attributes of 3 items")])


class FoldedNames(Faked):
    """Foreign tables with columns whose names were folded; others have made them."""

    def setUp(self):
        super().setUp()
        self.fake.table("t", ("pk", "S"), items=[item(n, createdAt={"N": "1"}, Owner={"S": "x"}, kind={"S": "k"}) for n in range(3)])
        self.fx.execute("DROP ROLE IF EXISTS maker; CREATE ROLE maker; DROP ROLE IF EXISTS reader; CREATE ROLE reader;"
                        f"GRANT USAGE ON FOREIGN SERVER {self.server} TO maker, reader; GRANT CREATE ON SCHEMA public TO maker")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP OWNED BY maker CASCADE; DROP OWNED BY reader; DROP ROLE maker; DROP ROLE reader")

    def make(self, name, columns, role="maker", **options):
        """A foreign table of this role."""
        self.fx.execute(f"SET ROLE {role}")
        self.fx.foreign_table(name, columns, server=self.server, **{"table_name": "t", **options})
        self.fx.execute("RESET ROLE")

    def noted(self, role=None):
        """The foreign tables and columns that are reported."""
        self.fx.execute(f"SET ROLE {role}" if role else "RESET ROLE")
        notices = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        self.fx.execute("RESET ROLE")
        return [tuple(notice.split('"')[3:0:-2]) for notice in notices]

    def test_privileges(self):
        """Only foreign tables and columns that the current user may read."""
        self.make("one", "pk text, createdAt int, owner text")
        self.make("two", "owner text, pk text")
        self.assertEqual(self.noted("reader"), [])
        self.fx.execute("GRANT SELECT (pk, owner) ON one TO reader; GRANT SELECT ON two TO reader")
        self.assertEqual(self.noted("reader"), [("one", "owner"), ("two", "owner")])
        self.fx.execute("REVOKE SELECT ON two FROM reader; GRANT INSERT, UPDATE, DELETE ON two TO reader")
        self.assertEqual(self.noted("reader"), [("one", "owner")])
        self.assertEqual(self.noted("maker"), [("one", "createdat"), ("one", "owner"), ("two", "owner")])

    def test_other_tables(self):
        """Of other DynamoDB tables, of other servers, and over the same one by its ARN."""
        self.make("one", "pk text, owner text", table_name="arn:aws:dynamodb:us-east-1:000000000000:table/t")
        self.make("two", "pk text, owner text", table_name="T")
        self.fx.foreign_table("three", "pk text, owner text", table_name="t")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE three")
        self.assertEqual(self.noted(), [("one", "owner")])

    def test_faulty_definitions(self):
        """They are not what is described: no error, and a NOTICE if the columns at least are known."""
        self.make("one", "pk text, owner text", key_templates='{"pk": "${nothing}"}')
        self.make("two", "pk text, owner text, at text OPTIONS (format 'epoch')")
        self.make("three", "pk text, owner text", trusted_indexes='["none"]')
        self.make("four", "pk text, owner text")
        self.assertEqual(self.noted(), [("three", "owner"), ("four", "owner")])

    def test_no_code_of_others_is_run(self):
        """Neither when a domain is looked at, nor for a template that repeats a column."""
        self.fx.execute("SET ROLE maker; CREATE FUNCTION spy(text, text) RETURNS bool IMMUTABLE LANGUAGE plpgsql"
                        " AS $$ BEGIN RAISE 'run by %', current_user; END $$;"
                        "CREATE DOMAIN watched AS text CHECK (spy(VALUE, 'a') AND spy('a', 'b'))")
        self.addCleanup(self.fx.execute, "DROP FUNCTION spy CASCADE")
        self.make("one", "pk watched, owner watched, kind watched", item_filter='{"kind": "k"}')
        self.make("two", "k watched, whole watched OPTIONS (attribute 'pk'), owner text", key_templates='{"pk": "${k}"}')
        self.make("three", "pk watched[], owner text, kind watched", key_templates='{"pk": "${kind}"}')
        self.make("four", "pk watched, owner watched, kind watched")
        self.assertEqual(self.noted(), [("four", "owner")])
        self.assertEqual(len(self.described()), 5)

    def test_names(self):
        """A hint has SQL that can be run, whatever the names are."""
        evil = "\"x'; DROP TABLE \"y\" --\\"
        self.fake.table("t", ("pk", "S"), items=[item(0, **{evil.upper(): {"S": "1"}, "z\0": {"S": "1"}, "Z": {"S": "1"}})])
        quoted = '"' + evil.replace('"', '""') + '"'
        self.make(quoted, f"{quoted} text, z text")
        [first, second] = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        for notice in (first, second):
            self.fx.execute(notice.split("HINT:  Set it with ")[1].rstrip("."))
        self.assertEqual(self.fx.rows(f"SELECT * FROM {quoted}"), [("1", "1")])
        self.assertEqual(self.noted(), [])

    def test_same_names_in_other_schemas(self):
        """The hint names the schema where the search path does not lead to the foreign table."""
        self.fx.execute('CREATE SCHEMA "Other"; GRANT ALL ON SCHEMA "Other" TO maker')
        self.addCleanup(self.fx.execute, 'DROP SCHEMA "Other" CASCADE')
        self.make('"Other".one', "pk text, owner text")
        self.make("one", "pk text, owner text OPTIONS (attribute 'Owner')")
        [notice] = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        self.assertIn('HINT:  Set it with ALTER FOREIGN TABLE "Other".one ALTER COLUMN owner', notice)
        self.fx.execute(notice.split("HINT:  Set it with ")[1].rstrip("."))
        self.assertEqual(self.noted(), [])

    def test_locked_and_dropped(self):
        """It does not wait for changes of another session."""
        self.make("one", "pk text, owner text")
        self.make("two", "pk text, owner text")
        other = self.fx.connect()
        self.addCleanup(other.close)
        with other.cursor() as cursor:
            cursor.execute("BEGIN; DROP FOREIGN TABLE one")
            self.assertEqual(self.noted(), [("two", "owner")])
            cursor.execute("ROLLBACK")
        self.assertEqual(self.noted(), [("one", "owner"), ("two", "owner")])

    def test_many_attributes_and_columns(self):
        """They are looked up, not compared one by one."""
        self.make("one", "pk text, " + ", ".join(f"a{n} text" for n in range(1500)))
        self.fake.table("t", ("pk", "S"), items=[item(n, **{f"A{m}": {"S": ""} for m in range(4001)}) for n in range(3)])
        # as many as psycopg2 keeps
        self.assertEqual(self.noted()[-50:], [("one", f"a{n}") for n in range(1450, 1500)])

    def test_unread(self):
        """Nothing is reported if no items were read."""
        self.make("one", "pk text, owner text")
        self.fake.on("Scan", replies.error(DENIED[0], DENIED[1].format("Scan")))
        [notice] = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        self.assertIn("skipping the items", notice)


class Permissions(Faked):
    """Policies of the access key, roles, scan_policy, and mistakes."""

    def test_no_scan(self):
        """Keys and indexes alone, and a message about it."""
        self.fake.on("Scan", replies.error(DENIED[0], DENIED[1].format("Scan")))
        [notice] = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        self.assertIn('NOTICE:  skipping the items of DynamoDB table "t"', notice)
        self.assertIn("AccessDeniedException", notice)
        self.assertEqual(self.described("kind, name, items, detail"),
                         [("table", "t", 3, "ACTIVE, on demand; attributes of keys only: the credentials do not permit Scan of the table"),
                          ("attribute", "pk", None, "partition key")])

    def test_no_description(self):
        """That is an error."""
        self.fake.on("DescribeTable", replies.error(DENIED[0], DENIED[1].format("DescribeTable")))
        self.assertEqual(self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,)).sqlstate, "42501")

    def test_other_failures(self):
        """An error, not a table without attributes."""
        for response, state in ((replies.error("InternalServerError", status=500), "HV000"), (replies.not_json("x", 404), "HV00M"),
                              (replies.error("UnrecognizedClientException"), "28000")):
            self.fake.on("Scan", response)
            self.fx.execute(f"ALTER SERVER {self.server} OPTIONS (ADD max_attempts '1')")
            self.assertEqual(self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,)).sqlstate, state)
            self.fx.execute(f"ALTER SERVER {self.server} OPTIONS (DROP max_attempts)")
        self.fake.reset(scripts=True)
        self.assertEqual(len(self.described()), 3)

    def test_no_list(self):
        """Without permission to list tables the error is that of the table."""
        self.fake.on("ListTables", replies.error(DENIED[0], DENIED[1].format("ListTables")))
        failure = self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, 'tt')", (self.server,))
        self.assertEqual(failure.sqlstate, "HV00R")
        self.assertIn('"table_prefix", "region" and "endpoint_url"', failure.hint)
        self.fake.reset(scripts=True)
        self.assertIn('"table_prefix", "region" and "endpoint_url"', self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, 'quite_different')",
                                                                        (self.server,)).hint)

    def test_policy(self):
        """Small items are a bounded read under every policy; large ones are not read under "error", and warned of under "warn"."""
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        for policy in ("allow", "warn", "error"):
            self.fx.execute(f"SET dynamo_fdw.scan_policy = {policy}")
            self.assertEqual(self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,)), [])
            self.assertIn("attributes of 3 items", self.described("detail")[0][0])
        self.fake.table("t", ("pk", "S"), items=[item(1, n={"N": "1"})], size_bytes=11000)
        self.fake.reset()
        [notice] = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        self.assertIn("NOTICE:  skipping the items of DynamoDB table \"t\"", notice)
        self.assertEqual(self.fake.operations(), ["DescribeTable"])
        self.assertEqual(self.described("kind, name, detail"),
                         [("table", "t", "ACTIVE, on demand; attributes of keys only: scan_policy"), ("attribute", "pk", "partition key")])
        self.fx.execute("SET dynamo_fdw.scan_policy = warn")
        [notice] = self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,))
        self.assertIn('WARNING:  reading a page of DynamoDB table "t" (about 128 read units)', notice)
        self.fx.execute("SET dynamo_fdw.scan_policy = allow")
        self.assertEqual(self.fx.notices("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,)), [])

    def test_policy_judges_as_a_limit(self):
        """100 items are refused exactly where LIMIT 100 is."""
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        self.fx.foreign_table("f", "pk text", server=self.server, table_name="t")
        for count, size, bounded in ((1, 10485, True), (1, 10486, False), (0, 0, True), (0, 10**9, True), (10**6, 10**9, True), (10**6, 1.1 * 10**10, False)):
            self.fake.table("t", ("pk", "S"), items=[item(1, n={"N": "1"})], item_count=count, size_bytes=int(size))
            self.fx.execute("SELECT dynamo_fdw_disconnect_all(); SET dynamo_fdw.scan_policy = error")
            with self.subTest(count=count, size=size):
                self.assertEqual("attributes of 1 item" in self.described("detail")[0][0], bounded)
                if bounded:
                    self.assertEqual(self.fx.rows("SELECT pk FROM f LIMIT 100"), [("k1",)])
                else:
                    self.assertEqual(self.fx.error("SELECT pk FROM f LIMIT 100").sqlstate, "55000")

    def test_limit_of_a_statement(self):
        """max_read_units_per_statement applies."""
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 0.1")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.max_read_units_per_statement")
        self.assertEqual(self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, 't')", (self.server,)).sqlstate, "54000")

    def test_arguments(self):
        """No such server, one of another wrapper, NULL."""
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_describe('nowhere', 't')").sqlstate, "42704")
        self.fx.execute("DROP FOREIGN DATA WRAPPER IF EXISTS other CASCADE; CREATE FOREIGN DATA WRAPPER other;"
                        "CREATE SERVER others FOREIGN DATA WRAPPER other")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_describe('others', 't')").sqlstate, "42809")
        for arguments, name in ((("NULL", "'t'"), "server"), ((f"'{self.server}'", "NULL"), "table_name"), (("NULL", "NULL"), "server")):
            failure = self.fx.error(f"SELECT * FROM dynamo_fdw_describe({', '.join(arguments)})")
            self.assertEqual((failure.sqlstate, failure.message), ("22004", f"{name} must not be NULL"))
        self.assertEqual(self.fake.requests, [])

    def key_ids(self):
        """The access keys of the recorded requests."""
        return {request.headers["authorization"].split("Credential=")[1].split("/")[0] for request in self.fake.requests}

    def test_whose_access_key(self):
        """The current user's own: not that of the server's owner, of a view's owner, or of the session user."""
        self.fx.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader; DROP ROLE IF EXISTS keeper; CREATE ROLE keeper")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP VIEW v; DROP FUNCTION definer(); DROP USER MAPPING FOR keeper SERVER "
                        f"{self.server}; DROP USER MAPPING IF EXISTS FOR reader SERVER {self.server};"
                        f"REVOKE ALL ON FOREIGN SERVER {self.server} FROM reader, keeper; DROP ROLE reader; DROP ROLE keeper")
        call = f"dynamo_fdw_describe('{self.server}', 't')"
        self.fx.execute(f"DROP USER MAPPING FOR PUBLIC SERVER {self.server};"
                        f"CREATE USER MAPPING FOR keeper SERVER {self.server} OPTIONS (access_key_id 'KEEPER', secret_access_key 'x');"
                        f"CREATE VIEW v AS SELECT * FROM {call}; ALTER VIEW v OWNER TO keeper; GRANT SELECT ON v TO reader;"
                        f"CREATE FUNCTION definer() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$ SELECT count(*) FROM {call} $$;"
                        "ALTER FUNCTION definer() OWNER TO keeper; SET ROLE reader")
        for sql in (f"SELECT * FROM {call}", "SELECT * FROM v", "SELECT definer()"):
            self.assertEqual(self.fx.error(sql).sqlstate, "42501", sql)
        self.fx.execute(f"RESET ROLE; GRANT USAGE ON FOREIGN SERVER {self.server} TO reader, keeper; SET ROLE reader")
        for sql in (f"SELECT * FROM {call}", "SELECT * FROM v"):
            self.assertEqual(self.fx.error(sql).sqlstate, "42704", sql)
        self.assertEqual(self.fake.requests, [])
        self.assertEqual(self.fx.rows("SELECT definer()"), [(3,)])
        self.assertEqual(self.key_ids(), {"KEEPER"})
        self.fx.execute(f"RESET ROLE; CREATE USER MAPPING FOR reader SERVER {self.server} OPTIONS (access_key_id 'READER', secret_access_key 'x');"
                        "SET ROLE reader")
        for sql in (f"SELECT * FROM {call}", "SELECT * FROM v"):
            self.fake.reset()
            self.assertEqual(len(self.fx.rows(sql)), 3)
            self.assertEqual(self.key_ids(), {"READER"})

    def test_cancelled(self):
        """While items are awaited, or the tables for the hint."""
        self.fx.execute("SET statement_timeout = '300ms'")
        self.addCleanup(self.fx.execute, f"SET statement_timeout = '{fixture.STATEMENT_TIMEOUT}'")
        for operation, table in (("Scan", "t"), ("ListTables", "tt")):
            self.fake.on(operation, replies.hang_before_headers())
            self.assertEqual(self.fx.error("SELECT * FROM dynamo_fdw_describe(%s, %s)", (self.server, table)).sqlstate, "57014")
        self.fake.reset(scripts=True)
        self.assertEqual(len(self.described()), 3)
