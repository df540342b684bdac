"""The reads of Goldstack's articles on single-table design: key and value, sort keys, a second index; entities by a tag, and by their keys."""
import request_text
from dynamo import index, item
from request_text import statements
from tables import index as scripted_index

PEOPLE = [{"email": f"{name}@email.com", "newsletterSubscribed": str(name < "m").lower(), "name": name.title(), "dob": born}
          for name, born in (("joe", "1990-02-01"), ("jane", "2021-01-31"), ("mia", "1985-12-24"), ("zoe", "1990-11-30"))] + \
    [{"email": "joe@email.com", "newsletterSubscribed": "false", "name": "Joe, once more"},
     {"email": "amy@email.com", "newsletterSubscribed": "true", "address": {"city": "Oslo"}, "tags": {"new"}}]
WORDS = [{"pk": "list", "sk": f"{letter}{n}", "v": n} for letter in "abc" for n in range(4)]
ENTITIES = [{"pk": f"{name}@email.com", "sk": role, "_et": entity, "_ct": f"2021-05-0{n}T10:00:00.123Z", "_md": f"2021-06-0{n}T00:00:00.000Z", "name": name.title(),
             "emailVerified": n % 2 == 0} for n, (name, role, entity) in enumerate(
                 [("joe", "admin", "User"), ("jane", "admin", "User"), ("joe", "team", "Membership"), ("mia", "guest", "User")], 1)] + \
    [{"pk": "#MIGRATIONS", "sk": "0001", "name": "first"}, {"pk": "#DUMMY", "sk": "#DUMMY"}]

READS = [
    ("G-1", "SELECT * FROM pairs WHERE email = 'joe@email.com'", ["GetItem pairs {email 'joe@email.com'} get email, name"]),
    ("G-2", "SELECT full_name, others FROM people WHERE email = 'amy@email.com' AND subscribed", ["GetItem people {email 'amy@email.com', newsletterSubscribed 'true'} get *"]),
    ("G-2 of all", "SELECT email, full_name, others FROM people", ["Scan people get *"]),
    ("G-3", "SELECT full_name FROM people WHERE dob BETWEEN '1990-01-01' AND '1990-12-31'",
     ["Scan people filter dob >= '1990-01-01' AND dob <= '1990-12-31' get dob, email, name, newsletterSubscribed"]),
    ("G-5", "SELECT full_name FROM people WHERE email = 'joe@email.com' AND subscribed",
     ["GetItem people {email 'joe@email.com', newsletterSubscribed 'true'} get name"]),
    ("G-5 not", "SELECT full_name FROM people WHERE email = 'joe@email.com' AND NOT subscribed",
     ["GetItem people {email 'joe@email.com', newsletterSubscribed 'false'} get name"]),
    ("G-5 both", "SELECT subscribed, full_name FROM people WHERE email = 'joe@email.com'",
     ["Query people where email = 'joe@email.com' get name, newsletterSubscribed"]),
    ("G-6 begins_with", "SELECT v FROM words WHERE pk = 'list' AND sk LIKE 'b%'", ["Query words where pk = 'list' AND begins_with(sk,'b') get sk, v"]),
    ("G-6 starts_with", "SELECT v FROM words WHERE pk = 'list' AND starts_with(sk, 'b')", ["Query words where pk = 'list' AND begins_with(sk,'b') get sk, v"]),
    ("G-6 caret", "SELECT v FROM words WHERE pk = 'list' AND sk ^@ 'b'", ["Query words where pk = 'list' AND begins_with(sk,'b') get sk, v"]),
    ("G-6 between", "SELECT v FROM words WHERE pk = 'list' AND sk BETWEEN 'a2' AND 'b1'", ["Query words where pk = 'list' AND sk BETWEEN 'a2' AND 'b1' get sk, v"]),
    ("G-6 less", "SELECT v FROM words WHERE pk = 'list' AND sk < 'a2'", ["Query words where pk = 'list' AND sk < 'a2' get sk, v"]),
    ("G-6 greater", "SELECT v FROM words WHERE pk = 'list' AND sk > 'c1'", ["Query words where pk = 'list' AND sk > 'c1' get sk, v"]),
    ("G-6 of another collation", "SELECT v FROM other_words WHERE pk = 'list' AND sk > 'c1'", ["Query words where pk = 'list' get sk, v"]),
    ("G-7", "SELECT full_name FROM people WHERE email = 'joe@email.com' AND dob >= '1990'",
     ["Query people where email = 'joe@email.com' filter dob >= '1990' get dob, name"]),
    ("G-23", "SELECT pk, created FROM toolbox_user", ["Scan app filter _et = 'User' get _ct, _et, pk, sk"]),
    ("G-23 in a query", "SELECT sk FROM toolbox_user WHERE pk = 'joe@email.com'", ["Query app where pk = 'joe@email.com' filter _et = 'User' get _et, sk"]),
    ("G-23 by the key", "SELECT name FROM toolbox_user WHERE pk = 'joe@email.com' AND sk = 'team'",
     ["GetItem app {pk 'joe@email.com', sk 'team'} get _et, name"]),
    ("G-23 by the tag", "SELECT name FROM toolbox_user2 WHERE modified > '2021-06-01'", ["Query app/by_tag where _et = 'User' AND _md > '2021-06-01T00:00:00.000Z' get _et, _md, name"]),
    ("G-25", "SELECT name, pk FROM toolbox_user WHERE pk = 'jane@email.com' AND sk = 'admin'",
     ["GetItem app {pk 'jane@email.com', sk 'admin'} get _et, name, pk"]),
    ("G-27", "SELECT v FROM unsorted WHERE pk = 'list' AND v > 2", ["Query words where pk = 'list' filter v > 2 get v"]),
    ("G-27 in order", "SELECT v FROM unsorted WHERE pk IN ('list', 'none') ORDER BY v",
     ["Query words where pk = 'list' get pk, v", "Query words where pk = 'none' get pk, v"]),
]

