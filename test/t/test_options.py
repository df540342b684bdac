"""The options: what the validator takes and refuses where, and that the manual lists them all."""
import os
import re

import fixture

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "options.md")

PLACES = ("server", "user mapping", "foreign table", "column of a foreign table")

GOOD = {
    "region": ["eu-west-1", "us-gov-west-1"],
    "endpoint_url": ["https://dynamodb.eu-west-1.amazonaws.com", "http://127.0.0.1:8000", "http://localhost:8000/", "https://[::1]:8000", "HTTPS://host"],
    "table_prefix": ["prod-", ""], "table_name": ["Movies", "arn:aws:dynamodb:us-east-1:1:table/x"],
    "max_concurrency": ["1", "256"], "max_idle_connections": ["0", "256"], "max_read_units_per_second": ["0.1", "0.5", "1000", "1e9"],
    "max_write_units_per_second": ["0.1", "1e9"],
    "max_read_units_per_statement": ["0.1", "1e9"], "connect_timeout": ["1", "2s", "600000"],
    "request_timeout": ["1", "1min"], "max_attempts": ["1", "100"], "throttle_timeout": ["0", "300ms", "2h"], "ca_bundle": ["/etc/ssl/ca.pem"],
    "proxy": ["http://proxy:3128"],
    "round_trip_ms": ["0", "0.3", "60000"], "read_capacity": ["1", "40000", "1e9"], "read_percent": ["1", "12.5", "100"], "unit_cost_ms": ["0", "0.2", "1e6"],
    "fetch_size": ["0", "1000000"], "scan_policy": ["allow", "warn", "error", "ERROR"], "preview_units": ["0", "2.5", "1e9"], "consistent_read": ["on", "false", "1"],
    "updatable": ["on", "false", "yes"],
    "access_key_id": [], "secret_access_key": [], "session_token": ["x"], "on_mismatch": ["error", "null"],
    "credential_provider": ["static", "environment", "profile", "web_identity", "container", "instance", "default", "Profile"], "profile": ["reports", "über uns"],
    "role_arn": ["arn:aws:iam::123456789012:role/reader", "arn:aws-cn:iam::123456789012:role/a/b!c/r+=,.@-_", "arn:aws-us-gov:iam::000000000000:role/" + "r" * 64],
    "external_id": ["ab", "a:b/c=d,e.f@g-h_i+j", "x" * 1224], "role_session_name": ["ab", "a=b,c.d@e-f_g+h", "x" * 64],
    "role_duration": ["900", "43200", "15min", "12h"], "sts_endpoint_url": ["https://vpce-1.sts.eu-west-1.vpce.amazonaws.com", "http://127.0.0.1:8000/"],
    "allowed_endpoint_url": ["https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com", "http://127.0.0.1:8000/"],
    "item_filter": ['{"a": "x"}', '{"a.b": [1, 1.5, "é", null, true], "c": 12345678901234567890123456789012345678}'], "ttl_attribute": ["ends", "a.b"],
    "unnest": ["a", "info.actors", "a[0].b", '"@"'],
    "key_templates": ['{"pk": "a#${id}"}', '{"a.b": "${x:any}|${$}é", "GSI1-SK": "${n:padded(5)}${id}"}'],
    "trusted_indexes": ["gsi1", "gsi1, by.status-index"],
    "segment": ["1", "256", "1000000"],
    "attribute": ["a.b#c", "é"], "document": ["item", "rest", "REST"],
    "path": ["a", "a.b", "a[0].b", '"odd name".x', 'a-b_c1', "@", "@.a.b", "@[0].c", '@."odd name"', "@index", "@key"],
    "format": ["iso8601", "iso8601(0)", "iso8601(6)", "iso8601(3,)", "iso8601(9)", "iso8601(7,)", "epoch", "epoch(0)", "epoch(9)", "ulid", "pattern(YYYYMMDD)", "pattern(DD.MM.YYYY)",
               "pattern(HH24:MI DD/MM/YYYY)", 'pattern("x)("YYYY-MM)', "pattern(YYYY\"\")", "epoch_ms", "epoch_us", "epoch_days",
               "string", "bool(Y,N)", "bool(1,0)", "padded(1)", "padded(38)", "base64", "json", "set", "list"],
}

