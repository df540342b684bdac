"""Designs that applications use, mapped as the manual advises: films with embedded lists, a blog with an index of keys, Amplify's tombstones."""
import time
from decimal import Decimal

import request_text
from dynamo import index
from request_text import statements

NOW = int(time.time())
GENRES = ["Action", "Crime", "Drama", "Comedy"]


def films():
    """Three years of 40 films; actors play in several, a few films have none, or nothing but a title."""
    for year in (2011, 2012, 2013):
        for n in range(40):
            info = {"genres": GENRES[n % 3:n % 3 + 2], "rating": Decimal(n % 10) / 2 + 5, "actors": [f"Actor {(n * k + year) % 23}" for k in (1, 3)],
                    "release_date": f"{year}-0{n % 9 + 1}-02T00:00:00Z", "plot": "x" * 300}
            if n % 13 == 0:
                del info["actors"]
            if n % 17 == 1:
                del info["rating"]
            yield {"year": year, "title": f"Film {n:02}", "info": info} if n != 39 else {"year": year, "title": "Unknown"}


def posts():
    """Posts of 12 authors, of which few are requested; published in all of Dynamoid's representations."""
    for n in range(240):
        yield {"id": f"p{n:03}", "author_id": f"u{n % 12}", "title": f"Post {n}", "published": [True, False, "t", "f", 1, 0][n % 6], "body": "x" * 3000,
               "created_at": Decimal(NOW - n) + Decimal("0.5")}


