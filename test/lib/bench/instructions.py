"""Instructions of a statement, counted by callgrind in a single-user backend over a copy of the databases."""
import os
import re
import shutil
import subprocess
import sys

from report import note

# Instructions are counted from the start of the process on.
COLLECTED = re.compile(r"Collected : (\d+)")


class Counter:
    """A copy of the cluster, which no other program uses, and what was counted on it."""

    def __init__(self, world, sides):
        note("copying the cluster for single-user backends")
        self.directory = world.directory()
        self.profiles = os.path.join(os.environ["DYNAMO_FDW_CACHE"], "callgrind")
        self.as_user = {"user": "postgres", "group": "postgres", "cwd": "/"} if os.geteuid() == 0 else {}
        self.data = os.path.join(self.directory, "data")
        self.counts = {}
        os.makedirs(self.profiles, exist_ok=True)
        os.chmod(self.directory, 0o777)
        self.run(self.program("pg_basebackup"), "-D", self.data, "-X", "fetch", "-c", "fast")
        for side in sides:      # recovery, and caches in files
            self.single(side, ["SELECT 1"])

    @staticmethod
    def available():
        """Is there a valgrind?"""
        return shutil.which("valgrind") is not None

    def count(self, side, work):
        """Instructions of the statement, apart from those of a session that was made ready for it."""
        settings = [line.strip() for line in work.settings.split(";") if line.strip()]
        ready = [*settings, work.before]
        return self.collected(side, work, [*ready, work.statement]) - self.collected(side, None, ready)

    def collected(self, side, work, script):
        """Instructions of the entire process. The profile of a work is cached."""
        if (side, *script) in self.counts:
            return self.counts[side, *script]
        profile, log = (os.path.join(self.directory, name) for name in ("profile", "log"))
        self.single(side, script, "valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", f"--log-file={log}")
        with open(log, encoding="utf-8") as file:
            found = int(COLLECTED.search(file.read())[1])
        if work:
            name = f"{re.sub(r'[^a-z0-9]+', '-', work.name.lower())}.{side.name.rsplit('_', 1)[1]}"
            shutil.copy(profile, os.path.join(self.profiles, name))
        os.remove(log)
        os.remove(profile)
        self.counts[side, *script] = found
        return found

    def single(self, side, script, *under):
        """Run the statements, a line each, in a backend of its own."""
        self.run(*under, self.program("postgres"), "--single", "-D", self.data, "-c", "jit=off", "-c", "timezone=UTC",
                 side.name, text="".join(f"{' '.join(line.split())}\n" for line in script))

    def run(self, *command, text=""):
        """Run it as the user whose cluster this is; its output must not report errors."""
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, **self.as_user)
        if done.returncode or re.search(r"\b(ERROR|FATAL|PANIC):", done.stdout):
            sys.exit(f"test/bench: {os.path.basename(command[0])} failed:\n{done.stdout[-2000:]}")

    @staticmethod
    def program(name):
        """A program of PostgreSQL."""
        return os.path.join(os.environ["PG_BIN"], name)
