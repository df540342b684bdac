"""The pages about credentials: the profiles work as shown, and the messages are those of the program."""
import glob
import json
import os
import re
import unittest

import aws_machine

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE, PROVIDERS = "docs/credentials.md", "docs/credentials-providers.md"
ACCOUNTS = {"123456789012", "111122223333"}     # those of AWS's documentation
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
FORMAT = r"%[-.*\d]*(?:z|l|ll)?[a-z]"


def read(path):
    """A file of the project."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def table(first_cell):
    """The rows of the page's tables whose heads begin with this cell."""
    tables = re.findall(rf"^\| {re.escape(first_cell)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", read(PAGE), re.M)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for rows in tables for line in rows.splitlines()]


def config():
    """What the commands of the pages append to the file of profiles."""
    return "\n".join(re.findall(r"/\.aws/config' <<'END'\n(.*?)^END$", read(PROVIDERS), re.M | re.S))


def literals():
    """The string literals of the source, with the macros of the file between their parts."""
    found = set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True):
        text = read(os.path.relpath(path, ROOT))
        for name, value in re.findall(rf"^#define\s+(\w+)\s+({LITERAL})$", text, re.M):
            text = re.sub(rf'(?<=")\s*\b{name}\b\s*(?=")', lambda _match, value=value: f" {value} ", text)
        found |= {"".join(eval(part) for part in re.findall(LITERAL, parts))    # pylint: disable=eval-used
                  for parts in re.findall(rf"{LITERAL}(?:\s*{LITERAL})*", text)}
    return found


class Messages(unittest.TestCase):
    """A message of the page is a format of the source, filled with "...", numbers and other texts of the source."""

    @classmethod
    def setUpClass(cls):
        cls.texts = literals()
        cls.formats = [(text, re.compile("(.+?)".join(map(re.escape, re.split(FORMAT, text))), re.S)) for text in cls.texts
                       if len(re.sub(FORMAT, "", text)) >= 8]

    def known(self, message):
        """Can the source make it?"""
        if message in ("...", "") or message.isdigit() or message in self.texts or message in map(os.strerror, range(1, 40)):
            return True
        if message.endswith(": ...") and any(re.sub(FORMAT, "...", text).startswith(message[:-3]) for text in self.texts):
            return True
        return any(match and all(len(part) < len(message) and self.known(part) for part in match.groups())
                   for match in (regex.fullmatch(message) for _, regex in self.formats))

    def test_details(self):
        for message, _ in table("detail"):
            message = message.strip("`")
            with self.subTest(message=message):
                self.assertTrue(message[0].isupper())
                self.assertTrue(self.known(message[0].lower() + message[1:]) or self.known(message))

    def test_refusals(self):
        for message, _ in table("message"):
            with self.subTest(message=message):
                self.assertTrue(self.known(message.strip("`")))

    def test_what_is_not_there(self):
        for message in ('role "...": Maybe', 'profile "..." has no hair', 'file "..." cannot be eaten'):
            self.assertFalse(self.known(message))

    def test_options_for_superusers(self):
        marked = [name for name, rest in re.findall(r'^\t\{"(\w+)", ON_MAPPING,(.*?)\},?$', read("src/model/definition/options.c"), re.M | re.S)
                  if re.search(r"\btrue,\s", rest)]
        documented = [name.strip("` ") for names, who, _ in table("option of the user mapping") if who == "superusers"
                for name in names.split(",")]
        self.assertEqual(sorted(documented), sorted(marked))


class Policies(unittest.TestCase):
    """Policies allow what is requested, of accounts that do not exist."""

    def test_actions(self):
        allowed = {"sts:AssumeRole", "sts:AssumeRoleWithWebIdentity", "sts:TagSession", "sts:SetSourceIdentity"}
        for text in re.findall(r"^```json\n(.*?)^```$", read(PAGE) + read(PROVIDERS), re.M | re.S):
            for statement in json.loads(text)["Statement"]:
                with self.subTest(statement=statement):
                    self.assertLessEqual(set(statement["Action"]), allowed)
                    self.assertEqual(len({"Principal", "Resource"} & set(statement)), 1)

    def test_accounts(self):
        for path in [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "docs", "*.md"))]:
            found = set(re.findall(r"(?::|\b[aA]ccount[\w ]* =? ?`?)(\d{12})\b", read(path)))
            self.assertLessEqual(found, ACCOUNTS, path)


