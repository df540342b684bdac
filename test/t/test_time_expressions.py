"""Conditions on expressions over dates and times: date_trunc, casts, AT TIME ZONE, extract, intervals. Each reads a range, by the session's zone at each execution."""
import os

import times

# Of each type: (type of the value, expression over the column, maybe with the value x)
FORMS = {
    "timestamptz": [
        *(("timestamptz", f"date_trunc('{unit}', at) {{}} x") for unit in ("second", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "millennium")),
        ("timestamptz", "date_trunc('day', at, 'America/Havana') {} x"), ("timestamptz", "date_trunc('hour', at, 'Asia/Kathmandu') {} x"),
        ("timestamptz", "date_trunc('month', at, 'Pacific/Apia') {} x"), ("timestamp", "date_trunc('day', at) {} x"), ("date", "date_trunc('months', at) {} x"),
        ("timestamptz", "date_trunc('day', at) {} date_trunc('day', x)"),
        ("date", "at::date {} x"), ("date", "date(at) {} x"), ("timestamp", "at::date {} x"), ("timestamptz", "at::date {} x"), ("timestamp", "at::timestamp {} x"), ("date", "at::timestamp {} x"),
        ("timestamp", "at AT TIME ZONE 'Asia/Amman' {} x"), ("date", "(at AT TIME ZONE 'America/Sao_Paulo')::date {} x"), ("timestamp", "at AT TIME ZONE interval '-03:30' {} x"),
        ("timestamp", "at AT TIME ZONE 'EST' {} x"), ("timestamp", "at AT TIME ZONE 'MSK' {} x"), ("timestamp", "at AT TIME ZONE 'utc' {} x"), ("timestamptz", "at AT TIME ZONE 'Europe/Berlin' {} x"),
        ("timestamp", "date_trunc('week', at AT TIME ZONE 'AAA-24BBB+24,M3.2.0,M11.1.0') {} x"), ("timestamptz", "(at AT TIME ZONE 'Atlantic/Azores') AT TIME ZONE 'Pacific/Kwajalein' {} x"),
        ("date", "extract(year FROM at) {} extract(year FROM x)"), ("date", "date_part('year', at) {} extract(year FROM x) + 0.5"), ("timestamptz", "extract(epoch FROM at) {} extract(epoch FROM x)"),
        ("timestamptz", "date_part('epoch', at) {} date_part('epoch', x)"),
    ],
    "timestamp": [
        *(("timestamp", f"date_trunc('{unit}', at) {{}} x") for unit in ("milliseconds", "minute", "day", "week", "month", "quarter", "year", "decade", "century", "millennium")),
        ("timestamptz", "date_trunc('day', at) {} x"), ("date", "date_trunc('day', at) {} x"), ("date", "at::date {} x"), ("timestamptz", "at::date {} x"), ("timestamptz", "at::timestamptz {} x"),
        ("timestamptz", "at AT TIME ZONE 'Asia/Amman' {} x"), ("timestamptz", "at AT TIME ZONE 'EDT' {} x"), ("timestamptz", "at AT TIME ZONE interval '05:45' {} x"),
        ("timestamptz", "date_trunc('day', at AT TIME ZONE 'America/Havana') {} x"), ("date", "(at AT TIME ZONE 'UTC' AT TIME ZONE 'America/Sao_Paulo')::date {} x"),
        ("date", "extract(year FROM at) {} extract(year FROM x)"), ("timestamp", "extract(epoch FROM at) {} extract(epoch FROM x)"), ("timestamp", "date_part('epoch', at) {} date_part('epoch', x)"),
    ],
    "date": [
        ("timestamptz", "date_trunc('month', at) {} x"), ("timestamp", "date_trunc('month', at::timestamp) {} x"), ("date", "date_trunc('week', at) {} x"), ("timestamp", "at::timestamp {} x"),
        ("timestamptz", "at::timestamptz {} x"), ("timestamp", "at AT TIME ZONE 'Asia/Amman' {} x"), ("timestamptz", "at::timestamp AT TIME ZONE 'America/Havana' {} x"),
        ("date", "extract(year FROM at) {} extract(year FROM x)"), ("date", "date_part('year', at) {} extract(year FROM x)::float8"), ("date", "extract(epoch FROM at) {} extract(epoch FROM x)"),
    ],
}


class Forms(times.Twins):
    """Every form in every zone, at bounds around its transitions."""

    def test_timestamptz(self):
        self.every_form("timestamptz", FORMS)

    def test_timestamp(self):
        self.every_form("timestamp", FORMS)

    def test_date(self):
        self.every_form("date", FORMS)


