"""Attributes whose texts are composed of columns: the table option key_templates. Rows are compared with those of local tables."""
import json

import request_text
from dynamo import index
from request_text import statements

# Foreign tables over one DynamoDB table: columns, templates, further options, and the rows as a query over all items.
ENTITIES = {
    "company": ("name text NOT NULL, city text", {"pk": "company#${name}", "sk": "company#"}, {},
                "SELECT substr(pk, 9) AS name, city FROM items WHERE pk ~ '^company#.' AND sk = 'company#'"),
    "app_user": ("company text NOT NULL, email text NOT NULL, full_name text OPTIONS (attribute 'name')",
                 {"pk": "company#${company}", "sk": "user#${email}", "gsi1_pk": "user#${email}"}, {"trusted_indexes": "gsi1"},
                 "SELECT substr(pk, 9) AS company, substr(sk, 6) AS email, name AS full_name FROM items"
                 " WHERE pk ~ '^company#.' AND sk ~ '^user#.'"),
    "orders": ('customer text COLLATE "C" NOT NULL, day date NOT NULL, n int NOT NULL, total int',
               {"pk": "CUST#${customer:plain}", "sk": "ORDER#${day}#${n:padded(5)}"}, {},
               "SELECT substr(pk, 6) AS customer, substr(sk, 7, 10)::date AS day, substr(sk, 18)::int AS n, total FROM items"
               " WHERE pk ~ '^CUST#[^#]+$' AND sk ~ '^ORDER#[-0-9]{10}#[0-9]{5}$'"),
    "player": ("username text NOT NULL, birth int", {"pk": "USER#${username}", "sk": "#METADATA#${username}"}, {},
               "SELECT substr(pk, 6) AS username, birth FROM items WHERE pk ~ '^USER#.' AND sk = '#METADATA#' || substr(pk, 6)"),
    "game": ("game int NOT NULL, people int", {"pk": "GAME#${game}", "sk": "#METADATA#${game}"}, {"on_mismatch": "null"},
             "SELECT substr(pk, 6)::int AS game, people FROM items WHERE pk ~ '^GAME#(0|[1-9][0-9]*)$' AND sk = '#METADATA#' || substr(pk, 6)"),
    "link": ("game int NOT NULL, username text NOT NULL, place int", {"pk": "GAME#${game}", "sk": "USER#${username}"},
             {"on_mismatch": "null"},
             "SELECT substr(pk, 6)::int AS game, substr(sk, 6) AS username, place FROM items"
             " WHERE pk ~ '^GAME#(0|[1-9][0-9]*)$' AND sk ~ '^USER#.'"),
    "reply": ("forum text NOT NULL, subject text NOT NULL, place int", {"pk": "${forum}/${subject:any}", "sk": "reply"}, {},
              "SELECT split_part(pk, '/', 1) AS forum, substr(pk, strpos(pk, '/') + 1) AS subject, place FROM items"
              " WHERE sk = 'reply' AND pk ~ '^[^/]+/.'"),
    "place": ("country text NOT NULL, city text OPTIONS (attribute 'gsi1_pk') NOT NULL, street text OPTIONS (attribute 'gsi1_pk') NOT NULL, id int NOT NULL",
              {"pk": "place#${id}", "sk": "place#${country:lower}#", "gsi1_pk": "${city}|${street:any}"}, {},
              "SELECT country, split_part(gsi1_pk, '|', 1) AS city, substr(gsi1_pk, strpos(gsi1_pk, '|') + 1) AS street, substr(pk, 7)::int AS id FROM items WHERE pk ~ '^place#[0-9]+$'"
              " AND (sk = 'place#' || lower(country) || '#' OR country ~ '[^A-Z]')"),
    "job": ("shard int NOT NULL, at text OPTIONS (attribute 'sk') COLLATE \"C\" NOT NULL, what text", {"pk": "shard#${shard:0..3}"}, {},
            "SELECT substr(pk, 7)::int AS shard, sk AS at, what FROM items WHERE pk ~ '^shard#[0-9]+$'"),
}


