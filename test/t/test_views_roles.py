"""Whose keys are used, and foreign tables in the places where core puts relations: views, partitions, unions."""
import fixture
import replies
import shop

ROLES = ("reader", "owner")


class Roles(fixture.TestCase):
    """A fake server that remembers which access key signed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("t", ("pk", "S"), items=[{"pk": {"S": f"k{n}"}, "v": {"N": str(n)}} for n in range(10)])
        cls.fx.foreign_table("t", "pk text NOT NULL, v int", server="fake", scan_policy="allow")
        names = {role: f"{cls.fx.database}_{role}" for role in ROLES}
        cls.reader, cls.owner = names["reader"], names["owner"]
        cls.fx.execute("DROP USER MAPPING FOR PUBLIC SERVER fake")
        for role, name in names.items():
            cls.fx.execute(f"CREATE ROLE {name}; GRANT SELECT ON t TO {name};"
                           f"GRANT USAGE ON FOREIGN SERVER fake TO {name};"
                           f"CREATE USER MAPPING FOR {name} SERVER fake"
                           f" OPTIONS (access_key_id 'KEY{role}', secret_access_key 'x')")
        cls.fx.execute(f"CREATE VIEW plain AS SELECT * FROM t; ALTER VIEW plain OWNER TO {cls.owner};"
                       f"CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM t WHERE v < 5;"
                       f"ALTER VIEW barrier OWNER TO {cls.owner};"
                       f"CREATE VIEW invoker WITH (security_invoker) AS SELECT * FROM t;"
                       f"ALTER VIEW invoker OWNER TO {cls.owner};"
                       f"GRANT SELECT ON plain, barrier, invoker TO {cls.reader}")

    @classmethod
    def tearDownClass(cls):
        cls.fx.execute(f"RESET ROLE; DROP OWNED BY {cls.reader}, {cls.owner}")
        cls.fx.execute(f"DROP ROLE {cls.reader}, {cls.owner}")
        super().tearDownClass()

    def setUp(self):
        self.fx.execute(f"SET ROLE {self.reader}")
        self.addCleanup(self.fx.execute, "RESET ROLE")

    def keys_of(self, sql):
        """The access keys that signed the statement's requests."""
        self.fake.reset()
        self.fx.rows(sql)
        return {r.headers["authorization"].partition("Credential=")[2].partition("/")[0] for r in self.fake.requests}

    def test_own_mapping(self):
        """A table that is read directly uses the user's own mapping."""
        self.assertEqual(self.keys_of("SELECT * FROM t"), {"KEYreader"})

    def test_view_owners_mapping(self):
        """Below a view the mapping of the view's owner is used."""
        for sql in ("SELECT * FROM plain", "SELECT * FROM plain WHERE pk = 'k1'", "SELECT count(*) FROM plain",
                    "SELECT * FROM barrier"):
            self.assertEqual(self.keys_of(sql), {"KEYowner"}, sql)

    def test_security_invoker(self):
        """A security_invoker view uses the user's own mapping."""
        self.assertEqual(self.keys_of("SELECT * FROM invoker"), {"KEYreader"})

    def test_view_next_to_table(self):
        """In one statement a view and a table each use their own mapping."""
        self.assertEqual(self.keys_of("SELECT * FROM plain JOIN t USING (pk)"), {"KEYowner", "KEYreader"})

    def test_security_definer(self):
        """A SECURITY DEFINER function uses the definer's mapping."""
        self.fx.execute("RESET ROLE; CREATE OR REPLACE FUNCTION total() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS"
                        f" 'BEGIN RETURN (SELECT sum(v) FROM t); END'; ALTER FUNCTION total() OWNER TO {self.owner};"
                        f" SET ROLE {self.reader}")
        self.assertEqual(self.keys_of("SELECT total()"), {"KEYowner"})

    def test_prepared_then_another_role(self):
        """A prepared statement uses the current role."""
        self.fx.execute("PREPARE p AS SELECT * FROM t")
        self.addCleanup(self.fx.execute, "DEALLOCATE p")
        self.assertEqual(self.keys_of("EXECUTE p"), {"KEYreader"})
        self.fx.execute(f"RESET ROLE; SET ROLE {self.owner}")
        self.assertEqual(self.keys_of("EXECUTE p"), {"KEYowner"})

    def test_prepared_for_two_accounts(self):
        """The keys and indexes of the table are those of the current role's account, so each role needs a plan of its own."""
        self.fx.execute("RESET ROLE; SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        tables = {role: self.fake.table("shared", ("pk", "S"), range_key, items=[{"pk": {"S": "a"}, "v": {"N": str(v)}}])
                  for role, range_key, v in (("owner", ("v", "N"), 1), ("reader", None, 2))}

        def of_account(request):
            self.fake.tables["shared"] = tables["owner" if "KEYowner" in request.headers["authorization"] else "reader"]
            return replies.written("shared") if request.operation == "PutItem" else None

        self.fake.on("*", of_account)
        self.addCleanup(self.fake.reset, scripts=True)
        self.fx.foreign_table("shared", "pk text NOT NULL, v int NOT NULL", server="fake", updatable="true")
        self.fx.execute(f"GRANT SELECT, INSERT ON shared TO {self.reader}, {self.owner};"
                        "PREPARE r AS SELECT v FROM shared WHERE pk = 'a'; PREPARE w AS INSERT INTO shared VALUES ('b', 3)")
        for role, operation, v in [("reader", "GetItem", 2), ("owner", "Query", 1)] * 2:
            self.fx.execute(f"RESET ROLE; SET ROLE {getattr(self, role)}")
            self.assertEqual(self.keys_of("EXECUTE w"), {f"KEY{role}"})
            self.fake.reset()
            self.assertEqual(self.fx.rows("EXECUTE r"), [(v,)])
            self.assertEqual(self.fake.operations(), [operation])

    def test_no_mapping(self):
        """Without keys there is an error that reports it."""
        role = f"{self.fx.database}_nobody"
        self.fx.execute(f"RESET ROLE; CREATE ROLE {role}; GRANT SELECT ON t TO {role}; SET ROLE {role}")
        self.addCleanup(self.fx.execute, f"RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}")
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "42704")

    def test_no_privilege(self):
        """PostgreSQL checks privileges on the table."""
        self.fx.execute(f"RESET ROLE; REVOKE SELECT ON t FROM {self.reader}; SET ROLE {self.reader}")
        self.addCleanup(self.fx.execute, f"RESET ROLE; GRANT SELECT ON t TO {self.reader}")
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "42501")
        self.assertEqual(len(self.fx.rows("SELECT * FROM plain")), 10)

    def test_barrier(self):
        """A leaky function of the reader sees only what the view lets through, however cheap it is."""
        self.fx.execute("RESET ROLE; CREATE OR REPLACE FUNCTION peek(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS"
                        " $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;"
                        f" SET ROLE {self.reader}")
        seen = self.fx.notices("SELECT * FROM barrier WHERE peek(pk)")
        self.assertEqual(sorted(n.split()[-1] for n in seen), [f"k{n}" for n in range(5)])

    def veil(self, name, columns, **options):
        """A barrier view, which hides the items of others, over a new foreign table."""
        self.fx.execute("RESET ROLE")
        self.fx.foreign_table(name, columns, server="fake", table_name="mixed", **options)
        self.fx.execute(f"GRANT SELECT ON {name} TO {self.owner}; CREATE VIEW veiled_{name} WITH (security_barrier) AS SELECT * FROM {name} WHERE pk || '' = 'mine';"
                        f"ALTER VIEW veiled_{name} OWNER TO {self.owner}; GRANT SELECT ON veiled_{name} TO {self.reader}")

    def test_hidden_items(self):
        """Messages show neither keys nor values of items that a view hides, unless the user may read the foreign table."""
        self.fake.table("mixed", ("pk", "S"), items=[{"pk": {"S": "mine"}, "v": {"N": "1"}, "u": {"S": "12345678-1234-1234-1234-123456789abc"},
                                                      "x": {"S": "<a/>"}, "i": {"S": "::1"}, "b": {"BOOL": True}, "l": {"L": []}, "n": {"S": "x"}},
                                                     {"pk": {"S": "t2-4711"}, "v": {"S": "IBAN"}, "u": {"S": "IBAN"}, "x": {"S": "<IBAN"}, "i": {"S": "IBAN"},
                                                      "l": {"S": "IBAN"}}])
        self.veil("h", "pk text NOT NULL, v numeric, u uuid, x xml, i inet, n text NOT NULL")
        self.veil("elements", "pk text, e text OPTIONS (path '@')", unnest="l", on_mismatch="error")
        has_xml = self.fx.rows("SELECT 1 FROM pg_config WHERE name = 'CONFIGURE' AND setting ~ 'with-libxml'") != []
        for view, column in (("h", "v"), ("h", "u"), ("h", "i"), ("h", "n"), ("elements", "pk")) + (("h", "x"),) * has_xml:
            for role, shown in ((self.reader, False), (self.owner, True)):
                self.fx.execute(f"SET ROLE {role}")
                failure = self.fx.error(f"SELECT {column} FROM veiled_{view}")
                self.assertIn(failure.sqlstate[:2], ("HV", "22", "23"), failure)
                self.assertEqual("t2-4711" in str(failure), shown, failure)
                self.assertEqual("IBAN" in str(failure), shown and column != "n", failure)

    def test_hidden_texts_of_functions(self):
        """Functions of types and domains quote values with any code, and also in hints, contexts and warnings."""
        self.fake.table("mixed", ("pk", "S"), items=[{"pk": {"S": "mine"}, "t": {"S": "pg_am"}},
                                                     {"pk": {"S": "t2-4711"}, "t": {"S": "t2-4711 'x"}}])
        self.fx.execute("""RESET ROLE; CREATE FUNCTION is_short(text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
                           IF length($1) < 6 THEN RETURN true; END IF; RAISE WARNING 'saw %', $1;
                           EXECUTE format('DO %L', format('BEGIN RAISE %L USING HINT = %1$L; END', 'no ' || $1)); END $$;
                           CREATE DOMAIN short AS text CHECK (is_short(VALUE))""")
        self.veil("texts", "pk text, t tsvector, r regclass OPTIONS (attribute 't'), s short OPTIONS (attribute 't')")
        self.veil("parted", "pk text, part short", key_templates='{"pk": "${part}"}')
        for view, column, code in (("texts", "t", "42601"), ("texts", "r", "42602"), ("texts", "s", "P0001"), ("parted", "part", "P0001")):
            for role, shown in ((self.reader, False), (self.owner, True)):
                self.fx.execute(f"SET ROLE {role}")
                del self.fx.conn.notices[:]
                failure = self.fx.error(f"SELECT {column} FROM veiled_{view}")
                self.assertEqual(failure.sqlstate, code, failure)
                self.assertEqual("t2-4711" in f"{failure} {self.fx.conn.notices}", shown, failure)

    def test_hidden_first_item(self):
        """So does the NOTICE about a read without rows."""
        self.fake.table("mixed", ("pk", "S"), items=[{"pk": {"S": "t2-4711"}}])
        self.veil("none", "id text NOT NULL, pk text", key_templates='{"pk": "NONE#${id}"}')
        for role, shown in ((self.reader, False), (self.owner, True)):
            self.fx.execute(f"SET ROLE {role}")
            notice = " ".join(self.fx.notices("SELECT id FROM veiled_none"))
            self.assertIn("none of the items read", notice)
            self.assertEqual("t2-4711" in notice, shown, notice)
            self.assertEqual("check_table" in notice, shown, notice)

    def test_changed_keys_are_used(self):
        """ALTER USER MAPPING takes effect at the next statement."""
        self.keys_of("SELECT * FROM t")
        self.fx.execute(f"RESET ROLE; ALTER USER MAPPING FOR {self.reader} SERVER fake OPTIONS (SET access_key_id 'KEYnew');"
                        f" SET ROLE {self.reader}")
        self.addCleanup(self.fx.execute, f"RESET ROLE; ALTER USER MAPPING FOR {self.reader} SERVER fake"
                        " OPTIONS (SET access_key_id 'KEYreader')")
        self.assertEqual(self.keys_of("SELECT * FROM t"), {"KEYnew"})


