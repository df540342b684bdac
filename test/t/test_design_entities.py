"""Designs that applications use, mapped as the manual advises: entities that share a table or are found by composed keys."""
import datetime

import designs
from dynamo import index
from request_text import statements

BIO = "x" * 2000

COMPANIES = [("acme", "Oslo"), ("a#cme", "Bergen"), ("beta", None)] + [(f"c{n}", "Rome") for n in range(20)]
STAFF = [(name, f"{first}@{name}.org", first.title()) for n, (name, _) in enumerate(COMPANIES) if name != "beta"
         for first in ("ann", "bob", "cy", "dan", "eve")[:n % 5 + 1]]
COLLECTION = "SELECT c.name, c.city, u.email, u.full_name FROM company c LEFT JOIN app_user u ON u.company = c.name WHERE c.name = '{}' ORDER BY u.email COLLATE \"C\""


def of_company(name):
    """The parent and its children, in parallel."""
    return [f"GetItem app {{pk 'company#{name}', sk 'company#'}} get city, pk, sk", f"Query app where pk = 'company#{name}' AND begins_with(sk,'user#') get name, pk, sk"]


GOLDSTACK = [
    ("a company and its users", COLLECTION.format("acme"), of_company("acme")),
    ("a company without users", COLLECTION.format("beta"), of_company("beta")),
    ("a company with a hash sign", COLLECTION.format("a#cme"), of_company("a#cme")),
    ("a user by e-mail and the company", "SELECT c.city, u.full_name FROM app_user u JOIN company c ON c.name = u.company WHERE u.email = 'ann@c4.org'",
     ["Query app/gsi1 where gsi1_partitionKey = 'user#ann@c4.org' filter begins_with(pk,'company#') AND sk = 'user#ann@c4.org' get name, pk, sk",
      "GetItem app {pk 'company#c4', sk 'company#'} get city, pk, sk"]),
]


