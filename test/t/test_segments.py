"""The segment column: rows of a twin filled from raw segment Scans, and Scans of just the segments that conditions allow."""
import itertools
import os
import time

import fixture
from dynamo import index
from processes import descriptors_of
from replies import Executed, delay
from request_text import RequestTestCase, request_text
from server import most_in_flight

ITEMS = 300
TOTAL = 16
ALL = set(range(TOTAL))
COLUMNS = 'id text COLLATE "C", n int, x numeric, note text, seg {} OPTIONS (segment \'{}\')'
LOCAL = "SELECT id COLLATE \"C\" AS id, n, x, note, seg FROM raw"

# condition, segments that it allows
FORMS = [
    ("seg = 7", {7}), ("7 = seg", {7}), ("seg = 7::smallint", {7}), ("seg = 7::bigint", {7}), ("seg = 7.0", {7}), ("seg = 7.5", set()),
    ("seg = 7::float8", {7}), ("seg = '7'", {7}), ("seg = 1 + 2", {3}), ("seg = -1", set()), ("seg = 16", set()), ("seg = 99999999999", set()),
    ("seg IN (3, 5, 5, 77, -2)", {3, 5}), ("seg IN (3)", {3}), ("seg IN (2, NULL)", {2}), ("seg IN (2.0, 2.5)", {2}), ("seg = ANY ('{}')", set()),
    ("seg = ANY ('{1,2,NULL}'::bigint[])", {1, 2}), ("seg = ANY (NULL::int[])", set()), ("seg = ANY (ARRAY[4, 4, 9])", {4, 9}),
    ("seg < 3", {0, 1, 2}), ("seg <= 3", {0, 1, 2, 3}), ("seg > 13", {14, 15}), ("seg >= 13", {13, 14, 15}), ("3 > seg", {0, 1, 2}), ("13 <= seg", {13, 14, 15}),
    ("seg < 0", set()), ("seg > 15", set()), ("seg <= 100", ALL), ("seg >= -5", ALL), ("seg < 3.5", {0, 1, 2, 3}), ("seg > 13.5", {14, 15}),
    ("seg <= 2::float8", {0, 1, 2}), ("seg < 1e30", ALL), ("seg > 1e30", set()), ("seg > -1e30", ALL),
    ("seg BETWEEN 3 AND 5", {3, 4, 5}), ("seg BETWEEN 5 AND 3", set()), ("seg BETWEEN SYMMETRIC 5 AND 3", {3, 4, 5}), ("seg >= 3 AND seg < 5 AND seg <> 4", {3, 4}),
    ("seg < 2 OR seg IS NULL", {0, 1}), ("seg IS NULL", set()), ("seg IS NOT NULL", ALL), ("seg IS NULL OR seg = 4 OR seg > 14", {4, 15}),
    ("seg < 2 OR seg BETWEEN 6 AND 7 OR seg IN (7, 9)", {0, 1, 6, 7, 9}), ("(seg < 5 OR seg > 12) AND seg BETWEEN 3 AND 13", {3, 4, 13}),
    ("seg = 3 AND seg = 4", set()), ("seg IN (1, 2, 3) AND seg IN (2, 3, 4) AND seg > 2", {3}), ("seg = NULL", set()), ("seg < NULL", set()),
    ("seg <> 4", ALL), ("NOT seg = 4", ALL), ("seg NOT IN (3, 4)", ALL), ("seg % 2 = 0", ALL), ("seg IS DISTINCT FROM 4", ALL),
    ("seg IS NOT DISTINCT FROM 4", {4}), ("seg = n % 16", ALL), ("seg = n", ALL), ("seg + 0 = 4", ALL), ("seg::text = '4'", ALL),
    ("seg = 3 AND n > 100", {3}), ("seg = 3 AND seg + n > 100", {3}), ("seg = 3 OR n = 100", ALL), ("(seg = 3 AND n > 100) OR (seg = 5 AND n < 100)", {3, 5}),
    ("(seg, n) < (3, 100)", {0, 1, 2, 3}), ("seg = 3 OR (seg = 4 AND n IS NULL)", {3, 4}), ("id = 'i7' AND seg < 8", set(range(8))),
    ("seg = (SELECT 5)", {5}), ("seg = ANY (ARRAY(SELECT generate_series(2, 4)))", {2, 3, 4}),
    ("seg BETWEEN (SELECT 2) AND (SELECT 3)", {2, 3}), ("seg = length(current_setting('port')) - length(current_setting('port')) + 2", {2}),
    ("seg = 2 AND false", set()), ("seg = 2 AND 1 = (SELECT 2)", set()),
]


def scanned(client, table, total):
    """(segment, item) of all items, by Scans of our own."""
    for segment in range(total):
        start = {}
        while start is not None:
            page = client.call("Scan", {"TableName": table, "Segment": segment, "TotalSegments": total, **start})
            yield from ((segment, item) for item in page["Items"])
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None


