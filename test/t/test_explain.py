"""EXPLAIN: what it reports in text and JSON, that it requests nothing, and that its counters are those of the wire."""
import json
import re
import socket

import fixture
import shop


class Explain(fixture.TestCase):
    """Plans of one table with every kind of index."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shop.create(cls.fx, "orders")
        cls.fx.execute("SELECT FROM orders WHERE cust = ''")    # describes the table
        cls.remote = cls.fx.remote("orders")

    def lines(self, sql, options="COSTS OFF"):
        """The lines of the foreign scan, without indentation."""
        return [line.strip() for line in self.fx.explain(sql, options).splitlines()]

    def nodes(self, sql, options="COSTS OFF"):
        """The foreign scans of a plan in JSON."""
        [(plan,)] = self.fx.rows(f"EXPLAIN ({options}, FORMAT JSON) {sql}")
        return list(foreign_scans(plan[0]["Plan"]))

    def test_text_of_a_query(self):
        """One property a line, in the order of the manual."""
        self.assertEqual(self.lines("SELECT at, total FROM orders WHERE status = 'open' AND at >= '2024-10' AND total > 100"
                                    " ORDER BY at DESC LIMIT 3"),
                         ["Limit", "->  Foreign Scan on orders", "Filter: (at >= '2024-10'::text)", "Operation: Query",
                          f"Remote Table: {self.remote}", "Index: by_status",
                          "Key Condition: status = 'open'::text AND at >= '2024-10'::text",
                          "Remote Filter: total > '100'::numeric", "Order: descending", "First Page Limit: 25"])

    def test_operations(self):
        """Each access has its word; in JSON, core has an "Operation" of its own in the node."""
        for sql, word in (("SELECT total FROM orders WHERE cust = 'a' AND at = 'b'", "GetItem"),
                          ("SELECT total FROM orders WHERE cust = 'a' AND at IN ('b', 'c')", "BatchGetItem"),
                          ("SELECT total FROM orders WHERE cust = 'a'", "Query"),
                          ("SELECT total FROM orders WHERE cust IN ('a', 'b')", "Query per key"),
                          ("SELECT total FROM orders WHERE ship = 'a'", "Query, then BatchGetItem"),
                          ("SELECT total FROM orders", "Scan")):
            with self.subTest(word):
                self.assertIn(f"Operation: {word}", self.lines(sql))
                [node] = self.nodes(sql)
                self.assertEqual((node["Remote Operation"], node["Remote Table"]), (word, self.remote))

    def test_projection_only_when_verbose(self):
        """The projection is shown with VERBOSE only, like Output."""
        sql = "SELECT info->'rating', note FROM orders WHERE cust = 'c01'"
        self.assertFalse([line for line in self.lines(sql) if line.startswith("Projection")])
        self.assertIn("Projection: info.rating, note", self.lines(sql, "COSTS OFF, VERBOSE"))
        [node] = self.nodes(sql, "VERBOSE")
        self.assertEqual(node["Projection"], "info.rating, note")

    def test_projection_of_columns_in_one_place(self):
        """It is what the request requests: an attribute that several columns show once, and nothing below it."""
        self.fx.foreign_table("twice", "cust text, info jsonb, again jsonb OPTIONS (attribute 'info'), rating numeric OPTIONS (path 'info.rating'),"
                              " a jsonb OPTIONS (path 'notes[0]'), b jsonb OPTIONS (path 'notes[1]')", table_name=self.remote)
        for columns in ("info, again", "rating, again", "a, b", "rating, a", "rating, cust"):
            with self.subTest(columns):
                sql = f"SELECT {columns} FROM twice WHERE cust = 'c01'"
                [request] = self.fx.requests(sql)
                [shown] = [line for line in self.lines(sql, "COSTS OFF, VERBOSE") if line.startswith("Projection")]
                names = re.sub(r"#\w+", lambda match, names=request.body["ExpressionAttributeNames"]: names[match.group()],
                               request.body["ProjectionExpression"])
                self.assertEqual(shown, f"Projection: {names.replace(',', ', ')}")

    def test_count(self):
        """A count shows "Select: COUNT" instead of columns."""
        sql = "SELECT count(*) FROM orders WHERE cust = 'c01'"
        self.assertIn("Select: COUNT", self.lines(sql, "COSTS OFF, VERBOSE"))
        self.assertFalse([line for line in self.lines(sql, "COSTS OFF, VERBOSE") if line.startswith("Projection")])
        [node] = self.nodes(sql)
        self.assertEqual(node["Select"], "COUNT")

    def test_parameters(self):
        """Generic plans and joins show parameters, and no value is computed."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS SELECT at FROM orders WHERE cust = $1")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE p")
        self.assertIn("Key Condition: cust = $1", self.lines("EXECUTE p ('c01')"))
        plan = self.fx.explain("SELECT x, total FROM (VALUES ('c01'), ('c02')) v (x) JOIN orders ON cust = x AND at = 'a'")
        self.assertRegex(plan, r"Key Condition: cust = \$0 AND at = 'a'::text")

    def test_consistent_reads(self):
        """Consistent reads are a boolean in JSON."""
        self.fx.execute("SET dynamo_fdw.consistent_read = on")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.consistent_read")
        self.assertIn("Consistent Read: true", self.lines("SELECT at FROM orders WHERE cust = 'c01'"))
        [node] = self.nodes("SELECT at FROM orders WHERE cust = 'c01'")
        self.assertIs(node["Consistent Read"], True)

    def test_settings(self):
        """Parameters that plans depend on are settings of EXPLAIN; others are not."""
        changed = {"scan_policy": "error", "consistent_read": "on", "enable_lookup_join": "off", "enable_cached_reads": "off", "enable_shared_reads": "off",
                   "analyze_read_units": "7"}
        self.addCleanup(self.fx.execute, "RESET ALL")
        self.fx.execute("".join(f"SET dynamo_fdw.{name} = '{value}'; " for name, value in changed.items()) + "SET dynamo_fdw.metadata_cache_ttl = 299")
        [(plan,)] = self.fx.rows("EXPLAIN (SETTINGS, FORMAT JSON) SELECT * FROM orders WHERE cust = 'a'")
        self.assertEqual({name: value for name, value in plan[0]["Settings"].items() if name.startswith("dynamo_fdw.")},
                         {f"dynamo_fdw.{name}": value for name, value in changed.items()})

    def test_explain_requests_nothing(self):
        """Neither reads nor descriptions once there is one, and no warning about a Scan."""
        for sql in ("SELECT * FROM orders", "SELECT * FROM orders WHERE ship = 's1'"):
            for options in ("COSTS OFF", "VERBOSE", "FORMAT JSON"):
                self.assertEqual(self.fx.requests(f"EXPLAIN ({options}) {sql}", describe=True), [])
                self.assertEqual(self.fx.notices(f"EXPLAIN ({options}) {sql}"), [])

    def test_scan_policy_error_still_explains(self):
        """scan_policy 'error' rejects the execution, not EXPLAIN."""
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        self.assertIn("Operation: Scan", self.lines("SELECT * FROM orders"))

    def test_analyze_counts_what_the_wire_saw(self):
        """Requests, pages and items are those that the proxy recorded."""
        self.fx.execute("ALTER FOREIGN TABLE orders OPTIONS (ADD fetch_size '13')")
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE orders OPTIONS (DROP fetch_size)")
        for sql in ("SELECT * FROM orders", "SELECT at FROM orders WHERE cust = 'c01'",
                    "SELECT at FROM orders WHERE cust IN ('c01', 'c02') AND status = 'open'",
                    "SELECT total FROM orders WHERE ship = 's3'", "SELECT total FROM orders WHERE cust = 'c01' AND at = 'no'",
                    "SELECT total FROM orders WHERE cust = 'c01' AND at IN ('2024-01-01', '2024-02-02', 'no')",
                    "SELECT count(*) FROM orders WHERE cust = 'c01' AND total > 100", "SELECT at FROM orders WHERE cust = ''"):
            with self.subTest(sql):
                self.fx.proxy.reset()
                [node] = self.nodes(sql, "ANALYZE, COSTS OFF, TIMING OFF")
                responses = [r.response for r in self.fx.proxy.requests]
                self.assertEqual(node["Requests"], len(responses))
                self.assertEqual(node["Pages"], len(responses))
                self.assertEqual(node["Items Returned"], sum(a["items"] or a["Count"] or 0 for a in responses))
                self.assertEqual(node["Items Read"], sum(a["ScannedCount"] if a["ScannedCount"] is not None else a["items"]
                                                         for a in responses))
                self.assertEqual(node["Retries"], 0)

    def test_numbers_are_numbers(self):
        """Numbers are numbers in JSON."""
        [node] = self.nodes("SELECT at FROM orders WHERE cust = 'c01'", "ANALYZE")
        for name in ("Requests", "Pages", "Items Read", "Items Returned", "Retries", "Throttles", "Bytes"):
            self.assertIs(type(node[name]), int, name)
        self.assertIn(type(node["Read Units"]), (int, float))
        self.assertGreater(node["Read Units"], 0)
        self.assertGreater(node["Bytes"], 100)

    def test_analyze_in_text(self):
        """In text format all counters are in one line."""
        self.assertIn("Requests: 1  Pages: 1  Items Read: 30  Items Returned: 10  Read Units: 0.5  Retries: 0",
                      [line.replace("Read Units: 1 ", "Read Units: 0.5 ") for line in
                       self.lines("SELECT at FROM orders WHERE cust = 'c01' AND status = 'open'",
                                  "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF")])

    def test_rescans_are_added_up(self):
        """The counters of a nested loop include all executions."""
        self.addCleanup(self.fx.execute, "RESET ALL")
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        [node] = self.nodes("SELECT x, total FROM (VALUES ('c01'), ('c02'), ('c03')) v (x)"
                            " LEFT JOIN orders ON cust = x AND at = '2024-01-01'", "ANALYZE")
        self.assertEqual((node["Requests"], node["Items Returned"], node["Actual Loops"]), (3, 3, 3))

    def test_yaml_and_xml(self):
        """YAML and XML use the same property names."""
        sql = "SELECT at FROM orders WHERE status = 'open'"
        self.assertIn("<Remote-Operation>Query</Remote-Operation>", self.fx.explain(sql, "FORMAT XML"))
        self.assertIn('Remote Operation: "Query"', self.fx.explain(sql, "FORMAT YAML"))

    def test_advice(self):
        """If only NOT NULL is missing for an index, the plan names the column."""
        [line] = [line for line in self.lines("SELECT total FROM orders WHERE region = 'eu'") if line.startswith("Hint")]
        self.assertIn('"by_region"', line)
        self.assertIn('"priority"', line)
        self.assertIn("NOT NULL", line)
        [node] = self.nodes("SELECT total FROM orders WHERE region = 'eu'")
        self.assertEqual(f"Hint: {node['Hint']}", line)
        self.assertIn('Hint: index "by_region" could be used with a condition = or IN on column "region"', self.lines("SELECT total FROM orders WHERE priority > 1"))

    def test_no_advice_without_a_gain(self):
        """Nothing is reported where the index is used, where it would not help, or where no condition is on its key."""
        for sql in ("SELECT total FROM orders WHERE region = 'eu' AND priority > 1", "SELECT total FROM orders",
                    "SELECT total FROM orders WHERE cust = 'c01' AND at = 'a' AND region = 'eu'"):
            with self.subTest(sql):
                self.assertFalse([line for line in self.lines(sql) if line.startswith("Hint")])

    def test_advice_followed(self):
        """With NOT NULL the index is used."""
        self.fx.foreign_table("promised", "cust text NOT NULL, region text, priority int NOT NULL, total numeric",
                              table_name=self.remote)
        lines = self.lines("SELECT total FROM promised WHERE region = 'eu'")
        self.assertIn("Index: by_region", lines)
        self.assertEqual(len(self.fx.rows("SELECT total FROM promised WHERE region = 'eu'")), 150)


