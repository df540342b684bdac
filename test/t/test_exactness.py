"""What DynamoDB compares and sorts itself gives the rows that PostgreSQL would: the operator's own types and collation decide, not the columns' below its casts."""
import fixture

OPTIONS = {"scan_policy": "allow"}


class Twins(fixture.TestCase):
    """Every query is sent to the foreign table f and to the local table l with the same rows."""

    def load(self, columns, items, keys=(("pk", "S"), ("sk", "N")), rows=None, indexes=(), **options):
        """The foreign table over those items; the local one has its rows, or those given."""
        self.fx.create_table("f", *keys, indexes)
        self.fx.dynamo.put_raw(self.fx.remote("f"), items)
        self.fx.foreign_table("f", columns, **OPTIONS, **options)
        plain = columns.replace(" OPTIONS (on_mismatch 'null')", "")
        self.fx.execute(f"DROP TABLE IF EXISTS l; CREATE TABLE l ({plain})")
        if rows is None:
            self.fx.execute("INSERT INTO l SELECT * FROM f")
        else:
            self.fx.execute("INSERT INTO l VALUES " + ", ".join(rows))
        self.fx.execute("ANALYZE l")

    def twice(self, sql):
        """What both return for a query of FROM; an error counts as its SQLSTATE."""
        results = []
        for table in "fl":
            with self.fx.conn.cursor() as cursor:
                try:
                    cursor.execute(sql.replace("FROM t", f"FROM {table}"))
                    results.append(cursor.fetchall())
                except Exception as failure:
                    results.append(getattr(failure, "pgcode", None) or failure)
        return results

    def same(self, *queries, ordered=False):
        """Both return the same."""
        for sql in queries:
            with self.subTest(sql=sql):
                foreign, local = self.twice(sql)
                if not ordered and isinstance(foreign, list) and isinstance(local, list):
                    foreign, local = sorted(foreign, key=repr), sorted(local, key=repr)
                self.assertEqual(foreign, local)


class MismatchesInOrder(Twins):
    """A mismatch that counts as NULL is among the others in DynamoDB, and after or before them all in SQL."""

    def setUp(self):
        items = [{"pk": {"S": pk}, "sk": {"N": sk}} for pk in "ab" for sk in ("1", "1.5", "2", "2.5", "3")]
        self.load("pk text COLLATE \"C\", sk integer", items, on_mismatch="null")
        self.fx.execute("CREATE TABLE IF NOT EXISTS o AS SELECT * FROM generate_series(1, 3) AS g(n)")

    def planned(self, sql, *settings):
        """Compare under settings that leave the planner no other way."""
        for setting in settings:
            self.fx.execute(f"SET {setting} = off")
        try:
            self.same(sql, ordered=True)
        finally:
            for setting in settings:
                self.fx.execute(f"RESET {setting}")

    def test_order_by(self):
        self.planned("SELECT sk FROM t WHERE pk = 'a' ORDER BY sk")
        self.planned("SELECT sk FROM t WHERE pk = 'a' ORDER BY sk DESC")
        self.planned("SELECT sk FROM t WHERE pk = 'a' ORDER BY sk NULLS FIRST LIMIT 3")
        self.planned("SELECT sk FROM t WHERE pk = 'a' ORDER BY sk LIMIT 4")

    def test_several_partitions(self):
        self.planned("SELECT sk FROM t WHERE pk IN ('a', 'b') ORDER BY sk")
        self.planned("SELECT sk FROM t WHERE pk = ANY ('{a,b}') ORDER BY sk DESC LIMIT 5")

    def test_distinct_and_groups(self):
        self.planned("SELECT DISTINCT sk FROM t WHERE pk = 'a' ORDER BY sk", "enable_hashagg")
        self.planned("SELECT sk, count(*) FROM t WHERE pk = 'a' GROUP BY sk ORDER BY 1, 2", "enable_hashagg")
        self.planned("SELECT count(*) FROM (SELECT sk FROM t WHERE pk = 'a' GROUP BY sk) x", "enable_hashagg")
        self.planned("SELECT sk, rank() OVER (ORDER BY sk) FROM t WHERE pk = 'a' ORDER BY 2, 1")
        self.planned("SELECT min(sk), max(sk) FROM t WHERE pk = 'a'")

    def test_merge_join(self):
        self.planned("SELECT n, sk FROM t JOIN o ON n = sk WHERE pk = 'a' ORDER BY n", "enable_hashjoin", "enable_nestloop")

    def test_numeric_is_sorted_by_dynamodb(self):
        """Type numeric accepts every number, so DynamoDB's order is used."""
        self.fx.foreign_table("f", "pk text COLLATE \"C\", sk numeric", on_mismatch="null", **OPTIONS)
        self.assertIn("Order: ascending", self.fx.explain("SELECT sk FROM f WHERE pk = 'a' ORDER BY sk"))
        self.fx.foreign_table("f", "pk text COLLATE \"C\", sk integer", on_mismatch="null", **OPTIONS)
        self.assertNotIn("Order:", self.fx.explain("SELECT sk FROM f WHERE pk = 'a' ORDER BY sk"))


