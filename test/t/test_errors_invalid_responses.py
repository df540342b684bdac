"""A service whose responses are legal and do not respond what was requested: they are errors, never rows, and never no rows."""

import json
import re
import time

import fixture
import replies
import tables
from dynamo import item
from processes import WITHOUT_SANITIZERS

NO_MATCH = "the response does not match the request"

# Legal JSON with status 200 and a right checksum; none of these responds to any read.
NOT_RESPONSES = {"a notice": {"message": "Endpoint moved"}, "an error document": {"__type": "x#ThrottlingException", "message": "slow down"},
              "another operation's": {"TableNames": ["t"]}}
# These are legal responses to a GetItem that finds nothing, and to nothing else.
EMPTY_RESPONSES = {"nothing": {}, "units": {"ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}}}


def counted(items, **more):
    """A page as DynamoDB would send it."""
    return {"Items": items, "Count": len(items), "ScannedCount": len(items), **more}


class Misbehaving(fixture.TestCase):
    """The tables t (h, n) with ten partitions of five items, and parents, which has a local list of keys next to it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.execute("ALTER SERVER fake OPTIONS (ADD max_attempts '2')")
        cls.items = [item({"h": f"p{h}", "n": n, "v": h * 10 + n}) for h in range(10) for n in range(5)]
        cls.fake.table("t", ("h", "S"), ("n", "N"), items=cls.items, item_count=5000, size_bytes=3 << 20)
        cls.fx.foreign_table("t", "h text NOT NULL, n int NOT NULL, v int", server="fake", scan_policy="allow")
        cls.fx.execute("CREATE TABLE keys AS SELECT 'p' || i AS h, 1 AS n FROM generate_series(0, 9) i; ANALYZE keys")

    def setUp(self):
        self.fake.reset(scripts=True)
        self.fx.rows("SELECT v FROM t WHERE h = 'p0' AND n = 0")     # the description is known
        self.fake.reset()

    def assert_refused(self, operation, response, sql, about="The response"):
        """Not a row, and no doubt about why."""
        self.fake.on(operation, response)
        with self.subTest(sql=sql, response=str(response)[:200]):
            failure = self.fx.error(sql)
            self.assertEqual(failure.sqlstate, "HV00M", failure)
            self.assertTrue(failure.message.startswith(operation) and failure.message.endswith(NO_MATCH), failure.message)
            self.assertRegex(failure.detail, about)
        self.fake.on(operation, None)
        return failure


class NotAResponse(Misbehaving):
    """What would look like no rows."""

    READS = (("Scan", "SELECT v FROM t"), ("Query", "SELECT v FROM t WHERE h = 'p1'"),
             ("Scan", "SELECT count(*) FROM t"), ("Query", "SELECT count(*) FROM t WHERE h = 'p1'"),
             ("BatchGetItem", "SELECT v FROM t WHERE h = 'p1' AND n IN (1, 2)"),
             ("Query", "SELECT k.h FROM keys k WHERE NOT EXISTS (SELECT FROM t WHERE t.h = k.h)"),
             ("Query", "SELECT k.h, t.v FROM keys k LEFT JOIN t ON t.h = k.h"),
             ("BatchGetItem", "SELECT k.h, t.v FROM keys k LEFT JOIN t ON t.h = k.h AND t.n = k.n"))

    def test_by_every_operation(self):
        for operation, sql in self.READS:
            for response in (*NOT_RESPONSES.values(), *EMPTY_RESPONSES.values()):
                self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
                self.assert_refused(operation, response, sql)

    def test_by_key(self):
        """The response to GetItem must have an Item, or nothing but ConsumedCapacity."""
        sql = "SELECT v FROM t WHERE h = 'p1' AND n = 1"
        for response in NOT_RESPONSES.values():
            self.assert_refused("GetItem", response, sql)
        for response in EMPTY_RESPONSES.values():
            self.fake.on("GetItem", response)
            self.assertEqual(self.fx.rows(sql), [])

    def test_members_and_counts(self):
        for response, about in (({"Items": None, "Count": 0, "ScannedCount": 0}, "lacks the member Items"),
                              ({"Count": 50, "ScannedCount": 50}, "lacks the member Items"),
                              ({"Items": self.items[:3], "ScannedCount": 3}, "lacks the member Count"),
                              ({"Items": self.items[:3], "Count": 3}, "lacks the member ScannedCount"),
                              ({"Items": self.items[:3], "Count": 4, "ScannedCount": 4}, "a number of items"),
                              ({"Items": self.items[:3], "Count": 0, "ScannedCount": 4}, "a number of items"),
                              (counted([], LastEvaluatedKey={}), "empty LastEvaluatedKey"),
                              (counted([], LastEvaluatedKey=None), "empty LastEvaluatedKey"),
                              (counted([], Item=self.items[0]), "another operation")):
            self.assert_refused("Scan", response, "SELECT v FROM t", about)
            self.assert_refused("Query", response, "SELECT v FROM t WHERE h = 'p0'", about)
        self.assert_refused("Scan", counted(self.items), "SELECT count(*) FROM t", "another operation")

    def test_in_the_middle(self):
        """A wrong fifth page of ten is an error; the result is not truncated."""
        table = self.fake.tables["t"]
        self.addCleanup(setattr, table, "page_size", None)
        table.page_size = 5
        self.assertEqual(self.fx.value("SELECT count(v) FROM t"), 50)
        for response in (*NOT_RESPONSES.values(), *EMPTY_RESPONSES.values(), {"Items": None}):
            self.assert_refused("Scan", [None] * 4 + [response], "SELECT v FROM t")

    def test_description_of_another_table(self):
        """The description of another table is rejected."""
        self.fake.table("other", ("x", "S"))
        described = {"Table": self.fake.tables["other"].describe()}
        self.fx.foreign_table("fresh", "h text, n int", server="fake", table_name="fresh")
        self.fake.on("DescribeTable", described)
        failure = self.fx.error("SELECT * FROM fresh")
        self.assertEqual((failure.sqlstate, failure.detail), ("HV00M", "The response is the description of another table."))


class NotRequested(Misbehaving):
    """Items of other keys, items twice, keys both returned and unprocessed."""

    KEYS = "SELECT h, n, v FROM t WHERE h = 'p1' AND n IN (1, 2, 3)"

    def batch(self, items, left=(), table="t"):
        """A response to BatchGetItem."""
        keys = [{"h": key["h"], "n": key["n"]} for key in left]
        return {"Responses": {table: list(items)}, "UnprocessedKeys": {"t": {"Keys": keys}} if keys else {}}

    def test_batches(self):
        one, two, three = self.items[6:9]
        for response, about in ((self.batch([one, self.items[0]]), "an item that was not requested"),
                              (self.batch([one, two, one]), "an item twice"),
                              (self.batch([one, {}]), "an item that was not requested"),
                              (self.batch([one], table="u"), "a table that was not requested"),
                              ({"Responses": {}}, "does not name the table"),
                              (self.batch([one], [one]), "as unprocessed, but contains its item"),
                              (self.batch([one], [self.items[0]]), "an unprocessed key that was not requested"),
                              (self.batch([one], [two, two]), "as unprocessed, but contains its item")):
            self.assert_refused("BatchGetItem", response, self.KEYS, about)
        self.fake.on("BatchGetItem", [self.batch([two], [one, three]), self.batch([one, two])])
        self.assertIn("an item twice", self.fx.error(self.KEYS).detail)

    def test_items_with_their_own_unprocessed_keys(self):
        """A key whose item is returned, and which is also unprocessed, is an error."""
        self.fake.on("BatchGetItem", lambda request: self.batch(self.items[6:9], self.items[6:9]))
        self.assertIn("unprocessed", self.fx.error(self.KEYS).detail)
        self.assertEqual(len(self.fake.requests), 1)

    def test_keys_in_other_representations(self):
        """Numbers with extra zeros and escaped letters are equal keys."""
        respelled = [{"h": {"S": "p1"}, "n": {"N": f"{n}.0"}, "v": {"N": "7"}} for n in (3, 1)]
        self.fake.on("BatchGetItem", replies.Reply(replies.reply(self.batch(respelled)).body.replace(b'"p1"', b'"\\u0070\\u0031"')))
        self.assertEqual(sorted(self.fx.rows("SELECT n, v FROM t WHERE h = 'p1' AND n IN (1, 2, 3)")), [(1, 7), (3, 7)])

    def test_one_key(self):
        """The key is compared if the statement fetches it."""
        self.assert_refused("GetItem", {"Item": self.items[0]}, "SELECT * FROM t WHERE h = 'p1' AND n = 1", "not requested")

    def test_one_partition(self):
        self.assert_refused("Query", counted(self.items[3:8]), "SELECT h, v FROM t WHERE h = 'p1'", "not requested")

    def test_several_partitions(self):
        """With several partitions the partition key is always fetched, and compared."""
        other = counted([{"h": i["h"], "v": i["v"]} for i in self.items[:5]])
        self.assert_refused("Query", [None, other], "SELECT v FROM t WHERE h IN ('p1', 'p2', 'p3')", "not requested")
        self.assert_refused("Query", [None, other], "SELECT v FROM t WHERE h IN ('p1', 'p2', 'p3') ORDER BY n", "not requested")
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        self.assert_refused("Query", [None] * 4 + [other], "SELECT k.n, t.v FROM keys k JOIN t ON t.h = k.h WHERE k.h <> 'p0'",
                            "not requested")


class RepeatedKeys(Misbehaving):
    """Keys that repeat, after any number of pages."""

    def repeated_keys(self, length, before=0):
        """A script whose LastEvaluatedKeys repeat after `length` pages."""
        pages = [0]

        def response(_request):
            page, pages[0] = pages[0], pages[0] + 1
            number = page if page < before else before + (page - before) % length
            document = {"Count": 1, "ScannedCount": 1, "LastEvaluatedKey": item({"h": "p0", "n": 1000 + number})}
            return document if "Select" in (_request.body or {}) else {**document, "Items": self.items[:1]}
        return response

    def test_of_any_length(self):
        for length, before in ((1, 0), (2, 0), (2, 3), (3, 1), (7, 5), (16, 0)):
            for operation, sql in (("Query", "SELECT v FROM t WHERE h = 'p0'"), ("Scan", "SELECT v FROM t"),
                                   ("Scan", "SELECT count(*) FROM t")):
                self.fake.reset()
                self.assert_refused(operation, self.repeated_keys(length, before), sql, "repeats the LastEvaluatedKey of an earlier page")
                self.assertLessEqual(len(self.fake.requests), 3 * (length + before) + 3)


class Overlaps(Misbehaving):
    """Pages of a Query that begin before the end of the page before, under keys that do not repeat."""

    ABOUT = "does not begin after the items of the previous page"

    @staticmethod
    def pages(*lists):
        """A number of pages; each but the last has a LastEvaluatedKey of its own."""
        made = [counted(items, LastEvaluatedKey=item({"h": "p1", "n": 1000 + n})) for n, items in enumerate(lists)]
        return made[:-1] + [counted(lists[-1])]

    def test_refused(self):
        """Also before as many rows are there as are needed."""
        up, down = self.items[5:10], self.items[9:4:-1]
        for sql, lists in (("SELECT n FROM t WHERE h = 'p1' ORDER BY n DESC LIMIT 3", (down[:1], down[:1], down[:1])),
                           ("SELECT n FROM t WHERE h = 'p1' ORDER BY n DESC LIMIT 3", (down[:2], [], down[1:])),
                           ("SELECT n FROM t WHERE h = 'p1' ORDER BY n DESC", (down[2:], down[:2])),
                           ("SELECT n FROM t WHERE h = 'p1' ORDER BY n LIMIT 3", (up[:2], up)),
                           ("SELECT n, v FROM t WHERE h = 'p1' LIMIT 3", (up[:1], up[:1], up[:1])),
                           ("SELECT n, v FROM t WHERE h = 'p1' AND n >= 1", (up[3:], up[1:3]))):
            self.assert_refused("Query", self.pages(*lists), sql, self.ABOUT)

    def test_right_ones(self):
        """Pages that follow each other, empty ones, and one item each."""
        up = self.items[5:10]
        for lists in ((up[:2], up[2:]), ([], up[:1], [], up[1:], []), [[one] for one in up]):
            for order, items in (("n", lists), ("n DESC", [part[::-1] for part in lists][::-1])):
                self.fake.on("Query", self.pages(*items))
                self.assertEqual(len(self.fx.rows(f"SELECT n FROM t WHERE h = 'p1' ORDER BY {order}")), 5)
                self.fake.on("Query", None)

    def test_equal_keys_of_an_index(self):
        """Several items of an index have one sort key, on both sides of a page's end."""
        items = [item({"h": f"p{n}", "n": n, "g": "x", "s": s}) for n, s in enumerate((1, 2, 2, 2, 3))]
        self.fake.table("tied", ("h", "S"), ("n", "N"), [tables.index("by_g", ("g", "S"), ("s", "N"))], items,
                        item_count=5000, size_bytes=3 << 20)
        self.fake.tables["tied"].page_size = 1
        self.fx.foreign_table("tied", "h text NOT NULL, n int NOT NULL, g text NOT NULL, s int NOT NULL", server="fake")
        for order, right in (("s", [1, 2, 2, 2, 3]), ("s DESC", [3, 2, 2, 2, 1])):
            self.assertEqual([s for s, in self.fx.rows(f"SELECT s FROM tied WHERE g = 'x' ORDER BY {order}")], right)
        one, two = ({**items[n], "s": {"N": str(n)}} for n in (1, 2))
        last = {name: one[name] for name in ("h", "n", "g", "s")}
        self.assert_refused("Query", [counted([two], LastEvaluatedKey=last), counted([one])],
                            "SELECT s FROM tied WHERE g = 'x' ORDER BY s", self.ABOUT)


class Tables(Misbehaving):
    """dynamo_fdw_tables(), of a service that cannot list."""

    def listing(self, *responses):
        """The error, or the names."""
        self.fake.on("ListTables", list(responses) if len(responses) > 1 else responses[0])
        return self.fx.error("SELECT * FROM dynamo_fdw_tables('fake')")

    def test_repeated_keys(self):
        """A repeated LastEvaluatedTableName ends ListTables with an error."""
        for length in (1, 2, 5):
            pages = [0]

            def response(_request, pages=pages, length=length):
                pages[0] += 1
                return {"TableNames": ["a"], "LastEvaluatedTableName": f"name{pages[0] % length}"}
            failure = self.listing(response)
            self.assertEqual(failure.sqlstate, "HV00M")
            self.assertEqual(failure.detail, "The response repeats the LastEvaluatedTableName of an earlier page.")

    def test_documents_that_are_no_responses(self):
        for response, about in (({"TableNames": ["a"], "LastEvaluatedTableName": 7}, "has a LastEvaluatedTableName that is not a name"),
                              ({"TableNames": ["a"], "LastEvaluatedTableName": ["a"]}, "has a LastEvaluatedTableName that is not a name"),
                              ({"TableNames": None}, "lacks the list TableNames"), ({}, "lacks the list TableNames"),
                              ({"message": "Endpoint moved"}, "lacks the list TableNames"),
                              ({"TableNames": [], "__type": "x#y"}, "is an error document, but has a success status"),
                              (b"<html>", "is not a JSON object"), ([1], "is not a JSON object")):
            with self.subTest(response=response):
                failure = self.listing(replies.as_reply(response))
                self.assertEqual((failure.sqlstate, failure.message, failure.detail),
                                 ("HV00M", 'could not read the list of tables of server "fake"', f"The response {about}."))

    def test_pages(self):
        """ListTables returns the names of all pages."""
        self.fake.on("ListTables", [{"TableNames": ["a", "b"], "LastEvaluatedTableName": "b"}, {"TableNames": ["c"]}])
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_tables('fake')"), [("a",), ("b",), ("c",)])


class Connections(Misbehaving):
    """A connection that has a response too many gives each request the response to the one before."""

    def rows_of(self, h):
        """One partition's rows, in which the partition key does not show."""
        return [v for v, in self.fx.rows(f"SELECT v FROM t WHERE h = 'p{h}' ORDER BY n")]

    def respond_twice(self, after):
        """The next Query gets its response twice."""
        def response(request):
            self.fake.on("Query", None)
            return replies.respond_twice(tables.read_page(self.fake.tables["t"], request.body, True), after)
        self.fake.on("Query", response)

    def test_a_late_second_response(self):
        """At once, before the next request, and between the next request and its response."""
        for after, pause, delay in ((0, 0, 0), (0.05, 0.2, 0), (0.1, 0, 0.3)):
            with self.subTest(after=after, pause=pause, delay=delay):
                self.respond_twice(after)
                self.assertEqual(self.rows_of(0), [0, 1, 2, 3, 4])
                time.sleep(pause)
                self.fake.delay = delay
                self.addCleanup(setattr, self.fake, "delay", 0)
                for h in (1, 2, 3):
                    self.assertEqual(self.rows_of(h), [h * 10 + n for n in range(5)])
                self.fake.delay = 0

    def test_under_a_join(self):
        """Each child is returned with its own parent."""
        sql = "SELECT k.h, t.v FROM keys k JOIN t ON t.h = k.h"
        self.fx.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
        wanted = sorted((i["h"]["S"], int(i["v"]["N"])) for i in self.items)
        for after in (0, 0.01, 0.05):
            self.respond_twice(after)
            self.assertEqual(sorted(self.fx.rows(sql)), wanted)
            self.assertEqual(sorted(self.fx.rows(sql)), wanted)

    def test_an_earlier_response(self):
        """In place of the awaited one, that to any earlier request of the connection."""
        def response(request):
            self.fake.on("Query", None)
            return replies.after_earlier(tables.read_page(self.fake.tables["t"], request.body, True), back)
        for back in (1, 2, 3, 8):
            with self.subTest(back=back):
                for h in range(8):
                    self.rows_of(h % 3)
                self.fake.on("Query", response)
                self.assertEqual(self.rows_of(3), [30, 31, 32, 33, 34])

    def test_a_reply_that_expands_beyond_all_bounds(self):
        """The connection of one that is refused may be in use again: what is read there is not truncated at its beginning."""
        bomb = replies.gzip_body(replies.Reply(b'{"Responses": {"t": [' + b" " * (300 << 20) + b"]}}"))
        self.assertGreater(len(bomb.body), 256 * 1024)
        self.fake.on("BatchGetItem", bomb)
        keys = ", ".join(f"('p{n}', {n})" for n in range(150))
        for _ in range(3):
            failure = self.fx.error(f"SELECT sum(v) FROM t WHERE (h, n) IN ({keys})")
            self.assertEqual(failure.sqlstate, "HV00M")
            self.assertIn("response too large", failure.message)

    def test_a_constant_request_id(self):
        """It is not evidence: responses are distinguished by what is in them, and equal ones cost one attempt more in a session."""
        for headers in ({"x-amzn-RequestId": "SAME"}, {"x-amzn-RequestId": "OTHER", "x-amz-crc32": None}):
            with self.subTest(headers):
                def response(request, headers=headers):
                    return replies.reply(tables.read_page(self.fake.tables["t"], request.body, True)).but(headers)
                self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
                self.fake.on("Query", response)
                self.fake.reset()
                for h in (1, 2, 3):
                    self.assertEqual(self.rows_of(h), [h * 10 + n for n in range(5)])
                self.assertEqual(self.fake.operations().count("Query"), 3)
                for _ in range(5):
                    self.assertEqual(self.rows_of(1), [10, 11, 12, 13, 14])
                    self.assertEqual(self.fx.rows("SELECT v FROM t WHERE h = 'none'"), [])
                self.assertEqual(self.fake.operations().count("Query"), 3 + 10 + 1)
                self.fake.on("Query", None)

    def test_a_refused_response_ends_its_connection(self):
        """After a rejected response the next request uses another connection."""
        self.rows_of(1)
        for response in ({}, b"<html>", replies.wrong_crc(counted([])), counted(self.items[:3], Count=4)):
            before = self.fake.connections
            self.rows_of(1)
            self.assertEqual(self.fake.connections, before)
            self.fake.on("Query", [response, response])
            self.assertEqual(self.fx.error("SELECT v FROM t WHERE h = 'p1'").sqlstate, "HV00M")
            self.fake.on("Query", None)
            self.rows_of(1)
            self.assertGreater(self.fake.connections, before)


class Secrets(Misbehaving):
    """A response may hold the request's session token anywhere; no user sees it."""

    TOKEN = "FwoGZXIvYXdzEXAMPLETOKEN0123456789abcdefghijklmnopqrstuvwxyz=="

    def test_an_echoed_token(self):
        self.fx.execute(f"ALTER USER MAPPING FOR PUBLIC SERVER fake OPTIONS (ADD session_token '{self.TOKEN}')")
        self.addCleanup(self.fx.execute, "ALTER USER MAPPING FOR PUBLIC SERVER fake OPTIONS (DROP session_token)")
        self.fx.execute("ALTER SERVER fake OPTIONS (ADD throttle_timeout '300')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP throttle_timeout)")
        echoed = {"x-amzn-RequestId": self.TOKEN}
        for response in (replies.error(self.TOKEN, "no"), replies.error("ValidationException", self.TOKEN),
                       replies.error("ThrottlingException", "slow", ThrottlingReasons=[{"reason": self.TOKEN, "resource": self.TOKEN}]),
                       replies.error("AccessDeniedException", "no").but(echoed), replies.reply({}).but(echoed),
                       replies.Reply(b"no json", headers=echoed), replies.not_json(f"<html>{self.TOKEN}</html>", 404).but(echoed)):
            for operation, sql in (("Query", "SELECT v FROM t WHERE h = 'p1'"), ("DescribeTable", "SELECT * FROM other"),
                                   ("ListTables", "SELECT * FROM dynamo_fdw_tables('fake')")):
                with self.subTest(operation=operation, response=response):
                    self.fx.foreign_table("other", "h text", server="fake", table_name="t" if operation == "Query" else "other")
                    self.fake.on(operation, response)
                    failure = self.fx.error(sql)
                    self.assertNotIn(self.TOKEN[:16], str(failure))
                    self.fake.on(operation, None)


class Sizes(Misbehaving):
    """Responds to larger than expected: what they may take, and what is requested by halves."""

    def peak(self):
        """The backend's peak memory in MB, from now on."""
        with open(f"/proc/{self.fx.conn.info.backend_pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024

    def setUp(self):
        super().setUp()
        self.fx.conn = self.fx.connect()
        self.fx.foreign_table("fat", "h text NOT NULL, n int NOT NULL, pad text", server="fake", table_name="t", scan_policy="allow")

    def fat_pages(self, megabytes):
        """A response to a Query that packs well."""
        items = [item({"h": "p0", "n": n, "pad": "x" * (1 << 20)}) for n in range(megabytes)]
        return lambda request: replies.gzip_body(counted([{**i, "h": request.body["ExpressionAttributeValues"][":v0"]} for i in items]))

    @WITHOUT_SANITIZERS
    def test_compressed_responses_that_came_together(self):
        """Sixteen in flight are a few kB each, and are not unpacked together."""
        self.fx.execute("SET dynamo_fdw.fetch_memory = 24576")
        sql = "SELECT count(pad) FROM fat WHERE h IN (%s)" % ", ".join(f"'p{n}'" for n in range(16))
        self.fx.rows("SELECT count(pad) FROM fat WHERE h = 'p0'")
        before = self.peak()
        self.fake.on("Query", self.fat_pages(12))
        self.assertEqual(self.fx.value(sql), 16 * 12)
        self.assertLess(self.peak() - before, 90)

    def test_too_large(self):
        """32 MB are the most that any response may have, packed or not."""
        for response in (replies.oversized(33 << 20), replies.gzip_body(replies.Reply(b'{"Items":[' + b" " * (33 << 20) + b"]}"))):
            for operation, sql in (("Query", "SELECT n FROM t WHERE h = 'p1'"), ("GetItem", "SELECT v FROM t WHERE h = 'p1' AND n = 1"),
                                   ("Scan", "SELECT v FROM t")):
                self.fake.on(operation, response)
                failure = self.fx.error(sql)
                self.assertEqual((failure.sqlstate, failure.message.partition(": ")[2]), ("HV00M", "response too large"))
                self.fake.on(operation, None)

    @WITHOUT_SANITIZERS
    def test_largest_item(self):
        """DynamoDB counts three bytes for 1e125 in a list, and sends all of its digits."""
        self.fx.foreign_table("numbers", "h text NOT NULL, n int NOT NULL, v numeric[]", server="fake", table_name="t")
        self.fake.on("GetItem", {"Item": {"h": {"S": "p1"}, "n": {"N": "1"}, "v": {"L": [{"N": "1" + 125 * "0"}] * 133_000}}})
        self.assertEqual(self.fx.rows("SELECT cardinality(v), v[133000] FROM numbers WHERE h = 'p1' AND n = 1"), [(133_000, 10 ** 125)])

    def keys_of(self, request):
        """The keys that a BatchGetItem requests."""
        return request.body["RequestItems"]["t"]["Keys"]

    def test_batches_by_halves(self):
        """A hundred items of 65 kB are lawful, and more than 32 MB of JSON."""
        def response(request):
            items = [{**key, "pad": {"S": "\u0001" * 65000}} for key in self.keys_of(request)]
            return replies.Reply(json.dumps({"Responses": {"t": items}, "UnprocessedKeys": {}}).encode())
        self.fake.on("BatchGetItem", response)
        self.assertEqual(self.fx.rows("SELECT count(pad), sum(length(pad)) FROM fat WHERE h = 'p0' AND n = ANY ('{%s}')"
                                      % ",".join(map(str, range(100)))), [(100, 100 * 65000)])
        counts = [len(self.keys_of(request)) for request in self.fake.requests if request.operation == "BatchGetItem"]
        self.assertEqual(counts, [100, 50, 50])
        self.fake.on("BatchGetItem", replies.oversized(33 << 20))
        failure = self.fx.error("SELECT count(pad) FROM fat WHERE h = 'p0' AND n IN (1, 2, 3)")
        self.assertEqual((failure.sqlstate, failure.message), ("HV00M", 'BatchGetItem of DynamoDB table "t" failed: response too large'))

    def test_batches_by_the_size_of_items(self):
        """A BatchGetItem requests as many keys as are expected to take 4 MB."""
        table = self.fake.table("big", ("h", "S"), ("n", "N"), items=[item({"h": "p", "n": n}) for n in range(60)],
                                item_count=1000, size_bytes=300_000_000)
        self.fx.foreign_table("big", "h text NOT NULL, n int NOT NULL, pad text", server="fake")
        sql = "SELECT n FROM big WHERE h = 'p' AND n = ANY ('{%s}')" % ",".join(map(str, range(40)))
        self.assertEqual(sorted(self.fx.rows(sql)), [(n,) for n in range(40)])
        counts = [len(request.body["RequestItems"]["big"]["Keys"]) for request in self.fake.requests if request.operation == "BatchGetItem"]
        self.assertEqual(counts, [13, 13, 13, 1])
        table.items = []
        self.assertEqual(self.fx.rows(sql), [])

    def test_who_may_raise_the_bound(self):
        """Any user may raise fetch_memory to four times the default, a superuser further."""
        self.fx.execute("SET dynamo_fdw.fetch_memory = '1GB'; RESET dynamo_fdw.fetch_memory")
        self.fx.execute("DROP ROLE IF EXISTS fdw_small; CREATE ROLE fdw_small; SET ROLE fdw_small")
        self.addCleanup(self.fx.execute, "RESET ROLE; DROP ROLE fdw_small")
        self.fx.execute("SET dynamo_fdw.fetch_memory = '96MB'")
        self.assertEqual(self.fx.error("SET dynamo_fdw.fetch_memory = '97MB'").sqlstate, "42501")
