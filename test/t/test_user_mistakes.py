"""Mistakes that look like "no data", or like a slow database: each has a message that reports what it is."""
import re

import dynamo
import fixture
from replies import error
from tables import index

WARN = 'WARNING:  full scan of DynamoDB table "{table}" (20 items, {size} bytes, about 0.5 read units)\n'
HINT = 'HINT:  Add a condition on partition key "pk" of foreign table "f" to avoid the scan, or set scan_policy to "allow" to silence this warning.'


class KeyTypes(fixture.TestCase):
    """A column that can hold no value of the table's own key."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("texts", ("pk", "S"), ("sk", "N"))
        cls.fx.create_table("bytes", ("pk", "B"))
        cls.fx.put("texts", [{"pk": "a", "sk": n, "v": n} for n in range(3)])

    def fails(self, sql, column, type_, attribute, key_type, role, hint, table="texts"):
        failure = self.fx.error(sql)
        self.assertEqual(failure.sqlstate, "HV004")
        self.assertEqual(failure.message, f'column "{column}" of foreign table "f" has type {type_},'
                         f' but key attribute "{attribute}" has DynamoDB type {key_type}')
        self.assertEqual(failure.detail, f'The {role} "{attribute}" of DynamoDB table "{self.fx.remote(table)}" has this type in every item,'
                         ' so the column can never match.')
        self.assertEqual(failure.hint, hint)

    def test_where_it_is_read_or_bound(self):
        """In the SELECT list, in conditions, in joins, in full rows; also where no row would be read."""
        hint = "Change the column type to text. If the key contains numbers as text, set the column option \"format\" to \"string\" instead."
        self.fx.foreign_table("f", "pk int, sk numeric, v int", table_name=self.fx.remote("texts"))
        for sql in ("SELECT pk FROM f", "SELECT * FROM f", "SELECT v FROM f WHERE pk = 1", "SELECT f FROM f", "EXPLAIN SELECT pk FROM f",
                    "SELECT count(*) FROM f WHERE pk = 1", "SELECT v FROM f WHERE pk IS NULL", "SELECT v FROM f ORDER BY pk",
                    "SELECT v FROM f JOIN generate_series(1, 2) g ON g = pk", "SELECT 1 WHERE EXISTS (SELECT FROM f WHERE pk = 1)",
                    "ANALYZE f"):
            with self.subTest(sql):
                self.fails(sql, "pk", "integer", "pk", "S", "partition key", hint)

    def test_elsewhere(self):
        """What does not need the column works."""
        self.fx.foreign_table("f", "pk int, sk numeric, v int", scan_policy="allow", table_name=self.fx.remote("texts"))
        self.assertEqual(self.fx.value("SELECT count(*) FROM f"), 3)
        self.assertEqual(sorted(self.fx.rows("SELECT v, sk FROM f")), [(n, n) for n in range(3)])

    def test_types(self):
        """Each of the types that keys have; the hint names the type or the format."""
        time = "Set the column option \"format\" to \"epoch\" for seconds, or to \"epoch_ms\" for milliseconds."
        for type_, shown in (("text", "text"), ("uuid", "uuid"), ("bytea", "bytea"), ("varchar(3)", "character varying"), ("int[]", "integer[]"), ("inet", "inet")):
            self.fx.foreign_table("f", f"pk text, s {type_} OPTIONS (attribute 'sk')", table_name=self.fx.remote("texts"))
            with self.subTest(type_):
                self.fails("SELECT s FROM f", "s", shown, "sk", "N", "sort key", "Change the column type to numeric.")
        for type_, shown in (("date", "date"), ("timestamp", "timestamp without time zone"), ("timestamptz", "timestamp with time zone")):
            self.fx.foreign_table("f", f"pk text, sk {type_}", table_name=self.fx.remote("texts"))
            with self.subTest(type_):
                self.fails("SELECT sk FROM f", "sk", shown, "sk", "N", "sort key", time)
        for type_, shown in (("bool", "boolean"), ("text", "text"), ("int8", "bigint"), ("text[]", "text[]")):
            self.fx.foreign_table("f", f"pk {type_}", table_name=self.fx.remote("bytes"))
            with self.subTest(type_):
                self.fails("SELECT pk FROM f", "pk", shown, "pk", "B", "partition key", "Change the column type to bytea.", "bytes")

    def test_types_that_may_match(self):
        """Several DynamoDB types, a format, on_mismatch 'null', other attributes, an attribute below the key's name."""
        for columns in ("pk jsonb, sk boolean OPTIONS (on_mismatch 'null')", "pk json, sk jsonb", "pk int OPTIONS (on_mismatch 'null'), sk text OPTIONS (on_mismatch 'null')",
                        "pk text, sk timestamptz OPTIONS (format 'epoch')", "x int OPTIONS (path 'pk.x')", "v jsonb OPTIONS (document 'item')"):
            self.fx.foreign_table("f", columns, scan_policy="allow", table_name=self.fx.remote("texts"))
            with self.subTest(columns):
                self.assertEqual(len(self.fx.rows("SELECT f FROM f")), 3)

    def test_outdated_description(self):
        """The table was made again with another key: what is described now decides."""
        self.fx.create_table("again", ("pk", "S"))
        self.fx.foreign_table("f", "pk numeric", table_name=self.fx.remote("again"), scan_policy="allow")
        self.fails("SELECT pk FROM f", "pk", "numeric", "pk", "S", "partition key",
                   "Change the column type to text. If the key contains numbers as text, set the column option \"format\" to \"string\" instead.", "again")
        self.fx.dynamo.drop_table(self.fx.remote("again"))
        self.fx.dynamo.create_table(self.fx.remote("again"), ("pk", "N"))
        self.fx.put("again", [{"pk": 5}])
        self.assertEqual(self.fx.rows("SELECT pk FROM f WHERE pk = 5"), [(5,)])


