"""Imports of every table of the demo, the manual's pages and the worked designs, next to the foreign tables that were written by hand; and their
keys, decoded and encoded again."""
import json
import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(ROOT, "test", "tour"), os.path.join(ROOT, "test", "t")]

# The paths above are needed first.
import data                 # noqa: E402
import designs              # noqa: E402
import fixture              # noqa: E402
import page_items           # noqa: E402
import test_design_entities  # noqa: E402
import test_design_documents # noqa: E402
import test_design_many_to_many    # noqa: E402
import test_design_keys     # noqa: E402

DEFINITION = re.compile(r"^CREATE (?:FOREIGN )?TABLE .*?;$", re.M | re.S)
PLACEHOLDER = re.compile(r"\$\{([^$}:]+)(?::([^}]*))?\}")

# What an import makes of a DynamoDB type.
TYPES = {"S": "text", "N": "numeric", "B": "bytea", "BOOL": "boolean", "SS": "text[]", "NS": "numeric[]", "BS": "bytea[]"}

# What it must be for a column that was written by hand, by its format, or else its type.
NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")
FORMATS = {"epoch": "numeric", "iso8601": "text", "pattern": "text", "ulid": "text", "string": "text", "padded": "text", "base64": "text", "json": "text"}
COMPARED = {"text", "boolean", "jsonb", "bytea", "text[]", "smallint", "integer", "bigint", "numeric", "numeric[]"}

# Pages whose items and tables are designs that work. Others show what goes wrong.
PAGES = ["cookbook-one-to-many.md", "cookbook-single-table.md", "cookbook-many-to-many.md", "cookbook-keys-and-time.md",
         "migration.md", "migration-single-table.md", "single-table.md"]

# Tables that show an error.
AMBIGUOUS = ["doc"]

TABLES = """
SELECT c.relname, (SELECT coalesce(jsonb_object_agg(option_name, option_value), '{}') FROM pg_options_to_table(f.ftoptions))
  FROM pg_foreign_table f JOIN pg_class c ON c.oid = f.ftrelid WHERE c.relnamespace = %s::regnamespace ORDER BY 1"""

COLUMNS = """
SELECT attname, format_type(CASE typtype WHEN 'd' THEN typbasetype ELSE atttypid END, -1), attnotnull, coalesce(l.collname = 'C', false),
       (SELECT coalesce(jsonb_object_agg(option_name, option_value), '{}') FROM pg_options_to_table(attfdwoptions))
  FROM pg_attribute a JOIN pg_type t ON t.oid = atttypid LEFT JOIN pg_collation l ON l.oid = attcollation
 WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""


class Column:
    """A column and its options."""

    def __init__(self, name, kind, not_null, bytewise, options):
        self.name, self.kind, self.not_null, self.bytewise, self.options = name, kind, not_null, bytewise, options
        self.attribute = options.get("attribute", name)

    def is_full(self):
        """Does it show an attribute?"""
        return not {"path", "document"} & set(self.options)

    def imported_types(self):
        """What the attribute's column may be after an import."""
        templated = self.options.get("format", "").partition("(")[0].partition("_")[0]
        if templated == "bool":
            return ("text", "numeric")
        if templated:
            return (FORMATS[templated],)
        if self.kind in NUMBERS:
            return ("numeric",)
        if self.kind == "jsonb":
            return (*TYPES.values(), "jsonb")
        if self.kind == "boolean":
            return ("boolean", "numeric", "text")
        return (self.kind, "jsonb") if self.kind.endswith("[]") else ("bytea",) if self.kind == "bytea" else ("text",)


