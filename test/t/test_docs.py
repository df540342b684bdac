"""The manual agrees with the program: tables of options and the like, sessions, links, names of files."""
import glob
import json
import math
import os
import re
import subprocess
import sys
import unittest
import xml.dom.minidom

import fixture

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "test", "tour"))

import pictures         # noqa: E402  (the path above is needed first)
import run as tour      # noqa: E402
import sessions         # noqa: E402

PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"] + sorted(
    os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "*.md")))
FENCES = ("sql", "text", "sh", "json", "items")
PG_CONFIG = os.environ.get("PG_CONFIG") or "/usr/lib/postgresql/15/bin/pg_config"


def read(path):
    """A file of the project."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def table(first_cell, page):
    """The rows of the tables of a page whose head begins with this cell, as lists of texts."""
    rows, inside = [], False
    for line in read(page).splitlines():
        line = line.strip()
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[0] == first_cell:
            inside = True
        elif inside and not set(cells[0]) <= set("-:"):
            rows.append(cells)
    return rows


def plain(cell):
    """A cell's text without its marks."""
    return cell.replace("`", "")


def sqlstates():
    """The SQLSTATEs of PostgreSQL by their names in C."""
    include = subprocess.run([PG_CONFIG, "--includedir-server"], stdout=subprocess.PIPE, text=True, check=True)
    with open(os.path.join(include.stdout.strip(), "utils", "errcodes.h"), encoding="utf-8") as file:
        return {name: re.sub(r"[', ]", "", chars) for name, chars in
                re.findall(r"#define (ERRCODE_\w+) MAKE_SQLSTATE\(([^)]*)\)", file.read())}


def anchors(text):
    """What a link within a page may point to."""
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


class Pages(unittest.TestCase):
    """Every page."""

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
                if target.startswith("http"):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)))
                    if anchor:
                        self.assertIn(anchor, anchors(read(path)))

    def test_files_named_exist(self):
        for page in PAGES:
            for name in re.findall(r"`(?:\./)?((?:src|test|docs|sql|expected)/[\w./-]*)`?", read(page)):
                with self.subTest(page=page, name=name):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, name)))

    def test_line_lengths(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)
            for line in text.splitlines():
                if not line.lstrip().startswith("|"):
                    self.assertLessEqual(len(line), 120, f"{page}: {line}")


class Blocks(unittest.TestCase):
    """Every block of the pages is of a kind that a test runs or parses."""

    @staticmethod
    def blocks(*languages):
        """(page, language, content) of the blocks."""
        for page in PAGES:
            for language, content in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", read(page), re.M | re.S):
                if not languages or language in languages:
                    yield page, language, content

    def test_languages(self):
        self.assertEqual({language for _, language, _ in self.blocks()} - set(FENCES), set())

    def test_statements_can_be_pasted(self):
        for page, _, content in self.blocks("sql", "sh", "json"):
            with self.subTest(page=page, content=content):
                self.assertNotRegex(content, re.compile(r"^(\w+[=-][#>] |\$ )", re.M))

    def test_statements_are_run(self):
        for page in PAGES:
            text = read(page)
            with self.subTest(page=page):
                run = len(sessions.blocks_of(text)[0]) + len(re.findall("^<!-- not run: .* -->\n+ *```sql$", text, re.M))
                self.assertEqual(len(re.findall("^ *```sql$", text, re.M)), run)

    def test_output_is_below_statements(self):
        for page in PAGES:
            text = read(page)
            with self.subTest(page=page):
                shown = sum(bool(block.written) for block in sessions.blocks_of(text)[0])
                self.assertEqual(len(re.findall("^```text$", text, re.M)), shown)

    def test_json_is_valid(self):
        for page, _, content in self.blocks("json"):
            with self.subTest(page=page, content=content):
                json.loads(content)

    def test_commands_are_valid(self):
        for page, _, content in self.blocks("sh"):
            with self.subTest(page=page, content=content):
                self.assertEqual(subprocess.run(["bash", "-n"], input=content, text=True, check=False).returncode, 0)


