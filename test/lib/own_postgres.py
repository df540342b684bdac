"""A PostgreSQL of a test's own, with other settings than the one that all tests share."""
import os
import shutil
import socket
import subprocess
import tempfile

import fixture
import psycopg2


class TestCase(fixture.TestCase):
    """Starts it, and stops it at the end of the test."""

    def start_postgres(self, settings):
        """With options of the program postgres; self.port is its port on the loopback address."""
        programs = self.fx.value("SELECT setting FROM pg_config WHERE name = 'BINDIR'")
        root = os.geteuid() == 0        # whom initdb and postgres refuse to run as
        self.run_as = ["runuser", "-u", "postgres", "--"] if root else []
        self.directory = tempfile.mkdtemp(prefix="dynamo_fdw-own.")
        self.addCleanup(shutil.rmtree, self.directory)
        if root:
            shutil.chown(self.directory, "postgres")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        data = f"{self.directory}/data"
        self.run_program(f"{programs}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
        self.run_program(f"{programs}/pg_ctl", "-D", data, "-w", "-s", "-l", f"{self.directory}/log", "start", "-o",
                         f"-p {self.port} -k {self.directory} -c listen_addresses=127.0.0.1 -c fsync=off {settings}")
        self.addCleanup(self.run_program, f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "-w", "-s", "stop")

    def run_program(self, *command):
        """As the user that PostgreSQL runs as."""
        subprocess.run([*self.run_as, *command], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd="/")

    def connect(self):
        """A connection that commits every statement."""
        connection = psycopg2.connect(host="127.0.0.1", port=self.port, user="postgres", dbname="postgres",
                                      options=f"-c statement_timeout={fixture.STATEMENT_TIMEOUT}")
        connection.autocommit = True
        self.addCleanup(connection.close)
        return connection