class Relation:
    """A foreign table that was written by hand."""

    def __init__(self, name, options, columns):
        self.name, self.options, self.columns = name, options, columns
        self.templates = json.loads(options.get("key_templates", "{}"))
        self.match = json.loads(options.get("item_filter", "{}"))

    def is_part(self, column):
        """Is it read from a part of a template?"""
        if {"attribute", "path"} & set(column.options):
            return self.names(column.attribute, column.name)
        return any(self.names(attribute, column.name) for attribute in self.templates)

    def names(self, attribute, column):
        """Does the attribute's template name the column?"""
        return column in [name for name, _ in PLACEHOLDER.findall(self.templates.get(attribute, ""))]

    def folds(self, attribute):
        """Does the template fold letters or times, so that they cannot be known from the text?"""
        return any(re.search(r"lower|upper|\b(year|month|day|hour|trunc)\b", spec) for _, spec in PLACEHOLDER.findall(self.templates[attribute]))

    def shown(self):
        """The columns that show attributes as they are."""
        return [one for one in self.columns if one.is_full() and not self.is_part(one)]

    def key(self, attribute):
        """An expression of a row, t, for a key attribute; None: the row does not determine it."""
        if attribute in self.templates:
            return f"dynamo_fdw_encode_key('{self.name}', '{attribute}', to_jsonb(t))"
        return next((f't."{one.name}"' for one in self.shown() if one.attribute == attribute and one.kind in COMPARED and "format" not in one.options), None)


