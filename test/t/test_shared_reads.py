"""Scans of one statement that would read the same items read them once."""
import json
import re

import fixture
from dynamo import index

CUSTOMERS, ORDERS, PAGES = 12, 20, 6
COLUMNS = {
    "customer": 'id text COLLATE "C" NOT NULL, name text COLLATE "C", rank int',
    "purchase": 'customer text COLLATE "C" NOT NULL, n int NOT NULL, total int, doc jsonb',
    "tag": "customer text COLLATE \"C\" NOT NULL, n int NOT NULL, tag text OPTIONS (path '@') COLLATE \"C\"",
}
OPTIONS = {
    "customer": {"key_templates": '{"pk": "c#${id}", "sk": "profile"}', "item_filter": '{"_et": "customer"}'},
    "purchase": {"key_templates": '{"pk": "c#${customer}", "sk": "order#${n:padded(2)}"}', "item_filter": '{"_et": "order"}'},
    "tag": {"key_templates": '{"pk": "c#${customer}", "sk": "order#${n:padded(2)}"}', "item_filter": '{"_et": "order"}', "unnest": "tags"},
}
SHARED = "dynamo_fdw.enable_shared_reads"
HASHED = "SET enable_nestloop = off; SET enable_mergejoin = off"


def items():
    """Customers, each with orders."""
    for c in range(CUSTOMERS):
        yield {"pk": f"c#{c:02}", "sk": "profile", "_et": "customer", "name": f"name {c}", "rank": c % 5}
        for n in range(ORDERS - c):
            order = {"pk": f"c#{c:02}", "sk": f"order#{n:02}", "_et": "order", "total": n * 3 + c, "pad": "x" * 300,
                     "doc": {"size": n % 4, "label": f"l{n % 3}"}, "tags": [f"t{n % 3}", "all"]}
            if n % 7 == 1:
                del order["tags"], order["total"]
            yield order


