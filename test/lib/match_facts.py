#!/usr/bin/python3
"""Which items DynamoDB selects by which filter: the facts that test/unit/test_item_match.c holds item_match.c against.

usage: test/lib/match_facts.py --write     request DynamoDB Local (DDB_ENDPOINT), and write test/unit/match_facts.h

test/t/test_item_match.py sends its request again, and demands the same responses.
"""
import base64
import json
import os
import sys

from dynamo import DynamoClient, DynamoError, attribute

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "match_facts.h")
TABLE = "match_facts"
LARGEST = "9" * 38 + "0" * 88

TEXTS = ["", "a", "A", "ab", "abc", "b", "ba", "10", "true", " a", "\u00e9", "e\u0301", "\u00e9x", "\uff5e", "\U0001f600", "\ud7ff", "x\"y\\z/",
         "\0", "a\0b", "a\nb", "aaab", "aab"]
NUMBERS = ["0", "1", "-1", "1.5", "1.50001", "9", "10", "100", "-10", "0.1", "0.09", "1E-130", "-1E-130", LARGEST, "-" + LARGEST,
           "12345678901234567890123456789012345678", "12345678901234567890123456789012345679", "1234567890123456789012345678.9012345678"]
BYTES = [b"", b"a", b"ab", b"abc", b"\0", b"\x80", b"\xff", b"\xff\0", b"10", b"aaab"]
FLAGS = [True, False]
CONTAINERS = [{"SS": ["a", "ab"]}, {"SS": ["A"]}, {"SS": ["x\"y\\z/", "\u00e9"]}, {"NS": ["1", "10"]}, {"NS": ["1.50"]}, {"BS": ["YQ==", "/w=="]},
              {"L": []}, {"M": {}}, {"M": {"a": {"S": "a"}}}, {"M": {"x": {"M": {"x": {"S": "a"}}}}},
              {"L": [attribute("a")]}, {"L": [attribute(1)]}, {"L": [attribute(x) for x in ("b", 10, True, None, b"a")]},
              {"L": [{"L": [attribute("a")]}, {"M": {"a": attribute("a")}}, {"SS": ["a"]}]}, {"L": [{"L": [attribute(1)]}, attribute(1.5), attribute("")]}]

VALUES = [attribute(v) for v in TEXTS] + [{"N": n} for n in NUMBERS] + [attribute(v) for v in BYTES + FLAGS + [None]] + CONTAINERS
# what a value is known from: of each type, with those that order and prefixes depend on
OPERANDS = [attribute(v) for v in TEXTS] + [{"N": n} for n in NUMBERS] + [attribute(v) for v in BYTES + FLAGS]
FEW = [attribute(v) for v in ("", "a", "ab", "\U0001f600", 1, 10, b"a", b"\xff", True)]
PAIRS = [(attribute(x), attribute(y)) for x, y in (("a", "b"), ("a", "a"), ("", "\uff5e"), (-1, 10), (1.5, 1.5), (b"a", b"\xff"), (b"", b""))]
MIXED = [(attribute(x), attribute(y)) for x, y in (("a", 1), ("10", 10), (b"a", "a"), (True, 1.5), (False, ""), (10, LARGEST))]

COMPARISONS = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
TYPES = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"]


def items():
    """Each value at attribute a, and below m; at last what m may be otherwise."""
    found = [{"a": value, "m": {"M": {"x": value}}} for value in VALUES]
    found += [{}, {"m": {"M": {}}}, {"m": {"NULL": True}}, {"m": {"S": "x"}}, {"m": {"L": [{"M": {"x": {"S": "a"}}}]}}, {"m": {"M": {"m": {"M": {"x": {"S": "a"}}}}}}]
    return found


def conditions():
    """Kind, path number, operands and the expression of each; :p and :q are the operands."""
    for path, name, operands in ((0, "#a", OPERANDS), (1, "#m.#x", FEW)):
        for operand in operands:
            for kind, sign in COMPARISONS.items():
                yield kind, path, (operand,), f"{name} {sign} :p"
            for kind, function in (("BEGINS_WITH", "begins_with"), ("CONTAINS", "contains")):
                yield kind, path, (operand,), f"{function}({name}, :p)"
        for pair in PAIRS:
            yield "BETWEEN", path, pair, f"{name} BETWEEN :p AND :q"
        for pair in PAIRS + MIXED:
            yield "IN", path, pair, f"{name} IN (:p, :q)"
        for kind, function in (("EXISTS", "attribute_exists"), ("NOT_EXISTS", "attribute_not_exists")):
            yield kind, path, (), f"{function}({name})"
        for kind in TYPES:
            yield "IS_TYPE", path, ({"S": kind},), f"attribute_type({name}, :p)"


