"""How soon a cancelled statement ends."""
import random
import statistics
import threading
import time

import psycopg2

from report import Figure

CANCELS = 50
AIM = 100       # ms
HANG = 10       # seconds


def cancel(world):
    """From the cancel request to the error, 50 times: while a response is awaited, stuck half-way, and pouring in"""
    figures = []
    for name, arguments in (("wait", ("--delay-ms", 600_000)), ("body", ("--stall-after", 100_000)),
                            ("full speed", ("--repeat", 1000))):
        table = "cancel_" + name.replace(" ", "_")
        world.foreign_table(table, world.serve(*arguments), request_timeout=600_000)
        took = sorted(cancel_all(world, f"SELECT sum(n) FROM {table}"))
        figures += [Figure(f"{name}, p50", [statistics.median(took)], aim=AIM, unit=" ms"),
                    Figure(f"{name}, p95", [took[len(took) * 95 // 100]], aim=AIM, unit=" ms")]
    return figures


def cancel_all(world, statement):
    """Milliseconds of each cancel, at random moments."""
    rng = random.Random(1)
    with world.connect() as connection:
        return [cancel_once(connection, statement, 0.03 + rng.random() / 10) for _ in range(CANCELS)]


def cancel_once(connection, statement, delay):
    """Run the statement, cancel it after the delay, and time its end."""
    outcome = []

    def run():
        try:
            connection.execute(statement)
            outcome.append("it had ended before")
        except psycopg2.errors.QueryCanceled:
            outcome.append(time.monotonic())
        except psycopg2.Error as error:
            outcome.append(str(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    time.sleep(delay)
    start = time.monotonic()
    connection.raw.cancel()
    thread.join(HANG)
    [end] = outcome or [f"it still runs after {HANG} s"]
    if isinstance(end, str):
        raise SystemExit(f"test/bench: could not cancel {statement}: {end}")
    return (end - start) * 1000