class Shared(fixture.TestCase):
    """A single-table design, and local tables with the rows of its entities."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"))
        cls.fx.put("app", list(items()))
        for name in COLUMNS:
            cls.entity(name)
            cls.fx.execute(f"CREATE TABLE local_{name} AS SELECT * FROM {name}; ANALYZE local_{name}")

    @classmethod
    def entity(cls, name, server="ddb", **options):
        """One foreign table of the design."""
        cls.fx.foreign_table(name, COLUMNS[name], server, **{"table_name": cls.fx.remote("app"), "scan_policy": "allow", "fetch_size": 40,
                                                             **OPTIONS[name], **options})

    def setUp(self):
        self.addCleanup(self.fx.execute, "ROLLBACK; RESET ALL; SET statement_timeout = '60s'")

    @staticmethod
    def local(sql):
        """The statement over the local tables."""
        return re.sub(rf"\b(FROM|JOIN) ({'|'.join(COLUMNS)})\b", r"\1 local_\2", sql)

    def begun(self, sql):
        """Its requests but for further pages."""
        return [r for r in self.fx.requests(sql) if "ExclusiveStartKey" not in r.body]

    def assertReads(self, sql, reads, alone=None):
        """The rows of the local tables, with this number of reads; with more if nothing is shared."""
        wanted = sorted(self.fx.rows(self.local(sql)), key=str)
        self.assertEqual(sorted(self.fx.rows(sql), key=str), wanted)
        self.assertEqual(len(self.begun(sql)), reads)
        self.fx.execute(f"SET {SHARED} = off")
        self.assertEqual(sorted(self.fx.rows(sql), key=str), wanted)
        self.assertEqual(len(self.begun(sql)), alone or 2 * reads)
        self.fx.execute(f"SET {SHARED} = on")


class Scans(Shared):
    """Complete tables."""

    def test_long_lists(self):
        """Lists that are too long for a filter are searched in each item that was read."""
        totals = ", ".join(str(n) for n in range(1, 400, 2))
        names = ", ".join(f"'name {n}'" for n in range(0, 400, 2))
        self.assertReads(f"SELECT (SELECT count(customer) FROM purchase WHERE total = ANY (ARRAY[{totals}])),"
                         f" (SELECT sum(total) FROM purchase WHERE total <> ALL (ARRAY[{totals}])), (SELECT count(id) FROM customer WHERE name = ANY (ARRAY[{names}]))", 1, alone=3)

    def test_joins(self):
        """Of entities, and of an entity with itself."""
        self.fx.execute(HASHED)
        for sql in ("SELECT c.name, sum(o.total) FROM customer c JOIN purchase o ON o.customer = c.id GROUP BY c.name",
                    "SELECT c.id, o.n FROM customer c LEFT JOIN purchase o ON o.customer = c.id AND o.total > 40",
                    "SELECT c.id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM purchase o WHERE o.customer = c.id AND o.n = 15)",
                    "SELECT a.customer, b.n FROM purchase a JOIN purchase b ON a.customer = b.customer AND a.total = b.total + 6",
                    "SELECT t.tag, o.total FROM purchase o JOIN tag t USING (customer, n) WHERE o.total % 2 = 0"):
            with self.subTest(sql):
                self.assertReads(sql, 1)

    def test_merged(self):
        """Both sides are sorted."""
        self.fx.execute("SET enable_nestloop = off; SET enable_hashjoin = off")
        self.assertReads("SELECT c.name, o.total FROM customer c FULL JOIN purchase o ON o.customer = c.id AND o.n < 5", 1)

    def test_branches(self):
        """UNION, INTERSECT and EXCEPT, with and without an asynchronous Append."""
        for setting in ("on", "off"):
            self.fx.execute(f"SET enable_async_append = {setting}")
            self.assertReads("SELECT id, 1 FROM customer UNION ALL SELECT customer, n FROM purchase UNION ALL SELECT tag, n FROM tag", 1, 3)
            self.assertReads("SELECT id FROM customer EXCEPT SELECT customer FROM purchase WHERE total > 60", 1)
            self.assertReads("SELECT customer FROM purchase WHERE total < 9 INTERSECT SELECT customer FROM tag WHERE tag = 't2'", 1)
            self.assertReads("SELECT count(*) FROM customer UNION ALL SELECT count(*) FROM purchase WHERE total > 5"
                             " UNION ALL SELECT sum(total) FROM purchase", 1, 3)

    def test_query_levels(self):
        """Subqueries that are executed once; values of one are the filter of another."""
        self.fx.execute(HASHED)
        for sql in ("SELECT (SELECT count(*) FROM customer), (SELECT max(total) FROM purchase)",
                    "SELECT customer, n FROM purchase WHERE total > (SELECT avg(total) FROM purchase)",
                    "SELECT id FROM customer WHERE id NOT IN (SELECT customer FROM purchase WHERE n > 14)",
                    "WITH o AS MATERIALIZED (SELECT customer, sum(total) AS s FROM purchase GROUP BY 1) SELECT c.id, o.s FROM customer c JOIN o"
                    " ON o.customer = c.id"):
            with self.subTest(sql):
                self.assertReads(sql, 1)

    def test_filters(self):
        """One filter for all that have one; none if one scan selects everything."""
        [request] = self.begun("SELECT rank FROM customer WHERE rank > 3 UNION ALL SELECT n FROM purchase WHERE total = 7")
        self.assertIn(" OR ", request.body["FilterExpression"])
        wanted = list(request.body["ExpressionAttributeValues"].values())
        for value in ({"N": "3"}, {"N": "7"}, {"S": "customer"}, {"S": "order"}):
            self.assertIn(value, wanted)
        self.fx.foreign_table("everything", "pk text, sk text", table_name=self.fx.remote("app"), scan_policy="allow", fetch_size=40)
        [request] = self.begun("SELECT name FROM customer WHERE rank > 3 UNION ALL SELECT sk FROM everything")
        self.assertNotIn("FilterExpression", request.body)
        [request] = self.begun("SELECT n FROM purchase WHERE total = 7 UNION ALL SELECT total FROM purchase WHERE total = 7")
        self.assertNotIn(" OR ", request.body["FilterExpression"])

    def test_filters_too_long(self):
        """They are left out together."""
        long = ", ".join(str(i) for i in range(250))
        sql = f"SELECT n FROM purchase WHERE total IN ({long}) UNION ALL SELECT rank FROM customer WHERE rank NOT IN ({long.replace('1', '7')})"
        self.assertReads(sql, 1)

    def test_projection(self):
        """What any of them needs, and the key, which errors name."""
        [request] = self.begun("SELECT name FROM customer UNION ALL SELECT doc->>'label' FROM purchase")
        self.assertEqual(set(request.body["ExpressionAttributeNames"].values()), {"name", "doc", "label", "pk", "sk", "_et"})
        [request] = self.begun("SELECT doc->>'label' FROM purchase UNION ALL SELECT doc::text FROM purchase")
        self.assertNotIn("label", request.body["ExpressionAttributeNames"].values())

    def test_documents(self):
        """One scan needs complete items."""
        self.fx.foreign_table("raw", "item jsonb OPTIONS (document 'item')", table_name=self.fx.remote("app"), scan_policy="allow")
        sql = "SELECT item->'total' FROM raw WHERE item->>'_et' = 'order' UNION ALL SELECT to_jsonb(total) FROM purchase"
        self.assertEqual(len(self.begun(sql)), 1)
        totals = [n for (n,) in self.fx.rows("SELECT total FROM local_purchase")]
        self.assertEqual(sorted(map(str, totals * 2)), sorted(str(n) for (n,) in self.fx.rows(sql)))

    def test_spilled(self):
        """What the others have not come to yet goes to a temporary file."""
        self.fx.execute(f"{HASHED}; SET work_mem = '64kB'")
        self.fx.foreign_table("pad", "pk text, sk text, pad text", table_name=self.fx.remote("app"), scan_policy="allow", fetch_size=40)
        for setting in ("on", "off"):
            self.fx.execute(f"SET {SHARED} = {setting}")
            rows = self.fx.rows("SELECT a.pad FROM pad a JOIN pad b USING (pk, sk)")
            self.assertEqual(sum(len(pad or "") for (pad,) in rows), 300 * sum(ORDERS - c for c in range(CUSTOMERS)))
        self.fx.execute(f"SET {SHARED} = on")
        self.assertReads("SELECT o.n, t.tag FROM purchase o JOIN tag t USING (customer, n)", 1)

    def test_rescanned(self):
        """The inner side of a loop is read again from what was cached."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;"
                        "SET dynamo_fdw.enable_lookup_join = off")
        for work_mem in ("4MB", "64kB"):
            self.fx.execute(f"SET work_mem = '{work_mem}'")
            sql = "SELECT c.id, o.n FROM customer c LEFT JOIN purchase o ON o.n + 0 = c.rank"
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(self.local(sql))))
            self.assertEqual(len(self.begun(sql)), 1)

    def test_recursion(self):
        """Each step reads what the first one did."""
        sql = ("WITH RECURSIVE up AS (SELECT customer, n, total FROM purchase WHERE n = 14 UNION ALL SELECT o.customer, o.n, o.total"
               " FROM up JOIN purchase o ON o.customer = up.customer AND o.total = up.total - 21) SELECT customer, n FROM up")
        wanted = sorted(self.fx.rows(self.local(sql)))
        self.assertGreater(len(wanted), 15)
        for method in (HASHED, "SET enable_nestloop = off; SET enable_hashjoin = off", ""):
            for memory in ("4MB", "64kB"):
                with self.subTest(method=method, memory=memory):
                    self.fx.execute(f"RESET ALL; SET work_mem = '{memory}'; {method}")
                    self.assertEqual(sorted(self.fx.rows(sql)), wanted)
                    self.assertEqual(len(self.begun(sql)), 1)

    def test_limits(self):
        """A scan that stops early reads no more than by itself."""
        for sql in ("SELECT id FROM customer LIMIT 1", "(SELECT id FROM customer LIMIT 1) UNION ALL (SELECT customer FROM purchase LIMIT 1)"):
            with self.subTest(sql):
                counts = []
                for setting in ("on", "off"):
                    self.fx.execute(f"SET {SHARED} = {setting}")
                    counts.append(len(self.fx.requests(sql)))
                self.assertEqual(*counts)

    def test_limit_above(self):
        """Another scan reads everything anyway."""
        self.fx.execute(HASHED)
        sql = "SELECT o.n FROM purchase o JOIN customer c ON c.id = o.customer LIMIT 3"
        self.assertEqual(len(self.fx.rows(sql)), 3)
        self.assertEqual(len(self.begun(sql)), 1)

    def test_not_for_each_row(self):
        """A correlated subquery does not share; what it reads again is cached as before."""
        self.assertReads("SELECT c.id, (SELECT sum(o.total) FROM purchase o WHERE o.total > c.rank) FROM customer c", 3, 3)