class OperatorsTypes(Twins):
    """The operator compares by its own input types and collation."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE EXTENSION citext; CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
                       "CREATE DOMAIN some_text AS citext; CREATE DOMAIN positive AS integer CHECK (VALUE > 0)")

    def test_two_texts(self):
        words = ["a", "A", "a ", "b", "B", " a", ""]
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "t1": {"S": one}, "t2": {"S": two}}
                 for n, (one, two) in enumerate((x, y) for x in words for y in words)]
        self.load('pk text, sk integer, t1 text COLLATE "C", t2 text COLLATE "C", v1 varchar', items)
        for operator in ("=", "<", "<=", ">", ">=", "<>"):
            for cast in ("citext", "bpchar", "varchar", "text", "some_text", "name"):
                for where in ("", " AND pk = 'p'"):
                    self.same(f"SELECT sk FROM t WHERE t1::{cast} {operator} t2::{cast}{where}")
            self.same(f'SELECT sk FROM t WHERE t1 {operator} t2 COLLATE nd', f'SELECT sk FROM t WHERE t1::text COLLATE "und-x-icu" {operator} t2')
        for condition in ("t1::citext = 'A'", "t1::citext IN ('A', 'B')", "'A'::citext = t1::citext", "t1::bpchar = 'a'::bpchar", "t1::bpchar IN ('a', 'b')",
                          "t1::citext LIKE 'A%'", "t1::bpchar LIKE 'a'", "t1::name = 'a'", "t1 = 'a'::name", "t1::citext = ANY (ARRAY[t2])"):
            self.same(f"SELECT sk FROM t WHERE {condition}", f"SELECT sk FROM t WHERE {condition} AND pk = 'p'")

    def test_two_numbers(self):
        numbers = ["-1", "0", "1", "2147483647", "-2147483648"]
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "n1": {"N": one}, "n2": {"N": two}}
                 for n, (one, two) in enumerate((x, y) for x in numbers for y in numbers)]
        self.load("pk text, sk integer, n1 integer, n2 integer", items)
        for operator in ("=", "<", "<=", ">", ">=", "<>"):
            for cast in ("oid", "bigint", "numeric", "float8", "integer", "oid::bigint"):
                self.same(f"SELECT sk FROM t WHERE n1::{cast} {operator} n2::{cast}", f"SELECT sk FROM t WHERE n1::{cast} {operator} '1'::{cast}")
            self.same(f"SELECT sk FROM t WHERE n1::oid {operator} 4294967295::oid")

    def test_an_indeterminate_collation_is_an_error(self):
        """This holds even if no row has to be compared locally."""
        items = [{"pk": {"S": "p"}, "sk": {"N": "1"}, "t1": {"S": "a"}, "t2": {"S": "b"}}]
        self.load('pk text, sk integer, t1 text COLLATE "C", t2 text COLLATE "und-x-icu"', items)
        for operator in ("=", "<", ">"):
            foreign, local = self.twice(f"SELECT sk FROM t WHERE t1 {operator} t2")
            self.assertEqual((foreign, local), ("42P22", "42P22"))

    def test_elements_of_arrays(self):
        words = ["a", "A", "b"]
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "ta": {"L": [{"S": word}, {"S": "x"}]}} for n, word in enumerate(words)]
        for collation in ("C", "nd", "und-x-icu"):
            self.load(f'pk text, sk integer, ta text[] COLLATE "{collation}"', items)
            for value in ("a", "A", "X"):
                self.same(f"SELECT sk FROM t WHERE '{value}' = ANY (ta)", f"SELECT sk FROM t WHERE ta @> '{{{value}}}'",
                          f"SELECT sk FROM t WHERE ta @> ARRAY['{value}', 'x']", f"SELECT sk FROM t WHERE ta::citext[] @> ARRAY['{value}']::citext[]",
                          f"SELECT sk FROM t WHERE '{value}'::citext = ANY (ta::citext[])", f'SELECT sk FROM t WHERE \'{value}\' COLLATE nd = ANY (ta)')

    def test_columns_of_two_values_that_are_none(self):
        """DynamoDB takes two of its NULLs for equal, and two texts in columns of numbers."""
        null, one, word = {"NULL": True}, {"N": "1"}, {"S": "x"}
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, **({"a": a} if a else {}), **({"b": b} if b else {})}
                 for n, (a, b) in enumerate([(null, null), (one, one), (one, null), (None, null), (None, None), (null, one)])]
        self.load("pk text, sk integer, a numeric, b numeric", items)
        for operator in ("=", "<=", ">="):
            self.same(f"SELECT count(*) FROM t WHERE a {operator} b", f"SELECT count(*) FROM t WHERE pk = 'p' AND a {operator} b",
                      f"SELECT sk FROM t WHERE a {operator} b")
        self.fx.dynamo.put_raw(self.fx.remote("f"), [{"pk": {"S": "p"}, "sk": {"N": "9"}, "a": word, "b": word}])
        self.assertEqual(self.fx.error("SELECT count(*) FROM f WHERE a = b").sqlstate, "HV004")

    def test_a_value_outside_of_its_type_is_not_counted(self):
        """No row of the column's type equals it, so that none is counted, found or met."""
        cases = [("numeric(5,2)", {"N": "1.255"}, "1.255"), ("numeric(3,0)", {"N": "12345"}, "12345"), ("numeric(3,-2)", {"N": "150"}, "150"),
                 ("varchar(3)", {"S": "long text"}, "'long text'"), ("uuid", {"S": "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"}, None),
                 ("timestamp(0) OPTIONS (format 'iso8601(3)')", {"S": "2024-02-29T10:20:30.500Z"}, "'2024-02-29 10:20:30.5'")]
        for column, stored, value in cases:
            type_ = column.partition(" OPTIONS")[0]
            items = [{"pk": {"S": "p"}, "sk": {"N": "1"}, "v": stored}]
            self.fx.create_table("f", ("pk", "S"), ("sk", "N"))
            self.fx.dynamo.put_raw(self.fx.remote("f"), items)
            self.fx.foreign_table("f", f"pk text, sk integer, v {column}", **OPTIONS)
            condition = f"v = {value}" if value else "v::text = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"
            listed = condition.replace("= ", "IN (", 1) + ", " + (value or "'x'") + ")"
            for where in (condition, listed):
                for sql in (f"SELECT count(*) FROM f WHERE {where}", f"SELECT count(*) FROM f WHERE pk = 'p' AND {where}"):
                    with self.subTest(type=type_, sql=sql):
                        self.assertEqual(self.fx.value(sql), 0)

    def test_a_value_outside_of_its_domain_is_met(self):
        self.fx.create_table("f", ("pk", "S"), ("sk", "N"))
        self.fx.dynamo.put_raw(self.fx.remote("f"), [{"pk": {"S": "p"}, "sk": {"N": "-1"}, "v": {"N": "-1"}}])
        self.fx.foreign_table("f", "pk text, sk positive, v positive", **OPTIONS)
        for where in ("v = -1", "sk = -1", "sk IN (-1, 2)", "v IN (-1, -2)"):
            with self.subTest(where=where):
                self.assertEqual(self.fx.error(f"SELECT count(*) FROM f WHERE pk = 'p' AND {where}").sqlstate, "23514")


