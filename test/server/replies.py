"""What a scripted server sends: good replies, DynamoDB's errors, and every kind of damage.

A Reply knows its status, headers and body, and how it goes over the wire. The functions below make replies; those
that damage something take the reply to be damaged, so they can be combined: delay(0.2, truncate_body(0.5)).
"""
import asyncio
import dataclasses
import email.utils
import gzip
import json
import socket
import struct
import time
import zlib

REASONS = {200: "OK", 301: "Moved Permanently", 307: "Temporary Redirect", 400: "Bad Request", 403: "Forbidden",
           404: "Not Found", 413: "Payload Too Large", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
           503: "Service Unavailable", 504: "Gateway Timeout"}

NAMESPACES = {"ValidationException": "com.amazon.coral.validate", "ThrottlingException": "com.amazon.coral.availability",
              "SerializationException": "com.amazon.coral.service", "InvalidSignatureException": "com.amazon.coral.service",
              "UnrecognizedClientException": "com.amazon.coral.service", "AccessDeniedException": "com.amazon.coral.service",
              "ExpiredTokenException": "com.amazon.coral.service", "UnknownOperationException": "com.amazon.coral.service"}


async def send_all(connection, head, body):
    """The ordinary way: head and body, and the connection stays open."""
    connection.writer.write(head + body)
    await connection.writer.drain()
    return True


@dataclasses.dataclass
class Reply:
    """One response. Headers override the default ones; a header of value None is left out."""
    body: bytes = b"{}"
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)
    document: object = None     # the body as it was before JSON, where it is known
    delay: float = 0.0          # seconds before the first byte
    send: object = send_all   # async (connection, head, body) -> does the connection stay open?

    def head(self, request_id):
        """Status line and headers, with DynamoDB's own ones unless they are overridden."""
        headers = {"Server": "Server", "Date": email.utils.formatdate(usegmt=True),
                   "Content-Type": "application/x-amz-json-1.0", "Content-Length": str(len(self.body)),
                   "x-amzn-RequestId": request_id, "x-amz-crc32": str(zlib.crc32(self.body))}
        headers.update(self.headers)
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def but(self, headers=None, **changes):
        """The same reply with something changed."""
        return dataclasses.replace(self, headers={**self.headers, **(headers or {})}, **changes)


@dataclasses.dataclass
class Executed:
    """Not a response: the server executes the request, and change(its reply) is sent."""
    change: object


def executed(response):
    """The request is executed, but the client gets this response: executed(empty_reply()) loses the server's."""
    return Executed(lambda _reply: response)


def as_reply(response):
    """A Reply of whatever a script may hold: a Reply, bytes, or a JSON document."""
    if isinstance(response, Reply):
        return response
    if isinstance(response, bytes):
        return Reply(response)
    return reply(response)


def reply(document, status=200):
    """A JSON document, with the right checksum."""
    return Reply(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(), status, document=document)


def error(code, message="", status=400, capital_message=False, **members):
    """A DynamoDB error; some carry "Message" instead of "message", and some more members."""
    namespace = NAMESPACES.get(code, "com.amazonaws.dynamodb.v20120810")
    document = {"__type": f"{namespace}#{code}", **members}
    if message:
        document["Message" if capital_message else "message"] = message
    return reply(document, status)


def throttle(reason="TableReadProvisionedThroughputExceeded", resource="arn:aws:dynamodb:us-east-1:0:table/t"):
    """The table's read capacity is used up."""
    return error("ProvisionedThroughputExceededException", "The level of configured provisioned throughput was exceeded",
                 ThrottlingReasons=[{"reason": reason, "resource": resource}])


def internal_error(status=500):
    """The service has failed; only the server knows whether before or after a write: executed(internal_error())."""
    return error("InternalServerError", "Internal server error", status)


def conflict():
    """A transaction that includes the item is in progress; the write was not executed."""
    return error("TransactionConflictException", "Transaction is ongoing for the item")


def canceled(*codes):
    """A canceled transaction, with the reason for each of its writes."""
    return error("TransactionCanceledException", "Transaction cancelled", CancellationReasons=[
        {"Code": code, **({} if code == "None" else {"Message": f"because of\n{code}"})} for code in codes])


def written(table, units=1.0, **members):
    """The good response to a write; with the name of another table, one that must not be accepted."""
    return reply({**members, "ConsumedCapacity": {"TableName": table, "CapacityUnits": units}})


def delay(seconds, response=None):
    """The response, late."""
    response = as_reply({} if response is None else response)
    return response.but(delay=response.delay + seconds)


async def until_client_leaves(connection):
    """Wait for the client to give up; a test that stops the server ends this too."""
    while await connection.reader.read(65536):
        pass
    return False


def hang_before_headers():
    """Takes the request and sends nothing at all."""
    async def send(connection, _head, _body):
        return await until_client_leaves(connection)
    return Reply(send=send)


def hang_in_body(fraction=0.5, response=None):
    """Sends the head and a part of the body, then nothing more, with the connection open."""
    async def send(connection, head, body):
        connection.writer.write(head + body[:int(len(body) * fraction)])
        await connection.writer.drain()
        return await until_client_leaves(connection)
    return as_reply(response or {"Items": [], "Count": 0, "ScannedCount": 0}).but(send=send)