class SegmentTestCase(RequestTestCase):
    """The table "t" by segments, of 300 items; "mirror.t" has the same rows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("t", ("id", "S"))
        cls.fx.put("t", [{"id": f"i{n}", "n": n, "x": n / 4, **({"note": f"note {n % 7}"} if n % 3 else {})} for n in range(ITEMS)])
        cls.fx.execute("CREATE SCHEMA mirror; CREATE TABLE raw (id text, n int, x numeric, note text, seg int)")
        cls.fill(cls.fx)
        cls.fx.execute(f"CREATE TABLE mirror.t AS {LOCAL}; ANALYZE mirror.t")
        cls.table("t")

    @classmethod
    def fill(cls, fx, total=TOTAL):
        """The raw items, each with the segment whose Scan returns it."""
        fx.execute("TRUNCATE raw")
        with fx.conn.cursor() as cursor:
            for segment, item in scanned(fx.dynamo, fx.remote("t"), total):
                cursor.execute("INSERT INTO raw VALUES (%s, %s, %s, %s, %s)", (item["id"]["S"], item["n"]["N"], item["x"]["N"], item.get("note", {}).get("S"), segment))

    @classmethod
    def table(cls, name, type_="int", total=TOTAL, **options):
        """A foreign table of the items, by segments."""
        cls.fx.foreign_table(name, COLUMNS.format(type_, total), **{"table_name": cls.fx.remote("t"), "scan_policy": "allow", **options})

    def setUp(self):
        self.addCleanup(self.fx.execute, "ROLLBACK; RESET ALL; SET statement_timeout = '60s'; SET plan_cache_mode = auto; DEALLOCATE ALL")

    def segments(self, sql, total=TOTAL, parameters=None):
        """The segments that a statement reads, in order; a Scan without segments, or another request, is None."""
        found = []
        for request in self.fx.requests(sql, parameters):
            if "ExclusiveStartKey" in request.body:
                continue
            self.assertEqual((request.operation, request.body.get("TotalSegments")), ("Scan", total), sql)
            found.append(request.body["Segment"])
        return sorted(found)

    def check(self, sql, expected, parameters=None):
        """The rows of the twin, and each of these segments once."""
        with self.subTest(sql):
            self.assertEqual(self.segments(sql, parameters=parameters), sorted(expected))
            rows, right = self.fx.rows(sql, parameters), self.mirrored(sql, parameters)
            if "ORDER BY" not in sql:
                rows, right = sorted(rows, key=repr), sorted(right, key=repr)
            self.assertEqual(rows, right)


class Conditions(SegmentTestCase):
    """Every form of a condition."""

    def test_forms(self):
        for condition, expected in FORMS:
            self.check(f"SELECT * FROM t WHERE {condition}", expected)
            self.check(f"SELECT n, x FROM t WHERE {condition}", expected)

    def test_counts(self):
        """What selects segments is exact, so DynamoDB counts."""
        for condition, expected in FORMS:
            self.check(f"SELECT count(*) FROM t WHERE {condition}", expected)
        for condition in ("seg = 7", "seg < 2 OR seg IS NULL", "seg IN (1, 2)", "seg BETWEEN 3 AND 5", "seg >= 3", "seg > 2.5", "seg IS NOT NULL", "seg < 2 OR seg > 13"):
            self.assertIn("Select: COUNT", self.fx.explain(f"SELECT count(*) FROM t WHERE {condition}"), condition)
        self.assertEqual({r.body.get("Select") for r in self.fx.requests("SELECT count(*) FROM t WHERE seg < 3 AND x IS NULL")}, {"COUNT"})

    def test_fractions(self):
        """Numbers that double precision rounds to a segment, and others."""
        for number, operator in itertools.product(("2.99999999999999999999", "3.00000000000000000001", "0.00000000000000000001", "-0.5", "15.00000000000000000001", "4.5", "3.0"),
                                                  ("<", "<=", ">", ">=", "=")):
            expected = [segment for segment in ALL if self.fx.value(f"SELECT {segment} {operator} {number}")]
            self.check(f"SELECT count(*) FROM t WHERE seg {operator} {number}", expected)

    def test_types(self):
        """Of a smallint and a bigint column too."""
        for type_ in ("smallint", "bigint"):
            self.table("t", type_)
            self.fx.execute(f"ALTER TABLE mirror.t ALTER seg TYPE {type_}")
            for condition, expected in FORMS:
                self.check(f"SELECT * FROM t WHERE {condition}", expected)
        self.table("t")
        self.fx.execute("ALTER TABLE mirror.t ALTER seg TYPE int")

    def test_all_segments(self):
        """Aggregates and groups over all segments."""
        for sql in ("SELECT * FROM t", "SELECT seg FROM t", "SELECT seg, count(*), sum(n), min(x), max(note) FROM t GROUP BY seg", "SELECT t FROM t",
                    "SELECT DISTINCT seg FROM t ORDER BY seg", "SELECT count(seg), min(seg), max(seg) FROM t WHERE n > 20", "TABLE t ORDER BY id"):
            self.check(sql, ALL)

    def test_other_conditions(self):
        """The filter, the projection; the segment is never requested."""
        def sends(sql, *expected):
            self.assertEqual(self.texts(sql), sorted(expected), sql)
        sends("SELECT n FROM t WHERE seg = 7 AND n > 200", "Scan t filter n > 200 get id, n segment 7 of 16")
        sends("SELECT seg FROM t WHERE seg = 7", "Scan t get id segment 7 of 16")
        sends("SELECT count(*) FROM t WHERE seg IN (2, 3) AND note = 'note 1'", *(f"Scan t filter note = 'note 1' count segment {s} of 16" for s in (2, 3)))
        sends("SELECT count(*) FROM t WHERE seg = 2 AND seg <> 3", "Scan t get id segment 2 of 16")
        sends("SELECT seg FROM t WHERE seg = 2 AND (n = 3 OR seg = 2)", "Scan t get id, n segment 2 of 16")

    def test_not_referred_to(self):
        """Keys, and Scans without segments, as in a table without the column."""
        for sql, expected in (("SELECT n FROM t WHERE id = 'i7'", "GetItem t {id 'i7'} get n"), ("SELECT count(*) FROM t", "Scan t count"),
                              ("SELECT n FROM t WHERE n = 5", "Scan t filter n = 5 get id, n"), ("SELECT count(n) FROM t WHERE id IN ('i1', 'i2')", None)):
            texts = self.texts(sql)
            self.assertEqual(texts, [expected] if expected else ["BatchGetItem t {id 'i1'} {id 'i2'} get id, n"], sql)
            self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_one_segment(self):
        """With one segment in all, the request is a plain Scan."""
        self.table("one", total=1)
        self.assertEqual(self.texts("SELECT seg FROM one WHERE seg = 0"), ["Scan t get id"])
        self.assertEqual(self.fx.rows("SELECT seg, count(*) FROM one GROUP BY 1"), [(0, ITEMS)])
        self.assertEqual(self.texts("SELECT seg FROM one WHERE seg = 1"), [])

    def test_many_segments(self):
        """The largest number."""
        self.table("many", total=1_000_000)
        raw = {segment for segment in (0, 77, 500_000, 999_999)}
        self.assertEqual(self.segments("SELECT * FROM many WHERE seg IN (0, 77, 500000, 999999, 1000000)", 1_000_000), sorted(raw))
        self.assertEqual(self.segments("SELECT * FROM many WHERE seg > 999989", 1_000_000), list(range(999_990, 1_000_000)))


class Parameters(SegmentTestCase):
    """Values that are known at execution."""

    def test_prepared_seven_times(self):
        """Custom plans, and the generic plan after them."""
        statements = (("seg = $1", "int", ("3", "15", "16", "NULL", "-1", "3", "0"), ({3}, {15}, set(), set(), set(), {3}, {0})),
                      ("seg < $1 OR seg IS NULL", "int", ("2", "0", "NULL", "1", "2", "3", "99"), ({0, 1}, set(), set(), {0}, {0, 1}, {0, 1, 2}, ALL)),
                      ("seg = ANY ($1)", "int[]", ("'{1,2}'", "'{}'", "NULL", "'{99}'", "'{5,5}'", "'{3,NULL}'", "'{0,15}'"), ({1, 2}, set(), set(), set(), {5}, {3}, {0, 15})),
                      ("seg BETWEEN $1 - 1 AND $1", "int", ("1", "0", "16", "NULL", "9", "-1", "17"), ({0, 1}, {0}, {15}, set(), {8, 9}, set(), set())),
                      ("$1 IS NULL OR seg = $1", "int", ("1", "NULL", "2", "3", "NULL", "4", "77"), ({1}, ALL, {2}, {3}, ALL, {4}, set())),
                      ("seg >= $1 AND n < 150", "numeric", ("14.5", "13", "15.0", "NULL", "15.5", "14", "1e20"), ({15}, {13, 14, 15}, {15}, set(), set(), {14, 15}, set())))
        for mode in ("auto", "force_generic_plan"):
            for condition, type_, values, expected in statements:
                self.fx.execute(f"SET plan_cache_mode = {mode}; DEALLOCATE ALL; PREPARE p({type_}) AS SELECT * FROM t WHERE {condition}")
                for value, segments in zip(values, expected):
                    with self.subTest(condition, mode=mode, value=value):
                        self.assertEqual(self.segments(f"EXECUTE p({value})"), sorted(segments))
                        right = self.mirrored("SELECT * FROM t WHERE " + condition.replace("$1", f"{value}::{type_}"))
                        self.assertEqual(sorted(self.fx.rows(f"EXECUTE p({value})"), key=repr), sorted(right, key=repr))

    def test_nested_loops(self):
        """Each execution reads the segments of its outer row."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        self.table("t", round_trip_ms=0)
        self.addCleanup(self.table, "t")
        for sql, expected in (("SELECT g, t.* FROM generate_series(3, 5) g JOIN t ON t.seg = g", [3, 4, 5]),
                              ("SELECT g, t.* FROM generate_series(14, 18) g LEFT JOIN t ON t.seg = g", [14, 15]),
                              ("SELECT t.id FROM (VALUES (2), (NULL), (2)) v (g) JOIN t ON t.seg = v.g", [2, 2]),
                              ("SELECT g, t.id FROM generate_series(1, 2) g JOIN t ON t.seg < g AND t.n > 9", [0, 0, 1]),
                              ("SELECT g, t.id FROM generate_series(1, 2) g JOIN t ON t.seg BETWEEN g AND g + 1 OR t.seg = 9", [1, 2, 2, 3, 9, 9]),
                              ("SELECT g, l.* FROM generate_series(1, 3) g, LATERAL (SELECT n FROM t WHERE seg = g * 2 ORDER BY n LIMIT 2) l", [2, 4, 6]),
                              ("SELECT g, (SELECT sum(n) FROM t WHERE seg = g AND n > 5) FROM generate_series(1, 3) g", [1, 2, 3])):
            self.check(sql, expected)
        self.assertIn("Segment Condition: seg = $0", self.fx.explain("SELECT * FROM generate_series(3, 5) g JOIN t ON t.seg = g"))

    def test_memoize(self):
        """An outer value that comes again is not requested again."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        self.table("t", round_trip_ms=0)
        self.addCleanup(self.table, "t")
        self.fx.execute("CREATE TABLE twice AS SELECT g % 2 AS g FROM generate_series(1, 200) g; ANALYZE twice")
        sql = "SELECT v.g, t.id FROM twice v JOIN t ON t.seg = v.g"
        self.assertIn("Memoize", self.fx.explain(sql))
        self.check(sql, [0, 1])

    def test_kept_reads(self):
        """Executions that differ in other conditions read each segment once or twice, not once each."""
        sql = "SELECT g, (SELECT count(*) FROM t WHERE seg IN (2, 5) AND n % 9 <> g AND n > g * 20) FROM generate_series(1, 6) g"
        self.assertEqual(self.segments(sql), [2, 2, 5, 5])
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
        sql = "SELECT g, (SELECT string_agg(id || seg, ',' ORDER BY id) FROM t WHERE seg = 1 + g / 4 AND n > g * 20) FROM generate_series(1, 6) g"
        self.assertEqual(sorted(set(self.segments(sql))), [1, 2])
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_shared_reads(self):
        """Scans of one statement over the same segments read them once; over others, each its own."""
        for where_a, where_b, expected in (("a.seg = 3", "b.seg = 3", [3]), ("a.seg < 2", "b.seg IN (1, 0)", [0, 1]), ("a.seg = 3", "b.seg = 4", [3, 4]),
                                           ("a.seg = 3 AND a.n > 100", "b.seg = 3 AND b.n < 100", [3]), ("a.n > 100", "b.seg = 3", sorted([*ALL, 3]))):
            self.check(f"SELECT a.id, a.seg, b.id, b.seg FROM t a CROSS JOIN t b WHERE {where_a} AND {where_b} AND a.seg + b.seg >= 0", expected)
        self.fx.execute("PREPARE s(int, int) AS SELECT a.id, b.id FROM t a CROSS JOIN t b WHERE a.seg = $1 AND b.seg = $2; SET plan_cache_mode = force_generic_plan")
        self.assertEqual(self.segments("EXECUTE s(2, 2)"), [2])
        self.assertEqual(self.segments("EXECUTE s(2, 5)"), [2, 5])


class Consumers(SegmentTestCase):
    """What reads the rows: LIMIT, cursors, Append, locks."""

    def test_limit(self):
        """Segments are read one after another, as far as the rows are needed."""
        [first] = self.segments("SELECT id, seg FROM t LIMIT 3")
        self.assertEqual(self.fx.rows("SELECT DISTINCT seg FROM (SELECT seg FROM t LIMIT 3) t"), [(first,)])
        self.assertEqual(self.segments("SELECT id, seg FROM t WHERE seg IN (6, 8) LIMIT 1"), [6])
        self.check("SELECT id, seg FROM t WHERE seg IN (6, 8) LIMIT 1000", (6, 8))
        self.assertEqual(self.segments("SELECT 1 WHERE EXISTS (SELECT FROM t WHERE seg >= 4)"), [4])
        self.check("SELECT id, seg FROM t WHERE seg < 5 ORDER BY n DESC, id LIMIT 4", range(5))

    def test_preview(self):
        """Under scan_policy 'error' a LIMIT reads within its bound, over the segments."""
        self.table("strict", scan_policy="error")
        self.assertEqual(len(self.fx.rows("SELECT id, seg FROM strict LIMIT 40")), 40)
        rows = self.fx.rows("SELECT id, n, seg FROM strict WHERE seg > 2 LIMIT 40")
        self.assertEqual(len(rows), 40)
        self.assertLessEqual(set(rows), set(self.mirrored("SELECT id, n, seg FROM t WHERE seg > 2")))

    def test_cursors(self):
        self.fx.execute("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT id, seg FROM t WHERE seg IN (3, 9)")
        right = sorted(self.mirrored("SELECT id, seg FROM t WHERE seg IN (3, 9)"))
        rows = self.fx.rows("FETCH 5 FROM c") + self.fx.rows("FETCH ALL FROM c")
        self.assertEqual(sorted(rows), right)
        self.assertEqual(self.fx.rows("FETCH BACKWARD ALL FROM c"), rows[::-1])
        self.assertEqual(self.fx.rows("FETCH ALL FROM c"), rows)
        self.fx.execute("ROLLBACK; BEGIN; DECLARE h CURSOR WITH HOLD FOR SELECT id, seg FROM t WHERE seg = 4; COMMIT")
        self.assertEqual(sorted(self.fx.rows("FETCH ALL FROM h")), sorted(self.mirrored("SELECT id, seg FROM t WHERE seg = 4")))
        self.fx.execute("CLOSE h")

    def test_fetch_size(self):
        """Pages of a segment: each item has the segment of its Scan."""
        self.table("paged", fetch_size=3)
        self.assertEqual(sorted(self.fx.rows("SELECT id, seg FROM paged")), sorted(self.mirrored("SELECT id, seg FROM t")))
        self.fx.execute("SET work_mem = 64")
        self.assertEqual(sorted(self.fx.rows("SELECT a.id, a.seg, b.seg FROM paged a JOIN paged b USING (id)")), sorted(self.mirrored("SELECT id, seg, seg FROM t")))

    def test_row_locks(self):
        sql = "SELECT id, seg FROM t WHERE seg = 4 FOR UPDATE"
        self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_other_columns_of_locked_rows(self):
        """Without the segment column, locked and joined rows are read by key."""
        self.fx.execute("CREATE TEMP TABLE near (id text, n int); INSERT INTO near VALUES ('i7'); ANALYZE near; SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET ALL; DROP TABLE near")
        [(expected,)] = self.mirrored("SELECT n FROM t WHERE id = 'i7'")
        for sql in ("SELECT n FROM t WHERE id = 'i7' FOR UPDATE", "SELECT t.n FROM near JOIN t USING (id) FOR UPDATE OF near",
                    "UPDATE near SET n = t.n FROM t WHERE t.id = near.id RETURNING near.n", "DELETE FROM near USING t WHERE t.id = near.id AND t.id = 'i7' RETURNING t.n"):
            with self.subTest(sql):
                self.assertNotIn("Operation: Scan", self.fx.explain(sql))
                self.assertEqual(self.fx.rows(sql), [(expected,)])

    def test_union_all(self):
        """An asynchronous Append over ranges of one table."""
        sql = "SELECT id, seg FROM t WHERE seg < 8 UNION ALL SELECT id, seg FROM t WHERE seg >= 8"
        self.check(sql, ALL)
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))


class Partitions(SegmentTestCase):
    """A partition has the rows of its segments, whatever a statement reads."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.parted("p", "RANGE (seg)", "FROM (0) TO (6)", "FROM (6) TO (7)", "FROM (7) TO (MAXVALUE)")
        cls.fx.execute("CREATE VIEW mirror.p AS SELECT * FROM mirror.t")

    @classmethod
    def parted(cls, name, key, *bounds, **options):
        """A partitioned table over the one table."""
        cls.fx.execute(f'CREATE TABLE {name} (id text COLLATE "C", n int, x numeric, note text, seg int) PARTITION BY {key}')
        for number, values in enumerate(bounds):
            cls.table(f"{name}{number}", **options)
            cls.fx.execute(f"ALTER TABLE {name} ATTACH PARTITION {name}{number} " + (values if values == "DEFAULT" else f"FOR VALUES {values}"))

    def test_ranges(self):
        for sql, expected in (("SELECT * FROM p", ALL), ("SELECT count(*) FROM p", ALL), ("SELECT n FROM p WHERE id = 'i7'", ALL), ("SELECT sum(n) FROM p WHERE n > 100", ALL),
                              ("SELECT * FROM p WHERE seg IN (2, 6)", {2, 6}), ("SELECT count(*) FROM p WHERE seg = 6", {6}), ("SELECT * FROM p WHERE seg < 3 OR seg > 14", {0, 1, 2, 15}),
                              ("SELECT max(n) FROM p WHERE seg = 99", set()), ("SELECT seg, count(*) FROM p GROUP BY seg", ALL)):
            self.check(sql, expected)
        for sql, expected in (("SELECT id FROM p0", range(6)), ("SELECT count(*) FROM p2", range(7, 16)), ("SELECT id FROM p0 WHERE id = 'i1'", range(6))):
            self.assertEqual(self.segments(sql), list(expected))
        self.assertEqual(self.fx.explain("SELECT * FROM p").count("Async Foreign Scan"), 3)
        self.fx.execute("SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on")
        self.check("SELECT seg, count(*), sum(n) FROM p GROUP BY seg", ALL)
        self.check("SELECT count(*) FROM p", ALL)

    def test_other_servers(self):
        """postgres_fdw sends aggregates of each segment, as the manual shows; without them, partitionwise aggregates read one server after another."""
        self.fx.execute(f"CREATE EXTENSION postgres_fdw; CREATE SERVER reader FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{os.environ['PGHOST']}', port '{os.environ['PGPORT']}',"
                        f" dbname '{self.fx.database}', async_capable 'true'); CREATE USER MAPPING FOR PUBLIC SERVER reader OPTIONS (user '{os.environ['PGUSER']}', password_required 'false');"
                        "CREATE TABLE combined (id text, n int, seg int) PARTITION BY RANGE (seg)")
        self.addCleanup(self.fx.execute, "DROP EXTENSION postgres_fdw CASCADE; DROP TABLE combined; DROP VIEW part0, part8")
        for low in (0, 8):
            self.fx.execute(f"CREATE VIEW part{low} AS SELECT id, n, seg FROM t WHERE seg >= {low} AND seg < {low + 8};"
                            f"CREATE FOREIGN TABLE combined{low} PARTITION OF combined FOR VALUES FROM ({low}) TO ({low + 8}) SERVER reader OPTIONS (table_name 'part{low}')")
        sql = "SELECT sum(items), sum(n) FROM (SELECT seg, count(*) AS items, sum(n) AS n FROM {} GROUP BY seg) segments"
        right = self.mirrored(sql.format("t"))
        for setting, grouped, whole in (("on", (2, 2), (0, 0)), ("off", (2, 0), (2, 0))):
            self.fx.execute(f"SET enable_partitionwise_aggregate = {setting}")
            for statement, expected in ((sql.format("combined"), grouped), ("SELECT count(*), sum(n) FROM combined", whole)):
                plan = self.fx.explain(statement, "VERBOSE, COSTS OFF")
                self.assertEqual((plan.count("Async Foreign Scan"), plan.count("Remote SQL: SELECT seg, count(*)")), expected, plan)
                self.assertEqual(self.fx.rows(statement), right)

    def test_other_bounds(self):
        """Lists, a default partition, two columns and a hash, which are checked locally where DynamoDB has no such segments."""
        for key, bounds in (("LIST (seg)", ("IN (1, 3, 5)", "IN (0, 2, 4)", "DEFAULT")), ("RANGE (seg, n)", ("FROM (0, 0) TO (5, 100)", "FROM (5, 100) TO (17, 0)")),
                            ("HASH (seg)", ("WITH (MODULUS 2, REMAINDER 0)", "WITH (MODULUS 2, REMAINDER 1)")), ("RANGE (n)", ("FROM (0) TO (1000)",))):
            self.fx.execute("DROP TABLE IF EXISTS q CASCADE; DROP VIEW IF EXISTS mirror.q; CREATE VIEW mirror.q AS SELECT * FROM mirror.t")
            self.parted("q", key, *bounds)
            for sql in ("SELECT * FROM q", "SELECT count(*) FROM q", "SELECT id FROM q WHERE seg IN (3, 4) AND n > 50", "SELECT id FROM q WHERE id = 'i4'"):
                with self.subTest(f"{key}: {sql}"):
                    self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_default_of_ranges(self):
        self.fx.execute("CREATE VIEW mirror.ranged AS SELECT * FROM mirror.t")
        self.parted("ranged", "RANGE (seg)", "FROM (0) TO (6)", "FROM (9) TO (10)", "DEFAULT")
        self.check("SELECT count(*) FROM ranged", ALL)
        self.assertEqual(self.segments("SELECT count(*) FROM ranged2 WHERE seg < 12"), [6, 7, 8, 10, 11])
        self.assertIn("Select: COUNT", self.fx.explain("SELECT count(*) FROM ranged2"))

    def test_rows_of_other_partitions(self):
        """Conditions are not evaluated for them."""
        self.parted("h", "HASH (seg)", "WITH (MODULUS 2, REMAINDER 0)", "WITH (MODULUS 2, REMAINDER 1)", updatable="on")
        [(id_, n)] = self.fx.rows("SELECT id, n FROM h1 ORDER BY n DESC LIMIT 1")
        self.assertEqual(self.fx.rows(f"SELECT id FROM h0 WHERE 1 / (n - {n}) > 2"), [])
        self.assertEqual(self.fx.rows(f"UPDATE h0 SET n = n WHERE 1 / (n - {n}) > 2 RETURNING id"), [])
        self.assertEqual(self.fx.error(f"SELECT {id_!r} FROM h1 WHERE 1 / (n - {n}) > 2").sqlstate, "22012")

    def test_check_table(self):
        """Partitions by segments share no items, which others do; each claims all items."""
        kinds = "SELECT kind, relation::text FROM dynamo_fdw_check_table('p0', tables => '{}')"
        self.assertEqual(self.fx.rows(kinds.format("{p1, p2}")), [])
        self.parted("by_n", "RANGE (n)", "FROM (0) TO (50)", "FROM (50) TO (1000)")
        self.assertEqual(self.fx.rows(kinds.format("{p1, by_n0, by_n1}")), [("shared", "by_n0")])

    def test_estimates(self):
        """The rows of a partition are its share."""
        rows = [int(line.split("rows=")[1].split()[0]) for line in self.fx.explain("SELECT * FROM p", "COSTS ON").splitlines() if "Foreign Scan" in line]
        self.assertLess(abs(rows[0] - ITEMS * 6 / 16), 12, rows)
        self.assertLess(abs(rows[1] - ITEMS / 16), 12, rows)

    def test_writes(self):
        self.parted("w", "RANGE (seg)", "FROM (0) TO (8)", "FROM (8) TO (16)", updatable="on")
        self.assertEqual(self.fx.rows("UPDATE w SET n = n + 0 WHERE id = 'i9' RETURNING id, n, seg"), self.mirrored("SELECT id, n, seg FROM t WHERE id = 'i9'"))
        self.assertEqual(self.fx.error("INSERT INTO w (id, n) VALUES ('new', 1)").sqlstate, "23514")

    def test_delete_of_a_changed_row(self):
        """The bounds of the partition hold for a row that another session has changed."""
        self.parted("d", "RANGE (seg)", "FROM (0) TO (8)", "FROM (8) TO (16)", updatable="on")
        name = self.fx.remote("t")

        def change(_):
            self.fx.dynamo.call("UpdateItem", {"TableName": name, "Key": {"id": {"S": "i9"}}, "UpdateExpression": "SET n = n + :one",
                                               "ExpressionAttributeValues": {":one": {"N": "1"}}})

        self.fx.proxy.on("DeleteItem", [change])
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.addCleanup(self.fx.dynamo.put, name, [{"id": "i9", "n": 9, "x": 9 / 4}])
        with self.fx.conn.cursor() as cursor:
            cursor.execute("DELETE FROM d WHERE id = 'i9' AND n >= 9")
            self.assertEqual(cursor.rowcount, 1)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE id = 'i9'"), [])
        # bounds of another column do not depend on segments
        self.parted("e", "LIST (note)", "IN ('note 1')", updatable="on")
        self.assertNotIn("Scan", {r.operation for r in self.fx.requests("DELETE FROM e WHERE note = 'note 1' AND id = 'none'")})


