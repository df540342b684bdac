"""What usual conditions cost: items examined and read units of 3,000 orders, against what reading the partition or the table costs.

The orders are an hour apart, 1,000 of each of three customers, and have an index by region and time. A partition holds
1,000 items of 16.5 read units, the table 3,000 of 49.5.
"""
import datetime
from decimal import Decimal

import fixture
from dynamo import index

BEGIN = datetime.datetime(2026, 1, 1)
LAST = "2026-02-11 15:00"      # of the thousand
HALF_A_DAY = "2026-02-11 03:00"     # 13 orders are not before it

COLUMNS = """customer_id text COLLATE "C" NOT NULL, ordered_at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL,
    region text COLLATE "C", quantity int, number int, note text"""
ONE = "customer_id = 'c1' AND "

# (name, statement, most items that it may examine, most read units)
FORMS = [
    ("a timestamp", f"SELECT * FROM orders WHERE {ONE} ordered_at >= timestamp '{HALF_A_DAY}'", 13, 0.5),
    ("a date", f"SELECT * FROM orders WHERE {ONE} ordered_at >= date '2026-02-11'", 16, 0.5),
    ("a month", f"SELECT * FROM orders WHERE {ONE} date_trunc('month', ordered_at) = timestamptz '2026-02-01'", 256 + 50, 5.5),
    ("days", f"SELECT * FROM orders WHERE {ONE} ordered_at::date BETWEEN '2026-01-20' AND '2026-01-20'", 24 + 52, 2),
    ("a year that is not there", f"SELECT * FROM orders WHERE {ONE} extract(year FROM ordered_at) = 2024", 0, 0.5),
    ("another zone", f"SELECT * FROM orders WHERE {ONE} ordered_at AT TIME ZONE 'Asia/Tokyo' >= '{HALF_A_DAY}'", 13 + 26 + 10, 1),
    ("EXISTS", "SELECT EXISTS (SELECT 1 FROM orders WHERE customer_id = 'c1')", 1, 0.5),
    ("a page by key", f"SELECT * FROM orders WHERE {ONE} (customer_id, ordered_at) > ('c1', '{HALF_A_DAY}') ORDER BY customer_id, ordered_at LIMIT 13", 13, 0.5),
    ("a page by key, written out", f"SELECT * FROM orders WHERE {ONE} (ordered_at > '{HALF_A_DAY}' OR (ordered_at = '{HALF_A_DAY}' AND number > 0))", 13, 0.5),
    ("LIKE without wildcards", "SELECT * FROM orders WHERE customer_id LIKE 'c1'", 1000, 16.5),
    ("an OR of keys", f"SELECT * FROM orders WHERE ({ONE} ordered_at >= '{HALF_A_DAY}') OR (region = 'north' AND ordered_at >= '{HALF_A_DAY}')", 13 + 20, 1.5),
    ("a number as a float", "SELECT * FROM readings WHERE sensor = 7::float8", 10, 0.5),
    ("a range of floats", "SELECT * FROM readings WHERE sensor = 7 AND at >= 4.5::float8", 5, 0.5),
    ("IS NOT DISTINCT FROM", f"SELECT * FROM orders WHERE customer_id IS NOT DISTINCT FROM 'c1' AND ordered_at >= '{HALF_A_DAY}'", 13, 0.5),
    ("BETWEEN the same", f"SELECT * FROM orders WHERE customer_id BETWEEN 'c1' AND 'c1' AND ordered_at >= '{HALF_A_DAY}'", 13, 0.5),
    ("IS TRUE", f"SELECT * FROM orders WHERE (customer_id = 'c1') IS TRUE AND ordered_at >= '{HALF_A_DAY}'", 13, 0.5),
    ("an age", f"SELECT * FROM orders WHERE {ONE} timestamptz '{LAST}' - ordered_at < interval '12 hours'", 13 + 2, 0.5),
    ("a date to come", f"SELECT * FROM orders WHERE {ONE} ordered_at + interval '1 hour' > timestamptz '{HALF_A_DAY}'", 15, 0.5),
    ("an epoch", f"SELECT * FROM orders WHERE {ONE} extract(epoch FROM ordered_at) >= extract(epoch FROM timestamptz '{HALF_A_DAY}')", 15, 0.5),
]
# In a generic plan: the values that name a key, and those that name none, with what they count and examine.
OPTIONAL = [("IS NULL OR", "SELECT count(number) FROM orders WHERE ($1::text IS NULL OR customer_id = $1)", ("c1", "c1"), (None, None), 3000, 3000),
            ("coalesce", "SELECT count(number) FROM orders WHERE coalesce($1::text, customer_id) = customer_id", ("c1", "c1"), (None, None), 3000, 3000),
            ("LIKE", "SELECT count(number) FROM orders WHERE customer_id LIKE $1", ("c1", "c1"), ("c%", ""), 3000, 3000),
            ("LIKE an escape", "SELECT count(number) FROM orders WHERE customer_id LIKE $1", ("c1", "c1"), ("\\c1", ""), 1000, 3000),
            ("LIKE NULL", "SELECT count(number) FROM orders WHERE customer_id LIKE $1", ("c1", "c1"), (None, None), 0, 0),
            ("BETWEEN", "SELECT count(number) FROM orders WHERE customer_id BETWEEN $1 AND $2", ("c1", "c1"), ("c1", "c2"), 2000, 3000),
            ("BETWEEN none", "SELECT count(number) FROM orders WHERE customer_id BETWEEN $1 AND $2", ("c1", "c1"), ("c2", "c1"), 0, 3000)]


