"""What users see when DynamoDB refuses, when something else responds, and when responses are damaged."""
import contextlib
import socket
import threading
import zlib

import fixture
import replies
import tables

CHECK_TABLE = ("Check the table option \"table_name\" and the server options \"table_prefix\", \"region\" and \"endpoint_url\". dynamo_fdw_tables() "
               "lists the existing tables.")
CHECK_KEYS = "Check access_key_id, secret_access_key and session_token of the user mapping."
NOT_DYNAMODB = "Check the server options \"endpoint_url\" and \"region\", because the service at the endpoint is not DynamoDB."
UNREADABLE = "Check the server option endpoint_url, and whether a proxy changes the responses."
UNAVAILABLE = "Retry the statement later. If this happens for every request, check the server options \"endpoint_url\" and \"region\"."
STALE = "Retry the statement; the table or index might have changed since it was planned."
CHECK_ENDPOINT = "Check the server option endpoint_url, and whether a proxy changes the responses."
CHANGED = "Check whether a proxy between the database server and DynamoDB changes the responses."

NO_INDEX_TEXT = "The table does not have the specified index: by_v"
NO_INDEX = replies.error("ValidationException", NO_INDEX_TEXT)


class Errors(fixture.TestCase):
    """A scripted server whose requests are tried twice."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = fixture.FakeDynamo().start()
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.server("fake", cls.fake.endpoint, max_attempts=2, connect_timeout=1000, request_timeout=2000,
                      throttle_timeout=300)
        cls.fake.table("t", items=[{"pk": {"S": "a"}, "v": {"N": "1"}}])
        cls.fx.foreign_table("t", "pk text, v integer", server="fake", scan_policy="allow")

    def setUp(self):
        self.fake.reset(scripts=True)
        self.fx.rows("SELECT * FROM t WHERE pk = 'a'")      # the description is known
        self.fake.reset()

    def failing(self, response, sql="SELECT * FROM t"):
        """The error when every reading request gets that respond."""
        for operation in ("GetItem", "Query", "Scan"):
            self.fake.on(operation, response)
        return self.fx.error(sql)

    def recovering(self, *responses):
        """The rows when the first requests get those responses and the next ones good ones."""
        self.fake.on("Scan", list(responses))
        return self.fx.rows("SELECT * FROM t")


class Refusals(Errors):
    """Error documents."""

    def assert_refused(self, code, sqlstate, hint, status=400, text="The service's own words", **members):
        """The entire report."""
        failure = self.failing(replies.error(code, text, status, **members))
        self.assertEqual(failure.sqlstate, sqlstate)
        self.assertEqual(failure.message, 'Scan of DynamoDB table "t" failed')
        self.assertRegex(failure.detail, f"^{code}: {text}.* Request id: FAKE[0-9]+\\.")
        self.assertEqual(failure.hint, hint)
        return failure

    def test_access_denied(self):
        self.assert_refused("AccessDeniedException", "42501", "The IAM policy of the credentials must allow dynamodb:Scan on the table and its indexes.")

    def test_conflicts(self):
        """Writes get these; the table of errors does not know what the operation was."""
        for code in ("ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException",
                     "ReplicatedWriteConflictException"):
            self.assert_refused(code, "40001",
                                "Retry the statement, because others have written the same items at the same time.")

    def test_item_collection_too_large(self):
        self.assert_refused("ItemCollectionSizeLimitExceededException", "54000", "The items with one partition key, and their "
                            "entries in local secondary indexes, cannot exceed 10 GB.")

    def test_unknown_key(self):
        self.assert_refused("UnrecognizedClientException", "28000", CHECK_KEYS)

    def test_expired_token(self):
        self.assert_refused("ExpiredTokenException", "28000", "Update the user mapping with new temporary credentials.")

    def test_missing_token(self):
        self.assert_refused("MissingAuthenticationTokenException", "28000", CHECK_KEYS)

    def test_wrong_signature(self):
        """The service responds with what it computed: canonical request, session token and all. No user sees that."""
        text = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key. Consult the "
                "service documentation for details.\n\nThe Canonical String for this request should have been\n'POST\n/\n\nhost:x\n"
                "x-amz-security-token:TOKEN-TOKEN-TOKEN\n\nhost\n0123'\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256\n...'")
        failure = self.failing(replies.error("InvalidSignatureException", text))
        self.assertEqual((failure.sqlstate, failure.hint), ("28000", CHECK_KEYS))
        self.assertIn("The request signature we calculated does not match", failure.detail)
        for secret in ("Canonical", "TOKEN-TOKEN", "AWS4-HMAC", "String-to-Sign"):
            self.assertNotIn(secret, str(failure))

    def test_validation(self):
        self.assert_refused("ValidationException", "HV000", STALE)

    def test_unknown_operation(self):
        self.assert_refused("UnknownOperationException", "HV000",
                            "Check the server option endpoint_url, because the service does not support this operation.")

    def test_unknown_code(self):
        self.assert_refused("BrandNewException", "HV000", None)

    def test_server_error_after_retries(self):
        failure = self.assert_refused("InternalServerError", "HV000", "Retry the statement later.", status=500)
        self.assertIn("Attempts: 2.", failure.detail)
        self.assertEqual(self.fake.operations(), ["Scan", "Scan"])

    def test_throttled_to_the_end(self):
        failure = self.failing(replies.throttle("TableReadKeyRangeThroughputExceeded"))
        self.assertEqual(failure.sqlstate, "53400")
        self.assertRegex(failure.message, r'^DynamoDB throttled reads of DynamoDB table "t" for \d\.\d s without returning data$')
        self.assertIn("ProvisionedThroughputExceededException: ", failure.detail)
        self.assertIn("TableReadKeyRangeThroughputExceeded", failure.detail)
        self.assertRegex(failure.detail, r"Request id: \S+ The statement has used 0 read units\. The capacity is \d+ read units per second\.$")
        self.assertIn("the limit of one partition is reached", failure.hint)
        failure = self.failing(replies.throttle("TableReadProvisionedThroughputExceeded"))
        self.assertIn("increase throttle_timeout", failure.hint)

    def test_a_refusal_without_text(self):
        failure = self.failing(replies.error("SerializationException"))
        self.assertEqual(failure.sqlstate, "HV000")
        self.assertIn("SerializationException: (no text)", failure.detail)

    def test_capital_message(self):
        failure = self.failing(replies.error("AccessDeniedException", "not you", capital_message=True))
        self.assertIn("Not you.", failure.detail)

    def test_controls_in_the_text(self):
        """No foreign text can forge lines of the server's log or color a terminal."""
        failure = self.failing(replies.error("ValidationException", "a\x1b[31mb\nERROR: c\x00d\u202e"))
        for control in "\x1b\n\x00\u202e":
            self.assertNotIn(control, failure.detail)

    def test_a_long_text_is_truncated(self):
        failure = self.failing(replies.error("ValidationException", "x" * 100000))
        self.assertLess(len(failure.detail), 2000)

    def test_no_retry_of_a_refusal(self):
        self.failing(replies.error("AccessDeniedException", "no"))
        self.assertEqual(self.fake.operations(), ["Scan"])


