"""Correlated subqueries of a SELECT list: the keys of many rows are requested together."""
import contextlib

from lookup_tables import Lookups

# One row of parents for each of people; 37 of them.
BEST = "(SELECT name FROM parents q WHERE q.id = p.best)"


class Together(Lookups):
    """Requests and rows of subqueries that are read ahead for."""

    def test_item(self):
        """belongs_to: 1000 rows, ten BatchGetItem."""
        self.assertCosts("SELECT k.n, (SELECT name FROM parents p WHERE p.id = k.parent) FROM kids k", BatchGetItem=9)
        self.assertCosts("SELECT q.id, (SELECT name FROM parents p WHERE p.id = q.best) FROM people q", BatchGetItem=1)

    def test_aggregates(self):
        """has_many: counted by DynamoDB, summed here, the first or last by its order."""
        for what in ("count(*)", "sum(v)", "max(n)", "min(n)", "string_agg(code, ',' ORDER BY n)"):
            with self.subTest(what):
                self.assertCosts(f"SELECT p.id, (SELECT {what} FROM children c WHERE c.parent = p.best) FROM people p", Query=37)

    def test_minimum_reads_one_item_of_each(self):
        """min() reads one item of each partition, backwards with a Limit."""
        requests = self.fx.requests("SELECT p.id, (SELECT max(n) FROM children c WHERE c.parent = p.id) FROM people p")
        self.assertEqual((len(requests), {r.body["Limit"] for r in requests}), (1000, {1}))
        self.assertIn("DynamoLookupJoin", self.fx.explain("SELECT id, (SELECT max(n) FROM children c WHERE c.parent = p.id) FROM people p"))

    def test_minimum_in_a_lateral_subquery(self):
        """min() in a lateral subquery reads one item of each partition, too."""
        sql = "SELECT p.id, c.n FROM people p, LATERAL (SELECT max(n) AS n FROM children c WHERE c.parent = p.best) c"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertCosts(sql, Query=37)

    def test_arrays_and_rows(self):
        """The latest two of each, as an array; an entire row; several subqueries."""
        self.assertCosts("SELECT p.id, ARRAY(SELECT n FROM children c WHERE c.parent = p.best ORDER BY n DESC LIMIT 2),"
                         " (SELECT name FROM parents q WHERE q.id = p.few), (SELECT r::text FROM parents r WHERE r.id = p.best)"
                         " FROM people p", Query=37, BatchGetItem=2)

    def test_inside_expressions(self):
        """The subquery is part of an expression that always evaluates it."""
        self.assertCosts("SELECT p.id, 2 * (SELECT count(*) FROM children c WHERE c.parent = p.best) + length(p.name) FROM people p", Query=37)

    def test_evaluated_first(self):
        """The first part of an expression that may skip the others."""
        for expression in ("coalesce({}, 'none')", "coalesce(upper({}) || '!', p.name, 'none')", "{} > 'name 5' OR p.id > 'p0500'", "p.id > {} AND p.id > 'p0500'",
                           "CASE WHEN {} > 'name 5' THEN 1 ELSE 2 END", "CASE {} WHEN 'name 5' THEN p.id WHEN 'name 6' THEN 'six' END",
                           "CASE upper(p.name) WHEN upper({}) THEN p.id END", "coalesce(CASE WHEN NOT ({} IS NULL AND p.id < 'p0200') THEN p.name END, p.id)"):
            self.assertCosts(f"SELECT p.id, {expression.format(BEST)} FROM people p", BatchGetItem=1)
        self.assertCosts(f"SELECT p.id, CASE {BEST} WHEN (SELECT name FROM parents r WHERE r.id = p.few) THEN 1 END FROM people p", BatchGetItem=2)

    def test_that_may_be_skipped(self):
        """Values of subqueries that an expression may leave out: of subqueries without FROM, in subscripts, in comparisons of rows."""
        inner = "(SELECT name FROM parents q WHERE q.id = 'p000' || 10 / i)"
        for expression in (f"(SELECT CASE WHEN i > 0 THEN {inner} END)", f"(SELECT coalesce(CASE WHEN i = 0 THEN 'no' END, {inner}))",
                           f"(CASE WHEN i > 0 THEN ARRAY['a', 'b'] END)[length({inner}) - 5]", f"(i, 'no') < (1, {inner})"):
            sql = f"SELECT i, {expression} FROM generate_series(0, 12) i"
            self.assertNotIn("DynamoLookupJoin", self.fx.explain(sql))
            self.assertRight(sql)

    def test_of_json(self):
        """JSON_VALUE and JSON_QUERY always evaluate the document, but not the path, its variables and DEFAULT."""
        if self.fx.conn.server_version < 170000:
            self.skipTest("PostgreSQL 17 or later")
        inner = "(SELECT name FROM parents q WHERE q.id = 'p000' || 10 / i)"
        for expression in (f"JSON_VALUE('{{\"a\": 1}}', '$.a' DEFAULT upper({inner}) ON EMPTY)", f"JSON_VALUE('1', '$' DEFAULT upper({inner}) ON ERROR)",
                           f"JSON_VALUE(CASE WHEN i > 0 THEN '1' END::json, ('$' || left({inner}, 0))::jsonpath)",
                           f"JSON_QUERY(CASE WHEN i > 0 THEN '1' END::json, '$' PASSING {inner} AS x)"):
            with self.subTest(expression):
                sql = f"SELECT i, {expression} FROM generate_series(0, 12) i"
                self.assertNotIn("DynamoLookupJoin", self.fx.explain(sql))
                self.assertRight(sql)
        self.assertCosts(f"SELECT p.id, JSON_VALUE(to_jsonb({BEST}), '$') FROM people p", BatchGetItem=1)

    def test_always_evaluated_without_from(self):
        """The value of a subquery without FROM, computed from others."""
        sql = f"SELECT p.id, (SELECT coalesce(upper({BEST}), p.name)) FROM people p"
        self.assertCosts(sql, BatchGetItem=1)
        self.assertCosts("SELECT p.id, (SELECT coalesce(max(n), 0) FROM children c WHERE c.parent = p.best) FROM people p", Query=37)

    def test_in_aggregates(self):
        """Arguments of aggregates, grouped, sorted and distinct, with a FILTER by a subquery, in a subquery."""
        for sql in (f"SELECT json_agg(json_build_object('id', p.id, 'best', {BEST}) ORDER BY p.id) FROM people p",
                    f"SELECT p.country, string_agg({BEST}, ',' ORDER BY p.id), count(*) FROM people p GROUP BY p.country",
                    f"SELECT p.country, count(DISTINCT {BEST}) FROM people p GROUP BY p.country ORDER BY p.country",
                    f"SELECT count(*) FILTER (WHERE {BEST} > 'name 5') FROM people p",
                    f"SELECT p.country FROM people p GROUP BY p.country HAVING count(*) > 1 AND max({BEST}) > 'name'",
                    f"WITH a AS (SELECT p.id, {BEST} AS best FROM people p), b AS (SELECT json_agg(to_json(a) ORDER BY a.id) AS data FROM a)"
                    " SELECT coalesce((SELECT data FROM b), '[]')"):
            self.assertCosts(sql, BatchGetItem=1)
        self.assertCosts("SELECT sum((SELECT count(*) FROM children c WHERE c.parent = p.best)), max((SELECT name FROM parents q WHERE q.id = p.few))"
                         " FROM people p", Query=37, BatchGetItem=1)
        self.assertRight(f"SELECT p.country, count(DISTINCT {BEST}), min({BEST}) FROM people p GROUP BY p.country ORDER BY p.country LIMIT 2")

    def test_in_aggregates_of_subqueries(self):
        """The subquery that aggregates is read ahead for, and its own subquery as well."""
        self.assertCosts("SELECT p.id, (SELECT json_agg(json_build_object('n', c.n, 'of', (SELECT q.name FROM parents q WHERE q.id = c.parent)) ORDER BY c.n)"
                         " FROM children c WHERE c.parent = p.best) FROM people p WHERE p.id < 'p0040'", Query=37, GetItem=33)

    def test_in_aggregates_with_a_filter(self):
        """A FILTER may leave the argument out: only the rows that pass it send requests."""
        sql = "SELECT count((SELECT name FROM parents q WHERE q.id = p.best)) FILTER (WHERE p.id = 'p0003') FROM people p"
        self.assertNotIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertCosts(sql, GetItem=1)

    def test_index_then_table(self):
        """The Queries of the index, then the items, are sent together."""
        sql = "SELECT i, (SELECT count(note) FROM children c WHERE c.mark = 'm' || i) FROM generate_series(0, 39) i"
        self.assertEqual(self.counts(sql)["Query"], 40)
        self.assertLessEqual(self.counts(sql)["BatchGetItem"], 8)
        self.assertRight(sql)

    def test_above(self):
        """Sorted by it, grouped by it, distinct, limited, counted over: all rows in one batch, where all are read."""
        for sql in (f"SELECT p.id, {BEST} AS x FROM people p ORDER BY x, p.id",
                    f"SELECT {BEST} AS x, count(*) FROM people p GROUP BY x",
                    f"SELECT {BEST} AS x, count(*) FROM people p GROUP BY x ORDER BY x LIMIT 40",
                    f"SELECT DISTINCT {BEST}, country FROM people p",
                    f"SELECT max(x) FROM (SELECT {BEST} AS x FROM people p OFFSET 0) y",
                    f"SELECT {BEST} FROM people p UNION SELECT {BEST} FROM people p"):
            with self.subTest(sql):
                self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
                self.assertEqual(self.counts(sql), {"BatchGetItem": 2 if "UNION" in sql else 1})
                self.assertRight(sql)

    def test_computed_below(self):
        """What was sorted by, or expanded, below other subqueries is not computed again."""
        count = "(SELECT count(*) FROM children c WHERE c.parent = p.few)"
        for sql in (f"SELECT {BEST} AS x, {count}, p.id FROM people p ORDER BY x, p.id LIMIT 50",
                    f"SELECT p.id, {BEST} FROM people p ORDER BY {count}, p.id LIMIT 10",
                    f"SELECT generate_series(1, {count}::int) + 1, {BEST} FROM people p WHERE p.id < 'p0050'"):
            with self.subTest(sql):
                self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
                self.assertRight(sql)

    def test_sorted_by_others(self):
        """Subqueries to sort by, below a sort whose rows need others, are batched as well."""
        count = "(SELECT count(*) FROM children c WHERE c.parent = p.few)"
        self.assertCosts(f"SELECT {BEST} AS x, {count}, p.id FROM people p ORDER BY x, p.id LIMIT 50", BatchGetItem=1, Query=50)
        self.assertCosts(f"SELECT p.id, {BEST} FROM people p ORDER BY {count}, p.id LIMIT 10", Query=100, BatchGetItem=1)

    def test_partitions(self):
        """Each partition is sorted and aggregated for itself, by its own expressions."""
        self.fx.execute("CREATE TABLE apart (LIKE people) PARTITION BY HASH (best); CREATE TABLE apart_0 PARTITION OF apart FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
                        " CREATE TABLE apart_1 PARTITION OF apart FOR VALUES WITH (MODULUS 2, REMAINDER 1); INSERT INTO apart SELECT * FROM people WHERE id < 'p0040';"
                        " CREATE TABLE mirror.apart AS SELECT * FROM apart; ANALYZE apart; SET enable_partitionwise_aggregate = on")
        self.addCleanup(self.fx.execute, "DROP TABLE apart, mirror.apart")
        for sql in (f"SELECT best, {BEST}, count(DISTINCT name) FROM apart p GROUP BY 1, 2",
                    f"SELECT best, count(DISTINCT {BEST}), min({BEST}) FROM apart p GROUP BY 1",
                    f"SELECT best, {BEST}, string_agg(name, ',' ORDER BY {BEST}, name) FROM apart p GROUP BY 1, 2 ORDER BY 2, 1"):
            with self.subTest(sql):
                self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
                self.assertRight(sql)

    def test_limit(self):
        """A few rows need only a few requests."""
        counts = self.counts("SELECT p.id, (SELECT count(*) FROM children c WHERE c.parent = p.id) FROM people p LIMIT 5")
        self.assertLessEqual(counts["Query"], 21)
        counts = self.counts("SELECT p.id, (SELECT count(*) FROM children c WHERE c.parent = p.id) FROM people p ORDER BY id LIMIT 5")
        self.assertLessEqual(counts["Query"], 21)

    def test_without_sort(self):
        """Rows that need no sort, or are grouped or counted over: the SELECT list is evaluated above, and LIMIT reads a few."""
        name, links = "(SELECT name FROM parents q WHERE q.id = l.b)", "FROM links l WHERE a = 'p0001'"
        for sql in (f"SELECT b, {name} {links} ORDER BY b DESC LIMIT 20",
                    f"SELECT b, coalesce({name}, 'none') {links} ORDER BY b LIMIT 20 OFFSET 10",
                    f"SELECT b, CASE WHEN {name} > 'name 5' THEN 1 END {links} ORDER BY b LIMIT 20",
                    f"SELECT b, EXISTS (SELECT FROM parents q WHERE q.id = l.b) {links} ORDER BY b LIMIT 20",
                    f"SELECT DISTINCT ON (b) b, {name} {links} ORDER BY b LIMIT 20",
                    f"SELECT * FROM (SELECT b, {name} {links} ORDER BY b LIMIT 20) x",
                    f"SELECT b, {name}, row_number() OVER (ORDER BY b) {links} ORDER BY b LIMIT 20",
                    f"SELECT * FROM (SELECT b, {name}, rank() OVER (ORDER BY b) AS r {links}) x WHERE r < 20"):
            self.assertCosts(sql, Query=1, BatchGetItem=1)
        self.assertCosts(f"SELECT l.b, p.name, {name} FROM links l JOIN parents p ON p.id = l.b WHERE a = 'p0001' ORDER BY b LIMIT 20",
                         Query=1, BatchGetItem=2)
        self.assertCosts(f"SELECT b, {name} FROM (TABLE links UNION ALL TABLE links) l WHERE a = 'p0001' ORDER BY b LIMIT 20",
                         Query=2, BatchGetItem=1)
        for sql in (f"SELECT b, {name}, count(*) {links} GROUP BY b", f"SELECT max(b), b || {name} {links} GROUP BY b HAVING count(*) > 0 ORDER BY b",
                    f"SELECT b, {name}, sum(count(*)) OVER (PARTITION BY b) {links} GROUP BY b"):
            self.assertCosts(sql, Query=1, BatchGetItem=3)
        for sql in (f"SELECT left(b, 4) AS x, (SELECT name FROM parents q WHERE q.id = min(b)) {links} GROUP BY x",
                    f"SELECT b, {name}, count(*) {links} GROUP BY ROLLUP (b)",
                    f"SELECT b, {name}, generate_series(1, 2) {links} ORDER BY b LIMIT 20"):
            self.assertRight(sql)
        self.fx.execute(f"CREATE TEMP TABLE copied AS SELECT b, {name} AS name {links} LIMIT 0")
        self.addCleanup(self.fx.execute, "DROP TABLE copied")
        self.assertEqual(self.counts(f"INSERT INTO copied SELECT b, {name} {links} ORDER BY b LIMIT 20"), {"Query": 1, "BatchGetItem": 1})

    def test_computed_columns(self):
        """Groups, windows and parallel workers compute columns below the SELECT list; they do not return what these consist of."""
        links = "FROM links l WHERE a = 'p0001'"
        for sql in (f"SELECT left(b, 4), a, (SELECT name FROM parents q WHERE q.id = l.a), count(*) {links} GROUP BY left(b, 4), a",
                    f"SELECT left(b, 4), (SELECT name FROM parents q WHERE q.id = l.b), row_number() OVER (ORDER BY left(b, 4), b) {links}",
                    f"SELECT left(b, 4) AS x, a, (SELECT name FROM parents q WHERE q.id = l.a), count(*) {links} GROUP BY 1, 2 ORDER BY 1 LIMIT 20"):
            with self.subTest(sql):
                self.assertRight(sql)
                self.assertLessEqual(set(self.counts(sql).items()), {("Query", 1), ("GetItem", 1), ("BatchGetItem", 3)})
        self.fx.execute("CREATE TABLE big AS SELECT n AS id, n % 97 AS amount, n % 1000 AS created, 'p' || lpad((1 + n % 37)::text, 4, '0') AS cust FROM generate_series(1, 50000) n;"
                        "CREATE TABLE small AS SELECT DISTINCT cust, upper(cust) AS name FROM big; ANALYZE big, small;"
                        "SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0")
        self.addCleanup(self.fx.execute, "DROP TABLE big, small; RESET ALL")
        local, remote = "(SELECT name FROM small c WHERE c.cust = b.cust)", "(SELECT name FROM parents q WHERE q.id = b.cust)"
        for columns, order in ((f"id, amount * 2, {local}", "created, id"), (f"id, {local}", "lower(cust), id"), (f"id, amount * 2, {remote}", "created, id"),
                               (f"id, {remote}, {local}", "lower(cust), id"), (f"id, amount + 1, {remote}", "created, id DESC")):
            sql = f"SELECT {columns} FROM big b WHERE amount < 5 ORDER BY {order} LIMIT 10"
            with self.subTest(sql):
                self.assertIn("Gather Merge", self.fx.explain(sql))
                self.assertRight(sql)
                self.assertLessEqual(sum(self.counts(sql).values()), 1)

    def test_update(self):
        """UPDATE ... SET from a subquery."""
        self.fx.execute("CREATE TABLE tally AS SELECT id, best, 0::bigint AS n FROM people; ANALYZE tally")
        self.addCleanup(self.fx.execute, "DROP TABLE tally")
        counts = self.counts("UPDATE tally SET n = (SELECT count(*) FROM children c WHERE c.parent = tally.best)")
        self.assertEqual(counts, {"Query": 37})
        self.assertEqual(self.fx.rows("SELECT sum(n) FROM tally"),
                         self.fx.rows("SELECT count(*) FROM people p JOIN kids c ON c.parent = p.best"))

    def test_insert(self):
        """INSERT ... SELECT, and CREATE TABLE AS."""
        sql = "SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) AS name FROM people p"
        self.assertEqual(self.counts(f"CREATE TEMP TABLE copied AS {sql}"), {"BatchGetItem": 1})
        self.addCleanup(self.fx.execute, "DROP TABLE copied")
        self.assertEqual(self.counts(f"INSERT INTO copied {sql}"), {"BatchGetItem": 1})
        self.assertEqual(self.fx.value("SELECT count(DISTINCT name) FROM copied"), 37)

    def test_foreign_rows(self):
        """The outer rows come from a foreign table, or from a join."""
        sql = "SELECT p.id, (SELECT count(*) FROM children c WHERE c.parent = p.best) FROM parents p WHERE country = 'DE'"
        self.assertEqual(self.counts(sql)["Query"], 37)
        self.assertRight(sql)
        self.assertRight("SELECT p.id, c.n, (SELECT name FROM parents q WHERE q.id = p.few) FROM people p JOIN children c"
                         " ON c.parent = p.best WHERE p.id < 'p0040'")

    def test_subquery_within(self):
        """A join inside the subquery looks up for itself."""
        self.assertRight("SELECT id, (SELECT sum(c.v) FROM people q JOIN children c ON c.parent = q.id WHERE q.best = p.id"
                         " AND q.id < 'p0100'), (SELECT string_agg(b.name, ',' ORDER BY b.name) FROM children c JOIN parents b"
                         " ON b.id = 'p00' || c.n % 90 + 10 WHERE c.parent = p.id) FROM people p WHERE id < 'p0100'")

    def test_cursor(self):
        """In several FETCHes, and backwards."""
        sql = "SELECT id, (SELECT count(*) FROM children c WHERE c.parent = p.id) FROM people p WHERE id < 'p0050'"
        self.fx.execute(f"BEGIN; DECLARE c SCROLL CURSOR FOR {sql}")
        rows = self.fx.rows("FETCH 7 FROM c") + self.fx.rows("FETCH ALL FROM c")
        self.assertEqual(self.fx.rows("FETCH BACKWARD ALL FROM c"), rows[::-1])
        self.fx.execute("COMMIT")
        self.assertEqual(sorted(rows), sorted(self.mirrored(sql)))

    def test_prepared(self):
        """Seven times, and as a generic plan."""
        self.fx.execute("PREPARE q (text, int) AS SELECT id, (SELECT count(*) FROM children c WHERE c.parent = p.best AND n > $2)"
                        " FROM people p WHERE id < $1")
        self.addCleanup(self.fx.execute, "DEALLOCATE q")
        for i in range(7):
            self.assertEqual(sorted(self.fx.rows(f"EXECUTE q ('p003{i}', {i * 300})")), sorted(self.mirrored(
                f"SELECT id, (SELECT count(*) FROM children c WHERE c.parent = p.best AND n > {i * 300}) FROM people p WHERE id < 'p003{i}'")))
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.assertEqual(self.counts("EXECUTE q ('p0050', 0)"), {"Query": 37})

    def test_nulls_and_errors(self):
        """NULL is no key; two rows are an error, and it is core's."""
        self.assertRight("SELECT x, (SELECT name FROM parents p WHERE p.id = x) FROM (VALUES ('p0001'), (NULL), (''), ('p0001')) v (x)")
        failure = self.fx.error("SELECT id, (SELECT n FROM children c WHERE c.parent = p.id) FROM people p")
        self.assertEqual(failure.sqlstate, "21000")
        self.assertRight("SELECT id, (SELECT n FROM children c WHERE c.parent = p.id LIMIT 1) FROM people p WHERE id < 'p0000x'")

    def test_little_memory(self):
        """Small batches."""
        self.fx.execute("SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET dynamo_fdw.fetch_memory = '1MB'")
        sql = "SELECT k.n, (SELECT name FROM parents p WHERE p.id = k.parent), (SELECT count(*) FROM children c WHERE c.parent = k.parent)" \
              " FROM kids k WHERE n < 800"
        self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertRight(sql)

    def test_explain(self):
        """The node reports for which tables, and counts keys."""
        plan = self.fx.explain("SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) FROM people p", "ANALYZE, COSTS OFF, TIMING OFF")
        self.assertIn("Prefetches: parents", plan)
        self.assertIn("Distinct Keys: 37  Repeated Keys: 963", plan)


