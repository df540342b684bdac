"""Pages: empty ones anywhere, ends at 1 MB, one item each, keys that repeat, what is left of batches, and early stops."""
import re

import fixture
import replies
from dynamo import item
from processes import WITHOUT_SANITIZERS


def items(count, **more):
    """DynamoDB items h, n = 0 ... count - 1."""
    return [item({"h": "p", "n": n, **more}) for n in range(count)]


class ScriptedPages(fixture.TestCase):
    """Tables whose pages the test prepares."""

    def setUp(self):
        self.fake = self.fx.fake(f"fake{id(self)}")
        self.addCleanup(self.fake.stop)

    def table(self, pages=None, **details):
        """The foreign table t (h, n) on a server of its own."""
        self.fake.table("t", ("h", "S"), ("n", "N"), **details)
        if pages is not None:
            self.fake.pages("t", **pages)
        self.fx.foreign_table("t", "h text NOT NULL, n int NOT NULL", server=f"fake{id(self)}", scan_policy="allow")

    def reads(self):
        """How many requests were for items."""
        return sum(operation != "DescribeTable" for operation in self.fake.operations())

    def numbers(self, sql="SELECT n FROM t"):
        """The numbers found, in order."""
        return sorted(n for n, in self.fx.rows(sql))


class EmptyPages(ScriptedPages):
    """A page without items ends nothing."""

    def test_anywhere(self):
        """Empty pages come first, in the middle, last, several in a row, or all pages are empty."""
        one, two = items(2)[:1], items(2)[1:]
        for pages in ([[], one, two], [one, [], two], [one, two, []], [[], [], [], one, [], [], two, [], []], [[], []]):
            for sql in ("SELECT n FROM t", "SELECT n FROM t WHERE h = 'p'"):
                with self.subTest(sql=sql, pages=[len(page) for page in pages]):
                    self.table({"pages": pages})
                    self.fake.reset()
                    self.assertEqual(self.numbers(sql), sorted(range(sum(map(len, pages)))))
                    self.assertEqual(self.reads(), len(pages))

    def test_with_an_order_and_a_limit(self):
        """An empty first page does not end the search for the first row."""
        self.table({"pages": [[], [], items(1), []]})
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE h = 'p' ORDER BY n LIMIT 1"), [(0,)])

    def test_counting(self):
        """Counts of all pages are added up."""
        pages = [{"Count": count, "ScannedCount": 10} for count in (0, 3, 0, 4, 0)]
        self.table({"pages": pages})
        self.assertEqual(self.fx.value("SELECT count(*) FROM t"), 7)

    def test_before_offsets_of_a_query(self):
        """Empty pages come between pages of a Query with real keys."""
        self.table(items=items(20), page_size=5, empty_before=(0, 5, 15))
        self.assertEqual(self.numbers("SELECT n FROM t WHERE h = 'p'"), list(range(20)))

    def test_in_front_of_two_merged_partitions(self):
        """Merging waits for the first item of each partition, however late it comes."""
        both = items(6) + [item({"h": "q", "n": n}) for n in range(10, 16)]
        self.table(items=both, page_size=2, empty_before=(0, 2, 4))
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE h IN ('p', 'q') ORDER BY n"),
                         [(n,) for n in (*range(6), *range(10, 16))])


class RepeatedKeys(ScriptedPages):
    """A service that repeats keys."""

    def test_same_key_again(self):
        """A repeated LastEvaluatedKey ends the scan with an error."""
        self.table({"pages": [[one] for one in items(5)], "repeat_key_at": 2})
        for sql in ("SELECT n FROM t", "SELECT n FROM t WHERE h = 'p'", "SELECT count(*) FROM t"):
            with self.subTest(sql):
                failure = self.fx.error(sql)
                self.assertEqual(failure.sqlstate[:2], "HV", failure)
                self.assertIn("LastEvaluatedKey", f"{failure.message} {failure.detail}")
        self.assertEqual(self.fx.value("SELECT 1"), 1)


