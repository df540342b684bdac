"""The tables and reads of Dynamoid's README of 2012, as release 0.4 wrote them: associations are sets of ids on the side that declares them,
indexes are tables. Their ids are shown as arrays."""
import time
from decimal import Decimal

import fixture
import replies
import request_text
import shop
from dynamo import index, item
from request_text import statements

NOW = int(time.time())
MAGAZINES = [{"title": "X", "size": Decimal("12345678901234567890123456789012345678"), "subscriptions_ids": {f"s{n:03}" for n in range(110)} | {"gone"}, "owner_ids": {"u1"}},
             {"title": "Y", "size": 4.5, "subscriptions_ids": {"s200"}, "legacy": "kept"}, {"title": "Z", "tags": ["a", 1]}]
SUBSCRIPTIONS = [{"id": f"s{n:03}", "length": n % 12, "magazine_ids": {"X"}, "users_ids": {f"u{n % 3}", f"u{n % 4}"},
                  "created_at": Decimal(NOW - 3600 * n) + Decimal("0.123456789"), "updated_at": NOW - n} for n in range(110)] + \
    [{"id": "s200", "length": 7, "magazine_ids": {"Y"}, "created_at": NOW - 10 ** 7}]
USERS = [{"id": f"u{n}", "name": name, "city": city, "email": f"{name}@mail.org".lower(), "students_ids": students, "joined_at": f"2012-0{n + 1}-01T10:00:00+00:00",
          "options": "---\n:a: 1\n", "settings": '{"a": {"b": 1}}', "magazine_title": "X" if n % 2 else "Y", "visits": {1, 2, 3}} for n, (name, city, students) in enumerate(
              [("Josh", "Chicago", {"u1", "u2"}), ("Nick", "Boston", {"u3"}), ("Josh", "Chicago", {"u0", "lost"}), ("Ann", "Oslo", {"u1"})])]
# A number for which reading them all for a few never pays.
MAGAZINES += [{"title": f"other {n}", "filler": "x" * 3000} for n in range(240)]
USERS += [{"id": f"other {n}", "name": "Other", "filler": "x" * 3000} for n in range(240)]
NAMES = [{"id": "Josh", "ids": {"u0", "u2"}}, {"id": "Nick", "ids": {"u1"}}, {"id": "josh@mail.org.Josh", "ids": {"u0"}}]
JOINED = [{"id": "Josh", "range": Decimal(f"{NOW - 100 * n}.5"), "ids": {f"u{n}"}} for n in range(4)]
EVENTS = [{"owner": f"o{o}", "at": NOW - 3600 * n, "kind": f"k{n % 3}", "n": n} for o in range(2) for n in range(48)]