class Apart(Lookups):
    """Where nothing is read ahead."""

    def assertAlone(self, sql):
        """No node of ours; right rows."""
        self.assertNotIn("DynamoLookupJoin", self.fx.explain(sql))
        self.assertRight(sql)

    def test_what_may_be_left_out(self):
        """CASE, COALESCE, AND, OR decide whether there is a request at all."""
        for expression in ("CASE WHEN id < 'p0003' THEN {} END", "CASE id WHEN 'p0003' THEN 'three' WHEN {} THEN 'other' END", "CASE WHEN id < 'p0003' THEN 'x' ELSE {} END", "coalesce(nullif(name, 'name 5'), {})",
                           "id > 'p0004' OR {} IS NULL", "id < 'p0003' AND {} IS NOT NULL"):
            sql = f"SELECT id, {expression} FROM people p WHERE id < 'p0010'"
            self.assertAlone(sql.format(BEST))
        self.assertEqual(self.counts("SELECT CASE WHEN id < 'p0003' THEN (SELECT name FROM parents q WHERE q.id = p.best) END FROM people p"),
                         {"GetItem": 3})

    def test_hashed(self):
        """EXISTS is executed once if that is cheaper: there are no keys."""
        sql = "SELECT p.id, EXISTS (SELECT FROM children c WHERE c.parent = p.id AND c.v = 4) FROM people p"
        self.assertAlone(sql)
        self.assertEqual(set(self.counts(sql)), {"Scan"})

    def test_switched_off(self):
        """By the parameter that switches lookup joins off."""
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        self.assertAlone("SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) FROM people p WHERE id < 'p0010'")

    def test_local_subqueries(self):
        """Those over local tables plan as before, with their costs."""
        sql = "SELECT id, (SELECT count(*) FROM kids k WHERE k.parent = p.id) FROM people p"
        before = self.fx.explain(sql, "COSTS ON")
        self.fx.execute("SET dynamo_fdw.enable_lookup_join = off")
        self.assertEqual(self.fx.explain(sql, "COSTS ON"), before)

    def test_conditions(self):
        """In WHERE it is executed row by row, and right."""
        self.assertAlone("SELECT id FROM people p WHERE id < 'p0030' AND (SELECT count(*) FROM children c WHERE c.parent = p.id) > 2")

    def test_current_of_a_cursor(self):
        """The row that a cursor is on can be updated."""
        self.fx.execute("CREATE TABLE standing AS SELECT *, 0 AS z FROM people; ALTER TABLE standing ADD PRIMARY KEY (id); ANALYZE standing;"
                        "SET enable_sort = off")
        self.addCleanup(self.fx.execute, "DROP TABLE standing")
        query = "SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) FROM standing p"
        for fraction, tail in ((0.1, ""), (0.1, " FOR UPDATE"), (1, ""), (0.1, " LIMIT 500"), (1, " OFFSET 1 LIMIT 500"), (1, " ORDER BY id LIMIT 500")):
            self.fx.execute("UPDATE standing SET z = 0")
            self.fx.execute(f"BEGIN; SET LOCAL cursor_tuple_fraction = {fraction}; DECLARE c CURSOR FOR {query}{tail}")
            [(key, name)] = self.fx.rows("FETCH RELATIVE 3 FROM c")
            self.fx.execute("UPDATE standing SET z = z + 1 WHERE CURRENT OF c; COMMIT")
            self.assertEqual(name, f"name {int(key[1:]) % 37}")
            self.assertEqual(self.fx.value(f"SELECT z FROM standing WHERE id = '{key}'"), 1)

    def test_current_of_a_cursor_in_a_function(self):
        """In the same way with the cursors of PL/pgSQL, while statements without one are looked up."""
        query = "SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) AS name FROM standing p LIMIT 100"
        self.fx.execute("CREATE TABLE standing AS SELECT *, 0 AS z FROM people; ANALYZE standing;"
                        "CREATE FUNCTION mark() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR " + query + ";"
                        " r record; n bigint := 0; BEGIN SET LOCAL cursor_tuple_fraction = 1; FOR r IN c LOOP UPDATE standing"
                        " SET z = 1 WHERE CURRENT OF c; n := n + 1; END LOOP; RETURN n; END $$")
        self.addCleanup(self.fx.execute, "DROP TABLE standing; DROP FUNCTION mark")
        self.assertEqual(self.fx.value("SELECT mark()"), 100)
        self.assertEqual(self.fx.value("SELECT sum(z) FROM standing"), 100)
        self.assertIn("DynamoLookupJoin", self.fx.explain(query))

    def test_current_of_a_cursor_of_a_new_session(self):
        """The first statement of a session loads the library while it is planned."""
        self.fx.execute("CREATE TABLE standing AS SELECT *, 0 AS z FROM people; ANALYZE standing")
        self.addCleanup(self.fx.execute, "DROP TABLE standing")
        query = "SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) FROM standing p"
        for fraction, tail in ((0.1, ""), (1, ""), (1, " LIMIT 500")):
            with self.subTest(fraction=fraction, tail=tail), contextlib.closing(self.fx.connect()) as connection:
                cursor = connection.cursor()
                cursor.execute(f"BEGIN; SET LOCAL cursor_tuple_fraction = {fraction}")
                cursor.execute(f"DECLARE c CURSOR FOR {query}{tail}")
                cursor.execute("FETCH RELATIVE 3 FROM c")
                cursor.execute("UPDATE standing SET z = z + 1 WHERE CURRENT OF c")
                self.assertEqual(cursor.rowcount, 1)
        with contextlib.closing(self.fx.connect()) as connection:
            self.fx.proxy.reset()
            connection.cursor().execute(query)
            self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], ["BatchGetItem"])

    def test_current_of_a_cursor_over_subqueries(self):
        """A view with security_barrier remains a subquery; UNION ALL appends."""
        self.fx.execute("CREATE TABLE standing AS SELECT *, 0 AS z FROM people; ANALYZE standing;"
                        "CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM standing WHERE id > 'p0001'")
        self.addCleanup(self.fx.execute, "DROP TABLE standing CASCADE")
        named = "SELECT id, (SELECT name FROM parents q WHERE q.id = p.best) AS name FROM"
        for query in (f"{named} barrier p", f"SELECT * FROM ({named} standing p OFFSET 1) s",
                      f"{named} standing p UNION ALL {named} people p", f"{named} (TABLE standing UNION ALL SELECT *, 1 FROM people) p"):
            with self.subTest(query):
                self.fx.execute(f"UPDATE standing SET z = 0; BEGIN; DECLARE c CURSOR FOR {query}")
                self.addCleanup(self.fx.execute, "ROLLBACK")
                [(key, name)] = self.fx.rows("FETCH RELATIVE 3 FROM c")
                self.fx.execute("UPDATE standing SET z = z + 1 WHERE CURRENT OF c; COMMIT")
                self.assertEqual(name, f"name {int(key[1:]) % 37}")
                self.assertEqual(self.fx.rows("SELECT id FROM standing WHERE z = 1"), [(key,)])

    def test_cursor_that_aggregates(self):
        """A cursor without a current row of a table is looked up."""
        sql = f"SELECT count({BEST}) FROM people p"
        self.fx.proxy.reset()
        self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR {sql}")
        self.assertEqual(self.fx.rows("FETCH c"), self.mirrored(sql))
        self.fx.execute("COMMIT")
        self.assertEqual([r.operation for r in self.fx.proxy.requests], ["BatchGetItem"])

    def test_one_row(self):
        """Of one item there is nothing to collect."""
        self.assertAlone("SELECT id, (SELECT count(*) FROM children c WHERE c.parent = p.id) FROM parents p WHERE id = 'p0007'")

    def test_the_full_table_instead(self):
        """EXISTS may be served by a hash of the table; then nothing is looked up."""
        self.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1')")
        self.addCleanup(self.fx.execute, "ALTER SERVER ddb OPTIONS (DROP max_concurrency)")
        for sql in ("SELECT id, EXISTS (SELECT FROM children c WHERE c.parent = p.id) FROM people p",
                    "SELECT id, EXISTS (SELECT FROM children c WHERE c.parent = p.id) FROM people p WHERE id < 'p0003'"):
            counts = self.counts(sql)
            self.assertEqual(len(counts), 1, counts)
            self.assertRight(sql)


