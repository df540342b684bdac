"""Ranges of days, hours, months and years as partition keys, by constants, parameters and values of other tables."""
import datetime
import json
import re

import fixture
import request_text
import shop
from dynamo import index

DAYS = [datetime.date(2026, 10, 25) + datetime.timedelta(n) for n in range(20)]


class TimeRanges(request_text.RequestTestCase):
    """Rows and requests against local tables."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET TimeZone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'")
        body = "x" * 3000
        # of metric, tenant and day
        fx.create_table("metric", ("pk", "S"), ("sk", "S"))
        fx.put("metric", [{"pk": f"T#{tenant}#M#{metric}#{day}", "sk": f"{hour:02}:00", "v": n * 10 + hour, "body": body}
                          for tenant in ("acme", "zoo") for metric in ("cpu", "mem") for n, day in enumerate(DAYS) for hour in range(3)])
        fx.foreign_table("metric", "tenant text NOT NULL, metric text NOT NULL, day date NOT NULL, sk text COLLATE \"C\" NOT NULL, v int, body text",
                         key_templates=json.dumps({"pk": "T#${tenant}#M#${metric}#${day}"}))
        # of months in a number's place, of hours in Berlin, and of days by the attribute itself
        fx.create_table("month", ("pk", "S"))
        fx.put("month", [{"pk": f"M/{day:%m.%Y}", "v": day.month, "body": body} for day in (datetime.date(year, month, 1) for year in range(2020, 2028) for month in range(1, 13))])
        fx.foreign_table("month", "month date NOT NULL, v int, body text", key_templates=json.dumps({"pk": "M/${month:pattern(MM.YYYY)}"}))
        fx.create_table("plain", ("day", "S"), ("sk", "N"))
        fx.put("plain", [{"day": str(day), "sk": n % 3, "v": n, "body": body} for n, day in enumerate(DAYS)])
        fx.foreign_table("plain", "day date NOT NULL, sk int NOT NULL, v int, body text")
        fx.create_table("epoch", ("day", "N"))
        fx.put("epoch", [{"day": (day - datetime.date(1970, 1, 1)).days, "v": n, "body": body} for n, day in enumerate(DAYS)])
        fx.foreign_table("epoch", "day date OPTIONS (format 'epoch_days') NOT NULL, v int, body text")
        # readings by tenant and day, and by hour in an index
        fx.create_table("reading", ("pk", "S"), ("sk", "S"), [index("by_hour", ("gpk", "S"), ("sk", "S"))])
        times = [datetime.datetime(2026, 11, 1) + datetime.timedelta(hours=7 * n) for n in range(40)]
        fx.put("reading", [{"pk": f"T#{tenant}#{at:%Y-%m-%d}", "sk": f"{at:%Y-%m-%dT%H:%M:%S}Z", "gpk": f"{at + datetime.timedelta(hours=1):%Y%m%d%H}", "v": n, "body": body}
                           for tenant in "ab" for n, at in enumerate(times)])
        fx.foreign_table("reading", "tenant text NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int, body text", trusted_indexes="by_hour",
                         key_templates=json.dumps({"pk": "T#${tenant}#${at:day}", "sk": "${at}", "gpk": "${at:trunc(YYYYMMDDHH24,Europe/Berlin)}"}))
        cls.mirror("metric", "month", "plain", "epoch", "reading")
        fx.execute("CREATE TABLE spans (name text, lo date, hi date, at timestamptz, til timestamptz)")
        fx.execute("INSERT INTO spans VALUES ('a', '2026-11-01', '2026-11-02', '2026-11-01 10:00', '2026-11-02 03:00'), ('b', '2026-10-31', '2026-10-30', '2026-11-05 00:00', '2026-11-05 00:00'), "
                   "('n', NULL, '2026-11-02', NULL, 'infinity'), ('c', '2026-11-12', '2026-11-20', '2026-11-02 23:00', '2026-11-03 00:00')")

    METRIC = "SELECT v FROM metric WHERE tenant = 'acme' AND metric = 'cpu' AND "

    def keys(self, *days):
        """Queries of these days."""
        return [f"Query metric where pk = 'T#acme#M#cpu#{day}' get pk, v" for day in days]

    def test_days(self):
        """Each way to write the same days."""
        days = self.keys("2026-11-02", "2026-11-03", "2026-11-04")
        for condition in ("day BETWEEN '2026-11-02' AND '2026-11-04'", "day >= '2026-11-02' AND day < '2026-11-05'", "day > date '2026-11-01' AND day < timestamp '2026-11-04 12:00'",
                          "day >= '2026-11-02' AND day <= '2026-11-04' AND day < '2027-01-01'", "date_trunc('day', day::timestamp) BETWEEN '2026-11-02' AND '2026-11-04'"):
            with self.subTest(condition):
                self.assertRequests(self.METRIC + condition, days)
        self.assertIn("AND day BETWEEN '2026-11-02'::date AND '2026-11-04'::date", self.fx.explain(self.METRIC + "day BETWEEN '2026-11-02' AND '2026-11-04'"))
        # several tenants, and a range of the sort key
        self.assertRequests("SELECT v FROM metric WHERE tenant IN ('acme', 'zoo') AND metric = 'mem' AND day BETWEEN '2026-11-02' AND '2026-11-03' AND sk >= '01:00'",
                        [f"Query metric where pk = 'T#{tenant}#M#mem#{day}' AND sk >= '01:00' get pk, sk, v" for tenant in ("acme", "zoo") for day in ("2026-11-02", "2026-11-03")])

    def test_none(self):
        """Bounds that leave no day."""
        for condition in ("day BETWEEN now()::date AND '-infinity'", "day > (SELECT 'infinity'::date) AND day < 'infinity'", "day BETWEEN (SELECT NULL::date) AND '2026-11-03'"):
            with self.subTest(condition):
                self.assertRequests(self.METRIC + condition, [])

    def test_too_many(self):
        """A thousand values, and one more: the plan shows why it reads the table."""
        self.assertEqual(len(self.texts(self.METRIC + "day BETWEEN '2026-01-01' AND '2026-01-30'")), 30)
        for condition, why in (("day BETWEEN '2000-01-01' AND '2026-11-04'", "has more than 1000 values between its bounds"), ("day >= '2026-11-02'", "has no upper bound"), ("day <= '2026-11-02'", "has no lower bound")):
            with self.subTest(condition):
                [text] = self.texts(self.METRIC + condition)
                self.assertTrue(text.startswith("Scan metric"), text)
                self.assertIn(f'column "day" {why}', self.fx.explain(self.METRIC + condition))
                self.assertEqual(sorted(self.fx.rows(self.METRIC + condition)), sorted(self.mirrored(self.METRIC + condition)))

    def test_parameters(self):
        """In a generic plan; with too many values the table is read."""
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.fx.execute(f"PREPARE p (date, date) AS {self.METRIC} day BETWEEN $1 AND $2")
        self.fx.execute(f"PREPARE q (timestamptz, timestamptz) AS SELECT v FROM reading WHERE tenant = 'a' AND at >= $1 AND at < $2")
        self.assertEqual(self.texts("EXECUTE p('2026-11-02', '2026-11-04')"), self.keys("2026-11-02", "2026-11-03", "2026-11-04"))
        self.assertEqual(self.texts("EXECUTE p('2026-11-02', NULL)"), [])
        self.assertEqual(self.texts("EXECUTE p('2026-11-02', '2026-11-01')"), [])
        for arguments in ("'2026-11-02', '2026-11-04'", "'2000-01-01', '2026-11-04'", "'2026-11-02', 'infinity'", "'-infinity', '2026-11-02'"):
            with self.subTest(arguments):
                lo, hi = arguments.split(", ")
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE p({arguments})")), sorted(self.mirrored(f"{self.METRIC} day BETWEEN {lo} AND {hi}")))
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE q({arguments})")), sorted(self.mirrored(f"SELECT v FROM reading WHERE tenant = 'a' AND at >= {lo} AND at < {hi}")))
        [text] = self.texts("EXECUTE p('2000-01-01', '2026-11-04')")
        self.assertTrue(text.startswith("Scan metric"))
        self.assertIn("Table Fallbacks: 1", self.fx.explain("EXECUTE p('2000-01-01', '2026-11-04')", "ANALYZE, COSTS OFF"))

    def test_formats(self):
        """Months that do not sort, and days as numbers or as the attribute itself."""
        self.assertRequests("SELECT v FROM month WHERE month BETWEEN '2024-11-02' AND '2025-02-01'", ["BatchGetItem month {pk 'M/01.2025'} {pk 'M/02.2025'} {pk 'M/12.2024'} get pk, v"])
        self.assertRequests("SELECT v FROM plain WHERE day BETWEEN '2026-11-01' AND '2026-11-02'", [f"Query plain where day = '{day}' get day, v" for day in ("2026-11-01", "2026-11-02")])
        self.assertRequests("SELECT v FROM epoch WHERE day BETWEEN '2026-11-01' AND '2026-11-02'", ["BatchGetItem epoch {day 20758} {day 20759} get day, v"])

    def test_distant_days(self):
        """Days that are stored as numbers may be before the year 1 or after the year 9999."""
        days = [day for first in (2932892, -719530, -2440585, 106741034) for day in range(first, first + 10)]
        self.fx.create_table("distant", ("day", "N"))
        self.fx.put("distant", [{"day": day, "v": day} for day in days])
        self.fx.foreign_table("distant", "day date OPTIONS (format 'epoch_days') NOT NULL, v int")
        self.mirror("distant")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE distant (date, date) AS SELECT v FROM distant WHERE day BETWEEN $1 AND $2")
        for lo, hi in (("9999-12-30", "10000-01-05"), ("10000-01-02", "10000-01-04"), ("0001-12-25 BC", "0001-01-02"), ("0001-12-20 BC", "0001-12-28 BC"),
                       ("4713-11-20 BC", "4712-01-20 BC"), ("294276-12-28", "294277-01-10"), ("294276-12-25", "infinity")):
            condition = f"day BETWEEN '{lo}' AND '{hi}'"
            with self.subTest(condition):
                right = sorted(self.mirrored(f"SELECT v FROM distant WHERE {condition}"))
                self.assertEqual(sorted(self.fx.rows(f"SELECT v FROM distant WHERE {condition}")), right)
                self.assertEqual(sorted(self.fx.rows(f"EXECUTE distant ('{lo}', '{hi}')")), right)

    def test_units(self):
        """Bounds of a time bound its unit; the sort key has the times."""
        def query(day, condition):
            return f"Query reading where pk = 'T#a#{day}' AND sk {condition} get pk, sk, v"
        between = "BETWEEN '2026-11-01T12:00:00Z' AND '2026-11-03T03:00:00['"
        self.assertRequests("SELECT v FROM reading WHERE tenant = 'a' AND at BETWEEN '2026-11-01 12:00' AND '2026-11-03 03:00'", [query(f"2026-11-0{n}", between) for n in (1, 2, 3)])
        self.assertRequests("SELECT v FROM reading WHERE tenant = 'a' AND at >= '2026-11-02' AND at < '2026-11-03'",
                        [query("2026-11-02", "BETWEEN '2026-11-02T00:00:00Z' AND '2026-11-03T00:00:00Z'")])
        self.assertRequests("SELECT v FROM reading WHERE tenant = 'a' AND at::date = '2026-11-02'", [query("2026-11-02", "BETWEEN '2026-11-02T00:00:00Z' AND '2026-11-02T23:59:59['")])
        self.assertRequests("SELECT v FROM reading WHERE tenant = 'a' AND date_trunc('month', at) = '2025-01-01'", [query(f"2025-01-{n:02}", "BETWEEN '2025-01-01T00:00:00Z' AND '2025-01-31T23:59:59['") for n in range(1, 32)])
        # relative to now, in the past of the rows
        self.assertEqual(len(self.texts("SELECT v FROM reading WHERE tenant = 'a' AND at BETWEEN now() - interval '3 days' AND now()")), 4)

    def test_units_of_units(self):
        """Two units of one time in a key, in whatever order: only those that belong together are requested."""
        times = [datetime.datetime(2025, 12, 31, 23, 30)] + [datetime.datetime(2025, 1, 10, 5) + datetime.timedelta(days=13 * n, hours=n) for n in range(60)]
        self.fx.create_table("calendar", ("pk", "S"), ("sk", "S"))
        self.fx.put("calendar", [{"pk": pk, "sk": f"{at:%Y-%m-%dT%H:%M:%S}Z", "v": n} for n, at in enumerate(times)
                                 for pk in (f"{at:%Y#%Y-%m}", f"D/{at:%d.%m.%Y/%Y-%m}/{at + datetime.timedelta(hours=1):%Y}")])
        for name, template in (("calendar", "${at:year}#${at:month}"), ("diary", "D/${at:trunc(DD.MM.YYYY)}/${at:month}/${at:year(Etc/GMT-1)}")):
            self.fx.foreign_table(name, "at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int", key_templates=json.dumps({"pk": template, "sk": "${at}"}),
                                  table_name=self.fx.remote("calendar"))
        self.mirror("calendar", "diary")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL; SET dynamo_fdw.scan_policy = 'allow'")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; SET dynamo_fdw.scan_policy = 'error'")
        self.fx.execute("PREPARE calendar (timestamptz, timestamptz) AS SELECT v FROM calendar WHERE at BETWEEN $1 AND $2")
        for lo, hi, months in (("2025-11-05", "2026-02-10", ("2025#2025-11", "2025#2025-12", "2026#2026-01", "2026#2026-02")), ("2025-03-01", "2025-03-02", ("2025#2025-03",)), ("2026-03-01", "2025-03-02", ())):
            queries = [f"Query calendar where pk = '{month}' AND sk BETWEEN '{lo}T00:00:00Z' AND '{hi}T00:00:00[' get pk, sk, v" for month in months]
            self.assertRequests(f"SELECT v FROM calendar WHERE at BETWEEN '{lo}' AND '{hi}'", queries)
            self.assertEqual(self.texts(f"EXECUTE calendar('{lo}', '{hi}')"), queries)
        # 60 years, and 720 months
        self.assertEqual(len(self.texts("SELECT v FROM calendar WHERE at >= '1980-01-01' AND at < '2040-01-01'")), 720)
        self.assertEqual(len(self.texts("EXECUTE calendar('1980-01-01', '2039-12-31')")), 720)
        for name, order in (("calendar", ""), ("calendar", " DESC"), ("diary", ""), ("diary", " DESC")):
            sql = f"SELECT at FROM {name} WHERE at BETWEEN '2025-01-01' AND '2026-02-28' ORDER BY at{order} LIMIT 20"
            self.assertEqual(self.fx.rows(sql), self.mirrored(sql))
            self.assertEqual("Sort" in self.fx.explain(sql), name == "diary")
        self.assertEqual(len(self.texts("SELECT at FROM calendar WHERE at BETWEEN '2025-01-01' AND '2026-12-31' ORDER BY at LIMIT 2")), 1)
        # the year in another zone does not follow from the day
        for lo, hi, count in (("2025-12-30 12:00", "2026-01-02", 4 * 2), ("2025-12-01", "2025-12-31 23:30", 31 * 2), ("2025-03-30", "2025-04-02", 4)):
            sql = f"SELECT v FROM diary WHERE at BETWEEN '{lo}' AND '{hi}'"
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
            self.assertEqual(len(self.texts(sql)), count)
        for condition in ("at = '2025-02-05 07:00'", "at IN ('2025-02-05 07:00', '2025-01-10 05:00', '2026-02-18 12:00')"):
            for name in ("calendar", "diary"):
                sql = f"SELECT v FROM {name} WHERE {condition}"
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_units_twice(self):
        """Equal units of one time in a key, however they are written, belong together, too; but not if they are of two zones."""
        times = [datetime.datetime(2025, 1, 10, 5) + datetime.timedelta(days=13 * n, hours=n) for n in range(40)] + [datetime.datetime(2025, 12, 31, 23, 30), datetime.datetime(2026, 1, 1)]
        self.fx.create_table("twice", ("pk", "S"), ("sk", "S"))
        self.fx.put("twice", [{"pk": pk, "sk": f"{at:%Y-%m-%dT%H:%M:%S}Z", "v": n} for n, at in enumerate(times)
                              for pk in (f"{at:%Y%m}/{at:%Y-%m}", f"B/{at:%Y-%m-%d/%d.%m.%Y}/{at + datetime.timedelta(hours=1):%Y-%m-%d/%Y/%Y%m%d}", f"D/{at:%Y-%m#%Y-%m-%d#%d.%m.%Y}")])
        at = "at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int"
        for name, columns, templates in (("monthly", at, {"pk": "${at:trunc(YYYYMM)}/${at:month}", "sk": "${at}"}),
                                         ("zoned", at, {"pk": "B/${at:day}/${at:trunc(DD.MM.YYYY)}/${at:day(Etc/GMT-1)}/${at:year(Etc/GMT-1)}/${at:trunc(YYYYMMDD,etc/gmt-1)}", "sk": "${at}"}),
                                         ("daily", "at date NOT NULL, sk text COLLATE \"C\" NOT NULL, v int", {"pk": "D/${at:month}#${at}#${at:pattern(DD.MM.YYYY)}"})):
            self.fx.foreign_table(name, columns, key_templates=json.dumps(templates), table_name=self.fx.remote("twice"))
        self.mirror("monthly", "zoned", "daily")
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL; SET dynamo_fdw.scan_policy = 'allow'")
        self.fx.execute("SET plan_cache_mode = force_generic_plan; SET dynamo_fdw.scan_policy = 'error'")
        for name, lo, hi, count in (("monthly", "2025-11-05", "2026-02-10", 4), ("monthly", "2020-01-01", "2028-04-30", 100), ("zoned", "2025-12-30", "2026-01-01 12:00", 3 * 3), ("zoned", "2025-03-30", "2025-03-30 23:30", 2),
                                    ("daily", "2025-11-20", "2026-02-10", 83)):
            with self.subTest(name, lo=lo, hi=hi):
                sql = f"SELECT v FROM {name} WHERE at BETWEEN '{lo}' AND '{hi}'"
                self.fx.execute(f"DEALLOCATE ALL; PREPARE twice AS SELECT v FROM {name} WHERE at BETWEEN $1 AND $2")
                for statement in (sql, f"EXECUTE twice('{lo}', '{hi}')"):
                    self.assertEqual(len(self.texts(statement)), count)
                    self.assertEqual(sorted(self.fx.rows(statement)), sorted(self.mirrored(sql)))
                for other in (sql + " AND at <> '2025-12-05' ORDER BY at LIMIT 3", f"SELECT v FROM {name} WHERE at IN ('{lo}', '{hi}', '2026-01-01')",
                              f"SELECT v FROM {name} WHERE (at = '{lo}' OR at IN ('{hi}', '2026-01-01')) AND random() > -1"):
                    self.assertEqual(sorted(self.fx.rows(other)), sorted(self.mirrored(other)))
        self.assertRequests("SELECT v FROM monthly WHERE at BETWEEN '2025-12-31' AND '2026-01-01'",
                            [f"Query twice where pk = '{month}' AND sk BETWEEN '2025-12-31T00:00:00Z' AND '2026-01-01T00:00:00[' get pk, sk, v" for month in ("202512/2025-12", "202601/2026-01")])

    def test_more_combinations_than_a_double_counts(self):
        """None of many times is lost where the product of all parts' values exceeds 2^53, and is divided again."""
        at, last = datetime.datetime(2020, 1, 1, 5, 6, 7, 125000), datetime.datetime(2024, 4, 1, 5, 6, 7, 125000)
        self.fx.create_table("ticks", ("pk", "S"))
        self.fx.put("ticks", [{"pk": f"{last:%Y-%m-%d/%Y-%m-%dT%H/%Y%m%d%H%M/%Y%m%d%H%M%S/%Y-%m-%dT%H:%M:%S}.125Z"}])
        self.fx.foreign_table("ticks", "at timestamptz OPTIONS (format 'iso8601(3)') NOT NULL",
                              key_templates=json.dumps({"pk": "${at:day}/${at:hour}/${at:trunc(YYYYMMDDHH24MI)}/${at:trunc(YYYYMMDDHH24MISS)}/${at}"}))
        shop.pretend_large(self.fx, 10 ** 9)
        self.addCleanup(self.fx.proxy.on, "DescribeTable", None)
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        # a volatile condition rules out a union
        self.fx.execute("SET plan_cache_mode = force_generic_plan; PREPARE ticks AS SELECT at::text FROM ticks WHERE (at = ANY ($1) OR at = $2) AND random() > -1")
        days = ",".join(f'"{at + datetime.timedelta(n)}Z"' for n in range(1, 1553))
        self.assertEqual(self.fx.rows(f"EXECUTE ticks('{{{days}}}', '{at}Z')"), [(f"{str(last)[:23]}+00",)])

    def test_zones(self):
        """Hours of Berlin in an index, whatever the session's zone is."""
        sql = "SELECT v FROM reading WHERE at BETWEEN '2026-11-01 12:00+00' AND '2026-11-01 14:30+00' AND v > 1"
        expected = [f"Query reading/by_hour where gpk = '20261101{hour}' AND sk BETWEEN '2026-11-01T12:00:00Z' AND '2026-11-01T14:30:00[' filter v > 1 AND begins_with(pk,'T#') get gpk, pk, sk, v" for hour in (13, 14, 15)]
        for zone in ("UTC", "Pacific/Apia"):
            self.fx.execute(f"SET TimeZone = '{zone}'")
            self.assertEqual(self.texts(sql), expected)
            self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
        self.fx.execute("SET TimeZone = 'UTC'")

    def test_joins(self):
        """Values of other tables, batched; a row without an end reads the table."""
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; ANALYZE spans")
        self.addCleanup(self.fx.execute, "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material")
        join = "FROM public.spans s JOIN metric m ON m.tenant = 'acme' AND m.metric = 'cpu' AND m.day BETWEEN s.lo AND s.hi"
        self.assertRequests(f"SELECT s.name, m.v {join} WHERE s.name IN ('a', 'b')", self.keys("2026-11-01", "2026-11-02"))
        for sql in (f"SELECT s.name, m.v {join}", "SELECT s.name, x.v FROM public.spans s CROSS JOIN LATERAL (SELECT v FROM reading r WHERE r.tenant = 'a' AND r.at >= s.at AND r.at < s.til ORDER BY at, v LIMIT 2) x",
                    "SELECT s.name, (SELECT count(*) FROM metric m WHERE m.tenant = 'acme' AND m.metric = 'cpu' AND m.day BETWEEN s.lo AND s.hi) FROM public.spans s",
                    "SELECT v FROM reading WHERE tenant = 'a' AND at BETWEEN (SELECT min(at) FROM public.spans) AND (SELECT max(at) FROM public.spans)"):
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
        self.assertEqual(len(self.texts("SELECT v FROM reading WHERE tenant = 'a' AND at BETWEEN (SELECT min(at) FROM public.spans) AND (SELECT max(at) FROM public.spans)")), 5)
        # the rows without an end share two Scans
        self.fx.execute("CREATE TEMP TABLE ends AS SELECT lo, CASE WHEN lo = '2026-11-02' THEN lo ELSE 'infinity' END AS hi FROM unnest('{2026-11-01,2026-11-02,2026-11-05,2026-10-30,-infinity}'::date[]) lo; ANALYZE ends")
        sql = "SELECT e.lo, m.v FROM ends e LEFT JOIN metric m ON m.tenant = 'acme' AND m.metric = 'cpu' AND m.day BETWEEN e.lo AND e.hi"
        self.assertEqual(sorted(self.fx.rows(sql), key=repr), sorted(self.mirrored(sql), key=repr))
        self.assertEqual([text for text in self.texts(sql) if " filter " not in text], [*self.keys("2026-11-02"), "Scan metric get pk, sk, v"])
        self.assertEqual(len(self.texts(sql)), 3)

    def test_order(self):
        """Units follow each other, so that the first rows are in the first partition."""
        sql = "SELECT v FROM reading WHERE tenant = 'a' AND at BETWEEN '2026-11-01 12:00' AND '2026-11-09 05:00' ORDER BY at"
        self.assertNotIn("Sort", self.fx.explain(sql))
        self.assertEqual(len(self.texts(sql)), 9)
        for tail, days in (("", [1]), (" DESC", [9]), (", tenant DESC", [1])):
            [text] = self.texts(f"{sql}{tail} LIMIT 1")
            self.assertIn(f"pk = 'T#a#2026-11-0{days[0]}'", text)
        # two requests in flight from the eighth partition on
        for tail in ("", " DESC", " LIMIT 1", " DESC LIMIT 1", " LIMIT 5", " DESC LIMIT 9", " DESC OFFSET 3 LIMIT 4", " LIMIT 25"):
            with self.subTest(tail):
                self.assertEqual(self.fx.rows(sql + tail), self.mirrored(sql + tail))
        self.assertEqual(self.texts("SELECT max(at) FROM reading WHERE tenant = 'a' AND at BETWEEN '2026-11-01 12:00' AND '2026-11-09 05:00'"),
                         ["Query reading where pk = 'T#a#2026-11-09' AND sk BETWEEN '2026-11-01T12:00:00Z' AND '2026-11-09T05:00:00[' get pk, sk limit 1 backward"])
        # of several tenants they are merged
        both = "SELECT tenant, v FROM reading WHERE tenant IN ('a', 'b') AND at BETWEEN '2026-11-01 12:00' AND '2026-11-02 03:00' ORDER BY at, tenant LIMIT 3"
        self.assertEqual(len(self.texts(both)), 4)
        self.assertEqual(self.fx.rows(both), self.mirrored(both))
        # more than all requests in flight, in a generic plan and by a cursor
        self.addCleanup(self.fx.execute, "RESET plan_cache_mode; DEALLOCATE ALL")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.fx.execute("PREPARE o (timestamptz, timestamptz) AS SELECT v FROM reading WHERE tenant = 'a' AND at BETWEEN $1 AND $2 ORDER BY at DESC LIMIT 4")
        arguments = "'2026-10-01', '2026-11-30'"
        self.assertEqual(self.fx.rows(f"EXECUTE o({arguments})"), self.mirrored("SELECT v FROM reading WHERE tenant = 'a' ORDER BY at DESC LIMIT 4"))
        self.assertLessEqual(len(self.texts(f"EXECUTE o({arguments})")), 28)
        self.assertEqual(self.fx.rows("EXECUTE o('2000-01-01', '2026-11-30')"), self.mirrored("SELECT v FROM reading WHERE tenant = 'a' ORDER BY at DESC LIMIT 4"))
        with self.fx.conn.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("DECLARE c SCROLL CURSOR FOR " + sql)
            cursor.execute("FETCH 3 FROM c")
            rows = cursor.fetchall()
            cursor.execute("FETCH BACKWARD ALL FROM c")
            cursor.execute("FETCH ALL FROM c")
            self.assertEqual((rows, cursor.fetchall()), (self.mirrored(sql)[:3], self.mirrored(sql)))
            cursor.execute("COMMIT")

    def test_large_integers(self):
        """Adjacent integers that are equal as doubles are several partitions, which have no common order."""
        fx, first = self.fx, 2**62
        fx.create_table("snow", ("pk", "S"), ("sk", "S"))
        fx.put("snow", [{"pk": f"S#{first + n}#{day}", "sk": f"{day}T{n:02}:00:00Z", "v": n} for day in DAYS[:3] for n in range(6)])
        fx.foreign_table("snow", "id bigint NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int", key_templates='{"pk": "S#${id}#${at:day}", "sk": "${at}"}')
        self.mirror("snow")
        for direction in ("", "DESC LIMIT 5"):
            sql = f"SELECT at, v FROM snow WHERE id BETWEEN {first} AND {first + 5} AND at BETWEEN '2026-10-25' AND '2026-10-28' ORDER BY at {direction}"
            with self.subTest(direction):
                self.assertEqual(fx.rows(sql), self.mirrored(sql))

    def test_several_ranges(self):
        """Bounds of several parts by a join, next to an enumerated part: more combinations than are tried."""
        fx = self.fx
        fx.create_table("several", ("pk", "S"), ("sk", "S"))
        fx.put("several", [{"pk": f"7#{a}#{b}#{a}", "sk": "x", "v": n} for n, (a, b) in enumerate(zip(DAYS, DAYS[1:]))])
        fx.foreign_table("several", "shard int NOT NULL, a date NOT NULL, b date NOT NULL, c date NOT NULL, sk text NOT NULL, v int", key_templates='{"pk": "${shard:0..199}#${a}#${b}#${c}"}')
        self.mirror("several")
        for parts in ("ab", "abc"):
            sql = "SELECT v FROM spans, several WHERE " + " AND ".join(f"{part} BETWEEN lo AND hi" for part in parts)
            with self.subTest(parts):
                self.assertEqual(sorted(fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_constraints(self):
        """A CHECK constraint, which PostgreSQL assumes to hold, gives a bound that the statement lacks."""
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE reading DROP CONSTRAINT IF EXISTS past")
        newest = "SELECT v FROM reading WHERE tenant = 'a' AND at >= '2026-11-10 12:00' ORDER BY at DESC LIMIT 1"
        self.assertTrue(self.texts(newest)[0].startswith("Scan"))
        self.fx.execute("ALTER FOREIGN TABLE reading ADD CONSTRAINT past CHECK (at <= '2026-11-12 12:00'::timestamptz AND v >= 0)")
        self.assertRequests(newest, [f"Query reading where pk = 'T#a#2026-11-{day}' AND sk >= '2026-11-10T12:00:00Z' get pk, sk, v limit 1 backward" for day in (12,)])
        self.assertEqual(len(self.texts("SELECT v FROM reading WHERE tenant = 'a' AND at > '2026-11-10 12:00'")), 3)
        self.assertTrue(self.texts("SELECT v FROM reading WHERE tenant = 'a'")[0].startswith("Scan"))
        self.fx.execute("ALTER FOREIGN TABLE reading DROP CONSTRAINT past, ADD CONSTRAINT past CHECK (at <= now() + interval '30 years')")
        self.assertTrue(self.texts("SELECT v FROM reading WHERE tenant = 'a' AND at >= '2026-11-10'")[0].startswith("Scan"))

    def test_constraints_of_a_joined_table(self):
        """The columns of a constraint are not taken for those of the statement's first table, which are NOT NULL."""
        self.fx.create_table("closing", ("id", "N"))
        self.fx.put("closing", [{"id": n, "v": f"v{n % 3}", **({"closed": str(DAYS[n])} if n <= 10 else {})} for n in range(15)])
        self.fx.foreign_table("closing", "id int NOT NULL, closed date, v text")
        self.mirror("closing")
        self.fx.execute("ALTER FOREIGN TABLE closing ADD CHECK (closed IS NULL OR id <= 10); CREATE TABLE notes (x int NOT NULL, note text NOT NULL); INSERT INTO notes VALUES (1, 'v2'), (2, 'v1')")
        for sql in ("SELECT notes.x, closing.* FROM notes JOIN closing ON closing.v = notes.note WHERE closing.id >= 0", "SELECT * FROM closing WHERE id >= 0"):
            self.assertEqual(sorted(self.fx.rows(sql), key=str), sorted(self.mirrored(sql), key=str))

    def test_constraints_that_depend_on_the_time(self):
        """They held when the row was stored: a row that is older, or later than the transaction, is found nevertheless."""
        self.addCleanup(self.fx.execute, "ALTER FOREIGN TABLE reading DROP CONSTRAINT IF EXISTS past")
        for check, condition in (("at > now() - interval '1 hour'", "at < '2026-11-12 12:00'"), ("at <= now() - interval '30 years'", "at >= '2026-11-10 12:00'")):
            sql = f"SELECT v FROM reading WHERE tenant = 'a' AND {condition} ORDER BY at"
            expected = self.mirrored(sql)
            self.assertTrue(expected)
            self.fx.execute(f"ALTER FOREIGN TABLE reading DROP CONSTRAINT IF EXISTS past, ADD CONSTRAINT past CHECK ({check})")
            self.assertEqual(self.fx.rows(sql), expected)
        recent = "SELECT v FROM (SELECT * FROM reading WHERE at <= now()) recent WHERE tenant = 'a' AND at >= now() - interval '3 days'"
        self.assertEqual(len(self.texts(recent)), 4)


class Memory(fixture.TestCase):
    """Days of several pages, which are read in turn within fetch_memory."""

    def test_limits(self):
        """The next page of the current day is read although responses for later days have arrived and wait for memory."""
        fx = self.fx
        fx.execute("SET TimeZone = 'UTC'; SET statement_timeout = '20s'")
        fx.create_table("pages", ("pk", "S"), ("sk", "S"))
        times = [datetime.datetime(2026, 11, day, hour) for day in range(1, 6) for hour in range(14)]
        fx.put("pages", [{"pk": f"T#a#{at:%Y-%m-%d}", "sk": f"{at:%Y-%m-%dT%H:%M:%S}Z", "v": n, "body": "x" * 100000} for n, at in enumerate(times)])
        fx.foreign_table("pages", "tenant text NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int, body text",
                         key_templates=json.dumps({"pk": "T#${tenant}#${at:day}", "sk": "${at}"}))
        rows = "SELECT v, length(body) FROM pages WHERE tenant = 'a' AND at BETWEEN '2026-11-01' AND '2026-11-05 23:00'"
        for memory in ("1MB", "2MB", "4MB", "6MB"):
            fx.execute(f"SET dynamo_fdw.fetch_memory = '{memory}'")
            for direction in ("", "DESC"):
                with self.subTest(memory=memory, direction=direction):
                    expected = sorted(((n, 100000) for n in range(len(times))), reverse=direction == "DESC")
                    self.assertEqual(fx.rows(f"{rows} ORDER BY at {direction}"), expected)
            # about 860 read units
            for limit in (300, 450, 600, 750, 900):
                with self.subTest(memory=memory, limit=limit):
                    fx.execute(f"SET dynamo_fdw.max_read_units_per_statement = {limit}")
                    if limit < 860:
                        self.assertEqual(fx.error(f"{rows} ORDER BY at").sqlstate, "54000")
                    else:
                        self.assertEqual(len(fx.rows(f"{rows} ORDER BY at")), len(times))
                    fx.execute("RESET dynamo_fdw.max_read_units_per_statement")


class Limits(fixture.TestCase):
    """Days that are read in turn, up to a LIMIT."""

    def test_after_a_long_day(self):
        """The Limit of its pages grows; days that are read ahead after it begin with the first Limit."""
        fx = self.fx
        fx.execute("SET TimeZone = 'UTC'; SET enable_sort = off")
        fx.create_table("days", ("pk", "S"), ("sk", "S"))
        first = datetime.datetime(2026, 1, 1)
        times = [first + datetime.timedelta(seconds=n) for n in range(2000)] + [first + datetime.timedelta(day, second) for day in range(1, 60) for second in range(9)]
        fx.put("days", [{"pk": f"T#a#{at:%Y-%m-%d}", "sk": f"{at:%Y-%m-%dT%H:%M:%S}Z", "v": int(at.month > 1)} for at in times])
        fx.foreign_table("days", "tenant text NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int",
                         key_templates=json.dumps({"pk": "T#${tenant}#${at:day}", "sk": "${at}"}))
        sql = "SELECT extract(epoch FROM at - '2026-02-01') FROM days WHERE tenant = 'a' AND at BETWEEN '2026-01-01' AND '2026-03-01' AND v > 0 ORDER BY at LIMIT 5"
        fx.execute("ANALYZE days")
        self.assertNotIn("Sort", fx.explain(sql))
        fx.proxy.reset()
        self.assertEqual(fx.rows(sql), [(n,) for n in range(5)])
        queries = [request.body for request in fx.proxy.requests if request.operation == "Query"]
        limits = [body.get("Limit", 10**6) for body in queries]
        self.assertEqual(max(limits), 16 * limits[0])
        self.assertEqual({limit for body, limit in zip(queries, limits) if "ExclusiveStartKey" not in body}, {limits[0]})


class Sizes(request_text.RequestTestCase):
    """Read units and requests at two sizes, analyzed and not, against the same keys given one by one."""

    def units(self, sql):
        """(requests, read units)"""
        plan = self.fx.explain(sql, "ANALYZE, COSTS OFF, TIMING OFF")
        self.assertNotIn("Operation: Scan", plan)
        return len(self.fx.requests(sql)), sum(float(found) for found in re.findall(r"Read Units: ([\d.]+)  Retries", plan))

    def assertIdeal(self, sql, ideal):
        """At most a fifth more than the ideal statements need together."""
        requests, units = self.units(sql)
        best = [self.units(one) for one in ideal]
        self.assertLessEqual(requests, sum(one for one, _ in best), sql)
        self.assertLessEqual(units, 1.2 * sum(one for _, one in best), sql)

    def test_sizes(self):
        """Ranges of days, the newest rows, and lookups of keys in lower case."""
        fx = self.fx
        fx.execute("SET TimeZone = 'UTC'; CREATE TABLE stores AS SELECT 'Store' || n AS name FROM generate_series(1, 5) n; ANALYZE stores")
        days = [datetime.date(2026, 11, 1) + datetime.timedelta(n) for n in range(10)]
        for name, each in (("small", 6), ("large", 120)):
            fx.create_table(name, ("pk", "S"), ("sk", "S"))
            fx.put(name, [{"pk": f"T#{tenant}#{day}", "sk": f"{day}T{n // 10:02}:{n % 10:02}:00Z", "day": str(day), "v": n, "body": "x" * 500} for tenant in "abcd" for day in days for n in range(each)])
            fx.put(name, [{"pk": f"$s#store_store{n}", "sk": f"{i:05}", "store": f"Store{n}", "v": i, "body": "x" * 500} for n in range(20) for i in range(each)])
            options = {"table_name": fx.remote(name)}
            fx.foreign_table(f"{name}_day", "tenant text NOT NULL, day date NOT NULL, sk text COLLATE \"C\" NOT NULL, v int, body text", key_templates='{"pk": "T#${tenant}#${day}"}', **options)
            fx.foreign_table(f"{name}_at", "tenant text NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int, body text",
                             key_templates='{"pk": "T#${tenant}#${at:day}", "sk": "${at}"}', **options)
            fx.foreign_table(f"{name}_store", "store text OPTIONS (attribute 'store') NOT NULL, sk text COLLATE \"C\" NOT NULL, v int, body text", key_templates='{"pk": "$s#store_${store:lower}"}', **options)
            for analyzed in (False, True):
                if analyzed:
                    fx.execute(f"ANALYZE {name}_day; ANALYZE {name}_at; ANALYZE {name}_store")
                with self.subTest(name=name, analyzed=analyzed):
                    self.assertIdeal(f"SELECT v FROM {name}_day WHERE tenant = 'a' AND day BETWEEN '2026-11-02' AND '2026-11-04'",
                                     [f"SELECT v FROM {name}_day WHERE tenant = 'a' AND day = '2026-11-0{n}'" for n in (2, 3, 4)])
                    self.assertIdeal(f"SELECT v FROM {name}_at WHERE tenant = 'a' AND at BETWEEN '2026-11-02 00:05' AND '2026-11-04'",
                                     [f"SELECT v FROM {name}_day WHERE tenant = 'a' AND day = '2026-11-0{n}'" for n in (2, 3)] + [f"SELECT v FROM {name}_day WHERE tenant = 'a' AND day = '2026-11-04' AND sk <= '2026-11-04T00:00:00Z'"])
                    self.assertIdeal(f"SELECT v FROM {name}_at WHERE tenant = 'a' AND at BETWEEN '2026-11-02' AND '2026-11-09 23:59' ORDER BY at DESC LIMIT 5",
                                     [f"SELECT v FROM {name}_day WHERE tenant = 'a' AND day = '2026-11-09' ORDER BY sk DESC LIMIT 5"])
                    self.assertIdeal(f"SELECT s.v FROM stores t JOIN {name}_store s ON s.store = t.name", [f"SELECT v FROM {name}_store WHERE store = 'Store{n}'" for n in range(1, 6)])
                    self.assertIdeal(f"SELECT x.v FROM stores t, LATERAL (SELECT v FROM {name}_store s WHERE s.store = t.name ORDER BY s.sk DESC LIMIT 1) x",
                                     [f"SELECT v FROM {name}_store WHERE store = 'Store{n}' ORDER BY sk DESC LIMIT 1" for n in range(1, 6)])
