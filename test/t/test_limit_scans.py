"""Previews: a LIMIT that bounds what a Scan reads is allowed under scan_policy 'error', and reads no more."""
import math
import time

import fixture
import psycopg2
from tables import read_page

HINT = 'HINT:  Add a condition on partition key "pk" of foreign table "f" to avoid the scan, or set scan_policy to "allow" to silence this warning.'
REFUSED = "full scan of DynamoDB table"


class Previews(fixture.TestCase):
    """A table that is described with 100,000 items of 100 bytes, of which a Scan finds 60."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)

    def setUp(self):
        self.item_units = 0
        self.make()
        self.foreign()
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")

    def make(self, items=60, count=100_000, size=100, **more):
        """The table, of items of that size as described."""
        rows = [{"pk": {"S": f"p{n:03}"}, "n": {"N": str(n)}, "x": {"S": "x" * 10}} for n in range(items)]
        table = self.fake.table("t", ("pk", "S"), items=rows, item_count=count, size_bytes=count * size, **more)
        self.fake.on("Scan", lambda request: self.page(table, request))

    def page(self, table, request):
        """A page, whose items cost that much."""
        page = read_page(table, request.body, False)
        if self.item_units:
            page["ConsumedCapacity"]["CapacityUnits"] = page["Count"] * self.item_units
        return page

    def foreign(self, name="f", **options):
        self.fx.foreign_table(name, "pk text NOT NULL, n int, x text", server="fake", table_name="t", **{"scan_policy": "error", **options})

    def limits(self, sql):
        """The Limit of each Scan that the statement sends."""
        self.fake.reset()
        self.fx.rows(sql)
        return [request.body.get("Limit") for request in self.fake.requests if request.operation == "Scan"]

    def refused(self, sql, why=""):
        """Refused, before a request is sent; `why` is the sentence on the LIMIT."""
        with self.subTest(sql):
            self.fx.rows("SELECT FROM f LIMIT 1")   # so that the table is described
            self.fake.reset()
            failure = self.fx.error(sql)
            self.assertEqual((failure.sqlstate, failure.message[:len(REFUSED)]), ("55000", REFUSED))
            self.assertEqual(failure.hint, 'Add a condition on partition key "pk" of foreign table "f" to avoid the scan, or set scan_policy to "warn" or "allow".'
                             + (f" LIMIT does not bound the Scan, because {why}." if why else ""))
            self.assertEqual([r for r in self.fake.operations() if r == "Scan"], [])

    def test_bounded(self):
        """LIMIT and OFFSET together are the Limit of the only request."""
        for sql, limit in (("SELECT * FROM f LIMIT 10", 10), ("SELECT n FROM f LIMIT 10 OFFSET 5", 15), ("SELECT * FROM f FETCH FIRST ROW ONLY", 1),
                           ("SELECT n + 1 FROM f LIMIT 3", 3), ("SELECT * FROM (SELECT * FROM f LIMIT 7) f WHERE n % 2 = 0", 7),
                           ("SELECT count(*) FROM (SELECT FROM f LIMIT 7) f", 7), ("SELECT * FROM f WHERE pk IS NOT NULL LIMIT 4", 4),
                           ("SELECT * FROM generate_series(1, 3), (SELECT n FROM f LIMIT 6 OFFSET 0) f ORDER BY 1", 6),
                           ("WITH w AS MATERIALIZED (SELECT * FROM f LIMIT 5) SELECT * FROM w a, w b", 5),
                           ("SELECT (SELECT n FROM f LIMIT 1), g FROM generate_series(1, 5) g", 1),
                           ("SELECT (SELECT (SELECT n FROM f LIMIT 1) + g) FROM generate_series(1, 5) g", 1),
                           ("WITH v AS MATERIALIZED (WITH w AS MATERIALIZED (SELECT * FROM f LIMIT 5) SELECT a.n FROM w a, w b) SELECT * FROM v a, v b", 5),
                           ("(SELECT n FROM f LIMIT 8) EXCEPT SELECT 1", 8), ("SELECT n FROM f WHERE now() > '2000-01-01' LIMIT 8", 8),
                           ("SELECT * FROM f LIMIT 10000", 10000)):
            with self.subTest(sql):
                self.assertEqual(self.limits(sql), [limit])
        self.assertEqual(len(self.fx.rows("SELECT * FROM f LIMIT 10 OFFSET 5")), 10)
        self.assertEqual(len(self.fx.rows("SELECT * FROM f LIMIT 100")), 60)

    def test_allowed_without_a_warning_of_a_full_scan(self):
        """The warning reports what is read; under 'allow' there is none."""
        for policy in ("error", "warn"):
            self.foreign(scan_policy=policy)
            hint = HINT if policy == "warn" else HINT.replace(', or set scan_policy to "allow" to silence this warning', "")
            self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 100"),
                             [f'WARNING:  reading up to 100 items of DynamoDB table "t" (about 1.2 read units)\n{hint}'], policy)
        self.foreign(scan_policy="allow")
        self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 100"), [])
        self.foreign(scan_policy="warn")
        self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 1"), [f'WARNING:  reading up to 1 item of DynamoDB table "t" (about 0.5 read units)\n{HINT}'])
        self.foreign(scan_policy="warn", consistent_read="on")
        self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 1"), [f'WARNING:  reading up to 1 item of DynamoDB table "t" (about 1 read unit)\n{HINT}'])
        self.make(count=0, size=0)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 9"), [f'WARNING:  reading up to 9 items of DynamoDB table "t"\n{HINT}'])

    def test_unbounded(self):
        """Filters, rechecks, sorts, groups, joins, no LIMIT."""
        for sql in ("SELECT * FROM f WHERE n = 1 LIMIT 5", "SELECT * FROM f WHERE length(x) > 3 LIMIT 5"):
            self.refused(sql, "the conditions may reject rows")
        self.refused("SELECT * FROM f ORDER BY n LIMIT 5", "ORDER BY sorts all rows")
        for sql in ("SELECT * FROM f", "SELECT * FROM f ORDER BY n LIMIT 20000", "SELECT max(n) FROM f", "SELECT max(n) FROM f LIMIT 1",
                    "SELECT DISTINCT n FROM f LIMIT 5", "SELECT n, count(*) FROM f GROUP BY n LIMIT 5", "SELECT count(*) FROM f LIMIT 5",
                    "SELECT generate_series(1, n) FROM f LIMIT 5", "SELECT * FROM f, generate_series(1, 2) LIMIT 5", "SELECT row_number() OVER () FROM f LIMIT 5",
                    "SELECT * FROM f OFFSET 5"):
            self.refused(sql)

    def test_size(self):
        """At most 1 MB, by the items' size, 300 bytes if it is unknown; OFFSET counts."""
        for size, most in ((100, 10485), (1024, 1024), (400_000, 2), (0, 3495), (2_000_000, 0)):
            self.make(count=1000 if size else 0, size=size)
            self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
            with self.subTest(size=size):
                if most:
                    self.assertEqual(self.limits(f"SELECT n FROM f LIMIT {most}"), [most])
                    self.assertEqual(self.limits(f"SELECT n FROM f LIMIT 1 OFFSET {most - 1}"), [most])
                self.assertEqual(self.fx.error(f"SELECT n FROM f LIMIT {most + 1}").sqlstate, "55000")
                self.assertEqual(self.fx.error(f"SELECT n FROM f LIMIT 1 OFFSET {most}").sqlstate, "55000")

    def test_repeated(self):
        """Inner sides and repeated subqueries are not bounded; what is cached for them is."""
        self.fx.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET ALL")
        self.refused("SELECT g, (SELECT n + g FROM f LIMIT 1) FROM generate_series(1, 5) g")
        self.refused("SELECT * FROM generate_series(1, 3) g, LATERAL (SELECT n, g FROM f LIMIT 2) f")
        self.refused("SELECT * FROM generate_series(1, 3) g LEFT JOIN (SELECT n FROM f LIMIT 2) f ON f.n < g")
        self.fx.execute("RESET enable_material")
        self.assertEqual(self.limits("SELECT * FROM generate_series(1, 3) g LEFT JOIN (SELECT n FROM f LIMIT 2) f ON f.n < g"), [2])

    def test_parameters(self):
        """A custom plan knows the LIMIT; a generic one does not."""
        self.fx.execute("PREPARE p(int) AS SELECT n FROM f LIMIT $1")
        self.addCleanup(self.fx.execute, "DEALLOCATE p; RESET plan_cache_mode")
        self.fx.execute("SET plan_cache_mode = force_custom_plan")
        self.assertEqual(self.limits("EXECUTE p(8)"), [8])
        self.fx.execute("RESET plan_cache_mode")
        for limit in range(1, 12):
            self.assertEqual(self.limits(f"EXECUTE p({limit})"), [limit])
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.refused("EXECUTE p(8)", "its value is unknown during planning")
        self.refused("SELECT * FROM f LIMIT (SELECT 5)", "its value is unknown during planning")

    def test_partitions(self):
        """Each partition may be read as far as the LIMIT goes."""
        self.fx.execute("CREATE TABLE parts (pk text, n int, x text) PARTITION BY LIST (n)")
        self.addCleanup(self.fx.execute, "DROP TABLE parts")
        for part in (1, 2):
            self.fx.execute(f"CREATE FOREIGN TABLE parts_{part} PARTITION OF parts FOR VALUES IN ({part}) SERVER fake OPTIONS (table_name 't', scan_policy 'error')")
        self.assertEqual(self.limits("SELECT * FROM parts LIMIT 70"), [70, 70])
        self.assertEqual(self.limits("SELECT * FROM parts LIMIT 20"), [20])

    def test_short_pages(self):
        """Pages that end early are followed by others, for what is left of the items."""
        self.make(page_size=8)
        self.assertEqual(self.limits("SELECT * FROM f LIMIT 20"), [20, 12, 4])

    def test_beyond(self):
        """More items than were planned for: a Scan like any other goes on, which is refused, or warned of."""
        # a cursor keeps its plan, a prepared statement may lose its plan at any time; LIMIT is evaluated at the first FETCH
        sql = ("SET LOCAL test.few = 5; DECLARE c CURSOR FOR SELECT n FROM f LIMIT current_setting('test.few')::bigint;"
               "SET LOCAL test.few = {}; FETCH ALL c")
        self.assertEqual(self.limits(sql.format(5)), [5])
        self.fake.reset()
        failure = self.fx.error(sql.format(12))
        self.assertEqual((failure.sqlstate, failure.message[:len(REFUSED)]), ("55000", REFUSED))
        self.assertEqual([r.body["Limit"] for r in self.fake.requests if r.operation == "Scan"], [5])
        self.foreign(scan_policy="warn")
        notices = self.fx.notices(sql.format(12))
        self.assertEqual([notice.split(" of ")[0].split(" Dyn")[0] for notice in notices], ["WARNING:  reading up to 5 items", "WARNING:  full scan"])
        self.assertEqual(self.limits(sql.format(12)), [5, 20])
        self.assertEqual(len(self.fx.rows(sql.format(12))), 12)

    def test_megabyte(self):
        """Items that are longer than described: after 1 MB of them it is a Scan like any other."""
        self.make(page_size=4, count=100_000, size=100)
        self.item_units = 16
        self.fake.reset()
        failure = self.fx.error("SELECT * FROM f LIMIT 50")
        self.assertEqual((failure.sqlstate, failure.message[:len(REFUSED)]), ("55000", REFUSED))
        self.assertEqual([r.body["Limit"] for r in self.fake.requests if r.operation == "Scan"], [50, 46])
        self.foreign(scan_policy="warn")
        self.assertEqual(len(self.fx.rows("SELECT * FROM f LIMIT 50")), 50)

    def test_cursor(self):
        """Rewound, a bounded read is repeated from what was received."""
        self.fake.reset()
        with self.fx.conn.cursor() as cursor:
            cursor.execute("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT n FROM f LIMIT 5; FETCH ALL c; MOVE ABSOLUTE 0 c; FETCH ALL c")
            self.assertEqual(len(cursor.fetchall()), 5)
            cursor.execute("COMMIT")
        self.assertEqual([r.body["Limit"] for r in self.fake.requests if r.operation == "Scan"], [5])


