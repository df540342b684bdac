"""The tables and reads of Codeship's "has_many with DynamoDB": a list within the parent, and children with an index of their parent."""
import request_text
from dynamo import index
from request_text import statements

USERS = [{"name": "jon", "age": 32, "emails": ["jon@one", "jon@two"]},
         {"name": "ann", "age": 27, "emails": [{"id": "ann@one", "provider": "one"}, "ann@old", {"id": "ann@two"}]},
         {"name": "eve", "age": 51, "emails": []}, {"name": "bob"}]
SONGS = [f"Bahubali {n:03}" for n in range(130)]
MOVIES = [{"name": "Bahubali", "year": 2017, "released": True, "actor": "Prabhas", "actress": "Anushka", "song_ids": SONGS},
          {"name": "Bahubali", "year": 2015, "released": True, "actor": "Prabhas"},
          {"name": "Magadheera", "year": 2009, "released": "true", "actor": "Ram", "song_ids": {"Dheera", "Panchadara", "lost"}}]
CHILDREN = [{"name": name, "movie_id": "Bahubali"} for name in SONGS] + \
    [{"name": "Dheera", "movie_id": "Magadheera"}, {"name": "Panchadara", "movie_id": "Magadheera"}, {"name": "Alone"}]

READS = [
    ("C-1", "SELECT * FROM users WHERE name = 'jon'", ["GetItem users {name 'jon'} get age, emails, name"]),
    ("C-2", "SELECT u.name, e.pos, e.email FROM users u, LATERAL jsonb_array_elements(u.emails) WITH ORDINALITY AS e(email, pos) WHERE u.name = 'jon'",
     ["GetItem users {name 'jon'} get emails, name"]),
    ("C-3", "SELECT email FROM user_email WHERE name = 'jon'", ["GetItem users {name 'jon'} get emails"]),
    ("C-4", "SELECT name, coalesce(email ->> 'id', email #>> '{}'), provider FROM user_email", ["Scan users get emails, name"]),
    ("C-4 of lists", "SELECT coalesce(e ->> 'id', e #>> '{}'), e ->> 'provider' FROM users, LATERAL jsonb_array_elements(emails) e WHERE name IN ('ann', 'jon')",
     ["BatchGetItem users {name 'ann'} {name 'jon'} get emails, name"]),
    ("C-5", "SELECT name FROM user_address WHERE email = 'jon@two'",
     ["Scan users filter contains(emails,'jon@two') OR attribute_type(emails,'M') get emails, name"]),
    ("C-7", "SELECT age FROM users WHERE name = 'jon'", ["GetItem users {name 'jon'} get age"]),
    ("C-9", "SELECT s.name FROM movies m JOIN songs s ON s.movie_id = m.name WHERE m.name = 'Bahubali' AND m.year = 2017",
     ["GetItem movies {name 'Bahubali', year 2017} get name", "Query songs/song-movie-index where movie_id = 'Bahubali' get movie_id, name"]),
    ("C-10", "SELECT * FROM songs WHERE movie_id = 'Bahubali'", ["Query songs/song-movie-index where movie_id = 'Bahubali' get movie_id, name"]),
    ("C-11", "SELECT m.year, s.name FROM movies m JOIN songs s ON s.movie_id = m.name WHERE m.name = 'Bahubali'",
     ["Query movies where name = 'Bahubali' get name, year", "Query songs/song-movie-index where movie_id = 'Bahubali' get movie_id, name"]),
    ("C-13", "SELECT m.year, s.name FROM movies m JOIN songs s ON s.movie_id = m.name WHERE m.name IN ('Bahubali', 'Magadheera')",
     [f"Query {table} = '{name}' get {names}" for name in ("Bahubali", "Magadheera")
      for table, names in (("movies where name", "name, year"), ("songs/song-movie-index where movie_id", "movie_id, name"))]),
    ("C-14 of a list", "SELECT name FROM users WHERE primary_email = 'jon@one'", ["Scan users filter emails[0] = 'jon@one' get emails, name"]),
    ("C-14 of a document", "SELECT name FROM odd_songs WHERE movie_id = '\"Magadheera\"'", ["Scan songs get movie_id, name"]),
    ("C-16", "SELECT name FROM songs WHERE movie_id = 'Bahubali' ORDER BY name DESC",
     ["Query songs/song-movie-index where movie_id = 'Bahubali' get name"]),
    ("C-18", "SELECT primary_email FROM users WHERE name = 'jon'", ["GetItem users {name 'jon'} get emails"]),
]


