"""A machine where AWS's tools would find credentials: a PostgreSQL with that environment, and a DynamoDB that checks them."""
import os
import re
import shutil
import tempfile
import threading

import fixture
import psycopg2
from fake import FakeDynamo
from fixture import Failure, options_clause
from identity import FakeIdentity, is_of_another_time
from own_postgres import OwnPostgres
from replies import error, skewed_date

ROLE = "arn:aws:iam::123456789012:role/"


class GuardedDynamo(FakeDynamo):
    """Responds to requests that are signed by a key given out by the identity services, and not made to expire since."""

    def __init__(self, identity, **options):
        super().__init__(**options)
        self.identity, self.expired, self.lock = identity, set(), threading.Lock()
        self.known = {}             # other access keys, and their session tokens (None: none)
        self.ahead = 0              # seconds: its clock before this machine's

    async def default(self, request, connection):
        """By its own clock."""
        response = await self.guarded(request, connection)
        return skewed_date(self.ahead, response) if self.ahead else response

    async def guarded(self, request, connection):
        """As DynamoDB refuses what was signed at another time, what has expired, and what it does not know."""
        if is_of_another_time(request.headers.get("x-amz-date"), self.ahead):
            return error("InvalidSignatureException", "Signature expired: it is now earlier than now")
        key = access_key(request)
        token = request.headers.get("x-amz-security-token")
        if key in self.expired:
            return error("ExpiredTokenException", "The security token included in the request is expired")
        given = key.startswith("ASIA") and key[4:].isdigit() and 0 < int(key[4:]) <= self.identity.given
        if token != (f"token of {key}" if given else self.known.get(key, "-")):
            return error("UnrecognizedClientException", "The security token included in the request is invalid.")
        return await super().default(request, connection)

    def expire(self):
        """All keys that were given out so far."""
        self.expired = {f"ASIA{n:04}" for n in range(1, self.identity.given + 1)}

    def keys(self):
        """The access keys of the recorded requests, each once, in order."""
        return list(dict.fromkeys(map(access_key, self.requests)))


def access_key(request):
    """The one that signed it."""
    return request.headers.get("authorization", "").partition("Credential=")[2].partition("/")[0]


# What the services give out, as no test may find it in the server's log; a hint has words like these.
SECRETS = re.compile(r"(?:secret|token) of (?!the keys that)\w+|Signature=\w+")


class TestCase(fixture.TestCase):
    """One such machine for the tests of a class; `self.user` is no superuser there, and has a table t.

    The server logs all that it can; when a class has ended, its log is searched for secrets.
    """

    user = "reader"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = tempfile.mkdtemp(prefix="dynamo_fdw-aws.")
        os.chmod(cls.files, 0o755)
        cls.addClassCleanup(shutil.rmtree, cls.files)
        cls.identity = FakeIdentity()
        cls.addClassCleanup(cls.identity.close)
        cls.dynamo = GuardedDynamo(cls.identity).start()
        cls.addClassCleanup(cls.dynamo.stop)
        cls.postgres = OwnPostgres(cls.fx.value("SELECT setting FROM pg_config WHERE name = 'BINDIR'"),
                                   "-c log_min_messages=debug5 -c log_error_verbosity=verbose", cls.environment())
        cls.addClassCleanup(cls.postgres.stop)
        cls.addClassCleanup(cls.search_log)
        cls.superuser = cls.postgres.connect(f"-c statement_timeout={fixture.STATEMENT_TIMEOUT}")
        cls.addClassCleanup(cls.superuser.close)
        cls.admin("CREATE EXTENSION dynamo_fdw", f"CREATE ROLE {cls.user} LOGIN",
                  f"GRANT USAGE ON FOREIGN DATA WRAPPER dynamo_fdw TO {cls.user}", f"GRANT CREATE ON SCHEMA public TO {cls.user}")

    @classmethod
    def environment(cls):
        """Of the postmaster, and so of every backend."""
        return {"AWS_CONFIG_FILE": f"{cls.files}/config", "AWS_SHARED_CREDENTIALS_FILE": f"{cls.files}/credentials",
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": cls.identity.url.rstrip("/"),
                "AWS_ENDPOINT_URL_SSO": cls.identity.url.rstrip("/")}

    @classmethod
    def search_log(cls):
        """Statements that set options are logged with them; nothing else may show one."""
        lines = [line for line in cls.postgres.log().splitlines() if SECRETS.search(line) and
                 "USER MAPPING" not in line and "environment dump" not in line and "SECRET_ACCESS_KEY=" not in line]
        if lines:
            raise AssertionError(f"secrets in the log: {lines}")

    @classmethod
    def admin(cls, *statements):
        """Run as the superuser."""
        with cls.superuser.cursor() as cursor:
            for sql in statements:
                cursor.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def setUp(self):
        for name in os.listdir(self.files):
            os.remove(f"{self.files}/{name}")
        self.identity.requests, self.identity.lifetime, self.identity.expired, self.identity.ahead = [], 3600, False, 0
        self.identity.responses.clear()
        self.dynamo.reset(scripts=True)
        self.dynamo.tables, self.dynamo.expired, self.dynamo.known = {}, set(), {}
        self.dynamo.delay, self.dynamo.ahead = 0.0, 0
        self.dynamo.table("t", items=[{"pk": {"S": "a"}}])
        self.conn = self.connect()

    def connect(self, user=None):
        """A connection as the user, closed at the end of the test."""
        connection = self.postgres.connect(f"-c statement_timeout={fixture.STATEMENT_TIMEOUT}", user=user or self.user)
        self.addCleanup(connection.close)
        return connection

    def write(self, name, text, mode=0o644):
        """A file that the server can read; its path."""
        path = f"{self.files}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def mapping(self, server=None, **options):
        """A server s, owned by the superuser, with a table t, and a mapping of the user with these options."""
        server = {"endpoint_url": self.dynamo.endpoint, "region": "eu-west-1", "scan_policy": "allow", **(server or {})}
        if options.get("credential_provider", "static") != "static":
            options.setdefault("allowed_endpoint_url", self.dynamo.endpoint)
        if "role_arn" in options or options.get("credential_provider") in ("profile", "web_identity", "default"):
            options.setdefault("sts_endpoint_url", self.identity.url)
        self.admin("DROP SERVER IF EXISTS s CASCADE", f"CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw {options_clause(server)}",
                   f"GRANT USAGE ON FOREIGN SERVER s TO {self.user}",
                   f"CREATE USER MAPPING FOR {self.user} SERVER s {options_clause(options)}")
        self.foreign_table("t", "pk text")

    def foreign_table(self, name, columns):
        """On the server s, readable by the user."""
        self.admin(f"CREATE FOREIGN TABLE {name} ({columns}) SERVER s", f"GRANT SELECT ON {name} TO {self.user}")

    def rows(self, sql, conn=None):
        """As the user."""
        with (conn or self.conn).cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def error(self, sql, conn=None):
        """The error that a statement of the user raises."""
        try:
            self.rows(sql, conn)
        except psycopg2.Error as failure:
            diag = failure.diag
            return Failure(diag.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint, diag.context)
        raise AssertionError(f"no error from: {sql}")
