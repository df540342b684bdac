"""An HTTP/1.1 server in a thread that records the requests that it gets and responds as scripted.

FakeDynamo and RecordingProxy are both such servers; they differ in where a response comes from that no script gives.
"""
import asyncio
import collections
import dataclasses
import fcntl
import itertools
import json
import math
import os
import select
import socket
import ssl
import subprocess
import tempfile
import termios
import threading
import time

from replies import Executed, Reply, as_reply, error


# How long hold() waits for what does not come.
HOLD_SECONDS = 10

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}

# Turns of the event loop within which a request, or its connection, that has arrived is recorded; fewer are needed.
TURNS = 10


@dataclasses.dataclass
class Request:
    """One request and, once it has been responded to, the response."""
    operation: str
    body: dict
    headers: dict               # names in lower case
    raw: bytes
    connection: int             # 1 for the first connection
    number: int = 0             # 1 for the first request since the last reset
    time: float = 0.0           # of arrival, time.monotonic()
    began: int = 0              # places in the order of all arrivals and departures
    ended: int = 0              # 0: without a response
    status: int = 0             # of the response
    response: dict = dataclasses.field(default_factory=dict)

    def note(self, reply):
        """Keep what tests want to know of the response, not the response itself: pages are big and many."""
        document = reply.document if isinstance(reply.document, dict) else {}
        self.status = reply.status
        self.response = {"Count": document.get("Count"), "ScannedCount": document.get("ScannedCount"),
                         "more": "LastEvaluatedKey" in document, "items": count_items(document), "units": count_units(document)}
        if "__type" in document:
            self.response["error"] = document["__type"].rsplit("#", 1)[-1]

    def is_write(self):
        """Does it change items?"""
        return self.operation in WRITES

    def line(self):
        """The request as one line of JSON, for log files."""
        return json.dumps({"operation": self.operation, "request": self.body, "status": self.status, **self.response},
                          ensure_ascii=False)

    def overlaps(self, other):
        """Were both in flight at some moment?"""
        return self.began < (other.ended or math.inf) and other.began < (self.ended or math.inf)


def most_in_flight(requests):
    """How many of these were in flight together."""
    return max((sum(other.overlaps(one) and other.began <= one.began for other in requests) for one in requests), default=0)


def count_items(document):
    """How many items a response holds, whichever operation it belongs to."""
    if "Responses" in document:
        return sum(len(items or ()) for items in (document["Responses"] or {}).values())
    if "Items" in document:
        return len(document["Items"] or ())
    return 1 if "Item" in document else 0


def count_units(document):
    """The units that a response reports."""
    consumed = document.get("ConsumedCapacity") or []
    return sum(one.get("CapacityUnits") or 0 for one in (consumed if isinstance(consumed, list) else [consumed]))


