"""Runs each client in both schemas and compares what it gets; see test/clients/run.

A program is started with the name of a schema as its argument and the variables PGHOST ... PGDATABASE. For each step it
prints a line of JSON, {"step": name, "rows": [...], "keyed": true if no Scan may be sent}, and waits for a line of input
before it goes on, so that the requests of the step are known from those of the next one.
"""
import collections
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), HERE]

import world                                    # noqa: E402  (the paths above are needed first)

LIMIT_S = 300


class Client:
    """One of them: what must be there, and how it is started."""

    def __init__(self, name, needs, *command):
        self.name, self.missing = name, not os.environ.get(needs) if needs else False
        self.command = command
        self.writes = "writes" in name

    def start(self, schema, environment):
        """The running program."""
        command = [os.path.expandvars(part) for part in self.command]
        return subprocess.Popen(command + [schema], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=HERE)


def clients():
    """All of them."""
    program = lambda name: os.path.join(HERE, "programs", name)     # noqa: E731
    python = "$CLIENTS_VENV/bin/python"
    found = [Client("psycopg 3", "CLIENTS_VENV", python, program("with_psycopg3.py")),
             Client("SQLAlchemy", "CLIENTS_VENV", python, program("with_sqlalchemy.py")),
             Client("pandas", "CLIENTS_VENV", python, program("with_pandas.py")),
             Client("SQLAlchemy, writes", "CLIENTS_VENV", python, program("with_sqlalchemy_writes.py")),
             Client("pandas, writes", "CLIENTS_VENV", python, program("with_pandas_writes.py")),
             Client("Django", "CLIENTS_DJANGO", "$CLIENTS_DJANGO/bin/python", program("with_django.py")),
             Client("Django, writes", "CLIENTS_DJANGO", "$CLIENTS_DJANGO/bin/python", program("with_django_writes.py")),
             Client("dbt", "CLIENTS_DBT", "$CLIENTS_DBT/bin/python", program("with_dbt.py")),
             Client("pgjdbc", "PGJDBC", "java", "-cp", "$PGJDBC", program("WithPgjdbc.java")),
             Client("pgjdbc, writes", "PGJDBC", "java", "-cp", "$PGJDBC", program("WithPgjdbcWrites.java")),
             Client("Hibernate, writes", "HIBERNATE", "java", "-cp", "$HIBERNATE/*", program("WithHibernate.java")),
             Client("psqlODBC", "PSQLODBC", python, program("with_psqlodbc.py")),
             Client("node-postgres", "NODE_PG", "node", program("with_node_postgres.js")),
             *(Client(f"PostGraphile {version}, writes", "POSTGRAPHILE", "$POSTGRAPHILE/5/node_modules/.bin/node", "--no-deprecation", program("with_postgraphile.js"), version)
               for version in "45")]
    for path in sorted(glob.glob(os.path.join(HERE, "recorded", "*.sql"))):
        found.append(Client(os.path.basename(path)[:-4], None, sys.executable, program("replay.py"), path))
    return found


def steps(client, schema, fx):
    """(step, rows, keyed, requests) of a client in a schema."""
    environment = {**os.environ, "PGDATABASE": fx.database, "PGCLIENTENCODING": "UTF8", "PYTHONWARNINGS": "ignore"}
    fx.proxy.reset()
    process = client.start(schema, environment)
    found = []
    try:
        for line in process.stdout:
            if not line.startswith("{"):
                continue
            report = json.loads(line)
            requests = [r for r in fx.proxy.requests if r.operation != "DescribeTable"]
            found.append((report["step"], report["rows"], report.get("keyed", False), requests))
            fx.proxy.reset()
            process.stdin.write("\n")
            process.stdin.flush()
        status = process.wait(LIMIT_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdin.close()
        process.stdout.close()
    return found, status


def requests_text(fx, requests):
    """The requests as a short text, equal ones counted."""
    def text(request):
        table = request.body.get("TableName") or next(iter(request.body.get("RequestItems", {"?": None})))
        return f"{request.operation} {table.removeprefix(fx.remote(''))}" + (f"/{request.body['IndexName']}" if "IndexName" in request.body else "")
    counts = collections.Counter(map(text, requests))
    return ", ".join(f"{count} x {what}" for what, count in counts.items()) or "nothing"


def judge(client, fx):
    """Prints the client's tests; returns how many passed and failed."""
    local, status = steps(client, "local", fx)
    if status != 0 or not local:
        print(f"not ok - {client.name}: ended with status {status} on local tables")
        return 0, 1
    remote, status = steps(client, "remote", fx)
    passed = failed = 0
    for number, (step, rows, keyed, _) in enumerate(local):
        name = f"{client.name}: {step}"
        if number >= len(remote):
            print(f"not ok - {name}: it ended with status {status} before")
            failed += 1
            continue
        _, found, _, requests = remote[number]
        scans = [r for r in requests if r.operation == "Scan"]
        trouble = "other rows than a local table's" if found != rows else "a Scan where keys are named" if keyed and scans else None
        print(f"{'not ok' if trouble else 'ok'} - {name}: " + (f"{trouble}; " if trouble else "")
              + f"{len(rows)} rows, asked {requests_text(fx, requests)}", flush=True)
        if found != rows:
            print(f"#   local:   {json.dumps(rows)[:600]}\n#   foreign: {json.dumps(found)[:600]}")
        passed, failed = passed + (trouble is None), failed + (trouble is not None)
    if client.writes:
        wrong = world.wrong_items(fx)
        print(f"{'not ok' if wrong else 'ok'} - {client.name}: the items in DynamoDB" + "".join(f"\n#   {line}" for line in wrong[:10]))
        passed, failed = passed + (not wrong), failed + bool(wrong)
    return passed, failed


def main(words):
    """Those that are needed."""
    known = clients()
    if words == ["--list"]:
        print("\n".join(client.name for client in known))
        return 0
    wanted = [c for c in known if not words or any(word.lower() in c.name.lower() for word in words)]
    if not wanted:
        sys.exit("test/clients/run: no client has such a name; --list names them")
    passed = failed = skipped = 0
    fx = world.make()
    try:
        for client in wanted:
            if client.missing:
                print(f"skip - {client.name}: it could not be fetched")
                skipped += 1
                continue
            good, bad = judge(client, fx)
            passed, failed = passed + good, failed + bad
    finally:
        fx.close()
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
