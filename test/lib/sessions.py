#!/usr/bin/python3
"""Runs the statements of the manual, so that what it shows stays true.

usage: sessions.py [--write] FILE...    compare the output in Markdown files with a run, or write the run's output in

Statements are in blocks that begin with ```sql, which can be pasted into psql; what they print is in a ```text
block right after, if they print anything (psql -q: no command tags). A comment names the database in which the blocks
after it are run, in one psql for each name:

    <!-- database: tutorial -->                 made for the run, and empty; the database "demo" has the tables of test/demo
    <!-- database: shop, with a server -->      has a server "ddb"; so has every page with items of its own (page_items.py)
    <!-- not run: why -->                       right before a block: this one is left out
    <!-- creates: orders -->                    DynamoDB tables that the statements create, to be dropped

Blocks may be in comments, too: they prepare what others need.

Milliseconds, ports, request ids, times in the filter of a ttl, the order of requests, and that of rows without ORDER BY
do not count. A server of a region without endpoint is one of the tests' DynamoDB. Pages with items log the requests
that read items.
"""
import difflib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tour"))

import page_items                       # noqa: E402  (the path above is needed first)
import run as tour                      # noqa: E402
from dynamo import DynamoClient         # noqa: E402

PARTS = re.compile(r"^<!-- (?P<word>database|not run): (?P<what>.*?) -->$|"
                   r"^ *```sql\n(?P<sql>.*?)^ *```$(?P<shown>\n\n```text\n(?P<output>.*?)^```$)?", re.M | re.S)
MARK = "---- next ----"


class Block:
    """A block of statements, with what is written below it, and what a run gave: lines for each statement."""

    def __init__(self, match, database):
        self.database, self.sql = database, match.group("sql")
        self.written = (match.group("output") or "").splitlines()
        self.output_span = match.span("shown") if match.group("shown") else (match.end(), match.end())
        self.statements, self.outputs = list(statements_of(self.sql)), []

    def printed(self):
        """What the run printed, as lines: results are followed by an empty line."""
        lines = []
        for output in filter(None, self.outputs):
            lines += ([""] if len(lines) > 1 else []) + output
        return lines

    def section(self):
        """The text that belongs below the block."""
        return "\n\n```text\n" + "\n".join(self.printed()) + "\n```" if self.printed() else ""

    def is_ordered(self):
        """Do the statements determine the order of their rows?"""
        return any(re.search(r"\border by\b|^explain", one, re.I) for one in self.statements)

    def differences(self):
        """Lines by which what is written differs from the run."""
        written, run = ([line + "\n" for line in lines] for lines in (self.written, self.printed()))
        return list(difflib.unified_diff(comparable(written, self.is_ordered()), comparable(run, self.is_ordered()),
                                         "as written", "as run: " + self.sql.splitlines()[0], n=1))


def statements_of(text):
    """The statements of a block: they end with a line that ends with a semicolon, or are a psql command."""
    lines, quoted = [], False
    for line in text.splitlines():
        if not line.strip() and not lines:
            continue
        lines.append(line)
        quoted ^= line.count("$$") % 2 == 1
        if not quoted and re.search(r";\s*(--.*)?$", line) or len(lines) == 1 and line.startswith("\\"):
            yield "\n".join(lines)
            lines = []
    if lines:
        raise ValueError("no semicolon behind: " + "\n".join(lines))


def blocks_of(text):
    """The blocks of a page that are run, and the kinds of its databases: the name of a script, or None."""
    blocks, kinds, database, skip = [], {}, None, False
    for match in PARTS.finditer(text):
        if match.group("word") == "database":
            database, _, kind = match.group("what").partition(", ")
            kinds[database] = kind
        elif match.group("word"):
            skip = True
        elif skip:
            skip = False
        elif database:
            blocks.append(Block(match, database))
        else:
            raise ValueError("no database for: " + match.group("sql"))
    return blocks, {name: script_of(name, kind, text) for name, kind in kinds.items()}


def script_of(database, kind, text):
    """The script that a database starts with."""
    if database == tour.DATABASE:
        return "tables.sql"
    return "page.sql" if kind == "with a server" or page_items.has_items(text) else None


def sendable(statement):
    """The statement, with the DynamoDB of the tests in place of one of AWS."""
    if "SERVER" not in statement or "endpoint_url" in statement:
        return statement
    return re.sub(r"\(region '[\w-]+'", f"(region 'us-east-1', endpoint_url '{os.environ['DDB_ENDPOINT']}'", statement)


