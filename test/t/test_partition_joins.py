"""Joins of entities inside one partition, analyzed or not."""
import json

import request_text

SIZES = {"shop": (20, 50), "small": (20, 1)}
TEMPLATES = {"customer": {"pk": "C#${customer}", "sk": "PROFILE"}, "orders": {"pk": "C#${customer}", "sk": "ORDER#${no}"},
             "lines": {"pk": "C#${customer}", "sk": "LINE#${no}#${pos}"}}
COLUMNS = {"customer": "customer text NOT NULL, name text", "orders": 'customer text NOT NULL, no text COLLATE "C" NOT NULL, total int',
           "lines": 'customer text NOT NULL, no text COLLATE "C" NOT NULL, pos int NOT NULL, qty int'}


def items(customers, orders):
    """A profile for each customer, orders, and three lines for each of them."""
    for customer in range(customers):
        yield {"pk": f"C#c{customer}", "sk": "PROFILE", "name": f"n{customer}"}
        for order in range(orders):
            yield {"pk": f"C#c{customer}", "sk": f"ORDER#{order:04}", "total": order, "body": "x" * 100}
            for line in range(3):
                yield {"pk": f"C#c{customer}", "sk": f"LINE#{order:04}#{line}", "qty": line, "body": "y" * 60}


class Tables(request_text.RequestTestCase):
    """A table with long partitions, and one with short ones."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for table, size in SIZES.items():
            cls.fx.create_table(table, ("pk", "S"), ("sk", "S"))
            cls.fx.put(table, items(*size))
            for entity, templates in TEMPLATES.items():
                cls.fx.foreign_table(f"{entity}_{table}", COLUMNS[entity], table_name=cls.fx.remote(table), key_templates=json.dumps(templates), scan_policy="allow")
        cls.mirror(*(f"{entity}_{table}" for table in SIZES for entity in TEMPLATES))

    def forget(self):
        """Without statistics."""
        self.fx.execute("DELETE FROM pg_statistic WHERE starelid IN (SELECT ftrelid FROM pg_foreign_table);"
                        "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid IN (SELECT ftrelid FROM pg_foreign_table)")

    def analyze(self):
        """With them."""
        for table in SIZES:
            self.fx.execute("; ".join(f"ANALYZE {entity}_{table}" for entity in TEMPLATES))

    def check(self, sql, expected):
        """The requests as their operations and keys, and the rows."""
        texts = [text.split(" filter ")[0].split(" get ")[0] for text in self.texts(sql)]
        self.assertEqual(texts, sorted(expected))
        self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(self.mirrored(sql), key=str))


ORDERS = "Query shop where pk = 'C#c1' AND begins_with(sk,'ORDER#')"
LINES = "Query shop where pk = 'C#c1' AND begins_with(sk,'LINE#')"


class LongPartitions(Tables):
    """Both sides are read once, instead of a request for each row of one."""

    JOINS = ["SELECT total, qty FROM orders_shop JOIN lines_shop USING (customer, no) WHERE customer = 'c1'",
             "SELECT total, qty FROM orders_shop o LEFT JOIN lines_shop l USING (customer, no) WHERE o.customer = 'c1'",
             "SELECT total FROM orders_shop o WHERE customer = 'c1' AND EXISTS (SELECT FROM lines_shop l WHERE l.customer = o.customer AND l.no = o.no)",
             "SELECT total FROM orders_shop o WHERE customer = 'c1' AND NOT EXISTS (SELECT FROM lines_shop l WHERE l.customer = 'c1' AND l.no = o.no)"]

    def test_joins(self):
        """Two Queries, whether or not there are statistics."""
        for analyzed in (False, True):
            self.forget()
            if analyzed:
                self.analyze()
            for sql in self.JOINS:
                with self.subTest(sql, analyzed=analyzed):
                    self.check(sql, [ORDERS, LINES])
        self.forget()

    def test_few_rows(self):
        """What names an order, or selects few of them, is looked up as before."""
        self.forget()
        self.check("SELECT total, qty FROM orders_shop JOIN lines_shop USING (customer, no) WHERE customer = 'c1' AND no = '0007'",
                   ["GetItem shop {pk 'C#c1', sk 'ORDER#0007'}", "Query shop where pk = 'C#c1' AND begins_with(sk,'LINE#0007#')"])
        self.check("SELECT total, qty FROM orders_shop JOIN lines_shop USING (customer, no) WHERE customer = 'c1' AND total = 7",
                   [ORDERS, "Query shop where pk = 'C#c1' AND begins_with(sk,'LINE#0007#')"])

    def test_generic_plan(self):
        """The customer is a parameter."""
        self.forget()
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS " + self.JOINS[0].replace("'c1'", "$1"))
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        texts = [text.split(" get ")[0] for text in self.texts("EXECUTE p ('c1')")]
        self.assertEqual(texts, sorted([ORDERS, LINES]))
        self.assertEqual(sorted(self.fx.rows("EXECUTE p ('c1')")), sorted(self.mirrored(self.JOINS[0])))


PARTITION = "Query small where pk = 'C#c1'"


class ShortPartitions(Tables):
    """One Query for the entities of a partition, where that costs less than one for each."""

    SHARED = [("parent and children", "SELECT name, total FROM customer_small JOIN orders_small USING (customer) WHERE customer = 'c1'", PARTITION),
              ("three entities", "SELECT name, total, qty FROM customer_small JOIN orders_small USING (customer) JOIN lines_small USING (customer) WHERE customer = 'c1'", PARTITION),
              ("children of two kinds", "SELECT total, qty FROM orders_small JOIN lines_small USING (customer) WHERE customer = 'c1'", PARTITION),
              ("without children", "SELECT name, total FROM customer_small c LEFT JOIN orders_small o ON o.customer = c.customer AND o.total > 100 WHERE c.customer = 'c1'", PARTITION),
              ("without a parent", "SELECT name, total FROM customer_small c RIGHT JOIN orders_small o USING (customer) WHERE o.customer = 'no'", PARTITION.replace("c1", "no")),
              ("appended", "SELECT total FROM orders_small WHERE customer = 'c1' UNION ALL SELECT qty FROM lines_small WHERE customer = 'c1'", PARTITION),
              ("conditions on other columns", "SELECT total, qty FROM orders_small o, lines_small l WHERE o.customer = 'c1' AND l.customer = 'c1' AND l.qty > 0", PARTITION),
              ("an order", "SELECT total, pos FROM orders_small o, lines_small l WHERE o.customer = 'c1' AND l.customer = 'c1' ORDER BY l.no, pos", PARTITION)]

    def test_shared(self):
        """Analyzed: one request; the rows are those of separate ones."""
        self.analyze()
        for name, sql, request in self.SHARED:
            with self.subTest(name):
                self.check(sql, [request])

    def test_prefix(self):
        """A common prefix of the sort keys."""
        self.analyze()
        self.check("SELECT a.qty, b.qty FROM lines_small a, lines_small b WHERE a.customer = 'c1' AND a.no = '0000' AND a.pos = 1 AND b.customer = 'c1' AND b.no = '0000' AND b.pos = 2",
                   [PARTITION + " AND begins_with(sk,'LINE#0000#')"])

    def test_not_known_to_be_short(self):
        """Before ANALYZE, and in long partitions, each entity has its own request."""
        self.forget()
        self.check(self.SHARED[0][1], ["GetItem small {pk 'C#c1', sk 'PROFILE'}", PARTITION + " AND begins_with(sk,'ORDER#')"])
        self.analyze()
        self.check(self.SHARED[0][1].replace("_small", "_shop"), ["GetItem shop {pk 'C#c1', sk 'PROFILE'}", ORDERS])
        self.check("SELECT total FROM orders_shop WHERE customer = 'c1' UNION ALL SELECT qty FROM lines_shop WHERE customer = 'c1'", [ORDERS, LINES])

    def test_contained(self):
        """A read that another one contains costs nothing, whatever is known."""
        for analyzed in (False, True):
            self.forget()
            if analyzed:
                self.analyze()
            with self.subTest(analyzed=analyzed):
                self.check("SELECT total FROM orders_shop WHERE customer = 'c1' UNION ALL SELECT -total FROM orders_shop WHERE customer = 'c1' AND no = '0007'", [ORDERS])
                self.check("SELECT total FROM orders_shop WHERE customer = 'c1' AND no = '0007' UNION ALL SELECT -total FROM orders_shop WHERE customer = 'c1'", [ORDERS])
        self.forget()

    def test_not_read_fully(self):
        """What may stop or not run reads for itself."""
        self.analyze()
        for sql in ("SELECT total FROM orders_small WHERE customer = 'c1' UNION ALL (SELECT qty FROM lines_small WHERE customer = 'c1' LIMIT 1)",
                    "SELECT total, (SELECT max(qty) FROM lines_small WHERE customer = 'c1') FROM orders_small WHERE customer = 'c1' AND total > 100"):
            with self.subTest(sql):
                self.assertNotIn(PARTITION, [text.split(" get ")[0].split(" filter ")[0] for text in self.texts(sql)])

    def test_cursors_and_rescans(self):
        """Rewound, and in a generic plan."""
        self.analyze()
        sql = self.SHARED[2][1]
        with self.fx.conn.cursor() as cursor:
            cursor.execute(f"BEGIN; DECLARE c SCROLL CURSOR FOR {sql}; FETCH 2 FROM c")
            first = cursor.fetchall()
            cursor.execute("MOVE ABSOLUTE 0 IN c; FETCH ALL FROM c")
            self.assertEqual(cursor.fetchall()[:2], first)
            cursor.execute("ROLLBACK")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS " + sql.replace("'c1'", "$1"))
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        for customer in ("c1", "no", "c2"):
            self.assertEqual(sorted(self.fx.rows(f"EXECUTE p ('{customer}')")), sorted(self.mirrored(sql.replace("c1", customer))))
