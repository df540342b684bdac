"""Cached items whose conditions need all of a document of which the statement shows a part."""
import fixture


class CachedParts(fixture.TestCase):
    """Executions that are served from cached items give the rows of a local table."""

    def test_absent_or_equal(self):
        """A document without the part that is shown is not NULL."""
        self.fx.create_table("docs", ("pk", "S"))
        self.fx.put("docs", [{"pk": "text", "doc": "foo", "n": 1}, {"pk": "map", "doc": {"x": 1}, "n": 2},
                             {"pk": "empty", "doc": {}, "n": 3}, {"pk": "null", "doc": None, "n": 4}, {"pk": "absent", "n": 5}])
        self.fx.foreign_table("docs", "pk text NOT NULL, doc jsonb, n int")
        self.fx.execute("CREATE TABLE docs_here AS SELECT * FROM docs")
        sql = "SELECT k, ARRAY(SELECT t.pk || coalesce(t.doc->>'x', '-') FROM {} t WHERE t.doc IS NULL OR t.n = k) FROM generate_series(1, 4) k"
        found, expected = ([(k, sorted(keys)) for k, keys in self.fx.rows(sql.format(name))] for name in ("docs", "docs_here"))
        self.assertEqual(found, expected)
