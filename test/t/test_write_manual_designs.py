"""The designs of the manual's pages, written: a row that is updated, deleted or inserted leaves every other item as it is, byte by byte."""
import json
import os
import re

import fixture
import page_items
import sessions
from writes import comparable

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

# what a write may be refused with: a value, a key, a row or a column that cannot be written
REFUSED = {"0A000", "22003", "22008", "22023", "23502", "23514", "44000"}


def placeholders(template):
    """The columns of a template."""
    return re.findall(r"(?<!\$)\$\{([^:}]+)", template)


class Page(fixture.TestCase):
    """The tables of a page. Each row is written by itself, and its items are restored after it."""

    PAGE = None
    WRITES, INSERTS = 0, 0      # at least that many values are changed, and rows inserted again

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.PAGE is None:
            return
        with open(os.path.join(ROOT, "docs", cls.PAGE), encoding="utf-8") as file:
            text = file.read()
        for name, partition, sort, indexes, items in page_items.tables(text):
            cls.fx.create_table(name, partition, sort, indexes)
            cls.fx.dynamo.put_raw(cls.fx.remote(name), items)
        cls.fx.execute("SET dynamo_fdw.scan_policy = 'allow'; SET timezone = 'UTC'")
        cls.names = []
        for statement in (one for block in sessions.blocks_of(text)[0] for one in block.statements):
            if re.match(r"(CREATE|ALTER) FOREIGN TABLE|CREATE (TABLE|TYPE|DOMAIN)", statement):
                cls.fx.execute(statement)
                cls.names += re.findall(r"^CREATE FOREIGN TABLE (\w+)", statement)
        for name in cls.names:
            options = cls.options_of(name)
            cls.fx.execute(f"ALTER FOREIGN TABLE {name} OPTIONS ({'SET' if 'table_name' in options else 'ADD'} table_name "
                           f"'{cls.fx.remote(options.get('table_name', name))}', ADD updatable 'true')")

    @classmethod
    def options_of(cls, name):
        """The options of a foreign table."""
        return dict(cls.fx.rows(f"SELECT o.* FROM pg_foreign_table, pg_options_to_table(ftoptions) o WHERE ftrelid = '{name}'::regclass"))

    def columns_of(self, name):
        """{column: the first step of the place that it shows}"""
        return {column: re.split(r"[.\[]", options.get("path") or options.get("attribute") or column)[0]
                for column, options in self.fx.rows(
                    "SELECT attname, coalesce((SELECT jsonb_object_agg(option_name, option_value) FROM pg_options_to_table(attfdwoptions)), '{}')"
                    f" FROM pg_attribute WHERE attrelid = '{name}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum")}

    def items(self):
        """All items of the table that is tried, by key."""
        found = self.fx.dynamo.call("Scan", {"TableName": self.remote, "ConsistentRead": True})["Items"]
        return {self.key(item): item for item in found}

    def key(self, item):
        """The key of an item, as text."""
        return json.dumps([item[name] for name in self.hash_and_range])

    def restore(self, before):
        """The items as they were."""
        after = self.items()
        self.fx.dynamo.put_raw(self.remote, [item for key, item in before.items() if after.get(key) != item])
        for key in after.keys() - before.keys():
            self.fx.dynamo.call("DeleteItem", {"TableName": self.remote, "Key": {name: after[key][name] for name in self.hash_and_range}})

    def write(self, sql):
        """The SQLSTATE, or the number of rows."""
        try:
            with self.fx.conn.cursor() as cursor:
                cursor.execute(sql)
                return cursor.rowcount
        except fixture.psycopg2.Error as failure:
            self.assertIn(failure.diag.sqlstate, REFUSED, f"{sql}: {failure}")
            return failure.diag.sqlstate

    def try_delete(self, name, where, before):
        """Deletes the row; returns the key of its item."""
        self.assertEqual(self.write(f"DELETE FROM {name} WHERE {where}"), 1)
        after = self.items()
        [gone] = before.keys() - after.keys()
        self.assertEqual(after, {key: item for key, item in before.items() if key != gone})
        return gone

    def try_insert(self, name, where, before, key):
        """Inserts the row that was deleted: under its key, with the same values, or not at all."""
        done = self.write(f"INSERT INTO {name} SELECT * FROM twin WHERE {where}")
        after = self.items()
        others = {one: item for one, item in before.items() if one != key}
        if done == 1:
            self.assertEqual({one: item for one, item in after.items() if one != key}, others)
            self.assertIn(key, after)
            self.assertEqual(comparable(self.fx.rows(f"SELECT * FROM {name} WHERE {where}")), comparable(self.fx.rows(f"SELECT * FROM twin WHERE {where}")))
        else:
            self.assertEqual(after, others)
        self.restore(before)
        return done == 1

    def try_update(self, name, where, before, key, column, value, may_change):
        """Assigns a value: the row has it, the attributes of no other column change, nor any other item."""
        done = self.write(f'UPDATE {name} SET "{column}" = {value} WHERE {where}')
        after = self.items()
        if done != 1:
            self.assertEqual(after, before)
            return 0
        self.assertEqual(after.keys(), before.keys())
        self.assertLessEqual({one for one in after if after[one] != before[one]}, {key})
        changed = {attribute for attribute in {**before[key], **after[key]} if before[key].get(attribute) != after[key].get(attribute)}
        self.assertLessEqual(changed, may_change)
        self.fx.execute(f'BEGIN; UPDATE twin SET "{column}" = {value} WHERE {where}')
        self.assertEqual(comparable(self.fx.rows(f"SELECT * FROM {name} WHERE {where}")), comparable(self.fx.rows(f"SELECT * FROM twin WHERE {where}")))
        self.fx.execute("ROLLBACK")
        self.restore(before)
        return 1 if changed else 0

    def try_table(self, name):
        """Each row, each column."""
        options, columns = self.options_of(name), self.columns_of(name)
        self.remote = options["table_name"]
        described = self.fx.dynamo.call("DescribeTable", {"TableName": self.remote})["Table"]
        self.hash_and_range = [one["AttributeName"] for one in described["KeySchema"]]
        templates = json.loads(options.get("key_templates", "{}"))
        keys = {column for attribute in self.hash_and_range for column in
                placeholders(templates.get(attribute, "")) or [c for c, shown in columns.items() if shown == attribute]}
        self.fx.execute(f"CREATE TEMP TABLE twin AS SELECT * FROM {name}")
        self.addCleanup(self.fx.execute, "DROP TABLE IF EXISTS twin")
        before = self.items()
        where = "concat_ws(' AND ', 'true'" + "".join(f""", format('"{c}" = %L', "{c}")""" for c in sorted(keys)) + ")"
        written = 0
        for (row,) in self.fx.rows(f"SELECT {where} FROM twin"):
            with self.subTest(name, row=row):
                key = self.try_delete(name, row, before)
                self.inserted += self.try_insert(name, row, before, key)
                for column, attribute in columns.items():
                    composed = {one for one, template in templates.items() if column in placeholders(template)}
                    for value in ["NULL"] + [one for (one,) in self.fx.rows(
                            f'SELECT DISTINCT quote_nullable("{column}"::text) FROM twin WHERE "{column}" IS NOT NULL AND NOT ({row}) ORDER BY 1 LIMIT 2')]:
                        with self.subTest(column=column, value=value):
                            written += self.try_update(name, row, before, key, column, value, {attribute, *composed, *templates} if composed else {attribute})
        self.fx.execute("DROP TABLE twin")
        return written

    def test_H06_rows(self):
        """Every table of the page."""
        if self.PAGE is None:
            return
        self.inserted, written = 0, 0
        for name in self.names:
            if "unnest" in self.options_of(name):
                self.assertIn("its rows are not items", self.fx.error(f"DELETE FROM {name}").message)
                continue
            with self.subTest(name):
                written += self.try_table(name)
        self.assertGreaterEqual(written, self.WRITES)
        self.assertGreaterEqual(self.inserted, self.INSERTS)


class SingleTable(Page):
    PAGE = "single-table.md"
    WRITES, INSERTS = 41, 11


class MigrationSingleTable(Page):
    PAGE = "migration-single-table.md"
    WRITES, INSERTS = 8, 5


class Migration(Page):
    PAGE = "migration.md"
    WRITES, INSERTS = 21, 3


class KeysAndTime(Page):
    PAGE = "cookbook-keys-and-time.md"
    WRITES, INSERTS = 41, 18


class ManyToMany(Page):
    PAGE = "cookbook-many-to-many.md"
    WRITES, INSERTS = 33, 15


class OneToMany(Page):
    PAGE = "cookbook-one-to-many.md"
    WRITES, INSERTS = 65, 19


class CookbookSingleTable(Page):
    PAGE = "cookbook-single-table.md"
    WRITES, INSERTS = 35, 19
