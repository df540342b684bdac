#!/usr/bin/python3
"""Runs the psql sessions of the manual, so that what they show stays true.

usage: sessions.py [--write] FILE...    compare the sessions in Markdown files with a run, or write the run's output in

A session is a block that begins with ```psql; statements follow a prompt such as "demo=# ", their further lines
"demo-# ". All blocks of a file are one session. A database is made for the run, with the foreign tables of test/demo if
its name is demo, otherwise empty. Milliseconds, ports, request ids, times in the filter of a ttl, the order of
requests, and that of rows without ORDER BY do not count.

A page with items of its own (see page_items.py) starts with a server "ddb", and logs the requests that read items. Its
```sql blocks are run, too, where they stand.
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

PROMPT = re.compile(r"(\w+)=# (.*)")
MARK = "---- next ----"


class Statement:
    """What stands at a prompt: the lines as printed, the text to send, and the lines that came back."""

    def __init__(self, database, line, text):
        self.database, self.prompt_lines, self.text_lines, self.output = database, [line], [text], []

    def add(self, line):
        """A line behind the prompt's; False if it is output."""
        further = f"{self.database}-# "
        if self.output or not line.startswith(further):
            self.output.append(line)
        else:
            self.prompt_lines.append(line)
            self.text_lines.append(line[len(further):])


def statements_of(lines):
    """The statements in the lines of a block."""
    statements = []
    for line in lines:
        match = PROMPT.match(line)
        if match:
            statements.append(Statement(match.group(1), line, match.group(2)))
        elif statements:
            statements[-1].add(line)
    return statements


class Definitions(Statement):
    """An ```sql block, which is to print nothing but command tags."""

    def __init__(self, database, lines):
        super().__init__(database, lines[0], lines[0])
        self.prompt_lines, self.text_lines = lines, lines


def blocks_of(text):
    """((start, end), statements) of the blocks to be run."""
    items = page_items.has_items(text)
    database = PROMPT.search(text)
    for match in re.finditer(r"^```(psql|sql)\n(.*?)^```$", text, re.M | re.S):
        lines = match.group(2).splitlines()
        if match.group(1) == "psql":
            yield match.span(2), statements_of(lines)
        elif items:
            yield match.span(2), [Definitions(database.group(1), lines)]


def play(database, statements):
    """Run the statements in one psql; returns the output of each, as lines."""
    script = "".join("\n".join(one.text_lines) + f"\n\\echo {MARK}\n\\warn {MARK}\n" for one in statements)
    environment = {**os.environ, "PGTZ": "UTC", "PGCLIENTENCODING": "UTF8"}
    done = subprocess.run(["psql", "-X", "-d", database], input=script, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment, check=False)
    said, printed = done.stderr.split(MARK + "\n"), done.stdout.split(MARK + "\n")
    return [tidy(one + two) for one, two in zip(said, printed)][:len(statements)]


def tidy(text):
    """Output without blanks at its ends."""
    return [line.rstrip() for line in text.strip("\n").split("\n")] if text.strip() else []


def provide(database, text=""):
    """Make the database, and the items that it and the page ask for; returns its real name."""
    name = f"{database}_{os.getpid()}"
    maintain(f"CREATE DATABASE {name}")
    script = "tables.sql" if database == tour.DATABASE else "page.sql" if page_items.has_items(text) else None
    if script:
        tour.run_script(os.path.join(os.path.dirname(tour.__file__), script), name)
    dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
    if script != "page.sql":
        tour.data.load(dynamo, anew=False)
    page_items.load(dynamo, text)
    dynamo.close()
    return name


def remove(database, text):
    """Drop the database, and the tables of the page's items."""
    maintain(f"DROP DATABASE {database} WITH (FORCE)")
    dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
    for name, *_ in page_items.tables(text):
        dynamo.drop_table(name)
    dynamo.close()


def maintain(sql):
    """One statement in the database postgres."""
    connection = tour.connect("postgres")
    tour.query(connection, sql)
    connection.close()


def run_file(text):
    """The file's text with the output of a run in its sessions."""
    blocks = list(blocks_of(text))
    everything = [statement for _, statements in blocks for statement in statements]
    for database in dict.fromkeys(statement.database for statement in everything):
        mine = [statement for statement in everything if statement.database == database]
        real = provide(database, text)
        try:
            outputs = play(real, mine)
        finally:
            remove(real, text)
        for statement, output in zip(mine, outputs):
            statement.output = without_descriptions(output) if page_items.has_items(text) else output
            if isinstance(statement, Definitions):
                statement.output = [line for line in output if not re.fullmatch(r"[A-Z ]+", line)]
    for (start, end), statements in reversed(blocks):
        text = text[:start] + "\n".join(map(printed, statements)) + "\n" + text[end:]
    return text


def without_descriptions(output):
    """The lines but those about DescribeTable and ListTables, of which other tests' tables change the number."""
    return [line for line in output if not re.match("LOG:  dynamo_fdw: (DescribeTable|ListTables)", line)]


def printed(statement):
    """A statement and its output as lines; tables are followed by an empty line."""
    gap = [""] if len(statement.output) > 1 else []
    return "\n".join(statement.prompt_lines + statement.output + gap)


def comparable(text):
    """The text without what differs from run to run."""
    text = re.sub(r"\(\d+(\.\d+)? ms\)", "(... ms)", text)
    text = re.sub(r"Request id: [\w-]+", "Request id: ...", text)
    text = re.sub(r"NOT (\w+) BETWEEN \d{10}[\d.]* AND \d{10}[\d.]*", r"NOT \1 BETWEEN ...", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:...", text)
    text = re.sub(r"(?:^LOG:.*\n)+", lambda lines: "".join(sorted(lines.group(0).splitlines(True))), text, flags=re.M)
    return with_sorted_rows(text)


def with_sorted_rows(text):
    """The text, with the rows of statements that ask for no order in one."""
    lines, rows, ordered = [], None, True
    for line in text.splitlines(True):
        prompt = PROMPT.match(line)
        if prompt:
            ordered = prompt.group(2).upper().startswith("EXPLAIN")
        ordered = ordered or bool(re.match(r"\w+[=-]# .*\border by\b", line, re.I))
        if rows is not None and re.match(r"\(\d+ rows?\)", line):
            lines += sorted(rows)
            rows = None
        if rows is not None:
            rows.append(line)
            continue
        lines.append(line)
        if not ordered and re.match(r"-[-+]*$", line):
            rows = []
    return "".join(lines + (rows or []))


def differences(path):
    """Lines by which a file differs from a run."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return list(difflib.unified_diff(comparable(text).splitlines(), comparable(normal(run_file(text))).splitlines(),
                                     "as written", "as run", lineterm="", n=1))


def normal(text):
    """Session blocks end without an empty line."""
    return re.sub(r"\n+```$", "\n```", text, flags=re.M)


def main(arguments):
    """See above; returns the exit status."""
    status = 0
    for path in arguments[1:] if arguments[:1] == ["--write"] else arguments:
        if arguments[0] == "--write":
            with open(path, encoding="utf-8") as file:
                text = normal(run_file(file.read()))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        for line in differences(path):
            print(line)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
