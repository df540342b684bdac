"""ANALYZE: statistics, how much is read for them, and what the planner makes of them."""
import math
import re

import fixture
import replies
import shop
from dynamo import item
from processes import WITHOUT_SANITIZERS
from server import most_in_flight
from tables import read_page

ITEMS_PER_UNIT = 10     # of the scripted tables


def analyzed(fx, sql):
    """What ANALYZE VERBOSE reports of its samples."""
    return [notice for notice in fx.notices(sql) if "scanned" in notice]


class Statistics(fixture.TestCase):
    """The 600 orders of the shop, which are read in full."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")

    def setUp(self):
        self.fx.foreign_table("orders", shop.COLUMNS["orders"])

    def column(self, name, table="orders"):
        """null_frac, avg_width and n_distinct of a column; None if it has no statistics."""
        rows = self.fx.rows("SELECT null_frac::float8, avg_width, n_distinct::float8 FROM pg_stats "
                            "WHERE tablename = %s AND attname = %s", (table, name))
        return rows[0] if rows else None

    def rows_of(self, sql):
        """The planner's estimate."""
        return int(re.search(r"rows=(\d+)", self.fx.explain(sql, "COSTS ON")).group(1))

    def size(self, table="orders"):
        """reltuples and relpages."""
        return self.fx.rows("SELECT reltuples::float8, relpages FROM pg_class WHERE oid = %s::regclass", (table,))[0]

    def test_counts(self):
        """Rows are counted; pages are those that the table would have here."""
        self.assertEqual(self.size(), (-1, 0))
        self.fx.execute("ANALYZE orders")
        bytes_ = self.fx.dynamo.call("DescribeTable", {"TableName": self.fx.remote("orders")})["Table"]["TableSizeBytes"]
        self.assertEqual(self.size(), (600, math.ceil(bytes_ / 8192)))

    def test_columns(self):
        """Distinct values, widths, NULLs."""
        self.fx.execute("ANALYZE orders")
        self.assertEqual(self.column("cust"), (0, 4, 20))
        self.assertEqual(self.column("at"), (0, 11, 30))
        self.assertEqual(self.column("status"), (0, 5, 3))
        self.assertEqual(self.column("paid"), (0, 1, 2))
        null_frac, width, distinct = self.column("ship")
        self.assertAlmostEqual(null_frac, 0.9, places=5)
        self.assertEqual((width, distinct), (3, 20))
        self.assertAlmostEqual(self.column("region")[0], 0.5, places=5)
        self.assertEqual(self.fx.value("SELECT most_common_vals::text FROM pg_stats WHERE tablename = 'orders' "
                                       "AND attname = 'region'"), "{eu,us}")

    def test_estimates(self):
        """The planner knows how many rows a condition leaves."""
        self.fx.execute("ANALYZE orders")
        for where, rows in (("", 600), (" WHERE status = 'open'", 200), (" WHERE cust = 'c01'", 30), (" WHERE ship = 's3'", 3),
                            (" WHERE ship IS NULL", 540), (" WHERE cust IN ('c01', 'c02')", 60)):
            with self.subTest(where):
                self.assertEqual(self.rows_of(f"SELECT * FROM orders{where}"), rows)

    def test_column_list(self):
        """Only the columns named get statistics."""
        self.fx.execute("ANALYZE orders (status, paid)")
        self.assertEqual(self.column("status"), (0, 5, 3))
        self.assertIsNone(self.column("cust"))

    def test_one_request(self):
        """Everything, no filter, eventually consistent whatever the options are."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD consistent_read 'on')")
        [request] = self.fx.requests("ANALYZE orders")
        self.assertEqual((request.operation, set(request.body)), ("Scan", {"TableName", "ReturnConsumedCapacity"}))

    def test_projection(self):
        """The first page has all attributes, others those of the columns."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '150')")
        names = [len(request.body.get("ExpressionAttributeNames", ())) for request in self.fx.requests("ANALYZE orders")]
        self.assertEqual(names, [0] + [11] * (len(names) - 1))
        self.assertGreaterEqual(len(names), 4)

    def test_key_without_a_column(self):
        """Errors name the item by its key, which is read too."""
        self.fx.foreign_table("orders", "status int")
        failure = self.fx.error("ANALYZE orders")
        self.assertEqual(failure.sqlstate, "HV004")
        self.assertIn('column "status"', failure.message)
        self.assertRegex(failure.detail, r'item cust = "c\d\d", at = ')
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD on_mismatch 'null'); ANALYZE orders")
        self.assertEqual(self.column("status")[0], 1)

    def test_column_named_like_its_key(self):
        """A placeholder is not the key attribute of the same name, whose type it need not have."""
        self.fx.create_table("named", ("id", "S"))
        self.fx.put("named", [{"id": f"ORDER#{n}", "total": 5} for n in range(20)])
        self.fx.foreign_table("named", "id int NOT NULL, total numeric", key_templates='{"id": "ORDER#${id}"}')
        self.fx.execute("ANALYZE named")
        self.assertEqual((self.size("named")[0], self.column("id", "named")), (20, (0, 4, -1)))

    def test_dropped_column(self):
        """ANALYZE skips dropped columns."""
        self.fx.execute("ALTER FOREIGN TABLE orders DROP COLUMN info, DROP COLUMN at; ANALYZE orders")
        self.assertEqual(self.column("note")[1], 8)

    def test_fetch_size(self):
        """fetch_size limits the pages of ANALYZE, as those of a Scan."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '150')")
        requests = self.fx.requests("ANALYZE orders")
        self.assertEqual([request.body["Limit"] for request in requests], [150] * len(requests))
        self.assertGreaterEqual(len(requests), 4)
        self.assertEqual(self.size()[0], 600)

    def test_policy(self):
        """scan_policy does not apply to ANALYZE: neither a warning nor an error."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD scan_policy 'error')")
        self.assertEqual(self.fx.notices("ANALYZE orders"), [])
        self.assertEqual(self.size()[0], 600)

    def test_verbose(self):
        """ANALYZE VERBOSE shows segments, items, read units and rows."""
        [message] = analyzed(self.fx, "ANALYZE VERBOSE orders")
        self.assertRegex(message, r'^INFO:  "orders": scanned 1 of 1 segments, containing 600 items, with [\d.]+ read units; '
                                  r'600 rows in sample, 600 estimated total rows$')

    def test_statement_target(self):
        """A small target takes a smaller sample, of all items."""
        self.fx.execute("SET default_statistics_target = 1")
        self.addCleanup(self.fx.execute, "RESET default_statistics_target")
        [message] = analyzed(self.fx, "ANALYZE VERBOSE orders")
        self.assertIn("300 rows in sample, 600 estimated total rows", message)
        self.assertGreater(self.column("cust")[2], 10)

    def test_partitions(self):
        """The parent gets statistics of local and foreign partitions together."""
        self.fx.execute('CREATE TABLE all_orders (cust text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL, status text)'
                        "PARTITION BY LIST (cust)")
        self.addCleanup(self.fx.execute, "DROP TABLE all_orders CASCADE")
        self.fx.execute("CREATE TABLE local_orders PARTITION OF all_orders FOR VALUES IN ('x');"
                        "INSERT INTO local_orders SELECT 'x', 'day ' || n, 'none' FROM generate_series(1, 100) n;"
                        "CREATE FOREIGN TABLE remote_orders PARTITION OF all_orders DEFAULT SERVER ddb "
                        f"OPTIONS (table_name '{self.fx.remote('orders')}')")
        self.fx.execute("ANALYZE all_orders")
        self.assertEqual(self.size("all_orders")[0], 700)
        self.assertEqual(self.size("remote_orders")[0], 600)
        self.assertEqual(self.column("status", "all_orders")[2], 4)
        self.assertEqual(self.column("cust", "all_orders")[2], 21)

    def test_an_empty_table(self):
        """An empty table has no rows, and its columns have no statistics."""
        self.fx.create_table("empty", ("pk", "S"))
        self.fx.foreign_table("empty", "pk text NOT NULL, v int")
        self.fx.execute("ANALYZE empty")
        self.assertEqual(self.size("empty"), (0, 1))
        self.assertIsNone(self.column("v", "empty"))
        self.assertEqual(self.rows_of("SELECT * FROM empty"), 1000)

    def test_database(self):
        """A plain ANALYZE leaves foreign tables alone, as PostgreSQL does with all of them, unless they are children of a table."""
        self.assertEqual(self.fx.requests("ANALYZE"), [])
        self.fx.execute("CREATE TABLE recent (cust text NOT NULL, at text NOT NULL); CREATE TABLE every (LIKE recent) PARTITION BY LIST (cust)")
        self.addCleanup(self.fx.execute, "DROP TABLE recent, every CASCADE")
        for child in ("PARTITION OF every DEFAULT", "() INHERITS (recent)"):
            self.fx.execute(f"CREATE FOREIGN TABLE older {child} SERVER ddb OPTIONS (table_name '{self.fx.remote('orders')}')")
            for command in ("ANALYZE", "VACUUM ANALYZE", "ANALYZE orders"):
                self.assertEqual([request.operation for request in self.fx.requests(command)], ["Scan"], (child, command))
            self.fx.execute("DROP FOREIGN TABLE older")


