"""Who may use credentials of the database server, and for which requests: each attempt to get around that is refused."""
import contextlib
import json
import subprocess

import aws_machine
import fixture
import replies
from fake import FakeDynamo
from fixture import options_clause

SOURCE = 'credentials of provider "environment" '
REGION_URL = "https://dynamodb.eu-west-1.amazonaws.com/"
SUPERUSERS = "Only superusers can create or change a {} that has this option. The server's owner can drop the option."

# A closed port of the loopback address: what a rule lets pass by mistake goes no further.
NOWHERE = "https://127.0.0.1:1"


class Machine(aws_machine.TestCase):
    """The environment has keys. "reader" has a mapping; "owner" owns servers, "chief" is a superuser for a while, "mallory" nothing."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.secure = FakeDynamo(tls=True).start()
        cls.addClassCleanup(cls.secure.stop)
        cls.admin("CREATE ROLE owner LOGIN", "CREATE ROLE chief LOGIN SUPERUSER", "CREATE ROLE mallory LOGIN",
                  "GRANT USAGE ON FOREIGN DATA WRAPPER dynamo_fdw TO owner, mallory", "GRANT CREATE ON SCHEMA public TO owner, mallory")

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_ACCESS_KEY_ID": "AKIDENVIRONMENT1", "AWS_SECRET_ACCESS_KEY": "secret of the environment"}

    def setUp(self):
        super().setUp()
        self.secure.reset(scripts=True)
        self.secure.tables = {}
        self.secure.table("t", items=[{"pk": {"S": f"k{n:02}"}, "n": {"N": str(n)}} for n in range(40)])
        self.admin("RESET ROLE", "ALTER ROLE chief SUPERUSER", "DROP SERVER IF EXISTS s CASCADE")

    def server(self, owner, mapping=None, user="reader", **options):
        """A server s of that owner, with a table t, and a mapping made by a superuser."""
        options = {"region": "eu-west-1", "scan_policy": "allow", "max_attempts": 1, **options}
        mapping = {"credential_provider": "environment", **(mapping or {})}
        self.admin("DROP SERVER IF EXISTS s CASCADE", f"CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw {options_clause(options)}",
                   f"ALTER SERVER s OWNER TO {owner}", "GRANT USAGE ON FOREIGN SERVER s TO reader, mallory, owner",
                   f"CREATE USER MAPPING FOR {user} SERVER s {options_clause(mapping)}")
        self.foreign_table("t", "pk text, n int")
        self.admin("GRANT SELECT ON t TO mallory")

    def allowed(self, owner="postgres", **options):
        """A server whose endpoint is allowed, which responds by TLS."""
        self.server(owner, {"allowed_endpoint_url": self.secure.endpoint}, endpoint_url=self.secure.endpoint, ca_bundle=self.secure.ca_bundle, **options)

    def assert_refused(self, message, detail=None, hint=None, sql="SELECT * FROM t", conn=None, state="42501"):
        """With those words; parts of detail and hint suffice."""
        failure = self.error(sql, conn)
        self.assertEqual((failure.sqlstate, failure.message), (state, message), failure)
        self.assertIn(detail or "", failure.detail or "")
        self.assertIn(hint or "", failure.hint or "")
        self.assertEqual(self.dynamo.requests + self.identity.requests, [])

    def as_user(self, user, *statements):
        """Run by a connection of that user."""
        conn = self.connect(user)
        for sql in statements:
            self.rows(sql, conn)


class Endpoint(Machine):
    """Requests go to AWS, or where the mapping specifies."""

    def test_the_owner_changes_the_endpoint(self):
        """After a superuser has made the mapping."""
        self.server("owner")
        for endpoint in (NOWHERE, self.secure.endpoint, "https://dynamodb.eu-west-1.amazonaws.com.example"):
            self.as_user("owner", "ALTER SERVER s OPTIONS (ADD endpoint_url '%s')" % endpoint)
            self.assert_refused(SOURCE + 'cannot be used for server "s"', 'The server has the option "endpoint_url", and its owner is not a superuser.',
                                "must set allowed_endpoint_url in the user mapping")
            self.as_user("owner", "ALTER SERVER s OPTIONS (DROP endpoint_url)")
        self.assertEqual(self.secure.requests, [])

    def test_the_owner_changes_to_plain_http(self):
        self.server("owner")
        self.as_user("owner", f"ALTER SERVER s OPTIONS (ADD endpoint_url '{self.dynamo.endpoint}')")
        self.assert_refused('plain http is not allowed for server "s"', "the owner of the server is not a superuser")

    def test_the_owner_of_an_allowed_endpoint(self):
        """That the mapping names the endpoint does not suffice: the owner could give the server other options."""
        self.server("owner", {"allowed_endpoint_url": NOWHERE}, endpoint_url=NOWHERE)
        self.assert_refused(SOURCE + 'cannot be used for server "s"', 'The server has the option "endpoint_url", and its owner is not a superuser.')

    def test_proxy_and_ca_file(self):
        """They are a superuser's, but of a server that another user owns."""
        for option, value in (("proxy", "http://127.0.0.1:1"), ("ca_bundle", "/ca.pem")):
            with self.subTest(option):
                self.server("owner", {"allowed_endpoint_url": REGION_URL}, **{option: value})
                self.assert_refused(SOURCE + 'cannot be used for server "s"', f'The server has the option "{option}", and its owner is not a superuser.')
                self.server("postgres", **{option: value})
                self.assert_refused(SOURCE + f"cannot be used for requests to {REGION_URL}",
                                    f'Server "s" has the option "{option}", and the user mapping has no allowed_endpoint_url.',
                                    f"ALTER USER MAPPING FOR reader SERVER s OPTIONS (ADD allowed_endpoint_url '{REGION_URL}').")
                for sql in (f"ALTER SERVER s OPTIONS (ADD {option} '{value}')", f"CREATE SERVER more FOREIGN DATA WRAPPER dynamo_fdw OPTIONS ({option} '{value}')"):
                    self.server("owner")
                    self.assert_refused(f'permission denied to create or change a server with option "{option}"', None, SUPERUSERS.format("server"), sql, self.connect("owner"))

    def test_an_allowed_proxy(self):
        """A superuser's server with a proxy, for the region's own endpoint; the proxy is a closed port."""
        self.server("postgres", {"allowed_endpoint_url": REGION_URL}, proxy="http://127.0.0.1:1")
        self.assertEqual(self.error("SELECT * FROM t").sqlstate, "HV00N")

    def test_the_owner_changes_the_region(self):
        """What is not a region could be a bucket of that name: dynamodb.s3.amazonaws.com."""
        self.server("owner")
        for region in ("s3", "s3-eu-west-1", "eu-west", "local", "eu-1", "eu--west-1", "eu-west-1-", "eu-west-1a", "elasticbeanstalk"):
            with self.subTest(region):
                self.as_user("owner", f"ALTER SERVER s OPTIONS (SET region '{region}')")
                self.assert_refused(SOURCE + f'cannot be used in region "{region}"', "not the name of an AWS region", "Change it with ALTER SERVER s OPTIONS (SET region 'eu-west-1').")

    def test_regions(self):
        """Those of AWS pass; the mapping allows something else, so that nothing is sent."""
        for region in ("eu-west-1", "us-gov-west-1", "cn-northwest-1", "us-isob-east-1", "eu-isoe-west-1", "eusc-de-east-1", "ap-southeast-5", "mx-central-1"):
            self.server("postgres", {"allowed_endpoint_url": NOWHERE}, region=region, proxy="http://127.0.0.1:1")
            with self.subTest(region):
                failure = self.error("SELECT * FROM t")
                self.assertEqual((failure.sqlstate, failure.detail), ("42501", "The user mapping has a different allowed_endpoint_url."))
                self.assertIn(f"requests to https://dynamodb.{region}.", failure.message)

    def test_the_owner_may_change_the_region(self):
        """So the mapping has to name the endpoint, unless a superuser owns the server."""
        self.server("owner")
        self.assert_refused(SOURCE + f"cannot be used for requests to {REGION_URL}",
                            'The owner of server "s" can change its region and is not a superuser, and the user mapping has no allowed_endpoint_url.',
                            f"ALTER USER MAPPING FOR reader SERVER s OPTIONS (ADD allowed_endpoint_url '{REGION_URL}').")
        self.as_user("owner", "ALTER SERVER s OPTIONS (SET region 'us-east-1')")
        self.assert_refused(SOURCE + "cannot be used for requests to https://dynamodb.us-east-1.amazonaws.com/")

    def test_an_allowed_endpoint_holds_the_region(self):
        """If the mapping names an endpoint, no other is used, also without detours."""
        self.server("owner", {"allowed_endpoint_url": REGION_URL})
        self.as_user("owner", "ALTER SERVER s OPTIONS (SET region 'us-east-1')")
        self.assert_refused(SOURCE + "cannot be used for requests to https://dynamodb.us-east-1.amazonaws.com/", "The user mapping has a different allowed_endpoint_url.",
                            "ALTER USER MAPPING FOR reader SERVER s OPTIONS (SET allowed_endpoint_url 'https://dynamodb.us-east-1.amazonaws.com/').")

    def test_reassigned(self):
        """An endpoint that its owner set outlives him."""
        self.server("owner")
        self.as_user("owner", f"ALTER SERVER s OPTIONS (ADD endpoint_url '{NOWHERE}')")
        self.admin("REASSIGN OWNED BY owner TO postgres", "GRANT CREATE ON SCHEMA public TO owner")
        self.assert_refused(SOURCE + f"cannot be used for requests to {NOWHERE}/", 'Server "s" has the option "endpoint_url", and the user mapping has no allowed_endpoint_url.')
        self.admin("ALTER USER MAPPING FOR reader SERVER s OPTIONS (ADD allowed_endpoint_url 'https://127.0.0.1:10')")
        self.assert_refused(SOURCE + f"cannot be used for requests to {NOWHERE}/", "The user mapping has a different allowed_endpoint_url.")
        self.admin(f"ALTER USER MAPPING FOR reader SERVER s OPTIONS (SET allowed_endpoint_url '{NOWHERE}')")
        self.assertEqual(self.error("SELECT * FROM t").sqlstate, "HV00N")

    def test_restored_without_owners(self):
        """The superuser who restores a dump with --no-owner owns the server with the endpoint that someone set."""
        self.server("owner")
        self.as_user("owner", f"ALTER SERVER s OPTIONS (ADD endpoint_url '{NOWHERE}')")
        place = ["-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", "postgres"]
        dump = subprocess.run([f"{self.postgres.programs}/pg_dump", *place, "--no-owner", "postgres"], check=True, capture_output=True).stdout
        self.admin("DROP DATABASE IF EXISTS restored", "CREATE DATABASE restored")
        self.addCleanup(self.admin, "DROP DATABASE restored WITH (FORCE)")
        subprocess.run([f"{self.postgres.programs}/psql", *place, "-q", "-v", "ON_ERROR_STOP=1", "restored"], input=dump, check=True, capture_output=True)
        conn = self.connect(database="restored")
        self.assertEqual(self.rows("SELECT srvowner::regrole::text FROM pg_foreign_server", conn), [("postgres",)])
        self.assert_refused(SOURCE + f"cannot be used for requests to {NOWHERE}/", "the user mapping has no allowed_endpoint_url", conn=conn)

    def connect(self, user=None, database=None):
        """Also to another database."""
        if database is None:
            return super().connect(user)
        connection = fixture.psycopg2.connect(host="127.0.0.1", port=self.postgres.port, user=user or self.user, dbname=database)
        connection.autocommit = True
        self.addCleanup(connection.close)
        return connection

    def test_allowed(self):
        """The endpoint of a superuser's server, named by the mapping; with a slash or without."""
        for slash in ("", "/"):
            self.server("postgres", {"allowed_endpoint_url": self.secure.endpoint + slash}, endpoint_url=self.secure.endpoint, ca_bundle=self.secure.ca_bundle)
            self.assertEqual(self.rows("SELECT count(*) FROM t"), [(40,)])
            self.assertEqual(aws_machine.access_key(self.secure.requests[-1]), "AKIDENVIRONMENT1")

    def test_almost_the_same_endpoint(self):
        self.allowed()
        for endpoint in (self.secure.endpoint + "0", self.secure.endpoint.replace("localhost", "localhost.example"), self.secure.endpoint.replace("https:", "http:")):
            self.admin(f"ALTER SERVER s OPTIONS (SET endpoint_url '{endpoint}')")
            self.assert_refused(SOURCE + f"cannot be used for requests to {endpoint}/", "The user mapping has a different allowed_endpoint_url.")