class LargeFilters(Twins):
    """A filter that is too large for a request is left out only where PostgreSQL checks it again."""

    def prepared(self, types, condition, *arguments):
        """The rows under a generic plan, foreign and local."""
        results = []
        for table in "fl":
            self.fx.execute(f"PREPARE s({types}) AS SELECT sk FROM {table} WHERE {condition}")
            results.append(sorted(self.fx.rows(f"EXECUTE s({', '.join(arguments)})")))
            self.fx.execute("DEALLOCATE s")
        return results

    def test_another_condition_of_any_size(self):
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "n": {"N": str(n)}, "t": {"S": "x"}} for n in range(5)]
        self.load("pk text, sk integer, n numeric, t text", items)
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        many = "'{" + ",".join(f"y{n}" for n in range(3000)) + ",x}'"
        for key in ("", "pk = 'p' AND "):
            for types, condition, argument in (("text[]", "t = ANY ($1)", many), ("text[]", "t <> ALL ($1)", many.replace(",x}", "}")),
                                               ("text", "t <> $1", "repeat('a', 3000000)")):
                with self.subTest(key=key, condition=condition):
                    foreign, local = self.prepared(types, f"{key}n <> 3 AND {condition}", argument)
                    self.assertEqual(foreign, local)
                    self.assertEqual(local, [(0,), (1,), (2,), (4,)])
        self.fx.execute("RESET plan_cache_mode")

    def test_long_paths(self):
        """A filter can contain only a few long paths."""
        steps = [f"m{n}" for n in range(28)]

        def nested(value):
            for step in reversed(steps):
                value = {"M": {step: value}}
            return value["M"]
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, **nested({"M": {f"n{c}": {"N": str(n)} for c in range(16)}})} for n in range(20)]
        self.fx.create_table("f", ("pk", "S"), ("sk", "N"))
        self.fx.dynamo.put_raw(self.fx.remote("f"), items)
        columns = ", ".join(f"c{c} numeric OPTIONS (path '{'.'.join(steps)}.n{c}')" for c in range(16))
        self.fx.foreign_table("f", f"pk text, sk integer, {columns}", **OPTIONS)
        condition = " AND ".join(f"c{c} <> {c}" for c in range(16))
        self.assertEqual(sorted(self.fx.rows(f"SELECT sk FROM f WHERE {condition}")), [(16,), (17,), (18,), (19,)])
        self.assertEqual(self.fx.value(f"SELECT count(*) FROM f WHERE {condition}"), 4)


    def test_long_constants_together(self):
        """As many and as long as the plan relies on, of characters that JSON escapes: a request can hold them."""
        last = "\x01" * 4070 + "19"
        self.load("pk text, sk integer, t text", [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "t": {"S": t}} for n, t in enumerate(("x", last))])
        arms = " OR ".join(f"t = repeat(E'\\x01', 4070) || '{n}'" for n in range(20, -1, -1))
        for key in ("", "pk = 'p' AND "):
            self.same(f"SELECT sk FROM t WHERE {key}({arms})", f"SELECT count(*) FROM t WHERE {key}({arms})")
            self.assertEqual(self.fx.rows(f"SELECT sk FROM f WHERE {key}({arms})"), [(1,)])


