"""Requests as one line of text each, and tests made of a table of statements.

    Query orders/by_status where status = 'open' AND at >= '2024-12' filter total > 10 get at, total limit 2 backward
    PutItem orders {cust 'a', total 5} if attribute_not_exists(cust)
    UpdateItem orders {cust 'a'} SET total = 6 if attribute_exists(cust) AND total = 5

Names and values are put in place of the placeholders; tables go without the name of the test's database. Values are
'text', 12.5, x'00ff', true. Requests that run at the same time have no order, so texts are compared sorted.
"""
import base64
import json
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
        return sorted(request_text(r, self.fx.database) for r in self.fx.requests(sql, parameters))

    def assertRequests(self, sql, expected, parameters=None):
        """The statement sends just these requests, and gives the rows of a local table."""
        self.assertEqual(self.texts(sql, parameters), sorted(expected))
        rows, right = plain(self.fx.rows(sql, parameters)), plain(self.mirrored(sql, parameters))
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
