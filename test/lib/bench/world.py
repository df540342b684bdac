"""What is measured: databases with foreign tables, servers of prepared responses, a plain client next to them."""
import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

import psycopg2

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
SERVER = os.path.join(ROOT, "test", "server")

# The columns of make_pages.py: as an application would declare them, and with as little conversion as it gets.
TYPED = "id text, n integer, price numeric, name text, created timestamptz, active boolean, note text, info jsonb"
PLAIN = "id text, n numeric, price numeric, name text, created text, active boolean, note text, info jsonb"

# Those of the pages with documents, and how such pages are made.
DOCUMENTS = "id text, customer jsonb, lines jsonb"
DOCUMENT_PAGES = ("documents", "--documents", "--items", 50_000)

# A statement that hangs must fail its bench, not the entire run. The compiler would blur both sides alike.
SETTINGS = "-c statement_timeout=120s -c jit=off -c timezone=UTC"

# A turn is quiet if our process waits for a CPU for less than this share of it.
QUIET = 0.02


class World:
    """The programs that were started, and databases of their own; all gone when it is closed."""

    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.pages = pages("full")

    def close(self):
        """Stop and drop everything."""
        self.stack.close()

    def serve(self, *arguments, directory=None):
        """Start a server of the pages; returns its URL."""
        return self._url_of("bench_server", "--dir", directory or self.pages, *arguments)

    def serve_keyed(self, *arguments):
        """Start a server of tables that are read by key; returns its URL."""
        return self._url_of("keyed_server", *arguments)

    def _url_of(self, name, *arguments):
        url = self.start(os.path.join(SERVER, "build", name), *arguments).stdout.readline().strip()
        if not url:
            sys.exit(f"test/bench: {name} did not start")
        return url

    def start(self, *command, **options):
        """Start a program whose output is read from here."""
        # pylint: disable=consider-using-with
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True, **options)
        self.stack.callback(process.wait)
        self.stack.callback(process.terminate)
        return process

    def directory(self):
        """A new directory that goes with the world."""
        path = tempfile.mkdtemp(prefix="dynamo_fdw_bench.")
        self.stack.callback(shutil.rmtree, path)
        return path


class Database:
    """A database with the extension, and foreign tables in it; gone when the world is closed."""

    def __init__(self, world, suffix=""):
        self.name = f"fdw_bench_{os.getpid()}{suffix}"
        maintain(f"CREATE DATABASE {self.name}")
        world.stack.callback(maintain, f"DROP DATABASE {self.name} WITH (FORCE)")
        with self.connect() as connection:
            connection.execute("CREATE EXTENSION dynamo_fdw")

    def connect(self):
        """A new connection to the database."""
        return Connection(self.name)

    def foreign_table(self, name, url, columns=TYPED, **options):
        """A foreign table over the pages of that server, on a foreign server of the same name."""
        with self.connect() as connection:
            create_server(connection, name, url, **options)
            connection.execute(f"CREATE FOREIGN TABLE {name} ({columns}) SERVER {name} OPTIONS (table_name 'bench')")


class BenchWorld(World):
    """With one database, where foreign tables are next to the same rows in a file."""

    def __init__(self):
        super().__init__()
        home = Database(self)
        self.database, self.connect, self.foreign_table = home.name, home.connect, home.foreign_table
        with self.connect() as connection:
            connection.execute("CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw")
        self.csv = self._readable_csv()

    def _readable_csv(self):
        """A copy of the rows where the user that PostgreSQL runs as can read it."""
        directory = self.directory()
        os.chmod(directory, 0o755)
        return shutil.copy(os.path.join(self.pages, "rows.csv"), directory)

    def csv_table(self, name, columns=TYPED):
        """The same rows through file_fdw."""
        with self.connect() as connection:
            connection.execute(f"CREATE FOREIGN TABLE {name} ({columns}) SERVER files "
                               f"OPTIONS (filename '{self.csv}', format 'csv')")


def maintain(sql):
    """Run what belongs into no transaction, in no database of ours."""
    connection = psycopg2.connect("")
    connection.autocommit = True
    connection.cursor().execute(sql)
    connection.close()


def create_server(connection, name, url, **options):
    """A foreign server of ours that anybody may use."""
    options = {"endpoint_url": url, "region": "us-east-1", "scan_policy": "allow", **options}
    clause = ", ".join(f"{key} '{value}'" for key, value in options.items())
    connection.execute(f"CREATE SERVER {name} FOREIGN DATA WRAPPER dynamo_fdw OPTIONS ({clause});"
                       f"CREATE USER MAPPING FOR PUBLIC SERVER {name} "
                       "OPTIONS (access_key_id 'test', secret_access_key 'test')")


def pages(name, *arguments):
    """The directory of prepared pages of that name; they are made once."""
    directory = os.path.join(os.environ["DYNAMO_FDW_CACHE"], f"bench-{name}")
    subprocess.run([sys.executable, os.path.join(SERVER, "make_pages.py"), directory, *map(str, arguments)], check=True,
                   stdout=sys.stderr)
    return directory


def bare_client(url, *arguments):
    """Run the plain client; its figures by name."""
    done = subprocess.run([os.path.join(SERVER, "build", "bare_client"), "--url", url, *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return {name: float(value) for name, value in (pair.split("=") for pair in done.stdout.split())}


def quiet_turns(turn, wanted, most=4):
    """
    The `wanted` turns of up to `most` times that number in which other programs were least in the way, as columns.

    turn() returns a tuple of figures, the last one the share of its time that our process was ready to run but had no
    CPU. Wall times mean little while others have the CPUs; nothing but that share decides which turns are taken.
    """
    turns = []
    while len(turns) < wanted or (len(turns) < most * wanted and turns[wanted - 1][-1] > QUIET):
        turns.append(turn())
        turns.sort(key=lambda columns: columns[-1])
    return list(zip(*turns[:wanted]))


class Connection:
    """One connection, and what /proc shows about its backend."""

    def __init__(self, database):
        self.raw = psycopg2.connect(dbname=database, options=SETTINGS)
        self.raw.autocommit = True
        self.cursor = self.raw.cursor()
        self.pid = self.raw.get_backend_pid()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.raw.close()

    def execute(self, sql):
        """Run; the rows, if it has any."""
        self.cursor.execute(sql)
        return self.cursor.fetchall() if self.cursor.description else []

    def cpu(self):
        """CPU seconds that the process has used, user and system, exact to the switch of the process."""
        return self._scheduled(0)

    def queued(self):
        """Seconds that it was ready to run while others had the CPUs."""
        return self._scheduled(1)

    def _scheduled(self, field):
        total = 0
        for path in glob.glob(f"/proc/{self.pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as file:
                total += int(file.read().split()[field])
        return total / 1e9

    def peak(self):
        """The largest resident size so far, in MB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            [line] = (line for line in file if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024

    def copied(self, sql, data):
        """Wall seconds of COPY FROM STDIN."""
        elapsed = time.monotonic()
        self.cursor.copy_expert(sql, data)
        return time.monotonic() - elapsed

    def timed(self, sql):
        """(CPU seconds, wall seconds) of a statement."""
        cpu, elapsed = self.cpu(), time.monotonic()
        self.execute(sql)
        elapsed = time.monotonic() - elapsed
        return self.cpu() - cpu, elapsed
