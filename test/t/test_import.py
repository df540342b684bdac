"""IMPORT FOREIGN SCHEMA: which tables, their columns, what is read for them, and what is reported."""
import json
import random
import re
from collections import Counter

import fixture
import replies
from dynamo import index, item
from processes import WITHOUT_SANITIZERS

COLUMNS = """
SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || quote_ident(c.collname) ELSE '' END
       || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
       || CASE WHEN a.attfdwoptions IS NULL THEN '' ELSE ' ' || array_to_string(a.attfdwoptions, ' ') END
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation c ON c.oid = a.attcollation
 WHERE a.attrelid = %s::regclass AND a.attnum > 0 ORDER BY a.attnum"""

OPTIONS = """
SELECT option_name, option_value FROM information_schema.foreign_table_options
 WHERE foreign_table_schema = %s AND foreign_table_name = %s"""


class Case(fixture.TestCase):
    """Imports into the schema "imported", which every test finds empty."""

    server = "fake"

    def setUp(self):
        self.fx.execute("RESET ALL; SET client_encoding = 'UTF8'; SET client_min_messages = warning; DROP SCHEMA IF EXISTS imported CASCADE; CREATE SCHEMA imported; SET client_min_messages = notice")

    def run_import(self, which="", **options):
        """Import; the notices, without those of the schema."""
        return self.fx.notices(f"IMPORT FOREIGN SCHEMA whatever {which} FROM SERVER {self.server} INTO imported "
                               + fixture.options_clause(options))

    def fails(self, which="", **options):
        """The error of an import."""
        return self.fx.error(f"IMPORT FOREIGN SCHEMA whatever {which} FROM SERVER {self.server} INTO imported "
                             + fixture.options_clause(options))

    def tables(self):
        """The tables imported."""
        return [name for (name,) in self.fx.rows("SELECT foreign_table_name FROM information_schema.foreign_tables "
                                                 "WHERE foreign_table_schema = 'imported' ORDER BY foreign_table_name COLLATE \"C\"")]

    def columns(self, table):
        """The columns of one, as text."""
        return [text for (text,) in self.fx.rows(COLUMNS, (f'imported."{table}"',))]

    def options(self, table):
        """The options of one."""
        return dict(self.fx.rows(OPTIONS, ("imported", table)))