class Limits(times.Twins):
    """Times, intervals and numbers at the ends of what there is, and local times that are skipped on the way."""

    def every_operator(self, *forms):
        """Each form, {} being the operator."""
        for form in forms:
            for operator in times.RANGES:
                self.same(f"SELECT n FROM t WHERE pk = 'p' AND {form.format(operator)}")

    def test_last_years(self):
        """A number of seconds since 1970, or of years, may be beyond the last timestamp, or beyond what microseconds can count."""
        self.addCleanup(self.fx.execute, "RESET timezone")
        for kind in ("timestamptz", "timestamp", "date"):
            self.fx.execute("SET timezone = 'UTC'")
            days = ["0001-01-01", "1970-01-01", "2024-02-29", "200000-07-01", "293600-01-01", "294000-06-01", "294246-12-31"]
            seconds = [self.fx.value(f"SELECT extract(epoch FROM {kind} '{day}')::bigint::text") for day in days]
            self.load([("pk", "text", None), ("at", kind, {"format": "epoch"}), ("n", "integer", None)], [("p", day, n) for n, day in enumerate(days)],
                      [{"pk": {"S": "p"}, "at": {"N": second}, "n": {"N": str(n)}} for n, second in enumerate(seconds)], (("pk", "S"), ("at", "N")))
            for zone in ("UTC", "Pacific/Apia"):
                self.fx.execute(f"SET timezone = '{zone}'")
                self.every_operator(*(f"extract(year FROM at) {{}} {year}" for year in (-5000, 1970, 293999, 294000, 294246, 294275, 294276, 294277, 297000, 299999, 300000, 300001, "1e19", "'-Infinity'")),
                                    *(f"extract(epoch FROM at) {{}} {second}" for second in (*seconds, "9200100000000", "9224318000000", "1e15", "-1e30", "'Infinity'")))

    def test_leap_seconds(self):
        """A zone with leap seconds, which no session can have, is up to 27 seconds less than its offset from UTC."""
        if not os.path.exists("/usr/share/zoneinfo/right/UTC") or not self.fx.rows("SELECT 1 FROM pg_config WHERE name = 'CONFIGURE' AND setting ~ 'system-tzdata'"):
            self.skipTest("no zones with leap seconds")
        self.fx.execute("SET timezone = 'UTC'")
        self.addCleanup(self.fx.execute, "RESET timezone")
        first = self.fx.value("SELECT extract(epoch FROM timestamptz '2023-12-31 23:58:50+00')::int")
        for kind, form in (("timestamptz", "at"), ("timestamp", "(at AT TIME ZONE 'UTC')")):
            self.load([("pk", "text", None), ("at", kind, {"format": "epoch"}), ("n", "integer", None)],
                      self.fx.rows(f"SELECT 'p', (timestamp '2023-12-31 23:58:50' + n * interval '10 s')::text || '+00', n FROM generate_series(0, 20) n"),
                      [{"pk": {"S": "p"}, "at": {"N": str(first + n * 10)}, "n": {"N": str(n)}} for n in range(21)], (("pk", "S"), ("at", "N")))
            for zone in ("right/UTC", "right/Europe/London"):
                self.every_operator(f"{form} AT TIME ZONE '{zone}' {{}} timestamp '2024-01-01'", f"({form} AT TIME ZONE '{zone}')::date {{}} date '2024-01-01'",
                                    f"extract(year FROM {form} AT TIME ZONE '{zone}') {{}} 2023", f"at::timestamp AT TIME ZONE '{zone}' {{}} timestamptz '2024-01-01 00:00+00'",
                                    *(f"date_trunc('{unit}', {form}, '{zone}') {{}} timestamptz '2023-12-31 {time}+00'"
                                      for unit, time in (("second", "23:59:53"), ("minute", "23:59"), ("hour", "23:00"), ("day", "00:00"))))

    def test_long_intervals(self):
        """Days and hours that nearly cancel out, each beyond all times."""
        for kind in ("timestamptz", "timestamp"):
            self.load_kind(kind)
            for sign in (1, -1):
                interval = f"interval '{sign * 106751992} days {sign * -2562047787} hours'"
                self.every_operator(f"at - {kind} '2000-01-01 00:00+00' {{}} {interval}", f"{kind} '2000-01-01 00:00+00' - at {{}} {interval}")

    def test_skipped_after_months(self):
        """Months may lead to a local time that is skipped: days are added to the one that stands for it."""
        self.addCleanup(self.fx.execute, "RESET timezone")
        starts = [f"{day} {hour:02}:{minute}:00" for day in ("2006-03-01", "2006-03-02", "2006-05-01", "2006-05-02", "2011-11-29", "2011-11-30", "2012-01-30")
                  for hour in range(0, 24, 1) for minute in ("00", "30")]
        self.load([("pk", "text", None), ("at", "timestamptz", {"format": "iso8601(0)"}), ("n", "integer", None)], [("p", start + "+00", n) for n, start in enumerate(starts)],
                  [{"pk": {"S": "p"}, "at": {"S": start.replace(" ", "T") + "Z"}, "n": {"N": str(n)}} for n, start in enumerate(starts)], (("pk", "S"), ("at", "S")))
        for zone in ("America/New_York", "Pacific/Apia"):
            self.fx.execute(f"SET timezone = '{zone}'")
            for sign, interval in (("+", "1 mon 10 days"), ("-", "1 mon 10 days"), ("+", "1 mon -10 days 05:00"), ("-", "-1 mon 10 days"), ("+", "1 mon")):
                self.bind("timestamptz", [value for (value,) in self.fx.rows(f"SELECT DISTINCT (at {sign} interval '{interval}')::text FROM l WHERE n % 7 = 0")])
                for operator in ("=", "<=", ">="):
                    self.same_for_each(f"at {sign} interval '{interval}' {operator} b.x")


