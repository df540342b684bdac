"""What users without superuser rights may do, and what no user sees."""
import fixture
import psycopg2
import replies

SECRET = "s3cr3t-s3cr3t-s3cr3t-s3cr3t-s3cr3t"


class Privileges(fixture.TestCase):
    """The role "bob" has no special rights; cluster-wide names carry the database's name."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("t", items=[{"pk": {"S": "a"}, "v": {"N": "1"}}])
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=1)
        cls.fx.foreign_table("t", "pk text, v integer", server="fake")
        cls.bob = f"{cls.fx.database}_bob"
        cls.fx.execute(f"CREATE ROLE {cls.bob}; GRANT CREATE, USAGE ON SCHEMA public TO {cls.bob}")
        cls.addClassCleanup(cls.drop_bob)

    @classmethod
    def drop_bob(cls):
        """The role is the cluster's, so the database's end does not remove it."""
        cls.fx.execute(f"RESET ROLE; DROP OWNED BY {cls.bob} CASCADE; DROP ROLE {cls.bob}")

    def setUp(self):
        self.fake.reset(scripts=True)
        self.addCleanup(self.fx.execute, "RESET ROLE; RESET dynamo_fdw.scan_policy")

    def be_bob(self):
        """From here on as bob."""
        self.fx.execute(f"SET ROLE {self.bob}")

    def lend(self, what="SELECT ON t"):
        """Grant bob something until the test ends."""
        self.fx.execute(f"GRANT {what} TO {self.bob}")
        self.addCleanup(self.fx.execute, f"RESET ROLE; REVOKE {what} FROM {self.bob}")

    def assert_denied(self, sql, message, detail=None, hint=None):
        """Refused for want of a privilege."""
        self.assertEqual(self.fx.error(sql)[:4], ("42501", message, detail, hint))

    # Core's privileges hold

    def test_select(self):
        self.be_bob()
        self.assert_denied("SELECT * FROM t", "permission denied for foreign table t")
        self.assertNotIn("Scan", self.fake.operations())

    def test_usage_of_the_server(self):
        self.be_bob()
        self.assert_denied("CREATE FOREIGN TABLE mine (pk text) SERVER fake", "permission denied for foreign server fake")

    def test_usage_of_the_wrapper(self):
        self.be_bob()
        self.assert_denied("CREATE SERVER mine FOREIGN DATA WRAPPER dynamo_fdw", "permission denied for foreign-data wrapper dynamo_fdw")

    def test_listing_tables_needs_usage(self):
        """Listing tables needs USAGE on the server."""
        self.be_bob()
        self.assert_denied("SELECT * FROM dynamo_fdw_tables('fake')", "permission denied for foreign server fake")
        self.assertEqual(self.fake.requests, [])

    def test_listing_tables(self):
        self.lend("USAGE ON FOREIGN SERVER fake")
        self.be_bob()
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_tables('fake')"), [("t",)])

    def test_columns(self):
        self.lend("SELECT (pk) ON t")
        self.be_bob()
        self.assertEqual(self.fx.rows("SELECT pk FROM t"), [("a",)])
        self.assert_denied("SELECT v FROM t", "permission denied for foreign table t")

    # User mappings

    def test_no_user_mapping(self):
        self.fx.execute(f"CREATE SERVER lonely FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.fake.endpoint}', region 'us-east-1')")
        self.fx.foreign_table("lonely", "pk text", server="lonely")
        failure = self.fx.error("SELECT * FROM lonely")
        self.assertEqual(failure.sqlstate, "42704")
        self.assertIn("user mapping not found for", failure.message)

    def test_a_view_reads_with_its_owners_keys(self):
        """Who queries a view needs neither a mapping nor rights on the table; the keys are those of the view's owner."""
        self.fx.execute(f"CREATE SERVER owned FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.fake.endpoint}', region 'us-east-1', "
                        "scan_policy 'allow'); CREATE USER MAPPING FOR CURRENT_USER SERVER owned OPTIONS (access_key_id 'OWNERKEY', "
                        f"secret_access_key '{SECRET}')")
        self.fx.foreign_table("owned", "pk text", server="owned", table_name="t")
        self.fx.execute(f"CREATE VIEW shown AS SELECT * FROM owned; GRANT SELECT ON shown, owned TO {self.bob}")
        self.be_bob()
        self.assertEqual(self.fx.rows("SELECT * FROM shown"), [("a",)])
        self.assertIn("Credential=OWNERKEY/", self.fake.requests[-1].headers["authorization"])
        self.assertEqual(self.fx.error("SELECT * FROM owned").sqlstate, "42704")       # bob has no keys of his own

    def test_each_role_its_own_keys(self):
        self.lend()
        self.fx.execute(f"CREATE USER MAPPING FOR {self.bob} SERVER fake OPTIONS (access_key_id 'BOBSKEY', secret_access_key '{SECRET}')")
        self.addCleanup(self.fx.execute, f"RESET ROLE; DROP USER MAPPING FOR {self.bob} SERVER fake")
        self.fx.rows("SELECT * FROM t WHERE pk = 'a'")
        self.assertIn("Credential=test/", self.fake.requests[-1].headers["authorization"])
        self.be_bob()
        self.fx.rows("SELECT * FROM t WHERE pk = 'a'")
        self.assertIn("Credential=BOBSKEY/", self.fake.requests[-1].headers["authorization"])
        self.fx.execute("PREPARE p AS SELECT * FROM t WHERE pk = 'a'; EXECUTE p; RESET ROLE; EXECUTE p; DEALLOCATE p")
        self.assertIn("Credential=test/", self.fake.requests[-1].headers["authorization"])

    def test_new_keys_count_at_once(self):
        self.fx.server("rotating", self.fake.endpoint)
        self.fx.foreign_table("rotating", "pk text", server="rotating", table_name="t")
        self.fx.rows("SELECT * FROM rotating WHERE pk = 'a'")
        self.fx.execute("ALTER USER MAPPING FOR PUBLIC SERVER rotating OPTIONS (SET access_key_id 'SECONDKEY')")
        self.fx.rows("SELECT * FROM rotating WHERE pk = 'a'")
        self.assertIn("Credential=SECONDKEY/", self.fake.requests[-1].headers["authorization"])

    # Options and parameters for superusers

    def bobs_server(self, **options):
        """A server that bob owns, with a table; the role is bob then."""
        self.fx.execute("RESET ROLE; DROP SERVER IF EXISTS bobs CASCADE")
        self.fx.server("bobs", self.fake.endpoint, **options)
        self.fx.foreign_table("bobs", "pk text", server="bobs", table_name="t")
        self.fx.execute(f"GRANT USAGE ON FOREIGN DATA WRAPPER dynamo_fdw TO {self.bob}; ALTER SERVER bobs OWNER TO {self.bob}; "
                        f"ALTER FOREIGN TABLE bobs OWNER TO {self.bob}")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP SERVER IF EXISTS bobs CASCADE; "
                        f"REVOKE USAGE ON FOREIGN DATA WRAPPER dynamo_fdw FROM {self.bob}")
        self.be_bob()

    def test_superusers_options(self):
        self.bobs_server()
        for option, value in (("ca_bundle", "/etc/passwd"), ("proxy", "http://127.0.0.1:1")):
            with self.subTest(option=option):
                denied = f'permission denied to create or change a server with option "{option}"'
                hint = "Only superusers can create or change a server that has this option. The server's owner can drop the option."
                self.assert_denied(f"ALTER SERVER bobs OPTIONS (ADD {option} '{value}')", denied, None, hint)
                self.assert_denied(f"CREATE SERVER more FOREIGN DATA WRAPPER dynamo_fdw OPTIONS ({option} '{value}')",
                                   denied, None, hint)

    def test_plain_http(self):
        """Keys do not travel unencrypted because a user who is no superuser wants it; checked at every use."""
        self.bobs_server()
        self.assert_denied("SELECT * FROM bobs", 'plain http is not allowed for server "bobs"',
                           "The endpoint is not encrypted, and the owner of the server is not a superuser.",
                           "Use an https endpoint, or let a superuser own the server.")
        self.assert_denied("SELECT * FROM dynamo_fdw_tables('bobs')", 'plain http is not allowed for server "bobs"',
                           "The endpoint is not encrypted, and the owner of the server is not a superuser.",
                           "Use an https endpoint, or let a superuser own the server.")
        self.assertEqual(self.fake.requests, [])
        self.fx.execute("RESET ROLE; ALTER SERVER bobs OWNER TO CURRENT_USER")
        self.assertEqual(self.fx.rows("SELECT * FROM bobs"), [("a",)])
        self.fx.execute(f"ALTER SERVER bobs OWNER TO {self.bob}")
        self.assertEqual(self.fx.error("SELECT * FROM bobs").sqlstate, "42501")

    def test_log_requests(self):
        """log_requests would show the constants of views of other users."""
        self.be_bob()
        self.assert_denied("SET dynamo_fdw.log_requests = on", 'permission denied to set parameter "dynamo_fdw.log_requests"')

    def test_scan_policy_may_be_tightened_only(self):
        self.lend()
        self.be_bob()
        self.assert_denied("SET dynamo_fdw.scan_policy = allow", 'permission denied to set "dynamo_fdw.scan_policy" to "allow"', None,
                           "Set the option scan_policy of the table or server instead.")
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        failure = self.fx.error("SELECT * FROM t")
        self.assertEqual(failure.sqlstate, "55000")
        self.assertIn('full scan of DynamoDB table "t" is disabled by scan_policy "error"', failure.message)
        self.assertIn('Add a condition on partition key "pk"', failure.hint)

    def test_settings_before_the_library_is_loaded(self):
        """They are judged by the session's user, also if a superuser's function loads it."""
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD scan_policy 'error')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE t OPTIONS (DROP scan_policy); DROP FUNCTION loading()")
        self.fx.execute("CREATE FUNCTION loading() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(v) FROM t); END'")
        for user, state in ((f"SET SESSION AUTHORIZATION {self.bob}; ", "55000"), ("", None)):
            connection = self.fx.connect()
            self.addCleanup(connection.close)
            with connection.cursor() as cursor:
                cursor.execute(user + "SET dynamo_fdw.scan_policy = allow; SET dynamo_fdw.fetch_memory = '200MB'")
                try:
                    cursor.execute("SELECT loading()")
                    self.assertIsNone(state)
                except psycopg2.Error as failure:
                    self.assertEqual(failure.diag.sqlstate, state)
                cursor.execute("SHOW dynamo_fdw.fetch_memory")
                self.assertEqual(cursor.fetchall(), [("24MB" if state else "200MB",)])

    def test_scan_policy_warn_does_not_loosen_error(self):
        self.lend()
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD scan_policy 'error')")
        self.addCleanup(self.fx.execute, "RESET ROLE; ALTER FOREIGN TABLE t OPTIONS (DROP scan_policy)")
        self.be_bob()
        self.fx.execute("SET dynamo_fdw.scan_policy = warn")
        self.assertEqual(self.fx.error("SELECT * FROM t").sqlstate, "55000")

    def test_a_superuser_loosens(self):
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD scan_policy 'error')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE t OPTIONS (DROP scan_policy)")
        self.fx.execute("SET dynamo_fdw.scan_policy = allow")
        self.assertEqual(self.fx.rows("SELECT * FROM t"), [("a", 1)])

    def test_unknown_parameters(self):
        failure = self.fx.error("SET dynamo_fdw.scan_polcy = warn")
        self.assertEqual((failure.sqlstate, failure.message), ("42602", 'invalid configuration parameter name "dynamo_fdw.scan_polcy"'))

    def test_bodies_of_strangers_are_for_superusers(self):
        """An endpoint chosen by a user must not become a way to read from services inside the network."""
        self.lend()
        self.fake.on("*", replies.not_json("Internal page", 404))
        self.assertIn("Internal page", self.fx.error("SELECT * FROM t WHERE pk = 'a'").detail)
        self.be_bob()
        failure = self.fx.error("SELECT * FROM t WHERE pk = 'a'")
        self.assertIn("HTTP status 404.", failure.detail)
        self.assertNotIn("Internal page", str(failure))

    # Secrets

    def test_secrets_are_in_no_output(self):
        """Secrets are neither in EXPLAIN nor in the request log nor in errors."""
        self.fx.execute("DROP SERVER IF EXISTS discreet CASCADE")
        self.fx.execute(f"CREATE SERVER discreet FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{self.fake.endpoint}', region 'us-east-1', "
                        "max_attempts '1', scan_policy 'allow'); CREATE USER MAPPING FOR PUBLIC SERVER discreet OPTIONS (access_key_id 'AKID', "
                        f"secret_access_key '{SECRET}', session_token 'token-{SECRET}')")
        self.fx.foreign_table("discreet", "pk text", server="discreet", table_name="t")
        self.fx.execute("SET client_min_messages = log; SET dynamo_fdw.log_requests = on")
        self.addCleanup(self.fx.execute, "RESET client_min_messages; RESET dynamo_fdw.log_requests")
        shown = self.fx.notices("SELECT * FROM discreet")
        self.assertTrue(any("Scan t" in line for line in shown), shown)
        shown.append(self.fx.explain("SELECT * FROM discreet", "ANALYZE, VERBOSE"))
        for response in (replies.error("AccessDeniedException", f"refused {SECRET} and token-{SECRET}"), replies.not_json(f"echo token-{SECRET}", 404),
                       replies.not_json("authorization: AWS4-HMAC-SHA256 Credential=AKID/x, Signature=abcdef", 404)):
            self.fake.on("*", response)
            shown.append(str(self.fx.error("SELECT * FROM discreet")))
        for text in shown:
            self.assertNotIn(SECRET, text)
            self.assertNotIn("Signature=", text)

    def test_mappings_are_hidden(self):
        self.be_bob()
        self.assertEqual(self.fx.rows("SELECT DISTINCT umoptions FROM pg_user_mappings WHERE srvname = 'fake'"), [(None,)])


