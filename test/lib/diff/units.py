"""Partitions by units of a time, in UTC and in zones where clocks go forward and back; ranges of days, hours and months as keys; keys in lower case.

The times of a table are close to each other, around a transition or the end of a year, so that ranges of them are few partitions.
"""
import datetime

from composed import FOLDED, Entity, Part, Store, SmallInteger, payload, rest, text
from dynamo import index
from twins import Column
from values import Date, Instant, Numeric

# Berlin an hour forward and back, Apia without 2011-12-30, St. John's from 00:01 to 23:01 of the day before, two ends of years.
# The items that are no rows have a time that is far from all of these.
AROUND = ["2024-03-31 01:00", "2024-10-27 01:00", "2011-12-30 10:00", "2006-10-29 02:31", "2023-12-31 23:00", "2024-12-31 22:30"]


class Near(Instant):
    """Times of a few days around one."""

    def __init__(self, sqltype, around, options=None):
        super().__init__(sqltype, options)
        self.around = datetime.datetime.fromisoformat(around)

    def one(self, rng):
        hours = rng.choice([0, 0, rng.randint(-4, 4), rng.randint(-60, 60)])
        moment = self.around + datetime.timedelta(hours=hours, minutes=rng.choice([0, 0, -1, 30]))
        return moment.isoformat(sep=" ") + "+00" * (self.sqltype == "timestamptz"), {"S": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}


class Back(Near):
    """The minutes around the time at which a clock goes back to the day before."""

    def one(self, rng):
        moment = self.around + datetime.timedelta(minutes=rng.choice([-1500, -61, -1, -1, -1, 0, 0, 20, 59, 89, 1500]))
        return f"{moment}+00", {"S": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}


class NearHour(Near):
    """Full hours of them."""

    def one(self, rng):
        moment = self.around.replace(minute=0) + datetime.timedelta(hours=rng.randint(-40, 40))
        return moment.isoformat(sep=" ") + "+00" * (self.sqltype == "timestamptz"), {"S": f"{moment:%Y%m%d%H}"}


class NearDay(Date):
    """Days of some months."""

    def __init__(self, around, days=20):
        super().__init__("date")
        self.around, self.days = datetime.date.fromisoformat(around[:10]), days

    def one(self, rng):
        day = str(self.around + datetime.timedelta(rng.randint(-self.days, self.days)))
        return day, {"S": day}


def make_units(rng):
    """(stores, tables)"""
    store = Store(rng, "units", ["pk", "sk"], [index("g_u", ("gx", "S"), ("sk", "S")), index("g_uinv", ("sk", "S"), ("pk", "S"))])
    around = rng.sample(AROUND, len(AROUND))
    number = lambda name: Column(name, SmallInteger("int4", 0, 99), size=9)
    at = lambda n, sqltype="timestamptz", **more: Column("at", Near(sqltype, around[n], more.pop("options", None)), size=30, **more)
    own = {"options": {"format": "iso8601(0)"}, "attribute": "at"}
    wrong = [{"pk": "{}#a#2021-06-01"}, {"pk": "{}#a#x"}, {"pk": "{}#a#"}, {"pk": "{}#a#2024-01"}]
    near = lambda name: [{"pk": change["pk"].format(name)} for change in wrong]
    back = Column("at", Back("timestamptz", AROUND[3], {"format": "iso8601(0)"}), size=30, attribute="at")
    plain = {"server": "two"} if rng.random() < 0.5 else {}
    tables = [
        Entity("un0", store, 60, [text("w"), at(0), payload(), rest()], {"pk": "un0#${w}#${at:day}", "sk": "${at:iso8601(0)}"}, near=near("un0")),
        Entity("un1", store, 50, [at(1), number("n"), payload(), rest()], {"pk": "un1#${at:day(Europe/Berlin)}", "sk": "${at:iso8601(0)}#${n}", "gx": "${at:trunc(YYYYMMDDHH24,Pacific/Apia)}"},
               trusted_indexes="g_u", near=[{"pk": "un1#2021-06-01"}, {"pk": "un1#"}]),
        Entity("un2", store, 40, [at(2, "timestamp", **own), text("w"), number("n"), payload(), rest()], {"pk": "un2#${w}", "sk": "${at:trunc(YYYY-MM-DD HH24)}#${n}"},
               near=[{"at": None}, {"at": "2021-06-01T00:00:00Z"}, {"sk": "2021-06-01 00#"}]),
        Entity("un3", store, 40, [Column("day", NearDay(around[3], 200), size=30), number("n"), payload()], {"pk": "un3/${day:trunc(MM.YYYY)}", "sk": "${day}#${n}"}, near=[{"pk": "un3/06.2021"}, {"pk": "un3/x"}]),
        Entity("un4", store, 50, [text("w"), Column("day", NearDay(around[4], 6), size=12), number("n"), payload()], {"pk": "un4#${w}#${day}", "sk": "${n:padded(2)}"}, near=[{"pk": "un4#a#2024-02-30"}], on_mismatch="null"),
        Entity("un5", store, 50, [Column("hour", NearHour(rng.choice(["timestamp", "timestamptz"]), around[5]), size=30), number("n"), payload()],
               {"pk": "un5#${hour:pattern(YYYYMMDDHH24)}", "sk": "${n:padded(2)}"}),
        Entity("un6", store, 50, [text("w"), at(0), payload()], {"pk": "un6#${w}#${at:hour(America/St_Johns)}", "sk": "${at:iso8601(0)}"}, near=near("un6")),
        Entity("un7", store, 40, [back, number("n"), payload()], {"pk": "un7#${at:day(America/St_Johns)}", "sk": "${n:padded(2)}"}, near=[{"at": None}, {"pk": "un7#2021-06-01"}]),
        Entity("un8", store, 50, [Column("land", Part("C", words=FOLDED + ["a#b", "A#B", ""]), attribute="country", size=16), number("n"), Column("nth", Numeric(integral=True), size=600, unique=True, not_null=True), payload(), rest()],
               {"pk": "un8#${land:lower}", "sk": "${n:padded(2)}"}, near=[{"country": "XX"}, {"country": None}])]
    checks = rng.sample(["{} > now() - interval '1 hour'", "{} <= now() - interval '30 years'", None], 3) * len(tables)
    for table in tables:
        table.server = plain.get("server", table.server)
        for column in table.columns:
            check = checks.pop() if isinstance(column.kind, Near) else None
            table.held = (column, check) if check else table.held
    return [store], tables
