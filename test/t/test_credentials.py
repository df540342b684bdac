"""Credentials that come from AWS's own places: each source, refreshes while statements run, and no secret anywhere."""
import contextlib
import datetime
import hashlib
import hmac
import itertools
import json
import os
import pwd
import random
import re
import socket
import threading
import time
import unittest

import psycopg2

import aws_machine
from aws_machine import ROLE
from identity import iso, sts_error
from processes import WITHOUT_SANITIZERS
from replies import hang_before_headers, skewed_date

KEY = re.compile(r"ASIA\d{4}")


def after(hours):
    """A time from now on."""
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)


def break_off(listener, peers):
    """Close each connection after its first byte; the peers' addresses."""
    with contextlib.suppress(OSError):
        while True:
            client, peer = listener.accept()
            with client:
                client.recv(1)
                peers.append(peer)


def sign(request, secret, region, host):
    """The signature that STS expects of a request, by an implementation of its own."""
    names = re.search(r"SignedHeaders=([^,]+)", request.headers["authorization"]).group(1).split(";")
    headers = "".join(f"{name}:{host if name == 'host' else request.headers[name]}\n" for name in names)
    canonical = "\n".join([request.method, request.path, "", headers, ";".join(names),
                           hashlib.sha256(request.body.encode()).hexdigest()])
    stamp = request.headers["x-amz-date"]
    scope = f"{stamp[:8]}/{region}/sts/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Sources(aws_machine.TestCase):
    """Each of them, through SQL."""

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_CONTAINER_CREDENTIALS_FULL_URI": cls.identity.url + "task",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "letmein", "AWS_ROLE_ARN": ROLE + "pod",
                "AWS_WEB_IDENTITY_TOKEN_FILE": f"{cls.files}/token", "AWS_ACCESS_KEY_ID": "AKIDENV",
                "AWS_SECRET_ACCESS_KEY": "secret of the environment"}

    def check(self, kinds, key=KEY):
        """The table is read with a key of that form, after these requests."""
        self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
        self.assertEqual([request.kind for request in self.identity.requests], kinds)
        [used] = self.dynamo.keys()
        self.assertRegex(used, key)

    def test_environment(self):
        self.dynamo.known["AKIDENV"] = None
        self.mapping(credential_provider="environment")
        self.check([], "AKIDENV")

    def test_container(self):
        self.mapping(credential_provider="container")
        self.check(["container"])
        self.assertEqual(self.identity.requests[0].headers["authorization"], "letmein")

    def test_instance(self):
        self.mapping(credential_provider="instance")
        self.check(["imds-token", "imds-role", "imds"])

    def test_web_identity(self):
        self.write("token", "a.b.c")
        self.mapping(credential_provider="web_identity")
        self.check(["sts"])
        [request] = self.identity.requests
        self.assertEqual({**request.form(), "RoleSessionName": ""},
                         {"Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": ROLE + "pod",
                          "RoleSessionName": "", "WebIdentityToken": "a.b.c"})
        self.assertNotIn("authorization", request.headers)

    def test_profile_keys(self):
        self.dynamo.known["AKIDFILE"] = None
        self.write("credentials", "[reports]\naws_access_key_id = AKIDFILE\naws_secret_access_key = secret of the file\n")
        self.mapping(credential_provider="profile", profile="reports")
        self.check([], "AKIDFILE")

    def test_profile_program(self):
        document = json.dumps({"Version": 1, "AccessKeyId": "AKIDPROGRAM", "SecretAccessKey": "secret of the program",
                               "Expiration": iso(after(1))})
        program = self.write("program", f"#!/bin/sh\necho '{document}'\n", 0o755)
        self.dynamo.known["AKIDPROGRAM"] = None
        self.write("config", f"[profile reports]\ncredential_process = {program}\n")
        self.mapping(credential_provider="profile", profile="reports")
        self.check([], "AKIDPROGRAM")

    def test_errors_of_a_program(self):
        """Its error output is shown without what may be a key or a token of it."""
        key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        program = self.write("program", f"#!/bin/sh\necho 'no new key for {key} {'t' * 120}, ask Zoë' >&2\nexit 1\n", 0o755)
        self.write("config", f"[profile reports]\ncredential_process = {program}\n")
        self.mapping(credential_provider="profile", profile="reports")
        self.admin(f"ALTER ROLE {self.user} SUPERUSER")
        self.addCleanup(self.admin, f"ALTER ROLE {self.user} NOSUPERUSER")
        self.assertIn("no new key for *** ***, ask Zoë", self.error("SELECT * FROM t", self.connect()).detail)

    def test_profile_chain(self):
        """Two roles, the first from the instance; each request is signed by what the one before gave."""
        self.write("config", f"[profile one]\nrole_arn = {ROLE}one\ncredential_source = Ec2InstanceMetadata\n"
                             f"[profile two]\nrole_arn = {ROLE}two\nsource_profile = one\nexternal_id = x/1\n")
        self.mapping(credential_provider="profile", profile="two")
        self.check(["imds-token", "imds-role", "imds", "sts", "sts"])
        one, two = self.identity.of("sts")
        self.assertEqual((one.form()["RoleArn"], two.form()["RoleArn"], two.form()["ExternalId"]),
                         (ROLE + "one", ROLE + "two", "x/1"))
        first, second = (re.search(r"Credential=(\w+)/", request.headers["authorization"]).group(1) for request in (one, two))
        self.assertEqual([int(second[4:]) - int(first[4:]), self.identity.given - int(second[4:])], [1, 1])

    def test_values_of_a_role(self):
        """A user mapping and a profile take the same values for a role."""
        valid = {"role_arn": ROLE + "a/b!c/r", "external_id": "x/1", "role_session_name": "a@b"}
        for name, values in (("role_arn", ["arn:aws-cn:iam::123456789012:role/r", "arn:aws:iam::12345678901:role/r",
                                           "arn:aws:iam::123456789012:user/u", "arn:aws:sts::123456789012:assumed-role/r/s",
                                           "arn:minio:iam:::role/idmp-test-role", ROLE, ROLE + "r" * 64, ROLE + "r" * 65]),
                             ("external_id", ["ab", "a", "a:b/c", "a&b", "a" * 1224, "a" * 1225]),
                             ("role_session_name", ["ab", "a", "a=b", "a:b", "a" * 64, "a" * 65])):
            taken = []
            for value in values:
                with self.subTest(name, value=value):
                    role = {**valid, name: value}
                    self.write("config", "[profile r]\ncredential_source = Ec2InstanceMetadata\n" +
                               "".join(f"{key} = {text}\n" for key, text in role.items()))
                    self.mapping(credential_provider="profile", profile="r")
                    refused = self.refusal(lambda: self.rows("SELECT * FROM t"))
                    self.assertIn(f'Key "{name}" of profile "r"' if refused else "", refused)
                    by_mapping = self.refusal(lambda options=role: self.mapping(
                        access_key_id="AKIDOWN", secret_access_key="s", **options))
                    self.assertEqual(bool(refused), f'invalid value for option "{name}"' in by_mapping)
                    taken.append(not refused)
            self.assertEqual({True, False}, set(taken))

    @staticmethod
    def refusal(action):
        """The text of the error that it raises, or none."""
        try:
            action()
        except psycopg2.Error as failure:
            return str(failure)
        return ""

    def test_sso(self):
        """The token of "aws sso login" is read from the cache of the server's operating-system user, and never refreshed."""
        name = f"dynamo_fdw-test-{os.getpid()}"
        self.write("config", f"[profile people]\nsso_session = {name}\nsso_account_id = 123456789012\nsso_role_name = Reader\n"
                             f"[sso-session {name}]\nsso_region = eu-west-1\nsso_start_url = https://corp.example/start\n")
        self.mapping(credential_provider="profile", profile="people")
        self.assertRegex(self.error("SELECT * FROM t").hint, "aws sso login --profile people")
        for hours, sent in ((-1, []), (1, ["sso"])):
            self.cache(name, {"accessToken": "token of a person", "expiresAt": iso(after(hours)), "region": "eu-west-1"})
            self.admin(f"ALTER USER MAPPING FOR {self.user} SERVER s OPTIONS (SET profile 'people')")
            if sent:
                self.check(sent)
            else:
                self.assertRegex(self.error("SELECT * FROM t").hint, "aws sso login --profile people")
        [request] = self.identity.requests
        self.assertEqual(request.path, "/federation/credentials?role_name=Reader&account_id=123456789012")
        self.assertEqual(request.headers["x-amz-sso_bearer_token"], "token of a person")

    def cache(self, session, document):
        """A file in ~/.aws/sso/cache of the user that the server runs as, until the test ends."""
        user = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        for directory in (".aws", ".aws/sso", ".aws/sso/cache"):
            path = os.path.join(user.pw_dir, directory)
            if not os.path.exists(path):
                os.mkdir(path)
                self.addCleanup(os.rmdir, path)
        path = os.path.join(user.pw_dir, ".aws/sso/cache", hashlib.sha1(session.encode()).hexdigest() + ".json")
        if not os.path.exists(path):
            self.addCleanup(os.remove, path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        os.chmod(path, 0o644)

    def test_role_over_static_keys(self):
        """Anyone may have a role assumed by keys of his own; the request is signed by them."""
        self.mapping(access_key_id="AKIDOWN", secret_access_key="secret of my own", role_arn=ROLE + "reader", external_id="e=1",
                     role_session_name="reports", role_duration=1800)
        self.check(["sts"])
        [request] = self.identity.requests
        self.assertEqual(request.form(), {"Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": ROLE + "reader",
                                          "RoleSessionName": "reports", "ExternalId": "e=1", "DurationSeconds": "1800"})
        signature = request.headers["authorization"].rpartition("Signature=")[2]
        self.assertEqual(signature, sign(request, "secret of my own", "eu-west-1", request.headers["host"]))

    def test_role_over_a_source(self):
        self.mapping(credential_provider="container", role_arn=ROLE + "reader", sts_endpoint_url=self.identity.url)
        self.check(["container", "sts"])

    def test_default(self):
        """The environment comes first."""
        self.dynamo.known["AKIDENV"] = None
        self.mapping(credential_provider="default")
        self.check([], "AKIDENV")

    def test_cached_between_statements(self):
        """One session requests once; ALTER makes it send its request again."""
        self.mapping(credential_provider="container")
        for _ in range(3):
            self.rows("SELECT * FROM t")
        self.assertEqual(len(self.identity.of("container")), 1)
        self.admin(f"ALTER USER MAPPING FOR {self.user} SERVER s OPTIONS (ADD external_id 'ex', ADD role_arn '{ROLE}r', "
                   f"ADD sts_endpoint_url '{self.identity.url}')")
        self.rows("SELECT * FROM t")
        self.assertEqual([request.kind for request in self.identity.requests], ["container", "container", "sts"])

    def test_refused_by_sts(self):
        self.identity.responses["sts"] = [(403, sts_error("AccessDenied", "User x is not authorized to perform sts:AssumeRole"))]
        self.mapping(access_key_id="AKIDOWN", secret_access_key="s", role_arn=ROLE + "reader")
        failure = self.error("SELECT * FROM t")
        self.assertIn("AccessDenied", f"{failure.message} {failure.detail}")
        self.assertIn("trust policy", failure.hint)
        self.assertEqual(failure.sqlstate, "28000")

    def test_a_handshake_that_is_broken_off(self):
        """It is tried three times, as other failures of the network are."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            peers = []
            threading.Thread(target=break_off, args=(listener, peers), daemon=True).start()
            self.mapping(access_key_id="AKIDOWN", secret_access_key="s", role_arn=ROLE + "r",
                         sts_endpoint_url=f"https://127.0.0.1:{listener.getsockname()[1]}/")
            self.assertIn("could not establish a secure connection", self.error("SELECT * FROM t").detail)
            self.assertEqual(len(peers), 3)

    def test_a_failing_source_is_let_be(self):
        """The next statement fails with the same words and no request, but ALTER makes the source be queried at once."""
        self.identity.responses["container"] = [(403, "no"), (403, "no"), (403, "no")]
        self.mapping(credential_provider="container")
        first = self.error("SELECT * FROM t")
        sent = len(self.identity.requests)
        self.assertEqual(self.error("SELECT * FROM t")[:4], first[:4])
        self.assertEqual(len(self.identity.requests), sent)
        self.identity.responses.clear()
        self.admin(f"ALTER USER MAPPING FOR {self.user} SERVER s OPTIONS (SET credential_provider 'container')")
        self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])

    def test_malformed_responses(self):
        """Each is an error with words of its own, and none shows what came to whom it does not concern."""
        secret = '{"AccessKeyId": "A", "SecretAccessKey": "secret of nobody", '
        for response in ("", "no JSON", "[]", "{}", secret + '"Token": 5}', secret + '"Expiration": "yesterday"}',
                       secret + '"Token": "a\\r\\nb"}', '{"AccessKeyId": "A"}'):
            with self.subTest(response):
                self.identity.responses["container"] = [(200, response)]
                self.mapping(credential_provider="container")
                failure = self.error("SELECT * FROM t")
                self.assertEqual(failure.sqlstate, "28000", failure)
                self.assertNotIn("nobody", str(failure))

    def test_whoami(self):
        self.mapping(credential_provider="container")
        [(source, key, expires)] = self.rows("SELECT * FROM dynamo_fdw_credentials('s')")
        self.assertEqual(source, "container")
        self.assertRegex(key, "^ASIA.*[0-9]{2}$")
        self.assertGreater(expires, after(0.9))
        self.assertLess(expires, after(1.1))


class Refresh(aws_machine.TestCase):
    """Credentials that end while statements run."""

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_CONTAINER_CREDENTIALS_FULL_URI": cls.identity.url + "task",
                "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}

    def setUp(self):
        super().setUp()
        self.items = [{"pk": {"S": f"k{n:03}"}, "n": {"N": str(n)}} for n in range(60)]
        self.dynamo.table("big", items=self.items)

    def big(self):
        """A table of 60 items, in pages of ten."""
        self.mapping(credential_provider="container", server={"fetch_size": 10})
        self.admin("DROP FOREIGN TABLE IF EXISTS big, lookups", "CREATE FOREIGN TABLE big (pk text, n int) SERVER s",
                   f"GRANT SELECT ON big TO {self.user}")

    def expire_at(self, operation, number):
        """Lets all keys expire just before the response to that request of an operation."""
        def response(request):
            count = sum(one.operation == operation for one in self.dynamo.requests)
            if count == number and not self.dynamo.expired:
                self.dynamo.expire()
        self.dynamo.on(operation, response)

    def test_in_mid_scan(self):
        self.big()
        self.expire_at("Scan", 3)
        self.assertEqual(self.rows("SELECT count(*), sum(n) FROM big"), [(60, 1770)])
        self.assertEqual(len(self.identity.of("container")), 2)
        self.assertEqual(len(self.dynamo.keys()), 2)

    def test_by_the_clock(self):
        """They live three seconds, and the scan needs six: it goes on with others, and no request is refused."""
        self.identity.lifetime = 3
        self.dynamo.delay = 1.0
        self.big()
        self.assertEqual(self.rows("SELECT count(*) FROM big"), [(60,)])
        self.assertGreater(len(self.identity.of("container")), 1)
        self.assertFalse([request for request in self.dynamo.requests if request.status != 200])

    def test_sixteen_in_flight(self):
        """All meet ExpiredToken; one refresh serves all, each is sent twice, and every row is there."""
        self.dynamo.table("many", ("pk", "S"), ("n", "N"), items=[{"pk": {"S": f"k{n:02}"}, "n": {"N": str(n)}} for n in range(16)])
        self.mapping(credential_provider="container")
        self.foreign_table("many", "pk text, n int")
        self.rows("SET dynamo_fdw.fetch_memory = '64MB'")   # memory for sixteen pages
        self.rows("SELECT count(*) FROM many WHERE pk = 'k00'")
        self.dynamo.reset()
        self.dynamo.expire()
        self.dynamo.together(16, "Query")
        keys = ", ".join(f"'k{n:02}'" for n in range(16))
        self.assertEqual(self.rows(f"SELECT count(*), sum(n) FROM many WHERE pk IN ({keys})"), [(16, 120)])
        self.assertEqual([request.status for request in self.dynamo.requests], [400] * 16 + [200] * 16)
        self.assertEqual(len(self.identity.of("container")), 2)

    def test_in_a_lookup_join(self):
        self.big()
        self.expire_at("BatchGetItem", 2)
        rows = self.rows("SELECT count(*), sum(b.n) FROM generate_series(0, 59) g JOIN big b ON b.pk = 'k' || lpad(g::text, 3, '0')")
        self.assertEqual(rows, [(60, 1770)])

    def test_in_analyze(self):
        self.big()
        self.admin(f"ALTER FOREIGN TABLE big OWNER TO {self.user}")
        self.expire_at("Scan", 2)
        self.rows("ANALYZE big")
        self.assertEqual(len(self.identity.of("container")), 2)
        self.assertEqual(self.admin("SELECT reltuples FROM pg_class WHERE relname = 'big'"), [(60.0,)])

    def test_expired_for_good(self):
        """Others that have expired, too: the error is the service's."""
        self.mapping(credential_provider="container")
        self.rows("SELECT * FROM t")
        self.dynamo.on("*", lambda request: aws_machine.error("ExpiredTokenException", "The security token is expired"))
        self.conn.cursor().execute("SELECT dynamo_fdw_disconnect_all()")
        failure = self.error("SELECT * FROM t")
        self.assertIn("ExpiredTokenException", failure.detail)
        self.assertEqual(failure.sqlstate, "28000")

    def test_a_file_that_is_being_rewritten(self):
        """It is empty for a moment, which does not lead to the keys of another provider; one that stays empty counts as missing."""
        self.mapping(credential_provider="default")
        path = self.write("credentials", "")
        failure = self.error("SELECT * FROM t")
        self.assertEqual((failure.sqlstate, self.identity.requests), ("28000", []))
        self.assertIn("was emptied just now", failure.detail)
        os.utime(path, (0, 0))
        time.sleep(1.1)     # until a source that has failed may start again
        self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])

    def test_static_keys_are_not_refreshed(self):
        self.mapping(access_key_id="ASIAOLD", secret_access_key="s", session_token="x")
        self.dynamo.expired = {"ASIAOLD"}
        failure = self.error("SELECT * FROM t")
        self.assertIn("ExpiredTokenException", failure.detail)
        self.assertEqual(len(self.dynamo.requests), 1)

    def test_a_source_that_hangs(self):
        """Cancelling ends the statement at once, and the next one queries the provider again."""
        self.identity.responses["container"] = [None]
        self.mapping(credential_provider="container")
        cancel = threading.Timer(0.5, self.conn.cancel)
        cancel.start()
        began = time.monotonic()
        failure = self.error("SELECT * FROM t")
        self.assertEqual(failure.sqlstate, "57014")
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])

    def test_the_service_hangs_in_the_meantime(self):
        """A statement that is cancelled during a request leaves the credentials as they are."""
        self.mapping(credential_provider="container")
        self.dynamo.on("Scan", [hang_before_headers()])
        threading.Timer(0.5, self.conn.cancel).start()
        self.assertEqual(self.error("SELECT * FROM t").sqlstate, "57014")
        self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
        self.assertEqual(len(self.identity.of("container")), 1)