class Indexes(fixture.TestCase):
    """An entity that has an index, next to one that has none."""

    COMPANIES, USERS = 150, 30

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), None, [index("by_email", ("email", "S"))])
        cls.fx.put("app", [{"pk": f"c#{n:03}", "_et": "company", "name": f"company {n % 9}", "pad": "x" * 200} for n in range(cls.COMPANIES)])
        cls.fx.put("app", [{"pk": f"u#{n:03}", "_et": "user", "name": f"user {n % 4}", "email": f"e{n}"} for n in range(cls.USERS)])
        common = {"table_name": cls.fx.remote("app"), "scan_policy": "allow", "fetch_size": 40}
        cls.fx.foreign_table("company", 'id text COLLATE "C" NOT NULL, name text', key_templates='{"pk": "c#${id}"}', item_filter='{"_et": "company"}', **common)
        cls.fx.foreign_table("app_user", 'id text COLLATE "C" NOT NULL, name text, email text COLLATE "C" NOT NULL', key_templates='{"pk": "u#${id}"}',
                             item_filter='{"_et": "user"}', trusted_indexes="by_email", **common)
        cls.fx.foreign_table("anything", 'pk text COLLATE "C" NOT NULL, name text, email text COLLATE "C"', trusted_indexes="by_email", **common)
        for name in ("company", "app_user", "anything"):
            cls.fx.execute(f"CREATE TABLE local_{name} AS SELECT * FROM {name}; ANALYZE local_{name}")

    def setUp(self):
        self.addCleanup(self.fx.execute, "RESET ALL; SET statement_timeout = '60s'")

    def assertIndexes(self, sql, *indexes):
        """The rows of local tables, and what was read."""
        local = re.sub(r"\b(FROM|JOIN) (company|app_user|anything)\b", r"\1 local_\2", sql)
        for setting in ("on", "off"):
            self.fx.execute(f"SET enable_async_append = {setting}")
            self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(self.fx.rows(local), key=str), sql)
            requests = [r for r in self.fx.requests(sql) if "ExclusiveStartKey" not in r.body]
            self.assertEqual({r.operation for r in requests}, {"Scan"})
            self.assertEqual(sorted(r.body.get("IndexName", "-") for r in requests), sorted(indexes), f"{sql}\n{self.fx.explain(sql)}")

    def test_joined(self):
        """One Scan of the table, whichever begins."""
        for sql in ("SELECT id, name FROM company UNION ALL SELECT id, email FROM app_user",
                    "SELECT id, email FROM app_user UNION ALL SELECT id, name FROM company",
                    "SELECT count(*) FROM app_user UNION ALL SELECT length(name) FROM company",
                    "SELECT id, email FROM app_user WHERE name = 'user 2' AND email > 'e1' UNION ALL SELECT id, name FROM company WHERE name > 'company 3'",
                    "SELECT id, email FROM app_user UNION ALL SELECT id, name FROM company UNION ALL SELECT email, id FROM app_user WHERE email < 'e2'"):
            self.assertIndexes(sql, "-")
        self.fx.execute(f"SET {SHARED} = off")
        self.assertIndexes("SELECT id, name FROM company UNION ALL SELECT id, email FROM app_user", "-", "by_email")

    def test_apart(self):
        """What the index knows by itself, counts, and what might not have to be read."""
        self.assertIndexes("SELECT pk, name FROM anything WHERE email <> '' UNION ALL SELECT id, name FROM company", "-", "by_email")
        self.assertIndexes("SELECT pk FROM anything WHERE email > 'e1' UNION ALL SELECT name FROM anything WHERE email <> ''"
                           " UNION ALL SELECT name FROM company", "-", "by_email")
        self.assertIndexes("SELECT count(*) FROM anything WHERE email <> '' UNION ALL SELECT length(name) FROM company", "-", "by_email")
        self.assertIndexes("SELECT id FROM app_user UNION ALL SELECT email FROM app_user", "by_email")
        self.assertIndexes("SELECT id FROM app_user WHERE name = 'nobody' AND email NOT IN (SELECT name FROM company)", "by_email")

    def test_units(self):
        """What the table takes is refused, though the scan that begins would read its index."""
        self.fx.execute("SET enable_async_append = off; SET dynamo_fdw.max_read_units_per_statement = 3")
        sql = "SELECT email FROM app_user UNION ALL SELECT name FROM company"
        self.fx.proxy.reset()
        self.assertIn("uses about", self.fx.error(sql).detail)
        self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], [])

    def test_explain(self):
        """Which scan has the requests, and of what."""
        plan = self.fx.explain("SELECT email FROM app_user UNION ALL SELECT name FROM company", "ANALYZE, COSTS OFF, TIMING OFF")
        self.assertIn("Shared Read: of the table, for 2 scans", plan)
        self.assertIn("Shared Read: by the scan of app_user", plan)


