"""Which items are rows: the table options match and ttl. Rows are those of the entire table, selected by SQL."""
import time
from decimal import Decimal

import request_text
from dynamo import index
from request_text import statements

NOW = int(time.time())
TYPES = ["user", "order", "note"]
COLUMNS = ('pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL, n numeric, owner text COLLATE "C",'
           ' flag boolean')


def items():
    """30 partitions, each with a user, two orders and a note; some attributes are absent, NULL or of another type."""
    for p in range(30):
        for i, kind in enumerate(["user", "order", "order", "note"]):
            entity = {"pk": f"p{p:02d}", "sk": f"{kind}#{i}", "type": kind, "at": f"2024-{p % 12 + 1:02d}-0{i + 1}", "n": p * 10 + i,
                      "owner": f"o{p % 5}", "flag": p % 2 == 0, "live": p % 3 != 0, "version": Decimal("1.5") if p % 2 else 2}
            if p % 4 == 0:
                entity["deleted"] = [None, False, True, "no"][p // 4 % 4]
            if p % 5 == 1:
                entity["ends"] = [NOW - 1000, NOW + 100000, NOW - 200000000, "soon", Decimal(NOW) - Decimal("0.5")][p // 5 % 5]
            if p % 10 == 9:
                del entity["type"]
            if p in (13, 14):
                entity["rank"] = [7, "7"][p - 13]
            yield entity


# Foreign tables: their options, and the condition on a table that shows all items.
ENTITIES = {
    "orders": ({"item_filter": '{"type": "order"}'}, "type = 'order'"),
    "live": ({"item_filter": '{"live": true, "type": ["order", "note"]}'}, "live AND type IN ('order', 'note')"),
    "kept": ({"item_filter": '{"deleted": [null, false]}'}, "coalesce(deleted = 'false', true)"),
    "versions": ({"item_filter": '{"version": 1.5}'}, "version = 1.5"),
    "current": ({"ttl_attribute": "ends"}, "coalesce(NOT (ends ~ '^[0-9.]+$' AND ends::numeric BETWEEN extract(epoch FROM now()) - 157680000"
                " AND extract(epoch FROM now())), true)"),
    "p03": ({"item_filter": '{"pk": "p03"}'}, "pk = 'p03'"),
    "few": ({"item_filter": '{"pk": ["p03", "p05", 7]}'}, "pk IN ('p03', 'p05')"),
    "one": ({"item_filter": '{"pk": "p04", "sk": "user#0"}'}, "pk = 'p04' AND sk = 'user#0'"),
    "seven": ({"item_filter": '{"rank": 7}'}, "pk = 'p13'"),
}

REQUESTS = [
    ("all of an entity", "SELECT n FROM orders", ["Query app/by_type where type = 'order' get n, type"]),
    ("of a partition", "SELECT n FROM orders WHERE pk = 'p03'", ["Query app where pk = 'p03' filter type = 'order' get n, type"]),
    ("by the key, another entity", "SELECT n FROM orders WHERE pk = 'p03' AND sk = 'user#0'",
     ["GetItem app {pk 'p03', sk 'user#0'} get n, type"]),
    ("by the key", "SELECT n FROM orders WHERE pk = 'p03' AND sk = 'order#1'", ["GetItem app {pk 'p03', sk 'order#1'} get n, type"]),
    ("by two keys", "SELECT n FROM orders WHERE pk = 'p03' AND sk IN ('order#1', 'note#3')",
     ["BatchGetItem app {pk 'p03', sk 'note#3'} {pk 'p03', sk 'order#1'} get n, pk, sk, type"]),
    ("a range of the index", "SELECT n FROM orders WHERE at > '2024-11'",
     ["Query app/by_type where type = 'order' AND at > '2024-11' get at, n, type"]),
    ("in order of the index", "SELECT at FROM orders WHERE at > '2024-10' ORDER BY at DESC LIMIT 1",
     ["Query app/by_type where type = 'order' AND at > '2024-10' get at, type limit 1 backward"]),
    ("count by the index", "SELECT count(*) FROM orders", ["Query app/by_type where type = 'order' count"]),
    ("count of a partition", "SELECT count(*) FROM orders WHERE pk = 'p03'",
     ["Query app where pk = 'p03' filter type = 'order' count"]),
    ("two types", "SELECT count(*) FROM live WHERE pk = 'p04'",
     ["Query app where pk = 'p04' filter live = true AND type IN ('order','note') count"]),
    ("NULL or absent", "SELECT n FROM kept WHERE pk = 'p08'",
     ["Query app where pk = 'p08' filter attribute_not_exists(deleted) OR attribute_type(deleted,'NULL') OR deleted = false"
      " get deleted, n"]),
    ("an index that does not show it", "SELECT n FROM kept WHERE owner = 'o1' AND pk > 'p1'",
     ["BatchGetItem app " + " ".join(f"{{pk 'p{p}', sk '{sk}'}}" for p in (11, 16, 21, 26)
                                     for sk in ("note#3", "order#1", "order#2", "user#0")) + " get deleted, n, owner, pk, sk",
      "Query app/by_owner where owner = 'o1' AND pk > 'p1' get pk, sk"]),
    ("an index that does not show it, not counted", "SELECT count(*) FROM orders WHERE owner = 'o1' AND pk = 'p11'",
     ["Query app where pk = 'p11' filter type = 'order' AND owner = 'o1' count"]),
    ("a number", "SELECT n FROM versions WHERE pk = 'p03'", ["Query app where pk = 'p03' filter version = 1.5 get n, version"]),
    ("a partition", "SELECT n FROM p03", ["Query app where pk = 'p03' get n, pk"]),
    ("a partition, counted", "SELECT count(*) FROM p03", ["Query app where pk = 'p03' count"]),
    ("part of a partition", "SELECT n FROM p03 WHERE sk > 'o'", ["Query app where pk = 'p03' AND sk > 'o' get n, pk, sk"]),
    ("partitions", "SELECT n FROM few", ["Query app where pk = 'p03' get n, pk", "Query app where pk = 'p05' get n, pk"]),
    ("another partition", "SELECT n FROM few WHERE pk = 'p04'", []),
    ("one of the partitions", "SELECT n FROM few WHERE pk = 'p05'", ["Query app where pk = 'p05' get n, pk"]),
    ("one item", "SELECT n FROM one", ["GetItem app {pk 'p04', sk 'user#0'} get n, pk, sk"]),
    ("one item, another key", "SELECT n FROM one WHERE sk = 'x'", []),
    ("a number among texts", "SELECT n FROM seven WHERE pk IN ('p13', 'p14')",
     [f"Query app where pk = '{pk}' filter rank = 7 get n, pk, rank" for pk in ("p13", "p14")]),
]


@statements(REQUESTS)
class RowTests(request_text.RequestTestCase):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"), [
            index("by_type", ("type", "S"), ("at", "S")), index("by_owner", ("owner", "S"), ("pk", "S"), "KEYS_ONLY")])
        cls.fx.put("app", items())
        app = cls.fx.remote("app")
        cls.fx.execute("CREATE SCHEMA mirror")
        cls.fx.foreign_table("everything", COLUMNS + ", type text, live boolean, version numeric,"
                             " deleted jsonb, ends jsonb", on_mismatch="null")
        cls.fx.execute(f"ALTER FOREIGN TABLE everything OPTIONS (SET table_name '{app}')")
        cls.fx.execute("CREATE TABLE everything_here AS SELECT pk, sk, at, n, owner, flag, live, version, deleted #>> '{}' AS deleted,"
                       " ends #>> '{}' AS ends, type FROM everything")
        for name, (options, condition) in ENTITIES.items():
            cls.fx.foreign_table(name, COLUMNS, table_name=app, **options)
            cls.fx.execute(f"CREATE TABLE mirror.{name} AS SELECT pk, sk, at, n, owner, flag FROM everything_here WHERE {condition}")

    def test_all_rows(self):
        """Every entity, by Scan and by count."""
        for name in ENTITIES:
            with self.subTest(name):
                rows = self.fx.rows(f"SELECT * FROM {name}")
                self.assertEqual(sorted(rows, key=repr), sorted(self.mirrored(f"SELECT * FROM {name}"), key=repr))
                self.assertTrue(rows)
                self.assertEqual(self.fx.value(f"SELECT count(*) FROM {name}"), len(rows))

    def test_expired(self):
        """The filter of ttl is two numbers, five years apart, the later one the time of the transaction."""
        [request] = self.fx.requests("SELECT n FROM current WHERE pk = 'p01'")
        self.assertEqual(request.body["FilterExpression"], "NOT #n1 BETWEEN :v1 AND :v2")
        first, last = (Decimal(request.body["ExpressionAttributeValues"][name]["N"]) for name in (":v1", ":v2"))
        self.assertEqual(last - first, 157680000)
        self.assertLess(abs(float(last) - time.time()), 3600)

    def test_transaction(self):
        """The time is that at which the transaction started."""
        self.fx.conn.autocommit = False
        try:
            started = self.fx.value("SELECT extract(epoch FROM now())")
            [request] = self.fx.requests("SELECT n FROM current WHERE pk = 'p01'")
            self.assertEqual(Decimal(request.body["ExpressionAttributeValues"][":v2"]["N"]), started)
        finally:
            self.fx.conn.rollback()
            self.fx.conn.autocommit = True

    def test_semijoin(self):
        """One item a key is not enough if it may be no row."""
        self.fx.execute("CREATE TABLE wanted AS SELECT DISTINCT pk FROM everything_here; ANALYZE wanted")
        self.addCleanup(self.fx.execute, "DROP TABLE wanted")
        sql = "SELECT pk FROM wanted w WHERE EXISTS (SELECT FROM {} o WHERE o.pk = w.pk AND o.sk > 'n')"
        for name in ("orders", "versions"):
            self.assertEqual(sorted(self.fx.rows(sql.format(name))), sorted(self.fx.rows(sql.format(f"mirror.{name}"))))

    def test_parts_of_a_document(self):
        """The tested attribute is read in full although the statement needs only a part of it."""
        self.fx.create_table("documents", ("pk", "S"))
        self.fx.put("documents", [{"pk": "text", "doc": "foo", "n": 1}, {"pk": "map", "doc": {"x": 1}, "n": 2}, {"pk": "other", "doc": "bar", "n": 3},
                                  {"pk": "null", "doc": None, "n": 4}, {"pk": "absent", "n": 5}])
        for name, match, keys in (("foos", '{"doc": "foo"}', ["text"]), ("none", '{"doc": null}', ["absent", "null"])):
            self.fx.foreign_table(name, "pk text NOT NULL, doc jsonb, n int", table_name=self.fx.remote("documents"), item_filter=match)
            for where in ("", " WHERE pk IN ('text', 'map', 'other', 'null', 'absent')"):
                with self.subTest(name + where):
                    self.assertEqual(sorted(self.fx.rows(f"SELECT pk, doc->>'x' FROM {name}{where}")), [(key, None) for key in keys])
        self.assertIn("Remote Filter: (attribute_not_exists(doc) OR attribute_type(doc, \"NULL\")) AND n > 1",
                      self.fx.explain("SELECT pk FROM none WHERE n > 1"))

    def test_long_values(self):
        """What is too long for a request is tested when items arrive."""
        self.fx.foreign_table("long", COLUMNS, table_name=self.fx.remote("app"), item_filter='{"type": ["order", "%s"]}' % ("y" * 2200000))
        for sql in ("SELECT count(*) FROM {}", "SELECT count(n) FROM {} WHERE pk = 'p03'"):
            self.assertEqual(self.fx.rows(sql.format("long")), self.mirrored(sql.format("orders")))

    def test_prepared(self):
        """Generic plans keep the test."""
        self.fx.execute("PREPARE p AS SELECT n FROM orders WHERE pk = $1 AND sk = $2")
        for _ in range(7):
            self.assertEqual(self.fx.rows("EXECUTE p ('p03', 'user#0')"), [])
            self.assertEqual(self.fx.rows("EXECUTE p ('p03', 'order#1')"), [(Decimal(31),)])

    def test_joins(self):
        """Lookups by key and by partition, whose items are of several entities."""
        for sql in ("SELECT a.pk, o.sk, o.n FROM p03 a JOIN {}orders o ON o.pk = a.pk",
                    "SELECT a.pk, o.n FROM {}few a LEFT JOIN {}orders o ON o.pk = a.pk AND o.sk = a.sk"):
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql.replace("{}", "")), key=repr), sorted(self.mirrored(sql.replace("{}", "")),
                                                                                             key=repr))

    def test_explain(self):
        """What the requests do not enforce is shown."""
        plan = self.fx.explain("SELECT n FROM orders WHERE pk = 'p03' AND sk = 'user#0'")
        self.assertIn('Item Filter: type = "order"', plan)
        plan = self.fx.explain("SELECT n FROM orders WHERE pk = 'p03'")
        self.assertIn('Remote Filter: type = "order"', plan)
        self.assertNotIn("Item Filter", plan)
        self.assertIn("Remote Filter: ends NOT EXPIRED", self.fx.explain("SELECT n FROM current WHERE pk = 'p03'"))

    def test_analyze(self):
        """Rows are counted, and not items."""
        self.fx.execute("ANALYZE orders")
        self.assertEqual(self.fx.value("SELECT reltuples FROM pg_class WHERE oid = 'orders'::regclass"), len(self.mirrored("TABLE orders")))

    def test_wrong_options(self):
        """Each is refused when it is set."""
        for value, hint in (("{", "The value must be a JSON object: "), ("[1]", "The value must be a JSON object, such as"), ("{}", "The object must have"),
                            ('{"a": 1, "a": 2}', "The value must be a JSON object: duplicate object key"),
                            ('{"a": []}', "An array must not be empty."), ('{"a": [[1]]}', "The value of an attribute must be"),
                            ('{"a": {"b": 1}}', "The value of an attribute must be"), ('{"": 1}', "The name of an attribute"),
                            ('{"a": 1e200}', "A number must have at most")):
            with self.subTest(value):
                error = self.fx.error("CREATE FOREIGN TABLE wrong (pk text) SERVER ddb OPTIONS (item_filter %s)", (value,))
                self.assertEqual(error.sqlstate, "22023")
                self.assertTrue(error.hint.startswith(hint), error.hint)
