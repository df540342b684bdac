"""Dates and times compared with values of another of their types: the session's zone at each execution decides what is read."""
import times
from formats import OPERATORS
from times import TYPES
from volume import volume


class Values(times.Twins):
    """Every operator, type and zone, on the sort key and on a plain value."""

    def every_operator(self, kind, zones=volume(tuple(times.ZONES)[::2], tuple(times.ZONES))):
        # where a zone goes back by days, no merge finds all that a comparison does
        self.fx.execute("SET enable_mergejoin = off")
        for zone in self.each_zone(zones):
            for other in TYPES:
                if other == kind:
                    continue
                self.bind(other, times.bounds(other, zone))
                for operator in OPERATORS:
                    self.same_for_each(f"at {operator} b.x")
                self.same_for_each("b.x <= at")
                self.same("SELECT n FROM t WHERE pk = 'p' AND at = ANY (ARRAY(SELECT x FROM b))", "SELECT n FROM t WHERE pk = 'p' AND at <> ALL (ARRAY(SELECT x FROM b))",
                          "SELECT n FROM t WHERE v = ANY (ARRAY(SELECT x FROM b))", "SELECT count(*) FROM t WHERE v > (SELECT min(x) FROM b WHERE isfinite(x))",
                          "SELECT n FROM t WHERE v <> (SELECT max(x) FROM b WHERE isfinite(x))", "SELECT count(*) FROM t WHERE pk = 'p' AND at < (SELECT x FROM b LIMIT 1)",
                          "SELECT n, b.x::text FROM t JOIN b ON t.pk = 'p' AND t.at = b.x")

    def test_timestamptz(self):
        self.load_kind("timestamptz")
        self.every_operator("timestamptz")

    def test_timestamp(self):
        self.load_kind("timestamp")
        self.every_operator("timestamp")

    def test_date(self):
        self.load_kind("date")
        self.every_operator("date")

    def test_formats(self):
        """A bound has the column's format, whatever it came from."""
        zones = ("America/Havana", "Pacific/Apia", "AAA-24BBB+24,M3.2.0,M11.1.0")
        for kind in TYPES:
            self.load_kind(kind, "iso8601", lambda time: time.replace(" ", "T") + "Z" if kind != "date" else time)
            self.every_operator(kind, zones[:2])
            self.load_kind(kind, "pattern(YYYYMMDD)" if kind == "date" else "pattern(YYYYMMDDHH24MISS)", lambda time: "".join(c for c in time if c.isdigit()))
            self.every_operator(kind, zones[1:])


class Joins(times.Twins):
    """Rows of one time each."""

    def test_two_local_times_of_one_instant(self):
        """A clock that is set forward leaves an hour out: its times are equal to those of the next hour, so a join finds two rows by a key."""
        texts = ["2024-03-31 01:30:00", "2024-03-31 02:30:00", "2024-03-31 03:30:00", "2024-03-31 04:30:00"]
        self.load([("at", "timestamp", {"format": "iso8601(0)"}), ("n", "integer", None)], [(text, n) for n, text in enumerate(texts)],
                  [{"at": {"S": text.replace(" ", "T") + "Z"}, "n": {"N": str(n)}} for n, text in enumerate(texts)], (("at", "S"),))
        self.fx.execute("SET timezone = 'Europe/Berlin'; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off")
        self.addCleanup(self.fx.execute, "RESET ALL")
        self.bind("timestamptz", ["2024-03-31 01:30:00+00"])
        for sql in ("SELECT n FROM t JOIN b ON t.at = b.x", "SELECT n FROM t RIGHT JOIN b ON b.x = t.at", "SELECT count(*) FROM t, b WHERE t.at = b.x"):
            self.same(sql)
        self.assertEqual(self.fx.rows("SELECT n FROM b JOIN f ON f.at = b.x ORDER BY n"), [(1,), (2,)])


