"""Which items of a mapped table are rows, whatever their attributes are called and wherever a column is: every count, however it is requested, is the same."""
import itertools
import json
import time

import fixture
from dynamo import index, key_schema

# Sorts before and after each other, by length and by bytes; needs quoting; differs by case; has dots.
KEY_NAMES = (("pk", "sk"), ("sk", "pk"), ("partitionKey", "sortKey"), ("a", "Z"), ("PK", "pk"), ("x.y", "x"), ("key", "a key"))


class TestCase(fixture.TestCase):
    """One table at a time, under a name of its own."""

    number = itertools.count()

    def table(self, columns, templates, items, hash_key="pk", range_key="sk", indexes=(), **options):
        """The name of a foreign table over a new table with these items."""
        name = f"t{next(self.number)}"
        def typed(key):
            return key if isinstance(key, tuple) else (key, "S")
        self.fx.create_table(name, typed(hash_key), typed(range_key) if range_key else None, indexes)
        self.fx.put(name, items)
        self.over(name, name, columns, templates, **options)
        return name

    def over(self, name, remote, columns, templates, **options):
        options.setdefault("scan_policy", "allow")
        self.fx.foreign_table(name, columns, table_name=self.fx.remote(remote), key_templates=json.dumps(templates), **options)

    def rows(self, sql):
        return sorted(self.fx.rows(sql), key=repr)

    def assertMismatch(self, sql, column):
        error = self.fx.error(sql)
        self.assertEqual((error.sqlstate, error.message.split(" of ")[0]), ("HV004", f'cannot convert value in column "{column}"'), error)


class Names(TestCase):
    """The order of names, of JSON members and of columns decides nothing."""

    def test_a_column_that_is_null_elsewhere(self):
        """A part whose column is NULL has no text, whichever attribute is split first."""
        for first, second in KEY_NAMES:
            for templates in ({first: "T#${tenant}#${name:lower}", second: "META#${tenant}"}, {second: "META#${tenant}", first: "T#${tenant}#${name:lower}"}):
                with self.subTest(first, second=second, order=list(templates)):
                    items = [{first: f"T#{t}#{n}", second: f"META#{t}", **name}
                             for t, n, name in (("t1", "ann", {"nm": "Ann"}), ("t2", "bob", {}), ("t3", "eve", {"nm": None}))]
                    name = self.table("tenant text NOT NULL, name text OPTIONS (attribute 'nm')", templates, items, first, second)
                    self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(1,)])
                    self.assertEqual(self.rows(f"SELECT * FROM {name}"), [("t1", "Ann")])

    def test_a_source_in_the_sort_key(self):
        """The same where the sort key is what the column is read from."""
        for first, second in KEY_NAMES:
            with self.subTest(first, second=second):
                items = [{first: f"T#{t}", second: f"{t}#{n}", **name} for t, n, name in (("t1", "ann", {"nm": "ann"}), ("t2", "bob", {}), ("t3", "eve", {"nm": "Eve"}))]
                name = self.table(f"tenant text OPTIONS (attribute '{second}') NOT NULL, name text OPTIONS (attribute 'nm')",
                                  {first: "T#${tenant}", second: "${tenant}#${name}"}, items, first, second)
                self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(1,)])
                self.assertEqual(self.rows(f"SELECT tenant FROM {name} WHERE tenant = 't2'"), [])


