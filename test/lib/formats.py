"""Foreign tables with formatted columns next to local tables with the same rows, for tests of what a WHERE finds, and by which request."""
import re

import fixture

OPERATORS = ("=", "<", "<=", ">", ">=", "<>")


class Twins(fixture.TestCase):
    """Every query is sent to the foreign table f and to the local table l, which was filled with the same values."""

    def load(self, columns, rows, items, keys=(("pk", "S"), ("sk", "N")), indexes=(), **options):
        """Both tables; a column is (name, type, options)."""
        self.fx.create_table("f", *keys, indexes)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")       # forget the keys of the table before
        self.fx.dynamo.put_raw(self.fx.remote("f"), items)
        self.fx.foreign_table("f", ", ".join(f"{name} {kind} {fixture.options_clause(more) if more else ''}" for name, kind, more in columns),
                              **{"scan_policy": "allow", **options})
        self.fx.execute("DROP TABLE IF EXISTS l; CREATE TABLE l (" + ", ".join(f"{name} {kind}" for name, kind, _ in columns) + ")")
        with self.fx.conn.cursor() as cursor:
            cursor.executemany(f"INSERT INTO l VALUES ({', '.join(['%s'] * len(columns))})", rows)
        self.fx.execute("ANALYZE l")

    def query(self, sql):
        """The rows, with bytes that can be compared."""
        return [tuple(bytes(value) if isinstance(value, memoryview) else value for value in row) for row in self.fx.rows(sql)]

    def same(self, *queries, ordered=False):
        """Both give the same result; returns the last one."""
        rows = []
        for sql in queries:
            with self.subTest(sql=sql):
                rows, expected = [self.query(sql.replace("FROM t", f"FROM {table} AS t")) for table in "fl"]
                if not ordered:
                    rows, expected = sorted(rows, key=repr), sorted(expected, key=repr)
                self.assertEqual(rows, expected)
        return rows

    def key(self, sql):
        """The key of the one GetItem, or the condition of the one Query with its names and values in place; None if nothing is sent."""
        requests = self.fx.requests(sql)
        if not requests:
            return None
        [request] = requests
        if request.operation != "Query":
            return request.body.get("Key")
        words = {**request.body["ExpressionAttributeNames"],
                 **{name: next(iter(value.values())) for name, value in request.body["ExpressionAttributeValues"].items()}}
        return re.sub(r"[#:]\w+", lambda match: words[match.group()], request.body["KeyConditionExpression"])