# What an option needs next to it.
REQUIRED_WITH = {name: "DROP access_key_id, DROP secret_access_key, " for name in ("credential_provider", "profile")}
REQUIRED_WITH["profile"] += "ADD credential_provider 'profile', "
REQUIRED_WITH |= {name: "ADD role_arn 'arn:aws:iam::123456789012:role/r', " for name in ("external_id", "role_session_name", "role_duration")}

INTEGER = "The value must be an integer from {} to {}."
TIME = "The value must be a time from {} to {}."
ROLE_ARN = "The ARN of a role looks like arn:aws:iam::123456789012:role/name."
EXTERNAL_ID = "An external id has 2 to 1224 letters, digits and characters of \"_+=,.@:/-\"."
SESSION_NAME = "A session name has 2 to 64 letters, digits and characters of \"_+=,.@-\"."
UNITS = "The value must be a number from 0.1 to 1000000000."
URL = "An endpoint looks like https://host or http://127.0.0.1:8000, without a path."
REGION = "A region looks like eu-west-1: lower-case letters, digits and hyphens."
EMPTY = "The value must not be empty."
FORMATS = ("Valid formats are iso8601, iso8601(n), iso8601(n,suffix), pattern(...), ulid, epoch, epoch(n), epoch_ms, epoch_us, epoch_days, "
           "string, padded(n), base64, json, set, list and bool(t,f).")
FORMAT_DIGITS = "The argument of {}(n) is the number of fractional digits of the seconds, from 0 to 9."
PATTERN = "pattern(...) at character {}: {}."
FIELDS = "the fields are YYYY, MM, DD, HH24, MI, SS, and MS or US; other letters must be in double quotes"
FORMAT_SUFFIX = "The suffix of iso8601(n,suffix) must be a short text without digits, such as Z."
FORMAT_WIDTH = "The argument of padded(n) is the number of digits, from 1 to 38."
FORMAT_BOOL = "The arguments of bool(t,f) are two different short texts, such as bool(Y,N) or bool(1,0)."

