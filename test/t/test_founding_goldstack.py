"""The reads of Goldstack's articles on single-table design which need no key templates: key and value, sort keys, a second index, entities by
a tag."""
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
     ["Scan people filter dob >= '1990-01-01' AND dob <= '1990-12-31' get dob, name"]),
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
    ("G-23", "SELECT pk, created FROM toolbox_user", ["Scan app filter _et = 'User' get _ct, _et, pk"]),
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
        fx.foreign_table("toolbox_user", user, match='{"_et": "User"}', **app)
        fx.foreign_table("toolbox_user2", user + " NOT NULL", match='{"_et": "User"}', **app)
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
        self.assertIn(f'reading the whole DynamoDB table "{self.fx.remote("people")}"', warning)
        self.assertIn('Restrict the partition key "email"', warning)

    def test_G_7_index(self):
        """The index lacks items without dob: it answers only where the condition leaves these out."""
        self.fx.execute("SET enable_sort = off")
        self.addCleanup(self.fx.execute, "RESET enable_sort")
        self.assertAsks("SELECT full_name FROM people WHERE email = 'joe@email.com' AND dob >= '1990' ORDER BY dob",
                        ["Query people/by_dob where email = 'joe@email.com' AND dob >= '1990' get dob, name"])
        self.assertAsks("SELECT full_name FROM people WHERE email = 'joe@email.com' ORDER BY dob", ["Query people where email = 'joe@email.com' get dob, name"])

    def test_G_20(self):
        """An index that a migration adds is used when it is ready, and not before."""
        fake = self.fx.fake("fake")
        self.addCleanup(fake.stop)
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE migrated")
        for status, operation in (("CREATING", "Scan"), ("ACTIVE", "Query")):
            fake.table("migrated", ("pk", "S"), None, [scripted_index("gsi1", ("gsi1_partitionKey", "S"), status=status)],
                       [item({"pk": f"p{n}", "gsi1_partitionKey": f"user#{n}"}) for n in range(3)])
            self.fx.execute("SELECT dynamo_fdw_disconnect()")
            self.fx.foreign_table("migrated", "pk text NOT NULL, owner text OPTIONS (attribute 'gsi1_partitionKey')", server="fake", scan_policy="allow")
            self.assertIn(f"Operation: {operation}", self.fx.explain("SELECT pk FROM migrated WHERE owner = 'user#1'"))

    def test_G_22(self):
        """The tables of an emulator are listed."""
        names = {name for name, *_ in self.fx.rows("SELECT * FROM dynamo_fdw_tables('ddb')")}
        self.assertLessEqual({self.fx.remote(name) for name in ("pairs", "people", "words", "app")}, names)