class Designs(SegmentTestCase):
    """Item filters, expiry, templates, unnested tables, documents."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"))
        cls.fx.put("app", [{"pk": f"c#{c}", "sk": f"o#{n:02}", "kind": "order" if n else "customer", "total": n * c, "tags": [f"t{n}", f"u{c}"],
                            "doc": {"a": n}, "end": int(time.time()) + (100_000 if n % 2 else -100_000)} for c in range(20) for n in range(6)])
        cls.raw = [(segment, {name: next(iter(value.values())) for name, value in item.items()}) for segment, item in scanned(cls.fx.dynamo, cls.fx.remote("app"), 8)]

    def mapped(self, columns, **options):
        """A foreign table of that table by segments."""
        self.fx.foreign_table("m", columns + ", seg int OPTIONS (segment '8')", table_name=self.fx.remote("app"), scan_policy="allow", **options)

    def same(self, sql, right, expected=range(8)):
        """These rows, from these segments."""
        self.assertEqual(self.segments(sql, 8), list(expected))
        self.assertEqual(sorted(self.fx.rows(sql)), sorted(right))

    def test_item_filter(self):
        self.mapped("pk text, sk text, total int", item_filter='{"kind": "order"}')
        right = [(seg, i["pk"], i["sk"], int(i["total"])) for seg, i in self.raw if i["kind"] == "order"]
        self.same("SELECT seg, pk, sk, total FROM m", right)
        self.same("SELECT seg, pk, sk, total FROM m WHERE seg IN (1, 4)", [row for row in right if row[0] in (1, 4)], (1, 4))
        self.same("SELECT count(*) FROM m WHERE seg = 3", [(len([row for row in right if row[0] == 3]),)], [3])

    def test_trusted_indexes(self):
        """The index has all rows, but not their segments."""
        self.fx.create_table("trusted", ("pk", "S"), indexes=[index("by_kind", ("kind", "S"), ("pk", "S"))])
        self.fx.put("trusted", [{"pk": f"p{n:02}", "kind": f"k{n % 3}"} for n in range(30)])
        right = [(segment, item["pk"]["S"]) for segment, item in scanned(self.fx.dynamo, self.fx.remote("trusted"), 8) if item["kind"]["S"] == "k1"]
        self.fx.foreign_table("m", "n int, g int OPTIONS (attribute 'kind'), seg int OPTIONS (segment '8')", table_name=self.fx.remote("trusted"), scan_policy="allow", trusted_indexes="by_kind",
                              key_templates='{"pk": "p${n:padded(2)}", "kind": "k${g}"}')
        self.assertEqual([request.body.get("IndexName") for request in self.fx.requests("SELECT n FROM m WHERE g = 1")], ["by_kind"])
        right = [(segment, int(pk[1:])) for segment, pk in right]
        self.assertEqual(sorted(self.fx.rows("SELECT n FROM m WHERE g = 1")), sorted((n,) for _, n in right))
        self.same("SELECT seg, n FROM m WHERE g = 1", right)
        self.same("SELECT seg, n FROM m WHERE g = 1 AND seg IN (2, 5)", [row for row in right if row[0] in (2, 5)], (2, 5))
        self.same("SELECT count(*) FROM m WHERE g = 1 AND seg < 3", [(sum(seg < 3 for seg, _ in right),)], range(3))

    def test_ttl(self):
        self.mapped("pk text, sk text", ttl_attribute="end")
        self.same("SELECT seg, pk, sk FROM m", [(seg, i["pk"], i["sk"]) for seg, i in self.raw if int(i["end"]) > time.time()])

    def test_templates(self):
        self.mapped("c int, n int, total int", key_templates='{"pk": "c#${c}", "sk": "o#${n:padded(2)}"}')
        right = [(seg, int(i["pk"][2:]), int(i["sk"][2:]), int(i["total"])) for seg, i in self.raw]
        self.same("SELECT seg, c, n, total FROM m", right)
        self.same("SELECT seg, c, n, total FROM m WHERE seg >= 6 AND c < 9", [row for row in right if row[0] >= 6 and row[1] < 9], (6, 7))
        self.assertEqual([r.operation for r in self.fx.requests("SELECT total FROM m WHERE c = 3 AND n = 4")], ["GetItem"])

    def test_unnest(self):
        self.mapped("pk text, sk text, tag text OPTIONS (path '@'), place int OPTIONS (path '@index')", unnest="tags")
        right = [(seg, i["pk"], i["sk"], tag["S"], place) for seg, i in self.raw for place, tag in enumerate(i["tags"])]
        self.same("SELECT seg, pk, sk, tag, place FROM m", right)
        self.same("SELECT seg, pk, sk, tag, place FROM m WHERE seg = 2 AND tag = 't3'", [row for row in right if row[0] == 2 and row[3] == "t3"], [2])

    def test_documents(self):
        """Neither the item nor the rest of it has the segment."""
        self.mapped("pk text, item jsonb OPTIONS (document 'item'), rest jsonb OPTIONS (document 'rest'), doc jsonb")
        rows = self.fx.rows("SELECT seg, pk, item->>'sk', rest, doc->>'a' FROM m WHERE seg < 2")
        self.assertEqual(sorted((row[0], row[1], row[2], row[4]) for row in rows), sorted((seg, i["pk"], i["sk"], str(i["doc"]["a"]["N"])) for seg, i in self.raw if seg < 2))
        self.assertEqual({tuple(sorted(row[3])) for row in rows}, {("end", "kind", "sk", "tags", "total")})
        self.same("SELECT seg, doc->'a' FROM m WHERE seg = 1", [(seg, int(i["doc"]["a"]["N"])) for seg, i in self.raw if seg == 1], [1])

    def test_on_mismatch(self):
        """The segment has no stored value that could mismatch; others become NULL."""
        self.mapped("pk text, total int OPTIONS (attribute 'kind')", on_mismatch="null")
        self.same("SELECT seg, total FROM m WHERE seg < 3", [(seg, None) for seg, _ in self.raw if seg < 3], range(3))
        self.assertIn("Select: COUNT", self.fx.explain("SELECT count(*) FROM m WHERE seg < 3"))

    def test_mismatch_names_the_item(self):
        """The item's key is found in the segment."""
        self.mapped("total int OPTIONS (attribute 'kind')")
        self.assertIn('item pk = "c#', self.fx.error("SELECT seg, total FROM m WHERE seg = 3").detail)

    def test_check_table(self):
        self.mapped("pk text, sk text, total int")
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_check_table('m')"), [])


