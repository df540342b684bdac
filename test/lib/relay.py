"""A TCP relay to DynamoDB Local that hands on each response after a while, as a service does that is further away."""
import asyncio
import threading
from urllib.parse import urlsplit


class Relay:
    """A context: while it lasts, `endpoint` is another way to the same service."""

    def __init__(self, endpoint, delay):
        self.target, self.delay = urlsplit(endpoint), delay
        self.loop, self.server = asyncio.new_event_loop(), None
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.server = asyncio.run_coroutine_threadsafe(starting, self.loop).result()
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    @property
    def endpoint(self):
        """Where it listens."""
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    @staticmethod
    async def _end():
        """Connections of the statements' sessions are still open."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        there = await asyncio.open_connection(self.target.hostname, self.target.port)
        await asyncio.gather(self._copy(reader, there[1], 0), self._copy(there[0], writer, self.delay),
                             return_exceptions=True)

    @staticmethod
    async def _copy(reader, writer, delay):
        while data := await reader.read(1 << 16):
            await asyncio.sleep(delay)
            writer.write(data)
            await writer.drain()
        writer.close()