class Occurrences(TestCase):
    """A column in several places whose value holds the separator."""

    def same(self, name, condition, expected, column="username"):
        """By key, by a Scan with a filter, and counted."""
        for sql in (f"SELECT {column} FROM {name} WHERE {condition}", f"SELECT {column} FROM (SELECT * FROM {name} OFFSET 0) x WHERE {condition}"):
            self.assertEqual(self.rows(sql), [(value,) for value in expected], sql)
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name} WHERE {condition}"), [(len(expected),)])

    def test_both_keys(self):
        """The other place decides what the part is."""
        users = [f"u{n}" for n in range(40)] + ["o#neil", "a#b#c"]
        for on_mismatch in ("error", "null"):
            for first, second in KEY_NAMES:
                items = [{first: f"CUSTOMER#{u}", second: f"CUSTOMER#{u}"} for u in users] + [{first: f"CUSTOMER#{u}", second: "ORDER#1"} for u in users]
                name = self.table("username text NOT NULL", {first: "CUSTOMER#${username}", second: "CUSTOMER#${username}"}, items, first, second, on_mismatch=on_mismatch)
                with self.subTest(first, second=second, on_mismatch=on_mismatch):
                    self.assertEqual(self.rows(f"SELECT count(*), count(DISTINCT username) FROM {name}"), [(42, 42)])
                    self.same(name, "username = 'o#neil'", ["o#neil"])
                    self.same(name, "username IN ('u1', 'a#b#c', 'none')", ["a#b#c", "u1"])
                    self.same(name, "username LIKE 'o#%'", ["o#neil"])
                    self.assertEqual([row for row in self.fx.rows("SELECT kind FROM dynamo_fdw_check_table(%s)", (name,)) if row[0] in ("ambiguous", "mismatch")], [])

    def test_no_value_matches(self):
        """A text that matches no value is a mismatch of the column that is read from it, and never silently another entity."""
        items = [{"pk": "CUSTOMER#o#neil", "sk": "CUSTOMER#bob"}, {"pk": "CUSTOMER#ann", "sk": "CUSTOMER#ann"}]
        templates = {"pk": "CUSTOMER#${username}", "sk": "CUSTOMER#${username}"}
        name = self.table("username text NOT NULL", templates, items)
        for sql in (f"SELECT count(*) FROM {name}", f"SELECT * FROM {name}"):
            self.assertMismatch(sql, "username")
        self.assertEqual(self.rows(f"SELECT * FROM {name} WHERE username = 'ann'"), [("ann",)])
        self.over("lenient", name, "username text NOT NULL", templates, on_mismatch="null")
        self.assertEqual(self.rows("SELECT * FROM lenient"), [("ann",)])
        self.assertIn(("mismatch",), self.fx.rows("SELECT kind FROM dynamo_fdw_check_table(%s)", (name,)))

    def test_decided_texts_disagree(self):
        """Where the column's own text is split in its one way, another value elsewhere is another entity."""
        items = [{"pk": "CUSTOMER#ann", "sk": "CUSTOMER#o#neil"}, {"pk": "CUSTOMER#ann", "sk": "CUSTOMER#bob"}]
        name = self.table("username text NOT NULL", {"pk": "CUSTOMER#${username}", "sk": "CUSTOMER#${username}"}, items)
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(0,)])

    def test_a_decided_text_next_to_an_undecided_one(self):
        """A text that matches in one way is split so, though it could be split otherwise if a part held what ends it."""
        templates = {"pk": "${x}#${y}|${z}", "sk": "C#${w}#${w}"}
        for first, second in KEY_NAMES:
            with self.subTest(first, second=second):
                items = [{first: "1#2#3|4", second: "C##n##n"}, {first: "5#6|7", second: "C#a#a"}]
                name = self.table("x text NOT NULL, y text NOT NULL, z text NOT NULL, w text NOT NULL", {first: templates["pk"], second: templates["sk"]}, items, first, second)
                self.assertEqual(self.rows(f"SELECT x, y, z, w FROM {name}"), [("1", "2#3", "4", "#n"), ("5", "6", "7", "a")])
                self.same(name, "y = '2#3' AND w = '#n'", ["#n"], "w")

    def test_one_place_only(self):
        """Without another place the text stays ambiguous, even if another column's is decided."""
        items = [{"pk": "T#x#y#z", "sk": "N#x"}]
        name = self.table("tenant text NOT NULL, name text NOT NULL", {"pk": "T#${tenant}#${name}", "sk": "N#${tenant}"}, items)
        for sql in (f"SELECT count(*) FROM {name}", f"SELECT * FROM {name} WHERE tenant = 'x'"):
            self.assertIn("matches its template in several ways", self.fx.error(sql).message)

    def test_three_places(self):
        """All places of a column decide, also a folded one and a second one in the same text."""
        users = ("ann", "O#Neil", "a.b", "x/y")
        for templates in ({"pk": "C#${u}#${u}", "sk": "D#${u}"}, {"pk": "C#${u}", "sk": "D#${u:lower}#${u}"}, {"pk": "C#${u}", "sk": "${u}#end"}):
            def make_key(template, u):
                return template.replace("${u:lower}", u.lower()).replace("${u}", u)
            items = [{"pk": make_key(templates["pk"], u), "sk": make_key(templates["sk"], u)} for u in users]
            name = self.table("u text NOT NULL", templates, items)
            with self.subTest(json.dumps(templates)):
                self.assertEqual(self.rows(f"SELECT u FROM {name}"), sorted((u,) for u in users))
                for u in users:
                    self.same(name, f"u = '{u}'", [u], "u")

    def test_twice_in_one_text(self):
        """The second place of a column ends where its value ends, whatever character is after it."""
        items = [{"pk": "a.b/a.b.c", "sk": "s"}, {"pk": "a/a.c", "sk": "s"}, {"pk": "a/b.c", "sk": "s"}]
        name = self.table("x text NOT NULL", {"pk": "${x}/${x}.c"}, items)
        self.assertEqual(self.rows(f"SELECT x FROM {name}"), [("a",), ("a.b",)])
        self.same(name, "x = 'a.b'", ["a.b"], "x")

    def test_each_is_read_from_the_other_key(self):
        """Two columns in both keys, each read from another one: the only matching values are taken."""
        for first, second in KEY_NAMES:
            items = [{first: "p|s#q", second: "q|p|s"}, {first: "a#b", second: "b|a"}, {first: "a#b", second: "a|b"}]
            name = self.table(f"x text NOT NULL, y text OPTIONS (attribute '{second}') NOT NULL", {first: "${x}#${y}", second: "${y}|${x}"}, items, first, second)
            with self.subTest(first, second=second):
                self.assertEqual(self.rows(f"SELECT x, y FROM {name}"), [("a", "b"), ("p|s", "q")])
                self.assertEqual(self.rows(f"SELECT x, y FROM {name} WHERE x = 'p|s' AND y = 'q'"), [("p|s", "q")])

    def test_read_from_an_index_key(self):
        """A column that is read from an index key, and is in the table's."""
        items = [{"pk": f"P#{n}", "sk": f"U#{u}", "gk": f"A#{u}"} for n, u in enumerate(("ann", "o#neil"))] + [{"pk": "P#9", "sk": "U#bob"}]
        name = self.table("n int NOT NULL, u text OPTIONS (attribute 'gk')", {"pk": "P#${n}", "sk": "U#${u}", "gk": "A#${u}"}, items)
        self.assertEqual(self.rows(f"SELECT n, u FROM {name}"), [(0, "ann"), (1, "o#neil")])
        self.same(name, "u = 'o#neil'", ["o#neil"], "u")

    def test_cycles_of_other_attributes(self):
        """Texts that are no keys and depend on each other give one value, whichever column is read, and in whatever order."""
        for first, second in (("gk", "hk"), ("hk", "gk"), ("z", "aa")):
            rows = [{"pk": "p", "sk": "s", first: "x#y#k", second: "y#k|x"}]
            for on_mismatch in ("error", "null"):
                name = self.table(f"pk text NOT NULL, g text OPTIONS (attribute '{first}'), h text OPTIONS (attribute '{second}'), r jsonb OPTIONS (document 'rest')",
                                  {first: "${g}#${h}", second: "${h}|${g}"}, rows, on_mismatch=on_mismatch)
                for sql, expected in (("SELECT g, h FROM {}", ("x", "y#k")), ("SELECT h, g FROM {}", ("y#k", "x")), ("SELECT count(*) FROM {} WHERE g = 'x'", (1,)),
                                      ("SELECT h FROM {} WHERE g = 'x'", ("y#k",)), ("SELECT count(*) FROM {} WHERE h IS NOT NULL AND g IS NOT NULL", (1,)),
                                      ("SELECT g FROM {} WHERE h = 'y#k'", ("x",)), ("SELECT r ? 'gk' OR r ? 'hk', h, g FROM {}", (False, "y#k", "x")),
                                      ("SELECT g, h, r ? 'gk' OR r ? 'hk' FROM {}", ("x", "y#k", False))):
                    with self.subTest(sql, first=first, on_mismatch=on_mismatch):
                        self.assertEqual(self.rows(sql.format(name)), [expected])
        name = self.table("pk text NOT NULL, g text OPTIONS (attribute 'gk'), h text OPTIONS (attribute 'hk')", {"gk": "${g}#${h}", "hk": "${h}#${g}"},
                          [{"pk": "p", "sk": "s", "gk": "x#y", "hk": "z#x"}], on_mismatch="null")
        for sql in ("SELECT g, h FROM {}", "SELECT h, g FROM {}"):
            self.assertEqual(self.rows(sql.format(name)), [(None, None)])
        self.assertEqual(self.rows(f"SELECT g FROM {name}"), [(None,)])

    def test_an_index_text_that_confirms(self):
        """The text of an index key, on which a key of the table depends, confirms a value or does not, whatever it is called."""
        templates = {"pk": "P#${u}", "sk": "S#${g}"}
        for attribute in ("gk", "zk", "a"):
            name = self.table(f"u text NOT NULL, g text OPTIONS (attribute '{attribute}') NOT NULL, v text OPTIONS (attribute '{attribute}') NOT NULL",
                              {**templates, attribute: "${u}#${g}#${v}"}, [{"pk": "P#a#x", "sk": "S#x", attribute: "a#x#x#b"}])
            self.assertEqual(self.rows(f"SELECT * FROM {name}"), [("a#x", "x", "b")], attribute)
            self.fx.put(name, [{"pk": "P#o#n", "sk": "S#x", attribute: "zzz#x#b"}])
            self.assertMismatch(f"SELECT count(*) FROM {name}", "u")

    def test_an_index_text_that_a_key_decides(self):
        """A key that matches the value as it is decides the text that the column is read from."""
        for sk in ("U|${u}", "U#${u}"):
            name = self.table("n int NOT NULL, u text OPTIONS (attribute 'gk')", {"pk": "P#${n}", "sk": sk, "gk": "A#${u}"},
                              [{"pk": "P#1", "sk": sk.replace("${u}", "o#neil"), "gk": "A#o#neil"}])
            self.assertEqual(self.rows(f"SELECT n, u FROM {name}"), [(1, "o#neil")], sk)

    def test_an_empty_value_next_to_it(self):
        """A column that is read elsewhere may be empty there."""
        items = [{"pk": "A#a|", "sk": "B#a", "u": ""}, {"pk": "A#b|c|k", "sk": "B#b|c", "u": "k"}, {"pk": "A#b|c|", "sk": "B#b|c", "u": ""}]
        name = self.table("v text NOT NULL, u text OPTIONS (attribute 'u')", {"pk": "A#${v}|${u}", "sk": "B#${v}"}, items)
        self.assertEqual(self.rows(f"SELECT v, u FROM {name}"), [("a", ""), ("b|c", ""), ("b|c", "k")])
        self.assertEqual(self.rows(f"SELECT v, u FROM {name} WHERE v = 'b|c' AND u = ''"), [("b|c", "")])

    def test_which_mismatch_counts(self):
        """One column's on_mismatch 'null' leaves the item out, whatever the keys are called."""
        for first, second in KEY_NAMES:
            for nulls in ("a", "b"):
                options = {c: " OPTIONS (on_mismatch 'null')" if c == nulls else "" for c in "ab"}
                with self.subTest(first, second=second, nulls=nulls):
                    name = self.table(f"a timestamptz{options['a']} NOT NULL, b timestamptz{options['b']} NOT NULL", {first: "A-${a:iso8601(0)}", second: "B-${b:iso8601(0)}"},
                                      [{first: "A-2024-01-01T10:00:00.1Z", second: "B-2024-01-01T10:00:00.1Z"}], first, second)
                    self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(0,)])
                    name = self.table(f"a text{options['a']} NOT NULL, b text{options['b']} NOT NULL", {first: "C#${a}", second: "${b}|e|${a}"},
                                      [{first: "C#o#n", second: "p|x|e|zz"}, {first: "C#q", second: "r|e|q"}], first, second)
                    self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(1,)])

    def test_children_of_entangled_times(self):
        """What is after a time makes another entity where texts share columns, too."""
        items = [{"pk": "C#x", "sk": "C-x-2024-01-01T10:00:00Z#child"}, {"pk": "C#x", "sk": "C-x-2024-01-01T10:00:00Z"}]
        name = self.table("u text NOT NULL, at timestamptz NOT NULL", {"pk": "C#${u}", "sk": "C-${u}-${at:iso8601(0)}"}, items)
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(1,)])

    def test_no_way_at_all(self):
        """However many ways a text has by itself, a text that excludes the item does."""
        name = self.table("a text NOT NULL, b text NOT NULL, c text NOT NULL, d text NOT NULL", {"pk": "${a}#${b}#${c}#${d}", "sk": "S|${d}|${b}"},
                          [{"pk": "#".join("x" * 40), "sk": "S|q|a"}], on_mismatch="null")
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(0,)])

    def test_unnested(self):
        """Elements of such an item are rows, too."""
        items = [{"pk": f"C#{u}", "sk": f"C#{u}", "tags": ["x", "y"]} for u in ("ann", "o#neil")]
        name = self.table("u text NOT NULL, tag text OPTIONS (path '@')", {"pk": "C#${u}", "sk": "C#${u}"}, items, unnest="tags")
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(4,)])
        self.assertEqual(self.rows(f"SELECT tag FROM {name} WHERE u = 'o#neil'"), [("x",), ("y",)])

    def test_many_ways(self):
        """A text with very many ways to split it is an error, and soon."""
        text = "#".join("abcdefghijklmnopqrstuvwxyz" * 8)
        names = "bcdefgh"
        name = self.table(", ".join(f"{c} text NOT NULL" for c in names), {"pk": "#".join(f"${{{c}}}" for c in names), "sk": "|".join(f"${{{c}}}" for c in names)},
                          [{"pk": text, "sk": "|".join(names)}])
        self.assertIn("matches its template in several ways", self.fx.error(f"SELECT count(*) FROM {name}").message)

    def test_merged_by_a_part(self):
        """Streams are merged in the order of a part after one that holds the separator."""
        items = [{"pk": f"P#{n % 3}", "sk": f"{kind}#{n:03}", "kind": kind, "v": n} for n, kind in enumerate(["a#b", "a", "z"] * 12)]
        name = self.table("p int NOT NULL, kind text OPTIONS (attribute 'kind') NOT NULL, n int NOT NULL, v int", {"pk": "P#${p}", "sk": "${kind:lower,any}#${n:padded(3)}"}, items)
        sql = f"SELECT n FROM {name} WHERE p IN (0, 1, 2) AND kind = 'a#b' ORDER BY n"
        self.assertEqual(self.fx.rows(sql), [(n,) for n in range(0, 36, 3)])
        sql = f"SELECT n FROM {name} WHERE p IN (0, 1, 2) AND kind IN ('a#b', 'a') ORDER BY n LIMIT 7"
        self.assertEqual(self.fx.rows(sql), [(n,) for n in (0, 1, 3, 4, 6, 7, 9)])

    def test_merged_after_a_part_with_the_separator(self):
        """Where another attribute decides which text holds the separator, one text's items lie among another's."""
        items = [{"pk": "T#1", "sk": "x#a", "g": "1#x"}, {"pk": "T#1", "sk": "x#y#0", "g": "1#x#y"}]
        name = self.table("c text OPTIONS (attribute 'g') NOT NULL, a text OPTIONS (attribute 'sk') COLLATE \"C\" NOT NULL, b text OPTIONS (attribute 'sk') COLLATE \"C\" NOT NULL",
                          {"pk": "T#${c}", "sk": "${a}#${b}", "g": "${c}#${a}"}, items)
        self.assertEqual(self.fx.rows(f"SELECT a, b FROM {name} WHERE c = '1' AND a IN ('x', 'x#y') ORDER BY b LIMIT 1"), [("x#y", "0")])