class Estimates(SegmentTestCase):
    """Statistics, warnings, policies."""

    def explained(self, sql, word):
        """The number after a word in the first line of the plan that has it."""
        for line in self.fx.explain(sql, "COSTS ON").splitlines():
            if word in line:
                return float(line.split(word)[1].split()[0])
        raise AssertionError(word)

    def test_rows(self):
        """1/N for each segment, without ANALYZE; plain tables give the same."""
        for condition, share in (("seg = 3", 1), ("seg IN (3, 4, 5)", 3), ("seg < 8", 8), ("seg >= 12", 4), ("seg BETWEEN 4 AND 7", 4), ("seg IS NULL OR seg < 4", 4)):
            with self.subTest(condition):
                self.assertLess(abs(self.explained(f"SELECT * FROM t WHERE {condition}", "rows=") - ITEMS * share / TOTAL), ITEMS / TOTAL)
                self.assertLessEqual(abs(self.explained(f"SELECT * FROM t WHERE {condition}", "Units: ") - share / 2), 0.5)
        self.assertEqual(self.explained("SELECT * FROM t", "Units: "), TOTAL / 2)
        self.assertEqual(self.explained("SELECT seg, count(*) FROM t GROUP BY seg", "rows="), TOTAL)

    def test_analyze(self):
        """The same requests as for a table without the column, and statistics of all columns."""
        self.fx.foreign_table("plain", "id text, n int, x numeric, note text", table_name=self.fx.remote("t"))
        self.table("seen")
        self.assertEqual(len(self.fx.requests("ANALYZE seen")), len(self.fx.requests("ANALYZE plain")))
        self.assertEqual(self.fx.rows("SELECT attname, null_frac FROM pg_stats WHERE tablename = 'seen' AND attname = 'seg'"), [("seg", 0.0)])
        self.assertEqual(self.fx.value("SELECT n_distinct FROM pg_stats WHERE tablename = 'seen' AND attname = 'seg'"), TOTAL)
        self.assertEqual(self.fx.value("SELECT reltuples FROM pg_class WHERE relname = 'seen'"), ITEMS)
        self.assertLess(abs(self.explained("SELECT * FROM seen WHERE seg < 8", "rows=") - ITEMS / 2), ITEMS / TOTAL)

    def test_explain(self):
        self.assertIn("Operation: Scan\n  Remote Table: {0}\n  Total Segments: 16\n  Segment Condition: (seg < 2 OR seg IS NULL)\n  Remote Filter: n > 5".format(self.fx.remote("t")),
                      self.fx.explain("SELECT id FROM t WHERE (seg < 2 OR seg IS NULL) AND n > 5"))
        plan = self.fx.rows("EXPLAIN (FORMAT JSON) SELECT id FROM t WHERE seg = 2")[0][0][0]["Plan"]
        self.assertEqual((plan["Total Segments"], plan["Segment Condition"]), (16, "seg = 2"))

    def test_warnings(self):
        """The share in segments and units; the column as the reason where a key could be used."""
        self.table("warns", scan_policy="warn")
        remote = self.fx.remote("t")
        avoid = 'HINT:  Add a condition on partition key "id" of foreign table "warns" and do not read column "seg" to avoid the scan, or set scan_policy to "allow" to silence this warning.'
        for sql, read in (("SELECT * FROM warns WHERE seg IN (4, 5)", f'scan of 2 of 16 segments of DynamoDB table "{remote}" (about 1 read unit)'),
                          ("SELECT count(*) FROM warns WHERE seg BETWEEN 2 AND 9", f'scan of 8 of 16 segments of DynamoDB table "{remote}" (about 4 read units)')):
            self.assertEqual(self.fx.notices(sql), [f"WARNING:  {read}\n{avoid}"])
        [notice] = self.fx.notices("SELECT * FROM warns")
        self.assertIn(f'full scan of DynamoDB table "{remote}" (', notice)
        [notice] = self.fx.notices("SELECT * FROM warns WHERE id = 'i7'")
        self.assertIn('HINT:  Do not read column "seg" to avoid the scan, or set', notice)
        self.assertIn('Only a Scan shows column "seg", so keys and indexes cannot be used; use a foreign table without it.', notice)
        self.fx.execute("PREPARE p(int) AS SELECT * FROM warns WHERE seg > $1; SET plan_cache_mode = force_generic_plan")
        self.assertIn("scan of 3 of 16 segments", self.fx.notices("EXECUTE p(12)")[0])
        self.assertEqual(self.fx.notices("EXECUTE p(15)"), [])
        self.assertEqual(len(self.fx.notices("SELECT a.id, b.id FROM warns a CROSS JOIN warns b WHERE a.seg = 3 AND b.seg = 3")), 1)

    def test_policy(self):
        """'error' refuses the share; the limit of a statement is compared with the share's units."""
        self.table("strict", scan_policy="error")
        failure = self.fx.error("SELECT * FROM strict WHERE seg = 4")
        self.assertEqual((failure.sqlstate, failure.message), ("55000", f'scan of 1 of 16 segments of DynamoDB table "{self.fx.remote("t")}" is disabled by scan_policy "error"'))
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_read_units_per_statement '3')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_read_units_per_statement)")
        self.assertEqual(len(self.fx.rows("SELECT * FROM t WHERE seg < 4")), len(self.mirrored("SELECT * FROM t WHERE seg < 4")))
        failure = self.fx.error("SELECT * FROM t WHERE seg < 10")
        self.assertIn("A scan of 10 of 16 segments of DynamoDB table", failure.detail)