class Case:
    """One set of tables, in a database of its own; `provide` makes them."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = f"{cls.fx.database}."
        cls.fx.server("mine", cls.fx.proxy.endpoint, table_prefix=cls.prefix, scan_policy="allow")
        cls.provide()
        cls.fx.execute("SET dynamo_fdw.scan_policy = allow; SET client_min_messages = error")
        cls.relations_by_table = {}
        for name, options in cls.fx.rows(TABLES, ("public",)):
            columns = [Column(*row) for row in cls.fx.rows(COLUMNS, (f'public."{name}"',))]
            table = options.get("table_name", name)
            cls.relations_by_table.setdefault(table.removeprefix(cls.prefix), []).append(Relation(name, options, columns))
        tables = ", ".join(f'"{name}"' for name in cls.relations_by_table)
        cls.fx.execute(f"CREATE SCHEMA imported; IMPORT FOREIGN SCHEMA x LIMIT TO ({tables}) FROM SERVER mine INTO imported OPTIONS (sample_items '10000')")
        cls.described = {name: cls.fx.dynamo.call("DescribeTable", {"TableName": cls.prefix + name})["Table"] for name in cls.relations_by_table}
        cls.items = {name: cls.all_items(cls.prefix + name) for name in cls.relations_by_table}

    @classmethod
    def all_items(cls, table):
        """Straight from DynamoDB."""
        items, page = [], {}
        while not items or "LastEvaluatedKey" in page:
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if page else {}
            page = cls.fx.dynamo.call("Scan", {"TableName": table, **start})
            items += page["Items"]
            if not page["Items"]:
                break
        return items

    def base_key(self, table):
        """The names of the table's key attributes."""
        return [one["AttributeName"] for one in self.described[table]["KeySchema"]]

    def keys(self, table):
        """Those of the indexes, too, in the order of an import."""
        indexes = self.described[table].get("LocalSecondaryIndexes", []) + self.described[table].get("GlobalSecondaryIndexes", [])
        return list(dict.fromkeys(self.base_key(table) + [one["AttributeName"] for one in sum((i["KeySchema"] for i in indexes), [])]))

    def imported(self, table):
        """The imported columns, by attribute."""
        return {one.attribute: one for one in (Column(*row) for row in self.fx.rows(COLUMNS, (f'imported."{table}"',)))}

    def test_there_is_something(self):
        self.assertTrue(all(self.items.values()))

    def test_columns(self):
        """The keys, and what items have, with the types that DynamoDB has."""
        for table, items in self.items.items():
            with self.subTest(table):
                imported = self.imported(table)
                defined = {one["AttributeName"]: one["AttributeType"] for one in self.described[table]["AttributeDefinitions"]}
                types = {name: {defined[name]} for name in self.keys(table)}
                for one in items:
                    for name, value in one.items():
                        types.setdefault(name, set()).update(set(value) - {"NULL"})
                self.assertEqual({name: one.kind for name, one in imported.items()},
                                 {name: TYPES.get(*kinds, "jsonb") if len(kinds) == 1 else "jsonb" for name, kinds in types.items()})
                self.assertEqual([name for name, one in imported.items() if one.not_null], self.base_key(table))
                self.assertEqual({name for name, one in imported.items() if one.bytewise},
                                 {name for name in self.keys(table) if types[name] == {"S"}})

    def test_types(self):
        """Columns by hand have an imported one, of a matching type, unless no item has their attribute."""
        for table, relations in self.relations_by_table.items():
            imported = self.imported(table)
            for relation in relations:
                for column in relation.columns:
                    with self.subTest(f"{relation.name}.{column.name}"):
                        if not column.is_full() or relation.is_part(column) or column.attribute not in imported:
                            continue
                        kind = imported[column.attribute].kind
                        self.assertIn(kind, (*column.imported_types(), "jsonb"))
                        self.assertIn(column.attribute, {name for one in self.items[table] for name in one} | set(self.keys(table)))
                for attribute in relation.templates:
                    with self.subTest(f"{relation.name} {attribute}"):
                        self.assertIn(imported[attribute].kind if attribute in imported else "text", ("text", "numeric", "jsonb"))

    def test_rows(self):
        """Each row by hand is the imported row with the key that its templates give, with the same values."""
        for table, relations in self.relations_by_table.items():
            imported = self.imported(table)
            self.assertEqual(self.fx.value(f'SELECT count(*) FROM imported."{table}"'), len(self.items[table]))
            for relation in relations:
                keys = [(imported[name].name, relation.key(name)) for name in self.base_key(table)]
                if "unnest" in relation.options or any(key is None for _, key in keys):
                    continue
                same = [f'(to_jsonb(t."{one.name}") IS NOT DISTINCT FROM to_jsonb(i."{imported[one.attribute].name}"))' for one in relation.shown()
                        if one.kind in COMPARED and "format" not in one.options and one.attribute in imported
                        and (one.kind != "boolean" or imported[one.attribute].kind == "boolean") and relation.options.get("on_mismatch") != "null"]
                with self.subTest(relation.name):
                    condition = " AND ".join([f'i."{name}" = {key}' for name, key in keys] + same)
                    rows = self.fx.value(f'SELECT count(*) FROM "{relation.name}"')
                    self.assertEqual(self.fx.value(f'WITH t AS MATERIALIZED (SELECT * FROM "{relation.name}"), i AS MATERIALIZED (SELECT * FROM imported."{table}")'
                                                   f" SELECT count(*) FROM t JOIN i ON {condition}"), rows)

    def test_divided(self):
        """The tables by hand together have the imported rows, but for those that no table has according to a check, or several have."""
        for table, relations in self.relations_by_table.items():
            full = [one for one in relations if "unnest" not in one.options]
            selective = [one for one in full if one.match or set(one.templates) & set(self.base_key(table))]
            with self.subTest(table):
                for one in full:
                    if one not in selective and "ttl_attribute" not in one.options:
                        self.assertEqual(self.fx.value(f'SELECT count(*) FROM "{one.name}"'), len(self.items[table]))
                if not selective or len({"unnest" in one.options for one in relations}) > 1:
                    continue
                found = self.fx.rows("SELECT kind, items, detail FROM dynamo_fdw_check_table(%s)", (f'"{selective[0].name}"',))
                self.assertFalse([row for row in found if row[0] in ("definition", "ambiguous")])
                twice = sum(items * (detail.count(",") + 1) for kind, items, detail in found if kind == "shared")
                none = sum(items for kind, items, _ in found if kind in ("unclaimed", "expired"))
                self.assertEqual(sum(self.fx.value(f'SELECT count(*) FROM "{one.name}"') for one in selective) - twice + none, len(self.items[table]))

    def test_round_trip(self):
        """The text of an attribute that matches a template is what its columns give."""
        for table, relations in self.relations_by_table.items():
            for relation in relations:
                for attribute in relation.templates:
                    texts = list({next(iter(one[attribute].values())) for one in self.items[table] if attribute in one})
                    with self.subTest(f"{relation.name} {attribute}"):
                        decoded = self.fx.rows(f"SELECT text, dynamo_fdw_decode_key('\"{relation.name}\"', %s, text) FROM unnest(%s) text", (attribute, texts))
                        matching = [(text, json.dumps(columns)) for text, columns in decoded if columns is not None]
                        if attribute in self.base_key(table) and self.fx.rows(f'SELECT FROM "{relation.name}" LIMIT 1'):
                            self.assertTrue(matching)
                        if not relation.folds(attribute):
                            for text, columns in matching:
                                self.assertEqual(self.fx.value(f"SELECT dynamo_fdw_encode_key('\"{relation.name}\"', %s, %s)", (attribute, columns)), text)


