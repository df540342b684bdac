"""A range of a number that the template lists, such as half of the shards, requests the keys of these numbers only."""
import request_text
from request_text import statements

SHARDS = "Query events where pk = 'D#1#{}' AND begins_with(sk,'E#') get pk, sk, v"


def shards(*numbers):
    """The Queries of these shards of the first day."""
    return [SHARDS.format(number) for number in numbers]


def counters(*numbers):
    """The counters of a name, as BatchGetItem has them."""
    return ["BatchGetItem counters " + " ".join(sorted(f"{{pk 'C#a#{number}'}}" for number in numbers)) + " get pk, v"]


@statements([
    ("an upper bound", "SELECT v FROM events WHERE day = 1 AND shard < 3", shards(0, 1, 2)),
    ("a lower bound", "SELECT v FROM events WHERE day = 1 AND shard >= 6", shards(6, 7)),
    ("bounds beyond", "SELECT v FROM events WHERE day = 1 AND shard > 5 AND shard < 100", shards(6, 7)),
    ("no number", "SELECT v FROM events WHERE day = 1 AND shard < 0", []),
    ("NULL", "SELECT v FROM events WHERE day = 1 AND shard < NULL", []),
    ("all", "SELECT v FROM events WHERE day = 1", shards(*range(8))),
    ("not one", "SELECT v FROM events WHERE day = 1 AND shard <> 3", shards(0, 1, 2, 4, 5, 6, 7)),
    ("not several", "SELECT v FROM events WHERE day = 1 AND shard NOT IN (0, 3, 9) AND shard <> 5", shards(1, 2, 4, 6, 7)),
    ("none", "SELECT v FROM events WHERE day = 1 AND shard NOT IN (0, 1, 2, 3, 4, 5, 6, 7)", []),
    ("a parameter", "SELECT v FROM events WHERE day = 1 AND shard <= %s", shards(0, 1), (1,)),
    ("a partition key alone", "SELECT v FROM counters WHERE name = 'a' AND shard > 7", counters(8, 9, 10, 11)),
    ("a negative bound", "SELECT v FROM counters WHERE name = 'a' AND shard BETWEEN -5 AND 1", counters(0, 1)),
    ("a join", "SELECT c.v FROM (VALUES ('a', 2), ('a', 1)) AS k (name, n) JOIN counters c ON c.name = k.name AND c.shard < k.n", counters(0, 1)),
])
class Shards(request_text.RequestTestCase):
    """The requests, and the rows of local tables."""

    SIZE = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("events", ("pk", "S"), ("sk", "S"))
        fx.create_table("counters", ("pk", "S"))
        fx.put("events", [{"pk": f"D#{n % 9}#{n % 8}", "sk": f"E#{n}", "v": n} for n in range(300 * cls.SIZE)])
        fx.put("counters", [{"pk": f"C#{name}#{n}", "v": n} for name in ["a", "b"] + [f"n{k}" for k in range(20 * cls.SIZE)] for n in range(12)])
        cls.mapped("events", "day int NOT NULL, shard int NOT NULL, n int NOT NULL, v int", {"pk": "D#${day}#${shard:0..7}", "sk": "E#${n}"})
        cls.mapped("counters", "name text NOT NULL, shard int NOT NULL, v int", {"pk": "C#${name}#${shard:0..11}"})
        fx.execute("SET dynamo_fdw.scan_policy = error")

    def test_generic_plan(self):
        """The values decide at execution, and no Scan is needed for any of them."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (int, int) AS SELECT v FROM events WHERE day = $1 AND shard > $2")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        for bound, count in ((5, 2), (-2000000000, 8), (2000000000, 0), (None, 0)):
            self.assertEqual(len(self.fx.requests("EXECUTE p (1, %s)", (bound,))), count)
            self.assertEqual(sorted(self.fx.rows("EXECUTE p (1, %s)", (bound,))),
                             sorted(self.mirrored("SELECT v FROM events WHERE day = 1 AND shard > %s", (bound,))))
        self.assertNotIn("Scan\n", self.fx.explain("EXECUTE p (1, 5)").replace("Foreign Scan", ""))

    def test_order(self):
        """The shards between the bounds are merged."""
        sql = "SELECT v FROM events WHERE day = 1 AND shard >= 4 ORDER BY shard, n"
        self.assertEqual(self.texts(sql), shards(4, 5, 6, 7))
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))


class LargerTables(Shards):
    """The same requests for twenty times the items."""

    SIZE = 20