BAD = [(name, value, hint) for name, values, hint in (
    ("region", ["", "EU-WEST-1", "eu west", "-x", "a.b", "x" * 64], REGION),
    ("endpoint_url", ["", "dynamodb.eu-west-1.amazonaws.com", "ftp://host", "http://", "http:///", "https://host/path", "https://user@host",
                  "https://host?x", "http://host\nX: y", "http://ho st"], URL),
    *((name, ["", "vpce.amazonaws.com", "https://host/path", "https://user@host"], URL) for name in ("sts_endpoint_url", "allowed_endpoint_url")),
    ("credential_provider", ["", "instances", "static,default"],
     'Valid values are "static", "environment", "profile", "web_identity", "container", "instance", "default".'), ("profile", [""], EMPTY),
    ("role_arn", ["", "reader", "arn:aws:iam::12345678901:role/r", "arn:aws:iam::1234567890123:role/r", "arn:aws:iam::123456789012:user/u", "arn:aws:iam::123456789012:role/",
                  "arn:aws:iam::123456789012:role/a b", "arn:aws:iam::123456789012:role/p/", "arn:aws:iam::123456789012:role/é", "arn:azure:iam::123456789012:role/r",
                  "arn:aws:iam::123456789012:role/" + "r" * 65, "arn:aws:iam::123456789012:role/" + "p" * 2020 + "/r", "arn:aws:iam::123456789012:role/r\n"], ROLE_ARN),
    ("external_id", ["", "a", "a b", "é1", "a&b", "x" * 1225], EXTERNAL_ID), ("role_session_name", ["", "a", "a b", "a:b", "a/b", "x" * 65], SESSION_NAME),
    ("role_duration", ["899", "43201", "0", "10min", "13h", "long", ""], TIME.format("15min", "12h")),
    ("max_concurrency", ["0", "257", "many", "", "-1", "99999999999"], INTEGER.format(1, 256)),
    ("max_idle_connections", ["-1", "257", "all"], INTEGER.format(0, 256)),
    ("connect_timeout", ["0", "600001", "1 fortnight"], TIME.format("1 ms", "600000 ms")),
    ("request_timeout", ["0", "2h"], TIME.format("1 ms", "3600000 ms")),
    ("max_attempts", ["0", "101"], INTEGER.format(1, 100)),
    ("throttle_timeout", ["-1", "30d", "long"], TIME.format("0 ms", "2147483647 ms")),
    ("fetch_size", ["-1", "1000001", "1kB"], INTEGER.format(0, 1000000)),
    ("max_write_units_per_second", ["0", "x", "0.09", "1e10"], UNITS),
    ("max_read_units_per_second", ["0", "-1", "x", "NaN", "Infinity", "", "1e-300", "0.09", "1e10"], UNITS),
    ("key_templates", ["1", "[]"], 'The value must be a JSON object, such as {"pk": "user#${email}"}.'), ("key_templates", ["{}"], "The object must have at least one member."),
    ("trusted_indexes", ["", ",", "a,,b", "a,"], "The value must be a list of index names, separated by commas."),
    ("item_filter", ["1", "[]"], 'The value must be a JSON object, such as {"type": "order"}.'), ("item_filter", ["{}"], "The object must have at least one member."),
    ("ttl_attribute", [""], EMPTY),
    ("max_read_units_per_statement", ["0", "-1", "none", "NaN", "Infinity", "", "0.09", "1e10"], UNITS),
    ("round_trip_ms", ["-1", "60001", "x"], "The value must be a number from 0 to 60000."), ("read_capacity", ["0", "0.5", "NaN"], "The value must be a number from 1 to 1000000000."),
    ("read_percent", ["0", "101", ""], "The value must be a number from 1 to 100."), ("unit_cost_ms", ["-0.1", "Infinity"], "The value must be a number from 0 to 1000000."),
    ("preview_units", ["-1", "x", "NaN", "1e10"], "The value must be a number from 0 to 1000000000."),
    ("updatable", ["maybe", "2"], "The value must be a Boolean, such as on or off."),
    ("consistent_read", ["maybe", "", "2"], "The value must be a Boolean, such as on or off."),
    ("scan_policy", ["never", ""], 'Valid values are "allow", "warn", "error".'),
    ("segment", ["0", "1000001", "-1", "x", ""], INTEGER.format(1, 1000000)),
    ("document", ["all", ""], 'Valid values are "item", "rest".'),
    ("on_mismatch", ["ignore", ""], 'Valid values are "error", "null".'),
    ("ca_bundle", [""], EMPTY), ("proxy", [""], EMPTY), ("table_name", [""], EMPTY), ("attribute", [""], EMPTY),
    ("format", ["iso", "", "padded", "base64()", "json(b)", "ulid(1)", "epoch_ms(3)", "pattern", "pattern(YYYY"], FORMATS),
    ("format", ["iso8601(10)", "iso8601()", "iso8601(x)", "iso8601(-1)"], FORMAT_DIGITS.format("iso8601")),
    ("format", ["epoch(10)", "epoch()", "epoch(x)", "epoch(-1)", "epoch(3,Z)"], FORMAT_DIGITS.format("epoch")),
    ("format", ["iso8601(3,+00:00)"], FORMAT_SUFFIX),
    *(("format", [f"pattern({text})"], PATTERN.format(place, reason)) for text, place, reason in (
        ("", 1, "it does not determine a time without YYYY"), ("--", 3, "it does not determine a time without YYYY"), ("MM-DD", 6, "it does not determine a time without YYYY"),
        ("YYYY-DD", 8, "it does not determine a time without MM"), ("YYYYMMDDMI", 11, "it does not determine a time without HH24"),
        ("YYYY-MM-DD.US", 14, "it does not determine a time without HH24"), ("YYYY-YYYY", 6, "YYYY occurs twice"), ("YYYYMMDDHH24MISSMSUS", 19, "MS and US are mutually exclusive"),
        ("YYYY-MM-DDTHH24", 11, FIELDS), ("YY-MM", 1, FIELDS), ("YYYY-MON", 6, FIELDS), ("YYYYMMDD HH", 10, FIELDS), ("YYYY-DDD", 8, FIELDS), ("yyyy", 1, FIELDS), ("éYYYYq", 6, FIELDS),
        ('YYYY"T', 5, "the double quote is not closed"), ('YYYY"T\\"', 5, "the double quote is not closed"), ("YYYY" + "-" * 125, 129, "it is longer than 128 bytes"))),
    ("format", ["padded()", "padded(0)", "padded(39)", "padded(03)", "padded(-1)", "padded(3 )", "padded(x)", "padded(999)"], FORMAT_WIDTH),
    ("format", ["bool()", "bool(Y)", "bool(Y,Y)", "bool(,N)", "bool(1,1.0)", "bool(" + "Y" * 300 + ",N)"], FORMAT_BOOL)) for value in values]


