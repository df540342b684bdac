"""The column option document: the item, or what no other column shows of it, as jsonb. Rows are those of local tables that
the test fills itself."""
import base64
import json
import unittest
from decimal import Decimal

import fixture
import request_text
from dynamo import index, item
from request_text import statements

LARGE = "x" * 390000
KEYED = ('pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, n numeric,'
         ' owner text COLLATE "C", color text COLLATE "C", size numeric OPTIONS (attribute \'odd "name"\'),'
         " rating numeric OPTIONS (path 'info.rating')")
DOCUMENTS = ", doc jsonb OPTIONS (document 'item'), rest jsonb OPTIONS (document 'rest')"
SHOWN = ["pk", "sk", "kind", "n", "owner", "color", 'odd "name"']


def items():
    """40 items; names of all kinds, values of all types, attributes that are named as the columns of documents."""
    for i in range(40):
        one = {"pk": f"p{i % 8}", "sk": f"s{i:02}", "kind": f"k{i % 5}", "n": i % 7, 'odd "name"': i, "a.b": f"dot {i % 3}",
               "\u00fcn\u00efcode \u20ac \U0001f600": i, "back\\slash": "\\ \" / \n \t \u0001", "info": {"rating": i / 4, "more": {"x y": [i, None, True]}},
               "doc": i % 4, "rest": {"rest": i % 2}, "set": {f"t{i % 3}", "all"}, "numbers": {i, Decimal("1.5")}, "bytes": bytes([i, 255]),
               "exact": -12345678901234567890123456789012345678 + i, "small": Decimal("1.5E-130"), "flag": i % 2 == 0,
               "nothing": None, "list": [{"deep": [[["z"]]]}, b"\0", {"q"}], "empty": "", "": "no name can be empty"}
        del one[""]
        if i % 3 == 0:
            one["owner"] = f"o{i % 2}"
        if i % 4 != 3:
            one["color"] = ["red", "green", "blue"][i % 3]
        for number, name in enumerate(("info", "doc", "n", 'odd "name"', "flag", "a.b")):
            if i % 11 == number:
                del one[name]
        yield one


