"""The items that a page of the manual shows, and their DynamoDB tables.

They are in blocks that begin with ```items. The first line names the table with its key, and its indexes:

    app (pk, sk), by_mail (mail), by_round (cup region, round) keys only

Every other line is an item as JSON, of which lines that begin with a blank are the continuation. Numbers are N, strings
S, and {"SS": ["a", "b"]}, {"NS": ["1"]} and {"B": "AAE="} the same.
"""
import json
import re
from decimal import Decimal

from dynamo import attribute, index

TYPED = ("SS", "NS", "BS", "B")
KEY = re.compile(r"([\w.-]+) \(([^)]*)\)( keys only)?")


def value(content):
    """A JSON value as a DynamoDB attribute value."""
    if isinstance(content, dict):
        if len(content) == 1 and next(iter(content)) in TYPED:
            return content
        return {"M": {name: value(one) for name, one in content.items()}}
    if isinstance(content, list):
        return {"L": [value(one) for one in content]}
    return attribute(content)


def has_items(text):
    """Does the page have items of its own?"""
    return re.search(r"^```items$", text, re.M) is not None


def tables(text):
    """(name, partition key, sort key, indexes, items) of each block in a page."""
    for block in re.findall(r"^```items\n(.*?)^```$", text, re.M | re.S):
        head, _, lines = re.sub(r"\n +", " ", block).partition("\n")
        items = [{name: value(one) for name, one in json.loads(line, parse_float=Decimal).items()}
                 for line in lines.splitlines()]
        (name, keys, _), *others = KEY.findall(head)
        yield name, *sides(keys, items), [index(one, *sides(columns, items), "KEYS_ONLY" if short else "ALL")
                                          for one, columns, short in others], items


def sides(keys, items):
    """The partition key and the sort key, each as (name, type) pairs."""
    partition, _, sort = keys.partition(", ")
    return [[(name, type_of(name, items)) for name in side.split()] for side in (partition, sort)]


def type_of(name, items):
    """The type of a key attribute."""
    return next((next(iter(one[name])) for one in items if name in one), "S")


def load(dynamo, text):
    """Makes the tables of a page; returns their names."""
    names = []
    for name, partition, sort, indexes, items in tables(text):
        dynamo.create_table(name, partition, sort, indexes)
        dynamo.put_raw(name, items)
        names.append(name)
    return names