class Owners(fixture.TestCase):
    """Who reads."""

    def test_as_the_owner(self):
        """With the owner's keys, whichever role gives the command; without them not at all."""
        with fixture.FakeDynamo() as fake:
            fake.table("t", ("pk", "S"), items=[{"pk": {"S": "a"}}])
            self.fx.execute("DROP ROLE IF EXISTS an_owner, an_other; CREATE ROLE an_owner; CREATE ROLE an_other")
            self.addCleanup(self.fx.execute, "DROP OWNED BY an_owner, an_other; DROP ROLE an_owner, an_other")
            self.fx.execute(f"CREATE SERVER owned FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url '{fake.endpoint}', "
                            "region 'us-east-1'); CREATE USER MAPPING FOR an_owner SERVER owned OPTIONS "
                            "(access_key_id 'owner', secret_access_key 'x')")
            self.fx.foreign_table("t", "pk text NOT NULL", server="owned")
            self.assertEqual(self.fx.error("ANALYZE t").sqlstate, "42704")
            self.fx.execute("ALTER FOREIGN TABLE t OWNER TO an_owner; ANALYZE t")
            self.assertTrue(all("Credential=owner/" in request.headers["authorization"] for request in fake.requests))
            self.assertEqual(fake.operations(), ["DescribeTable", "Scan"])
            self.fx.execute("SET ROLE an_other")
            self.addCleanup(self.fx.execute, "RESET ROLE")
            fake.reset()
            self.assertIn("skipping", self.fx.notices("ANALYZE t")[0])
            self.assertEqual(fake.operations(), [])