class Planned(Errors):
    """Tables and indexes that are not, or are no longer, what was planned."""

    def test_no_such_table(self):
        self.fx.foreign_table("missing", "pk text", server="fake", table_name="no-such")
        failure = self.fx.error("SELECT * FROM missing")
        self.assertEqual(failure.sqlstate, "HV00R")
        self.assertEqual(failure.message, 'DescribeTable of DynamoDB table "no-such" failed')
        self.assertIn("ResourceNotFoundException: Requested resource not found", failure.detail)
        self.assertEqual(failure.hint, CHECK_TABLE)

    def test_impossible_name(self):
        """The hint names the options that make up the table's name."""
        self.fx.foreign_table("impossible", "pk text", server="fake", table_name="no name")
        self.fake.on("DescribeTable", replies.error("ValidationException", "TableName must be at least 3 characters long"))
        failure = self.fx.error("SELECT * FROM impossible")
        self.assertEqual((failure.sqlstate, failure.message), ("HV000", 'DescribeTable of DynamoDB table "no name" failed'))
        self.assertEqual(failure.hint, "Check the table option table_name and the server option table_prefix. A name has 3 to 255 letters, "
                                       "digits, underscores, hyphens and dots.")
        self.fake.reset(scripts=True)

    def test_table_dropped_after_planning(self):
        self.fake.table("gone", items=[{"pk": {"S": "a"}}])
        self.fx.foreign_table("gone", "pk text", server="fake", scan_policy="allow")
        self.fx.execute("PREPARE gone AS SELECT * FROM gone")
        self.assertEqual(self.fx.rows("EXECUTE gone"), [("a",)])
        del self.fake.tables["gone"]
        failure = self.fx.error("EXECUTE gone")
        self.assertEqual((failure.sqlstate, failure.hint), ("HV00R", CHECK_TABLE))
        self.fx.execute("DEALLOCATE gone")

    def index_table(self, name, **index):
        """A table with the index by_v, read once by a prepared statement."""
        items = [{"pk": {"S": "a"}, "v": {"N": "1"}}]
        self.fake.table(name, items=items, indexes=[tables.index("by_v", ("v", "N"), **index)])
        self.fx.foreign_table(name, "pk text, v integer", server="fake", scan_policy="allow")
        self.fx.execute(f"PREPARE {name} AS SELECT pk FROM {name} WHERE v = 1")
        self.assertEqual(self.fx.rows(f"EXECUTE {name}"), [("a",)])
        self.assertEqual(self.fake.requests[-1].body["IndexName"], "by_v")

    def test_index_that_vanished(self):
        """The plan needs the index: an error that suggests to repeat it, and the repeated statement is planned without it."""
        self.index_table("vanished")
        self.fake.tables["vanished"].indexes = []
        self.fake.on("Query", NO_INDEX)
        failure = self.fx.error("EXECUTE vanished")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV000", 'Query of index "by_v" of DynamoDB table "vanished" failed', STALE))
        self.assertIn(f"ValidationException: {NO_INDEX_TEXT}. Request id: FAKE", failure.detail)
        self.assertEqual(self.fx.rows("EXECUTE vanished"), [("a",)])
        self.assertEqual(self.fake.operations()[-1], "Scan")

    def test_index_that_vanished_in_the_middle(self):
        self.index_table("middle")
        self.fake.tables["middle"].page_size = 1
        self.fake.tables["middle"].items = [{"pk": {"S": name}, "v": {"N": "1"}} for name in "abcdef"]
        self.fake.on("Query", [None] + [NO_INDEX] * 9)
        failure = self.fx.error("EXECUTE middle")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV000", 'Query of index "by_v" of DynamoDB table "middle" failed', STALE))
        self.assertIn(NO_INDEX_TEXT, failure.detail)

    def test_index_being_built(self):
        """An index that is still being filled is not used, but one whose capacity is being changed is used."""
        self.fx.foreign_table("building", "pk text, v integer", server="fake", scan_policy="allow")
        for status, operation in (("CREATING", "Scan"), ("UPDATING", "Query"), ("DELETING", "Scan")):
            self.fake.table("building", items=[{"pk": {"S": "a"}, "v": {"N": "1"}}], indexes=[tables.index("by_v", ("v", "N"), status=status)])
            self.fx.rows("SELECT dynamo_fdw_disconnect_all()")
            self.fake.reset()
            self.fx.rows("SELECT * FROM building WHERE v = 1")
            self.assertEqual(self.fake.operations(), ["DescribeTable", operation])

    def test_key_of_another_type(self):
        """A column whose type cannot be the key's is no key column; a number key is never bound by a text."""
        self.fake.table("typed", ("pk", "N"), items=[{"pk": {"N": "1"}}])
        self.fx.foreign_table("typed", "pk text", server="fake", scan_policy="allow")
        failure = self.fx.error("SELECT * FROM typed WHERE pk = '1'")
        self.assertEqual((failure.sqlstate, failure.message), ("HV004", 'column "pk" of foreign table "typed" has type text, but key attribute "pk" has DynamoDB type N'))
        self.assertNotIn("Scan", self.fake.operations())
        self.fx.foreign_table("typed", "pk text", server="fake", scan_policy="allow", on_mismatch="null")
        self.assertEqual(self.fx.rows("SELECT * FROM typed WHERE pk = '1'"), [])
        self.assertEqual(self.fake.operations()[-1], "Scan")

    def test_items_without_their_keys(self):
        """What a Scan returns are items only if they have their keys, whatever is needed of them."""
        self.fake.table("pair", ("pk", "S"), ("sk", "N"))
        self.fx.foreign_table("pair", "pk text, sk integer, v integer, item jsonb OPTIONS (document 'item')", server="fake")
        for item in ({}, {"v": {"N": "1"}}, {"pk": {"S": "a"}}, {"sk": {"N": "1"}, "v": {"N": "1"}},
                     {"pk": {"S": "a"}, "sk": {"S": "1"}}, {"pk": {"NULL": True}, "sk": {"N": "1"}}):
            good = {"pk": {"S": "a"}, "sk": {"N": "1"}, "v": {"N": "1"}}
            for items in ([item], [good, item], [item] * 1000):
                for wanted in ("max(v)", "count(v)", "1", "pk", "item", "v, sk"):
                    with self.subTest(items=str(items)[:100], wanted=wanted):
                        self.fake.on("Scan", replies.reply({"Count": len(items), "ScannedCount": len(items), "Items": items}))
                        failure = self.fx.error(f"SELECT {wanted} FROM pair")
                        self.assertEqual(failure.sqlstate, "HV00M")
                        self.assertIn("The response contains an item without its key.", failure.detail)

    def mismatch(self, *responses, item=None):
        """The error about a value whose key is requested after it, with these responses to that."""
        self.fake.table("pair", ("pk", "S"), ("sk", "N"), items=[{"pk": {"S": "a"}, "sk": {"N": "1"}, "v": {"S": "x"}}])
        self.fx.foreign_table("pair", "pk text, sk integer, v integer NOT NULL", server="fake")
        self.fake.on("Query", [replies.reply({"Count": 1, "ScannedCount": 1, "Items": [{"v": {"S": "x"}} if item is None else item]}),
                               *responses])
        return self.fx.error("SELECT v FROM pair WHERE pk = 'a'")

    def test_the_key_of_a_mismatch_cannot_be_fetched(self):
        """The error is that of the value all the same; it reports why it names no key."""
        denied, nothing = replies.error("AccessDeniedException", "No"), replies.reply({"Count": 0, "ScannedCount": 0, "Items": []})
        for responses, why in (([denied], "AccessDeniedException"), ([replies.not_json()] * 2, "unexpected HTTP response"),
                             ([replies.reset_connection()] * 6, "connection lost"), ([nothing], "the response does not have it"),
                             ([replies.reply([1])], "the response does not have it")):
            with self.subTest(why=why):
                failure = self.mismatch(*responses)
                self.assertEqual((failure.sqlstate, failure.message), (
                    "HV004", 'cannot convert value in column "v" of foreign table "pair": it has DynamoDB type S, which type integer does not accept'))
                self.assertEqual(failure.detail, f'DynamoDB table "pair", item (key unknown), value x. The item\'s key could not be fetched: {why}.')
        self.assertEqual(self.mismatch().detail, 'DynamoDB table "pair", item pk = "a", sk = 1, value x.')

    def test_the_key_of_a_missing_value_cannot_be_fetched(self):
        failure = self.mismatch(replies.error("AccessDeniedException", "No"), item={})
        self.assertEqual((failure.sqlstate, failure.detail), (
            "23502", 'DynamoDB table "pair", item (key unknown). The item\'s key could not be fetched: AccessDeniedException.'))

    def test_a_cancel_while_the_key_is_fetched(self):
        self.fx.execute("SET statement_timeout = '300ms'")
        self.addCleanup(self.fx.execute, f"SET statement_timeout = '{fixture.STATEMENT_TIMEOUT}'")
        self.assertEqual(self.mismatch(replies.hang_before_headers()).sqlstate, "57014")

    def test_a_key_attribute_without_its_value(self):
        """An item that cannot be put in order: the error names the attribute."""
        self.fake.table("sorted", ("pk", "S"), ("sk", "N"))
        self.fx.foreign_table("sorted", "pk text, sk integer, v integer", server="fake")
        for value, detail in (({}, "An item in the response lacks the attribute."),
                              ({"sk": {"BOOL": True}}, "An item in the response has a value of type BOOL."),
                              ({"sk": {"N": "1E999"}}, "An item in the response has a value of type N.")):
            with self.subTest(value=value):
                self.fake.on("Query", lambda request: replies.reply(
                    {"Count": 1, "ScannedCount": 1, "Items": [{"pk": request.body["ExpressionAttributeValues"][":v0"], "v": {"N": "1"}, **value}]}))
                failure = self.fx.error("SELECT v FROM sorted WHERE pk IN ('a', 'b') ORDER BY sk")
                self.assertEqual(failure[:4], ("HV004", 'invalid value in key attribute "sk" of DynamoDB table "sorted"', detail, CHECK_ENDPOINT))

    def test_descriptions_that_are_none(self):
        for response in ({}, {"Table": {}}, {"Table": {"TableName": "odd", "KeySchema": []}}, {"Table": 5}, [1], b"no json", b""):
            with self.subTest(response=str(response)):
                self.fx.foreign_table("odd", "pk text", server="fake")
                self.fake.on("DescribeTable", replies.as_reply(response) if isinstance(response, bytes) else replies.reply(response))
                failure = self.fx.error("SELECT * FROM odd")
                self.assertEqual((failure.sqlstate, failure.message),
                                 ("HV00M", 'could not read the description of DynamoDB table "odd"'))
                self.assertEqual(failure.hint, "Check the server option endpoint_url.")


