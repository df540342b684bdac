"""A list of keys for one side of a join is one for the other side, too: both are read by it at once."""
import json

import request_text

KEYS = ("u03", "u05", "u07")
BATCH = "BatchGetItem {} " + " ".join(f"{{{{id '{key}'}}}}" for key in KEYS)
PEOPLE, ALBUMS = BATCH.format("person"), BATCH.format("album")
ORDERS = [f"Query orders where person = '{key}'" for key in KEYS]
PARTITIONS = [f"T#a#U#{key}" for key in KEYS]
PROFILES = "BatchGetItem app " + " ".join(f"{{pk '{key}', sk 'PROFILE'}}" for key in PARTITIONS)
PURCHASES = [f"Query app where pk = '{key}' AND begins_with(sk,'ORDER#')" for key in PARTITIONS]
NAMES = "('u03', 'u05', 'u07')"

# (what, SQL, requests)
READ_AT_ONCE = [
    ("a list for the parents", f"SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN {NAMES}", [PEOPLE, *ORDERS]),
    ("a list for the children", f"SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE o.person IN {NAMES}", [PEOPLE, *ORDERS]),
    ("an array", f"SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id = ANY (ARRAY{list(KEYS)})", [PEOPLE, *ORDERS]),
    ("full keys of both", f"SELECT name, total FROM person p JOIN orders o ON o.person = p.id AND o.no = 1 WHERE p.id IN {NAMES}",
     [PEOPLE, "BatchGetItem orders " + " ".join(f"{{person '{key}', no 1}}" for key in KEYS)]),
    ("below an outer join", f"SELECT v.n, name, no FROM (VALUES ('u03', 1), ('none', 2)) v(id, n) LEFT JOIN (person p JOIN orders o ON o.person = p.id AND p.id IN {NAMES}) ON p.id = v.id",
     [PEOPLE, *ORDERS]),
    ("elements and their items", f"SELECT title, track FROM album a JOIN track t USING (id) WHERE a.id IN {NAMES}", [ALBUMS]),
    ("an item and itself", f"SELECT a.title, b.title FROM album a JOIN album b USING (id) WHERE b.id IN {NAMES}", [ALBUMS]),
    ("three", f"SELECT a.title, b.title, track FROM album a JOIN album b USING (id) JOIN track t USING (id) WHERE t.id IN {NAMES}", [ALBUMS]),
    ("equal lists", f"SELECT title, track FROM album a JOIN track t USING (id) WHERE a.id IN {NAMES} AND t.id IN {NAMES}", [ALBUMS]),
    ("equal lists of composed keys", f"SELECT a.name, b.name FROM profile a JOIN (SELECT * FROM profile WHERE tenant = 'a' AND uid IN {NAMES}) b USING (tenant, uid)"
     f" WHERE tenant = 'a' AND a.uid IN {NAMES}", [PROFILES]),
    ("equal lists of two tables", f"SELECT name, tag FROM profile JOIN tags USING (tenant, uid) WHERE tenant = 'a' AND profile.uid IN {NAMES} AND tags.uid IN {NAMES}", [PROFILES]),
    ("composed keys", f"SELECT name, total FROM profile a JOIN purchase b USING (tenant, uid) WHERE tenant = 'a' AND a.uid IN {NAMES}", [PROFILES, *PURCHASES]),
    ("two lists", f"SELECT name, total FROM profile a JOIN purchase b USING (tenant, uid) WHERE b.tenant IN ('a', 'x') AND a.uid IN {NAMES} AND a.tenant = 'a'", [PROFILES, *PURCHASES]),
    ("partitions read twice", f"SELECT a.total, b.total FROM purchase a JOIN purchase b USING (tenant, uid) WHERE tenant = 'a' AND a.uid IN {NAMES}", PURCHASES),
]