class Reference(fixture.TestCase):
    """Tables of options, parameters and functions, against the server."""

    def test_options(self):
        documented = sorted((where, plain(name), default) for name, where, default, _ in table("option", "docs/options.md"))
        known = sorted((context.removesuffix(" of a foreign table"), name, default) for context, name, default in
                       self.fx.rows("SELECT context, name, default_value FROM dynamo_fdw_options()"))
        self.assertEqual(documented, known)

    def test_parameters(self):
        self.fx.rows("SELECT dynamo_fdw_options()")     # loads the library
        documented = sorted((plain(name), plain(default), who) for name, default, who, _ in table("parameter", "docs/planner.md"))
        known = self.fx.rows("SELECT name, concat_ws(' ', boot_val, unit), "
                             "CASE context WHEN 'user' THEN 'everybody' ELSE context END "
                             "FROM pg_settings WHERE name LIKE 'dynamo\\_fdw.%' ORDER BY name COLLATE \"C\"")
        self.assertEqual(documented, known)

    def test_functions(self):
        documented = sorted((plain(call), plain(result)) for call, result, _ in table("function", "docs/functions.md"))
        known = self.fx.rows(
            "SELECT format('%s(%s)', p.proname, coalesce((SELECT string_agg(concat_ws(' ', n.name, format_type(n.type, NULL)), "
            "', ' ORDER BY n.i) FROM unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) WITH ORDINALITY n(type, name, i)), "
            "'')), pg_get_function_result(p.oid) FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass "
            "AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid "
            "WHERE e.extname = 'dynamo_fdw'")
        self.assertEqual(documented, sorted(known))


class Names(fixture.TestCase):
    """Options, parameters and functions that any page names exist, and defaults that it gives are those of the program."""

    def test_names(self):
        self.fx.rows("SELECT dynamo_fdw_options()")     # loads the library
        options = {name for (name,) in self.fx.rows("SELECT name FROM dynamo_fdw_options()")}
        known = {"options": options,
                 "parameters": {name for (name,) in self.fx.rows("SELECT name FROM pg_settings WHERE name LIKE 'dynamo\\_fdw.%'")},
                 "functions": {name for (name,) in self.fx.rows("SELECT proname FROM pg_proc WHERE proname LIKE 'dynamo\\_fdw\\_%'")}}
        for page in PAGES:
            text = read(page)
            with self.subTest(page=page):
                self.assertLessEqual(set(re.findall(r"`([a-z]\w*) '[^'`]*'`", text)), known["options"])
                self.assertLessEqual(set(re.findall(r"\b(dynamo_fdw\.(?!so\b|c\b|h\b|control\b)\w+)", text)), known["parameters"])
                self.assertLessEqual(set(re.findall(r"\b(dynamo_fdw_\w+)\(", text)), known["functions"])

    def test_words_with_underscores(self):
        """Where pages name options and parameters without a value, names that no longer exist are noticed, too."""
        self.fx.rows("SELECT dynamo_fdw_options()")     # loads the library
        known = {name for (name,) in self.fx.rows("SELECT name FROM dynamo_fdw_options() UNION SELECT regexp_replace(name, '^dynamo_fdw.', '') "
                                                  "FROM pg_settings UNION SELECT proname FROM pg_proc UNION SELECT relname FROM pg_class "
                                                  "UNION SELECT unnest(proargnames) FROM pg_proc")}
        known |= {plain(name) for name, *_ in table("format", "docs/types.md")}
        for page in ("README.md", "CHANGELOG.md", *(f"docs/{name}.md" for name in "errors explain planner pushdown single-table".split())):
            with self.subTest(page=page):
                text = re.sub(r"^ *```.*?^ *```$", "", read(page), flags=re.M | re.S)
                self.assertEqual(set(re.findall(r"`([a-z]+(?:_[a-z0-9]+)+)`", text)) - known, set())

    def test_options_of_the_first_page(self):
        defaults = {name: default for name, _, default, _ in map(lambda row: [plain(row[0]), *row[1:]], table("option", "docs/options.md"))}
        rows = table("option", "README.md")
        self.assertGreater(len(rows), 0)
        for names, _, meaning in rows:
            for name in plain(names).split(", "):
                with self.subTest(option=name):
                    self.assertIn(name, defaults)
                    for documented in re.findall(r"`(\w+)` \(the default\)", meaning):
                        self.assertEqual(documented, defaults[name])


