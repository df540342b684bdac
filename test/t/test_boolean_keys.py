"""Boolean columns as keys: a condition that a flag is true, or false, is one value of its attribute."""
import request_text
from dynamo import index
from request_text import statements

REQUESTS = [
    ("true", "SELECT id FROM flags WHERE open", ["Query flags/by_open where open = 'Y' get id"]),
    ("false", "SELECT id FROM flags WHERE NOT open", ["Query flags/by_open where open = 'N' get id"]),
    ("IS TRUE", "SELECT id FROM flags WHERE open IS TRUE", ["Query flags/by_open where open = 'Y' get id"]),
    ("IS FALSE", "SELECT id FROM flags WHERE open IS FALSE", ["Query flags/by_open where open = 'N' get id"]),
    ("equal to true", "SELECT id FROM flags WHERE open = true", ["Query flags/by_open where open = 'Y' get id"]),
    ("unequal to true", "SELECT id FROM flags WHERE open <> true", ["Query flags/by_open where open = 'N' get id"]),
    ("with a range", "SELECT id FROM flags WHERE open AND at >= '2024-05'",
     ["Query flags/by_open where open = 'Y' AND at >= '2024-05' get at, id"]),
    ("in order", "SELECT at FROM flags WHERE NOT open ORDER BY at LIMIT 1",
     ["Query flags/by_open where open = 'N' get at limit 1"]),
    ("counted", "SELECT count(*) FROM flags WHERE open", ["Query flags/by_open where open = 'Y' count"]),
    ("a number", "SELECT id FROM flags WHERE paid", ["Query flags/by_paid where paid = 1 get id"]),
    ("a number, false", "SELECT id FROM flags WHERE NOT paid", ["Query flags/by_paid where paid = 0 get id"]),
    ("a sort key", "SELECT id FROM flags WHERE kind = 'b' AND late", ["Query flags/by_kind where kind = 'b' AND late = 'yes' get id"]),
    ("a sort key, false", "SELECT id FROM flags WHERE kind = 'b' AND NOT late",
     ["Query flags/by_kind where kind = 'b' AND late = 'no' get id"]),
    ("either", "SELECT id FROM flags WHERE open OR NOT open",
     ["Query flags/by_open where open = 'N' get id, open", "Query flags/by_open where open = 'Y' get id, open"]),
    ("one or another key", "SELECT id FROM flags WHERE (open OR paid) AND kind = 'c'",
     ["Query flags/by_kind where kind = 'c' filter open = 'Y' OR paid = 1 get id"]),
    ("both at once", "SELECT id FROM flags WHERE open AND NOT open", []),
]


@statements(REQUESTS)
class BooleanKeys(request_text.RequestTestCase):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("flags", ("id", "S"), indexes=[
            index("by_open", ("open", "S"), ("at", "S")), index("by_paid", ("paid", "N"), ("kind", "S")),
            index("by_kind", ("kind", "S"), ("late", "S"))])
        cls.fx.put("flags", [{"id": f"i{i}", "open": "YN"[i % 2], "at": f"2024-{i % 11 + 1:02d}-{i:03d}", "paid": i // 2 % 2,
                              "kind": "abc"[i % 3], "late": ["yes", "no"][i // 3 % 2]} for i in range(200)])
        cls.fx.foreign_table(
            "flags", 'id text COLLATE "C" NOT NULL, open boolean OPTIONS (format \'bool(Y,N)\') NOT NULL, at text COLLATE "C" NOT NULL,'
            " paid boolean OPTIONS (format 'bool(1,0)') NOT NULL, kind text COLLATE \"C\" NOT NULL,"
            " late boolean OPTIONS (format 'bool(yes,no)') NOT NULL")
        cls.mirror("flags")

    def test_joined(self):
        """A flag next to a key of the outer table."""
        self.fx.execute("CREATE TABLE wanted AS SELECT unnest('{a,c}'::text[]) AS kind; ANALYZE wanted")
        sql = "SELECT f.id FROM {} f JOIN wanted w ON w.kind = f.kind WHERE f.late"
        self.assertEqual(sorted(self.fx.rows(sql.format("flags"))), sorted(self.fx.rows(sql.format("mirror.flags"))))
        self.assertEqual(self.texts(sql.format("flags")),
                         [f"Query flags/by_kind where kind = '{kind}' AND late = 'yes' get id, kind" for kind in "ac"])