class Places(fixture.TestCase):
    """Partitions, inheritance, unions, and SQL above a scan."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        for year in (2023, 2024):
            cls.fx.create_table(f"log{year}", ("day", "S"), ("n", "N"))
            cls.fx.put(f"log{year}", [{"day": f"{year}-{m:02}", "n": n, "v": m * n} for m in range(1, 13) for n in range(5)])
        cls.fx.execute('CREATE TABLE log (day text COLLATE "C" NOT NULL, n int NOT NULL, v int) PARTITION BY RANGE (day)')
        for year in (2023, 2024):
            cls.fx.execute(f"CREATE FOREIGN TABLE log{year} PARTITION OF log FOR VALUES FROM ('{year}') TO ('{year + 1}')"
                           f" SERVER ddb OPTIONS (table_name '{cls.fx.remote(f'log{year}')}')")
        cls.fx.execute("CREATE TABLE log_new PARTITION OF log FOR VALUES FROM ('2025') TO ('2026');"
                       "INSERT INTO log VALUES ('2025-01', 1, 1); SET dynamo_fdw.scan_policy = allow")

    def test_partitions(self):
        """All partitions are read."""
        self.assertEqual(self.fx.rows("SELECT count(*), sum(v) FROM log"), [(121, 2 * sum(range(13)) * 10 + 1)])

    def test_partitions_are_locked(self):
        """FOR UPDATE locks rows of a local partition; DynamoDB has no row locks."""
        self.assertEqual(len(self.fx.rows("SELECT n FROM log WHERE day >= '2024-12' FOR UPDATE")), 6)
        with self.assertRaisesRegex(Exception, "system columns"):
            self.fx.rows("SELECT ctid FROM log2023")

    def test_partitions_are_pruned(self):
        """A day is in one partition, where it is part of the key."""
        requests = self.fx.requests("SELECT v FROM log WHERE day = '2024-03' AND n > 1")
        self.assertEqual([r.operation for r in requests], ["Query"])
        self.assertEqual(self.fx.rows("SELECT v FROM log WHERE day = '2024-03' AND n > 3"), [(12,)])

    def test_partitions_in_order(self):
        """Days over two partitions are read in order."""
        self.assertEqual(self.fx.rows("SELECT day, n FROM log WHERE day IN ('2023-12', '2024-01') ORDER BY day DESC, n LIMIT 6"),
                         [("2024-01", n) for n in range(5)] + [("2023-12", 0)])

    def test_pruned_while_running(self):
        """Partitions are pruned by a parameter at execution."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS SELECT sum(v) FROM log WHERE day = $1")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE p")
        self.assertEqual(len(self.fx.requests("EXECUTE p ('2023-05')")), 1)
        self.assertEqual(self.fx.value("EXECUTE p ('2023-05')"), 50)

    def test_tableoid(self):
        """tableoid is the only system column that can be read."""
        self.assertEqual(sorted(self.fx.rows("SELECT DISTINCT tableoid::regclass::text FROM log")),
                         [("log2023",), ("log2024",), ("log_new",)])
        self.assertEqual(self.fx.rows("SELECT DISTINCT tableoid = 'orders'::regclass FROM orders WHERE cust = 'c01'"), [(True,)])

    def test_other_system_columns(self):
        """Other system columns are an error."""
        for name in ("ctid", "xmin", "cmax"):
            with self.subTest(name):
                self.assertEqual(self.fx.error(f"SELECT {name} FROM orders WHERE cust = 'c01'").sqlstate, "0A000")

    def test_inheritance(self):
        """A foreign table is a child of a local one."""
        self.fx.execute("CREATE TABLE parent (at text, total numeric); INSERT INTO parent VALUES ('local', 1);"
                        "CREATE FOREIGN TABLE child (cust text) INHERITS (parent) SERVER ddb"
                        f" OPTIONS (table_name '{self.fx.remote('orders')}')")
        self.addCleanup(self.fx.execute, "DROP TABLE parent CASCADE")
        self.assertEqual(self.fx.value("SELECT count(*) FROM parent"), 601)
        self.assertEqual(self.fx.value("SELECT count(*) FROM ONLY parent"), 1)

    def test_union_all(self):
        """Two scans and a local table."""
        self.assertEqual(self.fx.value("SELECT count(*) FROM (SELECT at FROM orders WHERE cust = 'c01' UNION ALL"
                                       " SELECT day FROM log UNION ALL SELECT 'x') u"), 30 + 121 + 1)
        self.assertEqual(self.fx.value("SELECT count(*) FROM (SELECT cust AS c, at FROM orders UNION ALL SELECT day, 'x'"
                                       " FROM log2024) u WHERE c = '2024-05'"), 5)

    def test_for_update_locks_nothing(self):
        """FOR UPDATE is allowed, but locks nothing."""
        for clause in ("FOR UPDATE", "FOR SHARE", "FOR UPDATE OF orders SKIP LOCKED"):
            self.assertEqual(len(self.fx.rows(f"SELECT at FROM orders WHERE cust = 'c01' {clause}")), 30)
        self.assertEqual(len(self.fx.rows("SELECT * FROM orders, log_new WHERE cust = 'c01' FOR UPDATE")), 30)

    def test_sql_above(self):
        """DISTINCT, GROUP BY, HAVING, windows, sets."""
        rows = self.fx.rows
        self.assertEqual(sorted(rows("SELECT DISTINCT status FROM orders")), [("open",), ("paid",), ("sent",)])
        self.assertEqual(rows("SELECT status, count(*) FROM orders WHERE cust < 'c10' GROUP BY status ORDER BY 1"),
                         [("open", 100), ("paid", 100), ("sent", 100)])
        self.assertEqual(rows("SELECT cust FROM orders GROUP BY cust HAVING max(total) > 290 AND cust > 'c18'"), [("c19",)])
        self.assertEqual(rows("SELECT at, row_number() OVER (ORDER BY at), sum(total) OVER () FROM orders"
                              " WHERE cust = 'c01' ORDER BY at LIMIT 1")[0][:2], ("2024-01-01", 1))
        self.assertEqual(rows("SELECT DISTINCT ON (cust) cust, at FROM orders WHERE cust IN ('c01', 'c02')"
                              " ORDER BY cust, at DESC"), [("c01", "2024-12-24"), ("c02", "2024-12-24")])
        self.assertEqual(len(rows("SELECT at, unnest(tags) FROM orders WHERE cust = 'c01'")), 60)
        self.assertEqual(rows("SELECT at FROM orders WHERE cust = 'c01' EXCEPT SELECT at FROM orders WHERE cust = 'c02'"), [])
        self.assertEqual(rows("SELECT grouping(status), count(*) FROM orders WHERE cust = 'c01' GROUP BY ROLLUP (status)"
                              " ORDER BY 1, 2"), [(0, 10)] * 3 + [(1, 30)])

    def test_complete_rows(self):
        """As a record, as JSON, compared."""
        self.assertEqual(self.fx.value("SELECT row_to_json(o)->>'status' FROM orders o WHERE cust = 'c01' AND at = '2024-01-01'"),
                         "open")
        self.assertEqual(self.fx.value("SELECT (o).total FROM orders o WHERE cust = 'c01' AND at = '2024-01-01'"), 0.25)
        self.assertEqual(self.fx.value("SELECT count(o) FROM orders o WHERE cust = 'c01'"), 30)
        self.assertEqual(self.fx.value("SELECT count(*) FROM orders a JOIN orders b ON a = b WHERE a.cust = 'c01'"
                                       " AND b.cust = 'c01'"), 30)
        self.assertEqual(self.fx.value("SELECT count(*) FROM log l WHERE (l).v > 47"), 2)
        self.assertEqual(self.fx.value("SELECT count(DISTINCT l) FROM log l"), 121)

    def test_materialised_view(self):
        """A materialized view is created, and refreshed."""
        self.fx.execute("CREATE MATERIALIZED VIEW kept AS SELECT cust, sum(total) AS s FROM orders GROUP BY cust")
        self.addCleanup(self.fx.execute, "DROP MATERIALIZED VIEW kept")
        self.assertEqual(self.fx.value("SELECT count(*) FROM kept"), 20)
        self.fx.execute("REFRESH MATERIALIZED VIEW kept")


