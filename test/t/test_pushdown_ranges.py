"""Ranges, prefixes and order on sort keys, and what LIMIT requests."""
import re

import request_text
import shop
from dynamo import index
from request_text import statements

TEXT = [
    ("text less", "SELECT at FROM orders WHERE cust = 'c01' AND at < '2024-03'",
     ["Query orders where cust = 'c01' AND at < '2024-03' get at"]),
    ("text at most", "SELECT at FROM orders WHERE cust = 'c01' AND at <= '2024-03-03'",
     ["Query orders where cust = 'c01' AND at <= '2024-03-03' get at"]),
    ("text greater", "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-03-03'",
     ["Query orders where cust = 'c01' AND at > '2024-03-03' get at"]),
    ("text at least, exchanged", "SELECT at FROM orders WHERE cust = 'c01' AND '2024-03-03' <= at",
     ["Query orders where cust = 'c01' AND at >= '2024-03-03' get at"]),
    ("text BETWEEN", "SELECT at FROM orders WHERE cust = 'c01' AND at BETWEEN '2024-03' AND '2024-05'",
     ["Query orders where cust = 'c01' AND at BETWEEN '2024-03' AND '2024-05' get at"]),
    ("two bounds, one open", "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-03-03' AND at < '2024-05'",
     ["Query orders where cust = 'c01' AND at BETWEEN '2024-03-03' AND '2024-05' get at"]),
    ("two lower bounds", "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-01' AND at >= '2024-03'",
     ["Query orders where cust = 'c01' AND at >= '2024-03' get at"]),
    ("three bounds", "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-01' AND at >= '2024-03' AND at < '2024-04'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-03') get at"]),
    ("bounds of more than one beginning", "SELECT at FROM orders WHERE cust = 'c01' AND at >= '2024-03' AND at < '2024-05'",
     ["Query orders where cust = 'c01' AND at BETWEEN '2024-03' AND '2024-05' get at"]),
    ("BETWEEN of one value", "SELECT at FROM orders WHERE cust = 'c01' AND at BETWEEN '2024-03-03' AND '2024-03-03'",
     ["GetItem orders {cust 'c01', at '2024-03-03'} get at"]),
    ("reversed BETWEEN", "SELECT at FROM orders WHERE cust = 'c01' AND at BETWEEN '2024-05' AND '2024-03'", []),
    ("bounds that exclude their only value",
     "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-03-03' AND at <= '2024-03-03'", []),
    ("range that excludes the value", "SELECT at FROM orders WHERE cust = 'c01' AND at = '2024-03-03' AND at > '2024-04'",
     []),
    ("NULL bound", "SELECT at FROM orders WHERE cust = 'c01' AND at > current_setting('test.missing', true)", []),
    ("a list in a small partition", "SELECT at FROM orders WHERE status = 'open' AND at IN ('2024-01-01', '2024-10-10', '2024-03-03')",
     ["Query orders/by_status where status = 'open' AND at BETWEEN '2024-01-01' AND '2024-10-10' get at"]),
    ("above the empty text", "SELECT at FROM orders WHERE cust = 'c01' AND at > ''",
     ["Query orders where cust = 'c01' get at"]),
    ("from the empty text", "SELECT at FROM orders WHERE cust = 'c01' AND at BETWEEN '' AND '2024-03'",
     ["Query orders where cust = 'c01' AND at <= '2024-03' get at"]),
    ("below the empty text", "SELECT at FROM orders WHERE cust = 'c01' AND at < ''", []),
    ("unequal", "SELECT at FROM orders WHERE cust = 'c01' AND at <> '2024-03-03'",
     ["Query orders where cust = 'c01' get at"]),
    ("a range under another collation", "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-03' COLLATE \"und-x-icu\"",
     ["Query orders where cust = 'c01' get at"]),
    ("a range without the partition key", "SELECT at FROM orders WHERE at > '2024-12'",
     ["Scan orders filter at > '2024-12' get at, cust"]),
    ("a range on the partition key", "SELECT at FROM orders WHERE cust < 'c01'",
     ["Scan orders filter cust < 'c01' get at, cust"]),
]

