"""Requests as one line of text each, and tests made of a table of statements.

    Query orders/by_status where status = 'open' AND at >= '2024-12' filter total > 10 get at, total limit 2 backward
    PutItem orders {cust 'a', total 5} if attribute_not_exists(cust)
    UpdateItem orders {cust 'a'} SET total = 6 if attribute_exists(cust) AND total = 5

Names and values are put in place of the placeholders; tables go without the name of the test's database. Values are
'text', 12.5, x'00ff', true. Requests that run at the same time have no order, so texts are compared sorted.
"""
import base64
import collections
import json
import os
import re

import fixture


def literal(value):
    """An attribute value as text."""
    kind, content = next(iter(value.items()))
    if kind == "S":
        return "'" + content.replace("'", "''") + "'"
    if kind == "B":
        return "x'" + base64.b64decode(content).hex() + "'"
    return {"N": lambda: content, "BOOL": lambda: str(content).lower(), "NULL": lambda: "null"}.get(
        kind, lambda: json.dumps(value, ensure_ascii=False))()


def expression(text, document):
    """An expression with its placeholders resolved, and one space wherever there is any."""
    names = document.get("ExpressionAttributeNames", {})
    values = document.get("ExpressionAttributeValues", {})
    text = re.sub(r"#\w+|:\w+", lambda m: names[m.group()] if m.group()[0] == "#" else literal(values[m.group()]), text)
    return re.sub(r"\s+", " ", text)


def key_text(key):
    """A primary key: {cust 'a', at 'b'}."""
    return "{" + ", ".join(f"{name} {literal(value)}" for name, value in key.items()) + "}"


def projection(document):
    """The projection, in alphabetical order; complete items are *, of an index as the table has them all of *."""
    if document.get("Select") == "ALL_ATTRIBUTES":
        return " get all of *"
    text = document.get("ProjectionExpression")
    if text is None:
        return " get *"
    return " get " + ", ".join(sorted(part.strip() for part in expression(text, document).split(",")))


def read_text(operation, table, body):
    """Query, Scan and GetItem."""
    text = f"{operation} {table}" + (f"/{body['IndexName']}" if "IndexName" in body else "")
    if "Key" in body:
        text += " " + key_text(body["Key"])
    for word, member in (("where", "KeyConditionExpression"), ("filter", "FilterExpression")):
        if member in body:
            text += f" {word} {expression(body[member], body)}"
    text += "" if body.get("Select") == "COUNT" else projection(body)
    text += f" limit {body['Limit']}" if "Limit" in body else ""
    text += " backward" if body.get("ScanIndexForward") is False else ""
    text += " count" if body.get("Select") == "COUNT" else ""
    text += " consistent" if body.get("ConsistentRead") else ""
    text += f" segment {body['Segment']} of {body['TotalSegments']}" if body.get("TotalSegments", 1) > 1 else ""
    return text + (" next" if "ExclusiveStartKey" in body else "")


def write_text(operation, table, body):
    """PutItem, UpdateItem, DeleteItem, and Put, Update, Delete in a transaction."""
    text = f"{operation} {table} {key_text(body['Item' if 'Item' in body else 'Key'])}"
    for word, member in (("", "UpdateExpression"), (" if", "ConditionExpression")):
        if member in body:
            text += f"{word} {expression(body[member], body)}"
    return text + (f" returning {body['ReturnValues']}" if "ReturnValues" in body else "")


def request_text(request, database):
    """One request as one line."""
    body = request.body
    if request.operation == "TransactWriteItems":
        writes = (next(iter(member.items())) for member in body["TransactItems"])
        return "TransactWriteItems " + "; ".join(
            write_text(kind, write["TableName"].replace(f"{database}.", ""), write) for kind, write in writes)
    if request.is_write():
        return write_text(request.operation, body["TableName"].replace(f"{database}.", ""), body)
    if request.operation != "BatchGetItem":
        return read_text(request.operation, body.get("TableName", "").replace(f"{database}.", ""), body)
    [(table, wanted)] = body["RequestItems"].items()
    keys = " ".join(sorted(key_text(key) for key in wanted["Keys"]))
    return f"BatchGetItem {table.replace(f'{database}.', '')} {keys}{projection(wanted)}" + \
        (" consistent" if wanted.get("ConsistentRead") else "")


def plain(rows):
    """Rows that can be compared and sorted: bytea comes as memoryview."""
    return [tuple(bytes(value) if isinstance(value, memoryview) else value for value in row) for row in rows]


class RequestTestCase(fixture.TestCase):
    """Statements over foreign tables and, in the schema "mirror", local tables with the same rows."""

    def mirrored(self, sql, parameters=None):
        """The rows that the statement gives over the local tables."""
        self.fx.execute("SET search_path = mirror, public")
        try:
            return self.fx.rows(sql, parameters)
        finally:
            self.fx.execute("RESET search_path")

    def texts(self, sql, parameters=None):
        """What the statement requests, sorted."""
        return self.texts_and_rows(sql, parameters)[0]

    def texts_and_rows(self, sql, parameters=None):
        """What one execution requests, sorted, and its rows."""
        sent, rows = self.fx.requests_and_rows(sql, parameters)
        return sorted(request_text(request, self.fx.database) for request in sent), rows

    def assertRequests(self, sql, expected, parameters=None):
        """The statement sends just these requests, and gives the rows of a local table."""
        texts, rows = self.texts_and_rows(sql, parameters)
        self.assertEqual(texts, sorted(expected))
        rows, right = plain(rows), plain(self.mirrored(sql, parameters))
        if "order by" not in sql.lower():
            rows, right = sorted(rows, key=repr), sorted(right, key=repr)
        self.assertEqual(rows, right)

    @classmethod
    def mapped(cls, name, columns, templates, **options):
        """A foreign table with key templates over the DynamoDB table of that name, or another one, and its local table."""
        cls.fx.foreign_table(name, columns, key_templates=json.dumps(templates), scan_policy="allow", **options)
        cls.mirror(name)

    @classmethod
    def mirror(cls, *tables):
        """Make the local tables of the same rows."""
        cls.fx.execute("CREATE SCHEMA IF NOT EXISTS mirror")
        for table in tables:
            cls.fx.execute(f"CREATE TABLE mirror.{table} AS SELECT * FROM public.{table}")


