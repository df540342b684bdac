"""Where columns of templates are read: other attributes, several texts, enumerations, old types."""
import json

import request_text
from dynamo import index

UUIDS = [f"{prefix}00000-0000-0000-0000-000000000000" for prefix in ("abb", "abc", "abd", "fff")]


class TemplateSources(request_text.RequestTestCase):
    """Rows, and some requests, of small tables."""

    def table(self, name, columns, templates, items, indexes=(), **options):
        """A DynamoDB table with the items, and its foreign table."""
        self.fx.create_table(name, ("pk", "S"), options.pop("range_key", None), indexes)
        self.fx.put(name, items)
        self.fx.foreign_table(name, columns, table_name=self.fx.remote(name), key_templates=json.dumps(templates), **options)

    def test_key_composed_from_another_text(self):
        """A column that is read from an index's key, and composed in the table's."""
        items = [{"pk": "user#a", "g": "U#a"}, {"pk": "user#b", "g": "U#x"}, {"pk": "user#c"}, {"pk": "user#d", "g": "nothing"}]
        self.table("others", "email text OPTIONS (attribute 'g')", {"pk": "user#${email}", "g": "U#${email}"}, items,
                   [index("by_g", ("g", "S"))])
        self.assertEqual(self.fx.error("SELECT email FROM others").sqlstate, "HV004")
        self.fx.execute("ALTER FOREIGN TABLE others OPTIONS (ADD on_mismatch 'null')")
        self.assertEqual(self.fx.rows("SELECT email FROM others"), [("a",)])
        self.assertEqual(self.texts("SELECT email FROM others WHERE email = 'a'"), ["GetItem others {pk 'user#a'} get g, pk"])
        self.assertEqual(self.fx.rows("SELECT email FROM others WHERE email = 'a'"), [("a",)])
        self.assertEqual(self.fx.rows("SELECT email FROM others WHERE email IN ('b', 'x', 'c')"), [])

    def test_index_without_what_must_agree(self):
        """An index that lacks an attribute which the table's key composes is followed by the items."""
        items = [{"pk": f"U#{name.lower()}", "id": name, "st": "a"} for name in ("Ann", "Bob")] + [{"pk": "U#cy", "id": "No", "st": "a"}]
        self.table("keys_only", "id text, st text NOT NULL", {"pk": "U#${id:lower}"}, items, [index("by_st", ("st", "S"), None, "KEYS_ONLY")])
        self.assertEqual(self.fx.rows("SELECT count(st) FROM keys_only WHERE st = 'a'"), [(2,)])

    def test_enumerations(self):
        """An item outside of an enumeration is a mismatch, whichever way it is met."""
        items = [{"pk": f"D#a#{n}", "v": n} for n in (0, 2, 7)]
        for name, policy in (("listed", "error"), ("listed_null", "null")):
            self.table(name, "dev text, shard int, v int", {"pk": "D#${dev}#${shard:0..3}"}, items, on_mismatch=policy)
        self.assertEqual(sorted(self.fx.rows("SELECT v FROM listed_null")), [(0,), (2,)])
        for sql in ("SELECT shard FROM listed", "SELECT v FROM listed", "SELECT count(*) FROM listed",
                    "SELECT v FROM listed WHERE dev = 'a' AND shard = 7"):
            self.assertIn("is not among those listed in its template", self.fx.error(sql).message)
        for name in ("listed", "listed_null"):
            self.assertEqual(self.texts(f"SELECT v FROM {name} WHERE dev = 'a'"),
                             ["BatchGetItem %s %s get pk, v" % (name, " ".join(f"{{pk 'D#a#{n}'}}" for n in range(4)))])
            self.assertEqual(sorted(self.fx.rows(f"SELECT v FROM {name} WHERE dev = 'a'")), [(0,), (2,)])
        self.assertEqual(self.fx.rows("SELECT v FROM listed_null WHERE dev = 'a' AND shard = 7"), [])

    def test_huge_enumerations(self):
        """Bounds at the ends of bigint do not overflow."""
        last = 9223372036854775807
        self.table("ends", "n bigint, v int", {"pk": f"E#${{n:{last - 7}..{last}}}"}, [{"pk": f"E#{last}", "v": 1}, {"pk": f"E#{last - 7}", "v": 2}])
        self.assertEqual(sorted(self.fx.rows("SELECT n - 9223372036854775800, v FROM ends")), [(0, 2), (7, 1)])
        self.table("wide", "n bigint, v int", {"pk": "E#${n:-5000000000000000000..5000000000000000000}"}, [{"pk": "E#-1", "v": 1}])
        self.assertEqual(self.fx.rows("SELECT n, v FROM wide"), [(-1, 1)])
        self.assertEqual(self.texts("SELECT n, v FROM wide"), ["Scan wide filter begins_with(pk,'E#') get pk, v"])

    def test_short_bounds(self):
        """A bound shorter than the part lies before all values that it begins."""
        self.table("uuids", "co text NOT NULL, id uuid NOT NULL", {"pk": "c#${co}", "sk": "i#${id}"},
                   [{"pk": "c#x", "sk": f"i#{text}"} for text in UUIDS], range_key=("sk", "S"))
        for operator in ("<", "<=", ">", ">="):
            for bound in ("abc", "ab", UUIDS[1], "abc0", "abcz", ""):
                sql = f"SELECT id::text FROM uuids WHERE co = 'x' AND id::text COLLATE \"C\" {operator} '{bound}'"
                right = [(text,) for text in UUIDS if {"<": text < bound, "<=": text <= bound, ">": text > bound, ">=": text >= bound}[operator]]
                with self.subTest(sql):
                    self.assertEqual(sorted(self.fx.rows(sql)), right)

    def test_long_bounds(self):
        """A bound longer than the part is greater than the value that it begins with, whatever follows the part."""
        for tail in ("#${k}", "${k}", "~${k}"):
            end = tail.replace("${k}", "5")
            self.table("longer", "co text NOT NULL, id uuid NOT NULL, k text NOT NULL" if tail != "${k}" else "co text NOT NULL, id uuid NOT NULL, k int NOT NULL",
                       {"pk": "c#${co}", "sk": "i#${id}" + tail}, [{"pk": "c#x", "sk": f"i#{text}{end}"} for text in UUIDS], range_key=("sk", "S"))
            for bound in (UUIDS[1] + "!", UUIDS[1] + "#", UUIDS[1] + "~~", UUIDS[0] + "\u00e9", UUIDS[-1] + " "):
                for operator in ("<", "<=", ">", ">="):
                    for condition in ("co = 'x' AND ", ""):
                        sql = f"SELECT id::text FROM longer WHERE {condition}id::text COLLATE \"C\" {operator} '{bound}'"
                        right = [(text,) for text in UUIDS if {"<": text < bound, "<=": text <= bound, ">": text > bound, ">=": text >= bound}[operator]]
                        with self.subTest(sql, tail=tail):
                            self.assertEqual(sorted(self.fx.rows(sql)), right)
            self.fx.execute("DROP FOREIGN TABLE longer")

    def test_other_attributes(self):
        """A text of another attribute is split by the values of the columns that are read elsewhere."""
        self.table("mixed", "id text, name text OPTIONS (attribute 'name'), code text OPTIONS (attribute 'g')",
                   {"pk": "I#${id}", "g": "${name}#${code:any}"},
                   [{"pk": "I#1", "name": "a#b", "g": "a#b#X"}, {"pk": "I#2", "name": "a", "g": "a#b#X"}, {"pk": "I#3", "name": "a"}])
        self.assertEqual(sorted(self.fx.rows("SELECT id, code FROM mixed")), [("1", "X"), ("2", "b#X"), ("3", None)])
        self.assertEqual(self.fx.rows("SELECT id FROM mixed WHERE code = 'X'"), [("1",)])
        self.assertEqual(self.fx.rows("SELECT code FROM mixed WHERE code = 'b#X'"), [("b#X",)])

    def test_rows_of_keys(self):
        """A list of rows is as many keys."""
        items = [{"pk": f"a#{n}", "sk": f"b#{n % 7}", "v": n} for n in range(40)]
        self.table("pairs", "a int NOT NULL, b int NOT NULL, v int", {"pk": "a#${a}", "sk": "b#${b}"}, items, range_key=("sk", "S"))
        rows = "(1, 1), (2, 2), (3, 4), (9, 2)"
        self.assertEqual(self.texts(f"SELECT v FROM pairs WHERE (a, b) IN ({rows})"),
                         ["BatchGetItem pairs {pk 'a#1', sk 'b#1'} {pk 'a#2', sk 'b#2'} {pk 'a#3', sk 'b#4'} {pk 'a#9', sk 'b#2'} get pk, sk, v"])
        self.assertEqual(sorted(self.fx.rows(f"SELECT v FROM pairs WHERE (a, b) IN ({rows})")), [(1,), (2,), (9,)])
        many = ", ".join(f"({n}, {n % 7})" for n in range(4000))
        self.assertEqual(self.fx.value(f"SELECT count(v) FROM pairs WHERE (a, b) IN ({many})"), 40)

    def test_types(self):
        """A number key is a number, and a text in an item older than the index is none."""
        self.table("numbers", "id text, n int OPTIONS (attribute 'g')", {"pk": "N#${id}", "g": "${n}"},
                   [{"pk": "N#1", "g": 5}, {"pk": "N#2", "g": "5"}], on_mismatch="null")
        self.assertEqual(sorted(self.fx.rows("SELECT id, n FROM numbers")), [("1", 5), ("2", 5)])
        self.fx.dynamo.add_index(self.fx.remote("numbers"), index("by_g", ("g", "N")))
        self.fx.execute("SELECT dynamo_fdw_disconnect_all()")
        self.assertEqual(sorted(self.fx.rows("SELECT id, n FROM numbers")), [("1", 5), ("2", None)])
        self.assertEqual(self.fx.rows("SELECT id FROM numbers WHERE n = 5"), [("1",)])
        self.assertEqual(self.texts("SELECT id FROM numbers WHERE n = 5"), ["Query numbers/by_g where g = 5 filter begins_with(pk,'N#') get g, pk"])

    def test_null_parts(self):
        """A part of the table's key is never NULL."""
        self.table("nulls", "a text, v int", {"pk": "a#${a}"}, [{"pk": "a#1", "v": 1}, {"pk": "b#1"}])
        self.assertEqual(self.texts("SELECT v FROM nulls WHERE a IS NULL"), [])
        self.assertEqual(self.fx.rows("SELECT v FROM nulls WHERE a IS NOT NULL"), [(1,)])
        self.assertEqual(self.fx.value("SELECT count(*) FROM nulls WHERE a IS NULL"), 0)

    def test_ambiguous_before_mismatch(self):
        """An ambiguous text is an error under on_mismatch 'null', too."""
        self.table("both_parts", "a text, n int", {"pk": "a#${a}", "sk": "n#${n}"}, [{"pk": "a#x#y", "sk": "n#old"}], on_mismatch="null",
                   range_key=("sk", "S"))
        self.assertIn("matches its template in several ways", self.fx.error("SELECT * FROM both_parts").message)

    def test_wrong(self):
        """Errors at the first use."""
        self.table("twice", "a text, v int", {"pk": "${a:any}#B/${a}"}, [])
        self.assertIn("occurs twice", self.fx.error("SELECT * FROM twice").detail)
        self.table("trusting", "a text", {"pk": "a#${a}"}, [], [index("gsi", ("g", "S"))], trusted_indexes="gsi1")
        failure = self.fx.error("SELECT * FROM trusting")
        self.assertIn('has no index "gsi1"', failure.message)
        self.assertEqual(failure.hint, 'Perhaps you meant "gsi".')

    def test_error_context(self):
        """The message names the column, and no context repeats it."""
        self.table("named", "id text, code int OPTIONS (attribute 'g'), at date OPTIONS (attribute 'h')", {"pk": "I#${id}", "g": "c#${code}"},
                   [{"pk": "I#1", "g": "other", "h": "2024-01-01"}])
        error = self.fx.error("SELECT at, code FROM named")
        self.assertIn('column "code"', error.message)
        self.assertIn('item pk = "I#1"', error.detail)
        self.assertIsNone(error.context)
        self.table("needed", "id text, v int NOT NULL", {"pk": "I#${id}"}, [{"pk": "I#1"}])
        self.assertIsNone(self.fx.error("SELECT v FROM needed").context)

    def test_other_texts_do_not_decide(self):
        """An item whose text of another attribute does not match is a row, as long as no column of it is read."""
        self.table("placed", "id text NOT NULL, total int, status text OPTIONS (attribute 'g') NOT NULL", {"pk": "o#${id}", "g": "STATUS#${status}"},
                   [{"pk": "o#1", "g": "STATUS#open", "total": 1}, {"pk": "o#2", "g": "OTHER#open", "total": 2}], [index("by_g", ("g", "S"))])
        self.assertEqual(self.fx.value("SELECT count(*) FROM placed"), 2)
        self.assertEqual(self.texts("SELECT total FROM placed"), ["Scan placed filter begins_with(pk,'o#') get pk, total"])
        self.assertEqual(self.fx.error("SELECT status FROM placed").sqlstate, "HV004")
        self.assertEqual(self.texts("SELECT total FROM placed WHERE status = 'open'"),
                         ["Query placed/by_g where g = 'STATUS#open' filter begins_with(pk,'o#') get g, pk, total"])
