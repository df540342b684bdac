"""Conditions on times to which an interval is added or from which a time is subtracted. Each reads a range, by the session's zone at each execution."""
import times

# Of each type: (type of the value x, expression over the column)
INTERVALS = ("1 hour", "-25 hours", "1 day", "-3 days 02:00:00.5", "1 mon", "-1 mon", "14 mons -2 days", "00:00")
SPANS = {
    "timestamptz": [*(("timestamptz", f"at {sign} interval '{interval}' {{}} x") for interval in INTERVALS for sign in "+-"), ("timestamptz", "interval '1 day' + at {} x"),
                    ("timestamptz", "x - at {} interval '36:00'"), ("timestamptz", "at - x {} interval '-1 day'"), ("timestamptz", "x - at {} interval '1 mon'"), ("timestamp", "x - at::timestamp {} interval '2 days'"),
                    ("date", "at::date - x {} 3"), ("date", "x - at::date {} 3"), ("timestamp", "at - interval '1 day' {} x"), ("timestamptz", "date_trunc('day', at - interval '3 hours') {} x")],
    "timestamp": [*(("timestamp", f"at {sign} interval '{interval}' {{}} x") for interval in INTERVALS for sign in "+-"), ("timestamp", "x - at {} interval '36:00'"), ("timestamp", "at - x {} interval '-1 day'"),
                  ("timestamptz", "x - at {} interval '1 day'"), ("timestamptz", "at + interval '1 day' {} x")],
    "date": [("date", "at + 3 {} x"), ("date", "at - 40 {} x"), ("date", "at - x {} 7"), ("date", "x - at {} -7"), ("timestamp", "at + interval '1 day 2 hours' {} x"), ("timestamp", "at - interval '1 mon' {} x"),
             ("timestamptz", "x - at {} interval '1 day'"), ("timestamptz", "at + interval '3 hours' {} x")],
}


class Spans(times.Twins):
    """Every form in every zone, at bounds around its transitions."""

    def test_timestamptz(self):
        self.every_form("timestamptz", SPANS, True)

    def test_timestamp(self):
        self.every_form("timestamp", SPANS, True)

    def test_date(self):
        self.every_form("date", SPANS, True)
