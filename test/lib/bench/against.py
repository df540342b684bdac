"""Two builds of the extension in one PostgreSQL, in turns: is the new one slower? See test/bench --against."""
import itertools
import os
import shutil
import subprocess
import sys

from instructions import Counter
from report import Comparison, Skipped, note, print_table
from works import COMPARED, MEANINGS, prepare
from world import ROOT, Database, World, quiet_turns

PAIRS = 10
CPU_LIMIT, TIME_LIMIT, INSTRUCTIONS_LIMIT = 1.05, 1.10, 1.02

# What is needed to build the library.
PARTS = ("Makefile", "dynamo_fdw.control", "src", "sql")


class Side(Database):
    """A database whose functions are those of one build; a backend can load but one."""

    def __init__(self, world, name, library):
        super().__init__(world, f"_{name}")
        with self.connect() as connection:
            connection.cursor.execute("UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dynamo_fdw'", (library,))

    def session(self, work):
        """A new session for that work."""
        connection = self.connect()
        connection.execute(work.settings)
        return connection


# ---- builds ----

def build(world, tree):
    """Build the library of a directory or a revision, in a copy of its sources; a file that PostgreSQL can read."""
    directory = world.directory()
    os.chmod(directory, 0o755)
    (copy_tree if os.path.isdir(tree) else copy_revision)(tree, directory)
    done = subprocess.run(["make", "-s", "-j2", "-C", directory, f"PG_CONFIG={os.environ['PG_CONFIG']}"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"test/bench: {tree} does not build:\n{done.stdout}")
    return os.path.join(directory, "dynamo_fdw.so")


def copy_tree(tree, directory):
    """The sources of a checkout, as they are."""
    for part in PARTS:
        source, target = os.path.join(tree, part), os.path.join(directory, part)
        if not os.path.exists(source):
            sys.exit(f"test/bench: {tree} is no checkout of dynamo_fdw: it has no {part}")
        if os.path.isdir(source):
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.o", "*.bc"))
        else:
            shutil.copy(source, target)


def copy_revision(revision, directory):
    """The sources of a revision of this repository."""
    archive = subprocess.run(["git", "-C", ROOT, "archive", "--format=tar", f"{revision}^{{commit}}", *PARTS],
                             check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if archive.returncode:
        sys.exit(f"test/bench: {revision} is neither a directory nor a revision: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "-x", "-C", directory], input=archive.stdout, check=True)


# ---- turns ----

class Pair:
    """The old build and the new one at the same work."""

    def __init__(self, work, sides):
        self.work, self.sides = work, sides
        self.turns = itertools.count()
        self.sessions = {side: side.session(work) for side in sides}
        for side, session in self.sessions.items():
            check_plan(side, session, work)
            session.execute(work.statement)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for session in self.sessions.values():
            session.raw.close()

    def turn(self):
        """CPU and wall seconds of each, and the larger share of its time that one of them had no CPU."""
        first = next(self.turns) % 2
        took = {side: self.run(side) for side in (self.sides[first], self.sides[1 - first])}
        old, new = (took[side] for side in self.sides)
        return old[0], old[1], new[0], new[1], max(old[2] / old[1], new[2] / new[1])

    def run(self, side):
        """CPU and wall seconds of the work, and those that it was ready to run but had no CPU."""
        runs = [self.run_once(side) for _ in range(self.work.times)]
        return [sum(column) for column in zip(*runs)]

    def run_once(self, side):
        """The same of one statement."""
        session = side.session(self.work) if self.work.fresh else self.sessions[side]
        queued = session.queued()
        cpu, elapsed = session.timed(self.work.statement)
        queued = session.queued() - queued
        if self.work.fresh:
            session.raw.close()
        return cpu, elapsed, queued


def check_plan(side, session, work):
    """Does the plan do what is to be measured?"""
    plan = "\n".join(line for (line,) in session.execute(f"EXPLAIN {work.query}"))
    if work.shown not in plan:
        sys.exit(f"test/bench: this is not the plan to measure, in {side.name}: {work.query}\n{plan}")


def compare(work, sides):
    """The figures of one work."""
    with Pair(work, sides) as pair:
        columns = quiet_turns(pair.turn, PAIRS, most=2)[:4]
    scale = work.scale / work.executions
    cpu_old, time_old, cpu_new, time_new = [[seconds * scale for seconds in column] for column in columns]
    return [Comparison(f"{work.name}: CPU", cpu_old, cpu_new, CPU_LIMIT, work.unit),
            Comparison("    wall time", time_old, time_new, TIME_LIMIT, work.unit)]


def count(work, counter, sides):
    """The figure of one work's instructions, in millions."""
    old, new = ([counter.count(side, work) / work.executions * work.times / 1e6] for side in sides)
    return Comparison("    instructions", old, new, INSTRUCTIONS_LIMIT, " M")


def compare_all(tree, names, instructions):
    """Build, measure and print; the status reports what is slower."""
    sections = {}
    world = World()
    try:
        note(f"building {tree} and this checkout")
        sides = [Side(world, "old", build(world, tree)), Side(world, "new", build(world, ROOT))]
        prepare(world, sides)
        counter = Counter(world, sides) if instructions and Counter.available() else None
        for name in names or COMPARED:
            note(f"{name}: {MEANINGS[name]}")
            sections[name] = []
            for work in COMPARED[name]:
                sections[name] += compare(work, sides) + ([count(work, counter, sides)] if counter else [])
        if instructions and not counter:
            sections["instructions"] = [Skipped("instructions", "valgrind is not installed", len(Comparison.HEADINGS))]
    finally:
        world.close()
    print_table(sections, Comparison.HEADINGS)
    slower = [figure for figures in sections.values() for figure in figures if figure.verdict == "SLOWER"]
    print(f"\n{len(slower)} figures are slower" if slower else "\nnothing is slower")
    return 1 if slower else 0