class Times(TestCase):
    """A time in a text ends where its format's characters end."""

    def placed(self, spec, texts, rest="", prefix="O#", extra=""):
        items = [{"pk": "c", "sk": prefix + text, "total": total} for total, text in enumerate(texts, 1)]
        return self.table(f"placed timestamptz NOT NULL{extra}, total int", {"sk": f"{prefix}${{placed:{spec}}}{rest}"}, items)

    def test_children_are_no_rows(self):
        """What is after a time, after its separator, makes another entity."""
        for spec, text in (("iso8601(0)", "2024-01-01T10:00:00Z"), ("iso8601(3)", "2024-01-01T10:00:00.000Z"), ("iso8601(0,)", "2024-01-01T10:00:00"),
                           ("pattern(YYYYMMDDHH24MISS)", "20240101100000"), ("pattern(DD.MM.YYYY)", "01.01.2024"), ("pattern(YYYY\"h\"MM)", "2024h01")):
            with self.subTest(spec):
                name = self.placed(spec, [text, text + "#ITEM#1", text + "#ITEM#2", text + "#"])
                self.assertEqual(self.rows(f"SELECT count(*), sum(total) FROM {name}"), [(1, 1)])
                self.assertEqual(len(self.rows(f"SELECT placed FROM {name}")), 1)

    def test_characters_that_no_time_has(self):
        """A time ends there, whatever the separator of the template is."""
        for spec, text in (("iso8601(2)", "2024-01-01T10:00:00.25Z"), ("pattern(YYYYMMDDHH24MISS)", "20240101100000"), ("pattern(YYYY\"h\"MM)", "2024h01")):
            for prefix in ("e/", "A-", "A-1/", ""):
                for suffix in ("#ITEM#1", "#", "|x"):
                    with self.subTest(spec, prefix=prefix, suffix=suffix):
                        name = self.placed(spec, [text, text + suffix], prefix=prefix)
                        self.assertEqual(self.rows(f"SELECT count(*), sum(total) FROM {name}"), [(1, 1)])
                        name = self.placed(spec, [text + "/y", text + suffix + "/y"], "/${id}", prefix=prefix, extra=", id text NOT NULL")
                        self.assertEqual(self.rows(f"SELECT id, total FROM {name}"), [("y", 1)])

    def test_another_width_is_a_mismatch(self):
        """A time in another form is never silently another entity."""
        for spec, rest, text in (("iso8601(0)", "#${id}", "2024-01-01T10:00:00.123Z#y"), ("iso8601(0)", "-${id}", "2024-01-01T10:00:00.123Z-y"),
                                 ("iso8601(0)", "${id:padded(3)}", "2024-01-01T10:00:00+01:00005"), ("iso8601(3)", "#${id}", "2024-01-01T10:00:00Z#y"),
                                 ("pattern(YYYY-MM-DD)", "-${id}", "2024-1/1-y"), ("pattern(YYYYMMDD)", "#${id}", "2024011#y"), ("iso8601(0)", "", "2024-01-01T10:00:00.123Z"),
                                 ("iso8601(0)", "", "2024-01-01T10:00:00Z-x")):
            with self.subTest(spec, text=text):
                extra = ", id int NOT NULL" if "padded" in rest else ", id text NOT NULL" if rest else ""
                name = self.placed(spec, [text], rest, extra=extra)
                for sql in (f"SELECT count(*) FROM {name}", f"SELECT placed FROM {name}"):
                    self.assertMismatch(sql, "placed")

    def test_before_a_hyphen(self):
        """A format that has the separator's character is split by its width; what follows it decides."""
        for spec, text in (("iso8601(0)", "2024-01-01T10:00:00Z"), ("pattern(YYYY-MM-DD)", "2024-01-01")):
            items = [text + "-7", text + "-8", text + "x", "META-1"]
            name = self.placed(spec, items, "-${n}", extra=", n int NOT NULL")
            with self.subTest(spec):
                self.assertEqual(self.rows(f"SELECT n, total FROM {name}"), [(7, 1), (8, 2)])

    def test_last_after_a_hyphen(self):
        """The last part does not take the rest only because of its width."""
        name = self.placed("iso8601(0)", ["2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z#child", "META"], prefix="A-")
        self.assertEqual(self.rows(f"SELECT count(*), sum(total) FROM {name}"), [(1, 1)])
        self.assertMismatch(f"SELECT count(*) FROM {self.placed('iso8601(0)', ['2024-01-01T10:00Z#child'], prefix='A-')}", "placed")


