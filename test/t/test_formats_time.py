"""The formats ulid, pattern(...), and iso8601(n) and epoch(n) that are finer than a microsecond: times of which texts are several, or of any form."""
from dynamo import index
import formats
import oneitem
from formats import OPERATORS

NO_MATCH = 'it does not match format "{}"'
WRONG_UNIT = "it is not a valid time in the unit of the format"
TOO_FINE = "it has more fractional digits than its format; epoch(9) allows nine"

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOW, HIGH = "0" * 16, "Z" * 16


def ulid(ms, rest="7W0000000000000K"):
    """The ULID of a millisecond since 1970."""
    return "".join(CROCKFORD[ms >> 5 * n & 31] for n in range(9, -1, -1)) + rest


class Reading(oneitem.TestCase):
    """What a value is shown as, and which ones are mismatches."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET timezone = 'UTC'")

    def each(self, format_, *cases, kind="S"):
        """Each (column type, text, shown)."""
        for column, text, shown in cases:
            with self.subTest(format=format_, column=column, text=text):
                self.assertEqual(self.shown({kind: text}, column, format=format_), shown)

    def mismatches(self, format_, column, *texts, kind="S", reason=NO_MATCH):
        """Each text is an error of that reason, and NULL where on_mismatch is null."""
        for text in texts:
            with self.subTest(format=format_, column=column, text=text):
                self.assert_mismatch({kind: text}, column, reason.format(format_), text, format=format_)

    def test_nanoseconds(self):
        self.each("iso8601(9)", ("timestamptz", "2024-02-29T12:00:00.123456789Z", "2024-02-29 12:00:00.123456+00"),
                  ("timestamptz", "1969-12-31T23:59:59.999999999Z", "1969-12-31 23:59:59.999999+00"), ("timestamp", "1969-12-31T23:59:59.000000001Z", "1969-12-31 23:59:59"),
                  ("timestamptz", "0001-01-01T00:00:00.000000999Z", "0001-01-01 00:00:00+00"), ("timestamptz", "9999-12-31T23:59:59.999999999Z", "9999-12-31 23:59:59.999999+00"),
                  ("date", "2024-02-29T00:00:00.000000999Z", "2024-02-29"), ("timestamptz(3)", "2024-02-29T12:00:00.123000789Z", "2024-02-29 12:00:00.123+00"))
        self.each("iso8601(7,+)", ("timestamp", "2024-02-29T12:00:00.1234567+", "2024-02-29 12:00:00.123456"))
        self.mismatches("iso8601(9)", "timestamptz", "2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123456Z", "2024-02-29T12:00:00.12345678Z", "2024-02-29T12:00:00.1234567890Z",
                     "2024-02-29T12:00:00.12345678xZ", "2024-02-29T12:00:00.123456789z", "2024-02-29T12:00:00.123456789", "2024-02-30T12:00:00.123456789Z", "")
        self.mismatches("iso8601(9)", "date", "2024-02-29T00:00:00.000001000Z", reason="it has a time of day")
        self.mismatches("iso8601(9)", "timestamptz(3)", "2024-02-29T12:00:00.123456000Z", reason="it has more fractional digits than the column's type allows")

    def test_epoch_of_digits(self):
        self.each("epoch(9)", ("timestamptz", "1709208000.123456789", "2024-02-29 12:00:00.123456+00"), ("timestamptz", "-0.000000001", "1969-12-31 23:59:59.999999+00"),
                  ("timestamptz", "-1.000000001", "1969-12-31 23:59:58.999999+00"), ("timestamptz", "-0.000001", "1969-12-31 23:59:59.999999+00"),
                  ("timestamptz", "0.000000999", "1970-01-01 00:00:00+00"), ("timestamptz", "1709208000", "2024-02-29 12:00:00+00"), ("date", "86400.0000000", "1970-01-02"), kind="N")
        self.each("epoch(0)", ("timestamptz", "-7", "1969-12-31 23:59:53+00"), kind="N")
        self.each("epoch(3)", ("timestamptz", "1.5", "1970-01-01 00:00:01.5+00"), ("timestamptz", "1.500", "1970-01-01 00:00:01.5+00"), kind="N")
        for format_ in ("epoch", "epoch(0)", "epoch(9)", "epoch_ms"):
            self.mismatches(format_, "timestamptz", "0.0000000001", "9" * 30, "9" * 30 + ".5", "1E125", kind="N", reason=WRONG_UNIT)
        self.mismatches("epoch_ms", "timestamptz", "1.2345", kind="N", reason=WRONG_UNIT)

    def test_finer_than_the_format(self):
        """The error names the format that takes them: Ruby writes floats of seconds."""
        for format_, texts in (("epoch(7)", ["0.00000001"]), ("epoch(6)", ["0.0000001"]), ("epoch", ["1709208000.1234567", "-0.000000001"]), ("epoch(3)", ["0.0001"]),
                               ("epoch(0)", ["0.5"])):
            self.mismatches(format_, "timestamptz", *texts, kind="N", reason=TOO_FINE)
        self.mismatches("epoch", "date", "86400.0000001", kind="N", reason=TOO_FINE)
        self.each("epoch(9)", ("timestamptz", "1709208000.1234567", "2024-02-29 12:00:00.123456+00"), kind="N")

    def test_ulid(self):
        self.each("ulid", ("timestamptz", "01HQTTX6ZGHJKMNPQRSTVWXYZ0", "2024-02-29 16:24:37.616+00"), ("timestamptz", ulid(0, LOW), "1970-01-01 00:00:00+00"),
                  ("timestamptz", ulid(0, HIGH), "1970-01-01 00:00:00+00"), ("timestamptz", "7" + "Z" * 25, "10889-08-02 05:31:50.655+00"),
                  ("timestamptz", ulid(1709208000123), "2024-02-29 12:00:00.123+00"), ("timestamptz(3)", ulid(1709208000123), "2024-02-29 12:00:00.123+00"))
        self.mismatches("ulid", "timestamptz", "", "0" * 25, "0" * 27, "8" + "0" * 25, "Z" * 26, "01hqttx6zghjkmnpqrstvwxyz0", *("0" * 20 + letter + "0" * 5 for letter in "ILOUl-_@[`{é"[:11]))
        self.mismatches("ulid", "timestamptz(0)", ulid(1709208000123), reason="it has more fractional digits than the column's type allows")

    def test_pattern(self):
        self.each("pattern(YYYYMMDD)", ("date", "20240229", "2024-02-29"), ("timestamptz", "00010101", "0001-01-01 00:00:00+00"), ("timestamp", "99991231", "9999-12-31 00:00:00"))
        self.each("pattern(DD.MM.YYYY)", ("date", "29.02.2024", "2024-02-29"))
        self.each('pattern(YYYY-MM-DD"T"HH24:MI:SS.MS"Z")', ("timestamptz", "2024-02-29T12:34:56.789Z", "2024-02-29 12:34:56.789+00"),
                  ("timestamp", "1969-12-31T23:59:59.999Z", "1969-12-31 23:59:59.999"))
        self.each("pattern(YYYY/MM/DD HH24:MI:SS.US)", ("timestamp", "2024/02/29 12:34:56.000789", "2024-02-29 12:34:56.000789"))
        self.each("pattern(YYYY-MM)", ("date", "2024-02", "2024-02-01"), ("timestamptz", "2024-12", "2024-12-01 00:00:00+00"))
        self.each('pattern("year \\"YYYY\\\\\\" "YYYY)', ("date", 'year "YYYY\\" 2024', "2024-01-01"))
        self.each('pattern(é"ü"YYYY€)', ("date", "éü2024€", "2024-01-01"))
        self.each("pattern(YYYYMMDDHH24MISSUS)", ("timestamp", "20240229235959999999", "2024-02-29 23:59:59.999999"))
        self.mismatches("pattern(YYYYMMDD)", "date", "2024022", "202402299", "20240230", "20230229", "20241301", "20240001", "20240100", "00000101", "2024 229", "+2024229", "")
        self.mismatches('pattern(YYYY-MM-DD"T"HH24:MI)', "timestamp", "2024-02-29T24:00", "2024-02-29T12:60", "2024-02-29 12:00", "2024-02-29t12:00", "2024-02-29T12:00Z")
        self.mismatches("pattern(YYYYMMDDHH24)", "date", "2024022901", reason="it has a time of day")

    def test_other_sessions(self):
        """The session's time zone and DateStyle change what is shown, not what is meant."""
        for format_, text in (("ulid", ulid(1709208000123)), ('pattern(YYYYMMDD"T"HH24MISSMS)', "20240229T120000123"), ("iso8601(9)", "2024-02-29T12:00:00.123000999Z")):
            for zone in ("UTC", "Asia/Kathmandu", "America/St_Johns"):
                self.fx.execute(f"SET timezone = '{zone}'; SET datestyle = 'German'")
                self.assertTrue(self.shown({"S": text}, "timestamptz", "SELECT v = '2024-02-29T12:00:00.123Z' FROM t", format=format_))
        self.fx.execute("SET timezone = 'UTC'; RESET datestyle")

    def test_null(self):
        for format_, kind in (("ulid", "N"), ("pattern(YYYY)", "N"), ("iso8601(9)", "N"), ("epoch(9)", "S")):
            for value in (None, {"NULL": True}):
                self.assertIsNone(self.shown(value, "timestamptz", format=format_))
            self.assertIn(f"it has DynamoDB type {kind}", self.failure({kind: "0"}, "timestamptz", format=format_).message)


