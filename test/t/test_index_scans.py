"""Scans of an index in place of its table: when the index is smaller, has every row, and shows all that is needed."""
import time

import fixture
import replies
import request_text
from dynamo import index, item
from request_text import statements
from tables import index as fake_index

NOW = int(time.time())
COLUMNS = ('pk text COLLATE "C" NOT NULL, sk int NOT NULL, due int, kind text COLLATE "C", at int, title text, rank numeric, flag text COLLATE "C",'
           ' body text')
OLD_COLUMNS = 'pk text COLLATE "C" NOT NULL, sk int NOT NULL, code text COLLATE "C", num int, body text'


def mail():
    """400 items of half a kilobyte; one of ten is due, one of five has a rank, one of eight a flag, two of three a kind."""
    for n in range(400):
        one = {"pk": f"p{n % 20:02d}", "sk": n, "at": n * 7 % 100, "title": f"title {n}", "body": "b" * 400, "lines": [{"x": n}, {"x": n + 1}]}
        if n % 3:
            one["kind"] = ["bill", "note"][n % 2]
        if n % 10 == 0:
            one["due"] = n
        if n % 5 == 0:
            one["rank"] = n % 7
        if n % 8 == 0:
            one.update(flag=f"f{n % 3}", ends=NOW + 1000 if n % 16 else NOW - 1000)
        if n % 4 == 0:      # older than their index, which has some of them
            one.update(code=["", "c1", "c2", 7][n // 4 % 4], num=[1, "1", 2, 3][n // 4 % 4])
        if n % 9 == 0:
            del one["at"]
        yield one


def create(fx):
    """The table, with indexes made before and after the items."""
    fx.create_table("mail", ("pk", "S"), ("sk", "N"),
                    [index("by_due", ("due", "N"), None, "KEYS_ONLY"), index("by_kind", ("kind", "S"), ("at", "N"), ["title", "lines"]),
                     index("by_rank", ("pk", "S"), ("rank", "N"), "KEYS_ONLY", local=True), index("by_flag", ("flag", "S"))])
    fx.put("mail", mail())
    for late in (index("by_code", ("code", "S"), None, "KEYS_ONLY"), index("by_num", ("num", "N"), None, "KEYS_ONLY")):
        fx.dynamo.add_index(fx.remote("mail"), late)
    fx.foreign_table("mail", COLUMNS, scan_policy="allow")
    fx.foreign_table("old", OLD_COLUMNS, scan_policy="allow", on_mismatch="null", table_name=fx.remote("mail"))


SPARSE = [
    ("IS NOT NULL", "SELECT pk, due FROM mail WHERE due IS NOT NULL", ["Scan mail/by_due get due, pk, sk"]),
    ("a condition that rejects NULL", "SELECT pk, sk FROM mail WHERE due > 200", ["Scan mail/by_due filter due > 200 get due, pk, sk"]),
    ("any strict function", "SELECT pk FROM mail WHERE abs(due) < 100", ["Scan mail/by_due get due, pk, sk"]),
    ("both branches reject NULL", "SELECT pk FROM mail WHERE due < 50 OR due > 350",
     ["Scan mail/by_due filter due < 50 OR due > 350 get due, pk, sk"]),
    ("one branch does not", "SELECT pk FROM mail WHERE due < 50 OR sk = 1", ["Scan mail filter due < 50 OR sk = 1 get due, pk, sk"]),
    ("IS NULL", "SELECT pk FROM mail WHERE due IS NULL AND sk < 20", ["Scan mail filter (attribute_not_exists(due) OR attribute_type(due,'NULL')) AND sk < 20 get pk, sk"]),
    ("no condition", "SELECT pk, due FROM mail", ["Scan mail get due, pk, sk"]),
    ("a column that the index does not show", "SELECT title FROM mail WHERE due IS NOT NULL", ["Scan mail filter attribute_type(due,'N') get due, pk, sk, title"]),
    ("a condition on one", "SELECT pk FROM mail WHERE due > 20 AND at > 5", ["Scan mail filter due > 20 AND at > 5 get at, due, pk, sk"]),
    ("a check of one", "SELECT pk FROM mail WHERE due > 20 AND length(title) > 8", ["Scan mail filter due > 20 get due, pk, sk, title"]),
    ("the full row", "SELECT mail FROM mail WHERE due > 380", ["Scan mail filter due > 380 get at, body, due, flag, kind, pk,"
                                                                " rank, sk, title"]),
    ("local index", "SELECT pk, rank FROM mail WHERE rank > 5", ["Scan mail/by_rank filter rank > 5 get pk, rank, sk"]),
    ("local index that does not show it", "SELECT title FROM mail WHERE rank > 5", ["Scan mail filter rank > 5 get pk, sk, title"]),
    ("IS NULL below OR", "SELECT pk FROM mail WHERE (flag = 'f1' OR flag IS NULL) AND flag > ''",
     ["Scan mail/by_flag filter flag = 'f1' OR attribute_not_exists(flag) OR attribute_type(flag,'NULL') get pk, sk"]),
    ("full items", "SELECT title, body FROM mail WHERE flag > ''", ["Scan mail/by_flag get body, pk, sk, title"]),
    ("count", "SELECT count(*) FROM mail WHERE rank IS NOT NULL", ["Scan mail/by_rank count"]),
    ("count with a filter", "SELECT count(*) FROM mail WHERE rank > 3", ["Scan mail/by_rank filter rank > 3 count"]),
    ("count without proof", "SELECT count(*) FROM mail WHERE rank IS NULL",
     ["Scan mail filter attribute_not_exists(rank) OR attribute_type(rank,'NULL') count"]),
    ("count of all", "SELECT count(*) FROM mail", ["Scan mail count"]),
    ("ORDER BY", "SELECT pk, due FROM mail WHERE due > 200 ORDER BY due DESC, pk", ["Scan mail/by_due filter due > 200 get due, pk, sk"]),
    ("greatest", "SELECT max(due) FROM mail", ["Scan mail get due, pk, sk"]),
    ("grouped", "SELECT rank, count(*) FROM mail WHERE rank IS NOT NULL GROUP BY rank", ["Scan mail/by_rank get pk, rank, sk"]),
    ("a partition is better", "SELECT pk, rank FROM mail WHERE rank > 5 AND pk = 'p00'",
     ["Query mail/by_rank where pk = 'p00' AND rank > 5 get pk, rank"]),
    ("the outer side of a join", "SELECT a.pk, b.x FROM mail a LEFT JOIN nums b ON b.x = a.due WHERE a.due IS NOT NULL",
     ["Scan mail/by_due get due, pk, sk"]),
]

# No join implies that an attribute is there where each row of the table is read.
JOINED = [
    ("the inner side", "SELECT b.pk, b.due FROM nums a JOIN mail b ON b.due + 0 = a.x", ["Scan mail get due, pk, sk"]),
    ("the nullable side", "SELECT a.x, b.pk FROM nums a LEFT JOIN mail b ON b.due + 0 = a.x", ["Scan mail get due, pk, sk"]),
    ("the nullable side with a condition", "SELECT a.x, b.pk FROM nums a LEFT JOIN mail b ON b.due + 0 = a.x AND b.due > 0",
     ["Scan mail/by_due filter due > 0 get due, pk, sk"]),
    ("the anti side", "SELECT a.x FROM nums a WHERE NOT EXISTS (SELECT FROM mail b WHERE b.due + 0 = a.x AND b.due > 0)",
     ["Scan mail/by_due filter due > 0 get due, pk, sk"]),
    ("a condition on the result of an outer join", "SELECT a.x FROM nums a LEFT JOIN mail b ON b.due + 0 = a.x WHERE b.due IS NULL",
     ["Scan mail get due, pk, sk"]),
]

TEXTS = [
    ("not empty", "SELECT pk, title FROM mail WHERE kind > '' AND at IS NOT NULL", ["Scan mail/by_kind get pk, sk, title"]),
    ("a list", "SELECT pk, title FROM mail WHERE kind <> '' AND at IN (5, 7)", ["Scan mail/by_kind filter at IN (5,7) get pk, sk, title"]),
    ("IS NOT NULL holds for the empty text", "SELECT pk, title FROM mail WHERE kind IS NOT NULL AND at IS NOT NULL",
     ["Scan mail filter attribute_type(kind,'S') AND attribute_type(at,'N') get at, kind, pk, sk, title"]),
    ("one of two attributes", "SELECT pk, title FROM mail WHERE kind > ''", ["Scan mail filter kind > '' get kind, pk, sk, title"]),
    ("the other one", "SELECT pk, title FROM mail WHERE at > 5", ["Scan mail filter at > 5 get at, pk, sk, title"]),
]

OLD = [
    ("an empty text", "SELECT pk, code FROM old WHERE code IS NOT NULL", ["Scan mail get code, pk, sk"]),
    ("an empty text in a range", "SELECT pk, code FROM old WHERE code < 'c2'", ["Scan mail filter code < 'c2' get code, pk, sk"]),
    ("a text", "SELECT pk, code FROM old WHERE code >= 'a'", ["Scan mail/by_code filter code >= 'a' get code, pk, sk"]),
    ("another type is NULL", "SELECT pk, num FROM old WHERE num IS NOT NULL", ["Scan mail/by_num get num, pk, sk"]),
    ("another type where NULL counts", "SELECT pk, num FROM old WHERE num IS NULL OR num > 1", ["Scan mail get num, pk, sk"]),
    ("another type where nothing is restricted", "SELECT pk, num FROM old", ["Scan mail get num, pk, sk"]),
]


@statements(SPARSE + JOINED + TEXTS + OLD)
class Scans(request_text.RequestTestCase):
    """What each statement reads."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        create(cls.fx)
        cls.fx.execute("CREATE TABLE nums AS SELECT x FROM generate_series(0, 40, 5) x; ANALYZE nums")
        cls.mirror("mail", "old", "nums")

    def setUp(self):
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")

    def test_later_values(self):
        """A value that is known at the execution only, and that the index cannot hold, is looked for in the table."""
        for schema in ("public", "mirror"):
            self.fx.execute(f"SET search_path = {schema}")
            self.fx.execute(f"PREPARE {schema}_p (text) AS SELECT pk, code FROM old WHERE code >= $1;"
                            f"PREPARE {schema}_c (text) AS SELECT count(*) FROM old WHERE code >= $1")
        self.fx.execute("RESET search_path; SET plan_cache_mode = force_generic_plan")
        for value, place in (("'c1'", "mail/by_code"), ("''", "mail"), ("'c2'", "mail/by_code"), ("NULL", None)):
            for name in "pc":
                requested = [text.split()[1] for text in self.texts(f"EXECUTE public_{name}({value})")]
                self.assertEqual(requested, [place] if place else [], f"{name} {value}")
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE public_{name}({value})")),
                                 sorted(self.fx.rows(f"EXECUTE mirror_{name}({value})")))

    def test_limit(self):
        """The first page of the index has what the LIMIT needs."""
        self.assertEqual(self.texts("SELECT pk FROM mail WHERE due IS NOT NULL LIMIT 3"), ["Scan mail/by_due get pk, sk limit 3"])

    def test_again(self):
        """Executions that differ in values read the index once, after the first of them."""
        sql = ("SELECT x, (SELECT count(b.pk) FROM mail b WHERE b.due IS NOT NULL AND b.due % 3 = x % 3 AND b.due < x) FROM nums a")
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
        texts = self.texts(sql)
        self.assertEqual({text.split()[1] for text in texts}, {"mail/by_due"})
        self.assertLessEqual(len(texts), 2)

    def test_consistent(self):
        """Global indexes cannot be read consistently, local ones can."""
        self.fx.execute("SET dynamo_fdw.consistent_read = on")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.consistent_read")
        self.assertRequests("SELECT pk, due FROM mail WHERE due > 200", ["Scan mail filter due > 200 get due, pk, sk consistent"])
        self.assertRequests("SELECT pk, rank FROM mail WHERE rank > 5", ["Scan mail/by_rank filter rank > 5 get pk, rank, sk consistent"])

    def test_switched_to_consistent(self):
        """A prepared statement is planned again."""
        self.fx.execute("PREPARE s AS SELECT pk FROM mail WHERE due > 200")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.consistent_read")
        for setting, place in (("off", "mail/by_due"), ("on", "mail"), ("off", "mail/by_due")):
            self.fx.execute(f"SET dynamo_fdw.consistent_read = {setting}")
            [text] = self.texts("EXECUTE s")
            self.assertEqual(text.split()[1], place)

    def test_explain(self):
        """EXPLAIN shows the index."""
        self.assertIn("Operation: Scan\n  Remote Table: " + self.fx.remote("mail") + "\n  Index: by_due",
                      self.fx.explain("SELECT pk FROM mail WHERE due IS NOT NULL"))

    def test_advice(self):
        """An index of a text, which a condition other than NULL does not make complete, and the condition that does."""
        advice = 'Hint: index "by_flag" could be scanned with the condition flag <> \'\', because an index has no empty values'
        for condition, told in (("flag IS NOT NULL", True), ("flag < 'g'", True), ("flag IS NOT NULL AND flag <> ''", False), ("flag IS NULL", False), ("flag = ''", False), ("due IS NOT NULL", False)):
            with self.subTest(condition):
                plan = self.fx.explain(f"SELECT pk FROM mail WHERE {condition}")
                self.assertEqual(advice in plan, told, plan)
                self.assertEqual("could be" in plan, told, plan)
        self.assertRequests("SELECT pk FROM mail WHERE flag IS NOT NULL AND flag <> ''", ["Scan mail/by_flag get pk, sk"])
        self.assertNotIn("could be", self.fx.explain("SELECT 1 FROM mail"))

    def test_analyze(self):
        """ANALYZE and check_table read the table."""
        for sql in ("ANALYZE mail", "SELECT count(*) FROM dynamo_fdw_check_table('mail')"):
            self.assertNotIn("/", "".join(self.texts(sql)))



# Foreign tables over one DynamoDB table: their columns and options.
ENTITIES = {
    "task": ('id int NOT NULL, state text OPTIONS (attribute \'state\') COLLATE "C" NOT NULL, title text, body text',
             {"key_templates": '{"pk": "task#${id}", "gs": "state#${state}"}', "trusted_indexes": "by_gs"}),
    "untrusted": ('id int NOT NULL, state text OPTIONS (attribute \'state\') COLLATE "C" NOT NULL, title text, body text',
                  {"key_templates": '{"pk": "task#${id}", "gs": "state#${state}"}'}),
    "sourced": ('id int NOT NULL, state text OPTIONS (attribute \'gs\') COLLATE "C" NOT NULL, body text',
                {"key_templates": '{"pk": "task#${id}", "gs": "state#${state}"}'}),
    "stateless": ('id int NOT NULL, state text OPTIONS (attribute \'state\') COLLATE "C", title text, body text',
                  {"key_templates": '{"pk": "job#${id}", "gs": "state#${state}"}', "trusted_indexes": "by_gs"}),
    "matched": ('pk text COLLATE "C" NOT NULL, title text, what text COLLATE "C", body text', {"item_filter": '{"seen": [0, 10, 20]}'}),
    "mixed": ('pk text COLLATE "C" NOT NULL, title text, what text COLLATE "C", body text', {"item_filter": '{"seen": [0, "x"]}'}),
    "loosely": ('pk text COLLATE "C" NOT NULL, title text, seen int, body text', {"item_filter": '{"what": ["a", null]}'}),
    "hidden": ('pk text COLLATE "C" NOT NULL, gs text COLLATE "C", title text, body text', {"item_filter": '{"secret": false}'}),
    "living": ('pk text COLLATE "C" NOT NULL, gs text COLLATE "C", what text COLLATE "C", seen int, title text, body text', {"ttl_attribute": "ends"}),
    "parts": ('pk text COLLATE "C" NOT NULL, gs text COLLATE "C", what text COLLATE "C", seen int, x int OPTIONS (path \'@.x\')',
              {"unnest": "lines"}),
    "items": ('pk text COLLATE "C" NOT NULL, gs text COLLATE "C", ends bigint, item jsonb OPTIONS (document \'item\')', {}),
}

TASK, JOB = "begins_with(pk,'task#')", "begins_with(pk,'job#')"
ROWS = [
    ("a declaration by trusted_indexes", "SELECT id, title FROM task", [f"Scan app/by_gs filter {TASK} get pk, title"]),
    ("a declaration for other rows", "SELECT id, title FROM stateless", [f"Scan app filter {JOB} get pk, title"]),
    ("a declaration for rows with the columns", "SELECT id, title FROM stateless WHERE state IS NOT NULL",
     [f"Scan app/by_gs filter attribute_type(state,'S') AND {JOB} get pk, state, title"]),
    ("no declaration", "SELECT id, title FROM untrusted", [f"Scan app filter {TASK} get pk, title"]),
    ("a column that is read from the attribute", "SELECT id, state FROM sourced", [f"Scan app filter {TASK} get gs, pk"]),
    ("item_filter implies one of two attributes", "SELECT pk, title FROM matched WHERE what > ''",
     ["Scan app/by_seen filter seen IN (0,10,20) get pk, seen, title"]),
    ("match allows what the index cannot hold", "SELECT pk, title FROM mixed WHERE what > ''",
     ["Scan app filter seen IN (0,'x') AND what > '' get pk, seen, title, what"]),
    ("match on an attribute that the index does not show", "SELECT pk FROM hidden WHERE gs > ''",
     ["Scan app filter secret = false AND gs > '' get gs, pk, secret"]),
    ("match allows absence", "SELECT pk, title FROM loosely WHERE seen > 0",
     ["Scan app filter (attribute_not_exists(what) OR attribute_type(what,'NULL') OR what = 'a') AND seen > 0 get pk, seen, title, what"]),
    ("elements that the index shows", "SELECT pk, x FROM parts WHERE what > '' AND seen > 0",
     ["Scan app/by_seen filter seen > 0 get lines, pk, seen"]),
    ("elements that the index does not show", "SELECT pk, x FROM parts WHERE gs > ''", ["Scan app filter gs > '' get gs, lines, pk"]),
    ("a document in an index of full items", "SELECT item FROM items WHERE ends IS NOT NULL", ["Scan app/by_ends get *"]),
    ("a document", "SELECT item FROM items WHERE gs > ''", ["Scan app filter gs > '' get *"]),
]


def app():
    """Users, tasks with a state, and jobs, of which half have a state."""
    for n in range(300):
        one = {"pk": f"{['user', 'task', 'job'][n % 3]}#{n}", "title": f"title {n}", "body": "b" * 400, "secret": n % 4 == 0}
        if n % 6 in (1, 2, 4):
            one.update(state=f"s{n % 4}", gs=f"state#s{n % 4}")
        if n % 5 == 0:
            one.update(what="abc"[n % 3])
        if n % 10 == 0:
            one.update(seen=n, lines=[{"x": n}, {"x": n + 1}], ends=NOW + 1000 if n % 20 else NOW - 1000)
        yield one


@statements(ROWS)
class Rows(request_text.RequestTestCase):
    """Row tests, templates and the option trusted_indexes; what the row test reads must be in the index."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), None, [
            index("by_gs", ("gs", "S"), None, ["state", "title"]), index("by_seen", ("what", "S"), ("seen", "N"), ["title", "lines", "ends"]),
            index("by_ends", ("ends", "N"))])
        cls.fx.put("app", app())
        for name, (columns, options) in ENTITIES.items():
            cls.fx.foreign_table(name, columns, table_name=cls.fx.remote("app"), scan_policy="allow", **options)
        cls.mirror(*ENTITIES)

    def test_ttl(self):
        """An index shows when items expire, or is not read."""
        for condition, place in (("what > '' AND seen > 0", "app/by_seen"), ("gs > ''", "app")):
            sql = f"SELECT pk FROM living WHERE {condition}"
            [text] = self.texts(sql)
            self.assertEqual(text.split()[1], place)
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))