class Mismatches(TestCase):
    """A part of the table's own key that is no value of its column: an error of every statement that meets the item."""

    def test_count(self):
        """Whichever columns the statement names."""
        items = [{"pk": f"INV#{n}", "sk": "s", "total": total} for total, n in enumerate(("12", "12a", "007"), 1)]
        name = self.table("no int NOT NULL, total int", {"pk": "INV#${no}"}, items)
        for sql in ("SELECT count(*) FROM {}", "SELECT sum(total) FROM {}", "SELECT no FROM {}", "SELECT 1 FROM {} WHERE total > 1", "SELECT EXISTS (SELECT FROM {} WHERE total > 1)"):
            self.assertMismatch(sql.format(name), "no")
        self.assertEqual(self.rows(f"SELECT total FROM {name} WHERE no = 12"), [(1,)])
        self.over("null_no", name, "no int NOT NULL, total int", {"pk": "INV#${no}"}, on_mismatch="null")
        self.assertEqual(self.rows("SELECT count(*), sum(total) FROM null_no"), [(1, 1)])

    def test_leading_zeros(self):
        """The hint shows the format that accepts them, and what on_mismatch does with the item or the value."""
        name = self.table("line int, due date", {"sk": "ITEM#${line}"}, [{"pk": "a", "sk": "ITEM#001", "due": "DUE#2024-02-30"}])
        error = self.fx.error(f"SELECT line FROM {name}")
        self.assertEqual((error.message, error.hint), (
            f'cannot convert value in column "line" of foreign table "{name}": it has a leading zero',
            "Change the column type or the template. For numbers with leading zeros, write the number of digits in the template, such as ${line:padded(3)}. "
            'To skip such items, set on_mismatch to "null".'))
        self.over("padded", name, "line int, due date OPTIONS (attribute 'due')", {"sk": "ITEM#${line:padded(3)}", "due": "DUE#${due}"})
        self.assertEqual(self.rows("SELECT line FROM padded"), [(1,)])
        self.assertEqual(self.fx.error("SELECT due FROM padded").hint,
                         'Change the column type or the template. To read such values as NULL, set on_mismatch to "null".')

    def test_a_text_that_is_no_value(self):
        """A domain, a length, U+0000."""
        self.fx.execute("CREATE DOMAIN short AS text CHECK (length(value) < 4)")
        for kind, good, bad in (("short", "abc", "abcd"), ("varchar(3)", "abc", "abcd"), ("text", "abc", "a\0c")):
            name = self.table(f"x {kind} NOT NULL", {"pk": "X#${x}"}, [{"pk": "X#" + good, "sk": "s"}, {"pk": "X#" + bad, "sk": "s"}])
            with self.subTest(kind):
                self.assertMismatch(f"SELECT count(*) FROM {name}", "x")

    def test_a_constraint_that_raises(self):
        """The error names the item."""
        self.fx.execute("CREATE DOMAIN positive AS text CHECK (value::int > 0)")
        name = self.table("x positive NOT NULL", {"pk": "A#${x}"}, [{"pk": "A#no", "sk": "s"}])
        error = self.fx.error(f"SELECT count(*) FROM {name}")
        self.assertEqual(error.sqlstate, "22P02")
        self.assertIn(f'key of foreign table "{name}", item pk = "A#no", sk = "s"', error.context)

    def test_unlisted(self):
        """An enumeration of a column that is read elsewhere: on_mismatch 'null' leaves the item out."""
        items = [{"pk": "p", "sk": f"{kind}#{n}", "kind": kind, "v": n} for n, kind in enumerate("ABC")]
        templates = {"sk": "${kind:A|B}#${n}"}
        name = self.table("kind text OPTIONS (attribute 'kind') NOT NULL, n int NOT NULL, v int", templates, items)
        self.assertIn("is not among those listed in its template", self.fx.error(f"SELECT sum(v) FROM {name}").message)
        self.over("listed", name, "kind text OPTIONS (attribute 'kind', on_mismatch 'null') NOT NULL, n int NOT NULL, v int", templates)
        self.assertEqual(self.rows("SELECT kind, n FROM listed"), [("A", 0), ("B", 1)])
        self.assertEqual(self.rows("SELECT count(*), sum(v) FROM listed"), [(2, 1)])

    def test_what_is_no_number_is_in_no_range(self):
        """Whichever way it is met."""
        name = self.table("b int OPTIONS (attribute 'vb'), a int OPTIONS (attribute 'va')", {"pk": "A#${b:0..9}#${a:0..9}"}, [{"pk": "A#x#3", "sk": "s", "va": 3, "vb": "x"}])
        for sql in ("SELECT count(*) FROM {} WHERE a IN (-7, 3)", "SELECT count(*) FROM {} WHERE a = 3 OR a = -7"):
            self.assertIn("is not among those listed in its template", self.fx.error(sql.format(name)).message, sql)

    def test_an_index_key_outside_of_its_enumeration(self):
        """The members of an index key are requested: so an item outside of them is an error in all ways."""
        items = [{"pk": f"P#{n}", "sk": f"{n:02}", "sh": str(n % 3)} for n in range(40)] + [{"pk": "P#77", "sk": "77", "sh": "7"}]
        columns = "p text OPTIONS (attribute 'pk') NOT NULL, at text OPTIONS (attribute 'sk') COLLATE \"C\" NOT NULL, shard int OPTIONS (attribute 'sh') NOT NULL"
        name = self.table(columns, {"sh": "${shard:0..2}"}, items, indexes=[index("by_shard", ("sh", "S"), ("sk", "S"))], trusted_indexes="by_shard")
        self.over("consistent", name, columns, {"sh": "${shard:0..2}"}, trusted_indexes="by_shard", consistent_read="true")
        for sql in ("SELECT count(*) FROM {}", "SELECT p FROM {}", "SELECT count(shard) FROM {}", "SELECT max(at) FROM {}"):
            self.assertIn("is not among those listed in its template", self.fx.error(sql.format("consistent")).message)
        # requested member by member it is not met
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name} WHERE at >= '00' AND shard IN (0, 1, 2)"), [(40,)])
        self.assertIn("is not among those listed in its template", self.fx.error(f"SELECT * FROM {name} WHERE p = 'P#77'").message)

    def test_an_index_key_that_is_null_outside_of_its_enumeration(self):
        """With on_mismatch 'null' an item outside of the members is a row, of a range as well."""
        items = [{"pk": f"A#{n}", "g": f"S#{n}", "n": n} for n in (1, 3, 7)]
        columns = "id text NOT NULL, n int OPTIONS (attribute 'n', on_mismatch 'null')"
        name = self.table(columns, {"pk": "A#${id}", "g": "S#${n:0..3}"}, items, range_key=None, indexes=[index("by_shard", ("g", "S"))], trusted_indexes="by_shard")
        for condition, found in (("n = 7", [7]), ("n >= 1", [1, 3, 7]), ("n BETWEEN 2 AND 9", [3, 7]), ("n > 3", [7]), ("n BETWEEN -5 AND 1", [1])):
            self.assertEqual(self.rows(f"SELECT n FROM {name} WHERE {condition}"), [(n,) for n in found], condition)
            self.fx.execute("SET plan_cache_mode = force_generic_plan")
            self.fx.execute(f"PREPARE ranged AS SELECT n FROM {name} WHERE {condition}")
            self.assertEqual(self.rows("EXECUTE ranged"), [(n,) for n in found], condition)
            self.fx.execute("DEALLOCATE ranged; RESET plan_cache_mode")
        self.fx.execute(f"PREPARE ranged(int, int) AS SELECT n FROM {name} WHERE n BETWEEN $1 AND $2; SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "DEALLOCATE ranged; RESET plan_cache_mode")
        self.assertEqual(self.rows("EXECUTE ranged(2, 9)"), [(3,), (7,)])
        requests = self.fx.requests(f"SELECT n FROM {name} WHERE n BETWEEN 6 AND 8")
        self.assertEqual({r.operation for r in requests}, {"Query"})

    def test_a_value_of_another_type_elsewhere(self):
        """A column that is a mismatch where it is read does not decide whether there is a row."""
        items = [{"pk": "p", "sk": sk, "cart": 5} for sk in ("C#9", "C#9#", "C#x#y")]
        name = self.table("cart text OPTIONS (attribute 'cart') NOT NULL", {"sk": "C#${cart:lower}"}, items)
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(3,)])
        self.assertMismatch(f"SELECT cart FROM {name}", "cart")