class WhyNotBound(fixture.TestCase):
    """The warning of a Scan, and EXPLAIN, report why a condition does not restrict the key."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        items = [{"pk": {"S": f"p{n % 2}"}, "sk": {"S": f"s{n:02}"}, "g": {"S": "x"}, "n": {"N": str(n)}} for n in range(20)]
        cls.fake.table("t", ("pk", "S"), ("sk", "S"), items=items, item_count=20, size_bytes=800)
        cls.fake.table("numbers", ("pk", "N"), ("sk", "N"), item_count=20, size_bytes=800,
                       items=[{"pk": {"N": str(n % 2)}, "sk": {"N": str(n)}} for n in range(20)])
        cls.fx.execute("CREATE COLLATION IF NOT EXISTS loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")

    def table(self, columns="pk text NOT NULL, sk text NOT NULL, n int", name="t"):
        self.fx.foreign_table("f", columns, server="fake", table_name=name)

    def assert_hint(self, condition, why, table="t"):
        """The warning, its hint, and EXPLAIN; and with scan_policy 'error', the error's hint."""
        sql = f"SELECT * FROM f WHERE {condition}"
        with self.subTest(sql):
            sentence = f" {why[0].upper()}{why[1:]}." if why else ""
            self.assertEqual(self.fx.notices(sql), [WARN.format(table=table, size=800) + HINT + sentence])
            advice = [line for line in self.fx.explain(sql).splitlines() if "Hint" in line]
            self.assertEqual([line.strip() for line in advice], [f"Hint: {why}"] if why else [])
            self.fx.execute("SET dynamo_fdw.scan_policy = error")
            failure = self.fx.error(sql)
            self.fx.execute("RESET dynamo_fdw.scan_policy")
            self.assertEqual((failure.sqlstate, failure.hint),
                             ("55000", HINT[7:].replace('to "allow" to silence this warning', 'to "warn" or "allow"') + sentence))

    def test_no_condition(self):
        """Of no condition, and of one on other columns, nothing more is reported."""
        self.table()
        self.assert_hint("true", "")
        self.assert_hint("sk = 's01'", "")
        self.assert_hint("n > 3 AND pk IS NOT NULL", "")

    def test_around_the_column(self):
        """Functions, casts, expressions."""
        self.table()
        so = 'so partition key "pk" cannot be used'
        by_case = 'so partition key "pk", whose values differ by case, cannot be used; use = with the stored case'
        self.assert_hint("lower(pk) = 'p1'", f'column "pk" is wrapped in lower(), {by_case}')
        self.assert_hint("'p1' = trim(pk)", f'column "pk" is wrapped in btrim(), {so}; compare the column directly')
        self.assert_hint("pk || '' = 'p1'", f'column "pk" is part of an expression, {so}; compare the column directly')
        self.assert_hint("coalesce(n::text, pk) = 'p1' || left('abc', n)", f'column "pk" is part of an expression, {so}; compare the column directly')
        self.assert_hint("starts_with(upper(pk), 'P')", f'column "pk" is wrapped in starts_with(), {so}; compare the column directly')
        self.assert_hint("lower(pk) IN ('p1', 'p2')", f'column "pk" is wrapped in lower(), {by_case}')
        self.table("pk numeric, sk numeric", "numbers")
        self.assert_hint("pk::text = '1'", f'column "pk" is cast to text, {so}; cast the other side instead', "numbers")
        self.assert_hint("pk::int = 1", f'column "pk" is cast to integer, {so}; cast the other side instead', "numbers")

    def test_operators(self):
        """What is no equality on a partition key."""
        self.table()
        self.assert_hint("pk > 'p0'", 'operator > on column "pk" cannot use partition key "pk", which requires = or IN')
        self.assert_hint("pk <> 'p0'", 'operator <> on column "pk" cannot use partition key "pk", which requires = or IN')
        self.assert_hint("pk LIKE '%1'", 'operator LIKE on column "pk" cannot use partition key "pk", which requires = or IN')
        self.assert_hint("pk ILIKE 'P1'", 'operator ILIKE on column "pk" cannot use partition key "pk", whose values differ by case; use = with the stored case')
        self.assert_hint("upper(pk::text) = upper('P1')", 'column "pk" is wrapped in upper(), so partition key "pk", whose values differ by case, cannot be used; use = with the stored case')
        # once, however many conditions there are
        self.assert_hint("(pk ILIKE 'P1' OR pk ILIKE 'P0') AND pk ILIKE 'p1'", 'operator ILIKE on column "pk" cannot use partition key "pk", whose values differ by case; use = with the stored case')
        self.assert_hint("upper(pk) = upper('P1') AND sk ILIKE 'S01'", 'column "pk" is wrapped in upper(), so partition key "pk", whose values differ by case, cannot be used; use = with the stored case')
        self.assert_hint("pk NOT LIKE 'p1%'", 'operator NOT LIKE on column "pk" cannot use partition key "pk", which requires = or IN')
        self.assert_hint("pk ~ '^p1'", 'operator ~ on column "pk" cannot use partition key "pk", which requires = or IN')
        self.assert_hint("pk = sk", 'column "pk" is compared with a value that is unknown before items are read, so partition key "pk" cannot be used')
        self.assert_hint("pk = random()::text", 'column "pk" is compared with a value that is unknown before items are read, so partition key "pk" cannot be used')

    def test_subqueries(self):
        """A subquery that does not become a join."""
        self.table()
        self.fx.execute("CREATE TEMP TABLE names AS SELECT 'p1' AS name")
        why = 'column "pk" is compared with a subquery that is not a join (such as one below OR or NOT), so partition key "pk" cannot be used'
        for condition in ("pk IN (SELECT name FROM names) OR pk = 'p1'", "EXISTS (SELECT FROM names WHERE name = pk) OR pk = 'p1'",
                          "pk NOT IN (SELECT name FROM names)", "EXISTS (SELECT FROM names WHERE name = pk OFFSET 1)"):
            self.assert_hint(condition, why)

    def test_or(self):
        """Arms without the key, and arms that do not restrict it."""
        self.table()
        self.assert_hint("pk = 'p1' OR n = 3", 'column "pk" is compared in only some branches of an OR, so partition key "pk" cannot be used')
        self.assert_hint("pk = 'p1' OR lower(pk) = 'p0'", 'column "pk" is wrapped in lower(), so partition key "pk", whose values differ by case, cannot be used; use = with the stored case')
        self.assert_hint("pk = 'p1' OR (n = 3 AND upper(pk) = 'P0')", 'column "pk" is wrapped in upper(), so partition key "pk", whose values differ by case, cannot be used; use = with the stored case')

    def test_or_across_keys(self):
        """Every arm names a key: an index that is not complete, or the arm that does not restrict its key, is the reason."""
        self.fake.table("orders", ("orderId", "S"), indexes=[index("byUser", ("userId", "S"), ("createdAt", "S")), index("byState", ("state", "S"))],
                        items=[{"orderId": {"S": "o-1"}, "userId": {"S": "u-1"}, "createdAt": {"S": "2026-06-10"}}, {"orderId": {"S": "o-2"}, "userId": {"S": "u-1"}}])
        columns = "order_id text OPTIONS (attribute 'orderId'), user_id text OPTIONS (attribute 'userId'), created_at text OPTIONS (attribute 'createdAt'), state text, n int"
        self.table(columns, "orders")
        lacks = 'Hint: index "byUser" could be used if column "created_at" were declared NOT NULL or had a condition'
        some = 'Hint: column "{}" is compared in only some branches of an OR, so partition key "{}" cannot be used'.format
        for condition, why in (("user_id = 'u-1'", lacks), ("user_id = 'u-1' OR order_id = 'o-1'", lacks), ("order_id = 'o-1' OR user_id = 'u-1'", lacks),
                               ("order_id = 'o-1' OR (user_id = 'u-1' AND n = 3) OR state = 'new'", lacks),
                               ("user_id = 'u-1' OR order_id ILIKE 'O-1'",
                                'Hint: operator ILIKE on column "order_id" cannot use partition key "orderId", whose values differ by case; use = with the stored case'),
                               ("user_id LIKE 'u%' OR order_id = 'o-1'", 'Hint: operator LIKE on column "user_id" cannot use partition key "userId" of index "byUser", which requires = or IN'),
                               ("user_id = 'u-1' OR order_id = 'o-1' OR n = 3", some("order_id", "orderId")), ("user_id = 'u-1' OR created_at = 'x'", some("user_id", 'userId" of index "byUser')),
                               ("(user_id = 'u-1' OR order_id = 'o-1') AND created_at > '2026'",
                                'Hint: index "byUser" could be used with the condition created_at <> \'\', because an index has no empty values'),
                               ("order_id = 'o-1' OR state = 'new'", None)):
            with self.subTest(condition):
                self.assertEqual(self.advice(f"SELECT * FROM f WHERE {condition}"), [why] if why else [])
        self.assertEqual(self.advice("SELECT * FROM f WHERE order_id = 'o-1' AND (state = 'x' OR user_id = 'y')"), [])
        # the index that the hint names makes a Union
        self.table(columns.replace("'createdAt')", "'createdAt') NOT NULL"), "orders")
        self.assertIn("Operation: Union", self.fx.explain("SELECT * FROM f WHERE user_id = 'u-1' OR order_id = 'o-1'"))

    def test_sort_key_of_an_index(self):
        """Only the sort key of an index has a condition: the hint is to add one on its partition key."""
        self.fake.table("sorted", ("orderId", "S"), ("total", "N"), items=[],
                        indexes=[index("byUser", ("userId", "S"), ("n", "N")), index("byTotal", ("orderId", "S"), ("m", "N"), local=True),
                                 index("byState", ("state", "S"), ("k", "N"), status="CREATING"), index("byBoth", [("userId", "S"), ("state", "S")], ("k", "N"))])
        self.table("order_id text OPTIONS (attribute 'orderId'), total int, user_id text OPTIONS (attribute 'userId'), state text, n int, m int, k int", "sorted")
        by_user = ['Hint: index "byUser" could be used with a condition = or IN on column "user_id"']
        for condition, why in (("n > 3", by_user), ("n = 3 AND state = 'x'", by_user), ("n IN (1, 2) OR n IS NULL", []), ("n <> 3", []), ("n IS NOT NULL", []),
                               ("user_id LIKE 'u%' AND n > 3", ['Hint: operator LIKE on column "user_id" cannot use partition key "userId" of index "byUser", which requires = or IN']),
                               ("m > 3", ['Hint: index "byTotal" could be used with a condition = or IN on column "order_id"']),
                               ("k > 3", []), ("total > 3", [])):
            with self.subTest(condition):
                self.assertEqual(self.advice(f"SELECT * FROM f WHERE {condition}"), why)
        self.fx.execute("SET dynamo_fdw.consistent_read = on")
        self.assertEqual(self.advice("SELECT * FROM f WHERE n > 3"), [])
        self.assertEqual(len(self.advice("SELECT * FROM f WHERE m > 3")), 1)
        self.fx.execute("RESET dynamo_fdw.consistent_read")

    def test_joins(self):
        """A join clause that does not restrict the key, as one with a constant does not; none where it does."""
        self.fake.table("joined", ("orderId", "S"), items=[], item_count=20, size_bytes=800, indexes=[index("byUser", ("userId", "S"), ("n", "N"))])
        self.table("order_id text OPTIONS (attribute 'orderId'), user_id text OPTIONS (attribute 'userId'), n int NOT NULL", "joined")
        self.fx.execute("CREATE TEMP TABLE v AS SELECT gen_random_uuid() AS u, 'x'::text AS t, 1 AS n; SET enable_nestloop = off")
        self.addCleanup(self.fx.execute, "DROP TABLE v; RESET enable_nestloop")
        cast = 'Hint: column "user_id" is cast to uuid, so partition key "userId" of index "byUser" cannot be used; cast the other side instead'
        lower = 'Hint: column "order_id" is wrapped in lower(), so partition key "orderId", whose values differ by case, cannot be used; use = with the stored case'
        some = 'Hint: column "order_id" is compared in only some branches of an OR, so partition key "orderId" cannot be used'
        for join, why in (("JOIN v ON f.user_id::uuid = v.u", cast), ("JOIN v ON f.user_id::uuid = v.u AND f.n > 3", cast), ("JOIN v ON lower(f.order_id) = lower(v.t)", lower),
                          ("RIGHT JOIN v ON v.u = f.user_id::uuid", cast), ("JOIN v ON f.order_id = v.t OR f.n = v.n", some),
                          ("WHERE lower(f.order_id) IN (SELECT t FROM v)", lower),
                          ("JOIN v USING (n)", 'Hint: index "byUser" could be used with a condition = or IN on column "user_id"'),
                          # keys that a lookup could use; and rows of f that need no row of v
                          ("JOIN v ON f.user_id = v.t AND f.n > 3", None), ("JOIN v ON f.order_id = v.t", None), ("LEFT JOIN v ON lower(f.order_id) = v.t", None), ("JOIN v ON f.order_id = v.t AND f.n = v.n", None)):
            with self.subTest(join):
                self.assertEqual(self.advice(f"SELECT * FROM f {join}"), [why] if why else [])
        self.assertIn(cast[6:].replace("column", "Column", 1) + ".", self.fx.notices("SELECT * FROM f JOIN v ON f.user_id::uuid = v.u")[0])

    def test_collation(self):
        """A partition key needs a deterministic collation."""
        self.table('pk text COLLATE loose NOT NULL, sk text')
        self.assert_hint("pk = 'P1'", 'column "pk" is compared by collation "loose", so partition key "pk" cannot be used; declare the column with COLLATE "C"')

    def test_types(self):
        """The column's type, the value's type."""
        self.table("pk int OPTIONS (on_mismatch 'null'), sk text")
        self.assert_hint("pk = 1", 'column "pk" of type integer cannot use partition key "pk", which has DynamoDB type S')
        self.table("pk jsonb, sk text")
        self.assert_hint("pk = '\"p1\"'", 'column "pk" of type jsonb cannot use partition key "pk", which has DynamoDB type S')
        self.table("pk timestamptz OPTIONS (on_mismatch 'null'), sk text")
        self.assert_hint("pk = now()", 'values of column "pk" have several encodings, so partition key "pk" cannot be used; set the column option "format" to the one in use')
        self.table("pk float8, sk numeric", "numbers")
        self.assert_hint("pk = 1", 'type double precision of column "pk" is rounded, so partition key "pk" cannot be used; use type numeric', "numbers")
        self.table("pk char(2), sk text")
        self.assert_hint("pk = 'p1'", 'type character of column "pk" cannot use partition key "pk"')

    def test_key_of_an_index(self):
        """A type that its key does not have is no error, since an older item may have it."""
        self.fake.table("t2", ("pk", "S"), items=[{"pk": {"S": "a"}, "g": {"N": "5"}}], indexes=[index("by_g", ("g", "S"))], item_count=20, size_bytes=800)
        self.table("pk text, g int NOT NULL", "t2")
        self.assert_hint("g = 5", 'column "g" of type integer cannot use partition key "g" of index "by_g", which has DynamoDB type S', "t2")
        self.assertEqual(len(self.fx.rows("SELECT * FROM f WHERE g = 5")), 1)
        self.table("pk text, g text OPTIONS (on_mismatch 'null')", "t2")
        self.assert_hint("lower(pk) = 'x'", 'column "pk" is wrapped in lower(), so partition key "pk", whose values differ by case, cannot be used; use = with the stored case', "t2")

    def advice(self, sql):
        return [line.strip() for line in self.fx.explain(sql).splitlines() if "Hint" in line]

    def indexes(self, sql):
        """The indexes that a statement reads."""
        self.fake.reset()
        self.fx.rows(sql)
        return {r.body.get("IndexName") for r in self.fake.requests if r.operation in ("Query", "Scan")}

    def test_columns_of_a_template(self):
        """Conditions on a column that composes the partition key, where none restricts it."""
        self.fx.foreign_table("f", "id text NOT NULL, tenant text NOT NULL, n int", server="fake", table_name="t", key_templates='{"pk": "T#${tenant}#${id}"}')
        for condition, why in (("id ILIKE 'x'", 'operator ILIKE on column "id" cannot use partition key "pk", whose values differ by case; use = with the stored case'),
                               ("upper(id::text) = upper('x')", 'column "id" is wrapped in upper(), so partition key "pk", whose values differ by case, cannot be used; use = with the stored case'),
                               ("tenant = 'x' AND id > 'a'", 'operator > on column "id" cannot use partition key "pk", which requires = or IN'),
                               ("tenant = 'x'", None), ("n = 3", None)):
            with self.subTest(condition):
                self.assertEqual(self.advice(f"SELECT * FROM f WHERE {condition}"), [f"Hint: {why}"] if why else [])
        self.assertEqual(self.advice("SELECT * FROM f WHERE tenant = 'x' AND id = 'y' AND n = 3"), [])

    def test_missing_columns_of_a_template(self):
        """The warning names the columns without values, by which the reason is a bound, or the Scan's cost."""
        items = [{"pk": {"S": f"D#{'ab'[n % 2]}#2026-06-{1 + n % 28:02}"}, "sk": {"S": f"{n:03}"}, "n": {"N": str(n)}} for n in range(200)]
        self.fake.table("days", ("pk", "S"), ("sk", "S"), items=items, item_count=200, size_bytes=20000)
        self.fx.foreign_table("f", 'device text COLLATE "C" NOT NULL, day date NOT NULL, sk text, n int', server="fake", table_name="days",
                              key_templates='{"pk": "D#${device}#${day}"}')
        self.fx.execute("CREATE TEMP TABLE local (LIKE f); INSERT INTO local SELECT * FROM f")
        cheaper = "Keys could be used, but a Scan is estimated to cost less than {} requests by key; ANALYZE may correct the estimate."
        for condition, lacking, why in (
                ("true", '"device" and "day"', ""), ("device = 'a'", '"day"', ""), ("day = '2026-06-01'", '"device"', ""),
                ("day BETWEEN '2026-06-01' AND '2026-06-05'", '"device"', ""), ("device IN ('a', 'b') AND n > 3", '"day"', ""),
                ("device = 'a' AND day >= '2026-06-01'", '"day"', 'Column "day" has no upper bound, so partition key "pk" cannot be used.'),
                ("device > 'a' AND day = '2026-06-01'", '"device"', 'Operator > on column "device" cannot use partition key "pk", which requires = or IN.'),
                ("device = 'a' AND day BETWEEN '2026-01-01' AND '2026-06-09'", None, cheaper.format(160)),
                ("device = 'a' AND day = ANY (ARRAY(SELECT date '2026-01-01' + i FROM generate_series(0, 159) i)::date[])", None, None)):
            sql = f"FROM {{}} WHERE {condition} ORDER BY sk"
            with self.subTest(condition):
                self.assertEqual(self.fx.rows("SELECT * " + sql.format("f")), self.fx.rows("SELECT * " + sql.format("local")))
                hints = [notice.partition("HINT:  ")[2] for notice in self.fx.notices("SELECT * " + sql.format("f"))]
                start = "Use conditions that select fewer items by key" if lacking is None \
                    else f'Add a condition on {lacking} of foreign table "f", from which partition key "pk" is composed,'
                self.assertEqual(hints, [] if why is None else [f'{start} to avoid the scan, or set scan_policy to "allow" to silence this warning. {why}'.strip()])
        # a bound is no reason if a column has no condition at all
        self.assertEqual(self.advice("SELECT * FROM f WHERE day >= '2026-06-01'"), [])
        self.assertEqual(self.advice("SELECT * FROM f WHERE device = 'a' AND day >= '2026-06-01'"),
                         ['Hint: column "day" has no upper bound, so partition key "pk" cannot be used'])
        # under "error", the keys are used
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        self.assertEqual(self.fx.value("SELECT count(*) FROM f WHERE device = 'a' AND day BETWEEN '2026-01-01' AND '2026-06-09'"),
                         self.fx.value("SELECT count(*) FROM local WHERE device = 'a' AND day <= '2026-06-09'"))

    def test_too_many_keys_of_a_template(self):
        """All columns have values, but too many combinations."""
        self.fake.table("shards", ("pk", "S"), items=[{"pk": {"S": f"2026-06-{1 + n % 28:02}#{n}"}} for n in range(100)], item_count=100, size_bytes=10000)
        self.fx.foreign_table("f", "day date NOT NULL, shard int NOT NULL, n int", server="fake", table_name="shards", key_templates='{"pk": "${day}#${shard:0..99}"}')
        for days, start in ((40, "Use conditions that select fewer items by key"), (None, 'Add a condition on "day" of foreign table "f", from which partition key "pk" is composed,')):
            condition = f"day BETWEEN '2026-06-01' AND date '2026-06-01' + {days}" if days else "n > 3"
            [hint] = [notice.partition("HINT:  ")[2] for notice in self.fx.notices(f"SELECT * FROM f WHERE {condition}")]
            self.assertEqual(hint, f'{start} to avoid the scan, or set scan_policy to "allow" to silence this warning.')

    def test_untrusted_index_of_a_template(self):
        """A bound is no reason if another placeholder cannot be used."""
        self.fake.table("log", ("id", "S"), items=[], indexes=[index("by_g", ("g", "S"))])
        bound = 'Hint: column "day" has no upper bound, so partition key "g" of index "by_g" cannot be used'
        for trusted, hints in (("", []), ("by_g", [bound])):
            self.fx.foreign_table("f", "id text NOT NULL, device text NOT NULL, n int, day date", server="fake", table_name="log",
                                  key_templates='{"g": "D#${device}#${n}#${day}"}', **({"trusted_indexes": trusted} if trusted else {}))
            self.fx.execute("ALTER FOREIGN TABLE f ALTER device OPTIONS (attribute 'device'), ALTER n OPTIONS (attribute 'n'), ALTER day OPTIONS (attribute 'g')")
            self.assertEqual(self.advice("SELECT * FROM f WHERE device = 'a' AND n = 1 AND day >= '2026-06-01'"), hints)
            if not trusted:
                self.assertEqual(self.advice("SELECT * FROM f WHERE n > 3"), [])

    def test_listed_values_that_are_too_many(self):
        """A template that lists too many combinations needs a condition, which the statement does not have."""
        self.fake.table("shards", ("pk", "S"), items=[{"pk": {"S": f"{n}#{n}"}} for n in range(100)], item_count=100, size_bytes=10000)
        self.fx.foreign_table("f", "a int NOT NULL, b int NOT NULL, n int", server="fake", table_name="shards", key_templates='{"pk": "${a:0..99}#${b:0..99}"}')
        for condition in ("", " WHERE n > 3"):
            [hint] = [notice.partition("HINT:  ")[2] for notice in self.fx.notices("SELECT * FROM f" + condition)]
            self.assertTrue(hint.startswith('Add a condition on "a" and "b" of foreign table "f"'), hint)

    def test_name_of_the_column(self):
        """A column with another name than the attribute."""
        self.table("id text OPTIONS (attribute 'pk'), n int")
        self.assertEqual([notice.partition("HINT:  ")[2] for notice in self.fx.notices("SELECT * FROM f")],
                         ['Add a condition on column "id", partition key "pk" of foreign table "f" to avoid the scan, or set scan_policy to "allow" to silence this warning.'])

    def test_index_that_cannot_help(self):
        """No hint to use an index that lacks the selected items, or for which the statement would not be planned."""
        self.fake.table("bikes", ("id", "S"), items=[{"id": {"S": f"b{n}"}, "at": {"S": f"s{n % 9}"}, "n": {"N": str(n)}} for n in range(90)], item_count=90, size_bytes=9000,
                        indexes=[index("by_at", ("at", "S"), None, "KEYS_ONLY", item_bytes=99), index("by_kind", ("kind", "S"), ("m", "N"))])
        self.table("id text NOT NULL, at text, n int, kind text, m int", "bikes")
        self.fx.execute("CREATE TEMP TABLE stops AS SELECT 's1' AS at")
        lower = 'Hint: column "at" is wrapped in lower(), so partition key "at" of index "by_at", whose values differ by case, cannot be used; use = with the stored case'
        for condition, hints in (("lower(at) = 's1'", [lower]), ("kind = 'x' AND m IS NULL", []),
                                 ("kind = 'x'", ['Hint: index "by_kind" could be used if column "m" were declared NOT NULL or had a condition'])):
            for columns in ("*", "id"):
                with self.subTest(condition, columns=columns):
                    self.assertEqual(self.advice(f"SELECT {columns} FROM f WHERE {condition}"), hints)
        self.fake.table("pairs", ("id", "S"), items=[], indexes=[index("by_pair", ("kind", "S"), [("x", "N"), ("y", "N")])])
        self.table("id text NOT NULL, kind text, x int, y int", "pairs")
        self.assertEqual(self.advice("SELECT * FROM f WHERE kind = 'x'"), [])
        self.assertEqual(self.advice("SELECT * FROM f WHERE kind = 'x' AND x = 1"), ['Hint: index "by_pair" could be used if column "y" were declared NOT NULL or had a condition'])
        self.table("id text NOT NULL, at text, n int", "bikes")
        self.fx.execute("SET enable_nestloop = off")
        self.addCleanup(self.fx.execute, "RESET enable_nestloop")
        self.assertEqual(self.advice("SELECT n FROM f JOIN stops USING (at) WHERE at IN ('s1', 's2')"), [])
        self.table("id text NOT NULL, at text, n int", "bikes")
        self.fx.execute("ALTER FOREIGN TABLE f OPTIONS (ADD consistent_read 'on')")
        self.assertEqual(self.advice("SELECT n FROM f WHERE lower(at) = 's1'"), [])

    def test_null_in_an_or(self):
        """IS NULL in an OR makes an index incomplete only for its hint: another condition may still make it complete."""
        self.fake.table("tasks", ("id", "S"), items=[{"id": {"S": f"t{n}"}, **({"status": {"S": "open"}} if n % 50 == 0 else {})} for n in range(500)],
                        item_count=500, size_bytes=2000000, indexes=[index("by_status", ("status", "S"), item_bytes=9)])
        self.table('id text NOT NULL, status text COLLATE "C", n int', "tasks")
        requires = 'Hint: operator > on column "status" cannot use partition key "status" of index "by_status", which requires = or IN'
        for condition, read, hints in (("(status = 'open' OR status IS NULL) AND status > ''", "by_status", [requires]), ("status = 'open' OR status IS NULL", None, []),
                                       ("(status = 'open' OR status IS NULL) AND status <> 'x'", None,
                                        ['Hint: index "by_status" could be scanned with the condition status <> \'\', because an index has no empty values'])):
            with self.subTest(condition):
                sql = f"SELECT * FROM f WHERE {condition}"
                self.assertEqual(self.indexes(sql), {read})
                self.assertEqual(self.advice(sql), hints)

    def test_index_of_a_join(self):
        """An index that only join conditions restrict, but that may lack rows."""
        self.fake.table("visits", ("site", "S"), ("seen", "S"), items=[{"site": {"S": "s"}, "seen": {"S": f"{n:03}"}, "page": {"S": f"p{n}"}, "paid": {"N": str(n)}} for n in range(300)],
                        item_count=30000, size_bytes=30000000, indexes=[index("by_page", ("page", "S"), ("paid", "N")), index("by_two", ("page", "S"), ("other", "N"))])
        self.fx.execute("CREATE TEMP TABLE pages AS SELECT 'p1' AS page; ANALYZE pages")
        sql = "SELECT * FROM pages JOIN f USING (page)"
        self.table("site text NOT NULL, seen text NOT NULL, page text, paid int", "visits")
        self.assertEqual(self.advice(sql), ['Hint: index "by_page" could be used for the join if column "paid" were declared NOT NULL or had a condition'])
        rows = self.fx.rows(sql)
        self.fx.execute("ALTER FOREIGN TABLE f ALTER paid SET NOT NULL")
        self.assertEqual(self.advice(sql), [])
        self.assertEqual(self.indexes(sql), {"by_page"})
        self.assertEqual(self.fx.rows(sql), rows)

    def test_hint_and_cost(self):
        """Where keys could be used at a higher cost, the hint still shows how to use better ones."""
        items = [{"id": {"S": f"i{n}"}, "tenant": {"S": "t"}, "email": {"S": f"e{n}"}, "m": {"N": str(n)}} for n in range(2000)]
        self.fake.table("people", ("id", "S"), items=items, item_count=2000, size_bytes=400000,
                        indexes=[index("by_tenant", ("tenant", "S"), None, "KEYS_ONLY", item_bytes=99), index("by_email", ("email", "S"), ("m", "N"))])
        self.table("id text NOT NULL, tenant text, email text, m int", "people")
        self.fx.execute("ANALYZE f")
        for condition, hints in (("tenant = 't' AND email = 'e1'", ['Hint: index "by_email" could be used if column "m" were declared NOT NULL or had a condition']),
                                 ("tenant = 't' AND upper(id) = 'I1'", ['Hint: column "id" is wrapped in upper(), so partition key "id", whose values differ by case, cannot be used; use = with the stored case']),
                                 ("tenant = 't'", ["Hint: keys could be used, but a Scan is estimated to cost less than X requests by key"])):
            with self.subTest(condition):
                self.assertEqual([re.sub(r"\d+", "X", hint) for hint in self.advice(f"SELECT * FROM f WHERE {condition}")], hints)

    def test_optional_condition(self):
        """Under 'error', an expensive index that only an optional condition restricts is used, too."""
        items = [{"id": {"S": f"i{n}"}, "status": {"S": "open" if n % 2 else "done"}, "n": {"N": str(n)}} for n in range(2000)]
        self.fake.table("jobs", ("id", "S"), items=items, item_count=2000, size_bytes=400000, indexes=[index("by_status", ("status", "S"), None, "KEYS_ONLY", item_bytes=99)])
        self.table('id text NOT NULL, status text COLLATE "C" NOT NULL, n int', "jobs")
        self.fx.execute("CREATE TEMP TABLE jobs (LIKE f); INSERT INTO jobs SELECT * FROM f; ANALYZE f; SET dynamo_fdw.scan_policy = error; SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy; RESET plan_cache_mode; DEALLOCATE p")
        self.fx.execute("PREPARE p(text) AS SELECT * FROM f WHERE $1 IS NULL OR status = $1")
        self.assertEqual(sorted(self.fx.rows("EXECUTE p('open')")), self.fx.rows("SELECT * FROM jobs WHERE status = 'open' ORDER BY id COLLATE \"C\""))
        self.assertIn("is disabled by scan_policy", self.fx.error("EXECUTE p(NULL)").message)

    def test_sort_key_of_a_query(self):
        """A text without COLLATE "C": a range is checked on all items of the partition; with it, on one."""
        sql = "SELECT * FROM f WHERE pk = 'p1' AND sk >= 's19'"
        for collation, why, read in (("", "the default collation of the database", 10), (" COLLATE loose", 'collation "loose"', 10), (' COLLATE "C"', None, 1)):
            self.table(f"pk text, sk text{collation}")
            with self.subTest(collation):
                self.assertEqual(self.advice(sql), [f'Hint: column "sk" is compared by {why}, so sort key "sk" cannot be used;'
                                                    ' declare the column with COLLATE "C"'] if why else [])
                self.assertIn(f"Items Read: {read} ", self.fx.explain(sql, "ANALYZE"))
                self.assertEqual(len(self.fx.rows(sql)), 1)

    def test_other_reasons_of_a_query(self):
        self.table('pk text, sk text COLLATE "C"')
        self.assertEqual(self.advice("SELECT * FROM f WHERE pk = 'p1' AND left(sk, 1) = 's'"),
                         ['Hint: column "sk" is wrapped in left(), so sort key "sk" cannot be used; compare the column directly'])
        self.assertEqual(self.advice("SELECT count(*) FROM f WHERE pk = 'p1' AND sk <> 's01'"),
                         ['Hint: operator <> on column "sk" cannot use sort key "sk"'])
        for condition in ("", " AND sk = 's01'", " AND sk LIKE 's%'", " AND sk BETWEEN 'a' AND 'b'", " AND n = 1", " AND sk IN ('a', 'b')", " AND sk IS NOT NULL"):
            self.assertEqual(self.advice(f"SELECT * FROM f WHERE pk = 'p1'{condition}".replace("n = 1", "length(pk) = 2")), [])

    def test_order_of_a_query(self):
        """ORDER BY the sort key needs a Sort: the column's collation or encodings are the reason."""
        sql = "SELECT * FROM f WHERE pk = 'p1' ORDER BY "
        order = 'so the order of sort key "sk" cannot be used; '
        collation = [f'Hint: column "sk" is sorted by the default collation of the database, {order}declare the column with COLLATE "C"']
        self.table("pk text, sk text, n int")
        for clause, why in (("sk", collation), ("sk DESC, n", collation), ("n, sk", []), ('sk COLLATE "C"', []), ('sk COLLATE "C" DESC', []), ("sk || ''", [])):
            with self.subTest(clause):
                self.assertEqual(self.advice(sql + clause), why)
        self.assertEqual(self.advice("SELECT * FROM f WHERE pk = 'p1' AND sk = 's01' ORDER BY sk"), [])
        self.assertEqual(self.advice("SELECT * FROM f WHERE pk IN ('p0', 'p1') ORDER BY sk"), [])
        self.table('pk text, sk text COLLATE "C", n int')
        self.assertEqual(self.advice(sql + "sk"), [])
        for type_, why in (("timestamptz OPTIONS (on_mismatch 'null')",
                            [f'Hint: values of column "sk" have several encodings, {order}set the column option "format" to the one in use']),
                           ("timestamptz OPTIONS (format 'epoch')", [])):
            self.table(f"pk text, sk {type_}")
            with self.subTest(type_):
                self.assertEqual(self.advice(sql + "sk"), why)

    def test_structured(self):
        """In every format."""
        self.table()
        plan = self.fx.value("EXPLAIN (FORMAT json) SELECT * FROM f WHERE pk > 'a'")[0]["Plan"]
        self.assertTrue(plan["Hint"].startswith("operator > on column"))