class Source(unittest.TestCase):
    """Tables of other names, against the source."""

    def test_explain_properties(self):
        source = "".join(read(f"src/exec/{name}") for name in ("node/explain.c", "node/readahead.c", "write/modify.c",
                                                                       "source/united.c", "source/caching.c", "source/sharing.c"))
        calls = re.findall(r'(?:ExplainProperty\w+|show_preds|dyn_budget_show)\((?:&?printer, )?(?:[\w>-]+(?: == \w+)?\s*\? )?'
                           r'"([^"]+)"(?:\s*: "([^"]+)")?', source)
        shown = {name for call in calls for name in call if name}
        self.assertEqual({plain(name) for name, *_ in table("property", "docs/explain.md")}, shown)

    def test_error_codes(self):
        states = sqlstates()
        rows = [(plain(state), cause) for state, cause, _ in table("SQLSTATE", "docs/errors.md")]
        for code, name in re.findall(r'^\t\{"([A-Z]\w+)",\s+(ERRCODE_\w+)', read("src/model/session/errors.c"), re.M):
            with self.subTest(code=code):
                self.assertTrue(any(state == states[name] and re.search(rf"\b{code}\b", cause) for state, cause in rows))
        raised = {states[name] for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True)
                  for call in re.findall(r"errcode\(((?:[^()]|\([^()]*\))*)\)", read(path))
                  for name in re.findall(r"ERRCODE_\w+", call)}
        raised |= {states[name] for name in re.findall(r"^\t.*(ERRCODE_\w+),", read("src/model/session/errors.c"), re.M)}
        # of values that cannot be stored
        raised |= {states[name] for name in re.findall(r"ERRCODE_\w+", read("src/model/values/encode_value.c"))}
        self.assertEqual({state for state, _ in rows}, raised)

    def test_wait_events(self):
        self.assertEqual({plain(name) for name, _ in table("`wait_event`", "docs/explain.md")},
                         set(re.findall(r'\[DYN_WAITS_\w+\] = "(\w+)"', read("src/model/session/session.c"))))

    def test_kinds_of_errors(self):
        source = read("src/command/check_table.c")
        kinds = re.findall(r'"([a-z ]+)"', re.search(r"kinds\[\] = \{(.*?)\};", source, re.S).group(1))
        self.assertEqual([plain(kind) for kind, _ in table("kind", "docs/functions.md")], kinds)
        self.assertEqual(set(kinds), set(re.findall(r'\bemit\([\w>-]+, "([a-z ]+)",', source)))

    def test_formats(self):
        hint = re.search(r'Valid formats are (.*?)\.";', read("src/model/values/format.c")).group(1)
        self.assertEqual([plain(name) for name, *_ in table("format", "docs/types.md")], re.split(r", | and ", hint))


class Requests(unittest.TestCase):
    """Every statement of a table of the manual sends the requests next to it."""

    def test_requests(self):
        database = sessions.provide(tour.DATABASE)
        try:
            connection = tour.connect(database)
            tour.as_text(connection)
            for setting in ("dynamo_fdw.log_requests = on", "client_min_messages = log",
                            "dynamo_fdw.scan_policy = allow"):
                tour.query(connection, f"SET {setting}")
            for page, statement, requests in self.documented():
                with self.subTest(page=page, statement=statement):
                    self.assertEqual(self.sent(connection, statement),
                                     [] if requests == "none" else sorted(plain(requests).split("<br>")))
            connection.close()
        finally:
            sessions.maintain(f"DROP DATABASE {database} WITH (FORCE)")

    @staticmethod
    def documented():
        """(page, statement, requests) of the tables: pairs of cells, of which the first begins with the statement."""
        for page in PAGES:
            for row in table("SQL", page) + table("instead of", page):
                for statement, requests in zip(row[::2], row[1::2], strict=True):
                    yield page, re.match("`(.*?)`", statement).group(1), requests

    @staticmethod
    def sent(connection, statement):
        """The requests, without the first DescribeTable and what came back."""
        if not statement.startswith("SELECT"):
            statement = f"SELECT * FROM {statement}"
        return sorted(re.sub(r": \d+ items?, [\d.]+ units?$", "", request) for request in
                      tour.Result(connection, statement).requests if not request.startswith("DescribeTable"))


class Sessions(fixture.TestCase):
    """What statements of the pages print is what a run prints, on the PostgreSQL it was written with."""

    def test_sessions(self):
        if self.fx.conn.server_version // 10000 != 15:
            self.skipTest("the pages show PostgreSQL 15")
        for page in PAGES:
            with self.subTest(page=page):
                self.assertEqual(sessions.differences(os.path.join(ROOT, page)), [])