class Changes(fixture.TestCase):
    """Definitions that change while someone is connected."""

    def setUp(self):
        if not hasattr(type(self), "made"):
            type(self).made = True
            shop.create(self.fx, "users")
        self.fx.foreign_table("users", shop.COLUMNS["users"])
        self.sql = f"SELECT * FROM users WHERE id = '{shop.user_id(7)}'"

    def test_added_column(self):
        """Seen by a prepared statement's next plan and by new statements."""
        self.fx.execute("PREPARE p AS SELECT name FROM users WHERE id = $1".replace("p AS", "p (uuid) AS"))
        self.addCleanup(self.fx.execute, "DEALLOCATE p")
        self.assertEqual(self.fx.rows(self.sql)[0][1:], ("user 7", 7))
        self.fx.execute("ALTER FOREIGN TABLE users ADD COLUMN years int OPTIONS (attribute 'age')")
        self.assertEqual(self.fx.rows(self.sql)[0][1:], ("user 7", 7, 7))
        self.assertEqual(self.fx.rows(f"EXECUTE p ('{shop.user_id(7)}')"), [("user 7",)])

    def test_dropped_column(self):
        """After a column was dropped, the others keep their values."""
        self.fx.execute("ALTER FOREIGN TABLE users DROP COLUMN name")
        self.assertEqual(self.fx.rows(self.sql)[0][1:], (7,))
        self.assertEqual(self.fx.value("SELECT u FROM users u WHERE age = 7"), f"({shop.user_id(7)},7)")
        self.assertEqual(self.fx.value("SELECT count(age) FROM users"), 40)

    def test_changed_type(self):
        """A changed type or option of a column takes effect."""
        self.fx.execute("ALTER FOREIGN TABLE users ALTER COLUMN age TYPE text")
        self.assertEqual(self.fx.error(self.sql).sqlstate, "HV004")
        self.fx.execute("ALTER FOREIGN TABLE users ALTER COLUMN age OPTIONS (ADD attribute 'name')")
        self.assertEqual(self.fx.rows(self.sql)[0][1:], ("user 7", "user 7"))

    def test_renamed_column(self):
        """A column without an option is the attribute of its name."""
        self.fx.execute("ALTER FOREIGN TABLE users RENAME COLUMN age TO years")
        self.assertEqual(self.fx.rows(self.sql)[0][1:], ("user 7", None))

    def test_changed_table(self):
        """table_name takes effect at once, for a prepared statement too."""
        self.fx.execute(f"PREPARE q AS {self.sql}")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        self.assertEqual(len(self.fx.rows("EXECUTE q")), 1)
        self.fx.execute("ALTER FOREIGN TABLE users OPTIONS (SET table_name 'no-such-table')")
        self.assertEqual(self.fx.error("EXECUTE q").sqlstate, "HV00R")

    def test_changed_endpoint(self):
        """A changed endpoint takes effect at the next statement."""
        one, two = self.fx.fake(f"one{id(self)}"), self.fx.fake(f"two{id(self)}")
        for number, fake in enumerate((one, two)):
            self.addCleanup(fake.stop)
            fake.table("t", ("pk", "S"), items=[{"pk": {"S": "a"}, "v": {"N": str(number)}}])
        self.fx.foreign_table("t", "pk text NOT NULL, v int", server=f"one{id(self)}")
        self.fx.execute("PREPARE r AS SELECT v FROM t WHERE pk = 'a'")
        self.addCleanup(self.fx.execute, "DEALLOCATE r")
        self.assertEqual(self.fx.rows("EXECUTE r"), [(0,)])
        self.fx.execute(f"ALTER SERVER one{id(self)} OPTIONS (SET endpoint_url '{two.endpoint}')")
        self.assertEqual(self.fx.rows("EXECUTE r"), [(1,)])
        self.assertEqual(self.fx.rows("SELECT v FROM t WHERE pk = 'a'"), [(1,)])

    def test_generated_and_default_columns(self):
        """Defaults and NOT NULL are not enforced; reading does not apply them."""
        self.fx.execute("ALTER FOREIGN TABLE users ADD COLUMN nick text DEFAULT 'none'")
        self.assertEqual(self.fx.rows(self.sql)[0][-1], None)

    def test_null_in_a_not_null_column(self):
        """A NULL in a NOT NULL column is an error."""
        self.fx.execute("ALTER FOREIGN TABLE users ALTER COLUMN age SET NOT NULL")
        failure = self.fx.error("SELECT age FROM users")
        self.assertEqual(failure.sqlstate, "23502")
        self.assertIn('"age"', failure.message)