class Keys(Shared):
    """One partition, or one item."""

    def test_item(self):
        """A parent with its elements is one GetItem."""
        sql = "SELECT o.total, t.tag FROM purchase o JOIN tag t USING (customer, n) WHERE o.customer = '03' AND o.n = 5"
        self.assertReads(sql, 1)
        [request] = self.begun(sql)
        self.assertEqual(request.operation, "GetItem")
        self.fx.execute("PREPARE one (text, int) AS SELECT o.total, t.tag FROM purchase o JOIN tag t USING (customer, n)"
                        " WHERE o.customer = $1 AND o.n = $2")
        for number in range(7):
            sql = f"EXECUTE one ('0{number}', {number})"
            self.assertEqual(len(self.begun(sql)), 1)
            self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(self.fx.rows(
                "SELECT total, tag FROM local_purchase JOIN local_tag USING (customer, n)"
                f" WHERE customer = '0{number}' AND n = {number}"), key=str))
        self.fx.execute("DEALLOCATE one")

    def test_partition(self):
        """The same partition and the same range; the order stays."""
        self.fx.execute(HASHED)
        self.assertReads("SELECT o.total, t.tag FROM purchase o JOIN tag t ON t.customer = o.customer AND t.n = o.n + 1"
                         " WHERE o.customer = '03' AND t.customer = '03'", 1)
        self.assertReads("SELECT o.total FROM purchase o WHERE o.customer = '03' AND o.n > 4 UNION ALL"
                         " SELECT t.n FROM tag t WHERE t.customer = '03' AND t.n > 4", 1)
        sql = "SELECT array(SELECT n FROM purchase WHERE customer = '03' ORDER BY n), array(SELECT total FROM purchase WHERE customer = '03')"
        self.assertEqual(len(self.begun(sql)), 1)
        self.assertEqual(self.fx.rows(sql), self.fx.rows(self.local(sql).replace("total FROM local_purchase WHERE customer = '03'",
                                                                                "total FROM local_purchase WHERE customer = '03' ORDER BY n")))

    def test_parts_of_one_partition(self):
        """A scan of all orders reads the items of the others as well, each of which takes only its own."""
        self.fx.execute(HASHED)
        every = "SELECT total FROM purchase WHERE customer = '03'"
        self.assertReads(f"{every} UNION ALL SELECT total FROM purchase WHERE customer = '03' AND n = 4", 1)
        self.assertReads(f"{every} UNION ALL SELECT n FROM tag WHERE customer = '03' AND n = 4 UNION ALL"
                         " SELECT total FROM purchase WHERE customer = '03' AND n BETWEEN 10 AND 19", 1, 3)
        self.fx.foreign_table("item", 'pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL', table_name=self.fx.remote("app"))
        sql = "SELECT sk FROM item WHERE pk = 'c#03' UNION ALL SELECT sk FROM item WHERE pk = 'c#03' AND sk {}"
        for condition, count in (("= 'profile'", 1), ("> 'order#14'", 3), ("LIKE 'order#1%'", 7)):
            self.assertEqual(len(self.fx.rows(sql.format(condition))), 18 + count)
            self.assertEqual(len(self.begun(sql.format(condition))), 1)

    def test_lists(self):
        """The same list of items, or of partitions, in any order of the values."""
        self.fx.execute(HASHED)
        items = "customer IN ({}) AND n = ANY (ARRAY[{}])"
        one = "SELECT o.total, t.tag FROM (SELECT * FROM purchase WHERE {}) o JOIN (SELECT * FROM tag WHERE {}) t USING (customer, n)"
        sql = one.format(items.format("'01', '03', '05'", "2, 4, 6, 2"), items.format("'05', '03', '01'", "6, 2, NULL, 4"))
        self.assertReads(sql, 1)
        [request] = self.begun(sql)
        self.assertEqual((request.operation, len(request.body["RequestItems"][self.fx.remote("app")]["Keys"])), ("BatchGetItem", 9))
        for setting in ("on", "off"):
            self.fx.execute(f"SET enable_async_append = {setting}")
            self.assertReads("SELECT total FROM purchase WHERE customer IN ('01', '03') UNION ALL SELECT n FROM tag"
                             " WHERE customer IN ('03', '01')", 2)
            self.assertReads("SELECT total FROM purchase WHERE (customer, n) IN (('01', 3), ('02', 5)) UNION ALL SELECT n FROM tag"
                             " WHERE (customer, n) IN (('02', 5), ('01', 3)) AND tag <> 't0'", 1)

    def test_other_lists(self):
        """Other lists are other requests; so are partitions that are merged in an order."""
        self.fx.execute("SET enable_async_append = off")
        for sql, reads in (("SELECT total FROM purchase WHERE customer IN ('01', '03') AND n = 2 UNION ALL SELECT n FROM tag"
                            " WHERE customer IN ('01', '04') AND n = 2", 2),
                           ("SELECT array(SELECT n FROM purchase WHERE customer IN ('01', '03') ORDER BY n), array(SELECT n FROM tag"
                            " WHERE customer IN ('01', '03') ORDER BY n)", 4)):
            self.fx.execute("SET enable_sort = off")
            self.assertReads(sql, reads, reads)

    def test_list_below_limit(self):
        """A scan that stops early reads no more of a list than by itself."""
        keys = ", ".join(f"'{c:02}'" for c in range(CUSTOMERS))
        sql = " UNION ALL ".join(f"(SELECT n FROM {name} WHERE customer IN ({keys}) AND n IN ({', '.join(map(str, range(20)))}) LIMIT 1)"
                                 for name in ("purchase", "tag"))
        counts = []
        for setting in ("on", "off"):
            self.fx.execute(f"SET {SHARED} = {setting}")
            counts.append(len(self.fx.requests(sql)))
        self.assertEqual(*counts)

    def test_others(self):
        """Another partition, range or direction is another request."""
        for sql in ("SELECT o.total FROM purchase o WHERE o.customer = '03' UNION ALL SELECT t.n FROM tag t WHERE t.customer = '04'",
                    "SELECT o.total FROM purchase o WHERE o.customer = '03' AND o.n > 4 UNION ALL"
                    " SELECT t.n FROM tag t WHERE t.customer = '03' AND t.n > 5",
                    "SELECT array(SELECT n FROM purchase WHERE customer = '03' ORDER BY n),"
                    " array(SELECT n FROM purchase WHERE customer = '03' ORDER BY n DESC)"):
            with self.subTest(sql):
                self.assertReads(sql, 2, 2)


