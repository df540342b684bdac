"""Everything is released by thousands of statements that fail, are cancelled or stop early.

DYNAMO_FDW_LEAK_STATEMENTS sets how many; the default takes a few seconds, and test/nightly requests many more.
"""
import os

import psycopg2

import fixture
import replies
from processes import WITHOUT_SANITIZERS, descriptors_of, resident_kb
from volume import volume

STATEMENTS = int(os.environ.get("DYNAMO_FDW_LEAK_STATEMENTS", volume(500, 1500)))

# Statements before the first look, after which memory has its size.
WARM_UP = 600

# What the allocator may hold more than before, in kB; a leak of half a kB a statement shows.
SLACK_KB = 4000

ITEMS_PER_PAGE = 50


def page(number, wrong=None):
    """A page of items; the one numbered `wrong` has a text where a number should be."""
    first = number * ITEMS_PER_PAGE
    return [{"pk": {"S": f"p{i}"}, "n": {"S": "x"} if i == wrong else {"N": str(i)}, "filler": {"S": "f" * 100}}
            for i in range(first, first + ITEMS_PER_PAGE)]


@WITHOUT_SANITIZERS
class Leaks(fixture.TestCase):
    """One backend runs them all."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=1, throttle_timeout=100, scan_policy="allow")
        pages = [page(number) for number in range(6)]
        cls.fake.pages("good", pages)
        cls.fake.pages("wrong", pages[:3] + [page(3, wrong=170)] + pages[4:])
        cls.fake.pages("cut", pages[:2] + [replies.truncate_body(0.5, {"Count": 1, "ScannedCount": 1, "Items": page(2)})] + pages[3:])
        cls.fake.pages("garbage", pages[:2] + [b'{"Count":1,"Items":[{"pk":{"S":"\xff'] + pages[3:])
        cls.fake.pages("crc", pages[:2] + [replies.wrong_crc({"Count": 0, "Items": []})] + pages[3:])
        cls.fake.pages("late", pages[:2] + [replies.hang_before_headers()], 6)
        cls.fake.pages("later", pages[:2] + [replies.hang_in_body(0.5, {"Count": 1, "ScannedCount": 1, "Items": page(2)})], 6)
        cls.fake.pages("busy", [replies.throttle()] * 60)
        for name in list(cls.fake.tables) + ["missing"]:
            cls.fx.foreign_table(name, "pk text, n integer, filler text", server="fake")
        cls.fake.table("keyed", items=page(0)[:3])
        cls.fx.foreign_table("keyed", "pk text, n integer, filler jsonb", server="fake")
        cls.fx.execute("CREATE FUNCTION swallow(query text) RETURNS void LANGUAGE plpgsql AS "
                       "$$BEGIN EXECUTE query; EXCEPTION WHEN others THEN NULL; END$$")

    # Each kind of statement, with the SQLSTATE it ends with; None: it succeeds.

    KINDS = (
        ("SELECT * FROM missing", "HV00R"),
        ("SELECT sum(n) FROM wrong", "HV004"),
        ("SELECT count(pk) FROM cut", "08006"),
        ("SELECT count(pk) FROM garbage", "HV00M"),
        ("SELECT count(pk) FROM crc", "HV00M"),
        ("SELECT count(pk) FROM busy", "53400"),
        ("SET LOCAL statement_timeout = 5; SELECT * FROM late", "57014"),
        ("SET LOCAL statement_timeout = 5; SELECT * FROM later", "57014"),
        ("SELECT 1 / (n - 170) FROM good", "22012"),
        ("SELECT * FROM good LIMIT 60", None),
        ("SELECT swallow('SELECT * FROM wrong')", None),
        ("BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT * FROM good; FETCH 3 FROM c; ROLLBACK TO s; COMMIT", None),
        ("BEGIN; DECLARE c CURSOR FOR SELECT * FROM good; FETCH 60 FROM c; DECLARE d SCROLL CURSOR FOR SELECT * FROM good; FETCH 3 FROM d; COMMIT", None),
        ("BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT * FROM good; FETCH 3 FROM c; COMMIT; CLOSE c", None),
        ("SELECT * FROM generate_series(1, 3) i, LATERAL (SELECT 1 / (i - 2) FROM keyed WHERE pk = 'p' || i) x", "22012"),
        ("SELECT k.filler FROM generate_series(0, 5) i LEFT JOIN keyed k ON k.pk = 'p' || i", None),
        ("SELECT * FROM keyed WHERE pk IN ('p0', 'p1', 'p2', 'p9') AND filler IS NOT NULL", None),
        ("EXPLAIN SELECT * FROM good WHERE n > 3", None),
        ("EXPLAIN ANALYZE SELECT * FROM good", None),
        ("SELECT count(*) FROM good a WHERE EXISTS (SELECT 1 FROM good b WHERE b.n = a.n + 1) AND n < 60", None),
        ("DO $$BEGIN FOR i IN 1 .. 3 LOOP BEGIN PERFORM * FROM cut; EXCEPTION WHEN connection_failure THEN NULL; END; END LOOP; END$$", None),
    )

    def run_one(self, number):
        """The statement of that number."""
        sql, sqlstate = self.KINDS[number % len(self.KINDS)]
        got = None
        try:
            with self.fx.conn.cursor() as cursor:
                cursor.execute(sql)
        except psycopg2.Error as failure:
            got = failure.pgcode
        if got != sqlstate:
            self.fail(f"{sql}: {got} instead of {sqlstate}")

    def settle(self):
        """Nothing under way, the usual connection open."""
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        self.fx.rows("SELECT * FROM keyed WHERE pk = 'p0'")

    def look(self):
        """Descriptors, memory contexts of ours as (how many, bytes), kB of memory of the backend."""
        self.settle()
        pid = self.fx.conn.info.backend_pid
        contexts = self.fx.rows("SELECT count(*), coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts WHERE name LIKE 'dynamo_fdw%'")
        return self.fx.value("SELECT open_fds FROM dynamo_fdw_stats()"), descriptors_of(pid), contexts, resident_kb(pid)

    def test_many_statements(self):
        for number in range(WARM_UP):
            self.run_one(number)
        before = self.look()
        for number in range(STATEMENTS):
            self.run_one(number)
            if number % 500 == 0:       # another connection object, a running statement's description forgotten
                self.fx.execute("ALTER SERVER fake OPTIONS (SET max_attempts '1')")
        after = self.look()
        print(f"# {STATEMENTS} statements: descriptors {before[:2]} {after[:2]}, contexts {before[2]} {after[2]}, memory {before[3]} {after[3]} kB")
        self.assertEqual(after[:3], before[:3])
        self.assertLess(after[3] - before[3], SLACK_KB)
        self.assertLessEqual(self.fake.open, 2)

    def test_nothing_of_ours_outlives_a_statement(self):
        """Next to the connections nothing is cached: no context of a scan, page or batch."""
        for number in range(len(self.KINDS)):
            self.run_one(number)
        names = self.fx.rows("SELECT DISTINCT name FROM pg_backend_memory_contexts WHERE name LIKE 'dynamo_fdw%'")
        self.assertLessEqual({name for (name,) in names}, {"dynamo_fdw connection", "dynamo_fdw connections"})


@WITHOUT_SANITIZERS
class Writes(fixture.TestCase):
    """Statements that fail while a write waits to be sent."""

    def test_write_that_waits(self):
        self.fx.create_table("items", ("id", "S"))
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1')")
        self.fx.foreign_table("items", "id text NOT NULL, note text", updatable="on")
        self.fx.execute("INSERT INTO items VALUES ('there')")
        kb = []
        for _ in range(2):
            for _ in range(100):
                self.assertEqual(self.fx.error("INSERT INTO items VALUES ('there', ''), ('new', repeat('x', 100000))").sqlstate, "23505")
            kb.append(resident_kb(self.fx.conn.info.backend_pid))
        self.assertLess(kb[1] - kb[0], SLACK_KB)
