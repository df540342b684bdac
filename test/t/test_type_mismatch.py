"""Mismatches, under conditions: none slips through an error, a count or a filter, and NULLs count as NULLs."""
import os
import subprocess
import tempfile

import fixture

PG_CONFIG = os.environ.get("PG_CONFIG") or "/usr/lib/postgresql/15/bin/pg_config"

# A type whose input function raises its errors, like those of extensions: "-" precedes the SQLSTATE.
HARD = """
#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(hard_in);
Datum
hard_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);

    if (text[0] == '-')
        ereport(ERROR, (errcode(MAKE_SQLSTATE(text[1], text[2], text[3], text[4], text[5])), errmsg("it is refused")));
    return CStringGetTextDatum(text);
}
"""

MIXED = [{"S": "x"}, {"N": "5"}, {"N": "1" + "0" * 20}, {"N": "2.5"}, {"N": "-3"}, {"BOOL": True}, {"NULL": True}, None, {"L": [{"N": "5"}]}, {"M": {}},
         {"SS": ["x"]}, {"S": ""}, {"S": "true"}, {"S": "2024-02-29"}, {"S": "2024-02-29T00:00:00Z"}, {"S": "a\0b"}, {"N": "0"}, {"N": "1"}, {"B": "AAE="},
         {"S": "xyz"}, {"S": "5"}, {"N": "0.1"}, {"N": "40000"}]


class Conditions(fixture.TestCase):
    """Against DynamoDB's own filters."""

    def load(self, values, column, **options):
        """A table of (pk, id, v) of those values, one partition."""
        self.fx.create_table("f", ("pk", "S"), ("id", "N"))
        items = [{"pk": {"S": "a"}, "id": {"N": str(number)}, **({} if value is None else {"v": value})} for number, value in enumerate(values)]
        self.fx.dynamo.put_raw(self.fx.remote("f"), items)
        type_, collate, collation = column.partition(" COLLATE ")
        self.fx.foreign_table("f", f"pk text, id integer, v {type_} {fixture.options_clause(options)} {collate}{collation}", scan_policy="allow")

    def compare(self, column, conditions):
        """The same rows and counts as from a local table with the NULLs that on_mismatch makes."""
        self.load(MIXED, column, on_mismatch="null")
        self.fx.execute("DROP TABLE IF EXISTS l; CREATE TABLE l AS SELECT * FROM f")
        self.assertGreater(self.fx.value("SELECT count(*) FROM l WHERE v IS NOT NULL"), 0)
        for condition in conditions + ["v IS NULL", "v IS NOT NULL", "v IS NOT NULL AND id > 3", "v IS NULL OR id = 1"]:
            for what in (f"count(*) FROM %s WHERE pk = 'a' AND ({condition})", f"array_agg(id ORDER BY id) FROM %s WHERE {condition}"):
                with self.subTest(column=column, query=what):
                    self.assertEqual(*[self.fx.value("SELECT " + what.replace("%s", table)) for table in "fl"])

    def test_numbers(self):
        for column in ("integer", "smallint", "bigint", "numeric", "numeric(3,0)", "double precision", "real"):
            self.compare(column, ["v = 5", "v <> 5", "v > 0", "v < 100", "v IN (5, 1, 7)", "v BETWEEN -3 AND 1", "NOT v > 0", "v > 5 OR v < 0", "v + 0 = 5"])

    def test_texts(self):
        for column in ("text", 'text COLLATE "C"', "varchar(2)", "char(3)"):
            self.compare(column, ["v = 'x'", "v <> 'x'", "v > 'a'", "v < 'y'", "v LIKE 'x%'", "v = ''", "v IN ('x', '5')", "NOT v = 'x'", "v >= ''", "length(v) = 1"])

    def test_constraint_that_is_not_valid(self):
        """From PostgreSQL 18 on, a NOT NULL constraint may be NOT VALID: then the column may be NULL."""
        if self.fx.conn.server_version < 180000:
            self.skipTest("PostgreSQL 18")
        self.load([{"N": "1"}, None], "integer")
        self.fx.execute("ALTER FOREIGN TABLE f ADD CONSTRAINT v_is_there NOT NULL v NOT VALID")
        self.assertEqual(sorted(self.fx.rows("SELECT id, v FROM f")), [(0, 1), (1, None)])
        self.assertEqual(self.fx.rows("SELECT id FROM f WHERE v IS NULL"), [(1,)])
        self.fx.execute("ALTER FOREIGN TABLE f DROP CONSTRAINT v_is_there, ALTER v SET NOT NULL")
        self.assertEqual(self.fx.error("SELECT id, v FROM f").sqlstate, "23502")

    def test_others(self):
        self.compare("boolean", ["v", "NOT v", "v IS NOT TRUE", "v IS UNKNOWN", "v = true", "v <> true"])
        self.compare("date", ["v = '2024-02-29'", "v > '2024-01-01'", "v < '2025-01-01'", "v <> '2024-02-29'"])
        self.compare("timestamptz", ["v = '2024-02-29 00:00:00+00'", "v > '2024-01-01'", "v <= '2024-02-29 00:00:00+00'"])
        self.compare("bytea", [r"v = '\x0001'", r"v > '\x00'", r"v <> '\x0001'"])
        self.compare("jsonb", ["v = '5'", "v <> '5'", "v @> '[5]'", "v = '\"x\"'"])
        self.compare("text[]", ["v = '{x}'", "'x' = ANY (v)", "v <> '{x}'"])

    def assert_seen(self, value, column, conditions):
        """The value passes the filter in DynamoDB, so that it must be met here, whatever is selected or counted."""
        self.load([{"N": "1"} if "N" in value else {"S": "aa"}, value], column)
        for condition in conditions:
            for what in ("count(*)", "id", "v", "1", "max(id)"):
                with self.subTest(column=column, where=condition, what=what):
                    failure = self.fx.error(f"SELECT {what} FROM f WHERE pk = 'a' AND {condition}")
                    self.assertEqual(failure.sqlstate, "HV004")
                    self.assertIn('item pk = "a"', failure.detail)

    def test_nothing_slips_through(self):
        big = {"N": "1" + "0" * 20}
        self.assert_seen(big, "integer", ["v > 0", "v >= 5", "v BETWEEN 0 AND 1e30"])
        self.assert_seen(big, "bigint", ["v > 0"])
        self.assert_seen({"N": "2.5"}, "integer", ["v > 0", "v < 9"])
        self.assert_seen({"N": "2.345"}, "numeric(5,2)", ["v > 0"])
        self.assert_seen({"S": "b\0"}, 'text COLLATE "C"', ["v > 'a'", "v LIKE 'b%'"])
        self.assert_seen({"S": "b" * 9}, 'varchar(3) COLLATE "C"', ["v > 'a'", "v LIKE 'b%'"])

    def test_a_key_of_another_type(self):
        """A key column is no exception: the item is met where the key is bound by others."""
        self.load([], "text")
        self.fx.dynamo.put_raw(self.fx.remote("f"), [{"pk": {"S": "a"}, "id": {"N": "1.5"}}])
        for sql in ("SELECT id FROM f WHERE pk = 'a'", "SELECT count(*) FROM f WHERE pk = 'a' AND id > 0", "SELECT * FROM f WHERE pk = 'a' AND id > 1 ORDER BY id LIMIT 1"):
            with self.subTest(sql=sql):
                failure = self.fx.error(sql)
                self.assertEqual(failure.sqlstate, "HV004")
                self.assertIn("it is not an integer", failure.message)
                self.assertIn('item pk = "a", id = 1.5', failure.detail)

    def test_a_not_null_column_is_trusted(self):
        """IS NULL on it is false without requesting; reading a NULL is an error."""
        self.load([{"S": "x"}, None], "text")
        self.fx.execute("ALTER FOREIGN TABLE f ALTER v SET NOT NULL")
        self.assertEqual(self.fx.error("SELECT v FROM f WHERE pk = 'a'").sqlstate, "23502")
        self.assertEqual(self.fx.rows("SELECT id FROM f WHERE pk = 'a' AND id = 0 AND v = 'x'"), [(0,)])


