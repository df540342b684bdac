"""Index, then base: keys that a global index lists again, because entries moved while it was read, give one row each."""
import dynamo
import fixture
from dynamo import item
from replies import reply
from tables import index, with_capacity

COUNT = 1200
REPEATED = 7            # the distance of keys that come a second time


def key(number):
    """Keys long enough that 64 kB hold a part of them only."""
    return f"{number:05d}" + "k" * 200


class ListedAgain(fixture.TestCase):
    """A scripted index of one partition: all entries, then some of them again."""

    def setUp(self):
        self.fake = self.fx.fake("listing")
        self.addCleanup(self.fx.execute, "DROP SERVER listing CASCADE")
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("pk", "S"), None, [index("by_owner", ("owner", "S"), ("at", "N"), "KEYS_ONLY")],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        listed = list(range(COUNT)) + list(range(0, COUNT, REPEATED)) + list(range(COUNT - 50, COUNT))
        self.entries = [item({"pk": key(n), "owner": "o", "at": place}) for place, n in enumerate(listed)]
        self.fake.pages("t", lambda number: self.entries[number * 100:(number + 1) * 100], count=-(-len(listed) // 100))
        self.fake.on("BatchGetItem", lambda request: self.batch(request.body))
        self.fx.foreign_table("t", "pk text COLLATE \"C\" NOT NULL, owner text, at numeric, note text", server="listing", scan_policy="error")
        self.fx.execute("SET hash_mem_multiplier = 1")
        self.addCleanup(self.fx.execute, "RESET ALL")

    @staticmethod
    def batch(body):
        """The items of those keys."""
        [wanted] = body["RequestItems"].values()
        found = [{**key, **item({"owner": "o", "at": 1, "note": f"n{key['pk']['S'][:5]}"})} for key in wanted["Keys"]]
        return reply(with_capacity({"Responses": {"t": found}, "UnprocessedKeys": {}}, {}))

    def assertEachOnce(self, sql):
        """Every item gives one row, whether its key is remembered or set aside."""
        for work_mem in ("64kB", "4MB"):
            with self.subTest(work_mem=work_mem, sql=sql):
                self.fx.execute(f"SET work_mem = '{work_mem}'")
                self.fake.reset()
                self.assertEqual(sorted(note for note, in self.fx.rows(sql)), [f"n{n:05d}" for n in range(COUNT)])
                keys = [key["pk"]["S"] for request in self.fake.requests if request.operation == "BatchGetItem"
                         for key in request.body["RequestItems"]["t"]["Keys"]]
                self.assertEqual(len(keys), len(set(keys)))

    def test_scan(self):
        """A scan of the index returns each item once."""
        sql = "SELECT note FROM t WHERE owner = 'o' AND at >= 0"
        self.assertIn("Query, then BatchGetItem", self.fx.explain(sql))
        self.assertEachOnce(sql)

    def test_scan_that_is_repeated(self):
        """Keys that were set aside are dropped when the execution ends."""
        self.fx.execute("SET work_mem = '64kB'; SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;"
                        "SET dynamo_fdw.enable_lookup_join = off")
        sql = "SELECT v.x, count(DISTINCT t.note) FROM (VALUES ('o', 1), ('o', 2)) v(o, x) CROSS JOIN LATERAL" \
              " (SELECT note FROM t WHERE t.owner = v.o AND t.at >= v.x - 2 OFFSET 0) t GROUP BY v.x ORDER BY v.x"
        self.assertEqual(self.fx.rows(sql), [(1, COUNT), (2, COUNT)])
        sql = "SELECT count(*) FROM (SELECT note FROM t WHERE owner = 'o' AND at >= 0 LIMIT 900) s"
        self.assertEqual(self.fx.rows(sql), [(900,)])

    def test_lookups(self):
        """Lookups return each item once, although they drop listed keys chunk by chunk."""
        self.fx.execute("ALTER SERVER listing OPTIONS (ADD max_concurrency '1');"
                        "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        sql = "SELECT t.note FROM generate_series(1, 1) g JOIN t ON t.owner = CASE WHEN g = 1 THEN 'o' END WHERE t.at >= 0"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEachOnce(sql)
        several = "SELECT g, count(t.note) FROM generate_series(1, 3) g JOIN t ON t.owner = CASE WHEN g > 0 THEN 'o' END" \
                  " WHERE t.at >= 0 GROUP BY g ORDER BY g"
        self.fx.execute("SET work_mem = '64kB'; SET dynamo_fdw.fetch_memory = '1MB'")
        self.assertEqual(self.fx.rows(several), [(g, COUNT) for g in (1, 2, 3)])


class GivenUp(fixture.TestCase):
    """Outer rows that want no more than the first of what an index lists for them."""

    # three batches of keys: the first is received, the last perhaps for the next owner, the second for no owner
    MANY = 280
    SOME = 25

    def setUp(self):
        self.fake = self.fx.fake("listing")
        self.addCleanup(self.fx.execute, "DROP SERVER listing CASCADE")
        self.addCleanup(self.fake.stop)
        self.fx.execute("ALTER SERVER listing OPTIONS (ADD max_concurrency '3')")
        self.fake.table("t", ("pk", "S"), None, [index("by_owner", ("owner", "S"), None, "KEYS_ONLY")],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.fake.on("Query", lambda request: self.listing(self.owner(request.body)))
        self.fake.on("BatchGetItem", lambda request: self.batch(request.body))
        self.fake.on("GetItem", lambda request: reply(with_capacity({"Item": self.full_item(request.body["Key"])}, {})))
        self.fx.foreign_table("t", "pk text COLLATE \"C\" NOT NULL, owner text, note text", server="listing",
                              scan_policy="error")

    @staticmethod
    def owner(body):
        """Whose keys a Query requests."""
        [value] = body["ExpressionAttributeValues"].values()
        return value["S"]

    @classmethod
    def listing(cls, owner):
        """The keys of an owner, as many as its name specifies."""
        count = cls.MANY if "many" in owner else cls.SOME if "some" in owner else 1
        keys = [item({"pk": f"{owner}-{n}", "owner": owner}) for n in range(count)]
        return reply(with_capacity({"Items": keys, "Count": len(keys), "ScannedCount": len(keys)}, {}))

    @staticmethod
    def full_item(key):
        """The item of a key."""
        return {**key, **item({"owner": key["pk"]["S"].split("-")[0], "note": "n"})}

    @classmethod
    def batch(cls, body):
        """The items of those keys."""
        found = [cls.full_item(key) for key in body["RequestItems"]["t"]["Keys"]]
        return reply(with_capacity({"Responses": {"t": found}, "UnprocessedKeys": {}}, {}))

    def queries_of_last(self, n, owner):
        """Looks up n owners, given by an expression over i, and then "last"; how often is that one requested?"""
        self.fx.execute("SET work_mem = '512kB'; SET hash_mem_multiplier = 1; SET dynamo_fdw.fetch_memory = '1MB'")
        self.assertEqual(self.fx.rows("SELECT count(*) FROM (SELECT EXISTS (SELECT FROM t WHERE t.owner = s.owner AND"
                                      f" t.note <> '') AS found FROM (SELECT {owner} AS owner FROM"
                                      f" generate_series(1, {n}) i OFFSET 0) s OFFSET 0) s WHERE found"), [(n,)])
        return sum(request.operation == "Query" and self.owner(request.body).startswith("last")
                   for request in self.fake.requests)

    def test_cache_goes_on(self):
        """Keys that no row reached take no space in the cache, where others are cached for later batches."""
        self.assertEqual(self.queries_of_last(400, "CASE WHEN i <= 200 THEN 'many' || i WHEN i % 20 = 0 THEN 'last'"
                                                   " ELSE 'some' || i END"), 1)

    def test_requested_again(self):
        """They are requested again when a later batch needs them: once, and not for each row."""
        self.assertLess(self.queries_of_last(600, "CASE WHEN i % 60 < 12 THEN 'last many' ELSE 'one' || i END"), 20)


class Chunks(fixture.TestCase):
    """Items of several partitions of an index, which are requested together."""

    def test_chunk_with_items_of_a_later_partition(self):
        """Items of a partition, of which an earlier execution needed only the first, are needed after a chunk of another partition."""
        self.fx.create_table("two", ("pk", "S"), None, [dynamo.index("by_gpk", ("gpk", "S"), None, "KEYS_ONLY")])
        self.fx.put("two", [{"pk": f"{gpk}{n:03}", "gpk": gpk, "v": v} for gpk, count, v in (("a", 200, 0), ("b", 250, 1)) for n in range(count)])
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '3')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency); RESET ALL")
        self.fx.foreign_table("two", 'pk text COLLATE "C" NOT NULL, gpk text COLLATE "C" NOT NULL, v int', table_name=self.fx.remote("two"), scan_policy="allow")
        self.fx.execute("CREATE TABLE two_l AS SELECT * FROM two; ANALYZE two_l; ALTER FOREIGN TABLE two OPTIONS (SET scan_policy 'error');"
                        "CREATE TABLE pairs (id int, x text, y text, z int); INSERT INTO pairs VALUES (1, 'b', 'b', 0), (2, 'a', 'b', 5), (3, 'b', 'a', 0), (4, 'a', 'a', -1)")
        for sql in ("SELECT o.id, EXISTS (SELECT FROM two f WHERE f.gpk IN (o.x, o.y) AND f.v > o.z) FROM pairs o",
                    "SELECT o.id, v FROM pairs o, LATERAL (SELECT v FROM two f WHERE f.gpk IN (o.x, o.y) AND f.v > o.z LIMIT 1) s"):
            self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(sql.replace("two f", "two_l f"))))