class Pages(times.Twins):
    """Keyset paging: where a clock is set forward, two local times may have the other order as instants, so the order of values need not be that of the column."""

    def test_types(self):
        locals_ = ["2024-03-31 01:30:00", "2024-03-31 02:30:00", "2024-03-31 03:10:00", "2024-03-31 03:30:00", "2011-12-30 00:00:00", "2011-12-31 00:00:00"]
        instants = ["2024-03-31 00:30:00+00", "2024-03-31 01:10:00+00", "2024-03-31 01:30:00+00", "2011-12-30 10:00:00+00", "2011-12-31 00:00:00+00"]
        values = {"timestamptz": instants, "timestamp": locals_, "date": ["2024-03-31", "2011-12-30", "2011-12-31"]}
        for kind in TYPES:
            rows = [("p", n, text) for n, text in enumerate(values[kind] * 2)]
            self.load([("pk", "text", None), ("id", "int", None), ("at", kind, {} if kind == "date" else {"format": "iso8601(0)"})], rows,
                      [{"pk": {"S": pk}, "id": {"N": str(n)}, "at": {"S": text if kind == "date" else text[:19].replace(" ", "T") + "Z"}} for pk, n, text in rows], (("pk", "S"), ("id", "N")))
            for zone in self.each_zone(("Europe/Berlin", "Pacific/Apia")):
                for fixed in TYPES:
                    for after in TYPES:
                        self.fx.execute(f"DROP TABLE IF EXISTS b; CREATE TEMP TABLE b AS SELECT x, y FROM unnest(%s::{fixed}[]) x, unnest(%s::{after}[]) y; ANALYZE b",
                                        (values[fixed], values[after]))
                        for more in ("(at, id) > (b.y, 4)", "(at < b.y OR at = b.y AND id < 4)"):
                            self.same(f"SELECT s.id, b.x::text, b.y::text FROM b, LATERAL (SELECT id FROM t WHERE pk = 'p' AND at = b.x AND {more} OFFSET 0) s")