READS = [
    ("D-1", "SELECT title FROM magazine WHERE title = 'X'", ["GetItem magazines {title 'X'} get title"]),
    ("D-4", "SELECT size FROM magazine WHERE title = 'X'", ["GetItem magazines {title 'X'} get size"]),
    ("D-5", "SELECT visits, students_ids @> '{u1}' FROM people WHERE id = 'u0'", ["GetItem users {id 'u0'} get students_ids, visits"]),
    ("D-6", "SELECT title, tags FROM magazine WHERE title IN ('Y', 'Z')", ["BatchGetItem magazines {title 'Y'} {title 'Z'} get tags, title"]),
    ("D-7", "SELECT created_at, joined_at FROM subscription, people WHERE subscription.id = 's001' AND people.id = 'u1'",
     ["GetItem subscriptions {id 's001'} get created_at", "GetItem users {id 'u1'} get joined_at"]),
    ("D-8", "SELECT options, settings -> 'a' ->> 'b' FROM people WHERE id = 'u0'", ["GetItem users {id 'u0'} get options, settings"]),
    ("D-10", "SELECT title, others FROM magazine WHERE title = 'Y'", ["GetItem magazines {title 'Y'} get *"]),
    ("D-10 not requested", "SELECT title, tags FROM magazine WHERE title = 'Y'", ["GetItem magazines {title 'Y'} get tags, title"]),
    ("D-11", "SELECT u.* FROM user_name_index i JOIN people u ON u.id = ANY (i.ids) WHERE i.value = 'Josh'",
     ["BatchGetItem users {id 'u0'} {id 'u2'} get city, email, id, joined_at, magazine_title, name, options, settings, students_ids, visits",
      "GetItem index_user_names {id 'Josh'} get ids"]),
    ("D-11 by elements", "SELECT u.name FROM name_entry i JOIN people u ON u.id = i.user_id WHERE i.value = 'Josh'",
     ["BatchGetItem users {id 'u0'} {id 'u2'} get id, name", "GetItem index_user_names {id 'Josh'} get ids"]),
    ("D-12", "SELECT i.ids FROM (VALUES ('Josh', 'josh@mail.org')) v(name, email) JOIN user_name_index i ON i.value = v.email || '.' || v.name",
     ["GetItem index_user_names {id 'josh@mail.org.Josh'} get ids"]),
    ("D-13", f"SELECT ids FROM user_joined_index WHERE value = 'Josh' AND range > {NOW - 150}",
     [f"Query index_user_joined where id = 'Josh' AND range > {NOW - 150} get ids"]),
    ("D-14", f"SELECT n FROM event WHERE owner = 'o1' AND at > {NOW - 40000} AND n <> 3",
     [f"Query events where owner = 'o1' AND at > {NOW - 40000} filter n <> 3 AND attribute_type(n,'N') get n"]),
    ("D-17", "SELECT s.id, m.size FROM subscription s JOIN magazine m ON m.title = ANY (s.magazine_ids) WHERE s.id IN ('s001', 's002', 's200')",
     ["BatchGetItem magazines {title 'X'} {title 'Y'} get size, title", "BatchGetItem subscriptions {id 's001'} {id 's002'} {id 's200'} get id, magazine_ids"]),
    ("D-18", "SELECT title, u.name FROM magazine m JOIN people u ON u.magazine_title = m.title WHERE m.title = 'Y'",
     ["GetItem magazines {title 'Y'} get title", "Query users/by_magazine where magazine_title = 'Y' get magazine_title, name"]),
    ("D-19", "SELECT u.name FROM magazine m JOIN people u ON u.id = ANY (m.owner_ids) WHERE m.title = 'X'",
     ["GetItem magazines {title 'X'} get owner_ids", "GetItem users {id 'u1'} get id, name"]),
    ("D-20", "SELECT s.id, u.name FROM subscription s JOIN people u ON u.id = ANY (s.users_ids) WHERE s.id IN ('s004', 's005')",
     ["BatchGetItem subscriptions {id 's004'} {id 's005'} get id, users_ids", "BatchGetItem users {id 'u0'} {id 'u1'} {id 'u2'} get id, name"]),
    ("D-21", "SELECT a.name, b.name FROM people a JOIN people b ON b.id = ANY (a.students_ids) WHERE a.id = 'u0'",
     ["BatchGetItem users {id 'u1'} {id 'u2'} get id, name", "GetItem users {id 'u0'} get name, students_ids"]),
    ("D-20 by elements", "SELECT l.subscription_id, u.name FROM subscription_user l JOIN people u ON u.id = l.user_id WHERE l.subscription_id IN ('s004', 's005')",
     ["BatchGetItem subscriptions {id 's004'} {id 's005'} get id, users_ids", "BatchGetItem users {id 'u0'} {id 'u1'} {id 'u2'} get id, name"]),
    ("D-21 by elements", "SELECT a.name, b.name FROM student l JOIN people a ON a.id = l.id JOIN people b ON b.id = l.student_id WHERE l.id = 'u0'",
     ["BatchGetItem users {id 'u1'} {id 'u2'} get id, name", "GetItem users {id 'u0'} get id, name, students_ids"]),
    ("D-22", "SELECT id FROM subscription WHERE 'Y' = ANY (magazine_ids)", ["Scan subscriptions filter contains(magazine_ids,'Y') get id, magazine_ids"]),
    ("D-23", "SELECT x, u.name FROM people a CROSS JOIN unnest(a.students_ids) x LEFT JOIN people u ON u.id = x WHERE a.id = 'u2'",
     ["BatchGetItem users {id 'lost'} {id 'u0'} get id, name", "GetItem users {id 'u2'} get students_ids"]),
    ("D-24", "SELECT name FROM people WHERE id = 'u3'", ["GetItem users {id 'u3'} get name"]),
    ("D-24 with a range key", f"SELECT n FROM event WHERE owner = 'o1' AND at = {NOW - 7200}", [f"GetItem events {{owner 'o1', at {NOW - 7200}}} get n"]),
    ("D-25", "SELECT name FROM people WHERE id = ANY ('{u3,u1,u9,u3}')", ["BatchGetItem users {id 'u1'} {id 'u3'} {id 'u9'} get id, name"]),
    ("D-26", "SELECT name FROM people WHERE city = 'Chicago'", ["Scan users filter city = 'Chicago' get id, name"]),
    ("D-28", "SELECT id FROM subscription WHERE id IN ('s001', 's002', 's003') AND length > 1",
     ["BatchGetItem subscriptions {id 's001'} {id 's002'} {id 's003'} get id, length"]),
    ("D-29", "SELECT n FROM event WHERE owner = 'o1' ORDER BY at LIMIT 5", ["Query events where owner = 'o1' get at, n limit 5"]),
    ("D-30", f"SELECT n FROM event WHERE owner = 'o1' AND at > {NOW - 36000} ORDER BY at LIMIT 5",
     [f"Query events where owner = 'o1' AND at > {NOW - 36000} get at, n limit 5"]),
    ("D-33", f"SELECT at FROM event WHERE owner = 'o1' AND at BETWEEN {NOW - 40000} AND {NOW - 1000} AND n > 3 AND n <= 9",
     [f"Query events where owner = 'o1' AND at BETWEEN {NOW - 40000} AND {NOW - 1000} filter n > 3 AND n <= 9 get at, n"]),
]


