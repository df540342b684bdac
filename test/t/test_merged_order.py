"""Queries of several partitions, merged in the order of columns that a template equates with the sort key."""
import json

import request_text
from dynamo import index
from request_text import statements

STATES = ("open", "paid", "sent", "gone")
ORDER = {"pk": "O#${id}", "sk": "-", "gpk": "ST#${status}", "gsk": "${created}#${id}"}
LOOSE = {"pk": "L#${id}", "sk": "-", "gpk": "LS#${status}", "gsk": "${created}#${id}"}
EVENT = {"pk": "E#${tenant}#${shard:0..3}", "sk": "A#${at}"}
TICKET = {"pk": "T#${id}", "gpk": "Q#${queue}", "gsk": "${level:low|high}#${opened}"}


def at(n):
    """A time; every third one is that of two items."""
    return f"2026-{1 + n // 3 % 12:02}-{1 + n * 7 % 28 if n % 3 else 5:02}T00:00:00Z"


def second(n):
    """Another time of that day, of at most one event of a shard."""
    return f"{at(n)[:11]}{n // 600 % 24:02}:{n // 60 % 10:02}:{n // 12 % 6}{n % 10}Z"


def orders(size):
    """Orders, items that are none, and entries of the index that are none."""
    for n in range(120 * size):
        yield {"pk": f"O#{n:04}", "sk": "-", "gpk": f"ST#{STATES[n % 4]}", "gsk": f"{at(n)}#{n:04}", "created": at(n), "status": STATES[n % 4], "total": n}
    for n in range(20):
        yield {"pk": f"C#{n:03}", "sk": "-", "gpk": f"ST#{STATES[n % 4]}", "gsk": f"{at(n)}x", "created": at(n), "status": STATES[n % 4], "total": -1}
    # in the index, as if they had a time
    for n in range(60 * size):
        yield {"pk": f"L#{n:04}", "sk": "-", "gpk": f"LS#{STATES[n % 4]}", "gsk": f"{at(n)}#{n:04}", "status": STATES[n % 4], "total": n} | ({"created": at(n)} if n % 5 else {})


def events(size):
    """Events in four shards of two tenants; in one partition there are items of another kind."""
    for n in range(120 * size):
        yield {"pk": f"E#t{n % 2}#{n // 2 % 4}", "sk": f"A#{second(n)}", "at": second(n), "n": n}
    for n in range(10):
        yield {"pk": "E#t0#0", "sk": f"B#{n}", "at": at(n), "n": -1}
        yield {"pk": "E#t0#0", "sk": f"A#2026-13-{n}", "at": at(n), "n": -1}


def tickets(size):
    """Tickets of two levels in one index key."""
    for n in range(60 * size):
        level = ("low", "high")[n % 2]
        yield {"pk": f"T#{n:04}", "gpk": f"Q#{n // 2 % 3}", "gsk": f"{level}#{at(n)}", "queue": f"{n // 2 % 3}", "level": level, "opened": at(n), "n": n}


REQUESTS = [
    ("a column with an attribute of its own", "SELECT created FROM orders WHERE status IN ('open', 'paid') ORDER BY created DESC LIMIT 3",
     [f"Query orders/by_status where gpk = 'ST#{state}' filter begins_with(pk,'O#') AND sk = '-' get created, gpk, gsk, pk, sk, status limit 3 backward" for state in ("open", "paid")]),
    ("ties by the next part", "SELECT id FROM orders WHERE status IN ('open', 'paid') ORDER BY created, id LIMIT 3", None),
    ("ties by another column", "SELECT total FROM orders WHERE status IN ('open', 'paid', 'no') ORDER BY created DESC, total LIMIT 3", None),
    ("a bound of the sort key", "SELECT created FROM orders WHERE status IN ('open', 'paid') AND created >= '2026-03-01' ORDER BY created LIMIT 3", None),
    ("the greatest", "SELECT max(created) FROM orders WHERE status IN ('open', 'paid')", None),
    ("not null", "SELECT created, id FROM loose WHERE status IN ('open', 'paid') AND created IS NOT NULL ORDER BY created, id LIMIT 5",
     [f"Query orders/by_status where gpk = 'LS#{state}' filter attribute_type(created,'S') AND begins_with(pk,'L#') AND sk = '-' get created, gpk, gsk, pk, sk, status limit 44" for state in ("open", "paid")]),
    ("not null by a bound", "SELECT created, total FROM loose WHERE status IN ('open', 'sent') AND created < '2026-08-01' ORDER BY created DESC, id DESC LIMIT 3", None),
    ("the least", "SELECT min(created) FROM loose WHERE status IN ('open', 'paid')", None),
    ("shards that no condition names", "SELECT at FROM events WHERE tenant = 't1' ORDER BY at DESC LIMIT 3",
     [f"Query events where pk = 'E#t1#{shard}' AND begins_with(sk,'A#') get at, pk, sk limit 3 backward" for shard in range(4)]),
    ("shards that a condition names", "SELECT at FROM events WHERE tenant = 't1' AND shard IN (1, 2) ORDER BY at DESC LIMIT 3",
     [f"Query events where pk = 'E#t1#{shard}' AND begins_with(sk,'A#') get at, pk, sk limit 3 backward" for shard in (1, 2)]),
    ("shards of several tenants", "SELECT at FROM events WHERE tenant IN ('t0', 't1') ORDER BY at LIMIT 3", None),
    ("shards and ties", "SELECT n, at FROM events WHERE tenant = 't0' ORDER BY at, n DESC LIMIT 3", None),
]


