"""Equality on keys: GetItem, BatchGetItem, Query, one Query per key, and nothing where nothing can be found.

Where several items may come back, their keys are read too: an error must be able to name the item.
"""
import os
import re

import request_text
import shop
from dynamo import item
from request_text import statements

ONE = "{cust 'c01', at '2024-01-01'}"
TWO = "{cust 'c02', at '2024-02-02'}"
ALL_ORDERS = "at, cust, info, note, paid, priority, region, ship, status, tags, total"
USER7, USER8 = shop.user_id(7), shop.user_id(8)

EQUAL = [
    ("partition key", "SELECT at FROM orders WHERE cust = 'c01'", ["Query orders where cust = 'c01' get at"]),
    ("operands exchanged", "SELECT at FROM orders WHERE 'c01' = cust", ["Query orders where cust = 'c01' get at"]),
    ("full key", "SELECT total FROM orders WHERE cust = 'c01' AND at = '2024-01-01'",
     [f"GetItem orders {ONE} get total"]),
    ("full key, all columns", "SELECT * FROM orders WHERE at = '2024-01-01' AND cust = 'c01'",
     [f"GetItem orders {ONE} get {ALL_ORDERS}"]),
    ("full key, nothing there", "SELECT total FROM orders WHERE cust = 'c01' AND at = 'never'",
     ["GetItem orders {cust 'c01', at 'never'} get total"]),
    ("full key and another condition",
     "SELECT total FROM orders WHERE cust = 'c01' AND at = '2024-01-01' AND status = 'open'",
     [f"GetItem orders {ONE} get status, total"]),
    ("full key of a table without sort key", "SELECT sq FROM nums WHERE n = 12", ["GetItem nums {n 12} get sq"]),
    ("varchar", "SELECT at FROM orders WHERE cust = 'c01'::varchar", ["Query orders where cust = 'c01' get at"]),
    ("a cast of the column to varchar", "SELECT at FROM orders WHERE cust::varchar = 'c01'",
     ["Query orders where cust = 'c01' get at"]),
    ("through a row", "SELECT total FROM orders WHERE (cust, at) = ('c01', '2024-01-01')",
     [f"GetItem orders {ONE} get total"]),
    ("numbers", "SELECT val FROM readings WHERE sensor = 1 AND ts = 100", ["GetItem readings {sensor 1, ts 100} get val"]),
    ("negative number", "SELECT val FROM readings WHERE sensor = 1 AND ts = -100",
     ["GetItem readings {sensor 1, ts -100} get val"]),
    ("integers of other sizes", "SELECT val FROM readings WHERE sensor = 1::bigint AND ts = 100::smallint",
     ["GetItem readings {sensor 1, ts 100} get val"]),
    ("integer column as numeric", "SELECT val FROM readings WHERE sensor = 1.0 AND ts = 100.00",
     ["GetItem readings {sensor 1, ts 100} get val"]),
    ("integer column as numeric, not integral", "SELECT val FROM readings WHERE sensor = 1.5 AND ts = 100", []),
    ("an integer that no item can have", "SELECT val FROM readings WHERE sensor = 3000000000", []),
    ("numeric with zeros", "SELECT sq FROM nums WHERE n = 12.000", ["GetItem nums {n 12} get sq"]),
    ("bytea", r"SELECT v FROM blobs WHERE h = '\x01' AND s = '\x10ff'", ["GetItem blobs {h x'01', s x'10ff'} get v"]),
    ("bytea partition", r"SELECT v FROM blobs WHERE h = '\x02'", ["Query blobs where h = x'02' get v"]),
    ("uuid", f"SELECT name FROM users WHERE id = '{USER7}'", [f"GetItem users {{id '{USER7}'}} get name"]),
    ("uuid in capitals", f"SELECT name FROM users WHERE id = upper('{USER7}')::uuid",
     [f"GetItem users {{id '{USER7}'}} get name"]),
    ("uuid as text", f"SELECT name FROM users WHERE id::text = '{USER7}'", [f"GetItem users {{id '{USER7}'}} get name"]),
    ("stable function", "SELECT at FROM orders WHERE cust = current_setting('test.customer', true)",
     ["Query orders where cust = 'c03' get at"]),
    ("the user's name", "SELECT at FROM orders WHERE cust = current_user",
     [f"Query orders where cust = '{os.environ.get('PGUSER')}' get at"]),
    ("expression of constants", "SELECT at FROM orders WHERE cust = 'c' || lpad('3', 2, '0')",
     ["Query orders where cust = 'c03' get at"]),
    ("subquery of no relation", "SELECT at FROM orders WHERE cust = (SELECT 'c03')",
     ["Query orders where cust = 'c03' get at"]),
    ("subquery over a local table", "SELECT at FROM orders WHERE cust = (SELECT max(c) FROM wanted)",
     ["Query orders where cust = 'c02' get at"]),
    ("the key is known to be there", "SELECT at FROM orders WHERE cust = 'c01' AND at IS NOT NULL AND cust IS NOT NULL",
     ["Query orders where cust = 'c01' get at"]),
    ("two equal conditions", "SELECT at FROM orders WHERE cust = 'c01' AND cust = 'c0' || '1'",
     ["Query orders where cust = 'c01' get at"]),
    ("a volatile function", "SELECT at FROM orders WHERE cust = 'c01' || left(random()::text, 0)",
     ["Scan orders get at, cust"]),
]

