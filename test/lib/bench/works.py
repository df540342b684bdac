"""What two builds of the extension are compared by: statements, the sessions that run them, and their tables."""
from joins import BELONGS_TO, HAS_MANY, NO_SCANS, OUTER, create_tables
from latencies import LOOKUP
from scans import DELAY_MS
from world import DOCUMENT_PAGES, DOCUMENTS, PLAIN, TYPED, create_server, pages

JOIN_DELAY_MS = 1
SCHEMA = "keyed"

# Of keyed_server.c. Reading it complete would be cheaper than a tenth of it by the index, so that is not allowed.
ENTRIES = f"""
    CREATE FOREIGN TABLE {SCHEMA}.entries (id text NOT NULL, grp text, n numeric NOT NULL, amount numeric, note text)
    SERVER listed OPTIONS (table_name 'entries')"""


class Work:
    """A query; it is run `times` times in each turn, in a session with these settings, its rows made into text."""

    # pylint: disable=too-many-arguments
    def __init__(self, name, query, settings="", shown="", times=1):
        self.name, self.query, self.times = name, query, times
        self.settings = f"SET search_path = {SCHEMA}, public; {settings}"
        self.shown = shown      # its plan holds this text
        self.statement = f"COPY ({query}) TO '/dev/null'"
        self.before = f"EXPLAIN {query}"      # what else is needed in a new session is done by this
        self.executions = times
        self.fresh, self.unit, self.scale = False, " ms", 1e3


class Planning(Work):
    """Of a query, without running it; a statement plans many times."""

    PLANS = 200

    def __init__(self, of):
        super().__init__(f"planning, {of.name}", of.query, of.settings, of.shown, times=5)
        quoted = "'" + self.before.replace("'", "''") + "'"
        self.statement = f"DO $do$ BEGIN FOR i IN 1..{self.PLANS} LOOP EXECUTE {quoted}; END LOOP; END $do$"
        self.executions = self.PLANS * self.times
        self.unit, self.scale = " us", 1e6


class First(Work):
    """The same, in a new session each time: the library is loaded, the table described, the connection made."""

    def __init__(self, of):
        super().__init__(f"first statement, {of.name}", of.query, of.settings, of.shown, times=10)
        self.before = "SELECT 1"
        self.fresh = True


SCANS = [Work(f"{what}, {table} columns", statement.format(table), times=times)
         for table in ("typed", "plain")
         for what, statement, times in (("SELECT sum(n)", "SELECT sum(n) FROM {}", 2), ("SELECT *", "SELECT * FROM {}", 1))]
# What is fetched needs the text of every value, which core makes; a count needs the values alone.
JSONB = [Work(name, f"SELECT {what} FROM documents")
         for name, what in (("SELECT *, two jsonb columns", "*"), ("counting two jsonb columns", "count(customer), count(lines)"))]
KEY = Work("key lookup", LOOKUP.format("typed"))
JOINS = [Work(join.name, join.statement, NO_SCANS, "DynamoLookupJoin", times=times)
         for join, times in ((HAS_MANY, 5), (BELONGS_TO, 40))]
LISTED = Work("by an index of keys, 2,500 rows", "SELECT * FROM entries WHERE grp = 'q-000003'",
              shown="Query, then BatchGetItem", times=20)

COMPARED = {"scans": SCANS, "jsonb": JSONB, "joins": JOINS, "base": [LISTED], "planning": [Planning(KEY), *map(Planning, JOINS)],
            "first": [First(KEY)]}
MEANINGS = {"scans": f"whole scans of 200,000 items, {DELAY_MS} ms per request", "base": "index, then base table",
            "jsonb": f"whole scans of 50,000 items of two documents, {DELAY_MS} ms per request",
            "joins": f"lookup joins, {JOIN_DELAY_MS} ms per request", "planning": "planning, as EXPLAIN does it",
            "first": "the first statement of a session"}


def prepare(world, sides):
    """The same tables in every database."""
    full, keyed = world.serve("--delay-ms", DELAY_MS), world.serve_keyed("--delay-ms", JOIN_DELAY_MS)
    documents = world.serve("--delay-ms", DELAY_MS, directory=pages(*DOCUMENT_PAGES))
    for side in sides:
        side.foreign_table("typed", full, TYPED)
        side.foreign_table("plain", full, PLAIN)
        side.foreign_table("documents", documents, DOCUMENTS)
        create_tables(side, SCHEMA, keyed)
        with side.connect() as connection:
            create_server(connection, "listed", keyed, scan_policy="error")
            connection.execute(ENTRIES)
            connection.execute(OUTER)