PREFIXES = [
    ("LIKE", "SELECT at FROM orders WHERE cust = 'c01' AND at LIKE '2024-03%%'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-03') get at"], ()),
    ("starts_with", "SELECT at FROM orders WHERE cust = 'c01' AND starts_with(at, '2024-03')",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-03') get at"]),
    ("caret at", "SELECT at FROM orders WHERE cust = 'c01' AND at ^@ '2024-03'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-03') get at"]),
    ("LIKE with more after it", "SELECT at FROM orders WHERE cust = 'c01' AND at LIKE '2024-_3-0%%'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-') get at"], ()),
    ("LIKE without wildcard", "SELECT at FROM orders WHERE cust = 'c01' AND at LIKE '2024-03-03'",
     ["GetItem orders {cust 'c01', at '2024-03-03'} get at"]),
    ("LIKE of an escaped wildcard", r"SELECT at FROM orders WHERE cust = 'c01' AND at LIKE '2024\_%%'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024_') get at"], ()),
    ("LIKE of the end", "SELECT at FROM orders WHERE cust = 'c01' AND at LIKE '%%-03'",
     ["Query orders where cust = 'c01' get at"], ()),
    ("LIKE everything", "SELECT at FROM orders WHERE cust = 'c01' AND at LIKE '%%'",
     ["Query orders where cust = 'c01' get at"], ()),
    ("two prefixes", "SELECT at FROM orders WHERE cust = 'c01' AND at ^@ '2024-1' AND at ^@ '2024-12'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-12') get at"]),
    ("prefixes that contradict", "SELECT at FROM orders WHERE cust = 'c01' AND at ^@ '2024-1' AND at ^@ '2023'", []),
    ("prefix within a bound", "SELECT at FROM orders WHERE cust = 'c01' AND at ^@ '2024-03' AND at > '2024'",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-03') get at"]),
    ("prefix by parameter", "SELECT at FROM orders WHERE cust = %s AND at LIKE %s",
     ["Query orders where cust = 'c01' AND begins_with(at,'2024-03') get at"], ("c01", "2024-03%")),
]

NUMBERS = [
    ("number less", "SELECT ts FROM readings WHERE sensor = 1 AND ts < -500",
     ["Query readings where sensor = 1 AND ts < -500 get ts"]),
    ("number at most", "SELECT ts FROM readings WHERE sensor = 1 AND ts <= 100",
     ["Query readings where sensor = 1 AND ts <= 100 get ts"]),
    ("number greater", "SELECT ts FROM readings WHERE sensor = 1 AND ts > 1000",
     ["Query readings where sensor = 1 AND ts > 1000 get ts"]),
    ("number at least", "SELECT ts FROM readings WHERE sensor = 1 AND ts >= 1000",
     ["Query readings where sensor = 1 AND ts >= 1000 get ts"]),
    ("number BETWEEN", "SELECT ts FROM readings WHERE sensor = 1 AND ts BETWEEN -300 AND 300",
     ["Query readings where sensor = 1 AND ts BETWEEN -300 AND 300 get ts"]),
    ("number BETWEEN reversed", "SELECT ts FROM readings WHERE sensor = 1 AND ts BETWEEN 300 AND -300", []),
    ("a number beyond all", "SELECT ts FROM readings WHERE sensor = 1 AND ts::numeric > 1e130", []),
    ("below a number beyond all", "SELECT ts FROM readings WHERE sensor = 1 AND ts::numeric < 1e130",
     [f"Query readings where sensor = 1 AND ts <= {'9' * 38 + '0' * 88} get ts"]),
    ("below NaN", "SELECT ts FROM readings WHERE sensor = 1 AND ts::numeric < 'NaN'",
     ["Query readings where sensor = 1 get ts"]),
    ("bytea less", r"SELECT s FROM blobs WHERE h = '\x01' AND s < '\x30'",
     ["Query blobs where h = x'01' AND s < x'30' get s"]),
    ("bytea at least", r"SELECT s FROM blobs WHERE h = '\x01' AND s >= '\xe0ff'",
     ["Query blobs where h = x'01' AND s >= x'e0ff' get s"]),
    ("bytea BETWEEN", r"SELECT s FROM blobs WHERE h = '\x01' AND s BETWEEN '\x10ff' AND '\x30'",
     ["Query blobs where h = x'01' AND s BETWEEN x'10ff' AND x'30' get s"]),
    ("bytea above nothing", r"SELECT s FROM blobs WHERE h = '\x01' AND s > '\x'", ["Query blobs where h = x'01' get s"]),
]

