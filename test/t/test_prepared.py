"""Prepared statements: a generic plan requests what a custom one requests, with the values of each execution."""
import request_text
import shop


class Prepared(request_text.RequestTestCase):
    """Seven executions, of which the last ones use the generic plan, send the same requests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders", "readings")

    def assertSame(self, types, sql, values, expected):
        """Every execution requests the same, under every plan_cache_mode."""
        for mode in ("auto", "force_custom_plan", "force_generic_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}")
            self.fx.execute(f"PREPARE p ({types}) AS {sql}")
            try:
                for execution in range(7):
                    self.assertEqual(self.texts(f"EXECUTE p ({values})"), sorted(expected), (mode, execution))
            finally:
                self.fx.execute("DEALLOCATE p; RESET plan_cache_mode")

    def test_complete_key(self):
        """GetItem."""
        self.assertSame("text, text", "SELECT total FROM orders WHERE cust = $1 AND at = $2", "'c01', '2024-01-01'",
                        ["GetItem orders {cust 'c01', at '2024-01-01'} get total"])

    def test_range(self):
        """Query with two bounds."""
        self.assertSame("text, text, text", "SELECT at FROM orders WHERE cust = $1 AND at BETWEEN $2 AND $3",
                        "'c01', '2024-03', '2024-05'",
                        ["Query orders where cust = 'c01' AND at BETWEEN '2024-03' AND '2024-05' get at"])

    def test_reversed_range(self):
        """An empty range sends no request, though the planner could not know it."""
        self.assertSame("text, text, text", "SELECT at FROM orders WHERE cust = $1 AND at BETWEEN $2 AND $3",
                        "'c01', '2024-05', '2024-03'", [])

    def test_null(self):
        """NULL sends no request."""
        self.assertSame("text", "SELECT at FROM orders WHERE cust = $1", "NULL", [])

    def test_array(self):
        """One Query for each distinct member."""
        self.assertSame("text[]", "SELECT at FROM orders WHERE cust = ANY ($1)", "'{c02,c01,c02,NULL}'",
                        ["Query orders where cust = 'c01' get at, cust", "Query orders where cust = 'c02' get at, cust"])

    def test_keys_of_an_array(self):
        """BatchGetItem."""
        self.assertSame("bigint[]", "SELECT val FROM readings WHERE sensor = 1 AND ts = ANY ($1)", "'{100,200,100}'",
                        ["BatchGetItem readings {sensor 1, ts 100} {sensor 1, ts 200} get sensor, ts, val"])

    def test_index_and_filter(self):
        """Query of an index with a filter."""
        self.assertSame("text, text, numeric",
                        "SELECT cust, at FROM orders WHERE status = $1 AND at >= $2 AND total > $3",
                        "'open', '2024-12', 100",
                        ["Query orders/by_status where status = 'open' AND at >= '2024-12' filter total > 100 get at, cust"])

    def test_order_and_limit(self):
        """LIMIT is a constant; it is a hint in a generic plan too."""
        self.assertSame("text", "SELECT at FROM orders WHERE cust = $1 ORDER BY at DESC LIMIT 3", "'c01'",
                        ["Query orders where cust = 'c01' get at limit 3 backward"])

    def test_count(self):
        """Select=COUNT."""
        self.assertSame("text", "SELECT count(*) FROM orders WHERE cust = $1", "'c01'",
                        ["Query orders where cust = 'c01' count"])

    def test_other_values_other_requests(self):
        """A generic plan keeps no value of an earlier execution."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode")
        self.fx.execute("PREPARE q (text) AS SELECT at FROM orders WHERE cust = $1")
        for customer in ("c01", "c02", "c01", "c03"):
            self.assertEqual(self.texts(f"EXECUTE q ('{customer}')"), [f"Query orders where cust = '{customer}' get at"])

    def test_protocol_parameters(self):
        """A cursor and plpgsql variables are parameters too."""
        self.fx.execute("CREATE FUNCTION latest(c text) RETURNS text LANGUAGE plpgsql STABLE AS"
                        " $$ BEGIN RETURN (SELECT max(at) FROM orders WHERE cust = c); END $$")
        for customer in ["c01", "c02"] * 4:
            self.assertEqual(self.texts(f"SELECT latest('{customer}')"),
                             [f"Query orders where cust = '{customer}' get at limit 1 backward"])