class Credentials(fixture.TestCase):
    """Keys that are missing or impossible."""

    def failing(self, server="", mapping=""):
        """The error with those options."""
        self.fx.execute("DROP SERVER IF EXISTS s CASCADE")
        self.fx.execute(f"CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw {server}; CREATE USER MAPPING FOR PUBLIC SERVER s {mapping}")
        self.fx.foreign_table("t", "pk text", server="s")
        return self.fx.error("SELECT * FROM t")

    def test_no_keys(self):
        self.assertEqual(self.failing("OPTIONS (region 'eu-west-1')")[:4], (
            "HV002", 'user mapping for server "s" has no access key', None,
            "Set the options access_key_id and secret_access_key with ALTER USER MAPPING; for credentials of the database server, a superuser sets credential_provider instead."))

    def test_no_region(self):
        self.assertEqual(self.failing()[:4], ("HV002", 'server "s" has no region', None, "Set one with ALTER SERVER s OPTIONS (ADD region 'eu-west-1')."))

    def test_keys_that_are_none(self):
        """Keys with a line break, which would end the header, are rejected."""
        for mapping, bad in (("access_key_id E'A\\nB', secret_access_key 'x'", "access_key_id"), ("access_key_id 'A', secret_access_key 'x', session_token E'a\\r\\nHost: x'", "session_token")):
            with self.subTest(mapping=mapping):
                failure = self.failing("OPTIONS (region 'eu-west-1')", f"OPTIONS ({mapping})")
                self.assertEqual((failure.sqlstate, failure.message),
                                 ("22023", f'invalid character in {bad} of the user mapping for server "s"'))

    def test_explain_needs_them_too(self):
        self.failing("OPTIONS (region 'eu-west-1')")
        self.assertEqual(self.fx.error("EXPLAIN SELECT * FROM t").sqlstate, "HV002")

    def test_tables_of_no_server(self):
        failure = self.fx.error("SELECT * FROM dynamo_fdw_tables('nothing')")
        self.assertEqual((failure.sqlstate, failure.message), ("42704", 'server "nothing" does not exist'))

    def test_tables_of_another_wrapper(self):
        """The server must belong to dynamo_fdw."""
        self.fx.execute("CREATE FOREIGN DATA WRAPPER another; CREATE SERVER theirs FOREIGN DATA WRAPPER another")
        failure = self.fx.error("SELECT * FROM dynamo_fdw_tables('theirs')")
        self.assertIn("theirs", failure.message)
        self.assertNotEqual(failure.sqlstate, "XX000")
        self.assertRegex(f"{failure.message} {failure.detail} {failure.hint}", "dynamo_fdw")