def items():
    """Entities of the kinds above, and items that are nearly one."""
    for company in ("acme", "beta", "a b", "ünï"):
        yield {"pk": f"company#{company}", "sk": "company#", "city": f"city of {company}"}
        for user in ("ann@x", "bob@y", "cy"):
            email = f"{user}.{company[0]}"
            yield {"pk": f"company#{company}", "sk": f"user#{email}", "name": f"N {email}", "gsi1_pk": f"user#{email}"}
        yield {"pk": f"company#{company}", "sk": "user#", "name": "nobody"}
        yield {"pk": f"company#{company}", "sk": "userx#y"}
    for n in range(1, 25):
        yield {"pk": f"CUST#c{n % 3}", "sk": f"ORDER#2024-{n % 12 + 1:02d}-{n:02d}#{n:05d}", "total": n}
    for sk in ("PROFILE", "ORDER#", "ORDER#2024-01-01", "ORDER#2024-01-01#"):
        yield {"pk": "CUST#c1", "sk": sk}
    yield {"pk": "CUST#c1#x", "sk": "ORDER#2024-01-01#00001", "total": 77}
    for user in ("ann", "bob"):
        yield {"pk": f"USER#{user}", "sk": f"#METADATA#{user}", "birth": 1990}
    yield {"pk": "USER#ann", "sk": "#METADATA#bob", "birth": 1991}
    for game in (1, 2, 30):
        yield {"pk": f"GAME#{game}", "sk": f"#METADATA#{game}", "people": game}
        for user in ("ann", "bob", "x y"):
            yield {"pk": f"GAME#{game}", "sk": f"USER#{user}", "place": game}
    yield {"pk": "GAME#007", "sk": "USER#ann", "place": 7}
    yield {"pk": "GAME#x", "sk": "#METADATA#x"}
    for forum, subject in (("db", "how"), ("db", "a/b"), ("web", "how"), ("d", "b/how")):
        yield {"pk": f"{forum}/{subject}", "sk": "reply", "place": len(subject)}
    for number, (country, city, street) in enumerate([("NO", "Oslo", "a|b"), ("SE", "Umeå", "c"), ("NO", "Bergen", "d"), ("ÅL", "X", "e")]):
        yield {"pk": f"place#{number}", "sk": f"place#{country.lower().replace('å', 'Å')}#", "country": country, "gsi1_pk": f"{city}|{street}"}
    yield {"pk": "place#9", "sk": "place#dk#", "country": "NO", "gsi1_pk": "Oslo|x"}
    for n in range(20):
        yield {"pk": f"shard#{n % 4}", "sk": f"2024-{n:02d}", "what": f"w{n}"}


