"""psycopg 3: binary parameters and results, named cursors, pipelines, prepared statements, naive datetimes, COPY."""
import datetime
import sys
from decimal import Decimal

import psycopg
from reporting import report

SCHEMA = sys.argv[1]
DAY = datetime.date(2026, 1, 10)
NAIVE = datetime.datetime(2026, 1, 10, 12)
AWARE = NAIVE.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2)))

with psycopg.connect(autocommit=True, options=f"-c search_path={SCHEMA} -c timezone=Europe/Berlin") as connection:
    def rows(sql, parameters=None, binary=False, **more):
        """All rows of a statement."""
        with connection.cursor(binary=binary) as cursor:
            return cursor.execute(sql, parameters, **more).fetchall()

    for binary in (False, True):
        form = "binary" if binary else "text"
        report(f"everything of a key, {form}", rows("SELECT * FROM orders WHERE customer_id = %s", ["c07"], binary), True)
        for name, value in (("date", DAY), ("naive datetime", NAIVE), ("datetime with a zone", AWARE)):
            report(f"since a {name}, {form}",
                 rows("SELECT ordered_at, total FROM orders WHERE customer_id = %b AND ordered_at >= %b", ["c07", value], binary), True)
        report(f"lists, {form}", rows("SELECT name FROM customers WHERE customer_id = ANY(%b)", [["c01", "c02", "c99", "c01"]], binary), True)
        report(f"numbers, {form}", rows("SELECT ordered_at FROM orders WHERE customer_id = %b AND total > %b AND quantity = %b AND weight < %b",
                                      ["c03", Decimal("100.5"), 3, 9.5], binary), True)
        report(f"nothing known, {form}", rows("SELECT * FROM orders WHERE customer_id = %b AND ordered_at = %b", ["c07", None], binary), True)

    found = [rows("SELECT count(*), sum(total) FROM orders WHERE customer_id = %s AND ordered_at < %s", [f"c{n:02d}", NAIVE], prepare=True)
             for n in range(8)]
    report("prepared, eight times", found, True, True)

    with connection.transaction(), connection.cursor("many", withhold=False) as cursor:
        cursor.itersize = 7
        report("a cursor of the server", list(cursor.execute("SELECT ordered_at, tags, details FROM orders WHERE customer_id = %s", ["c11"])), True)
    with connection.transaction(), connection.cursor("moved", scrollable=True) as cursor:
        cursor.execute("SELECT customer_id, ordered_at FROM orders WHERE customer_id = 'c12' ORDER BY ordered_at")
        first = cursor.fetchmany(5)
        cursor.scroll(-3)
        report("a cursor that is moved", first + cursor.fetchmany(4), True, True)

    with connection.pipeline():
        cursors = [connection.execute("SELECT name, since FROM customers WHERE customer_id = %s", [f"c{n:02d}"]) for n in range(12)]
        found = [row for cursor in cursors for row in cursor.fetchall()]
    report("a pipeline", found, True, True)

    with connection.cursor() as cursor, cursor.copy("COPY (SELECT customer_id, ordered_at, details FROM orders WHERE customer_id = 'c05') TO STDOUT") as copy:
        report("COPY", [bytes(line).decode() for line in copy], True)
    try:
        rows("SELECT 1 / (quantity - quantity) FROM orders WHERE customer_id = 'c05'")
    except psycopg.errors.DivisionByZero as error:
        report("after an error", [error.diag.sqlstate, rows("SELECT 1")], True)
