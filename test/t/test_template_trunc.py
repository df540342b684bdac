"""Parts of templates that truncate a time: partitions by day, month, hour or year, in UTC or in a zone."""
import json

import request_text
from dynamo import index

# Around the end of a year, a leap day and the transitions of Berlin (2026-10-25, 03:00 to 02:00) and Apia (no 2011-12-30).
TIMES = ["2026-10-31T22:30:00Z", "2026-10-31T23:30:00Z", "2026-11-01T00:00:00Z", "2026-11-01T10:00:00Z", "2026-11-02T23:59:59Z",
         "2026-11-04T00:00:00Z", "2026-12-31T23:30:00Z", "2027-01-01T00:00:00Z", "2024-02-29T12:00:00Z",
         "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2011-12-30T09:30:00Z", "2011-12-30T10:30:00Z"]


class Truncated(request_text.RequestTestCase):
    """Rows and requests of small tables, against local tables of the same rows."""

    def table(self, name, columns, templates, rows, indexes=(), **options):
        """A DynamoDB table with these items, the foreign table over it, and a local one of its rows."""
        self.fx.create_table(name, ("pk", "S"), ("sk", "S"), indexes)
        self.fx.put(name, rows)
        self.fx.foreign_table(name, columns, key_templates=json.dumps(templates), **options)
        self.fx.execute("SET dynamo_fdw.scan_policy = 'allow'")
        self.mirror(name)

    def days(self, name="days", unit="day", text=lambda at: at[:10], **options):
        """Readings by tenant and unit, their times in the sort key."""
        items = [{"pk": f"T#{tenant}#{text(at)}", "sk": at, "v": n} for tenant in "ab" for n, at in enumerate(TIMES)]
        # not the day of the time: no rows
        items += [{"pk": "T#a#2026-11-09", "sk": "2026-11-01T10:00:00Z", "v": -1}, {"pk": "T#a#x", "sk": "2026-11-01T10:00:00Z", "v": -1}]
        self.table(name, "tenant text NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)') NOT NULL, v int",
                   {"pk": f"T#${{tenant}}#${{at:{unit}}}", "sk": "${at}"}, items, **options)

    def test_rows(self):
        """Items whose partition is not the day of their time are no rows."""
        self.days("rowtest")
        self.assertEqual(self.fx.value("SELECT count(*) FROM rowtest"), 2 * len(TIMES))
        self.assertEqual(self.fx.rows("SELECT * FROM rowtest WHERE v < 0"), [])

    def test_points(self):
        """A time is one key."""
        self.days("points")
        self.assertRequests("SELECT v FROM points WHERE tenant = 'a' AND at = '2026-11-01 01:00+01'",
                        ["GetItem points {pk 'T#a#2026-11-01', sk '2026-11-01T00:00:00Z'} get pk, sk, v"])
        self.assertRequests("SELECT v FROM points WHERE tenant = 'a' AND at IN ('2026-11-01 00:00+00', '2026-11-02 23:59:59+00')",
                        ["BatchGetItem points {pk 'T#a#2026-11-01', sk '2026-11-01T00:00:00Z'} {pk 'T#a#2026-11-02', sk '2026-11-02T23:59:59Z'} get pk, sk, v"])
        self.assertRequests("SELECT v FROM points WHERE tenant = 'a' AND at = 'infinity'", [])

    def test_zones(self):
        """The day of Berlin is not that of UTC."""
        def berlin(at):
            return self.fx.value("SELECT to_char(%s::timestamptz AT TIME ZONE 'Europe/Berlin', 'YYYYMMDD')", (at,))
        self.days("berlin", "trunc(YYYYMMDD,Europe/Berlin)", berlin)
        self.assertEqual(self.fx.value("SELECT count(*) FROM berlin"), 2 * len(TIMES))
        self.assertRequests("SELECT v FROM berlin WHERE tenant = 'a' AND at = '2026-10-31T23:30:00Z'",
                        ["GetItem berlin {pk 'T#a#20261101', sk '2026-10-31T23:30:00Z'} get pk, sk, v"])
        self.assertRequests("SELECT v FROM berlin WHERE tenant = 'a' AND at = '2026-10-31T22:30:00Z'",
                        ["GetItem berlin {pk 'T#a#20261031', sk '2026-10-31T22:30:00Z'} get pk, sk, v"])

    def test_fixed_offset(self):
        """A zone without transitions."""
        self.days("fixed", "day(Etc/GMT+5)", lambda at: self.fx.value("SELECT to_char(%s::timestamptz - interval '5 hours', 'YYYY-MM-DD')", (at,)))
        self.assertRequests("SELECT v FROM fixed WHERE tenant = 'a' AND at BETWEEN '2026-11-01 00:00+00' AND '2026-11-02 04:00+00'",
                        [f"Query fixed where pk = 'T#a#{day}' AND sk BETWEEN '2026-11-01T00:00:00Z' AND '2026-11-02T04:00:00[' get pk, sk, v" for day in ("2026-10-31", "2026-11-01")])
        newest = "SELECT v FROM fixed WHERE tenant = 'a' AND at BETWEEN '2026-10-01' AND '2026-11-30' ORDER BY at DESC LIMIT 4"
        self.assertEqual(self.fx.rows(newest), self.mirrored(newest))

    def test_day_that_begins_twice(self):
        """St. John's set clocks back from 00:01 to 23:01 of the day before, so the days are not in the order of their instants."""
        times = ["2010-11-06T12:00:00Z", "2010-11-07T02:29:30Z", "2010-11-07T02:30:30Z", "2010-11-07T02:31:30Z", "2010-11-07T03:30:30Z", "2010-11-08T12:00:00Z"]
        days = ["2010-11-06", "2010-11-06", "2010-11-07", "2010-11-06", "2010-11-07", "2010-11-08"]
        items = [{"pk": "D#1", "sk": f"{day}#{n}", "at": at, "v": n} for n, (at, day) in enumerate(zip(times, days, strict=True))]
        self.table("twice", "dev int NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)'), n int NOT NULL, v int",
                   {"pk": "D#${dev}", "sk": "${at:day(America/St_Johns)}#${n}"}, items)
        for condition, key in (("at >= '2010-11-07 02:30:30+00'", "sk >= '2010-11-06'"), ("at <= '2010-11-07 02:31:30+00'", "sk < '2010-11-08'"),
                               ("at BETWEEN '2010-11-07 02:30:30+00' AND '2010-11-07 02:31:30+00'", "sk BETWEEN '2010-11-06' AND '2010-11-08'")):
            sql = f"SELECT v FROM twice WHERE dev = 1 AND {condition}"
            with self.subTest(condition):
                [text] = self.texts(sql)
                self.assertIn(key, text)
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_first_year(self):
        """The year 1 in UTC begins in the year before in America; a bound there selects all later times."""
        def month(at):
            return self.fx.value("SELECT to_char(%s::timestamptz AT TIME ZONE 'America/New_York', 'YYYY-MM')", (at,))
        items = [{"pk": "D#1", "sk": f"{month(at)}#{n}", "at": at, "v": n} for n, at in enumerate(["0001-01-01T10:00:00Z", *TIMES, "9999-12-31T23:30:00Z"])]
        self.table("year1", "dev int NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)'), n int NOT NULL, v int",
                   {"pk": "D#${dev}", "sk": "${at:month(America/New_York)}#${n}"}, items)
        for condition in ("at >= '0001-01-01 00:00+00'", "at > '0001-01-01 03:00+00' AND at < '2026-11-01'", "at <= '0001-01-01 00:00+00'", "at <= '9999-12-31 23:59+00'"):
            sql = f"SELECT v FROM year1 WHERE dev = 1 AND {condition}"
            with self.subTest(condition):
                self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))

    def test_sort_key(self):
        """A unit in the sort key has the range of the time."""
        items = [{"pk": "D#1", "sk": f"{at[:7]}#{n}", "at": at, "v": n} for n, at in enumerate(TIMES)]
        self.table("months", "dev int NOT NULL, at timestamp OPTIONS (format 'iso8601(0)'), n int NOT NULL, v int",
                   {"pk": "D#${dev}", "sk": "${at:month}#${n}"}, items)
        for condition, key in (("at >= '2026-11-04'", "sk >= '2026-11'"), ("at > '2026-10-31 23:59:59.999999'", "sk >= '2026-11'"),
                               ("at < '2026-11-01'", "sk < '2026-11'"), ("at <= '2026-11-01'", "sk < '2026-12'"),
                               ("at BETWEEN '2026-10-31' AND '2026-11-02'", "sk BETWEEN '2026-10' AND '2026-12'")):
            with self.subTest(condition):
                [text] = self.texts(f"SELECT v FROM months WHERE dev = 1 AND {condition}")
                self.assertIn(key, text)
                self.assertEqual(sorted(self.fx.rows(f"SELECT v FROM months WHERE dev = 1 AND {condition}")),
                                 sorted(self.mirrored(f"SELECT v FROM months WHERE dev = 1 AND {condition}")))
        # the order of months is not that of times
        self.assertEqual(self.fx.rows("SELECT v FROM months WHERE dev = 1 ORDER BY at, n"), self.mirrored("SELECT v FROM months WHERE dev = 1 ORDER BY at, n"))
        self.assertEqual(self.fx.rows("SELECT v FROM months WHERE dev = 1 AND at = '2026-11-04'"), [(5,)])

    def test_writes(self):
        """A write composes the unit, and an UPDATE keeps that of an index in step."""
        indexes = [index("by_day", ("gpk", "S"), ("sk", "S"))]
        self.table("written", "id text NOT NULL, at timestamptz OPTIONS (format 'iso8601(0)'), v int",
                   {"pk": "E#${id}", "sk": "E", "gpk": "${at:day(Europe/Berlin)}"}, [], indexes, updatable="on", trusted_indexes="by_day")
        self.fx.execute("INSERT INTO written VALUES ('a', '2026-10-31T23:30:00Z', 1), ('b', '2026-10-31T12:00:00Z', 2), ('c', NULL, 3)")
        def stored():
            return {i["pk"]["S"]: i.get("gpk", {}).get("S") for i in self.fx.dynamo.call("Scan", {"TableName": self.fx.remote("written")})["Items"]}
        self.assertEqual(stored(), {"E#a": "2026-11-01", "E#b": "2026-10-31", "E#c": None})
        self.fx.execute("UPDATE written SET at = at + interval '1 day' WHERE id = 'b'")
        self.fx.execute("UPDATE written SET at = NULL WHERE id = 'a'")
        self.assertEqual(stored(), {"E#a": None, "E#b": "2026-11-01", "E#c": None})
        self.assertEqual(self.texts("SELECT v FROM written WHERE at = '2026-11-01T12:00:00Z'"),
                         ["Query written/by_day where gpk = '2026-11-01' AND sk = 'E' filter at = '2026-11-01T12:00:00Z' AND begins_with(pk,'E#') get pk, sk, v"])
        self.assertEqual(self.fx.rows("SELECT v FROM written WHERE at = '2026-11-01T12:00:00Z'"), [(2,)])

    def test_mistakes(self):
        """Parts that cannot be truncated."""
        for name, columns, part, text in (
                ("number", "id text, n int OPTIONS (attribute 'n')", "${n:day}", "requires a column of type date"),
                ("nowhere", "id text, at timestamptz OPTIONS (attribute 'at')", "${at:day(Europe/Berlim)}", "is not a valid modifier"),
                ("plain", "id text, at timestamp OPTIONS (attribute 'at')", "${at:day(Europe/Berlin)}", "does not have type timestamptz"),
                ("pattern", "id text, at timestamp OPTIONS (attribute 'at')", "${at:trunc(YYYYDD)}", "is not a valid modifier")):
            self.fx.create_table(name, ("pk", "S"), ("sk", "S"))
            self.fx.foreign_table(name, columns, key_templates=json.dumps({"pk": part, "sk": "${id}"}))
            failure = self.fx.error(f"SELECT * FROM {name}")
            with self.subTest(name):
                self.assertIn(text, f"{failure.message} {failure.detail} {failure.hint}")