def orders():
    """1,000 of three customers, of 132 bytes or so."""
    for c in range(3):
        for n in range(1000):
            yield {"customer_id": f"c{c}", "ordered_at": (BEGIN + datetime.timedelta(hours=n)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                   "region": ["north", "south", "east", "west"][(n + c) % 4], "quantity": n % 9, "number": n, "note": "n" * 52}


class EverydayFigures(fixture.TestCase):
    """Rows equal those of a local table, at such a price."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("orders", ("customer_id", "S"), ("ordered_at", "S"), [index("by_region", ("region", "S"), ("ordered_at", "S"))])
        fx.put("orders", list(orders()))
        fx.create_table("readings", ("sensor", "N"), ("at", "N"))
        fx.put("readings", [{"sensor": s, "at": Decimal(at), "v": s * at} for s in range(30) for at in range(10)])
        fx.foreign_table("orders", COLUMNS)
        fx.foreign_table("readings", "sensor int NOT NULL, at numeric NOT NULL, v int")
        fx.execute("CREATE SCHEMA local; CREATE TABLE local.orders AS SELECT * FROM orders; CREATE TABLE local.readings AS SELECT * FROM readings;"
                   "ANALYZE orders; ANALYZE readings; SET plan_cache_mode = force_generic_plan")

    def cost(self, sql, parameters=None):
        """(rows, items examined, read units)"""
        before = self.fx.rows("SELECT items_read, read_units FROM dynamo_fdw_stats()")[0]
        rows = self.fx.rows(sql, parameters)
        after = self.fx.rows("SELECT items_read, read_units FROM dynamo_fdw_stats()")[0]
        return rows, after[0] - before[0], after[1] - before[1]

    def local(self, sql):
        """The rows of the local tables."""
        self.fx.execute("SET search_path = local")
        try:
            return self.fx.rows(sql)
        finally:
            self.fx.execute("SET search_path = public")

    def test_forms(self):
        """Each in three zones."""
        for zone in ("UTC", "Europe/Berlin", "America/Havana"):
            self.fx.execute(f"SET timezone = '{zone}'")
            for name, sql, items, units in FORMS:
                with self.subTest(form=name, zone=zone):
                    rows, read, spent = self.cost(sql)
                    self.assertEqual(sorted(rows), sorted(self.local(sql)))
                    if zone == "UTC":
                        self.assertLessEqual(read, items)
                        self.assertLessEqual(spent, units)
                    else:
                        # the rows are others there
                        self.assertLess(read, 3000 if "LIKE" in sql else 1000)
        self.fx.execute("SET timezone = 'UTC'")

    def test_optional(self):
        """Of a generic plan: a partition where the parameters name it."""
        for name, sql, keyed, others, count, examined in OPTIONAL:
            with self.subTest(form=name):
                self.fx.execute(f"PREPARE wanted (text, text) AS {sql}")
                try:
                    rows, read, spent = self.cost("EXECUTE wanted (%s, %s)", keyed)
                    self.assertEqual((rows, read), ([(1000,)], 1000))
                    self.assertLessEqual(spent, 17)
                    rows, read, spent = self.cost("EXECUTE wanted (%s, %s)", others)
                    self.assertEqual((rows, read), ([(count,)], examined))
                finally:
                    self.fx.execute("DEALLOCATE wanted")