class Users(Machine):
    """Only the user of the mapping."""

    def test_a_mapping_for_public(self):
        """Superusers are refused, too."""
        self.server("postgres", user="PUBLIC")
        message = 'credential provider "environment" ' + "cannot be used in a user mapping for PUBLIC"
        self.assert_refused(message, 'every user of server "s" could use them', "CREATE USER MAPPING FOR reader SERVER s OPTIONS (credential_provider 'environment').")
        self.assert_refused(message, conn=self.superuser)
        for sql in ("SELECT * FROM dynamo_fdw_tables('s')", "SELECT * FROM dynamo_fdw_describe('s', 't')", "SELECT * FROM dynamo_fdw_credentials('s')",
                    "IMPORT FOREIGN SCHEMA x FROM SERVER s INTO public", "ANALYZE t"):
            with self.subTest(sql):
                self.assert_refused(message, conn=self.superuser, sql=sql)

    def test_keys_do_not_fall_back(self):
        """A mapping of one's own without keys is not completed by that of PUBLIC, nor by the environment."""
        self.server("postgres", user="PUBLIC")
        self.admin("CREATE USER MAPPING FOR reader SERVER s")
        self.assert_refused('user mapping for server "s" has no access key', None, "Set the options access_key_id and secret_access_key", state="HV002")

    def test_a_source_that_finds_nothing(self):
        """Is an error, also where another source, or a mapping for PUBLIC with keys, would have some."""
        self.server("postgres", {"credential_provider": "profile", "allowed_endpoint_url": self.secure.endpoint}, endpoint_url=self.secure.endpoint, ca_bundle=self.secure.ca_bundle)
        self.admin("CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (access_key_id 'PUBLICKEY', secret_access_key 'x')")
        failure = self.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, failure.message), ("28000", 'DescribeTable of DynamoDB table "t" failed: could not obtain credentials'))
        self.assertEqual(self.secure.requests, [])

    def no_mapping(self, sql, user="mallory", conn=None):
        """It is done in the name of someone who has no mapping."""
        self.assert_refused(f'user mapping not found for user "{user}", server "s"', sql=sql, conn=conn, state="42704")
        self.assertEqual(self.secure.requests, [])

    def test_set_role(self):
        self.allowed()
        self.admin("SET ROLE mallory")
        self.no_mapping("SELECT * FROM t", conn=self.superuser)
        self.no_mapping("SELECT * FROM dynamo_fdw_credentials('s')", conn=self.superuser)
        self.admin("SET ROLE reader")
        self.assertEqual(self.admin("SELECT count(*) FROM t"), [(40,)])

    def test_a_superuser_has_not_those_of_others(self):
        self.allowed()
        self.no_mapping("SELECT * FROM t", "postgres", self.superuser)

    def test_views(self):
        """A user of a view reads with its owner's mapping, and not the other way round."""
        self.allowed()
        self.as_user("mallory", "CREATE VIEW trap AS SELECT * FROM t", "GRANT SELECT ON trap TO PUBLIC")
        self.addCleanup(self.admin, "RESET ROLE", "DROP VIEW IF EXISTS trap, gift")
        self.no_mapping("SELECT * FROM trap")
        self.no_mapping("SELECT * FROM trap", conn=self.superuser)
        self.as_user("reader", "CREATE VIEW gift AS SELECT * FROM t", "GRANT SELECT ON gift TO mallory")
        self.assertEqual(self.rows("SELECT count(*) FROM gift", self.connect("mallory")), [(40,)])

    def test_security_definer(self):
        """A function of mallory's that reader calls runs without reader's credentials, whatever it does."""
        self.allowed()
        for body in ("SELECT pk FROM t LIMIT 1", "SELECT name FROM dynamo_fdw_describe('s', 't') LIMIT 1", "SELECT dynamo_fdw_tables('s') LIMIT 1",
                     "SELECT source FROM dynamo_fdw_credentials('s')"):
            with self.subTest(body):
                self.as_user("mallory", f"CREATE OR REPLACE FUNCTION trap() RETURNS text SECURITY DEFINER BEGIN ATOMIC {body}; END" if "dynamo" not in body else
                             f"CREATE OR REPLACE FUNCTION trap() RETURNS text SECURITY DEFINER LANGUAGE sql AS $$ {body} $$")
                self.no_mapping("SELECT trap()")
                self.no_mapping("SELECT trap()", conn=self.superuser)
        self.as_user("mallory", "CREATE OR REPLACE FUNCTION trap() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS "
                     "$$ BEGIN IMPORT FOREIGN SCHEMA x FROM SERVER s INTO public; RETURN ''; END $$")
        self.addCleanup(self.admin, "RESET ROLE", "DROP FUNCTION IF EXISTS trap()")
        self.no_mapping("SELECT trap()")

    def test_analyze_by_others(self):
        """ANALYZE reads with the mapping of the table's owner."""
        self.allowed()
        self.admin("ALTER FOREIGN TABLE t OWNER TO mallory")
        self.no_mapping("ANALYZE t", conn=self.superuser)

    def test_whoami(self):
        self.allowed()
        self.assertEqual(self.rows("SELECT * FROM dynamo_fdw_credentials('s')"), [("environment", "AKID...ENT1", None)])
        self.admin("REVOKE USAGE ON FOREIGN SERVER s FROM reader")
        self.assert_refused("permission denied for foreign server s", sql="SELECT * FROM dynamo_fdw_credentials('s')")

    def test_whoami_does_not_show_that_of_public(self):
        self.server("postgres", {"credential_provider": "static", "access_key_id": "AKIDOFEVERYBODY0", "secret_access_key": "x"}, user="PUBLIC")
        self.assert_refused('user "reader" has no user mapping for server "s"', "The mapping for PUBLIC is used.", sql="SELECT * FROM dynamo_fdw_credentials('s')", state="42704")
        self.admin("CREATE USER MAPPING FOR reader SERVER s OPTIONS (access_key_id 'AKIDOFTHEREADER0', secret_access_key 'x')")
        self.assertEqual(self.rows("SELECT * FROM dynamo_fdw_credentials('s')"), [("static keys", "AKID...DER0", None)])


