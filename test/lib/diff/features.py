"""What a statement is there for next to its conditions: kinds of tables, plans that rely on an order, values at the limits."""
import re

from aged import AGE
from aimed import BOUNDED, LARGE, LISTS, MISMATCHED_PARTS, PARTS, TIED
from composed import COMPOSED
from dated import FORMATS as TIME_FORMATS, TIMED, feature
from documented import DOCUMENTS
from edges import KINDS, MISMATCHES, OLDER
from elements import COUNTED, SEVERAL
from joincover import TRANSPARENT
from lies import make_lies
from listed import LISTED
from mapped import ENDLESS, MERGED, MERGED_BY_OWN, RANGED
from names import NAMED
from occurrences import OCCURRENCES
from predicates import Lit
from previews import PREVIEWED
from repeated import KEPT, SENT
from repeated_lists import OF_PARTS
from replaced import indexes
from segmented import SEGMENTS
from smaller import SMALLER
from encoded import FORMATS
from together import ALONE, TOGETHER
from unions import SPILLED, UNION
from zoned import ZONED

ENCODINGS = ["KOI8R", "SQL_ASCII"]
# Nodes that need sorted rows.
NEEDY = {"WindowAgg": "window", "Unique": "DISTINCT", "Group": "GROUP BY", "Aggregate": "GROUP BY", "Merge Join": "merge join",
         "Merge Append": "merged arms", "Incremental Sort": "incremental sort"}
IN_ORDER = " in the order of keys"
GATHER, SOFTLY = "a Gather beside a foreign scan", "a Gather beside misfits"
PASSING = TRANSPARENT - {"Sort", "Incremental Sort", "Hash"}

CONSTANTS = {"an empty string": lambda lit: lit.text == "" and lit.sqltype in ("text", "varchar", "bpchar", "citext"),
             "text longer than a sort key": lambda lit: 1024 < len(lit.text.encode()) <= 2048 and lit.sqltype == "text",
             "text longer than any key": lambda lit: len(lit.text.encode()) > 2048 and lit.sqltype == "text",
             "38 digits": lambda lit: digits(lit) == 38, "39 digits": lambda lit: digits(lit) == 39,
             "NaN": lambda lit: lit.text == "NaN", "an infinite number": lambda lit: "nfinity" in lit.text and "num" in lit.sqltype,
             "an infinite date": lambda lit: "nfinity" in lit.text and lit.sqltype == "date",
             "an infinite timestamp": lambda lit: "nfinity" in lit.text and lit.sqltype.startswith("timestamp"),
             "NULL": lambda lit: False}

TRAITS = [*NAMED, *OCCURRENCES, *TIMED, *AGE, *dict.fromkeys(map(feature, TIME_FORMATS))]
EXPECTED = [*TRAITS, *ZONED, MISMATCHES, OLDER, KINDS, FORMATS, DOCUMENTS, SEGMENTS, COMPOSED, LARGE, PARTS, MISMATCHED_PARTS, LISTS, TIED, BOUNDED, KEPT, SENT, SMALLER, UNION, SPILLED, TOGETHER, ALONE, SEVERAL, COUNTED, PREVIEWED, LISTED, RANGED, ENDLESS, MERGED, MERGED_BY_OWN, *OF_PARTS, *ENCODINGS, *(name + IN_ORDER for name in sorted(set(NEEDY.values()) - {"merged arms"})), GATHER, SOFTLY,
            *(f"constant: {name}" for name in CONSTANTS), *(f"index replaced: {name}" for name in indexes()),
            "table re-created by another sort key", *(f"a lie: {name}" for name in make_lies())]


def digits(lit):
    """How many digits a number has."""
    return len(re.sub(r"[^0-9]|^[-0.]+|E.*", "", lit.text)) if lit.sqltype == "numeric" else 0


def of_constants(parts):
    """What constants of a statement are special."""
    for lit in parts:
        if isinstance(lit, Lit) and lit.text is None:
            yield "constant: NULL"
        elif isinstance(lit, Lit):
            yield from (f"constant: {name}" for name, test in CONSTANTS.items() if test(lit))


def sorted_scan(node):
    """Do the node's rows come in the order of a foreign scan's keys?"""
    if node.get("Node Type") == "Foreign Scan":
        return "Remote Operation" in node
    return node.get("Node Type") in PASSING and any(map(sorted_scan, node.get("Plans", [])))


def of_plan(plan, soft):
    """What a plan relies on; soft: the names of its tables with type mismatches."""
    found = set(in_order(plan))
    if any(node.get("Remote Operation") == "Scan" and node.get("Index") for node in nodes(plan)):
        found.add(SMALLER)
    if any(node.get("Remote Operation") == "Union" for node in nodes(plan)):
        found.add(UNION)
    if any(node.get("Node Type") in ("Gather", "Gather Merge") for node in nodes(plan)) and \
            any("Remote Operation" in node for node in nodes(plan)):
        found |= {GATHER} | ({SOFTLY} if soft else set())
    return found


def nodes(plan):
    """All of them."""
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def in_order(plan):
    """Nodes that rely on the order of a foreign scan."""
    for node in nodes(plan):
        kind = NEEDY.get(node.get("Node Type"))
        if kind and (kind != "GROUP BY" or node.get("Strategy") == "Sorted" or node["Node Type"] == "Group") and \
                any(map(sorted_scan, node.get("Plans", []))):
            yield kind + IN_ORDER