class Described(fixture.TestCase):
    """An index of a tenth of its table's size, of which only the description matters."""

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        self.addCleanup(self.fx.execute, "RESET ALL; DEALLOCATE ALL; SET statement_timeout = '60s'")
        self.describe(fake_index("by_n", ("n", "N"), None, "KEYS_ONLY", item_bytes=400))
        self.fx.foreign_table("t", "pk text NOT NULL, n numeric NOT NULL, v int", server=self.name)
        self.sql = "SELECT pk FROM t"

    def describe(self, *indexes, **details):
        """The table is so from now on; it has 50 MB."""
        self.fake.table("t", ("pk", "S"), None, list(indexes), items=[item({"pk": f"p{n}", "n": n, "v": n}) for n in range(40)],
                        **{"item_count": 12500, "size_bytes": 50_000_000, **details})
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def place(self, sql=None):
        """What is scanned, by how many segments."""
        self.fake.reset()
        self.assertEqual(len(self.fx.rows(sql or self.sql)), 40)
        scans = [r.body for r in self.fake.requests if r.operation == "Scan"]
        self.assertGreaterEqual(len(scans), 1)
        [name] = {scan.get("IndexName") for scan in scans}
        [segments] = {scan.get("TotalSegments", 1) for scan in scans}
        return name, segments

    def test_segments(self):
        """As many as the index is large."""
        self.assertEqual(self.place(), ("by_n", 2))
        self.assertEqual(self.place("SELECT v FROM t"), (None, 12))

    def test_not_smaller(self):
        """An index as large as its table, or of unknown size, is not read instead of it."""
        for size in (4000, 5000):
            self.describe(fake_index("by_n", ("n", "N"), None, "KEYS_ONLY", item_bytes=size))
            self.assertEqual(self.place()[0], None)
        self.describe(fake_index("by_n", ("n", "N"), None, "KEYS_ONLY", item_bytes=400), item_count=0, size_bytes=0)
        self.assertEqual(self.place()[0], None)

    def test_not_active(self):
        """An index that is being made is not complete yet."""
        self.describe(fake_index("by_n", ("n", "N"), None, "KEYS_ONLY", item_bytes=400, status="CREATING"))
        self.assertEqual(self.place()[0], None)


    def test_policy(self):
        """The policy speaks of what is read."""
        self.assertEqual(self.fx.notices(self.sql), [
            'WARNING:  full scan of index "by_n" of DynamoDB table "t" (12500 items, 4.8 MB, about 610 read units)\n'
            'HINT:  Add a condition on partition key "pk" to avoid the scan, or set scan_policy to "allow" to silence this warning.'])
        self.assertIn('full scan of DynamoDB table "t" (12500 items, 47.7 MB, ', self.fx.notices("SELECT v FROM t")[0])
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        failure = self.fx.error(self.sql)
        self.assertEqual((failure.sqlstate, failure.message), (
            "55000", 'full scan of index "by_n" of DynamoDB table "t" is disabled by scan_policy "error"'))

    def test_refused_beforehand(self):
        """The limit of a statement is held against the index."""
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 1000; SET dynamo_fdw.scan_policy = warn")
        self.assertEqual(self.place()[0], "by_n")
        self.assertEqual(self.fx.error("SELECT sum(v) FROM t").detail, 'A full scan of DynamoDB table "t" uses about 6104 read units.')
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 500")
        self.assertEqual(self.fx.error("SELECT sum(n) FROM t").detail, 'A full scan of index "by_n" of DynamoDB table "t" uses about 610 read units.')

    def test_policy_of_both(self):
        """An execution that reads the table in place of the index warns of that, too."""
        self.describe(fake_index("by_k", ("k", "S"), None, "KEYS_ONLY", item_bytes=400))
        self.fx.foreign_table("t", 'pk text NOT NULL, k text COLLATE "C"', server=self.name)
        warnings = [n for n in self.fx.notices("SELECT (SELECT count(*) FROM t WHERE k >= x) FROM (VALUES ('a'), ('')) v (x)")
                    if "full scan of" in n]
        self.assertEqual([n.splitlines()[0].partition(":  ")[2].split(" (")[0] for n in warnings],
                         ['full scan of index "by_k" of DynamoDB table "t"', 'full scan of DynamoDB table "t"'])

    def test_nothing_else(self):
        """Where a Scan is refused, no other way of reading is given up for the smaller one."""
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.assertIn("Operation: Query", self.fx.explain("SELECT v FROM t WHERE n = ANY ('{%s}')" % ",".join(map(str, range(9000)))))

    def test_index_gone(self):
        """A plan that reads an index which changed is refused once, and made again."""
        self.fx.execute(f"PREPARE p AS {self.sql}")
        self.assertEqual(self.place("EXECUTE p")[0], "by_n")
        self.describe()
        self.assertEqual(self.place("EXECUTE p")[0], None)
        self.describe(fake_index("by_n", ("n", "N"), None, "KEYS_ONLY", item_bytes=400))
        self.assertEqual(self.place("EXECUTE p")[0], "by_n")

    def test_index_refused(self):
        """DynamoDB knows of it first."""
        self.fx.rows(self.sql)
        self.fake.on("Scan", replies.error("ValidationException", "The table does not have the specified index: by_n"))
        self.fake.tables["t"].indexes = []
        self.assertTrue(self.fx.error(self.sql).hint)
        self.fake.on("Scan", None)
        self.assertEqual(self.place()[0], None)


