"""Tables for tests of lookup joins, with local copies.

    parents    (id S)              1000, in three countries; kids: ids of two others; best: the id of one of 37
    children   (parent S, n N)     three of each parent but every tenth; global index by_tag (tag), 50 tags;
                                   by_mark (mark) with keys only, every fifth child; by_code (code, n) with some
    links      (a S, b S)          parents to parents; global index by_b (b, a)

The foreign tables are large enough for the planner to look up (shop.pretend_large), and have local copies.
"""
from collections import Counter

import fixture
import request_text
import shop
from dynamo import index

PARENTS, COUNTRIES = 1000, ["DE", "FR", "IT"]


def parents():
    """1000 of them."""
    for p in range(PARENTS):
        yield {"id": f"p{p:04d}", "name": f"name {p}", "country": COUNTRIES[p % 3], "best": f"p{p % 37:04d}",
               "kids": [f"p{p:04d}", f"p{p * 7 % 1000:04d}"], "few": f"p{p * 3 % 100:04d}"}


def children():
    """Three of each parent, but none of every tenth."""
    for c in range(3 * PARENTS):
        if c % 10:
            child = {"parent": f"p{c % PARENTS:04d}", "n": c, "v": c % 11, "tag": f"t{c % 50}", "code": f"c{c % 7}",
                     "note": "x" * 20}
            if c % 5 == 1:
                child["mark"] = f"m{c % 40}"
            yield child


def links():
    """Parent 1 has 250 links, the others few."""
    for b in range(250):
        yield {"a": "p0001", "b": f"p{b * 3:04d}"}
    for a in range(2, 60):
        yield {"a": f"p{a:04d}", "b": f"p{a + 1:04d}"}


class Lookups(request_text.RequestTestCase):
    """Tables and tools."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("parents", ("id", "S"))
        fx.put("parents", parents())
        fx.create_table("children", ("parent", "S"), ("n", "N"), [
            index("by_tag", ("tag", "S")), index("by_mark", ("mark", "S"), projection="KEYS_ONLY"),
            index("by_code", ("code", "S"), ("n", "N"), projection=["v"])])
        fx.put("children", children())
        fx.create_table("links", ("a", "S"), ("b", "S"), [index("by_b", ("b", "S"), ("a", "S"))])
        fx.put("links", links())
        fx.foreign_table("parents", 'id text COLLATE "C" NOT NULL, name text, country text, best text, kids text[], few text')
        fx.foreign_table("children", 'parent text COLLATE "C" NOT NULL, n int NOT NULL, v int, tag text NOT NULL,'
                                     ' code text NOT NULL, mark text, note text')
        fx.foreign_table("links", 'a text COLLATE "C" NOT NULL, b text COLLATE "C" NOT NULL')
        fx.execute("ALTER SERVER ddb OPTIONS (ADD scan_policy 'allow')")
        shop.pretend_large(fx, 1000)
        cls.mirror("parents", "children", "links")
        fx.execute("CREATE TABLE people AS SELECT * FROM parents; CREATE TABLE kids AS SELECT * FROM children;"
                   "CREATE TABLE mirror.people AS SELECT * FROM people; CREATE TABLE mirror.kids AS SELECT * FROM kids;"
                   "ANALYZE people, kids")

    def setUp(self):
        self.addCleanup(self.fx.execute, "RESET ALL")

    def counts(self, sql):
        """Requests by operation."""
        return dict(Counter(r.operation for r in self.fx.requests(sql)))

    def assertCosts(self, sql, **expected):
        """This number of requests of each operation, and the rows of local tables."""
        sent, rows = self.fx.requests_and_rows(sql)
        self.assertEqual(Counter(r.operation for r in sent), expected, self.fx.explain(sql))
        self.assertRight(sql, rows)

    def assertRight(self, sql, rows=None):
        """The rows of local tables, in order if the statement has one; executes the statement unless the caller has its rows."""
        rows, right = self.fx.rows(sql) if rows is None else rows, self.mirrored(sql)
        if "order by" not in sql.lower():
            rows, right = sorted(rows, key=repr), sorted(right, key=repr)
        self.assertEqual(rows, right)
        self.assertGreater(len(rows), 0)
