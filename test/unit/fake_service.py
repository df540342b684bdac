"""A scripted AWS JSON service for the tests of the client.

The first member of the request document names what to do; see the methods of
Script.  Prints the port it listens on, the port for TLS and the file with its
own certificate ("0 -" where openssl is missing), and serves until its standard
input is closed.  Standard library only.
"""
import gzip
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

counts = {}
lock = threading.Lock()


def nth(key):
    """How many requests with this key came so far, this one included."""
    with lock:
        counts[key] = counts.get(key, 0) + 1
        return counts[key]


def error(code, message, **more):
    return json.dumps({"__type": "com.example#" + code, "message": message,
                       **more}).encode()


class Script(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def setup(self):
        super().setup()
        self.served = 0

    def reply(self, body, status=200, headers=(), crc=None, length=None,
              date=None):
        self.send_response_only(status)
        self.send_header("Date", formatdate(date, usegmt=True))
        self.send_header("x-amzn-RequestId", "REQUEST-%d" % nth("replies"))
        if crc is not False:
            self.send_header("x-amz-crc32",
                             str(zlib.crc32(body) if crc is None else crc))
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length",
                         str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.served += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received = len(body)
        what, *args = json.loads(body)["do"]
        getattr(self, "do_" + what)(*args)

    def do_echo(self):
        """Everything the client sent, as a document."""
        names = [n.lower() for n in self.headers.keys()]
        self.reply(json.dumps({"headers": dict(zip(names,
                                                   self.headers.values())),
                               "path": self.path,
                               "resumed": getattr(self.connection,
                                                  "session_reused", False),
                               "served": self.served}).encode())

    def do_bytes(self, n):
        self.reply(b"x" * n)

    def do_length(self):
        """How long the request document was."""
        self.reply(b"%d" % self.received)

    def do_count(self, key):
        """How often the requests with this key came, not counting this one."""
        self.reply(b"%d" % counts.get(key, 0))

    def do_chunked(self, n):
        self.send_response_only(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(n):
            self.wfile.write(b"5\r\nhello\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def do_gzip(self, n):
        self.reply(gzip.compress(b"y" * n), headers=[
            ("Content-Encoding", "gzip")])

    def do_gzip_noise(self, n):
        """What does not become smaller."""
        self.reply(gzip.compress(os.urandom(n), 1), headers=[
            ("Content-Encoding", "gzip")])

    def do_bad_gzip(self, key, truncate):
        packed = gzip.compress(os.urandom(1000))
        if nth(key) == 1:
            packed = packed[:-10] if truncate else packed + b"more"
        self.reply(packed, headers=[("Content-Encoding", "gzip")])

    def do_brotli(self):
        self.reply(b"abc", headers=[("Content-Encoding", "br")])

    def do_bad_crc(self, key):
        self.reply(b"{}", crc=1 if nth(key) == 1 else None)

    def do_no_crc(self):
        self.reply(b"{}", crc=False)

    def do_truncate(self, key):
        if nth(key) > 1:
            return self.reply(b"{}")
        self.reply(b"{", length=100)
        self.close_connection = True

    def do_hang_up(self, key):
        """No reply at all, the first time."""
        if nth(key) > 1:
            return self.reply(b"{}")
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def do_close_after(self):
        """An entire reply, then the end of the connection, unannounced."""
        self.reply(b"{}")
        self.close_connection = True

    def do_all_and_close(self, n):
        self.reply(b"x" * n)
        self.close_connection = True

    def do_slow(self, seconds):
        time.sleep(seconds)
        self.reply(b"{}")

    def do_trickle(self, seconds):
        """A body that begins and does not go on."""
        self.send_response_only(200)
        self.send_header("Content-Length", "10")
        self.end_headers()
        self.wfile.write(b"abc")
        self.wfile.flush()
        time.sleep(seconds)
        self.close_connection = True

    def do_part(self, key, n, seconds):
        """The first time, n bytes of 1,000,000, then nothing for a while, then
        the end of the connection."""
        if nth(key) > 1:
            return self.reply(b"x" * 1000000)
        self.reply(b"x" * n, length=1000000, crc=False)
        self.wfile.flush()
        time.sleep(seconds)
        self.close_connection = True

    def do_fail(self, key, times, status):
        if nth(key) <= times:
            return self.reply(error("InternalServerError", "try again"),
                              status)
        self.reply(b"{}")

    def do_throttle(self, key, times, retry_after=None):
        headers = []
        if retry_after is not None:
            headers = [("x-amz-retry-after", str(retry_after))]
        if nth(key) <= times:
            return self.reply(
                error("ThrottlingException", "slow down",
                      throttlingReasons=[{"reason": "TableRead",
                                          "resource": "arn:t"}]),
                400, headers)
        self.reply(b"{}")

    def do_refuse_once(self, key, code):
        if nth(key) == 1:
            return self.reply(error(code, "not now"), 400)
        self.reply(b"{}")

    def do_refuse(self, code, message):
        self.reply(error(code, message), 400)

    def do_gzip_error(self):
        self.reply(gzip.compress(error("ValidationException", "packed")),
                   400, [("Content-Encoding", "gzip")])

    def do_html(self, status):
        self.reply(b"<html>\r\n<b>no \xff such</b>", status)

    def do_junk(self, key):
        """No HTTP, the first time."""
        if nth(key) > 1:
            return self.reply(b"{}")
        self.wfile.write(b"junk that has no status line\r\n\r\n")
        self.close_connection = True

    def do_late(self, key):
        """A load balancer's timeout of an idle connection, the first time."""
        if nth(key) > 1:
            return self.reply(b"{}")
        self.reply(b"<html>408 Request Time-out</html>", 408, crc=False)
        self.close_connection = True

    def do_redirect(self):
        self.reply(b"", 302, [("Location", "/elsewhere")])

    def do_headers(self, lines, length):
        self.reply(b"{}", headers=[("X-Long-%d" % i, "h" * length)
                                   for i in range(lines)])

    def do_skew(self, seconds, code, message, delay=0):
        """Refuses what is not signed for a clock that is `ahead` seconds fast."""
        time.sleep(delay)
        now = time.time() + seconds
        signed = time.mktime(time.strptime(self.headers["X-Amz-Date"],
                                           "%Y%m%dT%H%M%SZ")) - time.timezone
        if abs(signed - now) > 60:
            return self.reply(error(code, message), 400, date=now)
        self.reply(b"{}", date=now)

    def do_steps(self, *seconds):
        """A clock that has stepped once more whenever someone has signed
        for the step before; after the last one it responds."""
        now = time.time()
        signed = time.mktime(time.strptime(self.headers["X-Amz-Date"],
                                           "%Y%m%dT%H%M%SZ")) - time.timezone
        ahead = [step for step in seconds if abs(signed - now - step) < 60]
        if ahead and ahead[0] == seconds[-1]:
            return self.reply(b"{}", date=now + seconds[-1])
        step = seconds[seconds.index(ahead[0]) + 1 if ahead else 0]
        self.reply(error("InvalidSignatureException", "Signature expired"),
                   400, date=now + step)

    def do_leak(self):
        """Responds like the service does to a wrong signature."""
        self.reply(error("InvalidSignatureException",
                         "The signature does not match. Look here.\n\n" +
                         str(self.headers)), 400)

    def do_leak_page(self):
        self.reply(b"<pre>" + str(self.headers).encode() + b"</pre>", 404)


class Service(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that goes away is what many tests are about."""
        if not isinstance(sys.exc_info()[1],
                          (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def serve(context=None):
    """Starts a service, gives its port."""
    server = Service(("127.0.0.1", 0), Script)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def serve_tls(directory):
    """The same with a certificate for 127.0.0.1 of an unknown authority."""
    files = [os.path.join(directory, n) for n in ("cert.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048",
                    "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1",
                    "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return serve(context), files[0]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        tls = (0, "-")
        if shutil.which("openssl"):
            tls = serve_tls(directory)
        print(serve(), *tls, flush=True)
        sys.stdin.read()