MARGIN = 1.2        # times the ideal requests and units


class Ideal(collections.namedtuple("Ideal", "name sql requests units arguments known", defaults=(None, {}))):
    """A statement, and the requests and read units that an expert would pay for it by hand: one number for both sizes, or (small, large).

    With arguments, it is a generic plan of $1 ... known has what is above the ideal nevertheless, where there is nothing better:
    {"small" or "large analyzed" or ...: (requests, units)}, next to the reason.
    """


class IdealTestCase(RequestTestCase):
    """Statements at two sizes, analyzed and not: no more requests and read units than MARGIN times the ideal ones.

    A subclass has STATEMENTS, and items(count) for each DynamoDB table of TABLES {name: (hash key, range key, indexes)}, which
    gives its items at a size; ENTITIES {foreign table: (DynamoDB table, columns, options)}. The foreign tables of a size are in
    schemas of their own, so that none depends on what another test has analyzed; local tables for values are made by local().
    """

    SIZES = {"small": 6, "large": 120}
    TABLES, ENTITIES, STATEMENTS = {}, {}, []

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.execute("SET TimeZone = 'UTC'; ALTER SERVER ddb OPTIONS (ADD scan_policy 'allow')")
        cls.local()
        for size, count in cls.SIZES.items():
            for table, definition in cls.TABLES.items():
                fx.create_table(f"{size}_{table}", *definition)
                fx.put(f"{size}_{table}", cls.items(table, count))
            for schema in (size, f"{size} analyzed"):
                fx.execute(f'CREATE SCHEMA "{schema}"; SET search_path = "{schema}", public')
                for entity, (table, columns, options) in cls.ENTITIES.items():
                    fx.foreign_table(entity, columns, table_name=fx.remote(f"{size}_{table}"), **options)
            fx.execute("; ".join(f"ANALYZE {entity}" for entity in cls.ENTITIES))
            fx.execute(f'CREATE SCHEMA "rows {size}"')
            for entity in cls.ENTITIES:
                fx.execute(f'CREATE TABLE "rows {size}".{entity} AS SELECT * FROM "{size}".{entity}')

    @classmethod
    def local(cls):
        """Make local tables whose values the statements use."""

    def setUp(self):
        self.addCleanup(self.fx.execute, "RESET search_path; RESET plan_cache_mode; DEALLOCATE ALL")

    def prepared(self, ideal, schema):
        """The statement to execute in a schema."""
        self.fx.execute(f'SET search_path = "{schema}", public; DEALLOCATE ALL')
        if ideal.arguments is None:
            return ideal.sql
        self.fx.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE p AS {ideal.sql}")
        return f"EXECUTE p {ideal.arguments}"

    def assertIdeal(self, ideal):
        """The rows, requests and units of a statement, at each size, analyzed and not."""
        for place, size in enumerate(self.SIZES):
            requests, units = (best[place] if isinstance(best, tuple) else best for best in (ideal.requests, ideal.units))
            right = plain(self.fx.rows(self.prepared(ideal, f"rows {size}")))
            for schema in (size, f"{size} analyzed"):
                sent, rows = self.fx.requests_and_rows(self.prepared(ideal, schema))
                rows = plain(rows)
                paid = sum(request.response["units"] for request in sent)
                if os.environ.get("IDEAL_TABLE"):
                    over = " !" if len(sent) > MARGIN * requests or paid > MARGIN * units else ""
                    print(f"{ideal.name} | {schema} | {requests} {len(sent)} | {units} {paid}{over}", flush=True)
                with self.subTest(ideal.name, schema=schema):
                    ordered = "order by" in ideal.sql.lower().rsplit(")", 1)[-1]
                    self.assertEqual(*(found if ordered else sorted(found, key=repr) for found in (rows, right)))
                    self.assertTrue(right, "a statement without rows shows nothing")
                    texts = "\n".join(request_text(request, self.fx.database) for request in sent)
                    most_requests, most_units = ideal.known.get(schema, (MARGIN * requests, MARGIN * units))
                    self.assertLessEqual(len(sent), most_requests, texts)
                    self.assertLessEqual(paid, most_units, texts)
                    if schema in ideal.known:
                        self.assertEqual((len(sent), paid), ideal.known[schema], f"not what is known; if it is less, the better:\n{texts}")


def ideals(cls):
    """A class decorator: one test for each of STATEMENTS."""
    for ideal in cls.STATEMENTS:
        def test(self, ideal=ideal):
            self.assertIdeal(ideal)
        method = "test_" + re.sub(r"\W+", "_", ideal.name)
        assert not hasattr(cls, method), method
        setattr(cls, method, test)
    return cls


def statements(table):
    """A class decorator: one test for each line (name, SQL, requests[, parameters]) of the table."""
    def decorate(cls):
        for name, sql, expected, *parameters in table:
            def test(self, sql=sql, expected=expected, parameters=parameters):
                self.assertRequests(sql, expected, *parameters)
            method = "test_" + re.sub(r"\W+", "_", name)
            assert not hasattr(cls, method), method
            setattr(cls, method, test)
        return cls
    return decorate
