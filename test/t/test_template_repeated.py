"""A column in several parts of a key: a list gives as many keys as it has values, not their combinations."""
import re

import request_text
from dynamo import index
from processes import WITHOUT_SANITIZERS
from request_text import statements

NAMES = [f"n{n:03}" for n in range(60)]
USER = {"pk": "USER#${name}", "sk": "#METADATA#${name}"}
LINE = {"pk": "ORG#${org}", "sk": "ORG#${org}#${no:padded(3)}"}
TWICE = {"pk": "A#${id}#B#${id}", "sk": "C#${kind}#${id}"}
FOLDED = {"pk": "U#${name:lower}", "sk": "#${name}"}
HOUR = {"pk": "H#${at:hour}", "sk": "T#${at:hour}#${n}"}
TRIP = {"pk": "H#${start:hour}#${stop:hour}", "sk": "T#${start:hour}#${stop:hour}#${n}"}
DAY = {"pk": "D#${at:day}", "sk": "T#${at}#${n:padded(5)}"}
PAIRED = {"pk": "M#${id}#${n}", "sk": "-", "ga": "A#${id}", "gb": "B#${id}#${id}", "gd": "N#${n}"}
GIVEN = {"pk": "E#${mail}", "sk": "-", "gpk": "G#${team}", "gsk": "G#${team}#${mail}"}


def users(size):
    """Users; items whose two names differ are no rows."""
    for name in NAMES[:20] + [f"x{n:05}" for n in range(20 * (size - 1))]:
        yield {"pk": f"USER#{name}", "sk": f"#METADATA#{name}", "v": len(name)}
    for name, other in zip(NAMES, NAMES[1:5]):
        yield {"pk": f"USER#{name}", "sk": f"#METADATA#{other}", "v": -1}


def lines(size):
    """Lines of orders by organisation."""
    for org in range(12):
        for no in range(6 * size):
            yield {"pk": f"ORG#o{org}", "sk": f"ORG#o{org}#{no:03}", "v": no}
        yield {"pk": f"ORG#o{org}", "sk": f"ORG#o{org + 1}#001", "v": -1}


def times(n):
    """The first minutes of a day."""
    return [f"2026-01-01T{minute // 60:02}:{minute % 60:02}:00Z" for minute in range(n)]


def keys(values):
    """The keys of these users, as BatchGetItem has them."""
    return " ".join(f"{{pk 'USER#{v}', sk '#METADATA#{v}'}}" for v in values)


