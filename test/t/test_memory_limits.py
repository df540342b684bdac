"""Responses far longer than expected: they wait at the service until the statement has memory for them, and none is lost."""
import asyncio
import json
import re
import time
import zlib

import fixture
import replies
from dynamo import item
from processes import WITHOUT_SANITIZERS
from replies import Reply, delay, gzip_body
from server import most_in_flight

WIDTH = 64              # requests in flight
PAD = b"x" * (1 << 20)


def long_response(request, megabytes, give_up=None):
    """`megabytes` items of 1 MB of the partition that is requested; after give_up seconds a connection that is not read is closed."""
    values = request.body["ExpressionAttributeValues"]
    head = b'{"Count":%d,"ScannedCount":%d,"Items":[' % (megabytes, megabytes)
    parts = [head] + [b'%s{"h":{"S":"%s"},"n":{"N":"%d"},"pad":{"S":"' % (b"," if n else b"", values[":v0"]["S"].encode(), n)
                      for n in range(megabytes)]
    crc, length = zlib.crc32(head), len(head) + 2
    for part in parts[1:]:
        crc = zlib.crc32(b'"}}', zlib.crc32(PAD, zlib.crc32(part, crc)))
        length += len(part) + len(PAD) + 3

    async def send(connection, head, _body):
        writer = connection.writer
        try:
            writer.write(head + parts[0])
            for part in parts[1:]:
                writer.write(part + PAD + b'"}}')
                await asyncio.wait_for(writer.drain(), give_up)
            writer.write(b"]}")
            await asyncio.wait_for(writer.drain(), give_up)
        except asyncio.TimeoutError:
            writer.transport.abort()
            return False
        return True
    return Reply(headers={"Content-Length": str(length), "x-amz-crc32": str(zlib.crc32(b"]}", crc))}, send=send)