class Figures(unittest.TestCase):
    """The figures of the cost page, computed again."""

    DOLLARS = 0.125e-6          # of a read request unit
    STATEMENTS = 12 * (60 // 5) * 10 * 22
    REFRESHES = 10 * 22

    @staticmethod
    def units(size):
        """Read units of a Query or Scan, eventually consistent."""
        return math.ceil(size / 4096) / 2

    def test_dashboard(self):
        full_read = self.units(1 << 30)
        hour = self.units(5000 * 300)
        expected = [(self.units(500 * 300), self.units(500 * 300) * self.STATEMENTS), (self.units(20 * 300), self.units(20 * 300) * self.STATEMENTS),
                    (full_read, full_read * self.STATEMENTS), (0, full_read * self.REFRESHES), (0, hour * self.REFRESHES)]
        for (what, *cells), (one, month) in zip(table("each chart reads", "docs/cost.md"), expected, strict=True):
            with self.subTest(what=what):
                self.assertEqual([float(cell.replace(",", "")) for cell in cells[:2]], [one, month])
                self.assertEqual(float(cells[2]), round(month * self.DOLLARS, len(cells[2].partition(".")[2])))
        self.assertIn(f"{self.STATEMENTS:,} statements", read("docs/cost.md"))

    def test_analyze(self):
        self.assertIn(f"1000 by default: 8 MB, or {1000 * self.DOLLARS:.6f} dollars", read("docs/cost.md").replace("\n", " "))

    def test_a_gigabyte(self):
        units = self.units(1 << 30)
        self.assertIn(f"1 GB is {units:,.0f} units", read("README.md"))
        self.assertIn(f"{units * self.DOLLARS:.3f} dollars", read("README.md"))

    def test_pictures(self):
        """The descriptions have the figures of the pictures."""
        found = 0
        for page in PAGES:
            for description, name in re.findall(r"!\[([^\]]*)\]\((?:docs/)?(pictures/\w+)\.svg\)", read(page)):
                for figure in re.findall(r"\d+ requests, \d+ ms", " ".join(description.split())):
                    self.assertIn(figure, read(f"docs/{name}.txt"))
                    found += 1
        self.assertGreater(found, 0)

    def test_picture_of_the_first_page(self):
        first, second = map(int, re.findall(r"\d+ requests, (\d+) ms", re.search(r"!\[([^\]]*)\]", read("README.md")).group(1)))
        self.assertEqual(round(first / second), 6)
        self.assertIn("about a sixth of the time", read("README.md"))

    def test_a_terabyte(self):
        units = (1 << 40) / 8192
        text = read("docs/cost.md")
        self.assertIn(f"{units / 1e6:.0f} million read units", text)
        self.assertIn(f"{units * self.DOLLARS:.0f} dollars", text.replace("\n", " "))
        for _, rate, time in table("capacity", "docs/cost.md"):
            minutes = units / float(rate.replace(",", "")) / 60
            documented = re.fullmatch(r"(?:(\d+) h(?:ours)?)? ?(?:(\d+) min)?", time)
            self.assertAlmostEqual(int(documented.group(1) or 0) * 60 + int(documented.group(2) or 0), minutes, delta=30 if minutes > 600 else 1)


class Containers(unittest.TestCase):
    """The pages' commands of docker compose agree with compose.yaml, and so do those in its head comment."""

    FILE = "test/packages/compose.yaml"

    def test_commands(self):
        services = self.services()
        for page in ["README.md", "docs/install.md", self.FILE]:
            commands = re.findall(r"docker compose (.*?)\s*(?:`|#|$)", read(page), re.M)
            self.assertGreater(len(commands), 0, page)
            for command in commands:
                with self.subTest(page=page, command=command):
                    file, verb, service, program = re.fullmatch(
                        r"(?:-f (\S+) )?(up|down|(?:exec|run)(?= ))(?: -\S+)*(?: (\w+)(?: (.+))?)?", command).groups()
                    self.assertEqual(file, None if page == self.FILE else self.FILE)
                    self.assertEqual(service is None, verb in ("up", "down"))
                    self.assertIn(service, [None, *services])
                    self.assertIn(program, ["psql", f"psql {tour.DATABASE}"] if verb == "exec" else [None])

    def test_what_is_started(self):
        """The tour starts PostgreSQL, which starts DynamoDB Local."""
        services = self.services()
        for name, other in (("tour", "postgres"), ("postgres", "dynamodb")):
            self.assertRegex(services[name], rf"depends_on:\n +{other}:")
        self.assertIn("profiles: [tour]", services["tour"])     # "up" does not start it
        port = re.search(r"127\.0\.0\.1:\$\{PORT:-(\d+)\}:", services["postgres"]).group(1)
        self.assertIn(f"-h 127.0.0.1 -p {port} ", read(self.FILE))

    def services(self):
        """The text of each service by its name."""
        return dict(re.findall(r"^  (\w+):\n((?: {4}.*\n|\n)+)", read(self.FILE).partition("\nservices:\n")[2], re.M))


class Policies(unittest.TestCase):
    """The actions that the policies allow are those of the requests."""

    def test_actions(self):
        names = re.findall(r'\[DYN_OP_\w+\] = "(\w+)"', read("src/dynamodb/operation.c"))
        # a transaction needs the permissions of its writes
        sent = set(names) - {"TransactWriteItems"} | {"CreateTable"}
        documented = {name for action, _ in table("action", "docs/security.md") for name in plain(action).split(", ")}
        self.assertEqual(documented, {f"dynamodb:{name}" for name in sent})
        words = "no one two three four five six seven eight nine ten".split()
        self.assertIn(f"uses {words[len(sent)]} IAM actions", read("docs/security.md"))
        policies = [json.loads(content) for page, _, content in Blocks.blocks("json") if page == "docs/security.md"]
        allowed = {action for policy in policies for one in policy["Statement"] for action in one["Action"]}
        self.assertEqual(allowed, documented - {"dynamodb:CreateTable"})


class Pictures(unittest.TestCase):
    """The pictures are those of their texts, and the texts are true."""

    def test_are_drawn_from_their_texts(self):
        for path, text in pictures.files():
            with self.subTest(path=path):
                self.assertEqual(pictures.read(path), text)

    def test_are_shown_and_valid(self):
        shown = {target for page in PAGES for target in re.findall(r"!\[[^\]]+\]\((?:docs/)?(pictures/[^)]+)\)", read(page))}
        drawn = {f"pictures/{os.path.basename(path)}" for path, _ in pictures.files() if path.endswith(".svg")}
        self.assertEqual(shown, drawn)
        for path in drawn:
            xml.dom.minidom.parseString(read(f"docs/{path}"))

    def test_terminal_width(self):
        for path, text in pictures.files():
            if path.endswith(".txt"):
                self.assertLessEqual(max(map(len, text.splitlines())), 120, path)

    def test_the_plan_is_that_of_a_run(self):
        lines = read("docs/pictures/explain.txt").splitlines()[2:]
        plan = [re.sub(r"(\S)(\s*◀|\s{3,}).*$", r"\1", line) for line in lines if not re.match(r"\s*[│└]|\s{20}", line)]
        self.assertIn("\n".join(plan), read("docs/troubleshooting.md"))

    def test_time_lines_have_the_requests_of_a_run(self):
        for name in pictures.MEASURED:
            with self.subTest(picture=name):
                self.assertEqual(*(sorted(re.findall(r"LOG:  (.*) \([\d.]+ ms", log)) for log in
                                   (read(f"docs/pictures/{name}.log"), pictures.measure(name, 0))))


class Messages(unittest.TestCase):
    """Messages that the pages explain are messages of the program."""

    def test_messages(self):
        source = "".join(read(os.path.relpath(path, ROOT)) for path in
                         glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True))
        literals = {self.pattern(eval(f"({text})")) for text in         # pylint: disable=eval-used
                    re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', source) if "%" in text or " " in text}
        for first in ("warning", "error"):
            for message, _ in table(first, "docs/troubleshooting.md"):
                with self.subTest(message=message):
                    self.assertTrue(self.pattern(plain(message)) in literals)

    def test_warnings(self):
        """The page about errors lists every WARNING with its SQLSTATE, but does not compare that of an error that becomes a WARNING."""
        states, raised, literal = sqlstates(), {}, r'"(?:[^"\\]|\\.)*"'
        for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True):
            for call in re.findall(r"ereport\(WARNING,(.*?)\);\n", read(path).replace('UINT64_FORMAT "', '"%lu'), re.S):
                code = re.search(r"errcode\((.*?)\)", call)
                # of two forms, the plural
                for message in re.findall(rf"errmsg(?:\(|_plural\({literal},\s*)({literal})", call):
                    text = message[1:-1].replace('\\"', '"').removesuffix(" (%s)")
                    raised[self.pattern(text)] = states.get(code.group(1)) if code else "01000"
        self.assertGreater(len(raised), 0)
        documented = {self.pattern(plain(message)): plain(state) for message, state, _ in table("warning", "docs/errors.md")}
        self.assertEqual({text: state or documented.get(text) for text, state in raised.items()}, documented)

    def test_codes(self):
        for codes, _ in table("code", "docs/troubleshooting.md"):
            for code in plain(codes).split(", "):
                self.assertIn(f'"{code}"', read("src/model/session/errors.c"))

    @staticmethod
    def pattern(message):
        """A message or its format, with dots for what it is filled with."""
        return re.sub(r"(\.\.\.|[:, ])*$", "", re.sub(r"%[-.*\d]*[a-z]+", "...", re.sub(r"(?<=item)%s", "s", message)))