class ManyPages(ScriptedPages):
    """Thousands of pages."""

    def memory(self):
        """The backend's peak and present memory in kB."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            status = file.read()
        return [int(re.search(rf"{name}:\s+(\d+) kB", status).group(1)) for name in ("VmHWM", "VmRSS")]

    @WITHOUT_SANITIZERS
    def test_constant_memory(self):
        """3,000 pages of 20 kB take no more than a hundred of them."""
        def page(number):
            twenty = [item({"h": "p", "n": number * 20 + n, "pad": "x" * 1000}) for n in range(20)]
            return replies.reply({"Count": 20, "ScannedCount": 20, "Items": twenty}).document

        self.table({"pages": page, "count": 100})
        self.fx.foreign_table("t", "h text NOT NULL, n int NOT NULL, pad text", server=f"fake{id(self)}",
                              scan_policy="allow")
        sql = "SELECT count(pad), sum(n) FROM t WHERE h = 'p'"
        self.assertEqual(self.fx.rows(sql), [(2000, 2000 * 1999 // 2)])
        before = self.memory()
        self.fake.pages("t", page, 3000)
        self.assertEqual(self.fx.rows(sql), [(60000, 60000 * 59999 // 2)])
        self.assertLess(self.memory()[0] - before[0], 16 * 1024)
        self.assertLess(self.memory()[1] - before[1], 8 * 1024)

    @WITHOUT_SANITIZERS
    def test_thousands_of_empty_pages(self):
        """A filter discards the items of thousands of pages."""
        self.table({"pages": lambda number: items(1) if number == 4000 else [], "count": 4001})
        before = self.memory()
        self.assertEqual(self.numbers("SELECT n FROM t WHERE h = 'p'"), [0])
        self.assertEqual(self.reads(), 4001)
        self.assertLess(self.memory()[0] - before[0], 8 * 1024)

    def test_one_item_each(self):
        """fetch_size 1."""
        self.table(items=items(100))
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD fetch_size '1')")
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE h = 'p' ORDER BY n DESC"), [(n,) for n in range(99, -1, -1)])
        self.assertEqual(self.reads(), 100)
        self.assertEqual({r.body["Limit"] for r in self.fake.requests if r.operation == "Query"}, {1})


class Segments(ScriptedPages):
    """A large Scan runs in segments."""

    def test_segments_cover_all(self):
        """Each segment is read to its end, and together they are the table."""
        self.table(items=items(503), page_size=7, size_bytes=20 << 20)
        self.assertEqual(self.numbers(), list(range(503)))
        scans = [r.body for r in self.fake.requests if r.operation == "Scan"]
        self.assertEqual({body["TotalSegments"] for body in scans}, {5})
        self.assertEqual({body["Segment"] for body in scans}, set(range(5)))

    def test_empty_segments(self):
        """There may be more segments than items."""
        self.table(items=items(3), size_bytes=40 << 20)
        self.assertEqual(self.numbers(), [0, 1, 2])

    def test_no_more_than_max_concurrency(self):
        """A terabyte is read in as many segments as requests may be in flight."""
        self.table(items=items(40), size_bytes=1 << 40)
        self.assertEqual(self.numbers(), list(range(40)))
        self.assertEqual({r.body["TotalSegments"] for r in self.fake.requests if r.operation == "Scan"}, {16})

    def test_counted_in_segments(self):
        """count(*) is the sum."""
        self.table(items=items(503), page_size=7, size_bytes=20 << 20)
        self.assertEqual(self.fx.value("SELECT count(*) FROM t"), 503)

    def test_a_limit_takes_one(self):
        """A Scan for a few rows has one segment."""
        self.table(items=items(503), size_bytes=20 << 20)
        self.assertEqual(len(self.fx.rows("SELECT n FROM t LIMIT 3")), 3)
        [scan] = [r.body for r in self.fake.requests if r.operation == "Scan"]
        self.assertNotIn("TotalSegments", {name for name in scan if scan[name] != 1})
        self.assertEqual(scan["Limit"], 3)


class EarlyStops(ScriptedPages):
    """Who needs few rows pays for few pages."""

    def setUp(self):
        super().setUp()
        self.table(items=items(100))
        self.fx.execute("ALTER FOREIGN TABLE t OPTIONS (ADD fetch_size '10')")
        self.fx.rows("SELECT n FROM t WHERE h = ''")    # describes the table
        self.fake.reset()

    def test_limit(self):
        """12 rows take two pages."""
        self.assertEqual(len(self.fx.rows("SELECT n FROM t WHERE h = 'p' ORDER BY n LIMIT 12")), 12)
        self.assertEqual(self.reads(), 2)

    def test_limit_with_a_condition_checked_here(self):
        """The page that has the last row is the last one that is requested, but for one read ahead."""
        self.assertEqual(self.fx.rows("SELECT n FROM t WHERE h = 'p' AND n % 10 = 5 ORDER BY n LIMIT 1"), [(5,)])
        self.assertLessEqual(self.reads(), 2)

    def test_cursor(self):
        """Ten rows of a cursor are one page; the rest follows when it is needed."""
        self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM t WHERE h = 'p'")
        self.addCleanup(self.fx.execute, "ROLLBACK")
        self.assertEqual(len(self.fx.rows("FETCH 10 FROM c")), 10)
        self.assertEqual(self.reads(), 1)
        self.assertEqual(len(self.fx.rows("FETCH 5 FROM c")), 5)
        self.assertEqual(self.reads(), 2)
        self.assertEqual(len(self.fx.rows("FETCH ALL FROM c")), 85)
        self.assertEqual(self.reads(), 10)

    def test_exists(self):
        """EXISTS stops after the first row."""
        self.assertTrue(self.fx.value("SELECT EXISTS (SELECT FROM t WHERE h = 'p')"))
        self.assertEqual(self.reads(), 1)


class Batches(ScriptedPages):
    """BatchGetItem may leave keys for another time."""

    KEYS = "SELECT n FROM t WHERE h = 'p' AND n = ANY ('{%s}')"

    def setUp(self):
        super().setUp()
        self.table(items=items(200), item_count=5000, size_bytes=3 << 20)    # of one page all would be read

    def leave(self, count, units=None):
        """A script that responds to all but the last `count` keys, and reports these units."""
        def respond(request):
            keys = request.body["RequestItems"]["t"]["Keys"]
            done, left = (keys[:-count], keys[-count:]) if count else (keys, [])
            document = {"Responses": {"t": [{"h": key["h"], "n": key["n"]} for key in done]}, "UnprocessedKeys": {}}
            if units is not None:
                document["ConsumedCapacity"] = [{"TableName": "t", "CapacityUnits": units}]
            if left:
                document["UnprocessedKeys"] = {"t": {**request.body["RequestItems"]["t"], "Keys": left}}
            return replies.reply(document)
        return respond

    def read_keys(self, count):
        """The numbers 0 ... count - 1 by key."""
        return self.numbers(self.KEYS % ",".join(map(str, range(count))))

    def key_counts(self):
        """How many keys each BatchGetItem requested."""
        return [len(r.body["RequestItems"]["t"]["Keys"]) for r in self.fake.requests if r.operation == "BatchGetItem"]

    def test_some(self):
        """Some keys are left unprocessed once."""
        self.fake.on("BatchGetItem", [self.leave(4)])
        self.assertEqual(self.read_keys(10), list(range(10)))
        self.assertEqual(self.key_counts(), [10, 4])

    def test_all(self):
        """All keys are left unprocessed once."""
        self.fake.on("BatchGetItem", [self.leave(10)])
        self.assertEqual(self.read_keys(10), list(range(10)))
        self.assertEqual(self.key_counts(), [10, 10])

    def test_several_times(self):
        """Each response leaves one key less unprocessed."""
        self.fake.on("BatchGetItem", [self.leave(left) for left in (5, 4, 3, 2, 1)])
        self.assertEqual(self.read_keys(6), list(range(6)))
        self.assertEqual(self.key_counts(), [6, 5, 4, 3, 2, 1])

    def test_as_many_as_a_response_may_read(self):
        """The items of one partition are 1 MB, of which the projection leaves little: the rest is requested at once."""
        for units, consistent in ((125, "off"), (250, "on")):
            self.table(items=items(100), item_count=5000, size_bytes=3 << 20, units=100)
            self.fx.execute(f"ALTER FOREIGN TABLE t OPTIONS (ADD consistent_read '{consistent}')")
            self.fake.reset()
            self.fake.on("BatchGetItem", [self.leave(left, units) for left in (75, 50, 25, 0)])
            self.assertEqual(self.read_keys(100), list(range(100)))
            self.assertEqual(self.key_counts(), [100, 75, 50, 25])

    def test_of_two_requests_one(self):
        """150 keys are two requests, of which one has to be repeated in part."""
        self.fake.on("BatchGetItem", [self.leave(3)])
        self.assertEqual(self.read_keys(150), list(range(150)))
        self.assertEqual(sorted(self.key_counts()), [3, 50, 100])

    def test_what_is_left_keeps_its_projection(self):
        """Unprocessed keys are requested again with the same projection and consistency."""
        self.fake.on("BatchGetItem", [self.leave(2)])
        self.read_keys(5)
        first, second = [r.body["RequestItems"]["t"] for r in self.fake.requests if r.operation == "BatchGetItem"]
        self.assertEqual({k: v for k, v in first.items() if k != "Keys"}, {k: v for k, v in second.items() if k != "Keys"})

    def test_nothing_ever(self):
        """A service that never responds to a key ends in an error, not never."""
        self.fx.execute(f"ALTER SERVER fake{id(self)} OPTIONS (ADD throttle_timeout '200ms')")
        self.fake.on("BatchGetItem", lambda request: self.leave(len(request.body["RequestItems"]["t"]["Keys"]))(request))
        failure = self.fx.error(self.KEYS % "1,2")
        self.assertEqual(failure.sqlstate, "53400", failure)
        self.assertLessEqual(len(self.key_counts()), 15)


class Throttled(ScriptedPages):
    """Throttled twice, then a response."""

    def test_each_operation(self):
        """No row is lost or returned twice, and there is no message."""
        self.table(items=items(30), page_size=10)
        for operation, sql, count in (("Query", "SELECT n FROM t WHERE h = 'p'", 30), ("Scan", "SELECT n FROM t", 30),
                                      ("GetItem", "SELECT n FROM t WHERE h = 'p' AND n = 3", 1),
                                      ("BatchGetItem", "SELECT n FROM t WHERE h = 'p' AND n IN (3, 4)", 2)):
            with self.subTest(operation):
                self.fake.reset()
                self.fake.on(operation, [replies.throttle(), replies.throttle()])
                self.assertEqual(self.fx.notices(sql), [])
                self.fake.on(operation, [replies.throttle(), replies.throttle()])
                self.assertEqual(len(self.fx.rows(sql)), count)
                self.assertEqual(sum(r.status == 400 for r in self.fake.requests), 4)

    def test_in_the_middle(self):
        """The request for the third page is throttled."""
        self.table(items=items(30), page_size=10)
        responses = iter([None, None, replies.throttle(), replies.throttle()])
        self.fake.on("Query", lambda request: next(responses, None))
        self.assertEqual(self.numbers("SELECT n FROM t WHERE h = 'p'"), list(range(30)))
        self.assertEqual(self.reads(), 5)


class MegabytePages(fixture.TestCase):
    """DynamoDB Local ends pages at 1 MB."""

    def test_big_items(self):
        """40 items of 100 kB are several pages."""
        self.fx.create_table("big", ("h", "S"), ("n", "N"))
        self.fx.put("big", [{"h": "p", "n": n, "pad": "x" * 100_000} for n in range(40)])
        self.fx.foreign_table("big", "h text NOT NULL, n int NOT NULL, pad text", scan_policy="allow")
        for where in ("", " WHERE h = 'p'"):
            with self.subTest(where):
                sql = f"SELECT count(DISTINCT n), sum(length(pad)) FROM big{where}"
                self.assertEqual(self.fx.rows(sql), [(40, 4_000_000)])
                self.assertGreaterEqual(len(self.fx.requests(sql)), 4)
                self.assertEqual(self.fx.value(f"SELECT count(*) FROM big{where}"), 40)
        self.assertEqual(self.fx.rows("SELECT n FROM big WHERE h = 'p' ORDER BY n DESC"), [(n,) for n in range(39, -1, -1)])
        keys = "SELECT n, length(pad) FROM big WHERE h = 'p' AND n = ANY (%s)"
        self.assertEqual(sorted(self.fx.rows(keys, (list(range(40)),))), [(n, 100_000) for n in range(40)])