BIO = "x" * 2000
COMPANIES = [{"pk": f"company#c{c}", "sk": "company#", "city": ["Oslo", "Bergen"][c % 2]} for c in range(30)] + \
    [{"pk": f"company#c{c}", "sk": f"user#u{n}@c{c}", "gsi1_partitionKey": f"user#u{n}@c{c}", "name": f"User {n}", "bio": BIO} for c in range(30) for n in range(5)] + \
    [{"pk": "#MIGRATIONS", "sk": "0001"}, {"pk": "#DUMMY", "sk": "#DUMMY"}, {"pk": "company#c1", "sk": "user#"}]
LINKS = [(c, u) for c in range(12) for u in range(30) if (c * 7 + u) % 9 == 0]
NETWORK = [{"pk": f"user#u{u}", "sk": "user#", "name": f"User {u}", "bio": BIO} for u in range(200)] + \
    [item for c, u in LINKS for joined in [f"2021-0{c % 9 + 1}-01T10:00:00Z"]
     for item in ({"pk": f"company#c{c}", "sk": f"user#u{u}", "joinedAt": joined}, {"pk": f"user#u{u}", "sk": f"company#c{c}", "joinedAt": joined})]
FLAGS = [{"pk": f"{str(n % 2 == 0).lower()}#jane{n}@mail.org", "name": f"Jane {n}", "bio": BIO} for n in range(40)]
TEMPLATED = [
    ("G-4", "SELECT name FROM subscriber WHERE NOT subscribed AND email = 'jane3@mail.org'", ["GetItem flags {pk 'false#jane3@mail.org'} get name, pk"]),
    ("G-4 one part", "SELECT name FROM subscriber WHERE NOT subscribed", ["Scan flags filter begins_with(pk,'false#') get name, pk"]),
    ("G-8", "SELECT * FROM app_user WHERE company = 'c1'", ["Query company where pk = 'company#c1' AND begins_with(sk,'user#') get name, pk, sk"]),
    ("G-9", "SELECT * FROM company WHERE name = 'c1'", ["GetItem company {pk 'company#c1', sk 'company#'} get city, pk, sk"]),
    ("G-10", "SELECT c.city, u.email FROM company c JOIN app_user u ON u.company = c.name WHERE c.name = 'c1'",
     ["GetItem company {pk 'company#c1', sk 'company#'} get city, pk, sk", "Query company where pk = 'company#c1' AND begins_with(sk,'user#') get pk, sk"]),
    ("G-11", "SELECT email FROM app_user", ["Scan company filter begins_with(pk,'company#') AND begins_with(sk,'user#') get pk, sk"]),
    ("G-12", "SELECT email FROM app_user WHERE company LIKE 'c1%'",
     ["Scan company filter begins_with(pk,'company#c1') AND begins_with(sk,'user#') get pk, sk"]),
    ("G-13", "SELECT company, full_name FROM app_user WHERE email = 'u2@c4'",
     ["Query company/gsi1 where gsi1_partitionKey = 'user#u2@c4' filter begins_with(pk,'company#') AND sk = 'user#u2@c4' get name, pk, sk"]),
    ("G-13 without trusted_indexes", "SELECT company FROM app_user2 WHERE email = 'u2@c4'",
     ["Scan company filter begins_with(pk,'company#') AND sk = 'user#u2@c4' get pk, sk"]),
    ("G-14", "SELECT p.full_name FROM company_user JOIN person p USING (email) WHERE company = 'c3'",
     ["Query network where pk = 'company#c3' AND begins_with(sk,'user#') get pk, sk",
      "BatchGetItem network " + " ".join(sorted(f"{{pk 'user#u{u}', sk 'user#'}}" for c, u in LINKS if c == 3)) + " get name, pk, sk"]),
    ("G-15", "SELECT company FROM user_company WHERE email = 'u3'", ["Query network where pk = 'user#u3' AND begins_with(sk,'company#') get pk, sk"]),
    ("G-16", "SELECT company, joined_at FROM user_company WHERE email = 'u3'",
     ["Query network where pk = 'user#u3' AND begins_with(sk,'company#') get joinedAt, pk, sk"]),
]


