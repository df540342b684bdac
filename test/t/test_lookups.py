"""Lookup joins: how many requests a join costs, and that rows, order and early ends are a nested loop's."""
import re

import shop
from lookup_tables import Lookups


class Ideal(Lookups):
    """As many requests as an expert would send."""

    def test_belongs_to(self):
        """Children to parents: batches of 100 keys."""
        self.assertCosts("SELECT k.n, p.name FROM kids k JOIN parents p ON p.id = k.parent", BatchGetItem=9)
        self.assertCosts("SELECT k.n, p.name FROM kids k LEFT JOIN parents p ON p.id = k.parent", BatchGetItem=9)
        self.assertCosts("SELECT x.id, p.name FROM people x JOIN parents p ON p.id = x.id", BatchGetItem=10)

    def test_has_many(self):
        """A Query for each parent."""
        self.assertCosts("SELECT p.name, c.v FROM people p JOIN children c ON c.parent = p.id", Query=1000)
        self.assertCosts("SELECT p.name, c.v FROM people p LEFT JOIN children c ON c.parent = p.id AND c.n < 1500", Query=1000)

    def test_repeated_keys(self):
        """37 distinct keys."""
        self.assertCosts("SELECT p.id, c.v FROM people p JOIN children c ON c.parent = p.best", Query=37)
        self.assertCosts("SELECT p.id, b.name FROM people p JOIN parents b ON b.id = p.best", BatchGetItem=1)

    def test_a_scan_where_it_is_cheaper(self):
        """As soon as the table is what it is: a page."""
        self.fx.proxy.on("DescribeTable", None)
        self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
        try:
            self.assertEqual(self.counts("SELECT p.name, c.v FROM people p JOIN children c ON c.parent = p.id"), {"Scan": 1})
            self.assertEqual(self.counts("SELECT k.n, p.name FROM kids k JOIN parents p ON p.id = k.parent"), {"Scan": 1})
            self.assertEqual(self.counts("SELECT k.n, p.name FROM kids k JOIN parents p ON p.id = k.parent WHERE k.n < 10"),
                             {"BatchGetItem": 1})
        finally:
            shop.pretend_large(self.fx, 1000)
            self.fx.rows("SELECT dynamo_fdw_disconnect_all()")

    def test_exists_reads_one_item_of_each(self):
        """Limit 1, and no second page."""
        for sql in ("SELECT id FROM people p WHERE EXISTS (SELECT FROM children c WHERE c.parent = p.id)",
                    "SELECT id FROM people p WHERE NOT EXISTS (SELECT FROM children c WHERE c.parent = p.id)"):
            requests = self.fx.requests(sql)
            self.assertEqual(len(requests), 1000)
            self.assertEqual({r.body.get("Limit") for r in requests}, {1})
            self.assertRight(sql)

    def test_exists_that_checks(self):
        """What DynamoDB cannot check is looked for in pages that cost as much as one item."""
        sql = "SELECT id FROM people p WHERE EXISTS (SELECT FROM children c WHERE c.parent = p.id AND c.v <> length(p.name))"
        requests = self.fx.requests(sql)
        self.assertEqual(({r.body.get("Limit") for r in requests}, len(requests)), ({74}, 1000))
        self.assertRight(sql)

    def test_limit(self):
        """A handful of requests, not a thousand."""
        sql = "SELECT p.name, c.v FROM people p JOIN children c ON c.parent = p.id LIMIT 5"
        self.assertLess(len(self.fx.requests(sql)), 8)
        self.assertEqual(len(self.fx.rows(sql)), 5)

    def test_many_to_many(self):
        """One Query for the links, batches for what they lead to."""
        self.assertCosts("SELECT p.name FROM links l JOIN parents p ON p.id = l.b WHERE l.a = 'p0001'", Query=1, BatchGetItem=3)
        self.assertCosts("SELECT p.name FROM links l JOIN parents p ON p.id = l.a WHERE l.b = 'p0003'", Query=1, BatchGetItem=1)

    def test_ids_on_the_parent(self):
        """The union of the arrays."""
        self.assertCosts("SELECT x.name, p.name FROM people x JOIN parents p ON p.id = ANY (x.kids)", BatchGetItem=10)
        self.assertCosts("SELECT x.id, c.n FROM people x JOIN children c ON c.parent = ANY (x.kids) WHERE x.id < 'p0010'",
                         Query=18)

    def test_latest_of_each(self):
        """Q3: backwards with a Limit."""
        sql = "SELECT p.name, c.n FROM people p CROSS JOIN LATERAL (SELECT n FROM children c WHERE c.parent = p.id" \
              " ORDER BY n DESC LIMIT 2) c WHERE p.country = 'DE'"
        requests = self.fx.requests(sql)
        self.assertEqual((len(requests), {r.body["Limit"] for r in requests}, {r.body["ScanIndexForward"] for r in requests}),
                         (334, {2}, {False}))
        self.assertRight(sql)

    def test_lateral_aggregates(self):
        """Counted by DynamoDB, or summed up here."""
        self.assertCosts("SELECT p.id, c.n FROM people p, LATERAL (SELECT count(*) AS n FROM children c WHERE c.parent = p.id) c",
                         Query=1000)
        self.assertCosts("SELECT p.id, c.n FROM people p, LATERAL (SELECT sum(v) AS n FROM children c WHERE c.parent = p.id) c",
                         Query=1000)

    def test_unused_count(self):
        """What remains of the aggregate is no scan."""
        self.assertCosts("SELECT p.id FROM people p, LATERAL (SELECT count(*) AS n FROM children c WHERE c.parent = p.id) c")

    def test_index_then_table(self):
        """An index of keys only: its Queries, then the items together."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        sql = "SELECT v.x, c.note FROM (SELECT 'm' || i AS x FROM generate_series(0, 39) i) v JOIN children c ON c.mark = v.x"
        counts = self.counts(sql)
        self.assertEqual(counts, {"Query": 40, "BatchGetItem": 6}, self.fx.explain(sql))
        self.assertRight(sql)

    def test_index_then_table_again(self):
        """A response of several chunks is not cached; when it is requested again, all that it lists is listed again."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1');"
                        "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency)")
        for rows in ("('c1'), ('c1'), ('c1'), ('c2'), ('c1')", "('c1'), ('c2'), ('c1'), ('c2'), ('c2')"):
            sql = f"SELECT v.x, c.n, c.note FROM (VALUES {rows}) v(x) JOIN children c ON c.code = v.x LIMIT 5000"
            self.assertIn("Query, then BatchGetItem", self.fx.explain(sql))
            self.assertRight(sql)

    def test_three_levels(self):
        """Each level's keys together."""
        self.assertCosts("SELECT p.id, c.n, b.name FROM people p JOIN children c ON c.parent = p.best"
                         " JOIN parents b ON b.id = p.few WHERE c.v > 3", Query=37, BatchGetItem=1)

    def test_quarter_of_a_customer(self):
        """Q7, Q22, Q24: one Query each, two for both ends."""
        self.assertCosts("SELECT sum(v) FROM children WHERE parent = 'p0001' AND n >= 1 AND n < 2000", Query=1)
        self.assertCosts("SELECT * FROM children WHERE parent = 'p0001' AND n < 2001 ORDER BY n DESC LIMIT 2", Query=1)
        self.assertCosts("SELECT min(n), max(n) FROM children WHERE parent = 'p0001'", Query=2)

    def test_orphans(self):
        """Q9: the children's keys once, the parents they have in batches."""
        sql = "SELECT DISTINCT c.parent FROM kids c LEFT JOIN parents p ON p.id = c.parent || CASE WHEN c.n < 9 THEN 'x' ELSE '' END" \
              " WHERE p.id IS NULL"
        self.assertCosts(sql, BatchGetItem=10)

    def test_local_table_drives(self):
        """Q20: k rows, k Queries with a range on the sort key."""
        sql = "SELECT p.id, sum(c.v) FROM people p JOIN children c ON c.parent = p.id WHERE p.id < 'p0008' AND c.n >= 1000" \
              " GROUP BY p.id"
        requests = self.fx.requests(sql)
        self.assertEqual(len(requests), 8)
        self.assertTrue(all(re.search(">=", r.body["KeyConditionExpression"]) for r in requests))
        self.assertRight(sql)

    def test_customers_with_open_orders(self):
        """Q25: the index, distinct keys, one batch."""
        self.assertCosts("SELECT * FROM parents WHERE id IN (SELECT parent FROM children WHERE tag = 't3')",
                         Query=1, BatchGetItem=1)

    def test_range_of_the_outer_row(self):
        """A sort key's bound differs from row to row."""
        self.assertCosts("SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best AND c.n < length(p.name) * 200"
                         " WHERE p.id < 'p0100'", Query=47)

    def test_index_by_key_and_range(self):
        """A global index with some attributes."""
        self.assertCosts("SELECT v.x, c.v FROM (VALUES ('c1', 30), ('c2', 60), ('c1', 30), (NULL, 1)) v (x, y)"
                         " JOIN children c ON c.code = v.x AND c.n BETWEEN v.y AND v.y + 100", Query=2)