class Errors(Shared):
    """Errors are those of requests of one's own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("odd", ("id", "S"))
        cls.fx.put("odd", [{"id": "a", "kind": "x", "v": 10}, {"id": "b", "kind": "y", "v": "misfit", "w": 1}, {"id": "c", "kind": "y", "v": 3, "w": 2}])
        for kind in "xy":
            cls.fx.foreign_table(f"odd_{kind}", 'id text COLLATE "C" NOT NULL, v int, w int', table_name=cls.fx.remote("odd"),
                                 scan_policy="allow", item_filter=json.dumps({"kind": kind}))

    def test_never_started(self):
        """What is not read is not decoded."""
        self.fx.execute(HASHED)
        self.assertEqual(self.fx.rows("SELECT * FROM odd_x x JOIN odd_y y USING (id) WHERE x.v > 100"), [])
        self.assertEqual(self.fx.rows("SELECT id, v FROM odd_x UNION ALL (SELECT id, v FROM odd_y WHERE false)"), [("a", 10)])
        self.assertEqual(self.fx.rows("SELECT id, v FROM odd_x UNION ALL SELECT id, w FROM odd_y ORDER BY 1"), [("a", 10), ("b", 1), ("c", 2)])

    def test_filtered(self):
        """Nor what a scan's own filter does not select."""
        self.assertEqual(self.fx.rows("SELECT id, v FROM odd_y WHERE w = 2 UNION ALL SELECT id, w FROM odd_y ORDER BY 1, 2"),
                         [("b", 1), ("c", 2), ("c", 3)])

    def test_parts_of_documents(self):
        """Nor what only others requested: their members, the key, an entire document, or all of the item."""
        self.fx.create_table("papers", ("pk", "S"))
        self.fx.put("papers", [{"pk": "a", "kind": "x", "doc": {"a": 1, "b": "bad\0", "c": {"x": 5, "y": "\0"}}, "w": 5},
                               {"pk": "b", "kind": "y", "doc": {"a": 2, "b": "good", "c": {"x": 6, "y": "fine"}}, "w": 6},
                               {"pk": "c\0d", "kind": "q", "doc": ["\0"], "w": 6}])
        self.fx.foreign_table("paper", "kind text, doc jsonb, w int", table_name=self.fx.remote("papers"), scan_policy="allow")
        self.fx.foreign_table("raw", "item jsonb OPTIONS (document 'item'), kind text", table_name=self.fx.remote("papers"), scan_policy="allow")
        sums = "array(SELECT item ->> 'w' FROM raw WHERE raw.kind = o.k)"
        for sql, wanted, reads in (
                ("SELECT doc ->> 'a' FROM paper UNION ALL SELECT doc ->> 'b' FROM paper WHERE kind = 'y'", [("1",), ("2",), ("good",), (None,)], 1),
                ("SELECT item ->> 'w' FROM raw UNION ALL SELECT kind FROM paper WHERE kind = 'y'", [("5",), ("6",), ("6",), ("y",)], 1),
                ("SELECT doc ->> 'a' FROM paper UNION ALL SELECT doc::text FROM paper WHERE kind = 'y' AND w > 7", [("1",), ("2",), (None,)], 1),
                ("SELECT doc -> 'c' ->> 'x' FROM paper UNION ALL SELECT doc -> 'c' ->> 'y' FROM paper WHERE kind = 'y'", [("5",), ("6",), ("fine",), (None,)], 2),
                (f"SELECT {sums} FROM (VALUES (1, 'x'), (2, 'y'), (3, 'q')) o (n, k)", [(["5"],), (["6"],), (["6"],)], 2)):
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(wanted, key=str))
                self.assertEqual(len(self.begun(sql)), reads)

    def test_nothing_to_request(self):
        """A scan whose filter turns out to select nothing sends no request, and is not refused."""
        self.fx.execute("ALTER FOREIGN TABLE purchase OPTIONS (SET scan_policy 'error')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE purchase OPTIONS (SET scan_policy 'allow')")
        sql = "SELECT count(*) FROM customer UNION ALL SELECT n FROM purchase WHERE total > (SELECT max(rank) FROM local_customer WHERE rank > 100)"
        self.assertEqual(self.fx.rows(sql), [(CUSTOMERS,)])

    def test_temporary_files(self):
        """Beyond work_mem nothing is cached for scans that may not begin."""
        self.fx.foreign_table("pad", "pk text, sk text, pad text", table_name=self.fx.remote("app"), scan_policy="allow", fetch_size=40)
        self.fx.execute("SET enable_async_append = off; SET work_mem = '64kB'; SET temp_file_limit = '8kB'")
        self.addCleanup(self.fx.execute, "RESET temp_file_limit")
        self.assertEqual(len(self.fx.rows("SELECT length(pad) FROM pad UNION ALL (SELECT 1 FROM pad WHERE pad > 'y' LIMIT 1)")),
                         CUSTOMERS + sum(ORDERS - c for c in range(CUSTOMERS)))

    def test_subplans_that_may_not_run(self):
        """Nor for a subquery whose result may not be needed; and a count stays one."""
        self.fx.foreign_table("padded", "pk text, sk text, pad text", table_name=self.fx.remote("app"), scan_policy="allow", fetch_size=40)
        self.fx.execute("SET work_mem = '64kB'; SET temp_file_limit = '8kB'")
        self.addCleanup(self.fx.execute, "RESET temp_file_limit")
        items = CUSTOMERS + sum(ORDERS - c for c in range(CUSTOMERS))
        for sql, result in (("SELECT CASE WHEN count(*) < 10 THEN (SELECT max(pad) FROM padded) ELSE 'many' END FROM padded", "many"),
                            ("SELECT count(*) FROM padded x WHERE CASE WHEN x.pk > '' THEN true ELSE x.pad = (SELECT max(pad) FROM padded) END", items),
                            ("SELECT count(*) FROM padded x WHERE x.pk || '' > '' OR x.pad = (SELECT max(pad) FROM padded)", items)):
            with self.subTest(sql):
                self.assertEqual(self.fx.rows(sql), [(result,)])
        self.assertEqual({r.body.get("Select") for r in self.fx.requests("SELECT CASE WHEN count(*) < 10 THEN (SELECT max(pad) FROM padded)"
                                                                         " ELSE 'many' END FROM padded")}, {"COUNT"})

    def test_named(self):
        """The item's key is in the error."""
        failure = self.fx.error("SELECT id, w FROM odd_y UNION ALL SELECT id, v FROM odd_y")
        self.assertIn('column "v" of foreign table "odd_y"', failure.message)
        self.assertIn('id = "b"', failure.detail)

    def test_refused(self):
        """A table that may not be scanned is refused though another pays; the warning comes once."""
        sql = "SELECT id FROM customer UNION ALL SELECT customer FROM purchase"
        for table in ("customer", "purchase"):
            self.fx.execute(f"ALTER FOREIGN TABLE {table} OPTIONS (SET scan_policy 'error')")
            self.assertEqual(self.fx.error(sql).sqlstate, "55000")
            self.fx.execute(f"ALTER FOREIGN TABLE {table} OPTIONS (SET scan_policy 'warn')")
            self.assertEqual(len(self.fx.notices(sql)), 1)
        self.assertEqual(len(self.fx.notices(sql)), 1)
        for table in ("customer", "purchase"):
            self.fx.execute(f"ALTER FOREIGN TABLE {table} OPTIONS (SET scan_policy 'allow')")

    def test_bounded(self):
        """A LIMIT scan that is allowed by itself is allowed next to a scan that reads everything."""
        self.fx.execute("ALTER FOREIGN TABLE purchase OPTIONS (SET scan_policy 'error')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE purchase OPTIONS (SET scan_policy 'allow')")
        self.fx.foreign_table("plain", "pk text, sk text", table_name=self.fx.remote("app"), scan_policy="error", fetch_size=40)
        for few in ("SELECT n > -1 FROM purchase LIMIT 3", "SELECT pk > '' FROM plain LIMIT 3"):
            for sql in (f"({few}) UNION ALL SELECT rank > -1 FROM customer", f"SELECT rank > -1 FROM customer UNION ALL ({few})"):
                for setting in ("on", "off"):
                    with self.subTest(sql, async_append=setting):
                        self.fx.execute(f"SET enable_async_append = {setting}")
                        self.assertEqual(self.fx.rows(sql), [(True,)] * (CUSTOMERS + 3))

    def test_units(self):
        """The limit of a statement counts them once."""
        sql = "SELECT id FROM customer UNION ALL SELECT customer FROM purchase"
        plan = json.dumps(self.fx.rows(f"EXPLAIN (ANALYZE, FORMAT json) {sql}"))
        units = sum(float(part.split(",")[0].split("}")[0]) for part in plan.split('"Read Units": ')[1:])
        self.fx.execute(f"SET dynamo_fdw.max_read_units_per_statement = {int(units) + 1}")
        self.assertEqual(len(self.fx.rows(sql)), self.fx.value("SELECT (SELECT count(*) FROM local_customer) + (SELECT count(*) FROM local_purchase)"))
        self.fx.execute(f"SET {SHARED} = off")
        self.assertEqual(self.fx.error(sql).sqlstate, "54000")

    def test_units_beforehand(self):
        """What is known to take more is refused before the first request, though the scan that begins might stop early."""
        self.fx.execute(f"{HASHED}; ANALYZE customer, purchase; SET dynamo_fdw.max_read_units_per_statement = 3")
        sql = "SELECT o.n FROM purchase o JOIN customer c ON c.rank = o.total LIMIT 1"
        self.fx.proxy.reset()
        self.assertIn("uses about", self.fx.error(sql).detail)
        self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], [])

    def test_explain(self):
        """Which scan has the requests."""
        plan = self.fx.explain("SELECT id FROM customer UNION ALL SELECT customer FROM purchase", "ANALYZE, COSTS OFF, TIMING OFF")
        self.assertIn("Shared Read: for 2 scans", plan)
        self.assertIn("Shared Read: by the scan of customer", plan)
        self.assertNotIn("Shared Read", self.fx.explain("SELECT id FROM customer", "ANALYZE"))


