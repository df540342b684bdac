"""Memory that fails: each allocation of the plain C directories in turn, under statements of every kind.

The extension is linked once more, from the tree's objects, with an allocator that fails when SQL makes it
(test/torture), and only this test's database uses that library. Every statement gives the right rows, or the error "out
of memory"; the session goes on, and everything is released. DYNAMO_FDW_TORTURE_STRIDE reports which allocations fail: one of
this number, in turn; test/nightly requests each (1).
"""
import glob
import os
import shutil
import subprocess
import tempfile

import psycopg2

import fixture
import shop
from volume import volume

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PG_CONFIG = os.environ.get("PG_CONFIG") or "/usr/lib/postgresql/15/bin/pg_config"
STRIDE = int(os.environ.get("DYNAMO_FDW_TORTURE_STRIDE", volume(54, 9)))
WRAPPED = ("malloc", "calloc", "realloc", "strdup", "free")

# More allocations than any statement makes.
MOST = 3000

STATEMENTS = (
    "SELECT * FROM orders WHERE cust = 'c01' AND at = '2024-01-02'",
    "SELECT at, total FROM orders WHERE cust = 'c01' AND at > '2024-01-03' ORDER BY at DESC",
    "SELECT count(*) FROM orders WHERE cust = 'c02'",
    "SELECT cust, total FROM orders WHERE total > 50 AND ship IS NOT NULL",
    "SELECT cust, at FROM orders WHERE ship = 's3'",
    "SELECT * FROM orders WHERE cust IN ('c01', 'c02', 'c03', 'zz') AND total < 70",
    "SELECT sensor, val FROM readings WHERE sensor IN (1, 2) ORDER BY sensor, val LIMIT 7",
    "SELECT o.cust, (SELECT sum(r.val) FROM readings r WHERE r.sensor = length(o.cust) - 1) FROM orders o WHERE o.cust = 'c04'",
    "SELECT c.n, o.total FROM (VALUES ('c01', 1), ('c05', 2), ('zz', 3)) c(id, n) LEFT JOIN orders o ON o.cust = c.id",
    "SELECT total FROM orders WHERE cust = 'c01' UNION ALL SELECT val FROM readings WHERE sensor = 2",
    "SELECT * FROM dynamo_fdw_tables('own')",
    "EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE cust = 'c01' AND total = 3",
)


def run(*command):
    """Run a program that must succeed."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(directory):
    """The library with the allocator that fails; its path."""
    sources = [os.path.join(ROOT, "test", "torture", name) for name in ("torture.c", "torture_sql.c")]
    objects = sorted(glob.glob(os.path.join(ROOT, "src", "**", "*.o"), recursive=True))
    # torture_sql.c has another one, with which libcurl's own allocations do not fail
    objects = [path for path in objects if os.path.exists(path[:-2] + ".c") and os.path.basename(path) != "wiping.o"]
    include = subprocess.run([PG_CONFIG, "--includedir-server"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    library = os.path.join(directory, "dynamo_fdw_torture.so")
    counters = ["--coverage"] if os.environ.get("COVERAGE") else []     # of the objects, see test/coverage
    run("gcc", "-shared", "-fPIC", "-O1", "-g", "-D_GNU_SOURCE", "-I", include, "-I", os.path.join(ROOT, "src"), *sources, *objects,
        *(f"-Wl,--wrap={name}" for name in WRAPPED), "-lcurl", "-lssl", "-lcrypto", "-ljansson", "-lz", *counters, "-o", library)
    os.chmod(library, 0o755)
    os.chmod(directory, 0o755)      # the server is another user
    return library


class Torture(fixture.TestCase):
    """Statements over the shop's tables."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        directory = tempfile.mkdtemp(prefix="dynamo_fdw-torture.")
        cls.addClassCleanup(shutil.rmtree, directory)
        library = build(directory)
        shop.create(cls.fx, "orders", "readings")
        # other tests make and drop tables of theirs in the meantime
        cls.fx.server("own", os.environ["DDB_ENDPOINT"], table_prefix=cls.fx.remote(""))
        cls.fx.execute("UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dynamo_fdw'", (library,))
        cls.connect()
        for name, arguments, result in (("arm", "bigint, boolean", "void"), ("disarm", "", "boolean"), ("live", "", "bigint")):
            cls.fx.execute(f"CREATE FUNCTION torture_{name}({arguments}) RETURNS {result} LANGUAGE C AS '{library}', 'dyn_torture_{name}'")

    @classmethod
    def connect(cls):
        """A backend that has not loaded the other library."""
        cls.fx.conn.close()
        cls.fx.conn = cls.fx.connect()

    def setUp(self):
        self.connect()
        self.fx.rows("SELECT torture_disarm()")
        self.fx.execute("SET dynamo_fdw.scan_policy = 'allow'; SET enable_hashjoin = off; SET enable_mergejoin = off")

    def fail_once(self, sql, nth, onward, forget):
        """(rows or None for the lack of memory, did an allocation fail)"""
        if forget:      # connection and descriptions are recreated, under the failing allocator too
            self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
            self.fx.execute("ALTER SERVER ddb OPTIONS (SET region 'us-east-1')")
        self.fx.rows("SELECT torture_arm(%s, %s)", (nth, onward))
        rows = failure = None
        try:
            rows = self.fx.rows(sql)
        except psycopg2.Error as error:
            if self.fx.conn.closed:
                raise
            failure = error
        fired = self.fx.value("SELECT torture_disarm()")
        self.assertIn(failure and failure.pgcode, (None, "53200"), f"{sql}: allocation {nth}: {failure}")
        return rows, fired

    def survive(self, sql, onward, forget):
        """Fail in turn, as long as there is an allocation to fail."""
        right = self.fx.rows(sql)
        self.fail_once(sql, 0, onward, forget)
        live = self.fx.value("SELECT torture_live()")
        nth, fired = 1, True
        while fired and nth < MOST:
            rows, fired = self.fail_once(sql, nth, onward, forget)
            self.assertTrue(fired or rows is not None, sql)
            if rows is not None:
                self.assertEqual(sorted(rows), sorted(right), f"{sql}: allocation {nth}")
            nth += STRIDE
        self.assertFalse(fired, sql)
        self.assertEqual(sorted(self.fx.rows(sql)), sorted(right))
        self.fail_once(sql, 0, onward, forget)
        self.assertLessEqual(abs(self.fx.value("SELECT torture_live()") - live), 40, sql)
        return nth

    def test_statements(self):
        """On a connection that is there, with descriptions that are known."""
        for sql in STATEMENTS:
            for onward in (False, True):
                with self.subTest(sql=sql, onward=onward):
                    self.survive(sql, onward, False)

    def test_first_statements(self):
        """The first of a session: connecting and describing, too."""
        for sql in STATEMENTS:
            for onward in (False, True):
                with self.subTest(sql=sql, onward=onward):
                    self.survive(sql, onward, True)