class Semantics(Lookups):
    """A nested loop's rows in a nested loop's order, however it is executed."""

    def test_order_of_the_outer_side(self):
        """It survives."""
        sql = "SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best ORDER BY p.id"
        self.fx.execute("CREATE INDEX IF NOT EXISTS people_id ON people (id COLLATE \"C\"); SET enable_sort = off; SET enable_seqscan = off")
        plan = self.fx.explain(sql)
        self.assertIn("DynamoLookupJoin", plan)
        self.assertNotIn("Sort", plan)
        ids = [i for i, _ in self.fx.rows(sql)]
        self.assertEqual(ids, sorted(ids))

    def test_switched_off(self):
        """Plain nested loops then."""
        sql = "SELECT p.name, c.v FROM people p JOIN children c ON c.parent = p.id WHERE p.id < 'p0005'"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        self.assertNotIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertRight(sql)

    def test_no_error_of_rows_that_a_limit_leaves_out(self):
        """Values that might fail are computed for one row after the other there; all others are not held up by that."""
        self.fx.execute("CREATE TABLE divisors AS SELECT i, CASE WHEN i = 4 THEN 0 ELSE i END AS x, 'p000' AS prefix FROM "
                        "generate_series(1, 1000) i; ANALYZE divisors")
        self.addCleanup(self.fx.execute, "DROP TABLE divisors")
        for sql in ("SELECT i, (SELECT name FROM parents q WHERE q.id = 'p000' || 10 / o.x) FROM divisors o",
                    "SELECT i, q.name FROM divisors o LEFT JOIN parents q ON q.id = 'p000' || 10 / o.x"):
            self.assertIn("DynamoLookupJoin", self.fx.explain(f"{sql} LIMIT 3"))
            self.assertEqual(len(self.fx.rows(f"{sql} LIMIT 3")), 3)
            self.assertEqual(self.fx.error(f"{sql} LIMIT 4").sqlstate, "22012")
            for above in ("WITH x AS MATERIALIZED ({}) SELECT x.* FROM x LIMIT {}",
                          "WITH x AS MATERIALIZED ({}), y AS MATERIALIZED (SELECT * FROM x) SELECT y.i FROM y LIMIT {}",
                          "SELECT x.*, v FROM ({} OFFSET 0) x, (VALUES (1), (2)) v(v) LIMIT 2 * {}"):
                limited = above.format(sql, 3)
                self.assertIn("DynamoLookupJoin", self.fx.explain(limited))
                self.assertIn(len(self.fx.rows(limited)), (3, 6))
                self.assertEqual(self.fx.error(above.format(sql, 4)).sqlstate, "22012")
            # SELECT INTO and a function in SQL fetch one row
            self.fx.execute(f"DO $$ DECLARE r record; BEGIN {sql.replace('FROM divisors', 'INTO r FROM divisors')}; END $$")
            self.fx.execute(f"CREATE FUNCTION first_of(OUT i int, OUT name text) LANGUAGE sql AS $$ {sql} $$")
            self.assertEqual(self.fx.rows("SELECT i FROM first_of()"), [(1,)])
            self.fx.execute("DROP FUNCTION first_of")
            self.assertEqual(self.fx.error(sql).sqlstate, "22012")
        # an OFFSET alone leaves no rows out
        counts = self.counts("SELECT i, q.name FROM divisors o LEFT JOIN parents q ON q.id = 'p000' || 10 / (o.x + 1000) || o.i OFFSET 20")
        self.assertNotIn("GetItem", counts)
        self.assertLess(counts["BatchGetItem"], 20)
        counts = self.counts("SELECT i, q.name FROM divisors o LEFT JOIN parents q ON q.id = o.prefix || o.i LIMIT 300")
        self.assertNotIn("GetItem", counts)
        self.assertLessEqual(counts["BatchGetItem"], 3)

    def test_limit_above_many_ctes(self):
        """Each of these CTEs is searched once for volatile functions, although there are 2^39 ways to the first."""
        ctes = ", ".join(f"c{i} AS MATERIALIZED (SELECT * FROM c{i - 1} UNION ALL SELECT * FROM c{i - 1})" for i in range(1, 40))
        sql = f"WITH c0 AS MATERIALIZED (SELECT id, best FROM people), {ctes} SELECT c.id, q.name FROM c39 c LEFT JOIN parents q ON q.id = c.best LIMIT 7"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEqual(len(self.fx.rows(sql)), 7)

    def test_no_effects_of_rows_that_a_limit_leaves_out(self):
        """Volatile functions are called, and rows locked, for no more rows than in a plain nested loop."""
        self.fx.execute("CREATE SEQUENCE calls; CREATE TABLE queue AS SELECT * FROM people; ANALYZE queue")
        self.addCleanup(self.fx.execute, "DROP SEQUENCE calls; DROP TABLE queue")
        name = "(SELECT name FROM parents q WHERE q.id = p.best)"
        for sql in ("SELECT p.id, q.name FROM people p LEFT JOIN parents q ON q.id = p.best WHERE nextval('calls') > 0",
                    "SELECT p.id, q.name FROM (SELECT *, nextval('calls') FROM people OFFSET 0) p LEFT JOIN parents q ON q.id = p.best",
                    f"SELECT p.id, {name} FROM people p WHERE nextval('calls') > 0"):
            self.fx.execute("SELECT setval('calls', 1, false)")
            self.assertIn("DynamoLookupJoin", self.fx.explain(f"{sql} LIMIT 7"))
            self.assertEqual(len(self.fx.rows(f"{sql} LIMIT 7")), 7)
            self.assertEqual(self.fx.value("SELECT last_value FROM calls"), 7)
        values = ", ".join(["(nextval('calls'))"] * 20)
        for sql in ("WITH c AS (SELECT id, best, nextval('calls') FROM people) SELECT c.id, q.name FROM c LEFT JOIN parents q ON q.id = c.best",
                    f"SELECT v.n, q.name FROM (VALUES {values}) v(n) LEFT JOIN parents q ON q.id = 'p000' || v.n",
                    "SELECT p.id, q.name FROM (SELECT *, (SELECT nextval('calls') WHERE people.id IS NOT NULL) FROM people OFFSET 0) p LEFT JOIN parents q ON q.id = p.best",
                    "SELECT p.id, q.name FROM people p CROSS JOIN LATERAL nextval('calls' || left(p.best, 0)) b LEFT JOIN parents q ON q.id = left(p.best, b::int * 0 + 9)",
                    "SELECT p.id, q.name FROM people p CROSS JOIN LATERAL (SELECT left(p.best, 9) AS id, (SELECT nextval('calls') WHERE p.id IS NOT NULL) AS n OFFSET 0) b LEFT JOIN parents q ON q.id = b.id"):
            self.fx.execute("SELECT setval('calls', 1, false)")
            self.assertIn("DynamoLookupJoin", self.fx.explain(f"{sql} LIMIT 7"))
            self.assertEqual(len(self.fx.rows(f"{sql} LIMIT 7")), 7)
            self.assertEqual(self.fx.value("SELECT last_value FROM calls"), 7)
        sql = f"SELECT p.id, {name} FROM (SELECT * FROM queue FOR UPDATE) p LIMIT 7"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertEqual(len(self.fx.rows(sql)), 7)
        self.assertEqual(self.fx.value("SELECT count(*) FROM queue WHERE xmax <> 0"), 7)

    def test_no_effects_below_grouping_sets(self):
        """Groups of sorted rows are returned while the rows of the hashed groups are still read."""
        self.fx.execute("CREATE SEQUENCE calls; CREATE TABLE queue AS SELECT * FROM people; CREATE INDEX ON queue (id); ANALYZE queue")
        self.addCleanup(self.fx.execute, "DROP SEQUENCE calls; DROP TABLE queue")
        self.fx.execute("SET enable_sort = off; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        sql = "SELECT p.id, q.name, count(*) FROM (SELECT *, nextval('calls') FROM queue ORDER BY id OFFSET 0) p LEFT JOIN parents q ON q.id = p.best" \
              " GROUP BY GROUPING SETS ((p.id), (q.name)) LIMIT 7"
        plan = self.fx.explain(sql)
        self.assertIn("MixedAggregate", plan)
        self.assertIn("DynamoLookupJoin", plan)
        self.assertEqual(len(self.fx.rows(sql)), 7)
        self.assertEqual(self.fx.value("SELECT last_value FROM calls"), 8, plan)

    def test_other_relations_plan_as_before(self):
        """Local tables are joined by core alone."""
        sql = "SELECT * FROM people p JOIN kids k ON k.parent = p.id JOIN people q ON q.id = p.best"
        before = self.fx.explain(sql, "COSTS ON")
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        self.assertEqual(self.fx.explain(sql, "COSTS ON"), before)

    def test_little_memory(self):
        """Small batches, and responses that are dropped."""
        self.fx.execute("SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET dynamo_fdw.fetch_memory = '1MB'; SET enable_hashjoin = off; SET enable_mergejoin = off")
        for sql in ("SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best",
                    "SELECT k.n, p.name, p.kids FROM kids k JOIN parents p ON p.id = k.parent",
                    "SELECT v.x, c.note FROM (SELECT 'm' || i % 40 AS x FROM generate_series(0, 99) i) v"
                    " JOIN children c ON c.mark = v.x"):
            self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
            self.assertRight(sql)

    def test_many_rows_of_one_key(self):
        """A response too large to keep is requested again."""
        self.fx.execute("SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET dynamo_fdw.fetch_memory = '1MB'; SET enable_hashjoin = off; SET enable_mergejoin = off;"
                        "SET enable_material = off")
        self.assertRight("SELECT v.i, c.n FROM generate_series(1, 3) v (i) JOIN children c ON c.code = 'c' || v.i % 2")

    def test_cursor_that_stops(self):
        """FETCH, more, and CLOSE; nothing is left in the way."""
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.id")
        first = self.fx.rows("FETCH 3 FROM c") + self.fx.rows("FETCH 40 FROM c")
        self.fx.execute("CLOSE c; COMMIT")
        self.assertEqual(len(set(first)), 43)
        self.fx.execute("BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.id"
                        " WHERE p.id < 'p0020'; COMMIT")
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 54)
        self.fx.execute("CLOSE c")

    def test_scroll_cursor(self):
        """Backwards through what core keeps."""
        self.fx.execute("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.id"
                        " WHERE p.id < 'p0020'")
        forward = self.fx.rows("FETCH ALL FROM c")
        self.assertEqual(self.fx.rows("FETCH BACKWARD ALL FROM c"), forward[::-1])
        self.fx.execute("COMMIT")

    def test_rescans(self):
        """A lookup join on the inner side of another loop is executed again and again."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        self.assertRight("SELECT v.i, x.id, x.n FROM generate_series(1, 4) v (i), LATERAL (SELECT p.id, c.n FROM people p"
                         " JOIN children c ON c.parent = p.best AND c.n > v.i * 500 WHERE p.id < 'p000' || v.i OFFSET 0) x")
        self.assertRight("SELECT id, (SELECT sum(c.v) FROM people q JOIN children c ON c.parent = q.id WHERE q.best = p.id"
                         " AND q.id < 'p0100') FROM people p WHERE id < 'p0010'")

    def test_prepared_seven_times(self):
        """Generic plans look up as well."""
        self.fx.execute("PREPARE q (text, int) AS SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best AND c.n > $2"
                        " WHERE p.id < $1")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        for i in range(7):
            got = sorted(self.fx.rows(f"EXECUTE q ('p003{i}', {i * 300})"))
            self.assertEqual(got, sorted(self.fx.rows("SELECT p.id, c.n FROM people p JOIN kids c ON c.parent = p.best"
                                                      f" AND c.n > {i * 300} WHERE p.id < 'p003{i}'")))
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.assertEqual(self.counts("EXECUTE q ('p0050', 0)"), {"Query": 37})

    def test_outer_sides(self):
        """Functions, VALUES, CTEs, unions, other lookups."""
        for outer in ("(SELECT 'p00' || i AS x FROM generate_series(10, 30) i)", "(VALUES ('p0001'), ('p0001'), (NULL), ('none'))",
                      "(SELECT unnest(ARRAY['p0003', 'p0004', NULL, 'p0003']))",
                      "(SELECT id FROM people WHERE id < 'p0007' UNION ALL SELECT 'p0002')",
                      "(SELECT id FROM parents WHERE id IN ('p0005', 'p0006'))"):
            for join in ("JOIN", "LEFT JOIN"):
                self.assertRight(f"SELECT v.x, c.n FROM {outer} v (x) {join} children c ON c.parent = v.x")
        self.assertRight("WITH w AS MATERIALIZED (SELECT id FROM people WHERE id < 'p0009')"
                         " SELECT w.id, p.name FROM w JOIN parents p ON p.id = w.id")

    def test_types_differ(self):
        """Numbers compare as numbers, texts with casts."""
        self.assertRight("SELECT v.x, c.v FROM (VALUES (1::numeric), (1.0), (2.5), (1001)) v (x) JOIN children c"
                         " ON c.parent = 'p0001' AND c.n = v.x")
        self.assertRight("SELECT v.x, p.name FROM (VALUES ('p0001'::varchar), ('p0002')) v (x) JOIN parents p ON p.id = v.x")

    def test_outer_join_above(self):
        """NULLs of an outer join are no keys."""
        self.assertRight("SELECT p.id, b.name FROM (SELECT p.id, k.parent FROM people p LEFT JOIN kids k ON k.parent = p.id AND k.n < 5) p"
                         " LEFT JOIN parents b ON b.id = p.parent")
        self.assertRight("SELECT p.id FROM people p LEFT JOIN children c ON c.parent = p.id WHERE c.n IS NULL")

    def test_under_a_view(self):
        """A view over the inner table changes nothing."""
        self.fx.execute("CREATE VIEW young AS SELECT parent, n FROM children WHERE n > 1000")
        self.assertEqual(self.counts("SELECT p.id, y.n FROM people p JOIN young y ON y.parent = p.best"), {"Query": 37})

    def test_update_from(self):
        """A local table is changed by what is looked up; row locks are core's."""
        self.fx.execute("CREATE TABLE copy AS SELECT id, best, NULL::text AS found FROM people")
        requests = self.fx.requests("UPDATE copy SET found = p.name FROM parents p WHERE p.id = copy.best")
        self.assertEqual([r.operation for r in requests], ["BatchGetItem"])
        self.assertEqual(self.fx.value("SELECT count(*) FROM copy JOIN people b ON b.id = copy.best AND b.name = found"), 1000)
        self.assertEqual(len(self.fx.rows("SELECT c.id, p.name FROM copy c JOIN parents p ON p.id = c.best FOR UPDATE OF c")), 1000)

    def test_as_another_role(self):
        """The owner of a view reads."""
        self.fx.execute("CREATE VIEW shown AS SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best;"
                        "CREATE ROLE lookup_reader; GRANT SELECT ON shown TO lookup_reader; SET ROLE lookup_reader")
        try:
            self.assertEqual(self.counts("SELECT * FROM shown"), {"Query": 37})
        finally:
            self.fx.execute("RESET ROLE; DROP VIEW shown; DROP ROLE lookup_reader")

    def test_subtransaction(self):
        """An error half way leaves nothing that disturbs the next join."""
        self.fx.execute("BEGIN; SAVEPOINT s")
        failure = self.fx.error("SELECT p.id, 1 / (c.n - 501) FROM people p JOIN children c ON c.parent = p.id")
        self.assertEqual(failure.sqlstate, "22012")
        self.fx.execute("ROLLBACK TO s")
        self.assertRight("SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best")
        self.fx.execute("COMMIT")