def to_json(value):
    """The JSON text of an attribute value; of a set, in the order in which it is given."""
    [(kind, content)] = value.items()
    if kind == "N":
        text = format(Decimal(content), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if kind == "M":
        return "{" + ", ".join(f"{json.dumps(k)}: {to_json(v)}" for k, v in content.items()) + "}"
    if kind in ("L", "SS", "NS", "BS"):
        return "[" + ", ".join(to_json(e if kind == "L" else {kind[0]: e}) for e in content) + "]"
    return json.dumps(None if kind == "NULL" else content)


def document(stored, without=()):
    """The item's document."""
    return to_json({"M": {name: value for name, value in stored.items() if name not in without}})


REQUESTS = [
    ("by the key", "SELECT doc FROM things WHERE pk = 'p3' AND sk = 's03'", ["GetItem things {pk 'p3', sk 's03'} get *"]),
    ("the rest by the key", "SELECT n, rest FROM things WHERE pk = 'p3' AND sk = 's03'", ["GetItem things {pk 'p3', sk 's03'} get *"]),
    ("by two keys", "SELECT rest, doc FROM things WHERE pk = 'p3' AND sk IN ('s03', 's11')",
     ["BatchGetItem things {pk 'p3', sk 's03'} {pk 'p3', sk 's11'} get *"]),
    ("a partition", "SELECT sk, doc FROM things WHERE pk = 'p3'", ["Query things where pk = 'p3' get *"]),
    ("all", "SELECT doc FROM things", ["Scan things get *"]),
    ("not the document", "SELECT sk, rating FROM things WHERE pk = 'p3'", ["Query things where pk = 'p3' get info.rating, sk"]),
    ("full rows", "SELECT t FROM things t WHERE pk = 'p3' AND sk > 's10'", ["Query things where pk = 'p3' AND sk > 's10' get *"]),
    ("counted", "SELECT count(*) FROM things WHERE pk = 'p3'", ["Query things where pk = 'p3' count"]),
    ("an index with all", "SELECT doc FROM things WHERE kind = 'k2' AND sk < 's09'", ["Query things/by_kind where kind = 'k2' AND sk < 's09' get *"]),
    ("an index of keys", "SELECT rest FROM things WHERE owner = 'o1' AND pk = 'p1'",
     ["Query things where pk = 'p1' filter owner = 'o1' get *"]),
    ("an index of keys, then the table", "SELECT rest FROM things WHERE owner = 'o1' AND sk > 's3'",
     ["BatchGetItem things {pk 'p1', sk 's33'} {pk 'p7', sk 's39'} get *", "Query things/by_owner where owner = 'o1' AND sk > 's3' get pk, sk"]),
    ("an index of some, then the table", "SELECT doc FROM things WHERE color = 'blue' AND sk > 's3'",
     ["BatchGetItem things {pk 'p0', sk 's32'} {pk 'p6', sk 's38'} get *",
      "Query things/by_color where color = 'blue' AND sk > 's3' get pk, sk"]),
    ("a part, that the index shows too", "SELECT sk, doc -> 'a.b' FROM things WHERE color = 'blue' AND sk > 's3'",
     ["BatchGetItem things {pk 'p0', sk 's32'} {pk 'p6', sk 's38'} get a.b, color, pk, sk",
      "Query things/by_color where color = 'blue' AND sk > 's3' get pk, sk"]),
    ("a part that the index does not show", "SELECT sk, doc -> 'flag' FROM things WHERE color = 'blue' AND sk > 's3'",
     ["BatchGetItem things {pk 'p0', sk 's32'} {pk 'p6', sk 's38'} get color, flag, pk, sk",
      "Query things/by_color where color = 'blue' AND sk > 's3' get pk, sk"]),
    ("parts", "SELECT doc -> 'info' -> 'more' -> 'x y', rest ->> 'doc' FROM things WHERE pk = 'p3'", ["Query things where pk = 'p3' get doc, info.more.x y"]),
    ("a part that is not in the rest", "SELECT rest -> 'n' FROM things WHERE pk = 'p3'", ["Query things where pk = 'p3' get *"]),
    ("a member as filter", "SELECT sk FROM things WHERE doc -> 'info' ->> 'rating' = '2.5'",
     ["Scan things filter info.rating = '2.5' OR info.rating = 2.5 get info.rating, pk, sk"]),
    ("a member of the rest as filter", "SELECT sk FROM things WHERE rest #>> '{rest,rest}' = '1' AND pk = 'p3'",
     ["Query things where pk = 'p3' filter rest.rest = '1' OR rest.rest = 1 get rest.rest, sk"]),
    ("a member with dots as filter", "SELECT sk FROM things WHERE rest ->> 'a.b' = 'dot 1' AND pk = 'p3'",
     ["Query things where pk = 'p3' filter a.b = 'dot 1' get a.b, sk"]),
    ("a key is not bound by its member", "SELECT n FROM things WHERE doc ->> 'pk' = 'p3'", ["Scan things filter pk = 'p3' get n, pk, sk"]),
    ("no filter on a key attribute in a query", "SELECT n FROM things WHERE pk = 'p3' AND doc ->> 'sk' = 's03'", ["Query things where pk = 'p3' get n, sk"]),
    ("no filter on a key attribute of the index", "SELECT n FROM things WHERE kind = 'k2' AND doc ->> 'kind' = 'k2' AND doc ->> 'sk' = 's02'",
     ["Query things/by_kind where kind = 'k2' get kind, n, sk"]),
    ("a filter on a key of the table in its index", "SELECT n FROM things WHERE kind = 'k2' AND doc ->> 'pk' = 'p2'",
     ["Query things/by_kind where kind = 'k2' filter pk = 'p2' get n, pk"]),
    ("what the rest lacks", "SELECT sk FROM things WHERE pk = 'p3' AND rest ->> 'n' = '3'", ["Query things where pk = 'p3' get *"]),
    ("what the rest lacks is NULL", "SELECT sk FROM things WHERE pk = 'p3' AND rest -> 'n' IS NULL", ["Query things where pk = 'p3' get *"]),
    ("absent members", "SELECT sk FROM things WHERE pk = 'p3' AND doc -> 'flag' IS NULL",
     ["Query things where pk = 'p3' filter attribute_not_exists(flag) OR attribute_type(flag,'NULL') get flag, sk"]),
    ("present members", "SELECT sk FROM things WHERE pk = 'p3' AND doc -> 'flag' IS NOT NULL",
     ["Query things where pk = 'p3' filter attribute_exists(flag) get flag, sk"]),
    ("a document is never NULL", "SELECT sk FROM things WHERE doc IS NULL", []),
    ("a document is never NULL by the key", "SELECT sk FROM things WHERE pk = 'p3' AND sk = 's03' AND rest IS NULL", []),
    ("a document is never NULL counted", "SELECT count(*) FROM things WHERE rest IS NULL", []),
    ("NULL or something else", "SELECT sk FROM things WHERE doc IS NULL OR n = 3", ["Scan things filter n = 3 get pk, sk"]),
    ("not NULL", "SELECT sk FROM things WHERE pk = 'p3' AND doc IS NOT NULL", ["Query things where pk = 'p3' get *"]),
    ("contained", "SELECT sk FROM things WHERE pk = 'p3' AND doc @> '{\"flag\": true}'", ["Query things where pk = 'p3' get *"]),
    ("equal", "SELECT sk FROM things WHERE pk = 'p3' AND doc = '{}'", ["Query things where pk = 'p3' get *"]),
    ("keys of a local index", "SELECT doc FROM things WHERE pk = 'p3' ORDER BY n DESC, sk", ["Query things where pk = 'p3' get *"]),
]


@statements(REQUESTS)
class Documents(request_text.RequestTestCase):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("things", ("pk", "S"), ("sk", "S"), [
            index("by_kind", ("kind", "S"), ("sk", "S")), index("by_owner", ("owner", "S"), ("sk", "S"), "KEYS_ONLY"),
            index("by_color", ("color", "S"), ("sk", "S"), ["a.b"]), index("by_n", ("pk", "S"), ("n", "N"), "KEYS_ONLY", local=True)])
        stored = [item(one) for one in items()]
        cls.fx.dynamo.put_raw(cls.fx.remote("things"), stored)
        cls.fx.foreign_table("things", KEYED + DOCUMENTS, scan_policy="allow")
        cls.fx.execute("CREATE SCHEMA mirror; CREATE TABLE mirror.things (pk text, sk text, kind text, n numeric, owner text, color text,"
                       " size numeric, rating numeric, doc jsonb, rest jsonb)")
        cls.stored = [cls.as_returned(one) for one in stored]
        for one in cls.stored:
            shown = {name: next(iter(one[name].values())) if name in one else None for name in SHOWN}
            rating = one.get("info", {"M": {"rating": {"N": None}}})["M"]["rating"]["N"]
            cls.fx.execute(f"INSERT INTO mirror.things VALUES ({', '.join(['%s'] * 10)})",
                           [*shown.values(), rating, document(one), document(one, SHOWN)])

    @classmethod
    def as_returned(cls, stored):
        """Sets have no order, and numbers one representation: as DynamoDB returns them."""
        key = {name: stored[name] for name in ("pk", "sk")}
        return cls.fx.dynamo.call("GetItem", {"TableName": cls.fx.remote("things"), "Key": key})["Item"]

    def test_texts(self):
        """All digits, all names, all bytes."""
        sql = "SELECT pk, sk, doc::text, rest::text FROM things"
        rows = sorted(self.fx.rows(sql))
        self.assertEqual(rows, sorted(self.mirrored(sql)))
        self.assertEqual(len(rows), 40)
        one = next(row for row in rows if row[1] == "s17")
        self.assertIn("-12345678901234567890123456789012345661", one[2])
        self.assertIn(base64.b64encode(bytes([17, 255])).decode(), one[3])
        self.assertNotIn('"pk"', one[3])
        self.assertIn('"info": {"more"', one[3])

    def test_local_index(self):
        """A local index gets what it does not project from the table, without a projection too."""
        self.fx.execute("ALTER FOREIGN TABLE things ALTER n SET NOT NULL")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE things ALTER n DROP NOT NULL; RESET enable_sort")
        self.fx.execute("SET enable_sort = off")
        self.assertRequests("SELECT doc, rest FROM things WHERE pk = 'p3' AND n >= 2 ORDER BY n",
                        ["Query things/by_n where pk = 'p3' AND n >= 2 get all of *"])
        self.assertRequests("SELECT sk, doc -> 'flag' FROM things WHERE pk = 'p3' AND n >= 2 ORDER BY n",
                        ["Query things/by_n where pk = 'p3' AND n >= 2 get flag, n, sk"])

    def test_wide_rows(self):
        """More attributes than a projection can name: a local index gets them all the same."""
        columns = ", ".join(f"c{i} text OPTIONS (attribute 'attribute {i}')" for i in range(1000))
        self.fx.foreign_table("wide", 'pk text COLLATE "C" NOT NULL, n numeric NOT NULL, kind text COLLATE "C" NOT NULL, ' + columns + ", flag boolean",
                              table_name=self.fx.remote("things"))
        self.fx.execute("SET enable_sort = off")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE wide; RESET enable_sort")
        for sql in ("SELECT w FROM wide w WHERE pk = 'p3' AND n >= 2 ORDER BY n", "SELECT w FROM wide w WHERE kind = 'k3' AND n < 3"):
            [request] = self.texts(sql)
            self.assertIn(" get all of *" if "by_n" in request else " get *", request)
            rows = self.fx.rows(sql.replace("SELECT w", "SELECT pk, n, flag, " + ", ".join(f"c{i}" for i in range(1000))))
            right = self.mirrored(sql.replace("SELECT w", "SELECT pk, n, (doc ->> 'flag')::boolean").replace("wide", "things"))
            self.assertEqual([row[:3] for row in rows], right)

    def test_joins(self):
        """Lookups by key and by partition, a subquery, and a document as the source of keys."""
        self.fx.execute("CREATE TABLE mirror.wanted AS SELECT 'p' || i AS pk, 's' || to_char(i, 'FM00') AS sk FROM generate_series(0, 9) i;"
                        "CREATE TABLE wanted AS SELECT * FROM mirror.wanted; ANALYZE wanted")
        self.addCleanup(self.fx.execute, "DROP TABLE wanted, mirror.wanted")
        for sql in ("SELECT w.sk, t.doc FROM wanted w JOIN things t USING (pk, sk)", "SELECT w.sk, t.rest, t.n FROM wanted w LEFT JOIN things t USING (pk)",
                    "SELECT w.pk, (SELECT t.rest FROM things t WHERE t.pk = w.pk AND t.sk = w.sk) FROM wanted w",
                    "SELECT w.pk, (SELECT count(*) FROM things t WHERE t.pk = w.pk AND t.doc ->> 'a.b' = 'dot 1') FROM wanted w",
                    "SELECT a.sk, b.sk FROM things a JOIN things b ON b.pk = a.doc ->> 'pk' AND b.sk = a.doc ->> 'sk'",
                    "SELECT w.sk FROM wanted w WHERE EXISTS (SELECT FROM things t WHERE t.pk = w.pk AND t.doc @> '{\"flag\": false}')"):
            with self.subTest(sql):
                for settings in ("", "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;"):
                    self.fx.execute(settings + "SELECT 1")
                    self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material")
                    rows = sorted(self.fx.rows(sql), key=repr)
                    self.assertEqual(rows, sorted(self.mirrored(sql), key=repr))
                    self.assertTrue(rows)

    def test_cached(self):
        """A Scan that is executed again with other members is read once, and its items are cached in full."""
        sql = "SELECT v, (SELECT jsonb_agg(t.rest ORDER BY t.sk) FROM things t WHERE t.doc ->> 'a.b' = v) FROM generate_series(0, 9) i, concat('dot ', i) v"
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
        self.assertEqual([r.operation for r in self.fx.requests(sql)], ["Scan", "Scan"])
        sql = "SELECT v, (SELECT count(*) FROM things t WHERE t.doc IS NULL OR t.kind = v) FROM generate_series(0, 9) i, concat('k', i) v"
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_parameters(self):
        """Values of members that come at run time."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS SELECT sk, rest FROM things WHERE doc ->> 'a.b' = $1")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE p")
        for value in ("dot 0", "dot 2", "none", "{}"):
            rows = self.fx.rows(f"EXECUTE p ('{value}')")
            self.assertEqual(sorted(rows), sorted(self.mirrored(f"SELECT sk, rest FROM things WHERE doc ->> 'a.b' = '{value}'")))

    def test_analyze(self):
        """The width of a document becomes known; its statistics need no more memory than the sample."""
        self.fx.execute("ANALYZE things")
        width, nulls = self.fx.rows("SELECT avg_width, null_frac FROM pg_stats WHERE tablename = 'things' AND schemaname = 'public' AND attname = 'doc'")[0]
        self.assertGreater(width, 300)
        self.assertEqual(nulls, 0)

    def test_explain(self):
        text = self.fx.explain("SELECT doc FROM things WHERE pk = 'p3' AND (doc IS NULL OR rest ->> 'a.b' = 'dot 1')", "VERBOSE, COSTS OFF")
        self.assertIn("Projection: all attributes", text)
        self.assertIn("Remote Filter: (doc IS NULL OR \"a.b\" = 'dot 1'::text)", text)
        self.assertIn("Projection: sk", self.fx.explain("SELECT sk FROM things WHERE pk = 'p3'", "VERBOSE, COSTS OFF"))

    def test_subtransactions(self):
        """Read between savepoints, of which some are rolled back, while another statement reads on."""
        self.fx.execute("""CREATE FUNCTION read_all() RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
            DECLARE one record;
            BEGIN
                FOR one IN SELECT pk, sk, doc FROM things LOOP
                    BEGIN
                        RETURN NEXT (SELECT rest FROM things t WHERE t.pk = one.pk AND t.sk = one.sk);
                        PERFORM 1 / (one.doc ->> 'odd "name"')::int;
                    EXCEPTION WHEN division_by_zero THEN
                        RETURN NEXT one.doc;
                    END;
                END LOOP;
            END $$""")
        self.addCleanup(self.fx.execute, "DROP FUNCTION read_all")
        rows = self.fx.rows("SELECT read_all()")
        right = self.mirrored("SELECT rest FROM things UNION ALL SELECT doc FROM things WHERE size = 0")
        self.assertEqual(sorted(rows, key=repr), sorted(right, key=repr))

    def test_several_documents(self):
        """Two of each kind in a table; and one of which another column shows nothing."""
        self.fx.foreign_table("twice", "a jsonb OPTIONS (document 'rest'), pk text, b jsonb OPTIONS (document 'item'), sk text,"
                              " c jsonb OPTIONS (document 'rest'), d jsonb OPTIONS (document 'item'), e jsonb OPTIONS (attribute 'info')",
                              table_name=self.fx.remote("things"))
        self.fx.foreign_table("alone", "everything jsonb OPTIONS (document 'rest')", table_name=self.fx.remote("things"))
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE twice, alone")
        rows = self.fx.rows("SELECT a::text, b::text, c::text, d::text FROM twice ORDER BY sk")
        right = [self.normal(document(one, ["pk", "sk", "info"]), document(one)) * 2 for one in self.stored]
        self.assertEqual(rows, right)
        self.assertEqual(self.fx.rows("SELECT everything::text FROM alone ORDER BY everything ->> 'sk'"), [(row[1],) for row in right])

    def normal(self, *texts):
        """As jsonb writes them."""
        return tuple(self.fx.value("SELECT %s::jsonb::text", [text]) for text in texts)

    def test_rows(self):
        """The attributes of match are left out, those of ttl are not, unless a column shows them."""
        remote = self.fx.remote("things")
        self.fx.foreign_table("few", "pk text, sk text, rest jsonb OPTIONS (document 'rest')", table_name=remote,
                              item_filter='{"kind": "k2", "flag": [null, true]}', ttl_attribute="n")
        self.fx.foreign_table("shown", "pk text, sk text, n numeric, rest jsonb OPTIONS (document 'rest')", table_name=remote, ttl_attribute="n")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE few, shown")
        rows = self.fx.rows("SELECT sk, rest::text FROM few ORDER BY sk")
        right = [(one["sk"]["S"], *self.normal(document(one, ["pk", "sk", "kind", "flag"]))) for one in self.stored
                 if one["kind"]["S"] == "k2" and one.get("flag", {}).get("BOOL") is not False]
        self.assertEqual(rows, right)
        self.assertTrue(any('"n":' in text for _, text in rows))
        self.assertTrue(all('"n":' not in text for (text,) in self.fx.rows("SELECT rest::text FROM shown")))
        [request] = self.texts("SELECT rest FROM few WHERE pk = 'p2' AND sk = 's02'")
        self.assertEqual(request, "GetItem things {pk 'p2', sk 's02'} get *")
        self.assertEqual(self.fx.value("SELECT count(*) FROM few"), len(right))


class Mapped(request_text.RequestTestCase):
    """Documents of tables whose keys are composed by templates, and of tables of elements."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi", "S"), None, "KEYS_ONLY")])
        cls.fx.put("app", [{"pk": "company#a", "sk": "company#", "city": "Oslo"}] + [
            {"pk": "company#a", "sk": f"user#u{n}", "gsi": f"user#u{n}", "name": f"U{n}", "more": {"a": n}, "tags": ["x", f"y{n}"]} for n in range(4)])
        columns = "company text NOT NULL, email text NOT NULL, full_name text OPTIONS (attribute 'name'), " + DOCUMENTS[2:]
        for name, more in (("app_user", {"trusted_indexes": "gsi1"}), ("user_tag", {"unnest": "tags"})):
            cls.fx.foreign_table(name, columns + (", tag text OPTIONS (path '@')" if name == "user_tag" else ""), table_name=cls.fx.remote("app"),
                                 scan_policy="allow", key_templates='{"pk": "company#${company}", "sk": "user#${email}", "gsi": "user#${email}"}', **more)

    def test_templates(self):
        """The attributes that templates name are left out; the rest is read with the item."""
        self.assertEqual(sorted(self.fx.rows("SELECT email, rest::text FROM app_user")),
                         [(f"u{n}", f'{{"more": {{"a": {n}}}, "tags": ["x", "y{n}"]}}') for n in range(4)])
        self.assertEqual(self.fx.rows("SELECT doc ->> 'pk', rest -> 'pk' FROM app_user WHERE company = 'a' AND email = 'u1'"), [("company#a", None)])
        self.assertEqual(self.texts("SELECT rest FROM app_user WHERE email = 'u2'"),
                         ["GetItem app {pk 'company#a', sk 'user#u2'} get *",
                          "Query app/gsi1 where gsi = 'user#u2' filter begins_with(pk,'company#') AND sk = 'user#u2' get pk, sk"])
        self.assertEqual(self.fx.rows("SELECT email FROM app_user WHERE doc ->> 'sk' = 'company#'"), [])

    TEMPLATED = [     # pk, the rest of the item, what is left of it next to the columns
        ("same", {"g": "U#a/7", "name": "a", "n": 7}, {}), ("other text", {"g": "OLD#7", "name": "a", "n": 7}, {"g": "OLD#7"}),
        ("other value", {"g": "U#b/7", "name": "a", "n": 7}, {"g": "U#b/7"}), ("no column", {"g": "U#a/7", "name": "a"}, {"g": "U#a/7"}),
        ("NULL column", {"g": "U#a/7", "name": None, "n": 7}, {"g": "U#a/7"}), ("no text", {"g": {"x": 1}, "name": "a", "n": 7}, {"g": {"x": 1}}),
        ("absent", {"name": "a", "n": 7, "more": 1}, {"more": 1}), ("NULL", {"g": None, "name": "a", "n": 7}, {"g": None}),
        ("escaped", {"g": 'U#"\\/7', "name": '"\\', "n": 7}, {}), ("folded", {"f": "f#ann", "who": "Ann"}, {}),
        ("unfolded", {"f": "f#Ann", "who": "Ann"}, {"f": "f#Ann"}), ("other letters", {"f": "f#\u00e5", "who": "\u00c5"}, {"f": "f#\u00e5"}),
        ("read", {"t": "T#x/2024-05-04"}, {}), ("misread", {"t": "T#x/4.5.2024"}, {"t": "T#x/4.5.2024"}),
        ("ambiguous", {"t": "T#x/y/2024-05-04"}, {"t": "T#x/y/2024-05-04"}), ("not matched", {"t": "x"}, {"t": "x"}),
        ("chained", {"h": "H#x", "t": "T#x/2024-05-04"}, {}), ("chained to another", {"h": "H#y", "t": "T#x/2024-05-04"}, {"h": "H#y"}),
        ("chained to nothing", {"h": "H#y", "t": "x"}, {"h": "H#y", "t": "x"}), ("constant", {"c": "fixed"}, {}), ("no constant", {"c": "free"}, {"c": "free"}),
        ("matched", {"m": "M#1"}, {}), ("shown", {"w": "W#no"}, {})]

    def load_templated(self):
        """A table with a template of each kind, over items whose texts agree with the columns and not."""
        if self.fx.rows("SELECT to_regclass('spelled') WHERE to_regclass('spelled') IS NOT NULL"):
            return
        self.fx.create_table("spelled", ("pk", "S"), None, [index("by_c", ("c", "S"), None, "KEYS_ONLY")])
        self.fx.put("spelled", [{"pk": f"P#{name}", **more} for name, more, _ in self.TEMPLATED])
        templates = {"pk": "P#${id}", "g": "U#${name}/${n}", "f": "f#${who:lower}", "t": "T#${x}/${day}", "h": "H#${x}", "c": "fixed", "m": "M#${id}", "w": "W#${id}"}
        columns = ("id text NOT NULL, name text OPTIONS (attribute 'name'), n int OPTIONS (attribute 'n'), who text OPTIONS (attribute 'who'),"
                   " x text OPTIONS (attribute 't'), day date OPTIONS (attribute 't'), w text, rest jsonb OPTIONS (document 'rest')")
        for name, more in (("spelled", {"on_mismatch": "null"}), ("strict", {})):
            self.fx.foreign_table(name, columns, table_name=self.fx.remote("spelled"), scan_policy="allow", key_templates=json.dumps(templates),
                                  item_filter='{"m": ["M#1", null]}', **more)

    def test_texts_that_disagree(self):
        """An attribute of a template stays in the rest if the columns do not give its text: nothing else would show it."""
        self.load_templated()
        right = sorted((name, rest) for name, _, rest in self.TEMPLATED)
        self.assertEqual(self.fx.rows('SELECT id, rest FROM spelled ORDER BY id COLLATE "C"'), right)
        for table in ("spelled", "strict"):
            with self.subTest(table):
                self.assertEqual(sorted(self.fx.rows(f"SELECT id, rest FROM {table}")), right)
                self.assertEqual([self.fx.rows(f"SELECT rest FROM {table} WHERE id = '{name}'") for name, _ in right], [[(rest,)] for _, rest in right])
        for name in "gfthcmw":
            with self.subTest(name):
                having = [(one,) for one, rest in right if name in rest]
                self.assertEqual(self.fx.rows(f"SELECT id FROM spelled WHERE rest ? '{name}' ORDER BY id COLLATE \"C\""), having)
                self.assertEqual(self.fx.rows(f"SELECT id FROM spelled WHERE rest -> '{name}' IS NOT NULL ORDER BY id COLLATE \"C\""), having)
                for one, rest in right:
                    if isinstance(rest.get(name), str):
                        self.assertIn((one,), self.fx.rows(f"SELECT id FROM spelled WHERE rest ->> '{name}' = %s", [rest[name]]))
        self.assertEqual(self.fx.rows("SELECT rest FROM spelled WHERE rest ->> 'g' = 'OLD#7'"), [({"g": "OLD#7"},)])
        self.assertEqual(self.fx.rows("SELECT count(*) FROM spelled WHERE rest = '{}'"), [(sum(rest == {} for _, rest in right),)])

    def test_requests_of_texts(self):
        """Members of the rest need no templates; a row needs its entire item."""
        self.load_templated()
        self.assertEqual(self.texts("SELECT rest -> 'more' FROM strict WHERE id = 'absent'"), ["GetItem spelled {pk 'P#absent'} get m, more, pk"])
        self.assertEqual(self.texts("SELECT id FROM spelled WHERE rest -> 'g' IS NULL AND id = 'same'"), ["GetItem spelled {pk 'P#same'} get *"])
        self.assertEqual(self.fx.rows("SELECT rest -> 'more', rest -> 'g' FROM spelled WHERE id IN ('absent', 'other text') ORDER BY id"),
                         [(1, None), (None, "OLD#7")])

    def test_elements(self):
        """Each element's row has the entire item's documents."""
        self.assertEqual(self.fx.rows("SELECT tag, rest::text FROM user_tag WHERE company = 'a' AND email = 'u3' ORDER BY tag"),
                         [(tag, '{"more": {"a": 3}, "tags": ["x", "y3"]}') for tag in ("x", "y3")])
        self.assertEqual(self.texts("SELECT tag, doc FROM user_tag WHERE company = 'a' AND email = 'u3'"), ["GetItem app {pk 'company#a', sk 'user#u3'} get *"])
        self.assertEqual(self.fx.rows("SELECT rest -> 'tags' FROM user_tag WHERE tag = 'y2' AND doc -> 'more' ->> 'a' = '2'"), [(["x", "y2"],)])
        self.assertEqual(self.fx.rows("SELECT count(*) FROM user_tag WHERE rest IS NULL"), [(0,)])


