"""What DynamoDB reports late: index entries after their items, and descriptions after their tables."""
import fixture
import replies
from dynamo import item
from tables import index


class StaleEntries(fixture.TestCase):
    """A global index is a copy that lags; rows come from the table, and every condition is checked there."""

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        self.table = self.fake.table("t", ("pk", "S"), None, [index("by_owner", ("owner", "S"), ("at", "N"), "KEYS_ONLY")],
                                     items=[item({"pk": f"p{n}", "owner": "o", "at": n, "v": n}) for n in range(5)],
                                     item_count=10 ** 6, size_bytes=10 ** 9)
        self.fx.foreign_table("t", "pk text NOT NULL, owner text, at int, v int", server=self.name)
        self.fx.execute("SELECT FROM t WHERE pk = ''")
        self.sql = "SELECT v FROM t WHERE owner = 'o' AND at >= 0"

    def entries(self, *keys):
        """What the index returns."""
        found = [item({"pk": pk, "owner": "o", "at": at}) for pk, at in keys]
        self.fake.on("Query", [replies.reply({"Items": found, "Count": len(found), "ScannedCount": len(found)})])

    def test_fresh(self):
        """Keys come from the index, rows from the table."""
        self.assertEqual(sorted(self.fx.rows(self.sql)), [(n,) for n in range(5)])
        self.assertEqual(self.fake.operations()[-2:], ["Query", "BatchGetItem"])

    def test_item_gone(self):
        """An entry whose item was deleted gives no row."""
        self.entries(("p1", 1), ("gone", 2), ("p3", 3))
        self.assertEqual(sorted(self.fx.rows(self.sql)), [(1,), (3,)])

    def test_item_changed(self):
        """An item that no longer satisfies the key condition gives no row."""
        self.table.items[2]["owner"] = {"S": "another"}
        self.table.items[3]["at"] = {"N": "-7"}
        del self.table.items[4]["at"]
        self.entries(*((f"p{n}", n) for n in range(5)))
        self.assertEqual(sorted(self.fx.rows(self.sql)), [(0,), (1,)])

    def test_item_seen_twice(self):
        """An entry that moves while the index is read gives one row."""
        self.entries(("p1", 1), ("p2", 2), ("p1", 9))
        self.assertEqual(sorted(self.fx.rows(self.sql)), [(1,), (2,)])
        [batch] = [r for r in self.fake.requests if r.operation == "BatchGetItem"]
        self.assertEqual(len(batch.body["RequestItems"]["t"]["Keys"]), 2)

    def test_seen_twice_in_a_lookup(self):
        """This also holds for a Query of a lookup join."""
        join = "generate_series(1, 3) g JOIN t ON t.owner = CASE g WHEN 1 THEN 'o' ELSE 'x' || g END WHERE t.at >= 0"
        self.assertIn("DynamoLookupJoin", self.fx.explain(f"SELECT t.v FROM {join}"))
        self.entries(("p1", 1), ("p2", 2), ("p1", 9))
        self.assertEqual(sorted(self.fx.rows(f"SELECT t.v FROM {join}")), [(1,), (2,)])

    def test_seen_twice_on_pages_of_a_lookup(self):
        """It also holds on one page and on the next ones, for rows that share the Query, and for one that continues what another has begun."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        self.addCleanup(self.fx.execute, "RESET ALL")
        pages = [[item({"pk": pk, "owner": "o", "at": at}) for pk, at in page] for page in
                 ((("p1", 1), ("p2", 2), ("p1", 3)), (("p2", 4), ("p3", 5)), (("p3", 6), ("p1", 7), ("p3", 8)))]
        self.fake.pages("t", pages)
        found = "SELECT v FROM t WHERE t.owner = CASE WHEN g > 0 THEN 'o' END AND t.at >= 0"
        for sql, rows in ((f"SELECT g, v FROM generate_series(1, 3) g, LATERAL ({found}) s", [3, 3, 3]),
                          (f"SELECT g, v FROM generate_series(1, 4) g, LATERAL ({found} LIMIT g) s", [1, 2, 3, 3])):
            self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
            self.fake.reset()
            listed = self.fx.rows(sql)
            self.assertEqual(len(listed), len(set(listed)))
            self.assertEqual([sum(g == n + 1 for g, _ in listed) for n in range(len(rows))], rows)
            self.assertEqual(self.fake.operations().count("Query"), 3)
            self.assertEqual(sorted(key["pk"]["S"] for request in self.fake.requests if request.operation == "BatchGetItem"
                                    for key in request.body["RequestItems"]["t"]["Keys"]), ["p1", "p2", "p3"])

    def test_seen_twice_in_two_batches(self):
        """This holds however far apart its two positions are."""
        self.table.items = [item({"pk": f"p{n}", "owner": "o", "at": n, "v": n}) for n in range(900)]
        self.entries(*((f"p{n}", n) for n in range(900)), ("p0", 950), ("p1", 951))
        self.assertEqual(sorted(self.fx.rows(self.sql)), [(n,) for n in range(900)])

    def test_seen_in_two_partitions(self):
        """An item that moves from one partition to another while both are listed gives one row, also for lookups."""
        self.table.items[1]["owner"] = {"S": "b"}
        def listed(request):
            [owner] = [value["S"] for value in request.body["ExpressionAttributeValues"].values() if "S" in value]
            return replies.reply({"Items": [item({"pk": "p1", "owner": owner, "at": 1})], "Count": 1, "ScannedCount": 1})
        self.fake.on("Query", listed)
        join = "generate_series(1, 1) g JOIN t ON t.owner = ANY (CASE WHEN g = 1 THEN '{a,b}'::text[] END) WHERE t.at >= 0"
        self.assertIn("DynamoLookupJoin", self.fx.explain(f"SELECT t.v FROM {join}"))
        for setting in ("on", "off"):
            self.fx.execute(f"SET dynamo_fdw.enable_lookup_join = {setting}")
            self.assertEqual(self.fx.rows(f"SELECT t.v FROM {join}"), [(1,)])
            self.assertEqual(self.fx.rows("SELECT (SELECT count(v) FROM t WHERE owner IN (x, y)) FROM (VALUES ('a', 'b'), ('b', 'a')) o(x, y)"), [(1,), (1,)])
        self.fx.execute("RESET ALL")

    def test_order_is_that_of_the_items(self):
        """Rows are sorted by the items' values in the table."""
        self.table.items[0]["at"] = {"N": "100"}
        self.entries(*((f"p{n}", n) for n in range(5)))
        self.assertEqual(self.fx.rows(f"{self.sql} ORDER BY at"), [(1,), (2,), (3,), (4,), (0,)])

    def test_limit_after_losses(self):
        """A LIMIT does not count entries without a row."""
        self.entries(("gone1", 0), ("gone2", 1), ("p1", 1), ("p2", 2), ("p3", 3))
        self.assertEqual(len(self.fx.rows(f"{self.sql} LIMIT 2")), 2)

    def test_count(self):
        """What must be checked in the table is not counted in the index."""
        self.table.items[2]["owner"] = {"S": "another"}
        self.entries(*((f"p{n}", n) for n in range(5)))
        self.assertEqual(self.fx.value("SELECT count(v) FROM t WHERE owner = 'o' AND at >= 0"), 4)