class Connection:
    """One client's connection."""

    def __init__(self, number, reader, writer):
        self.number, self.reader, self.writer = number, reader, writer
        self.upstream = None    # the proxy's own connection for this client
        self.sent = collections.deque(maxlen=32)    # the latest responses: (head, body)

    def has_unread(self):
        """Has the client sent something that waits in the kernel?"""
        socket = self.writer.get_extra_info("socket")       # None: the handshake has failed
        fd = socket.fileno() if socket else -1
        return fd >= 0 and fcntl.ioctl(fd, termios.FIONREAD, bytes(4)) != bytes(4)

    async def read_request(self):
        """The next request, or None when the client has closed."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        headers = parse_headers(head)
        raw = await self.reader.readexactly(int(headers.get("content-length", 0)))
        operation = headers.get("x-amz-target", "").rpartition(".")[2]
        return Request(operation, parse_json(raw), headers, raw, self.number, time=time.monotonic())


def parse_headers(head):
    """Header names in lower case, and the first line under the empty name."""
    lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines[1:])
    return {"": lines[0], **{name.lower(): value.strip() for name, _, value in pairs}}


def parse_json(raw):
    """The document, or None where it is none."""
    try:
        return json.loads(raw)
    except ValueError:
        return None


class ScriptedServer:
    """Listens on a free loopback port from start() to stop(), or inside a with statement.

    on() sets how to respond to an operation; what no script responds to goes to default(), which a subclass defines.
    delay makes every response that many seconds late, without one waiting for another. That two requests are in flight
    together is shown by hold() and together(), which wait for the second; delays, by which too many would show, need
    not be long for that.
    """

    _ids = itertools.count(1)   # of requests: never the same again, on any server that a session reads from

    def __init__(self, tls=False, hostname="localhost", delay=0.0, port=0, log=None):
        self.port, self.tls, self.hostname, self.delay = port, tls, hostname, delay
        self.requests = []
        self.connections = 0    # accepted so far
        self.open = 0           # open now
        self.resumed = 0        # accepted so far, and a TLS session was resumed
        self.ca_bundle = None
        self._connections = set()
        self._log = open(log, "a", encoding="utf-8") if log else None
        self._scripts = {}
        self._holds = []
        self._lock = threading.Lock()
        self._number = 0
        self._order = itertools.count(1)
        self._directory = self._thread = None

    # Starting and stopping

    def start(self):
        """Listen, and return the server itself."""
        self._loop = asyncio.new_event_loop()
        self._listener = self._loop.run_until_complete(asyncio.start_server(
            self._serve, "127.0.0.1", self.port, ssl=self._tls_context() if self.tls else None, backlog=512,
            limit=1 << 20))
        self.port = self._listener.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def stop(self):
        """Close every connection, also those that hang."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        if self._directory:
            self._directory.cleanup()
        if self._log:
            self._log.close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._listener.close()
        self._loop.run_until_complete(asyncio.sleep(0))
        while tasks := asyncio.all_tasks(self._loop):       # connections may still be coming in
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(asyncio.sleep(0))     # lets transports close, and the last ones begin
        self._loop.close()

    def _tls_context(self):
        self._directory = tempfile.TemporaryDirectory(prefix="dynamo_fdw-tls.")
        self.ca_bundle, certificate, key = make_certificates(self._directory.name, self.hostname)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    # What tests use

    @property
    def endpoint(self):
        """The URL to give to a foreign server."""
        return f"{'https' if self.tls else 'http'}://{'localhost' if self.tls else '127.0.0.1'}:{self.port}"

    def on(self, operation, responses):
        """Script an operation ("*": any).

        A list is used up one response per request, then forgotten; anything else responds to every request. A response is
        a Reply, a JSON document, bytes, an Executed, or a function of the Request that returns one (None: as if
        unscripted).
        """
        with self._lock:
            self._scripts[operation] = list(responses) if isinstance(responses, list) else responses

    def hold(self, which, until, bound=HOLD_SECONDS):
        """Requests for which which(request) is true get their responses only when until(requests), requested again while more requests
        arrive, is true of those recorded so far. After `bound` seconds they get their responses all the same, so that a client
        that waits for a response first goes on, and the test sees in the recorded requests what it did.
        """
        with self._lock:
            self._holds.append((which, until, bound))

    def together(self, count, operation=None):
        """Respond to the first `count` requests for items, or of that operation, only once all of them have arrived."""
        def which(request):
            return request.operation == operation if operation else request.operation != "DescribeTable"
        self.hold(which, lambda requests: sum(map(which, requests)) >= count)

    def reset(self, scripts=False):
        """Forget the recorded requests and what to hold, and the scripts too if `scripts` is true.

        A statement that ends early leaves requests whose responses it does not want. All that was sent before is
        recorded first, so that none of it is taken for the next statement's.
        """
        if self._thread and self._thread.is_alive() and threading.current_thread() is not self._thread:
            asyncio.run_coroutine_threadsafe(self._settle(), self._loop).result()
        with self._lock:
            self.requests = []
            self._holds = []
            self._number = 0
            if scripts:
                self._scripts = {}

    def finish(self):
        """Wait until all that was sent before is recorded and executed, even if the client has left."""
        asyncio.run_coroutine_threadsafe(self._settle(), self._loop).result()
        until = time.monotonic() + HOLD_SECONDS
        while not all(request.status for request in list(self.requests)) and time.monotonic() < until:
            time.sleep(0.002)

    def operations(self):
        """The names of the recorded operations, in order."""
        return [request.operation for request in self.requests]

    async def default(self, request, connection):
        """Respond to what no script responds to."""
        return error("UnknownOperationException", f"not scripted: {request.operation}")

    # Serving

    def _has_unread(self):
        return bool(select.select(self._listener.sockets, [], [], 0)[0]) or any(c.has_unread() for c in self._connections)

    async def _settle(self):
        until = time.monotonic() + HOLD_SECONDS
        quiet = 0
        while quiet < TURNS and time.monotonic() < until:
            quiet = 0 if self._has_unread() else quiet + 1
            await asyncio.sleep(0)

    async def _serve(self, reader, writer):
        self.connections += 1
        self.open += 1
        secure = writer.get_extra_info("ssl_object")
        self.resumed += bool(secure and secure.session_reused)
        connection = Connection(self.connections, reader, writer)
        self._connections.add(connection)
        try:
            while await self._serve_one(connection):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self._connections.discard(connection)
            writer.close()
            if connection.upstream:
                connection.upstream.close()

    async def _serve_one(self, connection):
        request = await connection.read_request()
        if request is None:
            return False
        self._record(request)
        response = await self._respond(request, connection)
        request.note(response)
        if self._log:
            self._log.write(request.line() + "\n")
            self._log.flush()
        if self.delay + response.delay > 0:
            await asyncio.sleep(self.delay + response.delay)
        await self._held(request)
        head = response.head(f"FAKE{next(self._ids):048d}")
        stays_open = await response.send(connection, head, response.body)
        connection.sent.append((head, response.body))
        request.ended = next(self._order)
        return stays_open

    def _record(self, request):
        with self._lock:
            self._number += 1
            request.number = self._number
            request.began = next(self._order)
            self.requests.append(request)

    async def _held(self, request):
        with self._lock:
            requests, holds = self.requests, self._holds
        for which, until, bound in holds:
            deadline = request.time + bound
            while which(request) and not until(requests) and time.monotonic() < deadline:
                await asyncio.sleep(0.002)

    async def _respond(self, request, connection) -> Reply:
        response = self._scripted(request)
        if callable(response):
            response = response(request)
        if response is None or isinstance(response, Executed):
            reply = as_reply(await self.default(request, connection))
            response = response.change(reply) if response else reply
        return as_reply(response)

    def _scripted(self, request):
        with self._lock:
            for operation in (request.operation, "*"):
                script = self._scripts.get(operation)
                if not isinstance(script, list):
                    if script is not None:
                        return script
                elif script:
                    return script.pop(0)
        return None