REQUESTS = [
    ("a list", "SELECT v FROM users WHERE name IN ('n003', 'n001', 'no', 'n003')", [f"BatchGetItem users {keys(['n001', 'n003', 'no'])} get pk, sk, v"]),
    ("one of a list", "SELECT v FROM users WHERE name IN ('n004')", ["GetItem users {pk 'USER#n004', sk '#METADATA#n004'} get pk, sk, v"]),
    ("a parameter", "SELECT v FROM users WHERE name = ANY (%s::text[])", [f"BatchGetItem users {keys(['n001', 'n002'])} get pk, sk, v"], (["n002", None, "n001"],)),
    ("an empty list", "SELECT v FROM users WHERE name = ANY (%s::text[])", [], ([],)),
    ("a list of NULL", "SELECT v FROM users WHERE name = ANY (%s::text[])", [], ([None],)),
    ("no list", "SELECT v FROM users WHERE name = ANY (%s::text[])", [], (None,)),
    ("two lists", "SELECT v FROM users WHERE name IN ('n001', 'n002', 'n003') AND name IN ('n002', 'n003', 'n009')", [f"BatchGetItem users {keys(['n002', 'n003'])} get pk, sk, v"]),
    ("partitions", "SELECT v FROM lines WHERE org IN ('o1', 'o3', 'nobody')",
     [f"Query lines where pk = 'ORG#{org}' AND begins_with(sk,'ORG#{org}#') get pk, sk, v" for org in ("nobody", "o1", "o3")]),
    ("partitions and a range", "SELECT v FROM lines WHERE org IN ('o1', 'o3') AND no > 2 AND no <= 4",
     [f"Query lines where pk = 'ORG#{org}' AND sk BETWEEN 'ORG#{org}#003' AND 'ORG#{org}#005' get pk, sk, v" for org in ("o1", "o3")]),
    ("partitions and full keys", "SELECT v FROM lines WHERE org IN ('o1', 'o3') AND no IN (2, 4)",
     ["BatchGetItem lines " + " ".join(f"{{pk 'ORG#{org}', sk 'ORG#{org}#{no}'}}" for org in ("o1", "o3") for no in ("002", "004")) + " get pk, sk, v"]),
    ("in order", "SELECT v FROM lines WHERE org IN ('o1', 'o3') ORDER BY org, no", None),
    ("in one part of the partition key twice", "SELECT v FROM twice WHERE id IN ('a', 'b')",
     [f"Query twice where pk = 'A#{v}#B#{v}' AND begins_with(sk,'C#') get pk, sk, v" for v in "ab"]),
    ("in three parts", "SELECT v FROM twice WHERE id IN ('a', 'b') AND kind IN ('y', 'x')",
     ["BatchGetItem twice " + " ".join(f"{{pk 'A#{v}#B#{v}', sk 'C#{kind}#{v}'}}" for v in "ab" for kind in "xy") + " get pk, sk, v"]),
    ("one list for two columns", "SELECT v FROM twice WHERE id IN ('a', 'x') AND kind IN ('a', 'x')",
     ["BatchGetItem twice " + " ".join(f"{{pk 'A#{v}#B#{v}', sk 'C#{kind}#{v}'}}" for v in "ax" for kind in "ax") + " get pk, sk, v"]),
    ("folded", "SELECT v FROM folded WHERE name IN ('Ada', 'ADA', 'bob')",
     ["BatchGetItem folded {pk 'U#ada', sk '#ADA'} {pk 'U#ada', sk '#Ada'} {pk 'U#bob', sk '#bob'} get pk, sk, v"]),
    ("hours", "SELECT v FROM hours WHERE at IN ('2026-01-01T10:05:00Z', '2026-01-01T10:55:00Z', '2026-01-02T10:05:00Z')",
     [f"Query hours where pk = 'H#{hour}' AND begins_with(sk,'T#{hour}#') filter at IN ('2026-01-01T10:05:00Z','2026-01-01T10:55:00Z','2026-01-02T10:05:00Z')"
      " get at, pk, sk, v" for hour in ("2026-01-01T10", "2026-01-02T10")]),
    ("an index with several sort key attributes", "SELECT v FROM paired WHERE id IN ('a', 'b') AND kind = 'x' AND n LIKE '1%%'",
     [f"Query paired/by_ids where ga = 'A#{v}' AND gb = 'B#{v}#{v}' AND kind = 'x' AND begins_with(gd,'N#1') filter pk BETWEEN 'M#a#1' AND 'M#b#2' AND sk = '-' get ga, gb, pk, sk, v"
      for v in "ab"]),
    ("an index with one of several sort key attributes", "SELECT v FROM paired WHERE id IN ('a', 'b') AND kind = 'x'",
     [f"Query paired/by_ids where ga = 'A#{v}' AND gb = 'B#{v}#{v}' AND kind = 'x' AND begins_with(gd,'N#') filter pk BETWEEN 'M#a#' AND 'M#b$' AND sk = '-' get ga, gb, pk, sk, v"
      for v in "ab"]),
    ("an index", "SELECT v FROM given WHERE team IN ('t1', 't2')",
     [f"Query given/by_team where gpk = 'G#{team}' AND begins_with(gsk,'G#{team}#') filter begins_with(pk,'E#') AND sk = '-' get gpk, pk, sk, team, v" for team in ("t1", "t2")]),
]