class Finding(formats.Twins):
    """Conditions, keys and order."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET timezone = 'UTC'")

    def load_times(self, format_, texts, kind="timestamptz", wire="S", **options):
        """Times as sort keys, plain values and index keys; texts: of what is stored, the time that it means."""
        escaped = {"format": format_}
        columns = [("pk", "text", None), ("at", kind, escaped), ("v", kind, escaped), ("n", "integer", None)]
        rows = [("p", time, time, n) for n, time in enumerate(texts.values())] + [("q", list(texts.values())[1], None, 99)]
        stored = list(texts) + [list(texts)[1]]
        items = [{"pk": {"S": pk}, "at": {wire: text}, **({} if v is None else {"v": {wire: text}}), "n": {"N": str(n)}} for (pk, _, v, n), text in zip(rows, stored)]
        self.load(columns, rows, items, (("pk", "S"), ("at", wire)), [index("by_n", ("pk", "S"), ("n", "N"), local=True)], **options)

    def every_condition(self, bounds, kind="timestamptz"):
        """All operators with all bounds, on the key and on the value."""
        literals = [f"'{bound}'::{kind}" for bound in bounds]
        for literal in literals:
            for operator in OPERATORS:
                self.same(f"SELECT n FROM t WHERE v {operator} {literal}", f"SELECT n FROM t WHERE pk = 'p' AND at {operator} {literal}",
                          f"SELECT count(*) FROM t WHERE pk = 'p' AND at {operator} {literal}")
            self.same(f"SELECT n FROM t WHERE v IN ({literal}, {literals[0]})", f"SELECT n FROM t WHERE pk = 'p' AND at IN ({literal}, {literals[0]})",
                      f"SELECT n FROM t WHERE v NOT IN ({literal}, {literals[0]})")
        for low, high in zip(literals, literals[1:] + literals[:1]):
            self.same(f"SELECT n FROM t WHERE pk = 'p' AND at BETWEEN {low} AND {high}", f"SELECT n FROM t WHERE pk = 'p' AND at > {low} AND at < {high}",
                      f"SELECT n FROM t WHERE v >= {low} AND v < {high}")
        self.same("SELECT n FROM t WHERE v IS NULL", "SELECT n FROM t WHERE v IS NOT NULL", "SELECT count(*) FROM t WHERE v IS NULL",
                  "SELECT max(at), min(at) FROM t WHERE pk = 'p'", "SELECT v, count(*) FROM t GROUP BY v", "SELECT DISTINCT at FROM t WHERE pk = 'p'")

    def prepared(self, bounds, kind="timestamptz"):
        """Generic plans."""
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for table in "fl":
            self.fx.execute(f"PREPARE {table}_r ({kind}, {kind}) AS SELECT n FROM {table} WHERE pk = 'p' AND at > $1 AND at <= $2;"
                            f"PREPARE {table}_e ({kind}) AS SELECT n FROM {table} WHERE pk = 'p' AND at = $1; PREPARE {table}_v ({kind}) AS SELECT n FROM {table} WHERE v = $1")
        for bound in bounds:
            for sql in (f"EXECUTE %s_r ('{bound}', '{bounds[0]}')", f"EXECUTE %s_r ('{bounds[0]}', '{bound}')", f"EXECUTE %s_e ('{bound}')", f"EXECUTE %s_v ('{bound}')"):
                with self.subTest(sql=sql):
                    self.assertEqual(sorted(self.fx.rows(sql % "f")), sorted(self.fx.rows(sql % "l")))
        self.fx.execute("RESET plan_cache_mode; DEALLOCATE ALL")

    def ordered(self):
        """The key's order serves ORDER BY on the column alone."""
        for sql in ("SELECT at FROM t WHERE pk = 'p' ORDER BY at", "SELECT at FROM t WHERE pk = 'p' ORDER BY at DESC LIMIT 3", "SELECT at FROM t WHERE pk IN ('p', 'q') ORDER BY at"):
            self.same(sql, ordered=True)
            self.assertNotIn("Sort", self.fx.explain(sql.replace("FROM t", "FROM f")))
        self.same("SELECT at, n FROM t WHERE pk = 'p' ORDER BY at, n", "SELECT at, n FROM t WHERE pk = 'p' ORDER BY at DESC, n DESC", ordered=True)

    def joined(self, bounds, kind="timestamptz"):
        """Rows of another table bind the sort key."""
        self.fx.execute(f"DROP TABLE IF EXISTS o; CREATE TEMP TABLE o (at {kind}); INSERT INTO o VALUES " + ", ".join(f"('{bound}')" for bound in bounds) + ", (NULL); ANALYZE o")
        self.same("SELECT o.at::text, t.n FROM t JOIN o ON t.pk = 'p' AND t.at = o.at", "SELECT o.at::text, t.n FROM t JOIN o ON t.v = o.at",
                  "SELECT o.at::text, (SELECT count(*) FROM t WHERE pk = 'p' AND t.at >= o.at) FROM o", "SELECT o.at::text FROM o WHERE EXISTS (SELECT FROM t WHERE pk = 'p' AND t.at = o.at)",
                  "SELECT t.n, o.at::text FROM t RIGHT JOIN o ON t.pk = 'p' AND t.at = o.at")

    # ulid

    MS = 1709208000123
    ULIDS = {ulid(0, LOW): "1970-01-01 00:00:00+00", ulid(0, HIGH): "1970-01-01 00:00:00+00", ulid(1, LOW): "1970-01-01 00:00:00.001+00",
             ulid(MS - 1, HIGH): "2024-02-29 12:00:00.122+00", ulid(MS, LOW): "2024-02-29 12:00:00.123+00", ulid(MS): "2024-02-29 12:00:00.123+00",
             ulid(MS, HIGH): "2024-02-29 12:00:00.123+00", ulid(MS + 1, LOW): "2024-02-29 12:00:00.124+00", "7" + "Z" * 25: "10889-08-02 05:31:50.655+00"}
    ULID_BOUNDS = ["2024-02-29 12:00:00.123+00", "2024-02-29 12:00:00.1231+00", "2024-02-29 12:00:00.122999+00", "2024-02-29 12:00:00.124+00", "1970-01-01 00:00:00+00",
                   "1969-12-31 23:59:59.9999+00", "1970-01-01 00:00:00.000001+00", "10889-08-02 05:31:50.654+00", "0044-03-15 BC", "294276-12-31 23:59:59", "infinity", "-infinity",
                   "2024-02-29 17:45:00.123+05:45"]

    def load_ulids(self, **options):
        # psycopg2 cannot read years of five digits
        self.load_times("ulid", dict(list(self.ULIDS.items())[:-1]), **options)

    def test_ulid(self):
        self.load_ulids()
        self.every_condition(self.ULID_BOUNDS)
        self.prepared(self.ULID_BOUNDS)
        self.joined(self.ULID_BOUNDS)
        self.ordered()

    def test_ulid_at_the_end(self):
        self.load_times("ulid", self.ULIDS)
        for bound in ("10889-08-02 05:31:50.654+00", "10889-08-02 05:31:50.655+00", "10889-08-02 05:31:50.6559+00", "10889-08-02 05:31:50.656+00", "20000-01-01"):
            for operator in OPERATORS:
                self.same(f"SELECT n FROM t WHERE v {operator} '{bound}'", f"SELECT n FROM t WHERE pk = 'p' AND at {operator} '{bound}'")

    def test_ulid_requests(self):
        self.load_ulids()
        first, last = ulid(self.MS, LOW), ulid(self.MS, HIGH)
        for condition, key in (
                ("at = '2024-02-29 12:00:00.123'", f"pk = p AND at BETWEEN {first} AND {last}"), ("at >= '2024-02-29 12:00:00.123'", f"pk = p AND at >= {first}"),
                ("at > '2024-02-29 12:00:00.123'", f"pk = p AND at > {last}"), ("at <= '2024-02-29 12:00:00.123'", f"pk = p AND at <= {last}"),
                ("at < '2024-02-29 12:00:00.123'", f"pk = p AND at < {first}"), ("at > '2024-02-29 12:00:00.1225'", f"pk = p AND at >= {first}"),
                ("at < '2024-02-29 12:00:00.1235'", f"pk = p AND at <= {last}"), ("at = '2024-02-29 12:00:00.1235'", None), ("at < '1970-01-01'", f"pk = p AND at < {ulid(0, LOW)}"), ("at < '1969-01-01'", None),
                ("at >= '1969-01-01'", "pk = p"), ("at > '12000-01-01'", None), ("at < '12000-01-01'", "pk = p"), ("at = 'infinity'", None), ("at < 'infinity'", "pk = p"),
                ("at > '-infinity'", "pk = p"), ("at > '294276-12-30'", None), ("at < '294276-12-30'", "pk = p"), ("at = '294276-12-30'", None)):
            with self.subTest(condition=condition):
                self.assertEqual(self.key(f"SELECT * FROM f WHERE pk = 'p' AND {condition}"), key)
        [request] = self.fx.requests("SELECT * FROM f WHERE v = '2024-02-29 12:00:00.123'")
        self.assertEqual({"S": first}, next(iter(request.body["ExpressionAttributeValues"].values())))

    def test_a_ulid_is_no_hash_key(self):
        """Nothing but a Scan finds the items of a time."""
        texts = list(self.ULIDS)[:-1]
        self.load([("id", "timestamptz", {"format": "ulid"}), ("raw", "text", {"attribute": "id"})], [(self.ULIDS[text], text) for text in texts],
                  [{"id": {"S": text}} for text in texts], (("id", "S"),))
        self.same("SELECT raw FROM t WHERE id = '2024-02-29 12:00:00.123+00'", "SELECT raw FROM t WHERE id IN ('2024-02-29 12:00:00.123+00', '1970-01-01')",
                  "SELECT raw FROM t WHERE id > '2024-01-01'", "SELECT a.raw FROM t JOIN l a ON a.id = t.id")
        [request] = self.fx.requests("SELECT raw FROM f WHERE id = '2024-02-29 12:00:00.123+00'")
        self.assertEqual(request.operation, "Scan")
        self.assertEqual(self.key(f"SELECT id FROM f WHERE raw = '{texts[0]}'"), {"id": {"S": texts[0]}})

    def test_what_follows_a_ulid_in_a_key_is_not_sorted(self):
        """Two range attributes: items of one millisecond are sorted by their ULIDs first."""
        self.fx.execute("DROP TABLE IF EXISTS l")
        texts = [(ulid(self.MS, f"{n:016}"), 9 - n) for n in range(9)]
        self.load([("pk", "text", None), ("at", "timestamptz", {"format": "ulid"}), ("n", "integer", None)], [("p", self.ULIDS[ulid(self.MS)], n) for _, n in texts],
                  [{"pk": {"S": "p"}, "id": {"S": text}, "at": {"S": text}, "n": {"N": str(n)}} for text, n in texts], (("pk", "S"), ("id", "S")),
                  [index("by_at", ("pk", "S"), [("at", "S"), ("n", "N")])])
        self.fx.execute("ALTER FOREIGN TABLE f ALTER at SET NOT NULL, ALTER n SET NOT NULL")
        self.same("SELECT at, n FROM t WHERE pk = 'p' ORDER BY at, n", "SELECT at, n FROM t WHERE pk = 'p' ORDER BY at DESC, n DESC LIMIT 4", ordered=True)
        plan = self.fx.explain("SELECT at FROM f WHERE pk = 'p' ORDER BY at")
        self.assertIn("by_at", plan)
        self.assertNotIn("Sort", plan)

    # nanoseconds

    NANOS = {"1969-12-31T23:59:59.999999000Z": "1969-12-31 23:59:59.999999+00", "1969-12-31T23:59:59.999999999Z": "1969-12-31 23:59:59.999999+00",
             "1970-01-01T00:00:00.000000000Z": "1970-01-01 00:00:00+00", "1970-01-01T00:00:00.000000001Z": "1970-01-01 00:00:00+00",
             "2024-02-29T12:00:00.123455999Z": "2024-02-29 12:00:00.123455+00", "2024-02-29T12:00:00.123456000Z": "2024-02-29 12:00:00.123456+00",
             "2024-02-29T12:00:00.123456789Z": "2024-02-29 12:00:00.123456+00", "2024-02-29T12:00:00.123456999Z": "2024-02-29 12:00:00.123456+00",
             "2024-02-29T12:00:00.123457000Z": "2024-02-29 12:00:00.123457+00", "9999-12-31T23:59:59.999999999Z": "9999-12-31 23:59:59.999999+00"}
    NANO_BOUNDS = ["2024-02-29 12:00:00.123456+00", "2024-02-29 12:00:00.123457+00", "1970-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00", "9999-12-31 23:59:59.999999+00",
                   "10000-01-01", "0044-03-15 BC", "infinity", "-infinity"]

    def test_nanoseconds(self):
        self.load_times("iso8601(9)", self.NANOS)
        self.every_condition(self.NANO_BOUNDS)
        self.prepared(self.NANO_BOUNDS)
        self.joined(self.NANO_BOUNDS)
        self.ordered()
        for condition, key in (("at = '2024-02-29 12:00:00.123456'", "pk = p AND at BETWEEN 2024-02-29T12:00:00.123456000Z AND 2024-02-29T12:00:00.123456999Z"),
                               ("at > '2024-02-29 12:00:00.123456'", "pk = p AND at > 2024-02-29T12:00:00.123456999Z"), ("at < '2024-02-29 12:00:00'", "pk = p AND at < 2024-02-29T12:00:00.000000000Z")):
            self.assertEqual(self.key(f"SELECT * FROM f WHERE pk = 'p' AND {condition}"), key)

    SECONDS = {"-1.000000001": "1969-12-31 23:59:58.999999+00", "-1": "1969-12-31 23:59:59+00", "-0.999999001": "1969-12-31 23:59:59+00", "-0.000001": "1969-12-31 23:59:59.999999+00",
               "-0.000000001": "1969-12-31 23:59:59.999999+00", "0": "1970-01-01 00:00:00+00", "0.000000999": "1970-01-01 00:00:00+00", "0.000001": "1970-01-01 00:00:00.000001+00",
               "1709208000.123456789": "2024-02-29 12:00:00.123456+00", "1709208000.123456999": "2024-02-29 12:00:00.123456+00", "1709208000.123457": "2024-02-29 12:00:00.123457+00"}
    SECOND_BOUNDS = sorted(set(SECONDS.values())) + ["1969-12-31 23:59:59.000001+00", "12000-01-01", "0044-03-15 BC", "infinity", "-infinity"]

    def test_epoch_of_nanoseconds(self):
        self.load_times("epoch(9)", self.SECONDS, wire="N")
        self.every_condition(self.SECOND_BOUNDS)
        self.prepared(self.SECOND_BOUNDS)
        self.joined(self.SECOND_BOUNDS)
        self.ordered()
        for condition, key in (("at = '2024-02-29 12:00:00.123456'", "pk = p AND at BETWEEN 1709208000.123456 AND 1709208000.123456999"),
                               ("at = '1969-12-31 23:59:59'", "pk = p AND at BETWEEN -1 AND -0.999999001"), ("at > '1969-12-31 23:59:59.999999'", "pk = p AND at > -0.000000001"),
                               ("at < '1970-01-01'", "pk = p AND at < 0")):
            self.assertEqual(self.key(f"SELECT * FROM f WHERE pk = 'p' AND {condition}"), key)

    def test_epoch_of_milliseconds(self):
        """Up to six digits a time is one number, and what is finer is none."""
        texts = {text: time for text, time in (("-0.001", "1969-12-31 23:59:59.999+00"), ("0", "1970-01-01 00:00:00+00"), ("0.001", "1970-01-01 00:00:00.001+00"),
                                               ("1709208000.123", "2024-02-29 12:00:00.123+00"))}
        bounds = sorted(texts.values()) + ["1970-01-01 00:00:00.0005+00", "1969-12-31 23:59:59.9985+00", "infinity", "-infinity"]
        self.load_times("epoch(3)", texts, wire="N")
        self.every_condition(bounds)
        self.prepared(bounds)
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at = '2024-02-29 12:00:00.123'"), {"pk": {"S": "p"}, "at": {"N": "1709208000.123"}})
        self.assertIsNone(self.key("SELECT * FROM f WHERE pk = 'p' AND at = '2024-02-29 12:00:00.1234'"))
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at > '1969-12-31 23:59:59.9985'"), "pk = p AND at >= -0.001")

    # patterns

    def test_pattern_in_order(self):
        texts = {"00010101T000000000": "0001-01-01 00:00:00+00", "19691231T235959999": "1969-12-31 23:59:59.999+00", "20240229T120000122": "2024-02-29 12:00:00.122+00",
                 "20240229T120000123": "2024-02-29 12:00:00.123+00", "20240301T000000000": "2024-03-01 00:00:00+00", "99991231T235959999": "9999-12-31 23:59:59.999+00"}
        bounds = list(texts.values()) + ["2024-02-29 12:00:00.1225+00", "1969-12-31 23:59:59.9995+00", "0001-12-31 23:59:59.9999 BC", "10000-01-01", "infinity", "-infinity"]
        self.load_times('pattern(YYYYMMDD"T"HH24MISSMS)', texts)
        self.every_condition(bounds)
        self.prepared(bounds)
        self.joined(bounds)
        self.ordered()
        for condition, key in (("at = '2024-02-29 12:00:00.123'", {"pk": {"S": "p"}, "at": {"S": "20240229T120000123"}}), ("at = '2024-02-29 12:00:00.1235'", None),
                               ("at > '2024-02-29 12:00:00.1225'", "pk = p AND at >= 20240229T120000123"), ("at < '2024-02-29 12:00:00.1225'", "pk = p AND at <= 20240229T120000122"),
                               ("at >= '10000-01-01'", None), ("at < '10000-01-01'", "pk = p"), ("at < '0044-03-15 BC'", None)):
            self.assertEqual(self.key(f"SELECT * FROM f WHERE pk = 'p' AND {condition}"), key)

    def test_days_of_hours(self):
        """A date has one key, even if its pattern has hours."""
        days = ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"]
        self.load([("day", "date", {"format": "pattern(YYYYMMDDHH24)"}), ("n", "integer", None)], [(day, n) for n, day in enumerate(days)],
                  [{"day": {"S": day.replace("-", "") + "00"}, "n": {"N": str(n)}} for n, day in enumerate(days)], (("day", "S"),))
        self.same("SELECT n FROM t WHERE day BETWEEN '2024-02-28' AND '2024-03-01'", "SELECT n FROM t WHERE day > '2024-02-28' AND day < '2024-03-02'")
        [request] = self.fx.requests("SELECT n FROM f WHERE day BETWEEN '2024-02-28' AND '2024-03-01'")
        self.assertEqual(["2024022800", "2024022900", "2024030100"], sorted(key["day"]["S"] for key in next(iter(request.body["RequestItems"].values()))["Keys"]))

    def test_pattern_of_months(self):
        """Bounds move to the beginning of a month, or of a year."""
        texts = {"2023-12": "2023-12-01", "2024-01": "2024-01-01", "2024-02": "2024-02-01", "2024-12": "2024-12-01", "2025-01": "2025-01-01"}
        bounds = ["2024-02-01", "2024-01-31", "2024-02-29", "2023-12-31", "2024-12-31", "2025-01-01", "infinity", "-infinity", "10000-01-01", "0001-12-31 BC", "5874897-12-31", "4713-01-01 BC"]
        self.load_times("pattern(YYYY-MM)", texts, "date")
        self.every_condition(bounds, "date")
        self.prepared(bounds, "date")
        self.ordered()
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at > '2024-01-15'"), "pk = p AND at >= 2024-02")
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at <= '2024-12-31'"), "pk = p AND at <= 2024-12")
        self.load_times("pattern(YYYY)", {"2023": "2023-01-01", "2024": "2024-01-01", "2025": "2025-01-01"}, "timestamp")
        self.every_condition(["2024-01-01", "2024-12-31 23:59:59.999999", "2023-06-01", "294276-12-31 23:59:59", "4713-01-01 00:00:00 BC", "infinity", "-infinity"], "timestamp")
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at BETWEEN '2022-07-01' AND '2024-07-01'"), "pk = p AND at BETWEEN 2023 AND 2024")

    def test_pattern_out_of_order(self):
        """Equality only: 01.03. is less than 29.02., as a text."""
        texts = {"29.02.2024": "2024-02-29", "01.03.2024": "2024-03-01", "31.12.2023": "2023-12-31", "01.01.0001": "0001-01-01"}
        bounds = list(texts.values()) + ["infinity", "-infinity", "10000-01-01"]
        self.load_times("pattern(DD.MM.YYYY)", texts, "date")
        self.every_condition(bounds, "date")
        self.prepared(bounds, "date")
        self.joined(bounds, "date")
        self.same("SELECT at FROM t WHERE pk = 'p' ORDER BY at", "SELECT at FROM t WHERE pk = 'p' ORDER BY at DESC LIMIT 2", ordered=True)
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at = '2024-02-29'"), {"pk": {"S": "p"}, "at": {"S": "29.02.2024"}})
        self.assertEqual(self.key("SELECT * FROM f WHERE pk = 'p' AND at > '2024-02-29'"), "pk = p")

    def test_mismatches_count_as_null(self):
        for format_, kind, good, bad in (("ulid", "timestamptz", list(self.ULIDS.items())[:-1], ["", "x", "01hqttx6zghjkmnpqrstvwxyz0", "8" + "0" * 25, "9999"]),
                                         ("iso8601(9)", "timestamptz", list(self.NANOS.items()), ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123456Z", "~"]),
                                         ("pattern(YYYYMMDD)", "date", [("20240229", "2024-02-29"), ("20240301", "2024-03-01")], ["20240230", "2024-02-29", "2", "~", "202402290"])):
            texts = [text for text, _ in good] + [text for text in bad if text]
            times = [time for _, time in good] + [None for text in bad if text]
            self.load([("pk", "text", None), ("at", kind, {"format": format_}), ("v", kind, {"format": format_}), ("n", "integer", None)], [("p", time, time, n) for n, time in enumerate(times)],
                      [{"pk": {"S": "p"}, "at": {"S": text}, "v": {"S": text}, "n": {"N": str(n)}} for n, text in enumerate(texts)], (("pk", "S"), ("at", "S")), on_mismatch="null")
            self.every_condition([good[0][1], good[1][1], "2024-02-29", "infinity", "-infinity", "1960-01-01"], kind)
            self.same("SELECT at, n FROM t WHERE pk = 'p' ORDER BY at, n", "SELECT at, n FROM t WHERE pk = 'p' ORDER BY at DESC, n", ordered=True)
