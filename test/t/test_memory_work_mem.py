"""Lookups with little work_mem: as wide as with much of it; rows that were read ahead are in a file, which goes with its statement."""
import re

import fixture
from dynamo import item
from replies import reply
from server import most_in_flight
from tables import index, with_capacity

WIDTH = 16              # requests in flight
LITTLE, MUCH = "64kB", "256MB"
PLAIN_LOOPS = "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off"


def outer(count, key="'k' || i"):
    """Rows of 2 kB, in order."""
    return f"(SELECT i, {key} AS k, repeat(chr(65 + i % 26), 2000) AS pad FROM generate_series(1, {count}) i OFFSET 0) v"


class Little(fixture.TestCase):
    """Any key is there: one item of each complete key, two of each partition, three keys in the index."""

    TEXT = "x"

    def setUp(self):
        self.fake = self.fx.fake("wide")
        self.addCleanup(self.fx.execute, "ROLLBACK; RESET ALL; DROP SERVER wide CASCADE")
        self.addCleanup(self.fake.stop)
        self.fx.execute(f"ALTER SERVER wide OPTIONS (ADD max_concurrency '{WIDTH}')")
        for name, key, sort, indexes in (("owners", "id", None, [index("by_boss", ("boss", "S"), None, "KEYS_ONLY")]),
                                         ("parts", "owner", ("n", "N"), [])):
            self.fake.table(name, (key, "S"), sort, indexes, item_count=10 ** 6, size_bytes=10 ** 9)
        self.fake.on("BatchGetItem", lambda request: self.batch(request.body))
        self.fake.on("GetItem", lambda request: reply(with_capacity({"Item": self.owner(request.body["Key"])}, {})))
        self.fake.on("Query", lambda request: self.query(request.body))
        self.fx.foreign_table("owners", 'id text COLLATE "C" NOT NULL, boss text, note text', server="wide", scan_policy="error")
        self.fx.foreign_table("parts", 'owner text COLLATE "C" NOT NULL, n int NOT NULL, note text', server="wide",
                              scan_policy="error")
        self.fx.execute(PLAIN_LOOPS)
        self.fx.rows("SELECT FROM owners, parts WHERE false")
        self.fx.explain("SELECT * FROM owners JOIN parts ON owner = id WHERE id = 'k'")

    def owner(self, key):
        """The item of a key."""
        return {**key, **item({"boss": key["id"]["S"].split("-")[0], "note": key["id"]["S"] + self.TEXT})}

    def batch(self, body):
        """The items of those keys."""
        [(table, wanted)] = body["RequestItems"].items()
        return reply(with_capacity({"Responses": {table: list(map(self.owner, wanted["Keys"]))}, "UnprocessedKeys": {}}, {}))

    def query(self, body):
        """What the partition has."""
        [value] = body["ExpressionAttributeValues"].values()
        name = value["S"]
        if body.get("IndexName"):
            items = [item({"id": f"{name}-{n}", "boss": name}) for n in range(3)]
        else:
            items = [item({"owner": name, "n": n, "note": name + self.TEXT}) for n in range(2)]
        return reply(with_capacity({"Items": items, "Count": len(items), "ScannedCount": len(items)}, {}))

    def reads(self):
        """The requests for items."""
        return [request for request in self.fake.requests if request.operation != "DescribeTable"]

    def spilled(self, sql):
        """Does it write to temporary files?"""
        plan = self.fx.explain(sql, "ANALYZE, BUFFERS, COSTS OFF, TIMING OFF")
        self.assertIn("DynamoLookupJoin", plan)
        return bool(re.search(r"temp (read=\d+ )?written=", plan))