class Damaged(Errors):
    """Responds to that cannot be trusted are never rows."""

    GOOD = {"Count": 1, "ScannedCount": 1, "Items": [{"pk": {"S": "z"}, "v": {"N": "1"}}]}

    def assert_unreadable(self, body, reason, at=None):
        """A legal transfer with an illegal document."""
        failure = self.failing(replies.Reply(body.encode()))
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00M", 'Scan of DynamoDB table "t" failed: could not parse the response', UNREADABLE))
        self.assertRegex(failure.detail, f"^At byte {at if at is not None else '[0-9]+'}: {reason}")
        self.assertIn("Request id: FAKE", failure.detail)
        self.assertEqual(self.fake.operations(), ["Scan"])
        self.fake.reset()

    def items(self, text):
        """A page whose items are represented in that JSON."""
        return '{"Count":1,"ScannedCount":1,"Items":[' + text + "]}"

    def test_not_json(self):
        self.assert_unreadable("<html>hello</html>", "an object was expected", 0)

    def test_empty(self):
        self.assert_unreadable("", "", 0)

    def test_truncated_json(self):
        self.assert_unreadable('{"Count":1,"Items":[{"pk":{"S":"a', "unterminated string|unexpected end")

    def test_text_after_the_document(self):
        self.assert_unreadable(self.items("") + "x", "unexpected text after")

    def test_duplicate_names(self):
        self.assert_unreadable(self.items('{"pk":{"S":"a"},"v":{"N":"1"},"v":{"N":"2"}}'), "duplicate name")
        self.assert_unreadable(self.items('{"pk":{"S":"a"},"w":{"N":"1"},"\\u0077":{"N":"2"}}'), "duplicate name")
        self.assert_unreadable(self.items('{"pk":{"S":"a"},"v":{"M":{"x":{"N":"1"},"x":{"N":"1"}}}}'), "duplicate name")

    def test_lone_surrogates(self):
        for text in ("\\ud800", "\\udc00", "\\ud800\\ud800", "\\ud800x"):
            with self.subTest(text=text):
                self.assert_unreadable(self.items('{"pk":{"S":"%s"}}' % text), "lone surrogate")

    def test_malformed_utf8(self):
        for damage in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"):
            with self.subTest(damage=damage):
                self.fake.on("Scan", replies.Reply(b'{"Count":1,"ScannedCount":1,"Items":[{"pk":{"S":"' + damage + b'"}}]}'))
                failure = self.fx.error("SELECT * FROM t")
                self.assertEqual(failure.sqlstate, "HV00M")
                self.assertRegex(failure.detail, "^At byte [0-9]+: malformed UTF-8")

    def test_values_of_no_type(self):
        for value, reason in (('{}', "a type tag"), ('{"X":"1"}', "unrecognized type tag"), ('{"S":1}', "a string was expected"),
                              ('"x"', "an attribute value"), ('{"S":"a","N":"1"}', ""), ('{"NULL":false}', "invalid literal"),
                              ('{"L":{}}', "an array"), ('{"M":[]}', "an object"), ('{"SS":[1]}', "a string"), ('{"BOOL":"true"}', "")):
            with self.subTest(value=value):
                self.assert_unreadable(self.items('{"pk":{"S":"a"},"v":%s}' % value), reason)

    def test_control_characters(self):
        self.assert_unreadable(self.items('{"pk":{"S":"a\nb"}}'), "control character in string")

    def test_numbers_that_are_none(self):
        for number in ("", "-", "1e", "0x10", "NaN", "1,5"):
            with self.subTest(number=number):
                failure = self.failing(replies.reply({"Count": 1, "ScannedCount": 1, "Items": [{"pk": {"S": "a"}, "v": {"N": number}}]}))
                self.assertIn(failure.sqlstate, ("HV00M", "HV004"))

    def test_a_key_repeated(self):
        """A repeated LastEvaluatedKey is an error, not an endless loop."""
        self.fake.pages("loop", [[{"pk": {"S": "a"}}]] * 5, repeat_key_at=2)
        self.fx.foreign_table("loop", "pk text", server="fake", scan_policy="allow")
        failure = self.fx.error("SELECT * FROM loop")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00M", 'Scan of DynamoDB table "loop" failed: the response does not match the request', CHECK_ENDPOINT))
        self.assertRegex(failure.detail, "^The response repeats the LastEvaluatedKey of an earlier page. Request id: FAKE")

    def test_wrong_crc_once(self):
        self.assertEqual(self.recovering(replies.wrong_crc(self.GOOD)), [("a", 1)])
        self.assertEqual(self.fake.operations(), ["Scan", "Scan"])

    def test_wrong_crc_for_ever(self):
        failure = self.failing(replies.wrong_crc(self.GOOD))
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00M", 'Scan of DynamoDB table "t" failed: incorrect checksum of the response', CHANGED))
        self.assertIn("Attempts: 2.", failure.detail)
        self.assertEqual(self.fake.operations(), ["Scan", "Scan"])

    def test_a_crc_that_is_no_number(self):
        """A checksum header that is not a 32-bit number counts as a failed checksum."""
        body = replies.reply(self.GOOD)
        for value in ("abc", "", "-1", "+1", "0x0", "4294967296", "1 2", f"{zlib.crc32(body.body)}x",
                      f"{zlib.crc32(body.body)}\r\nx-amz-crc32: {zlib.crc32(body.body)}"):
            with self.subTest(value=value):
                failure = self.failing(body.but({"x-amz-crc32": value}))
                self.assertEqual((failure.sqlstate, failure.message),
                                 ("HV00M", 'Scan of DynamoDB table "t" failed: incorrect checksum of the response'))
                self.assertIn("X-amz-crc32 is not a 32-bit number.", failure.detail)

    def test_no_crc_is_no_error(self):
        self.assertEqual(self.recovering(replies.without_crc(self.GOOD)), [("z", 1)])

    def test_truncated_body_once(self):
        self.assertEqual(self.recovering(replies.truncate_body(0.5, self.GOOD)), [("a", 1)])

    def test_truncated_body_forever(self):
        failure = self.failing(replies.truncate_body(0.5, self.GOOD))
        self.assertEqual((failure.sqlstate, failure.message), ("08006", 'Scan of DynamoDB table "t" failed: connection lost'))
        self.assertIn("Attempts: 2.", failure.detail)

    def test_reset_and_empty_reply(self):
        for response in (replies.reset_connection(), replies.empty_reply()):
            failure = self.failing(response)
            self.assertEqual((failure.sqlstate, failure.message), ("08006", 'Scan of DynamoDB table "t" failed: connection lost'))

    def test_a_stall_is_a_timeout(self):
        self.fx.execute("ALTER SERVER fake OPTIONS (SET request_timeout '300')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (SET request_timeout '2000')")
        for response in (replies.hang_before_headers(), replies.hang_in_body(0.5, self.GOOD)):
            failure = self.failing(response)
            self.assertEqual((failure.sqlstate, failure.message), ("08006", 'Scan of DynamoDB table "t" failed: timeout expired'))
            self.assertIn("request_timeout", failure.hint)

    def test_gzip(self):
        self.assertEqual(self.recovering(replies.gzip_body(self.GOOD)), [("z", 1)])

    def test_bad_gzip(self):
        failure = self.failing(replies.bad_gzip(self.GOOD))
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00M", 'Scan of DynamoDB table "t" failed: could not decompress the response', CHANGED))

    def test_oversized_body(self):
        failure = self.failing(replies.oversized(80 << 20))
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00M", 'Scan of DynamoDB table "t" failed: response too large', "Set a smaller fetch_size to get smaller responses."))
        self.assertEqual(len(self.fake.requests), 1)

    def test_chunked_and_dripping_bodies(self):
        self.assertEqual(self.recovering(replies.chunked(self.GOOD, 10)), [("z", 1)])
        self.assertEqual(self.recovering(replies.drip(self.GOOD, 16, 0.001)), [("z", 1)])