class Scripted(fixture.TestCase):
    """A table whose items take a tenth of a read unit each."""

    def setUp(self):
        self.fake = self.fx.fake(f"fake{id(self)}")
        self.addCleanup(self.fake.stop)
        self.fx.execute("RESET ALL")

    def table(self, count, partition=1, per_page=1000, **reported):
        """The table t (h, n) of `count` items, in partitions of `partition` items; size for DescribeTable to report."""
        items = [item({"h": f"h{n // partition:06d}", "n": n % partition}) for n in range(count)]
        size = {"item_count": count, "size_bytes": count * 8192 // ITEMS_PER_UNIT, **reported}
        table = self.fake.table("t", ("h", "S"), ("n", "N"), items=items, page_size=per_page, **size)
        self.fx.foreign_table("t", 'h text COLLATE "C" NOT NULL, n int NOT NULL', server=f"fake{id(self)}")
        self.fake.on("Scan", lambda request: self.page(table, request))

    @staticmethod
    def page(table, request):
        """A page and what it costs: half a unit at least."""
        page = read_page(table, request.body, False)
        page["ConsumedCapacity"]["CapacityUnits"] = max(0.5, page["Count"] / ITEMS_PER_UNIT)
        request.units = page["ConsumedCapacity"]["CapacityUnits"]
        return page

    def scans(self):
        """The Scans recorded."""
        return [request for request in self.fake.requests if request.operation == "Scan"]

    def units(self):
        """What they cost."""
        return sum(request.units for request in self.scans())

    def analyze(self, units=None, options="VERBOSE", together=1):
        """(segments, of, items, units, sample, rows) of a fresh ANALYZE, whose first Scans get their responses together."""
        if units is not None:
            self.fx.execute(f"SET dynamo_fdw.analyze_read_units = {units}")
        self.fake.reset()
        self.fake.together(together, "Scan")
        [message] = analyzed(self.fx, f"ANALYZE ({options}) t")
        return [float(number) for number in re.findall(r"[\d.]+", message.partition('"t"')[2])]

    def reltuples(self):
        """Of t."""
        return self.fx.value("SELECT reltuples::float8 FROM pg_class WHERE relname = 't'")


class Bound(Scripted):
    """dynamo_fdw.analyze_read_units."""

    def test_small_tables_are_read_in_full(self):
        """As long as they are within the bound; and then the rows are counted."""
        self.table(2000, item_count=1900)
        self.assertEqual(self.analyze(200), [1, 1, 2000, 200, 2000, 2000])
        self.assertEqual(self.reltuples(), 2000)

    def test_large_tables_are_sampled(self):
        """By segments chosen at random, some of very many; the rows are DynamoDB's number."""
        self.table(20000)
        read, of, items, units, sample, rows = self.analyze(200)
        self.assertLessEqual(self.units(), 220)
        self.assertGreaterEqual(units, 180)
        self.assertEqual((sample, rows), (items, 20000))
        self.assertGreaterEqual(of, 1000)
        self.assertGreaterEqual(read, 50)
        segments = [request.body["Segment"] for request in self.scans() if "ExclusiveStartKey" not in request.body]
        self.assertEqual(len(set(segments)), len(segments))
        self.assertEqual({request.body["TotalSegments"] for request in self.scans()}, {of})
        self.assertGreater(max(segments), of / 2)
        self.assertLess(min(segments), of / 2)
        self.analyze(200)
        again = [request.body["Segment"] for request in self.scans() if "ExclusiveStartKey" not in request.body]
        self.assertNotEqual(set(again), set(segments))
        self.assertEqual(self.fx.rows("SELECT n_distinct::float8 FROM pg_stats WHERE attname = 'h'"), [(-1,)])

    def test_a_full_sample_ends_it(self):
        """ANALYZE reads no more than the statistics target needs."""
        self.table(20000)
        self.fx.execute("SET default_statistics_target = 1")
        _, _, items, units, sample, rows = self.analyze(1000)
        self.assertEqual((sample, rows), (300, 20000))
        self.assertLess(items, 600)
        self.assertLess(units, 60)

    def test_large_partitions(self):
        """A segment with a partition much larger than a segment is read in small pages, and does not break the bound."""
        self.table(20000, partition=5000)
        self.analyze(100)
        self.assertLessEqual(self.units(), 200)
        self.assertLessEqual(max(request.body["Limit"] for request in self.scans()), 100)

    def test_a_table_larger_than_described(self):
        """The bound holds too where DynamoDB does not know the size, or knows an old one."""
        for reported in ({"item_count": 0, "size_bytes": 0}, {"item_count": 100, "size_bytes": 10000}):
            with self.subTest(reported):
                self.table(5000, per_page=100, **reported)
                _, _, items, units, sample, rows = self.analyze(50)
                self.assertLessEqual(self.units(), 80)
                self.assertGreaterEqual(units, 50)
                self.assertEqual((sample, rows), (items, items))

    def test_smaller_than_described(self):
        """ANALYZE also ends when the remaining segments have no items."""
        self.table(100, item_count=20000, size_bytes=2_000_000)
        _, _, items, _, _, rows = self.analyze(100)
        self.assertLessEqual(items, 100)
        self.assertEqual(rows, 20000)
        self.assertLessEqual(self.units(), 110)

    def test_smallest_bound(self):
        """The smallest limit is one read unit."""
        self.table(20000)
        self.analyze(1)
        self.assertLessEqual(self.units(), 3)

    def test_values(self):
        """The limit must be at least one."""
        self.assertEqual(self.fx.error("SET dynamo_fdw.analyze_read_units = 0").sqlstate, "22023")

    def test_concurrency(self):
        """Segments are in flight together, within max_concurrency."""
        self.table(20000)
        self.fx.execute(f"ALTER SERVER fake{id(self)} OPTIONS (ADD max_concurrency '3')")
        self.fake.delay = 0.01      # a fourth has the time to come
        self.analyze(50, together=3)
        self.assertEqual(most_in_flight(self.scans()), 3)

    def test_growth(self):
        """Estimates follow the table's present size, as they do for local tables."""
        self.table(2000)
        self.fx.execute("ANALYZE t")
        estimate = "SELECT * FROM t"
        self.assertIn("rows=2000 ", self.fx.explain(estimate, "COSTS ON"))
        self.fake.tables["t"].item_count *= 5
        self.fake.tables["t"].size_bytes *= 5
        self.fx.execute("SET dynamo_fdw.metadata_cache_ttl = 0")
        self.assertIn("rows=10000 ", self.fx.explain(estimate, "COSTS ON"))

    def test_growth_from_nothing(self):
        """A table that was too new, or tiny, when it was analyzed is as large as DynamoDB reports later."""
        self.table(50, item_count=0, size_bytes=0)
        self.fx.execute("ANALYZE t; SET dynamo_fdw.metadata_cache_ttl = 0")
        self.assertIn("rows=50 ", self.fx.explain("SELECT * FROM t", "COSTS ON"))
        self.fake.tables["t"].item_count = 7000
        self.fake.tables["t"].size_bytes = 700_000
        self.assertIn("rows=7000 ", self.fx.explain("SELECT * FROM t", "COSTS ON"))


class Sizes(Scripted):
    """Large rows, and many."""

    def peak(self):
        """The backend's peak memory in MB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024

    @WITHOUT_SANITIZERS
    def test_large_attributes_of_unnested_items(self):
        """Each row has a copy of its item's attributes; the sample stays within maintenance_work_mem, and is a random one of all rows."""
        items = [item({"h": f"h{n:02d}", "n": n, "body": chr(97 + n) * 300_000, "tags": [f"tag {tag}" for tag in range(2000)]}) for n in range(20)]
        self.fake.table("t", ("h", "S"), ("n", "N"), items=items, page_size=3)
        self.fx.foreign_table("t", "h text NOT NULL, n int NOT NULL, body text, none text, tag text OPTIONS (path '@')",
                              server=f"fake{id(self)}", unnest="tags")
        self.fx.execute("SET maintenance_work_mem = '16MB'")
        before = self.peak()
        [message] = analyzed(self.fx, "ANALYZE VERBOSE t")
        sample = int(re.search(r"(\d+) rows in sample, 40000 estimated total rows", message).group(1))
        self.assertTrue(40 <= sample <= 56, message)
        self.assertLess(self.peak() - before, 70)
        self.assertEqual(self.fx.rows("SELECT avg_width, null_frac::int FROM pg_stats WHERE tablename = 't' AND attname IN ('body', 'none') ORDER BY 2"),
                         [(300_004, 0), (0, 1)])
        self.assertGreater(self.fx.value("SELECT cardinality(coalesce(histogram_bounds::text::text[], '{}')) + cardinality(coalesce(most_common_vals::text::text[], '{}'))"
                                         " FROM pg_stats WHERE tablename = 't' AND attname = 'n'"), 10)

    def together(self, count, partition, *commands, **reported):
        """True if two items are read by a Query of their partition, instead of two GetItems."""
        self.table(count, partition, **reported)
        self.fx.execute(f"ALTER SERVER fake{id(self)} OPTIONS (ADD scan_policy 'allow'); SET dynamo_fdw.metadata_cache_ttl = 0")
        for command in (*commands, "ANALYZE t"):
            self.fx.execute(command)
        self.fake.reset()
        self.assertEqual(sorted(self.fx.rows("SELECT n FROM t WHERE h = 'h000001' AND n = 1 UNION ALL SELECT n FROM t WHERE h = 'h000001' AND n = 2")),
                         [(1,), (2,)])
        self.fx.execute(f"RESET ALL; ALTER SERVER fake{id(self)} OPTIONS (DROP scan_policy)")
        return "Query" in self.fake.operations()

    def test_items_of_a_partition(self):
        """As many as n_distinct shows if a user has set it, or if all items were read; else those of the sample's keys."""
        self.assertTrue(self.together(900, 3))
        self.assertFalse(self.together(900, 90))
        self.assertFalse(self.together(900, 20, "SET default_statistics_target = 1"))
        self.assertTrue(self.together(20000, 4, "SET dynamo_fdw.analyze_read_units = 200"))
        self.assertFalse(self.together(20000, 1000, "ALTER TABLE t ALTER h SET (n_distinct = 10000)", item_count=10_000_000, size_bytes=8_192_000_000))


class Ends(Scripted):
    """Cancel and errors."""

    def test_cancel(self):
        """A cancel takes effect while a response is awaited."""
        self.table(100)
        self.fake.on("Scan", replies.hang_before_headers())
        self.fx.execute("SET statement_timeout = 300")
        self.assertEqual(self.fx.error("ANALYZE t").sqlstate, "57014")
        self.fx.execute("RESET statement_timeout")
        self.fake.reset(scripts=True)
        self.fx.execute("ANALYZE t")
        self.assertEqual(self.reltuples(), 100)

    def test_remote_error(self):
        """After an error of the service the statistics are unchanged."""
        self.table(100)
        self.fx.execute("ANALYZE t")
        self.fake.on("Scan", replies.error("AccessDeniedException", "no"))
        self.assertEqual(self.fx.error("ANALYZE t").sqlstate, "42501")
        self.assertEqual(self.reltuples(), 100)

    def test_in_a_transaction(self):
        """Rolled back with it, except for what PostgreSQL writes in place."""
        self.table(100)
        self.fx.execute("BEGIN; ANALYZE t; ROLLBACK")
        self.assertEqual(self.fx.rows("SELECT FROM pg_stats WHERE tablename = 't'"), [])

    def test_no_leaks(self):
        """Failed commands leave no warnings and no open descriptors."""
        self.table(3000)
        before = None
        for _ in range(3):
            self.assertEqual(self.fx.notices("ANALYZE t"), [])
            before = before or self.fx.value("SELECT open_fds FROM dynamo_fdw_stats()")
        self.assertEqual(self.fx.value("SELECT open_fds FROM dynamo_fdw_stats()"), before)