class Clocks(aws_machine.TestCase):
    """The clocks of this machine, of the security token service and of DynamoDB differ."""

    HOUR = 3600
    DIFFERENCES = (0, -3900, 3900, -2 * HOUR, 2 * HOUR, -400 * 24 * HOUR, 400 * 24 * HOUR)

    def role(self):
        """A mapping whose user has a role assumed."""
        self.mapping(access_key_id="AKIDOWN", secret_access_key="s", role_arn=ROLE + "reader")
        self.identity.requests.clear()

    def test_any(self):
        """Each signs, and judges, by its own: one correction each, and the role is assumed once."""
        seed = random.randrange(1000)
        rng = random.Random(seed)
        pairs = [(sts, 0) for sts in self.DIFFERENCES] + [(0, dynamo) for dynamo in self.DIFFERENCES]
        pairs += [(rng.randint(-2 * self.HOUR, 2 * self.HOUR), rng.randint(-2 * self.HOUR, 2 * self.HOUR)) for _ in range(10)]
        for self.identity.ahead, self.dynamo.ahead in pairs:
            with self.subTest(f"seed {seed}", sts=self.identity.ahead, dynamo=self.dynamo.ahead):
                given = self.identity.given
                self.role()
                for _ in range(3):
                    self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
                self.assertLessEqual(len(self.identity.of("sts")), 2)
                self.assertEqual(self.identity.given, given + 1)

    def test_a_date_that_lies(self):
        """The endpoint's owner cannot have the role assumed more often by another clock."""
        refusal = aws_machine.error("InvalidSignatureException", "Signature expired: it is now earlier than now")
        self.role()
        self.dynamo.on("*", [None, skewed_date(2 * self.HOUR, refusal)])
        for _ in range(3):
            self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
        self.assertEqual(len(self.identity.of("sts")), 1)

    def refused(self, seconds):
        """The errors of statements that are sent for so long, and how often the role was assumed in how many seconds."""
        errors, began = [], time.monotonic()
        while time.monotonic() < began + seconds:
            errors.append(self.error("SELECT * FROM t"))
            time.sleep(0.02)
        elapsed = time.monotonic() - began
        return errors, len(self.identity.of("sts")), elapsed

    def check_rare(self, sent, elapsed):
        """At once, once more, and after pauses of 1, 2, 4 ... seconds; that is five times in ten seconds."""
        self.assertLessEqual(sent, sum(begin <= elapsed for begin in (0, 0, 1, 3, 7, 15, 31, 63)))

    def test_what_is_new_is_refused_as_expired(self):
        """By DynamoDB's clock, or so it claims: the error names the clocks, and the role is assumed less and less often."""
        self.role()
        self.dynamo.on("*", lambda request: skewed_date(2 * self.HOUR, aws_machine.error("ExpiredTokenException", "expired")))
        errors, sent, elapsed = self.refused(3.5)
        self.check_rare(sent, elapsed)
        self.assertEqual({failure.sqlstate for failure in errors}, {"28000"})
        self.assertIn("ExpiredTokenException", errors[0].detail)
        self.assertRegex(errors[1].detail, "valid until 20.* UTC; the time is 20.* UTC at their provider, 20.* UTC at the service, and 20.* UTC on this ")

    def test_every_second_page_is_refused(self):
        """What has served once may be refused again and again."""
        self.dynamo.table("t", items=[{"pk": {"S": f"k{n}"}} for n in range(100)])
        self.mapping(access_key_id="AKIDOWN", secret_access_key="s", role_arn=ROLE + "reader", server={"fetch_size": 1})
        count = itertools.count()
        self.dynamo.on("Scan", lambda request: aws_machine.error("ExpiredTokenException", "expired") if next(count) % 2 else None)
        _errors, sent, elapsed = self.refused(1.5)
        self.check_rare(sent, elapsed)

    def test_what_is_given_has_expired(self):
        """By the very clock of who gives it."""
        self.identity.ahead, self.identity.expired = -2 * self.HOUR, True
        self.role()
        errors, sent, elapsed = self.refused(1.5)
        self.check_rare(sent - 1, elapsed)     # one is the correction of the clock
        for failure in errors:
            self.assertEqual(failure.sqlstate, "28000")
            self.assertRegex(failure.detail, "had expired when they were obtained: they were valid until 20.* UTC; the time is 20.* UTC at their provider "
                                             "and 20.* UTC on this machine")

    def test_a_clock_that_cannot_be_known(self):
        """Signatures are judged by another than that of the Date."""
        self.mapping(access_key_id="AKIDOWN", secret_access_key="s", role_arn=ROLE + "never-ahead-7200")
        errors, sent, elapsed = self.refused(1.5)
        self.check_rare(sent, elapsed)
        for failure in errors:
            self.assertRegex(failure.hint, r"The time is 20.* UTC at the service and 20.* UTC on this machine\.")