class Options(fixture.TestCase):
    """CREATE and ALTER with every option, right and wrong."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw; CREATE FOREIGN TABLE t (c text) SERVER s")
        cls.fx.execute("CREATE USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (access_key_id 'x', secret_access_key 'y')")
        cls.options = cls.fx.rows("SELECT context, name FROM dynamo_fdw_options() WHERE context NOT LIKE 'import%'")   # those: test_import

    @staticmethod
    def alter(place, name, value):
        """The statement that adds an option, at one of PLACES."""
        value = "'" + value.replace("'", "''") + "'"
        return {"server": "ALTER SERVER s", "user mapping": "ALTER USER MAPPING FOR CURRENT_USER SERVER s", "foreign table": "ALTER FOREIGN TABLE t",
                "column of a foreign table": "ALTER FOREIGN TABLE t ALTER c"}[place] + f' OPTIONS ({REQUIRED_WITH.get(name, "")}ADD "{name}" {value})'

    def places(self, name):
        """Where an option may be set."""
        return [place for place, option in self.options if option == name]

    def test_good_values(self):
        for place, name in self.options:
            for value in GOOD[name]:
                with self.subTest(place=place, name=name, value=value):
                    self.fx.execute("BEGIN")
                    try:
                        self.fx.execute(self.alter(place, name, value))
                    finally:
                        self.fx.execute("ROLLBACK")

    def test_bad_values(self):
        for name, value, hint in BAD:
            for place in self.places(name):
                with self.subTest(place=place, name=name, value=value):
                    shown = "..." if "@" in value else value        # it may hold a password
                    self.fx.execute("BEGIN")
                    try:
                        self.assertEqual(self.fx.error(self.alter(place, name, value))[:4], (
                            "22023", f'invalid value for option "{name}": "{shown}"', None, hint))
                    finally:
                        self.fx.execute("ROLLBACK")

    def test_bad_paths(self):
        for value in ("", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "[0]", '"a', '""', "a b", "a[0", "a[99999999999999999999]"):
            with self.subTest(value=value):
                failure = self.fx.error(self.alter("column of a foreign table", "path", value))
                self.assertEqual((failure.sqlstate, failure.message), ("22023", f'invalid value for option "path": "{value}"'))
                self.assertGreater(len(failure.hint), 10)

    def test_every_bad_value_belongs_to_an_option(self):
        """The tables above have the options of dynamo_fdw_options()."""
        self.assertEqual(set(GOOD), {name for _place, name in self.options})
        unchecked = set(GOOD) - {name for name, _value, _hint in BAD} - {"path", "unnest", "table_prefix", "access_key_id", "secret_access_key", "session_token"}
        self.assertEqual(unchecked, set())

    def test_misspelled(self):
        for place, wrong, right in (("server", "regoin", "region"), ("server", "end_point", "endpoint_url"), ("server", "max_concurency", "max_concurrency"),
                                    ("user mapping", "secret_key", None), ("user mapping", "access_key", "access_key_id"),
                                    ("foreign table", "tablename", "table_name"), ("foreign table", "scan-policy", "scan_policy"),
                                    ("column of a foreign table", "attribut", "attribute"), ("column of a foreign table", "Format", "format")):
            with self.subTest(place=place, name=wrong):
                failure = self.fx.error(self.alter(place, wrong, "x"))
                self.assertEqual((failure.sqlstate, failure.message), ("HV00D", f'invalid option "{wrong}"'))
                if right:
                    self.assertEqual(failure.hint, f'Perhaps you meant the option "{right}".')

    def test_wrong_place(self):
        for place, name, belongs in (("foreign table", "region", "a server"), ("server", "table_name", "a foreign table"),
                                     ("user mapping", "endpoint_url", "a server"), ("column of a foreign table", "session_token", "a user mapping"),
                                     ("server", "attribute", "a column of a foreign table"), ("server", "secret_access_key", "a user mapping")):
            with self.subTest(place=place, name=name):
                self.assertEqual(self.fx.error(self.alter(place, name, "x"))[:4], (
                    "HV00D", f'invalid option "{name}"', None, f'The option "{name}" belongs to {belongs}.'))

    def test_other_names(self):
        """Names that users bring from elsewhere lead to the option."""
        for place, name, option in (("server", "endpoint", "endpoint_url"), ("server", "keep_connections", "max_idle_connections"),
                                    ("server", "max_read_units", "max_read_units_per_second"), ("server", "ca_file", "ca_bundle"),
                                    ("server", "max_statement_units", "max_read_units_per_statement"), ("server", "throttle_patience", "throttle_timeout"),
                                    ("user mapping", "credential_source", "credential_provider"), ("user mapping", "credentials", "credential_provider"),
                                    ("user mapping", "provider", "credential_provider"), ("user mapping", "role", "role_arn"),
                                    ("server", "prefix", "table_prefix"), ("foreign table", "table", "table_name"), ("server", "REGION", "region"),
                                    ("user mapping", "duration", "role_duration"),
                                    ("user mapping", "sts_endpoint", "sts_endpoint_url"), ("user mapping", "allowed_endpoint", "allowed_endpoint_url"),
                                    ("foreign table", "match", "item_filter"), ("foreign table", "templates", "key_templates"),
                                    ("foreign table", "ttl", "ttl_attribute")):
            with self.subTest(place=place, name=name):
                failure = self.fx.error(self.alter(place, name, "x"))
                self.assertEqual((failure.message, failure.hint), (f'invalid option "{name}"', f'Perhaps you meant the option "{option}".'))

    def test_nothing_near(self):
        self.assertEqual(self.fx.error(self.alter("server", "zzzzzzzz", "x"))[:4], (
            "HV00D", 'invalid option "zzzzzzzz"', None, "The function dynamo_fdw_options() lists the options of a server."))

    def test_an_absurdly_long_name(self):
        self.assertEqual(self.fx.error(self.alter("server", "z" * 5000, "x")).sqlstate, "HV00D")

    def test_the_wrapper_has_no_options(self):
        self.assertEqual(self.fx.error("ALTER FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (ADD region 'eu-west-1')")[:4], (
            "HV00D", 'invalid option "region"', None,
            "The foreign-data wrapper has no options. Set options on the server, the user mapping, the table or its columns."))

    def test_later_options_are_unknown_yet(self):
        """Planned options are rejected until they are implemented."""
        for place, name in (("foreign table", "key_templates"), ("foreign table", "unnest"), ("foreign table", "ttl_attribute"), ("foreign table", "indexes"),
                            ("column of a foreign table", "document"), ("user mapping", "role_arn"), ("foreign table", "updatable")):
            with self.subTest(name=name):
                if name not in {option for _place, option in self.options}:
                    self.assertEqual(self.fx.error(self.alter(place, name, "x")).sqlstate, "HV00D")

    def test_attribute_and_path(self):
        self.assertEqual(self.fx.error("ALTER FOREIGN TABLE t ALTER c OPTIONS (ADD attribute 'a', ADD path 'a.b')")[:4], (
            "HV00D", 'options \"attribute\" and \"path\" are mutually exclusive', None, "Use only \"path\"; it begins with the name of the attribute."))

    def test_half_a_key(self):
        for option in ("access_key_id", "secret_access_key"):
            self.assertEqual(self.fx.error(f"ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (DROP {option})")[:4], (
                "HV002", 'options "access_key_id" and "secret_access_key" must be set together', None, "Set both of them in the user mapping."))

    def refused(self, options, message, hint, state="HV002"):
        """The options of a user mapping that do not go together."""
        with self.subTest(options):
            self.assertEqual(self.fx.error(f"ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS ({options})")[:4], (state, message, None, hint))

    def test_keys_and_a_source(self):
        """Keys are never what a source falls back to, nor the other way round."""
        for source in ("environment", "profile", "web_identity", "container", "instance", "default"):
            self.refused(f"ADD credential_provider '{source}'", f'option "access_key_id" and credential_provider "{source}" are mutually exclusive',
                         "Use either access keys or credential_provider.", "HV00D")
        self.refused("DROP access_key_id, DROP secret_access_key, ADD credential_provider 'instance', ADD session_token 'x'",
                     'option "session_token" and credential_provider "instance" are mutually exclusive',
                     "Use either access keys or credential_provider.", "HV00D")

    def test_options_of_a_role(self):
        for option, value in (("external_id", "ab"), ("role_session_name", "ab"), ("role_duration", "900")):
            self.refused(f"ADD {option} '{value}'", f'option "{option}" requires option "role_arn"', f'Set role_arn, or drop the option "{option}".')

    def test_token_without_keys(self):
        self.refused("DROP access_key_id, DROP secret_access_key, ADD session_token 'x'", 'option "session_token" requires option "access_key_id"',
                     'Set access_key_id, or drop the option "session_token".')

    def test_a_profile_needs_its_source(self):
        for options in ("ADD", "ADD credential_provider 'static', ADD", "DROP access_key_id, DROP secret_access_key, ADD credential_provider 'environment', ADD"):
            self.refused(f"{options} profile 'p'", 'option \"profile\" requires credential_provider \"profile\" or "default"', "Set credential_provider, or drop the option \"profile\".")

    def test_empty_keys(self):
        for option in ("access_key_id", "secret_access_key"):
            failure = self.fx.error(f"ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (SET {option} '')")
            self.assertEqual((failure.sqlstate, failure.hint), ("22023", EMPTY))

    def test_a_secret_is_in_no_message(self):
        """A bad value is repeated in the message, but not if it is secret."""
        for sql in ("ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (ADD secret_key 'hush-hush')",
                    "ALTER SERVER s OPTIONS (ADD secret_access_key 'hush-hush')"):
            self.assertNotIn("hush", str(self.fx.error(sql)))

    def test_a_format_of_another_type(self):
        """Seen when the table is used: the validator does not know the column's type."""
        for column, format_, type_ in (("integer", "iso8601", "integer"), ("text", "epoch", "text"), ("timestamptz", "epoch_days", "timestamp with time zone"),
                                       ("boolean", "string", "boolean"), ("text", "bool(Y,N)", "text"), ("date[]", "iso8601", "date[]"),
                                       ("text", "padded(3)", "text"), ("real", "padded(3)", "real"), ("text", "base64", "text"), ("text", "set", "text"), ("jsonb", "list", "jsonb"), ("json", "json", "json"), ("text", "json", "text"),
                                       ("bytea[]", "base64", "bytea[]"), ("timestamp", "ulid", "timestamp without time zone"), ("date", "ulid", "date"),
                                       ("text", "pattern(YYYY)", "text"), ("integer", "epoch(3)", "integer")):
            with self.subTest(column=column, format=format_):
                self.fx.foreign_table("u", f"c {column} OPTIONS (format '{format_}')")
                failure = self.fx.error("SELECT * FROM u")
                self.assertEqual((failure.sqlstate, failure.message), ("HV004", f'cannot use format of column "c" with type {type_}'))
                self.assertTrue(failure.hint)

    def test_timeouts_take_units(self):
        with fixture.FakeDynamo() as fake:
            fake.table("t", items=[])
            self.fx.server("patient", fake.endpoint, connect_timeout="2s", request_timeout="1min")
            self.fx.foreign_table("v", "pk text", server="patient", table_name="t", scan_policy="allow")
            self.assertEqual(self.fx.rows("SELECT * FROM v"), [])


