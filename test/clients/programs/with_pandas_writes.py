"""pandas: to_sql appends rows, one by one, many in a statement, and by COPY."""
import csv
import io
import sys

import pandas
from sqlalchemy import create_engine
from reporting import report

SCHEMA = sys.argv[1]
ENGINE = create_engine("postgresql+psycopg://", connect_args={"options": f"-c search_path={SCHEMA} -c timezone=UTC"})


def by_copy(table, connection, columns, rows):
    """As the manual of pandas does it."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    with connection.connection.cursor() as cursor, cursor.copy(f"COPY {table.name} ({', '.join(columns)}) FROM STDIN WITH CSV") as copy:
        copy.write(text.getvalue())


for method in (None, "multi", by_copy):
    name = method if isinstance(method, str) else "copy" if method else "single"
    frame = pandas.DataFrame({"id": [f"pd{name}{n}" for n in range(40)], "name": [f"Łódź, {n}" for n in range(40)],
                              "price": [n + 0.25 for n in range(40)], "stock": range(40), "version": 1,
                              "changed": pandas.Timestamp("2026-03-01 12:30", tz="UTC")})
    frame.to_sql("products", ENGINE, if_exists="append", index=False, method=method, chunksize=15)
    found = pandas.read_sql(f"SELECT * FROM products WHERE id LIKE 'pd{name}%%' ORDER BY id COLLATE \"C\"", ENGINE)
    report(f"to_sql, {name}", found.astype(str).values.tolist())
