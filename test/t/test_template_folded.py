"""Keys in lower case, as ElectroDB composes them, by values that are known at execution: joins, generic plans, initplans, LATERAL."""
import json

import request_text
from dynamo import index

STORES = [f"Store{n}" for n in range(20)]
ODD = ["Ärger", "a#B", "ß", "Straße", "STORE1 "]


class Folded(request_text.RequestTestCase):
    """Stores, and their sales in the same partitions; regions in an index."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET dynamo_fdw.scan_policy = 'allow'")
        fx.create_table("shop", ("pk", "S"), ("sk", "S"), [index("gsi1", ("gsi1pk", "S"), ("gsi1sk", "S"))])
        items = []
        for n, store in enumerate(STORES + ODD):
            region = "North" if n % 2 else "Süd"
            items.append({"pk": f"$shop#store_{store.lower()}", "sk": "$store_1", "store": store, "region": region, "size": n,
                          "gsi1pk": f"$shop#region_{region.lower()}", "gsi1sk": f"$store_1#store_{store.lower()}"})
            items += [{"pk": f"$shop#store_{store.lower()}", "sk": f"$sale_1#at_2026-11-{day:02}", "store": store, "at": f"2026-11-{day:02}", "amount": n * day, "note": "x" * 2000}
                      for day in range(1, 11)]
        # another store of the same key is no row of the entity
        items.append({"pk": "$shop#store_store2", "sk": "$sale_1#at_2026-12-01", "store": "sTORE2", "at": "2026-12-01", "amount": -1})
        fx.put("shop", items)
        fx.foreign_table("store", "store text NOT NULL, region text NOT NULL, size int", table_name=fx.remote("shop"), trusted_indexes="gsi1", key_templates=json.dumps(
            {"pk": "$shop#store_${store:lower}", "sk": "$store_1", "gsi1pk": "$shop#region_${region:lower}", "gsi1sk": "$store_1#store_${store:lower}"}))
        fx.foreign_table("sale", "store text NOT NULL, at date OPTIONS (attribute 'at') NOT NULL, amount int, note text", table_name=fx.remote("shop"),
                         key_templates=json.dumps({"pk": "$shop#store_${store:lower}", "sk": "$sale_1#at_${at}"}))
        cls.mirror("store", "sale")
        fx.execute("CREATE TABLE wanted (name text, day date)")
        fx.execute("INSERT INTO wanted VALUES ('Store3', '2026-11-02'), ('STORE3', '2026-11-03'), ('Store7', NULL), (NULL, '2026-11-01'), ('', '2026-11-01'), ('a#B', '2026-11-01'), ('Store3', '2026-11-02')")

    def same(self, sql):
        """The rows are those of local tables."""
        self.assertEqual(sorted(self.fx.rows(sql), key=repr), sorted(self.mirrored(sql), key=repr))

    def generic(self, name, sql):
        """A generic plan."""
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE {name} AS {sql}")

    def test_generic(self):
        """A parameter is folded when it is known; one outside of ASCII reads without the key."""
        self.generic("p (text)", "SELECT amount FROM sale WHERE store = $1 AND at = '2026-11-03'")
        self.generic("q (text)", "SELECT amount FROM sale WHERE store = $1 ORDER BY at DESC LIMIT 1")
        self.generic("r (text[])", "SELECT amount FROM sale WHERE store = ANY ($1) AND at > '2026-11-08'")
        self.assertEqual(self.texts("EXECUTE p('Store3')"), ["GetItem shop {pk '$shop#store_store3', sk '$sale_1#at_2026-11-03'} get amount, at, pk, sk, store"])
        self.assertEqual(self.texts("EXECUTE q('STORE3')"), ["Query shop where pk = '$shop#store_store3' AND begins_with(sk,'$sale_1#at_') get amount, at, pk, sk, store limit 1 backward"] * 1 +
                         self.texts("EXECUTE q('STORE3')")[1:])
        for value in ("Store3", "STORE3", "", "a#B", "A#b", "Ärger", "ärger", "ß", "STORE1 "):
            with self.subTest(value):
                literal = f"'{value}'"
                self.assertEqual(self.fx.rows(f"EXECUTE p({literal})"), self.mirrored(f"SELECT amount FROM sale WHERE store = {literal} AND at = '2026-11-03'"))
                self.assertEqual(self.fx.rows(f"EXECUTE q({literal})"), self.mirrored(f"SELECT amount FROM sale WHERE store = {literal} ORDER BY at DESC LIMIT 1"))
        self.assertEqual(self.texts("EXECUTE p(NULL)"), [])
        [text] = self.texts("EXECUTE p('Ärger')")
        self.assertTrue(text.startswith("Scan shop"), text)
        self.assertIn("Table Fallbacks: 1", self.fx.explain("EXECUTE p('Ärger')", "ANALYZE, COSTS OFF"))
        for array in ("{Store1,STORE2,Store2}", "{Store1,NULL}", "{}", "{Store1,Ärger}"):
            with self.subTest(array):
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE r('{array}')")), sorted(self.mirrored(f"SELECT amount FROM sale WHERE store = ANY ('{array}') AND at > '2026-11-08'")))

    def test_joins(self):
        """A lookup for each distinct key."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; ANALYZE wanted")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material")
        join = "SELECT w.name, s.amount FROM public.wanted w {} JOIN sale s ON s.store = w.name AND s.at = w.day"
        self.same(join.format(""))
        self.same(join.format("LEFT"))
        self.assertEqual(self.texts(join.format("")), ["BatchGetItem shop {pk '$shop#store_', sk '$sale_1#at_2026-11-01'} {pk '$shop#store_a#b', sk '$sale_1#at_2026-11-01'} "
                                                       "{pk '$shop#store_store3', sk '$sale_1#at_2026-11-02'} {pk '$shop#store_store3', sk '$sale_1#at_2026-11-03'} get amount, at, pk, sk, store"])
        self.fx.execute("CREATE TEMP TABLE odd AS SELECT unnest(%s::text[]) AS name", (ODD + STORES[:3],))
        self.same("SELECT o.name, s.amount FROM odd o LEFT JOIN sale s ON s.store = o.name AND s.at > '2026-11-07'")
        self.same("SELECT o.name, (SELECT max(amount) FROM sale s WHERE s.store = o.name) FROM odd o")
        self.same("SELECT name FROM odd o WHERE NOT EXISTS (SELECT 1 FROM sale s WHERE s.store = o.name AND s.at = '2026-11-03')")

    def test_fallbacks_of_a_join(self):
        """The first value outside of ASCII is looked for in a Scan of its own, all others in one whose items are kept."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material; RESET enable_memoize;"
                        "RESET dynamo_fdw.enable_lookup_join; RESET dynamo_fdw.enable_cached_reads")
        self.fx.execute("CREATE TEMP TABLE many AS SELECT n, name FROM unnest('{Ärger,Store1,ß,Ärger,Straße,Ü}'::text[]) WITH ORDINALITY t(name, n); ANALYZE many")
        one = "FROM sale s WHERE s.store = o.name"
        for sql, filters in (("SELECT o.name, s.amount FROM many o LEFT JOIN sale s ON s.store = o.name AND s.at > '2026-11-07'",
                              "at > '2026-11-07' AND begins_with(pk,'$shop#store_') AND sk BETWEEN '$sale_1#at_2026-11-08' AND '$sale_1#at`'"),
                             (f"SELECT o.name, (SELECT max(amount) {one}) FROM many o", ""), (f"SELECT o.name, (SELECT count(*) {one}) FROM many o", ""),
                             (f"SELECT o.name, x.amount FROM many o, LATERAL (SELECT * {one} AND s.amount > o.n ORDER BY s.at DESC LIMIT 2) x", ""),
                             (f"SELECT name FROM many o WHERE EXISTS (SELECT 1 {one} AND s.at < '2026-11-03' AND s.amount < o.n)",
                              "at < '2026-11-03' AND begins_with(pk,'$shop#store_') AND sk BETWEEN '$sale_1#at_' AND '$sale_1#at_2026-11-03'")):
            for lookups, cached, scans in (("on", "on", 2), ("off", "on", 2), ("on", "off", 5)):
                with self.subTest(sql, lookups=lookups, cached=cached):
                    self.fx.execute(f"SET dynamo_fdw.enable_lookup_join = {lookups}; SET dynamo_fdw.enable_cached_reads = {cached}")
                    self.same(sql)
                    texts = self.texts(sql)
                    self.assertEqual([text.split()[0] for text in texts], ["Query"] + ["Scan"] * scans)
                    if scans == 2:
                        filters = filters or "begins_with(pk,'$shop#store_') AND begins_with(sk,'$sale_1#at_')"
                        self.assertTrue(any(text.startswith(f"Scan shop filter {filters} get ") for text in texts), texts)
                        self.assertRegex(self.fx.explain(sql, "ANALYZE, COSTS OFF"), "Table Fallbacks: 5")

    def test_latest(self):
        """The latest sale of each store of a region: one Query each."""
        sql = "SELECT t.store, x.at, x.amount FROM store t, LATERAL (SELECT * FROM sale s WHERE s.store = t.store ORDER BY s.at DESC LIMIT 1) x WHERE t.region = 'North'"
        texts = self.texts(sql + " AND t.store <> 'Straße'")
        self.assertIn("Query shop/gsi1 where gsi1pk = '$shop#region_north'", " ".join(texts))
        self.assertEqual(sum(text.startswith("Query shop where") and "limit 1 backward" in text for text in texts), 11)
        self.assertEqual(len(texts), 12)
        self.same(sql)
        self.same(sql.replace("North", "Süd"))

    def test_initplans(self):
        """The result of a subquery."""
        sql = "SELECT amount FROM sale WHERE store = (SELECT name FROM public.wanted WHERE day = '2026-11-03') AND at = '2026-11-05'"
        self.assertEqual(self.texts(sql), ["GetItem shop {pk '$shop#store_store3', sk '$sale_1#at_2026-11-05'} get amount, at, pk, sk, store"])
        self.same(sql)
        self.same("SELECT amount FROM sale WHERE store = (SELECT 'Ärger') AND at = '2026-11-05'")

    def test_sort_keys(self):
        """In a sort key a value outside of ASCII leaves the parts before it, unless rows come in its order."""
        self.generic("s (text, text)", "SELECT size FROM store WHERE region = $1 AND store = $2")
        for region in ("North", "Süd", "NORTH"):
            for store in ("Store1", "Store2", "Ärger", "Straße", "a#B"):
                self.assertEqual(self.fx.rows(f"EXECUTE s('{region}', '{store}')"), self.mirrored(f"SELECT size FROM store WHERE region = '{region}' AND store = '{store}'"))


class Attributes(request_text.RequestTestCase):
    """A folded part in the first of several sort key attributes of an index."""

    def test_later_attributes(self):
        """For a value outside of ASCII, the conditions on later attributes are not sent."""
        self.fx.create_table("rooms", ("id", "S"), None, [index("by_city", ("state", "S"), [("city_key", "S"), ("floor", "N"), ("door", "S")])])
        cities = {"Köln": "CITY#KÖLN", "Bonn": "CITY#BONN"}
        self.fx.put("rooms", [{"id": f"{city}{floor}{door}", "state": "NW", "city": city, "city_key": key, "floor": floor, "door": door}
                              for city, key in cities.items() for floor in (1, 2) for door in "abc"])
        self.mapped("rooms", 'id text NOT NULL, state text NOT NULL, city text NOT NULL, floor int NOT NULL, door text COLLATE "C" NOT NULL',
                    {"city_key": "CITY#${city:upper}"}, trusted_indexes="by_city")
        for later in ("floor = 2", "floor > 1", "floor = 2 AND door > 'a'", "floor = 2 AND door = 'b'"):
            get = " get city, door, floor, id" if "door" in later else " get city, floor, id"
            for city, sent in (("Köln", "begins_with(city_key,'CITY#')"), ("Bonn", f"city_key = 'CITY#BONN' AND {later}")):
                self.assertRequests(f"SELECT id FROM rooms WHERE state = 'NW' AND city = (SELECT '{city}') AND {later}",
                                    [f"Query rooms/by_city where state = 'NW' AND {sent}{get}"])


class Booleans(request_text.RequestTestCase):
    """A part of two values."""

    def test_unusable_conditions(self):
        """Both are requested."""
        self.fx.create_table("flags", ("pk", "S"), ("sk", "N"))
        self.fx.put("flags", [{"pk": f"F#{name}#{flag}", "sk": n, "v": n, "body": "x" * 3000} for name in "abcdefgh" for flag in ("Y", "N") for n in range(10)])
        self.fx.foreign_table("flags", "name text NOT NULL, flag boolean NOT NULL, sk int NOT NULL, v int, body text", key_templates='{"pk": "F#${name}#${flag:bool(Y,N)}"}', scan_policy="allow")
        self.mirror("flags")
        self.assertRequests("SELECT v FROM flags WHERE name = 'a' AND sk > 7", [f"Query flags where pk = 'F#a#{flag}' AND sk > 7 get pk, sk, v" for flag in "YN"])
        self.assertRequests("SELECT v FROM flags WHERE name = 'a' AND sk > 7 AND NOT flag", ["Query flags where pk = 'F#a#N' AND sk > 7 get pk, sk, v"])