# Where a lookup reads fewer keys, or nothing is implied
LOOKED_UP = [
    ("a condition that most rows fail", f"SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN {NAMES} AND team = 't0'", [PEOPLE, ORDERS[1]]),
    ("the outer side of an outer join", f"SELECT name, no FROM person p LEFT JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', 'x')",
     ["BatchGetItem person {id 'u03'} {id 'x'}", ORDERS[0]]),
    ("lists that differ", "SELECT title, track FROM album a JOIN track t USING (id) WHERE a.id IN ('u03', 'u05') AND t.id IN ('u05', 'u07')",
     ["BatchGetItem album {id 'u03'} {id 'u05'}", "GetItem album {id 'u05'}"]),
    ("a list for the outer join alone", "SELECT name, no FROM person p LEFT JOIN orders o ON o.person = p.id AND p.id IN ('u03', 'u05') WHERE p.id = 'u03'",
     ["GetItem person {id 'u03'}", ORDERS[0]]),
]

# Rows only: whatever is implied, or is not
ROWS = [
    "SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id = ANY ('{}')",
    "SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id = ANY (NULL::text[])",
    "SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', NULL, 'u05', 'u03')",
    "SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', 'u05') AND o.person IN ('u05', 'u07')",
    "SELECT name, no FROM person p FULL JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', 'u04', 'u05')",
    "SELECT name, no FROM person p RIGHT JOIN orders o ON o.person = p.id AND p.id IN ('u03', 'u05') WHERE o.person < 'u06'",
    "SELECT name FROM person p WHERE id IN ('u03', 'u04', 'u05') AND NOT EXISTS (SELECT FROM orders o WHERE o.person = p.id)",
    "SELECT name FROM person p WHERE id IN (SELECT person FROM orders WHERE person IN ('u03', 'u05'))",
    "SELECT p.name, q.name FROM person p LEFT JOIN person q ON q.id = 'u0' || right(p.team, 1) JOIN orders o ON o.person = q.id WHERE p.id IN ('u03', 'u05') AND o.person IN ('u03', 'u00', 'u01')",
    "SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id = ANY ((SELECT array_agg(id) FROM person WHERE team = 't1')::text[])",
    "SELECT name, no FROM person p JOIN orders o ON o.person COLLATE \"C\" = p.id COLLATE \"C\" WHERE p.id IN ('u03', 'u05')",
    "SELECT x.n, name, no FROM (VALUES (1), (2)) x(n), LATERAL (SELECT name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', 'u0' || x.n)) y",
    "SELECT p.name, no FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', 'u05', 'u07') ORDER BY no DESC, p.name LIMIT 3",
    "SELECT count(*) FROM person p JOIN orders o ON o.person = p.id WHERE p.id IN ('u03', 'u05', 'u07')",
]


