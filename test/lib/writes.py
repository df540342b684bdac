"""Writes a foreign table and a local one by the same statements, and compares what happens.

    class Orders(writes.TestCase):
        COLUMNS = "id text NOT NULL, n int NOT NULL, note text"
        KEY = ("id", "n")

        def test_update(self):
            self.both("UPDATE {t} SET note = 'x' WHERE id = 'a'")

The foreign table is "far", over the DynamoDB table "items" with the key (pk S, sk N) unless HASH and RANGE replace it; the local one is
"near". {t} in a statement is either. Rows, counts, RETURNING, SQLSTATEs and both complete tables must be equal.
"""
import json
from decimal import Decimal

import fixture
import psycopg2

PAGE = 3


def shorten(request):
    """For a proxy's script: pages of three items, as if these were large."""
    request.raw = json.dumps({**request.body, "Limit": min(PAGE, request.body.get("Limit", PAGE))}).encode()


def comparable(rows):
    """The rows in one order; zeros at the end of a numeric do not count."""
    def plain(value):
        return value.normalize() if isinstance(value, Decimal) else bytes(value) if isinstance(value, memoryview) else value
    return sorted(repr(tuple(map(plain, row))) for row in rows)


class TestCase(fixture.TestCase):
    """Tables that are written again for each test."""

    COLUMNS = 'id text COLLATE "C" NOT NULL, n int NOT NULL, note text, total numeric, flag boolean, at timestamptz'
    FOREIGN = None                  # the columns with their options, if they have some
    TYPES = ""                      # SQL that creates types of the columns
    KEY = ("id", "n")
    HASH, RANGE = ("id", "S"), ("n", "N")
    INDEXES = ()
    OPTIONS = {}
    ROWS = "('a', 1, 'one', 1.5, true, '2024-05-01 10:00+00'), ('a', 2, 'two', 2, false, NULL), ('b', 1, NULL, NULL, NULL, NULL)," \
           " ('c', 7, 'seven', -7.25, true, '2024-06-01 10:00:00.5+00')"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.TYPES:
            cls.fx.execute(cls.TYPES)
        cls.fx.create_table("items", cls.HASH, cls.RANGE, cls.INDEXES)
        cls.fx.foreign_table("far", cls.FOREIGN or cls.COLUMNS, table_name=cls.fx.remote("items"), updatable="true",
                             scan_policy="allow", **cls.OPTIONS)
        cls.fx.execute(f"CREATE TABLE near ({cls.COLUMNS}, PRIMARY KEY ({', '.join(cls.KEY)}))")

    def setUp(self):
        self.fx.execute("DELETE FROM far; TRUNCATE near")
        if self.ROWS:
            self.both(f"INSERT INTO {{t}} VALUES {self.ROWS}")

    def outcome(self, sql, parameters=None):
        """Count and rows, or the SQLSTATE."""
        try:
            with self.fx.conn.cursor() as cursor:
                cursor.execute(sql, parameters)
                return cursor.rowcount, comparable(cursor.fetchall()) if cursor.description else []
        except psycopg2.Error as failure:
            return failure.diag.sqlstate

    def both(self, sql, parameters=None, same_tables=True):
        """The outcome of a statement, the same for both tables."""
        local = self.outcome(sql.replace("{t}", "near"), parameters)
        del self.fx.conn.notices[:]
        foreign = self.outcome(sql.replace("{t}", "far"), parameters)
        self.assertEqual(foreign, local, sql)
        self.assertNotIn("leak", "".join(self.fx.conn.notices), sql)
        if same_tables:
            self.assertSameTables(sql)
        return foreign

    def assertSameTables(self, sql=""):
        """All rows of both."""
        rows = [comparable(self.fx.rows(f"SELECT * FROM {table}")) for table in ("far", "near")]
        self.assertEqual(*rows, sql)

    def item(self, *key):
        """The stored item, as {attribute: {type: value}}; None if there is none."""
        names = [self.HASH, self.RANGE][:len(key)]
        return self.fx.dynamo.call("GetItem", {"TableName": self.fx.remote("items"), "ConsistentRead": True,
                                               "Key": {name: {kind: str(value)} for (name, kind), value in zip(names, key)}}).get("Item")

    def put_raw(self, item):
        """Store an item given as {attribute: {type: value}}."""
        self.fx.dynamo.call("PutItem", {"TableName": self.fx.remote("items"), "Item": item})

    def writes(self, sql, parameters=None):
        """The write requests of a statement."""
        return [r for r in self.fx.requests(sql, parameters) if r.operation in ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")]
