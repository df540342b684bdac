"""The table option unnest: a row for each element of a list, set or map. Rows are those of local tables, made here."""
import json
from decimal import Decimal

from psycopg2.extras import execute_values

import request_text
from dynamo import attribute, index
from processes import WITHOUT_SANITIZERS
from request_text import plain

KEYS = 'pk text COLLATE "C" NOT NULL, sk int NOT NULL'
OWN = KEYS + ', kind text COLLATE "C", at int, owner text COLLATE "C", doc jsonb'
NAMES = ["a", "b", "é\"\\\n", "", "日本", "a,b", "{", "long" * 30]

# What is at the path, by the number of the item: (attribute value or nothing); the elements follow from it.
TAGS = [["a"], ["a", "b", "a"], [], "absent", None, ["", None, "é\"\\\n"], ["日本", "a,b"], ["{", "long" * 30, "b", None, None]]
LINES = [[{"sku": "s1", "qty": 1}], [{"sku": "s1", "qty": 2, "deep": {"x": [1, "two"]}}, {"sku": None, "qty": Decimal("3")}, {}],
         [], "absent", None, "no map", [{"sku": "s2"}, None, {"qty": 7, "é\"": "odd", "deep": {"x": "no list"}}], [{"sku": "s3", "deep": []}]]
MIXED = [["t", 5, Decimal("0.50"), True, False, None, b"\x00\xff", {"a": "m"}, [1, [2]], {"x"}], [{"a": 1, "b": {"c": None}}, "a"], [], "absent",
         [{"n"}], [[["a"]], {}], [None], [{"a": [1]}]]
SCORES = [{"ann": 1}, {"ann": 2, "bob": Decimal("2.5"), "é\"\\": -3}, {}, "absent", None, {"z y": 0, "c": None}, {"a.b": 7, "日本": 8}, {"bob": 1}]
SETS = [("SS", ["a"]), ("SS", ["b", "é", "日本"]), ("NS", ["1", "-2.5", "100000000000000000000"]), "absent", None, ("BS", ["AA==", "/w=="]), ("SS", ["a", "a,b"]),
        ("NS", ["7"])]
COUNT = 48

TABLES = {
    "tags": ("tags", OWN + ", pos int OPTIONS (path '@index'), tag text OPTIONS (path '@') COLLATE \"C\"",
             "pos int, tag text COLLATE \"C\""),
    "lines": ("info.lines", OWN + ", pos int OPTIONS (path '@index'), line jsonb OPTIONS (path '@'), sku text OPTIONS (path '@.sku'),"
              " qty numeric OPTIONS (path '@.qty'), second jsonb OPTIONS (path '@.deep.x[1]'), odd text OPTIONS (path '@.\"é\"\"\"')",
              "pos int, line jsonb, sku text, qty numeric, second jsonb, odd text"),
    "mixed": ("mixed", OWN + ", pos int OPTIONS (path '@index'), element jsonb OPTIONS (path '@'), a jsonb OPTIONS (path '@.a'),"
              " first jsonb OPTIONS (path '@[0]')",
              "pos int, element jsonb, a jsonb, first jsonb"),
    "scores": ("scores", OWN + ", who text OPTIONS (path '@key') COLLATE \"C\", score numeric OPTIONS (path '@')",
               "who text COLLATE \"C\", score numeric"),
    "members": ("\"sets\"", OWN + ", member jsonb OPTIONS (path '@')", "member jsonb"),
}