ORDER = [
    ("ascending", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY at", ["Query orders where cust = 'c01' get at"]),
    ("descending", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY at DESC",
     ["Query orders where cust = 'c01' get at backward"]),
    ("by both keys", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY cust, at DESC LIMIT 2",
     ["Query orders where cust = 'c01' get at, cust limit 2 backward"]),
    ("first rows", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY at LIMIT 3",
     ["Query orders where cust = 'c01' get at limit 3"]),
    ("last rows", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY at DESC LIMIT 3",
     ["Query orders where cust = 'c01' get at limit 3 backward"]),
    ("LIMIT and OFFSET", "SELECT at FROM orders WHERE cust = 'c01' ORDER BY at LIMIT 3 OFFSET 2",
     ["Query orders where cust = 'c01' get at limit 5"]),
    ("LIMIT in a range", "SELECT at FROM orders WHERE cust = 'c01' AND at > '2024-06' ORDER BY at LIMIT 2",
     ["Query orders where cust = 'c01' AND at > '2024-06' get at limit 2"]),
    ("LIMIT without order", "SELECT cust FROM orders WHERE cust = 'c01' LIMIT 3",
     ["Query orders where cust = 'c01' get cust limit 3"]),
    ("LIMIT on a number", "SELECT ts FROM readings WHERE sensor = 2 ORDER BY ts DESC LIMIT 1",
     ["Query readings where sensor = 2 get ts limit 1 backward"]),
    ("LIMIT by another order", "SELECT total FROM orders WHERE cust = 'c01' ORDER BY status, total LIMIT 3",
     ["Query orders where cust = 'c01' get status, total"]),
    ("two partitions merged", "SELECT at FROM orders WHERE cust IN ('c01', 'c02') ORDER BY at LIMIT 4",
     ["Query orders where cust = 'c01' get at, cust limit 4", "Query orders where cust = 'c02' get at, cust limit 4"]),
    ("two partitions merged backward", "SELECT at FROM orders WHERE cust IN ('c01', 'c02') ORDER BY at DESC LIMIT 4",
     ["Query orders where cust = 'c01' get at, cust limit 4 backward",
      "Query orders where cust = 'c02' get at, cust limit 4 backward"]),
    ("greatest", "SELECT max(at) FROM orders WHERE cust = 'c05'",
     ["Query orders where cust = 'c05' get at limit 1 backward"]),
    ("least", "SELECT min(at) FROM orders WHERE cust = 'c05'", ["Query orders where cust = 'c05' get at limit 1"]),
    ("least and greatest of one page", "SELECT min(ts), max(ts) FROM readings WHERE sensor = 3",
     ["Query readings where sensor = 3 get ts"]),
    ("greatest below a bound", "SELECT max(ts) FROM readings WHERE sensor = 3 AND ts < 1000",
     ["Query readings where sensor = 3 AND ts < 1000 get ts limit 1 backward"]),
]


@statements(TEXT + PREFIXES + NUMBERS + ORDER)
class RequestsByRange(request_text.RequestTestCase):
    """Each statement sends just the requests listed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "readings", "blobs")
        cls.mirror("orders", "readings", "blobs")

    def test_ordered_reading_does_not_sort(self):
        """The plan takes the rows as they come."""
        for sql in ("SELECT at FROM orders WHERE cust = 'c01' ORDER BY at DESC",
                    "SELECT at FROM orders WHERE cust IN ('c01', 'c02') ORDER BY at"):
            self.assertNotIn("Sort", self.fx.explain(sql))

    def test_partitions_merged_are_all_counted(self):
        """Merging reads all partitions at a time, so it is for no more than max_concurrency of them, however they are written."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '5'); SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency); RESET plan_cache_mode")
        five, six = "'c01', 'c02', 'c03', 'c04', 'c05'", "'c01', 'c02', 'c03', 'c04', 'c05', 'c06'"
        for where, parameters, merged in (
                (f"cust IN ({five})", None, True), (f"cust IN ({six})", None, False),
                ("cust = ANY ('{{c01,c02},{c03,c04}}')", None, True), ("cust = ANY ('{{c01,c02},{c03,c04},{c05,c06}}')", None, False),
                ("cust = 'c01' OR cust IN ('c02', 'c03')", None, True),
                ("cust IN ('c01', 'c02', 'c03') OR cust IN ('c04', 'c05', 'c06')", None, False),
                (f"cust = 'c07' AND total > 0 OR cust IN ({five})", None, False),
                ("cust = ANY (ARRAY[$1, $2, 'c03'])", ("text", "'c01'", "'c02'"), True),
                ("cust = ANY (ARRAY[ARRAY[$1, 'c02'], ARRAY['c03', $2], ARRAY['c05', 'c06']])", ("text", "'c01'", "'c04'"), False),
                ("cust = ANY (ARRAY[$1, $2])", ("text[]", "'{c01,c02,c03}'", "'{c04,c05,c06}'"), False)):
            with self.subTest(where=where):
                declared, given = ("", "") if parameters is None else (f"({parameters[0]}, {parameters[0]})", f"({', '.join(parameters[1:])})")
                self.fx.execute(f"PREPARE s {declared} AS SELECT at FROM orders WHERE {where} ORDER BY at")
                plan = self.fx.explain(f"EXECUTE s{given}")
                self.fx.execute("DEALLOCATE s")
                self.assertIn("Query per key", plan)
                self.assertEqual(("Order: ascending" in plan, "Sort" in plan), (merged, not merged), plan)

    def test_row_wise_keys_are_all_priced(self):
        """The estimate counts all combinations of values of each arm."""
        def cost(n):
            arms = (f"cust = 'c0{arm}' AND at = ANY ('{{{','.join(str(arm * 100 + value) for value in range(n))}}}')" for arm in (1, 2))
            plan = self.fx.explain(f"SELECT total FROM orders WHERE {' OR '.join(arms)}", "COSTS ON")
            self.assertIn("BatchGetItem", plan)
            return float(re.search(r"cost=[0-9.]+\.\.([0-9.]+)", plan).group(1))
        self.assertGreater(cost(30), cost(2) + 25)

    def test_order_of_another_collation_is_sorted_here(self):
        """Under another collation than "C" rows are sorted locally."""
        plan = self.fx.explain("SELECT at FROM orders WHERE cust = 'c01' ORDER BY at COLLATE \"und-x-icu\" LIMIT 3")
        self.assertIn("Sort", plan)
        self.assertNotIn("First Page", plan)