@statements([request for request in REQUESTS if request[2] is not None])
class Repeated(request_text.RequestTestCase):
    """The requests, and the rows of local tables."""

    SIZE = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        for name in ("users", "lines", "twice", "folded", "hours", "days", "trips"):
            fx.create_table(name, ("pk", "S"), ("sk", "S"))
        fx.create_table("given", ("pk", "S"), ("sk", "S"), [index("by_team", ("gpk", "S"), ("gsk", "S"))])
        fx.create_table("paired", ("pk", "S"), ("sk", "S"), [index("by_ids", [("ga", "S"), ("gb", "S")], [("kind", "S"), ("gd", "S")])])
        fx.put("paired", [{"pk": f"M#{a}#{n}", "sk": "-", "ga": f"A#{a}", "gb": f"B#{a}#{a}", "kind": kind, "gd": f"N#{n}", "v": v} for v, (a, kind, n) in enumerate(
            (a, "xy"[n % 2], n) for a in "abc" for n in range(20 * cls.SIZE))])
        fx.put("users", users(cls.SIZE))
        fx.put("lines", lines(cls.SIZE))
        fx.put("twice", [{"pk": f"A#{a}#B#{b}", "sk": f"C#{kind}#{c}", "v": n} for n, (a, b, c, kind) in enumerate(
            (a, b, c, kind) for a in "abcx" for b in "abx" for c in "abdx" for kind in "axyz")])
        fx.put("folded", [{"pk": f"U#{key}", "sk": f"#{name}", "v": len(name)} for key, name in (
            ("ada", "Ada"), ("ada", "ADA"), ("ada", "ada"), ("bob", "bob"), ("bob", "ada"), ("Ada", "Ada"))])
        fx.put("hours", [{"pk": f"H#{at[:13]}", "sk": f"T#{at[:13]}#{n}", "at": at, "v": n} for n, at in enumerate(
            f"2026-01-0{day}T{hour}:{minute}:00Z" for day in (1, 2) for hour in (10, 11) for minute in ("05", "55"))])
        fx.put("days", [{"pk": "D#2026-01-01", "sk": f"T#{at}#{n * 7919 % 10007:05}", "v": n} for n, at in enumerate(times(200))])
        fx.put("given", [{"pk": f"E#m{n}", "sk": "-", "gpk": f"G#t{n % 4}", "gsk": f"G#t{n % 4}#m{n}", "team": f"t{n % 4}", "v": n} for n in range(24 * cls.SIZE)])
        cls.mapped("users", "name text NOT NULL, v int", USER)
        cls.mapped("lines", "org text COLLATE \"C\" NOT NULL, no int NOT NULL, v int", LINE)
        cls.mapped("twice", "id text NOT NULL, kind text NOT NULL, v int", TWICE)
        cls.mapped("folded", "name text NOT NULL, v int", FOLDED)
        cls.mapped("hours", "at timestamptz OPTIONS (attribute 'at', format 'iso8601(0)') NOT NULL, n int NOT NULL, v int", HOUR)
        cls.mapped("days", "at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, n int NOT NULL, v int", DAY)
        fx.put("trips", [{"pk": f"H#2026-01-01T{a:02}#2026-01-01T{b:02}", "sk": f"T#2026-01-01T{a:02}#2026-01-01T{b:02}#{n}", "start": f"2026-01-01T{a:02}:05:00Z",
                         "stop": f"2026-01-01T{b:02}:50:00Z", "v": n} for a in range(2) for b in range(2) for n in range(20 * cls.SIZE)])
        cls.mapped("trips", ", ".join(f"{name} timestamptz OPTIONS (attribute '{name}', format 'iso8601(0)') NOT NULL" for name in ("start", "stop")) + ", n int NOT NULL, v int", TRIP)
        cls.mapped("paired", "id text NOT NULL, kind text NOT NULL, n text NOT NULL, v int", PAIRED, trusted_indexes="by_ids")
        cls.mapped("given", "mail text NOT NULL, team text OPTIONS (attribute 'team') NOT NULL, v int", GIVEN, trusted_indexes="by_team")

    def test_all_rows(self):
        """With the conditions, ordered and not, in generic plans, and joined."""
        for _, sql, _, *parameters in REQUESTS:
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql, *parameters)), sorted(self.mirrored(sql, *parameters)))
        for orgs in ("'o1', 'o3', 'o2'", "'o1', 'o2', 'o1'"):
            sql = f"SELECT org, no FROM lines WHERE org IN ({orgs}) ORDER BY org, no LIMIT 9"
            self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text[]) AS SELECT v FROM lines WHERE org = ANY ($1) AND no < 3")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        for orgs in (["o1", "o2"], [], ["o2", "o2", None, "none"], [f"o{n}" for n in range(12)]):
            self.assertEqual(sorted(self.fx.rows("EXECUTE p (%s)", (orgs,))), sorted(self.mirrored("SELECT v FROM lines WHERE org = ANY (%s) AND no < 3", (orgs,))))

    def test_many(self):
        """Sixty names are sixty keys in one BatchGetItem, not 3,600 keys or a Scan."""
        sql = "SELECT v FROM users WHERE name = ANY (%s)"
        [request] = self.fx.requests(sql, (NAMES,))
        self.assertEqual(len(request.body["RequestItems"][self.fx.remote("users")]["Keys"]), len(NAMES))
        self.assertEqual(sorted(self.fx.rows(sql, (NAMES,))), sorted(self.mirrored(sql, (NAMES,))))

    def test_two_long_lists(self):
        """Two lists on one column give the keys of the values in both, however long they are."""
        lists = [f"n{n:03}" for n in range(4000)], [f"n{n:03}" for n in range(15, 1, -1)] + [None] + [f"x{n:05}" for n in range(4000)]
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        for sql, names in (("SELECT v FROM users WHERE name = ANY (%s) AND name = ANY (%s)", NAMES[2:16]),
                           ("SELECT v FROM users WHERE name = ANY (%s) AND (name = ANY (%s) OR name = 'n001')", NAMES[1:16])):
            for values in (lists, lists[::-1]) if "OR" not in sql else (lists,):
                self.assertRequests(sql, [f"BatchGetItem users {keys(names)} get pk, sk, v"], values)
        sql = "SELECT v FROM twice WHERE id = ANY (%s) AND id = ANY (%s) AND kind = ANY (%s)"
        self.assertRequests(sql, ["BatchGetItem twice " + " ".join(f"{{pk 'A#{v}#B#{v}', sk 'C#{kind}#{v}'}}" for v in "bx" for kind in "bx") + " get pk, sk, v"],
                        (["a", "b", "x", None], ["x", "b", "b", "y"], ["x", "b"]))

    def peak(self):
        """The backend's peak memory in MB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024

    @WITHOUT_SANITIZERS
    def test_memory(self):
        """A million combinations of elements that give few keys need the memory of these keys, also in Queries."""
        for last, n, sent in (("n = ANY (%s)", list(range(100)), ["BatchGetItem"]), ("n >= %s", 3, ["Query"])):
            self.fx.conn.close()
            self.fx.conn = self.fx.connect()
            self.fx.execute("SET dynamo_fdw.scan_policy = error; SET jit = off")
            sql = f"SELECT v FROM trips WHERE start = ANY (%s::timestamptz[]) AND stop = ANY (%s::timestamptz[]) AND {last}"
            self.fx.rows(sql, (times(1), times(1), n))
            before = self.peak()
            elements = times(60) * (2 if sent == ["BatchGetItem"] else 16)
            self.assertEqual([r.operation for r in self.fx.requests(sql, (elements, elements, n))], sent)
            self.assertLess(self.peak() - before, 20)
            self.assertEqual(sorted(self.fx.rows(sql, (elements, elements, n))), sorted(self.mirrored(sql, (elements, elements, n))))

    def test_order_in_one_partition(self):
        """Elements that give one partition key are merged, also if they are more than 100."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '256'); SET enable_sort = off; SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency); RESET ALL")
        for elements in (90, 150):
            listed = ", ".join(f"'{at}'" for at in times(elements))
            for rest in ("", " LIMIT 5", " DESC LIMIT 5"):
                sql = f"SELECT n, v FROM days WHERE at IN ({listed}) ORDER BY n{rest}"
                self.assertNotIn("Sort", self.fx.explain(sql))
                self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_writes(self):
        """DELETE of a list requests one item of each value."""
        self.fx.execute("ALTER FOREIGN TABLE folded OPTIONS (ADD updatable 'true')")
        deleted = [r for r in self.fx.requests("DELETE FROM folded WHERE name IN ('Ada', 'bob', 'none')") if r.operation == "DeleteItem"]
        self.addCleanup(self.fx.put, "folded", [{"pk": "U#ada", "sk": "#Ada", "v": 3}, {"pk": "U#bob", "sk": "#bob", "v": 3}])
        self.assertLessEqual(len(deleted), 3)
        self.assertEqual(sorted(self.fx.rows("SELECT name FROM folded")), [("ADA",), ("ada",)])


class LargerTables(Repeated):
    """The same requests for twenty times the items."""

    SIZE = 20