def item(i):
    """Item number i."""
    entity = {"pk": {"S": f"p{i % 8}"}, "sk": {"N": str(i // 8)}, "doc": attribute({"x": i, "y": {"z": f"d{i}"}})}
    if i % 7:
        entity["kind"], entity["at"] = {"S": f"k{i % 3}"}, {"N": str(i)}
    if i % 5:
        entity["owner"] = {"S": f"o{i % 4}"}
    for name, values in (("tags", TAGS), ("mixed", MIXED), ("scores", SCORES)):
        if values[i % 8] != "absent":
            entity[name] = attribute(values[i % 8])
    if LINES[i % 8] == "no map":
        entity["info"] = {"S": "text"}
    elif LINES[i % 8] != "absent":
        entity["info"] = {"M": {"lines": attribute(LINES[i % 8]), "other": {"S": "o"}}}
    if SETS[i % 8] is None:
        entity["sets"] = {"NULL": True}
    elif SETS[i % 8] != "absent":
        entity["sets"] = dict([SETS[i % 8]])
    return entity


def as_json(value):
    """An element as a column of type jsonb shows it."""
    if isinstance(value, bytes):
        return "AP8="
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, dict):
        return {name: as_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [as_json(element) for element in value]
    return value


def dumped(value):
    """JSON text, NULL for None."""
    return None if value is None else json.dumps(as_json(value), default=float)


def below(value, *steps):
    """The value at a path below another; None if there is none."""
    for step in steps:
        if isinstance(step, int) and isinstance(value, list) and len(value) > step:
            value = value[step]
        elif isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def rows_of(i):
    """(table, columns of the element) for every element of item i."""
    for pos, tag in enumerate(TAGS[i % 8] if isinstance(TAGS[i % 8], list) else []):
        yield "tags", (pos, tag)
    for pos, line in enumerate(LINES[i % 8] if isinstance(LINES[i % 8], list) else []):
        yield "lines", (pos, dumped(line), below(line, "sku"), below(line, "qty"), dumped(below(line, "deep", "x", 1)), below(line, "é\""))
    for pos, element in enumerate(MIXED[i % 8] if isinstance(MIXED[i % 8], list) else []):
        yield "mixed", (pos, dumped(element), dumped(below(element, "a")), dumped(below(element, 0)))
    for who, score in (SCORES[i % 8] if isinstance(SCORES[i % 8], dict) else {}).items():
        yield "scores", (who, score)
    if isinstance(SETS[i % 8], tuple):
        kind, members = SETS[i % 8]
        for member in members:
            yield "members", (member if kind == "NS" else json.dumps(member),)


def own_columns(i):
    """What the columns of the item show."""
    return (f"p{i % 8}", i // 8, f"k{i % 3}" if i % 7 else None, i if i % 7 else None, f"o{i % 4}" if i % 5 else None,
            json.dumps({"x": i, "y": {"z": f"d{i}"}}))


class Unnested(request_text.RequestTestCase):
    """Foreign tables over one table, and local ones with the rows that they must have."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "N"), [
            index("by_kind", ("kind", "S"), ("at", "N")), index("by_owner", ("owner", "S"), ("pk", "S"), "KEYS_ONLY"),
            index("by_at", ("pk", "S"), ("at", "N"), "KEYS_ONLY", local=True)])
        cls.fx.dynamo.put_raw(cls.fx.remote("app"), [item(i) for i in range(COUNT)])
        cls.fx.execute("CREATE SCHEMA mirror; SET dynamo_fdw.scan_policy = allow; ALTER SERVER ddb OPTIONS (ADD scan_policy 'allow')")
        for name, (path, columns, element) in TABLES.items():
            cls.fx.foreign_table(name, columns, table_name=cls.fx.remote("app"), unnest=path)
            cls.fx.execute(f"CREATE TABLE mirror.{name} ({OWN}, {element})")
            rows = [own_columns(i) + row for i in range(COUNT) for table, row in rows_of(i) if table == name]
            with cls.fx.conn.cursor() as cursor:
                execute_values(cursor, f"INSERT INTO mirror.{name} VALUES %s", rows)
        cls.fx.execute("CREATE TABLE wanted AS SELECT 'p' || n % 10 AS pk, n % 9 AS sk, (ARRAY['a', 'b', '', '{', NULL])[n % 5 + 1] AS tag,"
                       " n % 3 AS pos, 'o' || n % 5 AS owner, 'k' || n % 4 AS kind, n FROM generate_series(1, 60) n; ANALYZE wanted")

    def tearDown(self):
        self.fx.execute("ROLLBACK; RESET ALL; SET statement_timeout = '60s'; DEALLOCATE ALL")

    def assertSame(self, sql):
        """The same rows from foreign and local tables."""
        with self.subTest(sql):
            rows, right = plain(self.fx.rows(sql)), plain(self.mirrored(sql))
            if "order by" not in sql.lower():
                rows, right = sorted(rows, key=repr), sorted(right, key=repr)
            self.assertEqual(rows, right)
            return rows


class Rows(Unnested):
    """The rows of the tables."""

    def test_all(self):
        """Every table, by Scan, by key and by index; with all columns, few, and none."""
        for name, (_, _, element) in TABLES.items():
            last = element.split(" ", maxsplit=1)[0]
            for where in ("", " WHERE pk = 'p1'", " WHERE pk = 'p5' AND sk = 2", " WHERE pk IN ('p0', 'p1', 'p6') AND sk IN (1, 3, 99)",
                          " WHERE kind = 'k1'", " WHERE kind = 'k1' AND at > 20", " WHERE owner = 'o1'", " WHERE owner IN ('o1', 'o2') AND sk > 1",
                          " WHERE pk = 'p1' AND at > 10", " WHERE pk = 'none'", " WHERE sk IS NULL"):
                for columns in ("*", f"pk, {last}", last, "doc -> 'y' ->> 'z', sk"):
                    self.assertSame(f"SELECT {columns} FROM {name}{where}")
                self.assertSame(f"SELECT count(*) FROM {name}{where}")
            self.assertTrue(self.fx.rows(f"SELECT * FROM {name}"))

    def test_conditions(self):
        """Conditions on elements are those of the element, whatever the item has of the same name."""
        for sql in ("SELECT * FROM tags WHERE tag = 'a'", "SELECT * FROM tags WHERE 'b' = tag AND pk = 'p1'", "SELECT * FROM tags WHERE tag IS NULL",
                    "SELECT * FROM tags WHERE tag IS NOT NULL AND pos = 1", "SELECT * FROM tags WHERE tag <> 'a'", "SELECT * FROM tags WHERE NOT tag = 'a'",
                    "SELECT * FROM tags WHERE tag = ''", "SELECT * FROM tags WHERE tag IN ('a', '日本')", "SELECT * FROM tags WHERE tag LIKE 'a%'",
                    "SELECT * FROM tags WHERE tag = 'a' OR sk = 1", "SELECT * FROM tags WHERE tag = 'a' AND tag = 'b'",
                    "SELECT * FROM tags WHERE tag > 'a' AND pk < 'p5'", "SELECT * FROM tags WHERE tag = kind", "SELECT * FROM tags WHERE pos = sk",
                    "SELECT * FROM tags WHERE tag = pk OR tag = 'a'", "SELECT * FROM tags WHERE (pos, tag) = (0, 'a')",
                    "SELECT * FROM tags WHERE starts_with(tag, 'l')", "SELECT * FROM tags WHERE pos IN (0, 2)", "SELECT * FROM tags WHERE tag = 'é\"\\\n'",
                    "SELECT * FROM lines WHERE sku = 's1'", "SELECT * FROM lines WHERE qty = 2", "SELECT * FROM lines WHERE qty > 1 AND at > 2",
                    "SELECT * FROM lines WHERE sku IS NULL", "SELECT * FROM lines WHERE line ->> 'sku' = 's1'", "SELECT * FROM lines WHERE line -> 'deep' IS NULL",
                    "SELECT line -> 'deep' -> 'x', pk FROM lines", "SELECT * FROM lines WHERE second = '\"two\"'",
                    "SELECT * FROM mixed WHERE element = '5'", "SELECT * FROM mixed WHERE element = '\"t\"'", "SELECT * FROM mixed WHERE element = 'true'", "SELECT * FROM mixed WHERE element = '1e300'", "SELECT * FROM mixed WHERE '\"AP8=\"' = element",
                    "SELECT * FROM members WHERE member = '\"/w==\"'", "SELECT * FROM members WHERE member = '-2.50'", "SELECT * FROM members WHERE member = '100000000000000000000'",
                    "SELECT * FROM mixed WHERE a IS NOT NULL", "SELECT * FROM mixed WHERE jsonb_typeof(element) = 'array'",
                    "SELECT * FROM scores WHERE score = 2.5", "SELECT * FROM scores WHERE score = 1 AND who = 'ann'", "SELECT * FROM scores WHERE who = 'a.b'",
                    "SELECT * FROM scores WHERE who = 'z y'", "SELECT * FROM scores WHERE score IS NULL", "SELECT * FROM scores WHERE score < 2",
                    "SELECT * FROM members WHERE member = '\"a\"'", "SELECT * FROM members WHERE member = '7'", "SELECT * FROM members WHERE owner = 'o1' AND member > '1'"):
            self.assertSame(sql)

    def test_shapes(self):
        """Aggregates, order, LIMIT, DISTINCT, windows, sets of statements."""
        for sql in ("SELECT tag, count(*), min(pos), max(at) FROM tags GROUP BY tag", "SELECT count(*), count(tag), count(DISTINCT tag) FROM tags",
                    "SELECT count(*) FROM tags WHERE pk = 'p1'", "SELECT count(*) FROM tags WHERE kind = 'k1' AND at > 10", "SELECT count(*) FROM tags HAVING count(*) > 10",
                    "SELECT sum(qty) FROM lines", "SELECT pk, sk, sum(qty) FROM lines GROUP BY pk, sk", "SELECT DISTINCT pk, sk FROM tags",
                    "SELECT sk, pos, tag FROM tags WHERE pk = 'p1' ORDER BY sk, pos", "SELECT sk, pos FROM tags WHERE pk = 'p1' ORDER BY sk DESC, pos LIMIT 4",
                    "SELECT sk FROM tags WHERE pk = 'p1' ORDER BY sk LIMIT 5", "SELECT sk FROM tags WHERE pk = 'p1' ORDER BY sk DESC LIMIT 5",
                    "SELECT at FROM tags WHERE kind = 'k1' ORDER BY at LIMIT 7", "SELECT at, tag FROM tags WHERE kind IN ('k0', 'k2') ORDER BY at, tag, pos",
                    "SELECT max(sk), min(sk) FROM tags WHERE pk = 'p7'", "SELECT min(sk) FROM tags WHERE pk = 'p2'", "SELECT pk, sk, pos FROM tags ORDER BY 1, 2, 3 OFFSET 3 LIMIT 9",
                    "SELECT count(*) FROM (SELECT FROM tags LIMIT 10) q", "SELECT count(*) FROM (SELECT FROM tags WHERE pk = 'p7' LIMIT 8) q",
                    "SELECT count(*) FROM (SELECT FROM tags WHERE pk = 'p1' AND sk = 1 LIMIT 2) q", "SELECT EXISTS (SELECT FROM tags WHERE pk = 'p2')",
                    "SELECT EXISTS (SELECT FROM tags WHERE pk = 'p1' AND tag = 'b')", "SELECT EXISTS (SELECT FROM tags WHERE pk = 'p1' AND tag = 'z')",
                    "SELECT pk, sk, pos, row_number() OVER (PARTITION BY pk, sk ORDER BY pos) FROM tags",
                    "SELECT pk, tag FROM tags UNION SELECT pk, who FROM scores", "SELECT pk FROM tags EXCEPT SELECT pk FROM scores",
                    "SELECT pk, pos FROM tags WHERE pk = 'p1' UNION ALL SELECT pk, pos FROM lines WHERE pk = 'p1' UNION ALL SELECT pk, pos FROM mixed WHERE pk = 'p0'",
                    "SELECT t.tableoid::regclass::text, count(*) FROM tags t GROUP BY 1", "SELECT (t).tag, (t).doc FROM tags t WHERE pk = 'p1'"):
            self.assertSame(sql)

    def test_joins(self):
        """Joins as outer and inner side, by complete keys and parts of them, in all types."""
        on = ("t.pk = w.pk AND t.sk = w.sk", "t.pk = w.pk", "t.pk = w.pk AND t.sk = w.sk AND t.pos = w.pos", "t.pk = w.pk AND t.sk = w.sk AND t.tag = w.tag",
              "t.kind = w.kind", "t.owner = w.owner", "t.owner = w.owner AND t.pos = 0", "t.tag = w.tag AND w.n < 6", "t.pk = w.pk AND t.sk = w.sk AND t.pos >= w.pos",
              "t.pk = w.pk AND t.tag = w.tag", "t.pk = w.pk AND t.sk IN (1, 2) AND t.tag IS NULL")
        for condition in on:
            for kind in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
                if kind == "FULL JOIN" and (">=" in condition or "IN (" in condition or "6" in condition or " 0" in condition):
                    continue
                self.assertSame(f"SELECT w.n, t.* FROM wanted w {kind} tags t ON {condition}")
            self.assertSame(f"SELECT w.n FROM wanted w WHERE EXISTS (SELECT FROM tags t WHERE {condition})")
            self.assertSame(f"SELECT w.n FROM wanted w WHERE NOT EXISTS (SELECT FROM tags t WHERE {condition})")
            self.assertSame(f"SELECT w.n, (SELECT count(*) FROM tags t WHERE {condition}) FROM wanted w")
            self.assertSame(f"SELECT w.n, (SELECT string_agg(t.tag, ',' ORDER BY t.sk, t.pos, t.kind, t.pk) FROM tags t WHERE {condition}) FROM wanted w")
            self.assertSame(f"SELECT w.n, q.* FROM wanted w, LATERAL (SELECT t.pk, t.sk, t.pos FROM tags t WHERE {condition} ORDER BY 1, 2, 3 LIMIT 2) q")
        for sql in ("SELECT a.pk, a.sk, a.tag, b.sku FROM tags a JOIN lines b USING (pk, sk)", "SELECT a.pos, b.pos FROM tags a JOIN tags b USING (pk, sk, pos)",
                    "SELECT a.pk, a.sk, a.pos, b.who FROM tags a LEFT JOIN scores b ON b.pk = a.pk AND b.sk = a.sk AND b.who = 'ann'",
                    "SELECT a.pk, b.pos FROM lines a LEFT JOIN tags b ON b.pk = a.pk AND b.sk = a.sk AND b.pos = a.pos",
                    "SELECT a.pk, a.sk FROM tags a WHERE a.pk IN (SELECT b.pk FROM scores b WHERE b.score > 1)",
                    "SELECT a.n, b.tag FROM wanted a JOIN (SELECT DISTINCT pk, tag FROM tags) b ON b.pk = a.pk",
                    "SELECT w.n, t.pos FROM wanted w JOIN tags t ON t.pk = w.pk AND t.sk = w.sk WHERE w.n IN (SELECT n FROM wanted WHERE n < 30)"):
            self.assertSame(sql)

    def test_join_methods(self):
        """Nested loops with few outer rows, hash and merge joins, memoize and no lookups give the same."""
        for setting in ("enable_hashjoin = off", "enable_mergejoin = off; SET enable_hashjoin = off", "enable_nestloop = off", "dynamo_fdw.enable_lookup_join = off",
                        "enable_memoize = off; SET enable_material = off"):
            self.fx.execute(f"SET {setting}")
            for sql in ("SELECT w.n, t.pos, t.tag, t.doc FROM wanted w JOIN tags t ON t.pk = w.pk AND t.sk = w.sk",
                        "SELECT w.n, t.pos FROM wanted w LEFT JOIN tags t ON t.pk = w.pk AND t.sk = w.sk AND t.pos = w.pos",
                        "SELECT w.n, t.tag FROM wanted w JOIN tags t ON t.pk = w.pk WHERE w.n < 20", "SELECT w.n, t.tag FROM wanted w JOIN tags t ON t.owner = w.owner",
                        "SELECT w.n FROM wanted w WHERE EXISTS (SELECT FROM tags t WHERE t.pk = w.pk AND t.sk = w.sk)"):
                self.assertSame(sql)
            self.fx.execute("RESET ALL; SET statement_timeout = '60s'")

    def test_second_element(self):
        """Under a join that takes one row of each key, the second element is a row, too."""
        for condition in ("t.pk = w.pk AND t.sk = w.sk", "t.pk = w.pk AND t.sk = 1 AND t.pos = 1", "t.pk = w.pk AND t.sk = w.sk AND t.pos = 1"):
            self.assertSame(f"SELECT w.n, t.pos, t.tag FROM wanted w JOIN tags t ON {condition}")
            self.assertSame(f"SELECT w.n FROM wanted w LEFT JOIN tags t ON {condition}")
        self.assertNotIn("Inner Unique: true", self.fx.explain("SELECT * FROM wanted w JOIN tags t ON t.pk = w.pk AND t.sk = w.sk", "VERBOSE, COSTS OFF"))
        self.assertIn("Inner Unique: true", self.fx.explain("SELECT * FROM wanted w JOIN tags t ON t.pk = w.pk AND t.sk = w.sk AND t.pos = w.pos", "VERBOSE, COSTS OFF"))
        self.assertIn("Inner Unique: true", self.fx.explain("SELECT * FROM wanted w JOIN scores t ON t.pk = w.pk AND t.sk = w.sk AND t.who = w.tag", "VERBOSE, COSTS OFF"))

    def test_prepared(self):
        """Custom and generic plans."""
        self.fx.execute("PREPARE p AS SELECT tag, pos FROM tags WHERE pk = $1 AND sk = $2; PREPARE e AS SELECT pk, sk, pos FROM tags WHERE tag = $1;"
                        "PREPARE i AS SELECT pk, tag FROM tags WHERE owner = ANY ($1) AND pos = $2")
        for _ in range(7):
            self.assertEqual(sorted(self.fx.rows("EXECUTE p ('p1', 2)"), key=repr), [("a", 0), ("a", 2), ("b", 1)])
            for tag in ("a", "", "zz"):
                self.assertEqual(sorted(self.fx.rows("EXECUTE e (%s)", (tag,))), sorted(self.mirrored("SELECT pk, sk, pos FROM tags WHERE tag = %s", (tag,))))
            self.assertEqual(sorted(self.fx.rows("EXECUTE i ('{o1,o3}', 1)"), key=repr),
                             sorted(self.mirrored("SELECT pk, tag FROM tags WHERE owner IN ('o1', 'o3') AND pos = 1"), key=repr))

    def test_cursors(self):
        """A cursor that stops between elements, and rescans of the same rows."""
        self.fx.execute("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT sk, pos FROM tags WHERE pk = 'p1' ORDER BY sk, pos;"
                        "DECLARE d CURSOR FOR SELECT sk, pos, doc FROM tags WHERE pk = 'p7'")
        right = self.mirrored("SELECT sk, pos FROM tags WHERE pk = 'p1' ORDER BY sk, pos")
        self.assertEqual(self.fx.rows("FETCH 4 FROM c"), right[:4])
        first = self.fx.rows("FETCH 3 FROM d")
        self.assertEqual(self.fx.rows("FETCH BACKWARD 2 FROM c"), [right[2], right[1]])
        self.fx.execute("MOVE ABSOLUTE 0 IN c")
        self.assertEqual(self.fx.rows("FETCH ALL FROM c"), right)
        rest = self.fx.rows("FETCH ALL FROM d")
        self.fx.execute("COMMIT")
        self.assertEqual(sorted(first + rest, key=repr), sorted(self.mirrored("SELECT sk, pos, doc FROM tags WHERE pk = 'p7'"), key=repr))

    def test_rescans(self):
        """Executions that begin again in the middle of an item, with and without new values."""
        self.fx.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        for sql in ("SELECT g, (SELECT t.tag FROM tags t WHERE t.pk = 'p1' AND t.sk = 1 AND t.pos = g % 3) FROM generate_series(0, 5) g",
                    "SELECT g, q.* FROM generate_series(0, 5) g, LATERAL (SELECT t.sk, t.pos FROM tags t WHERE t.pk = 'p7' ORDER BY sk, pos LIMIT g) q",
                    "SELECT g, ARRAY(SELECT t.pos FROM tags t WHERE t.pk = 'p1' AND t.sk = g ORDER BY 1 LIMIT 2) FROM generate_series(0, 5) g",
                    "SELECT g, t.tag FROM generate_series(0, 2) g LEFT JOIN tags t ON t.pk = 'p1' AND t.pos > g",
                    "SELECT g FROM generate_series(0, 9) g WHERE EXISTS (SELECT FROM tags t WHERE t.pk = 'p7' AND t.pos = g)"):
            self.assertSame(sql)

    def test_cached_reads(self):
        """A Scan that is executed again is served from what was cached."""
        for sql in ("SELECT w.n, (SELECT count(*) FROM tags t WHERE t.tag = w.tag) FROM wanted w WHERE n < 12",
                    "SELECT w.n, (SELECT count(*) FROM tags t WHERE t.at > w.n AND t.pos = w.pos) FROM wanted w WHERE n < 12",
                    "SELECT w.n, (SELECT string_agg(t.doc ->> 'x', ',' ORDER BY t.pk, t.sk, t.pos) FROM tags t WHERE t.at = w.n OR t.tag = w.tag) FROM wanted w WHERE n < 12",
                    "SELECT w.n, (SELECT count(*) FROM scores s WHERE s.score = w.pos) FROM wanted w WHERE n < 12"):
            self.assertSame(sql)
            self.assertLessEqual(len([r for r in self.fx.requests(sql) if "ExclusiveStartKey" not in r.body]), 3)

    def test_analyze(self):
        """Rows are counted, and not items; their columns have statistics."""
        for target in (1, 100):
            self.fx.execute(f"SET default_statistics_target = {target}")
            self.fx.execute(f"ANALYZE {', '.join(TABLES)}")
        for name in TABLES:
            self.assertEqual(self.fx.value(f"SELECT reltuples FROM pg_class WHERE oid = '{name}'::regclass"), len(self.mirrored(f"TABLE {name}")))
        self.assertEqual(self.fx.value("SELECT n_distinct FROM pg_stats WHERE tablename = 'tags' AND attname = 'pos' AND schemaname = 'public'"), 5)
        self.assertSame("SELECT w.n, t.pos FROM wanted w JOIN tags t ON t.pk = w.pk AND t.sk = w.sk")
        self.assertSame("SELECT * FROM tags WHERE tag = 'a'")

    def test_views_and_roles(self):
        """Through a view, as another role."""
        self.fx.execute("CREATE VIEW tagged AS SELECT pk, sk, tag FROM tags WHERE tag IS NOT NULL; CREATE VIEW mirror.tagged AS SELECT pk, sk, tag FROM mirror.tags"
                        " WHERE tag IS NOT NULL; CREATE ROLE unnest_reader; GRANT USAGE ON SCHEMA mirror TO unnest_reader; GRANT SELECT ON tagged, mirror.tagged TO unnest_reader")
        try:
            for sql in ("SELECT * FROM tagged WHERE pk = 'p1'", "SELECT count(*) FROM tagged", "SELECT a.tag FROM tagged a JOIN tagged b USING (pk, sk) WHERE b.tag = 'a'"):
                self.assertSame(sql)
                self.fx.execute("SET ROLE unnest_reader")
                self.assertSame(sql)
                self.assertEqual(self.fx.error("SELECT tag FROM tags").sqlstate, "42501")
                self.fx.execute("RESET ROLE")
        finally:
            self.fx.execute("RESET ROLE; DROP VIEW tagged, mirror.tagged; DROP OWNED BY unnest_reader; DROP ROLE unnest_reader")


REQUESTS = [
    ("an element of an item", "SELECT tag FROM tags WHERE pk = 'p1' AND sk = 1", ["GetItem app {pk 'p1', sk 1} get tags"]),
    ("columns of the item", "SELECT tag, kind FROM tags WHERE pk = 'p1' AND kind = 'k1'", ["Query app where pk = 'p1' filter kind = 'k1' get kind, tags"]),
    ("nothing of the element", "SELECT sk FROM lines WHERE pk = 'p1'", ["Query app where pk = 'p1' get info.lines, sk"]),
    ("counted here", "SELECT count(*) FROM tags WHERE pk = 'p1'", ["Query app where pk = 'p1' get pk, tags"]),
    ("an element that is a constant", "SELECT pk, tag FROM tags WHERE tag = 'a'",
     ["Scan app filter contains(tags,'a') OR attribute_type(tags,'M') get pk, sk, tags"]),
    ("an element at a nested path", "SELECT sk FROM lines WHERE pk = 'p1' AND sku = 's1'", ["Query app where pk = 'p1' get info.lines, sk"]),
    ("a value of a map", "SELECT pk FROM scores WHERE score = 2.50 AND at > 3",
     ["Scan app filter at > 3 AND (contains(scores,2.5) OR attribute_type(scores,'M')) get at, pk, scores, sk"]),
    ("a document that is a number", "SELECT pk FROM mixed WHERE element = '5.0'", ["Scan app filter contains(mixed,5) OR attribute_type(mixed,'M') get mixed, pk, sk"]),
    ("a document that is a text", "SELECT pk FROM mixed WHERE element = '\"t\"'", ["Scan app filter contains(mixed,'t') OR attribute_type(mixed,'M') get mixed, pk, sk"]),
    ("a document that may be bytes", "SELECT pk FROM mixed WHERE element = '\"AP8=\"'",
     ["Scan app filter contains(mixed,'AP8=') OR contains(mixed,x'00ff') OR attribute_type(mixed,'M') get mixed, pk, sk"]),
    ("other documents", "SELECT pk FROM mixed WHERE element = '{\"a\": \"m\"}'", ["Scan app get mixed, pk, sk"]),
    ("a document that is true", "SELECT pk FROM mixed WHERE element = 'true'", ["Scan app get mixed, pk, sk"]),
    ("a document that is null", "SELECT pk FROM mixed WHERE element = 'null'", []),
    ("a set of documents", "SELECT pk FROM members WHERE member = '\"a\"'", ["Scan app filter contains(sets,'a') OR attribute_type(sets,'M') get pk, sets, sk"]),
    ("one of two conditions", "SELECT pk, sk FROM tags WHERE tag = 'a' OR sk = 1",
     ["Scan app filter contains(tags,'a') OR attribute_type(tags,'M') OR sk = 1 get pk, sk, tags"]),
    ("by an index", "SELECT at, tag FROM tags WHERE kind = 'k1' AND at > 20 AND pos = 1", ["Query app/by_kind where kind = 'k1' AND at > 20 get at, tags"]),
    ("by an index that does not show it", "SELECT tag FROM tags WHERE owner = 'o1' AND pk > 'p4'",
     ["BatchGetItem app {pk 'p5', sk 1} {pk 'p5', sk 2} {pk 'p5', sk 3} {pk 'p5', sk 4} get owner, pk, sk, tags",
      "Query app/by_owner where owner = 'o1' AND pk > 'p4' get pk, sk"]),
    ("in order", "SELECT sk FROM tags WHERE pk = 'p1' ORDER BY sk DESC LIMIT 5", ["Query app where pk = 'p1' get sk, tags limit 2 backward"]),
    ("no item", "SELECT tag FROM tags WHERE pk = 'p1' AND sk IS NULL", []),
]


@request_text.statements(REQUESTS)
class Requests(Unnested):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    def test_explain(self):
        """The path is shown, and what is sent of a condition on elements."""
        plan = self.fx.explain("SELECT sku FROM lines WHERE pk = 'p1' AND sku = 's1'")
        self.assertIn("Unnest: info.lines", plan)
        self.assertIn("Filter: (sku = 's1'::text)", plan)
        self.assertNotIn("Remote Filter", plan)
        plan = self.fx.explain("SELECT pk FROM tags WHERE tag = 'a'")
        self.assertIn("Remote Filter: tags contains 'a'::text", plan)
        self.assertIn("Filter: (tag = 'a'::text)", plan)
        self.assertNotIn("Unnest", self.fx.explain("SELECT n FROM wanted"))

    def test_estimates(self):
        """Without statistics an item has three rows; the price is that of items."""
        [(plan,)] = self.fx.rows("EXPLAIN (FORMAT JSON) SELECT * FROM tags")
        self.assertEqual(plan[0]["Plan"]["Plan Rows"], 3 * COUNT)
        [(one,)] = self.fx.rows("EXPLAIN (FORMAT JSON) SELECT * FROM tags WHERE pk = 'p1' AND sk = 1")
        self.assertEqual((one[0]["Plan"]["Plan Rows"], one[0]["Plan"]["Estimated Read Units"]), (3, 0.5))
        self.fx.foreign_table("whole", OWN, table_name=self.fx.remote("app"))
        [(plain_plan,)] = self.fx.rows("EXPLAIN (FORMAT JSON) SELECT * FROM whole")
        self.assertEqual(plan[0]["Plan"]["Estimated Read Units"], plain_plan[0]["Plan"]["Estimated Read Units"])


class Values(request_text.RequestTestCase):
    """Mismatches, and long values."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("ALTER SERVER ddb OPTIONS (ADD scan_policy 'allow')")
        cls.fx.create_table("odd", ("pk", "S"))
        cls.fx.put("odd", [{"pk": "list", "c": ["a", "5", None]}, {"pk": "map", "c": {"x": "m", "y": None}}, {"pk": "set", "c": {"s"}}, {"pk": "none"},
                           {"pk": "text", "c": "text"}, {"pk": "number", "c": 5}, {"pk": "null", "c": None}, {"pk": "nul", "c": ["a\0b", "fine", {"n": "\0"}, {"n": "good"}]}])

    def table(self, columns, unnest="c", **options):
        """A foreign table, dropped afterwards."""
        self.fx.foreign_table("t", "pk text NOT NULL" + columns, table_name=self.fx.remote("odd"), unnest=unnest, **options)

    def test_wrong_type(self):
        """Of what is unnested: an error that names the item, or no rows."""
        self.table(", e text OPTIONS (path '@')")
        for sql in ("SELECT e FROM t WHERE pk = 'text'", "SELECT count(*) FROM t WHERE pk = 'text'", "SELECT pk FROM t WHERE pk IN ('text', 'list')",
                    "SELECT v, e FROM (VALUES ('list'), ('text')) w(v) LEFT JOIN t ON pk = v"):
            error = self.fx.error(sql)
            self.assertEqual((error.sqlstate, error.message), ("HV004", 'cannot unnest value at path "c" of foreign table "t":'
                                                              " DynamoDB type S has no elements"))
            self.assertIn('item pk = "text", value text.', error.detail)
            self.assertIn("on_mismatch", error.hint)
        self.assertIn("type N", self.fx.error("SELECT e FROM t WHERE pk = 'number'").message)
        self.table(", e text OPTIONS (path '@')", on_mismatch="null")
        self.assertEqual(self.fx.rows("SELECT pk, e FROM t WHERE pk IN ('text', 'number', 'null', 'none', 'set')"), [("set", "s")])
        self.assertEqual(self.fx.value("SELECT count(*) FROM t"), 3 + 2 + 1 + 4)
        self.table(", e text OPTIONS (path '@', on_mismatch 'null')")
        self.assertEqual(self.fx.error("SELECT e FROM t WHERE pk = 'text'").sqlstate, "HV004")

    def test_positions_and_names(self):
        """A position of what has none, and a name, are mismatches of their columns."""
        self.table(", pos int OPTIONS (path '@index'), who text OPTIONS (path '@key'), e text OPTIONS (path '@')")
        self.assertEqual(self.fx.rows("SELECT pos, e FROM t WHERE pk = 'list'"), [(0, "a"), (1, "5"), (2, None)])
        self.assertEqual(sorted(self.fx.rows("SELECT who, e FROM t WHERE pk = 'map'")), [("x", "m"), ("y", None)])
        self.assertEqual(self.fx.rows("SELECT e FROM t WHERE pk = 'set'"), [("s",)])
        for column, key, why in (("pos", "map", "the elements of a map have no position"), ("pos", "set", "the elements of a set have no position"),
                                 ("who", "list", "the elements of a list have no name"), ("who", "set", "the elements of a set have no name")):
            error = self.fx.error(f"SELECT {column} FROM t WHERE pk = '{key}'")
            self.assertEqual((error.sqlstate, error.message), ("HV004", f'cannot convert value in column "{column}" of foreign table "t": {why}'))
            self.assertIn(f'item pk = "{key}"', error.detail)
        self.table(", pos int OPTIONS (path '@index', on_mismatch 'null'), who text OPTIONS (path '@key', on_mismatch 'null'), e text OPTIONS (path '@')")
        self.assertEqual(sorted(self.fx.rows("SELECT pk, pos, who, e FROM t WHERE pk IN ('list', 'map', 'set')"), key=repr),
                         [("list", 0, None, "a"), ("list", 1, None, "5"), ("list", 2, None, None), ("map", None, "x", "m"), ("map", None, "y", None), ("set", None, None, "s")])

    def test_elements_of_another_type(self):
        """An error of that element alone, NULL, or NOT NULL."""
        self.table(", pos int OPTIONS (path '@index'), e int OPTIONS (path '@')")
        error = self.fx.error("SELECT e FROM t WHERE pk = 'list'")
        self.assertEqual(error.sqlstate, "HV004")
        self.assertIn('item pk = "list", value a.', error.detail)
        self.assertEqual(self.fx.rows("SELECT pos FROM t WHERE pk = 'list'"), [(0,), (1,), (2,)])
        self.table(", pos int OPTIONS (path '@index'), e int OPTIONS (path '@', format 'string', on_mismatch 'null')")
        self.assertEqual(self.fx.rows("SELECT pos, e FROM t WHERE pk = 'list'"), [(0, None), (1, 5), (2, None)])
        self.assertEqual(self.fx.rows("SELECT pos FROM t WHERE pk = 'list' AND e = 5"), [(1,)])
        self.table(", e text OPTIONS (path '@') NOT NULL")
        self.assertEqual(self.fx.error("SELECT e FROM t WHERE pk = 'list'").sqlstate, "23502")
        self.assertEqual(self.fx.rows("SELECT e FROM t WHERE pk = 'list' LIMIT 2"), [("a",), ("5",)])

    def test_nul(self):
        """U+0000 in one element is nothing of the others."""
        self.table(", e jsonb OPTIONS (path '@', on_mismatch 'null'), n text OPTIONS (path '@.n', on_mismatch 'null')")
        self.assertEqual(self.fx.rows("SELECT e, n FROM t WHERE pk = 'nul'"), [(None, None), ("fine", None), (None, None), ({"n": "good"}, "good")])
        self.table(", e jsonb OPTIONS (path '@'), n text OPTIONS (path '@.n')")
        self.assertIn("U+0000", self.fx.error("SELECT e FROM t WHERE pk = 'nul'").message)

    @WITHOUT_SANITIZERS
    def test_many_elements(self):
        """Ten thousand elements of one item, next to a long attribute: neither is copied for each row."""
        self.fx.create_table("long", ("pk", "S"), ("sk", "N"))
        self.fx.put("long", [{"pk": "p", "sk": n, "c": [{"v": i} for i in range(9000)], "pad": "x" * 150000} for n in range(3)])
        self.fx.foreign_table("long", "pk text NOT NULL, sk int NOT NULL, pad text, pos int OPTIONS (path '@index'), v int OPTIONS (path '@.v')", unnest="c")
        before = self.memory()
        self.assertEqual(self.fx.rows("SELECT count(*), sum(v), sum(octet_length(pad)), sum(pos) FROM long"), [(27000, 3 * 40495500, 27000 * 150000, 3 * 40495500)])
        self.assertEqual(self.fx.rows("SELECT count(*), sum(octet_length(t.pad)) FROM generate_series(0, 4) g JOIN long t ON t.pk = 'p' AND t.sk = g % 3"),
                         [(45000, 45000 * 150000)])
        self.assertEqual(self.fx.rows("SELECT g, (SELECT sum(v) FROM long t WHERE t.pk = 'p' AND t.sk = g % 3 AND octet_length(t.pad) > g) FROM generate_series(0, 4) g"),
                         [(g, 40495500) for g in range(5)])
        self.assertEqual(len(self.fx.rows("SELECT v FROM long WHERE pk = 'p' LIMIT 9500")), 9500)
        self.fx.execute("SET default_statistics_target = 1; ANALYZE long; RESET default_statistics_target")     # most rows are not in the sample
        self.assertEqual(self.fx.value("SELECT reltuples FROM pg_class WHERE oid = 'long'::regclass"), 27000)
        self.assertLess(self.memory() - before, 64 * 1024)

    def memory(self):
        """The most memory that the backend has had, in kB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

    def test_item_filter(self):
        """match decides about items, before their elements are looked at."""
        self.fx.create_table("kinds", ("pk", "S"), ("sk", "N"))
        self.fx.put("kinds", [{"pk": f"p{i % 3}", "sk": i, "kind": "ab"[i % 2], "c": ["x", f"y{i}"] if i % 2 else "text"} for i in range(20)])
        self.fx.foreign_table("k", "pk text NOT NULL, sk int NOT NULL, e text OPTIONS (path '@')", table_name=self.fx.remote("kinds"), unnest="c", item_filter='{"kind": "b"}')
        right = sorted((f"p{i % 3}", i, e) for i in range(1, 20, 2) for e in ("x", f"y{i}"))
        self.assertEqual(sorted(self.fx.rows("SELECT * FROM k")), right)
        self.assertEqual(self.fx.value("SELECT count(*) FROM k"), len(right))
        self.assertEqual(sorted(self.fx.rows("SELECT * FROM k WHERE pk = 'p1' AND sk IN (1, 4, 7)")), [row for row in right if row[:2] in (("p1", 1), ("p1", 7))])
        self.assertEqual(self.fx.rows("SELECT k.sk, e FROM generate_series(1, 4) g JOIN k ON pk = 'p' || g % 3 AND sk = g AND e = 'x'"), [(1, "x"), (3, "x")])

    def test_appended(self):
        """Branches of an asynchronous Append, each in the middle of an item now and then."""
        self.fx.create_table("parts", ("pk", "S"), ("sk", "N"))
        self.fx.put("parts", [{"pk": f"p{i % 4}", "sk": i, "c": list(range(i % 7))} for i in range(80)])
        self.fx.foreign_table("a", "pk text NOT NULL, sk int NOT NULL, e int OPTIONS (path '@')", table_name=self.fx.remote("parts"), unnest="c", fetch_size=3)
        sql = " UNION ALL ".join(f"SELECT * FROM a WHERE pk = 'p{p}'" for p in range(4))
        right = sorted((f"p{i % 4}", i, e) for i in range(80) for e in range(i % 7))
        self.assertIn("Async Foreign Scan", self.fx.explain(sql))
        for _ in range(5):
            self.assertEqual(sorted(self.fx.rows(sql)), right)
        self.assertEqual(self.fx.rows("SELECT sk, count(*) FROM a WHERE pk IN ('p1', 'p2') GROUP BY sk ORDER BY sk"),
                         [(i, i % 7) for i in range(80) if i % 4 in (1, 2) and i % 7])
        self.assertEqual(self.fx.rows("SELECT sk FROM a WHERE pk IN ('p1', 'p2') ORDER BY sk"), [(i,) for i in range(80) for _ in range(i % 7) if i % 4 in (1, 2)])


class Options(request_text.RequestTestCase):
    """What is refused when it is set, and at first use."""

    def test_paths(self):
        """Of tables and of columns."""
        for option in ("@", "@.x", "a..b", "", "a[x]"):
            error = self.fx.error("CREATE FOREIGN TABLE wrong (pk text) SERVER ddb OPTIONS (unnest %s)", (option,))
            self.assertEqual((error.sqlstate, error.message), ("22023", f'invalid value for option "unnest": "{option}"'))
            self.assertTrue(error.hint)
        self.assertIn("begins with the name of an attribute", self.fx.error("CREATE FOREIGN TABLE wrong (pk text) SERVER ddb OPTIONS (unnest '@')").hint)
        for path in ("@x", "@indexes", "@.", "@.a.", "@[", "@[x]", "@index.x", "@ ", "a.@", "@@"):
            error = self.fx.error("CREATE FOREIGN TABLE wrong (pk text, e text OPTIONS (path %s)) SERVER ddb", (path,))
            self.assertEqual((error.sqlstate, error.message), ("22023", f'invalid value for option "path": "{path}"'))
            self.assertTrue(error.hint)
        self.assertIn("@.name", self.fx.error("CREATE FOREIGN TABLE wrong (pk text, e text OPTIONS (path '@x')) SERVER ddb").hint)

    def test_not_unnested(self):
        """A column of an element needs the table's option; an attribute may have such a name."""
        self.fx.create_table("names", ("pk", "S"))
        self.fx.put("names", [{"pk": "p", "@": 1, "@key": 2}])
        self.fx.foreign_table("names", "pk text, e text OPTIONS (path '@.x')")
        for sql in ("SELECT pk FROM names", "EXPLAIN SELECT pk FROM names", "ANALYZE names"):
            error = self.fx.error(sql)
            self.assertEqual((error.sqlstate, error.message),
                             ("HV021", 'path "@.x" of column "e" of foreign table "names" requires table option "unnest"'))
            self.assertIn("unnest", error.hint)
        self.fx.foreign_table("names", "pk text, a int OPTIONS (path '\"@\"'), b int OPTIONS (attribute '@key'), \"@\" int")
        self.assertEqual(self.fx.rows("SELECT a, b, \"@\" FROM names"), [(1, 2, 1)])

    def test_documents(self):
        """Each row has the entire item, or its rest, which contains the unnested list."""
        self.fx.create_table("whole", ("pk", "S"))
        self.fx.put("whole", [{"pk": "p", "c": ["x", "y"], "other": 1}])
        self.fx.foreign_table("whole", "pk text NOT NULL, e text OPTIONS (path '@'), rest jsonb OPTIONS (document 'rest'), item jsonb OPTIONS (document 'item')", unnest="c")
        rest = {"c": ["x", "y"], "other": 1}
        right = [("p", e, rest, {"pk": "p", **rest}) for e in "xy"]
        self.assertEqual(self.fx.rows("SELECT * FROM whole"), right)
        self.assertEqual(self.fx.rows("SELECT w.* FROM (VALUES ('p'), ('q')) v(k) JOIN whole w ON pk = k"), right)
        self.fx.foreign_table("whole", "pk text NOT NULL, e text OPTIONS (path '@'), c jsonb, rest jsonb OPTIONS (document 'rest')", unnest="c")
        self.assertEqual(self.fx.rows("SELECT e, c, rest FROM whole"), [(e, ["x", "y"], {"other": 1}) for e in "xy"])

    def test_templates(self):
        """Keys are composed of columns of the item; the rows are its elements."""
        self.fx.create_table("spelled", ("pk", "S"), ("sk", "S"))
        self.fx.put("spelled", [{"pk": f"user#{u}", "sk": sk, "c": ["x", "y"] if sk == "tags" else "no"} for u in "ab" for sk in ("tags", "name")])
        columns = "u text NOT NULL, sk text NOT NULL, tag text OPTIONS (path '@')"
        self.fx.foreign_table("spelled", columns, unnest="c", key_templates='{"pk": "user#${u}", "sk": "tags"}')
        self.assertEqual(sorted(self.fx.rows("SELECT u, tag FROM spelled")), [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")])
        self.assertEqual(self.fx.rows("SELECT tag FROM spelled WHERE u = 'a'"), [("x",), ("y",)])
        self.assertEqual([r.operation for r in self.fx.requests("SELECT tag FROM spelled WHERE u = 'a'")], ["GetItem"])
        self.assertEqual(self.fx.rows("SELECT v, tag FROM (VALUES ('b'), ('c')) w(v) JOIN spelled ON u = v"), [("b", "x"), ("b", "y")])
        self.assertEqual(self.fx.value("SELECT count(*) FROM spelled WHERE u = 'a'"), 2)
        self.assertNotIn("Inner Unique: true", self.fx.explain("SELECT v, tag FROM (VALUES ('b'), ('c')) w(v) JOIN spelled ON u = v", "VERBOSE"))
        self.fx.foreign_table("spelled", columns, unnest="c", key_templates='{"pk": "user#${tag}"}')
        error = self.fx.error("SELECT tag FROM spelled")
        self.assertEqual(error.sqlstate, "HV024")
        self.assertIn('Column "tag" is read from an element', error.detail)

    def test_scalar_keys(self):
        """A key attribute holds no elements, and a column of an element is no key."""
        self.fx.create_table("keyed", ("pk", "S"))
        self.fx.put("keyed", [{"pk": "p"}])
        self.fx.foreign_table("keyed", "key text OPTIONS (path '@'), pk text", unnest="pk", on_mismatch="null")
        self.assertEqual(self.fx.rows("SELECT * FROM keyed WHERE key = 'p'"), [])
        self.assertEqual(self.fx.rows("SELECT * FROM keyed WHERE pk = 'p'"), [])
