"""Designs: items of one or more DynamoDB tables, foreign tables over them, and local tables that a program made from the same facts.

    class Shop(designs.TestCase):
        @classmethod
        def make(cls):
            cls.fx.create_table("shop", ("pk", "S"))
            cls.fx.put("shop", ITEMS)
            cls.relations({"article": ("shop", "id text NOT NULL", {"key_templates": '{"pk": "a#${id}"}'}, [("1",), ("2",)])})

The rows are never read through a foreign table: what it gives is compared with them. The order of columns and of members of JSON
options is drawn, from DESIGN_SEED (1) and the table's name: nothing may depend on it.
"""
import json
import os
import random
import re

from psycopg2.extras import Json, execute_values

import request_text


def shuffled(rng, values):
    """The same in another order; of a dict, its members."""
    if isinstance(values, dict):
        return dict(shuffled(rng, values.items()))
    return rng.sample(list(values), len(values))


def separate(columns):
    """The definitions of columns: parted by commas that are in no parentheses and in no quotes."""
    return [one.strip() for one in re.findall(r"""(?:[^,()'"]|'[^']*'|"[^"]*"|\((?:[^()'"]|'[^']*'|"[^"]*"|\([^()]*\))*\))+""", columns)]


def show_the_same(definitions):
    """Is there an attribute of two columns? Only the first of them is known to be in the order of a key."""
    return any(f"attribute '{one.split()[0]}'" in other for one in definitions for other in definitions)


class TestCase(request_text.RequestTestCase):
    """A class whose foreign tables have twins in the schema "mirror"."""

    made = {}
    scan_policy = "allow"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make()

    @classmethod
    def make(cls):
        """The items and the foreign tables, of one class or, called by another one, next to those of others."""

    @classmethod
    def relations(cls, relations, server="ddb", analyze=False):
        """Foreign tables by name: (DynamoDB table, columns, options, rows); objects among the options become JSON."""
        cls.made = {**cls.made, **relations}
        cls.fx.execute("CREATE SCHEMA IF NOT EXISTS mirror")
        for name, (remote, columns, options, rows) in relations.items():
            rng = random.Random(f"{os.environ.get('DESIGN_SEED', '1')} {name}")
            definitions = separate(columns)
            order = range(len(definitions)) if show_the_same(definitions) else shuffled(rng, range(len(definitions)))
            columns, rows = ", ".join(definitions[n] for n in order), [[row[n] for n in order] for row in rows]
            options = {option: json.dumps(shuffled(rng, value)) if isinstance(value, dict) else value for option, value in options.items()}
            cls.fx.foreign_table(name, columns, server=server, table_name=cls.fx.remote(remote) if server == "ddb" else remote, scan_policy=cls.scan_policy, **options)
            cls.fx.execute(f"CREATE TABLE mirror.{name} (LIKE public.{name})")
            with cls.fx.conn.cursor() as cursor:
                execute_values(cursor, f"INSERT INTO mirror.{name} VALUES %s", [tuple(Json(v) if isinstance(v, dict) else v for v in row) for row in rows], page_size=1000)
            if analyze:
                cls.fx.execute(f"ANALYZE public.{name}")

    def keys_of(self, remote):
        """The attributes of each key: of the table, and of its indexes."""
        described = self.fx.dynamo.call("DescribeTable", {"TableName": self.fx.remote(remote)})["Table"]
        for one in [described, *described.get("GlobalSecondaryIndexes", []), *described.get("LocalSecondaryIndexes", [])]:
            yield [attribute["AttributeName"] for attribute in one["KeySchema"]]

    def assertBothWays(self):
        """Each row that a Scan finds is found by what its templates compose of each key, alone and among others; and no other is."""
        tried = 0
        for name, (remote, _, options, _) in self.made.items():
            templates = options.get("key_templates", {})
            templates = json.loads(templates) if isinstance(templates, str) else templates
            for key in self.keys_of(remote) if templates else ():
                columns = list(dict.fromkeys(c for attribute in key for c in re.findall(r"(?<!\$)\$\{([^:}]+)", templates.get(attribute, ""))))
                for part in {tuple(columns), tuple(columns[:1])} - {()}:
                    same = " AND ".join(f'r."{c}" = l."{c}"' for c in part)
                    listed = ", ".join(f'l."{c}"' for c in part)
                    sql = (f"SELECT w::text FROM (SELECT DISTINCT {listed} FROM mirror.{name} l ORDER BY {listed} LIMIT 40) l,"
                           f" LATERAL (SELECT * FROM {{}}.{name} r WHERE {same} OFFSET 0) w")
                    with self.subTest(name, key=key, part=part):
                        self.assertEqual(sorted(self.fx.rows(sql.format("public"))), sorted(self.fx.rows(sql.format("mirror"))))
                    tried += 1
        return tried

    def assertTwins(self):
        """Every foreign table gives the rows that were made, as often as they were; also those with templates by their keys."""
        self.assertTrue(self.assertBothWays() > 0 or not any(options.get("key_templates") for _, _, options, _ in self.made.values()))
        self.assertTrue(self.made)
        for name in self.made:
            with self.subTest(name):
                for left, right in (("public", "mirror"), ("mirror", "public")):
                    self.assertEqual(self.fx.rows(f"SELECT x::text FROM {left}.{name} x EXCEPT ALL SELECT x::text FROM {right}.{name} x LIMIT 5"), [])
