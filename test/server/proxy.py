#!/usr/bin/python3
"""Stands between dynamo_fdw and DynamoDB Local and records every request with a summary of its response.

Tests import RecordingProxy; it can be scripted like the fake server, what no script responds to is forwarded. As a program:

    proxy.py --upstream http://127.0.0.1:8000 [--port N] [--log FILE]      prints its URL, then one line per request
"""
import argparse
import asyncio
import sys
import time
from urllib.parse import urlsplit

from replies import Reply, not_json
from server import ScriptedServer, parse_headers, parse_json

# What is between two neighbors only, or is recreated.
NOT_FORWARDED = {"", "connection", "content-length", "transfer-encoding", "keep-alive"}


class Upstream:
    """The proxy's connection to the real server, one for each client connection."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def close(self):
        """Hang up."""
        self.writer.close()

    def is_closed(self):
        """Has the server hung up?"""
        return self.reader.at_eof()

    async def exchange(self, request):
        """Send the request, read the response."""
        lines = [request.headers[""]]
        lines += [f"{name}: {value}" for name, value in request.headers.items() if name not in NOT_FORWARDED]
        lines.append(f"Content-Length: {len(request.raw)}")
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + request.raw)
        headers = parse_headers(await self.reader.readuntil(b"\r\n\r\n"))
        body = await self._body(headers)
        kept = {name: None for name in ("Server", "Date", "Content-Type", "x-amzn-RequestId", "x-amz-crc32")}
        kept.update({name: value for name, value in headers.items() if name not in NOT_FORWARDED})
        return Reply(body, int(headers[""].split()[1]), kept, document=parse_json(body))

    async def _body(self, headers):
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(headers.get("content-length", 0)))
        parts = []
        while size := int(await self.reader.readline(), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readline()
        await self.reader.readline()
        return b"".join(parts)


class RecordingProxy(ScriptedServer):
    """Forwards to upstream, a URL, what no script responds to."""

    def __init__(self, upstream, **options):
        super().__init__(**options)
        self.upstream = urlsplit(upstream)

    async def default(self, request, connection):
        """Forward; a connection that the server has closed in the meantime is opened again once.

        A write is sent once, since a server that hangs up may have executed it.
        """
        for attempt in (1, 2):
            try:
                if connection.upstream is None or connection.upstream.is_closed():
                    connection.upstream = Upstream(*await asyncio.open_connection(
                        self.upstream.hostname, self.upstream.port, limit=1 << 20))
                return await connection.upstream.exchange(request)
            except (OSError, asyncio.IncompleteReadError) as failure:
                connection.upstream = None
                if attempt == 2 or request.is_write():
                    return not_json(f"{self.upstream.geturl()}: {failure}")
        return None


def main():
    """Forward until interrupted."""
    parser = argparse.ArgumentParser(description="Records the requests that go to a DynamoDB endpoint.")
    parser.add_argument("--upstream", required=True, help="URL of the endpoint")
    parser.add_argument("--port", type=int, default=0, help="to listen on; default: a free one")
    parser.add_argument("--log", help="file to append one JSON line per request to; default: standard output")
    options = parser.parse_args()
    with RecordingProxy(options.upstream, port=options.port, log=options.log or "/dev/stdout") as proxy:
        print(proxy.endpoint, flush=True)
        try:
            while True:
                time.sleep(60)
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())