class Wide(Little):
    """Requests."""

    def assertWide(self, sql, rows, requests=None):
        """With little work_mem the same rows by as many requests, and as many in flight, as with much."""
        runs = []
        for work_mem in (MUCH, LITTLE):
            self.fx.execute(f"SET work_mem = '{work_mem}'; SET hash_mem_multiplier = 1")
            self.fake.reset()
            self.fake.together(WIDTH)
            found = self.fx.rows(sql)
            runs.append((found, len(self.reads()), most_in_flight(self.reads())))
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEqual(runs[0][1:], runs[1][1:])
        self.assertEqual(runs[0], runs[1])
        self.assertEqual((len(found), runs[1][2]), (rows, WIDTH))
        if requests is not None:
            self.assertEqual(runs[1][1], requests)

    def test_complete_keys(self):
        """Batches of a hundred."""
        self.assertWide(f"SELECT i, length(pad), note FROM {outer(5000)} JOIN owners ON id = k", 5000, 50)

    def test_partitions(self):
        """A Query each."""
        self.assertWide(f"SELECT i, length(pad), note FROM {outer(600)} JOIN parts ON owner = k", 1200, 600)

    def test_index_then_table(self):
        """A Query each, and their keys a hundred at a time."""
        self.assertWide(f"SELECT i, length(pad), note FROM {outer(300)} JOIN owners ON boss = k", 900)

    def test_long_keys(self):
        """Of four hundred bytes."""
        self.assertWide(f"SELECT i, length(note) FROM {outer(1600, 'i || repeat($$k$$, 400)')} JOIN owners ON id = k", 1600, 16)

    def test_subplans(self):
        """Of a SELECT list."""
        self.assertWide(f"SELECT i, length(pad), (SELECT note FROM owners WHERE id = k) FROM {outer(1700)}", 1700, 17)


class Cached(Little):
    """Responses that several rows share: 400 kB, where work_mem is 64 kB."""

    TEXT = "x" * 5000

    def test_repeated_keys(self):
        """One request for each key, although the responses are more than work_mem."""
        self.fx.execute(f"SET work_mem = '{LITTLE}'; SET hash_mem_multiplier = 1")
        for table, key, rows, requests in (("owners", "id", 4000, 1), ("parts", "owner", 8000, 80)):
            sql = f"SELECT i, length(pad), length(note) FROM {outer(4000, '$$k$$ || i % 80')} JOIN {table} ON {key} = k"
            self.fake.reset()
            self.assertEqual(len(self.fx.rows(sql)), rows)
            self.assertEqual(len(self.reads()), requests)

    def test_limit_follows_fetch_memory(self):
        """With a lower fetch_memory there is less of it: responses are dropped and requested again, with the same rows."""
        sql = f"SELECT i, length(pad), length(note) FROM {outer(400, '$$k$$ || i % 80')} JOIN parts ON owner = k"
        self.fx.execute(f"SET work_mem = '{LITTLE}'; SET hash_mem_multiplier = 1")
        right = self.fx.rows(sql)
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1MB'")
        self.fake.reset()
        self.assertEqual(self.fx.rows(sql), right)
        self.assertGreater(len(self.reads()), 100)

    def test_what_is_used_again_is_kept(self):
        """A response that every tenth row needs is requested once, however many others are dropped between batches and in them."""
        self.fx.execute(f"SET work_mem = '{LITTLE}'; SET hash_mem_multiplier = 1; SET dynamo_fdw.fetch_memory = '1MB'")
        key = "CASE i % 10 WHEN 0 THEN $$again$$ ELSE $$k$$ || i END"
        rows = self.fx.rows(f"SELECT i, note FROM {outer(1600, key)} JOIN parts ON owner = k")
        self.assertEqual([(i, len(note)) for i, note in rows],
                         [(i, len(f"k{i}" if i % 10 else "again") + len(self.TEXT)) for i in range(1, 1601) for _ in range(2)])
        self.assertEqual(sum("again" in str(request.body) for request in self.reads()), 1)
        self.assertEqual(len(self.reads()), 1441)