class Local(Case):
    """Tables of DynamoDB Local whose names begin with the database's."""

    server = "mine"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.server("mine", cls.fx.proxy.endpoint, table_prefix=f"{cls.fx.database}.", scan_policy="allow")
        cls.fx.create_table("everything", ("pk", "S"), ("sk", "N"), [
            index("local", ("pk", "S"), ("bin", "B"), local=True), index("global", ("who", "S"), ("n", "N"))])
        cls.items = [{"pk": "a", "sk": n, "s": "x", "n": n, "b": b"\x00", "yes": True, "strings": {"x", "y"}, "numbers": {1, 2},
                      "binaries": {b"a"}, "list": [1, "x"], "map": {"a": {"b": 1}}, "nothing": None, "mixed": ["x", 1][n % 2],
                      "sometimes": [None, 5][n % 2], "sets": [{"x"}, ["x"]][n % 2], "bin": b"b", "who": "w"} for n in range(6)]
        cls.items.append({"pk": "bare", "sk": 1})
        cls.fx.put("everything", cls.items)
        cls.fx.create_table("empty", ("id", "B"))

    def test_types(self):
        """Keys first; the others in the order of their names, with types that follow from DynamoDB's. Sets are written as sets."""
        notices = self.run_import()
        self.assertEqual(self.tables(), ["empty", "everything"])
        self.assertEqual(self.columns("empty"), ["id bytea NOT NULL"])
        self.assertEqual(self.columns("everything"), [
            "pk text COLLATE \"C\" NOT NULL", "sk numeric NOT NULL", "bin bytea", "who text COLLATE \"C\"", "n numeric",
            "b bytea", "binaries bytea[] format=set", "list jsonb", "map jsonb", "mixed jsonb", "nothing jsonb", "numbers numeric[] format=set", "s text", "sets jsonb",
            "sometimes numeric", "strings text[] format=set", "yes boolean"])
        self.assertEqual(self.options("everything"), {"table_name": "everything"})
        remote = self.fx.remote("everything")
        self.assertIn(f'NOTICE:  imported DynamoDB table "{remote}" as foreign table "everything"\n'
                      "DETAIL:  The columns are the keys, and the attributes of 7 items. Of several types, and jsonb: mixed, sets. "
                      "NULL only, and jsonb: nothing.", notices)
        self.assertIn(f'NOTICE:  imported DynamoDB table "{self.fx.remote("empty")}" as foreign table "empty"\n'
                      "DETAIL:  The columns are the keys, and the attributes of 0 items.", notices)

    def test_requests(self):
        """ListTables, then a DescribeTable and a Scan of each table."""
        self.fx.proxy.reset()
        self.run_import()
        requests = self.fx.proxy.requests
        # a page of ListTables has 100 tables, those of other tests among them
        self.assertEqual(Counter(request.operation for request in requests if request.operation != "ListTables"), {"DescribeTable": 2, "Scan": 2})
        for request in requests:
            if request.operation == "Scan":
                self.assertEqual(set(request.body), {"TableName", "Limit", "ReturnConsumedCapacity"})
                self.assertEqual(request.body["Limit"], 100)

    def test_rows(self):
        """What is imported gives the items, and uses keys and indexes."""
        self.run_import()
        self.fx.foreign_table("by_hand", "pk text, sk numeric, s text, n numeric, b bytea, yes boolean, strings jsonb, numbers jsonb, binaries jsonb, "
                              "list jsonb, map jsonb, nothing jsonb, mixed jsonb, sometimes numeric, sets jsonb, bin bytea, who text",
                              table_name=self.fx.remote("everything"))
        by_hand, imported = ([value for (value,) in self.fx.rows(f"SELECT to_jsonb(t) - 'binaries' FROM {table} t ORDER BY pk, sk")]
                             for table in ("by_hand", "imported.everything"))
        self.assertEqual(len(imported), 7)
        self.assertEqual(imported, by_hand)
        self.assertIn("Index: global", self.fx.explain("SELECT * FROM imported.everything WHERE who = 'w' AND n > 3"))
        self.assertEqual(self.fx.rows("SELECT sk FROM imported.everything WHERE pk = 'a' AND sk >= 4 ORDER BY sk DESC"), [(5,), (4,)])

    def test_without_sample(self):
        """OPTIONS (sample_items '0'): no Scan, the keys of tables and indexes."""
        self.fx.proxy.reset()
        notices = self.run_import(sample_items=0)
        self.assertEqual({request.operation for request in self.fx.proxy.requests}, {"ListTables", "DescribeTable"})
        self.assertEqual(self.columns("everything"), ["pk text COLLATE \"C\" NOT NULL", "sk numeric NOT NULL", "bin bytea", "who text COLLATE \"C\"", "n numeric"])
        self.assertIn("DETAIL:  The columns are the keys.", notices[0])

    def test_sample(self):
        """OPTIONS (sample_items '...'): one page of as many items."""
        self.fx.proxy.reset()
        self.assertIn("attributes of 3 items", "".join(self.run_import("LIMIT TO (everything)", sample_items=3)))
        [scan] = [request for request in self.fx.proxy.requests if request.operation == "Scan"]
        self.assertEqual(scan.body["Limit"], 3)

    def test_limit_to_and_except(self):
        """Tables that are not needed cost nothing."""
        for which, tables in (("LIMIT TO (everything, unknown)", ["everything"]), ("EXCEPT (everything)", ["empty"])):
            with self.subTest(which):
                self.setUp()
                self.fx.proxy.reset()
                self.run_import(which)
                self.assertEqual(self.tables(), tables)
                self.assertEqual({request.body["TableName"] for request in self.fx.proxy.requests if request.operation != "ListTables"},
                                 {self.fx.remote(table) for table in tables})
                self.assertEqual(len([request for request in self.fx.proxy.requests if request.operation != "ListTables"]), 2)

    def test_unknown_names(self):
        """What LIMIT TO names and nothing has is reported, with the closest name."""
        self.assertEqual(self.run_import("LIMIT TO (everythign, empty, zzz)")[1:], [
            f'WARNING:  table "{name}" in LIMIT TO was not found on server "mine"{hint}'
            for name, hint in (("everythign", '\nHINT:  Perhaps you meant "everything".'), ("zzz", ""))])
        self.assertEqual(self.tables(), ["empty"])
        self.assertEqual([notice for notice in self.run_import("EXCEPT (everything, empty, zzz)") if "WARNING" in notice], [])

    def test_any_search_path(self):
        """Types and collations are those of pg_catalog, whatever comes before it."""
        self.fx.execute("DROP SCHEMA IF EXISTS decoy CASCADE; CREATE SCHEMA decoy; CREATE DOMAIN decoy.text AS int; CREATE DOMAIN decoy.numeric AS int;"
                        "CREATE DOMAIN decoy.bytea AS int; CREATE DOMAIN decoy.jsonb AS int; CREATE DOMAIN decoy.bool AS int;"
                        "CREATE COLLATION decoy.\"C\" FROM \"POSIX\"; SET search_path = decoy, pg_catalog; SET quote_all_identifiers = on;"
                        "SET backslash_quote = off")
        self.addCleanup(self.fx.execute, "RESET ALL; DROP SCHEMA decoy CASCADE")
        if self.fx.conn.server_version < 190000:    # literals are always standard since then
            self.fx.execute("SET standard_conforming_strings = off; SET escape_string_warning = on")
        self.run_import()
        self.fx.execute("RESET ALL")
        self.assertEqual(self.columns("everything")[:7], ["pk text COLLATE \"C\" NOT NULL", "sk numeric NOT NULL", "bin bytea",
                                                          "who text COLLATE \"C\"", "n numeric", "b bytea", "binaries bytea[] format=set"])
        self.assertEqual(self.fx.value("SELECT n.nspname FROM pg_attribute a JOIN pg_collation c ON c.oid = attcollation JOIN pg_namespace n "
                                       "ON n.oid = collnamespace WHERE attrelid = 'imported.everything'::regclass AND attname = 'pk'"), "pg_catalog")

    def test_it_exists_already(self):
        """As for every wrapper."""
        self.run_import()
        self.assertEqual(self.fails().sqlstate, "42P07")

    def test_unknown_option(self):
        failure = self.fails(sampel=5)
        self.assertEqual(failure[:4], ("HV00D", 'invalid option "sampel"', None, 'Perhaps you meant the option "sample_items".'))
        for name, option in (("sample", "sample_items"), ("entity_tag", "entity_attribute"), ("entity", "entity_attribute")):     # names that users bring from elsewhere
            self.assertEqual(self.fails(**{name: "x"})[:4], ("HV00D", f'invalid option "{name}"', None, f'Perhaps you meant the option "{option}".'))
        self.assertEqual(self.fails(max_attempts=5)[:4], ("HV00D", 'invalid option "max_attempts"', None,
                                                              'The option "max_attempts" belongs to a server.'))
        self.assertEqual(self.fx.error("ALTER SERVER mine OPTIONS (ADD sample_items '5')").hint, 'The option "sample_items" belongs to an import of a foreign schema.')

    def test_bad_options(self):
        for value in ("-1", "10001", "many", ""):
            self.assertEqual(self.fails(sample_items=value)[:4], ("22023", f'invalid value for option "sample_items": "{value}"', None,
                                                            "The value must be an integer from 0 to 10000."))
        self.assertEqual(self.fails(entity_attribute="").hint, "The value must not be empty.")
        twice = self.fx.error("IMPORT FOREIGN SCHEMA x FROM SERVER mine INTO imported OPTIONS (sample_items '5', sample_items '7')")
        self.assertEqual(twice[:2], ("42710", 'option "sample_items" provided more than once'))

    def test_policy(self):
        """scan_policy 'error' is refused before a request, keys alone are imported; 'warn' does not warn of samples."""
        for setting, undo in (("ALTER SERVER mine OPTIONS (SET scan_policy 'error')", "ALTER SERVER mine OPTIONS (SET scan_policy 'allow')"),
                              ("SET dynamo_fdw.scan_policy = error", "RESET dynamo_fdw.scan_policy")):
            with self.subTest(setting):
                self.fx.execute(setting)
                self.fx.proxy.reset()
                try:
                    self.assertEqual(self.fails()[:4], ("55000", 'reading items of all tables of server "mine" is disabled by scan_policy "error"', 'The scan_policy is "error".',
                                                        "Use OPTIONS (sample_items '0') to import only the keys, or set scan_policy to \"warn\" or \"allow\"."))
                    self.assertEqual(self.fx.proxy.requests, [])
                    self.run_import("LIMIT TO (empty)", sample_items=0)
                finally:
                    self.fx.execute(undo)
                self.setUp()
        self.fx.execute("SET dynamo_fdw.scan_policy = warn")
        self.assertNotIn("WARNING", "".join(self.run_import()))

    def test_new_keys(self):
        """A second import after a table was recreated sees its new key, though the description is cached."""
        self.fx.create_table("changing", ("old", "S"))
        self.run_import("LIMIT TO (changing)")
        self.fx.create_table("changing", ("new", "N"))
        self.fx.execute("DROP FOREIGN TABLE imported.changing")
        self.run_import("LIMIT TO (changing)")
        self.assertEqual(self.columns("changing"), ["new numeric NOT NULL"])
        self.fx.dynamo.drop_table(self.fx.remote("changing"))