class MappedPreviews(fixture.TestCase):
    """Items of 1 kB that may be no row, or several: a preview reads up to preview_units for the rows of its LIMIT."""

    BYTES, ITEMS = 1024, 400

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)

    def setUp(self):
        self.units = []
        self.make(lambda n: n % 10 == 0)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")

    def make(self, is_order, count=None, total=ITEMS):
        """A table of orders, where the function matches, and other items."""
        expired = str(int(time.time()) - 86400)
        items = [{"pk": {"S": f"{'O' if is_order(n) else 'X'}#{n:03}"}, "sk": {"S": "-"}, "kind": {"S": "order" if is_order(n) else "x"},
                  "lines": {"L": [{"N": str(i)} for i in range(3 if is_order(n) else 0)]}, "total": {"N": str(n)}, "ends": {"N": "4000000000" if is_order(n) else expired}}
                 for n in range(total)]
        count = total if count is None else count
        table = self.fake.table("t", ("pk", "S"), ("sk", "S"), items=items, item_count=count, size_bytes=count * self.BYTES)
        self.fake.on("Scan", lambda request: self.page(table, request))
        self.foreign()

    def page(self, table, request):
        """A page, as DynamoDB bills it."""
        page = read_page(table, request.body, False)
        self.units.append(max(1, -(-page["ScannedCount"] * self.BYTES // 4096)) / 2 * (2 if request.body.get("ConsistentRead") else 1))
        page["ConsumedCapacity"]["CapacityUnits"] = self.units[-1]
        return page

    FORMS = {"templates": ("id text NOT NULL, total int", {"key_templates": '{"pk": "O#${id}"}'}), "item filter": ("pk text NOT NULL, total int", {"item_filter": '{"kind": "order"}'}),
             "ttl": ("pk text NOT NULL, total int", {"ttl_attribute": "ends"}), "elements": ("pk text NOT NULL, line int OPTIONS (attribute '@')", {"unnest": "lines"})}

    def foreign(self, form="templates", **options):
        """A foreign table over it."""
        columns, mapping = self.FORMS[form]
        self.fx.foreign_table("f", columns, server="fake", table_name="t", **mapping, **{"scan_policy": "error", **options})

    def read(self, sql):
        """The number of its rows, the Scans, and their units."""
        self.fake.reset()
        self.units.clear()
        rows = self.fx.rows(sql)
        return len(rows), self.fake.operations().count("Scan"), sum(self.units)

    def refused(self, sql, units, requests=None):
        """Refused after some units; the error."""
        self.fake.reset()
        self.units.clear()
        failure = self.fx.error(sql)
        self.assertEqual((failure.sqlstate, failure.message[:len(REFUSED)]), ("55000", REFUSED))
        self.assertEqual(sum(self.units), units)
        self.assertIn(self.fake.operations().count("Scan"), [requests] if requests is not None else range(9))
        return failure

    def test_found(self):
        """As many pages as it takes; the first one by the share of rows that the planner expects, the others by those found."""
        for form, rows in (("templates", 5), ("item filter", 5), ("ttl", 5), ("elements", 5)):
            self.foreign(form)
            with self.subTest(form):
                found, requests, units = self.read("SELECT * FROM f LIMIT 5")
                self.assertEqual(found, rows)
                self.assertLessEqual(requests, 4)
                self.assertLessEqual(units, 6 if form != "elements" else 2.5)

    def test_found_in_a_larger_table(self):
        """A page has as many items as the missing rows are expected to take, at most four times those of the page before."""
        self.make(lambda n: n % 10 == 0, total=20 * self.ITEMS)
        for form, items_of_row in (("templates", 1.0), ("item filter", 1.0), ("ttl", 1.0), ("elements", 1 / 3)):
            self.foreign(form, preview_units="1000")
            for limit in (5, 30, 100):
                with self.subTest(form, limit=limit):
                    found, requests, units = self.read(f"SELECT * FROM f LIMIT {limit}")
                    needed = (math.ceil(limit * items_of_row) - 1) * 10 + 1
                    self.assertEqual(found, limit)
                    self.assertLessEqual(requests, 4)
                    self.assertLessEqual(sum(request.body["Limit"] for request in self.fake.requests if request.operation == "Scan"), 1.2 * needed)
                    # each request is rounded up to half a unit
                    self.assertLessEqual(units, 1.2 * needed / 8 + requests / 2)

    def test_statements_of_tools(self):
        """What Superset, SQL Lab, Django, DBeaver, Metabase and psql users send to see rows."""
        for form in self.FORMS:
            self.foreign(form)
            key = "id" if form == "templates" else "pk"
            column = "line" if form == "elements" else "total"
            for sql, rows in ((f"SELECT {key} AS {key}, {column} AS {column} FROM f LIMIT 20", 20), ("SELECT * FROM (SELECT * FROM f) AS virtual_table LIMIT 10", 10),
                              ("SELECT * FROM (SELECT * FROM f LIMIT 8) AS inner_qry LIMIT 1001", 8), ('SELECT * FROM "f" LIMIT 1', 1),
                              (f'SELECT "f"."{key}", "f"."{column}" FROM "f" LIMIT 19', 19), ("SELECT x.* FROM public.f x LIMIT 15", 15),
                              (f'SELECT "source"."{key}" AS "{key}" FROM (SELECT "public"."f".* FROM "public"."f") AS "source" LIMIT 12', 12)):
                with self.subTest(form, sql=sql):
                    found, _, units = self.read(sql)
                    self.assertEqual((found, units <= 25), (rows, True))
            self.refused('SELECT COUNT(*) AS "__count" FROM "f"', 0, 0)
            self.refused(f'SELECT "f"."{key}" FROM "f" ORDER BY "f"."{key}" ASC LIMIT 1', 0, 0)

    def test_end_of_the_table(self):
        """Fewer rows than the LIMIT are all rows, if the table ends within the units."""
        self.make(lambda n: n in (7, 250))
        self.foreign(preview_units="51")
        found, _, units = self.read("SELECT * FROM f LIMIT 5")
        self.assertEqual((found, 50 <= units <= 51), (2, True))

    def test_not_found(self):
        """The error comes before the next request, and reports the units of a full scan."""
        self.make(lambda n: n in (7, 390))
        failure = self.refused("SELECT * FROM f LIMIT 5", 25)
        self.assertEqual(failure.detail, "It would read 400 items, 400.0 kB, about 50 read units. The rows of the LIMIT were not found in 25 read units.")
        self.assertEqual(failure.hint, 'Add a condition on "id" of foreign table "f", from which partition key "pk" is composed, to avoid the scan, raise preview_units, or set scan_policy to "warn" or "allow".')
        self.assertEqual(self.read("SELECT * FROM f LIMIT 1")[0], 1)

    def test_units(self):
        """Option of server and table, and parameter; the smallest counts, and 0 allows none."""
        self.make(lambda n: n == 399)
        sql = "SELECT * FROM f LIMIT 1"
        self.refused(sql, 25)
        self.foreign(preview_units="8")
        self.refused(sql, 8)
        self.fx.execute("SET dynamo_fdw.preview_units = 3")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.preview_units")
        self.assertEqual(self.refused(sql, 3).detail, "It would read 400 items, 400.0 kB, about 50 read units. The rows of the LIMIT were not found in 3 read units.")
        self.fx.execute("SET dynamo_fdw.preview_units = 100")
        self.refused(sql, 8)
        self.fx.execute("SET dynamo_fdw.preview_units = 0")
        self.assertEqual(self.refused(sql, 0, 0).detail, "It would read 400 items, 400.0 kB, about 50 read units.")
        self.fx.execute("RESET dynamo_fdw.preview_units; ALTER SERVER fake OPTIONS (ADD preview_units '60')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP preview_units)")
        self.foreign()
        self.assertEqual(self.read(sql)[0::2], (1, 50.5))

    def test_consistent(self):
        """The units are those that are billed."""
        self.make(lambda n: n == 399)
        self.foreign(consistent_read="on")
        self.refused("SELECT * FROM f LIMIT 1", 25)

    def test_size_unknown(self):
        """Without a description of the size, by what the first page cost."""
        self.make(lambda n: n == 399, 0)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        failure = self.refused("SELECT * FROM f LIMIT 3", 25)
        self.assertEqual(failure.detail, "The rows of the LIMIT were not found in 25 read units.")

    def test_size_unknown_and_many_rows(self):
        """The first page is not larger than the units, if items have 300 bytes."""
        self.make(lambda n: n == 399, 0)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all(); SET dynamo_fdw.preview_units = 2")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.preview_units")
        self.refused("SELECT * FROM f LIMIT 30000", 7, 1)

    def test_warning(self):
        """It reports what it may use; where nothing is refused, it is a Scan as before."""
        warning = ('WARNING:  reading up to 25 read units of DynamoDB table "t"\nHINT:  Add a condition on "id" of foreign table "f", from which partition key'
                   ' "pk" is composed, to avoid the scan.')
        self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 5"), [warning])
        self.foreign(scan_policy="warn")
        self.assertEqual([notice[:31] for notice in self.fx.notices("SELECT * FROM f LIMIT 5")], ["WARNING:  full scan of DynamoDB"])
        self.foreign(scan_policy="allow")
        self.assertEqual(self.fx.notices("SELECT * FROM f LIMIT 5"), [])

    def test_other_statements(self):
        """What is no preview is refused before a request, as it was."""
        for sql in ("SELECT * FROM f", "SELECT * FROM f WHERE total = 1 LIMIT 5", "SELECT * FROM f WHERE total % 2 = 0 LIMIT 5", "SELECT * FROM f ORDER BY total LIMIT 5",
                    "SELECT DISTINCT total FROM f LIMIT 5", "SELECT count(*) FROM f LIMIT 5", "SELECT * FROM f, generate_series(1, 2) LIMIT 5",
                    "SELECT g, (SELECT total + g FROM f LIMIT 1) FROM generate_series(1, 5) g"):
            with self.subTest(sql):
                self.refused(sql, 0, 0)

    def test_cursor(self):
        """What was read comes first; the error when more is needed than was found."""
        self.make(lambda n: n in (7, 390))
        with self.fx.conn.cursor() as cursor:
            cursor.execute("BEGIN; DECLARE c CURSOR FOR SELECT total FROM f LIMIT 2; FETCH 1 FROM c")
            self.assertEqual(cursor.fetchall(), [(7,)])
            with self.assertRaises(psycopg2.errors.ObjectNotInPrerequisiteState):
                cursor.execute("FETCH 1 FROM c")
            cursor.execute("ROLLBACK")