def memory_of(pid):
    """What a process may write of its memory: the heap, the stack, and the data of libraries."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            place, rights, _offset, _device, inode, *name = line.split()
            if not rights.startswith("rw") or rights[3] == "s" or name[:1] == ["[vvar]"]:
                continue
            begin, end = (int(edge, 16) for edge in place.split("-"))
            memory.seek(begin)
            yield name, memory.read(end - begin)


class Secrets(aws_machine.TestCase):
    """What a source gave is nowhere to be seen."""

    @classmethod
    def environment(cls):
        return {**super().environment(), "AWS_CONTAINER_CREDENTIALS_FULL_URI": cls.identity.url + "task",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "letmein-xyzzy"}

    @unittest.skipIf(os.geteuid(), "only root may look into another user's process")
    @WITHOUT_SANITIZERS
    def test_not_in_memory(self):
        """After dynamo_fdw_disconnect_all(), neither ours nor libcurl's copies are left."""
        self.mapping(credential_provider="container", role_arn=ROLE + "reader", sts_endpoint_url=self.identity.url)
        pid = self.rows("SELECT pg_backend_pid()")[0][0]
        for _ in range(3):
            self.assertEqual(self.rows("SELECT * FROM t"), [("a",)])
        pattern = re.compile(rb"(?:token|secret) of ASIA\d{4}|letmein-xyz(?=zy\r)")
        self.assertTrue(any(pattern.search(part) for _, part in memory_of(pid)))
        self.rows("SELECT dynamo_fdw_disconnect_all()")
        left = [(name, found.group(), part[max(0, found.start() - 40):found.end() + 20])
                for name, part in memory_of(pid) for found in pattern.finditer(part)]
        self.assertEqual(left, [])

    def test_nowhere(self):
        """Not in plans, errors, views and functions, nor in the log, which has everything there is.

        (PostgreSQL itself writes the environment into it when it starts.)
        """
        begin = len(self.postgres.log())
        self.mapping(credential_provider="container", role_arn=ROLE + "reader", sts_endpoint_url=self.identity.url)
        self.admin("ALTER SYSTEM SET dynamo_fdw.log_requests = on", "SELECT pg_reload_conf()")
        conn = self.connect()
        seen = [self.rows("EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM t", conn)]
        seen.append(self.rows("SELECT * FROM dynamo_fdw_credentials('s')", conn))
        seen.append(self.admin("SELECT * FROM pg_stat_activity"))
        seen.append(self.admin("SELECT * FROM pg_user_mappings"))
        for response in ((403, "secret of ASIA0001 token of ASIA0001"), (500, "x")):
            self.identity.responses["sts"] = [response] * 3
            seen.append(self.error("SELECT * FROM t", self.connect()))
        self.dynamo.on("Scan", lambda request: aws_machine.error(
            "AccessDeniedException", f"{request.headers['x-amz-security-token']} is what you sent"))
        seen.append(self.error("SELECT * FROM t", self.connect()))
        text = "\n".join(map(str, seen)) + self.postgres.log()[begin:]
        self.assertIn("Scan t: 1 item", text)
        self.assertEqual(re.findall(r"secret of|letmein-xyzzy|Signature=|token of ASIA\d{4}", text), [])