class Lost(Errors):
    """Connections that end too early, and pages of gateways."""

    def test_closed_in_the_head(self):
        """The connection may close anywhere in the headers."""
        for size in (1, 5, 8, 12, 15, 17, 30, 100):
            with self.subTest(size=size):
                self.fake.reset(scripts=True)
                self.assertEqual(self.recovering(replies.truncate_head(size)), [("a", 1)])
                self.assertEqual(self.fake.operations(), ["Scan", "Scan"])
                failure = self.failing(replies.truncate_head(size))
                self.assertEqual((failure.sqlstate, failure.message), ("08006", 'Scan of DynamoDB table "t" failed: connection lost'))
                self.assertIn("Attempts: 2.", failure.detail)

    def test_closed_after_an_interim_reply(self):
        async def send(connection, _head, _body):
            connection.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            await connection.writer.drain()
            return False
        self.assertEqual(self.recovering(replies.Reply(send=send)), [("a", 1)])

    def test_a_gateway_that_throttles(self):
        """429 without an error document is throttling, too."""
        busy = replies.not_json("<html>slow down</html>", status=429)
        self.assertEqual(self.recovering(busy), [("a", 1)])
        failure = self.failing(busy)
        self.assertEqual(failure.sqlstate, "53400")
        self.assertRegex(failure.message, r'^DynamoDB throttled reads of DynamoDB table "t" for')
        self.assertIn("HTTP status 429.", failure.detail)