class DistantDates(Twins):
    """A date may lie beyond every timestamp."""

    def test_dates(self):
        days = ["0001-01-01", "1999-12-30", "1999-12-31", "2000-01-01", "2024-05-05", "9999-12-31"]
        items = [{"pk": {"S": "p"}, "sk": {"S": day}, "d": {"S": day}} for day in days]
        self.load("pk text, sk date, d date", items, keys=(("pk", "S"), ("sk", "S")))
        for days in (106751990, 106751991, 213503981, 213503982, 213511982, 427007965, 2135031823):
            for column in ("sk", "d"):
                for operator in ("<", "<=", ">", ">=", "=", "<>"):
                    self.same(f"SELECT d FROM t WHERE {column} {operator} date '2000-01-01' + {days}",
                              f"SELECT count(*) FROM t WHERE pk = 'p' AND {column} {operator} date '2000-01-01' + {days}")


class PartsOfDocuments(Twins):
    """What is true of an entire document is not concluded from the part of it that is read."""

    ITEMS = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "info": {"M": info}}
             for n, info in enumerate(({"a": {"S": "x"}, "b": {"S": "y"}}, {"b": {"S": "y"}}))]
    QUERIES = ("SELECT sk, info->>'a' FROM t", "SELECT sk, info->'a'->'b' FROM t WHERE pk = 'p'", "SELECT sk FROM t WHERE info->>'a' = 'x'",
               "SELECT sk FROM t WHERE info->>'a' IS NULL", "SELECT info#>>'{a}' FROM t WHERE pk = 'p' AND sk = 1", "SELECT sk, info FROM t WHERE info->>'a' = 'x'",
               "SELECT count(*) FROM t WHERE info->>'a' IS DISTINCT FROM 'x'")

    def test_not_null(self):
        empty = {"pk": {"S": "p"}, "sk": {"N": "7"}, "info": {"M": {}}}
        self.load("pk text, sk integer, info jsonb NOT NULL", [*self.ITEMS, empty])
        self.same(*self.QUERIES)
        [request] = self.fx.requests("SELECT info->>'a' FROM f WHERE pk = 'p'")
        self.assertIn("a", request.body["ExpressionAttributeNames"].values())
        self.fx.dynamo.put_raw(self.fx.remote("f"), [{"pk": {"S": "p"}, "sk": {"N": "9"}}])
        self.assertEqual(self.fx.error("SELECT info FROM f").sqlstate, "23502")

    def test_domains(self):
        self.fx.execute("CREATE DOMAIN has_b AS jsonb CHECK (VALUE ? 'b'); CREATE DOMAIN present AS jsonb NOT NULL")
        for column in ("has_b", "has_b OPTIONS (on_mismatch 'null')", "present"):
            self.load(f"pk text, sk integer, info {column}", self.ITEMS)
            self.same(*self.QUERIES)

    def test_a_mismatch_next_to_it(self):
        """U+0000 in one member makes the entire document NULL."""
        mismatch = {"pk": {"S": "p"}, "sk": {"N": "7"}, "info": {"M": {"a": {"S": "x"}, "b": {"S": "y\0"}}}}
        self.load("pk text, sk integer, info jsonb OPTIONS (on_mismatch 'null')", [*self.ITEMS, mismatch])
        self.same(*self.QUERIES)