REQUESTS = [
    ("an entity by its key", "SELECT * FROM company WHERE name = 'acme'", ["GetItem app {pk 'company#acme', sk 'company#'} get city, pk, sk"]),
    ("a literal as partition of an index", "SELECT * FROM company",
     ["Query app/inverted where sk = 'company#' AND begins_with(pk,'company#') get city, pk, sk"]),
    ("a partition", "SELECT * FROM app_user WHERE company = 'acme'",
     ["Query app where pk = 'company#acme' AND begins_with(sk,'user#') get name, pk, sk"]),
    ("both parts", "SELECT * FROM app_user WHERE company = 'acme' AND email = 'cy.a'",
     ["GetItem app {pk 'company#acme', sk 'user#cy.a'} get name, pk, sk"]),
    ("lists", "SELECT * FROM app_user WHERE company IN ('acme', 'beta', 'none') AND email = 'cy.a'",
     ["BatchGetItem app {pk 'company#acme', sk 'user#cy.a'} {pk 'company#beta', sk 'user#cy.a'} {pk 'company#none', sk 'user#cy.a'}"
      " get name, pk, sk"]),
    ("a prefix", "SELECT * FROM app_user WHERE company = 'acme' AND email LIKE 'ann%'",
     ["Query app where pk = 'company#acme' AND begins_with(sk,'user#ann') get name, pk, sk"]),
    ("an empty text", "SELECT * FROM app_user WHERE company = ''", []),
    ("NULL", "SELECT * FROM app_user WHERE company = NULL", []),
    ("a text with umlauts", "SELECT * FROM company WHERE name = 'ünï'", ["GetItem app {pk 'company#ünï', sk 'company#'} get city, pk, sk"]),
    ("leading parts", "SELECT * FROM orders WHERE customer = 'c1' AND day = '2024-05-04'",
     ["Query app where pk = 'CUST#c1' AND begins_with(sk,'ORDER#2024-05-04#') get pk, sk, total"]),
    ("a range", "SELECT * FROM orders WHERE customer = 'c1' AND day >= '2024-05-01' AND day < '2024-09-01'",
     ["Query app where pk = 'CUST#c1' AND sk BETWEEN 'ORDER#2024-05-01' AND 'ORDER#2024-09-01' get pk, sk, total"]),
    ("points, then a range", "SELECT * FROM orders WHERE customer = 'c1' AND day = '2024-05-04' AND n > 3",
     ["Query app where pk = 'CUST#c1' AND sk BETWEEN 'ORDER#2024-05-04#00004' AND 'ORDER#2024-05-04$' get pk, sk, total"]),
    ("a number that does not match", "SELECT * FROM orders WHERE customer = 'c1' AND day = '2024-05-04' AND n = 100000", []),
    ("the separator in a plain part", "SELECT * FROM orders WHERE customer = 'c1#x'", []),
    ("only the second part", "SELECT * FROM orders WHERE day = '2024-05-04' AND n = 4",
     ["Query app/inverted where sk = 'ORDER#2024-05-04#00004' AND begins_with(pk,'CUST#') get pk, sk, total"]),
    ("all parts agree", "SELECT * FROM player WHERE username = 'ann'", ["GetItem app {pk 'USER#ann', sk '#METADATA#ann'} get birth, pk, sk"]),
    ("an integer", "SELECT * FROM game WHERE game = 30", ["GetItem app {pk 'GAME#30', sk '#METADATA#30'} get people, pk, sk"]),
    ("the other direction", "SELECT * FROM link WHERE username = 'ann'",
     ["Query app/inverted where sk = 'USER#ann' AND begins_with(pk,'GAME#') get pk, place, sk"]),
    ("a many-to-many join", "SELECT l.*, p.birth FROM link l JOIN player p USING (username) WHERE l.game = 2",
     ["Query app where pk = 'GAME#2' AND begins_with(sk,'USER#') get pk, place, sk",
      "BatchGetItem app {pk 'USER#ann', sk '#METADATA#ann'} {pk 'USER#bob', sk '#METADATA#bob'} {pk 'USER#x y', sk '#METADATA#x y'}"
      " get birth, pk, sk"]),
    ("two columns in the partition key", "SELECT * FROM reply WHERE forum = 'db' AND subject = 'a/b'",
     ["GetItem app {pk 'db/a/b', sk 'reply'} get pk, place, sk"]),
    ("one of two columns", "SELECT * FROM reply WHERE forum = 'db'",
     ["Query app/inverted where sk = 'reply' AND begins_with(pk,'db/') get pk, place, sk"]),
    ("a separator in what is not any", "SELECT * FROM reply WHERE forum = 'db/a' AND subject = 'b'",
     ["GetItem app {pk 'db/a/b', sk 'reply'} get pk, place, sk"]),
    ("folded", "SELECT id FROM place WHERE id = 0 AND country = 'NO'",
     ["GetItem app {pk 'place#0', sk 'place#no#'} get country, pk, sk"]),
    ("folded, but not ASCII", "SELECT id FROM place WHERE id = 3 AND country = 'ÅL'",
     ["Query app where pk = 'place#3' AND begins_with(sk,'place#') filter country = 'ÅL' get country, pk, sk"]),
    ("an index by what is read from it", "SELECT id FROM place WHERE city = 'Oslo' AND street = 'a|b'",
     ["Query app/gsi1 where gsi1_pk = 'Oslo|a|b' AND begins_with(pk,'place#') filter begins_with(sk,'place#') get country, gsi1_pk, pk, sk"]),
    ("an enumeration", "SELECT count(what) FROM job WHERE at >= '2024-18'",
     [f"Query app where pk = 'shard#{n}' AND sk >= '2024-18' get pk, sk, what" for n in range(4)]),
    ("one of an enumeration", "SELECT count(what) FROM job WHERE shard = 2 AND at >= '2024-18'",
     ["Query app where pk = 'shard#2' AND sk >= '2024-18' get pk, sk, what"]),
]