class Entities(Case):
    """One table with several kinds of items."""

    server = "mine"

    ITEMS = [{"pk": "u1", "_et": "user", "name": "x"}, {"pk": "u2", "_et": "user", "name": "y", "age": 5},
             {"pk": "o1", "_et": "Order #1", "total": 5}, {"pk": "n1", "_et": 7, "seven": True}, {"pk": "t", "_et": True, "flag": "x"},
             {"pk": "q", "_et": "it's \"q\\", "name": 3}, {"pk": "r1", "rest": "x"}, {"pk": "r2", "_et": None, "rest": "y"}]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.server("mine", cls.fx.proxy.endpoint, table_prefix=f"{cls.fx.database}.", scan_policy="allow")
        cls.fx.create_table("app", ("pk", "S"), indexes=[index("by_name", ("gsi", "S"))])
        cls.fx.put("app", cls.ITEMS)
        cls.fx.create_table("tagged", ("_et", "S"), ("n", "N"))
        cls.fx.put("tagged", [{"_et": "a", "n": 1}, {"_et": "b", "n": 2}])
        cls.fx.create_table("plain", ("pk", "S"))
        cls.fx.put("plain", [{"pk": "x", "v": 1, "Kind": "k", "none": None}])

    NAMES = ["app", "app_7", "app_Order #1", "app_it's \"q\\", "app_true", "app_user"]

    def test_tables(self):
        """One table for each value, and one for the items without; each item is in one of them."""
        notices = self.run_import("LIMIT TO (app)", entity_attribute="_et")
        self.assertEqual(self.tables(), self.NAMES)
        self.assertEqual(self.columns("app_user"), ["pk text COLLATE \"C\" NOT NULL", "gsi text COLLATE \"C\"", "_et text", "age numeric", "name text"])
        self.assertEqual(self.columns("app_Order #1"), ["pk text COLLATE \"C\" NOT NULL", "gsi text COLLATE \"C\"", "_et text", "total numeric"])
        self.assertEqual(self.columns("app_7"), ["pk text COLLATE \"C\" NOT NULL", "gsi text COLLATE \"C\"", "_et numeric", "seven boolean"])
        self.assertEqual(self.columns("app"), ["pk text COLLATE \"C\" NOT NULL", "gsi text COLLATE \"C\"", "_et jsonb", "rest text"])
        self.assertEqual(self.options("app_user"), {"table_name": "app", "item_filter": '{"_et": "user"}'})
        self.assertEqual(self.options("app"), {"table_name": "app", "item_filter": '{"_et": null}'})
        self.assertEqual(self.options("app_7"), {"table_name": "app", "item_filter": '{"_et": 7}'})
        keys = {name: {pk for (pk,) in self.fx.rows('SELECT pk FROM imported."' + name.replace('"', '""') + '"')} for name in self.NAMES}
        self.assertEqual(keys, {"app": {"r1", "r2"}, "app_7": {"n1"}, "app_Order #1": {"o1"}, "app_it's \"q\\": {"q"}, "app_true": {"t"},
                                "app_user": {"u1", "u2"}})
        self.assertIn(f'NOTICE:  imported DynamoDB table "{self.fx.remote("app")}" as foreign table "app_user"\n'
                      'DETAIL:  The columns are the keys, and the attributes of 2 items with {"_et": "user"}.', notices)

    def test_unknown_entities(self):
        """LIMIT TO may name tables and entities; others are reported."""
        notices = self.run_import('LIMIT TO (app_user, app_usr, "app_Order #1")', entity_attribute="_et")
        self.assertEqual(self.tables(), ["app_Order #1", "app_user"])
        self.assertEqual([notice for notice in notices if notice.startswith("WARNING")], [
            'WARNING:  table "app_usr" in LIMIT TO was not found on server "mine"\nDETAIL:  Server "mine" has no table with this name, and no item of the samples'
            ' has this value in attribute "_et".\nHINT:  Perhaps you meant "app_user".'])

    def test_one_sample(self):
        """Entities share the requests of their table."""
        self.fx.proxy.reset()
        self.run_import("LIMIT TO (app)", entity_attribute="_et")
        self.assertEqual([request.operation for request in self.fx.proxy.requests if request.operation != "ListTables"], ["DescribeTable", "Scan"])

    def test_one_entity(self):
        """LIMIT TO with the name of an entity; EXCEPT with it, or with that of the entire table."""
        for which, tables in (("LIMIT TO (app_user)", ["app_user"]), ("LIMIT TO (app_user, plain)", ["app_user", "plain"]),
                              ("EXCEPT (app_user, plain, tagged)", [name for name in self.NAMES if name != "app_user"]),
                              ("EXCEPT (app)", ["plain", "tagged_a", "tagged_b"])):
            with self.subTest(which):
                self.setUp()
                notices = self.run_import(which, entity_attribute="_et")
                self.assertEqual(self.tables(), tables)
                self.assertEqual(len([notice for notice in notices if " has a value in " not in notice]), len(tables))

    def test_table_named_like_an_entity(self):
        """The entities of a table that LIMIT TO names do not make another table wanted whose name begins one of theirs."""
        self.fx.create_table("tagged_a", ("pk", "S"))
        self.addCleanup(self.fx.dynamo.drop_table, self.fx.remote("tagged_a"))
        self.fx.put("tagged", [{"_et": "a_b", "n": 3}])
        self.addCleanup(self.fx.dynamo.call, "DeleteItem", {"TableName": self.fx.remote("tagged"), "Key": item({"_et": "a_b", "n": 3})})
        self.fx.proxy.reset()
        self.run_import("LIMIT TO (tagged)", entity_attribute="_et")
        self.assertEqual([request.operation for request in self.fx.proxy.requests if request.operation != "ListTables"], ["DescribeTable", "Scan"])
        self.assertIn("tagged_a_b", self.tables())

    def test_tag_in_the_key(self):
        """There is no table of the rest: no item lacks a key."""
        self.run_import("LIMIT TO (tagged)", entity_attribute="_et")
        self.assertEqual(self.tables(), ["tagged_a", "tagged_b"])
        [request] = self.fx.requests("SELECT * FROM imported.tagged_b")
        self.assertEqual(request.operation, "Query")

    def test_no_such_tag(self):
        """Without the tag in any item, the table is one."""
        message = f'NOTICE:  no sampled item of DynamoDB table "{self.fx.remote("plain")}" has a value in attribute '
        for tag, hint in (("_et", None), ("KIND", "Kind"), ("kinds", "Kind"), ("Pk", "pk"), ("none", None)):
            with self.subTest(tag):
                self.setUp()
                notices = self.run_import("LIMIT TO (plain)", entity_attribute=tag)
                self.assertEqual(notices[0], f'{message}"{tag}"' + (f'\nHINT:  Perhaps you meant the attribute "{hint}".' if hint else ""))
                self.assertEqual(len(notices), 2)
                self.assertEqual(self.options("plain"), {"table_name": "plain"})
        self.setUp()
        self.assertEqual(len(self.run_import("LIMIT TO (plain)", entity_attribute="_et", sample_items=0)), 1)

    def test_no_tag(self):
        """Without entity_attribute, the table is one."""
        self.run_import("LIMIT TO (app)")
        self.assertEqual(self.tables(), ["app"])
        self.assertEqual(self.fx.value("SELECT count(*) FROM imported.app"), 8)


