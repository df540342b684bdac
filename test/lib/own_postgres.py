"""A PostgreSQL of its own, with other settings than the one that all tests share."""
import os
import shutil
import socket
import subprocess
import tempfile

import fixture
import psycopg2


class OwnPostgres:
    """A cluster that was started with options of the program postgres, on a port of the loopback address."""

    def __init__(self, programs, settings, environment=None):
        root = os.geteuid() == 0        # whom initdb and postgres refuse to run as
        self.programs, self.run_as = programs, ["runuser", "-u", "postgres", "--"] if root else []
        self.environment = environment or {}    # of the postmaster
        self.directory = tempfile.mkdtemp(prefix="dynamo_fdw-own.")
        if root:
            shutil.chown(self.directory, "postgres")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        try:
            self.run("initdb", "-U", "postgres", "-A", "trust", "--no-sync")
            self.run("pg_ctl", "-w", "-s", "-l", f"{self.directory}/log", "start", "-o",
                     f"-p {self.port} -k {self.directory} -c listen_addresses=127.0.0.1 -c fsync=off {settings}")
        except subprocess.CalledProcessError:
            shutil.rmtree(self.directory)
            raise

    def stop(self):
        """For ever."""
        self.run("pg_ctl", "-m", "immediate", "-w", "-s", "stop")
        shutil.rmtree(self.directory)

    def run(self, program, *arguments):
        """One of PostgreSQL's programs, as the user that PostgreSQL runs as."""
        environment = os.environ.get("POSTGRES_ENVIRONMENT", "").split() if program == "pg_ctl" else []
        environment += [f"{name}={value}" for name, value in self.environment.items()]
        command = [f"{self.programs}/{program}", "-D", f"{self.directory}/data", *arguments]
        subprocess.run([*self.run_as, "env", *environment, *command], check=True, stdout=subprocess.DEVNULL,
                       stdin=subprocess.DEVNULL, cwd="/")

    def log(self):
        """What the server has written so far."""
        with open(f"{self.directory}/log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def connect(self, options, user="postgres"):
        """A connection that commits every statement."""
        connection = psycopg2.connect(host="127.0.0.1", port=self.port, user=user, dbname="postgres", options=options)
        connection.autocommit = True
        return connection


class TestCase(fixture.TestCase):
    """Starts one, and stops it at the end of the test."""

    def start_postgres(self, settings):
        """With options of the program postgres."""
        self.postgres = OwnPostgres(self.fx.value("SELECT setting FROM pg_config WHERE name = 'BINDIR'"), settings)
        self.addCleanup(self.postgres.stop)

    def connect(self, user="postgres"):
        """A connection that is closed at the end of the test."""
        connection = self.postgres.connect(f"-c statement_timeout={fixture.STATEMENT_TIMEOUT}", user)
        self.addCleanup(connection.close)
        return connection