class Definitions(SegmentTestCase):
    """Errors, at DDL where the validator can see it."""

    def refused(self, columns, message, hint, at_first_use=False, **options):
        """An error with a remedy, from the definition; or from the first use, where the definition does not know the types and other columns."""
        with self.subTest(columns):
            define = f"DROP FOREIGN TABLE IF EXISTS e; CREATE FOREIGN TABLE e ({columns}) SERVER ddb " + fixture.options_clause({"table_name": self.fx.remote("t"), **options})
            if at_first_use:
                self.fx.execute(define)
            failure = self.fx.error("SELECT * FROM e" if at_first_use else define)
            self.assertEqual(failure.message, message)
            self.assertIn(hint, failure.hint)

    def test_values(self):
        for value in ("0", "1000001", "-1", "x", ""):
            self.refused(f"id text, seg int OPTIONS (segment '{value}')", f'invalid value for option "segment": "{value}"', "an integer from 1 to 1000000")

    def test_other_places(self):
        for name, value in (("attribute", "a"), ("path", "a"), ("path", "@index"), ("format", "string"), ("document", "item")):
            self.refused(f"id text, seg int OPTIONS (segment '4', {name} '{value}')", f'options "segment" and "{name}" are mutually exclusive', "Remove one of them")

    def test_types(self):
        self.fx.execute("CREATE DOMAIN whole AS int")
        for type_ in ("text", "numeric", "float8", "int[]", "jsonb", "whole"):
            self.refused(f"id text, seg {type_} OPTIONS (segment '4')", 'column "seg" with option "segment" must have type smallint, integer or bigint', "Change the type", at_first_use=True)
        self.refused("id text, seg smallint OPTIONS (segment '32769')", 'column "seg" of type smallint cannot hold the numbers of 32769 segments', "Change the type", at_first_use=True)
        self.fx.foreign_table("e", "id text, seg smallint OPTIONS (segment '32768')", table_name=self.fx.remote("t"), scan_policy="allow")
        self.assertEqual(self.segments("SELECT * FROM e WHERE seg = 32767", 32768), [32767])

    def test_two_columns(self):
        self.refused("id text, a int OPTIONS (segment '4'), b int OPTIONS (segment '8')", 'columns "a" and "b" of foreign table "e" both have option "segment"', "Use another foreign table", at_first_use=True)

    def test_templates(self):
        self.fx.foreign_table("f", "seg int OPTIONS (segment '4')", table_name=self.fx.remote("t"), key_templates='{"id": "i${seg}"}')
        failure = self.fx.error("SELECT * FROM f")
        self.assertIn('Column "seg" has the option "segment".', failure.detail)

    def test_changes(self):
        """ALTER changes the number, or drops it."""
        self.table("e")
        self.assertEqual(self.segments("SELECT * FROM e WHERE seg = 3"), [3])
        self.fx.execute("ALTER FOREIGN TABLE e ALTER seg OPTIONS (SET segment '8')")
        self.assertEqual(self.segments("SELECT * FROM e WHERE seg = 3", 8), [3])
        self.fx.execute("ALTER FOREIGN TABLE e ALTER seg OPTIONS (DROP segment)")
        self.assertEqual(self.texts("SELECT seg FROM e WHERE seg = 3"), ["Scan t filter seg = 3 get id, seg"])