class Profiles(aws_machine.TestCase):
    """The page's profiles, in the files of a server."""

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_CONTAINER_CREDENTIALS_FULL_URI": cls.identity.url + "task",
                "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/pg-dynamo-reader", "AWS_WEB_IDENTITY_TOKEN_FILE": f"{cls.files}/token",
                "AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "secret of the environment"}

    def setUp(self):
        super().setUp()
        self.write("config", config())
        self.write("token", "a.b.c")

    def source(self, **options):
        """What dynamo_fdw_credentials shows as source."""
        self.mapping(**options)
        [(source, _, _)] = self.rows("SELECT * FROM dynamo_fdw_credentials('s')", self.connect())
        return source

    def failure(self, profile):
        """Of a profile that does not work here."""
        self.mapping(credential_provider="profile", profile=profile)
        return self.error("SELECT * FROM dynamo_fdw_credentials('s')", self.connect())

    def test_each_is_tried(self):
        self.assertEqual(set(re.findall(r"^\[profile (\w+)\]", config(), re.M)), {"base", "reports", "nightly", "people", "anywhere"})

    def test_keys(self):
        self.assertEqual(self.source(credential_provider="profile", profile="base"), 'profile "base"')

    def test_role_over_a_profile(self):
        source = self.source(credential_provider="profile", profile="reports")
        self.assertEqual(source, 'profile "reports", role arn:aws:iam::123456789012:role/orders-reader')
        [request] = self.identity.requests
        self.assertEqual(request.form()["ExternalId"], "reports-of-example")

    def test_role_over_the_instance(self):
        self.source(credential_provider="profile", profile="nightly")
        self.assertEqual([request.kind for request in self.identity.requests], ["imds-token", "imds-role", "imds", "sts"])
        self.assertEqual(self.identity.requests[-1].form()["RoleSessionName"], "nightly")

    def test_no_cached_login(self):
        failure = self.failure("people")
        self.assertRegex(failure.detail, r'^Could not read file ".*/\.aws/sso/cache/\w{40}\.json": No such file or directory\.$')
        self.assertIn('"aws sso login --profile people"', failure.hint)
        self.assertIn("aws sso login --profile people", read(PROVIDERS))

    def test_program(self):
        failure = self.failure("anywhere")
        self.assertEqual(failure.detail, 'Could not execute program "/usr/local/bin/aws_signing_helper" of credential_process: '
                                         "No such file or directory.")

    def test_shown_sources(self):
        options = {"static": {}, "any provider, with role_arn": {"role_arn": "arn:aws:iam::111122223333:role/orders-for-reports"},
                   "environment": {}, "profile": {"profile": "reports"}, "web_identity": {}, "container": {}, "instance": {},
                   "default": {}}
        rows = re.search(r"shown as `source`.*\n.*\n((?:\|.*\n)+)", read(PAGE)).group(1).splitlines()
        self.assertEqual(len(rows), len(options))
        for row in rows:
            kind, shown = (cell.strip() for cell in row.strip("|").split(" | "))
            kind = kind.replace("`", "")
            own = {"access_key_id": "AKIDOWN", "secret_access_key": "mine"} if kind == "static" else {"credential_provider": kind if "," not in kind else "instance"}
            with self.subTest(kind=kind):
                source = self.source(**own, **options[kind])
                if kind == "default":
                    self.assertEqual(source, "environment")
                else:
                    self.assertEqual(re.sub(", role .*", "", source) if "," in shown.rsplit("`", 1)[1] else source, shown.split("`")[1])


if __name__ == "__main__":
    unittest.main()