NOTHING = [
    ("NULL", "SELECT at FROM orders WHERE cust = NULL", []),
    ("NULL in the sort key", "SELECT at FROM orders WHERE cust = 'c01' AND at = NULL", []),
    ("NULL of a stable function", "SELECT at FROM orders WHERE cust = current_setting('test.missing', true)", []),
    ("IS NULL of a key", "SELECT at FROM orders WHERE cust = 'c01' AND at IS NULL", []),
    ("two different values", "SELECT at FROM orders WHERE cust = 'c01' AND cust = 'c02'", []),
    ("two different values of the sort key", "SELECT at FROM orders WHERE cust = 'c01' AND at = 'a' AND at = 'b'", []),
    ("disjoint lists", "SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND cust IN ('c03', 'c04')", []),
    ("false", "SELECT at FROM orders WHERE cust = 'c01' AND false", []),
    ("empty text", "SELECT at FROM orders WHERE cust = ''", []),
    ("empty text in the sort key", "SELECT at FROM orders WHERE cust = 'c01' AND at = ''", []),
    ("empty bytea", r"SELECT v FROM blobs WHERE h = '\x'", []),
    ("too long a key", "SELECT at FROM orders WHERE cust = repeat('x', 2049)", []),
    ("39 digits", f"SELECT sq FROM nums WHERE n = {'1' * 39}", []),
    ("NaN", "SELECT sq FROM nums WHERE n = 'NaN'", []),
    ("too large a number", "SELECT sq FROM nums WHERE n = 1e126", []),
    ("too small a number", "SELECT sq FROM nums WHERE n = 1e-131", []),
    ("empty array", "SELECT at FROM orders WHERE cust = ANY ('{}'::text[])", []),
    ("array of NULL", "SELECT at FROM orders WHERE cust = ANY ('{NULL}'::text[])", []),
    ("NULL array", "SELECT at FROM orders WHERE cust = ANY (NULL::text[])", []),
    ("all members impossible", "SELECT sq FROM nums WHERE n IN ('NaN', 1e126)", []),
    ("LIMIT 0", "SELECT at FROM orders WHERE cust = 'c01' LIMIT 0", []),
]