def play(database, statements):
    """Run the statements in one psql; returns the output of each, as lines."""
    script = "".join(f"{sendable(one)}\n\\echo {MARK}\n\\warn {MARK}\n" for one in statements)
    environment = {**os.environ, "PGTZ": "UTC", "PGCLIENTENCODING": "UTF8"}
    done = subprocess.run(["psql", "-X", "-q", "-d", database], input=script, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment, check=False)
    messages, printed = done.stderr.split(MARK + "\n"), done.stdout.split(MARK + "\n")
    return [tidy(one + two) for one, two in zip(messages, printed)][:len(statements)]


def tidy(text):
    """Output without blanks at its ends."""
    return [line.rstrip() for line in text.strip("\n").split("\n")] if text.strip() else []


def provide(database, script=None, text=""):
    """Make the database, with what the script makes, and the items that it and the page request; returns its real
    name."""
    name = f"{database}_{os.getpid()}"
    maintain(f"CREATE DATABASE {name}")
    script = script or ("tables.sql" if database == tour.DATABASE else None)
    if script:
        tour.run_script(os.path.join(os.path.dirname(tour.__file__), script), name)
    dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
    if database == tour.DATABASE or not page_items.has_items(text):
        tour.data.load(dynamo, reload=False)
    page_items.load(dynamo, text)
    dynamo.close()
    return name


def remove(database, text):
    """Drop the database, and the tables of the page's items."""
    maintain(f"DROP DATABASE {database} WITH (FORCE)")
    dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
    created = " ".join(re.findall(r"^<!-- creates: (.*?) -->$", text, re.M)).split()
    for name in [name for name, *_ in page_items.tables(text)] + created:
        dynamo.drop_table(name)
    dynamo.close()


def maintain(sql):
    """One statement in the database postgres."""
    connection = tour.connect("postgres")
    tour.query(connection, sql)
    connection.close()


def run_page(text):
    """The blocks of a page, with what a run of them printed."""
    blocks, scripts = blocks_of(text)
    for database, script in scripts.items():
        mine = [block for block in blocks if block.database == database]
        real = provide(database, script, text)
        try:
            outputs = iter(play(real, [one for block in mine for one in block.statements]))
        finally:
            remove(real, text)
        for block in mine:
            block.outputs = [without_descriptions(next(outputs)) if page_items.has_items(text) else next(outputs)
                             for _ in block.statements]
    return blocks


def without_descriptions(output):
    """The lines but those about DescribeTable and ListTables, of which other tests' tables change the number."""
    return [line for line in output if not re.match("LOG:  dynamo_fdw: (DescribeTable|ListTables)", line)]


def comparable(lines, ordered):
    """The lines without what differs from run to run."""
    text = "".join(lines)
    text = re.sub(r"\(\d+(\.\d+)? ms\)", "(... ms)", text)
    text = re.sub(r"Request id: [\w-]+", "Request id: ...", text)
    text = re.sub(r"NOT (\w+) BETWEEN \d{10}[\d.]* AND \d{10}[\d.]*", r"NOT \1 BETWEEN ...", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:...", text)
    text = re.sub(r"(?:^LOG:.*\n)+", lambda lines: "".join(sorted(lines.group(0).splitlines(True))), text, flags=re.M)
    return text.splitlines(True) if ordered else with_sorted_rows(text.splitlines(True))


def with_sorted_rows(text):
    """The lines, with the rows of each result in one order."""
    lines, rows = [], None
    for line in text:
        if rows is not None and re.match(r"\(\d+ rows?\)", line):
            lines += sorted(rows)
            rows = None
        if rows is not None:
            rows.append(line)
            continue
        lines.append(line)
        if re.match(r"-[-+]*$", line):
            rows = []
    return lines + (rows or [])


def differences(path):
    """Lines by which a file differs from a run."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for block in run_page(file.read()) for line in block.differences()]


def rewritten(text):
    """The page with the output of a run."""
    for block in reversed(run_page(text)):
        start, end = block.output_span
        if block.differences():
            text = text[:start] + block.section() + text[end:]
    return text


def main(arguments):
    """See above; returns the exit status."""
    status = 0
    for path in arguments[1:] if arguments[:1] == ["--write"] else arguments:
        if arguments[0] == "--write":
            with open(path, encoding="utf-8") as file:
                text = rewritten(file.read())
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        for line in differences(path):
            print(line)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
