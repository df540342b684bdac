"""dynamo_fdw_create_table(): the request, what is refused before it is sent, waiting, failures."""
import fixture
import replies
from tables import Table

COLUMNS = ("customer text NOT NULL, placed timestamptz OPTIONS (attribute 'placedAt', format 'iso8601(0)'), total numeric, status text, code bytea, "
           "flag boolean, info jsonb, rating int OPTIONS (path 'info.rating'), \"odd \"\"name\" int OPTIONS (attribute 'ö\"dd')")


class Creation(fixture.TestCase):
    """Tables of DynamoDB Local, through the recording proxy."""

    def setUp(self):
        self.fx.foreign_table("orders", COLUMNS)
        self.fx.dynamo.drop_table(self.fx.remote("orders"))
        self.addCleanup(self.fx.dynamo.drop_table, self.fx.remote("orders"))

    def create(self, arguments):
        """The body of the CreateTable that was sent."""
        [request] = [r for r in self.fx.requests(f"SELECT dynamo_fdw_create_table('orders', {arguments})", describe=True) if r.operation == "CreateTable"]
        return request.body

    def described(self):
        """How DynamoDB describes the table."""
        return self.fx.dynamo.call("DescribeTable", {"TableName": self.fx.remote("orders")})["Table"]

    def test_partition_key(self):
        """The key is named by its column; the type follows from the column's."""
        self.assertEqual(self.create("'customer'"), {
            "TableName": self.fx.remote("orders"), "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "customer", "AttributeType": "S"}]})
        self.assertEqual(self.described()["TableStatus"], "ACTIVE")
        self.assertEqual(self.fx.rows("SELECT total FROM orders WHERE customer = 'x'"), [])

    def test_everything(self):
        """Sort key, local and global indexes, projections, attributes with other names than their columns."""
        body = self.create("""'customer', 'placed', '{"by_status": {"partition_key": "status", "sort_key": "placedAt", "projection": ["total", "elsewhere"]},
            "by_total": {"local": true, "sort_key": "total", "projection": "KEYS_ONLY"}, "by_code": {"partition_key": "code", "sort_key": "odd \\"name"}}'""")
        self.assertEqual(body["KeySchema"], [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "placedAt", "KeyType": "RANGE"}])
        self.assertEqual({a["AttributeName"]: a["AttributeType"] for a in body["AttributeDefinitions"]},
                         {"customer": "S", "placedAt": "S", "status": "S", "total": "N", "code": "B", 'ö"dd': "N"})
        self.assertEqual(len(body["AttributeDefinitions"]), 6)
        self.assertEqual(body["LocalSecondaryIndexes"], [
            {"IndexName": "by_total", "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "total", "KeyType": "RANGE"}],
             "Projection": {"ProjectionType": "KEYS_ONLY"}}])
        self.assertEqual(body["GlobalSecondaryIndexes"], [
            {"IndexName": "by_code", "KeySchema": [{"AttributeName": "code", "KeyType": "HASH"}, {"AttributeName": 'ö"dd', "KeyType": "RANGE"}],
             "Projection": {"ProjectionType": "ALL"}},
            {"IndexName": "by_status", "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}, {"AttributeName": "placedAt", "KeyType": "RANGE"}],
             "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total", "elsewhere"]}}])
        self.fx.put("orders", [{"customer": "c", "placedAt": "2026-01-01T00:00:00Z", "total": 5, "status": "open"}])
        self.assertEqual(self.fx.rows("SELECT customer, total FROM orders WHERE status = 'open' AND placed > '2025-01-01'"), [("c", 5)])
        self.assertIn("Index: by_status", self.fx.explain("SELECT customer, total FROM orders WHERE status = 'open' AND placed > '2025-01-01'"))

    def test_several_attributes(self):
        """A global index may have several attributes on either side of its key."""
        body = self.create("""'customer', NULL, '{"index": {"partition_key": ["status", "total"], "sort_key": ["placed", "code"]}}'""")
        self.assertEqual([(key["AttributeName"], key["KeyType"]) for key in body["GlobalSecondaryIndexes"][0]["KeySchema"]],
                         [("status", "HASH"), ("total", "HASH"), ("placedAt", "RANGE"), ("code", "RANGE")])

    def test_it_exists(self):
        self.create("'customer'")
        failure = self.fx.error("SELECT dynamo_fdw_create_table('orders', 'customer')")
        self.assertEqual((failure.sqlstate, failure.message), ("42P07", f'CreateTable of DynamoDB table "{self.fx.remote("orders")}" failed'))
        self.assertIn("ResourceInUseException", failure.detail)
        self.assertEqual(failure.hint, "Check whether the table exists already, or is being changed or deleted.")

    def test_read_only(self):
        """It writes, so a read-only transaction refuses it before a request is sent."""
        self.fx.proxy.reset()
        failure = self.fx.error("BEGIN READ ONLY; SELECT dynamo_fdw_create_table('orders', 'customer')")
        self.fx.execute("ROLLBACK")
        self.assertEqual(failure[:2], ("25006", "cannot execute dynamo_fdw_create_table() in a read-only transaction"))
        self.assertEqual(self.fx.proxy.requests, [])

    def test_recreated(self):
        """A cached description of an earlier table is forgotten."""
        self.create("'customer'")
        self.fx.rows("SELECT * FROM orders WHERE customer = 'x'")
        self.fx.dynamo.drop_table(self.fx.remote("orders"))
        self.create("'status', 'total'")
        [request] = self.fx.requests("SELECT * FROM orders WHERE status = 'x'")
        self.assertEqual(request.operation, "Query")

    def test_refused_by_dynamodb(self):
        """Its text is the detail; the hint of reads, that the table may have changed, is out of place."""
        failure = self.fx.error("""SELECT dynamo_fdw_create_table('orders', 'customer', NULL, '{"x": {"local": true, "sort_key": "total"}}')""")
        self.assertEqual((failure.sqlstate, failure.hint), ("HV000", None))
        self.assertIn("ValidationException", failure.detail)

    def test_bad_arguments(self):
        """What is wrong is found before a request is sent."""
        for arguments, state, message in (
                ("NULL, 'customer'", "22004", "foreign_table and partition_key must not be NULL"), ("'orders', NULL", "22004", "foreign_table and partition_key must not be NULL"),
                ("'orders', 'nothing'", "42703", 'column "nothing" of foreign table "orders" does not exist'),
                ("'orders', 'customer', 'nothing'", "42703", 'column "nothing" of foreign table "orders" does not exist'),
                ("'orders', 'info'", "42809", 'column "info" of foreign table "orders" cannot be part of a key'),
                ("'orders', 'flag'", "42809", 'column "flag" of foreign table "orders" cannot be part of a key'),
                ("'orders', 'rating'", "42809", 'column "rating" of foreign table "orders" cannot be part of a key'),
                ("'pg_class', 'relname'", "42809", '"pg_class" is not a foreign table of dynamo_fdw'),
                ("'orders', 'customer', NULL, '[]'", "22023", "the indexes must be a JSON object")):
            with self.subTest(arguments):
                self.fx.proxy.reset()
                self.assertEqual(self.fx.error(f"SELECT dynamo_fdw_create_table({arguments})")[:2], (state, message))
                self.assertEqual(self.fx.proxy.requests, [])

    def test_bad_indexes(self):
        for definition, detail in (
                ('"status"', "The definition must be a JSON object."), ("[]", "The definition must be a JSON object."), ("{}", "The member \"partition_key\" is missing."),
                ('{"partition_key": []}', 'The member "partition_key" must have one to 4 names.'),
                ('{"partition_key": 5}', 'The member "partition_key" must be a name, or an array of names.'),
                ('{"partition_key": [5]}', 'The member "partition_key" has an element that is not a name.'),
                ('{"partition_key": "status", "local": true}', "A local secondary index always has the partition key of the table."),
                ('{"partition_key": "status", "local": "yes"}', 'The member "local" must be true or false.'),
                ('{"partition_key": "status", "projection": 5}', 'The member "projection" must be a name, or an array of names.'),
                ('{"partition": "status"}', 'The member "partition" is not recognized.')):
            with self.subTest(definition):
                failure = self.fx.error(f"""SELECT dynamo_fdw_create_table('orders', 'customer', NULL, '{{"i": {definition}}}')""")
                self.assertEqual(failure[:3], ("22023", 'invalid definition of index "i"', detail))
                self.assertIn("Write an object such as", failure.hint)

    def test_segment(self):
        """A segment is no attribute: no key can have it, no index project it."""
        self.fx.foreign_table("orders", "customer text, seg int OPTIONS (segment '4')")
        self.fx.proxy.reset()
        for arguments in ("'seg'", "'customer', 'seg'", """'customer', NULL, '{"i": {"partition_key": "seg"}}'"""):
            self.assertEqual(self.fx.error(f"SELECT dynamo_fdw_create_table('orders', {arguments})")[:2],
                             ("42809", 'column "seg" of foreign table "orders" cannot be part of a key'), arguments)
        failure = self.fx.error("""SELECT dynamo_fdw_create_table('orders', 'customer', NULL, '{"i": {"partition_key": "customer", "projection": ["seg"]}}')""")
        self.assertEqual(failure[:3], ("22023", 'invalid definition of index "i"', "The column of a segment shows no attribute to project."))
        self.assertEqual(self.fx.proxy.requests, [])

    def test_templates(self):
        """Attributes that templates compose are named by themselves; parts of them are none."""
        self.fx.foreign_table("orders", "company text NOT NULL, email text NOT NULL, n int NOT NULL", key_templates='{"pk": "company#${company}", "sk": "${n}", "e": "e#${email}"}')
        failure = self.fx.error("SELECT dynamo_fdw_create_table('orders', 'company')")
        self.assertEqual(failure[:4], ("42809", 'column "company" of foreign table "orders" belongs to a key template', None, "Use the name of the attribute that has the template."))
        body = self.create("""'pk', 'sk', '{"by_email": {"partition_key": "e"}}'""")
        self.assertEqual({a["AttributeName"]: a["AttributeType"] for a in body["AttributeDefinitions"]}, {"pk": "S", "sk": "N", "e": "S"})

    def test_two_types(self):
        """Two columns show an attribute with different types, and both are in keys."""
        self.fx.foreign_table("orders", "a text, b numeric OPTIONS (attribute 'a'), c text")
        self.assertEqual(self.fx.error("""SELECT dynamo_fdw_create_table('orders', 'c', 'a', '{"i": {"partition_key": "b"}}')""")[:2],
                         ("42804", 'key attribute "a" has columns of two types, S and N'))

    def test_arn(self):
        self.fx.foreign_table("orders", COLUMNS, table_name="arn:aws:dynamodb:us-east-1:1:table/x")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('orders', 'customer')").message, "cannot create a DynamoDB table by its ARN")