class Cursors(Shared):
    """A statement that is executed by several FETCHes."""

    SQL = "SELECT o.customer, o.n, t.tag FROM purchase o JOIN tag t USING (customer, n) ORDER BY 1, 2, 3"

    def test_pieces(self):
        """A savepoint is rolled back while the cursor is open; other statements read the same in between."""
        self.fx.execute(HASHED)
        wanted = self.fx.rows(self.local(self.SQL))
        for work_mem in ("4MB", "64kB"):
            for sql in (self.SQL, self.SQL.partition(" ORDER BY")[0]):
                self.fx.execute(f"SET work_mem = '{work_mem}'; BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR {sql}; RELEASE s")
                rows = self.fx.rows("FETCH 5 FROM c")
                self.fx.execute("SAVEPOINT s")
                rows += self.fx.rows("FETCH 5 FROM c")
                self.assertEqual(self.fx.rows(self.SQL), wanted)
                self.fx.execute("ROLLBACK TO s")
                rows += self.fx.rows("FETCH ALL FROM c")
                self.fx.execute("COMMIT")
                self.assertEqual(sorted(rows), sorted(wanted))

    def test_given_up(self):
        """The next statement is as any other."""
        self.fx.execute(HASHED)
        for _ in range(3):
            self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR {self.SQL}")
            self.fx.rows("FETCH 1 FROM c")
            self.fx.execute("CLOSE c; COMMIT")
            self.assertEqual(self.fx.error("SELECT 1 / (n - n) FROM (SELECT o.n FROM purchase o JOIN tag t USING (customer, n)) x").sqlstate, "22012")
        self.assertEqual(self.fx.rows(self.SQL), self.fx.rows(self.local(self.SQL)))