@statements([request for request in REQUESTS if request[2] is not None])
class Merged(request_text.RequestTestCase):
    """The requests, and the rows of local tables in their order."""

    SIZE = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("orders", ("pk", "S"), ("sk", "S"), [index("by_status", ("gpk", "S"), ("gsk", "S"))])
        fx.create_table("events", ("pk", "S"), ("sk", "S"))
        fx.create_table("tickets", ("pk", "S"), None, [index("by_queue", ("gpk", "S"), ("gsk", "S"))])
        fx.put("orders", orders(cls.SIZE))
        fx.put("events", events(cls.SIZE))
        fx.put("tickets", tickets(cls.SIZE))
        time = "timestamptz OPTIONS (attribute '{0}', format 'iso8601(0)') NOT NULL"
        fx.foreign_table("orders", f'id text COLLATE "C" NOT NULL, status text OPTIONS (attribute \'status\') NOT NULL, created {time.format("created")}, total int',
                         table_name=fx.remote("orders"), key_templates=json.dumps(ORDER), trusted_indexes="by_status", scan_policy="allow")
        fx.foreign_table("loose", 'id text COLLATE "C" NOT NULL, status text OPTIONS (attribute \'status\'), created ' + time.format("created").removesuffix(" NOT NULL") + ", total int",
                         table_name=fx.remote("orders"), key_templates=json.dumps(LOOSE), trusted_indexes="by_status", scan_policy="allow")
        fx.foreign_table("events", f"tenant text NOT NULL, shard int NOT NULL, at {time.format('at')}, n int", table_name=fx.remote("events"),
                         key_templates=json.dumps(EVENT), scan_policy="allow")
        fx.foreign_table("tickets", "id text NOT NULL, queue text OPTIONS (attribute 'queue') NOT NULL, level text OPTIONS (attribute 'level') COLLATE \"C\" NOT NULL,"
                         f" opened {time.format('opened')}, n int", table_name=fx.remote("tickets"), key_templates=json.dumps(TICKET), trusted_indexes="by_queue", scan_policy="allow")
        cls.mirror("orders", "loose", "events", "tickets")

    def test_orders(self):
        """As a local table sorts, analyzed or not, and by cursors that go back."""
        for analyzed in (False, True):
            if analyzed:
                self.fx.execute("ANALYZE orders; ANALYZE loose; ANALYZE events; ANALYZE tickets")
            for _, sql, _ in REQUESTS:
                with self.subTest(sql, analyzed=analyzed):
                    self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
        with self.fx.conn.cursor() as cursor:
            cursor.execute("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT at FROM events WHERE tenant = 't1' ORDER BY at; FETCH 20 FROM c")
            first = cursor.fetchall()
            cursor.execute("FETCH BACKWARD 19 FROM c")
            self.assertEqual(cursor.fetchall(), first[-2::-1])
            cursor.execute("ROLLBACK")

    def test_claimed_order(self):
        """Merged without a sort where the texts of all partitions begin alike; not where a part that differs comes before."""
        for sql, sorts in (("SELECT * FROM orders WHERE status IN ('open', 'paid') ORDER BY created", False),
                           ("SELECT * FROM loose WHERE status IN ('open', 'paid') AND created IS NOT NULL ORDER BY created", False),
                           ("SELECT * FROM loose WHERE status IN ('open', 'paid') AND created > '2026-05-01' ORDER BY created", False),
                           ("SELECT * FROM loose WHERE status IN ('open', 'paid') AND (created > '2026-05-01' OR total > 5) ORDER BY created", True),
                           ("SELECT * FROM events WHERE tenant = 't1' ORDER BY at", False), ("SELECT * FROM events ORDER BY at", True),
                           ("SELECT * FROM tickets WHERE queue IN ('0', '1') AND level = 'low' ORDER BY opened", False),
                           ("SELECT * FROM tickets WHERE queue IN ('0', '1') AND level IN ('low', 'high') ORDER BY opened", True),
                           ("SELECT * FROM tickets WHERE queue = '0' AND level IN ('low', 'high') ORDER BY opened", True)):
            with self.subTest(sql):
                self.assertEqual("Sort" in self.fx.explain(sql), sorts)
                rows = [row[-2:] if "tickets" in sql else row[2] for row in self.fx.rows(sql)]
                self.assertEqual(sorted(rows, key=str), sorted([row[-2:] if "tickets" in sql else row[2] for row in self.mirrored(sql)], key=str))

    def test_generic_plans(self):
        """As many partitions as the values of a generic plan name."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text, text) AS SELECT created, id FROM orders WHERE status IN ($1, $2) ORDER BY created, id LIMIT 5")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        for values in (("open", "paid"), ("gone", "gone"), ("no", "sent")):
            self.assertEqual(self.fx.rows(f"EXECUTE p {values}"),
                             self.mirrored(f"SELECT created, id FROM orders WHERE status IN {values} ORDER BY created, id LIMIT 5"))


class LargerTables(Merged):
    """The same requests for twenty times the items."""

    SIZE = 20