class LongBounds(Twins):
    """Bounds that are longer than any value can be."""

    def test_bytea(self):
        keys = ["AA==", "AAA=", "AAAA", "AQ==", "/w=="]
        items = [{"pk": {"S": "p"}, "sk": {"B": key}, "v": {"B": key}} for key in keys]
        self.load("pk text, sk bytea, v bytea", items, keys=(("pk", "S"), ("sk", "B")))
        for size in (1000, 1024, 1025, 409600, 409601, 450000):
            for byte in ("00", "01", "ff"):
                bound = f"decode(repeat('{byte}', {size}), 'hex')"
                for column in ("sk", "v"):
                    for operator in ("<", "<=", ">", ">=", "="):
                        self.same(f"SELECT encode(sk, 'hex') FROM t WHERE pk = 'p' AND {column} {operator} {bound}",
                                  f"SELECT count(*) FROM t WHERE pk = 'p' AND {column} {operator} {bound}")

    def test_text(self):
        items = [{"pk": {"S": "p"}, "sk": {"S": key}, "v": {"S": key}} for key in ("a", "aa", "b", "é", "éa")]
        self.load('pk text, sk text COLLATE "C", v text COLLATE "C"', items, keys=(("pk", "S"), ("sk", "S")))
        for size in (1023, 1024, 1025, 204800, 204801, 410000):
            for letter in ("a", "b", "é"):
                for column in ("sk", "v"):
                    for operator in ("<", "<=", ">", ">=", "="):
                        self.same(f"SELECT sk FROM t WHERE pk = 'p' AND {column} {operator} repeat('{letter}', {size})")

    def test_text_truncated_within_a_character(self):
        """Where a bound has a character that no key can have, keys may have a lower one there, and none a higher one."""
        characters = ["z", "é", "\uffff", "\U0001f600", "\U0010ffff"]
        begins = ["p" * n for n in range(1020, 1025)]
        keys = {begin + character for begin in begins for character in ["", "!"] + characters}
        keys = {key for key in keys if len(key.encode()) <= 1024} | {"o", "q", "p" * 1019 + "é"}
        self.load('pk text, sk text COLLATE "C"', [{"pk": {"S": "p"}, "sk": {"S": key}} for key in sorted(keys)], keys=(("pk", "S"), ("sk", "S")))
        for bound in [begin + character + more for begin in begins for character in characters for more in ("", "a", "\U0010ffff")]:
            if len(bound.encode()) > 1024:
                for operator in ("<", "<=", ">", ">=", "^@"):
                    self.same(f"SELECT md5(sk) FROM t WHERE pk = 'p' AND sk {operator} '{bound}'")

    def test_prefix(self):
        """A prefix with a bound is an interval up to the least text that is greater than all that begin with it."""
        high = ["", "\x7f", "\u07ff", "\uffff", "\U0010ffff"]
        prefixes = ["p" * n for n in (1, 2, 3, 4, 1018, 1019, 1020, 1021, 1022, 1023, 1024)] + ["é", "éa", "p\U0010ffff"]
        keys = set(prefixes) | {"o", "q"}
        for prefix in prefixes:
            rest = 1024 - len(prefix.encode())
            keys |= {prefix + "\U0010ffff" * n for n in range(rest // 4 + 1)} if rest < 12 else {prefix + "\U0010ffff" * (rest // 4)}
            keys |= {prefix + "\U0010ffff" * (rest // 4) + high[n] for n in range(1, rest % 4 + 1)}
        items = [{"pk": {"S": "p"}, "sk": {"S": key}} for key in sorted(keys)]
        self.load('pk text, sk text COLLATE "C"', items, keys=(("pk", "S"), ("sk", "S")))
        for prefix in prefixes:
            for bound in ("<= 'q'", f">= '{prefix}'", f"> '{prefix}'", f"> '{prefix}p'", f"< '{prefix}\U0010ffff'", f">= '{prefix}\U0010ffff'",
                          "> 'o'", "< 'r'"):
                self.same(f"SELECT md5(sk) FROM t WHERE pk = 'p' AND sk ^@ '{prefix}' AND sk {bound}")
        self.assertGreater(self.fx.value("SELECT count(*) FROM f WHERE pk = 'p' AND sk ^@ 'pppp' AND sk > 'ppppp'"), 5)


class Extremes(Twins):
    """Values of SQL that DynamoDB has none of, as operands."""

    def test_times(self):
        columns = {"d": "date", "dd": "date OPTIONS (format 'epoch_days')", "t3": "timestamptz OPTIONS (format 'iso8601(3)')",
                   "te": "timestamp OPTIONS (format 'epoch')", "tz": "timestamptz"}
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "d": {"S": day}, "dd": {"N": str(n * 9000)}, "t3": {"S": day + "T10:20:30.123Z"},
                  "te": {"N": f"{n * 10000000}.5"}, "tz": {"S": day + "T01:00:00+02:00"}} for n, day in enumerate(["0001-01-01", "1999-12-31", "2024-02-29", "9999-12-31"])]
        self.fx.create_table("f", ("pk", "S"), ("sk", "N"))
        self.fx.dynamo.put_raw(self.fx.remote("f"), items)
        self.fx.foreign_table("f", "pk text, sk integer, " + ", ".join(f"{name} {kind}" for name, kind in columns.items()), **OPTIONS)
        self.fx.execute("DROP TABLE IF EXISTS l; CREATE TABLE l AS SELECT * FROM f")
        for name in columns:
            for value in ("infinity", "-infinity", "2024-02-29", "0001-01-01 BC", "12000-01-01", "2024-02-29 10:20:30.1234+00", "1999-12-30 23:00:00+00"):
                for operator in ("=", "<>", "<", "<=", ">", ">="):
                    self.same(f"SELECT sk FROM t WHERE {name} {operator} '{value}'", f"SELECT count(*) FROM t WHERE pk = 'p' AND {name} {operator} '{value}'")
                self.same(f"SELECT sk FROM t WHERE {name} IN ('{value}', '2024-02-29')", f"SELECT sk FROM t WHERE {name} NOT IN ('{value}', '2024-02-29')")

    def test_numbers(self):
        items = [{"pk": {"S": "p"}, "sk": {"N": n}, "n": {"N": n}, "m": {"N": n}, "i": {"N": n.split(".")[0] if "E" not in n else "0"}}
                 for n in ("-9.9E125", "-1E-130", "0", "1E-130", "1.25", "9.9E125")]
        self.load("pk text, sk numeric, n numeric, m numeric(300,200), i bigint", [{**one, "m": {"N": "1.5"}} for one in items])
        for name in ("sk", "n", "i", "m"):
            for value in ("NaN", "Infinity", "-Infinity", "1e200", "-1e200", "1e-200", "-1e-200", "1.2500000000000000000000000000000000000000001", "1.5"):
                for operator in ("=", "<>", "<", "<=", ">", ">="):
                    self.same(f"SELECT sk FROM t WHERE {name} {operator} '{value}'::numeric",
                              f"SELECT count(*) FROM t WHERE pk = 'p' AND {name} {operator} '{value}'::numeric")
                self.same(f"SELECT sk FROM t WHERE {name} IN ('{value}'::numeric, 0)", f"SELECT sk FROM t WHERE {name} NOT IN ('{value}'::numeric, 0)")

    def test_steps_that_are_numbers_to_sql(self):
        """Blanks and signs before digits, too, are an element of a list or a member of a map."""
        tags = [{"L": [{"S": "x"}, {"S": "y"}]}, {"M": {"+0": {"S": "x"}, " 0": {"S": "x"}, "0": {"S": "x"}, "-1": {"S": "x"}, "0 ": {"S": "x"}}}]
        self.load("pk text, sk integer, j jsonb", [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "j": {"M": {"tags": one}}} for n, one in enumerate(tags)])
        for step in ("+0", " 0", "0", "-1", "-2", "\t0", "0 ", "+", "-", "00", "+00"):
            self.same(f"SELECT sk FROM t WHERE j #>> ARRAY['tags', E'{step}'] = 'x'", f"SELECT sk, j #>> ARRAY['tags', E'{step}'] FROM t",
                      f"SELECT sk FROM t WHERE j #> ARRAY['tags', E'{step}'] IS NOT NULL", f"SELECT sk FROM t WHERE j->'tags'->>E'{step}' = 'x'")


class Patterns(Twins):
    """A pattern that ends in its escape character is an error for each value that is compared to its end."""

    def load_keys(self, *keys):
        """Items whose sort key and value are the same text."""
        items = [{"pk": {"S": "p"}, "sk": {"S": key}, "v": {"S": key}} for key in keys]
        self.load('pk text, sk text COLLATE "C", v text', items, keys=(("pk", "S"), ("sk", "S")))

    PATTERNS = ["\\", "a\\", "%\\", "_\\", "a%\\", "b_\\", "\\\\\\", "zzz\\", "\\\\", "a\\\\", "%\\\\", "a%", "\\%", "%a\\b\\"]

    def test_constants(self):
        for keys in (("a", "ab", "b"), ("a", "a\\", "ab", "\\", "%"), ("x",)):
            self.load_keys(*keys)
            self.constants()

    def constants(self):
        """Patterns known at planning."""
        for pattern in self.PATTERNS:
            for column in ("sk", "v"):
                self.same(f"SELECT sk FROM t WHERE {column} LIKE '{pattern}'", f"SELECT sk FROM t WHERE pk = 'p' AND {column} LIKE '{pattern}'",
                          f"SELECT count(*) FROM t WHERE pk = 'p' AND {column} LIKE '{pattern}'")

    def test_parameters(self):
        self.load_keys("a", "ab", "b")
        for table in "fl":
            self.fx.execute(f"PREPARE {table}s (text) AS SELECT sk FROM {table} WHERE pk = 'p' AND sk LIKE $1; "
                            f"PREPARE {table}v (text) AS SELECT sk FROM {table} WHERE v LIKE $1; SET plan_cache_mode = force_generic_plan")
        for pattern in self.PATTERNS:
            for column in "sv":
                results = []
                for table in "fl":
                    try:
                        results.append(sorted(self.fx.rows(f"EXECUTE {table}{column} ('{pattern}')")))
                    except Exception as failure:
                        results.append(failure.pgcode)
                with self.subTest(pattern=pattern, column=column):
                    self.assertEqual(*results)
        self.fx.execute("RESET plan_cache_mode; DEALLOCATE ALL")