class Roles(Shared):
    """Two roles with mappings of their own."""

    def test_not_shared(self):
        """What a view's owner reads is read with the owner's keys."""
        owner = f"{self.fx.database}_owner"
        self.addCleanup(self.fx.execute, f"DROP OWNED BY {owner}; DROP ROLE {owner}")
        self.fx.execute(f"CREATE ROLE {owner}; GRANT SELECT ON customer TO {owner}; GRANT USAGE ON FOREIGN SERVER ddb TO {owner};"
                        f"CREATE USER MAPPING FOR {owner} SERVER ddb OPTIONS (access_key_id 'owner', secret_access_key 'x');"
                        f"CREATE VIEW theirs AS SELECT id FROM customer; ALTER VIEW theirs OWNER TO {owner}")
        requests = self.begun("SELECT id FROM theirs UNION ALL SELECT customer FROM purchase")
        self.assertEqual(len(requests), 2)
        self.assertEqual(len(self.begun("SELECT id FROM customer UNION ALL SELECT customer FROM purchase")), 1)


class Plans(Shared):
    """The planner prices the requests of Scans that are sent once, once."""

    JOIN = "SELECT c.name, sum(o.total) FROM customer c JOIN purchase o ON o.customer = c.id GROUP BY c.name"

    def test_joins(self):
        """A lookup for each customer would cost more than what the other Scan reads anyway."""
        self.fx.create_table("wide", ("pk", "S"), ("sk", "S"))
        self.fx.put("wide", [{**item, "pad": "x" * 600} for item in items()])
        for name in ("customer", "purchase"):
            self.entity(name, table_name=self.fx.remote("wide"))
            self.addCleanup(self.entity, name)
        self.assertEqual([r.operation for r in self.begun(self.JOIN)], ["Scan"])
        self.fx.execute(f"SET {SHARED} = off")
        self.assertEqual([r.operation for r in self.begun(self.JOIN)], ["Scan", "BatchGetItem"])

    def test_keys(self):
        """A Scan next to keys is not shared, and not cheaper."""
        sql = "SELECT c.name, o.total FROM customer c JOIN purchase o ON o.customer = c.id WHERE c.id = '03'"
        self.assertEqual({r.operation for r in self.begun(sql)}, {"GetItem", "Query"})