class OutOfTurn(Lookups):
    """Rows that are decided by their first key leave the others to later rows, which come to them in another order."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("ALTER SERVER ddb OPTIONS (ADD max_concurrency '1'); CREATE TABLE wanted (n int, keys text[]);"
                       "CREATE TABLE mirror.wanted (n int, keys text[])")

    def assertFound(self, source, first, *later):
        """One row with fourteen keys, then rows with single ones of them."""
        self.fx.execute(f"TRUNCATE wanted; INSERT INTO wanted SELECT 0, array_agg({first}) FROM generate_series(1, 14) i; ANALYZE wanted")
        for n, number in enumerate(later, 1):
            self.fx.execute(f"INSERT INTO wanted SELECT {n}, ARRAY[{first}] FROM (VALUES ({number})) v(i)")
        self.fx.execute("TRUNCATE mirror.wanted; INSERT INTO mirror.wanted TABLE wanted")
        for sql in (f"SELECT n, (SELECT {source} = ANY (keys) LIMIT 1) IS NULL FROM wanted",
                    f"SELECT n, EXISTS (SELECT {source} = ANY (keys)) FROM wanted"):
            self.assertIn("DynamoLookupJoin", self.fx.explain(sql))
            self.assertRight(sql)

    def test_partitions(self):
        """A Query each."""
        self.assertFound("parent FROM children WHERE parent", "'p' || lpad(i::text, 4, '0')", 14, 9, 11, 7, 1, 8, 13)

    def test_index_then_table(self):
        """Querys of an index that has the keys only."""
        self.assertFound("note FROM children WHERE mark", "'m' || i * 5 - 4", 8, 5, 7, 2, 4, 6)
