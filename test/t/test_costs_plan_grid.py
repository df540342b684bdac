"""Lookups or a Scan, over a grid of sizes, items, keys and capacities: how much dearer is what the planner chooses than the other plan?

Both plans are simulated (test/server/simulated.py), with the true number of items per key, which the planner does not know.
PLAN_GRID=1 in the environment prints the worst cells.
"""
import math
import os
import re

import fixture
from simulated import GB, KB, MB, Service, first_by_index, gets, queries, queries_then_gets, scan
from tables import index
from volume import volume

SIZES = {"100 kB": 100 * KB, "10 MB": 10 * MB, "1 GB": GB, "100 GB": 100 * GB, "1 TB": 1024 * GB}
ITEMS = (200, 4000, 100_000)            # bytes
KEYS = (1, 30, 1000, 30_000, 1_000_000)
CAPACITIES = volume((None, 1000), (None, 25, 1000, 40_000))     # None: on demand
LENGTHS = (5, 50)                       # items per partition key, in truth
LENGTH = LENGTHS[0]
UNIT_MS = 0.2                           # what a unit is worth
LIMIT = 2                               # regret
KEY_BYTES = 60                          # of an index item that has the keys only

SCAN = ("Operation: Scan; Remote Table: t; ", lambda service, keys: scan(service))
SCAN_OF_INDEX = ("Operation: Scan; Remote Table: t; Index: ", lambda service, keys: scan(service), KEY_BYTES)


def queries_of(length):
    """Complete partitions."""
    return "", lambda service, keys: queries(service, keys, length)


