"""Several ranges of one sort key, enumerated parts, and the order of parts: templates."""
import json

import request_text
from dynamo import index
from request_text import statements
from tables import index as scripted_index

STATUSES = ("PENDING", "SCHEDULED", "PROCESSED")
PAYMENT = {"shard": "${shard:0..2}", "status_time": "${status:PENDING|SCHEDULED|PROCESSED}#${due:iso8601(0,)}"}
EVENT = {"pk": "dev#${device}", "sk": "${kind}#${day}#${n:padded(3)}"}
VISIT = {"pk": "site#${site}", "sk": "${day:pattern(YYYYMMDD)}${n:padded(3)}"}


def payments():
    """90 payments: 30 days, three shards, three states."""
    for n in range(90):
        due = f"2019-09-{n % 30 + 1:02d}T{n % 24:02d}:00:00"
        yield {"account": f"a{n:02d}", "shard": n % 3, "status_time": f"{STATUSES[n // 3 % 3]}#{due}", "amount": n}


def events():
    """Events of two devices and three kinds, and items that are none."""
    for device in "ab":
        for n in range(60):
            yield {"pk": f"dev#{device}", "sk": f"{'xyz'[n % 3]}#2024-{n % 12 + 1:02d}-01#{n:03d}", "value": n}
        yield {"pk": f"dev#{device}", "sk": "y#2024-05-01#1", "value": -1}
        yield {"pk": f"dev#{device}", "sk": "y#nonsense", "value": -1}


def visits():
    """Visits whose day and number are next to each other in the key: successive days are neighbors."""
    for n in range(80):
        yield {"pk": f"site#{n % 2}", "sk": f"202401{n % 5 + 27 if n % 5 < 4 else 5:02d}{n * 7 % 100:03d}"}


def range_of(state, low, high, shard, and_filter=""):
    """One Query of payments."""
    return (f"Query bank/by_status where shard = {shard} AND status_time BETWEEN '{state}#{low}' AND '{state}#{high}'{and_filter}"
            " get account, shard, status_time")


REQUESTS = [
    ("an enumerated hash and an enumerated part",
     "SELECT account FROM payment WHERE due >= '2019-09-25' AND due < '2019-09-26'",
     [range_of(state, "2019-09-25T00:00:00", "2019-09-26T00:00:00", shard) for state in STATUSES for shard in range(3)]),
    ("one of both", "SELECT account FROM payment WHERE due >= '2019-09-25' AND due < '2019-09-26' AND status = 'PENDING' AND shard = 1",
     [range_of("PENDING", "2019-09-25T00:00:00", "2019-09-26T00:00:00", 1)]),
    ("two of three", "SELECT account FROM payment WHERE due >= '2019-09-25' AND due < '2019-09-26' AND status IN ('PENDING', 'PROCESSED')"
     " AND shard = 1", [range_of(state, "2019-09-25T00:00:00", "2019-09-26T00:00:00", 1) for state in ("PENDING", "PROCESSED")]),
    ("outside of the enumeration", "SELECT account FROM payment WHERE status = 'DONE' AND shard = 7",
     ["Query bank/by_status where shard = 7 AND begins_with(status_time,'DONE#') get account, shard, status_time"]),
    ("a point of each state", "SELECT account FROM payment WHERE due = '2019-09-25T00:00:00' AND shard = 0",
     [f"Query bank/by_status where shard = 0 AND status_time = '{state}#2019-09-25T00:00:00' get account, shard, status_time"
      for state in STATUSES]),
    ("in order of time", "SELECT account, due FROM payment WHERE due >= '2019-09-20' AND shard = 2 ORDER BY due",
     [f"Query bank/by_status where shard = 2 AND status_time BETWEEN '{state}#2019-09-20T00:00:00' AND '{state}$'"
      " get account, shard, status_time" for state in STATUSES]),
    ("lists", "SELECT n FROM event WHERE device = 'a' AND kind IN ('x', 'z', 'w') AND day > '2024-06-01'",
     [f"Query events where pk = 'dev#a' AND sk BETWEEN '{kind}#2024-06-02' AND '{kind}$' get pk, sk" for kind in "wxz"]),
    ("the same value twice", "SELECT n FROM event WHERE device = 'a' AND kind IN ('x', 'x') AND day = '2024-04-01'",
     ["Query events where pk = 'dev#a' AND begins_with(sk,'x#2024-04-01#') get pk, sk"]),
    ("in order", "SELECT day, n FROM event WHERE device = 'a' AND kind = 'x' ORDER BY day, n LIMIT 3",
     ["Query events where pk = 'dev#a' AND begins_with(sk,'x#') get pk, sk limit 3"]),
    ("backward", "SELECT day, n FROM event WHERE device = 'a' AND kind = 'x' ORDER BY day DESC, n DESC LIMIT 3",
     ["Query events where pk = 'dev#a' AND begins_with(sk,'x#') get pk, sk limit 3 backward"]),
]