class Scripted(Case):
    """What DynamoDB Local does not do."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=1)

    def setUp(self):
        super().setUp()
        self.fake.reset(scripts=True)
        self.fake.tables.clear()

    def peak(self):
        """The backend's peak memory in MB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024

    def test_odd_names(self):
        """Attributes whose names are too long, reserved, or in need of quotes."""
        long = "n" * 70
        self.fake.table("T.1-x", items=[item({
            "pk": "a", "Select": 1, "select": 2, "with \"quotes\"": 3, "it's": 4, "back\\slash": 5, "a.b": 6, "#": 7, "ctid": 8, "tableoid": 9,
            long + "a": 10, long + "b": 11, "é" * 40: 12, "ü": 13})])
        self.run_import()
        self.assertEqual(self.tables(), ["T.1-x"])
        names = dict(self.fx.rows("SELECT DISTINCT coalesce((SELECT option_value FROM pg_options_to_table(attfdwoptions)), attname::text), attname::text "
                                  "FROM pg_attribute WHERE attrelid = 'imported.\"T.1-x\"'::regclass AND attnum > 0"))
        self.assertEqual({attribute for attribute, name in names.items() if attribute == name},
                         {"pk", "Select", "select", "with \"quotes\"", "it's", "back\\slash", "a.b", "#", "ü"})
        self.assertEqual(names["é" * 40], "é" * 31)     # as PostgreSQL truncates it
        self.assertRegex(names["ctid"], r"^ctid_[0-9a-f]{8}$")
        self.assertRegex(names[long + "a"], r"^n{54}_[0-9a-f]{8}$")
        self.assertNotEqual(names[long + "a"], names[long + "b"])
        row = self.fx.value("SELECT to_jsonb(t) FROM imported.\"T.1-x\" t WHERE pk = 'a'")
        self.assertEqual({attribute: row[name] for attribute, name in names.items()}["it's"], 4)
        for attribute, value in (("ctid", 8), (long + "a", 10), (long + "b", 11), ("é" * 40, 12)):
            self.assertEqual(row[names[attribute]], value)

    def test_attributes_without_a_column(self):
        """A name with U+0000 is left out, and reported."""
        self.fake.table("t", items=[{"pk": {"S": "a"}, "x\0y": {"S": "z"}, "v": {"S": "w"}}])
        self.assertIn("Attributes that no column can have: (a name with U+0000).", "".join(self.run_import()))
        self.assertEqual(self.columns("t"), ["pk text COLLATE \"C\" NOT NULL", "v text"])
        self.assertEqual(self.fx.rows("SELECT * FROM imported.t WHERE pk = 'a'"), [("a", "w")])

    def test_long_attribute_name(self):
        """So is a name that is too long for the catalog; one of 4 kB is not."""
        longest = "".join(f"{n:08x}" for n in random.Random(1).choices(range(1 << 32), k=512))
        for name in (longest, longest + "x", longest * 15):
            self.setUp()
            self.fake.table("t", items=[{"pk": {"S": "a"}, name: {"S": "z"}, "v": {"S": "w"}}])
            notices = "".join(self.run_import())
            self.assertEqual("Attributes that no column can have: (a name of more than 4 kB)." in notices, name != longest)
            self.assertEqual(len(self.columns("t")), 3 if name == longest else 2)

    def test_very_many_attributes(self):
        """A table has at most 1600 columns."""
        self.fake.table("t", items=[item({"pk": "a", **{f"a{n:04d}": n for n in range(2000)}})])
        notices = self.run_import()
        self.assertEqual(len(self.columns("t")), 1600)
        self.assertIn("Attributes that no column can have: a1599, a1600,", "".join(notices))

    def test_index_key_of_other_types(self):
        """An item that is not in the index, since its attribute has another type: the column takes both."""
        self.fake.table("t", indexes=[fixture_index("g", ("g", "S"))], items=[item({"pk": "a", "g": 5}), item({"pk": "b", "g": "x"})])
        self.run_import()
        self.assertEqual(self.columns("t"), ["pk text COLLATE \"C\" NOT NULL", "g jsonb"])

    def test_long_table_names(self):
        """Names as PostgreSQL truncates them, unless two tables would have the same."""
        alone, first, second, short = "x" * 100, "y" * 100 + "1", "y" * 100 + "2", "z" * 63
        for name in (alone, first, second, short):
            self.fake.table(name)
        self.run_import()
        names = {self.options(name)["table_name"]: name for name in self.tables()}
        self.assertEqual((names[alone], names[short]), ("x" * 63, short))
        self.assertRegex(names[first], r"^y{54}_[0-9a-f]{8}$")
        self.assertEqual(len(names), 4)
        self.setUp()
        self.fake.table(alone)
        self.fake.table(first)
        self.run_import(f"LIMIT TO ({alone})")
        self.assertEqual(self.tables(), ["x" * 63])

    def test_entities_of_the_same_name(self):
        """Names of entities are unique, too."""
        for name in ("a", "a_b"):
            self.fake.table(name, items=[item({"pk": "x", "e": "c"}), item({"pk": "y", "e": "b_c"})])
        self.fake.table("a_c", items=[item({"pk": "x"})])
        self.run_import(entity_attribute="e")
        tables = self.tables()
        self.assertEqual(len(tables), 5)
        self.assertEqual(len({json.dumps(self.options(table), sort_keys=True) for table in tables}), 5)
        self.assertEqual(self.options("a_c"), {"table_name": "a_c"})

    @WITHOUT_SANITIZERS
    def test_many_entities(self):
        """Their number, and long names, take no memory and time for each pair; here, the first foreign table exists already."""
        self.fake.table("t", items=[item({"pk": str(n), "e": f"{n:04d}" + "x" * 100}) for n in range(3000)])
        self.fx.execute(f"CREATE TABLE imported.{'t_0000' + 'x' * 57} (); SET client_min_messages = warning; SET statement_timeout = '20s'")
        before = self.peak()
        self.assertEqual(self.fails(entity_attribute="e", sample_items=10000).sqlstate, "42P07")
        self.assertLess(self.peak() - before, 60)

    def test_many_tables(self):
        """Two requests for each of 60 tables, listed on several pages, and whatever they are called."""
        names = [f"t{n:02d}" for n in range(60)]
        for name in names:
            self.fake.table(name, items=[item({"pk": "x", "v": name})])

        def page(request):
            start = names.index(request.body["ExclusiveStartTableName"]) + 1 if "ExclusiveStartTableName" in request.body else 0
            more = {"LastEvaluatedTableName": names[start + 24]} if start + 25 < len(names) else {}
            return {"TableNames": names[start:start + 25], **more}
        self.fake.on("ListTables", page)
        self.run_import()
        self.assertEqual(self.tables(), names)
        self.assertEqual(Counter(self.fake.operations()), {"ListTables": 3, "DescribeTable": 60, "Scan": 60})
        self.assertEqual(set(Counter((r.operation, r.body.get("TableName")) for r in self.fake.requests if r.operation != "ListTables").values()), {1})

    def test_one_page(self):
        """However long the table is, one page of it is read."""
        self.fake.table("t", items=[item({"pk": str(n), "v": n}) for n in range(500)], page_size=40)
        self.assertIn("attributes of 40 items", "".join(self.run_import()))
        self.assertEqual(self.fake.operations(), ["ListTables", "DescribeTable", "Scan"])

    def test_throttled(self):
        """A throttled Scan is sent again, and a warning reports one that was throttled for too long."""
        self.fake.table("t", items=[item({"pk": "x", "v": 1})])
        self.fake.on("Scan", [replies.throttle(), replies.throttle()])
        self.run_import()
        self.assertEqual(self.columns("t"), ["pk text COLLATE \"C\" NOT NULL", "v numeric"])
        self.setUp()
        self.fake.table("t", items=[item({"pk": "x", "v": 1})])
        self.fake.on("Scan", replies.throttle())
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD throttle_timeout '300')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP throttle_timeout)")
        self.assertIn('WARNING:  importing only the keys of DynamoDB table "t"\nDETAIL:  DynamoDB throttled reads of DynamoDB table "t"', "".join(self.run_import()))
        self.assertEqual(self.columns("t"), ["pk text COLLATE \"C\" NOT NULL"])

    def denied(self, operation):
        """The table "secret" may not be read; "open" may."""
        self.fake.table("open", items=[item({"pk": "x", "v": 1})])
        self.fake.table("secret", items=[item({"pk": "x", "v": 1})])
        self.fake.on(operation, lambda request: replies.error("AccessDeniedException", f"User is not authorized to perform dynamodb:{operation}")
                     if request.body["TableName"] == "secret" else None)

    def test_describe_is_denied(self):
        """The table is left out, unless it was named."""
        self.denied("DescribeTable")
        warnings = [notice for notice in self.run_import() if notice.startswith("WARNING")]
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], 'could not import DynamoDB table "secret"\n'
                                      'DETAIL:  DescribeTable of DynamoDB table "secret" failed: AccessDeniedException: User is not authorized'
                                      "[^\n]*\nHINT:  The IAM policy of the credentials must allow")
        self.assertEqual(self.tables(), ["open"])
        failure = self.fails("LIMIT TO (secret)")
        self.assertEqual((failure.sqlstate, failure.message), ("42501", 'DescribeTable of DynamoDB table "secret" failed'))

    def test_scan_is_denied(self):
        """The table has its keys."""
        self.denied("Scan")
        [warning] = [notice for notice in self.run_import() if notice.startswith("WARNING")]
        self.assertRegex(warning, 'importing only the keys of DynamoDB table "secret"\nDETAIL:  Scan of DynamoDB table "secret" failed: AccessDenied')
        self.assertEqual(self.columns("secret"), ["pk text COLLATE \"C\" NOT NULL"])
        self.assertEqual(self.columns("open"), ["pk text COLLATE \"C\" NOT NULL", "v numeric"])

    def test_gone(self):
        """A table that is deleted after it was listed, at either request, and one that is just being deleted."""
        for operation in ("DescribeTable", "Scan"):
            with self.subTest(operation):
                self.setUp()
                self.fake.table("here", items=[item({"pk": "x"})])
                self.fake.table("gone", items=[item({"pk": "x"})])
                self.fake.on(operation, lambda request: replies.error("ResourceNotFoundException", "Requested resource not found")
                             if request.body["TableName"] == "gone" else None)
                self.assertIn('WARNING:  could not import DynamoDB table "gone"', "".join(self.run_import()))
                self.assertEqual(self.tables(), ["here"])
        self.setUp()
        self.fake.table("going", status="DELETING", items=[item({"pk": "x"})])
        self.assertEqual(self.run_import(), ['NOTICE:  could not import DynamoDB table "going"\nDETAIL:  The table is being deleted.'])
        self.assertEqual(self.fake.operations(), ["ListTables", "DescribeTable"])

    def test_new(self):
        """A table that is being created cannot be read yet, and one that is archived not any more."""
        self.fake.table("coming", status="CREATING")
        for status in ("ARCHIVING", "ARCHIVED"):
            self.fake.table(status.lower(), status=status)
        self.fake.on("Scan", replies.error("ResourceInUseException", "Attempt to read a table that is not active"))
        self.run_import()
        self.assertEqual((self.tables(), self.fake.operations()), (["archived", "archiving", "coming"], ["ListTables"] + ["DescribeTable"] * 3))

    def test_other_errors_end_the_import(self):
        for operation in ("ListTables", "DescribeTable", "Scan"):
            with self.subTest(operation):
                self.setUp()
                self.fake.table("t", items=[item({"pk": "x"})])
                self.fake.on(operation, replies.error("InternalServerError", "sorry", 500))
                self.assertEqual(self.fails().sqlstate, "HV000")
                self.assertEqual(self.tables(), [])

    def test_cancel(self):
        """Waits end with the statement, although errors of single tables do not end it."""
        for operation in ("ListTables", "DescribeTable", "Scan"):
            with self.subTest(operation):
                self.setUp()
                self.fake.table("t", items=[item({"pk": "x"})])
                self.fake.on(operation, replies.hang_before_headers())
                self.fx.execute("SET statement_timeout = 300")
                self.assertEqual(self.fails().sqlstate, "57014")
        self.setUp()
        self.run_import()

    def test_bad_pages(self):
        """A response to another request is no sample."""
        for response in ({"Items": [{"pk": {"S": "x"}}]}, {"Count": 0, "ScannedCount": 0}, {"Items": [{"pk": {"X": "x"}}], "Count": 1, "ScannedCount": 1}, {"TableNames": []}):
            with self.subTest(response):
                self.setUp()
                self.fake.table("t")
                self.fake.on("Scan", response)
                self.assertEqual(self.fails().sqlstate, "HV00M")

    def test_limits_of_a_statement(self):
        """max_read_units_per_statement ends an import that would use more."""
        for n in range(10):
            self.fake.table(f"t{n}", items=[item({"pk": "x"})])
        self.fx.execute("SET dynamo_fdw.max_read_units_per_statement = 2")
        self.assertEqual(self.fails().sqlstate, "54000")
        self.assertLess(self.fake.operations().count("Scan"), 6)

    def test_names_of_tables_on_pages(self):
        """A table whose name is the prefix alone has no name left."""
        self.fake.table("app")
        self.fake.table("apple", items=[item({"pk": "x"})])
        self.fx.server("prefixed", self.fake.endpoint, table_prefix="app")
        self.fx.notices("IMPORT FOREIGN SCHEMA x FROM SERVER prefixed INTO imported")
        self.assertEqual(self.tables(), ["le"])
        self.assertEqual(self.fx.rows("SELECT * FROM imported.le WHERE pk = 'x'"), [("x",)])

    def test_roles(self):
        """The keys of the current user; USAGE of the server."""
        bob = f"{self.fx.database}_bob"
        self.fx.execute(f"CREATE ROLE {bob}; GRANT ALL ON SCHEMA imported TO {bob}; "
                        f"CREATE USER MAPPING FOR {bob} SERVER fake OPTIONS (access_key_id 'BOBSKEY', secret_access_key 'x')")
        self.addCleanup(self.fx.execute, f"RESET ROLE; DROP SCHEMA imported CASCADE; DROP OWNED BY {bob}; DROP ROLE {bob}")
        self.fake.table("t", items=[item({"pk": "x"})])
        self.fx.execute(f"SET ROLE {bob}")
        self.assertEqual(self.fails().message, "permission denied for foreign server fake")
        self.assertEqual(self.fake.requests, [])
        self.fx.execute(f"RESET ROLE; GRANT USAGE ON FOREIGN SERVER fake TO {bob}; SET ROLE {bob}")
        self.run_import()
        for request in self.fake.requests:
            self.assertIn("Credential=BOBSKEY/", request.headers["authorization"])
        self.assertEqual(self.fx.rows("SELECT * FROM imported.t WHERE pk = 'x'"), [("x",)])


class Encodings(Case):
    """A database that lacks characters."""

    @classmethod
    def setUpClass(cls):
        cls.fx = fixture.Fixture(cls.__name__, "LATIN1")
        cls.addClassCleanup(cls.fx.close)
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)

    def test_names(self):
        self.fake.table("t", items=[item({"pk": "x", "é": 1, "日": 2, "tag": "é"}), item({"pk": "y", "é": 3, "tag": "日"})])
        self.assertIn("Attributes that no column can have: ?.", "".join(self.run_import()))
        self.assertEqual(self.columns("t"), ["pk text COLLATE \"C\" NOT NULL", "tag text", "é numeric"])
        self.setUp()
        notices = self.run_import(entity_attribute="tag")
        self.assertEqual(self.tables(), ["t_é"])
        self.assertTrue(any(re.match('WARNING:  1 sampled item of DynamoDB table "t" does not belong to an imported table', n) for n in notices), notices)
        self.assertEqual(self.fx.rows("SELECT pk, \"é\" FROM imported.\"t_é\""), [("x", 1)])


def fixture_index(*arguments, **details):
    """An index of the scripted server."""
    from tables import index as scripted_index      # pylint: disable=import-outside-toplevel
    return scripted_index(*arguments, **details)