class StaleDescriptions(fixture.TestCase):
    """Tables and indexes change without notice."""

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), items=[item({"pk": f"p{n}", "owner": "o", "v": n}) for n in range(5)])
        self.fx.foreign_table("t", "pk text NOT NULL, owner text, v int", server=self.name, scan_policy="allow")

    def test_described_once(self):
        """DescribeTable is sent once, not for each statement."""
        for _ in range(3):
            self.fx.rows("SELECT * FROM t")
        self.assertEqual(self.fake.operations().count("DescribeTable"), 1)

    def test_time_to_live(self):
        """dynamo_fdw.metadata_cache_ttl 0 requests each time."""
        self.fx.execute("SET dynamo_fdw.metadata_cache_ttl = 0")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.metadata_cache_ttl")
        for _ in range(3):
            self.fx.rows("SELECT * FROM t")
        self.assertGreaterEqual(self.fake.operations().count("DescribeTable"), 3)

    def test_another_key(self):
        """A table recreated with another key: the refusal makes us look again, and the statement works on."""
        self.fx.execute("PREPARE p AS SELECT v FROM t WHERE pk = 'p1'")
        self.addCleanup(self.fx.execute, "DEALLOCATE p")
        self.assertEqual(self.fx.rows("EXECUTE p"), [(1,)])
        self.fake.table("t", ("owner", "S"), ("pk", "S"), items=[item({"pk": "p1", "owner": "o", "v": 7})])
        self.fake.on("GetItem", replies.error("ValidationException", "The provided key element does not match the schema"))
        for _ in range(2):
            try:
                rows = self.fx.rows("EXECUTE p")
                break
            except fixture.psycopg2.Error as failure:
                self.assertTrue(failure.diag.message_hint, failure)
        self.assertEqual(rows, [(7,)])

    def test_an_index_comes_and_goes(self):
        """An index is used once it is described, and no more once it is refused."""
        self.fake.table("t", ("pk", "S"), None, [index("by_owner", ("owner", "S"))], item_count=10 ** 6, size_bytes=10 ** 9,
                        items=[item({"pk": f"p{n}", "owner": "o", "v": n}) for n in range(5)])
        sql = "SELECT v FROM t WHERE owner = 'o'"
        self.assertEqual(len(self.fx.rows(sql)), 5)
        self.assertEqual(self.fake.requests[-1].body.get("IndexName"), "by_owner")
        self.fake.table("t", ("pk", "S"), items=[item({"pk": f"p{n}", "owner": "o", "v": n}) for n in range(5)])
        self.fake.on("Query", replies.error("ValidationException", "The table does not have the specified index: by_owner"))
        for _ in range(2):
            try:
                rows = self.fx.rows(sql)
                break
            except fixture.psycopg2.Error as failure:
                self.assertTrue(failure.diag.message_hint, failure)
        self.assertEqual(len(rows), 5)
        self.assertEqual(self.fake.operations()[-1], "Scan")

    def test_index_that_is_being_made(self):
        """An index is used only when it is ACTIVE."""
        self.fake.table("t", ("pk", "S"), None, [index("by_owner", ("owner", "S"), status="CREATING")],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.fx.rows("SELECT v FROM t WHERE owner = 'o'")
        self.assertEqual({r.operation for r in self.fake.requests}, {"DescribeTable", "Scan"})

    def test_table_gone(self):
        """The error names the missing table."""
        self.fx.rows("SELECT * FROM t")
        del self.fake.tables["t"]
        for sql in ("SELECT * FROM t", "SELECT * FROM t WHERE pk = 'a'"):
            failure = self.fx.error(sql)
            self.assertEqual(failure.sqlstate, "HV00R", failure)
            self.assertIn('"t"', failure.message)


class ChangedSchemas(fixture.TestCase):
    """A cached plan is not executed against another key than it was made for."""

    ITEMS = [item({"pk": f"p{n:02}", "h": "x", "s1": n, "s2": 11 - n, "v": n, **({"s3": n} if n % 2 else {})}) for n in range(12)]

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        self.define(index("by_s", ("h", "S"), ("s1", "N")))
        self.fx.foreign_table("t", "pk text NOT NULL, h text, s1 int, s2 int, v int", server=self.name, scan_policy="allow")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "ROLLBACK; DEALLOCATE ALL; RESET plan_cache_mode; RESET dynamo_fdw.metadata_cache_ttl")

    def define(self, *indexes, range_key=None, **details):
        """The table as it is from now on."""
        return self.fake.table("t", ("pk", "S"), range_key, list(indexes), self.ITEMS, item_count=10 ** 6,
                               size_bytes=10 ** 9, **details)

    def prepare(self, sql, expected):
        """A statement with a plan that is cached, executed once."""
        self.fx.execute(f"PREPARE p AS {sql}")
        self.assertEqual(self.fx.rows("EXECUTE p"), expected)

    def age(self):
        """Every description is older than its time to live."""
        self.fx.execute("SET dynamo_fdw.metadata_cache_ttl = 0")

    def assert_refused_once(self, sql, expected, *indexes, text='index "by_s" of DynamoDB table "t" has changed since the statement was planned', **details):
        """A plan from before the change is not executed; it is recreated for the next execution.

        That is the plan of a cursor, because a prepared statement may lose its plan at any time.
        """
        self.prepare(sql, expected)
        self.age()
        self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR {sql}")
        self.define(*indexes, **details)
        failure = self.fx.error("FETCH ALL c")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("55000", text, "Retry the statement to plan it again."))
        self.fx.execute("ROLLBACK")
        self.assertEqual(self.fx.rows("EXECUTE p"), expected)

    def test_index_with_another_sort_key(self):
        self.assert_refused_once("SELECT s1 FROM t WHERE h = 'x' AND s1 IS NOT NULL ORDER BY s1", [(n,) for n in range(12)],
                                 index("by_s", ("h", "S"), ("s2", "N")))

    def test_greatest_of_another_sort_key(self):
        self.assert_refused_once("SELECT max(s1) FROM t WHERE h = 'x'", [(11,)], index("by_s", ("h", "S"), ("s2", "N")))

    def test_index_that_became_sparse(self):
        self.assert_refused_once("SELECT count(*) FROM t WHERE h = 'x' AND s1 >= 0", [(12,)], index("by_s", ("h", "S"), [("s1", "N"), ("s3", "N")]))

    def test_index_that_lacks_attributes(self):
        self.assert_refused_once("SELECT sum(v) FROM t WHERE h = 'x' AND s1 > 5", [(51,)], index("by_s", ("h", "S"), ("s1", "N"), projection="KEYS_ONLY"))

    def test_index_that_is_gone(self):
        self.assert_refused_once("SELECT v FROM t WHERE h = 'x' AND s1 = 5 AND v + 0 = 5", [(5,)])

    def test_table_with_another_sort_key(self):
        """This holds for all kinds of requests."""
        for sql in ("SELECT v FROM t WHERE pk = 'p03'", "SELECT v FROM t WHERE s2 + 0 = 8", "SELECT sum(v) FROM t WHERE v + 0 = 3"):
            with self.subTest(sql=sql):
                self.define(range_key=("s1", "N"))
                self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
                self.assert_refused_once(sql, [(3,)], range_key=("s2", "N"), text='DynamoDB table "t" has changed since the statement was planned')
                self.fx.execute("DEALLOCATE p; RESET dynamo_fdw.metadata_cache_ttl")

    def test_lookups(self):
        """Prefetched scans are checked as well."""
        self.fx.execute("CREATE TEMP TABLE o AS SELECT 'x' AS h, n FROM generate_series(0, 11) n; ANALYZE o")
        self.addCleanup(self.fx.execute, "DROP TABLE o")
        self.assert_refused_once("SELECT n, (SELECT max(s1) FROM t WHERE h = o.h AND s1 <= o.n) FROM o ORDER BY n", [(n, n) for n in range(12)],
                                 index("by_s", ("h", "S"), ("s2", "N")))

    def test_another_statement_saw_it(self):
        """Plans are recreated as soon as any statement of the session gets another description."""
        self.prepare("SELECT max(s1) FROM t WHERE h = 'x'", [(11,)])
        self.define(index("by_s", ("h", "S"), ("s2", "N")))
        self.age()
        self.fx.rows("SELECT v FROM t WHERE pk = 'p00'")
        self.fx.execute("RESET dynamo_fdw.metadata_cache_ttl")
        self.assertEqual(self.fx.rows("EXECUTE p"), [(11,)])

    def test_same_schema(self):
        """Another size, or another order of indexes, does not invalidate plans."""
        by_v, by_s = index("by_v", ("v", "N"), projection=["s1", "s2"]), index("by_s", ("h", "S"), ("s1", "N"))
        self.define(by_v, by_s)
        self.prepare("SELECT s1, s2 FROM t WHERE v = 3", [(3, 8)])
        self.define(by_s, {**by_v, "projection": ["s2", "s1"]}).item_count = 7
        self.age()
        for _ in range(2):
            self.assertEqual(self.fx.rows("EXECUTE p"), [(3, 8)])

    def test_key_of_the_next_page(self):
        """Before the description expires, the LastEvaluatedKey shows the change."""
        sql = "SELECT s1 FROM t WHERE h = 'x' AND s1 IS NOT NULL ORDER BY s1"
        self.prepare(sql, [(n,) for n in range(12)])
        self.define(index("by_s", ("h", "S"), ("s2", "N")), page_size=5)
        failure = self.fx.error(sql)
        self.assertEqual((failure.sqlstate, failure.message), ("55000", 'index "by_s" of DynamoDB table "t" has changed since '
                                                               "the statement was planned"))
        self.assertEqual(failure.detail, "The LastEvaluatedKey of a response has different attributes.")
        for again in (sql, "EXECUTE p"):
            self.assertEqual(self.fx.rows(again), [(n,) for n in range(12)])

    def test_refused_by_what_replaced_it(self):
        """A refused request is sent again only if the plan still matches the table."""
        self.prepare("SELECT max(s1) FROM t WHERE h = 'x' AND s1 > 3", [(11,)])
        self.define(index("by_s", ("h", "S"), ("s2", "N")))
        self.fake.on("Query", [replies.error("ValidationException", "Query condition missed key schema element: s2")])
        self.assertEqual(self.fx.error("EXECUTE p").sqlstate, "HV000")
        self.assertEqual(self.fx.rows("EXECUTE p"), [(11,)])

    def test_refused_together(self):
        """Each of the requests that were in flight when the first was refused is sent again, and no other."""
        sql = "SELECT v FROM t WHERE h IN ('x', 'y', 'z') AND s1 > 8"
        self.assertEqual(sorted(self.fx.rows(sql)), [(n,) for n in (9, 10, 11)])
        refused = replies.error("ResourceNotFoundException", "Requested resource not found")
        for times, ends_well in ((3, True), (4, False)):
            self.fake.reset()
            self.fake.on("Query", [refused] * times)
            self.fake.together(3, "Query")
            if ends_well:
                self.assertEqual(sorted(self.fx.rows(sql)), [(n,) for n in (9, 10, 11)])
                self.assertEqual([self.fake.operations().count(name) for name in ("Query", "DescribeTable")], [6, 1])
            else:
                self.assertEqual(self.fx.error(sql).sqlstate, "HV00R")

    def test_description_is_unavailable(self):
        """An outage of DescribeTable ends no statement whose description is only aged; it is not requested each time."""
        self.prepare("SELECT max(s1) FROM t WHERE h = 'x'", [(11,)])
        self.age()
        for response in (replies.error("InternalServerError", "sorry", 500), replies.reset_connection(),
                       replies.error("ThrottlingException", "Rate exceeded")):
            with self.subTest(response=response):
                self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
                self.fake.reset(scripts=True)
                self.fx.rows("EXECUTE p")
                self.fake.on("DescribeTable", response)
                self.fake.reset()
                for _ in range(3):
                    self.assertEqual(self.fx.rows("EXECUTE p"), [(11,)])
                # two attempts; libcurl repeats one that meets a reset on a connection used before
                self.assertIn(self.fake.operations().count("DescribeTable"), (2, 3))