class Grid(fixture.TestCase):
    """A table whose description specifies what a cell needs."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)

    def describe(self, size, item, capacity):
        """The table is of that size from now on."""
        short = min(item, KEY_BYTES)
        indexes = [index("by_tag", ("tag", "S")), index("by_day", ("day", "S"), ("n", "N")),
                   index("by_mark", ("mark", "S"), projection="KEYS_ONLY", item_bytes=short),
                   index("by_v", ("pk", "S"), ("v", "N"), projection="KEYS_ONLY", item_bytes=short, local=True)]
        self.fake.table("t", ("pk", "S"), ("n", "N"), indexes, item_count=int(size / item), size_bytes=int(size), items=[], units=capacity)
        self.fx.foreign_table("t", 'pk text COLLATE "C" NOT NULL, n int NOT NULL, tag text NOT NULL, day text NOT NULL, mark text NOT NULL,'
                              " v int NOT NULL, w int", server="fake")
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def regrets(self, sql, plans, counts=KEYS, growing=False):
        """The regret of every cell, by its name.

        `plans` are a text in the plan, its requests, and the bytes of an item where these are to a smaller index; the first
        text that is found reports which of them was chosen.
        """
        found = {}
        for name, size in SIZES.items():
            for item in ITEMS:
                for capacity in CAPACITIES:
                    self.describe(size, item, capacity)
                    for keys in counts:
                        plan = re.sub(r"\n *", "; ", self.fx.explain(sql(keys))) + "; "
                        prices = []
                        for _, requests, *shown in plans:
                            shown = min([item, *shown])
                            service = Service(size / item * shown, shown, capacity)
                            ms, units = service.run(requests(service, keys), growing)
                            prices.append(ms + UNIT_MS * units)
                        chosen = next(i for i, (text, *_) in enumerate(plans) if text in plan)
                        found[name, item, keys, capacity] = prices[chosen] / min(prices)
        return found

    def assertNoRegret(self, regrets, known=(), mean_limit=1.1):
        """No cell is much dearer than the other plan, but those that are known."""
        mean = math.exp(sum(map(math.log, regrets.values())) / len(regrets))
        if os.environ.get("PLAN_GRID"):
            print(f"\n{self.id()}: {len(regrets)} cells, worst {max(regrets.values()):.2f}, geometric mean {mean:.3f}")
            for cell, regret in sorted(regrets.items(), key=lambda pair: -pair[1])[:20]:
                print(f"  {regret:6.2f}  {cell}", flush=True)
        self.assertGreaterEqual(len(regrets), volume(30, 60))
        self.assertEqual({cell: regret for cell, regret in regrets.items() if regret > LIMIT and cell not in known}, {})
        self.assertLess(mean, mean_limit)

    def joined(self, tail, *keyed):
        """The regrets of a join with a number of keys."""
        return self.regrets(lambda keys: f"SELECT * FROM generate_series(1, {keys}) i " + tail, [*keyed[:-1], SCAN, keyed[-1]])

    def without_hash_join(self, *cells):
        """These cells from PostgreSQL 19 on, which prefers a merge join of a Scan there, and a Scan that is sorted is dearer than lookups."""
        return cells if self.fx.conn.server_version >= 190000 else ()

    def test_complete_keys(self):
        """GetItem or a Scan."""
        self.assertNoRegret(self.joined("JOIN t ON t.pk = 'p' || i AND t.n = i", ("", gets)), self.without_hash_join(("1 GB", 200, 1_000_000, 40_000)))

    def test_partitions(self):
        """Queries or a Scan."""
        for length in LENGTHS:
            with self.subTest(length=length):
                self.assertNoRegret(self.joined("JOIN t ON t.pk = 'p' || i", queries_of(length)))

    def test_index(self):
        """Queries of an index that has all attributes, or a Scan."""
        for length in LENGTHS:
            with self.subTest(length=length):
                self.assertNoRegret(self.joined("JOIN t ON t.tag = 'p' || i", queries_of(length)))

    def test_then_base(self):
        """Queries of an index that has the keys only and then the items, or a Scan."""
        for length in LENGTHS:
            with self.subTest(length=length):
                found = ("", lambda service, keys, length=length: queries_then_gets(service, keys, length, KEY_BYTES))
                self.assertNoRegret(self.joined("JOIN t ON t.mark = 'p' || i", found), self.without_hash_join(("1 GB", 200, 30_000, None), ("1 GB", 200, 30_000, 40_000)))

    def test_outer_join(self):
        """The keys without items, too."""
        self.assertNoRegret(self.joined("LEFT JOIN t ON t.pk = 'p' || i", queries_of(LENGTH)))

    def test_local_index(self):
        """Queries of a local index, for which DynamoDB fetches the item that has the value; of the partition; or a Scan."""
        for length in LENGTHS:
            with self.subTest(length=length):
                local = ("Index: by_v", lambda service, keys, length=length: queries(service, keys, length, 1, KEY_BYTES, 1))
                self.assertNoRegret(self.joined("JOIN t ON t.pk = 'p' || i AND t.v = 7", local, queries_of(length)))

    def test_ends(self):
        """The largest sort key of a partition, or its last item: one page, the partition, its keys in a local index, or a Scan."""
        last = ("First Page Limit: 1", lambda service, keys: queries(service, keys, 1))
        for wanted, is_key in (("max(n) FROM t WHERE pk = 'x'", True), ("* FROM t WHERE pk = 'x' ORDER BY n DESC LIMIT 1", False),
                               ("max(n) FROM t WHERE day = 'x'", False), ("* FROM t WHERE day = 'x' ORDER BY n DESC LIMIT 1", False)):
            for length in (LENGTH, 1000):
                with self.subTest(wanted=wanted, length=length):
                    keys = ("Index: by_v", lambda service, keys, length=length: queries(service, keys, length, item=KEY_BYTES))
                    self.assertNoRegret(self.regrets(lambda keys, wanted=wanted: "SELECT " + wanted,
                                                     [SCAN, last, *([keys] if is_key else []), queries_of(length)], (1,)), mean_limit=1.2)

    def test_exists(self):
        """One item of each partition, in the table or in an index with the keys only, or a Scan of one of them."""
        of_index = ("Index: by_v", lambda service, keys: queries(service, keys, LENGTH, 1, KEY_BYTES))
        self.assertNoRegret(self.joined("WHERE EXISTS (SELECT FROM t WHERE t.pk = 'p' || i)", SCAN_OF_INDEX, of_index,
                                        ("", lambda service, keys: queries(service, keys, LENGTH, 1))))

    def test_first_row(self):
        """LIMIT 1 over an index that has the keys only, where there are rows, and where a Scan would look for one to its end.

        A page of a few items is read sooner than 30 Queries that find nothing, of which one is sent at first; that is not relied on.
        """
        for length in (LENGTH, 0):
            with self.subTest(length=length):
                known = [("100 kB", item, 30, capacity) for item in ITEMS[1:] for capacity in CAPACITIES if length == 0]
                regrets = self.regrets(
                    lambda keys: "SELECT * FROM t WHERE mark = ANY ('{%s}') LIMIT 1" % ",".join(f"m{i}" for i in range(keys)),
                    [(SCAN[0], lambda service, keys, length=length: scan(service, 1 / (keys * length + 1))),
                     ("", lambda service, keys, length=length: first_by_index(service, keys, length, KEY_BYTES))],
                    (1, 30, 1000), growing=True)
                self.assertNoRegret(regrets, known, mean_limit=1.15)