class Softly(fixture.TestCase):
    """Mismatches that become NULL, while parallel workers run."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("f", ("pk", "S"))
        fx.put("f", [{"pk": f"p{n}", "n": n, "s": ["192.168.0.1", "no address", "a"][n % 3]} for n in range(30)])
        fx.execute("CREATE DOMAIN small AS integer CHECK (VALUE < 20) CONSTRAINT odd CHECK (VALUE % 2 = 1);"
                   "CREATE DOMAIN smaller AS small CHECK (VALUE < 10); CREATE TYPE letter AS ENUM ('a', 'b');"
                   "CREATE DOMAIN picky AS text CHECK (VALUE::inet IS NOT NULL);"
                   "CREATE TABLE big AS SELECT g AS n FROM generate_series(1, 20000) g; ANALYZE big;"
                   "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")

    def read(self, name, attribute, pg_type):
        """The column next to a parallel scan."""
        self.fx.foreign_table("f", f"pk text, v {pg_type} OPTIONS (attribute '{attribute}')", scan_policy="allow",
                              on_mismatch="null", table_name=self.fx.remote("f"))
        sql = "SELECT (SELECT count(*) FROM big WHERE n > 0), array_agg(v::text ORDER BY pk) FROM f WHERE pk IS NOT NULL"
        self.assertIn("Gather", self.fx.explain(sql), name)
        [(count, values)] = self.fx.rows(sql)
        self.assertEqual(count, 20000)
        return sorted(value for value in values if value is not None)

    def test_domains(self):
        """Checking a domain's constraints needs no subtransaction."""
        self.assertEqual(self.read("domain", "n", "small"), sorted(str(n) for n in range(1, 20, 2)))
        self.assertEqual(self.read("domain over it", "n", "smaller"), sorted(str(n) for n in range(1, 10, 2)))

    def test_changed_domain(self):
        """A constraint that is added applies at once."""
        self.fx.execute("CREATE DOMAIN changing AS integer CHECK (VALUE > 3)")
        self.assertEqual(len(self.read("before", "n", "changing")), 26)
        self.fx.execute("ALTER DOMAIN changing ADD CONSTRAINT more CHECK (VALUE < 10)")
        self.assertEqual(len(self.fx.rows("SELECT v FROM f WHERE v > 0")), 6)

    def test_columns_that_templates_check(self):
        """A key is compared with a value that its type rejects, though the column is not read."""
        self.fx.put("f", [{"pk": "N#00007", "n": "abc"}])
        self.fx.foreign_table("f", "n numeric OPTIONS (attribute 'n', format 'string')", scan_policy="allow", table_name=self.fx.remote("f"),
                              key_templates='{"pk": "N#${n:padded(5)}"}')
        self.assertEqual(self.fx.rows("SELECT (SELECT count(*) FROM big WHERE n > 0), count(*) FROM f"), [(20000, 1)])

    def test_input_functions(self):
        """Nor do types with an input function fail, whatever the server has for them."""
        self.assertEqual(self.read("inet", "s", "inet"), ["192.168.0.1/32"] * 10)
        self.assertEqual(self.read("enum", "s", "letter"), ["a"] * 10)

    def test_function_in_parallel_mode(self):
        """A function that is wrongly declared PARALLEL SAFE fails if a value would become NULL, with a reason."""
        self.read("inet", "s", "inet")
        self.fx.execute("CREATE FUNCTION addresses(key text) RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS"
                        " 'BEGIN RETURN (SELECT count(v) FROM f WHERE pk = key); END'")
        sql = "SELECT addresses('{}'), count(*) FROM big WHERE n > 0"
        self.assertIn("Gather", self.fx.explain(sql.format("p0")))
        self.assertEqual(self.fx.rows(sql.format("p0")), [(1, 20000)])
        if self.fx.conn.server_version >= 160000:
            self.assertEqual(self.fx.rows(sql.format("p1")), [(0, 20000)])
        else:
            failure = self.fx.error(sql.format("p1"))
            self.assertEqual(failure[:2], ("0A000", "cannot skip a value that its type rejects during a parallel operation"))
            self.assertIn("PARALLEL UNSAFE", failure.hint)

    def test_input_functions_of_extensions(self):
        """They may raise errors of any kind, also where PostgreSQL's own types return them."""
        with tempfile.TemporaryDirectory(prefix="dynamo_fdw-hard.") as directory:
            os.chmod(directory, 0o755)      # the server is another user
            library = os.path.join(directory, "hard.so")
            include = subprocess.run([PG_CONFIG, "--includedir-server"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
            subprocess.run(["gcc", "-shared", "-fPIC", "-I", include, "-x", "c", "-", "-o", library], check=True, input=HARD, text=True)
            self.fx.execute(f"CREATE TYPE hard; CREATE FUNCTION hard_in(cstring) RETURNS hard LANGUAGE C STRICT IMMUTABLE AS '{library}';"
                            "CREATE FUNCTION hard_out(hard) RETURNS cstring LANGUAGE internal STRICT IMMUTABLE AS 'textout';"
                            "CREATE TYPE hard (INPUT = hard_in, OUTPUT = hard_out, LIKE = text)")
            texts = ["+"] + ["-" + state for state in ("22P02", "23514", "42601", "54000", "XX000")]
            raised = ["-" + state for state in ("25006", "42501", "53200", "54001", "57014", "58030", "XX001")]
            self.fx.create_table("h", ("pk", "S"))
            self.fx.dynamo.put_raw(self.fx.remote("h"), [{"pk": {"S": text}, "v": {"S": text}, "l": {"L": [{"S": text}]}} for text in texts + raised])
            for options, rows in (("on_mismatch 'null'", [("+", "+", "{+}")] + [(text, None, None) for text in texts[1:]]), ("on_mismatch 'error'", None)):
                self.fx.execute(f"DROP FOREIGN TABLE IF EXISTS h; CREATE FOREIGN TABLE h (pk text, v hard, l hard[]) SERVER ddb OPTIONS (table_name '{self.fx.remote('h')}', scan_policy 'allow', {options})")
                if rows:
                    self.assertEqual(sorted(self.fx.rows("SELECT pk, v::text, l::text FROM h WHERE pk = ANY (%s)", (texts,))), rows)
                    for text in raised:
                        self.assertEqual(self.fx.error(f"SELECT v FROM h WHERE pk = '{text}'").sqlstate, text[1:])
                else:
                    self.assertEqual(self.fx.error("SELECT pk, v FROM h WHERE pk = '-22P02'").sqlstate, "22P02")
            self.fx.execute("DROP FOREIGN TABLE h; DROP TYPE hard CASCADE")

    def test_check_that_fails(self):
        """An error raised by a CHECK expression is raised."""
        self.fx.foreign_table("f", "pk text, v picky OPTIONS (attribute 's')", scan_policy="allow", on_mismatch="null",
                              table_name=self.fx.remote("f"))
        self.assertEqual(self.fx.error("SELECT v FROM f").sqlstate, "22P02")