@statements(GOLDSTACK)
class Collections(designs.TestCase):
    """Parent and children in one partition."""

    @classmethod
    def make(cls):
        cls.fx.create_table("app", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1_partitionKey", "S"))])
        cls.fx.put("app", [{"pk": f"company#{name}", "sk": "company#", "city": city} for name, city in COMPANIES])
        cls.fx.put("app", [{"pk": f"company#{name}", "sk": f"user#{email}", "gsi1_partitionKey": f"user#{email}", "name": full, "bio": BIO} for name, email, full in STAFF])
        cls.fx.put("app", [{"pk": "#MIGRATIONS", "sk": "0001"}, {"pk": "#DUMMY", "sk": "#DUMMY"}])
        any_company = "company#${%s:any}"
        cls.relations({
            "company": ("app", "name text NOT NULL, city text", {"key_templates": {"pk": any_company % "name", "sk": "company#"}}, COMPANIES),
            "app_user": ("app", "company text NOT NULL, email text NOT NULL, full_name text OPTIONS (attribute 'name')",
                         {"key_templates": {"pk": any_company % "company", "sk": "user#${email:any}", "gsi1_partitionKey": "user#${email:any}"}, "trusted_indexes": "gsi1"}, STAFF)})

    def test_rows(self):
        self.assertTwins()

    def test_no_such_company(self):
        """The second request is begun with the first, and may be sent or not when the first finds nothing."""
        sql, (company, users) = COLLECTION.format("none"), of_company("none")
        self.assertEqual(self.fx.rows(sql), [])
        self.assertIn(self.texts(sql), ([company], sorted([company, users])))


FORUMS = [("Amazon DynamoDB", 3), ("Amazon S3", 1), ("Empty", 0)]
THREADS = [("Amazon DynamoDB", f"DynamoDB Thread {n}", n % 3 == 0, ["index", "table"][:n % 3]) for n in range(6)] + [("Amazon S3", "S3#Thread 1", False, ["large"])]
T0 = datetime.datetime(2015, 9, 15, 19, 58, 22, 947000, datetime.timezone.utc)
REPLIES = [(forum, subject, T0 + datetime.timedelta(days=7 * n, milliseconds=n), f"User {'AB'[n % 2]}", f"{subject} Reply {n}")
           for t, (forum, subject, *_) in enumerate(THREADS) for n in range(t % 4)] + [("Amazon S3", "Thread of none", T0, "User C", "dangling")]
REPLIES_OF = "Query Reply where Id = 'Amazon DynamoDB#DynamoDB Thread {}' get {}"
OPEN = "Answered = false OR Answered = 0 OR Answered IN ('f','false','N')"

FORUM = [
    ("replies of open threads", "SELECT t.subject, count(r.subject) AS replies, max(r.posted_at) AS last_reply FROM thread t"
     " LEFT JOIN reply r ON r.forum = t.forum AND r.subject = t.subject WHERE t.forum = 'Amazon DynamoDB' AND NOT t.answered GROUP BY t.subject",
     [f"Query Thread where ForumName = 'Amazon DynamoDB' filter {OPEN} get Answered, ForumName, Subject", *(REPLIES_OF.format(n, "Id, ReplyDateTime") for n in (1, 2, 4, 5))]),
    ("the newest reply of each", "SELECT t.subject, r.posted_by FROM thread t LEFT JOIN LATERAL (SELECT * FROM reply r WHERE r.forum = t.forum AND r.subject = t.subject"
     " ORDER BY r.posted_at DESC LIMIT 1) r ON true WHERE t.forum = 'Amazon DynamoDB'",
     ["Query Thread where ForumName = 'Amazon DynamoDB' get ForumName, Subject",
      *(REPLIES_OF.format(n, "Id, PostedBy, ReplyDateTime limit 1 backward") for n in range(6))]),
    ("counted", "SELECT count(*) FROM reply WHERE forum = 'Amazon DynamoDB' AND subject = 'DynamoDB Thread 3'",
     ["Query Reply where Id = 'Amazon DynamoDB#DynamoDB Thread 3' get Id"]),
    ("a subject with a hash sign", "SELECT message FROM reply WHERE forum = 'Amazon S3' AND subject = 'S3#Thread 1'",
     ["Query Reply where Id = 'Amazon S3#S3#Thread 1' get Id, Message"]),
    ("the wrong way round", "SELECT message FROM reply WHERE subject = 'DynamoDB Thread 3'", ["Scan Reply get Id, Message, ReplyDateTime"]),
]


@statements(FORUM)
class Forum(designs.TestCase):
    """A foreign key of two columns, composed in a text."""

    @classmethod
    def make(cls):
        cls.fx.create_table("Forum", ("Name", "S"))
        cls.fx.create_table("Thread", ("ForumName", "S"), ("Subject", "S"))
        cls.fx.create_table("Reply", ("Id", "S"), ("ReplyDateTime", "S"))
        cls.fx.put("Forum", [{"Name": name, "Threads": threads} for name, threads in FORUMS])
        cls.fx.put("Thread", [{"ForumName": forum, "Subject": subject, "Answered": int(flag) if n % 2 else flag, "Tags": set(tags), "Message": BIO}
                              if tags else {"ForumName": forum, "Subject": subject, "Answered": int(flag)} for n, (forum, subject, flag, tags) in enumerate(THREADS)])
        cls.fx.put("Reply", [{"Id": f"{forum}#{subject}", "ReplyDateTime": at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z", "PostedBy": by, "Message": message}
                             for forum, subject, at, by, message in REPLIES])
        cls.fx.put("Reply", [{"Id": f"Other#{n // 4}", "ReplyDateTime": f"2015-01-{n % 28 + 1:02}T00:00:00.000Z", "Filler": BIO} for n in range(200)])
        cls.relations({
            "forum": ("Forum", "name text OPTIONS (attribute 'Name') NOT NULL, threads int OPTIONS (attribute 'Threads')", {}, FORUMS),
            "thread": ("Thread", "forum text OPTIONS (attribute 'ForumName') NOT NULL, subject text OPTIONS (attribute 'Subject') NOT NULL,"
                                 " answered boolean OPTIONS (attribute 'Answered'), tags text[] OPTIONS (attribute 'Tags')", {},
                       [(*key, flag, tags or None) for *key, flag, tags in THREADS]),
            "reply": ("Reply", "forum text NOT NULL, subject text NOT NULL, posted_at timestamptz OPTIONS (attribute 'ReplyDateTime', format 'iso8601(3)') NOT NULL,"
                               " posted_by text OPTIONS (attribute 'PostedBy'), message text OPTIONS (attribute 'Message')", {"key_templates": {"Id": "${forum}#${subject:any}"}},
                      REPLIES + [("Other", str(n // 4), f"2015-01-{n % 28 + 1:02} 00:00:00Z", None, None) for n in range(200)])})

    def test_rows(self):
        self.assertTwins()


MAGAZINES = [("A", ["s1", "s2", "s3"]), ("B", ["gone", "s3", "s4"]), ("C", ["s5"])]
SUBSCRIPTIONS = {f"s{n}": [f"u{n}", f"u{n + 1}"][:n % 3] for n in range(1, 6)}
READERS = "SELECT m.title, count(su.user_id) AS readers FROM magazine m JOIN magazine_subscription ms ON ms.title = m.title JOIN subscription s ON s.id = ms.subscription_id" \
    " LEFT JOIN subscription_user su ON su.subscription_id = s.id WHERE m.title IN ('A', 'B') GROUP BY m.title"
OF_SUBSCRIPTIONS = "BatchGetItem subscriptions " + " ".join(f"{{id '{name}'}}" for name in ("gone", "s1", "s2", "s3", "s4"))
COPIES = sorted(f"{{id 'x.y.{part}'}}" for part in range(200))
SETS = [
    ("readers", READERS, ["BatchGetItem magazines {title 'A'} {title 'B'} get subscriptions_ids, title",
                          OF_SUBSCRIPTIONS + " get id", "BatchGetItem subscriptions {id 's1'} {id 's2'} {id 's3'} {id 's4'} get id, users_ids"]),
    ("a user in all its copies", "SELECT name FROM \"user\" WHERE id = 'x.y'",
     ["BatchGetItem users " + " ".join(COPIES[first:first + 100]) + " get id, name, updated_at" for first in (0, 100)]),
    ("one copy", "SELECT name FROM user_copy WHERE id = 'x.y' AND part = 7", ["GetItem users {id 'x.y.7'} get id, name"]),
    ("all copies", "SELECT count(*) FROM user_copy", ["Scan users get id"]),
]


@statements(SETS)
class Sets(designs.TestCase):
    """Associations as sets of ids, and copies of an item under several keys."""

    @classmethod
    def make(cls):
        for name, key in (("magazines", "title"), ("subscriptions", "id"), ("users", "id")):
            cls.fx.create_table(name, (key, "S"))
            cls.fx.put(name, [{key: f"other {n}" if name != "users" else f"other{n}.{n % 200}", "filler": BIO} for n in range(200)])
        cls.fx.put("magazines", [{"title": title, "subscriptions_ids": set(ids)} for title, ids in MAGAZINES])
        cls.fx.put("subscriptions", [{"id": name, "length": 7, **({"users_ids": set(users)} if users else {})} for name, users in SUBSCRIPTIONS.items()])
        cls.fx.put("users", [{"id": f"{name}.{part}", "name": f"{name} {at}", "updated_at": at} for name, part, at in (("x.y", 7, 100), ("x.y", 150, 300), ("x.y", 9, 200), ("z", 0, 1))])
        cls.fx.server("rails", cls.fx.proxy.endpoint, table_prefix=cls.fx.remote(""))
        other = [f"other {n}" for n in range(200)]
        at = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        cls.relations({
            "magazine": ("magazines", "title text NOT NULL, subscriptions_ids text[]", {}, MAGAZINES + [(title, None) for title in other]),
            "subscription": ("subscriptions", "id text NOT NULL, length int, users_ids text[]", {},
                             [(name, 7, users or None) for name, users in SUBSCRIPTIONS.items()] + [(name, None, None) for name in other]),
            "magazine_subscription": ("magazines", "title text NOT NULL, subscription_id text OPTIONS (path '@')", {"unnest": "subscriptions_ids"},
                                      [(title, name) for title, ids in MAGAZINES for name in ids]),
            "subscription_user": ("subscriptions", "subscription_id text OPTIONS (attribute 'id') NOT NULL, user_id text OPTIONS (path '@')", {"unnest": "users_ids"},
                                  [(name, user) for name, users in SUBSCRIPTIONS.items() for user in users]),
            "user_copy": ("users", "id text NOT NULL, part int NOT NULL, name text, updated_at timestamptz OPTIONS (format 'epoch')", {"key_templates": {"id": "${id:any}.${part:0..199}"}},
                          [(name, part, f"{name} {n}", at + datetime.timedelta(seconds=n)) for name, part, n in (("x.y", 7, 100), ("x.y", 150, 300), ("x.y", 9, 200), ("z", 0, 1))] +
                          [(f"other{n}", n % 200, None, None) for n in range(200)])}, server="rails")
        for schema in ("public", "mirror"):
            cls.fx.execute(f'CREATE VIEW {schema}."user" AS SELECT DISTINCT ON (id) id, name, updated_at FROM {schema}.user_copy ORDER BY id, updated_at DESC')

    def test_rows(self):
        self.assertTwins()
        self.assertEqual(self.fx.rows("SELECT name FROM \"user\" WHERE id IN ('x.y', 'z') ORDER BY id"), [("x.y 300",), ("z 1",)])
