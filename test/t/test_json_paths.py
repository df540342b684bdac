"""Path operators of jsonb: which of them DynamoDB may take, and that the rows are those of a local table."""
import fixture

ITEMS = [{"pk": "list", "info": {"tags": ["a", "b"], "n": 1}},
         {"pk": "map", "info": {"tags": {"+0": "a", " 0": "b", "0": "c", "-1": "d", "0x": "e", "99999999999999999999": "f"}}},
         {"pk": "none", "info": {"tags": "a"}}, {"pk": "nothing"}]
DEEP = 31       # levels of maps in an item, the attribute counted


class Paths(fixture.TestCase):
    """Each statement is also asked of a local table."""

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