class Mappings(Machine):
    """Who may change a mapping that has a source."""

    def alter(self, user, options):
        """ALTER USER MAPPING FOR reader, by that user."""
        self.as_user(user, f"ALTER USER MAPPING FOR reader SERVER s OPTIONS ({options})")

    def test_altered(self):
        """By its user, and by the server's owner: what remains must have no option for superusers."""
        self.server("owner", {"allowed_endpoint_url": REGION_URL, "credential_provider": "profile", "profile": "reports", "sts_endpoint_url": NOWHERE,
                              "role_arn": "arn:aws:iam::123456789012:role/r"})
        for user in ("reader", "owner"):
            for options, named in (("SET credential_provider 'instance', DROP profile", "credential_provider"), ("SET role_arn 'arn:aws:iam::123456789012:role/admin'", "credential_provider"),
                                   ("DROP role_arn", "credential_provider"), (f"SET allowed_endpoint_url '{NOWHERE}'", "credential_provider"), ("DROP allowed_endpoint_url", "credential_provider"),
                                   ("SET profile 'admin'", "credential_provider"), (f"SET sts_endpoint_url '{NOWHERE}'", "credential_provider"),
                                   ("ADD role_duration '43200'", "credential_provider"), ("DROP credential_provider", "allowed_endpoint_url"),
                                   ("DROP credential_provider, DROP profile, DROP sts_endpoint_url", "allowed_endpoint_url"),
                                   ("DROP credential_provider, DROP profile, DROP allowed_endpoint_url", "sts_endpoint_url")):
                with self.subTest(user=user, options=options):
                    failure = self.error(f"ALTER USER MAPPING FOR reader SERVER s OPTIONS ({options})", self.connect(user))
                    self.assertEqual((failure.sqlstate, failure.hint), ("42501", SUPERUSERS.format("user mapping")))
                    self.assertRegex(failure.message, '^permission denied to create or change a user mapping with option "(credential_provider|profile|sts_endpoint_url|allowed_endpoint_url)"$')
        self.alter("reader", "DROP credential_provider, DROP profile, DROP sts_endpoint_url, DROP allowed_endpoint_url")
        self.alter("reader", "ADD access_key_id 'AKIDOFTHEREADER0', ADD secret_access_key 'x', ADD role_duration '900'")
        self.assert_refused('permission denied to create or change a user mapping with option "credential_provider"', None, SUPERUSERS.format("user mapping"),
                            "ALTER USER MAPPING FOR reader SERVER s OPTIONS (DROP access_key_id, DROP secret_access_key, ADD credential_provider 'environment')")

    def test_dropped_and_made_again(self):
        """Who may drop the mapping cannot make it again."""
        for user in ("reader", "owner"):
            self.server("owner")
            self.as_user(user, "DROP USER MAPPING FOR reader SERVER s")
            self.assert_refused('user mapping not found for user "reader", server "s"', state="42704")
            for options in ("credential_provider 'environment'", "credential_provider 'default', profile 'p'", "access_key_id 'a', secret_access_key 'b', credential_provider 'static'",
                            "access_key_id 'a', secret_access_key 'b', allowed_endpoint_url 'https://x'", "access_key_id 'a', secret_access_key 'b', sts_endpoint_url 'https://x'"):
                failure = self.error(f"CREATE USER MAPPING FOR reader SERVER s OPTIONS ({options})", self.connect(user))
                self.assertEqual((failure.sqlstate, failure.hint), ("42501", SUPERUSERS.format("user mapping")), options)

    def test_roles_are_free(self):
        """A role that one's own keys assume needs no superuser."""
        self.server("owner", {"credential_provider": "static", "access_key_id": "AKIDOFTHEREADER0", "secret_access_key": "x"})
        self.as_user("reader", "DROP USER MAPPING FOR reader SERVER s", "CREATE USER MAPPING FOR reader SERVER s OPTIONS (access_key_id 'AKIDOFTHEREADER0', "
                     "secret_access_key 'x', role_arn 'arn:aws:iam::123456789012:role/r', external_id 'ab', role_session_name 'ab', role_duration '900')")