LISTS = [
    ("IN on the partition key", "SELECT at FROM orders WHERE cust IN ('c01', 'c02')",
     ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"]),
    ("duplicates and NULL in IN", "SELECT at FROM orders WHERE cust IN ('c02', 'c01', NULL, 'c02')",
     ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"]),
    ("OR on the partition key", "SELECT at FROM orders WHERE cust = 'c01' OR 'c02' = cust OR cust = 'c01'",
     ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"]),
    ("a parameter of an array", "SELECT at FROM orders WHERE cust = ANY (%s)",
     ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"], (["c01", "c02", "c01"],)),
    ("an array of a subquery", "SELECT at FROM orders WHERE cust = ANY (ARRAY(SELECT c FROM wanted))",
     ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"]),
    ("IN on the partition key, a range on the sort key",
     "SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND at < '2024-03'",
     ["Query orders where cust = 'c01' AND at < '2024-03' get at, cust",
      "Query orders where cust = 'c02' AND at < '2024-03' get at, cust"]),
    ("IN on a full key", "SELECT sq FROM nums WHERE n IN (3, 1, 2)", ["BatchGetItem nums {n 1} {n 2} {n 3} get n, sq"]),
    ("duplicate numbers in IN", "SELECT sq FROM nums WHERE n IN (1, 1.0, 2, 2.00)",
     ["BatchGetItem nums {n 1} {n 2} get n, sq"]),
    ("one distinct member in IN", "SELECT sq FROM nums WHERE n IN (1, 1.0)", ["GetItem nums {n 1} get n, sq"]),
    ("impossible members in IN", "SELECT sq FROM nums WHERE n IN (1, 'NaN', 1e126)", ["GetItem nums {n 1} get n, sq"]),
    ("IN on the partition key, = on the sort key",
     "SELECT total FROM orders WHERE cust IN ('c01', 'c02') AND at = '2024-01-01'",
     ["BatchGetItem orders {cust 'c01', at '2024-01-01'} {cust 'c02', at '2024-01-01'} get at, cust, total"]),
    ("= on the partition key, IN on the sort key",
     "SELECT total FROM orders WHERE cust = 'c01' AND at IN ('2024-01-01', '2024-02-02', 'x')",
     [f"BatchGetItem orders {ONE} {{cust 'c01', at '2024-02-02'}} {{cust 'c01', at 'x'}} get at, cust, total"]),
    ("IN on both", "SELECT total FROM orders WHERE cust IN ('c01', 'c02') AND at IN ('2024-01-01', '2024-02-02')",
     [f"BatchGetItem orders {ONE} {{cust 'c01', at '2024-02-02'}} {{cust 'c02', at '2024-01-01'}} {TWO} get at, cust, total"]),
    ("IN and = on one key", "SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND cust = 'c02'",
     ["Query orders where cust = 'c02' get at"]),
    ("two lists on one key", "SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND cust IN ('c02', 'c03')",
     ["Query orders where cust = 'c02' get at, cust"]),
    ("IN and a range on one key", "SELECT sq FROM nums WHERE n IN (1, 2, 3, 4) AND n > 2",
     ["BatchGetItem nums {n 3} {n 4} get n, sq"]),
    ("row IN", "SELECT total FROM orders WHERE (cust, at) IN (('c01', '2024-01-01'), ('c02', '2024-02-02'))",
     [f"BatchGetItem orders {ONE} {TWO} get at, cust, total"]),
    ("OR of ANDs", "SELECT total FROM orders WHERE (cust = 'c01' AND at = '2024-01-01')"
     " OR ('2024-02-02' = at AND cust = 'c02')", [f"BatchGetItem orders {ONE} {TWO} get at, cust, total"]),
    ("row IN of one distinct row", "SELECT total FROM orders WHERE (cust, at) IN (('c01', '2024-01-01'),"
     " ('c01', '2024-01-01'))", [f"GetItem orders {ONE} get total"]),
    ("bytea IN", r"SELECT v FROM blobs WHERE h = '\x01' AND s IN ('\x10ff', '\x20ff')",
     ["BatchGetItem blobs {h x'01', s x'10ff'} {h x'01', s x'20ff'} get h, s, v"]),
    ("uuid IN", f"SELECT name FROM users WHERE id IN ('{USER7}', '{USER8}')",
     [f"BatchGetItem users {{id '{USER7}'}} {{id '{USER8}'}} get id, name"]),
    ("integer column IN numeric", "SELECT val FROM readings WHERE sensor IN (1.0, 2.5) AND ts = 100",
     ["GetItem readings {sensor 1, ts 100} get sensor, ts, val"]),
]


@statements(EQUAL + NOTHING + LISTS)
class RequestsByKey(request_text.RequestTestCase):
    """Each statement sends just the requests listed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET test.customer = 'c03'")
        cls.fx.execute("CREATE TABLE wanted AS SELECT 'c0' || 1 + i % 2 AS c FROM generate_series(1, 6) i")
        shop.create(cls.fx, "orders", "readings", "blobs", "users", "nums")
        cls.mirror("orders", "readings", "blobs", "users", "nums")

    def test_301_keys_take_four_requests(self):
        """A BatchGetItem takes a hundred keys; each key is requested once."""
        fake = self.fx.fake("large")
        self.addCleanup(fake.stop)
        fake.table("numbers", ("n", "N"), items=[{"n": {"N": str(n)}} for n in range(250)], item_count=1000000,
                   size_bytes=10 ** 9)
        self.fx.foreign_table("numbers", "n numeric NOT NULL", server="large")
        rows = self.fx.rows("SELECT n FROM numbers WHERE n = ANY (%s)", (list(range(300, -1, -1)) + list(range(10)),))
        self.assertEqual(sorted(rows), [(n,) for n in range(250)])
        self.assertEqual(fake.operations(), ["DescribeTable"] + ["BatchGetItem"] * 4)
        wanted = [r.body["RequestItems"]["numbers"]["Keys"] for r in fake.requests[1:]]
        self.assertEqual(sorted(map(len, wanted)), [1, 100, 100, 100])
        self.assertEqual(sorted(int(key["n"]["N"]) for keys in wanted for key in keys), list(range(301)))

    def test_many_rows_of_values(self):
        """Beyond 100 values, the plan may contain some of them more than once."""
        fake = self.fx.fake("pairs")
        self.addCleanup(fake.stop)
        fake.table("pairs", ("h", "S"), ("n", "N"), items=[item({"h": f"h{n}", "n": n}) for n in range(120)],
                   item_count=1000000, size_bytes=10 ** 9)
        self.fx.foreign_table("pairs", 'h text COLLATE "C" NOT NULL, n int NOT NULL', server="pairs")
        rows = ", ".join(f"('h{n % 150}', {n % 150})" for n in range(200))
        sql = f"SELECT n FROM pairs WHERE (h, n) IN ({rows})"
        self.assertEqual(sorted(self.fx.rows(sql)), [(n,) for n in range(120)])
        wanted = [r.body["RequestItems"]["pairs"]["Keys"] for r in fake.requests[1:]]
        self.assertEqual(sorted(int(key["n"]["N"]) for keys in wanted for key in keys), list(range(150)))

    def test_requests_carry_no_more_than_they_need(self):
        """Every placeholder is used, reads do not request totals that are not shown, and one key is requested once."""
        [request] = self.fx.requests("SELECT total FROM orders WHERE cust = 'c01' AND at = '2024-01-01'")
        self.assertEqual(set(request.body) - {"ReturnConsumedCapacity"},
                         {"TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames"})
        [request] = self.fx.requests("SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-05'")
        for member in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
            used = set(re.findall(r"[#:]\w+", request.body["KeyConditionExpression"] +
                                  request.body["ProjectionExpression"]))
            self.assertLessEqual(set(request.body[member]), used)
