"""Which type of join was tried by which method over which access path of its inner side."""
from collections import Counter

# What may be between a join and the scan that it joins; another join is none of it.
TRANSPARENT = {"Hash", "Sort", "Incremental Sort", "Materialize", "Memoize", "Result", "Subquery Scan", "Append", "Merge Append",
               "Limit", "Aggregate", "Unique", "Group"}


def is_read_ahead(node):
    """Is it our node that collects the outer rows' keys?"""
    return node.get("Node Type") == "Custom Scan" and node.get("Custom Plan Provider") == "DynamoLookupJoin"


def child(node, relationship):
    """The outer or inner plan of a node."""
    return next((plan for plan in node.get("Plans", []) if plan.get("Parent Relationship") == relationship), {})


def inner_scans(node):
    """The foreign scans below one side of a join, and whether Memoize or Materialize keeps their rows."""
    if node.get("Node Type") == "Foreign Scan":
        yield node, None
    elif node.get("Node Type") in TRANSPARENT:
        for plan in node.get("Plans", []):
            if plan.get("Parent Relationship") in ("Outer", "Member", "Subquery"):
                for scan, keeper in inner_scans(plan):
                    yield scan, node["Node Type"] if node["Node Type"] in ("Memoize", "Materialize") else keeper


def lookup_path(path, scan):
    """GetItem, where the lookup requests one key for each outer row; one BatchGetItem requests many."""
    return "GetItem" if path == "BatchGetItem" and "ANY" not in scan.get("Key Condition", "") else path


def method(join, keeper):
    """What a join does to find the rows of its inner side."""
    if join["Node Type"] != "Nested Loop":
        return {"Hash Join": "hash", "Merge Join": "merge"}[join["Node Type"]]
    if any(is_read_ahead(plan) for plan in join["Plans"]):
        return "lookup"
    return keeper.lower() if keeper else "loop"


def joins(plan):
    """(join type, method, foreign scan) of all joins in a plan."""
    if "Join Type" in plan:
        for scan, keeper in inner_scans(child(plan, "Inner")):
            yield plan["Join Type"], method(plan, keeper), scan
    for below in plan.get("Plans", []):
        yield from joins(below)


class JoinCoverage:
    """Counts."""

    def __init__(self):
        self.cells = Counter()      # (join type, access path, method)

    def record(self, plan, path_of):
        """The joins of one plan; path_of(node) names the access path of a scan."""
        for kind, how, scan in joins(plan):
            path = path_of(scan)
            if path and how == "lookup":
                path = lookup_path(path, scan)
            if path:
                self.cells[kind, path, how] += 1

    def report(self):
        """A table."""
        columns = sorted({(kind, how) for kind, _, how in self.cells})
        names = [f"{kind} {how}" for kind, how in columns]
        paths = sorted({path for _, path, _ in self.cells})
        width = max((len(p) for p in paths), default=1)
        yield "# inner access path by type and method of join:"
        yield "# " + " " * width + "  " + "  ".join(names)
        for path in paths:
            counts = [self.cells[kind, path, how] or "-" for kind, how in columns]
            yield f"# {path:<{width}}  " + "  ".join(f"{c:>{len(n)}}" for c, n in zip(counts, names))


# What a full run must have tried: types, access paths of the inner side, methods; each with each, of "A/B" one.
BY_KEY = "GetItem|BatchGetItem|Query|Query, global index|Query, then BatchGetItem, global index|" \
    "Query per key/Query per key, global index"
EXPECTED = [
    ("Inner|Left|Semi|Anti", BY_KEY, "lookup|loop"),
    ("Inner/Left", "Query (count)/Query (count), global index", "lookup"),
    ("Inner|Left|Right|Full|Semi|Anti", "Scan", "hash"),
    ("Inner|Left|Right/Full", "Scan", "merge"),
    ("Inner|Left", "GetItem/Query/Query, global index", "memoize"),
    ("Inner|Left", "Scan", "materialize"),
]


def holes(coverage, lookups):
    """What is expected and was not tried: (type, access paths, method); lookups: is there such a method?"""
    tried = set(coverage.cells)
    return [(kind, path, how) for kinds, paths, methods in EXPECTED for kind in kinds.split("|")
            for path in paths.split("|") for how in methods.split("|") if (lookups or how != "lookup") and
            not any((k, p, how) in tried for k in kind.split("/") for p in path.split("/"))]