class ChangedInTheMeantime(Machine):
    """What is withdrawn while a session is open, a statement prepared, or a cursor open, made by another user."""

    WITHDRAWN = (SOURCE + 'cannot be used for server "s"', 'The server has the option "endpoint_url", and its owner is not a superuser.')

    def changes(self):
        """Each with what it leads to: SQLSTATE, message, and the detail."""
        changed = ("55000", 'credentials for server "s" changed during the statement', "The statement can no longer use the credentials it started with.")
        missing = ("42704", 'user mapping not found for user "reader", server "s"', None)
        yield "ALTER ROLE chief NOSUPERUSER", ("42501", *self.WITHDRAWN), ("42501", *self.WITHDRAWN)
        yield "ALTER SERVER s OWNER TO owner", ("42501", *self.WITHDRAWN), ("42501", *self.WITHDRAWN)
        yield "DROP USER MAPPING FOR reader SERVER s", missing, missing
        yield ("ALTER USER MAPPING FOR reader SERVER s OPTIONS (DROP credential_provider, DROP allowed_endpoint_url)", changed,
               ("HV002", 'user mapping for server "s" has no access key', None))
        yield (f"ALTER USER MAPPING FOR reader SERVER s OPTIONS (SET allowed_endpoint_url '{NOWHERE}')", changed,
               ("42501", SOURCE + f"cannot be used for requests to {self.secure.endpoint}/", "The user mapping has a different allowed_endpoint_url."))
        yield (f"ALTER SERVER s OPTIONS (SET endpoint_url '{NOWHERE}')", None,
               ("42501", SOURCE + f"cannot be used for requests to {NOWHERE}/", "The user mapping has a different allowed_endpoint_url."))

    def check(self, sql, conn, wanted):
        """The statement fails so, or not at all."""
        if wanted is None:
            self.rows(sql, conn)
            return
        state, message, detail = wanted
        failure = self.error(sql, conn)
        self.assertEqual((failure.sqlstate, failure.message, failure.detail), (state, message, detail), failure)

    def test_open_session(self):
        for change, _running, later in self.changes():
            with self.subTest(change):
                self.allowed("chief")
                with contextlib.closing(self.connect()) as conn:
                    self.assertEqual(self.rows("SELECT count(*) FROM t", conn), [(40,)])
                    self.admin(change)
                    self.secure.reset()
                    self.check("SELECT count(*) FROM t", conn, later)
                    self.assertEqual(self.secure.requests, [])
                self.admin("ALTER ROLE chief SUPERUSER")

    def test_open_transaction(self):
        """Locks that are held already do not make PostgreSQL look for changes."""
        for change, _running, later in self.changes():
            with self.subTest(change):
                self.allowed("chief")
                with contextlib.closing(self.connect()) as conn:
                    self.assertEqual(self.rows("BEGIN; SELECT count(*) FROM t", conn), [(40,)])
                    self.admin(change)
                    self.secure.reset()
                    self.check("SELECT count(*) FROM t", conn, later)
                    self.assertEqual(self.secure.requests, [])
                self.admin("ALTER ROLE chief SUPERUSER")

    def test_functions_in_an_open_transaction(self):
        """They take no locks, and report what is not allowed now, not that something has changed."""
        for change, _running, later in self.changes():
            for sql in ("SELECT * FROM dynamo_fdw_credentials('s')", "SELECT * FROM dynamo_fdw_tables('s')"):
                with self.subTest(change, sql=sql):
                    self.allowed("chief")
                    conn = self.connect()
                    self.rows("BEGIN; " + sql, conn)
                    self.admin(change)
                    self.secure.reset()
                    self.check(sql, conn, later)
                    self.assertEqual(self.secure.requests, [])
                    self.rows("ROLLBACK", conn)
                    self.admin("ALTER ROLE chief SUPERUSER")

    def test_other_keys_in_an_open_transaction(self):
        """What a superuser has given instead is used."""
        self.allowed()
        conn = self.connect()
        whoami = "SELECT source, access_key_id FROM dynamo_fdw_credentials('s')"
        self.assertEqual(self.rows(f"BEGIN; {whoami}", conn), [("environment", "AKID...ENT1")])
        self.admin("ALTER USER MAPPING FOR reader SERVER s OPTIONS (DROP credential_provider, DROP allowed_endpoint_url, ADD access_key_id 'AKIDOFTHEREADER0', ADD secret_access_key 'x')")
        self.assertEqual(self.rows(whoami, conn), [("static keys", "AKID...DER0")])
        self.admin("ALTER USER MAPPING FOR reader SERVER s OPTIONS (SET access_key_id 'AKIDOFTHEREADER1')")
        self.assertEqual(self.rows(whoami, conn), [("static keys", "AKID...DER1")])

    def test_prepared_statement(self):
        for change, _running, later in self.changes():
            with self.subTest(change):
                self.allowed("chief")
                with contextlib.closing(self.connect()) as conn:
                    self.rows("SET plan_cache_mode = force_generic_plan; PREPARE p AS SELECT count(*) FROM t WHERE n > $1; EXECUTE p(0)", conn)
                    self.admin(change)
                    self.secure.reset()
                    self.check("EXECUTE p(0)", conn, later)
                    self.assertEqual(self.secure.requests, [])
                self.admin("ALTER ROLE chief SUPERUSER")

    def test_open_cursor(self):
        """Its next request is refused; pages that have come are still returned."""
        for change, running, _later in self.changes():
            with self.subTest(change):
                self.allowed("chief", fetch_size=1, max_concurrency=1)
                with contextlib.closing(self.connect()) as conn:
                    self.assertEqual(self.rows("BEGIN; DECLARE c CURSOR FOR SELECT pk FROM t; FETCH 1 FROM c", conn), [("k00",)])
                    self.admin(change)
                    sent = len(self.secure.requests)
                    self.assertLess(sent, 35)
                    self.check("FETCH ALL FROM c", conn, running)
                    if running is not None:
                        self.assertLessEqual(len(self.secure.requests), sent + 1)   # one may have been under way
                self.admin("ALTER ROLE chief SUPERUSER")

    def test_cursor_of_lookups(self):
        """Lookups are requests, too: of the first row's key, then of many together."""
        self.allowed("chief", max_concurrency=1)
        lookups = ("DECLARE c CURSOR FOR SELECT wanted.pk, (SELECT t.n FROM t WHERE t.pk = wanted.pk) FROM wanted ORDER BY pk; FETCH 1 FROM c")
        conn = self.connect()
        self.rows(f"CREATE TEMP TABLE wanted AS SELECT 'k' || n AS pk FROM generate_series(1, 400) n; BEGIN; {lookups}", conn)
        self.assertEqual(self.secure.operations(), ["DescribeTable", "GetItem"])
        self.rows(f"FETCH ALL FROM c; COMMIT; BEGIN; {lookups}", conn)
        self.assertIn("BatchGetItem", self.secure.operations())
        self.secure.reset()
        self.admin("DROP USER MAPPING FOR reader SERVER s")
        self.assertEqual(self.error("FETCH ALL FROM c", conn)[:2], ("42704", 'user mapping not found for user "reader", server "s"'))
        self.assertEqual(self.secure.requests, [])

    def test_held_cursor(self):
        """It has its rows when its transaction has ended, and requests nothing more."""
        self.allowed("chief", fetch_size=10)
        conn = self.connect()
        self.rows("BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT pk FROM t; FETCH 1 FROM c; COMMIT", conn)
        self.admin("DROP USER MAPPING FOR reader SERVER s")
        self.secure.reset()
        self.assertEqual(len(self.rows("FETCH ALL FROM c", conn)), 39)
        self.assertEqual(self.secure.requests, [])

    def test_changed_by_the_statement_itself(self):
        """The same transaction, and rolled back: then it counts no more."""
        self.allowed()
        self.admin("CREATE USER MAPPING FOR postgres SERVER s " + options_clause({"credential_provider": "environment", "allowed_endpoint_url": self.secure.endpoint}))
        self.assertEqual(self.admin("SELECT count(*) FROM t"), [(40,)])
        self.admin("BEGIN", "ALTER USER MAPPING FOR postgres SERVER s OPTIONS (DROP allowed_endpoint_url)")
        self.assertEqual(self.error("SELECT count(*) FROM t", self.superuser).sqlstate, "42501")
        self.admin("ROLLBACK")
        self.assertEqual(self.admin("SELECT count(*) FROM t"), [(40,)])

    def test_other_changes_do_not_matter(self):
        """Other roles, mappings and options change while a cursor is open."""
        self.allowed("chief", fetch_size=1, max_concurrency=1)
        conn = self.connect()
        self.rows("BEGIN; DECLARE c CURSOR FOR SELECT pk FROM t; FETCH 1 FROM c", conn)
        self.admin("CREATE ROLE passing", "CREATE USER MAPPING FOR passing SERVER s OPTIONS (access_key_id 'a', secret_access_key 'b')",
                   "ALTER SERVER s OPTIONS (SET fetch_size '5')", "DROP USER MAPPING FOR passing SERVER s", "DROP ROLE passing", "ALTER ROLE reader CONNECTION LIMIT 50")
        self.assertEqual(len(self.rows("FETCH ALL FROM c", conn)), 39)

    def test_roles_do_not_make_it_describe_again(self):
        """New roles come often in some places; they cost no request."""
        self.allowed()
        self.rows("SELECT count(*) FROM t")
        self.secure.reset()
        self.admin("CREATE ROLE passing", "DROP ROLE passing")
        self.rows("SELECT count(*) FROM t")
        self.assertEqual(self.secure.operations(), ["Scan"])