class Spilled(Little):
    """The file of rows that were read ahead."""

    SQL = f"SELECT i, left(pad, 1), length(pad), note FROM {outer(400)} JOIN owners ON id = k"

    def setUp(self):
        super().setUp()
        self.fx.execute(f"SET work_mem = '{LITTLE}'")
        self.right = [(i, chr(65 + i % 26), 2000, f"k{i}x") for i in range(1, 401)]

    def files(self):
        """How many temporary files the session has."""
        return self.fx.value("SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'")

    def assertNoFile(self):
        """Nothing is left."""
        self.assertEqual(self.files(), 0)

    def test_when(self):
        """Only where work_mem is too small, and where temporary files are not limited."""
        self.assertTrue(self.spilled(self.SQL))
        self.assertEqual(self.fx.rows(self.SQL), self.right)
        self.fx.execute(f"SET work_mem = '{MUCH}'")
        self.assertFalse(self.spilled(self.SQL))
        self.fx.execute(f"SET work_mem = '{LITTLE}'; SET temp_file_limit = 0")
        self.assertFalse(self.spilled(self.SQL))
        self.assertEqual(self.fx.rows(self.SQL), self.right)
        self.assertNoFile()

    def test_wide_rows(self):
        """A batch ends where its file would take more than fetch_memory."""
        sql = "SELECT i, length(pad), note FROM (SELECT i, 'k' || i AS k, repeat('a', 100000) AS pad FROM generate_series(1, 40) i" \
              " OFFSET 0) v JOIN owners ON id = k"
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1MB'")
        plan = self.fx.explain(sql, "ANALYZE, COSTS OFF, TIMING OFF")
        self.assertIn("Batches: 4  Largest Batch: 11", plan)
        self.assertEqual(self.fx.rows(sql), [(i, 100000, f"k{i}x") for i in range(1, 41)])

    def test_null_rows_and_types(self):
        """What comes back from the file is what went in."""
        sql = "SELECT i, b, j, n, note FROM (SELECT i, CASE WHEN i % 3 > 0 THEN 'k' || i END AS k, i % 2 = 0 AS b, NULL::int AS n," \
              " jsonb_build_object('i', i, 'p', repeat('x', 500)) AS j FROM generate_series(1, 400) i OFFSET 0) v" \
              " LEFT JOIN owners ON id = k"
        self.assertTrue(self.spilled(sql))
        found = self.fx.rows(sql)
        self.assertEqual([(i, b, j["i"], n, note) for i, b, j, n, note in found],
                         [(i, i % 2 == 0, i, None, f"k{i}x" if i % 3 else None) for i in range(1, 401)])

    def test_savepoint_below_a_cursor(self):
        """Rows that were read ahead inside of a savepoint survive its end."""
        for end in ("ROLLBACK TO s", "RELEASE s"):
            with self.subTest(end):
                self.fx.execute(f"BEGIN; DECLARE c NO SCROLL CURSOR FOR {self.SQL}; SAVEPOINT s")
                rows = self.fx.rows("FETCH 200 FROM c")
                self.assertEqual(self.files(), 1)
                self.fx.execute(end)
                rows += self.fx.rows("FETCH 100 FROM c")
                self.fx.execute("SAVEPOINT t; SAVEPOINT u")
                rows += self.fx.rows("FETCH 50 FROM c")
                self.fx.execute("ROLLBACK TO t")
                self.assertEqual(rows + self.fx.rows("FETCH ALL FROM c"), self.right)
                self.fx.execute("CLOSE c")
                self.assertNoFile()
                self.fx.execute("COMMIT")

    def test_cursor_of_a_savepoint(self):
        """It goes with the savepoint, and so does its file; or it stays with both."""
        self.fx.execute(f"BEGIN; SAVEPOINT s; DECLARE c NO SCROLL CURSOR FOR {self.SQL}")
        self.fx.rows("FETCH 200 FROM c")
        self.fx.execute("ROLLBACK TO s")
        self.assertNoFile()
        self.fx.execute(f"DECLARE c NO SCROLL CURSOR FOR {self.SQL}")
        rows = self.fx.rows("FETCH 200 FROM c")
        self.fx.execute("RELEASE s")
        self.assertEqual(rows + self.fx.rows("FETCH ALL FROM c"), self.right)
        self.fx.execute("ROLLBACK")
        self.assertNoFile()

    def test_backward(self):
        """Through what core keeps."""
        self.fx.execute(f"BEGIN; DECLARE c SCROLL CURSOR FOR {self.SQL}")
        self.assertEqual(self.fx.rows("FETCH 300 FROM c"), self.right[:300])
        self.assertEqual(self.fx.rows("FETCH BACKWARD 250 FROM c"), self.right[49:299][::-1])
        self.assertEqual(self.fx.rows("FETCH ALL FROM c"), self.right[50:])
        self.fx.execute("COMMIT")
        self.assertNoFile()

    def test_with_hold(self):
        """The rest is read when the transaction commits."""
        self.fx.execute(f"BEGIN; DECLARE c NO SCROLL CURSOR WITH HOLD FOR {self.SQL}")
        rows = self.fx.rows("FETCH 150 FROM c")
        self.fx.execute("SAVEPOINT s")
        rows += self.fx.rows("FETCH 50 FROM c")
        self.fx.execute("ROLLBACK TO s; COMMIT")
        self.assertEqual(rows + self.fx.rows("FETCH ALL FROM c"), self.right)
        self.fx.execute("CLOSE c")
        self.assertNoFile()

    def test_subtransactions_of_a_loop(self):
        """Each row of a FOR loop is handled in a subtransaction that fails, and the loop goes on."""
        self.fx.execute("CREATE OR REPLACE FUNCTION loops() RETURNS SETOF int LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN"
                        f" FOR r IN {self.SQL} LOOP BEGIN RETURN NEXT r.i; PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN NULL;"
                        " END; END LOOP; END $$")
        self.addCleanup(self.fx.execute, "DROP FUNCTION loops()")
        self.assertEqual(self.fx.rows("SELECT loops()"), [(i,) for i in range(1, 401)])
        self.assertNoFile()

    def test_rescans(self):
        """With and without changed parameters."""
        for inner in (self.SQL, self.SQL.replace("1, 400", "1, 100 * g")):
            sql = f"SELECT g, i, length, note FROM generate_series(2, 4) g, LATERAL ({inner} OFFSET 0) x"
            self.assertTrue(self.spilled(sql))
            last = {g: 100 * g if "100 * g" in inner else 400 for g in (2, 3, 4)}
            self.assertEqual(sorted(self.fx.rows(sql)), [(g, i, 2000, f"k{i}x") for g in (2, 3, 4) for i in range(1, last[g] + 1)])
        self.assertNoFile()

    def test_small_executions_after_a_large_one(self):
        """Only the large one needs a file."""
        sql = f"SELECT count(x.length) FROM generate_series(1, 30) g, LATERAL ({self.SQL.replace('1, 400', '1, CASE g WHEN 1 THEN 400 ELSE 3 END')} OFFSET 0) x"
        self.fx.execute("SET log_temp_files = 0; SET client_min_messages = log")
        files = [notice for notice in self.fx.notices(sql) if "temporary file" in notice]
        self.fx.execute("RESET client_min_messages")
        self.assertEqual(len(files), 1, files)
        self.assertEqual(self.fx.rows(sql), [(400 + 29 * 3,)])

    def test_stopped_and_executed_again(self):
        """An execution that ends early leaves rows unread, of which none comes later."""
        sql = f"SELECT g, (SELECT max(length(note)) FROM ({self.SQL} LIMIT 100 * g) x) FROM generate_series(1, 3) g"
        self.assertEqual(self.fx.rows(sql), [(1, 5), (2, 5), (3, 5)])
        self.assertNoFile()

    def test_errors(self):
        """Nothing is left of a statement that fails between rows."""
        self.assertEqual(self.fx.error(f"SELECT i, 1 / (i - 300), note FROM ({self.SQL} OFFSET 0) x").sqlstate, "22012")
        self.assertNoFile()
        self.fx.execute("BEGIN; SAVEPOINT s")
        self.assertEqual(self.fx.error(f"SELECT i, 1 / (i - 300), note FROM ({self.SQL} OFFSET 0) x").sqlstate, "22012")
        self.fx.execute("ROLLBACK TO s")
        self.assertNoFile()
        self.fx.execute("COMMIT")