class Requests(times.Requests):
    """What is requested."""

    def test_timestamptz(self):
        self.load_kind("timestamptz")
        self.fx.execute("SET timezone = 'America/Havana'")
        # midnight is twice on that day: the later one counts
        self.assert_keys(("at = timestamp '2024-11-02 20:00'", {"pk": {"S": "p"}, "at": {"S": "2024-11-03T00:00:00Z"}}),
                  ("at = date '2024-11-03'", {"pk": {"S": "p"}, "at": {"S": "2024-11-03T05:00:00Z"}}),
                  ("at IN (date '2024-11-03', date '2024-11-03')", {"pk": {"S": "p"}, "at": {"S": "2024-11-03T05:00:00Z"}}),
                  ("at >= date '2024-11-03' AND at < date '2024-11-04'", "pk = p AND at BETWEEN 2024-11-03T05:00:00Z AND 2024-11-04T05:00:00Z"),
                  ("at > timestamp '2024-11-03 12:00'", "pk = p AND at > 2024-11-03T17:00:00Z"),
                  ("timestamp '2024-11-03 12:00' > at", "pk = p AND at < 2024-11-03T17:00:00Z"),
                  ("at < timestamp 'infinity'", "pk = p"), ("at > timestamp 'infinity'", None), ("at = date 'infinity'", None), ("at < date '5874897-12-31'", "pk = p"),
                  ("at > NULL::date", None), ("at = ANY (NULL::date[])", None), ("at = ANY ('{}'::date[])", None))
        self.fx.execute("SET timezone = 'AAA-24BBB+24,M3.2.0,M11.1.0'")
        self.assert_keys(("at = timestamp '2024-07-02 20:00'", {"pk": {"S": "p"}, "at": {"S": "2024-07-03T20:00:00Z"}}))

    def test_exact_without_recheck(self):
        self.load_kind("timestamptz")
        for sql in ("SELECT n FROM f WHERE pk = 'p' AND at = date '2024-11-03'", "SELECT count(*) FROM f WHERE pk = 'p' AND at = timestamp '2024-11-03 12:00'"):
            self.assertNotIn("  Filter: (at", self.fx.explain(sql))

    def test_timestamp(self):
        self.load_kind("timestamp")
        self.assert_keys(("at = date '2024-11-03'", {"pk": {"S": "p"}, "at": {"S": "2024-11-03T00:00:00Z"}}),
                  ("at BETWEEN date '2024-11-03' AND date '2024-11-04'", "pk = p AND at BETWEEN 2024-11-03T00:00:00Z AND 2024-11-04T00:00:00Z"),
                  # of a zone without transitions the local time is known
                  ("at > timestamptz '2024-11-03 12:00+00'", "pk = p AND at >= 2024-11-03T12:00:01Z"))
        self.fx.execute("SET timezone = 'America/Havana'")
        # both offsets of the transition nearby, and one of a time far from any
        self.assert_keys(("at = timestamptz '2024-11-03 04:00+00'", "pk = p AND at BETWEEN 2024-11-02T23:00:00Z AND 2024-11-03T00:00:00Z"),
                  ("at >= timestamptz '2024-11-03 04:00+00'", "pk = p AND at >= 2024-11-02T23:00:00Z"),
                  ("at <= timestamptz '2024-11-03 04:00+00'", "pk = p AND at <= 2024-11-03T00:00:00Z"),
                  ("at IN (timestamptz '2024-11-03 04:00+00', timestamptz '2024-07-03 04:00+00', NULL)", "pk = p AND at BETWEEN 2024-07-03T00:00:00Z AND 2024-11-03T00:00:00Z"),
                  ("at <= timestamptz '2024-07-03 04:00+00'", "pk = p AND at <= 2024-07-03T00:00:00Z"),
                  ("at > timestamptz 'infinity'", None), ("at < timestamptz '-infinity'", None), ("at = timestamptz 'infinity'", None))
        self.fx.execute("SET timezone = 'AAA-24BBB+24,M3.2.0,M11.1.0'")
        self.assert_keys(("at = timestamptz '2024-11-04 04:00+00'", "pk = p AND at BETWEEN 2024-11-03T04:00:00Z AND 2024-11-05T04:00:00Z"))
        self.assertIn("Filter: (at =", self.fx.explain("SELECT n FROM f WHERE pk = 'p' AND at = timestamptz '2024-11-04 04:00+00'"))

    def test_date(self):
        self.load_kind("date")
        self.assert_keys(("at < timestamp '2024-11-03 10:00'", "pk = p AND at <= 2024-11-03"), ("at < timestamp '2024-11-03 00:00'", "pk = p AND at <= 2024-11-02"),
                  ("at > timestamp '2024-11-03 10:00'", "pk = p AND at >= 2024-11-04"), ("at = timestamp '2024-11-03 00:00'", "pk = p AND at = 2024-11-03"),
                  ("at = timestamp '2024-11-03 10:00'", None))
        self.fx.execute("SET timezone = 'Europe/Berlin'")
        self.assert_keys(("at = timestamptz '2024-07-03 22:00+00'", "pk = p AND at = 2024-07-04"), ("at <= timestamptz '2024-10-27 22:00+00'", "pk = p AND at <= 2024-10-28"))

    def test_partition_key(self):
        """A value is a key only where it is exact; another type's is none."""
        for kind, keyed in (("timestamptz", True), ("timestamp", False)):
            self.load([("id", kind, {"format": "epoch"}), ("n", "integer", None)], [("2024-03-01 00:00:00" + "+00" * keyed, 1)], [{"id": {"N": "1709251200"}, "n": {"N": "1"}}], (("id", "N"),))
            for value in ("timestamp '2024-03-01'", "date '2024-03-01'", "timestamptz '2024-03-01 00:00+00'"):
                sql = f"SELECT n FROM f WHERE id = {value}"
                with self.subTest(sql=sql):
                    [request] = self.fx.requests(sql)
                    self.assertEqual(request.operation, "GetItem" if keyed or "tz" not in value else "Scan")
                    self.assertEqual(self.fx.rows(sql), [(1,)])

    def test_pages(self):
        """A page's end of another type than the column's is compared with the column, not with another local time, unless both are the same one."""
        self.load([("at", "timestamptz", {"format": "epoch"}), ("id", "int", None)], [("2026-03-08 07:30:00+00", 7)], [{"at": {"N": "1772955000"}, "id": {"N": "7"}}], (("at", "N"), ("id", "N")))
        self.fx.execute("SET timezone = 'America/New_York'; SET plan_cache_mode = force_generic_plan")
        for condition in ("(at, id) > ($2, $3)", "(at > $2 OR at = $2 AND id > $3)"):
            for table in "fl":
                self.fx.execute(f"PREPARE {table}_p (timestamp, timestamp, int) AS SELECT id FROM {table} WHERE at = $1 AND {condition};"
                                f"PREPARE {table}_s (timestamp, int) AS SELECT id FROM {table} WHERE at = $1 AND {condition.replace('$2', '$1').replace('$3', '$2')};"
                                f"PREPARE {table}_z (timestamp, timestamptz, int) AS SELECT id FROM {table} WHERE at = $1 AND {condition}")
            for end, rows in (("03:30', 5", [(7,)]), ("03:10', 5", [(7,)]), ("03:30', 7", []), ("03:40', 5", []), ("02:10', 9", [(7,)])):
                for name in "pz":
                    found, right = [self.fx.rows(f"EXECUTE {table}_{name} ('2026-03-08 02:30', '2026-03-08 {end})") for table in "fl"]
                    self.assertEqual((found, right), (rows, rows), (condition, name, end))
            self.assertEqual(self.key("EXECUTE f_s ('2026-03-08 02:30', 5)"), "at = 1772955000 AND id > 5")
            self.assertEqual(self.key("EXECUTE f_p ('2026-03-08 02:30', '2026-03-08 03:30', 5)"), "at = 1772955000")
            self.fx.execute("DEALLOCATE ALL")

    def test_zone_of_the_execution(self):
        """A plan serves all zones and date styles."""
        self.load_kind("timestamptz")
        for mode in ("force_generic_plan", "force_custom_plan"):
            self.fx.execute(f"SET plan_cache_mode = {mode}; SET timezone = 'UTC'; SET datestyle = 'ISO'")
            for table in "fl":
                self.fx.execute(f"PREPARE {table}_d (date) AS SELECT n FROM {table} WHERE pk = 'p' AND at >= $1 AND at < timestamp '2024-11-04'; EXECUTE {table}_d ('2024-11-03');"
                                f"PREPARE {table}_e (date) AS SELECT n FROM {table} WHERE pk = 'p' AND at = $1; EXECUTE {table}_e ('2024-11-03')")
            for zone in self.each_zone():
                for style in ("ISO", "German", "SQL, DMY", "Postgres, MDY"):
                    self.fx.execute(f"SET datestyle = '{style}'")
                    for name in "de":
                        rows, right = [sorted(self.fx.rows(f"EXECUTE {table}_{name} (date '2024-11-03')")) for table in "fl"]
                        self.assertEqual(rows, right, (mode, zone, style, name))
            self.fx.execute("SET datestyle = 'ISO'; SET timezone = 'America/Havana'")
            self.assertEqual(self.key("EXECUTE f_e ('2024-11-03')"), {"pk": {"S": "p"}, "at": {"S": "2024-11-03T05:00:00Z"}})
            self.fx.execute("SET timezone = 'Europe/Berlin'")
            self.assertEqual(self.key("EXECUTE f_e ('2024-11-03')"), {"pk": {"S": "p"}, "at": {"S": "2024-11-02T23:00:00Z"}})
            self.fx.execute("DEALLOCATE ALL")

    def test_widened_by_the_zone_of_the_execution(self):
        self.load_kind("timestamp")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for table in "fl":
            self.fx.execute(f"PREPARE {table}_t (timestamptz) AS SELECT n FROM {table} WHERE pk = 'p' AND at = $1; EXECUTE {table}_t ('2024-11-03 04:00+00')")
        for zone in self.each_zone():
            for bound in times.bounds("timestamptz", zone):
                rows, right = [sorted(self.fx.rows(f"EXECUTE {table}_t ('{bound}')")) for table in "fl"]
                self.assertEqual(rows, right, (zone, bound))

    def test_mismatches(self):
        """Stored values that are no times."""
        for kind in TYPES:
            self.load([("pk", "text", None), ("at", kind, {"format": "iso8601(0)"} if kind != "date" else {}), ("n", "integer", None)],
                      [("p", None, 1), ("p", "2024-11-03 00:00:00" + ("+00" if kind == "timestamptz" else ""), 2)],
                      [{"pk": {"S": "p"}, "at": {"S": "x"}, "n": {"N": "1"}}, {"pk": {"S": "p"}, "at": {"S": "2024-11-03" + ("T00:00:00Z" if kind != "date" else "")}, "n": {"N": "2"}}],
                      (("pk", "S"), ("at", "S")), on_mismatch="null")
            for other in TYPES:
                self.same(*(f"SELECT n FROM t WHERE pk = 'p' AND at {operator} {other} '2024-11-03'" for operator in OPERATORS), *(f"SELECT n FROM t WHERE at {operator} {other} '2024-11-03'" for operator in OPERATORS))