class ListJoins(request_text.RequestTestCase):
    """People and their orders, albums and their tracks, and two entities of one table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("person", ("id", "S"))
        cls.fx.put("person", [{"id": f"u{n:02}", "name": f"n{n}", "team": f"t{n % 5}"} for n in range(60)])
        cls.fx.create_table("orders", ("person", "S"), ("no", "N"))
        cls.fx.put("orders", [{"person": f"u{n:02}", "no": no, "total": n * no} for n in range(60) for no in range(n % 4)])
        cls.fx.create_table("album", ("id", "S"))
        cls.fx.put("album", [{"id": f"u{n:02}", "title": f"t{n}", "tracks": [f"x{n}", f"y{n}"][:n % 3]} for n in range(60)])
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"))
        for tenant in "ab":
            cls.fx.put("app", [{"pk": f"T#{tenant}#U#u{n:02}", "sk": "PROFILE", "name": f"n{n}", "tags": [f"a{n}", "b"]} for n in range(30)])
            cls.fx.put("app", [{"pk": f"T#{tenant}#U#u{n:02}", "sk": f"ORDER#{no}", "total": n * no} for n in range(30) for no in range(3)])
        cls.table("person", "id text NOT NULL, name text, team text", "person")
        cls.table("orders", "person text NOT NULL, no int NOT NULL, total int", "orders")
        cls.table("album", "id text NOT NULL, title text", "album")
        cls.table("track", "id text NOT NULL, track text OPTIONS (path '@')", "album", unnest="tracks")
        names = 'tenant text COLLATE "C" NOT NULL, uid text COLLATE "C" NOT NULL'
        cls.table("profile", f"{names}, name text", "app", key_templates=json.dumps({"pk": "T#${tenant}#U#${uid}", "sk": "PROFILE"}))
        cls.table("purchase", f"{names}, no int NOT NULL, total int", "app", key_templates=json.dumps({"pk": "T#${tenant}#U#${uid}", "sk": "ORDER#${no}"}))
        cls.table("tags", f"{names}, tag text OPTIONS (path '@')", "app", unnest="tags", key_templates=json.dumps({"pk": "T#${tenant}#U#${uid}", "sk": "PROFILE"}))
        cls.mirror(*cls.names)

    names = []

    @classmethod
    def table(cls, name, columns, remote, **options):
        """A foreign table."""
        cls.fx.foreign_table(name, columns, table_name=cls.fx.remote(remote), scan_policy="allow", **options)
        cls.names.append(name)

    def check(self, sql, requests):
        """The requests without what they get, and the rows."""
        texts = [text.split(" get ")[0] for text in self.texts(sql)]
        self.assertEqual(texts, sorted(requests), self.fx.explain(sql))
        self.same_rows(sql)

    def same_rows(self, sql):
        """Those of local tables."""
        self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(self.mirrored(sql), key=str))

    def check_all(self):
        """The table of statements."""
        for what, sql, requests in READ_AT_ONCE + LOOKED_UP:
            with self.subTest(what):
                self.check(sql, requests)
        for sql in ROWS:
            with self.subTest(sql):
                self.same_rows(sql)

    def test_before_analyze(self):
        """Without statistics."""
        self.check_all()

    def test_later(self):
        """With statistics; and afterwards without them again."""
        self.fx.execute("; ".join(f"ANALYZE {name}" for name in self.names))
        self.addCleanup(self.fx.execute, "DELETE FROM pg_statistic WHERE starelid IN (SELECT ftrelid FROM pg_foreign_table);"
                                         "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid IN (SELECT ftrelid FROM pg_foreign_table)")
        self.check_all()

    def test_parameters(self):
        """A generic plan, whose lists are known when it is executed."""
        sql = READ_AT_ONCE[2][1].replace(f"ARRAY{list(KEYS)}", "$1")
        self.fx.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE q (text[]) AS {sql}")
        self.addCleanup(self.fx.execute, "DEALLOCATE q; RESET plan_cache_mode")
        for keys in (KEYS, ("u03",), (), ("none", "u05", "u05")):
            array = "'{" + ",".join(keys) + "}'"
            texts = [text.split(" get ")[0] for text in self.texts(f"EXECUTE q ({array})")]
            self.assertEqual(sum(text.startswith("Query orders") for text in texts), len(set(keys)))
            self.assertEqual(sorted(self.fx.rows(f"EXECUTE q ({array})")), sorted(self.mirrored(sql.replace("$1", array))))

    def test_security_barrier(self):
        """Above a security barrier, = of numbers is not known to be leakproof, so nothing is implied there."""
        self.fx.create_table("numbers", ("id", "N"))
        self.fx.put("numbers", [{"id": n, "total": n % 7} for n in range(200)])
        self.fx.foreign_table("numbers", "id numeric NOT NULL, total int", table_name=self.fx.remote("numbers"), scan_policy="allow")
        self.fx.execute("CREATE VIEW behind WITH (security_barrier) AS SELECT * FROM numbers WHERE total >= 0; CREATE TABLE wanted AS SELECT 1::numeric AS id")
        self.addCleanup(self.fx.execute, "DROP TABLE wanted; DROP VIEW behind; DROP FOREIGN TABLE numbers")
        sql = "SELECT b.id FROM {} b JOIN wanted w ON w.id = b.id WHERE w.id IN (1, 2)"
        self.assertIn("ANY", self.plan(sql.format("numbers")))
        self.assertNotIn("ANY", self.plan(sql.format("behind")))

    def plan(self, sql):
        """Of the foreign scan of a hash join."""
        self.fx.execute("SET enable_nestloop = off; SET enable_mergejoin = off")
        try:
            return " ".join(line for line in self.fx.explain(sql).split("\n") if "Key Condition" in line)
        finally:
            self.fx.execute("RESET enable_nestloop; RESET enable_mergejoin")
