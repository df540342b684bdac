"""An OR of values of a column in several parts of a key: as many keys as a list of these values gives, not their combinations."""
import datetime
import json

import request_text
from dynamo import index


def at(n):
    """Times in several days, some of them in one."""
    return f"{datetime.datetime(2026, 11, 1) + datetime.timedelta(hours=7 * n):%Y-%m-%dT%H:%M:%SZ}"


def day(time):
    """The partition of a time."""
    return time[:10]


TIMES = {3: [at(0), at(5), at(7)], 42: [at(3 * n) for n in range(42)]}


def either(times, more=lambda n: ""):
    """The OR of them."""
    return "(" + " OR ".join(f"at = '{time}'{more(n)}" for n, time in enumerate(times)) + ")"


def keys_of(requests):
    """How many keys these have, none of which is a Scan."""
    return sum(1 if request.operation in ("GetItem", "Query") else sum(len(of["Keys"]) for of in request.body["RequestItems"].values()) for request in requests)


class Times(request_text.RequestTestCase):
    """Readings by tenant and day, with the time as the sort key, or at the beginning of one, of the table or of an index."""

    SIZE = 120

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        pk, times = "T#${tenant}#${at:day}", [at(n) for n in range(cls.SIZE)]
        fx.create_table("whole", ("pk", "S"), ("sk", "S"))
        fx.create_table("begun", ("pk", "S"), ("sk", "S"))
        fx.create_table("indexed", ("pk", "S"), ("sk", "S"), [index("by_day", ("gpk", "S"), ("gsk", "S"))])
        rows = [(tenant, time, n, {"status": "xyz"[n % 3], "text": "t" * 300, "v": n}) for tenant in "ab" for n, time in enumerate(times)]
        fx.put("whole", [{"pk": f"T#{tenant}#{day(time)}", "sk": time, **rest} for tenant, time, _, rest in rows])
        fx.put("begun", [{"pk": f"T#{tenant}#{day(time)}", "sk": f"{time}#{n}", **rest} for tenant, time, _, rest in rows for n in range(2)])
        fx.put("indexed", [{"pk": f"I#{tenant}#{n}", "sk": "-", "gpk": f"T#{tenant}#{day(time)}", "gsk": f"{time}#{n}", "at": time, **rest} for tenant, time, n, rest in rows])
        columns = "tenant text NOT NULL, at timestamptz OPTIONS ({}format 'iso8601(0)') NOT NULL{}, status text, text text, v int"
        for name, sk in (("whole", "${at}"), ("begun", "${at}#${n}")):
            fx.foreign_table(name, columns.format("", ", n int NOT NULL" * (name == "begun")), key_templates=json.dumps({"pk": pk, "sk": sk}))
        fx.foreign_table("indexed", columns.format("attribute 'at', ", ", n int NOT NULL"), trusted_indexes="by_day",
                         key_templates=json.dumps({"pk": "I#${tenant}#${n}", "sk": "-", "gpk": pk, "gsk": "${at}#${n}"}))
        for name in ("whole", "begun", "indexed"):
            cls.mirror(name)

    def setUp(self):
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET ALL; DEALLOCATE ALL")

    def keys(self, sql, parameters=None):
        """How many keys the requests have; the rows are those of the local table."""
        self.assertEqual(sorted(self.fx.rows(sql, parameters)), sorted(self.mirrored(sql, parameters)))
        return keys_of(self.fx.requests(sql, parameters))

    def test_keys(self):
        """One for each time and tenant, whatever else the branches have, and before and after ANALYZE."""
        for analyzed in (False, True):
            for name in ("whole", "begun", "indexed"):
                if analyzed:
                    self.fx.execute(f"SET dynamo_fdw.scan_policy = allow; ANALYZE {name}; SET dynamo_fdw.scan_policy = error")
                for n, times in TIMES.items():
                    for more in (lambda n: "", lambda n: f" AND status = '{'xyz'[n % 3]}'", lambda n: " AND status = 'x'" * (n % 2)):
                        for tenant, tenants in (("= 'a'", 1), ("IN ('a', 'b')", 2)):
                            sql = f"SELECT tenant, v FROM {name} WHERE tenant {tenant} AND {either(times, more)}"
                            with self.subTest(sql[:150], analyzed=analyzed, n=n):
                                self.assertEqual(self.keys(sql), n * tenants)

    def test_lists(self):
        """Branches that are lists themselves, of values known at planning or not, with NULL, and of the same values."""
        one, two, three, four = TIMES[3] + [at(9)]
        for where, keys in ((f"(at = '{one}' OR at IN ('{two}', '{three}'))", 3), (f"(at IN ('{one}', '{two}') OR at IN ('{two}', '{three}', '{four}'))", 4),
                            (f"(at IN ('{one}', NULL) OR at = '{two}' AND status IS NOT NULL OR at IN ('{two}', '{three}'))", 3),
                            (f"(at = '{one}' OR at IN ('{two}', %s, %s))", 3), (f"(at = ANY (%s::timestamptz[]) OR at = '{two}')", 3), (f"(at = '{one}' OR at = ANY (ARRAY['{two}', '{three}']::timestamptz[]))", 3),
                            (f"(at = '{one}' OR at = ANY (ARRAY[['{two}', '{three}'], ['{four}', '{one}']]::timestamptz[]))", 4),
                            (f"(at = '{one}' OR at = ANY ('{{}}'::timestamptz[]))", 1), (f"(at = '{one}' OR at = ANY (NULL::timestamptz[]))", 1)):
            parameters = {0: None, 1: [[one, three]], 2: [three, None]}[where.count("%s")]
            for name in ("whole", "begun", "indexed"):
                for tenant, tenants in (("= 'a'", 1), ("IN ('a', 'b')", 2)):
                    with self.subTest(where, name=name, tenants=tenants):
                        self.assertEqual(self.keys(f"SELECT tenant, v FROM {name} WHERE tenant {tenant} AND {where}", parameters), keys * tenants)

    def test_few_in_a_branch(self):
        """A branch that a further condition on a key limits to one key is not read as its full list."""
        self.fx.execute("SET dynamo_fdw.scan_policy = allow")
        many = ", ".join(f"'{time}'" for time in TIMES[42][:10])
        for name, where, most in (("indexed", f"at IN ({many}) AND n = 1 OR at = '{at(10)}'", 2), ("begun", f"at IN ({many}) AND n = 1 OR at = '{at(10)}'", 2),
                                  ("begun", f"at IN ({many}) AND at = '{at(9)}' OR at = '{at(7)}'", 2), ("begun", f"at IN ({many}) AND at = '{at(10)}' OR at = '{at(7)}'", 1),
                                  ("indexed", " OR ".join(f"at = '{time}' AND n = 1" for time in TIMES[42][:10]) + f" OR at = '{at(10)}'", 2)):
            sql = f"SELECT v FROM {name} WHERE tenant = 'a' AND ({where})"
            with self.subTest(name, where=where):
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
                self.assertLessEqual(len(self.fx.requests(sql)), most)

    def test_long_arrays(self):
        """An array with more values than are merged in an OR."""
        self.fx.execute("SET dynamo_fdw.scan_policy = allow")
        times = "{" + ",".join(at(n) for n in range(40, 1600)) + "}"
        for name in ("whole", "begun", "indexed"):
            sql = f"SELECT v FROM {name} WHERE tenant = 'a' AND (at = ANY ('{times}') OR at = '{at(3)}')"
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_requests(self):
        """Those of the list."""
        for name in ("whole", "begun"):
            listed = ", ".join(f"'{time}'" for time in TIMES[3])
            sql = f"SELECT v FROM {name} WHERE tenant IN ('a', 'b') AND "
            self.assertEqual(self.texts(sql + either(TIMES[3])), self.texts(f"{sql} at IN ({listed})"))

    def test_values(self):
        """NULL, a time twice, times of one day, one time."""
        for where, keys in ((either([at(0), at(0), at(0)]), 1), (either([at(7), at(8), at(9)]), 3), ("(at = %s OR at = %s)", 0), ("(at = %s OR at = %s)", 1)):
            parameters = ([None, at(3)] if keys == 1 else [None, None]) if "%s" in where else None
            for name in ("whole", "begun", "indexed"):
                with self.subTest(where, name=name):
                    self.assertEqual(self.keys(f"SELECT v FROM {name} WHERE tenant = 'a' AND {where}", parameters), keys)

    def test_repeated(self):
        """A list in two clauses is still one: as many requests as once."""
        listed = "at IN ('" + "', '".join(TIMES[42]) + "')"
        for name in ("whole", "begun", "indexed"):
            for one, other in ((listed, listed), (listed, either(TIMES[42])), (either(TIMES[42]), either(TIMES[42]))):
                with self.subTest(name, one=one[:20], other=other[:20]):
                    self.assertEqual(self.keys(f"SELECT v FROM {name} WHERE tenant = 'a' AND {one} AND {other}"), 42)
        self.fx.execute("SET plan_cache_mode = force_generic_plan; SET dynamo_fdw.scan_policy = allow")
        for name in ("begun", "indexed"):
            self.fx.execute(f"PREPARE twice_{name} (timestamptz[]) AS SELECT v FROM {name} WHERE tenant = 'a' AND at = ANY ($1) AND at = ANY ($1)")
            requests = self.fx.requests(f"EXECUTE twice_{name} (ARRAY['{at(0)}', '{at(5)}']::timestamptz[])")
            self.assertEqual([request.operation for request in requests], ["Query", "Query"])

    def test_other_list(self):
        """A further condition with more than 100 values."""
        more = " OR ".join(f"at = '{at(n)}'" for n in range(110))
        for name in ("whole", "begun", "indexed"):
            sql = f"SELECT v FROM {name} WHERE tenant = 'a' AND {either(TIMES[3])} AND (at IN ('{at(0)}', '{at(5)}', '{at(7)}') OR {more})"
            with self.subTest(name):
                self.assertEqual(self.keys(sql), 3)

    def test_prepared(self):
        """A generic plan."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for name in ("whole", "begun"):
            sql = f"SELECT v FROM {name} WHERE tenant = $1 AND (at = $2 OR at = $3 AND status = $5 OR at = $4)"
            self.fx.execute(f"PREPARE {name} (text, timestamptz, timestamptz, timestamptz, text) AS {sql}")
            for times in ([at(0), at(5), at(7)], [at(0), None, at(0)], [at(7), at(8), at(8)], [None] * 3):
                values = [f"'{time}'" if time else "NULL" for time in times]
                with self.subTest(name, values=values):
                    keys = {time for time in times if time}
                    self.assertEqual(self.keys_of_prepared(name, sql, ["'a'", *values, "'z'"]), len(keys))

    def keys_of_prepared(self, name, sql, values):
        """As keys, of a prepared statement."""
        written = sql
        for n, value in enumerate(values, 1):
            written = written.replace(f"${n}", value)
        execute = f"EXECUTE {name} ({', '.join(values)})"
        self.assertEqual(sorted(self.fx.rows(execute)), sorted(self.mirrored(written)))
        return keys_of(self.fx.requests(execute))

    def test_other_values(self):
        """Of rows of another table, a subquery, and with other conditions on the time."""
        for sql in ("SELECT x.n, r.v FROM (VALUES (1, '{0}'::timestamptz, '{1}'::timestamptz), (2, '{1}', NULL), (3, '{2}', '{2}')) x(n, a, b), LATERAL"
                    " (SELECT * FROM {name} WHERE tenant = 'a' AND (at = x.a OR at = x.b) OFFSET 0) r",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = (SELECT '{0}'::timestamptz) OR at = '{2}')",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = '{0}' OR at = '{1}' OR at = '{2}') AND at IN ('{1}', '{2}', '{3}')",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = '{0}' OR at = '{1}' OR at = '{2}') AND (at = '{2}' OR at = '{1}')",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = '{0}' OR at = '{1}' OR at = '{2}') AND at > '{0}'",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = '{0}' OR at = '2026-11-08'::date OR at = '{2}')",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = '{0}' OR at IN ('{1}', '{2}'))",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at BETWEEN '{0}' AND '{1}' OR at BETWEEN '{2}' AND '{3}')",
                    "SELECT v FROM {name} WHERE tenant = 'b' AND (at = '{0}' OR at BETWEEN '{2}' AND '{3}')",
                    "SELECT v FROM {name} WHERE tenant IN ('b', 'a') AND (at = '{0}' OR at = '{1}') ORDER BY at DESC, tenant LIMIT 3"):
            for name in ("whole", "begun", "indexed"):
                statement = sql.format(at(0), at(5), at(7), at(9), name=name)
                with self.subTest(statement):
                    self.assertEqual(sorted(self.fx.rows(statement)), sorted(self.mirrored(statement)))
                    self.assertNotIn("Scan", [request.operation for request in self.fx.requests(statement)])

    def test_ranges(self):
        """Each branch is a Query of each of its days."""
        for name in ("whole", "begun"):
            where = " OR ".join(f"at BETWEEN '{day(at(n))} 05:00+00' AND '{day(at(n + 3))} 20:00+00'" for n in (0, 20, 40))
            sql = f"SELECT v FROM {name} WHERE tenant = 'a' AND ({where})"
            days = sum(1 + (datetime.date.fromisoformat(day(at(n + 3))) - datetime.date.fromisoformat(day(at(n)))).days for n in (0, 20, 40))
            self.assertEqual(self.keys(sql), days)

    def test_many(self):
        """The keys are not too many."""
        times = [at(n) for n in range(4000)]
        self.assertEqual(self.keys(f"SELECT v FROM whole WHERE tenant = 'a' AND {either(times)}"), len(times))


class LargerTables(Times):
    """The same for ten times the items."""

    SIZE = 1200