class FoldedNames(fixture.TestCase):
    """A column that PostgreSQL folded to lower case, over an attribute that has capitals."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("t", ("pk", "S"))
        cls.fx.put("t", [{"pk": f"p{n}", "createdAt": n, "Info": {"rating": n}, "kind": "order" if n % 2 else "user",
                          **({"Owner": "x"} if n % 2 == 0 else {}), "same": 1, "Same": 2} for n in range(20)])

    def setUp(self):
        self.remote = self.fx.remote("t")

    def table(self, columns, **options):
        self.fx.foreign_table("f", columns, table_name=self.remote, **options)

    def statements(self):
        return ("ANALYZE f", "SELECT FROM dynamo_fdw_check_table('f')", f"SELECT FROM dynamo_fdw_describe('ddb', '{self.remote}')")

    def assert_hint(self, column, attribute, other, hint, describe=True):
        """What each of them reports, the last if it does; from PostgreSQL 17 on, ANALYZE sees no schema but the system's, and names that of the table."""
        expected = [f'NOTICE:  column "{column}" of foreign table "f" is NULL in every item that was read\n'
                    f'DETAIL:  No item has the attribute "{attribute}"; items have the attribute "{other}" instead. PostgreSQL folds names without double quotes to lower case.\n'
                    f"HINT:  {hint}"]
        for sql in self.statements() if describe else self.statements()[:-1]:
            with self.subTest(sql):
                notices = [notice for notice in self.fx.notices(sql) if "NULL in every" in notice]
                if sql.startswith("ANALYZE") and self.fx.conn.server_version >= 170000:
                    notices = [notice.replace("TABLE public.f ", "TABLE f ") for notice in notices]
                self.assertEqual(notices, expected)

    def silent(self):
        for sql in self.statements():
            with self.subTest(sql):
                self.assertEqual([notice for notice in self.fx.notices(sql) if "NULL in every" in notice], [])

    def test_folded(self):
        self.table("pk text, createdAt int")
        self.assert_hint("createdat", "createdat", "createdAt", "Set it with ALTER FOREIGN TABLE f ALTER COLUMN createdat OPTIONS (ADD attribute 'createdAt').")
        self.fx.execute("ALTER FOREIGN TABLE f ALTER COLUMN createdat OPTIONS (ADD attribute 'createdAt')")
        self.silent()
        self.assertEqual(self.fx.value("SELECT sum(createdat) FROM f"), 190)

    def test_options(self):
        """Attributes and paths that an option names."""
        self.table("pk text, c int OPTIONS (attribute 'CreatedAt')")
        self.assert_hint("c", "CreatedAt", "createdAt", "Set it with ALTER FOREIGN TABLE f ALTER COLUMN c OPTIONS (SET attribute 'createdAt').")
        self.table("pk text, c int OPTIONS (path 'info.rating')")
        self.assert_hint("c", "info", "Info", 'Write "Info" in the column option "path".')
        self.table("pk text, c int OPTIONS (path 'createdat')")
        self.assert_hint("c", "createdat", "createdAt", 'Write "createdAt" in the column option "path".')

    def test_other_rows(self):
        """Only items that are rows of the table count, which a description does not know."""
        self.table("pk text, owner text", item_filter='{"kind": "order"}')
        self.silent()
        self.table("pk text, owner text", item_filter='{"kind": "user"}')
        self.assert_hint("owner", "owner", "Owner", "Set it with ALTER FOREIGN TABLE f ALTER COLUMN owner OPTIONS (ADD attribute 'Owner').", describe=False)
        self.assertEqual([notice for notice in self.fx.notices(self.statements()[-1]) if "NULL in every" in notice], [])

    def test_rows_of_templates(self):
        """Templates of the key, elements, and expiry determine rows, too."""
        for options, heard in (({"key_templates": '{"pk": "p19${n}"}'}, False), ({"key_templates": '{"pk": "p${n}"}'}, True),
                               ({"unnest": "nothing"}, False), ({"ttl_attribute": "createdAt"}, True)):
            self.table("pk text, n text, owner text", **options)
            self.assertEqual([notice.split("\n")[0] for notice in self.fx.notices(self.statements()[1])],
                             ['NOTICE:  column "owner" of foreign table "f" is NULL in every item that was read'] if heard else [], options)

    def test_key(self):
        """A folded partition key: EXPLAIN and the warning of a Scan name the column, and the remedy."""
        self.fx.create_table("users", ("userId", "S"), ("seenAt", "N"), indexes=[dynamo.index("byEmail", ("eMail", "S"))])
        self.fx.put("users", [{"userId": f"u-{n}", "seenAt": n, "eMail": f"{n}@x"} for n in range(4)])
        self.fx.foreign_table("f", "userId text, seenAt int, email text, n int", table_name=self.fx.remote("users"))

        def hint(column, key, attribute):
            return f'column "{column}" differs from {key} only in case; set its attribute with ALTER FOREIGN TABLE f ALTER COLUMN {column} OPTIONS (ADD attribute \'{attribute}\')'
        user = hint("userid", 'partition key "userId"', "userId")
        for sql in ("SELECT * FROM f WHERE userid = 'u-1'", "SELECT * FROM f WHERE email = '1@x'", "SELECT * FROM f LIMIT 1", "SELECT count(*) FROM f"):
            with self.subTest(sql):
                self.assertIn(f"Hint: {user}", self.fx.explain(sql))
                self.assertEqual([notice.split("\n")[1] for notice in self.fx.notices(sql)],
                                 ['HINT:  Add a condition on partition key "userId" of foreign table "f" to avoid the scan,'
                                  f' or set scan_policy to "allow" to silence this warning. C{user[1:]}.'])
        self.fx.execute("ALTER FOREIGN TABLE f ALTER COLUMN userid OPTIONS (ADD attribute 'userId')")
        self.assertIn("Operation: Query", self.fx.explain("SELECT * FROM f WHERE userid = 'u-1'"))
        # then the other keys
        self.assertIn("Hint: " + hint("seenat", 'sort key "seenAt"', "seenAt"), self.fx.explain("SELECT * FROM f WHERE userid = 'u-1'"))
        self.assertIn("Hint: " + hint("email", 'partition key "eMail" of index "byEmail"', "eMail"), self.fx.explain("SELECT * FROM f WHERE email = '1@x'"))
        self.fx.execute("ALTER FOREIGN TABLE f ALTER COLUMN seenat OPTIONS (ADD attribute 'seenAt'), ALTER COLUMN email OPTIONS (ADD attribute 'eMail')")
        for sql in ("SELECT * FROM f WHERE userid = 'u-1'", "SELECT * FROM f WHERE email = '1@x'", "SELECT * FROM f"):
            self.assertNotIn("Hint", self.fx.explain(sql))
        self.assertEqual(self.fx.rows("SELECT * FROM f WHERE email = '1@x'"), [("u-1", 1, "1@x", None)])

    def test_other_keys(self):
        """No such hint where another column shows the key, a template composes it, or an option names the attribute."""
        self.fx.create_table("keyed", ("userId", "S"))
        for columns, options in (('userid text, "userId" text', {}), ("userid text, n text", {"key_templates": '{"userId": "u-${n}"}'}),
                                 ("c text OPTIONS (attribute 'userid')", {}), ("user_id text", {})):
            self.fx.foreign_table("f", columns, table_name=self.fx.remote("keyed"), **options)
            with self.subTest(columns):
                self.assertNotIn("in case", self.fx.explain("SELECT * FROM f"))

    def test_nothing_to_report(self):
        """Attributes that are there, in whatever case others are; and names that are nowhere."""
        self.table("pk text, same int, created int, doc jsonb OPTIONS (document 'item')")
        self.silent()

    def test_later_pages(self):
        """A value on a later page is one; the first page alone is read with everything, whatever it costs otherwise."""
        self.fx.create_table("late", ("pk", "S"))
        self.fx.put("late", [{"pk": f"p{n:03}", "seenAt": 1} for n in range(60)])
        self.remote = self.fx.remote("late")
        self.table("pk text, seenat int", fetch_size="20")
        requests = self.fx.requests("ANALYZE f")
        self.assertEqual(["ProjectionExpression" in request.body for request in requests], [False] + [True] * (len(requests) - 1))
        self.assert_hint("seenat", "seenat", "seenAt", "Set it with ALTER FOREIGN TABLE f ALTER COLUMN seenat OPTIONS (ADD attribute 'seenAt').")
        [last] = self.fx.rows("SELECT pk FROM f OFFSET 59")
        self.fx.put("late", [{"pk": last[0], "seenat": 1}])
        self.silent()

    def test_policy_of_attributes(self):
        """Where only some attributes are allowed, those are read; another denial is an error."""
        fake = self.fx.fake("narrow")
        self.addCleanup(fake.stop)
        fake.table("t", ("pk", "S"), items=[{"pk": {"S": "a"}, "seen": {"S": "x"}}])
        denied = error("AccessDeniedException", "not authorized")
        fake.on("Scan", lambda request: None if "ProjectionExpression" in request.body else denied)
        self.fx.foreign_table("g", "pk text, seenat text", server="narrow", table_name="t")
        self.assertEqual(self.fx.notices("ANALYZE g"), [])
        self.assertEqual([set(r.body.get("ExpressionAttributeNames", {}).values()) for r in fake.requests if r.operation == "Scan"], [set(), {"pk", "seenat"}])
        fake.on("Scan", denied)
        fake.reset()
        self.assertEqual(self.fx.error("ANALYZE g").sqlstate, "42501")
        self.assertEqual(len([r for r in fake.requests if r.operation == "Scan"]), 2)