def truncate_body(fraction=0.5, response=None):
    """Announces the entire body, sends a part of it and closes."""
    async def send(connection, head, body):
        connection.writer.write(head + body[:int(len(body) * fraction)])
        await connection.writer.drain()
        return False
    return as_reply(response or {"Items": [], "Count": 0, "ScannedCount": 0}).but(send=send)


def truncate_head(size=30, response=None):
    """Sends the first bytes of the head and closes."""
    async def send(connection, head, _body):
        connection.writer.write(head[:size])
        await connection.writer.drain()
        return False
    return as_reply(response or {"Items": [], "Count": 0, "ScannedCount": 0}).but(send=send)


def drip(response, chunk=16, interval=0.01):
    """Sends the body a few bytes at a time."""
    async def send(connection, head, body):
        connection.writer.write(head)
        for start in range(0, len(body), chunk):
            connection.writer.write(body[start:start + chunk])
            await connection.writer.drain()
            await asyncio.sleep(interval)
        return True
    return as_reply(response).but(send=send)


def chunked(response, size=1000):
    """Sends the body in chunked transfer encoding, as proxies do."""
    async def send(connection, head, body):
        for start in range(0, len(body), size):
            part = body[start:start + size]
            head += b"%x\r\n%s\r\n" % (len(part), part)
        return await send_all(connection, head, b"0\r\n\r\n")
    return as_reply(response).but({"Content-Length": None, "Transfer-Encoding": "chunked"}, send=send)


def close_after(response):
    """Closes the connection after the response without having announced it, as a server does to idle ones."""
    async def send(connection, head, body):
        await send_all(connection, head, body)
        return False
    return as_reply(response).but(send=send)


def respond_twice(response, after):
    """The response, and `after` seconds later the same once more, without another request."""
    async def send(connection, head, body):
        async def again():
            await asyncio.sleep(after)
            connection.writer.write(head + body)
        await send_all(connection, head, body)
        connection.late = asyncio.ensure_future(again())
        return True
    return as_reply(response).but(send=send)


def after_earlier(response, back):
    """Before the response, once more the one that the connection sent `back` responses ago, if there is one."""
    async def send(connection, head, body):
        if len(connection.sent) >= back:
            await send_all(connection, *connection.sent[-back])
        return await send_all(connection, head, body)
    return as_reply(response).but(send=send)


def empty_reply():
    """Closes without a byte."""
    async def send(_connection, _head, _body):
        return False
    return Reply(send=send)


def reset_connection():
    """Resets the connection (RST) instead of responding."""
    async def send(connection, _head, _body):
        sock = connection.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.writer.transport.abort()
        return False
    return Reply(send=send)


def wrong_crc(response=None):
    """A good body under the checksum of another one."""
    response = as_reply({} if response is None else response)
    return response.but({"x-amz-crc32": str(zlib.crc32(response.body) ^ 1)})


def without_crc(response):
    """No checksum, since some proxies remove it."""
    return as_reply(response).but({"x-amz-crc32": None})


def gzip_body(response):
    """The body compressed; the checksum is that of the compressed bytes."""
    response = as_reply(response)
    return response.but({"Content-Encoding": "gzip"}, body=gzip.compress(response.body))


def bad_gzip(response=None):
    """Reports gzip, with a damaged stream under a right checksum."""
    response = gzip_body({"Items": [], "Count": 0, "ScannedCount": 0} if response is None else response)
    middle = len(response.body) // 2
    return response.but(body=response.body[:middle] + bytes([response.body[middle] ^ 0xFF]) + response.body[middle + 1:])


def oversized(size, status=200):
    """A legal document of that many bytes, nearly all of them white space."""
    async def send(connection, head, _body):
        connection.writer.write(head + b"{")
        for start in range(0, size - 2, 1 << 20):
            connection.writer.write(b" " * min(1 << 20, size - 2 - start))
            await connection.writer.drain()
        connection.writer.write(b"}")
        await connection.writer.drain()
        return True
    return Reply(status=status, headers={"Content-Length": str(size), "x-amz-crc32": None}, send=send)


def redirect(url, status=307):
    """Sends the client elsewhere; a client that signs its requests must not follow."""
    return Reply(b"", status, {"Location": url, "Content-Type": "text/html"})


def xml_404():
    """What DynamoDB returns for a wrong method or content type."""
    return Reply(b"<UnknownOperationException/>\n", 404, {"Content-Type": "text/xml"})


def not_json(text="<html><body>502 Bad Gateway</body></html>", status=502):
    """What a gateway in between sends."""
    return Reply(text.encode(), status, {"Content-Type": "text/html", "x-amz-crc32": None, "x-amzn-RequestId": None})


def skewed_date(seconds, response):
    """A response by a clock that is that many seconds ahead of ours."""
    return as_reply(response).but({"Date": email.utils.formatdate(time.time() + seconds, usegmt=True)})
