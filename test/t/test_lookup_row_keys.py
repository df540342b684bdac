"""Row-wise keys of an index, looked up for each row of another table."""
import request_text
from dynamo import index


class RowKeys(request_text.RequestTestCase):
    """An OR of keys with both attributes of an index, whose values come from an outer row."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("things", ("id", "S"), None, [index("by_gs", ("g", "S"), ("s", "N")), index("keys_gs", ("h", "S"), ("s", "N"), "KEYS_ONLY")])
        cls.fx.put("things", [{"id": f"{g}{s}", "g": g, "h": g, "s": s, "v": f"v{g}{s}"} for g in "abc" for s in range(4)])
        cls.fx.foreign_table("things", "id text NOT NULL, g text NOT NULL, h text NOT NULL, s int NOT NULL, v text")
        cls.mirror("things")
        cls.fx.execute("CREATE TABLE pairs (a text, b text); INSERT INTO pairs VALUES ('a', 'b'), ('c', 'c'), ('a', 'a'), ('b', NULL), ('x', 'c'),"
                       " ('a', 'b'); ANALYZE pairs")

    def test_lookups(self):
        """Each execution gets the rows of its own keys, each once."""
        for key in ("g", "h"):
            for sql in (f"SELECT o.*, (SELECT string_agg(v, ',' ORDER BY v) FROM things WHERE ({key} = o.a AND s = 1) OR ({key} = o.b AND s = 2)) FROM pairs o",
                        f"SELECT o.*, t.v FROM pairs o JOIN things t ON (t.{key} = o.a AND t.s = 1) OR (t.{key} = o.b AND t.s = 2)",
                        f"SELECT o.*, t.v FROM pairs o, LATERAL (SELECT v FROM things t WHERE (t.{key}, t.s) IN ((o.a, 0), (o.b, 3)) OFFSET 0) t"):
                with self.subTest(sql):
                    self.fx.execute("SET enable_material = off")
                    rows = sorted(self.fx.rows(sql), key=repr)
                    self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
                    plain = sorted(self.fx.rows(sql), key=repr)
                    self.fx.execute("RESET dynamo_fdw.enable_lookup_join; RESET enable_material")
                    right = sorted(self.mirrored(sql), key=repr)
                    self.assertEqual(plain, right)
                    self.assertEqual(rows, right)

    def test_requests(self):
        """Both attributes are requested."""
        sql = "SELECT o.a, (SELECT count(v) FROM things WHERE (g = o.a AND s = 1) OR (g = o.b AND s = 2)) FROM (VALUES ('a', 'b'), ('c', 'a')) o (a, b)"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEqual(self.texts(sql), [f"Query things/by_gs where g = '{g}' AND s = {s} get g, v" for g, s in
                                           (("a", 1), ("a", 2), ("b", 2), ("c", 1))])