class Indexes(TestCase):
    """What the key of an index implies about an item, and what it does not."""

    def test_a_literal_does_not_identify_rows(self):
        """An item whose index key does not begin with the template's literal is a row all the same."""
        items = [{"pk": "P#1", "h": "a", "gsk": "G#5"}, {"pk": "P#2", "h": "a", "gsk": "X#5"}]
        name = self.table("p text OPTIONS (attribute 'pk') NOT NULL, h text NOT NULL, g text OPTIONS (attribute 'gsk') NOT NULL", {"gsk": "G#${g}"}, items, range_key=None,
                          indexes=[index("by_h", ("h", "S"), ("gsk", "S"))])
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(2,)])
        self.assertEqual(self.rows(f"SELECT count(*) FROM {name} WHERE h = 'a'"), [(2,)])
        for sql in (f"SELECT max(g) FROM {name}", f"SELECT max(g) FROM {name} WHERE h = 'a'"):
            self.assertMismatch(sql, "g")

    def test_texts_that_are_too_long(self):
        """Items older than the index have longer texts than it can hold."""
        long = {"g": "x" * 1500, "k": "y" * 3000}
        items = [{"pk": "P#1", "h": "a", "gk": "G#" + long["g"], "hk": "K#" + long["k"]}, {"pk": "P#2", "h": "a", "gk": "G#s", "hk": "K#s"}]
        columns = "p text OPTIONS (attribute 'pk') NOT NULL, h text, g text OPTIONS (attribute 'gk') NOT NULL, k text OPTIONS (attribute 'hk') NOT NULL"
        name = self.table(columns, {"gk": "G#${g}", "hk": "K#${k}"}, items, range_key=None)
        remote, dynamo = self.fx.remote(name), self.fx.dynamo
        for index_name, keys in (("by_h", (("h", "S"), ("gk", "S"))), ("by_k", (("hk", "S"),))):
            dynamo.call_again("UpdateTable", {"TableName": remote, "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "h", "gk", "hk")],
                                        "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": index_name, "KeySchema": key_schema(*keys, *[None] * (2 - len(keys))), "Projection": {"ProjectionType": "ALL"}}}]})
            while any(i["IndexStatus"] != "ACTIVE" for i in dynamo.call_again("DescribeTable", {"TableName": remote})["Table"]["GlobalSecondaryIndexes"]):
                time.sleep(0.1)
        self.fx.execute(f"UPDATE pg_class SET reltuples = 100000, relpages = 10000 WHERE relname = '{name}'; SELECT dynamo_fdw_disconnect_all()")
        self.fx.execute(f"CREATE TABLE wanted AS SELECT 'a' AS h, repeat('x', 1500) AS g, repeat('y', 3000) AS k UNION ALL SELECT 'a', 's', 's'; ANALYZE wanted")
        for condition in ("h = 'a' AND g = repeat('x', 1500)", "h = 'a' AND g IN ('none', repeat('x', 1500))", "k = repeat('y', 3000)", "k IN (repeat('y', 3000), 'no')",
                          "h = 'a' AND g LIKE repeat('x', 1400) || '%'", "h = 'a' AND g ^@ repeat('x', 1200)"):
            with self.subTest(condition):
                self.assertEqual(self.rows(f"SELECT p FROM {name} WHERE {condition}"), [("P#1",)])
                self.assertEqual(self.rows(f"SELECT p FROM {name} WHERE {condition.replace('repeat', 'pg_catalog.repeat')}"), [("P#1",)])
        for key, value in (("g", "repeat('x', 1500)"), ("k", "repeat('y', 3000)")):
            self.fx.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE by_{key}(text) AS SELECT p FROM {name} WHERE h = 'a' AND {key} = $1")
            self.assertEqual(self.rows(f"EXECUTE by_{key}({value})"), [("P#1",)])
            self.assertEqual(self.rows(f"EXECUTE by_{key}('s')"), [("P#2",)])
            self.fx.execute("RESET plan_cache_mode")
            self.assertEqual(self.rows(f"SELECT t.p FROM wanted w JOIN {name} t USING (h, {key})"), [("P#1",), ("P#2",)])
            self.assertEqual(self.rows(f"SELECT (SELECT p FROM {name} t WHERE t.h = w.h AND t.{key} = w.{key}) FROM wanted w"), [("P#1",), ("P#2",)])
        # where the values are known to be short, the index is all that is planned for
        self.assertEqual([r.operation for r in self.fx.requests(f"SELECT p FROM {name} WHERE k = 's'")], ["Query"])