class Writes(fixture.TestCase):
    """They are refused unless the option updatable is on: with a hint, wherever a statement is planned for this table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("t", ("pk", "S"))
        cls.fx.put("t", [{"pk": "a", "n": 1}])
        cls.fx.foreign_table("t", "pk text NOT NULL, n int")
        cls.fx.execute("CREATE TABLE parts (pk text NOT NULL, n int) PARTITION BY LIST (pk); ALTER TABLE parts ATTACH PARTITION t DEFAULT;"
                       "CREATE VIEW shown AS SELECT pk, n FROM t; SET dynamo_fdw.scan_policy = 'allow'")

    def assert_refused(self, sql, what, hint='Set the option "updatable" of the foreign table, or of its server, to on. ROLLBACK cannot undo writes to DynamoDB.'):
        """By this message, without a request for items."""
        with self.subTest(sql):
            self.fx.proxy.reset()
            failure = self.fx.error(sql)
            self.assertEqual((failure.sqlstate, failure.message, failure.hint), ("55000", f'foreign table "t" does not allow {what}', hint))
            self.assertLessEqual({request.operation for request in self.fx.proxy.requests}, {"DescribeTable"})

    def test_of_the_table(self):
        for sql, what in (("INSERT INTO t VALUES ('b', 2)", "inserts"), ("INSERT INTO t SELECT * FROM t", "inserts"),
                          ("UPDATE t SET n = 2 WHERE pk = 'a'", "updates"), ("DELETE FROM t", "deletes"),
                          ("EXPLAIN DELETE FROM t WHERE pk = 'a'", "deletes"), ("UPDATE shown SET n = 2", "updates"),
                          ("WITH gone AS (DELETE FROM t RETURNING pk) SELECT * FROM gone", "deletes")):
            self.assert_refused(sql, what)
        # PostgreSQL itself refuses them, when it executes the plan
        for sql, what in (("UPDATE parts SET n = 2", "updates"), ("DELETE FROM parts WHERE pk = 'a'", "deletes")):
            self.assert_refused(sql, what, None)

    def test_of_rows_from_elsewhere(self):
        """PostgreSQL refuses them when they come."""
        self.assert_refused("INSERT INTO parts VALUES ('b', 2)", "inserts", None)
        self.assert_refused("COPY t FROM PROGRAM 'echo'", "inserts", None)

    def test_not_updatable(self):
        """The catalogs show it, and the table is read as before, with locks too."""
        self.assertEqual(self.fx.rows("SELECT is_insertable_into FROM information_schema.tables WHERE table_name IN ('t', 'shown')"), [("NO",)] * 2)
        self.assertEqual(self.fx.value("SELECT pg_relation_is_updatable('t', true)"), 0)
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE pk = 'a' FOR UPDATE"), [(1,)])


class Definitions(fixture.TestCase):
    """ALTER FOREIGN TABLE leaves the items alone."""

    def test_altered(self):
        self.fx.create_table("t", ("pk", "S"))
        self.fx.put("t", [{"pk": "a", "note": "x"}])
        self.fx.foreign_table("f", 'pk text COLLATE "C" NOT NULL, note text', table_name=self.fx.remote("t"), scan_policy="allow")
        self.fx.execute("ALTER FOREIGN TABLE f RENAME note TO remark")
        self.assertEqual(self.fx.rows("SELECT pk, remark FROM f"), [("a", None)])
        self.fx.execute("ALTER FOREIGN TABLE f ALTER remark OPTIONS (ADD attribute 'note')")
        self.assertEqual(self.fx.rows("SELECT pk, remark FROM f"), [("a", "x")])
        self.fx.execute("ALTER FOREIGN TABLE f ADD n int DEFAULT 5")
        self.assertEqual(self.fx.rows("SELECT n FROM f"), [(None,)])
        self.fx.execute("ALTER FOREIGN TABLE f ALTER n SET NOT NULL")
        self.assertEqual(self.fx.error("SELECT n FROM f").sqlstate, "23502")


class Times(fixture.TestCase):
    """Seconds and milliseconds, and formats that are not the stored ones: what the manual shows of them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.create_table("t", ("pk", "S"))
        cls.fx.put("t", [{"pk": "a", "s": 1790000000, "ms": 1790000000000, "t": "2026-05-01T10:20:30Z"}])
        cls.fx.execute("SET timezone = 'UTC'")

    def table(self, columns):
        self.fx.foreign_table("f", columns, table_name=self.fx.remote("t"), scan_policy="allow")

    def test_units(self):
        """Both are numbers, so both match; a condition finds nothing."""
        self.table("ms timestamptz OPTIONS (format 'epoch'), s timestamptz OPTIONS (format 'epoch_ms')")
        self.assertEqual(self.fx.rows("SELECT (ms AT TIME ZONE 'UTC')::date::text, (s AT TIME ZONE 'UTC')::date::text FROM f"), [("58692-11-03", "1970-01-21")])
        self.assertEqual(self.fx.rows("SELECT 1 FROM f WHERE s > '2026-01-01' OR ms BETWEEN '2026-01-01' AND '2027-01-01'"), [])
        self.table("ms timestamptz OPTIONS (format 'epoch_ms'), s timestamptz OPTIONS (format 'epoch')")
        self.assertEqual(len(self.fx.rows("SELECT 1 FROM f WHERE s = ms AND s > '2026-01-01'")), 1)

    def test_format(self):
        """Another number of digits is a mismatch; a condition is sent in the format's digits."""
        self.table("t timestamptz OPTIONS (format 'iso8601(3)')")
        self.assertEqual(self.fx.error("SELECT t FROM f").sqlstate, "HV004")
        [request] = self.fx.requests("SELECT 1 FROM f WHERE t = '2026-05-01 10:20:30+00'")
        self.assertIn({"S": "2026-05-01T10:20:30.000Z"}, request.body["ExpressionAttributeValues"].values())
        self.assertEqual(self.fx.rows("SELECT 1 FROM f WHERE t = '2026-05-01 10:20:30+00'"), [])
        self.fx.execute("ALTER FOREIGN TABLE f ALTER t OPTIONS (SET format 'iso8601')")
        self.assertEqual(len(self.fx.rows("SELECT 1 FROM f WHERE t = '2026-05-01 10:20:30+00'")), 1)