class Items(fixture.TestCase):
    """What single items give."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("one", ("pk", "S"), None, [], [])

    def show(self, stored, columns="pk text, d jsonb OPTIONS (document 'item'), r jsonb OPTIONS (document 'rest')", select="r::text", **options):
        """What a select list gives of the item."""
        self.fake.table("one", ("pk", "S"), None, [], [{"pk": {"S": "a"}, **stored}])
        self.fx.foreign_table("one", columns, server="fake", **options)
        return self.fx.rows(f"SELECT {select} FROM one")

    def test_nothing_left(self):
        self.assertEqual(self.show({}), [("{}",)])
        self.assertEqual(self.show({}, "pk text, r jsonb NOT NULL OPTIONS (document 'rest')".replace("NOT NULL OPTIONS (document 'rest')",
                                                                                                    "OPTIONS (document 'rest') NOT NULL")), [("{}",)])
        self.assertEqual(self.show({}, "r jsonb OPTIONS (document 'rest')"), [('{"pk": "a"}',)])

    def test_large(self):
        """An item of about 400 kB, with the large attribute left out and not."""
        big = {"big": {"S": LARGE}, "many": {"L": [{"N": str(i)} for i in range(500)]}}
        self.assertEqual(self.show(big, select="length(d::text) > 390000, d ->> 'big' = repeat('x', 390000), jsonb_array_length(r -> 'many')"),
                         [(True, True, 500)])
        self.assertEqual(self.show(big, "big text, r jsonb OPTIONS (document 'rest')", "r - 'many', length(big)"), [({"pk": "a"}, 390000)])
        many = {f"attribute {i}": {"S": f"value {i}"} for i in range(5000)}
        columns = ", ".join(f"c{i} text OPTIONS (attribute 'attribute {i}')" for i in range(0, 1400, 2))
        [(rest,)] = self.show(many, columns + ", r jsonb OPTIONS (document 'rest')", "r")
        self.assertEqual(rest, {"pk": "a", **{f"attribute {i}": f"value {i}" for i in range(5000) if i % 2 or i >= 1400}})

    def test_escaped_names(self):
        """Names that need escapes in the response, or have escapes they do not need, are left out all the same."""
        columns = "pk text, q text OPTIONS (attribute 'a\"b'), s text OPTIONS (attribute 'c\\d'), r jsonb OPTIONS (document 'rest')"
        self.assertEqual(self.show({'a"b': {"S": "1"}, "c\\d": {"S": "2"}, 'x"y': {"S": "3"}}, columns), [('{"x\\"y": "3"}',)])
        response = b'{"Count":1,"ScannedCount":1,"Items":[{"\\u0070k":{"S":"a"},"a\\u0022b":{"S":"1"},"\\u0078":{"M":{"pk":{"S":"in"}}}}]}'
        self.fake.on("Scan", response)
        self.addCleanup(self.fake.on, "Scan", None)
        self.assertEqual(self.fx.rows("SELECT q, r::text FROM one"), [("1", '{"x": {"pk": "in"}}')])

    def test_zero_characters(self):
        """U+0000 has no jsonb: a mismatch of the documents that show it, and of no other."""
        nul = {"bad": {"M": {"x": {"S": "a\0b"}}}, "good": {"N": "1"}}
        self.show({}, select="1")
        self.fake.table("one", ("pk", "S"), None, [], [{"pk": {"S": "a"}, **nul}])
        for column in "dr":
            failure = self.fx.error(f"SELECT {column} FROM one")
            self.assertEqual(failure.sqlstate, "HV004")
            self.assertIn(f'column "{column}" of foreign table "one"', failure.message)
            self.assertIn('item pk = "a"', failure.detail)
        self.assertEqual(self.show(nul, "pk text, bad jsonb, r jsonb OPTIONS (document 'rest')"), [('{"good": 1}',)])
        self.assertEqual(self.show(nul, on_mismatch="null", select="pk, d, r, d IS NULL"), [("a", None, None, True)])
        self.assertEqual(self.fx.rows("SELECT pk FROM one WHERE d IS NULL"), [("a",)])
        self.assertEqual(self.fx.rows("SELECT pk FROM one WHERE d ->> 'good' = '1'"), [])
        self.assertEqual(self.show({"bad\0": {"S": "x"}, "good": {"N": "1"}}, "pk text, r jsonb OPTIONS (document 'rest')", on_mismatch="null"), [(None,)])
        self.assertEqual(self.show({"bad": {"S": "\\u0000"}}), [('{"bad": "\\\\u0000"}',)])

    def test_numbers(self):
        """A number that DynamoDB cannot hold is no mismatch where it is left out."""
        columns = "pk text, n text, r jsonb OPTIONS (document 'rest'), d jsonb OPTIONS (document 'item')"
        wrong = {"n": {"N": "1" * 60}, "m": {"N": "1.50"}}
        self.assertEqual(self.show(wrong, columns), [('{"m": 1.5}',)])
        self.assertIn("not a valid DynamoDB number", self.fx.error("SELECT d FROM one").message)

    def test_domains(self):
        """A domain's CHECK sees the document."""
        self.fx.execute("CREATE DOMAIN small AS jsonb CHECK (NOT VALUE ? 'large')")
        columns = "pk text, r small OPTIONS (document 'rest')"
        self.assertEqual(self.show({"x": {"N": "1"}}, columns), [('{"x": 1}',)])
        self.assertEqual(self.show({"large": {"N": "1"}}, columns + ", large numeric"), [("{}",)])
        self.assertEqual(self.show({"large": {"N": "1"}}, columns, on_mismatch="null"), [(None,)])
        self.show({}, columns)
        self.fake.table("one", ("pk", "S"), None, [], [{"pk": {"S": "a"}, "large": {"N": "1"}}])
        self.assertEqual(self.fx.error("SELECT r FROM one").sqlstate, "23514")
        self.fx.execute("DROP FOREIGN TABLE one; DROP DOMAIN small")

    def test_refused(self):
        """At DDL time, as far as the options determines it."""
        for options, words in (("document 'all'", 'Valid values are "item", "rest".'), ("document 'item', attribute 'a'", '"attribute"'),
                               ("document 'rest', path 'a.b'", '"path"'), ("format 'json', document 'rest'", '"format"')):
            failure = self.fx.error(f"CREATE FOREIGN TABLE refused (d jsonb OPTIONS ({options})) SERVER fake")
            self.assertIn(failure.sqlstate, ("HV00D", "22023"))
            self.assertIn(words, f"{failure.message} {failure.hint}")
        self.fx.foreign_table("one", "pk text, d jsonb OPTIONS (document 'item')", server="fake")
        self.assertIn("mutually exclusive", self.fx.error("ALTER FOREIGN TABLE one ALTER d OPTIONS (ADD path 'x')").message)
        self.assertIn("belongs to a column", self.fx.error("CREATE FOREIGN TABLE refused () SERVER fake OPTIONS (document 'item')").hint)

    def test_types(self):
        """At first use, as far as the type determines it."""
        for declared in ("text", "json", "jsonb[]", "int"):
            self.fx.foreign_table("one", f"pk text, d {declared} OPTIONS (document 'item')", server="fake")
            failure = self.fx.error("SELECT pk FROM one")
            self.assertEqual(failure.sqlstate, "HV004")
            self.assertEqual(failure.message, 'column "d" with option "document" must have type jsonb')