class Shared(request_text.RequestTestCase):
    """Scans of one statement that share a read."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        create(cls.fx)
        cls.mirror("mail")

    def test_index(self):
        """All of an index, if each could read it."""
        self.assertRequests("SELECT pk, due FROM mail WHERE due > 200 UNION ALL SELECT pk, sk FROM mail WHERE due < 100",
                        ["Scan mail/by_due filter due > 200 OR due < 100 get due, pk, sk"])
        self.assertRequests("SELECT a.pk, b.sk FROM mail a JOIN mail b ON a.sk = b.due WHERE a.due IS NOT NULL AND b.due > 200",
                        ["Scan mail/by_due get due, pk, sk"])

    def test_table(self):
        """Where one needs the table, no index is read in addition."""
        self.assertRequests("SELECT a.pk, b.title FROM mail a JOIN mail b ON a.sk = b.sk WHERE a.due IS NOT NULL",
                        ["Scan mail get due, pk, sk, title"])


class OldItems(fixture.TestCase):
    """NOT NULL does not exclude values that an index cannot hold, which items may have that are older than the index."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("nn", ("pk", "S"), ("sk", "S"))
        cls.fx.put("nn", [{"pk": f"p{n % 7}", "sk": f"s{n:03}", "code": ["", "c1", "c2", "c3"][n % 4], "num": n, "body": "x" * 500} for n in range(200)])
        for late in (index("by_code", ("code", "S"), None, "KEYS_ONLY"), index("by_num", ("num", "N"), None, "KEYS_ONLY"), index("inverted", ("sk", "S"), ("pk", "S"), "KEYS_ONLY")):
            cls.fx.dynamo.add_index(cls.fx.remote("nn"), late)
        cls.fx.foreign_table("nn", 'pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, code text COLLATE "C" NOT NULL, num int NOT NULL, body text',
                             scan_policy="allow")
        cls.fx.execute("CREATE TABLE mirror AS SELECT * FROM nn")

    def test_rows(self):
        """Without a condition, or with one that an empty text satisfies."""
        for sql in ("SELECT count(*) FROM nn", "SELECT count(code) FROM nn", "SELECT code, count(*) FROM nn GROUP BY code", "SELECT count(*) FROM nn WHERE code <= 'c1'",
                    "SELECT count(*) FROM nn WHERE code = ''", "SELECT count(pk) FROM nn WHERE code <> 'c1'", "SELECT count(pk) FROM nn WHERE code IS NOT NULL"):
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(sql.replace("nn", "mirror"))))
                self.assertEqual({r.body.get("IndexName") for r in self.fx.requests(sql)} - {None, "by_num"}, set())

    def test_what_is_known(self):
        """A condition on the value implies it."""
        for sql in ("SELECT count(*) FROM nn WHERE code > ''", "SELECT code FROM nn WHERE code > 'c1'"):
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.fx.rows(sql.replace("nn", "mirror"))))
            self.assertEqual({r.body.get("IndexName") for r in self.fx.requests(sql)}, {"by_code"})