class Demo(Case, fixture.TestCase):
    """The tables of test/demo, over which the tutorial has others."""

    @classmethod
    def provide(cls):
        """As the demo does, under other names."""
        for name, items, hash_key, range_key, indexes in data.TABLES:
            cls.fx.create_table(name, hash_key, range_key, indexes)
            cls.fx.put(name, items)
        with open(os.path.join(ROOT, "test", "tour", "tables.sql"), encoding="utf-8") as file:
            define(cls.fx, file.read())


def define(fx, text):
    """The foreign tables of a text, of the server "mine"; the last one of a name."""
    for sql in DEFINITION.findall(text):
        name = re.match(r"CREATE FOREIGN TABLE (\w+)|", sql).group(1)
        fx.execute((f"DROP FOREIGN TABLE IF EXISTS {name}; " if name else "") + re.sub(r"\bSERVER ddb\b", "SERVER mine", sql))


def of_page(page):
    """The class of a page of the manual with items."""
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        text = file.read()

    class Page(Case, fixture.TestCase):
        """The tables of the page."""

        @classmethod
        def provide(cls):
            """All of them, under other names."""
            for name, partition, sort, indexes, items in page_items.tables(text):
                cls.fx.create_table(name, partition, sort, indexes)
                cls.fx.dynamo.put_raw(cls.fx.remote(name), items)
            define(cls.fx, "".join(re.findall(r"^```sql\n(.*?)^```$", text, re.M | re.S)))
            cls.fx.execute("DROP FOREIGN TABLE IF EXISTS " + ", ".join(AMBIGUOUS))

    Page.__name__ = Page.__qualname__ = "Page" + re.sub(r"\W", "", page[:-3].title())
    return Page


def of_design(design):
    """The class of a worked design."""
    class Design(Case, designs.TestCase):
        """Its tables."""

        @classmethod
        def provide(cls):
            """They were made when the class was set up."""

    Design.make = classmethod(design.make.__func__)
    Design.__name__ = Design.__qualname__ = "Worked" + design.__name__
    for name, value in vars(design).items():
        if not name.startswith(("__", "test_", "make")):
            setattr(Design, name, value)
    return unittest.skipIf(getattr(design, "__unittest_skip__", False), getattr(design, "__unittest_skip_why__", ""))(Design)


def of_example(example):
    """The same of one that makes its tables itself."""
    class Example(Case, example):
        """Without its tests."""

        @classmethod
        def provide(cls):
            """They were made when the class was set up."""

    Example.__name__ = Example.__qualname__ = "Worked" + example.__name__
    for name in dir(example):
        if name.startswith("test_") and not hasattr(Case, name):
            setattr(Example, name, None)
    return Example


def classes(module, base):
    """Those of a module."""
    return [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, base) and one.__module__ == module.__name__]


# Rounds has keys of several attributes, which DynamoDB Local has not.
for made in [of_page(page) for page in PAGES] + [of_example(one) for one in classes(test_design_documents, fixture.TestCase)] + [
        of_design(one) for module in (test_design_entities, test_design_many_to_many, test_design_keys) for one in classes(module, designs.TestCase)
        if one is not test_design_keys.Rounds]:
    globals()[made.__name__] = made
del made