class Numbers(TestCase):
    """A template of a number attribute is that of an integer column."""

    def test_other_columns_are_refused(self):
        """A text, a padded number, a number with a fraction: an error at first use."""
        for column in ("n text COLLATE \"C\"", "n numeric", "n numeric(5)", "n int OPTIONS (format 'padded(3)')", "n boolean", "n date"):
            for spec in ("", ":padded(4)"):
                name = self.table(f"p text OPTIONS (attribute 'pk') NOT NULL, {column}", {"sk": f"${{n{spec}}}"}, [{"pk": "p", "sk": 9}], range_key=("sk", "N"))
                error = self.fx.error(f"SELECT * FROM {name}")
                self.assertIn(error.sqlstate, ("HV024", "HV004"), (column, spec))
        name = self.table("p text OPTIONS (attribute 'pk') NOT NULL, n int NOT NULL", {"sk": "${n}"}, [{"pk": "p", "sk": n} for n in (1, 2, 9, 10, 11, 100)], range_key=("sk", "N"))
        self.assertEqual(self.fx.rows(f"SELECT n FROM {name} WHERE p = 'p' ORDER BY n DESC LIMIT 2"), [(100,), (11,)])
        self.assertEqual(self.rows(f"SELECT max(n), count(*) FROM {name}"), [(100, 6)])

    def test_of_an_index(self):
        """A key of an index is checked like the table's."""
        name = self.table("p text OPTIONS (attribute 'pk') NOT NULL, n text OPTIONS (attribute 'gn')", {"gn": "${n}"}, [{"pk": "p", "gn": 9}], range_key=None,
                          indexes=[index("by_n", ("gn", "N"))])
        self.assertEqual(self.fx.error(f"SELECT * FROM {name}").sqlstate, "HV024")

    def test_create_table(self):
        """Digits of a fixed width are a string."""
        for spec, kind in (("", "N"), (":padded(5)", "S"), (":0..9", "N")):
            name = f"made{next(self.number)}"
            self.fx._remote.append(self.fx.remote(name))
            self.over(name, name, "n int NOT NULL", {"pk": f"${{n{spec}}}"})
            self.fx.execute(f"SELECT dynamo_fdw_create_table('{name}', 'pk')")
            [definition] = self.fx.dynamo.call("DescribeTable", {"TableName": self.fx.remote(name)})["Table"]["AttributeDefinitions"]
            self.assertEqual(definition["AttributeType"], kind, spec)
            self.fx.put(name, [{"pk": 7 if kind == "N" else "00007"}])
            self.assertEqual(self.rows(f"SELECT n FROM {name} WHERE n = 7"), [(7,)])

    def test_booleans_in_digits(self):
        """The two representations of bool(01,00) stay as they are in a text."""
        for option, modifier in (("", ":bool(01,00)"), (" OPTIONS (format 'bool(01,00)')", "")):
            items = [{"pk": "F#01", "sk": "01#1"}, {"pk": "F#00", "sk": "00#2"}]
            name = self.table(f"flag boolean{option} NOT NULL, n int NOT NULL", {"pk": "F#${flag%s}" % modifier, "sk": "${flag%s}#${n}" % modifier}, items)
            self.assertEqual(self.rows(f"SELECT flag, n FROM {name}"), [(False, 2), (True, 1)])
            self.assertEqual(self.rows(f"SELECT n FROM {name} WHERE n > 0"), [(1,), (2,)])
        name = self.table("flag boolean NOT NULL, n int NOT NULL", {"sk": "${flag:bool(01,00)}#${n}"}, [{"pk": "p", "sk": "01#1"}, {"pk": "p", "sk": "00#2"}])
        self.assertEqual(self.rows(f"SELECT flag, n FROM {name}"), [(False, 2), (True, 1)])
        self.assertEqual(self.rows(f"SELECT n FROM {name} WHERE flag AND n = 1"), [(1,)])
        self.assertEqual(self.rows(f"SELECT dynamo_fdw_encode_key('{name}', 'sk', '{{\"flag\": true, \"n\": 3}}')"), [("01#3",)])