@statements(READS)
class Codeship(request_text.RequestTestCase):
    """The reads, by the numbers of the text's statements."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("users", ("name", "S"))
        fx.create_table("movies", ("name", "S"), ("year", "N"))
        fx.create_table("songs", ("name", "S"), None, [index("song-movie-index", ("movie_id", "S"))])
        for name, items in (("users", USERS), ("movies", MOVIES), ("songs", CHILDREN)):
            fx.put(name, items)
        fx.foreign_table("users", "name text NOT NULL, age int, emails jsonb, primary_email text OPTIONS (path 'emails[0]', on_mismatch 'null')",
                         scan_policy="allow")
        fx.foreign_table("user_email", "name text NOT NULL, pos int OPTIONS (path '@index'), email jsonb OPTIONS (path '@'),"
                         " provider text OPTIONS (path '@.provider')", table_name=fx.remote("users"), unnest="emails", scan_policy="allow")
        fx.foreign_table("user_address", "name text NOT NULL, email text OPTIONS (path '@', on_mismatch 'null')", table_name=fx.remote("users"),
                         unnest="emails", scan_policy="allow")
        fx.foreign_table("movies", "name text NOT NULL, year int NOT NULL, released boolean, actor text, actress text, song_ids text[]")
        fx.foreign_table("songs", "name text NOT NULL, movie_id text", scan_policy="allow")
        fx.foreign_table("odd_songs", "name text NOT NULL, movie_id jsonb", scan_policy="allow", table_name=fx.remote("songs"))
        cls.mirror("users", "user_email", "user_address", "movies", "songs", "odd_songs")

    def test_rows(self):
        """What the statements above are to give."""
        self.assertEqual(self.fx.rows("SELECT * FROM users ORDER BY name"), [
            ("ann", 27, [{"id": "ann@one", "provider": "one"}, "ann@old", {"id": "ann@two"}], None), ("bob", None, None, None), ("eve", 51, [], None),
            ("jon", 32, ["jon@one", "jon@two"], "jon@one")])
        sql = {name: statement for name, statement, _ in READS}
        emails = [("ann@old", None), ("ann@one", "one"), ("ann@two", None), ("jon@one", None), ("jon@two", None)]
        self.assertEqual(sorted(self.fx.rows(sql["C-4 of lists"])), emails)
        self.assertEqual(sorted(row[1:] for row in self.fx.rows(sql["C-4"])), emails)
        self.assertEqual(self.fx.rows("SELECT pos, email FROM user_email WHERE name = 'jon' ORDER BY pos"), [(0, "jon@one"), (1, "jon@two")])
        self.assertEqual(self.fx.rows(sql["C-5"]), [("jon",)])
        self.assertEqual(self.fx.rows("SELECT name FROM user_email WHERE email = '\"jon@two\"'"), [("jon",)])
        self.assertEqual(len(self.fx.rows(sql["C-9"])), 130)

    def test_C_7_units(self):
        """A projection spares bytes on the wire, and no read units."""
        units = {columns: next(line for line in self.fx.explain(f"SELECT {columns} FROM movies WHERE name = 'Bahubali' AND year = 2017", "ANALYZE").split("\n")
                               if "Read Units: " in line and "Requests" in line).split("Read Units: ")[1].split()[0] for columns in ("year", "*")}
        self.assertEqual(units["year"], units["*"])

    def test_C_11_trap(self):
        """The songs know the film's name only: both films of that name have all of them."""
        rows = self.fx.rows("SELECT m.year, count(*) FROM movies m JOIN songs s ON s.movie_id = m.name WHERE m.name = 'Bahubali' GROUP BY 1 ORDER BY 1")
        self.assertEqual(rows, [(2015, 130), (2017, 130)])

    def test_C_12(self):
        """The film's list of songs: two batches (a Scan of this small table is cheaper), and what the two sources disagree about."""
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        sql = "SELECT s.name FROM movies m JOIN songs s ON s.name = ANY (m.song_ids) WHERE m.name = 'Bahubali' AND m.year = 2017"
        requests = self.fx.requests(sql)
        self.assertEqual(sorted(r.operation for r in requests), ["BatchGetItem", "BatchGetItem", "GetItem"])
        self.assertEqual(sorted(len(r.body["RequestItems"][self.fx.remote("songs")]["Keys"]) for r in requests if r.operation == "BatchGetItem"), [30, 100])
        self.assertEqual(sorted(self.fx.rows(sql)), [(name,) for name in SONGS])
        self.assertEqual(self.fx.rows("SELECT unnest(song_ids) FROM movies WHERE name = 'Magadheera' AND year = 2009"
                                      " EXCEPT SELECT name FROM songs WHERE movie_id = 'Magadheera'"), [("lost",)])

    def test_C_15(self):
        """DDL sends nothing; what creates tables is not the wrapper's concern."""
        for sql in ("CREATE FOREIGN TABLE nowhere (a text) SERVER ddb", "ALTER FOREIGN TABLE nowhere ADD b int", "DROP FOREIGN TABLE nowhere"):
            self.assertEqual(self.fx.requests(sql, describe=True), [])

    def test_C_17(self):
        """What was consumed is requested, and shown."""
        sql = "SELECT name FROM songs WHERE movie_id = 'Magadheera'"
        text = self.fx.explain(sql, "ANALYZE, COSTS OFF")
        self.assertRegex(text, r"Requests: 1  Pages: 1  Items Read: 2  Items Returned: 2  Read Units: 0\.5 ")
        [request] = self.fx.requests(f"EXPLAIN (ANALYZE) {sql}")
        self.assertEqual(request.body["ReturnConsumedCapacity"], "TOTAL")