def foreign_scans(node):
    """All foreign scans below a plan node."""
    if node["Node Type"] == "Foreign Scan":
        yield node
    for child in node.get("Plans", ()):
        yield from foreign_scans(child)


class DeadEndpoint(fixture.TestCase):
    """The port is closed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.dead = f"http://127.0.0.1:{free.getsockname()[1]}"
        cls.fx.server("dead", cls.dead, connect_timeout=1000)

    def test_clear_error(self):
        """Planning needs a description; the error reports what could not be reached, soon."""
        self.fx.foreign_table("t", "pk text NOT NULL", server="dead")
        self.fx.execute("SET statement_timeout = '20s'")
        failure = self.fx.error("EXPLAIN SELECT * FROM t WHERE pk = 'a'")
        self.assertEqual(failure.sqlstate, "HV00N", failure)
        self.assertIn(self.dead.rpartition(":")[2], f"{failure.message} {failure.detail}")

    def test_silent_endpoint(self):
        """The endpoint accepts connections, but does not respond."""
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(5)
            self.fx.server("silent", f"http://127.0.0.1:{silent.getsockname()[1]}", connect_timeout=500, request_timeout=1000)
            self.fx.foreign_table("s", "pk text NOT NULL", server="silent")
            self.fx.execute("SET statement_timeout = '20s'")
            failure = self.fx.error("EXPLAIN SELECT * FROM s WHERE pk = 'a'")
            self.assertNotEqual(failure.sqlstate, "57014", failure)

    def test_plans_from_the_cache(self):
        """A cached description is sufficient for planning."""
        fake = self.fx.fake("mortal")
        fake.table("m", ("pk", "S"))
        self.fx.foreign_table("m", "pk text NOT NULL", server="mortal")
        self.fx.rows("SELECT * FROM m WHERE pk = 'a'")
        fake.stop()
        self.assertIn("Operation: GetItem", self.fx.explain("SELECT * FROM m WHERE pk = 'a'"))
        self.fx.execute("ALTER SERVER mortal OPTIONS (ADD max_attempts '1')")
        self.assertEqual(self.fx.error("SELECT * FROM m WHERE pk = 'a'").sqlstate, "HV00N")