class Explain(Lookups):
    """What EXPLAIN prints."""

    def test_text(self):
        """One line of counters."""
        plan = self.fx.explain("SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best",
                               "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF")
        self.assertIn("Prefetches: children", plan)
        self.assertIn("Batches: 1  Largest Batch: 1000  Distinct Keys: 37  Repeated Keys: 963", plan)
        self.assertIn("Requests: 37  Pages: 37", plan)

    def test_json(self):
        """Typed properties."""
        [[plan]] = [row[0] for row in self.fx.rows("EXPLAIN (ANALYZE, FORMAT JSON) SELECT p.id, c.n FROM people p"
                                                   " JOIN children c ON c.parent = p.best")]
        [node] = [n for n in walk(plan["Plan"]) if n.get("Custom Plan Provider") == "DynamoLookupJoin"]
        self.assertEqual((node["Prefetches"], node["Batches"], node["Largest Batch"], node["Distinct Keys"], node["Repeated Keys"]),
                         (["children"], 1, 1000, 37, 963))

    def test_without_analyze(self):
        """Nothing is requested."""
        self.assertEqual(self.fx.requests("EXPLAIN SELECT p.id, c.n FROM people p JOIN children c ON c.parent = p.best"), [])


def walk(plan):
    """A plan's nodes."""
    yield plan
    for child in plan.get("Plans", []):
        yield from walk(child)