@statements(READS)
class Dynamoid(request_text.RequestTestCase):
    """The reads, by the numbers of the text's statements; the server's prefix is the application's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        for name, items, *keys in (("magazines", MAGAZINES, ("title", "S")), ("subscriptions", SUBSCRIPTIONS, ("id", "S")),
                                   ("users", USERS, ("id", "S"), None, [index("by_magazine", ("magazine_title", "S"))]),
                                   ("index_user_names", NAMES, ("id", "S")), ("index_user_joined", JOINED, ("id", "S"), ("range", "N")),
                                   ("events", EVENTS, ("owner", "S"), ("at", "N"))):
            fx.create_table(name, *keys)
            fx.put(name, items)
        fx.server("rails", fx.proxy.endpoint, table_prefix=fx.remote(""), scan_policy="allow")
        tables = {"magazine": ("magazines", "title text NOT NULL, size numeric, subscriptions_ids text[], owner_ids text[], tags jsonb,"
                                            " others jsonb OPTIONS (document 'rest')"),
                  "subscription": ("subscriptions", "id text NOT NULL, length int, magazine_ids text[], users_ids text[],"
                                                    " created_at timestamptz OPTIONS (format 'epoch(9)'), updated_at timestamptz OPTIONS (format 'epoch')"),
                  "people": ("users", "id text NOT NULL, name text, city text, email text, students_ids text[], joined_at timestamptz OPTIONS (format 'iso8601'),"
                                      " options text, settings jsonb OPTIONS (format 'json'), magazine_title text, visits numeric[]"),
                  "user_name_index": ("index_user_names", "value text OPTIONS (attribute 'id') NOT NULL, ids text[]"),
                  "user_joined_index": ("index_user_joined", "value text OPTIONS (attribute 'id') NOT NULL, range numeric NOT NULL, ids text[]"),
                  "name_entry": ("index_user_names", "value text OPTIONS (attribute 'id') NOT NULL, user_id text OPTIONS (path '@')", "ids"),
                  "magazine_subscription": ("magazines", "title text NOT NULL, subscription_id text OPTIONS (path '@')", "subscriptions_ids"),
                  "subscription_user": ("subscriptions", "subscription_id text OPTIONS (attribute 'id') NOT NULL, user_id text OPTIONS (path '@')", "users_ids"),
                  "student": ("users", "id text NOT NULL, student_id text OPTIONS (path '@')", "students_ids"),
                  "event": ("events", "owner text NOT NULL, at numeric NOT NULL, kind text, n int")}
        for name, (remote, columns, *unnest) in tables.items():
            fx.foreign_table(name, columns, server="rails", table_name=remote, **({"unnest": unnest[0]} if unnest else {}))
        cls.mirror(*tables)
        fx.create_table("copies", ("id", "S"))
        fx.put("copies", [{"id": f"u{n}.{part}", "name": f"Josh of {part}", "updated_at": NOW + part} for n in range(3) for part in (3, 77, 199)])
        fx.foreign_table("user_copy", "id text NOT NULL, part int NOT NULL, name text, updated_at timestamptz OPTIONS (format 'epoch')", server="rails",
                         table_name="copies", key_templates='{"id": "${id:any}.${part:0..199}"}')
        fx.execute("CREATE VIEW newest AS SELECT DISTINCT ON (id) id, name, updated_at FROM user_copy ORDER BY id, updated_at DESC")

    def sql(self, name):
        """A statement of the table above."""
        return next(sql for known, sql, _ in READS if known == name)

    def test_rows(self):
        """What some of the statements above are to give."""
        self.assertEqual(self.fx.value(self.sql("D-4")), Decimal("12345678901234567890123456789012345678"))
        self.assertEqual(sorted(row[0] for row in self.fx.rows("SELECT unnest(visits) FROM people WHERE id = 'u0'")), [1, 2, 3])
        self.assertEqual(self.fx.rows(self.sql("D-8")), [("---\n:a: 1\n", "1")])
        self.assertEqual(self.fx.rows(self.sql("D-10")), [("Y", {"legacy": "kept"})])
        self.assertEqual(sorted(self.fx.rows(self.sql("D-23")), key=str), [("lost", None), ("u0", "Josh")])
        self.assertEqual(self.fx.rows("SELECT length FROM subscription WHERE id = 's110'"), [])
        self.assertEqual(self.fx.value("SELECT created_at = to_timestamp(%s) + interval '0.123456 s' FROM subscription WHERE id = 's000'", [NOW]), True)

    def test_D_2(self):
        """Another name than the class's."""
        self.fx.foreign_table("anything", "title text", server="rails", table_name="magazines")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE anything")
        self.assertEqual(self.fx.value("SELECT count(*) FROM anything"), 243)

    def test_D_15(self):
        """has_many: the parent's set, in batches of 100; the id whose row is gone is simply absent."""
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        for sql in ("SELECT s.id, s.length FROM magazine m JOIN subscription s ON s.id = ANY (m.subscriptions_ids) WHERE m.title = 'X'",
                    "SELECT s.id, s.length FROM magazine_subscription l JOIN subscription s ON s.id = l.subscription_id WHERE l.title = 'X'"):
            requests = self.fx.requests(sql)
            self.assertEqual(sorted(r.operation for r in requests), ["BatchGetItem", "BatchGetItem", "GetItem"])
            self.assertEqual(sorted(len(next(iter(r.body["RequestItems"].values()))["Keys"]) for r in requests if r.operation == "BatchGetItem"), [11, 100])
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
            self.assertEqual(len(self.fx.rows(sql)), 110)

    def test_D_16(self):
        """has_many of all parents: a Scan of these, each id requested once."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material")
        for sql in ("SELECT m.title, s.length FROM magazine m JOIN subscription s ON s.id = ANY (m.subscriptions_ids)",
                    "SELECT l.title, s.length FROM magazine_subscription l JOIN subscription s ON s.id = l.subscription_id"):
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
            requests = self.fx.requests(sql)
            keys = [key["id"]["S"] for r in requests if r.operation == "BatchGetItem" for key in next(iter(r.body["RequestItems"].values()))["Keys"]]
            self.assertEqual(len(keys), len(set(keys)))
            self.assertEqual({r.operation for r in requests}, {"Scan", "BatchGetItem"})

    def test_D_22_warning(self):
        """The children cannot be found without reading them all: that is reported."""
        self.fx.execute("ALTER SERVER rails OPTIONS (SET scan_policy 'warn')")
        self.addCleanup(self.fx.execute, "ALTER SERVER rails OPTIONS (SET scan_policy 'allow')")
        [warning] = self.fx.notices(self.sql("D-22"))
        self.assertIn("full scan of DynamoDB table", warning)

    def test_D_27(self):
        """A Scan that is not needed is an error, which names the key that would spare it."""
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        failure = self.fx.error(self.sql("D-26"))
        self.assertIn("full scan of DynamoDB table", failure.message)
        self.assertIn('"id"', failure.hint)
        self.assertEqual(self.fx.rows(self.sql("D-24")), [("Ann",)])

    def test_D_31(self):
        """Consistent reads, for which global indexes drop out."""
        self.fx.execute("SET dynamo_fdw.consistent_read = on")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.consistent_read")
        self.assertRequests(self.sql("D-24"), ["GetItem users {id 'u3'} get name consistent"])
        self.assertRequests("SELECT name FROM people WHERE magazine_title = 'Y'", ["Scan users filter magazine_title = 'Y' get id, name consistent"])

    def test_D_32(self):
        """A time that is known when the statement begins."""
        self.fx.foreign_table("timed", "owner text NOT NULL, at timestamptz NOT NULL OPTIONS (format 'epoch')".replace(
            "NOT NULL OPTIONS (format 'epoch')", "OPTIONS (format 'epoch') NOT NULL"), server="rails", table_name="events")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE timed")
        for where, text in (("owner = 'o0' AND ", "Query events where owner = 'o0' AND at > "), ("", "Scan events filter at > ")):
            sql = f"SELECT count(*) FROM timed WHERE {where}at > to_timestamp({NOW}) - interval '1 day' + (now() - now())"
            self.assertEqual(self.fx.value(sql), 24 if where else 48)
            self.assertEqual(self.texts(sql), [f"{text}{NOW - 86400} get at{'' if where else ', owner'}"])

    def test_D_38(self):
        """What a model validates may be declared as constraints: NOT NULL is checked when it is read, CHECK is believed."""
        self.fx.foreign_table("checked", "title text NOT NULL, size numeric NOT NULL, CHECK (size > 0)", server="rails", table_name="magazines")
        self.addCleanup(self.fx.execute, "DROP FOREIGN TABLE checked")
        self.assertEqual(self.fx.error("SELECT size FROM checked").sqlstate, "23502")
        self.assertEqual(self.fx.rows("SELECT title FROM checked WHERE title = 'X' AND size > 0"), [("X",)])

    def test_D_34(self):
        """A partitioned id: all of its 200 keys are requested, in two batches, and the newest copy wins.  A few items are read in full."""
        self.assertEqual(self.texts("SELECT name FROM newest WHERE id = 'u1'"), ["Scan copies filter begins_with(id,'u1.') get id, name, updated_at"])
        shop.pretend_large(self.fx, 10000)
        self.addCleanup(self.fx.execute, "SELECT dynamo_fdw_disconnect_all()")
        self.addCleanup(self.fx.proxy.reset, scripts=True)
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        requests = self.fx.requests("SELECT name FROM newest WHERE id = 'u1'")
        self.assertEqual(sorted(len(next(iter(r.body["RequestItems"].values()))["Keys"]) for r in requests), [100, 100])
        self.assertEqual(self.fx.rows("SELECT name FROM newest WHERE id = 'u1'"), [("Josh of 199",)])
        self.assertEqual(self.texts("SELECT name FROM user_copy WHERE id = 'u1' AND part = 77"), ["GetItem copies {id 'u1.77'} get id, name"])

    def test_D_35(self):
        """All of them: one Scan, of which the doubles are removed here."""
        self.assertEqual(self.fx.rows("SELECT (SELECT count(*) FROM newest), (SELECT count(*) FROM user_copy)"), [(3, 9)])
        self.assertEqual(self.texts("SELECT count(*) FROM newest"), ["Scan copies get id, updated_at"])


class Throttled(fixture.TestCase):
    """D-3 and D-40: a provisioned table, at an endpoint of one's own."""

    def test_D_3(self):
        fake = self.fx.fake("fake")
        self.addCleanup(fake.stop)
        fake.table("users", ("id", "S"), None, [], [item({"id": "u1", "name": "Josh"})])
        responses = [replies.throttle(), None]
        fake.on("GetItem", lambda request: responses.pop(0) if responses else None)
        self.fx.foreign_table("users", "id text NOT NULL, name text", server="fake")
        self.assertEqual(self.fx.rows("SELECT name FROM users WHERE id = 'u1'"), [("Josh",)])
        self.assertEqual([r.operation for r in fake.requests if r.operation != "DescribeTable"], ["GetItem", "GetItem"])