@statements(REQUESTS)
class TemplateOrder(request_text.RequestTestCase):
    """Each statement sends just the requests listed, and gives the rows of a local table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("bank", ("account", "S"), None, [index("by_status", ("shard", "N"), ("status_time", "S"))])
        cls.fx.put("bank", payments())
        cls.fx.create_table("events", ("pk", "S"), ("sk", "S"))
        cls.fx.put("events", events())
        cls.fx.create_table("visits", ("pk", "S"), ("sk", "S"))
        cls.fx.put("visits", visits())
        cls.fx.execute("CREATE SCHEMA mirror")
        cls.fx.foreign_table("visit", "site text NOT NULL, day date NOT NULL, n int NOT NULL", table_name=cls.fx.remote("visits"), key_templates=json.dumps(VISIT))
        cls.fx.foreign_table("payment", "account text NOT NULL, shard int OPTIONS (attribute 'shard') NOT NULL, status text"
                             " OPTIONS (attribute 'status_time') NOT NULL, due timestamp OPTIONS (attribute 'status_time') NOT NULL, amount int",
                             table_name=cls.fx.remote("bank"), key_templates=json.dumps(PAYMENT))
        cls.fx.foreign_table("event", 'device text NOT NULL, kind text COLLATE "C" NOT NULL, day date NOT NULL, n int NOT NULL, value int',
                             table_name=cls.fx.remote("events"), key_templates=json.dumps(EVENT), on_mismatch="null")
        for item in payments():
            state, due = item["status_time"].split("#")
            cls.row("payment", "account text, shard int, status text, due timestamp, amount int",
                    (item["account"], item["shard"], state, due, item["amount"]))
        for item in visits():
            cls.row("visit", "site text, day date, n int", (item["pk"][5:], item["sk"][:8], int(item["sk"][8:])))
        for item in events():
            if item["value"] >= 0:
                kind, day, n = item["sk"].split("#")
                cls.row("event", 'device text, kind text COLLATE "C", day date, n int, value int', (item["pk"][4:], kind, day, int(n), item["value"]))

    @classmethod
    def row(cls, table, columns, values):
        """One row of a local table."""
        cls.fx.execute(f"CREATE TABLE IF NOT EXISTS mirror.{table} ({columns})")
        cls.fx.execute(f"INSERT INTO mirror.{table} VALUES ({', '.join(['%s'] * len(values))})", values)

    def test_orders(self):
        """Rows in order, whether an index gives it or PostgreSQL sorts."""
        for sql in ("SELECT due, account FROM payment WHERE due >= '2019-09-10' AND due < '2019-09-20' ORDER BY due, account",
                    "SELECT due FROM payment WHERE shard = 1 AND status IN ('PENDING', 'SCHEDULED') ORDER BY due DESC",
                    "SELECT due FROM payment ORDER BY due LIMIT 7", "SELECT status, due FROM payment WHERE shard = 1 ORDER BY status, due",
                    "SELECT kind, day, n FROM event WHERE device = 'b' ORDER BY kind, day, n",
                    "SELECT kind, day, n FROM event WHERE device = 'b' ORDER BY kind DESC, day DESC, n DESC LIMIT 20",
                    "SELECT day, n FROM event WHERE device = 'b' AND kind IN ('x', 'y', 'z') ORDER BY day, n",
                    "SELECT day, n FROM event WHERE device = 'b' AND kind IN ('y', 'z') ORDER BY day DESC, n DESC LIMIT 5",
                    "SELECT n FROM event WHERE device IN ('a', 'b') AND kind = 'y' AND day = '2024-05-01' ORDER BY n",
                    "SELECT max(day), min(day) FROM event WHERE device = 'a' AND kind = 'z'"):
            with self.subTest(sql):
                self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_claimed_order(self):
        """The order of an index is used where it is one, and only there."""
        for sql, sorted_here in (
                ("SELECT day FROM event WHERE device = 'b' AND kind = 'x' ORDER BY day, n", False),
                ("SELECT day FROM event WHERE device = 'b' AND kind IN ('x', 'y') ORDER BY day, n", False),
                ("SELECT n FROM event WHERE device = 'b' AND kind = 'x' ORDER BY n", True),
                ("SELECT day FROM event WHERE device = 'b' ORDER BY day", True),
                ("SELECT kind FROM event WHERE device = 'b' ORDER BY kind", True),
                ("SELECT due FROM payment WHERE shard = 1 ORDER BY status, due", True),
                ("SELECT due FROM payment WHERE shard = 1 AND status = 'PENDING' ORDER BY due", False),
                ("SELECT due FROM payment WHERE due > '2019-09-20' AND shard IN (0, 1) ORDER BY due", False)):
            with self.subTest(sql):
                self.assertEqual("Sort" in self.fx.explain(sql), sorted_here)

    def test_successive_values(self):
        """Successive values of a part with nothing after it: each is read in the order of the next part, unless no order is needed."""
        days = "site = '1' AND day IN ('2024-01-28', '2024-01-29', '2024-01-30', '2024-01-05')"
        for sql in (f"SELECT n FROM visit WHERE {days} ORDER BY n", f"SELECT n FROM visit WHERE {days} ORDER BY n DESC LIMIT 5",
                    f"SELECT min(n), max(n) FROM visit WHERE {days}", f"SELECT n, rank() OVER (ORDER BY n) FROM visit WHERE {days} ORDER BY n, 2",
                    f"SELECT day, n FROM visit WHERE {days} ORDER BY day, n", f"SELECT DISTINCT n FROM visit WHERE {days} AND n > -5 ORDER BY n LIMIT 3"):
            with self.subTest(sql):
                self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
        self.assertNotIn("Sort", self.fx.explain(f"SELECT n FROM visit WHERE {days} ORDER BY n"))
        self.assertEqual(len(self.fx.requests(f"SELECT n FROM visit WHERE {days} ORDER BY n")), 4)
        self.assertEqual(len(self.fx.requests(f"SELECT n FROM visit WHERE {days}")), 3)

    def test_more_values_than_ranges(self):
        """A list whose length is not known to the plan, longer than what is requested one by one: order is no worse."""
        connection = self.fx.connect()
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SET plan_cache_mode = force_generic_plan; PREPARE few (text[]) AS"
                           " SELECT day, n FROM event WHERE device = 'b' AND kind = ANY ($1) ORDER BY day, n LIMIT 7")
            for kinds in (["x", "y"], ["x", "y", "z"] + [f"k{n}" for n in range(150)]):
                cursor.execute("EXECUTE few (%s)", (kinds,))
                self.assertEqual(cursor.fetchall(), self.mirrored("SELECT day, n FROM event WHERE device = 'b' AND kind = ANY ((ARRAY['x', 'y', 'z'])[:%d])"
                                                                  " ORDER BY day, n LIMIT 7" % min(len(kinds), 3)))
        connection.close()

    def test_estimate_of_many_values(self):
        """More ranges than are requested one by one are one Query, and are estimated as one."""
        sql = f"SELECT n FROM event WHERE device = 'a' AND kind IN ({', '.join(f'$${n}$$' for n in range(150))})"
        self.assertEqual([r.operation for r in self.fx.requests(sql)], ["Query"])
        plan = self.fx.value(f"EXPLAIN (VERBOSE, FORMAT json) {sql}")[0]["Plan"]
        self.assertLess(plan["Estimated Read Units"], 5)

    def test_joined(self):
        """Lookups with several ranges for each outer row."""
        for sql in ("SELECT d.device, e.n FROM (VALUES ('a'), ('b'), ('c')) d (device) JOIN event e ON e.device = d.device AND e.kind IN ('x', 'z')"
                    " AND e.day > '2024-08-01'",
                    "SELECT k.kind, (SELECT count(*) FROM event e WHERE e.device = 'a' AND e.kind IN (k.kind, 'x') AND e.day < '2024-04-01')"
                    " FROM (VALUES ('x'), ('y'), (NULL)) k (kind)"):
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql), key=repr), sorted(self.mirrored(sql), key=repr))

    def test_too_long_bounds(self):
        """Bounds that no key can reach do not make ranges overlap."""
        self.fx.create_table("notes", ("pk", "S"), ("sk", "S"))
        self.fx.put("notes", [{"pk": "x", "sk": f"{kind}#{note}"} for kind in ("AB", "BB") for note in ("a", "é", "z")])
        self.fx.foreign_table("note", 'pk text NOT NULL, kind text NOT NULL, note text COLLATE "C" NOT NULL', table_name=self.fx.remote("notes"),
                              key_templates='{"sk": "${kind}#${note}"}')
        for operator, count in (("<=", 6), (">=", 0), ("<", 6)):
            sql = f"SELECT count(note) FROM note WHERE pk = 'x' AND kind IN ('AB', 'BB') AND note {operator} repeat('é', 600)"
            self.assertEqual(self.fx.value(sql), count, sql)
        self.assertEqual(self.fx.value("SELECT count(note) FROM note WHERE pk = 'x' AND kind IN (repeat('A', 1100), repeat('B', 1100))"), 0)

    def test_numbers_as_sort_key(self):
        """Several numbers of an index's sort key."""
        self.fx.create_table("numbered", ("pk", "S"), None, [index("by_seq", ("g", "S"), ("seq_n", "N"))])
        self.fx.put("numbered", [{"pk": f"p{n}", "g": "a", "seq_n": n} for n in range(12)])
        self.fx.foreign_table("seq", "pk text NOT NULL, g text NOT NULL, seq int OPTIONS (attribute 'seq_n') NOT NULL",
                              table_name=self.fx.remote("numbered"), key_templates='{"seq_n": "${seq}"}')
        self.assertEqual(self.fx.rows("SELECT seq FROM seq WHERE g = 'a' AND seq IN (1, 2, 77) ORDER BY seq"), [(1,), (2,)])
        self.assertEqual(self.texts("SELECT seq FROM seq WHERE g = 'a' AND seq IN (1, 2)"),
                         [f"Query numbered/by_seq where g = 'a' AND seq_n = {n} get g, seq_n" for n in (1, 2)])
        self.assertEqual(self.fx.rows("SELECT seq FROM seq WHERE g = 'a' AND seq > 9 ORDER BY seq"), [(10,), (11,)])

    def test_order_of_values_elsewhere(self):
        """A part whose column is read elsewhere sorts only if every item in the index agrees."""
        self.fx.create_table("states", ("id", "S"), None, [index("by_state", ("kind", "S"), ("gsk", "S"))])
        self.fx.put("states", [{"id": "1", "kind": "a", "gsk": "open#2024-01-01T10:00:00Z", "created": "2024-01-01T10:00:00.900Z"},
                               {"id": "2", "kind": "a", "gsk": "open#2024-01-01T10:00:00Z", "created": "2024-01-01T10:00:00.100Z"},
                               {"id": "3", "kind": "a", "gsk": "open#2023-01-01T10:00:00Z"}])
        self.fx.foreign_table("state", "id text NOT NULL, kind text NOT NULL, status text OPTIONS (attribute 'gsk') NOT NULL,"
                              " created timestamptz OPTIONS (attribute 'created', format 'iso8601(3)')", table_name=self.fx.remote("states"),
                              key_templates='{"gsk": "${status}#${created:iso8601(0)}"}')
        for options in ("", "ADD trusted_indexes 'by_state'"):
            if options:
                self.fx.execute(f"ALTER FOREIGN TABLE state OPTIONS ({options})")
            self.assertEqual(self.fx.rows("SELECT id FROM state WHERE kind = 'a' AND status = 'open' ORDER BY created"), [("2",), ("1",), ("3",)])

    def test_more_texts_than_are_joined(self):
        """Values of several parts whose combinations are too many: what they have in common is requested, the rest is checked here."""
        self.fx.create_table("grid", ("pk", "S"), ("sk", "S"))
        self.fx.put("grid", [{"pk": f"p{n % 3}", "sk": sk} for n, sk in enumerate(("o#1#2", "o#1#9999", "o#3000#1", "o#70#71", "u#1#2", "o#1"))])
        self.fx.foreign_table("grid", 'pk text NOT NULL, a text COLLATE "C" NOT NULL, b text COLLATE "C" NOT NULL', scan_policy="allow",
                              key_templates=json.dumps({"sk": "o#${a}#${b}"}))
        lists = "ARRAY(SELECT n::text FROM generate_series({}, {}) n)".format
        for a, b, text in (((1, 3300), (1, 3300), "sk BETWEEN 'o#1#' AND 'o#999$'"), ((1, 10001), (1, 2), "begins_with(sk,'o#')"),
                           ((1, 3300), (2, 2), "sk BETWEEN 'o#1#2' AND 'o#999#2'"), ((7, 7), (1, 10001), "begins_with(sk,'o#7#')"),
                           ((1, 3), (1, 4000), "sk BETWEEN 'o#1#' AND 'o#3$'")):
            found = [r for r in ((1, 2), (1, 9999), (70, 71), (3000, 1)) if a[0] <= r[0] <= a[1] and b[0] <= r[1] <= b[1]]
            sql = f"SELECT a::int, b::int FROM grid WHERE a = ANY ({lists(*a)}) AND b = ANY ({lists(*b)})"
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql)), found)
                self.assertEqual(self.texts(sql), [f"Scan grid filter {text} get pk, sk"])
                self.assertEqual(self.fx.value(sql.replace("a::int, b::int", "count(*)")), len(found))
                self.assertEqual(len(self.fx.rows(sql + " LIMIT 1")), min(len(found), 1))
                kept = f"SELECT p.n, (SELECT count(*) FROM grid WHERE a = ANY (ARRAY[p.n] || {lists(*a)}) AND b = ANY ({lists(*b)})) FROM" \
                    " (VALUES ('x'), ('y'), ('z')) p (n)"
                self.assertEqual(sorted(self.fx.rows(kept)), [(x, len(found)) for x in "xyz"])

    def test_second_attribute_of_a_sort_key(self):
        """Several values in the second attribute of a sort key share a request, so that what follows them is in no order."""
        fake = self.fx.fake("fake")
        self.addCleanup(fake.stop)
        fake.table("Rounds", ("id", "S"), None, [scripted_index("by_round", [("t", "S")], [("a", "S"), ("b", "S")])], items=[], item_count=10 ** 6,
                   size_bytes=10 ** 9)
        self.fx.foreign_table("rounds", "id text NOT NULL, t text NOT NULL, a text NOT NULL, x text OPTIONS (attribute 'b') NOT NULL,"
                              " n int OPTIONS (attribute 'b') NOT NULL", server="fake", table_name="Rounds", key_templates='{"b": "${x}#${n:padded(3)}"}')
        for listed, sorted_here in (("x = 'p'", False), ("x IN ('p', 'q')", True)):
            plan = self.fx.explain(f"SELECT n FROM rounds WHERE t = 't' AND a = 'a' AND {listed} ORDER BY n")
            self.assertIn("Index: by_round", plan)
            self.assertEqual("Sort" in plan, sorted_here, plan)
