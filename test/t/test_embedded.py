"""Lists and sets within items as tables of their own: the actors of films, and the sets of ids by which Dynamoid 0.4 kept associations."""
import collections
import json

from psycopg2.extras import execute_values

import request_text
from films import STAR, films

FILMS = films()


class Films(request_text.RequestTestCase):
    """4,609 films, most of which have a list of actors below the map info."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("movies", ("year", "N"), ("title", "S"))
        cls.fx.put("movies", FILMS)
        cls.fx.execute("ALTER SERVER ddb OPTIONS (ADD scan_policy 'allow')")
        cls.fx.foreign_table("movie", "year int NOT NULL, title text NOT NULL, rating numeric OPTIONS (path 'info.rating'),"
                             " released timestamptz OPTIONS (path 'info.release_date', format 'iso8601(0)'), genres text[] OPTIONS (path 'info.genres')",
                             table_name=cls.fx.remote("movies"))
        cls.fx.foreign_table("movie_actor", "year int NOT NULL, title text NOT NULL, pos int OPTIONS (path '@index'), actor text OPTIONS (path '@')",
                             table_name=cls.fx.remote("movies"), unnest="info.actors")
        cls.fx.execute("CREATE SCHEMA mirror; CREATE TABLE mirror.movie (year int, title text, rating numeric, released timestamptz, genres text[]);"
                       "CREATE TABLE mirror.movie_actor (year int, title text, pos int, actor text)")
        with cls.fx.conn.cursor() as cursor:
            execute_values(cursor, "INSERT INTO mirror.movie VALUES %s", [
                (f["year"], f["title"], f["info"].get("rating"), f["info"].get("release_date"), f["info"].get("genres")) for f in FILMS], page_size=1000)
            execute_values(cursor, "INSERT INTO mirror.movie_actor VALUES %s", [
                (f["year"], f["title"], n, actor) for f in FILMS for n, actor in enumerate(f["info"].get("actors", []))], page_size=1000)

    def assertSame(self, sql):
        """The rows of the local tables."""
        rows = self.fx.rows(sql)
        self.assertEqual(sorted(rows, key=repr), sorted(self.mirrored(sql), key=repr))
        return rows

    def test_actors_of_a_year(self):
        """Who played in several films of 2012, and how these were rated: one Query for the films and their actors."""
        sql = ("SELECT a.actor, count(*) AS films, round(avg(m.rating), 1) AS avg_rating FROM movie m JOIN movie_actor a USING (year, title)"
               " WHERE m.year = 2012 GROUP BY a.actor HAVING count(*) > 1")
        of_year = collections.Counter(actor for film in FILMS if film["year"] == 2012 for actor in film["info"].get("actors", []))
        self.assertEqual(len(self.assertSame(sql)), sum(films > 1 for films in of_year.values()))
        self.assertGreater(max(of_year.values()), 2)
        self.assertEqual(self.texts(sql), ["Query movies where year = 2012 get info.actors, info.rating, title, year"])

    def test_films_of_an_actor(self):
        """One Scan, of which DynamoDB returns the films that may be his."""
        sql = f"SELECT year, title, pos FROM movie_actor WHERE actor = '{STAR}'"
        self.assertGreater(len(self.assertSame(sql)), 20)
        for request in self.fx.requests(sql):
            self.assertEqual(request_text.request_text(request, self.fx.database).replace(" next", ""),
                             f"Scan movies filter contains(info.actors,'{STAR}') OR attribute_type(info.actors,'M') get info.actors, title, year")
        self.assertIn("Items Returned: %d " % len({row[:2] for row in self.fx.rows(sql)}), self.fx.explain(sql, "ANALYZE, COSTS OFF"))

    def test_films_without_actors(self):
        """They are in no inner join, but in an outer one."""
        for sql in ("SELECT year, title FROM movie WHERE (year, title) NOT IN (SELECT year, title FROM movie_actor)",
                    "SELECT m.year, m.title FROM movie m LEFT JOIN movie_actor a USING (year, title) WHERE a.actor IS NULL"):
            self.assertEqual(len(self.assertSame(sql)), 3)

    def test_all(self):
        """Every actor of every film, and some figures."""
        for sql in ("SELECT * FROM movie_actor", "SELECT actor, count(*) FROM movie_actor GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10", "SELECT count(*) FROM movie_actor",
                    "SELECT a.actor, m.released FROM movie m JOIN movie_actor a USING (year, title) WHERE m.year IN (1995, 1999) AND a.pos = 0 AND 'Drama' = ANY (m.genres)",
                    f"SELECT a.title, b.actor FROM movie_actor a JOIN movie_actor b USING (year, title) WHERE a.actor = '{STAR}' AND b.pos <> a.pos"):
            self.assertSame(sql)


class Associations(request_text.RequestTestCase):
    """Sets of ids on the declaring side: magazines have subscriptions, these have users."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, key in (("magazines", "title"), ("subscriptions", "id"), ("index_user_names", "id")):
            cls.fx.create_table(name, (key, "S"))
        cls.fx.execute("ALTER SERVER ddb OPTIONS (ADD scan_policy 'allow')")
        cls.magazines = {"A": {"s1", "s2"}, "B": {"s2", "s3", "gone"}, "C": set(), "D": {"s4"}}
        cls.subscriptions = {"s1": {"u1", "u2"}, "s2": {"u1"}, "s3": set(), "s4": {"u3"}}
        cls.fx.put("magazines", [{"title": title, "size": n, **({"subscriptions_ids": ids} if ids else {})} for n, (title, ids) in enumerate(cls.magazines.items())])
        cls.fx.put("subscriptions", [{"id": key, "length": n, **({"users_ids": users} if users else {})} for n, (key, users) in enumerate(cls.subscriptions.items())])
        cls.fx.put("index_user_names", [{"id": "Josh", "ids": {"u1", "u3"}}, {"id": "Ann", "ids": {"u2"}}])
        cls.fx.foreign_table("magazine", "title text NOT NULL, size numeric, subscriptions_ids text[]", table_name=cls.fx.remote("magazines"))
        cls.fx.foreign_table("subscription", "id text NOT NULL, length int, users_ids text[]", table_name=cls.fx.remote("subscriptions"))
        cls.fx.foreign_table("magazine_subscription", "title text NOT NULL, subscription_id text OPTIONS (path '@')",
                             table_name=cls.fx.remote("magazines"), unnest="subscriptions_ids")
        cls.fx.foreign_table("subscription_user", "subscription_id text OPTIONS (attribute 'id') NOT NULL, user_id text OPTIONS (path '@')",
                             table_name=cls.fx.remote("subscriptions"), unnest="users_ids")
        cls.fx.foreign_table("user_name_index", "value text OPTIONS (attribute 'id') NOT NULL, user_id text OPTIONS (path '@')",
                             table_name=cls.fx.remote("index_user_names"), unnest="ids")

    def setUp(self):
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.addCleanup(self.fx.execute, "RESET ALL; SET statement_timeout = '60s'")

    def test_readers(self):
        """Two steps, from magazines to subscriptions to users: complete keys, each requested once by each table."""
        sql = ("SELECT m.title, count(su.user_id) AS readers FROM magazine m JOIN magazine_subscription ms ON ms.title = m.title"
               " JOIN subscription s ON s.id = ms.subscription_id LEFT JOIN subscription_user su ON su.subscription_id = s.id"
               " WHERE m.title IN ('A', 'B') GROUP BY m.title")
        self.assertEqual(sorted(self.fx.rows(sql)), [("A", 3), ("B", 1)])
        requests = self.fx.requests(sql)
        self.assertEqual({r.operation for r in requests}, {"BatchGetItem"})
        self.assertEqual(len(requests), 4)
        for request in requests:
            [wanted] = request.body["RequestItems"].values()
            keys = [json.dumps(key, sort_keys=True) for key in wanted["Keys"]]
            self.assertEqual(len(keys), len(set(keys)))

    def test_has_many(self):
        """The subscriptions of a magazine: its set, and then they."""
        sql = "SELECT s.id, s.length FROM magazine_subscription l JOIN subscription s ON s.id = l.subscription_id WHERE l.title = 'B'"
        self.assertEqual(sorted(self.fx.rows(sql)), [("s2", 1), ("s3", 2)])
        self.assertEqual(self.texts(sql), ["BatchGetItem subscriptions {id 'gone'} {id 's2'} {id 's3'} get id, length",
                                           "GetItem magazines {title 'B'} get subscriptions_ids"])
        sql = "SELECT l.title, l.subscription_id, s.id FROM magazine_subscription l LEFT JOIN subscription s ON s.id = l.subscription_id"
        self.assertEqual(sorted(self.fx.rows(sql), key=repr),
                         sorted(((title, key, key if key in self.subscriptions else None) for title, keys in self.magazines.items() for key in keys), key=repr))

    def test_whose(self):
        """The other way round: the magazines that have a subscription."""
        sql = "SELECT title FROM magazine_subscription WHERE subscription_id = 's2'"
        self.assertEqual(sorted(self.fx.rows(sql)), [("A",), ("B",)])
        self.assertEqual(self.texts(sql), ["Scan magazines filter contains(subscriptions_ids,'s2') OR attribute_type(subscriptions_ids,'M') get subscriptions_ids, title"])

    def test_index_table(self):
        """A table of ids by name."""
        sql = "SELECT user_id FROM user_name_index WHERE value = 'Josh'"
        self.assertEqual(sorted(self.fx.rows(sql)), [("u1",), ("u3",)])
        self.assertEqual(self.texts(sql), ["GetItem index_user_names {id 'Josh'} get ids"])