class Strangers(fixture.TestCase):
    """Endpoints where no DynamoDB listens."""

    def failing(self, endpoint, **options):
        """The error of a read through a server with that endpoint."""
        self.fx.execute("DROP SERVER IF EXISTS stranger CASCADE")
        self.fx.server("stranger", endpoint, max_attempts=2, connect_timeout=1000, **options)
        self.fx.foreign_table("t", "pk text", server="stranger")
        return self.fx.error("SELECT * FROM t")

    def test_dead_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))        # bound, but not listening
            failure = self.failing(f"http://127.0.0.1:{taken.getsockname()[1]}")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00N", 'DescribeTable of DynamoDB table "t" failed: could not connect',
                          "Check the server option endpoint_url, and that the database server can connect to it."))
        self.assertIn("No response.", failure.detail)
        self.assertIn("127.0.0.1", failure.detail)

    def test_explain_of_a_dead_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.failing(f"http://127.0.0.1:{taken.getsockname()[1]}")
            self.assertEqual(self.fx.error("EXPLAIN SELECT * FROM t").sqlstate, "HV00N")

    def test_unknown_host(self):
        failure = self.failing("http://no-such-host.invalid")
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00N", 'DescribeTable of DynamoDB table "t" failed: could not resolve the host name',
                          "Check the server options \"endpoint_url\" and \"region\", and the network of the database server."))
        self.assertIn("no-such-host.invalid", failure.detail)

    def test_unknown_host_over_tls(self):
        """After the same without TLS, whose handle kept a buffer."""
        for scheme in ("http", "https", "http", "https"):
            self.assertEqual(self.failing(f"{scheme}://no-such-host.invalid").sqlstate, "HV00N")

    def test_wrong_region(self):
        """Without an endpoint the region names the host; one that does not exist is not found, or not reached."""
        self.fx.execute("DROP SERVER IF EXISTS stranger CASCADE; CREATE SERVER stranger FOREIGN DATA WRAPPER dynamo_fdw "
                        "OPTIONS (region 'xx-nowhere-9', max_attempts '1', connect_timeout '1000');"
                        "CREATE USER MAPPING FOR PUBLIC SERVER stranger OPTIONS (access_key_id 'x', secret_access_key 'y')")
        self.fx.foreign_table("t", "pk text", server="stranger")
        failure = self.fx.error("SELECT * FROM t")
        self.assertIn(failure.sqlstate, ("HV00N", "08006"))
        self.assertIn("region", failure.hint)
        self.assertIn("dynamodb.xx-nowhere-9.amazonaws.com", failure.detail)

    def error_of(self, response, **options):
        """The error when something at the endpoint responds that way."""
        with fixture.FakeDynamo() as fake:
            fake.on("*", response)
            return self.failing(fake.endpoint, **options)

    def test_xml(self):
        failure = self.error_of(replies.xml_404())
        self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                         ("HV00M", 'DescribeTable of DynamoDB table "t" failed: unexpected HTTP response', NOT_DYNAMODB))
        self.assertRegex(failure.detail, "^HTTP status 404. <UnknownOperationException/>")

    def test_html(self):
        for status, sent in ((502, 2), (408, 2), (404, 1), (403, 1)):
            with self.subTest(status=status):
                failure = self.error_of(replies.not_json("<html>go away</html>", status))
                self.assertEqual((failure.sqlstate, failure.hint), ("HV00M", UNAVAILABLE if sent == 2 else NOT_DYNAMODB))
                self.assertRegex(failure.detail, f"^HTTP status {status}. <html>go away</html>")
                self.assertEqual("Attempts: 2." in failure.detail, sent == 2)

    def test_html_with_a_good_status(self):
        failure = self.error_of(replies.not_json("<html>log in here</html>", 200))
        self.assertEqual((failure.sqlstate, failure.message), ("HV00M", 'could not read the description of DynamoDB table "t"'))

    def test_a_redirect_is_not_followed(self):
        with fixture.FakeDynamo() as other:
            for status in (301, 307):
                failure = self.error_of(replies.redirect(other.endpoint, status))
                self.assertEqual((failure.sqlstate, failure.hint), ("HV00M", NOT_DYNAMODB))
                self.assertIn(f"HTTP status {status}.", failure.detail)
            self.assertEqual(other.requests, [])

    def test_not_http(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def greet():
                with contextlib.suppress(OSError):      # the test is over
                    while True:
                        client, _address = listener.accept()
                        client.sendall(b"220 mail.example.org ESMTP\r\n")
                        client.close()
            thread = threading.Thread(target=greet, daemon=True)
            thread.start()
            failure = self.failing(f"http://127.0.0.1:{listener.getsockname()[1]}")
            self.assertIn(failure.sqlstate, ("08006", "HV00M", "HV00N"))
            self.assertIn('DescribeTable of DynamoDB table "t" failed', failure.message)

    def test_a_garbled_status_line(self):
        """The error blames the response, not the settings of the connection."""
        for line in (b"HTTP/9.9 200 OK", b"HTTP/x.y 200 OK", b"HTTP/1.7 200 OK"):
            with self.subTest(line=line), socket.create_server(("127.0.0.1", 0)) as listener:
                def respond(line=line, listener=listener):
                    with contextlib.suppress(OSError):      # the test is over
                        while True:
                            client, _address = listener.accept()
                            client.recv(65536)
                            client.sendall(line + b"\r\nContent-Length: 2\r\n\r\n{}")
                            client.close()
                threading.Thread(target=respond, daemon=True).start()
                failure = self.failing(f"http://127.0.0.1:{listener.getsockname()[1]}")
                self.assertNotIn("settings", failure.message)
                self.assertIn(failure.sqlstate, ("08006", "HV00M"))

    def test_link_local_addresses_are_refused_at_once(self):
        for endpoint in ("http://169.254.169.254", "http://[fe80::1]", "http://[fd00:ec2::254]", "http://[::ffff:169.254.169.254]"):
            with self.subTest(endpoint=endpoint):
                failure = self.failing(endpoint)
                self.assertEqual((failure.sqlstate, failure.message, failure.hint),
                                 ("HV00N", 'DescribeTable of DynamoDB table "t" failed: address not allowed',
                                  "Check the server option endpoint_url. Link-local addresses, such as those of instance metadata, are not allowed."))
                self.assertNotIn("Attempts", failure.detail)