class Mistakes(TestCase):
    """Templates that cannot match are errors when the table is used first."""

    def test_a_forgotten_dollar(self):
        """{tenant} where nothing else fills the column."""
        name = self.table("tenant text, n int", {"pk": "T#{tenant}#${n}"}, [{"pk": "T#{tenant}#1", "sk": "s"}])
        error = self.fx.error(f"SELECT * FROM {name}")
        self.assertEqual((error.sqlstate, error.detail, error.hint), (
            "HV024", 'The template contains the text {tenant}, and no template uses column "tenant".',
            "Write ${tenant}. If the braces are intended, set the column option \"attribute\"."))
        self.over("meant", name, "tenant text OPTIONS (attribute 'tenant'), n int", {"pk": "T#{tenant}#${n}"})
        self.assertEqual(self.rows("SELECT tenant, n FROM meant"), [(None, 1)])
        self.over("elsewhere", name, "tenant text, n int", {"pk": "T#{other}#${n}"})
        self.assertEqual(self.rows("SELECT count(*) FROM elsewhere"), [(0,)])

    def test_a_day_and_a_time(self):
        """One column cannot be a day in one key and a time in the other."""
        for column, pk, sk, matches in (("timestamptz", "pattern(YYYY-MM-DD)", "iso8601(3)", False), ("timestamptz", "iso8601(0)", "iso8601(3)", False),
                                     ("date", "pattern(YYYY-MM)", "pattern(YYYYMMDD)", False), ("timestamptz", "pattern(YYYYMMDDHH24MISS)", "iso8601(0)", True),
                                     ("date", "pattern(YYYYMMDD)", "pattern(DD.MM.YYYY)", True), ("timestamp", "pattern(YYYYMMDDHH24MISSUS)", "iso8601(6)", True)):
            name = self.table(f"at {column} NOT NULL", {"pk": f"D#${{at:{pk}}}", "sk": f"${{at:{sk}}}"}, [])
            with self.subTest(pk, sk=sk):
                if matches:
                    self.assertEqual(self.rows(f"SELECT count(*) FROM {name}"), [(0,)])
                    continue
                error = self.fx.error(f"SELECT * FROM {name}")
                self.assertEqual(error.sqlstate, "HV024")
                self.assertIn("has a different precision in the template of attribute", error.detail)


class Values(TestCase):
    """Small things that were accepted."""

    def test_a_uuid_with_more(self):
        """U+0000 after the digits of a uuid is a mismatch."""
        digits = "0123456789abcdef0123456789abcdef"
        self.fx.create_table("uuids", ("pk", "S"))
        self.fx.put("uuids", [{"pk": "a", "id": digits}, {"pk": "b", "id": digits + "\0zz"}])
        self.fx.foreign_table("uuids", "pk text, id uuid OPTIONS (format 'string')", scan_policy="allow")
        self.assertEqual(len(self.rows("SELECT id FROM uuids WHERE pk = 'a'")), 1)
        self.assertMismatch("SELECT id FROM uuids WHERE pk = 'b'", "id")

    def test_an_open_quote_in_a_path(self):
        """A doubled quote at the end does not close the name."""
        for path in ('"abc""', '"abc', '"', '""', 'a."b""'):
            error = self.fx.error(f"CREATE FOREIGN TABLE open_quote (x text OPTIONS (path '{path}')) SERVER ddb")
            self.assertEqual(error.sqlstate, "22023", path)
        self.fx.execute("CREATE FOREIGN TABLE closed_quote (x text OPTIONS (path '\"abc\"\"\"')) SERVER ddb")