class ListsOfSortKeys(request_text.RequestTestCase):
    """A list of sort keys of an index: one Query for each value, unless one for the range from the least to the greatest costs less."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("mail", ("tenant", "S"), ("id", "S"), (index("by_email", ("tenant", "S"), ("email", "S")),
                                                               index("by_score", ("tenant", "S"), ("score", "N"), local=True)))
        fx.put("mail", ({"tenant": f"t{n % 2}", "id": f"i{n:03}", "email": f"e{n // 2 % 150:03}", "score": n, "note": "n" * 1000}
                        for n in range(400)))
        columns = ('tenant text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, email text COLLATE "C" NOT NULL, score int NOT NULL,'
                   " note text")
        fx.foreign_table("mail", columns)
        fx.foreign_table("unknown", columns, table_name=fx.remote("mail"))
        cls.mirror("mail", "unknown")
        fx.execute("CREATE TABLE users AS SELECT 't1' AS tenant, ARRAY['e001', 'e140'] AS emails; ANALYZE users, mail")

    def tearDown(self):
        self.fx.execute("DEALLOCATE ALL; RESET plan_cache_mode")
        super().tearDown()

    @staticmethod
    def queries(*emails, get="email, id, tenant", after=""):
        return [f"Query mail/by_email where tenant = 't1' AND email = '{email}' get {get}{after}" for email in emails]

    def test_forms(self):
        """Of a list, of an OR, of a parameter, and with further conditions on the sort key."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for where, expected in (
                ("email IN ('e001', 'e140')", self.queries("e001", "e140")),
                ("(email = 'e001' OR email = 'e140')", self.queries("e001", "e140")),
                ("email IN ('e001', 'e140', 'e070') AND email > 'e050'", self.queries("e070", "e140")),
                ("(email = 'e001' OR email IN ('e140', 'e001'))", self.queries("e001", "e140")),
                ("email IN ('e001', NULL)", self.queries("e001")),
                ("score IN (1, 301)", [f"Query mail/by_score where tenant = 't1' AND score = {n} get id, score, tenant" for n in (1, 301)])):
            with self.subTest(where=where):
                self.assertRequests(f"SELECT id FROM mail WHERE tenant = 't1' AND {where}", expected)
        for name in ("public", "mirror"):
            self.fx.execute(f"SET search_path = {name}, public; PREPARE {name} (text[]) AS"
                            " SELECT id FROM mail WHERE tenant = 't1' AND email = ANY ($1); RESET search_path")
        wide = [f"e{n:03}" for n in range(0, 120)]
        for array, expected in (("{e140,e001,NULL,e001}", self.queries("e001", "e140")), ("{}", []),
                                (f"{{{','.join(wide)}}}", ["Query mail/by_email where tenant = 't1' AND email BETWEEN 'e000' AND 'e119'"
                                                " get email, id, tenant"])):
            texts, rows = self.texts_and_rows(f"EXECUTE public ('{array}')")
            self.assertEqual(texts, sorted(expected))
            self.assertEqual(sorted(rows), sorted(self.mirrored(f"EXECUTE mirror ('{array}')")))

    def test_too_many(self):
        """More values than are read one by one are read in order, without a sort."""
        emails = ", ".join(f"'e{n:03}'" for n in range(120))
        sql = f"SELECT email FROM mail WHERE tenant = 't1' AND email IN ({emails}) ORDER BY email"
        plan = self.fx.explain(sql)
        self.assertNotIn("Sort", plan.replace("sort key", ""))
        self.assertNotIn("per key", plan)
        self.assertRequests(sql, ["Query mail/by_email where tenant = 't1' AND email BETWEEN 'e000' AND 'e119' get email"])

    def test_rows_and_branches(self):
        """Of rows, and of branches with both attributes."""
        for where in ("(tenant, email) IN (('t1', 'e001'), ('t1', 'e140'))",
                      "(tenant = 't1' AND email = 'e001' OR tenant = 't1' AND email = 'e140')"):
            self.assertRequests(f"SELECT id FROM mail WHERE {where}", self.queries("e001", "e140"))

    def test_optional(self):
        """An optional list divides the Query of a table only if the list is used."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for name in ("public", "mirror"):
            self.fx.execute(f"SET search_path = {name}, public; PREPARE {name} (text[]) AS"
                            " SELECT score FROM mail WHERE tenant = 't1' AND ($1 IS NULL OR id = ANY ($1)); RESET search_path")
        for array, conditions in (("'{i001,i399}'", [" AND id = 'i001'", " AND id = 'i399'"]), ("NULL", [""]), ("'{}'", [])):
            texts, rows = self.texts_and_rows(f"EXECUTE public ({array})")
            self.assertEqual(texts, [f"Query mail where tenant = 't1'{condition} get id, score, tenant" for condition in conditions])
            self.assertEqual(sorted(rows), sorted(self.mirrored(f"EXECUTE mirror ({array})")))

    def test_join_and_partitions(self):
        """Of values of another table, and in several partitions."""
        self.assertRequests("SELECT id FROM users u JOIN mail m ON m.tenant = u.tenant AND m.email = ANY (u.emails)",
                            self.queries("e001", "e140"))
        self.assertRequests("SELECT count(*) FROM mail WHERE tenant IN ('t0', 't1') AND email IN ('e001', 'e140')",
                            [query.replace("t1", tenant) for query in self.queries("e001", "e140", get="email, tenant") for tenant in ("t0", "t1")])

    def test_order(self):
        """A few Queries are merged; under a LIMIT, one Query gives the order that many would not."""
        self.assertRequests("SELECT email FROM mail WHERE tenant = 't1' AND email IN ('e001', 'e140') ORDER BY email DESC LIMIT 3",
                            self.queries("e001", "e140", get="email, tenant", after=" limit 3 backward"))
        self.fx.execute("SET plan_cache_mode = force_generic_plan;"
                        "PREPARE p (text[]) AS SELECT email FROM mail WHERE tenant = 't1' AND email = ANY ($1) ORDER BY email LIMIT 2")
        texts, rows = self.texts_and_rows("EXECUTE p ('{e001,e140}')")
        self.assertEqual(texts[0], "Query mail/by_email where tenant = 't1' AND email BETWEEN 'e001' AND 'e140' get email limit 2")
        self.assertEqual(rows, [("e001",), ("e001",)])

    def test_costs(self):
        """One Query, if half a unit for each value is more than the partition; without statistics, this partition seems small."""
        for table, n in (("mail", 90), ("unknown", 2)):
            values = ", ".join(f"'e{n:03}'" for n in range(n))
            self.assertRequests(f"SELECT id FROM {table} WHERE tenant = 't1' AND email IN ({values})",
                                [f"Query mail/by_email where tenant = 't1' AND email BETWEEN 'e000' AND 'e{n - 1:03}' get email, id"])