def make_certificates(directory, hostname):
    """A CA and a certificate for hostname, made by openssl; the paths of CA, certificate and key."""
    path = {name: os.path.join(directory, name) for name in ("ca.pem", "ca.key", "cert.pem", "cert.key", "csr", "ext")}
    with open(path["ext"], "w", encoding="ascii") as file:
        names = f"DNS:{hostname}" + (",IP:127.0.0.1" if hostname == "localhost" else "")
        file.write(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *new_key, "-days", "2", "-subj", "/CN=dynamo_fdw test CA",
            "-keyout", path["ca.key"], "-out", path["ca.pem"])
    openssl("req", *new_key, "-subj", f"/CN={hostname}", "-keyout", path["cert.key"], "-out", path["csr"])
    openssl("x509", "-req", "-in", path["csr"], "-CA", path["ca.pem"], "-CAkey", path["ca.key"], "-CAcreateserial",
            "-days", "2", "-extfile", path["ext"], "-out", path["cert.pem"])
    os.chmod(directory, 0o755)      # the server, another user, reads the CA
    os.chmod(path["ca.pem"], 0o644)
    return path["ca.pem"], path["cert.pem"], path["cert.key"]


def openssl(*arguments):
    """Run openssl; what it reports is shown only when it fails."""
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr}")


class FullListener:
    """A listening socket that accepts nothing more: a client that connects waits for ever."""

    def __init__(self, port=0):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.waiting = []
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", self.port))
            self.waiting.append(client)

    def close(self):
        """Let go."""
        for each in [self.listener, *self.waiting]:
            each.close()
