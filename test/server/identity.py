#!/usr/bin/python3
"""The services that AWS credentials come from: STS, containers, instance metadata, IAM Identity Center.

Made for tests, which import it or start it as a program; then it prints its port and serves until its standard input is
closed. It gives out access keys ASIA0001, ASIA0002 ... with the secret "secret of ASIA0001" and the token "token of ...".

    with FakeIdentity() as identity:
        identity.lifetime = 3600                    # seconds, of what is given out from now on
        identity.responses["sts"] = [(403, "<...>")]  # instead of the next responses; None hangs
        ...
        identity.requests[0].path

A request may determine the response, for tests without another way to script it: words of a path or of a role's
name such as "lifetime-60", "status-500" (each time), "first-503" (the first time with that path or role), "hang", "huge",
"redirect", "ahead-60" (seconds: by its clock, that much ahead of this machine's, it writes dates and judges signatures) or
"never" (it reports that each signature is of another time).
"""
import collections
import dataclasses
import datetime
import json
import os
import re
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIFETIME = 3600
METADATA = "/latest/meta-data/iam/security-credentials/"
TOKEN = "token-of-the-instance"


@dataclasses.dataclass
class Request:
    """One request; the names of headers are in lower case."""
    kind: str
    method: str
    path: str
    headers: dict
    body: str

    def form(self):
        """The parameters of its body."""
        return dict(urllib.parse.parse_qsl(self.body, keep_blank_values=True))


def kind_of(method, path):
    """Which service the request is for."""
    if path == "/latest/api/token":
        return "imds-token"
    if path == METADATA:
        return "imds-role"
    if path.startswith(METADATA):
        return "imds"
    if path.startswith("/federation/credentials"):
        return "sso"
    return "sts" if method == "POST" else "container"


def iso(moment):
    """As AWS writes times."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Handler(BaseHTTPRequestHandler):
    """Responds to one connection; everything is in the server's `identity`."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def _serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(kind_of(self.command, self.path), self.command, self.path, headers, body)
        status, text = self.server.identity.respond(request)
        data = text.encode()
        self.send_response_only(status)
        self.send_header("Date", self.date_time_string(time.time() + self.server.identity.ahead_for(request)))
        self.send_header("Content-Length", str(len(data)))
        if status in (301, 302, 307):
            self.send_header("Location", self.server.identity.redirect)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = _serve


class Server(ThreadingHTTPServer):
    """Clients may leave at any time."""
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


class FakeIdentity:
    """All services on one port of the loopback address."""

    def __init__(self):
        self.requests = []
        self.responses = collections.defaultdict(list)
        self.lifetime = LIFETIME
        self.expired = False        # give out what has expired already
        self.ahead = 0              # seconds: its clock before this machine's
        self.redirect = ""
        self.given = 0
        self.seen = collections.Counter()
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.identity = self
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}/"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()

    def close(self):
        """Also ends what hangs."""
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def of(self, kind):
        """The requests to one service."""
        return [request for request in self.requests if request.kind == kind]

    def ahead_for(self, request):
        """Of its clock, for this request."""
        given = re.search(r"ahead-(-?\d+)", words_of(request))
        return int(given.group(1)) if given else self.ahead

    def respond(self, request):
        """(status, body), after a delay, or never, if it is scripted so."""
        words = words_of(request)
        with self.lock:
            self.requests.append(request)
            given = self.responses[request.kind].pop(0) if self.responses[request.kind] else ()
            self.seen[words] += 1
            first = self.seen[words] == 1
        if given is None or "hang" in words:
            self.closing.wait()
            return 503, ""
        if given:
            return given
        status = re.search(r"status-(\d+)", words) or first and re.search(r"first-(\d+)", words)
        if status:
            return int(status.group(1)), "told so"
        if "huge" in words:
            return 200, " " * 70_000
        if "redirect" in words:
            return 307, ""
        if "never" in words or is_of_another_time(request.headers.get("x-amz-date"), self.ahead_for(request)):
            return 403, sts_error("SignatureDoesNotMatch", "Signature expired")
        lifetime = re.search(r"lifetime-(-?\d+)", words)
        return getattr(self, "_" + request.kind.replace("-", "_"))(request, int(lifetime.group(1)) if lifetime else self.lifetime)

    def make(self, request, lifetime):
        """The next key, and when it expires."""
        with self.lock:
            self.given += 1
            key = f"ASIA{self.given:04}"
        if self.expired:
            lifetime = -60
        expires = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=lifetime + self.ahead_for(request))
        return key, f"secret of {key}", f"token of {key}", expires

    def document(self, request, lifetime, **more):
        """The form of containers and instances."""
        key, secret, token, expires = self.make(request, lifetime)
        return json.dumps({"AccessKeyId": key, "SecretAccessKey": secret, "Token": token, "Expiration": iso(expires), **more})

    def _imds_token(self, request, _lifetime):
        ok = request.method == "PUT" and request.headers.get("x-aws-ec2-metadata-token-ttl-seconds", "").isdigit()
        return (200, TOKEN) if ok else (400, "")

    def _imds_role(self, request, _lifetime):
        return (200, "reader") if request.headers.get("x-aws-ec2-metadata-token") == TOKEN else (401, "")

    def _imds(self, request, lifetime):
        if request.headers.get("x-aws-ec2-metadata-token") != TOKEN:
            return 401, ""
        return 200, self.document(request, lifetime, Code="Success", Type="AWS-HMAC", LastUpdated=iso(datetime.datetime.now()))

    def _container(self, request, lifetime):
        return 200, self.document(request, lifetime)

    def _sso(self, request, lifetime):
        key, secret, token, expires = self.make(request, lifetime)
        return 200, json.dumps({"roleCredentials": {"accessKeyId": key, "secretAccessKey": secret, "sessionToken": token,
                                                    "expiration": int(expires.timestamp() * 1000)}})

    def _sts(self, request, lifetime):
        action = request.form().get("Action")
        if action not in ("AssumeRole", "AssumeRoleWithWebIdentity"):
            return 400, sts_error("InvalidAction", "no such action")
        key, secret, token, expires = self.make(request, lifetime)
        return 200, (f'<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result><AssumedRoleUser>'
                     f"<Arn>{request.form()['RoleArn']}</Arn></AssumedRoleUser><Credentials><AccessKeyId>{key}</AccessKeyId>"
                     f"<SecretAccessKey>{secret}</SecretAccessKey><SessionToken>{token}</SessionToken>"
                     f"<Expiration>{iso(expires)}</Expiration></Credentials></{action}Result></{action}Response>")


def words_of(request):
    """The part of a request that may determine the response."""
    return f"{request.path} {request.form().get('RoleArn', '')}"


def is_of_another_time(text, ahead):
    """Was it signed by a clock that differs from one that is `ahead` seconds fast?  Five minutes are tolerated."""
    if text is None:
        return False
    signed = datetime.datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    return abs((signed - datetime.datetime.now(datetime.timezone.utc)).total_seconds() - ahead) > 300


def sts_error(code, message):
    """The form of STS's errors."""
    return (f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
            "<RequestId>R</RequestId></ErrorResponse>")


def main():
    """Serve until standard input is closed."""
    with FakeIdentity() as identity:
        # in one write, because the reader then closes
        os.write(1, f"{identity.port}\n".encode())
        sys.stdin.read()


if __name__ == "__main__":
    main()