def selected(dynamo, expression, operands):
    """The numbers of the items that a Scan with the filter returns; None if it is refused."""
    names = {"#a": "a"} if "#a" in expression else {"#m": "m", "#x": "x"}
    request = {"TableName": TABLE, "FilterExpression": expression, "ExpressionAttributeNames": names, "ProjectionExpression": "id"}
    values = {name: operand for name, operand in zip((":p", ":q"), operands)}
    if values:
        # two operands that are equal may have two names
        request["ExpressionAttributeValues"] = values
    try:
        return {int(item["id"]["N"]) for item in dynamo.call("Scan", request)["Items"]}
    except DynamoError as refusal:
        if refusal.code != "ValidationException":
            raise
        return None


def fill(dynamo):
    """The table with the items; returns them as DynamoDB gives them back."""
    dynamo.create_table(TABLE, ("id", "N"))
    for number, one in enumerate(items()):
        dynamo.call("PutItem", {"TableName": TABLE, "Item": {"id": {"N": str(number)}, **one}})
    found = sorted(dynamo.call("Scan", {"TableName": TABLE})["Items"], key=lambda item: int(item["id"]["N"]))
    return [{name: value for name, value in item.items() if name != "id"} for item in found]


def literal(data):
    """Bytes as a C literal."""
    text = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in data)
    return f'"{text}"'


def scalar(value):
    """A DynScalar."""
    [(kind, content)] = value.items()
    if kind == "BOOL":
        return f"{{DYN_TYPE_BOOL, NULL, {int(content)}}}"
    if kind == "N":
        content = plain(content)
    data = base64.b64decode(content) if kind == "B" else content.encode()
    return f"{{DYN_TYPE_{kind}, {literal(data)}, {len(data)}}}"


def plain(number):
    """The canonical form of a number of ours."""
    mantissa, _, exponent = number.partition("E")
    if not exponent:
        return number
    return mantissa.replace("1", "0." + "0" * (-int(exponent) - 1) + "1")


def bits(numbers, count):
    """The set as hexadecimal digits; the first item is the highest bit of the first."""
    padded = -(-count // 4) * 4
    return f"{sum(1 << (padded - 1 - n) for n in numbers):0{padded // 4}x}"


HEAD = """/*
 * match_facts.h
 *		Items, conditions, and which items DynamoDB selects by each.
 *
 * Written by test/lib/match_facts.py, from the responses of DynamoDB Local.
 * What it refuses as invalid is not here.
 */
#ifndef DYN_TEST_MATCH_FACTS_H
#define DYN_TEST_MATCH_FACTS_H

#include "dynamodb/expression.h"

/* Path 0 is a, path 1 is m.x; IS_TYPE has the type in the first operand. */
typedef struct MatchFact
{
	DynCondKind kind;
	int			path;
	DynScalar	operands[2];
	const char *selected;		/* a bit for each item, in hexadecimal */
} MatchFact;

"""


def header(dynamo):
    """The file's text, from DynamoDB's present responses."""
    stored = fill(dynamo)
    lines = [HEAD, "static const char *const match_items[] = {\n"]
    lines += [f"\t{literal(json.dumps(item, ensure_ascii=number % 2 == 0, separators=(',', ':')).encode())},\n"
              for number, item in enumerate(stored)]
    lines.append("};\n\nstatic const MatchFact match_facts[] = {\n")
    for kind, path, operands, expression in conditions():
        numbers = selected(dynamo, expression, operands)
        if numbers is None:
            continue
        if kind == "IS_TYPE":
            given = [f"{{DYN_TYPE_{operands[0]['S']}, NULL, 0}}"]
        else:
            given = [scalar(operand) for operand in operands]
        given += ["{0}"] * (2 - len(given))
        lines.append(f"\t{{DYN_COND_{kind}, {path}, {{{', '.join(given)}}}, \"{bits(numbers, len(stored))}\"}},\n")
    lines.append("};\n\n#endif\n")
    dynamo.drop_table(TABLE)
    return "".join(lines)


def main(arguments):
    """Writes the file."""
    if arguments != ["--write"]:
        sys.exit(__doc__)
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(header(DynamoClient(os.environ["DDB_ENDPOINT"])))


if __name__ == "__main__":
    main(sys.argv[1:])