class Latin(unittest.TestCase):
    """A database in LATIN1, which has é and not €: names are left out by their characters, whatever the encoding."""

    def test_names(self):
        fx = fixture.Fixture("documents_latin1", encoding="LATIN1")
        self.addCleanup(fx.close)
        fx.create_table("one", ("clé", "S"))
        fx.put("one", [{"clé": "é", "prix": "5 €", "où": {"là": "ça"}, "n": 1}])
        fx.foreign_table("one", "clé text, prix bytea, r jsonb OPTIONS (document 'rest'), d jsonb OPTIONS (document 'item')")
        self.assertEqual(fx.rows("SELECT clé, r::text, r -> 'où' ->> 'là' FROM one"), [("é", '{"n": 1, "où": {"là": "ça"}}', "ça")])
        self.assertEqual(fx.rows("SELECT r -> 'clé' FROM one WHERE r -> 'où' ->> 'là' = 'ça'"), [(None,)])
        [request] = fx.requests("SELECT r -> 'où' FROM one WHERE d ->> 'clé' = 'é'")
        self.assertEqual(sorted(request.body["ExpressionAttributeNames"].values()), ["clé", "où"])
        failure = fx.error("SELECT d FROM one")
        self.assertEqual(failure.sqlstate, "HV004")
        self.assertIn("LATIN1", failure.message)