class Writes(SegmentTestCase):
    """The column is read in a statement that writes, but never written."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.table("w", updatable="on")

    def texts_of(self, sql):
        """The requests of a statement, as texts."""
        return [request_text(r, self.fx.database) for r in self.fx.requests(sql)]

    def test_update_and_delete(self):
        self.fx.put("t", [{"id": f"new{n}", "n": 1000 + n, "x": 1} for n in range(40)])
        placed = {item["id"]["S"]: segment for segment, item in scanned(self.fx.dynamo, self.fx.remote("t"), TOTAL) if item["id"]["S"].startswith("new")}
        low = sorted((name, seg) for name, seg in placed.items() if seg < 5)
        self.assertEqual(sorted(self.fx.rows("UPDATE w SET n = n + 1 WHERE seg < 5 AND n >= 1000 RETURNING id, seg")), low)
        self.assertEqual(sorted(self.fx.rows("SELECT id, n - 1001 FROM w WHERE seg < 5 AND n >= 1000")), sorted((name, int(name[3:])) for name, _ in low))
        self.assertEqual(self.fx.rows("UPDATE w SET note = seg::text WHERE id = 'new7' RETURNING note, seg"), [(str(placed["new7"]), placed["new7"])])
        self.assertEqual(sorted(self.fx.rows("DELETE FROM w WHERE n >= 1000 RETURNING id, seg")), sorted(placed.items()))

    def test_keys(self):
        """A statement that does not refer to the column writes by key."""
        self.fx.put("t", [{"id": "key", "n": 1}])
        self.assertEqual(self.texts_of("UPDATE w SET n = 5 WHERE id = 'key'"), ["UpdateItem t {id 'key'} SET n = 5 if attribute_exists(id)"])
        self.assertEqual([text.split()[0] for text in self.texts_of("UPDATE w SET n = n + 1 WHERE id = 'key' RETURNING n")], ["GetItem", "UpdateItem"])
        self.assertEqual([text.split()[0] for text in self.texts_of("DELETE FROM w WHERE id = 'key'")], ["DeleteItem"])

    def test_conflict(self):
        """A row that changed in the meantime is evaluated again with its segment."""
        self.fx.put("t", [{"id": "busy", "n": 5000}])
        [segment] = [segment for segment, item in scanned(self.fx.dynamo, self.fx.remote("t"), TOTAL) if item["id"]["S"] == "busy"]
        for sql, expected in ((f"UPDATE w SET n = n + 1 WHERE n >= 5000 AND seg = {segment} RETURNING n, seg", [(6001, segment)]),
                              (f"DELETE FROM w WHERE n >= 5000 AND seg = {segment} RETURNING n, seg", [(6000, segment)])):
            done = []

            def delete_first(_, done=done):
                if not done:
                    done.append(self.fx.put("t", [{"id": "busy", "n": 6000}]))
            self.fx.proxy.reset()
            self.fx.proxy.on("UpdateItem" if sql.startswith("UPDATE") else "DeleteItem", delete_first)
            try:
                self.assertEqual(self.fx.rows(sql), expected)
            finally:
                self.fx.proxy.reset(scripts=True)
            self.assertTrue(done)

    def test_atomic(self):
        self.fx.put("t", [{"id": "both", "n": 7000}])
        self.fx.execute("SET dynamo_fdw.write_mode = atomic")
        self.assertEqual(self.fx.rows("UPDATE w SET n = n + 1 WHERE n >= 7000 AND seg >= 0 RETURNING n"), [(7001,)])
        self.assertEqual(self.fx.rows("DELETE FROM w WHERE n >= 7000 AND seg >= 0 RETURNING n"), [(7001,)])

    def test_refused(self):
        for sql, message in (("INSERT INTO w (id, seg) VALUES ('a', 1)", 'cannot assign to column "seg" of foreign table "w"'),
                             ("UPDATE w SET seg = 1 WHERE id = 'i1'", 'cannot assign to column "seg" of foreign table "w"'),
                             ("UPDATE w SET seg = NULL WHERE id = 'i1'", 'cannot assign to column "seg" of foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('a') RETURNING seg", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('a') RETURNING *", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('a') RETURNING w", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('a') ON CONFLICT (id) DO UPDATE SET n = w.seg", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('a') ON CONFLICT (id) DO UPDATE SET n = 1 WHERE w.seg = 1", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('i1') ON CONFLICT (id) DO UPDATE SET n = excluded.seg", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('i1') ON CONFLICT (id) DO UPDATE SET n = 1 WHERE coalesce(excluded.seg, 0) < 1", 'cannot read column "seg" in an INSERT into foreign table "w"'),
                             ("INSERT INTO w (id) VALUES ('i1') ON CONFLICT (id) DO UPDATE SET note = excluded", 'cannot read column "seg" in an INSERT into foreign table "w"')):
            with self.subTest(sql):
                failure = self.fx.error(sql)
                self.assertEqual((failure.sqlstate, failure.message), ("0A000", message))
                self.assertTrue(failure.hint)
        self.assertEqual(self.fx.rows("SELECT id FROM t WHERE id = 'a'"), [])

    def test_refused_constraints(self):
        """An INSERT into a table with a CHECK, a generated column or partition bounds that read the segment, which is not known."""
        def refused(name, *statements):
            for sql in statements or (f"INSERT INTO {name} (id, n) VALUES ('unplaced', 1)", f"INSERT INTO {name} (id) SELECT 'unplaced' || g FROM generate_series(1, 2) g"):
                with self.subTest(sql):
                    failure = self.fx.error(sql)
                    self.assertEqual((failure.sqlstate, failure.message), ("0A000", f'cannot read column "seg" in an INSERT into foreign table "{name}"'))
                    self.assertIn("constraints", failure.hint)
            self.assertEqual(self.fx.rows("SELECT id FROM t WHERE id LIKE 'unplaced%'"), [])

        self.table("checked", updatable="on")
        self.fx.execute("ALTER FOREIGN TABLE checked ADD CHECK (seg < 1)")
        refused("checked")
        self.table("never_null", updatable="on")
        self.fx.execute("ALTER FOREIGN TABLE never_null ALTER seg SET NOT NULL")
        refused("never_null")
        self.assertEqual(self.fx.rows("UPDATE never_null SET n = n WHERE id = 'i1' RETURNING id"), [("i1",)])
        self.fx.foreign_table("computed", COLUMNS.format("int", TOTAL) + ", twice int GENERATED ALWAYS AS (seg * 2) STORED", table_name=self.fx.remote("t"), updatable="on")
        refused("computed")
        self.fx.execute('CREATE TABLE bounded (id text COLLATE "C", n int, x numeric, note text, seg int) PARTITION BY RANGE (seg); CREATE TABLE low PARTITION OF bounded FOR VALUES FROM (0) TO (8)')
        self.addCleanup(self.fx.execute, "DROP TABLE bounded")
        self.table("others", updatable="on")
        self.fx.execute("ALTER TABLE bounded ATTACH PARTITION others DEFAULT")
        refused("others")
        refused("others", "INSERT INTO bounded (id, n) VALUES ('unplaced', 1)")

    def test_refused_checks(self):
        """An INSERT through a view with CHECK OPTION, or a policy of the parent, that reads the segment."""
        guest = f"{self.fx.database}_guest"
        self.fx.execute("CREATE VIEW placed AS SELECT * FROM w WHERE coalesce(seg, 0) < 1 WITH CHECK OPTION;"
                        'CREATE TABLE guarded (note text, seg int, id text COLLATE "C", n int, x numeric) PARTITION BY RANGE (n)')
        self.table("member", updatable="on")
        self.fx.execute("ALTER TABLE guarded ATTACH PARTITION member FOR VALUES FROM (0) TO (5); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;"
                        f"CREATE POLICY p ON guarded WITH CHECK (seg IS NULL); CREATE ROLE {guest}; GRANT ALL ON guarded TO {guest}; GRANT USAGE ON FOREIGN SERVER ddb TO {guest}")
        self.addCleanup(self.fx.execute, f"RESET ROLE; DROP VIEW placed; DROP TABLE guarded; DROP OWNED BY {guest}; DROP ROLE {guest}")
        for role, name, member in (("postgres", "placed", "w"), (guest, "guarded", "member")):
            self.fx.execute(f"SET ROLE {role}")
            for rows in ("VALUES ('unplaced', 1)", "SELECT 'unplaced' || g, g FROM generate_series(1, 2) g"):
                failure = self.fx.error(f"INSERT INTO {name} (id, n) {rows}")
                self.assertEqual((failure.sqlstate, failure.message), ("0A000", f'cannot read column "seg" in an INSERT into foreign table "{member}"'))
            self.fx.execute("RESET ROLE")
        self.fx.execute("UPDATE placed SET n = n WHERE id = 'i1'")
        self.assertEqual(self.fx.rows("SELECT id FROM t WHERE id LIKE 'unplaced%'"), [])

    def test_insert(self):
        self.assertEqual(self.fx.rows("INSERT INTO w (id, n) VALUES ('ins', 1) RETURNING id, n"), [("ins", 1)])
        self.assertEqual(self.fx.rows("INSERT INTO w (id, n) VALUES ('ins', 1) ON CONFLICT (id) DO UPDATE SET n = w.n + 1 RETURNING n"), [(2,)])
        self.fx.execute("DELETE FROM w WHERE id = 'ins'")


class Rare(RequestTestCase):
    """Rows that are found only in the last segments: the Limit and the number of requests in flight grow from segment to segment."""

    TOTAL = 64

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("rare", ("id", "S"))
        cls.fx.put("rare", [{"id": f"i{n}", "n": n, "pad": "x" * 400} for n in range(20 * cls.TOTAL)])
        cls.fx.foreign_table("rare", f"id text COLLATE \"C\", n int, seg int OPTIONS (segment '{cls.TOTAL}')", scan_policy="allow")
        cls.mirror("rare")

    def setUp(self):
        self.fx.proxy.reset()
        self.fx.proxy.on("Scan", Executed(lambda reply: delay(0.01, reply)))
        self.addCleanup(self.fx.proxy.reset, scripts=True)

    def sent(self, sql):
        """The Limits of the requests, and how many were in flight together; the rows are those of a local table."""
        requests, rows = self.fx.requests_and_rows(sql)
        self.assertEqual(sorted(rows), sorted(self.mirrored(sql)))
        return [r.body.get("Limit") for r in requests], most_in_flight(requests)

    def test_last_rows(self):
        """Where each segment has more items than the first Limit, most are read by one request all the same."""
        for sql in ("SELECT id, seg FROM rare WHERE n > (SELECT 1274) LIMIT 5", "SELECT EXISTS (SELECT FROM rare WHERE n > (SELECT 1279) AND seg >= 0)",
                    "SELECT 1 WHERE NOT EXISTS (SELECT FROM rare WHERE n > (SELECT 1279) AND seg < 60)"):
            with self.subTest(sql):
                limits, in_flight = self.sent(sql)
                self.assertLess(limits[0], 20)
                self.assertLess(len(limits), self.TOTAL + 5)
                self.assertGreater(in_flight, 8)

    def test_cursor(self):
        with self.fx.conn.cursor() as cursor:
            cursor.execute("BEGIN; DECLARE c CURSOR FOR SELECT id, seg FROM rare WHERE n > (SELECT 1274); FETCH 100 FROM c")
            self.assertEqual(sorted(cursor.fetchall()), sorted(self.mirrored("SELECT id, seg FROM rare WHERE n > 1274")))
            cursor.execute("ROLLBACK")
        scans = [r for r in self.fx.proxy.requests if r.operation == "Scan"]
        self.assertLess(len(scans), self.TOTAL + 5)
        self.assertGreater(most_in_flight(scans), 8)

    def test_partitions(self):
        """Queries of many partitions, too; an empty partition does not raise the Limit."""
        self.fx.create_table("parts", ("k", "S"), ("n", "N"))
        self.fx.put("parts", [{"k": f"k{k:02}", "n": n, "v": n + 1000 * (k == 59), "pad": "x" * 400} for k in range(10, 60) for n in range(20)])
        self.fx.foreign_table("parts", 'k text COLLATE "C", n int, v int', scan_policy="allow")
        self.mirror("parts")
        keys = ", ".join(f"'k{k:02}'" for k in range(60))
        self.fx.proxy.reset()
        requests, rows = self.fx.requests_and_rows(f"SELECT k, n FROM parts WHERE k IN ({keys}) AND v > (SELECT 1018) LIMIT 1")
        self.assertEqual(rows, self.mirrored("SELECT k, n FROM parts WHERE v > 1018"))
        limits = [r.body["Limit"] for r in requests]
        self.assertEqual(limits[:10], limits[:1] * 10)
        self.assertLess(len(limits), 80)

    def test_first_rows(self):
        """What the first segment has is all that is read."""
        self.assertEqual(self.fx.requests_and_rows("SELECT id, seg FROM rare LIMIT 5")[0][0].body["Limit"], 5)
        for sql in ("SELECT id, seg FROM rare LIMIT 5", "SELECT EXISTS (SELECT FROM rare WHERE seg >= 0)", "SELECT id, seg FROM rare WHERE n > (SELECT 0) LIMIT 3"):
            self.assertEqual(len(self.fx.requests(sql)), 1, sql)


class InFlight(fixture.TestCase):
    """max_concurrency segments at once, each once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake", )
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.execute("ALTER SERVER fake OPTIONS (ADD max_concurrency '4')")
        cls.fake.table("t", ("id", "S"), items=[{"id": {"S": f"{n:03}"}, "n": {"N": str(n)}} for n in range(200)], page_size=3)
        cls.fx.foreign_table("t", "id text, n int, seg int OPTIONS (segment '20')", server="fake", scan_policy="allow")

    def test_in_flight(self):
        self.fx.rows("SELECT FROM t WHERE seg = 99")
        for condition, segments in (("seg < 12", range(12)), ("seg IN (1, 5, 7, 9, 11, 13)", (1, 5, 7, 9, 11, 13)), ("true", range(20))):
            self.fake.reset()
            self.fake.together(4)
            rows = self.fx.rows(f"SELECT n, seg FROM t WHERE {condition}")
            self.assertEqual(sorted(rows), [(s * 10 + n, s) for s in segments for n in range(10)])
            requests = [r for r in self.fake.requests if r.operation == "Scan"]
            self.assertEqual(most_in_flight(requests), 4)
            self.assertEqual(sorted(r.body["Segment"] for r in requests if "ExclusiveStartKey" not in r.body), list(segments))
        descriptors = descriptors_of(self.fx.value("SELECT pg_backend_pid()"))
        for _ in range(3):
            self.fx.rows("SELECT n, seg FROM t LIMIT 5")
        self.assertLessEqual(descriptors_of(self.fx.value("SELECT pg_backend_pid()")), descriptors)