@statements(REQUESTS)
class Templates(request_text.RequestTestCase):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"), [
            index("gsi1", ("gsi1_pk", "S"), ("pk", "S")), index("inverted", ("sk", "S"), ("pk", "S"))])
        cls.fx.put("app", items())
        cls.fx.execute("CREATE SCHEMA mirror")
        cls.fx.foreign_table("items", "pk text, sk text, city text, name text, gsi1_pk text, total int, birth int, people int, place int,"
                             " country text, what text", table_name=cls.fx.remote("app"))
        cls.fx.execute("CREATE TABLE mirror.items AS SELECT * FROM items")
        for name, (columns, templates, options, query) in ENTITIES.items():
            cls.fx.foreign_table(name, columns, table_name=cls.fx.remote("app"), key_templates=json.dumps(templates), **options)
            cls.fx.execute(f"SET search_path = mirror, public; CREATE TABLE mirror.{name} AS {query}; RESET search_path")

    def assertSame(self, sql):
        """The statement gives the rows of the local tables."""
        self.assertEqual(sorted(self.fx.rows(sql), key=repr), sorted(self.mirrored(sql), key=repr))

    def test_optional_parts(self):
        """Each part of a partition key may be left out: the key binds only if none is."""
        rows = set(self.fx.rows("SELECT forum, subject FROM reply"))
        self.fx.execute("SET plan_cache_mode = force_generic_plan;"
                        " PREPARE q (text, text) AS SELECT forum, subject FROM reply"
                        " WHERE ($1 IS NULL OR forum = $1) AND ($2 IS NULL OR subject = $2)")
        try:
            for forum in (None, "db", "web", "no"):
                for subject in (None, "how", "a/b", "no"):
                    expected = {row for row in rows if forum in (None, row[0]) and subject in (None, row[1])}
                    self.assertEqual(set(self.fx.rows("EXECUTE q (%s, %s)", (forum, subject))), expected)
        finally:
            self.fx.execute("DEALLOCATE q; RESET plan_cache_mode")

    def test_all_rows(self):
        """Every entity by Scan, counted, and each row by its key."""
        for name in ENTITIES:
            with self.subTest(name):
                rows = self.mirrored(f"SELECT * FROM {name}")
                self.assertTrue(rows)
                self.assertEqual(sorted(self.fx.rows(f"SELECT * FROM {name}"), key=repr), sorted(rows, key=repr))
                self.assertEqual(self.fx.value(f"SELECT count(*) FROM {name}"), len(rows))
                self.assertSame(f"SELECT b.* FROM {name} a JOIN mirror.{name} b USING ({self.columns(name)})")

    def columns(self, name):
        """The names of the columns."""
        return ", ".join(column for (column,) in self.fx.rows(
            f"SELECT attname FROM pg_attribute WHERE attrelid = '{name}'::regclass AND attnum > 0"))

    def test_by_each_key(self):
        """A row that a Scan finds is found by its key, one at a time and through a join."""
        for name, key in (("app_user", "company, email"), ("orders", "customer, day, n"), ("link", "game, username"),
                          ("reply", "forum, subject")):
            same = " AND ".join(f"r.{column} = l.{column}" for column in key.split(", "))
            with self.subTest(name):
                self.assertSame(f"SELECT w.* FROM mirror.{name} l, LATERAL (SELECT * FROM {name} r WHERE {same} OFFSET 0) w")

    def test_trusted(self):
        """Without trusted_indexes an index by another source may lack rows."""
        self.assertRequests("SELECT full_name FROM app_user WHERE email = 'cy.a' AND company <> 'x'",
                        ["Query app/inverted where sk = 'user#cy.a' AND begins_with(pk,'company#') get name, pk, sk"])
        columns, templates, _, _ = ENTITIES["app_user"]
        self.fx.foreign_table("only_gsi1", columns, table_name=self.fx.remote("other"), key_templates=json.dumps(templates),
                              trusted_indexes="gsi1")
        self.fx.foreign_table("untrusted", columns, table_name=self.fx.remote("other"), key_templates=json.dumps(templates))
        self.fx.create_table("other", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1_pk", "S"))])
        self.fx.put("other", [entity for entity in items() if entity["pk"].startswith("company#")] +
                    [{"pk": "company#acme", "sk": "user#not@indexed"}])
        sql = "SELECT email FROM {} WHERE email = 'cy.a'"
        self.assertEqual(self.texts(sql.format("only_gsi1")), ["Query other/gsi1 where gsi1_pk = 'user#cy.a' filter begins_with(pk,'company#') AND sk = 'user#cy.a' get pk, sk"])
        self.assertEqual(self.texts(sql.format("untrusted")),
                         ["Scan other filter begins_with(pk,'company#') AND sk = 'user#cy.a' get pk, sk"])
        self.assertEqual(self.fx.rows("SELECT email FROM untrusted WHERE email = 'not@indexed'"), [("not@indexed",)])
        self.assertIn('Hint: index "gsi1" could be used if it were in the table option trusted_indexes',
                      self.fx.explain("SELECT email FROM untrusted WHERE email = 'cy.a'"))
        self.assertNotIn("trusted_indexes", self.fx.explain("SELECT email FROM untrusted WHERE full_name = 'cy.a'"))
        self.advised_under_policies("untrusted")

    def test_untrusted_sort_key(self):
        """An index whose sort key repeats a column of the table's key may lack rows, too."""
        self.fx.create_table("cases", ("pk", "S"), ("sk", "S"), [index("by_state", ("gpk", "S"), ("gsk", "S"))])
        self.fx.put("cases", [{"pk": f"T#{t}", "sk": f"C#{n}", "gpk": f"S#{s}", "gsk": f"T#{t}"}
                              for n, (t, s) in enumerate([("a", "open"), ("b", "open"), ("b", "done")])])
        templates = {"pk": "T#${tenant}", "sk": "C#${no}", "gpk": "S#${state}", "gsk": "T#${tenant}"}
        advice = 'Hint: index "by_state" could be used if it were in the table option trusted_indexes'
        for name, nulls, more in (("cases", "NOT NULL", {}), ("nullable", "", {}), ("trusted", "NOT NULL", {"trusted_indexes": "by_state"})):
            columns = f"""tenant text COLLATE "C" {nulls}, no int, state text OPTIONS (attribute 'gpk') COLLATE "C" NOT NULL"""
            self.fx.foreign_table(name, columns, table_name=self.fx.remote("cases"), key_templates=json.dumps(templates), **more)
            sql = f"SELECT no FROM {name} WHERE state = 'open'"
            self.assertEqual(sorted(self.fx.rows(sql)), [(0,), (1,)])
            self.assertEqual([request.operation for request in self.fx.requests(sql)], ["Query" if more else "Scan"])
            (self.assertIn if name == "cases" else self.assertNotIn)(advice, self.fx.explain(sql))

    def advised_under_policies(self, table):
        """What EXPLAIN advises, messages about the Scan advise, too."""
        advice = (' Index "gsi1" could be used if it were in the table option trusted_indexes; add it only if the index contains every row.')
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy; RESET dynamo_fdw.max_read_units_per_statement")
        for policy, end in (("error", 'set scan_policy to "warn" or "allow".'), ("warn", 'set scan_policy to "allow" to silence this warning.')):
            self.fx.execute(f"SET dynamo_fdw.scan_policy = {policy}")
            for condition, more in (("email = 'cy.a'", advice), ("full_name = 'cy.a'", "")):
                sql = f"SELECT email FROM {table} WHERE {condition}"
                hint = self.fx.error(sql).hint if policy == "error" else self.fx.notices(sql)[0].partition("HINT:  ")[2]
                self.assertEqual(hint, f'Add a condition on "company" of foreign table "{table}", from which partition key "pk" is composed, to avoid the scan, or {end}{more}')

    def test_prepared(self):
        """Generic plans compose the key again."""
        self.fx.execute("PREPARE p AS SELECT email FROM app_user WHERE company = $1 AND email = $2")
        for _ in range(7):
            self.assertEqual(self.fx.rows("EXECUTE p ('acme', 'cy.a')"), [("cy.a",)])
            self.assertEqual(self.fx.rows("EXECUTE p ('beta', 'cy.a')"), [])
            self.assertEqual(self.fx.rows("EXECUTE p (NULL, 'cy.a')"), [])

    def test_statements(self):
        """Joins, aggregates, limits, subqueries."""
        for sql in ("SELECT c.city, count(u.email) FROM company c LEFT JOIN app_user u ON u.company = c.name GROUP BY 1",
                    "SELECT name FROM company c WHERE EXISTS (SELECT FROM app_user u WHERE u.company = c.name AND u.email LIKE 'ann%')",
                    "SELECT DISTINCT o.username FROM link me JOIN link o USING (game) WHERE me.username = 'ann' AND o.username <> 'ann'",
                    "SELECT customer, sum(total) FROM orders WHERE day > '2024-03-01' GROUP BY 1",
                    "SELECT g.game, (SELECT count(*) FROM link l WHERE l.game = g.game) FROM game g",
                    "SELECT count(*) FROM (SELECT FROM app_user WHERE company = 'acme' LIMIT 2) x",
                    "SELECT max(day), min(n) FROM orders WHERE customer = 'c2'",
                    "SELECT day FROM orders WHERE customer = 'c2' ORDER BY day DESC LIMIT 3",
                    "SELECT username FROM player WHERE username IN (SELECT username FROM link WHERE game = 1)",
                    "SELECT country, id FROM place WHERE lower(country) = 'no'",
                    "SELECT * FROM app_user WHERE company = 'acme' OR email = 'cy.b'",
                    "SELECT * FROM orders WHERE (customer = 'c1' AND n = 4) OR (customer = 'c2' AND n = 5)",
                    "SELECT * FROM game WHERE game IS NULL", "SELECT count(*) FROM game WHERE game IS NOT NULL",
                    "SELECT * FROM game WHERE game <> 2", "SELECT * FROM game WHERE game NOT IN (1, 2)",
                    "SELECT a.game FROM game a JOIN game b ON a.game = b.people", "SELECT * FROM link WHERE game = place"):
            with self.subTest(sql):
                self.assertSame(sql)

    def test_ambiguous(self):
        """A text that matches only if an undecided placeholder holds its separator is an error, unless the template decides."""
        self.fx.create_table("orders_of", ("pk", "S"))
        self.fx.put("orders_of", [{"pk": pk, "n": n} for n, pk in enumerate(["ORDER#1", "ORDER#1#ITEM#2", "ORDER#", "OTHER#1"])])
        table = self.fx.remote("orders_of")
        for name, spec in (("undecided", ""), ("plain", ":plain"), ("anything", ":any")):
            self.fx.foreign_table(name, "id text NOT NULL, n int", table_name=table, key_templates=json.dumps({"pk": f"ORDER#${{id{spec}}}"}))
        error = self.fx.error("SELECT * FROM undecided")
        self.assertEqual((error.sqlstate, error.message),
                         ("HV004", 'ambiguous key: attribute "pk" of foreign table "undecided" matches its template in several ways'))
        self.assertIn("ORDER#1#ITEM#2", error.detail)
        self.assertIn("${column:plain}", error.hint)
        self.assertEqual(self.fx.error("SELECT n FROM undecided WHERE id = '1#ITEM#2'").sqlstate, "HV004")
        self.assertEqual(self.fx.rows("SELECT * FROM undecided WHERE id = '1'"), [("1", 0)])
        self.assertEqual(self.fx.rows("SELECT * FROM plain"), [("1", 0)])
        self.assertEqual(self.texts("SELECT * FROM plain WHERE id = '1#ITEM#2'"), [])
        self.assertEqual(sorted(self.fx.rows("SELECT * FROM anything")), [("1", 0), ("1#ITEM#2", 1)])
        self.assertEqual(self.fx.rows("SELECT n FROM anything WHERE id = '1#ITEM#2'"), [(1,)])

    def test_type_mismatch(self):
        """A part of the key that is no value of its column is an error of each statement that meets it; with 'null' the item is no row."""
        templates = json.dumps({"pk": "GAME#${game}", "sk": "USER#${username}"})
        self.fx.foreign_table("strict", "game int NOT NULL, username text NOT NULL", table_name=self.fx.remote("app"), key_templates=templates)
        error = self.fx.error("SELECT * FROM strict")
        self.assertEqual(error.sqlstate, "HV004")
        self.assertIn("item pk = 'GAME#007', sk = 'USER#ann'", error.detail.replace('"', "'"))
        self.assertEqual(self.fx.error("SELECT count(*) FROM strict").sqlstate, "HV004")
        self.assertEqual(self.fx.value("SELECT count(*) FROM strict WHERE game = 1"), 3)
        self.assertEqual(self.fx.value("SELECT count(*) FROM link"), 9)

    def test_unique(self):
        """All columns of the key's templates are a unique key."""
        sql = "SELECT u.full_name FROM link l LEFT JOIN app_user u ON u.company = l.username"
        self.assertIn("Inner Unique: true", self.fx.explain(sql + " AND u.email = l.username", "VERBOSE"))
        self.assertNotIn("Inner Unique: true", self.fx.explain(sql, "VERBOSE"))

    def test_explain(self):
        """The key is shown as the template with values in place."""
        plan = self.fx.explain("SELECT total FROM orders WHERE customer = 'c1' AND day > '2024-03-01'")
        self.assertIn("Key Condition: pk = CUST#c1 AND sk begins_with ORDER#${day}# AND day > '2024-03-01'::date", plan)
        self.assertIn("Item Filter: pk = CUST#${customer} AND sk = ORDER#${day}#${n}", plan)
        plan = self.fx.explain("SELECT p.birth FROM link l JOIN player p USING (username) WHERE l.game = 2")
        self.assertIn("pk = USER#${username = $0} AND sk = #METADATA#${username = $0}", plan)
        plan = self.fx.explain("SELECT total FROM orders WHERE day > '2024-03-01' AND day < '2024-04-01'")
        self.assertIn("sk begins_with ORDER#${day}# AND day > '2024-03-01'::date AND day < '2024-04-01'::date", plan)
        plan = self.fx.explain("SELECT city FROM company WHERE name IN ('acme', 'beta')")
        self.assertIn("Key Condition: pk = company#${name} AND name = ANY '{acme,beta}'::text[] AND sk = company#", plan)

    def test_analyze(self):
        """Rows of the entity are counted, and columns get statistics."""
        self.fx.execute("ANALYZE orders")
        self.assertEqual(self.fx.value("SELECT reltuples FROM pg_class WHERE oid = 'orders'::regclass"), 24)
        self.assertTrue(self.fx.rows("SELECT 1 FROM pg_stats WHERE tablename = 'orders' AND attname = 'customer'"))

    def test_wrong_templates(self):
        """Syntax is checked when the option is set, columns when the table is used first."""
        for value, hint in (("{", "The value must be a JSON object"), ("{}", "The object must have"), ('{"a": 1}', "The template of an attribute must be a string"),
                            ('{"pk": "x", "pk": "y"}', "duplicate object key"), ('{"pk": "a${"}', 'The template of "pk" is not valid'),
                            ('{"pk": "${a}${b}"}', None), ('{"pk": "${a:0..}"}', "at character")):
            with self.subTest(value):
                sql = "CREATE FOREIGN TABLE wrong (pk text) SERVER ddb OPTIONS (key_templates %s)"
                if hint is None:
                    self.fx.execute(sql, (value,))
                    self.fx.execute("DROP FOREIGN TABLE wrong")
                    continue
                error = self.fx.error(sql, (value,))
                self.assertEqual(error.sqlstate, "22023")
                self.assertIn(hint, error.hint)

    def test_invalid_templates(self):
        """Errors at the first use name the column, and the remedy."""
        for columns, templates, detail, hint in (
                ("nme text", {"pk": "c#${name}"}, 'foreign table has no column "name"', '"nme"'),
                ("name text", {"gsi1_pk": "c#${name}"}, "The template uses column", "option \"attribute\""),
                ("at timestamptz", {"pk": "c#${at}"}, "a unique encoding", "iso8601(3)"),
                ("a text, b text", {"pk": "${a}${b}"}, "not valid", None),
                ("a numeric", {"pk": "a#${a}"}, "a unique encoding", "padded(10)"),
                ("a text", {"pk": "a#${a:0..9}"}, "does not have an integer type", None),
                ("a int", {"pk": "a#${a:plain}"}, "not valid", None),
                ("a date", {"pk": "a#${a:lower}", "sk": "${a}"}, "no letters", None),
                ("a date OPTIONS (format 'epoch_days')", {"pk": "a#${a}"}, "a unique encoding", None),
                ("a text", {"pk": "a#${a:nonsense}"}, '"nonsense" is not a valid modifier', "Valid modifiers of a placeholder are plain, any, lower, upper"),
                ("a int", {"pk": "a#${a:padded(x)}"}, "not a valid modifier", "argument of padded(n)"),
                ("email text", {"pk": "a", "sK": "u#${email}"}, "The attribute is not a key attribute. Its template uses",
                 'The key attributes are "pk", "sk", "gsi1_pk"; perhaps you meant "sk". Otherwise set the column option "attribute"'),
                ("email text", {"pk": "a", "other": "u#${email}"}, "The attribute is not a key attribute. Its template uses",
                 'The key attributes are "pk", "sk", "gsi1_pk". Otherwise set the column option "attribute"')):
            with self.subTest(templates):
                self.fx.foreign_table("wrong", columns, table_name=self.fx.remote("app"), key_templates=json.dumps(templates))
                error = self.fx.error("SELECT * FROM wrong")
                self.assertEqual(error.sqlstate, "HV024")
                self.assertIn(detail, error.detail)
                if hint is not None:
                    self.assertIn(hint, error.hint)
                self.fx.execute("DROP FOREIGN TABLE wrong")

    def test_renamed_column(self):
        """A template names columns: a renamed or dropped one is an error, and not NULL."""
        self.fx.foreign_table("renamed", "name text NOT NULL, city text", table_name=self.fx.remote("app"),
                              key_templates=json.dumps({"pk": "company#${name}", "sk": "company#"}))
        self.assertEqual(self.fx.value("SELECT city FROM renamed WHERE name = 'acme'"), "city of acme")
        self.fx.execute("ALTER FOREIGN TABLE renamed RENAME COLUMN name TO company")
        self.assertEqual(self.fx.error("SELECT * FROM renamed").sqlstate, "HV024")
        self.fx.execute("ALTER FOREIGN TABLE renamed OPTIONS (SET key_templates '%s')" % json.dumps({"pk": "company#${company}", "sk": "company#"}))
        self.assertEqual(self.fx.value("SELECT city FROM renamed WHERE company = 'acme'"), "city of acme")