class LongResponses(fixture.TestCase):
    """Sixty-four partitions, each of them one page of many megabytes."""

    MEGABYTES = 8
    OPTIONS = {"max_concurrency": WIDTH}

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        for option, value in self.OPTIONS.items():
            self.fx.execute(f"ALTER SERVER {self.name} OPTIONS (ADD {option} '{value}')")
        self.fake.table("t", ("h", "S"), ("n", "N"), items=[item({"h": "small", "n": 1, "pad": "y"})],
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.fx.foreign_table("t", "h text NOT NULL, n int NOT NULL, pad text", server=self.name)
        self.fx.execute("DROP TABLE IF EXISTS keys; CREATE TABLE keys AS "
                        f"SELECT 'p' || i AS h FROM generate_series(1, {WIDTH}) i; ANALYZE keys")
        self.fx.conn.close()
        self.fx.conn = self.fx.connect()
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off; SET dynamo_fdw.fetch_memory = '24MB'")
        self.fx.rows("SELECT pad FROM t WHERE h = 'small' AND n = 1")
        self.fake.reset()
        self.fake.on("Query", lambda request: long_response(request, self.MEGABYTES))

    def peak(self):
        """The backend's peak memory in MB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024

    def keys(self, first=1, last=WIDTH):
        """A list for IN."""
        return ", ".join(f"'p{n}'" for n in range(first, last + 1))


class Memory(LongResponses):
    """What they take."""

    def assert_peak(self, sql, wanted, most):
        """The rows, within a limit in MB."""
        before = self.peak()
        self.assertEqual(self.fx.rows(sql), wanted)
        self.assertEqual(len(self.fake.requests), WIDTH)
        self.assertLess(self.peak() - before, most)

    @WITHOUT_SANITIZERS
    def test_in_any_order(self):
        self.assert_peak(f"SELECT count(pad), sum(length(pad)) FROM t WHERE h IN ({self.keys()})",
                         [(WIDTH * self.MEGABYTES, WIDTH * self.MEGABYTES << 20)], 75)

    @WITHOUT_SANITIZERS
    def test_of_a_join(self):
        """Expected to be short, so that all are requested together."""
        self.assert_peak("SELECT count(pad), count(DISTINCT h) FROM keys JOIN t USING (h)",
                         [(WIDTH * self.MEGABYTES, WIDTH)], 120)

    @WITHOUT_SANITIZERS
    def test_of_an_append(self):
        """Children that do not wait for each other."""
        half = WIDTH // 2
        self.assert_peak(f"SELECT count(pad) FROM (SELECT * FROM t WHERE h IN ({self.keys(1, half)}) "
                         f"UNION ALL SELECT * FROM t WHERE h IN ({self.keys(half + 1)})) both_halves",
                         [(WIDTH * self.MEGABYTES,)], 80)

    def test_merged(self):
        """All of them must be there at once, but they come one after the other."""
        rows = self.fx.rows(f"SELECT n, count(*) FROM (SELECT n, length(pad) FROM t WHERE h IN ({self.keys(1, 8)}) ORDER BY n) s "
                            "GROUP BY n ORDER BY n")
        self.assertEqual(rows, [(n, 8) for n in range(self.MEGABYTES)])


class Last(LongResponses):
    """A long response is paused, and the last of the others is taken in: the long one has to go on then, as nothing else comes."""

    LATE = 0.3      # seconds, by which the long response is paused
    OPTIONS = {**LongResponses.OPTIONS, "connect_timeout": 60000, "request_timeout": 60000}   # timers that would end a wait

    def setUp(self):
        super().setUp()
        self.fx.execute("SET dynamo_fdw.fetch_memory = '6MB'; SET statement_timeout = '10s'")

    def slow(self, name):
        """A response of one item that takes its time to unpack and to parse, and then much memory."""
        document = json.dumps(self.short(name)).encode()
        return gzip_body(document[:-1] + b', "Other": [' + b"0," * (7 << 20) + b"0]}")

    @staticmethod
    def short(name):
        """A response of one item as well."""
        return {"Items": [item({"h": name, "n": 3, "pad": ""})], "Count": 1, "ScannedCount": 1}

    def test_between_two_looks(self):
        """It comes while the other one is being unpacked, and so is seen at the last look before the wait."""
        responses = {"slow": delay(self.LATE, self.slow("slow"))}
        self.fake.on("Query", lambda request: responses.get(request.body["ExpressionAttributeValues"][":v0"]["S"]) or
                     long_response(request, self.MEGABYTES))
        for milliseconds in (3, 6, 12, 24, 48):
            responses["short"] = delay(self.LATE + milliseconds / 1000, self.short("short"))
            rows = self.fx.rows("SELECT n FROM (SELECT n, length(pad) FROM t WHERE h IN ('early', 'short', 'slow') ORDER BY n) s")
            self.assertEqual(rows, [(n,) for n in sorted([*range(self.MEGABYTES), 3, 3])])


class Merged(fixture.TestCase):
    """The next page of partition b is paused, as memory is short; then the consumer needs the next page of a, which was not requested."""

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        self.fx.execute("CREATE TABLE kept (h text, n int, pad text)")
        self.addCleanup(self.fx.execute, "DROP TABLE kept; RESET ALL")

    def table(self, name, sizes):
        """Pages of one item, of these sizes (kB) in each partition; all sort keys of a partition are below those of the next one."""
        rows = [{"h": h, "n": 100 * ord(h) + n, "pad": "x" * (size << 10)} for h, pages in sizes.items() for n, size in enumerate(pages)]
        self.fake.table(name, ("h", "S"), ("n", "N"), items=[item(row) for row in rows], page_size=1,
                        item_count=10 ** 6, size_bytes=10 ** 9)
        self.fx.foreign_table(name, "h text NOT NULL, n int NOT NULL, pad text", server=self.name)
        for row in rows:
            self.fx.execute("INSERT INTO kept VALUES ('{h}', {n}, '{pad}')".format(**row))

    def assert_rows(self, sql, local):
        """Those of a local table, with one request for each page."""
        self.fx.conn.close()
        self.fx.conn = self.fx.connect()    # without buffers of long responses
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1MB'; SET statement_timeout = '10s'")
        self.fake.reset()
        rows = self.fx.rows(local)
        self.assertEqual(self.fx.rows(sql), rows)
        pages = [json.dumps([request.body["ExpressionAttributeValues"], request.body.get("ExclusiveStartKey")])
                 for request in self.fake.requests if request.operation == "Query"]
        self.assertEqual((len(pages), len(set(pages))), (len(rows), len(rows)))

    def test_next_page_of_another_partition(self):
        for first, second in ([100] * 2, [100, 3000]), ([100] * 5, [100, 1500, 100]), ([200] * 6, [200, 1500]):
            with self.subTest(pages=len(first)):
                self.fx.execute("TRUNCATE kept")
                self.table("t", {"a": first, "b": second})
                self.assert_rows("SELECT n, length(pad) FROM t WHERE h IN ('a', 'b') ORDER BY n", "SELECT n, length(pad) FROM kept ORDER BY n")

    def test_of_an_append(self):
        """Each child has such a response, which does not help the others."""
        one = "(SELECT n, length(pad) FROM {} WHERE h IN ({}) ORDER BY n)"
        self.table("t", {"a": [60] * 2, "b": [60, 3000]})
        self.table("u", {"c": [60] * 2, "d": [60, 3000]})
        sql = f"{one.format('t', '$a$a$a$, $b$b$b$')} UNION ALL {one.format('u', '$c$c$c$, $d$d$d$')}"
        self.assertEqual(self.fx.explain(sql).count("Async Foreign Scan"), 2)
        self.assert_rows(f"SELECT * FROM ({sql}) u ORDER BY 1", "SELECT n, length(pad) FROM kept ORDER BY n")


class Segments(fixture.TestCase):
    """The first segment of a Scan has no items; its response is short, but those of the other segments are not."""

    SEGMENTS = 4

    def setUp(self):
        self.name = f"f{id(self)}"
        self.fake = self.fx.fake(self.name)
        self.addCleanup(self.fake.stop)
        self.fake.table("t", ("h", "S"), item_count=10 ** 6, size_bytes=10 ** 9)
        self.fx.foreign_table("t", f"h text, pad text, seg int OPTIONS (segment '{self.SEGMENTS}')", server=self.name, scan_policy="allow")

    @staticmethod
    def response(segment):
        """Nothing, or an item of 2 MB."""
        items = [item({"h": f"h{segment}", "pad": PAD.decode() * 2})] if segment > 0 else []
        return json.dumps({"Items": items, "Count": len(items), "ScannedCount": len(items)}).encode()

    def test_after_an_empty_segment(self):
        responses = [self.response(segment) for segment in range(self.SEGMENTS)]
        self.fake.on("Scan", lambda request: responses[request.body["Segment"]])
        # other requests, if sent together, arrive within this time
        self.fake.hold(lambda request: request.operation == "Scan" and request.body["Segment"] > 0,
                       lambda requests: sum(request.operation == "Scan" for request in requests) == self.SEGMENTS, bound=0.5)
        self.fx.execute("SET dynamo_fdw.fetch_memory = '2MB'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.fetch_memory")
        self.assertEqual(self.fx.rows("SELECT count(pad), sum(seg) FROM t"), [(self.SEGMENTS - 1, sum(range(self.SEGMENTS)))])
        scans = [request for request in self.fake.requests if request.operation == "Scan"]
        self.assertEqual(len(scans), self.SEGMENTS)
        self.assertLessEqual(most_in_flight(scans), 2)


class Cursors(LongResponses):
    """What is in flight, paused, while no rows are taken."""

    MEGABYTES = 4

    def open_cursor(self):
        """One row of many."""
        self.fx.execute(f"BEGIN; DECLARE c CURSOR FOR SELECT n, length(pad) FROM t WHERE h IN ({self.keys()})")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.assertEqual(len(self.fx.rows("FETCH 1 FROM c")), 1)

    def assert_rest(self):
        """The others."""
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), WIDTH * self.MEGABYTES - 1)

    def test_time_stands_still(self):
        """Longer than a request may take; nothing is requested again."""
        self.fx.execute(f"ALTER SERVER {self.name} OPTIONS (ADD request_timeout '1000', ADD max_attempts '1')")
        self.open_cursor()
        time.sleep(2)
        self.assertEqual(len(self.fx.rows("FETCH 1 FROM c")), 1)
        time.sleep(2)
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), WIDTH * self.MEGABYTES - 2)

    def test_a_service_that_does_not_wait(self):
        """What it has dropped is requested again."""
        self.fx.execute(f"ALTER SERVER {self.name} OPTIONS (ADD max_attempts '1')")
        self.fake.on("Query", lambda request: long_response(request, self.MEGABYTES, give_up=0.5))
        self.open_cursor()
        time.sleep(1.5)
        self.fake.on("Query", lambda request: long_response(request, self.MEGABYTES))
        self.assert_rest()
        self.assertGreater(len(self.fake.requests), WIDTH)

    def test_other_statements(self):
        """They do not wait for it, and it does not wait for them."""
        self.open_cursor()
        for _ in range(3):
            self.assertEqual(self.fx.rows("SELECT pad FROM t WHERE h = 'small' AND n = 1"), [("y",)])
            self.assertEqual(self.fx.rows("SELECT count(pad) FROM t WHERE h IN ('p1', 'p2', 'p3')"), [(3 * self.MEGABYTES,)])
        self.assert_rest()

    def test_statements_that_end(self):
        """Connections with half a response are closed."""
        for how in ("CLOSE c", "ROLLBACK", "SELECT 1 / 0"):
            self.open_cursor()
            if how == "SELECT 1 / 0":
                self.fx.error(how)
            else:
                self.fx.execute(how)
            self.fx.execute("ROLLBACK")
            self.assertEqual(self.fx.rows("SELECT pad FROM t WHERE h = 'small' AND n = 1"), [("y",)])
            self.assertEqual(self.fx.rows("SELECT count(pad) FROM t WHERE h = 'p1'"), [(self.MEGABYTES,)])
            self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
            self.assertEqual(self.fx.value("SELECT open_fds FROM dynamo_fdw_stats()"), 2)


class Requests(fixture.TestCase):
    """Many requests, before the executor gets a row."""

    @WITHOUT_SANITIZERS
    def test_count_of_many_partitions(self):
        """What composes a request is freed when the request is complete."""
        fake = self.fx.fake("many")
        self.addCleanup(self.fx.execute, "DROP SERVER many CASCADE")
        self.addCleanup(fake.stop)
        fake.table("m", ("pk", "S"), ("n", "N"), item_count=10 ** 7, size_bytes=10 ** 10)
        response = replies.reply({"Count": 0, "ScannedCount": 0})
        fake.on("Query", lambda _: response)
        self.fx.foreign_table("m", "pk text NOT NULL, n int NOT NULL", server="many", scan_policy="error")
        sql = "SELECT count(*) FROM m WHERE pk = ANY ((SELECT array_agg('p' || i) FROM generate_series(1, {}) i)::text[])"
        used = []
        for count in (500, 24000):
            self.assertEqual(self.fx.value(sql.format(count)), 0)
            used.append(LongResponses.peak(self))
        self.assertLess(used[1] - used[0], 9)