class Manual(fixture.TestCase):
    """docs/options.md has a row for every option at each of its places, with the right default."""

    def rows(self):
        """The rows of the manual's tables whose first column is headed "Option", as lists of plain cells."""
        rows, inside = [], False
        with open(MANUAL, encoding="utf-8") as manual:
            for line in manual:
                cells = [cell.strip().replace("`", "") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
                if not cells:
                    inside = False
                elif cells[0].lower() in ("option", "options"):
                    inside = True
                elif inside and not re.fullmatch(r":?-+:?", cells[0]):
                    rows.append(cells)
        return rows

    def test_names(self):
        documented = {cells[0] for cells in self.rows()}
        self.assertEqual(documented, {name for (name,) in self.fx.rows("SELECT name FROM dynamo_fdw_options()")})

    def test_defaults(self):
        text = {}
        for cells in self.rows():
            text[cells[0]] = text.get(cells[0], "") + " ".join(cells)
        for name, default in self.fx.rows("SELECT DISTINCT name, default_value FROM dynamo_fdw_options() WHERE default_value ~ '^[0-9]+$'"):
            with self.subTest(option=name):
                self.assertIn(default, text.get(name, ""))

    def test_superuser_options(self):
        text = {}
        for cells in self.rows():
            text[cells[0]] = text.get(cells[0], "") + " ".join(cells)
        for name, reserved in self.fx.rows("SELECT DISTINCT name, superuser_only FROM dynamo_fdw_options()"):
            with self.subTest(option=name):
                self.assertEqual("superuser" in text.get(name, ""), reserved)
