"""The manual says what the program says: tables of the reference, sessions, links, names of files."""
import glob
import json
import os
import re
import subprocess
import sys
import unittest

import fixture

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "test", "tour"))

import run as tour      # noqa: E402  (the path above is needed first)
import sessions         # noqa: E402

PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"] + sorted(
    os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "*.md")))
FENCES = ("sql", "text", "sh", "json", "items")
PG_CONFIG = os.environ.get("PG_CONFIG") or "/usr/lib/postgresql/15/bin/pg_config"


def read(path):
    """A file of the project."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def table(first_cell):
    """The rows of the reference's tables whose head begins with this cell, as lists of texts."""
    rows, inside = [], False
    for line in read("docs/reference.md").splitlines():
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

    def test_lines_fit(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)
            for line in text.splitlines():
                if not line.startswith("|"):
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

    def test_output_stands_below_statements(self):
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
    """The reference's tables, against the server."""

    def test_options(self):
        documented = sorted((where, plain(name), default) for name, where, default, _ in table("option"))
        known = sorted((context.removesuffix(" of a foreign table"), name, default) for context, name, default in
                       self.fx.rows("SELECT context, name, default_value FROM dynamo_fdw_options()"))
        self.assertEqual(documented, known)

    def test_parameters(self):
        self.fx.rows("SELECT dynamo_fdw_options()")     # loads the library
        documented = sorted((plain(name), plain(default), who) for name, default, who, _ in table("parameter"))
        known = self.fx.rows("SELECT name, concat_ws(' ', boot_val, unit), "
                             "CASE context WHEN 'user' THEN 'everybody' ELSE context END "
                             "FROM pg_settings WHERE name LIKE 'dynamo\\_fdw.%' ORDER BY name COLLATE \"C\"")
        self.assertEqual(documented, known)

    def test_functions(self):
        documented = sorted((plain(call), plain(result)) for call, result, _ in table("function"))
        known = self.fx.rows(
            "SELECT format('%s(%s)', p.proname, coalesce((SELECT string_agg(concat_ws(' ', n.name, format_type(n.type, NULL)), "
            "', ' ORDER BY n.i) FROM unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) WITH ORDINALITY n(type, name, i)), "
            "'')), pg_get_function_result(p.oid) FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass "
            "AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid "
            "WHERE e.extname = 'dynamo_fdw'")
        self.assertEqual(documented, sorted(known))


class Source(unittest.TestCase):
    """The reference's tables, against the source."""

    def test_explain_properties(self):
        calls = re.findall(r'(?:ExplainProperty\w+|show_preds)\((?:&?printer, )?(?:es->format[^"]*)?'
                           r'"([^"]+)"(?:\s*: "([^"]+)")?', read("src/exec/explain.c") + read("src/exec/readahead.c"))
        shown = {name for call in calls for name in call if name}
        self.assertEqual({plain(name) for name, *_ in table("property")}, shown)

    def test_error_codes(self):
        include = subprocess.run([PG_CONFIG, "--includedir-server"], stdout=subprocess.PIPE, text=True, check=True)
        with open(os.path.join(include.stdout.strip(), "utils", "errcodes.h"), encoding="utf-8") as file:
            states = {name: re.sub(r"[', ]", "", chars) for name, chars in
                      re.findall(r"#define (ERRCODE_\w+) MAKE_SQLSTATE\(([^)]*)\)", file.read())}
        rows = [(plain(state), cause) for state, cause, _ in table("SQLSTATE")]
        for code, name in re.findall(r'^\t\{"(\w+)",\s+(ERRCODE_\w+)', read("src/model/errors.c"), re.M):
            with self.subTest(code=code):
                self.assertTrue(any(state == states[name] and re.search(rf"\b{code}\b", cause) for state, cause in rows))
        raised = {states[name] for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True)
                  for call in re.findall(r"errcode\(((?:[^()]|\([^()]*\))*)\)", read(path))
                  for name in re.findall(r"ERRCODE_\w+", call)}
        raised |= {states[name] for name in re.findall(r"^\t.*(ERRCODE_\w+),", read("src/model/errors.c"), re.M)}
        self.assertEqual({state for state, _ in rows}, raised)

    def test_formats(self):
        hint = re.search(r'Valid formats are (.*?)\.";', read("src/model/format.c")).group(1)
        self.assertEqual([plain(name) for name, *_ in table("format")], re.split(r", | and ", hint))


class Requests(unittest.TestCase):
    """Every statement of the reference sends the requests beside it."""

    def test_requests(self):
        database = sessions.provide(tour.DATABASE)
        try:
            connection = tour.connect(database)
            tour.as_text(connection)
            for setting in ("dynamo_fdw.log_requests = on", "client_min_messages = log",
                            "dynamo_fdw.scan_policy = allow"):
                tour.query(connection, f"SET {setting}")
            for statement, requests in table("SQL"):
                with self.subTest(statement=statement):
                    self.assertEqual(self.sent(connection, plain(statement)),
                                     [] if requests == "none" else sorted(plain(requests).split("<br>")))
            connection.close()
        finally:
            sessions.maintain(f"DROP DATABASE {database} WITH (FORCE)")

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