class Requests(times.Requests):
    """What is requested."""

    def bounded(self, *cases):
        """By conditions on the partition and these bounds of the sort key; None: nothing is requested."""
        self.assert_keys(*((condition, key and f"pk = p AND at {key}") for condition, key in cases))

    def assert_no_key(self, *conditions):
        """By the partition alone."""
        self.assert_keys(*((condition, "pk = p") for condition in conditions))

    def test_timestamptz(self):
        self.load_kind("timestamptz")
        march = "BETWEEN 2024-03-01T00:00:00Z AND 2024-03-31T23:59:59Z"
        self.bounded(("date_trunc('month', at) = timestamptz '2024-03-01 00:00+00'", march), ("date_trunc('month', at) = date '2024-03-01'", march), ("at::date BETWEEN '2024-03-01' AND '2024-03-31'", march),
                     ("extract(year FROM at) = 2024", "BETWEEN 2024-01-01T00:00:00Z AND 2024-12-31T23:59:59Z"), ("date_part('year', at) > 2018", ">= 2019-01-01T00:00:00Z"),
                     ("extract(year FROM at) IN (2018, 2019)", "BETWEEN 2018-01-01T00:00:00Z AND 2019-12-31T23:59:59Z"),
                     ("at AT TIME ZONE 'UTC' >= timestamp '2024-03-09'", ">= 2024-03-09T00:00:00Z"), ("at AT TIME ZONE interval '02:00' < timestamp '2024-03-09'", "<= 2024-03-08T21:59:59Z"),
                     ("date_trunc('day', at, 'Europe/Berlin') = timestamptz '2024-07-01 22:00+00'", "BETWEEN 2024-07-01T22:00:00Z AND 2024-07-02T21:59:59Z"),
                     # the day of a transition, and the day before it, which might be as long
                     ("date_trunc('day', at, 'Europe/Berlin') = timestamptz '2024-10-26 22:00+00'", "BETWEEN 2024-10-26T22:00:00Z AND 2024-10-27T22:59:59Z"),
                     ("date_trunc('day', at, 'Europe/Berlin') = timestamptz '2024-10-25 22:00+00'", "BETWEEN 2024-10-25T22:00:00Z AND 2024-10-26T22:59:59Z"),
                     ("timestamptz '2024-03-10 00:00+00' - at < interval '1 day'", ">= 2024-03-09T00:00:01Z"), ("at + interval '3 hours' > timestamptz '2024-03-09 00:00+00'", ">= 2024-03-08T21:00:01Z"),
                     ("extract(epoch FROM at) >= 1709942400", ">= 2024-03-09T00:00:00Z"), ("date_trunc('month', at) > timestamptz 'infinity'", None), ("extract(year FROM at) = 'NaN'", None),
                     ("date_trunc('month', at) = NULL", None), ("at AT TIME ZONE NULL::text > timestamp '2024-03-09'", None), ("date_trunc('day', at) = ANY ('{}'::timestamptz[])", None))
        self.assert_no_key("date_trunc('month', at) < timestamptz 'infinity'", "extract(year FROM at) < 'NaN'", "date_trunc('month', at) <> timestamptz '2024-03-01 00:00+00'", "extract(month FROM at) = 3")

    def test_others(self):
        self.load_kind("timestamp")
        self.bounded(("date_trunc('month', at) = timestamp '2024-03-01'", "BETWEEN 2024-03-01T00:00:00Z AND 2024-03-31T23:59:59Z"), ("at::date = '2024-03-10'", "BETWEEN 2024-03-10T00:00:00Z AND 2024-03-10T23:59:59Z"),
                     ("at + interval '1 day' <= timestamp '2024-03-10'", "<= 2024-03-09T00:00:00Z"))
        self.load_kind("date")
        self.bounded(("extract(year FROM at) = 2024", "BETWEEN 2024-01-01 AND 2024-12-31"), ("date '2024-03-10' - at < 3", ">= 2024-03-08"), ("at + 3 > date '2024-03-10'", ">= 2024-03-08"),
                     ("date_trunc('month', at) = timestamptz '2024-03-01'", "BETWEEN 2024-03-01 AND 2024-03-31"))

    def test_rechecked(self):
        self.load_kind("timestamptz")
        for condition in ("date_trunc('month', at) = timestamptz '2024-03-01'", "at::date = '2024-03-01'", "extract(year FROM at) = 2024"):
            sql = f"SELECT count(*) FROM f WHERE pk = 'p' AND {condition}"
            self.assertIn("Filter: ", self.fx.explain(sql))
            [request] = self.fx.requests(sql)
            self.assertNotEqual(request.body.get("Select"), "COUNT")
            self.assertIn("Sort", self.fx.explain(f"SELECT at FROM f WHERE pk = 'p' AND {condition} ORDER BY date_trunc('day', at)"))

    def test_errors_are_those_of_the_expression(self):
        self.load_kind("timestamptz")
        for condition in ("date_trunc('fortnight', at) = timestamptz '2024-03-01'", "at AT TIME ZONE 'Nowhere/At All' > timestamp '2024-03-01'", "date_trunc('day', at, 'Nowhere') < timestamptz '1900-01-01'",
                          "at AT TIME ZONE interval '1 day' > timestamp '9999-12-31'", "extract(century_ FROM at) = 3"):
            with self.subTest(condition=condition):
                failures = [self.fx.error(f"SELECT n FROM {table} WHERE pk = 'p' AND {condition}") for table in "fl"]
                self.assertEqual(failures[0][:2], failures[1][:2])

    def test_zone_of_the_execution(self):
        """Generic plans: zone, unit's zone and interval are those of the execution."""
        self.load_kind("timestamptz")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        for table in "fl":
            self.fx.execute(f"PREPARE {table}_m (date) AS SELECT n FROM {table} WHERE pk = 'p' AND date_trunc('month', at) = $1; PREPARE {table}_d (date) AS SELECT n FROM {table} WHERE pk = 'p' AND at::date >= $1;"
                            f"PREPARE {table}_z (text, timestamp) AS SELECT n FROM {table} WHERE pk = 'p' AND at AT TIME ZONE $1 >= $2;"
                            f"PREPARE {table}_i (interval, timestamptz) AS SELECT n FROM {table} WHERE pk = 'p' AND at + $1 >= $2 AND $2 - at > $1")
        for zone in self.each_zone():
            for sql in ("EXECUTE %s_m ('2024-03-01')", "EXECUTE %s_m ('2011-12-01')", "EXECUTE %s_d ('2024-11-03')", f"EXECUTE %s_z ('{zone}', '2024-11-03')", f"EXECUTE %s_z ('{zone}', '2011-12-30 12:00')",
                        "EXECUTE %s_z (NULL, '2011-12-30 12:00')", "EXECUTE %s_i ('1 day', '2024-11-04 00:00+00')", "EXECUTE %s_i ('-1 mon 2 days', '2024-11-04 00:00+00')", "EXECUTE %s_i (NULL, '2024-11-04')"):
                with self.subTest(zone=zone, sql=sql):
                    self.assertEqual(*(sorted(self.fx.rows(sql % table)) for table in "fl"))
        self.fx.execute("SET timezone = 'Asia/Amman'")
        self.assertEqual(self.key("EXECUTE f_d ('2024-07-03')"), "pk = p AND at >= 2024-07-02T21:00:00Z")
        self.fx.execute("SET timezone = 'Etc/GMT+5'")
        self.assertEqual(self.key("EXECUTE f_d ('2024-07-03')"), "pk = p AND at >= 2024-07-03T05:00:00Z")

    def test_now(self):
        """The time of the transaction."""
        self.load_kind("timestamptz")
        self.same("SELECT n FROM t WHERE pk = 'p' AND now() - at < interval '100 years'", "SELECT n FROM t WHERE pk = 'p' AND at > current_date - 9000", "SELECT n FROM t WHERE pk = 'p' AND current_timestamp - at > interval '9000 days'")
        [request] = self.fx.requests("SELECT n FROM f WHERE pk = 'p' AND now() - at < interval '1 hour'")
        self.assertIn(" >= ", request.body["KeyConditionExpression"])
