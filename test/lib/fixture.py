"""Fixture for tests through SQL: a database of its own, tables in DynamoDB, and the requests on the wire.

    import fixture

    class Songs(fixture.TestCase):
        def setUp(self):
            self.fx.create_table("songs", ("artist", "S"), ("title", "S"))
            self.fx.put("songs", [{"artist": "Abba", "title": "Waterloo"}])
            self.fx.foreign_table("songs", "artist text, title text")

        def test_key(self):
            self.assertEqual(self.fx.rows("SELECT title FROM songs WHERE artist = 'Abba'"), [("Waterloo",)])
            [request] = self.fx.requests("SELECT title FROM songs WHERE artist = 'Abba'")
            self.assertEqual(request.operation, "Query")

The environment comes from "test/stack env"; test/check, or test/lib/run_tests.py by hand, provides it.
"""
import os
import sys
import unittest
from collections import namedtuple

import psycopg2
import psycopg2.extensions

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))

from dynamo import DynamoClient     # noqa: E402  (the path above is needed first)
from fake import FakeDynamo         # noqa: E402
from proxy import RecordingProxy    # noqa: E402

Failure = namedtuple("Failure", "sqlstate message detail hint context")

# An emulator never throttles, whatever capacity its tables were created with.
EMULATOR_CAPACITY = 40000

# A statement that hangs must fail its test, not the entire run.
STATEMENT_TIMEOUT = "60s"


class Fixture:
    """One database with the extension, a server "ddb" that talks to DynamoDB Local through a recording proxy."""

    def __init__(self, name, encoding=None):
        self.database = f"fdw_{name.lower()}_{os.getpid()}"
        self.dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
        self.proxy = RecordingProxy(os.environ["DDB_ENDPOINT"]).start()
        self._remote = []
        of_encoding = f" TEMPLATE template0 ENCODING '{encoding}' LOCALE_PROVIDER libc LOCALE 'C'" if encoding else ""
        self._maintain(f"CREATE DATABASE {self.database}{of_encoding}")
        self.conn = self.connect()
        self.execute("CREATE EXTENSION dynamo_fdw")
        self.use_library(os.environ.get("DIFF_LIBRARY"))
        self.server("ddb", self.proxy.endpoint)

    def close(self):
        """Drop the database and the tables in DynamoDB."""
        self.conn.close()
        self._maintain(f"DROP DATABASE {self.database} WITH (FORCE)")
        for name in self._remote:
            self.dynamo.drop_table(name)
        self.dynamo.close()
        self.proxy.stop()

    def use_library(self, path):
        """Let the functions of the extension come from another build of it, if there is one; a backend can load but one."""
        if path:
            self.execute("UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dynamo_fdw'", (path,))
            self.conn.close()
            self.conn = self.connect()

    @staticmethod
    def _maintain(sql):
        connection = psycopg2.connect("")
        connection.autocommit = True
        connection.cursor().execute(sql)
        connection.close()

    def connect(self, **options):
        """One more connection to the database; it commits every statement."""
        connection = psycopg2.connect(dbname=self.database, options=f"-c statement_timeout={STATEMENT_TIMEOUT}",
                                      **options)
        connection.autocommit = True
        connection.set_client_encoding("UTF8")
        return connection

    # Making things

    def server(self, name, endpoint, secret="test", **options):
        """CREATE SERVER with a user mapping for everybody."""
        options = {"endpoint_url": endpoint, "region": "us-east-1", **options}
        if endpoint in (self.proxy.endpoint, os.environ["DDB_ENDPOINT"]):
            options.setdefault("read_capacity", EMULATOR_CAPACITY)
        self.execute(f"CREATE SERVER {name} FOREIGN DATA WRAPPER dynamo_fdw {options_clause(options)}")
        mapping = {"access_key_id": "test", "secret_access_key": secret}
        self.execute(f"CREATE USER MAPPING FOR PUBLIC SERVER {name} {options_clause(mapping)}")

    def fake(self, name, **options):
        """A started FakeDynamo and a server of that name that points to it; the caller stops it."""
        fake = FakeDynamo(**options).start()
        extra = {"ca_bundle": fake.ca_bundle} if fake.ca_bundle else {}
        self.server(name, fake.endpoint, **extra)
        return fake

    def remote(self, name):
        """The name of a table in DynamoDB, which all databases share: with this database's name in front."""
        return f"{self.database}.{name}"

    def create_table(self, name, hash_key, range_key=None, indexes=()):
        """Make a table in DynamoDB, see dynamo.DynamoClient.create_table."""
        self._remote.append(self.remote(name))
        self.dynamo.create_table(self.remote(name), hash_key, range_key, indexes)

    def put(self, name, items):
        """Write items, dicts of Python values, into a table made by create_table."""
        self.dynamo.put(self.remote(name), items)

    def foreign_table(self, name, columns, server="ddb", **options):
        """CREATE FOREIGN TABLE, on the server "ddb" over the table of that name made by create_table."""
        if server == "ddb":
            options.setdefault("table_name", self.remote(name))
        self.execute(f"DROP FOREIGN TABLE IF EXISTS {name}")
        self.execute(f"CREATE FOREIGN TABLE {name} ({columns}) SERVER {server} {options_clause(options)}")

    # Requesting

    def execute(self, sql, parameters=None):
        """Run statements; for those whose rows do not matter."""
        with self.conn.cursor() as cursor:
            cursor.execute(sql, parameters)

    def rows(self, sql, parameters=None):
        """All rows, as tuples."""
        with self.conn.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else []

    def value(self, sql, parameters=None):
        """The first column of the only row."""
        [(value,)] = self.rows(sql, parameters)
        return value

    def explain(self, sql, options="COSTS OFF"):
        """The plan as one text."""
        return "\n".join(line for (line,) in self.rows(f"EXPLAIN ({options}) {sql}"))

    def requests(self, sql, parameters=None, describe=False):
        """The requests that a statement sends to the server "ddb", without DescribeTable unless requested."""
        return self.requests_and_rows(sql, parameters, describe)[0]

    def requests_and_rows(self, sql, parameters=None, describe=False):
        """The requests of one execution, as requests() has them, and its rows."""
        self.proxy.reset()
        rows = self.rows(sql, parameters)
        return [r for r in self.proxy.requests if describe or r.operation != "DescribeTable"], rows

    def notices(self, sql, parameters=None):
        """What a statement reports next to its rows, one text per notice or warning."""
        del self.conn.notices[:]
        self.rows(sql, parameters)
        return [notice.strip() for notice in self.conn.notices]

    def error(self, sql, parameters=None):
        """The error that a statement raises; a test fails when it raises none."""
        try:
            self.rows(sql, parameters)
        except psycopg2.Error as failure:
            diag = failure.diag
            if diag.sqlstate is None:
                raise       # the connection is gone: no error of the statement
            return Failure(diag.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint, diag.context)
        raise AssertionError(f"no error from: {sql}")


def options_clause(options):
    """OPTIONS (...) for a dict, or nothing for an empty one."""
    if not options:
        return ""
    quoted = (f"{name} '" + str(value).replace("'", "''") + "'" for name, value in options.items())
    return f"OPTIONS ({', '.join(quoted)})"


class TestCase(unittest.TestCase):
    """A test class with a Fixture of its own, self.fx."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.fx = Fixture(cls.__name__)
        cls.addClassCleanup(cls.fx.close)
