"""Times in zones: rows on both sides of transitions, for tests of conditions that depend on the session's zone."""
import re
from datetime import datetime, timedelta

import formats
from volume import volume

# Of each zone a time, in UTC, near which its offset changes; local days begin late, are repeated, or left out.
ZONES = {
    "America/Havana": ["2024-11-03 05:00", "2024-03-10 05:00"],
    "Asia/Amman": ["2021-10-28 22:00", "2021-03-25 22:00"],
    "Atlantic/Azores": ["2024-10-27 01:00", "2024-03-31 01:00"],
    "America/Sao_Paulo": ["2018-11-04 03:00", "2019-02-17 02:00"],
    "Pacific/Apia": ["2011-12-30 10:00"],
    "Pacific/Kwajalein": ["1993-08-21 12:00"],
    "Europe/Berlin": ["2024-03-31 01:00", "2024-10-27 01:00"],
    "UTC": ["2024-03-01 00:00"],
    "<+02>-02": ["2024-02-29 22:00"],
    "AAA-24BBB+24,M3.2.0,M11.1.0": ["2024-03-09 02:00", "2024-11-04 02:00"],
}

# Days and times that are no one's transition, and those at the ends.
PLAIN = ["2024-02-29 12:00:00", "1999-12-31 23:59:59", "2000-01-01 00:00:00", "1970-01-01 00:00:00", "1900-01-01 12:00:00", "2026-06-15 00:00:00"]
ENDS = {"date": ["infinity", "-infinity", "5874897-12-31", "4713-01-01 BC", "0001-12-31 BC", "0001-01-01", "9999-12-31", "10000-01-01"],
        "timestamp": ["infinity", "-infinity", "294276-12-31 23:59:59.999999", "4713-01-01 BC", "0001-12-31 23:59:59 BC", "0001-01-01", "9999-12-31 23:59:59", "10000-01-01"],
        "timestamptz": ["infinity", "-infinity", "294276-12-31 23:59:59+00", "4713-01-01 00:00+00 BC", "0001-12-31 23:59:59+00 BC", "0001-01-01+00", "9999-12-31 23:59:59+00", "10000-01-01+00"]}
TYPES = ("timestamptz", "timestamp", "date")
RANGES = [operator for operator in formats.OPERATORS if operator != "<>"]
STEPS = [-49, -26, -24, -23.5, -5, -4.5, -4, -1, -0.5, 0, 0.5, 1, 1.5, 4, 5, 23.5, 24, 25, 48]


def near(zone, hours=STEPS):
    """Times in UTC around the zone's transitions."""
    centres = [datetime.fromisoformat(text) for text in ZONES[zone]]
    return [str(centre + timedelta(hours=hour)) for centre in centres for hour in hours]


def stored(kind):
    """What the rows hold: texts that are distinct, in order."""
    times = {time for zone in ZONES for time in near(zone)} | set(PLAIN) | {"0001-01-01 00:00:00", "0001-01-01 12:00:00", "9999-12-31 23:59:59", "9999-12-31 00:00:00"}
    return sorted({time[:10] for time in times} if kind == "date" else times)


def bounds(kind, zone):
    """Values to compare with, around the zone's transitions in local time as well."""
    times = near(zone, (-24, -5, -4, -1, 0, 0.5, 4, 24, 29)) + PLAIN[:3]
    if kind == "date":
        return sorted({time[:10] for time in times}) + ENDS["date"]
    return sorted(set(times)) + [times[4] + ".000001"] + ENDS[kind]


class Twins(formats.Twins):
    """Tables of times in a sort key "at" and in a plain attribute "v"."""

    def load_kind(self, kind, format_="iso8601(0)", text=lambda time: time.replace(" ", "T") + "Z", wire="S"):
        """Rows with times of a type; a date needs no format."""
        options = {} if kind == "date" and format_ == "iso8601(0)" else {"format": format_}
        texts = {time: time if options == {} else text(time) for time in stored(kind)}
        zone = "+00" if kind == "timestamptz" else ""
        columns = [("pk", "text", None), ("at", kind, options), ("v", kind, options), ("n", "integer", None)]
        self.load(columns, [("p", time + zone, time + zone, n) for n, time in enumerate(texts)],
                  [{"pk": {"S": "p"}, "at": {wire: text}, "v": {wire: text}, "n": {"N": str(n)}} for n, text in enumerate(texts.values())],
                  (("pk", "S"), ("at", wire)))

    def bind(self, kind, values):
        """A local table of values, which conditions take one by one."""
        self.fx.execute(f"DROP TABLE IF EXISTS b; CREATE TEMP TABLE b (x {kind}); INSERT INTO b SELECT unnest(%s::{kind}[]); ANALYZE b", (list(values),))

    def each_zone(self, zones=volume(tuple(ZONES)[::5], tuple(ZONES))):
        """Sets one zone after the other, and resets it."""
        try:
            for zone in zones:
                self.fx.execute("SELECT set_config('timezone', %s, false)", (zone,))
                yield zone
        finally:
            self.fx.execute("RESET timezone")

    def same_for_each(self, condition, more=""):
        """The condition, on t with the values x of b, selects the same rows of both tables, for each value."""
        self.same(f"SELECT array_agg(n ORDER BY n), b.x::text FROM b, LATERAL (SELECT n FROM t WHERE pk = 'p' AND {condition} {more} OFFSET 0) s GROUP BY 2")

    def every_form(self, kind, forms, finite=False):
        """Each form of a type, in each zone, at bounds around its transitions."""
        self.load_kind(kind)
        for place, zone in enumerate(self.each_zone()):
            for number, (other, form) in enumerate(forms[kind]):
                values = near(zone, (-24, -5, -4, -0.5, 0, 1, 24)) + PLAIN[-2:] + ([] if finite else ENDS[other][:6])
                self.bind(other, values)
                form = re.sub(r"\bx\b", "b.x", form)
                for operator in {RANGES[(place + number) % 5], RANGES[(place + number + 2) % 5], *volume((), ("=",))}:
                    self.same_for_each(form.format(operator))


class Requests(Twins):
    """The requests that conditions on a partition become; the session's zone is UTC unless a test sets another one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET timezone = 'UTC'")

    def tearDown(self):
        self.fx.execute("SET timezone = 'UTC'; RESET plan_cache_mode; DEALLOCATE ALL")

    def assert_keys(self, *cases):
        """Each case is a condition and the key that is requested."""
        for condition, key in cases:
            with self.subTest(condition=condition):
                self.assertEqual(self.key(f"SELECT n FROM f WHERE pk = 'p' AND {condition}"), key)
                self.same(f"SELECT n FROM t WHERE pk = 'p' AND {condition}")