@statements(TEMPLATED)
class Templates(request_text.RequestTestCase):
    """The entities that share a table, distinguished by the texts of their keys."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("company", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1_partitionKey", "S"))])
        fx.create_table("network", ("pk", "S"), ("sk", "S"))
        fx.create_table("flags", ("pk", "S"))
        for name, items in (("company", COMPANIES), ("network", NETWORK), ("flags", FLAGS)):
            fx.put(name, items)
        user = "company text NOT NULL, email text NOT NULL, full_name text OPTIONS (attribute 'name')"
        users = '{"pk": "company#${company}", "sk": "user#${email}", "gsi1_partitionKey": "user#${email}"}'
        link = "company text NOT NULL, email text NOT NULL, joined_at timestamptz OPTIONS (attribute 'joinedAt', format 'iso8601')"
        tables = {"company": ("company", "name text NOT NULL, city text", '{"pk": "company#${name}", "sk": "company#"}', {}),
                  "app_user": ("company", user, users, {"trusted_indexes": "gsi1"}), "app_user2": ("company", user, users, {}),
                  "person": ("network", "email text NOT NULL, full_name text OPTIONS (attribute 'name')", '{"pk": "user#${email}", "sk": "user#"}', {}),
                  "company_user": ("network", link, '{"pk": "company#${company}", "sk": "user#${email}"}', {}),
                  "user_company": ("network", link, '{"pk": "user#${email}", "sk": "company#${company}"}', {}),
                  "subscriber": ("flags", "subscribed boolean NOT NULL, email text NOT NULL, name text", '{"pk": "${subscribed}#${email}"}', {})}
        for name, (remote, columns, templates, more) in tables.items():
            fx.foreign_table(name, columns, table_name=fx.remote(remote), key_templates=templates, scan_policy="allow", **more)
        cls.mirror(*tables)

    def test_G_18(self):
        """Beyond the templates nothing is declared, and each item is one entity's."""
        self.assertEqual([self.fx.value(f"SELECT count(*) FROM {name}") for name in ("company", "app_user", "app_user2", "person", "company_user", "user_company")],
                         [30, 150, 150, 200, len(LINKS), len(LINKS)])
        self.assertEqual(self.fx.rows("SELECT * FROM company_user EXCEPT SELECT * FROM user_company"), [])

    def test_G_10_analyzed(self):
        """A company and its users are one Query, once the partition is known to be short: 1.5 units, and 2 for both apart."""
        for name, columns, templates in (("known_company", "name text NOT NULL, city text", '{"pk": "company#${name}", "sk": "company#"}'),
                                         ("known_user", "company text NOT NULL, email text NOT NULL", '{"pk": "company#${company}", "sk": "user#${email}"}')):
            self.fx.foreign_table(name, columns, table_name=self.fx.remote("company"), key_templates=templates, scan_policy="allow")
        self.mirror("known_company", "known_user")
        self.fx.execute("ANALYZE known_company, known_user")
        self.assertRequests("SELECT c.city, u.email FROM known_company c JOIN known_user u ON u.company = c.name WHERE c.name = 'c1'",
                        ["Query company where pk = 'company#c1' get city, pk, sk"])

    def test_G_19(self):
        """Migrations, and an item whose e-mail is empty, are no rows of any table."""
        for name in ("company", "app_user"):
            self.assertEqual(self.fx.rows(f"SELECT * FROM {name} WHERE {'name' if name == 'company' else 'email'} IN ('', '#MIGRATIONS', '0001', '#DUMMY')"), [])
        self.assertEqual(self.fx.value("SELECT count(*) FROM app_user WHERE company = 'c1'"), 5)


