"""Statements and values that make no sense to DynamoDB, and tables of odd shapes."""
import fixture

EMPTY = []


class Values(fixture.TestCase):
    """Values in a WHERE that no item can hold select nothing, and do no harm as bounds."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("s", ("pk", "S"), ("sk", "S"))
        cls.fx.put("s", [{"pk": "a", "sk": text, "n": number} for number, text in enumerate(("b", "m", "z"))])
        cls.fx.foreign_table("s", 'pk text COLLATE "C", sk text COLLATE "C", n integer')
        cls.fx.create_table("n", ("pk", "N"), ("sk", "N"))
        cls.fx.put("n", [{"pk": 1, "sk": number} for number in (-5, 0, 7)])
        cls.fx.foreign_table("n", "pk numeric, sk numeric")

    def nothing(self, sql):
        """No rows, and no request either."""
        self.assertEqual(self.fx.rows(sql), EMPTY)
        self.assertEqual(self.fx.requests(sql), EMPTY)

    def test_keys_that_cannot_be(self):
        for condition in ("pk = ''", "pk = repeat('x', 2049)", "pk = repeat('é', 1025)", "pk = 'a' AND sk = ''", "pk = 'a' AND sk = repeat('x', 1025)",
                          "pk = NULL", "pk IN ('', NULL)", "pk = 'a' AND pk = 'b'", "pk = 'a' AND sk > 'c' AND sk < 'b'", "pk = 'a' AND sk = NULL"):
            with self.subTest(where=condition):
                self.nothing(f"SELECT * FROM s WHERE {condition}")
        self.assertEqual(len(self.fx.rows("SELECT * FROM s WHERE pk = repeat('x', 2048)")), 0)

    def test_numbers_that_cannot_be(self):
        for number in ("'NaN'", "'Infinity'", "'-Infinity'", "1e126", "-1e126", "1e-131", "1" * 39, "0." + "1" * 39):
            with self.subTest(number=number[:20]):
                self.nothing(f"SELECT * FROM n WHERE pk = {number}::numeric")
                self.nothing(f"SELECT * FROM n WHERE pk = 1 AND sk = {number}::numeric")

    def test_numbers_at_the_border(self):
        for number in ("9" * 38, "0." + "9" * 38, "1e125", "-1e125", "1e-130"):
            with self.subTest(number=number[:20]):
                [request] = self.fx.requests(f"SELECT * FROM n WHERE pk = {number}::numeric")
                self.assertEqual(request.operation, "Query")

    def test_bounds_that_cannot_be(self):
        for condition, expected in (("> 'NaN'", 0), ("< 'NaN'", 3), ("<= 'Infinity'", 3), (">= 'Infinity'", 0), ("> '-Infinity'", 3), ("< 1e126", 3),
                                    ("> 1e126", 0), ("> -1e126", 3), ("> 1e-131", 1), (">= -1e-131", 2), ("< " + "1" * 39, 3), ("BETWEEN '-Infinity' AND 0", 2),
                                    ("BETWEEN 0 AND 'NaN'", 2), ("BETWEEN 7 AND -5", 0), ("> 6." + "9" * 50, 1), ("> 7." + "0" * 50 + "1", 0)):
            with self.subTest(where=condition[:30]):
                self.assertEqual(self.fx.value(f"SELECT count(*) FROM n WHERE pk = 1 AND sk {condition}"), expected)

    def test_text_bounds_that_cannot_be(self):
        for condition, expected in (("> ''", 3), (">= ''", 3), ("< ''", 0), ("BETWEEN '' AND 'm'", 2), ("> repeat('m', 2000)", 1), ("< repeat('m', 2000)", 2),
                                    ("BETWEEN 'z' AND 'b'", 0), ("LIKE '%'", 3), ("^@ ''", 3), ("LIKE ''", 0)):
            with self.subTest(where=condition):
                self.assertEqual(self.fx.value(f"SELECT count(*) FROM s WHERE pk = 'a' AND sk {condition}"), expected)

    def test_the_same_as_parameters(self):
        """Run-time values are handled like constants."""
        self.fx.execute("PREPARE ps(text) AS SELECT count(*) FROM s WHERE pk = 'a' AND sk > $1; PREPARE pn(numeric) AS SELECT count(*) FROM n WHERE pk = 1 AND sk < $1;"
                        "PREPARE pe(numeric) AS SELECT count(*) FROM n WHERE pk = $1")
        for mode in ("force_custom_plan", "force_generic_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}")
            with self.subTest(mode=mode):
                self.assertEqual(self.fx.value("EXECUTE ps('')"), 3)
                self.assertEqual(self.fx.value("EXECUTE ps(NULL)"), 0)
                self.assertEqual(self.fx.value("EXECUTE pn('NaN')"), 3)
                self.assertEqual(self.fx.value("EXECUTE pn('-Infinity')"), 0)
                self.assertEqual(self.fx.value("EXECUTE pe('NaN')"), 0)
                self.assertEqual(self.fx.requests("EXECUTE pe('NaN')"), EMPTY)
        self.fx.execute("RESET plan_cache_mode; DEALLOCATE ALL")


class Statements(fixture.TestCase):
    """What is not done, is refused in words."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("t", items=[{"pk": {"S": "a"}, "v": {"N": "1"}}])
        cls.fx.foreign_table("t", "pk text, v integer", server="fake", scan_policy="allow")

    def test_writes(self):
        """Writes are refused unless the option updatable is on."""
        for sql, verb in (("INSERT INTO t VALUES ('b', 1)", "inserts"), ("UPDATE t SET v = 2", "updates"), ("DELETE FROM t", "deletes"), ("TRUNCATE t", "truncate")):
            with self.subTest(sql=sql):
                failure = self.fx.error(sql)
                self.assertIn(failure.sqlstate, ("55000", "0A000", "42809"))
                self.assertIn(verb, failure.message)
                self.assertIn('"t"', failure.message)

    def test_system_columns(self):
        self.assertEqual(self.fx.value("SELECT tableoid::regclass::text FROM t"), "t")
        for column in ("ctid", "xmin"):
            failure = self.fx.error(f"SELECT {column} FROM t")
            self.assertEqual((failure.sqlstate, failure.message), ("0A000", 'cannot read system columns of foreign table "t"'))
            self.assertEqual(failure.hint, "If a tool divides the table by ctid to read it in parallel, turn that off in the tool, or let it divide the table by a column with option \"segment\"."
                             if column == "ctid" else None)
        failure = self.fx.error("SELECT v FROM t WHERE ctid BETWEEN '(0,0)' AND '(1000,0)'")
        self.assertIn("ctid", failure.hint)
        self.fx.foreign_table("divided", "pk text, v integer, part integer OPTIONS (segment '4')", server="fake", table_name="t", scan_policy="allow")
        self.assertEqual(self.fx.error("SELECT v FROM divided WHERE ctid < '(1000,0)'").hint,
                         "If a tool divides the table by ctid to read it in parallel, turn that off in the tool, or let it divide the table by column \"part\".")
        self.assertEqual(self.fx.rows("SELECT v FROM divided WHERE part BETWEEN 0 AND 3"), [(1,)])

    def test_locks(self):
        """FOR UPDATE locks nothing, but returns the rows."""
        self.assertEqual(self.fx.rows("SELECT pk FROM t WHERE pk = 'a' FOR UPDATE"), [("a",)])

    def test_a_table_without_columns(self):
        self.fx.foreign_table("none", "", server="fake", table_name="t", scan_policy="allow")
        self.assertEqual(self.fx.value("SELECT count(*) FROM none"), 1)
        self.assertEqual(self.fx.rows("SELECT 5 FROM none"), [(5,)])

    def test_a_table_without_its_keys(self):
        self.fx.foreign_table("keyless", "v integer", server="fake", table_name="t", scan_policy="allow")
        self.assertEqual(self.fx.rows("SELECT * FROM keyless WHERE v = 1"), [(1,)])

    def test_columns_that_no_item_has(self):
        self.fx.foreign_table("wide", "pk text, nothing text, v integer", server="fake", table_name="t", scan_policy="allow")
        self.assertEqual(self.fx.rows("SELECT * FROM wide"), [("a", None, 1)])

    def test_dropped_and_added_columns(self):
        self.fx.foreign_table("changing", "x text, pk text, v integer", server="fake", table_name="t", scan_policy="allow")
        self.fx.execute("PREPARE c AS SELECT * FROM changing")
        self.assertEqual(self.fx.rows("EXECUTE c"), [(None, "a", 1)])
        self.fx.execute("ALTER FOREIGN TABLE changing DROP x; DEALLOCATE c")
        self.assertEqual(self.fx.rows("SELECT * FROM changing"), [("a", 1)])
        self.fx.execute("ALTER FOREIGN TABLE changing ADD w text; ALTER FOREIGN TABLE changing ALTER v TYPE numeric")
        self.assertEqual(self.fx.rows("SELECT * FROM changing"), [("a", 1, None)])

    def test_the_same_attribute_twice(self):
        self.fx.foreign_table("twice", "pk text, a integer OPTIONS (attribute 'v'), b text OPTIONS (attribute 'pk'), c jsonb OPTIONS (attribute 'v')",
                              server="fake", table_name="t", scan_policy="allow")
        self.assertEqual(self.fx.rows("SELECT * FROM twice"), [("a", 1, "a", 1)])

    def test_overlapping_paths(self):
        """DynamoDB refuses a projection of info and info.x; the document is requested once."""
        self.fx.create_table("deep", ("pk", "S"))
        self.fx.put("deep", [{"pk": "a", "info": {"x": 1, "y": {"z": "é"}}}])
        self.fx.foreign_table("deep", "pk text, info jsonb, x integer OPTIONS (path 'info.x'), z text OPTIONS (path 'info.y.z'), y jsonb OPTIONS (path 'info.y')",
                              scan_policy="allow")
        self.assertEqual(self.fx.rows("SELECT x, z, y FROM deep"), [(1, "é", {"z": "é"})])
        self.assertEqual(self.fx.rows("SELECT x, z, info->'y'->>'z' FROM deep"), [(1, "é", "é")])
        self.assertEqual(self.fx.rows("SELECT * FROM deep"), [("a", {"x": 1, "y": {"z": "é"}}, 1, "é", {"z": "é"})])

    def test_odd_attribute_names(self):
        names = ["with space", 'quo"te', "a.b", "#hash", ":colon", "status", "é€😀", "x" * 60, "back\\slash", "SELECT", "0", "a[0]"]
        self.fx.create_table("odd", ("pk", "S"))
        self.fx.put("odd", [{"pk": "a", **{name: number for number, name in enumerate(names)}}])
        columns = ", ".join(f"c{number} integer OPTIONS (attribute '{name}')" for number, name in enumerate(names))
        self.fx.foreign_table("odd", f"pk text, {columns}", scan_policy="allow")
        self.assertEqual(self.fx.rows("SELECT * FROM odd"), [("a", *range(len(names)))])
        for number in range(len(names)):
            with self.subTest(name=names[number]):
                self.assertEqual(self.fx.rows(f"SELECT c{number} FROM odd WHERE c{number} = {number}"), [(number,)])

    def test_too_many_keys(self):
        """The number of combinations of key values is limited; the error reports it."""
        self.fx.create_table("pairs", ("pk", "N"), ("sk", "N"))
        self.fx.foreign_table("pairs", "pk integer, sk integer")
        keys = "(SELECT array_agg(i) FROM generate_series(1, 100000) i)::integer[]"
        failure = self.fx.error(f"SELECT * FROM pairs WHERE pk = ANY ({keys}) AND sk = ANY ({keys})")
        self.assertEqual(failure.sqlstate, "54000")
        self.assertIn("too many keys", failure.message)
        self.assertEqual(failure.hint, "Use fewer values in the IN lists or arrays.")
