"""psqlODBC: parameters, declare/fetch, what ODBC reports tables and columns."""
import datetime
import os
import sys
from decimal import Decimal

import pyodbc
from reporting import report

SCHEMA = sys.argv[1]
BASE = "Driver={{{PSQLODBC}}};Servername={PGHOST};Port={PGPORT};Database={PGDATABASE};Username={PGUSER};".format(**os.environ) + \
    f"ConnSettings=SET search_path = {SCHEMA}%3b SET timezone = 'UTC';"

for declare in (0, 1):
    for prepare in (0, 1):
        connection = pyodbc.connect(f"{BASE}UseDeclareFetch={declare};Fetch=7;UseServerSidePrepare={prepare};", autocommit=False)
        cursor = connection.cursor()
        form = f"{'declare/fetch' if declare else 'all at once'}{', prepared' if prepare else ''}"

        def rows(sql, *parameters):
            """All rows."""
            return [list(row) for row in cursor.execute(sql, *parameters).fetchall()]

        report(f"of a key, {form}", rows("SELECT customer_id, ordered_at, total, quantity, weight, shipped FROM orders WHERE customer_id = ?", "c14"), True)
        report(f"since a datetime, {form}", rows("SELECT ordered_at FROM orders WHERE customer_id = ? AND ordered_at >= ?", "c14", datetime.datetime(2026, 1, 20, 1)), True)
        report(f"on dates, {form}", rows("SELECT ordered_at FROM orders WHERE customer_id = ? AND ordered_at BETWEEN {d '2026-01-05'} AND {d '2026-01-06'}", "c14"), True)
        report(f"numbers, {form}", rows("SELECT ordered_at FROM orders WHERE customer_id = ? AND total >= ? AND quantity < ?", "c14", Decimal("99.5"), 4), True)
        report(f"a join, {form}", rows("SELECT c.name, o.total FROM {oj customers c LEFT OUTER JOIN orders o ON c.customer_id = o.customer_id} WHERE c.customer_id = ?", "c15"), True)
        report(f"columns, {form}", [[c.column_name, c.type_name, c.nullable] for c in cursor.columns(table="orders_view", schema=SCHEMA)], True, True)
        connection.close()