@statements(READS)
class Goldstack(request_text.RequestTestCase):
    """The reads, by the numbers of the texts' statements."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("pairs", ("email", "S"))
        fx.create_table("people", ("email", "S"), ("newsletterSubscribed", "S"), [index("by_dob", ("email", "S"), ("dob", "S"))])
        fx.create_table("words", ("pk", "S"), ("sk", "S"))
        fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("by_tag", ("_et", "S"), ("_md", "S"))])
        fx.put("pairs", [{"email": one["email"], "name": one.get("name", "?")} for one in PEOPLE if one["newsletterSubscribed"] == "true"])
        for name, items in (("people", PEOPLE), ("words", WORDS), ("app", ENTITIES)):
            fx.put(name, items)
        words, app = ({"scan_policy": "allow", "table_name": fx.remote(name)} for name in ("words", "app"))
        fx.foreign_table("pairs", "email text NOT NULL, name text")
        fx.foreign_table("people", "email text NOT NULL, subscribed boolean NOT NULL, full_name text, dob text COLLATE \"C\", others jsonb", scan_policy="allow")
        fx.execute("ALTER FOREIGN TABLE people ALTER subscribed OPTIONS (attribute 'newsletterSubscribed', format 'bool(true,false)'),"
                   " ALTER full_name OPTIONS (attribute 'name'), ALTER others OPTIONS (document 'rest')")
        fx.foreign_table("words", 'pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, v int', **words)
        fx.foreign_table("other_words", 'pk text NOT NULL, sk text COLLATE "und-x-icu" NOT NULL, v int', **words)
        fx.foreign_table("unsorted", "pk text NOT NULL, v int", **words)
        user = "pk text NOT NULL, sk text NOT NULL, name text, email_verified boolean OPTIONS (attribute 'emailVerified')," \
            " created timestamptz OPTIONS (attribute '_ct', format 'iso8601(3)'), modified timestamptz OPTIONS (attribute '_md', format 'iso8601(3)')"
        fx.foreign_table("toolbox_user", user, item_filter='{"_et": "User"}', **app)
        fx.foreign_table("toolbox_user2", user + " NOT NULL", item_filter='{"_et": "User"}', **app)
        cls.mirror("pairs", "people", "words", "other_words", "unsorted", "toolbox_user", "toolbox_user2")

    def test_rows(self):
        """What some of the statements above are to give."""
        self.assertEqual(self.fx.rows("SELECT full_name, others FROM people WHERE email = 'amy@email.com'"), [(None, {"address": {"city": "Oslo"}, "tags": ["new"]})])
        self.assertEqual(sorted(self.fx.rows("SELECT pk, sk FROM toolbox_user")),
                         [("jane@email.com", "admin"), ("joe@email.com", "admin"), ("mia@email.com", "guest")])
        self.assertEqual(self.fx.rows("SELECT sum(v), count(*) FROM unsorted"), [(18, 12)])

    def test_G_3_warning(self):
        """The warning names what the statement reads, and what would spare it."""
        self.fx.execute("ALTER FOREIGN TABLE people OPTIONS (SET scan_policy 'warn')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE people OPTIONS (SET scan_policy 'allow')")
        [warning] = self.fx.notices("SELECT full_name FROM people WHERE dob BETWEEN '1990-01-01' AND '1990-12-31'")
        self.assertIn(f'full scan of DynamoDB table "{self.fx.remote("people")}"', warning)
        self.assertIn('Add a condition on partition key "email"', warning)

    def test_G_7_index(self):
        """The index lacks items without dob: it is used only where the condition leaves these out."""
        self.fx.execute("SET enable_sort = off")
        self.addCleanup(self.fx.execute, "RESET enable_sort")
        self.assertRequests("SELECT full_name FROM people WHERE email = 'joe@email.com' AND dob >= '1990' ORDER BY dob",
                        ["Query people/by_dob where email = 'joe@email.com' AND dob >= '1990' get dob, name"])
        self.assertRequests("SELECT full_name FROM people WHERE email = 'joe@email.com' ORDER BY dob", ["Query people where email = 'joe@email.com' get dob, name"])

    def test_G_20(self):
        """An index that a migration adds is used when it is ready, and not before."""
        fake = self.fx.fake("fake")
        self.addCleanup(fake.stop)
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE migrated")
        for status, operation in (("CREATING", "Scan"), ("ACTIVE", "Query")):
            fake.table("migrated", ("pk", "S"), None, [scripted_index("gsi1", ("gsi1_partitionKey", "S"), status=status)],
                       [item({"pk": f"p{n}", "gsi1_partitionKey": f"user#{n}"}) for n in range(3)])
            self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
            self.fx.foreign_table("migrated", "pk text NOT NULL, owner text OPTIONS (attribute 'gsi1_partitionKey')", server="fake", scan_policy="allow")
            self.assertIn(f"Operation: {operation}", self.fx.explain("SELECT pk FROM migrated WHERE owner = 'user#1'"))

    def test_G_22(self):
        """The tables of an emulator are listed."""
        names = {name for name, *_ in self.fx.rows("SELECT * FROM dynamo_fdw_tables('ddb')")}
        self.assertLessEqual({self.fx.remote(name) for name in ("pairs", "people", "words", "app")}, names)
