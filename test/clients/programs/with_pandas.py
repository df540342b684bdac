"""pandas: frames of queries, in chunks, with parameters and types."""
import sys

import pandas
from sqlalchemy import create_engine, text
from reporting import report

SCHEMA = sys.argv[1]
ENGINE = create_engine("postgresql+psycopg://", connect_args={"options": f"-c search_path={SCHEMA} -c timezone=UTC"})


def described(frame):
    """Types and rows."""
    rows = frame.astype(object).where(frame.notna(), None).values.tolist()
    return [[str(t) for t in frame.dtypes], sorted(map(repr, rows))]


with ENGINE.connect() as connection:
    report("a frame", described(pandas.read_sql(text("SELECT ordered_at, region, total, quantity, weight, shipped FROM orders WHERE customer_id = :c"), connection, params={"c": "c13"})), True, True)
    report("with Timestamps", described(pandas.read_sql(text("SELECT ordered_at, total FROM orders WHERE customer_id = :c AND ordered_at >= :since AND ordered_at < :until"), connection,
                                                       params={"c": "c13", "since": pandas.Timestamp("2026-01-05").to_pydatetime(), "until": pandas.Timestamp("2026-01-09", tz="UTC").to_pydatetime()})), True, True)
    chunks = pandas.read_sql(text("SELECT * FROM orders WHERE region = 'north' AND ordered_at < '2026-01-10'"), connection, chunksize=50)
    report("in chunks, by an index", described(pandas.concat(chunks).drop(columns=["tags", "details"])), True, True)
    report("a whole table", described(pandas.read_sql_table("customers", connection, schema=SCHEMA)), False, True)
    frame = pandas.read_sql(text("SELECT o.*, c.name FROM orders o JOIN customers c USING (customer_id) WHERE customer_id IN ('c01', 'c05')"), connection)
    report("grouped by pandas", frame.groupby(["name", "region"])["total"].sum().reset_index().values.tolist())