class Scripted(fixture.TestCase):
    """What takes time, or goes wrong."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        cls.fx.foreign_table("t", "pk text, v int", server="fake")

    def setUp(self):
        self.fake.reset(scripts=True)
        self.fake.tables.clear()
        self.fake.on("CreateTable", self.made)

    def made(self, _request, status="ACTIVE"):
        """Respond to a CreateTable."""
        return {"TableDescription": self.fake.table("t", status=status).describe()}

    def test_waits(self):
        """Until the table is known, it and its indexes active."""
        def creating(index_status):
            index = {"name": "i", "hash": [("v", "N")], "range": [], "projection": "ALL", "local": False, "status": index_status}
            return {"Table": Table("t", [("pk", "S")], [], [index], [], status="CREATING" if index_status == "NONE" else "ACTIVE").describe()}
        self.fake.on("DescribeTable", [replies.error("ResourceNotFoundException"), creating("NONE"), creating("CREATING")])
        self.fx.rows("SELECT dynamo_fdw_create_table('t', 'pk')")
        self.assertEqual(self.fake.operations(), ["CreateTable"] + 4 * ["DescribeTable"])

    def test_cancel(self):
        """A wait can be cancelled, and the table remains."""
        self.fake.on("CreateTable", lambda request: self.made(request, "CREATING"))
        connection = self.fx.connect()
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 400")
            with self.assertRaisesRegex(Exception, "statement timeout"):
                cursor.execute("SELECT dynamo_fdw_create_table('t', 'pk')")

    def test_throttled(self):
        """A throttled request was not executed: it is sent again."""
        self.fx.execute("SELECT dynamo_fdw_statistics_reset()")
        self.fake.on("CreateTable", [replies.error("LimitExceededException", "Too many tables are being created"), replies.error("ThrottlingException"),
                                     self.made])
        self.fx.rows("SELECT dynamo_fdw_create_table('t', 'pk')")
        self.assertEqual(self.fake.operations().count("CreateTable"), 3)
        counts = "SELECT other_requests, retries, throttles, throttling_errors, errors FROM dynamo_fdw_statistics WHERE table_name = 't' AND server_name = 'fake'"
        self.assertEqual(self.fx.rows(counts), [(1, 2, 2, 0, 0)])
        self.fake.on("CreateTable", replies.error("ThrottlingException"))
        self.fx.execute("SELECT dynamo_fdw_statistics_reset(); ALTER SERVER fake OPTIONS (ADD max_attempts '3')")
        self.addCleanup(self.fx.execute, "ALTER SERVER fake OPTIONS (DROP max_attempts)")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('t', 'pk')").sqlstate, "53400")
        self.assertEqual(self.fx.rows(counts), [(1, 2, 3, 1, 1)])

    def test_lost(self):
        """A request whose response was lost may have been executed: it is not sent again."""
        for response, state in ((replies.reset_connection(), "08006"), (replies.error("InternalServerError", "sorry", 500), "HV000"),
                              (replies.truncate_body(response={"TableDescription": {}}), "08006")):
            self.fake.reset()
            self.fake.on("CreateTable", response)
            self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('t', 'pk')").sqlstate, state)
            self.assertEqual(self.fake.operations(), ["CreateTable"])

    def test_lost_while_a_cursor_is_open(self):
        """While a request of a cursor runs, idle connections stay open, and libcurl itself repeats a request if one of them ends."""
        self.fake.table("t", items=[{"pk": {"S": "a"}, "v": {"N": "1"}}])
        self.addCleanup(self.fx.execute, "ROLLBACK")
        for n, response in enumerate((replies.reset_connection(), replies.empty_reply()), 1):
            self.fx.rows("SELECT dynamo_fdw_disconnect_all(), dynamo_fdw_statistics_reset()")
            self.fake.on("GetItem", [None, replies.hang_before_headers()])
            self.fx.execute("BEGIN; DECLARE c CURSOR FOR SELECT v FROM t WHERE pk = 'a' UNION ALL SELECT v FROM t WHERE pk = 'b'; FETCH 1 FROM c")
            self.fake.on("CreateTable", [response, self.made])
            self.assertEqual(self.fx.error("SAVEPOINT s; SELECT dynamo_fdw_create_table('t', 'pk')").sqlstate, "08006")
            self.fx.execute("ROLLBACK TO s")
            self.assertEqual(self.fake.operations().count("CreateTable"), n)
            self.assertEqual(self.fx.rows("SELECT other_requests, retries, network_errors, errors FROM dynamo_fdw_statistics WHERE table_name = 't'"), [(1, 0, 1, 1)])
            self.fx.execute("ROLLBACK")

    def test_denied(self):
        self.fake.on("CreateTable", replies.error("AccessDeniedException", "no"))
        failure = self.fx.error("SELECT dynamo_fdw_create_table('t', 'pk')")
        self.assertEqual((failure.sqlstate, failure.message), ("42501", 'CreateTable of DynamoDB table "t" failed'))

    def test_never_known(self):
        """A table that cannot be described is an error at once; one that DynamoDB does not know, after a while."""
        self.fake.on("DescribeTable", replies.error("AccessDeniedException", "no"))
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('t', 'pk')").message, 'DescribeTable of DynamoDB table "t" failed')

    def test_privileges(self):
        """Only superusers may execute it, until it is granted; and only the foreign table's owner, with his own keys."""
        bob = f"{self.fx.database}_bob"
        self.fx.execute(f"CREATE ROLE {bob}; GRANT SELECT ON t TO {bob}; "
                        f"CREATE USER MAPPING FOR {bob} SERVER fake OPTIONS (access_key_id 'BOBSKEY', secret_access_key 'x')")
        self.addCleanup(self.fx.execute, f"RESET ROLE; ALTER FOREIGN TABLE t OWNER TO current_user; DROP OWNED BY {bob}; DROP ROLE {bob}")
        self.fx.execute(f"SET ROLE {bob}")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('t', 'pk')").message, "permission denied for function dynamo_fdw_create_table")
        self.fx.execute(f"RESET ROLE; GRANT EXECUTE ON FUNCTION dynamo_fdw_create_table TO {bob}; SET ROLE {bob}")
        self.assertEqual(self.fx.error("SELECT dynamo_fdw_create_table('t', 'pk')")[:2], ("42501", "must be owner of foreign table t"))
        self.assertEqual(self.fake.requests, [])
        self.fx.execute(f"RESET ROLE; ALTER FOREIGN TABLE t OWNER TO {bob}; SET ROLE {bob}")
        self.fx.rows("SELECT dynamo_fdw_create_table('t', 'pk')")
        for request in self.fake.requests:
            self.assertIn("Credential=BOBSKEY/", request.headers["authorization"])