class NoRows(TestCase):
    """What is not reported otherwise: that a template matches nothing."""

    def notices(self, sql):
        """The messages of the statement, next to its rows."""
        del self.fx.conn.notices[:]
        self.fx.rows(sql)
        return [line for notice in self.fx.conn.notices for line in notice.rstrip("\n").split("\n")]

    def test_a_misspelled_literal(self):
        """Items were read, or left out by the filter, and none is a row."""
        items = [{"pk": f"CUSTOMER#{n}", "sk": "s", "v": n} for n in range(12)]
        name = self.table("id int NOT NULL, v int", {"pk": "CUSTMER#${id}"}, items)
        remote = self.fx.remote(name)
        notice = [f'NOTICE:  none of the items read is a row of foreign table "{name}"', f'DETAIL:  DynamoDB table "{remote}": 12 items. Rows are items with pk = CUSTMER#${{id}}.',
                f"HINT:  To compare the options with the items, use dynamo_fdw_check_table('{name}')."]
        for sql in (f"SELECT * FROM {name}", f"SELECT count(*) FROM {name}", f"SELECT * FROM {name} a UNION ALL SELECT * FROM {name} b"):
            self.assertEqual(self.notices(sql)[:3], notice, sql)
            self.assertEqual(len(self.notices(sql)), 3)
        self.assertEqual(self.notices(f"SELECT * FROM {name} WHERE id = 5"), [])
        self.assertEqual(self.notices(f"SELECT * FROM {name} WHERE v = 5"), [])

    def test_names_in_the_hint(self):
        """The call in the hint can be run, whatever the names are, and whether the search path finds the table."""
        self.fx.execute("CREATE SCHEMA \"it's\"")
        self.addCleanup(self.fx.execute, "DROP SCHEMA \"it's\" CASCADE")
        remote = self.fx.remote(self.table("id int NOT NULL", {"pk": "A#${id}"}, [{"pk": "B#1", "sk": "s"}]))
        for name, argument in (('"shop-app_Order"', """'"shop-app_Order"'"""), ('"it\'s".plain', """'"it''s".plain'""")):
            self.fx.foreign_table(name, "id int NOT NULL", table_name=remote, key_templates='{"pk": "A#${id}"}', scan_policy="allow")
            hint = self.notices(f"SELECT * FROM {name}")[2]
            self.assertEqual(hint, f"HINT:  To compare the options with the items, use dynamo_fdw_check_table({argument}).")
            self.fx.rows(f"SELECT * FROM {hint.split('use ')[1].rstrip('.')}")

    def test_items_of_others(self):
        """The key of the first one is named; where a row was found nothing is reported."""
        items = [{"pk": "A#1", "sk": f"ITEM-{n}"} for n in range(3)] + [{"pk": "A#2", "sk": "ITEM-1"}, {"pk": "A#2", "sk": "ITEM1#x"}]
        name = self.table("id int NOT NULL, item text NOT NULL", {"pk": "A#${id}", "sk": "ITEM${item:plain}#x"}, items)
        [notice, detail, _] = self.notices(f"SELECT * FROM {name} WHERE id = 1")
        self.assertIn("none of the items read is a row", notice)
        self.assertIn('3 items, the first pk = "A#1", sk = "ITEM-0". Rows are items with pk = A#${id} AND sk = ITEM${item}#x.', detail)
        self.assertEqual(self.notices(f"SELECT * FROM {name} WHERE id = 2"), [])
        self.assertEqual(self.notices(f"SELECT * FROM {name} WHERE id = 1 LIMIT 0"), [])

    def test_conditions_and_keys(self):
        """Nothing is reported where a condition, or a key, chose items that are no rows; nor where other executions found rows."""
        items = [{"pk": f"T#{t}", "sk": f"ORDER#{n:03}", "name": f"n{n}"} for t in range(3) for n in range(4)] + [{"pk": "T#1", "sk": "ORDER#x", "name": "bad"}, {"pk": "T#9", "sk": "ORDER#x"}]
        name = self.table("tenant int NOT NULL, no int NOT NULL, name text", {"pk": "T#${tenant}", "sk": "ORDER#${no:padded(3)}"}, items, on_mismatch="null")
        self.fx.execute("CREATE TABLE k AS SELECT * FROM (VALUES ('bad'), ('n1'), ('n2'), ('n2')) v(nm); ANALYZE k;"
                        "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        self.assertEqual(self.notices(f"SELECT * FROM {name} WHERE name = 'bad'"), [])
        self.assertEqual(self.notices(f"SELECT k.nm, x.no FROM k, LATERAL (SELECT no FROM {name} WHERE name = k.nm OFFSET 0) x"), [])
        self.fx.foreign_table("keyed", "pk text NOT NULL, sk text NOT NULL", table_name=self.fx.remote(name), item_filter='{"name": "none"}')
        self.assertEqual(self.notices("SELECT * FROM keyed WHERE pk = 'T#1' AND sk = 'ORDER#001'"), [])
        self.assertEqual(len(self.notices("SELECT * FROM keyed WHERE pk = 'T#1'")), 3)
        self.fx.execute("CREATE FUNCTION many(x text) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM keyed WHERE pk = x); END'")
        self.assertEqual(len([line for line in self.notices("SELECT many('T#' || i % 3) FROM generate_series(1, 5) i") if line.startswith("NOTICE")]), 1)

    def test_match(self):
        """Nor does an option item_filter that nothing matches."""
        name = self.table("id int NOT NULL", {"pk": "A#${id}"}, [{"pk": "A#1", "sk": "s", "kind": "x"}], item_filter='{"kind": "y"}')
        self.assertIn("Rows are items with pk = A#${id}, and the values required by item_filter and ttl_attribute.", self.notices(f"SELECT * FROM {name}")[1])

    def test_hints_name_columns(self):
        """The hint of a Scan names the columns that compose the partition key."""
        items = [{"pk": "T#1#M#x", "sk": "s"}]
        for templates, words in (({"pk": "T#${tenant}#M#${metric}"}, 'Add a condition on "tenant" and "metric" of foreign table "{}", from which partition key "pk" is composed, to avoid the scan, or set'),
                                 ({"pk": "T#${tenant}#M#x"}, 'Add a condition on "tenant" of foreign table "{}", from which partition key "pk" is composed, to avoid the scan, or set'),
                                 ({"pk": "T#${tenant:lower}#M#${metric}#${tenant:upper}"}, 'Add a condition on "tenant" and "metric" of foreign table "{}", from which')):
            name = self.table("tenant text OPTIONS (attribute 'who'), metric text OPTIONS (attribute 'what')", templates, items, scan_policy="error")
            self.assertIn(words.format(name), self.fx.error(f"SELECT * FROM {name}").hint)