def amplify():
    """Items of Amplify's tables: some deleted, one of another type; a pair of post and tag that occurs twice."""
    deleted = [{}, {"_deleted": None}, {"_deleted": False}, {"_deleted": True}]
    common = lambda n: {"createdAt": f"2024-05-{n % 28 + 1:02}T10:00:00.123Z", "_version": 1, **deleted[n % 4]}
    yield "Post", [{"id": f"p{n}", "__typename": "Post" if n != 6 else "Draft", "title": f"Post {n}", "body": "x" * 3000, **common(n)} for n in range(200)]
    yield "Comment", [{"id": f"c{n}", "postCommentsId": f"p{n % 9}", "content": f"Comment {n}", **common(n // 9)} for n in range(60)] + [{"id": "c99", "content": "of none"}]
    yield "Tag", [{"id": f"t{n}", "label": f"Tag {n}", **common(n)} for n in range(5)]
    yield "PostTags", [{"id": f"l{n}", "postId": f"p{n % 16}", "tagId": f"t{n % 3}", **common(n // 3)} for n in range(48)] + \
        [{"id": "again", "postId": "p0", "tagId": "t0"}, {"id": "lost", "postId": "p999", "tagId": "t0"}]


MOVIES = [
    ("films of a year", "SELECT title, rating, released, genres FROM movie WHERE year = 2012",
     ["Query Movies where year = 2012 get info.genres, info.rating, info.release_date, title"]),
    ("a film", "SELECT rating, genres FROM movie WHERE year = 2012 AND title = 'Film 07'", ["GetItem Movies {year 2012, title 'Film 07'} get info.genres, info.rating"]),
    ("actors of a year", "SELECT a, count(*), round(avg(rating), 1) FROM movie, unnest(actors) a WHERE year = 2012 GROUP BY a HAVING count(*) > 1",
     ["Query Movies where year = 2012 get info.actors, info.rating"]),
    ("films without actors too", "SELECT title, a FROM movie LEFT JOIN LATERAL unnest(actors) a ON true WHERE year = 2012",
     ["Query Movies where year = 2012 get info.actors, title"]),
    ("films of an actor", "SELECT year, title FROM movie WHERE 'Actor 7' = ANY (actors)",
     ["Scan Movies filter contains(info.actors,'Actor 7') get info.actors, title, year"]),
    ("films of an actor by elements", "SELECT year, title FROM movie_actor WHERE actor = 'Actor 7'",
     ["Scan Movies filter contains(info.actors,'Actor 7') OR attribute_type(info.actors,'M') get info.actors, title, year"]),
    ("actors of a year by elements", "SELECT a.actor, count(*), round(avg(m.rating), 1) FROM movie m JOIN movie_actor a USING (year, title) WHERE m.year = 2012"
     " GROUP BY a.actor HAVING count(*) > 1",
     ["Query Movies where year = 2012 get info.actors, info.rating, title, year"]),
    ("films without actors by elements", "SELECT m.title, a.actor FROM movie m LEFT JOIN movie_actor a USING (year, title) WHERE m.year = 2012",
     ["Query Movies where year = 2012 get info.actors, title, year"]),
    ("films of a genre", "SELECT title FROM movie WHERE year = 2011 AND genres @> '{Crime,Drama}'",
     ["Query Movies where year = 2011 filter attribute_exists(info.genres) AND contains(info.genres,'Crime') AND contains(info.genres,'Drama')"
      " get info.genres, title"]),
    ("good films since a day", "SELECT title FROM movie WHERE year = 2013 AND rating >= 9 AND released > '2013-06-01'",
     ["Query Movies where year = 2013 filter info.rating >= 9 AND info.release_date > '2013-06-01T00:00:00Z' get info.release_date, title"]),
    ("what else is known", "SELECT others -> 'info' ->> 'plot' FROM movie WHERE year = 2012 AND title = 'Film 07'",
     ["GetItem Movies {year 2012, title 'Film 07'} get info.plot"]),
]


@statements(MOVIES)
class Movies(request_text.RequestTestCase):
    """Lists and maps within the items, and their elements as rows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("Movies", ("year", "N"), ("title", "S"))
        cls.fx.put("Movies", films())
        cls.fx.foreign_table("movie", "year int NOT NULL, title text NOT NULL, rating numeric OPTIONS (path 'info.rating'),"
                             " released timestamptz OPTIONS (path 'info.release_date', format 'iso8601(0)'), genres text[] OPTIONS (path 'info.genres'),"
                             " actors text[] OPTIONS (path 'info.actors'), others jsonb OPTIONS (document 'rest')",
                             table_name=cls.fx.remote("Movies"), scan_policy="allow")
        cls.fx.foreign_table("movie_actor", "year int NOT NULL, title text NOT NULL, pos int OPTIONS (path '@index'), actor text OPTIONS (path '@')",
                             table_name=cls.fx.remote("Movies"), unnest="info.actors", scan_policy="allow")
        cls.fx.execute("ANALYZE movie, movie_actor")
        cls.mirror("movie", "movie_actor")

    def test_rows(self):
        """As the items were made."""
        made = [film for film in films() if film["year"] == 2012]
        self.assertEqual(sorted(self.fx.rows("SELECT title, rating, genres, actors FROM movie WHERE year = 2012"), key=str),
                         sorted(((film["title"], *(film.get("info", {}).get(name) for name in ("rating", "genres", "actors"))) for film in made), key=str))
        self.assertEqual(self.fx.rows("SELECT count(*), count(actors), count(rating) FROM movie"), [(120, 108, 108)])
        self.assertEqual(self.fx.rows("SELECT others FROM movie WHERE title = 'Unknown'"), [({},)] * 3)


BLOG = [
    ("posts of authors", "SELECT a.name, p.title FROM author a JOIN post p ON p.author_id = a.id WHERE a.id = ANY ('{u1,u2,u3}') AND p.published",
     ["BatchGetItem blog_authors {id 'u1'} {id 'u2'} {id 'u3'} get id, name",
      *(f"Query blog_posts/blog_posts_index_author_id where author_id = 'u{n}' get author_id, id" for n in (1, 2, 3)),
      "BatchGetItem blog_posts " + " ".join(f"{{id 'p{n:03}'}}" for n in range(240) if n % 12 in (1, 2, 3)) + " get author_id, id, published, title"]),
    ("posts of an author, counted", "SELECT count(*) FROM post WHERE author_id = 'u1'",
     ["Query blog_posts/blog_posts_index_author_id where author_id = 'u1' count"]),
    ("an author's newest posts", "SELECT title, created_at FROM post WHERE author_id = 'u1' ORDER BY created_at DESC LIMIT 2",
     ["Query blog_posts/blog_posts_index_author_id where author_id = 'u1' get id",
      "BatchGetItem blog_posts " + " ".join(f"{{id 'p{n:03}'}}" for n in range(1, 240, 12)) + " get author_id, created_at, id, title"]),
]


@statements(BLOG)
class Blog(request_text.RequestTestCase):
    """Children by an index that has their keys only."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("blog_authors", ("id", "S"))
        cls.fx.create_table("blog_posts", ("id", "S"), None, [index("blog_posts_index_author_id", ("author_id", "S"), None, "KEYS_ONLY")])
        cls.fx.put("blog_authors", [{"id": f"u{n}", "name": f"Author {n}", "bio": "x" * 3000} for n in range(200)])
        cls.fx.put("blog_posts", posts())
        cls.fx.foreign_table("author", "id text NOT NULL, name text", table_name=cls.fx.remote("blog_authors"))
        cls.fx.foreign_table("post", "id text NOT NULL, author_id text, title text, published boolean, created_at timestamptz OPTIONS (format 'epoch')",
                             table_name=cls.fx.remote("blog_posts"))
        cls.mirror("author", "post")

    def test_rows(self):
        """All representations of published; a post that the index does not list any more is gone."""
        titles = {title for _, title in self.fx.rows(BLOG[0][1])}
        self.assertEqual(titles, {f"Post {n}" for n in range(240) if n % 12 in (1, 2, 3) and n % 6 in (0, 2, 4)})


TAGGED = "SELECT p.title FROM tag_a t JOIN post_tag pt ON pt.tag_id = t.id JOIN post_a p ON p.id = pt.post_id WHERE t.id = 't0'"
LINKED = sorted({f"{{id '{one['postId']}'}}" for one in dict(amplify())["PostTags"] if one["tagId"] == "t0" and not one.get("_deleted")})
LIVE = "attribute_not_exists(_deleted) OR attribute_type(_deleted,'NULL') OR _deleted = false"
AMPLIFY = [
    ("a post and its comments", "SELECT p.title, count(c.id) FROM post_a p LEFT JOIN comment_a c ON c.post_id = p.id WHERE p.id = 'p1' GROUP BY p.title",
     ["GetItem Post-abc123-main {id 'p1'} get __typename, _deleted, id, title",
      f"Query Comment-abc123-main/byPost where postCommentsId = 'p1' filter {LIVE} get _deleted, id, postCommentsId"]),
    ("a deleted post", "SELECT title FROM post_a WHERE id = 'p3'", ["GetItem Post-abc123-main {id 'p3'} get __typename, _deleted, title"]),
    ("posts since a day", "SELECT id FROM post_a WHERE created >= '2024-05-20'",
     [f"Scan Post-abc123-main filter ({LIVE}) AND __typename = 'Post' AND createdAt >= '2024-05-20T00:00:00.000Z' get __typename, _deleted, createdAt, id"]),
    ("comments counted", "SELECT count(*) FROM comment_a WHERE post_id = 'p2'",
     [f"Query Comment-abc123-main/byPost where postCommentsId = 'p2' filter {LIVE} count"]),
    ("posts of a tag", TAGGED,
     ["GetItem Tag-abc123-main {id 't0'} get _deleted, id", f"Query PostTags-abc123-main/byTag where tagId = 't0' filter {LIVE} get _deleted, postId, tagId",
      f"BatchGetItem Post-abc123-main {' '.join(LINKED)} get __typename, _deleted, id, title"]),
]


@statements(AMPLIFY)
class Amplify(request_text.RequestTestCase):
    """E12: what was deleted stays as an item with a mark; has_many, and many-to-many by items that link."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        indexes = {"Comment": [index("byPost", ("postCommentsId", "S"))], "PostTags": [index("byTag", ("tagId", "S"))]}
        for name, items in amplify():
            cls.fx.create_table(f"{name}-abc123-main", ("id", "S"), None, indexes.get(name, []))
            cls.fx.put(f"{name}-abc123-main", items)
        live = '"_deleted": [null, false]'
        for name, remote, match, columns in (
                ("post_a", "Post", f'{{"__typename": "Post", {live}}}', "title text, created timestamptz OPTIONS (attribute 'createdAt', format 'iso8601(3)')"),
                ("comment_a", "Comment", f"{{{live}}}", "post_id text OPTIONS (attribute 'postCommentsId'), content text"),
                ("tag_a", "Tag", f"{{{live}}}", "label text"),
                ("post_tag", "PostTags", f"{{{live}}}", "post_id text OPTIONS (attribute 'postId'), tag_id text OPTIONS (attribute 'tagId')")):
            cls.fx.foreign_table(name, "id text NOT NULL, " + columns, table_name=cls.fx.remote(f"{remote}-abc123-main"), item_filter=match, scan_policy="allow")
        cls.mirror("post_a", "comment_a", "tag_a", "post_tag")

    def test_rows(self):
        """The rows are the items that were made and not deleted; a pair that is linked twice counts twice."""
        made = dict(amplify())
        for name, remote in (("post_a", "Post"), ("comment_a", "Comment"), ("tag_a", "Tag"), ("post_tag", "PostTags")):
            live = [(one["id"],) for one in made[remote] if one.get("_deleted") in (None, False) and one.get("__typename", "Post") == "Post"]
            self.assertEqual(sorted(self.fx.rows(f"SELECT id FROM {name}")), sorted(live))
        titles = [title for (title,) in self.fx.rows(TAGGED)]
        self.assertEqual(titles.count("Post 0"), 1 + sum(one.get("postId") == "p0" and one["tagId"] == "t0" and one.get("_deleted") in (None, False)
                                                       for one in made["PostTags"] if one["id"] != "again"))
        self.assertNotIn("Post 3", titles)
