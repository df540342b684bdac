"""Path operators of jsonb: which of them DynamoDB may take, and that the rows are those of a local table."""
import dynamo
import fixture

ITEMS = [{"pk": "list", "info": {"tags": ["a", "b"], "n": 1}},
         {"pk": "map", "info": {"tags": {"+0": "a", " 0": "b", "0": "c", "-1": "d", "0x": "e", "99999999999999999999": "f"}}},
         {"pk": "none", "info": {"tags": "a"}}, {"pk": "nothing"}]
DEEP = 31       # levels of maps in an item, the attribute counted


class Paths(fixture.TestCase):
    """Each statement is also run on a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("t", ("pk", "S"))
        nested = "x"
        for _ in range(DEEP):
            nested = {"a": nested}
        fx.put("t", ITEMS + [{"pk": "deep", "info": nested}])
        fx.foreign_table("t", "pk text, info jsonb", scan_policy="allow")
        fx.execute("CREATE SCHEMA local; CREATE TABLE local.t AS SELECT * FROM t")

    def check(self, sql):
        """The rows of the local table; returns the only request."""
        rows = sorted(self.fx.rows(sql), key=repr)
        self.fx.execute("SET search_path = local")
        try:
            right = sorted(self.fx.rows(sql), key=repr)
        finally:
            self.fx.execute("RESET search_path")
        self.assertEqual(rows, right, sql)
        [request] = self.fx.requests(sql)
        return request.body

    def test_positions(self):
        """What PostgreSQL takes for the number of an element, blanks and signs included, is left to it."""
        for step in ("0", "+0", " 0", "-1", "+1", "\t1", "-2", "- 1", "99999999999999999999"):
            for value in "abcdf":
                self.check(f"SELECT pk FROM t WHERE info #>> ARRAY['tags', '{step}'] = '{value}'")
            body = self.check(f"SELECT pk, info #> ARRAY['tags', '{step}'] FROM t WHERE info IS NOT NULL")
            if step != "- 1":
                self.assertNotIn("tags", str(body), step)

    def test_names(self):
        """Steps that can only be names are sent to DynamoDB."""
        for step in ("0x", "x"):
            body = self.check(f"SELECT pk FROM t WHERE info #>> ARRAY['tags', '{step}'] = 'e'")
            self.assertIn("FilterExpression", body)

    def test_long_paths(self):
        """DynamoDB takes 32 steps; the rest of a longer path is followed here."""
        for steps in range(DEEP - 1, DEEP + 6):
            path = "{" + ",".join("a" * steps) + "}"
            body = self.check(f"SELECT pk FROM t WHERE info #>> '{path}' = 'x'")
            self.assertEqual("FilterExpression" in body, steps < 32, steps)
            self.check(f"SELECT pk FROM t WHERE info #> '{path}' IS NOT NULL")
            self.check(f"SELECT pk, info #> '{path}' FROM t")
            self.check("SELECT pk, info" + "->'a'" * steps + " FROM t")


class BelowKeys(fixture.TestCase):
    """DynamoDB takes no path below a key attribute of any index, whatever is read: such values are scalars."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("t", ("pk", "S"), None, [dynamo.index("by_c", ("c", "S")), dynamo.index("by_d", ("d", "S"))])
        fx.put("t", [{"pk": "a", "c": "x", "d": "y", "n": 1}, {"pk": "b", "c": "x"}, {"pk": "c", "n": 2}])
        fx.foreign_table("t", "pk text, d text, n int, x text OPTIONS (path 'c.x'), y text OPTIONS (path 'c.y'), "
                              "info jsonb OPTIONS (path 'd'), doc jsonb OPTIONS (document 'item')", scan_policy="allow")
        fx.execute("CREATE SCHEMA local; CREATE TABLE local.t AS SELECT pk, d, n, x, y, info, doc FROM t")

    def test_rows(self):
        """As a document, by path, in conditions, by an index that has the attribute, in a cached read and a shared one."""
        for sql in ("SELECT pk, x FROM t", "SELECT x, y, d FROM t", "SELECT pk FROM t WHERE x = 'a'", "SELECT pk FROM t WHERE x IS NULL",
                    "SELECT pk FROM t WHERE doc -> 'c' ->> 'x' = 'a'", "SELECT pk, doc -> 'c' -> 'x' FROM t",
                    "SELECT pk FROM t WHERE doc #> '{c,x}' IS NULL", "SELECT x FROM t WHERE pk = 'a'", "SELECT pk, info -> 'e' FROM t",
                    "SELECT pk, x FROM t WHERE d = 'y'", "SELECT pk FROM t WHERE d = 'y' AND x IS NULL AND info ->> 'e' IS NULL",
                    "SELECT v, (SELECT count(*) FROM t WHERE n = v AND x IS NULL) FROM generate_series(1, 3) v",
                    "SELECT pk, x FROM t WHERE n = 1 UNION ALL SELECT pk, y FROM t WHERE n = 2"):
            with self.subTest(sql):
                rows = sorted(self.fx.rows(sql), key=repr)
                self.fx.execute("SET search_path = local")
                try:
                    self.assertEqual(rows, sorted(self.fx.rows(sql), key=repr))
                finally:
                    self.fx.execute("RESET search_path")

    def test_commands(self):
        """ANALYZE and the functions that read a table."""
        self.fx.execute("ANALYZE t")
        self.fx.rows("SELECT * FROM dynamo_fdw_check_table('t')")