class Excerpts(Machine):
    """Responses that are not from DynamoDB may be secrets of a service inside the network: superusers see it, and no code of others."""

    def setUp(self):
        super().setUp()
        self.server("postgres", {"credential_provider": "static", "access_key_id": "AKID", "secret_access_key": "x"}, user="PUBLIC", endpoint_url=self.dynamo.endpoint)
        self.dynamo.on("*", replies.not_json("Internal page", 404))

    def test_who_sees_them(self):
        self.assertIn("Internal page", self.error("SELECT * FROM t", self.superuser).detail)
        self.assertNotIn("Internal page", str(self.error("SELECT * FROM t")))
        self.admin("SET ROLE reader")
        self.assertNotIn("Internal page", str(self.error("SELECT * FROM t", self.superuser)))
        self.admin("RESET ROLE", "SET SESSION AUTHORIZATION reader")
        self.assertNotIn("Internal page", str(self.error("SELECT * FROM t", self.superuser)))
        self.admin("RESET SESSION AUTHORIZATION")

    CATCHES = ("CREATE OR REPLACE FUNCTION catches(int) RETURNS int IMMUTABLE LANGUAGE plpgsql {} AS $$ DECLARE words text; BEGIN PERFORM FROM public.t; RETURN 1; "
               "EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS words = PG_EXCEPTION_DETAIL; RAISE WARNING 'caught %', words; RETURN 1; END $$")

    def caught(self, sql):
        """What mallory's function prints, called by a superuser."""
        del self.superuser.notices[:]
        self.admin(sql)
        text = "".join(self.superuser.notices)
        self.assertIn("caught HTTP status 404.", text)
        return text

    def test_security_definer(self):
        """Also one that belongs to a superuser: its caller does not decide what it does with the error."""
        self.addCleanup(self.admin, "RESET ROLE", "DROP FUNCTION IF EXISTS catches(int) CASCADE")
        for owner in ("mallory", "chief"):
            self.admin(self.CATCHES.format("SECURITY DEFINER"), f"ALTER FUNCTION catches(int) OWNER TO {owner}")
            self.assertNotIn("Internal page", self.caught("SELECT catches(1)"))
            self.admin("DROP FUNCTION catches(int)")

    def test_maintenance(self):
        """Commands that a superuser runs on a table of mallory's evaluate her functions."""
        self.as_user("mallory", self.CATCHES.format(""), "CREATE TABLE bait (n int)", "CREATE INDEX bait_key ON bait (catches(n))", "INSERT INTO bait VALUES (1)")
        self.addCleanup(self.admin, "RESET ROLE", "DROP TABLE IF EXISTS bait CASCADE", "DROP FUNCTION IF EXISTS catches(int) CASCADE")
        for owner in ("mallory", "chief"):
            self.admin(f"ALTER TABLE bait OWNER TO {owner}")
            for sql in ("ANALYZE bait", "REINDEX TABLE bait"):
                self.assertNotIn("Internal page", self.caught(sql))

    def test_of_sources(self):
        """What a source of credentials wrote is shown in the same way."""
        self.identity.responses["sts"] = [(403, json.dumps("Internal page"))] * 9
        for user in ("reader", "postgres"):
            self.admin(f"CREATE USER MAPPING FOR {user} SERVER s " + options_clause({
                "access_key_id": "AKID", "secret_access_key": "x", "role_arn": aws_machine.ROLE + "r", "sts_endpoint_url": self.identity.url}))
        self.assertNotIn("Internal page", str(self.error("SELECT * FROM t")))
        self.assertIn("Internal page", self.error("SELECT * FROM t", self.superuser).detail)
