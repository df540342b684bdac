"""What libraries for DynamoDB do, as statements and the requests that they send: each test is named after the design that it is taken from."""
import fixture


class Case(fixture.TestCase):
    """Users, companies, and links between them, in one table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET timezone = 'UTC'; SET dynamo_fdw.scan_policy = 'allow'")
        fx.create_table("users", ("name", "S"))
        fx.create_table("app", ("pk", "S"), ("sk", "S"))
        fx.foreign_table("users", "name text NOT NULL, emails jsonb, age int CHECK (age > 0), tags text[] OPTIONS (format 'set')", updatable="on")
        link = "company text NOT NULL, person text NOT NULL"
        fx.foreign_table("company_user", link, table_name=fx.remote("app"), updatable="on", key_templates='{"pk": "company#${company}", "sk": "user#${person}"}')
        fx.foreign_table("user_company", link, table_name=fx.remote("app"), updatable="on", key_templates='{"pk": "user#${person}", "sk": "company#${company}"}')
        fx.foreign_table("toolbox_user", "pk text NOT NULL, sk text NOT NULL, name text, email_verified boolean", table_name=fx.remote("app"), updatable="on",
                         item_filter='{"_et": "User"}')

    def setUp(self):
        self.fx.execute("DELETE FROM users; DELETE FROM company_user; DELETE FROM user_company")

    def sent(self, sql):
        """The requests of a statement: (operation, body)."""
        return [(request.operation, request.body) for request in self.fx.requests(sql)]

    def operations(self, sql):
        """Their names."""
        return [operation for operation, _ in self.sent(sql)]

    def item(self, table, **key):
        """The stored item."""
        response = self.fx.dynamo.call("GetItem", {"TableName": self.fx.remote(table), "Key": {name: {"S": text} for name, text in key.items()}, "ConsistentRead": True})
        return response.get("Item")


class Documents(Case):
    """Values in items."""

    def test_C6_item_limit(self):
        self.fx.execute("INSERT INTO users VALUES ('small')")
        for sql in ("INSERT INTO users VALUES ('big', to_jsonb(repeat('x', 420000)))", "UPDATE users SET emails = to_jsonb(repeat('x', 420000)) WHERE age IS NULL"):
            self.fx.proxy.reset()
            self.assertEqual(self.fx.error(sql).sqlstate, "54000")
            self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation in ("PutItem", "UpdateItem")], [])
        self.fx.execute("INSERT INTO users VALUES ('large', to_jsonb(repeat('x', 409000)))")

    def test_C8_embedded_list(self):
        self.fx.execute("""INSERT INTO users VALUES ('jon', '["a@x"]')""")
        [(get, read), (update, body)] = self.sent("""UPDATE users SET emails = emails || '["b@x"]' WHERE name = 'jon'""")
        self.assertEqual((get, read["ConsistentRead"], update), ("GetItem", True, "UpdateItem"))
        self.assertIn({"L": [{"S": "a@x"}]}, body["ExpressionAttributeValues"].values())
        self.assertIn("=", body["ConditionExpression"])
        self.assertEqual(self.item("users", name="jon")["emails"], {"L": [{"S": "a@x"}, {"S": "b@x"}]})


class Links(Case):
    """Entities and links between them."""

    def test_G17_both_directions(self):
        self.fx.execute("SET dynamo_fdw.write_mode = 'atomic'")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.write_mode")
        sql = "WITH a AS (INSERT INTO company_user VALUES ('acme', 'ada')), b AS (INSERT INTO user_company VALUES ('acme', 'ada')) SELECT"
        [(operation, body)] = self.sent(sql)
        self.assertEqual((operation, len(body["TransactItems"])), ("TransactWriteItems", 2))
        self.assertIsNotNone(self.item("app", pk="user#ada", sk="company#acme"))
        self.fx.execute("DELETE FROM company_user")
        self.assertEqual(self.fx.error(sql).sqlstate, "23505")
        self.assertIsNone(self.item("app", pk="company#acme", sk="user#ada"))

    def test_G24_constants(self):
        [(operation, body)] = self.sent("INSERT INTO toolbox_user VALUES ('joe@email.com', 'admin', 'Joe', true)")
        self.addCleanup(self.fx.execute, "DELETE FROM toolbox_user")
        self.assertEqual((operation, body["Item"]["_et"]), ("PutItem", {"S": "User"}))


class Records(Case):
    """What object mappers do."""

    def setUp(self):
        super().setUp()
        self.fx.create_table("song", ("id", "S"))
        self.fx.foreign_table("song", "id text DEFAULT gen_random_uuid()::text NOT NULL, title text NOT NULL CHECK (title <> ''), created_at timestamptz DEFAULT now(), updated_at timestamptz, "
                              "lock_version int DEFAULT 0, singers text[] OPTIONS (format 'set')", updatable="on")

    def triggers(self, when, body):
        """A trigger of the table."""
        self.fx.execute(f"CREATE OR REPLACE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$; CREATE TRIGGER fired {when} EXECUTE FUNCTION fired()")

    def test_D9_D41_defaults_and_times(self):
        [(operation, body)] = self.sent("INSERT INTO song (title) VALUES ('one')")
        self.assertEqual((operation, set(body["Item"])), ("PutItem", {"id", "title", "created_at", "lock_version"}))
        self.assertRegex(body["Item"]["id"]["S"], "^[0-9a-f-]{36}$")
        self.triggers("BEFORE UPDATE ON song FOR EACH ROW", "NEW.updated_at := now(); NEW.lock_version := OLD.lock_version + 1; RETURN NEW;")
        [(_, _), (operation, body)] = self.sent(f"UPDATE song SET title = 'two' WHERE id = '{body['Item']['id']['S']}'")
        self.assertEqual((operation, body["UpdateExpression"].count("=")), ("UpdateItem", 3))
        self.assertEqual(self.fx.rows("SELECT title, lock_version, updated_at IS NOT NULL FROM song"), [("two", 1, True)])

    def test_D36_inverse_sets(self):
        self.fx.execute("INSERT INTO users (name, tags) VALUES ('ada', '{s1,s2}'); INSERT INTO song (id, title, singers) VALUES ('s1', 'one', '{ada}')")
        self.triggers("AFTER DELETE ON song FOR EACH ROW", "UPDATE users SET tags = array_remove(tags, OLD.id) WHERE name = ANY (OLD.singers); RETURN OLD;")
        writes = [name for name in self.operations("DELETE FROM song WHERE id = 's1'") if name.endswith(("DeleteItem", "UpdateItem"))]
        self.assertEqual(writes, ["DeleteItem", "UpdateItem"])
        self.assertEqual(self.item("users", name="ada")["tags"], {"SS": ["s2"]})

    def test_D37_create_and_save(self):
        [(operation, body)] = self.sent("INSERT INTO song (id, title) VALUES ('c', 'one')")
        self.assertEqual((operation, body["ConditionExpression"]), ("PutItem", "attribute_not_exists(#n0)"))
        self.fx.dynamo.call("UpdateItem", {"TableName": self.fx.remote("song"), "Key": {"id": {"S": "c"}}, "UpdateExpression": "SET unmapped = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}})
        save = "INSERT INTO song (id, title) VALUES ('c', 'two') ON CONFLICT (id) DO UPDATE SET title = EXCLUDED.title"
        self.assertEqual(self.operations(save), ["PutItem", "UpdateItem"])
        item = self.item("song", id="c")
        self.assertEqual((item["title"], item["unmapped"]), ({"S": "two"}, {"S": "x"}))

    def test_D38_validations(self):
        for values, sqlstate in (("('v', '')", "23514"), ("('v', NULL)", "23502")):
            self.fx.proxy.reset()
            self.assertEqual(self.fx.error(f"INSERT INTO song (id, title) VALUES {values}").sqlstate, sqlstate)
            self.assertEqual([r.operation for r in self.fx.proxy.requests if r.operation != "DescribeTable"], [])
        self.fx.execute("INSERT INTO song (id, title) VALUES ('v', 'one')")
        self.fx.proxy.reset()
        self.assertEqual(self.fx.error("UPDATE song SET title = '' WHERE id = 'v'").sqlstate, "23514")
        self.assertNotIn("UpdateItem", [r.operation for r in self.fx.proxy.requests])

    def test_D39_callbacks(self):
        self.fx.execute("CREATE TABLE IF NOT EXISTS calls (line text); TRUNCATE calls")
        self.triggers("BEFORE INSERT OR UPDATE OR DELETE ON song FOR EACH ROW", "INSERT INTO calls VALUES ('before ' || TG_OP || ' ' || (SELECT count(*) FROM song)); RETURN coalesce(NEW, OLD);")
        self.fx.execute("INSERT INTO song (id, title) VALUES ('a', 'one'), ('b', 'two'); UPDATE song SET title = title || '!'; DELETE FROM song")
        self.assertEqual([line for (line,) in self.fx.rows("SELECT line FROM calls")], ["before INSERT 0", "before INSERT 1"] + ["before UPDATE 2"] * 2 + ["before DELETE 2", "before DELETE 1"])
